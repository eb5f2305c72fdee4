// Measures methods on one nonlinear step: each minimises the energy of the same step from the same state.
//
// The scene is simulated for some steps by its own integrator. Every method then minimises the next step, which leaves
// the state as it was. The minimum that errors are taken from is the lowest energy that any of them finds, including a
// reference that runs until nothing more is gained.
#ifndef CLI_BENCH_MINIMISE_H
#define CLI_BENCH_MINIMISE_H

#include "muslin/muslin.h"

enum { BENCH_MINIMISERS = 24, BENCH_ERRORS = 4 };

typedef struct minimise_plan {
  const char *program;
  int count;
  const char *method[BENCH_MINIMISERS];
  const char *reference; // NULL: none
  int warmup;            // steps
  int repeat;            // times that each method runs; the fastest counts
  int median;            // times that a run is repeated with the same solver; the median counts
  int iterations;        // at most
  double stop;           // methods end with an iteration that gains less than this part of the decrease so far
  double seconds;        // at most, for a method; 0: as many as it takes
} minimise_plan;

typedef struct minimise_result {
  mus_status status;
  char text[512]; // why it failed, or ""
  int count;
  mus_minimise_entry *entries;
} minimise_result;

typedef struct minimise_results {
  mus_machine machine;
  int vertices;
  double time;           // s, of the simulation when the step began
  double wall_s;         // for all of it
  mus_sim_device device; // where steps run, and what is in the way of more
  double minimum;        // J
  const char *lowest;    // the method that found it
  minimise_result reference;
  minimise_result result[BENCH_MINIMISERS];
} minimise_results;

// A method that fails is a result. Returns 0 or an exit status, after saying on stderr what went wrong. The results are
// the caller's to free either way.
int bench_minimise(const minimise_plan *plan, const mus_scene *scene, minimise_results *out);
void minimise_results_free(minimise_results *results);

// (energy - minimum) / (first energy - minimum) of an entry; at least 0.
double minimise_error(const minimise_results *results, const minimise_result *result, int entry);
// The first entry from which on errors stay at or below `error`; -1 if there is none.
int minimise_reach(const minimise_results *results, const minimise_result *result, double error);

#endif
