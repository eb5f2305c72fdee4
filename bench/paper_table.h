// Table 1 of Tamstorf, Jones and McCormick 2015: how many times faster SA+PPCG was than block-Jacobi conjugate
// gradients and than PARDISO.
#ifndef BENCH_PAPER_TABLE_H
#define BENCH_PAPER_TABLE_H

#include "measurements.h"

enum { PAPER_SIZES = 12 };
extern const int paper_sizes[PAPER_SIZES]; // vertices

typedef enum paper_rival { PAPER_DIAGONAL, PAPER_DIRECT } paper_rival;

double paper_speedup(int tessellation, int size, int example, paper_rival rival);

#endif
