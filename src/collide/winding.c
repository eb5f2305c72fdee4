// The generalised winding number by a tree. See winding.h.
//
// A node of the tree with centre c (of area), and r the farthest that any of its triangles reaches from c, sums up
//   N = sum_t a_t n_t,   M = sum_t a_t (c_t - c) n_t^T
// over its triangles of area a_t, centre c_t, normal n_t. Seen from p, with d = c - p, it winds
//   (1 / 4 pi) [N . d / |d|^3 + tr M / |d|^3 - 3 d^T M d / |d|^5] + O(r^2 / |d|^2)
// times around it. That is used where |d| > far r. Leaves that are nearer are summed triangle by triangle with the
// formula of Van Oosterom and Strackee (1983).
//
// Nodes are in preorder: the left child follows its parent, so children come after parents, and going through the nodes
// backwards visits children first.
#include "collide/winding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "collide/distance.h"
#include "mesh/check.h"
#include "mesh/groups.h"
#include "par/par.h"

enum { leaf_triangles = 6, deepest = 64 };
static const double far = 4;
// The same where it only matters whether a point is inside, and how near to the limit numbers are looked at again.
static const double coarse = 1.5, doubt = 0.25;
static const double four_pi = 12.566370614359172954;

typedef struct node {
  int begin, end; // triangles, in the order of the tree
  int right;      // 0 for a leaf
  double low[3], high[3];
  double centre[3], radius, area;
  double dipole[3]; // N
  double moment[9]; // M
} node;

struct mus_winding {
  mus_arena arena;
  const mus_surface *surface;
  unsigned char *solid; // bodies
  signed char *sign;    // bodies: -1 where triangles face inwards
  int bodies;
  int triangles;
  int *order;            // triangles of the surface, in the order of the tree
  double *corner;        // triangles * 9, in that order, turned over where they face inwards
  unsigned char *buried; // triangles
  int is_buried;         // 1: `buried` is known for these corners
  int nodes;
  node *node;
};

// --- what is solid -------------------------------------------------------------------------------------------------

static const double *corner_of(const mus_surface *surface, const double *x, int t, int k) {
  return x + (size_t)surface->triangle[3 * (size_t)t + (size_t)k] * 3;
}

static int body_of(const mus_surface *surface, int t) { return surface->body[surface->triangle[3 * (size_t)t]]; }

// a n, whose length is the triangle's area.
static void area_vector(const double *a, const double *b, const double *c, double out[3]) {
  double u[3], v[3];
  mus_subtract3(b, a, u);
  mus_subtract3(c, a, v);
  mus_cross3(u, v, out);
  for (int k = 0; k < 3; ++k)
    out[k] *= 0.5;
}

// What tells solid bodies from sheets. Volumes are sums of pyramids above a point that must be in one place for all of
// a body, and near it where it is not closed.
typedef struct body_size {
  double holes, area, volume; // m^2, sum over all boundary loops of their lengths' squares; m^2; m^3
  const double *apex;
} body_size;

static void measure_triangles(const mus_surface *surface, const double *x, body_size *size) {
  for (int t = surface->cloth_triangles; t < surface->triangles; ++t) {
    body_size *body = size + body_of(surface, t);
    const double *a = corner_of(surface, x, t, 0);
    double vector[3], arm[3];
    if (!body->apex)
      body->apex = a;
    area_vector(a, corner_of(surface, x, t, 1), corner_of(surface, x, t, 2), vector);
    mus_subtract3(a, body->apex, arm);
    body->area += mus_length3(vector);
    body->volume += mus_dot3(arm, vector) / 3;
  }
}

// A side of a triangle, from its lower to its higher end or the other way. Ends count from the first body's vertex on.
typedef struct side {
  int low, high, sign;
} side;

static int compare_sides(const void *first, const void *second) {
  const side *a = first, *b = second;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

// All sides, where vertices at the same place are one: files often cut surfaces open where textures do. Then those that
// do not cancel, in `boundary`.
static int find_boundary(const mus_surface *surface, const int *first, side *boundary) {
  int sides = 0, kept = 0;
  for (int t = surface->cloth_triangles; t < surface->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      const int *corner = surface->triangle + 3 * (size_t)t;
      int from = first[corner[k] - surface->cloth_vertices], to = first[corner[(k + 1) % 3] - surface->cloth_vertices];
      boundary[sides++] = from < to ? (side){from, to, 1} : (side){to, from, -1};
    }
  qsort(boundary, (size_t)sides, sizeof *boundary, compare_sides);
  for (int i = 0, end; i < sides; i = end) {
    side sum = boundary[i];
    for (end = i + 1; end < sides && compare_sides(boundary + i, boundary + end) == 0; ++end)
      sum.sign += boundary[end].sign;
    if (sum.sign != 0 && sum.low != sum.high)
      boundary[kept++] = sum;
  }
  return kept;
}

static mus_status measure_holes(mus_arena *scratch, const mus_surface *surface, const double *x, body_size *size) {
  size_t vertices = (size_t)(surface->vertices - surface->cloth_vertices);
  size_t triangles = (size_t)(surface->triangles - surface->cloth_triangles);
  int *first = mus_arena_alloc(scratch, vertices, sizeof *first);
  int *loop = mus_arena_alloc(scratch, vertices, sizeof *loop);
  double *length = mus_arena_alloc_zero(scratch, vertices, sizeof *length);
  double *position = mus_arena_alloc(scratch, 3 * vertices, sizeof *position);
  side *boundary = mus_arena_alloc(scratch, 3 * triangles, sizeof *boundary);
  if (!first || !loop || !length || !position || !boundary)
    return mus_fail_memory();
  memcpy(position, x + 3 * (size_t)surface->cloth_vertices, 3 * vertices * sizeof *position);
  mus_mesh mesh = {.vertices = (int)vertices, .position = position};
  mus_status status = mus_first_at_place(&mesh, first);
  if (status != MUS_OK)
    return status;
  int count = find_boundary(surface, first, boundary);
  for (size_t v = 0; v < vertices; ++v)
    loop[v] = (int)v;
  for (int i = 0; i < count; ++i)
    mus_group_join(loop, boundary[i].low, boundary[i].high);
  for (int i = 0; i < count; ++i) {
    double along[3];
    mus_subtract3(position + 3 * (size_t)boundary[i].high, position + 3 * (size_t)boundary[i].low, along);
    length[mus_group_first(loop, boundary[i].low)] += mus_length3(along);
  }
  for (size_t v = 0; v < vertices; ++v)
    if (length[v] > 0)
      size[surface->body[(size_t)surface->cloth_vertices + v]].holes += length[v] * length[v];
  return MUS_OK;
}

static mus_status classify_bodies(mus_winding *winding, const double *x, int all) {
  const mus_surface *surface = winding->surface;
  mus_arena scratch = {0};
  for (int v = surface->cloth_vertices; v < surface->vertices; ++v)
    if (surface->body[v] >= winding->bodies)
      winding->bodies = surface->body[v] + 1;
  size_t bodies = (size_t)winding->bodies;
  winding->solid = mus_arena_alloc_zero(&winding->arena, bodies, sizeof *winding->solid);
  winding->sign = mus_arena_alloc_zero(&winding->arena, bodies, sizeof *winding->sign);
  body_size *size = mus_arena_alloc_zero(&scratch, bodies, sizeof *size);
  mus_status status = winding->solid && winding->sign && size ? MUS_OK : mus_fail_memory();
  if (status == MUS_OK)
    status = measure_holes(&scratch, surface, x, size);
  if (status == MUS_OK) {
    measure_triangles(surface, x, size);
    for (size_t b = 0; b < bodies; ++b) {
      winding->solid[b] = size[b].area > 0 && (all || size[b].holes <= 2 * size[b].area);
      winding->sign[b] = size[b].volume < 0 ? -1 : 1;
    }
  }
  mus_arena_clear(&scratch);
  return status;
}

int mus_winding_is_solid(const mus_winding *winding, int triangle) {
  int body = body_of(winding->surface, triangle);
  return body >= 0 && winding->solid[body];
}

static mus_status gather_triangles(mus_winding *winding) {
  const mus_surface *surface = winding->surface;
  for (int t = surface->cloth_triangles; t < surface->triangles; ++t)
    winding->triangles += mus_winding_is_solid(winding, t);
  size_t triangles = (size_t)winding->triangles;
  winding->order = mus_arena_alloc(&winding->arena, triangles, sizeof *winding->order);
  winding->corner = mus_arena_alloc(&winding->arena, triangles * 9, sizeof *winding->corner);
  winding->buried = mus_arena_alloc_zero(&winding->arena, triangles, sizeof *winding->buried);
  winding->node = mus_arena_alloc(&winding->arena, 2 * triangles + 1, sizeof *winding->node);
  if (!winding->order || !winding->corner || !winding->buried || !winding->node)
    return mus_fail_memory();
  int count = 0;
  for (int t = surface->cloth_triangles; t < surface->triangles; ++t)
    if (mus_winding_is_solid(winding, t))
      winding->order[count++] = t;
  return MUS_OK;
}

// --- the tree ------------------------------------------------------------------------------------------------------

// Three times the centre along an axis.
static double key_of(const mus_winding *winding, const double *x, int t, int axis) {
  return corner_of(winding->surface, x, t, 0)[axis] + corner_of(winding->surface, x, t, 1)[axis] +
         corner_of(winding->surface, x, t, 2)[axis];
}

static int widest_axis(const mus_winding *winding, const double *x, int begin, int end) {
  double widest = -1;
  int axis = 0;
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (int i = begin; i < end; ++i) {
      double key = key_of(winding, x, winding->order[i], k);
      low = fmin(low, key);
      high = fmax(high, key);
    }
    if (high - low > widest) {
      widest = high - low;
      axis = k;
    }
  }
  return axis;
}

// Hoare's selection: puts the triangle that belongs at `middle` there, none with a greater key before it.
static void split(mus_winding *winding, const double *x, int begin, int middle, int end, int axis) {
  int *order = winding->order;
  for (int low = begin, high = end - 1; low < high;) {
    double pivot = key_of(winding, x, order[low + (high - low) / 2], axis);
    int i = low, j = high;
    while (i <= j) {
      while (key_of(winding, x, order[i], axis) < pivot)
        ++i;
      while (key_of(winding, x, order[j], axis) > pivot)
        --j;
      if (i <= j) {
        int other = order[i];
        order[i++] = order[j];
        order[j--] = other;
      }
    }
    if (middle <= j)
      high = j;
    else if (middle >= i)
      low = i;
    else
      return;
  }
}

// Halves the triangles until few are left, so the depth is that of the logarithm.
static int build(mus_winding *winding, const double *x, int begin, int end) {
  int number = winding->nodes++;
  winding->node[number] = (node){.begin = begin, .end = end};
  if (end - begin > leaf_triangles) {
    int middle = begin + (end - begin) / 2;
    split(winding, x, begin, middle, end, widest_axis(winding, x, begin, end));
    build(winding, x, begin, middle);
    winding->node[number].right = build(winding, x, middle, end);
  }
  return number;
}

static void grow_box(node *box, const double *low, const double *high) {
  for (int k = 0; k < 3; ++k) {
    box->low[k] = fmin(box->low[k], low[k]);
    box->high[k] = fmax(box->high[k], high[k]);
  }
}

static void add_moment(double weight, const double *arm, const double *vector, double *moment) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      moment[3 * i + j] += weight * arm[i] * vector[j];
}

// The centre of area, or that of the box where there is no area.
static void place_centre(node *n, const double weighted[3]) {
  for (int k = 0; k < 3; ++k)
    n->centre[k] = n->area > 0 ? weighted[k] / n->area : 0.5 * (n->low[k] + n->high[k]);
}

// The farthest corner of the box, which no triangle reaches beyond.
static double box_radius(const node *n) {
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double reach = fmax(n->centre[k] - n->low[k], n->high[k] - n->centre[k]);
    square += reach * reach;
  }
  return sqrt(square);
}

static void clear_node(node *n) {
  for (int k = 0; k < 3; ++k) {
    n->low[k] = INFINITY;
    n->high[k] = -INFINITY;
    n->dipole[k] = 0;
  }
  memset(n->moment, 0, sizeof n->moment);
  n->area = n->radius = 0;
}

static void measure_leaf(const mus_winding *winding, node *n) {
  double weighted[3] = {0}, vector[3];
  for (int i = n->begin; i < n->end; ++i) {
    const double *p = winding->corner + 9 * (size_t)i;
    area_vector(p, p + 3, p + 6, vector);
    double area = mus_length3(vector);
    n->area += area;
    for (int k = 0; k < 3; ++k) {
      weighted[k] += area * (p[k] + p[3 + k] + p[6 + k]) / 3;
      n->dipole[k] += vector[k];
      grow_box(n, p + 3 * k, p + 3 * k);
    }
  }
  place_centre(n, weighted);
}

static void fit_leaf(const mus_winding *winding, node *n) {
  clear_node(n);
  measure_leaf(winding, n);
  for (int i = n->begin; i < n->end; ++i) {
    const double *p = winding->corner + 9 * (size_t)i;
    double vector[3], arm[3];
    area_vector(p, p + 3, p + 6, vector);
    for (int k = 0; k < 3; ++k) { // the arm of the triangle's centre is the mean of its corners' arms
      mus_subtract3(p + 3 * k, n->centre, arm);
      add_moment(1.0 / 3, arm, vector, n->moment);
      n->radius = fmax(n->radius, mus_length3(arm));
    }
  }
}

static void fit_parent(const mus_winding *winding, node *n) {
  const node *child[2] = {n + 1, winding->node + n->right};
  double weighted[3] = {0}, radius = 0;
  clear_node(n);
  for (int c = 0; c < 2; ++c) {
    n->area += child[c]->area;
    for (int k = 0; k < 3; ++k) {
      weighted[k] += child[c]->area * child[c]->centre[k];
      n->dipole[k] += child[c]->dipole[k];
    }
    grow_box(n, child[c]->low, child[c]->high);
  }
  place_centre(n, weighted);
  for (int c = 0; c < 2; ++c) {
    double arm[3];
    mus_subtract3(child[c]->centre, n->centre, arm);
    for (int k = 0; k < 9; ++k)
      n->moment[k] += child[c]->moment[k];
    add_moment(1, arm, child[c]->dipole, n->moment);
    radius = fmax(radius, mus_length3(arm) + child[c]->radius);
  }
  n->radius = fmin(radius, box_radius(n));
}

// The place of corner k of the triangle that comes i-th in the order of the tree.
static double *place_of(const mus_winding *winding, int i, int k) {
  int turned = winding->sign[body_of(winding->surface, winding->order[i])] < 0;
  return winding->corner + 9 * (size_t)i + 3 * (turned ? 2 - k : k);
}

static int is_fitted(const mus_winding *winding, const double *x) {
  for (int i = 0; i < winding->triangles; ++i)
    for (int k = 0; k < 3; ++k)
      if (memcmp(place_of(winding, i, k), corner_of(winding->surface, x, winding->order[i], k), 3 * sizeof(double)) !=
          0)
        return 0;
  return 1;
}

static void fit(mus_winding *winding, const double *x) {
  MUS_PARALLEL_FOR_IF(winding->triangles > MUS_PAR_MINIMUM)
  for (int i = 0; i < winding->triangles; ++i)
    for (int k = 0; k < 3; ++k)
      memcpy(place_of(winding, i, k), corner_of(winding->surface, x, winding->order[i], k), 3 * sizeof(double));
  winding->is_buried = 0;
  MUS_PARALLEL_FOR_IF(winding->nodes > MUS_PAR_MINIMUM)
  for (int i = 0; i < winding->nodes; ++i)
    if (winding->node[i].right == 0)
      fit_leaf(winding, winding->node + i);
  for (int i = winding->nodes - 1; i >= 0; --i)
    if (winding->node[i].right != 0)
      fit_parent(winding, winding->node + i);
}

void mus_winding_fit(mus_winding *winding, const double *x) {
  if (!is_fitted(winding, x))
    fit(winding, x);
}

// --- the number ----------------------------------------------------------------------------------------------------

// Solid angle in parts of 4 pi: tan(angle / 2) = a . (b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|).
static double triangle_number(const double *corner, const double p[3]) {
  double a[3], b[3], c[3], turned[3];
  mus_subtract3(corner, p, a);
  mus_subtract3(corner + 3, p, b);
  mus_subtract3(corner + 6, p, c);
  mus_cross3(b, c, turned);
  double la = mus_length3(a), lb = mus_length3(b), lc = mus_length3(c);
  double below = la * lb * lc + mus_dot3(a, b) * lc + mus_dot3(b, c) * la + mus_dot3(c, a) * lb;
  return 2 * atan2(mus_dot3(a, turned), below) / four_pi;
}

static double far_number(const node *n, const double d[3], double square) {
  double cube = square * sqrt(square), trace = n->moment[0] + n->moment[4] + n->moment[8], bent = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      bent += d[i] * n->moment[3 * i + j] * d[j];
  return (mus_dot3(n->dipole, d) + trace - 3 * bent / square) / (four_pi * cube);
}

// Nodes count as one that are farther away than `away` times their radius.
static double number_at(const mus_winding *winding, const double p[3], double away) {
  double number = 0;
  int stack[deepest], open = 0;
  if (winding->nodes > 0)
    stack[open++] = 0;
  while (open > 0) {
    int i = stack[--open];
    const node *n = winding->node + i;
    double d[3];
    mus_subtract3(n->centre, p, d);
    double square = mus_dot3(d, d);
    if (square > away * away * n->radius * n->radius) {
      number += far_number(n, d, square);
    } else if (n->right != 0) {
      stack[open++] = n->right;
      stack[open++] = i + 1;
    } else {
      for (int k = n->begin; k < n->end; ++k)
        number += triangle_number(winding->corner + 9 * (size_t)k, p);
    }
  }
  return number;
}

double mus_winding_number(const mus_winding *winding, const double p[3]) { return number_at(winding, p, far); }

int mus_winding_reaches(const mus_winding *winding, const double p[3]) {
  const node *root = winding->node;
  if (winding->nodes == 0)
    return 0;
  for (int k = 0; k < 3; ++k)
    if (!(p[k] >= root->low[k] && p[k] <= root->high[k]))
      return 0;
  return 1;
}

// --- the nearest point ---------------------------------------------------------------------------------------------

// How far outside of a triangle it is looked whether that is inside, in parts of its size.
static const double beside = 0.01;

int mus_winding_is_inside(const mus_winding *winding, const double p[3]) {
  double number = number_at(winding, p, coarse);
  return fabs(number - 0.5) > doubt ? number > 0.5 : mus_winding_number(winding, p) > 0.5;
}

void mus_winding_bury(mus_winding *winding) {
  if (winding->is_buried)
    return;
  winding->is_buried = 1;
  MUS_PARALLEL_FOR_IF(winding->triangles > MUS_PAR_MINIMUM)
  for (int i = 0; i < winding->triangles; ++i) {
    const double *corner = winding->corner + 9 * (size_t)i;
    double vector[3], p[3];
    area_vector(corner, corner + 3, corner + 6, vector);
    double area = mus_length3(vector), step = area > 0 ? beside / sqrt(area) : 0;
    for (int k = 0; k < 3; ++k)
      p[k] = (corner[k] + corner[3 + k] + corner[6 + k]) / 3 + step * vector[k];
    winding->buried[i] = (unsigned char)mus_winding_is_inside(winding, p);
  }
}

static double box_distance(const node *n, const double p[3]) {
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double beyond = fmax(fmax(n->low[k] - p[k], p[k] - n->high[k]), 0);
    square += beyond * beyond;
  }
  return sqrt(square);
}

static void try_triangle(const mus_winding *winding, int i, const double p[3], mus_winding_filter filter,
                         mus_surface_point *best) {
  const double *corner = winding->corner + 9 * (size_t)i;
  double x[4][3], weight[4], vector[3], arm[3];
  if (filter.outer && winding->buried[i])
    return;
  area_vector(corner, corner + 3, corner + 6, vector);
  double area = mus_length3(vector);
  if (!(area > 0) || (filter.against && mus_dot3(vector, filter.against) > -0.2 * area) ||
      (filter.along && mus_dot3(vector, filter.along) < 0.2 * area))
    return;
  mus_subtract3(corner, p, arm);
  if (filter.behind && !(mus_dot3(arm, vector) > 0))
    return;
  memcpy(x[0], p, sizeof x[0]);
  memcpy(x[1], corner, 9 * sizeof *corner);
  double distance = mus_vertex_face_distance((const double(*)[3])x, weight);
  if (!(distance < best->distance))
    return;
  best->distance = distance;
  best->triangle = i;
  for (int k = 0; k < 3; ++k) {
    best->part[k] = -weight[1 + k];
    best->normal[k] = vector[k] / area;
    best->point[k] = -weight[1] * corner[k] - weight[2] * corner[3 + k] - weight[3] * corner[6 + k];
  }
}

// From the number in the tree to that of the surface, with its order of corners.
static void translate(const mus_winding *winding, mus_surface_point *point) {
  point->triangle = winding->order[point->triangle];
  if (winding->sign[body_of(winding->surface, point->triangle)] < 0) {
    double first = point->part[0];
    point->part[0] = point->part[2];
    point->part[2] = first;
  }
}

int mus_winding_closest(const mus_winding *winding, const double p[3], mus_winding_filter filter,
                        mus_surface_point *out) {
  struct {
    int node;
    double distance;
  } stack[deepest];
  int open = 0;
  *out = (mus_surface_point){.triangle = -1, .distance = filter.reach > 0 ? filter.reach : INFINITY};
  if (winding->nodes > 0) {
    stack[0].node = 0;
    stack[open++].distance = 0;
  }
  while (open > 0) {
    --open;
    int i = stack[open].node;
    const node *n = winding->node + i;
    if (stack[open].distance >= out->distance)
      continue;
    if (n->right == 0) {
      for (int k = n->begin; k < n->end; ++k)
        try_triangle(winding, k, p, filter, out);
      continue;
    }
    double left = box_distance(n + 1, p), right = box_distance(winding->node + n->right, p);
    int left_first = left <= right; // what is nearer goes onto the stack last
    stack[open].node = left_first ? n->right : i + 1;
    stack[open++].distance = left_first ? right : left;
    stack[open].node = left_first ? i + 1 : n->right;
    stack[open++].distance = left_first ? left : right;
  }
  if (out->triangle < 0)
    return 0;
  translate(winding, out);
  return 1;
}

// --- life ----------------------------------------------------------------------------------------------------------

static mus_status create(const mus_surface *surface, const double *x, int all, mus_winding **out) {
  mus_winding *winding = mus_alloc_zero(1, sizeof *winding);
  if (!winding)
    return mus_fail_memory();
  winding->surface = surface;
  mus_status status = classify_bodies(winding, x, all);
  if (status == MUS_OK)
    status = gather_triangles(winding);
  if (status != MUS_OK) {
    mus_winding_free(winding);
    return status;
  }
  if (winding->triangles > 0)
    build(winding, x, 0, winding->triangles);
  fit(winding, x);
  *out = winding;
  return MUS_OK;
}

mus_status mus_winding_create(const mus_surface *surface, const double *x, mus_winding **out) {
  return create(surface, x, 0, out);
}

mus_status mus_winding_create_of_all(const mus_surface *surface, const double *x, mus_winding **out) {
  return create(surface, x, 1, out);
}

void mus_winding_free(mus_winding *winding) {
  if (!winding)
    return;
  mus_arena_clear(&winding->arena);
  mus_free(winding);
}

size_t mus_winding_bytes(const mus_winding *winding) { return sizeof *winding + winding->arena.bytes; }
