// Distances between features, with the closest points as weights of nodes (see contact.h). Any input gives an answer:
// degenerate triangles and edges, parallel edges and coincident points included.
#ifndef MUS_COLLIDE_DISTANCE_H
#define MUS_COLLIDE_DISTANCE_H

// x: the vertex and the corners of the triangle. weight: 1, and minus the barycentric coordinates. Returns the
// distance.
double mus_vertex_face_distance(const double x[4][3], double weight[4]);
// x: the ends of the first and of the second edge. weight: 1 - s, s, t - 1, -t.
double mus_edge_edge_distance(const double x[4][3], double weight[4]);

// u = sum_k weight[k] x[k]. The weights' sum is 0, so what counts are differences to one of the nodes: what is lost to
// rounding is small against the size of the pair, wherever in space it lies.
static inline void mus_weigh(const double x[4][3], const double weight[4], double u[3]) {
  for (int c = 0; c < 3; ++c)
    u[c] = weight[1] * (x[1][c] - x[0][c]) + weight[2] * (x[2][c] - x[0][c]) + weight[3] * (x[3][c] - x[0][c]);
}

#endif
