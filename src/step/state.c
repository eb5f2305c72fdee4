// See state.h.
#include "step/state.h"

#include <string.h>

#include "base/error.h"
#include "par/vector.h"

mus_status mus_state_create(mus_arena *arena, int vertices, int bonds, size_t lattice, mus_state *out) {
  *out = (mus_state){.bond_count = bonds, .lattice_count = lattice};
  double **vectors[] = {&out->position, &out->velocity, &out->position_before, &out->velocity_before};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(arena, 3 * (size_t)vertices, sizeof(double))))
      return mus_fail_memory();
  out->bonds = mus_arena_alloc_zero(arena, (size_t)bonds, sizeof *out->bonds);
  out->lattice = mus_arena_alloc_zero(arena, lattice, sizeof *out->lattice);
  return out->bonds && out->lattice ? MUS_OK : mus_fail_memory();
}

void mus_state_copy(const mus_state *from, int vertices, mus_state *to) {
  mus_state copy = *from;
  size_t unknowns = 3 * (size_t)vertices;
  copy.position = to->position;
  copy.velocity = to->velocity;
  copy.position_before = to->position_before;
  copy.velocity_before = to->velocity_before;
  copy.contact = to->contact;
  copy.bonds = to->bonds;
  copy.lattice = to->lattice;
  mus_copy(from->lattice_count, from->lattice, copy.lattice);
  if (from->bond_count > 0)
    memcpy(copy.bonds, from->bonds, (size_t)from->bond_count * sizeof *copy.bonds);
  mus_contact_state_copy(&from->contact, &copy.contact);
  mus_copy(unknowns, from->position, copy.position);
  mus_copy(unknowns, from->velocity, copy.velocity);
  mus_copy(unknowns, from->position_before, copy.position_before);
  mus_copy(unknowns, from->velocity_before, copy.velocity_before);
  *to = copy;
}
