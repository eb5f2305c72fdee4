// Topology: exact counts where they are known, and tables made by trying everything where they are not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/topology.h"
#include "support/meshes.h"
#include "support/sweep.h"

static mus_topology topology_of(mus_arena *arena, const mus_mesh *mesh) {
  mus_topology topology;
  if (mus_topology_create(arena, mesh, &topology) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return topology;
}

// --- everything, by trying -----------------------------------------------------------------------------------------

static int has_corner(const mus_mesh *mesh, int t, int v) {
  const int *corner = mesh->triangle + 3 * t;
  return corner[0] == v || corner[1] == v || corner[2] == v;
}

// Whether triangle t goes from a to b, in this direction.
static int runs(const mus_mesh *mesh, int t, int a, int b) {
  const int *corner = mesh->triangle + 3 * t;
  for (int k = 0; k < 3; ++k)
    if (corner[k] == a && corner[(k + 1) % 3] == b)
      return 1;
  return 0;
}

static int third(const mus_mesh *mesh, int t, int a, int b) {
  for (int k = 0; k < 3; ++k)
    if (mesh->triangle[3 * t + k] != a && mesh->triangle[3 * t + k] != b)
      return mesh->triangle[3 * t + k];
  return -1;
}

// Triangles with both vertices, in order.
static int triangles_at(const mus_mesh *mesh, int a, int b, int *list) {
  int count = 0;
  for (int t = 0; t < mesh->triangles; ++t)
    if (has_corner(mesh, t, a) && has_corner(mesh, t, b))
      list[count++] = t;
  return count;
}

static void check_hinge(const mus_mesh *mesh, const mus_topology *topology, int h, int edge, const int *both) {
  const int *hinge = topology->hinge + 4 * h;
  assert_int_equal(topology->hinge_edge[h], edge);
  int a = hinge[0], b = hinge[1];
  assert_true((a == topology->edge[2 * edge] && b == topology->edge[2 * edge + 1]) ||
              (b == topology->edge[2 * edge] && a == topology->edge[2 * edge + 1]));
  assert_true(runs(mesh, both[0], a, b));
  assert_int_equal(hinge[2], third(mesh, both[0], a, b));
  assert_int_equal(hinge[3], third(mesh, both[1], a, b));
}

// Every pair of vertices with all its triangles: edges, their sides, hinges, in order.
static void check_edges(const mus_mesh *mesh, const mus_topology *topology) {
  int *list = malloc((size_t)mesh->triangles * sizeof *list + 1), e = 0, h = 0, boundary = 0, branching = 0;
  assert_non_null(list);
  for (int a = 0; a < mesh->vertices; ++a)
    for (int b = a + 1; b < mesh->vertices; ++b) {
      int count = triangles_at(mesh, a, b, list);
      if (count == 0)
        continue;
      assert_true(e < topology->edges);
      assert_true(topology->edge[2 * e] == a && topology->edge[2 * e + 1] == b);
      assert_int_equal(mus_edge_sides(topology, e), count);
      for (int i = 0; i < count; ++i) {
        int side = topology->edge_side[topology->edge_side_start[e] + i];
        assert_int_equal(side / 3, list[i]);
        assert_int_equal(topology->side_edge[side], e);
        assert_int_equal(mus_side_apex(mesh, side), third(mesh, list[i], a, b));
        assert_true(runs(mesh, list[i], mus_side_from(mesh, side), mus_side_to(mesh, side)));
      }
      boundary += count == 1;
      branching += count > 2;
      if (count == 2 && third(mesh, list[0], a, b) != third(mesh, list[1], a, b))
        check_hinge(mesh, topology, h++, e, list);
      ++e;
    }
  assert_int_equal(e, topology->edges);
  assert_int_equal(h, topology->hinges);
  assert_int_equal(boundary, topology->boundary_edges);
  assert_int_equal(branching, topology->branching_edges);
  free(list);
}

static void check_incidence(const mus_mesh *mesh, const mus_topology *topology) {
  int k = 0;
  for (int v = 0; v < mesh->vertices; ++v) {
    assert_int_equal(topology->vertex_start[v], k);
    for (int t = 0; t < mesh->triangles; ++t)
      if (has_corner(mesh, t, v))
        assert_int_equal(topology->vertex_triangle[k++], t);
  }
  assert_int_equal(topology->vertex_start[mesh->vertices], k);
}

// Labels spread until nothing changes.
static void check_components(const mus_mesh *mesh, const mus_topology *topology) {
  int *label = malloc((size_t)mesh->vertices * sizeof *label + 1), changed = 1, components = 0;
  assert_non_null(label);
  for (int v = 0; v < mesh->vertices; ++v)
    label[v] = v;
  while (changed) {
    changed = 0;
    for (int i = 0; i < mesh->triangles * 3; ++i) {
      int a = mesh->triangle[i], b = mesh->triangle[i - i % 3 + (i + 1) % 3];
      if (label[b] > label[a])
        label[b] = label[a], changed = 1;
      else if (label[a] > label[b])
        label[a] = label[b], changed = 1;
    }
  }
  for (int v = 0; v < mesh->vertices; ++v) {
    int loose = topology->vertex_start[v] == topology->vertex_start[v + 1];
    if (loose)
      assert_int_equal(topology->component[v], -1);
    else if (label[v] == v)
      assert_int_equal(topology->component[v], components++);
    else
      assert_int_equal(topology->component[v], topology->component[label[v]]);
  }
  assert_int_equal(topology->components, components);
  free(label);
}

static int find_edge(const mus_topology *topology, int a, int b) {
  for (int e = 0; e < topology->edges; ++e)
    if (topology->edge[2 * e] == (a < b ? a : b) && topology->edge[2 * e + 1] == (a < b ? b : a))
      return e;
  return -1;
}

// Every boundary edge lies on one loop, once.
static void check_loops(const mus_mesh *mesh, const mus_topology *topology) {
  int *visits = calloc((size_t)topology->edges + 1, sizeof *visits);
  assert_non_null(visits);
  (void)mesh;
  for (int l = 0; l < topology->loops; ++l) {
    int first = topology->loop_start[l], end = topology->loop_start[l + 1];
    for (int i = first; i < end; ++i) {
      int last = i + 1 == end;
      if (last && !topology->loop_closed[l])
        break;
      int edge = find_edge(topology, topology->loop[i], topology->loop[last ? first : i + 1]);
      assert_true(edge >= 0 && mus_edge_sides(topology, edge) == 1);
      ++visits[edge];
    }
    if (topology->branching_edges == 0)
      assert_true(topology->loop_closed[l]);
  }
  for (int e = 0; e < topology->edges; ++e)
    assert_int_equal(visits[e], mus_edge_sides(topology, e) == 1);
  free(visits);
}

static void check_all(const mus_mesh *mesh) {
  mus_arena arena = {0};
  mus_topology topology = topology_of(&arena, mesh);
  check_incidence(mesh, &topology);
  check_edges(mesh, &topology);
  check_components(mesh, &topology);
  check_loops(mesh, &topology);
  mus_arena_clear(&arena);
}

static void any_mesh_against_brute_force(void **state) {
  (void)state;
  mus_arena arena = {0};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    mus_mesh soup = meshes_soup(&arena, 4 + (int)seed % 20, (int)seed * 2, seed);
    check_all(&soup);
    mus_mesh tattered = meshes_tattered(&arena, 3 + (int)seed % 6, seed);
    check_all(&tattered);
  }
  mus_mesh ball = meshes_ball(&arena, 2), band = meshes_moebius(&arena, 9);
  check_all(&ball);
  check_all(&band);
  mus_arena_clear(&arena);
}

// --- what is known -------------------------------------------------------------------------------------------------

static void a_grid_has_the_counts_of_euler(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int sizes[][2] = {{2, 2}, {3, 2}, {5, 7}, {31, 31}, {101, 40}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    int m = sizes[k][0] - 1, n = sizes[k][1] - 1;
    mus_mesh mesh = meshes_grid(&arena, m + 1, n + 1);
    mus_topology topology = topology_of(&arena, &mesh);
    assert_int_equal(mesh.vertices - topology.edges + mesh.triangles, 1);
    assert_int_equal(topology.boundary_edges, 2 * (m + n));
    assert_int_equal(topology.hinges, 3 * m * n - m - n);
    assert_int_equal(topology.hinges + topology.boundary_edges, topology.edges);
    assert_int_equal(topology.branching_edges, 0);
    assert_int_equal(topology.components, 1);
    assert_int_equal(topology.loops, 1);
    assert_int_equal(topology.loop_start[1], 2 * (m + n));
    assert_int_equal(topology.loop_closed[0], 1);
  }
  mus_arena_clear(&arena);
}

// The boundary of a 3 x 2 grid, from its first boundary side on and with the surface to the left.
static void loops_run_as_the_triangles_do(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 3, 2);
  mus_topology topology = topology_of(&arena, &mesh);
  static const int expected[] = {0, 1, 2, 5, 4, 3};
  assert_int_equal(topology.loop_start[1], 6);
  assert_memory_equal(topology.loop, expected, sizeof expected);
  mus_arena_clear(&arena);
}

static void a_ball_is_closed(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_ball(&arena, 3);
  mus_topology topology = topology_of(&arena, &mesh);
  assert_int_equal(mesh.vertices - topology.edges + mesh.triangles, 2);
  assert_int_equal(topology.boundary_edges, 0);
  assert_int_equal(topology.loops, 0);
  assert_int_equal(topology.hinges, topology.edges);
  mus_arena_clear(&arena);
}

static void a_moebius_band_has_one_loop(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_moebius(&arena, 12);
  mus_topology topology = topology_of(&arena, &mesh);
  assert_int_equal(mesh.vertices - topology.edges + mesh.triangles, 0);
  assert_int_equal(topology.loops, 1);
  assert_int_equal(topology.loop_start[1], 24);
  mus_arena_clear(&arena);
}

// Two squares that share a corner: one component, two loops or one through the corner, never a mix of the two.
static void a_bow_tie_has_two_loops(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int triangles[] = {0, 1, 2, 2, 3, 4};
  mus_mesh mesh = meshes_given(&arena, 5, 2, NULL, triangles, NULL);
  mus_topology topology = topology_of(&arena, &mesh);
  assert_int_equal(topology.components, 1);
  assert_int_equal(topology.loops, 2);
  static const int expected[] = {0, 1, 2, 2, 3, 4};
  assert_memory_equal(topology.loop, expected, sizeof expected);
  mus_arena_clear(&arena);
}

// Three leaves of a book: the spine branches, and each leaf's boundary ends there.
static void loops_end_at_branching_edges(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int triangles[] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
  mus_mesh mesh = meshes_given(&arena, 5, 3, NULL, triangles, NULL);
  mus_topology topology = topology_of(&arena, &mesh);
  assert_int_equal(topology.branching_edges, 1);
  assert_int_equal(topology.hinges, 0);
  assert_int_equal(topology.loops, 3);
  static const int expected[] = {1, 2, 0, 1, 3, 0, 0, 4, 1};
  assert_memory_equal(topology.loop, expected, sizeof expected);
  for (int l = 0; l < 3; ++l)
    assert_int_equal(topology.loop_closed[l], 0);
  mus_arena_clear(&arena);
}

static void two_panels_are_two_components(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int triangles[] = {5, 6, 4, 1, 2, 3};
  mus_mesh mesh = meshes_given(&arena, 8, 2, NULL, triangles, NULL);
  mus_topology topology = topology_of(&arena, &mesh);
  static const int expected[] = {-1, 0, 0, 0, 1, 1, 1, -1};
  assert_int_equal(topology.components, 2);
  assert_memory_equal(topology.component, expected, sizeof expected);
  mus_arena_clear(&arena);
}

static void nothing_is_fine(void **state) {
  (void)state;
  mus_arena arena = {0};
  static const int none[1] = {0};
  mus_mesh mesh = meshes_given(&arena, 3, 0, NULL, none, NULL);
  mus_topology topology = topology_of(&arena, &mesh);
  assert_true(topology.edges == 0 && topology.hinges == 0 && topology.loops == 0 && topology.components == 0);
  mus_arena_clear(&arena);
}

// --- what is refused -----------------------------------------------------------------------------------------------

static void bad_triangles_are_named(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_topology untouched = {.edges = -7}, topology = untouched;
  static const int cases[][6] = {{0, 1, 2, 0, 2, 4}, {0, 1, 2, -1, 2, 3}, {0, 1, 2, 3, 2, 3}, {0, 1, 2, 3, 3, 1}};
  static const char *const texts[] = {"triangle 1 has vertex 4 outside 0...3: correct the mesh",
                                      "triangle 1 has vertex -1 outside 0...3: correct the mesh",
                                      "triangle 1 has a vertex twice (3 2 3): remove it, or repair the mesh",
                                      "triangle 1 has a vertex twice (3 3 1): remove it, or repair the mesh"};
  for (size_t k = 0; k < 4; ++k) {
    mus_mesh mesh = meshes_given(&arena, 4, 2, NULL, cases[k], NULL);
    assert_int_equal(mus_topology_create(&arena, &mesh, &topology), MUS_BAD_INPUT);
    assert_string_equal(mus_last_error(), texts[k]);
    assert_int_equal(topology.edges, -7);
  }
  mus_arena_clear(&arena);
}

static mus_status create(mus_arena *arena, void *mesh) {
  mus_topology topology;
  return mus_topology_create(arena, mesh, &topology);
}

static void allocations_may_fail(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_grid(&arena, 6, 6);
  assert_true(sweep_allocations(&arena, create, &mesh) > 15);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_mesh_against_brute_force),
      cmocka_unit_test(a_grid_has_the_counts_of_euler),
      cmocka_unit_test(loops_run_as_the_triangles_do),
      cmocka_unit_test(a_ball_is_closed),
      cmocka_unit_test(a_moebius_band_has_one_loop),
      cmocka_unit_test(a_bow_tie_has_two_loops),
      cmocka_unit_test(loops_end_at_branching_edges),
      cmocka_unit_test(two_panels_are_two_components),
      cmocka_unit_test(nothing_is_fine),
      cmocka_unit_test(bad_triangles_are_named),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
