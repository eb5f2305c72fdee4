// Cells that bodies occupy: against balls, boxes and rings, against exact winding numbers, and of surfaces that are
// dirty, open, thin or inside out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/vector3.h"
#include "fill/body_cells.h"
#include "fill/cell_layers.h"
#include "mesh/body_surfaces.h"
#include "par/par.h"
#include "support/check.h"
#include "support/meshes.h"
#include "support/sweep.h"

static const double pi = 3.14159265358979323846;

static mus_cells cells_of(mus_arena *arena, const mus_mesh *mesh, double spacing, mus_cells_report *report) {
  mus_cells cells;
  mus_cells_options options = {.spacing = spacing};
  assert_ok(mus_cells_of_surface(arena, mesh, &options, &cells, report));
  for (int axis = 0; axis < 3; ++axis) // the margin is exterior, whatever happens
    for (size_t c = 0; c < mus_cells_total(&cells); ++c) {
      size_t n[3] = {(size_t)cells.count[0], (size_t)cells.count[1], (size_t)cells.count[2]};
      int at[3] = {(int)(c % n[0]), (int)(c / n[0] % n[1]), (int)(c / n[0] / n[1])};
      if (at[axis] < MUS_CELLS_MARGIN || at[axis] >= cells.count[axis] - MUS_CELLS_MARGIN)
        assert_int_equal(cells.kind[c], MUS_CELL_EXTERIOR);
    }
  return cells;
}

static mus_mesh box_at(mus_arena *arena, double x, double y, double z, double size) {
  mus_mesh mesh;
  assert_ok(mus_body_box(arena, (const double[]){size, size, size}, &mesh));
  for (int v = 0; v < mesh.vertices; ++v)
    mus_add_scaled3(1, (const double[]){x, y, z}, mesh.position + 3 * v);
  return mesh;
}

static mus_mesh both(mus_arena *arena, const mus_mesh *a, const mus_mesh *b) {
  mus_mesh mesh;
  assert_ok(mus_mesh_create(arena, a->vertices + b->vertices, a->triangles + b->triangles, 0, &mesh));
  memcpy(mesh.position, a->position, 3 * (size_t)a->vertices * sizeof(double));
  memcpy(mesh.position + 3 * a->vertices, b->position, 3 * (size_t)b->vertices * sizeof(double));
  for (int i = 0; i < 3 * mesh.triangles; ++i)
    mesh.triangle[i] = i < 3 * a->triangles ? a->triangle[i] : b->triangle[i - 3 * a->triangles] + a->vertices;
  return mesh;
}

static void turn(mus_mesh *mesh) {
  for (int t = 0; t < mesh->triangles; ++t) {
    int first = mesh->triangle[3 * t];
    mesh->triangle[3 * t] = mesh->triangle[3 * t + 1];
    mesh->triangle[3 * t + 1] = first;
  }
}

static void a_box_that_fits_has_no_cell_too_many(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells cells;
  mus_cells_report report;
  mus_mesh mesh;
  assert_ok(mus_body_box(&arena, (const double[]){1.6, 0.8, 0.4}, &mesh));
  mus_cells_options options = {.along = 16};
  assert_ok(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report));
  assert_true(fabs(cells.spacing - 0.1) < 1e-12);
  assert_int_equal(report.interior, 16 * 8 * 4);
  assert_int_equal(report.touched, 16 * 8 * 4 - 16 * 8 * 4); // sides lie between cells
  assert_int_equal(report.pieces, 1);
  assert_string_equal(report.repairs, "");
  options.padding = 2;
  assert_ok(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report));
  assert_int_equal(report.interior, 20 * 12 * 8);
  assert_int_equal(report.padded, 20 * 12 * 8 - 16 * 8 * 4);
  options = (mus_cells_options){.spacing = 0.11}; // does not fit: all that is touched counts
  assert_ok(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report));
  assert_int_equal(report.interior, 15 * 8 * 4);
  mus_arena_clear(&arena);
}

// The distances of a cell's nearest and farthest points from the origin.
static void reach_of(const mus_cells *cells, int i, int j, int k, double *nearest, double *farthest) {
  const int cell[3] = {i, j, k};
  double near = 0, far = 0;
  for (int a = 0; a < 3; ++a) {
    double low = cells->low[a] + cells->spacing * cell[a], high = low + cells->spacing;
    double beyond = fmax(fmax(low, -high), 0), side = fmax(fabs(low), fabs(high));
    near += beyond * beyond;
    far += side * side;
  }
  *nearest = sqrt(near);
  *farthest = sqrt(far);
}

static void a_ball_has_the_cells_that_overlap_it(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report;
  mus_mesh mesh = meshes_ball(&arena, 5); // radius 1, facets within 1e-3 of it
  mus_cells cells = cells_of(&arena, &mesh, 0.083, &report);
  double volume = 0;
  for (int k = 0; k < cells.count[2]; ++k)
    for (int j = 0; j < cells.count[1]; ++j)
      for (int i = 0; i < cells.count[0]; ++i) {
        double nearest, farthest;
        int interior = cells.kind[mus_cells_number(&cells, i, j, k)];
        reach_of(&cells, i, j, k, &nearest, &farthest);
        if (nearest < 0.998)
          assert_true(interior);
        if (nearest > 1)
          assert_false(interior);
        volume += interior * pow(cells.spacing, 3);
      }
  assert_true(volume > 4.0 / 3 * pi && volume < 4.0 / 3 * pi * pow(1 + 0.083 * sqrt(3), 3));
  assert_string_equal(report.repairs, "");
  mus_arena_clear(&arena);
}

static double ring_distance(const void *data, const double p[3]) {
  const double *radius = data;
  return hypot(hypot(p[0], p[2]) - radius[0], p[1]) - radius[1];
}

static void surfaces_and_shapes_agree(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report, other;
  mus_mesh mesh;
  mus_cells shaped;
  const double radius[2] = {1, 0.3};
  assert_ok(mus_body_torus(&arena, radius[0], radius[1], 1e-4, &mesh));
  mus_cells cells = cells_of(&arena, &mesh, 0.05, &report);
  mus_shape shape = {ring_distance, radius, {-1.3, -0.3, -1.3}, {1.3, 0.3, 1.3}, 1};
  mus_cells_options options = {.spacing = 0.05};
  assert_ok(mus_cells_of_shape(&arena, &shape, &options, &shaped, &other));
  size_t different = 0;
  assert_memory_equal(cells.count, shaped.count, sizeof cells.count);
  for (size_t c = 0; c < mus_cells_total(&cells); ++c)
    different += cells.kind[c] != shaped.kind[c];
  assert_true(report.interior > 10000 && (double)different < 0.01 * (double)report.interior);
  assert_true((double)report.interior * pow(0.05, 3) > 2 * pi * pi * 0.09);
  assert_int_equal(report.pieces, 1);
  shape.slope = 0; // nothing but signs
  assert_ok(mus_cells_of_shape(&arena, &shape, &options, &shaped, &other));
  assert_true(other.interior <= report.interior && (double)other.interior > 0.95 * (double)report.interior);
  mus_arena_clear(&arena);
}

// The solid angle of a triangle in parts of 4 pi, summed over all: Van Oosterom and Strackee 1983.
static double exact_number(const mus_mesh *mesh, const double p[3]) {
  double sum = 0;
  for (int t = 0; t < mesh->triangles; ++t) {
    double v[3][3], length[3], turned[3];
    for (int k = 0; k < 3; ++k) {
      mus_subtract3(mesh->position + 3 * mesh->triangle[3 * t + k], p, v[k]);
      length[k] = mus_length3(v[k]);
    }
    mus_cross3(v[1], v[2], turned);
    sum += 2 * atan2(mus_dot3(v[0], turned), length[0] * length[1] * length[2] + mus_dot3(v[0], v[1]) * length[2] +
                                                 mus_dot3(v[1], v[2]) * length[0] + mus_dot3(v[2], v[0]) * length[1]);
  }
  return sum / (4 * pi);
}

static void what_is_inside_is_what_the_winding_number_says(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh a = meshes_ball(&arena, 3), b = box_at(&arena, 0.8, 0.1, 0.2, 1.1), mesh = both(&arena, &a, &b);
  for (int holes = 0; holes < 2; ++holes) {
    mus_cells_report report;
    int kept = 0;
    for (int t = 0; t < mesh.triangles; ++t)
      if (!holes || mesh.position[3 * mesh.triangle[3 * t] + 1] < 0.9)
        memmove(mesh.triangle + 3 * kept++, mesh.triangle + 3 * t, 3 * sizeof(int));
    mesh.triangles = kept;
    mus_cells cells = cells_of(&arena, &mesh, 0.15, &report);
    for (int k = 0; k < cells.count[2]; ++k)
      for (int j = 0; j < cells.count[1]; ++j)
        for (int i = 0; i < cells.count[0]; ++i) {
          double p[3] = {cells.low[0] + 0.15 * (i + 0.5), cells.low[1] + 0.15 * (j + 0.5),
                         cells.low[2] + 0.15 * (k + 0.5)};
          double number = exact_number(&mesh, p);
          if (number > 0.53)
            assert_true(cells.kind[mus_cells_number(&cells, i, j, k)]);
        }
    assert_int_equal(report.holes > 0, holes);
    assert_int_equal(strstr(report.repairs, "closed holes") != NULL, holes);
    assert_true((double)(report.interior - report.touched) * pow(0.15, 3) < 4.0 / 3 * pi + 1.331);
  }
  mus_arena_clear(&arena);
}

// Whether a point of a triangle, one of many, lies in the cell, and whether a sample of the cell is near a triangle.
static void triangles_leave_no_cell_out(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report;
  mus_mesh mesh = meshes_ball(&arena, 2);
  for (int v = 0; v < mesh.vertices; ++v) { // in general position
    double *p = mesh.position + 3 * v, x = p[0], y = p[1];
    p[0] = 0.8 * x - 0.6 * y;
    p[1] = 0.6 * x + 0.8 * y + 0.1 * p[2];
  }
  mus_cells cells = cells_of(&arena, &mesh, 0.11, &report);
  size_t seen = 0;
  for (int t = 0; t < mesh.triangles; ++t)
    for (int n = 0; n < 2000; ++n) {
      double u = 0.5 + 0.5 * mus_random(7, (uint64_t)(2 * (2000 * t + n)));
      double v = 0.5 + 0.5 * mus_random(7, (uint64_t)(2 * (2000 * t + n) + 1));
      int cell[3];
      if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
      }
      for (int a = 0; a < 3; ++a) {
        const int *corner = mesh.triangle + 3 * t;
        double x = (1 - u - v) * mesh.position[3 * corner[0] + a] + u * mesh.position[3 * corner[1] + a] +
                   v * mesh.position[3 * corner[2] + a];
        cell[a] = (int)floor((x - cells.low[a]) / cells.spacing);
      }
      assert_true(cells.kind[mus_cells_number(&cells, cell[0], cell[1], cell[2])]);
      ++seen;
    }
  assert_true(seen > 100000);
  // No cell that is outside by its middle is far from the surface.
  for (int k = 0; k < cells.count[2]; ++k)
    for (int j = 0; j < cells.count[1]; ++j)
      for (int i = 0; i < cells.count[0]; ++i) {
        double p[3] = {cells.low[0] + 0.11 * (i + 0.5), cells.low[1] + 0.11 * (j + 0.5),
                       cells.low[2] + 0.11 * (k + 0.5)};
        if (cells.kind[mus_cells_number(&cells, i, j, k)])
          assert_true(exact_number(&mesh, p) > 0.5 || mus_length3(p) < 1.1 + 0.11);
      }
  mus_arena_clear(&arena);
}

static void inside_out_is_the_same_and_told(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report, turned;
  mus_mesh mesh = meshes_ball(&arena, 3), beside = box_at(&arena, 2.5, 0, 0, 1);
  mus_cells cells = cells_of(&arena, &mesh, 0.1, &report);
  turn(&mesh);
  mus_cells other = cells_of(&arena, &mesh, 0.1, &turned);
  assert_int_equal(report.interior, turned.interior);
  assert_memory_equal(cells.kind, other.kind, mus_cells_total(&cells));
  assert_non_null(strstr(turned.repairs, "inside out"));
  turn(&mesh);
  turn(&beside); // one of two parts
  mus_mesh two = both(&arena, &mesh, &beside);
  cells_of(&arena, &two, 0.1, &turned);
  assert_true(turned.interior >= report.interior - 200 + 1000 && turned.inside_out >= 512 && turned.pieces == 2);
  assert_non_null(strstr(turned.repairs, "turned parts that were inside out"));
  mus_arena_clear(&arena);
}

static void thin_parts_are_kept_and_thickened(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report;
  mus_mesh plate, ball = meshes_ball(&arena, 3), needle;
  assert_ok(mus_body_box(&arena, (const double[]){2, 0.001, 1}, &plate)); // a fiftieth of a cell
  mus_cells cells = cells_of(&arena, &plate, 0.05, &report);
  assert_int_equal(report.interior, 3 * 40 * 20);
  assert_int_equal(report.thickened, 2 * 40 * 20);
  assert_non_null(strstr(report.repairs, "thinner than two"));
  assert_int_equal(report.pieces, 1);
  (void)cells;
  assert_ok(mus_body_box(&arena, (const double[]){4, 0.001, 0.001}, &needle));
  for (int v = 0; v < needle.vertices; ++v) // not between cells
    mus_add_scaled3(1, (const double[]){0, 0.03, 0.03}, needle.position + 3 * v);
  mus_mesh mesh = both(&arena, &ball, &needle);
  cells_of(&arena, &ball, 0.1, &report);
  assert_int_equal(report.thickened, 0); // ends of a ball are not thin
  size_t alone = report.interior;
  cells_of(&arena, &mesh, 0.1, &report);
  assert_int_equal(report.pieces, 1);
  assert_true(report.interior > alone + 8 * 18 && report.interior < alone + 9 * 22);
  mus_arena_clear(&arena);
}

static void what_encloses_nothing_is_left_out_or_rejected(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells cells;
  mus_cells_report report;
  mus_cells_options options = {.along = 20};
  mus_mesh sheet = meshes_grid(&arena, 12, 12), ball = meshes_ball(&arena, 4), nothing = {0};
  assert_fails(mus_cells_of_surface(&arena, &sheet, &options, &cells, &report), MUS_BAD_INPUT, "closed nowhere");
  for (int v = 0; v < sheet.vertices; ++v) // waves do not change that
    sheet.position[3 * v + 1] = 0.7 * sin(1.1 * sheet.position[3 * v]);
  assert_fails(mus_cells_of_surface(&arena, &sheet, &options, &cells, &report), MUS_BAD_INPUT, "closed nowhere");
  for (int v = 0; v < sheet.vertices; ++v)
    sheet.position[3 * v] += 2;
  mus_mesh mesh = both(&arena, &ball, &sheet);
  cells_of(&arena, &mesh, 0.1, &report);
  size_t with = report.interior;
  assert_int_equal(report.sheets, 1);
  assert_non_null(strstr(report.repairs, "left out 1 part"));
  cells_of(&arena, &ball, 0.1, &report);
  assert_int_equal(with, report.interior);
  assert_fails(mus_cells_of_surface(&arena, &nothing, &options, &cells, &report), MUS_BAD_INPUT, "area");
  ball.position[7] = NAN;
  assert_fails(mus_cells_of_surface(&arena, &ball, &options, &cells, &report), MUS_BAD_INPUT, "not finite");
  mus_arena_clear(&arena);
}

// Six squares with gaps between them, as from a program that models planks.
static void patches_that_enclose_something_count(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells_report report;
  mus_mesh box = box_at(&arena, 0, 0, 0, 2), mesh;
  assert_ok(mus_mesh_create(&arena, 3 * box.triangles, box.triangles, 0, &mesh));
  for (int t = 0; t < box.triangles; ++t) {
    double u[3], v[3], out[3];
    const double *p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = box.position + 3 * box.triangle[3 * t + k];
    mus_subtract3(p[1], p[0], u);
    mus_subtract3(p[2], p[0], v);
    mus_cross3(u, v, out);
    for (int k = 0; k < 3; ++k) {
      mesh.triangle[3 * t + k] = 3 * t + k;
      for (int a = 0; a < 3; ++a)
        mesh.position[3 * (3 * t + k) + a] = 0.99 * p[k][a] + 0.02 / mus_length3(out) * out[a];
    }
  }
  cells_of(&arena, &mesh, 0.2, &report);
  assert_int_equal(report.sheets, 0);
  assert_true(report.interior >= 1000 && report.interior <= 1728);
  mus_arena_clear(&arena);
}

static void too_many_cells_are_an_error_at_once(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_cells cells;
  mus_cells_report report;
  mus_mesh mesh = box_at(&arena, 0, 0, 0, 1);
  mus_cells_options options = {.spacing = 1e-6};
  assert_fails(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report), MUS_BAD_INPUT, "choose larger cells");
  options = (mus_cells_options){.along = 1000, .bytes_per_cell = 1e5};
  assert_fails(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report), MUS_BAD_INPUT, "GiB of memory");
  options = (mus_cells_options){.spacing = -1};
  assert_fails(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report), MUS_BAD_INPUT, "positive length");
  options = (mus_cells_options){0};
  assert_fails(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report), MUS_BAD_INPUT, "along the longest");
  options = (mus_cells_options){.along = 4, .padding = -1};
  assert_fails(mus_cells_of_surface(&arena, &mesh, &options, &cells, &report), MUS_BAD_INPUT, "padding");
  mus_arena_clear(&arena);
}

static void threads_change_nothing(void **state) {
  (void)state;
  mus_arena arena = {0};
  mus_mesh mesh = meshes_ball(&arena, 4);
  mus_cells cells[2];
  mus_cells_report report[2];
  mesh.triangles -= 40; // a hole
  for (int run = 0; run < 2; ++run) {
    int before = mus_par_set_threads(run ? 3 : 1);
    mus_cells_options options = {.along = 30, .padding = 1};
    assert_ok(mus_cells_of_surface(&arena, &mesh, &options, &cells[run], &report[run]));
    mus_par_set_threads(before);
  }
  assert_memory_equal(cells[0].kind, cells[1].kind, mus_cells_total(&cells[0]));
  assert_int_equal(report[0].interior, report[1].interior);
  mus_arena_clear(&arena);
}

static mus_status fill_once(mus_arena *arena, void *data) {
  mus_cells cells;
  mus_cells_report report;
  mus_cells_options options = {.along = 8, .padding = 1};
  return mus_cells_of_surface(arena, data, &options, &cells, &report);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  mus_arena arena = {0}, kept = {0};
  mus_mesh ball = meshes_ball(&kept, 2), sheet = meshes_grid(&kept, 3, 3), mesh = both(&kept, &ball, &sheet);
  mesh.triangle[0] = mesh.triangle[1]; // a hole
  assert_true(sweep_allocations(&arena, fill_once, &mesh) > 10);
  mus_arena_clear(&arena);
  mus_arena_clear(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_that_fits_has_no_cell_too_many),
      cmocka_unit_test(a_ball_has_the_cells_that_overlap_it),
      cmocka_unit_test(surfaces_and_shapes_agree),
      cmocka_unit_test(what_is_inside_is_what_the_winding_number_says),
      cmocka_unit_test(triangles_leave_no_cell_out),
      cmocka_unit_test(inside_out_is_the_same_and_told),
      cmocka_unit_test(thin_parts_are_kept_and_thickened),
      cmocka_unit_test(what_encloses_nothing_is_left_out_or_rejected),
      cmocka_unit_test(patches_that_enclose_something_count),
      cmocka_unit_test(too_many_cells_are_an_error_at_once),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
