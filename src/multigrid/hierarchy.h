// A multigrid hierarchy as a preconditioner: levels, cycle, set-up in parts, level report.
//
// The hierarchy owns what every Galerkin method shares: coarse matrices A_c = P^T A P, their inverse block diagonals,
// spectral radii, Chebyshev smoothers, the direct solve at the bottom, and the cycle. What differs between methods is
// where the prolongators P come from; that is a mus_coarsening, a table of two functions. The cycle knows none by name.
//
// Set-up is split. mus_hierarchy_analyse() does everything. mus_hierarchy_refresh() keeps every pattern (aggregates,
// prolongators, coarse matrices) and redoes the numbers. mus_hierarchy_renew() keeps the prolongators' numbers too.
// Doing none of these keeps the old hierarchy as a preconditioner for a new matrix, which costs iterations but never
// the right answer.
#ifndef MUS_MULTIGRID_HIERARCHY_H
#define MUS_MULTIGRID_HIERARCHY_H

#include "constrain/filter.h"
#include "muslin/solver.h"
#include "sparse/matrix.h"

// What a coarsening sees of a level. The matrix is in double precision here, whatever the cycle will use.
typedef struct mus_level_view {
  int level;                      // 0 is the finest
  const mus_matrix *a;            // square, symmetric
  const int *diagonal;            // place of each row's diagonal block
  const double *inverse_diagonal; // of the block diagonal D
  double spectral_radius;         // of D^-1 A
} mus_level_view;

// How a method makes prolongators. `self` is the method's own state, one for the whole hierarchy.
typedef struct mus_coarsening {
  const char *name;
  // Decides the pattern of the prolongator (rows: the level's nodes; columns: the coarser level's nodes) and the block
  // size of the coarser level. Sets columns to 0 when the level cannot be made coarser. Keeps what fill() needs.
  mus_status (*analyse)(void *self, const mus_level_view *fine, mus_arena *arena, mus_pattern *prolongator,
                        int *coarse_block);
  // Computes the prolongator's values. live[i] becomes 0 for coarse unknowns without a basis vector (their column of P
  // is zero), 1 otherwise. The hierarchy puts something positive on the coarse diagonal there.
  mus_status (*fill)(void *self, const mus_level_view *fine, mus_matrix *prolongator, unsigned char *live);
  // Nodes of that level which the coarser levels do not see, for the report.
  int (*special_nodes)(const void *self, int level);
} mus_coarsening;

typedef struct mus_hierarchy mus_hierarchy;

// The coarsening and its state must outlive the hierarchy. Of the options, those of smoother, Lanczos, levels and
// bottom are used here. `setup` says what it must be ready for: MUS_SETUP_COARSE and MUS_SETUP_AUTO for renewal. In
// double precision the cycle reads the finest matrix where the caller has it; MUS_SETUP_REUSE and MUS_SETUP_AUTO make
// it keep a copy, for hierarchies that are to stay as they are while that matrix changes.
mus_status mus_hierarchy_create(const mus_coarsening *method, void *self, const mus_sa_options *options,
                                mus_precision precision, mus_setup setup, mus_hierarchy **out);
void mus_hierarchy_free(mus_hierarchy *hierarchy); // NULL is fine

// The pattern of `a` must stay where it is while the hierarchy is used; its values may go after the call when the
// precision is single or the hierarchy keeps a copy, and must stay otherwise.
mus_status mus_hierarchy_analyse(mus_hierarchy *hierarchy, const mus_matrix *a);
mus_status mus_hierarchy_refresh(mus_hierarchy *hierarchy, const mus_matrix *a);
// Prolongators stay as the last of these two made them, but leave alone what is `held`; NULL: nothing. See renew.h.
mus_status mus_hierarchy_renew(mus_hierarchy *hierarchy, const mus_matrix *a, const mus_filter *held);

// Takes what lies beyond the pattern of `a` into the smoother of the finest level and into all coarser matrices, until
// the next set-up or call; NULL: nothing. Prolongators and everything that was precomputed stay. `beyond` must stay.
mus_status mus_hierarchy_couple(mus_hierarchy *hierarchy, const mus_matrix *a, const mus_beyond *beyond);

// z = one cycle for A z = r from a zero guess: a symmetric positive definite operation. z must not alias r.
void mus_hierarchy_apply(mus_hierarchy *hierarchy, const double *r, double *z);
// The same in single precision, for hierarchies that have it: r is what lies in mus_hierarchy_right_f(), of size 1 or
// so, and z is returned by address, valid until the next time. mus_hierarchy_right_f() is NULL for others.
float *mus_hierarchy_right_f(mus_hierarchy *hierarchy);
const float *mus_hierarchy_apply_f(mus_hierarchy *hierarchy);

// Fills levels, level[], operator_complexity of the record.
void mus_hierarchy_report(const mus_hierarchy *hierarchy, mus_solve_record *record);
size_t mus_hierarchy_bytes(const mus_hierarchy *hierarchy);

#endif
