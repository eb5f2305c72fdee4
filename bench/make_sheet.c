// Writes the system of one implicit step of a cloth sheet as files that `muslin solve` reads: A.mtx, b.mtx, the current
// positions X.mtx and the held vertices fix.txt.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "muslin/matrix_market.h"
#include "sheet_system.h"

static const char *const program = "make_sheet";

typedef struct options {
  sheet_options sheet;
  int boundary;
  const char *folder;
} options;

// The block matrix as a plain one, without the zeros inside blocks.
static mus_status scalar_matrix(mus_arena *arena, const mus_matrix *a, mus_mm_matrix *out) {
  const mus_pattern *pattern = a->pattern;
  if (mus_matrix_values(a) > INT_MAX)
    return mus_fail(MUS_BAD_INPUT, "the sheet has more than %d non-zeros: give a smaller --side", INT_MAX);
  *out = (mus_mm_matrix){.rows = pattern->rows * 3, .columns = pattern->columns * 3};
  out->row_start = mus_arena_alloc(arena, (size_t)out->rows + 1, sizeof *out->row_start);
  out->column = mus_arena_alloc(arena, mus_matrix_values(a), sizeof *out->column);
  out->value = mus_arena_alloc(arena, mus_matrix_values(a), sizeof *out->value);
  if (!out->row_start || !out->column || !out->value)
    return mus_fail_memory();
  int count = 0;
  for (int row = 0; row < out->rows; ++row) {
    out->row_start[row] = count;
    for (int k = pattern->row_start[row / 3]; k < pattern->row_start[row / 3 + 1]; ++k)
      for (int c = 0; c < 3; ++c) {
        double value = a->value[(size_t)k * 9 + (size_t)(row % 3 * 3 + c)];
        if (value == 0)
          continue;
        out->column[count] = pattern->column[k] * 3 + c;
        out->value[count++] = value;
      }
  }
  out->row_start[out->rows] = count;
  return MUS_OK;
}

// Vertex positions as a dense matrix, a row a vertex; Matrix Market arrays run down the columns.
static mus_status position_matrix(mus_arena *arena, const sheet_system *sheet, mus_mm_matrix *out) {
  size_t rows = (size_t)sheet->rows;
  *out = (mus_mm_matrix){.rows = sheet->rows, .columns = 3, .dense = 1};
  out->value = mus_arena_alloc(arena, rows * 3, sizeof *out->value);
  if (!out->value)
    return mus_fail_memory();
  for (size_t i = 0; i < rows; ++i)
    for (size_t c = 0; c < 3; ++c)
      out->value[c * rows + i] = sheet->position[i * 3 + c];
  return MUS_OK;
}

static char *path_in(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static mus_status write_matrix(const char *folder, const char *name, const mus_mm_matrix *matrix, int symmetric) {
  char *path = path_in(folder, name);
  mus_status status = path ? mus_mm_write(path, matrix, symmetric) : mus_fail_memory();
  free(path);
  return status;
}

static mus_status write_matrices(const char *folder, const sheet_system *sheet) {
  mus_arena arena = {0};
  mus_mm_matrix a, x, b = {.rows = sheet->rows * 3, .columns = 1, .dense = 1, .value = sheet->b};
  mus_status status = scalar_matrix(&arena, &sheet->a, &a);
  if (!status)
    status = write_matrix(folder, "A.mtx", &a, 1);
  if (!status)
    status = position_matrix(&arena, sheet, &x);
  if (!status)
    status = write_matrix(folder, "X.mtx", &x, 0);
  if (!status)
    status = write_matrix(folder, "b.mtx", &b, 0);
  mus_arena_clear(&arena);
  return status;
}

// One line a held vertex, counted from 1.
static int write_constraints(const char *folder, const sheet_system *sheet) {
  char *text = NULL, *path = path_in(folder, "fix.txt");
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  int failed = !path || !memory;
  if (memory) {
    fprintf(memory, "# held vertices: all directions, no change of velocity\n");
    for (int k = 0; k < sheet->constraint_count; ++k)
      fprintf(memory, "%d all 0 0 0\n", sheet->constraint[k].node + 1);
    failed |= fclose(memory) != 0;
  }
  if (failed)
    fprintf(stderr, "%s: out of memory\n", program);
  else
    failed = output_write(program, path, text, length);
  free(text);
  free(path);
  return failed;
}

static int run(const options *chosen) {
  sheet_system sheet;
  mus_status status = sheet_system_create(&chosen->sheet, &sheet);
  if (!status && mkdir(chosen->folder, 0777) != 0 && errno != EEXIST)
    status = mus_fail(MUS_IO_ERROR, "cannot make the folder %s: %s", chosen->folder, strerror(errno));
  if (!status)
    status = write_matrices(chosen->folder, &sheet);
  int failed = status != MUS_OK;
  if (failed)
    fprintf(stderr, "%s: %s\n", program, mus_last_error());
  else
    failed = write_constraints(chosen->folder, &sheet);
  if (!failed)
    printf("%s: A.mtx, b.mtx, X.mtx and fix.txt of a sheet with %d vertices, %d of them held\n", chosen->folder,
           sheet.rows, sheet.constraint_count);
  sheet_system_free(&sheet);
  return status == MUS_BAD_INPUT ? 2 : failed;
}

int main(int argc, char **argv) {
  options chosen = {.sheet = sheet_default_options(), .folder = "."};
  chosen.boundary = (int)chosen.sheet.boundary;
  int help = 0, plain_count;
  static const char *const boundaries[] = {"free", "pinned", "drooping", NULL};
  const option list[] = {{.name = "output",
                          .letter = 'o',
                          .kind = OPTION_TEXT,
                          .target = &chosen.folder,
                          .value = "DIR",
                          .help = "folder to write to (.)"},
                         {.name = "side",
                          .kind = OPTION_WHOLE,
                          .target = &chosen.sheet.side,
                          .value = "N",
                          .minimum = 2,
                          .maximum = 4096,
                          .help = "vertices a side (61)"},
                         {.name = "boundary",
                          .kind = OPTION_CHOICE,
                          .target = &chosen.boundary,
                          .value = "WHICH",
                          .choices = boundaries,
                          .help = "free, pinned (all four sides) or drooping (two opposite ones) (drooping)"},
                         {.name = "irregular",
                          .kind = OPTION_FLAG,
                          .target = &chosen.sheet.irregular,
                          .help = "jitter the vertices and choose diagonals at random"},
                         {.name = "time-step",
                          .kind = OPTION_REAL,
                          .target = &chosen.sheet.time_step,
                          .value = "S",
                          .help = "seconds (0.002)"},
                         {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "this text"}};
  option_table table = {program, list, sizeof list / sizeof list[0]};
  int failed = options_parse(&table, argc - 1, argv + 1, NULL, 0, &plain_count);
  if (failed)
    return failed;
  if (help) {
    printf("make_sheet: writes the linear system of a cloth sheet for `muslin solve`.\n\n");
    options_print(&table, stdout);
    return 0;
  }
  chosen.sheet.boundary = (sheet_boundary)chosen.boundary;
  return run(&chosen);
}
