// AMGCL's multigrid (Demidov 2019), for comparison with muslin's own. bench/amgcl.cpp has it, in builds with
// -DMUSLIN_AMGCL=ON, which need AMGCL's headers; there is nothing of it in others.
//
// Smoothed aggregation over blocks of 3 x 3 or single numbers, V-cycle, in the precision of the options.
// docs/benchmarks.md says how its settings were found. The first set-up is a whole one; later ones keep the transfer
// operators and renew matrices and smoothers, as AMGCL itself offers it, unless options.setup is MUS_SETUP_FULL.
#ifndef MUS_SOLVE_AMGCL_H
#define MUS_SOLVE_AMGCL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_amgcl mus_amgcl;

typedef struct mus_amgcl_options {
  int block;  // 1 or 3
  int single; // precision
  int gauss_seidel;
  int sweeps; // before and after
  int keep;   // transfer operators, from one set-up to the next
} mus_amgcl_options;

// The arrays outlive it. NULL if memory is short.
mus_amgcl *mus_amgcl_create(const mus_amgcl_options *options, int rows, const int *row_start, const int *column);
// Returns 0, or 1 with what AMGCL says in `text`.
int mus_amgcl_set_up(mus_amgcl *amgcl, const double *value, size_t size, char *text);
void mus_amgcl_apply(mus_amgcl *amgcl, const double *r, double *z);
size_t mus_amgcl_bytes(const mus_amgcl *amgcl);
void mus_amgcl_free(mus_amgcl *amgcl); // NULL is fine

#ifdef __cplusplus
}
#endif

#endif
