// See lattices.h.
#include "step/lattices.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "lattice/solid.h"
#include "mesh/measure.h"
#include "par/vector.h"
#include "step/lattice_touch.h"

typedef struct lattice {
  int part; // of the model
  mus_lattice_solid *solid;
  mus_lattice_touches *touches; // what may touch it; NULL: nothing does
  size_t first, numbers;        // of its state
  mus_lattice_map *map;         // of its regions
  double *force;                // vertices * 3, N
  mus_lattice_step_record record;
} lattice;

struct mus_lattices {
  mus_arena arena;
  const mus_model *model;
  int count;
  lattice *each;
  size_t numbers;
  double *after;                // of all, as mus_state.lattice
  double *end, *velocity;       // vertices * 3
  double *body_start, *body[2]; // vertices of bodies * 3: at time 0, and at the step's beginning and end
};

// --- life ------------------------------------------------------------------------------------------------------------

static mus_status make_solid(mus_lattices *all, lattice *l) {
  const mus_model_part *part = &all->model->parts[l->part];
  const mus_solid_lattice *given = &part->solid->lattice;
  mus_arena scratch = {0};
  mus_lattice_solid_settings settings = mus_lattice_solid_default_settings();
  settings.young = part->material.young;
  settings.poisson = part->material.poisson;
  settings.density = part->material.density;
  settings.damping = part->material.damping;
  double *area = mus_arena_alloc_zero(&scratch, (size_t)part->shape.mesh.vertices, sizeof *area);
  if (!area)
    return mus_fail_memory();
  for (int k = 0; k < 3 * part->shape.mesh.triangles; ++k)
    area[part->shape.mesh.triangle[k]] += mus_space_area(&part->shape.mesh, k / 3) / 3;
  mus_lattice_surface surface = {.points = part->shape.mesh.vertices,
                                 .order = given->interpolation == MUS_SOLID_INTERPOLATION_LINEAR ? MUS_EMBED_LINEAR
                                                                                                 : MUS_EMBED_CUBIC,
                                 .position = part->shape.mesh.position,
                                 .area = area};
  mus_status status =
      mus_lattice_solid_create(&part->lattice->cells, part->lattice->region, &settings, &surface, &l->solid);
  mus_arena_clear(&scratch);
  return status ? mus_fail_prefix(status, "%s", mus_model_part_title(all->model, l->part).text) : MUS_OK;
}

static mus_status make(mus_lattices *all, lattice *l) {
  const mus_model_part *part = &all->model->parts[l->part];
  mus_status status = make_solid(all, l);
  if (!status && all->model->scene->contact)
    status = mus_lattice_touches_create(all->model, l->part, all->body_start, &l->touches);
  if (status)
    return status;
  l->first = all->numbers;
  l->numbers = mus_lattice_solid_state_size(l->solid);
  all->numbers += l->numbers;
  l->map = mus_arena_alloc(&all->arena, (size_t)part->lattice->regions, sizeof *l->map);
  l->force = mus_arena_alloc_zero(&all->arena, 3 * (size_t)part->shape.mesh.vertices, sizeof *l->force);
  return l->map && l->force ? MUS_OK : mus_fail_memory();
}

static mus_status fill(mus_lattices *all) {
  const mus_model *model = all->model;
  size_t numbers = 3 * (size_t)mus_bodies_vertices(model->bodies), vertices = 3 * (size_t)model->vertices;
  double **vectors[] = {&all->body_start, &all->body[0], &all->body[1]};
  for (int k = 0; k < 3; ++k)
    if (!(*vectors[k] = mus_arena_alloc(&all->arena, numbers, sizeof(double))))
      return mus_fail_memory();
  all->each = mus_arena_alloc_zero(&all->arena, (size_t)model->lattices, sizeof *all->each);
  all->end = mus_arena_alloc_zero(&all->arena, vertices, sizeof *all->end);
  all->velocity = mus_arena_alloc_zero(&all->arena, vertices, sizeof *all->velocity);
  if (!all->each || !all->end || !all->velocity)
    return mus_fail_memory();
  mus_status status = mus_bodies_at(model->bodies, 0, all->body_start);
  for (int k = 0; k < model->part_count && !status; ++k)
    if (model->parts[k].lattice) {
      all->each[all->count].part = k;
      status = make(all, &all->each[all->count++]);
    }
  if (!status && !(all->after = mus_arena_alloc(&all->arena, all->numbers, sizeof *all->after)))
    status = mus_fail_memory();
  return status;
}

mus_status mus_lattices_create(const mus_model *model, mus_lattices **out) {
  *out = NULL;
  if (model->lattices == 0)
    return MUS_OK;
  mus_lattices *all = mus_alloc_zero(1, sizeof *all);
  if (!all)
    return mus_fail_memory();
  all->model = model;
  mus_status status = fill(all);
  if (status)
    mus_lattices_free(all);
  else
    *out = all;
  return status;
}

void mus_lattices_free(mus_lattices *all) {
  if (!all)
    return;
  for (int k = 0; k < all->count; ++k) {
    mus_lattice_solid_free(all->each[k].solid);
    mus_lattice_touches_free(all->each[k].touches);
  }
  mus_arena_clear(&all->arena);
  mus_free(all);
}

size_t mus_lattices_bytes(const mus_lattices *all) {
  size_t bytes = all ? sizeof *all + all->arena.bytes : 0;
  for (int k = 0; all && k < all->count; ++k)
    bytes += mus_lattice_solid_bytes(all->each[k].solid) + mus_lattice_touches_bytes(all->each[k].touches);
  return bytes;
}

size_t mus_lattices_numbers(const mus_lattices *all) { return all ? all->numbers : 0; }

void mus_lattices_start(mus_lattices *all, double *state) {
  static const mus_lattice_map stay = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  static const double nowhere[3] = {0, 0, 0};
  for (int k = 0; all && k < all->count; ++k) {
    lattice *l = &all->each[k];
    mus_lattice_solid_place(l->solid, &stay, nowhere, all->model->parts[l->part].velocity, nowhere);
    mus_lattice_solid_save(l->solid, state + l->first);
  }
}

// --- a step ----------------------------------------------------------------------------------------------------------

static mus_status place_regions(mus_lattices *all, const lattice *l, double time) {
  const mus_lattice_part *part = all->model->parts[l->part].lattice;
  mus_status status = MUS_OK;
  for (int r = 0; r < part->regions && !status; ++r) {
    mus_affine map;
    status = mus_lattice_region_at(&part->moved[r], all->model->bodies, time, all->body_start, all->body[1], &map);
    for (int k = 0; k < 12 && !status; ++k)
      *(k % 4 == 3 ? &l->map[r].shift[k / 4] : &l->map[r].linear[3 * (k / 4) + k % 4]) = map.m[k];
  }
  return status ? mus_fail_prefix(status, "%s", mus_model_part_title(all->model, l->part).text) : MUS_OK;
}

// Within this many cells of the point that it pulls, an attachment takes hold of the surface, with no more than this
// part of Young's modulus over the square of that: what pulls harder than cells bear turns them inside out.
static const double grip = 3, bearable = 0.1;

// Shares a force among the vertices around a point, by 1 - (distance / reach)^2 at rest.
static void share(const mus_model_part *part, const mus_attachment *spring, const double pulled[3], double *force) {
  const double *rest = part->shape.mesh.position;
  double reach = grip * part->lattice->cells.spacing, point[3] = {0, 0, 0}, sum = 0;
  for (int k = 0; k < spring->count; ++k)
    mus_add_scaled3(spring->weight[k], rest + 3 * (size_t)(spring->vertex[k] - part->first_vertex), point);
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < part->shape.mesh.vertices; ++i) {
      double away[3];
      mus_subtract3(rest + 3 * (size_t)i, point, away);
      double weight = 1 - mus_dot3(away, away) / (reach * reach);
      if (weight > 0 && pass == 0)
        sum += weight;
      if (weight > 0 && pass == 1)
        mus_add_scaled3(weight / sum, pulled, force + 3 * (size_t)i);
    }
  for (int k = 0; k < spring->count && !(sum > 0); ++k)
    mus_add_scaled3(spring->weight[k], pulled, force + 3 * (size_t)(spring->vertex[k] - part->first_vertex));
}

// The pull of attachments on its surface, as implicit as a single mass would feel it.
static const double *pull(const mus_lattices *all, const lattice *l, const mus_attachments *attachments, double h,
                          const mus_state *state) {
  const mus_model_part *part = &all->model->parts[l->part];
  double reach = grip * part->lattice->cells.spacing;
  int count = 0;
  mus_fill(3 * (size_t)part->shape.mesh.vertices, 0, l->force);
  for (size_t n = 0; n < attachments->springs.count; ++n) {
    const mus_attached *spring = &mus_attached_springs(attachments)[n];
    double force[3];
    if (spring->part != l->part)
      continue;
    mus_attachment_pull(&spring->spring, h, mus_lattice_solid_mass(l->solid), state->position, state->velocity, force);
    double most = bearable * part->material.young * reach * reach, size = mus_length3(force);
    if (size > most)
      mus_scale3(most / size, force, force);
    share(part, &spring->spring, force, l->force);
    ++count;
  }
  return count > 0 ? l->force : NULL;
}

static mus_status advance(mus_lattices *all, lattice *l, const mus_settings *settings,
                          const mus_attachments *attachments, const mus_scheme *s, const mus_state *state) {
  size_t first = 3 * (size_t)all->model->parts[l->part].first_vertex;
  mus_lattice_step step = {.seconds = s->h, .regions = l->map, .force = pull(all, l, attachments, s->h, state)};
  mus_settings_gravity(settings, s->time, step.gravity);
  mus_status status = place_regions(all, l, s->time);
  if (!status && l->touches) {
    mus_lattice_touches_place(l->touches, all->body[0], all->body[1], s->h);
    step.touch = mus_lattice_touches_find;
    step.context = l->touches;
  }
  if (status)
    return status;
  mus_lattice_solid_load(l->solid, state->lattice + l->first);
  status = mus_lattice_solid_step(l->solid, &step, &l->record);
  if (status)
    return mus_fail_prefix(status, "%s in the step to %g s", mus_model_part_title(all->model, l->part).text, s->time);
  mus_lattice_solid_save(l->solid, all->after + l->first);
  mus_lattice_solid_positions(l->solid, all->end + first);
  mus_lattice_solid_velocities(l->solid, all->velocity + first);
  return MUS_OK;
}

static void tell(const mus_lattice_step_record *from, mus_step_record *to) {
  to->lattice_cycles += from->cycles;
  to->lattice_contacts += from->contacts;
  to->lattice_inverted += (int)from->inverted;
  to->lattice_residual = fmax(to->lattice_residual, from->residual);
  if (to->lattice_volume == 0 || fabs(from->volume - 1) > fabs(to->lattice_volume - 1))
    to->lattice_volume = from->volume;
}

mus_status mus_lattices_advance(mus_lattices *all, const mus_settings *settings, const mus_attachments *attachments,
                                const mus_scheme *s, const mus_state *state, mus_step_record *record) {
  if (!all)
    return MUS_OK;
  double begin = mus_seconds();
  if (s->still) {
    mus_copy(3 * (size_t)all->model->vertices, state->position, all->end);
    return MUS_OK;
  }
  mus_status status = mus_bodies_at(all->model->bodies, s->time - s->h, all->body[0]);
  if (!status)
    status = mus_bodies_at(all->model->bodies, s->time, all->body[1]);
  for (int k = 0; k < all->count && !status; ++k)
    status = advance(all, &all->each[k], settings, attachments, s, state);
  for (int k = 0; k < all->count && !status; ++k)
    tell(&all->each[k].record, record);
  record->lattice_seconds += mus_seconds() - begin;
  return status;
}

const double *mus_lattices_end(const mus_lattices *all) { return all ? all->end : NULL; }

void mus_lattices_commit(const mus_lattices *all, const mus_scheme *s, mus_state *state) {
  if (!all || s->still)
    return;
  mus_copy(all->numbers, all->after, state->lattice);
  for (int k = 0; k < all->count; ++k) {
    const mus_model_part *part = &all->model->parts[all->each[k].part];
    size_t first = 3 * (size_t)part->first_vertex, numbers = 3 * (size_t)part->shape.mesh.vertices;
    mus_copy(numbers, all->end + first, state->position + first);
    mus_copy(numbers, all->velocity + first, state->velocity + first);
  }
}

void mus_lattices_measure(const mus_lattices *all, const mus_settings *settings, mus_step_record *record) {
  double gravity[3];
  mus_settings_gravity(settings, record->time, gravity);
  for (int k = 0; all && k < all->count; ++k) {
    double kinetic, elastic, potential, momentum[3], angular_momentum[3];
    mus_lattice_solid_energy(all->each[k].solid, &kinetic, &elastic);
    mus_lattice_solid_momenta(all->each[k].solid, gravity, &potential, momentum, angular_momentum);
    record->kinetic += kinetic;
    record->stretch += elastic;
    record->potential += potential;
    mus_add_scaled3(1, momentum, record->momentum);
    mus_add_scaled3(1, angular_momentum, record->angular_momentum);
  }
}

// --- fields ----------------------------------------------------------------------------------------------------------

static lattice *lattice_of(mus_lattices *all, int part) {
  int k = 0;
  while (all->each[k].part != part)
    ++k;
  return &all->each[k];
}

void mus_lattices_fields(mus_lattices *all, const mus_state *state, int part, double *stress, double *volume,
                         double *strain) {
  lattice *l = lattice_of(all, part);
  mus_lattice_solid_load(l->solid, state->lattice + l->first);
  mus_lattice_solid_stresses(l->solid, stress);
  mus_lattice_solid_strains(l->solid, volume, strain);
}
