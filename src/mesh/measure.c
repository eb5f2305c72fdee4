// Areas, masses, angles and extents. See measure.h.
#include "mesh/measure.h"

#include <float.h>
#include <math.h>

double mus_material_area(const mus_mesh *mesh, int triangle) {
  const double *m = mesh->material + (size_t)triangle * 6;
  return 0.5 * ((m[2] - m[0]) * (m[5] - m[1]) - (m[4] - m[0]) * (m[3] - m[1]));
}

static const double *corner(const mus_mesh *mesh, int triangle, int k) {
  return mesh->position + (size_t)mesh->triangle[(size_t)triangle * 3 + (size_t)k] * 3;
}

double mus_space_area(const mus_mesh *mesh, int triangle) {
  const double *a = corner(mesh, triangle, 0), *b = corner(mesh, triangle, 1), *c = corner(mesh, triangle, 2);
  double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  double x = e[1] * f[2] - e[2] * f[1], y = e[2] * f[0] - e[0] * f[2], z = e[0] * f[1] - e[1] * f[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

double mus_total_material_area(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; mesh->material && t < mesh->triangles; ++t)
    sum += fabs(mus_material_area(mesh, t));
  return sum;
}

double mus_total_space_area(const mus_mesh *mesh) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    sum += mus_space_area(mesh, t);
  return sum;
}

void mus_vertex_masses(const mus_mesh *mesh, double density, double *mass) {
  for (int v = 0; v < mesh->vertices; ++v)
    mass[v] = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    double third = density * fabs(mus_material_area(mesh, t)) / 3;
    for (int k = 0; k < 3; ++k)
      mass[mesh->triangle[(size_t)t * 3 + (size_t)k]] += third;
  }
}

// Half of the angle at p by Kahan's formula, which is accurate for needles as well: tan of it is the ratio of the
// difference and the sum of the two edges' unit vectors.
static double angle_at(const double *p, const double *q, const double *r) {
  double a[3], b[3], la = 0, lb = 0, difference = 0, sum = 0;
  for (int c = 0; c < 3; ++c) {
    a[c] = q[c] - p[c];
    b[c] = r[c] - p[c];
    la += a[c] * a[c];
    lb += b[c] * b[c];
  }
  la = sqrt(la);
  lb = sqrt(lb);
  for (int c = 0; c < 3; ++c) {
    double x = a[c] * lb, y = b[c] * la;
    difference += (x - y) * (x - y);
    sum += (x + y) * (x + y);
  }
  const double degrees = 57.295779513082320877;
  return 2 * degrees * atan2(sqrt(difference), sqrt(sum));
}

mus_angles mus_mesh_angles(const mus_mesh *mesh) {
  mus_angles angles = {NAN, NAN};
  for (int t = 0; t < mesh->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      double angle = angle_at(corner(mesh, t, k), corner(mesh, t, (k + 1) % 3), corner(mesh, t, (k + 2) % 3));
      angles.least = fmin(angles.least, angle);
      angles.largest = fmax(angles.largest, angle);
    }
  return angles;
}

mus_box mus_mesh_box(const mus_mesh *mesh) {
  mus_box box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
  for (int v = 0; v < mesh->vertices; ++v)
    for (int c = 0; c < 3; ++c) {
      box.low[c] = fmin(box.low[c], mesh->position[(size_t)v * 3 + (size_t)c]);
      box.high[c] = fmax(box.high[c], mesh->position[(size_t)v * 3 + (size_t)c]);
    }
  return box;
}

double mus_box_diagonal(const mus_box *box) {
  double sum = 0;
  for (int c = 0; c < 3; ++c)
    sum += box->low[c] <= box->high[c] ? (box->high[c] - box->low[c]) * (box->high[c] - box->low[c]) : 0;
  return sqrt(sum);
}
