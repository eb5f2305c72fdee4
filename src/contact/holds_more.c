// Holds that change within a step that is minimised. See holds.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/distance.h"
#include "contact/holds.h"

// Part of its weight on earth that a body has to pull for a vertex to be let go.
static const double pull = 0.1;
// The same that friction has to lack for one that sticks to slide.
static const double slip = 0.02;
// Part of the gap by which a vertex may be off the surface that it slides on.
static const double off_surface = 0.1;

// The corners of a body's triangle in one of the two places of the step.
static void body_triangle(const mus_surface *surface, int face, const double *x, double corner[3][3]) {
  for (int k = 0; k < 3; ++k)
    memcpy(corner[k], x + 3 * (size_t)surface->triangle[3 * (size_t)face + (size_t)k], sizeof corner[k]);
}

// Holds the vertex to the plane through a point of its face, by parts of the corners, at the end of the step: `gap`
// above it along the normal.
static void hold_to_plane(const mus_contact_model *contact, const mus_contact_motion *motion, const double *part,
                          double gap, mus_held *held) {
  double before[3][3], after[3][3], point[3] = {0, 0, 0}, start[3] = {0, 0, 0};
  body_triangle(&contact->surface, held->face, motion->x0, before);
  body_triangle(&contact->surface, held->face, motion->x1, after);
  for (int k = 0; k < 3; ++k) {
    mus_add_scaled3(part[k], after[k], point);
    mus_add_scaled3(part[k], before[k], start);
  }
  mus_subtract3(point, start, held->velocity);
  mus_scale3(1 / motion->h, held->velocity, held->velocity);
  mus_subtract3(point, motion->predicted + 3 * (size_t)held->vertex, point);
  double speed = (mus_dot3(held->normal, point) + gap) / motion->length;
  memcpy(held->wanted, held->velocity, sizeof held->wanted);
  mus_add_scaled3(speed - mus_dot3(held->normal, held->velocity), held->normal, held->wanted);
}

// --- order -----------------------------------------------------------------------------------------------------------

static int by_vertex(const void *a, const void *b) {
  int first = ((const mus_held *)a)->vertex, second = ((const mus_held *)b)->vertex;
  return (first > second) - (first < second);
}

void mus_holds_arrange(const mus_contact_model *contact, mus_holds *holds) {
  mus_held *held = holds->held.items;
  size_t kept = 0;
  for (size_t k = 0; k < holds->held.count; ++k)
    if (held[k].state != MUS_HOLD_FREE)
      held[kept++] = held[k];
  holds->held.count = kept;
  if (kept > 0)
    qsort(held, kept, sizeof *held, by_vertex);
  for (int i = 0; i < contact->surface.cloth_vertices; ++i)
    holds->place[i] = -1;
  for (size_t k = 0; k < kept; ++k)
    holds->place[held[k].vertex] = (int)k;
}

double mus_holds_off(const mus_contact_model *contact, const mus_holds *holds, const double *velocity) {
  double most = 0;
  for (size_t k = 0; k < holds->held.count && mus_map_is_identity(&contact->map); ++k) {
    const mus_held *h = &mus_held_vertices(holds)[k];
    double change[3];
    mus_subtract3(h->wanted, velocity + 3 * (size_t)h->vertex, change);
    most = fmax(most, h->state == MUS_HOLD_STICKS ? mus_length3(change) : fabs(mus_dot3(h->normal, change)));
  }
  return most;
}

// --- where the surface is --------------------------------------------------------------------------------------------

// The closest point of a triangle at the end of the step: its parts of the corners, and the distance.
static double closest_on(const mus_surface *surface, int face, const double *x1, const double *point, double *part) {
  double x[4][3], weight[4];
  memcpy(x[0], point, sizeof x[0]);
  body_triangle(surface, face, x1, x + 1);
  double distance = mus_vertex_face_distance((const double(*)[3])x, weight);
  for (int k = 0; k < 3; ++k)
    part[k] = -weight[k + 1];
  return distance;
}

// Goes from a triangle to the closest of those around its corners, as long as that gets closer. Returns the triangle.
static int walk_to_closest(const mus_surface *surface, int face, const double *x1, const double *point, double *part,
                           double *distance) {
  enum { HOPS = 16 };
  *distance = closest_on(surface, face, x1, point, part);
  for (int hop = 0, last = -1; hop < HOPS && last != face; ++hop) {
    last = face;
    for (int k = 0; k < 3; ++k) {
      int corner = surface->triangle[3 * (size_t)last + (size_t)k];
      for (int n = surface->vertex_start[corner]; n < surface->vertex_start[corner + 1]; ++n) {
        double other[3], length = closest_on(surface, surface->vertex_triangle[n], x1, point, other);
        if (length < *distance) {
          *distance = length;
          face = surface->vertex_triangle[n];
          memcpy(part, other, sizeof other);
        }
      }
    }
  }
  return face;
}

// The direction away from the surface at its closest point, on the side where the vertex was held so far, and how far
// the vertex is on that side. 0 if this cannot be told.
static int side_of(const double corner[3][3], const double *part, const double *point, double gap, const double *before,
                   double *normal, double *height) {
  double away[3], first[3], second[3];
  memcpy(away, point, sizeof away);
  for (int k = 0; k < 3; ++k)
    mus_add_scaled3(-part[k], corner[k], away);
  double distance = mus_length3(away);
  if (distance > off_surface * gap) {
    mus_scale3(1 / distance, away, normal);
  } else {
    mus_subtract3(corner[1], corner[0], first);
    mus_subtract3(corner[2], corner[0], second);
    mus_cross3(first, second, normal);
    double length = mus_length3(normal);
    if (length == 0)
      return 0;
    mus_scale3(1 / length, normal, normal);
  }
  if (mus_dot3(normal, before) < 0)
    mus_scale3(-1, normal, normal);
  *height = mus_dot3(normal, away);
  return mus_dot3(normal, before) > 0.3;
}

static int follow(const mus_contact_model *contact, const mus_contact_motion *motion, mus_held *held) {
  const mus_surface *surface = &contact->surface;
  const double *point = motion->x1 + 3 * (size_t)held->vertex;
  double part[3], corner[3][3], normal[3], distance, height;
  int face = walk_to_closest(surface, held->face, motion->x1, point, part, &distance);
  double gap = MUS_RESTING * mus_vertex_face_gap(surface, held->vertex, face);
  body_triangle(surface, face, motion->x1, corner);
  if (!side_of((const double(*)[3])corner, part, point, gap, held->normal, normal, &height) ||
      fabs(height - gap) < off_surface * gap)
    return 0;
  held->face = face;
  memcpy(held->normal, normal, sizeof normal);
  hold_to_plane(contact, motion, part, gap, held);
  return 1;
}

int mus_holds_follow(const mus_contact_model *contact, const mus_contact_motion *motion, mus_holds *holds) {
  mus_held *held = holds->held.items;
  int moved = 0;
  for (size_t k = 0; k < holds->held.count; ++k)
    if (held[k].state == MUS_HOLD_SLIDES && !held[k].leaving && mus_map_is_identity(&contact->map))
      moved += follow(contact, motion, &held[k]);
  return moved;
}

// --- at the minimum --------------------------------------------------------------------------------------------------

static double speed_along_surface(const mus_held *held, const double *velocity) {
  double relative[3], across[3];
  mus_subtract3(velocity, held->velocity, relative);
  mus_split_along(held->normal, relative, across);
  return mus_length3(across);
}

int mus_holds_revise(const mus_contact_model *contact, const mus_contact_motion *motion, const double *left,
                     const double *velocity, mus_holds *holds, mus_rubbed *rubbed) {
  mus_held *held = holds->held.items;
  int revised = 0;
  for (size_t k = 0; k < holds->held.count && mus_map_is_identity(&contact->map); ++k) {
    mus_held *h = &held[k];
    size_t at = 3 * (size_t)h->vertex;
    double impulse[3], across[3], least = pull * contact->mass[h->vertex] * 9.81 * motion->length;
    mus_scale3(-1, left + at, impulse);
    double along = mus_split_along(h->normal, impulse, across), limit = h->friction * fmax(along, 0);
    if (h->leaving)
      continue;
    if (along < -least) {
      h->state = MUS_HOLD_FREE;
      ++revised;
    } else if (h->state == MUS_HOLD_STICKS && mus_length3(across) > limit + slip / pull * least) {
      h->state = MUS_HOLD_SLIDES;
      h->limit = limit;
      h->bounded = 1;
      ++revised;
    } else if (h->state == MUS_HOLD_SLIDES) {
      mus_rubbed_add(rubbed, h->limit, limit, speed_along_surface(h, velocity + at));
      h->limit = limit;
    }
  }
  return revised;
}
