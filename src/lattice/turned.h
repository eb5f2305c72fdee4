// One level of a staggered lattice with a rotation R in each interior cell: the equations of co-rotational elasticity
// with rotations frozen (Zhu, Sifakis, Teran and Brandt 2010, section 7), and a smoother for them.
//
// Unlike in the paper, the pressure is that of volumes, p = -(lambda/mu) (det F - 1), which is 0 at rest for all
// materials; tr(R^T F) - 3 in place of det F - 1 would be the same for small strains alone. With the cofactors C of F,
// the derivative of det F, stresses divided by mu are P = 2 (F - R) - p C. In the units of level.h, with displacements
// as unknowns and C frozen as R is,
//
//   P_aa = 2 D_a u_a - C_aa p                          in the middle of cells
//   P_ab = 2 D_b u_a - mean of C_ab p                  on edges, over the four cells around
//   sum_b D_b P_ab - c_a u_a = b_a                     on faces
//   sum_ab C_ab (D_b u_a) + D_p p = b_p                in the middle of cells
//
// where D_b u_a for a != b is the mean over the cell's four edges along the third axis. The mean over cells of C_ab p
// is its transpose, so that the matrix has the form of level.h and is as symmetric; constant terms are part of b
// (rotations.h).
//
// Stresses that are not computed (domain.h) drop out. In a cell's equation, a gradient D_b u_a across a free boundary
// follows from P_ab = 0, F_ab = R_ab + C_ab p / 2, and adds C_ab^2 / 2 to D_p, a quarter of that on each edge. One
// along a free boundary is given by no traction: the gradient on the opposite edge of the cell stands for it, and
// counts twice, also in P_ab there. So the equations are those of the least of an energy, over displacements and over
// all gradients that tractions give:
//
//   sum over cells of mu (|F|^2 - 2 tr(R^T F) + 3) + lambda/2 (det F - 1)^2
//
// where |F|^2 is a mean over edges, and F that of cells. The derivative of R is no part of its first derivative, since
// R is that of F, but is one of the second, which the frozen equations leave out, as they do that of C. Without it they
// resist rotations that have not been found yet. For corrections, levels can take it into account as it is for small
// strains: a change of gradients dF turns R by R skew(R^T dF) = (dF - R dF^T R) / 2, and T = dF - R dF^T R is taken
// from P as p C is.
//
// Cells keep Z = p C + T, and edges the sums of it over the cells around, as P_ab has them: both are renewed whenever a
// cell is smoothed, so that a face's equation reads one number per edge.
#ifndef MUS_LATTICE_TURNED_H
#define MUS_LATTICE_TURNED_H

#include "lattice/level.h"

enum { MUS_TURNED_GROUPS = 64 };

typedef struct mus_turned_level {
  mus_lattice_level level;
  double *rotation[9];              // in interior cells, by rows
  double *coupling[9];              // C
  double *volume;                   // det F
  double *pull[9];                  // Z, in interior cells
  double *pulled[6];                // on edges: of each P_ab, the part that Z has in it
  double *inverse[3];               // of the diagonal of faces' equations; 0: not unknown
  double *diagonal;                 // D_p
  double *held[3];                  // c_a on faces, not negative: what springs and inertia add, as b_a is scaled
  uint64_t *samples;                // of each cell, 2 bits for each gradient on its edges: mus_turned_sample
  uint32_t *weights;                // of each edge at a cell's lower corner, 4 bits for each P_ab: 4 times its weight
  int start[MUS_TURNED_GROUPS + 1]; // of each group of interior cells: those of a group can be worked on at once
  int *cell;
} mus_turned_level;

// What the gradient D_b u_a on an edge is for one of the cells around it, whose mean over four edges it is part of.
typedef enum mus_turned_sample {
  MUS_SAMPLE_NONE,  // the opposite edge stands for it
  MUS_SAMPLE_ONCE,  // computed, a quarter of the mean
  MUS_SAMPLE_TWICE, // computed, a half of it
  MUS_SAMPLE_GIVEN  // by a traction, a quarter
} mus_turned_sample;

// No rotations: all are the identity. c_a is `inertia` on all unknown faces.
mus_status mus_turned_create(mus_arena *arena, const mus_lattice_domain *domain, double compressibility, double inertia,
                             mus_turned_level *out);

// The edge of a cell along the axis other than a and b, on its upper side (1) or lower side (0) along a and b.
static inline size_t mus_turned_edge(const mus_lattice_domain *d, size_t cell, int a, int b, int upper_a, int upper_b) {
  return cell + (upper_a ? d->stride[a] : 0) + (upper_b ? d->stride[b] : 0);
}
// The number of P_ab, a != b, among six.
static inline int mus_turned_pair(int a, int b) { return 2 * a + (b < a ? b : b - 1); }
static inline mus_turned_sample mus_turned_sample_at(const mus_turned_level *t, size_t cell, int a, int b, int upper_a,
                                                     int upper_b) {
  int bit = 8 * mus_turned_pair(a, b) + 2 * (upper_a + 2 * upper_b);
  return (mus_turned_sample)(t->samples[cell] >> bit & 3);
}
// The part of the mean that is computed, and how much of P_ab on an edge is: 0 or the sum of such parts around it.
static inline double mus_turned_part(mus_turned_sample sample) {
  return sample == MUS_SAMPLE_ONCE ? 0.25 : sample == MUS_SAMPLE_TWICE ? 0.5 : 0;
}
static inline double mus_turned_weight(const mus_turned_level *t, size_t edge, int a, int b) {
  return 0.25 * (t->weights[edge] >> 4 * mus_turned_pair(a, b) & 15);
}

// Whether tractions give gradients in an interior cell.
static inline int mus_turned_has_given(const mus_turned_level *t, size_t cell) {
  const uint64_t given = 0x555555555555, samples = t->samples[cell]; // a bit of each sample; both are set in GIVEN
  return (samples & samples >> 1 & given) != 0 || !mus_lattice_is(t->level.domain, cell, 7 * MUS_LATTICE_NORMAL);
}

// Z of all cells, with T if `turns`, or of one of them; and 0 for all.
void mus_turned_pull(const mus_turned_level *turned, int turns);
void mus_turned_pull_cell(const mus_turned_level *turned, int turns, size_t cell);
void mus_turned_let_go(const mus_turned_level *turned);

// The inverse diagonal of faces' equations, from c_a.
void mus_turned_invert(const mus_turned_level *turned);

// D_p of all cells from C.
void mus_turned_renew(mus_turned_level *turned);

// Left-hand sides: of u_a on a face that is unknown, and of p in an interior cell, with Z as it is.
double mus_turned_face_row(const mus_turned_level *turned, int a, size_t cell);
double mus_turned_cell_row(const mus_turned_level *turned, size_t cell);

// Z, with T if `turns`, and r = b - L x, in the equations of unknowns; 0 elsewhere.
void mus_turned_residual(const mus_turned_level *turned, int turns);

// A sweep over all interior cells, forwards or backwards: the pressure of a cell and all displacements that its
// equation has, at once, with nothing but the diagonal between displacements (Vanka 1986). Then its Z.
void mus_turned_sweep(const mus_turned_level *turned, int turns, int backwards);

// Displacements beyond free boundaries, from Z. `length` is the spacing where displacements are those of a solid, 0
// where they are corrections.
void mus_turned_extend(const mus_turned_level *turned, double length);

#endif
