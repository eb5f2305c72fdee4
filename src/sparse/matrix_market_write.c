// Writing Matrix Market files. See muslin/matrix_market.h and, for the format, matrix_market_read.c.
//
// Numbers get 15, 16 or 17 digits, the first that gives back the same bits when it is read: 17 always do.
#define _XOPEN_SOURCE 700 // realpath
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "muslin/matrix_market.h"
#include "sparse/pattern.h"

// --- the file ------------------------------------------------------------------------------------------------------

enum { BUFFER = 1 << 17, LINE = 80 }; // the longest line that is written in one piece is shorter than LINE

typedef struct writer {
  const char *path; // as the caller gave it, for error texts
  char *target;     // where the file goes, symbolic links followed
  char *beside;     // where it is written, NULL for a device or a pipe: those are written to as they are
  gzFile file;
  char *buffer;
  size_t used;
} writer;

static mus_status fail_writing(const writer *w) {
  const char *why = errno ? strerror(errno) : "compression failed";
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be written (%s): check the folder, its rights and the free space",
                  w->path, why);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static char *join(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  char *joined = mus_alloc(n + m + 1, 1);
  if (joined) {
    memcpy(joined, a, n);
    memcpy(joined + n, b, m + 1);
  }
  return joined;
}

// Renaming over a device (/dev/null) or a symbolic link (/dev/stdout) would destroy it.
static mus_status choose_target(writer *w) {
  char *real = realpath(w->path, NULL);
  w->target = join(real ? real : w->path, "");
  free(real);
  if (!w->target)
    return mus_fail_memory();
  struct stat about;
  if (stat(w->target, &about) == 0 && !S_ISREG(about.st_mode))
    return MUS_OK;
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".tmp%ld", (long)getpid());
  w->beside = join(w->target, suffix);
  return w->beside ? MUS_OK : mus_fail_memory();
}

static mus_status open_writer(writer *w, const char *path) {
  *w = (writer){.path = path};
  mus_status status = choose_target(w);
  if (status != MUS_OK)
    return status;
  w->buffer = mus_alloc(BUFFER, 1);
  if (!w->buffer)
    return mus_fail_memory();
  errno = 0;
  w->file = gzopen(w->beside ? w->beside : w->target, ends_with(path, ".gz") ? "wb6" : "wbT");
  if (!w->file)
    return errno ? fail_writing(w) : mus_fail_memory();
  gzbuffer(w->file, BUFFER);
  return MUS_OK;
}

static mus_status flush(writer *w) {
  errno = 0;
  if (w->used > 0 && gzwrite(w->file, w->buffer, (unsigned)w->used) != (int)w->used)
    return fail_writing(w);
  w->used = 0;
  return MUS_OK;
}

// Ends the file: it takes its place when all went well so far, and is removed otherwise.
static mus_status close_writer(writer *w, mus_status status) {
  if (status == MUS_OK)
    status = flush(w);
  errno = 0;
  if (w->file && gzclose(w->file) != Z_OK && status == MUS_OK)
    status = fail_writing(w);
  if (status == MUS_OK && w->beside && rename(w->beside, w->target) != 0)
    status = fail_writing(w);
  if (status != MUS_OK && w->file && w->beside)
    unlink(w->beside);
  mus_free(w->buffer);
  mus_free(w->beside);
  mus_free(w->target);
  return status;
}

// --- lines ---------------------------------------------------------------------------------------------------------

static char *put_integer(char *p, int value) {
  char digits[12];
  int n = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

static char *put_real(char *p, double value) {
  int length = 0;
  for (int digits = 15; digits <= 17; ++digits) {
    length = snprintf(p, 32, "%.*g", digits, value);
    if (digits == 17 || strtod(p, NULL) == value)
      break;
  }
  return p + length;
}

// Room for one line at the end of the buffer.
static mus_status begin_line(writer *w, char **p) {
  mus_status status = w->used + LINE > BUFFER ? flush(w) : MUS_OK;
  *p = w->buffer + w->used;
  return status;
}

static void end_line(writer *w, char *p) {
  *p++ = '\n';
  w->used = (size_t)(p - w->buffer);
}

static mus_status write_entry(writer *w, int row, int column, double value) {
  char *p;
  mus_status status = begin_line(w, &p);
  if (status != MUS_OK)
    return status;
  p = put_integer(p, row + 1);
  *p++ = ' ';
  p = put_integer(p, column + 1);
  *p++ = ' ';
  end_line(w, put_real(p, value));
  return MUS_OK;
}

static mus_status write_value(writer *w, double value) {
  char *p;
  mus_status status = begin_line(w, &p);
  if (status == MUS_OK)
    end_line(w, put_real(p, value));
  return status;
}

// --- the matrix ----------------------------------------------------------------------------------------------------

static mus_status write_head(writer *w, const mus_mm_matrix *m, int symmetric, int entries) {
  char *p;
  mus_status status = begin_line(w, &p);
  if (status != MUS_OK)
    return status;
  p += snprintf(p, LINE, "%%%%MatrixMarket matrix %s real %s", m->dense ? "array" : "coordinate",
                symmetric ? "symmetric" : "general");
  end_line(w, p);
  status = begin_line(w, &p);
  if (status != MUS_OK)
    return status;
  p += snprintf(p, LINE, m->dense ? "%d %d" : "%d %d %d", m->rows, m->columns, entries);
  end_line(w, p);
  return MUS_OK;
}

static mus_status write_dense(writer *w, const mus_mm_matrix *m, int symmetric) {
  mus_status status = write_head(w, m, symmetric, 0);
  for (int j = 0; j < m->columns; ++j)
    for (int i = symmetric ? j : 0; i < m->rows && status == MUS_OK; ++i)
      status = write_value(w, m->value[(size_t)i + (size_t)m->rows * (size_t)j]);
  return status;
}

static int count_entries(const mus_mm_matrix *m, int symmetric) {
  int count = 0;
  for (int i = 0; i < m->rows; ++i)
    for (int k = m->row_start[i]; k < m->row_start[i + 1]; ++k)
      count += !symmetric || m->column[k] <= i;
  return count;
}

static mus_status write_sparse(writer *w, const mus_mm_matrix *m, int symmetric) {
  mus_status status = write_head(w, m, symmetric, count_entries(m, symmetric));
  for (int i = 0; i < m->rows; ++i)
    for (int k = m->row_start[i]; k < m->row_start[i + 1] && status == MUS_OK; ++k)
      if (!symmetric || m->column[k] <= i)
        status = write_entry(w, i, m->column[k], m->value[k]);
  return status;
}

// What is written must be readable again.
static mus_status check(const mus_mm_matrix *m, int symmetric) {
  if (m->rows < 1 || m->columns < 1)
    return mus_fail(MUS_BAD_INPUT, "a %d x %d matrix cannot be written: give it rows and columns", m->rows, m->columns);
  if (symmetric && m->rows != m->columns)
    return mus_fail(MUS_BAD_INPUT, "a %d x %d matrix cannot be written as symmetric: write it as general", m->rows,
                    m->columns);
  mus_status status = m->dense ? MUS_OK : mus_pattern_check(m->rows, m->columns, m->row_start, m->column);
  if (status != MUS_OK)
    return status;
  size_t count = m->dense ? (size_t)m->rows * (size_t)m->columns : (size_t)m->row_start[m->rows];
  for (size_t k = 0; k < count; ++k)
    if (!isfinite(m->value[k]))
      return mus_fail(MUS_BAD_INPUT, "value %zu of the matrix is not finite: find out where it was made", k);
  return MUS_OK;
}

mus_status mus_mm_write(const char *path, const mus_mm_matrix *matrix, int symmetric) {
  mus_status status = check(matrix, symmetric);
  if (status != MUS_OK)
    return mus_fail_prefix(status, "%.200s", path);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // whose decimal sign is a point
  if (plain == (locale_t)0)
    return mus_fail_memory();
  locale_t callers = uselocale(plain);
  writer w;
  status = open_writer(&w, path);
  if (status == MUS_OK)
    status = matrix->dense ? write_dense(&w, matrix, symmetric) : write_sparse(&w, matrix, symmetric);
  status = close_writer(&w, status);
  uselocale(callers);
  freelocale(plain);
  return status;
}
