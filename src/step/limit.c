// Strain limits. See limit.h.
#include "step/limit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "par/par.h"
#include "par/vector.h"

// Rounds at most, and of those that hardly help in a row.
enum { ROUNDS = 12, STALLED = 3 };
// Of all triangles with limits: where no more than this part is beyond them, each is brought back by itself.
static const double few = 0.05;
// Cloth of so many triangles can afford systems of equations for any of them.
static const double small = 2000;
// Beyond a limit by so much of it counts as within; a round that leaves more than this part of the worst has stalled.
static const double tolerance = MUS_LIMIT_SLACK / 2, progress = 0.8;
// s in which what was beyond its limit at the start of a step falls to 1/e.
static const double recovery = 0.01;
// In limits: how soon threads are felt in the end.
static const double least_softness = 0.1;
// m/s: what is brought back in a short step is not to fly on as fast as that takes.
static const double fastest = 2;
// In masses of a cloth over H^2.
static const double relative_stiffness = 100;

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status fill(mus_limiter *l, const mus_model *model) {
  size_t unknowns = 3 * (size_t)model->vertices;
  double **vectors[] = {&l->goal, &l->gradient, &l->change, &l->pushed, &l->best[0], &l->best[1]};
  for (int k = 0; k < 6; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(&l->arena, unknowns, sizeof(double))))
      return mus_fail_memory();
  l->reach = mus_arena_alloc(&l->arena, 2 * model->limited, sizeof *l->reach);
  l->length = mus_arena_alloc(&l->arena, 2 * model->limited, sizeof *l->length);
  l->stiffness = mus_arena_alloc(&l->arena, (size_t)model->list_count, sizeof *l->stiffness);
  l->held.list = mus_arena_alloc(&l->arena, (size_t)model->vertices, sizeof *l->held.list);
  l->place = mus_arena_alloc(&l->arena, (size_t)model->vertices, sizeof *l->place);
  l->mass = mus_arena_alloc(&l->arena, (size_t)model->vertices, sizeof *l->mass);
  l->marked = mus_arena_alloc(&l->arena, (size_t)model->vertices, 1);
  return l->marked && l->place && l->mass && l->reach && l->length && l->stiffness && l->held.list ? MUS_OK
                                                                                                   : mus_fail_memory();
}

static mus_status make(const mus_step_context *c) {
  if (*c->limiter)
    return MUS_OK;
  mus_limiter *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  mus_status status = fill(made, c->model);
  if (status)
    mus_limiter_free(made);
  else
    *c->limiter = made;
  return status;
}

void mus_limiter_free(mus_limiter *limiter) {
  if (!limiter)
    return;
  mus_linear_free(&limiter->linear);
  mus_arena_clear(&limiter->arena);
  mus_free(limiter);
}

size_t mus_limiter_bytes(const mus_limiter *limiter) {
  if (!limiter)
    return 0;
  return sizeof *limiter + limiter->arena.bytes + (limiter->linear.solver ? mus_linear_bytes(&limiter->linear) : 0);
}

void mus_limiter_forget(mus_limiter *limiter) {
  if (!limiter)
    return;
  mus_linear_free(&limiter->linear);
  limiter->linear = (mus_linear){0};
}

// The matrix changes its character from step to step, as different parts of cloth are beyond their limits, so that
// levels made for another one are of no use.
static mus_status make_solver(const mus_step_context *c, mus_limiter *l) {
  mus_solver_options options = c->settings->solver;
  options.setup = MUS_SETUP_FULL;
  options.tolerance = 1e-4;
  return l->linear.solver ? MUS_OK : mus_linear_renew(&l->linear, c->model, &options);
}

// --- limits ----------------------------------------------------------------------------------------------------------

// Lengths at these positions.
void mus_limit_measure(const mus_model *model, const double *position, double *length) {
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    if (!list->kind->limit)
      continue;
    const double free[2] = {INFINITY, INFINITY};
    const double *from = position + 3 * (size_t)list->first_vertex;
    MUS_PARALLEL_FOR_IF(list->count > MUS_PAR_MINIMUM)
    for (int t = 0; t < list->count; ++t) {
      mus_limiting one = {.position = from, .reach = free, .length = length + 2 * (size_t)t};
      list->kind->limit(list, t, 1, &one);
    }
    length += 2 * (size_t)list->count;
  }
}

// What threads may get to in this step, from their lengths at its start; nothing is held back yet.
static void set_reach(const mus_model *model, double h, mus_limiter *l) {
  double left = exp(-h / recovery);
  l->least = INFINITY;
  size_t at = 0;
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    if (!list->kind->limit)
      continue;
    for (int t = 0; t < list->count; ++t)
      for (int d = 0; d < 2; ++d, ++at) {
        double most = 1 + list->limit[d];
        if (list->limit[d] > 0)
          l->least = fmin(l->least, list->limit[d]);
        l->reach[at] = list->limit[d] > 0 ? most + left * fmax(0, l->length[at] - most) : INFINITY;
      }
  }
}

// How far threads are beyond their reach: the worst, in limits, and how many triangles are by more than is tolerated.
typedef struct tally {
  double worst;
  size_t count;
} tally;

static tally count_beyond(const mus_model *model, const mus_limiter *l) {
  tally sum = {0};
  size_t at = 0;
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    for (int t = 0; list->kind->limit && t < list->count; ++t, at += 2) {
      double beyond = fmax(mus_limit_beyond(list, l, at, 0), mus_limit_beyond(list, l, at, 1));
      sum.worst = fmax(sum.worst, beyond);
      sum.count += beyond > tolerance;
    }
  }
  return sum;
}

// Whether they are too many to be brought back one after the other.
static int are_many(const mus_model *model, size_t count) {
  return count > 0 && (double)count > few * fmax((double)model->limited - small, 0);
}

// --- a round ---------------------------------------------------------------------------------------------------------

typedef struct projection {
  const mus_model *model;
  mus_limiter *l;
  const double *position;
  double length; // H
} projection;

static void evaluate(const void *context, int number, int first, int count, double *gradient, double *block) {
  enum { RUN = 64 };
  const projection *p = context;
  const mus_element_list *list = &p->model->lists[number].elements;
  const mus_element_kind *kind = list->kind;
  size_t vector = 3 * (size_t)kind->arity, blocks = 9 * (size_t)mus_tuple_blocks(kind->arity);
  if (kind->rank_one)
    blocks = vector;
  if (!kind->limit) {
    memset(gradient, 0, (size_t)count * vector * sizeof *gradient);
    if (block)
      memset(block, 0, (size_t)count * blocks * sizeof *block);
    return;
  }
  size_t at = 0;
  for (int k = 0; k < number; ++k)
    at += p->model->lists[k].elements.kind->limit ? 2 * (size_t)p->model->lists[k].elements.count : 0;
  for (int done = 0; done < count; done += RUN) {
    int run = count - done < RUN ? count - done : RUN;
    size_t from = at + 2 * (size_t)(first + done);
    mus_limiting task = {.position = p->position + 3 * (size_t)list->first_vertex,
                         .reach = p->l->reach + from,
                         .softness = p->l->softness,
                         .stiffness = p->l->stiffness[number],
                         .length = p->l->length + from,
                         .gradient = gradient + (size_t)done * vector,
                         .block = block ? block + (size_t)done * blocks : NULL};
    kind->limit(list, first + done, run, &task);
  }
}

// The gradient at `position`, with the matrix where it is wanted, and all lengths.
static void assemble(const mus_step_context *c, mus_limiter *l, double length, mus_matrix *matrix) {
  const mus_model *model = c->model;
  const double *y = c->state->position;
  projection p = {model, l, y, length};
  mus_scatter_run(model->scatter, evaluate, &p, matrix, l->gradient);
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < model->vertices; ++i) {
    double weight = model->mass[i] / (length * length);
    for (int k = 3 * i; k < 3 * i + 3; ++k) {
      l->gradient[k] += weight * (y[k] - l->goal[k]);
      if (matrix)
        mus_matrix_at(matrix, model->diagonal[i])[4 * (k - 3 * i)] += weight;
    }
  }
  mus_seams_reduce(&c->work->seams, model, matrix, l->gradient);
  mus_prescribed_clear(&l->held, l->gradient);
}

// Goes along `change`, or as far as it leads downhill. The gradient is that of where it ends.
static double go(const mus_step_context *c, mus_limiter *l, double length) {
  enum { TRIALS = 8 };
  size_t n = c->work->unknowns;
  double *y = c->state->position, part = 1, downhill = -mus_dot(n, l->gradient, l->change);
  mus_axpy(n, 1, l->change, y);
  for (int trial = 0; trial < TRIALS; ++trial) {
    assemble(c, l, length, NULL);
    double slope = mus_dot(n, l->gradient, l->change);
    if (slope <= downhill / 2)
      return part;
    double next = part * fmin(0.9, fmax(0.1, downhill / (downhill + slope)));
    mus_axpy(n, next - part, l->change, y);
    part = next;
  }
  assemble(c, l, length, NULL);
  return part;
}

// One linear system. What a solver that ends early has reached leads downhill as well.
static mus_status solve(const mus_step_context *c, mus_limiter *l, double length, mus_step_record *record) {
  mus_step_record own = {0};
  mus_linear_system system = {
      .right = l->gradient, .position = c->state->position, .prescribed = &l->held, .seams = &c->work->seams};
  assemble(c, l, length, &l->linear.matrix);
  mus_scale(c->work->unknowns, -1, l->gradient);
  mus_status status = mus_linear_run(&l->linear, &system, l->change, &own);
  mus_scale(c->work->unknowns, -1, l->gradient);
  ++record->limit_rounds;
  return status == MUS_NOT_CONVERGED ? MUS_OK : status;
}

// --- what stays ------------------------------------------------------------------------------------------------------

// Where response has moved vertices since `before`, along these ways.
static void keep_response(const mus_step_context *c, const double *before, mus_limiter *l) {
  if (!before)
    mus_fill(c->work->unknowns, 0, l->pushed);
  for (size_t i = 0; before && i < c->work->unknowns; i += 3) {
    double way[3], unit[3];
    mus_subtract3(c->state->position + i, before + i, way);
    if (mus_unit3(way, unit) > 0)
      memcpy(l->pushed + i, unit, sizeof unit);
  }
}

static int was_pushed(const mus_limiter *l, int vertex) {
  const double *way = l->pushed + 3 * (size_t)vertex;
  return way[0] != 0 || way[1] != 0 || way[2] != 0;
}

// Pins; vertices on bodies, along the normal, for friction holds no more than it can, and threads that cannot get
// longer pull as strongly as they must; and vertices that response has moved, along their way. The latter come last.
static void hold(const mus_step_context *c, mus_limiter *l) {
  const mus_prescribed *prescribed = &c->work->prescribed;
  mus_prescribed *held = &l->held;
  held->count = held->pins = prescribed->pins;
  for (int k = 0; k < prescribed->pins; ++k)
    held->list[k] = prescribed->list[k];
  if (c->contact && mus_map_is_identity(&c->contact->model.map))
    for (size_t k = 0; k < c->contact->holds.held.count; ++k) {
      const mus_held *on = &mus_held_vertices(&c->contact->holds)[k];
      mus_constraint normal = {.node = on->vertex, .count = 1};
      memcpy(normal.direction[0], on->normal, sizeof on->normal);
      if (prescribed->pinned[on->vertex] < 0 && !was_pushed(l, on->vertex))
        held->list[held->count++] = normal;
    }
  l->steady = held->count;
  for (int i = 0; i < c->model->vertices; ++i) {
    mus_constraint pushed = {.node = i, .count = 1};
    memcpy(pushed.direction[0], l->pushed + 3 * (size_t)i, sizeof pushed.direction[0]);
    if (was_pushed(l, i) && prescribed->pinned[i] < 0)
      held->list[held->count++] = pushed;
  }
  mus_prescribe_rest(held);
}

static void set_stiffness(const mus_model *model, double length, mus_limiter *l) {
  for (int k = 0; k < model->list_count; ++k) {
    double mass = 0;
    if (model->lists[k].elements.kind->limit) {
      const mus_model_part *part = &model->parts[model->lists[k].part];
      for (int i = 0; i < part->shape.mesh.vertices; ++i)
        mass += model->mass[part->first_vertex + i];
    }
    l->stiffness[k] = relative_stiffness * mass / (length * length);
  }
}

// --- momentum --------------------------------------------------------------------------------------------------------

// Of a cloth, about its centre of mass.
typedef struct motion {
  double mass, centre[3], momentum[3], spin[3], inertia[9];
} motion;

static motion motion_of(const mus_model *model, const mus_model_part *part, const double *position,
                        const double *velocity) {
  motion m = {0};
  int first = part->first_vertex, end = first + part->shape.mesh.vertices;
  for (int i = first; i < end; ++i) {
    m.mass += model->mass[i];
    mus_add_scaled3(model->mass[i], position + 3 * (size_t)i, m.centre);
    mus_add_scaled3(model->mass[i], velocity + 3 * (size_t)i, m.momentum);
  }
  mus_scale3(1 / m.mass, m.centre, m.centre);
  for (int i = first; i < end; ++i) {
    double arm[3], turn[3];
    mus_subtract3(position + 3 * (size_t)i, m.centre, arm);
    mus_cross3(arm, velocity + 3 * (size_t)i, turn);
    mus_add_scaled3(model->mass[i], turn, m.spin);
    for (int k = 0; k < 9; ++k)
      m.inertia[k] += model->mass[i] * ((k % 4 == 0 ? mus_dot3(arm, arm) : 0) - arm[k / 3] * arm[k % 3]);
  }
  return m;
}

// x = a^-1 b for a symmetric 3x3 matrix; zero where it has hardly any inverse, as that of a thread.
static void divide3(const double *a, const double *b, double *x) {
  double row[3][3], trace = a[0] + a[4] + a[8];
  mus_cross3(a + 3, a + 6, row[0]);
  mus_cross3(a + 6, a, row[1]);
  mus_cross3(a, a + 3, row[2]);
  double determinant = mus_dot3(a, row[0]);
  mus_zero(3, x);
  for (int k = 0; k < 3 && determinant > 1e-9 * trace * trace * trace; ++k)
    mus_add_scaled3(b[k] / determinant, row[k], x);
}

// Gives a cloth that nothing holds the momenta that it had: what rounds leave unsolved, and what a turn of positions
// alone would take. Its centre stays where it was.
static void keep_momentum(const mus_step_context *c, const mus_model_part *part, const motion *before) {
  mus_state *state = c->state;
  motion after = motion_of(c->model, part, state->position, state->velocity);
  double shift[3], speed[3], spin[3], turn[3];
  mus_subtract3(before->centre, after.centre, shift);
  mus_subtract3(before->momentum, after.momentum, speed);
  mus_scale3(1 / after.mass, speed, speed);
  mus_subtract3(before->spin, after.spin, spin);
  divide3(after.inertia, spin, turn);
  for (int i = part->first_vertex; i < part->first_vertex + part->shape.mesh.vertices; ++i) {
    double arm[3], around[3];
    mus_subtract3(state->position + 3 * (size_t)i, after.centre, arm);
    mus_cross3(turn, arm, around);
    for (int k = 0; k < 3; ++k) {
      state->position[3 * i + k] += shift[k];
      state->velocity[3 * i + k] += speed[k] + around[k];
    }
  }
}

// By a pin or a body.
static int is_held(const mus_model_part *part, const mus_limiter *l) {
  for (int k = 0; k < l->steady; ++k) {
    int i = l->held.list[k].node - part->first_vertex;
    if (i >= 0 && i < part->shape.mesh.vertices)
      return 1;
  }
  return 0;
}

// --- all -------------------------------------------------------------------------------------------------------------

// Rounds until all is within reach, or no more comes of them.
static mus_status project(const mus_step_context *c, mus_limiter *l, double length, mus_step_record *record) {
  double worst = count_beyond(c->model, l).worst, best = INFINITY;
  mus_status status = MUS_OK;
  l->softness = fmax(worst / 2, least_softness) * l->least;
  for (int round = 0, stalled = 0;
       round < ROUNDS && stalled < STALLED && (worst > tolerance || l->softness > least_softness * l->least) && !status;
       ++round) {
    status = mus_stop_check();
    if (!status)
      status = solve(c, l, length, record);
    if (status)
      break;
    double part = go(c, l, length);
    worst = count_beyond(c->model, l).worst;
    stalled = worst > tolerance && worst > progress * best ? stalled + 1 : 0;
    best = fmin(best, worst);
    if (l->softness <= least_softness * l->least)
      for (int k = 0; k < c->model->list_count; ++k)
        l->stiffness[k] *= 2;
    if (part >= 0.5)
      l->softness = fmax(least_softness * l->least, 0.5 * l->softness);
  }
  return status == MUS_BREAKDOWN ? MUS_OK : status;
}

// Where pins stay, the way of the step is made no longer than it was without limits: all places between its start and
// where cloth is now are within reach, and no energy is gained.
static void shorten(const mus_step_context *c, const mus_limiter *l) {
  double before = 0, after = 0;
  for (int i = 0; i < c->model->vertices; ++i) {
    double asked[3], done[3];
    const double *start = c->work->start_position + 3 * (size_t)i;
    mus_subtract3(l->goal + 3 * (size_t)i, start, asked);
    mus_subtract3(c->state->position + 3 * (size_t)i, start, done);
    if (c->work->prescribed.pinned[i] >= 0 && mus_dot3(asked, asked) > 0)
      return;
    before += c->model->mass[i] * mus_dot3(asked, asked);
    after += c->model->mass[i] * mus_dot3(done, done);
  }
  double part = sqrt(before / after);
  for (size_t k = 0; k < c->work->unknowns && part < 1; ++k)
    c->state->position[k] = c->work->start_position[k] + part * (c->state->position[k] - c->work->start_position[k]);
}

// The velocities that lead to where cloth is now.
static mus_status follow(const mus_step_context *c, mus_limiter *l, double length) {
  mus_state *state = c->state;
  motion *before = mus_alloc((size_t)c->model->part_count, sizeof *before);
  if (!before)
    return mus_fail_memory();
  for (int k = 0; k < c->model->part_count; ++k)
    before[k] = motion_of(c->model, &c->model->parts[k], l->goal, state->velocity);
  for (size_t i = 0; i < c->work->unknowns; i += 3) {
    double change[3];
    mus_subtract3(state->position + i, l->goal + i, change);
    double speed = sqrt(mus_dot3(change, change)) / length;
    mus_add_scaled3(fastest / fmax(speed, fastest) / length, change, state->velocity + i);
  }
  for (int k = 0; k < c->model->part_count; ++k)
    if (!is_held(&c->model->parts[k], l))
      keep_momentum(c, &c->model->parts[k], &before[k]);
  mus_free(before);
  return MUS_OK;
}

void mus_limit_keep(const mus_step_context *c) {
  mus_copy(c->work->unknowns, c->state->position, (*c->limiter)->best[0]);
  mus_copy(c->work->unknowns, c->state->velocity, (*c->limiter)->best[1]);
}

void mus_limit_go_back(const mus_step_context *c) {
  mus_copy(c->work->unknowns, (*c->limiter)->best[0], c->state->position);
  mus_copy(c->work->unknowns, (*c->limiter)->best[1], c->state->velocity);
}

mus_status mus_limit_prepare(const mus_step_context *c, const mus_scheme *s) {
  mus_status status = make(c);
  if (status)
    return status;
  mus_limit_measure(c->model, c->work->start_position, (*c->limiter)->length);
  set_reach(c->model, s->h, *c->limiter);
  return MUS_OK;
}

// Where threads contradict each other, shortening one after the other may lead anywhere.
static int has_helped(const mus_step_context *c, const mus_limiter *l, double worst) {
  return isfinite(mus_max_abs(c->work->unknowns, c->state->position)) && count_beyond(c->model, l).worst < worst;
}

static void undo(const mus_step_context *c, mus_limiter *l, int *changed) {
  mus_copy(c->work->unknowns, l->goal, c->state->position);
  mus_limit_measure(c->model, c->state->position, l->length);
  *changed = 0;
}

int mus_limit_acts(const mus_step_record *record) { return record->strain_reached > 1 + tolerance; }

mus_status mus_limit_strains(const mus_step_context *c, const mus_scheme *s, const double *before,
                             mus_step_record *record, int *changed) {
  *changed = 0;
  if (!mus_limit_acts(record))
    return MUS_OK;
  double begin = mus_seconds();
  mus_status status = mus_limit_prepare(c, s);
  if (status)
    return status;
  mus_limiter *l = *c->limiter;
  set_stiffness(c->model, s->length, l);
  keep_response(c, before, l);
  hold(c, l);
  mus_copy(c->work->unknowns, c->state->position, l->goal);
  mus_limit_measure(c->model, c->state->position, l->length);
  double worst = count_beyond(c->model, l).worst;
  size_t most = (size_t)(few * (double)c->model->limited);
  status = mus_limit_near(c, l, most, changed);
  record->limit_rounds += *changed;
  if (!status && *changed && !has_helped(c, l, worst))
    undo(c, l, changed);
  if (!status && are_many(c->model, count_beyond(c->model, l).count)) {
    status = make_solver(c, l);
    if (!status)
      status = project(c, l, s->length, record);
    if (!status)
      status = mus_limit_near(c, l, most, changed);
    *changed = 1;
  }
  if (!status && *changed && !has_helped(c, l, worst))
    undo(c, l, changed);
  if (!status && *changed)
    shorten(c, l);
  if (!status && *changed)
    status = follow(c, l, s->length);
  record->limit_seconds += mus_seconds() - begin;
  return status;
}
