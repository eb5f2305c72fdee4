// Coarse spaces of handles, by dense algebra. See seed_004.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "multigrid/skinning/handles.h"
#include "multigrid/smoother.h"
#include "seed_004.h"

void dpotrf_(const char *part, const int *n, double *a, const int *leading, int *info);
void dpotrs_(const char *part, const int *n, const int *right, const double *a, const int *leading, double *b,
             const int *leading_b, int *info);

enum { NEAR = 8 }; // handles of a vertex with smooth weights

// Which handles a vertex belongs to, and how much.
typedef struct share {
  int count;
  int handle[NEAR];
  double weight[NEAR];
} share;

static double distance(const double *a, const double *b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// Weights fall to zero at the distance of the first handle that has none, so that they are continuous.
static share smooth_share(const double *x, int handles, const double *centre) {
  double near[NEAR + 1], sum = 0;
  share s = {NEAR, {0}, {0}};
  int which[NEAR + 1], found = 0;
  for (int h = 0; h < handles; ++h) {
    double d = distance(x, centre + 3 * (size_t)h);
    int at = found <= NEAR ? found++ : NEAR;
    if (at == NEAR && found > NEAR && h > NEAR && d >= near[NEAR])
      continue;
    for (; at > 0 && d < near[at - 1]; --at)
      near[at] = near[at - 1], which[at] = which[at - 1];
    near[at] = d, which[at] = h;
  }
  for (int k = 0; k < NEAR; ++k) {
    s.handle[k] = which[k];
    s.weight[k] = pow(1 - pow(near[k] / near[NEAR], 2), 2);
    sum += s.weight[k];
  }
  for (int k = 0; k < NEAR; ++k)
    s.weight[k] /= sum;
  return s;
}

static mus_status make_shares(const solid_system *s, const space *which, double *centre, share *out) {
  int rows = s->mesh.vertices, count = which->handles;
  int *nearest = mus_alloc((size_t)rows, sizeof *nearest), *order = mus_alloc((size_t)rows, sizeof *order);
  mus_status status = nearest && order ? mus_sample_furthest(s->pattern, s->mesh.position, 1, &count, &nearest, order)
                                       : mus_fail_memory();
  for (int h = 0; h < which->handles && !status; ++h)
    memcpy(centre + 3 * (size_t)h, s->mesh.position + 3 * (size_t)order[h], 3 * sizeof *centre);
  for (int i = 0; i < rows && !status; ++i)
    out[i] =
        which->smooth ? smooth_share(s->mesh.position + 3 * (size_t)i, count, centre) : (share){1, {nearest[i]}, {1}};
  mus_free(nearest), mus_free(order);
  return status;
}

// The columns of a vertex in a handle's space: its place around the handle, and 1.
static void columns_of(const solid_system *s, const space *which, const double *centre, int vertex, int handle,
                       double *out) {
  for (int c = 0; c + 1 < which->columns; ++c)
    out[c] = 10 * (s->mesh.position[3 * (size_t)vertex + (size_t)c] - centre[3 * (size_t)handle + (size_t)c]) / s->size;
  out[which->columns - 1] = 1;
}

typedef struct coarse {
  const solid_system *system;
  const space *which;
  int n;
  double *centre, *matrix, *vector;
  share *of;
} coarse;

// matrix += (w_i X_i) (w_j X_j)^T (x) A_ij
static void add_block(coarse *c, int i, int j, const double *block) {
  int columns = c->which->columns;
  double left[4], right[4];
  for (int p = 0; p < c->of[i].count; ++p)
    for (int q = 0; q < c->of[j].count; ++q) {
      int first = c->of[i].handle[p], second = c->of[j].handle[q];
      double weight = c->of[i].weight[p] * c->of[j].weight[q];
      columns_of(c->system, c->which, c->centre, i, first, left);
      columns_of(c->system, c->which, c->centre, j, second, right);
      for (int k = 0; k < columns; ++k)
        for (int l = 0; l < columns; ++l)
          for (int e = 0; e < 9; ++e)
            c->matrix[((size_t)(first * columns + k) * 3 + (size_t)(e / 3)) * (size_t)c->n +
                      (size_t)(second * columns + l) * 3 + (size_t)(e % 3)] += weight * left[k] * right[l] * block[e];
    }
}

// vector = U^T r, or e = U vector.
static void transfer(coarse *c, int up, double *fine) {
  int columns = c->which->columns;
  double x[4];
  for (int i = 0; i < c->system->mesh.vertices; ++i)
    for (int p = 0; p < c->of[i].count; ++p) {
      columns_of(c->system, c->which, c->centre, i, c->of[i].handle[p], x);
      for (int k = 0; k < columns; ++k)
        for (int e = 0; e < 3; ++e) {
          double *at = &c->vector[(c->of[i].handle[p] * columns + k) * 3 + e];
          double factor = c->of[i].weight[p] * x[k];
          if (up)
            fine[3 * i + e] += factor * *at;
          else
            *at += factor * fine[3 * i + e];
        }
    }
}

// The correction of the coarse space for a residual, which it replaces.
static mus_status correct(coarse *c, double *r) {
  const solid_system *s = c->system;
  const int one = 1;
  int info = 0;
  for (int i = 0; i < s->mesh.vertices; ++i)
    for (int k = s->pattern->row_start[i]; k < s->pattern->row_start[i + 1]; ++k)
      add_block(c, i, s->pattern->column[k], s->a.value + 9 * (size_t)k);
  for (int k = 0; k < c->n; ++k) // what handles cannot tell apart
    c->matrix[(size_t)k * (size_t)(c->n + 1)] *= 1 + 1e-10;
  transfer(c, 0, r);
  dpotrf_("U", &c->n, c->matrix, &c->n, &info);
  if (info == 0)
    dpotrs_("U", &c->n, &one, c->matrix, &c->n, c->vector, &c->n, &info);
  if (info != 0)
    return mus_fail(MUS_BREAKDOWN, "the coarse matrix of %s is not positive definite", c->which->name);
  memset(r, 0, 3 * (size_t)s->mesh.vertices * sizeof *r);
  transfer(c, 1, r);
  return MUS_OK;
}

// x = three symmetric sweeps from zero.
static mus_status sweep(const solid_system *s, mus_arena *arena, double *x) {
  const mus_smoother_calls *calls = &mus_gauss_seidel_smoother.in_double;
  mus_multigrid_options options = mus_preset_solver_options(MUS_PRESET_ROBUST).multigrid;
  options.smoother_order = 3;
  size_t n = 3 * (size_t)s->mesh.vertices;
  int *diagonal = mus_arena_alloc(arena, n / 3, sizeof *diagonal);
  double *inverse = mus_arena_alloc(arena, 3 * n, sizeof *inverse), *other = mus_arena_alloc(arena, n, sizeof *other);
  if (!diagonal || !inverse || !other)
    return mus_fail_memory();
  mus_status status = mus_diagonal_places(s->pattern, diagonal);
  if (!status)
    status = mus_block_operator_inverse_diagonal(&(mus_block_operator){.a = &s->a}, diagonal, inverse);
  mus_level_system level = {.a = s->a, .diagonal = diagonal, .inverse_diagonal = inverse};
  void *state = NULL;
  if (!status)
    status = calls->create(&options, &level, arena, &state);
  if (!status)
    status = calls->set_up(state, &level);
  if (!status)
    calls->pre(state, &level, s->b, &x, &other);
  return status;
}

static mus_status coarse_create(const solid_system *s, const space *which, mus_arena *arena, coarse *c) {
  *c = (coarse){.system = s, .which = which, .n = 3 * which->handles * which->columns};
  c->centre = mus_arena_alloc(arena, 3 * (size_t)which->handles, sizeof *c->centre);
  c->of = mus_arena_alloc(arena, (size_t)s->mesh.vertices, sizeof *c->of);
  c->vector = mus_arena_alloc_zero(arena, (size_t)c->n, sizeof *c->vector);
  return c->centre && c->of && c->vector ? make_shares(s, which, c->centre, c->of) : mus_fail_memory();
}

mus_status space_reduction(const solid_system *s, const space *which, const double *x, double *rho) {
  mus_arena arena = {0};
  coarse c;
  size_t n = 3 * (size_t)s->mesh.vertices;
  mus_status status = coarse_create(s, which, &arena, &c);
  double *start = mus_arena_alloc(&arena, n, sizeof *start), *r = mus_arena_alloc(&arena, n, sizeof *r);
  if (!status) {
    c.matrix = mus_arena_alloc_zero(&arena, (size_t)c.n * (size_t)c.n, sizeof *c.matrix);
    status = start && r && c.matrix ? sweep(s, &arena, start) : mus_fail_memory();
  }
  if (!status) {
    mus_residual(&s->a, s->b, start, r);
    status = correct(&c, r);
  }
  double before = 0, after = 0;
  for (size_t k = 0; k < n && !status; ++k) {
    double error = x[k] - start[k];
    before += error * error;
    after += (error - r[k]) * (error - r[k]);
  }
  *rho = status ? 0 : sqrt(after / before);
  mus_arena_clear(&arena);
  return status;
}

mus_status space_nonzeros(const solid_system *s, const space *which, double *nonzeros) {
  mus_arena arena = {0};
  coarse c;
  size_t handles = (size_t)which->handles, pairs = 0;
  mus_status status = coarse_create(s, which, &arena, &c);
  unsigned char *met = mus_arena_alloc_zero(&arena, handles * handles, 1);
  if (!status && !met)
    status = mus_fail_memory();
  for (int i = 0; i < s->mesh.vertices && !status; ++i)
    for (int k = s->pattern->row_start[i]; k < s->pattern->row_start[i + 1]; ++k) {
      const share *a = &c.of[i], *b = &c.of[s->pattern->column[k]];
      for (int p = 0; p < a->count; ++p)
        for (int q = 0; q < b->count; ++q)
          met[(size_t)a->handle[p] * handles + (size_t)b->handle[q]] = 1;
    }
  for (size_t k = 0; k < handles * handles && !status; ++k)
    pairs += met[k];
  *nonzeros = (double)pairs * 9 * which->columns * which->columns;
  mus_arena_clear(&arena);
  return status;
}
