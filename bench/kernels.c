// Measures the sparse kernels against the machine: y = A x in units of the read bandwidth, the fused Chebyshev step in
// units of products, for each instruction set and precision.
//
// The machine may be shared and noisy, so all measurements are taken in turn, many times over, and what is compared
// are medians of ratios within one turn.
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "block_sizes.h"
#include "cli/options.h"
#include "cli/output.h"
#include "par/par.h"
#include "par/vector.h"
#include "reading.h"
#include "sheet_system.h"

static const double product_target = 0.8;    // of the read bandwidth, at least
static const double chebyshev_target = 1.15; // products a matrix pass, at most

typedef enum measure { PRODUCT, PRODUCT_F, STEP, STEP_F, SWEEP, SWEEP_F, MEASURES } measure;

typedef struct options {
  int side, threads, repeats;
  const char *json, *blocks;
} options;

// Everything that is timed.
typedef struct workload {
  sheet_system sheet;
  mus_matrix_f a_f;
  size_t unknowns;
  double *inverse, *x, *b, *y;
  float *inverse_f, *x_f, *b_f, *y_f;
  double *array; // READ_BYTES
  volatile double sink;
} workload;

// Seconds: of a read of the whole array, and of every measure with every instruction set.
typedef struct timing {
  double read[REPEATS_MAXIMUM];
  double measure[MUS_INSTRUCTION_SETS][MEASURES][REPEATS_MAXIMUM];
} timing;

// --- what is timed ------------------------------------------------------------------------------------------------

static void run_measure(workload *w, measure which) {
  const mus_matrix *a = &w->sheet.a;
  switch (which) {
  case PRODUCT:
    mus_multiply(a, w->x, w->y);
    break;
  case PRODUCT_F:
    mus_multiply_f(&w->a_f, w->x_f, w->y_f);
    break;
  case SWEEP: // of second order, as the smoother runs it
    mus_chebyshev_step(a, w->inverse, w->b, w->x, 0.5, 0, 0, w->y);
    mus_chebyshev_step(a, w->inverse, w->b, w->y, 0.5, 0.1, 0.1, w->x);
    break;
  case SWEEP_F:
    mus_chebyshev_step_f(&w->a_f, w->inverse_f, w->b_f, w->x_f, 0.5f, 0, 0, w->y_f);
    mus_chebyshev_step_f(&w->a_f, w->inverse_f, w->b_f, w->y_f, 0.5f, 0.1f, 0.1f, w->x_f);
    break;
  case STEP:
    mus_chebyshev_step(a, w->inverse, w->b, w->x, 0.5, 0.1, 0.1, w->y);
    break;
  case STEP_F:
    mus_chebyshev_step_f(&w->a_f, w->inverse_f, w->b_f, w->x_f, 0.5f, 0.1f, 0.1f, w->y_f);
    break;
  case MEASURES:
    break;
  }
}

static int passes(measure which) { return which == SWEEP || which == SWEEP_F ? 2 : 1; }

// Bytes that a product has to move: values, columns and row starts, x and y once each.
static double product_bytes(const workload *w, size_t real) {
  size_t blocks = (size_t)mus_pattern_blocks(w->sheet.pattern);
  return (double)(blocks * (9 * real + sizeof(int)) + ((size_t)w->sheet.rows + 1) * sizeof(int) +
                  2 * w->unknowns * real);
}

// --- memory -------------------------------------------------------------------------------------------------------

static mus_status create_vectors(workload *w) {
  mus_arena *arena = &w->sheet.arena;
  size_t n = w->unknowns;
  double **vector[] = {&w->x, &w->b, &w->y};
  float **vector_f[] = {&w->x_f, &w->b_f, &w->y_f};
  w->array = mus_arena_alloc(arena, READ_BYTES, 1);
  w->inverse = mus_arena_alloc(arena, n * 3, sizeof(double));
  w->inverse_f = mus_arena_alloc(arena, n * 3, sizeof(float));
  if (!w->array || !w->inverse || !w->inverse_f)
    return mus_fail_memory();
  mus_fill(READ_BYTES / sizeof(double), 1, w->array);
  return sheet_random_vectors(&w->sheet, 3, vector, vector_f);
}

static mus_status create_workload(const options *chosen, workload *w) {
  sheet_options sheet = sheet_default_options();
  sheet.side = chosen->side;
  mus_status status = sheet_system_create(&sheet, &w->sheet);
  if (status)
    return status;
  w->unknowns = (size_t)w->sheet.rows * 3;
  status = mus_matrix_create_f(&w->sheet.arena, w->sheet.pattern, 3, 3, &w->a_f);
  if (!status)
    status = create_vectors(w);
  int *place = mus_alloc((size_t)w->sheet.rows, sizeof *place);
  if (!status && !place)
    status = mus_fail_memory();
  if (!status)
    status = mus_diagonal_places(w->sheet.pattern, place);
  if (!status)
    status = mus_inverse_diagonal(&w->sheet.a, place, w->inverse);
  if (!status) {
    mus_matrix_round(&w->sheet.a, &w->a_f);
    mus_to_float(w->unknowns * 3, 1, w->inverse, w->inverse_f);
  }
  mus_free(place);
  return status;
}

// --- timing -------------------------------------------------------------------------------------------------------

// One turn: the read, then all measures with all instruction sets. Double and single precision alternate, so that
// nothing finds its matrix still in the cache.
static void take_turn(workload *w, timing *t, int turn) {
  double start = mus_seconds();
  w->sink = reading_sum(w->array);
  t->read[turn] = mus_seconds() - start;
  for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set) {
    if (mus_instructions_use((mus_instructions)set))
      continue;
    for (int m = 0; m < MEASURES; ++m) {
      start = mus_seconds();
      run_measure(w, (measure)m);
      t->measure[set][m][turn] = (mus_seconds() - start) / passes((measure)m);
    }
  }
}

// --- report -------------------------------------------------------------------------------------------------------

typedef struct figures {
  double seconds[MEASURES];
  double bandwidth[2];          // of the product, GB/s, in double and single
  double of_read[2];            // the same in units of the read bandwidth
  double in_products[MEASURES]; // of the same precision
} figures;

static figures figures_of(const workload *w, const timing *t, int set, int repeats) {
  figures f;
  for (int m = 0; m < MEASURES; ++m) {
    f.seconds[m] = reading_median(repeats, 1, t->measure[set][m], NULL);
    f.in_products[m] = reading_median(repeats, 1, t->measure[set][m], t->measure[set][m % 2 ? PRODUCT_F : PRODUCT]);
  }
  for (int k = 0; k < 2; ++k) {
    double bytes = product_bytes(w, k ? sizeof(float) : sizeof(double));
    f.bandwidth[k] = bytes / f.seconds[k ? PRODUCT_F : PRODUCT] * 1e-9;
    f.of_read[k] = reading_median(repeats, bytes / READ_BYTES, t->read, t->measure[set][k ? PRODUCT_F : PRODUCT]);
  }
  return f;
}

static const char *verdict(int good) { return good ? "PASS" : "MISS"; }

static void print_figures(const figures *f, const char *name) {
  for (int k = 0; k < 2; ++k)
    printf("%-8s %-7s %10.2f %8.1f %9.0f%% %13.3f %13.3f\n", name, k ? "single" : "double",
           1e3 * f->seconds[k ? PRODUCT_F : PRODUCT], f->bandwidth[k], 100 * f->of_read[k],
           f->in_products[k ? STEP_F : STEP], f->in_products[k ? SWEEP_F : SWEEP]);
}

static json_t *figures_json(const figures *f, const char *name, int single) {
  return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "instructions", name, "precision",
                   single ? "single" : "double", "product_s", f->seconds[single ? PRODUCT_F : PRODUCT], "product_gb_s",
                   f->bandwidth[single], "product_of_read", f->of_read[single], "chebyshev_step_products",
                   f->in_products[single ? STEP_F : STEP], "chebyshev_pass_products",
                   f->in_products[single ? SWEEP_F : SWEEP]);
}

static int write_json(const char *path, json_t *root) {
  char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
  if (!text) {
    fprintf(stderr, "bench_kernels: out of memory for %s\n", path);
    return 1;
  }
  int failed = output_write("bench_kernels", path, text, strlen(text));
  free(text);
  return failed;
}

static void warn_when_busy(const timing *t, int repeats) {
  double slow = READ_BYTES / reading_quantile(0.9, repeats, 1, t->read, NULL) * 1e-9;
  double fast = READ_BYTES / reading_quantile(0.1, repeats, 1, t->read, NULL) * 1e-9;
  if (fast > 1.5 * slow)
    printf("The machine was busy (it read %.1f to %.1f GB/s): run this again when it is idle.\n", slow, fast);
}

static int report(const options *chosen, const workload *w, const timing *t) {
  double read = READ_BYTES / reading_median(chosen->repeats, 1, t->read, NULL) * 1e-9;
  json_t *list = json_array();
  printf("%d vertices, %d blocks of 3x3, %d threads, medians of %d turns\n", w->sheet.rows,
         mus_pattern_blocks(w->sheet.pattern), mus_par_threads(), chosen->repeats);
  printf("read bandwidth: %.1f GB/s (sum of %d MiB)\n\n", read, READ_BYTES >> 20);
  printf("                      product             of read   Chebyshev, products a pass\n");
  printf("                           ms     GB/s  bandwidth          step  2nd-order sweep\n");
  figures best = {0};
  for (int set = 0; set < MUS_INSTRUCTION_SETS; ++set) {
    const char *name = mus_instructions_name((mus_instructions)set);
    if (!mus_instructions_available((mus_instructions)set))
      continue;
    figures f = figures_of(w, t, set, chosen->repeats);
    print_figures(&f, name);
    for (int single = 0; single < 2; ++single)
      json_array_append_new(list, figures_json(&f, name, single));
    if (best.bandwidth[0] == 0 || f.seconds[PRODUCT] < best.seconds[PRODUCT])
      best = f;
  }
  double sweep = fmax(best.in_products[SWEEP], best.in_products[SWEEP_F]);
  int product_good = best.of_read[0] >= product_target, sweep_good = sweep <= chebyshev_target;
  printf("\n%s  product in double: %.0f%% of the read bandwidth (target: at least %.0f%%)\n", verdict(product_good),
         100 * best.of_read[0], 100 * product_target);
  printf("%s  Chebyshev sweep: %.3f products a matrix pass in double, %.3f in single (target: at most %.2f)\n",
         verdict(sweep_good), best.in_products[SWEEP], best.in_products[SWEEP_F], chebyshev_target);
  warn_when_busy(t, chosen->repeats);
  json_t *root = json_pack("{s:i, s:i, s:i, s:i, s:f, s:o, s:b, s:b}", "vertices", w->sheet.rows, "blocks",
                           mus_pattern_blocks(w->sheet.pattern), "threads", mus_par_threads(), "turns", chosen->repeats,
                           "read_gb_s", read, "results", list, "product_target_met", product_good,
                           "chebyshev_target_met", sweep_good);
  int failed = chosen->json ? write_json(chosen->json, root) : 0;
  json_decref(root);
  return failed;
}

static int run(const options *chosen) {
  workload w = {0};
  timing *t = mus_alloc(1, sizeof *t);
  mus_status status = t ? create_workload(chosen, &w) : mus_fail_memory();
  int failed = 1;
  if (status)
    fprintf(stderr, "bench_kernels: %s\n", mus_last_error());
  else {
    take_turn(&w, t, 0); // warms up; overwritten by the next
    for (int turn = 0; turn < chosen->repeats; ++turn)
      take_turn(&w, t, turn);
    failed = report(chosen, &w, t);
  }
  sheet_system_free(&w.sheet);
  mus_free(t);
  return failed;
}

int main(int argc, char **argv) {
  options chosen = {.side = 401, .repeats = 31};
  int help = 0;
  option list[] = {option_whole("side", &chosen.side, 2, 4096, "vertices a side of the sheet (401: 160,801 vertices)"),
                   option_whole("threads", &chosen.threads, 0, 4096, "0: all cores (0)"),
                   option_whole("repeats", &chosen.repeats, 1, REPEATS_MAXIMUM, "turns to take the median of (31)"),
                   option_text("json", &chosen.json, "FILE", "write the figures too"),
                   option_text("blocks", &chosen.blocks, "LIST",
                               "instead, products with blocks of these sizes, as in 1,2,12, or all"),
                   option_flag("help", &help, "print this text")};
  list[sizeof list / sizeof *list - 1].letter = 'h'; // of help
  option_table table = {"bench_kernels", list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(&table, &help,
                     "bench_kernels: measures the sparse products against the machine's read bandwidth.\n\n", argc - 1,
                     argv + 1, &ended))
    return ended;
  mus_par_set_threads(chosen.threads);
  return chosen.blocks ? block_sizes_report(chosen.blocks, chosen.repeats) : run(&chosen);
}
