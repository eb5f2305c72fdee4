// The energy of a solid: of inertia, sum of m v^2 / 2, and of elasticity, that of turned.h, whose squares of gradients
// are means over the edges of cells.
#include "lattice/rotations.h"
#include "lattice/solid_state.h"

// Over mu h^3.
static double cell_energy(const mus_lattice_solid *s, size_t cell) {
  const mus_turned_level *t = mus_solid_level(s);
  const mus_lattice_domain *d = t->level.domain;
  double r[9], c[9], f[9], square = 0, trace = 0, h = s->lattice->spacing;
  mus_rotations_get(t, cell, r, c);
  mus_rotations_gradient(t, cell, h, r, c, f);
  for (int i = 0; i < 9; ++i) {
    int a = i / 3, b = i % 3;
    trace += r[i] * f[i];
    square += a == b ? f[i] * f[i] : 0;
    for (int k = 0; k < 4 && a != b; ++k) {
      size_t edge = mus_turned_edge(d, cell, a, b, k & 1, k >> 1);
      mus_turned_sample sample = mus_turned_sample_at(t, cell, a, b, k & 1, k >> 1);
      double slope = (t->level.x[a][edge] - t->level.x[a][edge - d->stride[b]]) / h;
      double given = r[i] + c[i] * t->level.x[3][cell] / (2 * h);
      square += sample == MUS_SAMPLE_GIVEN ? given * given / 4 : mus_turned_part(sample) * slope * slope;
    }
  }
  double change = mus_rotations_cofactors(f, c) - 1;
  return square - 2 * trace + 3 + change * change / (2 * t->level.compressibility);
}

void mus_lattice_solid_energy(const mus_lattice_solid *s, double *kinetic, double *elastic) {
  const mus_turned_level *t = mus_solid_level(s);
  double h = s->lattice->spacing, shear = s->settings.young / (2 + 2 * s->settings.poisson);
  *kinetic = *elastic = 0;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      *kinetic += s->mass[a][n] * s->velocity[a][n] * s->velocity[a][n] / 2;
    }
  for (size_t k = 0; k < t->level.domain->solid; ++k)
    *elastic += shear * h * h * h * cell_energy(s, (size_t)t->cell[k]);
}
