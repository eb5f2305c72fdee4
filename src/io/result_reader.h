// Results opened for reading: the folder that a run leaves or is still writing, a mesh with a cache, or a mesh alone.
//
// Folders are laid out as in io/result.h. Meshes in them have material coordinates in metres, and caches one sample
// per frame, of which the first is the start; during a run they are called NAME.pc2.partial, and hold the finished
// frames.
#ifndef MUS_IO_RESULT_READER_H
#define MUS_IO_RESULT_READER_H

#include "io/cache.h"
#include "io/mesh_file.h"
#include "muslin/scene.h"

// What deforms: a cloth, or the surface of a solid.
typedef struct mus_result_part {
  const char *name;
  int is_solid;
  int is_lattice;        // a solid on a lattice
  const char *fabric;    // of a cloth; NULL where it is not known
  const char *look;      // the built-in fabric or material that it is shown as; the same
  mus_colour colour;     // of the scene's own
  const char *mesh_path; // for error texts
  mus_mesh mesh;         // at the start; material coordinates of a cloth only
  int stitches;          // as in its file
  const mus_stitch *stitch;
  mus_cache_reader *cache;    // NULL: the mesh alone, which is frame 0
  mus_cache_reader *residual; // NULL before mus_result_open_residuals()
  mus_cache_reader *stress;   // NULL before mus_result_open_stresses(), and for cloths
  int holders;                // bodies that hold cells of it inside, if it is a solid on a lattice
  int *holder;                // their numbers
} mus_result_part;

typedef struct mus_result_body {
  const char *name;
  const char *mesh_path;   // for error texts
  mus_mesh mesh;           // at the start, without material coordinates
  mus_cache_reader *cache; // NULL: it stands still
  mus_colour colour;       // of the scene's own
  int hidden;
} mus_result_body;

// Vertices of two cloths that the scene sews together. Seams within a cloth are stitches of its file.
typedef struct mus_result_seam {
  int from, to; // parts, both cloths
  int pairs;
  const int *pair; // vertex of `from`, vertex of `to`, ...; within the meshes
} mus_result_seam;

typedef struct mus_result {
  mus_arena arena;
  const char *path;  // as it was given
  int is_folder;     // 0: a mesh
  int frames;        // whole ones that all parts have, the start included; at least 1
  int planned;       // what the run is to have; frames where that is not known
  double frame_rate; // Hz
  mus_up up;         // in all positions
  int part_count;
  mus_result_part *parts; // cloths, then solids
  int body_count;
  mus_result_body *bodies;
  int seam_count;
  mus_result_seam *seams;
} mus_result;

// `path` is a folder or a mesh file; `cache`, for a mesh only, is a PC2 or MDD file, or NULL. What does not fit
// together is MUS_BAD_INPUT. On failure there is nothing to close.
mus_status mus_result_open(const char *path, const char *cache, mus_result *out);
void mus_result_close(mus_result *result);
// One more body, from a mesh file and, unless NULL, a PC2 or MDD file that moves it. On failure it is not there.
mus_status mus_result_add_body(mus_result *result, const char *mesh, const char *cache);

// Counts the frames again, if the run is still writing.
mus_status mus_result_refresh(mus_result *result);

// A part's positions at frame 0 ... frames - 1, vertices * 3 numbers.
mus_status mus_result_positions(const mus_result *result, int part, int frame, double *positions);
// The same of a body.
mus_status mus_result_body_positions(const mus_result *result, int body, int frame, double *positions);

// MUS_BAD_INPUT where the run has left none.
mus_status mus_result_open_residuals(mus_result *result);
// The residual of a frame's last linear solve, kg m/s, vertices * 3 numbers; NaN for a frame without a solve.
mus_status mus_result_residuals(const mus_result *result, int part, int frame, double *residuals);

// MUS_BAD_INPUT where there is no solid.
mus_status mus_result_open_stresses(mus_result *result);
enum { MUS_STRESS_MISES, MUS_STRESS_VOLUME, MUS_STRESS_STRAIN };
// Of a part's vertices, three numbers each: von Mises stress in Pa, and in percent the change of volume and the
// principal strain that is farthest from 0. NaN for a cloth.
mus_status mus_result_stresses(const mus_result *result, int part, int frame, double *stresses);

#endif
