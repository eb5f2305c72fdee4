// Vectors side by side against the same vectors one by one, and the same bits for any number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "par/lanes.h"
#include "par/par.h"
#include "par/vector.h"

enum { N = 30011 };

// `count` vectors of random numbers, both ways.
typedef struct several {
  int count;
  double *one[MUS_LANES_MAXIMUM];
  float *v;
} several;

static several create(int count) {
  several s = {.count = count, .v = calloc(mus_lanes_size(N, count), sizeof(float))};
  for (int k = 0; k < count; ++k) {
    s.one[k] = malloc(N * sizeof *s.one[k]);
    for (size_t i = 0; i < N; ++i)
      s.one[k][i] = (double)(float)mus_random((uint64_t)k + 1, i);
    mus_lanes_put(N, count, k, 1, s.one[k], s.v);
  }
  return s;
}

static void destroy(several *s) {
  for (int k = 0; k < s->count; ++k)
    free(s->one[k]);
  free(s->v);
}

static void vectors_come_back_as_they_were(void **state) {
  (void)state;
  double *back = malloc(N * sizeof *back);
  for (int count = 1; count <= MUS_LANES_MAXIMUM; ++count) {
    several s = create(count);
    for (int k = 0; k < count; ++k) {
      mus_lanes_get(N, count, k, s.v, back);
      assert_memory_equal(back, s.one[k], N * sizeof *back);
    }
    destroy(&s);
  }
  free(back);
}

static void sums_are_those_of_single_vectors_on_any_number_of_threads(void **state) {
  (void)state;
  double *r = malloc(N * sizeof *r), *x = malloc(N * sizeof *x), *expected = malloc(N * sizeof *x);
  mus_fill_random(N, 99, r);
  for (int count = 1; count <= MUS_LANES_MAXIMUM; ++count) {
    several s = create(count);
    double factor[MUS_LANES_MAXIMUM], dot[3][MUS_LANES_MAXIMUM];
    const int threads[] = {1, 2, 7};
    mus_copy(N, r, expected);
    for (int k = 0; k < count; ++k) {
      factor[k] = mus_random(7, (uint64_t)k);
      mus_axpy(N, factor[k], s.one[k], expected);
    }
    for (int t = 0; t < 3; ++t) {
      mus_par_set_threads(threads[t]);
      mus_lanes_dot(N, count, s.v, r, dot[t]);
      mus_copy(N, r, x);
      mus_lanes_add(N, count, factor, s.v, x);
      for (size_t i = 0; i < N; ++i)
        assert_true(fabs(x[i] - expected[i]) < 1e-14);
    }
    mus_par_set_threads(0);
    for (int k = 0; k < count; ++k) {
      assert_true(fabs(dot[0][k] - mus_dot(N, s.one[k], r)) < 1e-11 * N);
      assert_true(dot[0][k] == dot[1][k] && dot[0][k] == dot[2][k]);
    }
    destroy(&s);
  }
  free(r), free(x), free(expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_come_back_as_they_were),
      cmocka_unit_test(sums_are_those_of_single_vectors_on_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
