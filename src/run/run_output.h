// What a run writes into its folder: scene, meshes, caches, report, bodies. Private to run/.
//
//     mus_run_output_plan     checks what was asked for; nothing is written
//     mus_run_output_open     makes and locks the folder
//     mus_run_output_begin    a new run: what an earlier one has left is gone
//     mus_run_output_reopen, mus_run_output_keep   the caches and the report of an earlier run, up to a checkpoint
//     mus_run_output_step, mus_run_output_frame, mus_run_output_sync ...
//     mus_run_output_finish_caches, mus_run_output_finish   all files take their names
//     mus_run_output_close    in any case; without finish() everything stays to resume from
#ifndef MUS_RUN_RUN_OUTPUT_H
#define MUS_RUN_RUN_OUTPUT_H

#include "io/cache.h"
#include "io/report.h"
#include "io/result.h"
#include "model/bodies.h"
#include "muslin/sim.h"
#include "run/grids.h"

enum { MUS_RUN_FORMATS = 64 }; // bytes of a list of formats, with its zero

// One cache: a part's positions, its residual or its stresses, in one format; or a body's positions.
typedef enum mus_run_content { MUS_RUN_POSITIONS, MUS_RUN_RESIDUAL, MUS_RUN_STRESS, MUS_RUN_BODY } mus_run_content;
typedef struct mus_run_cache {
  mus_run_content content;
  int which; // part or body
  const mus_cache_format *format;
  char *path;
  mus_cache_writer *writer;
} mus_run_cache;

typedef struct mus_run_output {
  mus_arena arena;
  const mus_scene *scene;
  mus_sim *sim;
  const char *folder;
  int part_count;
  char (*names)[MUS_RESULT_NAME]; // of the parts
  mus_run_part *parts;            // as users see them
  mus_bodies *bodies;             // the simulator's; NULL where the scene has none
  char (*body_names)[MUS_RESULT_NAME];
  mus_mesh *body_meshes; // positions are parts of ...
  double *body_position; // ... these, of all bodies, at the time of the last frame that was written
  mus_run_cache *caches;
  int cache_count;
  mus_run_grids grids; // for formats that take them; made where one is written
  double *zeros;       // vertices * 3, the residual before the first step; NULL where none is written
  double *stress[3];   // vertices: see mus_sim_stresses(); NULL without solids
  char *report_path;
  mus_report *report;
  int folder_open; // 1: the descriptor is, and holds the lock
  int folder_descriptor;
} mus_run_output;

// MUS_BAD_INPUT for unknown names.
mus_status mus_run_output_check_formats(const char *formats);
// The simulator must be at its start. `formats` are names separated by commas.
mus_status mus_run_output_plan(mus_run_output *out, mus_sim *sim, const mus_scene *scene, const char *folder,
                               const char *formats, int residual);
// MUS_BAD_INPUT if files not written by a run would be overwritten.
mus_status mus_run_output_open(mus_run_output *out);
mus_status mus_run_output_begin(mus_run_output *out);
// Opens them as they are.
mus_status mus_run_output_reopen(mus_run_output *out);
// 1: what was reopened is finished and holds this many frames.
int mus_run_output_is_complete(const mus_run_output *out, int frames);
// After reopening: keeps only this many frames, apart from the initial state, and steps.
mus_status mus_run_output_keep(mus_run_output *out, int frames, int steps);

// What the last step of a frame tells of the frame.
typedef struct mus_run_frame {
  double write;    // s that its caches took
  long long pairs; // of triangles that intersect, seams aside; -1: not counted
} mus_run_frame;

// `ended`: the frame that this step ends; NULL if it does not end one.
mus_status mus_run_output_step(mus_run_output *out, int frame, long long step, const mus_step_record *record,
                               const mus_run_frame *ended);
mus_status mus_run_output_frame(mus_run_output *out);
mus_status mus_run_output_sync(mus_run_output *out);
mus_status mus_run_output_finish_caches(mus_run_output *out);
// `tangled`: a JSON array.
mus_status mus_run_output_finish(mus_run_output *out, const mus_run_record *record, const char *tangled);
void mus_run_output_close(mus_run_output *out);

#endif
