// Cells that are held: by boxes, balls, bones and sheets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "fill/body_cells.h"
#include "fill/cell_layers.h"
#include "fill/held_cells.h"
#include "mesh/body_surfaces.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/sweep.h"

// A block of 10 x 10 x 10 cells of 0.1 m, around the origin.
typedef struct block {
  mus_arena arena;
  mus_cells cells;
  mus_held_cells to;
} block;

static void make_block(block *b) {
  mus_mesh mesh;
  mus_cells_report report;
  mus_cells_options options = {.along = 10};
  memset(b, 0, sizeof *b);
  assert_ok(mus_body_box(&b->arena, (const double[]){1, 1, 1}, &mesh));
  assert_ok(mus_cells_of_surface(&b->arena, &mesh, &options, &b->cells, &report));
  b->to.cells = &b->cells;
  b->to.region = mus_arena_alloc_zero(&b->arena, mus_cells_total(&b->cells), sizeof *b->to.region);
}

static void expect_held(const block *b, size_t wanted) {
  size_t regions = 0;
  assert_int_equal(mus_cells_count(&b->cells, MUS_CELL_DIRICHLET), wanted);
  assert_int_equal(mus_cells_count(&b->cells, MUS_CELL_INTERIOR), 1000 - wanted);
  for (size_t c = 0; c < mus_cells_total(&b->cells); ++c)
    regions += b->to.region[c] != 0;
  assert_int_equal(regions, wanted);
}

static void boxes_hold_what_overlaps_them_inside_the_body(void **state) {
  (void)state;
  block b;
  make_block(&b);
  // Down to the middle of the second layer, and far beyond the body.
  assert_int_equal(mus_hold_box(&b.to, 0, (const double[]){-9, -9, -9}, (const double[]){9, -0.35, 9}), 200);
  expect_held(&b, 200);
  // Up to the border of a layer holds no more than up to there.
  assert_int_equal(mus_hold_box(&b.to, 1, (const double[]){-9, 0.4, -9}, (const double[]){9, 9, 9}), 100);
  expect_held(&b, 300);
  assert_int_equal(mus_hold_box(&b.to, 2, (const double[]){2, 2, 2}, (const double[]){3, 3, 3}), 0);
  // The later one has what both hold.
  assert_int_equal(mus_hold_box(&b.to, 3, (const double[]){-9, -9, -9}, (const double[]){9, 9, -0.45}), 100);
  size_t third = 0;
  for (size_t c = 0; c < mus_cells_total(&b.cells); ++c)
    third += b.to.region[c] == 4;
  assert_int_equal(third, 100);
  expect_held(&b, 300 + 70);
  mus_arena_clear(&b.arena);
}

static void balls_hold_what_overlaps_them(void **state) {
  (void)state;
  block b;
  make_block(&b);
  assert_int_equal(mus_hold_ball(&b.to, 0, (const double[]){0.05, 0.05, 0.05}, 0.04), 1);
  assert_int_equal(mus_hold_ball(&b.to, 0, (const double[]){0.05, 0.05, 0.05}, 0.06), 7);
  assert_int_equal(mus_hold_ball(&b.to, 0, (const double[]){0.05, 0.05, 0.05}, 0.08), 19);
  assert_int_equal(mus_hold_ball(&b.to, 0, (const double[]){0.05, 0.05, 0.05}, 0.09), 27);
  expect_held(&b, 27);
  mus_arena_clear(&b.arena);
}

static void bones_hold_their_inside_and_sheets_what_they_pass_through(void **state) {
  (void)state;
  block b;
  mus_arena meshes = {0};
  mus_mesh bone, sheet;
  size_t held;
  make_block(&b);
  assert_ok(mus_body_box(&meshes, (const double[]){4, 0.35, 0.35}, &bone));
  assert_ok(mus_hold_inside(&b.to, 0, &bone, &held));
  assert_int_equal(held, 10 * 4 * 4);
  expect_held(&b, 160);
  mus_arena_clear(&b.arena);
  make_block(&b);
  assert_ok(mus_hold_touched(&b.to, 0, &bone, &held));
  assert_int_equal(held, 10 * (4 * 4 - 2 * 2)); // not what lies in it
  mus_arena_clear(&b.arena);
  make_block(&b);
  assert_ok(mus_body_plane(&meshes, 4, 4, &sheet));
  assert_fails(mus_hold_inside(&b.to, 0, &sheet, &held), MUS_BAD_INPUT, "closed nowhere");
  assert_ok(mus_hold_touched(&b.to, 0, &sheet, &held));
  assert_int_equal(held, 0); // between two layers
  for (int v = 0; v < sheet.vertices; ++v)
    sheet.position[3 * v + 1] = 0.03;
  assert_ok(mus_hold_touched(&b.to, 0, &sheet, &held));
  expect_held(&b, 100);
  sheet.position[0] = INFINITY;
  assert_fails(mus_hold_touched(&b.to, 0, &sheet, &held), MUS_BAD_INPUT, "vertex 0");
  mus_arena_clear(&b.arena);
  mus_arena_clear(&meshes);
}

static mus_status hold_once(mus_arena *arena, void *data) {
  block *b = data;
  mus_mesh bone;
  size_t held;
  mus_status status = mus_body_box(arena, (const double[]){4, 0.35, 0.35}, &bone);
  if (!status)
    status = mus_hold_touched(&b->to, 0, &bone, &held);
  return status ? status : mus_hold_inside(&b->to, 0, &bone, &held);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  block b;
  mus_arena arena = {0};
  make_block(&b);
  assert_true(sweep_allocations(&arena, hold_once, &b) > 10);
  mus_arena_clear(&arena);
  mus_arena_clear(&b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_hold_what_overlaps_them_inside_the_body),
      cmocka_unit_test(balls_hold_what_overlaps_them),
      cmocka_unit_test(bones_hold_their_inside_and_sheets_what_they_pass_through),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
