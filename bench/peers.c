// Tables of `sa` against AMGCL, from what bench/peers.sh has measured:
//
//   bench_peers RUNS OUT      all runs in the folder RUNS that hold both, into OUT/peers.md and OUT/peers.json
//
// Every solver stops in the norm of its own preconditioner, so that their errors differ. A solver whose error is
// larger than the other's is charged for the iterations that it lacks: its time for iterations is multiplied by
// log(other's error) / log(its own), as if it went on at the rate it had.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "measurements.h"

static const char *const program = "bench_peers";

typedef struct comparison {
  const measurement *run;
  const measured_solver *ours, *theirs;
  double our_s, their_s; // at equal energy error
} comparison;

static int is_cold(const measurement *m) { return json_is_true(json_object_get(m->json, "cold")); }

// Seconds per solve if the error had to be `error`, which is smaller.
static double charged(const measured_solver *s, double error) {
  if (!(s->error > 0 && s->error < 1 && error > 0 && error < s->error))
    return s->total_s;
  return s->total_s + s->solve_s * (log(error) / log(s->error) - 1);
}

static int compare_solvers(const measurement *m, comparison *out) {
  *out = (comparison){m, measurement_solver(m, "sa:fast"), measurement_solver(m, "amgcl"), 0, 0};
  if (!out->ours || !out->theirs)
    return 0;
  out->our_s = charged(out->ours, out->theirs->error);
  out->their_s = charged(out->theirs, out->ours->error);
  return 1;
}

static void print_row(FILE *file, const comparison *c) {
  fprintf(file, "| %s | %s, %s | %s; %.1f; %.0e | %s; %.1f; %.0e | %.1f | %.2f | %.2f |\n",
          numbers_grouped(c->run->vertices).text, c->run->example, c->run->tessellation,
          numbers_duration(c->ours->total_s).text, c->ours->iterations, c->ours->error,
          numbers_duration(c->theirs->total_s).text, c->theirs->iterations, c->theirs->error, c->ours->products,
          c->theirs->total_s / c->ours->total_s, c->their_s / c->our_s);
}

static int by_size(const void *a, const void *b) {
  const measurement *x = *(const measurement *const *)a, *y = *(const measurement *const *)b;
  int order = (x->vertices + 1000) / 5000 - (y->vertices + 1000) / 5000; // an L-shaped sheet can't have any number
  return order ? order : (x > y) - (x < y);                              // measurements are sorted by example
}

static void print_table(FILE *file, const measurement **list, int count, int threads, int cold) {
  int rows = 0;
  for (int k = 0; k < count; ++k) {
    comparison c;
    if (list[k]->threads != threads || is_cold(list[k]) != cold || !compare_solvers(list[k], &c))
      continue;
    if (rows++ == 0)
      fprintf(file,
              "\n## %s, %d thread%s\n\n| vertices | scene | `sa`, fast | AMGCL | products | ratio | at equal error |\n"
              "|---|---|---|---|---|---|---|\n",
              cold ? "Cold" : "Warm", threads, threads == 1 ? "" : "s");
    print_row(file, &c);
  }
}

static void print_tables(FILE *file, const measurements *all, const measurement **list) {
  fprintf(file,
          "# `sa` against AMGCL\n\nMade by `script/bench peers`; do not edit. %s. Steps of %.3g ms, to %.0e of the "
          "residual in each preconditioner's own norm.\nTimes are per solve and count every call of a simulator; "
          "then iterations, and the error left, ‖e‖_A / ‖e₀‖_A. Products: the time of `sa` in products\n"
          "y = A x. Ratio: AMGCL's time over ours; at equal error, with the time for iterations of the less exact "
          "of the two prolonged to the other's error.\n",
          all->count ? all->list->cpu : "", all->count ? all->list->time_step * 1e3 : 0,
          all->count ? all->list->tolerance : 0);
  for (int threads = 1; threads <= 256; ++threads)
    for (int cold = 0; cold < 2; ++cold)
      print_table(file, list, all->count, threads, cold);
}

static json_t *to_json(const measurement **list, int count) {
  json_t *rows = json_array();
  for (int k = 0; rows && k < count; ++k) {
    comparison c;
    if (compare_solvers(list[k], &c))
      json_array_append_new(
          rows, json_pack("{s:s, s:s, s:i, s:i, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "example",
                          list[k]->example, "tessellation", list[k]->tessellation, "vertices", list[k]->vertices,
                          "threads", list[k]->threads, "cold", is_cold(list[k]), "sa_s", c.ours->total_s, "amgcl_s",
                          c.theirs->total_s, "sa_iterations", c.ours->iterations, "amgcl_iterations",
                          c.theirs->iterations, "sa_error", c.ours->error, "amgcl_error", c.theirs->error,
                          "sa_products", c.ours->products, "ratio_at_equal_error", c.their_s / c.our_s));
  }
  return rows;
}

static int write_tables(const char *folder, const measurements *all, const measurement **list) {
  char *text = NULL, *tables = output_path(folder, "peers.md"), *numbers = output_path(folder, "peers.json");
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  int failed = 1;
  if (file && tables && numbers) {
    print_tables(file, all, list);
    failed = fclose(file) != 0 || output_write(program, tables, text, length) ||
             numbers_write_json(program, numbers, to_json(list, all->count));
  } else
    failed = failure_memory(program);
  free(text);
  free(tables);
  free(numbers);
  return failed;
}

int main(int count, char **argument) {
  measurements all;
  if (count != 3)
    return failure_input(program, "usage: bench_peers RUNS OUT");
  int failed = measurements_read(program, argument[1], &all);
  const measurement **list = failed ? NULL : malloc(((size_t)all.count + 1) * sizeof *list);
  if (!failed && !list)
    failed = failure_memory(program);
  if (!failed) {
    for (int k = 0; k < all.count; ++k)
      list[k] = &all.list[k];
    qsort(list, (size_t)all.count, sizeof *list, by_size);
    failed = write_tables(argument[2], &all, list);
  }
  free(list);
  measurements_free(&all);
  return failed;
}
