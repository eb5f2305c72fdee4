// The stages of a step, and the table of them. See step_stages.h.
//
// Included by step_library.cu, where runtime_cuda.h makes it the device's, and by step_emulated.cpp, where
// runtime_host.h makes it an emulation for tests.
#ifndef MUS_CUDA_STEP_TABLE_H
#define MUS_CUDA_STEP_TABLE_H

#include <algorithm>
#include <new>

#include "cuda/gather_kernels.h"
#include "cuda/runtime.h"

// A list of elements on the device.
struct mus_device_list {
  mus_stage_list given; // its pointers are the host's, and gone
  int *vertex = nullptr;
  void *rest = nullptr, *material = nullptr;
  const double *scale = nullptr;
  double *gradient = nullptr, *block = nullptr, *strain = nullptr, *partial = nullptr, *limit = nullptr;
  int each = 0, measured_blocks = 0; // elements, and blocks that measure them, of a copy
};

struct mus_device_step {
  mus_runtime run;
  int copies = 1, nodes = 0, unknowns = 0, blocks = 0; // of all copies
  int forces_only = 0;                                 // 1: there is no matrix
  std::vector<mus_device_list> list;
  // structure
  int *row_start = nullptr, *row = nullptr, *column = nullptr;
  int *matrix_start = nullptr, *right_start = nullptr;
  mus_share *matrix_share = nullptr;
  unsigned *right_share = nullptr;
  double *mass = nullptr, *counted = nullptr;
  mus_gusts *gusts = nullptr;
  // numbers of elements
  double *gradients = nullptr, *element_blocks = nullptr, *strains = nullptr;
  size_t gradient_count = 0, block_count = 0;
  int strain_count = 0;
  // state, and the end of the step
  double *position = nullptr, *velocity = nullptr, *position_before = nullptr, *velocity_before = nullptr;
  double *predicted = nullptr, *next_position = nullptr, *next_velocity = nullptr;
  int has_before = 0;
  mus_stage_system system = {};
  // what changes
  mus_moment_there *moment = nullptr;
  double *scale = nullptr;
  int *held_start = nullptr, *held = nullptr;
  // bodies; none where there is no `half`
  int bodies = 0;
  float *grid = nullptr;
  mus_touch_body *body = nullptr;
  mus_touched *touched = nullptr;
  unsigned char *is_held = nullptr;
  int *diagonal = nullptr;
  double *half = nullptr, *push = nullptr, *next_push = nullptr, *h = nullptr, *touch_partial = nullptr;
  // sums
  double *node_partial = nullptr, *work_partial = nullptr, *sums = nullptr;
  mus_sum_task *task = nullptr;
  int tasks = 0, node_blocks = 0;
  int *digit_counts = nullptr;
  mus_rank_state *rank = nullptr;
  mus_sequence assembly, motion, advance;
  mus_step_seconds_there seconds = {};

  explicit mus_device_step(int plain) : run(plain) {}
  ~mus_device_step() {
    for (mus_sequence *s : {&assembly, &motion, &advance})
      run.forget(s);
  }
};

static mus_status mus_step_refuse(mus_stage_failure *failure, mus_status status, const char *text) {
  snprintf(failure->text, sizeof failure->text, "%s", text);
  return status;
}

static mus_status mus_step_told(const mus_device_step *s, mus_stage_failure *failure) {
  if (s->run.status())
    s->run.explain(failure);
  return s->run.status();
}

static int mus_step_blocks(long long threads, int at_once) { return (int)((threads + at_once - 1) / at_once); }

// --- kinds, which kernels know when they are compiled ----------------------------------------------------------------

template <class kind> struct mus_kind_is { typedef kind type; };

template <class function> void mus_with_kind(mus_stage_element element, function f) {
  switch (element) {
  case MUS_STAGE_MEMBRANE:
    return f(mus_kind_is<mus_membrane_there>());
  case MUS_STAGE_HINGE:
    return f(mus_kind_is<mus_hinge_there>());
  case MUS_STAGE_SPRING:
    return f(mus_kind_is<mus_spring_there<mus_plain_spring>>());
  case MUS_STAGE_TENSION_SPRING:
    return f(mus_kind_is<mus_spring_there<mus_tension_spring>>());
  case MUS_STAGE_BUCKLING:
    return f(mus_kind_is<mus_buckling_there>());
  case MUS_STAGE_DRAG:
    return f(mus_kind_is<mus_drag_there>());
  case MUS_STAGE_COROTATED:
    return f(mus_kind_is<mus_tetrahedron_there<mus_corotated_there>>());
  case MUS_STAGE_NEO_HOOKEAN:
    return f(mus_kind_is<mus_tetrahedron_there<mus_neo_hookean_there>>());
  case MUS_STAGE_VENANT_KIRCHHOFF:
    return f(mus_kind_is<mus_tetrahedron_there<mus_venant_kirchhoff_there>>());
  }
}

// --- structure, made on the host -------------------------------------------------------------------------------------

// Numbers that an element writes.
struct mus_element_sizes {
  int gradient, block, rank_one;
  size_t rest, material;
};

static mus_element_sizes mus_sizes_of(mus_stage_element element) {
  mus_element_sizes sizes = {};
  mus_with_kind(element, [&](auto is) {
    typedef typename decltype(is)::type kind;
    sizes = {mus_element_numbers<kind>::GRADIENT, mus_element_numbers<kind>::BLOCK, kind::RANK_ONE,
             sizeof(typename kind::rest), sizeof(typename kind::material)};
  });
  return sizes;
}

// What belongs to each block of the matrix and to each node, in the order of lists and of their elements.
struct mus_step_shares {
  std::vector<int> matrix_start, right_start, row;
  std::vector<mus_share> matrix;
  std::vector<unsigned> right;
};

struct mus_step_offsets {
  size_t gradient, block;
};

static int mus_block_of(const mus_stage_pattern &p, int row, int column) {
  const int *end = p.column + p.row_start[row + 1];
  return (int)(std::lower_bound(p.column + p.row_start[row], end, column) - p.column);
}

// Where the block of nodes a and b of an element comes from, whose numbers begin at `from`.
static mus_share mus_share_of(int rank_one, int arity, size_t from, int a, int b) {
  if (rank_one)
    return mus_share{(unsigned)(from + 3 * (size_t)a), (unsigned)(from + 3 * (size_t)b)};
  int upper = a <= b ? mus_upper_block(arity, a, b) : mus_upper_block(arity, b, a);
  return mus_share{(unsigned)(from + 9 * (size_t)upper), a <= b ? MUS_SHARE_AS_IS : MUS_SHARE_TRANSPOSED};
}

// Counts what belongs where (`out` of starts), or writes it there, as each element of a list has it.
template <class block_function, class node_function>
static void mus_visit_list(const mus_stage_pattern &p, const mus_stage_list &l, const mus_step_offsets &at,
                           block_function on_block, node_function on_node) {
  mus_element_sizes sizes = mus_sizes_of(l.element);
  for (int e = 0; e < l.count; ++e) {
    const int *vertex = l.vertex + (size_t)e * (size_t)l.arity;
    size_t gradient = at.gradient + (size_t)e * (size_t)sizes.gradient,
           block = at.block + (size_t)e * (size_t)sizes.block;
    for (int a = 0; a < l.arity; ++a) {
      int row = l.first_vertex + vertex[a];
      on_node(row, (unsigned)(gradient + 3 * (size_t)a));
      for (int b = 0; b < l.arity; ++b)
        on_block(mus_block_of(p, row, l.first_vertex + vertex[b]), mus_share_of(sizes.rank_one, l.arity, block, a, b));
    }
  }
}

static void mus_make_starts(std::vector<int> *start) {
  for (size_t k = 1; k < start->size(); ++k)
    (*start)[k] += (*start)[k - 1];
}

static void mus_make_shares(const mus_stage_model &m, const std::vector<mus_step_offsets> &at, mus_step_shares *out) {
  const mus_stage_pattern &p = m.pattern;
  size_t blocks = (size_t)p.row_start[p.rows];
  out->matrix_start.assign(blocks + 1, 0);
  out->right_start.assign((size_t)p.rows + 1, 0);
  out->row.resize(blocks);
  for (int i = 0; i < p.rows; ++i)
    std::fill(out->row.begin() + p.row_start[i], out->row.begin() + p.row_start[i + 1], i);
  for (int l = 0; l < m.lists; ++l)
    mus_visit_list(
        p, m.list[l], at[(size_t)l], [&](int k, mus_share) { ++out->matrix_start[(size_t)k + 1]; },
        [&](int i, unsigned) { ++out->right_start[(size_t)i + 1]; });
  mus_make_starts(&out->matrix_start);
  mus_make_starts(&out->right_start);
  out->matrix.resize((size_t)out->matrix_start.back());
  out->right.resize((size_t)out->right_start.back());
  std::vector<int> next(out->matrix_start.begin(), out->matrix_start.end() - 1);
  std::vector<int> next_right(out->right_start.begin(), out->right_start.end() - 1);
  for (int l = 0; l < m.lists; ++l)
    mus_visit_list(
        p, m.list[l], at[(size_t)l], [&](int k, mus_share s) { out->matrix[(size_t)next[(size_t)k]++] = s; },
        [&](int i, unsigned from) { out->right[(size_t)next_right[(size_t)i]++] = from; });
}

// --- making ----------------------------------------------------------------------------------------------------------

template <class number> static number *mus_step_copy(mus_device_step *s, const std::vector<number> &from) {
  number *to = s->run.take_copy(from);
  s->run.wait(); // the vector goes
  return to;
}

static void mus_place_list(mus_device_step *s, const mus_stage_list &from, int number, mus_device_list *to) {
  mus_element_sizes sizes = mus_sizes_of(from.element);
  size_t count = (size_t)from.count, vertices = count * (size_t)from.arity;
  to->given = from;
  std::vector<int> vertex(from.vertex, from.vertex + vertices);
  for (int &v : vertex)
    v += from.first_vertex;
  to->vertex = s->run.take_copy(vertex);
  s->run.wait();
  to->rest = s->run.take<char>(count * sizes.rest);
  to->material = s->run.take<char>((size_t)s->copies * sizes.material);
  if (from.rest)
    s->run.put((const char *)from.rest, count * sizes.rest, (char *)to->rest);
  if (from.material)
    s->run.put((const char *)from.material, (size_t)s->copies * sizes.material, (char *)to->material);
  std::vector<double> limit;
  for (int k = 0; k < 2 * s->copies; ++k)
    limit.push_back(from.limits ? from.limits[k] : from.limit[k % 2]);
  to->limit = mus_step_copy(s, limit);
  to->scale = s->scale + number;
  to->each = from.count / s->copies;
  to->measured_blocks = mus_step_blocks(to->each, mus_measure_kernel<mus_hinge_there>::THREADS);
  to->partial = s->run.take<double>((size_t)(s->copies * to->measured_blocks) * MUS_MEASURES + 1);
}

static void mus_place_vectors(mus_device_step *s) {
  size_t n = (size_t)s->unknowns;
  for (double **v : {&s->position, &s->velocity, &s->position_before, &s->velocity_before, &s->predicted,
                     &s->next_position, &s->next_velocity, &s->system.right, &s->system.change}) {
    *v = s->run.take<double>(n);
    s->run.clear(*v, n * sizeof **v);
  }
  s->system.values = s->run.take<double>(9 * (size_t)s->blocks + 1);
  s->moment = s->run.take<mus_moment_there>((size_t)s->copies);
  s->held_start = s->run.take<int>((size_t)s->copies + 1);
  s->run.clear(s->held_start, ((size_t)s->copies + 1) * sizeof *s->held_start);
  s->held = s->run.take<int>((size_t)s->nodes);
}

static void mus_place_touch(mus_device_step *s, const mus_stage_model &m) {
  if (!m.half)
    return;
  size_t n = (size_t)s->nodes;
  std::vector<int> diagonal;
  for (int i = 0; i < s->nodes; ++i)
    diagonal.push_back(mus_block_of(m.pattern, i, i));
  s->bodies = m.bodies;
  s->diagonal = mus_step_copy(s, diagonal);
  s->half = mus_step_copy(s, std::vector<double>(m.half, m.half + n));
  s->grid = s->run.take<float>(m.grid_count + 1);
  if (m.grid_count > 0)
    s->run.put(m.grid, m.grid_count, s->grid);
  s->body = s->run.take<mus_touch_body>((size_t)m.bodies + 1);
  s->touched = s->run.take<mus_touched>(n);
  s->push = s->run.take<double>(n);
  s->next_push = s->run.take<double>(n);
  s->h = s->run.take<double>(1);
  s->is_held = s->run.take<unsigned char>(n);
  s->touch_partial = s->run.take<double>(2 * (size_t)mus_step_blocks(s->nodes, mus_touch_end_kernel::THREADS));
  s->run.clear(s->push, n * sizeof *s->push);
  s->run.clear(s->is_held, n);
  s->run.wait();
}

// The sums of a step, one after the other: mus_stage_sums is made of them by mus_tell_sums().
static void mus_place_sums(mus_device_step *s) {
  std::vector<mus_sum_task> task;
  s->node_blocks = mus_step_blocks(s->nodes / s->copies, mus_measure_nodes_kernel::THREADS);
  size_t copies = (size_t)s->copies, node_blocks = (size_t)s->node_blocks;
  s->node_partial = s->run.take<double>(copies * node_blocks * MUS_NODE_MEASURES);
  s->work_partial = s->run.take<double>(copies);
  for (size_t c = 0; c < copies; ++c) {
    const double *nodes = s->node_partial + c * node_blocks * MUS_NODE_MEASURES;
    for (int q = 0; q < MUS_NODE_MEASURES; ++q)
      task.push_back(mus_sum_task{nodes + q, s->node_blocks, MUS_NODE_MEASURES, 0});
    task.push_back(mus_sum_task{s->work_partial + c, 1, 1, 0});
    for (const mus_device_list &l : s->list) {
      const double *elements = l.partial + c * (size_t)l.measured_blocks * MUS_MEASURES;
      for (int q = 0; q < MUS_MEASURE_WHERE; ++q)
        task.push_back(mus_sum_task{elements + q, l.measured_blocks, MUS_MEASURES, q >= MUS_MEASURE_STRAIN});
    }
  }
  for (int q = 0; q < 2 && s->half; ++q)
    task.push_back(mus_sum_task{s->touch_partial + q, mus_step_blocks(s->nodes, mus_touch_end_kernel::THREADS), 2, 0});
  s->tasks = (int)task.size();
  s->task = mus_step_copy(s, task);
  s->sums = s->run.take<double>(2 * task.size() + 1); // and the strain that 99% are below
  s->run.clear(s->sums, (2 * task.size() + 1) * sizeof(double));
  s->digit_counts = s->run.take<int>((size_t)mus_count_digits_kernel::BLOCKS * MUS_DIGIT_VALUES);
  s->rank = s->run.take<mus_rank_state>(1);
  s->run.clear(s->rank, sizeof *s->rank);
}

static void mus_place_lists(mus_device_step *s, const mus_stage_model &m, std::vector<mus_step_offsets> *at) {
  s->scale = s->run.take<double>((size_t)(m.lists * s->copies) + 1);
  s->list.resize((size_t)m.lists);
  for (int l = 0; l < m.lists; ++l) {
    mus_element_sizes sizes = mus_sizes_of(m.list[l].element);
    size_t count = (size_t)m.list[l].count;
    at->push_back(mus_step_offsets{s->gradient_count, s->block_count});
    s->gradient_count += count * (size_t)sizes.gradient;
    s->block_count += s->forces_only ? 0 : count * (size_t)sizes.block;
    s->strain_count += m.list[l].strains ? m.list[l].count : 0;
    mus_place_list(s, m.list[l], l, &s->list[(size_t)l]);
  }
  s->gradients = s->run.take<double>(s->gradient_count + 1);
  s->element_blocks = s->run.take<double>(s->block_count + 1);
  s->strains = s->run.take<double>((size_t)s->strain_count + 1);
  double *strain = s->strains;
  for (int l = 0; l < m.lists; ++l) {
    mus_device_list &to = s->list[(size_t)l];
    to.gradient = s->gradients + (*at)[(size_t)l].gradient;
    to.block = s->element_blocks + (*at)[(size_t)l].block;
    to.strain = to.given.strains ? strain : nullptr;
    strain += to.given.strains ? to.given.count : 0;
  }
}

// --- sequences -------------------------------------------------------------------------------------------------------

// At positions x, with velocities or, in a step that is minimised, with positions at its beginning.
static void mus_evaluate_list(mus_device_step *s, const mus_device_list &l, const double *x, const double *motion) {
  mus_with_kind(l.given.element, [&](auto is) {
    typedef typename decltype(is)::type kind;
    typedef mus_evaluate_kernel<kind> kernel;
    s->run.launch(kernel{l.given.count, l.each, l.vertex, (const typename kind::rest *)l.rest,
                         (const typename kind::material *)l.material, l.scale, (int)s->list.size(), x, motion,
                         s->moment, s->gusts, l.gradient, l.block},
                  mus_step_blocks(l.given.count, kernel::THREADS), kernel::THREADS);
  });
}

static void mus_measure_list(mus_device_step *s, const mus_device_list &l) {
  mus_with_kind(l.given.element, [&](auto is) {
    typedef typename decltype(is)::type kind;
    typedef mus_measure_kernel<kind> kernel;
    s->run.launch(kernel{l.each, l.measured_blocks, l.vertex, (const typename kind::rest *)l.rest,
                         (const typename kind::material *)l.material, l.scale, (int)s->list.size(), s->next_position,
                         l.strain, l.partial, l.limit},
                  s->copies * l.measured_blocks, kernel::THREADS);
  });
}

static void mus_record_assembly(mus_device_step *s) {
  s->run.record(&s->assembly, [=] {
    typedef mus_predict_kernel predict;
    typedef mus_gather_matrix_kernel matrix;
    typedef mus_gather_right_kernel right;
    s->run.launch(predict{s->unknowns, s->unknowns / s->copies, s->moment, s->position, s->position_before,
                          s->predicted, s->system.change},
                  mus_step_blocks(s->unknowns, predict::THREADS), predict::THREADS);
    for (const mus_device_list &l : s->list)
      mus_evaluate_list(s, l, s->predicted, s->velocity);
    s->run.launch(matrix{s->blocks, s->matrix_start, s->matrix_share, s->row, s->column, s->element_blocks, s->mass,
                         s->system.values},
                  mus_step_blocks(3LL * s->blocks, matrix::THREADS), matrix::THREADS);
    s->run.launch(right{s->unknowns, s->unknowns / s->copies, s->right_start, s->right_share, s->gradients, s->mass,
                        s->velocity, s->velocity_before, s->moment, s->system.right},
                  mus_step_blocks(s->unknowns, right::THREADS), right::THREADS);
    typedef mus_touch_kernel touch;
    if (s->half)
      s->run.launch(touch{s->nodes, s->bodies, s->body, s->grid, s->h, s->half, s->mass, s->push, s->position,
                          s->velocity, s->predicted, s->moment, s->is_held, s->diagonal, s->system.values,
                          s->system.right, s->touched},
                    mus_step_blocks(s->nodes, touch::THREADS), touch::THREADS);
  });
}

// To the digits from `least` on.
static void mus_find_strain(mus_device_step *s, int least) {
  typedef mus_count_digits_kernel count;
  typedef mus_find_digit_kernel find;
  long long rank = (long long)(0.99 * (double)(s->strain_count - 1));
  for (int digit = MUS_DIGITS - 1; digit >= least && s->strain_count > 0; --digit) {
    s->run.launch(count{s->strain_count, digit, s->strains, s->rank, s->digit_counts}, count::BLOCKS, count::THREADS);
    s->run.launch(find{digit, rank, s->digit_counts, s->rank, s->sums + 2 * s->tasks}, 1, find::THREADS);
  }
}

static void mus_record_motion(mus_device_step *s) {
  s->run.record(&s->motion, [=] {
    typedef mus_move_kernel move;
    typedef mus_measure_nodes_kernel nodes;
    typedef mus_measure_work_kernel work;
    s->run.launch(move{s->unknowns, s->unknowns / s->copies, s->moment, s->predicted, s->velocity, s->system.change,
                       s->next_position, s->next_velocity},
                  mus_step_blocks(s->unknowns, move::THREADS), move::THREADS);
    typedef mus_touch_end_kernel touch;
    if (s->half)
      s->run.launch(touch{s->nodes, s->touched, s->moment, s->counted, s->position, s->next_position, s->next_velocity,
                          s->next_push, s->touch_partial},
                    mus_step_blocks(s->nodes, touch::THREADS), touch::THREADS);
    for (const mus_device_list &l : s->list)
      mus_measure_list(s, l);
    s->run.launch(nodes{s->nodes / s->copies, s->node_blocks, s->counted, s->next_position, s->next_velocity, s->moment,
                        s->node_partial},
                  s->copies * s->node_blocks, nodes::THREADS);
    s->run.launch(work{s->held_start, s->held, s->row_start, s->column, s->system.values, s->system.right,
                       s->system.change, s->counted, s->position, s->next_position, s->moment, s->work_partial},
                  s->copies, work::THREADS);
    s->run.launch(mus_sum_kernel{s->task, s->sums}, s->tasks, mus_sum_kernel::THREADS);
    mus_find_strain(s, 0);
  });
  s->run.record(&s->advance, [=] {
    size_t n = (size_t)s->unknowns;
    s->run.put(s->position, n, s->position_before);
    s->run.put(s->velocity, n, s->velocity_before);
    s->run.put(s->next_position, n, s->position);
    s->run.put(s->next_velocity, n, s->velocity);
    if (s->half)
      s->run.put(s->next_push, (size_t)s->nodes, s->push);
  });
}

// --- stages ----------------------------------------------------------------------------------------------------------

static mus_status mus_make_step(const mus_stage_model &m, mus_device_step *s, mus_stage_failure *failure) {
  std::vector<mus_step_offsets> at;
  mus_step_shares shares;
  if (s->run.open())
    return s->run.status();
  s->copies = m.copies > 1 ? m.copies : 1;
  if (m.half && s->copies > 1)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "bodies are for a single copy of a model");
  s->nodes = m.pattern.rows;
  s->unknowns = 3 * m.pattern.rows;
  s->blocks = m.pattern.row_start[m.pattern.rows];
  mus_place_lists(s, m, &at);
  if (s->block_count + s->gradient_count >= MUS_SHARE_TRANSPOSED)
    return mus_step_refuse(failure, MUS_UNSUPPORTED, "there are too many elements for the device's lists");
  mus_make_shares(m, at, &shares);
  s->row_start = mus_step_copy(s, std::vector<int>(m.pattern.row_start, m.pattern.row_start + s->nodes + 1));
  s->column = mus_step_copy(s, std::vector<int>(m.pattern.column, m.pattern.column + s->blocks));
  s->row = mus_step_copy(s, shares.row);
  s->matrix_start = mus_step_copy(s, shares.matrix_start);
  s->matrix_share = mus_step_copy(s, shares.matrix);
  s->right_start = mus_step_copy(s, shares.right_start);
  s->right_share = mus_step_copy(s, shares.right);
  s->mass = mus_step_copy(s, std::vector<double>(m.mass, m.mass + s->nodes));
  s->counted = mus_step_copy(s, std::vector<double>(m.counted, m.counted + s->nodes));
  if (m.gusts)
    s->gusts = mus_step_copy(s, std::vector<mus_gusts>(m.gusts, m.gusts + s->copies));
  mus_place_vectors(s);
  mus_place_touch(s, m);
  mus_place_sums(s);
  if (s->run.status())
    return s->run.status();
  mus_record_assembly(s);
  mus_record_motion(s);
  s->run.wait();
  return s->run.status();
}

static mus_status mus_step_create_stage(mus_device *, const mus_stage_model *m, mus_device_step **out,
                                        mus_stage_failure *failure) {
  mus_device_step *s = nullptr;
  mus_status status;
  try {
    s = new mus_device_step(m->plain);
    status = mus_make_step(*m, s, failure);
    mus_step_told(s, failure);
  } catch (const std::bad_alloc &) {
    status = mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  if (status)
    delete s;
  else
    *out = s;
  return status;
}

static void mus_step_free_stage(mus_device_step *s) { delete s; }

static size_t mus_step_bytes_stage(const mus_device_step *s) { return s->run.bytes(); }

enum { MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END };

static mus_status mus_step_set_state_stage(mus_device_step *s, const double *position, const double *velocity,
                                           const double *position_before, const double *velocity_before,
                                           mus_stage_failure *failure) {
  size_t n = (size_t)s->unknowns;
  s->run.pin(position, n * sizeof *position);
  s->run.pin(velocity, n * sizeof *velocity);
  s->run.mark(MUS_STEP_MARK_BEGIN);
  s->run.put(position, n, s->position);
  s->run.put(velocity, n, s->velocity);
  s->has_before = position_before && velocity_before;
  if (s->has_before) {
    s->run.put(position_before, n, s->position_before);
    s->run.put(velocity_before, n, s->velocity_before);
  }
  s->run.mark(MUS_STEP_MARK_END);
  s->run.wait();
  s->seconds.upload = s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
  return mus_step_told(s, failure);
}

static mus_status mus_step_hold_stage(mus_device_step *s, int count, const int *node, mus_stage_failure *failure) {
  if (count < 0 || count > s->nodes)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "more nodes are held than there are");
  try {
    std::vector<int> start((size_t)s->copies + 1, 0);
    for (int k = 0; k < count; ++k)
      ++start[(size_t)(node[k] / (s->nodes / s->copies)) + 1];
    mus_make_starts(&start);
    s->run.put(node, (size_t)count, s->held);
    s->run.put(start.data(), start.size(), s->held_start);
    std::vector<unsigned char> is_held(s->half ? (size_t)s->nodes : 0, 0);
    for (int k = 0; k < count && s->half; ++k)
      is_held[(size_t)node[k]] = 1;
    s->run.put(is_held.data(), is_held.size(), s->is_held);
    s->run.wait();
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_step_told(s, failure);
}

static mus_status mus_step_touch_stage(mus_device_step *s, double h, const mus_touch_body *body,
                                       mus_stage_failure *failure) {
  if (!s->half)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "the model on the device has no bodies");
  s->run.put(body, (size_t)s->bodies, s->body);
  s->run.put(&h, 1, s->h);
  s->run.wait();
  return mus_step_told(s, failure);
}

static mus_status mus_step_set_push_stage(mus_device_step *s, const double *push, mus_stage_failure *failure) {
  if (!s->half)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "the model on the device has no bodies");
  s->run.put(push, (size_t)s->nodes, s->push);
  s->run.wait();
  return mus_step_told(s, failure);
}

static mus_status mus_step_get_push_stage(mus_device_step *s, double *push, mus_stage_failure *failure) {
  if (!s->half)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "the model on the device has no bodies");
  s->run.get((const double *)s->push, (size_t)s->nodes, push);
  return mus_step_told(s, failure);
}

static mus_status mus_step_assemble_stage(mus_device_step *s, const mus_stage_moment *moment, const double *scale,
                                          mus_stage_failure *failure) {
  if (moment->order == 2 && !s->has_before)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "a step of order 2 needs the state of the step before");
  try {
    std::vector<mus_moment_there> there;
    for (int c = 0; c < s->copies; ++c) {
      double length = moment[c].length;
      there.push_back(mus_moment_there{moment[c], {length * length, length, length, 0, 0}});
    }
    s->run.put(there.data(), there.size(), s->moment);
    s->run.put(scale, s->list.size() * there.size(), s->scale);
    s->run.wait();
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  s->run.mark(MUS_STEP_MARK_BEGIN);
  s->run.play(s->assembly);
  s->run.mark(MUS_STEP_MARK_END);
  s->run.wait();
  s->seconds.assemble = s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
  return mus_step_told(s, failure);
}

static void mus_step_system_stage(const mus_device_step *s, mus_stage_system *out) {
  *out = s->system;
  out->position = s->position;
}

static mus_status mus_step_get_system_stage(mus_device_step *s, double *values, double *right, double *change,
                                            mus_stage_failure *failure) {
  if (values)
    s->run.put(s->system.values, 9 * (size_t)s->blocks, values);
  if (right)
    s->run.put(s->system.right, (size_t)s->unknowns, right);
  if (change)
    s->run.put(s->system.change, (size_t)s->unknowns, change);
  s->run.wait();
  return mus_step_told(s, failure);
}

static void mus_tell_sums(const mus_device_step *s, const std::vector<double> &sum, int copy, mus_stage_sums *out) {
  const double *of = sum.data() + (size_t)copy * (size_t)(2 * s->tasks / s->copies);
  *out = mus_stage_sums{};
  out->kinetic = of[2 * MUS_NODE_KINETIC];
  out->potential = of[2 * MUS_NODE_POTENTIAL];
  for (int k = 0; k < 3; ++k) {
    out->momentum[k] = of[2 * (MUS_NODE_MOMENTUM + k)];
    out->angular_momentum[k] = of[2 * (MUS_NODE_ANGULAR + k)];
  }
  out->work = of[2 * MUS_NODE_MEASURES];
  of += 2 * (MUS_NODE_MEASURES + 1);
  for (size_t l = 0; l < s->list.size(); ++l, of += 2 * MUS_MEASURE_WHERE) {
    *(s->list[l].given.bends ? &out->bend : &out->stretch) += of[2 * MUS_MEASURE_ENERGY];
    out->shear += of[2 * MUS_MEASURE_SHEAR];
    out->inverted += of[2 * MUS_MEASURE_INVERTED];
    out->overstretched += of[2 * MUS_MEASURE_BEYOND];
    out->strain = std::max(out->strain, of[2 * MUS_MEASURE_STRAIN]);
    if (of[2 * MUS_MEASURE_REACHED] > out->reached) {
      out->reached = of[2 * MUS_MEASURE_REACHED];
      out->reached_list = (int)l;
      out->reached_element = (int)of[2 * MUS_MEASURE_REACHED + 1];
    }
  }
  out->strain_99 = sum.back();
  if (s->half) {
    out->touch_work = sum[2 * (size_t)(s->tasks - 2)];
    out->touched = sum[2 * (size_t)(s->tasks - 1)];
  }
}

static mus_status mus_step_move_stage(mus_device_step *s, mus_stage_sums *sums, mus_stage_failure *failure) {
  try {
    std::vector<double> sum(2 * (size_t)s->tasks + 1);
    s->run.mark(MUS_STEP_MARK_BEGIN);
    s->run.play(s->motion);
    s->run.mark(MUS_STEP_MARK_END);
    s->run.get(s->sums, sum.size(), sum.data());
    s->seconds.move = s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
    for (int c = 0; c < s->copies; ++c)
      mus_tell_sums(s, sum, c, &sums[c]);
  } catch (const std::bad_alloc &) {
    return mus_step_refuse(failure, MUS_OUT_OF_MEMORY, "out of memory on the host");
  }
  return mus_step_told(s, failure);
}

static mus_status mus_step_commit_stage(mus_device_step *s, double *position, double *velocity,
                                        mus_stage_failure *failure) {
  size_t n = (size_t)s->unknowns;
  s->run.mark(MUS_STEP_MARK_BEGIN);
  s->run.put(s->next_position, n, position);
  s->run.put(s->next_velocity, n, velocity);
  s->run.mark(MUS_STEP_MARK_END);
  s->run.play(s->advance);
  s->run.wait();
  s->has_before = 1;
  s->seconds.download = s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
  return mus_step_told(s, failure);
}

static void mus_step_seconds_stage(const mus_device_step *s, mus_step_seconds_there *out) { *out = s->seconds; }

#define MUS_STEP_STAGES_TABLE                                                                                          \
  {                                                                                                                    \
    MUS_STEP_STAGES_VERSION, mus_step_create_stage, mus_step_free_stage, mus_step_bytes_stage,                         \
        mus_step_set_state_stage, mus_step_hold_stage, mus_step_touch_stage, mus_step_set_push_stage,                  \
        mus_step_get_push_stage, mus_step_assemble_stage, mus_step_system_stage, mus_step_get_system_stage,            \
        mus_step_move_stage, mus_step_commit_stage, mus_step_seconds_stage, &mus_minimise_table, &mus_ladder_table     \
  }

#endif
