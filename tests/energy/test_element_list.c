// Lists: element data from meshes, seams included, and runs of elements.
#include "energy/check.h"

#include "energy/bend.h"
#include "energy/choi_ko.h"
#include "energy/drag.h"
#include "energy/kinds.h"
#include "energy/membrane.h"

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

// One list of every kind that is made from a mesh; DRAG stands for drag that is added to triangles.
enum { MEMBRANES, HINGES, EDGE_SPRINGS, FABRIC_SPRINGS, HINGE_SPRINGS, BUCKLINGS, DRAG, LISTS };
static const mus_element_kind *const kinds[LISTS] = {
    &mus_membrane_kind,     &mus_hinge_kind,    &mus_edge_spring_kind, &mus_tension_spring_kind,
    &mus_cross_spring_kind, &mus_buckling_kind, &mus_drag_kind};

typedef struct lists {
  mus_element_list list[LISTS];
  mus_gusts gusts;
  mus_weather weather;
} lists;

static const double gust_time = 0.4;

static mus_element_source source_of(const mus_mesh *mesh, const mus_topology *topology, const mus_fabric *fabric) {
  return (mus_element_source){.mesh = mesh, .topology = topology, .fabric = fabric, .air = 1};
}

// Springs that are all alike have a stiffness of 100 along edges and of 20 across hinges.
static lists lists_create(sheet *s, const mus_fabric *fabric) {
  lists l = {.weather = {{1.2, 1.3, 0.05}, {3, 1, 2}, NULL}};
  mus_fabric alike = *fabric;
  alike.stretch[0] = 100, alike.stretch_damping = 0.001, alike.bend[0] = 20, alike.bend_damping = 0.01;
  for (int which = 0; which < LISTS; ++which) {
    int springs = which == EDGE_SPRINGS || which == HINGE_SPRINGS;
    mus_element_source source = source_of(&s->mesh, &s->topology, springs ? &alike : fabric);
    assert_int_equal(mus_element_list_create(kinds[which], &s->arena, &source, &l.list[which]), MUS_OK);
  }
  mus_gusts_make(l.weather.wind, 0.3, 1, 5, &l.gusts);
  return l;
}

static int count_of(const lists *l, int which) { return l->list[which].count; }
static const int *vertices_of(const lists *l, int which) { return l->list[which].vertex; }
static int arity_of(int which) { return kinds[which]->arity; }

static const mus_hinge_rest *hinge_rests(const lists *l) { return l->list[HINGES].rest; }
static const mus_spring_rest *spring_rests(const lists *l, int which) { return l->list[which].rest; }

static void evaluate_run(const lists *l, int which, int first, int count, const mus_evaluation *evaluation) {
  const mus_element_list *list = &l->list[which];
  if (which != DRAG) {
    list->kind->evaluate(list, first, count, evaluation);
    return;
  }
  mus_evaluation e = *evaluation;
  mus_weather weather = l->weather;
  weather.gusts = &l->gusts;
  e.weather = &weather;
  e.time = gust_time;
  mus_drag_add(list->vertex, first, count, &e);
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
  const mus_membrane_rest *membranes = l->list[MEMBRANES].rest;
  const mus_buckling_rest *bucklings = l->list[BUCKLINGS].rest;
  switch (which) {
  case MEMBRANES:
    return mus_membrane_element(&membranes[k], l->list[MEMBRANES].material, blend, x, v, gradient, block);
  case HINGES:
    return mus_hinge_element(&hinge_rests(l)[k], blend, x, v, gradient, block);
  case FABRIC_SPRINGS:
    return mus_choi_ko_stretch_element(&spring_rests(l, which)[k], blend, x, v, gradient, block);
  case BUCKLINGS:
    return mus_choi_ko_bend_element(&bucklings[k], blend, x, v, gradient, block);
  case DRAG:
    for (int m = 0; m < 3; ++m)
      middle[m] = (x[m] + x[3 + m] + x[6 + m]) / 3;
    mus_wind_at(l->weather.wind, &l->gusts, middle, gust_time, wind);
    memset(gradient, 0, 9 * sizeof *gradient);
    memset(block, 0, 54 * sizeof *block);
    mus_drag_element(&l->weather.air, blend, wind, x, v, gradient, block);
    return 0;
  default:
    return mus_spring_element(&spring_rests(l, which)[k], blend, x, v, gradient, block);
  }
}

// Room for what a list writes, filled with NaN.
typedef struct output {
  double *energy, *gradient, *block;
  size_t energies, gradients, blocks;
} output;

static double *numbers(size_t count) {
  double *memory = malloc(count * sizeof *memory);
  for (size_t k = 0; k < count; ++k)
    memory[k] = NAN;
  return memory;
}

static output output_create(const lists *l, int which) {
  size_t count = (size_t)count_of(l, which), arity = (size_t)arity_of(which);
  output o = {.energies = count, .gradients = count * arity * 3, .blocks = count * arity * (arity + 1) / 2 * 9};
  o.energy = numbers(o.energies);
  o.gradient = numbers(o.gradients);
  o.block = numbers(o.blocks);
  return o;
}

static void output_free(output *o) {
  free(o->energy);
  free(o->gradient);
  free(o->block);
}

static mus_evaluation evaluation_of(const sheet *s, const output *o) {
  mus_evaluation e = {.position = s->position, .velocity = s->velocity, .blend = {0.3, 0.6, 0.01, 0, 0}, .scale = 1};
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
    int arity = arity_of(which), blocks = arity * (arity + 1) / 2 * 9;
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
    size_t vector = 3 * (size_t)arity_of(which), matrix = vector * (vector + 3) / 2;
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
  mus_evaluation e = {.position = position, .blend = {1, 0, 0, 0, 0}, .scale = 1, .energy = o->energy};
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
    for (int k = 0; k < count_of(&l, which) * arity_of(which); ++k)
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
  const mus_hinge_rest *rest = hinge_rests(&l);
  for (int h = 0; h < count_of(&l, HINGES); ++h) {
    const int *vertex = vertices_of(&l, HINGES) + 4 * h;
    const double *a = s.mesh.position + 3 * vertex[0], *b = s.mesh.position + 3 * vertex[1];
    int along_u = fabs(b[0] - a[0]) > 1e-6, along_v = fabs(b[1] - a[1]) > 1e-6, kind = along_u && along_v ? 2 : along_u;
    double sharp = 0.6 + 0.8 * sqrt(0.5);
    double expected[3] = {2 * sharp, 3 * sharp, 5 * 2 * 0.6}; // an edge along v bends the warp
    check_near(rest[h].weight, expected[kind], 1e-12);
    check_near(rest[h].damping, expected[kind] / 2, 1e-12);
    assert_true(rest[h].angle == 0);
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
  mus_element_source source = source_of(&s.mesh, &s.topology, mus_fabric_at(0));
  source.shaped = 1;
  assert_int_equal(mus_element_list_create(&mus_hinge_kind, &s.arena, &source, &l.list[HINGES]), MUS_OK);
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
  const mus_spring_rest *along = spring_rests(&l, EDGE_SPRINGS), *across = spring_rests(&l, HINGE_SPRINGS);
  const mus_buckling_rest *bucklings = l.list[BUCKLINGS].rest;
  for (int k = 0; k < count_of(&l, FABRIC_SPRINGS); ++k) {
    const int *end = vertices_of(&l, FABRIC_SPRINGS) + 2 * k;
    const double *a = s.mesh.position + 3 * end[0], *b = s.mesh.position + 3 * end[1];
    int along_u = fabs(b[0] - a[0]) > 1e-6, along_v = fabs(b[1] - a[1]) > 1e-6;
    double share = mus_edge_sides(&s.topology, k) / 2.0;
    const mus_spring_rest *rest = &spring_rests(&l, FABRIC_SPRINGS)[k];
    check_near(rest->length, along_u && along_v ? 0.01 * sqrt(2) : 0.01, 1e-15);
    check_near(rest->stiffness, along_u && along_v ? bias / 2 : share * f->stretch[along_v], 1e-6);
    check_near(rest->damping, rest->stiffness * f->stretch_damping, 1e-12);
    check_near(along[k].length, rest->length, 1e-15);
    assert_true(along[k].stiffness == 100 && along[k].damping == 0.1);
  }
  for (int k = 0; k < count_of(&l, HINGE_SPRINGS); ++k) {
    const int *end = vertices_of(&l, HINGE_SPRINGS) + 2 * k;
    assert_memory_equal(end, s.topology.hinge + 4 * k + 2, 2 * sizeof *end);
    double d[3];
    mus_subtract3(s.mesh.position + 3 * end[0], s.mesh.position + 3 * end[1], d);
    check_near(across[k].length, sqrt(mus_dot3(d, d)), 1e-15);
    check_near(bucklings[k].length, sqrt(mus_dot3(d, d)), 1e-15);
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

// The constants of a list of a kind.
static const void *rests_of(const mus_element_kind *kind, mus_arena *arena, const mus_mesh *mesh,
                            const mus_topology *topology, const mus_fabric *fabric) {
  mus_element_source source = source_of(mesh, topology, fabric);
  mus_element_list list;
  assert_int_equal(mus_element_list_create(kind, arena, &source, &list), MUS_OK);
  return list.rest;
}

// A seam between panels bends like whole cloth where the fabric is the same in both directions; its springs have the
// lengths of the flat pair; a side longer than the other counts with the mean.
static void seams(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_fabric f = *mus_fabric_at(0);
  const mus_hinge_rest *hinges[2], *mixed;
  const mus_buckling_rest *bucklings[2];
  const mus_spring_rest *springs[2], *along;
  for (int sewn = 0; sewn < 2; ++sewn) {
    mus_mesh mesh = pair(&arena, sewn, 1);
    mus_topology topology;
    assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
    assert_int_equal(topology.hinges, 1);
    hinges[sewn] = rests_of(&mus_hinge_kind, &arena, &mesh, &topology, &f);
    bucklings[sewn] = rests_of(&mus_buckling_kind, &arena, &mesh, &topology, &f);
    springs[sewn] = rests_of(&mus_tension_spring_kind, &arena, &mesh, &topology, &f);
  }
  double span = hypot(0.031, 0.003);
  check_near(hinges[1][0].weight, hinges[0][0].weight, 1e-16);
  check_near(bucklings[0][0].length, span, 1e-15);
  check_near(bucklings[1][0].length, span, 1e-15);
  check_near(bucklings[1][0].stiffness, 2.0 / 3 * f.bend[0] * 0.02, 1e-18);
  check_near(bucklings[1][0].limit, bucklings[0][0].limit, 1e-6);
  check_near(bucklings[0][0].damping, bucklings[0][0].limit * f.bend_damping, 1e-9);
  for (int k = 0; k < 5; ++k)
    check_near(springs[1][k].length, springs[0][k].length, 1e-15);
  // Anisotropic: across the seam one panel bends its warp, the other its weft.
  f.bend[0] = 1, f.bend[1] = 3, f.bend[2] = 2;
  mus_mesh mesh = pair(&arena, 1, 1.5);
  mus_topology topology;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  mixed = rests_of(&mus_hinge_kind, &arena, &mesh, &topology, &f);
  double areas = 0.01 * 0.015 + 0.015 * 0.016, length = 0.025;
  double apex[2] = {(0.015 * 0.015 - 0.009 * 0.011) / (hypot(0.015, 0.009) * hypot(0.015, 0.011)),
                    (0.016 * 0.016 - 0.018 * 0.012) / (hypot(0.016, 0.018) * hypot(0.016, 0.012))};
  check_near(mixed[0].weight, 2 * length * length / areas * (0.6 + 0.4 * (apex[0] + apex[1])), 1e-12);
  along = rests_of(&mus_tension_spring_kind, &arena, &mesh, &topology, &f);
  check_near(along[0].length, 0.025, 1e-15); // the mean of both sides of the seam
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
      for (int k = 0; k < 6; ++k) {
        double *uv = mesh.material + 2 * k, u = uv[0], v = uv[1];
        uv[0] = cos(angle) * u - sin(angle) * v;
        uv[1] = over * (sin(angle) * u + cos(angle) * v);
      }
      assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
      const mus_buckling_rest *bucklings = rests_of(&mus_buckling_kind, &arena, &mesh, &topology, denim);
      double direction = angle + atan2(0.003, 0.031);
      double strip = mus_fabric_strip(denim, cos(direction), sin(direction));
      check_near(bucklings[0].limit, strip * areas / (span * span), 1e-9 * strip);
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
  mus_element_list hinges, bucklings;
  assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_OK);
  mus_element_source source = source_of(&mesh, &topology, &f);
  assert_int_equal(mus_element_list_create(&mus_hinge_kind, &arena, &source, &hinges), MUS_OK);
  assert_int_equal(mus_element_list_create(&mus_buckling_kind, &arena, &source, &bucklings), MUS_OK);
  const mus_hinge_rest *rest = hinges.rest;
  for (double angle = 0.1; angle < 0.5; angle += 0.1) {
    double x[12] = {0}, energy[2];
    for (int v = 0; v < 4; ++v) {
      x[3 * v] = v < 2 ? flat[v][0] : flat[v][0] * cos(angle / 2);
      x[3 * v + 1] = flat[v][1];
      x[3 * v + 2] = v < 2 ? 0 : height * sin(angle / 2);
    }
    mus_evaluation e = {.position = x, .blend = {1, 0, 0, 0, 0}, .scale = 1, .energy = &energy[0]};
    hinges.kind->evaluate(&hinges, 0, 1, &e);
    e.energy = &energy[1];
    bucklings.kind->evaluate(&bucklings, 0, 1, &e);
    check_near(energy[0], rest[0].weight / 2 * angle * angle, 1e-12);
    check_near(energy[1] / energy[0], 1, 0.02);
  }
  mus_arena_clear(&arena);
}

static void measures(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  output o = output_create(&l, MEMBRANES);
  const mus_element_list *membranes = &l.list[MEMBRANES];
  const mus_membrane_rest *rest = membranes->rest;
  total_energy(&l, MEMBRANES, s.position, &o);
  for (int t = 0; t < membranes->count; ++t) {
    mus_membrane_measure measure = mus_membrane_measured(membranes, t, s.position, 3);
    double u = measure.strain[0], v = measure.strain[1];
    check_near(measure.stretch + measure.shear, 3 * o.energy[t], 1e-12 * o.energy[t]);
    check_near(measure.stretch, 1.5 * rest[t].area * (9000 * u * u + 6000 * v * v), 1e-12);
  }
  // Pulled out by a tenth along the warp.
  for (int v = 0; v < s.mesh.vertices; ++v) {
    mus_scale3(1, s.mesh.position + 3 * v, s.position + 3 * v);
    s.position[3 * v] *= 1.1;
  }
  for (int t = 0; t < membranes->count; ++t) {
    mus_membrane_measure measure = mus_membrane_measured(membranes, t, s.position, 1);
    check_near(measure.strain[0], 0.1, 1e-12);
    check_near(measure.strain[1], 0, 1e-12);
    check_near(measure.shear, 0, 1e-15);
  }
  output_free(&o);
  mus_arena_clear(&s.arena);
}

// What a list measures is what it evaluates, under the names that it says, and strains are those of its elements. What
// is changed to another fabric is as if it were made of it.
static void lists_measure_and_change(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3)), other = lists_create(&s, mus_fabric_at(1));
  double *strain = numbers((size_t)s.topology.edges);
  for (int which = 0; which < LISTS; ++which) {
    const mus_element_list *list = &l.list[which];
    output o = output_create(&l, which);
    mus_element_sums sums = {.energy = {0}}, part = {.energy = {0}};
    double energy = which == DRAG ? 0 : total_energy(&l, which, s.position, &o), largest = 0, measured = 0;
    mus_element_list_measure(list, 0, list->count, s.position, 2, list->kind->strains ? strain : NULL, &sums);
    for (int k = 0; k < MUS_ENERGY_NAMES; ++k)
      measured += sums.energy[k];
    check_near(measured, 2 * energy, 1e-12 * energy);
    assert_true((which == DRAG) == (energy == 0) && sums.energy[MUS_ENERGY_NONE] == 0);
    for (int k = 0; k < list->count && list->kind->strains; ++k)
      largest = fmax(largest, strain[k]);
    assert_true(sums.strain == largest && (largest > 0) == list->kind->strains);
    double third = strain[2];
    mus_element_list_measure(list, 2, 1, s.position, 2, list->kind->strains ? strain : NULL, &part);
    assert_true(!list->kind->strains || (strain[0] == third && part.strain == third));
    mus_element_list_take(&other.list[which], &l.list[which]);
    if (which != DRAG)
      assert_true(total_energy(&l, which, s.position, &o) == total_energy(&other, which, s.position, &o));
    output_free(&o);
  }
  free(strain);
  mus_arena_clear(&s.arena);
}

// Triangles that only feel the air: drag on nothing, whatever the scale; no list where there is no air.
static void drag_as_a_kind(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  lists l = lists_create(&s, mus_fabric_at(3));
  output added = output_create(&l, DRAG), own = output_create(&l, DRAG);
  mus_evaluation e = evaluation_of(&s, &added), f = evaluation_of(&s, &own);
  evaluate_list(&l, DRAG, &e);
  mus_weather weather = l.weather;
  weather.gusts = &l.gusts;
  f.weather = &weather;
  f.time = gust_time;
  f.scale = 7;
  mus_drag_kind.evaluate(&l.list[DRAG], 0, count_of(&l, DRAG), &f);
  assert_same(own.gradients, own.gradient, added.gradient);
  assert_same(own.blocks, own.block, added.block);
  f.weather = NULL;
  mus_drag_kind.evaluate(&l.list[DRAG], 0, count_of(&l, DRAG), &f);
  assert_true(check_largest((int)own.gradients, own.gradient) == 0 && own.energy[5] == 0);
  mus_element_source source = source_of(&s.mesh, &s.topology, mus_fabric_at(3));
  source.air = 0;
  mus_element_list none;
  assert_int_equal(mus_element_list_create(&mus_drag_kind, &s.arena, &source, &none), MUS_OK);
  assert_int_equal(none.count, 0);
  output_free(&added), output_free(&own);
  mus_arena_clear(&s.arena);
}

// A triangle without area in the material is named, by every kind of list.
static void triangles_without_area(void **state) {
  (void)state;
  sheet s = sheet_create(0.2);
  mus_element_source source = source_of(&s.mesh, &s.topology, mus_fabric_at(0));
  memcpy(s.mesh.material + 6 * 77, s.mesh.material + 6 * 77 + 2, 2 * sizeof(double));
  const char *expected = "triangle 77 has no area in the material; repair the mesh's rest shape";
  for (int which = 0; which < DRAG; ++which) {
    mus_element_list list;
    assert_int_equal(mus_element_list_create(kinds[which], &s.arena, &source, &list), MUS_BAD_INPUT);
    assert_string_equal(mus_last_error(), expected);
  }
  mus_arena_clear(&s.arena);
}

static mus_status create_all(sheet *s, mus_arena *arena) {
  mus_element_source source = source_of(&s->mesh, &s->topology, mus_fabric_at(0));
  mus_status status = MUS_OK;
  source.shaped = 1;
  for (int which = 0; which < LISTS && !status; ++which) {
    mus_element_list list;
    status = mus_element_list_create(kinds[which], arena, &source, &list);
  }
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
      cmocka_unit_test(lists_measure_and_change),
      cmocka_unit_test(drag_as_a_kind),
      cmocka_unit_test(triangles_without_area),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
