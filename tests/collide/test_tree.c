// The tree of boxes: every pair of triangles whose boxes meet is visited once, no other, by any number of tasks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "collide/tree.h"
#include "support/check.h"
#include "support/meshes.h"

typedef struct forest {
  mus_arena arena;
  mus_mesh mesh;
  mus_box *box;         // of vertices
  unsigned char *moved; // of vertices
  mus_tree first, second;
} forest;

static void plant(forest *f, int triangles, int split, uint64_t seed) {
  *f = (forest){0};
  f->mesh = meshes_soup(&f->arena, triangles + 3, triangles, seed);
  f->box = mus_arena_alloc_zero(&f->arena, (size_t)f->mesh.vertices, sizeof *f->box);
  f->moved = mus_arena_alloc_zero(&f->arena, (size_t)f->mesh.vertices, 1);
  for (int i = 0; i < f->mesh.triangles * 3; ++i) // small triangles: corners near the first one's place
    for (int c = 0; c < 3; ++c)
      f->mesh.position[3 * f->mesh.triangle[i] + c] =
          mus_random(seed + 1, (uint64_t)(3 * (i / 3) + c)) + 0.1 * mus_random(seed, (uint64_t)(3 * i + c));
  for (int v = 0; v < f->mesh.vertices; ++v) {
    f->moved[v] = v % 5 == 0;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 2; ++i) {
        float x = (float)(f->mesh.position[3 * v + c] + 0.1 * i * mus_random(seed + 2, (uint64_t)(3 * v + c)));
        f->box[v].low[i][c] = x - 0.01f;
        f->box[v].high[i][c] = x + 0.01f;
      }
  }
  const int *corner = f->mesh.triangle;
  const double *x = f->mesh.position;
  int levels = mus_tree_levels(split > triangles - split ? split : triangles - split);
  assert_ok(mus_tree_create(&f->arena, 0, split, levels, corner, x, &f->first));
  assert_ok(mus_tree_create(&f->arena, split, triangles - split, levels, corner, x, &f->second));
}

static mus_box triangle_box(const forest *f, int t) {
  const int *v = f->mesh.triangle + 3 * t;
  mus_box box = mus_box_around(&f->box[v[0]], &f->box[v[1]]);
  return mus_box_around(&box, &f->box[v[2]]);
}

static int is_marked(const forest *f, const unsigned char *moved, int t) {
  const int *v = f->mesh.triangle + 3 * t;
  (void)f;
  return !moved || moved[v[0]] || moved[v[1]] || moved[v[2]];
}

typedef struct visits {
  int count[256][256];
} visits;

static void note(void *context, const mus_tree_task *task, int place_a, int place_b) {
  visits *v = context;
  int a = task->first->triangle[place_a], b = task->second->triangle[place_b];
  ++v->count[a < b ? a : b][a < b ? b : a];
}

static int walk_all(const mus_tree *first, const mus_tree *second, visits *v) {
  mus_tree_task *task = malloc(MUS_TREE_TASKS * sizeof *task);
  int tasks = mus_tree_tasks(first, second, task);
  for (int i = 0; i < tasks; ++i)
    mus_tree_walk(&task[i], note, v);
  free(task);
  return tasks;
}

static void check_pairs(forest *f, const unsigned char *moved) {
  static visits v;
  v = (visits){0};
  mus_tree_fit(&f->first, f->mesh.triangle, f->box, NULL, moved);
  mus_tree_fit(&f->second, f->mesh.triangle, f->box, NULL, moved);
  walk_all(&f->first, &f->first, &v);
  walk_all(&f->first, &f->second, &v);
  int met = 0;
  for (int a = 0; a < f->mesh.triangles; ++a)
    for (int b = a + 1; b < f->mesh.triangles; ++b) {
      mus_box box_a = triangle_box(f, a), box_b = triangle_box(f, b);
      int expected = a < f->first.triangles && mus_boxes_meet(&box_a, &box_b) &&
                     (is_marked(f, moved, a) || is_marked(f, moved, b));
      assert_int_equal(v.count[a][b], expected);
      met += expected;
    }
  assert_true(met > 0 || f->mesh.triangles < 10);
}

static void test_pairs(void **state) {
  (void)state;
  const int sizes[][2] = {{1, 1}, {4, 2}, {5, 5}, {9, 4}, {33, 20}, {100, 90}, {200, 64}, {256, 255}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    forest f;
    plant(&f, sizes[i][0], sizes[i][1], i);
    check_pairs(&f, NULL);
    if (sizes[i][0] >= 33)
      check_pairs(&f, f.moved);
    mus_arena_clear(&f.arena);
  }
}

// Each triangle stands in one place, and each box is that around what lies below.
static void test_shape(void **state) {
  (void)state;
  forest f;
  plant(&f, 201, 201, 3);
  mus_tree *tree = &f.first;
  mus_tree_fit(tree, f.mesh.triangle, f.box, NULL, NULL);
  int seen[201] = {0};
  for (int i = 0; i < tree->triangles; ++i)
    ++seen[tree->triangle[i]];
  for (int t = 0; t < 201; ++t)
    assert_int_equal(seen[t], 1);
  assert_int_equal(tree->level_start[tree->levels] - tree->level_start[tree->levels - 1], 1);
  for (int level = 1; level < tree->levels; ++level)
    for (int i = 0; i < tree->level_start[level] - tree->level_start[level - 1]; ++i) {
      mus_box box = mus_group_box(&tree->group[tree->level_start[level] + i / 4], i % 4);
      mus_box_group *below = &tree->group[tree->level_start[level - 1] + i];
      for (int n = 0; n < 6; ++n) {
        float low = below->low[n / 3][n % 3][0], high = below->high[n / 3][n % 3][0];
        for (int k = 1; k < 4; ++k) {
          low = fminf(low, below->low[n / 3][n % 3][k]);
          high = fmaxf(high, below->high[n / 3][n % 3][k]);
        }
        assert_true(low == box.low[n / 3][n % 3] && high == box.high[n / 3][n % 3]);
      }
    }
  mus_arena_clear(&f.arena);
}

// Fitted again where boxes changed, and there only: as if all had been fitted.
static void test_changes(void **state) {
  (void)state;
  forest f;
  plant(&f, 201, 201, 4);
  mus_tree *tree = &f.first;
  mus_tree_fit(tree, f.mesh.triangle, f.box, NULL, NULL);
  size_t groups = (size_t)tree->level_start[tree->levels];
  mus_box_group *kept = mus_arena_alloc(&f.arena, groups, sizeof *kept);
  unsigned char *changed = mus_arena_alloc_zero(&f.arena, (size_t)f.mesh.vertices, 1);
  for (int v = 0; v < f.mesh.vertices; v += 40) {
    changed[v] = 1;
    f.box[v].high[1][2] += 3;
  }
  mus_tree_fit(tree, f.mesh.triangle, f.box, changed, f.moved);
  memcpy(kept, tree->group, groups * sizeof *kept);
  mus_tree_fit(tree, f.mesh.triangle, f.box, NULL, f.moved);
  assert_memory_equal(kept, tree->group, groups * sizeof *kept);
  mus_arena_clear(&f.arena);
}

// Four by four at once as one by one; touching boxes meet, what moves alike keeps apart.
static void test_groups(void **state) {
  (void)state;
  mus_box_group a, b;
  int bits = 0;
  for (uint64_t number = 0; number < 20000; ++number) {
    mus_box_group *groups[2] = {&a, &b};
    for (uint64_t k = 0; k < 48; ++k) {
      mus_box_group *group = groups[k / 24];
      float x = (float)(int)(4 * mus_random(number, 2 * k)), size = (float)(int)(2 + 2 * mus_random(number, 2 * k + 1));
      (&group->low[0][0][0])[k % 24] = x;
      (&group->high[0][0][0])[k % 24] = x + size - 1; // may be empty
    }
    unsigned meets = mus_groups_meet(&a, &b);
    assert_int_equal(meets, mus_groups_meet_plain(&a, &b));
    mus_box first = mus_group_box(&a, 0), second = mus_group_box(&b, 0);
    assert_int_equal(mus_boxes_meet(&first, &second), meets & 1);
    for (unsigned m = meets; m != 0; m &= m - 1)
      ++bits;
  }
  assert_true(bits > 20000 && bits < 15 * 20000);
  const mus_box still = {{{0, 0, 0}, {0, 0, 0}}, {{1, 1, 1}, {1, 1, 1}}};
  const mus_box touching = {{{1, 0, 0}, {5, 0, 0}}, {{2, 1, 1}, {6, 1, 1}}};
  const mus_box passing = {{{2, 0, 0}, {-3, 0, 0}}, {{3, 1, 1}, {-2, 1, 1}}};
  const mus_box along = {{{2, 0, 0}, {4, 5, 0}}, {{3, 1, 1}, {5, 6, 1}}},
                ahead = {{{0, 0, 0}, {2, 5, 0}}, {{1, 1, 1}, {3, 6, 1}}};
  assert_true(mus_boxes_meet(&still, &touching));
  assert_true(mus_boxes_meet(&still, &passing));
  assert_false(mus_boxes_meet(&along, &ahead)); // though both go through the same place
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
