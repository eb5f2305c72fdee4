// See shared_relax.h.
#include "sparse/shared_relax.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "par/par.h"
#include "par/vector.h"
#include "sparse/colouring.h"

struct mus_shared_relaxation {
  mus_arena arena;
  const mus_pattern *pattern;
  mus_colouring colouring;
  mus_shared_matrix matrix;
  double *inverse;                   // rows * 9: of diagonal blocks
  double *left, *along, *turned, *z; // rows * 3: workspace
};

void mus_shared_relaxation_free(mus_shared_relaxation *relaxation) {
  if (!relaxation)
    return;
  mus_arena_clear(&relaxation->arena);
  mus_free(relaxation);
}

mus_status mus_shared_relaxation_create(const mus_pattern *pattern, mus_shared_relaxation **out) {
  mus_shared_relaxation *made = mus_alloc_zero(1, sizeof *made);
  if (!made)
    return mus_fail_memory();
  size_t n = 3 * (size_t)pattern->rows;
  double **vectors[] = {&made->left, &made->along, &made->turned, &made->z};
  made->pattern = pattern;
  mus_status status = mus_colour(&made->arena, pattern, 1, &made->colouring);
  for (int k = 0; k < 4 && !status; ++k)
    if (!(*vectors[k] = mus_arena_alloc_zero(&made->arena, n, sizeof(double))))
      status = mus_fail_memory();
  if (!status && !(made->inverse = mus_arena_alloc_zero(&made->arena, 3 * n, sizeof(double))))
    status = mus_fail_memory();
  if (status)
    mus_shared_relaxation_free(made);
  else
    *out = made;
  return status;
}

size_t mus_shared_relaxation_bytes(const mus_shared_relaxation *relaxation) {
  return sizeof *relaxation + relaxation->arena.bytes;
}

int mus_shared_relaxation_colours(const mus_shared_relaxation *relaxation) { return relaxation->colouring.colours; }

// --- the diagonal ----------------------------------------------------------------------------------------------------

// The inverse of a symmetric 3x3 matrix; 0 if it is not positive definite.
static int invert(const double *a, double *inverse) {
  for (int k = 0; k < 3; ++k)
    mus_cross3(a + 3 * ((k + 1) % 3), a + 3 * ((k + 2) % 3), inverse + 3 * k);
  double determinant = mus_dot3(a, inverse);
  int definite = a[0] > 0 && inverse[8] > 0 && determinant > 0;
  mus_scale3(1 / determinant, inverse, inverse);
  mus_scale3(1 / determinant, inverse + 3, inverse + 3);
  mus_scale3(1 / determinant, inverse + 6, inverse + 6);
  return definite;
}

mus_status mus_shared_relaxation_set(mus_shared_relaxation *r, const mus_shared_matrix *a) {
  const mus_pattern *p = r->pattern;
  int wrong = -1;
  r->matrix = *a;
  for (int i = 0; i < p->rows; ++i) {
    double *inverse = r->inverse + 9 * (size_t)i, own = a->value[mus_pattern_find(p, i, i)];
    memset(inverse, 0, 9 * sizeof *inverse);
    inverse[0] = inverse[4] = inverse[8] = 1 / own;
    wrong = own > 0 ? wrong : i;
  }
  for (int n = 0; n < a->count; ++n) {
    int i = a->block[n].node;
    double whole[9], own = a->value[mus_pattern_find(p, i, i)];
    for (int e = 0; e < 9; ++e)
      whole[e] = a->block[n].value[e] + (e % 4 == 0 ? own : 0);
    wrong = invert(whole, r->inverse + 9 * (size_t)i) ? wrong : i;
  }
  return wrong < 0 ? MUS_OK : mus_fail(MUS_BREAKDOWN, "the diagonal block of node %d is not positive definite", wrong);
}

static void multiply3(const double *a, const double *x, double *y) {
  for (int c = 0; c < 3; ++c)
    y[c] = mus_dot3(a + 3 * c, x);
}

void mus_shared_jacobi(const mus_shared_relaxation *r, double factor, const double *b, double *x) {
  int rows = r->pattern->rows;
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i) {
    double y[3];
    multiply3(r->inverse + 9 * (size_t)i, b + 3 * (size_t)i, y);
    mus_scale3(factor, y, x + 3 * (size_t)i);
  }
}

double mus_shared_largest(mus_shared_relaxation *r, int iterations) {
  size_t n = 3 * (size_t)r->pattern->rows;
  double largest = 0;
  mus_fill_random(n, 1, r->along);
  for (int k = 0; k < iterations; ++k) {
    mus_shared_multiply(&r->matrix, r->along, r->left); // Rayleigh's quotient of D^-1 A in the product of A
    mus_shared_jacobi(r, 1, r->left, r->z);
    double square = mus_dot(n, r->along, r->left);
    if (!(square > 0))
      break;
    largest = mus_dot(n, r->left, r->z) / square;
    mus_copy(n, r->z, r->along);
    mus_scale(n, 1 / sqrt(mus_dot(n, r->z, r->z)), r->along);
  }
  return largest;
}

// --- iterations ------------------------------------------------------------------------------------------------------

// Relaxes a node: x_i = D_i^-1 (b_i - sum of a_ij x_j, j != i)
static void relax(const mus_shared_relaxation *r, int i, const double *b, double *x) {
  const mus_pattern *p = r->pattern;
  const double *value = r->matrix.value;
  double sum[3];
  memcpy(sum, b + 3 * (size_t)i, sizeof sum);
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
    if (p->column[k] != i)
      mus_add_scaled3(-value[k], x + 3 * (size_t)p->column[k], sum);
  multiply3(r->inverse + 9 * (size_t)i, sum, x + 3 * (size_t)i);
}

void mus_shared_gauss_seidel(const mus_shared_relaxation *r, int sweeps, const double *b, double *x) {
  const mus_colouring *colouring = &r->colouring;
  mus_fill(3 * (size_t)r->pattern->rows, 0, x);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int c = 0; c < colouring->colours; ++c) {
      int first = colouring->start[c], last = colouring->start[c + 1];
      MUS_PARALLEL_FOR_IF(last - first > MUS_PAR_MINIMUM)
      for (int k = first; k < last; ++k)
        relax(r, colouring->node[k], b, x);
    }
}

int mus_shared_pcg(mus_shared_relaxation *r, double tolerance, int iterations, const double *b, double *x) {
  size_t n = 3 * (size_t)r->pattern->rows;
  mus_fill(n, 0, x);
  mus_copy(n, b, r->left);
  mus_shared_jacobi(r, 1, r->left, r->z);
  mus_copy(n, r->z, r->along);
  double square = mus_dot(n, r->left, r->z), enough = tolerance * tolerance * square;
  int k = 0;
  for (; k < iterations && square > enough; ++k) {
    mus_shared_multiply(&r->matrix, r->along, r->turned);
    double curvature = mus_dot(n, r->along, r->turned);
    if (!(curvature > 0))
      break;
    mus_axpy(n, square / curvature, r->along, x);
    mus_axpy(n, -square / curvature, r->turned, r->left);
    mus_shared_jacobi(r, 1, r->left, r->z);
    double next = mus_dot(n, r->left, r->z);
    mus_xpay(n, r->z, next / square, r->along);
    square = next;
  }
  return k;
}
