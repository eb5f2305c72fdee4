// Cloth that starts tangled comes apart by pushes alone, and is left alone then.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/vector3.h"
#include "mesh/body_surfaces.h"
#include "mesh/generate.h"
#include "par/par.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/untangling.h"

static const double pi = 3.14159265358979323846;
static const double radius = 1e-3, step = 5e-3;

// side x side vertices, 1 m wide, flat at y = 0.
static mus_mesh square(mus_arena *arena, int side) {
  mus_mesh mesh = meshes_grid(arena, side, side);
  for (int v = 0; v < mesh.vertices; ++v) {
    mesh.position[3 * v] = mesh.position[3 * v] / (side - 1) - 0.5;
    mesh.position[3 * v + 2] = mesh.position[3 * v + 2] / (side - 1) - 0.5;
  }
  return mesh;
}

static const double *flat_copy(mus_arena *arena, const mus_mesh *mesh) {
  mus_mesh copy;
  assert_ok(mus_mesh_copy(arena, mesh, &copy));
  return copy.position;
}

static void move(mus_mesh *mesh, double dx, double dy, double dz) {
  for (int v = 0; v < mesh->vertices; ++v) {
    mesh->position[3 * v] += dx;
    mesh->position[3 * v + 1] += dy;
    mesh->position[3 * v + 2] += dz;
  }
}

// About the z axis.
static void turn(mus_mesh *mesh, double angle) {
  for (int v = 0; v < mesh->vertices; ++v) {
    double *p = mesh->position + 3 * v, x = p[0], y = p[1];
    p[0] = cos(angle) * x - sin(angle) * y;
    p[1] = sin(angle) * x + cos(angle) * y;
  }
}

// --- scenes --------------------------------------------------------------------------------------------------------

// A sheet above another, dipped through it.
static untangling *dipped(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), b = square(&arena, 18);
  const double *unbent = flat_copy(&arena, &a);
  for (int v = 0; v < a.vertices; ++v) {
    double *p = a.position + 3 * v;
    p[1] = 0.03 - 0.2 * exp(-30 * ((p[0] - 0.1) * (p[0] - 0.1) + p[2] * p[2]));
  }
  untangling *u = untangling_of(2, (untangling_part[]){{&a, unbent, 0}, {&b, NULL, 0}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// Upright through a flat one, the lower part being the smaller.
static untangling *upright(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), b = square(&arena, 18);
  for (int v = 0; v < a.vertices; ++v)
    a.position[3 * v + 2] *= 0.83;
  turn(&a, pi / 2 - 0.1);
  move(&a, 0.05, 0.3, 0.013);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&b, NULL, 0}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// Side by side, so that the contour runs from the rim of one to the rim of the other and cuts neither in two.
static untangling *interleaved(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), b = square(&arena, 18);
  turn(&a, 1.2);
  move(&a, 0.02, 0.01, 0.75);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&b, NULL, 0}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// A corner bent over by most of a circle and then straight on through its own sheet.
static untangling *own_corner(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 31);
  const double *unbent = flat_copy(&arena, &a);
  const double r = 0.06, from = 0.2, most = 1.6 * pi;
  for (int v = 0; v < a.vertices; ++v) {
    double *p = a.position + 3 * v, along = (p[0] + p[2]) / sqrt(2), across = (p[0] - p[2]) / sqrt(2);
    if (along <= from)
      continue;
    double angle = fmin((along - from) / r, most), rest = along - from - angle * r;
    double u = from + r * sin(angle) + rest * cos(angle), y = r * (1 - cos(angle)) + rest * sin(angle);
    p[0] = (u + across) / sqrt(2);
    p[1] = y;
    p[2] = (u - across) / sqrt(2);
  }
  untangling *u = untangling_of(1, &(untangling_part){&a, unbent, 0}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

static mus_mesh tube(mus_arena *arena, double r, double length, int around, int rows) {
  mus_mesh mesh;
  assert_ok(mus_mesh_create(arena, around * (rows + 1), 2 * around * rows, 0, &mesh));
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j < around; ++j) {
      double *p = mesh.position + 3 * (i * around + j), angle = 2 * pi * j / around;
      p[0] = r * cos(angle);
      p[1] = length * ((double)i / rows - 0.5);
      p[2] = r * sin(angle);
    }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < around; ++j) {
      int a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
      memcpy(mesh.triangle + 6 * (i * around + j), (int[]){a, c, b, b, c, d}, 6 * sizeof(int));
    }
  return mesh;
}

// A tube along x through the wall of an upright one, its end at `end`.
static untangling *tubes(double r, double end) {
  mus_arena arena = {0};
  mus_mesh a = tube(&arena, 0.06, 0.6, 15, 24), b = tube(&arena, r, 0.6, 30, 24);
  turn(&a, pi / 2);
  move(&a, 0.3 + end, 0.017, 0.021);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&b, NULL, 0}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}
static untangling *tube_in_tube(void) { return tubes(0.2, 0.1); }
// Out again on the other side: it has to be pulled out through both walls.
static untangling *tube_through_tube(void) { return tubes(0.1, -0.15); }

static mus_mesh sphere(mus_arena *arena, double r) {
  mus_mesh mesh;
  assert_ok(mus_body_capsule(arena, r, 0, 4e-3, &mesh));
  return mesh;
}

// A sheet through a sphere at a height.
static untangling *through_sphere(double height) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 31), ball = sphere(&arena, 0.2);
  move(&a, 0, height, 0);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&ball, NULL, 1}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}
static untangling *sphere_above_middle(void) { return through_sphere(0.06); }
static untangling *sphere_in_the_middle(void) { return through_sphere(0); }

// Two parts that overlap: what lies in the overlap is held there, and comes out with the rest.
static untangling *through_two_spheres(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), left = sphere(&arena, 0.2), right = sphere(&arena, 0.2);
  move(&a, 0.01, 0.08, 0.02);
  move(&left, -0.12, 0, 0);
  move(&right, 0.12, 0, 0);
  untangling *u =
      untangling_of(3, (untangling_part[]){{&a, NULL, 0}, {&left, NULL, 1}, {&right, NULL, 1}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

static untangling *through_box(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 31), box;
  assert_ok(mus_body_box(&arena, (const double[3]){0.4, 0.3, 0.5}, &box));
  turn(&a, 0.2);
  move(&a, 0.013, 0.1, 0.007);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&box, NULL, 1}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// A body that is a mere sheet, cloth half below its front.
static untangling *through_plane(void) {
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), plane;
  assert_ok(mus_body_plane(&arena, 3, 3, &plane));
  turn(&a, 0.4);
  move(&a, 0.1, -0.02, 0.007);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&plane, NULL, 1}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// A spike of a few vertices through the middle of coarse triangles, no vertex of which is inside.
static untangling *on_a_spike(void) {
  static const int triangle[] = {0, 1, 3, 1, 2, 3, 2, 0, 3, 1, 0, 2};
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 5), spike;
  static const double position[] = {0, -0.4, 0.03, 0.03, -0.4, -0.02, -0.03, -0.4, -0.02, 0.004, 0.15, 0};
  spike = meshes_given(&arena, 4, 4, position, triangle, NULL);
  move(&a, 0.12, 0, 0.09);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&spike, NULL, 1}}, radius, step);
  mus_arena_clear(&arena);
  return u;
}

// --- what must hold ------------------------------------------------------------------------------------------------

typedef struct example {
  const char *name;
  untangling *(*make)(void);
  int most; // iterations
} example;

static const example examples[] = {{"dipped", dipped, 100},
                                   {"upright", upright, 150},
                                   {"interleaved", interleaved, 200},
                                   {"own corner", own_corner, 150},
                                   {"tube in tube", tube_in_tube, 150},
                                   {"tube through tube", tube_through_tube, 300},
                                   {"sphere above the middle", sphere_above_middle, 150},
                                   {"sphere in the middle", sphere_in_the_middle, 150},
                                   {"two spheres", through_two_spheres, 200},
                                   {"box", through_box, 150},
                                   {"plane", through_plane, 200},
                                   {"spike", on_a_spike, 100}};
enum { example_count = sizeof examples / sizeof *examples };

// Contacts as contact.h has them, in order, no pair twice.
static void check_pushes(const untangling *u) {
  const mus_contact *push = mus_contacts(&u->pushes);
  for (size_t i = 0; i < u->pushes.count; ++i) {
    const double *w = push[i].weight;
    assert_true(push[i].distance <= 0);
    assert_true(fabs(w[0] + w[1] + w[2] + w[3]) < 1e-12);
    assert_true(fabs(mus_length3(push[i].normal) - 1) < 1e-9);
    if (i == 0)
      continue;
    const mus_contact *last = push + i - 1;
    assert_true(last->kind < push[i].kind ||
                (last->kind == push[i].kind &&
                 (last->first < push[i].first || (last->first == push[i].first && last->second < push[i].second))));
  }
}

static void tangles_come_apart_and_stay_so(void **state) {
  (void)state;
  for (int i = 0; i < example_count; ++i) {
    untangling *u = examples[i].make();
    int before = untangling_advance(u);
    check_pushes(u);
    int iterations = untangling_run(u, examples[i].most);
    print_message("%-24s %4d crossings, free after %d iterations\n", examples[i].name, before, iterations);
    assert_true(before > 0);
    if (iterations < 0)
      fail_msg("%s: %d crossings left, %d inside", examples[i].name, untangling_crossings(u), u->record.inside);
    for (int k = 0; k < 10; ++k) {
      assert_int_equal(untangling_advance(u), 0);
      assert_int_equal(u->pushes.count, 0);
    }
    untangling_free(u);
  }
}

static void vertices_go_to_the_nearest_point(void **state) {
  (void)state;
  untangling *u = sphere_above_middle();
  untangling_crossings(u);
  assert_ok(mus_untangle_pushes(u->untangler, u->x, &u->crossings, 0, &u->pushes, NULL, &u->record));
  int inside = 0;
  for (int v = 0; v < u->surface.cloth_vertices; ++v)
    inside += mus_length3(u->x + 3 * v) < 0.194;
  assert_true(u->record.inside >= inside && inside > 50);
  assert_true(u->pushes.count >= (size_t)u->record.inside);
  for (size_t i = 0; i < u->pushes.count; ++i) {
    const mus_contact *c = mus_contacts(&u->pushes) + i;
    const double *p = u->x + 3 * c->first;
    if (c->kind != MUS_VERTEX_FACE || mus_length3(p) > 0.19)
      continue;
    assert_true(fabs(mus_dot3(c->normal, p) / mus_length3(p) - 1) < 0.05); // a facet's point, not the sphere's
    assert_true(fabs(-c->distance - (0.2 - mus_length3(p)) - 2 * radius) < 5e-3);
  }
  untangling_free(u);
}

static void cloth_without_crossings_is_found_when_asked_for(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 5), ball = sphere(&arena, 0.2);
  for (int i = 0; i < 3 * a.vertices; ++i)
    a.position[i] *= 0.1;
  move(&a, 0.02, 0.1, 0);
  untangling *u = untangling_of(2, (untangling_part[]){{&a, NULL, 0}, {&ball, NULL, 1}}, radius, step);
  assert_int_equal(untangling_advance(u), 0);
  assert_int_equal(u->pushes.count, 0);
  u->all = 1;
  assert_int_equal(untangling_advance(u), 0);
  assert_int_equal(u->record.inside, a.vertices);
  assert_true(untangling_run(u, 100) > 0);
  untangling_free(u);
  mus_arena_clear(&arena);
}

static double largest_strain(const untangling *u) {
  double largest = 0, along[3];
  for (int e = 0; e < u->surface.cloth_edges; ++e) {
    const int *end = u->surface.edge + 2 * e;
    mus_subtract3(u->x + 3 * end[1], u->x + 3 * end[0], along);
    largest = fmax(largest, fabs(mus_length3(along) / u->rest[e] - 1));
  }
  return largest;
}

static double largest_motion(const untangling *u) {
  double largest = 0, way[3];
  for (int v = 0; v < u->surface.cloth_vertices; ++v) {
    mus_subtract3(u->x + 3 * v, u->before + 3 * v, way);
    largest = fmax(largest, mus_length3(way));
  }
  return largest;
}

// Two boxes close on a sheet until they overlap by 6 cm, wait, and part again.
static void pinched_cloth_stays_calm_and_comes_free(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh a = square(&arena, 21), left, right;
  const double size[3] = {0.4, 0.4, 0.4}, pace = 2e-3;
  assert_ok(mus_body_box(&arena, size, &left));
  assert_ok(mus_body_box(&arena, size, &right));
  turn(&a, pi / 2);
  move(&a, 0.003, 0.01, 0.005);
  move(&left, -0.22, 0, 0);
  move(&right, 0.22, 0, 0);
  untangling *u =
      untangling_of(3, (untangling_part[]){{&a, NULL, 0}, {&left, NULL, 1}, {&right, NULL, 1}}, radius, step);
  double strain = 0, motion = 0;
  int pinched = 0;
  u->guarded = 0; // no response can help here
  for (int i = 0; i < 140; ++i) {
    double way = i < 25 ? pace : i < 80 ? 0 : i < 110 ? -pace : 0;
    u->carry[0][0] = way;
    u->carry[1][0] = -way;
    untangling_advance(u);
    pinched += u->record.pinched;
    strain = fmax(strain, largest_strain(u));
    if (i >= 60 && i < 80)
      motion = fmax(motion, largest_motion(u));
  }
  print_message("pinched: strain %.3f, %.2g m an iteration at rest, %d crossings in the end\n", strain, motion,
                untangling_crossings(u));
  assert_true(pinched > 0);
  assert_true(strain < 0.1);
  assert_true(motion < 2 * step);
  assert_int_equal(untangling_crossings(u), 0);
  assert_int_equal(u->record.inside, 0);
  untangling_free(u);
  mus_arena_clear(&arena);
}

static void assert_same_pushes(const mus_list *first, const mus_list *second) {
  assert_int_equal(first->count, second->count);
  for (size_t i = 0; i < first->count; ++i) {
    const mus_contact *a = mus_contacts(first) + i, *b = mus_contacts(second) + i;
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(a->node, b->node, sizeof a->node);
    assert_memory_equal(a->weight, b->weight, sizeof a->weight);
    assert_memory_equal(a->normal, b->normal, sizeof a->normal);
    assert_true(a->distance == b->distance);
  }
}

static void pushes_do_not_depend_on_threads(void **state) {
  (void)state;
  for (int i = 0; i < example_count; ++i) {
    untangling *u = examples[i].make();
    mus_list other = {0};
    for (int all = 0; all < 2; ++all)
      for (int threads = 1; threads <= 7; threads = threads == 1 ? 2 : threads + 5) {
        mus_par_set_threads(threads);
        untangling_crossings(u);
        assert_ok(mus_untangle_pushes(u->untangler, u->x, &u->crossings, all, threads == 1 ? &u->pushes : &other, NULL,
                                      NULL));
        if (threads > 1)
          assert_same_pushes(&u->pushes, &other);
      }
    mus_par_set_threads(0);
    mus_free(other.items);
    untangling_free(u);
  }
}

static void short_memory_is_reported(void **state) {
  (void)state;
  untangling *u = sphere_above_middle();
  untangling_crossings(u);
  int made = 0, pushed = 0;
  mus_untangler *other = NULL;
  mus_list pushes = {0}, released = {0};
  for (mus_status status = MUS_OUT_OF_MEMORY; status != MUS_OK; ++made) {
    mus_memory_fail_after(made);
    status = mus_untangler_create(&u->surface, u->x, &other);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  for (mus_status status = MUS_OUT_OF_MEMORY; status != MUS_OK; ++pushed) {
    mus_free(pushes.items);
    mus_free(released.items);
    pushes = released = (mus_list){0};
    mus_memory_fail_after(pushed);
    status = mus_untangle_pushes(other, u->x, &u->crossings, 0, &pushes, &released, NULL);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  assert_true(made > 8 && pushed > 8);
  assert_int_equal(mus_untangler_bytes(other), mus_untangler_bytes(u->untangler));
  assert_ok(mus_untangle_pushes(u->untangler, u->x, &u->crossings, 0, &u->pushes, NULL, NULL));
  assert_same_pushes(&u->pushes, &pushes); // what failed before has left no trace
  mus_free(pushes.items);
  mus_free(released.items);
  mus_untangler_free(other);
  untangling_free(u);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tangles_come_apart_and_stay_so),
                                     cmocka_unit_test(vertices_go_to_the_nearest_point),
                                     cmocka_unit_test(cloth_without_crossings_is_found_when_asked_for),
                                     cmocka_unit_test(pinched_cloth_stays_calm_and_comes_free),
                                     cmocka_unit_test(pushes_do_not_depend_on_threads),
                                     cmocka_unit_test(short_memory_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
