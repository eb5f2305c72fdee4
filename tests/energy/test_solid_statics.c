// Solids of tetrahedra mean what they say: the patch test, Young's modulus and Poisson's ratio of a bar, and a
// cantilever against the theory of beams, each for every law.
#include "energy/solid_body.h"

static const mus_element_kind *const kinds[] = {&mus_corotated_kind, &mus_neo_hookean_kind, &mus_venant_kirchhoff_kind};
enum { KINDS = 3 };

// Newton's method from where the vertices are, which must be near enough: `steps` of it.
static void find_equilibrium(body *b, int steps, double tolerance) {
  size_t n = 3 * (size_t)b->mesh.vertices;
  double *change = calloc(n, sizeof *change), *right = calloc(n, sizeof *right);
  mus_solver *solver = body_solver(b, tolerance);
  for (int step = 0; step < steps; ++step) {
    mus_scatter_run(b->scatter, evaluate, b, &b->a, b->gradient);
    for (size_t k = 0; k < n; ++k) {
      right[k] = b->load[k] - b->gradient[k];
      change[k] = 0;
    }
    assert_int_equal(mus_solver_set_values(solver, b->a.value), MUS_OK);
    assert_int_equal(mus_solver_set_constraints(solver, b->constraints, b->constraint), MUS_OK);
    assert_int_equal(mus_solver_solve(solver, right, change), MUS_OK);
    for (size_t k = 0; k < n; ++k)
      b->position[k] += change[k];
  }
  mus_scatter_run(b->scatter, evaluate, b, NULL, b->gradient);
  mus_solver_free(solver);
  free(change), free(right);
}

// A boundary that is deformed by an affine map is filled by it, however irregular the mesh.
static void the_patch_test(void **state) {
  (void)state;
  const double size[3] = {1, 0.8, 0.6}, map[9] = {1.1, 0.05, 0, -0.04, 0.95, 0.1, 0.02, 0, 1.05};
  for (int kind = 0; kind < KINDS; ++kind) {
    body b;
    body_create(size, (const int[3]){4, 4, 3}, 0.2, kinds[kind], 1e5, 0.3, &b);
    int inside = 0;
    for (int i = 0; i < b.mesh.vertices; ++i) {
      const double *x = b.mesh.position + 3 * i;
      int boundary = 0;
      for (int k = 0; k < 3; ++k)
        boundary |= fabs(x[k]) > 0.4999 * size[k];
      inside += !boundary;
      for (int k = 0; k < 3; ++k) // what is inside starts elsewhere
        b.position[3 * i + k] = mus_dot3(map + 3 * k, x) + (boundary ? 0 : 0.01 * mus_random(9, (uint64_t)(3 * i + k)));
      if (boundary)
        hold(&b, i, 7);
    }
    assert_true(inside > 20);
    find_equilibrium(&b, 8, 1e-12);
    for (int i = 0; i < b.mesh.vertices; ++i)
      for (int k = 0; k < 3; ++k)
        check_near(b.position[3 * i + k], mus_dot3(map + 3 * k, b.mesh.position + 3 * i), 1e-12);
    mus_arena_clear(&b.arena);
  }
}

// A bar that is pulled by its ends, free at its sides: the stress over the strain, in parts of `young`, and how much
// thinner it becomes over how much longer.
static void pull(const int cells[3], double jitter, const mus_element_kind *kind, double poisson, double *modulus,
                 double *ratio) {
  const double size[3] = {1, 0.3, 0.2}, young = 2e6, strain = 1e-5;
  double force = 0, width = 0;
  int sides = 0;
  body b;
  body_create(size, cells, jitter, kind, young, poisson, &b);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    const double *x = b.mesh.position + 3 * i;
    int low = at_end(&b, i, -0.5), high = at_end(&b, i, 0.5);
    b.position[3 * i] += strain * (x[0] + 0.5);
    if (low && fabs(x[1]) < 1e-9 && fabs(x[2]) < 1e-9)
      hold(&b, i, 7); // the middle of an end stays
    else if (low && fabs(x[1]) > 0.1 && fabs(x[2]) < 1e-9)
      hold(&b, i, 1 + 4); // and this end does not turn
    else if (low || high)
      hold(&b, i, 1);
  }
  find_equilibrium(&b, 1, 1e-8);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    const double *x = b.mesh.position + 3 * i;
    force += at_end(&b, i, 0.5) ? b.gradient[3 * i] : 0;
    if (fabs(x[0]) < 0.3 && fabs(x[1]) > 0.499 * size[1]) { // away from the ends
      width += fabs(b.position[3 * i + 1] - x[1]);
      ++sides;
    }
  }
  *modulus = force / (size[1] * size[2]) / (young * strain);
  *ratio = width / sides / (strain * size[1] / 2);
  mus_arena_clear(&b.arena);
}

static void a_bar_has_its_modulus_and_ratio(void **state) {
  (void)state;
  double modulus, ratio;
  for (int kind = 0; kind < KINDS; ++kind)
    for (int p = 0; p < 3; ++p) {
      double poisson = (const double[]){0, 0.3, 0.45}[p];
      pull((const int[3]){6, 2, 2}, 0.15, kinds[kind], poisson, &modulus, &ratio);
      check_near(modulus, 1, 1e-4);
      check_near(ratio, poisson, 1e-3);
    }
}

// Springs have E about right, and one Poisson's ratio only. In the lattice inside, both are exact; the halved pyramids
// at the surface differ from it, by less the finer they are.
static void a_bar_of_springs_has_its_modulus(void **state) {
  (void)state;
  static const int cells[2][3] = {{20, 6, 4}, {40, 12, 8}};
  double modulus[2], ratio[2], uneven, across;
  for (int k = 0; k < 2; ++k)
    pull(cells[k], 0, &mus_solid_spring_kind, 0.4, &modulus[k], &ratio[k]);
  pull(cells[0], 0.15, &mus_solid_spring_kind, 0.4, &uneven, &across);
  print_message("E %.4f, %.4f with 4 and 8 cells across; Poisson's ratio %.4f, %.4f; irregular, 4: %.4f, %.4f\n",
                modulus[0], modulus[1], ratio[0], ratio[1], uneven, across);
  check_near(modulus[1], 1, 0.02);
  check_near(2 * modulus[1] - modulus[0], 1, 0.003); // Richardson's, for errors of first order
  check_near(2 * ratio[1] - ratio[0], 0.25, 0.005);
  check_near(uneven, 1, 0.06);
  check_near(across, 0.25, 0.06);
}

// The end of a beam of which one end is clamped, under a small weight of its own, in parts of what Timoshenko's theory
// says: w L^4 / 8 E I + w L^2 / 2 kappa G A.
static double drooping(const mus_element_kind *kind, int cells) {
  const double length = 1, side = 0.2, young = 1e6, poisson = 0.3, weight = 1e-4; // N
  const double size[3] = {length, side, side};
  body b;
  body_create(size, (const int[3]){5 * cells, cells, cells}, 0, kind, young, poisson, &b);
  double *mass = numbers(&b, (size_t)b.mesh.vertices), droop = 0;
  int count = 0;
  mus_tetrahedra_masses(&b.mesh, weight / (length * side * side), mass);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    b.load[3 * i + 1] = -mass[i];
    if (at_end(&b, i, -length / 2))
      hold(&b, i, 7);
  }
  find_equilibrium(&b, 1, 1e-10);
  for (int i = 0; i < b.mesh.vertices; ++i)
    if (at_end(&b, i, length / 2)) {
      droop -= b.position[3 * i + 1] - b.mesh.position[3 * i + 1];
      ++count;
    }
  mus_arena_clear(&b.arena);
  double inertia = pow(side, 4) / 12, shear = young / (2 * (1 + poisson)), area = side * side;
  double kappa = 10 * (1 + poisson) / (12 + 11 * poisson), line = weight / length;
  return droop / count /
         (line * pow(length, 4) / (8 * young * inertia) + line * length * length / (2 * kappa * shear * area));
}

// Linear tetrahedra are too stiff by an error that falls with the square of their size; what remains is the clamp,
// which keeps the end from contracting and the theory does not know.
static void a_cantilever_bends_as_beams_do(void **state) {
  (void)state;
  double coarse = drooping(kinds[0], 3), middle = drooping(kinds[0], 6), fine = drooping(kinds[0], 12);
  double limit = fine + (fine - middle) / 3; // Richardson's, for errors of second order
  print_message("of the theory: %.4f, %.4f, %.4f with 3, 6 and 12 cells across; %.4f in the limit\n", coarse, middle,
                fine, limit);
  assert_true(coarse < middle && middle < fine && fine < 1.005);
  check_near((fine - middle) / (middle - coarse), 0.25, 0.06);
  check_near(limit, 1, 0.02);
  for (int kind = 1; kind < KINDS; ++kind)
    check_near(drooping(kinds[kind], 3), coarse, 1e-4); // small strains are the same for all
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_patch_test), cmocka_unit_test(a_bar_has_its_modulus_and_ratio),
      cmocka_unit_test(a_bar_of_springs_has_its_modulus), cmocka_unit_test(a_cantilever_bends_as_beams_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
