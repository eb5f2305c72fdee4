// See bench_minimise_report.h.
#include "bench_minimise_report.h"

#include "numbers.h"

static const double wanted[BENCH_ERRORS] = {1e-1, 1e-2, 1e-3, 1e-4};

static const char *scene_name(const mus_scene *scene) { return scene->name ? scene->name : ""; }

// --- table -----------------------------------------------------------------------------------------------------------

// "3 / 41 / 1.23 s": iterations, products and seconds until an error is reached.
static void print_reach(const minimise_report *report, const minimise_result *r, double error, FILE *file) {
  int at = minimise_reach(report->results, r, error);
  char text[96] = "-";
  if (at >= 0)
    snprintf(text, sizeof text, "%d / %.0f / %s", at, r->entries[at].products,
             numbers_duration(r->entries[at].seconds).text);
  fprintf(file, " %22s", text);
}

static void print_row(const minimise_report *report, const char *name, const minimise_result *r, FILE *file) {
  fprintf(file, "%-26s", name);
  for (int k = 0; k < BENCH_ERRORS; ++k)
    print_reach(report, r, wanted[k], file);
  if (r->count > 0)
    fprintf(file, " %9.1e after %d", minimise_error(report->results, r, r->count - 1), r->count - 1);
  fprintf(file, "%s%s\n", r->status ? "  " : "", r->status ? mus_status_name(r->status) : "");
}

void minimise_report_print(const minimise_report *report, FILE *file) {
  const minimise_results *r = report->results;
  const minimise_plan *plan = report->plan;
  fprintf(file, "%s: %s vertices, one step of %.4g ms after %d step%s, stretch stiffness x %g\n",
          scene_name(report->scene), numbers_grouped(r->vertices).text, 1e3 * report->scene->time_step, plan->warmup,
          plan->warmup == 1 ? "" : "s", report->stiffness);
  fprintf(file, "least energy %.9g J, found by %s; %s, %d thread%s\n", r->minimum, r->lowest ? r->lowest : "none",
          r->machine.cpu, r->machine.threads, r->machine.threads == 1 ? "" : "s");
  if (*r->device.name)
    fprintf(file, "%s%s%s\n", r->device.name, r->device.obstacle ? ", for the solver alone: it does not do " : "",
            r->device.obstacle ? r->device.obstacle : ", for whole iterations of newton-sa and fmg:plain");
  fprintf(file, "iterations / products with the matrix / time until the energy error is and stays at most\n\n");
  fprintf(file, "%-26s", "method");
  for (int k = 0; k < BENCH_ERRORS; ++k)
    fprintf(file, " %22g", wanted[k]);
  fprintf(file, " %9s\n", "at last");
  for (int k = 0; k < plan->count; ++k)
    print_row(report, plan->method[k], &r->result[k], file);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static json_t *result_json(const minimise_results *all, const char *name, const minimise_result *r) {
  json_t *errors = json_array(), *products = json_array(), *seconds = json_array(), *energies = json_array();
  for (int k = 0; k < r->count; ++k) {
    json_array_append_new(errors, numbers_json(minimise_error(all, r, k)));
    json_array_append_new(products, numbers_json(r->entries[k].products));
    json_array_append_new(seconds, numbers_json(r->entries[k].seconds));
    json_array_append_new(energies, numbers_json(r->entries[k].energy));
  }
  json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "method", name, "energy_error", errors, "products",
                             products, "seconds", seconds, "energy", energies, "status", mus_status_name(r->status));
  if (object && r->status)
    json_object_set_new(object, "error", json_string_nocheck(r->text));
  return object;
}

static json_t *report_json(const minimise_report *report) {
  const minimise_results *r = report->results;
  const minimise_plan *plan = report->plan;
  json_t *results = json_array();
  for (int k = 0; k < plan->count; ++k)
    if (json_array_append_new(results, result_json(r, plan->method[k], &r->result[k])) != 0) {
      json_decref(results);
      return NULL;
    }
  json_t *machine =
      json_pack("{s:s, s:i, s:o, s:s}", "cpu", r->machine.cpu, "threads", r->machine.threads, "stream_gb_s",
                numbers_json(r->machine.stream_gb_s), "device", *r->device.name ? r->device.name : "cpu");
  return json_pack("{s:s, s:o, s:s, s:i, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:s?, s:o, s:o}", "program_version",
                   mus_version(), "machine", machine, "example", scene_name(report->scene), "vertices", r->vertices,
                   "time_step", numbers_json(report->scene->time_step), "stiffness", numbers_json(report->stiffness),
                   "warmup", plan->warmup, "repeat", plan->repeat, "median", plan->median, "time",
                   numbers_json(r->time), "minimum", numbers_json(r->minimum), "minimum_by", r->lowest, "wall_s",
                   numbers_json(r->wall_s), "results", results);
}

int minimise_report_write_json(const minimise_report *report, const char *path) {
  return numbers_write_json(report->plan->program, path, report_json(report));
}
