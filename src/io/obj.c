// Wavefront OBJ. See obj.h.
#include "io/obj.h"

#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "io/polygons.h"
#include "io/textures.h"

// --- reading -------------------------------------------------------------------------------------------------------

typedef struct stitch_line {
  mus_stitch stitch;
  long long line;
} stitch_line;

typedef struct reader {
  mus_scanner *s;
  mus_polygons polygons;
  mus_list stitch; // stitch_line
  char group[MUS_GROUP_NAME];
  int skipped;
  char first_skipped[MUS_GROUP_NAME];
} reader;

static mus_status read_vertex(reader *r) {
  static const char *const names[] = {"x", "y", "z"};
  double p[3];
  for (int c = 0; c < 3; ++c) {
    mus_status status = mus_scan_real(r->s, names[c], &p[c]);
    if (status != MUS_OK)
      return status;
  }
  return mus_polygons_add_position(&r->polygons, p);
}

static mus_status read_texture(reader *r) {
  double uv[2] = {0, 0};
  bool more;
  mus_status status = mus_scan_real(r->s, "u", &uv[0]);
  if (status == MUS_OK)
    status = mus_scan_more(r->s, &more);
  if (status == MUS_OK && more)
    status = mus_scan_real(r->s, "v", &uv[1]);
  return status == MUS_OK ? mus_polygons_add_texture(&r->polygons, uv) : status;
}

// A whole number at `p`; answers where it ends, or NULL. What is too large for any mesh stays too large.
static const char *parse_number(const char *p, long long *value) {
  int negative = *p == '-';
  p += negative;
  const char *first = p;
  long long sum = 0;
  for (; *p >= '0' && *p <= '9'; ++p)
    sum = sum > MUS_MESH_MAXIMUM ? sum : sum * 10 + (*p - '0');
  *value = negative ? -sum : sum;
  return p == first ? NULL : p;
}

// A slash and a number, either of which may be missing: 0 then. NULL goes through.
static const char *parse_slash(const char *p, long long *value) {
  *value = 0;
  if (!p || *p != '/')
    return p;
  return p[1] == '-' || (p[1] >= '0' && p[1] <= '9') ? parse_number(p + 1, value) : p + 1;
}

// Numbers count from 1, or back from the latest. Those that are yet to come are looked for when all is read.
static mus_status resolve(const reader *r, const char *what, long long number, size_t count, int *index) {
  long long from_zero = number > 0 ? number - 1 : (long long)count + number;
  if (number > MUS_MESH_MAXIMUM || number < -MUS_MESH_MAXIMUM)
    return mus_scan_fail_word(r->s, "a corner", "a number that any file could have");
  if (number == 0)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "%s 0: numbers begin at 1 (or -1, counting back)", what);
  if (from_zero < 0)
    return mus_scan_fail(r->s, MUS_BAD_INPUT, "%s %lld is outside 1...%zu: correct the face", what, number, count);
  *index = (int)from_zero;
  return MUS_OK;
}

// vertex, vertex/texture, vertex//normal or vertex/texture/normal
static mus_status read_corner(reader *r) {
  const char *word;
  size_t length;
  mus_status status = mus_scan_peek(r->s, &word, &length);
  if (status != MUS_OK)
    return status;
  long long vertex, texture, normal;
  const char *p = parse_number(word, &vertex);
  bool has_texture = p && p[0] == '/' && p[1] != '/' && p + 1 != word + length;
  p = parse_slash(parse_slash(p, &texture), &normal);
  if (!p || p != word + length)
    return mus_scan_fail_word(r->s, "a corner", "vertex/texture/normal");
  int vertex_index = 0, texture_index = -1;
  status = resolve(r, "vertex", vertex, r->polygons.position.count, &vertex_index);
  if (status == MUS_OK && has_texture)
    status = resolve(r, "texture coordinate", texture, r->polygons.texture.count, &texture_index);
  if (status == MUS_OK)
    status = mus_polygons_add_corner(&r->polygons, vertex_index, texture_index);
  mus_scan_take(r->s, length);
  return status;
}

static mus_status read_face(reader *r) {
  long long line = r->s->line;
  int corners = 0;
  for (;; ++corners) {
    bool more;
    mus_status status = mus_scan_more(r->s, &more);
    if (status == MUS_OK && !more)
      return mus_polygons_add_face(&r->polygons, corners, line, r->group);
    if (status == MUS_OK)
      status = read_corner(r);
    if (status != MUS_OK)
      return status;
  }
}

static mus_status read_stitch(reader *r) {
  static const char *const names[] = {"the stitched vertex", "the first vertex of its edge",
                                      "the second vertex of its edge"};
  stitch_line *item = mus_list_add(&r->stitch, sizeof *item);
  if (!item)
    return mus_fail_memory();
  *item = (stitch_line){.line = r->s->line};
  int *const index[] = {&item->stitch.a, &item->stitch.b, &item->stitch.c};
  for (int k = 0; k < 3; ++k) {
    long long value;
    mus_status status = mus_scan_integer(r->s, names[k], &value);
    if (status != MUS_OK)
      return status;
    if (value < 0 || value >= MUS_MESH_MAXIMUM)
      return mus_scan_fail(r->s, MUS_BAD_INPUT, "%lld for %s is not a vertex number: they begin at 0", value, names[k]);
    *index[k] = (int)value;
  }
  return mus_scan_real(r->s, "the stitch's place on its edge", &item->stitch.ratio);
}

// The first word. What could confuse a terminal is replaced; letters of any alphabet stay.
static mus_status read_group(reader *r) {
  const char *word;
  size_t length;
  mus_status status = mus_scan_peek(r->s, &word, &length);
  if (status != MUS_OK)
    return status;
  length = length < sizeof r->group ? length : sizeof r->group - 1;
  for (size_t k = 0; k < length; ++k)
    r->group[k] = (char)((unsigned char)word[k] < ' ' || word[k] == 127 ? '?' : word[k]);
  r->group[length] = '\0';
  return MUS_OK;
}

static mus_status leave(reader *r) {
  (void)r;
  return MUS_OK;
}

static const struct {
  const char *word;
  mus_status (*read)(reader *);
} KEYWORDS[] = {
    {"v", read_vertex}, {"f", read_face},        {"vt", read_texture}, {"vn", leave},
    {"g", read_group},  {"o", read_group},       {"s", leave},         {"usemtl", leave},
    {"mtllib", leave},  {"stitch", read_stitch}, {"seam", leave},
};

static mus_status skip(reader *r) {
  char word[MUS_GROUP_NAME];
  mus_status status = mus_scan_word(r->s, sizeof word, word);
  if (r->skipped++ == 0 && status == MUS_OK)
    memcpy(r->first_skipped, word, sizeof word);
  return status;
}

static mus_status read_line(reader *r) {
  const char *word;
  size_t length;
  mus_status status = mus_scan_peek(r->s, &word, &length);
  if (status != MUS_OK)
    return status;
  for (size_t k = 0; k < sizeof KEYWORDS / sizeof *KEYWORDS; ++k)
    if (strlen(KEYWORDS[k].word) == length && memcmp(KEYWORDS[k].word, word, length) == 0) {
      mus_scan_take(r->s, length);
      return KEYWORDS[k].read(r);
    }
  return skip(r);
}

static mus_status read_lines(reader *r) {
  for (;;) {
    bool found;
    mus_status status = mus_scan_next(r->s, &found);
    if (status != MUS_OK || !found)
      return status;
    status = read_line(r);
    if (status == MUS_OK)
      status = mus_scan_skip_line(r->s);
    if (status != MUS_OK)
      return status;
  }
}

static mus_status take_stitches(const reader *r, mus_arena *arena, mus_mesh_file *out) {
  out->stitch = mus_arena_alloc(arena, r->stitch.count, sizeof *out->stitch);
  if (!out->stitch)
    return mus_fail_memory();
  const stitch_line *line = r->stitch.items;
  for (size_t k = 0; k < r->stitch.count; ++k) {
    mus_stitch stitch = line[k].stitch;
    int largest = stitch.a > stitch.b ? stitch.a : stitch.b;
    largest = largest > stitch.c ? largest : stitch.c;
    if (largest >= out->mesh.vertices)
      return mus_scan_fail_at(r->s, line[k].line, MUS_BAD_INPUT, "vertex %d is outside 0...%d: correct the stitch",
                              largest, out->mesh.vertices - 1);
    out->stitch[k] = stitch;
  }
  out->stitches = (int)r->stitch.count;
  return MUS_OK;
}

mus_status mus_obj_scan(mus_scanner *scanner, mus_arena *arena, mus_mesh_file *out) {
  scanner->comment = '#';
  scanner->continued = true;
  reader r = {.s = scanner, .polygons = {.scanner = scanner, .has_lines = true, .first = 1}};
  mus_mesh_file file = {0};
  mus_status status = read_lines(&r);
  if (status == MUS_OK)
    status = mus_polygons_build(&r.polygons, arena, &file);
  if (status == MUS_OK)
    status = take_stitches(&r, arena, &file);
  if (status == MUS_OK) {
    file.skipped = r.skipped;
    memcpy(file.first_skipped, r.first_skipped, sizeof file.first_skipped);
    *out = file;
  }
  mus_polygons_free(&r.polygons);
  mus_free(r.stitch.items);
  return status;
}

// --- writing -------------------------------------------------------------------------------------------------------

static void write_numbers(mus_output *out, const char *keyword, int count, const double *number) {
  mus_output_text(out, keyword);
  for (int k = 0; k < count; ++k) {
    mus_output_text(out, " ");
    mus_output_real(out, number[k]);
  }
  mus_output_text(out, "\n");
}

static void write_group(mus_output *out, const mus_mesh_file *file, int t) {
  if (!file->triangle_group || (t > 0 && file->triangle_group[t] == file->triangle_group[t - 1]))
    return;
  const char *name = file->group[file->triangle_group[t]].name;
  if (t == 0 && name[0] == '\0')
    return;
  mus_output_text(out, name[0] == '\0' ? "g" : "g ");
  mus_output_text(out, name);
  mus_output_text(out, "\n");
}

static void write_face(mus_output *out, const mus_mesh *mesh, const mus_textures *textures, int t) {
  mus_output_text(out, "f");
  for (size_t i = (size_t)t * 3; i < (size_t)t * 3 + 3; ++i) {
    mus_output_text(out, " ");
    mus_output_integer(out, mesh->triangle[i] + 1LL);
    if (mesh->material) {
      mus_output_text(out, "/");
      mus_output_integer(out, textures->corner[i] + 1LL);
    }
  }
  mus_output_text(out, "\n");
}

static void write_stitch(mus_output *out, const mus_stitch *stitch) {
  const int vertex[] = {stitch->a, stitch->b, stitch->c};
  mus_output_text(out, "stitch");
  for (int k = 0; k < 3; ++k) {
    mus_output_text(out, " ");
    mus_output_integer(out, vertex[k]);
  }
  write_numbers(out, "", 1, &stitch->ratio);
}

mus_status mus_obj_write(const char *path, const mus_mesh_file *file) {
  const mus_mesh *mesh = &file->mesh;
  mus_arena arena = {0};
  mus_textures textures = {0};
  mus_status status = mus_mesh_file_check(path, file);
  if (status == MUS_OK && mesh->material)
    status = mus_textures_list(&arena, mesh, &textures);
  if (status == MUS_OK) {
    mus_output out;
    status = mus_output_open(&out, path);
    for (int v = 0; v < mesh->vertices; ++v)
      write_numbers(&out, "v", 3, mesh->position + (size_t)v * 3);
    for (int k = 0; k < textures.count; ++k)
      write_numbers(&out, "vt", 2, mesh->material + (size_t)textures.source[k] * 2);
    for (int t = 0; t < mesh->triangles; ++t) {
      write_group(&out, file, t);
      write_face(&out, mesh, &textures, t);
    }
    for (int k = 0; k < file->stitches; ++k)
      write_stitch(&out, &file->stitch[k]);
    status = mus_output_close(&out, status);
  }
  mus_arena_clear(&arena);
  return status;
}
