// Renewing a hierarchy on the device as a sequence of kernels: all that follows from a new finest matrix while
// prolongators stay. See renew_kernels.h.
#ifndef MUS_CUDA_RENEWAL_H
#define MUS_CUDA_RENEWAL_H

#include "cuda/solver.h"

inline int mus_blocks_for(long long threads, int at_once) { return (int)((threads + at_once - 1) / at_once); }

// The radius that the smoother of level k uses, as the probe has it.
inline void mus_follow_radius(mus_device_solver *s, int k) {
  mus_device_level &l = s->level[k];
  mus_pass<MUS_APPLY, true>(s, l, mus_rows_call{l.probe, nullptr, l.other, nullptr, nullptr, 0, 0, 0, nullptr});
  mus_decide(s, mus_decide_radius{s->state + k}, s->partial[1], nullptr, l.slices);
  s->run.launch(mus_scale_kernel{l.other, l.probe, s->state + k}, l.slices, MUS_SLICE * l.block);
}

// From level k to the next: A_c = P^T A P.
inline void mus_coarsen(mus_device_solver *s, int k) {
  mus_device_level &l = s->level[k], &next = s->level[k + 1];
  mus_with_blocks(l.block, l.coarse_block, [&](auto b, auto c) {
    typedef mus_first_product_kernel<b(), c()> first;
    typedef mus_second_product_kernel<b(), c()> second;
    s->run.launch(first{l.first_start, l.first_pair, l.ap_blocks, l.a.m.value, l.p.m.value, s->ap},
                  mus_blocks_for((long long)l.ap_blocks * b(), first::THREADS), first::THREADS);
    s->run.launch(second{l.second_start, l.second_pair, l.target, l.coarse_blocks, l.p.m.value, s->ap, next.a.m.value},
                  mus_blocks_for((long long)l.coarse_blocks * c(), second::THREADS), second::THREADS);
  });
  mus_with_block(next.block, [&](auto b) {
    typedef mus_trace_kernel<b()> trace;
    typedef mus_invert_kernel<b(), float, true> invert;
    s->run.launch(trace{next.a.m, next.diagonal, next.rows, s->partial[0]}, next.slices, trace::THREADS);
    mus_decide(s, mus_decide_mean{s->state + k + 1, next.rows * next.block}, s->partial[0], nullptr, next.slices);
    s->run.launch(invert{next.a.m, next.diagonal, next.rows, next.inverse, s->state + k + 1}, next.slices,
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

inline void mus_record_renewal(mus_device_solver *s) {
  s->run.record(&s->renewal, [=] {
    mus_device_level &finest = s->level[0];
    s->run.launch(mus_reset_kernel{s->state}, 1, s->levels);
    mus_with_block(finest.block, [&](auto b) {
      typedef mus_convert_kernel<b()> convert;
      typedef mus_invert_kernel<b(), double, false> invert;
      s->run.launch(convert{finest.row_start_there, finest.rows, finest.wide.base, s->values, finest.wide.value,
                            finest.a.m.value},
                    finest.slices, convert::THREADS);
      s->run.launch(invert{finest.wide, finest.diagonal, finest.rows, finest.inverse, s->state}, finest.slices,
                    invert::THREADS);
    });
    for (int k = 0; !s->is_bottom(k); ++k) {
      mus_follow_radius(s, k);
      mus_coarsen(s, k);
    }
    mus_invert_bottom(s);
  });
}

#endif
