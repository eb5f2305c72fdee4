// Stiffnesses mean what they say: strips of cloth at rest under gravity against the theory of strings and beams.
//
// A strip held at one end hangs down and stretches by force over stiffness; held level and let droop, it takes the
// shape of the heavy elastica, B theta'' = -w (L - s) cos theta, theta(0) = 0, theta'(L) = 0 (Bickley 1934), which ASTM
// D1388 measures: a strip whose overhang droops to 41.5 degrees is twice as long as its bending length (B/w)^(1/3).
#include "energy/check.h"

#include "energy/bend.h"
#include "energy/kinds.h"
#include "mesh/measure.h"

void dpbtrf_(const char *uplo, const int *n, const int *kd, double *ab, const int *ldab, int *info, size_t);
void dpbtrs_(const char *uplo, const int *n, const int *kd, const int *nrhs, const double *ab, const int *ldab,
             double *b, const int *ldb, int *info, size_t);

// How a strip is cut into triangles.
typedef enum pattern {
  ALTERNATING, // squares, halved along one diagonal and the other in turn
  PARALLEL,    // squares, all halved alike
  EQUILATERAL, // with a side across the strip
  IRREGULAR,   // vertices moved at random, squares halved as Delaunay would
  PATTERNS
} pattern;
static const char *const pattern_name[PATTERNS] = {"alternating", "parallel", "equilateral", "irregular"};

// A strip in the x-y plane, warp (or weft) along x, and all that is needed to find its equilibrium.
typedef struct strip {
  mus_arena arena;
  int columns, across; // lines of vertices across the strip; cells in each
  double length, width, start;
  mus_mesh mesh;
  mus_topology topology;
  mus_element_list list[2]; // membranes, hinges
  double *mass;
  double gravity[3];
  int held; // vertices that do not move, from the first
  double *gradient[2], *block[2], *energy[2];
} strip;

static void *take(mus_arena *arena, size_t count) {
  void *memory = mus_arena_alloc_zero(arena, count, sizeof(double));
  assert_non_null(memory);
  return memory;
}

// The first vertex of column i. In equilateral strips odd columns are half a cell off and so have one vertex more.
static int column_start(const strip *s, pattern kind, int i) {
  return i * (s->across + 1) + (kind == EQUILATERAL ? i / 2 : 0);
}

static void fill_positions(strip *s, pattern kind) {
  double cell = s->width / s->across, step = s->length / (s->columns - 1);
  for (int i = 0; i < s->columns; ++i) {
    int first = column_start(s, kind, i), count = column_start(s, kind, i + 1) - first;
    for (int j = 0; j < count; ++j) {
      double *x = s->mesh.position + 3 * (first + j), shift = count > s->across + 1 ? 0.5 : 0;
      x[0] = s->start + step * i;
      x[1] = fmin(fmax(cell * (j - shift), 0), s->width);
      x[2] = 0;
      if (kind == IRREGULAR && i > 1 && i < s->columns - 1)
        x[0] += 0.25 * step * mus_random(1, (uint64_t)(2 * (first + j)));
      if (kind == IRREGULAR && i > 1 && j > 0 && j < count - 1)
        x[1] += 0.25 * cell * mus_random(1, (uint64_t)(2 * (first + j) + 1));
    }
  }
}

static double apart(const strip *s, int a, int b) {
  double d[3];
  mus_subtract3(s->mesh.position + 3 * a, s->mesh.position + 3 * b, d);
  return mus_dot3(d, d);
}

// Squares between columns i and i + 1.
static int *halve_squares(const strip *s, pattern kind, int i, int *corner) {
  for (int j = 0; j < s->across; ++j) {
    int a = i * (s->across + 1) + j, b = a + s->across + 1, c = b + 1, d = a + 1;
    int up[6] = {a, b, c, a, c, d}, down[6] = {a, b, d, b, c, d};
    int rises = kind == PARALLEL || (kind == ALTERNATING && (i + j) % 2 == 0) ||
                (kind == IRREGULAR && apart(s, a, c) < apart(s, b, d));
    memcpy(corner, rises ? up : down, sizeof up);
    corner += 6;
  }
  return corner;
}

// Triangles between two staggered columns, the shorter one with vertices opposite to the middles of the longer's cells.
static int *zip(const strip *s, int i, int *corner) {
  int left = column_start(s, EQUILATERAL, i), right = column_start(s, EQUILATERAL, i + 1), rising = i % 2 == 0;
  for (int j = 0; j <= s->across; ++j) { // a triangle on each cell of the longer column
    int from_long[3] = {left + j, right + j, right + j + 1}, from_short[3] = {left + j + 1, left + j, right + j};
    memcpy(corner, rising ? from_long : from_short, sizeof from_long);
    corner += 3;
  }
  for (int j = 0; j < s->across; ++j) { // and on each of the shorter
    int from_short[3] = {left + j, right + j + 1, left + j + 1},
        from_long[3] = {left + j + 1, right + j, right + j + 1};
    memcpy(corner, rising ? from_short : from_long, sizeof from_long);
    corner += 3;
  }
  return corner;
}

// The strip is cut at an angle to the warp, in degrees.
static void fill_mesh(strip *s, pattern kind, double angle) {
  int cells = s->columns - 1;
  long long triangles = kind == EQUILATERAL ? cells * (2LL * s->across + 1) : 2LL * cells * s->across;
  assert_int_equal(mus_mesh_create(&s->arena, column_start(s, kind, s->columns), triangles, 1, &s->mesh), MUS_OK);
  fill_positions(s, kind);
  int *corner = s->mesh.triangle;
  for (int i = 0; i < cells; ++i)
    corner = kind == EQUILATERAL ? zip(s, i, corner) : halve_squares(s, kind, i, corner);
  assert_int_equal(corner - s->mesh.triangle, 3 * triangles);
  for (int k = 0; k < 3 * s->mesh.triangles; ++k) {
    const double *x = s->mesh.position + 3 * s->mesh.triangle[k];
    double cosine = cos(angle * MUS_PI / 180), sine = sin(angle * MUS_PI / 180);
    s->mesh.material[2 * k] = cosine * x[0] - sine * x[1];
    s->mesh.material[2 * k + 1] = sine * x[0] + cosine * x[1];
  }
}

static strip *strip_create(const mus_fabric *fabric, pattern kind, int columns, int across, double length, double width,
                           double start, double angle) {
  strip *s = calloc(1, sizeof *s);
  s->columns = columns, s->across = across, s->length = length, s->width = width, s->start = start;
  fill_mesh(s, kind, angle);
  assert_int_equal(mus_topology_create(&s->arena, &s->mesh, &s->topology), MUS_OK);
  mus_element_source source = {.mesh = &s->mesh, .topology = &s->topology, .fabric = fabric};
  assert_int_equal(mus_element_list_create(&mus_membrane_kind, &s->arena, &source, &s->list[0]), MUS_OK);
  assert_int_equal(mus_element_list_create(&mus_hinge_kind, &s->arena, &source, &s->list[1]), MUS_OK);
  s->mass = take(&s->arena, (size_t)s->mesh.vertices);
  mus_vertex_masses(&s->mesh, fabric->density, s->mass);
  for (int list = 0; list < 2; ++list) {
    size_t count = (size_t)s->list[list].count, k = (size_t)s->list[list].kind->arity;
    s->energy[list] = take(&s->arena, count);
    s->gradient[list] = take(&s->arena, count * k * 3);
    s->block[list] = take(&s->arena, count * k * (k + 1) / 2 * 9);
  }
  return s;
}

static void strip_free(strip *s) {
  mus_arena_clear(&s->arena);
  free(s);
}

static double evaluate(strip *s, const double *x, int exact, int with_blocks) {
  double total = 0;
  for (int kind = 0; kind < 2; ++kind) {
    mus_evaluation e = {.position = x, .blend = {1, 0, 0, exact, 0}, .scale = 1, .energy = s->energy[kind]};
    e.gradient = s->gradient[kind];
    e.block = with_blocks ? s->block[kind] : NULL;
    s->list[kind].kind->evaluate(&s->list[kind], 0, s->list[kind].count, &e);
    for (int k = 0; k < s->list[kind].count; ++k)
      total += s->energy[kind][k];
  }
  for (int v = 0; v < s->mesh.vertices; ++v)
    total -= s->mass[v] * mus_dot3(s->gravity, x + 3 * v);
  return total;
}

// The forces on all vertices, negated.
static void gather(strip *s, double *g) {
  for (int v = 0; v < s->mesh.vertices; ++v)
    mus_scale3(-s->mass[v], s->gravity, g + 3 * v);
  for (int kind = 0; kind < 2; ++kind) {
    int arity = s->list[kind].kind->arity, count = s->list[kind].count;
    const int *vertex = s->list[kind].vertex;
    for (int k = 0; k < count * arity; ++k)
      mus_add_scaled3(1, s->gradient[kind] + 3 * k, g + 3 * vertex[k]);
  }
}

// Adds element blocks to a band matrix in LAPACK's lower form, without the held vertices.
static void gather_band(const strip *s, int kind, int width, double *band) {
  int arity = s->list[kind].kind->arity, blocks = arity * (arity + 1) / 2, count = s->list[kind].count;
  const int *vertex = s->list[kind].vertex;
  double full[CHECK_N * CHECK_N];
  for (int e = 0; e < count; ++e) {
    mus_full_matrix(arity, s->block[kind] + 9 * (size_t)(blocks * e), full);
    for (int k = 0; k < 3 * arity; ++k)
      for (int l = 0; l < 3 * arity; ++l) {
        int row = 3 * (vertex[arity * e + k / 3] - s->held) + k % 3;
        int column = 3 * (vertex[arity * e + l / 3] - s->held) + l % 3;
        if (column >= 0 && row >= column)
          band[(size_t)column * (size_t)width + (size_t)(row - column)] += full[3 * arity * k + l];
      }
  }
}

// Newton's direction from K (exact where that is positive definite), with `shift` added to its diagonal. 0 where LAPACK
// finds no factor.
static int direction(strip *s, double shift, const double *g, double *d) {
  int n = 3 * (s->mesh.vertices - s->held), below = 9 * (s->across + 2), width = below + 1, one = 1, info;
  double *band = calloc((size_t)n * (size_t)width, sizeof *band);
  for (int k = 0; k < n; ++k)
    band[(size_t)k * (size_t)width] = shift;
  gather_band(s, 0, width, band);
  gather_band(s, 1, width, band);
  dpbtrf_("L", &n, &below, band, &width, &info, 1);
  if (info == 0) {
    for (int k = 0; k < n; ++k)
      d[k] = -g[3 * s->held + k];
    dpbtrs_("L", &n, &below, &one, band, &width, d, &n, &info, 1);
  }
  free(band);
  return info == 0;
}

// One step of Newton's method with a line search; returns the largest force that is left.
static double improve(strip *s, double shift, int exact, double *x) {
  int n = 3 * s->mesh.vertices, first = 3 * s->held;
  double *g = take(&s->arena, (size_t)n), *d = take(&s->arena, (size_t)n), *moved = take(&s->arena, (size_t)n);
  double energy = evaluate(s, x, exact, 1), slope = 0, largest = 0, part = 1;
  gather(s, g);
  for (int k = first; k < n; ++k)
    largest = fmax(largest, fabs(g[k]));
  if (!direction(s, shift, g, d)) {
    evaluate(s, x, 0, 1);
    assert_true(direction(s, shift, g, d));
  }
  for (int k = first; k < n; ++k)
    slope += g[k] * d[k - first];
  for (; part > 1e-10; part /= 2) {
    memcpy(moved, x, (size_t)n * sizeof *x);
    for (int k = first; k < n; ++k)
      moved[k] += part * d[k - first];
    if (evaluate(s, moved, 0, 0) <= energy + 1e-4 * part * slope + 1e-14 * fabs(energy))
      break;
  }
  memcpy(x, moved, (size_t)n * sizeof *x);
  return largest;
}

// The equilibrium from the flat rest shape: implicit steps of growing length, then Newton.
static double *settle(strip *s) {
  int n = 3 * s->mesh.vertices, steps = 0;
  double *x = malloc((size_t)n * sizeof *x), left = INFINITY, weight = 0;
  memcpy(x, s->mesh.position, (size_t)n * sizeof *x);
  for (int v = 0; v < s->mesh.vertices; ++v)
    weight = fmax(weight, s->mass[v] * 9.81);
  for (double shift = 1; left > 1e-7 * weight && steps < 3000; ++steps) {
    mus_arena_mark mark = mus_arena_here(&s->arena);
    left = improve(s, shift, 1, x);
    shift = fmax(shift * 0.5, 1e-9);
    mus_arena_rewind(&s->arena, mark);
  }
  assert_true(left <= 1e-7 * weight);
  return x;
}

// --- the elastica -------------------------------------------------------------------------------------------------

// Integrates theta'' = -(w/B) (L - s) cos theta from the clamp with a slope there, by Runge-Kutta's method. Returns
// theta' at the end, and the end's place in `end` (x, and y downwards).
static double shoot(double length, double ratio, double slope, double *end) {
  enum { STEPS = 200 };
  double h = length / STEPS, y[4] = {0, slope, 0, 0}; // theta, theta', x, y
  for (int k = 0; k < STEPS; ++k) {
    static const double node[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    double rate[4] = {0, 0, 0, 0}, sum[4] = {0, 0, 0, 0};
    for (int stage = 0; stage < 4; ++stage) {
      double theta = y[0] + node[stage] * h * rate[0], turn = y[1] + node[stage] * h * rate[1];
      double at = (k + node[stage]) * h;
      rate[0] = turn;
      rate[1] = -ratio * (length - at) * cos(theta);
      rate[2] = cos(theta);
      rate[3] = sin(theta);
      for (int m = 0; m < 4; ++m)
        sum[m] += share[stage] * h * rate[m];
    }
    for (int m = 0; m < 4; ++m)
      y[m] += sum[m];
  }
  end[0] = y[2];
  end[1] = y[3];
  return y[1];
}

// Where the end of a clamped strip comes to lie, for w/B.
static void elastica(double length, double ratio, double *end) {
  double low = 0, high = ratio * length * length; // of the slope at the clamp; the latter bends all the moment there is
  for (int k = 0; k < 50; ++k) {
    double middle = (low + high) / 2;
    if (shoot(length, ratio, middle, end) > 0)
      high = middle;
    else
      low = middle;
  }
}

static double droop(const double *end) { return atan2(end[1], end[0]) * 180 / MUS_PI; }

// The elastica is right: small loads bend it as a beam, w L^4 / 8 B; at twice the bending length it droops as the
// standard says, about 41.5 degrees.
static void elastica_is_right(void **state) {
  (void)state;
  double end[2];
  elastica(1, 1e-3, end);
  check_near(end[1], 1e-3 / 8, 1e-9);
  elastica(2, 1, end);
  check_near(droop(end), 41.5, 1.5);
  print_message("an overhang of two bending lengths droops by %.2f degrees\n", droop(end));
}

// --- the tests ----------------------------------------------------------------------------------------------------

// How stiff a drooping strip is, in units of what its fabric says: the B of the elastica that droops as much. As in the
// standard, the strip is cut to droop by 41.5 degrees and about as wide as its bending length.
static double bending_seen(const mus_fabric *fabric, pattern kind, int cells, double angle) {
  double cosine = cos(angle * MUS_PI / 180), sine = sin(angle * MUS_PI / 180), load = fabric->density * 9.81;
  double nominal = mus_bend_stiffness(fabric->bend[0], fabric->bend[1], fabric->bend[2], cosine, sine);
  double width = cbrt(nominal / load), length = 2 * width, cell = length / cells;
  int across = (int)lround(cells / 2.0 * (kind == EQUILATERAL ? sqrt(0.75) : 1));
  // One column of cells lies on the table, held. Bending is lumped at the lines between columns, each standing for half
  // a cell on either side: the one at the table's edge makes the strip bend from half a cell before it.
  strip *s = strip_create(fabric, kind, cells + 2, across, length + cell, width, -cell, angle);
  s->held = column_start(s, kind, 2);
  s->gravity[2] = -9.81;
  int first = column_start(s, kind, cells + 1), count = s->mesh.vertices - first;
  double *x = settle(s), tip[2] = {0, 0}, end[2], low = 0.1, high = 10;
  for (int v = first; v < s->mesh.vertices; ++v) {
    tip[0] += (x[3 * v] + cell / 2) / count;
    tip[1] -= x[3 * v + 2] / count;
  }
  for (int k = 0; k < 30; ++k) {
    double middle = sqrt(low * high);
    elastica(length + cell / 2, load / (nominal * middle), end);
    if (droop(end) > droop(tip))
      low = middle;
    else
      high = middle;
  }
  print_message("%s at %.0f degrees, %d x %d cells, %s: droops by %.2f degrees, as B = %.3f of the nominal\n",
                fabric->name, angle, cells, across, pattern_name[kind], droop(tip), low);
  free(x);
  strip_free(s);
  return low;
}

// Cotton's bending stiffness is what it says on every kind of mesh, as well as a hinge energy can; finer meshes agree.
static void cantilever_meshes(void **state) {
  (void)state;
  static const double tolerance[PATTERNS] = {
      [ALTERNATING] = 0.1, [PARALLEL] = 0.08, [EQUILATERAL] = 0.03, [IRREGULAR] = 0.04};
  const mus_fabric *cotton = mus_fabric_at(0);
  for (pattern kind = 0; kind < PATTERNS; ++kind) {
    double coarse = bending_seen(cotton, kind, 12, 0), fine = bending_seen(cotton, kind, 24, 0);
    check_near(coarse, 1, tolerance[kind]);
    check_near(fine, 1, tolerance[kind]);
    check_near(cbrt(coarse), cbrt(fine), 0.035); // bending lengths
  }
}

// Every fabric's is, along warp, weft and bias.
static void cantilever_fabrics(void **state) {
  (void)state;
  for (int k = 1; mus_fabric_at(k); ++k)
    for (double angle = 0; angle <= 90; angle += 45)
      check_near(bending_seen(mus_fabric_at(k), EQUILATERAL, 12, angle), 1, 0.06);
}

// A strip that hangs by one end, under a gravity that stretches it by a thousandth: the lengthening of a heavy cord,
// load length / 2 stiffness.
static double stretch_seen(const mus_fabric *fabric, pattern kind, int cells, double angle) {
  double cosine = cos(angle * MUS_PI / 180), sine = sin(angle * MUS_PI / 180), width = 0.02, length = width / 4 * cells;
  double nominal = mus_fabric_strip(fabric, cosine, sine), pull = 1e-3 * 2 * nominal / (fabric->density * length);
  strip *s = strip_create(fabric, kind, cells + 1, 4, length, width, 0, angle);
  s->held = column_start(s, kind, 1);
  s->gravity[0] = pull;
  double *x = settle(s), end = 0;
  int first = column_start(s, kind, cells), count = s->mesh.vertices - first;
  for (int v = first; v < s->mesh.vertices; ++v)
    end += x[3 * v] / count;
  double seen = (end / length - 1) / 1e-3;
  print_message("%s at %.0f degrees, %d cells, %s: stretches by %.4f of what theory says\n", fabric->name, angle, cells,
                pattern_name[kind], seen);
  free(x);
  strip_free(s);
  return seen;
}

static void hanging(void **state) {
  (void)state;
  for (int k = 0; mus_fabric_at(k); ++k)
    for (double angle = 0; angle <= 90; angle += 90) {
      check_near(stretch_seen(mus_fabric_at(k), k % 2 ? IRREGULAR : ALTERNATING, 20, angle), 1, 0.01);
      check_near(stretch_seen(mus_fabric_at(k), k % 2 ? PARALLEL : EQUILATERAL, 80, angle), 1, 0.01);
    }
}

// On the bias the threads turn towards the pull: a strip is as stiff as mus_fabric_strip() says, but for its held end,
// which can not get narrower.
static void hanging_on_the_bias(void **state) {
  (void)state;
  for (int k = 0; mus_fabric_at(k); ++k)
    check_near(stretch_seen(mus_fabric_at(k), ALTERNATING, 160, 45), 1, 0.03);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastica_is_right), cmocka_unit_test(cantilever_meshes),   cmocka_unit_test(cantilever_fabrics),
      cmocka_unit_test(hanging),           cmocka_unit_test(hanging_on_the_bias),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
