// Forces and matrix of all cloths. See assemble.h.
#include "step/assemble.h"

#include <string.h>

#include "par/par.h"

// What the elements of all lists are evaluated with.
typedef struct assembly {
  const mus_model *model;
  const mus_settings *settings;
  const mus_instant *at;
  mus_weather weather;
  int windy; // 1: there is air, moving or not
} assembly;

static void evaluate_triangles(const assembly *all, const mus_model_cloth *c, int first, int count, mus_evaluation *e) {
  if (c->membranes.count > 0) {
    e->weather = all->windy ? &all->weather : NULL;
    mus_membranes_evaluate(&c->membranes, first, count, e);
    return;
  }
  memset(e->gradient, 0, (size_t)count * 9 * sizeof *e->gradient);
  if (e->block)
    memset(e->block, 0, (size_t)count * 54 * sizeof *e->block);
  e->scale = 1;
  if (all->windy)
    mus_drag_add(c->shape.mesh.triangle, first, count, &all->weather, e);
}

static void evaluate_stitches(const mus_model_stitches *s, const mus_instant *at, int first, int count,
                              double *gradient, double *block) {
  mus_blend blend = {at->length * at->length, at->length, at->drift, 0};
  int arity = s->arity, blocks = 9 * mus_tuple_blocks(arity);
  for (int k = 0; k < count; ++k) {
    const int *vertex = s->vertex + (size_t)(first + k) * (size_t)arity;
    double x[9], v[9];
    for (int n = 0; n < arity; ++n) {
      memcpy(x + 3 * n, at->position + 3 * (size_t)vertex[n], 3 * sizeof *x);
      memcpy(v + 3 * n, at->velocity + 3 * (size_t)vertex[n], 3 * sizeof *v);
    }
    const mus_stitch_rest *rest = &s->rest[first + k];
    mus_stitch_element(rest, mus_stitch_length(rest, at->time), arity, &blend, x, v, gradient + 3 * arity * k,
                       block ? block + (size_t)blocks * (size_t)k : NULL);
  }
}

static void evaluate(const void *context, int list, int first, int count, double *gradient, double *block) {
  const assembly *all = context;
  const mus_instant *at = all->at;
  const mus_model_list *which = &all->model->lists[list];
  if (which->kind == MUS_ELEMENT_STITCH) {
    evaluate_stitches(&all->model->stitches[which->cloth], at, first, count, gradient, block);
    return;
  }
  const mus_model_cloth *c = &all->model->cloths[which->cloth];
  size_t from = 3 * (size_t)c->first_vertex;
  mus_evaluation e = {.position = at->position + from, .velocity = at->velocity + from};
  e.blend = (mus_blend){at->length * at->length, at->length, at->drift, 0};
  e.gradient = gradient;
  e.block = block;
  e.scale = mus_settings_stiffness(all->settings, all->model, which->cloth, at->time);
  switch (which->kind) {
  case MUS_ELEMENT_TRIANGLE:
    evaluate_triangles(all, c, first, count, &e);
    break;
  case MUS_ELEMENT_HINGE: // of rank one, see model.c
    e.rank_one = block;
    e.block = NULL;
    mus_hinges_evaluate(&c->hinges, first, count, &e);
    break;
  case MUS_ELEMENT_SPRING:
    mus_springs_evaluate(&c->springs, first, count, &e);
    break;
  case MUS_ELEMENT_BEND_SPRING:
    mus_springs_evaluate(&c->bend_springs, first, count, &e);
    break;
  case MUS_ELEMENT_BUCKLING:
    mus_bucklings_evaluate(&c->bucklings, first, count, &e);
    break;
  case MUS_ELEMENT_STITCH: // above
    break;
  }
}

void mus_assemble(const mus_model *model, const mus_settings *settings, const mus_instant *at, mus_matrix *matrix,
                  double *force) {
  const mus_scene *scene = model->scene;
  assembly all = {.model = model, .settings = settings, .at = at, .windy = scene->air_density > 0};
  all.weather = (mus_weather){.air = {scene->air_density, 1.5, 0.05}, .time = at->time};
  int wind = mus_settings_wind(settings, model, at->time, all.weather.wind);
  all.weather.gusts = wind && model->gusts.waves > 0 ? &model->gusts : NULL;
  mus_scatter_run(model->scatter, evaluate, &all, matrix, force);
  double gravity[3];
  mus_settings_gravity(settings, model, at->time, gravity);
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < model->vertices; ++i) {
    double mass = model->mass[i];
    for (int c = 0; c < 3; ++c) {
      if (matrix)
        mus_matrix_at(matrix, model->diagonal[i])[4 * c] += mass;
      force[3 * i + c] = mass * gravity[c] - force[3 * i + c];
    }
  }
}
