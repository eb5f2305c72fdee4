// A model with its levels and vectors on the device, for projective_table.h.
#ifndef MUS_CUDA_PROJECTIVE_MODEL_H
#define MUS_CUDA_PROJECTIVE_MODEL_H

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
  int *held_node = nullptr;
  double *target = nullptr;
  // vectors
  double *right = nullptr, *change = nullptr;
  // the mean of parts
  int pieces = 0;
  int *piece = nullptr, *member = nullptr, *piece_start = nullptr;
  double *piece_partial = nullptr, *lift_partial = nullptr, *part_sum = nullptr, *part_inverse = nullptr;
  double *way = nullptr;
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
  mus_touches touches() const {
    return {!step.half ? nullptr : single ? single->level[0].lifts.is : twice->level[0].lifts.is, step.touched};
  }
};

// Numbers of a bottom's state, which come last of what the host is told.
enum { MUS_TOLD_STATE = sizeof(mus_level_state) / sizeof(double) };

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
  p->part_sum = s->run.take<double>(9 * (size_t)m.parts);
  p->part_inverse = s->run.take<double>(9 * (size_t)m.parts);
  if (s->half)
    p->lift_partial = s->run.take<double>(9 * (size_t)p->pieces);
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
  p->held_node = run.take<int>(nodes);
  p->target = run.take<double>(3 * nodes);
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
  p->told.assign((size_t)p->sum_count + 2 * (size_t)p->step.tasks + 1 + MUS_TOLD_STATE, 0);
}

#endif
