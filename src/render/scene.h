// What a picture shows: meshes and how they look, ground, lights, sky, camera.
//
// Everything here is a description: plain records with defaults from mus_default_...(), pointing to arrays of the
// caller's. Lengths are in metres, Y is up. Colours are sRGB, 0 to 1, as in a colour picker; light is counted so that a
// white surface that faces a light of strength 1 comes out as 1 before tone mapping.
#ifndef MUS_RENDER_SCENE_H
#define MUS_RENDER_SCENE_H

#include "base/vector3.h"
#include "muslin/status.h"
#include "render/camera.h"

typedef enum mus_look {
  MUS_LOOK_PLAIN,   // one colour
  MUS_LOOK_CHECKER, // squares of the material in two colours
  MUS_LOOK_WEAVE    // plain weave: `colour` is the warp's, `other` the weft's
} mus_look;

// Diffuse as rough matter is (Oren and Nayar 1994), with a soft sheen where the surface is seen edge on.
typedef struct mus_surface_look {
  mus_look kind;
  mus_float3 colour, other;
  int has_back;       // the other side has a colour of its own
  mus_float3 back;    // it replaces `colour` there
  float size;         // m: a checker's square, or the distance of threads
  float roughness;    // standard deviation of the slopes, radians; 0 is Lambert's law
  float sheen;        // strength, 0 for none
  float translucency; // the part of light that comes through from behind, 0 to 1
} mus_surface_look;

typedef struct mus_render_mesh {
  int vertices, triangles;
  const double *position;      // vertices * 3; either this ...
  const float *position_float; // ... or this
  const int *triangle;         // triangles * 3, counter-clockwise seen from the front
  const double *material;      // triangles * 3 corners * (u, v) in m, or NULL: a look that needs them is then plain
  const float *colour;         // vertices * 3, sRGB: replaces the look's colours; NULL for none
  const double *heat;          // one number per vertex, drawn by the heat map; replaces `colour`; NaN is drawn grey
  mus_surface_look look;
  int wireframe; // draw its edges
} mus_render_mesh;

// A bright disc, infinitely far away.
typedef struct mus_light {
  mus_float3 direction; // towards the light; any length
  mus_float3 colour;
  float strength;
  float radius; // radians, seen from the scene: how soft shadows are; 0 makes them sharp
} mus_light;

// Light from all around, blocked by what stands in its way: it makes folds readable.
typedef struct mus_sky {
  mus_float3 zenith, horizon;
  float strength;
} mus_sky;

typedef struct mus_ground {
  int shown;
  float height; // m
  mus_float3 colour;
  float fade; // m from the middle of the scene to where it has become background; 0: from the scene's size
} mus_ground;

// Numbers outside low and high get the end colours. low = high: the range of the finite numbers of all meshes.
typedef struct mus_heat_map {
  double low, high;
  float shading;     // 1: lit as everything is; 0: the map's colours as they are
  int legend;        // draw the bar with its numbers
  const char *title; // over the bar; NULL for none
} mus_heat_map;

enum { MUS_LIGHTS = 3 };

typedef struct mus_render_scene {
  int meshes;
  const mus_render_mesh *mesh;
  int lights; // up to MUS_LIGHTS
  mus_light light[MUS_LIGHTS];
  float turn; // degrees by which all lights are turned, from +z towards +x: so they stand by the camera
  mus_sky sky;
  mus_ground ground;
  mus_float3 background_top, background_bottom;
  mus_camera camera;
  mus_heat_map heat;
  mus_float3 wire;     // colour of wireframes
  float exposure;      // factor on all light
  const char *caption; // lower left corner; NULL for none
} mus_render_scene;

// The size of a picture and the work that goes into it. Each pixel takes a few
// samples; smoothing over 5 x 5 pixels makes them look like 16 times as many. Sample counts are powers of two.
typedef struct mus_render_quality {
  int width, height;
  int antialias;     // rays per pixel: 1, 4 or 16; edges get four times as many
  int light_samples; // shadow rays per pixel to the first light; half as many to the others
  int sky_samples;   // rays to the sky per pixel
} mus_render_quality;

// Unbleached cotton, woven.
mus_render_mesh mus_default_render_mesh(void);
// A photographer's studio: key light from the camera's left, a faint light from behind, sky, a pale ground. No meshes.
mus_render_scene mus_default_render_scene(void);
// 960 x 540
mus_render_quality mus_default_render_quality(void);

// Sets the camera from all frames' points, turns the lights along with it from where the default camera stands, and
// sets the ground's height to just below the lowest point.
mus_status mus_scene_frame(mus_render_scene *scene, const mus_framing *framing);

// MUS_BAD_INPUT with what is wrong: no triangles, indices out of range, numbers that are not finite, bad sizes.
mus_status mus_scene_check(const mus_render_scene *scene);
mus_status mus_quality_check(const mus_render_quality *quality);

#endif
