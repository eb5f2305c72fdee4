// The state of a simulator at the end of a frame: kept in memory, and to and from a checkpoint. Private to run/.
//
// What the solver remembers of earlier steps is part of it. What is costly to save is dropped by the running simulator
// as well whenever its state is kept, so that a run that resumes from it has the same bits.
#ifndef MUS_RUN_SAVED_H
#define MUS_RUN_SAVED_H

#include <stdint.h>

#include "base/list.h"
#include "io/checkpoint.h"
#include "sim/access.h"

// What is not a vector.
typedef struct mus_saved_numbers {
  double time, step_before, strain_before, energy_before;
  int64_t frame, frame_step, halvings_before, inverted_before;
  int64_t tangled, search; // of contact
} mus_saved_numbers;

// A kept state. All zero is one that holds nothing yet.
typedef struct mus_saved {
  mus_arena arena;
  int vertices;
  mus_state state;
  mus_saved_numbers numbers;
  mus_list memory, spare; // unsigned char: what the solver remembers; to be filled next time
} mus_saved;

enum { MUS_SAVED_SECTIONS = 9 };

// Keeps the present state in place of the one before, which stays on failure.
mus_status mus_saved_take(mus_sim *sim, mus_saved *saved);
void mus_saved_free(mus_saved *saved);
// Fills MUS_SAVED_SECTIONS sections, which point to what is kept.
void mus_saved_list(const mus_saved *saved, mus_checkpoint_section *sections);
// The simulator is changed only with MUS_OK.
mus_status mus_saved_restore(const mus_checkpoint *checkpoint, mus_sim *sim);

// The scene's text without what may differ between a run and its continuation, from malloc; NULL if memory is
// short.
char *mus_saved_scene_text(const mus_scene *scene);
// A checksum of the scene, except for time steps and the numbers of frames and threads, and of its meshes: if two
// agree, one can resume from the other's checkpoints.
mus_status mus_saved_fingerprint(const mus_sim *sim, uint64_t *sum);

#endif
