// Solving on a device that is emulated: the kernels run over a loop of blocks and threads (cuda/launch.h). With
// MUSLIN_TEST_DEVICE=cuda, the same on the device that there is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda/emulated.h"
#include "solve/near_kernel.h"
#include "support/check.h"
#include "support/given.h"

static int on_real_device(void) {
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  return asked && strcmp(asked, "cuda") == 0;
}

static void use_device(void) { mus_device_use(on_real_device() ? NULL : mus_emulated_stages()); }

static mus_solver_options options_of(mus_preset preset, mus_device_choice device) {
  mus_solver_options options = mus_preset_solver_options(preset);
  options.device = device;
  options.multigrid.bottom = 60; // small sheets have several levels then
  return options;
}

static sheet_system sheet_of(int side, sheet_boundary boundary) {
  sheet_options options = sheet_default_options();
  sheet_system sheet;
  options.side = side;
  options.boundary = boundary;
  assert_ok(sheet_system_create(&options, &sheet));
  return sheet;
}

// The sheet a little later.
static void move(sheet_system *sheet, double by) {
  for (int i = 0; i < sheet->rows; ++i)
    sheet->position[3 * i + 1] += by * sin(7 * sheet->position[3 * i] + 3 * sheet->position[3 * i + 2]);
  assert_ok(sheet_system_assemble(sheet));
}

static mus_solver *solver_for(const sheet_system *s, const mus_solver_options *options) {
  mus_solver *solver = NULL;
  assert_ok(mus_solver_create(options, &solver));
  assert_ok(mus_solver_set_pattern(solver, s->rows, 3, s->pattern->row_start, s->pattern->column));
  return solver;
}

static mus_status solve(mus_solver *solver, const sheet_system *s, double *x) {
  assert_ok(mus_solver_set_values(solver, s->a.value));
  assert_ok(mus_solver_set_coordinates(solver, s->position));
  assert_ok(mus_solver_set_constraints(solver, s->constraint_count, s->constraint));
  memset(x, 0, 3 * (size_t)s->rows * sizeof *x);
  return mus_solver_solve(solver, s->b, x);
}

static double *vector_of(const sheet_system *s) {
  double *x = calloc(3 * (size_t)s->rows, sizeof *x);
  assert_non_null(x);
  return x;
}

// --- the same answers ------------------------------------------------------------------------------------------------

// Several steps, so that the device renews.
static void check_like_cpu(mus_preset preset, int side, sheet_boundary boundary) {
  mus_solver_options here = options_of(preset, MUS_DEVICE_CPU), there = options_of(preset, MUS_DEVICE_CUDA);
  here.tolerance = there.tolerance = 1e-9;
  if (preset == MUS_PRESET_FAST)
    here.setup = MUS_SETUP_COARSE; // the device renews each time
  sheet_system sheet = sheet_of(side, boundary);
  mus_solver *cpu = solver_for(&sheet, &here), *gpu = solver_for(&sheet, &there);
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  for (int step = 0; step < 3; ++step) {
    assert_ok(solve(cpu, &sheet, x));
    assert_ok(solve(gpu, &sheet, y));
    const mus_solve_record *a = mus_solver_record(cpu), *b = mus_solver_record(gpu);
    double off = dense_difference(3 * sheet.rows, y, x);
    if (!(off <= 1e-6))
      fail_msg("step %d: the solution is off by %g", step, off);
    // It has polynomials for sweeps.
    if (b->iterations > a->iterations * (preset == MUS_PRESET_FAST ? 1.5 : 1) + 2)
      fail_msg("step %d: %d iterations on the CPU, %d on the device", step, a->iterations, b->iterations);
    assert_true(*b->device && b->device_bytes > 0 && !*a->device);
    assert_true(b->true_residual < 1e-6);
    move(&sheet, 0.002);
  }
  mus_solver_free(cpu);
  mus_solver_free(gpu);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

static void fast_solves_as_on_the_cpu(void **state) {
  (void)state;
  check_like_cpu(MUS_PRESET_FAST, 33, SHEET_DROOPING);
  check_like_cpu(MUS_PRESET_FAST, 20, SHEET_PINNED);
  check_like_cpu(MUS_PRESET_FAST, 15, SHEET_FREE);
}

// As MUS_MOTIONS_AUTO has it, but for what the CPU alone knows: sweeps, and clusters of vertices.
static mus_solver_options plain_options(mus_device_choice device) {
  mus_solver_options options = options_of(MUS_PRESET_FAST, device);
  options.sa.motions = MUS_MOTIONS_RIGID;
  options.sa.reach = 2;
  options.sa.strength = 0.48;
  options.multigrid.smoother_order *= 2;
  snprintf(options.multigrid.smoother, sizeof options.multigrid.smoother, "chebyshev");
  return options;
}

// Prolongators are the CPU's, and so are iterations.
static void check_iterations(int side, sheet_boundary boundary, double stretch) {
  sheet_options sheet_is = sheet_default_options();
  sheet_is.side = side;
  sheet_is.boundary = boundary;
  sheet_is.stretch *= stretch;
  sheet_system sheet;
  assert_ok(sheet_system_create(&sheet_is, &sheet));
  mus_solver_options here = plain_options(MUS_DEVICE_CPU), there = plain_options(MUS_DEVICE_CUDA);
  mus_solver *cpu = solver_for(&sheet, &here), *gpu = solver_for(&sheet, &there);
  double *x = vector_of(&sheet);
  assert_ok(solve(cpu, &sheet, x));
  assert_ok(solve(gpu, &sheet, x));
  int own = mus_solver_record(cpu)->iterations, other = mus_solver_record(gpu)->iterations;
  if (other > 1.1 * own + 1 || own > 1.1 * other + 1)
    fail_msg("%d vertices, stretch times %g: %d iterations on the CPU, %d on the device", sheet.rows, stretch, own,
             other);
  mus_solver_free(cpu);
  mus_solver_free(gpu);
  free(x);
  sheet_system_free(&sheet);
}

static void stiff_sheets_take_the_iterations_of_the_cpu(void **state) {
  (void)state;
  check_iterations(61, SHEET_DROOPING, 1);
  check_iterations(61, SHEET_DROOPING, 1000);
  check_iterations(61, SHEET_PINNED, 1000);
  check_iterations(41, SHEET_DROOPING, 10000);
}

// Where a sheet hardly moves, the finest level is what most solves renew; other prolongators are made where more is
// held.
static void hierarchies_are_kept_as_far_as_that_pays(void **state) {
  (void)state;
  enum { STEPS = 10 };
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(33, SHEET_DROOPING);
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet);
  int finest = 0, first = 0;
  for (int step = 0; step < STEPS; ++step) {
    assert_ok(solve(solver, &sheet, x));
    const mus_solve_record *record = mus_solver_record(solver);
    first = step == 0 ? record->iterations : first;
    assert_string_equal(step == 0 ? "all" : record->setup, record->setup);
    finest += strcmp(record->setup, "finest") == 0;
    assert_in_range(record->iterations, 1, first + 3);
    assert_true(record->true_residual < 1e-3);
    move(&sheet, 1e-5);
  }
  assert_in_range(finest, STEPS / 2, STEPS);
  mus_constraint *more = malloc(((size_t)sheet.constraint_count + 1) * sizeof *more);
  assert_non_null(more);
  memcpy(more, sheet.constraint, (size_t)sheet.constraint_count * sizeof *more);
  more[sheet.constraint_count] = (mus_constraint){.node = sheet.rows / 2, .count = 1, .direction = {{0, 1, 0}}};
  assert_ok(mus_solver_set_constraints(solver, sheet.constraint_count + 1, more));
  free(more);
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_string_equal(mus_solver_record(solver)->setup, "numbers");
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

// The host's hierarchy is set up for new values, and then the device has to solve with these.
static void what_the_host_prepares_is_not_what_the_device_has(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(21, SHEET_FREE);
  size_t count = 9 * (size_t)mus_pattern_blocks(sheet.pattern), n = 3 * (size_t)sheet.rows;
  options.tolerance = 1e-9;
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet), *y = vector_of(&sheet), *values = malloc(count * sizeof *values);
  assert_non_null(values);
  for (size_t k = 0; k < count; ++k)
    values[k] = 4 * sheet.a.value[k];
  assert_ok(solve(solver, &sheet, x));
  assert_ok(mus_solver_set_values(solver, values));
  assert_ok(mus_solver_prepare(solver));
  assert_ok(mus_solver_solve(solver, sheet.b, y));
  for (size_t k = 0; k < n; ++k)
    y[k] *= 4;
  assert_true(dense_difference((int)n, y, x) < 1e-6);
  mus_solver_free(solver);
  free(values);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

// Six vectors, then three, of which the host makes its hierarchy anew.
static void fewer_vectors_make_another_hierarchy_there(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  size_t n = 3 * (size_t)sheet.rows;
  double *x = vector_of(&sheet), *vectors = malloc(6 * n * sizeof *vectors), *three = malloc(3 * n * sizeof *three);
  assert_true(vectors && three);
  options.sa.motions = MUS_MOTIONS_TRANSLATIONS;
  mus_rigid_motions(sheet.rows, sheet.position, vectors);
  memcpy(three, vectors, 3 * n * sizeof *three);
  mus_solver *solver = solver_for(&sheet, &options);
  assert_ok(mus_solver_set_values(solver, sheet.a.value));
  assert_ok(mus_solver_set_constraints(solver, sheet.constraint_count, sheet.constraint));
  assert_ok(mus_solver_set_kernel(solver, 6, vectors));
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_ok(mus_solver_set_kernel(solver, 3, three));
  assert_ok(mus_solver_prepare(solver));
  assert_ok(mus_solver_set_values(solver, sheet.a.value));
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_true(*mus_solver_record(solver)->device);
  mus_solver_free(solver);
  free(vectors);
  free(three);
  free(x);
  sheet_system_free(&sheet);
}

static void robust_and_paper_solve_as_on_the_cpu(void **state) {
  (void)state;
  check_like_cpu(MUS_PRESET_ROBUST, 21, SHEET_DROOPING);
  check_like_cpu(MUS_PRESET_PAPER, 21, SHEET_PINNED);
}

// Values and vectors that stay on the device, without anything that was set on the host but constraints.
static void systems_are_solved_where_they_are(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(25, SHEET_DROOPING);
  options.tolerance = 1e-9;
  mus_solver *there = solver_for(&sheet, &options);
  options.device = MUS_DEVICE_CPU;
  mus_solver *here = solver_for(&sheet, &options);
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  mus_device_system system = {.values = sheet.a.value, .coordinates = sheet.position, .b = sheet.b, .x = x};
  assert_int_equal(mus_solver_solve_device(here, &system), MUS_UNSUPPORTED);
  for (int step = 0; step < 4; ++step) {
    for (int k = 0; k < sheet.constraint_count && step > 0; ++k) // held elsewhere
      sheet.constraint[k].value[0] += 0.01;
    assert_ok(solve(here, &sheet, y));
    assert_ok(mus_solver_set_constraints(there, sheet.constraint_count, sheet.constraint));
    assert_ok(mus_solver_solve_device(there, &system));
    double off = dense_difference(3 * sheet.rows, x, y);
    if (!(off <= 1e-6))
      fail_msg("step %d: the solution is off by %g", step, off);
    assert_true(mus_solver_record(there)->true_residual < 1e-6);
    assert_true(*mus_solver_record(there)->device);
    move(&sheet, 0.002);
  }
  assert_int_equal(mus_solver_solve(there, sheet.b, x), MUS_BAD_INPUT); // the host has no values
  assert_ok(mus_solver_set_values(there, sheet.a.value));
  assert_ok(mus_solver_solve(there, sheet.b, x));
  system.b = NULL;
  assert_int_equal(mus_solver_solve_device(there, &system), MUS_BAD_INPUT);
  mus_solver_free(here);
  mus_solver_free(there);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

static void one_level_is_solved_directly(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(5, SHEET_DROOPING);
  options.multigrid.bottom = 600;
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet);
  assert_ok(solve(solver, &sheet, x));
  assert_true(mus_solver_record(solver)->iterations <= 2);
  assert_int_equal(mus_solver_record(solver)->levels, 1);
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

static void bits_are_the_same_twice(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(31, SHEET_DROOPING);
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  for (int k = 0; k < 2; ++k) {
    mus_solver *solver = solver_for(&sheet, &options);
    assert_ok(solve(solver, &sheet, k == 0 ? x : y));
    mus_solver_free(solver);
  }
  assert_memory_equal(x, y, 3 * (size_t)sheet.rows * sizeof *x);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

// A guess, norms relative to the right-hand side, and one that is the solution.
static void guesses_save_iterations(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  options.stop = MUS_STOP_RHS;
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet);
  assert_ok(solve(solver, &sheet, x));
  int from_zero = mus_solver_record(solver)->iterations;
  assert_true(from_zero > 1);
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_int_equal(mus_solver_record(solver)->iterations, 0);
  for (int i = 0; i < 3 * sheet.rows; ++i)
    x[i] *= 1.001;
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_in_range(mus_solver_record(solver)->iterations, 1, from_zero - 1);
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

// What is held changes from one solve to the next.
static void constraints_come_and_go(void **state) {
  (void)state;
  mus_solver_options here = options_of(MUS_PRESET_FAST, MUS_DEVICE_CPU), there = here;
  there.device = MUS_DEVICE_CUDA;
  here.tolerance = there.tolerance = 1e-9;
  sheet_system sheet = sheet_of(25, SHEET_DROOPING);
  mus_solver *cpu = solver_for(&sheet, &here), *gpu = solver_for(&sheet, &there);
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  mus_constraint *all = malloc(((size_t)sheet.constraint_count + 2) * sizeof *all), *own = sheet.constraint;
  assert_non_null(all);
  memcpy(all, own, (size_t)sheet.constraint_count * sizeof *all);
  int count = sheet.constraint_count;
  for (int step = 0; step < 4; ++step) {
    int middle = 25 * 12 + 12;
    all[count] = (mus_constraint){.node = middle, .count = 1, .direction = {{0, 1, 0}}, .value = {0.001}};
    all[count + 1] = (mus_constraint){.node = middle + 3, .count = 2, .direction = {{1, 1, 0}, {0, 1, 1}}};
    sheet.constraint = all;
    sheet.constraint_count = step % 2 == 1 ? count + 2 : count;
    assert_ok(solve(cpu, &sheet, x));
    assert_ok(solve(gpu, &sheet, y));
    double off = dense_difference(3 * sheet.rows, y, x);
    if (!(off <= 1e-6))
      fail_msg("step %d: the solution is off by %g", step, off);
  }
  sheet.constraint = own;
  sheet.constraint_count = count;
  mus_solver_free(cpu);
  mus_solver_free(gpu);
  free(all);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

// --- what does not run there -----------------------------------------------------------------------------------------

static void stops_that_are_missing_there_are_said(void **state) {
  (void)state;
  for (int stop = MUS_STOP_EUCLIDEAN; stop <= MUS_STOP_ENERGY; ++stop)
    for (int device = MUS_DEVICE_CUDA; device <= MUS_DEVICE_AUTO; ++device) {
      mus_solver_options options = options_of(MUS_PRESET_FAST, (mus_device_choice)device);
      options.stop = (mus_stop)stop;
      sheet_system sheet = sheet_of(11, SHEET_DROOPING);
      double *x = vector_of(&sheet);
      mus_solver *solver = solver_for(&sheet, &options);
      if (device == MUS_DEVICE_CUDA)
        assert_fails(solve(solver, &sheet, x), MUS_UNSUPPORTED, "the stops \"euclidean\" and \"energy\"");
      else
        assert_ok(solve(solver, &sheet, x));
      mus_solver_free(solver);
      free(x);
      sheet_system_free(&sheet);
    }
}

// They come, change and go, between free nodes and to held ones that move.
static void couplings_are_solved_with(void **state) {
  (void)state;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  const int node[3][3] = {{100, 300, 210}, {0, 301, 0}, {20, 220, 260}};
  const double weight[3] = {1, -0.4, -0.6};
  const mus_coupling spring[] = {{3, node[0], weight, {5, 0, 0, 0, 5, 0, 0, 0, 5}},
                                 {2, node[1], weight, {500, 10, 0, 10, 5, 0, 0, 0, 5}},
                                 {3, node[2], weight, {0.1, 0, 0, 0, 50, 0, 0, 0, 0}}};
  options.tolerance = 1e-9;
  mus_solver *there = solver_for(&sheet, &options);
  options.device = MUS_DEVICE_CPU;
  mus_solver *here = solver_for(&sheet, &options);
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  for (int step = 0; step < 6; ++step) {
    int count = (const int[]){0, 2, 3, 3, 0, 1}[step];
    for (int k = 0; k < sheet.constraint_count && step > 1; ++k)
      sheet.constraint[k].value[1] += 0.01;
    assert_ok(mus_solver_set_couplings(there, count, spring));
    assert_ok(mus_solver_set_couplings(here, count, spring));
    assert_ok(solve(there, &sheet, x));
    assert_ok(solve(here, &sheet, y));
    double off = dense_difference(3 * sheet.rows, x, y);
    if (!(off <= 1e-6))
      fail_msg("step %d: the solution is off by %g", step, off);
    assert_true(*mus_solver_record(there)->device);
    assert_true(mus_solver_record(there)->true_residual < 1e-6);
    assert_true(mus_solver_record(there)->iterations <= 2 * mus_solver_record(here)->iterations + 5);
    move(&sheet, 0.002);
  }
  mus_solver_free(there);
  mus_solver_free(here);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

// Ties between nodes, in one direction or in all, that depend on each other, with values, beside what is held, and
// beside couplings, where there are any; they come and go.
static void check_equalities(int couplings) {
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  const mus_equality tie[] = {
      {.count = 2, .node = {100, 300}, .direction = {{0, 1, 0}, {0, -1, 0}}},
      {.count = 2, .node = {100, 300}, .direction = {{1, 0, 0}, {-1, 0, 0}}, .value = 0.001},
      {.count = 2, .node = {300, 220}, .direction = {{0, 1, 0}, {0, -1, 0}}, .value = -0.002},
      {.count = 4, .node = {150, 151, 172, 260}, .direction = {{0, .3, .1}, {0, .3, .1}, {0, .4, .1}, {0, -1, -.3}}},
      {.count = 2, .node = {0, 240}, .direction = {{0, 0, 1}, {0, 0, 1}}}};
  const int end[2][3] = {{50, 350, 100}, {300, 301, 0}}; // some of the nodes are tied as well
  const double weight[3] = {1, -0.4, -0.6};
  const mus_coupling spring[] = {{3, end[0], weight, {5, 0, 0, 0, 5, 0, 0, 0, 5}},
                                 {2, end[1], weight, {500, 10, 0, 10, 5, 0, 0, 0, 5}}};
  options.tolerance = 1e-8;
  mus_solver *there = solver_for(&sheet, &options);
  options.device = MUS_DEVICE_CPU;
  mus_solver *here = solver_for(&sheet, &options);
  assert_ok(mus_solver_set_couplings(there, couplings, spring));
  assert_ok(mus_solver_set_couplings(here, couplings, spring));
  double *x = vector_of(&sheet), *y = vector_of(&sheet);
  for (int step = 0; step < 6; ++step) {
    int count = (const int[]){5, 5, 0, 1, 3, 5}[step];
    for (int k = 0; k < sheet.constraint_count && step > 1; ++k)
      sheet.constraint[k].value[1] += 0.01;
    assert_ok(mus_solver_set_equalities(there, count, tie));
    assert_ok(mus_solver_set_equalities(here, count, tie));
    assert_ok(solve(there, &sheet, x));
    assert_ok(solve(here, &sheet, y));
    double off = dense_difference(3 * sheet.rows, x, y);
    if (!(off <= 1e-5))
      fail_msg("step %d: the solution is off by %g", step, off);
    for (int e = 0; e < count; ++e) {
      double sum = -tie[e].value;
      for (int k = 0; k < tie[e].count; ++k)
        for (int c = 0; c < 3; ++c)
          sum += tie[e].direction[k][c] * x[3 * tie[e].node[k] + c];
      assert_true(fabs(sum) < 1e-12);
    }
    const mus_solve_record *a = mus_solver_record(there), *b = mus_solver_record(here);
    assert_true(*a->device && a->true_residual < 1e-5);
    if (!(a->iterations <= 1.3 * b->iterations + 2))
      fail_msg("step %d: %d iterations instead of %d", step, a->iterations, b->iterations);
    move(&sheet, 0.002);
  }
  mus_solver_free(there);
  mus_solver_free(here);
  free(x);
  free(y);
  sheet_system_free(&sheet);
}

static void equalities_are_solved_with(void **state) {
  (void)state;
  check_equalities(0);
}

static void equalities_beside_couplings_are_solved_with(void **state) {
  (void)state;
  check_equalities(2);
}

// The inverse of a group is dense there: a chain of 2,100 is too long.
static void long_chains_of_equalities_run_on_the_cpu_where_allowed(void **state) {
  (void)state;
  enum { TIES = 2100 };
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  sheet_system sheet = sheet_of(47, SHEET_FREE);
  mus_equality *tie = calloc(TIES, sizeof *tie);
  double *x = vector_of(&sheet);
  assert_non_null(tie);
  for (int k = 0; k < TIES; ++k)
    tie[k] = (mus_equality){.count = 2, .node = {k, k + 1}, .direction = {{0, 1, 0}, {0, -1, 0}}};
  for (int device = MUS_DEVICE_CUDA; device <= MUS_DEVICE_AUTO; ++device) {
    options.device = (mus_device_choice)device;
    mus_solver *solver = solver_for(&sheet, &options);
    assert_ok(mus_solver_set_equalities(solver, TIES, tie));
    if (device == MUS_DEVICE_CUDA)
      assert_fails(solve(solver, &sheet, x), MUS_UNSUPPORTED, "as many equalities across nodes that hang together");
    else
      assert_ok(solve(solver, &sheet, x));
    assert_string_equal(mus_solver_record(solver)->device, "");
    assert_ok(mus_solver_set_equalities(solver, 10, tie));
    assert_ok(solve(solver, &sheet, x));
    assert_true(*mus_solver_record(solver)->device);
    mus_solver_free(solver);
  }
  free(tie);
  free(x);
  sheet_system_free(&sheet);
}

static void other_methods_say_so(void **state) {
  (void)state;
  mus_solver *solver = NULL;
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  options.method = MUS_METHOD_DIAG;
  assert_fails(mus_solver_create(&options, &solver), MUS_UNSUPPORTED, "\"diag\" does not run on a GPU");
  options.device = MUS_DEVICE_AUTO;
  assert_ok(mus_solver_create(&options, &solver));
  mus_solver_free(solver);
}

// --- failures --------------------------------------------------------------------------------------------------------

static mus_stages broken;

static mus_status no_device(mus_device **device, mus_stage_failure *failure) {
  (void)device;
  strcpy(failure->text, "no device with CUDA was found");
  return MUS_UNSUPPORTED;
}

static mus_status no_memory(mus_device *device, const mus_stage_hierarchy *h, mus_device_solver **solver,
                            mus_stage_failure *failure) {
  (void)device;
  (void)h;
  (void)solver;
  strcpy(failure->text, "the device is out of memory: 5 MB more were asked for");
  return MUS_OUT_OF_MEMORY;
}

static mus_status lost(mus_device_solver *solver, const double *b, double *x, const mus_stage_limits *limits,
                       mus_stage_result *result, mus_stage_failure *failure) {
  (void)solver;
  (void)b;
  (void)x;
  (void)limits;
  (void)result;
  strcpy(failure->text, "running on the device: CUDA says \"lost\"");
  return MUS_DEVICE_FAILED;
}

static int renewals;

static mus_status third_renewal_fails(mus_device_solver *solver, mus_stage_renewal what, mus_stage_failure *failure) {
  if (++renewals < 3)
    return mus_emulated_stages()->renew(solver, what, failure);
  strcpy(failure->text, "running on the device: CUDA says \"lost\"");
  return MUS_DEVICE_FAILED;
}

// A hierarchy that is kept does not fit a matrix that is another; the device is lost where it is to be renewed.
static void records_are_of_the_solve_that_ended(void **state) {
  (void)state;
  if (on_real_device())
    skip();
  sheet_system sheet = sheet_of(31, SHEET_DROOPING);
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_AUTO);
  double *x = vector_of(&sheet);
  size_t count = 9 * (size_t)mus_pattern_blocks(sheet.pattern);
  double *values = malloc(count * sizeof *values);
  assert_non_null(values);
  options.tolerance = 1e-6;
  broken = *mus_emulated_stages();
  broken.renew = third_renewal_fails;
  renewals = 0;
  mus_device_use(&broken);
  mus_solver *solver = solver_for(&sheet, &options);
  assert_ok(solve(solver, &sheet, x));
  assert_true(*mus_solver_record(solver)->device);
  for (size_t k = 0; k < count; ++k)
    values[k] = 4 * sheet.a.value[k];
  assert_ok(mus_solver_set_values(solver, values));
  memset(x, 0, 3 * (size_t)sheet.rows * sizeof *x);
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  const mus_solve_record *record = mus_solver_record(solver);
  assert_string_equal(record->device, "");
  assert_string_equal(record->device_failure, "running on the device: CUDA says \"lost\"");
  assert_true(record->true_residual < 1e-5);
  mus_solver_free(solver);
  free(values);
  free(x);
  sheet_system_free(&sheet);
  use_device();
}

static void check_failure(mus_status status, const char *why, int at_once) {
  sheet_system sheet = sheet_of(15, SHEET_DROOPING);
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  mus_solver *solver = NULL;
  double *x = vector_of(&sheet);
  mus_device_use(&broken);
  if (at_once) {
    assert_fails(mus_solver_create(&options, &solver), status, why);
  } else {
    solver = solver_for(&sheet, &options);
    assert_fails(solve(solver, &sheet, x), status, why);
  }
  mus_solver_free(solver);
  options.device = MUS_DEVICE_AUTO;
  solver = solver_for(&sheet, &options);
  for (int step = 0; step < 2; ++step) {
    assert_ok(solve(solver, &sheet, x));
    assert_string_equal(mus_solver_record(solver)->device, "");
    assert_true(mus_solver_record(solver)->true_residual < 1e-3);
  }
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
  use_device();
}

static void failures_are_said_or_worked_around(void **state) {
  (void)state;
  broken = *mus_emulated_stages();
  broken.open = no_device;
  check_failure(MUS_UNSUPPORTED, "no device with CUDA was found", 1);
  broken = *mus_emulated_stages();
  broken.create = no_memory;
  check_failure(MUS_OUT_OF_MEMORY, "out of memory", 0);
  broken = *mus_emulated_stages();
  broken.solve = lost;
  check_failure(MUS_DEVICE_FAILED, "CUDA says", 0);
}

static void indefinite_matrices_break_down(void **state) {
  (void)state;
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet);
  assert_ok(solve(solver, &sheet, x));
  size_t values = (size_t)mus_pattern_blocks(sheet.pattern) * 9;
  for (size_t k = 0; k < values; ++k)
    sheet.a.value[k] = -sheet.a.value[k];
  assert_int_equal(solve(solver, &sheet, x), MUS_BREAKDOWN);
  for (size_t k = 0; k < values; ++k)
    sheet.a.value[k] = -sheet.a.value[k];
  assert_ok(solve(solver, &sheet, x)); // it has recovered
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

static void speeds_are_measured_after_a_solve(void **state) {
  (void)state;
  sheet_system sheet = sheet_of(21, SHEET_DROOPING);
  mus_solver_options options = options_of(MUS_PRESET_FAST, MUS_DEVICE_CUDA);
  mus_solver *solver = solver_for(&sheet, &options);
  double *x = vector_of(&sheet);
  mus_device_speeds speeds;
  assert_fails(mus_solver_measure_device(solver, 3, &speeds), MUS_BAD_INPUT, "was not on a GPU");
  assert_ok(solve(solver, &sheet, x));
  assert_ok(mus_solver_measure_device(solver, 3, &speeds));
  assert_true(speeds.product_seconds > 0 && speeds.smoother_seconds > 0 && speeds.copy_bytes_per_second > 0);
  memset(x, 0, 3 * (size_t)sheet.rows * sizeof *x);
  assert_ok(mus_solver_solve(solver, sheet.b, x));
  assert_true(mus_solver_record(solver)->true_residual < 1e-3);
  mus_solver_free(solver);
  free(x);
  sheet_system_free(&sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fast_solves_as_on_the_cpu),
      cmocka_unit_test(stiff_sheets_take_the_iterations_of_the_cpu),
      cmocka_unit_test(hierarchies_are_kept_as_far_as_that_pays),
      cmocka_unit_test(what_the_host_prepares_is_not_what_the_device_has),
      cmocka_unit_test(fewer_vectors_make_another_hierarchy_there),
      cmocka_unit_test(robust_and_paper_solve_as_on_the_cpu),
      cmocka_unit_test(systems_are_solved_where_they_are),
      cmocka_unit_test(one_level_is_solved_directly),
      cmocka_unit_test(bits_are_the_same_twice),
      cmocka_unit_test(guesses_save_iterations),
      cmocka_unit_test(constraints_come_and_go),
      cmocka_unit_test(stops_that_are_missing_there_are_said),
      cmocka_unit_test(couplings_are_solved_with),
      cmocka_unit_test(equalities_are_solved_with),
      cmocka_unit_test(equalities_beside_couplings_are_solved_with),
      cmocka_unit_test(long_chains_of_equalities_run_on_the_cpu_where_allowed),
      cmocka_unit_test(other_methods_say_so),
      cmocka_unit_test(failures_are_said_or_worked_around),
      cmocka_unit_test(records_are_of_the_solve_that_ended),
      cmocka_unit_test(indefinite_matrices_break_down),
      cmocka_unit_test(speeds_are_measured_after_a_solve),
  };
  use_device();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
