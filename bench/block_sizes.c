// Products with blocks of every size, plain and symmetric, in both precisions. See block_sizes.h.
//
// All matrices have the pattern of a sheet with bending and about the same number of bytes, far beyond the caches.
#include "block_sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"
#include "reading.h"
#include "sparse/symmetric.h"

static const double target = 1.3; // of what the bytes take, at most
enum { MATRIX_BYTES = 192 << 20, SIZES_MAXIMUM = 16 };

typedef struct workload {
  mus_arena arena;
  mus_pattern pattern;
  mus_symmetric_pattern once;
  int block;
  size_t unknowns;
  mus_matrix a;
  mus_matrix_f a_f;
  mus_symmetric s;
  mus_symmetric_f s_f;
  double *x, *y, *array;
  float *x_f, *y_f;
  volatile double sink;
} workload;

static void plain(workload *w) { mus_multiply(&w->a, w->x, w->y); }
static void plain_f(workload *w) { mus_multiply_f(&w->a_f, w->x_f, w->y_f); }
static void symmetric(workload *w) { mus_symmetric_multiply(&w->s, w->x, w->y); }
static void symmetric_f(workload *w) { mus_symmetric_multiply_f(&w->s_f, w->x_f, w->y_f); }

static const struct {
  void (*run)(workload *w);
  int is_symmetric;
  size_t real;
} measures[] = {{plain, 0, 8}, {plain_f, 0, 4}, {symmetric, 1, 8}, {symmetric_f, 1, 4}};
enum { MEASURES = sizeof measures / sizeof *measures };

typedef struct timing {
  double read[REPEATS_MAXIMUM];
  double seconds[MEASURES][REPEATS_MAXIMUM];
} timing;

// Bytes that a product has to move: values, columns and row starts, x and y once each.
static double bytes_of(const workload *w, int m) {
  size_t real = measures[m].real, rows = (size_t)w->pattern.rows;
  size_t blocks = (size_t)(measures[m].is_symmetric ? mus_symmetric_blocks(&w->once) : mus_pattern_blocks(&w->pattern));
  size_t starts = measures[m].is_symmetric ? 2 * rows : rows;
  return (double)(blocks * ((size_t)(w->block * w->block) * real + sizeof(int)) + starts * sizeof(int) +
                  2 * w->unknowns * real);
}

// --- making the matrices ------------------------------------------------------------------------------------------

// A vertex of a sheet meets those of its triangles, and those that lie across their edges.
static const int neighbour[][2] = {{-2, -1}, {-1, -2}, {-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 0},
                                   {0, 1},   {1, -1},  {1, 0},   {1, 1},  {1, 2},  {2, 1}};
enum { NEIGHBOURS = sizeof neighbour / sizeof *neighbour };

static mus_status make_pattern(workload *w) {
  size_t row = NEIGHBOURS * ((size_t)(w->block * w->block) * sizeof(double) + sizeof(int));
  int side = (int)sqrt((double)MATRIX_BYTES / (double)row), rows = side * side, at = 0;
  mus_pattern *p = &w->pattern;
  *p = (mus_pattern){rows, rows, mus_arena_alloc(&w->arena, (size_t)rows + 1, sizeof(int)),
                     mus_arena_alloc(&w->arena, (size_t)rows * NEIGHBOURS, sizeof(int))};
  if (!p->row_start || !p->column)
    return mus_fail_memory();
  for (int i = 0; i < rows; ++i) {
    p->row_start[i] = at;
    for (int k = 0; k < NEIGHBOURS; ++k) {
      int down = i / side + neighbour[k][0], across = i % side + neighbour[k][1];
      if (down >= 0 && down < side && across >= 0 && across < side)
        p->column[at++] = down * side + across;
    }
  }
  p->row_start[rows] = at;
  w->unknowns = (size_t)rows * (size_t)w->block;
  return MUS_OK;
}

// Products do not ask whether numbers make a matrix symmetric.
static mus_status make_values(workload *w) {
  mus_arena *arena = &w->arena;
  int block = w->block;
  size_t n = w->unknowns;
  mus_status status = mus_matrix_create(arena, &w->pattern, block, block, &w->a);
  if (!status)
    status = mus_matrix_create_f(arena, &w->pattern, block, block, &w->a_f);
  if (!status)
    status = mus_symmetric_pattern_create(arena, &w->pattern, block, &w->once);
  if (!status)
    status = mus_symmetric_create(arena, &w->once, &w->s);
  if (!status)
    status = mus_symmetric_create_f(arena, &w->once, &w->s_f);
  w->x = mus_arena_alloc(arena, n, sizeof *w->x);
  w->y = mus_arena_alloc(arena, n, sizeof *w->y);
  w->x_f = mus_arena_alloc(arena, n, sizeof *w->x_f);
  w->y_f = mus_arena_alloc(arena, n, sizeof *w->y_f);
  if (!status && (!w->x || !w->y || !w->x_f || !w->y_f))
    status = mus_fail_memory();
  if (status)
    return status;
  for (size_t k = 0; k < mus_matrix_values(&w->a); ++k)
    w->a.value[k] = mus_random(1, k);
  for (size_t k = 0; k < n; ++k)
    w->x_f[k] = (float)(w->x[k] = mus_random(2, k));
  mus_matrix_round(&w->a, &w->a_f);
  mus_symmetric_fill_both(&w->a, &w->s, &w->s_f);
  return MUS_OK;
}

// --- measuring ----------------------------------------------------------------------------------------------------

static void take_turn(workload *w, timing *t, int turn) {
  double start = mus_seconds();
  w->sink = reading_sum(w->array);
  t->read[turn] = mus_seconds() - start;
  for (int m = 0; m < MEASURES; ++m) {
    start = mus_seconds();
    measures[m].run(w);
    t->seconds[m][turn] = mus_seconds() - start;
  }
}

// Returns the larger ratio of plain products.
static double print_row(const workload *w, const timing *t, int repeats) {
  double ratio[MEASURES], numbers = (double)mus_matrix_values(&w->a);
  printf("%5d %8.1f", w->block, READ_BYTES / reading_median(repeats, 1, t->read, NULL) * 1e-9);
  for (int m = 0; m < MEASURES; ++m) {
    ratio[m] = reading_median(repeats, READ_BYTES / bytes_of(w, m), t->seconds[m], t->read);
    printf("   %6.3f %6.2f", 1e9 / numbers * reading_median(repeats, 1, t->seconds[m], NULL), ratio[m]);
  }
  printf("\n");
  return fmax(ratio[0], ratio[1]);
}

static int measure(int block, double *array, timing *t, int repeats, double *worst) {
  workload w = {.block = block, .array = array};
  mus_status status = make_pattern(&w);
  if (!status)
    status = make_values(&w);
  if (status)
    fprintf(stderr, "bench_kernels: %s\n", mus_last_error());
  for (int turn = -1; turn < repeats && !status; ++turn) // the first warms up
    take_turn(&w, t, turn < 0 ? 0 : turn);
  if (!status)
    *worst = fmax(*worst, print_row(&w, t, repeats));
  mus_arena_clear(&w.arena);
  return status != MUS_OK;
}

static int parse(const char *text, int *size) {
  int count = 0;
  for (const char *at = strcmp(text, "all") ? text : "1,2,3,4,5,6,12"; at;) {
    char *end;
    long number = strtol(at, &end, 10);
    if (end == at || number < 1 || number > MUS_BLOCK_MAXIMUM || count == SIZES_MAXIMUM || (*end && *end != ',')) {
      fprintf(stderr, "bench_kernels: --blocks %s: give sizes from 1 to %d, as in 1,2,12, or all\n", text,
              MUS_BLOCK_MAXIMUM);
      return 0;
    }
    size[count++] = (int)number;
    at = *end ? end + 1 : NULL;
  }
  return count;
}

int block_sizes_report(const char *sizes, int repeats) {
  int size[SIZES_MAXIMUM], count = parse(sizes, size), failed = 0;
  if (count == 0)
    return 2;
  double *array = mus_alloc(READ_BYTES / sizeof *array, sizeof *array), worst = 0;
  timing *t = mus_alloc(1, sizeof *t);
  if (!array || !t)
    failed = 1;
  else
    mus_fill(READ_BYTES / sizeof *array, 1, array);
  if (failed)
    fprintf(stderr, "bench_kernels: out of memory\n");
  printf("%s, %d threads, medians of %d turns; times are in units of what the bytes take at the read bandwidth\n\n",
         mus_instructions_name(mus_instructions_current()), mus_par_threads(), repeats);
  printf("          read            plain           single        symmetric           single\n");
  printf("block     GB/s    ns/nz   time    ns/nz   time    ns/nz   time    ns/nz   time\n");
  for (int k = 0; k < count && !failed; ++k)
    failed = measure(size[k], array, t, repeats, &worst);
  if (!failed)
    printf("\n%s  plain products: at most %.2f (target: %.1f)\n", worst <= target ? "PASS" : "MISS", worst, target);
  mus_free(array);
  mus_free(t);
  return failed;
}
