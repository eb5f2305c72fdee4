// Kernels of Projective Dynamics around the cycle: the local step, the right-hand side, corrections, the energy of a
// step. See projective_stages.h.
//
// Vectors r and d have three numbers for each node in the order of the finest level; positions and velocities are in
// that of vertices.
#ifndef MUS_CUDA_PROJECTIVE_KERNELS_H
#define MUS_CUDA_PROJECTIVE_KERNELS_H

#include "cuda/gather_kernels.h"
#include "cuda/handle_kernels.h"
#include "cuda/projective_stages.h"
#include "cuda/projective_touch.h"
#include "cuda/secant_kernels.h"

// --- the local step --------------------------------------------------------------------------------------------------

// Energies with damping as a potential of the step, and their gradients, by kind; `begin` are positions when it began.
// Kinds without are not for Projective Dynamics.
template <class kind> struct mus_local {
  enum { IS_KNOWN = 0, SKIPS = 0 };
};

template <> struct mus_local<mus_membrane_there> {
  enum { IS_KNOWN = 1, SKIPS = 0 };
  static MUS_HD double element(const mus_membrane_rest &r, const mus_membrane_material &m, double scale,
                               const mus_blend *blend, const double *x, const double *begin, double *gradient) {
    mus_membrane_material now = mus_membrane_there::scaled(m, scale);
    return mus_membrane_element(&r, &now, blend, x, begin, gradient, nullptr);
  }
  static MUS_HD void complete(mus_membrane_rest *) {}
};

template <> struct mus_local<mus_hinge_there> {
  enum { IS_KNOWN = 1, SKIPS = 0 };
  static MUS_HD double element(const mus_hinge_rest &r, const mus_nothing &, double scale, const mus_blend *blend,
                               const double *x, const double *begin, double *gradient) {
    mus_hinge_rest now = {scale * r.weight, scale * r.damping, r.angle};
    mus_hinge_state state;
    mus_hinge_state_make(x, &state);
    return mus_hinge_forces(&now, blend, &state, begin, gradient, nullptr);
  }
  static MUS_HD void complete(mus_hinge_rest *) {}
};

template <class law> struct mus_local<mus_spring_there<law>> {
  enum { IS_KNOWN = 1, SKIPS = 0 };
  static MUS_HD double element(const mus_spring_rest &r, const mus_nothing &, double scale, const mus_blend *blend,
                               const double *x, const double *begin, double *gradient) {
    mus_spring_rest now = mus_spring_there<law>::scaled(r, scale);
    return law::element(&now, blend, x, begin, gradient, nullptr);
  }
  static MUS_HD void complete(mus_spring_rest *) {}
};

template <> struct mus_local<mus_buckling_there> {
  enum { IS_KNOWN = 1, SKIPS = 0 };
  static MUS_HD double element(const mus_buckling_rest &r, const mus_nothing &, double scale, const mus_blend *blend,
                               const double *x, const double *begin, double *gradient) {
    mus_buckling_rest now = mus_buckling_there::scaled(r, scale);
    return mus_choi_ko_bend_element(&now, blend, x, begin, gradient, nullptr);
  }
  static MUS_HD void complete(mus_buckling_rest *) {}
};

// Where nothing is damped, positions at the beginning are not read.
template <> struct mus_local<mus_tetrahedron_there<mus_corotated_there>> {
  enum { IS_KNOWN = 1, SKIPS = 3 }; // of its numbers, which follow from others: gradients sum up to zero
  static MUS_HD double element(const mus_tetrahedron_rest &r, const mus_solid_constants &m, double scale,
                               const mus_blend *blend, const double *x, const double *begin, double *gradient) {
    mus_solid_constants now = m;
    now.lame.mu *= scale;
    now.lame.lambda *= scale;
    double per_second = m.damping > 0 ? blend->per_second : 0;
    return mus_corotated_element(&r, &now, per_second, x, per_second > 0 ? begin : nullptr, gradient, nullptr);
  }
  static MUS_HD void complete(mus_tetrahedron_rest *r) {
    for (int c = 0; c < 3; ++c)
      r->gradient[c] = -(r->gradient[3 + c] + r->gradient[6 + c] + r->gradient[9 + c]);
  }
};

// Numbers of an element's constants that are read: number k of element e lies at k * count + e, so that threads side by
// side read numbers side by side.
template <class kind> struct mus_packed {
  static constexpr int ALL = (int)(sizeof(typename kind::rest) / sizeof(double)), FIRST = (int)mus_local<kind>::SKIPS,
                       COUNT = ALL > FIRST ? ALL - FIRST : 0;

  static MUS_HD void load(const double *packed, int count, int e, typename kind::rest *to) {
    double number[ALL + 1];
    MUS_UNROLL
    for (int k = 0; k < COUNT; ++k)
      number[FIRST + k] = packed[(size_t)k * (size_t)count + (size_t)e];
    if (ALL > 0)
      memcpy((void *)to, number, ALL * sizeof(double));
    mus_local<kind>::complete(to);
  }
};

template <class kind> struct mus_local_kernel {
  int count;
  const int *vertex;
  const double *rest; // packed
  const typename kind::material *material;
  const double *scale, *position, *begin;
  const mus_moment_there *moment;
  double *gradient;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int e = at.block * THREADS + at.thread;
    if (e >= count)
      return;
    double x[3 * kind::ARITY], before[3 * kind::ARITY], g[3 * kind::ARITY];
    typename kind::rest own;
    mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, position, x);
    mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, begin, before);
    mus_packed<kind>::load(rest, count, e, &own);
    mus_local<kind>::element(own, *material, *scale, &moment->blend, x, before, g);
    MUS_UNROLL
    for (int k = 0; k < 3 * kind::ARITY; ++k)
      gradient[(size_t)e * (3 * kind::ARITY) + (size_t)k] = g[k];
  }
};

// The sum of energies, block by block.
template <class kind> struct mus_local_energy_kernel {
  int count;
  const int *vertex;
  const double *rest;
  const typename kind::material *material;
  const double *scale, *position, *begin;
  const mus_moment_there *moment;
  double *partial;
  enum { THREADS = 128 };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, energy = 0;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        partial[at.block] = number[0];
      return;
    }
    int e = at.block * THREADS + at.thread;
    if (e < count) {
      double x[3 * kind::ARITY], before[3 * kind::ARITY];
      typename kind::rest own;
      mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, position, x);
      mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, begin, before);
      mus_packed<kind>::load(rest, count, e, &own);
      energy = mus_local<kind>::element(own, *material, *scale, &moment->blend, x, before, nullptr);
    }
    fold::put(at.thread, 0, energy, number);
  }
};

// --- what holds and pulls --------------------------------------------------------------------------------------------

struct mus_pull_share {
  int pull;
  double weight;
};

// A node that is held or pulled.
struct mus_special {
  double projection[9]; // on what is free
  int first, last;      // its shares of pulls
  int held;             // place among what is held; -1
};

struct mus_specials {
  const int *place; // nodes: which special node it is; -1: none
  const mus_special *special;
  const mus_pull_share *share;
  const mus_projective_pull *pull; // of vertices
};

// x and v of a point, as the weighted sum that it is.
MUS_HD void mus_point_of(const mus_projective_pull &p, const double *from, double *sum) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int k = 0; k < p.count; ++k)
    for (int c = 0; c < 3; ++c)
      sum[c] += p.weight[k] * from[3 * (size_t)p.vertex[k] + (size_t)c];
}

// H times the force of a pull.
MUS_HD void mus_pull_impulse(const mus_projective_pull &p, double h, const double *x, const double *v, double *out) {
  double point[3], speed[3], square = 0;
  mus_point_of(p, x, point);
  mus_point_of(p, v, speed);
  for (int c = 0; c < 3; ++c) {
    point[c] = p.target[c] - point[c];
    square += point[c] * point[c];
  }
  double length = sqrt(square), part = length > p.most ? p.most / length : 1;
  for (int c = 0; c < 3; ++c)
    out[c] = h * (p.stiffness * part * point[c] - p.damping * (speed[c] - p.velocity[c]));
}

MUS_HD double mus_pull_energy(const mus_projective_pull &p, double h, const double *x, const double *v) {
  double point[3], speed[3], square = 0, fast = 0;
  mus_point_of(p, x, point);
  mus_point_of(p, v, speed);
  for (int c = 0; c < 3; ++c) {
    square += (p.target[c] - point[c]) * (p.target[c] - point[c]);
    fast += (speed[c] - p.velocity[c]) * (speed[c] - p.velocity[c]);
  }
  double length = sqrt(square), energy = p.stiffness / 2 * square;
  if (length > p.most)
    energy = p.stiffness * p.most * (length - p.most / 2);
  return energy + h * p.damping / 2 * fast;
}

// Leaves of three numbers of a node what is free.
MUS_HD void mus_keep_free(const mus_special &s, double *value) {
  double kept[3];
  for (int c = 0; c < 3; ++c)
    kept[c] = mus_dot3(s.projection + 3 * c, value);
  for (int c = 0; c < 3; ++c)
    value[c] = kept[c];
}

// --- a step ----------------------------------------------------------------------------------------------------------

// v' = v and x' = x + H v', where nothing is prescribed.
struct mus_begin_kernel {
  int unknowns;
  const mus_moment_there *moment;
  const double *position, *velocity;
  double *next_position, *next_velocity;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= unknowns)
      return;
    next_velocity[i] = velocity[i];
    next_position[i] = position[i] + moment->at.length * velocity[i];
  }
};

// The same where it is: in directions that are not free, v' leads to the target.
struct mus_hold_kernel {
  const int *count;
  const int *vertex;
  const double *target;
  mus_specials specials;
  const int *node; // of each of them, on the finest level
  const mus_moment_there *moment;
  const double *position;
  double *next_position, *next_velocity;
  enum { THREADS = 128, BLOCKS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    double h = moment->at.length;
    for (int k = at.block * THREADS + at.thread; k < *count; k += BLOCKS * THREADS) {
      size_t i = 3 * (size_t)vertex[k];
      double missing[3], free[3];
      for (size_t c = 0; c < 3; ++c)
        free[c] = missing[c] = (target[3 * (size_t)k + c] - position[i + c]) / h - next_velocity[i + c];
      mus_keep_free(specials.special[specials.place[node[k]]], free);
      for (size_t c = 0; c < 3; ++c) {
        next_velocity[i + c] += missing[c] - free[c];
        next_position[i + c] = position[i + c] + h * next_velocity[i + c];
      }
    }
  }
};

// r = H (M g - gradients + pulls) + M (V - v') where nothing is prescribed, and the same for the cycle; three threads
// have a node.
template <class real> struct mus_projective_right_kernel {
  int unknowns;
  const int *name, *start;
  const unsigned *share;
  const double *gradient, *mass; // of nodes
  const double *velocity, *next_velocity, *next_position;
  const mus_moment_there *moment;
  mus_specials specials;
  mus_touches touches;
  double *right;
  real *b;
  enum { THREADS = 192, PHASES = 2, SHARED = THREADS * sizeof(double) };

  MUS_HD void touch(int node, double *r) const {
    size_t v = (size_t)name[node];
    double impulse[3];
    mus_touch_end(&touches.touched[v], next_velocity + 3 * v, 1, impulse);
    mus_add_scaled3(1, impulse, r);
  }
  MUS_HD void constrain(int special, double *r) const {
    const mus_special s = specials.special[special];
    for (int k = s.first; k < s.last; ++k) {
      double impulse[3];
      mus_pull_impulse(specials.pull[specials.share[k].pull], moment->at.length, next_position, next_velocity, impulse);
      mus_add_scaled3(specials.share[k].weight, impulse, r);
    }
    mus_keep_free(s, r);
  }
  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *own = (double *)shared;
    int i = at.block * THREADS + at.thread, node = i / 3, c = i % 3;
    if (i >= unknowns)
      return;
    if (phase == 0) {
      double sum = 0, m = mass[node];
      int end = start[node + 1];
      for (int s = start[node]; s < end; ++s)
        sum += gradient[(size_t)share[s] + (size_t)c];
      size_t v = 3 * (size_t)name[node] + (size_t)c;
      own[at.thread] = moment->at.length * (m * moment->at.gravity[c] - sum) + m * (velocity[v] - next_velocity[v]);
      return;
    }
    double result = own[at.thread];
    int special = specials.place[node];
    bool is_touched = touches.has(node);
    if (special >= 0 || is_touched) {
      double r[3];
      for (int k = 0; k < 3; ++k)
        r[k] = own[at.thread - c + k];
      if (is_touched)
        touch(node, r);
      if (special >= 0)
        constrain(special, r);
      result = r[c];
    }
    right[i] = result;
    b[4 * (size_t)node + (size_t)c] = (real)result;
  }
};

// left = r - A d, for the cycle that follows.
template <class real> struct mus_projective_left_kernel {
  int nodes;
  mus_shared_links<real> links;
  mus_handle_diagonal<real> diagonal;
  const double *right, *change;
  real *b;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  // Row i of A d.
  static MUS_HD void row(const mus_shared_links<real> &links, const mus_handle_diagonal<real> &diagonal, int i,
                         const double *d, double *sum) {
    size_t at = (size_t)links.base[i / MUS_HANDLE_SLICE] * MUS_HANDLE_SLICE + (size_t)(i % MUS_HANDLE_SLICE);
    int place = diagonal.place[i], length = links.length[i];
    for (int c = 0; c < 3; ++c) {
      sum[c] = 0;
      for (int k = 0; k < 3 && place >= 0; ++k)
        sum[c] += (double)diagonal.block[9 * (size_t)place + (size_t)(3 * c + k)] * d[3 * (size_t)i + (size_t)k];
      if (place < 0)
        sum[c] = (double)diagonal.own[i] * d[3 * (size_t)i + (size_t)c];
    }
    for (int k = 0; k < length; ++k) {
      size_t e = at + (size_t)k * MUS_HANDLE_SLICE;
      mus_add_scaled3((double)links.value[e], d + 3 * (size_t)links.column[e], sum);
    }
  }
  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    double sum[3];
    if (i >= nodes)
      return;
    row(links, diagonal, i, change, sum);
    for (int c = 0; c < 3; ++c)
      b[4 * (size_t)i + (size_t)c] = (real)(right[3 * (size_t)i + (size_t)c] - sum[c]);
  }
};

// The squares of r and of what d leaves of it, block by block.
template <class real> struct mus_residual_kernel {
  int nodes;
  mus_shared_links<real> links;
  mus_handle_diagonal<real> diagonal;
  const double *right, *change;
  mus_specials specials;
  double *partial; // two of each block
  enum { THREADS = 128 };
  typedef mus_fold<2, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, left[3] = {0, 0, 0}, before = 0;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 2, number);
      for (int q = 0; q < 2 && phase + 1 == PHASES && at.thread == 0; ++q)
        partial[2 * (size_t)at.block + (size_t)q] = number[q * THREADS];
      return;
    }
    int i = at.block * THREADS + at.thread;
    if (i < nodes) {
      double sum[3];
      const double *r = right + 3 * (size_t)i;
      mus_projective_left_kernel<real>::row(links, diagonal, i, change, sum);
      mus_subtract3(r, sum, left);
      before = mus_dot3(r, r);
      if (specials.place[i] >= 0)
        mus_keep_free(specials.special[specials.place[i]], left);
    }
    fold::put(at.thread, 0, before, number);
    fold::put(at.thread, 1, mus_dot3(left, left), number);
  }
};

// --- the mean of connected parts -------------------------------------------------------------------------------------

enum mus_taking {
  MUS_TAKE_KEPT, // d is there
  MUS_TAKE_X,    // d = x of the cycle
  MUS_TAKE_MORE  // d += x
};

// d, of a node from what the cycle has found.
template <class real> MUS_HD void mus_take_change(mus_taking how, int i, const real *x, double *change, double *d) {
  for (int c = 0; c < 3; ++c) {
    double *to = change + 3 * (size_t)i + (size_t)c;
    double found = how == MUS_TAKE_KEPT ? 0 : (double)x[4 * (size_t)i + (size_t)c];
    d[c] = how == MUS_TAKE_X ? found : *to + found;
    if (how != MUS_TAKE_KEPT)
      *to = d[c];
  }
}

// What is left of the sum of r - A d over a piece of a part. The rows of L sum up to masses.
template <class real> struct mus_mean_kernel {
  const int *piece; // where each begins among members
  const int *member;
  mus_taking how;
  const real *x;
  double *change;
  const double *right, *mass;
  const int *place; // of blocks
  const double *block;
  mus_lifts lifts;
  double *partial; // three of each
  enum { THREADS = 256, PIECE = 1024 };
  typedef mus_fold<3, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, sum[3] = {0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 3, number);
      for (int q = 0; q < 3 && phase + 1 == PHASES && at.thread == 0; ++q)
        partial[3 * (size_t)at.block + (size_t)q] = number[q * THREADS];
      return;
    }
    for (int k = piece[at.block] + at.thread; k < piece[at.block + 1]; k += THREADS) {
      int i = member[k], own = place[i];
      double d[3];
      mus_take_change(how, i, x, change, d);
      for (int c = 0; c < 3; ++c) {
        sum[c] += right[3 * (size_t)i + (size_t)c] - mass[i] * d[c];
        if (own >= 0)
          sum[c] -= mus_dot3(block + 9 * (size_t)own + 3 * (size_t)c, d);
        if (lifts.is && lifts.is[i])
          sum[c] -= mus_dot3(lifts.value + 9 * (size_t)i + 3 * (size_t)c, d);
      }
    }
    for (int q = 0; q < 3; ++q)
      fold::put(at.thread, q, sum[q], number);
  }
};

// How far each part goes as a whole; a block has a part.
struct mus_way_kernel {
  const int *start; // of pieces, by part
  const double *partial, *inverse;
  double *way; // three of each
  enum { THREADS = 64 };
  typedef mus_fold<3, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, sum[3] = {0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 3, number);
      if (phase + 1 == PHASES && at.thread < 3) {
        for (int q = 0; q < 3; ++q)
          sum[q] = number[q * THREADS];
        way[3 * (size_t)at.block + (size_t)at.thread] =
            mus_dot3(inverse + 9 * (size_t)at.block + 3 * (size_t)at.thread, sum);
      }
      return;
    }
    for (int k = start[at.block] + at.thread; k < start[at.block + 1]; k += THREADS)
      for (int q = 0; q < 3; ++q)
        sum[q] += partial[3 * (size_t)k + (size_t)q];
    for (int q = 0; q < 3; ++q)
      fold::put(at.thread, q, sum[q], number);
  }
};

// d += way where that is free, v' += d, x' = X + H v'.
struct mus_projective_advance_kernel {
  int nodes;
  const int *name, *part;
  const double *way;
  mus_specials specials;
  const mus_moment_there *moment;
  const double *position;
  double *change, *next_position, *next_velocity;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    double d[3], *to = change + 3 * (size_t)i;
    const double *along = way + 3 * (size_t)part[i];
    for (int c = 0; c < 3; ++c)
      d[c] = to[c] + along[c];
    if (specials.place[i] >= 0)
      mus_keep_free(specials.special[specials.place[i]], d);
    size_t v = 3 * (size_t)name[i];
    for (size_t c = 0; c < 3; ++c) {
      double speed = next_velocity[v + c] + d[c];
      to[c] = d[c];
      next_velocity[v + c] = speed;
      next_position[v + c] = position[v + c] + moment->at.length * speed;
    }
  }
};

// The same by part of d, which becomes `scale` times what it was.
struct mus_go_kernel {
  int nodes;
  const int *name;
  double part, scale;
  const mus_moment_there *moment;
  const double *position;
  double *change, *next_position, *next_velocity;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= nodes)
      return;
    size_t v = 3 * (size_t)name[i];
    for (size_t c = 0; c < 3; ++c) {
      double *d = change + 3 * (size_t)i + c, speed = next_velocity[v + c] + part * *d;
      *d *= scale;
      next_velocity[v + c] = speed;
      next_position[v + c] = position[v + c] + moment->at.length * speed;
    }
  }
};

// --- sums ------------------------------------------------------------------------------------------------------------

enum { MUS_DOT_SLOPE, MUS_DOT_CHANGE, MUS_DOT_SQUARE, MUS_DOT_LENGTH, MUS_DOT_LARGEST, MUS_DOTS };

// Those of mus_projective_sums, by block.
struct mus_dots_kernel {
  int unknowns;
  const double *right, *change;
  const double *before; // NULL: no secants
  double *partial;      // MUS_DOTS of each block
  enum { THREADS = 128, BLOCKS = 256 };
  typedef mus_fold<MUS_DOTS, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, sum[MUS_DOTS] = {0, 0, 0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_DOT_LARGEST, number);
      for (int q = 0; q < MUS_DOTS && phase + 1 == PHASES && at.thread == 0; ++q)
        partial[(size_t)at.block * MUS_DOTS + (size_t)q] = number[q * THREADS];
      return;
    }
    for (int i = at.block * THREADS + at.thread; i < unknowns; i += BLOCKS * THREADS) {
      double r = right[i], d = change[i], y = before ? before[i] - r : 0;
      sum[MUS_DOT_SLOPE] += r * d;
      sum[MUS_DOT_CHANGE] += y * d;
      sum[MUS_DOT_SQUARE] += y * y;
      sum[MUS_DOT_LENGTH] += d * d;
      sum[MUS_DOT_LARGEST] = fmax(sum[MUS_DOT_LARGEST], fabs(d));
    }
    for (int q = 0; q < MUS_DOTS; ++q)
      fold::put(at.thread, q, sum[q], number);
  }
};

// |v' - V|^2_M / 2 - M g . (x' - X) of nodes, and the energies of pulls and touches, by block.
struct mus_inertia_kernel {
  int nodes;
  const int *name;
  const double *mass; // of nodes
  const double *position, *velocity, *next_position, *next_velocity;
  const mus_moment_there *moment;
  const int *pulls;
  const mus_projective_pull *pull;
  mus_touches touches;
  double *partial;
  enum { THREADS = 128, BLOCKS = 256 };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, sum = 0;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        partial[at.block] = number[0];
      return;
    }
    for (int i = at.block * THREADS + at.thread; i < nodes; i += BLOCKS * THREADS) {
      size_t vertex = (size_t)name[i];
      for (size_t c = 0; c < 3; ++c) {
        size_t v = 3 * vertex + c;
        double gained = next_velocity[v] - velocity[v], way = next_position[v] - position[v];
        sum += mass[i] * (gained * gained / 2 - moment->at.gravity[c] * way);
      }
      if (touches.has(i))
        sum += mus_touch_energy(&touches.touched[vertex], next_velocity + 3 * vertex);
    }
    for (int k = at.block * THREADS + at.thread; k < *pulls; k += BLOCKS * THREADS)
      sum += mus_pull_energy(pull[k], moment->at.length, next_position, next_velocity);
    fold::put(at.thread, 0, sum, number);
  }
};

// --- vectors ---------------------------------------------------------------------------------------------------------

// d = x of the cycle, or more of it.
template <class real> struct mus_take_kernel {
  int nodes;
  mus_taking how;
  const real *x;
  double *change;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    double d[3];
    if (i < nodes)
      mus_take_change(how, i, x, change, d);
  }
};

// --- the host's order ------------------------------------------------------------------------------------------------

struct mus_by_vertex_kernel {
  int nodes;
  const int *name;
  const double *from;
  double *to;
  int back; // 1: from the order of vertices
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    for (size_t c = 0; c < 3 && i < nodes; ++c) {
      size_t node = 3 * (size_t)i + c, vertex = 3 * (size_t)name[i] + c;
      to[back ? node : vertex] = from[back ? vertex : node];
    }
  }
};

template <class real> struct mus_set_right_kernel {
  int nodes;
  const double *right;
  real *b;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    for (size_t c = 0; c < 3 && i < nodes; ++c)
      b[4 * (size_t)i + c] = (real)right[3 * (size_t)i + c];
  }
};

#endif
