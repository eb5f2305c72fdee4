// Renewing a hierarchy on the device as sequences of kernels: what follows from a new finest matrix. See
// renew_kernels.h and prolong_kernels.h.
#ifndef MUS_CUDA_RENEWAL_H
#define MUS_CUDA_RENEWAL_H

#include "cuda/solver.h"

inline int mus_blocks_for(long long threads, int at_once) { return (int)((threads + at_once - 1) / at_once); }

// The radius that the smoother of level k uses, as the probe has it.
inline void mus_follow_radius(mus_device_solver *s, int k) {
  mus_device_level &l = s->level[k];
  mus_pass<MUS_APPLY, true>(s, l,
                            mus_rows_call{l.probe, nullptr, l.other, nullptr, nullptr, 0, 0, 0, nullptr, nullptr});
  mus_decide(s, mus_decide_radius{s->state + k, k == 0 ? s->given_there : nullptr}, s->partial[1], nullptr, l.slices);
  s->run.launch(mus_scale_kernel{l.other, l.probe, s->state + k}, l.slices, MUS_SLICE * l.block);
}

// What weak neighbours have in P of level k, from its near-null space and the next level's.
template <int B, int C, class real>
void mus_take_weak(mus_device_solver *s, int k, const mus_sliced<real> &a, const double *kernel) {
  typedef mus_weak_kernel<B, C, real> weak;
  mus_device_level &l = s->level[k];
  s->run.launch(weak{a, l.diagonal, l.aggregate, l.weak_start, l.weak_pair, l.rows, kernel, s->level[k + 1].kernel,
                     l.inverse, s->state + k, s->weak, s->scaled},
                l.slices, weak::THREADS);
}

// P of level k, and the near-null space of the next.
inline void mus_make_prolongator(mus_device_solver *s, int k) {
  mus_device_level &l = s->level[k], &next = s->level[k + 1];
  mus_with_blocks(l.block, l.coarse_block, [&](auto b, auto c) {
    typedef mus_relax_kernel<b(), c()> relax;
    typedef mus_qr_kernel<b(), c()> qr;
    typedef mus_smooth_kernel<b(), c()> smooth;
    double *kernel = l.kernel, *other = l.relaxed;
    for (int sweep = 0; sweep < s->kernel_sweeps; ++sweep, std::swap(kernel, other))
      s->run.launch(relax{l.a.m, l.rows, l.inverse, s->state + k, kernel, other}, l.slices, relax::THREADS);
    s->run.launch(qr{l.member_start, l.member, l.aggregates, kernel, s->tentative, next.kernel},
                  mus_blocks_for((long long)l.aggregates, qr::THREADS / qr::TEAM), qr::THREADS);
    if (l.is_filtered && k == 0) // in double precision where there are numbers in it
      mus_take_weak<b(), c()>(s, k, l.wide, kernel);
    else if (l.is_filtered)
      mus_take_weak<b(), c()>(s, k, l.a.m, kernel);
    s->run.launch(smooth{l.smooth_start, l.smooth_pair, l.smooth_target, l.p_blocks, l.a.m.value, s->tentative,
                         l.is_filtered ? s->weak : nullptr, l.is_filtered ? s->scaled : l.inverse,
                         l.is_filtered ? nullptr : s->state + k, l.p.m.value, l.pt.m.value, l.flat},
                  mus_blocks_for((long long)l.p_blocks * b(), smooth::THREADS), smooth::THREADS);
  });
}

// The near-null space of the finest level.
inline void mus_make_kernel(mus_device_solver *s) {
  mus_device_level &l = s->level[0];
  if (s->kernel_kind == MUS_STAGE_POSITIONS)
    s->run.launch(mus_frame_kernel{s->given_there, l.rows, s->frame}, 1, mus_frame_kernel::THREADS);
  auto launch = [&](auto c) {
    typedef mus_motions_kernel<c()> motions;
    s->run.launch(motions{l.rows, s->given_there, s->kernel_kind, s->frame, l.kernel},
                  mus_blocks_for(3LL * l.rows * c(), motions::THREADS), motions::THREADS);
  };
  mus_with_block(l.coarse_block, launch);
}

// From level k to the next: A_c = P^T A P.
inline void mus_coarsen(mus_device_solver *s, int k) {
  mus_device_level &l = s->level[k], &next = s->level[k + 1];
  mus_with_blocks(l.block, l.coarse_block, [&](auto b, auto c) {
    typedef mus_first_product_kernel<b(), c()> first;
    typedef mus_second_product_kernel<b(), c()> second;
    s->run.launch(first{l.first_start, l.first_pair, l.ap_blocks, l.a.m.value, l.flat, s->ap},
                  mus_blocks_for((long long)l.ap_blocks * b(), first::THREADS), first::THREADS);
    s->run.launch(second{l.second_start, l.second_pair, l.target, l.coarse_blocks, l.flat, s->ap, next.a.m.value},
                  mus_blocks_for((long long)l.coarse_blocks * c(), second::THREADS), second::THREADS);
  });
  mus_with_block(next.block, [&](auto b) {
    typedef mus_trace_kernel<b()> trace;
    typedef mus_invert_kernel<b(), float, true> invert;
    s->run.launch(trace{next.a.m, next.diagonal, next.rows, s->partial[0]}, next.slices, trace::THREADS);
    mus_decide(s, mus_decide_mean{s->state + k + 1, next.rows * next.block}, s->partial[0], nullptr, next.slices);
    s->run.launch(invert{next.a.m, next.diagonal, next.rows, next.inverse, s->state + k + 1, nullptr}, next.slices,
                  invert::THREADS);
  });
}

inline void mus_invert_bottom(mus_device_solver *s) {
  mus_device_level &l = s->level[s->levels - 1];
  mus_level_state *state = s->state + s->levels - 1;
  int size = s->bottom_size, panels = size / MUS_SLICE;
  mus_with_block(l.block, [&](auto b) {
    typedef mus_dense_kernel<b()> dense;
    s->run.launch(dense{l.a.m, l.row_start_there, l.rows, size, s->w}, size, dense::THREADS);
  });
  for (int k = 0; k < panels; ++k) {
    s->run.launch(mus_panel_kernel{s->w, size, k, s->panel_row, s->panel_column, state}, panels,
                  mus_panel_kernel::THREADS);
    s->run.launch(mus_panel_update_kernel{s->w, size, k, s->panel_row, s->panel_column}, panels * panels,
                  mus_panel_update_kernel::THREADS);
  }
}

// The finest level, from the matrix as it is given.
inline void mus_renew_finest(mus_device_solver *s) {
  mus_device_level &finest = s->level[0];
  mus_with_block(finest.block, [&](auto b) {
    typedef mus_convert_kernel<b()> convert;
    typedef mus_invert_kernel<b(), double, false> invert;
    typedef mus_held_scale_kernel<b()> scale;
    s->run.launch(scale{finest.row_start_there, finest.diagonal, finest.rows, s->given_there}, 1, scale::THREADS);
    s->run.launch(convert{finest.row_start_there, finest.rows, finest.wide.base, finest.wide.column, s->given_there,
                          finest.wide.value, finest.a.m.value, s->shift},
                  finest.slices, convert::THREADS);
    s->run.launch(invert{finest.wide, finest.diagonal, finest.rows, finest.inverse, s->state, s->given_there},
                  finest.slices, invert::THREADS);
  });
  if (!s->is_bottom(0))
    mus_follow_radius(s, 0);
}

inline void mus_record_renewal(mus_device_solver *s, mus_stage_renewal what) {
  mus_sequence *sequence = &s->renewal[what];
  s->run.forget(sequence);
  s->run.record(sequence, [=] {
    bool is_coarse = what >= MUS_STAGE_COARSE || s->is_bottom(0);
    s->run.launch(mus_reset_kernel{s->state}, 1, is_coarse ? s->levels : 1);
    mus_renew_finest(s);
    if (!is_coarse)
      return;
    if (what == MUS_STAGE_EVERYTHING && !s->is_bottom(0))
      mus_make_kernel(s);
    for (int k = 0; !s->is_bottom(k); ++k) {
      if (k > 0)
        mus_follow_radius(s, k);
      if (what == MUS_STAGE_EVERYTHING)
        mus_make_prolongator(s, k);
      mus_coarsen(s, k);
    }
    mus_invert_bottom(s);
  });
}

#endif
