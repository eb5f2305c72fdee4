// The functions of the stages for lattices, and the table of them. See lattice_stages.h.
#ifndef MUS_CUDA_LATTICE_TABLE_H
#define MUS_CUDA_LATTICE_TABLE_H

#include <new>

#include "cuda/lattice_solver.h"

static mus_status mus_lattice_told(const mus_device_lattice *lattice, mus_stage_failure *failure) {
  if (lattice->run.status())
    lattice->run.explain(failure);
  return lattice->run.status();
}

static mus_status mus_lattice_out_of_memory(mus_stage_failure *failure) {
  snprintf(failure->text, sizeof failure->text, "out of memory on the host");
  return MUS_OUT_OF_MEMORY;
}

static mus_status mus_lattice_create_stage(mus_device *, const mus_stage_lattice *d, mus_device_lattice **out,
                                           mus_stage_failure *failure) {
  *out = nullptr;
  if (d->levels < 1 || d->levels > MUS_LATTICE_STAGES_LEVELS || d->directions < 0 ||
      d->directions > MUS_LATTICE_STAGES_DIRECTIONS) {
    snprintf(failure->text, sizeof failure->text, "a lattice of %d levels, with %d directions, does not fit the device",
             d->levels, d->directions);
    return MUS_UNSUPPORTED;
  }
  mus_device_lattice *lattice = nullptr;
  mus_status status;
  try {
    lattice = d->in_double ? (mus_device_lattice *)new mus_lattice_there<double>(*d)
                           : (mus_device_lattice *)new mus_lattice_there<float>(*d);
    lattice->make(*d);
    status = mus_lattice_told(lattice, failure);
  } catch (const std::bad_alloc &) {
    status = mus_lattice_out_of_memory(failure);
  }
  if (status)
    delete lattice;
  else
    *out = lattice;
  return status;
}

static void mus_lattice_free_stage(mus_device_lattice *lattice) { delete lattice; }

static size_t mus_lattice_bytes_stage(const mus_device_lattice *lattice) { return lattice->run.bytes(); }

// Runs f, and tells what went wrong.
template <class function>
mus_status mus_lattice_try(mus_device_lattice *lattice, mus_stage_failure *failure, const function &f) {
  try {
    f();
  } catch (const std::bad_alloc &) {
    return mus_lattice_out_of_memory(failure);
  }
  return mus_lattice_told(lattice, failure);
}

static mus_status mus_lattice_solve_stage(mus_device_lattice *lattice, const double *b, double *x, double tolerance,
                                          int cycles, mus_stage_lattice_result *result, mus_stage_failure *failure) {
  return mus_lattice_try(lattice, failure, [&] { lattice->solve(b, x, tolerance, cycles, result); });
}

static mus_status mus_lattice_measure_stage(mus_device_lattice *lattice, int repeat, mus_stage_lattice_speeds *speeds,
                                            mus_stage_failure *failure) {
  return mus_lattice_try(lattice, failure, [&] { lattice->measure(repeat, speeds); });
}

static mus_status mus_lattice_run_part_stage(mus_device_lattice *lattice, mus_cycle_part part, int level,
                                             mus_stage_failure *failure) {
  return mus_lattice_try(lattice, failure, [&] {
    lattice->run_part(part, level);
    lattice->run.wait();
  });
}

static mus_status mus_lattice_set_stage(mus_device_lattice *lattice, int level, mus_lattice_vector which,
                                        const double *from, mus_stage_failure *failure) {
  return mus_lattice_try(lattice, failure, [&] { lattice->set(level, which, from); });
}

static mus_status mus_lattice_get_stage(mus_device_lattice *lattice, int level, mus_lattice_vector which, double *to,
                                        mus_stage_failure *failure) {
  return mus_lattice_try(lattice, failure, [&] { lattice->get(level, which, to); });
}

static const mus_lattice_stages mus_lattice_table = {
    mus_lattice_create_stage,  mus_lattice_free_stage,     mus_lattice_bytes_stage, mus_lattice_solve_stage,
    mus_lattice_measure_stage, mus_lattice_run_part_stage, mus_lattice_set_stage,   mus_lattice_get_stage};

#endif
