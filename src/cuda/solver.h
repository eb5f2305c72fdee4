// A hierarchy on the device: its memory, and the stages as sequences of kernels. See stages.h for what they do and
// multigrid/cycle.h for the cycle.
//
// Included by library.cu, where runtime_cuda.h makes it the device's, and by emulated.cpp, where runtime_host.h makes
// it an emulation for tests.
#ifndef MUS_CUDA_SOLVER_H
#define MUS_CUDA_SOLVER_H

#include <type_traits>

#include "cuda/across_kernels.h"
#include "cuda/lists.h"

struct mus_device {
  mus_device_facts facts;
};

// A matrix in slices on the device.
struct mus_device_matrix {
  mus_sliced<float> m = {};
  int rows = 0, slices = 0, block = 0, inner = 0;
  int parts = 1; // threads for each scalar row
  size_t values = 0;
};

struct mus_device_level {
  // structure, on the host
  int rows = 0, block = 0, coarse_block = 0, slices = 0, passes = 0;
  double alpha[MUS_STAGES_PASSES], beta[MUS_STAGES_PASSES];
  std::vector<int> row_start; // of A
  mus_slices a_slices, p_slices, pt_slices;
  mus_turned pt_pattern;
  std::vector<int> p_start;
  // on the device
  mus_device_matrix a, p, pt;
  mus_sliced<double> wide = {}; // the finest level's
  int *row_start_there = nullptr, *diagonal = nullptr;
  float *inverse = nullptr, *b = nullptr, *x = nullptr, *other = nullptr, *left_over = nullptr, *probe = nullptr;
  int ap_blocks = 0, coarse_blocks = 0;
  int *first_start = nullptr, *second_start = nullptr;
  mus_pair *first_pair = nullptr, *second_pair = nullptr;
  mus_target *target = nullptr;
  // how P is made
  int aggregates = 0, p_blocks = 0;
  int *member_start = nullptr, *member = nullptr, *smooth_start = nullptr;
  mus_pair *smooth_pair = nullptr;
  mus_prolong_target *smooth_target = nullptr;
  int is_filtered = 0;
  int *aggregate = nullptr, *weak_start = nullptr; // what is weak, where P is filtered
  mus_pair *weak_pair = nullptr;
  float *flat = nullptr;                        // P's blocks one after the other
  double *kernel = nullptr, *relaxed = nullptr; // near-null space; room for it relaxed, where that is asked for

  size_t padded() const { return (size_t)slices * (size_t)(MUS_SLICE * block); } // unknowns, in whole slices
};

struct mus_device_solver {
  mus_runtime run;
  int levels, visits, iterations_most, kernel_sweeps;
  mus_device_level level[MUS_STAGES_LEVELS];
  size_t unknowns = 0;
  double *values = nullptr, *motion = nullptr, *given_b = nullptr, *given_x = nullptr; // the host's, copied
  mus_given given = {}, *given_there = nullptr;
  mus_frame *frame = nullptr;
  mus_stage_kernel kernel_kind = MUS_STAGE_CONSTANT;
  size_t motions = 0;                                                // numbers that `motion` has room for
  int *held = nullptr;                                               // for each node
  double *projection = nullptr, *target = nullptr, *shift = nullptr; // what is held
  size_t held_most = 0;
  // couplings: room for so many touched nodes and blocks, and C x in both precisions
  int touched_most = 0, has_solve = 0;
  size_t coupling_most = 0;
  int *touched = nullptr, *place = nullptr, *coupling_start = nullptr, *coupling_column = nullptr;
  double *coupling = nullptr, *pull = nullptr, *pulled = nullptr;
  float *pulled_f = nullptr;
  // equalities: room for so many rows, touched nodes, incidences and numbers of inverses
  struct {
    int rows_most = 0, touched_most = 0, passes = 0;
    size_t incident_most = 0, numbers_most = 0, numbers = 0;
    int *count = nullptr, *node = nullptr, *first = nullptr, *size = nullptr;
    unsigned *place = nullptr;
    int *touched_node = nullptr, *start = nullptr, *incident = nullptr;
    double *direction = nullptr, *inverse = nullptr, *weighted = nullptr, *offset = nullptr;
    double *multiplier = nullptr, *solved = nullptr;                                           // rows
    float *b = nullptr, *x = nullptr, *step = nullptr, *change = nullptr, *residual = nullptr; // of the smoother
  } across;
  float *ap = nullptr, *tentative = nullptr;
  float *weak = nullptr, *scaled = nullptr; // of the level whose prolongator is being made
  mus_level_state *state = nullptr;
  mus_cg_state *cg = nullptr;
  double *residual = nullptr, *partial[2] = {};
  double *right = nullptr, *x = nullptr, *r = nullptr, *p = nullptr, *q = nullptr;
  int bottom_size = 0;
  double *w = nullptr, *panel_row = nullptr, *panel_column = nullptr;
  mus_sequence renewal[MUS_STAGE_RENEWALS], take, reference, start, loop, finish, one_cycle;
  float *z = nullptr; // where the cycle leaves its result
  mus_stage_seconds seconds = {};
  int has_values = 0, has_kernel = 0, has_prolongators = 0;
  int has_renewal[MUS_STAGE_RENEWALS] = {}; // recorded

  explicit mus_device_solver(const mus_stage_hierarchy &h)
      : run(h.plain), levels(h.levels), visits(h.visits), iterations_most(h.iterations_most),
        kernel_sweeps(h.kernel_sweeps) {}
  ~mus_device_solver() {
    for (mus_sequence *s : {&take, &reference, &start, &loop, &finish, &one_cycle})
      run.forget(s);
    for (mus_sequence &s : renewal)
      run.forget(&s);
  }

  // What memory renewals use has changed: they are recorded anew.
  void forget_renewals() {
    for (int &has : has_renewal)
      has = 0;
  }

  int is_bottom(int k) const { return k + 1 == levels; }
};

// --- block sizes, which kernels know when they are compiled ----------------------------------------------------------

template <int n> using mus_size = std::integral_constant<int, n>;

template <class function> void mus_with_block(int block, function f) {
  if (block == 3)
    f(mus_size<3>());
  else
    f(mus_size<6>());
}

// Prolongators: blocks do not get smaller.
template <class function> void mus_with_blocks(int block, int coarse, function f) {
  if (block == 3 && coarse == 3)
    f(mus_size<3>(), mus_size<3>());
  else if (block == 3)
    f(mus_size<3>(), mus_size<6>());
  else
    f(mus_size<6>(), mus_size<6>());
}

// What a pass over rows works on beside the matrix.
struct mus_rows_call {
  const float *x, *b;
  float *y, *z;
  const mus_device_level *scaled; // the level whose D^-1 and radius count; NULL: none
  float alpha, beta, gamma;
  const double *with;
  const float *extra;
};

template <mus_finish FINISH, bool DOT, int B, int C>
void mus_launch_rows(mus_device_solver *s, const mus_device_matrix &a, const mus_rows_call &c) {
  auto with_parts = [&](auto parts) {
    typedef mus_rows_kernel<B, C, decltype(parts)::value, FINISH, DOT> kernel;
    const mus_level_state *level = c.scaled ? s->state + (c.scaled - s->level) : nullptr;
    s->run.launch(kernel{a.m, c.x, c.b, c.y, c.z, c.scaled ? c.scaled->inverse : nullptr, level, c.alpha, c.beta,
                         c.gamma, c.with, s->partial[1], c.extra},
                  a.slices, kernel::THREADS);
  };
  if (a.parts == 1)
    with_parts(mus_size<1>());
  else if (a.parts == 2)
    with_parts(mus_size<2>());
  else if (B > 3 || a.parts == 4)
    with_parts(mus_size<4>());
  else
    with_parts(mus_size<(B > 3 ? 4 : 8)>());
}

// C x for the finest level's vectors, where there are couplings; NULL where there are none.
template <class real> const real *mus_pull(mus_device_solver *s, const real *x, real *out) {
  typedef mus_coupling_kernel<real> kernel;
  if (s->given.coupled == 0)
    return nullptr;
  s->run.launch(kernel{s->given_there, x, out}, (3 * s->touched_most + kernel::THREADS - 1) / kernel::THREADS,
                kernel::THREADS);
  return out;
}

// A pass over a level's own matrix.
template <mus_finish FINISH, bool DOT = false>
void mus_pass(mus_device_solver *s, const mus_device_level &l, mus_rows_call c) {
  c.scaled = &l;
  c.extra = &l == s->level ? mus_pull(s, c.x, s->pulled_f) : nullptr;
  mus_with_block(l.block, [&](auto b) { mus_launch_rows<FINISH, DOT, b(), b()>(s, l.a, c); });
}

// --- the cycle -------------------------------------------------------------------------------------------------------

inline void mus_smooth_pass(mus_device_solver *s, int k, int pass, float gamma, const double *with, float **x,
                            float **other) {
  mus_device_level &l = s->level[k];
  mus_rows_call c = {*x, l.b, *other, nullptr, &l, (float)l.alpha[pass], (float)l.beta[pass], gamma, with, nullptr};
  if (with)
    mus_pass<MUS_STEP, true>(s, l, c);
  else
    mus_pass<MUS_STEP>(s, l, c);
  std::swap(*x, *other);
}

// The right-hand side of the next level, and there the first pass from zero.
inline void mus_restrict(mus_device_solver *s, int k, const float *residual) {
  mus_device_level &l = s->level[k], &next = s->level[k + 1];
  mus_rows_call c = {residual, nullptr, next.b, next.x, &next, (float)next.alpha[0], 0, 0, nullptr, nullptr};
  mus_with_blocks(l.block, l.coarse_block, [&](auto b, auto coarse) {
    if (s->is_bottom(k + 1))
      mus_launch_rows<MUS_SET, false, coarse(), b()>(s, l.pt, c);
    else
      mus_launch_rows<MUS_BEGIN, false, coarse(), b()>(s, l.pt, c);
  });
}

inline void mus_prolong(mus_device_solver *s, int k, const float *coarse, float *x) {
  mus_device_level &l = s->level[k];
  mus_rows_call c = {coarse, nullptr, x, nullptr, nullptr, 0, 0, 0, nullptr, nullptr};
  mus_with_blocks(l.block, l.coarse_block,
                  [&](auto b, auto inner) { mus_launch_rows<MUS_ADD, false, b(), inner()>(s, l.p, c); });
}

// One cycle from level k down for its b, whose first pass from zero is in its x. Returns where the result is. On the
// finest level, `with` asks for its product with the result.
inline float *mus_cycle(mus_device_solver *s, int k, const double *with) {
  mus_device_level &l = s->level[k];
  if (s->is_bottom(k)) {
    s->run.launch(mus_bottom_kernel{s->w, s->bottom_size, l.b, l.x},
                  (s->bottom_size + mus_bottom_kernel::ROWS - 1) / mus_bottom_kernel::ROWS, mus_bottom_kernel::THREADS);
    return l.x;
  }
  mus_device_level &next = s->level[k + 1];
  float *x = l.x, *other = l.other;
  for (int pass = 1; pass < l.passes; ++pass)
    mus_smooth_pass(s, k, pass, pass == 1 ? 0 : (float)l.beta[pass], nullptr, &x, &other);
  mus_pass<MUS_RESIDUAL>(s, l, mus_rows_call{x, l.b, other, nullptr, nullptr, 0, 0, 0, nullptr, nullptr});
  mus_restrict(s, k, other);
  const float *coarse = mus_cycle(s, k + 1, nullptr);
  mus_prolong(s, k, coarse, x);
  if (s->visits > 1 && !s->is_bottom(k + 1)) {
    mus_pass<MUS_RESIDUAL>(s, next,
                           mus_rows_call{coarse, next.b, next.left_over, nullptr, nullptr, 0, 0, 0, nullptr, nullptr});
    std::swap(next.b, next.left_over);
    mus_with_block(next.block, [&](auto b) {
      typedef mus_first_pass_kernel<b()> kernel;
      s->run.launch(kernel{next.inverse, next.b, next.x, s->state + k + 1, (float)next.alpha[0]}, next.slices,
                    kernel::THREADS);
    });
    mus_prolong(s, k, mus_cycle(s, k + 1, nullptr), x);
    std::swap(next.b, next.left_over);
  }
  for (int pass = 0; pass < l.passes; ++pass)
    mus_smooth_pass(s, k, pass, pass == 0 ? 0 : (float)l.beta[pass], pass + 1 == l.passes ? with : nullptr, &x, &other);
  return x;
}

// --- conjugate gradients ---------------------------------------------------------------------------------------------

template <class decision>
void mus_decide(mus_device_solver *s, const decision &d, const double *first, const double *second, int count) {
  s->run.launch(mus_decide_kernel<decision>{d, {first, second}, count}, 1, MUS_DECIDERS);
}

template <mus_wide_finish FINISH>
void mus_wide(mus_device_solver *s, const double *x, const double *b, double *y, double *partial) {
  const mus_device_level &l = s->level[0];
  mus_with_block(l.block, [&](auto block) {
    typedef mus_wide_kernel<block(), FINISH> kernel;
    const double *extra = FINISH == MUS_WIDE_COPY ? nullptr : mus_pull(s, x, s->pulled);
    s->run.launch(kernel{l.wide, x, b, y, partial, extra}, l.slices, kernel::THREADS);
  });
}

inline bool mus_is_around(const mus_device_solver *s);
inline void mus_precondition_around(mus_device_solver *s, const double *q);

// The cycle for r, which is rounded, after the step along q if there is one: z, r.r and r.z.
inline void mus_precondition(mus_device_solver *s, const double *q) {
  if (mus_is_around(s)) {
    mus_precondition_around(s, q);
    return;
  }
  mus_device_level &l = s->level[0];
  mus_with_block(l.block, [&](auto block) {
    typedef mus_reduce_kernel<block()> kernel;
    s->run.launch(kernel{s->cg, q, s->r, l.b, l.x, s->is_bottom(0) ? nullptr : l.inverse, s->state, (float)l.alpha[0],
                         s->partial[0]},
                  l.slices, kernel::THREADS);
  });
  s->z = mus_cycle(s, 0, s->r);
  if (s->is_bottom(0))
    s->run.launch(mus_dot_kernel{s->r, s->z, s->partial[1]}, l.slices, MUS_SLICE * l.block);
}

// --- equalities across nodes
// ------------------------------------------------------------------------------------------

inline bool mus_has_equalities(const mus_device_solver *s) { return s->given.across.rows > 0; }

// Whether the cycle is smoothed around.
inline bool mus_is_around(const mus_device_solver *s) { return mus_has_equalities(s) || s->given.coupled > 0; }

inline int mus_blocks_of(int count, int each) { return (count + each - 1) / each; }

// x <- x - E^T m with (E E^T) m = E x, or x <- x - D^-1 E^T m with (E D^-1 E^T) m = E x.
template <class real> void mus_take_out(mus_device_solver *s, int is_weighted, real *x) {
  if (!mus_has_equalities(s))
    return;
  typedef mus_across_measure_kernel<real> measure;
  typedef mus_across_add_kernel<real> add;
  auto &e = s->across;
  s->run.launch(measure{s->given_there, x, e.multiplier}, mus_blocks_of(e.rows_most, measure::THREADS),
                measure::THREADS);
  s->run.launch(mus_across_solve_kernel{s->given_there, is_weighted, e.multiplier, e.solved},
                mus_blocks_of(e.rows_most, mus_across_solve_kernel::ROWS), mus_across_solve_kernel::THREADS);
  s->run.launch(add{s->given_there, e.solved, is_weighted ? s->level[0].inverse : nullptr, x},
                mus_blocks_of(e.touched_most, add::THREADS), add::THREADS);
}

// The projection, where there are equalities.
inline void mus_project(mus_device_solver *s, double *x) {
  for (int pass = 0; pass < s->across.passes; ++pass)
    mus_take_out(s, 0, x);
}

// ... and the sum of squares of what is left.
inline void mus_project_and_square(mus_device_solver *s, double *x, double *partial) {
  mus_project(s, x);
  if (mus_has_equalities(s))
    mus_wide<MUS_WIDE_COPY>(s, nullptr, x, x, partial);
}

// The polynomial of solve/coupled.h, with the inverse of D among vectors that hold equalities. See
// multigrid/smoothers/chebyshev.h for the recurrence.
enum { MUS_OUTER_ORDER = 4 };
inline void mus_smooth_around(mus_device_solver *s, int from_zero) {
  const double range = 10, theta = (1 + 1 / range) / 2, delta = (1 - 1 / range) / 2;
  double rho = delta / theta;
  mus_device_level &l = s->level[0];
  auto &e = s->across;
  for (int k = 0; k < MUS_OUTER_ORDER; ++k) {
    int is_first = k == 0;
    double next = 1 / (2 * theta / delta - rho);
    if (!(is_first && from_zero))
      mus_pass<MUS_RESIDUAL>(s, l, mus_rows_call{e.x, e.b, e.residual, nullptr, nullptr, 0, 0, 0, nullptr, nullptr});
    s->run.launch(mus_divide_kernel{l.inverse, is_first && from_zero ? e.b : e.residual, e.change}, l.slices,
                  mus_divide_kernel::THREADS);
    mus_take_out(s, 1, e.change);
    float carried = is_first ? 0 : (float)(next * rho), taken = (float)(is_first ? 1 / theta : 2 * next / delta);
    s->run.launch(mus_outer_step_kernel{e.change, e.step, e.x, s->state, carried, taken, is_first, from_zero}, l.slices,
                  mus_outer_step_kernel::THREADS);
    if (!is_first)
      rho = next;
  }
}

// As mus_precondition() below, with smoothing around the cycle.
inline void mus_precondition_around(mus_device_solver *s, const double *q) {
  mus_device_level &l = s->level[0];
  auto &e = s->across;
  s->run.launch(mus_reduce_kernel<3>{s->cg, q, s->r, e.b, l.x, nullptr, s->state, 0, s->partial[0]}, l.slices,
                mus_reduce_kernel<3>::THREADS);
  mus_smooth_around(s, 1);
  mus_pass<MUS_RESIDUAL>(s, l, mus_rows_call{e.x, e.b, l.b, nullptr, nullptr, 0, 0, 0, nullptr, nullptr});
  mus_take_out(s, 0, l.b);
  if (!s->is_bottom(0))
    s->run.launch(mus_first_pass_kernel<3>{l.inverse, l.b, l.x, s->state, (float)l.alpha[0]}, l.slices,
                  mus_first_pass_kernel<3>::THREADS);
  float *correction = mus_cycle(s, 0, nullptr);
  mus_take_out(s, 0, correction);
  s->run.launch(mus_outer_add_kernel{correction, e.x}, l.slices, mus_outer_add_kernel::THREADS);
  mus_smooth_around(s, 0);
  s->z = e.x;
  s->run.launch(mus_dot_kernel{s->r, s->z, s->partial[1]}, l.slices, MUS_SLICE * l.block);
}

inline void mus_record_solve(mus_device_solver *s) {
  for (mus_sequence *old : {&s->take, &s->reference, &s->start, &s->loop, &s->finish, &s->one_cycle})
    s->run.forget(old);
  int count = s->level[0].slices, threads = MUS_SLICE * s->level[0].block;
  auto decide_first = [=](int is_reference, const mus_condition &condition) {
    mus_decide(s, mus_decide_first{s->cg, s->residual, s->state, s->levels, is_reference, condition}, s->partial[1],
               nullptr, count);
  };
  s->run.record(&s->take, [=] {
    mus_with_block(s->level[0].block, [&](auto block) {
      typedef mus_take_vectors_kernel<block()> take;
      s->run.launch(take{s->level[0].rows, s->given_there, s->shift, s->right, s->x}, count, take::THREADS);
    });
    if (mus_has_equalities(s))
      mus_wide<MUS_WIDE_RESIDUAL>(s, s->across.offset, s->right, s->right, s->partial[0]);
    mus_project(s, s->right);
    mus_project(s, s->x);
  });
  s->run.record(&s->reference, [=] {
    mus_wide<MUS_WIDE_COPY>(s, nullptr, s->right, s->r, s->partial[0]);
    mus_decide(s, mus_decide_scale{s->cg}, s->partial[0], nullptr, count);
    mus_precondition(s, nullptr);
    decide_first(1, mus_condition{});
  });
  s->run.record(&s->start, [=] {
    s->run.clear(s->p, s->level[0].padded() * sizeof *s->p);
    mus_wide<MUS_WIDE_RESIDUAL>(s, s->x, s->right, s->r, s->partial[0]);
    mus_project_and_square(s, s->r, s->partial[0]);
    mus_decide(s, mus_decide_scale{s->cg}, s->partial[0], nullptr, count);
    mus_precondition(s, nullptr);
  });
  auto begin = [=](const mus_condition &condition) { decide_first(0, condition); };
  auto iterate = [=](const mus_condition &condition) {
    s->run.launch(mus_advance_kernel{s->cg, s->z, s->x, s->p}, count, threads);
    mus_project(s, s->p);
    mus_wide<MUS_WIDE_PRODUCT>(s, s->p, nullptr, s->q, s->partial[1]);
    mus_project(s, s->q);
    mus_decide(s, mus_decide_step{s->cg}, s->partial[1], nullptr, count);
    mus_precondition(s, s->q);
    mus_decide(s, mus_decide_next{s->cg, s->residual, condition}, s->partial[0], s->partial[1], count);
  };
  s->run.record_loop(&s->loop, begin, iterate, &s->cg->going);
  // The rest of x, its true residual, and x as it is asked for.
  s->run.record(&s->finish, [=] {
    s->run.launch(mus_advance_kernel{s->cg, nullptr, s->x, s->p}, count, threads);
    mus_project(s, s->x);
    mus_wide<MUS_WIDE_COPY>(s, nullptr, s->right, s->r, s->partial[0]);
    mus_wide<MUS_WIDE_RESIDUAL>(s, s->x, s->right, s->r, s->partial[1]);
    mus_project_and_square(s, s->r, s->partial[1]);
    mus_decide(s, mus_decide_true{s->cg}, s->partial[0], s->partial[1], count);
    mus_with_block(s->level[0].block, [&](auto block) {
      typedef mus_give_vector_kernel<block()> give;
      s->run.launch(give{s->cg, s->level[0].rows, s->given_there, s->x}, count, give::THREADS);
    });
  });
  s->run.record(&s->one_cycle, [=] { mus_precondition(s, nullptr); });
}

#endif
