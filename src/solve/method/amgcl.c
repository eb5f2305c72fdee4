// AMGCL's multigrid as a preconditioner, on the prefiltered system.
#include "solve/amgcl.h"
#include "solve/foreign.h"

#if !MUSLIN_AMGCL

static int available(void) { return 0; }

// Never called: the solver refuses what is not available.
const mus_method_kind mus_method_amgcl = {.name = "amgcl", .build_option = "AMGCL", .available = available};

#else

#include <math.h>

#include "base/error.h"
#include "multigrid/smoother.h"
#include "par/par.h"

static int available(void) { return 1; }

static mus_status create_inner(mus_method method, const mus_solver_options *options, const mus_pattern *pattern,
                               int block, void **self) {
  mus_level_smoother finest;
  (void)method;
  if (block != 1 && block != 3)
    return mus_fail(MUS_UNSUPPORTED, "amgcl has blocks of 1 or 3 unknowns here, not %d: take another method", block);
  mus_status status = mus_smoothers_read(&options->multigrid, 1, &finest);
  if (status)
    return status;
  mus_amgcl_options inner = {.block = block,
                             .single = options->precision == MUS_PRECISION_SINGLE,
                             .gauss_seidel = finest.kind != &mus_jacobi_smoother, // its best
                             .sweeps = finest.kind == &mus_chebyshev_smoother ? 1 : finest.options.smoother_order,
                             .keep = options->setup != MUS_SETUP_FULL};
  *self = mus_amgcl_create(&inner, pattern->rows, pattern->row_start, pattern->column);
  return *self ? MUS_OK : mus_fail_memory();
}

static mus_status set_up(void *self, const mus_matrix *a, const double *positions) {
  char text[256];
  (void)positions;
  int lent = mus_par_lend(), failed = mus_amgcl_set_up(self, a->value, sizeof text, text);
  mus_par_take_back(lent);
  return failed ? mus_fail(MUS_BREAKDOWN, "AMGCL fails: %s", text) : MUS_OK;
}

static void apply(void *self, const double *r, double *z) {
  int lent = mus_par_lend();
  mus_amgcl_apply(self, r, z);
  mus_par_take_back(lent);
}

static void report(const void *self, mus_solve_record *record) {
  (void)self;
  record->operator_complexity = NAN; // it tells nobody
}

static size_t bytes(const void *self) { return mus_amgcl_bytes(self); }
static void destroy(void *self) { mus_amgcl_free(self); }

static const mus_foreign foreign = {.method = MUS_METHOD_AMGCL,
                                    .create = create_inner,
                                    .set_up = set_up,
                                    .apply = apply,
                                    .report = report,
                                    .bytes = bytes,
                                    .free = destroy};

static mus_status create(const mus_solver_options *options, mus_system *system, void **self) {
  return mus_foreign_create(&foreign, options, system, self);
}

const mus_method_kind mus_method_amgcl = {.name = "amgcl",
                                          .build_option = "AMGCL",
                                          .available = available,
                                          .is_prefiltered = 1,
                                          .create = create,
                                          .free = mus_foreign_free,
                                          .changed = mus_foreign_changed,
                                          .solve = mus_foreign_solve,
                                          .report = mus_foreign_report,
                                          .bytes = mus_foreign_bytes};

#endif
