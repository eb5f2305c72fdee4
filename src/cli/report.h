// What `muslin solve` reports: the table, the JSON file, the plot.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "linear_system.h"

// One solver's run on the system, for one right-hand side.
typedef struct solver_run {
  mus_method asked;
  int column; // of the right-hand sides, from 1; 0 where there is one only
  mus_status status;
  mus_solve_record record; // residuals point to `residuals`
  double *residuals;
  system_error error; // where the solution is known
  char text[512];     // why it failed, or "": of the first column that did
} solver_run;

typedef struct solve_report {
  const char *program;
  const char *matrix; // path
  const linear_system *system;
  mus_solver_options options;
  int count;
  const solver_run *runs;
} solve_report;

void report_print_system(const solve_report *report, FILE *file);
void report_print_table(const solve_report *report, FILE *file);
// Level reports and residual curves.
void report_print_levels(const solve_report *report, FILE *file);
// The levels of a hierarchy, with the numbers that coarsening and smoothers add to them.
json_t *report_levels_json(int count, const mus_level_report *level);
// Both return 0 or an exit status, after saying on stderr what went wrong.
int report_write_json(const solve_report *report, const char *path);
int report_write_plot(const solve_report *report, const char *path);

#endif
