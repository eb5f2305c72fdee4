// The linear system as the caller gives it, and the forms of it that methods share.
//
//   (A + C) x = b   subject to   (I - S) x = (I - S) z   and   E x = t
//
// A has a pattern that stays; C are couplings beyond it; S and z are the constraints of single nodes, E and t
// equalities across nodes. The near-null space says which vectors A hardly resists. All is checked here, and a call
// that fails changes nothing, but for values, which are copied while they are checked. What methods derive from it is
// theirs: they are told what has changed (method.h).
#ifndef MUS_SOLVE_SYSTEM_H
#define MUS_SOLVE_SYSTEM_H

#include "constrain/beyond.h"
#include "constrain/filter.h"
#include "multigrid/geometric/nested.h"
#include "muslin/solver.h"
#include "sparse/matrix.h"

// What a call has changed, as bits.
enum {
  MUS_CHANGED_VALUES = 1,
  MUS_CHANGED_CONSTRAINTS = 2,
  MUS_CHANGED_HELD = 4, // which directions are held, and not just at what values
  MUS_CHANGED_EQUALITIES = 8,
  MUS_CHANGED_COUPLINGS = 16,
  MUS_CHANGED_COORDINATES = 32,
  MUS_CHANGED_KERNEL = 64, // a given near-null space came, went or was replaced
  MUS_CHANGED_LEVELS = 128
};

// The forms of the matrix, and which of them something was made from.
typedef enum mus_form {
  MUS_FORM_NONE,
  MUS_FORM_GIVEN,
  MUS_FORM_FILTERED // S A S + s (I - S)
} mus_form;

typedef struct mus_system {
  mus_arena arena; // pattern and everything of the system's size
  int rows, block;
  mus_pattern pattern;
  mus_transpose transpose;
  int *diagonal; // places of the diagonal blocks
  mus_matrix a;  // its values are `own`, or lent by the caller
  double *own;   // NULL until they are needed
  int has_values;
  int is_mapped; // the caller may write a
  // constraints of single nodes
  mus_arena constraint_arena;
  mus_filter filter; // count 0 without any
  // equalities across nodes
  int equality_count;
  mus_equality *equality;   // as given
  mus_arena equality_arena; // that list
  mus_arena across_arena;   // what follows from it and the constraints
  mus_equalities across;    // count 0: nothing is left of them
  int across_stale;
  // the matrix filtered in place
  int is_prefiltered;     // by the method, so that what filtering has changed has to be kept
  mus_filter_saved saved; // that
  int is_filtered;        // a holds S A S + s (I - S): only inside a solve
  // a once more with each pair of blocks stored once, for the products of conjugate gradients
  mus_symmetric_pattern symmetric_pattern;
  mus_symmetric symmetric; // no values: not made yet, or it would not pay
  int symmetric_tried;
  mus_form symmetric_form; // of what it holds
  // couplings
  mus_arena coupling_arena;
  mus_beyond couplings;          // C; count 0 without any
  mus_beyond filtered_couplings; // S C S
  int couplings_stale;           // that has not been filled yet
  // near-null space: positions, given vectors, or neither
  mus_arena kernel_arena;
  double *positions;
  double *kernel;
  int kernel_count;
  // nested levels that were given
  mus_arena level_arena;
  mus_nested nested;
  int has_levels; // 0: they were not given; `nested` may be of none
  // workspace of solves
  double *work;     // MUS_CG_VECTORS vectors
  double *right;    // right-hand side of the filtered system
  double *solution; // y of the filtered system
} mus_system;

static inline size_t mus_system_unknowns(const mus_system *system) {
  return (size_t)system->rows * (size_t)system->block;
}

// Checks and copies the pattern. `is_prefiltered` tells that mus_system_put() will be asked for MUS_FORM_FILTERED.
mus_status mus_system_create(int rows, int block, const int *row_start, const int *column, int is_prefiltered,
                             mus_system **out);
void mus_system_free(mus_system *system); // NULL is fine
size_t mus_system_bytes(const mus_system *system);

// --- what is given: the functions of muslin/solver.h, which set *changed on success ----------------------------------

mus_status mus_system_set_values(mus_system *system, const double *values, unsigned *changed);
mus_status mus_system_lend_values(mus_system *system, double *values, unsigned *changed);
mus_status mus_system_map_values(mus_system *system, double **values);
mus_status mus_system_unmap_values(mus_system *system, unsigned *changed);
// The values are the system's own from now on, with room for them. What they hold is undefined.
mus_status mus_system_own_values(mus_system *system);
mus_status mus_system_set_coordinates(mus_system *system, const double *positions, unsigned *changed);
mus_status mus_system_set_kernel(mus_system *system, int count, const double *vectors, unsigned *changed);
mus_status mus_system_set_levels(mus_system *system, int count, const mus_interpolation *levels, unsigned *changed);
mus_status mus_system_set_constraints(mus_system *system, int count, const mus_constraint *constraints,
                                      unsigned *changed);
mus_status mus_system_set_equalities(mus_system *system, int count, const mus_equality *equalities, unsigned *changed);
mus_status mus_system_set_couplings(mus_system *system, int count, const mus_coupling *couplings, unsigned *changed);

// What is wrong with the system, b and the initial guess x, if anything; NULL for either: there is none. Brings what
// equalities leave beside the constraints up to date; MUS_BAD_INPUT when they contradict each other.
mus_status mus_system_check(mus_system *system, const double *b, const double *x, unsigned *changed);
// The same for a system whose numbers are elsewhere.
mus_status mus_system_check_rest(mus_system *system, unsigned *changed);
mus_status mus_system_check_vector(const mus_system *system, const char *name, const double *x);

// --- forms -----------------------------------------------------------------------------------------------------------

// Puts a into that form; outside solves it is as given.
void mus_system_put(mus_system *system, mus_form form);
// The form that a is in. Without constraints the two are the same, and it is MUS_FORM_FILTERED.
mus_form mus_system_form(const mus_system *system);
// A + C as given, and as it is now. In the filtered form, C has to be filtered too: mus_system_filter_couplings().
mus_block_operator mus_system_given(const mus_system *system);
mus_block_operator mus_system_now(const mus_system *system);
void mus_system_filter_couplings(mus_system *system);
// As it is now, with symmetric storage where products are cheaper with it.
mus_status mus_system_for_products(mus_system *system, mus_block_operator *out);
// Blocks of C in units of those of A, and what a product with both costs in products with A.
double mus_system_coupling(const mus_system *system);
double mus_system_product_cost(const mus_system *system);
// ||S(b - (A + C) x)|| / ||S(b - (A + C) z)||, with the matrix as given
double mus_system_true_residual(mus_system *system, const double *b, const double *x);
// The same of y = x - z and right = S(b - (A + C) z), which the workspace holds, by the filtered matrix as it is now:
// without equalities across nodes.
double mus_system_filtered_residual(mus_system *system);

#endif
