// The list of methods, and their names. See method.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "solve/method.h"

static const mus_method_kind *const table[MUS_METHODS] = {
    [MUS_METHOD_SA] = &mus_method_sa,
    [MUS_METHOD_DIAG] = &mus_method_diag,
    [MUS_METHOD_MPCG] = &mus_method_mpcg,
    [MUS_METHOD_MPCG_ORIGINAL] = &mus_method_mpcg_original,
    [MUS_METHOD_CHOLMOD] = &mus_method_cholmod,
    [MUS_METHOD_GAMG] = &mus_method_gamg,
    [MUS_METHOD_BOOMERAMG] = &mus_method_boomeramg,
    [MUS_METHOD_SKINNING] = &mus_method_skinning,
    [MUS_METHOD_GAUSS_SEIDEL] = &mus_method_gauss_seidel,
    [MUS_METHOD_CHEBYSHEV] = &mus_method_chebyshev,
    [MUS_METHOD_GEOMETRIC] = &mus_method_geometric,
    [MUS_METHOD_AMGCL] = &mus_method_amgcl,
    [MUS_METHOD_AUTO] = &mus_method_auto,
};

const mus_method_kind *mus_method_table(mus_method method) {
  return (int)method >= 0 && method < MUS_METHODS ? table[method] : NULL;
}

// --- the public functions --------------------------------------------------------------------------------------------

const char *mus_method_name(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind ? kind->name : NULL;
}

// "a, b or c"
static void list_names(size_t size, char *text) {
  size_t used = 0;
  for (int m = 0; m < MUS_METHODS && used < size; ++m) {
    const char *before = m == 0 ? "" : m == MUS_METHODS - 1 ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", before, table[m]->name);
  }
}

mus_status mus_method_from_name(const char *name, mus_method *method) {
  mus_status status = MUS_NEED(name);
  if (!status)
    status = MUS_NEED(method);
  if (status)
    return status;
  for (int m = 0; m < MUS_METHODS; ++m)
    if (strcmp(name, table[m]->name) == 0) {
      *method = (mus_method)m;
      return MUS_OK;
    }
  char names[256];
  list_names(sizeof names, names);
  return mus_fail(MUS_BAD_INPUT, "there is no solver \"%s\": take %s", name, names);
}

int mus_method_available(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind && mus_method_kind_available(kind);
}

int mus_method_is_direct(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind && kind->is_direct;
}

int mus_method_may_filter_vectors(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind && kind->may_filter_vectors;
}

int mus_method_needs_levels(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind && kind->needs_levels;
}

int mus_method_may_use_device(mus_method method) {
  const mus_method_kind *kind = mus_method_table(method);
  return kind && kind->check_device;
}

// --- a method with its state -----------------------------------------------------------------------------------------

int mus_method_kind_available(const mus_method_kind *kind) { return !kind->available || kind->available(); }

mus_status mus_linear_method_create(const mus_method_kind *kind, const mus_solver_options *options, mus_system *system,
                                    mus_linear_method *out) {
  void *self = NULL;
  mus_status status = kind->create(options, system, &self);
  if (!status)
    *out = (mus_linear_method){kind, self};
  return status;
}

void mus_linear_method_free(mus_linear_method *method) {
  if (method->self)
    method->kind->free(method->self);
  method->self = NULL;
}

void mus_linear_method_changed(mus_linear_method *method, unsigned what) {
  if (method->self && what != 0)
    method->kind->changed(method->self, what);
}

// The number of a method in the list; MUS_METHODS for one that is not there.
static mus_method number_of(const mus_method_kind *kind) {
  int number = 0;
  while (number < MUS_METHODS && table[number] != kind)
    ++number;
  return (mus_method)number;
}

// What an earlier method left in the record goes, but for the seconds and the work that it took.
static void begin_record(const mus_linear_method *method, mus_solve_record *record) {
  *record = (mus_solve_record){.method = number_of(method->kind),
                               .true_residual = record->true_residual,
                               .setup_seconds = record->setup_seconds,
                               .prefilter_seconds = record->prefilter_seconds,
                               .solve_seconds = record->solve_seconds,
                               .transfer_seconds = record->transfer_seconds,
                               .work = record->work,
                               .smoothing = record->smoothing,
                               .skipped = record->skipped,
                               .operator_complexity = 1};
}

mus_status mus_linear_method_prepare(mus_linear_method *method, mus_run *run) {
  begin_record(method, run->record);
  if (!method->kind->prepare)
    return mus_fail(MUS_UNSUPPORTED,
                    "the solver \"%s\" has no hierarchy to take corrections from: choose \"sa\", \"geometric\" or "
                    "\"skinning\"",
                    method->kind->name);
  return method->kind->prepare(method->self, run);
}

int mus_linear_method_levels(const mus_linear_method *method) {
  return method->self && method->kind->levels ? method->kind->levels(method->self) : 0;
}

mus_status mus_linear_method_solve(mus_linear_method *method, mus_run *run, const mus_cg_options *limits) {
  begin_record(method, run->record);
  run->residuals[0] = NAN; // no norm yet
  return method->kind->solve(method->self, run, limits);
}

void mus_linear_method_report(const mus_linear_method *method, mus_solve_record *record) {
  if (method->self && method->kind->report)
    method->kind->report(method->self, record);
}

size_t mus_linear_method_bytes(const mus_linear_method *method) {
  return method->self ? method->kind->bytes(method->self) : 0;
}

int mus_linear_method_aggregates(const mus_linear_method *method, int level, int *aggregate) {
  return method->self && method->kind->aggregates ? method->kind->aggregates(method->self, level, aggregate) : 0;
}

mus_status mus_linear_method_remember(mus_linear_method *method, mus_list *bytes) {
  return method->self && method->kind->remember ? method->kind->remember(method->self, bytes) : MUS_OK;
}

mus_status mus_linear_method_recall(mus_linear_method *method, mus_bytes *from) {
  return method->self && method->kind->recall ? method->kind->recall(method->self, from) : MUS_OK;
}
