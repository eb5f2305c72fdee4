// Cameras that frame what moves. See camera.h.
//
// With the view direction fixed, each edge of the picture bounds the eye by a plane: in camera axes with z forward, a
// point (x, y, z) lies left of the right edge where x - t z <= ex - t ez, t being the tangent of the angle to that
// edge. The largest left-hand sides over all points give the nearest eye in closed form, for width and height apart;
// the farther of the two is taken.
#include "render/camera.h"

#include <float.h>

#include "base/error.h"

mus_bounds mus_bounds_empty(void) { return (mus_bounds){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}}; }

static int is_empty(const mus_bounds *bounds) { return bounds->low.x > bounds->high.x; }

void mus_bounds_add(mus_bounds *bounds, mus_float3 point) {
  bounds->low = mus_v3(fminf(bounds->low.x, point.x), fminf(bounds->low.y, point.y), fminf(bounds->low.z, point.z));
  bounds->high = mus_v3(fmaxf(bounds->high.x, point.x), fmaxf(bounds->high.y, point.y), fmaxf(bounds->high.z, point.z));
}

mus_float3 mus_bounds_centre(const mus_bounds *bounds) { return mus_v3_mix(bounds->low, bounds->high, 0.5f); }

float mus_bounds_radius(const mus_bounds *bounds) {
  float radius = 0.5f * mus_v3_length(mus_v3_subtract(bounds->high, bounds->low));
  return fmaxf(radius, 1e-6f);
}

mus_camera_wish mus_default_camera_wish(void) {
  return (mus_camera_wish){.azimuth = 32, .elevation = 21, .field = 26, .border = 0.19f};
}

mus_camera_wish mus_camera_wish_for(const mus_bounds *bounds) {
  mus_camera_wish wish = mus_default_camera_wish();
  if (is_empty(bounds))
    return wish;
  mus_float3 size = mus_v3_subtract(bounds->high, bounds->low);
  float across = hypotf(size.x, size.z);
  if (size.x < 0.6f * size.z)
    wish.azimuth = 90 - wish.azimuth;
  wish.elevation = 14 + 19 * expf(-2.2f * size.y / fmaxf(across, 1e-6f));
  return wish;
}

static float radians(float degrees) { return degrees * 0.017453292520f; }

// Right-handed axes that look along the unit vector `forward`; straight up or down, -z counts as up.
static void make_axes(mus_float3 forward, mus_float3 *right, mus_float3 *up) {
  mus_float3 side = mus_v3_cross(forward, mus_v3(0, 1, 0));
  if (mus_v3_dot(side, side) < 1e-8f)
    side = mus_v3_cross(forward, mus_v3(0, 0, -1));
  *right = mus_v3_unit(side);
  *up = mus_v3_cross(*right, forward);
}

mus_status mus_framing_begin(const mus_camera_wish *wish, float aspect, mus_framing *out) {
  if (!(aspect > 0) || !(wish->field > 0) || !(wish->field < 179) || !(wish->border >= 0) || !(wish->border <= 0.5f) ||
      !(wish->legend >= 0) || !(wish->legend <= 0.4f))
    return mus_fail(MUS_BAD_INPUT,
                    "a camera of %g degrees with a border of %g and %g for the legend: give above 0 and below 179 "
                    "degrees, 0 to 0.5 and 0 to 0.4",
                    (double)wish->field, (double)wish->border, (double)wish->legend);
  *out = (mus_framing){.wish = *wish, .bounds = mus_bounds_empty()};
  float azimuth = radians(wish->azimuth), elevation = radians(wish->elevation);
  out->axis[2] = mus_v3(-sinf(azimuth) * cosf(elevation), -sinf(elevation), -cosf(azimuth) * cosf(elevation));
  make_axes(out->axis[2], &out->axis[0], &out->axis[1]);
  float half = tanf(radians(wish->field) / 2), free = 1 - wish->border;
  out->tangent[0] = half * aspect * (free - 2 * wish->legend * free);
  out->tangent[1] = half * aspect * free;
  out->tangent[2] = out->tangent[3] = half * free;
  for (int i = 0; i < 4; ++i)
    out->reach[i] = -FLT_MAX;
  return MUS_OK;
}

void mus_framing_add(mus_framing *framing, size_t count, const double *position) {
  for (size_t n = 0; n < count; ++n) {
    mus_float3 p = {(float)position[3 * n], (float)position[3 * n + 1], (float)position[3 * n + 2]};
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
      continue;
    mus_bounds_add(&framing->bounds, p);
    if (framing->wish.has_target)
      p = mus_v3_subtract(p, framing->wish.target);
    float z = mus_v3_dot(p, framing->axis[2]);
    for (int i = 0; i < 2; ++i) {
      float along = mus_v3_dot(p, framing->axis[i]), *reach = &framing->reach[2 * i];
      reach[0] = fmaxf(reach[0], along - framing->tangent[2 * i] * z);
      reach[1] = fmaxf(reach[1], -along - framing->tangent[2 * i + 1] * z);
    }
  }
}

// The nearest eye, in camera axes. From right <= ex - tr ez and left <= -ex - tl ez follows -ez >= (right + left) /
// (tr + tl); then ex is taken in the middle of what the two leave it. With a target at the origin, ex = 0.
static mus_camera framed(const mus_framing *framing) {
  int aimed = framing->wish.has_target;
  mus_float3 origin = aimed ? framing->wish.target : mus_v3(0, 0, 0);
  float eye[2] = {0, 0}, back = -FLT_MAX;
  for (int i = 0; i < 2; ++i) {
    const float *reach = &framing->reach[2 * i], *t = &framing->tangent[2 * i];
    back = fmaxf(back, aimed ? fmaxf(reach[0] / t[0], reach[1] / t[1]) : (reach[0] + reach[1]) / (t[0] + t[1]));
  }
  for (int i = 0; i < 2 && !aimed; ++i) {
    const float *reach = &framing->reach[2 * i], *t = &framing->tangent[2 * i];
    eye[i] = (reach[0] - t[0] * back - reach[1] + t[1] * back) / 2;
  }
  mus_float3 beside = mus_v3_plus(mus_v3_plus(origin, eye[0], framing->axis[0]), eye[1], framing->axis[1]);
  // As far ahead as the middle of all: what a caller who turns around the target would turn around.
  mus_float3 centre = mus_v3_subtract(mus_bounds_centre(&framing->bounds), origin);
  float ahead = aimed ? 0 : mus_v3_dot(centre, framing->axis[2]);
  back = fmaxf(back, 1e-3f * mus_bounds_radius(&framing->bounds) - ahead);
  return (mus_camera){mus_v3_plus(beside, -back, framing->axis[2]), mus_v3_plus(beside, ahead, framing->axis[2]),
                      framing->wish.field};
}

mus_status mus_framing_end(const mus_framing *framing, mus_camera *out) {
  const mus_camera_wish *wish = &framing->wish;
  if (is_empty(&framing->bounds))
    return mus_fail(MUS_BAD_INPUT, "the camera has nothing to look at: no point with finite coordinates");
  if (wish->has_eye)
    *out = (mus_camera){wish->eye, wish->has_target ? wish->target : mus_bounds_centre(&framing->bounds), wish->field};
  else
    *out = framed(framing);
  return MUS_OK;
}

mus_status mus_view_make(const mus_camera *camera, int width, int height, mus_view *out) {
  mus_float3 forward = mus_v3_unit(mus_v3_subtract(camera->target, camera->eye));
  if (!(mus_v3_length(forward) > 0.5f) || !isfinite(mus_v3_length(forward)))
    return mus_fail(MUS_BAD_INPUT, "a camera's eye and target must be two different points");
  if (!(camera->field > 0) || !(camera->field < 179))
    return mus_fail(MUS_BAD_INPUT, "a camera's field of view is %g degrees: give one between 0 and 179",
                    (double)camera->field);
  out->eye = camera->eye;
  out->forward = forward;
  make_axes(forward, &out->right, &out->up);
  out->width = (float)width;
  out->height = (float)height;
  out->tangent = tanf(radians(camera->field) / 2);
  out->pixel = 2 * out->tangent / out->height;
  return MUS_OK;
}

mus_float3 mus_view_direction(const mus_view *view, float x, float y) {
  float across = (x - 0.5f * view->width) * view->pixel, upwards = (0.5f * view->height - y) * view->pixel;
  return mus_v3_plus(mus_v3_plus(view->forward, across, view->right), upwards, view->up);
}

float mus_view_project(const mus_view *view, mus_float3 point, float *x, float *y) {
  mus_float3 p = mus_v3_subtract(point, view->eye);
  float depth = mus_v3_dot(p, view->forward), scale = 1 / (depth * view->pixel);
  *x = 0.5f * view->width + mus_v3_dot(p, view->right) * scale;
  *y = 0.5f * view->height - mus_v3_dot(p, view->up) * scale;
  return depth;
}
