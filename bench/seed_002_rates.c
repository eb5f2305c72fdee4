// Figure 10: rates at which cycles converge, beside multigrid with Gauss-Seidel for the same solid.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fill/body_cells.h"
#include "fill/held_cells.h"
#include "io/mesh_file.h"
#include "reference_solids.h"
#include "seed_002.h"

enum { RATIOS = 5, CYCLES = 20 };
static const double ratios[RATIOS] = {0.2, 0.45, 0.49, 0.4999, 0.4999999};

// mu / lambda
static double compressibility(double poisson) { return (1 - 2 * poisson) / (2 * poisson); }

// Over the last half of the cycles down to `least`, where rounding is not yet seen.
static double late_rate(const double *residuals, int cycles, double least) {
  int last = 0;
  while (last < cycles && residuals[last + 1] > least)
    ++last;
  last = last < cycles ? last + 1 : cycles;
  return pow(residuals[last] / residuals[last / 2], 1.0 / (last - last / 2));
}

// --- the lattice solver ---------------------------------------------------------------------------------------------

// V-cycles by themselves, as the paper has them; K-cycles by themselves; and K-cycles that are combined, the default.
enum { V_CYCLES, K_CYCLES, DEFAULT, WAYS };

static mus_lattice_options options_of(int way) {
  mus_lattice_options options = mus_lattice_default_options();
  if (way == V_CYCLES)
    options.visits = 1;
  if (way != DEFAULT)
    options.directions = 0;
  return options;
}

static mus_status solve(const mus_cells *cells, const mus_lattice_material *material, int way, double *residuals,
                        int *done) {
  mus_lattice_options options = options_of(way);
  mus_lattice_record record;
  mus_lattice *lattice;
  mus_status status = mus_lattice_create(cells, material, &options, &lattice);
  if (status)
    return status;
  move_end(lattice, cells);
  randomise(lattice, 0.1);
  status = mus_lattice_solve(lattice, 1e-10, CYCLES, &record);
  *done = record.cycles;
  for (int k = 0; k <= record.cycles; ++k)
    residuals[k] = record.residuals[k] / record.residuals[0];
  mus_lattice_free(lattice);
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

static mus_status box_rates(figure_table *t, int side) {
  mus_arena arena = {0};
  mus_cells cells;
  mus_status status = held_box(&arena, side, &cells);
  for (int k = 0; k < RATIOS && !status; ++k) {
    mus_lattice_material material = {.young = 1e5, .poisson = ratios[k]};
    double residuals[CYCLES + 1], rate[WAYS];
    int done;
    for (int way = 0; way < WAYS && !status; ++way) {
      status = solve(&cells, &material, way, residuals, &done);
      rate[way] = late_rate(residuals, done, 1e-10);
    }
    if (!status)
      table_row(t, "%d^3|%.7g|%.3f|%.3f|%.3f", side, material.poisson, rate[V_CYCLES], rate[K_CYCLES], rate[DEFAULT]);
  }
  mus_arena_clear(&arena);
  return status;
}

static mus_status rates_of_boxes(study *s) {
  figure_table t;
  mus_status status = MUS_OK;
  table_begin(
      s, &t, "figure-10-boxes", "Figure 10: rates on boxes",
      "Boxes whose ends are held, from random displacements: the factor of the residual per cycle over the "
      "last half of the cycles to 1e-10, at most 20, of V(1,1)-cycles and K-cycles by themselves, and of K-cycles that "
      "are combined, the default. The paper has 0.26 at a Poisson's ratio of 0.2 and 0.28 at 0.49, on 32^3.",
      "cells|Poisson's ratio|V-cycles|K-cycles|default");
  status = box_rates(&t, s->quick ? 16 : 32);
  if (!status && !s->quick)
    status = box_rates(&t, 64);
  if (!status && !s->quick)
    status = box_rates(&t, 128);
  mus_status ended = table_end(&t);
  return status ? status : ended;
}

// --- Gauss-Seidel ---------------------------------------------------------------------------------------------------

static mus_status multigrid_rate(mus_arena *arena, const reference_elements *elements, int rows, const int *row,
                                 int levels, const reference_matrix *p, double *rate) {
  enum { MOST = 60 };
  double residuals[MOST + 1];
  reference_matrix a;
  reference_multigrid m;
  mus_status status = reference_assemble(arena, elements, rows, row, &a);
  if (!status)
    status = reference_multigrid_create(arena, &a, levels, p, &m);
  if (!status) {
    reference_residuals(&m, MOST, residuals);
    *rate = late_rate(residuals, MOST, 1e-10);
  }
  return status;
}

static mus_status lattice_rate(int side, double poisson, double *rate) {
  mus_arena arena = {0};
  mus_cells cells;
  mus_lattice_domain *domain;
  int levels = 0;
  reference_matrix p[REFERENCE_LEVELS];
  mus_status status = held_box(&arena, side, &cells);
  if (!status)
    status = mus_lattice_domains_create(&arena, &cells, &domain, &levels);
  reference_lattice *l = status ? NULL : mus_arena_alloc(&arena, (size_t)levels, sizeof *l);
  if (!status && !l)
    status = mus_fail_memory();
  for (int k = 0; k < levels && !status; ++k, domain = domain->coarse) {
    status = reference_lattice_create(&arena, domain, -1, compressibility(poisson), &l[k]);
    if (!status && k > 0)
      status = reference_lattice_prolong(&arena, &l[k - 1], &l[k], &p[k - 1]);
  }
  if (!status)
    status = multigrid_rate(&arena, &l[0].elements, l[0].rows, l[0].row, levels, p, rate);
  mus_arena_clear(&arena);
  return status;
}

static mus_status element_rate(int side, double poisson, int simplices, double *rate) {
  mus_arena arena = {0};
  double matrix[REFERENCE_ELEMENT * REFERENCE_ELEMENT];
  reference_box box[REFERENCE_LEVELS];
  reference_matrix p[REFERENCE_LEVELS];
  int levels = 0;
  if (simplices)
    reference_simplices(3, 1 / compressibility(poisson), matrix);
  else
    reference_trilinear(1 / compressibility(poisson), matrix);
  mus_status status = MUS_OK;
  for (int n = side; n >= 4 && !status; n /= 2, ++levels) {
    status = reference_box_create(&arena, n, matrix, &box[levels]);
    if (!status && levels > 0)
      status = reference_box_prolong(&arena, &box[levels - 1], &box[levels], simplices, &p[levels - 1]);
  }
  if (!status)
    status = multigrid_rate(&arena, &box[0].elements, box[0].rows, box[0].row, levels, p, rate);
  mus_arena_clear(&arena);
  return status;
}

static mus_status rates_of_references(study *s) {
  static const double poisson[3] = {0.2, 0.475, 0.49}, paper[2][3] = {{0.41, 0.85, 0.90}, {0.35, 0.80, 0.89}};
  int side = s->quick ? 16 : 32;
  figure_table t;
  mus_status status = MUS_OK;
  table_begin(s, &t, "figure-10-references", "Figure 10: rates of multigrid with Gauss-Seidel",
              "The same box without pressures as unknowns: V(1,1)-cycles with Gauss-Seidel, forth and back, and "
              "Galerkin's coarse matrices, to 1e-10 or for 60 cycles.",
              "Poisson's ratio|staggered lattice|paper: staggered lattice|trilinear elements|tetrahedra|"
              "paper: tetrahedra");
  for (int k = 0; k < 3 && !status; ++k) {
    double rate[3];
    status = lattice_rate(side, poisson[k], &rate[0]);
    for (int way = 0; way < 2 && !status; ++way)
      status = element_rate(side, poisson[k], way, &rate[1 + way]);
    if (!status)
      table_row(&t, "%g|%.3f|%.2f|%.3f|%.3f|%.2f", poisson[k], rate[0], paper[0][k], rate[1], rate[2], paper[1][k]);
  }
  mus_status ended = table_end(&t);
  return status ? status : ended;
}

// --- a weakly held solid, and implicit steps
// --------------------------------------------------------------------------

// A solid that stands on its feet, held there and at its highest parts. Either these are moved, or nothing is, and its
// weight acts, sideways too.
typedef struct standing {
  mus_arena arena;
  mus_cells cells;
  size_t interior, held;
} standing;

static mus_status create_standing(const char *path, int along, standing *out) {
  mus_arena *arena = &out->arena;
  mus_cells *cells = &out->cells;
  mus_mesh_file file;
  mus_cells_report report;
  mus_cells_options options = {.along = along};
  mus_status status = mus_mesh_file_read(path, arena, &file);
  if (!status)
    status = mus_cells_of_surface(arena, &file.mesh, &options, cells, &report);
  if (status)
    return status;
  mus_held_cells to = {cells, mus_arena_alloc_zero(arena, mus_cells_total(cells), sizeof *to.region)};
  if (!to.region)
    return mus_fail_memory();
  double low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = cells->low[a];
    high[a] = cells->low[a] + cells->spacing * cells->count[a];
  }
  double bottom = low[1], top = high[1],
         part = (MUS_CELLS_MARGIN + 0.04 * (cells->count[1] - 2 * MUS_CELLS_MARGIN)) * cells->spacing;
  high[1] = bottom + part;
  out->held = mus_hold_box(&to, 0, low, high);
  high[1] = top;
  low[1] = top - part;
  out->held += mus_hold_box(&to, 1, low, high);
  out->interior = report.interior - out->held;
  return MUS_OK;
}

// Held faces in the upper half.
static void move_top(mus_lattice *lattice, const mus_cells *cells) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  double by = 0.1 * cells->count[1] * cells->spacing;
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3 && (int)(n % d->stride[2] / d->stride[1]) > d->count[1] / 2; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a))
        mus_lattice_displacement(lattice, a)[n] = by;
}

static mus_status solve_standing(const mus_cells *cells, int moved, int way, int cycles, double *residuals, int *done) {
  mus_lattice_material material = {.young = 1e5, .poisson = 0.475};
  mus_lattice_options options = options_of(way);
  mus_lattice_record record;
  mus_lattice *lattice;
  mus_status status = mus_lattice_create(cells, &material, &options, &lattice);
  if (status)
    return status;
  if (moved)
    move_top(lattice, cells);
  else
    mus_lattice_add_weight(lattice, 1000, (const double[]){1, -9.81, 2});
  status = mus_lattice_solve(lattice, 1e-12, cycles, &record);
  *done = record.cycles;
  memcpy(residuals, record.residuals, ((size_t)record.cycles + 1) * sizeof *residuals);
  mus_lattice_free(lattice);
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

static mus_status rates_of_standing(study *s) {
  enum { MOST = 24, CURVES = 2 * WAYS };
  static const char *const names[CURVES] = {"moved, V-cycles",  "moved, K-cycles",  "moved, default",
                                            "weight, V-cycles", "weight, K-cycles", "weight, default"};
  double cycle[MOST + 1], residuals[CURVES][MOST + 1];
  int done[CURVES];
  standing solid = {0};
  char about[TABLE_TEXT];
  figure_table t;
  chart_series series[CURVES];
  mus_status status = create_standing(s->model, s->quick ? 32 : 96, &solid);
  for (int way = 0; way < CURVES && !status; ++way)
    status = solve_standing(&solid.cells, way < WAYS, way % WAYS, MOST, residuals[way], &done[way]);
  mus_arena_clear(&solid.arena);
  if (status)
    return status;
  snprintf(about, sizeof about,
           "%zu elastic cells at a Poisson's ratio of 0.475; %zu cells of the feet and the highest parts are held. "
           "Residuals where the latter are moved, and where the solid's weight acts. The paper's armadillo: 0.21 to "
           "0.35 over 7 or 8 cycles, which are four orders, then 0.62.",
           solid.interior, solid.held);
  table_begin(s, &t, "figure-10-standing", "Figure 10: a weakly held solid", about,
              "cycle|moved, V-cycles|moved, K-cycles|moved, default|weight, V-cycles|weight, K-cycles|weight, default");
  for (int k = 0; k <= MOST; ++k) {
    cycle[k] = k;
    for (int way = 0; way < CURVES; ++way)
      if (k > done[way])
        residuals[way][k] = residuals[way][k - 1]; // it has ended
    table_row(&t, "%d|%.2e|%.2e|%.2e|%.2e|%.2e|%.2e", k, residuals[0][k], residuals[1][k], residuals[2][k],
              residuals[3][k], residuals[4][k], residuals[5][k]);
  }
  status = table_end(&t);
  for (int way = 0; way < CURVES; ++way)
    series[way] =
        (chart_series){names[way], chart_colours[way % WAYS], way >= WAYS, 0, 0, done[way] + 1, cycle, residuals[way]};
  chart figure = {.title = "Figure 10: residuals of a weakly held solid",
                  .subtitle = "held at its feet and highest parts, Poisson's ratio 0.475",
                  .x = {"cycles", CHART_NUMBER, 0, 0, 0},
                  .y = {"relative residual", CHART_NUMBER, 1, 1e-10, 0}};
  return status ? status : draw_chart(s, "figure-10-standing", &figure, series, CURVES);
}

static mus_status rates_of_steps(study *s) {
  figure_table t;
  mus_arena arena = {0};
  mus_cells cells;
  double residuals[CYCLES + 1];
  mus_status status = held_box(&arena, s->quick ? 16 : 32, &cells);
  table_begin(
      s, &t, "figure-10-steps", "Figure 10: implicit steps",
      "A box of 1 m and 1000 kg/m^3 in a step of 1/24 s, at a Poisson's ratio of 0.4, from random displacements, "
      "V-cycles and K-cycles by themselves, and the default. The paper's car: 0.08.",
      "Young's modulus (Pa)|V-cycles|K-cycles|default");
  for (double young = 1e3; young <= 1.01e6 && !status; young *= 10) {
    mus_lattice_material material = {.young = young, .poisson = 0.4, .inertia = 1000 * 24.0 * 24};
    double rate[WAYS];
    int done;
    for (int way = 0; way < WAYS && !status; ++way) {
      status = solve(&cells, &material, way, residuals, &done);
      rate[way] = late_rate(residuals, done, 1e-10);
    }
    if (!status)
      table_row(&t, "%g|%.3f|%.3f|%.3f", young, rate[V_CYCLES], rate[K_CYCLES], rate[DEFAULT]);
  }
  mus_arena_clear(&arena);
  mus_status ended = table_end(&t);
  return status ? status : ended;
}

mus_status figure_10(study *s) {
  mus_status status = rates_of_boxes(s);
  if (!status)
    status = rates_of_references(s);
  if (!status)
    status = rates_of_steps(s);
  return status || !s->model ? status : rates_of_standing(s);
}
