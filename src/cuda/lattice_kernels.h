// Kernels of a cycle over the levels of a lattice: smoothing inside and at boundaries, residuals, transfer. The host's
// are in src/lattice; those for boundaries work in another order here (lattice_stages.h), and those inside are written
// so that each pass does more:
//
// The distributive sweep of displacements leaves q = p - div u as it is, and with it the equation of u_a is
// Laplacian(u_a) - c u_a - D_a q = b_a: all three components at once, without p. The sweep of pressures works on the
// deltas alone, whose residuals follow from those at the beginning, and u and p get what the deltas give once at the
// end. All that is the same as smooth.c, but for rounding.
#ifndef MUS_CUDA_LATTICE_KERNELS_H
#define MUS_CUDA_LATTICE_KERNELS_H

#include "cuda/lattice_level.h"

enum { MUS_LATTICE_THREADS = 256, MUS_BAND_THREADS = 64 };

// Over-relaxation, as in lattice/smooth.c.
#define MUS_LATTICE_FACES 1.1
#define MUS_LATTICE_CELLS 1.2

// p -= div u: q
template <class real> struct mus_lattice_begin_sweep_kernel {
  mus_lattice_view<real> l;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    if (n < l.cells && l.mask[n] & MUS_MASK_SOLID)
      l.x[3][n] -= l.divergence(n);
  }
};

// Faces of a colour, where p is q.
template <class real> struct mus_lattice_sweep_faces_kernel {
  mus_lattice_view<real> l;
  int colour;
  real factor;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = mus_cell_of_colour(l, at.block * at.threads + at.thread, colour);
    int mask = n < 0 ? 0 : l.mask[n];
    if (!(mask & 7 * MUS_MASK_SWEPT))
      return;
    const real *q = l.x[3] + n;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) {
      if (!(mask & MUS_MASK_SWEPT << a))
        continue;
      real *u = l.x[a] + n;
      real sum = (u[1] + u[-1]) + (u[l.stride[1]] + u[-l.stride[1]]) + (u[l.stride[2]] + u[-l.stride[2]]);
      real rest = l.b[a][n] - (sum - (6 + l.inertia) * u[0] - (q[0] - q[-l.stride[a]]));
      u[0] += factor * rest;
    }
  }
};

// p = q + div u; the deltas of the first colour, and the residuals of the second.
template <class real> struct mus_lattice_begin_cells_kernel {
  mus_lattice_view<real> l;
  real factor;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread, mask = n < l.cells ? l.mask[n] : 0;
    if (!(mask & MUS_MASK_SOLID))
      return;
    real divergence = l.divergence(n), p = l.x[3][n] + divergence;
    l.x[3][n] = p;
    if (!(mask & MUS_MASK_SWEPT_P))
      return;
    int row = n / l.count[0], first = !((n % l.count[0] + row % l.count[1] + row / l.count[1]) & 1);
    real rest = l.b[3][n] - divergence - l.compressibility * p;
    l.delta[n] = first ? factor * rest : rest;
  }
};

// The sum over the six neighbours.
template <class real> MUS_HD real mus_lattice_around(const mus_lattice_view<real> &l, const real *at) {
  return ((at[1] + at[-1]) + (at[l.stride[1]] + at[-l.stride[1]])) + (at[l.stride[2]] + at[-l.stride[2]]);
}

// The deltas of the second colour.
template <class real> struct mus_lattice_sweep_cells_kernel {
  mus_lattice_view<real> l;
  real factor;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = mus_cell_of_colour(l, at.block * at.threads + at.thread, 1);
    if (n >= 0 && l.mask[n] & MUS_MASK_SWEPT_P)
      l.delta[n] = factor * (l.delta[n] + (1 + 2 * l.compressibility) * mus_lattice_around(l, l.delta + n));
  }
};

// u -= grad delta; p += (-2 Laplacian + c) delta
template <class real> struct mus_lattice_distribute_kernel {
  mus_lattice_view<real> l;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread, mask = n < l.cells ? l.mask[n] : 0;
    if (!(mask & (7 * MUS_STAGE_UNKNOWN | MUS_MASK_SOLID)))
      return;
    const real *delta = l.delta + n;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (mask & MUS_STAGE_UNKNOWN << a)
        l.x[a][n] += delta[-l.stride[a]] - delta[0];
    if (mask & MUS_MASK_SOLID)
      l.x[3][n] += (12 + l.inertia) * delta[0] - 2 * mus_lattice_around(l, delta);
  }
};

// --- boundaries ------------------------------------------------------------------------------------------------------

// What cells of a pattern have in common; as in lattice/band_template.h.
template <class real> struct mus_lattice_box {
  real normal[3][3], shear[3][4]; // 0 where a stress around them is given; on walls more than 1
  real inverse[6];                // of the diagonals of their faces' equations; 0 for faces that stay
  real own, divisor;              // D_p, and D_p - sum g_f^2 / d_f
};

enum { MUS_BOX_NORMAL = 0, MUS_BOX_SHEAR = 9, MUS_BOX_WALL = 0, MUS_BOX_WALLS = 12 }; // lattice/boxes.h

template <class real>
mus_lattice_box<real> mus_make_box(const mus_lattice_view<real> &l, const mus_stage_pattern_bits &bits) {
  const real more = l.wall - 1;
  mus_lattice_box<real> box = {};
  box.own = l.compressibility;
  for (int f = 0; f < 6; ++f) {
    uint32_t weight = bits.weights >> 4 * f & 15, walls = bits.walls >> (MUS_BOX_WALLS + 3 * f) & 7;
    box.inverse[f] = weight ? -1 / ((real)weight + (real)walls * more + l.inertia) : 0;
  }
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < 3; ++k)
      box.normal[a][k] = (real)(bits.stresses >> (MUS_BOX_NORMAL + 3 * a + k) & 1);
    for (int k = 0; k < 4; ++k)
      box.shear[a][k] = (real)(bits.stresses >> (MUS_BOX_SHEAR + 4 * a + k) & 1) *
                        (1 + (real)(bits.walls >> (MUS_BOX_WALL + 4 * a + k) & 1) * more);
    box.own += (1 - box.normal[a][1]) / 2;
  }
  box.divisor = box.own;
  for (int a = 0; a < 3; ++a)
    box.divisor -= box.normal[a][1] * (box.inverse[2 * a] + box.inverse[2 * a + 1]);
  return box;
}

// Vanka's smoother on the cells of a colour: the six displacements of a cell and its pressure at once. See
// lattice/band.c.
template <class real> struct mus_lattice_relax_kernel {
  mus_lattice_view<real> l;
  int count;
  const int *cell, *pattern;
  const mus_lattice_box<real> *box;
  enum { THREADS = MUS_BAND_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * at.threads + at.thread;
    if (k < count)
      relax(cell[k], box[pattern[k]]);
  }

  MUS_HD void relax(int n, const mus_lattice_box<real> &o) const {
    real line[3][4];    // u_a along a: one before the lower face, that, the upper one and one behind
    real side[3][2][4]; // beside the lower and the upper face: below and above, along the next axis and the one after
    real normal[3][3], shear[3][4], change[6];
    const real *p = l.x[3] + n, middle = p[0];
    real right = l.b[3][n] - o.own * middle;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) {
      const int s = l.stride[a], t = l.stride[(a + 1) % 3], v = l.stride[(a + 2) % 3];
      const real *u = l.x[a] + n;
      MUS_UNROLL
      for (int k = 0; k < 4; ++k)
        line[a][k] = u[(k - 1) * s];
      MUS_UNROLL
      for (int k = 0; k < 2; ++k) {
        side[a][k][0] = u[k * s - t];
        side[a][k][1] = u[k * s + t];
        side[a][k][2] = u[k * s - v];
        side[a][k][3] = u[k * s + v];
      }
      normal[a][0] = o.normal[a][0] * (2 * (line[a][1] - line[a][0]) - p[-s]);
      normal[a][1] = o.normal[a][1] * (2 * (line[a][2] - line[a][1]) - middle);
      normal[a][2] = o.normal[a][2] * (2 * (line[a][3] - line[a][2]) - p[s]);
    }
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      MUS_UNROLL
      for (int k = 0; k < 4; ++k) {
        const int i = k & 1, j = k >> 1; // along b and along c
        real one = j ? side[b][i][1] - line[b][1 + i] : line[b][1 + i] - side[b][i][0];
        real other = i ? side[c][j][3] - line[c][1 + j] : line[c][1 + j] - side[c][j][2];
        shear[a][k] = o.shear[a][k] * (one + other);
      }
    }
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      const real *f = l.b[a] + n;
      change[2 * a] = f[0] - ((normal[a][1] - normal[a][0]) + (shear[b][1] - shear[b][0]) +
                              (shear[c][2] - shear[c][0]) - l.inertia * line[a][1]);
      change[2 * a + 1] = f[l.stride[a]] - ((normal[a][2] - normal[a][1]) + (shear[b][3] - shear[b][2]) +
                                            (shear[c][3] - shear[c][1]) - l.inertia * line[a][2]);
      right -= o.normal[a][1] * ((line[a][2] - line[a][1]) +
                                 (change[2 * a + 1] * o.inverse[2 * a + 1] - change[2 * a] * o.inverse[2 * a]));
    }
    real pressure = right / o.divisor;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) {
      real push = o.normal[a][1] * pressure;
      l.x[a][n] = line[a][1] + (change[2 * a] + push) * o.inverse[2 * a];
      l.x[a][n + l.stride[a]] = line[a][2] + (change[2 * a + 1] - push) * o.inverse[2 * a + 1];
    }
    l.x[3][n] = middle + pressure;
  }
};

// Displacements beyond free boundaries, from tractions; see lattice/level_template.h. NEAR ones first, then FAR ones.
template <class real, bool NEAR> struct mus_lattice_extend_kernel {
  mus_lattice_view<real> l;
  const int *outer;
  int count;
  enum { THREADS = MUS_BAND_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * at.threads + at.thread;
    if (k >= count)
      return;
    int n = outer[k];
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (l.is(n, (uint32_t)(NEAR ? MUS_STAGE_NEAR : MUS_STAGE_FAR) << a))
        l.x[a][n] = NEAR ? near_value(a, n) : far_value(a, n);
  }

  MUS_HD real near_value(int a, int n) const {
    int above = n + l.stride[a], below = n - l.stride[a];
    if (l.is(n, MUS_STAGE_SOLID))
      return l.x[a][above] - (l.x[3][n] + l.b[a][n]) / 2;
    return l.x[a][below] + (l.x[3][below] - l.b[a][n]) / 2;
  }

  MUS_HD real slope(int a, int b, int n) const {
    const uint32_t value = (uint32_t)(MUS_STAGE_UNKNOWN | MUS_STAGE_HELD | MUS_STAGE_NEAR) << b;
    int below = n - l.stride[a];
    return l.is(n, value) && l.is(below, value) ? l.x[b][n] - l.x[b][below] : 0;
  }

  MUS_HD real far_value(int a, int n) const {
    const uint32_t unknown = (uint32_t)MUS_STAGE_UNKNOWN << a;
    real sum = 0;
    int found = 0;
    MUS_UNROLL
    for (int b = 0; b < 3; ++b) {
      int above = n + l.stride[b], below = n - l.stride[b];
      if (b != a && l.is(below, unknown)) {
        sum += l.x[a][below] - slope(a, b, n);
        ++found;
      }
      if (b != a && l.is(above, unknown)) {
        sum += l.x[a][above] + slope(a, b, above);
        ++found;
      }
    }
    return sum / (real)found;
  }
};

// --- residuals and transfer ------------------------------------------------------------------------------------------

// r = b - L x
template <class real> struct mus_lattice_residual_kernel {
  mus_lattice_view<real> l;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    uint32_t flags = n < l.cells ? l.flags[n] : 0;
    MUS_UNROLL
    for (int f = 0; f < 4; ++f)
      if (l.has_equation(f, flags))
        l.r[f][n] = l.b[f][n] - l.left(f, flags, n);
  }
};

// b of the coarse level from r of the fine one, and x = 0; see lattice/transfer_template.h for the weights.
template <class real> struct mus_lattice_restrict_kernel {
  mus_lattice_view<real> fine, l;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    if (n >= l.cells)
      return;
    MUS_UNROLL
    for (int f = 0; f < 4; ++f)
      l.x[f][n] = 0;
    int mask = l.mask[n];
    if (!(mask & (7 * MUS_STAGE_UNKNOWN | MUS_MASK_SOLID)))
      return;
    int i = n % l.count[0], j = n / l.count[0] % l.count[1], k = n / l.stride[2];
    int low =
        2 * i - fine.shift[0] + (2 * j - fine.shift[1]) * fine.stride[1] + (2 * k - fine.shift[2]) * fine.stride[2];
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (mask & MUS_STAGE_UNKNOWN << a)
        l.b[a][n] = face(a, low);
    if (mask & MUS_MASK_SOLID)
      l.b[3][n] = cell(low);
  }

  MUS_HD real face(int a, int low) const {
    const int s = fine.stride[a], t = fine.stride[(a + 1) % 3], v = fine.stride[(a + 2) % 3];
    real sum = 0;
    MUS_UNROLL
    for (int k = 0; k < 4; ++k) {
      const real *r = fine.r[a] + low + (k & 1 ? t : 0) + (k & 2 ? v : 0);
      sum += r[-s] + 2 * r[0] + r[s];
    }
    return sum / 4;
  }

  MUS_HD real cell(int low) const {
    real sum = 0;
    MUS_UNROLL
    for (int k = 0; k < 8; ++k)
      sum += fine.r[3][low + (k & 1 ? 1 : 0) + (k & 2 ? fine.stride[1] : 0) + (k & 4 ? fine.stride[2] : 0)];
    return sum / 4;
  }
};

// Where a fine face lies between coarse ones along an axis: the nearer one, the other, and its weight.
struct mus_lattice_between {
  int at, other;
  float own;
};

template <class real>
MUS_HD mus_lattice_between mus_lattice_place(const mus_lattice_view<real> &fine, const mus_lattice_view<real> &coarse,
                                             int at, int axis, bool is_normal) {
  int parent = (at + fine.shift[axis]) / 2, upper = (at + fine.shift[axis]) & 1, stride = coarse.stride[axis];
  int other = parent + (is_normal ? upper : 2 * upper - 1);
  return {parent * stride, other * stride, !is_normal ? 0.75f : upper ? 0.5f : 1.0f};
}

// x of the fine level += what the coarse x is there; pressures have half their parent's.
template <class real> struct mus_lattice_prolong_kernel {
  mus_lattice_view<real> l, coarse;
  enum { THREADS = MUS_LATTICE_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread, mask = n < l.cells ? l.mask[n] : 0;
    if (!(mask & (7 * MUS_STAGE_UNKNOWN | MUS_MASK_SOLID)))
      return;
    const int place[3] = {n % l.count[0], n / l.count[0] % l.count[1], n / l.stride[2]};
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (mask & MUS_STAGE_UNKNOWN << a)
        l.x[a][n] += face(a, place);
    if (mask & MUS_MASK_SOLID) {
      int parent = 0;
      MUS_UNROLL
      for (int a = 0; a < 3; ++a)
        parent += (place[a] + l.shift[a]) / 2 * coarse.stride[a];
      l.x[3][n] += coarse.x[3][parent] / 2;
    }
  }

  MUS_HD real face(int a, const int *place) const {
    const mus_lattice_between x = mus_lattice_place(l, coarse, place[0], 0, a == 0),
                              y = mus_lattice_place(l, coarse, place[1], 1, a == 1),
                              z = mus_lattice_place(l, coarse, place[2], 2, a == 2);
    const real *u = coarse.x[a];
    real row[4];
    MUS_UNROLL
    for (int k = 0; k < 4; ++k) {
      const real *at = u + (k & 1 ? y.other : y.at) + (k & 2 ? z.other : z.at);
      row[k] = (real)x.own * at[x.at] + (real)(1 - x.own) * at[x.other];
    }
    real low = (real)y.own * row[0] + (real)(1 - y.own) * row[1],
         high = (real)y.own * row[2] + (real)(1 - y.own) * row[3];
    return (real)z.own * low + (real)(1 - z.own) * high;
  }
};

// On faces for which the coarse level lacks values: what the mean over those that there are is more than over all.
template <class real> struct mus_lattice_partial_kernel {
  mus_lattice_view<real> l, coarse;
  const int *face; // cell and axis of each
  int count;
  enum { THREADS = MUS_BAND_THREADS, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * at.threads + at.thread;
    if (k >= count)
      return;
    int n = face[2 * k], axis = face[2 * k + 1];
    MUS_UNROLL
    for (int a = 0; a < 3; ++a) // so that it is known when this is compiled
      if (a == axis)
        l.x[a][n] += lack(a, n);
  }

  MUS_HD real lack(int a, int n) const {
    const int place[3] = {n % l.count[0], n / l.count[0] % l.count[1], n / l.stride[2]};
    const uint32_t value = (uint32_t)(MUS_STAGE_UNKNOWN | MUS_STAGE_HELD | MUS_STAGE_NEAR | MUS_STAGE_FAR) << a;
    real sum = 0, total = 0, all = 0;
    for (int k = 0; k < 8; ++k) {
      int from = 0;
      real weight = 1;
      MUS_UNROLL
      for (int b = 0; b < 3; ++b) {
        const mus_lattice_between w = mus_lattice_place(l, coarse, place[b], b, a == b);
        from += k >> b & 1 ? w.other : w.at;
        weight *= (real)(k >> b & 1 ? 1 - w.own : w.own);
      }
      all += weight * coarse.x[a][from];
      if (!coarse.is(from, value))
        continue;
      sum += weight * coarse.x[a][from];
      total += weight;
    }
    return (total > 0 ? sum / total : 0) - all;
  }
};

// The coarsest level: x = W b over its equations. A block has eight rows, of 32 threads each.
template <class real> struct mus_lattice_bottom_kernel {
  mus_lattice_view<real> l;
  const real *w;
  int size;
  const int *at; // field * cells + cell of each equation
  enum { ROWS = 8, LANES = 32, THREADS = ROWS * LANES, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place place, void *shared) const {
    double *part = (double *)shared, sum = 0;
    int row = place.block * ROWS + place.thread / LANES, first = place.thread % LANES;
    if (row >= size)
      return;
    if (phase == 0) {
      for (int k = first; k < size; k += LANES)
        sum += (double)w[(size_t)row * (size_t)size + (size_t)k] * (double)l.b[0][at[k]];
      part[place.thread] = sum;
    } else if (first == 0) {
      MUS_UNROLL
      for (int k = 0; k < LANES; ++k)
        sum += part[place.thread + k];
      l.x[0][at[row]] = (real)sum;
    }
  }
};

#endif
