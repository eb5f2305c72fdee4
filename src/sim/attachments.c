// Attachments as users make them. See muslin/sim.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/simulator.h"

// Distance, m, at which the limit is reached where no stiffness is given; weights that the limit then is; decay time,
// s.
static const double usual_reach = 0.05, usual_weights = 3, usual_damping = 0.02;

// The part of a vertex as users see it, and its number in the simulation.
static int part_of(const mus_model *model, int seen) {
  int part = 0;
  while (part + 1 < model->part_count && model->parts[part + 1].first_vertex <= seen)
    ++part;
  return part;
}

static int number_of(const mus_model *model, int seen) {
  const mus_model_part *c = &model->parts[part_of(model, seen)];
  return c->shape.order ? c->first_vertex + c->shape.order->new_vertex[seen - c->first_vertex] : seen;
}

// Two vertices that share a triangle share a block, and hardly any others do; those of a solid on a lattice share none.
static int are_joined(const mus_model *model, int a, int b) {
  const mus_model_part *part = &model->parts[part_of(model, a)];
  const mus_topology *topology = &part->shape.topology;
  if (!part->lattice)
    return mus_pattern_find(&model->pattern, a, b) >= 0;
  int low = (a < b ? a : b) - part->first_vertex, high = (a < b ? b : a) - part->first_vertex, found = 0;
  for (int e = 0; e < topology->edges; ++e)
    found |= topology->edge[2 * (size_t)e] == low && topology->edge[2 * (size_t)e + 1] == high;
  return found;
}

static mus_status check_point(const mus_model *model, const mus_attachment *spring) {
  double sum = 0;
  if (spring->count < 1 || spring->count > 3)
    return mus_fail(MUS_BAD_INPUT, "a point of %d vertices: give 1 to 3", spring->count);
  for (int k = 0; k < spring->count; ++k) {
    if (spring->vertex[k] < 0 || spring->vertex[k] >= model->vertices)
      return mus_fail(MUS_BAD_INPUT, "vertex %d is outside 0...%d", spring->vertex[k], model->vertices - 1);
    if (!isfinite(spring->weight[k]) || fabs(spring->weight[k]) > 1e3)
      return mus_fail(MUS_BAD_INPUT, "weight[%d] makes no sense: weights sum up to 1", k);
    sum += spring->weight[k];
  }
  if (fabs(sum - 1) > 1e-3)
    return mus_fail(MUS_BAD_INPUT, "the weights sum up to %g: they are parts of one point, and must sum up to 1", sum);
  for (int k = 0; k < spring->count; ++k)
    for (int other = 0; other < k; ++other)
      if (spring->vertex[k] == spring->vertex[other] ||
          !are_joined(model, number_of(model, spring->vertex[k]), number_of(model, spring->vertex[other])))
        return mus_fail(MUS_BAD_INPUT, "vertices %d and %d are not two corners of one triangle", spring->vertex[other],
                        spring->vertex[k]);
  return MUS_OK;
}

static mus_status check_target(const double target[3]) {
  for (int c = 0; c < 3; ++c)
    if (!(fabs(target[c]) <= 1e6))
      return mus_fail(MUS_BAD_INPUT, "target[%d] is not a number below 1e6 m", c);
  return MUS_OK;
}

static mus_status check_spring(const mus_attachment *spring) {
  if (!(spring->stiffness >= 0 && spring->stiffness <= 1e9 && spring->limit >= 0 && spring->limit <= 1e9))
    return mus_fail(MUS_BAD_INPUT, "an attachment's stiffness and limit are 0 to 1e9");
  if (!(spring->damping <= 1e3))
    return mus_fail(MUS_BAD_INPUT, "an attachment's damping is a decay time of at most 1000 s");
  return check_target(spring->target);
}

static mus_attachment complete(const mus_model *model, const mus_attachment *given) {
  mus_attachment spring = *given;
  for (int k = 0; k < spring.count; ++k)
    spring.vertex[k] = number_of(model, given->vertex[k]);
  if (spring.limit == 0)
    spring.limit = usual_weights * 9.81 * model->total_mass;
  if (spring.stiffness == 0)
    spring.stiffness = spring.limit / usual_reach;
  spring.damping = spring.damping == 0 ? usual_damping : fmax(spring.damping, 0);
  return spring;
}

mus_status mus_sim_attach(mus_sim *sim, const mus_attachment *given, int *handle) {
  mus_status status = check_point(&sim->model, given);
  if (!status)
    status = check_spring(given);
  if (status)
    return mus_fail_prefix(status, "attachment");
  mus_attached *item = mus_list_add(&sim->attachments.springs, sizeof *item);
  if (!item)
    return mus_fail_memory();
  int part = part_of(&sim->model, given->vertex[0]);
  *item = (mus_attached){++sim->attachments.last_handle, sim->model.parts[part].lattice ? part : -1,
                         complete(&sim->model, given)};
  *handle = item->handle;
  return MUS_OK;
}

static mus_status find(const mus_sim *sim, int handle, size_t *place) {
  for (*place = 0; *place < sim->attachments.springs.count; ++*place)
    if (mus_attached_springs(&sim->attachments)[*place].handle == handle)
      return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "there is no attachment %d: it was released, or never made", handle);
}

mus_status mus_sim_move_attachment(mus_sim *sim, int handle, const double target[3]) {
  size_t place;
  mus_status status = find(sim, handle, &place);
  if (!status)
    status = check_target(target);
  if (!status)
    memcpy(mus_attached_springs(&sim->attachments)[place].spring.target, target, 3 * sizeof *target);
  return status;
}

mus_status mus_sim_detach(mus_sim *sim, int handle) {
  size_t place;
  mus_status status = find(sim, handle, &place);
  if (status)
    return status;
  mus_attached *list = mus_attached_springs(&sim->attachments);
  memmove(list + place, list + place + 1, (sim->attachments.springs.count - place - 1) * sizeof *list);
  --sim->attachments.springs.count;
  return MUS_OK;
}

int mus_sim_attachments(const mus_sim *sim) { return (int)sim->attachments.springs.count; }
