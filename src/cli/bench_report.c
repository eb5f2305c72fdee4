// See bench_report.h.
#include "bench_report.h"

#include <math.h>

#include "numbers.h"
#include "report.h"

static const char *tessellation_of(const mus_scene *scene) {
  if (scene->cloth_count == 0)
    return scene->solids[0].shape.kind == MUS_SOLID_SHAPE_FILE ? "file" : "tetrahedra";
  const mus_cloth_shape *shape = &scene->cloths[0].shape;
  return shape->kind == MUS_CLOTH_SHAPE_FILE                 ? "file"
         : shape->tessellation == MUS_TESSELLATION_IRREGULAR ? "irregular"
                                                             : "regular";
}

static const char *scene_name(const mus_scene *scene) { return scene->name ? scene->name : ""; }

static const char *unknown_name(bench_unknown unknown) { return unknown == BENCH_POSITION ? "position" : "velocity"; }

static const char *precision_name(const mus_solver_options *solver) {
  return solver->precision == MUS_PRECISION_SINGLE ? "single" : "double";
}

// --- table -----------------------------------------------------------------------------------------------------------

// A figure that may not be known.
static short_text or_dash(const char *format, double value) {
  short_text out = {"-"};
  if (isfinite(value))
    snprintf(out.text, sizeof out.text, format, value);
  return out;
}

static void print_row(const bench_report *report, const bench_variant *variant, const bench_result *r, FILE *file) {
  double iterations;
  bench_solve mean = bench_mean(r, &iterations);
  fprintf(file, "%-17s %10.1f %6.3f %10s %10s %10s %10s %10s %9.1f %10s %6d %7s %9s", variant->name, iterations,
          mean.rate, numbers_duration(mean.values_s).text, numbers_duration(mean.setup_s).text,
          numbers_duration(mean.prefilter_s).text, numbers_duration(mean.solve_s).text,
          numbers_duration(bench_total(&mean)).text, bench_total(&mean) / report->results->product_s,
          numbers_megabytes(r->bytes).text, r->levels, or_dash("%.2f", r->operator_complexity).text,
          or_dash("%.1e", mean.true_error).text);
  if (r->ran != variant->method)
    fprintf(file, "  by %s", mus_method_name(r->ran));
  fprintf(file, "%s%s\n", r->status ? "  " : "", r->status ? mus_status_name(r->status) : "");
}

// What the table has no room for: the GPU, its memory, and its passes over the finest matrix beside a copy.
static void print_device(const bench_variant *variant, const bench_result *r, FILE *file) {
  double iterations, copy = r->speeds.copy_bytes_per_second;
  bench_solve mean = bench_mean(r, &iterations);
  fprintf(file, "\n%s: %s, %s there; transfers %s, part of values\n", variant->name, r->device,
          numbers_megabytes(r->device_bytes).text, numbers_duration(mean.transfer_s).text);
  if (!(copy > 0))
    return;
  double product = r->speeds.product_bytes / r->speeds.product_seconds;
  double smoother = r->speeds.smoother_bytes / r->speeds.smoother_seconds;
  fprintf(
      file,
      "  copy %.0f GB/s; product %s: %.0f GB/s, %.0f%% of a copy; pass of the smoother %s: %.0f GB/s, %.0f%%; cycle "
      "%s\n",
      1e-9 * copy, numbers_duration(r->speeds.product_seconds).text, 1e-9 * product, 100 * product / copy,
      numbers_duration(r->speeds.smoother_seconds).text, 1e-9 * smoother, 100 * smoother / copy,
      numbers_duration(r->speeds.cycle_seconds).text);
}

void bench_report_print(const bench_report *report, FILE *file) {
  const bench_results *r = report->results;
  const bench_plan *plan = report->plan;
  short_text apart = {""};
  if (plan->stride > 1)
    snprintf(apart.text, sizeof apart.text, ", %d at a time, %d steps apart,", plan->burst, plan->stride);
  fprintf(file,
          "%s, %s: %s vertices (%s held), steps of %.4g ms; %d %ssolve%s"
          "%s after %d step%s of warm-up\n",
          scene_name(report->scene), tessellation_of(report->scene), numbers_grouped(r->vertices).text,
          numbers_grouped(r->constrained).text, 1e3 * r->time_step, plan->steps, plan->cold ? "cold " : "",
          plan->steps == 1 ? "" : "s", apart.text, plan->warmup, plan->warmup == 1 ? "" : "s");
  fprintf(file, "tolerance %g, preconditioners in %s precision; unknown: change of %s\n",
          report->scene->solver.tolerance, precision_name(&report->scene->solver), unknown_name(plan->unknown));
  fprintf(file, "%s, %d thread%s: %.1f GB/s, one product %s\n\n", r->machine.cpu, r->machine.threads,
          r->machine.threads == 1 ? "" : "s", r->machine.stream_gb_s, numbers_duration(r->product_s).text);
  fprintf(file, "%-17s %10s %6s %10s %10s %10s %10s %10s %9s %10s %6s %7s %9s\n", "solver", "iterations", "rate",
          "values", "set-up", "prefilter", "solve", "total", "products", "memory", "levels", "complx.", "error (A)");
  for (int k = 0; k < r->count; ++k)
    print_row(report, &plan->variant[k], &r->result[k], file);
  for (int k = 0; k < r->count; ++k)
    if (*r->result[k].device)
      print_device(&plan->variant[k], &r->result[k], file);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static json_t *solve_json(const bench_solve *s) {
  json_t *object = json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time", numbers_json(s->time),
                             "iterations", s->iterations, "rate", numbers_json(s->rate), "values_s",
                             numbers_json(s->values_s), "setup_s", numbers_json(s->setup_s), "prefilter_s",
                             numbers_json(s->prefilter_s), "solve_s", numbers_json(s->solve_s), "true_residual",
                             numbers_json(s->true_residual), "true_error", numbers_json(s->true_error));
  if (object)
    json_object_set_new(object, "setup", s->setup ? json_string(s->setup) : json_null());
  return object;
}

static json_t *device_json(const bench_result *r, double transfer_s) {
  const mus_device_speeds *s = &r->speeds;
  return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", r->device, "bytes",
                   (json_int_t)r->device_bytes, "transfer_s", numbers_json(transfer_s), "product_s",
                   numbers_json(s->product_seconds), "smoother_s", numbers_json(s->smoother_seconds), "cycle_s",
                   numbers_json(s->cycle_seconds), "product_bytes", numbers_json(s->product_bytes), "smoother_bytes",
                   numbers_json(s->smoother_bytes), "copy_bytes_s", numbers_json(s->copy_bytes_per_second));
}

static json_t *result_json(const bench_report *report, int which) {
  const bench_results *all = report->results;
  const bench_result *r = &all->result[which];
  const bench_variant *variant = &report->plan->variant[which];
  mus_solver_options options = bench_variant_options(variant, &report->scene->solver);
  double iterations;
  bench_solve mean = bench_mean(r, &iterations);
  json_t *solves = json_array();
  for (int k = 0; k < r->count; ++k)
    json_array_append_new(solves, solve_json(&r->solves[k]));
  json_t *object = json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:I, s:o}", "solver", variant->name, "values_s",
      numbers_json(mean.values_s), "setup_s", numbers_json(mean.setup_s), "prefilter_s", numbers_json(mean.prefilter_s),
      "solve_s", numbers_json(mean.solve_s), "total_s", numbers_json(bench_total(&mean)), "iterations",
      numbers_json(iterations), "rate", numbers_json(mean.rate), "levels", r->levels, "operator_complexity",
      numbers_json(r->operator_complexity), "bytes", (json_int_t)r->bytes, "true_error", numbers_json(mean.true_error));
  if (!object) {
    json_decref(solves);
    return NULL;
  }
  json_object_set_new(object, "level", report_levels_json(r->levels, r->level));
  json_object_set_new(object, "total_products", numbers_json(bench_total(&mean) / all->product_s));
  json_object_set_new(object, "true_residual", numbers_json(mean.true_residual));
  json_object_set_new(object, "true_error_maximum", numbers_json(bench_worst_error(r)));
  json_object_set_new(object, "first_setup_s", numbers_json(r->first_setup_s));
  json_object_set_new(object, "method", json_string(mus_method_name(r->ran)));
  json_object_set_new(object, "preset", json_string(mus_preset_name(options.preset)));
  json_object_set_new(object, "precision", json_string(precision_name(&options)));
  json_object_set_new(object, "prefilter", json_boolean(options.prefilter));
  json_object_set_new(object, "device", *r->device ? device_json(r, mean.transfer_s) : json_string("cpu"));
  json_object_set_new(object, "status", json_string(mus_status_name(r->status)));
  if (r->status)
    json_object_set_new(object, "error", json_string_nocheck(r->text));
  json_object_set_new(object, "solves", solves);
  return object;
}

static json_t *machine_json(const bench_results *r) {
  return json_pack("{s:s, s:i, s:o, s:o}", "cpu", r->machine.cpu, "threads", r->machine.threads, "stream_gb_s",
                   numbers_json(r->machine.stream_gb_s), "spmv_s", numbers_json(r->product_s));
}

static void set_settings(const bench_report *report, json_t *object) {
  const bench_results *r = report->results;
  const mus_solver_options *solver = &report->scene->solver;
  json_object_set_new(object, "program_version", json_string(mus_version()));
  json_object_set_new(object, "time_step", numbers_json(r->time_step));
  json_object_set_new(object, "warmup", json_integer(report->plan->warmup));
  json_object_set_new(object, "cold", json_boolean(report->plan->cold));
  json_object_set_new(object, "repeat", json_integer(report->plan->repeat));
  json_object_set_new(object, "unknown", json_string(unknown_name(report->plan->unknown)));
  json_object_set_new(object, "burst", json_integer(report->plan->burst));
  json_object_set_new(object, "stride", json_integer(report->plan->stride));
  json_object_set_new(object, "wall_s", numbers_json(r->wall_s));
  json_object_set_new(object, "peak_bytes", json_integer(1024 * (json_int_t)r->peak_kib));
  json_object_set_new(object, "method", json_string(mus_method_name(solver->method)));
  json_object_set_new(object, "preset", json_string(mus_preset_name(solver->preset)));
  json_object_set_new(object, "precision", json_string(precision_name(solver)));
  json_object_set_new(object, "cycle", json_string(solver->multigrid.cycle == MUS_CYCLE_V ? "v" : "w"));
  json_object_set_new(object, "constrained", json_integer(r->constrained));
  json_object_set_new(object, "couplings", json_integer(r->couplings));
  json_object_set_new(object, "blocks", json_integer(r->blocks));
  json_object_set_new(object, "reference",
                      report->plan->errors > 0 ? json_string(mus_method_name(r->reference)) : json_null());
}

static json_t *report_json(const bench_report *report) {
  const bench_results *r = report->results;
  json_t *results = json_array();
  for (int k = 0; k < r->count; ++k)
    if (json_array_append_new(results, result_json(report, k)) != 0) {
      json_decref(results);
      return NULL;
    }
  json_t *object =
      json_pack("{s:o, s:s, s:s, s:i, s:i, s:o, s:o}", "machine", machine_json(r), "example", scene_name(report->scene),
                "tessellation", tessellation_of(report->scene), "vertices", r->vertices, "steps", report->plan->steps,
                "tolerance", numbers_json(report->scene->solver.tolerance), "results", results);
  if (object)
    set_settings(report, object);
  return object;
}

int bench_report_write_json(const bench_report *report, const char *path) {
  return numbers_write_json(report->plan->program, path, report_json(report));
}
