// Reading Matrix Market files (Boisvert, Pozo and Remington 1996). See muslin/matrix_market.h.
//
// A banner, comments, a size line, then one entry a line:
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % rows columns entries
//   3 3 4
//   1 1 2.5
//   ...
//
// or, for `array`, the values column after column (of a symmetric matrix: each column from the diagonal down). Nothing
// is allocated on the word of the size line: buffers double as entries come in, up to the declared number.
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/scan.h"
#include "muslin/matrix_market.h"
#include "sparse/matrix_market_compress.h"

typedef struct header {
  bool array, pattern, integer, symmetric;
  int rows, columns;
  long long entries;   // lines for `coordinate`, values for `array`
  long long size_line; // where the sizes are declared
} header;

void mus_matrix_market_free(mus_matrix_market *matrix) {
  if (!matrix)
    return;
  mus_free(matrix->row_start);
  mus_free(matrix->column);
  mus_free(matrix->value);
  *matrix = (mus_matrix_market){0};
}

// --- the banner ----------------------------------------------------------------------------------------------------

enum { WORD = 32 };

static mus_status fail_word(const mus_scanner *s, mus_status status, const char *what, const char *word,
                            const char *known) {
  if (word[0] == '\0')
    return mus_scan_fail(s, MUS_BAD_INPUT, "the first line ends where the %s should be: write %s", what, known);
  if (status == MUS_UNSUPPORTED)
    return mus_scan_fail(s, status, "%s '%s' is not supported: convert the matrix to %s", what, word, known);
  return mus_scan_fail(s, status, "'%s' is not a known %s: write %s", word, what, known);
}

static bool is_one_of(const char *word, const char *a, const char *b) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static mus_status set_format(const mus_scanner *s, const char *word, header *h) {
  h->array = strcmp(word, "array") == 0;
  return is_one_of(word, "coordinate", "array") ? MUS_OK
                                                : fail_word(s, MUS_BAD_INPUT, "format", word, "coordinate or array");
}

static mus_status set_field(const mus_scanner *s, const char *word, header *h) {
  h->pattern = strcmp(word, "pattern") == 0;
  h->integer = strcmp(word, "integer") == 0;
  if (h->pattern && h->array)
    return mus_scan_fail(s, MUS_BAD_INPUT, "an array holds values and cannot be a pattern: write real or integer");
  if (h->pattern || is_one_of(word, "real", "integer"))
    return MUS_OK;
  mus_status status = strcmp(word, "complex") == 0 ? MUS_UNSUPPORTED : MUS_BAD_INPUT;
  return fail_word(s, status, "field", word, "real, integer or pattern");
}

static mus_status set_symmetry(const mus_scanner *s, const char *word, header *h) {
  h->symmetric = strcmp(word, "symmetric") == 0;
  if (is_one_of(word, "general", "symmetric"))
    return MUS_OK;
  mus_status status = is_one_of(word, "skew-symmetric", "hermitian") ? MUS_UNSUPPORTED : MUS_BAD_INPUT;
  return fail_word(s, status, "symmetry", word, "general or symmetric");
}

static mus_status set_begin(const mus_scanner *s, const char *word, header *h) {
  (void)h;
  if (strcmp(word, "%%matrixmarket") == 0)
    return MUS_OK;
  return mus_scan_fail(s, MUS_BAD_INPUT,
                       "this is no Matrix Market file: it must begin with "
                       "'%%%%MatrixMarket matrix coordinate real general' or the like");
}

static mus_status set_object(const mus_scanner *s, const char *word, header *h) {
  (void)h;
  return strcmp(word, "matrix") == 0 ? MUS_OK : fail_word(s, MUS_BAD_INPUT, "object", word, "matrix");
}

static mus_status read_banner(mus_scanner *s, header *h) {
  static mus_status (*const set[])(const mus_scanner *, const char *, header *) = {set_begin, set_object, set_format,
                                                                                   set_field, set_symmetry};
  for (size_t k = 0; k < sizeof set / sizeof *set; ++k) {
    char word[WORD];
    mus_status status = mus_scan_lower_word(s, sizeof word, word);
    if (status == MUS_OK)
      status = set[k](s, word, h);
    if (status != MUS_OK)
      return status;
  }
  return mus_scan_end_line(s);
}

// --- the size line -------------------------------------------------------------------------------------------------

static mus_status read_size(mus_scanner *s, const char *what, int *size) {
  long long value;
  mus_status status = mus_scan_integer(s, what, &value);
  if (status == MUS_OK && (value < 1 || value > INT_MAX))
    return mus_scan_fail(s, MUS_BAD_INPUT, "%lld for %s is outside 1...%d: check the size line", value, what, INT_MAX);
  *size = status == MUS_OK ? (int)value : 0;
  return status;
}

static mus_status read_entry_count(mus_scanner *s, header *h) {
  mus_status status = mus_scan_integer(s, "the number of entries", &h->entries);
  if (status != MUS_OK)
    return status;
  if (h->entries < 0 || h->entries > (long long)h->rows * h->columns)
    return mus_scan_fail(s, MUS_BAD_INPUT, "%lld entries do not fit %d x %d: check the size line", h->entries, h->rows,
                         h->columns);
  if (h->entries > INT_MAX)
    return mus_scan_fail(s, MUS_BAD_INPUT, "%lld entries are more than the %d that can be read: split the problem",
                         h->entries, INT_MAX);
  return MUS_OK;
}

static mus_status read_sizes(mus_scanner *s, header *h) {
  bool found;
  mus_status status = mus_scan_next(s, &found);
  if (status != MUS_OK)
    return status;
  if (!found)
    return mus_scan_fail(s, MUS_BAD_INPUT, "the file ends before the size line: it was cut off");
  h->size_line = s->line;
  status = read_size(s, "the number of rows", &h->rows);
  if (status == MUS_OK)
    status = read_size(s, "the number of columns", &h->columns);
  if (status == MUS_OK && h->symmetric && h->rows != h->columns)
    return mus_scan_fail(s, MUS_BAD_INPUT, "%d x %d is not square, so it cannot be symmetric: declare it general",
                         h->rows, h->columns);
  if (status == MUS_OK && !h->array)
    status = read_entry_count(s, h);
  else
    h->entries = h->symmetric ? h->rows * ((long long)h->rows + 1) / 2 : (long long)h->rows * h->columns;
  return status == MUS_OK ? mus_scan_end_line(s) : status;
}

// --- the entries ---------------------------------------------------------------------------------------------------

static mus_status read_index(mus_scanner *s, const char *what, int size, int *index) {
  long long value;
  mus_status status = mus_scan_integer(s, what, &value);
  if (status == MUS_OK && (value < 1 || value > size))
    return mus_scan_fail(s, MUS_BAD_INPUT, "%s %lld is outside 1...%d: check the size line", what, value, size);
  *index = status == MUS_OK ? (int)value - 1 : 0;
  return status;
}

static mus_status read_value(mus_scanner *s, const header *h, double *value) {
  mus_status status = mus_scan_real(s, "the value", value);
  // Above 2^53 every double is a whole number.
  if (status == MUS_OK && h->integer && *value > -0x1p53 && *value < 0x1p53 && *value != (double)(long long)*value)
    return mus_scan_fail(s, MUS_BAD_INPUT, "%g is not a whole number: declare the matrix real", *value);
  return status;
}

static mus_status read_entry(mus_scanner *s, const header *h, mus_entry *entry) {
  mus_status status = read_index(s, "row", h->rows, &entry->row);
  if (status == MUS_OK)
    status = read_index(s, "column", h->columns, &entry->column);
  if (status != MUS_OK)
    return status;
  if (h->symmetric && entry->column > entry->row)
    return mus_scan_fail(
        s, MUS_BAD_INPUT,
        "entry (%d, %d) of a symmetric matrix is above the diagonal: write the lower triangle only, or "
        "declare it general",
        entry->row + 1, entry->column + 1);
  entry->value = 1;
  if (!h->pattern)
    status = read_value(s, h, &entry->value);
  return status == MUS_OK ? mus_scan_end_line(s) : status;
}

// To the next entry, or to the end of the file when all `declared` ones have been read.
static mus_status next_entry(mus_scanner *s, size_t read, long long declared) {
  bool found;
  mus_status status = mus_scan_next(s, &found);
  if (status != MUS_OK)
    return status;
  if (!found && (long long)read < declared)
    return mus_scan_fail(s, MUS_BAD_INPUT,
                         "the file ends after %zu of %lld entries: it was cut off, or the size line "
                         "is wrong",
                         read, declared);
  if (found && (long long)read == declared)
    return mus_scan_fail(s, MUS_BAD_INPUT, "there are more than the declared %lld entries: check the size line",
                         declared);
  return MUS_OK;
}

static mus_status read_entries(mus_scanner *s, const header *h, mus_list *list) {
  for (;;) {
    mus_status status = next_entry(s, list->count, h->entries);
    if (status != MUS_OK || (long long)list->count == h->entries)
      return status;
    mus_entry *entry = mus_list_add(list, sizeof *entry);
    status = entry ? read_entry(s, h, entry) : mus_fail_memory();
    if (status != MUS_OK)
      return status;
  }
}

static mus_status read_values(mus_scanner *s, const header *h, mus_list *list) {
  for (;;) {
    mus_status status = next_entry(s, list->count, h->entries);
    if (status != MUS_OK || (long long)list->count == h->entries)
      return status;
    double *value = mus_list_add(list, sizeof *value);
    status = value ? read_value(s, h, value) : mus_fail_memory();
    if (status != MUS_OK)
      return status;
  }
}

// --- the matrix ----------------------------------------------------------------------------------------------------

// Compressed rows take memory for every row, entries or not, so that beyond the first number of rows a file must hold
// an entry for every so many of them. A sparse right-hand side with a handful of entries stays below it.
enum { ROWS_FREE = 1 << 24, ROWS_AN_ENTRY = 16 };

static mus_status check_counts(const mus_scanner *s, const header *h, const mus_list *list) {
  if (h->rows > ROWS_FREE + (long long)list->count * ROWS_AN_ENTRY)
    return mus_scan_fail_at(s, h->size_line, MUS_BAD_INPUT, "%d rows with only %zu entries: check the size line",
                            h->rows, list->count);
  size_t stored = list->count;
  const mus_entry *entries = list->items;
  for (size_t k = 0; h->symmetric && k < list->count; ++k)
    stored += entries[k].row != entries[k].column;
  if (stored > INT_MAX)
    return mus_scan_fail_at(s, h->size_line, MUS_BAD_INPUT,
                            "both triangles have %zu entries, more than the %d that can be read: split the problem",
                            stored, INT_MAX);
  return MUS_OK;
}

static mus_status build_sparse(const mus_scanner *s, const header *h, const mus_list *list, mus_matrix_market *out) {
  mus_status status = check_counts(s, h, list);
  if (status != MUS_OK)
    return status;
  status = mus_compress_entries(h->rows, h->columns, list->count, list->items, h->symmetric, out);
  return status == MUS_BAD_INPUT ? mus_fail_prefix(status, "%s", s->name) : status;
}

// The values of a general matrix are in place already; those of a symmetric one are spread over both triangles.
static mus_status build_dense(const header *h, mus_list *list, mus_matrix_market *out) {
  size_t n = (size_t)h->rows;
  double *value = list->items;
  if (h->symmetric) {
    value = mus_alloc(n * n, sizeof *value);
    if (!value)
      return mus_fail_memory();
    const double *next = list->items;
    for (size_t j = 0; j < n; ++j)
      for (size_t i = j; i < n; ++i)
        value[i + n * j] = value[j + n * i] = *next++;
  } else {
    list->items = NULL;
  }
  *out = (mus_matrix_market){.rows = h->rows, .columns = h->columns, .dense = 1, .value = value};
  return MUS_OK;
}

static mus_status read_matrix(mus_scanner *s, mus_matrix_market *out) {
  s->comment = '%';
  header h = {0};
  mus_status status = read_banner(s, &h);
  if (status == MUS_OK)
    status = read_sizes(s, &h);
  if (status != MUS_OK)
    return status;
  mus_list list = {.limit = (size_t)h.entries};
  status = h.array ? read_values(s, &h, &list) : read_entries(s, &h, &list);
  if (status == MUS_OK)
    status = h.array ? build_dense(&h, &list, out) : build_sparse(s, &h, &list, out);
  mus_free(list.items);
  return status;
}

mus_status mus_matrix_market_read(const char *path, mus_matrix_market *out) {
  mus_scanner scanner;
  mus_status status = mus_scan_open_file(&scanner, path);
  if (status != MUS_OK)
    return status;
  status = read_matrix(&scanner, out);
  mus_scan_close(&scanner);
  return status;
}

mus_status mus_matrix_market_parse(const char *name, const char *text, size_t length, mus_matrix_market *out) {
  mus_scanner scanner;
  mus_status status = mus_scan_open_text(&scanner, name, text, length);
  if (status != MUS_OK)
    return status;
  status = read_matrix(&scanner, out);
  mus_scan_close(&scanner);
  return status;
}
