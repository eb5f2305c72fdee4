// Forces on the faces of a lattice. In the units of level.h, a force F on a face is b = -F / (mu h).
//
// A face at a free boundary has no equation. What acts on it is the normal stress in its cell, sigma_aa = F / h^2
// upwards, and so it acts on the cell's opposite face as well, and enters the cell's equation, where
// D_a u_a = (p + sigma_aa) / 2. The total of all forces stays what it is.
#include "lattice/lattice_state.h"

#include "par/par.h"

void mus_lattice_add_weight(mus_lattice *lattice, double density, const double gravity[3]) {
  const mus_lattice_domain *d = lattice->domain;
  double half = density * lattice->spacing * lattice->spacing * lattice->spacing / 2;
  for (size_t cell = 0; cell < d->cells; ++cell)
    for (int a = 0; a < 3 && mus_lattice_is(d, cell, MUS_LATTICE_SOLID); ++a) {
      lattice->force[a][cell] += half * gravity[a];
      lattice->force[a][cell + d->stride[a]] += half * gravity[a];
    }
}

void mus_lattice_add_traction(mus_lattice *lattice, size_t cell, int axis, int side, const double traction[3]) {
  const size_t *stride = lattice->domain->stride;
  double area = lattice->spacing * lattice->spacing;
  for (int a = 0; a < 3; ++a) {
    if (a == axis) {
      lattice->force[a][side ? cell + stride[a] : cell] += area * traction[a];
    } else {
      lattice->force[a][cell] += area * traction[a] / 2;
      lattice->force[a][cell + stride[a]] += area * traction[a] / 2;
    }
  }
}

void mus_lattice_add_inertia(mus_lattice *lattice, const double *const predicted[3]) {
  const mus_lattice_domain *d = lattice->domain;
  double factor = lattice->inertia * lattice->spacing * lattice->spacing * lattice->spacing;
  for (int a = 0; a < 3; ++a)
    for (size_t cell = 0; cell < d->cells; ++cell)
      if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        lattice->force[a][cell] += factor * predicted[a][cell];
}

void mus_lattice_load(mus_lattice *lattice) {
  const mus_lattice_domain *d = lattice->domain;
  mus_lattice_level *l = &lattice->finest;
  double factor = -1 / (lattice->shear * lattice->spacing);
  MUS_PARALLEL_FOR_IF(mus_lattice_is_large(d))
  for (int row = 0; row < mus_lattice_rows(d); ++row)
    for (size_t n = (size_t)row * d->stride[1]; n < (size_t)(row + 1) * d->stride[1]; ++n) {
      for (int a = 0; a < 3; ++a)
        l->b[a][n] = factor * lattice->force[a][n];
      l->b[3][n] = 0;
    }
  for (int k = 0; k < d->outer_count; ++k)
    for (int a = 0; a < 3; ++a) {
      size_t face = (size_t)d->outer[k], below = face - d->stride[a];
      if (!mus_lattice_is(d, face, (uint32_t)MUS_LATTICE_NEAR << a))
        continue;
      int is_lower = mus_lattice_is(d, face, MUS_LATTICE_SOLID); // of its cell's two faces
      l->b[a][is_lower ? face + d->stride[a] : below] += l->b[a][face];
      l->b[3][is_lower ? face : below] += is_lower ? -l->b[a][face] / 2 : l->b[a][face] / 2;
    }
}
