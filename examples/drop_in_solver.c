// muslin as the linear solver inside another simulator. The simulator here is a rope of masses and elastic cords, held
// at one end, which swings down from the horizontal and comes to rest, by implicit Euler with a growing time step h:
//
//   (M + h^2 K) dv = h (f(x) - h K v),   v += dv,   x += h v
//
// A cord pulls by stiffness times its length, and the first of n carries n masses, the last one: at rest the rope is
// m g n (n + 1) / (2 stiffness) long. The exit status is 1 when it is not.
#include <math.h>
#include <muslin/muslin.h>
#include <stdio.h>

enum { NODES = 1001, N = 3 * NODES };
static const double mass = 1e-3, stiffness = 5e3, gravity[3] = {0, -9.81, 0}; // kg, N/m, m/s^2
static double x[N], v[N], dv[N], b[N], values[9 * N];
static int row_start[NODES + 1], column[N];

// Fills values and b. A node's three unknowns are coupled to the same ones of its one or two neighbours.
static void assemble(double h) {
  for (int i = 0; i < N; ++i) {
    b[i] = h * mass * gravity[i % 3];
    for (int k = row_start[i / 3]; k < row_start[i / 3 + 1]; ++k) {
      int j = 3 * column[k] + i % 3, neighbours = row_start[i / 3 + 1] - row_start[i / 3] - 1;
      values[9 * k + 4 * (i % 3)] = j == i ? mass + neighbours * h * h * stiffness : -h * h * stiffness;
      b[i] += h * stiffness * (x[j] - x[i] + h * (v[j] - v[i]));
    }
  }
}

int main(void) {
  for (int i = 0, blocks = 0; i < NODES; row_start[++i] = blocks) {
    x[3 * i] = 1e-3 * i;
    for (int j = i > 0 ? i - 1 : 0; j < NODES && j <= i + 1; ++j)
      column[blocks++] = j;
  }
  // The first node is held: its velocity changes by zero in all three directions.
  mus_constraint held = {.node = 0, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .value = {0, 0, 0}};
  mus_solver_options options = mus_default_solver_options();
  mus_solver *solver = NULL;
  // Once: the pattern, where the nodes are (again when they have moved so much that the matrix shows it), what is held.
  int failed = mus_solver_create(&options, &solver) || mus_solver_set_pattern(solver, NODES, 3, row_start, column) ||
               mus_solver_set_coordinates(solver, x) || mus_solver_set_constraints(solver, 1, &held);
  for (double h = 0.05; h < 1.5 && !failed; h += 0.05) {
    assemble(h);
    failed = mus_solver_set_values(solver, values) || mus_solver_solve(solver, b, dv); // every step
    for (int i = 0; i < N; ++i)
      x[i] += h * (v[i] += dv[i]);
    printf("%2d iterations: the end is at %9.6f, %9.6f\n", mus_solver_record(solver)->iterations, x[N - 3], x[N - 2]);
  }
  puts(failed ? mus_last_error() : "done");
  mus_solver_free(solver);
  return failed || fabs(x[N - 2] / (mass * gravity[1] * NODES * (NODES - 1) / (2 * stiffness)) - 1) > 1e-4;
}
