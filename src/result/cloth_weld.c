// See cloth_weld.h.
#include "result/cloth_weld.h"

#include "base/error.h"

// Ends of a stitch that are no farther apart are closed, m.
static const double closed_gap = 1e-4;

static mus_tie tie_of(const mus_stitch *s) {
  int b = s->ratio == 1 ? s->c : s->b, c = s->ratio == 0 ? s->b : s->c;
  return (mus_tie){s->a, b, c, b == c ? 0 : s->ratio};
}

static int is_closed(const mus_tie *tie, int count, const double *const *position) {
  for (int k = 0; k < count; ++k) {
    double gap[3];
    mus_tie_gap(tie, position[k], gap);
    if (mus_length3(gap) > closed_gap)
      return 0;
  }
  return 1;
}

mus_status mus_cloth_weld_create(mus_arena *arena, const mus_result_part *cloth, int count,
                                 const double *const *position, mus_cloth_weld *out) {
  mus_tie *tie = mus_arena_alloc(arena, (size_t)cloth->stitches, sizeof *tie);
  unsigned char *closed = mus_arena_alloc(arena, (size_t)cloth->stitches, 1);
  *out = (mus_cloth_weld){0};
  if (!tie || !closed)
    return mus_fail_memory();
  for (int k = 0; k < cloth->stitches; ++k) {
    mus_tie *made = &tie[out->stitches];
    *made = tie_of(&cloth->stitch[k]);
    if (made->a == made->b || made->a == made->c)
      continue;
    closed[out->stitches] = (unsigned char)is_closed(made, count, position);
    out->closed += closed[out->stitches++];
  }
  return mus_weld_create(arena, &cloth->mesh, out->stitches, tie, closed, 1, &out->weld);
}
