// Writing Matrix Market files. See muslin/matrix_market.h and, for the format, matrix_market_read.c.
#include <math.h>

#include "base/error.h"
#include "base/output.h"
#include "muslin/matrix_market.h"
#include "sparse/pattern.h"

static void write_head(mus_output *out, const mus_matrix_market *m, int symmetric, int entries) {
  mus_output_text(out, "%%MatrixMarket matrix ");
  mus_output_text(out, m->dense ? "array real " : "coordinate real ");
  mus_output_text(out, symmetric ? "symmetric\n" : "general\n");
  mus_output_integer(out, m->rows);
  mus_output_text(out, " ");
  mus_output_integer(out, m->columns);
  if (!m->dense) {
    mus_output_text(out, " ");
    mus_output_integer(out, entries);
  }
  mus_output_text(out, "\n");
}

static void write_entry(mus_output *out, int row, int column, double value) {
  mus_output_integer(out, row + 1);
  mus_output_text(out, " ");
  mus_output_integer(out, column + 1);
  mus_output_text(out, " ");
  mus_output_real(out, value);
  mus_output_text(out, "\n");
}

static void write_dense(mus_output *out, const mus_matrix_market *m, int symmetric) {
  write_head(out, m, symmetric, 0);
  for (int j = 0; j < m->columns; ++j)
    for (int i = symmetric ? j : 0; i < m->rows; ++i) {
      mus_output_real(out, m->value[(size_t)i + (size_t)m->rows * (size_t)j]);
      mus_output_text(out, "\n");
    }
}

static int count_entries(const mus_matrix_market *m, int symmetric) {
  int count = 0;
  for (int i = 0; i < m->rows; ++i)
    for (int k = m->row_start[i]; k < m->row_start[i + 1]; ++k)
      count += !symmetric || m->column[k] <= i;
  return count;
}

static void write_sparse(mus_output *out, const mus_matrix_market *m, int symmetric) {
  write_head(out, m, symmetric, count_entries(m, symmetric));
  for (int i = 0; i < m->rows; ++i)
    for (int k = m->row_start[i]; k < m->row_start[i + 1]; ++k)
      if (!symmetric || m->column[k] <= i)
        write_entry(out, i, m->column[k], m->value[k]);
}

// What is written must be readable again.
static mus_status check(const mus_matrix_market *m, int symmetric) {
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

mus_status mus_matrix_market_write(const char *path, const mus_matrix_market *matrix, int symmetric) {
  mus_status status = check(matrix, symmetric);
  if (status != MUS_OK)
    return mus_fail_prefix(status, "%.200s", path);
  mus_output out;
  status = mus_output_open(&out, path);
  if (status == MUS_OK && matrix->dense)
    write_dense(&out, matrix, symmetric);
  else if (status == MUS_OK)
    write_sparse(&out, matrix, symmetric);
  return mus_output_close(&out, status);
}
