// The generator of cloth-sheet systems: geometry, derivatives, kernel, definiteness, boundaries, bad options.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"
#include "par/vector.h"
#include "sheet_system.h"

// LAPACK, Fortran interface: eigenvalues of a symmetric matrix.
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                   const int *lwork, int *info);

#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static sheet_options small_options(int irregular) {
  sheet_options options = sheet_default_options();
  options.side = 6;
  options.irregular = irregular;
  return options;
}

static sheet_system create(const sheet_options *options) {
  sheet_system system;
  assert_int_equal(sheet_system_create(options, &system), MUS_OK);
  return system;
}

static size_t unknowns(const sheet_system *s) { return (size_t)s->rows * (size_t)s->block; }

static double *vector(sheet_system *s) {
  double *x = mus_arena_alloc_zero(&s->arena, unknowns(s), sizeof *x);
  assert_non_null(x);
  return x;
}

static double quadratic_form(sheet_system *s, const double *x) {
  double *y = vector(s);
  mus_multiply(&s->a, x, y);
  return mus_dot(unknowns(s), x, y);
}

static void masses_add_up_to_the_sheet(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    sheet_options options = small_options(irregular);
    options.size = 2;
    sheet_system s = create(&options);
    double mass = 0;
    for (int i = 0; i < s.rows; ++i)
      mass += s.mass[i];
    assert_close(mass, 0.17 * 4, 1e-14);
    sheet_system_free(&s);
  }
}

static void interior_rows_have_thirteen_blocks(void **state) {
  (void)state;
  sheet_options options = small_options(0);
  sheet_system s = create(&options);
  int row = 2 * options.side + 2;
  assert_int_equal(s.pattern->row_start[row + 1] - s.pattern->row_start[row], 13);
  sheet_system_free(&s);
  options.bend = 0;
  s = create(&options);
  assert_int_equal(s.pattern->row_start[row + 1] - s.pattern->row_start[row], 7);
  sheet_system_free(&s);
}

static void irregular_triangles_stay_upright(void **state) {
  (void)state;
  sheet_options options = small_options(1);
  options.side = 80;
  sheet_system s = create(&options);
  int falling = 0;
  for (int t = 0; t < s.tuples[0].count; ++t) {
    const int *node = s.tuples[0].index + (size_t)t * 3;
    const double *a = s.rest + 3 * node[0], *b = s.rest + 3 * node[1], *c = s.rest + 3 * node[2];
    double twice = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
    assert_true(twice > 0.1 / (79.0 * 79.0));
    falling += node[1] - node[0] == 1 && node[2] - node[0] == options.side;
  }
  assert_in_range(falling, 79 * 79 / 3, 79 * 79 * 2 / 3);
  sheet_system_free(&s);
}

static int has_node(const int *triangle, int node) {
  return triangle[0] == node || triangle[1] == node || triangle[2] == node;
}

static int triangles_with(const sheet_system *s, int a, int b, int c) {
  int count = 0;
  for (int t = 0; t < s->tuples[0].count; ++t) {
    const int *node = s->tuples[0].index + (size_t)t * 3;
    count += has_node(node, a) && has_node(node, b) && has_node(node, c);
  }
  return count;
}

// Distinct hinges, as many as there are interior edges, each between two triangles of the mesh: every one of them.
static void hinges_join_the_triangles(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    sheet_options options = small_options(irregular);
    options.side = 9;
    sheet_system s = create(&options);
    const mus_tuples *hinges = &s.tuples[1];
    assert_int_equal(hinges->count, 3 * 8 * 8 - 2 * 8);
    for (int e = 0; e < hinges->count; ++e) {
      const int *node = hinges->index + (size_t)e * 4;
      assert_int_not_equal(node[2], node[3]);
      assert_int_equal(triangles_with(&s, node[0], node[1], node[2]), 1);
      assert_int_equal(triangles_with(&s, node[0], node[1], node[3]), 1);
      for (int other = 0; other < e; ++other) {
        const int *seen = hinges->index + (size_t)other * 4;
        assert_false((seen[0] == node[0] && seen[1] == node[1]) || (seen[0] == node[1] && seen[1] == node[0]));
      }
    }
    sheet_system_free(&s);
  }
}

static void force_is_minus_the_gradient_of_the_energy(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    sheet_options options = small_options(irregular);
    options.bend = 2; // as strong as the membrane, so that an error in it shows
    sheet_system s = create(&options);
    double *force = vector(&s), *direction = vector(&s), *moved = vector(&s), energy[2];
    assert_int_equal(sheet_force(&s, s.position, force), MUS_OK);
    for (int i = -1; i < s.rows * 3; ++i) { // one random direction, then every coordinate by itself
      if (i < 0)
        mus_fill_random(unknowns(&s), 3, direction);
      else {
        mus_fill(unknowns(&s), 0, direction);
        direction[i] = 1;
      }
      const double step = 1e-6;
      for (int side = 0; side < 2; ++side) {
        mus_copy(unknowns(&s), s.position, moved);
        mus_axpy(unknowns(&s), side ? step : -step, direction, moved);
        assert_int_equal(sheet_energy(&s, moved, &energy[side]), MUS_OK);
      }
      double slope = (energy[1] - energy[0]) / (2 * step), exact = -mus_dot(unknowns(&s), force, direction);
      assert_close(slope, exact, 1e-6 * (fabs(exact) + 100));
    }
    sheet_system_free(&s);
  }
}

// At rest the conditions vanish, so the Gauss-Newton matrix is the full Hessian there and can be checked against
// differences of the force.
static void matrix_is_the_derivative_of_the_force_at_rest(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular) {
    sheet_options options = small_options(irregular);
    options.wave = 0;
    options.bend = 2;
    options.damping = 0.01;
    sheet_system s = create(&options);
    double *direction = vector(&s), *moved = vector(&s), *product = vector(&s), *force[2] = {vector(&s), vector(&s)};
    mus_fill_random(unknowns(&s), 5, direction);
    const double step = 1e-6, h = options.time_step;
    for (int side = 0; side < 2; ++side) {
      mus_copy(unknowns(&s), s.position, moved);
      mus_axpy(unknowns(&s), side ? step : -step, direction, moved);
      assert_int_equal(sheet_force(&s, moved, force[side]), MUS_OK);
    }
    mus_multiply(&s.a, direction, product);
    for (size_t i = 0; i < unknowns(&s); ++i) {
      double stiffness = (force[0][i] - force[1][i]) / (2 * step);
      double expected = s.mass[i / 3] * direction[i] + h * (options.damping + h) * stiffness;
      assert_close(product[i], expected, 1e-6);
    }
    sheet_system_free(&s);
  }
}

static void translations_feel_only_the_mass(void **state) {
  (void)state;
  sheet_options options = small_options(1);
  sheet_system s = create(&options);
  double *shift = vector(&s), *product = vector(&s);
  for (int c = 0; c < 3; ++c) {
    for (size_t i = 0; i < unknowns(&s); ++i)
      shift[i] = i % 3 == (size_t)c ? 1 : 0;
    mus_multiply(&s.a, shift, product);
    for (size_t i = 0; i < unknowns(&s); ++i)
      assert_close(product[i], s.mass[i / 3] * shift[i], 1e-15);
  }
  sheet_system_free(&s);
}

// The energy of a linearised rotation about the current positions beyond that of its mass, relative to a random
// vector's of the same length.
static double rotation_stiffness(sheet_system *s, int axis) {
  double *rotation = vector(s), *random = vector(s);
  int next = (axis + 1) % 3, last = (axis + 2) % 3;
  double inertia = 0;
  for (int i = 0; i < s->rows; ++i) {
    rotation[3 * i + next] = -s->position[3 * i + last];
    rotation[3 * i + last] = s->position[3 * i + next];
    inertia += s->mass[i] *
               (rotation[3 * i + next] * rotation[3 * i + next] + rotation[3 * i + last] * rotation[3 * i + last]);
  }
  mus_fill_random(unknowns(s), 7, random);
  double size = mus_dot(unknowns(s), rotation, rotation), random_size = mus_dot(unknowns(s), random, random);
  double generic = quadratic_form(s, random) * size / random_size;
  return (quadratic_form(s, rotation) - inertia) / generic;
}

static void rotations_are_nearly_free(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int waving = 0; waving < 2; ++waving) {
      sheet_options options = small_options(irregular);
      options.side = 31;
      options.wave = waving ? 0.05 : 0;
      sheet_system s = create(&options);
      for (int axis = 0; axis < 3; ++axis)
        assert_true(fabs(rotation_stiffness(&s, axis)) < (waving ? 1e-6 : 1e-12));
      sheet_system_free(&s);
    }
}

static void wave_couples_the_directions(void **state) {
  (void)state;
  sheet_options options = small_options(0);
  sheet_system s = create(&options);
  double largest = 0, coupling = 0;
  for (size_t i = 0; i < mus_matrix_values(&s.a); ++i) {
    double size = fabs(s.a.value[i]);
    largest = fmax(largest, size);
    if (i % 9 == 1 || i % 9 == 5) // x with y, y with z
      coupling = fmax(coupling, size);
  }
  assert_true(coupling > 0.02 * largest);
  sheet_system_free(&s);
}

static double *dense(sheet_system *s) {
  size_t n = unknowns(s);
  double *full = mus_arena_alloc_zero(&s->arena, n * n, sizeof *full);
  assert_non_null(full);
  for (int i = 0; i < s->rows; ++i)
    for (int k = s->pattern->row_start[i]; k < s->pattern->row_start[i + 1]; ++k)
      for (int e = 0; e < 9; ++e)
        full[(size_t)(3 * i + e / 3) * n + (size_t)(3 * s->pattern->column[k] + e % 3)] =
            s->a.value[(size_t)k * 9 + (size_t)e];
  return full;
}

static void matrix_is_symmetric_positive_definite(void **state) {
  (void)state;
  for (int irregular = 0; irregular < 2; ++irregular)
    for (int compressed = 0; compressed < 2; ++compressed) {
      sheet_options options = small_options(irregular);
      sheet_system s = create(&options);
      if (compressed) {
        mus_scale(unknowns(&s), 0.7, s.position);
        assert_int_equal(sheet_system_assemble(&s), MUS_OK);
      }
      int n = (int)unknowns(&s), info, length = 8 * n;
      double *full = dense(&s), *eigenvalue = vector(&s), mass = INFINITY;
      double *work = mus_arena_alloc(&s.arena, (size_t)length, sizeof *work);
      assert_non_null(work);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
          assert_true(full[i * n + j] == full[j * n + i]);
      dsyev_("N", "U", &n, full, &n, eigenvalue, work, &length, &info);
      assert_int_equal(info, 0);
      for (int i = 0; i < s.rows; ++i)
        mass = fmin(mass, s.mass[i]);
      assert_true(eigenvalue[0] > 0.999 * mass); // M plus something semi-definite
      assert_true(eigenvalue[n - 1] > 3 * mass);
      sheet_system_free(&s);
    }
}

static void right_hand_side_is_the_impulse(void **state) {
  (void)state;
  sheet_options options = small_options(1);
  options.wave = 0;
  sheet_system s = create(&options);
  for (size_t i = 0; i < unknowns(&s); ++i)
    assert_close(s.b[i], i % 3 == 1 ? -9.81 * options.time_step * s.mass[i / 3] : 0, 1e-12);
  sheet_system_free(&s);
}

static void boundaries_hold_the_right_vertices(void **state) {
  (void)state;
  const int expected[] = {0, 20, 12};
  for (int boundary = SHEET_FREE; boundary <= SHEET_DROOPING; ++boundary) {
    sheet_options options = small_options(0);
    options.boundary = (sheet_boundary)boundary;
    sheet_system s = create(&options);
    assert_int_equal(s.constraint_count, expected[boundary]);
    for (int k = 0; k < s.constraint_count; ++k) {
      double x = s.rest[3 * s.constraint[k].node], z = s.rest[3 * s.constraint[k].node + 2];
      int on_side = x == 0 || x == 1, on_end = z == 0 || z == 1;
      assert_true(boundary == SHEET_DROOPING ? on_side : on_side || on_end);
      assert_int_equal(s.constraint[k].count, 3);
      for (int d = 0; d < 9; ++d)
        assert_true(s.constraint[k].direction[d / 3][d % 3] == (d % 4 == 0 ? 1 : 0));
    }
    sheet_system_free(&s);
  }
}

static void bits_do_not_depend_on_threads(void **state) {
  (void)state;
  sheet_options options = small_options(1);
  options.side = 61;
  sheet_system one, many;
  mus_par_set_threads(1);
  one = create(&options);
  mus_par_set_threads(7);
  many = create(&options);
  mus_par_set_threads(0);
  assert_memory_equal(one.a.value, many.a.value, mus_matrix_values(&one.a) * sizeof(double));
  assert_memory_equal(one.b, many.b, unknowns(&one) * sizeof(double));
  sheet_system_free(&one);
  sheet_system_free(&many);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  sheet_options bad[6];
  for (int i = 0; i < 6; ++i)
    bad[i] = small_options(0);
  bad[0].side = 1;
  bad[1].side = 1 << 20;
  bad[2].time_step = 0;
  bad[3].stretch = -1;
  bad[4].density = NAN;
  bad[5].wave = INFINITY;
  for (int i = 0; i < 6; ++i) {
    sheet_system system;
    assert_int_equal(sheet_system_create(&bad[i], &system), MUS_BAD_INPUT);
    assert_true(strlen(mus_last_error()) > 0);
    assert_null(system.arena.newest);
  }
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  sheet_options options = small_options(0);
  sheet_system system;
  mus_status status = MUS_OUT_OF_MEMORY;
  int attempts = 0;
  for (; status && attempts < 1000; ++attempts) {
    mus_memory_fail_after(attempts);
    status = sheet_system_create(&options, &system);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
    if (status)
      assert_null(system.arena.newest);
  }
  mus_memory_fail_after(-1);
  assert_int_equal(status, MUS_OK);
  assert_true(attempts > 10);
  sheet_system_free(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_add_up_to_the_sheet),
      cmocka_unit_test(interior_rows_have_thirteen_blocks),
      cmocka_unit_test(irregular_triangles_stay_upright),
      cmocka_unit_test(hinges_join_the_triangles),
      cmocka_unit_test(force_is_minus_the_gradient_of_the_energy),
      cmocka_unit_test(matrix_is_the_derivative_of_the_force_at_rest),
      cmocka_unit_test(translations_feel_only_the_mass),
      cmocka_unit_test(rotations_are_nearly_free),
      cmocka_unit_test(wave_couples_the_directions),
      cmocka_unit_test(matrix_is_symmetric_positive_definite),
      cmocka_unit_test(right_hand_side_is_the_impulse),
      cmocka_unit_test(boundaries_hold_the_right_vertices),
      cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test(bad_options_are_refused),
      cmocka_unit_test(failing_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
