// Strains and momenta of a solid that moves. See solid.h.
//
// Faces carry the mass of the cells beside them, each for its own component: momenta and potentials are sums over
// faces, angular momenta over cells.
#include <math.h>
#include <string.h>

#include "base/vector3.h"
#include "energy/svd3.h"
#include "lattice/solid_state.h"
#include "par/par.h"

static double farthest_strain(const double f[9]) {
  double u[9], s[3], v[9];
  mus_svd3(f, u, s, v);
  double low = s[2] - 1, high = s[0] - 1;
  return -low > high ? low : high;
}

void mus_lattice_solid_strains(const mus_lattice_solid *s, double *volume, double *strain) {
  const mus_turned_level *t = mus_solid_level(s);
  double *volume_of = s->extended[0], *strain_of = s->extended[1];
  MUS_PARALLEL_FOR
  for (int k = 0; k < (int)t->level.domain->solid; ++k) {
    double r[9], f[9];
    mus_solid_cell_gradient(s, (size_t)t->cell[k], r, f);
    volume_of[t->cell[k]] = mus_solid_cell_volume(s, (size_t)t->cell[k]);
    strain_of[t->cell[k]] = farthest_strain(f);
  }
  for (size_t p = 0; p < (size_t)s->points; ++p) {
    volume[p] = mus_solid_between(s, p, volume_of);
    strain[p] = mus_solid_between(s, p, strain_of);
  }
}

static void add_spin(const mus_lattice_solid *s, size_t cell, double mass, double spin[3]) {
  const mus_lattice_domain *d = s->lattice->domain;
  double x[3], v[3], turn[3];
  mus_solid_face_place(s, cell, 0, x);
  x[0] += s->lattice->spacing / 2;
  for (int a = 0; a < 3; ++a) {
    const double *u = s->lattice->finest.x[a];
    x[a] += (u[cell] + u[cell + d->stride[a]]) / 2;
    v[a] = (s->velocity[a][cell] + s->velocity[a][cell + d->stride[a]]) / 2;
  }
  mus_cross3(x, v, turn);
  mus_add_scaled3(mass, turn, spin);
}

void mus_lattice_solid_momenta(const mus_lattice_solid *s, const double gravity[3], double *potential,
                               double momentum[3], double angular_momentum[3]) {
  const mus_turned_level *t = mus_solid_level(s);
  double mass = s->settings.density * pow(s->lattice->spacing, 3);
  *potential = 0;
  for (int a = 0; a < 3; ++a) {
    momentum[a] = angular_momentum[a] = 0;
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t cell = (size_t)s->face[a][k];
      double x[3];
      mus_solid_face_place(s, cell, a, x);
      *potential -= s->mass[a][cell] * gravity[a] * (x[a] + s->lattice->finest.x[a][cell]);
      momentum[a] += s->mass[a][cell] * s->velocity[a][cell];
    }
  }
  for (size_t k = 0; k < t->level.domain->solid; ++k)
    add_spin(s, (size_t)t->cell[k], mass, angular_momentum);
}
