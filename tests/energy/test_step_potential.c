// Damping as a potential of the step, through every kind in the table: energies, gradients and blocks belong together
// for steps of all lengths, rigid motions cost nothing, and short steps have the damping that follows velocities.
#include "energy/any_source.h"

static const double lengths[] = {1e-4, 0.002, 1.0 / 30, 1}; // s
enum { LENGTHS = 4, VERTICES = 36, ELEMENTS = 12 };         // at most so many elements of a kind are tried

// An element in a step: `v` of its function is where it began.
typedef struct stepping {
  const mus_element_list *list;
  const mus_weather *weather;
  int element;
  double per_second; // 0: v holds velocities
  double position[3 * VERTICES], motion[3 * VERTICES];
} stepping;

static double evaluate(stepping *of, int exact, const double *x, const double *v, double *gradient, double *block,
                       double *rank_one) {
  const mus_element_kind *kind = of->list->kind;
  const int *vertex = of->list->vertex + kind->arity * of->element;
  double energy = NAN, p = of->per_second;
  for (int k = 0; k < kind->arity; ++k) {
    memcpy(of->position + 3 * vertex[k], x + 3 * k, 3 * sizeof *x);
    memcpy(of->motion + 3 * vertex[k], v + 3 * k, 3 * sizeof *v);
  }
  mus_evaluation e = {.position = of->position,
                      .velocity = p > 0 ? NULL : of->motion,
                      .before = p > 0 ? of->motion : NULL,
                      .time = 0.1,
                      .blend = {.stiffness = 1, .damping = p, .exact = exact, .per_second = p},
                      .scale = 1.5,
                      .weather = of->weather,
                      .energy = &energy,
                      .gradient = gradient,
                      .block = block,
                      .rank_one = rank_one};
  kind->evaluate(of->list, of->element, 1, &e);
  return energy;
}

static void matrix_of(stepping *of, int exact, const double *x, const double *v, double *full) {
  double block[CHECK_BLOCKS];
  evaluate(of, exact, x, v, NULL, block, NULL);
  mus_full_matrix(of->list->kind->arity, block, full);
}

// The gradient against differences of the energy.
static void check_slope(stepping *of, const double *x, const double *v) {
  int n = 3 * of->list->kind->arity;
  double gradient[CHECK_N], differences[CHECK_N], moved[CHECK_N], step = 1e-7;
  evaluate(of, 0, x, v, gradient, NULL, NULL);
  for (int k = 0; k < n; ++k) {
    memcpy(moved, x, sizeof moved);
    moved[k] = x[k] + step;
    double above = evaluate(of, 0, moved, v, NULL, NULL, NULL);
    moved[k] = x[k] - step;
    differences[k] = (above - evaluate(of, 0, moved, v, NULL, NULL, NULL)) / (2 * step);
  }
  check_close("gradient", n, gradient, differences, 1e-5, 1e-4);
}

// The exact block against differences of the gradient; the other one has no negative eigenvalue, and is no less than
// the exact one, unless it leaves out parts of both signs, as rank one does.
static void check_curvature(stepping *of, const double *x, const double *v) {
  const mus_element_kind *kind = of->list->kind;
  int n = 3 * kind->arity;
  double exact[CHECK_N * CHECK_N], definite[CHECK_N * CHECK_N], differences[CHECK_N * CHECK_N];
  double moved[CHECK_N], above[CHECK_N], below[CHECK_N], largest, step = 1e-7;
  matrix_of(of, 1, x, v, exact);
  matrix_of(of, 0, x, v, definite);
  for (int k = 0; k < n; ++k) {
    memcpy(moved, x, sizeof moved);
    moved[k] = x[k] + step;
    evaluate(of, 1, moved, v, above, NULL, NULL);
    moved[k] = x[k] - step;
    evaluate(of, 1, moved, v, below, NULL, NULL);
    for (int l = 0; l < n; ++l)
      differences[n * l + k] = (above[l] - below[l]) / (2 * step);
  }
  check_close("exact Hessian", n * n, exact, differences, 1e-4, 1);
  double least = check_least_eigenvalue(n, definite, &largest);
  if (!(least >= -1e-13 * largest))
    fail_msg("%s: the eigenvalue %g beside %g", kind->name, least, largest);
  for (int k = 0; k < n * n; ++k)
    exact[k] = definite[k] - exact[k];
  double unused, apart = check_least_eigenvalue(n, exact, &unused);
  if (!kind->rank_one && !(apart >= -1e-12 * fmax(largest, unused)))
    fail_msg("%s: %g below the exact Hessian, beside %g", kind->name, apart, largest);
}

// r r^T of kinds that can be written so.
static void check_rank_one(stepping *of, const double *x, const double *v) {
  int n = 3 * of->list->kind->arity;
  double full[CHECK_N * CHECK_N], product[CHECK_N * CHECK_N], r[CHECK_N];
  matrix_of(of, 0, x, v, full);
  evaluate(of, 0, x, v, NULL, NULL, r);
  for (int k = 0; k < n * n; ++k)
    product[k] = r[k / n] * r[k % n];
  check_close("r r^T", n * n, product, full, 1e-12, 0);
}

// What is moved as a rigid body has no P and no force of it: what is left is as if nothing damped. The same holds to
// the last bit where nothing moves at all.
static void check_rigid(stepping *of, const double *x, uint64_t seed) {
  int n = 3 * of->list->kind->arity;
  double r[9], start[CHECK_N], damped[CHECK_N], plain[CHECK_N], full[CHECK_N * CHECK_N], per_second = of->per_second;
  check_rotation(seed, r);
  check_rotate(r, of->list->kind->arity, x, start);
  for (int k = 0; k < n; ++k)
    start[k] += 0.1 * (k % 3 + 1);
  double still_energy = evaluate(of, 0, x, x, plain, NULL, NULL),
         energy = evaluate(of, 0, x, start, damped, NULL, NULL);
  matrix_of(of, 0, x, start, full);
  of->per_second = 0;
  double nothing[CHECK_N] = {0}, without[CHECK_N];
  double least = evaluate(of, 0, x, nothing, without, NULL, NULL);
  of->per_second = per_second;
  double stiff = check_largest(n * n, full), far = 1e-13; // m: rounding
  check_near(still_energy, least, 1e-14 * fabs(least));
  check_near(energy, least, 1e-12 * fabs(least) + stiff * far * far);
  check_close("still", n, plain, without, 1e-13, 1e-12);
  check_close("rigid motion", n, damped, without, 1e-11, stiff * far * 1e11);
}

// In a step of a microsecond, the gradient is that of damping which follows velocities.
static void check_short_step(stepping *of, const double *x, const double *v) {
  int n = 3 * of->list->kind->arity;
  double h = 1e-6, start[CHECK_N], found[CHECK_N], expected[CHECK_N];
  for (int k = 0; k < n; ++k)
    start[k] = x[k] - h * v[k];
  of->per_second = 1 / h;
  evaluate(of, 0, x, start, found, NULL, NULL);
  of->per_second = 0;
  evaluate(of, 0, x, v, expected, NULL, NULL);
  check_close("short step", n, found, expected, 2e-3, 1e-3);
}

// An element from a place about `far` from where it is in the mesh to another.
static void check_element(const mus_element_list *list, int element, const mus_weather *weather, const double *mesh,
                          double far, uint64_t seed) {
  const mus_element_kind *kind = list->kind;
  const int *vertex = list->vertex + kind->arity * element;
  double x[CHECK_N], start[CHECK_N], v[CHECK_N];
  stepping of = {.list = list, .weather = weather, .element = element};
  check_fill(3 * kind->arity, far, seed, x);
  check_fill(3 * kind->arity, far, seed + 1000, start);
  check_fill(3 * kind->arity, 0.3, seed + 2000, v);
  for (int k = 0; k < kind->arity; ++k) {
    mus_add_scaled3(1, mesh + 3 * vertex[k], x + 3 * k);
    mus_add_scaled3(1, mesh + 3 * vertex[k], start + 3 * k);
  }
  for (int l = 0; l < LENGTHS; ++l) {
    of.per_second = 1 / lengths[l];
    check_slope(&of, x, start);
    check_curvature(&of, x, start);
    if (kind->rank_one)
      check_rank_one(&of, x, start);
    if (!weather)
      check_rigid(&of, x, seed + 3000);
  }
  check_short_step(&of, x, v);
}

static void every_kind(void **state) {
  (void)state;
  sheet s;
  sheet_create(&s);
  mus_weather weather = {{1.2, 1.3, 0.05}, {3, 1, 2}, NULL};
  mus_gusts gusts;
  mus_gusts_make(weather.wind, 0.3, 1, 5, &gusts);
  weather.gusts = &gusts;
  assert_int_equal(s.mesh.vertices, VERTICES);
  for (int k = 0; mus_element_kinds[k]; ++k) {
    mus_element_list list;
    assert_int_equal(mus_element_list_create(mus_element_kinds[k], &s.arena, &s.source, &list), MUS_OK);
    print_message("%s\n", list.kind->name);
    for (int element = 0; element < list.count && element < ELEMENTS; ++element)
      for (int airy = 0; airy < 2; ++airy)
        for (int much = 0; much < 2; ++much)
          check_element(&list, element, airy ? &weather : NULL, s.mesh.position, much ? 0.005 : 0.001,
                        (uint64_t)(7 * element + much));
  }
  mus_arena_clear(&s.arena);
}

// A run of elements has the bits of one element after the other.
static void runs_are_the_same(void **state) {
  (void)state;
  sheet s;
  sheet_create(&s);
  mus_weather weather = {{1.2, 1.3, 0.05}, {3, 1, 2}, NULL};
  double x[3 * VERTICES], start[3 * VERTICES];
  for (int k = 0; k < 3 * VERTICES; ++k) {
    x[k] = s.mesh.position[k] + 0.004 * mus_random(1, (uint64_t)k);
    start[k] = s.mesh.position[k] + 0.004 * mus_random(2, (uint64_t)k);
  }
  for (int k = 0; mus_element_kinds[k]; ++k) {
    mus_element_list list;
    assert_int_equal(mus_element_list_create(mus_element_kinds[k], &s.arena, &s.source, &list), MUS_OK);
    size_t count = (size_t)list.count, n = 3 * (size_t)list.kind->arity;
    double *energy = calloc(count, sizeof *energy), *gradient = calloc(n * count, sizeof *gradient);
    mus_evaluation e = {.position = x,
                        .before = start,
                        .time = 0.1,
                        .blend = {.stiffness = 1e-4, .damping = 1e-2, .per_second = 100},
                        .scale = 1,
                        .weather = &weather,
                        .energy = energy,
                        .gradient = gradient};
    list.kind->evaluate(&list, 0, list.count, &e);
    for (size_t element = 0; element < count; ++element) {
      double one[CHECK_N], of_one;
      e.energy = &of_one;
      e.gradient = one;
      list.kind->evaluate(&list, (int)element, 1, &e);
      assert_memory_equal(&of_one, energy + element, sizeof of_one);
      assert_memory_equal(one, gradient + n * element, n * sizeof *one);
    }
    free(energy), free(gradient);
  }
  mus_arena_clear(&s.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind), cmocka_unit_test(runs_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
