// PETSc's preconditioners. See petsc.h.
//
// The block matrix becomes an AIJ matrix (plain compressed rows; GAMG takes no other kind) that knows its block size.
// Its pattern is made once, and new values are put in place. The preconditioner itself is made afresh for every set of
// values: PETSc would otherwise keep GAMG's prolongators and near null space from the first set, and comparisons would
// be with half a set-up.
#include "solve/petsc.h"

#include "base/error.h"

#if !MUSLIN_PETSC

int mus_petsc_available(void) { return 0; }

mus_status mus_petsc_start(void) {
  return mus_fail(MUS_UNSUPPORTED, "this build is without PETSc: build with -DMUSLIN_PETSC=ON");
}

mus_status mus_petsc_create(mus_method method, const mus_pattern *pattern, int block, mus_petsc **out) {
  (void)pattern, (void)block, (void)out;
  return mus_fail(MUS_UNSUPPORTED, "this build has no solver %s: build with -DMUSLIN_PETSC=ON",
                  mus_method_name(method));
}

// Without a mus_petsc, none of these can be called.
mus_status mus_petsc_set_up(mus_petsc *petsc, const mus_matrix *a, const double *positions) {
  (void)petsc, (void)a, (void)positions;
  return MUS_UNSUPPORTED;
}

void mus_petsc_apply(mus_petsc *petsc, const double *r, double *z) { (void)petsc, (void)r, (void)z; }

void mus_petsc_report(const mus_petsc *petsc, mus_solve_record *record) { (void)petsc, (void)record; }

size_t mus_petsc_bytes(const mus_petsc *petsc) {
  (void)petsc;
  return 0;
}

void mus_petsc_free(mus_petsc *petsc) { (void)petsc; }

#else

#include <malloc.h>
#include <math.h>
#include <petscksp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "par/par.h"
#include "par/vector.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "muslin needs a PETSc with real numbers in double precision"
#endif

struct mus_petsc {
  mus_method method;
  mus_arena arena; // what muslin holds for PETSc: the AIJ matrix and the probe
  int rows, block;
  PetscInt *row_start, *column;
  PetscScalar *value;
  double *probe;        // four vectors
  size_t foreign_bytes; // what PETSc and hypre hold
  Mat matrix;
  Vec right, left; // windows on the caller's vectors
  PetscOptions options;
  PC preconditioner; // NULL before the first set-up, and after one that failed
};

// What PETSc is told. Of what was tried on drooping sheets of 10,201 and 40,401 vertices, at steps of 2 and 20 ms,
// these took the least time for set-up and solution together.
//
// GAMG: point-block Jacobi under Chebyshev halves the iterations of PETSc's default, point Jacobi. Zero connections are
// dropped from the graph (threshold 0), so that held nodes stay out of the aggregates. Rotations need aggregates of
// several nodes: PETSc's default, maximal independent sets, leaves single ones, whose missing columns end in NaN, while
// heavy-edge matching does not. It also takes three times as long, for two thirds of the iterations.
//
// BoomerAMG: the three unknowns of a node are coarsened together, aggressively on the finest level. One Gauss-Seidel
// sweep over all points, forward on the way down and backward on the way up, is a quarter of the work of PETSc's
// default (symmetric sweeps over coarse and fine points in turn) and keeps the cycle symmetric.
#define GAMG_TRANSLATIONS                                                                                              \
  "-pc_type gamg -pc_gamg_threshold 0 -pc_mg_cycle_type w -mg_levels_ksp_type chebyshev -mg_levels_ksp_max_it 2 "      \
  "-mg_levels_ksp_chebyshev_esteig 0,0.05,0,1.05 -mg_levels_pc_type pbjacobi"
#define GAMG_ROTATIONS GAMG_TRANSLATIONS " -mat_coarsen_type hem"
#define BOOMERAMG                                                                                                      \
  "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_nodal_coarsen 1 -pc_hypre_boomeramg_agg_nl 1 "          \
  "-pc_hypre_boomeramg_no_CF -pc_hypre_boomeramg_relax_type_down SOR/Jacobi "                                          \
  "-pc_hypre_boomeramg_relax_type_up backward-SOR/Jacobi"

// --- manners ---------------------------------------------------------------------------------------------------------
// PETSc has one state for the whole process: an options database, a stack of error handlers. It is entered by one
// thread at a time, sees no options but ours while in here, and keeps what it has to say for mus_last_error().

static pthread_mutex_t petsc_lock = PTHREAD_MUTEX_INITIALIZER;
static char petsc_text[256];

static PetscErrorCode keep_text(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                PetscErrorType kind, const char *text, void *context) {
  (void)comm, (void)line, (void)file, (void)context;
  if (kind == PETSC_ERROR_INITIAL)
    snprintf(petsc_text, sizeof petsc_text, "%s: %s", function ? function : "", text ? text : "");
  return code;
}

// Makes the options where there are none yet.
static PetscErrorCode enter(PetscOptions *options) {
  pthread_mutex_lock(&petsc_lock);
  petsc_text[0] = 0;
  PetscErrorCode error = PetscPushErrorHandler(keep_text, NULL);
  if (!error && !*options)
    error = PetscOptionsCreate(options);
  if (!error)
    error = PetscOptionsPush(*options);
  return error;
}

static void leave(void) {
  PetscOptionsPop();
  PetscPopErrorHandler();
  pthread_mutex_unlock(&petsc_lock);
}

static mus_status fail_petsc(const char *doing, PetscErrorCode error) {
  if (error == PETSC_ERR_MEM)
    return mus_fail_memory();
  return mus_fail(MUS_BREAKDOWN, "PETSc fails to %s, with error %d: %s", doing, (int)error, petsc_text);
}

int mus_petsc_available(void) { return 1; }

// PETSc is running in this process.
static int alive(void) {
  PetscBool started = PETSC_FALSE, finished = PETSC_FALSE;
  PetscInitialized(&started);
  PetscFinalized(&finished);
  return started && !finished;
}

static void finish(void) {
  int gone = 0;
  MPI_Finalized(&gone);
  if (!gone && alive())
    PetscFinalize();
}

// PETSc keeps the words.
static PetscErrorCode initialise(void) {
  static char name[] = "muslin", no_files[] = "-skip_petscrc", no_handler[] = "-no_signal_handler";
  static char *word[] = {name, no_files, no_handler, NULL}, **words = word;
  static int count = 3;
  return PetscInitialize(&count, &words, NULL, NULL);
}

// Muslin may be a guest in somebody's program: no files of options are read, and the handlers of fatal signals stay as
// they were, though Open MPI sets its own.
mus_status mus_petsc_start(void) {
  static const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  enum { FATAL = sizeof fatal / sizeof *fatal };
  struct sigaction before[FATAL];
  PetscErrorCode error = 0;
  pthread_mutex_lock(&petsc_lock);
  if (!alive()) {
    for (int k = 0; k < FATAL; ++k)
      sigaction(fatal[k], NULL, &before[k]);
    error = initialise();
    for (int k = 0; k < FATAL; ++k)
      sigaction(fatal[k], &before[k], NULL);
    if (!error)
      atexit(finish);
  }
  pthread_mutex_unlock(&petsc_lock);
  return error ? mus_fail(MUS_UNSUPPORTED, "PETSc does not start (error %d): is MPI set up?", (int)error) : MUS_OK;
}

// --- the matrix ------------------------------------------------------------------------------------------------------

static size_t unknowns(const mus_petsc *petsc) { return (size_t)petsc->rows * (size_t)petsc->block; }

// Row r of block row i holds row r of each of its blocks, one after the other.
static void fill_pattern(mus_petsc *petsc, const mus_pattern *pattern) {
  int block = petsc->block;
  MUS_PARALLEL_FOR_IF(petsc->rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < petsc->rows; ++i) {
    PetscInt begin = pattern->row_start[i], length = pattern->row_start[i + 1] - begin;
    for (int r = 0; r < block; ++r) {
      PetscInt start = (begin * block + length * r) * block, *column = petsc->column + start;
      petsc->row_start[i * block + r] = start;
      for (PetscInt k = 0; k < length; ++k)
        for (int c = 0; c < block; ++c)
          *column++ = (PetscInt)pattern->column[begin + k] * block + c;
    }
  }
  petsc->row_start[unknowns(petsc)] = (PetscInt)mus_pattern_blocks(pattern) * block * block;
}

static void fill_values(const mus_petsc *petsc, const mus_matrix *a, PetscScalar *value) {
  const int *row_start = a->pattern->row_start;
  size_t block = (size_t)petsc->block;
  MUS_PARALLEL_FOR_IF(petsc->rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < petsc->rows; ++i) {
    size_t begin = (size_t)row_start[i], length = (size_t)row_start[i + 1] - begin;
    for (size_t r = 0; r < block; ++r) {
      PetscScalar *to = value + (begin * block + length * r) * block;
      const double *from = a->value + (begin * block + r) * block;
      for (size_t k = 0; k < length; ++k)
        for (size_t c = 0; c < block; ++c)
          *to++ = from[k * block * block + c];
    }
  }
}

static mus_status allocate(mus_petsc *petsc, const mus_pattern *pattern) {
  mus_arena *arena = &petsc->arena;
  size_t values = (size_t)mus_pattern_blocks(pattern) * (size_t)(petsc->block * petsc->block);
  if (values > PETSC_MAX_INT)
    return mus_fail(MUS_UNSUPPORTED, "the matrix has %zu entries: this PETSc counts to %lld only", values,
                    (long long)PETSC_MAX_INT);
  petsc->row_start = mus_arena_alloc(arena, unknowns(petsc) + 1, sizeof *petsc->row_start);
  petsc->column = mus_arena_alloc(arena, values, sizeof *petsc->column);
  petsc->value = mus_arena_alloc_zero(arena, values, sizeof *petsc->value);
  petsc->probe = mus_arena_alloc(arena, 4 * unknowns(petsc), sizeof *petsc->probe);
  return petsc->row_start && petsc->column && petsc->value && petsc->probe ? MUS_OK : mus_fail_memory();
}

static PetscErrorCode create_objects(mus_petsc *petsc) {
  PetscInt n = (PetscInt)unknowns(petsc), block = petsc->block;
  PetscErrorCode error =
      MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, petsc->row_start, petsc->column, petsc->value, &petsc->matrix);
  if (!error)
    error = MatSetBlockSize(petsc->matrix, block);
  if (!error)
    error = MatSetOption(petsc->matrix, MAT_SPD, PETSC_TRUE);
  if (!error)
    error = MatSetOption(petsc->matrix, MAT_SPD_ETERNAL, PETSC_TRUE);
  if (!error)
    error = VecCreateSeqWithArray(PETSC_COMM_SELF, block, n, NULL, &petsc->right);
  if (!error)
    error = VecCreateSeqWithArray(PETSC_COMM_SELF, block, n, NULL, &petsc->left);
  return error;
}

mus_status mus_petsc_create(mus_method method, const mus_pattern *pattern, int block, mus_petsc **out) {
  mus_status status = mus_petsc_start();
  if (status)
    return status;
  mus_petsc *petsc = mus_alloc_zero(1, sizeof *petsc);
  if (!petsc)
    return mus_fail_memory();
  *petsc = (mus_petsc){.method = method, .rows = pattern->rows, .block = block};
  status = allocate(petsc, pattern);
  if (!status) {
    fill_pattern(petsc, pattern);
    PetscErrorCode error = enter(&petsc->options);
    if (!error)
      error = create_objects(petsc);
    if (error)
      status = fail_petsc("take the matrix", error);
    leave();
  }
  if (status)
    mus_petsc_free(petsc);
  else
    *out = petsc;
  return status;
}

void mus_petsc_free(mus_petsc *petsc) {
  if (!petsc)
    return;
  if (alive()) {
    pthread_mutex_lock(&petsc_lock);
    PCDestroy(&petsc->preconditioner);
    VecDestroy(&petsc->left);
    VecDestroy(&petsc->right);
    MatDestroy(&petsc->matrix);
    PetscOptionsDestroy(&petsc->options);
    pthread_mutex_unlock(&petsc_lock);
  }
  mus_arena_clear(&petsc->arena);
  mus_free(petsc);
}

// --- set-up ----------------------------------------------------------------------------------------------------------

static PetscErrorCode set_near_null_space(mus_petsc *petsc, const double *positions) {
  if (!positions)
    return MatSetNearNullSpace(petsc->matrix, NULL);
  Vec coordinates = NULL;
  MatNullSpace motions = NULL;
  PetscErrorCode error = VecCreateSeqWithArray(PETSC_COMM_SELF, 3, (PetscInt)unknowns(petsc), positions, &coordinates);
  if (!error)
    error = MatNullSpaceCreateRigidBody(coordinates, &motions);
  if (!error)
    error = MatSetNearNullSpace(petsc->matrix, motions);
  MatNullSpaceDestroy(&motions);
  VecDestroy(&coordinates);
  return error;
}

static PetscErrorCode apply(mus_petsc *petsc, const double *r, double *z) {
  PetscErrorCode error = VecPlaceArray(petsc->right, r);
  if (error)
    return error;
  error = VecPlaceArray(petsc->left, z);
  if (!error) {
    error = PCApply(petsc->preconditioner, petsc->right, petsc->left);
    VecResetArray(petsc->left);
  }
  VecResetArray(petsc->right);
  return error;
}

static PetscErrorCode make_preconditioner(mus_petsc *petsc) {
  PetscErrorCode error = PCCreate(PETSC_COMM_SELF, &petsc->preconditioner);
  if (!error)
    error = PCSetOperators(petsc->preconditioner, petsc->matrix, petsc->matrix);
  if (!error)
    error = PCSetFromOptions(petsc->preconditioner);
  if (!error)
    error = PCSetUp(petsc->preconditioner);
  return error;
}

static size_t allocated(void) {
#ifdef __GLIBC__
  struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
#else
  return 0;
#endif
}

static PetscErrorCode set_up(mus_petsc *petsc, const char *options, const double *positions) {
  PCDestroy(&petsc->preconditioner);
  size_t before = allocated();
  PetscErrorCode error = PetscOptionsClear(petsc->options);
  if (!error)
    error = PetscOptionsInsertString(petsc->options, options);
  if (!error)
    error = set_near_null_space(petsc, positions);
  if (!error)
    error = make_preconditioner(petsc);
  size_t after = allocated();
  petsc->foreign_bytes = after > before ? after - before : 0;
  return error;
}

// Whether M^-1 is symmetric and positive on two fixed random vectors. One that has broken down is not, or is NaN.
static int sound(mus_petsc *petsc) {
  size_t n = unknowns(petsc);
  double *r = petsc->probe, *s = r + n, *mr = s + n, *ms = mr + n;
  mus_fill_random(n, 1, r);
  mus_fill_random(n, 2, s);
  if (apply(petsc, r, mr) || apply(petsc, s, ms))
    return 0;
  double rr = mus_dot(n, r, mr), ss = mus_dot(n, s, ms), rs = mus_dot(n, r, ms), sr = mus_dot(n, s, mr);
  return rr > 0 && ss > 0 && fabs(rs - sr) <= 1e-6 * sqrt(rr * ss);
}

static PetscErrorCode take_values(mus_petsc *petsc, const mus_matrix *a) {
  PetscScalar *value;
  PetscErrorCode error = MatSeqAIJGetArrayWrite(petsc->matrix, &value);
  if (error)
    return error;
  fill_values(petsc, a, value);
  return MatSeqAIJRestoreArrayWrite(petsc->matrix, &value);
}

// The rigid-body motions where they are given and work, else the translations.
static PetscErrorCode set_up_gamg(mus_petsc *petsc, const double *positions) {
  if (positions) {
    PetscErrorCode error = set_up(petsc, GAMG_ROTATIONS, positions);
    if (error == PETSC_ERR_MEM || (!error && sound(petsc)))
      return error;
  }
  return set_up(petsc, GAMG_TRANSLATIONS, NULL);
}

mus_status mus_petsc_set_up(mus_petsc *petsc, const mus_matrix *a, const double *positions) {
  mus_status status = MUS_OK;
  PetscErrorCode error = enter(&petsc->options);
  if (!error)
    error = take_values(petsc, a);
  if (!error)
    error = petsc->method == MUS_METHOD_GAMG ? set_up_gamg(petsc, positions) : set_up(petsc, BOOMERAMG, NULL);
  if (error) {
    status = fail_petsc("set up the preconditioner", error);
    PCDestroy(&petsc->preconditioner);
  }
  leave();
  return status;
}

// --- use -------------------------------------------------------------------------------------------------------------

void mus_petsc_apply(mus_petsc *petsc, const double *r, double *z) {
  PetscErrorCode error = enter(&petsc->options);
  if (!error)
    error = apply(petsc, r, z);
  leave();
  if (error)
    mus_fill(unknowns(petsc), NAN, z); // conjugate gradients stop at it
}

static PetscErrorCode nonzeros(Mat matrix, double *count) {
  MatInfo info;
  PetscErrorCode error = MatGetInfo(matrix, MAT_LOCAL, &info);
  if (!error)
    *count = info.nz_used;
  return error;
}

static PetscErrorCode report_matrix(KSP smoother, mus_level_report *out) {
  Mat matrix;
  PetscInt rows, block;
  double count;
  PetscErrorCode error = KSPGetOperators(smoother, NULL, &matrix);
  if (!error)
    error = MatGetSize(matrix, &rows, NULL);
  if (!error)
    error = MatGetBlockSize(matrix, &block);
  if (!error)
    error = nonzeros(matrix, &count);
  if (!error)
    *out = (mus_level_report){
        .rows = (int)(rows / block), .block = (int)block, .nonzeros = (long long)count, .radius_converged = 1};
  return error;
}

// The radius of D^-1 A, from the iteration that the Chebyshev smoother ran to estimate it.
static PetscErrorCode report_radius(KSP smoother, mus_level_report *out) {
  KSP estimate;
  PetscReal largest, smallest;
  PetscErrorCode error = KSPChebyshevEstEigGetKSP(smoother, &estimate);
  if (!error)
    error = KSPComputeExtremeSingularValues(estimate, &largest, &smallest);
  if (!error)
    out->spectral_radius = largest;
  return error;
}

// PETSc counts levels from the coarsest.
static PetscErrorCode report_level(PC preconditioner, PetscInt level, mus_level_report *out) {
  KSP smoother;
  Mat prolongator;
  double count = 0;
  PetscErrorCode error = PCMGGetSmoother(preconditioner, level, &smoother);
  if (!error)
    error = report_matrix(smoother, out);
  if (!error && level > 0) {
    error = report_radius(smoother, out);
    if (!error)
      error = PCMGGetInterpolation(preconditioner, level, &prolongator);
    if (!error)
      error = nonzeros(prolongator, &count);
  }
  if (!error)
    out->bytes = ((size_t)out->nonzeros + (size_t)count) * (sizeof(PetscScalar) + sizeof(PetscInt));
  return error;
}

void mus_petsc_report(const mus_petsc *petsc, mus_solve_record *record) {
  record->operator_complexity = NAN;
  if (petsc->method != MUS_METHOD_GAMG || !petsc->preconditioner)
    return;
  PetscOptions options = petsc->options;
  PetscInt levels = 0;
  PetscReal unknowns_complexity, nonzeros_complexity;
  PetscErrorCode error = enter(&options);
  if (!error)
    error = PCMGGetLevels(petsc->preconditioner, &levels);
  int shown = levels < MUS_LEVELS_MAXIMUM ? (int)levels : MUS_LEVELS_MAXIMUM;
  for (int k = 0; k < shown && !error; ++k)
    error = report_level(petsc->preconditioner, levels - 1 - k, &record->level[k]);
  if (!error)
    error = PCMGGetGridComplexity(petsc->preconditioner, &unknowns_complexity, &nonzeros_complexity);
  if (!error) {
    record->levels = shown;
    record->operator_complexity = nonzeros_complexity;
  }
  leave();
}

size_t mus_petsc_bytes(const mus_petsc *petsc) { return sizeof *petsc + petsc->arena.bytes + petsc->foreign_bytes; }

#endif
