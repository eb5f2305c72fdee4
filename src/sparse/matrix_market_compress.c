// From entries in any order to compressed rows. See matrix_market_compress.h.
#include "sparse/matrix_market_compress.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_mirrored(bool mirror, const mus_entry *entry) { return mirror && entry->row != entry->column; }

// row_start[r + 1] becomes the number of entries in rows 0 ... r.
static void count_rows(size_t count, const mus_entry *entries, bool mirror, int rows, int *row_start) {
  memset(row_start, 0, ((size_t)rows + 1) * sizeof *row_start);
  for (size_t k = 0; k < count; ++k) {
    ++row_start[entries[k].row + 1];
    if (is_mirrored(mirror, &entries[k]))
      ++row_start[entries[k].column + 1];
  }
  for (int r = 0; r < rows; ++r)
    row_start[r + 1] += row_start[r];
}

static void place(mus_matrix_market *m, int row, int column, double value) {
  int k = m->row_start[row]++;
  m->column[k] = column;
  m->value[k] = value;
}

// Placing moves each row's start to its end, which is the next row's start: one shift puts them back.
static void place_entries(size_t count, const mus_entry *entries, bool mirror, mus_matrix_market *m) {
  for (size_t k = 0; k < count; ++k) {
    place(m, entries[k].row, entries[k].column, entries[k].value);
    if (is_mirrored(mirror, &entries[k]))
      place(m, entries[k].column, entries[k].row, entries[k].value);
  }
  memmove(m->row_start + 1, m->row_start, (size_t)m->rows * sizeof *m->row_start);
  m->row_start[0] = 0;
}

// --- sorting -------------------------------------------------------------------------------------------------------

typedef struct item {
  int column;
  double value;
} item;

static bool is_sorted(int n, const int *column) {
  for (int k = 1; k < n; ++k)
    if (column[k] < column[k - 1])
      return false;
  return true;
}

// Merges from[begin ... middle) and from[middle ... end). Of equal columns, the left comes first: the sort is stable.
static void merge(const item *from, size_t begin, size_t middle, size_t end, item *to) {
  size_t left = begin, right = middle;
  for (size_t k = begin; k < end; ++k)
    to[k] = left < middle && (right == end || from[left].column <= from[right].column) ? from[left++] : from[right++];
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Bottom-up merge sort of one row; `scratch` holds 2 n items.
static void sort_row(size_t n, int *column, double *value, item *scratch) {
  item *from = scratch, *to = scratch + n;
  for (size_t k = 0; k < n; ++k)
    from[k] = (item){column[k], value[k]};
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width)
      merge(from, begin, smaller(begin + width, n), smaller(begin + 2 * width, n), to);
    item *swap = from;
    from = to;
    to = swap;
  }
  for (size_t k = 0; k < n; ++k) {
    column[k] = from[k].column;
    value[k] = from[k].value;
  }
}

static mus_status sort_rows(mus_matrix_market *m) {
  int longest = 0;
  for (int r = 0; r < m->rows; ++r) {
    int n = m->row_start[r + 1] - m->row_start[r];
    if (n > longest && !is_sorted(n, m->column + m->row_start[r]))
      longest = n;
  }
  if (longest == 0)
    return MUS_OK;
  item *scratch = mus_alloc(2 * (size_t)longest, sizeof *scratch);
  if (!scratch)
    return mus_fail_memory();
  for (int r = 0; r < m->rows; ++r) {
    int begin = m->row_start[r], n = m->row_start[r + 1] - begin;
    if (!is_sorted(n, m->column + begin))
      sort_row((size_t)n, m->column + begin, m->value + begin, scratch);
  }
  mus_free(scratch);
  return MUS_OK;
}

// --- duplicates ----------------------------------------------------------------------------------------------------

static mus_status add_duplicates(mus_matrix_market *m) {
  int kept = 0, next = 0;
  for (int r = 0; r < m->rows; ++r) {
    int begin = kept;
    for (; next < m->row_start[r + 1]; ++next) {
      if (kept == begin || m->column[kept - 1] != m->column[next]) {
        m->column[kept] = m->column[next];
        m->value[kept++] = m->value[next];
        continue;
      }
      m->value[kept - 1] += m->value[next];
      if (!isfinite(m->value[kept - 1]))
        return mus_fail(MUS_BAD_INPUT,
                        "the entries at row %d, column %d add up to more than a double holds: scale them", r + 1,
                        m->column[next] + 1);
    }
    m->row_start[r] = begin;
  }
  m->row_start[m->rows] = kept;
  return MUS_OK;
}

static mus_status compress(size_t count, const mus_entry *entries, bool mirror, mus_matrix_market *m) {
  m->row_start = mus_alloc((size_t)m->rows + 1, sizeof *m->row_start);
  if (!m->row_start)
    return mus_fail_memory();
  count_rows(count, entries, mirror, m->rows, m->row_start);
  m->column = mus_alloc((size_t)m->row_start[m->rows], sizeof *m->column);
  m->value = mus_alloc((size_t)m->row_start[m->rows], sizeof *m->value);
  if (!m->column || !m->value)
    return mus_fail_memory();
  place_entries(count, entries, mirror, m);
  mus_status status = sort_rows(m);
  return status == MUS_OK ? add_duplicates(m) : status;
}

mus_status mus_compress_entries(int rows, int columns, size_t count, const mus_entry *entries, bool mirror,
                                mus_matrix_market *out) {
  mus_matrix_market m = {.rows = rows, .columns = columns};
  mus_status status = compress(count, entries, mirror, &m);
  if (status == MUS_OK)
    *out = m;
  else
    mus_matrix_market_free(&m);
  return status;
}
