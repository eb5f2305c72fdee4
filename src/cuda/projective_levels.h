// Levels of affine handles on the device, in one precision: their memory, their numbers, the cycle. See
// projective_stages.h and handle_kernels.h.
#ifndef MUS_CUDA_PROJECTIVE_LEVELS_H
#define MUS_CUDA_PROJECTIVE_LEVELS_H

#include <algorithm>
#include <vector>

#include "cuda/handle_kernels.h"
#include "cuda/projective_stages.h"
#include "cuda/projective_touch.h"
#include "cuda/renew_kernels.h"
#include "cuda/runtime.h"

template <class real> struct mus_device_handles {
  int nodes = 0, width = 0, sweeps = 0, passes = 0;
  std::vector<int> colour_start;
  // links: in slices on the finest level, by rows on others
  mus_shared_links<real> sliced = {};
  mus_handle_links<real> rows = {};
  std::vector<size_t> slot; // finest: where each link lies
  size_t values = 0;
  real *value = nullptr;
  // between levels
  int *owner = nullptr, *child_start = nullptr, *child = nullptr;
  real *transfer = nullptr, *child_transfer = nullptr;
  // the diagonal
  double *diagonal = nullptr, *given = nullptr; // D, and what is added to it
  int *place = nullptr, *block_node = nullptr;
  int *base = nullptr;     // places of what the host gives; those of all unless there are bodies
  std::vector<int> placed; // the host's copy of these
  mus_lifts lifts = {};
  real *own = nullptr, *inverse = nullptr, *block = nullptr, *block_inverse = nullptr;
  real *coefficient = nullptr; // alpha and beta of passes
  real *x = nullptr, *b = nullptr, *other = nullptr;

  mus_handle_diagonal<real> whole() const { return {own, inverse, place, block, block_inverse}; }
};

template <class real> struct mus_device_levels {
  mus_runtime *run = nullptr;
  std::vector<mus_device_handles<real>> level;
  // the bottom: its matrix, which becomes its inverse, and that in the cycle's precision
  int rows = 0, size = 0;
  double *base = nullptr; // its matrix without touches; NULL: there are no bodies
  double *w = nullptr, *panel_row = nullptr, *panel_column = nullptr;
  mus_level_state *state = nullptr;
  real *bottom = nullptr;
  mus_sequence inversion;

  ~mus_device_levels() {
    if (run)
      run->forget(&inversion);
  }
};

inline int mus_handle_blocks(long long threads, int at_once) { return (int)((threads + at_once - 1) / at_once); }

// The function for nodes of width 1 or of width 4.
template <class function> void mus_with_width(int width, function f) {
  if (width == 1)
    f(std::integral_constant<int, 1>());
  else
    f(std::integral_constant<int, 4>());
}

// --- making ----------------------------------------------------------------------------------------------------------

template <class number> number *mus_handles_copy(mus_runtime &run, const std::vector<number> &from) {
  number *to = run.take_copy(from);
  run.wait(); // the vector goes
  return to;
}

template <class real>
void mus_make_slices_of(mus_runtime &run, const mus_stage_pattern &p, mus_device_handles<real> *l) {
  int slices = mus_handle_blocks(p.rows, MUS_HANDLE_SLICE);
  std::vector<int> base((size_t)slices + 1, 0), length((size_t)p.rows);
  for (int i = 0; i < p.rows; ++i)
    length[(size_t)i] = p.row_start[i + 1] - p.row_start[i];
  for (int s = 0; s < slices; ++s) {
    int first = s * MUS_HANDLE_SLICE, last = std::min(p.rows, first + MUS_HANDLE_SLICE);
    base[(size_t)s + 1] = base[(size_t)s] + *std::max_element(length.begin() + first, length.begin() + last);
  }
  l->values = (size_t)base[(size_t)slices] * MUS_HANDLE_SLICE;
  std::vector<int> column(l->values, 0);
  l->slot.resize((size_t)p.row_start[p.rows]);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      size_t at = ((size_t)base[(size_t)(i / MUS_HANDLE_SLICE)] + (size_t)(k - p.row_start[i])) * MUS_HANDLE_SLICE +
                  (size_t)(i % MUS_HANDLE_SLICE);
      l->slot[(size_t)k] = at;
      column[at] = p.column[k];
    }
  l->value = run.take<real>(l->values + 1);
  l->sliced = {mus_handles_copy(run, base), mus_handles_copy(run, length), mus_handles_copy(run, column), l->value};
}

template <class real> void mus_make_rows_of(mus_runtime &run, const mus_stage_pattern &p, mus_device_handles<real> *l) {
  size_t links = (size_t)p.row_start[p.rows];
  l->values = 16 * links;
  l->value = run.take<real>(l->values + 1);
  l->rows = {mus_handles_copy(run, std::vector<int>(p.row_start, p.row_start + p.rows + 1)),
             mus_handles_copy(run, std::vector<int>(p.column, p.column + links)), l->value};
}

// Transfers by node, and by child.
template <class real>
void mus_make_transfers(mus_runtime &run, const mus_projective_level &from, int handles, mus_device_handles<real> *l) {
  size_t each = (size_t)(4 * from.width), nodes = (size_t)from.nodes;
  std::vector<real> by_node(nodes * each), by_child(nodes * each);
  for (size_t k = 0; k < by_node.size(); ++k)
    by_node[k] = (real)from.transfer[k];
  for (size_t k = 0; k < nodes; ++k)
    for (size_t e = 0; e < each; ++e)
      by_child[k * each + e] = by_node[(size_t)from.child[k] * each + e];
  l->transfer = mus_handles_copy(run, by_node);
  l->child_transfer = mus_handles_copy(run, by_child);
  l->owner = mus_handles_copy(run, std::vector<int>(from.owner, from.owner + from.nodes));
  l->child = mus_handles_copy(run, std::vector<int>(from.child, from.child + from.nodes));
  l->child_start = mus_handles_copy(run, std::vector<int>(from.child_start, from.child_start + handles + 1));
}

template <class real>
void mus_make_handles(mus_runtime &run, const mus_projective_level &from, int handles, bool touches,
                      mus_device_handles<real> *l) {
  size_t nodes = (size_t)from.nodes, width = (size_t)from.width, square = width * width;
  l->nodes = from.nodes;
  l->width = from.width;
  for (real **v : {&l->x, &l->b, &l->other}) {
    *v = run.take<real>(nodes * width * 4);
    run.clear(*v, nodes * width * 4 * sizeof(real));
  }
  if (handles == 0) // the bottom
    return;
  l->sweeps = from.sweeps;
  l->passes = from.passes;
  l->colour_start.assign(from.colour_start, from.colour_start + from.colours + 1);
  if (from.width == 1)
    mus_make_slices_of(run, from.links, l);
  else
    mus_make_rows_of(run, from.links, l);
  mus_make_transfers(run, from, handles, l);
  l->diagonal = run.take<double>(nodes * square);
  l->given = run.take<double>(nodes * square * 9);
  l->block_node = run.take<int>(nodes);
  l->placed.assign(nodes, -1);
  l->place = l->base = mus_handles_copy(run, l->placed);
  if (touches) {
    l->base = mus_handles_copy(run, l->placed);
    l->lifts = {run.take<unsigned char>(nodes), run.take<double>(nodes * square * 9)};
    run.clear(l->lifts.is, nodes);
  }
  l->own = run.take<real>(nodes * square);
  l->inverse = run.take<real>(nodes * square);
  l->block = run.take<real>(nodes * square * 9);
  l->block_inverse = run.take<real>(nodes * square * 9);
  l->coefficient = run.take<real>(2 * MUS_PROJECTIVE_PASSES);
}

template <class real> void mus_launch_inversion(mus_device_levels<real> *l) {
  typedef mus_round_kernel<real> round;
  int panels = l->size / MUS_SLICE;
  size_t numbers = (size_t)l->size * (size_t)l->size;
  for (int k = 0; k < panels; ++k) {
    l->run->launch(mus_panel_kernel{l->w, l->size, k, l->panel_row, l->panel_column, l->state}, panels,
                   mus_panel_kernel::THREADS);
    l->run->launch(mus_panel_update_kernel{l->w, l->size, k, l->panel_row, l->panel_column}, panels * panels,
                   mus_panel_update_kernel::THREADS);
  }
  l->run->launch(round{numbers, l->w, l->bottom}, mus_handle_blocks((long long)numbers, round::THREADS),
                 round::THREADS);
}

template <class real>
void mus_make_levels(mus_runtime *run, const mus_projective_model &m, mus_device_levels<real> *l) {
  l->run = run;
  l->level.resize((size_t)m.levels);
  for (int k = 0; k < m.levels; ++k)
    mus_make_handles(*run, m.level[k], k + 1 < m.levels ? m.level[k + 1].nodes : 0, m.step.half != nullptr,
                     &l->level[(size_t)k]);
  l->rows = MUS_HANDLE_UNKNOWNS * m.level[m.levels - 1].nodes;
  l->size = mus_handle_blocks(l->rows, MUS_SLICE) * MUS_SLICE;
  size_t size = (size_t)l->size;
  l->w = run->take<double>(size * size);
  l->panel_row = run->take<double>(size * MUS_SLICE);
  l->panel_column = run->take<double>(size * MUS_SLICE);
  l->state = run->take<mus_level_state>(1);
  run->clear(l->state, sizeof *l->state);
  l->bottom = run->take<real>(size * size);
  if (m.step.half)
    l->base = run->take<double>(size * size);
  run->record(&l->inversion, [l] { mus_launch_inversion(l); });
}

// --- numbers ---------------------------------------------------------------------------------------------------------

template <class real> void mus_set_numbers(mus_device_levels<real> *levels, int k, const mus_projective_numbers &from) {
  mus_runtime &run = *levels->run;
  mus_device_handles<real> &l = levels->level[(size_t)k];
  std::vector<real> value(l.values + 1, 0), coefficient(2 * MUS_PROJECTIVE_PASSES, 0);
  if (l.width == 1)
    for (size_t e = 0; e < l.slot.size(); ++e)
      value[l.slot[e]] = (real)from.value[e];
  else
    for (size_t e = 0; e < l.values; ++e)
      value[e] = (real)from.value[e];
  for (size_t e = 0; e < (size_t)l.passes; ++e) {
    coefficient[2 * e] = (real)from.alpha[e];
    coefficient[2 * e + 1] = (real)from.beta[e];
  }
  run.put(value.data(), value.size(), l.value);
  run.put(coefficient.data(), coefficient.size(), l.coefficient);
  run.put(from.diagonal, (size_t)(l.nodes * l.width * l.width), l.diagonal);
  mus_with_width(l.width, [&](auto width) {
    typedef mus_handle_invert_kernel<real, width()> invert;
    run.launch(invert{l.nodes, l.diagonal, l.own, l.inverse}, mus_handle_blocks(l.nodes, invert::THREADS),
               invert::THREADS);
  });
  run.wait();
}

template <class real>
void mus_set_blocks_of(mus_device_levels<real> *levels, int k, const mus_projective_blocks &from) {
  mus_runtime &run = *levels->run;
  mus_device_handles<real> &l = levels->level[(size_t)k];
  std::fill(l.placed.begin(), l.placed.end(), -1);
  for (int n = 0; n < from.count; ++n)
    l.placed[(size_t)from.node[n]] = n;
  run.put(l.placed.data(), l.placed.size(), l.base);
  run.put(from.node, (size_t)from.count, l.block_node);
  run.put(from.value, (size_t)from.count * (size_t)(9 * l.width * l.width), l.given);
  mus_with_width(l.width, [&](auto width) {
    typedef mus_block_invert_kernel<real, width()> invert;
    if (!l.lifts.is) // else with every step
      run.launch(invert{from.count, l.block_node, l.diagonal, l.given, l.block, l.block_inverse},
                 mus_handle_blocks(from.count, invert::THREADS), invert::THREADS);
  });
  run.wait();
}

// With bodies, it is inverted in every step.
template <class real> mus_status mus_set_bottom(mus_device_levels<real> *l, const double *matrix) {
  size_t size = (size_t)l->size, rows = (size_t)l->rows;
  std::vector<double> w(size * size, 0);
  for (size_t r = 0; r < size; ++r) {
    if (r < rows)
      std::copy(matrix + r * rows, matrix + (r + 1) * rows, w.begin() + (std::ptrdiff_t)(r * size));
    else
      w[r * size + r] = 1;
  }
  mus_level_state state = {};
  if (l->base) {
    l->run->put(w.data(), w.size(), l->base);
    l->run->wait();
    return MUS_OK;
  }
  l->run->put(w.data(), w.size(), l->w);
  l->run->put(&state, 1, l->state);
  l->run->play(l->inversion);
  l->run->get(l->state, 1, &state);
  return state.failed ? MUS_BREAKDOWN : MUS_OK;
}

// --- the cycle -------------------------------------------------------------------------------------------------------

template <int MODE, class real>
void mus_run_rows(mus_device_levels<real> *levels, const mus_device_handles<real> &l, int from, int to, real *x,
                  real *out, int pass, mus_row_start start) {
  const real *coefficient = l.coefficient + 2 * pass;
  typedef mus_four<real> four;
  if (l.width == 1) {
    typedef mus_shared_row_kernel<real, MODE> kernel;
    levels->run->launch(
        kernel{from, to, l.sliced, l.whole(), (const four *)l.b, (four *)x, (four *)out, coefficient, start},
        mus_handle_blocks(to - from, kernel::NODES), kernel::THREADS);
  } else {
    typedef mus_handle_row_kernel<real, MODE> kernel;
    levels->run->launch(kernel{from, to, l.rows, l.whole(), l.b, x, out, coefficient, start},
                        mus_handle_blocks(to - from, kernel::NODES), kernel::THREADS);
  }
}

// Sweeps as affine_cycle_template.h has them, or passes; `x` and `other` change places with each of these.
template <class real>
void mus_run_smoother(mus_device_levels<real> *levels, const mus_device_handles<real> &l, bool from_zero, real **x,
                      real **other) {
  int colours = (int)l.colour_start.size() - 1;
  auto relax = [&](int c) {
    mus_run_rows<MUS_ROW_RELAX>(levels, l, l.colour_start[(size_t)c], l.colour_start[(size_t)c + 1], *x, *other, 0,
                                MUS_ROW_GIVEN);
  };
  if (l.sweeps > 0 && from_zero)
    levels->run->clear(*x, (size_t)(l.nodes * l.width) * 4 * sizeof(real));
  for (int s = 0; s < l.sweeps; ++s) {
    for (int c = s > 0; c < colours; ++c)
      relax(c);
    for (int c = colours - 2; c >= 0; --c)
      relax(c);
  }
  for (int pass = 0; pass < (l.sweeps > 0 ? 0 : l.passes); ++pass) {
    mus_row_start start = !from_zero || pass > 1 ? MUS_ROW_GIVEN : pass == 0 ? MUS_ROW_ZERO : MUS_ROW_SECOND;
    mus_run_rows<MUS_ROW_PASS>(levels, l, 0, l.nodes, *x, *other, pass, start);
    std::swap(*x, *other);
  }
}

template <class real> void mus_run_restriction(mus_device_levels<real> *levels, int k, real *residual) {
  const mus_device_handles<real> &l = levels->level[(size_t)k], &coarse = levels->level[(size_t)k + 1];
  mus_with_width(l.width, [&](auto width) {
    typedef mus_restrict_kernel<real, width()> kernel;
    levels->run->launch(kernel{l.child_start, l.child, l.child_transfer, (const mus_four<real> *)residual, coarse.b},
                        coarse.nodes, kernel::THREADS);
  });
}

template <class real> void mus_run_extension(mus_device_levels<real> *levels, int k, const real *e, real *x) {
  const mus_device_handles<real> &l = levels->level[(size_t)k];
  mus_with_width(l.width, [&](auto width) {
    typedef mus_extend_kernel<real, width()> kernel;
    int count = l.nodes * l.width;
    levels->run->launch(kernel{count, l.owner, l.transfer, (const mus_four<real> *)e, (mus_four<real> *)x},
                        mus_handle_blocks(count, kernel::THREADS), kernel::THREADS);
  });
}

// A cycle from zero for b of the finest level. Returns where its x is: always the same place.
template <class real> real *mus_run_cycle(mus_device_levels<real> *levels) {
  typedef mus_handle_bottom_kernel<real> bottom;
  size_t last = levels->level.size() - 1;
  std::vector<real *> x(last + 1), other(last + 1);
  for (size_t k = 0; k <= last; ++k) {
    x[k] = levels->level[k].x;
    other[k] = levels->level[k].other;
  }
  for (size_t k = 0; k < last; ++k) {
    const mus_device_handles<real> &l = levels->level[k];
    mus_run_smoother(levels, l, true, &x[k], &other[k]);
    mus_run_rows<MUS_ROW_RESIDUAL>(levels, l, 0, l.nodes, x[k], other[k], 0, MUS_ROW_GIVEN);
    mus_run_restriction(levels, (int)k, other[k]);
  }
  levels->run->launch(bottom{levels->rows, levels->size, levels->bottom, levels->level[last].b, x[last]},
                      mus_handle_blocks(levels->rows, bottom::ROWS), bottom::THREADS);
  for (size_t k = last; k-- > 0;) {
    mus_run_extension(levels, (int)k, x[k + 1], x[k]);
    mus_run_smoother(levels, levels->level[k], false, &x[k], &other[k]);
  }
  return x[0];
}

#endif
