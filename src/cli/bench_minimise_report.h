// What `muslin bench --nonlinear` reports: the table and the JSON file.
#ifndef CLI_BENCH_MINIMISE_REPORT_H
#define CLI_BENCH_MINIMISE_REPORT_H

#include <stdio.h>

#include "bench_minimise.h"

typedef struct minimise_report {
  const minimise_plan *plan;
  const mus_scene *scene;
  const minimise_results *results;
  double stiffness; // factor on the scene's stretch stiffness
} minimise_report;

void minimise_report_print(const minimise_report *report, FILE *file);
// Returns 0 or an exit status, after saying on stderr what went wrong.
int minimise_report_write_json(const minimise_report *report, const char *path);

#endif
