// Points that go along with a lattice: what is reproduced exactly, the adjoint, and continuity from cell to cell.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector3.h"
#include "lattice/embed.h"
#include "lattice/extend.h"
#include "par/par.h"
#include "support/check.h"
#include "support/sweep.h"

// A ball of cells, or a box of them, with room around it, and displacements.
typedef struct solid {
  mus_arena arena;
  mus_cells cells;
  double *u[3], *f[3];
} solid;

enum { SIDE = 16 };

static void make_solid(solid *s, int ball) {
  memset(s, 0, sizeof *s);
  s->cells = (mus_cells){.count = {SIDE + 2, SIDE, SIDE + 1}, .low = {-0.3, 1.1, 0.2}, .spacing = 0.13};
  size_t total = mus_cells_total(&s->cells);
  s->cells.kind = mus_arena_alloc_zero(&s->arena, total, 1);
  for (int a = 0; a < 3; ++a) {
    s->u[a] = mus_arena_alloc_zero(&s->arena, total, sizeof(double));
    s->f[a] = mus_arena_alloc_zero(&s->arena, total, sizeof(double));
  }
  for (int k = 2; k < s->cells.count[2] - 2; ++k)
    for (int j = 2; j < s->cells.count[1] - 2; ++j)
      for (int i = 2; i < s->cells.count[0] - 2; ++i)
        if (!ball || hypot(hypot(i - 8.3, j - 7.6), k - 7.9) < 5.6)
          s->cells.kind[mus_cells_number(&s->cells, i, j, k)] = i < 5 && ball ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
}

static void free_solid(solid *s) { mus_arena_clear(&s->arena); }

typedef double field(int component, const double x[3]); // x in metres

static double affine(int a, const double x[3]) {
  static const double slope[3][3] = {{0.3, -0.7, 0.2}, {1.1, 0.4, -0.6}, {-0.2, 0.9, 0.5}};
  return 0.1 * (a + 1) + mus_dot3(slope[a], x);
}

static double quadratic(int a, const double x[3]) {
  return affine(a, x) + x[0] * x[1] - 0.7 * x[2] * x[2] + a * x[0] * x[2] + x[1] * x[1];
}

static double bent(int a, const double x[3]) { return 0.2 * sin(3 * x[(a + 1) % 3] + a) * cos(2 * x[(a + 2) % 3]); }

// Where the component along `a` lies in cell (i, j, k).
static void node(const mus_cells *cells, int a, int i, int j, int k, double x[3]) {
  const int cell[3] = {i, j, k};
  for (int c = 0; c < 3; ++c)
    x[c] = cells->low[c] + cells->spacing * (cell[c] + (c == a ? 0 : 0.5));
}

// Known displacements from a field; all others are such that whoever reads them is found out.
static void set(solid *s, field *f) {
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->cells.count[2]; ++k)
      for (int j = 0; j < s->cells.count[1]; ++j)
        for (int i = 0; i < s->cells.count[0]; ++i) {
          size_t cell = mus_cells_number(&s->cells, i, j, k);
          double x[3];
          node(&s->cells, a, i, j, k, x);
          s->u[a][cell] = mus_extend_is_known(&s->cells, a, cell) ? f(a, x) : NAN;
        }
}

enum { POINTS = 3000 };

// Random points in cells that are not exterior: `deep` cells around them are not either.
static int random_points(const solid *s, int deep, int most, double *x) {
  int count = 0;
  for (uint64_t n = 0; count < most && n < 1000000; ++n) {
    int cell[3], inside = 1;
    for (int a = 0; a < 3; ++a) {
      double at = (0.5 + 0.5 * mus_random(11, 3 * n + (uint64_t)a)) * (s->cells.count[a] - 4) + 2;
      x[3 * count + a] = s->cells.low[a] + s->cells.spacing * at;
      cell[a] = (int)at;
    }
    for (int k = -deep; k <= deep; ++k)
      for (int j = -deep; j <= deep; ++j)
        for (int i = -deep; i <= deep; ++i)
          inside &= s->cells.kind[mus_cells_number(&s->cells, cell[0] + i, cell[1] + j, cell[2] + k)] != 0;
    count += inside;
  }
  assert_int_equal(count, most);
  return count;
}

static mus_embedding *embed(const solid *s, mus_embed_order order, int points, const double *x) {
  mus_embedding *e;
  assert_ok(mus_embedding_create(&s->cells, order, points, x, &e));
  return e;
}

static void affine_fields_are_exact_up_to_the_border(void **state) {
  (void)state;
  static double x[3 * POINTS], got[3 * POINTS], slope[9 * POINTS];
  for (int ball = 0; ball < 2; ++ball)
    for (int order = 0; order < 2; ++order) {
      solid s;
      make_solid(&s, ball);
      random_points(&s, 0, POINTS, x);
      mus_embedding *e = embed(&s, (mus_embed_order)order, POINTS, x);
      set(&s, affine);
      mus_embedding_extend(e, s.u);
      mus_embedding_displacements(e, (const double *const *)s.u, got);
      mus_embedding_gradients(e, (const double *const *)s.u, slope);
      for (int i = 0; i < 3 * POINTS; ++i)
        assert_true(fabs(got[i] - affine(i % 3, x + i / 3 * 3)) < 1e-11);
      for (int i = 0; i < 9 * POINTS; ++i) {
        double step[3] = {0}, zero[3] = {0};
        step[i % 3] = 1;
        assert_true(fabs(slope[i] - (affine(i / 3 % 3, step) - affine(i / 3 % 3, zero))) < 1e-10);
      }
      mus_embedding_free(e);
      free_solid(&s);
    }
}

static void quadratic_fields_are_exact_inside_where_cubic(void **state) {
  (void)state;
  static double x[3 * POINTS], got[3 * POINTS];
  for (int order = 0; order < 2; ++order) {
    solid s;
    make_solid(&s, 0);
    random_points(&s, 2, POINTS, x);
    mus_embedding *e = embed(&s, (mus_embed_order)order, POINTS, x);
    set(&s, quadratic);
    mus_embedding_extend(e, s.u);
    mus_embedding_displacements(e, (const double *const *)s.u, got);
    double worst = 0;
    for (int i = 0; i < 3 * POINTS; ++i)
      worst = fmax(worst, fabs(got[i] - quadratic(i % 3, x + i / 3 * 3)));
    assert_true(order ? worst < 1e-12 : worst > 1e-3);
    mus_embedding_free(e);
    free_solid(&s);
  }
}

static double cube(int a, const double x[3]) {
  (void)a;
  return x[0] * x[0] * x[0];
}

// Central differences of x^3 are too large by h^2, so that the interpolant is off by h^3 t (1 - t)(1 - 2t).
static void cubic_fields_are_off_by_what_differences_are(void **state) {
  (void)state;
  static double x[3 * POINTS], got[3 * POINTS];
  solid s;
  make_solid(&s, 0);
  random_points(&s, 2, POINTS, x);
  mus_embedding *e = embed(&s, MUS_EMBED_CUBIC, POINTS, x);
  double h = s.cells.spacing;
  set(&s, cube);
  mus_embedding_extend(e, s.u);
  mus_embedding_displacements(e, (const double *const *)s.u, got);
  for (int i = 0; i < 3 * POINTS; ++i) {
    double at = (x[i / 3 * 3] - s.cells.low[0]) / h - (i % 3 == 0 ? 0 : 0.5), t = at - floor(at);
    double wanted = pow(x[i / 3 * 3], 3) + h * h * h * t * (1 - t) * (1 - 2 * t);
    assert_true(fabs(got[i] - wanted) < 1e-12);
  }
  mus_embedding_free(e);
  free_solid(&s);
}

static void forces_are_spread_by_the_transpose(void **state) {
  (void)state;
  static double x[3 * POINTS], got[3 * POINTS], force[3 * POINTS];
  for (int order = 0; order < 2; ++order) {
    solid s;
    make_solid(&s, 1);
    random_points(&s, 0, POINTS, x);
    mus_embedding *e = embed(&s, (mus_embed_order)order, POINTS, x);
    size_t total = mus_cells_total(&s.cells);
    double left = 0, right = 0, sum[3] = {0}, spread[3] = {0};
    for (int i = 0; i < 3 * POINTS; ++i) {
      force[i] = mus_random(3, (uint64_t)i);
      sum[i % 3] += force[i];
    }
    for (int a = 0; a < 3; ++a)
      for (size_t c = 0; c < total; ++c) {
        s.u[a][c] = mus_extend_is_known(&s.cells, a, c) ? mus_random(5, 3 * c + (size_t)a) : NAN;
        s.f[a][c] = NAN; // whatever was there
      }
    mus_embedding_extend(e, s.u);
    mus_embedding_displacements(e, (const double *const *)s.u, got);
    mus_embedding_spread(e, force, s.f);
    for (int i = 0; i < 3 * POINTS; ++i)
      left += force[i] * got[i];
    for (int a = 0; a < 3; ++a)
      for (size_t c = 0; c < total; ++c) {
        if (!mus_extend_is_known(&s.cells, a, c)) {
          assert_true(s.f[a][c] == 0);
          continue;
        }
        right += s.f[a][c] * s.u[a][c];
        spread[a] += s.f[a][c];
      }
    assert_true(fabs(left - right) < 1e-10 * fabs(left));
    for (int a = 0; a < 3; ++a) // a translation is reproduced, so nothing of a force is lost
      assert_true(fabs(sum[a] - spread[a]) < 1e-9);
    mus_embedding_free(e);
    free_solid(&s);
  }
}

// On either side of planes between nodes: values agree, and derivatives too where the interpolant is cubic.
static void interpolants_are_as_smooth_as_they_should(void **state) {
  (void)state;
  enum { PAIRS = 1500 };
  static double x[3 * POINTS], value[3 * POINTS], slope[9 * POINTS], normal[3 * POINTS], turned[3 * POINTS];
  const double apart = 1e-9;
  for (int order = 0; order < 2; ++order) {
    solid s;
    double worst = 0, angle = 0;
    make_solid(&s, 1);
    random_points(&s, 0, PAIRS, x + 3 * PAIRS);
    for (int p = 0; p < PAIRS; ++p) {
      double *low = x + 6 * p, *high = low + 3, at[3];
      memmove(at, x + 3 * PAIRS + 3 * p, sizeof at);
      double *along = &at[p % 3]; // onto a plane of nodes or of cells
      *along = s.cells.low[p % 3] + s.cells.spacing * 0.5 * floor((*along - s.cells.low[p % 3]) / s.cells.spacing * 2);
      memcpy(low, at, sizeof at);
      memcpy(high, at, sizeof at);
      low[p % 3] -= apart;
      high[p % 3] += apart;
      double n[3] = {mus_random(1, (uint64_t)(3 * p)), mus_random(1, (uint64_t)(3 * p + 1)), 1.1};
      memcpy(normal + 6 * p, n, sizeof n);
      memcpy(normal + 6 * p + 3, n, sizeof n);
    }
    mus_embedding *e = embed(&s, (mus_embed_order)order, 2 * PAIRS, x);
    set(&s, bent);
    mus_embedding_extend(e, s.u);
    mus_embedding_displacements(e, (const double *const *)s.u, value);
    mus_embedding_gradients(e, (const double *const *)s.u, slope);
    mus_embedding_normals(e, (const double *const *)s.u, normal, turned);
    for (int p = 0; p < PAIRS; ++p) {
      double crossed[3];
      for (int a = 0; a < 3; ++a)
        assert_true(fabs(value[6 * p + a] - value[6 * p + 3 + a]) < 1e-7);
      for (int a = 0; a < 9; ++a)
        worst = fmax(worst, fabs(slope[18 * p + a] - slope[18 * p + 9 + a]));
      mus_cross3(turned + 6 * p, turned + 6 * p + 3, crossed);
      angle = fmax(angle, mus_length3(crossed));
    }
    assert_true(order ? worst < 1e-6 : worst > 0.05);
    assert_true(order ? angle < 1e-6 : angle > 0.05); // 3 degrees and more
    mus_embedding_free(e);
    free_solid(&s);
  }
}

static double turning(int a, const double x[3]) {
  static const double r[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  return mus_dot3(r[a], x) - x[a];
}

static double shearing(int a, const double x[3]) { return a == 0 ? 2 * x[1] : 0; }

static void normals_turn_with_the_solid(void **state) {
  (void)state;
  static double x[3 * POINTS], normal[3 * POINTS], got[3 * POINTS];
  solid s;
  make_solid(&s, 1);
  random_points(&s, 0, POINTS, x);
  mus_embedding *e = embed(&s, MUS_EMBED_CUBIC, POINTS, x);
  for (int i = 0; i < 3 * POINTS; ++i)
    normal[i] = i % 3 == 1 ? 1 : 0;
  set(&s, turning);
  mus_embedding_extend(e, s.u);
  mus_embedding_normals(e, (const double *const *)s.u, normal, got);
  for (int p = 0; p < POINTS; ++p)
    for (int a = 0; a < 3; ++a) {
      double y[3] = {0, 1, 0};
      assert_true(fabs(got[3 * p + a] - (turning(a, y) + y[a])) < 1e-10);
    }
  for (int i = 0; i < 3 * POINTS; ++i) // x = const leans when y is sheared along x
    normal[i] = i % 3 == 0 ? 1 : 0;
  set(&s, shearing);
  mus_embedding_extend(e, s.u);
  mus_embedding_normals(e, (const double *const *)s.u, normal, got);
  for (int p = 0; p < POINTS; ++p) {
    assert_true(fabs(got[3 * p] - 1 / sqrt(5)) < 1e-10);
    assert_true(fabs(got[3 * p + 1] + 2 / sqrt(5)) < 1e-10);
  }
  mus_embedding_free(e);
  free_solid(&s);
}

static void threads_change_nothing(void **state) {
  (void)state;
  static double x[3 * POINTS], force[3 * POINTS], got[2][3 * POINTS];
  solid s[2];
  for (int run = 0; run < 2; ++run) {
    int before = mus_par_set_threads(run ? 3 : 1);
    make_solid(&s[run], 1);
    random_points(&s[run], 0, POINTS, x);
    mus_embedding *e = embed(&s[run], MUS_EMBED_CUBIC, POINTS, x);
    for (int i = 0; i < 3 * POINTS; ++i)
      force[i] = mus_random(3, (uint64_t)i);
    set(&s[run], bent);
    mus_embedding_extend(e, s[run].u);
    mus_embedding_displacements(e, (const double *const *)s[run].u, got[run]);
    mus_embedding_spread(e, force, s[run].f);
    mus_embedding_free(e);
    mus_par_set_threads(before);
  }
  assert_memory_equal(got[0], got[1], sizeof got[0]);
  for (int a = 0; a < 3; ++a)
    assert_memory_equal(s[0].f[a], s[1].f[a], mus_cells_total(&s[0].cells) * sizeof(double));
  free_solid(&s[0]);
  free_solid(&s[1]);
}

static void points_that_cannot_be_are_rejected(void **state) {
  (void)state;
  solid s;
  mus_embedding *e;
  make_solid(&s, 0);
  double x[6] = {s.cells.low[0] + 0.5, s.cells.low[1] + 0.5, s.cells.low[2] + 0.5, 40, 0, 0};
  assert_fails(mus_embedding_create(&s.cells, MUS_EMBED_CUBIC, 2, x, &e), MUS_BAD_INPUT, "point 1");
  x[3] = NAN;
  assert_fails(mus_embedding_create(&s.cells, MUS_EMBED_CUBIC, 2, x, &e), MUS_BAD_INPUT, "outside");
  memset(s.cells.kind, 0, mus_cells_total(&s.cells));
  assert_fails(mus_embedding_create(&s.cells, MUS_EMBED_LINEAR, 1, x, &e), MUS_BAD_INPUT, "cells away");
  e = embed(&s, MUS_EMBED_LINEAR, 0, x); // none at all are fine
  mus_embedding_spread(e, x, s.f);
  mus_embedding_free(e);
  free_solid(&s);
}

static void a_point_on_the_last_border_is_reached(void **state) {
  (void)state;
  solid s;
  double got[3], x[3];
  make_solid(&s, 0);
  for (int a = 0; a < 3; ++a)
    x[a] = s.cells.low[a] + s.cells.spacing * (s.cells.count[a] - 2);
  for (int order = 0; order < 2; ++order) {
    mus_embedding *e = embed(&s, (mus_embed_order)order, 1, x);
    set(&s, affine);
    mus_embedding_extend(e, s.u);
    mus_embedding_displacements(e, (const double *const *)s.u, got);
    for (int a = 0; a < 3; ++a)
      assert_true(fabs(got[a] - affine(a, x)) < 1e-11);
    mus_embedding_free(e);
  }
  free_solid(&s);
}

static mus_status embed_once(mus_arena *arena, void *data) {
  static double x[3 * 20];
  solid *s = data;
  mus_embedding *e = NULL;
  (void)arena;
  random_points(s, 0, 20, x);
  mus_status status = mus_embedding_create(&s->cells, MUS_EMBED_CUBIC, 20, x, &e);
  mus_embedding_free(status ? NULL : e);
  return status;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  solid s;
  make_solid(&s, 1);
  assert_true(sweep_allocations(&arena, embed_once, &s) > 10);
  mus_arena_clear(&arena);
  free_solid(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(affine_fields_are_exact_up_to_the_border),
      cmocka_unit_test(quadratic_fields_are_exact_inside_where_cubic),
      cmocka_unit_test(cubic_fields_are_off_by_what_differences_are),
      cmocka_unit_test(forces_are_spread_by_the_transpose),
      cmocka_unit_test(interpolants_are_as_smooth_as_they_should),
      cmocka_unit_test(normals_turn_with_the_solid),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(points_that_cannot_be_are_rejected),
      cmocka_unit_test(a_point_on_the_last_border_is_reached),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
