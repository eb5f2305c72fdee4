// Energies, momenta and strains of a state. See assemble.h.
//
// Sums are taken over a fixed number of parts, each a share of every list and of the vertices, and then added up in
// order: they have the same bits for any number of threads.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "par/par.h"
#include "step/assemble.h"

enum { PARTS = 256 };

typedef struct sums {
  mus_element_sums elements;
  double kinetic, potential;
  double momentum[3], angular_momentum[3];
  int inverted; // tetrahedra
} sums;

// Where a part of `count` things begins.
static int begin_of(int count, int part) { return (int)((long long)count * part / PARTS); }

// --- strains ---------------------------------------------------------------------------------------------------------

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

enum { DIGIT = 8, DIGITS = 64 / DIGIT, VALUES = 1 << DIGIT, COUNTS = 32 };

// How many numbers begin with the bits of `found` above a digit, for each value of that digit.
static void count_digits(size_t n, const double *x, uint64_t found, int digit, size_t count[VALUES]) {
  int part[COUNTS][VALUES], shift = digit * DIGIT;
  MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)
  for (int p = 0; p < COUNTS; ++p) {
    memset(part[p], 0, sizeof part[p]);
    for (size_t k = n * (size_t)p / COUNTS; k < n * ((size_t)p + 1) / COUNTS; ++k)
      if (digit == DIGITS - 1 || (bits_of(x[k]) ^ found) >> shift >> DIGIT == 0)
        ++part[p][bits_of(x[k]) >> shift & (VALUES - 1)];
  }
  memset(count, 0, VALUES * sizeof *count);
  for (int p = 0; p < COUNTS; ++p)
    for (int value = 0; value < VALUES; ++value)
      count[value] += (size_t)part[p][value];
}

// The number that comes at `rank`, counted from 0, when x, which has no number below zero, is sorted. Such numbers are
// in the order of their bits, so that they can be told apart digit by digit, from the highest on.
static double at_rank(size_t n, const double *x, size_t rank) {
  uint64_t found = 0;
  for (int digit = DIGITS - 1; digit >= 0; --digit) {
    size_t count[VALUES], value = 0;
    count_digits(n, x, found, digit, count);
    while (rank >= count[value])
      rank -= count[value++];
    found |= (uint64_t)value << (digit * DIGIT);
  }
  double number;
  memcpy(&number, &found, sizeof number);
  return number;
}

// --- sums ------------------------------------------------------------------------------------------------------------

// A part of every list.
static void add_elements(const mus_model *m, const mus_settings *settings, const mus_instant *at, int part,
                         double *strain, mus_element_sums *to) {
  for (int k = 0; k < m->list_count; ++k) {
    const mus_model_list *l = &m->lists[k];
    const mus_element_list *list = &l->elements;
    double scale = mus_settings_list_stiffness(settings, l, at->time);
    int first = begin_of(list->count, part), count = begin_of(list->count, part + 1) - first;
    const double *position = at->position + 3 * (size_t)list->first_vertex;
    int strains = list->kind->strains;
    mus_element_list_measure(list, first, count, position, scale, strains ? strain + first : NULL, to);
    strain += strains ? list->count : 0;
  }
}

static void add_vertices(const mus_model *m, const mus_instant *at, const double *gravity, int part, sums *to) {
  for (int i = begin_of(m->vertices, part); i < begin_of(m->vertices, part + 1); ++i) {
    const double *x = at->position + 3 * (size_t)i, *v = at->velocity + 3 * (size_t)i;
    double turn[3];
    mus_cross3(x, v, turn);
    to->kinetic += m->counted[i] * mus_dot3(v, v) / 2;
    to->potential -= m->counted[i] * mus_dot3(gravity, x);
    mus_add_scaled3(m->counted[i], v, to->momentum);
    mus_add_scaled3(m->counted[i], turn, to->angular_momentum);
  }
}

// How many tetrahedra are inside out, whatever their solid is made of.
static void add_tetrahedra(const mus_model *m, const mus_instant *at, int part, sums *to) {
  for (int k = 0; k < m->part_count; ++k) {
    const mus_part_shape *shape = &m->parts[k].shape;
    const double *position = at->position + 3 * (size_t)m->parts[k].first_vertex;
    for (int t = begin_of(shape->tetrahedra, part); t < begin_of(shape->tetrahedra, part + 1); ++t) {
      const int *corner = shape->corner + 4 * (size_t)t;
      double edge[3][3], across[3];
      for (int e = 0; e < 3; ++e)
        mus_subtract3(position + 3 * (size_t)corner[e + 1], position + 3 * (size_t)corner[0], edge[e]);
      mus_cross3(edge[0], edge[1], across);
      to->inverted += mus_dot3(across, edge[2]) < 0;
    }
  }
}

static void add_part(const sums *from, mus_step_record *to) {
  to->kinetic += from->kinetic;
  to->stretch += from->elements.energy[MUS_ENERGY_STRETCH];
  to->shear += from->elements.energy[MUS_ENERGY_SHEAR];
  to->bend += from->elements.energy[MUS_ENERGY_BEND];
  to->potential += from->potential;
  mus_add_scaled3(1, from->momentum, to->momentum);
  mus_add_scaled3(1, from->angular_momentum, to->angular_momentum);
  to->strain_maximum = fmax(to->strain_maximum, from->elements.strain);
  if (from->elements.reached > to->strain_reached) {
    to->strain_reached = from->elements.reached;
    memcpy(to->strain_place, from->elements.place, sizeof to->strain_place);
  }
  to->overstretched += from->elements.beyond;
  to->inverted += from->inverted;
}

void mus_measure(const mus_model *model, const mus_settings *settings, const mus_instant *at, double *strain,
                 mus_step_record *record) {
  sums part[PARTS];
  double gravity[3];
  mus_settings_gravity(settings, at->time, gravity);
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int p = 0; p < PARTS; ++p) {
    part[p] = (sums){0};
    add_elements(model, settings, at, p, strain, &part[p].elements);
    add_tetrahedra(model, at, p, &part[p]);
    add_vertices(model, at, gravity, p, &part[p]);
  }
  record->kinetic = record->stretch = record->shear = record->bend = record->potential = 0;
  mus_zero(3, record->momentum);
  mus_zero(3, record->angular_momentum);
  mus_zero(3, record->strain_place);
  record->strain_maximum = record->strain_reached = 0;
  record->overstretched = record->inverted = 0;
  for (int p = 0; p < PARTS; ++p)
    add_part(&part[p], record);
  if (model->strains > 0)
    record->strain_99 = at_rank(model->strains, strain, (size_t)(0.99 * (double)(model->strains - 1)));
}
