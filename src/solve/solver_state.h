// What a solver holds. Private to solve/: solver.c takes the caller's data in, methods.c runs a method on it,
// automatic.c chooses one.
#ifndef MUS_SOLVE_SOLVER_STATE_H
#define MUS_SOLVE_SOLVER_STATE_H

#include "constrain/beyond.h"
#include "constrain/filter.h"
#include "krylov/cg.h"
#include "multigrid/aggregation/aggregation.h"
#include "multigrid/hierarchy.h"
#include "muslin/solver.h"
#include "solve/coupled.h"
#include "solve/upkeep.h"
#include "sparse/factor.h"
#include "sparse/matrix.h"

// How much of something derived has to be redone before it may be used.
typedef enum mus_stale { MUS_FRESH, MUS_STALE_NUMBERS, MUS_STALE_ALL } mus_stale;

// Which of a's forms something was made from.
typedef enum mus_form { MUS_FORM_NONE, MUS_FORM_GIVEN, MUS_FORM_FILTERED } mus_form;

// What the choice of a method learns from earlier solves; see automatic.c. Costs are in products with the fine matrix.
typedef struct mus_auto_state {
  double diag_iterations; // 0: not known yet
  double sa_iterations, sa_iteration_cost;
  int solves_since_trial;
} mus_auto_state;

struct mus_solver {
  mus_solver_options options;
  // the system
  mus_arena arena; // pattern and everything of the system's size
  int rows, block;
  mus_pattern pattern;
  mus_transpose transpose;
  int *diagonal; // places of the diagonal blocks
  mus_matrix a;
  int has_values;
  int is_mapped; // the caller may write a
  // constraints
  mus_arena constraint_arena;
  mus_filter filter; // count 0 without constraints of single nodes
  // equalities across nodes
  int equality_count;
  mus_equality *equality;   // as given
  mus_arena equality_arena; // that list
  mus_arena across_arena;   // what follows from it and the constraints
  mus_equalities across;    // count 0: nothing is left of them
  mus_stale across_stale;
  mus_filter_saved saved; // what filtering a in place has changed
  int is_filtered;        // a holds S A S + s (I - S): only inside a solve
  // a once more with each pair of blocks stored once, for the products of conjugate gradients
  mus_symmetric_pattern symmetric_pattern;
  mus_symmetric symmetric; // no values: not made yet, or it would not pay
  int symmetric_tried;
  mus_form symmetric_form; // of what it holds
  // couplings, A + C
  mus_arena coupling_arena;
  mus_beyond couplings;          // C; count 0 without any
  mus_beyond filtered_couplings; // S C S
  // near kernel: positions, given vectors, or neither
  double *positions;
  mus_arena kernel_arena;
  double *kernel;
  int kernel_count;
  // preconditioners and factors, made when first needed
  mus_aggregation *aggregation;
  mus_hierarchy *hierarchy;
  mus_stale hierarchy_stale;
  int held_changed; // which directions are held, since the hierarchy was last set up
  mus_upkeep upkeep;
  int turned_rigid;                                   // MUS_MOTIONS_AUTO has gone over to six
  double iteration_cost;                              // of the last solve with a hierarchy, in products
  int analysed_count, *analysed_node, *analysed_rank; // directions that were held when aggregates were made
  int has_released;                                   // some of those once came free: made without constraints since
  mus_coupled coupled;                                // around the hierarchy where there are couplings
  mus_stale coupled_stale;
  int deep_couplings; // they are taken into the coarse levels, and not smoothed over around the cycle
  mus_factor *factor;
  mus_stale factor_stale;
  double *inverse_diagonal; // of the matrix that it was made for
  mus_form inverse_diagonal_form;
  struct mus_petsc *petsc;
  mus_method petsc_method;
  mus_stale petsc_stale;
  mus_auto_state automatic;
  // workspace
  double *work;     // MUS_CG_VECTORS vectors
  double *right;    // right-hand side of the filtered system
  double *solution; // y of the filtered system
  double *residuals;
  mus_solve_record record;
};

static inline size_t mus_solver_unknowns(const mus_solver *solver) {
  return (size_t)solver->rows * (size_t)solver->block;
}

// MPCG filters vectors, not the matrix.
static inline int mus_method_is_filtered(mus_method method) {
  return method == MUS_METHOD_MPCG || method == MUS_METHOD_MPCG_ORIGINAL;
}

// A + C, without constraints.
static inline mus_block_operator mus_solver_given(const mus_solver *solver) {
  return (mus_block_operator){.a = &solver->a, .beyond = solver->couplings.count > 0 ? &solver->couplings : NULL};
}

// Settings of the hierarchy as it is now, or will be when it is made.
mus_sa_options mus_solver_sa_options(const mus_solver *solver);

// Brings what equalities leave beside the constraints up to date. MUS_BAD_INPUT when they contradict each other.
mus_status mus_solver_update_across(mus_solver *solver);

// Puts a into that form; outside solves it is as given.
void mus_solver_put(mus_solver *solver, mus_form form);

// Runs one method, not MUS_METHOD_AUTO, and fills the record but for `bytes` and `true_residual`; seconds are added to
// what is there.
mus_status mus_run_method(mus_solver *solver, mus_method method, const mus_cg_options *limits, const double *b,
                          double *x);
// What an iteration of the last solve, by smoothed aggregation, cost, in products with the fine matrix.
double mus_iteration_cost(const mus_solver *solver);
// Chooses and runs.
mus_status mus_run_automatic(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x);

#endif
