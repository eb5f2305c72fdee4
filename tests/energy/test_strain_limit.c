// Strain limits of a triangle: force and Hessian against finite differences, and no effect far below the limit.
#include "energy/check.h"

#include "energy/strain_limit.h"

typedef struct limited {
  mus_membrane_rest rest;
  mus_strain_limit limit;
} limited;

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  const limited *l = data;
  double length[2];
  (void)blend;
  (void)v;
  return mus_strain_limit_element(&l->rest, &l->limit, x, length, gradient, block);
}

static limited make(double warp, double weft, double softness) {
  limited l = {.limit = {{1 + warp, 1 + weft}, softness, 300}};
  const double uv[6] = {0, 0, 0.02, 0.004, 0.003, 0.018};
  assert_true(mus_membrane_rest_make(uv, &l.rest));
  return l;
}

static void forces_and_hessians(void **state) {
  (void)state;
  const double softness[] = {0.01, 0.1, 0.5};
  for (int k = 0; k < 3; ++k) {
    limited l = make(0.1, 0.2, softness[k]);
    checked c = {3, &l, evaluate};
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      double x[9];
      check_fill(9, seed % 2 ? 0.04 : 0.012, seed, x);
      check_force(&c, x, 1e-8, 1e-6, 1e-6);
      check_hessian(&c, x, 1e-8, 1e-5, 1e-2);
      check_definite_matrix(&c, x);
    }
  }
}

static void nothing_happens_where_nothing_is_limited(void **state) {
  (void)state;
  limited l = make(INFINITY, INFINITY, 0.1);
  checked c = {3, &l, evaluate};
  double x[9], gradient[9], full[81];
  check_fill(9, 0.1, 3, x);
  check_gradient(&c, x, NULL, gradient);
  check_matrix(&c, &check_definite, x, full);
  for (int k = 0; k < 9; ++k)
    assert_true(gradient[k] == 0);
  for (int k = 0; k < 81; ++k)
    assert_true(full[k] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forces_and_hessians),
                                     cmocka_unit_test(nothing_happens_where_nothing_is_limited)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
