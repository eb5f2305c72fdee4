// Clusters of strongly connected nodes. See clusters.h.
#include "sparse/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "par/vector.h"

enum { ENTRIES = MUS_CLUSTER_BLOCK * MUS_CLUSTER_BLOCK, UNKNOWNS = MUS_CLUSTER_NODES * MUS_CLUSTER_BLOCK };

// Connections above this make clusters. On a line of equal nodes each is connected by 0.5 to its neighbours. Iterations
// in six scenes with seams and in contact, 10,000 vertices each: 207 without clusters, 140 with those above 0.7, 132
// above 0.6 and 128 above 0.5, while 0.5, 0.7 and 0.9 of the nodes are in one (of four of the scenes). Of the nodes
// that a cluster may have: 147 with 2 (above 0.5), 119 with 8, which cost twice as much as 4.
static const double strong = 0.6;
// Up to the first of these parts of the nodes with a connection above these strengths, Gauss-Seidel over single nodes
// takes a sixth more iterations than polynomials with clusters, at two thirds of the time for each; beyond the second,
// up to five times as many. Parts above 0.75 and 0.9: irregular sheets 0.04 to 0.19, 0 to 0.003, and they gain from
// sweeps; folds 0.1 to 0.67, 0 to 0.47, from no gain to twice the time; a dress with stitches 0.13, 0.08.
static const struct { double strength, part[2]; } borne[] = {{0.75, {0.1, 0.25}}, {0.9, {0.002, 0.01}}};
enum { BORNE = sizeof borne / sizeof *borne };
// A pivot below this part of the largest is none.
static const double smallest_pivot = 1e-10;

typedef struct connection {
  double strength;
  int i, j;
} connection;

static int by_strength(const void *a, const void *b) {
  const connection *p = a, *q = b;
  if (p->strength != q->strength)
    return p->strength < q->strength ? 1 : -1;
  if (p->i != q->i)
    return p->i < q->i ? -1 : 1;
  return (p->j > q->j) - (p->j < q->j);
}

// trace(D_i^-1 A_ij D_j^-1 A_ij^T), the square of the norm.
static double square_of(const double *inverse_i, const double *a, const double *inverse_j) {
  double left[ENTRIES], sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      left[3 * r + c] = inverse_i[3 * r] * a[c] + inverse_i[3 * r + 1] * a[3 + c] + inverse_i[3 * r + 2] * a[6 + c];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      sum += (left[3 * r] * inverse_j[c] + left[3 * r + 1] * inverse_j[3 + c] + left[3 * r + 2] * inverse_j[6 + c]) *
             a[3 * r + c];
  return sum;
}

// Squares of the strengths of blocks right of the diagonal, 0 elsewhere.
static void measure(const mus_matrix *a, const double *inverse_diagonal, double *square) {
  const mus_pattern *p = a->pattern;
  MUS_PARALLEL_FOR_IF(p->rows >= MUS_PAR_MINIMUM)
  for (int i = 0; i < p->rows; ++i)
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
      int j = p->column[k];
      square[k] = j <= i ? 0
                         : square_of(inverse_diagonal + (size_t)i * ENTRIES, a->value + (size_t)k * ENTRIES,
                                     inverse_diagonal + (size_t)j * ENTRIES);
    }
}

static int list_connections(const mus_pattern *p, const double *square, connection *out) {
  int count = 0;
  for (int i = 0; i < p->rows; ++i)
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k)
      if (square[k] > strong * strong) {
        if (out)
          out[count] = (connection){square[k], i, p->column[k]};
        ++count;
      }
  return count;
}

static int leader(int *of, int i) {
  while (of[i] != i)
    i = of[i] = of[of[i]];
  return i;
}

// Whether so many nodes of so strong connections would hold up sweeps; `marks` has a number for each node.
static mus_resistance resistance_of(int count, const connection *list, int rows, int *marks) {
  int most = MUS_RESISTS_LITTLE;
  for (int k = 0; k < BORNE; ++k) {
    double square = borne[k].strength * borne[k].strength, nodes = 0;
    memset(marks, 0, (size_t)rows * sizeof *marks);
    for (int c = 0; c < count; ++c)
      if (list[c].strength > square)
        marks[list[c].i] = marks[list[c].j] = 1;
    for (int i = 0; i < rows; ++i)
      nodes += marks[i];
    int found = (nodes > borne[k].part[0] * rows) + (nodes > borne[k].part[1] * rows);
    most = found > most ? found : most;
  }
  return (mus_resistance)most;
}

// Joins the ends of connections, the strongest first, while clusters stay
// small. Sets of nodes with one leader.
static void unite(int count, const connection *list, int *of, int *size) {
  for (int k = 0; k < count; ++k) {
    int a = leader(of, list[k].i), b = leader(of, list[k].j);
    if (a == b || size[a] + size[b] > MUS_CLUSTER_NODES)
      continue;
    int first = a < b ? a : b, second = a < b ? b : a;
    of[second] = first;
    size[first] += size[second];
  }
}

// Sets of two nodes or more as lists, in the order of their first nodes, which
// lead them.
static mus_status list_clusters(mus_arena *arena, int rows, int *of, const int *size, mus_clusters *out) {
  int members = 0, place = 0;
  for (int i = 0; i < rows; ++i)
    if (of[i] == i && size[i] > 1) {
      ++out->count;
      members += size[i];
    }
  int *start = mus_arena_alloc(arena, (size_t)out->count + 1, sizeof *start);
  int *node = mus_arena_alloc(arena, (size_t)members + 1, sizeof *node);
  int *places = mus_arena_alloc(arena, (size_t)out->count + 1, sizeof *places);
  int *number = mus_alloc((size_t)rows,
                          sizeof *number); // of a leader's cluster: where its next node goes
  if (!start || !node || !places || !number) {
    mus_free(number);
    return mus_fail_memory();
  }
  int count = 0;
  members = 0;
  for (int i = 0; i < rows; ++i)
    if (of[i] == i && size[i] > 1) {
      start[count] = number[i] = members;
      places[count++] = place;
      members += size[i];
      place += size[i] * size[i] * ENTRIES;
    }
  start[count] = members;
  places[count] = place;
  for (int i = 0; i < rows; ++i) {
    int first = leader(of, i);
    if (size[first] > 1)
      node[number[first]++] = i;
  }
  mus_free(number);
  out->start = start;
  out->node = node;
  out->place = places;
  return MUS_OK;
}

static mus_status find(mus_arena *arena, mus_arena *scratch, const mus_matrix *a, const double *inverse_diagonal,
                       mus_clusters *out) {
  const mus_pattern *p = a->pattern;
  double *square = mus_arena_alloc(scratch, (size_t)mus_pattern_blocks(p), sizeof *square);
  if (!square)
    return mus_fail_memory();
  measure(a, inverse_diagonal, square);
  int count = list_connections(p, square, NULL);
  connection *list = mus_arena_alloc(scratch, (size_t)count + 1, sizeof *list);
  int *of = mus_arena_alloc(scratch, (size_t)p->rows, sizeof *of);
  int *size = mus_arena_alloc(scratch, (size_t)p->rows, sizeof *size);
  if (!list || !of || !size)
    return mus_fail_memory();
  list_connections(p, square, list);
  qsort(list, (size_t)count, sizeof *list, by_strength);
  out->resistance = resistance_of(count, list, p->rows, of);
  for (int i = 0; i < p->rows; ++i) {
    of[i] = i;
    size[i] = 1;
  }
  unite(count, list, of, size);
  return list_clusters(arena, p->rows, of, size, out);
}

// a <- a^-1 in place by Gauss and Jordan, with pivots by rows; 0 where it has none.
static inline __attribute__((always_inline)) int invert(int n, double *a) {
  int taken[UNKNOWNS];
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r)
      if (fabs(a[r * n + k]) > fabs(a[pivot * n + k]))
        pivot = r;
    double value = a[pivot * n + k];
    if (!(fabs(value) > smallest_pivot) || !isfinite(value))
      return 0;
    taken[k] = pivot;
    a[pivot * n + k] = 1;
    for (int c = 0; c < n; ++c) {
      double one = a[pivot * n + c];
      a[pivot * n + c] = a[k * n + c];
      a[k * n + c] = one / value;
    }
    for (int r = 0; r < n; ++r) {
      double factor = a[r * n + k];
      if (r == k)
        continue;
      a[r * n + k] = 0;
      for (int c = 0; c < n; ++c)
        a[r * n + c] -= factor * a[k * n + c];
    }
  }
  for (int k = n - 1; k >= 0; --k) // rows that have changed places are columns of the inverse
    for (int r = 0; r < n && taken[k] != k; ++r) {
      double swap = a[r * n + k];
      a[r * n + k] = a[r * n + taken[k]];
      a[r * n + taken[k]] = swap;
    }
  return 1;
}

// E of a cluster: the inverse of I + D^-1 (G - D), or I.
static void join(const mus_matrix *a, int nodes, const int *node, const double *inverse_diagonal, double *e) {
  int n = nodes * MUS_CLUSTER_BLOCK;
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j) {
      int k = i == j ? -1 : mus_pattern_find(a->pattern, node[i], node[j]);
      const double *block = a->value + (size_t)(k < 0 ? 0 : k) * ENTRIES, *inverse = inverse_diagonal + i * ENTRIES;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          double sum = i == j && r == c;
          for (int q = 0; q < 3 && k >= 0; ++q)
            sum += inverse[3 * r + q] * block[3 * q + c];
          e[(3 * i + r) * n + 3 * j + c] = sum;
        }
    }
  if (nodes == 2 ? invert(6, e) : nodes == 3 ? invert(9, e) : invert(UNKNOWNS, e))
    return;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      e[r * n + c] = r == c;
}

#define TEMPLATE "sparse/clusters_template.h"
#include "base/both_precisions.h"

mus_status mus_clusters_find(mus_arena *arena, mus_arena *room, const mus_matrix *a, const double *inverse_diagonal,
                             mus_clusters *out) {
  *out = (mus_clusters){0};
  mus_arena scratch = {0};
  mus_status status = find(arena, &scratch, a, inverse_diagonal, out);
  mus_arena_clear(&scratch);
  return status ? status : make_room(room, out);
}

mus_status mus_clusters_round(mus_arena *arena, const mus_clusters *from, mus_clusters_f *out) {
  *out = (mus_clusters_f){.count = from->count,
                          .start = from->start,
                          .node = from->node,
                          .place = from->place,
                          .resistance = from->resistance};
  mus_status status = make_room_f(arena, out);
  if (!status)
    mus_to_float((size_t)from->place[from->count], 1, from->joined, out->joined);
  return status;
}
