// Energies, momenta and strains of a state. See assemble.h.
#include <math.h>
#include <stdlib.h>

#include "sim/assemble.h"
#include "sim/motion.h"

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void mus_measure(mus_sim *sim, double time, mus_step_record *record) {
  const mus_model *m = &sim->model;
  double gravity[3], largest = 0;
  static const double one = 1;
  mus_gravity_at(m->scene, time, gravity);
  int strains = 0;
  for (int k = 0; k < m->cloth_count; ++k) {
    const mus_model_cloth *c = &m->cloths[k];
    double scale;
    mus_keys_at(&c->source->stiffness, 1, time, &one, &scale);
    const double *x = sim->position + 3 * (size_t)c->first_vertex;
    mus_membranes_measure(&c->membranes, x, scale, sim->measure);
    for (int t = 0; t < c->membranes.count; ++t) {
      record->stretch += sim->measure[t].stretch;
      record->shear += sim->measure[t].shear;
      double strain = fmax(fabs(sim->measure[t].strain[0]), fabs(sim->measure[t].strain[1]));
      sim->strain[strains++] = strain;
      largest = fmax(largest, strain);
    }
    mus_evaluation e = {.position = x, .scale = scale, .energy = sim->energy};
    const struct {
      int count;
      double *sum;
    } part[] = {{c->hinges.count, &record->bend},
                {c->springs.count, &record->stretch},
                {c->bucklings.count, &record->bend},
                {c->bend_springs.count, &record->bend}};
    for (int p = 0; p < 4; ++p) {
      if (p == 0)
        mus_hinges_evaluate(&c->hinges, &e);
      else if (p == 2)
        mus_bucklings_evaluate(&c->bucklings, &e);
      else
        mus_springs_evaluate(p == 1 ? &c->springs : &c->bend_springs, &e);
      for (int i = 0; i < part[p].count; ++i)
        *part[p].sum += sim->energy[i];
    }
  }
  for (int i = 0; i < m->vertices; ++i) {
    const double *x = sim->position + 3 * (size_t)i, *v = sim->velocity + 3 * (size_t)i;
    double turn[3];
    mus_cross3(x, v, turn);
    record->kinetic += m->mass[i] * mus_dot3(v, v) / 2;
    record->potential -= m->mass[i] * mus_dot3(gravity, x);
    for (int c = 0; c < 3; ++c) {
      record->momentum[c] += m->mass[i] * v[c];
      record->angular_momentum[c] += m->mass[i] * turn[c];
    }
  }
  record->strain_maximum = largest;
  if (strains > 0) {
    qsort(sim->strain, (size_t)strains, sizeof *sim->strain, ascending);
    record->strain_99 = sim->strain[(size_t)(0.99 * (strains - 1))];
  }
}
