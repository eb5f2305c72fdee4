// See secant_search.h.
#include "step/minimise/secant_search.h"

#include "base/error.h"
#include "par/vector.h"

mus_status mus_secant_search_create(mus_arena *arena, size_t unknowns, int most, mus_secant_search *out) {
  out->turned = mus_arena_alloc_zero(arena, unknowns, sizeof *out->turned);
  out->correction = mus_arena_alloc_zero(arena, unknowns, sizeof *out->correction);
  return out->turned && out->correction ? mus_secants_create(arena, unknowns, most, &out->secants) : mus_fail_memory();
}

void mus_secant_search_begin(mus_secant_search *search) {
  mus_secants_clear(&search->secants);
  search->length = 0;
}

const double *mus_secant_search_right(mus_secant_search *search, const mus_minimisation *m) {
  if (!search->turned)
    return m->free;
  if (search->length > 0)
    mus_secants_note(&search->secants, search->length, search->correction, m->free);
  search->length = 0;
  mus_secants_down(&search->secants, m->free, search->turned);
  return search->turned;
}

void mus_secant_search_turn(mus_secant_search *search, const mus_minimisation *m) {
  double *change = m->c->work->change;
  if (!search->turned)
    return;
  mus_secants_up(&search->secants, change);
  mus_prescribed_clear(&m->c->work->prescribed, change);
  mus_copy(m->c->work->unknowns, change, search->correction);
}
