// The stages of Projective Dynamics, and the table of them. See projective_stages.h.
//
// Included by step_library.cu and step_emulated.cpp: lists of elements and measures are those of step_table.h.
#ifndef MUS_CUDA_PROJECTIVE_TABLE_H
#define MUS_CUDA_PROJECTIVE_TABLE_H

#include "cuda/projective_sequences.h"

// --- stages ----------------------------------------------------------------------------------------------------------

static mus_status mus_check_projective(const mus_projective_model &m, mus_stage_failure *failure) {
  if (m.levels < 2 || m.levels > MUS_PROJECTIVE_LEVELS)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "there are too many levels of handles for the device");
  if (MUS_HANDLE_UNKNOWNS * m.level[m.levels - 1].nodes > MUS_PROJECTIVE_BOTTOM)
    return mus_step_refuse(failure, MUS_UNSUPPORTED,
                           "the coarsest level has more than 256 handles, too many for the device: name a coarser one");
  for (int l = 0; l < m.step.lists; ++l)
    if (!mus_is_local(m.step.list[l].element) && m.step.list[l].element != MUS_STAGE_DRAG)
      return mus_step_refuse(failure, MUS_UNSUPPORTED, "there are elements without a local step");
  return MUS_OK;
}

static mus_status mus_make_projective(const mus_projective_model &m, mus_device_projective *p,
                                      mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  std::vector<mus_step_offsets> at;
  mus_status status = mus_check_projective(m, failure);
  if (status || s->run.open())
    return status ? status : s->run.status();
  p->nodes = s->nodes = m.step.pattern.rows;
  p->unknowns = s->unknowns = 3 * s->nodes;
  p->cycles = m.cycles;
  s->forces_only = 1;
  mus_place_lists(s, m.step, &at);
  if (s->gradient_count >= 0xffffffffu)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "there are too many elements for the device's lists");
  for (int l = 0; l < m.step.lists; ++l)
    p->packed.push_back(mus_is_local(m.step.list[l].element) ? mus_pack_list(s, m.step.list[l]) : nullptr);
  s->counted = mus_step_copy(s, std::vector<double>(m.step.counted, m.step.counted + s->nodes));
  mus_place_vectors(s);
  mus_place_touch(s, m.step);
  mus_place_sums(s);
  s->run.clear(s->work_partial, sizeof(double));
  mus_place_nodes(p, m);
  mus_share_gradients(p, m.step, at);
  mus_place_parts(p, m);
  mus_place_specials(p);
  mus_place_secants(p, std::min(m.secants, (int)MUS_PROJECTIVE_SECANTS));
  mus_place_projective_sums(p);
  if (m.single)
    p->single.reset(new mus_device_levels<float>);
  else
    p->twice.reset(new mus_device_levels<double>);
  mus_with_levels(p, [&](auto *levels) { mus_make_levels(&s->run, m, levels); });
  s->run.pin(p->told.data(), p->told.size() * sizeof(double));
  if (s->run.status())
    return s->run.status();
  mus_record_projective(p);
  s->run.wait();
  return s->run.status();
}

static mus_status mus_projective_create_stage(mus_device *, const mus_projective_model *m, mus_device_projective **out,
                                              mus_stage_failure *failure) {
  mus_device_projective *p = nullptr;
  mus_status status;
  try {
    p = new mus_device_projective(m->step.plain);
    status = mus_make_projective(*m, p, failure);
    mus_projective_told(p, failure);
  } catch (const std::bad_alloc &) {
    status = mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  if (status)
    delete p;
  else
    *out = p;
  return status;
}

static void mus_projective_free_stage(mus_device_projective *p) { delete p; }

static size_t mus_projective_bytes_stage(const mus_device_projective *p) { return p->step.run.bytes(); }

static mus_status mus_projective_weights_stage(mus_device_projective *p, const mus_projective_numbers *numbers,
                                               mus_stage_failure *failure) {
  try {
    mus_with_levels(p, [&](auto *levels) {
      for (size_t k = 0; k + 1 < levels->level.size(); ++k)
        mus_set_numbers(levels, (int)k, numbers[k]);
    });
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_blocks_stage(mus_device_projective *p, const mus_projective_blocks *blocks,
                                              const double *bottom, const double *sum, mus_stage_failure *failure) {
  mus_status status = MUS_OK;
  try {
    mus_with_levels(p, [&](auto *levels) {
      for (size_t k = 0; k + 1 < levels->level.size(); ++k)
        mus_set_blocks_of(levels, (int)k, blocks[k]);
      status = mus_set_bottom(levels, bottom);
    });
    p->step.run.put(sum, 9 * (size_t)p->parts, p->part_sum);
    if (!p->step.half) // else with every step
      p->step.run.launch(mus_part_inverse_kernel{p->piece_start, nullptr, p->part_sum, p->part_inverse}, p->parts,
                         mus_part_inverse_kernel::THREADS);
    p->step.run.wait();
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  if (status && !p->step.run.status())
    return mus_step_refuse(failure, status, "a matrix of Projective Dynamics is not positive definite");
  return mus_projective_told(p, failure);
}

// Which nodes are special, and what each has.
static void mus_list_specials(mus_device_projective *p, const mus_held_there &now, int pulls,
                              const mus_projective_pull *pull) {
  mus_runtime &run = p->step.run;
  std::vector<int> place((size_t)p->nodes, -1);
  std::vector<mus_special> special;
  std::vector<std::vector<mus_pull_share>> of;
  auto find = [&](int vertex) -> size_t {
    int *at = &place[(size_t)p->place[(size_t)vertex]];
    if (*at < 0) {
      *at = (int)special.size();
      special.push_back({{1, 0, 0, 0, 1, 0, 0, 0, 1}, 0, 0, -1});
      of.emplace_back();
    }
    return (size_t)*at;
  };
  for (size_t k = 0; k < now.vertex.size(); ++k) {
    mus_special *to = &special[find(now.vertex[k])];
    std::copy(now.projection.begin() + (std::ptrdiff_t)(9 * k), now.projection.begin() + (std::ptrdiff_t)(9 * k + 9),
              to->projection);
    to->held = (int)k;
  }
  for (int n = 0; n < pulls; ++n)
    for (int c = 0; c < pull[n].count; ++c)
      of[find(pull[n].vertex[c])].push_back({n, pull[n].weight[c]});
  std::vector<mus_pull_share> share;
  for (size_t k = 0; k < special.size(); ++k) {
    special[k].first = (int)share.size();
    share.insert(share.end(), of[k].begin(), of[k].end());
    special[k].last = (int)share.size();
  }
  run.put(place.data(), place.size(), p->special_place);
  run.put(special.data(), special.size(), p->special);
  run.put(share.data(), share.size(), p->pull_share);
  std::vector<int> node;
  for (int vertex : now.vertex)
    node.push_back(p->place[(size_t)vertex]);
  run.put(now.vertex.data(), now.vertex.size(), p->held_vertex);
  run.put(node.data(), node.size(), p->held_node);
  run.put(&p->held_count, 1, p->held_there);
  run.wait();
}

static mus_status mus_projective_hold_stage(mus_device_projective *p, int held, const int *vertex,
                                            const double *projection, int pulls, const mus_projective_pull *pull,
                                            mus_stage_failure *failure) {
  if (held < 0 || held > p->nodes || pulls < 0 || (size_t)pulls > p->pulls_most)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "more is held and pulled than there is");
  try {
    mus_held_there now;
    now.vertex.assign(vertex, vertex + held);
    now.projection.assign(projection, projection + 9 * (size_t)held);
    for (int n = 0; n < pulls; ++n)
      for (int c = 0; c < MUS_PROJECTIVE_CORNERS; ++c) {
        now.corner.push_back(c < pull[n].count ? pull[n].vertex[c] : -1);
        now.weight.push_back(c < pull[n].count ? pull[n].weight[c] : 0);
      }
    bool same = now.vertex == p->held.vertex && now.corner == p->held.corner && now.projection == p->held.projection &&
                now.weight == p->held.weight;
    p->held_count = held;
    if (!same)
      mus_list_specials(p, now, pulls, pull);
    mus_status status = same || !p->step.half ? MUS_OK : mus_step_hold_stage(&p->step, held, vertex, failure);
    if (status)
      return status;
    p->held = now;
    p->step.run.put(pull, (size_t)pulls, p->pull);
    p->step.run.put(&pulls, 1, p->pulls_there);
    p->step.run.wait();
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_state_stage(mus_device_projective *p, const double *position, const double *velocity,
                                             mus_stage_failure *failure) {
  mus_status status = mus_step_set_state_stage(&p->step, position, velocity, nullptr, nullptr, failure);
  p->seconds.upload = p->step.seconds.upload;
  return status;
}

static mus_status mus_projective_touch_stage(mus_device_projective *p, double h, const mus_touch_body *body,
                                             mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  if (!s->half)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "the model on the device has no bodies");
  s->run.put(body, (size_t)s->bodies, s->body);
  s->run.put(&h, 1, s->h);
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_push_stage(mus_device_projective *p, const double *push, mus_stage_failure *failure) {
  return mus_step_set_push_stage(&p->step, push, failure);
}

static mus_status mus_projective_touched_stage(mus_device_projective *p, mus_touched *touched,
                                               mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  if (!s->half)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "the model on the device has no bodies");
  s->run.get((const mus_touched *)s->touched, (size_t)s->nodes, touched);
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_begin_stage(mus_device_projective *p, const mus_stage_moment *moment,
                                             const double *scale, const double *target, mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  double h = moment->length;
  mus_moment_there there = {*moment, {h * h, h, 0, 0, 1 / h}};
  s->run.put(&there, 1, s->moment);
  s->run.put(scale, s->list.size(), s->scale);
  if (target)
    s->run.put(target, 3 * (size_t)p->held_count, p->target);
  p->count = p->next = 0;
  s->run.play(p->first);
  return mus_projective_told(p, failure);
}

// Brings sums from `first` on; the sequence before them is done then.
static const double *mus_bring_sums(mus_device_projective *p, int first, int count) {
  p->step.run.get(p->sums + 2 * first, 2 * (size_t)count, p->told.data() + 2 * first);
  return p->told.data() + 2 * first;
}

static void mus_bring_dots(mus_device_projective *p, mus_projective_sums *out) {
  const double *of = mus_bring_sums(p, 0, MUS_DOTS);
  *out = {of[2 * MUS_DOT_SLOPE], of[2 * MUS_DOT_CHANGE], of[2 * MUS_DOT_SQUARE], of[2 * MUS_DOT_LENGTH],
          of[2 * MUS_DOT_LARGEST]};
}

static mus_status mus_projective_assemble_stage(mus_device_projective *p, mus_projective_sums *sums,
                                                mus_stage_failure *failure) {
  p->step.run.play(sums ? p->assembly_told : p->assembly);
  if (sums)
    mus_bring_dots(p, sums);
  return mus_projective_told(p, failure);
}

// Pairs as the next global step has them, newest first.
static void mus_tell_secants(mus_device_projective *p, const mus_projective_solve &how) {
  mus_secants_there there = {};
  if (how.notes) {
    p->product[p->next] = how.product;
    p->next = (p->next + 1) % p->most;
    p->count = std::min(p->count + 1, p->most);
  }
  there.part = how.part;
  for (int k = 0; k < p->count; ++k) {
    there.place[k] = (p->next - 1 - k + 2 * p->most) % p->most;
    there.product[k] = p->product[there.place[k]];
  }
  p->step.run.put(&there, 1, p->secants_there);
}

static mus_status mus_projective_solve_stage(mus_device_projective *p, const mus_projective_solve *how,
                                             mus_projective_sums *sums, mus_stage_failure *failure) {
  if ((how->bent || how->notes) && p->most == 0)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "there is no room for secants");
  try {
    if (how->bent)
      mus_tell_secants(p, *how);
    int count = how->bent ? p->count : -1, notes = how->bent && how->notes, told = how->wants_sums;
    int key = 4 * (count + 1) + 2 * notes + told;
    auto found = p->solves.find(key);
    if (found == p->solves.end()) {
      found = p->solves.emplace(key, mus_sequence()).first;
      p->step.run.record(&found->second, [p, notes, count, told] {
        mus_launch_solve(p, notes, count);
        if (told)
          mus_launch_dots(p);
      });
    }
    p->step.run.play(found->second);
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  if (how->wants_sums)
    mus_bring_dots(p, sums);
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_go_stage(mus_device_projective *p, double part, double scale,
                                          mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  typedef mus_go_kernel go;
  s->run.launch(
      go{p->nodes, p->name, part, scale, s->moment, s->position, p->change, s->next_position, s->next_velocity},
      mus_step_blocks(p->nodes, go::THREADS), go::THREADS);
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_energy_stage(mus_device_projective *p, double *energy, mus_stage_failure *failure) {
  p->step.run.play(p->energy);
  const double *of = mus_bring_sums(p, MUS_TASK_ENERGY, p->energies);
  *energy = 0;
  for (int k = 0; k < p->energies; ++k)
    *energy += of[2 * k];
  return mus_projective_told(p, failure);
}

enum { MUS_PROJECTIVE_MARK_BEGIN = 2, MUS_PROJECTIVE_MARK_END };

static mus_status mus_projective_start_stage(mus_device_projective *p, mus_stage_failure *failure) {
  p->step.run.mark(MUS_PROJECTIVE_MARK_BEGIN);
  p->step.run.play(p->whole);
  p->step.run.mark(MUS_PROJECTIVE_MARK_END);
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_measure_stage(mus_device_projective *p, int started, double square[2],
                                               mus_stage_sums *sums, mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  size_t count = 2 * (size_t)s->tasks + 1;
  double *measured = p->told.data() + p->sum_count;
  if (!started) {
    s->run.mark(MUS_PROJECTIVE_MARK_BEGIN);
    s->run.play(p->measure);
    s->run.mark(MUS_PROJECTIVE_MARK_END);
  }
  s->run.put(s->sums, count, measured);
  mus_level_state bottom = {};
  if (s->half)
    mus_with_levels(p,
                    [&](auto *levels) { s->run.put((const double *)levels->state, MUS_TOLD_STATE, measured + count); });
  const double *of = mus_bring_sums(p, MUS_TASK_RESIDUAL, 2);
  square[0] = of[0];
  square[1] = of[2];
  p->seconds.work = s->run.between(MUS_PROJECTIVE_MARK_BEGIN, MUS_PROJECTIVE_MARK_END);
  if (s->half)
    memcpy((void *)&bottom, measured + count, sizeof bottom);
  if (bottom.failed && !s->run.status())
    return mus_step_refuse(failure, MUS_BREAKDOWN, "a matrix of Projective Dynamics is not positive definite");
  try {
    mus_tell_sums(s, std::vector<double>(measured, measured + count), 0, sums);
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_commit_stage(mus_device_projective *p, double *position, double *velocity,
                                              double *push, mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  size_t n = (size_t)s->unknowns;
  s->run.mark(MUS_STEP_MARK_BEGIN);
  if (position)
    s->run.put(s->next_position, n, position);
  if (velocity)
    s->run.put(s->next_velocity, n, velocity);
  if (push && s->half)
    s->run.put(s->next_push, (size_t)s->nodes, push);
  s->run.mark(MUS_STEP_MARK_END);
  s->run.put(s->next_position, n, s->position);
  s->run.put(s->next_velocity, n, s->velocity);
  if (s->half)
    s->run.put(s->next_push, (size_t)s->nodes, s->push);
  if (position || velocity || push) {
    s->run.wait();
    p->seconds.download = s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
  }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_look_stage(mus_device_projective *p, double *right, double *change,
                                            mus_stage_failure *failure) {
  typedef mus_by_vertex_kernel order;
  mus_device_step *s = &p->step;
  int blocks = mus_step_blocks(p->nodes, order::THREADS);
  double *to[2] = {right, change};
  const double *from[2] = {p->right, p->change};
  for (int k = 0; k < 2; ++k)
    if (to[k]) {
      s->run.launch(order{p->nodes, p->name, from[k], s->predicted, 0}, blocks, order::THREADS);
      s->run.get(s->predicted, (size_t)p->unknowns, to[k]);
    }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_cycle_stage(mus_device_projective *p, const double *right, double *change,
                                             mus_stage_failure *failure) {
  typedef mus_by_vertex_kernel order;
  mus_device_step *s = &p->step;
  int blocks = mus_step_blocks(p->nodes, order::THREADS);
  s->run.put(right, (size_t)p->unknowns, s->predicted);
  s->run.launch(order{p->nodes, p->name, s->predicted, p->right, 1}, blocks, order::THREADS);
  mus_with_levels(p, [&](auto *levels) {
    auto *b = levels->level[0].b;
    typedef std::decay_t<decltype(*b)> real;
    typedef mus_set_right_kernel<real> set;
    typedef mus_take_kernel<real> take;
    s->run.launch(set{p->nodes, p->right, b}, mus_step_blocks(p->nodes, set::THREADS), set::THREADS);
    real *x = mus_run_cycle(levels);
    s->run.launch(take{p->nodes, MUS_TAKE_X, x, p->change}, mus_step_blocks(p->nodes, take::THREADS), take::THREADS);
  });
  return mus_projective_look_stage(p, nullptr, change, failure);
}

static void mus_projective_seconds_stage(const mus_device_projective *p, mus_projective_seconds *out) {
  *out = p->seconds;
}

#define MUS_PROJECTIVE_STAGES_TABLE                                                                                    \
  {                                                                                                                    \
    MUS_PROJECTIVE_STAGES_VERSION, mus_projective_create_stage, mus_projective_free_stage, mus_projective_bytes_stage, \
        mus_projective_weights_stage, mus_projective_blocks_stage, mus_projective_hold_stage,                          \
        mus_projective_state_stage, mus_projective_touch_stage, mus_projective_push_stage,                             \
        mus_projective_touched_stage, mus_projective_begin_stage, mus_projective_assemble_stage,                       \
        mus_projective_solve_stage, mus_projective_go_stage, mus_projective_energy_stage, mus_projective_start_stage,  \
        mus_projective_measure_stage, mus_projective_commit_stage, mus_projective_look_stage,                          \
        mus_projective_cycle_stage, mus_projective_seconds_stage                                                       \
  }

#endif
