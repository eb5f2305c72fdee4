// PLY. See ply.h.
#include "io/ply.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "io/polygons.h"
#include "io/textures.h"

// --- types ---------------------------------------------------------------------------------------------------------

typedef enum number_kind { SIGNED, UNSIGNED, REAL } number_kind;

static const struct {
  const char *name, *other_name;
  int size; // bytes
  number_kind kind;
} TYPES[] = {
    {"char", "int8", 1, SIGNED},       {"uchar", "uint8", 1, UNSIGNED}, {"short", "int16", 2, SIGNED},
    {"ushort", "uint16", 2, UNSIGNED}, {"int", "int32", 4, SIGNED},     {"uint", "uint32", 4, UNSIGNED},
    {"float", "float32", 4, REAL},     {"double", "float64", 8, REAL},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES, NO_LIST = -1 };

// What a property is to us.
typedef enum role { X, Y, Z, S, T, CORNERS, TEXTURES, SKIPPED } role;

static const struct {
  const char *element, *property;
  bool is_list;
  role role;
} ROLES[] = {
    {"vertex", "x", false, X},
    {"vertex", "y", false, Y},
    {"vertex", "z", false, Z},
    {"vertex", "s", false, S},
    {"vertex", "u", false, S},
    {"vertex", "texture_s", false, S},
    {"vertex", "texture_u", false, S},
    {"vertex", "t", false, T},
    {"vertex", "v", false, T},
    {"vertex", "texture_t", false, T},
    {"vertex", "texture_v", false, T},
    {"face", "vertex_indices", true, CORNERS},
    {"face", "vertex_index", true, CORNERS},
    {"face", "texcoord", true, TEXTURES},
};

enum { NAME = MUS_GROUP_NAME };

typedef struct property {
  int count_type; // of a list, or NO_LIST
  int type;
  role role;
  char name[NAME];
} property;

typedef struct element {
  char name[NAME];
  long long count;
  size_t first, properties; // among all properties
  unsigned roles;           // a bit for each that it has
} element;

typedef struct reader {
  mus_scanner *s;
  mus_ply_format format;
  bool has_format;
  mus_list element;        // element
  mus_list property;       // property
  mus_list vertex_texture; // two double a vertex
  mus_list face_texture;   // double, of the face that is being read
  int face_corners;        // of that face
  const element *now;      // the element that is being read ...
  long long number;        // ... and its number
  mus_polygons polygons;
  int skipped;
  char first_skipped[NAME];
} reader;

static bool has_role(const element *e, role which) { return (e->roles & (1u << which)) != 0; }

// --- the header ----------------------------------------------------------------------------------------------------

mus_status mus_ply_recognise(mus_scanner *scanner, bool *is_ply) {
  const char *word;
  size_t length;
  mus_status status = mus_scan_peek(scanner, &word, &length);
  *is_ply = status == MUS_OK && length == 3 && memcmp(word, "ply", 3) == 0;
  return status;
}

static void skip_name(reader *r, const char *name) {
  if (r->skipped++ == 0)
    snprintf(r->first_skipped, sizeof r->first_skipped, "%s", name);
}

static mus_status read_format(reader *r) {
  static const char *const names[] = {
      [MUS_PLY_TEXT] = "ascii", [MUS_PLY_LITTLE] = "binary_little_endian", [MUS_PLY_BIG] = "binary_big_endian"};
  char word[NAME];
  mus_status status = mus_scan_lower_word(r->s, sizeof word, word);
  if (status != MUS_OK)
    return status;
  for (int k = 0; k < 3; ++k)
    if (strcmp(word, names[k]) == 0) {
      r->format = (mus_ply_format)k;
      r->has_format = true;
      return MUS_OK;
    }
  return mus_scan_fail(r->s, MUS_BAD_INPUT,
                       "'%.32s' is not a format: write ascii, binary_little_endian or binary_big_endian", word);
}

static mus_status read_element_line(reader *r) {
  element *e = mus_list_add(&r->element, sizeof *e);
  if (!e)
    return mus_fail_memory();
  *e = (element){.first = r->property.count};
  mus_status status = mus_scan_lower_word(r->s, sizeof e->name, e->name);
  if (status == MUS_OK)
    status = mus_scan_integer(r->s, "the number of elements", &e->count);
  if (status == MUS_OK && e->count < 0)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "%lld elements: give a non-negative number", e->count);
  for (size_t k = 0; status == MUS_OK && k + 1 < r->element.count; ++k)
    if (strcmp(((element *)r->element.items)[k].name, e->name) == 0)
      return mus_scan_fail(r->s, MUS_BAD_INPUT, "element '%.32s' is declared twice: leave one out", e->name);
  if (status == MUS_OK && strcmp(e->name, "vertex") != 0 && strcmp(e->name, "face") != 0)
    skip_name(r, e->name);
  return status;
}

static mus_status read_type(reader *r, const char *word, int *type) {
  for (int k = 0; k < TYPE_COUNT; ++k)
    if (strcmp(word, TYPES[k].name) == 0 || strcmp(word, TYPES[k].other_name) == 0) {
      *type = k;
      return MUS_OK;
    }
  return mus_scan_fail(r->s, MUS_BAD_INPUT,
                       "'%.32s' is not a type: write char, uchar, short, ushort, int, uint, float or double", word);
}

static mus_status read_types(reader *r, property *p) {
  char word[NAME];
  mus_status status = mus_scan_lower_word(r->s, sizeof word, word);
  p->count_type = NO_LIST;
  if (status == MUS_OK && strcmp(word, "list") == 0) {
    status = mus_scan_lower_word(r->s, sizeof word, word);
    if (status == MUS_OK)
      status = read_type(r, word, &p->count_type);
    if (status == MUS_OK)
      status = mus_scan_lower_word(r->s, sizeof word, word);
    if (status == MUS_OK && TYPES[p->count_type].kind == REAL)
      return mus_scan_fail(r->s, MUS_BAD_INPUT, "the length of a list is a %s: it must be a whole number",
                           TYPES[p->count_type].name);
  }
  return status == MUS_OK ? read_type(r, word, &p->type) : status;
}

static mus_status read_property_line(reader *r) {
  if (r->element.count == 0)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "a property before the first element: declare the element first");
  element *e = (element *)r->element.items + (r->element.count - 1);
  property p = {.role = SKIPPED};
  mus_status status = read_types(r, &p);
  if (status == MUS_OK)
    status = mus_scan_lower_word(r->s, sizeof p.name, p.name);
  if (status != MUS_OK)
    return status;
  if (p.name[0] == '\0')
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "a property without a name: complete the line");
  for (size_t k = 0; k < sizeof ROLES / sizeof *ROLES; ++k)
    if (strcmp(e->name, ROLES[k].element) == 0 && strcmp(p.name, ROLES[k].property) == 0 &&
        ROLES[k].is_list == (p.count_type != NO_LIST) && !has_role(e, ROLES[k].role))
      p.role = ROLES[k].role;
  if (p.role == SKIPPED)
    skip_name(r, p.name);
  e->roles |= 1u << p.role;
  ++e->properties;
  property *added = mus_list_add(&r->property, sizeof *added);
  if (!added)
    return mus_fail_memory();
  *added = p;
  return MUS_OK;
}

static mus_status read_header_line(reader *r, bool *ended) {
  char word[NAME];
  mus_status status = mus_scan_lower_word(r->s, sizeof word, word);
  if (status != MUS_OK)
    return status;
  *ended = strcmp(word, "end_header") == 0;
  if (*ended)
    return mus_scan_newline(r->s);
  if (strcmp(word, "format") == 0)
    status = read_format(r);
  else if (strcmp(word, "element") == 0)
    status = read_element_line(r);
  else if (strcmp(word, "property") == 0)
    status = read_property_line(r);
  else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "'%.32s' does not belong in a header: check that it ends with end_header",
                         word);
  return status == MUS_OK ? mus_scan_skip_line(r->s) : status;
}

static mus_status check_header(const reader *r) {
  const element *e = r->element.items;
  bool vertices = false, faces = false;
  for (size_t k = 0; k < r->element.count; ++k) {
    vertices |= strcmp(e[k].name, "vertex") == 0 && has_role(&e[k], X) && has_role(&e[k], Y) && has_role(&e[k], Z);
    faces |= strcmp(e[k].name, "face") == 0 && has_role(&e[k], CORNERS);
  }
  if (!r->has_format)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "the header has no format line: add 'format ascii 1.0' or the like");
  if (!vertices)
    return mus_scan_fail(r->s, MUS_BAD_INPUT,
                         "there is no 'vertex' element with x, y and z: check that this is a mesh");
  if (!faces)
    return mus_scan_fail(r->s, MUS_BAD_INPUT,
                         "there is no 'face' element with a list vertex_indices: write the mesh with plain faces");
  return MUS_OK;
}

static mus_status read_header(reader *r) {
  char word[NAME];
  mus_status status = mus_scan_lower_word(r->s, sizeof word, word); // "ply", as has been seen
  if (status == MUS_OK)
    status = mus_scan_skip_line(r->s);
  for (bool ended = false; status == MUS_OK && !ended;) {
    bool found;
    status = mus_scan_next(r->s, &found);
    if (status == MUS_OK && !found)
      return mus_scan_fail(r->s, MUS_BAD_INPUT, "the file ends in its header: it is truncated");
    if (status == MUS_OK)
      status = read_header_line(r, &ended);
  }
  return status == MUS_OK ? check_header(r) : status;
}

// --- numbers -------------------------------------------------------------------------------------------------------

// Lines mean nothing in binary files.
static mus_status fail_element(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static mus_status fail_element(const reader *r, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (r->format == MUS_PLY_TEXT)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "%s", text);
  return mus_fail(MUS_BAD_INPUT, "%s: %s %lld: %s", r->s->name, r->now->name, r->number, text);
}

static double decode(int type, mus_ply_format format, const unsigned char *bytes) {
  uint64_t bits = 0;
  int size = TYPES[type].size;
  for (int k = 0; k < size; ++k)
    bits = bits << 8 | bytes[format == MUS_PLY_BIG ? k : size - 1 - k];
  if (TYPES[type].kind == UNSIGNED)
    return (double)bits;
  if (TYPES[type].kind == SIGNED) {
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
  }
  if (size == 8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  uint32_t half = (uint32_t)bits;
  float value;
  memcpy(&value, &half, sizeof value);
  return (double)value;
}

static mus_status read_number(reader *r, int type, const char *what, double *value) {
  if (r->format == MUS_PLY_TEXT) {
    bool found;
    mus_status status = mus_scan_next(r->s, &found);
    return status == MUS_OK ? mus_scan_real(r->s, what, value) : status;
  }
  const unsigned char *bytes;
  mus_status status = mus_scan_bytes(r->s, (size_t)TYPES[type].size, what, &bytes);
  if (status != MUS_OK)
    return status;
  *value = decode(type, r->format, bytes);
  return isfinite(*value) ? MUS_OK
                          : fail_element(r, "%s is not a finite number: check the program that wrote it", what);
}

static mus_status read_whole(reader *r, int type, const char *what, int *value) {
  double number;
  mus_status status = read_number(r, type, what, &number);
  if (status != MUS_OK)
    return status;
  if (!(number >= 0 && number <= INT_MAX) || number != (double)(int)number)
    return fail_element(r, "%g for %s is not a whole number from 0 to %d: correct it", number, what, INT_MAX);
  *value = (int)number;
  return MUS_OK;
}

// Leaves `count` numbers, whatever they are.
static mus_status skip_numbers(reader *r, int type, int count) {
  const unsigned char *bytes;
  size_t size = (size_t)TYPES[type].size, left = (size_t)count;
  mus_status status = MUS_OK;
  while (left > 0 && status == MUS_OK) {
    if (r->format == MUS_PLY_TEXT) {
      const char *word;
      size_t length = 0;
      bool found;
      status = mus_scan_next(r->s, &found);
      if (status == MUS_OK)
        status = mus_scan_peek(r->s, &word, &length);
      if (status == MUS_OK && length == 0)
        return mus_scan_fail_word(r->s, "a property", "a number");
      mus_scan_take(r->s, length);
      --left;
    } else {
      size_t part = left < MUS_SCAN_WORD / size ? left : MUS_SCAN_WORD / size;
      status = mus_scan_bytes(r->s, part * size, "a property", &bytes);
      left -= part;
    }
  }
  return status;
}

// --- elements ------------------------------------------------------------------------------------------------------

static mus_status read_corners(reader *r, const property *p, int count) {
  for (int k = 0; k < count; ++k) {
    int vertex = 0;
    mus_status status = read_whole(r, p->type, "a corner", &vertex);
    if (status == MUS_OK)
      status = mus_polygons_add_corner(&r->polygons, vertex, -1);
    if (status != MUS_OK)
      return status;
  }
  r->face_corners = count;
  return MUS_OK;
}

static mus_status read_face_texture(reader *r, const property *p, int count) {
  r->face_texture.count = 0;
  for (int k = 0; k < count; ++k) {
    double number;
    mus_status status = read_number(r, p->type, "a texture coordinate", &number);
    if (status != MUS_OK)
      return status;
    double *added = mus_list_add(&r->face_texture, sizeof *added);
    if (!added)
      return mus_fail_memory();
    *added = number;
  }
  return MUS_OK;
}

static mus_status read_property(reader *r, const property *p, double *vertex) {
  int count = 1;
  if (p->count_type != NO_LIST) {
    mus_status status = read_whole(r, p->count_type, "the length of a list", &count);
    if (status != MUS_OK)
      return status;
  }
  switch (p->role) {
  case CORNERS:
    return read_corners(r, p, count);
  case TEXTURES:
    return read_face_texture(r, p, count);
  case SKIPPED:
    return skip_numbers(r, p->type, count);
  default:
    return read_number(r, p->type, p->name, &vertex[p->role]);
  }
}

static mus_status end_vertex(reader *r, const double *vertex) {
  mus_status status = mus_polygons_add_position(&r->polygons, vertex);
  if (status != MUS_OK || !has_role(r->now, S) || !has_role(r->now, T))
    return status;
  double *uv = mus_list_add(&r->vertex_texture, 2 * sizeof *uv);
  if (!uv)
    return mus_fail_memory();
  uv[0] = vertex[S];
  uv[1] = vertex[T];
  return MUS_OK;
}

// Gives the face's corners their texture coordinates, which may have come before or after them.
static mus_status end_face(reader *r, long long place) {
  size_t corners = (size_t)r->face_corners, numbers = r->face_texture.count;
  if (numbers != 0 && numbers != 2 * corners)
    return fail_element(r, "%zu texture coordinates for %zu corners: give two for each, or none", numbers, corners);
  mus_corner *corner = r->polygons.corner.items;
  for (size_t k = 0; k < numbers / 2; ++k) {
    corner[r->polygons.corner.count - corners + k].texture = (int)r->polygons.texture.count;
    mus_status status = mus_polygons_add_texture(&r->polygons, (const double *)r->face_texture.items + 2 * k);
    if (status != MUS_OK)
      return status;
  }
  return mus_polygons_add_face(&r->polygons, r->face_corners, place, "");
}

static mus_status read_element(reader *r, bool is_vertex, bool is_face) {
  const property *p = (const property *)r->property.items + r->now->first;
  double vertex[SKIPPED] = {0};
  r->face_corners = 0;
  r->face_texture.count = 0;
  bool found;
  mus_status status = r->format == MUS_PLY_TEXT ? mus_scan_next(r->s, &found) : MUS_OK;
  long long place = r->format == MUS_PLY_TEXT ? r->s->line : r->number;
  for (size_t k = 0; k < r->now->properties && status == MUS_OK; ++k)
    status = read_property(r, &p[k], vertex);
  if (status == MUS_OK && is_vertex)
    status = end_vertex(r, vertex);
  if (status == MUS_OK && is_face)
    status = end_face(r, place);
  return status;
}

// An element without properties takes no bytes in the file, and there may be any number of it.
static mus_status read_elements(reader *r) {
  for (size_t k = 0; k < r->element.count; ++k) {
    r->now = (const element *)r->element.items + k;
    bool is_vertex = strcmp(r->now->name, "vertex") == 0, is_face = strcmp(r->now->name, "face") == 0;
    for (r->number = 0; r->number < r->now->count && r->now->properties > 0; ++r->number) {
      mus_status status = read_element(r, is_vertex, is_face);
      if (status != MUS_OK)
        return status;
    }
  }
  return MUS_OK;
}

// Texture coordinates of vertices are used where no face has its own.
static void use_vertex_texture(reader *r) {
  if (r->polygons.texture.count > 0 || r->vertex_texture.count == 0)
    return;
  mus_list empty = r->polygons.texture;
  r->polygons.texture = r->vertex_texture;
  r->vertex_texture = empty;
  mus_corner *corner = r->polygons.corner.items;
  for (size_t k = 0; k < r->polygons.corner.count; ++k)
    corner[k].texture = corner[k].vertex;
}

mus_status mus_ply_scan(mus_scanner *scanner, mus_arena *arena, mus_mesh_file *out) {
  reader r = {.s = scanner, .polygons = {.scanner = scanner}};
  mus_mesh_file file = {0};
  mus_status status = read_header(&r);
  r.polygons.has_lines = r.format == MUS_PLY_TEXT;
  if (status == MUS_OK)
    status = read_elements(&r);
  if (status == MUS_OK) {
    use_vertex_texture(&r);
    status = mus_polygons_build(&r.polygons, arena, &file);
  }
  if (status == MUS_OK) {
    file.skipped = r.skipped;
    memcpy(file.first_skipped, r.first_skipped, sizeof file.first_skipped);
    *out = file;
  }
  mus_polygons_free(&r.polygons);
  mus_free(r.element.items);
  mus_free(r.property.items);
  mus_free(r.vertex_texture.items);
  mus_free(r.face_texture.items);
  return status;
}

// --- writing -------------------------------------------------------------------------------------------------------

typedef struct writer {
  mus_output out;
  mus_ply_format format;
  const char *separator; // before the next number of a line of text
} writer;

static void write_bits(writer *w, uint64_t bits, int size) {
  unsigned char bytes[8];
  for (int k = 0; k < size; ++k)
    bytes[k] = (unsigned char)(bits >> 8 * (w->format == MUS_PLY_BIG ? size - 1 - k : k));
  mus_output_bytes(&w->out, bytes, (size_t)size);
}

static void write_whole(writer *w, int value, int size) {
  if (w->format != MUS_PLY_TEXT) {
    write_bits(w, (uint64_t)value, size);
    return;
  }
  mus_output_text(&w->out, w->separator);
  mus_output_integer(&w->out, value);
  w->separator = " ";
}

static void write_reals(writer *w, int count, const double *value) {
  for (int k = 0; k < count; ++k) {
    if (w->format == MUS_PLY_TEXT) {
      mus_output_text(&w->out, w->separator);
      mus_output_real(&w->out, value[k]);
      w->separator = " ";
    } else {
      uint64_t bits;
      memcpy(&bits, &value[k], sizeof bits);
      write_bits(w, bits, 8);
    }
  }
}

static void end_line(writer *w) {
  if (w->format == MUS_PLY_TEXT)
    mus_output_text(&w->out, "\n");
  w->separator = "";
}

static void write_header(writer *w, const mus_mesh *mesh, bool vertex_texture, bool face_texture) {
  static const char *const formats[] = {
      [MUS_PLY_TEXT] = "ascii", [MUS_PLY_LITTLE] = "binary_little_endian", [MUS_PLY_BIG] = "binary_big_endian"};
  mus_output_text(&w->out, "ply\nformat ");
  mus_output_text(&w->out, formats[w->format]);
  mus_output_text(&w->out, " 1.0\nelement vertex ");
  mus_output_integer(&w->out, mesh->vertices);
  mus_output_text(&w->out, "\nproperty double x\nproperty double y\nproperty double z\n");
  if (vertex_texture)
    mus_output_text(&w->out, "property double s\nproperty double t\n");
  mus_output_text(&w->out, "element face ");
  mus_output_integer(&w->out, mesh->triangles);
  mus_output_text(&w->out, "\nproperty list uchar int vertex_indices\n");
  if (face_texture)
    mus_output_text(&w->out, "property list uchar double texcoord\n");
  mus_output_text(&w->out, "end_header\n");
}

// `texture_of` has the coordinates of every vertex, or is NULL.
static void write_elements(writer *w, const mus_mesh *mesh, const double *texture_of, bool face_texture) {
  for (int v = 0; v < mesh->vertices; ++v) {
    write_reals(w, 3, mesh->position + (size_t)v * 3);
    if (texture_of)
      write_reals(w, 2, texture_of + (size_t)v * 2);
    end_line(w);
  }
  for (int t = 0; t < mesh->triangles; ++t) {
    write_whole(w, 3, 1);
    for (int k = 0; k < 3; ++k)
      write_whole(w, mesh->triangle[(size_t)t * 3 + (size_t)k], 4);
    if (face_texture) {
      write_whole(w, 6, 1);
      write_reals(w, 6, mesh->material + (size_t)t * 6);
    }
    end_line(w);
  }
}

mus_status mus_ply_write(const char *path, const mus_mesh_file *file, mus_ply_format format) {
  const mus_mesh *mesh = &file->mesh;
  mus_arena arena = {0};
  mus_textures textures = {0};
  double *texture_of = NULL;
  mus_status status = mus_mesh_file_check(path, file);
  if (status == MUS_OK && mesh->material)
    status = mus_textures_list(&arena, mesh, &textures);
  if (status == MUS_OK && mesh->material && !textures.seams) {
    texture_of = mus_arena_alloc_zero(&arena, (size_t)mesh->vertices * 2, sizeof *texture_of);
    if (!texture_of)
      status = mus_fail_memory();
    for (size_t i = 0; texture_of && i < (size_t)mesh->triangles * 3; ++i)
      memcpy(texture_of + (size_t)mesh->triangle[i] * 2, mesh->material + i * 2, 2 * sizeof *texture_of);
  }
  if (status == MUS_OK) {
    writer w = {.format = format, .separator = ""};
    status = mus_output_open(&w.out, path);
    write_header(&w, mesh, texture_of != NULL, textures.seams);
    write_elements(&w, mesh, texture_of, textures.seams);
    status = mus_output_close(&w.out, status);
  }
  mus_arena_clear(&arena);
  return status;
}
