// Meshes of tetrahedra: what an elastic solid is before it is simulated.
//
// Corners a, b, c, d are in the order in which (b - a) x (c - a) . (d - a), six times the volume, is positive: seen
// from d, a, b, c run clockwise, so that (a, c, b) is a face with its front outside. Face k of a tetrahedron lies
// opposite corner k. All arrays come from the arena given at creation and live as long as it does.
#ifndef MUS_MESH_TETRAHEDRA_H
#define MUS_MESH_TETRAHEDRA_H

#include "mesh/mesh.h"

typedef struct mus_tetrahedra {
  int vertices, tetrahedra;
  double *position; // vertices * 3, in metres
  int *corner;      // tetrahedra * 4 vertices
  int *region;      // tetrahedra: which part each belongs to, such as a material's number; NULL if there are no parts
} mus_tetrahedra;

// No mesh has more vertices or tetrahedra than this, so that the number of a face or an edge of any fits an int.
enum { MUS_TETRAHEDRA_MAXIMUM = 1 << 28 };

// Arrays for this many, uninitialised; regions only if asked for. MUS_BAD_INPUT beyond MUS_TETRAHEDRA_MAXIMUM.
mus_status mus_tetrahedra_create(mus_arena *arena, long long vertices, long long tetrahedra, int with_regions,
                                 mus_tetrahedra *out);
// A mesh of its own with the same contents.
mus_status mus_tetrahedra_copy(mus_arena *arena, const mus_tetrahedra *mesh, mus_tetrahedra *out);

// The corners of face k in the order that has its front outside: corners face[k][0 ... 2] of the tetrahedron.
extern const int mus_tetrahedron_face[4][3];

// Faces grouped by their vertices. Corners must be in range and different. A face's number is 4 t + k.
typedef struct mus_faces {
  int faces;      // different ones
  int *start;     // faces + 1
  int *side;      // tetrahedra * 4: the faces of tetrahedra, those with the same three vertices side by side, ascending
  int *neighbour; // tetrahedra * 4: the tetrahedron beyond face k; -1 at the surface, -2 where more than two share it
} mus_faces;
mus_status mus_faces_create(mus_arena *arena, const mus_tetrahedra *mesh, mus_faces *out);

// The surface: every face that belongs to one tetrahedron only, front outside, in the order of the tetrahedra.
typedef struct mus_solid_surface {
  mus_mesh mesh; // its vertices are those of the surface only, in their order
  int *vertex;   // mesh.vertices: the number of each in the tetrahedra
  int *surface;  // the inverse, for each vertex of the tetrahedra; -1 inside
  int *face;     // mesh.triangles: the face, 4 t + k
} mus_solid_surface;
mus_status mus_tetrahedra_surface(mus_arena *arena, const mus_tetrahedra *mesh, mus_solid_surface *out);

// Different edges, the smaller vertex first, ascending by the first and then by the second.
typedef struct mus_edges {
  int edges;
  int *edge; // edges * 2
} mus_edges;
mus_status mus_tetrahedra_edges(mus_arena *arena, const mus_tetrahedra *mesh, mus_edges *out);

// --- measures ------------------------------------------------------------------------------------------------------

// Negative where it is inverted.
double mus_tetrahedron_volume(const mus_tetrahedra *mesh, int tetrahedron);
double mus_tetrahedra_volume(const mus_tetrahedra *mesh);
// Masses of the vertices in kg from a density in kg/m^3: a quarter of every tetrahedron's mass goes to each corner.
void mus_tetrahedra_masses(const mus_tetrahedra *mesh, double density, double *mass);

// The angles between faces, in degrees, of a tetrahedron that is not flat: of the edges between corners 0-1, 0-2, 0-3,
// 1-2, 1-3, 2-3.
void mus_dihedral_angles(const mus_tetrahedra *mesh, int tetrahedron, double angle[6]);

// The mean ratio (Liu and Joe 1994), 12 (3 V)^(2/3) / sum of the squares of all six edges: 1 for a regular tetrahedron,
// 0 for a flat one, negative where it is inverted. It does not depend on size.
double mus_tetrahedron_quality(const mus_tetrahedra *mesh, int tetrahedron);

enum { MUS_QUALITY_BINS = 10, MUS_ANGLE_BINS = 18 };
typedef struct mus_tetrahedra_quality {
  double volume, least_volume;         // m^3
  double least_angle, largest_angle;   // degrees, of all dihedral angles
  double least, mean;                  // of the mean ratios
  double shortest, longest, mean_edge; // m; each edge counts once per tetrahedron in the mean
  int bin[MUS_QUALITY_BINS];           // tetrahedra by mean ratio, from 0 to 1; what is below 0 counts in the first
  int angle_bin[MUS_ANGLE_BINS];       // tetrahedra by their least dihedral angle, 5 degrees a bin
} mus_tetrahedra_quality;
// Flat and inverted tetrahedra have a least angle of 0 and a largest of 180 degrees. Without tetrahedra all is 0.
void mus_tetrahedra_measure(const mus_tetrahedra *mesh, mus_tetrahedra_quality *out);

// A tetrahedron is flat when six times its volume is less than this part of the cube of its longest edge.
#define MUS_FLAT_TOLERANCE 1e-10
// -1 inverted, 0 flat (or beyond all numbers), 1 sound.
int mus_tetrahedron_sign(const mus_tetrahedra *mesh, int tetrahedron);

#endif
