// What runs of `muslin bench --json` have found, read back from a folder of their files.
#ifndef BENCH_MEASUREMENTS_H
#define BENCH_MEASUREMENTS_H

#include <jansson.h>

enum { MEASURED_SOLVERS = 16 };

// Averages over a run's solves; NaN for what is not known.
typedef struct measured_solver {
  const char *name; // a variant, as in sa:fast
  int failed;
  double setup_s, prefilter_s, solve_s, total_s, first_setup_s;
  double iterations, rate, products, error, worst_error, complexity, bytes;
  json_t *solves; // borrowed: the array with every solve
} measured_solver;

// Runs are of three kinds, which their file's name tells.
typedef enum run_kind {
  RUN_USUAL, // anything else
  RUN_ONE,   // ...-one.json: on one thread, for solvers that know no more
  RUN_LONG   // ...-long.json: with long steps
} run_kind;

typedef struct measurement {
  const char *path, *example, *tessellation;
  run_kind kind;
  int vertices, threads, steps, warmup, burst, stride, constrained, couplings;
  double time_step, tolerance, spmv_s, stream_gb_s, wall_s, peak_bytes, blocks;
  const char *cpu;
  int count;
  measured_solver solver[MEASURED_SOLVERS];
  json_t *json; // all of it; strings point into it
} measurement;

typedef struct measurements {
  int count;
  measurement *list; // by example (in the order of the paper), tessellation, kind, vertices
} measurements;

// The examples of Tamstorf et al. 2015, in the order of their table.
enum { PAPER_EXAMPLES = 5, TESSELLATIONS = 2 };
extern const char *const paper_examples[PAPER_EXAMPLES];
extern const char *const tessellations[TESSELLATIONS];

// Reads all files DIR/*.json that hold results. Returns 0 or an exit status, after saying on stderr what is wrong.
int measurements_read(const char *program, const char *folder, measurements *out);
void measurements_free(measurements *all);

// Those of an example, tessellation and kind: the next after `after`, or the first for NULL; NULL at the end.
const measurement *measurements_next(const measurements *all, const char *example, const char *tessellation,
                                     run_kind kind, const measurement *after);
// The one with so many vertices, or up to 5% more or fewer: an L-shaped sheet can't have any number. NULL for none.
const measurement *measurements_near(const measurements *all, const char *example, const char *tessellation,
                                     run_kind kind, int vertices);
// NULL where it was not measured, or failed, and for no measurement.
const measured_solver *measurement_solver(const measurement *m, const char *name);

#endif
