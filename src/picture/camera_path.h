// Cameras that move: one that follows the cloth from frame to frame, one that goes around it once (a turntable), or
// both.
//
//   target of a picture   the middle of what is shown in its frame, averaged over half a second of frames around it,
//                         where the camera follows; else the middle of all frames
//   eye of a picture      target + offset, turned about the vertical by 360 degrees * picture / pictures on a turntable
//
// The offset is as short as it can be with all frames in the picture, from every side that is seen.
#ifndef MUS_PICTURE_CAMERA_PATH_H
#define MUS_PICTURE_CAMERA_PATH_H

#include "base/memory.h"
#include "render/scene.h"

enum { MUS_CAMERA_SIDES = 16 }; // of a turntable that are looked from to find the distance

typedef struct mus_camera_path {
  int follows, turns;
  int frames;         // that targets are known of
  mus_float3 *target; // frames
  mus_float3 offset;
  float field;                           // degrees, see mus_camera
  mus_framing framing[MUS_CAMERA_SIDES]; // while the distance is being found
  int sides;
} mus_camera_path;

// For frames 0 ... frames - 1 of the pictures; all targets are the middle of `all` at first.
mus_status mus_camera_path_create(mus_arena *arena, int frames, int follows, int turns, const mus_bounds *all,
                                  mus_camera_path *out);
// Where the camera follows: sets the target of a frame, in any order; then smooths them over `window` frames before and
// after each.
void mus_camera_path_see(mus_camera_path *path, int frame, const mus_bounds *shown);
mus_status mus_camera_path_smooth(mus_camera_path *path, int window);
// Finds the distance: begin, then for each frame give framings the frame's target and add what it shows to all of them
// (mus_camera_path_aim(), and mus_framing_add() for path->framing[0 ... sides - 1]), then end. An eye of the wish's own
// is kept, relative to the first target; nothing needs to be added then.
mus_status mus_camera_path_begin(mus_camera_path *path, const mus_camera_wish *wish, float aspect);
void mus_camera_path_aim(mus_camera_path *path, int frame);
mus_status mus_camera_path_end(mus_camera_path *path);

// The camera, and the lights, which stand by it, for a picture of a frame; `part` of the turn is done, 0 to 1.
void mus_camera_path_place(const mus_camera_path *path, int frame, double part, mus_render_scene *scene);

#endif
