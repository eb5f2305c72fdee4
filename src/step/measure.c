// Energies, momenta and strains of a state. See assemble.h.
//
// Sums are taken over a fixed number of parts, each a share of every list and of the vertices, and then added up in
// order: they have the same bits for any number of threads.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "par/par.h"
#include "step/assemble.h"

enum { PARTS = 256, RUN = 64 };

typedef struct sums {
  double kinetic, stretch, shear, bend, potential;
  double momentum[3], angular_momentum[3];
  double strain; // the largest
} sums;

// Where a part of `count` things begins.
static int begin_of(int count, int part) { return (int)((long long)count * part / PARTS); }

// --- strains ---------------------------------------------------------------------------------------------------------

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The number that comes at `rank`, counted from 0, when x is sorted; x, which has no number below zero, is left in
// another order. Such numbers are in the order of their bits, so that they can be told apart digit by digit, from the
// highest on: only those with the digits found so far go on.
static double at_rank(size_t n, double *x, size_t rank) {
  enum { DIGIT = 8, DIGITS = 64 / DIGIT, VALUES = 1 << DIGIT };
  for (int digit = DIGITS - 1; digit >= 0; --digit) {
    size_t count[VALUES] = {0}, value = 0, kept = 0;
    int shift = digit * DIGIT;
    for (size_t k = 0; k < n; ++k)
      ++count[bits_of(x[k]) >> shift & (VALUES - 1)];
    while (rank >= count[value])
      rank -= count[value++];
    for (size_t k = 0; k < n; ++k)
      if ((bits_of(x[k]) >> shift & (VALUES - 1)) == value)
        x[kept++] = x[k];
    n = kept;
  }
  return x[0];
}

// --- sums ------------------------------------------------------------------------------------------------------------

static void add_membranes(const mus_model_cloth *c, const double *x, double scale, int part, double *strain, sums *to) {
  for (int t = begin_of(c->membranes.count, part); t < begin_of(c->membranes.count, part + 1); ++t) {
    mus_membrane_measure found = mus_membrane_measured(&c->membranes, t, x, scale);
    strain[t] = fmax(fabs(found.strain[0]), fabs(found.strain[1]));
    to->stretch += found.stretch;
    to->shear += found.shear;
    to->strain = fmax(to->strain, strain[t]);
  }
}

// How far springs are drawn out; those that go slack under compression have no strain then.
static void add_springs(const mus_springs *springs, const double *x, int part, double *strain, sums *to) {
  for (int k = begin_of(springs->count, part); k < begin_of(springs->count, part + 1); ++k) {
    double way[3];
    mus_subtract3(x + 3 * (size_t)springs->vertex[2 * k + 1], x + 3 * (size_t)springs->vertex[2 * k], way);
    double drawn = sqrt(mus_dot3(way, way)) / springs->rest[k].length - 1;
    strain[k] = springs->tension_only ? fmax(drawn, 0) : fabs(drawn);
    to->strain = fmax(to->strain, strain[k]);
  }
}

// The energy of a part of a list that is no membrane.
static double energy_of(const mus_model_cloth *c, mus_element_kind kind, int count, int part, mus_evaluation *e) {
  double energy[RUN], sum = 0;
  e->energy = energy;
  for (int first = begin_of(count, part), end = begin_of(count, part + 1); first < end; first += RUN) {
    int run = end - first < RUN ? end - first : RUN;
    if (kind == MUS_ELEMENT_HINGE)
      mus_hinges_evaluate(&c->hinges, first, run, e);
    else if (kind == MUS_ELEMENT_BUCKLING)
      mus_bucklings_evaluate(&c->bucklings, first, run, e);
    else
      mus_springs_evaluate(kind == MUS_ELEMENT_SPRING ? &c->springs : &c->bend_springs, first, run, e);
    for (int k = 0; k < run; ++k)
      sum += energy[k];
  }
  return sum;
}

static void add_cloth(const mus_model_cloth *c, const double *x, double scale, int part, double *strain, sums *to) {
  mus_evaluation e = {.position = x, .scale = scale};
  add_membranes(c, x, scale, part, strain, to);
  add_springs(&c->springs, x, part, strain + c->membranes.count, to);
  to->bend += energy_of(c, MUS_ELEMENT_HINGE, c->hinges.count, part, &e);
  to->bend += energy_of(c, MUS_ELEMENT_BUCKLING, c->bucklings.count, part, &e);
  to->bend += energy_of(c, MUS_ELEMENT_BEND_SPRING, c->bend_springs.count, part, &e);
  to->stretch += energy_of(c, MUS_ELEMENT_SPRING, c->springs.count, part, &e);
}

static void add_vertices(const mus_model *m, const mus_instant *at, const double *gravity, int part, sums *to) {
  for (int i = begin_of(m->vertices, part); i < begin_of(m->vertices, part + 1); ++i) {
    const double *x = at->position + 3 * (size_t)i, *v = at->velocity + 3 * (size_t)i;
    double turn[3];
    mus_cross3(x, v, turn);
    to->kinetic += m->mass[i] * mus_dot3(v, v) / 2;
    to->potential -= m->mass[i] * mus_dot3(gravity, x);
    mus_add_scaled3(m->mass[i], v, to->momentum);
    mus_add_scaled3(m->mass[i], turn, to->angular_momentum);
  }
}

static void add_part(const sums *from, mus_step_record *to) {
  to->kinetic += from->kinetic;
  to->stretch += from->stretch;
  to->shear += from->shear;
  to->bend += from->bend;
  to->potential += from->potential;
  mus_add_scaled3(1, from->momentum, to->momentum);
  mus_add_scaled3(1, from->angular_momentum, to->angular_momentum);
  to->strain_maximum = fmax(to->strain_maximum, from->strain);
}

void mus_measure(const mus_model *model, const mus_settings *settings, const mus_instant *at, double *strain,
                 mus_step_record *record) {
  sums part[PARTS];
  double gravity[3];
  mus_settings_gravity(settings, model, at->time, gravity);
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int p = 0; p < PARTS; ++p) {
    double *strains = strain;
    part[p] = (sums){0};
    for (int k = 0; k < model->cloth_count; ++k) {
      const mus_model_cloth *c = &model->cloths[k];
      double scale = mus_settings_stiffness(settings, model, k, at->time);
      add_cloth(c, at->position + 3 * (size_t)c->first_vertex, scale, p, strains, &part[p]);
      strains += c->membranes.count + c->springs.count;
    }
    add_vertices(model, at, gravity, p, &part[p]);
  }
  record->kinetic = record->stretch = record->shear = record->bend = record->potential = 0;
  mus_zero(3, record->momentum);
  mus_zero(3, record->angular_momentum);
  record->strain_maximum = 0;
  for (int p = 0; p < PARTS; ++p)
    add_part(&part[p], record);
  if (model->strains > 0)
    record->strain_99 = at_rank(model->strains, strain, (size_t)(0.99 * (double)(model->strains - 1)));
}
