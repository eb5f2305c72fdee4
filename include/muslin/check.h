/// Proof that cloth and solids pass through nothing: searches all frames of a result for intersecting triangles.
///
///     mus_check_options options = mus_default_check_options();
///     mus_check("out/stack", NULL, &options, &record);
///     if (mus_check_pairs(&record.total) > 0) ...
///
/// The answer is exact: it is that of real arithmetic on the positions as they are in the caches (single precision) or,
/// for a mesh alone, in its file. Two triangles intersect if they have a point in common; touching counts. Those that
/// share a vertex or an edge intersect if they overlap beyond it. Bodies may intersect each other and themselves. None
/// of the simulator's own collision code is used.
///
/// Where a seam (`stitch` lines of a mesh, seams of a scene) is closed, its triangles share vertices and edges. Pairs
/// of triangles whose vertices are sewn together, and which intersect all the same, are counted separately.
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
  MUS_CHECK_CLOTH_CLOTH, ///< of one cloth or two
  MUS_CHECK_CLOTH_BODY,
  MUS_CHECK_SEAM, ///< triangles whose vertices are sewn together
  MUS_CHECK_CLOTH_SOLID,
  MUS_CHECK_SOLID_SOLID, ///< of one solid's surface or two
  MUS_CHECK_SOLID_BODY
} mus_check_kind;

/// Two triangles that intersect.
typedef struct mus_check_pair {
  mus_check_kind kind;
  int is_new;          ///< 1: they did not intersect in frame 0
  const char *name[2]; ///< of a cloth or solid, and of what it intersects; valid during the callback
  int triangle[2];     ///< triangle numbers, from 0 in the order of the mesh
  double place[3];     ///< m: where, to within about the size of a triangle
} mus_check_pair;

/// Pairs of triangles.
typedef struct mus_check_counts {
  long long cloth_cloth, cloth_body, seam;
  long long cloth_solid, solid_solid, solid_body;
  long long fresh; ///< of all but those at seams: pairs that did not intersect in frame 0
  long long
      of_lattices; ///< of solid_solid and solid_body: those of solids on lattices, which only penalties keep apart
} mus_check_counts;

/// All but those at seams.
MUS_API long long mus_check_pairs(const mus_check_counts *counts);

typedef struct mus_check_options {
  int body_count;            ///< in addition to those of a result folder (0)
  const char *const *bodies; ///< "MESH", or "MESH:CACHE" if a PC2 or MDD file moves it
  int first, last;           ///< frames; negative numbers count from the end (0, -1)
  int places;                ///< maximum number of pairs passed to `frame` (5)
  int threads;               ///< 0: all cores
  FILE *progress;            ///< where to report progress; NULL: nowhere
  /// Called after every frame; NULL: not at all. `pairs` are the first `options.places` pairs of the frame, with those
  /// not at seams first.
  void (*frame)(void *data, int frame, const mus_check_counts *counts, int pair_count, const mus_check_pair *pairs);
  void *data;      ///< for `frame`
  unsigned cookie; ///< set by mus_default_check_options(); options without it are rejected
} mus_check_options;

MUS_API mus_check_options mus_default_check_options(void);

/// What was found.
typedef struct mus_check_record {
  int began;                ///< 1: the input was accepted
  int first, last;          ///< frames that were searched
  int frames_with;          ///< of these, frames with any pair that is not at a seam
  int worst;                ///< the frame with the most such pairs; -1: none has any
  mus_check_counts start;   ///< of frame 0
  mus_check_counts total;   ///< over all frames
  int cloths, solids;       ///< meshes
  int bodies;               ///< the same
  long long vertices;       ///< of cloths, and of the surfaces of solids
  long long triangles;      ///< the same
  long long body_triangles; ///< of bodies
  double seconds;           ///< in total
} mus_check_record;

/// Searches `result`, a folder that mus_run() has written or is still writing, or a mesh file. `cache` is a PC2 or MDD
/// file that moves a mesh; NULL for a folder or a mesh alone. Intersections are not a failure: they are in the record.
/// `record` is always written, unless it is NULL.
MUS_API mus_status mus_check(const char *result, const char *cache, const mus_check_options *options,
                             mus_check_record *record);

#ifdef __cplusplus
}
#endif
#endif
