// Strain limits: after the solve, cloth that has been stretched beyond what its fabric allows is brought back.
//
// Of all positions y whose threads are no longer than R the nearest to where the step led, x, in the metric of masses:
//
//   min 1/2 (y - x) . M (y - x) / H^2   with |w_j(y)| <= R_j,   R_j = 1 + limit,   w as in energy/baraff_witkin.h.
//
// The set of such y is convex, so that there is one nearest, and since the start of the step belongs to it, the way
// that is left of the step is not longer than before: no energy is gained. Threads that were too long when the step
// began, by d, are given R = 1 + limit + d exp(-h/tau), and so come back with a bounded speed.
//
// Where few threads are too long, they are shortened one after the other (limit_near.c), which costs next to nothing.
// Where many are, it is found by Newton's method as the minimum of that and of E of energy/strain_limit.h; each round
// solves one linear system of the model's pattern. The stiffness of E, 100 m/H^2 with m the mass of a whole cloth,
// leaves about a hundredth of what is beyond R even where all of a cloth is, whatever its size and the step. With the
// bare maximum for q, a round would hand what is too long from one thread to the next, which it does not see yet; so E
// begins as soft as the worst thread is too long, and gets harder from round to round.
//
// Pinned vertices stay, those that bodies hold stay at their height, and those that response has moved in this step
// stay along the way that they were moved. Response in turn keeps threads within reach where it can (limit_cuts.c): so
// the two come to terms when they take turns. Cloth that
// nothing holds keeps its momentum and its angular momentum. Where pins force more than limits allow, rounds end when
// they no longer help; records count what is left.
#ifndef MUS_STEP_LIMIT_H
#define MUS_STEP_LIMIT_H

#include "step/step.h"

// What it works with, made when it is first needed. Nothing in it matters to the next step, but for what the solver
// remembers.
struct mus_limiter {
  mus_arena arena;
  mus_linear linear;
  double *goal, *gradient, *change; // unknowns: x, and those of a round
  double *pushed;                   // unknowns: where response moved vertices in this step, unit vectors; else 0
  double *best[2];                  // unknowns: positions and velocities of the best end of the step so far
  double *reach, *length;           // 2 * model->limited: R, |w|
  double least;                     // of all limits
  double softness;                  // e
  double *stiffness;                // lists: k, N/m
  int *place;                       // vertices: place in `held`, -1
  unsigned char *marked;            // vertices: scratch
  double *mass;                     // vertices: with what follows them over closed seams, kg
  mus_prescribed held;              // what stays ...
  int steady;                       // ... and how many of these because of pins and bodies
};

// NULL is fine.
void mus_limiter_free(mus_limiter *limiter);
size_t mus_limiter_bytes(const mus_limiter *limiter);
// The solver forgets earlier steps, as after a checkpoint.
void mus_limiter_forget(mus_limiter *limiter);

// Lengths of all threads at these positions (2 * model->limited).
void mus_limit_measure(const mus_model *model, const double *position, double *length);
// By how much of its limit a triangle's thread is beyond its reach: not above 0 where it is within, or has no limit.
// `at` is the place of the triangle's lengths.
static inline double mus_limit_beyond(const mus_element_list *list, const mus_limiter *l, size_t at, size_t direction) {
  return list->limit[direction] > 0 ? (l->length[at + direction] - l->reach[at + direction]) / list->limit[direction]
                                    : 0;
}
// A direction of a triangle that is longer than its reach. Weights sum to 0, and
//   length = normal . sum_k weight[k] x[vertex[k]],
// whose right side never exceeds the length at other positions: what keeps it within reach contains all positions that
// are.
typedef struct mus_long_thread {
  double length, normal[3], weight[3];
  int vertex[3];
} mus_long_thread;
// Returns 0 where it is not longer.
int mus_limit_thread(const mus_element_list *list, int element, int direction, double reach, const double *position,
                     mus_long_thread *out);
// Brings those beyond their reach back one after the other (limit_near.c), as far as some sweeps lead, while no more
// than `most` triangles are. Positions and lengths change; what is held stays.
mus_status mus_limit_near(const mus_step_context *c, mus_limiter *l, size_t most, int *changed);

// Whether threads are so far beyond their limits that they are brought back.
int mus_limit_acts(const mus_step_record *record);
// Brings cloth back where the record, which measures the present state, says that it is beyond its limits. `changed`
// becomes 1 if anything moved; the record is then to be taken again. `before`: positions that response has changed
// since; NULL the first time in a step.
mus_status mus_limit_strains(const mus_step_context *c, const mus_scheme *s, const double *before,
                             mus_step_record *record, int *changed);

// Keeps this end of the step, and goes back to what was kept.
void mus_limit_keep(const mus_step_context *c);
void mus_limit_go_back(const mus_step_context *c);

// What response is to keep to (limit_cuts.c), so that it does not stretch what limits have brought back.
typedef struct mus_limit_cuts {
  const mus_step_context *c;
  const mus_scheme *s;
  int is_ready;       // 1: the limiter knows this step's reaches
  mus_more_cuts more; // for contact
} mus_limit_cuts;
void mus_limit_cuts_begin(const mus_step_context *c, const mus_scheme *s, mus_limit_cuts *out);
// Makes the limiter, and what threads may get to in this step.
mus_status mus_limit_prepare(const mus_step_context *c, const mus_scheme *s);

#endif
