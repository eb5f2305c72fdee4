// Forces and matrix of all cloths. See assemble.h.
#include "step/assemble.h"

#include "par/par.h"

// What the elements of all lists are evaluated with.
typedef struct assembly {
  const mus_model *model;
  const mus_settings *settings;
  const mus_instant *at;
  mus_weather weather;
} assembly;

// How a list is evaluated, with nothing asked for yet.
static mus_evaluation evaluation_of(const assembly *all, const mus_model_list *list) {
  const mus_instant *at = all->at;
  size_t from = 3 * (size_t)list->elements.first_vertex;
  mus_evaluation e = {.position = at->position + from,
                      .time = at->time,
                      .blend = {.stiffness = at->length * at->length, .damping = at->length},
                      .weather = all->weather.air.density > 0 ? &all->weather : NULL};
  if (at->before) {
    e.before = at->before + from;
    e.blend.per_second = 1 / at->length;
  } else {
    e.velocity = at->velocity + from;
    e.blend.drift = at->drift;
  }
  e.scale = mus_settings_list_stiffness(all->settings, list, at->time);
  return e;
}

static void evaluate(const void *context, int number, int first, int count, double *gradient, double *block) {
  const assembly *all = context;
  const mus_model_list *list = &all->model->lists[number];
  const mus_element_kind *kind = list->elements.kind;
  mus_evaluation e = evaluation_of(all, list);
  e.gradient = gradient;
  *(kind->rank_one ? &e.rank_one : &e.block) = block;
  kind->evaluate(&list->elements, first, count, &e);
}

static assembly assembly_at(const mus_model *model, const mus_settings *settings, const mus_instant *at) {
  assembly all = {.model = model, .settings = settings, .at = at};
  all.weather = (mus_weather){.air = {settings->air_density, MUS_DRAG_NORMAL, MUS_DRAG_TANGENTIAL}};
  int wind = mus_settings_wind(settings, at->time, all.weather.wind);
  all.weather.gusts = wind && model->gusts.waves > 0 ? &model->gusts : NULL;
  return all;
}

// Adds the rows' sums of an element's blocks (the upper triangle) to its nodes.
static mus_status lump(int arity, int first, const int *vertex, const double *block, mus_shared_blocks *to) {
  mus_status status = MUS_OK;
  for (int i = 0; i < arity && !status; ++i) {
    double sum[9] = {0};
    for (int j = 0; j < arity; ++j)
      for (int e = 0; e < 9; ++e)
        sum[e] += i <= j ? block[9 * mus_upper_block(arity, i, j) + e]
                         : block[9 * mus_upper_block(arity, j, i) + 3 * (e % 3) + e / 3];
    status = mus_shared_blocks_add(to, first + vertex[i], 1, sum);
  }
  return status;
}

mus_status mus_assemble_lumped(const mus_model *model, const mus_settings *settings, const mus_instant *at,
                               mus_shared_blocks *to) {
  enum { RUN = 32 };
  double block[RUN * 9 * MUS_ARITY_MAXIMUM * (MUS_ARITY_MAXIMUM + 1) / 2];
  assembly all = assembly_at(model, settings, at);
  mus_status status = MUS_OK;
  for (int l = 0; l < model->list_count && !status; ++l) {
    const mus_element_list *list = &model->lists[l].elements;
    int arity = list->kind->arity;
    size_t blocks = 9 * (size_t)mus_tuple_blocks(arity);
    mus_evaluation e = evaluation_of(&all, &model->lists[l]);
    e.block = block;
    for (int from = 0; list->kind->lump && e.weather && from < list->count && !status; from += RUN) {
      int run = list->count - from < RUN ? list->count - from : RUN;
      list->kind->lump(list, from, run, &e);
      for (int k = 0; k < run && !status; ++k)
        status = lump(arity, list->first_vertex, list->vertex + (size_t)(arity * (from + k)),
                      block + blocks * (size_t)k, to);
    }
  }
  return status;
}

// --- energy ----------------------------------------------------------------------------------------------------------

// Sums are taken over a fixed number of parts, each a share of every list and of the vertices, and added up in order.
enum { PARTS = 64 };

static int begin_of(int count, int part) { return (int)((long long)count * part / PARTS); }

static double energy_of_list(const assembly *all, const mus_model_list *list, int part) {
  enum { RUN = 128 };
  double energy[RUN], sum = 0;
  mus_evaluation e = evaluation_of(all, list);
  e.energy = energy;
  int last = begin_of(list->elements.count, part + 1);
  for (int first = begin_of(list->elements.count, part); first < last; first += RUN) {
    int run = last - first < RUN ? last - first : RUN;
    list->elements.kind->evaluate(&list->elements, first, run, &e);
    for (int k = 0; k < run; ++k)
      sum += energy[k];
  }
  return sum;
}

// - M g . (x - X) of a part of the vertices.
static double weight_of(const assembly *all, const double *gravity, int part) {
  const mus_model *model = all->model;
  const double *before = all->at->before;
  double sum = 0;
  for (int i = begin_of(model->vertices, part); i < begin_of(model->vertices, part + 1); ++i) {
    const double *x = all->at->position + 3 * (size_t)i;
    double way[3] = {x[0], x[1], x[2]};
    if (before)
      mus_subtract3(x, before + 3 * (size_t)i, way);
    sum -= model->mass[i] * mus_dot3(gravity, way);
  }
  return sum;
}

double mus_assemble_energy(const mus_model *model, const mus_settings *settings, const mus_instant *at) {
  assembly all = assembly_at(model, settings, at);
  double gravity[3], part[PARTS], sum = 0;
  mus_settings_gravity(settings, at->time, gravity);
  MUS_PARALLEL_FOR_IF(model->vertices > MUS_PAR_MINIMUM)
  for (int p = 0; p < PARTS; ++p) {
    part[p] = weight_of(&all, gravity, p);
    for (int l = 0; l < model->list_count; ++l)
      part[p] += energy_of_list(&all, &model->lists[l], p);
  }
  for (int p = 0; p < PARTS; ++p)
    sum += part[p];
  return sum;
}

// --- forces ----------------------------------------------------------------------------------------------------------

void mus_assemble(const mus_model *model, const mus_settings *settings, const mus_instant *at, mus_matrix *matrix,
                  double *force) {
  assembly all = assembly_at(model, settings, at);
  mus_scatter_run(model->scatter, evaluate, &all, matrix, force);
  double gravity[3];
  mus_settings_gravity(settings, at->time, gravity);
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
