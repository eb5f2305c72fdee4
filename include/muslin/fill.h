/// Solids of tetrahedra: the inside of a closed surface, or a built-in shape, filled and written to a file.
///
///     mus_fill_options options = mus_default_fill_options();
///     mus_fill_record record;
///     options.edge = 0.01;
///     mus_fill_solid("cow.obj", "cow.msh", &options, &record);
///
/// Filling is by isosurface stuffing: no tetrahedron is inverted, and all dihedral angles are between 10.6 and 164.8
/// degrees, whatever the surface. What is inside is decided by the generalised winding number, so that surfaces with
/// holes, overlapping parts and edges of three triangles can be filled too. Sharp edges are rounded, and what is
/// thinner than an edge is lost: the record says how much. docs/solids.md is the manual.
#ifndef MUSLIN_FILL_H
#define MUSLIN_FILL_H

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_fill_options {
  double edge;        ///< m, of the lattice: edges inside are 0.87 to 1 times as long; 0: as `vertices` has it
  int vertices;       ///< about so many, where there is no `edge`
  double scale;       ///< of the shape's coordinates: 0.01 for a surface in centimetres
  int largest;        ///< 1: keep only the largest piece; 0: all but crumbs, of less than a thousandth of its volume
  const char *format; ///< of the file: "msh", "msh-text", "msh2", "msh2-text", "mesh", "vtk", "vtk-text", "tetgen";
                      ///< NULL: as its name ends
} mus_fill_options;

enum { MUS_FILL_TEXT = 256 };
typedef struct mus_fill_record {
  int vertices, tetrahedra;
  int surface_vertices, surface_triangles;
  int pieces;                        ///< that are not connected
  int crumbs;                        ///< tetrahedra of small pieces, which were dropped
  int touching;                      ///< vertices that were doubled where parts touched at a point or an edge only
  double edge;                       ///< m
  double volume;                     ///< m^3
  double least_angle, largest_angle; ///< degrees, of all dihedral angles
  double mean_quality;               ///< 1 if all were regular
  /// m, the farthest that the filling's surface is from the surface given, except where it closes holes; -1 for
  /// built-in shapes, except the mannequin.
  double deviation;
  double closed;  ///< m, the farthest that it is from the rim where it closes holes; 0 where there are none
  double loss;    ///< m, the farthest that the surface given is from the filling's: a thin part, or a sharp corner
  double seconds; ///< reading and writing included
  char repairs[MUS_FILL_TEXT]; ///< what was repaired of the surface: "dropped 2 duplicate triangles", for instance
} mus_fill_record;

/// 10,000 vertices, scale 1.
MUS_API mus_fill_options mus_default_fill_options(void);

/// Fills what a mesh file (OBJ, PLY, glTF) encloses, or a built-in shape by its name, and writes it to `path`. That
/// ends in .msh (Gmsh), .mesh (Medit), .vtk, .vtu, .node or .ele (TetGen, both files); or in .obj or .ply, for the
/// filling's surface alone. MUS_BAD_INPUT, with the remedy, where that cannot be. `options` and `record` may be NULL.
MUS_API mus_status mus_fill_solid(const char *shape, const char *path, const mus_fill_options *options,
                                  mus_fill_record *record);

/// The built-in shapes; NULL beyond the last.
MUS_API const char *mus_fill_shape_name(int number);
MUS_API const char *mus_fill_shape_about(int number);

#ifdef __cplusplus
}
#endif
#endif
