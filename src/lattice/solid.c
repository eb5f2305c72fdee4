#include "lattice/solid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "lattice/rotations.h"
#include "lattice/solid_state.h"
#include "par/par.h"

static const mus_lattice_map nowhere = {.linear = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

mus_lattice_solid_settings mus_lattice_solid_default_settings(void) {
  return (mus_lattice_solid_settings){.young = 1e5, .poisson = 0.45, .density = 1000, .contact = 3, .cycles = 200};
}

static int has_value(const mus_lattice_domain *d, size_t cell, int axis) {
  return (d->flags[cell] & (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD) << axis) != 0;
}

// --- creation ------------------------------------------------------------------------------------------------------

static mus_status check(const mus_lattice_solid_settings *s, const mus_lattice_surface *surface) {
  if (!(s->density > 0) || !isfinite(s->density))
    return mus_fail(MUS_BAD_INPUT, "lattice: the density is %g kg/m^3: it must be positive", s->density);
  if (!(s->damping >= 0) || !isfinite(s->damping))
    return mus_fail(MUS_BAD_INPUT, "lattice: the damping time is %g s: it must not be negative", s->damping);
  if (!(s->contact > 0) || !isfinite(s->contact))
    return mus_fail(MUS_BAD_INPUT, "lattice: the stiffness of contact is %g: it must be positive", s->contact);
  if (!(s->tolerance >= 0) || s->cycles < 1)
    return mus_fail(MUS_BAD_INPUT,
                    "lattice: a tolerance of %g m in %d cycles: it must not be negative, and at least 1 "
                    "cycle is needed",
                    s->tolerance, s->cycles);
  if (s->is_linear)
    return mus_fail(MUS_BAD_INPUT, "lattice: linear solids cannot be moved yet: use co-rotational ones");
  if (surface->points < 0)
    return mus_fail(MUS_BAD_INPUT, "lattice: a surface of %d points", surface->points);
  return MUS_OK;
}

static mus_status list_faces(mus_lattice_solid *s) {
  const mus_lattice_domain *d = s->lattice->domain;
  for (int a = 0; a < 3; ++a) {
    int count = 0;
    for (size_t n = 0; n < d->cells; ++n)
      count += has_value(d, n, a);
    s->face[a] = mus_arena_alloc(&s->arena, (size_t)count, sizeof **s->face);
    if (!s->face[a])
      return mus_fail_memory();
    for (size_t n = 0; n < d->cells; ++n) {
      if (has_value(d, n, a))
        s->face[a][s->face_count[a]++] = (int)n;
      s->held_count += mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a);
    }
  }
  return MUS_OK;
}

// The region of a cell, from 0; -1 if it is not held.
static int region_of(const mus_cells *cells, const unsigned short *region, size_t cell) {
  if (cells->kind[cell] != MUS_CELL_DIRICHLET)
    return -1;
  return region && region[cell] > 0 ? region[cell] - 1 : 0;
}

static mus_status list_held(const mus_cells *cells, const unsigned short *region, mus_lattice_solid *s) {
  const mus_lattice_domain *d = s->lattice->domain;
  int count = 0;
  s->held = mus_arena_alloc(&s->arena, (size_t)s->held_count, sizeof *s->held);
  if (!s->held)
    return mus_fail_memory();
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a) {
      if (!mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a))
        continue;
      int above = region_of(cells, region, n), below = region_of(cells, region, n - d->stride[a]);
      above = above < 0 ? below : above;
      below = below < 0 ? above : below;
      s->held[count++] = (mus_held_face){(int)n, a, {below, above}};
      s->regions = above >= s->regions ? above + 1 : s->regions;
      s->regions = below >= s->regions ? below + 1 : s->regions;
    }
  s->map = mus_arena_alloc(&s->arena, (size_t)s->regions, sizeof *s->map);
  s->way = mus_arena_alloc(&s->arena, (size_t)s->regions, sizeof *s->way);
  for (int k = 0; k < s->regions && s->map; ++k)
    s->map[k] = nowhere;
  return s->map && s->way ? MUS_OK : mus_fail_memory();
}

// A cell's mass is that of its faces, half of it each; where one has no displacement, all of it is the other's.
static void weigh(mus_lattice_solid *s) {
  const mus_lattice_domain *d = s->lattice->domain;
  double spacing = s->lattice->spacing, half = s->settings.density * spacing * spacing * spacing / 2;
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3 && mus_lattice_is(d, n, MUS_LATTICE_SOLID); ++a) {
      size_t face[2] = {n, n + d->stride[a]};
      for (int k = 0; k < 2; ++k)
        s->mass[a][has_value(d, face[k], a) ? face[k] : face[1 - k]] += half;
    }
  for (size_t n = 0; n < d->cells; ++n)
    for (int a = 0; a < 3; ++a)
      if (!mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        s->mass[a][n] = 0;
}

static mus_status allocate_damping(mus_lattice_solid *s) {
  const mus_lattice_domain *d = s->lattice->domain;
  s->stress = mus_arena_alloc_zero(&s->arena, 9 * d->solid, sizeof *s->stress);
  s->turn = mus_arena_alloc_zero(&s->arena, 9 * d->solid, sizeof *s->turn);
  double *turned = mus_arena_alloc_zero(&s->arena, 9 * d->cells, sizeof *turned);
  if (!s->stress || !s->turn || !turned)
    return mus_fail_memory();
  for (size_t k = 0; k < 9; ++k)
    s->turned[k] = turned + k * d->cells;
  return MUS_OK;
}

// Arrays over cells, all 0, and over points.
static mus_status allocate(mus_lattice_solid *s) {
  size_t cells = s->lattice->domain->cells, points = (size_t)s->points;
  double **over_cells[] = {s->mass, s->velocity, s->start, s->extended, s->spread};
  double **over_points[] = {&s->rest,     &s->normal, &s->area,        &s->slip,
                            &s->position, &s->began,  &s->point_force, &s->bound};
  for (size_t k = 0; k < 15; ++k) {
    double **to = over_cells[k / 3] + k % 3;
    *to = mus_arena_alloc_zero(&s->arena, cells, sizeof **to);
    if (!*to)
      return mus_fail_memory();
  }
  for (size_t k = 0; k < sizeof over_points / sizeof *over_points; ++k) {
    *over_points[k] = mus_arena_alloc_zero(&s->arena, 3 * points, sizeof(double));
    if (!*over_points[k])
      return mus_fail_memory();
  }
  s->nearest = mus_arena_alloc_zero(&s->arena, points, sizeof *s->nearest);
  s->touch = mus_arena_alloc_zero(&s->arena, points, sizeof *s->touch);
  s->contact = mus_arena_alloc_zero(&s->arena, points, sizeof *s->contact);
  s->saved = mus_arena_alloc_zero(&s->arena, mus_lattice_solid_state_size(s), sizeof *s->saved);
  if (!s->nearest || !s->touch || !s->contact || !s->saved)
    return mus_fail_memory();
  return s->settings.damping > 0 ? allocate_damping(s) : MUS_OK;
}

// Faces of interior cells beyond which there is nothing, in square metres.
static double free_area(const mus_cells *cells) {
  size_t stride[3] = {1, (size_t)cells->count[0], (size_t)cells->count[0] * (size_t)cells->count[1]};
  double count = 0;
  for (size_t n = 0; n < mus_cells_total(cells); ++n)
    for (int a = 0; a < 3 && cells->kind[n] == MUS_CELL_INTERIOR; ++a)
      count += (cells->kind[n - stride[a]] == MUS_CELL_EXTERIOR) + (cells->kind[n + stride[a]] == MUS_CELL_EXTERIOR);
  return count * cells->spacing * cells->spacing;
}

// The interior cell whose middle is nearest to a place, given in cells; within a box that grows until there is one.
static int nearest_cell(const mus_lattice_domain *d, const double place[3]) {
  int best = -1, last = 0, largest = d->count[0] + d->count[1] + d->count[2];
  double least = (double)INFINITY;
  for (int reach = 1; reach <= largest && !last; reach *= 2) {
    int low[3], high[3];
    last = best >= 0; // once more, for what is nearer beyond the box's sides
    for (int a = 0; a < 3; ++a) {
      low[a] = (int)fmin(fmax(floor(place[a]) - reach, 0), d->count[a] - 1);
      high[a] = (int)fmin(fmax(floor(place[a]) + reach, 0), d->count[a] - 1);
    }
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) {
          size_t n = (size_t)i + (size_t)j * d->stride[1] + (size_t)k * d->stride[2];
          double to[3] = {i + 0.5 - place[0], j + 0.5 - place[1], k + 0.5 - place[2]};
          if (mus_lattice_is(d, n, MUS_LATTICE_SOLID) && mus_dot3(to, to) < least) {
            least = mus_dot3(to, to);
            best = (int)n;
          }
        }
  }
  return best;
}

static mus_status take_surface(const mus_cells *cells, const mus_lattice_surface *surface, mus_lattice_solid *s) {
  mus_status status = mus_embedding_create(cells, MUS_EMBED_LINEAR, surface->points, surface->position, &s->embedding);
  if (!status && surface->order != MUS_EMBED_LINEAR)
    status = mus_embedding_create(cells, surface->order, surface->points, surface->position, &s->shown);
  if (status)
    return status;
  size_t points = (size_t)s->points;
  double share = s->points > 0 ? free_area(cells) / s->points : 0;
  for (size_t k = 0; k < 3 * points; ++k) {
    s->rest[k] = surface->position[k];
    s->normal[k] = surface->normal ? surface->normal[k] : 0;
  }
  for (size_t p = 0; p < points; ++p) {
    double place[3];
    s->area[p] = surface->area ? surface->area[p] : share;
    for (size_t a = 0; a < 3; ++a)
      place[a] = (s->rest[3 * p + a] - s->low[a]) / cells->spacing;
    s->nearest[p] = nearest_cell(s->lattice->domain, place);
  }
  mus_embedding_bounds(s->embedding, s->extended, s->bound);
  return MUS_OK;
}

static mus_status fill(const mus_cells *cells, const unsigned short *region, const mus_lattice_surface *surface,
                       mus_lattice_solid *s) {
  const mus_lattice_solid_settings *settings = &s->settings;
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice_material material = {settings->young, settings->poisson, settings->density};
  options.directions = 0;
  mus_status status = mus_lattice_create(cells, &material, &options, &s->lattice);
  if (!status)
    status = mus_corotational_create(s->lattice);
  if (!status)
    status = mus_lattice_make_history(s->lattice, settings->cycles);
  if (status)
    return status;
  memcpy(s->low, cells->low, sizeof s->low);
  s->points = surface->points;
  status = list_faces(s);
  if (!status)
    status = list_held(cells, region, s);
  if (!status)
    status = allocate(s);
  if (!status)
    status = take_surface(cells, surface, s);
  if (status)
    return status;
  weigh(s);
  s->lattice->corotational->act = mus_solid_act;
  s->lattice->corotational->stiffen = mus_solid_stiffen;
  s->lattice->corotational->context = s;
  return MUS_OK;
}

mus_status mus_lattice_solid_create(const mus_cells *cells, const unsigned short *region,
                                    const mus_lattice_solid_settings *settings, const mus_lattice_surface *surface,
                                    mus_lattice_solid **out) {
  *out = NULL;
  mus_status status = check(settings, surface);
  if (status)
    return status;
  mus_lattice_solid *s = mus_alloc_zero(1, sizeof *s);
  if (!s)
    return mus_fail_memory();
  s->settings = *settings;
  if (!(s->settings.tolerance > 0))
    s->settings.tolerance = 0.01 * cells->spacing;
  status = fill(cells, region, surface, s);
  if (status)
    mus_lattice_solid_free(s);
  else
    *out = s;
  return status;
}

void mus_lattice_solid_free(mus_lattice_solid *s) {
  if (!s)
    return;
  mus_lattice_free(s->lattice);
  mus_embedding_free(s->embedding);
  mus_embedding_free(s->shown);
  mus_arena_clear(&s->arena);
  mus_free(s);
}

// --- counts --------------------------------------------------------------------------------------------------------

size_t mus_lattice_solid_bytes(const mus_lattice_solid *s) {
  return sizeof *s + s->arena.bytes + mus_lattice_bytes(s->lattice) + mus_embedding_bytes(s->embedding) +
         (s->shown ? mus_embedding_bytes(s->shown) : 0);
}

size_t mus_lattice_solid_cells(const mus_lattice_solid *s) { return s->lattice->domain->solid; }

size_t mus_lattice_solid_unknowns(const mus_lattice_solid *s) { return s->lattice->domain->unknowns; }

int mus_lattice_solid_points(const mus_lattice_solid *s) { return s->points; }

int mus_lattice_solid_regions(const mus_lattice_solid *s) { return s->regions; }

double mus_lattice_solid_mass(const mus_lattice_solid *s) {
  return s->settings.density * pow(s->lattice->spacing, 3) * (double)s->lattice->domain->solid;
}

// --- state ---------------------------------------------------------------------------------------------------------

enum { MAP_SIZE = 12 };

size_t mus_lattice_solid_state_size(const mus_lattice_solid *s) {
  size_t faces = (size_t)s->face_count[0] + (size_t)s->face_count[1] + (size_t)s->face_count[2];
  return 2 * faces + MUS_SOLID_CELL_SIZE * s->lattice->domain->solid + MAP_SIZE * (size_t)s->regions +
         3 * (size_t)s->points;
}

// Copies to the state or, if `is_load`, from it.
static double *pass(double *state, int is_load, double *value) {
  if (is_load)
    *value = *state;
  else
    *state = *value;
  return state + 1;
}

static void pass_all(const mus_lattice_solid *s, double *state, int is_load) {
  const mus_turned_level *t = mus_solid_level(s);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      state = pass(state, is_load, &t->level.x[a][s->face[a][k]]);
      state = pass(state, is_load, &s->velocity[a][s->face[a][k]]);
    }
  for (size_t k = 0; k < t->level.domain->solid; ++k) {
    state = pass(state, is_load, &t->level.x[3][t->cell[k]]);
    state = pass(state, is_load, &t->volume[t->cell[k]]);
    for (int e = 0; e < 9; ++e) {
      state = pass(state, is_load, &t->rotation[e][t->cell[k]]);
      state = pass(state, is_load, &t->coupling[e][t->cell[k]]);
    }
  }
  for (int k = 0; k < s->regions; ++k)
    for (int e = 0; e < MAP_SIZE; ++e)
      state = pass(state, is_load, e < 9 ? &s->map[k].linear[e] : &s->map[k].shift[e - 9]);
  for (size_t k = 0; k < 3 * (size_t)s->points; ++k)
    state = pass(state, is_load, &s->slip[k]);
}

void mus_lattice_solid_save(const mus_lattice_solid *s, double *state) { pass_all(s, state, 0); }

void mus_lattice_solid_load(mus_lattice_solid *s, const double *state) {
  pass_all(s, (double *)(uintptr_t)state, 1); // which only reads it
  mus_turned_renew(&s->lattice->corotational->solved);
}

void mus_solid_hold(mus_lattice_solid *s, const mus_lattice_map *map) {
  for (int k = 0; k < s->held_count; ++k) {
    const mus_held_face *face = &s->held[k];
    double x[3], one[3], other[3];
    mus_solid_face_place(s, (size_t)face->cell, face->axis, x);
    mus_map_apply(&map[face->region[0]], x, one);
    mus_map_apply(&map[face->region[1]], x, other);
    s->lattice->finest.x[face->axis][face->cell] = (one[face->axis] + other[face->axis]) / 2 - x[face->axis];
  }
}

// a = b c, by rows.
static void multiply(const double b[9], const double c[9], double a[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      a[3 * i + j] = b[3 * i] * c[j] + b[3 * i + 1] * c[3 + j] + b[3 * i + 2] * c[6 + j];
}

void mus_lattice_solid_place(mus_lattice_solid *s, const mus_lattice_map *map, const double centre[3],
                             const double velocity[3], const double angular[3]) {
  const mus_turned_level *t = mus_solid_level(s);
  double turned[9], coupling[9], to[3];
  mus_rotation_of(map->linear, turned);
  mus_map_apply(map, centre, to);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      double x[3], now[3], arm[3], spin[3];
      mus_solid_face_place(s, (size_t)s->face[a][k], a, x);
      mus_map_apply(map, x, now);
      for (int b = 0; b < 3; ++b)
        arm[b] = now[b] - to[b];
      mus_cross3(angular, arm, spin);
      t->level.x[a][s->face[a][k]] = now[a] - x[a];
      s->velocity[a][s->face[a][k]] = velocity[a] + spin[a];
    }
  double volume = mus_rotations_cofactors(map->linear, coupling);
  for (size_t k = 0; k < t->level.domain->solid; ++k) {
    t->level.x[3][t->cell[k]] = -(volume - 1) / t->level.compressibility * s->lattice->spacing;
    t->volume[t->cell[k]] = volume;
    for (int e = 0; e < 9; ++e) {
      t->rotation[e][t->cell[k]] = turned[e];
      t->coupling[e][t->cell[k]] = coupling[e];
    }
  }
  for (int k = 0; k < s->regions; ++k)
    s->map[k] = *map;
  memset(s->slip, 0, 3 * (size_t)s->points * sizeof *s->slip);
  mus_turned_renew(&s->lattice->corotational->solved);
}

// --- what points and cells are -------------------------------------------------------------------------------------

void mus_solid_point_values(const mus_lattice_solid *s, const mus_embedding *e, double *const field[3], double *out) {
  for (int a = 0; a < 3; ++a)
    memcpy(s->extended[a], field[a], s->lattice->domain->cells * sizeof(double));
  mus_embedding_extend(e, s->extended);
  mus_embedding_displacements(e, (const double *const *)s->extended, out);
}

static const mus_embedding *shown(const mus_lattice_solid *s) { return s->shown ? s->shown : s->embedding; }

void mus_lattice_solid_positions(const mus_lattice_solid *s, double *position) {
  mus_solid_point_values(s, shown(s), s->lattice->finest.x, position);
  for (size_t k = 0; k < 3 * (size_t)s->points; ++k)
    position[k] += s->rest[k];
}

void mus_lattice_solid_velocities(const mus_lattice_solid *s, double *velocity) {
  mus_solid_point_values(s, shown(s), s->velocity, velocity);
}

void mus_lattice_solid_normals(const mus_lattice_solid *s, double *normal) {
  for (int a = 0; a < 3; ++a)
    memcpy(s->extended[a], s->lattice->finest.x[a], s->lattice->domain->cells * sizeof(double));
  mus_embedding_extend(shown(s), s->extended);
  mus_embedding_normals(shown(s), (const double *const *)s->extended, s->normal, normal);
}

void mus_solid_cell_gradient(const mus_lattice_solid *s, size_t cell, double r[9], double f[9]) {
  double c[9];
  mus_rotations_get(mus_solid_level(s), cell, r, c);
  mus_rotations_gradient(mus_solid_level(s), cell, s->lattice->spacing, r, c, f);
}

double mus_solid_cell_volume(const mus_lattice_solid *s, size_t cell) {
  double r[9], f[9], c[9];
  mus_solid_cell_gradient(s, cell, r, f);
  return mus_rotations_cofactors(f, c);
}

double mus_lattice_solid_volume(const mus_lattice_solid *s) {
  const mus_turned_level *t = mus_solid_level(s);
  double sum = 0;
  for (size_t k = 0; k < t->level.domain->solid; ++k)
    sum += mus_solid_cell_volume(s, (size_t)t->cell[k]);
  return sum * pow(s->lattice->spacing, 3);
}

// Of the stress P, turned back by R: sqrt(3/2) times the norm of its deviator.
static double von_mises(const mus_lattice_solid *s, size_t cell) {
  double r[9], f[9], back[9], stretch[9], square = 0;
  mus_solid_cell_gradient(s, cell, r, f);
  for (int e = 0; e < 9; ++e)
    back[e] = r[3 * (e % 3) + e / 3];
  multiply(back, f, stretch);
  double mean = (stretch[0] + stretch[4] + stretch[8]) / 3;
  for (int e = 0; e < 9; ++e) {
    double entry = (stretch[e] + stretch[3 * (e % 3) + e / 3]) / 2 - (e % 4 == 0 ? mean : 0);
    square += entry * entry;
  }
  double shear = s->settings.young / (2 + 2 * s->settings.poisson);
  return 2 * shear * sqrt(1.5 * square);
}

double mus_solid_between(const mus_lattice_solid *s, size_t point, const double *of_cell) {
  const mus_lattice_domain *d = s->lattice->domain;
  size_t low = 0;
  double part[3], sum = 0, total = 0;
  for (size_t a = 0; a < 3; ++a) {
    double x = (s->rest[3 * point + a] - s->low[a]) / s->lattice->spacing - 0.5, base = floor(x);
    part[a] = x - base;
    low += (size_t)base * d->stride[a];
  }
  for (int k = 0; k < 8; ++k) {
    size_t cell = low;
    double weight = 1;
    for (int a = 0; a < 3; ++a) {
      cell += k >> a & 1 ? d->stride[a] : 0;
      weight *= k >> a & 1 ? part[a] : 1 - part[a];
    }
    if (mus_lattice_is(d, cell, MUS_LATTICE_SOLID)) {
      sum += weight * of_cell[cell];
      total += weight;
    }
  }
  return total > 1e-3 ? sum / total : of_cell[s->nearest[point]];
}

void mus_lattice_solid_stresses(const mus_lattice_solid *s, double *stress) {
  const mus_turned_level *t = mus_solid_level(s);
  double *of_cell = s->extended[0];
  MUS_PARALLEL_FOR_IF(t->level.domain->solid >= MUS_PAR_MINIMUM)
  for (int k = 0; k < (int)t->level.domain->solid; ++k)
    of_cell[t->cell[k]] = von_mises(s, (size_t)t->cell[k]);
  for (size_t p = 0; p < (size_t)s->points; ++p)
    stress[p] = mus_solid_between(s, p, of_cell);
}
