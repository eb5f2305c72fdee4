// Medit's .mesh, as text. See solid_file.h.
//
// A keyword, a count, and that many lines; numbers of nodes begin at 1, and each line ends with a reference. Sections
// that are not needed hold numbers only, so that the next word with a letter begins the next one.
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

typedef struct reader {
  mus_numbers n;
  mus_solid_build build;
  int dimension;
} reader;

enum { WORD = 64 };

static mus_status read_count(reader *r, const char *what, long long *count) {
  mus_status status = mus_numbers_whole(&r->n, 4, what, count);
  return status ? status : mus_solid_check_count(r->n.s, what, *count);
}

static mus_status read_vertices(reader *r) {
  static const char *const names[] = {"x", "y", "z"};
  long long count = 0, reference, first = (long long)r->build.node.count;
  mus_status status = read_count(r, "vertices", &count);
  for (long long i = 0; i < count && !status; ++i) {
    double place[3];
    for (int k = 0; k < 3 && !status; ++k)
      status = mus_numbers_real(&r->n, 8, names[k], &place[k]);
    if (!status)
      status = mus_numbers_whole(&r->n, 4, "the reference of a vertex", &reference);
    if (!status)
      status = mus_solid_add_node(&r->build, first + i + 1, place);
  }
  return status;
}

static mus_status read_tetrahedra(reader *r) {
  long long count = 0, tag[4], region;
  mus_status status = read_count(r, "tetrahedra", &count);
  for (long long i = 0; i < count && !status; ++i) {
    for (int k = 0; k < 4 && !status; ++k)
      status = mus_numbers_whole(&r->n, 4, "a vertex of a tetrahedron", &tag[k]);
    if (!status)
      status = mus_numbers_whole(&r->n, 4, "the reference of a tetrahedron", &region);
    if (!status)
      status = mus_solid_add(&r->build, tag, region, 0);
  }
  return status;
}

static mus_status read_dimension(reader *r) {
  long long dimension;
  mus_status status = mus_numbers_whole(&r->n, 4, "the dimension", &dimension);
  if (!status && dimension != 3)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "a mesh of dimension %lld has no tetrahedra: give one of dimension 3",
                         dimension);
  return status;
}

static mus_status read_version(reader *r) {
  long long version;
  return mus_numbers_whole(&r->n, 4, "the version", &version);
}

static mus_status skip_section(reader *r) {
  for (;;) {
    bool found;
    const char *word;
    size_t length;
    mus_status status = mus_scan_next(r->n.s, &found);
    if (status || !found || isalpha((unsigned char)*r->n.s->cursor))
      return status;
    status = mus_scan_peek(r->n.s, &word, &length);
    if (status)
      return status;
    mus_scan_take(r->n.s, length);
  }
}

// Elements of other kinds are counted.
static mus_status skip_elements(reader *r) {
  long long count;
  mus_status status = read_count(r, "elements", &count);
  r->build.others += status ? 0 : (int)count;
  return status ? status : skip_section(r);
}

static const struct {
  const char *word;
  mus_status (*read)(reader *r);
} keywords[] = {
    {"MeshVersionFormatted", read_version}, {"Dimension", read_dimension}, {"Vertices", read_vertices},
    {"Tetrahedra", read_tetrahedra},        {"Triangles", skip_elements},  {"Quadrilaterals", skip_elements},
    {"Hexahedra", skip_elements},           {"Prisms", skip_elements},     {"Pyramids", skip_elements}};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static mus_status read_section(reader *r, const char *word) {
  for (int k = 0; k < KEYWORDS; ++k)
    if (strcmp(word, keywords[k].word) == 0)
      return keywords[k].read(r);
  if (!isalpha((unsigned char)word[0]))
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "'%s' stands where a keyword should be: check the count before", word);
  return skip_section(r);
}

mus_status mus_medit_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out) {
  s->comment = '#';
  reader r = {.n = {.s = s}, .build = {.s = s}};
  char word[WORD];
  mus_status status = MUS_OK;
  while (!status) {
    status = mus_numbers_word(&r.n, sizeof word, word);
    if (status || word[0] == '\0' || strcmp(word, "End") == 0)
      break;
    status = read_section(&r, word);
  }
  if (!status)
    status = mus_solid_build_end(&r.build, arena, out);
  if (!status)
    out->format = "Medit, text";
  mus_solid_build_free(&r.build);
  return status;
}

void mus_medit_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary) {
  (void)binary;
  mus_output_text(out, "MeshVersionFormatted ");
  mus_output_integer(out, version);
  mus_output_text(out, "\nDimension 3\nVertices\n");
  mus_output_integer(out, mesh->vertices);
  mus_output_text(out, "\n");
  for (size_t v = 0; v < (size_t)mesh->vertices; ++v) {
    mus_output_place(out, mesh->position + 3 * v);
    mus_output_text(out, " 0\n");
  }
  mus_output_text(out, "Tetrahedra\n");
  mus_output_integer(out, mesh->tetrahedra);
  mus_output_text(out, "\n");
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    mus_output_corners(out, mesh->corner + 4 * t, 1);
    mus_output_text(out, " ");
    mus_output_integer(out, mesh->region ? mesh->region[t] : 0);
    mus_output_text(out, "\n");
  }
  mus_output_text(out, "End\n");
}
