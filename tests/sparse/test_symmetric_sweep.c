// Gauss-Seidel sweeps over symmetric storage: each is what its equations say, the one is the adjoint of the other, both
// make errors smaller, and the same bits come out for any number of threads; both precisions, every instruction set.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "constrain/beyond.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/symmetric_sweep.h"
#include "support/patterns.h"

typedef struct problem {
  mus_arena arena;
  mus_pattern full;
  mus_matrix a;
  double *inverse;
  float *inverse_f;
  mus_symmetric_pattern pattern;
  mus_symmetric_order order;
  mus_symmetric s;
  mus_symmetric_f s_f;
  size_t n;
} problem;

// Symmetric, with a diagonal that outweighs the rest; not every block beside it is symmetric.
static void fill_values(problem *p, int block) {
  for (int i = 0; i < p->full.rows; ++i) {
    int blocks = p->full.row_start[i + 1] - p->full.row_start[i];
    for (int k = p->full.row_start[i]; k < p->full.row_start[i + 1]; ++k) {
      int j = p->full.column[k], low = i < j ? i : j, high = i < j ? j : i;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          int first = i < j || (i == j && r < c) ? r : c, second = first == r ? c : r;
          uint64_t pair = (uint64_t)low * (uint64_t)p->full.rows + (uint64_t)high;
          p->a.value[((size_t)k * (size_t)block + (size_t)r) * (size_t)block + (size_t)c] =
              (float)mus_random(pair, (uint64_t)(first * block + second)) +
              (i == j && r == c ? (float)(0.7 * block * blocks) : 0);
        }
    }
  }
}

// Rows with the columns i - d and i + d for all distances d, of which the first is 0.
static problem *banded(int rows, int block, int count, const int *distance) {
  problem *p = calloc(1, sizeof *p);
  p->full = (mus_pattern){rows, rows, mus_arena_alloc(&p->arena, (size_t)rows + 1, sizeof(int)),
                          mus_arena_alloc(&p->arena, (size_t)rows * (size_t)(2 * count), sizeof(int))};
  int at = 0;
  for (int i = 0; i < rows; ++i) {
    p->full.row_start[i] = at;
    for (int d = -count + 1; d < count; ++d) {
      int j = i + (d < 0 ? -distance[-d] : distance[d]), low = i < j ? i : j;
      if (j >= 0 && j < rows && (d == 0 || (low * 7 + abs(d)) % 5 != 0))
        p->full.column[at++] = j;
    }
  }
  p->full.row_start[rows] = at;
  p->n = (size_t)rows * (size_t)block;
  int *place = mus_arena_alloc(&p->arena, (size_t)rows, sizeof *place);
  p->inverse = mus_arena_alloc(&p->arena, p->n * (size_t)block, sizeof *p->inverse);
  p->inverse_f = mus_arena_alloc(&p->arena, p->n * (size_t)block, sizeof *p->inverse_f);
  assert_int_equal(mus_matrix_create(&p->arena, &p->full, block, block, &p->a), MUS_OK);
  fill_values(p, block);
  assert_int_equal(mus_diagonal_places(&p->full, place), MUS_OK);
  assert_int_equal(mus_inverse_diagonal(&p->a, place, p->inverse), MUS_OK);
  mus_to_float(p->n * (size_t)block, 1, p->inverse, p->inverse_f);
  assert_int_equal(mus_symmetric_pattern_create(&p->arena, &p->full, block, &p->pattern), MUS_OK);
  assert_int_equal(mus_symmetric_order_create(&p->arena, &p->pattern, &p->order), MUS_OK);
  assert_int_equal(mus_symmetric_create(&p->arena, &p->pattern, &p->s), MUS_OK);
  assert_int_equal(mus_symmetric_create_f(&p->arena, &p->pattern, &p->s_f), MUS_OK);
  mus_symmetric_fill_both(&p->a, &p->s, &p->s_f);
  return p;
}

static void release(problem *p) {
  mus_arena_clear(&p->arena);
  free(p);
}

enum { PROBLEMS = 6 };

// One chunk; some; some with pairs beyond the ring, which is 4,096 nodes long for blocks of 3; other blocks.
static problem *problem_of(int k) {
  static const int near[] = {0, 1, 2, 30, 31}, far[] = {0, 1, 7, 60, 4200}, across[] = {0, 1, 50, 2500};
  return k == 0   ? banded(900, 3, 5, near)
         : k == 1 ? banded(9000, 3, 5, near)
         : k == 2 ? banded(9000, 3, 5, far)
         : k == 3 ? banded(9000, 3, 4, across)
         : k == 4 ? banded(5000, 2, 5, near)
                  : banded(5000, 6, 4, across);
}

static void multiply(const problem *p, const double *x, double *y) {
  mus_block_operator a = {.a = &p->a};
  mus_operator view = mus_block_operator_view(&a);
  mus_operator_multiply(&view, x, y);
}

static double size_of(size_t n, const double *x) { return sqrt(mus_dot(n, x, x)); }

// r = b - A x after a sweep down, N; N^T is the sweep up from zero; errors become smaller in the norm of A.
static void check(const problem *p, double tolerance, int single) {
  size_t n = p->n;
  double *b = random_vector(&((problem *)p)->arena, n, 1), *c = random_vector(&((problem *)p)->arena, n, 2);
  double *work = calloc(8 * n, sizeof *work), *x = work, *r = x + n, *y = r + n, *ax = y + n, *e = ax + n;
  float *wf = calloc(4 * n, sizeof *wf), *bf = wf, *xf = bf + n, *rf = xf + n, *yf = rf + n;
  if (single) {
    mus_to_float(n, 1, b, bf);
    mus_symmetric_sweep_down_f(&p->s_f, &p->order, p->inverse_f, bf, xf, rf);
    mus_to_double(n, 1, xf, x);
    mus_to_double(n, 1, rf, r);
    mus_to_float(n, 1, c, bf);
    mus_symmetric_sweep_up_f(&p->s_f, &p->order, p->inverse_f, bf, yf);
    mus_to_double(n, 1, yf, y);
  } else {
    mus_symmetric_sweep_down(&p->s, &p->order, p->inverse, b, x, r);
    mus_symmetric_sweep_up(&p->s, &p->order, p->inverse, c, y);
  }
  multiply(p, x, ax);
  for (size_t i = 0; i < n; ++i)
    ax[i] += r[i] - b[i];
  assert_true(size_of(n, ax) < tolerance * size_of(n, b));
  double left = mus_dot(n, c, x), right = mus_dot(n, b, y); // c.N b = b.N^T c
  assert_true(fabs(left - right) < tolerance * size_of(n, b) * size_of(n, c));
  for (int up = 0; up < 2; ++up) { // e = x - A^-1 b, of x = N b from zero, for b = A e
    memcpy(e, c, n * sizeof *e);
    multiply(p, e, ax);
    double before = mus_dot(n, e, ax);
    memset(x, 0, n * sizeof *x);
    if (up)
      mus_symmetric_sweep_up(&p->s, &p->order, p->inverse, ax, x);
    else
      mus_symmetric_sweep_down(&p->s, &p->order, p->inverse, ax, x, r);
    mus_axpy(n, -1, x, e);
    multiply(p, e, ax);
    double after = mus_dot(n, e, ax);
    assert_true(after >= 0 && after < before);
  }
  free(work), free(wf);
}

static void sweeps_are_adjoint_and_leave_their_residual(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEMS; ++k) {
    problem *p = problem_of(k);
    for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set)
      if (mus_instructions_use((mus_instructions)set) == MUS_OK) {
        check(p, 1e-13, 0);
        check(p, 1e-5, 1);
      }
    release(p);
  }
}

// In one chunk, rows are relaxed one after the other.
static void one_chunk_is_swept_in_the_order_of_rows(void **state) {
  (void)state;
  problem *p = problem_of(0);
  assert_int_equal(p->pattern.chunks, 1);
  double *b = random_vector(&p->arena, p->n, 3), *x = random_vector(&p->arena, p->n, 4), expected[2700];
  assert_true(p->n == 2700);
  memcpy(expected, x, p->n * sizeof *x);
  for (int i = 0; i < p->full.rows; ++i) {
    double r[3] = {b[3 * i], b[3 * i + 1], b[3 * i + 2]};
    for (int k = p->full.row_start[i]; k < p->full.row_start[i + 1]; ++k)
      for (int e = 0; e < 9 && p->full.column[k] != i; ++e)
        r[e / 3] -= p->a.value[9 * k + e] * expected[3 * p->full.column[k] + e % 3];
    for (int c = 0; c < 3; ++c)
      expected[3 * i + c] = p->inverse[9 * i + 3 * c] * r[0] + p->inverse[9 * i + 3 * c + 1] * r[1] +
                            p->inverse[9 * i + 3 * c + 2] * r[2];
  }
  mus_symmetric_sweep_up(&p->s, &p->order, p->inverse, b, x);
  for (size_t i = 0; i < p->n; ++i)
    assert_true(fabs(x[i] - expected[i]) < 1e-13);
  release(p);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  for (int k = 1; k < PROBLEMS; ++k) {
    problem *p = problem_of(k);
    float *v = calloc(5 * p->n, sizeof *v), *b = v, *x = b + p->n;
    assert_true(p->pattern.chunks > 1 && p->order.colours > 1);
    mus_to_float(p->n, 1, random_vector(&p->arena, p->n, 5), b);
    for (int threads = 1; threads <= 7; threads += 2) {
      float *to = threads == 1 ? x : x + 2 * p->n;
      mus_par_set_threads(threads);
      mus_symmetric_sweep_down_f(&p->s_f, &p->order, p->inverse_f, b, to, to + p->n);
      mus_symmetric_sweep_up_f(&p->s_f, &p->order, p->inverse_f, to + p->n, to);
      if (threads > 1)
        assert_memory_equal(to, x, 2 * p->n * sizeof *to);
    }
    mus_par_set_threads(0);
    free(v);
    release(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_are_adjoint_and_leave_their_residual),
                                     cmocka_unit_test(one_chunk_is_swept_in_the_order_of_rows),
                                     cmocka_unit_test(any_number_of_threads_gives_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
