// What contact knows of a scene: the colliding surface, the map from it to the unknowns, masses and frictions, which
// never change; and where that surface is during a step.
//
// Solids on lattices have gone where they go before contact is looked for (step/lattices.h). Their surfaces are bodies
// here, after the scene's, with vertices of their own.
#ifndef MUS_CONTACT_CONTACT_MODEL_H
#define MUS_CONTACT_CONTACT_MODEL_H

#include "collide/surface.h"
#include "contact/surface_map.h"
#include "model/model.h"

typedef struct mus_contact_model {
  mus_surface surface;
  mus_surface_map map; // from the surface's vertices of cloth
  mus_bodies *bodies;
  const mus_pattern *pattern; // of the matrix
  const double *node_mass;    // nodes, kg
  const double *mass;         // cloth vertices of the surface, kg
  double friction;            // cloth on cloth
  double *body_friction;      // bodies
  int lattice_first;          // where vertices of solids on lattices begin, which are bodies here
  int lattice_count;          // of these vertices
  int *lattice_vertex;        // the model's number of each
} mus_contact_model;

// A surface that is carried by the model's nodes in place of the cloths' own triangles. The nodes of each vertex must
// share blocks of the matrix, as those of one element do.
typedef struct mus_embedded_surface {
  mus_surface_map map;
  int triangles;
  const int *triangle;  // triangles * 3
  const double *radius; // map.vertices: half the thickness, m
} mus_embedded_surface;

// embedded: NULL if cloths are their own surface. All arrays come from the arena, except what is the model's.
mus_status mus_contact_model_create(mus_arena *arena, const mus_model *model, const mus_embedded_surface *embedded,
                                    mus_contact_model *out);

// Puts the surfaces of solids on lattices, from positions of the model, into those of the surface (vertices * 3).
void mus_contact_model_place_lattices(const mus_contact_model *contact, const double *position, double *x);

// The surface during one step. Cloth has no end position until the linear system is solved; bodies have one at once.
typedef struct mus_contact_motion {
  double h, length;                   // s: of the step, and H of step/scheme.h
  int still;                          // 1: there is no friction, see mus_contact_step
  int one_sided;                      // 1: the step is minimised, see mus_contact_step
  double *x0, *x1;                    // vertices * 3: at the step's beginning and end
  const double *velocity, *predicted; // cloth vertices * 3: at the beginning, and X of step/scheme.h
  unsigned char *pinned;              // cloth vertices: 1 if pins prescribe the motion of this step
  const double *node_velocity;        // nodes * 3: at the beginning
  const int *node_pinned;             // nodes: 0 or more if a pin prescribes the motion, else -1
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
