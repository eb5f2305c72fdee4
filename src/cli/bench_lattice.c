// See bench_lattice.h.
#include "bench_lattice.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "muslin/muslin.h"
#include "numbers.h"
#include "options.h"

static const char *const program = "muslin bench";
static const char *const precisions[] = {"double", "single", NULL};
static const char *const methods[] = {"multigrid", "cg", "pcg", NULL}; // in the order of mus_lattice_method
static const char *const cycles[] = {"v", "k", NULL};
static const char *const devices[] = {"cpu", "cuda", "auto", NULL}; // in the order of mus_device_choice

enum { OPTIONS_MAXIMUM = 19, THREADS_MOST = 1024 };

typedef struct lattice_options {
  mus_lattice_problem problem;
  const char *shape, *json;
  int method, precision, cycle, device; // places in their lists
  int lattice, help;
} lattice_options;

static int list_options(lattice_options *o, option *list) {
  mus_lattice_problem *p = &o->problem;
  int n = 0;
  list[n++] = option_flag("lattice", &o->lattice, "measure a solid on a lattice, which this text is about");
  list[n++] = option_whole("cells", &p->cells, 4, 1024, "along the longest side (64)");
  list[n++] = option_real("poisson", &p->poisson, "Poisson's ratio, above -1 and below 0.5 (0.45)");
  list[n++] = option_real_within("young", &p->young, 1e-6, 1e15, "Young's modulus, Pa (100000)");
  list[n++] = option_text("shape", &o->shape, "S", "box, or a closed surface: an OBJ or PLY file (box)");
  list[n++] = option_real_within("dynamic", &p->time_step, 1e-9, 1e3,
                                 "one implicit step of so many seconds, at 1000 kg/m^3, instead of rest");
  list[n++] = option_flag("corotational", &p->corotational, "co-rotational rather than linear elasticity");
  list[n++] = option_choice("method", &o->method, "M", methods,
                            "multigrid, or conjugate gradients for comparison: cg, or pcg with the\n"
                            "matrix's diagonal (multigrid)");
  list[n++] = option_real_within("tolerance", &p->tolerance, 1e-14, 0.5, "of the residual (1e-8)");
  list[n++] = option_whole("cycles", &p->cycles, 1, 100000, "or iterations, at most (60)");
  list[n++] = option_choice("cycle", &o->cycle, "C", cycles, "v, or k, which visits coarse levels twice (k)");
  list[n++] = option_whole("directions", &p->directions, 0, 100,
                           "earlier corrections that are combined with each new one;\n"
                           "0: cycles by themselves (2 to 20, as memory allows)");
  list[n++] = option_choice("precision", &o->precision, "P", precisions, "of cycles: double or single (single)");
  list[n++] = option_choice("device", &o->device, "D", devices,
                            "cuda runs multigrid on the GPU, auto too if there is one (cpu)");
  list[n++] = option_whole("threads", &p->threads, 0, THREADS_MOST, "0: all cores (0)");
  list[n++] = option_text("json", &o->json, "FILE", "also write the figures");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf(
      "muslin bench --lattice [options]\n\n"
      "Solves one elastic solid on a lattice, held at both ends of its longest side, one of which is moved, and tells\n"
      "how fast. See docs/lattice.md for what the figures mean.\n\nOptions:\n");
  options_print(table, stdout);
  printf("\nExit status: 0 if everything was done, even if the tolerance was not reached; 1 if it broke down or a file "
         "could not be\nwritten; 2 for bad input.\n");
}

// The bandwidth of the memory that a problem was solved in.
static double bandwidth(const mus_lattice_result *r, const mus_machine *machine) {
  return r->copy_gb_s > 0 ? r->copy_gb_s : machine->stream_gb_s;
}

// The part of it that cycles reach, by the bytes that their passes move.
static double bandwidth_part(const mus_lattice_result *r, const mus_machine *machine) {
  return r->cycle_bytes / r->seconds_per_cycle / (1e9 * bandwidth(r, machine));
}

static void print(const lattice_options *o, const mus_lattice_result *r, const mus_machine *machine) {
  printf("%s: %d cells along it, %s interior, %s unknowns, %d levels; Poisson's ratio %.9g\n",
         o->problem.shape ? o->problem.shape : "box", o->problem.cells, numbers_grouped((long long)r->interior).text,
         numbers_grouped((long long)r->unknowns).text, r->levels, o->problem.poisson);
  printf("residual %.2e after %d %s, %s: a factor of %.3f each at the end\n", r->residuals[r->cycles], r->cycles,
         o->problem.method == MUS_LATTICE_MULTIGRID ? "cycles" : "iterations", numbers_duration(r->seconds).text,
         r->rate);
  if (o->problem.method == MUS_LATTICE_MULTIGRID)
    printf("a cycle: %s, %.1f times the least bytes, %.0f%% of %.1f GB/s; memory: %.0f bytes per interior cell\n",
           numbers_duration(r->seconds_per_cycle).text, r->cycle_bytes / r->least_bytes,
           100 * bandwidth_part(r, machine), bandwidth(r, machine), r->bytes_per_cell);
  if (*r->device)
    printf("%s: %.0f cycles per second, %.0f MB of its memory, %s for transfers\n", r->device, 1 / r->seconds_per_cycle,
           1e-6 * r->device_bytes, numbers_duration(r->transfer_seconds).text);
  printf("%s, %d thread%s\n", machine->cpu, machine->threads, machine->threads == 1 ? "" : "s");
}

static int write_json(const lattice_options *o, const mus_lattice_result *r, const mus_machine *machine) {
  json_t *residuals = json_array();
  for (int k = 0; k <= r->cycles; ++k)
    json_array_append_new(residuals, numbers_json(r->residuals[k]));
  json_t *on = json_pack("{s:s, s:i, s:o}", "cpu", machine->cpu, "threads", machine->threads, "stream_gb_s",
                         numbers_json(machine->stream_gb_s));
  json_t *gpu = *r->device ? json_pack("{s:s, s:o, s:o, s:o}", "name", r->device, "bytes",
                                       numbers_json(r->device_bytes), "copy_gb_s", numbers_json(r->copy_gb_s),
                                       "transfer_seconds", numbers_json(r->transfer_seconds))
                           : json_null();
  json_t *report = json_pack(
      "{s:s, s:o, s:o, s:s, s:b, s:s, s:i, s:I, s:I, s:i, s:o, s:o, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, "
      "s:o}",
      "program_version", mus_version(), "machine", on, "gpu", gpu, "method", methods[o->problem.method], "corotational",
      o->problem.corotational, "shape", o->problem.shape ? o->problem.shape : "box", "cells", o->problem.cells,
      "interior", (json_int_t)r->interior, "unknowns", (json_int_t)r->unknowns, "levels", r->levels, "poisson",
      numbers_json(o->problem.poisson), "time_step", numbers_json(o->problem.time_step), "cycle",
      cycles[o->problem.visits - 1], "precision", precisions[!o->problem.in_double], "directions",
      o->problem.directions, "cycles", r->cycles, "rate", numbers_json(r->rate), "residuals", residuals,
      "seconds_per_cycle", numbers_json(r->seconds_per_cycle), "seconds", numbers_json(r->seconds), "bytes_per_cell",
      numbers_json(r->bytes_per_cell), "bytes_ratio", numbers_json(r->cycle_bytes / r->least_bytes), "bandwidth_part",
      numbers_json(bandwidth_part(r, machine)));
  return numbers_write_json(program, o->json, report);
}

static int run(const lattice_options *o) {
  mus_lattice_result result;
  mus_machine machine;
  mus_status status = mus_lattice_run(&o->problem, &result);
  if (!status)
    status = mus_machine_measure(o->problem.threads, &machine);
  int failed = status ? failure_status(program, NULL, status) : 0;
  if (!failed) {
    print(o, &result, &machine);
    fflush(stdout);
    failed = o->json && write_json(o, &result, &machine) ? CLI_FAILED : 0;
  }
  mus_lattice_result_free(&result);
  return failed;
}

int bench_lattice_command(int argc, char **argv) {
  lattice_options o = {.problem = mus_lattice_default_problem()};
  option list[OPTIONS_MAXIMUM];
  o.precision = !o.problem.in_double;
  o.cycle = o.problem.visits - 1;
  option_table table = {program, list, list_options(&o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, NULL, 0, &count);
  if (failed)
    return failed;
  if (o.help) {
    print_help(&table);
    return 0;
  }
  o.problem.in_double = o.precision == 0;
  o.problem.visits = o.cycle + 1;
  o.problem.method = (mus_lattice_method)o.method;
  o.problem.device = (mus_device_choice)o.device;
  o.problem.shape = o.shape && strcmp(o.shape, "box") != 0 ? o.shape : NULL;
  return run(&o);
}
