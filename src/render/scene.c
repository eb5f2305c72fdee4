// Defaults of scenes, and what is wrong with them. See scene.h.
#include "render/scene.h"

#include "base/error.h"

// Beyond this, products of single-precision coordinates overflow or lose what is drawn.
static const double largest_coordinate = 1e9;

static mus_surface_look default_look(void) {
  return (mus_surface_look){.kind = MUS_LOOK_WEAVE,
                            .colour = {0.84f, 0.79f, 0.70f},
                            .other = {0.90f, 0.86f, 0.79f},
                            .size = 0.0025f,
                            .roughness = 0.5f,
                            .sheen = 0.12f,
                            .translucency = 0.12f};
}

mus_render_mesh mus_default_render_mesh(void) { return (mus_render_mesh){.look = default_look()}; }

mus_render_scene mus_default_render_scene(void) {
  return (mus_render_scene){.lights = 2,
                            .light = {{{-0.42f, 0.95f, 0.88f}, {1.0f, 0.965f, 0.92f}, 1.08f, 0.09f},
                                      {{0.75f, 0.55f, -0.9f}, {0.86f, 0.93f, 1.0f}, 0.30f, 0.15f}},
                            .sky = {{0.88f, 0.93f, 1.0f}, {0.96f, 0.95f, 0.94f}, 0.38f},
                            .ground = {.shown = 1, .colour = {0.80f, 0.797f, 0.79f}},
                            .background_top = {0.70f, 0.735f, 0.78f},
                            .background_bottom = {0.90f, 0.90f, 0.895f},
                            .camera = {{0, 0, 3}, {0, 0, 0}, 30},
                            .heat = {.shading = 0.7f, .legend = 1},
                            .wire = {0.05f, 0.06f, 0.09f},
                            .exposure = 1};
}

mus_render_quality mus_default_render_quality(void) {
  return (mus_render_quality){.width = 960, .height = 540, .antialias = 4, .light_samples = 8, .sky_samples = 8};
}

mus_status mus_scene_frame(mus_render_scene *scene, const mus_framing *framing) {
  mus_status status = mus_framing_end(framing, &scene->camera);
  if (status)
    return status;
  mus_float3 from = mus_v3_subtract(scene->camera.eye, scene->camera.target);
  float azimuth = from.x != 0 || from.z != 0 ? atan2f(from.x, from.z) * 57.2957795f : framing->wish.azimuth;
  scene->turn = azimuth - mus_default_camera_wish().azimuth;
  scene->ground.height = framing->bounds.low.y - 0.004f * mus_bounds_radius(&framing->bounds);
  return MUS_OK;
}

// The first of n numbers that cannot be drawn, or n.
static size_t find_bad_double(size_t n, const double *x) {
  size_t i = 0;
  while (i < n && x[i] >= -largest_coordinate && x[i] <= largest_coordinate) // false for NaN
    ++i;
  return i;
}

static size_t find_bad_float(size_t n, const float *x) {
  size_t i = 0;
  while (i < n && (double)x[i] >= -largest_coordinate && (double)x[i] <= largest_coordinate)
    ++i;
  return i;
}

static mus_status check_positions(int index, const mus_render_mesh *mesh) {
  size_t n = (size_t)mesh->vertices * 3;
  size_t bad = mesh->position ? find_bad_double(n, mesh->position) : find_bad_float(n, mesh->position_float);
  if (bad == n)
    return MUS_OK;
  double value = mesh->position ? mesh->position[bad] : (double)mesh->position_float[bad];
  return mus_fail(MUS_BAD_INPUT, "mesh %d: the %c coordinate of vertex %zu is %g, which cannot be drawn", index,
                  "xyz"[bad % 3], bad / 3, value);
}

static mus_status check_attributes(int index, const mus_render_mesh *mesh) {
  size_t corners = (size_t)mesh->triangles * 6, entries = (size_t)mesh->vertices * 3;
  if (mesh->material && find_bad_double(corners, mesh->material) != corners)
    return mus_fail(MUS_BAD_INPUT, "mesh %d: material coordinate %zu is not finite", index,
                    find_bad_double(corners, mesh->material));
  if (mesh->colour && find_bad_float(entries, mesh->colour) != entries)
    return mus_fail(MUS_BAD_INPUT, "mesh %d: the colour of vertex %zu is not finite", index,
                    find_bad_float(entries, mesh->colour) / 3);
  const mus_surface_look *look = &mesh->look;
  if (look->kind != MUS_LOOK_PLAIN && !(look->size > 0))
    return mus_fail(MUS_BAD_INPUT, "mesh %d: squares or threads of size %g: give a size above 0", index,
                    (double)look->size);
  if (!(look->roughness >= 0) || !(look->sheen >= 0) || !(look->translucency >= 0) || !(look->translucency <= 1))
    return mus_fail(MUS_BAD_INPUT,
                    "mesh %d: roughness %g, sheen %g and translucency %g: none may be negative, nor the last above 1",
                    index, (double)look->roughness, (double)look->sheen, (double)look->translucency);
  return MUS_OK;
}

static mus_status check_mesh(int index, const mus_render_mesh *mesh) {
  if (mesh->vertices < 1 || mesh->triangles < 1 || !mesh->triangle)
    return mus_fail(MUS_BAD_INPUT, "mesh %d has no triangles to draw", index);
  if (!mesh->position == !mesh->position_float)
    return mus_fail(MUS_BAD_INPUT, "mesh %d needs positions, in single or in double precision", index);
  for (size_t i = 0; i < (size_t)mesh->triangles * 3; ++i)
    if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->vertices)
      return mus_fail(MUS_BAD_INPUT, "mesh %d: triangle %zu names vertex %d, but there are %d", index, i / 3,
                      mesh->triangle[i], mesh->vertices);
  mus_status status = check_positions(index, mesh);
  return status ? status : check_attributes(index, mesh);
}

static mus_status check_lights(const mus_render_scene *scene) {
  if (scene->lights < 0 || scene->lights > MUS_LIGHTS)
    return mus_fail(MUS_BAD_INPUT, "%d lights: give up to %d", scene->lights, MUS_LIGHTS);
  for (int i = 0; i < scene->lights; ++i) {
    const mus_light *light = &scene->light[i];
    float length = mus_v3_length(light->direction);
    if (!(length > 0) || !isfinite(length) || !(light->radius >= 0) || !(light->radius < 1.5f))
      return mus_fail(MUS_BAD_INPUT, "light %d needs a direction and a radius from 0 to 1.5 radians", i);
  }
  return MUS_OK;
}

mus_status mus_scene_check(const mus_render_scene *scene) {
  if (scene->meshes < 1)
    return mus_fail(MUS_BAD_INPUT, "there are no triangles to draw");
  mus_status status = check_lights(scene);
  for (int i = 0; i < scene->meshes && !status; ++i)
    status = check_mesh(i, &scene->mesh[i]);
  if (!status && !(scene->exposure > 0 && isfinite(scene->exposure)))
    status = mus_fail(MUS_BAD_INPUT, "an exposure of %g: give one above 0", (double)scene->exposure);
  if (!status && !(scene->heat.shading >= 0 && scene->heat.shading <= 1))
    status = mus_fail(MUS_BAD_INPUT, "a heat map's shading of %g: give 0 to 1", (double)scene->heat.shading);
  if (!status && !(isfinite(scene->ground.height) && isfinite(scene->turn)))
    status = mus_fail(MUS_BAD_INPUT, "the ground's height or the lights' turn is not finite");
  return status;
}

static int is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

mus_status mus_quality_check(const mus_render_quality *quality) {
  if (quality->width < 1 || quality->height < 1 || quality->width > 16384 || quality->height > 16384)
    return mus_fail(MUS_BAD_INPUT, "a picture of %d x %d pixels: give 1 to 16384 each way", quality->width,
                    quality->height);
  if (quality->antialias != 1 && quality->antialias != 4 && quality->antialias != 16)
    return mus_fail(MUS_BAD_INPUT, "%d rays per pixel: give 1, 4 or 16", quality->antialias);
  int light = quality->light_samples, sky = quality->sky_samples;
  if (!is_power_of_two(light) || !is_power_of_two(sky) || light > 1024 || sky > 1024)
    return mus_fail(MUS_BAD_INPUT, "%d and %d samples of lights and sky: give powers of two up to 1024", light, sky);
  return MUS_OK;
}
