// The tentative prolongator: local bases of the near-null space (Tamstorf et al. 2015, section 5, figure 3).
//
// For each aggregate the rows K_i of the near-null space are factored, K_i = Q_i R_i with orthonormal columns. The Q_i
// are the blocks of the tentative prolongator, the R_i the near-null space of the coarser level.
#ifndef MUS_MULTIGRID_TENTATIVE_H
#define MUS_MULTIGRID_TENTATIVE_H

#include "multigrid/aggregation/aggregates.h"

// QR of a rows x columns matrix by modified Gram-Schmidt, done twice. q holds K by rows and becomes Q; r becomes the
// upper triangular columns x columns R. A column that depends on the ones before it gives a zero column of Q and a zero
// row of R, and live[column] = 0: K = Q R holds all the same. Returns the rank.
int mus_local_qr(int rows, int columns, double *q, double *r, unsigned char *live);

// kernel and q: for each node a block x count matrix, stored by rows; coarse_kernel: count x count for each aggregate;
// live: count for each aggregate. q is zero at special nodes. Returns MUS_OUT_OF_MEMORY or MUS_OK.
mus_status mus_tentative_fill(const mus_aggregates *aggregates, int nodes, int block, int count, const double *kernel,
                              double *q, double *coarse_kernel, unsigned char *live);

#endif
