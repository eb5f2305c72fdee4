// See secants.h.
#include "step/secants.h"

#include "base/error.h"
#include "par/vector.h"

// A pair counts where y.s is above this part of y.y and s.s together: elsewhere it says nothing.
static const double least = 1e-12;

mus_status mus_secants_create(mus_arena *arena, size_t unknowns, int most, mus_secants *out) {
  *out = (mus_secants){.unknowns = unknowns, .most = most};
  size_t all = (size_t)most * unknowns;
  out->s = mus_arena_alloc(arena, all, sizeof *out->s);
  out->y = mus_arena_alloc(arena, all, sizeof *out->y);
  out->before = mus_arena_alloc(arena, most > 0 ? unknowns : 0, sizeof *out->before);
  return out->s && out->y && out->before ? MUS_OK : mus_fail_memory();
}

void mus_secants_clear(mus_secants *secants) { secants->count = secants->next = 0; }

void mus_secants_note(mus_secants *secants, double part, const double *change, const double *r) {
  size_t n = secants->unknowns;
  double *s = secants->s + n * (size_t)secants->next, *y = secants->y + n * (size_t)secants->next;
  mus_copy(n, change, s);
  mus_scale(n, part, s);
  mus_copy(n, r, y);
  mus_xpay(n, secants->before, -1, y);
  double product = mus_dot(n, y, s);
  if (!(product > 0) || product * product <= least * least * mus_dot(n, y, y) * mus_dot(n, s, s))
    return;
  secants->product[secants->next] = product;
  secants->next = (secants->next + 1) % secants->most;
  secants->count += secants->count < secants->most;
}

// The place of the k-th newest pair.
static size_t place_of(const mus_secants *secants, int k) {
  return (size_t)((secants->next - 1 - k + 2 * secants->most) % secants->most);
}

void mus_secants_down(mus_secants *secants, const double *r, double *q) {
  size_t n = secants->unknowns;
  mus_copy(n, r, secants->before);
  mus_copy(n, r, q);
  for (int k = 0; k < secants->count; ++k) {
    size_t at = place_of(secants, k);
    secants->along[at] = mus_dot(n, secants->s + n * at, q) / secants->product[at];
    mus_axpy(n, -secants->along[at], secants->y + n * at, q);
  }
}

void mus_secants_up(const mus_secants *secants, double *z) {
  size_t n = secants->unknowns;
  for (int k = secants->count - 1; k >= 0; --k) {
    size_t at = place_of(secants, k);
    double back = mus_dot(n, secants->y + n * at, z) / secants->product[at];
    mus_axpy(n, secants->along[at] - back, secants->s + n * at, z);
  }
}
