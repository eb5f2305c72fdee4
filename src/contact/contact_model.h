// What contact knows of a scene: the colliding surface with its masses and frictions, which never change, and where
// that surface is during a step.
#ifndef MUS_CONTACT_CONTACT_MODEL_H
#define MUS_CONTACT_CONTACT_MODEL_H

#include <string.h>

#include "collide/surface.h"
#include "model/model.h"

typedef struct mus_contact_model {
  mus_surface surface;
  mus_bodies *bodies;
  const double *mass;    // cloth vertices of the surface, kg
  double friction;       // cloth on cloth
  double *body_friction; // bodies
} mus_contact_model;

// All arrays come from the arena, except the masses and bodies, which are the model's.
mus_status mus_contact_model_create(mus_arena *arena, const mus_model *model, mus_contact_model *out);

// The surface during one step. Cloth has no end position until the linear system is solved; bodies have one at once.
typedef struct mus_contact_motion {
  double h, length;                   // s: of the step, and H of step.c
  double *x0, *x1;                    // vertices * 3: at the step's beginning and end
  const double *velocity, *predicted; // cloth vertices * 3: at the beginning, and X of step.c
  unsigned char *pinned;              // cloth vertices: 1 if a pin prescribes the motion of this step
} mus_contact_motion;

static inline int mus_is_cloth(const mus_contact_model *contact, int vertex) {
  return vertex < contact->surface.cloth_vertices;
}

// Splits u: returns its length along the unit normal, and leaves the rest in `across`.
static inline double mus_split_along(const double *normal, const double *u, double *across) {
  double along = mus_dot3(normal, u);
  memcpy(across, u, 3 * sizeof *across);
  mus_add_scaled3(-along, normal, across);
  return along;
}

#endif
