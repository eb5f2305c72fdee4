// Rectangles, L shapes, discs and tubes. See generate.h.
#include "mesh/generate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "mesh/delaunay.h"
#include "mesh/measure.h"

static const double JITTER = 0.2;          // of the spacing
static const double LEAST_GRID_ANGLE = 19; // degrees, for cells that are nearly square
static const double LEAST_DISC_ANGLE = 15; // the same for rings, where nothing is proven
static const double SQUARE_ENOUGH = 1.2;   // longer side of a cell over the shorter
static const double TWO_PI = 6.283185307179586;

// --- what all have in common ---------------------------------------------------------------------------------------

static mus_status check_options(const mus_generate_options *o, int least) {
  double ratio = o->width / o->depth;
  if (!(o->width > 0 && isfinite(o->width) && o->depth > 0 && isfinite(o->depth) && ratio < 1e6 && ratio > 1e-6))
    return mus_fail(
        MUS_BAD_INPUT,
        "a cloth of %g m x %g m cannot be made: give positive sizes, neither more than a million times the other",
        o->width, o->depth);
  if (o->vertices < least || o->vertices > MUS_MESH_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "a cloth of %d vertices cannot be made: ask for %d to %d", o->vertices, least,
                    MUS_MESH_MAXIMUM);
  return MUS_OK;
}

// A point of the unit disc, uniformly distributed: the first of a stream of points in a square that lies in it.
static void random_in_disc(uint64_t seed, int vertex, double *x, double *y) {
  uint64_t stream = mus_random_bits(seed, (uint64_t)vertex), k = 0;
  do {
    *x = mus_random(stream, k++);
    *y = mus_random(stream, k++);
  } while (*x * *x + *y * *y >= 1);
}

// The mesh of the points (x, z) and triangles given, in the plane.
static mus_status lay_out(mus_arena *arena, int vertices, const double *point, int triangles, const int *triangle,
                          mus_mesh *out) {
  mus_mesh mesh;
  mus_status status = mus_mesh_create(arena, vertices, triangles, 1, &mesh);
  if (status != MUS_OK)
    return status;
  for (size_t v = 0; v < (size_t)vertices; ++v) {
    mesh.position[3 * v] = point[2 * v];
    mesh.position[3 * v + 1] = 0;
    mesh.position[3 * v + 2] = point[2 * v + 1];
  }
  memcpy(mesh.triangle, triangle, (size_t)triangles * 3 * sizeof *triangle);
  for (size_t i = 0; i < (size_t)triangles * 3; ++i) {
    mesh.material[2 * i] = point[2 * (size_t)triangle[i]];
    mesh.material[2 * i + 1] = point[2 * (size_t)triangle[i] + 1];
  }
  *out = mesh;
  return MUS_OK;
}

// Keeps the triangles whose middle `is_inside`, which NULL says of all.
static int keep_inside(const double *point, int triangles, int *triangle, int (*is_inside)(double x, double z)) {
  int kept = 0;
  for (int t = 0; t < triangles; ++t) {
    const int *corner = triangle + (size_t)t * 3;
    double x = 0, z = 0;
    for (int k = 0; k < 3; ++k) {
      x += point[2 * (size_t)corner[k]];
      z += point[2 * (size_t)corner[k] + 1];
    }
    if (!is_inside || is_inside(x, z))
      memmove(triangle + (size_t)kept++ * 3, corner, 3 * sizeof *corner);
  }
  return kept;
}

// An irregular mesh must have what the regular one has, and no angle below `least_angle`.
static mus_status check_quality(const mus_mesh *mesh, int triangles, double least_angle) {
  double angle = mus_mesh_angles(mesh).least;
  if (mesh->triangles != triangles || !(angle >= least_angle))
    return mus_fail(MUS_BREAKDOWN,
                    "the irregular tessellation has %d triangles instead of %d and angles down to %.3g degrees: try "
                    "another seed",
                    mesh->triangles, triangles, angle);
  return MUS_OK;
}

static mus_status lay_out_irregular(mus_arena *arena, mus_arena *scratch, int vertices, const double *point,
                                    int triangles, int (*is_inside)(double, double), double least_angle,
                                    mus_mesh *out) {
  int found, *triangle;
  mus_status status = mus_delaunay(scratch, vertices, point, &found, &triangle);
  if (status != MUS_OK)
    return status;
  found = keep_inside(point, found, triangle, is_inside);
  mus_mesh mesh;
  status = lay_out(arena, vertices, point, found, triangle, &mesh);
  if (status == MUS_OK)
    status = check_quality(&mesh, triangles, least_angle);
  if (status == MUS_OK)
    *out = mesh;
  return status;
}

// --- grids ---------------------------------------------------------------------------------------------------------

// Cells along x and z. Of an L, the quarter beyond the middle of both is cut out; what will be closed to a tube has the
// same places along its first and its last row.
typedef struct grid {
  int columns, rows, cut, closes;
  double width, depth;
} grid;

// Where the cut quarter begins, or behind the last cell.
static int cut_column(const grid *g) { return g->cut ? g->columns / 2 : g->columns + 1; }
static int cut_row(const grid *g) { return g->cut ? g->rows / 2 : g->rows + 1; }

// Vertices before row `row`, and cells of it.
static int row_start(const grid *g, int row) {
  int beyond = row > cut_row(g) + 1 ? row - cut_row(g) - 1 : 0;
  return row * (g->columns + 1) - (g->cut ? beyond * (g->columns - cut_column(g)) : 0);
}
static int row_vertices(const grid *g, int row) { return row_start(g, row + 1) - row_start(g, row); }
static int row_cells(const grid *g, int row) { return row >= cut_row(g) ? cut_column(g) : g->columns; }

static int count_triangles(const grid *g) {
  int cells = 0;
  for (int row = 0; row < g->rows; ++row)
    cells += row_cells(g, row);
  return 2 * cells;
}

static int on_column_boundary(const grid *g, int column, int row) {
  return column == 0 || column == g->columns || (column == cut_column(g) && row >= cut_row(g));
}
static int on_row_boundary(const grid *g, int column, int row) {
  return row == 0 || row == g->rows || (row == cut_row(g) && column >= cut_column(g));
}

// From -1/2 to 1/2, exact at the ends and in the middle, and the same to both sides.
static double middle_out(int i, int cells) { return (double)(2 * i - cells) / (2 * cells); }

static void place_points(const grid *g, const mus_generate_options *o, double *point) {
  double shift = JITTER * fmin(g->width / g->columns, g->depth / g->rows);
  for (int row = 0; row <= g->rows; ++row)
    for (int column = 0; column < row_vertices(g, row); ++column) {
      int v = row_start(g, row) + column;
      double x = 0, z = 0;
      if (o->irregular)
        random_in_disc(o->seed, g->closes && row == g->rows ? column : v, &x, &z);
      x = on_column_boundary(g, column, row) ? 0 : x * shift;
      z = on_row_boundary(g, column, row) ? 0 : z * shift;
      point[2 * (size_t)v] = g->width * middle_out(column, g->columns) + x;
      point[2 * (size_t)v + 1] = g->depth * middle_out(row, g->rows) + z;
    }
}

// Along one diagonal and the other in turn. The first cell's starts in the sheet's corner; where the numbers of cells
// are even, so do those in the other corners, and the sheet is its own mirror image.
static void cut_cells(const grid *g, int *triangle) {
  for (int row = 0; row < g->rows; ++row)
    for (int column = 0; column < row_cells(g, row); ++column) {
      int a = row_start(g, row) + column, b = a + 1, c = row_start(g, row + 1) + column, d = c + 1;
      const int even[] = {a, b, d, a, d, c}, odd[] = {a, b, c, b, d, c};
      memcpy(triangle, (row + column) % 2 == 0 ? even : odd, sizeof even);
      triangle += 6;
    }
}

// Sums of three coordinates have the sign of the middle's.
static int is_in_l(double x, double z) { return !(x > 0 && z > 0); }

// What the proof in generate.h gives for cells that are nearly square; longer ones have smaller angles.
static double least_grid_angle(const grid *g) {
  double x = g->width / g->columns, z = g->depth / g->rows, ratio = fmax(x, z) / fmin(x, z);
  return ratio <= SQUARE_ENOUGH ? LEAST_GRID_ANGLE / ratio : 0;
}

static mus_status generate_grid(mus_arena *arena, const grid *g, const mus_generate_options *o, mus_mesh *out) {
  mus_arena scratch = {0};
  int vertices = row_start(g, g->rows + 1), triangles = count_triangles(g);
  double *point = mus_arena_alloc(&scratch, (size_t)vertices * 2, sizeof *point);
  int *triangle = o->irregular ? NULL : mus_arena_alloc(&scratch, (size_t)triangles * 3, sizeof *triangle);
  mus_status status = MUS_OK;
  if (!point || (!o->irregular && !triangle)) {
    status = mus_fail_memory();
  } else {
    place_points(g, o, point);
    if (o->irregular) {
      status = lay_out_irregular(arena, &scratch, vertices, point, triangles, g->cut ? is_in_l : NULL,
                                 least_grid_angle(g), out);
    } else {
      cut_cells(g, triangle);
      status = lay_out(arena, vertices, point, triangles, triangle, out);
    }
  }
  mus_arena_clear(&scratch);
  return status;
}

// The positive root of q r^2 + (q + 1) r / part + (1 - vertices) / part = 0: rows of square cells, so that `part` of
// the grid with its q r columns has so many vertices.
static double square_rows(const mus_generate_options *o, double part) {
  double q = o->width / o->depth, half = 0.5 * (q + 1) / part;
  return (sqrt(half * half + q * (o->vertices - 1) / part) - half) / q;
}

// The nearest whole number that makes a mesh.
static int nearest(double cells) { return cells > 1 ? (int)floor(cells + 0.5) : 1; }

mus_status mus_generate_rectangle(mus_arena *arena, const mus_generate_options *o, mus_mesh *out) {
  mus_status status = check_options(o, 4);
  if (status != MUS_OK)
    return status;
  double rows = square_rows(o, 1);
  grid g = {.width = o->width, .depth = o->depth};
  g.rows = nearest(rows);
  g.columns = nearest(rows * o->width / o->depth);
  return generate_grid(arena, &g, o, out);
}

mus_status mus_generate_l(mus_arena *arena, const mus_generate_options *o, mus_mesh *out) {
  mus_status status = check_options(o, 8);
  if (status != MUS_OK)
    return status;
  double pairs = square_rows(o, 0.75) / 2;
  grid g = {.width = o->width, .depth = o->depth, .cut = 1};
  g.rows = 2 * nearest(pairs);
  g.columns = 2 * nearest(pairs * o->width / o->depth);
  return generate_grid(arena, &g, o, out);
}

// --- discs ---------------------------------------------------------------------------------------------------------

// Ring k has 6 k vertices, 6 sectors of k.
static int ring_start(int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); }
static int ring_vertex(int ring, int at) { return ring_start(ring) + (ring == 0 ? 0 : at % (6 * ring)); }

static void place_ring(int ring, int rings, double radius, const mus_generate_options *o, double *point) {
  for (int i = 0; i < (ring == 0 ? 1 : 6 * ring); ++i) {
    int v = ring_vertex(ring, i);
    double x = 0, z = 0, spacing = radius / rings, r = spacing * ring, turn = TWO_PI * i / (ring == 0 ? 1 : 6 * ring);
    if (o->irregular)
      random_in_disc(o->seed, v, &x, &z);
    if (ring == rings) {
      r = radius;
      turn += JITTER * x * spacing / radius; // along the boundary
      x = z = 0;
    }
    point[2 * (size_t)v] = r * cos(turn) + JITTER * spacing * x;
    point[2 * (size_t)v + 1] = r * sin(turn) + JITTER * spacing * z;
  }
}

// Between ring k and the next, a sector has k + 1 triangles that stand on the outer ring and k on the inner one.
static int *fill_sector(int ring, int sector, int *triangle) {
  for (int i = 0; i <= ring; ++i) {
    int inner = ring_vertex(ring, sector * ring + i), outer = ring_vertex(ring + 1, sector * (ring + 1) + i);
    int next = ring_vertex(ring + 1, sector * (ring + 1) + i + 1);
    const int two[] = {inner, outer, next, inner, next, ring_vertex(ring, sector * ring + i + 1)};
    size_t count = i < ring ? 6 : 3;
    memcpy(triangle, two, count * sizeof *triangle);
    triangle += count;
  }
  return triangle;
}

mus_status mus_generate_disc(mus_arena *arena, const mus_generate_options *o, mus_mesh *out) {
  mus_status status = check_options(o, 7);
  if (status != MUS_OK)
    return status;
  int rings = nearest(sqrt((o->vertices - 0.25) / 3) - 0.5);
  int vertices = ring_start(rings + 1), triangles = 6 * rings * rings;
  mus_arena scratch = {0};
  double *point = mus_arena_alloc(&scratch, (size_t)vertices * 2, sizeof *point);
  int *triangle = mus_arena_alloc(&scratch, (size_t)triangles * 3, sizeof *triangle), *next = triangle;
  if (!point || !triangle) {
    mus_arena_clear(&scratch);
    return mus_fail_memory();
  }
  for (int ring = 0; ring <= rings; ++ring)
    place_ring(ring, rings, o->width / 2, o, point);
  for (int ring = 0; ring < rings; ++ring)
    for (int sector = 0; sector < 6; ++sector)
      next = fill_sector(ring, sector, next);
  if (o->irregular)
    status = lay_out_irregular(arena, &scratch, vertices, point, triangles, NULL, LEAST_DISC_ANGLE, out);
  else
    status = lay_out(arena, vertices, point, triangles, triangle, out);
  mus_arena_clear(&scratch);
  return status;
}

// --- tubes ---------------------------------------------------------------------------------------------------------

// Rolls up a flat grid of so many rows: its last row of `along` vertices becomes its first.
static mus_status roll_up(mus_arena *arena, const mus_mesh *flat, int along, int rows, double depth, mus_mesh *out) {
  int vertices = flat->vertices - along;
  mus_mesh mesh;
  mus_status status = mus_mesh_create(arena, vertices, flat->triangles, 1, &mesh);
  if (status != MUS_OK)
    return status;
  double radius = depth / (2 * rows * sin(TWO_PI / 2 / rows)); // whose chords are as long as a cell
  for (size_t v = 0; v < (size_t)vertices; ++v) {
    double turn = TWO_PI * flat->position[3 * v + 2] / depth;
    mesh.position[3 * v] = flat->position[3 * v];
    mesh.position[3 * v + 1] = radius * cos(turn);
    mesh.position[3 * v + 2] = -radius * sin(turn);
  }
  for (size_t i = 0; i < (size_t)flat->triangles * 3; ++i)
    mesh.triangle[i] = flat->triangle[i] < vertices ? flat->triangle[i] : flat->triangle[i] - vertices;
  memcpy(mesh.material, flat->material, (size_t)flat->triangles * 6 * sizeof *mesh.material);
  *out = mesh;
  return MUS_OK;
}

mus_status mus_generate_tube(mus_arena *arena, const mus_generate_options *o, mus_mesh *out) {
  mus_status status = check_options(o, 12);
  if (status != MUS_OK)
    return status;
  // rows * (columns + 1) vertices with rows = depth / s, columns = width / s: a quadratic for 1 / s
  double q = 0.5 / o->width, cells = sqrt(q * q + o->vertices / (o->width * o->depth)) - q;
  grid g = {.width = o->width, .depth = o->depth, .closes = 1};
  g.rows = 2 * nearest(o->depth * cells / 2);
  g.rows = g.rows < 6 ? 6 : g.rows;
  g.columns = nearest(o->width * g.rows / o->depth);
  mus_arena scratch = {0};
  mus_mesh flat;
  status = generate_grid(&scratch, &g, o, &flat);
  if (status == MUS_OK)
    status = roll_up(arena, &flat, g.columns + 1, g.rows, o->depth, out);
  mus_arena_clear(&scratch);
  return status;
}
