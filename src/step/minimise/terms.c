// See terms.h.
#include "step/minimise/terms.h"

#include "base/error.h"
#include "par/par.h"

mus_status mus_minimise_terms_create(mus_arena *arena, int vertices, mus_minimise_terms *out) {
  size_t n = (size_t)vertices;
  *out = (mus_minimise_terms){.centre = mus_arena_alloc_zero(arena, 3 * n, sizeof(double)),
                              .force = mus_arena_alloc_zero(arena, 3 * n, sizeof(double)),
                              .block = mus_arena_alloc_zero(arena, 9 * n, sizeof(double))};
  return out->centre && out->force && out->block ? MUS_OK : mus_fail_memory();
}

// d and B d of a vertex.
static void draw(const mus_minimise_terms *terms, const double *velocity, size_t vertex, double d[3], double drawn[3]) {
  mus_subtract3(velocity + 3 * vertex, terms->centre + 3 * vertex, d);
  for (size_t k = 0; k < 3; ++k)
    drawn[k] = mus_dot3(terms->block + 9 * vertex + 3 * k, d);
}

double mus_minimise_terms_energy(const mus_minimise_terms *terms, const mus_model *model, const double *velocity) {
  double energy = 0, d[3], drawn[3];
  for (size_t i = 0; i < (size_t)model->vertices && terms; ++i) {
    draw(terms, velocity, i, d, drawn);
    energy += mus_dot3(d, drawn) / 2 - mus_dot3(terms->force + 3 * i, d);
  }
  return energy;
}

void mus_minimise_terms_load(const mus_minimise_terms *terms, const mus_model *model, const double *velocity,
                             mus_matrix *matrix, double *right) {
  if (!terms)
    return;
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < (size_t)model->vertices; ++i) {
    double d[3], drawn[3];
    draw(terms, velocity, i, d, drawn);
    for (size_t k = 0; k < 3; ++k)
      right[3 * i + k] += terms->force[3 * i + k] - drawn[k];
    for (size_t e = 0; e < 9 && matrix; ++e)
      mus_matrix_at(matrix, model->diagonal[i])[e] += terms->block[9 * i + e];
  }
}
