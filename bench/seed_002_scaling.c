// Figures 22 and 23: what the parts of a cycle take, whole cycles over sizes and threads, and memory.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/timer.h"
#include "lattice/cycle.h"
#include "muslin/machine.h"
#include "par/par.h"
#include "seed_002.h"

static const double poisson = 0.48; // as in section 9.4
enum { REPEATS = 3 };

typedef struct box {
  mus_arena arena;
  mus_lattice_sweeps sweeps;
  mus_lattice_cycle_f cycle;
} box;

static mus_status create_box(int side, box *out) {
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice_domain *domain;
  mus_cells cells;
  int levels;
  *out = (box){.sweeps = {.band = options.band, .relocated = options.relocated, .visits = 1}};
  mus_status status = held_box(&out->arena, side, &cells);
  if (!status)
    status = mus_lattice_domains_create(&out->arena, &cells, &domain, &levels);
  if (!status)
    status = mus_lattice_cycle_create_f(&out->arena, domain, levels, (1 - 2 * poisson) / (2 * poisson), 0, &out->sweeps,
                                        &out->cycle);
  if (status)
    return status;
  const mus_lattice_level_f *l = out->cycle.level;
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < domain->cells; ++n)
      if (mus_lattice_is(domain, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        l->b[a][n] = (float)(n % 17) - 8;
  return MUS_OK;
}

// --- parts of a cycle -----------------------------------------------------------------------------------------------

enum { BOUNDARY, INSIDE, RESTRICTION, PROLONGATION, BOTTOM, PARTS };
static const char *const part_names[PARTS] = {"boundary smoothing", "distributive smoothing",
                                              "residuals and restriction", "prolongation", "coarsest level"};

static double now(double *since) {
  double before = *since;
  *since = processor_seconds();
  return *since - before;
}

static void smooth(const box *b, const mus_lattice_level_f *l, double *seconds, double *clock) {
  mus_lattice_sweep_band_f(l, &l->domain->band, b->sweeps.band, 0);
  seconds[BOUNDARY] += now(clock);
  mus_lattice_sweep_f(l);
  seconds[INSIDE] += now(clock);
  mus_lattice_sweep_band_f(l, &l->domain->band, b->sweeps.band, 1);
  seconds[BOUNDARY] += now(clock);
}

// A V-cycle, as lattice/cycle.h runs it, with a clock beside it.
static void timed_cycle(box *b, double *seconds) {
  double clock = processor_seconds();
  int last = b->cycle.levels - 1;
  for (int k = 0; k < last; ++k) {
    const mus_lattice_level_f *l = &b->cycle.level[k];
    smooth(b, l, seconds, &clock);
    mus_lattice_sweep_band_f(l, &l->domain->relocated, b->sweeps.relocated, 0);
    seconds[BOUNDARY] += now(&clock);
    mus_lattice_restrict_residual_f(l, l + 1);
    seconds[RESTRICTION] += now(&clock);
  }
  mus_lattice_bottom_solve(&b->cycle.bottom); // of what it was last given: its time does not depend on that
  seconds[BOTTOM] += now(&clock);
  for (int k = last - 1; k >= 0; --k) {
    const mus_lattice_level_f *l = &b->cycle.level[k];
    mus_lattice_extend_f(l + 1);
    mus_lattice_prolong_f(l + 1, l);
    seconds[PROLONGATION] += now(&clock);
    mus_lattice_sweep_band_f(l, &l->domain->relocated, b->sweeps.relocated, 1);
    seconds[BOUNDARY] += now(&clock);
    smooth(b, l, seconds, &clock);
  }
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

mus_status figure_22(study *s) {
  enum { SIZES = 3 };
  static const double paper[PARTS + 1][SIZES] = {{0.052, 0.197, 0.711}, {0.034, 0.235, 1.328}, {0.016, 0.109, 0.774},
                                                 {0.007, 0.040, 0.240}, {0.004, 0.005, 0.006}, {0.114, 0.588, 3.062}};
  double seconds[SIZES][PARTS + 1] = {{0}};
  int count = s->quick ? 1 : SIZES;
  mus_status status = MUS_OK;
  mus_par_set_threads(1);
  for (int k = 0; k < count && !status; ++k) {
    box b;
    status = create_box(32 << k, &b);
    for (int n = -1; n < REPEATS && !status; ++n) { // the first does not count
      double one[PARTS] = {0};
      timed_cycle(&b, one);
      for (int part = 0; part < PARTS && n >= 0; ++part)
        seconds[k][part] += one[part] / REPEATS;
    }
    for (int part = 0; part < PARTS; ++part)
      seconds[k][PARTS] += seconds[k][part];
    mus_arena_clear(&b.arena);
  }
  mus_par_set_threads(s->threads);
  if (status)
    return status;
  figure_table t;
  table_begin(
      s, &t, "figure-22", "Figure 22: parts of a V-cycle",
      "Processor time on one thread (s), single precision, boxes of 32^3, 64^3 and 128^3 at a Poisson's ratio of 0.48, "
      "beside the paper's (one core of an Intel X5365).",
      "part|32^3|paper: 32^3|64^3|paper: 64^3|128^3|paper: 128^3");
  for (int part = 0; part <= PARTS; ++part) {
    char line[TABLE_TEXT];
    int at = snprintf(line, sizeof line, "%s", part < PARTS ? part_names[part] : "all");
    for (int k = 0; k < SIZES; ++k)
      at += k < count ? snprintf(line + at, sizeof line - (size_t)at, "|%.4f|%.3f", seconds[k][part], paper[part][k])
                      : snprintf(line + at, sizeof line - (size_t)at, "||%.3f", paper[part][k]);
    table_row(&t, "%s", line);
  }
  return table_end(&t);
}

// --- sizes and threads ----------------------------------------------------------------------------------------------

static double median_cycle(box *b) {
  double seconds[REPEATS];
  mus_lattice_cycle_run_f(&b->cycle);
  for (int n = 0; n < REPEATS; ++n) {
    double begin = mus_seconds();
    mus_lattice_cycle_run_f(&b->cycle);
    seconds[n] = mus_seconds() - begin;
  }
  qsort(seconds, REPEATS, sizeof *seconds, compare_numbers);
  return seconds[REPEATS / 2];
}

// Bytes of everything that solves need, and those that a V-cycle moves and has to move at least.
static mus_status count_bytes(int side, double *all, double *moved, double *least) {
  mus_arena arena = {0};
  mus_cells cells;
  mus_lattice *lattice = NULL;
  mus_lattice_material material = {.young = 1e5, .poisson = poisson};
  mus_lattice_options options = mus_lattice_default_options();
  options.visits = 1;
  mus_status status = held_box(&arena, side, &cells);
  if (!status)
    status = mus_lattice_create(&cells, &material, &options, &lattice);
  if (!status) {
    *all = (double)mus_lattice_bytes(lattice);
    mus_lattice_cycle_bytes(lattice, moved, least);
  }
  mus_lattice_free(lattice);
  mus_arena_clear(&arena);
  return status;
}

// 256^3 needs cores and memory to make sense.
static int largest_side(const study *s, int threads) {
  if (s->quick)
    return 32;
  return threads >= 8 && mus_memory_physical() > (size_t)24 << 30 ? 256 : 128;
}

mus_status figure_23(study *s) {
  static const struct {
    int side;
    double one, sixteen, megabytes;
  } paper[] = {{32, 0.114, 0.083, 26}, {64, 0.588, 0.198, 45}, {128, 3.06, 0.596, 180}, {256, 18.27, 2.75, 1229}};
  mus_par_set_threads(s->threads);
  int threads = mus_par_threads();
  figure_table t;
  mus_status status = MUS_OK;
  table_begin(
      s, &t, "figure-23", "Figure 23: V-cycles over sizes and threads, and memory",
      "Seconds of a V-cycle in single precision, the median of three, at a Poisson's ratio of 0.48. The paper's "
      "are those of one core (X5365) and of 16 (X7350). Bandwidth: the bytes that a cycle moves, over those of reading "
      "and writing its variables once per sweep, and per second, as a part of STREAM's triad on as many threads. "
      "Memory: what cycles need, and all that solves need.",
      "cells|threads|seconds|speed-up|paper: 1 core|paper: 16 cores|bytes moved over least|STREAM (GB/s)|part of "
      "it|cycles (MB)|paper (MB)|bytes per cell: cycles|bytes per cell: solves");
  for (size_t k = 0; k < sizeof paper / sizeof *paper && paper[k].side <= largest_side(s, threads) && !status; ++k) {
    int side = paper[k].side;
    double bytes, moved, least, first = NAN, cells = (double)side * side * side;
    box b;
    status = count_bytes(side, &bytes, &moved, &least);
    if (status)
      break;
    status = create_box(side, &b);
    for (int n = 1; n <= threads && !status; n = n < threads && 2 * n > threads ? threads : 2 * n) {
      mus_machine machine;
      mus_par_set_threads(n);
      double seconds = median_cycle(&b);
      first = n == 1 ? seconds : first;
      status = mus_machine_measure(n, &machine);
      if (!status)
        table_row(&t, "%d^3|%d|%.4f|%.2f|%.3f|%.3f|%.2f|%.1f|%.2f|%.0f|%.0f|%.0f|%.0f", side, n, seconds,
                  first / seconds, paper[k].one, paper[k].sixteen, moved / least, machine.stream_gb_s,
                  moved / seconds / (1e9 * machine.stream_gb_s), (double)b.arena.bytes / 1e6, paper[k].megabytes,
                  (double)b.arena.bytes / cells, bytes / cells);
    }
    mus_par_set_threads(s->threads);
    mus_arena_clear(&b.arena);
  }
  mus_status ended = table_end(&t);
  return status ? status : ended;
}
