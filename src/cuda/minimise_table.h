// The stages of steps that are minima, and the table of them. See minimise_stages.h.
#ifndef MUS_CUDA_MINIMISE_TABLE_H
#define MUS_CUDA_MINIMISE_TABLE_H

#include "cuda/minimise_kernels.h"
#include "cuda/step_table.h"
#include "cuda/touch_term_kernels.h"

struct mus_device_search {
  mus_device_step *step;
  // of nodes
  double *free_right = nullptr, *right_before = nullptr, *way = nullptr, *from = nullptr, *marked = nullptr;
  int *hold_count = nullptr;
  mus_stage_hold *hold = nullptr;
  // what is asked for
  double *length = nullptr;
  mus_stage_memory *memory = nullptr;
  // sums: of products, of lengths, and of energies
  double *product_partial = nullptr, *length_partial = nullptr, *node_partial = nullptr;
  std::vector<double *> list_partial;
  // bodies, where the step has any
  mus_touch_term *term = nullptr;
  double *pushed = nullptr, *touch_partial = nullptr;
  mus_sum_task *task = nullptr;
  double *sums = nullptr;
  mus_sequence first, along, system, residual, turned, directed, apart, finish, rest;

  explicit mus_device_search(mus_device_step *s) : step(s) {}
  ~mus_device_search() {
    for (mus_sequence *s : {&first, &along, &system, &residual, &turned, &directed, &apart, &finish, &rest})
      step->run.forget(s);
  }
  int energies() const { return 1 + (int)step->list.size() + (step->half ? 1 : 0); }
};

// A kernel of bodies, if there are any, with what follows its first member.
template <class kernel, class... argument> static void mus_search_touch(mus_device_search *d, argument... arguments) {
  mus_device_step *s = d->step;
  if (s->half)
    s->run.launch(kernel{{s->nodes, s->bodies, s->body, s->grid, s->half, s->moment, d->term}, arguments...},
                  mus_step_blocks(s->nodes, kernel::THREADS), kernel::THREADS);
}

// Where the sums of each kind begin, in tasks.
enum { MUS_SUMS_PRODUCTS = 0, MUS_SUMS_LENGTHS = MUS_PRODUCTS, MUS_SUMS_ENERGIES = MUS_SUMS_LENGTHS + MUS_LENGTHS };

// --- making ----------------------------------------------------------------------------------------------------------

static double *mus_search_vector(mus_device_step *s, size_t count) {
  double *v = s->run.take<double>(count);
  s->run.clear(v, count * sizeof *v);
  return v;
}

static void mus_search_place_sums(mus_device_search *d) {
  mus_device_step *s = d->step;
  std::vector<mus_sum_task> task;
  int blocks = mus_step_blocks(s->nodes, mus_products_kernel::THREADS);
  d->product_partial = mus_search_vector(s, (size_t)blocks * MUS_PRODUCTS);
  d->length_partial = mus_search_vector(s, (size_t)blocks * MUS_LENGTHS + 1); // a sum looks at what lies behind
  d->node_partial = mus_search_vector(s, (size_t)blocks);
  for (int q = 0; q < MUS_PRODUCTS; ++q)
    task.push_back(mus_sum_task{d->product_partial + q, blocks, MUS_PRODUCTS, 0});
  for (int q = 0; q < MUS_LENGTHS; ++q)
    task.push_back(mus_sum_task{d->length_partial + q, blocks, MUS_LENGTHS, q >= MUS_LENGTH_FARTHEST});
  task.push_back(mus_sum_task{d->node_partial, blocks, 1, 0});
  for (const mus_device_list &l : s->list) {
    int parts = mus_step_blocks(l.given.count, mus_energy_kernel<mus_hinge_there, false>::THREADS);
    d->list_partial.push_back(mus_search_vector(s, (size_t)parts + 1));
    task.push_back(mus_sum_task{d->list_partial.back(), parts, 1, 0});
  }
  if (s->half) {
    int parts = mus_step_blocks(s->nodes, mus_touch_energy_kernel::THREADS);
    d->touch_partial = mus_search_vector(s, (size_t)parts + 1);
    task.push_back(mus_sum_task{d->touch_partial, parts, 1, 0});
  }
  d->task = mus_step_copy(s, task);
  d->sums = mus_search_vector(s, 2 * task.size());
}

static void mus_search_sum(mus_device_search *d, int first, int count) {
  d->step->run.launch(mus_sum_kernel{d->task + first, d->sums + 2 * first}, count, mus_sum_kernel::THREADS);
}

// --- sequences -------------------------------------------------------------------------------------------------------

// All elements at the iterate: energies, with gradients where wanted.
template <bool GRADIENTS> static void mus_search_evaluate(mus_device_search *d) {
  mus_device_step *s = d->step;
  for (size_t l = 0; l < s->list.size(); ++l) {
    const mus_device_list &list = s->list[l];
    mus_with_kind(list.given.element, [&](auto is) {
      typedef typename decltype(is)::type kind;
      typedef mus_energy_kernel<kind, GRADIENTS> kernel;
      s->run.launch(kernel{list.given.count, list.vertex, (const typename kind::rest *)list.rest,
                           (const typename kind::material *)list.material, list.scale, s->next_position, s->predicted,
                           s->moment, s->gusts, list.gradient, d->list_partial[l]},
                    mus_step_blocks(list.given.count, kernel::THREADS), kernel::THREADS);
    });
  }
}

static void mus_search_energy(mus_device_search *d) {
  mus_device_step *s = d->step;
  typedef mus_node_energy_kernel nodes;
  mus_search_evaluate<false>(d);
  s->run.launch(nodes{s->nodes, s->mass, s->velocity, s->next_velocity, s->predicted, s->next_position, s->moment,
                      d->node_partial},
                mus_step_blocks(s->nodes, nodes::THREADS), nodes::THREADS);
  mus_search_touch<mus_touch_energy_kernel>(d, s->next_position, s->next_velocity, d->touch_partial);
  mus_search_sum(d, MUS_SUMS_ENERGIES, d->energies());
}

template <bool CLEAR> static void mus_search_hold(mus_device_search *d, double *number) {
  typedef mus_prescribe_kernel<CLEAR> kernel;
  d->step->run.launch(kernel{d->hold_count, d->hold, number}, mus_step_blocks(d->step->nodes, kernel::THREADS),
                      kernel::THREADS);
}

// r, from gradients that are there, and what bodies add to it and to a matrix, unless that is null.
static void mus_search_gather(mus_device_search *d, double *values) {
  mus_device_step *s = d->step;
  typedef mus_gather_residual_kernel kernel;
  s->run.launch(kernel{s->unknowns, s->right_start, s->right_share, s->gradients, s->mass, s->velocity,
                       s->next_velocity, s->moment, s->system.right, d->free_right},
                mus_step_blocks(s->unknowns, kernel::THREADS), kernel::THREADS);
  mus_search_touch<mus_touch_load_kernel>(d, s->next_position, s->next_velocity, s->diagonal, values, s->system.right,
                                          d->free_right);
  mus_search_hold<true>(d, d->free_right);
}

// The matrix of elements at positions x of a step that begins with the state.
static void mus_search_matrix(mus_device_search *d, const double *x) {
  mus_device_step *s = d->step;
  typedef mus_gather_matrix_kernel matrix;
  for (const mus_device_list &l : s->list)
    mus_evaluate_list(s, l, x, s->predicted);
  s->run.launch(matrix{s->blocks, s->matrix_start, s->matrix_share, s->row, s->column, s->element_blocks, s->mass,
                       s->system.values},
                mus_step_blocks(3LL * s->blocks, matrix::THREADS), matrix::THREADS);
}

static void mus_search_products(mus_device_search *d) {
  mus_device_step *s = d->step;
  typedef mus_products_kernel kernel;
  s->run.launch(kernel{s->nodes, d->free_right, s->system.change, d->right_before, d->way, d->product_partial},
                mus_step_blocks(s->nodes, kernel::THREADS), kernel::THREADS);
  mus_search_sum(d, MUS_SUMS_PRODUCTS, MUS_PRODUCTS);
}

static void mus_record_first(mus_device_search *d) {
  mus_device_step *s = d->step;
  s->run.record(&d->first, [=] {
    typedef mus_first_kernel first;
    typedef mus_place_kernel place;
    s->run.launch(first{s->unknowns, s->position, s->velocity, s->predicted, s->next_velocity},
                  mus_step_blocks(s->unknowns, first::THREADS), first::THREADS);
    if (s->half)
      mus_search_matrix(d, s->position);
    mus_search_touch<mus_touch_begin_kernel>(d, s->h, s->mass, s->push, s->position, s->velocity, s->predicted,
                                             s->system.values, s->is_held, s->diagonal, s->next_velocity);
    mus_search_hold<false>(d, s->next_velocity);
    s->run.launch(place{s->unknowns, s->moment, s->predicted, s->next_velocity, s->next_position},
                  mus_step_blocks(s->unknowns, place::THREADS), place::THREADS);
    mus_search_energy(d);
  });
}

static void mus_record_system(mus_device_search *d) {
  mus_device_step *s = d->step;
  s->run.record(&d->system, [=] {
    s->run.clear(s->system.change, (size_t)s->unknowns * sizeof(double));
    mus_search_matrix(d, s->next_position);
    mus_search_gather(d, s->system.values);
  });
  s->run.record(&d->residual, [=] {
    mus_search_evaluate<true>(d);
    mus_search_gather(d, nullptr);
  });
}

static void mus_record_search(mus_device_search *d) {
  mus_device_step *s = d->step;
  s->run.record(&d->along, [=] {
    typedef mus_along_kernel go;
    s->run.launch(go{s->unknowns, s->moment, d->length, s->predicted, d->from, s->system.change, s->next_velocity,
                     s->next_position},
                  mus_step_blocks(s->unknowns, go::THREADS), go::THREADS);
    mus_search_touch<mus_touch_guard_kernel>(d, s->predicted, d->from, s->next_position, s->next_velocity);
    mus_search_energy(d);
  });
  s->run.record(&d->turned, [=] { mus_search_products(d); });
  s->run.record(&d->directed, [=] {
    typedef mus_direct_kernel direct;
    mus_search_products(d);
    s->run.launch(direct{s->nodes, d->memory, d->sums + 2 * MUS_SUMS_PRODUCTS, d->free_right, s->next_velocity,
                         s->system.change, d->right_before, d->way, d->from, d->length_partial},
                  mus_step_blocks(s->nodes, direct::THREADS), direct::THREADS);
    mus_search_sum(d, MUS_SUMS_LENGTHS, MUS_LENGTHS);
  });
}

static void mus_record_distance(mus_device_search *d) {
  mus_device_step *s = d->step;
  s->run.record(&d->apart, [=] {
    typedef mus_distance_kernel kernel;
    s->run.launch(kernel{s->nodes, s->next_velocity, d->marked, d->length_partial},
                  mus_step_blocks(s->nodes, kernel::THREADS), kernel::THREADS);
    mus_search_sum(d, MUS_SUMS_LENGTHS, MUS_LENGTHS);
  });
}

static void mus_record_end(mus_device_search *d) {
  mus_device_step *s = d->step;
  s->run.record(&d->finish, [=] {
    typedef mus_change_kernel change;
    if (s->half) {
      mus_search_evaluate<true>(d);
      mus_search_gather(d, nullptr);
    }
    mus_search_touch<mus_touch_settle_kernel>(d, s->next_position, s->next_velocity, s->system.right, s->touched,
                                              d->pushed);
    s->run.launch(change{s->unknowns, s->velocity, s->next_velocity, s->system.change},
                  mus_step_blocks(s->unknowns, change::THREADS), change::THREADS);
  });
  s->run.record(&d->rest, [=] {
    size_t n = (size_t)s->unknowns;
    mus_search_evaluate<true>(d);
    mus_search_gather(d, nullptr);
    if (s->half)
      s->run.put((const double *)d->pushed, (size_t)s->nodes, s->next_push);
    s->run.put((const double *)d->free_right, n, s->system.right);
    s->run.clear(s->system.change, n * sizeof(double));
  });
}

// --- stages ----------------------------------------------------------------------------------------------------------

static mus_status mus_make_search(mus_device_search *d) {
  mus_device_step *s = d->step;
  for (double **v : {&d->free_right, &d->right_before, &d->way, &d->from, &d->marked})
    *v = mus_search_vector(s, (size_t)s->unknowns);
  d->hold = s->run.take<mus_stage_hold>((size_t)s->nodes);
  d->hold_count = s->run.take<int>(1);
  d->length = s->run.take<double>(1);
  if (s->half) {
    d->term = s->run.take<mus_touch_term>((size_t)s->nodes);
    d->pushed = mus_search_vector(s, (size_t)s->nodes);
  }
  d->memory = s->run.take<mus_stage_memory>(1);
  mus_search_place_sums(d);
  if (s->run.status())
    return s->run.status();
  mus_record_first(d);
  mus_record_system(d);
  mus_record_search(d);
  mus_record_distance(d);
  mus_record_end(d);
  s->run.wait();
  return s->run.status();
}

static mus_status mus_search_create_stage(mus_device_step *s, mus_device_search **out, mus_stage_failure *failure) {
  mus_device_search *d = nullptr;
  mus_status status;
  try {
    d = new mus_device_search(s);
    status = mus_make_search(d);
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

static void mus_search_free_stage(mus_device_search *d) { delete d; }

// Adds up the energies that a sequence has left.
static mus_status mus_search_told_energy(mus_device_search *d, double *energy, mus_stage_failure *failure) {
  enum { AT_ONCE = 64 };
  double sums[2 * AT_ONCE];
  *energy = 0;
  for (int from = 0; from < d->energies(); from += AT_ONCE) {
    int count = std::min(d->energies() - from, (int)AT_ONCE);
    d->step->run.get((const double *)d->sums + 2 * (MUS_SUMS_ENERGIES + from), 2 * (size_t)count, sums);
    for (int k = 0; k < count && !d->step->run.status(); ++k)
      *energy += sums[2 * k];
  }
  return mus_step_told(d->step, failure);
}

static mus_status mus_search_begin_stage(mus_device_search *d, const mus_stage_moment *moment, const double *scale,
                                         int holds, const mus_stage_hold *hold, double *energy,
                                         mus_stage_failure *failure) {
  mus_device_step *s = d->step;
  if (moment->order != 1)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "a step that is minimised is one of order 1");
  if (holds < 0 || holds > s->nodes)
    return mus_step_refuse(failure, MUS_BAD_INPUT, "more nodes are held than there are");
  double h = moment->length;
  mus_moment_there there = {*moment, {h * h, h, 0, 0, 1 / h}};
  s->run.put(&there, 1, s->moment);
  s->run.put(scale, s->list.size(), s->scale);
  s->run.put(&holds, 1, d->hold_count);
  s->run.put(hold, (size_t)holds, d->hold);
  s->run.play(d->first);
  s->seconds.assemble = 0;
  return mus_search_told_energy(d, energy, failure);
}

static mus_status mus_search_assemble_stage(mus_device_search *d, int with_matrix, mus_stage_failure *failure) {
  mus_device_step *s = d->step;
  s->run.mark(MUS_STEP_MARK_BEGIN);
  s->run.play(with_matrix ? d->system : d->residual);
  s->run.mark(MUS_STEP_MARK_END);
  s->run.wait();
  s->seconds.assemble += s->run.between(MUS_STEP_MARK_BEGIN, MUS_STEP_MARK_END);
  return mus_step_told(s, failure);
}

static void mus_search_system_stage(const mus_device_search *d, mus_stage_system *out) {
  *out = d->step->system;
  out->position = d->step->next_position;
}

static mus_status mus_search_direct_stage(mus_device_search *d, const mus_stage_memory *memory,
                                          mus_stage_direction *out, mus_stage_failure *failure) {
  mus_device_step *s = d->step;
  double sums[2 * MUS_SUMS_ENERGIES] = {};
  s->run.put(memory, 1, d->memory);
  s->run.play(d->directed);
  s->run.get((const double *)d->sums, 2 * (size_t)MUS_SUMS_ENERGIES, sums);
  out->product = sums[2 * MUS_PRODUCT_OWN];
  mus_kept_part(*memory, sums, &out->downhill);
  out->square = sums[2 * (MUS_SUMS_LENGTHS + MUS_LENGTH_SQUARE)];
  out->farthest = sums[2 * (MUS_SUMS_LENGTHS + MUS_LENGTH_FARTHEST)];
  return mus_step_told(s, failure);
}

static mus_status mus_search_go_stage(mus_device_search *d, double length, double *energy, mus_stage_failure *failure) {
  d->step->run.put(&length, 1, d->length);
  d->step->run.play(d->along);
  return mus_search_told_energy(d, energy, failure);
}

static mus_status mus_search_slope_stage(mus_device_search *d, double *slope, mus_stage_failure *failure) {
  *slope = 0;
  d->step->run.play(d->residual);
  d->step->run.play(d->turned);
  d->step->run.get((const double *)d->sums + 2 * MUS_PRODUCT_OWN, 1, slope);
  return mus_step_told(d->step, failure);
}

static mus_status mus_search_mark_stage(mus_device_search *d, mus_stage_failure *failure) {
  d->step->run.put((const double *)d->step->next_velocity, (size_t)d->step->unknowns, d->marked);
  return mus_step_told(d->step, failure);
}

static mus_status mus_search_distance_stage(mus_device_search *d, double *square, double *farthest,
                                            mus_stage_failure *failure) {
  double sums[2 * MUS_LENGTHS] = {};
  d->step->run.play(d->apart);
  d->step->run.get((const double *)d->sums + 2 * MUS_SUMS_LENGTHS, 2 * (size_t)MUS_LENGTHS, sums);
  *square = sums[2 * MUS_LENGTH_SQUARE];
  *farthest = sums[2 * MUS_LENGTH_FARTHEST];
  return mus_step_told(d->step, failure);
}

static mus_status mus_search_end_stage(mus_device_search *d, mus_stage_sums *sums, mus_stage_failure *failure) {
  d->step->run.play(d->finish);
  mus_status status = mus_step_move_stage(d->step, sums, failure);
  d->step->run.play(d->rest);
  return status ? status : mus_step_told(d->step, failure);
}

static mus_status mus_search_look_stage(mus_device_search *d, double *position, double *velocity,
                                        mus_stage_failure *failure) {
  mus_device_step *s = d->step;
  s->run.put((const double *)s->next_position, (size_t)s->unknowns, position);
  s->run.put((const double *)s->next_velocity, (size_t)s->unknowns, velocity);
  s->run.wait();
  return mus_step_told(s, failure);
}

static mus_status mus_search_get_free_stage(mus_device_search *d, double *free_right, mus_stage_failure *failure) {
  d->step->run.get((const double *)d->free_right, (size_t)d->step->unknowns, free_right);
  return mus_step_told(d->step, failure);
}

static const mus_minimise_stages mus_minimise_table = {
    mus_search_create_stage,  mus_search_free_stage,     mus_search_begin_stage, mus_search_assemble_stage,
    mus_search_system_stage,  mus_search_direct_stage,   mus_search_go_stage,    mus_search_slope_stage,
    mus_search_mark_stage,    mus_search_distance_stage, mus_search_end_stage,   mus_search_look_stage,
    mus_search_get_free_stage};

#endif
