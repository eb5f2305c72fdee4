// Volumes, angles and quality of tetrahedra. See tetrahedra.h.
#include <math.h>
#include <string.h>

#include "base/vector3.h"
#include "mesh/tetrahedra.h"

static const double *position_of(const mus_tetrahedra *mesh, int tetrahedron, int k) {
  return mesh->position + 3 * (size_t)mesh->corner[4 * (size_t)tetrahedron + (size_t)k];
}

// Edges from corner 0 in parts of the longest of all six, whose length is returned: products then neither overflow nor
// vanish. 0 where all corners are in one place, and NaN or infinite where numbers are.
static double scaled_edges(const mus_tetrahedra *mesh, int tetrahedron, double edge[3][3]) {
  double longest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 4; ++j) {
      double d[3];
      mus_subtract3(position_of(mesh, tetrahedron, j), position_of(mesh, tetrahedron, i), d);
      double length = hypot(hypot(d[0], d[1]), d[2]);
      longest = isnan(length) || length > longest ? length : longest;
      if (i == 0)
        memcpy(edge[j - 1], d, sizeof d);
    }
  for (int k = 0; k < 3 && longest > 0; ++k)
    for (int c = 0; c < 3; ++c)
      edge[k][c] /= longest;
  return longest;
}

static double triple(double edge[3][3]) {
  double normal[3];
  mus_cross3(edge[0], edge[1], normal);
  return mus_dot3(normal, edge[2]);
}

double mus_tetrahedron_volume(const mus_tetrahedra *mesh, int tetrahedron) {
  double edge[3][3];
  for (int k = 0; k < 3; ++k)
    mus_subtract3(position_of(mesh, tetrahedron, k + 1), position_of(mesh, tetrahedron, 0), edge[k]);
  return triple(edge) / 6;
}

double mus_tetrahedra_volume(const mus_tetrahedra *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->tetrahedra; ++t)
    sum += mus_tetrahedron_volume(mesh, t);
  return sum;
}

int mus_tetrahedron_sign(const mus_tetrahedra *mesh, int tetrahedron) {
  double edge[3][3], longest = scaled_edges(mesh, tetrahedron, edge);
  if (!(longest > 0) || !isfinite(longest))
    return 0;
  double six_volumes = triple(edge);
  return six_volumes > MUS_FLAT_TOLERANCE ? 1 : six_volumes < -MUS_FLAT_TOLERANCE ? -1 : 0;
}

void mus_tetrahedra_masses(const mus_tetrahedra *mesh, double density, double *mass) {
  memset(mass, 0, (size_t)mesh->vertices * sizeof *mass);
  for (int t = 0; t < mesh->tetrahedra; ++t) {
    double quarter = 0.25 * density * mus_tetrahedron_volume(mesh, t);
    for (size_t k = 0; k < 4; ++k)
      mass[mesh->corner[4 * (size_t)t + k]] += quarter;
  }
}

// The angle at an edge is that between the planes through it: between its two opposite corners seen along the edge.
void mus_dihedral_angles(const mus_tetrahedra *mesh, int tetrahedron, double angle[6]) {
  static const int edge[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  static const double degrees = 57.295779513082320877;
  for (int e = 0; e < 6; ++e) {
    const double *from = position_of(mesh, tetrahedron, edge[e][0]);
    double axis[3], first[3], second[3], n[3], m[3], across[3];
    mus_subtract3(position_of(mesh, tetrahedron, edge[e][1]), from, axis);
    mus_subtract3(position_of(mesh, tetrahedron, edge[e][2]), from, first);
    mus_subtract3(position_of(mesh, tetrahedron, edge[e][3]), from, second);
    mus_cross3(axis, first, n);
    mus_cross3(axis, second, m);
    mus_cross3(n, m, across);
    angle[e] = degrees * atan2(mus_length3(across), mus_dot3(n, m));
  }
}

double mus_tetrahedron_quality(const mus_tetrahedra *mesh, int tetrahedron) {
  double edge[3][3], squares = 0, longest = scaled_edges(mesh, tetrahedron, edge);
  if (!(longest > 0) || !isfinite(longest))
    return 0;
  double volume = triple(edge) / 6;
  for (int k = 0; k < 3; ++k) {
    double across[3];
    mus_subtract3(edge[k], edge[(k + 1) % 3], across);
    squares += mus_dot3(edge[k], edge[k]) + mus_dot3(across, across);
  }
  return copysign(12 * cbrt(9 * volume * volume), volume) / squares;
}

// --- all of them ---------------------------------------------------------------------------------------------------

static void add_angles(const mus_tetrahedra *mesh, int t, mus_tetrahedra_quality *q) {
  double angle[6], least = 180, largest = 0;
  if (mus_tetrahedron_sign(mesh, t) > 0) {
    mus_dihedral_angles(mesh, t, angle);
    for (int e = 0; e < 6; ++e) {
      least = fmin(least, angle[e]);
      largest = fmax(largest, angle[e]);
    }
  } else {
    least = 0;
    largest = 180;
  }
  q->least_angle = fmin(q->least_angle, least);
  q->largest_angle = fmax(q->largest_angle, largest);
  int bin = (int)(least / 5);
  ++q->angle_bin[bin < MUS_ANGLE_BINS ? bin : MUS_ANGLE_BINS - 1];
}

static void add_edges(const mus_tetrahedra *mesh, int t, mus_tetrahedra_quality *q) {
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 4; ++j) {
      double d[3];
      mus_subtract3(position_of(mesh, t, j), position_of(mesh, t, i), d);
      double length = hypot(hypot(d[0], d[1]), d[2]);
      q->shortest = fmin(q->shortest, length);
      q->longest = fmax(q->longest, length);
      q->mean_edge += length / 6;
    }
}

void mus_tetrahedra_measure(const mus_tetrahedra *mesh, mus_tetrahedra_quality *out) {
  mus_tetrahedra_quality q = {.least_volume = INFINITY, .least_angle = 180, .least = INFINITY, .shortest = INFINITY};
  for (int t = 0; t < mesh->tetrahedra; ++t) {
    double volume = mus_tetrahedron_volume(mesh, t), quality = mus_tetrahedron_quality(mesh, t);
    int bin = quality > 0 ? (int)(quality * MUS_QUALITY_BINS) : 0;
    q.volume += volume;
    q.least_volume = fmin(q.least_volume, volume);
    q.least = fmin(q.least, quality);
    q.mean += quality;
    ++q.bin[bin < MUS_QUALITY_BINS ? bin : MUS_QUALITY_BINS - 1];
    add_angles(mesh, t, &q);
    add_edges(mesh, t, &q);
  }
  if (mesh->tetrahedra == 0)
    q = (mus_tetrahedra_quality){0};
  else {
    q.mean /= mesh->tetrahedra;
    q.mean_edge /= mesh->tetrahedra;
  }
  *out = q;
}
