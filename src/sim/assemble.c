// Forces and matrix of all cloths. See assemble.h.
#include "sim/assemble.h"

#include "par/par.h"
#include "sim/motion.h"

static void evaluate_cloth(mus_sim *sim, const mus_model_cloth *c, const mus_instant *at, int with_matrix) {
  static const double one = 1, still[3] = {0, 0, 0};
  const mus_scene *scene = sim->model.scene;
  size_t first = 3 * (size_t)c->first_vertex;
  mus_evaluation e = {.position = at->position + first, .velocity = at->velocity + first};
  e.blend = (mus_blend){at->length * at->length, at->length, at->drift, at->exact};
  mus_keys_at(&c->source->stiffness, 1, at->time, &one, &e.scale);
#define PLACE(kind, arity)                                                                                             \
  e.gradient = sim->gradient[kind] + (size_t)c->first[kind] * (arity)*3;                                               \
  e.block = with_matrix ? sim->block[kind] + (size_t)c->first[kind] * (size_t)mus_tuple_blocks(arity) * 9 : NULL
  PLACE(MUS_ELEMENT_MEMBRANE, 3);
  mus_membranes_evaluate(&c->membranes, &e);
  PLACE(MUS_ELEMENT_HINGE, 4);
  mus_hinges_evaluate(&c->hinges, &e);
  PLACE(MUS_ELEMENT_SPRING, 2);
  mus_springs_evaluate(&c->springs, &e);
  PLACE(MUS_ELEMENT_ACROSS, 2);
  mus_bucklings_evaluate(&c->bucklings, &e);
  mus_springs_evaluate(&c->bend_springs, &e);
  if (sim->model.tuples[MUS_ELEMENT_AIR].count > 0) {
    mus_weather weather = {.air = {scene->air_density, 1.5, 0.05}, .time = at->time};
    mus_keys_at(&scene->wind, 3, at->time, still, weather.wind);
    weather.gusts = scene->wind.count > 0 && sim->model.gusts.waves > 0 ? &sim->model.gusts : NULL;
    e.scale = 1;
    PLACE(MUS_ELEMENT_AIR, 3);
    mus_drag_evaluate(c->shape.mesh.triangles, c->shape.mesh.triangle, &weather, &e);
  }
#undef PLACE
}

void mus_assemble(mus_sim *sim, const mus_instant *at, int with_matrix) {
  const mus_model *m = &sim->model;
  for (int k = 0; k < m->cloth_count; ++k)
    evaluate_cloth(sim, &m->cloths[k], at, with_matrix);
  if (with_matrix)
    mus_scatter_matrix(m->scatter, (const double *const *)sim->block, &sim->matrix);
  mus_scatter_vector(m->scatter, 3, (const double *const *)sim->gradient, sim->right);
  double gravity[3];
  mus_gravity_at(m->scene, at->time, gravity);
  MUS_PARALLEL_FOR_IF(m->vertices > MUS_PAR_MINIMUM)
  for (int i = 0; i < m->vertices; ++i) {
    double *diagonal = sim->matrix.value + 9 * (size_t)m->diagonal[i];
    for (int c = 0; c < 3; ++c) {
      if (with_matrix)
        diagonal[4 * c] += m->mass[i];
      sim->right[3 * i + c] = m->mass[i] * gravity[c] - sim->right[3 * i + c];
    }
  }
}
