// Measures solvers on the same systems: those of a scene's steps, one after the other.
//
// The simulation advances with its own solver. Before each step its system is solved by every solver in turn, in an
// order that is rotated from step to step, so that none is favoured by what ran before it. Each solver keeps its state
// from step to step, as in a simulation. What is done once (patterns, aggregates) is left out of the averages: every
// solver first solves the first system uncounted. Cold, every solve is by a new solver instead, and all is counted.
// Steps that are measured may be far apart, to see more of an animation.
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "bench_variant.h"

enum { BENCH_SOLVERS = 16 };

typedef enum bench_unknown {
  BENCH_VELOCITY, // changes of velocity, from zero
  BENCH_POSITION  // changes of position, from the last step's, as Ascher and Boxerman 2003 start
} bench_unknown;

typedef struct bench_plan {
  const char *program;
  int variants;
  bench_variant variant[BENCH_SOLVERS];
  int warmup, steps;
  int repeat; // copies of each solver; the fastest overall counts
  int burst;  // steps measured one after the other, as in a simulation
  int stride; // steps simulated from the last of these to the next
  int cold;   // a new solver for every solve
  int errors; // true errors are computed at every n-th measured step, from the first on; 0: never
  bench_unknown unknown;
  const char *save; // a folder for the last system, or NULL
} bench_plan;

// One solver on one step's system.
typedef struct bench_solve {
  double time; // s, of the simulation
  int iterations;
  double rate;
  const char *setup; // of the record
  double values_s;   // all that the calls for a solve take beside what the record tells: handing over, checking
  double setup_s, prefilter_s, solve_s;
  double transfer_s;                // to and from a GPU, part of values_s
  double true_residual, true_error; // NaN where there is nothing to compare with
} bench_solve;

typedef struct bench_result {
  mus_method ran;
  mus_status status;
  char text[512];       // why it failed, or ""
  double first_setup_s; // of the uncounted solve, or, cold, of the first
  int count;            // of solves; fewer than steps after a failure
  bench_solve *solves;
  int levels;
  mus_level_report level[MUS_LEVELS_MAXIMUM];
  double operator_complexity;
  size_t bytes;
  char device[64]; // the GPU's name; "": the CPU
  size_t device_bytes;
  mus_device_speeds speeds;
} bench_result;

typedef struct bench_results {
  mus_machine machine;
  double product_s;                     // the median of those taken before every step
  double wall_s;                        // for all of it
  long peak_kib;                        // the most memory that the process has had
  int vertices, constrained, couplings; // of the last step
  long long blocks;
  double time_step;     // s
  mus_method reference; // of true errors
  int count;
  bench_result result[BENCH_SOLVERS];
} bench_results;

// A solver that fails is a result; it is left out from there on. Returns 0 or an exit status, after saying on stderr
// what went wrong. The results are the caller's to free either way.
int bench_measure(const bench_plan *plan, const mus_scene *scene, bench_results *out);
void bench_results_free(bench_results *results);

static inline double bench_total(const bench_solve *s) {
  return s->values_s + s->setup_s + s->prefilter_s + s->solve_s;
}
// The mean over a result's solves of rates, times and errors, of these over the solves for which they are known;
// `iterations` separately, because it is not a whole number.
bench_solve bench_mean(const bench_result *result, double *iterations);
// The largest that is known, or NaN.
double bench_worst_error(const bench_result *result);

#endif
