/// Runs: a scene is simulated into a folder, frame by frame, and can be gone on with after a kill.
///
///     mus_run_options options = mus_default_run_options();
///     options.folder = "out/drooping";
///     options.progress = stderr;
///     mus_run(&scene, &options, &record);
///
/// The folder holds the scene with all its defaults (scene.json), for every cloth its mesh as it starts (NAME.obj) and
/// its positions over time (NAME.pc2 and the like; sample n is frame n, sample 0 the initial state), what every step
/// did (report.json) and the last two checkpoints. docs/caches.md tells what becomes of them when a run is killed.
///
/// The same scene gives the same bits in all caches, for any number of threads and however often the run was killed and
/// gone on with; reports differ in seconds only.
#ifndef MUSLIN_RUN_H
#define MUSLIN_RUN_H

#include <stddef.h>
#include <stdio.h>

#include "muslin/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_run_options {
  const char *folder;  ///< made where it is missing, and those above it
  const char *formats; ///< "pc2", "mdd", "obj", "usda", or several with commas between; NULL: "pc2", or as before
  int checkpoint;      ///< frames between checkpoints; 0: none; negative: 10, or as before (-1)
  int residual;        ///< 1: also NAME.residual.pc2, what each frame's last step left unsolved, kg m/s (0)
  int preview;         ///< 1: also preview.png, the latest frame, and preview.mp4, at the end (0)
  int resume;          ///< 1: go on from the last checkpoint in the folder; without one, start anew and say so (0)
  FILE *progress;      ///< how far the run is; NULL: silence
  /// Asked after every step; the run ends early where it answers other than 0. NULL: never.
  int (*stop)(void *data);
  void *data;      ///< for `stop`
  unsigned cookie; ///< set by mus_default_run_options(); options without it are refused
} mus_run_options;

/// Everything but the folder.
MUS_API mus_run_options mus_default_run_options(void);

/// What a run did, earlier parts included where it was gone on with.
typedef struct mus_run_record {
  int began;            ///< 1: the input was accepted and the folder written to
  int stopped;          ///< 1: because `stop` said so
  int complete;         ///< 1: it had been done before; counts are those of the last checkpoint
  int from;             ///< the frame that was gone on from; 0 for a new run
  int frames;           ///< that are done
  int vertices;         ///< of all cloths
  int checkpoint;       ///< frames between checkpoints
  long long steps;      ///< successful ones
  long long halved;     ///< of these, steps of less than the scene's length
  long long retries;    ///< linear solves that had to be done again by a stronger method
  long long iterations; ///< of the linear solver
  long long tangled;    ///< steps that began with cloth going through something: the start or a body made it so
  long long impossible; ///< pairs of features that bodies or pins brought together all the same, all steps together
  double seconds;
  size_t bytes; ///< held by the simulator, at most
} mus_run_record;

/// Runs the scene's frames. Bad input leaves the folder as it was (not made, where it was missing); what fails later
/// leaves whole frames and checkpoints to go on from. Going on from the run of another scene is MUS_BAD_INPUT; another
/// number of frames or threads makes no other scene. `record` is always written, unless it is NULL.
MUS_API mus_status mus_run(const mus_scene *scene, const mus_run_options *options, mus_run_record *record);

/// What a cloth's files in a result folder are called, without their endings: the cloth's name with '_' for what is not
/// a letter, digit, '-' or '_', "cloth" where it has none; "-2", "-3" and so on behind it where an earlier cloth is
/// called so.
MUS_API mus_status mus_cloth_file_name(const mus_scene *scene, int cloth, size_t size, char *name);

#ifdef __cplusplus
}
#endif
#endif
