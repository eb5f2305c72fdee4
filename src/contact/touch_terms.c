// See touch_terms.h.
#include "contact/touch_terms.h"

#include "base/error.h"
#include "par/par.h"

enum { PARTS = 256 };

static mus_touch_among among_of(const mus_touch *touch, double length, int vertex) {
  return (mus_touch_among){touch->bodies, touch->body, touch->grid, touch->half[vertex], length};
}

mus_status mus_touch_terms_begin(const mus_model *model, const mus_touch_step *step, const double *gravity,
                                 const mus_matrix *matrix, mus_touch *touch, double *velocity) {
  if (!touch->term)
    touch->term = mus_arena_alloc_zero(&touch->arena, (size_t)touch->vertices, sizeof *touch->term);
  if (!touch->term)
    return mus_fail_memory();
  mus_touch_place(model, step->time - step->h, step->time, touch);
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    size_t at = 3 * (size_t)i;
    const double *block = mus_matrix_at(matrix, model->diagonal[i]);
    mus_touch_among among = among_of(touch, step->length, i);
    mus_touch_vertex vertex = mus_touch_vertex_of(model, step, touch, i);
    touch->term[i] = (mus_touch_term){0};
    if (step->pinned[i] < 0)
      mus_touch_begin(&vertex, gravity, &among, block[0] + block[4] + block[8], velocity + at, &touch->term[i]);
  }
  return MUS_OK;
}

double mus_touch_terms_energy(const mus_touch *touch, double length, const double *position, const double *velocity) {
  double part[PARTS], sum = 0;
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int p = 0; p < PARTS; ++p) {
    part[p] = 0;
    int end = (int)((size_t)touch->vertices * ((size_t)p + 1) / PARTS);
    for (int i = (int)((size_t)touch->vertices * (size_t)p / PARTS); i < end; ++i) {
      mus_touch_among among = among_of(touch, length, i);
      part[p] += mus_touch_term_energy(&touch->term[i], &among, position + 3 * (size_t)i, velocity + 3 * (size_t)i);
    }
  }
  for (int p = 0; p < PARTS; ++p)
    sum += part[p];
  return sum;
}

void mus_touch_terms_load(const mus_model *model, const mus_touch *touch, double length, const double *position,
                          const double *velocity, mus_matrix *matrix, double *right) {
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    size_t at = 3 * (size_t)i;
    mus_touch_among among = among_of(touch, length, i);
    mus_touch_term_load(&touch->term[i], &among, position + at, velocity + at,
                        matrix ? mus_matrix_at(matrix, model->diagonal[i]) : NULL, right + at);
  }
}

void mus_touch_terms_guard(const mus_touch *touch, double length, const double *predicted, const double *from,
                           double *position, double *velocity) {
  MUS_PARALLEL_FOR_IF(touch->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < touch->vertices; ++i) {
    size_t at = 3 * (size_t)i;
    mus_touch_among among = among_of(touch, length, i);
    double start[3];
    for (size_t c = 0; c < 3; ++c)
      start[c] = predicted[at + c] + length * from[at + c];
    if (mus_touch_guard(&touch->term[i], &among, start, position + at))
      for (size_t c = at; c < at + 3; ++c)
        velocity[c] = (position[c] - predicted[c]) / length;
  }
}

void mus_touch_terms_end(double length, const double *position, const double *velocity, const double *left,
                         mus_touch *touch) {
  touch->count = 0;
  for (int i = 0; i < touch->vertices; ++i) {
    size_t at = 3 * (size_t)i;
    mus_touch_among among = among_of(touch, length, i);
    touch->push[i] =
        mus_touch_settle(&touch->term[i], &among, position + at, velocity + at, left + at, &touch->touched[i]);
    mus_touch_end(&touch->touched[i], velocity + at, length, touch->impulse + at);
    touch->count += touch->touched[i].stiffness > 0;
  }
}
