// What `muslin bench` reports: the table, and the JSON file with the same figures.
#ifndef CLI_BENCH_REPORT_H
#define CLI_BENCH_REPORT_H

#include <stdio.h>

#include "bench_measure.h"

typedef struct bench_report {
  const bench_plan *plan;
  const mus_scene *scene;
  const bench_results *results;
} bench_report;

void bench_report_print(const bench_report *report, FILE *file);
// Returns 0 or an exit status, after saying on stderr what went wrong.
int bench_report_write_json(const bench_report *report, const char *path);

#endif
