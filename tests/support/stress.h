// Random scenes with contact: sheets thrown at bodies and at each other, faster than any step can follow.
//
// From a seed: 1 to 4 sheets (0.2 to 1 m, 50 to 400 vertices, any fabric, model and place, up to 20 m/s, 0.1 to 1 mm
// thick), 1 to 3 bodies that rest, turn or fly to and fro at up to 20 m/s without ever coming close to each other, and
// a choice of integrators and time steps. Scenes start free of intersections: what does not is drawn again.
#ifndef TESTS_SUPPORT_STRESS_H
#define TESTS_SUPPORT_STRESS_H

#include "muslin/scene.h"

mus_scene stress_scene(unsigned seed);

// What a run has come to.
typedef struct stress_result {
  int frames;        // done, and found to be right
  int steps;         // of these, halved ones counted each
  int halvings;      // the most of any step
  int impacts;       // of all steps
  int impossible;    // the same
  double strain;     // the largest
  double seconds;    // all of it
  int intersections; // in the frame that was found to be wrong
  char failure[512]; // what went wrong, "" for nothing
} stress_result;

// Runs the scene of a seed, and searches each frame as users get it, in single precision, exactly for intersections.
stress_result stress_run(unsigned seed);

#endif
