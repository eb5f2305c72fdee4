// Random scenes in which two bodies close on a sheet, go through each other, and open again.
//
// From a seed: boxes, balls, capsules and boxes with round edges, of 10 to 60 cm, that come from above and below within
// 0.2 s, overlap by 4 to 60 mm, a little beside each other, and are apart again at 0.5 s; a sheet of 0.5 m between
// them, tilted and turned, of any fabric, with gravity or without; steps of 8.3 or 41.6 ms, or 2 ms for every fifth.
#ifndef TESTS_SUPPORT_SQUEEZE_H
#define TESTS_SUPPORT_SQUEEZE_H

typedef struct squeeze_result {
  int impossible; // of all steps
  int tangled;    // pairs of triangles that intersect, in the worst frame
  int freed;      // frames after the opening until none does and no vertex is inside a body; -1: never in 24 of them
  double slowest; // of steps with their rejected attempts, in medians
  double strain;  // the largest
  double seconds; // all of it
} squeeze_result;

squeeze_result squeeze_run(unsigned seed, int vertices);

#endif
