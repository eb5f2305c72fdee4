// Measures what a hierarchy costs beside smoothing: Galerkin products, inverse diagonals, restriction and prolongation
// over all levels in single precision, in units of one double product y = A x with the finest matrix.
//
// Levels and prolongators are those of a drooping sheet, three translations, filtered prolongator. The machine may be
// shared and noisy, so measurements are taken in turn and compared within a turn; before each of them a product with
// the double matrix leaves the caches as they are found in a solve.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/timer.h"
#include "cli/options.h"
#include "multigrid/aggregation/aggregation.h"
#include "par/par.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "sparse/product.h"

enum { REPEATS_MAXIMUM = 1001 };

typedef enum measure {
  PRODUCT,
  PRODUCT_F,
  ROUND,
  GALERKIN,
  GALERKIN_F,
  INVERSE,
  RESTRICTION,
  PROLONGATION,
  MEASURES
} measure;
static const char *const names[MEASURES] = {"product, double",  "product, single",  "rounding of A",
                                            "Galerkin, double", "Galerkin, single", "inverse diagonals",
                                            "restriction",      "prolongation"};

typedef struct options {
  int side, threads, repeats;
} options;

// A level and the way to the next coarser one.
typedef struct level {
  mus_pattern pattern, prolongator;
  mus_matrix a, p, coarse;
  mus_matrix_f a_f, p_f, coarse_f;
  mus_galerkin plan;
  int *diagonal;
  float *inverse, *x, *x_coarse;
} level;

typedef struct workload {
  sheet_system sheet;
  mus_aggregation *aggregation;
  mus_arena arena;
  int levels;
  level level[MUS_LEVELS_MAXIMUM];
  double *x, *y;
} workload;

// --- levels -------------------------------------------------------------------------------------------------------

// Smoothed aggregation that keeps copies of what it sees and makes.
static mus_status analyse(void *self, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *coarse) {
  return mus_smoothed_aggregation.analyse(((workload *)self)->aggregation, fine, arena, coarse);
}

static mus_status keep(mus_arena *arena, const mus_matrix *from, mus_pattern *pattern, mus_matrix *to,
                       mus_matrix_f *to_f) {
  const mus_pattern *p = from->pattern;
  mus_status status = mus_pattern_copy(arena, p->rows, p->columns, p->row_start, p->column, pattern);
  if (!status)
    status = mus_matrix_create(arena, pattern, from->row_block, from->column_block, to);
  if (!status)
    status = mus_matrix_create_f(arena, pattern, from->row_block, from->column_block, to_f);
  if (!status) {
    mus_copy(mus_matrix_values(from), from->value, to->value);
    mus_matrix_round(to, to_f);
  }
  return status;
}

static mus_status fill(void *self, const mus_level_view *fine, mus_matrix *prolongator, unsigned char *live) {
  workload *w = self;
  level *l = &w->level[fine->level];
  w->levels = fine->level + 1;
  mus_status status = mus_smoothed_aggregation.fill(w->aggregation, fine, prolongator, live);
  if (!status)
    status = keep(&w->arena, fine->a, &l->pattern, &l->a, &l->a_f);
  if (!status)
    status = keep(&w->arena, prolongator, &l->prolongator, &l->p, &l->p_f);
  return status;
}

static int special_nodes(const void *self, int index) {
  return mus_smoothed_aggregation.special_nodes(((const workload *)self)->aggregation, index);
}

// Held vertices become rows of the unit matrix, times a number of the usual size; the kernel is zero there.
static void hold(sheet_system *sheet, double *kernel) {
  size_t n = (size_t)sheet->rows * 3;
  unsigned char *held = calloc((size_t)sheet->rows, 1);
  for (int k = 0; k < sheet->constraint_count && held; ++k)
    held[sheet->constraint[k].node] = 1;
  for (int i = 0; i < sheet->rows && held; ++i) {
    for (int k = sheet->pattern->row_start[i]; k < sheet->pattern->row_start[i + 1]; ++k) {
      double *block = sheet->a.value + (size_t)k * 9;
      int j = sheet->pattern->column[k];
      if (held[i] || held[j])
        for (int e = 0; e < 9; ++e)
          block[e] = i == j && e % 4 == 0 ? sheet->mass[i] : 0;
    }
    for (size_t c = 0; c < 3; ++c)
      kernel[c * n + (size_t)i * 3 + c] = !held[i];
  }
  free(held);
}

static mus_status make_levels(workload *w) {
  const mus_coarsening recorder = {
      .name = "recorder", .uses_radius = 1, .analyse = analyse, .fill = fill, .special_nodes = special_nodes};
  mus_hierarchy_options given = {.multigrid = mus_preset_solver_options(MUS_PRESET_FAST).multigrid,
                                 .precision = MUS_PRECISION_SINGLE};
  mus_sa_options sa = mus_preset_solver_options(MUS_PRESET_FAST).sa;
  sa.filter_prolongator = 1;
  size_t n = (size_t)w->sheet.rows * 3;
  double *kernel = mus_alloc_zero(3 * n, sizeof *kernel);
  mus_hierarchy *hierarchy = NULL;
  mus_status status = kernel ? mus_aggregation_create(&sa, NULL, &w->aggregation) : mus_fail_memory();
  if (!status) {
    hold(&w->sheet, kernel);
    status = mus_aggregation_set_kernel(w->aggregation, w->sheet.rows, 3, 3, kernel);
  }
  if (!status)
    status = mus_hierarchy_create(&recorder, w, &given, &hierarchy);
  if (!status)
    status = mus_hierarchy_analyse(hierarchy, &w->sheet.a);
  mus_hierarchy_free(hierarchy);
  mus_aggregation_free(w->aggregation);
  mus_free(kernel);
  return status;
}

// --- memory -------------------------------------------------------------------------------------------------------

static float *random_numbers(mus_arena *arena, size_t n) {
  float *x = mus_arena_alloc(arena, n, sizeof *x);
  double *wide = mus_alloc(n, sizeof *wide);
  if (x && wide) {
    mus_fill_random(n, 1, wide);
    mus_to_float(n, 1, wide, x);
  }
  mus_free(wide);
  return wide ? x : NULL;
}

static mus_status finish_level(mus_arena *arena, level *l) {
  size_t n = (size_t)l->pattern.rows * 3;
  mus_status status = mus_galerkin_create(arena, &l->pattern, &l->prolongator, &l->plan);
  if (!status)
    status = mus_matrix_create(arena, &l->plan.coarse, 3, 3, &l->coarse);
  if (!status)
    status = mus_matrix_create_f(arena, &l->plan.coarse, 3, 3, &l->coarse_f);
  l->diagonal = mus_arena_alloc(arena, (size_t)l->pattern.rows, sizeof *l->diagonal);
  l->inverse = mus_arena_alloc(arena, n * 3, sizeof *l->inverse);
  l->x = random_numbers(arena, n);
  l->x_coarse = random_numbers(arena, (size_t)l->plan.coarse.rows * 3);
  if (!l->diagonal || !l->inverse || !l->x || !l->x_coarse)
    return mus_fail_memory();
  return status ? status : mus_diagonal_places(&l->pattern, l->diagonal);
}

static mus_status create_workload(const options *chosen, workload *w) {
  sheet_options sheet = sheet_default_options();
  sheet.side = chosen->side;
  mus_status status = sheet_system_create(&sheet, &w->sheet);
  if (!status)
    status = make_levels(w);
  for (int k = 0; k < w->levels && !status; ++k)
    status = finish_level(&w->arena, &w->level[k]);
  size_t n = (size_t)w->sheet.rows * 3;
  w->x = mus_arena_alloc_zero(&w->arena, n, sizeof *w->x);
  w->y = mus_arena_alloc_zero(&w->arena, n, sizeof *w->y);
  return status || (w->x && w->y) ? status : mus_fail_memory();
}

// --- what is timed ------------------------------------------------------------------------------------------------

static mus_status run_on_level(level *l, measure which) {
  switch (which) {
  case GALERKIN:
    return mus_galerkin_fill(&l->plan, &l->a, &l->p, &l->coarse);
  case GALERKIN_F:
    return mus_galerkin_fill_f(&l->plan, &l->a_f, &l->p_f, &l->coarse_f);
  case INVERSE:
    return mus_inverse_diagonal_f(&l->a_f, l->diagonal, l->inverse);
  case RESTRICTION:
    mus_multiply_transposed_f(&l->p_f, &l->plan.pt, l->x, l->x_coarse);
    return MUS_OK;
  case PROLONGATION:
    mus_multiply_add_f(&l->p_f, l->x_coarse, l->x);
    return MUS_OK;
  default:
    return MUS_OK;
  }
}

// With one thread, processor time: what else runs on the machine then counts only by what it does to the caches.
static double now(void) { return mus_par_threads() == 1 ? (double)clock() / CLOCKS_PER_SEC : mus_seconds(); }

// Seconds, over all levels or the finest only.
static mus_status time_one(workload *w, measure which, int levels, double *seconds) {
  level *finest = &w->level[0];
  mus_status status = MUS_OK;
  mus_multiply(&finest->a, w->x, w->y);
  if (which == PRODUCT)
    mus_multiply_f(&finest->a_f, finest->x, (float *)w->y);
  double start = now();
  if (which == PRODUCT)
    mus_multiply(&finest->a, w->x, w->y);
  else if (which == PRODUCT_F)
    mus_multiply_f(&finest->a_f, finest->x, (float *)w->y);
  else if (which == ROUND)
    mus_matrix_round(&finest->a, &finest->a_f);
  for (int k = 0; k < levels && !status; ++k)
    status = run_on_level(&w->level[k], which);
  *seconds = now() - start;
  return status;
}

// --- report -------------------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(int count, const double *above, const double *below) {
  double ratio[REPEATS_MAXIMUM];
  for (int i = 0; i < count; ++i)
    ratio[i] = above[i] / below[i];
  qsort(ratio, (size_t)count, sizeof *ratio, compare);
  return ratio[count / 2];
}

static double best(int count, const double *seconds) {
  double least = seconds[0];
  for (int i = 1; i < count; ++i)
    least = seconds[i] < least ? seconds[i] : least;
  return least;
}

static void print_levels(const workload *w) {
  for (int k = 0; k < w->levels; ++k) {
    const level *l = &w->level[k];
    double rows = l->pattern.rows;
    printf("level %d: %d nodes, blocks per row: %.1f of A, %.2f of P, %.1f of U P; %d chunks\n", k, l->pattern.rows,
           mus_pattern_blocks(&l->pattern) / rows, mus_pattern_blocks(&l->prolongator) / rows,
           mus_pattern_blocks(&l->plan.up) / rows, l->plan.pass.chunks);
  }
}

static mus_status measure_all(const options *chosen, workload *w) {
  static double seconds[2][MEASURES][REPEATS_MAXIMUM]; // finest level, all levels
  for (int turn = -1; turn < chosen->repeats; ++turn)
    for (int m = 0; m < MEASURES; ++m)
      for (int all = 0; all < 2; ++all) {
        mus_status status = time_one(w, (measure)m, all ? w->levels : 1, &seconds[all][m][turn < 0 ? 0 : turn]);
        if (status)
          return status;
      }
  print_levels(w);
  const double *product = seconds[0][PRODUCT];
  printf("%d threads, %s, %d turns; in products: medians of a turn's ratios, and ratios of the best times\n\n",
         mus_par_threads(), mus_instructions_name(mus_instructions_current()), chosen->repeats);
  printf("%18s %10s %21s %21s\n%18s %10s %21s %21s\n", "", "best ms", "finest level", "all levels", "", "",
         "median       best", "median       best");
  for (int m = 0; m < MEASURES; ++m) {
    printf("%-18s %10.3f", names[m], 1e3 * best(chosen->repeats, seconds[0][m]));
    for (int all = 0; all < (m >= GALERKIN ? 2 : 1); ++all)
      printf(" %10.3f %10.3f", median(chosen->repeats, seconds[all][m], product),
             best(chosen->repeats, seconds[all][m]) / best(chosen->repeats, product));
    printf("\n");
  }
  return MUS_OK;
}

int main(int argc, char **argv) {
  options chosen = {.side = 201, .repeats = 31};
  int help = 0;
  option list[] = {option_whole("side", &chosen.side, 30, 4096, "vertices a side of the sheet (201: 40,401 vertices)"),
                   option_whole("threads", &chosen.threads, 0, 4096, "0: all cores (0)"),
                   option_whole("repeats", &chosen.repeats, 1, REPEATS_MAXIMUM, "turns to take the median of (31)"),
                   option_flag("help", &help, "print this text")};
  list[sizeof list / sizeof *list - 1].letter = 'h'; // of help
  option_table table = {"bench_transfers", list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(
          &table, &help,
          "bench_transfers: measures Galerkin products, restriction and prolongation in units of products.\n\n",
          argc - 1, argv + 1, &ended))
    return ended;
  mus_par_set_threads(chosen.threads);
  static workload w;
  mus_status status = create_workload(&chosen, &w);
  if (!status)
    status = measure_all(&chosen, &w);
  if (status)
    fprintf(stderr, "bench_transfers: %s\n", mus_last_error());
  mus_arena_clear(&w.arena);
  sheet_system_free(&w.sheet);
  return status != MUS_OK;
}
