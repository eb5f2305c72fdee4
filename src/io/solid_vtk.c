// Legacy VTK files of unstructured grids. See solid_file.h.
//
// Three lines (version, title, ASCII or BINARY), then POINTS, CELLS and CELL_TYPES. Up to version 4, CELLS holds for
// each cell the number of its points and these; from version 5 on, it holds the places in a list where cells begin, and
// that list. Binary numbers have their most significant byte first.
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

typedef struct reader {
  mus_numbers n;
  mus_solid_build build;
  long long points, cells;
  int version;
  mus_list start;  // long long: where each cell begins in `point`, and where the last ends
  mus_list point;  // long long
  mus_list type;   // long long
  mus_list region; // long long
} reader;

enum { WORD = 64, TETRAHEDRON = 10, TETRAHEDRON_10 = 24 };

static mus_status keep(mus_list *list, long long value) {
  long long *item = mus_list_add(list, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = value;
  return MUS_OK;
}

static long long at(const mus_list *list, size_t i) { return ((const long long *)list->items)[i]; }

// --- the head ------------------------------------------------------------------------------------------------------

static mus_status read_head(reader *r) {
  char word[WORD] = "";
  mus_scanner *s = r->n.s;
  mus_status status = MUS_OK;
  for (int k = 0; k < 5 && !status; ++k) // "# vtk DataFile Version 3.0"
    status = mus_scan_word(s, sizeof word, word);
  r->version = isdigit((unsigned char)word[0]) ? word[0] - '0' : 0;
  if (!status && (r->version < 1 || r->version > 5))
    return mus_scan_fail(s, MUS_BAD_INPUT, "'%s' is not a version that is read: save the file as version 3.0", word);
  for (int k = 0; k < 2 && !status; ++k) { // the rest of this line, and the title
    status = mus_scan_skip_line(s);
    if (!status)
      status = mus_scan_newline(s);
  }
  if (!status)
    status = mus_numbers_word(&r->n, sizeof word, word);
  if (!status && strcmp(word, "ASCII") != 0 && strcmp(word, "BINARY") != 0)
    return mus_scan_fail(s, MUS_BAD_INPUT, "'%s' stands where ASCII or BINARY should be: correct it", word);
  int binary = word[0] == 'B';
  for (int k = 0; k < 2 && !status; ++k)
    status = mus_numbers_word(&r->n, sizeof word, word);
  if (!status && strcmp(word, "UNSTRUCTURED_GRID") != 0)
    return mus_scan_fail(s, MUS_BAD_INPUT, "'%s' is not a dataset of tetrahedra: give an UNSTRUCTURED_GRID", word);
  r->n.binary = binary;
  r->n.big = 1;
  return status;
}

// --- sections ------------------------------------------------------------------------------------------------------

// The type's size in bytes, negative for reals; 0 where it is none that is read.
static int type_bytes(const char *word) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {{"float", -4}, {"double", -8}, {"int", 4}, {"long", 8}, {"vtktypeint32", 4}, {"vtktypeint64", 8}};
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
    if (strcmp(word, types[k].name) == 0)
      return types[k].bytes;
  return 0;
}

static mus_status begin_numbers(const reader *r) { return r->n.binary ? mus_scan_newline(r->n.s) : MUS_OK; }

static mus_status read_count(reader *r, const char *what, long long *count) {
  mus_status status = mus_scan_integer(r->n.s, what, count);
  return status ? status : mus_solid_check_count(r->n.s, what, *count);
}

static mus_status read_points(reader *r) {
  char type[WORD];
  mus_status status = read_count(r, "points", &r->points);
  if (!status)
    status = mus_scan_lower_word(r->n.s, sizeof type, type);
  int bytes = status ? 0 : type_bytes(type);
  if (!status && bytes >= 0)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "points of type '%s': give float or double", type);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; i < r->points && !status; ++i) {
    double place[3];
    for (int k = 0; k < 3 && !status; ++k)
      status = mus_numbers_real(&r->n, -bytes, "a coordinate", &place[k]);
    if (!status)
      status = mus_solid_add_node(&r->build, i, place);
  }
  return status;
}

static mus_status fail_cell(const reader *r, long long points) {
  return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "cell %zu has %lld points, which is more than there are left: correct it",
                       r->start.count - 1, points);
}

static mus_status read_cells_4(reader *r, long long size) {
  mus_status status = begin_numbers(r);
  if (!status)
    status = keep(&r->start, 0);
  for (long long i = 0; i < r->cells && !status; ++i) {
    long long points, point;
    status = mus_numbers_whole(&r->n, 4, "the number of points of a cell", &points);
    if (!status && (points < 0 || points > size - (long long)r->point.count - i - 1))
      return fail_cell(r, points);
    for (long long k = 0; !status && k < points; ++k) {
      status = mus_numbers_whole(&r->n, 4, "a point of a cell", &point);
      if (!status)
        status = keep(&r->point, point);
    }
    if (!status)
      status = keep(&r->start, (long long)r->point.count);
  }
  return status;
}

static mus_status read_list(reader *r, const char *name, long long count, mus_list *list) {
  char word[WORD];
  long long value;
  mus_status status = mus_numbers_word(&r->n, sizeof word, word);
  if (!status && strcmp(word, name) != 0)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "'%s' stands where %s should be: correct it", word, name);
  if (!status)
    status = mus_scan_lower_word(r->n.s, sizeof word, word);
  int bytes = status ? 0 : type_bytes(word);
  if (!status && bytes <= 0)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%s of type '%s': give vtktypeint64", name, word);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; i < count && !status; ++i) {
    status = mus_numbers_whole(&r->n, bytes, name, &value);
    if (!status)
      status = keep(list, value);
  }
  return status;
}

static mus_status read_cells_5(reader *r, long long size) {
  mus_status status = read_list(r, "OFFSETS", r->cells, &r->start);
  if (!status)
    status = read_list(r, "CONNECTIVITY", size, &r->point);
  for (size_t i = 0; i < r->start.count && !status; ++i)
    if (at(&r->start, i) < (i > 0 ? at(&r->start, i - 1) : 0) || at(&r->start, i) > size)
      return mus_scan_fail(r->n.s, MUS_BAD_INPUT,
                           "offset %zu is %lld, which is not between that before and %lld: correct it", i,
                           at(&r->start, i), size);
  r->cells = r->cells > 0 ? r->cells - 1 : 0; // offsets are one more
  return status;
}

static mus_status read_cells(reader *r) {
  long long size;
  if (r->start.count > 0)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "CELLS are there twice: leave one out");
  mus_status status = read_count(r, "cells", &r->cells);
  if (!status)
    status = mus_scan_integer(r->n.s, "the size of the cells", &size);
  if (!status && (size < 0 || size > 64LL * MUS_TETRAHEDRA_MAXIMUM))
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "cells of %lld numbers: give a size that a mesh can have", size);
  if (status)
    return status;
  return r->version < 5 ? read_cells_4(r, size) : read_cells_5(r, size);
}

static mus_status read_types(reader *r) {
  long long count, type;
  mus_status status = read_count(r, "types of cells", &count);
  if (!status && count != r->cells)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%lld types for %lld cells: give one for each", count, r->cells);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; i < count && !status; ++i) {
    status = mus_numbers_whole(&r->n, 4, "the type of a cell", &type);
    if (!status)
      status = keep(&r->type, type);
  }
  return status;
}

// SCALARS name type [1], LOOKUP_TABLE name, numbers; whole ones are regions.
static mus_status read_regions(reader *r) {
  char word[WORD];
  long long value, components = 1;
  bool more;
  mus_status status = mus_scan_word(r->n.s, sizeof word, word);
  if (!status)
    status = mus_scan_lower_word(r->n.s, sizeof word, word);
  int bytes = status ? 0 : type_bytes(word);
  if (!status)
    status = mus_scan_more(r->n.s, &more);
  if (!status && more)
    status = mus_scan_integer(r->n.s, "the number of components", &components);
  if (!status)
    status = mus_numbers_word(&r->n, sizeof word, word);
  if (!status && (bytes <= 0 || components != 1 || strcmp(word, "LOOKUP_TABLE") != 0))
    return MUS_OK; // something else
  if (!status)
    status = mus_scan_word(r->n.s, sizeof word, word);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; i < r->cells && !status; ++i) {
    status = mus_numbers_whole(&r->n, bytes, "a region", &value);
    if (!status)
      status = keep(&r->region, value);
  }
  return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status take_cells(reader *r) {
  if (r->type.count == 0)
    return mus_fail(MUS_BAD_INPUT, "%s: there are no cells with types: give POINTS, CELLS and CELL_TYPES",
                    r->n.s->name);
  for (size_t i = 0; i < r->type.count; ++i) {
    long long type = at(&r->type, i), first = at(&r->start, i), points = at(&r->start, i + 1) - first, tag[4];
    if (type != TETRAHEDRON && type != TETRAHEDRON_10) {
      ++r->build.others;
      continue;
    }
    if (points != (type == TETRAHEDRON ? 4 : 10))
      return mus_fail(MUS_BAD_INPUT, "%s: cell %zu is a tetrahedron of %lld points: correct it", r->n.s->name, i,
                      points);
    for (size_t k = 0; k < 4; ++k)
      tag[k] = at(&r->point, (size_t)first + k);
    r->build.curved += type == TETRAHEDRON_10;
    mus_status status = mus_solid_add(&r->build, tag, r->region.count > 0 ? at(&r->region, i) : 0, 1);
    if (status)
      return status;
  }
  return MUS_OK;
}

// What follows the cells' data, or is something else, ends the reading: binary data that is not known has no end.
static mus_status read_sections(reader *r) {
  char word[WORD];
  for (int data = 0;;) {
    mus_status status = mus_numbers_word(&r->n, sizeof word, word);
    if (!status && strcmp(word, "POINTS") == 0 && r->build.node.count == 0)
      status = read_points(r);
    else if (!status && strcmp(word, "CELLS") == 0)
      status = read_cells(r);
    else if (!status && strcmp(word, "CELL_TYPES") == 0 && r->type.count == 0)
      status = read_types(r);
    else if (!status && strcmp(word, "CELL_DATA") == 0) {
      data = 1;
      status = mus_scan_skip_line(r->n.s);
    } else if (!status && strcmp(word, "SCALARS") == 0 && data)
      return read_regions(r);
    else
      return status;
    if (status)
      return status;
  }
}

mus_status mus_vtk_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out) {
  reader r = {.n = {.s = s}, .build = {.s = s}};
  mus_status status = read_head(&r);
  if (!status)
    status = read_sections(&r);
  if (!status)
    status = take_cells(&r);
  if (!status)
    status = mus_solid_build_end(&r.build, arena, out);
  if (!status)
    out->format = r.n.binary ? "legacy VTK, binary" : "legacy VTK, text";
  mus_solid_build_free(&r.build);
  mus_free(r.start.items);
  mus_free(r.point.items);
  mus_free(r.type.items);
  mus_free(r.region.items);
  return status;
}

// --- writing -------------------------------------------------------------------------------------------------------

typedef struct writer {
  mus_output *out;
  int binary;
} writer;

static void put(const writer *w, long long value, const char *after) {
  if (w->binary) {
    mus_output_whole_bytes(w->out, 4, 1, value);
    return;
  }
  mus_output_integer(w->out, value);
  mus_output_text(w->out, after);
}

static void put_head(const writer *w, const char *keyword, long long count, const char *after) {
  mus_output_text(w->out, keyword);
  mus_output_integer(w->out, count);
  mus_output_text(w->out, after);
}

static void put_regions(const writer *w, const mus_tetrahedra *mesh) {
  if (!mesh->region)
    return;
  put_head(w, w->binary ? "\nCELL_DATA " : "CELL_DATA ", mesh->tetrahedra,
           "\nSCALARS region int 1\nLOOKUP_TABLE default\n");
  for (int t = 0; t < mesh->tetrahedra; ++t)
    put(w, mesh->region[t], "\n");
}

void mus_vtk_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary) {
  writer w = {out, binary};
  const char *break_line = binary ? "\n" : "";
  put_head(&w, "# vtk DataFile Version ", version, ".0\ntetrahedra\n");
  mus_output_text(out, binary ? "BINARY\n" : "ASCII\n");
  put_head(&w, "DATASET UNSTRUCTURED_GRID\nPOINTS ", mesh->vertices, " double\n");
  for (size_t i = 0; i < (size_t)mesh->vertices * 3; ++i)
    if (binary)
      mus_output_real_bytes(out, 1, mesh->position[i]);
    else {
      mus_output_real(out, mesh->position[i]);
      mus_output_text(out, i % 3 < 2 ? " " : "\n");
    }
  mus_output_text(out, break_line);
  put_head(&w, "CELLS ", mesh->tetrahedra, " ");
  put_head(&w, "", 5LL * mesh->tetrahedra, "\n");
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    put(&w, 4, " ");
    for (size_t k = 0; k < 4; ++k)
      put(&w, mesh->corner[4 * t + k], k < 3 ? " " : "\n");
  }
  mus_output_text(out, break_line);
  put_head(&w, "CELL_TYPES ", mesh->tetrahedra, "\n");
  for (int t = 0; t < mesh->tetrahedra; ++t)
    put(&w, TETRAHEDRON, "\n");
  put_regions(&w, mesh);
  mus_output_text(out, break_line);
}
