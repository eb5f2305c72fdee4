// Pictures of meshes. See renderer.h.
//
// A frame is drawn in three passes over the picture: what each pixel's middle sees; the light there, smoothed among
// pixels of the same surface (light_buffer.h); and then several rays per pixel, each with its own colour and normal,
// which look the light up. Pixels whose rays disagree, at outlines, get four times as many.
#include "render/renderer.h"

#include <float.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"
#include "render/colour.h"
#include "render/legend.h"
#include "render/light_buffer.h"
#include "render/range.h"
#include "render/sampling.h"
#include "render/shade.h"

enum { MAXIMUM_SAMPLES = 64, CHUNK = 64 };

// Pixels of a band of the light buffer, about 128 MiB of it, and the fewest rows that are drawn with one.
enum { BAND_PIXELS = 1 << 20, BAND_ROWS = 64 };

// A pixel while rays are collected.
typedef struct film_pixel {
  mus_float3 sum; // of the rays' displayable linear colours
  mus_site first; // what the first one saw
  int outline;    // another one saw something else
} film_pixel;

struct mus_renderer {
  mus_arena arena;
  mus_render_quality quality;
  mus_world *world;
  mus_light_samples samples; // for the light buffer
  mus_light_samples lonely;  // for rays that it has no answer for: two a run, of which eight are taken
  mus_light_buffer light;
  float offset_x[MAXIMUM_SAMPLES], offset_y[MAXIMUM_SAMPLES]; // the rays' places in a pixel
};

// One picture being drawn: what all rays need to know.
typedef struct picture_job {
  mus_renderer *renderer;
  const mus_world *world;
  mus_view view;
  mus_float3 background_top, background_bottom, wire; // linear
} picture_job;

// With the margins that a band has above and below.
static int band_rows(const mus_render_quality *quality) {
  int rows = BAND_PIXELS / quality->width;
  rows = (rows > BAND_ROWS ? rows : BAND_ROWS) + 2 * MUS_LIGHT_MARGIN;
  return rows < quality->height ? rows : quality->height;
}

mus_status mus_renderer_create(const mus_render_scene *scene, const mus_render_quality *quality, mus_renderer **out) {
  *out = NULL;
  mus_status status = mus_scene_check(scene);
  if (!status)
    status = mus_quality_check(quality);
  if (status)
    return status;
  mus_renderer *renderer = mus_alloc_zero(1, sizeof *renderer);
  if (!renderer)
    return mus_fail_memory();
  renderer->quality = *quality;
  status = mus_light_samples_make(&renderer->arena, quality->light_samples, quality->sky_samples, &renderer->samples);
  if (!status)
    status = mus_light_samples_make(&renderer->arena, 2, 2, &renderer->lonely);
  if (!status)
    status = mus_light_buffer_create(&renderer->arena, quality->width, band_rows(quality), &renderer->light);
  if (!status)
    status = mus_world_create(scene, &renderer->world);
  if (status) {
    mus_renderer_free(renderer);
    return status;
  }
  int most = quality->antialias * 4;
  for (int k = 0; k < most; ++k) {
    mus_sobol((uint32_t)k, &renderer->offset_x[k], &renderer->offset_y[k]);
    renderer->offset_x[k] += 0.5f / (float)most;
    renderer->offset_y[k] += 0.5f / (float)most;
  }
  *out = renderer;
  return MUS_OK;
}

void mus_renderer_free(mus_renderer *renderer) {
  if (!renderer)
    return;
  mus_world_free(renderer->world);
  mus_arena_clear(&renderer->arena);
  mus_free(renderer);
}

// --- what a ray sees ----------------------------------------------------------------------------------------------

// Eight rays from the eye through pixel coordinates.
typedef struct eye_rays {
  float x[MUS_RAYS], y[MUS_RAYS];
  int active[MUS_RAYS];
  mus_float3 direction[MUS_RAYS]; // unit
  mus_hits hits;
} eye_rays;

static void trace_bundle(const picture_job *job, eye_rays *bundle) {
  mus_rays rays;
  for (int i = 0; i < MUS_RAYS; ++i) {
    bundle->direction[i] = mus_v3_unit(mus_view_direction(&job->view, bundle->x[i], bundle->y[i]));
    rays.origin_x[i] = job->view.eye.x;
    rays.origin_y[i] = job->view.eye.y;
    rays.origin_z[i] = job->view.eye.z;
    rays.direction_x[i] = bundle->direction[i].x;
    rays.direction_y[i] = bundle->direction[i].y;
    rays.direction_z[i] = bundle->direction[i].z;
    rays.near[i] = 0;
    rays.far[i] = FLT_MAX;
    rays.active[i] = bundle->active[i] ? -1 : 0;
  }
  mus_tracer_closest(job->world->tracer, 1, &rays, &bundle->hits);
}

// How far the ground is along a ray, or FLT_MAX; it is not seen from below, nor where it has faded away.
static float ground_distance(const picture_job *job, mus_float3 direction) {
  float above = job->view.eye.y - job->world->ground_height;
  if (!job->world->ground || above <= 0 || direction.y >= 0)
    return FLT_MAX;
  return above / -direction.y;
}

// How much of the ground is left at a place: it turns into background with the distance from the scene's middle.
static float ground_presence(const picture_job *job, mus_float3 p) {
  const mus_world *world = job->world;
  mus_float3 centre = mus_bounds_centre(&world->bounds);
  float distance = hypotf(p.x - centre.x, p.z - centre.z);
  return 1 - mus_smoothstep(world->fade_start, world->fade_end, distance);
}

// Fills the site that ray i of a bundle sees, and the sight too where that is a mesh.
static void look(const picture_job *job, const eye_rays *bundle, int i, mus_site *site, mus_sight *sight) {
  const mus_hits *hits = &bundle->hits;
  mus_float3 direction = bundle->direction[i];
  float ground = ground_distance(job, direction), distance = fminf(ground, hits->distance[i]);
  site->what = MUS_SEES_NOTHING;
  site->normal = mus_v3(0, 1, 0);
  site->pixel = distance * mus_v3_dot(direction, job->view.forward) * job->view.pixel;
  if (hits->mesh[i] >= 0 && hits->distance[i] <= ground) {
    *sight = (mus_sight){.mesh = hits->mesh[i],
                         .triangle = hits->triangle[i],
                         .u = hits->u[i],
                         .v = hits->v[i],
                         .x = bundle->x[i],
                         .y = bundle->y[i],
                         .direction = direction,
                         .pixel = site->pixel};
    sight->spot =
        mus_render_surface_spot(&job->world->surface[sight->mesh], sight->triangle, sight->u, sight->v, direction);
    site->what = sight->mesh;
    site->position = sight->spot.position;
    site->start = sight->spot.raised;
    site->normal = sight->spot.normal;
    site->geometric = sight->spot.geometric;
  } else if (ground < FLT_MAX) {
    site->position = mus_v3_plus(job->view.eye, ground, direction);
    site->position.y = job->world->ground_height;
    site->start = site->position;
    site->geometric = site->normal;
    if (ground_presence(job, site->position) > 0)
      site->what = MUS_SEES_GROUND;
  }
}

// Fills the light buffer's sites.
static void find_sites(const picture_job *job) {
  mus_light_buffer *light = &job->renderer->light;
  MUS_PARALLEL
  {
    MUS_SHARE_RUNS
    for (int y = light->top; y < light->bottom; ++y)
      for (int x = 0; x < light->width; x += MUS_RAYS) {
        eye_rays bundle;
        mus_sight sight;
        for (int i = 0; i < MUS_RAYS; ++i) {
          bundle.x[i] = (float)(x + i) + 0.5f;
          bundle.y[i] = (float)y + 0.5f;
          bundle.active[i] = x + i < light->width;
        }
        trace_bundle(job, &bundle);
        for (int i = 0; i < MUS_RAYS && x + i < light->width; ++i)
          look(job, &bundle, i, &light->site[mus_light_buffer_index(light, x + i, y)], &sight);
      }
  }
}

// --- what it looks like -------------------------------------------------------------------------------------------

static mus_float3 background(const picture_job *job, float y) {
  return mus_v3_mix(job->background_top, job->background_bottom, mus_clamp(y / job->view.height, 0, 1));
}

static mus_lit light_at(const picture_job *job, const mus_site *site, float x, float y) {
  mus_lit lit;
  if (!mus_light_buffer_at(&job->renderer->light, site, x, y, &lit))
    lit = mus_light_site(job->world, &job->renderer->lonely, site);
  return lit;
}

static mus_float3 mesh_colour(const picture_job *job, const mus_sight *sight, const mus_lit *lit) {
  mus_float3 colour = mus_tone_map(mus_shade_mesh(job->world, sight, lit));
  if (!job->world->surface[sight->mesh].wireframe)
    return colour;
  return mus_v3_mix(colour, job->wire, 0.85f * mus_wire_cover(job->world, &job->view, sight));
}

// The displayable linear colour that ray i of a bundle brings, and what it saw.
static mus_float3 ray_colour(const picture_job *job, const eye_rays *bundle, int i, mus_site *site) {
  mus_sight sight;
  look(job, bundle, i, site, &sight);
  mus_float3 behind = background(job, bundle->y[i]);
  if (site->what == MUS_SEES_NOTHING)
    return behind;
  mus_lit lit = light_at(job, site, bundle->x[i], bundle->y[i]);
  if (site->what != MUS_SEES_GROUND)
    return mesh_colour(job, &sight, &lit);
  return mus_v3_mix(behind, mus_tone_map(mus_shade_ground(job->world, &lit)), ground_presence(job, site->position));
}

// Whether two rays of a pixel saw different things: there, colours change within the pixel. What is painted on a
// surface needs no more rays, for patterns and lines are smoothed by their formulas.
static int is_outline(const mus_site *a, const mus_site *b) {
  if (a->what != b->what)
    return 1;
  if (a->what < 0)
    return 0;
  float across = fabsf(mus_v3_dot(mus_v3_subtract(b->position, a->position), a->normal));
  return across > 2 * a->pixel || mus_v3_dot(a->normal, b->normal) < 0.85f;
}

static void expose(film_pixel *pixel, int first, mus_float3 colour, const mus_site *site) {
  if (first)
    *pixel = (film_pixel){colour, *site, 0};
  else {
    pixel->sum = mus_v3_add(pixel->sum, colour);
    pixel->outline |= is_outline(&pixel->first, site);
  }
}

// The plain rays of `count` pixels of a row from x on: eight at a time, several pixels a bundle or several bundles a
// pixel.
static void draw_plain(const picture_job *job, int x, int y, int count, film_pixel *film) {
  const mus_renderer *renderer = job->renderer;
  int samples = renderer->quality.antialias, rays = count * samples;
  for (int first = 0; first < rays; first += MUS_RAYS) {
    eye_rays bundle;
    for (int i = 0; i < MUS_RAYS; ++i) {
      int k = (first + i) % samples;
      bundle.x[i] = (float)(x + (first + i) / samples) + renderer->offset_x[k];
      bundle.y[i] = (float)y + renderer->offset_y[k];
      bundle.active[i] = first + i < rays;
    }
    trace_bundle(job, &bundle);
    for (int i = 0; i < MUS_RAYS && first + i < rays; ++i) {
      mus_site site;
      mus_float3 colour = ray_colour(job, &bundle, i, &site);
      expose(&film[(first + i) / samples], (first + i) % samples == 0, colour, &site);
    }
  }
}

// The remaining rays of a pixel at an outline.
static void draw_outline(const picture_job *job, int x, int y, film_pixel *pixel) {
  const mus_renderer *renderer = job->renderer;
  int samples = renderer->quality.antialias;
  for (int first = samples; first < 4 * samples; first += MUS_RAYS) {
    eye_rays bundle;
    for (int i = 0; i < MUS_RAYS; ++i) {
      bundle.active[i] = first + i < 4 * samples;
      bundle.x[i] = (float)x + renderer->offset_x[bundle.active[i] ? first + i : 0];
      bundle.y[i] = (float)y + renderer->offset_y[bundle.active[i] ? first + i : 0];
    }
    trace_bundle(job, &bundle);
    for (int i = 0; i < MUS_RAYS && bundle.active[i]; ++i) {
      mus_site site;
      pixel->sum = mus_v3_add(pixel->sum, ray_colour(job, &bundle, i, &site));
    }
  }
}

// Rounds to a byte, up or down by chance in proportion, so that faint gradients show no steps.
static unsigned char to_byte(float linear, float chance) {
  float value = mus_srgb_encode(mus_clamp(linear, 0, 1)) * 255 + chance;
  return (unsigned char)mus_clamp(floorf(value), 0, 255);
}

static void develop(const film_pixel *pixel, int rays, size_t index, mus_picture *picture) {
  mus_float3 colour = mus_v3_scale(1 / (float)rays, pixel->sum);
  float chance = (float)(mus_random_bits(1, index) >> 40) * (1.0f / 16777216);
  picture->pixel[3 * index] = to_byte(colour.x, chance);
  picture->pixel[3 * index + 1] = to_byte(colour.y, chance);
  picture->pixel[3 * index + 2] = to_byte(colour.z, chance);
}

static void draw_chunk(const picture_job *job, int x, int y, int count, mus_picture *picture) {
  film_pixel film[CHUNK];
  int samples = job->renderer->quality.antialias;
  draw_plain(job, x, y, count, film);
  for (int i = 0; i < count; ++i) {
    if (film[i].outline)
      draw_outline(job, x + i, y, &film[i]);
    size_t index = (size_t)y * (size_t)picture->width + (size_t)(x + i);
    develop(&film[i], film[i].outline ? 4 * samples : samples, index, picture);
  }
}

static void draw_rows(const picture_job *job, int first, int end, mus_picture *picture) {
  MUS_PARALLEL
  {
    MUS_SHARE_RUNS
    for (int y = first; y < end; ++y)
      for (int x = 0; x < picture->width; x += CHUNK)
        draw_chunk(job, x, y, picture->width - x < CHUNK ? picture->width - x : CHUNK, picture);
  }
}

static void draw_picture(const picture_job *job, mus_picture *picture) {
  mus_light_buffer *light = &job->renderer->light;
  int height = picture->height, margins = light->capacity < height ? 2 * MUS_LIGHT_MARGIN : 0;
  for (int first = 0; first < height;) {
    int end = first + light->capacity - margins;
    end = end < height ? end : height;
    light->top = first > MUS_LIGHT_MARGIN ? first - MUS_LIGHT_MARGIN : 0;
    light->bottom = end + MUS_LIGHT_MARGIN < height ? end + MUS_LIGHT_MARGIN : height;
    find_sites(job);
    mus_light_buffer_fill(light, job->world, &job->renderer->samples);
    draw_rows(job, first, end, picture);
    first = end;
  }
}

static void draw_overlay(const mus_world *world, const mus_render_scene *scene, mus_picture *picture) {
  int heat = 0;
  for (int i = 0; i < scene->meshes; ++i)
    heat |= scene->mesh[i].heat != NULL;
  if (heat && scene->heat.legend)
    mus_legend_draw(picture, &world->heat);
  if (scene->caption)
    mus_caption_draw(picture, scene->caption);
}

mus_status mus_renderer_draw(mus_renderer *renderer, const mus_render_scene *scene, mus_picture *picture) {
  const mus_render_quality *quality = &renderer->quality;
  picture_job job = {.renderer = renderer, .world = renderer->world};
  mus_status status = mus_scene_check(scene);
  if (!status && (picture->width != quality->width || picture->height != quality->height))
    status = mus_fail(MUS_BAD_INPUT, "a picture of %d x %d pixels for a renderer of %d x %d", picture->width,
                      picture->height, quality->width, quality->height);
  if (!status)
    status = mus_view_make(&scene->camera, quality->width, quality->height, &job.view);
  if (!status)
    status = mus_world_update(renderer->world, scene);
  if (status)
    return status;
  job.background_top = mus_linear_from_srgb(scene->background_top);
  job.background_bottom = mus_linear_from_srgb(scene->background_bottom);
  job.wire = mus_linear_from_srgb(scene->wire);
  mus_light_ground(renderer->world, &renderer->samples);
  draw_picture(&job, picture);
  draw_overlay(renderer->world, scene, picture);
  return MUS_OK;
}
