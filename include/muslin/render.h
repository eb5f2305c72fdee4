/// Pictures and videos of results: ray-traced cloths, solids and bodies on a ground, with an automatic camera.
///
///     mus_render_options options = mus_default_render_options();
///     options.heat = MUS_RENDER_HEAT_STRETCH;
///     mus_render("out/drooping", NULL, "drooping.mp4", &options, &record);
///
/// Pictures are bit-identical for any number of threads. Builds without Embree return MUS_UNSUPPORTED, and so do videos
/// if ffmpeg is not installed.
#ifndef MUSLIN_RENDER_H
#define MUSLIN_RENDER_H

#include <stdio.h>

#include "muslin/scene.h"
#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What cloth looks like. Solids are smooth, in a colour of their material.
typedef enum mus_render_look {
  MUS_RENDER_LOOK_FABRIC, ///< threads in the colours of the fabric
  MUS_RENDER_LOOK_PLAIN,  ///< one colour
  MUS_RENDER_LOOK_CHECKER ///< squares of the material
} mus_render_look;

/// What is shown in false colours, with a legend, instead.
typedef enum mus_render_heat {
  MUS_RENDER_HEAT_NONE,
  MUS_RENDER_HEAT_STRETCH,  ///< strain along warp or weft, the larger at a vertex with its sign, %; of solids the
                            ///< principal strain that is farthest from 0
  MUS_RENDER_HEAT_BEND,     ///< curvature, 1/m
  MUS_RENDER_HEAT_RESIDUAL, ///< what the last linear solve of a frame left over, kg m/s; mus_run_options.residual
                            ///< keeps it
  MUS_RENDER_HEAT_STRESS,   ///< von Mises stress of solids, Pa
  MUS_RENDER_HEAT_VOLUME    ///< change of volume of solids, %
} mus_render_heat;

/// What is marked, with a key to the colours, instead.
typedef enum mus_render_show {
  MUS_RENDER_SHOW_NONE,
  MUS_RENDER_SHOW_CONTACTS ///< triangles of cloths and solids that intersect something, as muslin/check.h finds them
} mus_render_show;

typedef struct mus_render_options {
  int width, height;        ///< pixels (960, 540)
  int samples;              ///< rays per pixel: 1, 4 or 16; rays to lights and sky grow in proportion (4)
  mus_render_look look;     ///< MUS_RENDER_LOOK_FABRIC
  int colour_given;         ///< 1: `colour` replaces those of fabrics and materials (0)
  double colour[3];         ///< red, green, blue from 0 to 1, as in a colour picker (sRGB)
  mus_render_heat heat;     ///< MUS_RENDER_HEAT_NONE
  mus_render_show show;     ///< not with a heat map (MUS_RENDER_SHOW_NONE)
  double range[2];          ///< ends of the heat map's scale; equal: covers nearly all vertices in all frames (0, 0)
  int hide_bodies;          ///< 1: draw no body, as if the scene had hidden them all (0)
  int body_colour_given;    ///< 1: `body_colour` replaces those of all bodies (0)
  double body_colour[3];    ///< as `colour`
  int wireframe;            ///< 1: draw the edges of triangles (0)
  int no_ground;            ///< 1: draw no ground (0)
  int eye_given;            ///< 1: look from `eye` (0)
  double eye[3];            ///< m
  int target_given;         ///< 1: look at `target` (0)
  double target[3];         ///< m
  double field_of_view;     ///< degrees, vertically (26)
  int follow;               ///< 1: the camera of a video or sequence moves along with the cloth (0)
  int turntable;            ///< 1: it goes around the cloth once; 96 pictures if there is only one frame (0)
  int frame;                ///< of a picture; negative numbers count from the end (-1)
  int first, last;          ///< of a video or a sequence of pictures; negative numbers count from the end (0, -1)
  int every;                ///< draw only every n-th of these (1)
  double frames_per_second; ///< of a video; 0: real time (0)
  int threads;              ///< 0: all cores
  FILE *progress;           ///< where to report progress of a video or sequence; NULL: nowhere
  unsigned cookie;          ///< set by mus_default_render_options(); options without it are rejected
} mus_render_options;

MUS_API mus_render_options mus_default_render_options(void);

/// What was done.
typedef struct mus_render_record {
  int began;                ///< 1: the input was accepted; any failure came later
  int frames;               ///< drawn
  int first, last;          ///< of the frames drawn
  int vertices;             ///< of all cloths, and of the surfaces of solids
  double range[2];          ///< of the heat map
  long long pairs;          ///< with MUS_RENDER_SHOW_CONTACTS: intersecting pairs of triangles, over all frames
  double eye[3];            ///< m: where the camera stood
  double seconds;           ///< in total
  double seconds_per_frame; ///< drawing only, on average
} mus_render_record;

/// Draws `result`, a folder that mus_run() has written or is still writing, or a mesh file. `cache` is a PC2 or MDD
/// file that moves a mesh; NULL for a folder or a mesh alone. `output` ends in .png or .mp4; a .png with #### in its
/// name becomes a sequence of pictures, with the frame numbers in that place. Files are written under a temporary name
/// and renamed. `record` may be NULL.
MUS_API mus_status mus_render(const char *result, const char *cache, const char *output,
                              const mus_render_options *options, mus_render_record *record);

/// The colours that pictures use, red, green, blue from 0 to 1 (sRGB), for those who draw a scene otherwise: of a
/// built-in fabric (others get cotton's), of a scene's cloth, of its solid, and of its body.
MUS_API void mus_render_fabric_colour(const char *fabric, double colour[3]);
MUS_API void mus_render_cloth_colour(const mus_scene *scene, int cloth, double colour[3]);
MUS_API void mus_render_solid_colour(const mus_scene *scene, int solid, double colour[3]);
MUS_API void mus_render_body_colour(const mus_scene *scene, int body, double colour[3]);

#ifdef __cplusplus
}
#endif
#endif
