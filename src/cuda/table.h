// The stages' functions, and the table of them. See stages.h.
#ifndef MUS_CUDA_TABLE_H
#define MUS_CUDA_TABLE_H

#include <new>

#include "cuda/renewal.h"

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
  mus_list_first(from.a, l.a_slices, from.p, l.p_slices, &lists);
  mus_list_second(from.p, l.p_slices, l.pt_pattern, next.a, s->level[k + 1].a_slices, &lists);
  l.ap_blocks = (int)lists.ap_column.size();
  l.coarse_blocks = (int)lists.target.size();
  l.first_start = s->run.take_copy(lists.first.start);
  l.first_pair = s->run.take_copy(lists.first.pair);
  l.second_start = s->run.take_copy(lists.second.start);
  l.second_pair = s->run.take_copy(lists.second.pair);
  l.target = s->run.take_copy(lists.target);
  s->run.wait(); // the lists go
  *ap_most = std::max(*ap_most, (size_t)l.ap_blocks * (size_t)(l.block * l.coarse_block));
}

static void mus_place_rest(mus_device_solver *s, size_t ap_most) {
  mus_device_level &finest = s->level[0], &bottom = s->level[s->levels - 1];
  size_t n = finest.padded(), values = (size_t)finest.row_start.back() * (size_t)(finest.block * finest.block);
  size_t wide = finest.a_slices.values();
  s->unknowns = (size_t)finest.rows * (size_t)finest.block;
  s->values = s->run.take<double>(values);
  finest.wide = {finest.a.m.base, finest.a.m.column, s->run.take<double>(wide)};
  s->run.clear(finest.wide.value, wide * sizeof(double));
  s->ap = s->run.take<float>(ap_most + 1);
  s->state = s->run.take<mus_level_state>(MUS_STAGES_LEVELS);
  s->run.clear(s->state, MUS_STAGES_LEVELS * sizeof *s->state);
  s->cg = s->run.take<mus_cg_state>(1);
  s->run.clear(s->cg, sizeof *s->cg);
  s->residual = s->run.take<double>((size_t)s->iterations_most + 1);
  s->run.clear(s->residual, ((size_t)s->iterations_most + 1) * sizeof *s->residual);
  for (double *&v : s->partial)
    v = s->run.take<double>((size_t)finest.slices);
  for (double **v : {&s->right, &s->x, &s->r, &s->p, &s->q}) {
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
  if (s->run.status())
    return s->run.status();
  mus_record_renewal(s);
  mus_record_solve(s);
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

// Blocks by rows, in the order of a pattern -> slices of its matrix and of its transpose.
static void mus_pack(const mus_device_level &l, const float *from, std::vector<float> *p, std::vector<float> *pt) {
  int b = l.block, c = l.coarse_block;
  p->assign(l.p_slices.values(), 0);
  pt->assign(l.pt_slices.values(), 0);
  size_t size = (size_t)(b * c);
  for (int i = 0; i < l.rows; ++i)
    for (int k = l.p_start[(size_t)i]; k < l.p_start[(size_t)i + 1]; ++k) {
      float *to = p->data() + l.p_slices.at(i, k - l.p_start[(size_t)i]);
      for (int e = 0; e < b * c; ++e)
        to[e % c * (MUS_SLICE * b) + e / c] = from[(size_t)k * size + (size_t)e];
    }
  for (int j = 0; j < l.pt.rows; ++j) {
    int begin = l.pt_pattern.row_start[(size_t)j];
    for (int k = begin; k < l.pt_pattern.row_start[(size_t)j + 1]; ++k) {
      float *to = pt->data() + l.pt_slices.at(j, k - begin);
      const float *block = from + (size_t)l.pt_pattern.source[(size_t)k] * size;
      for (int e = 0; e < b * c; ++e)
        to[e / c * (MUS_SLICE * c) + e % c] = block[e];
    }
  }
}

static mus_status mus_set_prolongators_stage(mus_device_solver *s, const mus_stage_numbers *numbers,
                                             mus_stage_failure *failure) {
  try {
    std::vector<float> p, pt;
    for (int k = 0; !s->is_bottom(k); ++k) {
      mus_device_level &l = s->level[k];
      mus_pack(l, numbers[k].p, &p, &pt);
      s->run.put(p.data(), p.size(), l.p.m.value);
      s->run.put(pt.data(), pt.size(), l.pt.m.value);
      s->run.put(numbers[k].probe, (size_t)l.rows * (size_t)l.block, l.probe);
      mus_level_state state = {};
      state.radius = state.now = numbers[k].radius;
      state.growth = numbers[k].growth;
      state.inverse = 1 / state.now;
      s->run.put(&state, 1, s->state + k);
      s->run.wait();
    }
  } catch (const std::bad_alloc &) {
    return mus_no_memory(failure);
  }
  return mus_told(s, failure);
}

enum { MUS_MARK_BEGIN, MUS_MARK_UPLOADED, MUS_MARK_RENEW, MUS_MARK_RENEWED, MUS_MARK_SOLVE, MUS_MARK_SOLVED };

static mus_status mus_set_values_stage(mus_device_solver *s, const double *values, mus_stage_failure *failure) {
  mus_device_level &l = s->level[0];
  s->run.pin(values, (size_t)l.row_start.back() * (size_t)(l.block * l.block) * sizeof *values);
  s->run.mark(MUS_MARK_BEGIN);
  s->run.put(values, (size_t)l.row_start.back() * (size_t)(l.block * l.block), s->values);
  s->run.mark(MUS_MARK_UPLOADED);
  s->run.wait();
  s->seconds.upload = s->run.between(MUS_MARK_BEGIN, MUS_MARK_UPLOADED);
  s->has_values = 1;
  return mus_told(s, failure);
}

static mus_status mus_renew_stage(mus_device_solver *s, mus_stage_failure *failure) {
  if (!s->has_values)
    return mus_refuse(failure, MUS_BAD_INPUT, "the device has no matrix to renew its hierarchy from");
  s->run.mark(MUS_MARK_RENEW);
  s->run.play(s->renewal);
  s->run.mark(MUS_MARK_RENEWED);
  return mus_told(s, failure);
}

static mus_status mus_solve_stage(mus_device_solver *s, const double *b, double *x, const mus_stage_limits *limits,
                                  mus_stage_result *result, mus_stage_failure *failure) {
  mus_cg_state cg = {};
  cg.tolerance = limits->tolerance;
  cg.limit = std::min(limits->iterations, s->iterations_most);
  cg.relative_to_right = limits->relative_to_right;
  cg.going = 1;
  s->run.pin(b, s->unknowns * sizeof *b);
  s->run.pin(x, s->unknowns * sizeof *x);
  s->run.put(b, s->unknowns, s->right);
  s->run.put(x, s->unknowns, s->x);
  s->run.put(&cg, 1, s->cg);
  s->run.mark(MUS_MARK_SOLVE);
  if (limits->relative_to_right)
    s->run.play(s->reference);
  s->run.play(s->start);
  s->run.play(s->loop);
  s->run.play(s->finish);
  s->run.mark(MUS_MARK_SOLVED);
  s->run.get(s->cg, 1, &cg);
  if (mus_told(s, failure))
    return s->run.status();
  s->run.mark(MUS_MARK_BEGIN);
  s->run.put(s->residual, (size_t)cg.iterations + 1, result->residuals);
  if (cg.end != MUS_STAGE_BAD_LEVEL)
    s->run.put(s->x, s->unknowns, x);
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
  mus_device_level &l = s->level[0];
  double blocks = l.row_start.back(), size = l.block * l.block, n = (double)s->unknowns;
  size_t copied = (size_t)(blocks * size);
  *out = mus_stage_speeds{};
  try {
    out->product_s =
        mus_median_seconds(s, repeat, [&] { mus_wide<MUS_WIDE_PRODUCT>(s, s->p, nullptr, s->q, s->partial[1]); });
    float *x = l.x, *other = l.other;
    out->smoother_s = mus_median_seconds(s, repeat, [&] { mus_smooth_pass(s, 0, 0, 0, nullptr, &x, &other); });
    out->cycle_s = mus_median_seconds(s, repeat, [&] { s->run.play(s->one_cycle); });
    out->copy_bytes_s = 2.0 * sizeof(double) * (double)copied /
                        mus_median_seconds(s, repeat, [&] { s->run.put(l.wide.value, copied, s->values); });
  } catch (const std::bad_alloc &) {
    return mus_no_memory(failure);
  }
  s->has_values = 0;
  out->product_bytes = blocks * (size * sizeof(double) + sizeof(int)) + 2 * n * sizeof(double);
  out->smoother_bytes = blocks * (size * sizeof(float) + sizeof(int)) + n * (3 + l.block) * sizeof(float);
  return mus_told(s, failure);
}

static mus_status mus_look_stage(mus_device_solver *s, int k, float *a, float *inverse, double *radius,
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
        mus_set_prolongators_stage, mus_set_values_stage, mus_renew_stage, mus_solve_stage, mus_measure_stage,         \
        mus_look_stage                                                                                                 \
  }

#endif
