// See garment.h.
#include "mesh/garment.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "mesh/garment_measure.h"

// A place in a piece, m: across to the figure's left, and up.
typedef struct place {
  double across, up;
} place;

// A line of up to four corners.
typedef struct line {
  int count;
  place corner[4];
} line;

// The cut of the right half of front or back, whose mirror image is the left half.
typedef struct pattern {
  line shoulder; // from the armhole's top to the neck
  line armhole;  // from the armpit to the top; without sleeves nothing
  line side;     // from the waist to the armpit
  line waist;    // all of it, from one side to the other
  line hem;
  line cuff;            // from its bottom to its top
  place neck;           // its side
  double neck_depth[2]; // front and back
  place sleeve;         // along it, of length 1
} pattern;

// Cells along each line.
typedef struct cells {
  int shoulder, neck, armhole, side, skirt, sleeve;
} cells;

static double length_of(const line *l) {
  double sum = 0;
  for (int k = 1; k < l->count; ++k)
    sum += hypot(l->corner[k].across - l->corner[k - 1].across, l->corner[k].up - l->corner[k - 1].up);
  return sum;
}

static place between(place a, place b, double share) {
  return (place){a.across + share * (b.across - a.across), a.up + share * (b.up - a.up)};
}

// A place on a line by its share of the way.
static place along(const line *l, double share) {
  double rest = share * length_of(l);
  for (int k = 1; k < l->count; ++k) {
    double step = hypot(l->corner[k].across - l->corner[k - 1].across, l->corner[k].up - l->corner[k - 1].up);
    if (rest <= step)
      return between(l->corner[k - 1], l->corner[k], step > 0 ? rest / step : 0);
    rest -= step;
  }
  return l->corner[l->count - 1];
}

static place mirrored(place p, int left) { return (place){left ? p.across : -p.across, p.up}; }

// --- from measures to a pattern --------------------------------------------------------------------------------------

// A flat piece covers half of a girth, so half of its width is a quarter of it. `ease` is the cloth's girth over the
// body's.
static double quarter(double girth, double ease) { return 0.25 * girth * ease; }

// The bodice ends on the arm, across it, where the side of the bodice meets the sleeve's lower edge.
static void cut_sleeve(const mus_measures *m, double chest, pattern *p) {
  double dx = m->arm[1][0] - m->arm[0][0], dy = m->arm[1][1] - m->arm[0][1], norm = hypot(dx, dy);
  place d = {dx / norm, dy / norm}, over = {-d.up, d.across}; // along the arm, and upwards across it
  double half = 0.5 * 3.14159265358979323846 * m->arm_width * 1.25;
  double t = (chest + half * over.across - m->arm[0][0]) / d.across, length = 0.15 * m->height;
  place armpit = {chest, m->arm[0][1] + t * d.up - half * over.up};
  place top = {armpit.across + 2 * half * over.across, armpit.up + 2 * half * over.up};
  p->sleeve = d;
  p->armhole = (line){2, {armpit, top}};
  p->cuff = (line){2,
                   {{armpit.across + length * d.across, armpit.up + length * d.up},
                    {top.across + length * d.across, top.up + length * d.up}}};
}

static void cut_pattern(const mus_measures *m, pattern *p) {
  const double unit = m->height / 1.75;
  double chest = quarter(m->chest_girth, 1.12), waist = quarter(m->waist_girth, 1.25), hip = quarter(m->hip_girth, 1.2);
  double hem_height = 0.29 * m->height, down = (m->waist_height - hem_height) / (m->waist_height - m->hip_height);
  double hem = m->has_arms ? fmax(waist + (hip - waist) * down, 1.75 * hip) : 1.1 * fmax(waist, hip);
  *p = (pattern){.neck_depth = {0.075 * unit, 0.02 * unit}};
  p->neck = (place){m->neck_width + 0.02 * m->height, m->neck_side + 0.02 * unit};
  place joint = {m->shoulder_width, fmin(m->shoulder_height, m->neck_side) + 0.022 * unit}, armpit;
  if (m->has_arms) {
    cut_sleeve(m, chest, p);
    armpit = p->armhole.corner[0];
    p->shoulder = (line){3, {p->armhole.corner[1], joint, p->neck}};
  } else {
    armpit = (place){fmax(chest, joint.across + 0.02 * unit), joint.up - 0.07 * unit};
    p->shoulder = (line){3, {armpit, joint, p->neck}};
  }
  p->side = (line){2, {{waist, m->waist_height}, armpit}};
  p->waist = (line){2, {{-waist, m->waist_height}, {waist, m->waist_height}}};
  p->hem = (line){2, {{-hem, hem_height}, {hem, hem_height}}};
}

// Arms that hang down leave no room for sleeves beside the bodice: then all goes under one wide piece.
static mus_status take_measures(const mus_mesh *body, mus_measures *m, pattern *p) {
  mus_status status = mus_measure_figure(body, 1, m);
  if (status)
    return status;
  cut_pattern(m, p);
  if (!m->has_arms || p->side.corner[1].up > m->waist_height + 0.03 * m->height)
    return MUS_OK;
  status = mus_measure_figure(body, 0, m);
  if (!status)
    cut_pattern(m, p);
  return status;
}

// --- how finely -----------------------------------------------------------------------------------------------------

static int cells_in(double length, double spacing) {
  double count = floor(length / spacing + 0.5);
  return count < 1 ? 1 : (int)count;
}

static cells cells_of(const pattern *p, double spacing) {
  cells c = {.shoulder = cells_in(length_of(&p->shoulder), spacing),
             .neck = 2 * cells_in(p->neck.across, spacing),
             .side = cells_in(length_of(&p->side), spacing),
             .skirt = cells_in(p->waist.corner[0].up - p->hem.corner[0].up, spacing)};
  if (p->armhole.count > 0) {
    c.armhole = cells_in(length_of(&p->armhole), spacing);
    c.sleeve = cells_in(
        hypot(p->cuff.corner[0].across - p->armhole.corner[0].across, p->cuff.corner[0].up - p->armhole.corner[0].up),
        spacing);
  }
  return c;
}

static int columns_of(const cells *c) { return 2 * c->shoulder + c->neck; }

static double count_vertices(const cells *c) {
  double bodice = (columns_of(c) + 1.0) * (c->side + c->armhole + 1.0),
         skirt = (columns_of(c) + 1.0) * (c->skirt + 1.0);
  double sleeve = c->armhole > 0 ? (c->armhole + 1.0) * (c->sleeve + 1.0) : 0;
  return 2 * bodice + 2 * skirt + 4 * sleeve;
}

// The spacing that comes nearest to the number of vertices, by bisection.
static cells choose_cells(const pattern *p, int vertices) {
  double fine = 1e-5, coarse = 1;
  for (int round = 0; round < 60; ++round) {
    double middle = sqrt(fine * coarse);
    cells c = cells_of(p, middle);
    if (count_vertices(&c) > vertices)
      fine = middle;
    else
      coarse = middle;
  }
  cells more = cells_of(p, fine), fewer = cells_of(p, coarse);
  return count_vertices(&more) - vertices < vertices - count_vertices(&fewer) ? more : fewer;
}

// --- pieces ---------------------------------------------------------------------------------------------------------

// A grid of cells between four curves of places: rows run along `bottom`, columns along `left`.
typedef struct piece {
  int columns, rows, first; // the first vertex
  int back;
  mus_depth depth; // of what it covers
  double apart;    // m: how much further from the body than its plane
  place shift;     // of where it starts, not of its rest shape
  place *bottom, *top, *left, *right;
} piece;

enum { BODICE, SKIRT, SLEEVE, SLEEVES = 2, KINDS = SLEEVE + SLEEVES, PIECES = 2 * KINDS };

typedef struct tailor {
  const mus_measures *m;
  const mus_garment_options *options;
  pattern pattern;
  cells cells;
  piece piece[PIECES]; // kind by kind, front before back
  int pieces;
  mus_garment *garment;
} tailor;

static mus_status allocate(mus_arena *scratch, int columns, int rows, piece *p) {
  *p = (piece){.columns = columns, .rows = rows};
  p->bottom = mus_arena_alloc(scratch, 2 * ((size_t)columns + (size_t)rows + 2), sizeof *p->bottom);
  if (!p->bottom)
    return mus_fail_memory();
  p->top = p->bottom + columns + 1;
  p->left = p->top + columns + 1;
  p->right = p->left + rows + 1;
  return MUS_OK;
}

// The neck is a parabola between its sides.
static place on_neck(const pattern *p, int back, double share) {
  double across = 2 * share - 1;
  return (place){across * p->neck.across, p->neck.up - p->neck_depth[back] * (1 - across * across)};
}

static void shape_bodice(const tailor *t, int back, piece *p) {
  const cells *c = &t->cells;
  for (int k = 0; k <= p->columns; ++k) {
    int right = p->columns - k; // cells from the other end
    p->bottom[k] = along(&t->pattern.waist, (double)k / p->columns);
    p->top[k] = k < c->shoulder       ? mirrored(along(&t->pattern.shoulder, (double)k / c->shoulder), 0)
                : right < c->shoulder ? along(&t->pattern.shoulder, (double)right / c->shoulder)
                                      : on_neck(&t->pattern, back, (double)(k - c->shoulder) / c->neck);
  }
  for (int k = 0; k <= p->rows; ++k) {
    place at = k <= c->side ? along(&t->pattern.side, (double)k / c->side)
                            : along(&t->pattern.armhole, (double)(k - c->side) / c->armhole);
    p->right[k] = at;
    p->left[k] = mirrored(at, 0);
  }
}

static void shape_skirt(const tailor *t, piece *p) {
  for (int k = 0; k <= p->columns; ++k) {
    p->bottom[k] = along(&t->pattern.hem, (double)k / p->columns);
    p->top[k] = along(&t->pattern.waist, (double)k / p->columns);
  }
  for (int k = 0; k <= p->rows; ++k) {
    p->left[k] = between(p->bottom[0], p->top[0], (double)k / p->rows);
    p->right[k] = between(p->bottom[p->columns], p->top[p->columns], (double)k / p->rows);
  }
}

// Columns run along the arm, outwards on the left and inwards on the right, so that fronts face the same way.
static void shape_sleeve(const tailor *t, int left, piece *p) {
  place inner[2] = {mirrored(t->pattern.armhole.corner[0], left), mirrored(t->pattern.armhole.corner[1], left)};
  place outer[2] = {mirrored(t->pattern.cuff.corner[0], left), mirrored(t->pattern.cuff.corner[1], left)};
  const place *from = left ? inner : outer, *to = left ? outer : inner;
  for (int k = 0; k <= p->columns; ++k) {
    p->bottom[k] = between(from[0], to[0], (double)k / p->columns);
    p->top[k] = between(from[1], to[1], (double)k / p->columns);
  }
  for (int k = 0; k <= p->rows; ++k) {
    p->left[k] = between(from[0], from[1], (double)k / p->rows);
    p->right[k] = between(to[0], to[1], (double)k / p->rows);
  }
}

static mus_status cut_piece(mus_arena *scratch, tailor *t, int kind, int back, piece *p) {
  const cells *c = &t->cells;
  const double gap = 0.008 * t->m->height;
  mus_status status = kind >= SLEEVE
                          ? allocate(scratch, c->sleeve, c->armhole, p)
                          : allocate(scratch, columns_of(c), kind == SKIRT ? c->skirt : c->side + c->armhole, p);
  if (status)
    return status;
  p->back = back;
  if (kind == BODICE) {
    shape_bodice(t, back, p);
    p->depth = t->m->upper;
  } else if (kind == SKIRT) {
    shape_skirt(t, p);
    p->shift.up = -gap;
    p->depth = t->m->lower;
  } else {
    shape_sleeve(t, kind == SLEEVE, p);
    p->shift = mirrored((place){gap * t->pattern.sleeve.across, gap * t->pattern.sleeve.up}, kind == SLEEVE);
    p->depth.front = fmax(t->m->upper.front, t->m->lower.front); // whatever it lies over
    p->depth.back = fmin(t->m->upper.back, t->m->lower.back);
    p->apart = gap;
  }
  return MUS_OK;
}

// Coons: what the curves on both sides say, less what both say of the corners.
static place inside(const piece *p, int column, int row) {
  double u = (double)column / p->columns, v = (double)row / p->rows;
  place across = between(p->left[row], p->right[row], u), up = between(p->bottom[column], p->top[column], v);
  place low = between(p->bottom[0], p->bottom[p->columns], u), high = between(p->top[0], p->top[p->columns], u);
  place corners = between(low, high, v);
  return (place){across.across + up.across - corners.across, across.up + up.up - corners.up};
}

static place jittered(const tailor *t, const piece *p, int column, int row) {
  place at = inside(p, column, row);
  if (!t->options->irregular || column == 0 || row == 0 || column == p->columns || row == p->rows)
    return at;
  uint64_t v = 2 * (uint64_t)(p->first + row * (p->columns + 1) + column);
  place next = inside(p, column + 1, row), above = inside(p, column, row + 1);
  double step =
      0.2 * fmin(hypot(next.across - at.across, next.up - at.up), hypot(above.across - at.across, above.up - at.up));
  return (place){at.across + 0.7 * step * mus_random(t->options->seed, v),
                 at.up + 0.7 * step * mus_random(t->options->seed, v + 1)};
}

static void place_vertex(const tailor *t, const piece *p, place at, double *x) {
  const mus_measures *m = t->m;
  double clearance = 0.025 * m->height + p->apart;
  double ahead = p->back ? p->depth.back - clearance : p->depth.front + clearance;
  place start = {at.across + p->shift.across, at.up + p->shift.up};
  mus_point out = mus_point_add(mus_point_scale(start.across, m->aside), mus_point_scale(ahead, m->ahead));
  x[0] = m->origin.x + out.x;
  x[1] = m->origin.y + start.up;
  x[2] = m->origin.z + out.z;
}

// Whether a cell is cut from a to d: in turn, but along the shorter diagonal where it leans.
static int cut_rising(const place *at, int a, int b, int c, int d, int even) {
  double rising = hypot(at[d].across - at[a].across, at[d].up - at[a].up);
  double falling = hypot(at[c].across - at[b].across, at[c].up - at[b].up);
  return rising < 0.85 * falling || (even && rising <= falling / 0.85);
}

// Fronts face away from the body, in space and, as mirror images, in the material.
static void sew_piece(const tailor *t, const piece *p, place *at, int *triangle, double *material) {
  mus_mesh *mesh = &t->garment->mesh;
  for (int row = 0; row <= p->rows; ++row)
    for (int column = 0; column <= p->columns; ++column) {
      int k = row * (p->columns + 1) + column;
      at[k] = jittered(t, p, column, row);
      place_vertex(t, p, at[k], mesh->position + 3 * ((size_t)p->first + (size_t)k));
    }
  for (int row = 0; row < p->rows; ++row)
    for (int column = 0; column < p->columns; ++column) {
      int a = row * (p->columns + 1) + column, b = a + 1, c = a + p->columns + 1, d = c + 1;
      const int up[] = {a, b, d, a, d, c}, down[] = {a, b, c, b, d, c};
      int rising = cut_rising(at, a, b, c, d, (row + column) % 2 == 0);
      for (int k = 0; k < 6; ++k) {
        int corner = rising ? up[p->back ? 5 - k : k] : down[p->back ? 5 - k : k];
        *triangle++ = p->first + corner;
        *material++ = at[corner].up;
        *material++ = p->back ? at[corner].across : -at[corner].across;
      }
    }
}

// --- seams ----------------------------------------------------------------------------------------------------------

static int vertex_of(const piece *p, int column, int row) { return p->first + row * (p->columns + 1) + column; }

// Joins so many vertices of two pieces: from (column, row) in steps of (along, up).
typedef struct run {
  const piece *piece;
  int column, row, along, up;
} run;

static void sew(mus_garment *g, int count, run a, run b) {
  for (int k = 0; k < count; ++k) {
    int pair[] = {vertex_of(a.piece, a.column + k * a.along, a.row + k * a.up),
                  vertex_of(b.piece, b.column + k * b.along, b.row + k * b.up)};
    memcpy(g->stitch + 2 * (size_t)g->stitches++, pair, sizeof pair);
  }
}

// The same run of a front and its back.
static void sew_back(mus_garment *g, int count, const piece *front, int column, int row, int step, int up) {
  sew(g, count, (run){front, column, row, step, up}, (run){front + 1, column, row, step, up});
}

static void sew_all(tailor *t) {
  const cells *c = &t->cells;
  mus_garment *g = t->garment;
  const piece *bodice = &t->piece[2 * BODICE], *skirt = &t->piece[2 * SKIRT];
  int columns = columns_of(c), rows = c->side + c->armhole;
  for (int right = 0; right < 2; ++right) {
    int end = right ? columns : 0, step = right ? -1 : 1;
    sew_back(g, c->shoulder + 1, bodice, end, rows, step, 0);
    sew_back(g, c->side + 1, bodice, end, 0, 0, 1);
    sew_back(g, c->skirt + 1, skirt, end, 0, 0, 1);
  }
  for (int back = 0; back < 2; ++back)
    sew(g, columns + 1, (run){bodice + back, 0, 0, 1, 0}, (run){skirt + back, 0, c->skirt, 1, 0});
  for (int k = 0; k < (c->armhole > 0 ? SLEEVES : 0); ++k) {
    const piece *sleeve = &t->piece[2 * (SLEEVE + k)]; // the left one first, which is on the right in a piece
    int inner = k == 0 ? 0 : c->sleeve, end = k == 0 ? columns : 0;
    sew_back(g, c->sleeve + 1, sleeve, 0, 0, 1, 0);
    sew_back(g, c->sleeve + 1, sleeve, 0, c->armhole, 1, 0);
    for (int back = 0; back < 2; ++back)
      sew(g, c->armhole + 1, (run){bodice + back, end, c->side, 0, 1}, (run){sleeve + back, inner, 0, 0, 1});
  }
}

static int count_stitches(const cells *c) {
  int all = 2 * (c->shoulder + c->side + c->skirt + 3) + 2 * (columns_of(c) + 1);
  return c->armhole > 0 ? all + SLEEVES * (2 * (c->sleeve + 1) + 2 * (c->armhole + 1)) : all;
}

// --- all of it ------------------------------------------------------------------------------------------------------

static mus_status make(mus_arena *arena, mus_arena *scratch, tailor *t) {
  long long vertices = 0, triangles = 0, largest = 0;
  t->pieces = t->cells.armhole > 0 ? PIECES : 2 * SLEEVE;
  for (int k = 0; k < t->pieces; ++k) {
    piece *p = &t->piece[k];
    mus_status status = cut_piece(scratch, t, k / 2, k % 2, p);
    if (status)
      return status;
    long long count = (p->columns + 1LL) * (p->rows + 1);
    p->first = (int)vertices;
    vertices += count;
    triangles += 2LL * p->columns * p->rows;
    largest = count > largest ? count : largest;
  }
  mus_garment *g = t->garment;
  mus_status status = mus_mesh_create(arena, vertices, triangles, 1, &g->mesh);
  place *at = mus_arena_alloc(scratch, (size_t)largest, sizeof *at);
  g->stitch = mus_arena_alloc(arena, 2 * (size_t)count_stitches(&t->cells), sizeof *g->stitch);
  if (status || !at || !g->stitch)
    return status ? status : mus_fail_memory();
  size_t first = 0;
  for (int k = 0; k < t->pieces; ++k) {
    sew_piece(t, &t->piece[k], at, g->mesh.triangle + 3 * first, g->mesh.material + 6 * first);
    first += 2 * (size_t)t->piece[k].columns * (size_t)t->piece[k].rows;
  }
  sew_all(t);
  g->pieces = t->pieces;
  return MUS_OK;
}

// A figure of odd measures may make pieces that fold over.
static mus_status check_pieces(const mus_mesh *mesh) {
  for (size_t t = 0; t < (size_t)mesh->triangles; ++t) {
    const double *u = mesh->material + 6 * t;
    if (!((u[2] - u[0]) * (u[5] - u[1]) - (u[3] - u[1]) * (u[4] - u[0]) > 0))
      return mus_fail(MUS_BAD_INPUT, "no garment can be cut for this body: it needs the proportions of a person");
  }
  return MUS_OK;
}

mus_status mus_garment_create(mus_arena *arena, const mus_mesh *body, const mus_garment_options *options,
                              mus_garment *out) {
  if (options->vertices < 200 || options->vertices > MUS_MESH_MAXIMUM / 8)
    return mus_fail(MUS_BAD_INPUT, "a garment of %d vertices cannot be made: ask for 200 to %d", options->vertices,
                    MUS_MESH_MAXIMUM / 8);
  mus_measures m;
  mus_garment garment = {0};
  tailor t = {.m = &m, .options = options, .garment = &garment};
  mus_status status = take_measures(body, &m, &t.pattern);
  if (status)
    return status;
  t.cells = choose_cells(&t.pattern, options->vertices);
  mus_arena scratch = {0};
  status = make(arena, &scratch, &t);
  mus_arena_clear(&scratch);
  if (!status)
    status = check_pieces(&garment.mesh);
  if (!status)
    *out = garment;
  return status;
}
