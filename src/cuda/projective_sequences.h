// Sequences of kernels of Projective Dynamics, for projective_table.h.
#ifndef MUS_CUDA_PROJECTIVE_SEQUENCES_H
#define MUS_CUDA_PROJECTIVE_SEQUENCES_H

#include "cuda/projective_model.h"

// --- sequences -------------------------------------------------------------------------------------------------------

static void mus_launch_local(mus_device_projective *p) {
  mus_device_step *s = &p->step;
  for (size_t k = 0; k < s->list.size(); ++k) {
    const mus_device_list &l = s->list[k];
    if (!p->packed[k])
      continue;
    mus_with_local(l.given.element, [&](auto is) {
      typedef typename decltype(is)::type kind;
      typedef mus_local_kernel<kind> kernel;
      s->run.launch(kernel{l.given.count, l.vertex, p->packed[k], (const typename kind::material *)l.material, l.scale,
                           s->next_position, s->position, s->moment, l.gradient},
                    mus_step_blocks(l.given.count, kernel::THREADS), kernel::THREADS);
    });
  }
}

static void mus_launch_assembly(mus_device_projective *p) {
  mus_device_step *s = &p->step;
  mus_launch_local(p);
  mus_with_levels(p, [&](auto *levels) {
    auto *b = levels->level[0].b;
    typedef mus_projective_right_kernel<std::decay_t<decltype(*b)>> right;
    s->run.launch(right{p->unknowns, p->name, p->start, p->share, s->gradients, p->mass, s->velocity, s->next_velocity,
                        s->next_position, s->moment, p->specials(), p->touches(), p->right, b},
                  mus_step_blocks(p->unknowns, right::THREADS), right::THREADS);
  });
}

static void mus_launch_sums(mus_device_projective *p, int first, int count) {
  p->step.run.launch(mus_sum_kernel{p->task + first, p->sums + 2 * first}, count, mus_sum_kernel::THREADS);
}

static void mus_launch_dots(mus_device_projective *p) {
  typedef mus_dots_kernel dots;
  p->step.run.launch(dots{p->unknowns, p->right, p->change, p->before, p->dots_partial}, dots::BLOCKS, dots::THREADS);
  mus_launch_sums(p, 0, MUS_DOTS);
}

template <class step> void mus_launch_secant(mus_device_projective *p, const step &own) {
  typedef mus_secant_kernel<step> kernel;
  p->step.run.launch(kernel{own}, MUS_SECANT_BLOCKS, kernel::THREADS);
}

// The right-hand side as `count` pairs turn it.
template <class real> void mus_launch_down(mus_device_projective *p, int notes, int count, real *b) {
  double **partial = p->secant_partial;
  mus_launch_secant(p, mus_secant_begin{p->pairs, notes, count, p->right, p->change, p->before, p->turned, partial[0]});
  for (int k = 0; k < count; ++k)
    mus_launch_secant(
        p, mus_secant_down<real>{p->pairs, k, k + 1 == count, partial[k % 2], p->turned, b, partial[(k + 1) % 2]});
}

static void mus_launch_up(mus_device_projective *p, int count) {
  double **partial = p->secant_partial;
  if (count > 0)
    mus_launch_secant(p, mus_secant_turn{p->pairs, count, p->change, partial[0]});
  for (int k = count - 1, turn = 0; k >= 0; --k, ++turn)
    mus_launch_secant(p, mus_secant_up{p->pairs, k, partial[turn % 2], p->change, partial[(turn + 1) % 2]});
}

// What cycles have found goes into d; what is left of a mean too, and that into v'.
template <class real> void mus_launch_advance(mus_device_projective *p, mus_taking how, const real *x) {
  mus_device_step *s = &p->step;
  typedef mus_mean_kernel<real> mean;
  typedef mus_projective_advance_kernel advance;
  const auto *finest = p->single ? (const void *)&p->single->level[0] : (const void *)&p->twice->level[0];
  const mus_device_handles<real> &l = *(const mus_device_handles<real> *)finest;
  s->run.launch(
      mean{p->piece, p->member, how, x, p->change, p->right, p->mass, l.base, l.given, l.lifts, p->piece_partial},
      p->pieces, mean::THREADS);
  s->run.launch(mus_way_kernel{p->piece_start, p->piece_partial, p->part_inverse, p->way}, p->parts,
                mus_way_kernel::THREADS);
  s->run.launch(advance{p->nodes, p->name, p->part, p->way, p->specials(), s->moment, s->position, p->change,
                        s->next_position, s->next_velocity},
                mus_step_blocks(p->nodes, advance::THREADS), advance::THREADS);
}

// A global step with so many pairs; -1: without secants.
static void mus_launch_solve(mus_device_projective *p, int notes, int count) {
  mus_device_step *s = &p->step;
  mus_with_levels(p, [&](auto *levels) {
    auto *b = levels->level[0].b;
    typedef std::decay_t<decltype(*b)> real;
    typedef mus_projective_left_kernel<real> left;
    typedef mus_take_kernel<real> take;
    int blocks = mus_step_blocks(p->nodes, take::THREADS);
    if (count >= 0)
      mus_launch_down(p, notes, count, b);
    const double *right = count >= 0 ? p->turned : p->right;
    real *x = nullptr;
    mus_taking how = MUS_TAKE_X;
    for (int cycle = 0; cycle < p->cycles; ++cycle) {
      if (cycle > 0) {
        s->run.launch(take{p->nodes, how, x, p->change}, blocks, take::THREADS);
        how = MUS_TAKE_MORE;
        s->run.launch(left{p->nodes, levels->level[0].sliced, levels->level[0].whole(), right, p->change, b}, blocks,
                      left::THREADS);
      }
      x = mus_run_cycle(levels);
    }
    if (count > 0) {
      s->run.launch(take{p->nodes, how, x, p->change}, blocks, take::THREADS);
      how = MUS_TAKE_KEPT;
      mus_launch_up(p, count);
    }
    mus_launch_advance(p, how, x);
  });
}

static void mus_launch_energy(mus_device_projective *p) {
  mus_device_step *s = &p->step;
  typedef mus_inertia_kernel inertia;
  for (size_t k = 0; k < s->list.size(); ++k) {
    const mus_device_list &l = s->list[k];
    if (!p->packed[k])
      continue;
    mus_with_local(l.given.element, [&](auto is) {
      typedef typename decltype(is)::type kind;
      typedef mus_local_energy_kernel<kind> kernel;
      s->run.launch(kernel{l.given.count, l.vertex, p->packed[k], (const typename kind::material *)l.material, l.scale,
                           s->next_position, s->position, s->moment, p->energy_partial[k]},
                    p->energy_blocks[k], kernel::THREADS);
    });
  }
  s->run.launch(inertia{p->nodes, p->name, p->mass, s->position, s->velocity, s->next_position, s->next_velocity,
                        s->moment, p->pulls_there, p->pull, p->touches(), p->inertia_partial},
                inertia::BLOCKS, inertia::THREADS);
  mus_launch_sums(p, MUS_TASK_ENERGY, p->energies);
}

static void mus_launch_measure(mus_device_projective *p) {
  enum { STRAIN_DIGIT = 3 }; // 40 of 64 bits: to 4e-9 of itself
  mus_device_step *s = &p->step;
  typedef mus_measure_nodes_kernel nodes;
  mus_with_levels(p, [&](auto *levels) {
    auto *b = levels->level[0].b;
    typedef mus_residual_kernel<std::decay_t<decltype(*b)>> residual;
    s->run.launch(residual{p->nodes, levels->level[0].sliced, levels->level[0].whole(), p->right, p->change,
                           p->specials(), p->residual_partial},
                  mus_step_blocks(p->nodes, residual::THREADS), residual::THREADS);
  });
  mus_launch_sums(p, MUS_TASK_RESIDUAL, 2);
  typedef mus_touch_end_kernel touch;
  if (s->half)
    s->run.launch(touch{s->nodes, s->touched, s->moment, s->counted, s->position, s->next_position, s->next_velocity,
                        s->next_push, s->touch_partial},
                  mus_step_blocks(s->nodes, touch::THREADS), touch::THREADS);
  for (const mus_device_list &l : s->list)
    mus_measure_list(s, l);
  s->run.launch(
      nodes{s->nodes, s->node_blocks, s->counted, s->next_position, s->next_velocity, s->moment, s->node_partial},
      s->node_blocks, nodes::THREADS);
  s->run.launch(mus_sum_kernel{s->task, s->sums}, s->tasks, mus_sum_kernel::THREADS);
  mus_find_strain(s, STRAIN_DIGIT);
}

// Of a level below the finest: what touches add to it.
template <class real> void mus_launch_lift(mus_device_levels<real> *levels, size_t k) {
  const mus_device_handles<real> &fine = levels->level[k - 1], &l = levels->level[k];
  bool is_bottom = k + 1 == levels->level.size();
  mus_with_width(fine.width, [&](auto width) {
    typedef mus_lift_kernel<real, width()> lift;
    levels->run->launch(lift{fine.child_start, fine.child, fine.child_transfer, fine.lifts, l.lifts, l.diagonal,
                             l.given, l.base, l.place, l.block, l.block_inverse, is_bottom ? levels->w : nullptr,
                             levels->size},
                        l.nodes, lift::THREADS);
  });
}

// Which nodes touch bodies in the step, and the diagonals of all levels and the sums of parts with that.
static void mus_launch_touches(mus_device_projective *p) {
  mus_device_step *s = &p->step;
  mus_with_levels(p, [&](auto *levels) {
    auto &finest = levels->level[0];
    typedef mus_find_touch_kernel<std::decay_t<decltype(*finest.b)>> find;
    s->run.launch(
        find{
            p->nodes,        s->bodies,    p->name,     s->body,      s->grid,      s->h,         s->half,
            s->push,         s->position,  s->velocity, s->is_held,   s->touched,   s->moment,    p->mass,
            finest.diagonal, finest.given, finest.base, finest.lifts, finest.place, finest.block, finest.block_inverse},
        mus_step_blocks(p->nodes, find::THREADS), find::THREADS);
    s->run.put(levels->base, (size_t)levels->size * (size_t)levels->size, levels->w);
    s->run.clear(levels->state, sizeof *levels->state);
    for (size_t k = 1; k < levels->level.size(); ++k)
      mus_launch_lift(levels, k);
    mus_launch_inversion(levels);
    s->run.launch(mus_lift_piece_kernel{p->piece, p->member, finest.lifts, p->lift_partial}, p->pieces,
                  mus_lift_piece_kernel::THREADS);
  });
  s->run.launch(mus_part_inverse_kernel{p->piece_start, p->lift_partial, p->part_sum, p->part_inverse}, p->parts,
                mus_part_inverse_kernel::THREADS);
}

static void mus_record_projective(mus_device_projective *p) {
  mus_runtime &run = p->step.run;
  run.record(&p->first, [p] {
    mus_device_step *s = &p->step;
    typedef mus_begin_kernel begin;
    typedef mus_hold_kernel hold;
    s->run.launch(begin{p->unknowns, s->moment, s->position, s->velocity, s->next_position, s->next_velocity},
                  mus_step_blocks(p->unknowns, begin::THREADS), begin::THREADS);
    s->run.launch(hold{p->held_there, p->held_vertex, p->target, p->specials(), p->held_node, s->moment, s->position,
                       s->next_position, s->next_velocity},
                  hold::BLOCKS, hold::THREADS);
    if (s->half)
      mus_launch_touches(p);
  });
  run.record(&p->assembly, [p] { mus_launch_assembly(p); });
  run.record(&p->assembly_told, [p] {
    mus_launch_assembly(p);
    mus_launch_dots(p);
  });
  run.record(&p->energy, [p] { mus_launch_energy(p); });
  run.record(&p->measure, [p] { mus_launch_measure(p); });
  run.record(&p->whole, [p] {
    mus_launch_assembly(p);
    mus_launch_solve(p, 0, -1);
    mus_launch_measure(p);
  });
}

#endif
