// Kernels that evaluate elements, a thread for each: what a system needs of them, and what is measured. The functions
// are those of energy/, so that a device computes what the host does.
#ifndef MUS_CUDA_ELEMENT_KERNELS_H
#define MUS_CUDA_ELEMENT_KERNELS_H

#include "cuda/launch.h"
#include "cuda/step_stages.h"

// What elements are evaluated at; in the device's memory, so that recorded kernels find that of each step.
struct mus_moment_there {
  mus_stage_moment at;
  mus_blend blend;
};

// One element's surroundings.
struct mus_element_place {
  const mus_moment_there *moment;
  const mus_gusts *gusts; // NULL: none
  double scale;
  const double *limit; // of strains, for what is measured
};

// Of an element that is measured.
struct mus_element_measures {
  double energy, shear; // J
  double strain;        // without its sign
  double inverted;      // 1 or 0
  double reached;       // strain over its limit
};

// --- drag ------------------------------------------------------------------------------------------------------------

// Returns its potential of the step, if there is one; v is where the step began then, and so is the wind.
MUS_HD double mus_add_drag(const mus_element_place &place, const double *x, const double *v, double *gradient,
                           double *block) {
  const mus_stage_moment &at = place.moment->at;
  const double *where = place.moment->blend.per_second > 0 ? v : x;
  double middle[3], wind[3];
  if (!(at.air.density > 0))
    return 0;
  for (int m = 0; m < 3; ++m)
    middle[m] = (where[m] + where[3 + m] + where[6 + m]) / 3;
  mus_wind_at(at.wind, at.gusty ? place.gusts : nullptr, middle, at.time, wind);
  return mus_drag_element(&at.air, &place.moment->blend, wind, x, v, gradient, block);
}

// --- kinds -----------------------------------------------------------------------------------------------------------
// Each has
//   rest, material                  its constants; char where there are none
//   ARITY                           nodes
//   RANK_ONE                        1: `block` is r, of r r^T
//   evaluate()                      gradient and block, each NULL where not wanted; in a step that is minimised,
//                                   returns its energy with what damping costs
//   measure()

struct mus_nothing {};

struct mus_membrane_there {
  typedef mus_membrane_rest rest;
  typedef mus_membrane_material material;
  enum { ARITY = 3, RANK_ONE = 0 };

  static MUS_HD material scaled(material m, double scale) {
    for (int k = 0; k < 2; ++k) {
      m.stretch[k] *= scale;
      m.stretch_damping[k] *= scale;
    }
    m.shear *= scale;
    m.shear_damping *= scale;
    return m;
  }
  static MUS_HD double evaluate(const rest &r, const material &m, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    material now = scaled(m, place.scale);
    double energy = mus_membrane_element(&r, &now, &place.moment->blend, x, v, gradient, block);
    return energy + mus_add_drag(place, x, v, gradient, block);
  }
  static MUS_HD void measure(const rest &r, const material &m, const mus_element_place &place, const double *x,
                             mus_element_measures *out) {
    mus_membrane_state state;
    material stretch = m, shear = m;
    shear.stretch[0] = shear.stretch[1] = stretch.shear = 0;
    mus_membrane_state_make(&r, x, &state);
    out->energy = place.scale * mus_membrane_energy(&r, &stretch, &state);
    out->shear = place.scale * mus_membrane_energy(&r, &shear, &state);
    double strain[2] = {state.length_u - 1, state.length_v - 1};
    out->strain = fmax(fabs(strain[0]), fabs(strain[1]));
    for (int d = 0; d < 2; ++d)
      if (place.limit[d] > 0)
        out->reached = fmax(out->reached, strain[d] / place.limit[d]);
  }
};

struct mus_hinge_there {
  typedef mus_hinge_rest rest;
  typedef mus_nothing material;
  enum { ARITY = 4, RANK_ONE = 1 };

  static MUS_HD double evaluate(const rest &r, const material &, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    rest now = {place.scale * r.weight, place.scale * r.damping, r.angle};
    mus_hinge_state state;
    mus_hinge_state_make(x, &state);
    return mus_hinge_forces(&now, &place.moment->blend, &state, v, gradient, block);
  }
  static MUS_HD void measure(const rest &r, const material &, const mus_element_place &place, const double *x,
                             mus_element_measures *out) {
    const mus_blend still = {0, 0, 0, 0, 0};
    rest now = {place.scale * r.weight, place.scale * r.damping, r.angle};
    mus_hinge_state state;
    mus_hinge_state_make(x, &state);
    out->energy = mus_hinge_forces(&now, &still, &state, nullptr, nullptr, nullptr);
  }
};

// Springs of either kind: E says which function.
template <class law> struct mus_spring_there {
  typedef mus_spring_rest rest;
  typedef mus_nothing material;
  enum { ARITY = 2, RANK_ONE = 0 };

  static MUS_HD rest scaled(rest r, double scale) {
    r.stiffness *= scale;
    r.damping *= scale;
    return r;
  }
  static MUS_HD double evaluate(const rest &r, const material &, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    rest now = scaled(r, place.scale);
    return law::element(&now, &place.moment->blend, x, v, gradient, block);
  }
  static MUS_HD void measure(const rest &r, const material &, const mus_element_place &place, const double *x,
                             mus_element_measures *out) {
    const mus_blend still = {0, 0, 0, 0, 0};
    rest now = scaled(r, place.scale);
    double drawn = mus_spring_length(x) / r.length - 1;
    out->energy = law::element(&now, &still, x, nullptr, nullptr, nullptr);
    out->strain = law::SLACK ? fmax(drawn, 0.0) : fabs(drawn);
  }
};

struct mus_plain_spring {
  enum { SLACK = 0 };
  static MUS_HD double element(const mus_spring_rest *r, const mus_blend *blend, const double *x, const double *v,
                               double *gradient, double *block) {
    return mus_spring_element(r, blend, x, v, gradient, block);
  }
};

struct mus_tension_spring {
  enum { SLACK = 1 };
  static MUS_HD double element(const mus_spring_rest *r, const mus_blend *blend, const double *x, const double *v,
                               double *gradient, double *block) {
    return mus_choi_ko_stretch_element(r, blend, x, v, gradient, block);
  }
};

struct mus_buckling_there {
  typedef mus_buckling_rest rest;
  typedef mus_nothing material;
  enum { ARITY = 2, RANK_ONE = 0 };

  static MUS_HD rest scaled(rest r, double scale) {
    r.stiffness *= scale;
    r.limit *= scale;
    r.damping *= scale;
    r.offset *= scale;
    return r;
  }
  static MUS_HD double evaluate(const rest &r, const material &, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    rest now = scaled(r, place.scale);
    return mus_choi_ko_bend_element(&now, &place.moment->blend, x, v, gradient, block);
  }
  static MUS_HD void measure(const rest &r, const material &, const mus_element_place &place, const double *x,
                             mus_element_measures *out) {
    const mus_blend still = {0, 0, 0, 0, 0};
    rest now = scaled(r, place.scale);
    out->energy = mus_choi_ko_bend_element(&now, &still, x, nullptr, nullptr, nullptr);
  }
};

struct mus_drag_there {
  typedef mus_nothing rest;
  typedef mus_nothing material;
  enum { ARITY = 3, RANK_ONE = 0 };

  static MUS_HD double evaluate(const rest &, const material &, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    if (gradient)
      mus_zero(9, gradient);
    if (block)
      mus_zero(54, block);
    return mus_add_drag(place, x, v, gradient, block);
  }
  static MUS_HD void measure(const rest &, const material &, const mus_element_place &, const double *,
                             mus_element_measures *) {}
};

template <class law> struct mus_tetrahedron_there {
  typedef mus_tetrahedron_rest rest;
  typedef mus_solid_constants material;
  enum { ARITY = 4, RANK_ONE = 0 };

  static MUS_HD double element(const rest &r, const material &m, const mus_element_place &place, const mus_blend *blend,
                               const double *x, const double *v, double *gradient, double *block, double *stretch) {
    material now = m;
    now.lame.mu *= place.scale;
    now.lame.lambda *= place.scale;
    return law::element(&r, &now, blend, x, v, gradient, block, stretch);
  }
  static MUS_HD double evaluate(const rest &r, const material &m, const mus_element_place &place, const double *x,
                                const double *v, double *gradient, double *block) {
    return element(r, m, place, &place.moment->blend, x, v, gradient, block, nullptr);
  }
  static MUS_HD void measure(const rest &r, const material &m, const mus_element_place &place, const double *x,
                             mus_element_measures *out) {
    material now = m;
    double s[3];
    now.lame.mu *= place.scale;
    now.lame.lambda *= place.scale;
    out->energy = law::measured(&r, &now, x, s);
    out->strain = fmax(fabs(s[0] - 1), fabs(s[2] - 1)); // the third lies between
    out->inverted = s[2] < 0 ? 1 : 0;
  }
};

// Energy and singular values alone.
MUS_HD double mus_measure_corotated(const mus_tetrahedron_rest *r, const mus_solid_constants *c, const double *x,
                                    double *s) {
  return mus_corotated_element(r, c, 0, x, nullptr, nullptr, s);
}
template <class law>
MUS_HD double mus_measure_law(const mus_tetrahedron_rest *r, const mus_solid_constants *c, const double *x, double *s) {
  const mus_blend still = {0, 0, 0, 0, 0};
  return law::element(r, c, &still, x, nullptr, nullptr, nullptr, s);
}

#define MUS_LAW_THERE(stem, measure)                                                                                   \
  struct mus_##stem##_there {                                                                                          \
    static MUS_HD double element(const mus_tetrahedron_rest *r, const mus_solid_constants *c, const mus_blend *blend,  \
                                 const double *x, const double *v, double *gradient, double *block, double *s) {       \
      return mus_tetrahedron_element(mus_##stem##_law, r, c, blend, x, v, gradient, block, s);                         \
    }                                                                                                                  \
    static MUS_HD double measured(const mus_tetrahedron_rest *r, const mus_solid_constants *c, const double *x,        \
                                  double *s) {                                                                         \
      return measure(r, c, x, s);                                                                                      \
    }                                                                                                                  \
  };
MUS_LAW_THERE(corotated, mus_measure_corotated)
MUS_LAW_THERE(neo_hookean, mus_measure_law<mus_neo_hookean_there>)
MUS_LAW_THERE(venant_kirchhoff, mus_measure_law<mus_venant_kirchhoff_there>)

// --- evaluation ------------------------------------------------------------------------------------------------------

template <int ARITY> MUS_HD void mus_load_nodes(const int *vertex, const double *from, double *to) {
  MUS_UNROLL
  for (int c = 0; c < ARITY; ++c)
    MUS_UNROLL
  for (int m = 0; m < 3; ++m)
    to[3 * c + m] = from[3 * (size_t)vertex[c] + (size_t)m];
}

// Numbers that an element writes: its gradient, and its blocks or r.
template <class kind> struct mus_element_numbers {
  enum { GRADIENT = 3 * kind::ARITY, BLOCK = kind::RANK_ONE ? GRADIENT : 9 * kind::ARITY * (kind::ARITY + 1) / 2 };
};

template <class kind> struct mus_evaluate_kernel {
  int count, each; // elements, and of each copy
  const int *vertex;
  const typename kind::rest *rest;
  const typename kind::material *material;
  const double *scale; // the list's ...
  int lists;           // ... of every copy, after so many
  const double *position, *velocity;
  const mus_moment_there *moment;
  const mus_gusts *gusts;
  double *gradient, *block; // the list's, element by element
  enum { THREADS = 64, PHASES = 1, SHARED = 0 };

  MUS_HD void run(int, mus_place at, void *) const {
    enum { GRADIENT = mus_element_numbers<kind>::GRADIENT, BLOCK = mus_element_numbers<kind>::BLOCK };
    int e = at.block * THREADS + at.thread;
    if (e >= count)
      return;
    double x[GRADIENT], v[GRADIENT], g[GRADIENT], b[BLOCK];
    int copy = e / each;
    const mus_element_place place = {moment + copy, gusts ? gusts + copy : nullptr, scale[copy * lists], nullptr};
    mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, position, x);
    mus_load_nodes<kind::ARITY>(vertex + (size_t)e * kind::ARITY, velocity, v);
    kind::evaluate(rest[e], material[copy], place, x, v, g, b);
    MUS_UNROLL
    for (int k = 0; k < GRADIENT; ++k)
      gradient[(size_t)e * GRADIENT + (size_t)k] = g[k];
    MUS_UNROLL
    for (int k = 0; k < BLOCK; ++k)
      block[(size_t)e * BLOCK + (size_t)k] = b[k];
  }
};

// --- measuring -------------------------------------------------------------------------------------------------------

// Folds Q numbers of every thread into one of each, in a fixed order: THREADS is a power of 2, and the phases follow
// the one in which threads have put theirs into `number`. Quantities from `maxima` on are the largest, others sums;
// with PAIRED, the last is no quantity but says where the one before it is.
template <int Q, int THREADS, bool PAIRED = false> struct mus_fold {
  static constexpr int steps(int threads) { return threads > 1 ? 1 + steps(threads / 2) : 0; }
  enum { PHASES = steps(THREADS), BYTES = Q * THREADS * (int)sizeof(double) };

  static MUS_HD void put(int thread, int q, double value, double *number) { number[q * THREADS + thread] = value; }
  // `step` from 0; after the last, thread 0 has the result at number[q * THREADS].
  static MUS_HD void run(int step, int thread, int maxima, double *number) {
    int half = THREADS >> (step + 1);
    if (thread >= half)
      return;
    if (PAIRED) {
      double *largest = number + (Q - 2) * THREADS + thread, *where = largest + THREADS;
      if (largest[half] > *largest)
        *where = where[half];
    }
    MUS_UNROLL
    for (int q = 0; q < (PAIRED ? Q - 1 : Q); ++q) {
      double *a = number + q * THREADS + thread, b = a[half];
      *a = q < maxima ? *a + b : fmax(*a, b);
    }
  }
};

// What elements are measured by, in the order in which partial sums lie.
enum {
  MUS_MEASURE_ENERGY,
  MUS_MEASURE_SHEAR,
  MUS_MEASURE_INVERTED,
  MUS_MEASURE_BEYOND,
  MUS_MEASURE_STRAIN, // the largest, as the next
  MUS_MEASURE_REACHED,
  MUS_MEASURE_WHERE, // in which element that is
  MUS_MEASURES
};

template <class kind> struct mus_measure_kernel {
  int each, across; // elements of a copy, and blocks for them
  const int *vertex;
  const typename kind::rest *rest;
  const typename kind::material *material;
  const double *scale;
  int lists; // as above
  const double *position;
  double *strain;      // NULL: not wanted
  double *partial;     // MUS_MEASURES of each block
  const double *limit; // two of each copy
  enum { THREADS = 128 };
  typedef mus_fold<MUS_MEASURES, THREADS, true> fold;
  enum { PHASES = 1 + fold::PHASES, SHARED = fold::BYTES };

  MUS_HD void run(int phase, mus_place at, void *shared) const {
    double *number = (double *)shared;
    if (phase > 0) {
      fold::run(phase - 1, at.thread, MUS_MEASURE_STRAIN, number);
      if (phase + 1 == PHASES && at.thread == 0)
        for (int q = 0; q < MUS_MEASURES; ++q)
          partial[(size_t)at.block * MUS_MEASURES + (size_t)q] = number[q * THREADS];
      return;
    }
    int copy = at.block / across, own = at.block % across * THREADS + at.thread;
    mus_element_measures found = {0, 0, 0, 0, 0};
    if (own < each) {
      double x[3 * kind::ARITY];
      size_t e = (size_t)copy * (size_t)each + (size_t)own;
      const mus_element_place place = {nullptr, nullptr, scale[copy * lists], limit + 2 * copy};
      mus_load_nodes<kind::ARITY>(vertex + e * kind::ARITY, position, x);
      kind::measure(rest[e], material[copy], place, x, &found);
      if (strain)
        strain[e] = found.strain;
    }
    fold::put(at.thread, MUS_MEASURE_ENERGY, found.energy, number);
    fold::put(at.thread, MUS_MEASURE_SHEAR, found.shear, number);
    fold::put(at.thread, MUS_MEASURE_INVERTED, found.inverted, number);
    fold::put(at.thread, MUS_MEASURE_BEYOND, found.reached > 1 + MUS_STAGE_SLACK ? 1 : 0, number);
    fold::put(at.thread, MUS_MEASURE_STRAIN, strain ? found.strain : 0, number);
    fold::put(at.thread, MUS_MEASURE_REACHED, found.reached, number);
    fold::put(at.thread, MUS_MEASURE_WHERE, own, number);
  }
};

#endif
