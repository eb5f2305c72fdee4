// sa on a GPU beside AMGCL's CUDA back end, on the same systems: steps of a sheet that moves. Both stop at the same
// Euclidean residual, and all that a simulator pays for is counted: values, set-up, transfers, solve.
//
//   bench_cuda_peer VERTICES [STEPS [SETUPS]]      SETUPS: of "full,rebuild,keep", those that AMGCL is to be tried with
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amgcl_cuda.h"
#include "base/timer.h"
#include "sheet_system.h"

enum { STEPS_MOST = 64 };
static const char *const setup_name[PEER_SETUPS] = {"full", "rebuild", "keep"};

// The system with what is held taken out, as a scalar matrix.
typedef struct scalar {
  int rows, *row_start, *column;
  double *values, *b, *kernel;
  unsigned char *held; // by node
} scalar;

static void *take(size_t count, size_t size) {
  void *p = calloc(count, size);
  if (!p) {
    fprintf(stderr, "bench_cuda_peer: out of memory\n");
    exit(1);
  }
  return p;
}

static scalar scalar_pattern(const sheet_system *s) {
  const mus_pattern *p = s->pattern;
  scalar m = {.rows = 3 * s->rows};
  size_t blocks = (size_t)p->row_start[p->rows];
  m.row_start = take((size_t)m.rows + 1, sizeof(int));
  m.column = take(9 * blocks, sizeof(int));
  m.values = take(9 * blocks, sizeof(double));
  m.b = take((size_t)m.rows, sizeof(double));
  m.kernel = take(6 * (size_t)m.rows, sizeof(double));
  m.held = take((size_t)s->rows, 1);
  for (int k = 0; k < s->constraint_count; ++k)
    m.held[s->constraint[k].node] = 1;
  int at = 0;
  for (int row = 0; row < m.rows; ++row) {
    m.row_start[row] = at;
    for (int k = p->row_start[row / 3]; k < p->row_start[row / 3 + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        m.column[at++] = 3 * p->column[k] + c;
  }
  m.row_start[m.rows] = at;
  return m;
}

static void fill_values(const sheet_system *s, scalar *m) {
  const mus_pattern *p = s->pattern;
  double *to = m->values, scale = fabs(s->a.value[0]);
  for (int row = 0; row < m->rows; ++row) {
    int i = row / 3, r = row % 3;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
      for (int c = 0; c < 3; ++c) {
        int j = p->column[k], held = m->held[i] || m->held[j];
        *to++ = held ? (i == j && r == c ? scale : 0) : s->a.value[9 * (size_t)k + (size_t)(3 * r + c)];
      }
    m->b[row] = m->held[i] ? 0 : s->b[row];
  }
}

static void fill_kernel(const sheet_system *s, scalar *m) {
  for (int i = 0; i < s->rows; ++i) {
    const double *x = s->position + 3 * (size_t)i;
    const double motion[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 6; ++c)
        m->kernel[6 * (3 * (size_t)i + (size_t)r) + (size_t)c] = m->held[i] ? 0 : motion[c][r];
  }
}

// The sheet a step later.
static void move(sheet_system *s, int step) {
  for (int i = 0; i < s->rows; ++i)
    s->position[3 * i + 1] += 5e-4 * sin(7 * s->position[3 * i] + 3 * s->position[3 * i + 2] + step);
  if (sheet_system_assemble(s))
    exit(1);
}

static double median(int n, double *t) {
  for (int i = 1; i < n; ++i)
    for (int k = i; k > 0 && t[k] < t[k - 1]; --k) {
      double kept = t[k];
      t[k] = t[k - 1];
      t[k - 1] = kept;
    }
  return t[n / 2];
}

typedef struct timing {
  double setup[STEPS_MOST], solve[STEPS_MOST], total[STEPS_MOST], first, residual;
  int iterations;
} timing;

static void print(const char *name, int steps, timing *t) {
  printf("%-22s %10d %11.2f %11.2f %11.2f %13.1f %12.1e\n", name, t->iterations, 1e3 * median(steps, t->setup),
         1e3 * median(steps, t->solve), 1e3 * median(steps, t->total), 1e3 * t->first, t->residual);
  fflush(stdout);
}

static sheet_system make(int vertices, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  sheet_system s;
  options.side = (int)lround(sqrt(vertices));
  options.boundary = boundary;
  if (sheet_system_create(&options, &s)) {
    fprintf(stderr, "bench_cuda_peer: %s\n", mus_last_error());
    exit(1);
  }
  return s;
}

// Returns the greatest true residual of the steps, which the peer is to reach too.
static double run_ours(int vertices, int steps, sheet_boundary boundary) {
  mus_solver_options options = mus_preset_solver_options(MUS_PRESET_FAST);
  sheet_system s = make(vertices, boundary);
  mus_solver *solver = NULL;
  timing t = {.residual = 0};
  double *x = take(3 * (size_t)s.rows, sizeof *x);
  options.device = MUS_DEVICE_CUDA;
  mus_status status = mus_solver_create(&options, &solver);
  if (!status)
    status = mus_solver_set_pattern(solver, s.rows, 3, s.pattern->row_start, s.pattern->column);
  for (int step = 0; step <= steps && !status; ++step) {
    double begin = mus_seconds();
    memset(x, 0, 3 * (size_t)s.rows * sizeof *x);
    status = mus_solver_set_values(solver, s.a.value);
    if (!status)
      status = mus_solver_set_coordinates(solver, s.position);
    if (!status)
      status = mus_solver_set_constraints(solver, s.constraint_count, s.constraint);
    if (!status)
      status = mus_solver_solve(solver, s.b, x);
    double taken = mus_seconds() - begin;
    const mus_solve_record *record = mus_solver_record(solver);
    if (step == 0) {
      t.first = taken;
    } else {
      t.setup[step - 1] = record->setup_seconds;
      t.solve[step - 1] = record->solve_seconds;
      t.total[step - 1] = taken;
      t.iterations = record->iterations;
      t.residual = fmax(t.residual, record->true_residual);
    }
    move(&s, step);
  }
  if (status)
    fprintf(stderr, "bench_cuda_peer: %s\n", mus_last_error());
  else
    print("muslin, sa:cuda", steps, &t);
  mus_solver_free(solver);
  sheet_system_free(&s);
  free(x);
  return t.residual;
}

static void run_peer(int vertices, int steps, sheet_boundary boundary, int chebyshev, peer_setup setup,
                     double tolerance) {
  sheet_system s = make(vertices, boundary);
  scalar m = scalar_pattern(&s);
  timing t = {.residual = tolerance};
  char name[64];
  int good = 1;
  fill_kernel(&s, &m);
  peer_options options = {
      .setup = setup, .chebyshev = chebyshev, .count = 6, .kernel = m.kernel, .tolerance = tolerance};
  peer *p = peer_create(&options, m.rows, m.row_start, m.column);
  double *x = take((size_t)m.rows, sizeof *x);
  for (int step = 0; step <= steps && p && good; ++step) {
    double setup_s, solve_s;
    fill_values(&s, &m);
    int iterations = peer_solve(p, m.values, m.b, x, &setup_s, &solve_s);
    good = iterations >= 0;
    if (step == 0) {
      t.first = setup_s + solve_s;
    } else {
      t.setup[step - 1] = setup_s;
      t.solve[step - 1] = solve_s;
      t.total[step - 1] = setup_s + solve_s;
      t.iterations = iterations;
    }
    move(&s, step);
  }
  snprintf(name, sizeof name, "amgcl, %s, %s", chebyshev ? "chebyshev" : "spai0", setup_name[setup]);
  if (p && good)
    print(name, steps, &t);
  else
    printf("%-22s failed\n", name);
  peer_free(p);
  free(m.row_start);
  free(m.column);
  free(m.values);
  free(m.b);
  free(m.kernel);
  free(m.held);
  free(x);
  sheet_system_free(&s);
}

int main(int argc, char **argv) {
  int vertices = argc > 1 ? atoi(argv[1]) : 40401, steps = argc > 2 ? atoi(argv[2]) : 10;
  const char *setups = argc > 3 ? argv[3] : "full,rebuild,keep";
  if (vertices < 100 || steps < 1 || steps > STEPS_MOST) {
    fprintf(stderr, "usage: bench_cuda_peer VERTICES [STEPS [SETUPS]], with 100 vertices or more and 1 to %d steps\n",
            STEPS_MOST);
    return 2;
  }
  for (int boundary = SHEET_PINNED; boundary <= SHEET_DROOPING; ++boundary) {
    printf("%s, %d vertices, medians of %d steps, ms\n%-22s %10s %11s %11s %11s %13s %12s\n",
           boundary == SHEET_PINNED ? "pinned" : "drooping", vertices, steps, "", "iterations", "set-up", "solve",
           "step", "first step", "residual");
    double reached = run_ours(vertices, steps, (sheet_boundary)boundary);
    for (int setup = 0; setup < PEER_SETUPS && reached > 0; ++setup)
      for (int chebyshev = 0; chebyshev < 2 && strstr(setups, setup_name[setup]); ++chebyshev)
        run_peer(vertices, steps, (sheet_boundary)boundary, chebyshev, (peer_setup)setup, reached);
  }
  return 0;
}
