// The figures 5 to 9 of Tamstorf et al. 2015, section 11. See seed_000.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "cli/svg.h"
#include "seed_000.h"

enum { POINTS = 32, SERIES = 24 };
typedef enum hue { BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, BROWN } hue; // of svg_colour()

// What is drawn of a solver.
typedef double value_of(const measured_solver *s);

static double rate(const measured_solver *s) { return s->rate; }
static double total(const measured_solver *s) { return s->total_s; }
static double setup_share(const measured_solver *s) { return 100 * s->setup_s / s->total_s; }
static double prefilter_share(const measured_solver *s) { return 100 * s->prefilter_s / s->total_s; }

typedef struct style {
  const char *solver, *name;
  hue hue;
  int open;
  run_kind kind;
  value_of *value;
} style;

// A panel with space for its curves.
typedef struct panel {
  chart_panel panel;
  chart_series series[SERIES];
  double x[SERIES][POINTS], y[SERIES][POINTS];
} panel;

static void add_curve(const seed_000 *r, const char *example, int tessellation, const style *look, panel *to) {
  int at = to->panel.count;
  if (at == SERIES)
    return;
  chart_series s = {.name = tessellation == 0 ? look->name : NULL,
                    .colour = svg_colour((int)look->hue),
                    .dashed = tessellation == 1,
                    .open = look->open,
                    .x = to->x[at],
                    .y = to->y[at]};
  const measurement *m = NULL;
  while ((m = measurements_next(&r->all, example, tessellations[tessellation], look->kind, m))) {
    const measured_solver *solver = measurement_solver(m, look->solver);
    if (!solver || s.count == POINTS)
      continue;
    to->x[at][s.count] = m->vertices;
    to->y[at][s.count++] = look->value(solver);
  }
  if (s.count == 0)
    return;
  to->series[at] = s;
  to->panel.count++;
  to->panel.series = to->series;
}

// A panel for each example, with all styles for both tessellations.
static void draw_examples(const seed_000 *r, int styles, const style *looks, chart *figure, FILE *file) {
  static panel panels[PAPER_EXAMPLES]; // too large for a stack
  chart_panel list[PAPER_EXAMPLES];
  for (int e = 0; e < PAPER_EXAMPLES; ++e) {
    panels[e].panel = (chart_panel){.title = paper_examples[e]};
    for (int s = 0; s < styles; ++s)
      for (int t = 0; t < TESSELLATIONS; ++t)
        add_curve(r, paper_examples[e], t, &looks[s], &panels[e]);
    list[e] = panels[e].panel;
  }
  figure->panels = list;
  figure->count = PAPER_EXAMPLES;
  figure->columns = 3;
  figure->width = 270;
  figure->height = 210;
  figure->subtitle = r->setting;
  chart_svg(figure, file);
}

static const chart_axis vertices_axis = {"vertices", CHART_COUNT, 1, 0, 0};
static const char *const both = "solid: regular, dashed: irregular tessellation";

static void print_figure_5(const seed_000 *r, FILE *file) {
  const style looks[] = {{"sa:fast", "sa, preset fast", GREEN, 0, RUN_USUAL, rate},
                         {"sa:paper", "sa, preset paper", BLUE, 0, RUN_USUAL, rate},
                         {"diag", "diag: block-Jacobi", VERMILION, 0, RUN_USUAL, rate}};
  chart figure = {
      .title = "Convergence rates (figure 5)",
      .notes = {"average of |r_i| / |r_i-1| in the norm of each", "preconditioner: 0 is best, 1 is none", both},
      .x = vertices_axis,
      .y = {"average rate", CHART_NUMBER, 0, 0, 1}};
  draw_examples(r, 3, looks, &figure, file);
}

static void print_figure_6(const seed_000 *r, FILE *file) {
  const style looks[] = {{"sa:fast", "preset fast: set-up", GREEN, 0, RUN_USUAL, setup_share},
                         {"sa:fast", "preset fast: prefilter", GREEN, 1, RUN_USUAL, prefilter_share},
                         {"sa:paper", "preset paper: set-up", BLUE, 0, RUN_USUAL, setup_share},
                         {"sa:paper", "preset paper: prefilter", BLUE, 1, RUN_USUAL, prefilter_share}};
  chart figure = {.title = "Set-up and prefilter, of the time for a solve (figure 6)",
                  .notes = {both},
                  .x = vertices_axis,
                  .y = {"share of the time", CHART_PERCENT, 0, 0, 100}};
  draw_examples(r, 4, looks, &figure, file);
}

static void print_figure_7(const seed_000 *r, FILE *file) {
  const style looks[] = {{"sa:fast", "sa, preset fast", GREEN, 0, RUN_USUAL, total},
                         {"sa:paper", "sa, preset paper", BLUE, 0, RUN_USUAL, total},
                         {"diag", "diag: block-Jacobi", VERMILION, 0, RUN_USUAL, total},
                         {"cholmod", "cholmod: direct", PINK, 0, RUN_USUAL, total},
                         {"gamg", "gamg (PETSc), one thread", BROWN, 1, RUN_ONE, total},
                         {"boomeramg", "boomeramg (hypre), one thread", BLACK, 1, RUN_ONE, total}};
  chart figure = {.title = "Time for a solve (figure 7)",
                  .notes = {"set-up, prefilter and solve, averages", both},
                  .x = vertices_axis,
                  .y = {"time for a solve", CHART_SECONDS, 1, 0, 0}};
  draw_examples(r, 6, looks, &figure, file);
}

static void print_figure_8(const seed_000 *r, FILE *file) {
  const style looks[] = {{"sa:fast", "sa, preset fast, prefiltered", GREEN, 0, RUN_USUAL, total},
                         {"sa:paper", "sa, preset paper, prefiltered", BLUE, 0, RUN_USUAL, total},
                         {"sa:paper:filtered", "sa, preset paper, filtered", SKY, 1, RUN_USUAL, total},
                         {"diag", "diag, prefiltered", VERMILION, 0, RUN_USUAL, total},
                         {"diag:filtered", "diag, filtered", ORANGE, 1, RUN_USUAL, total}};
  static panel panels[TESSELLATIONS];
  chart_panel list[TESSELLATIONS];
  for (int t = 0; t < TESSELLATIONS; ++t) {
    panels[t].panel = (chart_panel){.title = t == 0 ? "drop-horizontal, regular" : "drop-horizontal, irregular"};
    for (int s = 0; s < 5; ++s)
      add_curve(r, "drop-horizontal", t, &looks[s], &panels[t]);
    for (int s = 0; s < panels[t].panel.count; ++s)
      panels[t].series[s].dashed = 0;
    list[t] = panels[t].panel;
  }
  chart figure = {.title = "What prefiltering does (figure 8)",
                  .subtitle = r->setting,
                  .notes = {"filtered: constraints are taken out of vectors,", "not out of the matrix"},
                  .x = vertices_axis,
                  .y = {"time for a solve", CHART_SECONDS, 1, 0, 0},
                  .columns = 3,
                  .count = TESSELLATIONS,
                  .width = 270,
                  .height = 260,
                  .panels = list};
  chart_svg(&figure, file);
}

// --- the dressed figure ----------------------------------------------------------------------------------------------

static double part(const json_t *solve, const char *key) { return json_number_value(json_object_get(solve, key)); }

// Times of solves over the time of the simulation; both arrays are long enough.
static chart_series curve_of(const measured_solver *s, const char *name, hue colour, double *x, double *y) {
  size_t count = json_array_size(s->solves);
  for (size_t k = 0; k < count; ++k) {
    const json_t *solve = json_array_get(s->solves, k);
    x[k] = part(solve, "time");
    y[k] = part(solve, "values_s") + part(solve, "setup_s") + part(solve, "prefilter_s") + part(solve, "solve_s");
  }
  return (chart_series){
      .name = name, .colour = svg_colour((int)colour), .plain = 1, .count = (int)count, .x = x, .y = y};
}

static const measurement *dressed_of(const seed_000 *r) {
  const measurement *last = NULL;
  for (int k = 0; k < r->all.count; ++k)
    if (strcmp(r->all.list[k].example, "dressed") == 0)
      last = &r->all.list[k];
  return last;
}

static void print_figure_9(const seed_000 *r, FILE *file) {
  static const char *const names[] = {"sa:fast", "sa:paper", "diag"};
  static const char *const words[] = {"sa, preset fast", "sa, preset paper", "diag: block-Jacobi"};
  static const hue hues[] = {GREEN, BLUE, VERMILION};
  const measurement *m = dressed_of(r);
  double *numbers = calloc(6 * (size_t)m->steps, sizeof *numbers);
  chart_series series[3];
  char title[160], setting[SEED_000_LINE];
  int count = 0;
  for (int k = 0; k < 3 && numbers; ++k) {
    const measured_solver *s = measurement_solver(m, names[k]);
    double *x = numbers + 2 * (size_t)k * (size_t)m->steps;
    if (s && json_array_size(s->solves) <= (size_t)m->steps)
      series[count++] = curve_of(s, words[k], hues[k], x, x + m->steps);
  }
  snprintf(title, sizeof title, "a dress of %d vertices: stands, walks from 1 s, runs from 3 s", m->vertices);
  seed_000_describe(m, setting);
  const chart_panel whole = {title, count, series};
  chart figure = {.title = "Time for each solve through walk and run (figure 9)",
                  .subtitle = setting,
                  .x = {"time of the simulation, s", CHART_NUMBER, 0, 0, 0},
                  .y = {"time for a solve", CHART_SECONDS, 0, 0, 0},
                  .columns = 1,
                  .count = 1,
                  .width = 700,
                  .height = 300,
                  .panels = &whole};
  chart_svg(&figure, file);
  free(numbers);
}

int seed_000_figures(const seed_000 *r) {
  int failed = seed_000_write(r, "figure-5.svg", print_figure_5);
  if (!failed)
    failed = seed_000_write(r, "figure-6.svg", print_figure_6);
  if (!failed)
    failed = seed_000_write(r, "figure-7.svg", print_figure_7);
  if (!failed)
    failed = seed_000_write(r, "figure-8.svg", print_figure_8);
  return failed || !dressed_of(r) ? failed : seed_000_write(r, "figure-9.svg", print_figure_9);
}
