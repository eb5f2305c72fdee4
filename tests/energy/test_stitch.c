// Stitches: forces, Hessians, damping, and threads that are drawn in.
#include "energy/check.h"

#include "energy/stitch.h"

typedef struct thread {
  mus_stitch_rest rest;
  double length;
  int arity;
} thread;

static double evaluate(const void *data, const mus_blend *blend, const double *x, const double *v, double *gradient,
                       double *block) {
  const thread *t = data;
  return mus_stitch_element(&t->rest, t->length, t->arity, blend, x, v, gradient, block);
}

static void check_all(const thread *t) {
  checked c = {t->arity, t, evaluate};
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    double x[9], v[9];
    check_fill(3 * t->arity, seed % 2 ? 0.04 : 0.008, seed, x);
    check_fill(3 * t->arity, 1, seed + 1000, v);
    check_force(&c, x, 1e-7, 1e-6, 1e-6);
    check_hessian(&c, x, 1e-7, 1e-5, 1e-2);
    check_damping_matrix(&c, x, v, 1e-9);
    check_definite_matrix(&c, x);
    check_blend(&c, x, v, (int)(seed % 2));
  }
}

static void forces_and_jacobians(void **state) {
  (void)state;
  check_all(&(thread){{0.3, 0.02, 1, 100, 0.3, 1}, 0.02, 3});
  check_all(&(thread){{0.3, 0.02, 1, 100, 0.3, 1}, 0, 3});
  check_all(&(thread){{0, 0.02, 1, 100, 0.3, 1}, 0.01, 2});
  check_all(&(thread){{0, 0.02, 1, 100, 0.3, 1}, 0, 2});
  check_all(&(thread){{0.3, 0.02, 1, 100, 0.3, 0.005}, 0, 3}); // runs through
  check_all(&(thread){{0, 0.02, 1, 100, 0.3, 0.002}, 0.01, 2});
}

static void threads_are_drawn_in(void **state) {
  (void)state;
  mus_stitch_rest rest = {0, 0.2, 2, 100, 0, 1};
  check_near(mus_stitch_length(&rest, 0), 0.2, 1e-15);
  check_near(mus_stitch_length(&rest, 0.5), 0.15, 1e-15);
  check_near(mus_stitch_length(&rest, 2), 0, 0);
  check_near(mus_stitch_length(&rest, 9), 0, 0);
  rest.close = 0;
  check_near(mus_stitch_length(&rest, 0), 0, 0);
}

// Ends that are too far away are pulled by no more than the thread bears, and energy grows by that along the way.
static void threads_run_through(void **state) {
  (void)state;
  thread t = {{0, 0.2, 2, 100, 0, 0.01}, 0.05, 2};
  checked c = {2, &t, evaluate};
  double x[6] = {0.5, 0, 0, 0, 0, 0}, gradient[6];
  check_gradient(&c, x, NULL, gradient);
  check_near(gradient[0], 1, 1e-12);
  check_near(gradient[3], -1, 1e-12);
  check_near(evaluate(&t, &check_definite, x, NULL, NULL, NULL), 0.445 * 1, 1e-12); // 0.005 J, and 1 N over 0.44 m
}

// A closed stitch holds vertices that coincide as stiffly as others; an open one has no direction there.
static void coincident_ends(void **state) {
  (void)state;
  double x[6] = {1, 2, 3, 1, 2, 3}, v[6] = {0, 0, 0, 1, 2, 3}, full[36];
  thread closed = {{0, 0.1, 1, 100, 0.3, 1}, 0, 2}, open = {{0, 0.1, 1, 100, 0.3, 1}, 0.1, 2};
  checked c = {2, &closed, evaluate}, o = {2, &open, evaluate};
  check_finite(&c, x, v);
  check_finite(&o, x, v);
  check_matrix(&c, &check_definite, x, full);
  for (int k = 0; k < 3; ++k)
    check_near(full[7 * k], 100, 1e-12);
  check_definite_matrix(&o, x);
}

// A vertex that is tied to a third of an edge pulls its ends by two thirds and one third.
static void shares_of_an_edge(void **state) {
  (void)state;
  thread t = {{1.0 / 3, 0, 0, 90, 0, 1}, 0, 3};
  checked c = {3, &t, evaluate};
  double x[9] = {0.1, 0, 0, 0, 0, 0, 0, 0, 0}, gradient[9];
  check_gradient(&c, x, NULL, gradient);
  check_near(gradient[0], 9, 1e-12);
  check_near(gradient[3], -6, 1e-12);
  check_near(gradient[6], -3, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forces_and_jacobians), cmocka_unit_test(threads_are_drawn_in),
                                     cmocka_unit_test(threads_run_through), cmocka_unit_test(coincident_ends),
                                     cmocka_unit_test(shares_of_an_edge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
