// Rigid-body motions and constants. See near_kernel.h.
#include "solve/near_kernel.h"

#include <math.h>
#include <stddef.h>

#include "par/par.h"

// Coordinates in which nodes lie around the origin, at most 1 away.
typedef struct frame {
  double centre[3], scale;
} frame;

static frame frame_of(int rows, const double *positions) {
  frame f = {0};
  double farthest = 0;
  for (int i = 0; i < rows; ++i) // in order: the same bits for any number of threads
    for (int c = 0; c < 3; ++c)
      f.centre[c] += positions[3 * (size_t)i + (size_t)c] / rows;
  for (int i = 0; i < rows; ++i) {
    double square = 0;
    for (int c = 0; c < 3; ++c) {
      double d = positions[3 * (size_t)i + (size_t)c] - f.centre[c];
      square += d * d;
    }
    farthest = fmax(farthest, square);
  }
  f.scale = farthest > 0 ? 1 / sqrt(farthest) : 0;
  return f;
}

void mus_rigid_motions(int rows, const double *positions, double *vectors) {
  frame f = frame_of(rows, positions);
  size_t n = 3 * (size_t)rows;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    const double *at = positions + 3 * (size_t)i;
    double x = f.scale * (at[0] - f.centre[0]), y = f.scale * (at[1] - f.centre[1]),
           z = f.scale * (at[2] - f.centre[2]);
    const double motion[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -z, y}, {z, 0, -x}, {-y, x, 0}};
    for (size_t k = 0; k < 6; ++k)
      for (size_t c = 0; c < 3; ++c)
        vectors[k * n + 3 * (size_t)i + c] = motion[k][c];
  }
}

void mus_affine_motions(int rows, const double *positions, double *vectors) {
  frame f = frame_of(rows, positions);
  size_t n = 3 * (size_t)rows;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    double at[4] = {1};
    for (size_t c = 0; c < 3; ++c)
      at[1 + c] = f.scale * (positions[3 * (size_t)i + c] - f.centre[c]);
    for (size_t k = 0; k < 12; ++k)
      for (size_t c = 0; c < 3; ++c)
        vectors[k * n + 3 * (size_t)i + c] = k % 3 == c ? at[k / 3] : 0;
  }
}

void mus_constant_vectors(int rows, int block, double *vectors) {
  size_t n = (size_t)rows * (size_t)block;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < block; ++k)
      for (int c = 0; c < block; ++c)
        vectors[(size_t)k * n + (size_t)i * (size_t)block + (size_t)c] = c == k;
}

enum { NODES_LOOKED_AT = 512 };
// Of 27 times the determinant of the mean of d d^T over the directions d to neighbours: 1 where these have no preferred
// axis, 0 where they lie in a plane. It is this where they leave a plane by 17 degrees, on average.
static const double space_least = 0.5;

static double roundness(const mus_pattern *pattern, const double *positions, int i) {
  double c[6] = {0}; // xx, yy, zz, xy, yz, zx
  for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
    const double *from = positions + 3 * (size_t)i, *to = positions + 3 * (size_t)pattern->column[k];
    double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int e = 0; e < 3 && square > 0; ++e) {
      c[e] += d[e] * d[e] / square;
      c[3 + e] += d[e] * d[(e + 1) % 3] / square;
    }
  }
  double trace = c[0] + c[1] + c[2];
  double determinant =
      c[0] * c[1] * c[2] + 2 * c[3] * c[4] * c[5] - c[0] * c[4] * c[4] - c[1] * c[5] * c[5] - c[2] * c[3] * c[3];
  return trace > 0 ? 27 * determinant / (trace * trace * trace) : 0;
}

int mus_fills_space(const mus_pattern *pattern, const double *positions) {
  int step = pattern->rows / NODES_LOOKED_AT + 1, round = 0, looked = 0;
  for (int i = 0; i < pattern->rows; i += step, ++looked)
    round += roundness(pattern, positions, i) > space_least;
  return 2 * round > looked;
}
