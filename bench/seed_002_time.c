// Figure 11: residuals against processor time, of conjugate gradients and of multigrid, on one thread.
//
// Conjugate gradients solve the definite system of displacements alone, -(L_u - G D_p^-1 G^T) u = f, with the operator
// that the lattice solver has: pressures from displacements, then the residual of lattice/level.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "krylov/cg.h"
#include "lattice/level.h"
#include "par/par.h"
#include "par/vector.h"
#include "seed_002.h"

typedef struct reduced {
  const mus_lattice_domain *domain;
  mus_lattice_level level;
  size_t size; // of a vector: 3 fields, 0 where nothing is unknown
  double *inverse;
} reduced;

static double cell_diagonal(const reduced *s, size_t cell) {
  int given = 3;
  for (int a = 0; a < 3; ++a)
    given -= mus_lattice_is(s->domain, cell, (uint32_t)MUS_LATTICE_NORMAL << a);
  return s->level.compressibility + given / 2.0;
}

// p = -D_p^-1 G^T u
static void take_pressures(const reduced *s, const mus_lattice_level *l) {
  const mus_lattice_domain *d = s->domain;
  size_t up = d->stride[1], back = d->stride[2];
  double regular = -1 / s->level.compressibility;
  for (int row = 0; row < mus_lattice_rows(d); ++row)
    for (size_t n = (size_t)row * up + (size_t)d->begin[row]; n < (size_t)row * up + (size_t)d->end[row]; ++n)
      if (mus_lattice_is(d, n, MUS_LATTICE_REGULAR_P)) {
        l->x[3][n] =
            regular * (l->x[0][n + 1] - l->x[0][n] + l->x[1][n + up] - l->x[1][n] + l->x[2][n + back] - l->x[2][n]);
      } else if (mus_lattice_is(d, n, MUS_LATTICE_SOLID)) {
        double sum = 0;
        for (int a = 0; a < 3; ++a)
          if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_NORMAL << a))
            sum += l->x[a][n + d->stride[a]] - l->x[a][n];
        l->x[3][n] = -sum / cell_diagonal(s, n);
      }
}

static void multiply(const void *self, const double *x, double *y) {
  const reduced *s = self;
  mus_lattice_level l = s->level;
  size_t field = mus_lattice_field(s->domain);
  for (size_t a = 0; a < 3; ++a) {
    l.x[a] = (double *)x + a * field; // only read
    l.r[a] = y + a * field;
  }
  take_pressures(s, &l);
  mus_lattice_residual(&l);
}

static void apply_diagonal(void *self, const double *r, double *z) {
  const reduced *s = self;
  for (size_t n = 0; n < s->size; ++n)
    z[n] = s->inverse[n] * r[n];
}

static double diagonal(const reduced *s, size_t n, int a) {
  const mus_lattice_domain *d = s->domain;
  const size_t cell[2] = {n, n - d->stride[a]};
  double sum = 0;
  for (int k = 0; k < 2; ++k)
    if (mus_lattice_is(d, cell[k], (uint32_t)MUS_LATTICE_NORMAL << a))
      sum += 2 + 1 / cell_diagonal(s, cell[k]);
  for (int b = 0; b < 3; ++b)
    if (b != a)
      sum += mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b)) +
             mus_lattice_is(d, n + d->stride[b], (uint32_t)MUS_LATTICE_SHEAR << (3 - a - b));
  return sum;
}

static mus_status create_reduced(mus_arena *arena, const mus_lattice_domain *d, double poisson, reduced *out) {
  size_t field = mus_lattice_field(d);
  *out = (reduced){.domain = d, .size = 3 * field, .inverse = mus_arena_alloc_zero(arena, 3 * field, sizeof(double))};
  mus_status status = out->inverse
                          ? mus_lattice_level_create(arena, d, (1 - 2 * poisson) / (2 * poisson), 0, &out->level)
                          : mus_fail_memory();
  for (size_t n = 0; n < d->cells && !status; ++n)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        out->inverse[(size_t)a * field + n] = 1 / diagonal(out, n, a);
  return status;
}

// The displacements of a lattice as one vector.
static void gather(mus_lattice *lattice, double *x) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  for (size_t a = 0; a < 3; ++a)
    memcpy(x + a * mus_lattice_field(d), mus_lattice_displacement(lattice, (int)a), d->cells * sizeof *x);
}

enum { MOST = 4000, METHODS = 3 };
typedef struct history {
  int count;
  double seconds[MOST + 1], residual[MOST + 1];
} history;

static const char *const method_names[METHODS] = {"CG", "CG with Jacobi", "multigrid"};

static mus_status run_cg(const reduced *s, const double *right, int jacobi, double tolerance, history *out) {
  mus_arena scratch = {0};
  mus_cg_options options = {.tolerance = tolerance, .iterations = MOST};
  mus_cg_result result = {.residuals = out->residual};
  double *x = mus_arena_alloc_zero(&scratch, s->size, sizeof *x);
  double *work = mus_arena_alloc_zero(&scratch, MUS_CG_VECTORS * s->size, sizeof *work);
  reduced one = *s;
  mus_operator a = {.space = &mus_host, .size = s->size, .self = s, .multiply = multiply};
  mus_preconditioner m = {.self = jacobi ? (void *)s : (void *)&one, .apply = apply_diagonal};
  mus_status status = x && work ? MUS_OK : mus_fail_memory();
  if (!status && !jacobi) {
    one.inverse = mus_arena_alloc(&scratch, s->size, sizeof *one.inverse);
    if (one.inverse)
      mus_fill(s->size, 1, one.inverse);
    else
      status = mus_fail_memory();
  }
  double begin = processor_seconds();
  if (!status)
    status = mus_pcg(&a, NULL, &m, right, x, &options, work, &result);
  double each = (processor_seconds() - begin) / (result.iterations > 0 ? result.iterations : 1);
  if (status == MUS_NOT_CONVERGED)
    status = MUS_OK;
  out->count = result.iterations + 1;
  for (int k = out->count - 1; k >= 0; --k) {
    out->seconds[k] = each * k;
    out->residual[k] /= out->residual[0];
  }
  mus_arena_clear(&scratch);
  return status;
}

// Solves to lower and lower tolerances, until the residual of the reduced system is below `tolerance` as well.
static mus_status run_multigrid(const mus_cells *cells, double poisson, const reduced *s, double first,
                                double tolerance, double *x, double *y, history *out) {
  mus_status status = MUS_OK;
  double left = 1;
  for (double asked = tolerance; left > tolerance && !status; asked /= 3) {
    mus_lattice_material material = {.young = 1e5, .poisson = poisson};
    mus_lattice_record record;
    mus_lattice *lattice;
    status = mus_lattice_create(cells, &material, NULL, &lattice);
    if (status)
      break;
    move_end(lattice, cells);
    double begin = processor_seconds();
    status = mus_lattice_solve(lattice, asked, 100, &record);
    double seconds = processor_seconds() - begin;
    gather(lattice, x);
    mus_fill(s->size, 0, y);
    multiply(s, x, y);
    left = sqrt(mus_dot(s->size, y, y)) / first;
    out->count = record.cycles + 1;
    for (int k = 0; k <= record.cycles; ++k) {
      out->seconds[k] = seconds * k / record.cycles;
      out->residual[k] = record.residuals[k] / record.residuals[0];
    }
    mus_lattice_free(lattice);
  }
  return status;
}

static mus_status measure(int side, double poisson, history *all) {
  mus_arena arena = {0};
  mus_cells cells;
  mus_lattice *lattice = NULL;
  reduced s;
  double tolerance = 1e-6;
  mus_lattice_material material = {.young = 1e5, .poisson = poisson};
  mus_status status = held_box(&arena, side, &cells);
  if (!status)
    status = mus_lattice_create(&cells, &material, NULL, &lattice);
  if (!status)
    status = create_reduced(&arena, mus_lattice_get_domain(lattice), poisson, &s);
  double *x = status ? NULL : mus_arena_alloc_zero(&arena, s.size, sizeof *x);
  double *y = status ? NULL : mus_arena_alloc_zero(&arena, s.size, sizeof *y);
  if (!status && (!x || !y))
    status = mus_fail_memory();
  if (!status) {
    move_end(lattice, &cells);
    gather(lattice, x);
    multiply(&s, x, y);
    mus_scale(s.size, -1, y);
    double first = sqrt(mus_dot(s.size, y, y));
    for (int jacobi = 0; jacobi < 2 && !status; ++jacobi)
      status = run_cg(&s, y, jacobi, tolerance, &all[jacobi]);
    if (!status)
      status = run_multigrid(&cells, poisson, &s, first, tolerance, x, y, &all[2]);
  }
  mus_lattice_free(lattice);
  mus_arena_clear(&arena);
  return status;
}

static mus_status draw(const study *s, int side, const history *all) {
  char file[64], title[96];
  chart_series series[2 * METHODS];
  static const char *const names[2 * METHODS] = {"CG, 0.25", "CG with Jacobi, 0.25", "multigrid, 0.25",
                                                 "CG, 0.45", "CG with Jacobi, 0.45", "multigrid, 0.45"};
  for (int k = 0; k < 2 * METHODS; ++k)
    series[k] = (chart_series){
        names[k],       chart_colours[k % METHODS], k >= METHODS, 0, k % METHODS < 2, all[k].count, all[k].seconds,
        all[k].residual};
  snprintf(file, sizeof file, "figure-11-%d", side);
  snprintf(title, sizeof title, "Figure 11: residuals against time, %d^3", side);
  chart figure = {.title = title,
                  .subtitle = "one thread, by method and Poisson's ratio",
                  .x = {"processor time", CHART_SECONDS, 1, 0, 0},
                  .y = {"relative residual", CHART_NUMBER, 1, 1e-6, 1}};
  return draw_chart(s, file, &figure, series, 2 * METHODS);
}

mus_status figure_11(study *s) {
  static const double poisson[2] = {0.25, 0.45};
  static history all[2 * METHODS];
  figure_table t;
  mus_status status = MUS_OK;
  mus_par_set_threads(1);
  table_begin(s, &t, "figure-11", "Figure 11: time to a residual of 1e-6",
              "Boxes whose ends are held, one of them moved, from rest: processor time on one thread, without set-up. "
              "Residuals are those "
              "of the definite system of displacements alone, relative to the first.",
              "cells|Poisson's ratio|method|iterations|seconds|times multigrid");
  for (int side = s->quick ? 16 : 32; side <= (s->quick ? 16 : 64) && !status; side *= 2) {
    for (int k = 0; k < 2 && !status; ++k) {
      status = measure(side, poisson[k], all + METHODS * k);
      for (int m = 0; m < METHODS && !status; ++m) {
        const history *h = &all[METHODS * k + m], *best = &all[METHODS * k + METHODS - 1];
        table_row(&t, "%d^3|%g|%s|%d|%.3f|%.1f", side, poisson[k], method_names[m], h->count - 1,
                  h->seconds[h->count - 1], h->seconds[h->count - 1] / best->seconds[best->count - 1]);
      }
    }
    if (!status)
      status = draw(s, side, all);
  }
  mus_par_set_threads(s->threads);
  mus_status ended = table_end(&t);
  return status ? status : ended;
}
