// TetGen's .node and .ele. See solid_file.h.
//
// Each begins with a line of counts; lines then have a number, from 0 or from 1 on, and their values.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

static mus_status line_number(const mus_numbers *n, const char *what, long long index, long long *first) {
  long long number;
  mus_status status = mus_numbers_whole(n, 4, what, &number);
  if (!status && index == 0 && number != 0 && number != 1)
    status = mus_scan_fail(n->s, MUS_BAD_INPUT, "%s begins at %lld: let it begin at 0 or 1", what, number);
  if (!status && index == 0)
    *first = number;
  if (!status && number != *first + index)
    status = mus_scan_fail(n->s, MUS_BAD_INPUT, "%s is %lld where %lld should be: check the lines before", what, number,
                           *first + index);
  return status;
}

// The counts of the first line; what is missing at its end is 0.
static mus_status read_head(const mus_numbers *n, int values, const char *what, long long value[4]) {
  mus_status status = mus_numbers_whole(n, 4, what, &value[0]);
  bool more = true;
  for (int k = 1; k < values && !status; ++k) {
    value[k] = 0;
    status = mus_scan_more(n->s, &more);
    if (!status && more)
      status = mus_scan_integer(n->s, what, &value[k]);
  }
  return status ? status : mus_solid_check_count(n->s, what, value[0]);
}

static mus_status read_nodes(mus_scanner *s, mus_solid_build *build) {
  static const char *const names[] = {"x", "y", "z"};
  mus_numbers n = {.s = s};
  long long head[4] = {0}, first = 0;
  mus_status status = read_head(&n, 4, "nodes", head);
  if (!status && head[1] != 3)
    return mus_scan_fail(s, MUS_BAD_INPUT, "nodes with %lld coordinates: give three", head[1]);
  for (long long i = 0; !status && i < head[0]; ++i) {
    double place[3];
    status = line_number(&n, "the number of a node", i, &first);
    for (int k = 0; k < 3 && !status; ++k)
      status = mus_scan_real(s, names[k], &place[k]);
    if (!status)
      status = mus_scan_skip_line(s);
    if (!status)
      status = mus_solid_add_node(build, first + i, place);
  }
  return status;
}

static mus_status read_element(mus_scanner *s, const long long head[4], mus_solid_build *build) {
  long long tag[4], other;
  double region = 0;
  mus_status status = MUS_OK;
  for (long long k = 0; k < head[1] && !status; ++k)
    status = mus_scan_integer(s, "a node of a tetrahedron", k < 4 ? &tag[k] : &other);
  if (!status && head[2] > 0)
    status = mus_scan_real(s, "the attribute of a tetrahedron", &region);
  if (!status)
    status = mus_scan_skip_line(s);
  return status ? status : mus_solid_add(build, tag, fabs(region) < 1e9 ? llround(region) : 0, 0);
}

static mus_status read_elements(mus_scanner *s, mus_solid_build *build) {
  mus_numbers n = {.s = s};
  long long head[4] = {0}, first = 0;
  mus_status status = read_head(&n, 3, "tetrahedra", head);
  if (!status && head[1] != 4 && head[1] != 10)
    return mus_scan_fail(s, MUS_BAD_INPUT, "tetrahedra of %lld nodes: give 4 or 10", head[1]);
  for (long long i = 0; !status && i < head[0]; ++i) {
    status = line_number(&n, "the number of a tetrahedron", i, &first);
    if (!status)
      status = read_element(s, head, build);
  }
  build->curved = head[1] == 10 ? (int)build->tetrahedron.count : 0;
  return status;
}

mus_status mus_tetgen_scan(mus_scanner *nodes, mus_scanner *elements, mus_arena *arena, mus_solid_file *out) {
  mus_solid_build build = {.s = elements};
  nodes->comment = elements->comment = '#';
  mus_status status = read_nodes(nodes, &build);
  if (!status)
    status = read_elements(elements, &build);
  if (!status)
    status = mus_solid_build_end(&build, arena, out);
  if (!status)
    out->format = "TetGen";
  mus_solid_build_free(&build);
  return status;
}

// --- two files -----------------------------------------------------------------------------------------------------

// "name.node" and "name.ele" from either, with .gz where that has it.
static mus_status name_both(mus_arena *scratch, const char *path, char *both[2]) {
  static const char *const ends[2] = {".node", ".ele"};
  size_t length = strlen(path), packed = length > 3 && strcmp(path + length - 3, ".gz") == 0 ? 3 : 0,
         base = length - packed;
  for (int k = 0; k < 2; ++k) {
    size_t end = strlen(ends[k]);
    if (base >= end && memcmp(path + base - end, ends[k], end) == 0) {
      base -= end;
      break;
    }
  }
  for (int k = 0; k < 2; ++k) {
    both[k] = mus_arena_alloc(scratch, base + 9, 1);
    if (!both[k])
      return mus_fail_memory();
    memcpy(both[k], path, base);
    strcpy(both[k] + base, ends[k]);
    strcat(both[k], packed ? ".gz" : "");
  }
  return MUS_OK;
}

mus_status mus_tetgen_read(const char *path, mus_arena *arena, mus_solid_file *out) {
  mus_arena scratch = {0};
  mus_scanner nodes, elements;
  char *both[2];
  mus_status status = name_both(&scratch, path, both);
  if (!status)
    status = mus_scan_open_file(&nodes, both[0]);
  if (!status) {
    status = mus_scan_open_file(&elements, both[1]);
    if (!status) {
      status = mus_tetgen_scan(&nodes, &elements, arena, out);
      mus_scan_close(&elements);
    }
    mus_scan_close(&nodes);
  }
  mus_arena_clear(&scratch);
  return status;
}

static void write_nodes(mus_output *out, const mus_tetrahedra *mesh) {
  mus_output_integer(out, mesh->vertices);
  mus_output_text(out, " 3 0 0\n");
  for (size_t v = 0; v < (size_t)mesh->vertices; ++v) {
    mus_output_integer(out, (long long)v);
    mus_output_place(out, mesh->position + 3 * v);
    mus_output_text(out, "\n");
  }
}

static void write_elements(mus_output *out, const mus_tetrahedra *mesh) {
  mus_output_integer(out, mesh->tetrahedra);
  mus_output_text(out, mesh->region ? " 4 1\n" : " 4 0\n");
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    mus_output_integer(out, (long long)t);
    mus_output_corners(out, mesh->corner + 4 * t, 0);
    if (mesh->region) {
      mus_output_text(out, " ");
      mus_output_integer(out, mesh->region[t]);
    }
    mus_output_text(out, "\n");
  }
}

mus_status mus_tetgen_write(const char *path, const mus_tetrahedra *mesh) {
  mus_arena scratch = {0};
  char *both[2];
  mus_status status = name_both(&scratch, path, both);
  for (int k = 0; k < 2 && !status; ++k) {
    mus_output out;
    status = mus_output_open(&out, both[k]);
    if (!status)
      (k == 0 ? write_nodes : write_elements)(&out, mesh);
    status = mus_output_close(&out, status);
  }
  mus_arena_clear(&scratch);
  return status;
}
