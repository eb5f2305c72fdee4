/// Proof that cloth passes through nothing: all frames of a result are searched for triangles that intersect.
///
///     mus_check_options options = mus_default_check_options();
///     mus_check("out/stack", NULL, &options, &record);
///     if (record.total.cloth_cloth + record.total.cloth_body > 0) ...
///
/// The answer is exact: it is that of real arithmetic on the positions as they are in the caches (single precision) or,
/// for a mesh alone, in its file. Two triangles intersect when they have a point in common; touching counts. Those that
/// share a vertex or an edge intersect when they overlap beyond it. Bodies may cross each other and themselves. Nothing
/// of the simulator's own collision code is used.
///
/// Pairs of triangles whose vertices are sewn together (`stitch` lines of a mesh, seams of a scene) are counted apart:
/// where a seam closes, they meet.
///
/// The same pairs are found for any number of threads.
#ifndef MUSLIN_CHECK_H
#define MUSLIN_CHECK_H

#include <stdio.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mus_check_kind {
  MUS_CHECK_CLOTH_CLOTH, ///< of one cloth or of two
  MUS_CHECK_CLOTH_BODY,
  MUS_CHECK_SEAM ///< triangles with vertices that are sewn together
} mus_check_kind;

/// Two triangles that intersect.
typedef struct mus_check_pair {
  mus_check_kind kind;
  int is_new;          ///< 1: they did not at frame 0
  const char *name[2]; ///< of cloths, or of a cloth and a body; valid during the call that tells them
  int triangle[2];     ///< of these, from 0 in the order of the mesh
  double place[3];     ///< m: where, to about a triangle's size
} mus_check_pair;

/// Pairs of triangles.
typedef struct mus_check_counts {
  long long cloth_cloth, cloth_body, seam;
  long long fresh; ///< of the first two: new ones, which did not intersect at frame 0
} mus_check_counts;

typedef struct mus_check_options {
  int body_count;            ///< besides those of a result folder (0)
  const char *const *bodies; ///< "MESH" or "MESH:CACHE", where a PC2 or MDD file moves it
  int first, last;           ///< frames; negative ones count from the end (0, -1)
  int places;                ///< pairs of a frame that are told, at most (5)
  int threads;               ///< 0: all cores
  FILE *progress;            ///< how far it is; NULL: silence
  /// Called after every frame, NULL: not at all. `pairs` are the first `options.places` of the frame, those that are no
  /// seam's before others.
  void (*frame)(void *data, int frame, const mus_check_counts *counts, int pair_count, const mus_check_pair *pairs);
  void *data;      ///< for `frame`
  unsigned cookie; ///< set by mus_default_check_options(); options without it are refused
} mus_check_options;

MUS_API mus_check_options mus_default_check_options(void);

/// What was found.
typedef struct mus_check_record {
  int began;                ///< 1: the input was accepted
  int first, last;          ///< frames that were searched
  int frames_with;          ///< of these, frames with any pair that is no seam's
  int worst;                ///< the frame with most of these; -1: none has any
  mus_check_counts start;   ///< of frame 0
  mus_check_counts total;   ///< of all frames together
  int cloths, bodies;       ///< meshes
  long long vertices;       ///< of cloths
  long long triangles;      ///< of cloths
  long long body_triangles; ///< of bodies
  double seconds;           ///< all of it
} mus_check_record;

/// Searches `result`, a folder that mus_run() has written or is writing, or a mesh file. `cache` is a PC2 or MDD file
/// that moves a mesh; NULL for a folder and for a mesh alone. Intersections are no failure: the record tells them.
/// `record` is always written, unless it is NULL.
MUS_API mus_status mus_check(const char *result, const char *cache, const mus_check_options *options,
                             mus_check_record *record);

#ifdef __cplusplus
}
#endif
#endif
