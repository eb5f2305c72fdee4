// Polygons in space, cut into triangles.
#ifndef MUS_MESH_POLYGON_H
#define MUS_MESH_POLYGON_H

// Polygons of more corners than this must be convex.
enum { MUS_POLYGON_EARS = 64 };

// Cuts the polygon with `count` corners (x, y, z) into count - 2 triangles, whose three corners each (from 0) keep its
// direction. A quadrilateral is cut along the diagonal on which both halves face the way that the whole does and, where
// both do, along the shorter; the first corner's where they are equal. Larger ones lose the corner with the shortest
// cut first, as long as nothing else lies in it (Meisters 1975: "ears"). They should be nearly flat; those that cross
// themselves are cut somehow. False, and nothing written, for a polygon that is both large and not convex.
int mus_polygon_triangulate(int count, const double *corner, int *triangle);

#endif
