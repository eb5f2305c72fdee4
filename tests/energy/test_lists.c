// Lists: element data from meshes, seams included, and runs of elements.
#include "energy/check.h"

#include "energy/lists.h"

enum { SIDE = 24 };

// A sheet of SIDE x SIDE squares with sides of a centimetre, halved along random diagonals, and a deformed state of it.
typedef struct sheet {
  mus_arena arena;
  mus_mesh mesh;
  mus_topology topology;
  double *position, *velocity;
} sheet;

static sheet sheet_create(double jitter) {
  sheet s = {0};
  int height = SIDE + 1;
  assert_int_equal(mus_mesh_create(&s.arena, height * height, 2LL * SIDE * SIDE, 1, &s.mesh), MUS_OK);
  for (int v = 0; v < s.mesh.vertices; ++v) {
    s.mesh.position[3 * v] = 0.01 * (v / height + jitter * mus_random(1, (uint64_t)(2 * v)));
    s.mesh.position[3 * v + 1] = 0.01 * (v % height + jitter * mus_random(1, (uint64_t)(2 * v + 1)));
    s.mesh.position[3 * v + 2] = 0;
  }
  int *corner = s.mesh.triangle;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j, corner += 6) {
      int a = i * height + j, b = a + height, c = b + 1, d = a + 1;
      int up[6] = {a, b, c, a, c, d}, down[6] = {a, b, d, b, c, d};
      memcpy(corner, mus_random(2, (uint64_t)a) < 0 ? up : down, sizeof up);
    }
  for (int k = 0; k < 3 * s.mesh.triangles; ++k)
    memcpy(s.mesh.material + 2 * k, s.mesh.position + 3 * s.mesh.triangle[k], 2 * sizeof(double));
  assert_int_equal(mus_topology_create(&s.arena, &s.mesh, &s.topology), MUS_OK);
  s.position = mus_arena_alloc(&s.arena, 3 * (size_t)s.mesh.vertices, sizeof(double));
  s.velocity = mus_arena_alloc(&s.arena, 3 * (size_t)s.mesh.vertices, sizeof(double));
  for (int k = 0; k < 3 * s.mesh.vertices; ++k) {
    s.position[k] = s.mesh.position[k] + 0.002 * mus_random(3, (uint64_t)k);
    s.velocity[k] = mus_random(4, (uint64_t)k);
  }
  return s;
}

// One list of every kind, behind one face.
enum { MEMBRANES, HINGES, EDGE_SPRINGS, FABRIC_SPRINGS, HINGE_SPRINGS, BUCKLINGS, DRAG, LISTS };

typedef struct lists {
  mus_membranes membranes;
  mus_hinges hinges;
  mus_springs springs[3];
  mus_bucklings bucklings;
  mus_gusts gusts;
  mus_weather weather;
} lists;

static const int arities[LISTS] = {3, 4, 2, 2, 2, 2, 3};

static lists lists_create(sheet *s, const mus_fabric *fabric) {
  lists l = {.weather = {{1.2, 1.3, 0.05}, {3, 1, 2}, NULL, 0.4}};
  mus_arena *arena = &s->arena;
  assert_int_equal(mus_membranes_create(arena, &s->mesh, fabric, &l.membranes), MUS_OK);
  assert_int_equal(mus_hinges_create(arena, &s->mesh, &s->topology, fabric, MUS_REST_FLAT, &l.hinges), MUS_OK);
  assert_int_equal(mus_springs_create(arena, &s->mesh, &s->topology, MUS_ALONG_EDGES, 100, 0.1, &l.springs[0]), MUS_OK);
  assert_int_equal(mus_springs_of_fabric(arena, &s->mesh, &s->topology, fabric, &l.springs[1]), MUS_OK);
  assert_int_equal(mus_springs_create(arena, &s->mesh, &s->topology, MUS_ACROSS_HINGES, 20, 0.2, &l.springs[2]),
                   MUS_OK);
  assert_int_equal(mus_bucklings_create(arena, &s->mesh, &s->topology, fabric, &l.bucklings), MUS_OK);
  mus_gusts_make(l.weather.wind, 0.3, 1, 5, &l.gusts);
  return l;
}

static int count_of(const lists *l, int which) {
  const int counts[LISTS] = {l->membranes.count,  l->hinges.count,    l->springs[0].count, l->springs[1].count,
                             l->springs[2].count, l->bucklings.count, l->membranes.count};
  return counts[which];
}

static const int *vertices_of(const lists *l, int which) {
  const int *vertices[LISTS] = {l->membranes.vertex,  l->hinges.vertex,    l->springs[0].vertex, l->springs[1].vertex,
                                l->springs[2].vertex, l->bucklings.vertex, l->membranes.vertex};
  return vertices[which];
}

static void evaluate_run(const lists *l, int which, int first, int count, const mus_evaluation *e) {
  mus_weather weather = l->weather;
  weather.gusts = &l->gusts;
  if (which == MEMBRANES)
    mus_membranes_evaluate(&l->membranes, first, count, e);
  else if (which == HINGES)
    mus_hinges_evaluate(&l->hinges, first, count, e);
  else if (which == BUCKLINGS)
    mus_bucklings_evaluate(&l->bucklings, first, count, e);
  else if (which == DRAG)
    mus_drag_add(l->membranes.vertex, first, count, &weather, e);
  else
    mus_springs_evaluate(&l->springs[which - EDGE_SPRINGS], first, count, e);
}

// The whole list. Drag is added to nothing.
static void evaluate_list(const lists *l, int which, const mus_evaluation *e) {
  size_t count = (size_t)count_of(l, which);
  if (which == DRAG && e->gradient)
    memset(e->gradient, 0, count * 9 * sizeof(double));
  if (which == DRAG && e->block)
    memset(e->block, 0, count * 54 * sizeof(double));
  evaluate_run(l, which, 0, (int)count, e);
}

// One element by its own function.
static double evaluate_element(const lists *l, int which, int k, const mus_blend *blend, const double *x,
                               const double *v, double *gradient, double *block) {
  double middle[3], wind[3];
  switch (which) {
  case MEMBRANES:
    return mus_membrane_element(&l->membranes.rest[k], &l->membranes.material, blend, x, v, gradient, block);
  case HINGES:
    return mus_hinge_element(&l->hinges.rest[k], blend, x, v, gradient, block);
  case FABRIC_SPRINGS:
    return mus_choi_ko_stretch_element(&l->springs[1].rest[k], blend, x, v, gradient, block);
  case BUCKLINGS:
    return mus_choi_ko_bend_element(&l->bucklings.rest[k], blend, x, v, gradient, block);
  case DRAG:
    for (int m = 0; m < 3; ++m)
      middle[m] = (x[m] + x[3 + m] + x[6 + m]) / 3;
    mus_wind_at(l->weather.wind, &l->gusts, middle, l->weather.time, wind);
    memset(gradient, 0, 9 * sizeof *gradient);
    memset(block, 0, 54 * sizeof *block);
    mus_drag_element(&l->weather.air, blend->damping, wind, x, v, gradient, block);
    return 0;
  default:
    return mus_spring_element(&l->springs[which - EDGE_SPRINGS].rest[k], blend, x, v, gradient, block);
  }
}

// Room for what a list writes, filled with NaN.
typedef struct output {
  double *energy, *gradient, *block;
  size_t energies, gradients, blocks;
} output;

static double *room(size_t count) {
  double *memory = malloc(count * sizeof *memory);
  for (size_t k = 0; k < count; ++k)
    memory[k] = NAN;
  return memory;
}

static output output_create(const lists *l, int which) {
  size_t count = (size_t)count_of(l, which), arity = (size_t)arities[which];
  output o = {.energies = count, .gradients = count * arity * 3, .blocks = count * arity * (arity + 1) / 2 * 9};
  o.energy = room(o.energies);
  o.gradient = room(o.gradients);
  o.block = room(o.blocks);
  return o;
}

static void output_free(output *o) {
  free(o->energy);
  free(o->gradient);
  free(o->block);
}

static mus_evaluation evaluation_of(const sheet *s, const output *o) {
  mus_evaluation e = {.position = s->position, .velocity = s->velocity, .blend = {0.3, 0.6, 0.01, 0}, .scale = 1};
  e.energy = o->energy;
  e.gradient = o->gradient;
  e.block = o->block;
  return e;
}

static void assert_same(size_t count, const double *a, const double *b) {
  for (size_t k = 0; k < count; ++k)
    assert_true(a[k] == b[k]);
}

// Every element gets what its own function gives, to the last bit.
static void lists_are_their_elements(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  for (int which = 0; which < LISTS; ++which) {
    output o = output_create(&l, which);
    mus_evaluation e = evaluation_of(&s, &o);
    int arity = arities[which], blocks = arity * (arity + 1) / 2 * 9;
    evaluate_list(&l, which, &e);
    for (int k = 0; k < count_of(&l, which); ++k) {
      double x[CHECK_N] = {0}, v[CHECK_N] = {0}, gradient[CHECK_N], block[CHECK_BLOCKS];
      for (int m = 0; m < 3 * arity; ++m) {
        int vertex = vertices_of(&l, which)[arity * k + m / 3];
        x[m] = s.position[3 * vertex + m % 3];
        v[m] = s.velocity[3 * vertex + m % 3];
      }
      double energy = evaluate_element(&l, which, k, &e.blend, x, v, gradient, block);
      assert_true(which == DRAG || energy == o.energy[k]);
      assert_same((size_t)(3 * arity), gradient, o.gradient + 3 * arity * k);
      assert_same((size_t)blocks, block, o.block + blocks * k);
    }
    output_free(&o);
  }
  mus_arena_clear(&s.arena);
}

// A run has the numbers of the whole list, from its first element on, and nothing after its last.
static void runs_are_parts_of_lists(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  for (int which = 0; which < DRAG; ++which) {
    output o = output_create(&l, which);
    mus_evaluation e = evaluation_of(&s, &o);
    size_t vector = 3 * (size_t)arities[which], matrix = vector * (vector + 3) / 2;
    evaluate_list(&l, which, &e);
    for (int first = 0; first < count_of(&l, which); first += 100)
      for (int count = 0; count < 14 && first + count <= count_of(&l, which); count += 13) {
        output part = output_create(&l, which);
        size_t from = (size_t)first, n = (size_t)count;
        mus_evaluation f = evaluation_of(&s, &part);
        evaluate_run(&l, which, first, count, &f);
        assert_same(n, part.energy, o.energy + from);
        assert_same(n * vector, part.gradient, o.gradient + from * vector);
        assert_same(n * matrix, part.block, o.block + from * matrix);
        assert_true(isnan(part.energy[n]) && isnan(part.gradient[n * vector]) && isnan(part.block[n * matrix]));
        output_free(&part);
      }
    output_free(&o);
  }
  mus_arena_clear(&s.arena);
}

// Drag comes on top of what the triangles have.
static void drag_is_added(void **state) {
  (void)state;
  enum { FIRST = 30, COUNT = 20 };
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  output both = output_create(&l, MEMBRANES), membranes = output_create(&l, MEMBRANES), drag = output_create(&l, DRAG);
  mus_evaluation e = evaluation_of(&s, &both), f = evaluation_of(&s, &membranes), g = evaluation_of(&s, &drag);
  evaluate_run(&l, MEMBRANES, FIRST, COUNT, &e);
  evaluate_run(&l, DRAG, FIRST, COUNT, &e);
  evaluate_list(&l, MEMBRANES, &f);
  evaluate_list(&l, DRAG, &g);
  for (size_t k = 0; k < COUNT * 9; ++k)
    assert_true(both.gradient[k] == membranes.gradient[FIRST * 9 + k] + drag.gradient[FIRST * 9 + k]);
  for (size_t k = 0; k < COUNT * 54; ++k)
    assert_true(both.block[k] == membranes.block[FIRST * 54 + k] + drag.block[FIRST * 54 + k]);
  assert_true(isnan(both.gradient[COUNT * 9]) && isnan(both.block[COUNT * 54]));
  output_free(&both), output_free(&membranes), output_free(&drag);
  mus_arena_clear(&s.arena);
}

// What is not asked for is not written; a scale scales everything alike; no velocities mean no damping.
static void parts_and_scales(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  for (int which = 0; which < LISTS; ++which) {
    output o = output_create(&l, which), twice = output_create(&l, which), still = output_create(&l, which);
    mus_evaluation e = evaluation_of(&s, &o), f = evaluation_of(&s, &twice), g = evaluation_of(&s, &still);
    evaluate_list(&l, which, &e);
    f.scale = 2;
    evaluate_list(&l, which, &f);
    for (size_t k = 0; k < o.gradients; ++k)
      assert_true(fabs(twice.gradient[k] - 2 * o.gradient[k]) <= 1e-12 * fabs(twice.gradient[k]) + 1e-18);
    for (size_t k = 0; k < o.blocks; ++k)
      assert_true(fabs(twice.block[k] - 2 * o.block[k]) <= 1e-12 * fabs(twice.block[k]) + 1e-15);
    for (size_t k = 0; k < o.energies && which != DRAG; ++k)
      assert_true(fabs(twice.energy[k] - 2 * o.energy[k]) <= 1e-12 * twice.energy[k]);
    g.energy = NULL;
    g.block = NULL;
    evaluate_list(&l, which, &g);
    assert_memory_equal(still.gradient, o.gradient, o.gradients * sizeof(double));
    assert_true(isnan(still.block[0]) && isnan(still.energy[0]));
    g.velocity = NULL;
    g.blend.drift = 1e9;
    evaluate_list(&l, which, &g);
    memset(s.velocity, 0, 3 * sizeof(double) * (size_t)s.mesh.vertices);
    evaluate_list(&l, which, &e);
    for (size_t k = 0; k < o.gradients; ++k)
      assert_true(still.gradient[k] == o.gradient[k]);
    output_free(&o);
    output_free(&twice);
    output_free(&still);
  }
  mus_arena_clear(&s.arena);
}

static double total_energy(const lists *l, int which, const double *position, output *o) {
  mus_evaluation e = {.position = position, .blend = {1, 0, 0, 0}, .scale = 1, .energy = o->energy};
  double sum = 0;
  evaluate_list(l, which, &e);
  for (size_t k = 0; k < o->energies; ++k)
    sum += o->energy[k];
  return sum;
}

// The forces of a whole sheet add up to nothing and are minus the gradient of its energy.
static void sheets_keep_their_momentum(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  for (int which = 0; which < DRAG; ++which) {
    output o = output_create(&l, which);
    mus_evaluation e = evaluation_of(&s, &o);
    e.velocity = NULL;
    e.block = NULL;
    evaluate_list(&l, which, &e);
    double *force = calloc(3 * (size_t)s.mesh.vertices, sizeof *force), sum[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    for (int k = 0; k < count_of(&l, which) * arities[which]; ++k)
      mus_add_scaled3(-1, o.gradient + 3 * k, force + 3 * vertices_of(&l, which)[k]);
    double largest = check_largest(3 * s.mesh.vertices, force);
    for (int v = 0; v < s.mesh.vertices; ++v) {
      double one[3];
      mus_cross3(s.position + 3 * v, force + 3 * v, one);
      mus_add_scaled3(1, force + 3 * v, sum);
      mus_add_scaled3(1, one, torque);
    }
    assert_true(check_largest(3, sum) <= 1e-12 * largest);
    assert_true(check_largest(3, torque) <= 1e-12 * largest);
    for (int k = 100; k < 3 * s.mesh.vertices; k += 97) {
      double here = s.position[k], step = 1e-7;
      s.position[k] = here + step;
      double above = total_energy(&l, which, s.position, &o);
      s.position[k] = here - step;
      double below = total_energy(&l, which, s.position, &o);
      s.position[k] = here;
      check_near((below - above) / (2 * step), force[k], 2e-6 * largest);
    }
    free(force);
    output_free(&o);
  }
  mus_arena_clear(&s.arena);
}

// Squares with diagonals: hinges weigh what the formula says, and all are flat.
static void weights_of_hinges(void **state) {
  (void)state;
  sheet s = sheet_create(0);
  mus_fabric f = *mus_fabric_at(0);
  f.bend[0] = 2, f.bend[1] = 3, f.bend[2] = 5, f.bend_damping = 0.5;
  lists l = lists_create(&s, &f);
  int seen[3] = {0, 0, 0};
  for (int h = 0; h < l.hinges.count; ++h) {
    const double *a = s.mesh.position + 3 * l.hinges.vertex[4 * h],
                 *b = s.mesh.position + 3 * l.hinges.vertex[4 * h + 1];
    int along_u = fabs(b[0] - a[0]) > 1e-6, along_v = fabs(b[1] - a[1]) > 1e-6, kind = along_u && along_v ? 2 : along_u;
    double sharp = 0.6 + 0.8 * sqrt(0.5);
    double expected[3] = {2 * sharp, 3 * sharp, 5 * 2 * 0.6}; // an edge along v bends the warp
    check_near(l.hinges.rest[h].weight, expected[kind], 1e-12);
    check_near(l.hinges.rest[h].damping, expected[kind] / 2, 1e-12);
    assert_true(l.hinges.rest[h].angle == 0);
    ++seen[kind];
  }
  assert_true(seen[0] == SIDE * (SIDE - 1) && seen[1] == SIDE * (SIDE - 1) && seen[2] == SIDE * SIDE);
  check_near(mus_hinge_shape(1, 1, -0.9), 0.2, 1e-15);
  mus_arena_clear(&s.arena);
}

// Shaped cloth rests as its positions are: no bending energy there, and some when it is flat.
static void shaped_hinges(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(0));
  double *flat = s.mesh.position;
  s.mesh.position = s.position;
  assert_int_equal(mus_hinges_create(&s.arena, &s.mesh, &s.topology, mus_fabric_at(0), MUS_REST_SHAPED, &l.hinges),
                   MUS_OK);
  output o = output_create(&l, HINGES);
  double shaped = total_energy(&l, HINGES, s.position, &o), away = total_energy(&l, HINGES, flat, &o);
  assert_true(shaped < 1e-25 && away > 1e-5);
  output_free(&o);
  mus_arena_clear(&s.arena);
}

// Springs of a fabric along the lines of a regular sheet are as stiff as the fabric; at its boundary, half as stiff.
static void springs_of_fabrics(void **state) {
  (void)state;
  sheet s = sheet_create(0);
  const mus_fabric *f = mus_fabric_at(3);
  lists l = lists_create(&s, f);
  double bias = mus_fabric_strip(f, sqrt(0.5), sqrt(0.5));
  for (int k = 0; k < l.springs[1].count; ++k) {
    const int *end = l.springs[1].vertex + 2 * k;
    const double *a = s.mesh.position + 3 * end[0], *b = s.mesh.position + 3 * end[1];
    int along_u = fabs(b[0] - a[0]) > 1e-6, along_v = fabs(b[1] - a[1]) > 1e-6;
    double share = mus_edge_sides(&s.topology, k) / 2.0;
    const mus_spring_rest *rest = &l.springs[1].rest[k];
    check_near(rest->length, along_u && along_v ? 0.01 * sqrt(2) : 0.01, 1e-15);
    check_near(rest->stiffness, along_u && along_v ? bias / 2 : share * f->stretch[along_v], 1e-6);
    check_near(rest->damping, rest->stiffness * f->stretch_damping, 1e-12);
    check_near(l.springs[0].rest[k].length, rest->length, 1e-15);
    assert_true(l.springs[0].rest[k].stiffness == 100 && l.springs[0].rest[k].damping == 0.1);
  }
  assert_true(l.springs[1].tension_only && !l.springs[0].tension_only && !l.springs[2].tension_only);
  for (int k = 0; k < l.springs[2].count; ++k) {
    const int *end = l.springs[2].vertex + 2 * k;
    assert_memory_equal(end, s.topology.hinge + 4 * k + 2, 2 * sizeof *end);
    double d[3];
    mus_subtract3(s.mesh.position + 3 * end[0], s.mesh.position + 3 * end[1], d);
    check_near(l.springs[2].rest[k].length, sqrt(mus_dot3(d, d)), 1e-15);
    check_near(l.bucklings.rest[k].length, sqrt(mus_dot3(d, d)), 1e-15);
  }
  mus_arena_clear(&s.arena);
}

// Two triangles that share the edge 0 1. The second may belong to another panel: its material moved and turned by a
// right angle, stretched along the seam.
static mus_mesh pair(mus_arena *arena, int sewn, double stretch) {
  static const double x[12] = {0, 0, 0, 0, 0.02, 0, -0.015, 0.009, 0, 0.016, 0.012, 0};
  static const int corner[6] = {0, 1, 2, 3, 1, 0};
  mus_mesh mesh;
  assert_int_equal(mus_mesh_create(arena, 4, 2, 1, &mesh), MUS_OK);
  memcpy(mesh.position, x, sizeof x);
  memcpy(mesh.triangle, corner, sizeof corner);
  for (int k = 0; k < 6; ++k) {
    const double *at = x + 3 * corner[k];
    int other = sewn && k >= 3;
    mesh.material[2 * k] = other ? 7 - stretch * at[1] : at[0];
    mesh.material[2 * k + 1] = other ? 3 + at[0] : at[1];
  }
  return mesh;
}

// A seam between panels bends like whole cloth where the fabric is the same in both directions; its springs have the
// lengths of the flat pair; a side longer than the other counts with the mean.
static void seams(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_fabric f = *mus_fabric_at(0);
  mus_hinges hinges[2];
  mus_bucklings bucklings[2];
  mus_springs springs[2];
  for (int sewn = 0; sewn < 2; ++sewn) {
    mus_mesh mesh = pair(&arena, sewn, 1);
    mus_topology topology;
    assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
    assert_int_equal(topology.hinges, 1);
    assert_int_equal(mus_hinges_create(&arena, &mesh, &topology, &f, MUS_REST_FLAT, &hinges[sewn]), MUS_OK);
    assert_int_equal(mus_bucklings_create(&arena, &mesh, &topology, &f, &bucklings[sewn]), MUS_OK);
    assert_int_equal(mus_springs_of_fabric(&arena, &mesh, &topology, &f, &springs[sewn]), MUS_OK);
  }
  double span = hypot(0.031, 0.003);
  check_near(hinges[1].rest[0].weight, hinges[0].rest[0].weight, 1e-16);
  check_near(bucklings[0].rest[0].length, span, 1e-15);
  check_near(bucklings[1].rest[0].length, span, 1e-15);
  check_near(bucklings[1].rest[0].stiffness, 2.0 / 3 * f.bend[0] * 0.02, 1e-18);
  check_near(bucklings[1].rest[0].limit, bucklings[0].rest[0].limit, 1e-6);
  check_near(bucklings[0].rest[0].damping, bucklings[0].rest[0].limit * f.bend_damping, 1e-9);
  for (int k = 0; k < 5; ++k)
    check_near(springs[1].rest[k].length, springs[0].rest[k].length, 1e-15);
  // Anisotropic: across the seam one panel bends its warp, the other its weft.
  f.bend[0] = 1, f.bend[1] = 3, f.bend[2] = 2;
  mus_mesh mesh = pair(&arena, 1, 1.5);
  mus_topology topology;
  mus_hinges mixed;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  assert_int_equal(mus_hinges_create(&arena, &mesh, &topology, &f, MUS_REST_FLAT, &mixed), MUS_OK);
  double areas = 0.01 * 0.015 + 0.015 * 0.016, length = 0.025;
  double apex[2] = {(0.015 * 0.015 - 0.009 * 0.011) / (hypot(0.015, 0.009) * hypot(0.015, 0.011)),
                    (0.016 * 0.016 - 0.018 * 0.012) / (hypot(0.016, 0.018) * hypot(0.016, 0.012))};
  check_near(mixed.rest[0].weight, 2 * length * length / areas * (0.6 + 0.4 * (apex[0] + apex[1])), 1e-12);
  mus_springs along;
  assert_int_equal(mus_springs_of_fabric(&arena, &mesh, &topology, &f, &along), MUS_OK);
  check_near(along.rest[0].length, 0.025, 1e-15); // the mean of both sides of the seam
  mus_arena_clear(&arena);
}

// A spring across a hinge is a strip along the line between its corners, whatever the fabric's direction, and whichever
// side of it is up.
static void springs_across_hinges(void **state) {
  (void)state;
  mus_arena arena = {0};
  const mus_fabric *denim = mus_fabric_at(3);
  double span = hypot(0.031, 0.003), areas = 0.01 * 0.015 + 0.01 * 0.016;
  for (double angle = 0; angle < 3; angle += 0.25)
    for (int over = -1; over <= 1; over += 2) {
      mus_mesh mesh = pair(&arena, 0, 1);
      mus_topology topology;
      mus_bucklings bucklings;
      for (int k = 0; k < 6; ++k) {
        double *uv = mesh.material + 2 * k, u = uv[0], v = uv[1];
        uv[0] = cos(angle) * u - sin(angle) * v;
        uv[1] = over * (sin(angle) * u + cos(angle) * v);
      }
      assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
      assert_int_equal(mus_bucklings_create(&arena, &mesh, &topology, denim, &bucklings), MUS_OK);
      double direction = angle + atan2(0.003, 0.031);
      double strip = mus_fabric_strip(denim, cos(direction), sin(direction));
      check_near(bucklings.rest[0].limit, strip * areas / (span * span), 1e-9 * strip);
    }
  mus_arena_clear(&arena);
}

// Folded a little, a symmetric hinge costs as much by its buckling spring as by its angle.
static void bucklings_bend_like_hinges(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_fabric f = *mus_fabric_at(0);
  mus_mesh mesh = pair(&arena, 0, 1);
  double height = 0.01 * sqrt(3), flat[4][2] = {{0, 0}, {0, 0.02}, {-height, 0.01}, {height, 0.01}};
  f.stretch[0] = f.stretch[1] = f.shear = 1e6; // hands over to the beam at once
  for (int k = 0; k < 6; ++k)
    memcpy(mesh.material + 2 * k, flat[mesh.triangle[k]], sizeof flat[0]);
  mus_topology topology;
  mus_hinges hinges;
  mus_bucklings bucklings;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  assert_int_equal(mus_hinges_create(&arena, &mesh, &topology, &f, MUS_REST_FLAT, &hinges), MUS_OK);
  assert_int_equal(mus_bucklings_create(&arena, &mesh, &topology, &f, &bucklings), MUS_OK);
  for (double angle = 0.1; angle < 0.5; angle += 0.1) {
    double x[12] = {0}, energy[2];
    for (int v = 0; v < 4; ++v) {
      x[3 * v] = v < 2 ? flat[v][0] : flat[v][0] * cos(angle / 2);
      x[3 * v + 1] = flat[v][1];
      x[3 * v + 2] = v < 2 ? 0 : height * sin(angle / 2);
    }
    mus_evaluation e = {.position = x, .blend = {1, 0, 0, 0}, .scale = 1, .energy = &energy[0]};
    mus_hinges_evaluate(&hinges, 0, 1, &e);
    e.energy = &energy[1];
    mus_bucklings_evaluate(&bucklings, 0, 1, &e);
    check_near(energy[0], hinges.rest[0].weight / 2 * angle * angle, 1e-12);
    check_near(energy[1] / energy[0], 1, 0.02);
  }
  mus_arena_clear(&arena);
}

static void measures(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  output o = output_create(&l, MEMBRANES);
  total_energy(&l, MEMBRANES, s.position, &o);
  for (int t = 0; t < l.membranes.count; ++t) {
    mus_membrane_measure measure = mus_membrane_measured(&l.membranes, t, s.position, 3);
    double u = measure.strain[0], v = measure.strain[1];
    check_near(measure.stretch + measure.shear, 3 * o.energy[t], 1e-12 * o.energy[t]);
    check_near(measure.stretch, 1.5 * l.membranes.rest[t].area * (9000 * u * u + 6000 * v * v), 1e-12);
  }
  // Pulled out by a tenth along the warp.
  for (int v = 0; v < s.mesh.vertices; ++v) {
    mus_scale3(1, s.mesh.position + 3 * v, s.position + 3 * v);
    s.position[3 * v] *= 1.1;
  }
  for (int t = 0; t < l.membranes.count; ++t) {
    mus_membrane_measure measure = mus_membrane_measured(&l.membranes, t, s.position, 1);
    check_near(measure.strain[0], 0.1, 1e-12);
    check_near(measure.strain[1], 0, 1e-12);
    check_near(measure.shear, 0, 1e-15);
  }
  output_free(&o);
  mus_arena_clear(&s.arena);
}

// A triangle without area in the material is named, by every kind of list.
static void triangles_without_area(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  mus_membranes membranes;
  mus_hinges hinges;
  mus_springs springs;
  mus_bucklings bucklings;
  const mus_fabric *f = mus_fabric_at(0);
  memcpy(s.mesh.material + 6 * 77, s.mesh.material + 6 * 77 + 2, 2 * sizeof(double));
  const char *expected = "triangle 77 has no area in the material; repair the mesh's rest shape";
  mus_status status[5];
  for (int k = 0; k < 5; ++k) {
    status[k] = k == 0   ? mus_membranes_create(&s.arena, &s.mesh, f, &membranes)
                : k == 1 ? mus_hinges_create(&s.arena, &s.mesh, &s.topology, f, MUS_REST_FLAT, &hinges)
                : k == 2 ? mus_springs_create(&s.arena, &s.mesh, &s.topology, MUS_ALONG_EDGES, 1, 0, &springs)
                : k == 3 ? mus_springs_of_fabric(&s.arena, &s.mesh, &s.topology, f, &springs)
                         : mus_bucklings_create(&s.arena, &s.mesh, &s.topology, f, &bucklings);
    assert_int_equal(status[k], MUS_BAD_INPUT);
    assert_string_equal(mus_last_error(), expected);
  }
  mus_arena_clear(&s.arena);
}

static mus_status create_all(sheet *s, mus_arena *arena) {
  mus_membranes membranes;
  mus_hinges hinges;
  mus_springs springs;
  mus_bucklings bucklings;
  const mus_fabric *f = mus_fabric_at(0);
  mus_status status = mus_membranes_create(arena, &s->mesh, f, &membranes);
  if (!status)
    status = mus_hinges_create(arena, &s->mesh, &s->topology, f, MUS_REST_SHAPED, &hinges);
  if (!status)
    status = mus_springs_create(arena, &s->mesh, &s->topology, MUS_ACROSS_HINGES, 1, 0, &springs);
  if (!status)
    status = mus_springs_of_fabric(arena, &s->mesh, &s->topology, f, &springs);
  if (!status)
    status = mus_bucklings_create(arena, &s->mesh, &s->topology, f, &bucklings);
  return status;
}

static void allocations_may_fail(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  int failures = 0;
  for (long n = 0;; ++n) {
    mus_arena arena = {0};
    mus_memory_fail_after(n);
    mus_status status = create_all(&s, &arena);
    mus_memory_fail_after(-1);
    mus_arena_clear(&arena);
    if (!status)
      break;
    assert_int_equal(status, MUS_OUT_OF_MEMORY);
    ++failures;
  }
  assert_true(failures >= 5);
  mus_arena_clear(&s.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_their_elements),
      cmocka_unit_test(runs_are_parts_of_lists),
      cmocka_unit_test(drag_is_added),
      cmocka_unit_test(parts_and_scales),
      cmocka_unit_test(sheets_keep_their_momentum),
      cmocka_unit_test(weights_of_hinges),
      cmocka_unit_test(shaped_hinges),
      cmocka_unit_test(springs_of_fabrics),
      cmocka_unit_test(seams),
      cmocka_unit_test(springs_across_hinges),
      cmocka_unit_test(bucklings_bend_like_hinges),
      cmocka_unit_test(measures),
      cmocka_unit_test(triangles_without_area),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
