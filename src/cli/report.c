// What `muslin solve` tells. See report.h.
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "numbers.h"
#include "output.h"
#include "plot.h"

// --- parts of rows and titles ------------------------------------------------------------------------------------

static short_text solver_name(const solver_run *run) {
  short_text out;
  snprintf(out.text, sizeof out.text, "%s", mus_method_name(run->asked));
  if (run->asked != run->record.method && !run->status)
    snprintf(out.text, sizeof out.text, "%s: %s", mus_method_name(run->asked), mus_method_name(run->record.method));
  size_t length = strlen(out.text);
  if (run->column > 0)
    snprintf(out.text + length, sizeof out.text - length, ", b %d", run->column);
  return out;
}

static double total_seconds(const mus_solve_record *record) {
  return record->setup_seconds + record->prefilter_seconds + record->transfer_seconds + record->solve_seconds;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// --- table --------------------------------------------------------------------------------------------------------

void report_print_system(const solve_report *report, FILE *file) {
  const linear_system *s = report->system;
  fprintf(file, "%s: %s unknowns, %s non-zeros, %s node%s of %d unknown%s", report->matrix,
          numbers_grouped(s->unknowns).text, numbers_grouped(s->stored).text, numbers_grouped(s->a.rows).text,
          s->a.rows > 1 ? "s" : "", s->a.block, s->a.block > 1 ? "s" : "");
  if (s->constraint_count)
    fprintf(file, ", %s of them constrained", numbers_grouped(s->constraint_count).text);
  if (s->columns > 1)
    fprintf(file, "\n%s right-hand sides, as given; near-null space: ", numbers_grouped(s->columns).text);
  else
    fprintf(file,
            "\nright-hand side: %s; near-null space: ", s->exact ? "A times a fixed pseudo-random vector" : "as given");
  if (s->positions)
    fprintf(file, "rigid-body motions\n");
  else if (s->kernel)
    fprintf(file, "%d given vector%s\n", s->kernel_count, s->kernel_count > 1 ? "s" : "");
  else
    fprintf(file, "constants\n");
}

// What the tolerance is compared with.
static double reached(const solver_run *run) {
  const mus_solve_record *r = &run->record;
  if (!run->residuals)
    return NAN;
  double last = run->residuals[r->iterations];
  return r->reference > 0 ? last / r->reference : last;
}

// What was asked for, and what "reached" and "residual" are of.
static void print_stop(const solve_report *report, FILE *file) {
  static const char *const of[] = {"residual, in the norm of the solver's preconditioner",
                                   "residual, in the norm of the solver's preconditioner", "residual, Euclidean norm",
                                   "error, energy norm, estimated"};
  fprintf(file, "asked: %g of the %s (--stop %s); reached: in that norm; residual: |b - Ax| / |b|, computed afresh\n",
          report->options.tolerance, of[report->options.stop], mus_stop_name(report->options.stop));
}

static void print_fall_back(const solver_run *run, FILE *file) {
  static const char *const what[] = {"", "six rigid motions", "the settings of the preset robust", "a direct solve"};
  const mus_solve_record *r = &run->record;
  if (r->fall_back != MUS_FALL_BACK_NONE)
    fprintf(file, "%s: %s took over because of %s\n", mus_method_name(run->asked), what[r->fall_back],
            r->fall_back_reason);
}

static void print_row(const solve_report *report, const solver_run *run, FILE *file) {
  const mus_solve_record *r = &run->record;
  fprintf(file, "%-15s %10s %6.3f %10s %10s %10s %10s %10s %7.2f %9.1e %9.1e", solver_name(run).text,
          numbers_grouped(r->iterations).text, r->rate, numbers_duration(r->setup_seconds).text,
          numbers_duration(r->prefilter_seconds).text, numbers_duration(r->solve_seconds).text,
          numbers_duration(total_seconds(r)).text, numbers_megabytes(r->bytes).text, r->operator_complexity,
          reached(run), r->true_residual);
  if (report->system->exact)
    fprintf(file, " %9.1e %9.1e", run->error.euclidean, run->error.energy);
  fprintf(file, "%s%s\n", run->status ? "  " : "", run->status ? mus_status_name(run->status) : "");
}

void report_print_table(const solve_report *report, FILE *file) {
  fprintf(file, "\n%-15s %10s %6s %10s %10s %10s %10s %10s %7s %9s %9s", "solver", "iterations", "rate", "set-up",
          "prefilter", "solve", "total", "memory", "complx.", "reached", "residual");
  if (report->system->exact)
    fprintf(file, " %9s %9s", "error", "error (A)");
  fputc('\n', file);
  for (int i = 0; i < report->count; ++i)
    print_row(report, &report->runs[i], file);
  print_stop(report, file);
  for (int i = 0; i < report->count; ++i)
    print_fall_back(&report->runs[i], file);
  for (int i = 0; i < report->count; ++i) {
    const mus_solve_record *r = &report->runs[i].record;
    if (*r->device)
      fprintf(file, "%s: on %s, %s there; transfers %s, part of the total\n", solver_name(&report->runs[i]).text,
              r->device, numbers_megabytes(r->device_bytes).text, numbers_duration(r->transfer_seconds).text);
    if (*r->device_failure)
      fprintf(file, "%s: on the CPU: %s\n", solver_name(&report->runs[i]).text, r->device_failure);
  }
}

// --- plots --------------------------------------------------------------------------------------------------------

// The curves of all runs, with their names and notes in `words`, two for each.
static void curves_of(const solve_report *report, short_text *words, plot_curve *curves) {
  for (int i = 0; i < report->count; ++i) {
    const solver_run *run = &report->runs[i];
    words[2 * i] = solver_name(run);
    if (run->status)
      snprintf(words[2 * i + 1].text, sizeof words->text, "%s", mus_status_name(run->status));
    else if (mus_method_is_direct(run->record.method))
      snprintf(words[2 * i + 1].text, sizeof words->text, "direct, %.16s",
               numbers_duration(total_seconds(&run->record)).text);
    else
      snprintf(words[2 * i + 1].text, sizeof words->text, "%d iteration%s, %.16s", run->record.iterations,
               run->record.iterations == 1 ? "" : "s", numbers_duration(total_seconds(&run->record)).text);
    curves[i] = (plot_curve){.name = words[2 * i].text,
                             .note = words[2 * i + 1].text,
                             .count = run->residuals ? run->record.iterations + 1 : 0,
                             .residual = run->residuals,
                             .reference = run->record.reference};
  }
}

typedef void draw(const residual_plot *plot, FILE *file);

static int draw_plot(const solve_report *report, draw *drawing, FILE *file) {
  char title[128], subtitle[256];
  short_text *words = malloc(2 * (size_t)report->count * sizeof *words);
  plot_curve *curves = malloc((size_t)report->count * sizeof *curves);
  int failed = !words || !curves;
  if (!failed) {
    snprintf(title, sizeof title, "Convergence on %.80s", file_name(report->matrix));
    snprintf(subtitle, sizeof subtitle, "%s unknowns, %s non-zeros, %s precision; dashed: tolerance %g",
             numbers_grouped(report->system->unknowns).text, numbers_grouped(report->system->stored).text,
             report->options.precision == MUS_PRECISION_SINGLE ? "single" : "double", report->options.tolerance);
    curves_of(report, words, curves);
    residual_plot all = {title, subtitle, report->options.tolerance, report->count, curves};
    drawing(&all, file);
  }
  free(words);
  free(curves);
  return failed ? failure_memory(report->program) : 0;
}

void report_print_levels(const solve_report *report, FILE *file) {
  for (int i = 0; i < report->count; ++i)
    if (report->runs[i].record.levels > 0 && report->runs[i].column <= 1) {
      fprintf(file, "\n%s:\n", solver_name(&report->runs[i]).text);
      mus_solve_record_print_levels(&report->runs[i].record, file);
    }
  fputc('\n', file);
  draw_plot(report, plot_text, file);
}

int report_write_plot(const solve_report *report, const char *path) {
  char *text = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  int failed = memory ? draw_plot(report, plot_svg, memory) : failure_memory(report->program);
  if (memory && fclose(memory) != 0 && !failed)
    failed = failure_memory(report->program);
  if (!failed)
    failed = output_write(report->program, path, text, length);
  free(text);
  return failed;
}

// --- JSON ---------------------------------------------------------------------------------------------------------

json_t *report_levels_json(int count, const mus_level_report *level) {
  json_t *list = json_array();
  for (int i = 0; i < count; ++i) {
    const mus_level_report *l = &level[i];
    json_array_append_new(list, json_pack("{s:i, s:i, s:I, s:i, s:i, s:o, s:b, s:I}", "rows", l->rows, "block",
                                          l->block, "nonzeros", (json_int_t)l->nonzeros, "special", l->special,
                                          "dropped", l->dropped, "spectral_radius", numbers_json(l->spectral_radius),
                                          "radius_converged", l->radius_converged, "bytes", (json_int_t)l->bytes));
    for (int k = 0; k < l->numbers; ++k)
      json_object_set_new(json_array_get(list, (size_t)i), l->number[k].name, numbers_json(l->number[k].value));
  }
  return list;
}

static json_t *residuals_json(const solver_run *run) {
  json_t *list = json_array();
  for (int i = 0; run->residuals && i <= run->record.iterations; ++i)
    json_array_append_new(list, numbers_json(run->residuals[i]));
  return list;
}

static json_t *run_json(const solve_report *report, const solver_run *run) {
  const mus_solve_record *r = &run->record;
  int known = report->system->exact != NULL;
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:i}", "solver", mus_method_name(run->asked),
                "method", mus_method_name(r->method), "status", mus_status_name(run->status), "iterations",
                r->iterations, "rate", numbers_json(r->rate), "setup_s", numbers_json(r->setup_seconds), "prefilter_s",
                numbers_json(r->prefilter_seconds), "solve_s", numbers_json(r->solve_seconds), "total_s",
                numbers_json(total_seconds(r)), "bytes", (json_int_t)r->bytes, "operator_complexity",
                numbers_json(r->operator_complexity), "levels", r->levels);
  if (!object)
    return NULL;
  json_object_set_new(object, "column", json_integer(run->column > 0 ? run->column : 1));
  json_object_set_new(object, "setup", r->setup ? json_string(r->setup) : json_null());
  json_object_set_new(object, "fall_back", json_string(mus_fall_back_name(r->fall_back)));
  json_object_set_new(object, "fall_back_reason", r->fall_back_reason ? json_string(r->fall_back_reason) : json_null());
  json_object_set_new(object, "device", json_string(*r->device ? r->device : "cpu"));
  json_object_set_new(object, "device_failure", *r->device_failure ? json_string(r->device_failure) : json_null());
  json_object_set_new(object, "device_bytes", json_integer((json_int_t)r->device_bytes));
  json_object_set_new(object, "transfer_s", numbers_json(r->transfer_seconds));
  json_object_set_new(object, "true_residual", numbers_json(r->true_residual));
  json_object_set_new(object, "true_error", known ? numbers_json(run->error.energy) : json_null());
  json_object_set_new(object, "true_error_euclidean", known ? numbers_json(run->error.euclidean) : json_null());
  if (run->status)
    json_object_set_new(object, "error", json_string_nocheck(run->text));
  json_object_set_new(object, "reference", numbers_json(r->reference));
  json_object_set_new(object, "residuals", residuals_json(run));
  json_object_set_new(object, "level", report_levels_json(r->levels, r->level));
  return object;
}

static json_t *report_json(const solve_report *report) {
  const linear_system *s = report->system;
  int threads = report->options.threads;
  if (threads == 0)
    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  json_t *results = json_array();
  for (int i = 0; i < report->count; ++i)
    if (json_array_append_new(results, run_json(report, &report->runs[i])) != 0) {
      json_decref(results);
      return NULL;
    }
  return json_pack("{s:s, s:s, s:i, s:i, s:i, s:I, s:i, s:o, s:s, s:s, s:i, s:o}", "program_version", mus_version(),
                   "matrix", report->matrix, "rows", s->unknowns, "columns", s->columns, "block", s->a.block,
                   "nonzeros", (json_int_t)s->stored, "constrained", s->constraint_count, "tolerance",
                   numbers_json(report->options.tolerance), "stop", mus_stop_name(report->options.stop), "precision",
                   report->options.precision == MUS_PRECISION_SINGLE ? "single" : "double", "threads", threads,
                   "results", results);
}

int report_write_json(const solve_report *report, const char *path) {
  return numbers_write_json(report->program, path, report_json(report));
}
