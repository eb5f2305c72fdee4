// Contact of vertices with bodies alone, by terms of the linear solve (energy/touch.h): for linearised steps and those
// of Projective Dynamics, on the host and on devices alike. Steps that are minimised have touch_terms.h.
#ifndef MUS_CONTACT_TOUCH_H
#define MUS_CONTACT_TOUCH_H

#include "contact/holds.h"
#include "energy/touch.h"
#include "model/model.h"
#include "sparse/shared.h"

// What a step works with. Vertices remember their push from step to step (mus_hold.push).
typedef struct mus_touch {
  mus_arena arena;
  int vertices, bodies;
  mus_touch_body *body; // in this step
  double *half;         // vertices, m
  size_t grid_count;
  float *grid;          // distances of all bodies that have one
  mus_touched *touched; // vertices, in this step
  double *push;         // vertices, N: at its end
  double *impulse;      // vertices * 3, kg m/s: likewise
  int count;            // vertices that touch

  // Vertices, in a step that is minimised (touch_terms.h); NULL: there has been none.
  struct mus_touch_term *term;
} mus_touch;

// NULL in `out` if the scene wants none. MUS_UNSUPPORTED names what it cannot have.
mus_status mus_touch_create(const mus_model *model, mus_touch **out);
void mus_touch_free(mus_touch *touch); // NULL is fine
size_t mus_touch_bytes(const mus_touch *touch);

// A step; `pinned` as in mus_contact_step.
typedef struct mus_touch_step {
  double time, h, length; // s: its end, and H
  const double *position, *velocity, *predicted;
  const int *pinned;
  const mus_hold *hold;
} mus_touch_step;

// Vertex i as energy/touch.h takes it.
mus_touch_vertex mus_touch_vertex_of(const mus_model *model, const mus_touch_step *step, const mus_touch *touch, int i);
// Where bodies are in the step.
void mus_touch_place(const mus_model *model, double begin, double end, mus_touch *touch);
// Which vertices touch one of them, with the matrix as it is without that, and adds what keeps them off.
void mus_touch_load_step(const mus_model *model, const mus_touch_step *step, mus_touch *touch, mus_matrix *matrix,
                         double *right);

// The same in steps of Projective Dynamics: which vertices touch a body, with `value` of the pattern, which the
// coordinates share, and the blocks that there are without that; what they add to those; and in its iterations their
// part of the step's right-hand side and energy (J) at velocities v'.
void mus_touch_find_step(const mus_model *model, const mus_touch_step *step, mus_touch *touch, const double *value,
                         const mus_shared_blocks *blocks);
mus_status mus_touch_lump(const mus_touch *touch, mus_shared_blocks *blocks);
void mus_touch_load_right(const mus_touch *touch, const double *velocity, double *right);
double mus_touch_potential(const mus_touch *touch, const double *velocity);

// After the solve, at the velocities v' that it led to.
void mus_touch_measure(double length, const double *velocity, mus_touch *touch);
// J: what bodies have done to vertices on their way from `start` to `end` in a step of length H.
double mus_touch_work(const mus_touch *touch, const double *counted, const double *start, const double *end,
                      double length);
// What the next step has to know.
void mus_touch_keep(const mus_touch *touch, mus_hold *hold);

#endif
