// From a scene to the model. See model.h.
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/up.h"
#include "energy/kinds.h"
#include "energy/solid_law.h"
#include "io/scene.h"
#include "mesh/measure.h"
#include "mesh/tetrahedra.h"
#include "model/cloth_mesh.h"
#include "model/notes.h"
#include "model/pins.h"
#include "model/resew.h"
#include "model/seam_hinges.h"
#include "model/solid_mesh.h"
#include "model/stitches.h"

// --- a cloth ---------------------------------------------------------------------------------------------------------

// One of the scene's own, or a built-in one.
static mus_status find_fabric(const mus_scene *scene, const char *name, mus_fabric *fabric) {
  const mus_scene_fabric *own = mus_scene_fabric_named(scene, name);
  const mus_fabric *found;
  char text[512];
  mus_status status = own ? MUS_OK : mus_fabric_find(name ? name : "cotton", &found);
  if (!status) {
    *fabric = own ? mus_fabric_own(own) : *found;
    return MUS_OK;
  }
  snprintf(text, sizeof text, "%s", mus_last_error());
  for (int k = 0; k < scene->fabric_count; ++k) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? ", " : ", and the scene's own: ", scene->fabrics[k].name);
  }
  return mus_fail(status, "%s", text);
}

// The fabric of that name with the cloth's scales.
static mus_status make_fabric(const mus_scene *scene, const mus_cloth *cloth, const char *name, mus_fabric *fabric) {
  mus_status status = find_fabric(scene, name, fabric);
  if (status)
    return status;
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
  // A fabric's own limit belongs to a load, under which softer cloth is longer.
  for (int k = 0; k < 2; ++k)
    fabric->strain_limit[k] =
        cloth->strain_limit_given ? cloth->strain_limit[k] : fabric->strain_limit[k] / fmin(1, cloth->stretch_scale);
  return mus_fabric_check(fabric);
}

// The body of that name where it starts, with y up.
static mus_status find_body(const mus_model *model, const char *name, mus_arena *scratch, mus_mesh *out) {
  int body = mus_scene_body_named(model->scene, name);
  if (body < 0)
    return mus_fail(MUS_BAD_INPUT, "shape.around: there is no body \"%s\"", name);
  int first = mus_bodies_first_vertex(model->bodies, body), triangle = mus_bodies_first_triangle(model->bodies, body);
  double *position = mus_arena_alloc(scratch, 3 * (size_t)mus_bodies_vertices(model->bodies), sizeof *position);
  mus_status status = mus_mesh_create(scratch, mus_bodies_first_vertex(model->bodies, body + 1) - first,
                                      mus_bodies_first_triangle(model->bodies, body + 1) - triangle, 0, out);
  if (status || !position)
    return status ? status : mus_fail_memory();
  status = mus_bodies_at(model->bodies, 0, position);
  memcpy(out->position, position + 3 * (size_t)first, 3 * (size_t)out->vertices * sizeof *position);
  mus_turn_up(model->scene->up, MUS_UP_Y, (size_t)out->vertices, out->position);
  for (size_t k = 0; k < 3 * (size_t)out->triangles; ++k)
    out->triangle[k] = mus_bodies_triangle_list(model->bodies)[3 * (size_t)triangle + k] - first;
  return status;
}

static mus_status make_mesh(mus_model *model, const mus_cloth *source, mus_part_shape *shape) {
  mus_arena scratch = {0};
  mus_mesh body;
  int dresses = source->shape.kind == MUS_CLOTH_SHAPE_GARMENT && source->shape.around;
  mus_status status = dresses ? find_body(model, source->shape.around, &scratch, &body) : MUS_OK;
  if (!status)
    status = mus_cloth_mesh_create(&model->arena, model->scene->up, source, dresses ? &body : NULL, shape);
  mus_arena_clear(&scratch);
  return status;
}

static mus_status make_cloth(mus_model *model, const mus_cloth *cloth, mus_model_part *part) {
  *part = (mus_model_part){.cloth = cloth,
                           .name = cloth->name ? cloth->name : "cloth",
                           .pins = cloth->pin_count,
                           .pin = cloth->pins,
                           .stiffness = &cloth->stiffness,
                           .velocity = cloth->velocity,
                           .thickness = mus_cloth_thickness(model->scene, cloth),
                           .friction = mus_cloth_friction(model->scene, cloth)};
  mus_status status = make_fabric(model->scene, cloth, cloth->fabric, &part->fabric);
  return status ? status : make_mesh(model, cloth, &part->shape);
}

// --- a solid ---------------------------------------------------------------------------------------------------------

// The material of that name with what the solid has of its own.
static mus_status make_material(const mus_solid *solid, mus_solid_material *material) {
  const mus_solid_material *found;
  mus_status status = mus_solid_material_find(solid->material ? solid->material : "rubber", &found);
  if (status)
    return mus_fail_prefix(status, "material");
  *material = *found;
  if (solid->density > 0)
    material->density = solid->density;
  if (solid->young > 0)
    material->young = solid->young;
  if (solid->poisson > -1)
    material->poisson = solid->poisson;
  if (solid->damping >= 0)
    material->damping = solid->damping;
  int is_lattice = solid->method == MUS_SOLID_METHOD_LATTICE;
  return mus_solid_material_check(material, is_lattice ? MUS_POISSON_LATTICE : MUS_POISSON_MAXIMUM);
}

static mus_status make_solid(mus_model *model, const mus_solid *solid, mus_model_part *part) {
  *part = (mus_model_part){.solid = solid,
                           .name = solid->name ? solid->name : "solid",
                           .pins = solid->pin_count,
                           .pin = solid->pins,
                           .stiffness = &solid->stiffness,
                           .velocity = solid->velocity,
                           .thickness = solid->thickness,
                           .friction = solid->friction};
  mus_status status = make_material(solid, &part->material);
  if (status || solid->method != MUS_SOLID_METHOD_LATTICE)
    return status ? status : mus_solid_mesh_create(&model->arena, model->scene->up, solid, &part->shape);
  part->pins = 0; // they hold cells
  ++model->lattices;
  return mus_lattice_part_create(&model->arena, model->scene, model->bodies, solid, &part->shape, &part->lattice);
}

// --- all parts together ----------------------------------------------------------------------------------------------

mus_part_title mus_model_part_title(const mus_model *model, int part) {
  mus_part_title title;
  int is_cloth = model->parts[part].cloth != NULL;
  snprintf(title.text, sizeof title.text, "%s[%d]", is_cloth ? "cloths" : "solids",
           is_cloth ? part : part - model->scene->cloth_count);
  return title;
}

int mus_model_part_named(const mus_model *model, const char *name) {
  for (int k = 0; k < model->part_count && name; ++k)
    if (strcmp(name, model->parts[k].name) == 0)
      return k;
  return -1;
}

static mus_status make_parts(mus_model *model) {
  const mus_scene *scene = model->scene;
  int count = scene->cloth_count + scene->solid_count;
  if (count < 1)
    return mus_fail(MUS_BAD_INPUT, "the scene has no cloths and no solids: give at least one");
  model->parts = mus_arena_alloc_zero(&model->arena, (size_t)count, sizeof *model->parts);
  if (!model->parts)
    return mus_fail_memory();
  for (int k = 0; k < count; ++k) {
    mus_status status = mus_stop_check();
    if (status)
      return status;
    mus_model_part *part = &model->parts[model->part_count++];
    status = k < scene->cloth_count ? make_cloth(model, &scene->cloths[k], part)
                                    : make_solid(model, &scene->solids[k - scene->cloth_count], part);
    if (status)
      return mus_fail_prefix(status, "%s", mus_model_part_title(model, k).text);
    part->first_vertex = model->vertices;
    part->first_triangle = model->triangles;
    part->first_tetrahedron = model->tetrahedra;
    model->vertices += part->shape.mesh.vertices;
    model->triangles += part->shape.mesh.triangles;
    model->tetrahedra += part->shape.tetrahedra;
  }
  return MUS_OK;
}

// Triangles and their material coordinates, in the order that users see.
static void show_triangles(mus_model *model, const mus_model_part *c) {
  const mus_mesh *mesh = &c->shape.mesh;
  const mus_order *order = c->shape.order;
  for (int t = 0; t < mesh->triangles; ++t) {
    size_t to = 3 * ((size_t)c->first_triangle + (size_t)(order ? order->triangle[t] : t));
    for (size_t k = 0; k < 3; ++k) {
      int vertex = mesh->triangle[3 * (size_t)t + k];
      model->triangle[to + k] = c->first_vertex + (order ? order->vertex[vertex] : vertex);
    }
    if (mesh->material)
      memcpy(model->material + 2 * to, mesh->material + 6 * (size_t)t, 6 * sizeof(double));
  }
}

// The same of tetrahedra.
static void show_tetrahedra(mus_model *model, const mus_model_part *c) {
  const mus_part_shape *shape = &c->shape;
  for (int t = 0; t < shape->tetrahedra; ++t) {
    int seen = shape->tetrahedron ? shape->tetrahedron[t] : t;
    int *to = model->tetrahedron + 4 * ((size_t)c->first_tetrahedron + (size_t)seen);
    for (int k = 0; k < 4; ++k)
      to[k] = c->first_vertex + mus_part_seen(shape, shape->corner[4 * (size_t)t + (size_t)k]);
  }
}

static mus_tetrahedra tetrahedra_of(const mus_part_shape *shape) {
  return (mus_tetrahedra){.vertices = shape->mesh.vertices,
                          .tetrahedra = shape->tetrahedra,
                          .position = shape->mesh.position,
                          .corner = shape->corner,
                          .region = shape->region};
}

static void weigh(mus_model *model) {
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    double *mass = model->mass + c->first_vertex;
    if (c->cloth) {
      mus_vertex_masses(&c->shape.mesh, c->fabric.density, mass);
    } else if (c->lattice) {
      for (int i = 0; i < c->shape.mesh.vertices; ++i)
        mass[i] = c->material.density * c->lattice->volume / c->shape.mesh.vertices;
    } else {
      mus_tetrahedra mesh = tetrahedra_of(&c->shape);
      mus_tetrahedra_masses(&mesh, c->material.density, mass);
    }
  }
  model->total_mass = 0;
  for (int i = 0; i < model->vertices; ++i)
    model->total_mass += model->mass[i];
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    for (int i = c->first_vertex; i < c->first_vertex + c->shape.mesh.vertices; ++i)
      model->counted[i] = c->lattice ? 0 : model->mass[i];
  }
}

static mus_status join_meshes(mus_model *model) {
  size_t vertices = (size_t)model->vertices, triangles = (size_t)model->triangles;
  model->start = mus_arena_alloc(&model->arena, 3 * vertices, sizeof *model->start);
  model->mass = mus_arena_alloc(&model->arena, vertices, sizeof *model->mass);
  model->counted = mus_arena_alloc(&model->arena, vertices, sizeof *model->counted);
  model->triangle = mus_arena_alloc(&model->arena, 3 * triangles, sizeof *model->triangle);
  model->material = mus_arena_alloc_zero(&model->arena, 6 * triangles, sizeof *model->material);
  model->tetrahedron = mus_arena_alloc(&model->arena, 4 * (size_t)model->tetrahedra, sizeof *model->tetrahedron);
  if (!model->start || !model->mass || !model->counted || !model->triangle || !model->material || !model->tetrahedron)
    return mus_fail_memory();
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    size_t first = (size_t)c->first_vertex;
    memcpy(model->start + 3 * first, c->shape.mesh.position, 3 * (size_t)c->shape.mesh.vertices * sizeof(double));
    show_triangles(model, c);
    show_tetrahedra(model, c);
  }
  weigh(model);
  return MUS_OK;
}

// --- stitches --------------------------------------------------------------------------------------------------------

// A stitch that is stretched farther than this, m, pulls no harder.
static const double pull_length = 0.01;

static mus_status add_sewing(mus_list *all, const mus_stitch *s, int first_a, int first_b, double close,
                             const mus_fabric *fabric) {
  mus_sewing *item = mus_list_add(all, sizeof *item);
  if (!item)
    return mus_fail_memory();
  // As stiff as a square of the fabric, twice over: what a seam gives must not be seen.
  double stiffness = fabric->stretch[0] + fabric->stretch[1];
  *item = (mus_sewing){.a = s->a + first_a,
                       .b = s->b + first_b,
                       .c = s->c + first_b,
                       .ratio = s->ratio,
                       .close = close,
                       .stiffness = stiffness,
                       .damping = stiffness * fabric->stretch_damping,
                       .limit = pull_length};
  return MUS_OK;
}

// Seams hold cloth; -1 where there is no such cloth.
static int cloth_named(const mus_model *model, const char *name) {
  int part = mus_model_part_named(model, name);
  return part >= 0 && model->parts[part].cloth ? part : -1;
}

static mus_status sew_pairs(const mus_part_shape *a, const mus_part_shape *b, const mus_seam *seam,
                            mus_list *stitches) {
  mus_status status = MUS_OK;
  for (int k = 0; k < seam->pair_count && !status; ++k) {
    mus_stitch stitch = {0}, *item;
    status = mus_part_vertex(a, seam->pairs[k][0], &stitch.a);
    if (!status)
      status = mus_part_vertex(b, seam->pairs[k][1], &stitch.b);
    stitch.c = stitch.b;
    if (!status && !(item = mus_list_add(stitches, sizeof *item)))
      status = mus_fail_memory();
    if (!status)
      *item = stitch;
  }
  return status;
}

// How a cloth was refined, by the numbers that users see; one that was not has the boundary that it has.
static mus_status refinement_of(mus_arena *arena, const mus_part_shape *shape, mus_refinement *out) {
  mus_mesh same, seen = shape->mesh;
  if (shape->refined) {
    *out = *shape->refined;
    return MUS_OK;
  }
  seen.triangle = mus_arena_alloc(arena, 3 * (size_t)seen.triangles, sizeof *seen.triangle);
  if (!seen.triangle)
    return mus_fail_memory();
  for (size_t k = 0; k < 3 * (size_t)seen.triangles; ++k)
    seen.triangle[k] = mus_part_seen(shape, shape->mesh.triangle[k]);
  return mus_mesh_refine(arena, &seen, 0, 0, NULL, &same, out);
}

static void renumber(const mus_part_shape *a, const mus_part_shape *b, int (*number)(const mus_part_shape *, int),
                     mus_list *stitches) {
  for (size_t k = 0; k < stitches->count; ++k) {
    mus_stitch *s = (mus_stitch *)stitches->items + k;
    *s = (mus_stitch){number(a, s->a), number(b, s->b), number(b, s->c), s->ratio};
  }
}

// Sews what has come between the pairs.
static mus_status sew_refined(const mus_part_shape *a, const mus_part_shape *b, mus_list *stitches, mus_list *back) {
  mus_arena scratch = {0};
  mus_refinement from, to;
  mus_status status = refinement_of(&scratch, a, &from);
  if (!status)
    status = refinement_of(&scratch, b, &to);
  renumber(a, b, mus_part_seen, stitches);
  if (!status)
    status = mus_resew(&from, &to, stitches, back);
  renumber(a, b, mus_part_simulated, stitches);
  renumber(b, a, mus_part_simulated, back);
  mus_arena_clear(&scratch);
  return status;
}

static mus_status sew_seam(const mus_model *model, const mus_seam *seam, mus_list *all) {
  int from = cloth_named(model, seam->from), to = cloth_named(model, seam->to);
  if (from < 0 || to < 0)
    return mus_fail(MUS_BAD_INPUT, "there is no cloth \"%s\": \"from\" and \"to\" are names of cloths",
                    (from < 0 ? seam->from : seam->to) ? (from < 0 ? seam->from : seam->to) : "");
  const mus_model_part *a = &model->parts[from], *b = &model->parts[to];
  mus_list stitches = {0}, back = {0};
  mus_status status = sew_pairs(&a->shape, &b->shape, seam, &stitches);
  if (!status && (a->shape.refined || b->shape.refined))
    status = sew_refined(&a->shape, &b->shape, &stitches, &back);
  for (size_t k = 0; k < stitches.count && !status; ++k)
    status = add_sewing(all, (const mus_stitch *)stitches.items + k, a->first_vertex, b->first_vertex, seam->close,
                        &a->fabric);
  for (size_t k = 0; k < back.count && !status; ++k)
    status =
        add_sewing(all, (const mus_stitch *)back.items + k, b->first_vertex, a->first_vertex, seam->close, &a->fabric);
  mus_free(stitches.items);
  mus_free(back.items);
  return status;
}

static mus_status collect_stitches(const mus_model *model, mus_list *all) {
  mus_status status = MUS_OK;
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *c = &model->parts[k];
    for (int n = 0; n < c->shape.stitches && !status; ++n)
      status = add_sewing(all, &c->shape.stitch[n], c->first_vertex, c->first_vertex, c->cloth->close, &c->fabric);
  }
  for (int k = 0; k < model->scene->seam_count && !status; ++k) {
    status = sew_seam(model, &model->scene->seams[k], all);
    if (status)
      return mus_fail_prefix(status, "seams[%d]", k);
  }
  return status;
}

// --- elements --------------------------------------------------------------------------------------------------------

static mus_element_source source_of(const mus_model *model, int cloth, const mus_fabric *fabric) {
  const mus_model_part *c = &model->parts[cloth];
  return (mus_element_source){.mesh = &c->shape.mesh,
                              .topology = &c->shape.topology,
                              .fabric = fabric,
                              .first_vertex = c->first_vertex,
                              .shaped = c->shape.shaped,
                              .air = model->scene->air_density > 0};
}

// A list of each kind, up to NULL, where there are any such elements.
static mus_status make_lists(mus_model *model, int part, const mus_element_source *source,
                             const mus_element_kind *const *kinds, mus_list *lists) {
  for (; kinds && *kinds; ++kinds) {
    mus_model_list made = {.part = part};
    mus_status status = mus_element_list_create(*kinds, &model->arena, source, &made.elements);
    if (status)
      return status;
    if (made.elements.count == 0)
      continue;
    mus_model_list *item = mus_list_add(lists, sizeof *item);
    if (!item)
      return mus_fail_memory();
    *item = made;
    model->strains += (*kinds)->strains ? (size_t)made.elements.count : 0;
    model->limited += (*kinds)->limit ? (size_t)made.elements.count : 0;
    model->driven |= (*kinds)->driven;
  }
  return MUS_OK;
}

static mus_status make_cloth_lists(mus_model *model, int part, const mus_element_kind *const *extra, mus_list *lists) {
  const mus_model_part *c = &model->parts[part];
  const mus_element_kind *const *kinds = mus_cloth_kinds(c->cloth->model);
  mus_element_source source = source_of(model, part, &c->fabric);
  mus_status status =
      kinds ? MUS_OK : mus_fail(MUS_BAD_INPUT, "a cloth has no model of number %d", (int)c->cloth->model);
  if (!status)
    status = make_lists(model, part, &source, kinds, lists);
  return status ? status : make_lists(model, part, &source, extra, lists);
}

static mus_status make_solid_lists(mus_model *model, int part, mus_list *lists) {
  const mus_model_part *c = &model->parts[part];
  const mus_element_kind *const *kinds = mus_solid_kinds(c->solid->model);
  mus_lame lame = mus_lame_of(c->material.young, c->material.poisson);
  mus_solid_source solid = {.count = c->shape.tetrahedra,
                            .corner = c->shape.corner,
                            .mu = lame.mu,
                            .lambda = lame.lambda,
                            .damping = c->material.damping};
  mus_element_source source = {.mesh = &c->shape.mesh,
                               .topology = &c->shape.topology,
                               .first_vertex = c->first_vertex,
                               .air = model->scene->air_density > 0,
                               .solid = &solid};
  if (!kinds)
    return mus_fail(MUS_BAD_INPUT, "a solid has no model of number %d", (int)c->solid->model);
  return make_lists(model, part, &source, kinds, lists);
}

// 1 if these vertices, numbered in the cloth, are the corners of one of its triangles.
static int is_triangle(const mus_mesh *mesh, const int *corner) {
  for (int t = 0; t < mesh->triangles; ++t) {
    int found = 0;
    for (int k = 0; k < 9; ++k)
      found += mesh->triangle[3 * t + k / 3] == corner[k % 3];
    if (found == 3 && corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0])
      return 1;
  }
  return 0;
}

static mus_status check_button(const mus_button *b, const mus_mesh *mesh, const int *corner) {
  double sum = b->weight[0] + b->weight[1] + b->weight[2];
  if (b->at_count != 1 && b->at_count != 3)
    return mus_fail(MUS_BAD_INPUT, "\"at\" has %d vertices: give one, or the three corners of a triangle", b->at_count);
  if (b->at_count == 3 && !is_triangle(mesh, corner))
    return mus_fail(MUS_BAD_INPUT, "vertices %d, %d and %d of \"at\" are not the corners of one triangle", b->at[0],
                    b->at[1], b->at[2]);
  if (b->at_count == 3 && !(fabs(sum - 1) < 1e-6))
    return mus_fail(MUS_BAD_INPUT, "\"weights\" sum to %g: they are parts of one point, and must sum to 1", sum);
  return MUS_OK;
}

static mus_status add_button(const mus_model *model, const mus_button *button, mus_list *all) {
  int from = mus_model_part_named(model, button->from), to = mus_model_part_named(model, button->to);
  int vertex, corner[3] = {0};
  const char *missing = from < 0 ? button->from : button->to;
  if (from < 0 || to < 0)
    return mus_fail(MUS_BAD_INPUT, "there is no cloth or solid \"%s\": \"from\" and \"to\" are their names",
                    missing ? missing : "");
  const mus_model_part *a = &model->parts[from], *b = &model->parts[to];
  mus_status status = mus_part_vertex(&a->shape, button->vertex, &vertex);
  for (int k = 0; k < button->at_count && k < 3 && !status; ++k)
    status = mus_part_vertex(&b->shape, button->at[k], &corner[k]);
  if (!status)
    status = check_button(button, &b->shape.mesh, corner);
  if (status)
    return status;
  mus_buttoning made = {.count = button->at_count + 1,
                        .node = {vertex + a->first_vertex},
                        .weight = {1},
                        .rest = button->rest,
                        .stiffness = button->stiffness,
                        .damping = button->stiffness * button->damping};
  for (int k = 0; k < button->at_count; ++k) {
    made.node[k + 1] = corner[k] + b->first_vertex;
    if (button->at_count == 3)
      made.weight[k] = button->weight[k];
    if (made.node[k + 1] == made.node[0])
      return mus_fail(MUS_BAD_INPUT, "ties vertex %d to itself", button->vertex);
  }
  mus_buttoning *item = mus_list_add(all, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = made;
  return MUS_OK;
}

static mus_status collect_buttons(const mus_model *model, mus_list *all) {
  for (int k = 0; k < model->scene->button_count; ++k) {
    mus_status status = add_button(model, &model->scene->buttons[k], all);
    if (status)
      return mus_fail_prefix(status, "buttons[%d]", k);
  }
  return MUS_OK;
}

static mus_status make_joining_lists(mus_model *model, mus_list *lists) {
  mus_list all = {0}, buttons = {0};
  mus_mesh vertices = {.vertices = model->vertices, .position = model->start};
  mus_status status = collect_stitches(model, &all);
  if (!status)
    status = collect_buttons(model, &buttons);
  mus_element_source source = {.mesh = &vertices,
                               .sewings = (int)all.count,
                               .sewing = all.items,
                               .buttonings = (int)buttons.count,
                               .buttoning = buttons.items};
  if (!status)
    status = make_lists(model, -1, &source, mus_joining_kinds, lists);
  if (!status)
    status = mus_stitches_make(model, source.sewings, source.sewing);
  mus_free(all.items);
  mus_free(buttons.items);
  return status;
}

// Bending across seams, by the kinds that the cloth has for it.
static mus_status make_seam_lists(mus_model *model, mus_list *lists) {
  mus_list found = {0};
  mus_status status = mus_seam_hinges_find(model, &found);
  mus_seam_hinges *hinges = found.items;
  for (size_t k = 0; k < found.count && !status; ++k) {
    const mus_element_kind *const *kinds = mus_cloth_kinds(model->parts[hinges[k].cloth].cloth->model);
    mus_element_source *kept = mus_arena_alloc(&model->arena, 1, sizeof *kept);
    if (!kept)
      status = mus_fail_memory();
    else
      *kept = hinges[k].source;
    for (; *kinds && !status; ++kinds) {
      const mus_element_kind *const one[] = {*kinds, NULL};
      size_t before = lists->count;
      if ((*kinds)->bends)
        status = make_lists(model, hinges[k].cloth, kept, one, lists);
      for (size_t l = before; l < lists->count; ++l) {
        ((mus_model_list *)lists->items)[l].since = hinges[k].since;
        ((mus_model_list *)lists->items)[l].source = kept;
      }
    }
  }
  mus_free(found.items);
  return status;
}

static mus_status make_elements(mus_model *model, const mus_element_kind *const *extra) {
  mus_list lists = {0};
  mus_status status = MUS_OK;
  for (int k = 0; k < model->part_count && !status; ++k) {
    if (model->parts[k].lattice)
      continue;
    status = model->parts[k].cloth ? make_cloth_lists(model, k, extra, &lists) : make_solid_lists(model, k, &lists);
    if (status)
      status = mus_fail_prefix(status, "%s", mus_model_part_title(model, k).text);
  }
  if (!status)
    status = make_joining_lists(model, &lists);
  if (!status)
    status = make_seam_lists(model, &lists);
  model->list_count = (int)lists.count;
  model->lists = mus_arena_alloc(&model->arena, lists.count, sizeof *model->lists);
  if (!status && !model->lists)
    status = mus_fail_memory();
  if (!status && lists.count > 0)
    memcpy(model->lists, lists.items, lists.count * sizeof *model->lists);
  mus_free(lists.items);
  return status;
}

mus_status mus_model_join_elements(mus_model *model) {
  mus_list pairs = {0};
  mus_tuples *tuples = mus_alloc((size_t)model->list_count + 1, sizeof *tuples);
  mus_status status = tuples ? mus_stitches_fill(model, &pairs) : mus_fail_memory();
  for (int k = 0; k < model->list_count && !status; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    tuples[k] = (mus_tuples){.arity = list->kind->arity,
                             .count = list->count,
                             .index = list->vertex,
                             .first = list->first_vertex,
                             .rank_one = list->kind->rank_one};
  }
  if (!status) {
    int fill = pairs.count > 0;
    if (fill)
      tuples[model->list_count] = (mus_tuples){.arity = 2, .count = (int)pairs.count, .index = pairs.items};
    status = mus_pattern_from_tuples(&model->arena, model->vertices, model->list_count + fill, tuples, &model->pattern);
  }
  if (!status)
    status = mus_scatter_create(&model->arena, &model->pattern, 3, model->list_count, tuples, &model->scatter);
  mus_free(tuples);
  mus_free(pairs.items);
  if (!status && !(model->diagonal = mus_arena_alloc(&model->arena, (size_t)model->vertices, sizeof(int))))
    status = mus_fail_memory();
  return status ? status : mus_diagonal_places(&model->pattern, model->diagonal);
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

static mus_status fill(mus_model *model, const mus_element_kind *const *extra) {
  const mus_scene *scene = model->scene;
  mus_status status = mus_scene_check_fabrics(scene);
  if (!status)
    status = mus_bodies_create(scene, &model->bodies);
  if (!status)
    status = make_parts(model);
  if (!status)
    status = join_meshes(model);
  if (!status)
    status = mus_stop_check();
  if (!status)
    status = make_elements(model, extra);
  if (!status)
    status = mus_stop_check();
  if (!status)
    status = mus_model_join_elements(model);
  if (!status)
    status = mus_model_make_pins(model);
  if (!status && scene->wind.count > 0)
    mus_gusts_make(fastest(&scene->wind), scene->gust, 1, 1, &model->gusts);
  return status ? status : mus_model_make_notes(model);
}

mus_status mus_model_create(const mus_scene *scene, const mus_element_kind *const *extra, mus_model *out) {
  *out = (mus_model){.scene = scene};
  mus_status status = mus_scene_check_initialised(scene);
  if (!status)
    status = fill(out, extra);
  if (status)
    mus_model_free(out);
  return status;
}

// The constants of a cloth's elements, of another fabric.
static mus_status change_lists(mus_model *model, int cloth, const mus_fabric *fabric) {
  mus_arena scratch = {0};
  mus_element_source source = source_of(model, cloth, fabric);
  mus_element_list *made = mus_arena_alloc(&scratch, (size_t)model->list_count, sizeof *made);
  mus_status status = made ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < model->list_count && !status; ++k)
    if (model->lists[k].part == cloth) {
      const mus_element_list *now = &model->lists[k].elements;
      mus_element_source across = model->lists[k].source ? *model->lists[k].source : source;
      across.fabric = fabric;
      status = mus_element_list_create(now->kind, &scratch, &across, &made[k]);
      if (!status && made[k].count != now->count)
        status =
            mus_fail(MUS_UNSUPPORTED, "this fabric has other %s elements than the one before: start the scene with it",
                     now->kind->name);
    }
  for (int k = 0; k < model->list_count && !status; ++k)
    if (model->lists[k].part == cloth)
      mus_element_list_take(&made[k], &model->lists[k].elements);
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_model_set_fabric(mus_model *model, int cloth, const char *name) {
  mus_model_part *c = &model->parts[cloth];
  mus_fabric fabric;
  mus_status status = make_fabric(model->scene, c->cloth, name, &fabric);
  if (!status)
    status = change_lists(model, cloth, &fabric);
  if (!status) {
    c->fabric = fabric;
    ++model->revision;
    weigh(model);
    mus_model_weigh_pins(model);
  }
  return status;
}

void mus_model_free(mus_model *model) {
  mus_bodies_free(model->bodies);
  mus_free(model->notes.items);
  mus_arena_clear(&model->arena);
  *model = (mus_model){0};
}
