// The state of a simulator, to and from a checkpoint. Private to run/.
//
// What the solvers remember of earlier steps (aggregates, costs) is not saved: it is dropped in the running simulator
// too whenever a checkpoint is made, so that a run that resumes from it has the same bits.
#ifndef MUS_RUN_SAVED_H
#define MUS_RUN_SAVED_H

#include <stdint.h>

#include "io/checkpoint.h"
#include "sim/access.h"

// What is not a vector.
typedef struct mus_saved_numbers {
  double time, step_before, strain_before, energy_before;
  int64_t frame, frame_step, halvings_before;
} mus_saved_numbers;

enum { MUS_SAVED_SECTIONS = 6 };

// Fills MUS_SAVED_SECTIONS sections, which point to the simulator and to `numbers`, and drops the solvers' memory.
mus_status mus_saved_take(mus_sim *sim, mus_saved_numbers *numbers, mus_checkpoint_section *sections);
// The simulator is changed only with MUS_OK.
mus_status mus_saved_restore(const mus_checkpoint *checkpoint, mus_sim *sim);

// The scene's text without what may differ between a run and its continuation, from malloc; NULL if memory is
// short.
char *mus_saved_scene_text(const mus_scene *scene);
// A checksum of the scene, except for time steps and the numbers of frames and threads, and of its meshes: if two agree, one can
// resume from the other's checkpoints.
mus_status mus_saved_fingerprint(const mus_sim *sim, uint64_t *sum);

#endif
