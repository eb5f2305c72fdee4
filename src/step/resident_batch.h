// Linearised steps of several simulations at once on a GPU: copies of one model, which may differ in their numbers.
// Their systems are blocks of one, and are assembled, solved and measured together. See resident.h and
// cuda/step_stages.h.
#ifndef MUS_STEP_RESIDENT_BATCH_H
#define MUS_STEP_RESIDENT_BATCH_H

#include "step/step.h"

typedef struct mus_resident_batch mus_resident_batch;

// So many at once at most: each has a node of its own on the coarsest level, which is solved directly.
enum { MUS_RESIDENT_COPIES = 128 };

// What keeps the next step from running there, in words that fit before "do not run on a GPU"; NULL: nothing.
const char *mus_resident_batch_obstacle(int count, const mus_step_context *c);

// MUS_UNSUPPORTED, MUS_OUT_OF_MEMORY and MUS_DEVICE_FAILED say what is missing. Nothing to free on failure.
mus_status mus_resident_batch_create(int count, const mus_step_context *c, mus_resident_batch **out);
void mus_resident_batch_free(mus_resident_batch *batch); // NULL is fine

// A whole step of length h for all, with a record of each. *done is 0, and nothing has happened, where the host has to
// do it: something in the way, a system that the solver there fails at, or any of them beyond its limits or not to be
// believed. Failures of the device's leave all states as they were.
mus_status mus_resident_batch_step(mus_resident_batch *batch, const mus_step_context *c, double h,
                                   mus_step_record *record, int *done);

// Fills in the name of the device, bytes and the seconds of the last step.
void mus_resident_batch_tell(const mus_resident_batch *batch, mus_sim_device *out);

#endif
