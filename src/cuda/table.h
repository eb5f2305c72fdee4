// The stages' functions, and the table of them. See stages.h.
#ifndef MUS_CUDA_TABLE_H
#define MUS_CUDA_TABLE_H

#include <new>

#include "cuda/lattice_table.h"
#include "cuda/renewal.h"
#include "cuda/turned_table.h"

enum { MUS_BOTTOM_MOST = 2048, MUS_BUSY_THREADS = 150000 };

static mus_status mus_refuse(mus_stage_failure *failure, mus_status status, const char *text) {
  snprintf(failure->text, sizeof failure->text, "%s", text);
  return status;
}

static mus_status mus_no_memory(mus_stage_failure *failure) {
  return mus_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
}

static mus_status mus_told(const mus_device_solver *s, mus_stage_failure *failure) {
  if (s->run.status())
    s->run.explain(failure);
  return s->run.status();
}

// --- making ----------------------------------------------------------------------------------------------------------

// Threads for each scalar row of a matrix: more than one where there are too few rows to keep a device busy, and as
// many as its blocks are worth.
static int mus_parts_for(const mus_slices &s) {
  long long threads = (long long)s.slices * MUS_SLICE * s.block;
  double blocks = (double)s.base.back() / std::max(s.slices, 1); // in a row
  if (threads >= MUS_BUSY_THREADS)
    return 1;
  if (blocks <= 4 || threads >= MUS_BUSY_THREADS / 2)
    return 2;
  return blocks <= 16 || s.block > 3 ? 4 : 8;
}

static mus_device_matrix mus_place_matrix(mus_device_solver *s, const mus_slices &slices, int rows) {
  mus_device_matrix m;
  m.rows = rows;
  m.slices = slices.slices;
  m.block = slices.block;
  m.inner = slices.inner;
  m.values = slices.values();
  m.m.base = s->run.take_copy(slices.base);
  m.m.column = s->run.take_copy(slices.column);
  m.m.value = s->run.take<float>(m.values + 1);
  s->run.clear(m.m.value, m.values * sizeof(float));
  m.parts = mus_parts_for(slices);
  return m;
}

static float *mus_place_vector(mus_device_solver *s, const mus_device_level &l) {
  float *v = s->run.take<float>(l.padded());
  s->run.clear(v, l.padded() * sizeof *v);
  return v;
}

static void mus_place_level(mus_device_solver *s, int k, const mus_stage_level &from) {
  mus_device_level &l = s->level[k];
  l.rows = from.a.rows;
  l.block = from.block;
  l.slices = mus_slices_of(l.rows);
  l.passes = from.passes;
  std::copy(from.alpha, from.alpha + MUS_STAGES_PASSES, l.alpha);
  std::copy(from.beta, from.beta + MUS_STAGES_PASSES, l.beta);
  l.row_start.assign(from.a.row_start, from.a.row_start + l.rows + 1);
  l.row_start_there = s->run.take_copy(l.row_start);
  l.a_slices = mus_make_slices(from.a, l.block, l.block);
  l.a = mus_place_matrix(s, l.a_slices, l.rows);
  std::vector<int> diagonal((size_t)l.rows);
  for (int i = 0; i < l.rows; ++i)
    diagonal[(size_t)i] = mus_find(from.a, i, i);
  l.diagonal = s->run.take_copy(diagonal);
  size_t inverses = l.padded() * (size_t)l.block;
  l.inverse = s->run.take<float>(inverses);
  s->run.clear(l.inverse, inverses * sizeof(float));
  for (float **v : {&l.b, &l.x, &l.other, &l.left_over, &l.probe})
    *v = mus_place_vector(s, l);
}

// How P is made.
static void mus_place_grouping(mus_device_solver *s, int k, const mus_stage_level &from) {
  mus_device_level &l = s->level[k];
  mus_members members = mus_list_members(l.rows, from.grouping);
  mus_smooth_lists lists = mus_list_smoothing(from, l.a_slices, l.p_slices, l.pt_pattern, l.pt_slices);
  l.aggregates = from.grouping.aggregates;
  l.p_blocks = (int)lists.target.size();
  l.member_start = s->run.take_copy(members.start);
  l.member = s->run.take_copy(members.member);
  l.smooth_start = s->run.take_copy(lists.pairs.start);
  l.smooth_pair = s->run.take_copy(lists.pairs.pair);
  l.smooth_target = s->run.take_copy(lists.target);
  l.is_filtered = mus_is_filtered(from.grouping);
  if (l.is_filtered) {
    l.aggregate = s->run.take_copy(std::vector<int>(from.grouping.aggregate, from.grouping.aggregate + l.rows));
    l.weak_start = s->run.take_copy(lists.weak.start);
    l.weak_pair = s->run.take_copy(lists.weak.pair);
  }
  s->run.wait(); // the lists go
}

// The near-null spaces of all levels, and what a prolongator is made of for one.
static void mus_place_kernels(mus_device_solver *s) {
  size_t most = 0, weak = 0, scaled = 0;
  for (int k = 0; k < s->levels && s->levels > 1; ++k) {
    mus_device_level &l = s->level[k];
    int count = s->level[0].coarse_block;
    size_t numbers = (size_t)l.rows * (size_t)(l.block * count);
    l.kernel = s->run.take<double>(numbers);
    if (s->is_bottom(k))
      continue;
    most = std::max(most, numbers);
    weak = std::max(weak, l.is_filtered ? numbers : 0);
    scaled = std::max(scaled, l.is_filtered ? l.padded() * (size_t)l.block : 0);
    if (s->kernel_sweeps > 0)
      l.relaxed = s->run.take<double>(numbers);
  }
  s->tentative = s->run.take<float>(most + 1);
  s->weak = s->run.take<float>(weak + 1);
  s->scaled = s->run.take<float>(scaled + 1);
  s->frame = s->run.take<mus_frame>(1);
}

// P, P^T and the lists that lead to the next level.
static void mus_place_product(mus_device_solver *s, int k, const mus_stage_hierarchy &h, size_t *ap_most) {
  const mus_stage_level &from = h.level[k], &next = h.level[k + 1];
  mus_device_level &l = s->level[k];
  l.coarse_block = next.block;
  l.p_start.assign(from.p.row_start, from.p.row_start + from.p.rows + 1);
  l.pt_pattern = mus_turn(from.p);
  mus_stage_pattern pt = {from.p.columns, from.p.rows, l.pt_pattern.row_start.data(), l.pt_pattern.column.data()};
  l.p_slices = mus_make_slices(from.p, l.block, l.coarse_block);
  l.pt_slices = mus_make_slices(pt, l.coarse_block, l.block);
  l.p = mus_place_matrix(s, l.p_slices, from.p.rows);
  l.pt = mus_place_matrix(s, l.pt_slices, from.p.columns);
  mus_product_lists lists;
  size_t size = (size_t)(l.block * l.coarse_block);
  mus_list_first(from.a, l.a_slices, from.p, size, &lists);
  mus_list_second(size, l.pt_pattern, next.a, s->level[k + 1].a_slices, &lists);
  l.ap_blocks = (int)lists.ap_column.size();
  l.coarse_blocks = (int)lists.target.size();
  l.first_start = s->run.take_copy(lists.first.start);
  l.first_pair = s->run.take_copy(lists.first.pair);
  l.second_start = s->run.take_copy(lists.second.start);
  l.second_pair = s->run.take_copy(lists.second.pair);
  l.target = s->run.take_copy(lists.target);
  s->run.wait(); // the lists go
  *ap_most = std::max(*ap_most, (size_t)l.ap_blocks * size);
  l.flat = s->run.take<float>((size_t)from.p.row_start[from.p.rows] * size + 1);
  mus_place_grouping(s, k, from);
}

static void mus_place_rest(mus_device_solver *s, size_t ap_most) {
  mus_device_level &finest = s->level[0], &bottom = s->level[s->levels - 1];
  size_t n = finest.padded(), wide = finest.a_slices.values();
  s->unknowns = (size_t)finest.rows * (size_t)finest.block;
  finest.wide = {finest.a.m.base, finest.a.m.column, s->run.take<double>(wide)};
  s->run.clear(finest.wide.value, wide * sizeof(double));
  s->ap = s->run.take<float>(ap_most + 1);
  s->given_there = s->run.take<mus_given>(1);
  s->state = s->run.take<mus_level_state>(MUS_STAGES_LEVELS);
  s->run.clear(s->state, MUS_STAGES_LEVELS * sizeof *s->state);
  s->cg = s->run.take<mus_cg_state>(1);
  s->run.clear(s->cg, sizeof *s->cg);
  s->residual = s->run.take<double>((size_t)s->iterations_most + 1);
  s->run.clear(s->residual, ((size_t)s->iterations_most + 1) * sizeof *s->residual);
  for (double *&v : s->partial)
    v = s->run.take<double>((size_t)finest.slices);
  for (double **v : {&s->right, &s->x, &s->r, &s->p, &s->q, &s->shift}) {
    *v = s->run.take<double>(n);
    s->run.clear(*v, n * sizeof **v);
  }
  s->bottom_size = mus_blocks_for((long long)bottom.rows * bottom.block, MUS_SLICE) * MUS_SLICE;
  size_t size = (size_t)s->bottom_size;
  s->w = s->run.take<double>(size * size);
  s->panel_row = s->run.take<double>(size * MUS_SLICE);
  s->panel_column = s->run.take<double>(size * MUS_SLICE);
}

static mus_status mus_check_hierarchy(const mus_stage_hierarchy &h, mus_stage_failure *failure) {
  const mus_stage_level &bottom = h.level[h.levels - 1];
  for (int k = 0; k < h.levels; ++k) {
    const mus_stage_level &l = h.level[k];
    if (l.block != 3 && l.block != 6)
      return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, nodes have 3 or 6 unknowns");
    if (k > 0 && l.block < h.level[k - 1].block)
      return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, coarser nodes have at least as many unknowns");
    if (k > 1 && l.block != h.level[1].block)
      return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, all coarser nodes have as many unknowns");
  }
  if ((long long)bottom.a.rows * bottom.block > MUS_BOTTOM_MOST)
    return mus_refuse(failure, MUS_UNSUPPORTED, "the coarsest level is too large for the device's direct solution");
  double numbers = 2.0 * h.level[0].a.row_start[h.level[0].a.rows] * h.level[0].block * h.level[0].block;
  return numbers < 4e9 ? MUS_OK
                       : mus_refuse(failure, MUS_UNSUPPORTED, "the matrix is too large for the device's lists");
}

static mus_status mus_make(const mus_stage_hierarchy &h, mus_device_solver *s) {
  size_t ap_most = 0;
  if (s->run.open())
    return s->run.status();
  for (int k = 0; k < h.levels; ++k)
    mus_place_level(s, k, h.level[k]);
  for (int k = 0; k + 1 < h.levels; ++k)
    mus_place_product(s, k, h, &ap_most);
  mus_place_rest(s, ap_most);
  mus_place_kernels(s);
  if (s->run.status())
    return s->run.status();
  s->run.wait();
  return s->run.status();
}

static mus_status mus_create_stage(mus_device *device, const mus_stage_hierarchy *h, mus_device_solver **out,
                                   mus_stage_failure *failure) {
  (void)device;
  mus_status status = mus_check_hierarchy(*h, failure);
  if (status)
    return status;
  mus_device_solver *s = nullptr;
  try {
    s = new mus_device_solver(*h);
    status = mus_make(*h, s);
    mus_told(s, failure);
  } catch (const std::bad_alloc &) {
    status = mus_no_memory(failure);
  }
  if (status)
    delete s;
  else
    *out = s;
  return status;
}

static void mus_free_stage(mus_device_solver *s) { delete s; }

static size_t mus_bytes_stage(const mus_device_solver *s) { return s->run.bytes(); }

// --- numbers ---------------------------------------------------------------------------------------------------------

static mus_status mus_start_stage(mus_device_solver *s, const mus_stage_spectrum *spectrum,
                                  mus_stage_failure *failure) {
  for (int k = 0; !s->is_bottom(k); ++k) {
    mus_device_level &l = s->level[k];
    mus_level_state state = {};
    state.radius = state.now = spectrum[k].radius;
    state.growth = spectrum[k].growth;
    state.inverse = 1 / state.now;
    s->run.put(spectrum[k].probe, (size_t)l.rows * (size_t)l.block, l.probe);
    s->run.put(&state, 1, s->state + k);
    s->run.wait();
  }
  return mus_told(s, failure);
}

enum { MUS_MARK_BEGIN, MUS_MARK_UPLOADED, MUS_MARK_RENEW, MUS_MARK_RENEWED, MUS_MARK_SOLVE, MUS_MARK_SOLVED };

static mus_status mus_wait_for_stage(mus_device_solver *s, void *stream, mus_stage_failure *failure) {
  s->run.wait_for(stream);
  return mus_told(s, failure);
}

// Numbers where kernels may read them: the device's own, or a copy in `room`, which is made where there is none.
static const double *mus_bring(mus_device_solver *s, const double *from, size_t count, double **room) {
  if (s->run.is_there(from))
    return from;
  if (!*room)
    *room = s->run.take<double>(count);
  s->run.put(from, count, *room);
  return *room;
}

static mus_status mus_set_kernel_stage(mus_device_solver *s, mus_stage_kernel kind, const double *numbers,
                                       mus_stage_failure *failure) {
  size_t rows = (size_t)s->level[0].rows;
  size_t count = kind == MUS_STAGE_CONSTANT    ? 0
                 : kind == MUS_STAGE_POSITIONS ? 3 * rows
                                               : 3 * rows * (size_t)s->level[0].coarse_block;
  if (count > s->motions) {
    s->motion = nullptr;
    s->motions = count;
  }
  if (kind != s->kernel_kind)
    s->forget_renewals();
  s->kernel_kind = kind;
  s->given.motion = count > 0 ? mus_bring(s, numbers, count, &s->motion) : nullptr;
  s->run.wait();
  s->has_kernel = 1;
  return mus_told(s, failure);
}

static mus_status mus_set_held_stage(mus_device_solver *s, const mus_stage_held *held, mus_stage_failure *failure) {
  size_t rows = (size_t)s->level[0].rows, count = (size_t)held->count;
  s->given.held = nullptr;
  if (count == 0)
    return MUS_OK;
  if (s->level[0].block != 3)
    return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, what is held are nodes with 3 unknowns");
  try {
    std::vector<int> place(rows, -1);
    for (size_t k = 0; k < count; ++k)
      place[(size_t)held->node[k]] = (int)k;
    if (!s->held)
      s->held = s->run.take<int>(rows);
    if (count > s->held_most) {
      s->held_most = count + count / 2;
      s->projection = s->run.take<double>(9 * s->held_most);
      s->target = s->run.take<double>(3 * s->held_most);
    }
    s->run.put(place.data(), rows, s->held);
    s->run.put(held->projection, 9 * count, s->projection);
    s->run.put(held->target, 3 * count, s->target);
    s->run.wait();
  } catch (const std::bad_alloc &) {
    return mus_no_memory(failure);
  }
  s->given.held = s->held;
  s->given.projection = s->projection;
  s->given.target = s->target;
  return mus_told(s, failure);
}

// Vectors of the smoother around the cycle.
static void mus_place_smoother_around(mus_device_solver *s) {
  auto &e = s->across;
  size_t n = s->level[0].padded();
  for (float **v : {&e.b, &e.x, &e.step, &e.change, &e.residual}) {
    if (*v)
      continue;
    *v = s->run.take<float>(n);
    s->run.clear(*v, n * sizeof **v);
  }
}

// Room for couplings; graphs are recorded anew where it changes.
static void mus_place_couplings(mus_device_solver *s, int count, size_t blocks) {
  size_t rows = (size_t)s->level[0].rows;
  if (!s->place) {
    mus_place_smoother_around(s);
    s->place = s->run.take<int>(rows);
    s->pulled = s->run.take<double>(s->level[0].padded());
    s->pulled_f = s->run.take<float>(s->level[0].padded());
  }
  if (count > s->touched_most) {
    s->touched_most = count + count / 2;
    s->touched = s->run.take<int>((size_t)s->touched_most);
    s->coupling_start = s->run.take<int>((size_t)s->touched_most + 1);
    s->pull = s->run.take<double>(3 * (size_t)s->touched_most);
    s->has_solve = 0;
    s->forget_renewals();
  }
  if (blocks > s->coupling_most) {
    s->coupling_most = blocks + blocks / 2;
    s->coupling_column = s->run.take<int>(s->coupling_most);
    s->coupling = s->run.take<double>(9 * s->coupling_most);
  }
}

static mus_status mus_set_couplings_stage(mus_device_solver *s, const mus_stage_couplings *c,
                                          mus_stage_failure *failure) {
  if ((c->count > 0) != (s->given.coupled > 0)) {
    s->has_solve = 0;
    s->forget_renewals();
  }
  s->given.coupled = c->count;
  if (c->count == 0)
    return MUS_OK;
  if (s->level[0].block != 3)
    return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, couplings are between nodes with 3 unknowns");
  try {
    size_t count = (size_t)c->count, blocks = (size_t)c->row_start[c->count];
    std::vector<int> place((size_t)s->level[0].rows, -1);
    for (size_t k = 0; k < count; ++k)
      place[(size_t)c->node[k]] = (int)k;
    mus_place_couplings(s, c->count, blocks);
    s->run.clear(s->pulled, s->level[0].padded() * sizeof *s->pulled);
    s->run.clear(s->pulled_f, s->level[0].padded() * sizeof *s->pulled_f);
    s->run.put(place.data(), place.size(), s->place);
    s->run.put(c->node, count, s->touched);
    s->run.put(c->row_start, count + 1, s->coupling_start);
    s->run.put(c->column, blocks, s->coupling_column);
    s->run.put(c->values, 9 * blocks, s->coupling);
    s->run.put(c->pull, 3 * count, s->pull);
    s->run.wait();
  } catch (const std::bad_alloc &) {
    s->given.coupled = 0;
    return mus_no_memory(failure);
  }
  s->given.touched = s->touched;
  s->given.place = s->place;
  s->given.start = s->coupling_start;
  s->given.column = s->coupling_column;
  s->given.coupling = s->coupling;
  s->given.pull = s->pull;
  s->given.radius = c->radius;
  return mus_told(s, failure);
}

// Room for equalities; graphs are recorded anew where it changes.
static void mus_place_equalities(mus_device_solver *s, const mus_stage_equalities &from) {
  auto &e = s->across;
  size_t n = s->level[0].padded(), incident = (size_t)from.start[from.touched];
  mus_place_smoother_around(s);
  if (!e.offset)
    e.offset = s->run.take<double>(n);
  if (from.rows > e.rows_most) {
    e.rows_most = from.rows + from.rows / 2;
    size_t rows = (size_t)e.rows_most;
    for (int **v : {&e.count, &e.first, &e.size})
      *v = s->run.take<int>(rows);
    e.node = s->run.take<int>(MUS_ACROSS_NODES * rows);
    e.direction = s->run.take<double>(3 * MUS_ACROSS_NODES * rows);
    e.place = s->run.take<unsigned>(rows);
    e.multiplier = s->run.take<double>(rows);
    e.solved = s->run.take<double>(rows);
    s->has_solve = 0;
  }
  if (from.touched > e.touched_most) {
    e.touched_most = from.touched + from.touched / 2;
    e.touched_node = s->run.take<int>((size_t)e.touched_most);
    e.start = s->run.take<int>((size_t)e.touched_most + 1);
    s->has_solve = 0;
  }
  if (incident > e.incident_most) {
    e.incident_most = incident + incident / 2;
    e.incident = s->run.take<int>(e.incident_most);
  }
  if (from.numbers > e.numbers_most) {
    e.numbers_most = from.numbers + from.numbers / 2;
    e.inverse = s->run.take<double>(e.numbers_most);
    e.weighted = s->run.take<double>(e.numbers_most);
  }
}

static mus_status mus_set_equalities_stage(mus_device_solver *s, const mus_stage_equalities *from,
                                           mus_stage_failure *failure) {
  auto &e = s->across;
  int passes = from->rows > 0 ? from->passes : 0;
  if (passes != e.passes)
    s->has_solve = 0;
  e.passes = passes;
  s->given.across = mus_across{};
  s->given.offset = nullptr;
  if (from->rows == 0)
    return MUS_OK;
  if (s->level[0].block != 3)
    return mus_refuse(failure, MUS_UNSUPPORTED, "on the device, equalities are between nodes with 3 unknowns");
  size_t rows = (size_t)from->rows, touched = (size_t)from->touched;
  mus_place_equalities(s, *from);
  s->run.put(from->count, rows, e.count);
  s->run.put(from->node, MUS_ACROSS_NODES * rows, e.node);
  s->run.put(from->direction, 3 * MUS_ACROSS_NODES * rows, e.direction);
  s->run.put(from->first, rows, e.first);
  s->run.put(from->size, rows, e.size);
  s->run.put(from->place, rows, e.place);
  s->run.put(from->inverse, from->numbers, e.inverse);
  s->run.put(from->touched_node, touched, e.touched_node);
  s->run.put(from->start, touched + 1, e.start);
  s->run.put(from->incident, (size_t)from->start[from->touched], e.incident);
  s->run.clear(e.offset, s->level[0].padded() * sizeof *e.offset);
  s->run.put(from->offset, s->unknowns, e.offset);
  s->run.wait();
  e.numbers = from->numbers;
  s->given.across = mus_across{from->rows, from->touched, e.count,    e.node,         e.direction, e.first,   e.size,
                               e.place,    e.inverse,     e.weighted, e.touched_node, e.start,     e.incident};
  s->given.offset = e.offset;
  return mus_told(s, failure);
}

static mus_status mus_weigh_equalities_stage(mus_device_solver *s, const double *numbers, mus_stage_failure *failure) {
  s->run.put(numbers, s->across.numbers, s->across.weighted);
  s->run.wait();
  return mus_told(s, failure);
}

static mus_status mus_set_values_stage(mus_device_solver *s, const double *values, mus_stage_failure *failure) {
  mus_device_level &l = s->level[0];
  size_t count = (size_t)l.row_start.back() * (size_t)(l.block * l.block);
  s->run.pin(values, count * sizeof *values);
  s->run.mark(MUS_MARK_BEGIN);
  s->given.values = mus_bring(s, values, count, &s->values);
  s->run.mark(MUS_MARK_UPLOADED);
  s->run.wait();
  s->seconds.upload = s->run.between(MUS_MARK_BEGIN, MUS_MARK_UPLOADED);
  s->has_values = 1;
  return mus_told(s, failure);
}

static mus_status mus_renew_stage(mus_device_solver *s, mus_stage_renewal what, mus_stage_failure *failure) {
  if (!s->has_values || !(s->has_kernel || s->is_bottom(0)))
    return mus_refuse(failure, MUS_BAD_INPUT, "the device has no matrix or near-null space to make a hierarchy from");
  if (!s->has_prolongators)
    what = MUS_STAGE_EVERYTHING;
  if (!s->has_renewal[what])
    mus_record_renewal(s, what);
  s->has_renewal[what] = s->has_prolongators = !s->run.status();
  s->run.put(&s->given, 1, s->given_there);
  s->run.mark(MUS_MARK_RENEW);
  s->run.play(s->renewal[what]);
  s->run.mark(MUS_MARK_RENEWED);
  return mus_told(s, failure);
}

static mus_status mus_fetch_stage(mus_device *device, void *stream, const double *from, size_t count, double *to,
                                  mus_stage_failure *failure) {
  (void)device;
  mus_runtime run(1);
  run.open();
  if (stream)
    run.wait_for(stream);
  run.get(from, count, to);
  if (run.status())
    run.explain(failure);
  return run.status();
}

static mus_status mus_solve_stage(mus_device_solver *s, const double *b, double *x, const mus_stage_limits *limits,
                                  mus_stage_result *result, mus_stage_failure *failure) {
  mus_cg_state cg = {};
  cg.tolerance = limits->tolerance;
  cg.limit = std::min(limits->iterations, s->iterations_most);
  cg.relative_to_right = limits->relative_to_right;
  cg.going = 1;
  if (!s->has_solve)
    mus_record_solve(s);
  s->has_solve = !s->run.status();
  s->run.pin(b, s->unknowns * sizeof *b);
  s->run.pin(x, s->unknowns * sizeof *x);
  s->given.b = mus_bring(s, b, s->unknowns, &s->given_b);
  s->given.x = (double *)mus_bring(s, x, s->unknowns, &s->given_x);
  s->run.put(&s->given, 1, s->given_there);
  s->run.put(&cg, 1, s->cg);
  s->run.mark(MUS_MARK_SOLVE);
  s->run.play(s->take);
  if (limits->relative_to_right)
    s->run.play(s->reference);
  s->run.play(s->start);
  s->run.play(s->loop);
  if (!s->run.status())
    s->run.play(s->finish);
  s->run.mark(MUS_MARK_SOLVED);
  s->run.get(s->cg, 1, &cg);
  if (mus_told(s, failure))
    return s->run.status();
  s->run.mark(MUS_MARK_BEGIN);
  s->run.put(s->residual, (size_t)cg.iterations + 1, result->residuals);
  if (s->given.x != x)
    s->run.put((const double *)s->given.x, s->unknowns, x);
  s->run.mark(MUS_MARK_UPLOADED);
  s->run.wait();
  s->seconds.renew = s->run.between(MUS_MARK_RENEW, MUS_MARK_RENEWED);
  s->seconds.solve = s->run.between(MUS_MARK_SOLVE, MUS_MARK_SOLVED);
  s->seconds.download = s->run.between(MUS_MARK_BEGIN, MUS_MARK_UPLOADED);
  result->end = (mus_stage_end)cg.end;
  result->level = cg.level;
  result->iterations = cg.iterations;
  result->reference = cg.reference;
  result->last = cg.delta;
  result->curvature = cg.curvature;
  result->true_residual = cg.true_residual;
  result->seconds = s->seconds;
  return mus_told(s, failure);
}

// --- measuring -------------------------------------------------------------------------------------------------------

template <class function> double mus_median_seconds(mus_device_solver *s, int repeat, function f) {
  std::vector<double> taken;
  f(); // warm
  for (int k = 0; k < repeat; ++k) {
    s->run.mark(MUS_MARK_BEGIN);
    f();
    s->run.mark(MUS_MARK_UPLOADED);
    s->run.wait();
    taken.push_back(s->run.between(MUS_MARK_BEGIN, MUS_MARK_UPLOADED));
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

// The values as they came are overwritten.
static mus_status mus_measure_stage(mus_device_solver *s, int repeat, mus_stage_speeds *out,
                                    mus_stage_failure *failure) {
  if (!s->has_solve)
    mus_record_solve(s);
  s->has_solve = !s->run.status();
  mus_device_level &l = s->level[0];
  double blocks = l.row_start.back(), size = l.block * l.block, n = (double)s->unknowns;
  size_t copied = (size_t)(blocks * size);
  double *room = s->values ? s->values : s->run.take<double>(copied);
  *out = mus_stage_speeds{};
  try {
    out->product_s =
        mus_median_seconds(s, repeat, [&] { mus_wide<MUS_WIDE_PRODUCT>(s, s->p, nullptr, s->q, s->partial[1]); });
    float *x = l.x, *other = l.other;
    out->smoother_s = mus_median_seconds(s, repeat, [&] { mus_smooth_pass(s, 0, 0, 0, nullptr, &x, &other); });
    out->cycle_s = mus_median_seconds(s, repeat, [&] { s->run.play(s->one_cycle); });
    out->copy_bytes_s = 2.0 * sizeof(double) * (double)copied /
                        mus_median_seconds(s, repeat, [&] { s->run.put(l.wide.value, copied, room); });
  } catch (const std::bad_alloc &) {
    return mus_no_memory(failure);
  }
  s->values = room;
  s->has_values = 0;
  out->product_bytes = blocks * (size * sizeof(double) + sizeof(int)) + 2 * n * sizeof(double);
  out->smoother_bytes = blocks * (size * sizeof(float) + sizeof(int)) + n * (3 + l.block) * sizeof(float);
  return mus_told(s, failure);
}

static void mus_look_at_prolongator(mus_device_solver *s, int k, float *p) {
  mus_device_level &l = s->level[k];
  int b = l.block, c = l.coarse_block;
  std::vector<float> values(l.p.values);
  s->run.get(l.p.m.value, values.size(), values.data());
  for (int i = 0; i < l.rows; ++i)
    for (int j = l.p_start[(size_t)i]; j < l.p_start[(size_t)i + 1]; ++j)
      for (int e = 0; e < b * c; ++e)
        p[(size_t)j * (size_t)(b * c) + (size_t)e] =
            values[l.p_slices.at(i, j - l.p_start[(size_t)i]) + (size_t)(e % c * MUS_SLICE * b + e / c)];
}

static mus_status mus_look_stage(mus_device_solver *s, int k, float *a, float *p, float *inverse, double *radius,
                                 mus_stage_failure *failure) {
  mus_device_level &l = s->level[k];
  int b = l.block;
  try {
    std::vector<float> values(l.a.values), inverses(l.padded() * (size_t)b);
    mus_level_state state;
    s->run.get(l.a.m.value, values.size(), values.data());
    s->run.get(l.inverse, inverses.size(), inverses.data());
    s->run.get(s->state + k, 1, &state);
    if (radius)
      *radius = state.now;
    if (p && !s->is_bottom(k))
      mus_look_at_prolongator(s, k, p);
    for (int i = 0; i < l.rows; ++i)
      for (int e = 0; e < b * b; ++e) {
        size_t in = (size_t)(e % b * MUS_SLICE * b + e / b);
        for (int j = l.row_start[(size_t)i]; a && j < l.row_start[(size_t)i + 1]; ++j)
          a[(size_t)j * (size_t)(b * b) + (size_t)e] = values[l.a_slices.at(i, j - l.row_start[(size_t)i]) + in];
        if (inverse)
          inverse[(size_t)i * (size_t)(b * b) + (size_t)e] =
              inverses[(size_t)(i / MUS_SLICE) * (size_t)(b * MUS_SLICE * b) + (size_t)(i % MUS_SLICE * b) + in];
      }
  } catch (const std::bad_alloc &) {
    return mus_no_memory(failure);
  }
  return mus_told(s, failure);
}

#define MUS_STAGES_TABLE(open_stage, close_stage, describe_stage)                                                      \
  {                                                                                                                    \
    MUS_STAGES_VERSION, open_stage, close_stage, describe_stage, mus_create_stage, mus_free_stage, mus_bytes_stage,    \
        mus_start_stage, mus_wait_for_stage, mus_set_kernel_stage, mus_set_held_stage, mus_set_couplings_stage,        \
        mus_set_equalities_stage, mus_weigh_equalities_stage, mus_set_values_stage, mus_renew_stage, mus_solve_stage,  \
        mus_fetch_stage, mus_measure_stage, mus_look_stage, &mus_lattice_table, &mus_turned_table                      \
  }

#endif
