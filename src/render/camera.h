// Where a picture is taken from: a camera that frames what moves, and rays through pixels. Y is up.
#ifndef MUS_RENDER_CAMERA_H
#define MUS_RENDER_CAMERA_H

#include <stddef.h>

#include "base/vector3.h"
#include "muslin/status.h"

typedef struct mus_camera {
  mus_float3 eye, target; // m
  float field;            // degrees from the picture's lower to its upper edge
} mus_camera;

// A box around points.
typedef struct mus_bounds {
  mus_float3 low, high;
} mus_bounds;

mus_bounds mus_bounds_empty(void);
void mus_bounds_add(mus_bounds *bounds, mus_float3 point);
mus_float3 mus_bounds_centre(const mus_bounds *bounds);
// Half of the diagonal; never 0.
float mus_bounds_radius(const mus_bounds *bounds);

// What is wished of an automatic camera; everything else is chosen.
typedef struct mus_camera_wish {
  float azimuth;   // degrees from +z towards +x
  float elevation; // degrees above the horizon
  float field;     // degrees, see mus_camera
  float border;    // the part of the picture's width and height kept free around what is shown, 0 to 0.5
  float legend;    // the part of its width kept free at the right besides, 0 to 0.4
  int has_eye, has_target;
  mus_float3 eye, target; // taken as they are where has_... is set
} mus_camera_wish;

// A three-quarter view from a little above, by a long lens.
mus_camera_wish mus_default_camera_wish(void);
// The same for what lies in a box: flat things are seen from higher up, upright ones from the side that they are broad
// on.
mus_camera_wish mus_camera_wish_for(const mus_bounds *bounds);

// Finds the nearest camera of the wished direction that has all points of all frames in the picture, in the middle.
// With an eye of your own they need not fit.
typedef struct mus_framing {
  mus_camera_wish wish;
  mus_bounds bounds;
  mus_float3 axis[3]; // right, up, forward
  float tangent[4];   // of the angles from the middle to the right, left, upper and lower border
  float reach[4];     // how far points reach past those if the eye is at the origin
} mus_framing;

// For pictures of this aspect (width / height).
mus_status mus_framing_begin(const mus_camera_wish *wish, float aspect, mus_framing *out);
// Adds `count` points of three numbers each. Those that are not finite are passed over.
void mus_framing_add(mus_framing *framing, size_t count, const double *position);
// MUS_BAD_INPUT when no point was added.
mus_status mus_framing_end(const mus_framing *framing, mus_camera *out);

// A camera made ready for a picture's size. Pixels count from the upper left corner; the centre of the first is
// (0.5, 0.5).
typedef struct mus_view {
  mus_float3 eye, right, up, forward;
  float width, height;
  float tangent; // of half the field
  float pixel;   // a pixel's size at distance 1
} mus_view;

mus_status mus_view_make(const mus_camera *camera, int width, int height, mus_view *out);
// Not of unit length: its part along `forward` is 1.
mus_float3 mus_view_direction(const mus_view *view, float x, float y);
// Pixel coordinates of a point into x and y. Returns its depth along `forward`; not positive: behind the eye, and x and
// y mean nothing.
float mus_view_project(const mus_view *view, mus_float3 point, float *x, float *y);

#endif
