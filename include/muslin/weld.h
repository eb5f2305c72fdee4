/// Welded copies of a result: meshes and caches in which closed seams are closed for good.
///
///     mus_weld_record record;
///     mus_weld_result("out/dressed", "usda", &record);
///
/// Panels keep vertices of their own in results, so that several vertices lie in one place along a seam. Other programs
/// show such seams as hard edges, and subdivide or smooth panels apart. In a welded copy they are one vertex, and
/// triangles along a seam share their edges: where a vertex is sewn to a place between two others, triangles are
/// divided there. Texture coordinates stay with the corners of triangles, in the formats that have them.
#ifndef MUSLIN_WELD_H
#define MUSLIN_WELD_H

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_weld_record {
  int cloths, frames;
  int stitches, welded;          ///< of all cloths; those that are closed in the last frame, to 0.1 mm
  int vertices_before, vertices; ///< of all cloths
  int triangles_before, triangles;
} mus_weld_record;

/// Writes, for each cloth NAME of a result folder, NAME.welded.obj and NAME.welded.pc2 and the like, as `formats` names
/// them: "pc2", "mdd", "obj", "usda", "vtu", or several separated by commas; NULL: "pc2". Seams that are closed in the
/// last frame are welded in all frames; before they closed, their vertices lie halfway between. Seams from one cloth to
/// another stay as they are. `record` may be NULL.
MUS_API mus_status mus_weld_result(const char *folder, const char *formats, mus_weld_record *record);

#ifdef __cplusplus
}
#endif
#endif
