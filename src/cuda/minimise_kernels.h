// Kernels of steps that are minima: energies of elements and nodes, the residual, directions and the way along them.
// See minimise_stages.h.
#ifndef MUS_CUDA_MINIMISE_KERNELS_H
#define MUS_CUDA_MINIMISE_KERNELS_H

#include "cuda/gather_kernels.h"
#include "cuda/minimise_stages.h"

// --- elements --------------------------------------------------------------------------------------------------------

// E + P of a list's elements, summed in each block, and their gradients where wanted.
template <class kind, bool GRADIENTS> struct mus_energy_kernel {
  int count;
  const int *vertex;
  const typename kind::rest *rest;
  const typename kind::material *material;
  const double *scale;             // the list's
  const double *position, *before; // x' and X
  const mus_moment_there *moment;
  const mus_gusts *gusts;
  double *gradient; // the list's, element by element
  double *partial;  // of each block
  enum { THREADS = 128 };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    enum { NUMBERS = 3 * kind::ARITY };
    double *number = (double *)shared, energy = 0;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, 1, number);
      if (phase + 1 == PHASES && at.thread == 0)
        partial[at.block] = number[0];
      return;
    }
    int e = at.block * THREADS + at.thread;
    if (e < count) {
      double x[NUMBERS], begin[NUMBERS], g[NUMBERS];
      const mus_element_place place = {moment, gusts, *scale, nullptr};
      mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, position, x);
      mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, before, begin);
      energy = kind::evaluate(rest[e], *material, place, x, begin, GRADIENTS ? g : nullptr, nullptr);
      if (GRADIENTS) {
        MUS_UNROLL
        for (int k = 0; k < NUMBERS; ++k)
          gradient[(size_t)e * NUMBERS + (size_t)k] = g[k];
      }
    }
    fold::put(at.thread, 0, energy, number);
  }
};

// --- nodes -----------------------------------------------------------------------------------------------------------

// |v' - V|^2_M / 2 - M g . (x' - X), summed in each block.
struct mus_node_energy_kernel {
  int nodes;
  const double *mass, *start_velocity, *velocity, *before, *position;
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
    int i = at.block * THREADS + at.thread;
    if (i < nodes) {
      double gained[3], way[3];
      for (int c = 0; c < 3; ++c) {
        size_t k = 3 * (size_t)i + (size_t)c;
        gained[c] = velocity[k] - start_velocity[k];
        way[c] = position[k] - before[k];
      }
      energy = mass[i] * (mus_dot3(gained, gained) / 2 - mus_dot3(moment->at.gravity, way));
    }
    fold::put(at.thread, 0, energy, number);
  }
};

// r = H (M g - gradient) + M (V - v'), twice: as it is, and where what is held will be taken out.
struct mus_gather_residual_kernel {
  int unknowns;
  const int *start;
  const unsigned *share; // where three numbers are
  const double *from, *mass, *start_velocity, *velocity;
  const mus_moment_there *moment;
  double *right, *free_right;
  enum { THREADS = 192, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread, node = i / 3, c = i % 3;
    if (i >= unknowns)
      return;
    double sum = 0, m = mass[node];
    for (int s = start[node]; s < start[node + 1]; ++s)
      sum += from[(size_t)share[s] + (size_t)c];
    double r = moment->at.length * (m * moment->at.gravity[c] - sum) + m * (start_velocity[i] - velocity[i]);
    right[i] = r;
    free_right[i] = r;
  }
};

// --- what is held ----------------------------------------------------------------------------------------------------

// Has velocities do what is prescribed, or (CLEAR) makes numbers zero in these directions.
template <bool CLEAR> struct mus_prescribe_kernel {
  const int *count;
  const mus_stage_hold *hold;
  double *number;
  enum { THREADS = 128, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int k = at.block * THREADS + at.thread;
    if (k >= *count)
      return;
    const mus_stage_hold &h = hold[k];
    double *x = number + 3 * (size_t)h.node;
    for (int d = 0; d < h.count; ++d) {
      const double *along = h.direction + 3 * d;
      mus_add_scaled3(CLEAR ? -mus_dot3(along, x) : h.value[d], along, x);
    }
  }
};

// --- the way ---------------------------------------------------------------------------------------------------------

// X, and the first iterate before what is prescribed.
struct mus_first_kernel {
  int unknowns;
  const double *position, *velocity;
  double *predicted, *next_velocity;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= unknowns)
      return;
    predicted[i] = position[i];
    next_velocity[i] = velocity[i];
  }
};

// x' = X + H v'
struct mus_place_kernel {
  int unknowns;
  const mus_moment_there *moment;
  const double *predicted, *next_velocity;
  double *next_position;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i < unknowns)
      next_position[i] = predicted[i] + moment->at.length * next_velocity[i];
  }
};

// v' = v'_0 + length d, and the same
struct mus_along_kernel {
  int unknowns;
  const mus_moment_there *moment;
  const double *length, *predicted, *from, *change;
  double *next_velocity, *next_position;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i >= unknowns)
      return;
    double v = from[i] + *length * change[i];
    next_velocity[i] = v;
    next_position[i] = predicted[i] + moment->at.length * v;
  }
};

// d = v' - v
struct mus_change_kernel {
  int unknowns;
  const double *velocity, *next_velocity;
  double *change;
  enum { THREADS = 256, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    int i = at.block * THREADS + at.thread;
    if (i < unknowns)
      change[i] = next_velocity[i] - velocity[i];
  }
};

// --- directions ------------------------------------------------------------------------------------------------------

// r . z, the r before . z, and r . the direction before; a thread for each node.
enum { MUS_PRODUCT_OWN, MUS_PRODUCT_BEFORE, MUS_PRODUCT_WAY, MUS_PRODUCTS };

struct mus_products_kernel {
  int nodes;
  const double *right, *change, *right_before, *way;
  double *partial; // MUS_PRODUCTS of each block
  enum { THREADS = 128 };
  typedef mus_fold<MUS_PRODUCTS, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, product[MUS_PRODUCTS] = {0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_PRODUCTS, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < MUS_PRODUCTS; ++q)
          partial[(size_t)at.block * MUS_PRODUCTS + (size_t)q] = number[q * THREADS];
      return;
    }
    int i = at.block * THREADS + at.thread;
    if (i < nodes) {
      size_t k = 3 * (size_t)i;
      product[MUS_PRODUCT_OWN] = mus_dot3(right + k, change + k);
      product[MUS_PRODUCT_BEFORE] = mus_dot3(right_before + k, change + k);
      product[MUS_PRODUCT_WAY] = mus_dot3(right + k, way + k);
    }
    for (int q = 0; q < MUS_PRODUCTS; ++q)
      fold::put(at.thread, q, product[q], number);
  }
};

// How much of the last direction is kept, and the descent along the new one. `sums` are of mus_sum_kernel: every other
// number is one.
MUS_HD double mus_kept_part(const mus_stage_memory &memory, const double *sums, double *downhill) {
  double product = sums[2 * MUS_PRODUCT_OWN];
  double keep = memory.anew ? 0 : fmax((product - sums[2 * MUS_PRODUCT_BEFORE]) / memory.product, 0.0);
  *downhill = product;
  if (!(keep > 0))
    return 0;
  double both = product + keep * sums[2 * MUS_PRODUCT_WAY];
  if (!(both > memory.slope * product))
    return 0;
  *downhill = both;
  return keep;
}

enum { MUS_LENGTH_SQUARE, MUS_LENGTH_FARTHEST, MUS_LENGTHS };

struct mus_direct_kernel {
  int nodes;
  const mus_stage_memory *memory;
  const double *sums; // of products
  const double *right, *next_velocity;
  double *change, *right_before, *way, *from;
  double *partial; // MUS_LENGTHS of each block
  enum { THREADS = 128 };
  typedef mus_fold<MUS_LENGTHS, THREADS> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, square = 0, downhill;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_LENGTH_FARTHEST, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < MUS_LENGTHS; ++q)
          partial[(size_t)at.block * MUS_LENGTHS + (size_t)q] = number[q * THREADS];
      return;
    }
    int i = at.block * THREADS + at.thread;
    if (i < nodes) {
      double keep = mus_kept_part(*memory, sums, &downhill);
      for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; ++k) {
        double d = change[k] + (keep > 0 ? keep * way[k] : 0);
        square += d * d;
        change[k] = way[k] = d;
        right_before[k] = right[k];
        from[k] = next_velocity[k];
      }
    }
    fold::put(at.thread, MUS_LENGTH_SQUARE, square, number);
    fold::put(at.thread, MUS_LENGTH_FARTHEST, square, number);
  }
};

// How far velocities are apart; sums as above.
struct mus_distance_kernel {
  int nodes;
  const double *one, *other;
  double *partial;
  enum { THREADS = mus_direct_kernel::THREADS };
  typedef mus_direct_kernel::fold fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, way[3] = {0, 0, 0};
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_LENGTH_FARTHEST, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < MUS_LENGTHS; ++q)
          partial[(size_t)at.block * MUS_LENGTHS + (size_t)q] = number[q * THREADS];
      return;
    }
    int i = at.block * THREADS + at.thread;
    if (i < nodes)
      mus_subtract3(one + 3 * (size_t)i, other + 3 * (size_t)i, way);
    fold::put(at.thread, MUS_LENGTH_SQUARE, mus_dot3(way, way), number);
    fold::put(at.thread, MUS_LENGTH_FARTHEST, mus_dot3(way, way), number);
  }
};

#endif
