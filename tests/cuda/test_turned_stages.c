// Cycles for co-rotational solids on a device that is emulated, against the host's; with MUSLIN_TEST_DEVICE=cuda, on
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
#include "lattice/corotational.h"
#include "lattice/rotations.h"
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

static mus_lattice *lattice_of(const mus_cells *cells, double poisson, double inertia, int visits,
                               mus_device_choice device) {
  mus_lattice_material material = {.young = 1e5, .poisson = poisson, .inertia = inertia};
  mus_lattice_options options = mus_lattice_default_options();
  mus_lattice *lattice;
  options.device = device;
  options.visits = visits;
  options.directions = 0;
  assert_ok(mus_lattice_create(cells, &material, &options, &lattice));
  assert_ok(mus_corotational_create(lattice));
  return lattice;
}

static double off(size_t n, const double *is, const double *ought, double *size) {
  double most = 0;
  *size = 0;
  for (size_t k = 0; k < n; ++k) {
    most = fmax(most, fabs(is[k] - ought[k]));
    *size = fmax(*size, fabs(ought[k]));
  }
  return most;
}

// Rotations by random angles of about half a radian, cofactors near them, random springs and right-hand sides.
static void fill(mus_lattice *lattice, uint64_t seed) {
  mus_turned_level *t = &lattice->corotational->level[0];
  const mus_lattice_domain *d = lattice->domain;
  for (size_t n = 0; n < d->cells; ++n) {
    double f[9], r[9];
    for (uint64_t e = 0; e < 9; ++e)
      f[e] = (e % 4 == 0) + 0.4 * mus_random(seed, 20 * n + e);
    mus_rotation_of(f, r);
    for (uint64_t e = 0; e < 9; ++e) {
      t->rotation[e][n] = r[e];
      t->coupling[e][n] = r[e] + 0.05 * mus_random(seed, 20 * n + e);
    }
    for (uint64_t f_ = 0; f_ < 4; ++f_) {
      int has = mus_lattice_is(d, n, f_ < 3 ? (uint32_t)MUS_LATTICE_UNKNOWN << f_ : MUS_LATTICE_SOLID);
      t->level.b[f_][n] = has ? mus_random(seed, 20 * n + 10 + f_) : 0;
      if (f_ < 3 && has)
        t->held[f_][n] += fabs(mus_random(seed, 20 * n + 15 + f_));
    }
  }
  mus_turned_renew(t);
  mus_turned_invert(t);
}

static void stiffen_nothing(void *context) { (void)context; }

static void cycles_are_the_hosts(void **state) {
  (void)state;
  for (uint64_t way = 0; way < 8; ++way) {
    mus_cells cells = way < 3 ? box_cells(11, 3) : way < 6 ? ball_cells(13) : random_cells(8, way);
    int visits = 1 + (int)way % 2, turns = way % 3 > 0;
    mus_lattice *lattice[2];
    for (int k = 0; k < 2; ++k) {
      lattice[k] = lattice_of(&cells, 0.45, 1e4, visits, k ? MUS_DEVICE_CUDA : MUS_DEVICE_CPU);
      mus_corotational *c = lattice[k]->corotational;
      assert_true((c->gpu.turned != NULL) == (k == 1));
      fill(lattice[k], way);
      c->stiffen = stiffen_nothing; // springs go to coarse levels too
      mus_corotational_coarsen(c, 1, turns);
      for (int turn = 0; turn < 2; ++turn) // the same again
        mus_corotational_cycle(c);
      assert_int_equal(c->gpu.failed, MUS_OK);
    }
    double size, most = off(4 * mus_lattice_field(lattice[0]->domain), lattice[1]->corotational->level[0].level.x[0],
                            lattice[0]->corotational->level[0].level.x[0], &size);
    if (!(most <= 1e-10 * size) || !(size > 0))
      fail_msg("way %d, %d levels: a cycle is off by %g of %g", (int)way, lattice[0]->levels, most, size);
    for (int k = 0; k < 2; ++k)
      mus_lattice_free(lattice[k]);
    cells_free(&cells);
  }
}

// One end is turned by 40 degrees around the axis between both.
static void turn_end(mus_lattice *lattice, const mus_cells *cells) {
  const mus_lattice_domain *d = lattice->domain;
  const double c = cos(0.7), s = sin(0.7);
  for (int a = 1; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n) {
      double x[3];
      variable_place(cells, a, n, x);
      if (x[0] < 0.5 || !mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a))
        continue;
      double y = x[1] - 0.5, z = x[2] - 0.5, turned[3] = {x[0], c * y - s * z + 0.5, s * y + c * z + 0.5};
      mus_lattice_displacement(lattice, a)[n] = turned[a] - x[a];
    }
}

static void solutions_are_the_hosts(void **state) {
  (void)state;
  mus_cells cells = box_cells(10, 3);
  mus_lattice *lattice[2];
  mus_lattice_record record[2];
  for (int k = 0; k < 2; ++k) {
    lattice[k] = lattice_of(&cells, 0.45, 0, 2, k ? MUS_DEVICE_CUDA : MUS_DEVICE_CPU);
    turn_end(lattice[k], &cells);
    assert_ok(mus_lattice_solve_corotational(lattice[k], 1e-9, 100, &record[k]));
  }
  assert_true(!*record[0].device && *record[1].device && record[1].device_bytes > 0);
  assert_true(abs(record[0].cycles - record[1].cycles) <= 2);
  double size,
      most = off(4 * mus_lattice_field(lattice[0]->domain), lattice[1]->finest.x[0], lattice[0]->finest.x[0], &size);
  if (!(most <= 1e-6 * size))
    fail_msg("a solution is off by %g of %g", most, size);
  for (int k = 0; k < 2; ++k)
    mus_lattice_free(lattice[k]);
  cells_free(&cells);
}

// --- devices that fail -----------------------------------------------------------------------------------------------

static mus_status no_memory(struct mus_device *device, const mus_stage_turned *d, mus_device_turned **out,
                            struct mus_stage_failure *failure) {
  (void)device;
  (void)d;
  *out = NULL;
  strcpy(failure->text, "the device is out of memory");
  return MUS_OUT_OF_MEMORY;
}

static mus_status no_inverse(mus_device_turned *turned, const mus_stage_turned_numbers *numbers, int turns,
                             struct mus_stage_failure *failure) {
  (void)turned;
  (void)numbers;
  (void)turns;
  strcpy(failure->text, "not positive definite");
  return MUS_BREAKDOWN;
}

static int cycles_left;

static mus_status lost(mus_device_turned *turned, const double *b, double *x, double *seconds,
                       struct mus_stage_failure *failure) {
  if (cycles_left-- > 0)
    return stages->turned->cycle(turned, b, x, seconds, failure);
  strcpy(failure->text, "the device is lost");
  return MUS_DEVICE_FAILED;
}

// `cuda` says what is wrong, `auto` goes on on the host, from where it was.
static void failures_are_told_or_mended(void **state) {
  (void)state;
  const char *const text[] = {"out of memory", "not positive definite", "is lost"};
  mus_cells cells = box_cells(8, 3);
  for (int k = 0; k < 3; ++k)
    for (int is_auto = 0; is_auto < 2; ++is_auto) {
      mus_turned_stages broken = *stages->turned;
      mus_stages table = *stages;
      mus_lattice_material material = {.young = 1e5, .poisson = 0.3};
      mus_lattice_options options = mus_lattice_default_options();
      mus_lattice *lattice;
      mus_lattice_record record;
      if (k == 0)
        broken.create = no_memory;
      else if (k == 1)
        broken.renew = no_inverse;
      else
        broken.cycle = lost;
      cycles_left = 3;
      table.turned = &broken;
      mus_device_use(&table);
      options.device = is_auto ? MUS_DEVICE_AUTO : MUS_DEVICE_CUDA;
      assert_ok(mus_lattice_create(&cells, &material, &options, &lattice));
      turn_end(lattice, &cells);
      mus_status status = mus_lattice_solve_corotational(lattice, 1e-6, 100, &record);
      if (is_auto)
        assert_ok(status);
      else
        assert_true(status != MUS_OK && strstr(mus_last_error(), text[k]));
      mus_lattice_free(lattice);
    }
  mus_device_use(stages);
  cells_free(&cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cycles_are_the_hosts),
      cmocka_unit_test(solutions_are_the_hosts),
      cmocka_unit_test(failures_are_told_or_mended),
  };
  return cmocka_run_group_tests(tests, choose_device, NULL);
}
