// See system_save.h.
#include "system_save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "failure.h"
#include "muslin/matrix_market.h"
#include "output.h"

typedef struct saving {
  const char *program, *folder;
} saving;

static int write_matrix(const saving *to, const char *name, const mus_matrix_market *matrix, int symmetric) {
  char *path = output_path(to->folder, name);
  if (!path)
    return failure_memory(to->program);
  mus_status status = mus_matrix_market_write(path, matrix, symmetric);
  free(path);
  if (!status)
    return 0;
  failure_status(to->program, NULL, status);
  return CLI_FAILED;
}

// --- the matrix ------------------------------------------------------------------------------------------------------

// A block that couplings add, to one of the matrix's or beside them.
typedef struct added_block {
  int row, column;
  double block[9];
} added_block;

static int compare_added(const void *a, const void *b) {
  const added_block *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->column > y->column) - (x->column < y->column);
}

// All blocks w_i w_j B of the couplings by rows and columns, one for each place; their number.
static size_t list_added(const mus_sim_system *s, added_block *list) {
  size_t count = 0, places = 0;
  for (int k = 0; k < s->coupling_count; ++k) {
    const mus_coupling *c = &s->couplings[k];
    for (int i = 0; i < c->count; ++i)
      for (int j = 0; j < c->count; ++j, ++count) {
        list[count] = (added_block){.row = c->node[i], .column = c->node[j]};
        for (int e = 0; e < 9; ++e)
          list[count].block[e] = c->weight[i] * c->weight[j] * c->block[e];
      }
  }
  if (count > 0)
    qsort(list, count, sizeof *list, compare_added);
  for (size_t k = 0; k < count; ++k)
    if (places > 0 && compare_added(&list[places - 1], &list[k]) == 0)
      for (int e = 0; e < 9; ++e)
        list[places - 1].block[e] += list[k].block[e];
    else
      list[places++] = list[k];
  return places;
}

// One row of a block (either part may be missing), without zeros.
static void put_block(const double *part, const double *added, int row, int column, mus_matrix_market *out,
                      int *count) {
  for (int c = 0; c < 3; ++c) {
    size_t e = (size_t)(row % 3 * 3 + c);
    double value = (part ? part[e] : 0) + (added ? added[e] : 0);
    if (value == 0)
      continue;
    out->column[*count] = column * 3 + c;
    out->value[(*count)++] = value;
  }
}

// The blocks as plain rows; what couplings add is merged in.
static void fill_rows(const mus_sim_system *s, const added_block *added, size_t places, mus_matrix_market *out) {
  int count = 0;
  size_t first = 0;
  for (int row = 0; row < out->rows; ++row) {
    int k = s->row_start[row / 3], end = s->row_start[row / 3 + 1];
    while (first < places && added[first].row < row / 3)
      ++first;
    out->row_start[row] = count;
    for (size_t a = first; k < end || (a < places && added[a].row == row / 3);) {
      int beside = a < places && added[a].row == row / 3 ? added[a].column : INT_MAX;
      int inside = k < end ? s->column[k] : INT_MAX;
      put_block(inside <= beside ? s->values + (size_t)k * 9 : NULL, beside <= inside ? added[a].block : NULL, row,
                inside < beside ? inside : beside, out, &count);
      k += inside <= beside;
      a += beside <= inside;
    }
  }
  out->row_start[out->rows] = count;
}

static int save_matrix(const saving *to, const mus_sim_system *s) {
  size_t most = 0;
  for (int k = 0; k < s->coupling_count; ++k)
    most += (size_t)(s->couplings[k].count * s->couplings[k].count);
  long long numbers = 9LL * (s->row_start[s->rows] + (long long)most);
  if (numbers > INT_MAX)
    return failure_input(to->program, "the matrix has more than %d numbers, too many for a file", INT_MAX);
  mus_matrix_market matrix = {.rows = s->rows * 3, .columns = s->rows * 3};
  matrix.row_start = malloc(((size_t)matrix.rows + 1) * sizeof *matrix.row_start);
  matrix.column = malloc((size_t)numbers * sizeof *matrix.column);
  matrix.value = malloc((size_t)numbers * sizeof *matrix.value);
  added_block *added = malloc((most + 1) * sizeof *added);
  int failed = 0;
  if (!matrix.row_start || !matrix.column || !matrix.value || !added)
    failed = failure_memory(to->program);
  else {
    fill_rows(s, added, list_added(s, added), &matrix);
    failed = write_matrix(to, "A.mtx", &matrix, 1);
  }
  free(matrix.row_start);
  free(matrix.column);
  free(matrix.value);
  free(added);
  return failed;
}

// --- the rest --------------------------------------------------------------------------------------------------------

// rows x columns numbers, a row after the other, as a dense matrix: Matrix Market arrays run down the columns.
static int save_dense(const saving *to, const char *name, size_t rows, size_t columns, const double *value) {
  double *turned = malloc(rows * columns * sizeof *turned);
  if (!turned)
    return failure_memory(to->program);
  for (size_t i = 0; i < rows * columns; ++i)
    turned[i % columns * rows + i / columns] = value[i];
  mus_matrix_market matrix = {.rows = (int)rows, .columns = (int)columns, .dense = 1, .value = turned};
  int failed = write_matrix(to, name, &matrix, 0);
  free(turned);
  return failed;
}

static int is_along_axes(const mus_constraint *c) {
  for (int d = 0; d < 9; ++d)
    if (c->direction[d / 3][d % 3] != (d / 3 == d % 3))
      return 0;
  return c->count == 3;
}

static void print_constraints(const mus_sim_system *s, FILE *file) {
  for (int k = 0; k < s->constraint_count; ++k) {
    const mus_constraint *c = &s->constraints[k];
    if (is_along_axes(c)) {
      fprintf(file, "%d all %.17g %.17g %.17g\n", c->node + 1, c->value[0], c->value[1], c->value[2]);
      continue;
    }
    for (int d = 0; d < c->count; ++d)
      fprintf(file, "%d %.17g %.17g %.17g %.17g\n", c->node + 1, c->direction[d][0], c->direction[d][1],
              c->direction[d][2], c->value[d]);
  }
}

static int save_constraints(const saving *to, const mus_sim_system *s) {
  char *text = NULL, *path = output_path(to->folder, "fix.txt");
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (memory)
    print_constraints(s, memory);
  int failed = !path || !memory || fclose(memory) != 0 ? failure_memory(to->program) : 0;
  if (!failed)
    failed = output_write(to->program, path, text, length);
  free(path);
  free(text);
  return failed;
}

int system_save(const char *program, const char *folder, const mus_sim_system *s) {
  saving to = {program, folder};
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "%s: cannot create the folder %s: %s\n", program, folder, strerror(errno));
    return CLI_FAILED;
  }
  int failed = save_matrix(&to, s);
  if (!failed)
    failed = save_dense(&to, "b.mtx", 3 * (size_t)s->rows, 1, s->right);
  if (!failed)
    failed = save_dense(&to, "X.mtx", (size_t)s->rows, 3, s->positions);
  return failed ? failed : save_constraints(&to, s);
}
