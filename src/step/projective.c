// Implicit Euler by Projective Dynamics (Bouaziz and others 2014), as the quasi-Newton method that it is (Liu, Bouaziz
// and Kavan 2017): iterations for
//   r(v') = H f(X + H v', v') - M (v' - V) = 0
// as Newton's method makes them, but with the constant matrix A of step/constant.h, A d = r, which is never below the
// second derivative of the step's energy, damping aside, for springs and co-rotated solids: no iteration can raise
// that, and none needs a line search. Of triangles and hinges it is a bound near rest only, so that iterations are
// shortened until they lower the step's energy (step/objective.h). Projections, the local step, are what r is made of;
// d is the global step. Damping is a potential of the step (energy/element.h), which has A's weights too.
//
// What is prescribed is done before the first iteration, exactly, and left alone from then on: in those directions r
// and d are zero, and A is stiff, so that the rest of d does not count on them.
//
// The global step is one V-cycle of affine handles (multigrid/skinning/affine.h), or several, or Cholesky's method. A
// symmetric cycle is never above A^-1, so that an inexact global step does not raise the energy either. What cycles
// leave of the mean of each connected part is taken out at last, so that momentum is kept however few there are.
//
// Iterations converge slowly where A is far stiffer than the energy: turning as a whole costs nothing, but A resists
// it. Secants of the step's own corrections (secants.h) make up for that. The last iteration goes without: nothing
// looks at where it leads, and without them it cannot lead uphill.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "multigrid/skinning/affine.h"
#include "par/vector.h"
#include "step/connected.h"
#include "step/constant.h"
#include "step/linearised.h"
#include "step/objective.h"
#include "step/projective_there.h"
#include "step/secants.h"

typedef struct projective {
  mus_arena arena;
  size_t unknowns;
  mus_constant_matrix constant;
  mus_solver_options options; // that the following were made with
  mus_affine *levels;         // NULL: not made yet, or the global step is exact
  mus_shared_factor *factor;  // the same the other way round
  double *free_right, *left;  // unknowns: r where nothing is prescribed; that less A d
  mus_secants secants;        // of this step's corrections
  double *turned;             // unknowns: the right-hand side that they make of r; NULL without
  int parts;                  // connected ones
  int *part;                  // vertices
  double *sums;               // parts * 12: of A over a part, 3x3, and of `left`
} projective;

// --- life ------------------------------------------------------------------------------------------------------------

static void destroy(void *own) {
  projective *p = own;
  mus_constant_free(&p->constant);
  mus_affine_free(p->levels);
  mus_shared_factor_free(p->factor);
  mus_arena_clear(&p->arena);
  mus_free(p);
}

// Room for secants, if the scene wants them.
static mus_status make_secants(const mus_scene *scene, projective *p) {
  int most = scene->projective_iterations > 1 ? scene->projective_memory : 0;
  if (most == 0)
    return MUS_OK;
  p->turned = mus_arena_alloc_zero(&p->arena, p->unknowns, sizeof *p->turned);
  return p->turned ? mus_secants_create(&p->arena, p->unknowns, most, &p->secants) : mus_fail_memory();
}

static mus_status create(const mus_model *model, void **own) {
  mus_status status = mus_constant_check(model, "\"integrator\": \"projective\"");
  projective *p = status ? NULL : mus_alloc_zero(1, sizeof *p);
  if (!p)
    return status ? status : mus_fail_memory();
  p->unknowns = 3 * (size_t)model->vertices;
  p->free_right = mus_arena_alloc_zero(&p->arena, p->unknowns, sizeof *p->free_right);
  p->left = mus_arena_alloc_zero(&p->arena, p->unknowns, sizeof *p->left);
  status = p->free_right && p->left ? mus_constant_create(model, &p->constant) : mus_fail_memory();
  if (!status)
    status = mus_connected_parts(&model->pattern, &p->arena, &p->parts, &p->part);
  if (!status && !(p->sums = mus_arena_alloc(&p->arena, 12 * (size_t)p->parts, sizeof *p->sums)))
    status = mus_fail_memory();
  if (!status)
    status = make_secants(model->scene, p);
  if (status)
    destroy(p);
  else
    *own = p;
  return status;
}

static size_t bytes(const void *own) {
  const projective *p = own;
  return sizeof *p + p->arena.bytes + mus_constant_bytes(&p->constant) + (p->levels ? mus_affine_bytes(p->levels) : 0) +
         (p->factor ? mus_shared_factor_bytes(p->factor) : 0);
}

static void multiply(const void *own, const double *x, double *y) {
  mus_shared_multiply(&((const projective *)own)->constant.matrix, x, y);
}

// --- the matrix ------------------------------------------------------------------------------------------------------

// Levels or a factor, as the settings want it. `made` becomes 1 if they are new.
static mus_status make_solver(const mus_step_context *c, projective *p, int *made) {
  const mus_solver_options *o = &c->settings->solver;
  *made = (!p->levels && !p->factor) || memcmp(o, &p->options, sizeof *o) != 0;
  if (!*made)
    return MUS_OK;
  mus_affine_free(p->levels);
  mus_shared_factor_free(p->factor);
  p->levels = NULL;
  p->factor = NULL;
  p->options = *o;
  return o->method == MUS_METHOD_CHOLMOD ? mus_shared_factor_create(&c->model->pattern, &p->factor)
                                         : mus_affine_create(&c->model->pattern, c->model->start, o, &p->levels);
}

static mus_status set_up(const mus_step_context *c, projective *p, const mus_scheme *s, mus_step_record *record) {
  double begin = mus_seconds();
  mus_constant_change changed = {0};
  int made = 0;
  mus_status status =
      mus_constant_update(&p->constant, c, s, MUS_CONSTANT_DRAG | MUS_CONSTANT_FIND | MUS_CONSTANT_TOUCH, &changed);
  if (!status)
    status = make_solver(c, p, &made);
  if (!status && p->factor && (made || changed.weights || changed.blocks))
    status = mus_shared_factor_compute(p->factor, &p->constant.matrix);
  else if (!status && p->levels && (made || changed.weights))
    status = mus_affine_set(p->levels, &p->constant.matrix);
  else if (!status && p->levels && changed.blocks)
    status = mus_affine_set_blocks(p->levels, &p->constant.matrix);
  if (status)
    mus_constant_forget(&p->constant); // whatever there is of it now
  record->setup_seconds += mus_seconds() - begin;
  return status;
}

// --- iterations ------------------------------------------------------------------------------------------------------

// r at the present iterate, in `right`, and without what is prescribed in `free_right`.
static void assemble_iterate(const mus_step_context *c, projective *p, const mus_scheme *s, mus_step_record *record) {
  double begin = mus_seconds();
  mus_objective_assemble(c, s, 0);
  mus_copy(p->unknowns, c->work->right, p->free_right);
  mus_prescribed_clear(&c->work->prescribed, p->free_right);
  record->assemble_seconds += mus_seconds() - begin;
}

// `left` = r - A d in all directions that are free.
static void find_left(const mus_step_context *c, projective *p) {
  mus_shared_multiply(&p->constant.matrix, c->work->change, p->left);
  mus_xpay(p->unknowns, p->free_right, -1, p->left);
}

// Moves each part as a whole so that nothing is left of the sum over it: the rows of L sum up to its masses.
static void move_parts(const mus_step_context *c, projective *p) {
  const double *mass = c->model->mass;
  int vertices = c->model->vertices;
  mus_connected_sums(vertices, p->parts, p->part, mass, &p->constant.matrix, p->left, p->sums);
  for (int k = 0; k < p->parts; ++k) {
    double *sum = p->sums + 12 * (size_t)k, way[3];
    mus_connected_solve(sum, sum + 9, way);
    memcpy(sum + 9, way, sizeof way);
  }
  for (int i = 0; i < vertices; ++i) {
    const double *way = p->sums + 12 * (size_t)p->part[i] + 9;
    mus_add_scaled3(1, way, c->work->change + 3 * (size_t)i);
    mus_add_scaled3(-mass[i], way, p->left + 3 * (size_t)i);
  }
  for (int n = 0; n < p->constant.matrix.count; ++n) {
    size_t i = (size_t)p->constant.matrix.block[n].node;
    const double *way = p->sums + 12 * (size_t)p->part[i] + 9, *block = p->constant.matrix.block[n].value;
    for (size_t e = 0; e < 3; ++e)
      p->left[3 * i + e] -= mus_dot3(block + 3 * e, way);
  }
}

// d for the right-hand side `right`.
static mus_status solve_for(const mus_step_context *c, projective *p, const double *right, mus_step_record *record) {
  double *change = c->work->change;
  if (p->factor) {
    ++record->iterations;
    return mus_shared_factor_solve(p->factor, right, change);
  }
  for (int cycle = 0; cycle < c->settings->projective_cycles; ++cycle, ++record->iterations) {
    if (cycle > 0) {
      mus_shared_multiply(&p->constant.matrix, change, p->left);
      mus_xpay(p->unknowns, right, -1, p->left);
    }
    mus_affine_cycle(p->levels, cycle > 0 ? p->left : right, cycle > 0 ? p->left : change);
    if (cycle > 0)
      mus_axpy(p->unknowns, 1, p->left, change);
  }
  return MUS_OK;
}

// The global step; `bent`: with what secants say.
static mus_status solve(const mus_step_context *c, projective *p, int bent, mus_step_record *record) {
  double begin = mus_seconds(), *change = c->work->change;
  if (bent)
    mus_secants_down(&p->secants, p->free_right, p->turned);
  mus_status status = solve_for(c, p, bent ? p->turned : p->free_right, record);
  if (bent)
    mus_secants_up(&p->secants, change);
  find_left(c, p);
  if (p->levels || bent)
    move_parts(c, p);
  mus_prescribed_clear(&c->work->prescribed, change);
  record->solve_seconds += mus_seconds() - begin;
  return status;
}

// v' += part d, and where that leads.
static void go(const mus_step_context *c, const mus_scheme *s, double part) {
  mus_axpy(c->work->unknowns, part, c->work->change, c->state->velocity);
  mus_scheme_move(s, c->work->unknowns, c->work->predicted, c->state->velocity, c->state->position);
}

// Damping of what is drawn far out, drag and extreme stretch are not below A, nor is all that secants make of it: where
// the last correction went beyond the lowest point along it, as r there tells, part of it is taken back. Returns what
// is left of it.
static double take_back(const mus_step_context *c, projective *p, const mus_scheme *s, double downhill,
                        mus_step_record *record) {
  enum { TRIALS = 8 };
  double part = 1;
  for (int trial = 0; trial < TRIALS; ++trial) {
    double slope = mus_dot(p->unknowns, p->free_right, c->work->change);
    if (slope >= -downhill / 2)
      return part;
    double less = part * fmin(0.9, fmax(0.1, downhill / (downhill - slope)));
    go(c, s, less - part);
    part = less;
    assemble_iterate(c, p, s, record);
  }
  return part;
}

// Where A is no bound, as much of the correction as it takes to get below `energy`, which becomes that of the place.
// What is too little to tell counts as lower. Returns the part that was gone; `change` becomes that part of it.
static double descend(const mus_step_context *c, const mus_scheme *s, double downhill, double *energy,
                      mus_step_record *record) {
  enum { TRIALS = 20 };
  double begin = mus_seconds(), part = 1, now = mus_objective(c, s), rounding = 1e-13 * fabs(*energy);
  for (int trial = 0; trial < TRIALS && !(now <= *energy - 1e-4 * part * downhill + rounding); ++trial) {
    double bend = now - *energy + part * downhill; // the parabola's lowest point, within bounds
    double less = part * (bend > 0 ? fmin(0.5, fmax(0.1, part * downhill / (2 * bend))) : 0.1);
    go(c, s, less - part);
    part = less;
    now = mus_objective(c, s);
  }
  *energy = now;
  mus_scale(c->work->unknowns, part, c->work->change);
  record->assemble_seconds += mus_seconds() - begin;
  return part;
}

// `before` becomes the size of r before the last iteration.
static mus_status iterate(const mus_step_context *c, projective *p, const mus_scheme *s, double *before,
                          mus_step_record *record) {
  double downhill = 0, part = 1, energy = p->constant.bounded ? 0 : mus_objective(c, s);
  mus_secants_clear(&p->secants);
  for (int k = 0, done = 0; k < c->settings->projective_iterations && !done; ++k) {
    mus_status status = mus_stop_check();
    if (status)
      return status;
    assemble_iterate(c, p, s, record);
    if (k > 0 && p->constant.bounded)
      part = take_back(c, p, s, downhill, record);
    if (k > 0 && p->turned)
      mus_secants_note(&p->secants, part, c->work->change, p->free_right);
    status = solve(c, p, p->turned && k + 1 < c->settings->projective_iterations, record);
    if (status)
      return status;
    downhill = mus_dot(p->unknowns, p->free_right, c->work->change);
    go(c, s, 1);
    if (!p->constant.bounded && descend(c, s, downhill, &energy, record) < 1)
      find_left(c, p);
    ++record->newton_iterations;
    done = mus_max_abs(p->unknowns, c->work->change) <= c->settings->projective_tolerance;
  }
  *before = sqrt(mus_dot(p->unknowns, p->free_right, p->free_right));
  return MUS_OK;
}

static mus_status advance(const mus_step_context *c, void *own, const mus_scheme *s, mus_step_record *record) {
  projective *p = own;
  mus_workspace *work = c->work;
  mus_status status = set_up(c, p, s, record);
  if (status)
    return status;
  mus_prescribed_go(&work->prescribed, c->state->velocity);
  mus_prescribe_rest(&work->prescribed);
  mus_scheme_move(s, work->unknowns, work->predicted, c->state->velocity, c->state->position);
  double before = 0;
  status = iterate(c, p, s, &before, record);
  if (status)
    return status;
  if (work->prescribed.count > 0) // what the solution did there has been cleared
    find_left(c, p);
  mus_axpy(p->unknowns, -1, p->free_right, p->left); // - A d
  mus_axpy(p->unknowns, 1, work->right, p->left);    // r - A d, where something is prescribed too
  if (c->contact)
    mus_contact_measure_left(c->contact, p->left, c->state->velocity);
  if (c->touch) {
    mus_touch_measure(s->length, c->state->velocity, c->touch);
    record->body_contacts = c->touch->count;
  }
  mus_prescribed_clear(&work->prescribed, p->left);
  record->residual = before > 0 ? sqrt(mus_dot(p->unknowns, p->left, p->left)) / before : 0;
  return MUS_OK;
}

mus_status mus_projective_catch_up(const mus_step_context *c, void *own, const mus_scheme *s) {
  projective *p = own;
  mus_constant_change changed;
  mus_status status = mus_constant_update(&p->constant, c, s, MUS_CONSTANT_DRAG | MUS_CONSTANT_TOUCH, &changed);
  mus_constant_forget(&p->constant);
  return status;
}

const mus_integrator_kind mus_integrator_projective = {
    .order = 1, .create = create, .free = destroy, .bytes = bytes, .advance = advance, .multiply = multiply};
