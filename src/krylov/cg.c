// Preconditioned conjugate gradients, plain and filtered. See cg.h.
//
// PCG is MPCG with S = I, so there is one iteration for both (Ascher and Boxerman 2003, section 3, step 3):
//   q = S A p;  alpha = delta / p.q;  x += alpha p;  r -= alpha q;  z = M^-1 r;  p = S(z + (delta / delta_old) p)
// with delta = r.M^-1 r. The two differ in where they start and in what they compare delta with.
//
// Passes over vectors cost as much as a good part of the product. So x waits for its step until p is read for the next
// direction, p.q comes with the product, and a residual is rounded for a preconditioner in single precision as it is
// made, scaled by the size of the one before.
#include "krylov/cg.h"

#include <math.h>

#include "base/error.h"
#include "base/stop.h"
#include "krylov/estimate.h"

// r.r below this counts as r = 0: squares lose their digits before they underflow.
static const double SQUARE_ZERO = 1e-280;
// Single precision has room for this much between the squares of a residual's size and of what it was scaled by.
static const double SQUARE_RANGE = 1e24;

typedef struct problem {
  size_t n;
  const mus_space *space;
  const mus_operator *a;
  const mus_projection *s; // NULL: the identity
  const mus_preconditioner *m;
  double *x, *r, *z, *p, *q;
  int is_zero;      // x, as guesses often are: its residual needs no product
  double factor;    // of what is in m->right
  const float *z_f; // M^-1 of it; z is M^-1 r where that is NULL
  mus_stop stop;
  double tolerance;
  const mus_cg_options *options; // for those that may be extended
  mus_estimate estimate;         // of MUS_STOP_ENERGY
} problem;

static problem make_problem(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, double *x,
                            const mus_cg_options *options, double *work, mus_cg_result *result) {
  size_t n = a->size;
  result->iterations = 0;
  result->reference = 0;
  result->residuals[0] = NAN;
  result->is_projected = 0;
  result->is_absolute = options->stop == MUS_STOP_EUCLIDEAN || options->stop == MUS_STOP_ENERGY;
  return (problem){.n = n,
                   .space = a->space,
                   .a = a,
                   .s = s,
                   .m = m,
                   .x = x,
                   .r = work,
                   .z = work + n,
                   .p = work + 2 * n,
                   .q = work + 3 * n,
                   .stop = options->stop,
                   .tolerance = options->tolerance,
                   .options = options};
}

static void filter(const problem *o, double *v) {
  if (o->s)
    o->s->apply(o->s->self, v);
}

// delta = v.M^-1 v, with z = M^-1 v. `square` is v.v; `rounded` tells that m->right is factor v already.
static double energy(problem *o, double square, const double *v, int rounded) {
  o->z_f = NULL;
  if (square < SQUARE_ZERO) {
    o->space->fill(o->n, 0.0, o->z);
    return 0.0;
  }
  if (!o->m->apply_f) {
    o->m->apply(o->m->self, v, o->z);
    return o->space->dot(o->n, v, o->z);
  }
  double size = square * o->factor * o->factor;
  if (!rounded || !(size < SQUARE_RANGE && size * SQUARE_RANGE > 1)) {
    o->factor = 1 / sqrt(square);
    o->space->to_float(o->n, o->factor, v, o->m->right);
  }
  o->z_f = o->m->apply_f(o->m->self);
  return o->space->dot_f(o->n, v, o->z_f) / o->factor;
}

// What is wrong with delta = r.M^-1 r, if anything. It may be zero only where r is.
static mus_status check_energy(double delta, double square, int iteration) {
  if (!isfinite(delta) || !isfinite(square))
    return mus_fail(MUS_BREAKDOWN,
                    "conjugate gradients broke down at iteration %d: the residual is not finite; look for NaN or "
                    "infinity in the right-hand side, the guess and the preconditioner",
                    iteration);
  if (delta < 0 || (delta == 0 && square >= SQUARE_ZERO))
    return mus_fail(MUS_BREAKDOWN,
                    "conjugate gradients broke down at iteration %d: r.M^-1 r = %g, so the preconditioner is not "
                    "positive definite",
                    iteration, delta);
  return MUS_OK;
}

static mus_status check_curvature(double curvature, double step, int iteration) {
  if (isfinite(curvature) && curvature > 0 && isfinite(step))
    return MUS_OK;
  return mus_fail(MUS_BREAKDOWN,
                  "conjugate gradients broke down at iteration %d: p.Ap = %g, so the matrix is not positive definite",
                  iteration, curvature);
}

// x += step p, and the next direction p = S(z + ratio p)
static void advance(const problem *o, double step, double ratio) {
  if (o->z_f)
    o->space->cg_advance_f(o->n, step, 1 / o->factor, o->z_f, ratio, o->x, o->p);
  else
    o->space->cg_advance(o->n, step, o->z, ratio, o->x, o->p);
  filter(o, o->p);
}

// q = S A p; returns p.q
static double multiply(const problem *o) {
  if (!o->s)
    return mus_operator_multiply_dot(o->a, o->p, o->q);
  mus_operator_multiply(o->a, o->p, o->q);
  filter(o, o->q);
  return o->space->dot(o->n, o->p, o->q);
}

// r -= step q, z = M^-1 r and delta = r.z. `square`, r.r, is replaced by the new one.
static double reduce(problem *o, double step, double *square) {
  if (!o->m->apply_f) {
    *square = o->space->cg_residual(o->n, step, o->q, o->r);
    return energy(o, *square, o->r, 0);
  }
  o->factor = 1 / sqrt(*square);
  *square = o->space->cg_residual_f(o->n, step, o->q, o->r, o->factor, o->m->right);
  return energy(o, *square, o->r, 1);
}

// --- the end ---------------------------------------------------------------------------------------------------------

// The norm after that many iterations. Errors are known later.
static void note_norm(const problem *o, int number, double delta, double square, mus_cg_result *result) {
  if (o->stop != MUS_STOP_ENERGY)
    result->residuals[number] = sqrt(o->stop == MUS_STOP_EUCLIDEAN ? square : delta);
}

static int is_done(const problem *o, double delta, const mus_cg_result *result) {
  if (o->stop == MUS_STOP_ENERGY)
    return delta == 0 || mus_estimate_is_below(&o->estimate, o->tolerance);
  return result->residuals[result->iterations] <= o->tolerance * result->reference;
}

// What is compared with what, where it was not known before.
static mus_status end(problem *o, mus_status status, mus_cg_result *result) {
  if (o->stop == MUS_STOP_ENERGY && o->estimate.term) {
    result->reference = mus_estimate_solution(&o->estimate);
    mus_estimate_end(&o->estimate);
  }
  return status;
}

static mus_status not_converged(const problem *o, const char *what, int limit, const mus_cg_result *result) {
  int energy = o->stop == MUS_STOP_ENERGY;
  return mus_fail(MUS_NOT_CONVERGED,
                  "%s did not converge: after %d iterations the %s is %.3g where %.3g was asked for; allow more "
                  "iterations or a larger tolerance, or use a stronger method",
                  what, limit, energy ? "error's energy norm" : "residual",
                  energy ? sqrt(o->estimate.square) : result->residuals[limit],
                  o->tolerance * (energy ? mus_estimate_solution(&o->estimate) : result->reference));
}

// --- conjugate gradients ---------------------------------------------------------------------------------------------

// How many more iterations are allowed.
static int extension(const problem *o, const mus_cg_result *result) {
  const mus_cg_options *options = o->options;
  if (!options->extend || o->stop == MUS_STOP_ENERGY)
    return 0;
  int more = options->extend(options->extender, result);
  return more > 0 ? more : 0;
}

// Iterates from x and its residual r until it is done. z = M^-1 r, delta = r.z and square = r.r on entry. *left is what
// x still lacks of the last step, along p. *limit grows where more iterations are allowed.
static mus_status iterate(problem *o, double delta, double square, int *limit, double *left, mus_cg_result *result) {
  double ratio = 0;
  o->space->fill(o->n, 0.0, o->p);
  while (!is_done(o, delta, result)) {
    int next = result->iterations + 1;
    if (next > *limit)
      *limit += extension(o, result);
    if (next > *limit)
      return not_converged(o, "conjugate gradients", *limit, result);
    mus_status status = mus_stop_check();
    if (status)
      return status;
    advance(o, *left, ratio);
    *left = 0;
    double curvature = multiply(o), step = delta / curvature, old_delta = delta;
    status = check_curvature(curvature, step, next);
    if (status)
      return status;
    *left = step;
    delta = reduce(o, step, &square);
    status = check_energy(delta, square, next);
    if (status)
      return status;
    ratio = delta / old_delta;
    if (o->stop == MUS_STOP_ENERGY)
      mus_estimate_add(&o->estimate, step * old_delta);
    note_norm(o, next, delta, square, result);
    result->iterations = next;
  }
  return MUS_OK;
}

static mus_status iterate_to(problem *o, double delta, double square, int *limit, mus_cg_result *result) {
  double left = 0;
  mus_status status = iterate(o, delta, square, limit, &left, result);
  if (left != 0)
    o->space->axpy(o->n, left, o->p, o->x);
  return status;
}

// r = S(b - A x); returns r.r
static double residual_of(problem *o, const double *b) {
  if (o->is_zero)
    o->space->copy(o->n, b, o->r);
  else
    mus_operator_residual(o->a, b, o->x, o->r);
  o->is_zero = 0;
  filter(o, o->r);
  return o->space->dot(o->n, o->r, o->r);
}

// The norm of the residual after that many iterations, r = S(b - A x), as residuals[number]; z = M^-1 r, square = r.r.
static mus_status residual_now(problem *o, const double *b, int number, double *delta, double *square,
                               mus_cg_result *result) {
  *square = residual_of(o, b);
  *delta = energy(o, *square, o->r, 0);
  mus_status status = check_energy(*delta, *square, number);
  if (!status)
    note_norm(o, number, *delta, *square, result);
  return status;
}

// The norm of a right-hand side, for comparison. z is overwritten.
static mus_status norm(problem *o, const double *v, double *out) {
  double square = o->space->dot(o->n, v, v), delta = energy(o, square, v, 0);
  mus_status status = check_energy(delta, square, 0);
  if (!status)
    *out = sqrt(delta);
  return status;
}

// The record of a problem whose right-hand side is zero: solved without looking.
static mus_status solved_by_zero(mus_cg_result *result) {
  result->residuals[0] = 0;
  return MUS_OK;
}

// What residuals are compared with, of a right-hand side v: its norm, and for the energy, whose scale is found on the
// way, something that is zero only where it is. z is overwritten.
static mus_status reference_of(problem *o, const double *v, double *out) {
  if (o->stop == MUS_STOP_INITIAL || o->stop == MUS_STOP_RHS)
    return norm(o, v, out);
  double square = o->space->dot(o->n, v, v);
  *out = square < SQUARE_ZERO ? 0 : sqrt(square);
  return check_energy(square, square, 0);
}

// After the first residual. `b` is the right-hand side that x without what is held belongs to; NULL: that is zero.
static void begin_estimate(problem *o, const double *b, mus_cg_result *result) {
  if (o->stop != MUS_STOP_ENERGY)
    return;
  // ||x||^2 - ||x - x_0||^2 = x_0.(b + r_0)
  double before = b ? o->space->dot(o->n, o->x, b) + o->space->dot(o->n, o->x, o->r) : 0;
  mus_estimate_begin(&o->estimate, result->residuals, before);
}

// The first residual, and what norms are compared with: 0 where the solution is x = 0, which is then put there.
static mus_status start(problem *o, const double *b, double *delta, double *square, mus_cg_result *result) {
  o->is_zero = o->space->max_abs(o->n, o->x) == 0;
  int separate = o->stop != MUS_STOP_INITIAL && !o->is_zero;
  if (separate) {
    mus_status status = reference_of(o, b, &result->reference);
    if (status)
      return status;
    if (result->reference == 0) {
      o->space->fill(o->n, 0.0, o->x);
      return solved_by_zero(result);
    }
  }
  mus_status status = residual_now(o, b, 0, delta, square, result);
  if (status)
    return status;
  begin_estimate(o, separate ? b : NULL, result);
  if (!separate)
    result->reference = o->stop == MUS_STOP_ENERGY ? sqrt(*delta) : result->residuals[0];
  return result->reference == 0 ? solved_by_zero(result) : MUS_OK;
}

// Rounding takes the residual that is carried along away from b - A x. Where the Euclidean norm of the latter is asked
// for it is looked at, and iterations go on from there as long as that halves it.
static mus_status iterate_to_residual(problem *o, const double *b, double delta, double square, int limit,
                                      mus_cg_result *result) {
  for (double before = HUGE_VAL;;) {
    mus_status status = iterate_to(o, delta, square, &limit, result);
    if (status || o->stop != MUS_STOP_EUCLIDEAN || result->iterations == 0)
      return end(o, status, result);
    int last = result->iterations;
    square = residual_of(o, b);
    note_norm(o, last, 0, square, result);
    if (is_done(o, 0, result))
      return MUS_OK;
    if (!(result->residuals[last] < before / 2))
      return mus_fail(MUS_NOT_CONVERGED,
                      "conjugate gradients did not converge: after %d iterations rounding keeps the residual at %.3g "
                      "where %.3g was asked for; ask for less",
                      last, result->residuals[last], o->tolerance * result->reference);
    before = result->residuals[last];
    delta = energy(o, square, o->r, 0);
    status = check_energy(delta, square, last);
    if (status)
      return status;
  }
}

// S z becomes a vector of those that the solution is projected onto.
static void put_direction(problem *o, const mus_recycle *recycle) {
  int count = recycle->most + 1, lane = mus_recycle_lane(recycle);
  if (o->z_f && !o->s) {
    mus_lanes_put_f(o->n, count, lane, o->z_f, recycle->v);
    return;
  }
  o->space->fill(o->n, 0.0, o->p);
  advance(o, 0, 0);
  double square = o->space->dot(o->n, o->p, o->p); // single precision may have no room for it as it is
  mus_lanes_put(o->n, count, lane, square > 0 ? 1 / sqrt(square) : 0, o->p, recycle->v);
}

// The first iteration, from the guess to the best that earlier solutions and z span.
static mus_status project(problem *o, const mus_recycle *recycle, const double *b, double *delta, double *square,
                          mus_cg_result *result) {
  put_direction(o, recycle);
  double gain = mus_recycle_project(recycle, o->a, o->r, o->x);
  if (gain == 0)
    return MUS_OK;
  filter(o, o->x);
  mus_status status = residual_now(o, b, 1, delta, square, result);
  if (status)
    return status;
  if (o->stop == MUS_STOP_ENERGY)
    mus_estimate_add(&o->estimate, gain);
  result->iterations = 1;
  result->is_projected = 1;
  return MUS_OK;
}

mus_status mus_pcg_recycled(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m,
                            const mus_recycle *recycle, const double *b, double *x, const mus_cg_options *options,
                            double *work, mus_cg_result *result) {
  problem o = make_problem(a, s, m, x, options, work, result);
  double delta, square;
  mus_status status = start(&o, b, &delta, &square, result);
  if (status || result->reference == 0)
    return status;
  if (recycle && a->gram && options->iterations > 0 && !is_done(&o, delta, result)) {
    status = project(&o, recycle, b, &delta, &square, result);
    if (status)
      return end(&o, status, result);
  }
  return iterate_to_residual(&o, b, delta, square, options->iterations, result);
}

mus_status mus_pcg(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, const double *b,
                   double *x, const mus_cg_options *options, double *work, mus_cg_result *result) {
  return mus_pcg_recycled(a, s, m, NULL, b, x, options, work, result);
}

// --- without conjugate gradients ------------------------------------------------------------------------------------

// Chebyshev's semi-iterative method: the part of the spectrum that is damped, and the recurrence since it last changed.
typedef struct semi_iteration {
  double low, high;
  double omega, gamma, rho;
  int count;     // iterations since then
  double length; // of the last step along p
} semi_iteration;

// Iterations after which it is asked whether `low` is low enough, by the second half of them.
enum { WINDOW = 24 };
static const double first_range = 30; // high / low

static void restart(semi_iteration *c, double low) {
  double sum = c->high + low;
  *c = (semi_iteration){.low = low, .high = c->high, .omega = 1, .gamma = 2 / sum, .rho = (c->high - low) / sum};
}

// Iterations at `rate` each are due to an error at an eigenvalue below `low`, which shrinks as
// T_k((d - lambda) / c) / T_k(d / c), d = (high + low) / 2, c = (high - low) / 2: that eigenvalue.
static double eigenvalue_at_rate(const semi_iteration *c, double rate) {
  double middle = (c->high + c->low) / 2, half = (c->high - c->low) / 2;
  double exponent = acosh(middle / half) + log(rate);
  return exponent > 0 ? middle - half * cosh(exponent) : c->low;
}

// p becomes the direction of the next step, of which x takes c->length.
static void accelerate(problem *o, semi_iteration *c) {
  double before = c->omega;
  c->omega = c->count == 0 ? 1 : c->count == 1 ? 2 / (2 - c->rho * c->rho) : 4 / (4 - c->rho * c->rho * before);
  double length = c->omega * c->gamma;
  filter(o, o->z);
  o->space->xpay(o->n, o->z, c->count == 0 ? 0 : (c->omega - 1) * c->length / length, o->p);
  c->length = length;
  ++c->count;
}

// Lowers `low` where the last half of a window of iterations has been slower than it promises.
static void adapt(semi_iteration *c, double now, double before) {
  if (c->count < WINDOW || c->count % WINDOW != 0 || !(before > 0))
    return;
  double rate = pow(now / before, 2.0 / WINDOW);
  double found = rate < 1 ? eigenvalue_at_rate(c, rate) : c->low / 2;
  if (found < 0.7 * c->low)
    restart(c, fmax(found, c->low / 16));
}

// Steps along S z as they are or, with a semi-iteration, accelerated. `name` is for the error text.
static mus_status step_to(problem *o, const double *b, semi_iteration *c, const char *name,
                          const mus_cg_options *options, mus_cg_result *result) {
  double delta, square;
  mus_status status = start(o, b, &delta, &square, result);
  if (status || result->reference == 0)
    return status;
  double norm[WINDOW / 2 + 1]; // the latest, by which it adapts
  norm[0] = sqrt(delta);
  while (!status && !is_done(o, delta, result)) {
    int next = result->iterations + 1;
    if (next > options->iterations) {
      status = not_converged(o, name, options->iterations, result);
      break;
    }
    status = mus_stop_check();
    if (status)
      break;
    if (c)
      accelerate(o, c);
    else
      advance(o, 0, 0); // p = S z
    double length = c ? c->length : 1;
    o->space->axpy(o->n, length, o->p, o->x);
    double term = o->stop == MUS_STOP_ENERGY ? o->space->dot(o->n, o->p, o->r) : 0;
    status = residual_now(o, b, next, &delta, &square, result);
    if (status)
      break;
    if (o->stop == MUS_STOP_ENERGY) // (s.r before + s.r after) for a step s
      mus_estimate_add(&o->estimate, length * (term + o->space->dot(o->n, o->p, o->r)));
    result->iterations = next;
    norm[next % (WINDOW / 2 + 1)] = sqrt(delta);
    if (c)
      adapt(c, sqrt(delta), norm[(next + 1) % (WINDOW / 2 + 1)]);
  }
  return end(o, status, result);
}

mus_status mus_stationary(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, const double *b,
                          double *x, const mus_cg_options *options, double *work, mus_cg_result *result) {
  problem o = make_problem(a, s, m, x, options, work, result);
  o.space->fill(o.n, 0.0, o.p); // `advance` multiplies what was there by zero
  return step_to(&o, b, NULL, "cycles", options, result);
}

mus_status mus_semi_iterative(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, double high,
                              const double *b, double *x, const mus_cg_options *options, double *work,
                              mus_cg_result *result) {
  problem o = make_problem(a, s, m, x, options, work, result);
  semi_iteration c = {.high = high};
  restart(&c, high / first_range);
  o.space->fill(o.n, 0.0, o.p);
  return step_to(&o, b, &c, "the semi-iterative method", options, result);
}

// --- filtered ------------------------------------------------------------------------------------------------------

// Puts x at S y + (I - S) z and finds the reference ||S(b - A(I - S)z)||. *separate becomes 0 when S y = 0: the first
// residual is the reference then, and nothing is computed twice.
static mus_status start_corrected(problem *o, const double *b, int *separate, double *reference) {
  o->space->copy(o->n, o->x, o->p);
  filter(o, o->p);
  *separate = o->space->max_abs(o->n, o->p) != 0;
  o->s->impose(o->s->self, o->x);
  if (!*separate)
    return MUS_OK;
  o->s->target(o->s->self, o->p);
  mus_operator_residual(o->a, b, o->p, o->q);
  filter(o, o->q);
  return reference_of(o, o->q, reference);
}

// Puts x at (I - S) z and finds the reference ||S b||.
static mus_status start_original(problem *o, const double *b, double *reference) {
  o->s->target(o->s->self, o->x);
  o->space->copy(o->n, b, o->q);
  filter(o, o->q);
  return reference_of(o, o->q, reference);
}

mus_status mus_mpcg(const mus_operator *a, const mus_projection *s, const mus_preconditioner *m, int original,
                    const double *b, double *x, const mus_cg_options *options, double *work, mus_cg_result *result) {
  problem o = make_problem(a, s, m, x, options, work, result);
  int separate = 1;
  mus_status status =
      original ? start_original(&o, b, &result->reference) : start_corrected(&o, b, &separate, &result->reference);
  if (status)
    return status;
  if (!original && separate && result->reference == 0) {
    s->target(s->self, x);
    return solved_by_zero(result);
  }
  double delta, square;
  status = residual_now(&o, b, 0, &delta, &square, result);
  if (status)
    return status;
  begin_estimate(&o, original || !separate ? NULL : o.q, result);
  if (!separate || result->reference == 0)
    result->reference = o.stop == MUS_STOP_ENERGY ? sqrt(delta) : result->residuals[0];
  if (result->reference == 0)
    return solved_by_zero(result);
  return iterate_to_residual(&o, b, delta, square, options->iterations, result);
}
