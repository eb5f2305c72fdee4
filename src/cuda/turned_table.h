// Cycles for co-rotational solids on the device: memory, sequences of kernels, and the table of stages. See
// turned_stages.h.
#ifndef MUS_CUDA_TURNED_TABLE_H
#define MUS_CUDA_TURNED_TABLE_H

#include <new>

#include "cuda/renew_kernels.h"
#include "cuda/runtime.h"
#include "cuda/turned_kernels.h"

struct mus_turned_level_there {
  mus_turned_view view = {};
  size_t field = 0;
  double *numbers = nullptr, *inverses = nullptr;
  int start[MUS_STAGE_TURNED_GROUPS + 1] = {};
  int *cell = nullptr, *outer = nullptr, *partial = nullptr;
  int outer_count = 0, partial_count = 0;
};

struct mus_device_turned {
  explicit mus_device_turned(const mus_stage_turned &d)
      : run(d.plain), levels(d.levels), visits(d.visits), unknowns(d.unknowns),
        size((d.unknowns + MUS_SLICE - 1) / MUS_SLICE * MUS_SLICE) {}
  ~mus_device_turned() {
    for (int turns = 0; turns < 2; ++turns) {
      run.forget(&one_cycle[turns]);
      run.forget(&bottom[turns]);
    }
  }
  void make(const mus_stage_turned &d);
  mus_status renew(const mus_stage_turned_numbers *numbers, int turns_, mus_stage_failure *failure);
  void cycle(const double *b, double *x, double *seconds);

  mus_runtime run;

private:
  template <class kernel> void launch_over(const kernel &k, int items) {
    run.launch(k, (items + kernel::THREADS - 1) / kernel::THREADS, kernel::THREADS);
  }
  void place_level(const mus_stage_turned &d, int k);
  void let_go(const mus_turned_level_there &l);
  void pull(const mus_turned_level_there &l, int turns);
  void sweep(const mus_turned_level_there &l, int turns, bool backwards);
  void settle(const mus_turned_level_there &l, int turns);
  void solve_bottom(const mus_turned_level_there &l, int turns);
  void invert_bottom(int turns);
  void cycle_from(int k, int turns);
  void run_cycle(int turns);

  int levels, visits, unknowns, size, turned = 0;
  mus_turned_level_there level[MUS_LATTICE_STAGES_LEVELS];
  int *bottom_cell = nullptr;
  unsigned char *bottom_axis = nullptr;
  double *w = nullptr, *right = nullptr, *panel_row = nullptr, *panel_column = nullptr;
  mus_level_state *state = nullptr;
  mus_sequence one_cycle[2], bottom[2]; // corrections do not turn cells, or do
};

// --- making ----------------------------------------------------------------------------------------------------------

inline void mus_device_turned::place_level(const mus_stage_turned &d, int k) {
  const mus_stage_lattice_level &from = d.level[k];
  const mus_stage_turned_level &turned_from = d.turned[k];
  mus_turned_level_there &l = level[k];
  mus_lattice_view<double> &v = l.view.l;
  l.field = from.field;
  mus_place_view(from, &v);
  v.compressibility = d.compressibility;
  size_t cells = (size_t)v.cells;
  std::vector<uint32_t> flags(from.flags, from.flags + cells),
      weights(turned_from.weights, turned_from.weights + cells);
  std::vector<uint8_t> mask;
  for (uint32_t f : flags)
    mask.push_back(mus_lattice_mask(f));
  std::vector<uint64_t> samples(turned_from.samples, turned_from.samples + cells);
  std::copy(turned_from.start, turned_from.start + MUS_STAGE_TURNED_GROUPS + 1, l.start);
  std::vector<int> order(turned_from.cell, turned_from.cell + l.start[MUS_STAGE_TURNED_GROUPS]);
  std::vector<int> outer(from.outer, from.outer + from.outer_count), faces;
  for (int i = 0; i < 2 * from.partial_count; ++i)
    faces.push_back(from.partial[i / 2][i % 2]);
  v.flags = run.take_copy(flags);
  v.mask = run.take_copy(mask);
  l.view.samples = run.take_copy(samples);
  l.view.weights = run.take_copy(weights);
  l.cell = run.take_copy(order);
  l.outer = run.take_copy(outer);
  l.outer_count = from.outer_count;
  l.partial = run.take_copy(faces);
  l.partial_count = from.partial_count;
  size_t numbers = MUS_TURNED_NUMBERS + MUS_TURNED_INVERSES + 15, all = 12 * l.field + numbers * cells;
  double *memory = run.take<double>(all);
  run.clear(memory, all * sizeof *memory);
  run.wait(); // the lists go
  for (size_t f = 0; memory && f < 4; ++f) {
    v.x[f] = memory + f * l.field;
    v.b[f] = memory + (4 + f) * l.field;
    v.r[f] = memory + (8 + f) * l.field;
  }
  l.numbers = memory ? memory + 12 * l.field : nullptr;
  l.inverses = l.numbers + MUS_TURNED_NUMBERS * cells;
  l.view.rotation = l.numbers;
  l.view.diagonal = l.numbers + 9 * cells;
  l.view.held = l.numbers + 10 * cells;
  l.view.coupling = l.numbers + 13 * cells;
  l.view.inverse = l.inverses;
  l.view.pull = l.inverses + MUS_TURNED_INVERSES * cells;
  l.view.pulled = l.view.pull + 9 * cells;
}

inline void mus_device_turned::make(const mus_stage_turned &d) {
  if (run.open())
    return;
  for (int k = 0; k < levels && !run.status(); ++k)
    place_level(d, k);
  std::vector<int> cell(d.cell, d.cell + unknowns);
  std::vector<unsigned char> axis(d.axis, d.axis + unknowns);
  bottom_cell = run.take_copy(cell);
  bottom_axis = run.take_copy(axis);
  w = run.take<double>((size_t)size * (size_t)size);
  right = run.take<double>((size_t)size);
  panel_row = run.take<double>((size_t)size * MUS_SLICE);
  panel_column = run.take<double>((size_t)size * MUS_SLICE);
  state = run.take<mus_level_state>(1);
  run.wait();
  for (int turns = 0; turns < 2 && !run.status(); ++turns) {
    run.record(&one_cycle[turns], [=] { run_cycle(turns); });
    run.record(&bottom[turns], [=] { invert_bottom(turns); });
  }
  run.wait();
}

// --- the cycle -------------------------------------------------------------------------------------------------------

inline void mus_device_turned::let_go(const mus_turned_level_there &l) {
  run.clear(l.view.pull, 15 * (size_t)l.view.l.cells * sizeof(double));
}

inline void mus_device_turned::pull(const mus_turned_level_there &l, int turns) {
  launch_over(mus_turned_pull_kernel{l.view, turns}, l.view.l.cells);
  launch_over(mus_turned_gather_kernel{l.view}, l.view.l.cells);
}

inline void mus_device_turned::sweep(const mus_turned_level_there &l, int turns, bool backwards) {
  typedef mus_turned_relax_kernel kernel;
  for (int g = 0; g < MUS_STAGE_TURNED_GROUPS; ++g) {
    int group = backwards ? MUS_STAGE_TURNED_GROUPS - 1 - g : g, first = l.start[group];
    int count = l.start[group + 1] - first;
    run.launch(kernel{l.view, l.cell + first, count, turns}, (count + kernel::CELLS - 1) / kernel::CELLS,
               kernel::THREADS);
  }
}

inline void mus_device_turned::settle(const mus_turned_level_there &l, int turns) {
  launch_over(mus_turned_settle_kernel{l.view, turns}, l.view.l.cells);
  launch_over(mus_turned_gather_kernel{l.view}, l.view.l.cells);
}

inline void mus_device_turned::solve_bottom(const mus_turned_level_there &l, int turns) {
  typedef mus_turned_solve_kernel kernel;
  run.clear(l.view.l.x[0], 4 * l.field * sizeof(double));
  let_go(l);
  settle(l, turns);
  launch_over(mus_turned_right_kernel{l.view, bottom_cell, bottom_axis, unknowns, right}, unknowns);
  run.launch(kernel{l.view, bottom_cell, bottom_axis, unknowns, size, w, right},
             (unknowns + kernel::ROWS - 1) / kernel::ROWS, kernel::THREADS);
  settle(l, turns);
}

inline void mus_device_turned::invert_bottom(int turns) {
  int panels = size / MUS_SLICE;
  run.clear(state, sizeof *state);
  run.launch(mus_turned_columns_kernel{level[levels - 1].view, bottom_cell, bottom_axis, unknowns, size, turns, w},
             size, mus_turned_columns_kernel::THREADS);
  for (int k = 0; k < panels; ++k) {
    run.launch(mus_panel_kernel{w, size, k, panel_row, panel_column, state}, panels, mus_panel_kernel::THREADS);
    run.launch(mus_panel_update_kernel{w, size, k, panel_row, panel_column}, panels * panels,
               mus_panel_update_kernel::THREADS);
  }
}

inline void mus_device_turned::cycle_from(int k, int turns) {
  mus_turned_level_there &fine = level[k];
  if (k + 1 == levels) {
    solve_bottom(fine, turns);
    return;
  }
  mus_turned_level_there &coarse = level[k + 1];
  sweep(fine, turns, false);
  pull(fine, turns);
  launch_over(mus_turned_residual_kernel{fine.view}, fine.view.l.cells);
  launch_over(mus_lattice_restrict_kernel<double>{fine.view.l, coarse.view.l}, coarse.view.l.cells);
  let_go(coarse);
  for (int visit = 0; visit < (k + 2 < levels ? visits : 1); ++visit)
    cycle_from(k + 1, turns);
  launch_over(mus_turned_extend_kernel<true>{coarse.view, coarse.outer, coarse.outer_count}, coarse.outer_count);
  launch_over(mus_turned_extend_kernel<false>{coarse.view, coarse.outer, coarse.outer_count}, coarse.outer_count);
  launch_over(mus_lattice_prolong_kernel<double>{fine.view.l, coarse.view.l}, fine.view.l.cells);
  launch_over(mus_lattice_partial_kernel<double>{fine.view.l, coarse.view.l, fine.partial, fine.partial_count},
              fine.partial_count);
  pull(fine, turns);
  sweep(fine, turns, true);
}

inline void mus_device_turned::run_cycle(int turns) {
  run.clear(level[0].view.l.x[0], 4 * level[0].field * sizeof(double));
  let_go(level[0]);
  cycle_from(0, turns);
}

// --- stages ----------------------------------------------------------------------------------------------------------

// Where turning cells takes the definiteness of the coarsest level, it is solved without.
inline mus_status mus_device_turned::renew(const mus_stage_turned_numbers *from, int turns,
                                           mus_stage_failure *failure) {
  for (int k = 0; k < levels; ++k) {
    size_t cells = (size_t)level[k].view.l.cells;
    if (k == 0)
      run.pin(from[k].numbers, MUS_TURNED_NUMBERS * cells * sizeof(double));
    run.put(from[k].numbers, MUS_TURNED_NUMBERS * cells, level[k].numbers);
    run.put(from[k].inverses, MUS_TURNED_INVERSES * cells, level[k].inverses);
  }
  turned = turns != 0;
  mus_level_state found = {};
  for (int way = turned; way >= 0; --way) {
    run.play(bottom[way]);
    run.get(state, 1, &found);
    if (run.status() || !found.failed)
      return run.status();
  }
  snprintf(failure->text, sizeof failure->text, "the coarsest level of a lattice is not positive definite");
  return MUS_BREAKDOWN;
}

inline void mus_device_turned::cycle(const double *b, double *x, double *seconds) {
  size_t numbers = 4 * level[0].field;
  run.pin(b, numbers * sizeof *b);
  run.pin(x, numbers * sizeof *x);
  run.put(b, numbers, level[0].view.l.b[0]);
  run.mark(0);
  run.play(one_cycle[turned]);
  run.mark(1);
  run.get(level[0].view.l.x[0], numbers, x);
  *seconds = run.between(0, 1);
}

static mus_status mus_turned_told(const mus_device_turned *turned, mus_stage_failure *failure) {
  if (turned->run.status())
    turned->run.explain(failure);
  return turned->run.status();
}

static mus_status mus_turned_create_stage(mus_device *, const mus_stage_turned *d, mus_device_turned **out,
                                          mus_stage_failure *failure) {
  mus_device_turned *turned = nullptr;
  mus_status status;
  *out = nullptr;
  try {
    turned = new mus_device_turned(*d);
    turned->make(*d);
    status = mus_turned_told(turned, failure);
  } catch (const std::bad_alloc &) {
    snprintf(failure->text, sizeof failure->text, "out of memory on the host");
    status = MUS_OUT_OF_MEMORY;
  }
  if (status)
    delete turned;
  else
    *out = turned;
  return status;
}

static void mus_turned_free_stage(mus_device_turned *turned) { delete turned; }

static size_t mus_turned_bytes_stage(const mus_device_turned *turned) { return turned->run.bytes(); }

static mus_status mus_turned_renew_stage(mus_device_turned *turned, const mus_stage_turned_numbers *numbers, int turns,
                                         mus_stage_failure *failure) {
  mus_status status = turned->renew(numbers, turns, failure);
  return turned->run.status() ? mus_turned_told(turned, failure) : status;
}

static mus_status mus_turned_cycle_stage(mus_device_turned *turned, const double *b, double *x, double *seconds,
                                         mus_stage_failure *failure) {
  turned->cycle(b, x, seconds);
  return mus_turned_told(turned, failure);
}

static const mus_turned_stages mus_turned_table = {mus_turned_create_stage, mus_turned_free_stage,
                                                   mus_turned_bytes_stage, mus_turned_renew_stage,
                                                   mus_turned_cycle_stage};

#endif
