// Runs of elements, MUS_LANES at once; see lanes_run.h. Included once by each lanes_<n>.c, which defines
//   MUS_LANES   how many
//   TABLE       the name of its functions' table
//
// A run is worked off in batches. Each batch first brings what its elements need together, one after the other, so that
// vectors are read from there long after they were written.
#include <string.h>

#include "energy/lanes_run.h"

enum { BATCH = 4 * MUS_LANES, RECORD_MAXIMUM = 28 };

// Where an element's numbers are in its record.
typedef struct record {
  int arity, rests;
  int velocity, rest, wind; // from here; positions are first
  int size;
} record;

static inline record record_of(int arity, int rests, const mus_lanes_task *t) {
  record r = {.arity = arity, .rests = rests, .velocity = 3 * arity};
  r.rest = r.velocity + (t->velocity ? 3 * arity : 0);
  r.wind = r.rest + rests;
  r.size = r.wind + (t->gusts ? 3 : 0);
  return r;
}

static inline void gather_element(const record *r, const mus_lanes_task *t, int element, double *to) {
  const int *vertex = t->vertex + (size_t)element * (size_t)r->arity;
  for (int c = 0; c < r->arity; ++c) {
    memcpy(to + 3 * c, t->position + 3 * (size_t)vertex[c], 3 * sizeof *to);
    if (t->velocity)
      memcpy(to + r->velocity + 3 * c, t->velocity + 3 * (size_t)vertex[c], 3 * sizeof *to);
  }
  memcpy(to + r->rest, t->rest + (size_t)element * (size_t)r->rests, (size_t)r->rests * sizeof *to);
  if (t->gusts)
    memcpy(to + r->wind, t->wind + 3 * (size_t)element, 3 * sizeof *to);
}

// A batch's elements from `first` on; where there are too few for the last vector, its last one again.
static inline void gather(const record *r, const mus_lanes_task *t, int first, int count, double *to) {
  for (int k = 0; k < count; ++k)
    gather_element(r, t, first + k, to + k * r->size);
  for (int k = count; k % MUS_LANES != 0; ++k)
    memcpy(to + k * r->size, to + (count - 1) * r->size, (size_t)r->size * sizeof *to);
}

// `valid` elements of those in the lanes, n numbers each, to where element `at` has its own.
static inline void put(const mus_real *from, int n, int valid, size_t at, double *to) {
  if (valid == MUS_LANES) {
    mus_lanes_store(from, n, to + at * (size_t)n);
    return;
  }
  for (int l = 0; l < valid; ++l)
    for (int k = 0; k < n; ++k)
      to[(at + (size_t)l) * (size_t)n + (size_t)k] = from[k][l];
}

static inline void put_energy(mus_real energy, int valid, int at, double *to) {
  for (int l = 0; l < valid; ++l)
    to[at + l] = energy[l];
}

// --- triangles -------------------------------------------------------------------------------------------------------

static inline void add_drag(const mus_lanes_task *t, const record *r, const mus_real *from, const mus_real *v,
                            mus_real *gradient, mus_real *block) {
  mus_real wind[3], more[9], squares[54];
  for (int m = 0; m < 3; ++m)
    wind[m] = t->gusts ? from[r->wind + m] : mus_all(t->wind[m]);
  mus_drag_element(t->air, t->blend.damping, wind, from, v, more, block ? squares : NULL);
  for (int k = 0; k < 9 && gradient; ++k)
    gradient[k] += more[k];
  for (int k = 0; k < 54 && block; ++k)
    block[k] += squares[k];
}

static inline void membrane_vector(const mus_lanes_task *t, const record *r, const double *records, int first,
                                   int valid) {
  mus_real from[RECORD_MAXIMUM], still[9], gradient[9], block[54];
  mus_real *wanted_gradient = t->gradient ? gradient : NULL, *wanted_block = t->block ? block : NULL;
  mus_lanes_load(records, (size_t)r->size, r->size, from);
  mus_membrane_rest rest = {
      {from[r->rest], from[r->rest + 1]}, {from[r->rest + 2], from[r->rest + 3]}, from[r->rest + 4]};
  const mus_real *v = t->velocity ? from + r->velocity : NULL;
  mus_real energy = mus_membrane_element(&rest, &t->material, &t->blend, from, v, wanted_gradient, wanted_block);
  if (t->air) {
    mus_zero(9, still);
    add_drag(t, r, from, v ? v : still, wanted_gradient, wanted_block);
  }
  if (t->energy)
    put_energy(energy, valid, first, t->energy);
  if (t->gradient)
    put(gradient, 9, valid, (size_t)first, t->gradient);
  if (t->block)
    put(block, 54, valid, (size_t)first, t->block);
}

// --- hinges ----------------------------------------------------------------------------------------------------------

static inline void hinge_vector(const mus_lanes_task *t, const record *r, const double *records, int first, int valid) {
  mus_real from[RECORD_MAXIMUM], gradient[12], rank_one[12];
  mus_lanes_load(records, (size_t)r->size, r->size, from);
  mus_hinge_rest rest = {t->scale * from[r->rest], t->scale * from[r->rest + 1], from[r->rest + 2]};
  mus_hinge_state state;
  mus_hinge_state_make(from, &state);
  mus_real energy = mus_hinge_forces(&rest, &t->blend, &state, t->velocity ? from + r->velocity : NULL,
                                     t->gradient ? gradient : NULL, t->rank_one ? rank_one : NULL);
  if (t->energy)
    put_energy(energy, valid, first, t->energy);
  if (t->gradient)
    put(gradient, 12, valid, (size_t)first, t->gradient);
  if (t->rank_one)
    put(rank_one, 12, valid, (size_t)first, t->rank_one);
}

// --- runs ------------------------------------------------------------------------------------------------------------

// `what` is one of the vectors above: the loop is written out for each of them, with the record's places as constants.
#define RUN(task, record_, what)                                                                                       \
  double records[BATCH * RECORD_MAXIMUM];                                                                              \
  const record place = record_;                                                                                        \
  for (int first = 0; first < (task)->count; first += BATCH) {                                                         \
    int count = (task)->count - first < BATCH ? (task)->count - first : BATCH;                                         \
    gather(&place, task, first, count, records);                                                                       \
    for (int k = 0; k < count; k += MUS_LANES)                                                                         \
      what(task, &place, records + k * place.size, first + k, count - k < MUS_LANES ? count - k : MUS_LANES);          \
  }

static void membranes(const mus_lanes_task *task) { RUN(task, record_of(3, 5, task), membrane_vector) }
static void hinges(const mus_lanes_task *task) { RUN(task, record_of(4, 3, task), hinge_vector) }

const mus_lanes TABLE = {membranes, hinges};
