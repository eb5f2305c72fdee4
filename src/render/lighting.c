// Light that reaches a place. See lighting.h.
#include "render/lighting.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "render/sampling.h"

static mus_sample_runs make_runs(mus_arena *arena, int count) {
  return (mus_sample_runs){count, mus_sample_table(arena, count)};
}

mus_status mus_light_samples_make(mus_arena *arena, int lights, int skies, mus_light_samples *out) {
  out->light[0] = make_runs(arena, lights);
  out->light[1] = make_runs(arena, lights > 1 ? lights / 2 : 1);
  for (int i = 2; i < MUS_LIGHTS; ++i)
    out->light[i] = out->light[1];
  out->sky = make_runs(arena, skies);
  out->scout = make_runs(arena, 2);
  int made = out->light[0].table && out->light[1].table && out->sky.table && out->scout.table;
  return made ? MUS_OK : mus_fail_memory();
}

static void set_ray(mus_rays *rays, int lane, mus_float3 origin, mus_float3 direction) {
  rays->origin_x[lane] = origin.x;
  rays->origin_y[lane] = origin.y;
  rays->origin_z[lane] = origin.z;
  rays->direction_x[lane] = direction.x;
  rays->direction_y[lane] = direction.y;
  rays->direction_z[lane] = direction.z;
  rays->near[lane] = 0;
  rays->far[lane] = FLT_MAX;
  rays->active[lane] = -1;
}

// Towards a point of the light's disc. The smooth normal tells which side is lit; where the triangle itself is turned
// the other way, the ray is bent so far that it leaves along the triangle. So no edge of a triangle shows.
static void aim_at_light(const mus_world *world, const mus_world_light *light, const mus_site *site, mus_float3 sample,
                         mus_rays *rays, int lane) {
  mus_float3 direction = mus_v3_plus(light->direction, light->radius * sample.x, light->across);
  direction = mus_v3_plus(direction, light->radius * sample.y, light->along);
  int behind = mus_v3_dot(light->direction, site->normal) < 0;
  mus_float3 outwards = mus_v3_scale(behind ? -1 : 1, site->geometric);
  float rise = mus_v3_dot(direction, outwards);
  if (rise < 0.01f)
    direction = mus_v3_plus(direction, 0.01f - rise, outwards);
  set_ray(rays, lane, mus_v3_plus(behind ? site->position : site->start, world->offset, outwards), direction);
  if (world->ground && direction.y <= 0) // from below the horizon
    rays->active[lane] = 0;
}

// A frame around the site's normal.
typedef struct sky_frame {
  mus_float3 tangent, bitangent;
} sky_frame;

// By the cosine around the smooth normal; directions that would go into the triangle are mirrored out of it.
static mus_float3 aim_at_sky(const mus_world *world, const mus_site *site, const sky_frame *frame, mus_float3 sample,
                             mus_rays *rays, int lane) {
  mus_float3 direction = mus_v3_scale(sample.z, site->normal);
  direction = mus_v3_plus(direction, sample.x, frame->tangent);
  direction = mus_v3_plus(direction, sample.y, frame->bitangent);
  float outwards = mus_v3_dot(direction, site->geometric);
  if (outwards < 0)
    direction = mus_v3_plus(direction, -2 * outwards, site->geometric);
  set_ray(rays, lane, mus_v3_plus(site->start, world->offset, site->geometric), direction);
  if (world->ground && direction.y < 0)
    rays->far[lane] = fmaxf((world->ground_height - rays->origin_y[lane]) / direction.y, 0);
  return direction;
}

static void add_sky(const mus_world *world, const mus_site *site, mus_float3 direction, mus_lit *lit) {
  mus_float3 radiance = direction.y < 0 && world->ground ? mus_world_bounce(world, site->start, direction)
                                                         : mus_world_sky(world, direction);
  lit->channel[MUS_OPEN] += 1;
  lit->channel[MUS_SKY] += radiance.x;
  lit->channel[MUS_SKY + 1] += radiance.y;
  lit->channel[MUS_SKY + 2] += radiance.z;
}

// Whether meshes can stand between a site and a light at all: the cone to the light's disc meets their sphere.
static int may_be_shaded(const mus_world *world, const mus_world_light *light, const mus_site *site) {
  mus_float3 to_centre = mus_v3_subtract(mus_bounds_centre(&world->bounds), site->position);
  float along = mus_v3_dot(to_centre, light->direction), radius = world->radius + world->offset;
  float across = mus_v3_length(mus_v3_plus(to_centre, -along, light->direction));
  return site->what != MUS_SEES_NOTHING && along > -radius && across < radius + (along + radius) * light->radius;
}

void mus_light_by_light(const mus_world *world, const mus_sample_runs *runs, int light, const mus_sites *sites,
                        const int wanted[MUS_RAYS], mus_lit lit[MUS_RAYS]) {
  const mus_world_light *from = &world->light[light];
  mus_rays rays;
  unsigned blocked[MUS_RAYS] = {0};
  int traced[MUS_RAYS], any = 0;
  for (int i = 0; i < MUS_RAYS; ++i) {
    traced[i] = wanted[i] && may_be_shaded(world, from, &sites->site[i]);
    any |= traced[i];
  }
  for (int k = 0; k < runs->count && any; ++k) {
    for (int i = 0; i < MUS_RAYS; ++i) {
      rays.active[i] = 0;
      if (traced[i])
        aim_at_light(world, from, &sites->site[i], runs->table[sites->run[i] * runs->count + k], &rays, i);
    }
    unsigned mask = mus_tracer_occluded(world->tracer, 0, &rays);
    for (int i = 0; i < MUS_RAYS; ++i)
      blocked[i] += mask >> i & 1;
  }
  for (int i = 0; i < MUS_RAYS; ++i)
    if (wanted[i])
      lit[i].channel[MUS_SEEN + light] = 1 - (float)blocked[i] / (float)runs->count;
}

void mus_light_by_sky(const mus_world *world, const mus_sample_runs *runs, const mus_sites *sites,
                      mus_lit lit[MUS_RAYS]) {
  mus_rays rays;
  sky_frame frame[MUS_RAYS];
  mus_float3 direction[MUS_RAYS];
  for (int i = 0; i < MUS_RAYS; ++i) {
    mus_v3_frame(sites->site[i].normal, &frame[i].tangent, &frame[i].bitangent);
    for (int c = MUS_OPEN; c < MUS_CHANNELS; ++c)
      lit[i].channel[c] = 0;
  }
  for (int k = 0; k < runs->count; ++k) {
    for (int i = 0; i < MUS_RAYS; ++i) {
      rays.active[i] = 0;
      if (sites->site[i].what != MUS_SEES_NOTHING)
        direction[i] =
            aim_at_sky(world, &sites->site[i], &frame[i], runs->table[sites->run[i] * runs->count + k], &rays, i);
    }
    unsigned mask = mus_tracer_occluded(world->tracer, 0, &rays);
    for (int i = 0; i < MUS_RAYS; ++i)
      if (rays.active[i] && !(mask >> i & 1))
        add_sky(world, &sites->site[i], direction[i], &lit[i]);
  }
  for (int i = 0; i < MUS_RAYS; ++i)
    for (int c = MUS_OPEN; c < MUS_CHANNELS; ++c)
      lit[i].channel[c] /= (float)runs->count;
}

void mus_light_sites(const mus_world *world, const mus_light_samples *samples, const mus_sites *sites,
                     mus_lit lit[MUS_RAYS]) {
  int wanted[MUS_RAYS];
  for (int i = 0; i < MUS_RAYS; ++i)
    wanted[i] = sites->site[i].what != MUS_SEES_NOTHING;
  memset(lit, 0, MUS_RAYS * sizeof *lit);
  for (int l = 0; l < world->lights; ++l)
    mus_light_by_light(world, &samples->light[l], l, sites, wanted, lit);
  mus_light_by_sky(world, &samples->sky, sites, lit);
}

mus_lit mus_light_site(const mus_world *world, const mus_light_samples *samples, const mus_site *site) {
  mus_sites sites;
  mus_lit part[MUS_RAYS], mean;
  for (int i = 0; i < MUS_RAYS; ++i) {
    sites.site[i] = *site;
    sites.run[i] = i;
  }
  mus_light_sites(world, samples, &sites, part);
  memset(&mean, 0, sizeof mean);
  for (int i = 0; i < MUS_RAYS; ++i)
    for (int c = 0; c < MUS_CHANNELS; ++c)
      mean.channel[c] += part[i].channel[c] / MUS_RAYS;
  return mean;
}

// Lambert's law for the ground, which is horizontal.
static mus_float3 ground_radiance(const mus_world *world, const mus_lit *lit) {
  mus_float3 sum = mus_v3_from(&lit->channel[MUS_SKY]);
  for (int l = 0; l < world->lights; ++l)
    sum = mus_v3_plus(sum, lit->channel[MUS_SEEN + l] * fmaxf(0, world->light[l].direction.y), world->light[l].colour);
  return mus_v3_times(world->ground_colour, sum);
}

static mus_site ground_site(const mus_world *world, int x, int z) {
  mus_float3 p = {world->ground_low.x + (float)x * world->ground_step, world->ground_height,
                  world->ground_low.z + (float)z * world->ground_step};
  return (mus_site){.position = p, .start = p, .normal = {0, 1, 0}, .geometric = {0, 1, 0}, .what = MUS_SEES_GROUND};
}

void mus_light_ground(mus_world *world, const mus_light_samples *samples) {
  if (!world->ground)
    return;
  MUS_PARALLEL_FOR
  for (int z = 0; z < MUS_GROUND_SIDE; ++z)
    for (int first = 0; first < MUS_GROUND_SIDE; first += MUS_RAYS) {
      mus_sites sites;
      mus_lit lit[MUS_RAYS];
      for (int i = 0; i < MUS_RAYS; ++i) {
        sites.site[i] = ground_site(world, first + i, z);
        sites.run[i] = mus_pixel_run(first + i, z);
      }
      mus_light_sites(world, samples, &sites, lit);
      for (int i = 0; i < MUS_RAYS; ++i)
        world->ground_light[z * MUS_GROUND_SIDE + first + i] = ground_radiance(world, &lit[i]);
    }
}
