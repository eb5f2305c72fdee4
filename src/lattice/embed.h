// Points that go along with a staggered lattice: their displacements from those on faces, the normals of a surface of
// such points, and forces on points taken back to faces.
//
// Each component is interpolated on its own lattice, whose nodes are the middles of the faces perpendicular to its axis
// (lattice/cells.h): trilinearly, or tricubically as Lekien and Marsden (2005) do, with derivatives at nodes from
// central differences. All mixed derivatives are then products of differences, so that the interpolant is the tensor
// product of cubic Hermite interpolants in one variable, with weights that depend on 4 x 4 x 4 nodes. Trilinear
// interpolation reproduces affine displacements, tricubic interpolation quadratic ones, and its derivatives are
// continuous, so normals are.
//
// Points near the border of the solid need nodes that are no variables. These are extrapolated, layer by layer from the
// border outwards, by a plane that is fitted to the nodes around by weighted least squares; that keeps affine
// displacements exact up to the surface. A displacement is known on faces between two interior cells and on those of
// Dirichlet cells. All of it is linear, x = W E u, and forces are spread by the exact transpose, E^T W^T.
#ifndef MUS_LATTICE_EMBED_H
#define MUS_LATTICE_EMBED_H

#include "lattice/cells.h"
#include "muslin/status.h"

typedef struct mus_embedding mus_embedding;

typedef enum mus_embed_order { MUS_EMBED_LINEAR, MUS_EMBED_CUBIC } mus_embed_order;

// `position`: points * 3, at rest, in metres. MUS_BAD_INPUT for a point outside of the lattice or farther from all
// known displacements than extrapolation makes sense. The cells are not needed afterwards.
mus_status mus_embedding_create(const mus_cells *cells, mus_embed_order order, int points, const double *position,
                                mus_embedding **out);
void mus_embedding_free(mus_embedding *embedding); // NULL is fine
size_t mus_embedding_bytes(const mus_embedding *embedding);
int mus_embedding_points(const mus_embedding *embedding);

// Displacements u[component][cell] on lower faces. This writes those that points need beyond the known ones.
void mus_embedding_extend(const mus_embedding *embedding, double *const u[3]);

// From extended displacements, results of any number of threads alike: points * 3; for the gradient points * 9, du_a /
// dX_b at 3 a + b.
void mus_embedding_displacements(const mus_embedding *embedding, const double *const u[3], double *displacement);
void mus_embedding_gradients(const mus_embedding *embedding, const double *const u[3], double *gradient);
// Unit normals after the deformation, F^-T n / |F^-T n| with F = 1 + du/dX, from those at rest, points * 3. Where F is
// inverted they point as it has them; where that has no direction, the one at rest is kept.
void mus_embedding_normals(const mus_embedding *embedding, const double *const u[3], const double *normal, double *out);

// f = E^T W^T force: forces on points (points * 3) to all known faces; the rest of f is 0.
void mus_embedding_spread(const mus_embedding *embedding, const double *force, double *const f[3]);
// The same with the sizes of all weights, |E|^T |W|^T; and for each point and component the sum of these sizes, |W| |E|
// 1, for which it writes to three arrays over cells.
void mus_embedding_spread_sizes(const mus_embedding *embedding, const double *force, double *const f[3]);
void mus_embedding_bounds(const mus_embedding *embedding, double *const scratch[3], double *bound);

#endif
