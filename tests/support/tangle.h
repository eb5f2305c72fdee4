// Things that fly at each other: sheets, balls, loose triangles and bodies, with crude forces, for tests of collision
// response. And a count of what goes through what that shares no code with the library.
#ifndef TESTS_SUPPORT_TANGLE_H
#define TESTS_SUPPORT_TANGLE_H

#include <stdint.h>

#include "collide/response.h"

typedef struct tangle_part {
  mus_mesh mesh;      // where it is at the start
  int body;           // -1 for cloth; bodies come last, numbered from 0
  double radius;      // m, half the thickness
  double velocity[3]; // m/s
  double turn[3];     // rad/s, about the centre of its vertices
} tangle_part;

typedef struct tangle {
  mus_arena arena;
  mus_surface surface;
  mus_detector *detector;
  mus_response_options options;
  mus_list impossible;
  double *x, *x1, *v; // vertices * 3
  double *mass;       // vertices, kg
  double *rest;       // edges, m
  unsigned char *held;
  double *body_friction;
  double (*velocity)[3], (*turn)[3], (*centre)[3]; // bodies
  int bodies;
  double step;      // s
  double noise;     // m/s: what random forces change velocities by in a step
  double stiffness; // 0 ... 1: how much of an edge's stretch is taken back in a pass
  int steps;        // so far
  uint64_t seed;
} tangle;

// All parts in one; cloths weigh 0.2 kg/m^2. Parts' meshes are copied.
tangle *tangle_of(int count, const tangle_part *part, double step);
void tangle_free(tangle *t);

// Random parts, of all kinds, that do not touch at the start: speeds to 20 m/s, radii to 0.5 mm, steps of 2 ms or
// 1/120 s. Only one body, which may move and turn, so that all is always possible.
tangle *tangle_random(uint64_t seed);

// x1 from x and v: gravity, noise, edges that pull; bodies and held vertices as they are told.
void tangle_propose(tangle *t);
// Responds to what was proposed; x becomes x1.
mus_status tangle_advance(tangle *t, mus_response_record *record);

// Edges that go through triangles at positions x, by signs of determinants in long double.
int tangle_crossings(const mus_surface *surface, const double *x);
// Whether all positions are numbers.
int tangle_finite(const tangle *t);

// A part in place: turned by random angles (none for seed 0), scaled, moved.
void tangle_place(mus_mesh *mesh, uint64_t seed, double scale, double x, double y, double z);

#endif
