// Running scenes in tests of the simulator. What goes wrong ends the test.
#ifndef TESTS_SUPPORT_RUNS_H
#define TESTS_SUPPORT_RUNS_H

#include "muslin/sim.h"

// A scene with its simulator.
typedef struct run {
  mus_scene scene;
  mus_sim *sim;
} run;

// From a text, or by name where it does not begin with a brace; change it before runs_begin().
run *runs_scene(const char *text);
void runs_begin(run *r);
// Both: a scene that needs no change.
run *runs_start(const char *text);
void runs_free(run *r);

// A frame; the record of its last step.
const mus_step_record *runs_frame(run *r);
// Frames until no vertex is faster than `speed` (m/s), at most so many. Returns how many it took.
int runs_to_rest(run *r, double speed, int frames);

double runs_energy(const mus_step_record *record); // J, of all kinds together
double runs_speed(const run *r);                   // m/s, of the fastest vertex
double runs_lowest(const run *r);                  // m, the least y of a vertex
int runs_crossings(const run *r);                  // how often an edge goes through a triangle

#endif
