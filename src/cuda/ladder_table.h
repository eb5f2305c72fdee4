// The stages of nested levels, and the table of them. See ladder_stages.h.
#ifndef MUS_CUDA_LADDER_TABLE_H
#define MUS_CUDA_LADDER_TABLE_H

#include "cuda/ladder_kernels.h"
#include "cuda/ladder_stages.h"
#include "cuda/minimise_table.h"

enum { MUS_LADDER_LEVELS = MUS_STAGES_LEVELS, MUS_LADDER_BOTTOM = 6144 };

struct mus_ladder_level {
  int nodes = 0, blocks = 0;
  std::vector<int> colour_start;
  // on the device; the finest level's matrix and vectors are the step's
  int *row_start = nullptr, *column = nullptr, *diagonal = nullptr, *ordered = nullptr;
  double *value = nullptr, *inverse = nullptr, *b = nullptr, *x = nullptr, *left = nullptr;
  // the way to the next coarser level
  int *carrier = nullptr, *back_start = nullptr, *back_node = nullptr, *product_start = nullptr;
  double *weight = nullptr, *back_weight = nullptr;
  mus_ladder_share *share = nullptr;
};

struct mus_device_ladder {
  mus_device_search *search;
  int levels = 0, sweeps = 0, size = 0;
  mus_ladder_level level[MUS_LADDER_LEVELS];
  int *held = nullptr;
  double *w = nullptr, *panel_row = nullptr, *panel_column = nullptr;
  mus_level_state *state = nullptr;
  mus_sequence renewal, correction[MUS_LADDER_LEVELS][2];

  explicit mus_device_ladder(mus_device_search *s) : search(s) {}
  ~mus_device_ladder() {
    mus_runtime &run = search->step->run;
    run.forget(&renewal);
    for (auto &both : correction)
      for (mus_sequence &s : both)
        run.forget(&s);
  }
  bool is_bottom(int k) const { return k + 1 == levels; }
  const int *held_on(int k) const { return k == 0 ? held : nullptr; }
};

// --- structure, made on the host -------------------------------------------------------------------------------------

struct mus_ladder_pattern {
  std::vector<int> row_start, column;
};

// What of a fine level goes to which coarse node.
struct mus_ladder_back {
  std::vector<int> start, node;
  std::vector<double> weight;
};

static mus_ladder_back mus_turn_rung(const mus_stage_rung &rung) {
  mus_ladder_back back;
  back.start.assign((size_t)rung.coarse + 1, 0);
  size_t entries = 3 * (size_t)rung.nodes;
  for (size_t e = 0; e < entries; ++e)
    if (rung.weight[e] != 0)
      ++back.start[(size_t)rung.carrier[e] + 1];
  mus_make_starts(&back.start);
  back.node.resize((size_t)back.start.back());
  back.weight.resize((size_t)back.start.back());
  std::vector<int> next(back.start.begin(), back.start.end() - 1);
  for (size_t e = 0; e < entries; ++e)
    if (rung.weight[e] != 0) {
      size_t to = (size_t)next[(size_t)rung.carrier[e]]++;
      back.node[to] = (int)(e / 3);
      back.weight[to] = rung.weight[e];
    }
  return back;
}

struct mus_ladder_product {
  mus_ladder_pattern pattern;
  std::vector<int> start;
  std::vector<mus_ladder_share> share;
};

// The pattern of P^T A P, row by row, and what its blocks are made of.
static mus_ladder_product mus_list_rung(const mus_ladder_pattern &a, const mus_stage_rung &rung,
                                        const mus_ladder_back &back) {
  struct entry {
    int column;
    mus_ladder_share share;
  };
  mus_ladder_product out;
  std::vector<entry> row;
  out.pattern.row_start.assign(1, 0);
  out.start.assign(1, 0);
  for (size_t i = 0; i < (size_t)rung.coarse; ++i) {
    row.clear();
    for (size_t s = (size_t)back.start[i]; s < (size_t)back.start[i + 1]; ++s)
      for (int k = a.row_start[(size_t)back.node[s]]; k < a.row_start[(size_t)back.node[s] + 1]; ++k)
        for (size_t e = 3 * (size_t)a.column[(size_t)k]; e < 3 * (size_t)a.column[(size_t)k] + 3; ++e)
          if (rung.weight[e] != 0)
            row.push_back(entry{rung.carrier[e], {(unsigned)k, (float)(back.weight[s] * rung.weight[e])}});
    std::stable_sort(row.begin(), row.end(), [](const entry &l, const entry &r) { return l.column < r.column; });
    if (row.empty()) // a node that carries nothing has a diagonal all the same
      row.push_back(entry{(int)i, {0, 0}});
    for (size_t k = 0; k < row.size(); ++k) {
      if (k == 0 || row[k].column != row[k - 1].column) {
        if (k > 0)
          out.start.push_back((int)out.share.size());
        out.pattern.column.push_back(row[k].column);
      }
      out.share.push_back(row[k].share);
    }
    out.start.push_back((int)out.share.size());
    out.pattern.row_start.push_back((int)out.pattern.column.size());
  }
  return out;
}

// Nodes in the order of colours, greedily; no two of a colour share a block.
static std::vector<int> mus_colour_rows(const mus_ladder_pattern &a, std::vector<int> *start) {
  size_t nodes = a.row_start.size() - 1;
  std::vector<int> colour(nodes, -1), taken, order(nodes);
  int colours = 0;
  for (size_t i = 0; i < nodes; ++i) {
    taken.assign((size_t)colours + 1, 0);
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      if (colour[(size_t)a.column[(size_t)k]] >= 0)
        taken[(size_t)colour[(size_t)a.column[(size_t)k]]] = 1;
    int c = (int)(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    colour[i] = c;
    colours = std::max(colours, c + 1);
  }
  start->assign((size_t)colours + 1, 0);
  for (int c : colour)
    ++(*start)[(size_t)c + 1];
  mus_make_starts(start);
  std::vector<int> next(start->begin(), start->end() - 1);
  for (size_t i = 0; i < nodes; ++i)
    order[(size_t)next[(size_t)colour[i]]++] = (int)i;
  return order;
}

// --- making ----------------------------------------------------------------------------------------------------------

static void mus_place_ladder_level(mus_device_ladder *d, int k, const mus_ladder_pattern &a) {
  mus_device_step *s = d->search->step;
  mus_ladder_level &l = d->level[k];
  size_t nodes = a.row_start.size() - 1;
  l.nodes = (int)nodes;
  l.blocks = a.row_start.back();
  std::vector<int> diagonal(nodes);
  for (size_t i = 0; i < nodes; ++i)
    diagonal[i] =
        (int)(std::lower_bound(a.column.begin() + a.row_start[i], a.column.begin() + a.row_start[i + 1], (int)i) -
              a.column.begin());
  l.diagonal = mus_step_copy(s, diagonal);
  l.row_start = mus_step_copy(s, a.row_start);
  l.column = mus_step_copy(s, a.column);
  l.ordered = mus_step_copy(s, mus_colour_rows(a, &l.colour_start));
  l.inverse = mus_search_vector(s, 9 * nodes);
  l.left = mus_search_vector(s, 3 * nodes);
  l.value = k == 0 ? s->system.values : mus_search_vector(s, 9 * (size_t)l.blocks);
  l.b = k == 0 ? d->search->free_right : mus_search_vector(s, 3 * nodes);
  l.x = k == 0 ? s->system.change : mus_search_vector(s, 3 * nodes);
}

static void mus_place_rung(mus_device_ladder *d, int k, const mus_stage_rung &rung, mus_ladder_pattern *a) {
  mus_device_step *s = d->search->step;
  mus_ladder_level &l = d->level[k];
  size_t entries = 3 * (size_t)rung.nodes;
  mus_ladder_back back = mus_turn_rung(rung);
  mus_ladder_product product = mus_list_rung(*a, rung, back);
  l.carrier = mus_step_copy(s, std::vector<int>(rung.carrier, rung.carrier + entries));
  l.weight = mus_step_copy(s, std::vector<double>(rung.weight, rung.weight + entries));
  l.back_start = mus_step_copy(s, back.start);
  l.back_node = mus_step_copy(s, back.node);
  l.back_weight = mus_step_copy(s, back.weight);
  l.product_start = mus_step_copy(s, product.start);
  l.share = mus_step_copy(s, product.share);
  *a = std::move(product.pattern);
}

// --- sequences -------------------------------------------------------------------------------------------------------

static void mus_ladder_coarsen(mus_device_ladder *d, int k) {
  mus_device_step *s = d->search->step;
  mus_ladder_level &l = d->level[k], &next = d->level[k + 1];
  typedef mus_ladder_product_kernel product;
  s->run.launch(product{next.blocks, l.product_start, l.share, l.value, d->held_on(k), s->row, s->column, next.value},
                mus_step_blocks(3LL * next.blocks, product::THREADS), product::THREADS);
}

static void mus_record_ladder_renewal(mus_device_ladder *d) {
  mus_device_step *s = d->search->step;
  s->run.record(&d->renewal, [=] {
    typedef mus_mark_held_kernel mark;
    typedef mus_ladder_invert_kernel invert;
    s->run.clear(d->held, (size_t)s->nodes * sizeof *d->held);
    s->run.launch(mark{d->search->hold_count, d->search->hold, d->held}, mus_step_blocks(s->nodes, mark::THREADS),
                  mark::THREADS);
    for (int k = 0; k < d->levels; ++k) {
      mus_ladder_level &l = d->level[k];
      if (k > 0)
        mus_ladder_coarsen(d, k - 1);
      s->run.launch(invert{l.nodes, l.diagonal, d->held_on(k), l.value, l.inverse},
                    mus_step_blocks(l.nodes, invert::THREADS), invert::THREADS);
    }
    const mus_ladder_level &l = d->level[d->levels - 1];
    typedef mus_ladder_dense_kernel dense;
    s->run.launch(dense{l.row_start, l.column, l.diagonal, l.value, l.nodes, d->size, d->w}, d->size, dense::THREADS);
    int panels = d->size / MUS_SLICE;
    for (int k = 0; k < panels; ++k) {
      s->run.launch(mus_panel_kernel{d->w, d->size, k, d->panel_row, d->panel_column, d->state}, panels,
                    mus_panel_kernel::THREADS);
      s->run.launch(mus_panel_update_kernel{d->w, d->size, k, d->panel_row, d->panel_column}, panels * panels,
                    mus_panel_update_kernel::THREADS);
    }
  });
}

static void mus_ladder_sweep(mus_device_ladder *d, int k, bool backward) {
  mus_ladder_level &l = d->level[k];
  int colours = (int)l.colour_start.size() - 1;
  typedef mus_relax_kernel relax;
  for (int n = 0; n < d->sweeps * colours; ++n) {
    size_t c = (size_t)(backward ? colours - 1 - n % colours : n % colours);
    int first = l.colour_start[c], count = l.colour_start[c + 1] - first;
    d->search->step->run.launch(relax{count, l.ordered + first, l.row_start, l.column, l.value, l.inverse, l.b, l.x},
                                mus_step_blocks(count, relax::THREADS), relax::THREADS);
  }
}

static void mus_ladder_down(mus_device_ladder *d, int k, const double *from) {
  const mus_ladder_level &l = d->level[k], &next = d->level[k + 1];
  typedef mus_ladder_restrict_kernel kernel;
  d->search->step->run.launch(kernel{3 * next.nodes, l.back_start, l.back_node, l.back_weight, from, next.b},
                              mus_step_blocks(3LL * next.nodes, kernel::THREADS), kernel::THREADS);
}

template <bool ADD> static void mus_ladder_up(mus_device_ladder *d, int k) {
  const mus_ladder_level &l = d->level[k], &next = d->level[k + 1];
  typedef mus_ladder_prolong_kernel<ADD> kernel;
  d->search->step->run.launch(kernel{3 * l.nodes, l.carrier, l.weight, d->held_on(k), next.x, l.x},
                              mus_step_blocks(3LL * l.nodes, kernel::THREADS), kernel::THREADS);
}

// x for b of a level, from zero.
static void mus_ladder_cycle(mus_device_ladder *d, int k, bool smooth_only) {
  mus_device_step *s = d->search->step;
  mus_ladder_level &l = d->level[k];
  if (d->is_bottom(k)) {
    typedef mus_ladder_bottom_kernel bottom;
    s->run.launch(bottom{d->w, d->size, 3 * l.nodes, l.b, l.x}, mus_step_blocks(3LL * l.nodes, bottom::ROWS),
                  bottom::THREADS);
    return;
  }
  s->run.clear(l.x, 3 * (size_t)l.nodes * sizeof *l.x);
  mus_ladder_sweep(d, k, false);
  if (!smooth_only) {
    typedef mus_ladder_residual_kernel residual;
    s->run.launch(residual{l.nodes, l.row_start, l.column, d->held_on(k), l.value, l.b, l.x, l.left},
                  mus_step_blocks(l.nodes, residual::THREADS), residual::THREADS);
    mus_ladder_down(d, k, l.left);
    mus_ladder_cycle(d, k + 1, false);
    mus_ladder_up<true>(d, k);
  }
  mus_ladder_sweep(d, k, true);
}

static void mus_record_corrections(mus_device_ladder *d) {
  for (int level = 0; level < d->levels; ++level)
    for (int smooth_only = 0; smooth_only < 2; ++smooth_only)
      d->search->step->run.record(&d->correction[level][smooth_only], [=] {
        for (int k = 0; k < level; ++k)
          mus_ladder_down(d, k, d->level[k].b);
        mus_ladder_cycle(d, level, smooth_only != 0);
        for (int k = level - 1; k >= 0; --k)
          mus_ladder_up<false>(d, k);
      });
}

// --- stages ----------------------------------------------------------------------------------------------------------

static mus_status mus_make_ladder(mus_device_ladder *d, int rungs, const mus_stage_rung *rung,
                                  const mus_ladder_pattern &finest) {
  mus_device_step *s = d->search->step;
  mus_ladder_pattern a = finest;
  d->levels = rungs + 1;
  mus_place_ladder_level(d, 0, a);
  for (int k = 0; k < rungs; ++k) {
    mus_place_rung(d, k, rung[k], &a);
    mus_place_ladder_level(d, k + 1, a);
  }
  d->size = mus_step_blocks(3LL * d->level[rungs].nodes, MUS_SLICE) * MUS_SLICE;
  size_t size = (size_t)d->size;
  d->held = s->run.take<int>((size_t)s->nodes);
  d->w = s->run.take<double>(size * size);
  d->panel_row = s->run.take<double>(size * MUS_SLICE);
  d->panel_column = s->run.take<double>(size * MUS_SLICE);
  d->state = s->run.take<mus_level_state>(1);
  s->run.clear(d->state, sizeof *d->state);
  if (s->run.status())
    return s->run.status();
  mus_record_ladder_renewal(d);
  mus_record_corrections(d);
  s->run.wait();
  return s->run.status();
}

static mus_status mus_ladder_create_stage(mus_device_search *search, int rungs, const mus_stage_rung *rung, int sweeps,
                                          mus_device_ladder **out, mus_stage_failure *failure) {
  mus_device_step *s = search->step;
  if (rungs < 0 || rungs >= MUS_LADDER_LEVELS || (rungs > 0 && rung[0].nodes != s->nodes) || sweeps < 1)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "these levels are not of this model");
  if (3 * (rungs > 0 ? rung[rungs - 1].coarse : s->nodes) > MUS_LADDER_BOTTOM)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "the coarsest level is too large for the device's inverse");
  mus_device_ladder *d = nullptr;
  mus_status status;
  try {
    mus_ladder_pattern finest;
    finest.row_start.resize((size_t)s->nodes + 1);
    finest.column.resize((size_t)s->blocks);
    s->run.get((const int *)s->row_start, finest.row_start.size(), finest.row_start.data());
    s->run.get((const int *)s->column, finest.column.size(), finest.column.data());
    d = new mus_device_ladder(search);
    d->sweeps = sweeps;
    status = s->run.status() ? s->run.status() : mus_make_ladder(d, rungs, rung, finest);
    mus_step_told(s, failure);
  } catch (const std::bad_alloc &) {
    status = mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  if (status)
    delete d;
  else
    *out = d;
  return status;
}

static void mus_ladder_free_stage(mus_device_ladder *d) { delete d; }

static mus_status mus_ladder_renew_stage(mus_device_ladder *d, mus_stage_failure *failure) {
  d->search->step->run.play(d->renewal);
  return mus_step_told(d->search->step, failure);
}

// In blocks of the finest matrix; the inverse at the bottom counts as a pass over its pattern.
static double mus_ladder_work(const mus_device_ladder *d, int level, int smooth_only) {
  double work = 0;
  for (int k = level; k < (smooth_only ? level + 1 : d->levels); ++k)
    work += (double)d->level[k].blocks * (d->is_bottom(k) ? 1 : 2 * d->sweeps + !smooth_only);
  return work / d->level[0].blocks;
}

static mus_status mus_ladder_correct_stage(mus_device_ladder *d, int level, int smooth_only, double *work,
                                           mus_stage_failure *failure) {
  if (level < 0 || level >= d->levels)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "there is no such level");
  *work = mus_ladder_work(d, level, smooth_only);
  d->search->step->run.play(d->correction[level][smooth_only != 0]);
  return mus_step_told(d->search->step, failure);
}

static const mus_ladder_stages mus_ladder_table = {mus_ladder_create_stage, mus_ladder_free_stage,
                                                   mus_ladder_renew_stage, mus_ladder_correct_stage};

#endif
