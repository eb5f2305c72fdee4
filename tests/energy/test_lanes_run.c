// Several elements at once, against one after the other: the same bits for vectors of every length.
#include "energy/check.h"

#include "energy/lanes_run.h"

enum { VERTICES = 60, COUNT = 45, GIVEN = 2 }; // elements behind the last are not to be touched

static const mus_membrane_material material = {{500, 300}, 70, {0.1, 0.2}, 0.05};
static const mus_air air = {1.2, 1.3, 0.05};

// Random elements: some at random, some flat, some with nodes that coincide or lie in a line.
typedef struct elements {
  int arity, vertex[4 * COUNT];
  double position[3 * VERTICES], velocity[3 * VERTICES], wind[3 * COUNT], rest[5 * COUNT];
} elements;

static elements create(int arity, uint64_t seed) {
  elements e = {.arity = arity};
  for (int k = 0; k < 3 * VERTICES; ++k) {
    int flat = k / 3 < 20 && k % 3 == 2, line = k / 3 >= 40 && k % 3 > 0;
    e.position[k] = flat || line ? 0 : mus_random(seed, (uint64_t)k);
    e.velocity[k] = mus_random(seed + 1, (uint64_t)k);
  }
  memcpy(e.position + 3 * 50, e.position + 3 * 51, 3 * sizeof(double));
  for (int k = 0; k < arity * COUNT; ++k) {
    int from = 20 * (k / arity % 3), next = (int)(mus_random_bits(seed + 2, (uint64_t)k) % 5);
    e.vertex[k] = from + 5 * (k % arity) + next;
  }
  for (int k = 0; k < 5 * COUNT; ++k)
    e.rest[k] = 1.5 + mus_random(seed + 3, (uint64_t)k);
  for (int k = 0; k < 3 * COUNT; ++k)
    e.wind[k] = mus_random(seed + 4, (uint64_t)k);
  return e;
}

// What a run writes.
typedef struct output {
  double energy[COUNT + GIVEN], gradient[12 * (COUNT + GIVEN)], matrix[54 * (COUNT + GIVEN)];
} output;

static void untouched(output *o) {
  double *x = (double *)o;
  for (size_t k = 0; k < sizeof *o / sizeof *x; ++k)
    x[k] = 1e99;
}

// The variants: velocities or none; air that is still, or gusts; damping as a potential of the step, for which
// velocities are taken as places.
enum { MOVES = 1, AIR = 2, GUSTS = 4, STEPS = 8, VARIANTS = 16 };

static mus_lanes_task task_of(const elements *e, int count, int variant, output *o) {
  mus_lanes_task t = {.count = count,
                      .vertex = e->vertex,
                      .rest = e->rest,
                      .position = e->position,
                      .velocity = variant & (MOVES | STEPS) ? e->velocity : NULL,
                      .blend = {0.3, 0.6, 0.01, 0, variant & STEPS ? 30 : 0},
                      .material = material,
                      .scale = 1.5,
                      .energy = o->energy,
                      .gradient = o->gradient};
  if (e->arity == 4) {
    t.rank_one = o->matrix;
    return t;
  }
  t.block = o->matrix;
  t.air = variant & AIR ? &air : NULL;
  t.wind = e->wind;
  t.gusts = (variant & GUSTS) != 0;
  return t;
}

static void place_of(const elements *e, int k, double *x, double *v) {
  for (int c = 0; c < e->arity; ++c) {
    size_t from = 3 * (size_t)e->vertex[e->arity * k + c];
    memcpy(x + 3 * c, e->position + from, 3 * sizeof *x);
    memcpy(v + 3 * c, e->velocity + from, 3 * sizeof *v);
  }
}

static void one_membrane(const elements *e, const mus_lanes_task *t, int k, output *o) {
  mus_membrane_rest rest;
  double x[9], v[9], still[9] = {0};
  memcpy(&rest, e->rest + 5 * k, sizeof rest);
  place_of(e, k, x, v);
  o->energy[k] = mus_membrane_element(&rest, &t->material, &t->blend, x, t->velocity ? v : NULL, o->gradient + 9 * k,
                                      o->matrix + 54 * k);
  if (t->air)
    o->energy[k] += mus_drag_element(t->air, &t->blend, t->wind + (t->gusts ? 3 * k : 0), x, t->velocity ? v : still,
                                     o->gradient + 9 * k, o->matrix + 54 * k);
}

static void one_hinge(const elements *e, const mus_lanes_task *t, int k, output *o) {
  double x[12], v[12];
  mus_hinge_rest rest = {1.5 * e->rest[3 * k], 1.5 * e->rest[3 * k + 1], e->rest[3 * k + 2]};
  mus_hinge_state state;
  place_of(e, k, x, v);
  mus_hinge_state_make(x, &state);
  o->energy[k] =
      mus_hinge_forces(&rest, &t->blend, &state, t->velocity ? v : NULL, o->gradient + 12 * k, o->matrix + 12 * k);
}

static void assert_same(size_t bytes, const double *a, const double *b) {
  for (size_t k = 0; k < bytes / sizeof *a; ++k)
    assert_true(a[k] == b[k]);
}

static void compare(const mus_lanes *lanes, int arity, int count, int variant) {
  elements e = create(arity, 10 * (uint64_t)arity);
  static output several, one;
  untouched(&several);
  untouched(&one);
  mus_lanes_task t = task_of(&e, count, variant, &several);
  if (arity == 3)
    lanes->membranes(&t);
  else
    lanes->hinges(&t);
  for (int k = 0; k < count; ++k)
    if (arity == 3)
      one_membrane(&e, &t, k, &one);
    else
      one_hinge(&e, &t, k, &one);
  assert_same(sizeof one.energy, several.energy, one.energy);
  assert_same(sizeof one.gradient, several.gradient, one.gradient);
  assert_same(sizeof one.matrix, several.matrix, one.matrix);
}

static void same_as_one_after_the_other(void **state) {
  (void)state;
  assert_non_null(mus_lanes_of(2));
  for (int length = 2; length <= 8; length *= 2)
    for (int count = 0; count <= COUNT && mus_lanes_of(length); ++count)
      for (int variant = 0; variant < VARIANTS; ++variant) {
        compare(mus_lanes_of(length), 3, count, variant);
        compare(mus_lanes_of(length), 4, count, variant);
      }
}

static void what_is_not_wanted_is_left_out(void **state) {
  (void)state;
  static output o, nothing;
  for (int arity = 3; arity <= 4; ++arity)
    for (int length = 2; length <= 8; length *= 2) {
      elements e = create(arity, 1);
      untouched(&o);
      untouched(&nothing);
      mus_lanes_task t = task_of(&e, COUNT, MOVES, &o);
      t.energy = t.gradient = t.block = t.rank_one = NULL;
      const mus_lanes *lanes = mus_lanes_of(length);
      if (lanes)
        (arity == 3 ? lanes->membranes : lanes->hinges)(&t);
      assert_memory_equal(&o, &nothing, sizeof o);
    }
}

// --- tetrahedra ------------------------------------------------------------------------------------------------------

typedef struct solid_output {
  double energy[COUNT + GIVEN], gradient[12 * (COUNT + GIVEN)], block[90 * (COUNT + GIVEN)],
      stretch[2 * (COUNT + GIVEN)];
} solid_output;

static const struct {
  mus_solid_law *law;
  size_t run; // where mus_lanes has it
} laws[] = {{mus_corotated_law, offsetof(mus_lanes, corotated)},
            {mus_neo_hookean_law, offsetof(mus_lanes, neo_hookean)},
            {mus_venant_kirchhoff_law, offsetof(mus_lanes, venant_kirchhoff)}};

// Tetrahedra at rest that are moved anywhere, by little, or flat, in a line and with nodes that coincide.
static void create_tetrahedra(elements *e, mus_tetrahedron_rest *rest) {
  *e = create(4, 77);
  for (int k = 0; k < COUNT; ++k) {
    const int *vertex = e->vertex + 4 * k;
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int c = 0; c < 12; ++c)
      x[c] += 0.2 * mus_random(78, (uint64_t)(12 * k + c));
    for (int c = 0; c < 4 && k % 5 == 1; ++c) // this one is nearly at rest, if others do not move it on
      memcpy(e->position + 3 * vertex[c], x + 3 * c, 3 * sizeof *x);
    mus_tetrahedron_rest_make(x, &rest[k]);
  }
}

static void compare_tetrahedra(const mus_lanes *lanes, int law, int count, int moves, int exact, double per_second) {
  static solid_output several, one;
  mus_tetrahedron_rest rest[COUNT];
  elements e;
  create_tetrahedra(&e, rest);
  memset(&several, 0, sizeof several);
  memset(&one, 0, sizeof one);
  mus_lanes_task t = {.count = count,
                      .vertex = e.vertex,
                      .rest = (const double *)rest,
                      .position = e.position,
                      .velocity = moves ? e.velocity : NULL,
                      .blend = {0.3, 0.6, 0.01, exact, per_second},
                      .solid = {mus_lame_of(1000, 0.4), 0.02},
                      .energy = several.energy,
                      .gradient = several.gradient,
                      .block = several.block,
                      .stretch = several.stretch};
  void (*run)(const mus_lanes_task *);
  memcpy(&run, (const char *)lanes + laws[law].run, sizeof run);
  run(&t);
  for (int k = 0; k < count; ++k) {
    double x[12], v[12], s[3];
    place_of(&e, k, x, v);
    one.energy[k] = mus_tetrahedron_element(laws[law].law, &rest[k], &t.solid, &t.blend, x, moves ? v : NULL,
                                            one.gradient + 12 * k, one.block + 90 * k, s);
    one.stretch[2 * k] = s[0];
    one.stretch[2 * k + 1] = s[2];
  }
  assert_same(sizeof one.energy, several.energy, one.energy);
  assert_same(sizeof one.gradient, several.gradient, one.gradient);
  assert_same(sizeof one.block, several.block, one.block);
  assert_same(sizeof one.stretch, several.stretch, one.stretch);
  check_largest(90 * count, one.block);
}

// Without blocks, co-rotated tetrahedra take a shorter way: the same for any number at once, and near the long one.
static void compare_light(const mus_lanes *lanes, int count, int moves, double per_second) {
  static solid_output several, one;
  mus_tetrahedron_rest rest[COUNT];
  elements e;
  create_tetrahedra(&e, rest);
  memset(&several, 0, sizeof several);
  memset(&one, 0, sizeof one);
  mus_lanes_task t = {.count = count,
                      .vertex = e.vertex,
                      .rest = (const double *)rest,
                      .position = e.position,
                      .velocity = moves ? e.velocity : NULL,
                      .blend = {0.3, 0.6, 0, 0, per_second},
                      .solid = {mus_lame_of(1000, 0.4), 0.02},
                      .energy = several.energy,
                      .gradient = several.gradient,
                      .stretch = several.stretch};
  lanes->corotated(&t);
  for (int k = 0; k < count; ++k) {
    double x[12], v[12], s[3], long_s[3], gradient[12];
    place_of(&e, k, x, v);
    one.energy[k] =
        mus_corotated_element(&rest[k], &t.solid, t.blend.per_second, x, moves ? v : NULL, one.gradient + 12 * k, s);
    one.stretch[2 * k] = s[0];
    one.stretch[2 * k + 1] = s[2];
    double energy = mus_tetrahedron_element(mus_corotated_law, &rest[k], &t.solid, &t.blend, x, moves ? v : NULL,
                                            gradient, NULL, long_s);
    assert_true(fabs(one.energy[k] - energy) < 1e-12 * (1 + energy));
    for (int c = 0; c < 12; ++c)
      assert_true(fabs(one.gradient[12 * k + c] - gradient[c]) < 1e-11 * t.solid.lame.lambda * (1 + long_s[0]));
    for (int c = 0; c < 3; ++c)
      assert_true(fabs(s[c] - long_s[c]) < 1e-8 * long_s[0]);
  }
  assert_same(sizeof one.energy, several.energy, one.energy);
  assert_same(sizeof one.gradient, several.gradient, one.gradient);
  assert_same(sizeof one.stretch, several.stretch, one.stretch);
}

static void the_short_way_is_the_same(void **state) {
  (void)state;
  for (int length = 2; length <= 8; length *= 2)
    for (int count = 0; count <= COUNT && mus_lanes_of(length); ++count)
      for (int variant = 0; variant < 3; ++variant)
        compare_light(mus_lanes_of(length), count, variant > 0, variant > 1 ? 30 : 0);
}

// Rotations of what is stretched, sheared, all but flat, inside out or nothing at all.
static void rotations_are_those_of_singular_vectors(void **state) {
  (void)state;
  int short_ways = 0;
  for (uint64_t n = 0; n < 3000; ++n) {
    double f[9], r[9], u[9], s[3], w[9], found[3], scale = pow(10, 6 * mus_random(91, n));
    for (uint64_t k = 0; k < 9; ++k)
      f[k] = n == 0 ? 0 : scale * ((k % 4 == 0) + (n % 3 == 0 ? 0.1 : 1.0) * mus_random(92, 9 * n + k));
    for (int k = 6; k < 9 && n % 7 == 0; ++k) // all but flat
      f[k] = 1e-5 * f[k] + f[k - 3];
    mus_svd3(f, u, s, w);
    if (!mus_polar3(f, r))
      continue;
    ++short_ways;
    mus_stretches3(f, r, found);
    for (int k = 0; k < 3; ++k) {
      assert_true(fabs(found[k] - s[k]) < 1e-8 * s[0]);
      for (int l = 0; l < 3; ++l) {
        double wanted = u[3 * k] * w[3 * l] + u[3 * k + 1] * w[3 * l + 1] + u[3 * k + 2] * w[3 * l + 2];
        assert_true(fabs(r[3 * k + l] - wanted) < 1e-14 + 1e-13 * s[0] / (s[1] + s[2]));
      }
    }
    assert_true(s[2] > 0);
  }
  assert_true(short_ways > 1000 && short_ways < 2900);
}

static void tetrahedra_are_the_same(void **state) {
  (void)state;
  for (int length = 2; length <= 8; length *= 2)
    for (int count = 0; count <= COUNT && mus_lanes_of(length); ++count)
      for (int law = 0; law < 3; ++law)
        for (int variant = 0; variant < 6; ++variant)
          compare_tetrahedra(mus_lanes_of(length), law, count, variant / 2 > 0, variant & 1, variant / 2 > 1 ? 30 : 0);
}

static void lengths_that_no_machine_has(void **state) {
  (void)state;
  assert_null(mus_lanes_of(1));
  assert_null(mus_lanes_of(3));
  assert_null(mus_lanes_of(16));
}

// Angles against atan2(), all around and at all sizes.
static void angles(void **state) {
  (void)state;
  for (uint64_t k = 0; k < 200000; ++k) {
    double size = pow(10, 100 * mus_random(1, k)), y = size * mus_random(2, k), x = size * mus_random(3, k);
    if (k % 5 == 0)
      y *= pow(10, -20 * fabs(mus_random(4, k)));
    if (k % 5 == 1)
      x *= pow(10, -20 * fabs(mus_random(4, k)));
    double angle = mus_angle(y, x), expected = atan2(y, x);
    assert_true(fabs(angle - expected) <= 2 * DBL_EPSILON * fabs(expected));
  }
  assert_true(mus_angle(0, 0) == 0 && mus_angle(0, 1) == 0 && mus_angle(1, 0) == MUS_PI / 2);
  assert_true(mus_angle(0, -1) == MUS_PI && mus_angle(-0.0, -1) == MUS_PI && mus_angle(-1, 0) == -MUS_PI / 2);
  assert_true(mus_angle(1, 1) == MUS_PI / 4 && mus_angle(-1, -1) == -3 * MUS_PI / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_one_after_the_other),
      cmocka_unit_test(what_is_not_wanted_is_left_out),
      cmocka_unit_test(tetrahedra_are_the_same),
      cmocka_unit_test(the_short_way_is_the_same),
      cmocka_unit_test(rotations_are_those_of_singular_vectors),
      cmocka_unit_test(lengths_that_no_machine_has),
      cmocka_unit_test(angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
