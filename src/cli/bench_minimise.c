// See bench_minimise.h.
#include "bench_minimise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"

// Of the decrease so far: the reference ends with an iteration that gains less.
static const double reference_stop = 1e-13;
enum { REFERENCE_ITERATIONS = 400 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell_progress(const char *what, int done, int all) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%-24s %d of %d%s", what, done, all, done == all ? "\r\033[K" : "\033[K");
}

// One run. Its entries are from malloc.
static int minimise_once(const minimise_plan *plan, mus_sim *sim, const mus_minimise_options *options,
                         minimise_result *out) {
  int capacity = options->iterations + 1;
  *out = (minimise_result){.entries = calloc((size_t)capacity, sizeof *out->entries)};
  if (!out->entries)
    return failure_memory(plan->program);
  out->status = mus_sim_minimise(sim, options, out->entries, &out->count);
  if (out->status)
    snprintf(out->text, sizeof out->text, "%s", mus_last_error());
  for (int k = out->count - 1; k >= 0; --k) // what methods do before their first iteration is the same for all
    out->entries[k].seconds -= out->entries[0].seconds;
  return 0;
}

static double last_seconds(const minimise_result *r) { return r->count > 0 ? r->entries[r->count - 1].seconds : 0; }

// Keeps the faster of two runs by the same method: they differ in nothing but their seconds.
static void keep_faster(minimise_result *kept, minimise_result *other) {
  if (!kept->entries || last_seconds(other) < last_seconds(kept)) {
    minimise_result slower = *kept;
    *kept = *other;
    *other = slower;
  }
  free(other->entries);
}

static int measure_methods(const minimise_plan *plan, mus_sim *sim, minimise_results *out) {
  int failed = 0, all = plan->count * plan->repeat;
  for (int k = 0; k < all && !failed; ++k) {
    int round = k / plan->count, which = (k + round) % plan->count; // another order in every round
    const mus_minimise_options options = {.method = plan->method[which],
                                          .iterations = plan->iterations,
                                          .stop = plan->stop,
                                          .seconds = plan->seconds,
                                          .repeat = plan->median};
    minimise_result result = {0};
    tell_progress(plan->method[which], k, all);
    failed = minimise_once(plan, sim, &options, &result);
    if (!failed)
      keep_faster(&out->result[which], &result);
  }
  tell_progress("", all, all);
  return failed;
}

// A reference that stops early is one all the same: only its lowest energy counts.
static int measure_reference(const minimise_plan *plan, mus_sim *sim, minimise_results *out) {
  const mus_minimise_options options = {
      .method = plan->reference, .iterations = REFERENCE_ITERATIONS, .stop = reference_stop};
  tell_progress("reference", 0, 1);
  int failed = plan->reference ? minimise_once(plan, sim, &options, &out->reference) : 0;
  tell_progress("reference", 1, 1);
  return failed;
}

static void lower(const minimise_result *result, const char *name, minimise_results *out) {
  for (int k = 0; k < result->count; ++k)
    if (result->entries[k].energy < out->minimum) {
      out->minimum = result->entries[k].energy;
      out->lowest = name;
    }
}

static int measure(const minimise_plan *plan, mus_sim *sim, minimise_results *out) {
  int failed = 0;
  for (int k = 0; k < plan->warmup && !failed; ++k) {
    tell_progress("warm-up", k, plan->warmup);
    mus_status status = mus_sim_step(sim, NULL);
    failed = status ? failure_status(plan->program, NULL, status) : 0;
  }
  tell_progress("warm-up", 1, 1);
  out->vertices = mus_sim_vertices(sim);
  out->time = mus_sim_time(sim);
  if (!failed)
    failed = measure_methods(plan, sim, out);
  if (!failed)
    failed = measure_reference(plan, sim, out);
  out->device = mus_sim_device_used(sim);
  out->minimum = INFINITY;
  lower(&out->reference, plan->reference, out);
  for (int k = 0; k < plan->count; ++k)
    lower(&out->result[k], plan->method[k], out);
  return failed;
}

int bench_minimise(const minimise_plan *plan, const mus_scene *scene, minimise_results *out) {
  mus_sim *sim = NULL;
  double begin = now_s();
  *out = (minimise_results){0};
  mus_status status = mus_machine_measure(scene->solver.threads, &out->machine);
  if (!status)
    status = mus_sim_create(scene, &sim);
  int failed = status ? failure_status(plan->program, NULL, status) : measure(plan, sim, out);
  mus_sim_free(sim);
  out->wall_s = now_s() - begin;
  return failed;
}

void minimise_results_free(minimise_results *results) {
  free(results->reference.entries);
  for (int k = 0; k < BENCH_MINIMISERS; ++k)
    free(results->result[k].entries);
}

double minimise_error(const minimise_results *results, const minimise_result *result, int entry) {
  double whole = result->entries[0].energy - results->minimum;
  return whole > 0 ? (result->entries[entry].energy - results->minimum) / whole : 0;
}

int minimise_reach(const minimise_results *results, const minimise_result *result, double error) {
  int first = -1;
  for (int k = result->count - 1; k >= 0 && minimise_error(results, result, k) <= error; --k)
    first = k;
  return first;
}
