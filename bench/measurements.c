// See measurements.h.
#include "measurements.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/failure.h"

const char *const paper_examples[PAPER_EXAMPLES] = {"pinned", "drooping", "re-entrant", "drop-horizontal",
                                                    "drop-vertical"};
const char *const tessellations[TESSELLATIONS] = {"regular", "irregular"};

static int ends_in(const char *text, const char *end) {
  size_t length = strlen(text), wanted = strlen(end);
  return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static int whole_of(const json_t *object, const char *key) {
  return (int)json_integer_value(json_object_get(object, key));
}

static measured_solver solver_of(const json_t *r) {
  return (measured_solver){.name = text_of(r, "solver"),
                           .failed = strcmp(text_of(r, "status"), "ok") != 0,
                           .setup_s = number_of(r, "setup_s"),
                           .prefilter_s = number_of(r, "prefilter_s"),
                           .solve_s = number_of(r, "solve_s"),
                           .total_s = number_of(r, "total_s"),
                           .first_setup_s = number_of(r, "first_setup_s"),
                           .iterations = number_of(r, "iterations"),
                           .rate = number_of(r, "rate"),
                           .products = number_of(r, "total_products"),
                           .error = number_of(r, "true_error"),
                           .worst_error = number_of(r, "true_error_maximum"),
                           .complexity = number_of(r, "operator_complexity"),
                           .bytes = number_of(r, "bytes"),
                           .solves = json_object_get(r, "solves")};
}

static run_kind kind_of(const char *path) {
  return ends_in(path, "-one.json") ? RUN_ONE : ends_in(path, "-long.json") ? RUN_LONG : RUN_USUAL;
}

static void fill(json_t *json, measurement *m) {
  const json_t *machine = json_object_get(json, "machine"), *results = json_object_get(json, "results");
  *m = (measurement){.path = m->path,
                     .kind = kind_of(m->path),
                     .example = text_of(json, "example"),
                     .tessellation = text_of(json, "tessellation"),
                     .vertices = whole_of(json, "vertices"),
                     .threads = whole_of(machine, "threads"),
                     .steps = whole_of(json, "steps"),
                     .warmup = whole_of(json, "warmup"),
                     .burst = whole_of(json, "burst"),
                     .stride = whole_of(json, "stride"),
                     .constrained = whole_of(json, "constrained"),
                     .couplings = whole_of(json, "couplings"),
                     .time_step = number_of(json, "time_step"),
                     .tolerance = number_of(json, "tolerance"),
                     .spmv_s = number_of(machine, "spmv_s"),
                     .stream_gb_s = number_of(machine, "stream_gb_s"),
                     .wall_s = number_of(json, "wall_s"),
                     .peak_bytes = number_of(json, "peak_bytes"),
                     .blocks = number_of(json, "blocks"),
                     .cpu = text_of(machine, "cpu"),
                     .json = json};
  for (size_t k = 0; k < json_array_size(results) && k < MEASURED_SOLVERS; ++k)
    m->solver[m->count++] = solver_of(json_array_get(results, k));
}

static int place_of(const char *example) {
  for (int k = 0; k < PAPER_EXAMPLES; ++k)
    if (strcmp(example, paper_examples[k]) == 0)
      return k;
  return PAPER_EXAMPLES;
}

static int compare(const void *a, const void *b) {
  const measurement *x = a, *y = b;
  int order = place_of(x->example) - place_of(y->example);
  if (order == 0)
    order = -strcmp(x->tessellation, y->tessellation); // regular first
  if (order == 0)
    order = (int)x->kind - (int)y->kind;
  return order ? order : (x->vertices > y->vertices) - (x->vertices < y->vertices);
}

// --- files -----------------------------------------------------------------------------------------------------------

static int read_file(const char *program, const char *folder, const char *name, measurements *all) {
  measurement *larger = realloc(all->list, ((size_t)all->count + 1) * sizeof *larger);
  if (!larger)
    return failure_memory(program);
  all->list = larger;
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path)
    return failure_memory(program);
  snprintf(path, size, "%s/%s", folder, name);
  json_error_t error;
  json_t *json = json_load_file(path, 0, &error);
  int failed = 0;
  if (!json)
    failed = failure_input(program, "%s:%d: %s", path, error.line, error.text);
  else if (json_is_array(json_object_get(json, "results"))) {
    measurement *m = &all->list[all->count++];
    m->path = path;
    fill(json, m);
    return 0;
  }
  json_decref(json);
  free(path);
  return failed;
}

int measurements_read(const char *program, const char *folder, measurements *out) {
  *out = (measurements){0};
  DIR *directory = opendir(folder);
  if (!directory)
    return failure_input(program, "cannot read the folder %s: %s", folder, strerror(errno));
  int failed = 0;
  const struct dirent *entry;
  while (!failed && (entry = readdir(directory)))
    if (ends_in(entry->d_name, ".json"))
      failed = read_file(program, folder, entry->d_name, out);
  closedir(directory);
  if (!failed && out->count > 0)
    qsort(out->list, (size_t)out->count, sizeof *out->list, compare);
  return failed;
}

void measurements_free(measurements *all) {
  for (int k = 0; k < all->count; ++k) {
    json_decref(all->list[k].json);
    free((char *)all->list[k].path);
  }
  free(all->list);
}

// --- looking up ------------------------------------------------------------------------------------------------------

const measurement *measurements_next(const measurements *all, const char *example, const char *tessellation,
                                     run_kind kind, const measurement *after) {
  for (const measurement *m = after ? after + 1 : all->list; m && m < all->list + all->count; ++m)
    if (strcmp(m->example, example) == 0 && strcmp(m->tessellation, tessellation) == 0 && m->kind == kind)
      return m;
  return NULL;
}

const measurement *measurements_near(const measurements *all, const char *example, const char *tessellation,
                                     run_kind kind, int vertices) {
  const measurement *m = NULL;
  while ((m = measurements_next(all, example, tessellation, kind, m)))
    if (abs(m->vertices - vertices) <= vertices / 20)
      return m;
  return NULL;
}

const measured_solver *measurement_solver(const measurement *m, const char *name) {
  for (int k = 0; m && k < m->count; ++k)
    if (strcmp(m->solver[k].name, name) == 0)
      return m->solver[k].failed ? NULL : &m->solver[k];
  return NULL;
}
