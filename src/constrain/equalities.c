// Equalities across nodes: order, envelope factor, projection. See equalities.h.
#include "constrain/equalities.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "par/par.h"

// A row of unit length that has less than this across the earlier ones depends on them, and values that differ by less,
// relatively, agree. Above what rounding leaves of pivots, which are squares.
static const double DEPENDENT = 1e-5;
// A projection errs by rounding over the smallest pivot squared, and the next one by the square of that. Two are enough
// below the first, three below the second.
static const double ACCURATE = 0.5, INACCURATE = 1e-3;
// Numbers in a factor, at most: 400 MB.
static const double FACTOR_MAXIMUM = 5e7;

// --- which rows touch a node ----------------------------------------------------------------------------------------

static mus_status find_incidence(mus_arena *arena, int rows, mus_equalities *e) {
  int *next = mus_alloc_zero((size_t)rows, sizeof *next), incidents = 0;
  if (!next)
    return mus_fail_memory();
  for (int r = 0; r < e->count; ++r)
    for (int i = 0; i < e->row[r].count; ++i, ++incidents)
      e->touched += next[e->row[r].node[i]]++ == 0;
  e->node = mus_arena_alloc(arena, (size_t)e->touched, sizeof *e->node);
  e->incident_start = mus_arena_alloc(arena, (size_t)e->touched + 1, sizeof *e->incident_start);
  e->incident = mus_arena_alloc(arena, (size_t)incidents, sizeof *e->incident);
  mus_status status = e->node && e->incident_start && e->incident ? MUS_OK : mus_fail_memory();
  incidents = 0;
  for (int node = 0, k = 0; node < rows && !status; ++node) {
    int here = next[node];
    if (here == 0)
      continue;
    e->node[k] = node;
    e->incident_start[k++] = next[node] = incidents;
    incidents += here;
    e->incident_start[k] = incidents;
  }
  for (int r = 0; r < e->count && !status; ++r)
    for (int i = 0; i < e->row[r].count; ++i)
      e->incident[next[e->row[r].node[i]]++] = MUS_TERM_NODES * r + i;
  mus_free(next);
  return status;
}

// --- order ----------------------------------------------------------------------------------------------------------

// A walk over rows by shared nodes.
typedef struct walk {
  const mus_equalities *e;
  int *place_of; // node -> its place among the touched ones
  int *seen;     // the number of the walk that saw a row last
  int number;
} walk;

// Everything that hangs together with `start`, by distance from it, into the queue; how many there are. Takes the rows
// that an earlier walk of this number has not seen.
static int run_walk(walk *w, int start, int *queue) {
  int count = 0;
  queue[count++] = start;
  w->seen[start] = w->number;
  for (int at = 0; at < count; ++at) {
    const mus_equality_row *row = &w->e->row[queue[at]];
    for (int i = 0; i < row->count; ++i) {
      int node = w->place_of[row->node[i]];
      for (int k = w->e->incident_start[node]; k < w->e->incident_start[node + 1]; ++k) {
        int other = w->e->incident[k] / MUS_TERM_NODES;
        if (w->seen[other] != w->number) {
          w->seen[other] = w->number;
          queue[count++] = other;
        }
      }
    }
  }
  return count;
}

// Groups one after the other, each walked from a row that was farthest from another one.
static void order_rows(walk *w, int *order, mus_equalities *e) {
  e->groups = 0;
  e->group[0] = 0;
  for (int r = 0, done = 0; r < e->count; ++r) {
    if (w->seen[r] != 0)
      continue;
    w->number = 1;
    int size = run_walk(w, r, order + done), rim = order[done + size - 1];
    w->number = 2;
    run_walk(w, rim, order + done);
    done += size;
    e->group[++e->groups] = done;
  }
}

// Puts rows, and the caller's numbers of them, in order.
static mus_status sort_rows(mus_arena *arena, int rows, int *given, mus_equalities *e) {
  mus_arena scratch = {0};
  size_t count = (size_t)e->count;
  walk w = {.e = e};
  w.place_of = mus_arena_alloc(&scratch, (size_t)rows, sizeof *w.place_of);
  w.seen = mus_arena_alloc_zero(&scratch, count, sizeof *w.seen);
  int *order = mus_arena_alloc(&scratch, count, sizeof *order), *old = mus_arena_alloc(&scratch, count, sizeof *old);
  mus_equality_row *sorted = mus_arena_alloc(arena, count, sizeof *sorted);
  e->group = mus_arena_alloc(arena, count + 1, sizeof *e->group);
  mus_status status = w.place_of && w.seen && order && old && sorted && e->group ? MUS_OK : mus_fail_memory();
  if (!status) {
    for (int k = 0; k < e->touched; ++k)
      w.place_of[e->node[k]] = k;
    order_rows(&w, order, e);
    memcpy(old, given, count * sizeof *old);
    for (size_t k = 0; k < count; ++k) {
      sorted[k] = e->row[order[k]];
      given[k] = old[order[k]];
    }
    e->row = sorted;
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- factor ---------------------------------------------------------------------------------------------------------

// a D^-1 b^T with one block of D^-1 a node; NULL stands for the identity.
static double row_dot(int block, const double *inverse_diagonal, const mus_equality_row *a, const mus_equality_row *b) {
  double sum = 0;
  for (int i = 0; i < a->count; ++i)
    for (int j = 0; j < b->count; ++j) {
      if (a->node[i] != b->node[j])
        continue;
      const double *d = inverse_diagonal ? inverse_diagonal + (size_t)a->node[i] * (size_t)(block * block) : NULL;
      for (int r = 0; r < block; ++r)
        for (int c = d ? 0 : r; c < (d ? block : r + 1); ++c)
          sum += a->direction[i][r] * (d ? d[r * block + c] : 1) * b->direction[j][c];
    }
  return sum;
}

static int place_of(const mus_equalities *e, int node) {
  int low = 0, high = e->touched;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (e->node[middle] <= node)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Where each row of the factor begins: at the first row that it shares a node with.
static mus_status lay_out(mus_arena *arena, mus_equalities *e) {
  size_t count = (size_t)e->count, total = 0;
  e->first = mus_arena_alloc(arena, count, sizeof *e->first);
  e->place = mus_arena_alloc(arena, count + 1, sizeof *e->place);
  e->multiplier = mus_arena_alloc(arena, count, sizeof *e->multiplier);
  if (!e->first || !e->place || !e->multiplier)
    return mus_fail_memory();
  for (int r = 0; r < e->count; ++r) {
    e->first[r] = r;
    for (int i = 0; i < e->row[r].count; ++i) {
      int earliest = e->incident[e->incident_start[place_of(e, e->row[r].node[i])]] / MUS_TERM_NODES;
      if (earliest < e->first[r])
        e->first[r] = earliest;
    }
    e->place[r] = total;
    total += (size_t)(r - e->first[r] + 1);
  }
  e->place[e->count] = total;
  if ((double)total > FACTOR_MAXIMUM)
    return mus_fail(MUS_UNSUPPORTED,
                    "%d equalities that hang together are too many: their factor has %zu numbers, and %g are possible",
                    e->count, total, FACTOR_MAXIMUM);
  e->factor = mus_arena_alloc(arena, total, sizeof *e->factor);
  e->weighted = mus_arena_alloc(arena, total, sizeof *e->weighted);
  return e->factor && e->weighted ? MUS_OK : mus_fail_memory();
}

// Entry j of the row is at [j].
static size_t row_place(const mus_equalities *e, int r) { return e->place[r] - (size_t)e->first[r]; }

// Row r of L, from the rows before it. Returns its pivot squared: what the row has across them.
static double compute_row(const mus_equalities *e, const double *inverse_diagonal, int r, double *factor) {
  double *l = factor + row_place(e, r), square = row_dot(e->block, inverse_diagonal, &e->row[r], &e->row[r]);
  for (int j = e->first[r]; j < r; ++j) {
    const double *other = factor + row_place(e, j);
    double sum = row_dot(e->block, inverse_diagonal, &e->row[r], &e->row[j]);
    for (int k = e->first[r] > e->first[j] ? e->first[r] : e->first[j]; k < j; ++k)
      sum -= l[k] * other[k];
    l[j] = other[j] > 0 ? sum / other[j] : 0;
    square -= l[j] * l[j];
  }
  return square;
}

// Rows of one group. Returns the first one that contradicts earlier ones, or -1. multiplier becomes L^-1 t.
static int compute_group(mus_equalities *e, int begin, int end, double *smallest) {
  double largest = 0;
  for (int r = begin; r < end; ++r) {
    double *l = e->factor + row_place(e, r), square = compute_row(e, NULL, r, e->factor), value = e->row[r].value;
    largest = fmax(largest, fabs(value));
    for (int j = e->first[r]; j < r; ++j) {
      value -= l[j] * e->multiplier[j];
      largest = fmax(largest, fabs(e->multiplier[j]));
    }
    int dependent = !(square > DEPENDENT * DEPENDENT);
    if (dependent && fabs(value) > DEPENDENT * largest)
      return r;
    l[r] = dependent ? 0 : sqrt(square);
    e->multiplier[r] = dependent ? 0 : value / l[r];
    if (!dependent)
      *smallest = fmin(*smallest, l[r]);
  }
  return -1;
}

static mus_status factorise(mus_arena *arena, const int *given, mus_equalities *e) {
  mus_status status = lay_out(arena, e);
  if (status)
    return status;
  double smallest = 1;
  for (int g = 0; g < e->groups; ++g) {
    int wrong = compute_group(e, e->group[g], e->group[g + 1], &smallest);
    if (wrong >= 0)
      return mus_fail(MUS_BAD_INPUT,
                      "equality %d contradicts others: its directions depend on theirs, but its value does not follow",
                      mus_counted(given[wrong]));
  }
  e->passes = smallest > ACCURATE ? 1 : smallest > INACCURATE ? 2 : 3;
  return MUS_OK;
}

mus_status mus_equalities_create(mus_arena *arena, int rows, int block, int count, const mus_equality_row *row,
                                 const int *given, mus_equalities *out) {
  mus_equalities e = {.block = block, .count = count, .row = (mus_equality_row *)row}; // read only
  int *number = mus_alloc((size_t)count, sizeof *number);
  if (!number)
    return mus_fail_memory();
  memcpy(number, given, (size_t)count * sizeof *number);
  mus_status status = find_incidence(arena, rows, &e);
  if (!status)
    status = sort_rows(arena, rows, number, &e);
  e.touched = 0;
  if (!status)
    status = find_incidence(arena, rows, &e); // of the sorted rows
  if (!status)
    status = factorise(arena, number, &e);
  mus_free(number);
  if (!status)
    *out = e;
  return status;
}

// --- use ------------------------------------------------------------------------------------------------------------

// multiplier <- L^-T L^-1 multiplier
static void solve_group(const mus_equalities *e, const double *factor, int begin, int end) {
  double *m = e->multiplier;
  for (int r = begin; r < end; ++r) {
    const double *l = factor + row_place(e, r);
    for (int j = e->first[r]; j < r; ++j)
      m[r] -= l[j] * m[j];
    m[r] = l[r] > 0 ? m[r] / l[r] : 0;
  }
  for (int r = end - 1; r >= begin; --r) {
    const double *l = factor + row_place(e, r);
    m[r] = l[r] > 0 ? m[r] / l[r] : 0;
    for (int j = e->first[r]; j < r; ++j)
      m[j] -= l[j] * m[r];
  }
}

static void solve_groups(const mus_equalities *e, const double *factor) {
  MUS_PARALLEL_FOR_IF(e->count >= MUS_PAR_MINIMUM)
  for (int g = 0; g < e->groups; ++g)
    solve_group(e, factor, e->group[g], e->group[g + 1]);
}

// to += factor E^T multiplier at the k-th touched node
static void add_node(const mus_equalities *e, int k, double factor, double *to) {
  for (int at = e->incident_start[k]; at < e->incident_start[k + 1]; ++at) {
    int r = e->incident[at] / MUS_TERM_NODES, i = e->incident[at] % MUS_TERM_NODES;
    for (int c = 0; c < e->block; ++c)
      to[c] += factor * e->multiplier[r] * e->row[r].direction[i][c];
  }
}

// x += factor E^T multiplier
static void add_rows(const mus_equalities *e, double factor, double *x) {
  MUS_PARALLEL_FOR_IF(e->touched >= MUS_PAR_MINIMUM)
  for (int k = 0; k < e->touched; ++k)
    add_node(e, k, factor, x + (size_t)e->node[k] * (size_t)e->block);
}

// E x - t, or E x where there is no t to be taken away
static void measure(const mus_equalities *e, const double *x, int with_values) {
  MUS_PARALLEL_FOR_IF(e->count >= MUS_PAR_MINIMUM)
  for (int r = 0; r < e->count; ++r) {
    const mus_equality_row *row = &e->row[r];
    double sum = with_values ? -row->value : 0;
    for (int i = 0; i < row->count; ++i)
      for (int c = 0; c < e->block; ++c)
        sum += row->direction[i][c] * x[(size_t)row->node[i] * (size_t)e->block + (size_t)c];
    e->multiplier[r] = sum;
  }
}

void mus_equalities_project(const mus_equalities *e, double *x) {
  for (int pass = 0; pass < e->passes; ++pass) {
    measure(e, x, 0);
    solve_groups(e, e->factor);
    add_rows(e, -1, x);
  }
}

void mus_equalities_impose(const mus_equalities *e, double *x) {
  for (int pass = 0; pass < e->passes + 1; ++pass) { // the second removes the rounding of the first
    measure(e, x, 1);
    solve_groups(e, e->factor);
    add_rows(e, -1, x);
  }
}

// --- beside a block diagonal ----------------------------------------------------------------------------------------

// Rows that depend on others stay out as they are in the factor of E E^T.
static int weigh_group(const mus_equalities *e, const double *inverse_diagonal, int begin, int end) {
  double *factor = e->weighted;
  for (int r = begin; r < end; ++r) {
    double square = compute_row(e, inverse_diagonal, r, factor), *pivot = factor + row_place(e, r) + (size_t)r;
    int dependent = !(e->factor[row_place(e, r) + (size_t)r] > 0);
    if (!dependent && !(square > 0))
      return 0;
    *pivot = dependent ? 0 : sqrt(square);
  }
  return 1;
}

mus_status mus_equalities_weigh(const mus_equalities *e, const double *inverse_diagonal) {
  for (int g = 0; g < e->groups; ++g)
    if (!weigh_group(e, inverse_diagonal, e->group[g], e->group[g + 1]))
      return mus_fail(MUS_BREAKDOWN, "the equalities are too nearly dependent beside the matrix's diagonal");
  return MUS_OK;
}

void mus_equalities_solve(const mus_equalities *e, int rows, const double *inverse_diagonal, const double *r,
                          double *z) {
  size_t block = (size_t)e->block;
  mus_block_diagonal_multiply(rows, e->block, 1, inverse_diagonal, r, z);
  measure(e, z, 0);
  solve_groups(e, e->weighted);
  MUS_PARALLEL_FOR_IF(e->touched >= MUS_PAR_MINIMUM)
  for (int k = 0; k < e->touched; ++k) {
    double force[3] = {0};
    add_node(e, k, 1, force);
    const double *d = inverse_diagonal + (size_t)e->node[k] * block * block;
    for (size_t a = 0; a < block; ++a)
      for (size_t b = 0; b < block; ++b)
        z[(size_t)e->node[k] * block + a] -= d[a * block + b] * force[b];
  }
}

void mus_equalities_invert(const mus_equalities *e, int is_weighted, int g, double *out) {
  int begin = e->group[g], end = e->group[g + 1];
  size_t size = (size_t)(end - begin);
  for (size_t column = 0; column < size; ++column) { // symmetric: columns are rows
    memset(e->multiplier + begin, 0, size * sizeof *e->multiplier);
    e->multiplier[(size_t)begin + column] = 1;
    solve_group(e, is_weighted ? e->weighted : e->factor, begin, end);
    memcpy(out + column * size, e->multiplier + begin, size * sizeof *out);
  }
}

// --- as terms -------------------------------------------------------------------------------------------------------

// to += weight a b^T
static void add_outer(int block, double weight, const double *a, const double *b, double *to) {
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c)
      to[r * block + c] += weight * (a[r] * b[c]);
}

static int row_nodes(const void *self, int term, const int **node) {
  const mus_equality_row *row = &((const mus_equality_terms *)self)->equalities->row[term];
  *node = row->node;
  return row->count;
}

static void row_block(const void *self, int term, int i, int j, double *out) {
  const mus_equality_terms *terms = self;
  const mus_equality_row *row = &terms->equalities->row[term];
  int block = terms->equalities->block;
  memset(out, 0, (size_t)(block * block) * sizeof *out);
  add_outer(block, terms->weight, row->direction[i], row->direction[j], out);
}

mus_terms mus_equalities_terms(const mus_equality_terms *terms) {
  return (mus_terms){terms->equalities->count, terms, row_nodes, row_block};
}
