// Near kernels of elastic systems (Tamstorf et al. 2015, section 6): vectors that the matrix hardly resists.
#ifndef MUS_SOLVE_NEAR_KERNEL_H
#define MUS_SOLVE_NEAR_KERNEL_H

#include "sparse/pattern.h"

// The six rigid-body motions of nodes at the given positions: three translations, then the rotations about the x, y and
// z axis through the centre of all nodes, divided by the distance of the node farthest from it. `vectors` receives
// 6 * rows * 3 numbers.
void mus_rigid_motions(int rows, const double *positions, double *vectors);

// The twelve affine motions of nodes at the given positions: the three translations, then for each of the directions x,
// y and z the three motions that grow along it from the centre of all nodes, scaled as above. `vectors` receives 12 *
// rows * 3 numbers.
void mus_affine_motions(int rows, const double *positions, double *vectors);

// One constant vector for each unknown of a node: `block` vectors of rows * block numbers.
void mus_constant_vectors(int rows, int block, double *vectors);

// Whether most nodes have neighbours in all directions, as those of solids do, and not near a plane, as those of cloth.
// Some hundred of them are looked at.
int mus_fills_space(const mus_pattern *pattern, const double *positions);

#endif
