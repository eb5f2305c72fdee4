// Coarse matrices for prolongators that are kept. See renew.h.
#include "multigrid/renew.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
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

#define RENEW(real, matrix, operator, level_type, renewal, start, renew, step, galerkin, finest_galerkin, invert,      \
              finest_invert, prop, square, advance, scale_probe, project, list_held, hold, prop_up, linkage)           \
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
    operator a = {.a = &level->a, .symmetric = level->symmetric};                                                      \
    step(&a, level->inverse_diagonal, level->x, r->probe, 1, -1, 0, level->other);                                     \
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
  /* Lists the rows of P that are held, with room for them. What it held before is gone. */                            \
  static mus_status list_held(const matrix *p, const mus_filter *held, renewal *r, mus_arena *arena) {                 \
    size_t rows = (size_t)held->count, blocks = 0;                                                                     \
    const int *start = p->pattern->row_start;                                                                          \
    for (int h = 0; h < held->count; ++h)                                                                              \
      blocks += (size_t)(start[held->node[h] + 1] - start[held->node[h]]);                                             \
    if (rows > r->rows_room || blocks > r->blocks_room) {                                                              \
      mus_arena_clear(arena);                                                                                          \
      r->rows_room = rows + rows / 4;                                                                                  \
      r->blocks_room = blocks + blocks / 4;                                                                            \
      r->held_row = mus_arena_alloc(arena, r->rows_room, sizeof *r->held_row);                                         \
      r->held_start = mus_arena_alloc(arena, r->rows_room + 1, sizeof *r->held_start);                                 \
      r->made = mus_arena_alloc(arena, r->blocks_room * (size_t)(p->row_block * p->column_block), sizeof *r->made);    \
      if (!r->held_row || !r->held_start || !r->made) {                                                                \
        r->rows_room = r->blocks_room = 0;                                                                             \
        return mus_fail_memory();                                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    r->held_start[0] = 0;                                                                                              \
    for (int h = 0; h < held->count; ++h) {                                                                            \
      r->held_row[h] = held->node[h];                                                                                  \
      r->held_start[h + 1] = r->held_start[h] + start[held->node[h] + 1] - start[held->node[h]];                       \
    }                                                                                                                  \
    return MUS_OK;                                                                                                     \
  }                                                                                                                    \
  /* S P for P as it was made */                                                                                       \
  static mus_status hold(matrix *p, renewal *r, const mus_filter *held, mus_arena *arena) {                            \
    size_t size = (size_t)(p->row_block * p->column_block), s_size = (size_t)(p->row_block * p->row_block);            \
    const int *start = p->pattern->row_start;                                                                          \
    MUS_PARALLEL_FOR_IF(r->held > MUS_PAR_MINIMUM)                                                                     \
    for (int h = 0; h < r->held; ++h)                                                                                  \
      memcpy(p->value + (size_t)start[r->held_row[h]] * size, r->made + (size_t)r->held_start[h] * size,               \
             (size_t)(r->held_start[h + 1] - r->held_start[h]) * size * sizeof(real));                                 \
    r->held = 0;                                                                                                       \
    if (!held || held->count == 0)                                                                                     \
      return MUS_OK;                                                                                                   \
    mus_status status = list_held(p, held, r, arena);                                                                  \
    if (status)                                                                                                        \
      return status;                                                                                                   \
    r->held = held->count;                                                                                             \
    MUS_PARALLEL_FOR_IF(r->held > MUS_PAR_MINIMUM)                                                                     \
    for (int h = 0; h < r->held; ++h) {                                                                                \
      real *value = p->value + (size_t)start[r->held_row[h]] * size,                                                   \
           *made = r->made + (size_t)r->held_start[h] * size;                                                          \
      size_t numbers = (size_t)(r->held_start[h + 1] - r->held_start[h]) * size;                                       \
      memcpy(made, value, numbers * sizeof(real));                                                                     \
      for (size_t k = 0; k < numbers; k += size)                                                                       \
        project(held->projection + (size_t)h * s_size, p->row_block, p->column_block, made + k, value + k);            \
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
  mus_status renew(const mus_matrix *finest, level_type *level, renewal *r, int levels, int factored,                  \
                   const mus_filter *held, mus_arena *arena) {                                                         \
    mus_status status = levels > 1 ? hold(&level->p, r, held, arena) : MUS_OK;                                         \
    for (int k = 0; k < levels && !status; ++k) {                                                                      \
      if (k + 1 < levels || !factored) {                                                                               \
        real *inverse = (real *)level[k].inverse_diagonal;                                                             \
        status = k == 0 ? finest_invert(finest, r->diagonal, inverse) : invert(&level[k].a, r[k].diagonal, inverse);   \
        if (!status)                                                                                                   \
          raise(&level[k].smoother, r[k].radius, r[k].growth, advance(&level[k], &r[k]));                              \
      }                                                                                                                \
      if (k + 1 < levels && !status)                                                                                   \
        status = k == 0 ? finest_galerkin(r->plan, finest, &level->p, &level[1].a)                                     \
                        : galerkin(r[k].plan, &level[k].a, &level[k].p, &level[k + 1].a);                              \
      if (k + 1 < levels && !status)                                                                                   \
        prop_up(&level[k + 1].a, r[k + 1].diagonal);                                                                   \
    }                                                                                                                  \
    return status;                                                                                                     \
  }

RENEW(double, mus_matrix, mus_operator, mus_cycle_level, mus_renewal, mus_renewal_start, mus_renew,
      mus_operator_chebyshev, mus_galerkin_fill, mus_galerkin_fill, mus_inverse_diagonal, mus_inverse_diagonal, propped,
      square, advance, scale_probe, project, list_held, hold, mus_prop_up, extern)
RENEW(float, mus_matrix_f, mus_operator_f, mus_cycle_level_f, mus_renewal_f, mus_renewal_start_f, mus_renew_f,
      mus_operator_chebyshev_f, mus_galerkin_fill_f, mus_galerkin_fill_rounded, mus_inverse_diagonal_f,
      mus_inverse_diagonal_rounded, propped_f, square_f, advance_f, scale_probe_f, project_f, list_held_f, hold_f,
      prop_up_f, static)
