// A lattice on the device: its memory, and cycles and solves as sequences of kernels. See lattice_stages.h.
#ifndef MUS_CUDA_LATTICE_SOLVER_H
#define MUS_CUDA_LATTICE_SOLVER_H

#include <algorithm>
#include <map>
#include <tuple>

#include "cuda/lattice_solve_kernels.h"
#include "cuda/runtime.h"

enum { MUS_LATTICE_MARK_BEGIN, MUS_LATTICE_MARK_SOLVE, MUS_LATTICE_MARK_SOLVED, MUS_LATTICE_MARK_END };

inline int mus_blocks_for(size_t items, int threads) { return (int)((items + (size_t)threads - 1) / (size_t)threads); }

// Cells at boundaries, by colour.
template <class real> struct mus_cells_there {
  int start[MUS_LATTICE_COLOURS + 1] = {};
  int *cell = nullptr, *pattern = nullptr;
  mus_lattice_box<real> *box = nullptr;
};

template <class real> struct mus_lattice_level_there {
  mus_lattice_view<real> view = {};
  size_t field = 0;
  mus_cells_there<real> band, relocated;
  int outer_count = 0, partial_count = 0;
  int *outer = nullptr, *partial = nullptr;
  real *first = nullptr, *image = nullptr; // z and L z of a first visit; NULL: there is only one
  mus_lattice_visit_state *visit = nullptr;

  size_t size() const { return 4 * field; }
};

// What stages work on, whatever the precision of its cycles.
struct mus_device_lattice {
  mus_runtime run;
  explicit mus_device_lattice(int plain) : run(plain) {}
  virtual ~mus_device_lattice() {}
  virtual void make(const mus_stage_lattice &d) = 0;
  virtual mus_status solve(const double *b, double *x, double tolerance, int cycles, mus_stage_lattice_result *out) = 0;
  virtual void measure(int repeat, mus_stage_lattice_speeds *out) = 0;
  virtual void run_part(mus_cycle_part part, int level) = 0;
  virtual void set(int level, mus_lattice_vector which, const double *from) = 0;
  virtual void get(int level, mus_lattice_vector which, double *to) = 0;
  virtual int level_count() const = 0;
};

template <class real> class mus_lattice_there : public mus_device_lattice {
public:
  explicit mus_lattice_there(const mus_stage_lattice &d)
      : mus_device_lattice(d.plain), levels(d.levels), visits(d.visits), band_sweeps(d.band),
        relocated_sweeps(d.relocated), directions(d.directions), cycles_most(d.cycles_most), weight(d.weight) {}
  ~mus_lattice_there() override {
    for (mus_sequence *s : {&reference, &loop, &finish, &one_cycle})
      run.forget(s);
  }

  void make(const mus_stage_lattice &d) override;
  mus_status solve(const double *b, double *x, double tolerance, int cycles, mus_stage_lattice_result *out) override;
  void measure(int repeat, mus_stage_lattice_speeds *out) override;
  void run_part(mus_cycle_part part, int level) override;
  void set(int level, mus_lattice_vector which, const double *from) override;
  void get(int level, mus_lattice_vector which, double *to) override;
  int level_count() const override { return levels; }

private:
  typedef mus_lattice_level_there<real> level_there;

  template <class number> number *take_zero(size_t count) {
    number *memory = run.template take<number>(count);
    run.clear(memory, count * sizeof(number));
    return memory;
  }
  void place_level(const mus_stage_lattice &d, int k);
  void place_cells(const level_there &l, const mus_stage_cells &from, mus_cells_there<real> *to);
  void place_bottom(const mus_stage_lattice &d);
  void place_finest();
  void record();

  template <class kernel> void launch_over(const kernel &k, size_t items) {
    run.launch(k, mus_blocks_for(items, kernel::THREADS), kernel::THREADS);
  }
  template <class decision> void decide(const decision &d, int count) {
    run.launch(mus_lattice_decide_kernel<decision>{d, partial, count}, 1, MUS_DECIDERS);
  }
  void sweep(level_there &l);
  void sweep_cells(level_there &l, const mus_cells_there<real> &list, int sweeps, bool backward);
  void smooth(level_there &l);
  void restrict_to(level_there &fine, level_there &coarse);
  template <class number> void extend(const mus_lattice_view<number> &view, const level_there &l);
  void prolong(level_there &coarse, level_there &fine);
  void solve_bottom(level_there &l);
  void visit_twice(int k);
  void cycle_from(int k);
  void take_residual(const mus_lattice_view<double> &view);
  void iterate(const mus_condition &condition);

  int levels, visits, band_sweeps, relocated_sweeps, directions, cycles_most;
  double weight;
  level_there level[MUS_LATTICE_STAGES_LEVELS];
  int bottom_size = 0;
  int *bottom_at = nullptr;
  real *bottom_inverse = nullptr;
  // of the finest level, in double precision
  mus_lattice_view<double> wide = {}, still = {};
  mus_lattice_directions_there kept = {};
  float *new_z = nullptr, *new_lz = nullptr;
  double *partial = nullptr, *total = nullptr, *residuals = nullptr;
  mus_lattice_state *state = nullptr;
  mus_sequence reference, loop, finish, one_cycle;
};

// --- making ----------------------------------------------------------------------------------------------------------

template <class real>
void mus_lattice_there<real>::place_cells(const level_there &l, const mus_stage_cells &from,
                                          mus_cells_there<real> *to) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, int> number;
  std::vector<mus_lattice_box<real>> box;
  std::vector<std::tuple<int, int, int>> order; // colour, cell, pattern
  for (int k = 0; k < from.count; ++k) {
    const mus_stage_pattern_bits &bits = from.pattern[k];
    int n = from.cell[k],
        colour = mus_lattice_colour(n % l.view.count[0], n / l.view.count[0] % l.view.count[1], n / l.view.stride[2]);
    auto found = number.emplace(std::make_tuple(bits.stresses, bits.weights, bits.walls), (int)box.size());
    if (found.second)
      box.push_back(mus_make_box(l.view, bits));
    order.emplace_back(colour, n, found.first->second);
    ++to->start[colour + 1];
  }
  for (int c = 0; c < MUS_LATTICE_COLOURS; ++c)
    to->start[c + 1] += to->start[c];
  std::sort(order.begin(), order.end());
  std::vector<int> cell, pattern;
  for (const auto &o : order) {
    cell.push_back(std::get<1>(o));
    pattern.push_back(std::get<2>(o));
  }
  to->cell = run.take_copy(cell);
  to->pattern = run.take_copy(pattern);
  to->box = run.take_copy(box);
  run.wait(); // the lists go
}

template <class real> void mus_lattice_there<real>::place_level(const mus_stage_lattice &d, int k) {
  const mus_stage_lattice_level &from = d.level[k];
  level_there &l = level[k];
  mus_lattice_view<real> &v = l.view;
  l.field = from.field;
  mus_place_view(from, &v);
  v.compressibility = (real)d.compressibility;
  v.inertia = (real)(d.inertia * (double)((size_t)1 << 2 * k));
  std::vector<uint32_t> flags(from.flags, from.flags + v.cells);
  std::vector<uint8_t> mask;
  for (uint32_t f : flags)
    mask.push_back(mus_lattice_mask(f));
  v.flags = run.take_copy(flags);
  v.mask = run.take_copy(mask);
  real *memory = take_zero<real>(3 * l.size() + l.field);
  for (size_t f = 0; memory && f < 4; ++f) {
    v.x[f] = memory + f * l.field;
    v.b[f] = memory + (4 + f) * l.field;
    v.r[f] = memory + (8 + f) * l.field;
  }
  v.delta = memory ? memory + 3 * l.size() : nullptr;
  place_cells(l, from.band, &l.band);
  place_cells(l, from.relocated, &l.relocated);
  l.outer_count = from.outer_count;
  std::vector<int> outer(from.outer, from.outer + from.outer_count);
  l.outer = run.take_copy(outer);
  l.partial_count = from.partial_count;
  std::vector<int> faces;
  for (int i = 0; i < 2 * from.partial_count; ++i)
    faces.push_back(from.partial[i / 2][i % 2]);
  l.partial = run.take_copy(faces);
  run.wait(); // the lists go
  if (visits > 1 && k > 0 && k + 1 < levels) {
    l.first = take_zero<real>(l.size());
    l.image = take_zero<real>(l.size());
    l.visit = take_zero<mus_lattice_visit_state>(1);
  }
}

template <class real> void mus_lattice_there<real>::place_bottom(const mus_stage_lattice &d) {
  const level_there &l = level[levels - 1];
  size_t entries = (size_t)d.bottom_size * (size_t)d.bottom_size;
  std::vector<int> at;
  bottom_size = d.bottom_size;
  for (int k = 0; k < bottom_size; ++k)
    at.push_back((int)(d.bottom_field[k] * l.field) + d.bottom_cell[k]);
  bottom_at = run.take_copy(at);
  std::vector<real> inverse(d.bottom_inverse, d.bottom_inverse + entries);
  bottom_inverse = run.take_copy(inverse);
  run.wait();
}

// What solves need beside cycles: the finest level in double precision, directions, room for sums.
template <class real> void mus_lattice_there<real>::place_finest() {
  const level_there &l = level[0];
  const mus_lattice_view<real> &v = l.view;
  std::copy(v.count, v.count + 3, wide.count);
  std::copy(v.stride, v.stride + 3, wide.stride);
  wide.cells = v.cells;
  wide.flags = v.flags;
  wide.mask = v.mask;
  double *memory = take_zero<double>(4 * l.size());
  still = wide;
  for (size_t f = 0; memory && f < 4; ++f) {
    wide.x[f] = memory + f * l.field;
    wide.b[f] = still.b[f] = memory + l.size() + f * l.field;
    wide.r[f] = still.r[f] = memory + 2 * l.size() + f * l.field;
    still.x[f] = memory + 3 * l.size() + f * l.field;
  }
  new_z = take_zero<float>(l.size());
  new_lz = take_zero<float>(l.size());
  state = take_zero<mus_lattice_state>(1);
  kept.state = state;
  kept.size = l.size();
  kept.new_z = new_z;
  kept.new_lz = new_lz;
  kept.r = wide.r[0];
  kept.z = run.template take<float>((size_t)(directions + 1) * l.size());
  kept.lz = run.template take<float>((size_t)(directions + 1) * l.size());
  size_t blocks = (size_t)mus_blocks_for((size_t)v.cells, MUS_LATTICE_THREADS);
  partial = take_zero<double>(std::max(3 * blocks, (size_t)(2 * directions + 2) * MUS_LATTICE_PIECES));
  total = take_zero<double>((size_t)(2 * directions + 2));
  residuals = take_zero<double>((size_t)cycles_most + 1);
}

template <class real> void mus_lattice_there<real>::make(const mus_stage_lattice &d) {
  if (run.open())
    return;
  for (int k = 0; k < levels && !run.status(); ++k)
    place_level(d, k);
  if (!run.status())
    place_bottom(d);
  if (!run.status())
    place_finest();
  if (run.status())
    return;
  wide.wall = still.wall = d.level[0].wall;
  wide.compressibility = still.compressibility = d.compressibility;
  wide.inertia = still.inertia = d.inertia;
  record();
  run.wait();
}

// --- the cycle -------------------------------------------------------------------------------------------------------

template <class real> void mus_lattice_there<real>::sweep(level_there &l) {
  const mus_lattice_view<real> &v = l.view;
  size_t cells = (size_t)v.cells, pairs = (size_t)((v.count[0] + 1) / 2) * (size_t)v.count[1] * (size_t)v.count[2];
  real faces = -(real)MUS_LATTICE_FACES / (6 + v.inertia);
  real inner = (real)MUS_LATTICE_CELLS / (6 + v.compressibility * (12 + v.inertia));
  launch_over(mus_lattice_begin_sweep_kernel<real>{v}, cells);
  for (int colour = 0; colour < 2; ++colour)
    launch_over(mus_lattice_sweep_faces_kernel<real>{v, colour, faces}, pairs);
  launch_over(mus_lattice_begin_cells_kernel<real>{v, inner}, cells);
  launch_over(mus_lattice_sweep_cells_kernel<real>{v, inner}, pairs);
  launch_over(mus_lattice_distribute_kernel<real>{v}, cells);
}

template <class real>
void mus_lattice_there<real>::sweep_cells(level_there &l, const mus_cells_there<real> &list, int sweeps,
                                          bool backward) {
  for (int k = 0; k < sweeps * MUS_LATTICE_COLOURS; ++k) {
    int turn = k % MUS_LATTICE_COLOURS, colour = backward ? MUS_LATTICE_COLOURS - 1 - turn : turn;
    int first = list.start[colour], count = list.start[colour + 1] - first;
    launch_over(mus_lattice_relax_kernel<real>{l.view, count, list.cell + first, list.pattern + first, list.box},
                (size_t)count);
  }
}

template <class real> void mus_lattice_there<real>::smooth(level_there &l) {
  sweep_cells(l, l.band, band_sweeps, false);
  sweep(l);
  sweep_cells(l, l.band, band_sweeps, true);
}

template <class real> void mus_lattice_there<real>::restrict_to(level_there &fine, level_there &coarse) {
  launch_over(mus_lattice_restrict_kernel<real>{fine.view, coarse.view}, (size_t)coarse.view.cells);
}

template <class real>
template <class number>
void mus_lattice_there<real>::extend(const mus_lattice_view<number> &view, const level_there &l) {
  launch_over(mus_lattice_extend_kernel<number, true>{view, l.outer, l.outer_count}, (size_t)l.outer_count);
  launch_over(mus_lattice_extend_kernel<number, false>{view, l.outer, l.outer_count}, (size_t)l.outer_count);
}

template <class real> void mus_lattice_there<real>::prolong(level_there &coarse, level_there &fine) {
  launch_over(mus_lattice_prolong_kernel<real>{fine.view, coarse.view}, (size_t)fine.view.cells);
  launch_over(mus_lattice_partial_kernel<real>{fine.view, coarse.view, fine.partial, fine.partial_count},
              (size_t)fine.partial_count);
}

template <class real> void mus_lattice_there<real>::solve_bottom(level_there &l) {
  typedef mus_lattice_bottom_kernel<real> kernel;
  run.launch(kernel{l.view, bottom_inverse, bottom_size, bottom_at}, mus_blocks_for((size_t)bottom_size, kernel::ROWS),
             kernel::THREADS);
}

template <class real> void mus_lattice_there<real>::visit_twice(int k) {
  level_there &l = level[k];
  int blocks = mus_blocks_for((size_t)l.view.cells, MUS_LATTICE_THREADS);
  real *x = l.view.x[0], *b = l.view.b[0];
  cycle_from(k);
  run.launch(mus_lattice_visited_kernel<real, false>{l.view, l.image, nullptr, l.field, partial, blocks}, blocks,
             MUS_LATTICE_THREADS);
  decide(mus_decide_first_visit{l.visit}, blocks);
  launch_over(mus_lattice_between_visits_kernel<real>{l.visit, x, b, l.first, l.image, l.size()}, l.size());
  cycle_from(k);
  run.launch(mus_lattice_visited_kernel<real, true>{l.view, l.view.r[0], l.image, l.field, partial, blocks}, blocks,
             MUS_LATTICE_THREADS);
  decide(mus_decide_second_visit{l.visit}, blocks);
  launch_over(mus_lattice_combine_kernel<real>{l.visit, x, l.first, l.size()}, l.size());
}

template <class real> void mus_lattice_there<real>::cycle_from(int k) {
  level_there &l = level[k];
  if (k + 1 == levels) {
    solve_bottom(l);
    return;
  }
  level_there &next = level[k + 1];
  smooth(l);
  sweep_cells(l, l.relocated, relocated_sweeps, false);
  launch_over(mus_lattice_residual_kernel<real>{l.view}, (size_t)l.view.cells);
  restrict_to(l, next);
  if (k + 2 < levels && visits > 1)
    visit_twice(k + 1);
  else
    cycle_from(k + 1);
  extend(next.view, next);
  prolong(next, l);
  sweep_cells(l, l.relocated, relocated_sweeps, true);
  smooth(l);
}

// --- solves ----------------------------------------------------------------------------------------------------------

template <class real> void mus_lattice_there<real>::take_residual(const mus_lattice_view<double> &view) {
  launch_over(mus_lattice_wide_residual_kernel{view, weight, partial}, (size_t)view.cells);
}

// One cycle for r and what follows from it, to the next r.
template <class real> void mus_lattice_there<real>::iterate(const mus_condition &condition) {
  level_there &l = level[0];
  const mus_lattice_view<real> &v = l.view;
  size_t size = l.size();
  launch_over(mus_lattice_begin_kernel<real>{state, wide.r[0], v.b[0], v.x[0], size, 3 * l.field, weight}, size);
  cycle_from(0);
  launch_over(mus_lattice_image_kernel<real>{v, new_z, new_lz, l.field, (real)weight}, (size_t)v.cells);
  run.launch(mus_lattice_multiply_kernel{kept, partial}, MUS_LATTICE_PIECES * directions, MUS_LATTICE_THREADS);
  run.launch(mus_lattice_sum_kernel{partial, total}, 2 * directions, MUS_LATTICE_THREADS);
  run.launch(mus_lattice_subtract_kernel{kept, total, partial}, MUS_LATTICE_PIECES, MUS_LATTICE_THREADS);
  decide(mus_decide_directions{state, total}, MUS_LATTICE_PIECES);
  launch_over(mus_lattice_advance_kernel{kept, wide.x[0]}, size);
  take_residual(wide);
  decide(mus_decide_residual{state, residuals, 0, condition}, mus_blocks_for((size_t)v.cells, MUS_LATTICE_THREADS));
}

template <class real> void mus_lattice_there<real>::record() {
  size_t cells = (size_t)level[0].view.cells;
  int blocks = mus_blocks_for(cells, MUS_LATTICE_THREADS);
  run.record(&reference, [=] {
    launch_over(mus_lattice_still_kernel{wide, still.x[0], level[0].field}, cells);
    take_residual(still);
    decide(mus_decide_reference{state}, blocks);
    take_residual(wide);
  });
  run.record_loop(
      &loop,
      [=](const mus_condition &condition) {
        decide(mus_decide_residual{state, residuals, 1, condition}, blocks);
      },
      [=](const mus_condition &condition) { iterate(condition); }, &state->going);
  run.record(&finish, [=] { extend(wide, level[0]); });
  run.record(&one_cycle, [=] { cycle_from(0); });
}

template <class real>
mus_status mus_lattice_there<real>::solve(const double *b, double *x, double tolerance, int cycles,
                                          mus_stage_lattice_result *out) {
  mus_lattice_state s = {};
  size_t size = level[0].size();
  s.tolerance = tolerance;
  s.limit = std::min(cycles, cycles_most);
  s.most = directions;
  s.size = 1;
  run.pin(b, size * sizeof *b);
  run.pin(x, size * sizeof *x);
  run.mark(MUS_LATTICE_MARK_BEGIN);
  run.put(b, size, wide.b[0]);
  run.put(x, size, wide.x[0]);
  run.put(&s, 1, state);
  run.mark(MUS_LATTICE_MARK_SOLVE);
  run.play(reference);
  run.play(loop);
  run.play(finish);
  run.mark(MUS_LATTICE_MARK_SOLVED);
  run.get(state, 1, &s);
  if (run.status())
    return run.status();
  run.put(residuals, (size_t)s.cycles + 1, out->residuals);
  run.put(wide.x[0], size, x);
  run.mark(MUS_LATTICE_MARK_END);
  run.wait();
  out->end = (mus_lattice_end)s.end;
  out->cycles = s.cycles;
  out->reference = s.reference;
  out->upload_s = run.between(MUS_LATTICE_MARK_BEGIN, MUS_LATTICE_MARK_SOLVE);
  out->solve_s = run.between(MUS_LATTICE_MARK_SOLVE, MUS_LATTICE_MARK_SOLVED);
  out->download_s = run.between(MUS_LATTICE_MARK_SOLVED, MUS_LATTICE_MARK_END);
  return run.status();
}

template <class real> void mus_lattice_there<real>::measure(int repeat, mus_stage_lattice_speeds *out) {
  auto median = [&](auto &&f) {
    std::vector<double> taken;
    f(); // warm
    for (int k = 0; k < repeat; ++k) {
      run.mark(MUS_LATTICE_MARK_BEGIN);
      f();
      run.mark(MUS_LATTICE_MARK_END);
      run.wait();
      taken.push_back(run.between(MUS_LATTICE_MARK_BEGIN, MUS_LATTICE_MARK_END));
    }
    std::sort(taken.begin(), taken.end());
    return taken[taken.size() / 2];
  };
  size_t size = level[0].size();
  out->cycle_s = median([&] { run.play(one_cycle); });
  out->copy_bytes_s = 2.0 * (double)size * sizeof(double) / median([&] { run.put(wide.b[0], size, still.x[0]); });
}

template <class real> void mus_lattice_there<real>::run_part(mus_cycle_part part, int k) {
  level_there &l = level[k], &next = level[k + 1 < levels ? k + 1 : k];
  switch (part) {
  case MUS_CYCLE_PART_SWEEP:
    return sweep(l);
  case MUS_CYCLE_PART_BAND:
  case MUS_CYCLE_PART_BAND_BACK:
    return sweep_cells(l, l.band, 1, part == MUS_CYCLE_PART_BAND_BACK);
  case MUS_CYCLE_PART_RESIDUAL:
    return launch_over(mus_lattice_residual_kernel<real>{l.view}, (size_t)l.view.cells);
  case MUS_CYCLE_PART_RESTRICT:
    return restrict_to(l, next);
  case MUS_CYCLE_PART_EXTEND:
    return extend(l.view, l);
  case MUS_CYCLE_PART_PROLONG:
    return prolong(next, l);
  case MUS_CYCLE_PART_CYCLE:
    return cycle_from(k);
  }
}

template <class real> void mus_lattice_there<real>::set(int k, mus_lattice_vector which, const double *from) {
  mus_lattice_view<real> &v = level[k].view;
  std::vector<real> numbers(from, from + level[k].size());
  run.put(numbers.data(), numbers.size(), (which == MUS_LATTICE_X ? v.x : which == MUS_LATTICE_B ? v.b : v.r)[0]);
  run.wait();
}

template <class real> void mus_lattice_there<real>::get(int k, mus_lattice_vector which, double *to) {
  mus_lattice_view<real> &v = level[k].view;
  std::vector<real> numbers(level[k].size());
  run.get((which == MUS_LATTICE_X ? v.x : which == MUS_LATTICE_B ? v.b : v.r)[0], numbers.size(), numbers.data());
  std::copy(numbers.begin(), numbers.end(), to);
}

#endif
