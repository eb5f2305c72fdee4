/// Runs: simulate a scene into a folder, frame by frame. A run can be resumed after a kill.
///
///     mus_run_options options = mus_default_run_options();
///     options.folder = "out/drooping";
///     options.progress = stderr;
///     mus_run(&scene, &options, &record);
///
/// The folder holds the scene with all its defaults (scene.json); for every cloth, and for the surface of every solid,
/// its initial mesh (NAME.obj) and its positions over time (NAME.pc2 and the like; sample n is frame n, sample 0 the
/// initial state); the stresses of solids (NAME.stress.pc2); what every step did (report.json); and the last two
/// checkpoints. docs/caches.md describes what happens to them if a run is killed.
///
/// The same scene gives bit-identical caches, for any number of threads and however often the run was killed and
/// resumed; reports differ only in seconds.
#ifndef MUSLIN_RUN_H
#define MUSLIN_RUN_H

#include <stddef.h>
#include <stdio.h>

#include "muslin/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_run_options {
  const char *folder; ///< created if missing, with its parents
  const char
      *formats;   ///< "pc2", "mdd", "obj", "usda", "vtu", or several separated by commas; NULL: "pc2", or as before
  int checkpoint; ///< frames between checkpoints; 0: none; negative: 10, or as before (-1)
  int residual;   ///< 1: also NAME.residual.pc2, the residual of each frame's last step, kg m/s (0)
  int preview;    ///< 1: also preview.png, the latest frame, and preview.mp4 at the end (0)
  int resume;     ///< 1: resume from the last checkpoint in the folder; without one, start again and report it (0)
  FILE *progress; ///< where to report progress; NULL: nowhere
  /// Asked many times per second; if it returns non-zero, the run ends early, normally within a second, with all frames
  /// that were finished and a checkpoint of the last of them. See mus_set_stop(), which ends it likewise. NULL: never.
  int (*stop)(void *data);
  void *data;      ///< for `stop`
  unsigned cookie; ///< set by mus_default_run_options(); options without it are rejected
} mus_run_options;

/// Everything except the folder.
MUS_API mus_run_options mus_default_run_options(void);

enum { MUS_RUN_TANGLES = 8 };

/// A region where a cloth or solid intersects something.
typedef struct mus_run_tangle {
  char cloth[72], other[72]; ///< file names of a cloth or solid, and of the part or body that it intersects
  int is_body, is_solid;     ///< 1: the other is a body; a solid
  long long pairs;           ///< of triangles
  double place[3];           ///< m: its middle
  double size;               ///< m: its largest extent
  int since;                 ///< the first frame in which the two were found to intersect, and have ever since
} mus_run_tangle;

/// Where a run's time went, s. The parts add up to the whole.
typedef struct mus_run_seconds {
  double build;                ///< the model, and the folder until the first step
  double settle;               ///< drawing apart what starts tangled, before time begins
  double step[MUS_STAGES];     ///< steps, by stage
  double rejected[MUS_STAGES]; ///< attempts at longer steps that were rejected
  double write;                ///< caches and report
  double check;                ///< counting intersections
  double checkpoint;           ///< checkpoints
  double preview;              ///< pictures of the latest frame
  double rest;                 ///< everything else
} mus_run_seconds;

/// What a run did, including the earlier parts of a resumed run.
typedef struct mus_run_record {
  int began;               ///< 1: the input was accepted and the folder written to
  int stopped;             ///< 1: `stop` asked for it
  int complete;            ///< 1: it was already done; counts are those of the last checkpoint
  int from;                ///< the frame that it resumed from; 0 for a new run
  int frames;              ///< finished frames
  int vertices;            ///< of all cloths and solids
  int checkpoint;          ///< frames between checkpoints
  int saved;               ///< frame of the newest checkpoint, which `resume` goes on from; -1: there is none
  long long steps;         ///< successful ones
  long long halved;        ///< of these, steps of less than the scene's length
  long long retries;       ///< linear solves that had to be repeated by a stronger method
  long long iterations;    ///< of the linear solver
  long long settled;       ///< steps before time began, for cloth that starts tangled
  long long tangled;       ///< steps that began with intersections, caused by the start or by a body
  long long impossible;    ///< contact pairs that bodies or pins forced together, over all steps
  long long rejected;      ///< attempts at steps that were rejected, and then made in halves
  double seconds;          ///< wall time
  mus_run_seconds spent;   ///< the same, by what it was spent on
  size_t bytes;            ///< peak memory held by the simulator
  mus_sim_device device;   ///< the GPU that was used in this part of the run, if any
  long long overstretched; ///< steps that ended with triangles beyond a strain limit by more than 2% of it
  long long inverted;      ///< steps that ended with tetrahedra inside out
  long long unfinished;    ///< steps that were minimised, and ended before the scene's accuracy
  double strain_reached;   ///< the largest strain over its limit, in all steps; 0 where nothing is limited
  double strain_place[3];  ///< m: the middle of the triangle that has it ...
  int strain_frame;        ///< ... and the frame in whose steps that was; 0 where nothing is limited
  int stitches;            ///< of all seams
  int open_stitches;       ///< of these, ones with drawn-in threads whose ends are more than 0.1 mm apart at the end
  double seam_gap;         ///< m: the largest between the ends of a closed stitch, over all steps
  long long start_pairs;   ///< triangles that intersect in frame 0, as mus_check() counts them, seams and
                           ///< solids on lattices aside; -1: unknown
  long long end_pairs;     ///< the same in the last frame; -1: unknown, or the run has not come to its end
  int tangle_count;        ///< regions of these
  mus_run_tangle tangle[MUS_RUN_TANGLES]; ///< the largest of them
} mus_run_record;

/// Runs the scene's frames. Bad input leaves the folder as it was (not created, if it was missing); a later failure
/// leaves complete frames, and a checkpoint of the last of them to resume from. A run that is stopped is MUS_OK, with
/// `stopped` in the record; so is one that is stopped before it began. Resuming a run of another scene is
/// MUS_BAD_INPUT; a different number of frames or threads does not make it another scene. `record` is always written,
/// unless it is NULL.
MUS_API mus_status mus_run(const mus_scene *scene, const mus_run_options *options, mus_run_record *record);

/// The base name of a part's files in a result folder, cloths and then solids as in muslin/sim.h: the part's name with
/// '_' for anything other than a letter, digit, '-' or '_'; "cloth" or "solid" if it has none; followed by "-2", "-3"
/// and so on if an earlier part has the same.
MUS_API mus_status mus_part_file_name(const mus_scene *scene, int part, size_t size, char *name);
/// The same, of cloths only.
MUS_API mus_status mus_cloth_file_name(const mus_scene *scene, int cloth, size_t size, char *name);

#ifdef __cplusplus
}
#endif
#endif
