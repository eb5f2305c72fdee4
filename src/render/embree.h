// Rays against triangles: the only place that knows Embree (versions 3 and 4; Wald and others 2014).
//
// Rays go eight at a time. A tracer keeps pointers to the positions it was made for: write new ones there and commit.
// Built without Embree, mus_tracer_create() returns MUS_UNSUPPORTED, and there is never a tracer to ask.
//
// Answers do not depend on the number of threads that ask, nor on how many build: the tree is built by one thread.
#ifndef MUS_RENDER_EMBREE_H
#define MUS_RENDER_EMBREE_H

#include <stdint.h>

#include "muslin/status.h"

enum { MUS_RAYS = 8 };

// Eight rays origin + t direction, `near` < t < `far`. Directions need not have unit length.
typedef struct mus_rays {
  _Alignas(32) float origin_x[MUS_RAYS];
  float origin_y[MUS_RAYS], origin_z[MUS_RAYS];
  float direction_x[MUS_RAYS], direction_y[MUS_RAYS], direction_z[MUS_RAYS];
  float near[MUS_RAYS], far[MUS_RAYS];
  int active[MUS_RAYS]; // -1: trace this ray; 0: leave it out
} mus_rays;

typedef struct mus_hits {
  int mesh[MUS_RAYS]; // -1: nothing was hit
  int triangle[MUS_RAYS];
  float distance[MUS_RAYS];       // in lengths of the direction
  float u[MUS_RAYS], v[MUS_RAYS]; // the point is (1 - u - v) first + u second + v third corner
} mus_hits;

typedef struct mus_tracer_mesh {
  int vertices, triangles;
  const float *position; // vertices * 3, readable 16 bytes past the end, alive as long as the tracer
  const int *triangle;   // triangles * 3, alive as long as the tracer
} mus_tracer_mesh;

typedef struct mus_tracer mus_tracer;

mus_status mus_tracer_create(int meshes, const mus_tracer_mesh *mesh, mus_tracer **out);
// Takes over positions that were changed in place. Rebuilds the tree each time: refitting the old one was measured to
// save nothing, and this way the tree, and every bit of a picture, depends on the frame alone.
mus_status mus_tracer_commit(mus_tracer *tracer);
void mus_tracer_free(mus_tracer *tracer);

// The first thing on each ray's way. `coherent`: the rays start together and go much the same way.
void mus_tracer_closest(const mus_tracer *tracer, int coherent, const mus_rays *rays, mus_hits *hits);
// Which rays meet anything: bit i of the answer for ray i.
unsigned mus_tracer_occluded(const mus_tracer *tracer, int coherent, const mus_rays *rays);

// "Embree 3.13.5", or "" if there is none.
const char *mus_tracer_version(void);

#endif
