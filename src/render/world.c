// The scene made ready for rays. See world.h.
#include "render/world.h"

#include "base/error.h"
#include "render/colour.h"
#include "render/sampling.h"

static mus_status create_surfaces(mus_world *world, const mus_render_scene *scene) {
  size_t meshes = (size_t)scene->meshes;
  world->meshes = scene->meshes;
  world->surface = mus_arena_alloc_zero(&world->arena, meshes, sizeof *world->surface);
  mus_tracer_mesh *traced = mus_arena_alloc(&world->arena, meshes, sizeof *traced);
  if (!world->surface || !traced)
    return mus_fail_memory();
  for (int i = 0; i < scene->meshes; ++i) {
    mus_render_surface *surface = &world->surface[i];
    mus_status status = mus_render_surface_create(&world->arena, &scene->mesh[i], surface);
    if (status)
      return status;
    traced[i] = (mus_tracer_mesh){surface->vertices, surface->triangles, surface->position, surface->triangle};
  }
  return mus_tracer_create(scene->meshes, traced, &world->tracer);
}

mus_status mus_world_create(const mus_render_scene *scene, mus_world **out) {
  *out = NULL;
  mus_world *world = mus_alloc_zero(1, sizeof *world);
  if (!world)
    return mus_fail_memory();
  mus_status status = create_surfaces(world, scene);
  if (status) {
    mus_world_free(world);
    return status;
  }
  *out = world;
  return MUS_OK;
}

void mus_world_free(mus_world *world) {
  if (!world)
    return;
  mus_tracer_free(world->tracer);
  mus_arena_clear(&world->arena);
  mus_free(world);
}

static mus_status check_same_topology(const mus_world *world, const mus_render_scene *scene) {
  int same = world->meshes == scene->meshes;
  for (int i = 0; same && i < world->meshes; ++i) {
    const mus_render_surface *surface = &world->surface[i];
    const mus_render_mesh *mesh = &scene->mesh[i];
    same = surface->vertices == mesh->vertices && surface->triangles == mesh->triangles &&
           !surface->paint == !(mesh->colour || mesh->heat) && !surface->material == !mesh->material;
  }
  return same ? MUS_OK
              : mus_fail(MUS_BAD_INPUT, "the meshes are not those that the renderer was made for: make another");
}

// The range of the heat map, from the numbers themselves where it is not given.
static void find_heat_range(mus_world *world, const mus_render_scene *scene) {
  world->heat = scene->heat;
  if (scene->heat.low < scene->heat.high)
    return;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < scene->meshes; ++i)
    for (int k = 0; scene->mesh[i].heat && k < scene->mesh[i].vertices; ++k) {
      double value = scene->mesh[i].heat[k];
      if (isfinite(value)) {
        low = value < low ? value : low;
        high = value > high ? value : high;
      }
    }
  world->heat.low = low <= high ? low : 0;
  world->heat.high = low < high ? high : world->heat.low + 1;
}

static void find_bounds(mus_world *world) {
  world->bounds = mus_bounds_empty();
  for (int i = 0; i < world->meshes; ++i)
    for (int k = 0; k < world->surface[i].vertices; ++k)
      mus_bounds_add(&world->bounds, mus_v3_from(&world->surface[i].position[3 * k]));
  world->radius = mus_bounds_radius(&world->bounds);
  float largest = fmaxf(mus_v3_length(world->bounds.low), mus_v3_length(world->bounds.high));
  world->offset = 3e-5f * world->radius + 4e-7f * largest; // the second part: how finely positions are rounded
}

static mus_float3 scaled_colour(mus_float3 colour, float strength) {
  return mus_v3_scale(strength, mus_linear_from_srgb(colour));
}

// Turned about the vertical, from +z towards +x.
static mus_float3 turned(mus_float3 direction, float degrees) {
  float angle = degrees * 0.017453292520f, c = cosf(angle), s = sinf(angle);
  return mus_v3(c * direction.x + s * direction.z, direction.y, c * direction.z - s * direction.x);
}

static void take_lights(mus_world *world, const mus_render_scene *scene) {
  world->lights = scene->lights;
  for (int i = 0; i < scene->lights; ++i) {
    mus_world_light *light = &world->light[i];
    light->direction = mus_v3_unit(turned(scene->light[i].direction, scene->turn));
    mus_v3_frame(light->direction, &light->across, &light->along);
    light->radius = tanf(scene->light[i].radius);
    light->colour = scaled_colour(scene->light[i].colour, scene->light[i].strength * scene->exposure);
  }
  world->zenith = scaled_colour(scene->sky.zenith, scene->sky.strength * scene->exposure);
  world->horizon = scaled_colour(scene->sky.horizon, scene->sky.strength * scene->exposure);
}

static void take_ground(mus_world *world, const mus_render_scene *scene) {
  mus_float3 centre = mus_bounds_centre(&world->bounds);
  world->ground = scene->ground.shown;
  world->ground_height = scene->ground.height;
  world->ground_colour = mus_linear_from_srgb(scene->ground.colour);
  world->fade_end = scene->ground.fade > 0 ? scene->ground.fade : 9 * world->radius;
  world->fade_start = 0.25f * world->fade_end;
  float half = 1.6f * world->radius;
  world->ground_low = mus_v3(centre.x - half, world->ground_height, centre.z - half);
  world->ground_step = 2 * half / (MUS_GROUND_SIDE - 1);
  mus_float3 open = mus_v3_mix(world->horizon, world->zenith, 2.0f / 3);
  for (int i = 0; i < world->lights; ++i)
    open = mus_v3_plus(open, fmaxf(0, world->light[i].direction.y), world->light[i].colour);
  world->ground_open = mus_v3_times(world->ground_colour, open);
}

mus_status mus_world_update(mus_world *world, const mus_render_scene *scene) {
  mus_status status = check_same_topology(world, scene);
  if (status)
    return status;
  find_heat_range(world, scene);
  for (int i = 0; i < world->meshes; ++i)
    mus_render_surface_update(&world->surface[i], &scene->mesh[i], &world->heat);
  find_bounds(world);
  take_lights(world, scene);
  take_ground(world, scene);
  return mus_tracer_commit(world->tracer);
}

mus_float3 mus_world_sky(const mus_world *world, mus_float3 direction) {
  float up = direction.y;
  if (up >= 0)
    return mus_v3_mix(world->horizon, world->zenith, up);
  return mus_v3_scale(1 + 0.6f * up, world->horizon); // no ground: darker below, so that up and down can be told apart
}

mus_float3 mus_world_bounce(const mus_world *world, mus_float3 from, mus_float3 direction) {
  float distance = fmaxf(0, (world->ground_height - from.y) / direction.y);
  float x = (from.x + distance * direction.x - world->ground_low.x) / world->ground_step;
  float z = (from.z + distance * direction.z - world->ground_low.z) / world->ground_step;
  if (!(x > 0) || !(z > 0) || x >= MUS_GROUND_SIDE - 1 || z >= MUS_GROUND_SIDE - 1)
    return world->ground_open;
  int column = (int)x, row = (int)z;
  float s = x - (float)column, t = z - (float)row;
  const mus_float3 *light = &world->ground_light[row * MUS_GROUND_SIDE + column];
  return mus_v3_mix(mus_v3_mix(light[0], light[1], s),
                    mus_v3_mix(light[MUS_GROUND_SIDE], light[MUS_GROUND_SIDE + 1], s), t);
}
