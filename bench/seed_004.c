// Repeats what Xian, Tong and Liu 2019 measure of their linear solver, on octopuses and a sheet: table 3 and figures 3,
// 7, 9, 10, 11 and 12. Writes tables.md and the figures as SVG into a folder.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "chart.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "seed_004.h"
#include "sheet_system.h"

static const char *const program = "bench_seed_004";

typedef struct study {
  const char *folder, *parts;
  int quick;
  FILE *tables;
} study;

static int size_of(const study *s, int vertices) { return s->quick ? vertices / 5 : vertices; }

static const char *const colours[] = {"#0b6e4f", "#c8553d", "#2d5d9f", "#7b4ea3", "#8a8a2a",
                                      "#555555", "#1b9aaa", "#d4a017", "#b23a6f", "#3d3d3d"};

// --- table 3 -------------------------------------------------------------------------------------------------------

static const space spaces[] = {{"100 handles, 12 unknowns, piecewise constant", 100, 4, 0},
                               {"100 handles, 12 unknowns, smooth", 100, 4, 1},
                               {"100 handles, 3 unknowns, piecewise constant", 100, 1, 0},
                               {"400 handles, 3 unknowns, piecewise constant", 400, 1, 0}};
enum { SPACES = 4, HARDNESSES = 4 };

static mus_status reductions(solid_system *s, double rho[SPACES]) {
  double *x = mus_alloc(3 * (size_t)s->mesh.vertices, sizeof *x);
  curve_system system = curve_system_of_solid(s);
  mus_status status = x ? curve_solution(&system, x) : mus_fail_memory();
  for (int k = 0; k < SPACES && !status; ++k)
    status = space_reduction(s, &spaces[k], x, &rho[k]);
  mus_free(x);
  return status;
}

static mus_status table_3(study *s) {
  static const double hardness[HARDNESSES] = {0.02, 0.1, 0.5, 2.5}, paper[SPACES] = {0.058, 0.019, 0.494, 0.407};
  double rho[HARDNESSES][SPACES];
  solid_options options = solid_default_options();
  options.law = SOLID_PROJECTIVE;
  options.held = 0;
  solid_system solid;
  mus_status status = solid_system_of_shape(&options, "octopus", size_of(s, 14779), &solid);
  for (int k = 0; k < HARDNESSES && !status; ++k) {
    solid.options.young *= hardness[k] / (2 * solid_system_hardness(&solid));
    status = solid_system_assemble(&solid);
    if (!status)
      status = reductions(&solid, rho[k]);
  }
  if (!status)
    fprintf(s->tables,
            "## Table 3: what the coarse space leaves of the error\n\nAn octopus of %d vertices, the matrix of "
            "Projective Dynamics. Columns: 2 mu h^2 / (rho L^2).\n\n| test | space | paper |",
            solid.mesh.vertices);
  for (int k = 0; k < HARDNESSES && !status; ++k)
    fprintf(s->tables, " %g |", hardness[k]);
  if (!status)
    fprintf(s->tables, "\n|---|---|---|---|---|---|---|\n");
  for (int t = 0; t < SPACES && !status; ++t) {
    fprintf(s->tables, "| %d | %s | %.3f |", t + 1, spaces[t].name, paper[t]);
    for (int k = 0; k < HARDNESSES; ++k)
      fprintf(s->tables, " %.3f |", rho[k][t]);
    fprintf(s->tables, "\n");
  }
  solid_system_free(&solid);
  return status;
}

// --- figure 3 ------------------------------------------------------------------------------------------------------

static mus_status figure_3(study *s) {
  space piecewise = {"", 400, 4, 0}, smooth = {"", 400, 4, 1};
  double few = 0, many = 0;
  solid_options options = solid_default_options();
  solid_system solid;
  mus_status status = solid_system_of_shape(&options, "octopus", size_of(s, 39223), &solid);
  if (!status)
    status = space_nonzeros(&solid, &piecewise, &few);
  if (!status)
    status = space_nonzeros(&solid, &smooth, &many);
  if (!status) {
    double all = 9.0 * mus_pattern_blocks(solid.pattern);
    fprintf(s->tables,
            "\n## Figure 3: non-zeros\n\nAn octopus of %d vertices and 400 handles of 12 unknowns.\n\n| matrix | "
            "non-zeros | of A |\n|---|---|---|\n| A | %.0f | 1 |\n| smooth weights | %.0f | %.2f |\n| piecewise "
            "constant weights | %.0f | %.3f |\n",
            solid.mesh.vertices, all, many, many / all, few, few / all);
  }
  solid_system_free(&solid);
  return status;
}

// --- figure 7 ------------------------------------------------------------------------------------------------------

enum { SIZES = 6 };

// The slope of log y over log x.
static double slope(int count, const double *x, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < count; ++k) {
    double a = log(x[k]), b = log(y[k]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static mus_status measure_memory(int vertices, mus_method method, const char *levels, double *found, double *elements,
                                 double *bytes) {
  solid_options options = solid_default_options();
  solid_system solid;
  mus_solver *solver = NULL;
  mus_status status = solid_system_of_shape(&options, "octopus", vertices, &solid);
  mus_solver_options how = mus_preset_solver_options(MUS_PRESET_ROBUST);
  how.method = method;
  how.iterations = 1;
  strcpy(how.multigrid.smoother, "gs:3");
  strcpy(how.skinning.levels, levels);
  double *x = status ? NULL : calloc(3 * (size_t)solid.mesh.vertices, sizeof *x);
  if (!status)
    status = x ? solid_system_solver(&solid, &how, &solver) : mus_fail_memory();
  if (!status)
    status = mus_solver_solve(solver, solid.b, x);
  if (status == MUS_NOT_CONVERGED)
    status = MUS_OK;
  *found = status ? 0 : solid.mesh.vertices;
  *elements = status ? 0 : solid.mesh.tetrahedra;
  *bytes = status ? 0 : (double)mus_solver_bytes(solver);
  mus_solver_free(solver);
  free(x);
  solid_system_free(&solid);
  return status;
}

static mus_status figure_7(study *s) {
  static const int sizes[SIZES] = {1241, 6654, 14779, 50736, 95587, 126966};
  static const char *const levels[SIZES] = {"10/all",     "25/all",      "50/all",
                                            "25/500/all", "50/1000/all", "25/300/2000/all"};
  double vertices[SIZES], elements[SIZES], whole[SIZES], extra[SIZES];
  mus_status status = MUS_OK;
  for (int k = 0; k < SIZES && !status; ++k) {
    double plain;
    status = measure_memory(size_of(s, sizes[k]), MUS_METHOD_DIAG, "", &vertices[k], &elements[k], &plain);
    if (!status)
      status =
          measure_memory(size_of(s, sizes[k]), MUS_METHOD_SKINNING, levels[k], &vertices[k], &elements[k], &whole[k]);
    extra[k] = whole[k] - plain;
  }
  if (status)
    return status;
  fprintf(s->tables,
          "\n## Figure 7: memory\n\nOctopuses, `skinning` in double precision with gs:3 and the paper's levels.\n\n| "
          "vertices | tetrahedra | bytes per vertex, everything | beyond `diag` |\n|---|---|---|---|\n");
  for (int k = 0; k < SIZES; ++k)
    fprintf(s->tables, "| %.0f | %.0f | %.0f | %.0f |\n", vertices[k], elements[k], whole[k] / vertices[k],
            extra[k] / vertices[k]);
  fprintf(
      s->tables,
      "\nSlope over the number of tetrahedra, as in the paper (1.012): %.3f for everything, %.3f beyond `diag`. Over "
      "the number of vertices: %.3f and %.3f.\n",
      slope(SIZES, elements, whole), slope(SIZES, elements, extra), slope(SIZES, vertices, whole),
      slope(SIZES, vertices, extra));
  return MUS_OK;
}

// --- figures of curves -----------------------------------------------------------------------------------------------

static mus_status draw(const study *s, const char *name, chart *figure, const chart_series *series, int count) {
  char path[512];
  chart_panel panel = {"", count, series};
  snprintf(path, sizeof path, "%s/%s.svg", s->folder, name);
  FILE *file = fopen(path, "w");
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  figure->columns = figure->count = 1;
  figure->width = 520, figure->height = 360;
  figure->panels = &panel;
  chart_svg(figure, file);
  return fclose(file) ? mus_fail(MUS_IO_ERROR, "%s cannot be written", path) : MUS_OK;
}

enum { STIFFNESSES = 9, CYCLES = 5 };

// mu from 5e2 to 2.56e5 Pa, levels and sweeps of table 1.
static mus_status measure_stiffnesses(solid_system *solid, double *x, curve *curves) {
  static const int cycles[CYCLES] = {1, 2, 3, 4, 5};
  mus_solver_options how = mus_preset_solver_options(MUS_PRESET_ROBUST);
  how.method = MUS_METHOD_SKINNING;
  how.stationary = 1;
  how.multigrid.cycle = MUS_CYCLE_V;
  strcpy(how.multigrid.smoother, "gs:3");
  strcpy(how.skinning.levels, "50/all");
  mus_status status = MUS_OK;
  for (int k = 0; k < STIFFNESSES && !status; ++k) {
    solid->options.young = 500 * pow(512, k / 8.0) * 2 * (1 + solid->options.poisson);
    status = solid_system_assemble(solid);
    curve_system system = curve_system_of_solid(solid);
    if (!status)
      status = curve_solution(&system, x);
    if (!status)
      status = curve_measure(&system, &how, x, CYCLES, cycles, 1e9, &curves[k]);
  }
  return status;
}

static mus_status report_stiffnesses(study *s, const solid_system *solid, const char *file, const curve *curves) {
  char names[STIFFNESSES][32], subtitle[96];
  chart_series series[STIFFNESSES];
  double low = INFINITY, high = 0;
  fprintf(s->tables,
          "\n%g kg/m^3, an octopus of %d vertices, 50/all, gs:3: the normalised residual after each cycle.\n\n| mu "
          "(Pa) | 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|\n",
          solid->options.density, solid->mesh.vertices);
  for (int k = 0; k < STIFFNESSES; ++k) {
    snprintf(names[k], sizeof names[k], "%.0f Pa", 500 * pow(512, k / 8.0));
    series[k] =
        (chart_series){names[k], colours[k], 0, 0, 0, curves[k].count, curves[k].iterations, curves[k].residual};
    low = fmin(low, curves[k].residual[CYCLES]), high = fmax(high, curves[k].residual[CYCLES]);
    fprintf(s->tables, "| %s |", names[k]);
    for (int c = 1; c <= CYCLES; ++c)
      fprintf(s->tables, " %.2e |", curves[k].residual[c]);
    fprintf(s->tables, "\n");
  }
  fprintf(s->tables, "\nAfter five cycles they are within a factor of %.2f.\n", high / low);
  snprintf(subtitle, sizeof subtitle, "octopus, %g kg/m^3, 50/all, gs:3", solid->options.density);
  chart figure = {.title = "Residuals of stationary cycles by stiffness",
                  .subtitle = subtitle,
                  .x = {"cycles", CHART_NUMBER, 0, 0, CYCLES},
                  .y = {"normalised residual", CHART_NUMBER, 1, 0, 0}};
  return draw(s, file, &figure, series, STIFFNESSES);
}

// Where bodies are heavy, soft ones are all inertia. The paper does not give its densities.
static mus_status figure_9(study *s) {
  static const double density[2] = {1000, 50};
  static const char *const file[2] = {"figure-9-heavy", "figure-9"};
  static curve curves[STIFFNESSES];
  solid_options options = solid_default_options();
  options.law = SOLID_PROJECTIVE;
  solid_system solid;
  mus_status status = solid_system_of_shape(&options, "octopus", size_of(s, 14779), &solid);
  double *x = status ? NULL : mus_alloc(3 * (size_t)solid.mesh.vertices, sizeof *x);
  if (!status && !x)
    status = mus_fail_memory();
  if (!status)
    fprintf(s->tables, "\n## Figure 9: stiffness\n");
  for (int k = 0; k < 2 && !status; ++k) {
    solid.options.density = density[k];
    status = measure_stiffnesses(&solid, x, curves);
    if (!status)
      status = report_stiffnesses(s, &solid, file[k], curves);
  }
  mus_free(x);
  solid_system_free(&solid);
  return status;
}

typedef struct contender {
  const char *name;
  mus_method method;
  int stationary;
  mus_preset preset;
  const char *levels, *smoother;
} contender;

enum { CONTENDERS = 6, LIMITS = 12 };

static mus_solver_options options_of(const contender *c) {
  mus_solver_options how = mus_preset_solver_options(c->preset);
  how.method = c->method;
  how.stationary = c->stationary;
  if (c->smoother) {
    how.multigrid.cycle = MUS_CYCLE_V;
    strcpy(how.multigrid.smoother, c->smoother);
  }
  if (c->levels)
    strcpy(how.skinning.levels, c->levels);
  return how;
}

// The first time, or number of iterations, at which the error is at most a part of its first value; NaN: never.
static double first_below(const curve *c, const double *along, double part) {
  for (int k = 1; k < c->count; ++k)
    if (c->error[k] <= part) {
      double t = log(c->error[k - 1] / part) / log(c->error[k - 1] / c->error[k]);
      return along[k - 1] + t * (along[k] - along[k - 1]);
    }
  return NAN;
}

static void print_reached(FILE *file, const char *format, double value) {
  fprintf(file, isfinite(value) ? format : " |", value);
}

// `levels` and `smoother` are those of the paper's cycles.
static mus_status compare(study *s, const char *name, const char *title, const curve_system *system, const char *levels,
                          const char *smoother) {
  const contender list[CONTENDERS] = {
      {"skinning, cycles", MUS_METHOD_SKINNING, 1, MUS_PRESET_ROBUST, levels, smoother},
      {"skinning with CG", MUS_METHOD_SKINNING, 0, MUS_PRESET_FAST, NULL, NULL},
      {"sa", MUS_METHOD_SA, 0, MUS_PRESET_FAST, NULL, NULL},
      {"Gauss-Seidel (Vivace)", MUS_METHOD_GAUSS_SEIDEL, 0, MUS_PRESET_ROBUST, NULL, NULL},
      {"Chebyshev", MUS_METHOD_CHEBYSHEV, 0, MUS_PRESET_ROBUST, NULL, NULL},
      {"Jacobi-PCG", MUS_METHOD_DIAG, 0, MUS_PRESET_ROBUST, NULL, NULL}};
  static const int limits[LIMITS] = {1, 2, 3, 5, 8, 13, 21, 40, 80, 160, 320, 640};
  static curve curves[CONTENDERS];
  chart_series by_iterations[CONTENDERS], by_time[CONTENDERS];
  double *x = mus_alloc(3 * (size_t)system->rows, sizeof *x);
  mus_status status = x ? curve_solution(system, x) : mus_fail_memory();
  for (int k = 0; k < CONTENDERS && !status; ++k) {
    mus_solver_options how = options_of(&list[k]);
    status = curve_measure(system, &how, x, LIMITS, limits, s->quick ? 0.2 : 1, &curves[k]);
    by_iterations[k] =
        (chart_series){list[k].name, colours[k], 0, 0, 0, curves[k].count, curves[k].iterations, curves[k].error};
    by_time[k] = by_iterations[k];
    by_time[k].x = curves[k].seconds;
  }
  mus_free(x);
  if (status)
    return status;
  fprintf(s->tables,
          "\n## %s\n\n%d vertices. Iterations, and milliseconds of processor time on one thread without set-up, to a "
          "relative error (equation 9, a square) of 1e-2, 1e-4 and 1e-8.\n\n| method | 1e-2 | 1e-4 | 1e-8 | ms | ms | "
          "ms |\n|---|---|---|---|---|---|---|\n",
          title, system->rows);
  static const double parts[] = {1e-2, 1e-4, 1e-8};
  for (int k = 0; k < CONTENDERS; ++k) {
    fprintf(s->tables, "| %s |", list[k].name);
    for (int p = 0; p < 3; ++p)
      print_reached(s->tables, " %.1f |", first_below(&curves[k], curves[k].iterations, parts[p]));
    for (int p = 0; p < 3; ++p)
      print_reached(s->tables, " %.0f |", 1000 * first_below(&curves[k], curves[k].seconds, parts[p]));
    fprintf(s->tables, "\n");
  }
  char file[64];
  chart figure = {.title = title,
                  .subtitle = "relative error of equation 9",
                  .x = {"iterations", CHART_NUMBER, 0, 0, 80},
                  .y = {"relative error", CHART_NUMBER, 1, 1e-8, 1}};
  for (int k = 0; k < CONTENDERS; ++k)
    while (by_iterations[k].count > 1 && by_iterations[k].x[by_iterations[k].count - 1] > 80)
      --by_iterations[k].count;
  snprintf(file, sizeof file, "%s-iterations", name);
  status = draw(s, file, &figure, by_iterations, CONTENDERS);
  figure.x = (chart_axis){"processor time, one thread", CHART_SECONDS, 0, 0, 0};
  snprintf(file, sizeof file, "%s-time", name);
  return status ? status : draw(s, file, &figure, by_time, CONTENDERS);
}

static mus_status figure_10(study *s) {
  sheet_options options = sheet_default_options();
  options.side = s->quick ? 91 : 201;
  options.time_step = 1.0 / 30;
  sheet_system sheet;
  mus_status status = sheet_system_create(&options, &sheet);
  curve_system system = {.rows = sheet.rows,
                         .row_start = status ? NULL : sheet.pattern->row_start,
                         .column = status ? NULL : sheet.pattern->column,
                         .values = sheet.a.value,
                         .b = sheet.b,
                         .positions = sheet.position,
                         .held = sheet.constraint_count,
                         .constraints = sheet.constraint};
  if (!status)
    status = compare(s, "figure-10", "Figure 10: a sheet in one step of 1/30 s", &system, "25/100/1000/all",
                     "jacobi:10/jacobi:5");
  sheet_system_free(&sheet);
  return status;
}

static mus_status figure_11(study *s) {
  solid_options options = solid_default_options();
  options.law = SOLID_PROJECTIVE;
  options.young = 1e5;
  solid_system solid;
  mus_status status = solid_system_of_shape(&options, "octopus", size_of(s, 39223), &solid);
  curve_system system = {.rows = 0};
  if (!status) {
    system = curve_system_of_solid(&solid);
    status =
        compare(s, "figure-11", "Figures 11 and 12: an octopus in one step of 1/30 s", &system, "100/1000/all", "gs:2");
  }
  solid_system_free(&solid);
  return status;
}

static int run(study *s) {
  char path[512];
  snprintf(path, sizeof path, "%s/tables.md", s->folder);
  s->tables = fopen(path, "w");
  mus_status status = s->tables ? MUS_OK : mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  mus_status (*const parts[])(study *) = {table_3, figure_3, figure_7, figure_9, figure_10, figure_11};
  static const char *const names[] = {"table-3", "figure-3", "figure-7", "figure-9", "figure-10", "figure-11"};
  if (!status)
    fprintf(s->tables, "# Tables\n\nWritten by `script/bench seed-004%s`.\n\n", s->quick ? " --quick" : "");
  for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; ++k) {
    if (s->parts && !strstr(s->parts, names[k]))
      continue;
    printf("%s\n", names[k]);
    fflush(stdout);
    status = parts[k](s);
    if (!status)
      fflush(s->tables);
  }
  if (s->tables && fclose(s->tables) && !status)
    status = mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  return status ? failure_status(program, NULL, status) : 0;
}

int main(int argc, char **argv) {
  study s = {.folder = "."};
  int help = 0, ended;
  const option list[] = {
      {.name = "output",
       .letter = 'o',
       .kind = OPTION_TEXT,
       .target = &s.folder,
       .value = "DIR",
       .help = "folder to write to, which must exist (.)"},
      {.name = "parts",
       .kind = OPTION_TEXT,
       .target = &s.parts,
       .value = "LIST",
       .help = "some of table-3,figure-3,figure-7,figure-9,figure-10,figure-11"},
      {.name = "quick", .kind = OPTION_FLAG, .target = &s.quick, .help = "a fifth of the vertices"},
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "print this text"}};
  option_table table = {program, list, sizeof list / sizeof list[0]};
  if (!options_start(&table, &help, "bench_seed_004: the linear solver of Xian, Tong and Liu 2019.\n\n", argc - 1,
                     argv + 1, &ended))
    return ended;
  return run(&s);
}
