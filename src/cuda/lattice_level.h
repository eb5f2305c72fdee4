// A level of a lattice as kernels see it, and its equations: lattice/level.h has them, lattice/domain.h what the flags
// are.
#ifndef MUS_CUDA_LATTICE_LEVEL_H
#define MUS_CUDA_LATTICE_LEVEL_H

#include "cuda/lattice_stages.h"
#include "cuda/launch.h"

// What passes over all cells need to know of each, in a byte: UNKNOWN as in the flags, and
enum { MUS_MASK_SWEPT = 1 << 3, MUS_MASK_SOLID = 1 << 6, MUS_MASK_SWEPT_P = 1 << 7 };

inline uint8_t mus_lattice_mask(uint32_t flags) {
  return (uint8_t)((flags & 7) | (flags / MUS_STAGE_SWEPT & 7) * MUS_MASK_SWEPT |
                   (flags & MUS_STAGE_SOLID ? MUS_MASK_SOLID : 0) | (flags & MUS_STAGE_SWEPT_P ? MUS_MASK_SWEPT_P : 0));
}

template <class real> struct mus_lattice_view {
  int count[3], stride[3], shift[3], cells;
  const uint32_t *flags;
  const uint8_t *mask;
  real *x[4], *b[4], *r[4], *delta;
  real wall, compressibility, inertia;

  MUS_HD bool is(int cell, uint32_t flag) const { return (flags[cell] & flag) != 0; }

  // sigma_aa in a cell
  MUS_HD real normal_stress(int a, int cell) const {
    return is(cell, (uint32_t)MUS_STAGE_NORMAL << a) ? 2 * (x[a][cell + stride[a]] - x[a][cell]) - x[3][cell] : 0;
  }

  // sigma_ab on the edge along the third axis
  MUS_HD real shear_stress(int a, int b_, int cell) const {
    uint32_t f = flags[cell], axis = (uint32_t)(3 - a - b_);
    if (!(f & (uint32_t)MUS_STAGE_SHEAR << axis))
      return 0;
    real sum = (x[a][cell] - x[a][cell - stride[b_]]) + (x[b_][cell] - x[b_][cell - stride[a]]);
    return f & (uint32_t)MUS_STAGE_WALL << axis ? wall * sum : sum;
  }

  // The left-hand side of the equation of u_a on a face that is unknown; where all stresses are computed, and anywhere.
  MUS_HD real regular_face(int a, int n) const {
    const int b_ = (a + 1) % 3, c = (a + 2) % 3, s = stride[a], t = stride[b_], v = stride[c];
    const real *u = x[a] + n, *m = x[b_] + n, *w = x[c] + n, *p = x[3] + n;
    real along = 2 * (u[s] + u[-s]) - (p[0] - p[-s]);
    real across = (u[t] + u[-t]) + (u[v] + u[-v]);
    real mixed = ((m[t] - m[t - s]) - (m[0] - m[-s])) + ((w[v] - w[v - s]) - (w[0] - w[-s]));
    return along + across + mixed - (8 + inertia) * u[0];
  }
  MUS_HD real any_face(int a, int n) const {
    const int b_ = (a + 1) % 3, c = (a + 2) % 3;
    real sum = normal_stress(a, n) - normal_stress(a, n - stride[a]);
    sum += shear_stress(a, b_, n + stride[b_]) - shear_stress(a, b_, n);
    sum += shear_stress(a, c, n + stride[c]) - shear_stress(a, c, n);
    return sum - inertia * x[a][n];
  }

  // The same of p in an interior cell.
  MUS_HD real divergence(int n) const {
    return (x[0][n + 1] - x[0][n]) + (x[1][n + stride[1]] - x[1][n]) + (x[2][n + stride[2]] - x[2][n]);
  }
  MUS_HD real any_cell(int n) const {
    real sum = 0, own = compressibility;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (is(n, (uint32_t)MUS_STAGE_NORMAL << a))
        sum += x[a][n + stride[a]] - x[a][n];
      else
        own += (real)0.5;
    return sum + own * x[3][n];
  }

  // The left-hand side of the equation of a field in a cell with these flags; 0 where it has none.
  MUS_HD real left(int field, uint32_t f, int n) const {
    if (field < 3) {
      if (f & (uint32_t)MUS_STAGE_REGULAR << field)
        return regular_face(field, n);
      return f & (uint32_t)MUS_STAGE_UNKNOWN << field ? any_face(field, n) : 0;
    }
    if (f & MUS_STAGE_REGULAR_P)
      return divergence(n) + compressibility * x[3][n];
    return f & MUS_STAGE_SOLID ? any_cell(n) : 0;
  }
  MUS_HD static bool has_equation(int field, uint32_t f) {
    return (f & (field < 3 ? (uint32_t)MUS_STAGE_UNKNOWN << field : (uint32_t)MUS_STAGE_SOLID)) != 0;
  }
};

// The shape of a level.
template <class real> void mus_place_view(const mus_stage_lattice_level &from, mus_lattice_view<real> *v) {
  for (int a = 0; a < 3; ++a) {
    v->count[a] = from.count[a];
    v->shift[a] = from.shift[a];
    v->stride[a] = a == 0 ? 1 : v->stride[a - 1] * v->count[a - 1];
  }
  v->cells = v->stride[2] * v->count[2];
  v->wall = (real)from.wall;
}

// A cell from the number of a thread: the n-th of a colour, in pairs along axis 0; -1: none.
template <class real> MUS_HD int mus_cell_of_colour(const mus_lattice_view<real> &l, int thread, int colour) {
  int pairs = (l.count[0] + 1) / 2, row = thread / pairs;
  int i = 2 * (thread % pairs) + ((row % l.count[1] + row / l.count[1] + colour) & 1);
  return row < l.count[1] * l.count[2] && i < l.count[0] ? row * l.count[0] + i : -1;
}

#endif
