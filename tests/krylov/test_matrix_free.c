// Conjugate gradients on operators that are no matrix: a stencil on a lattice, and vectors that the host cannot read.
// Nothing but base, par and krylov is needed.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "krylov/cg.h"
#include "par/par.h"
#include "par/vector.h"

enum { SIDE = 12, NODES = SIDE * SIDE * SIDE, LIMIT = 200 };

static const size_t stride[3] = {1, SIDE, (size_t)SIDE *SIDE};

// (L + shift I) x with the seven points of the Laplacian in three dimensions and zero beyond the edge.
typedef struct lattice {
  double shift;
} lattice;

static void multiply(const void *self, const double *x, double *y) {
  const lattice *l = self;
  MUS_PARALLEL_FOR
  for (int node = 0; node < NODES; ++node) {
    int at[3] = {node % SIDE, node / SIDE % SIDE, node / (SIDE * SIDE)};
    double sum = (6 + l->shift) * x[node];
    for (int c = 0; c < 3; ++c)
      sum -= (at[c] > 0 ? x[(size_t)node - stride[c]] : 0) + (at[c] < SIDE - 1 ? x[(size_t)node + stride[c]] : 0);
    y[node] = sum;
  }
}

static void divide_by_diagonal(void *self, const double *r, double *z) {
  const lattice *l = self;
  for (size_t k = 0; k < NODES; ++k)
    z[k] = r[k] / (6 + l->shift);
}

static mus_operator lattice_view(const lattice *l) {
  return (mus_operator){.space = &mus_host, .size = NODES, .self = l, .multiply = multiply};
}

// sin sin sin has its eigenvalue, so that the solution is known without any matrix.
static double wave(size_t node, double *eigenvalue) {
  const int mode[3] = {1, 3, 2};
  double value = 1;
  *eigenvalue = 0;
  for (size_t c = 0; c < 3; ++c) {
    double angle = mode[c] * acos(-1) / (SIDE + 1);
    value *= sin(angle * (double)(node / stride[c] % SIDE + 1));
    *eigenvalue += 2 - 2 * cos(angle);
  }
  return value;
}

static void a_stencil_is_solved_without_a_matrix(void **state) {
  (void)state;
  lattice l = {0.01};
  mus_operator a = lattice_view(&l);
  mus_preconditioner m = {.self = &l, .apply = divide_by_diagonal};
  mus_arena arena = {0};
  double *b = mus_arena_alloc(&arena, NODES, sizeof *b), *x = mus_arena_alloc_zero(&arena, NODES, sizeof *x);
  double *work = mus_arena_alloc(&arena, MUS_CG_VECTORS * NODES, sizeof *work), residuals[LIMIT + 1], eigenvalue;
  mus_cg_result result = {.residuals = residuals};
  mus_cg_options options = {.tolerance = 1e-12, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  for (size_t k = 0; k < NODES; ++k)
    b[k] = wave(k, &eigenvalue) * (eigenvalue + l.shift);
  assert_int_equal(mus_pcg(&a, NULL, &m, b, x, &options, work, &result), MUS_OK);
  assert_true(result.iterations >= 1 && result.iterations <= 2); // b is an eigenvector
  for (size_t k = 0; k < NODES; ++k)
    assert_true(fabs(x[k] - wave(k, &eigenvalue)) < 1e-11);
  mus_fill_random(NODES, 7, b);
  mus_fill(NODES, 0, x);
  assert_int_equal(mus_pcg(&a, NULL, &m, b, x, &options, work, &result), MUS_OK);
  assert_true(result.iterations > 10);
  mus_operator_residual(&a, b, x, work);
  assert_true(sqrt(mus_dot(NODES, work, work)) < 1e-10 * sqrt(mus_dot(NODES, b, b)));
  mus_arena_clear(&arena);
}

// Holds the layer of nodes at the bottom at a given height.
static void hold(double *x, double height) {
  for (size_t k = 0; k < stride[2]; ++k)
    x[k] = height;
}

static void project(const void *self, double *x) { (void)self, hold(x, 0); }
static void impose(const void *self, double *x) { hold(x, *(const double *)self); }

static void target(const void *self, double *x) {
  mus_fill(NODES, 0, x);
  impose(self, x);
}

static void a_projection_needs_no_filter(void **state) {
  (void)state;
  lattice l = {0};
  double height = 2.5;
  mus_operator a = lattice_view(&l);
  mus_preconditioner m = {.self = &l, .apply = divide_by_diagonal};
  mus_projection s = {&height, project, impose, target};
  mus_arena arena = {0};
  double *b = mus_arena_alloc_zero(&arena, NODES, sizeof *b), *x = mus_arena_alloc_zero(&arena, NODES, sizeof *x);
  double *work = mus_arena_alloc(&arena, MUS_CG_VECTORS * NODES, sizeof *work), residuals[LIMIT + 1];
  mus_cg_result result = {.residuals = residuals};
  mus_cg_options options = {.tolerance = 1e-12, .iterations = LIMIT, .stop = MUS_STOP_INITIAL};
  assert_int_equal(mus_mpcg(&a, &s, &m, 0, b, x, &options, work, &result), MUS_OK);
  assert_true(result.iterations > 5);
  mus_operator_residual(&a, b, x, work);
  for (size_t k = 0; k < NODES; ++k)
    if (k < stride[2])
      assert_true(x[k] == height);
    else
      assert_true(fabs(work[k]) < 1e-10 && x[k] > 0 && x[k] < height);
  mus_arena_clear(&arena);
}

// --- a device --------------------------------------------------------------------------------------------------------
// Addresses that belong to it cannot be read by the host: what lies there is in a shadow that only the device knows.

static char *device_memory, *device_shadow;
static size_t device_bytes, device_used;

static void *on_device(size_t bytes) {
  void *out = device_memory + device_used;
  device_used += (bytes + 63) / 64 * 64;
  assert_true(device_used <= device_bytes);
  return out;
}

// Where something of the device really lies.
static void *there(const void *address) { return device_shadow + ((const char *)address - device_memory); }

static double device_dot(size_t n, const double *x, const double *y) { return mus_dot(n, there(x), there(y)); }
static double device_dot_f(size_t n, const double *x, const float *y) { return mus_dot_f(n, there(x), there(y)); }
static double device_max_abs(size_t n, const double *x) { return mus_max_abs(n, there(x)); }
static void device_fill(size_t n, double value, double *x) { mus_fill(n, value, there(x)); }
static void device_copy(size_t n, const double *from, double *to) { mus_copy(n, there(from), there(to)); }
static void device_axpy(size_t n, double factor, const double *x, double *y) {
  mus_axpy(n, factor, there(x), there(y));
}
static void device_xpay(size_t n, const double *x, double factor, double *y) {
  mus_xpay(n, there(x), factor, there(y));
}
static void device_to_float(size_t n, double factor, const double *from, float *to) {
  mus_to_float(n, factor, there(from), there(to));
}
static double device_residual(size_t n, double alpha, const double *q, double *r) {
  return mus_cg_residual(n, alpha, there(q), there(r));
}
static double device_residual_f(size_t n, double alpha, const double *q, double *r, double factor, float *rounded) {
  return mus_cg_residual_f(n, alpha, there(q), there(r), factor, there(rounded));
}
static void device_advance(size_t n, double alpha, const double *z, double beta, double *x, double *p) {
  mus_cg_advance(n, alpha, there(z), beta, there(x), there(p));
}
static void device_advance_f(size_t n, double alpha, double factor, const float *z, double beta, double *x, double *p) {
  mus_cg_advance_f(n, alpha, factor, there(z), beta, there(x), there(p));
}

static const mus_space device = {device_dot,      device_dot_f,      device_max_abs, device_fill,
                                 device_copy,     device_axpy,       device_xpay,    device_to_float,
                                 device_residual, device_residual_f, device_advance, device_advance_f};

static void multiply_there(const void *self, const double *x, double *y) { multiply(self, there(x), there(y)); }
static void divide_there(void *self, const double *r, double *z) { divide_by_diagonal(self, there(r), there(z)); }

typedef struct single {
  double diagonal;
  float *right, *left;
  float *(*reach)(const float *address);
} single;

static float *here_f(const float *address) { return (float *)address; }
static float *there_f(const float *address) { return there(address); }

static const float *divide_single(void *self) {
  const single *s = self;
  const float *r = s->reach(s->right);
  float *z = s->reach(s->left);
  for (size_t k = 0; k < NODES; ++k)
    z[k] = r[k] / (float)s->diagonal;
  return s->left;
}

static void open_device(void) {
  device_bytes = 16 * NODES * sizeof(double);
  device_memory = mmap(NULL, device_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(device_memory != MAP_FAILED);
  device_shadow = mus_alloc_zero(device_bytes, 1);
  assert_non_null(device_shadow);
  device_used = 0;
}

static void close_device(void) {
  munmap(device_memory, device_bytes);
  mus_free(device_shadow);
}

// One solve in a space; the solution in `x` and the iterations. `b` and `x` are on the host.
static int solve_in(const mus_space *space, int in_single, const double *b, double *x) {
  mus_arena arena = {0};
  int far = space == &device;
  size_t bytes = NODES * sizeof(double);
  double *vectors = far ? on_device(6 * bytes) : mus_arena_alloc(&arena, 6 * NODES, sizeof(double));
  float *rounded = far ? on_device(bytes) : mus_arena_alloc(&arena, 2 * NODES, sizeof(float));
  double *right = vectors, *solution = vectors + NODES, *work = vectors + 2 * NODES, residuals[LIMIT + 1];
  lattice l = {0.3};
  single s = {6 + l.shift, rounded, rounded + NODES, far ? there_f : here_f};
  mus_operator a = {.space = space, .size = NODES, .self = &l, .multiply = far ? multiply_there : multiply};
  mus_preconditioner m = {.self = &l, .apply = far ? divide_there : divide_by_diagonal};
  if (in_single)
    m = (mus_preconditioner){.self = &s, .right = s.right, .apply_f = divide_single};
  memcpy(far ? there(right) : right, b, bytes);
  memcpy(far ? there(solution) : solution, x, bytes);
  mus_cg_result result = {.residuals = residuals};
  mus_cg_options options = {.tolerance = 1e-9, .iterations = LIMIT, .stop = MUS_STOP_RHS};
  assert_int_equal(mus_pcg(&a, NULL, &m, right, solution, &options, work, &result), MUS_OK);
  memcpy(x, far ? there(solution) : solution, bytes);
  mus_arena_clear(&arena);
  return result.iterations;
}

static void vectors_may_live_where_the_host_cannot_read(void **state) {
  (void)state;
  mus_arena arena = {0};
  double *b = mus_arena_alloc(&arena, NODES, sizeof *b), *x[2];
  mus_fill_random(NODES, 3, b);
  for (int in_single = 0; in_single < 2; ++in_single) {
    int iterations[2];
    open_device();
    for (int k = 0; k < 2; ++k) {
      x[k] = mus_arena_alloc(&arena, NODES, sizeof(double));
      mus_fill_random(NODES, 5, x[k]);
      iterations[k] = solve_in(k == 0 ? &mus_host : &device, in_single, b, x[k]);
    }
    close_device();
    assert_true(iterations[0] > 10);
    assert_int_equal(iterations[0], iterations[1]);
    assert_memory_equal(x[0], x[1], NODES * sizeof(double));
  }
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stencil_is_solved_without_a_matrix),
      cmocka_unit_test(a_projection_needs_no_filter),
      cmocka_unit_test(vectors_may_live_where_the_host_cannot_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
