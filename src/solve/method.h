// Linear methods as a table: what the public solver runs, and knows nothing else of.
//
// A method has a state of its own, made for one system, which it may read at any time and put into other forms while it
// solves. It is told what has changed and redoes what it must when it next solves, so that the calls which give data
// stay cheap and cannot fail half-way. A method may keep its matrix wherever it likes: MUS_CHANGED_VALUES says when to
// fetch it again.
//
// docs/developing.md shows how to add one.
#ifndef MUS_SOLVE_METHOD_H
#define MUS_SOLVE_METHOD_H

#include "base/bytes.h"
#include "krylov/cg.h"
#include "solve/system.h"

// One solve: what is asked, and where the answer goes.
typedef struct mus_run {
  mus_system *system;
  const double *b;
  double *x;                      // initial guess in, solution out
  const mus_device_system *there; // NULL, or a system that is solved on a GPU, where it is: then b and x are there too
  double scale;                   // what y is multiplied by in the prefiltered system; see run.h
  int is_prefiltered;             // that system has been made
  double *residuals;              // options.iterations + 1 norms
  int stationary;                 // methods that can do so iterate without conjugate gradients
  mus_recycle *recycle;           // solutions of earlier solves, for mus_run_pcg(); NULL: none
  int first;                      // the iterate that iterations proper began from: 1 after a projection onto those
  mus_solve_record *record;       // all but `bytes`, `true_residual` and what report() fills; see run.h
} mus_run;

// In products with the fine matrix, not in seconds, so that the same calls make the same choices on every machine.
typedef struct mus_method_cost {
  double setup;      // before the next solve
  double renewal;    // before those after it, while values change; at most `setup` where there is no hierarchy yet
  double iterations; // that are usual
  double iteration;  // of the next solve; before the first, what is usual
  double foreseen;   // of the iterations that the last solve took, the part that the next is expected to
} mus_method_cost;

typedef struct mus_method_kind {
  const char *name;
  const char *build_option; // of CMake, -DMUSLIN_...=ON, where builds may lack it; NULL: all have it
  int (*available)(void);   // whether this build has it; NULL: it does
  int is_direct;            // solves without iterations
  int is_stationary;        // iterates without conjugate gradients: for comparison, on systems that are not hard
  int is_prefiltered;       // asks for MUS_FORM_FILTERED
  int may_filter_vectors;   // options.prefilter chooses whether the matrix or vectors are filtered
  int needs_levels;         // cannot solve before mus_solver_set_levels()
  // The options and the system outlive the method; all that is derived from them is best made by the first solve.
  mus_status (*create)(const mus_solver_options *options, mus_system *system, void **self);
  void (*free)(void *self);
  // MUS_CHANGED_... bits. Everything counts as changed at first.
  void (*changed)(void *self, unsigned what);
  // Within `limits`, and adding to what is in the record of an earlier run in the same solve. The system may be left in
  // any form.
  mus_status (*solve)(void *self, mus_run *run, const mus_cg_options *limits);
  // mus_solver_prepare(), mus_solver_levels() and mus_solver_correct(), whose arguments have been checked; r is
  // filtered and c will be. correct() adds its work to the record. All NULL: there is no hierarchy. The system may be
  // left in any form.
  mus_status (*prepare)(void *self, mus_run *run);
  int (*levels)(const void *self);
  void (*correct)(void *self, int level, mus_correction kind, const double *r, double *c, mus_solve_record *record);
  // `levels` and `operator_complexity` of the record, after a solve. NULL: there is no hierarchy.
  void (*report)(const void *self, mus_solve_record *record);
  // Memory beyond the system's.
  size_t (*bytes)(const void *self);
  // NULL: it is not known.
  mus_method_cost (*cost)(const void *self);
  // What solves to come depend on of those that were, as bytes. remember() also drops everything else that they depend
  // on, so that a method which recalls the bytes and one which goes on do the same. recall() is for a new state, and
  // fails with MUS_BAD_INPUT for bytes of another. Both NULL: it remembers nothing.
  mus_status (*remember)(void *self, mus_list *bytes);
  mus_status (*recall)(void *self, mus_bytes *from);
  // What keeps it from running on a GPU at all, if anything, and mus_solver_measure_device(). NULL: it never does.
  mus_status (*check_device)(void);
  mus_status (*measure_device)(void *self, int repeat, mus_device_speeds *speeds);
  // Brings numbers of mus_solver_solve_device() to the host; MUS_UNSUPPORTED where there is no GPU. NULL where
  // check_device is.
  mus_status (*fetch_device)(void *self, const mus_device_system *system, const double *from, size_t count, double *to);
  // mus_solver_aggregates(). NULL: there are none.
  int (*aggregates)(const void *self, int level, int *aggregate);
} mus_method_kind;

// The list: NULL for what is no method.
const mus_method_kind *mus_method_table(mus_method method);

extern const mus_method_kind mus_method_sa, mus_method_diag, mus_method_mpcg, mus_method_mpcg_original,
    mus_method_cholmod, mus_method_gamg, mus_method_boomeramg, mus_method_skinning, mus_method_gauss_seidel,
    mus_method_chebyshev, mus_method_geometric, mus_method_amgcl, mus_method_auto;

// A method with its state. All functions may be called while `self` is NULL, before it is made.
typedef struct mus_linear_method {
  const mus_method_kind *kind;
  void *self;
} mus_linear_method;

int mus_method_kind_available(const mus_method_kind *kind);
mus_status mus_linear_method_create(const mus_method_kind *kind, const mus_solver_options *options, mus_system *system,
                                    mus_linear_method *out);
void mus_linear_method_free(mus_linear_method *method);
void mus_linear_method_changed(mus_linear_method *method, unsigned what);
// Solves afresh: what an earlier method left in the record goes, but for the seconds that it took.
mus_status mus_linear_method_solve(mus_linear_method *method, mus_run *run, const mus_cg_options *limits);
// MUS_UNSUPPORTED for a method without a hierarchy.
mus_status mus_linear_method_prepare(mus_linear_method *method, mus_run *run);
int mus_linear_method_levels(const mus_linear_method *method);
void mus_linear_method_report(const mus_linear_method *method, mus_solve_record *record);
size_t mus_linear_method_bytes(const mus_linear_method *method);
int mus_linear_method_aggregates(const mus_linear_method *method, int level, int *aggregate);
mus_status mus_linear_method_remember(mus_linear_method *method, mus_list *bytes);
mus_status mus_linear_method_recall(mus_linear_method *method, mus_bytes *from);

// A solver that runs a method which need not be in the list, in place of the one that the options name. `kind` must
// stay.
mus_status mus_solver_create_with(const mus_solver_options *options, const mus_method_kind *kind, mus_solver **solver);

#endif
