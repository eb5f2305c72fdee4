// The choice among methods by cost. See docs/solver.md.
//
// Costs are counted in products with the fine matrix, not in seconds, so that the same calls make the same choice on
// every machine, every run and any number of threads. What a solve costs is measured on the solves themselves:
// iterations of block-Jacobi are known after it has run, or extrapolated from the rate it showed; iterations of
// smoothed aggregation and the work of its cycle likewise. The first solve tries block-Jacobi, and gives up where
// smoothed aggregation would have been done. A method that was set aside is tried again from time to time.
#include <math.h>

#include "base/error.h"
#include "par/vector.h"
#include "solve/solver_state.h"

// In products, measured on sheets of 40,401 and 160,801 vertices: a step of conjugate gradients with block-Jacobi, the
// part of one that is not the preconditioner, and the two kinds of set-up.
static const double diag_step = 1.3, cg_step = 1.2, symbolic_cost = 360, numeric_cost = 280;
// What smoothed aggregation is taken to cost before it has been seen.
static const double sa_iterations_guess = 8, sa_iteration_guess = 26;
enum { SOLVES_BETWEEN_TRIALS = 32 };

// Iterations to the tolerance at the rate that the last solve showed.
static double iterations_at_rate(const mus_solve_record *record, double tolerance) {
  if (!(record->rate > 0) || record->rate >= 1 || !(tolerance > 0) || tolerance >= 1)
    return record->iterations;
  return fmax(record->iterations, log(tolerance) / log(record->rate));
}

// Passes over the levels' matrices that one cycle makes, in units of the finest. A W-cycle visits level k 2^k times and
// adds a residual for each visit but the first.
static double cycle_cost(const mus_solver *solver) {
  const mus_solve_record *record = &solver->record;
  double passes = 2.0 * mus_solver_sa_options(solver).smoother_order; // order - 1, residual, order
  double bytes = solver->options.precision == MUS_PRECISION_SINGLE ? 0.5 : 1, cost = 0, visits = 1;
  for (int k = 0; k < record->levels; ++k) {
    double share = (double)record->level[k].nonzeros / (double)record->level[0].nonzeros;
    cost += share * visits * passes;
    if (solver->options.sa.cycle == MUS_CYCLE_W) {
      cost += k > 0 ? share * visits / 2 : 0;
      visits *= 2;
    }
  }
  return bytes * cost + 1; // prolongators, both ways
}

double mus_iteration_cost(const mus_solver *solver) {
  int around = solver->filter.across || (solver->couplings.count > 0 && !solver->deep_couplings);
  return cg_step + cycle_cost(solver) + (around ? MUS_COUPLED_PRODUCTS : 0);
}

static double setup_cost(const mus_solver *solver) {
  if (solver->hierarchy_stale == MUS_FRESH || (solver->hierarchy && solver->options.setup == MUS_SETUP_REUSE))
    return 0;
  int full = solver->hierarchy_stale == MUS_STALE_ALL || solver->options.setup == MUS_SETUP_FULL;
  return numeric_cost + (full ? symbolic_cost : 0);
}

static double sa_cost(const mus_solver *solver) {
  const mus_auto_state *seen = &solver->automatic;
  double iterations = seen->sa_iterations > 0 ? seen->sa_iterations : sa_iterations_guess;
  double each = seen->sa_iteration_cost > 0 ? seen->sa_iteration_cost : sa_iteration_guess;
  return setup_cost(solver) + iterations * each;
}

static mus_status run_diag(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  mus_status status = mus_run_method(solver, MUS_METHOD_DIAG, limits, b, x);
  if (status == MUS_OK || status == MUS_NOT_CONVERGED)
    solver->automatic.diag_iterations =
        status == MUS_OK ? solver->record.iterations : iterations_at_rate(&solver->record, limits->tolerance);
  return status;
}

static mus_status run_sa(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  mus_status status = mus_run_method(solver, MUS_METHOD_SA, limits, b, x);
  if (status == MUS_OK) {
    solver->automatic.sa_iterations = fmax(solver->record.iterations, 1);
    solver->automatic.sa_iteration_cost = mus_iteration_cost(solver);
  }
  return status;
}

// Runs what is expected to be cheapest. Sets *tried to the methods that were run, as bits.
static mus_status run_cheapest(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x,
                               double *guess, unsigned *tried) {
  mus_auto_state *seen = &solver->automatic;
  double sa = sa_cost(solver), diag = seen->diag_iterations * diag_step;
  int trial = seen->diag_iterations <= 0 || ++seen->solves_since_trial >= SOLVES_BETWEEN_TRIALS;
  if (trial || diag <= sa) {
    if (trial)
      seen->solves_since_trial = 0;
    mus_cg_options budget = *limits;
    budget.iterations = (int)fmin(limits->iterations, ceil(sa / diag_step));
    *tried |= 1u << MUS_METHOD_DIAG;
    mus_status status = run_diag(solver, &budget, b, x);
    if (status != MUS_NOT_CONVERGED)
      return status;
    mus_copy(mus_solver_unknowns(solver), guess, x);
  }
  *tried |= 1u << MUS_METHOD_SA;
  return run_sa(solver, limits, b, x);
}

mus_status mus_run_automatic(mus_solver *solver, const mus_cg_options *limits, const double *b, double *x) {
  size_t n = mus_solver_unknowns(solver);
  double *guess = mus_alloc(n, sizeof *guess);
  if (!guess)
    return mus_fail_memory();
  mus_copy(n, x, guess);
  unsigned tried = 0;
  mus_status status = run_cheapest(solver, limits, b, x, guess, &tried);
  // A failure is not the last word while a stronger method is left.
  if ((status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN) && !(tried & 1u << MUS_METHOD_SA)) {
    mus_copy(n, guess, x);
    status = run_sa(solver, limits, b, x);
  }
  if ((status == MUS_NOT_CONVERGED || status == MUS_BREAKDOWN) && mus_method_available(MUS_METHOD_CHOLMOD)) {
    mus_copy(n, guess, x);
    status = mus_run_method(solver, MUS_METHOD_CHOLMOD, limits, b, x);
  }
  mus_free(guess);
  return status;
}
