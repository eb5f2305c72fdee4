// Helps bench/seed-000.sh to repeat the results of Tamstorf, Jones and McCormick 2015, section 11:
//
//   bench_seed_000 machine FILE          describes this machine, as JSON
//   bench_seed_000 plan RUNS EXAMPLE TESSELLATION VERTICES usual|one|long LIMIT BUDGET SOLVERS
//                                        prints which of the solvers can be measured in reasonable time and memory, by
//                                        what was measured at the next smaller size; why not the others, on stderr
//   bench_seed_000 report RUNS OUT       figures and tables of all measurements in the folder RUNS, into OUT
#include "seed_000.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "muslin/muslin.h"

static const char *const program = "bench_seed_000";

// --- machine ---------------------------------------------------------------------------------------------------------

// The rest of the first line of a file that begins with `key`, without what stands before it; "" where there is none.
static void line_of(const char *path, const char *key, char *text, size_t size) {
  char line[512];
  FILE *file = fopen(path, "r");
  text[0] = 0;
  if (!file)
    return;
  while (!text[0] && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) {
      const char *value = line + strlen(key);
      value += strspn(value, " \t:");
      snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
  fclose(file);
}

static double memory_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE); }

static int write_machine(const char *path) {
  mus_machine machine;
  struct utsname system;
  char cache[64], load[64], day[32] = "";
  time_t now = time(NULL);
  struct tm parts;
  mus_status status = mus_machine_measure(0, &machine);
  if (status)
    return failure_status(program, NULL, status);
  if (uname(&system) != 0)
    return failure_input(program, "uname: %s", strerror(errno));
  if (gmtime_r(&now, &parts))
    strftime(day, sizeof day, "%Y-%m-%d", &parts);
  line_of("/proc/cpuinfo", "cache size", cache, sizeof cache);
  line_of("/proc/loadavg", "", load, sizeof load);
  load[strcspn(load, " ")] = 0;
  return numbers_write_json(program, path,
                            json_pack("{s:s, s:i, s:f, s:s, s:f, s:s, s:s, s:s, s:s}", "processor", machine.cpu,
                                      "threads", machine.threads, "memory, GiB", memory_bytes() / (1 << 30), "cache",
                                      cache, "bandwidth, GB/s", machine.stream_gb_s, "system", system.release,
                                      "compiler", "cc " __VERSION__, "processes that ran besides, on average", load,
                                      "day", day));
}

// --- plan ------------------------------------------------------------------------------------------------------------

typedef struct request {
  const char *example, *tessellation, *solvers;
  int vertices;
  run_kind kind;
  double limit, budget; // s: for one solve; for a run
} request;

// How times and bytes are guessed to grow with vertices: block-Jacobi's time grows with the power 1.5, a factor's
// memory with n log n.
static const double time_power = 1.5, run_power = 1.25, memory_power = 1.1;
static const double memory_part = 0.9; // of the machine's, for all together

// Solvers that are asked for, in their order, and what is known of them at the smaller size.
typedef struct candidates {
  const measurement *before;
  double growth; // of vertices since then
  int count;
  char name[MEASURED_SOLVERS][64];
  int kept[MEASURED_SOLVERS];
} candidates;

static void leave_out(const request *q, candidates *c, int which, const char *why) {
  c->kept[which] = 0;
  fprintf(stderr, "%s, %s, %d vertices: %s %s\n", q->example, q->tessellation, q->vertices, c->name[which], why);
}

static void list_candidates(const request *q, candidates *c) {
  for (const char *rest = q->solvers; *rest && c->count < MEASURED_SOLVERS; ++c->count) {
    size_t length = strcspn(rest, ",");
    snprintf(c->name[c->count], sizeof c->name[0], "%.*s", (int)length, rest);
    c->kept[c->count] = 1;
    rest += length + (rest[length] == ',');
  }
}

static void check_times(const request *q, candidates *c) {
  char why[160];
  for (int k = 0; k < c->count; ++k) {
    const measured_solver *s = measurement_solver(c->before, c->name[k]);
    double seconds = s ? s->total_s * pow(c->growth, time_power) : 0;
    if (!s)
      snprintf(why, sizeof why, "failed, or was left out, at %d vertices already", c->before->vertices);
    else if (seconds > q->limit)
      snprintf(why, sizeof why, "would take about %.3g s a solve, by %.2g s at %d vertices; %g are allowed", seconds,
               s->total_s, c->before->vertices, q->limit);
    else
      continue;
    leave_out(q, c, k, why);
  }
}

// From the last on, until the rest fits.
static void check_memory(const request *q, candidates *c) {
  double scale = pow(c->growth, memory_power), bytes = c->before->peak_bytes * scale;
  for (int k = 0; k < c->before->count; ++k) {
    int wanted = 0;
    for (int other = 0; other < c->count; ++other)
      wanted |= c->kept[other] && strcmp(c->before->solver[k].name, c->name[other]) == 0;
    if (!wanted)
      bytes -= c->before->solver[k].bytes * scale;
  }
  for (int k = c->count - 1; k >= 0 && bytes > memory_part * memory_bytes(); --k) {
    char why[160];
    if (!c->kept[k])
      continue;
    snprintf(why, sizeof why, "does not fit into memory beside the others: about %.1f GB for all", bytes * 1e-9);
    leave_out(q, c, k, why);
    bytes -= measurement_solver(c->before, c->name[k])->bytes * scale;
  }
}

static const measurement *smaller_one(const measurements *all, const request *q) {
  const measurement *found = NULL, *m = NULL;
  while ((m = measurements_next(all, q->example, q->tessellation, q->kind, m)))
    if (m->vertices < 0.95 * q->vertices)
      found = m;
  return found;
}

static void print_plan(const measurements *all, const request *q) {
  candidates c = {.before = smaller_one(all, q)};
  const char *comma = "";
  list_candidates(q, &c);
  if (c.before) {
    c.growth = (double)q->vertices / c.before->vertices;
    double seconds = c.before->wall_s * pow(c.growth, run_power);
    if (seconds > q->budget) {
      fprintf(stderr, "%s, %s, %d vertices: would take about %.0f minutes in all; %.0f are allowed\n", q->example,
              q->tessellation, q->vertices, seconds / 60, q->budget / 60);
      return;
    }
    check_times(q, &c);
    check_memory(q, &c);
  }
  for (int k = 0; k < c.count; ++k)
    if (c.kept[k]) {
      printf("%s%s", comma, c.name[k]);
      comma = ",";
    }
  putchar('\n');
}

static run_kind kind_of(const char *word) {
  return strcmp(word, "one") == 0 ? RUN_ONE : strcmp(word, "long") == 0 ? RUN_LONG : RUN_USUAL;
}

static int plan(char **word) {
  measurements all;
  const request q = {.example = word[1],
                     .tessellation = word[2],
                     .vertices = atoi(word[3]),
                     .kind = kind_of(word[4]),
                     .limit = atof(word[5]),
                     .budget = atof(word[6]),
                     .solvers = word[7]};
  int failed = measurements_read(program, word[0], &all);
  if (!failed)
    print_plan(&all, &q);
  measurements_free(&all);
  return failed;
}

// --- report ----------------------------------------------------------------------------------------------------------

int seed_000_write(const seed_000 *r, const char *name, seed_000_print *print) {
  char *text = NULL, *path = output_path(r->out, name);
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (memory)
    print(r, memory);
  int failed = !path || !memory || fclose(memory) != 0 ? failure_memory(program) : 0;
  if (!failed)
    failed = output_write(program, path, text, length);
  free(text);
  free(path);
  return failed;
}

void seed_000_describe(const measurement *m, char *line) {
  snprintf(line, SEED_000_LINE,
           "%.80s, %d thread%s; steps of %.3g ms; to %g of the residual in the preconditioner's norm", m->cpu,
           m->threads, m->threads == 1 ? "" : "s", 1e3 * m->time_step, m->tolerance);
}

static int report(const char *runs, const char *out) {
  seed_000 r = {.program = program, .runs = runs, .out = out};
  int failed = measurements_read(program, runs, &r.all);
  if (!failed && r.all.count == 0)
    failed = failure_input(program, "%s: no measurements there", runs);
  if (!failed && mkdir(out, 0777) != 0 && errno != EEXIST)
    failed = failure_input(program, "cannot make the folder %s: %s", out, strerror(errno));
  if (!failed) {
    char *path = output_path(runs, "machine.json");
    r.machine = path ? json_load_file(path, 0, NULL) : NULL;
    free(path);
    seed_000_describe(&r.all.list[0], r.setting);
    failed = seed_000_figures(&r);
  }
  if (!failed)
    failed = seed_000_tables(&r);
  json_decref(r.machine);
  measurements_free(&r.all);
  return failed;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "machine") == 0)
    return write_machine(argv[2]);
  if (argc == 10 && strcmp(argv[1], "plan") == 0)
    return plan(argv + 2);
  if (argc == 4 && strcmp(argv[1], "report") == 0)
    return report(argv[2], argv[3]);
  return failure_input(program,
                       "machine FILE; plan RUNS EXAMPLE TESSELLATION VERTICES usual|one|long LIMIT BUDGET SOLVERS; "
                       "or report RUNS OUT");
}
