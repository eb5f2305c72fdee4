// Caches: the positions of a mesh's vertices, frame after frame, in the formats of other programs.
//
// Writers take one frame at a time and survive a kill at any moment: what is whole stays whole and readable, and a run
// that resumes from it ends with the same bytes as an uninterrupted one. The file grows under PATH.partial and takes
// its name when it is finished (OBJ and VTU are folders of frames instead, each of which appears whole).
//
//     mus_cache_create(path, format, &definition, &writer);   or   mus_cache_resume(...), mus_cache_keep(writer,
//     frames) mus_cache_write(writer, positions);                     for every frame; the first is the initial state
//     mus_cache_sync(writer);                                 before a checkpoint that relies on what was written
//     mus_cache_finish(writer);
//     mus_cache_close(writer);
//
// Formats are tables of functions (cache_format.h); nothing here knows one by name. docs/caches.md describes how other
// programs load them.
#ifndef MUS_IO_CACHE_H
#define MUS_IO_CACHE_H

#include "io/grid.h"
#include "mesh/mesh.h"
#include "muslin/scene.h"
#include "muslin/status.h"

typedef struct mus_cache_format mus_cache_format;

// "pc2", "mdd", "obj", "usda", "vtu", in this order; NULL if out of range.
const mus_cache_format *mus_cache_format_at(int index);
const char *mus_cache_format_name(const mus_cache_format *format);
// What a file's name ends with, ".pc2"; "" for the OBJ sequence, whose path is a folder.
const char *mus_cache_format_extension(const mus_cache_format *format);
// What the name of a folder of frames ends with instead, and those of the files in it, ".vtu"; NULL for formats that
// are a single file.
const char *mus_cache_format_folder(const mus_cache_format *format);
const char *mus_cache_format_frame(const mus_cache_format *format);
// Whether it writes a definition's grid.
int mus_cache_format_takes_grid(const mus_cache_format *format);
// MUS_BAD_INPUT, with the list of names, if there is none of that name.
mus_status mus_cache_format_from_name(const char *name, const mus_cache_format **format);

// --- writing -------------------------------------------------------------------------------------------------------

// What a cache will hold. The mesh and the grid must live as long as the writer; their positions are not looked at.
typedef struct mus_cache_definition {
  int points;               // vertices
  int frames;               // planned, the initial state included; more than this cannot be written
  int first_frame;          // number of the initial state; 0 lets frame n of the run be frame n everywhere
  double frames_per_second; // Hz
  mus_up up;                // USDA says so
  const mus_mesh *mesh;     // triangles and, unless NULL, material coordinates; PC2 and MDD do without a mesh (NULL)
  const mus_grid *grid;     // VTU: what it writes, with the numbers that stand there at every write; NULL: the mesh
} mus_cache_definition;

typedef struct mus_cache_writer mus_cache_writer;

// An empty cache. What an earlier run has finished under the same name stays until this one is finished; what one has
// left unfinished is lost.
mus_status mus_cache_create(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                            mus_cache_writer **writer);
// The cache that an earlier run left, finished or not, to resume from: MUS_IO_ERROR if there is none, MUS_BAD_INPUT
// when it holds something else than the definition says. The planned number of frames may differ.
mus_status mus_cache_resume(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                            mus_cache_writer **writer);
// Whole frames that are in the cache.
int mus_cache_frames(const mus_cache_writer *writer);
// Forgets all but the first `frames`; needed after a resume, before the first write.
mus_status mus_cache_keep(mus_cache_writer *writer, int frames);
// The next frame, points * 3 positions in metres. They are rounded to single precision, but for OBJ and VTU. Positions
// that are not finite, or not in single precision, are MUS_BAD_INPUT. A frame that fails leaves those before it whole.
mus_status mus_cache_write(mus_cache_writer *writer, const double *positions);
// Waits until the frames are on the disk, safe from a loss of power.
mus_status mus_cache_sync(mus_cache_writer *writer);
// Gives the file its final name. There must be a frame.
mus_status mus_cache_finish(mus_cache_writer *writer);
// Frees the writer; without mus_cache_finish() the frames stay for a resume. NULL is fine.
void mus_cache_close(mus_cache_writer *writer);

// --- reading -------------------------------------------------------------------------------------------------------

// What a PC2 or MDD file says of itself.
typedef struct mus_cache_info {
  const mus_cache_format *format;
  int points;
  int frames;         // whole ones
  double start, rate; // PC2: number of the first frame, and frames from one to the next (1)
  const float *time;  // MDD: s, one per frame; NULL for PC2
} mus_cache_info;

typedef struct mus_cache_reader mus_cache_reader;

// Opens a PC2 (known by its first bytes) or MDD file. Its length must be what its header says; of a file whose name
// ends in ".partial", because the run is still going or was killed, all complete frames are read.
mus_status mus_cache_open(const char *path, mus_cache_reader **reader);
// Counts the frames that are there now, of a file that grows, also when it has got its name meanwhile. On failure there
// are none.
mus_status mus_cache_refresh(mus_cache_reader *reader);
// Valid until the reader is freed or refreshed.
const mus_cache_info *mus_cache_about(const mus_cache_reader *reader);
// Frame 0 ... frames - 1 into points * 3 positions. Positions that are not finite are MUS_BAD_INPUT.
mus_status mus_cache_read(mus_cache_reader *reader, int frame, double *positions);
// NULL is fine.
void mus_cache_reader_free(mus_cache_reader *reader);

#endif
