// From a scene to the model. See model.h.
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "io/scene.h"
#include "mesh/measure.h"

// --- a cloth ---------------------------------------------------------------------------------------------------------

// The fabric of that name with the cloth's scales.
static mus_status make_fabric(const mus_cloth *cloth, const char *name, mus_fabric *fabric) {
  const mus_fabric *found;
  mus_status status = mus_fabric_find(name ? name : "cotton", &found);
  if (status)
    return status;
  *fabric = *found;
  for (int k = 0; k < 2; ++k)
    fabric->stretch[k] *= cloth->stretch_scale;
  fabric->shear *= cloth->shear_scale;
  for (int k = 0; k < 3; ++k)
    fabric->bend[k] *= cloth->bend_scale;
  fabric->stretch_damping *= cloth->damping_scale;
  fabric->shear_damping *= cloth->damping_scale;
  fabric->bend_damping *= cloth->damping_scale;
  if (cloth->density > 0)
    fabric->density = cloth->density;
  return mus_fabric_check(fabric);
}

// The element lists of the cloth's model.
static mus_status make_elements(mus_arena *arena, mus_model_cloth *c) {
  mus_status status;
  switch (c->source->model) {
  case MUS_CLOTH_MODEL_BARAFF_WITKIN:
    status = mus_membranes_create(arena, &c->shape.mesh, &c->fabric, &c->membranes);
    return status ? status
                  : mus_hinges_create(arena, &c->shape.mesh, &c->shape.topology, &c->fabric,
                                      c->shape.shaped ? MUS_REST_SHAPED : MUS_REST_FLAT, &c->hinges);
  case MUS_CLOTH_MODEL_CHOI_KO:
    status = mus_springs_of_fabric(arena, &c->shape.mesh, &c->shape.topology, &c->fabric, &c->springs);
    return status ? status : mus_bucklings_create(arena, &c->shape.mesh, &c->shape.topology, &c->fabric, &c->bucklings);
  case MUS_CLOTH_MODEL_MASS_SPRING:
    status = mus_springs_create(arena, &c->shape.mesh, &c->shape.topology, MUS_ALONG_EDGES, c->fabric.stretch[0],
                                c->fabric.stretch[0] * c->fabric.stretch_damping, &c->springs);
    return status ? status
                  : mus_springs_create(arena, &c->shape.mesh, &c->shape.topology, MUS_ACROSS_HINGES, c->fabric.bend[0],
                                       c->fabric.bend[0] * c->fabric.bend_damping, &c->bend_springs);
  }
  return mus_fail(MUS_BAD_INPUT, "a cloth has no model of number %d", (int)c->source->model);
}

// The body of that name where it starts.
static mus_status find_body(const mus_model *model, const char *name, mus_arena *scratch, mus_mesh *out) {
  int body = 0;
  while (body < model->scene->body_count &&
         !(model->scene->bodies[body].name && strcmp(model->scene->bodies[body].name, name) == 0))
    ++body;
  if (body == model->scene->body_count)
    return mus_fail(MUS_BAD_INPUT, "shape.around: there is no body \"%s\"", name);
  int first = mus_bodies_first_vertex(model->bodies, body), triangle = mus_bodies_first_triangle(model->bodies, body);
  double *position = mus_arena_alloc(scratch, 3 * (size_t)mus_bodies_vertices(model->bodies), sizeof *position);
  mus_status status = mus_mesh_create(scratch, mus_bodies_first_vertex(model->bodies, body + 1) - first,
                                      mus_bodies_first_triangle(model->bodies, body + 1) - triangle, 0, out);
  if (status || !position)
    return status ? status : mus_fail_memory();
  status = mus_bodies_at(model->bodies, 0, position);
  memcpy(out->position, position + 3 * (size_t)first, 3 * (size_t)out->vertices * sizeof *position);
  for (size_t k = 0; k < 3 * (size_t)out->triangles; ++k)
    out->triangle[k] = mus_bodies_triangle_list(model->bodies)[3 * (size_t)triangle + k] - first;
  return status;
}

static mus_status make_mesh(mus_model *model, const mus_cloth *source, mus_cloth_mesh *shape) {
  mus_arena scratch = {0};
  mus_mesh body;
  int dresses = source->shape.kind == MUS_CLOTH_SHAPE_GARMENT && source->shape.around;
  mus_status status = dresses ? find_body(model, source->shape.around, &scratch, &body) : MUS_OK;
  if (!status)
    status = mus_cloth_mesh_create(&model->arena, source, dresses ? &body : NULL, shape);
  mus_arena_clear(&scratch);
  return status;
}

static mus_status make_cloth(mus_model *model, const mus_cloth *source, mus_model_cloth *cloth) {
  cloth->source = source;
  mus_status status = make_fabric(source, source->fabric, &cloth->fabric);
  if (!status)
    status = make_mesh(model, source, &cloth->shape);
  if (!status)
    status = make_elements(&model->arena, cloth);
  cloth->first_vertex = model->vertices;
  cloth->first_triangle = model->triangles;
  model->vertices += cloth->shape.mesh.vertices;
  model->triangles += cloth->shape.mesh.triangles;
  model->strains += (size_t)cloth->membranes.count + (size_t)cloth->springs.count;
  return status;
}

static void copy_rest(int count, size_t size, const void *from, void *to) {
  if (count > 0)
    memcpy(to, from, (size_t)count * size);
}

// The constants of the same elements, of another fabric.
static void take_elements(const mus_model_cloth *from, mus_model_cloth *to) {
  to->membranes.material = from->membranes.material;
  copy_rest(to->hinges.count, sizeof *to->hinges.rest, from->hinges.rest, to->hinges.rest);
  copy_rest(to->springs.count, sizeof *to->springs.rest, from->springs.rest, to->springs.rest);
  copy_rest(to->bend_springs.count, sizeof *to->bend_springs.rest, from->bend_springs.rest, to->bend_springs.rest);
  copy_rest(to->bucklings.count, sizeof *to->bucklings.rest, from->bucklings.rest, to->bucklings.rest);
}

// --- all cloths together ---------------------------------------------------------------------------------------------

// Triangles and their material coordinates, in the order that users see.
static void show_triangles(mus_model *model, const mus_model_cloth *c) {
  const mus_mesh *mesh = &c->shape.mesh;
  const mus_order *order = c->shape.order;
  for (int t = 0; t < mesh->triangles; ++t) {
    size_t to = 3 * ((size_t)c->first_triangle + (size_t)(order ? order->triangle[t] : t));
    for (size_t k = 0; k < 3; ++k) {
      int vertex = mesh->triangle[3 * (size_t)t + k];
      model->triangle[to + k] = c->first_vertex + (order ? order->vertex[vertex] : vertex);
    }
    memcpy(model->material + 2 * to, mesh->material + 6 * (size_t)t, 6 * sizeof(double));
  }
}

static void weigh(mus_model *model) {
  for (int k = 0; k < model->cloth_count; ++k) {
    const mus_model_cloth *c = &model->cloths[k];
    mus_vertex_masses(&c->shape.mesh, c->fabric.density, model->mass + c->first_vertex);
  }
  model->total_mass = 0;
  for (int i = 0; i < model->vertices; ++i)
    model->total_mass += model->mass[i];
}

static mus_status join_meshes(mus_model *model) {
  size_t vertices = (size_t)model->vertices, triangles = (size_t)model->triangles;
  model->start = mus_arena_alloc(&model->arena, 3 * vertices, sizeof *model->start);
  model->mass = mus_arena_alloc(&model->arena, vertices, sizeof *model->mass);
  model->triangle = mus_arena_alloc(&model->arena, 3 * triangles, sizeof *model->triangle);
  model->material = mus_arena_alloc(&model->arena, 6 * triangles, sizeof *model->material);
  if (!model->start || !model->mass || !model->triangle || !model->material)
    return mus_fail_memory();
  for (int k = 0; k < model->cloth_count; ++k) {
    const mus_model_cloth *c = &model->cloths[k];
    size_t first = (size_t)c->first_vertex;
    memcpy(model->start + 3 * first, c->shape.mesh.position, 3 * (size_t)c->shape.mesh.vertices * sizeof(double));
    show_triangles(model, c);
  }
  weigh(model);
  return MUS_OK;
}

static mus_tuples tuples_of(const mus_model *model, const mus_model_list *list) {
  if (list->kind == MUS_ELEMENT_STITCH) {
    const mus_model_stitches *s = &model->stitches[list->cloth];
    return (mus_tuples){.arity = s->arity, .count = s->count, .index = s->vertex};
  }
  const mus_model_cloth *c = &model->cloths[list->cloth];
  int triangles = c->membranes.count > 0 || model->scene->air_density > 0 ? c->shape.mesh.triangles : 0;
  switch (list->kind) {
  case MUS_ELEMENT_TRIANGLE:
    return (mus_tuples){.arity = 3, .count = triangles, .index = c->shape.mesh.triangle, .first = c->first_vertex};
  case MUS_ELEMENT_HINGE:
    return (mus_tuples){
        .arity = 4, .count = c->hinges.count, .index = c->hinges.vertex, .first = c->first_vertex, .rank_one = 1};
  case MUS_ELEMENT_SPRING:
    return (mus_tuples){.arity = 2, .count = c->springs.count, .index = c->springs.vertex, .first = c->first_vertex};
  case MUS_ELEMENT_BEND_SPRING:
    return (mus_tuples){
        .arity = 2, .count = c->bend_springs.count, .index = c->bend_springs.vertex, .first = c->first_vertex};
  case MUS_ELEMENT_BUCKLING:
    return (mus_tuples){
        .arity = 2, .count = c->bucklings.count, .index = c->bucklings.vertex, .first = c->first_vertex};
  case MUS_ELEMENT_STITCH:
    break;
  }
  return (mus_tuples){.arity = 1};
}

static mus_status join_elements(mus_model *model) {
  size_t of_cloths = (size_t)model->cloth_count * MUS_CLOTH_ELEMENT_KINDS, most = of_cloths + 2;
  model->lists = mus_arena_alloc(&model->arena, most, sizeof *model->lists);
  mus_tuples *tuples = mus_alloc(most, sizeof *tuples);
  mus_status status = model->lists && tuples ? MUS_OK : mus_fail_memory();
  int lists = 0;
  for (int k = 0; k < (int)most && !status; ++k) {
    mus_model_list list = {k / MUS_CLOTH_ELEMENT_KINDS, (mus_element_kind)(k % MUS_CLOTH_ELEMENT_KINDS)};
    if (k >= (int)of_cloths)
      list = (mus_model_list){k - (int)of_cloths, MUS_ELEMENT_STITCH};
    mus_tuples found = tuples_of(model, &list);
    if (found.count > 0) {
      model->lists[lists] = list;
      tuples[lists++] = found;
    }
  }
  if (!status)
    status = mus_pattern_from_tuples(&model->arena, model->vertices, lists, tuples, &model->pattern);
  if (!status)
    status = mus_scatter_create(&model->arena, &model->pattern, 3, lists, tuples, &model->scatter);
  mus_free(tuples);
  if (!status && !(model->diagonal = mus_arena_alloc(&model->arena, (size_t)model->vertices, sizeof(int))))
    status = mus_fail_memory();
  return status ? status : mus_diagonal_places(&model->pattern, model->diagonal);
}

// --- stitches --------------------------------------------------------------------------------------------------------

// A stitch as a scene or file has it, in the numbers of all cloths.
typedef struct sewing {
  int a, b, c;
  double ratio, close, stiffness, damping;
} sewing;

static mus_status add_sewing(mus_list *all, const mus_stitch *s, int first_a, int first_b, double close,
                             const mus_fabric *fabric) {
  sewing *item = mus_list_add(all, sizeof *item);
  if (!item)
    return mus_fail_memory();
  // As stiff as a square of the fabric, twice over: what a seam gives must not be seen.
  double stiffness = fabric->stretch[0] + fabric->stretch[1];
  *item = (sewing){
      s->a + first_a, s->b + first_b, s->c + first_b, s->ratio, close, stiffness, stiffness * fabric->stretch_damping};
  return MUS_OK;
}

static int cloth_named(const mus_model *model, const char *name) {
  for (int k = 0; k < model->cloth_count; ++k) {
    const char *has = model->cloths[k].source->name;
    if (name && strcmp(name, has ? has : "cloth") == 0)
      return k;
  }
  return -1;
}

static mus_status sew_seam(const mus_model *model, const mus_seam *seam, mus_list *all) {
  int from = cloth_named(model, seam->from), to = cloth_named(model, seam->to);
  if (from < 0 || to < 0)
    return mus_fail(MUS_BAD_INPUT, "there is no cloth \"%s\": \"from\" and \"to\" are names of cloths",
                    (from < 0 ? seam->from : seam->to) ? (from < 0 ? seam->from : seam->to) : "");
  const mus_model_cloth *a = &model->cloths[from], *b = &model->cloths[to];
  mus_status status = MUS_OK;
  for (int k = 0; k < seam->pair_count && !status; ++k) {
    mus_stitch stitch = {0};
    status = mus_cloth_mesh_vertex(&a->shape, seam->pairs[k][0], &stitch.a);
    if (!status)
      status = mus_cloth_mesh_vertex(&b->shape, seam->pairs[k][1], &stitch.b);
    stitch.c = stitch.b;
    if (!status)
      status = add_sewing(all, &stitch, a->first_vertex, b->first_vertex, seam->close, &a->fabric);
  }
  return status;
}

static mus_status collect_stitches(const mus_model *model, mus_list *all) {
  mus_status status = MUS_OK;
  for (int k = 0; k < model->cloth_count; ++k) {
    const mus_model_cloth *c = &model->cloths[k];
    for (int n = 0; n < c->shape.stitches && !status; ++n)
      status = add_sewing(all, &c->shape.stitch[n], c->first_vertex, c->first_vertex, c->source->close, &c->fabric);
  }
  for (int k = 0; k < model->scene->seam_count && !status; ++k) {
    status = sew_seam(model, &model->scene->seams[k], all);
    if (status)
      return mus_fail_prefix(status, "seams[%d]", k);
  }
  return status;
}

// How many nodes a stitch has; 0 where it ties a vertex to itself.
static int sewing_nodes(sewing *s) {
  if (s->ratio == 1)
    s->b = s->c;
  if (s->ratio == 0 || s->ratio == 1)
    s->c = s->b;
  if (s->a == s->b || s->a == s->c)
    return 0;
  return s->b == s->c ? 2 : 3;
}

static mus_status keep_stitches(mus_model *model, sewing *list, size_t count, int arity, mus_model_stitches *out) {
  size_t n = 0;
  for (size_t k = 0; k < count; ++k)
    n += sewing_nodes(&list[k]) == arity;
  *out = (mus_model_stitches){.arity = arity};
  out->vertex = mus_arena_alloc(&model->arena, n * (size_t)arity, sizeof *out->vertex);
  out->rest = mus_arena_alloc(&model->arena, n, sizeof *out->rest);
  if (!out->vertex || !out->rest)
    return mus_fail_memory();
  for (size_t k = 0; k < count; ++k) {
    sewing *s = &list[k];
    if (sewing_nodes(s) != arity)
      continue;
    double y[3], ratio = arity == 3 ? s->ratio : 0;
    int nodes[3] = {s->a, s->b, s->c};
    memcpy(out->vertex + (size_t)out->count * (size_t)arity, nodes, (size_t)arity * sizeof *nodes);
    memcpy(y, model->start + 3 * (size_t)s->a, sizeof y);
    mus_add_scaled3(ratio - 1, model->start + 3 * (size_t)s->b, y);
    mus_add_scaled3(-ratio, model->start + 3 * (size_t)s->c, y);
    out->rest[out->count++] = (mus_stitch_rest){ratio, sqrt(mus_dot3(y, y)), s->close, s->stiffness, s->damping};
  }
  return MUS_OK;
}

static mus_status make_stitches(mus_model *model) {
  mus_list all = {0};
  mus_status status = collect_stitches(model, &all);
  for (int k = 0; k < 2 && !status; ++k)
    status = keep_stitches(model, all.items, all.count, 2 + k, &model->stitches[k]);
  mus_free(all.items);
  model->driven = model->stitches[0].count + model->stitches[1].count > 0;
  return status;
}

// --- pins ------------------------------------------------------------------------------------------------------------

static int inside(int count, const double *low, const double *high, const double *x) {
  for (int c = 0; c < count; ++c)
    if (x[c] < low[c] || x[c] > high[c])
      return 0;
  return 1;
}

// Marks the cloth's vertices that the selection names.
static mus_status select_vertices(const mus_model_cloth *c, const mus_selection *s, unsigned char *held) {
  for (int k = 0; k < s->vertex_count; ++k) {
    int vertex;
    mus_status status = mus_cloth_mesh_vertex(&c->shape, s->vertices[k], &vertex);
    if (status)
      return status;
    held[vertex] = 1;
  }
  for (int i = 0; i < c->shape.mesh.vertices; ++i) {
    const double *x = c->shape.mesh.position + 3 * (size_t)i;
    double away[3] = {x[0] - s->sphere[0], x[1] - s->sphere[1], x[2] - s->sphere[2]};
    if ((s->box_given && inside(3, s->box[0], s->box[1], x)) ||
        (s->sphere_given && s->sphere[3] >= 0 && mus_dot3(away, away) <= s->sphere[3] * s->sphere[3]))
      held[i] = 1;
  }
  for (int e = 0; e < c->shape.topology.edges && s->boundary; ++e)
    if (mus_edge_sides(&c->shape.topology, e) == 1)
      held[c->shape.topology.edge[2 * e]] = held[c->shape.topology.edge[2 * e + 1]] = 1;
  for (size_t k = 0; k < 3 * (size_t)c->shape.mesh.triangles && s->material_given; ++k)
    if (inside(2, s->material[0], s->material[1], c->shape.mesh.material + 2 * k))
      held[c->shape.mesh.triangle[k]] = 1;
  return MUS_OK;
}

static mus_status make_pin(mus_model *model, const mus_model_cloth *c, const mus_pin *source, mus_model_pin *pin) {
  unsigned char *held = mus_alloc_zero((size_t)c->shape.mesh.vertices, 1);
  if (!held)
    return mus_fail_memory();
  mus_status status = select_vertices(c, &source->where, held);
  int count = 0;
  for (int i = 0; i < c->shape.mesh.vertices; ++i)
    count += held[i];
  if (!status && count == 0)
    status = mus_fail(MUS_BAD_INPUT, "holds no vertex: check its \"where\" against the cloth's place");
  *pin = (mus_model_pin){source, 0, mus_arena_alloc(&model->arena, (size_t)count, sizeof(int))};
  if (!status && !pin->vertex)
    status = mus_fail_memory();
  for (int i = 0; i < c->shape.mesh.vertices && !status; ++i)
    if (held[i])
      pin->vertex[pin->count++] = i + c->first_vertex;
  mus_free(held);
  return status;
}

static mus_status make_pins(mus_model *model) {
  int total = 0;
  for (int k = 0; k < model->cloth_count; ++k)
    total += model->cloths[k].source->pin_count;
  model->pins = mus_arena_alloc_zero(&model->arena, (size_t)total, sizeof *model->pins);
  if (!model->pins)
    return mus_fail_memory();
  for (int k = 0; k < model->cloth_count; ++k)
    for (int p = 0; p < model->cloths[k].source->pin_count; ++p) {
      mus_status status =
          make_pin(model, &model->cloths[k], &model->cloths[k].source->pins[p], &model->pins[model->pin_count++]);
      if (status)
        return mus_fail_prefix(status, "cloths[%d].pins[%d]", k, p);
    }
  return MUS_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

// What carries gusts along: of the keys, which may well begin with still air, the one with most wind.
static const double *fastest(const mus_keys *wind) {
  const double *most = wind->value;
  for (int k = 1; k < wind->count; ++k) {
    const double *value = wind->value + 3 * (size_t)k;
    if (mus_dot3(value, value) > mus_dot3(most, most))
      most = value;
  }
  return most;
}

static mus_status fill(mus_model *model) {
  const mus_scene *scene = model->scene;
  if (scene->cloth_count < 1)
    return mus_fail(MUS_BAD_INPUT, "the scene has no cloths: give at least one");
  model->cloths = mus_arena_alloc_zero(&model->arena, (size_t)scene->cloth_count, sizeof *model->cloths);
  if (!model->cloths)
    return mus_fail_memory();
  mus_status status = mus_bodies_create(scene, &model->bodies);
  for (int k = 0; k < scene->cloth_count && !status; ++k) {
    status = make_cloth(model, &scene->cloths[k], &model->cloths[k]);
    ++model->cloth_count;
    if (status)
      return mus_fail_prefix(status, "cloths[%d]", k);
  }
  if (!status)
    status = join_meshes(model);
  if (!status)
    status = make_stitches(model);
  if (!status)
    status = join_elements(model);
  if (!status)
    status = make_pins(model);
  if (!status && scene->wind.count > 0)
    mus_gusts_make(fastest(&scene->wind), scene->gust, 1, 1, &model->gusts);
  return status;
}

mus_status mus_model_create(const mus_scene *scene, mus_model *out) {
  *out = (mus_model){.scene = scene};
  mus_status status = mus_scene_check_initialised(scene);
  if (!status)
    status = fill(out);
  if (status)
    mus_model_free(out);
  return status;
}

mus_status mus_model_set_fabric(mus_model *model, int cloth, const char *name) {
  mus_model_cloth *c = &model->cloths[cloth], made = *c;
  mus_arena scratch = {0};
  mus_status status = make_fabric(c->source, name, &made.fabric);
  if (!status)
    status = make_elements(&scratch, &made);
  if (!status) {
    c->fabric = made.fabric;
    take_elements(&made, c);
    weigh(model);
  }
  mus_arena_clear(&scratch);
  return status;
}

void mus_model_free(mus_model *model) {
  mus_bodies_free(model->bodies);
  mus_arena_clear(&model->arena);
  *model = (mus_model){0};
}
