// Forces on a solid that depend on how it is deformed: contact and damping, as parts of a solve.
//
// Contact at a point that is deeper than its body's half space by g = d - n.x > 0: k g along n, and across it -k s, or
// friction k g in the direction of -s if that is less, where s is the spring's elongation at the start of the step and
// what the point has moved since along the body. Springs begin at 0, and keep what they have from step to step, so that
// what sticks does not creep. In cycles, each displacement is held by a bound for what springs do to it, the sums of
// the sizes of rows of E^T W^T K W E.
//
// Damping: with beta = damping / step, stresses are P + beta (P - Q P0) with Q = R R0^T, the turn of the cell in this
// step. Divided by 1 + beta that is P - gamma P0 - gamma (Q - 1) P0. P0 itself are forces on faces, the same throughout
// the step, and exact where nothing moves; (Q - 1) P0 is that of cells, and its divergence is taken as that of R is.
#include <math.h>
#include <string.h>

#include "base/vector3.h"
#include "lattice/rotations.h"
#include "lattice/solid_state.h"
#include "par/par.h"

// Bounds are those of displacements that alternate in sign from face to face, which few are: so much of them is best.
#define BOUND_PART 0.3

static int is(const mus_lattice_domain *d, size_t cell, uint32_t flags) { return mus_lattice_is(d, cell, flags); }

// --- contact -------------------------------------------------------------------------------------------------------

// What of v lies across the unit vector n.
static void cross_part(const double n[3], const double v[3], double out[3]) {
  double along = mus_dot3(n, v);
  for (int a = 0; a < 3; ++a)
    out[a] = v[a] - along * n[a];
}

static void touch_point(const mus_lattice_solid *s, size_t p, mus_contact *out) {
  const mus_lattice_touch *t = &s->touch[p];
  const double *x = s->position + 3 * p;
  *out = (mus_contact){.depth = t->offset - mus_dot3(t->normal, x)};
  if (!(mus_dot3(t->normal, t->normal) > 0) || out->depth <= 0)
    return;
  double k = s->settings.contact * s->settings.young / s->lattice->spacing * s->area[p], force = k * out->depth;
  memcpy(out->normal, t->normal, sizeof out->normal);
  out->is_active = 1;
  out->stiffness[0] = k;
  mus_scale3(force, t->normal, out->force);
  if (!(t->friction > 0))
    return;
  double moved[3];
  for (size_t a = 0; a < 3; ++a)
    moved[a] = s->slip[3 * p + a] + x[a] - s->began[3 * p + a] - s->seconds * t->velocity[a];
  cross_part(t->normal, moved, out->slip);
  double length = mus_length3(out->slip), most = t->friction * force / k;
  double part = length > most ? most / length : 1;
  out->stiffness[1] = k * part;
  mus_scale3(part, out->slip, out->slip);
  for (int a = 0; a < 3; ++a)
    out->force[a] -= k * out->slip[a];
}

static void find_contacts(mus_lattice_solid *s) {
  mus_solid_point_values(s, s->embedding, s->lattice->finest.x, s->position);
  for (size_t k = 0; k < 3 * (size_t)s->points; ++k)
    s->position[k] += s->rest[k];
  memset(s->touch, 0, (size_t)s->points * sizeof *s->touch);
  s->step->touch(s->step->context, s->points, s->position, s->touch);
  s->contacts = 0;
  for (size_t p = 0; p < (size_t)s->points; ++p) {
    touch_point(s, p, &s->contact[p]);
    s->contacts += s->contact[p].is_active;
    memcpy(s->point_force + 3 * p, s->contact[p].force, sizeof s->contact[p].force);
  }
}

// In right-hand sides, a force F on a face is -F / (mu h).
static double unit_of_force(const mus_lattice_solid *s) { return s->lattice->shear * s->lattice->spacing; }

static void add_contacts(mus_lattice_solid *s) {
  const mus_lattice_domain *d = s->lattice->domain;
  double factor = -1 / unit_of_force(s);
  find_contacts(s);
  if (s->contacts == 0)
    return;
  mus_embedding_spread(s->embedding, s->point_force, s->spread);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k)
      if (is(d, (size_t)s->face[a][k], (uint32_t)MUS_LATTICE_UNKNOWN << a))
        s->lattice->finest.b[a][s->face[a][k]] += factor * s->spread[a][s->face[a][k]];
}

void mus_solid_stiffen(void *solid) {
  mus_lattice_solid *s = solid;
  const mus_corotational *c = s->lattice->corotational;
  const double factor = BOUND_PART / unit_of_force(s);
  for (int a = 0; a < 3; ++a)
    memcpy(c->level[0].held[a], c->solved.held[a], s->lattice->domain->cells * sizeof(double));
  if (s->contacts == 0)
    return;
  for (size_t p = 0; p < (size_t)s->points; ++p)
    for (size_t a = 0; a < 3; ++a) {
      const mus_contact *at = &s->contact[p];
      double sum = 0;
      for (size_t b = 0; b < 3; ++b) {
        double pair = at->normal[a] * at->normal[b];
        sum += fabs(at->stiffness[0] * pair + at->stiffness[1] * ((a == b) - pair)) * s->bound[3 * p + b];
      }
      s->point_force[3 * p + a] = sum;
    }
  mus_embedding_spread_sizes(s->embedding, s->point_force, s->spread);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k)
      if (is(s->lattice->domain, (size_t)s->face[a][k], (uint32_t)MUS_LATTICE_UNKNOWN << a))
        c->level[0].held[a][s->face[a][k]] += factor * s->spread[a][s->face[a][k]];
}

// --- damping -------------------------------------------------------------------------------------------------------

// Stresses of cells, as turned.h has them, and the forces on faces they make.
void mus_solid_begin_damping(mus_lattice_solid *s) {
  mus_lattice *l = s->lattice;
  const mus_turned_level *t = &l->corotational->solved;
  const double h = l->spacing, beta = s->damped - 1,
               factor = beta * s->settings.young / (2 + 2 * s->settings.poisson) * h;
  for (size_t k = 0; k < l->domain->solid; ++k) {
    double r[9], c[9], f[9];
    mus_rotations_get(t, (size_t)t->cell[k], r, c);
    mus_rotations_gradient(t, (size_t)t->cell[k], h, r, c, f);
    for (int e = 0; e < 9; ++e) {
      s->stress[9 * k + (size_t)e] = 2 * h * (f[e] - r[e]) - c[e] * t->level.x[3][t->cell[k]];
      s->turn[9 * k + (size_t)e] = r[e];
    }
  }
  for (int a = 0; a < 3; ++a)
    memset(t->level.b[a], 0, l->domain->cells * sizeof(double));
  mus_rotations_load(&l->corotational->solved, h);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      if (!is(l->domain, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        continue;
      double row = mus_turned_face_row(t, a, n) + t->held[a][n] * t->level.x[a][n] - t->level.b[a][n];
      l->force[a][n] -= factor * row;
    }
}

// -gamma (Q - 1) P0 in cells.
static void turn_stresses(mus_lattice_solid *s) {
  const mus_turned_level *t = mus_solid_level(s);
  const double gamma = (s->damped - 1) / s->damped;
  MUS_PARALLEL_FOR_IF(t->level.domain->solid >= MUS_PAR_MINIMUM)
  for (int k = 0; k < (int)t->level.domain->solid; ++k) {
    const double *stress = s->stress + 9 * (size_t)k, *r0 = s->turn + 9 * (size_t)k;
    size_t cell = (size_t)t->cell[k];
    double back[9];
    for (int i = 0; i < 3; ++i) // R0^T P0
      for (int j = 0; j < 3; ++j)
        back[3 * i + j] = r0[i] * stress[j] + r0[3 + i] * stress[3 + j] + r0[6 + i] * stress[6 + j];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double turned = 0;
        for (int e = 0; e < 3; ++e)
          turned += t->rotation[3 * i + e][cell] * back[3 * e + j];
        s->turned[3 * i + j][cell] = -gamma * (turned - stress[3 * i + j]);
      }
  }
}

void mus_solid_act(void *solid) {
  mus_lattice_solid *s = solid;
  if (s->step && s->step->touch)
    add_contacts(s);
  if (s->step && s->stress) {
    turn_stresses(s);
    mus_rotations_add_divergence(&s->lattice->corotational->solved, (const double *const *)s->turned);
  }
}
