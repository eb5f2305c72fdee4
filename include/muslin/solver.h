/// A solver for the symmetric positive definite block systems of implicit cloth and solid simulation.
///
///     mus_solver_options options = mus_default_solver_options();
///     mus_solver *solver = NULL;
///     mus_solver_create(&options, &solver);
///     mus_solver_set_pattern(solver, vertices, 3, row_start, column);   // once, from topology
///     for (each time step) {
///       mus_solver_set_values(solver, values);                          // once per step
///       mus_solver_set_coordinates(solver, positions);
///       mus_solver_set_constraints(solver, count, constraints);
///       mus_solver_solve(solver, right_hand_side, x);                   // x: initial guess in, solution out
///       printf("%d iterations\n", mus_solver_record(solver)->iterations);
///     }
///     mus_solver_free(solver);
///
/// Everything is given as plain arrays; the solver copies what it keeps. Matrices are in block compressed rows: rows
/// and columns count nodes, every block is block x block and stored row by row, and both triangles are given. Calls
/// that fail change nothing unless stated otherwise; mus_last_error() gives the reason. NULL is an error wherever an
/// array, a solver or a place for a result is expected, unless stated otherwise; calls without a status return 0 or
/// NULL. A solver may be used by only one thread at a time; separate solvers may run in different threads. Results are
/// bit-identical for any number of threads.
#ifndef MUSLIN_SOLVER_H
#define MUSLIN_SOLVER_H

#include <stddef.h>
#include <stdio.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Ways to solve. All but the direct one and the two for comparison are conjugate gradients and differ in
/// preconditioner and constraint handling.
typedef enum mus_method {
  MUS_METHOD_SA,            ///< smoothed aggregation multigrid, prefiltered (Tamstorf, Jones and McCormick 2015)
  MUS_METHOD_DIAG,          ///< block-Jacobi, prefiltered
  MUS_METHOD_MPCG,          ///< block-Jacobi, filtered, corrected start and stop (Ascher and Boxerman 2003)
  MUS_METHOD_MPCG_ORIGINAL, ///< block-Jacobi, filtered, as in Baraff and Witkin 1998: starts from z, ignores the guess
  MUS_METHOD_CHOLMOD,       ///< sparse Cholesky, prefiltered
  MUS_METHOD_GAMG,          ///< PETSc's smoothed aggregation, prefiltered; only in builds with PETSc
  MUS_METHOD_BOOMERAMG,     ///< hypre's classical AMG through PETSc, prefiltered; only in builds with PETSc
  MUS_METHOD_SKINNING,      ///< conjugate gradients with Galerkin multigrid in skinning space (Xian et al. 2019)
  MUS_METHOD_GAUSS_SEIDEL,  ///< symmetric block Gauss-Seidel by colours alone, prefiltered (Fratarcangeli et al. 2016)
  MUS_METHOD_CHEBYSHEV,     ///< block-Jacobi with Chebyshev's semi-iterative acceleration, prefiltered (Wang 2015)
  MUS_METHOD_GEOMETRIC,     ///< conjugate gradients with nested levels that are given (after Wang et al. 2018)
  MUS_METHOD_AMGCL,         ///< AMGCL's smoothed aggregation, prefiltered; only in builds with AMGCL
  MUS_METHOD_AUTO,          ///< the cheapest of the above by the cost measured on earlier solves; see docs/solver.md
  MUS_METHODS
} mus_method;

/// "sa", "diag", "mpcg", "mpcg-original", "cholmod", "gamg", "boomeramg", "skinning", "gauss-seidel", "chebyshev",
/// "geometric", "amgcl", "auto"; NULL if out of range.
MUS_API const char *mus_method_name(mus_method method);
/// The method of that name; MUS_BAD_INPUT, with the list of names, if there is none.
MUS_API mus_status mus_method_from_name(const char *name, mus_method *method);
/// 1 if this build can run the method.
MUS_API int mus_method_available(mus_method method);
/// 1 if the method solves without iterations, apart from a few of refinement.
MUS_API int mus_method_is_direct(mus_method method);
/// 1 if mus_solver_options.prefilter chooses whether the method filters the matrix or the vectors.
MUS_API int mus_method_may_filter_vectors(mus_method method);
/// 1 if the method works on levels that it must be given: see mus_solver_set_levels().
MUS_API int mus_method_needs_levels(mus_method method);

typedef enum mus_precision {
  MUS_PRECISION_DOUBLE, ///< the preconditioner is stored and applied in double precision
  MUS_PRECISION_SINGLE  ///< ... in single precision, inside conjugate gradients in double precision: half the bytes
} mus_precision;

/// Where a solver works.
typedef enum mus_device_choice {
  MUS_DEVICE_CPU,
  MUS_DEVICE_CUDA, ///< a GPU, or an error that says what is missing; for the method "sa", see docs/cuda.md
  MUS_DEVICE_AUTO  ///< a GPU if there is one and it can do what is asked, the CPU otherwise
} mus_device_choice;

/// "cpu", "cuda", "auto"; NULL if out of range.
MUS_API const char *mus_device_name(mus_device_choice device);
/// 1 if the method can run on a GPU.
MUS_API int mus_method_may_use_device(mus_method method);

/// When iterations end. The norm of M^-1, that of the preconditioner, costs nothing and is close to the energy norm of
/// the error, ||x - x_i||_A, which is what a simulation feels; but it means something else for every method, and both
/// are blind to what is stiff where something soft carries most of the energy. See docs/solver.md.
typedef enum mus_stop {
  MUS_STOP_INITIAL, ///< ||r|| <= tolerance ||r_0||, both in the norm of M^-1, as in Tamstorf et al. 2015
  MUS_STOP_RHS,     ///< ||r|| <= tolerance ||S(b - Az)||, in the same norm: a good initial guess then saves iterations
                    ///< (Ascher and Boxerman). With a zero guess it is the same as the first
  MUS_STOP_EUCLIDEAN, ///< the same in the Euclidean norm, of the residual computed afresh: `true_residual` in the
                      ///< record is at most the tolerance
  MUS_STOP_ENERGY ///< ||y - y_i||_A <= tolerance ||y||_A, where y is x less what is held: the error itself, estimated
                  ///< by what conjugate gradients have gained since (Meurant, Papez and Tichy 2021)
} mus_stop;

/// "initial", "rhs", "euclidean", "energy"; NULL if out of range.
MUS_API const char *mus_stop_name(mus_stop stop);

/// How much of the preconditioner is rebuilt when values change.
typedef enum mus_setup {
  MUS_SETUP_NUMERIC, ///< values are redone; aggregates and patterns are kept while the matrix pattern stays the same.
                     ///< Constraints may be added; if some that were there from the start go, aggregates are rebuilt
  MUS_SETUP_FULL,    ///< everything is redone
  MUS_SETUP_REUSE,   ///< the old hierarchy stays as it is and preconditions the new matrix
  MUS_SETUP_COARSE,  ///< prolongators are kept too, with what constraints forbid taken out; coarse matrices are redone
  MUS_SETUP_AUTO     ///< one of the above each time, weighing its cost against what iterations have cost since
} mus_setup;

/// Motions that cost almost no energy; coarse levels are built from them if coordinates are given.
typedef enum mus_motions {
  MUS_MOTIONS_TRANSLATIONS, ///< three: cheap levels
  MUS_MOTIONS_RIGID,        ///< six, with rotations: fewer iterations, and hardly more of them for larger meshes
  MUS_MOTIONS_AUTO ///< six if coordinates are given, with a strength of 0.48, a reach of 2 and a smoother of twice the
                   ///< order, and, if nodes fill space as those of solids do, prolongators that are not filtered
} mus_motions;

/// How often a cycle visits each coarser level.
typedef enum mus_cycle {
  MUS_CYCLE_V, ///< once, as in Tamstorf et al. 2015
  MUS_CYCLE_W  ///< twice: coarse problems with bending are solved well enough that iterations hardly grow with size
} mus_cycle;

/// Groups of settings; see mus_preset_solver_options().
typedef enum mus_preset {
  MUS_PRESET_PAPER, ///< the method of Tamstorf et al. 2015, everything redone for every matrix
  MUS_PRESET_FAST,  ///< the fastest found for time steps of cloth; see docs/method.md
  MUS_PRESET_ROBUST ///< the fewest iterations, for hard or unknown systems
} mus_preset;

/// "paper", "fast", "robust"; NULL if out of range.
MUS_API const char *mus_preset_name(mus_preset preset);
/// The preset of that name; MUS_BAD_INPUT, with the list of names, if there is none.
MUS_API mus_status mus_preset_from_name(const char *name, mus_preset *preset);

/// What takes over in a solve that would take too long.
typedef enum mus_fall_back {
  MUS_FALL_BACK_NONE,   ///< nothing
  MUS_FALL_BACK_ROBUST, ///< the settings of MUS_PRESET_ROBUST
  MUS_FALL_BACK_DIRECT  ///< sparse Cholesky, where the build has it and the factor fits
} mus_fall_back;

/// "none", "robust", "direct"; NULL if out of range.
MUS_API const char *mus_fall_back_name(mus_fall_back fall_back);

/// The names of the smoothers: "chebyshev", "gs" (symmetric block Gauss-Seidel by colours), "jacobi", "sweep" (one
/// Gauss-Seidel sweep each way on the finest level, in single precision, a Chebyshev polynomial elsewhere); NULL if out
/// of range.
MUS_API const char *mus_smoother_name(int index);

enum { MUS_SMOOTHER_TEXT = 64 };

/// Settings of a multigrid hierarchy, whatever makes its levels. In brackets those of the preset robust, which are
/// those of Tamstorf et al. 2015 except for the cycle.
typedef struct mus_multigrid_options {
  mus_cycle cycle;                  ///< MUS_CYCLE_W; see docs/solver.md for what each costs
  char smoother[MUS_SMOOTHER_TEXT]; ///< NAME or NAME:SWEEPS, by mus_smoother_name(), for all levels; or several with /
                                    ///< in between, for the finest level last: "jacobi:10/gs:3" ("chebyshev")
  int smoother_order;               ///< of the Chebyshev polynomial, and sweeps where they are not given, 1 to 16 (2)
  double smoother_range; ///< the smoother damps the top of the spectrum, from rho / this to rho (see docs/solver.md)
  double adaptive_smoothing; ///< mus_solver_correct() skips rows while smoothing whose residual's energy norm is below
                             ///< this part of the root mean square, 0 to 10; 0: none (0). Solves smooth all rows: what
                             ///< skips rows is not linear, as conjugate gradients need it
  int lanczos_steps;         ///< for the spectral radius of D^-1 A, 1 to 64 (10)
  int levels;                ///< at most this many, 1 to 20 (20)
  int bottom; ///< unknowns at which coarsening ends and a direct solve takes over; skinning ends at up to six
              ///< times as many (600)
} mus_multigrid_options;

/// Settings of smoothed aggregation, which makes the levels. In brackets those of the preset robust, which are those of
/// Tamstorf et al. 2015.
typedef struct mus_sa_options {
  double strength;        ///< theta: a connection is strong above this fraction of its row's strongest (0.48)
  double dominance;       ///< a row whose scaled off-diagonal blocks sum to less is left to the smoother (0.1)
  mus_motions motions;    ///< MUS_MOTIONS_RIGID
  int reach;              ///< strong connections from an aggregate's centre to its edge, on the finest level (1)
  int kernel_sweeps;      ///< relaxation sweeps that adapt the near-null space to boundary conditions (1)
  int smooth_prolongator; ///< 0 leaves the prolongator tentative: cheaper set-up, many more iterations (1)
  int filter_prolongator; ///< 1 drops weak connections while smoothing the prolongator: sparser coarse levels (0)
} mus_sa_options;

enum { MUS_LEVELS_MAXIMUM = 20, MUS_LEVELS_TEXT = 128 };

/// Settings of skinning, whose levels are made of handles: nodes that stand for those around them, with an affine
/// motion each.
typedef struct mus_skinning_options {
  char levels[MUS_LEVELS_TEXT]; ///< handles from the coarsest level up as Xian et al. write them, "25/500/all"; "":
                                ///< chosen by size ("")
} mus_skinning_options;

/// In brackets those of mus_default_solver_options().
typedef struct mus_solver_options {
  mus_method method;        ///< MUS_METHOD_SA
  double tolerance;         ///< relative residual, or error, at which to stop (1e-5)
  int iterations;           ///< at most this many (10000)
  mus_stop stop;            ///< MUS_STOP_INITIAL
  mus_precision precision;  ///< of the preconditioner (MUS_PRECISION_SINGLE)
  mus_setup setup;          ///< MUS_SETUP_AUTO
  int threads;              ///< 0: all cores
  mus_device_choice device; ///< MUS_DEVICE_CPU; on a GPU the preconditioner is always in single precision
  mus_preset preset;        ///< where the other settings came from; for reports only (MUS_PRESET_FAST)
  int fall_back;            ///< 1: sa hands over to something stronger where it stagnates, 0 in MUS_PRESET_PAPER (1)
  int recycle;              ///< earlier solutions that conjugate gradients begin from, 0 to 7: those of slowly changing
                            ///< systems save iterations; see docs/solver.md (0)
  int count_from;           ///< 0 or 1: what error texts call the first node, unknown and so on (0, as in all calls)
  int prefilter;            ///< 0: sa and diag filter vectors instead of the matrix, as mpcg does; for comparison (1)
  mus_multigrid_options multigrid;
  mus_sa_options sa;
  mus_skinning_options skinning;
  int stationary;  ///< 1: plain cycles in place of conjugate gradients, for sa and skinning; for comparison (0)
  unsigned cookie; ///< set by the functions below; options without it are rejected
} mus_solver_options;

MUS_API mus_solver_options mus_preset_solver_options(mus_preset preset);
/// Those of MUS_PRESET_FAST, which suits time steps of cloth and solids. Where these are too weak for a system,
/// something stronger takes over: see mus_solver_options.fall_back.
MUS_API mus_solver_options mus_default_solver_options(void);

typedef struct mus_solver mus_solver;

/// Checks the options and creates an empty solver.
MUS_API mus_status mus_solver_create(const mus_solver_options *options, mus_solver **solver);
/// NULL is fine.
MUS_API void mus_solver_free(mus_solver *solver);

/// The matrix pattern: `rows` nodes of `block` unknowns each, 1 to 12. row_start has rows + 1 entries. Columns ascend
/// within a row, the pattern is symmetric, and every diagonal block is present. Discards everything set before.
MUS_API mus_status mus_solver_set_pattern(mus_solver *solver, int rows, int block, const int *row_start,
                                          const int *column);
/// The values, row_start[rows] * block * block numbers. NaN, infinity and asymmetry (beyond 1e-8 of the largest entry)
/// are rejected, and the solver then has no values: checking and copying is one pass. Call again whenever they change.
MUS_API mus_status mus_solver_set_values(mus_solver *solver, const double *values);
/// The same without a copy: `values` stay the caller's, and every solve reads them until others are given. Lend them
/// again whenever they change. Solves write to them where nodes are constrained, and restore every bit before they
/// return, so that several solvers may share them, one after the other. Checking takes about as long as two products.
MUS_API mus_status mus_solver_lend_values(mus_solver *solver, double *values);
/// The same without a second matrix: opens the solver's own values for reading and writing in place. They are those
/// that were set last, and undefined before the first. Until mus_solver_unmap_values(), the solver can neither solve
/// nor take other values. `values` is valid until then, or until the pattern is set again. Mapping copies nothing,
/// wherever the method keeps its matrix: one that keeps it elsewhere takes the values over when they are unmapped.
MUS_API mus_status mus_solver_map_values(mus_solver *solver, double **values);
/// Closes them again and takes them over as mus_solver_set_values() does. Rejected values are lost here too: the solver
/// then has none.
MUS_API mus_status mus_solver_unmap_values(mus_solver *solver);

/// Node positions, rows * 3 numbers in metres: the near-null space becomes the six rigid-body motions. For block
/// size 3. Rest and current positions both work; current ones follow the matrix better. Call again after large motions.
MUS_API mus_status mus_solver_set_coordinates(mus_solver *solver, const double *positions);
/// Any near-null space: `count` vectors, 1 to 12, of rows * block numbers each, one vector after the other. Without
/// coordinates or vectors: one constant vector for each unknown of a node.
MUS_API mus_status mus_solver_set_kernel(mus_solver *solver, int count, const double *vectors);

/// The nodes of a level as points between nodes of the next coarser one.
typedef struct mus_interpolation {
  int nodes, coarse;    ///< of this level, and of the coarser
  const int *carrier;   ///< nodes * 3: coarse nodes
  const double *weight; ///< nodes * 3: theirs, which sum to 1; 0 for those that do not count. All 0: a node that has no
                        ///< place on the coarser level, as one of `joint`
  const int *joint; ///< nodes: one more coarse node, shared by nodes that are tightly coupled, such as those that are
                    ///< sewn together. It moves them as one, beside what their carriers do. -1: none. May be NULL
} mus_interpolation;

/// Nested levels for MUS_METHOD_GEOMETRIC, the finest first; copied, and kept until the pattern is set again. The first
/// has as many nodes as the pattern has rows, and each has as many as the one before has coarse nodes. MUS_BAD_INPUT
/// says which does not. count 0: there is only the finest level, which is solved directly.
MUS_API mus_status mus_solver_set_levels(mus_solver *solver, int count, const mus_interpolation *levels);

/// What is prescribed at one node: direction[k] . x_node = value[k] for k < count. Directions need not be unit length
/// or orthogonal; contradictory ones are rejected. For block sizes 1 to 3; only the first `block` numbers count.
typedef struct mus_constraint {
  int node;
  int count; ///< 0 to block
  double direction[3][3];
  double value[3];
} mus_constraint;

/// Replaces all constraints; count 0 removes them. Each node may be named only once.
MUS_API mus_status mus_solver_set_constraints(mus_solver *solver, int count, const mus_constraint *constraints);

/// An equality across nodes: sum_k direction[k] . x_node[k] = value, k < count. Face-vertex contacts have four nodes
/// with directions w_k n, edge-edge contacts too. For block sizes 1 to 3.
typedef struct mus_equality {
  int count; ///< 1 to 4
  int node[4];
  double direction[4][3];
  double value;
} mus_equality;

/// Replaces all equalities; count 0 removes them. They hold together with the constraints of single nodes: what these
/// already fix is taken out of the equality. Dependent ones that agree are dropped, contradictory ones are rejected; if
/// constraints that are set later contradict them, the solve reports it.
MUS_API mus_status mus_solver_set_equalities(mus_solver *solver, int count, const mus_equality *equalities);

enum { MUS_COUPLING_NODES_MAXIMUM = 64 };

/// A term outside the pattern: w w^T (x) B with w over a few nodes, B symmetric positive semi-definite. Springs between
/// cloth and cloth, which come and go, are of this kind. For block size 3.
typedef struct mus_coupling {
  int count;            ///< nodes, 1 to MUS_COUPLING_NODES_MAXIMUM
  const int *node;      ///< count; read only during the call that takes the coupling
  const double *weight; ///< count, the same
  double block[9];
} mus_coupling;

/// Replaces all couplings, which are added to the matrix; count 0 removes them. The pattern, and with it everything
/// that was precomputed, stays as it is.
MUS_API mus_status mus_solver_set_couplings(mus_solver *solver, int count, const mus_coupling *couplings);

/// Solves A x = b, where A includes its couplings, subject to the constraints and equalities. x holds the initial guess
/// and receives the solution (rows * block numbers). MUS_NOT_CONVERGED leaves the last iterate in x, MUS_BREAKDOWN the
/// last good one; other failures leave x as it was. With options.recycle, where the solve begins depends on those
/// before, and so do the digits beyond the tolerance.
MUS_API mus_status mus_solver_solve(mus_solver *solver, const double *b, double *x);

/// A linear system whose numbers lie on a GPU. Pointers to host memory are allowed too, and are copied.
typedef struct mus_device_system {
  const double *values;      ///< as for mus_solver_set_values(); not checked
  const double *coordinates; ///< as for mus_solver_set_coordinates(); NULL: there are none, or those that were set
  const double *b;           ///< rows * block numbers, as for mus_solver_solve()
  double *x;                 ///< the same: initial guess in, solution out
  void *stream;              ///< a CUDA stream whose work so far is waited for; NULL: all numbers are there already
} mus_device_system;

/// Solves a system where it is, on the GPU of a solver with device MUS_DEVICE_CUDA or MUS_DEVICE_AUTO, without taking
/// it to the host, but for the first time and once in a while afterwards, when aggregates are made. Constraints are
/// those that mus_solver_set_constraints() has set. Returns when x is complete. Everything must stay until then, and is
/// the caller's again. Nothing of it is kept: solves of the host's follow on mus_solver_set_values() only, or on
/// mus_solver_unmap_values(); what is mapped is written over.
/// MUS_UNSUPPORTED if there is no GPU or it cannot do what is asked; MUS_DEVICE_FAILED and MUS_OUT_OF_MEMORY leave x as
/// it was.
MUS_API mus_status mus_solver_solve_device(mus_solver *solver, const mus_device_system *system);

/// What a level of the hierarchy does about a residual.
typedef enum mus_correction {
  MUS_CORRECT_SMOOTH, ///< the level's smoother from zero; the coarsest level is solved
  MUS_CORRECT_CYCLE   ///< multigrid.cycle from there down
} mus_correction;

/// Sets the hierarchy up for the matrix, constraints and couplings as they are now, as the next solve would, so that
/// corrections can follow. Work is counted from here on. MUS_UNSUPPORTED for methods without a hierarchy of ours: those
/// with one are "sa", "geometric" and "skinning". With MUS_SETUP_AUTO, coarse matrices are redone at least;
/// MUS_SETUP_REUSE keeps what there is.
MUS_API mus_status mus_solver_prepare(mus_solver *solver);
/// Levels of the hierarchy; 0 if there is none yet.
MUS_API int mus_solver_levels(const mus_solver *solver);
/// c = P B P^T r: the residual r restricted to a level (0: the finest), smoothed or cycled there, and interpolated
/// back; a direction in which to search (Wang, Wu, Fratarcangeli, Tang and Wang 2018, section 4.2). B is symmetric
/// positive definite. r counts only where nothing is held, and c is zero in held directions, whatever values are
/// prescribed there; both have rows * block numbers and may not overlap. Couplings are part of the matrix on every
/// level. Equalities across nodes are projected out of r and c, but levels know nothing of them. MUS_BAD_INPUT if there
/// is no such level, or if anything was given, or solved, since mus_solver_prepare().
MUS_API mus_status mus_solver_correct(mus_solver *solver, int level, mus_correction kind, const double *r, double *c);
/// Work of the corrections since mus_solver_prepare(), or of the last solve if that was later: numbers of matrices,
/// prolongators and factors that were passed over, divided by those of the matrix, so that one product with it
/// counts 1. Set-up is not counted. 0 for methods that do not know (PETSc's).
MUS_API double mus_solver_work(const mus_solver *solver);

/// A number that a coarsening or smoother adds to the report of a level.
typedef struct mus_level_number {
  const char *name; ///< "aggregates", "largest_aggregate" (nodes); "chebyshev_low", "chebyshev_high" (what it damps)
  double value;
} mus_level_number;

enum { MUS_LEVEL_NUMBERS = 8 };

/// One level of the hierarchy, finest first.
typedef struct mus_level_report {
  int rows;               ///< nodes
  int block;              ///< unknowns per node
  long long nonzeros;     ///< stored numbers
  int special;            ///< nodes left to the smoother
  int dropped;            ///< unknowns without a basis vector, because an aggregate was rank deficient
  double spectral_radius; ///< of D^-1 A as used by the smoother; 0 at the bottom
  int radius_converged;   ///< 0 if the estimate's own error bound is above 10%
  size_t bytes;           ///< matrix, prolongator and vectors of this level
  int numbers;            ///< entries of `number` that are used
  mus_level_number number[MUS_LEVEL_NUMBERS];
} mus_level_report;

/// What happened in the last solve.
typedef struct mus_solve_record {
  mus_status status;
  mus_method method; ///< what was run in the end; differs from the options' for MUS_METHOD_AUTO and after a fall-back
  int iterations;    ///< a projection onto earlier solutions (options.recycle) is the first of them
  double rate;       ///< geometric mean of ||r_i|| / ||r_{i-1}||
  const double *residuals; ///< iterations + 1 norms of the kind that options.stop names (direct solves have Euclidean
                           ///< ones where it names those of M^-1); valid until the next solve
  double reference;        ///< what the residuals were compared with
  double true_residual;    ///< ||S(b - Ax)|| / ||S(b - Az)|| in the Euclidean norm, computed afresh at the end
  double work;             ///< of iterations, in products with the matrix; see mus_solver_work()
  double smoothing;        ///< of that, by the smoothers of a hierarchy
  double skipped;          ///< what smoothers have saved by adaptive_smoothing, in the same units
  double setup_seconds;    ///< preconditioner or factorisation, in this solve
  const char *setup;       ///< what of the hierarchy was redone, at most: "none", the "finest" level, "coarse"
                           ///< matrices too, "numbers" (of prolongators too) or "all"; NULL for methods that keep none
  mus_fall_back fall_back; ///< what has taken over, in the end
  const char
      *fall_back_reason; ///< "stagnation", "breakdown", or "earlier": a recent solve needed it. NULL: nothing has
  int fall_backs;        ///< solves of this pattern so far in which robust settings or a factor took over
  double prefilter_seconds;
  double solve_seconds;
  double transfer_seconds;    ///< on a GPU: bringing matrix and vectors there and the solution back; 0 on the CPU
  size_t bytes;               ///< everything that the solver holds, including the matrix
  size_t device_bytes;        ///< memory that it holds on a GPU
  char device[64];            ///< name of the GPU that it was solved on; "": the CPU
  char device_failure[512];   ///< why MUS_DEVICE_AUTO has left the solver to the CPU from now on: what is missing of a
                              ///< GPU, or how it failed; "": it has not
  double operator_complexity; ///< non-zeros of all levels over those of the finest; 1 without a hierarchy; NaN if
                              ///< it is unknown: hypre does not report it
  int levels;                 ///< 0 without a known hierarchy
  mus_level_report level[MUS_LEVELS_MAXIMUM];
} mus_solve_record;

/// Everything that the solver holds now, including the matrix.
MUS_API size_t mus_solver_bytes(const mus_solver *solver);

/// What later solves depend on of those that were, such as aggregates and costs, as bytes that stay valid until the
/// next call with this solver. It drops everything else that they depend on, earlier solutions too, so that it and
/// another that recalls the bytes give bit-identical solutions from here on: for checkpoints. On a GPU, solutions are
/// the same to the tolerance.
MUS_API mus_status mus_solver_remember(mus_solver *solver, const void **bytes, size_t *size);
/// For a new solver with the same options and pattern, and with coordinates if the other one had any; on the same kind
/// of machine. MUS_BAD_INPUT for bytes of something else, after which it can only be freed.
MUS_API mus_status mus_solver_recall(mus_solver *solver, const void *bytes, size_t size);

/// Never NULL; all zero before the first solve.
MUS_API const mus_solve_record *mus_solver_record(const mus_solver *solver);

/// mus_solver_solve() for several right-hand sides: b and x hold `count` vectors each, one after the other. What is set
/// up is set up once. The vectors are solved for in turn, each until it is done, so that a solution has the bits that
/// mus_solver_solve() would have given, called for one after the other. `records` takes a record for each, whose
/// `residuals` are valid until the next solve, or is NULL; mus_solver_record() is that of the last. All vectors are
/// checked before anything is solved. A solve that does not converge, or breaks down, does not keep those after it from
/// being done; its status is returned, that of the first if there are several, and the error text says which it was.
/// Other failures end it: solutions until then are complete, the rest of x is as it was, and the rest of `records` has
/// the same status.
MUS_API mus_status mus_solver_solve_several(mus_solver *solver, int count, const double *b, double *x,
                                            mus_solve_record *records);

/// How fast a GPU passes over the finest matrix of the last solve.
typedef struct mus_device_speeds {
  double product_seconds;               ///< one product in double precision
  double smoother_seconds;              ///< one pass of the smoother in single precision
  double cycle_seconds;                 ///< one cycle
  double product_bytes, smoother_bytes; ///< what these have to read and write at least
  double copy_bytes_per_second;         ///< of a copy as large as the matrix, read and written
} mus_device_speeds;
/// Measures them, as medians of `repeat`. MUS_BAD_INPUT if the last solve was not on a GPU.
MUS_API mus_status mus_solver_measure_device(mus_solver *solver, int repeat, mus_device_speeds *speeds);

/// For each node, the node of a coarser level of the hierarchy that it belongs to: level 1 is the first below the
/// finest. -1 for nodes that are left to the smoother. `aggregate` has one entry per node of the matrix. Returns the
/// number of nodes of that level; 0, with nothing written, if there is no such level, or no hierarchy of aggregates.
MUS_API int mus_solver_aggregates(const mus_solver *solver, int level, int *aggregate);

/// The level report as a table.
MUS_API void mus_solve_record_print_levels(const mus_solve_record *record, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
