// Solids on lattices on a device that is emulated, part by part against the host's; with MUSLIN_TEST_DEVICE=cuda, on
// the device that there is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "cuda/device.h"
#include "cuda/emulated.h"
#include "lattice/lattice_state.h"
#include "support/check.h"
#include "support/lattices.h"

static const mus_stages *stages;

static int choose_device(void **state) {
  (void)state;
  const char *asked = getenv("MUSLIN_TEST_DEVICE");
  stages = mus_emulated_stages();
  if (asked && strcmp(asked, "cuda") == 0)
    assert_ok(mus_device_stages(&stages));
  mus_device_use(stages);
  return 0;
}

static void check_stage(mus_status status, const mus_stage_failure *failure) {
  if (status)
    fail_msg("%s", failure->text);
}

static mus_lattice *lattice_of(const mus_cells *cells, double poisson, double inertia, mus_lattice_options options) {
  mus_lattice_material material = {.young = 1e5, .poisson = poisson, .inertia = inertia};
  mus_lattice *lattice;
  options.device = MUS_DEVICE_CUDA;
  assert_ok(mus_lattice_create(cells, &material, &options, &lattice));
  assert_non_null(lattice->gpu.device);
  return lattice;
}

static mus_lattice_options in_double(int visits) {
  mus_lattice_options options = mus_lattice_default_options();
  options.in_double = 1;
  options.visits = visits;
  return options;
}

// --- parts of a cycle ------------------------------------------------------------------------------------------------

static size_t size_of(const mus_lattice_level *l) { return 4 * mus_lattice_field(l->domain); }

static int has_equation(const mus_lattice_domain *d, int f, size_t n) {
  return mus_lattice_is(d, n, f < 3 ? (uint32_t)MUS_LATTICE_UNKNOWN << f : MUS_LATTICE_SOLID);
}

// Random numbers in x and b where there are equations, and in b on faces at free boundaries; r is 0.
static void fill(mus_lattice_level *l, uint64_t seed) {
  const mus_lattice_domain *d = l->domain;
  uint64_t k = 0;
  for (int f = 0; f < 4; ++f)
    for (size_t n = 0; n < d->cells; ++n) {
      int near = f < 3 && mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_NEAR << f);
      double value = mus_random(seed, k++), right = mus_random(seed, k++);
      l->x[f][n] = has_equation(d, f, n) ? value : 0;
      l->b[f][n] = has_equation(d, f, n) || near ? right : 0;
      l->r[f][n] = 0;
    }
}

static void put(mus_lattice *lattice, int level, const mus_lattice_level *l) {
  const mus_lattice_stages *s = stages->lattice;
  mus_stage_failure failure;
  check_stage(s->set(lattice->gpu.lattice, level, MUS_LATTICE_X, l->x[0], &failure), &failure);
  check_stage(s->set(lattice->gpu.lattice, level, MUS_LATTICE_B, l->b[0], &failure), &failure);
  check_stage(s->set(lattice->gpu.lattice, level, MUS_LATTICE_R, l->r[0], &failure), &failure);
}

static void expect_same(mus_lattice *lattice, int level, const mus_lattice_level *l, const char *what) {
  const mus_lattice_stages *s = stages->lattice;
  const double *const ought[] = {l->x[0], l->b[0], l->r[0]};
  double *is = malloc(size_of(l) * sizeof *is);
  mus_stage_failure failure;
  assert_non_null(is);
  for (int which = 0; which < 3; ++which) {
    double off = 0, size = 1;
    check_stage(s->get(lattice->gpu.lattice, level, (mus_lattice_vector)which, is, &failure), &failure);
    for (int f = 0; f < 4; ++f)
      for (size_t n = 0; n < l->domain->cells; ++n) {
        size_t i = (size_t)f * mus_lattice_field(l->domain) + n;
        off = fmax(off, fabs(is[i] - ought[which][i]));
        size = fmax(size, fabs(ought[which][i]));
        assert_true(isfinite(is[i]));
      }
    if (!(off <= 1e-12 * size))
      fail_msg("%s, level %d: vector %d is off by %g of %g", what, level, which, off, size);
  }
  free(is);
}

// Nothing to solve: that puts the levels there.
static void begin(mus_lattice *lattice) {
  mus_lattice_record record;
  assert_ok(mus_lattice_solve(lattice, 1e-6, 1, &record));
}

static void run(mus_lattice *lattice, mus_cycle_part part, int level) {
  mus_stage_failure failure;
  check_stage(stages->lattice->run_part(lattice->gpu.lattice, part, level, &failure), &failure);
}

// The host's smoothing of the cells of a list, colour by colour: within a colour its order does not matter.
static void sweep_by_colour(mus_lattice_level *l, const mus_lattice_list *of, int backward) {
  const mus_lattice_domain *d = l->domain;
  unsigned char *mark = malloc(d->cells);
  assert_non_null(mark);
  for (int turn = 0; turn < MUS_LATTICE_COLOURS; ++turn) {
    int colour = backward ? MUS_LATTICE_COLOURS - 1 - turn : turn;
    mus_arena arena = {0};
    mus_lattice_list list;
    size_t count = 0;
    for (size_t n = 0; n < d->cells; ++n) {
      int i = (int)(n % d->stride[1]), j = (int)(n % d->stride[2] / d->stride[1]), k = (int)(n / d->stride[2]);
      mark[n] = mus_lattice_is(d, n, MUS_LATTICE_SOLID) && !mus_lattice_is(d, n, MUS_LATTICE_SWEPT_P) &&
                mus_lattice_colour(i, j, k) == colour;
      count += mark[n];
    }
    if (count > 0) {
      assert_ok(mus_lattice_list_create(&arena, d, mark, &list));
      mus_lattice_sweep_band(l, &list, 1, backward);
    }
    mus_arena_clear(&arena);
  }
  assert_true(of->cells > 0);
  free(mark);
}

// Each part on each level, from random numbers.
static void expect_same_parts(mus_lattice *lattice, uint64_t seed) {
  mus_lattice_level *level = lattice->in_double.level;
  begin(lattice);
  for (int k = 0; k < lattice->levels; ++k) {
    mus_lattice_level *l = &level[k];
    fill(l, seed + (uint64_t)k);
    put(lattice, k, l);
    run(lattice, MUS_CYCLE_PART_SWEEP, k);
    mus_lattice_sweep_by_stage(l);
    expect_same(lattice, k, l, "a sweep");
    if (l->domain->band.cells > 0)
      for (int backward = 0; backward < 2; ++backward) {
        run(lattice, backward ? MUS_CYCLE_PART_BAND_BACK : MUS_CYCLE_PART_BAND, k);
        sweep_by_colour(l, &l->domain->band, backward);
        expect_same(lattice, k, l, "smoothing at boundaries");
      }
    run(lattice, MUS_CYCLE_PART_RESIDUAL, k);
    mus_lattice_residual(l);
    expect_same(lattice, k, l, "residuals");
    run(lattice, MUS_CYCLE_PART_EXTEND, k);
    mus_lattice_extend(l);
    expect_same(lattice, k, l, "displacements beyond boundaries");
    if (k + 1 == lattice->levels)
      continue;
    fill(&level[k + 1], seed + 100);
    put(lattice, k + 1, &level[k + 1]);
    run(lattice, MUS_CYCLE_PART_EXTEND, k + 1);
    mus_lattice_extend(&level[k + 1]);
    run(lattice, MUS_CYCLE_PART_PROLONG, k);
    mus_lattice_prolong(&level[k + 1], l);
    expect_same(lattice, k, l, "interpolation");
    run(lattice, MUS_CYCLE_PART_RESTRICT, k);
    mus_lattice_restrict(l, &level[k + 1]);
    expect_same(lattice, k + 1, &level[k + 1], "restriction");
  }
}

static void parts_are_the_hosts(void **state) {
  (void)state;
  const double poisson[] = {0.2, 0.4999};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    mus_cells cells = seed < 2 ? box_cells(11, 3) : seed < 4 ? ball_cells(13) : random_cells(9, seed);
    // pieces that nothing holds need inertia
    mus_lattice *lattice = lattice_of(&cells, poisson[seed % 2], seed == 0 ? 0 : 1e5, in_double(1));
    assert_true(lattice->levels > 1 || seed >= 4);
    expect_same_parts(lattice, 10 * seed);
    mus_lattice_free(lattice);
    cells_free(&cells);
  }
}

// Random displacements of what is held, and forces.
static void load(mus_lattice *lattice, uint64_t seed) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  uint64_t k = 0;
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n) {
      double at = (double)(n % d->stride[1]) / d->count[0];
      mus_lattice_displacement(lattice, a)[n] = mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a) ? 0.1 * at : 0;
      mus_lattice_force(lattice, a)[n] = mus_random(seed, k++);
    }
}

// Solves by V- and K-cycles, alone and combined, in both precisions.
static void solutions_are_the_hosts(void **state) {
  (void)state;
  for (int way = 0; way < 6; ++way) {
    mus_cells cells = way < 4 ? box_cells(12, 3) : ball_cells(14);
    mus_lattice_options options = in_double(1 + way % 2);
    options.in_double = way == 2;
    options.directions = way < 2 ? 0 : way == 3 ? 2 : 20;
    mus_lattice_material material = {.young = 1e5, .poisson = 0.45};
    mus_lattice *host, *device = lattice_of(&cells, 0.45, 0, options);
    assert_ok(mus_lattice_create(&cells, &material, &options, &host));
    mus_lattice_record here, there;
    load(host, 7);
    load(device, 7);
    assert_ok(mus_lattice_solve(host, 1e-9, 60, &here));
    assert_ok(mus_lattice_solve(device, 1e-9, 60, &there));
    assert_true(*there.device && !*here.device);
    assert_true(fabs(there.reference - here.reference) <= 1e-6 * here.reference);
    assert_true(there.cycles <= here.cycles + 1);
    assert_true(there.residuals[there.cycles] <= 1e-9 && there.residuals[0] > 0.01);
    double off = 0, size = 0;
    for (int f = 0; f < 4; ++f)
      for (size_t n = 0; n < host->domain->cells; ++n) {
        off = fmax(off, fabs(host->finest.x[f][n] - device->finest.x[f][n]));
        size = fmax(size, fabs(host->finest.x[f][n]));
      }
    if (!(off <= 1e-6 * size))
      fail_msg("way %d: the solution is off by %g of %g", way, off, size);
    mus_lattice_free(host);
    mus_lattice_free(device);
    cells_free(&cells);
  }
}

static void the_same_bits_come_again(void **state) {
  (void)state;
  mus_cells cells = box_cells(12, 3);
  mus_lattice *lattice = lattice_of(&cells, 0.45, 0, mus_lattice_default_options());
  size_t n = 4 * mus_lattice_field(lattice->domain);
  double *first = malloc(n * sizeof *first);
  mus_lattice_record record;
  assert_non_null(first);
  for (int turn = 0; turn < 3; ++turn) {
    memset(lattice->finest.x[0], 0, n * sizeof(double));
    load(lattice, 3);
    assert_ok(mus_lattice_solve(lattice, 1e-6, 60, &record));
    if (turn == 0)
      memcpy(first, lattice->finest.x[0], n * sizeof *first);
    assert_memory_equal(first, lattice->finest.x[0], n * sizeof *first);
  }
  free(first);
  mus_lattice_free(lattice);
  cells_free(&cells);
}

static void ends_are_told(void **state) {
  (void)state;
  mus_cells cells = box_cells(8, 3);
  mus_lattice *lattice = lattice_of(&cells, 0.45, 0, mus_lattice_default_options());
  mus_lattice_record record;
  mus_lattice_device_figures figures;
  assert_ok(mus_lattice_solve(lattice, 1e-6, 60, &record)); // nothing acts
  assert_true(record.reference == 0 && record.cycles == 0);
  load(lattice, 3);
  assert_int_equal(mus_lattice_solve(lattice, 1e-6, 2, &record), MUS_NOT_CONVERGED);
  assert_int_equal(record.cycles, 2);
  assert_ok(mus_lattice_solve(lattice, 1e-6, 1500, &record)); // more than there was room for
  assert_true(record.cycles < 20);
  assert_ok(mus_lattice_measure_device(lattice, 3, &figures));
  assert_true(figures.cycle_seconds > 0 && figures.cycle_bytes > 0 && record.device_bytes > 0);
  for (size_t n = 0; n < mus_lattice_get_domain(lattice)->cells; ++n)
    mus_lattice_force(lattice, 0)[n] = (double)NAN;
  assert_int_equal(mus_lattice_solve(lattice, 1e-6, 2, &record), MUS_BAD_INPUT);
  mus_lattice_free(lattice);
  cells_free(&cells);
}

// --- devices that fail -----------------------------------------------------------------------------------------------

static mus_status no_device(mus_device **out, mus_stage_failure *failure) {
  *out = NULL;
  strcpy(failure->text, "no device with CUDA was found");
  return MUS_UNSUPPORTED;
}

static mus_status no_memory(struct mus_device *device, const mus_stage_lattice *d, mus_device_lattice **out,
                            struct mus_stage_failure *failure) {
  (void)device;
  (void)d;
  *out = NULL;
  strcpy(failure->text, "the device is out of memory");
  return MUS_OUT_OF_MEMORY;
}

static mus_status lost(mus_device_lattice *lattice, const double *b, double *x, double tolerance, int cycles,
                       mus_stage_lattice_result *result, struct mus_stage_failure *failure) {
  (void)lattice;
  (void)b;
  (void)x;
  (void)tolerance;
  (void)cycles;
  (void)result;
  strcpy(failure->text, "the device is lost");
  return MUS_DEVICE_FAILED;
}

// `cuda` says what is wrong, `auto` goes on on the host.
static void failures_are_told_or_mended(void **state) {
  (void)state;
  mus_stages broken[3] = {*stages, *stages, *stages};
  mus_lattice_stages without_memory = *stages->lattice, losing = *stages->lattice;
  const char *const text[] = {"no device with CUDA", "out of memory", "is lost"};
  mus_cells cells = box_cells(8, 3);
  mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
  broken[0].open = no_device;
  without_memory.create = no_memory;
  broken[1].lattice = &without_memory;
  losing.solve = lost;
  broken[2].lattice = &losing;
  for (int k = 0; k < 3; ++k) {
    mus_device_use(&broken[k]);
    mus_lattice_options options = mus_lattice_default_options();
    mus_lattice *lattice = NULL;
    mus_lattice_record record;
    options.device = MUS_DEVICE_CUDA;
    mus_status status = mus_lattice_create(&cells, &material, &options, &lattice);
    if (k > 0) {
      assert_ok(status);
      load(lattice, 1);
      status = mus_lattice_solve(lattice, 1e-6, 60, &record);
    }
    assert_true(status != MUS_OK);
    assert_non_null(strstr(mus_last_error(), text[k]));
    mus_lattice_free(lattice);
    options.device = MUS_DEVICE_AUTO;
    assert_ok(mus_lattice_create(&cells, &material, &options, &lattice));
    load(lattice, 1);
    assert_ok(mus_lattice_solve(lattice, 1e-6, 60, &record));
    assert_true(!*record.device && record.cycles > 0);
    mus_lattice_free(lattice);
  }
  mus_device_use(stages);
  cells_free(&cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_the_hosts),         cmocka_unit_test(solutions_are_the_hosts),
      cmocka_unit_test(the_same_bits_come_again),    cmocka_unit_test(ends_are_told),
      cmocka_unit_test(failures_are_told_or_mended),
  };
  return cmocka_run_group_tests(tests, choose_device, NULL);
}
