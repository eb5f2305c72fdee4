// Measures symmetric storage against plain storage: products and smoother steps in both precisions, what conjugate
// gradients with a V-cycle do in an iteration, and the time to fill the storage from a plain matrix. Gauss-Seidel
// sweeps, which plain storage has no counterpart of, are compared with its smoother step.
//
// The machine may be shared and noisy, so all measurements are taken in turn, many times over, and what is compared
// are medians of ratios within one turn.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/timer.h"
#include "cli/options.h"
#include "par/par.h"
#include "par/vector.h"
#include "sheet_system.h"
#include "sparse/symmetric_sweep.h"

enum { READ_BYTES = 256 << 20, READ_RUNS = 1024, REPEATS_MAXIMUM = 1001 };

typedef struct options {
  int side, threads, repeats, irregular;
} options;

typedef struct workload {
  sheet_system sheet;
  mus_matrix_f a_f;
  mus_symmetric_pattern pattern;
  mus_symmetric_order order;
  mus_symmetric s;
  mus_symmetric_f s_f;
  size_t unknowns;
  double *inverse, *x, *b, *y, *swept, *residual;
  float *inverse_f, *x_f, *b_f, *y_f, *swept_f, *residual_f;
  double *array; // READ_BYTES
  volatile double sink;
} workload;

// --- what is timed ------------------------------------------------------------------------------------------------

static void read_array(workload *w) {
  const size_t run = READ_BYTES / sizeof(double) / READ_RUNS;
  double part[READ_RUNS], total = 0;
  MUS_PARALLEL_FOR
  for (int k = 0; k < READ_RUNS; ++k) {
    double sum[16] = {0};
    const double *x = w->array + (size_t)k * run;
    for (size_t i = 0; i < run; i += 16)
      for (size_t lane = 0; lane < 16; ++lane)
        sum[lane] += x[i + lane];
    part[k] = 0;
    for (int lane = 0; lane < 16; ++lane)
      part[k] += sum[lane];
  }
  for (int k = 0; k < READ_RUNS; ++k)
    total += part[k];
  w->sink = total;
}

static void plain_product(workload *w) { mus_multiply(&w->sheet.a, w->x, w->y); }
static void product(workload *w) { mus_symmetric_multiply(&w->s, w->x, w->y); }
static void plain_product_f(workload *w) { mus_multiply_f(&w->a_f, w->x_f, w->y_f); }
static void product_f(workload *w) { mus_symmetric_multiply_f(&w->s_f, w->x_f, w->y_f); }
static void plain_residual_f(workload *w) { mus_residual_f(&w->a_f, w->b_f, w->x_f, w->y_f); }
static void residual_f(workload *w) { mus_symmetric_residual_f(&w->s_f, w->b_f, w->x_f, w->y_f); }

static void plain_step(workload *w) { mus_chebyshev_step(&w->sheet.a, w->inverse, w->b, w->x, 0.5, 0.1, 0.1, w->y); }
static void step(workload *w) { mus_symmetric_chebyshev(&w->s, w->inverse, w->b, w->x, 0.5, 0.1, 0.1, w->y); }
static void plain_step_f(workload *w) {
  mus_chebyshev_step_f(&w->a_f, w->inverse_f, w->b_f, w->x_f, 0.5f, 0, 0, w->y_f);
}
static void step_f(workload *w) {
  mus_symmetric_chebyshev_f(&w->s_f, w->inverse_f, w->b_f, w->x_f, 0.5f, 0, 0, w->y_f);
}

static void down(workload *w) { mus_symmetric_sweep_down(&w->s, &w->order, w->inverse, w->b, w->swept, w->residual); }
static void up(workload *w) { mus_symmetric_sweep_up(&w->s, &w->order, w->inverse, w->b, w->swept); }
static void down_f(workload *w) {
  mus_symmetric_sweep_down_f(&w->s_f, &w->order, w->inverse_f, w->b_f, w->swept_f, w->residual_f);
}
static void up_f(workload *w) { mus_symmetric_sweep_up_f(&w->s_f, &w->order, w->inverse_f, w->b_f, w->swept_f); }

static void plain_dot(workload *w) {
  plain_product(w);
  w->sink = mus_dot(w->unknowns, w->x, w->y);
}
static void dot(workload *w) { w->sink = mus_symmetric_multiply_dot(&w->s, w->x, w->y); }

// One product in double, a residual and a sweep in single precision.
static void plain_iteration(workload *w) {
  plain_dot(w);
  plain_residual_f(w);
  plain_step_f(w);
}
static void half_iteration(workload *w) {
  dot(w);
  plain_residual_f(w);
  plain_step_f(w);
}
static void iteration(workload *w) {
  dot(w);
  residual_f(w);
  step_f(w);
}

static void round_plain(workload *w) { mus_matrix_round(&w->sheet.a, &w->a_f); }
static void fill(workload *w) { mus_symmetric_fill(&w->sheet.a, &w->s); }
static void fill_f(workload *w) { mus_symmetric_fill_f(&w->sheet.a, &w->s_f); }
static void fill_both(workload *w) { mus_symmetric_fill_both(&w->sheet.a, &w->s, &w->s_f); }

typedef struct measure {
  const char *name;
  void (*run)(workload *w);
  int against;           // another measure
  size_t real, vectors;  // of a pass over the matrix: bytes a number; vectors and blocks beside it
  size_t inverse_blocks; // a row
} measure;

static const measure measures[] = {{"product, plain", plain_product, 0, 8, 2, 0},
                                   {"product", product, 0, 8, 2, 0},
                                   {"product and dot, plain", plain_dot, 2, 8, 2, 0},
                                   {"product and dot", dot, 2, 8, 2, 0},
                                   {"step, plain", plain_step, 4, 8, 4, 1},
                                   {"step", step, 4, 8, 4, 1},
                                   {"sweep down", down, 4, 8, 4, 1},
                                   {"sweep up", up, 4, 8, 3, 1},
                                   {"single product, plain", plain_product_f, 8, 4, 2, 0},
                                   {"single product", product_f, 8, 4, 2, 0},
                                   {"single residual, plain", plain_residual_f, 10, 4, 3, 0},
                                   {"single residual", residual_f, 10, 4, 3, 0},
                                   {"single step, plain", plain_step_f, 12, 4, 3, 1},
                                   {"single step", step_f, 12, 4, 3, 1},
                                   {"single sweep down", down_f, 12, 4, 4, 1},
                                   {"single sweep up", up_f, 12, 4, 3, 1},
                                   {"iteration, plain", plain_iteration, 16, 0, 0, 0},
                                   {"iteration, double symmetric", half_iteration, 16, 0, 0, 0},
                                   {"iteration, both symmetric", iteration, 16, 0, 0, 0},
                                   {"rounding, plain", round_plain, 19, 0, 0, 0},
                                   {"filling", fill, 19, 0, 0, 0},
                                   {"filling in single", fill_f, 19, 0, 0, 0},
                                   {"filling both", fill_both, 19, 0, 0, 0}};
enum { MEASURES = sizeof measures / sizeof measures[0] };

static int is_plain(int m) { return measures[m].against == m; }

// Bytes that a pass has to move; 0 where that is not one pass.
static double bytes_of(const workload *w, int m) {
  const measure *o = &measures[m];
  size_t rows = (size_t)w->sheet.rows, starts = is_plain(m) ? rows : 2 * rows;
  size_t blocks = (size_t)(is_plain(m) ? mus_pattern_blocks(w->sheet.pattern) : mus_symmetric_blocks(&w->pattern));
  if (o->real == 0)
    return 0;
  return (double)(blocks * (9 * o->real + sizeof(int)) + starts * sizeof(int) +
                  (o->vectors * w->unknowns + 9 * o->inverse_blocks * rows) * o->real);
}

// --- memory -------------------------------------------------------------------------------------------------------

static mus_status create_vectors(workload *w) {
  mus_arena *arena = &w->sheet.arena;
  size_t n = w->unknowns;
  double **vector[] = {&w->x, &w->b, &w->y, &w->swept, &w->residual};
  float **vector_f[] = {&w->x_f, &w->b_f, &w->y_f, &w->swept_f, &w->residual_f};
  w->array = mus_arena_alloc(arena, READ_BYTES, 1);
  w->inverse = mus_arena_alloc(arena, n * 3, sizeof(double));
  w->inverse_f = mus_arena_alloc(arena, n * 3, sizeof(float));
  if (!w->array || !w->inverse || !w->inverse_f)
    return mus_fail_memory();
  mus_fill(READ_BYTES / sizeof(double), 1, w->array);
  int *place = mus_arena_alloc(arena, (size_t)w->sheet.rows, sizeof *place);
  mus_status status = place ? mus_diagonal_places(w->sheet.pattern, place) : mus_fail_memory();
  if (!status)
    status = mus_inverse_diagonal(&w->sheet.a, place, w->inverse);
  if (status)
    return status;
  mus_to_float(n * 3, 1, w->inverse, w->inverse_f);
  return sheet_random_vectors(&w->sheet, 5, vector, vector_f);
}

static mus_status create_workload(const options *chosen, workload *w) {
  sheet_options sheet = sheet_default_options();
  sheet.side = chosen->side;
  sheet.irregular = chosen->irregular;
  mus_status status = sheet_system_create(&sheet, &w->sheet);
  if (status)
    return status;
  mus_arena *arena = &w->sheet.arena;
  w->unknowns = (size_t)w->sheet.rows * 3;
  status = mus_matrix_create_f(arena, w->sheet.pattern, 3, 3, &w->a_f);
  if (!status)
    status = mus_symmetric_pattern_create(arena, w->sheet.pattern, 3, &w->pattern);
  if (!status)
    status = mus_symmetric_order_create(arena, &w->pattern, &w->order);
  if (!status)
    status = mus_symmetric_create(arena, &w->pattern, &w->s);
  if (!status)
    status = mus_symmetric_create_f(arena, &w->pattern, &w->s_f);
  return status ? status : create_vectors(w);
}

// --- timing -------------------------------------------------------------------------------------------------------

typedef struct timing {
  double read[REPEATS_MAXIMUM];
  double seconds[MEASURES][REPEATS_MAXIMUM];
} timing;

static void take_turn(workload *w, timing *t, int turn) {
  double start = mus_seconds();
  read_array(w);
  t->read[turn] = mus_seconds() - start;
  for (int m = 0; m < MEASURES; ++m) {
    measures[m].run(w); // finds in the cache what it left there, as it will when it is used over and over
    start = mus_seconds();
    measures[m].run(w);
    t->seconds[m][turn] = mus_seconds() - start;
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of above[i] / below[i]; `below` may be NULL.
static double median(int count, const double *above, const double *below) {
  double ratio[REPEATS_MAXIMUM];
  for (int i = 0; i < count; ++i)
    ratio[i] = above[i] / (below ? below[i] : 1);
  qsort(ratio, (size_t)count, sizeof *ratio, compare);
  return ratio[count / 2];
}

static double best(int count, const double *seconds) {
  double least = seconds[0];
  for (int i = 1; i < count; ++i)
    least = seconds[i] < least ? seconds[i] : least;
  return least;
}

static void report(const options *chosen, const workload *w, const timing *t) {
  int n = chosen->repeats;
  double read = READ_BYTES / best(n, t->read);
  printf("%d vertices, %d blocks of 3x3, %d stored in %d chunks, %d threads, %d turns, read %.1f GB/s\n\n",
         w->sheet.rows, mus_pattern_blocks(w->sheet.pattern), mus_symmetric_blocks(&w->pattern), w->pattern.chunks,
         mus_par_threads(), n, read * 1e-9);
  printf("                              median ms    best ms       MB   of floor   gain (median)   gain (best)\n");
  for (int m = 0; m < MEASURES; ++m) {
    double bytes = bytes_of(w, m), least = best(n, t->seconds[m]);
    int against = measures[m].against;
    printf("%-28s %10.3f %10.3f %8.1f %10.2f %15.2f %13.2f\n", measures[m].name, 1e3 * median(n, t->seconds[m], NULL),
           1e3 * least, bytes * 1e-6, bytes > 0 ? least * read / bytes : 0,
           median(n, t->seconds[against], t->seconds[m]), best(n, t->seconds[against]) / least);
  }
}

static int run(const options *chosen) {
  workload w = {0};
  timing *t = mus_alloc(1, sizeof *t);
  mus_status status = t ? create_workload(chosen, &w) : mus_fail_memory();
  if (status)
    fprintf(stderr, "bench_symmetric: %s\n", mus_last_error());
  else {
    round_plain(&w);
    fill(&w);
    fill_f(&w);
    for (int turn = 0; turn < chosen->repeats; ++turn)
      take_turn(&w, t, turn);
    report(chosen, &w, t);
  }
  sheet_system_free(&w.sheet);
  mus_free(t);
  return status != MUS_OK;
}

int main(int argc, char **argv) {
  options chosen = {.side = 401, .repeats = 21};
  int help = 0;
  option list[] = {option_whole("side", &chosen.side, 2, 4096, "vertices a side of the sheet (401: 160,801 vertices)"),
                   option_whole("threads", &chosen.threads, 0, 4096, "0: all cores (0)"),
                   option_whole("repeats", &chosen.repeats, 1, REPEATS_MAXIMUM, "turns to take the median of (21)"),
                   option_flag("irregular", &chosen.irregular, "diagonals chosen at random"),
                   option_flag("help", &help, "print this text")};
  list[sizeof list / sizeof *list - 1].letter = 'h'; // of help
  option_table table = {"bench_symmetric", list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(&table, &help, "bench_symmetric: measures symmetric storage against plain storage.\n\n", argc - 1,
                     argv + 1, &ended))
    return ended;
  mus_par_set_threads(chosen.threads);
  return run(&chosen);
}
