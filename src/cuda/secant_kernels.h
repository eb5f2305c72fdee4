// Kernels of secants in steps of Projective Dynamics, step/secants.h. Each adds up the products of the one before for
// itself, in the order of its blocks, and leaves those that the next one needs.
#ifndef MUS_CUDA_SECANT_KERNELS_H
#define MUS_CUDA_SECANT_KERNELS_H

#include "cuda/element_kernels.h"
#include "cuda/projective_stages.h"

struct mus_secants_there {
  double part;                            // of the last correction, of which a pair is to be made
  int place[MUS_PROJECTIVE_SECANTS];      // of pairs, newest first
  double product[MUS_PROJECTIVE_SECANTS]; // y.s of pairs, newest first
};

enum { MUS_SECANT_BLOCKS = 128, MUS_SECANT_THREADS = 256 };

struct mus_secant_pairs {
  int unknowns;
  const mus_secants_there *state;
  double *s, *y;
  double *along; // newest first
  MUS_HD double *s_of(int k) const { return s + (size_t)state->place[k] * (size_t)unknowns; }
  MUS_HD double *y_of(int k) const { return y + (size_t)state->place[k] * (size_t)unknowns; }
};

// The sum over all blocks, by every thread: the same order, the same bits.
MUS_HD double mus_secant_sum(const double *partial) {
  double sum = 0;
  for (int k = 0; k < MUS_SECANT_BLOCKS; ++k)
    sum += partial[k];
  return sum;
}

// What secant kernels have in common: a product for the next one.
template <class step> struct mus_secant_kernel {
  step own;
  enum { THREADS = MUS_SECANT_THREADS };
  typedef mus_fold<1, THREADS> fold;
  enum { PHASES = 2 + fold::PHASES, SHARED = fold::BYTES + (int)sizeof(double) };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared, *factor = number + THREADS;
    if (phase == 0) {
      if (at.thread == 0)
        *factor = own.factor(at.block);
      return;
    }
    if (phase == 1) {
      double sum = 0;
      for (int i = at.block * THREADS + at.thread; i < own.pairs.unknowns; i += MUS_SECANT_BLOCKS * THREADS)
        sum += own.at(i, *factor);
      fold::put(at.thread, 0, sum, number);
      return;
    }
    fold::run(phase - 2, at.thread, 1, number);
    if (phase + 1 == PHASES && at.thread == 0)
      own.partial[at.block] = number[0];
  }
};

// The last correction becomes the newest pair, where it `notes` that; q = r, which is kept; s.q of the newest of
// `count` pairs.
struct mus_secant_begin {
  mus_secant_pairs pairs;
  int notes, count;
  const double *right, *change;
  double *before, *q;
  double *partial;
  MUS_HD double factor(int) const { return notes ? pairs.state->part : 0; }
  MUS_HD double at(int i, double part) const {
    double r = right[i];
    if (notes) {
      pairs.s_of(0)[i] = part * change[i];
      pairs.y_of(0)[i] = before[i] - r;
    }
    before[i] = r;
    q[i] = r;
    return count > 0 ? pairs.s_of(0)[i] * r : 0;
  }
};

// q -= a y of pair k; s.q of the next one. After the last, the cycle's right-hand side.
template <class real> struct mus_secant_down {
  mus_secant_pairs pairs;
  int k, is_last;
  const double *given;
  double *q;
  real *b;
  double *partial;
  MUS_HD double factor(int block) const {
    double a = mus_secant_sum(given) / pairs.state->product[k];
    if (block == 0)
      pairs.along[k] = a;
    return a;
  }
  MUS_HD double at(int i, double a) const {
    double left = q[i] - a * pairs.y_of(k)[i];
    q[i] = left;
    if (is_last)
      b[4 * (size_t)(i / 3) + (size_t)(i % 3)] = (real)left;
    return is_last ? 0 : pairs.s_of(k + 1)[i] * left;
  }
};

// y.z of the oldest of `count` pairs.
struct mus_secant_turn {
  mus_secant_pairs pairs;
  int count;
  const double *z;
  double *partial;
  MUS_HD double factor(int) const { return 0; }
  MUS_HD double at(int i, double) const { return pairs.y_of(count - 1)[i] * z[i]; }
};

// z += (a - y.z / y.s) s of pair k; y.z of the one before it.
struct mus_secant_up {
  mus_secant_pairs pairs;
  int k;
  const double *given;
  double *z;
  double *partial;
  MUS_HD double factor(int) const { return pairs.along[k] - mus_secant_sum(given) / pairs.state->product[k]; }
  MUS_HD double at(int i, double a) const {
    double now = z[i] + a * pairs.s_of(k)[i];
    z[i] = now;
    return k > 0 ? pairs.y_of(k - 1)[i] * now : 0;
  }
};

#endif
