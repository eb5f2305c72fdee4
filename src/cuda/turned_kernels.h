// Kernels of cycles for co-rotational solids on lattices. See lattice/turned.h and lattice/corotational.c.
#ifndef MUS_CUDA_TURNED_KERNELS_H
#define MUS_CUDA_TURNED_KERNELS_H

#include "cuda/lattice_kernels.h"
#include "cuda/turned_level.h"

// Z of all interior cells.
struct mus_turned_pull_kernel {
  mus_turned_view t;
  int turns;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    if (n >= t.l.cells || !(t.l.mask[n] & MUS_MASK_SOLID))
      return;
    mus_turned_values v = {t};
    double f[9], given[9], z[9];
    mus_turned_gradient(v, n, f, given);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      z[e] = v.pull(e, n);
    mus_turned_renew_pull(t, turns, n, f, given, t.l.x[3][n], z);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      *t.at(t.pull, e, n) = z[e];
  }
};

// ... and what it gives on edges.
struct mus_turned_gather_kernel {
  mus_turned_view t;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    uint32_t weights = n < t.l.cells ? t.weights[n] : 0;
    if (n >= t.l.cells)
      return;
    mus_turned_values v = {t};
    MUS_UNROLL
    for (int pair = 0; pair < 6; ++pair) {
      const int a = pair / 2, b = mus_pair_other(a, pair % 2);
      *t.at(t.pulled, pair, n) = weights >> 4 * pair & 15 ? mus_turned_gather(v, pair, a, b, n) : 0;
    }
  }
};

// r = b - L x, with Z as it is.
struct mus_turned_residual_kernel {
  mus_turned_view t;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread, mask = n < t.l.cells ? t.l.mask[n] : 0;
    mus_turned_values v = {t};
    MUS_UNROLL
    for (int a = 0; a < 3; ++a)
      if (mask & MUS_STAGE_UNKNOWN << a)
        t.l.r[a][n] = t.l.b[a][n] - mus_turned_face(v, a, n);
    if (!(mask & MUS_MASK_SOLID))
      return;
    double f[9], given[9], z[9];
    mus_turned_gradient(v, n, f, given);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      z[e] = v.pull(e, n);
    t.l.r[3][n] = t.l.b[3][n] - mus_turned_cell(t, n, f, given, t.l.x[3][n], z);
  }
};

// Vanka's smoother on the cells of a group, then their Z. A cell has 32 threads: 30 for the displacements that its
// equation has, for each axis those on both faces and on four neighbours of each, and one for the equation itself.
struct mus_turned_relax_kernel {
  mus_turned_view t;
  const int *cell;
  int count, turns;
  enum {
    LANES = 32,
    FACES = 30,
    CELLS = 4,
    ROOM = 3 * LANES + 2,
    THREADS = CELLS * LANES,
    PHASES = 5,
    SHARED = CELLS * ROOM * sizeof(double)
  };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    int k = at.block * CELLS + at.thread / LANES, lane = at.thread % LANES;
    double *factor = (double *)shared + at.thread / LANES * ROOM, *residual = factor + LANES,
           *inverse = residual + LANES, *right = inverse + LANES, *pressure = right + 1;
    if (k >= count)
      return;
    int n = cell[k];
    if (phase == 0)
      prepare(n, lane, factor, residual, inverse, right);
    if (phase == 1 && lane == 0)
      *pressure = find_pressure(n, factor, residual, inverse, *right);
    if (phase == 2 && lane < FACES && inverse[lane] < 0)
      t.l.x[lane / 10][place(n, lane)] += residual[lane] - factor[lane] * *pressure * inverse[lane];
    if (phase == 3 && lane == 0)
      find_pull(n, factor, residual);
    if (phase == 4)
      put_pull(n, lane, factor, residual);
  }

  // Of displacement `lane`: axis lane / 10, side lane / 5 % 2 of the cell, and lane % 5: the cell's own face, or beside
  // it, below and above along the first and the second of the other axes.
  MUS_HD int place(int n, int lane) const {
    const int a = lane / 10, side = lane / 5 % 2, beside = lane % 5;
    int face = n + (side ? t.l.stride[a] : 0);
    if (beside == 0)
      return face;
    int stride = t.l.stride[mus_pair_other(a, (beside - 1) / 2)];
    return (beside - 1) % 2 ? face + stride : face - stride;
  }

  // Its part in the cell's equation.
  MUS_HD double part(int n, int lane, int beside) const {
    const int a = lane / 10, side = lane / 5 % 2, i = (beside - 1) / 2, upper = (beside - 1) % 2;
    double c = t.of(t.coupling, 3 * a + mus_pair_other(a, i), n);
    if (!(fabs(c) > MUS_TURNED_SMALL))
      return 0;
    return c * mus_sample_part((int)(t.samples[n] >> (8 * (2 * a + i) + 2 * (side + 2 * upper)) & 3));
  }
  MUS_HD double find_factor(int n, int lane) const {
    const int a = lane / 10, side = lane / 5 % 2, beside = lane % 5;
    if (beside > 0)
      return (beside - 1) % 2 ? part(n, lane, beside) : -part(n, lane, beside);
    double normal = t.l.is(n, (uint32_t)MUS_STAGE_NORMAL << a) ? t.of(t.coupling, 4 * a, n) : 0;
    double sum = side ? normal : -normal;
    for (int k = 1; k < 5; ++k)
      sum += (k - 1) % 2 ? -part(n, lane, k) : part(n, lane, k);
    return sum;
  }

  MUS_HD void prepare(int n, int lane, double *factor, double *residual, double *inverse, double *right) const {
    mus_turned_values v = {t};
    if (lane < FACES) {
      const int a = lane / 10;
      int face = place(n, lane);
      double own = find_factor(n, lane), over = t.of(t.inverse, a, face);
      bool counts = (lane % 5 == 0 || own != 0) && over < 0;
      factor[lane] = own;
      inverse[lane] = counts ? over : 0;
      residual[lane] = counts ? (t.l.b[a][face] - mus_turned_face(v, a, face)) * over : 0;
    } else if (lane == FACES) {
      double f[9], given[9], z[9];
      mus_turned_gradient(v, n, f, given);
      MUS_UNROLL
      for (int e = 0; e < 9; ++e)
        z[e] = v.pull(e, n);
      *right = t.l.b[3][n] - mus_turned_cell(t, n, f, given, t.l.x[3][n], z);
    }
  }

  MUS_HD double find_pressure(int n, const double *factor, const double *residual, const double *inverse,
                              double right) const {
    double diagonal = t.diagonal[n];
    for (int k = 0; k < FACES; ++k)
      if (inverse[k] < 0) {
        right -= factor[k] * residual[k];
        diagonal -= factor[k] * factor[k] * inverse[k];
      }
    double pressure = right / diagonal;
    t.l.x[3][n] += pressure;
    return pressure;
  }

  // Z, and by how much it changes.
  MUS_HD void find_pull(int n, double *z, double *change) const {
    mus_turned_values v = {t};
    double f[9], given[9], now[9];
    mus_turned_gradient(v, n, f, given);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      now[e] = v.pull(e, n);
    mus_turned_renew_pull(t, turns, n, f, given, t.l.x[3][n], now);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e) {
      z[e] = now[e];
      change[e] = now[e] - v.pull(e, n);
    }
  }

  MUS_HD void put_pull(int n, int lane, const double *z, const double *change) const {
    if (lane < 9)
      *t.at(t.pull, lane, n) = z[lane];
    if (lane >= 24)
      return;
    const int pair = lane / 4, k = lane % 4, a = pair / 2, b = mus_pair_other(a, pair % 2);
    double part = mus_sample_part((int)(t.samples[n] >> (8 * pair + 2 * k) & 3));
    *t.at(t.pulled, pair, t.edge(n, a, b, k)) += part * change[3 * a + b];
  }
};

// Corrections of displacements beyond free boundaries, from Z. NEAR ones first, then FAR ones.
template <bool NEAR> struct mus_turned_extend_kernel {
  mus_turned_view t;
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
      if (t.l.is(n, (uint32_t)(NEAR ? MUS_STAGE_NEAR : MUS_STAGE_FAR) << a))
        t.l.x[a][n] = NEAR ? near_value(a, n) : far_value(a, n);
  }

  MUS_HD double near_value(int a, int n) const {
    bool is_lower = t.l.is(n, MUS_STAGE_SOLID);
    int cell = is_lower ? n : n - t.l.stride[a];
    double difference = t.of(t.pull, 4 * a, cell) / 2;
    return (is_lower ? t.l.x[a][n + t.l.stride[a]] - difference : t.l.x[a][cell] + difference) - t.l.b[a][n] / 2;
  }

  MUS_HD double slope(int a, int b, int n) const {
    return (t.of(t.pull, 3 * a + b, n) + t.of(t.pull, 3 * a + b, n - t.l.stride[a])) / 4;
  }

  MUS_HD double far_value(int a, int n) const {
    const uint32_t unknown = (uint32_t)MUS_STAGE_UNKNOWN << a;
    double sum = 0;
    int found = 0;
    MUS_UNROLL
    for (int b = 0; b < 3; ++b) {
      int above = n + t.l.stride[b], below = n - t.l.stride[b];
      if (b != a && t.l.is(below, unknown)) {
        sum += t.l.x[a][below] + slope(a, b, below);
        ++found;
      }
      if (b != a && t.l.is(above, unknown)) {
        sum += t.l.x[a][above] - slope(a, b, above);
        ++found;
      }
    }
    return sum / found;
  }
};

// --- the coarsest level ----------------------------------------------------------------------------------------------

// One displacement that is 1, and Z of the 27 cells around it.
struct mus_turned_unit {
  const mus_turned_view &t;
  int axis, cell;
  const double *z; // 27 x 9

  // Which of the 27 cells it is; -1: none.
  MUS_HD int number(int n) const {
    int at = 0, weight = 1;
    MUS_UNROLL
    for (int a = 0; a < 3; ++a, weight *= 3) {
      int x = n / t.l.stride[a] % t.l.count[a], y = cell / t.l.stride[a] % t.l.count[a];
      if (x < y - 1 || x > y + 1)
        return -1;
      at += weight * (x - y + 1);
    }
    return at;
  }
  MUS_HD double u(int a, int n) const { return a == axis && n == cell ? 1 : 0; }
  MUS_HD double pull(int e, int n) const {
    int k = number(n);
    return k < 0 ? 0 : z[9 * k + e];
  }
  MUS_HD double pulled(int pair, int a, int b, int n) const {
    return t.weights[n] >> 4 * pair & 15 ? mus_turned_gather(*this, pair, a, b, n) : 0;
  }
};

// The matrix of the system for displacements alone, with ones on the diagonal beyond it: a block has a column, from its
// diagonal on, and the row that is the same.
struct mus_turned_columns_kernel {
  mus_turned_view t;
  const int *cell;
  const unsigned char *axis;
  int unknowns, size, turns;
  double *w;
  enum { THREADS = 64, PHASES = 2, SHARED = 27 * 9 * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *z = (double *)shared;
    int k = at.block;
    if (k >= unknowns) {
      for (int row = k + at.thread; row < size && phase == 0; row += at.threads)
        put(row, k, row == k);
      return;
    }
    mus_turned_unit v = {t, axis[k], cell[k], z};
    if (phase == 0 && at.thread < 27)
      settle(v, at.thread, z + 9 * at.thread);
    for (int row = k + at.thread; row < size && phase == 1; row += at.threads)
      put(row, k, row < unknowns && is_near(cell[row], cell[k]) ? -mus_turned_face(v, axis[row], cell[row]) : 0);
  }

  MUS_HD void put(int row, int column, double value) const {
    w[(size_t)row * (size_t)size + (size_t)column] = w[(size_t)column * (size_t)size + (size_t)row] = value;
  }

  MUS_HD void settle(const mus_turned_unit &v, int number, double *z) const {
    int n = v.cell + number % 3 - 1 + (number / 3 % 3 - 1) * t.l.stride[1] + (number / 9 - 1) * t.l.stride[2];
    double p = 0, now[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (t.l.mask[n] & MUS_MASK_SOLID)
      mus_turned_settle(v, turns, n, 0, &p, now);
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      z[e] = now[e];
  }

  MUS_HD bool is_near(int one, int other) const {
    for (int a = 0; a < 3; ++a) {
      int apart = one / t.l.stride[a] % t.l.count[a] - other / t.l.stride[a] % t.l.count[a];
      if (apart < -2 || apart > 2)
        return false;
    }
    return true;
  }
};

// p and Z of interior cells, so that their equations hold.
struct mus_turned_settle_kernel {
  mus_turned_view t;
  int turns;
  enum { THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int n = at.block * at.threads + at.thread;
    if (n >= t.l.cells || !(t.l.mask[n] & MUS_MASK_SOLID))
      return;
    mus_turned_values v = {t};
    double p = t.l.x[3][n], z[9];
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      z[e] = v.pull(e, n);
    mus_turned_settle(v, turns, n, t.l.b[3][n], &p, z);
    t.l.x[3][n] = p;
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      *t.at(t.pull, e, n) = z[e];
  }
};

// What pressures leave of the right-hand sides.
struct mus_turned_right_kernel {
  mus_turned_view t;
  const int *cell;
  const unsigned char *axis;
  int unknowns;
  double *right;
  enum { THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * at.threads + at.thread;
    if (k >= unknowns)
      return;
    mus_turned_values v = {t};
    right[k] = mus_turned_face(v, axis[k], cell[k]) - t.l.b[axis[k]][cell[k]];
  }
};

// x = W right. A block has eight rows, of 32 threads each.
struct mus_turned_solve_kernel {
  mus_turned_view t;
  const int *cell;
  const unsigned char *axis;
  int unknowns, size;
  const double *w, *right;
  enum { ROWS = 8, LANES = 32, THREADS = ROWS * LANES, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *part = (double *)shared, sum = 0;
    int row = at.block * ROWS + at.thread / LANES, first = at.thread % LANES;
    if (row >= unknowns)
      return;
    if (phase == 0) {
      for (int k = first; k < unknowns; k += LANES)
        sum += w[(size_t)row * (size_t)size + (size_t)k] * right[k];
      part[at.thread] = sum;
    } else if (first == 0) {
      MUS_UNROLL
      for (int k = 0; k < LANES; ++k)
        sum += part[at.thread + k];
      t.l.x[axis[row]][cell[row]] = sum;
    }
  }
};

#endif
