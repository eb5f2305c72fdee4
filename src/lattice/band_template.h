// Smoothing near boundaries in one precision, for one instruction set; as text for base/both_precisions.h. See band.c.

// What cells of a pattern have in common.
typedef struct TYPE(box_stencil) {
  REAL normal[3][3], shear[3][4]; // 0 where a stress around them is given; on walls more than 1
  REAL inverse[6];                // of the diagonals of their faces' equations; 0 for faces that stay
  REAL own, divisor;              // D_p, and D_p - sum g_f^2 / d_f
} TYPE(box_stencil);

static TYPE(box_stencil) NAME(make_box)(const TYPE(mus_lattice_level) *l, const mus_lattice_pattern *pattern) {
  const REAL more = (REAL)(l->domain->wall - 1); // by how much shear on walls counts more
  TYPE(box_stencil) box = {.own = l->compressibility};
  for (int f = 0; f < 6; ++f) {
    uint32_t weight = pattern->weights >> 4 * f & 15, walls = pattern->walls >> (MUS_LATTICE_BOX_WALLS + 3 * f) & 7;
    box.inverse[f] = weight ? -1 / ((REAL)weight + (REAL)walls * more + l->inertia) : 0;
  }
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < 3; ++k)
      box.normal[a][k] = (REAL)(pattern->stresses >> (MUS_LATTICE_BOX_NORMAL + 3 * a + k) & 1);
    for (int k = 0; k < 4; ++k)
      box.shear[a][k] = (REAL)(pattern->stresses >> (MUS_LATTICE_BOX_SHEAR + 4 * a + k) & 1) *
                        (1 + (REAL)(pattern->walls >> (MUS_LATTICE_BOX_WALL + 4 * a + k) & 1) * more);
    box.own += (1 - box.normal[a][1]) / 2;
  }
  box.divisor = box.own;
  for (int a = 0; a < 3; ++a)
    box.divisor -= box.normal[a][1] * (box.inverse[2 * a] + box.inverse[2 * a + 1]);
  return box;
}

#define VECTOR TYPE(lane_vector)
#define CHANGES NAME(changes_of_lanes)
#define TAKE NAME(take)
#include "lattice/box_template.h"

LANE_INLINE REAL NAME(take_one)(const REAL *from, const int *place) { return from[place ? *place : 0]; }

#define VECTOR REAL
#define CHANGES NAME(changes_of_cell)
#define TAKE NAME(take_one)
#include "lattice/box_template.h"

LANE_INLINE void NAME(add_lanes)(REAL *to, TYPE(lane_vector) change, TYPE(lane_truth) where) {
  *(TYPE(lane_vector) *)to += (TYPE(lane_vector))((TYPE(lane_truth))change & where);
}

// Cells of a row.
static void NAME(relax_row)(const TYPE(mus_lattice_level) *l, const TYPE(box_stencil) *box, size_t cell,
                            uint32_t lanes) {
  for (; lanes; cell += (size_t)LANES, lanes >>= LANES - 1, lanes >>= 1) {
    TYPE(lane_vector) change[7];
    TYPE(lane_truth) where;
    for (int k = 0; k < LANES; ++k)
      where[k] = lanes >> k & 1 ? -1 : 0;
    NAME(changes_of_lanes)(l, box, cell, NULL, change);
    for (int a = 0; a < 3; ++a) {
      NAME(add_lanes)(l->x[a] + cell, change[2 * a], where);
      NAME(add_lanes)(l->x[a] + cell + l->domain->stride[a], change[2 * a + 1], where);
    }
    NAME(add_lanes)(l->x[3] + cell, change[6], where);
  }
}

static void NAME(relax_cell)(const TYPE(mus_lattice_level) *l, const TYPE(box_stencil) *box, size_t cell) {
  REAL change[7];
  NAME(changes_of_cell)(l, box, cell, NULL, change);
  for (int a = 0; a < 3; ++a) {
    l->x[a][cell] += change[2 * a];
    l->x[a][cell + l->domain->stride[a]] += change[2 * a + 1];
  }
  l->x[3][cell] += change[6];
}

// Cells anywhere, at most as many as there are lanes.
static void NAME(relax_spread)(const TYPE(mus_lattice_level) *l, const TYPE(box_stencil) *box, const int *cell,
                               int count) {
  TYPE(lane_vector) change[7];
  int place[LANES];
  for (int k = 0; k < LANES; ++k)
    place[k] = cell[k < count ? k : 0];
  NAME(changes_of_lanes)(l, box, 0, place, change);
  for (int k = 0; k < count; ++k) {
    for (int a = 0; a < 3; ++a) {
      l->x[a][place[k]] += change[2 * a][k];
      l->x[a][(size_t)place[k] + l->domain->stride[a]] += change[2 * a + 1][k];
    }
    l->x[3][place[k]] += change[6][k];
  }
}

// Cells anywhere; where they leave most lanes empty, one by one.
static void NAME(relax_cells)(const TYPE(mus_lattice_level) *l, const TYPE(box_stencil) *box, const int *cell,
                              int count) {
  for (int first = 0; first < count; first += LANES) {
    int some = count - first < LANES ? count - first : LANES;
    if (some > 1 && 5 * some > LANES)
      NAME(relax_spread)(l, box, cell + first, some);
    else
      for (int k = first; k < first + some; ++k)
        NAME(relax_cell)(l, box, (size_t)cell[k]);
  }
}

// The batches of a block, in their order or from the last to the first.
static void NAME(relax_block)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int block, int backward) {
  const mus_lattice_pattern none = {0, 0, ~0u}, *made = &none;
  int first = list->block[block], last = list->block[block + 1] - 1;
  TYPE(box_stencil) box;
  for (int k = 0; k <= last - first; ++k) {
    const mus_lattice_batch *batch = &list->batch[backward ? last - k : first + k];
    if (memcmp(&batch->pattern, made, sizeof *made) != 0) {
      made = &batch->pattern;
      box = NAME(make_box)(l, made);
    }
    if (batch->lanes)
      NAME(relax_row)(l, &box, (size_t)batch->first, batch->lanes);
    else
      NAME(relax_cells)(l, &box, list->cell + batch->first, batch->count);
  }
}
