// The checks of check.h on the elements of a list, through its kind: what every kind of elements must do.
#ifndef TESTS_ENERGY_CHECK_KIND_H
#define TESTS_ENERGY_CHECK_KIND_H

#include "energy/check.h"
#include "energy/element_list.h"

// An element of a list among vertices that are all elsewhere.
typedef struct listed {
  const mus_element_list *list;
  int element;
  double *position, *velocity; // of all vertices; written
} listed;

static inline double listed_evaluate(const void *data, const mus_blend *blend, const double *x, const double *v,
                                     double *gradient, double *block) {
  const listed *of = data;
  const mus_element_kind *kind = of->list->kind;
  const int *vertex = of->list->vertex + kind->arity * of->element;
  double energy;
  mus_evaluation e = {.position = of->position,
                      .velocity = v ? of->velocity : NULL,
                      .time = 0.1,
                      .blend = *blend,
                      .scale = 1,
                      .energy = &energy,
                      .gradient = gradient,
                      .block = block};
  for (int k = 0; k < kind->arity; ++k) {
    memcpy(of->position + 3 * vertex[k], x + 3 * k, 3 * sizeof *x);
    if (v)
      memcpy(of->velocity + 3 * vertex[k], v + 3 * k, 3 * sizeof *v);
  }
  kind->evaluate(of->list, of->element, 1, &e);
  return energy;
}

// r r^T of a kind that can be written so is its matrix.
static inline void listed_rank_one(const listed *of, const double *x) {
  const mus_element_kind *kind = of->list->kind;
  const mus_blend blend = {0.3, 0.6, 0, 0, 0};
  checked c = {kind->arity, of, listed_evaluate};
  int n = 3 * kind->arity;
  double full[CHECK_N * CHECK_N], product[CHECK_N * CHECK_N], r[CHECK_N];
  check_matrix(&c, &blend, x, full);
  mus_evaluation e = {.position = of->position, .blend = blend, .scale = 1, .rank_one = r};
  kind->evaluate(of->list, of->element, 1, &e);
  for (int k = 0; k < n * n; ++k)
    product[k] = r[k / n] * r[k % n];
  check_close("r r^T", n * n, product, full, 1e-12, 0);
}

// Gradient and Hessian of an element against differences, where its vertices are moved at random by about `far`.
static inline void check_listed(const mus_element_list *list, int element, int vertices, const double *start,
                                double far, uint64_t seed) {
  const mus_element_kind *kind = list->kind;
  const int *vertex = list->vertex + kind->arity * element;
  double x[CHECK_N], v[CHECK_N];
  listed of = {list, element, calloc(3 * (size_t)vertices, sizeof(double)),
               calloc(3 * (size_t)vertices, sizeof(double))};
  checked c = {kind->arity, &of, listed_evaluate};
  check_fill(3 * kind->arity, far, seed, x);
  check_fill(3 * kind->arity, 1, seed + 1000, v);
  for (int k = 0; k < kind->arity; ++k)
    mus_add_scaled3(1, start + 3 * vertex[k], x + 3 * k);
  check_force(&c, x, 1e-7, 1e-5, 1e-4);
  check_hessian(&c, x, 1e-7, 1e-4, 1);
  check_definite_matrix(&c, x);
  check_damping_matrix(&c, x, v, 1e-7);
  if (kind->rank_one)
    listed_rank_one(&of, x);
  free(of.position);
  free(of.velocity);
}

#endif
