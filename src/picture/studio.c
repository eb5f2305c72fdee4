// Cloths, solids and bodies before the camera. See studio.h.
#include "picture/studio.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "picture/looks.h"

mus_status mus_studio_create(int parts, int bodies, const mus_render_quality *quality, mus_studio *out) {
  mus_studio studio = {
      .quality = *quality, .parts = parts, .bodies = bodies, .lowest = INFINITY, .scene = mus_default_render_scene()};
  size_t meshes = (size_t)parts + (size_t)bodies;
  mus_status status = mus_quality_check(quality);
  if (!status)
    status = mus_picture_create(quality->width, quality->height, &studio.picture);
  if (!status && (!(studio.mesh = mus_arena_alloc(&studio.arena, meshes, sizeof *studio.mesh)) ||
                  !(studio.solid = mus_arena_alloc_zero(&studio.arena, (size_t)parts, sizeof *studio.solid)) ||
                  !(studio.body = mus_arena_alloc_zero(&studio.arena, (size_t)bodies, sizeof *studio.body))))
    status = mus_fail_memory();
  if (status) {
    mus_studio_free(&studio);
    return status;
  }
  for (size_t k = 0; k < meshes; ++k)
    studio.mesh[k] = mus_default_render_mesh();
  studio.scene.mesh = studio.mesh;
  studio.scene.meshes = parts + bodies;
  *out = studio;
  return MUS_OK;
}

static int is_same(const mus_matter *a, const mus_matter *b) {
  return a->is_solid == b->is_solid && (a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name);
}

void mus_studio_dress(mus_studio *studio, int part, const mus_matter *matter) {
  int earlier = 0;
  for (int k = 0; k < part; ++k)
    earlier += is_same(&matter[k], &matter[part]);
  studio->mesh[part].look =
      matter[part].is_solid ? mus_solid_look(matter[part].name, earlier) : mus_fabric_look(matter[part].name, earlier);
}

static mus_float3 colour_of(const mus_colour *colour) {
  return mus_v3((float)colour->rgb[0], (float)colour->rgb[1], (float)colour->rgb[2]);
}

void mus_studio_colour_part(mus_studio *studio, int part, const mus_colour *colour) {
  if (colour->given)
    mus_look_recolour(&studio->mesh[part].look, colour_of(colour));
}

mus_status mus_studio_draw(mus_studio *studio) {
  mus_status status = MUS_OK;
  if (!studio->renderer)
    status = mus_renderer_create(&studio->scene, &studio->quality, &studio->renderer);
  return status ? status : mus_renderer_draw(studio->renderer, &studio->scene, &studio->picture);
}

void mus_studio_free(mus_studio *studio) {
  mus_renderer_free(studio->renderer);
  mus_picture_free(&studio->picture);
  mus_arena_clear(&studio->arena);
  *studio = (mus_studio){0};
}

// --- solids and bodies -----------------------------------------------------------------------------------------------

// Edges are sharp beyond so many degrees. Solids are coarser than bodies, and bend.
static const double sharp_body = 35, sharp_solid = 60;

static mus_status add_shape(mus_studio *studio, int mesh, const mus_mesh *from, double sharp, mus_creased *shape,
                            double **position) {
  mus_render_mesh *shown = &studio->mesh[mesh];
  mus_status status = mus_crease(&studio->arena, from, sharp, shape);
  if (status)
    return status;
  *position = mus_arena_alloc(&studio->arena, 3 * (size_t)shape->vertices, sizeof **position);
  if (!*position)
    return mus_fail_memory();
  shown->vertices = shape->vertices;
  shown->triangles = shape->triangles;
  shown->triangle = shape->triangle;
  shown->position = *position;
  return MUS_OK;
}

static void place_shape(const mus_creased *shape, const double *position, double *to) {
  for (size_t v = 0; v < (size_t)shape->vertices; ++v)
    memcpy(to + 3 * v, position + 3 * (size_t)shape->source[v], 3 * sizeof *position);
}

mus_status mus_studio_add_solid(mus_studio *studio, int part, const mus_mesh *mesh) {
  mus_studio_solid *made = &studio->solid[part];
  mus_status status = add_shape(studio, part, mesh, sharp_solid, &made->shape, &made->position);
  if (!status)
    mus_studio_place_solid(studio, part, mesh->position);
  return status;
}

void mus_studio_place_solid(mus_studio *studio, int part, const double *position) {
  place_shape(&studio->solid[part].shape, position, studio->solid[part].position);
}

void mus_studio_spread(const mus_studio *studio, int part, const double *number, double *spread) {
  const mus_creased *shape = &studio->solid[part].shape;
  for (int v = 0; v < shape->vertices; ++v)
    spread[v] = number[shape->source[v]];
}

mus_status mus_studio_add_body(mus_studio *studio, int body, const mus_mesh *mesh, int moves) {
  mus_studio_body *made = &studio->body[body];
  mus_status status = add_shape(studio, studio->parts + body, mesh, sharp_body, &made->shape, &made->position);
  if (status)
    return status;
  made->moves = moves;
  studio->mesh[studio->parts + body].look = mus_body_look();
  mus_studio_place_body(studio, body, mesh->position);
  return MUS_OK;
}

void mus_studio_style_body(mus_studio *studio, int body, const mus_colour *colour, int hidden) {
  mus_surface_look *look = &studio->mesh[studio->parts + body].look;
  studio->body[body].hidden = hidden;
  if (colour->given)
    look->colour = look->other = colour_of(colour);
}

void mus_studio_place_body(mus_studio *studio, int body, const double *position) {
  mus_studio_body *placed = &studio->body[body];
  place_shape(&placed->shape, position, placed->position);
  mus_turn_up(studio->up, MUS_UP_Y, (size_t)placed->shape.vertices, placed->position);
}

// --- framing ---------------------------------------------------------------------------------------------------------

static mus_float3 point(const double *p) { return mus_v3((float)p[0], (float)p[1], (float)p[2]); }

static int is_inside(const mus_bounds *box, const double *p) {
  mus_float3 q = point(p);
  return q.x >= box->low.x && q.x <= box->high.x && q.y >= box->low.y && q.y <= box->high.y && q.z >= box->low.z &&
         q.z <= box->high.z;
}

static mus_bounds bounds_of(size_t vertices, const double *position) {
  mus_bounds box = mus_bounds_empty();
  for (size_t v = 0; v < vertices; ++v)
    mus_bounds_add(&box, point(position + 3 * v));
  return box;
}

static mus_bounds grown(const mus_bounds *box, float by) {
  mus_float3 more = mus_v3(by, by, by);
  return (mus_bounds){mus_v3_subtract(box->low, more), mus_v3_add(box->high, more)};
}

// What of a body is to be seen: of one that is not much larger than the parts, such as who wears cloths, all that is no
// farther away than its own size; of others, such as floors and walls, what the parts reach.
static mus_bounds seen_of_body(const mus_studio_body *body, const mus_bounds *parts) {
  mus_bounds own = bounds_of((size_t)body->shape.vertices, body->position);
  float radius = mus_bounds_radius(parts), size = mus_bounds_radius(&own);
  return grown(parts, size <= 4 * radius ? fmaxf(radius, 2 * size) : 0);
}

void mus_studio_measure(mus_studio *studio, mus_framing *framing) {
  for (int k = 0; k < studio->parts; ++k)
    mus_framing_add(framing, (size_t)studio->mesh[k].vertices, studio->mesh[k].position);
  mus_bounds parts = mus_bounds_empty();
  for (int k = 0; k < studio->parts && studio->bodies > 0; ++k)
    for (size_t v = 0; v < (size_t)studio->mesh[k].vertices; ++v)
      mus_bounds_add(&parts, point(studio->mesh[k].position + 3 * v));
  for (int k = 0; k < studio->bodies; ++k) {
    if (studio->body[k].hidden)
      continue;
    mus_bounds box = seen_of_body(&studio->body[k], &parts);
    for (size_t v = 0; v < (size_t)studio->body[k].shape.vertices; ++v) {
      const double *p = studio->body[k].position + 3 * v;
      studio->lowest = fminf(studio->lowest, (float)p[1]);
      if (is_inside(&box, p))
        mus_framing_add(framing, 1, p);
    }
  }
}

// --- ground ----------------------------------------------------------------------------------------------------------

// Level, at rest, below the middle of what is shown and far larger.
static int is_floor(const mus_studio_body *body, const mus_bounds *shown) {
  mus_bounds own = mus_bounds_empty();
  mus_float3 middle = mus_bounds_centre(shown);
  float reach = 2 * mus_bounds_radius(shown);
  for (size_t v = 0; v < (size_t)body->shape.vertices; ++v)
    mus_bounds_add(&own, point(body->position + 3 * v));
  return !body->moves && !body->hidden && own.low.y == own.high.y && own.low.y < middle.y &&
         own.low.x < middle.x - reach && own.high.x > middle.x + reach && own.low.z < middle.z - reach &&
         own.high.z > middle.z + reach;
}

static void leave_out(mus_studio *studio, const mus_studio_body *body) {
  int kept = 0;
  for (int k = 0; k < studio->scene.meshes; ++k)
    if (studio->mesh[k].position != body->position)
      studio->mesh[kept++] = studio->mesh[k];
  studio->scene.meshes = kept;
}

static void leave_out_hidden(mus_studio *studio) {
  for (int k = 0; k < studio->bodies; ++k)
    if (studio->body[k].hidden)
      leave_out(studio, &studio->body[k]);
}

// The highest one.
static void choose_floor(mus_studio *studio, const mus_bounds *shown) {
  for (int k = 0; k < studio->bodies; ++k) {
    const mus_studio_body *body = &studio->body[k];
    if (is_floor(body, shown) && (!studio->floor || body->position[1] > studio->floor->position[1]))
      studio->floor = body;
  }
  if (studio->floor)
    leave_out(studio, studio->floor);
}

void mus_studio_lay_ground(mus_studio *studio, const mus_framing *framing) {
  mus_ground *ground = &studio->scene.ground;
  if (!studio->renderer)
    leave_out_hidden(studio);
  if (ground->shown && !studio->renderer && !studio->floor)
    choose_floor(studio, &framing->bounds);
  if (studio->floor)
    ground->height = (float)studio->floor->position[1];
  else
    ground->height = fminf(ground->height, studio->lowest - 0.004f * mus_bounds_radius(&framing->bounds));
}
