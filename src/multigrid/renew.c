// Coarse matrices for prolongators that are kept. See renew.h.
#include "multigrid/renew.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "par/par.h"

// Part of its mean that a coarse diagonal block gets: well above rounding, well below what inertia adds.
static const double propped = 1e-10, propped_f = 1e-6;
// Products that a new probe gets.
enum { PROBE_STEPS = 8, RUNS = 256 };

// A probe that is still on its way to the end of the spectrum grows by less than this for a matrix that stays the same.
static const double on_its_way = 1.1;

// The smoother follows the radius.
static void raise(mus_chebyshev *smoother, double radius, double growth_before, double growth) {
  double high = growth > on_its_way * growth_before ? radius * growth / growth_before : radius;
  smoother->low *= high / smoother->high;
  smoother->high = high;
}

#define RENEW(real, matrix, level_type, renewal, start, renew, step, galerkin, invert, create, prop, square, advance,  \
              scale_probe, project, hold, prop_up, linkage)                                                            \
  static double square(size_t n, const real *x) {                                                                      \
    double part[RUNS], sum = 0;                                                                                        \
    MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)                                                                           \
    for (int run = 0; run < RUNS; ++run) {                                                                             \
      double own = 0;                                                                                                  \
      for (size_t i = n * (size_t)run / RUNS; i < n * (size_t)(run + 1) / RUNS; ++i)                                   \
        own += (double)x[i] * (double)x[i];                                                                            \
      part[run] = own;                                                                                                 \
    }                                                                                                                  \
    for (int run = 0; run < RUNS; ++run)                                                                               \
      sum += part[run];                                                                                                \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static void scale_probe(size_t n, double factor, const real *from, real *to) {                                       \
    MUS_PARALLEL_FOR_IF(n > MUS_PAR_MINIMUM)                                                                           \
    for (size_t i = 0; i < n; ++i)                                                                                     \
      to[i] = (real)(factor * (double)from[i]);                                                                        \
  }                                                                                                                    \
  /* probe <- D^-1 A probe, brought to length 1; returns how much longer it had become */                              \
  static double advance(level_type *level, renewal *r) {                                                               \
    size_t n = (size_t)level->a.pattern->rows * (size_t)level->a.row_block;                                            \
    memset(level->x, 0, n * sizeof(real));                                                                             \
    step(&level->a, level->inverse_diagonal, level->x, r->probe, 1, -1, 0, level->other);                              \
    double growth = sqrt(square(n, level->other));                                                                     \
    scale_probe(n, growth > 0 ? 1 / growth : 0, level->other, r->probe);                                               \
    return growth;                                                                                                     \
  }                                                                                                                    \
  void start(level_type *level, renewal *r) {                                                                          \
    size_t n = (size_t)level->a.pattern->rows * (size_t)level->a.row_block;                                            \
    for (size_t i = 0; i < n; ++i)                                                                                     \
      r->probe[i] = (real)mus_random(1, (uint64_t)i);                                                                  \
    for (int k = 0; k < PROBE_STEPS; ++k)                                                                              \
      r->growth = advance(level, r);                                                                                   \
    r->radius = level->smoother.high;                                                                                  \
  }                                                                                                                    \
  /* to = S_i from */                                                                                                  \
  static void project(const double *s, int rows, int columns, const real *from, real *to) {                            \
    for (int r = 0; r < rows; ++r)                                                                                     \
      for (int c = 0; c < columns; ++c) {                                                                              \
        double sum = 0;                                                                                                \
        for (int q = 0; q < rows; ++q)                                                                                 \
          sum += s[r * rows + q] * (double)from[q * columns + c];                                                      \
        to[r * columns + c] = (real)sum;                                                                               \
      }                                                                                                                \
  }                                                                                                                    \
  /* p <- S made */                                                                                                    \
  static mus_status hold(matrix *p, matrix *made, const mus_filter *held, mus_arena *arena) {                          \
    size_t size = (size_t)(p->row_block * p->column_block);                                                            \
    size_t bytes = (size_t)mus_pattern_blocks(p->pattern) * size * sizeof(real);                                       \
    int any = held && held->count > 0;                                                                                 \
    if (!made->value) {                                                                                                \
      if (!any)                                                                                                        \
        return MUS_OK;                                                                                                 \
      mus_status status = create(arena, p->pattern, p->row_block, p->column_block, made);                              \
      if (status)                                                                                                      \
        return status;                                                                                                 \
      memcpy(made->value, p->value, bytes);                                                                            \
    }                                                                                                                  \
    MUS_PARALLEL_FOR_IF(p->pattern->rows > MUS_PAR_MINIMUM)                                                            \
    for (int i = 0; i < p->pattern->rows; ++i) {                                                                       \
      size_t begin = (size_t)p->pattern->row_start[i], end = (size_t)p->pattern->row_start[i + 1];                     \
      int at = any ? held->index_of[i] : -1;                                                                           \
      if (at < 0)                                                                                                      \
        memcpy(p->value + begin * size, made->value + begin * size, (end - begin) * size * sizeof(real));              \
      for (size_t k = begin; k < end && at >= 0; ++k)                                                                  \
        project(held->projection + (size_t)at * (size_t)(p->row_block * p->row_block), p->row_block, p->column_block,  \
                made->value + k * size, p->value + k * size);                                                          \
    }                                                                                                                  \
    return MUS_OK;                                                                                                     \
  }                                                                                                                    \
  /* Blocks of nothing, where all of an aggregate is held, get the mean of the others. */                              \
  linkage void prop_up(matrix *a, const int *diagonal) {                                                               \
    int rows = a->pattern->rows, block = a->row_block;                                                                 \
    size_t size = (size_t)(block * block);                                                                             \
    double sum = 0;                                                                                                    \
    for (int i = 0; i < rows; ++i)                                                                                     \
      for (int r = 0; r < block; ++r)                                                                                  \
        sum += (double)a->value[(size_t)diagonal[i] * size + (size_t)(r * (block + 1))];                               \
    double mean = sum > 0 ? sum / ((double)rows * block) : 1;                                                          \
    for (int i = 0; i < rows; ++i) {                                                                                   \
      real *d = a->value + (size_t)diagonal[i] * size;                                                                 \
      double own = 0;                                                                                                  \
      for (int r = 0; r < block; ++r)                                                                                  \
        own += (double)d[r * (block + 1)] / block;                                                                     \
      real more = (real)(own > prop * mean ? prop * own : mean);                                                       \
      for (int r = 0; r < block; ++r)                                                                                  \
        d[r * (block + 1)] += more;                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  mus_status renew(level_type *level, renewal *r, int levels, int factored, const mus_filter *held,                    \
                   mus_arena *arena) {                                                                                 \
    mus_status status = levels > 1 ? hold(&level->p, &r->made, held, arena) : MUS_OK;                                  \
    for (int k = 0; k < levels && !status; ++k) {                                                                      \
      if (k + 1 < levels || !factored) {                                                                               \
        status = invert(&level[k].a, r[k].diagonal, (real *)level[k].inverse_diagonal);                                \
        if (!status)                                                                                                   \
          raise(&level[k].smoother, r[k].radius, r[k].growth, advance(&level[k], &r[k]));                              \
      }                                                                                                                \
      if (k + 1 < levels && !status)                                                                                   \
        status = galerkin(r[k].plan, &level[k].a, &level[k].p, &level[k + 1].a);                                       \
      if (k + 1 < levels && !status)                                                                                   \
        prop_up(&level[k + 1].a, r[k + 1].diagonal);                                                                   \
    }                                                                                                                  \
    return status;                                                                                                     \
  }

RENEW(double, mus_matrix, mus_cycle_level, mus_renewal, mus_renewal_start, mus_renew, mus_chebyshev_step,
      mus_galerkin_fill, mus_inverse_diagonal, mus_matrix_create, propped, square, advance, scale_probe, project, hold,
      mus_prop_up, extern)
RENEW(float, mus_matrix_f, mus_cycle_level_f, mus_renewal_f, mus_renewal_start_f, mus_renew_f, mus_chebyshev_step_f,
      mus_galerkin_fill_f, mus_inverse_diagonal_f, mus_matrix_create_f, propped_f, square_f, advance_f, scale_probe_f,
      project_f, hold_f, prop_up_f, static)
