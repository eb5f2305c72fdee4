// Table 1 of Tamstorf et al. 2015, section 11, beside the paper's numbers, and everything measured as tables and for
// machines. See seed_000.h.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/numbers.h"
#include "cli/output.h"
#include "paper_table.h"
#include "seed_000.h"

// --- for machines ----------------------------------------------------------------------------------------------------

// Without every single solve, but for figure 9's: they are many, and in the files that this is made from.
static json_t *shortened(const measurement *m) {
  json_t *copy = json_deep_copy(m->json);
  size_t k;
  json_t *result;
  if (copy && strcmp(m->example, "dressed") != 0)
    json_array_foreach(json_object_get(copy, "results"), k, result) json_object_del(result, "solves");
  return copy;
}

static void print_json(const seed_000 *r, FILE *file) {
  json_t *list = json_array();
  for (int k = 0; k < r->all.count; ++k)
    json_array_append_new(list, shortened(&r->all.list[k]));
  json_t *root = json_pack("{s:O?, s:o}", "machine", r->machine, "measurements", list);
  if (root)
    json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  fputc('\n', file);
  json_decref(root);
}

// A number, or nothing.
static void print_field(double value, FILE *file) {
  if (isfinite(value))
    fprintf(file, ",%.6g", value);
  else
    fputc(',', file);
}

static void print_csv_row(const measurement *m, const measured_solver *s, FILE *file) {
  fprintf(file, "%s,%s,%d,%d,%s,%s", m->example, m->tessellation, m->vertices, m->threads, s->name,
          s->failed ? "failed" : "ok");
  const double fields[] = {s->setup_s,     s->prefilter_s, s->solve_s,    s->total_s, s->first_setup_s, s->products,
                           s->iterations,  s->rate,        s->complexity, s->bytes,   s->error,         s->worst_error,
                           m->constrained, m->couplings,   m->blocks,     m->spmv_s,  m->stream_gb_s,   m->time_step,
                           m->tolerance,   m->warmup,      m->steps,      m->burst,   m->stride};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k)
    print_field(fields[k], file);
  fprintf(file, ",\"%s\"\n", m->cpu);
}

static void print_csv(const seed_000 *r, FILE *file) {
  fputs("example,tessellation,vertices,threads,solver,status,setup_s,prefilter_s,solve_s,total_s,first_setup_s,"
        "total_products,iterations,rate,operator_complexity,bytes,true_error,true_error_maximum,constrained,couplings,"
        "blocks,spmv_s,stream_gb_s,time_step,tolerance,warmup,steps,burst,stride,cpu\n",
        file);
  for (int k = 0; k < r->all.count; ++k)
    for (int s = 0; s < r->all.list[k].count; ++s)
      print_csv_row(&r->all.list[k], &r->all.list[k].solver[s], file);
}

// --- table 1 ---------------------------------------------------------------------------------------------------------

static void print_number(double value, FILE *file) {
  if (isfinite(value))
    fprintf(file, " %.*f |", value < 9.95 ? 2 : 1, value);
  else
    fputs(" |", file);
}

static double times_faster(const measurement *m, const char *than, const char *solver) {
  const measured_solver *slow = measurement_solver(m, than), *fast = measurement_solver(m, solver);
  return slow && fast ? slow->total_s / fast->total_s : NAN;
}

static int is_measured(const seed_000 *r, int tessellation, int vertices) {
  for (int e = 0; e < PAPER_EXAMPLES; ++e)
    if (measurements_near(&r->all, paper_examples[e], tessellations[tessellation], RUN_USUAL, vertices))
      return 1;
  return 0;
}

static void print_speedups(const seed_000 *r, int tessellation, paper_rival rival, FILE *file) {
  const char *than = rival == PAPER_DIAGONAL ? "diag" : "cholmod";
  fprintf(file, "\n### How many times faster than %s, %s tessellation\n\n| vertices |",
          rival == PAPER_DIAGONAL ? "block-Jacobi (`diag`)" : "a direct solver (theirs PARDISO, ours `cholmod`)",
          tessellations[tessellation]);
  for (int e = 0; e < PAPER_EXAMPLES; ++e)
    fprintf(file, " %s: the paper | `paper` | `fast` |", paper_examples[e]);
  fputs("\n|---|", file);
  for (int e = 0; e < PAPER_EXAMPLES; ++e)
    fputs("---|---|---|", file);
  for (int size = 0; size < PAPER_SIZES; ++size) {
    if (!is_measured(r, tessellation, paper_sizes[size]))
      continue;
    fprintf(file, "\n| %s |", numbers_grouped(paper_sizes[size]).text);
    for (int e = 0; e < PAPER_EXAMPLES; ++e) {
      const measurement *m =
          measurements_near(&r->all, paper_examples[e], tessellations[tessellation], RUN_USUAL, paper_sizes[size]);
      print_number(paper_speedup(tessellation, size, e, rival), file);
      print_number(times_faster(m, than, "sa:paper"), file);
      print_number(times_faster(m, than, "sa:fast"), file);
    }
  }
  fputc('\n', file);
}

// --- what was measured -----------------------------------------------------------------------------------------------

static void print_cell(const measurement *m, const char *solver, FILE *file) {
  const measured_solver *s = measurement_solver(m, solver);
  if (!s) {
    fputs(" |", file);
    return;
  }
  fprintf(file, " %s; %.4g", numbers_duration(s->total_s).text, s->iterations);
  if (isfinite(s->worst_error))
    fprintf(file, "; %.0e", s->worst_error);
  fputs(" |", file);
}

static void print_runs(const seed_000 *r, const char *example, const char *tessellation, run_kind kind, int count,
                       const char *const *solvers, FILE *file) {
  const measurement *m = measurements_next(&r->all, example, tessellation, kind, NULL);
  if (!m)
    return;
  fprintf(file, "\n**%s, %s**\n\n| vertices | held | couplings |", example, tessellation);
  for (int k = 0; k < count; ++k)
    fprintf(file, " `%s` |", solvers[k]);
  fputs("\n|---|---|---|", file);
  for (int k = 0; k < count; ++k)
    fputs("---|", file);
  for (; m; m = measurements_next(&r->all, example, tessellation, kind, m)) {
    fprintf(file, "\n| %s | %s | %s |", numbers_grouped(m->vertices).text, numbers_grouped(m->constrained).text,
            numbers_grouped(m->couplings).text);
    for (int k = 0; k < count; ++k)
      print_cell(m, solvers[k], file);
  }
  fputc('\n', file);
}

static void print_all_runs(const seed_000 *r, run_kind kind, int count, const char *const *solvers, FILE *file) {
  for (int e = 0; e < PAPER_EXAMPLES; ++e)
    for (int t = 0; t < TESSELLATIONS; ++t)
      print_runs(r, paper_examples[e], tessellations[t], kind, count, solvers, file);
}

// Bytes of the matrix in double precision: blocks, their columns, and the rows' starts.
static double matrix_bytes(const measurement *m) { return m->blocks * (9 * 8 + 4) + 4.0 * m->vertices; }

static void print_cost(const measurement *m, const measured_solver *s, FILE *file) {
  enum { AMORTISED = 50 }; // solves, over which what is made once is shared out
  double once = s->first_setup_s / AMORTISED;
  const measured_solver *plain = measurement_solver(m, "diag");
  fprintf(file, "| %s, %s | %s | %.0f | %.0f%% |", m->example, m->tessellation, numbers_grouped(m->vertices).text,
          s->products, 100 * (s->setup_s + once) / (s->total_s + once));
  if (plain)
    fprintf(file, " %.0f%% |", 100 * (s->bytes - plain->bytes) / matrix_bytes(m));
  else
    fputs(" |", file);
  fprintf(file, " %.0f | %.2f |\n", s->bytes / m->vertices, s->complexity);
}

static void print_costs(const seed_000 *r, const char *solver, FILE *file) {
  fputs("\n| example | vertices | products | set-up | hierarchy | bytes per vertex | complexity |\n"
        "|---|---|---|---|---|---|---|\n",
        file);
  for (int k = 0; k < r->all.count; ++k) {
    const measured_solver *s = measurement_solver(&r->all.list[k], solver);
    if (s && r->all.list[k].kind == RUN_USUAL)
      print_cost(&r->all.list[k], s, file);
  }
}

// What longer steps do to the advantage over block-Jacobi.
static void print_long_steps(const seed_000 *r, FILE *file) {
  fputs("\n| example | vertices | step | `paper` | `fast` | longer step | `paper` | `fast` |\n"
        "|---|---|---|---|---|---|---|---|\n",
        file);
  for (int k = 0; k < r->all.count; ++k) {
    const measurement *m = &r->all.list[k];
    const measurement *usual = measurements_near(&r->all, m->example, m->tessellation, RUN_USUAL, m->vertices);
    if (m->kind != RUN_LONG || !usual)
      continue;
    fprintf(file, "| %s, %s | %s | %.3g ms |", m->example, m->tessellation, numbers_grouped(m->vertices).text,
            1e3 * usual->time_step);
    print_number(times_faster(usual, "diag", "sa:paper"), file);
    print_number(times_faster(usual, "diag", "sa:fast"), file);
    fprintf(file, " %.3g ms |", 1e3 * m->time_step);
    print_number(times_faster(m, "diag", "sa:paper"), file);
    print_number(times_faster(m, "diag", "sa:fast"), file);
    fputc('\n', file);
  }
}

static void print_machine(const seed_000 *r, FILE *file) {
  const char *key;
  json_t *value;
  json_object_foreach(r->machine, key, value) {
    if (json_is_string(value))
      fprintf(file, "- %s: %s\n", key, json_string_value(value));
    else
      fprintf(file, "- %s: %.6g\n", key, json_number_value(value));
  }
}

// The lines of a text file, as a list.
static void print_lines(const char *path, FILE *file) {
  char line[512];
  FILE *text = fopen(path, "r");
  if (!text)
    return;
  while (fgets(line, sizeof line, text))
    fprintf(file, "- %s", line);
  fclose(text);
}

static int is_left_out(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".left") == 0;
}

static void print_left_out(const seed_000 *r, FILE *file) {
  struct dirent **list = NULL;
  int count = scandir(r->runs, &list, is_left_out, alphasort);
  if (count > 0)
    fputs("\n## What was left out\n\n", file);
  for (int k = 0; k < count; ++k) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->runs, list[k]->d_name);
    print_lines(path, file);
    free(list[k]);
  }
  free(list);
}

static void print_dressed(const seed_000 *r, FILE *file) {
  static const char *const solvers[] = {"sa:fast", "sa:paper", "diag"};
  for (int k = 0; k < r->all.count; ++k)
    if (strcmp(r->all.list[k].example, "dressed") == 0) {
      const measurement *m = &r->all.list[k];
      fputs("\n## The dress (figure 9)\n", file);
      print_runs(r, m->example, m->tessellation, m->kind, 3, solvers, file);
      return;
    }
}

static void print_tables(const seed_000 *r, FILE *file) {
  static const char *const solvers[] = {"sa:fast", "sa:paper", "sa:paper:filtered", "diag", "diag:filtered", "cholmod"};
  static const char *const alone[] = {"sa:fast", "gamg", "boomeramg"};
  fprintf(file,
          "# What was measured\n\nMade by `script/bench seed-000`; do not edit. %s. What it means is in "
          "[README.md](README.md); `results.csv` and `results.json` have all numbers.\n\n",
          r->setting);
  print_machine(r, file);
  fputs("\n## Table 1\n\nSpeed-ups as in table 1 of Tamstorf et al. 2015: theirs, then those of `sa` with the presets "
        "`paper` and `fast`.\n",
        file);
  for (int t = 0; t < TESSELLATIONS; ++t) {
    print_speedups(r, t, PAPER_DIAGONAL, file);
    print_speedups(r, t, PAPER_DIRECT, file);
  }
  fputs("\n## Time for a solve\n\nTime for set-up, prefilter and solve, iterations (all averages over the steps "
        "measured), and the largest true error ‖e‖_A / ‖e₀‖_A at any of them.\n",
        file);
  print_all_runs(r, RUN_USUAL, 6, solvers, file);
  fputs("\n## On one thread\n\nPETSc's solvers run on one thread; so does `sa` here.\n", file);
  print_all_runs(r, RUN_ONE, 3, alone, file);
  print_dressed(r, file);
  fputs("\n## Longer steps\n\nHow many times faster than `diag`, for the steps above and for longer ones.\n", file);
  print_long_steps(r, file);
  fputs("\n## What the preset `fast` costs\n\nTime in products of the fine matrix with a vector; the set-up's share of "
        "the time, with what is made once shared out over 50 solves; bytes more than `diag` holds, as a part of the "
        "matrix in double precision; bytes of all that the solver holds; operator complexity.\n",
        file);
  print_costs(r, "sa:fast", file);
  print_left_out(r, file);
}

int seed_000_tables(const seed_000 *r) {
  int failed = seed_000_write(r, "results.json", print_json);
  if (!failed)
    failed = seed_000_write(r, "results.csv", print_csv);
  return failed ? failed : seed_000_write(r, "tables.md", print_tables);
}
