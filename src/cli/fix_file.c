// Constraints as text. See fix_file.h.
#include "fix_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

enum { DIRECTIONS = 3 }; // that a mus_constraint can hold

typedef struct reader {
  const char *program, *path;
  int line, vertices, block;
  mus_constraint *list;
  int count, capacity;
  int *place; // a vertex: where it is in the list, plus 1
} reader;

// The next word of the line, or NULL at its end or at a comment.
static char *next_word(char **rest) {
  char *word = strtok_r(NULL, " \t\r\n", rest);
  if (word && *word == '#') {
    *rest = word + strlen(word);
    return NULL;
  }
  return word;
}

static int bad_line(const reader *r) {
  return failure_input(r->program,
                       "%s:%d: write `vertex` and then %d direction number%s and a value, or `all` and %d "
                       "value%s",
                       r->path, r->line, r->block, r->block > 1 ? "s" : "", r->block, r->block > 1 ? "s" : "");
}

static int read_numbers(const reader *r, char **rest, int count, double *number) {
  for (int i = 0; i < count; ++i) {
    char *word = next_word(rest), *end;
    if (!word)
      return bad_line(r);
    number[i] = strtod(word, &end);
    if (*end || !isfinite(number[i]))
      return failure_input(r->program, "%s:%d: '%s' is not a finite number", r->path, r->line, word);
  }
  return 0;
}

static int read_vertex(const reader *r, const char *word, int *vertex) {
  char *end;
  errno = 0;
  long value = strtol(word, &end, 10);
  if (*end || end == word)
    return failure_input(r->program, "%s:%d: '%s' is not a vertex number", r->path, r->line, word);
  if (errno || value < 1 || value > r->vertices)
    return failure_input(r->program, "%s:%d: vertex %s does not exist; vertices are numbered from 1 to %d", r->path,
                         r->line, word, r->vertices);
  *vertex = (int)value - 1;
  return 0;
}

// The entry of a vertex, made when it is named for the first time; NULL when memory is short.
static mus_constraint *entry_of(reader *r, int vertex) {
  if (r->place[vertex])
    return &r->list[r->place[vertex] - 1];
  if (r->count == r->capacity) {
    int capacity = r->capacity > INT_MAX / 2 ? INT_MAX : 2 * r->capacity + 64;
    mus_constraint *list = realloc(r->list, (size_t)capacity * sizeof *list);
    if (!list)
      return NULL;
    r->list = list;
    r->capacity = capacity;
  }
  r->list[r->count] = (mus_constraint){.node = vertex};
  r->place[vertex] = ++r->count;
  return &r->list[r->count - 1];
}

static int add_direction(const reader *r, mus_constraint *entry, const double *direction, double value) {
  if (entry->count == r->block)
    return failure_input(r->program, "%s:%d: vertex %d has more than %d directions", r->path, r->line, entry->node + 1,
                         r->block - 1);
  memcpy(entry->direction[entry->count], direction, (size_t)r->block * sizeof *direction);
  entry->value[entry->count++] = value;
  return 0;
}

// After the vertex: "all" and its values, or a direction (whose first number is `word`) and a value.
static int read_prescription(reader *r, mus_constraint *entry, char *word, char **rest) {
  double number[DIRECTIONS + 1];
  int failed = 0;
  if (strcmp(word, "all") == 0) {
    failed = read_numbers(r, rest, r->block, number);
    for (int k = 0; !failed && k < r->block; ++k) {
      double axis[DIRECTIONS] = {0};
      axis[k] = 1;
      failed = add_direction(r, entry, axis, number[k]);
    }
  } else {
    char *end;
    number[0] = strtod(word, &end);
    if (*end || !isfinite(number[0]))
      return failure_input(r->program, "%s:%d: '%s' is neither `all` nor a finite number", r->path, r->line, word);
    failed = read_numbers(r, rest, r->block, number + 1);
    if (!failed)
      failed = add_direction(r, entry, number, number[r->block]);
  }
  return failed || !next_word(rest) ? failed : bad_line(r);
}

static int read_line(reader *r, char *line) {
  char *rest = NULL, *word = strtok_r(line, " \t\r\n", &rest);
  int vertex = 0, failed;
  if (!word || *word == '#')
    return 0;
  failed = read_vertex(r, word, &vertex);
  if (failed)
    return failed;
  word = next_word(&rest);
  if (!word)
    return bad_line(r);
  mus_constraint *entry = entry_of(r, vertex);
  return entry ? read_prescription(r, entry, word, &rest) : failure_memory(r->program);
}

static int read_lines(reader *r, FILE *file) {
  char *line = NULL;
  size_t size = 0;
  int failed = 0;
  while (!failed && getline(&line, &size, file) >= 0) {
    ++r->line;
    failed = read_line(r, line);
  }
  if (!failed && !feof(file))
    failed = failure_input(r->program, "cannot read %s: %s", r->path, strerror(errno));
  free(line);
  return failed;
}

int fix_file_read(const char *program, const char *path, int vertices, int block, mus_constraint **list, int *count) {
  reader r = {.program = program, .path = path, .vertices = vertices, .block = block};
  *list = NULL;
  *count = 0;
  if (block > DIRECTIONS)
    return failure_input(program, "--fix works for blocks of 1 to %d unknowns, not %d", DIRECTIONS, block);
  FILE *file = fopen(path, "r");
  if (!file)
    return failure_input(program, "cannot open %s: %s", path, strerror(errno));
  r.place = calloc((size_t)vertices, sizeof *r.place);
  int failed = r.place ? read_lines(&r, file) : failure_memory(program);
  fclose(file);
  free(r.place);
  *list = r.list;
  *count = r.count;
  return failed;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

// Takes the part along `unit`, a direction of length 1 with value `along`, out of `direction` and its value.
static void remove_part(int block, const double *unit, double along, double *direction, double *value) {
  double part = dot(block, unit, direction);
  for (int i = 0; i < block; ++i)
    direction[i] -= part * unit[i];
  *value -= part * along;
}

// Orthonormal directions with their values, by Gram-Schmidt, twice for accuracy; then x moves along each in turn.
static void impose_one(int block, const mus_constraint *constraint, double *x) {
  double unit[DIRECTIONS][DIRECTIONS], along[DIRECTIONS];
  int rank = 0;
  for (int k = 0; k < constraint->count; ++k) {
    double length = sqrt(dot(block, constraint->direction[k], constraint->direction[k]));
    if (!(length > 0))
      continue;
    for (int i = 0; i < block; ++i)
      unit[rank][i] = constraint->direction[k][i] / length;
    along[rank] = constraint->value[k] / length;
    for (int j = 0; j < 2 * rank; ++j)
      remove_part(block, unit[j % rank], along[j % rank], unit[rank], &along[rank]);
    length = sqrt(dot(block, unit[rank], unit[rank]));
    if (length < 1e-10)
      continue; // depends on the others
    for (int i = 0; i < block; ++i)
      unit[rank][i] /= length;
    along[rank++] /= length;
  }
  for (int k = 0; k < rank; ++k) {
    double missing = along[k] - dot(block, unit[k], x);
    for (int i = 0; i < block; ++i)
      x[i] += missing * unit[k][i];
  }
}

void fix_impose(int block, int count, const mus_constraint *list, double *x) {
  for (int k = 0; k < count; ++k)
    impose_one(block, &list[k], x + (size_t)list[k].node * (size_t)block);
}
