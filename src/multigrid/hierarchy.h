// A multigrid hierarchy as a preconditioner: levels, cycle, set-up in parts, level report.
//
// The hierarchy owns what every Galerkin method shares: coarse matrices A_c = P^T A P, their inverse block diagonals,
// spectral radii for those who ask, the direct solve at the bottom, and the cycle. What differs between methods is
// where the prolongators P come from, a mus_coarsening, and what smooths in between, a mus_smoother: tables of
// functions, none of which is known by name here.
//
// Set-up is split. mus_hierarchy_analyse() does everything. mus_hierarchy_refresh() keeps every pattern (aggregates,
// prolongators, coarse matrices) and redoes the numbers. mus_hierarchy_renew() keeps the prolongators' numbers too.
// Doing none of these keeps the old hierarchy as a preconditioner for a new matrix, which costs iterations but never
// the right answer.
#ifndef MUS_MULTIGRID_HIERARCHY_H
#define MUS_MULTIGRID_HIERARCHY_H

#include "constrain/filter.h"
#include "multigrid/smoother.h"
#include "muslin/solver.h"
#include "sparse/matrix.h"

// What a coarsening sees of a level. The matrix is in double precision here, whatever the cycle will use.
typedef struct mus_level_view {
  int level;                      // 0 is the finest
  const mus_matrix *a;            // square, symmetric
  const int *diagonal;            // place of each row's diagonal block
  const double *inverse_diagonal; // of the block diagonal D
  double spectral_radius;         // of D^-1 A; 0 where neither coarsening nor smoother uses it
  const double *coordinates;      // three for each of the level's nodes; NULL: not known
  const mus_filter *held;         // what is held at which nodes, on the finest level; NULL: nothing
} mus_level_view;

// What a coarsening decides about the next coarser level.
typedef struct mus_coarse_level {
  mus_pattern prolongator; // rows: the level's nodes; columns: the coarser level's. 0 columns: it can't be made coarser
  int block;               // unknowns per node
  const double *coordinates; // three for each coarse node, from the arena; may stay NULL
} mus_coarse_level;

// How a method makes prolongators. `self` is the method's own state, one for the whole hierarchy.
typedef struct mus_coarsening {
  const char *name;
  int uses_radius; // wants to know the spectral radius of D^-1 A
  // Coarse nodes may lack a basis vector in directions that are no unknown: the hierarchy then adds a little to all
  // coarse diagonal blocks, as renewal does (renew.h).
  int may_be_singular;
  // Decides what the coarser level is. Keeps what fill() needs. The arena lives as long as the patterns do.
  mus_status (*analyse)(void *self, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *coarse);
  // Computes the prolongator's values. live[i] becomes 0 for coarse unknowns without a basis vector (their column of P
  // is zero), 1 otherwise. The hierarchy puts something positive on the coarse diagonal there.
  mus_status (*fill)(void *self, const mus_level_view *fine, mus_matrix *prolongator, unsigned char *live);
  // Nodes of that level which the coarser levels do not see. A level of nothing else is smoothed, not solved.
  int (*special_nodes)(const void *self, int level);
  // Adds the coarsening's numbers to the report of a level that it made coarser, by mus_level_note(). May be NULL.
  void (*report)(const void *self, int level, mus_level_report *report);
} mus_coarsening;

typedef struct mus_hierarchy_options {
  mus_multigrid_options multigrid;
  const mus_smoother *smoother; // of all levels; NULL: those that `multigrid` names
  mus_precision precision;      // of the cycle
  // What it must be ready for: MUS_SETUP_COARSE and MUS_SETUP_AUTO for renewal. In double precision the cycle reads the
  // finest matrix where the caller has it; MUS_SETUP_REUSE and MUS_SETUP_AUTO make it keep a copy, for hierarchies that
  // are to stay as they are while that matrix changes.
  mus_setup setup;
  // Whether nodes of the finest level that are connected very strongly are smoothed as one (sparse/clusters.h). Not
  // with adaptive smoothing.
  int clusters;
  // Whether prolongators of rigid motions are rounded to 16 bits, in single precision (sparse/packed.h).
  int packed;
} mus_hierarchy_options;

typedef struct mus_hierarchy mus_hierarchy;

// The coarsening and its state must outlive the hierarchy. MUS_BAD_INPUT when there is no such smoother.
mus_status mus_hierarchy_create(const mus_coarsening *method, void *self, const mus_hierarchy_options *options,
                                mus_hierarchy **out);
void mus_hierarchy_free(mus_hierarchy *hierarchy); // NULL is fine

// What the coarsening may look at, from the next set-up on: the finest nodes' coordinates and what is held there.
// Either may be NULL. They must stay where they are until the next call or the last set-up.
void mus_hierarchy_set_geometry(mus_hierarchy *hierarchy, const double *coordinates, const mus_filter *held);
// Whether solves take many iterations, from the next set-up of all numbers on: a smoother that bears strong connections
// less well than what may stand in for it then stands back where there are some. 0 at first.
void mus_hierarchy_set_hard(mus_hierarchy *hierarchy, int is_hard);

// The pattern of `a` must stay where it is while the hierarchy is used; its values may go after the call when the
// precision is single or the hierarchy keeps a copy, and must stay otherwise.
mus_status mus_hierarchy_analyse(mus_hierarchy *hierarchy, const mus_matrix *a);
mus_status mus_hierarchy_refresh(mus_hierarchy *hierarchy, const mus_matrix *a);
// Prolongators stay as the last of these two made them, but leave alone what is `held`; NULL: nothing. See renew.h.
mus_status mus_hierarchy_renew(mus_hierarchy *hierarchy, const mus_matrix *a, const mus_filter *held);
// The same for the finest level alone: coarse matrices, and the factor at the bottom, stay those of another A.
mus_status mus_hierarchy_renew_finest(mus_hierarchy *hierarchy, const mus_matrix *a, const mus_filter *held);

// Takes what lies beyond the pattern of `a` into the smoother of the finest level and into all coarser matrices, until
// the next set-up or call; NULL: nothing. Prolongators and everything that was precomputed stay. `beyond` must stay.
mus_status mus_hierarchy_couple(mus_hierarchy *hierarchy, const mus_matrix *a, const mus_beyond *beyond);

// z = one cycle for A z = r from a zero guess: a symmetric positive definite operation. z must not alias r.
void mus_hierarchy_apply(mus_hierarchy *hierarchy, const double *r, double *z);
// The same in single precision, for hierarchies that have it: r is what lies in mus_hierarchy_right_f(), of size 1 or
// so, and z is returned by address, valid until the next time. mus_hierarchy_right_f() is NULL for others.
float *mus_hierarchy_right_f(mus_hierarchy *hierarchy);
const float *mus_hierarchy_apply_f(mus_hierarchy *hierarchy);

// z = P_0l B_l P_0l^T r with B_l the smoother of that level from zero (MUS_CORRECT_SMOOTH; the bottom is solved), or a
// cycle from there down. z must not alias r.
void mus_hierarchy_correct(mus_hierarchy *hierarchy, int level, mus_correction kind, const double *r, double *z);
// 0 before it is set up.
int mus_hierarchy_levels(const mus_hierarchy *hierarchy);
// The finest matrix once more in symmetric storage, from the next set-up on: the caller keeps it, has its values up to
// date whenever it calls for a set-up or a renewal, and keeps its pattern as long as the hierarchy. NULL: there is
// none.
void mus_hierarchy_set_symmetric(mus_hierarchy *hierarchy, const mus_symmetric *finest);
// Whether cycles read the finest matrix where the caller has it.
int mus_hierarchy_reads_finest(const mus_hierarchy *hierarchy);
// Adds `sign` times the work of all cycles and corrections so far to the record, in products with the finest matrix:
// numbers of matrices, prolongators and factors that they have passed over.
void mus_hierarchy_count(const mus_hierarchy *hierarchy, double sign, mus_solve_record *record);

// A level of a hierarchy in single precision that is made for renewal, for those who renew and cycle elsewhere:
// patterns and numbers that stay until the next set-up.
typedef struct mus_level_parts {
  const mus_pattern *a, *p; // p: NULL at the bottom
  int block;
  const mus_level_smoother *smoother; // NULL: the level is solved directly
  const float *probe;                 // NULL where `smoother` is, or does not ask for it; see renew.h
  double growth, radius;
} mus_level_parts;
mus_level_parts mus_hierarchy_parts(mus_hierarchy *hierarchy, int level);

// Fills levels, level[], operator_complexity of the record.
void mus_hierarchy_report(const mus_hierarchy *hierarchy, mus_solve_record *record);
// Passes over a level's matrix that one visit of the cycle makes: both sweeps and the residual between them.
double mus_hierarchy_passes(const mus_hierarchy *hierarchy, int level);
// Numbers that a direct solution at the bottom passes over; 0 where there is none.
double mus_hierarchy_bottom_numbers(const mus_hierarchy *hierarchy);
size_t mus_hierarchy_bytes(const mus_hierarchy *hierarchy);

#endif
