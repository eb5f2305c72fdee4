// Distances between features, with the closest points as weights of nodes (see contact.h). Any input gives an answer:
// degenerate triangles and edges, parallel edges and coincident points included.
#ifndef MUS_COLLIDE_DISTANCE_H
#define MUS_COLLIDE_DISTANCE_H

// x: the vertex and the corners of the triangle. weight: 1, and minus the barycentric coordinates. Returns the
// distance.
double mus_vertex_face_distance(const double x[4][3], double weight[4]);
// x: the ends of the first and of the second edge. weight: 1 - s, s, t - 1, -t.
double mus_edge_edge_distance(const double x[4][3], double weight[4]);

#endif
