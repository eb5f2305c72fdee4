// Bonds: where a point is relative to a triangle of a body, so that it can follow.
//
// The point is sum_k w_k x_k + a e_1 + b e_2 + c n: w are the barycentric coordinates of the triangle's nearest point,
// and e_1, e_2, n a right-handed frame of the triangle, along its first edge, and along its normal. A bond moves like
// the body where that is rigid, and bends with it where it is not.
#ifndef MUS_MODEL_BOND_H
#define MUS_MODEL_BOND_H

// Saved in checkpoints.
typedef struct mus_bond {
  int triangle; // of all bodies
  int made;     // 0: the point is not bound yet
  double weight[3], away[3];
} mus_bond;

// Binds x to the nearest of triangles first ... end - 1. `triangle` and `position` are those of all bodies.
void mus_bond_make(const int *triangle, int first, int end, const double *position, const double x[3], mus_bond *out);
// Where it is, with the bodies at `position`.
void mus_bond_place(const mus_bond *bond, const int *triangle, const double *position, double x[3]);

#endif
