// Cameras that move. See camera_path.h.
#include "picture/camera_path.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double full_turn = 6.283185307179586;

mus_status mus_camera_path_create(mus_arena *arena, int frames, int follows, int turns, const mus_bounds *all,
                                  mus_camera_path *out) {
  *out = (mus_camera_path){.follows = follows, .turns = turns, .frames = frames};
  out->target = mus_arena_alloc(arena, (size_t)frames, sizeof *out->target);
  if (!out->target)
    return mus_fail_memory();
  for (int k = 0; k < frames; ++k)
    out->target[k] = mus_bounds_centre(all);
  return MUS_OK;
}

void mus_camera_path_see(mus_camera_path *path, int frame, const mus_bounds *shown) {
  if (path->follows)
    path->target[frame] = mus_bounds_centre(shown);
}

mus_status mus_camera_path_smooth(mus_camera_path *path, int window) {
  size_t bytes = (size_t)path->frames * sizeof *path->target;
  mus_float3 *raw = mus_alloc((size_t)path->frames, sizeof *raw);
  if (!raw)
    return mus_fail_memory();
  memcpy(raw, path->target, bytes);
  for (int k = 0; k < path->frames; ++k) {
    // As many before as after, so that the ends neither lag nor lead.
    int reach = k < window ? k : window, after = path->frames - 1 - k;
    mus_float3 sum = {0, 0, 0};
    reach = after < reach ? after : reach;
    for (int i = k - reach; i <= k + reach; ++i)
      sum = mus_v3_add(sum, raw[i]);
    path->target[k] = mus_v3_scale(1 / (float)(2 * reach + 1), sum);
  }
  mus_free(raw);
  return MUS_OK;
}

mus_status mus_camera_path_begin(mus_camera_path *path, const mus_camera_wish *wish, float aspect) {
  mus_status status = MUS_OK;
  path->sides = path->turns ? MUS_CAMERA_SIDES : 1;
  path->field = wish->field;
  for (int k = 0; k < path->sides && !status; ++k) {
    mus_camera_wish side = *wish;
    side.azimuth += 360 * (float)k / (float)path->sides;
    side.target = wish->has_target ? wish->target : path->target[0];
    side.has_target = 1;
    status = mus_framing_begin(&side, aspect, &path->framing[k]);
  }
  for (int k = 0; k < path->frames && wish->has_target; ++k)
    path->target[k] = wish->target;
  return status;
}

void mus_camera_path_aim(mus_camera_path *path, int frame) {
  for (int k = 0; k < path->sides; ++k)
    path->framing[k].wish.target = path->target[frame];
}

mus_status mus_camera_path_end(mus_camera_path *path) {
  mus_status status = MUS_OK;
  float farthest = 0;
  for (int k = 0; k < path->sides && !status; ++k) {
    mus_camera camera;
    mus_framing *framing = &path->framing[k];
    if (framing->wish.has_eye)
      framing->wish.target = path->target[0];
    status = mus_framing_end(framing, &camera);
    if (status)
      break;
    mus_float3 offset = mus_v3_subtract(camera.eye, camera.target);
    farthest = fmaxf(farthest, mus_v3_length(offset));
    path->offset = k == 0 ? offset : path->offset;
  }
  if (!status && !path->framing[0].wish.has_eye)
    path->offset = mus_v3_scale(farthest, mus_v3_unit(path->offset));
  return status;
}

// From +z towards +x, as azimuths count.
static mus_float3 turned(mus_float3 v, double angle) {
  float c = (float)cos(angle), s = (float)sin(angle);
  return mus_v3(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

void mus_camera_path_place(const mus_camera_path *path, int frame, double part, mus_render_scene *scene) {
  mus_float3 target = path->target[frame], offset = turned(path->offset, path->turns ? full_turn * part : 0);
  scene->camera = (mus_camera){mus_v3_add(target, offset), target, path->field};
  if (offset.x != 0 || offset.z != 0)
    scene->turn = atan2f(offset.x, offset.z) * 57.2957795f - mus_default_camera_wish().azimuth;
}
