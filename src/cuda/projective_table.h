// The stages of Projective Dynamics, and the table of them. See projective_stages.h.
//
// Included after step_table.h, whose lists of elements and measures these are, by step_library.cu and
// step_emulated.cpp.
#ifndef MUS_CUDA_PROJECTIVE_TABLE_H
#define MUS_CUDA_PROJECTIVE_TABLE_H

#include <map>
#include <memory>

#include "cuda/projective_kernels.h"
#include "cuda/projective_levels.h"
#include "cuda/step_table.h"

// What came last of what is held and pulled, without the numbers of pulls.
struct mus_held_there {
  std::vector<int> vertex, corner;
  std::vector<double> projection, weight;
};

struct mus_device_projective {
  mus_device_step step;
  // before sequences, which levels own: the runtime goes last
  std::unique_ptr<mus_device_levels<float>> single;
  std::unique_ptr<mus_device_levels<double>> twice;
  int nodes = 0, unknowns = 0, cycles = 1, parts = 0;
  std::vector<double *> packed; // constants of lists; NULL: not for the local step
  std::vector<int> energy_blocks;
  std::vector<double *> energy_partial;
  // nodes in the order of the finest level
  int *name = nullptr, *part = nullptr, *start = nullptr;
  unsigned *share = nullptr;
  double *mass = nullptr;
  std::vector<int> place; // of vertices, on the host
  // what is held and pulled
  mus_held_there held;
  int held_count = 0;
  int *special_place = nullptr, *held_there = nullptr, *held_vertex = nullptr, *pulls_there = nullptr;
  mus_special *special = nullptr;
  mus_pull_share *pull_share = nullptr;
  mus_projective_pull *pull = nullptr;
  size_t pulls_most = 0;
  double *prescribed = nullptr;
  bool is_prescribed = true; // what is there is not all zero
  // vectors
  double *right = nullptr, *change = nullptr;
  // the mean of parts
  int pieces = 0;
  int *piece = nullptr, *member = nullptr, *piece_start = nullptr;
  double *piece_partial = nullptr, *part_inverse = nullptr, *way = nullptr;
  // secants
  int most = 0, count = 0, next = 0;
  double product[MUS_PROJECTIVE_SECANTS] = {};
  mus_secants_there *secants_there = nullptr;
  mus_secant_pairs pairs = {};
  double *before = nullptr, *turned = nullptr, *secant_partial[2] = {};
  // sums: of dots, of residuals, of energies
  double *dots_partial = nullptr, *residual_partial = nullptr, *inertia_partial = nullptr, *sums = nullptr;
  mus_sum_task *task = nullptr;
  int energies = 0, sum_count = 0;
  std::vector<double> told; // pinned
  mus_sequence first, assembly, assembly_told, energy, measure, whole;
  std::map<int, mus_sequence> solves;
  mus_projective_seconds seconds = {};

  explicit mus_device_projective(int plain) : step(plain) {}
  ~mus_device_projective() {
    for (mus_sequence *s : {&first, &assembly, &assembly_told, &energy, &measure, &whole})
      step.run.forget(s);
    for (auto &s : solves)
      step.run.forget(&s.second);
  }
  mus_specials specials() const { return {special_place, special, pull_share, pull}; }
};

enum { MUS_TASK_RESIDUAL = MUS_DOTS, MUS_TASK_ENERGY = MUS_TASK_RESIDUAL + 2 };

template <class function> void mus_with_levels(mus_device_projective *p, function f) {
  if (p->single)
    f(p->single.get());
  else
    f(p->twice.get());
}

static mus_status mus_projective_told(const mus_device_projective *p, mus_stage_failure *failure) {
  return mus_step_told(&p->step, failure);
}

// --- making ----------------------------------------------------------------------------------------------------------

// The function for kinds that have a local step.
template <class function> void mus_with_local(mus_stage_element element, function f) {
  mus_with_kind(element, [&](auto is) {
    if constexpr (mus_local<typename decltype(is)::type>::IS_KNOWN)
      f(is);
  });
}

static bool mus_is_local(mus_stage_element element) {
  bool found = false;
  mus_with_local(element, [&](auto) { found = true; });
  return found;
}

// Constants of a list's elements, number by number.
static double *mus_pack_list(mus_device_step *s, const mus_stage_list &l) {
  double *there = nullptr;
  mus_with_local(l.element, [&](auto is) {
    typedef mus_packed<typename decltype(is)::type> packed;
    size_t count = (size_t)l.count;
    std::vector<double> numbers((size_t)packed::COUNT * count + 1);
    const double *from = (const double *)l.rest;
    for (size_t k = 0; k < (size_t)packed::COUNT; ++k)
      for (size_t e = 0; e < count; ++e)
        numbers[k * count + e] = from[e * (size_t)packed::ALL + (size_t)packed::FIRST + k];
    there = mus_step_copy(s, numbers);
  });
  return there;
}

// Which gradients belong to each node, in the order of lists and of their elements.
static void mus_share_gradients(mus_device_projective *p, const mus_stage_model &m,
                                const std::vector<mus_step_offsets> &at) {
  std::vector<int> start((size_t)p->nodes + 1, 0);
  auto visit = [&](auto on_node) {
    for (int l = 0; l < m.lists; ++l) {
      const mus_stage_list &list = m.list[l];
      size_t arity = (size_t)list.arity;
      for (size_t k = 0; k < (size_t)list.count * arity && mus_is_local(list.element); ++k)
        on_node((size_t)p->place[(size_t)(list.first_vertex + list.vertex[k])],
                (unsigned)(at[(size_t)l].gradient + 3 * k));
    }
  };
  visit([&](size_t i, unsigned) { ++start[i + 1]; });
  mus_make_starts(&start);
  std::vector<unsigned> share((size_t)start.back() + 1);
  std::vector<int> next(start.begin(), start.end() - 1);
  visit([&](size_t i, unsigned from) { share[(size_t)next[i]++] = from; });
  p->start = mus_step_copy(&p->step, start);
  p->share = mus_step_copy(&p->step, share);
}

static void mus_place_nodes(mus_device_projective *p, const mus_projective_model &m) {
  mus_device_step *s = &p->step;
  size_t nodes = (size_t)p->nodes;
  std::vector<int> name(m.name, m.name + p->nodes), part(nodes);
  std::vector<double> mass(nodes);
  p->place.resize(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    p->place[(size_t)name[i]] = (int)i;
    part[i] = m.part[name[i]];
    mass[i] = m.step.mass[name[i]];
  }
  p->name = mus_step_copy(s, name);
  p->part = mus_step_copy(s, part);
  p->mass = mus_step_copy(s, mass);
  p->right = s->run.take<double>((size_t)p->unknowns);
  p->change = s->run.take<double>((size_t)p->unknowns);
  s->run.clear(p->change, (size_t)p->unknowns * sizeof(double));
}

// Pieces of parts, whose sums are taken one by one.
static void mus_place_parts(mus_device_projective *p, const mus_projective_model &m) {
  mus_device_step *s = &p->step;
  std::vector<int> start((size_t)m.parts + 1, 0), member((size_t)p->nodes), piece, piece_start;
  for (int i = 0; i < p->nodes; ++i)
    ++start[(size_t)m.part[i] + 1];
  mus_make_starts(&start);
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int i = 0; i < p->nodes; ++i)
    member[(size_t)next[(size_t)m.part[m.name[i]]]++] = i;
  for (size_t k = 0; k < (size_t)m.parts; ++k) {
    piece_start.push_back((int)piece.size());
    for (int from = start[k]; from < start[k + 1]; from += mus_mean_kernel<double>::PIECE)
      piece.push_back(from);
  }
  p->pieces = (int)piece.size();
  piece_start.push_back(p->pieces);
  piece.push_back(p->nodes);
  p->parts = m.parts;
  p->piece = mus_step_copy(s, piece);
  p->piece_start = mus_step_copy(s, piece_start);
  p->member = mus_step_copy(s, member);
  p->piece_partial = s->run.take<double>(3 * (size_t)p->pieces);
  p->part_inverse = s->run.take<double>(9 * (size_t)m.parts);
  p->way = s->run.take<double>(3 * (size_t)m.parts);
}

static void mus_place_specials(mus_device_projective *p) {
  mus_runtime &run = p->step.run;
  size_t nodes = (size_t)p->nodes;
  p->pulls_most = nodes + 1024;
  p->special_place = mus_step_copy(&p->step, std::vector<int>(nodes, -1));
  p->special = run.take<mus_special>(nodes);
  p->pull_share = run.take<mus_pull_share>(MUS_PROJECTIVE_CORNERS * p->pulls_most);
  p->pull = run.take<mus_projective_pull>(p->pulls_most);
  p->held_vertex = run.take<int>(nodes);
  p->prescribed = run.take<double>(3 * nodes);
  p->held_there = run.take<int>(1);
  p->pulls_there = run.take<int>(1);
  run.clear(p->held_there, sizeof(int));
  run.clear(p->pulls_there, sizeof(int));
}

static void mus_place_secants(mus_device_projective *p, int most) {
  mus_runtime &run = p->step.run;
  size_t n = (size_t)p->unknowns;
  p->most = most;
  if (most == 0)
    return;
  p->secants_there = run.take<mus_secants_there>(1);
  p->pairs = {p->unknowns, p->secants_there, run.take<double>((size_t)most * n), run.take<double>((size_t)most * n),
              run.take<double>(MUS_PROJECTIVE_SECANTS)};
  p->before = run.take<double>(n);
  p->turned = run.take<double>(n);
  run.clear(p->before, n * sizeof(double));
  for (double *&partial : p->secant_partial)
    partial = run.take<double>(MUS_SECANT_BLOCKS);
}

// The tasks of sums, one after the other: MUS_DOTS, two of the residual, energies.
static void mus_place_projective_sums(mus_device_projective *p) {
  mus_runtime &run = p->step.run;
  std::vector<mus_sum_task> task;
  int residual_blocks = mus_step_blocks(p->nodes, mus_residual_kernel<double>::THREADS);
  p->dots_partial = run.take<double>((size_t)mus_dots_kernel::BLOCKS * MUS_DOTS + 1);
  run.clear(p->dots_partial, ((size_t)mus_dots_kernel::BLOCKS * MUS_DOTS + 1) * sizeof(double));
  p->residual_partial = run.take<double>(2 * (size_t)residual_blocks);
  p->inertia_partial = run.take<double>(mus_inertia_kernel::BLOCKS);
  for (int q = 0; q < MUS_DOTS; ++q)
    task.push_back({p->dots_partial + q, mus_dots_kernel::BLOCKS, MUS_DOTS, q == MUS_DOT_LARGEST});
  for (int q = 0; q < 2; ++q)
    task.push_back({p->residual_partial + q, residual_blocks, 2, 0});
  task.push_back({p->inertia_partial, mus_inertia_kernel::BLOCKS, 1, 0});
  for (const mus_device_list &l : p->step.list) {
    bool is_local = mus_is_local(l.given.element);
    int blocks = mus_step_blocks(l.given.count, mus_local_energy_kernel<mus_hinge_there>::THREADS);
    p->energy_blocks.push_back(blocks);
    p->energy_partial.push_back(run.take<double>((size_t)blocks + 1));
    if (is_local)
      task.push_back({p->energy_partial.back(), blocks, 1, 0});
  }
  p->energies = (int)task.size() - MUS_TASK_ENERGY;
  p->task = mus_step_copy(&p->step, task);
  p->sum_count = 2 * (int)task.size();
  p->sums = run.take<double>((size_t)p->sum_count);
  run.clear(p->sums, (size_t)p->sum_count * sizeof(double));
  p->told.assign((size_t)p->sum_count + 2 * (size_t)p->step.tasks + 1, 0);
}

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
                        s->next_position, s->moment, p->specials(), p->right, b},
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
  s->run.launch(mean{p->piece, p->member, how, x, p->change, p->right, p->mass, l.place, l.given, p->piece_partial},
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
                        s->moment, p->pulls_there, p->pull, p->inertia_partial},
                inertia::BLOCKS, inertia::THREADS);
  mus_launch_sums(p, MUS_TASK_ENERGY, p->energies);
}

static void mus_launch_measure(mus_device_projective *p) {
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
  for (const mus_device_list &l : s->list)
    mus_measure_list(s, l);
  s->run.launch(nodes{s->nodes, s->counted, s->next_position, s->next_velocity, s->moment, s->node_partial},
                mus_step_blocks(s->nodes, nodes::THREADS), nodes::THREADS);
  s->run.launch(mus_sum_kernel{s->task, s->sums}, s->tasks, mus_sum_kernel::THREADS);
  mus_find_strain(s);
}

static void mus_record_projective(mus_device_projective *p) {
  mus_runtime &run = p->step.run;
  run.record(&p->first, [p] {
    mus_device_step *s = &p->step;
    typedef mus_begin_kernel begin;
    typedef mus_hold_kernel hold;
    s->run.launch(begin{p->unknowns, s->moment, s->position, s->velocity, s->next_position, s->next_velocity},
                  mus_step_blocks(p->unknowns, begin::THREADS), begin::THREADS);
    s->run.launch(
        hold{p->held_there, p->held_vertex, p->prescribed, s->moment, s->position, s->next_position, s->next_velocity},
        hold::BLOCKS, hold::THREADS);
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
                                              const double *bottom, const double *inverse, mus_stage_failure *failure) {
  mus_status status = MUS_OK;
  try {
    mus_with_levels(p, [&](auto *levels) {
      for (size_t k = 0; k + 1 < levels->level.size(); ++k)
        mus_set_blocks_of(levels, (int)k, blocks[k]);
      status = mus_set_bottom(levels, bottom);
    });
    p->step.run.put(inverse, 9 * (size_t)p->parts, p->part_inverse);
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
  run.put(now.vertex.data(), now.vertex.size(), p->held_vertex);
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
    if (!same) {
      p->is_prescribed = true;
      mus_list_specials(p, now, pulls, pull);
    }
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

static mus_status mus_projective_begin_stage(mus_device_projective *p, const mus_stage_moment *moment,
                                             const double *scale, const double *prescribed,
                                             mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  double h = moment->length;
  mus_moment_there there = {*moment, {h * h, h, 0, 0, 1 / h}};
  s->run.put(&there, 1, s->moment);
  s->run.put(scale, s->list.size(), s->scale);
  if (prescribed)
    s->run.put(prescribed, 3 * (size_t)p->held_count, p->prescribed);
  else if (p->is_prescribed)
    s->run.clear(p->prescribed, 3 * (size_t)p->held_count * sizeof(double));
  p->is_prescribed = prescribed != nullptr;
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
  const double *of = mus_bring_sums(p, MUS_TASK_RESIDUAL, 2);
  square[0] = of[0];
  square[1] = of[2];
  p->seconds.work = s->run.between(MUS_PROJECTIVE_MARK_BEGIN, MUS_PROJECTIVE_MARK_END);
  try {
    mus_tell_sums(s, std::vector<double>(measured, measured + count), sums);
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_projective_told(p, failure);
}

static mus_status mus_projective_commit_stage(mus_device_projective *p, double *position, double *velocity,
                                              mus_stage_failure *failure) {
  mus_device_step *s = &p->step;
  size_t n = (size_t)s->unknowns;
  s->run.mark(MUS_STEP_MARK_BEGIN);
  if (position)
    s->run.put(s->next_position, n, position);
  if (velocity)
    s->run.put(s->next_velocity, n, velocity);
  s->run.mark(MUS_STEP_MARK_END);
  s->run.put(s->next_position, n, s->position);
  s->run.put(s->next_velocity, n, s->velocity);
  if (position || velocity) {
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
        mus_projective_state_stage, mus_projective_begin_stage, mus_projective_assemble_stage,                         \
        mus_projective_solve_stage, mus_projective_go_stage, mus_projective_energy_stage, mus_projective_start_stage,  \
        mus_projective_measure_stage, mus_projective_commit_stage, mus_projective_look_stage,                          \
        mus_projective_cycle_stage, mus_projective_seconds_stage                                                       \
  }

#endif
