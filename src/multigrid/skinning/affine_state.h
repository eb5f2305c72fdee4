// What levels of affine handles hold. Private to skinning/; see affine.h.
//
// Nodes of a level are numbered by colours, those of one colour one after the other: a sweep of Gauss-Seidel's method
// reads its rows as they lie in memory.
#ifndef MUS_MULTIGRID_SKINNING_AFFINE_STATE_H
#define MUS_MULTIGRID_SKINNING_AFFINE_STATE_H

#include "multigrid/skinning/affine.h"
#include "multigrid/smoother.h"
#include "sparse/factor.h"

enum { MUS_FUNCTIONS = 4 }; // of a handle

// What a level is, without numbers of the matrix.
typedef struct mus_affine_level {
  int nodes;
  int width;         // functions of a node: 1 on the finest level, else MUS_FUNCTIONS
  mus_pattern links; // without the diagonal
  int colours;
  int *start;          // colours + 1: the first node of each
  int *owner;          // nodes: the handle of the next coarser level that it belongs to
  int *child_start;    // handles of the next coarser level + 1
  int *child;          // nodes, by handle
  double *transfer;    // nodes * MUS_FUNCTIONS * width: the next level's functions, by this one's
  double *value;       // links * width^2; NULL on the finest level
  double *diagonal;    // nodes * width^2: L's
  unsigned char *live; // nodes * width: 0 where a function is missing
  const mus_smoother *smoother;
  mus_multigrid_options options; // of its smoother
  double radius;                 // of D^-1 L; 0 where the smoother does not need it
} mus_affine_level;

// Blocks of the diagonal of a level.
typedef struct mus_affine_blocks {
  int count, capacity;
  int *place;    // nodes: place among the blocks, -1
  int *node;     // capacity
  double *value; // capacity * (3 width)^2
} mus_affine_blocks;

// mus_affine_numbers, the numbers that a cycle reads, and the same with _f for single precision
#define TEMPLATE "multigrid/skinning/affine_types_template.h"
#include "base/both_precisions.h"

struct mus_affine {
  mus_arena arena;
  const mus_pattern *pattern;
  int single;
  int levels; // below the finest
  mus_affine_level level[MUS_LEVELS_MAXIMUM + 1];
  mus_affine_blocks blocks[MUS_LEVELS_MAXIMUM + 1];
  int *place;  // nodes: their numbers on the finest level
  int *source; // entries of the finest level's links, then its diagonal: places in the pattern
  mus_affine_numbers number[MUS_LEVELS_MAXIMUM + 1];
  mus_affine_numbers_f number_f[MUS_LEVELS_MAXIMUM + 1];
  mus_pattern bottom_pattern;
  mus_matrix bottom;
  mus_factor *factor;
  double *bottom_right;
};

// Samples handles, and makes patterns, colours and transfers of all levels.
mus_status mus_affine_make_levels(mus_affine *a, const double *rest, const mus_solver_options *options);

// The numbers of a level in the cycle's precision: room for them, those of L, those of the blocks.
mus_status mus_affine_numbers_create(mus_arena *arena, const mus_affine_level *level, mus_affine_numbers *out);
mus_status mus_affine_numbers_create_f(mus_arena *arena, const mus_affine_level *level, mus_affine_numbers_f *out);
mus_status mus_affine_numbers_set(const mus_affine_level *level, const double *value, mus_affine_numbers *to);
mus_status mus_affine_numbers_set_f(const mus_affine_level *level, const double *value, mus_affine_numbers_f *to);
mus_status mus_affine_numbers_blocks(const mus_affine_level *level, const mus_affine_blocks *blocks,
                                     mus_affine_numbers *to);
mus_status mus_affine_numbers_blocks_f(const mus_affine_level *level, const mus_affine_blocks *blocks,
                                       mus_affine_numbers_f *to);
void mus_affine_numbers_free(mus_affine_numbers *numbers);
void mus_affine_numbers_free_f(mus_affine_numbers_f *numbers);
// The cycle from the finest level on.
void mus_affine_run(mus_affine *a, const double *b, double *x);
void mus_affine_run_f(mus_affine *a, const double *b, double *x);

// inverse = a^-1 for a symmetric positive definite n x n matrix, n <= 12. 0 if it is none.
int mus_affine_invert(int n, const double *a, double *inverse);

#endif
