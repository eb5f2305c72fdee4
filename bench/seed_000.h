// The results of Tamstorf, Jones and McCormick 2015, section 11, repeated: what is written of the measurements.
#ifndef BENCH_SEED_000_H
#define BENCH_SEED_000_H

#include "measurements.h"

enum { SEED_000_LINE = 256 };

typedef struct seed_000 {
  const char *program, *runs, *out; // folders: of the measurements, and for what is written
  measurements all;
  json_t *machine; // as `machine` described it; NULL where it did not
  char setting[SEED_000_LINE];
} seed_000;

// One line: processor, threads, step, tolerance.
void seed_000_describe(const measurement *m, char *line);

// Of what is printed into memory, the file OUT/NAME. All return 0 or an exit status, after saying on stderr what is
// wrong.
typedef void seed_000_print(const seed_000 *results, FILE *file);
int seed_000_write(const seed_000 *results, const char *name, seed_000_print *print);

// figure-5.svg to figure-9.svg; 9 only where the scene `dressed` was measured.
int seed_000_figures(const seed_000 *results);
// results.json, results.csv and tables.md
int seed_000_tables(const seed_000 *results);

#endif
