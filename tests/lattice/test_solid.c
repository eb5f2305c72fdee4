// Solids that move: steps against what is known of implicit Euler, contact against springs, and what a step leaves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/vector3.h"
#include "lattice/solid_state.h"
#include "par/par.h"
#include "support/check.h"
#include "support/lattices.h"
#include "support/sweep.h"

// A cube of side^3 cells, 1 m wide, whose surface has a point at each corner of the cells on it.
typedef struct cube {
  mus_cells cells;
  int points;
  double *position, *area; // that of one side: less at its borders
  mus_lattice_solid *solid;
} cube;

static cube cube_create(int side, int held, const mus_lattice_solid_settings *settings) {
  cube c = {.cells = box_cells(side, held)};
  int nodes = side + 1;
  c.position = malloc(3 * (size_t)(nodes * nodes * nodes) * sizeof *c.position);
  c.area = malloc((size_t)(nodes * nodes * nodes) * sizeof *c.area);
  assert_non_null(c.position);
  assert_non_null(c.area);
  for (int n = 0; n < nodes * nodes * nodes; ++n) {
    int at[3] = {n % nodes, n / nodes % nodes, n / nodes / nodes}, sides = 0;
    for (int a = 0; a < 3; ++a)
      sides += at[a] == 0 || at[a] == side;
    for (int a = 0; a < 3 && sides > 0; ++a)
      c.position[3 * c.points + a] = (double)at[a] / side;
    c.area[c.points] = 2.0 / (side * side) / (1 << sides);
    c.points += sides > 0;
  }
  mus_lattice_surface surface = {.points = c.points, .position = c.position, .area = c.area, .order = MUS_EMBED_CUBIC};
  assert_ok(mus_lattice_solid_create(&c.cells, NULL, settings, &surface, &c.solid));
  return c;
}

static void cube_free(cube *c) {
  mus_lattice_solid_free(c->solid);
  cells_free(&c->cells);
  free(c->position);
  free(c->area);
}

// u_n = g h^2 n (n + 1) / 2
static void falls_as_implicit_euler_does(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = mus_lattice_solid_default_settings();
  cube c = cube_create(5, 0, &settings);
  double *now = malloc(3 * (size_t)c.points * sizeof *now);
  assert_non_null(now);
  mus_lattice_step step = {.seconds = 1.0 / 24, .gravity = {1, -9.81, 3}};
  for (int n = 1; n <= 5; ++n) {
    mus_lattice_step_record record;
    assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
    assert_true(fabs(record.volume - 1) < 1e-12);
    mus_lattice_solid_positions(c.solid, now);
    for (int k = 0; k < 3 * c.points; ++k) {
      double fallen = step.gravity[k % 3] * step.seconds * step.seconds * n * (n + 1) / 2;
      assert_true(fabs(now[k] - c.position[k] - fallen) < 1e-12);
    }
  }
  free(now);
  cube_free(&c);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

// A half space below the height `at`, with friction, that is inclined by an angle around axis 2.
typedef struct ground {
  double at, friction, angle;
} ground;

static void touch_ground(void *context, int count, const double *position, mus_lattice_touch *out) {
  const ground *g = context;
  (void)position;
  for (int p = 0; p < count; ++p)
    out[p] = (mus_lattice_touch){.normal = {sin(g->angle), cos(g->angle), 0}, .offset = g->at, .friction = g->friction};
}

static void touch_nothing_finite(void *context, int count, const double *position, mus_lattice_touch *out) {
  (void)context;
  (void)position;
  for (int p = 0; p < count; ++p)
    out[p] = (mus_lattice_touch){.normal = {0, 1, 0}, .offset = (double)NAN};
}

static mus_lattice_solid_settings jelly(void) {
  mus_lattice_solid_settings settings = mus_lattice_solid_default_settings();
  settings.young = 1e5;
  settings.poisson = 0.49;
  return settings;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

// Pressures and rotations that fit the displacements. Returns the energy that a step without damping makes least: those
// of inertia, of deformation and of springs at points.
static double step_energy(mus_lattice_solid *s) {
  const mus_turned_level *t = mus_solid_level(s);
  double kinetic, total, h = s->seconds;
  for (int pass = 0; pass < 60; ++pass) {
    mus_corotational_evaluate(s->lattice, 0);
    for (size_t k = 0; k < s->lattice->domain->solid; ++k) {
      size_t cell = (size_t)t->cell[k];
      t->level.x[3][cell] += t->level.r[3][cell] / (s->lattice->weight * t->diagonal[cell]);
    }
  }
  mus_corotational_evaluate(s->lattice, 0);
  mus_lattice_solid_energy(s, &kinetic, &total);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      double away = t->level.x[a][n] - s->start[a][n] - h * s->velocity[a][n] - h * h * s->step->gravity[a];
      total += s->mass[a][n] * away * away / (2 * h * h);
    }
  for (int p = 0; p < s->points; ++p)
    total += s->contact[p].stiffness[0] * s->contact[p].depth * s->contact[p].depth / 2;
  return total;
}

static void residuals_are_derivatives_of_the_energy_of_a_step(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.poisson = 0.4;
  cube c = cube_create(3, 0, &settings);
  mus_lattice_solid *s = c.solid;
  ground floor = {.at = 0.05, .angle = 0.3};
  mus_lattice_step step = {.seconds = 0.02, .gravity = {1, -9.81, 0}, .touch = touch_ground, .context = &floor};
  const mus_lattice_map turned = {{0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1}, {0.1, 0, 0}};
  mus_lattice_solid_place(s, &turned, (double[3]){0.5, 0.5, 0.5}, (double[3]){1, 2, 3}, (double[3]){1, 0, 2});
  mus_solid_begin(s, &step);
  double small = 1e-6, unit = s->lattice->shear * s->lattice->spacing;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k)
      s->lattice->finest.x[a][s->face[a][k]] += 0.02 * mus_random(3, (uint64_t)(3 * k + a));
  int touched = 0;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; k += 5) {
      double *u = &s->lattice->finest.x[a][s->face[a][k]], at = *u;
      *u = at + small;
      double more = step_energy(s);
      *u = at - small;
      double less = step_energy(s);
      *u = at;
      step_energy(s);
      double force = s->lattice->finest.r[a][s->face[a][k]] * unit;
      assert_true(fabs(force - (more - less) / (2 * small)) < 1e-3 * (1 + fabs(force)));
      touched += s->contacts;
    }
  assert_true(touched > 0);
  s->step = NULL;
  cube_free(&c);
}

// --- motions that are known ------------------------------------------------------------------------------------------

// The sum of m v.
static void momentum(const mus_lattice_solid *s, double linear[3]) {
  for (int a = 0; a < 3; ++a) {
    linear[a] = 0;
    for (int k = 0; k < s->face_count[a]; ++k)
      linear[a] += s->mass[a][s->face[a][k]] * s->velocity[a][s->face[a][k]];
  }
}

// The angle by which a stiff cube turns: tan = h omega in the first step, sin(before) / (2 - cos(before)) in others. On
// a staggered lattice components lie in different places, so that angular momentum is not kept exactly.
static void spins_as_implicit_euler_does(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.young = 1e6;
  settings.tolerance = 1e-6;
  const mus_lattice_map here = {.linear = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int damped = 0; damped < 2; ++damped) {
    settings.damping = damped ? 0.1 : 0;
    cube c = cube_create(6, 0, &settings);
    double *now = malloc(3 * (size_t)c.points * sizeof *now), before[3], after[3], angle = 0, expected = 0;
    assert_non_null(now);
    mus_lattice_step step = {.seconds = 1.0 / 24};
    mus_lattice_solid_place(c.solid, &here, (double[3]){0.5, 0.5, 0.5}, (double[3]){1, 2, -1}, (double[3]){0, 0, 6});
    momentum(c.solid, before);
    for (int k = 0; k < 4; ++k) {
      mus_lattice_step_record record;
      double turned = k == 0 ? atan(6 * step.seconds) : atan2(sin(angle), 2 - cos(angle));
      angle = turned;
      expected += turned;
      assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
      momentum(c.solid, after);
      mus_lattice_solid_positions(c.solid, now);
      const double *low = now, *high = now + 3 * 6; // ends of an edge along axis 0
      assert_true(fabs(atan2(high[1] - low[1], high[0] - low[0]) - expected) < 0.04 * expected);
      for (int a = 0; a < 3; ++a)
        assert_true(fabs(after[a] - before[a]) < 1e-3 * fabs(before[a]));
    }
    free(now);
    cube_free(&c);
  }
}

// All that is held is turned by 90 degrees in one step: so is the whole.
static void follows_what_is_held_rigidly(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.tolerance = 1e-7;
  cube c = cube_create(6, 1 | 2, &settings);
  double *now = malloc(3 * (size_t)c.points * sizeof *now);
  assert_non_null(now);
  assert_int_equal(mus_lattice_solid_regions(c.solid), 1);
  for (int k = 1; k <= 3; ++k) {
    double cosine = k == 2 ? -1 : 0, sine = k == 1 ? 1 : k == 3 ? -1 : 0;
    mus_lattice_map map = {{cosine, -sine, 0, sine, cosine, 0, 0, 0, 1}, {k, 2, 3}};
    mus_lattice_step step = {.seconds = 1e4, .regions = &map}; // so long that inertia does nothing
    mus_lattice_step_record record;
    assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
    mus_lattice_solid_positions(c.solid, now);
    for (int p = 0; p < c.points; ++p) {
      double place[3];
      mus_map_apply(&map, c.position + 3 * p, place);
      for (int a = 0; a < 3; ++a)
        assert_true(fabs(now[3 * p + a] - place[a]) < 1e-5);
    }
  }
  free(now);
  cube_free(&c);
}

// One of two ends is twisted by 120 degrees in one step, which takes parts.
static void twists_in_parts(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  mus_cells cells = box_cells(8, 1 | 2);
  unsigned short *region = calloc(mus_cells_total(&cells), sizeof *region);
  assert_non_null(region);
  for (size_t n = 0; n < mus_cells_total(&cells); ++n)
    region[n] = cells.kind[n] != MUS_CELL_DIRICHLET ? 0 : n % (size_t)cells.count[0] > 5 ? 2 : 1;
  double *position = malloc(3 * sizeof *position);
  assert_non_null(position);
  memcpy(position, (double[3]){0.5, 1, 1}, 3 * sizeof *position);
  mus_lattice_surface surface = {.points = 1, .position = position};
  mus_lattice_solid *solid;
  assert_ok(mus_lattice_solid_create(&cells, region, &settings, &surface, &solid));
  assert_int_equal(mus_lattice_solid_regions(solid), 2);
  const double root = sqrt(0.75);
  mus_lattice_map maps[2] = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}, {{1, 0, 0, 0, -0.5, -root, 0, root, -0.5}, {0}}};
  const double centre[3] = {1, 0.5, 0.5};
  double moved[3];
  mus_map_apply(&maps[1], centre, moved);
  for (int a = 0; a < 3; ++a)
    maps[1].shift[a] = centre[a] - moved[a];
  mus_lattice_step step = {.seconds = 10, .regions = maps};
  mus_lattice_step_record record;
  assert_ok(mus_lattice_solid_step(solid, &step, &record));
  assert_true(record.parts > 1);
  assert_int_equal(record.inverted, 0);
  assert_true(fabs(record.volume - 1) < 0.01);
  mus_lattice_solid_positions(solid, position); // half way: turned by 60 degrees
  assert_true(fabs(atan2(position[2] - 0.5, position[1] - 0.5) - 1.8326) < 0.05);
  mus_lattice_solid_free(solid);
  cells_free(&cells);
  free(region);
  free(position);
}

// --- contact ---------------------------------------------------------------------------------------------------------

// At rest on a plane, it carries the weight, and springs give by the weight over their stiffness.
static void rests_on_springs(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.young = 1e7;
  settings.tolerance = 1e-8;
  cube c = cube_create(6, 0, &settings);
  ground floor = {.at = 0};
  mus_lattice_step step = {.seconds = 1, .gravity = {0, -9.81, 0}, .touch = touch_ground, .context = &floor};
  mus_lattice_step_record record;
  for (int k = 0; k < 6; ++k)
    assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
  double weight = 9.81 * mus_lattice_solid_mass(c.solid), stiffness = settings.contact * settings.young * 6;
  assert_true(fabs(mus_lattice_solid_mass(c.solid) - 1000) < 1e-9);
  assert_int_equal(record.contacts, 7 * 7);
  assert_true(fabs(record.contact_force[1] - weight) < 1e-4 * weight);
  assert_true(fabs(record.contact_force[0]) < 1e-4 * weight);
  assert_true(record.penetration > weight / stiffness && record.penetration < 1.5 * weight / stiffness);
  cube_free(&c);
}

// Dropped on a floor at a Poisson's ratio of 0.49: energy is never gained, and volume keeps.
static void loses_energy_and_no_volume_in_a_fall(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  cube c = cube_create(6, 0, &settings);
  mus_lattice_solid *s = c.solid;
  ground floor = {.at = -0.1, .friction = 0.5, .angle = 0.1};
  mus_lattice_step step = {.seconds = 1.0 / 24, .gravity = {0, -9.81, 0}, .touch = touch_ground, .context = &floor};
  double before = (double)INFINITY;
  int touched = 0;
  for (int k = 0; k < 16; ++k) {
    mus_lattice_step_record record;
    double kinetic, total, height = 0;
    assert_ok(mus_lattice_solid_step(s, &step, &record));
    mus_lattice_solid_energy(s, &kinetic, &total);
    for (int n = 0; n < s->face_count[1]; ++n)
      height += s->mass[1][s->face[1][n]] * s->lattice->finest.x[1][s->face[1][n]];
    total += kinetic + 9.81 * height;
    for (int p = 0; p < s->points; ++p) {
      const mus_contact *at = &s->contact[p];
      total += at->is_active ? at->stiffness[0] * (at->depth * at->depth + mus_dot3(at->slip, at->slip)) / 2 : 0;
    }
    assert_true(total < before + 5);
    assert_true(fabs(record.volume - 1) < 0.01);
    assert_int_equal(record.inverted, 0);
    before = total;
    touched += record.contacts > 0;
  }
  assert_true(touched > 5);
  cube_free(&c);
}

// On a slope of 20 degrees: sticks where friction is 0.5, slips where it is 0.2, faster and faster.
static void friction_holds_or_slips(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.young = 1e6;
  for (int slips = 0; slips < 2; ++slips) {
    cube c = cube_create(4, 0, &settings);
    ground floor = {.at = 0, .friction = slips ? 0.2 : 0.5};
    const double slope = 20 * 3.14159265358979 / 180, h = 1.0 / 50;
    mus_lattice_step step = {
        .seconds = h, .gravity = {9.81 * sin(slope), -9.81 * cos(slope), 0}, .touch = touch_ground, .context = &floor};
    mus_lattice_step_record record;
    double speed[2], linear[3];
    for (int k = 0; k < 50; ++k) {
      assert_ok(mus_lattice_solid_step(c.solid, &step, &record));
      momentum(c.solid, linear);
      if (k >= 48)
        speed[k - 48] = linear[0] / mus_lattice_solid_mass(c.solid);
    }
    double faster = (speed[1] - speed[0]) / h, expected = 9.81 * (sin(slope) - 0.2 * cos(slope));
    if (slips)
      assert_true(fabs(faster - expected) < 0.05 * expected);
    else
      assert_true(fabs(speed[1]) < 2e-3);
    cube_free(&c);
  }
}

// --- what a step leaves ----------------------------------------------------------------------------------------------

// Some steps down on a floor, with a point drawn aside. `resumed`: through a copy of the state after the third.
static double *dropped(int cells, int steps, int threads, int resumed, size_t *size) {
  mus_lattice_solid_settings settings = jelly();
  settings.damping = 0.01;
  int before = mus_par_set_threads(threads);
  cube c = cube_create(cells, 0, &settings), other = cube_create(cells, 0, &settings);
  double *force = calloc(3 * (size_t)c.points, sizeof *force);
  ground floor = {.at = -0.02, .friction = 0.5};
  *size = mus_lattice_solid_state_size(c.solid);
  double *last = malloc(*size * sizeof *last);
  assert_non_null(last);
  assert_non_null(force);
  force[30] = 50;
  mus_lattice_step step = {
      .seconds = 1.0 / 24, .gravity = {0, -9.81, 0}, .touch = touch_ground, .context = &floor, .force = force};
  mus_lattice_solid *now = c.solid;
  for (int k = 0; k < steps; ++k) {
    mus_lattice_step_record record;
    if (k == 3 && resumed) {
      mus_lattice_solid_save(c.solid, last);
      now = other.solid;
      mus_lattice_solid_load(now, last);
    }
    assert_ok(mus_lattice_solid_step(now, &step, &record));
  }
  mus_lattice_solid_save(now, last);
  cube_free(&c);
  cube_free(&other);
  free(force);
  mus_par_set_threads(before);
  return last;
}

static void results_do_not_depend_on_threads_or_interruptions(void **state) {
  (void)state;
  size_t size;
  double *one = dropped(6, 5, 1, 0, &size), *more = dropped(6, 5, 3, 0, &size), *resumed = dropped(6, 5, 1, 1, &size);
  assert_memory_equal(one, more, size * sizeof *one);
  assert_memory_equal(one, resumed, size * sizeof *one);
  free(one);
  free(more);
  free(resumed);
}

// Loops over small lattices are not shared among threads.
static void results_of_larger_solids_do_not_depend_on_threads(void **state) {
  (void)state;
  size_t size;
  double *one = dropped(20, 1, 1, 0, &size), *more = dropped(20, 1, 3, 0, &size);
  assert_memory_equal(one, more, size * sizeof *one);
  free(one);
  free(more);
}

static void failed_steps_change_nothing(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.cycles = 1;
  settings.tolerance = 1e-12;
  cube c = cube_create(5, 0, &settings);
  size_t size = mus_lattice_solid_state_size(c.solid);
  double *before = malloc(size * sizeof *before), *after = malloc(size * sizeof *after);
  assert_non_null(before);
  assert_non_null(after);
  ground floor = {.at = 0.05};
  mus_lattice_step step = {.seconds = 0.04, .gravity = {0, -9.81, 0}, .touch = touch_ground, .context = &floor};
  mus_lattice_step_record record;
  mus_lattice_solid_save(c.solid, before);
  assert_fails(mus_lattice_solid_step(c.solid, &step, &record), MUS_NOT_CONVERGED, "cycles");
  step.touch = touch_nothing_finite;
  assert_fails(mus_lattice_solid_step(c.solid, &step, &record), MUS_BREAKDOWN, "not finite");
  step.seconds = 0;
  assert_fails(mus_lattice_solid_step(c.solid, &step, &record), MUS_BAD_INPUT, "step");
  mus_lattice_solid_save(c.solid, after);
  assert_memory_equal(before, after, size * sizeof *before);
  free(before);
  free(after);
  cube_free(&c);
}

// Stretched by a tenth along one axis: stress and normals are those of that.
static void stresses_are_those_of_a_stretch(void **state) {
  (void)state;
  mus_lattice_solid_settings settings = jelly();
  settings.poisson = 0.3;
  mus_cells cells = box_cells(6, 0);
  const double position[6] = {0.5, 1, 0.5, 0.5, 0.5, 1}, normal[6] = {0, 1, 0, 0, 0, 1};
  mus_lattice_surface surface = {.points = 2, .position = position, .normal = normal, .order = MUS_EMBED_CUBIC};
  const mus_lattice_map map = {.linear = {1.1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const double nothing[3] = {0};
  double stress[2], out[6];
  mus_lattice_solid *solid;
  assert_ok(mus_lattice_solid_create(&cells, NULL, &settings, &surface, &solid));
  mus_lattice_solid_place(solid, &map, nothing, (double[3]){1, 2, 3}, nothing);
  mus_lattice_solid_velocities(solid, out);
  for (int k = 0; k < 6; ++k)
    assert_true(fabs(out[k] - (1 + k % 3)) < 1e-12);
  mus_lattice_solid_normals(solid, out);
  for (int k = 0; k < 6; ++k)
    assert_true(fabs(out[k] - normal[k]) < 1e-12);
  mus_lattice_solid_stresses(solid, stress);
  for (int k = 0; k < 2; ++k) // some cells at free boundaries have let go
    assert_true(stress[k] > 0.5 * 0.1 * 1e5 / 1.3 && stress[k] < 2 * 0.1 * 1e5 / 1.3);
  mus_lattice_solid_free(solid);
  cells_free(&cells);
}

static mus_status make_and_step(mus_arena *arena, void *data) {
  mus_lattice_solid_settings settings = jelly();
  const double position[3] = {0.5, 0.5, 0.5};
  mus_lattice_surface surface = {.points = 1, .position = position, .order = MUS_EMBED_CUBIC};
  mus_lattice_step step = {.seconds = 0.01, .gravity = {0, -9.81, 0}};
  mus_lattice_step_record record;
  mus_lattice_solid *solid;
  (void)arena;
  settings.damping = 0.1;
  mus_status status = mus_lattice_solid_create(data, NULL, &settings, &surface, &solid);
  if (status)
    return status;
  status = mus_lattice_solid_step(solid, &step, &record);
  mus_lattice_solid_free(solid);
  return status;
}

static void failing_allocations_are_reported(void **state) {
  (void)state;
  mus_cells cells = box_cells(4, 1);
  mus_arena arena = {0};
  assert_true(sweep_allocations(&arena, make_and_step, &cells) > 10);
  mus_arena_clear(&arena);
  cells_free(&cells);
}

static void bad_settings_are_rejected(void **state) {
  (void)state;
  mus_cells cells = box_cells(4, 0);
  const double outside[3] = {9, 9, 9};
  mus_lattice_surface surface = {0}, away = {.points = 1, .position = outside};
  mus_lattice_solid *solid;
  mus_lattice_solid_settings settings = jelly();
  assert_fails(mus_lattice_solid_create(&cells, NULL, &settings, &away, &solid), MUS_BAD_INPUT, "outside");
  settings.poisson = 0.5;
  assert_fails(mus_lattice_solid_create(&cells, NULL, &settings, &surface, &solid), MUS_BAD_INPUT, "Poisson");
  settings = jelly();
  settings.density = 0;
  assert_fails(mus_lattice_solid_create(&cells, NULL, &settings, &surface, &solid), MUS_BAD_INPUT, "density");
  settings = jelly();
  settings.damping = -1;
  assert_fails(mus_lattice_solid_create(&cells, NULL, &settings, &surface, &solid), MUS_BAD_INPUT, "damping");
  cells_free(&cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(falls_as_implicit_euler_does),
      cmocka_unit_test(residuals_are_derivatives_of_the_energy_of_a_step),
      cmocka_unit_test(spins_as_implicit_euler_does),
      cmocka_unit_test(follows_what_is_held_rigidly),
      cmocka_unit_test(twists_in_parts),
      cmocka_unit_test(rests_on_springs),
      cmocka_unit_test(loses_energy_and_no_volume_in_a_fall),
      cmocka_unit_test(friction_holds_or_slips),
      cmocka_unit_test(results_do_not_depend_on_threads_or_interruptions),
      cmocka_unit_test(results_of_larger_solids_do_not_depend_on_threads),
      cmocka_unit_test(failed_steps_change_nothing),
      cmocka_unit_test(stresses_are_those_of_a_stretch),
      cmocka_unit_test(failing_allocations_are_reported),
      cmocka_unit_test(bad_settings_are_rejected),
  };
  mus_par_set_threads(1); // the solids are small; threads that wait for each other would take most of the time
  return cmocka_run_group_tests(tests, NULL, NULL);
}
