// A level of a lattice with a rotation in each cell, as kernels see it, and its equations: lattice/turned.h has them.
#ifndef MUS_CUDA_TURNED_LEVEL_H
#define MUS_CUDA_TURNED_LEVEL_H

#include <math.h>

#include "cuda/lattice_level.h"
#include "cuda/turned_stages.h"

// How much of T is taken into account: as in lattice/turned.c.
#define MUS_TURNED_PART 0.9
// Entries of C that are not worth their work.
#define MUS_TURNED_SMALL 0.05

enum { MUS_SAMPLE_IS_ONCE = 1, MUS_SAMPLE_IS_TWICE, MUS_SAMPLE_IS_GIVEN };

MUS_HD double mus_sample_part(int sample) {
  return sample == MUS_SAMPLE_IS_ONCE ? 0.25 : sample == MUS_SAMPLE_IS_TWICE ? 0.5 : 0;
}
// The number of P_ab, a != b, among six; and b of such a number's second or first half.
MUS_HD int mus_pair_of(int a, int b) { return 2 * a + (b < a ? b : b - 1); }
MUS_HD int mus_pair_other(int a, int i) { return i < a ? i : i + 1; }

struct mus_turned_view {
  mus_lattice_view<double> l;
  const double *rotation, *diagonal, *held, *coupling, *inverse; // arrays of cells one after the other
  double *pull, *pulled;
  const uint64_t *samples;
  const uint32_t *weights;

  MUS_HD double of(const double *numbers, int e, int n) const {
    return numbers[(size_t)e * (size_t)l.cells + (size_t)n];
  }
  MUS_HD double *at(double *numbers, int e, int n) const { return numbers + (size_t)e * (size_t)l.cells + (size_t)n; }
  MUS_HD int edge(int cell, int a, int b, int k) const {
    return cell + (k & 1 ? l.stride[a] : 0) + (k & 2 ? l.stride[b] : 0);
  }
  MUS_HD bool has_given(int cell) const {
    const uint64_t given = 0x555555555555, s = samples[cell];
    const uint32_t normal = 7 * (uint32_t)MUS_STAGE_NORMAL;
    return (s & s >> 1 & given) != 0 || (l.flags[cell] & normal) != normal;
  }
};

// Displacements and Z as they are.
struct mus_turned_values {
  const mus_turned_view &t;
  MUS_HD double u(int a, int n) const { return t.l.x[a][n]; }
  MUS_HD double pull(int e, int n) const { return t.of(t.pull, e, n); }
  MUS_HD double pulled(int pair, int, int, int n) const { return t.of(t.pulled, pair, n); }
};

// What Z of the cells around gives on an edge.
template <class values> MUS_HD double mus_turned_gather(const values &v, int pair, int a, int b, int edge) {
  double sum = 0;
  MUS_UNROLL
  for (int k = 0; k < 4; ++k) {
    int cell = edge - (k & 1 ? v.t.l.stride[a] : 0) - (k & 2 ? v.t.l.stride[b] : 0);
    sum += mus_sample_part((int)(v.t.samples[cell] >> (8 * pair + 2 * k) & 3)) * v.pull(3 * a + b, cell);
  }
  return sum;
}

template <class values> MUS_HD double mus_turned_normal(const values &v, int a, int n) {
  if (!v.t.l.is(n, (uint32_t)MUS_STAGE_NORMAL << a))
    return 0;
  return 2 * (v.u(a, n + v.t.l.stride[a]) - v.u(a, n)) - v.pull(4 * a, n);
}

template <class values> MUS_HD double mus_turned_shear(const values &v, int a, int b, int edge) {
  int pair = mus_pair_of(a, b);
  double weight = 0.25 * (double)(v.t.weights[edge] >> 4 * pair & 15);
  return 2 * weight * (v.u(a, edge) - v.u(a, edge - v.t.l.stride[b])) - v.pulled(pair, a, b, edge);
}

// The left-hand side of u_a on a face that is unknown.
template <class values> MUS_HD double mus_turned_face(const values &v, int a, int n) {
  const int b = (a + 1) % 3, c = (a + 2) % 3, *stride = v.t.l.stride;
  double sum = mus_turned_normal(v, a, n) - mus_turned_normal(v, a, n - stride[a]);
  sum += mus_turned_shear(v, a, b, n + stride[b]) - mus_turned_shear(v, a, b, n);
  sum += mus_turned_shear(v, a, c, n + stride[c]) - mus_turned_shear(v, a, c, n);
  return sum - v.t.of(v.t.held, a, n) * v.u(a, n);
}

// Gradients in a cell, with nothing for those that are not computed, and how much of each is not.
template <class values> MUS_HD void mus_turned_gradient(const values &v, int n, double *f, double *given) {
  const uint64_t samples = v.t.samples[n];
  const uint32_t flags = v.t.l.flags[n];
  MUS_UNROLL
  for (int a = 0; a < 3; ++a) {
    int computed = (flags & (uint32_t)MUS_STAGE_NORMAL << a) != 0;
    f[4 * a] = computed ? v.u(a, n + v.t.l.stride[a]) - v.u(a, n) : 0;
    given[4 * a] = !computed;
    MUS_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int b = mus_pair_other(a, i);
      double sum = 0, missing = 0;
      MUS_UNROLL
      for (int k = 0; k < 4; ++k) {
        int edge = v.t.edge(n, a, b, k), sample = (int)(samples >> (8 * (2 * a + i) + 2 * k) & 3);
        sum += mus_sample_part(sample) * (v.u(a, edge) - v.u(a, edge - v.t.l.stride[b]));
        missing += sample == MUS_SAMPLE_IS_GIVEN ? 0.25 : 0;
      }
      f[3 * a + b] = sum;
      given[3 * a + b] = missing;
    }
  }
}

// The left-hand side of p in an interior cell, from its gradients, pressure and Z.
MUS_HD double mus_turned_cell(const mus_turned_view &t, int n, const double *f, const double *given, double p,
                              const double *z) {
  double sum = t.l.compressibility * p;
  MUS_UNROLL
  for (int e = 0; e < 9; ++e)
    sum += t.of(t.coupling, e, n) * (f[e] + given[e] * z[e] / 2);
  return sum;
}

// Z = p C + T of a cell, from its gradients, and from Z as it was where tractions give some of these.
MUS_HD void mus_turned_renew_pull(const mus_turned_view &t, int turns, int n, const double *f, const double *given,
                                  double p, double *z) {
  double c[9], r[9];
  MUS_UNROLL
  for (int e = 0; e < 9; ++e) {
    c[e] = t.of(t.coupling, e, n);
    r[e] = t.of(t.rotation, e, n);
  }
  int passes = !turns ? 0 : t.has_given(n) ? 2 : 1;
  MUS_UNROLL
  for (int e = 0; e < 9; ++e)
    z[e] = turns ? z[e] : c[e] * p;
  for (int pass = 0; pass < passes; ++pass) {
    double g[9], fr[9];
    MUS_UNROLL
    for (int e = 0; e < 9; ++e)
      g[e] = f[e] + given[e] * z[e] / 2;
    MUS_UNROLL
    for (int e = 0; e < 9; ++e) // F^T R
      fr[e] = g[e / 3] * r[e % 3] + g[3 + e / 3] * r[3 + e % 3] + g[6 + e / 3] * r[6 + e % 3];
    MUS_UNROLL
    for (int e = 0; e < 9; ++e) {
      const int i = e / 3 * 3, j = e % 3;
      double turned = r[i] * fr[j] + r[i + 1] * fr[3 + j] + r[i + 2] * fr[6 + j];
      z[e] = c[e] * p + MUS_TURNED_PART * (g[e] - turned);
    }
  }
}

// p of a cell, so that its equation holds, and Z; at free boundaries they depend on each other.
template <class values>
MUS_HD void mus_turned_settle(const values &v, int turns, int n, double b, double *p, double *z) {
  double f[9], given[9];
  int passes = turns && v.t.has_given(n) ? 4 : 1;
  mus_turned_gradient(v, n, f, given);
  for (int pass = 0; pass < passes; ++pass) {
    *p += (b - mus_turned_cell(v.t, n, f, given, *p, z)) / v.t.diagonal[n];
    mus_turned_renew_pull(v.t, turns, n, f, given, *p, z);
  }
}

#endif
