// Areas, masses, angles and extents of meshes.
#ifndef MUS_MESH_MEASURE_H
#define MUS_MESH_MEASURE_H

#include "mesh/mesh.h"

// Twice the signed area is (u1 - u0)(v2 - v0) - (u2 - u0)(v1 - v0): positive where the material is not turned over.
double mus_material_area(const mus_mesh *mesh, int triangle);
// Never negative.
double mus_space_area(const mus_mesh *mesh, int triangle);
// Sums over all triangles: of |material area| (0 without material coordinates) and of the area in space.
double mus_total_material_area(const mus_mesh *mesh);
double mus_total_space_area(const mus_mesh *mesh);

// Masses of the vertices in kg from a density in kg/m^2: a third of every triangle's mass goes to each corner.
void mus_vertex_masses(const mus_mesh *mesh, double density, double *mass);

// The smallest and the largest of all triangles' angles in space, in degrees; NaN without triangles.
typedef struct mus_angles {
  double least, largest;
} mus_angles;
mus_angles mus_mesh_angles(const mus_mesh *mesh);

// The box around all vertices; without vertices, low is above high.
typedef struct mus_box {
  double low[3], high[3];
} mus_box;
mus_box mus_mesh_box(const mus_mesh *mesh);
// The length of the box's diagonal; 0 without vertices.
double mus_box_diagonal(const mus_box *box);

#endif
