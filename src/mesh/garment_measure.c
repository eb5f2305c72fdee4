// See garment_measure.h.
#include "mesh/garment_measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { ROWS = 256 }; // of the silhouette; columns are as wide

typedef struct silhouette {
  const mus_mesh *body;
  mus_measures *m;
  double cell, left;   // m; where the first column begins, across
  int columns, middle; // the column of the origin
  unsigned char *full; // ROWS * columns
  mus_point *slice;    // workspace: the points of one
} silhouette;

static mus_point vertex(const mus_mesh *mesh, int v) {
  const double *x = mesh->position + 3 * (size_t)v;
  return (mus_point){x[0], x[1], x[2]};
}

// Across, up and ahead.
static mus_point seen(const mus_measures *m, mus_point p) {
  mus_point way = mus_point_subtract(p, m->origin);
  return (mus_point){mus_point_dot(way, m->aside), way.y, mus_point_dot(way, m->ahead)};
}

// --- where it stands and looks --------------------------------------------------------------------------------------

// The middle of all vertices between two heights.
static mus_point middle_between(const mus_mesh *body, double low, double high, int *count) {
  mus_point sum = {0, 0, 0};
  *count = 0;
  for (int v = 0; v < body->vertices; ++v) {
    mus_point p = vertex(body, v);
    if (p.y >= low && p.y <= high) {
      sum = mus_point_add(sum, p);
      ++*count;
    }
  }
  return mus_point_scale(1.0 / (*count > 0 ? *count : 1), sum);
}

// The direction in which the vertices between two heights spread most. Along x or z where that is not far off.
static mus_point widest(const mus_mesh *body, double low, double high) {
  int count;
  mus_point middle = middle_between(body, low, high, &count);
  double xx = 0, xz = 0, zz = 0;
  for (int v = 0; v < body->vertices; ++v) {
    mus_point p = mus_point_subtract(vertex(body, v), middle);
    if (p.y + middle.y < low || p.y + middle.y > high)
      continue;
    xx += p.x * p.x;
    xz += p.x * p.z;
    zz += p.z * p.z;
  }
  double angle = 0.5 * atan2(2 * xz, xx - zz), quarter = 1.5707963267948966, nearest = quarter * round(angle / quarter);
  angle = fabs(angle - nearest) < 0.12 ? nearest : angle;
  return nearest == angle ? (mus_point){round(cos(angle)), 0, round(sin(angle))}
                          : (mus_point){cos(angle), 0, sin(angle)};
}

// --- slices ---------------------------------------------------------------------------------------------------------

// The part of a triangle at a height, as its ends; 0 when there is none.
static int cut(const silhouette *s, int triangle, double height, mus_point end[2]) {
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const int *corner = s->body->triangle + 3 * (size_t)triangle;
    mus_point a = seen(s->m, vertex(s->body, corner[k])), b = seen(s->m, vertex(s->body, corner[(k + 1) % 3]));
    if ((a.y < height) == (b.y < height))
      continue;
    double share = (height - a.y) / (b.y - a.y);
    end[count++] = mus_point_add(a, mus_point_scale(share, mus_point_subtract(b, a)));
  }
  return count == 2;
}

static int by_across(const void *a, const void *b) {
  const mus_point *p = a, *q = b;
  return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->z > q->z) - (p->z < q->z);
}

// Half the way around sorted points: the sum of the sides of their hull above (sign 1) or below (-1).
static double half_girth(const mus_point *point, int count, double sign, mus_point *hull) {
  int kept = 0;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    while (kept >= 2) {
      mus_point a = mus_point_subtract(hull[kept - 1], hull[kept - 2]),
                b = mus_point_subtract(point[k], hull[kept - 2]);
      if (sign * (a.x * b.z - a.z * b.x) < 0)
        break;
      --kept;
    }
    hull[kept++] = point[k];
  }
  for (int k = 1; k < kept; ++k)
    sum += mus_point_length(mus_point_subtract(hull[k], hull[k - 1]));
  return sum;
}

// Around all of the slice at a height that lies within `across` of the middle.
static double girth(silhouette *s, double height, double across) {
  int count = 0;
  for (int t = 0; t < s->body->triangles; ++t) {
    mus_point end[2];
    if (cut(s, t, height, end) && fabs(0.5 * (end[0].x + end[1].x)) <= across) {
      s->slice[count++] = end[0];
      s->slice[count++] = end[1];
    }
  }
  qsort(s->slice, (size_t)count, sizeof *s->slice, by_across);
  mus_point *hull = s->slice + 2 * (size_t)s->body->triangles;
  return half_girth(s->slice, count, 1, hull) + half_girth(s->slice, count, -1, hull);
}

// The neck is the slimmest place of the upper figure.
static double slimmest(silhouette *s, double low, double high) {
  double least = INFINITY, where = low;
  for (int k = 0; k <= 40; ++k) {
    double height = low + (high - low) * k / 40, found = girth(s, height, INFINITY);
    if (found > 0 && found < least) {
      least = found;
      where = height;
    }
  }
  return where;
}

// Feet point to the front; shoulders, just below the neck, are wider than deep.
static void look_around(silhouette *s) {
  const mus_mesh *body = s->body;
  mus_measures *m = s->m;
  *m = (mus_measures){.origin = {0, m->origin.y, 0}, .aside = {1, 0, 0}, .ahead = {0, 0, 1}, .height = m->height};
  double low = m->origin.y, neck = low + slimmest(s, 0.68 * m->height, 0.93 * m->height);
  int heads, feet, ankles;
  m->origin = middle_between(body, neck, low + m->height, &heads);
  m->origin.y = low;
  m->aside = widest(body, neck - 0.07 * m->height, neck - 0.01 * m->height);
  m->ahead = mus_point_cross(m->aside, (mus_point){0, 1, 0});
  mus_point toes = middle_between(body, low, low + 0.03 * m->height, &feet);
  mus_point shins = middle_between(body, low + 0.06 * m->height, low + 0.12 * m->height, &ankles);
  if (feet > 0 && ankles > 0 && mus_point_dot(mus_point_subtract(toes, shins), m->ahead) < 0) {
    m->aside = mus_point_scale(-1, m->aside);
    m->ahead = mus_point_scale(-1, m->ahead);
  }
}

// --- the silhouette -------------------------------------------------------------------------------------------------

static double row_height(const silhouette *s, int row) { return s->cell * (row + 0.5); }
static int row_at(const silhouette *s, double height) {
  int row = (int)floor(height / s->cell);
  return row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
}
static unsigned char *at(const silhouette *s, int row, int column) {
  return s->full + (size_t)row * (size_t)s->columns + (size_t)column;
}

static void draw(silhouette *s) {
  for (int t = 0; t < s->body->triangles; ++t) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
      double y = seen(s->m, vertex(s->body, s->body->triangle[3 * (size_t)t + (size_t)k])).y;
      low = fmin(low, y);
      high = fmax(high, y);
    }
    for (int row = row_at(s, low); row <= row_at(s, high); ++row) {
      mus_point end[2];
      if (!cut(s, t, row_height(s, row), end))
        continue;
      int from = (int)((fmin(end[0].x, end[1].x) - s->left) / s->cell);
      int to = (int)((fmax(end[0].x, end[1].x) - s->left) / s->cell);
      for (int column = from; column <= to; ++column)
        *at(s, row, column) = 1;
    }
  }
}

// Columns from the middle to one side (1 or -1) that are full in a row; of what begins beyond a gap, where it begins
// and ends instead. 0 where there is none.
static int trunk(const silhouette *s, int row, int side) {
  int k = 0;
  while (s->middle + side * k >= 0 && s->middle + side * k < s->columns && *at(s, row, s->middle + side * k))
    ++k;
  return k;
}
static int beyond(const silhouette *s, int row, int side, int *from, int *to) {
  int k = trunk(s, row, side);
  while (s->middle + side * k >= 0 && s->middle + side * k < s->columns && !*at(s, row, s->middle + side * k))
    ++k;
  *from = k;
  while (s->middle + side * k >= 0 && s->middle + side * k < s->columns && *at(s, row, s->middle + side * k))
    ++k;
  *to = k;
  return *to > *from;
}

// The wider side's.
static double half_width(const silhouette *s, int row) {
  int left = trunk(s, row, 1), right = trunk(s, row, -1);
  return s->cell * (left > right ? left : right);
}

// The highest full place of a column below a row, on the higher side.
static double top_at(const silhouette *s, double across, int below) {
  int step = (int)(across / s->cell);
  for (int row = below; row > 0; --row)
    for (int side = -1; side <= 1; side += 2) {
      int column = s->middle + side * step;
      if (column >= 0 && column < s->columns && *at(s, row, column))
        return row_height(s, row);
    }
  return 0;
}

// --- what a tailor wants to know ------------------------------------------------------------------------------------

static int find_neck(silhouette *s) {
  int best = -1;
  for (int row = row_at(s, 0.68 * s->m->height); row <= row_at(s, 0.93 * s->m->height); ++row)
    if (half_width(s, row) > 0 && (best < 0 || half_width(s, row) < half_width(s, best)))
      best = row;
  return best;
}

// The highest row below the neck, of three on end, that has arms beside the trunk; -1 where none has.
static int find_armpit(const silhouette *s, int neck) {
  for (int row = neck, found = 0; row > row_at(s, 0.55 * s->m->height); --row) {
    int from, to;
    int arms = half_width(s, row) > 1.3 * half_width(s, neck) && beyond(s, row, 1, &from, &to) &&
               beyond(s, row, -1, &from, &to);
    found = arms ? found + 1 : 0;
    if (found == 3)
      return row + 2;
  }
  return -1;
}

// The middle of the arms in a row, both sides together, and half of how wide they are there.
static int arm_at(const silhouette *s, int row, double place[2], double *width) {
  int from[2], to[2];
  if (!beyond(s, row, 1, &from[0], &to[0]) || !beyond(s, row, -1, &from[1], &to[1]))
    return 0;
  place[0] = 0.25 * s->cell * (from[0] + to[0] + from[1] + to[1]);
  place[1] = row_height(s, row);
  *width = 0.25 * s->cell * (to[0] - from[0] + to[1] - from[1]);
  return 1;
}

static void measure_arms(silhouette *s, int armpit) {
  mus_measures *m = s->m;
  double width[2];
  m->has_arms = armpit >= 0 && arm_at(s, row_at(s, m->armpit_height - 0.03 * m->height), m->arm[0], &width[0]) &&
                arm_at(s, row_at(s, m->armpit_height - 0.09 * m->height), m->arm[1], &width[1]);
  if (!m->has_arms)
    return;
  double along[2] = {m->arm[1][0] - m->arm[0][0], m->arm[1][1] - m->arm[0][1]};
  m->arm_width = 0.5 * (width[0] + width[1]) * -along[1] / hypot(along[0], along[1]); // across the arm, not the row
}

// How far from the middle a slice counts: to the end of the trunk where arms are away from it, or between the legs.
static double slice_reach(const silhouette *s, int row) {
  double width = half_width(s, row);
  return s->m->has_arms && width > 0 ? width + s->cell : s->m->has_arms ? 1.2 * s->m->shoulder_width : INFINITY;
}

// The least and the largest girth between two heights.
static double least_girth(silhouette *s, double low, double high, double *where) {
  double least = INFINITY;
  for (int row = row_at(s, low); row <= row_at(s, high); row += 3) {
    double found = girth(s, row_height(s, row), slice_reach(s, row));
    if (found > 0 && found < least) {
      least = found;
      *where = row_height(s, row);
    }
  }
  return least;
}
static double largest_girth(silhouette *s, double low, double high, double *where) {
  double largest = 0;
  for (int row = row_at(s, low); row <= row_at(s, high); row += 3) {
    double found = girth(s, row_height(s, row), slice_reach(s, row));
    if (found > largest) {
      largest = found;
      *where = row_height(s, row);
    }
  }
  return largest;
}

static void measure_depth(const silhouette *s, double low, double high, mus_depth *depth) {
  *depth = (mus_depth){.front = -INFINITY, .back = INFINITY};
  for (int v = 0; v < s->body->vertices; ++v) {
    mus_point p = seen(s->m, vertex(s->body, v));
    if (p.y >= low && p.y <= high) {
      depth->front = fmax(depth->front, p.z);
      depth->back = fmin(depth->back, p.z);
    }
  }
}

static mus_status take_measures(silhouette *s, int arms) {
  mus_measures *m = s->m;
  int neck = find_neck(s), armpit = neck < 0 ? -1 : find_armpit(s, neck);
  if (neck < 0)
    return mus_fail(MUS_BAD_INPUT, "the body has no neck for a garment to hang from: it must stand upright, y up");
  m->neck_width = half_width(s, neck);
  m->neck_side = top_at(s, m->neck_width + 0.02 * m->height, neck);
  m->armpit_height = armpit < 0 ? 0.72 * m->height : row_height(s, armpit);
  if (arms)
    measure_arms(s, armpit);
  int below = row_at(s, row_height(s, neck) - 0.08 * m->height);
  m->shoulder_width = half_width(s, m->has_arms ? armpit - 2 : armpit < 0 ? below : armpit + 2);
  m->shoulder_height = top_at(s, 0.95 * m->shoulder_width, neck);
  double where;
  m->chest_girth = largest_girth(s, m->armpit_height - 0.08 * m->height, m->armpit_height - 0.01 * m->height, &where);
  m->waist_girth = least_girth(s, 0.56 * m->height, (m->has_arms ? 0.66 : 0.58) * m->height, &m->waist_height);
  m->hip_girth = largest_girth(s, 0.44 * m->height, 0.54 * m->height, &m->hip_height);
  if (!(m->shoulder_width > m->neck_width && m->shoulder_height > m->waist_height && isfinite(m->waist_girth)))
    return mus_fail(MUS_BAD_INPUT, "the body has no shoulders above a waist: a garment needs an upright figure");
  measure_depth(s, m->hip_height, row_height(s, neck), &m->upper);
  measure_depth(s, 0.25 * m->height, m->waist_height + 0.02 * m->height, &m->lower);
  return MUS_OK;
}

// Columns for all that there is to see.
static mus_status open_silhouette(mus_arena *scratch, silhouette *s) {
  double most = 0;
  for (int v = 0; v < s->body->vertices; ++v)
    most = fmax(most, fabs(seen(s->m, vertex(s->body, v)).x));
  if (most > 0.75 * s->m->height)
    return mus_fail(MUS_BAD_INPUT, "the body is wider than it is high: a garment needs an upright figure, y up");
  s->cell = s->m->height / ROWS;
  s->middle = (int)(most / s->cell) + 2;
  s->columns = 2 * s->middle + 1;
  s->left = -s->cell * (s->middle + 0.5);
  s->full = mus_arena_alloc_zero(scratch, (size_t)ROWS * (size_t)s->columns, 1);
  return s->full ? MUS_OK : mus_fail_memory();
}

mus_status mus_measure_figure(const mus_mesh *body, int arms, mus_measures *out) {
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < body->vertices; ++v) {
    low = fmin(low, body->position[3 * (size_t)v + 1]);
    high = fmax(high, body->position[3 * (size_t)v + 1]);
  }
  if (!(high > low))
    return mus_fail(MUS_BAD_INPUT, "the body is flat: a garment needs an upright figure");
  mus_measures m = {.origin = {0, low, 0}, .height = high - low};
  mus_arena scratch = {0};
  silhouette s = {.body = body, .m = &m};
  s.slice = mus_arena_alloc(&scratch, 4 * (size_t)body->triangles, sizeof *s.slice);
  mus_status status = s.slice ? MUS_OK : mus_fail_memory();
  if (!status) {
    look_around(&s);
    status = open_silhouette(&scratch, &s);
  }
  if (!status) {
    draw(&s);
    status = take_measures(&s, arms);
  }
  mus_arena_clear(&scratch);
  if (!status)
    *out = m;
  return status;
}
