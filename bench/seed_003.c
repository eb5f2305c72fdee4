// Draws the figures of Wang, Wu, Fratarcangeli, Tang and Wang 2018 that compare methods on one nonlinear step, from
// what `muslin bench --nonlinear --json` has measured (bench/seed-003.sh): errors over time and over work for figures
// 4, 6, 7, 9 and 10, cycles and time over size for figure 14, and tables.md with all numbers, also of other scenes and
// sizes.
//
//   bench_seed_003 RUNS OUT VERTICES
//
// RUNS has figure-4.json and so on, figure-14-*.json; what is missing is left out. Table 1, of hierarchies, is measured
// here, for cloths of so many vertices; 0: not at all.
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/svg.h"
#include "seed_003.h"

static const char *const program = "bench_seed_003";

enum { METHODS = 16, ENTRIES = 1200, ERRORS = 4, ENDS = 2, SIZES = 12 };
static const double wanted[ERRORS] = {1e-1, 1e-2, 1e-3, 1e-4}, ends[ENDS] = {1e-2, 1e-4};

typedef struct method_curve {
  const char *name;
  int count;
  double error[ENTRIES], products[ENTRIES], seconds[ENTRIES];
} method_curve;

// One run of `muslin bench --nonlinear`.
typedef struct step_run {
  json_t *json; // all of it; names point into it
  const char *example;
  int vertices, threads;
  double time_step, stiffness;
  int count;
  method_curve *curves;
} step_run;

// --- reading ---------------------------------------------------------------------------------------------------------

static int read_numbers(json_t *array, int count, double *out) {
  for (int k = 0; k < count; ++k)
    out[k] = json_number_value(json_array_get(array, (size_t)k));
  return json_is_array(array);
}

static int read_curve(json_t *result, method_curve *out) {
  json_t *errors = json_object_get(result, "energy_error");
  size_t count = json_array_size(errors);
  out->name = json_string_value(json_object_get(result, "method"));
  out->count = (int)(count < ENTRIES ? count : ENTRIES);
  return out->name && read_numbers(errors, out->count, out->error) &&
         read_numbers(json_object_get(result, "products"), out->count, out->products) &&
         read_numbers(json_object_get(result, "seconds"), out->count, out->seconds);
}

static double number(json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static void run_free(step_run *run) {
  free(run->curves);
  json_decref(run->json);
  *run = (step_run){0};
}

// Returns 0, or an exit status. A file that is not there is a run without curves.
static int run_read(const char *folder, const char *name, step_run *out) {
  char path[1024];
  json_error_t error;
  *out = (step_run){0};
  snprintf(path, sizeof path, "%s/%s.json", folder, name);
  FILE *file = fopen(path, "r");
  if (!file)
    return errno == ENOENT ? 0 : failure_input(program, "%s cannot be read", path);
  out->json = json_loadf(file, 0, &error);
  fclose(file);
  json_t *results = json_object_get(out->json, "results");
  size_t count = json_array_size(results);
  out->curves = calloc(METHODS, sizeof *out->curves);
  if (!out->json || !out->curves || count == 0 || count > METHODS) {
    run_free(out);
    return failure_input(program, "%s is not what muslin bench --nonlinear --json writes", path);
  }
  out->example = json_string_value(json_object_get(out->json, "example"));
  out->vertices = (int)number(out->json, "vertices");
  out->threads = (int)number(json_object_get(out->json, "machine"), "threads");
  out->time_step = number(out->json, "time_step");
  out->stiffness = number(out->json, "stiffness");
  for (size_t k = 0; k < count; ++k)
    if (read_curve(json_array_get(results, k), &out->curves[out->count]))
      ++out->count;
  return 0;
}

// --- figures of one step ---------------------------------------------------------------------------------------------

typedef struct step_figure {
  const char *name, *title;
  int table; // 1: no pictures
} step_figure;

static const step_figure figures[] = {
    {"figure-4", "Figure 4: methods for one nonlinear step", 0},
    {"figure-4-stiff", "The same with a hundred times the stretch stiffness", 0},
    {"figure-6", "Figure 6: when the matrix is renewed", 0},
    {"figure-7", "Figure 7: when the residual is renewed", 0},
    {"figure-9", "Figure 9: Projective Dynamics", 0},
    {"figure-10", "Figure 10: Projective Dynamics on a finer cloth", 0},
    {"sphere-small", "Sphere, small", 1},
    {"sphere-small-stiff", "Sphere, small and stiff", 1},
    {"sphere-large", "Sphere, large", 1},
    {"sphere-large-stiff", "Sphere, large and stiff", 1},
    {"tablecloth-small", "Tablecloth, small", 1},
    {"tablecloth-small-stiff", "Tablecloth, small and stiff", 1},
    {"tablecloth-middle", "Tablecloth, of middle size", 1},
    {"tablecloth-middle-stiff", "Tablecloth, of middle size and stiff", 1},
    {"tablecloth-large", "Tablecloth, large", 1},
    {"tablecloth-large-stiff", "Tablecloth, large and stiff", 1},
};

// The first entry from which on the error stays; -1 if there is none.
static int reach(const method_curve *c, double error) {
  int first = -1;
  for (int k = c->count - 1; k >= 0 && c->error[k] <= error; --k)
    first = k;
  return first;
}

static void tabulate(const step_run *run, const char *title, FILE *tables) {
  fprintf(
      tables,
      "\n## %s\n\n`%s`, %s vertices, one step of %.4g ms, stretch stiffness × %g, %d threads. Iterations or cycles, "
      "products with the finest matrix, and seconds until the energy error stays at or below\n\n| method |",
      title, run->example, numbers_grouped(run->vertices).text, 1e3 * run->time_step, run->stiffness, run->threads);
  for (int e = 0; e < ERRORS; ++e)
    fprintf(tables, " %g |", wanted[e]);
  fprintf(tables, "\n|---|---|---|---|---|\n");
  for (int k = 0; k < run->count; ++k) {
    const method_curve *c = &run->curves[k];
    fprintf(tables, "| `%s` |", c->name);
    for (int e = 0; e < ERRORS; ++e) {
      int at = reach(c, wanted[e]);
      if (at < 0)
        fprintf(tables, " |");
      else
        fprintf(tables, " %d / %.0f / %s |", at, c->products[at], numbers_duration(c->seconds[at]).text);
    }
    fprintf(tables, "\n");
  }
}

static int draw(const char *folder, const char *name, const chart *figure) {
  char *text = NULL, path[1024];
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  if (!file)
    return failure_memory(program);
  chart_svg(figure, file);
  int failed = fclose(file) != 0;
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  failed = failed ? failure_memory(program) : output_write(program, path, text, length);
  free(text);
  return failed;
}

// What all methods need for 1e-4 is seen; slower ones leave the picture.
static double far_enough(const step_run *run, int by_time) {
  double far = 0, near = INFINITY;
  for (int k = 0; k < run->count; ++k) {
    const method_curve *c = &run->curves[k];
    int at = reach(c, 1e-5) >= 0 ? reach(c, 1e-5) : c->count - 1;
    double x = at < 0 ? 0 : by_time ? c->seconds[at] : c->products[at];
    far = fmax(far, x);
    near = reach(c, 1e-4) >= 0 ? fmin(near, x) : near;
  }
  return fmin(far, 12 * near);
}

static int draw_curves(const char *folder, const char *name, const char *title, const step_run *run, int by_time) {
  chart_series series[METHODS];
  char subtitle[160], file[96];
  double far = far_enough(run, by_time);
  for (int k = 0; k < run->count; ++k) {
    const method_curve *c = &run->curves[k];
    series[k] = (chart_series){.name = c->name,
                               .colour = svg_colour(k),
                               .dashed = k >= 8,
                               .plain = c->count > 40,
                               .x = by_time ? c->seconds : c->products,
                               .y = c->error};
    while (series[k].count < c->count && series[k].x[series[k].count] <= far && c->error[series[k].count] >= 1e-6)
      ++series[k].count;
  }
  snprintf(subtitle, sizeof subtitle, "%s, %s vertices, one step of %.4g ms", run->example,
           numbers_grouped(run->vertices).text, 1e3 * run->time_step);
  chart_panel panel = {.title = "", .count = run->count, .series = series};
  chart figure = {
      .title = title,
      .subtitle = subtitle,
      .x = {by_time ? "time" : "products with the finest matrix", by_time ? CHART_SECONDS : CHART_COUNT, 0, 0, 0},
      .y = {"energy error", CHART_NUMBER, 1, 1e-5, 1},
      .columns = 1,
      .count = 1,
      .width = 640,
      .height = 380,
      .panels = &panel};
  snprintf(file, sizeof file, "%s-%s", name, by_time ? "time" : "work");
  return draw(folder, file, &figure);
}

static int report_figure(const char *runs, const char *out, const step_figure *f, FILE *tables) {
  step_run run;
  int failed = run_read(runs, f->name, &run);
  if (!failed && run.count > 0) {
    tabulate(&run, f->title, tables);
    failed = f->table ? 0 : draw_curves(out, f->name, f->title, &run, 0);
    if (!failed && !f->table)
      failed = draw_curves(out, f->name, f->title, &run, 1);
  }
  run_free(&run);
  return failed;
}

// --- figure 14 -------------------------------------------------------------------------------------------------------

static const char *const sizes[] = {"10000", "20000", "40000", "80000", "120000", "160000", "200000", NULL};

// "3 / 41 / 1.23 s |" to 1e-2 and to 1e-4.
static void tabulate_ends(const method_curve *c, FILE *tables) {
  for (int e = 0; e < ENDS; ++e) {
    int at = reach(c, ends[e]);
    if (at < 0)
      fprintf(tables, " |");
    else
      fprintf(tables, " %d / %.0f / %s |", at, c->products[at], numbers_duration(c->seconds[at]).text);
  }
  fprintf(tables, "\n");
}

static int draw_scaling(const char *out, int count, const double *vertices, double seconds[ENDS][SIZES]) {
  const chart_series series[] = {
      {.name = "to 0.01", .colour = svg_colour(0), .count = count, .x = vertices, .y = seconds[0]},
      {.name = "to 0.0001", .colour = svg_colour(1), .count = count, .x = vertices, .y = seconds[1]}};
  const chart_panel panel = {.title = "", .count = 2, .series = series};
  const chart figure = {.title = "Figure 14: time of one step over size",
                        .subtitle = "sphere, one step of 33.3 ms, until the energy error stays at or below",
                        .x = {"vertices", CHART_COUNT, 0, 0, 0},
                        .y = {"time", CHART_SECONDS, 0, 0, 0},
                        .columns = 1,
                        .count = 1,
                        .width = 640,
                        .height = 380,
                        .panels = &panel};
  return draw(out, "figure-14", &figure);
}

// The first method of every run.
static int report_scaling(const char *runs, const char *out, FILE *tables) {
  double vertices[SIZES], seconds[ENDS][SIZES];
  int count = 0, failed = 0;
  for (int k = 0; sizes[k] && !failed; ++k) {
    char name[64];
    step_run run;
    snprintf(name, sizeof name, "figure-14-%s", sizes[k]);
    failed = run_read(runs, name, &run);
    if (!failed && run.count > 0) {
      if (count == 0)
        fprintf(tables,
                "\n## Figure 14: size\n\n`%s` by `%s`, one step of %.4g ms. Cycles, products and seconds to an energy "
                "error of\n\n| vertices | 0.01 | 0.0001 |\n|---|---|---|\n",
                run.example, run.curves[0].name, 1e3 * run.time_step);
      fprintf(tables, "| %s |", numbers_grouped(run.vertices).text);
      tabulate_ends(&run.curves[0], tables);
      for (int e = 0; e < ENDS; ++e) {
        int at = reach(&run.curves[0], ends[e]);
        seconds[e][count] = at < 0 ? NAN : run.curves[0].seconds[at];
      }
      vertices[count++] = run.vertices;
    }
    run_free(&run);
  }
  return failed || count == 0 ? failed : draw_scaling(out, count, vertices, seconds);
}

// --- adaptive smoothing ----------------------------------------------------------------------------------------------

static const char *const thresholds[] = {"0", "0.1", "0.3", "1", NULL};

// Section 4.3: rows with little residual are skipped.
static int report_skipping(const char *runs, FILE *tables) {
  int count = 0, failed = 0;
  for (int k = 0; thresholds[k] && !failed; ++k) {
    char name[64];
    step_run run;
    snprintf(name, sizeof name, "skipping-%s", thresholds[k]);
    failed = run_read(runs, name, &run);
    if (!failed && run.count > 0) {
      if (count++ == 0)
        fprintf(tables,
                "\n## Adaptive smoothing (section 4.3)\n\n`%s` by `%s`, %s vertices, one step of %.4g ms. Rows are "
                "skipped below this part of the root mean square of residuals. Cycles, products and seconds to an "
                "energy error of\n\n| threshold | 0.01 | 0.0001 |\n|---|---|---|\n",
                run.example, run.curves[0].name, numbers_grouped(run.vertices).text, 1e3 * run.time_step);
      fprintf(tables, "| %s |", thresholds[k]);
      tabulate_ends(&run.curves[0], tables);
    }
    run_free(&run);
  }
  return failed;
}

int main(int argc, char **argv) {
  char *text = NULL, path[1024];
  size_t length = 0;
  int vertices = argc == 4 ? atoi(argv[3]) : -1;
  if (vertices < 0)
    return failure_input(program, "give two folders and a number: %s RUNS OUT VERTICES", program);
  FILE *tables = open_memstream(&text, &length);
  if (!tables)
    return failure_memory(program);
  int failed = 0;
  fprintf(tables, "# Tables\n\nWritten by `script/bench seed-003`.\n");
  for (size_t k = 0; k < sizeof figures / sizeof *figures && !failed; ++k)
    failed = report_figure(argv[1], argv[2], &figures[k], tables);
  if (!failed)
    failed = report_scaling(argv[1], argv[2], tables);
  if (!failed)
    failed = report_skipping(argv[1], tables);
  if (!failed && vertices > 0)
    failed = report_levels(program, vertices, tables);
  snprintf(path, sizeof path, "%s/tables.md", argv[2]);
  if (fclose(tables) != 0)
    failed = failure_memory(program);
  if (!failed)
    failed = output_write(program, path, text, length);
  free(text);
  return failed;
}
