// How stiff a sheet of hinges is in bending, by kind of mesh and direction.
//
// A sheet that repeats itself is given the curvature of a cylinder; each vertex then moves up or down until the energy
// is least. What is left is the plate's energy per area, 1/2 B(phi) curvature^2, for the axis' direction phi. The
// hinges' weights are made for B = 1.
#include "energy/check.h"

#include "energy/bend.h"

enum { SIDE = 10, VERTICES = SIDE * SIDE, TRIANGLES = 2 * VERTICES };

typedef enum pattern { ALTERNATING, PARALLEL, EQUILATERAL, IRREGULAR } pattern;

// Vertices in one period of the sheet, and triangles whose corners may lie in the next one.
typedef struct sheet {
  double place[VERTICES][2];
  double period[2][2];
  int corner[TRIANGLES][3];
  int shift[TRIANGLES][3][2]; // in periods
} sheet;

static void corner_place(const sheet *s, int t, int k, double *x) {
  for (int m = 0; m < 2; ++m)
    x[m] = s->place[s->corner[t][k]][m] + s->shift[t][k][0] * s->period[0][m] + s->shift[t][k][1] * s->period[1][m];
}

static void add_square(sheet *s, int i, int j, int rises) {
  static const int halves[2][2][3] = {{{0, 1, 3}, {1, 2, 3}}, {{0, 1, 2}, {0, 2, 3}}};
  static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 3; ++k) {
      int t = 2 * (i * SIDE + j) + half, to_i = i + step[halves[rises][half][k]][0],
          to_j = j + step[halves[rises][half][k]][1];
      s->corner[t][k] = to_i % SIDE * SIDE + to_j % SIDE;
      s->shift[t][k][0] = to_i / SIDE;
      s->shift[t][k][1] = to_j / SIDE;
    }
}

static double diagonal(sheet *s, int i, int j, int rises) {
  double a[2], b[2];
  add_square(s, i, j, rises);
  corner_place(s, 2 * (i * SIDE + j), rises ? 0 : 1, a);
  corner_place(s, 2 * (i * SIDE + j), 2, b);
  return hypot(b[0] - a[0], b[1] - a[1]);
}

static sheet *sheet_create(pattern kind) {
  sheet *s = calloc(1, sizeof *s);
  double lean = kind == EQUILATERAL ? 0.5 : 0, height = kind == EQUILATERAL ? sqrt(0.75) : 1;
  s->period[0][0] = SIDE, s->period[1][0] = SIDE * lean, s->period[1][1] = SIDE * height;
  for (int v = 0; v < VERTICES; ++v) {
    s->place[v][0] = v / SIDE + lean * (v % SIDE) + (kind == IRREGULAR ? 0.25 * mus_random(1, (uint64_t)(2 * v)) : 0);
    s->place[v][1] = height * (v % SIDE) + (kind == IRREGULAR ? 0.25 * mus_random(1, (uint64_t)(2 * v + 1)) : 0);
  }
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      int rises = kind == PARALLEL || (kind == ALTERNATING && (i + j) % 2 == 0) ||
                  (kind == IRREGULAR && diagonal(s, i, j, 1) < diagonal(s, i, j, 0));
      add_square(s, i, j, rises);
    }
  return s;
}

// The triangle on the other side of side k of t and its third corner; the shift that brings it there.
static int neighbour(const sheet *s, int t, int k, int *third, int *shift) {
  const int *from = s->shift[t][(k + 1) % 3], *to = s->shift[t][(k + 2) % 3];
  for (int u = 0; u < TRIANGLES; ++u)
    for (int m = 0; m < 3; ++m) {
      const int *other_from = s->shift[u][(m + 1) % 3], *other_to = s->shift[u][(m + 2) % 3];
      for (int n = 0; n < 2; ++n)
        shift[n] = from[n] - other_to[n];
      *third = m;
      if (s->corner[u][(m + 1) % 3] == s->corner[t][(k + 2) % 3] &&
          s->corner[u][(m + 2) % 3] == s->corner[t][(k + 1) % 3] && shift[0] == to[0] - other_from[0] &&
          shift[1] == to[1] - other_from[1])
        return u;
    }
  fail_msg("triangle %d has no neighbour", t);
  return -1;
}

static double apex_cosine(const double *x, int corner) {
  double a[3], b[3];
  mus_subtract3(x, x + 3 * corner, a);
  mus_subtract3(x + 3, x + 3 * corner, b);
  return mus_dot3(a, b) / sqrt(mus_dot3(a, a) * mus_dot3(b, b));
}

// The sum over hinges of w (theta(curvature) + g . z)^2: its matrix in z, its mixed and its pure part in the curvature
// (k_xx, k_yy, k_xy).
typedef struct quadratic {
  double zz[VERTICES * VERTICES], zk[VERTICES * 3], kk[9];
} quadratic;

static void add_hinge(const sheet *s, int t, int k, quadratic *q) {
  int third, shift[2], other = neighbour(s, t, k, &third, shift);
  int vertex[4] = {s->corner[t][(k + 1) % 3], s->corner[t][(k + 2) % 3], s->corner[t][k], s->corner[other][third]};
  double x[12] = {0}, g[12], response[3] = {0, 0, 0};
  mus_hinge_state state;
  for (int n = 0; n < 3; ++n)
    corner_place(s, t, (k + 1 + n) % 3, x + 3 * n);
  corner_place(s, other, third, x + 9);
  for (int m = 0; m < 2; ++m)
    x[9 + m] += shift[0] * s->period[0][m] + shift[1] * s->period[1][m];
  mus_hinge_state_make(x, &state);
  mus_hinge_gradient(&state, g);
  double areas = state.length * (sqrt(state.side[0].square) + sqrt(state.side[1].square)) / 2;
  double weight = mus_hinge_shape(state.length, areas, (apex_cosine(x, 2) + apex_cosine(x, 3)) / 2);
  for (int n = 0; n < 4; ++n) {
    double u = x[3 * n] - x[0], v = x[3 * n + 1] - x[1];
    response[0] += g[3 * n + 2] * u * u / 2;
    response[1] += g[3 * n + 2] * v * v / 2;
    response[2] += g[3 * n + 2] * u * v;
  }
  for (int n = 0; n < 4; ++n) {
    for (int m = 0; m < 4; ++m)
      q->zz[vertex[n] * VERTICES + vertex[m]] += weight * g[3 * n + 2] * g[3 * m + 2];
    for (int c = 0; c < 3; ++c)
      q->zk[c * VERTICES + vertex[n]] += weight * g[3 * n + 2] * response[c];
  }
  for (int c = 0; c < 9; ++c)
    q->kk[c] += weight * response[c / 3] * response[c % 3];
}

// The least and the largest B(phi).
static void stiffness_range(pattern kind, const char *name, double *least, double *largest) {
  sheet *s = sheet_create(kind);
  quadratic *q = calloc(1, sizeof *q);
  double z[3][VERTICES], plate[9], area = s->period[0][0] * s->period[1][1];
  for (int t = 0; t < TRIANGLES; ++t)
    for (int k = 0; k < 3; ++k)
      add_hinge(s, t, k, q); // each of them twice
  for (int v = 0; v < VERTICES; ++v)
    q->zz[v * (VERTICES + 1)] += 1e-9; // a sheet may float up
  for (int c = 0; c < 3; ++c)
    dense_solve(VERTICES, q->zz, q->zk + c * VERTICES, z[c]);
  for (int c = 0; c < 9; ++c) {
    plate[c] = q->kk[c];
    for (int v = 0; v < VERTICES; ++v)
      plate[c] -= q->zk[c / 3 * VERTICES + v] * z[c % 3][v];
    plate[c] /= 2 * area;
  }
  *least = INFINITY, *largest = 0;
  for (int step = 0; step < 36; ++step) {
    double c = cos(step * MUS_PI / 36), d = sin(step * MUS_PI / 36), k[3] = {c * c, d * d, c * d}, b = 0;
    for (int n = 0; n < 9; ++n)
      b += k[n / 3] * plate[n] * k[n % 3];
    *least = fmin(*least, b);
    *largest = fmax(*largest, b);
  }
  print_message("%s: B is %.3f to %.3f times what it says\n", name, *least, *largest);
  free(q);
  free(s);
}

// Equilateral triangles are exact; squares and irregular triangles are near; squares that are all halved alike are
// stiff across their diagonals, whatever the weights.
static void stiffness_by_mesh(void **state) {
  (void)state;
  double least, largest;
  stiffness_range(EQUILATERAL, "equilateral", &least, &largest);
  check_near(least, 1, 1e-6);
  check_near(largest, 1, 1e-6);
  stiffness_range(ALTERNATING, "alternating", &least, &largest);
  assert_true(least > 0.87 && largest < 0.90);
  stiffness_range(IRREGULAR, "irregular", &least, &largest);
  assert_true(least > 0.94 && largest < 1.27);
  stiffness_range(PARALLEL, "parallel", &least, &largest);
  assert_true(least > 0.58 && largest < 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stiffness_by_mesh)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
