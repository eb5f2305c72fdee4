// Light that reaches a place: the part of each light seen from there, and the sky, found by rays.
#ifndef MUS_RENDER_LIGHTING_H
#define MUS_RENDER_LIGHTING_H

#include "render/world.h"

enum { MUS_SEES_NOTHING = -2, MUS_SEES_GROUND = -1 };

// A place to be lit.
typedef struct mus_site {
  mus_float3 position;
  mus_float3 start;             // where rays begin; the position, or where the smooth surface would be
  mus_float3 normal, geometric; // unit, on the viewer's side
  float pixel;                  // m: a pixel's size there
  int what;                     // a mesh, or MUS_SEES_...
} mus_site;

// Light at a place, in eight channels, so that sums run in vector registers. From MUS_SEEN on, the part of each light
// that is seen from there, 0 to 1; at MUS_OPEN the part of sky and ground that meshes leave free, by the cosine; from
// MUS_SKY on the radiance that comes from there, averaged by the cosine.
enum { MUS_SEEN = 0, MUS_OPEN = MUS_LIGHTS, MUS_SKY, MUS_CHANNELS = 8 };
typedef struct mus_lit {
  float channel[MUS_CHANNELS];
} mus_lit;

// The directions that are tried: a run of each table for each of 16 places side by side (see sampling.h).
typedef struct mus_sample_runs {
  int count; // samples a run
  const mus_float3 *table;
} mus_sample_runs;

typedef struct mus_light_samples {
  mus_sample_runs light[MUS_LIGHTS], sky;
  mus_sample_runs scout; // to find out where a light is seen as a whole, or not at all
} mus_light_samples;

// So many samples a run of the first light, half as many of the others, which are fainter.
mus_status mus_light_samples_make(mus_arena *arena, int lights, int skies, mus_light_samples *out);

// Eight sites and the runs that they take. Those that see nothing are passed over.
typedef struct mus_sites {
  mus_site site[MUS_RAYS];
  int run[MUS_RAYS];
} mus_sites;

// The part of a light that is seen from the sites i that are `wanted`; the others' lit[i] is left as it is.
void mus_light_by_light(const mus_world *world, const mus_sample_runs *runs, int light, const mus_sites *sites,
                        const int wanted[MUS_RAYS], mus_lit lit[MUS_RAYS]);
// What comes from sky and ground.
void mus_light_by_sky(const mus_world *world, const mus_sample_runs *runs, const mus_sites *sites,
                      mus_lit lit[MUS_RAYS]);
// Both, from all lights.
void mus_light_sites(const mus_world *world, const mus_light_samples *samples, const mus_sites *sites,
                     mus_lit lit[MUS_RAYS]);
// Light at one site, by eight of the runs together.
mus_lit mus_light_site(const mus_world *world, const mus_light_samples *samples, const mus_site *site);

// Finds what the ground throws back, which the other functions use where rays go down.
void mus_light_ground(mus_world *world, const mus_light_samples *samples);

#endif
