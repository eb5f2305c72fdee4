// See conjugate.h.
#include "step/minimise/conjugate.h"

#include <math.h>

#include "base/error.h"
#include "par/vector.h"

mus_status mus_conjugate_create(mus_arena *arena, size_t unknowns, mus_conjugate *out) {
  *out = (mus_conjugate){.right = mus_arena_alloc_zero(arena, unknowns, sizeof(double)),
                         .way = mus_arena_alloc_zero(arena, unknowns, sizeof(double))};
  return out->right && out->way ? MUS_OK : mus_fail_memory();
}

void mus_conjugate_apply(mus_minimisation *m, mus_conjugate *conjugate, int anew, double slope) {
  size_t unknowns = m->c->work->unknowns;
  double *change = m->c->work->change, product = mus_dot(unknowns, m->free, change), keep = 0;
  if (!anew)
    keep = fmax((product - mus_dot(unknowns, conjugate->right, change)) / conjugate->product, 0);
  if (keep > 0) {
    mus_axpy(unknowns, keep, conjugate->way, change);
    if (!(mus_dot(unknowns, m->free, change) > slope * product))
      mus_axpy(unknowns, -keep, conjugate->way, change);
  }
  mus_copy(unknowns, m->free, conjugate->right);
  mus_copy(unknowns, change, conjugate->way);
  conjugate->product = product;
}
