// A cantilever of tetrahedra vibrates as beams do: its first frequency, from the assembled matrix and the masses.
#include "energy/solid_body.h"

static const double length = 1, side = 0.1, young = 1e6, poisson = 0.3, density = 1000;

// The first angular frequency of a slender beam with one end clamped: Euler and Bernoulli's, lowered by rotary inertia
// and by shear to first order (Timoshenko 1921), in which the mode w enters by L^2 int w'^2 / int w^2 = 4.648.
static double theory(void) {
  double inertia = pow(side, 4) / 12, area = side * side, kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
  double slender = pow(1.8751040687119611, 4) * young * inertia / (density * area * pow(length, 4));
  double slope = 4.648 * inertia / (area * length * length);
  return sqrt(slender / (1 + slope * (1 + 2 * (1 + poisson) / kappa)));
}

// The smallest eigenvalue of K v = w^2 M v by inverse iteration, which begins with the mode's shape, nearly.
static double first_frequency(const mus_element_kind *kind, int cells) {
  body b;
  body_create((const double[]){length, side, side}, (const int[]){10 * cells, cells, cells}, 0, kind, young, poisson,
              &b);
  size_t n = 3 * (size_t)b.mesh.vertices;
  double *mass = numbers(&b, (size_t)b.mesh.vertices), *v = numbers(&b, n), *right = numbers(&b, n), square = 0;
  mus_tetrahedra_masses(&b.mesh, density, mass);
  for (int i = 0; i < b.mesh.vertices; ++i) {
    double x = b.mesh.position[3 * i] + length / 2;
    if (at_end(&b, i, -length / 2))
      hold(&b, i, 7);
    else
      v[3 * i + 1] = x * x * (3 * length - x);
  }
  mus_scatter_run(b.scatter, evaluate, &b, &b.a, b.gradient);
  mus_solver *solver = body_solver(&b, 1e-8);
  assert_int_equal(mus_solver_set_values(solver, b.a.value), MUS_OK);
  assert_int_equal(mus_solver_set_constraints(solver, b.constraints, b.constraint), MUS_OK);
  for (int step = 0; step < 3; ++step) {
    double energy = 0, motion = 0; // v^T K v / v^T M v of the solution v of K v = M v_before
    for (size_t k = 0; k < n; ++k) {
      right[k] = mass[k / 3] * v[k];
      v[k] = 0;
    }
    assert_int_equal(mus_solver_solve(solver, right, v), MUS_OK);
    for (size_t k = 0; k < n; ++k) {
      energy += v[k] * right[k];
      motion += v[k] * v[k] * mass[k / 3];
    }
    for (size_t k = 0; k < n; ++k)
      v[k] /= sqrt(motion);
    square = energy / motion;
  }
  mus_solver_free(solver);
  mus_arena_clear(&b.arena);
  return sqrt(square);
}

// Linear tetrahedra are too stiff by an error that falls with the square of their size, springs by one that falls with
// their size, at the surface.
static void a_cantilever_vibrates_as_beams_do(void **state) {
  (void)state;
  const mus_element_kind *const kinds[] = {&mus_neo_hookean_kind, &mus_corotated_kind, &mus_venant_kirchhoff_kind};
  double coarse = first_frequency(kinds[0], 3) / theory(), fine = first_frequency(kinds[0], 6) / theory();
  double limit = fine + (fine - coarse) / 3; // Richardson's, for errors of second order
  print_message("of the theory: %.4f and %.4f with 3 and 6 cells across, %.4f in the limit\n", coarse, fine, limit);
  assert_true(coarse > fine && fine > limit);
  check_near(limit, 1, 0.02);
  for (int kind = 1; kind < 3; ++kind)
    check_near(first_frequency(kinds[kind], 3) / theory(), coarse, 1e-6); // small strains are the same for all
  double coarse_spring = first_frequency(&mus_solid_spring_kind, 3) / theory();
  double fine_spring = first_frequency(&mus_solid_spring_kind, 6) / theory();
  print_message("springs: %.4f and %.4f, %.4f in the limit\n", coarse_spring, fine_spring,
                2 * fine_spring - coarse_spring);
  check_near(2 * fine_spring - coarse_spring, 1, 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cantilever_vibrates_as_beams_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
