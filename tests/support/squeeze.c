// Scenes that squeeze cloth. See squeeze.h.
#include "support/squeeze.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/timer.h"
#include "support/exact.h"
#include "support/runs.h"

enum { OPEN_FRAME = 12, PATIENCE = 24, STEPS = 4096 };

typedef struct draw {
  uint64_t seed, next;
} draw;

static double between(draw *d, double low, double high) {
  return low + (high - low) * (mus_random(d->seed, d->next++) + 1) / 2;
}

static int any(draw *d, int count) { return (int)floor(between(d, 0, count)); }

// The body below (side -1) or above (1).
static void write_body(draw *d, int side, char *text, size_t size) {
  char shape[160];
  double half = 0.1, width = between(d, 0.3, 0.6), depth = between(d, 0.3, 0.6), radius = between(d, 0.1, 0.2);
  int kind = any(d, 4);
  if (kind < 2)
    snprintf(shape, sizeof shape, "{\"kind\": \"%s\", \"size\": [%g, 0.2, %g]%s}", kind ? "rounded-box" : "box", width,
             depth, kind ? ", \"radius\": 0.03" : "");
  else if (kind == 2)
    snprintf(shape, sizeof shape, "{\"kind\": \"sphere\", \"radius\": %g}", half = radius);
  else
    snprintf(shape, sizeof shape, "{\"kind\": \"capsule\", \"radius\": %g, \"length\": 0.3}", half = 0.6 * radius);
  double closed = side * (half - between(d, 0.002, 0.03)), open = side * (half + 0.06), aside = between(d, -0.05, 0.05);
  snprintf(text, size,
           "{\"name\": \"%s\", \"shape\": %s, \"rotate\": [0, 0, %d], \"translate\": ["
           "{\"time\": 0, \"value\": [0, %g, 0]}, {\"time\": 0.2, \"value\": [%g, %g, 0]},"
           "{\"time\": 0.3, \"value\": [%g, %g, 0]}, {\"time\": 0.5, \"value\": [0, %g, 0]}]}",
           side < 0 ? "lower" : "upper", shape, kind == 3 ? 90 : 0, open, aside, closed, aside, closed, open);
}

static run *start(unsigned seed, int vertices) {
  static const char *const fabric[] = {"cotton", "silk", "denim"};
  char body[2][512], text[2048];
  draw d = {.seed = 1000 + seed};
  for (int k = 0; k < 2; ++k)
    write_body(&d, k ? 1 : -1, body[k], sizeof body[k]);
  const char *cloth = fabric[any(&d, 3)];
  double tilt = between(&d, -10, 10), turn = between(&d, 0, 90);
  snprintf(text, sizeof text,
           "{\"time_step\": %g, \"gravity\": [0, %g, 0], \"cloths\": [{\"fabric\": \"%s\", \"rotate\": [%g, %g, 0],"
           "\"shape\": {\"size\": [0.5, 0.5], \"vertices\": %d}}], \"bodies\": [%s, %s]}",
           seed % 5 == 0 ? 0.002
           : seed % 2    ? 1.0 / 120
                         : 1.0 / 24,
           seed % 3 ? -9.81 : 0, cloth, tilt, turn, vertices, body[0], body[1]);
  return runs_start(text);
}

static int ascending(const void *a, const void *b) {
  const double *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

// What steps took, with their rejected attempts.
typedef struct times {
  double seconds[STEPS];
  int count;
} times;

static void note_steps(const mus_sim *sim, squeeze_result *result, times *t) {
  const mus_step_record *record;
  for (int k = 0; (record = mus_sim_step_record(sim, k)) && t->count < STEPS; ++k) {
    double stage[MUS_STAGES], sum = 0;
    mus_step_seconds(record, stage);
    for (int i = 0; i < MUS_STAGES; ++i)
      sum += stage[i] + record->rejected_seconds[i];
    t->seconds[t->count++] = sum;
    result->impossible += record->impossible;
    result->strain = fmax(result->strain, record->strain_maximum);
  }
}

squeeze_result squeeze_run(unsigned seed, int vertices) {
  squeeze_result result = {.freed = -1};
  static times t;
  double begin = mus_seconds();
  run *r = start(seed, vertices);
  exact_finder *e = exact_begin(r->sim);
  t.count = 0;
  for (int frame = 1; frame <= OPEN_FRAME + PATIENCE && result.freed < 0; ++frame) {
    runs_frame(r);
    note_steps(r->sim, &result, &t);
    int pairs = exact_search(e, r->sim);
    result.tangled = pairs > result.tangled ? pairs : result.tangled;
    if (frame >= OPEN_FRAME && pairs == 0 && exact_inside(r->sim) == 0)
      result.freed = frame - OPEN_FRAME;
  }
  qsort(t.seconds, (size_t)t.count, sizeof *t.seconds, ascending);
  result.slowest = t.seconds[t.count - 1] / t.seconds[t.count / 2];
  exact_end(e);
  runs_free(r);
  result.seconds = mus_seconds() - begin;
  return result;
}
