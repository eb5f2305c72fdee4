// Tangled cloth and crude dynamics to untangle it by: pushes of bounded length, then threads that take their lengths
// back, then the response to impacts.
#ifndef TESTS_SUPPORT_UNTANGLING_H
#define TESTS_SUPPORT_UNTANGLING_H

#include "collide/response.h"
#include "collide/untangle.h"
#include "mesh/mesh.h"

typedef struct untangling_part {
  const mus_mesh *mesh; // where it is
  const double *unbent; // positions whose lengths threads keep; NULL: those of the mesh
  int body;             // 1, or 0 for cloth; cloths come first
} untangling_part;

enum { UNTANGLING_BODIES = 8 };

typedef struct untangling {
  mus_arena arena;
  mus_surface surface;
  mus_detector *detector;
  mus_untangler *untangler;
  double *x;                          // vertices * 3
  double *before;                     // vertices * 3: an iteration ago
  double *moved;                      // vertices * 4: the sum of pushes, and how many
  double *rest;                       // cloth edges, m
  int hinges;                         // vertices opposite each other over an edge
  int *hinge;                         // hinges * 2
  double *span;                       // hinges, m
  double step;                        // m: no push moves its features farther at once
  int all;                            // as mus_untangle_pushes() has it
  int guarded;                        // 1: what is not tangled may not pass (mus_respond())
  double carry[UNTANGLING_BODIES][3]; // m: how far bodies move in an iteration
  mus_list crossings, pushes, released;
  mus_response_options options;
  mus_response_record response;
  mus_untangle_record record;
} untangling;

// radius: half the thickness.
untangling *untangling_of(int count, const untangling_part *part, double radius, double step);
void untangling_free(untangling *u);

// One iteration: crossings, pushes, threads. Returns the number of crossings that it began with.
int untangling_advance(untangling *u);
// Until there are no crossings and nothing is inside: how many iterations that took, or -1 after the most.
int untangling_run(untangling *u, int most);
// Crossings now.
int untangling_crossings(untangling *u);

#endif
