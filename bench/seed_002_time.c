// Figure 11: residuals against processor time, of conjugate gradients and of multigrid, on one thread.
//
// Conjugate gradients solve the definite system of displacements alone (lattice/conjugate.h). Multigrid solves until
// the residual of that system is as small.
#include "base/error.h"
#include "lattice/conjugate.h"
#include "par/par.h"
#include "seed_002.h"

enum { MOST = 4000, METHODS = 3 };
typedef struct history {
  int count;
  double seconds[MOST + 1], residual[MOST + 1];
} history;

static const char *const method_names[METHODS] = {"CG", "CG with Jacobi", "multigrid"};

// A box with one end moved.
static mus_status create(const mus_cells *cells, double poisson, mus_lattice **out) {
  mus_lattice_material material = {.young = 1e5, .poisson = poisson};
  mus_status status = mus_lattice_create(cells, &material, NULL, out);
  if (!status)
    move_end(*out, cells);
  return status;
}

static void keep(const mus_lattice_record *record, double seconds, history *out) {
  out->count = record->cycles + 1;
  for (int k = 0; k <= record->cycles; ++k) {
    out->seconds[k] = seconds * k / (record->cycles > 0 ? record->cycles : 1);
    out->residual[k] = record->residuals[k] / record->residuals[0];
  }
}

// `first` becomes the norm of the first residual.
static mus_status run_cg(const mus_cells *cells, double poisson, int jacobi, double tolerance, double *first,
                         history *out) {
  mus_lattice_record record;
  mus_lattice *lattice;
  mus_status status = create(cells, poisson, &lattice);
  if (status)
    return status;
  double begin = processor_seconds();
  status = mus_lattice_solve_cg(lattice, jacobi, tolerance, MOST, &record);
  double seconds = processor_seconds() - begin;
  *first = record.reference;
  if (!status)
    keep(&record, seconds, out);
  mus_lattice_free(lattice);
  return status;
}

// The norm of the residual of displacements alone: that of conjugate gradients which do not begin.
static mus_status reduced_residual(mus_lattice *lattice, double *size) {
  mus_lattice_record record;
  mus_status status = mus_lattice_solve_cg(lattice, 0, 1e-300, 0, &record);
  *size = record.reference;
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

// Solves to lower and lower tolerances, until the residual of the reduced system is below `tolerance` as well.
static mus_status run_multigrid(const mus_cells *cells, double poisson, double first, double tolerance, history *out) {
  mus_status status = MUS_OK;
  double left = first;
  for (double asked = tolerance; left > tolerance * first && !status; asked /= 3) {
    mus_lattice_record record;
    mus_lattice *lattice;
    status = create(cells, poisson, &lattice);
    if (status)
      break;
    double begin = processor_seconds();
    status = mus_lattice_solve(lattice, asked, 100, &record);
    double seconds = processor_seconds() - begin;
    if (!status) {
      keep(&record, seconds, out);
      status = reduced_residual(lattice, &left);
    }
    mus_lattice_free(lattice);
  }
  return status;
}

static mus_status measure(int side, double poisson, history *all) {
  mus_arena arena = {0};
  mus_cells cells;
  double tolerance = 1e-6, first[2] = {0};
  mus_status status = held_box(&arena, side, &cells);
  for (int jacobi = 1; jacobi >= 0 && !status; --jacobi)
    status = run_cg(&cells, poisson, jacobi, tolerance, &first[jacobi], &all[jacobi]);
  if (!status)
    status = run_multigrid(&cells, poisson, first[0], tolerance, &all[2]);
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
