// Seams in a step. A closed stitch is an equation: its vertex follows the point that it is sewn to, and is no unknown
// of the linear system any more. With x = P x_n (mesh/ties.h), A d = b becomes (P^T A P) d_n = P^T b, in the rows and
// columns of those that follow nobody.
//
// A stitch is due once its thread is almost drawn in. Where the ends of one that is due come near each other at the end
// of a step, they are brought together before contact looks at that step, positions and velocities alike, by impulses
// that keep momentum. Contact keeps them there if it can; if so, they are one from the next step on. What following
// cannot keep (see mesh/ties.h) is brought together in each step anew. Which stitches are closed is seen from positions
// alone, so that checkpoints need not say it.
#ifndef MUS_STEP_SEAMS_H
#define MUS_STEP_SEAMS_H

#include "base/list.h"
#include "muslin/sim.h"
#include "step/scheme.h"

// Ends that are farther apart, m, make a stitch that is due an open one.
#define MUS_SEAM_GAP 1e-4

typedef struct mus_seams {
  int count;             // stitches; 0: everything below is unused
  mus_ties ties;         // those that hold in this step
  unsigned char *closed; // count: those that were to hold
  double *mass;          // vertices: with what followers add, kg
  mus_list rows;         // mus_tie_row, of stitches to be brought together
} mus_seams;

// Arrays come from the arena, except the list's. Free on failure, too.
mus_status mus_seams_create(mus_arena *arena, const mus_model *model, mus_seams *out);
void mus_seams_free(mus_seams *seams);
size_t mus_seams_bytes(const mus_seams *seams); // beyond those of the arena

// What is closed at the beginning of a step: makes ties of it, and has `predicted` and velocities keep them. pinned:
// see step/prescribe.h.
void mus_seams_find(const mus_model *model, const mus_scheme *s, const int *pinned, mus_state *state, double *predicted,
                    mus_seams *seams);
// Of A and b makes P^T A P and P^T b; `matrix` may be NULL. Rows of followers get their mass on the diagonal, and a
// right-hand side of zero.
void mus_seams_reduce(const mus_seams *seams, const mus_model *model, mus_matrix *matrix, double *right);
// After the solve: what followers do.
void mus_seams_expand(const mus_seams *seams, double *change);
// In vertices * 3 numbers, zeros for followers.
void mus_seams_clear(const mus_seams *seams, double *value);
// At the end of the step, before contact: brings together what is due and near.
mus_status mus_seams_close(const mus_model *model, const mus_scheme *s, const int *pinned, mus_state *state,
                           mus_seams *seams);
// The step is done: followers are where they belong, to the last bit, and the record says how well seams are closed.
void mus_seams_settle(const mus_model *model, mus_state *state, const mus_seams *seams, mus_step_record *record);

#endif
