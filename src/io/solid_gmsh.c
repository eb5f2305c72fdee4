// Gmsh's .msh, versions 2.2 and 4.1. See solid_file.h.
//
// Sections begin with $Name and end with $EndName; all but MeshFormat, Nodes and Elements are passed over. The two
// versions number nodes as they like; 4.1 has them, and the elements, in blocks of one geometric entity each.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

typedef struct reader {
  mus_numbers n;
  mus_solid_build build;
  int version; // 2 or 4
  int has_nodes, has_elements;
} reader;

enum { TETRAHEDRON = 4, TETRAHEDRON_10 = 11, WORD = 64 };

// Nodes of an element by its type; 0 where there is none.
static int nodes_of(long long type) {
  static const unsigned char nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  return type > 0 && type < (long long)sizeof nodes ? nodes[type] : 0;
}

static mus_status whole(const reader *r, int bytes, const char *what, long long *value) {
  return mus_numbers_whole(&r->n, bytes, what, value);
}

static mus_status fail_type(const reader *r, long long type) {
  return mus_scan_fail(r->n.s, MUS_BAD_INPUT,
                       "%lld is not a type of element that is known: save the mesh with simpler ones", type);
}

// --- sections ------------------------------------------------------------------------------------------------------

static mus_status read_format(reader *r) {
  double version;
  long long binary, size;
  mus_numbers text = {.s = r->n.s};
  mus_status status = mus_numbers_real(&text, 8, "the version", &version);
  if (!status)
    status = mus_numbers_whole(&text, 4, "the file's type", &binary);
  if (!status)
    status = mus_numbers_whole(&text, 4, "the size of a number", &size);
  if (status)
    return status;
  if (!(version >= 2 && version <= 2.2) && version != 4.1)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "version %g is not read: save the mesh as version 2.2 or 4.1", version);
  if (size != 8 || (binary != 0 && binary != 1))
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "type %lld with numbers of %lld bytes is not read: save the mesh anew",
                         binary, size);
  r->version = version < 3 ? 2 : 4;
  r->n.binary = (int)binary;
  if (!binary)
    return MUS_OK;
  const unsigned char *one;
  status = mus_scan_newline(r->n.s);
  if (!status)
    status = mus_scan_bytes(r->n.s, 4, "the byte order", &one);
  if (!status && one[0] + one[3] != 1)
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "the byte order is unclear: save the mesh anew");
  if (!status)
    r->n.big = one[3] == 1;
  return status;
}

// To behind "$End", wherever it is.
static mus_status skip_section(const reader *r, const char *name) {
  const char *pattern = "$End";
  const unsigned char *byte;
  for (int matched = 0; pattern[matched];) {
    if (mus_scan_bytes(r->n.s, 1, "the end of a section", &byte))
      return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "section %s has no end: the file is truncated", name);
    r->n.s->line += *byte == '\n' && !r->n.binary;
    matched = *byte == (unsigned char)pattern[matched] ? matched + 1 : *byte == '$';
  }
  return mus_scan_skip_line(r->n.s);
}

static mus_status end_section(const reader *r, const char *name) {
  char word[WORD], expected[WORD + 4];
  mus_status status = mus_numbers_word(&r->n, sizeof word, word);
  snprintf(expected, sizeof expected, "$End%s", name + 1);
  if (!status && strcmp(word, expected) != 0)
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "'%s' stands where %s should be: check the section's numbers", word,
                           expected);
  return status;
}

// A section's first line; its numbers begin on the next.
static mus_status begin_numbers(const reader *r) { return r->n.binary ? mus_scan_newline(r->n.s) : MUS_OK; }

// --- nodes ---------------------------------------------------------------------------------------------------------

static mus_status read_place(reader *r, long long tag) {
  static const char *const names[] = {"x", "y", "z"};
  double place[3];
  mus_status status = MUS_OK;
  for (int k = 0; k < 3 && !status; ++k)
    status = mus_numbers_real(&r->n, 8, names[k], &place[k]);
  return status ? status : mus_solid_add_node(&r->build, tag, place);
}

static mus_status read_nodes_2(reader *r) {
  mus_numbers text = {.s = r->n.s};
  long long count, tag;
  mus_status status = mus_numbers_whole(&text, 4, "the number of nodes", &count);
  if (!status)
    status = mus_solid_check_count(r->n.s, "nodes", count);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; i < count && !status; ++i) {
    status = whole(r, 4, "a node's number", &tag);
    if (!status)
      status = read_place(r, tag);
  }
  return status;
}

// The head of a section or a block: whole numbers of these sizes.
static mus_status read_head(reader *r, const int bytes[4], const char *what, long long value[4]) {
  mus_status status = MUS_OK;
  for (int k = 0; k < 4 && !status; ++k)
    status = whole(r, bytes[k], what, &value[k]);
  return status;
}

static const int section_bytes[4] = {8, 8, 8, 8}, block_bytes[4] = {4, 4, 4, 8};

// Tags first, then places, with parameters on the entity that are not needed.
static mus_status read_node_block(reader *r) {
  long long head[4], tag;
  mus_status status = read_head(r, block_bytes, "the head of a block of nodes", head);
  if (!status)
    status = mus_solid_check_count(r->n.s, "nodes", head[3]);
  if (!status && (head[0] < 0 || head[0] > 3))
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "nodes of an entity of dimension %lld: it is 0 to 3", head[0]);
  size_t first = r->build.node.count;
  for (long long i = 0; i < (status ? 0 : head[3]) && !status; ++i) {
    status = whole(r, 8, "a node's number", &tag);
    if (!status)
      status = mus_solid_add_node(&r->build, tag, (const double[]){0, 0, 0});
  }
  for (size_t i = first; i < r->build.node.count && !status; ++i) {
    double unused;
    mus_solid_node *node = (mus_solid_node *)r->build.node.items + i;
    for (int k = 0; k < 3 && !status; ++k)
      status = mus_numbers_real(&r->n, 8, "a coordinate", &node->place[k]);
    for (long long k = 0; head[2] && k < head[0] && !status; ++k)
      status = mus_numbers_real(&r->n, 8, "a parameter", &unused);
  }
  return status;
}

static mus_status read_nodes_4(reader *r) {
  long long head[4];
  mus_status status = begin_numbers(r);
  if (!status)
    status = read_head(r, section_bytes, "the head of the nodes", head);
  if (!status)
    status = mus_solid_check_count(r->n.s, "blocks of nodes", head[0]);
  for (long long i = 0; !status && i < head[0]; ++i)
    status = read_node_block(r);
  if (!status && head[1] != (long long)r->build.node.count)
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%lld nodes are declared, but there are %zu: check the blocks",
                           head[1], r->build.node.count);
  return status;
}

// --- elements ------------------------------------------------------------------------------------------------------

// The nodes of an element, of which only a tetrahedron's corners are kept.
static mus_status read_element(reader *r, long long type, int bytes, long long region) {
  long long tag[4] = {0}, other;
  mus_status status = MUS_OK;
  int is_solid = type == TETRAHEDRON || type == TETRAHEDRON_10, nodes = nodes_of(type);
  for (int k = 0; k < nodes && !status; ++k)
    status = whole(r, bytes, "a node of an element", k < 4 ? &tag[k] : &other);
  if (status)
    return status;
  r->build.others += !is_solid;
  r->build.curved += type == TETRAHEDRON_10;
  return is_solid ? mus_solid_add(&r->build, tag, region, r->n.binary) : MUS_OK;
}

static mus_status read_tagged_element(reader *r, long long type, long long tags) {
  long long value, region = 0;
  mus_status status = MUS_OK;
  if (tags < 0 || tags > MUS_TETRAHEDRA_MAXIMUM)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%lld tags of an element: give none or a few", tags);
  for (long long k = 0; k < tags && !status; ++k) {
    status = whole(r, 4, "a tag", &value);
    region = k == 0 ? value : region;
  }
  return status ? status : read_element(r, type, 4, region);
}

// In text each element has its own type; in binary files runs of elements share one.
static mus_status read_elements_2(reader *r) {
  mus_numbers text = {.s = r->n.s};
  long long count, type, tags, run = 1, unused;
  mus_status status = mus_numbers_whole(&text, 4, "the number of elements", &count);
  if (!status)
    status = mus_solid_check_count(r->n.s, "elements", count);
  if (!status)
    status = begin_numbers(r);
  for (long long i = 0; !status && i < count; i += run) {
    if (!r->n.binary)
      status = whole(r, 4, "an element's number", &unused);
    if (!status)
      status = whole(r, 4, "an element's type", &type);
    if (!status && nodes_of(type) == 0)
      return fail_type(r, type);
    if (!status && r->n.binary)
      status = whole(r, 4, "a number of elements", &run);
    if (!status && (run < 1 || run > count - i))
      return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "a run of %lld elements, where %lld are left: check the numbers", run,
                           count - i);
    if (!status)
      status = whole(r, 4, "a number of tags", &tags);
    for (long long k = 0; k < run && !status; ++k) {
      if (r->n.binary)
        status = whole(r, 4, "an element's number", &unused);
      if (!status)
        status = read_tagged_element(r, type, tags);
    }
  }
  return status;
}

static mus_status read_elements_4(reader *r) {
  long long head[4], block[4], unused, elements = 0;
  mus_status status = begin_numbers(r);
  if (!status)
    status = read_head(r, section_bytes, "the head of the elements", head);
  if (!status)
    status = mus_solid_check_count(r->n.s, "blocks of elements", head[0]);
  for (long long i = 0; !status && i < head[0]; ++i) {
    status = read_head(r, block_bytes, "the head of a block of elements", block);
    if (!status)
      status = mus_solid_check_count(r->n.s, "elements", block[3]);
    if (!status && nodes_of(block[2]) == 0)
      return fail_type(r, block[2]);
    for (long long k = 0; !status && k < block[3]; ++k) {
      status = whole(r, 8, "an element's number", &unused);
      if (!status)
        status = read_element(r, block[2], 8, block[1]);
    }
    elements += status ? 0 : block[3];
  }
  if (!status && head[1] != elements)
    status = mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%lld elements are declared, but there are %lld: check the blocks",
                           head[1], elements);
  return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static mus_status read_section(reader *r, const char *name) {
  mus_status status;
  if (strcmp(name, "$MeshFormat") == 0)
    status = read_format(r);
  else if (r->version == 0)
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "%s comes before $MeshFormat: save the mesh anew", name);
  else if (strcmp(name, "$Nodes") == 0 && !r->has_nodes++)
    status = r->version == 2 ? read_nodes_2(r) : read_nodes_4(r);
  else if (strcmp(name, "$Elements") == 0 && !r->has_elements++)
    status = r->version == 2 ? read_elements_2(r) : read_elements_4(r);
  else if (name[0] == '$' && strcmp(name, "$Nodes") != 0 && strcmp(name, "$Elements") != 0)
    return skip_section(r, name + 1);
  else
    return mus_scan_fail(r->n.s, MUS_BAD_INPUT, "'%s' stands where a new section should begin: check those before",
                         name);
  return status ? status : end_section(r, name);
}

mus_status mus_gmsh_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out) {
  static const char *const names[2][2] = {{"Gmsh 2.2, text", "Gmsh 2.2, binary"},
                                          {"Gmsh 4.1, text", "Gmsh 4.1, binary"}};
  reader r = {.n = {.s = s}, .build = {.s = s}};
  char name[WORD];
  mus_status status = MUS_OK;
  while (!status) {
    status = mus_numbers_word(&r.n, sizeof name, name);
    if (status || name[0] == '\0')
      break;
    status = read_section(&r, name);
  }
  if (!status && !r.has_nodes)
    status = mus_fail(MUS_BAD_INPUT, "%s: there is no section $Nodes: the file is truncated", s->name);
  if (!status)
    status = mus_solid_build_end(&r.build, arena, out);
  if (!status)
    out->format = names[r.version == 4][r.n.binary];
  mus_solid_build_free(&r.build);
  return status;
}

// --- writing -------------------------------------------------------------------------------------------------------

typedef struct writer {
  mus_output *out;
  int binary;
} writer;

static void put(const writer *w, int bytes, long long value, const char *after) {
  if (w->binary) {
    mus_output_whole_bytes(w->out, bytes, 0, value);
    return;
  }
  mus_output_integer(w->out, value);
  mus_output_text(w->out, after);
}

static void put_place(const writer *w, const double place[3]) {
  for (int k = 0; k < 3; ++k)
    if (w->binary)
      mus_output_real_bytes(w->out, 0, place[k]);
    else {
      mus_output_real(w->out, place[k]);
      mus_output_text(w->out, k < 2 ? " " : "\n");
    }
}

static void put_corners(const writer *w, int bytes, const int *corner) {
  for (int k = 0; k < 4; ++k)
    put(w, bytes, corner[k] + 1LL, k < 3 ? " " : "\n");
}

static void write_2(const writer *w, const mus_tetrahedra *mesh) {
  mus_output_text(w->out, "$Nodes\n");
  mus_output_integer(w->out, mesh->vertices);
  mus_output_text(w->out, "\n");
  for (size_t v = 0; v < (size_t)mesh->vertices; ++v) {
    put(w, 4, (long long)v + 1, " ");
    put_place(w, mesh->position + 3 * v);
  }
  mus_output_text(w->out, w->binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  mus_output_integer(w->out, mesh->tetrahedra);
  mus_output_text(w->out, "\n");
  for (size_t t = 0; t < (size_t)mesh->tetrahedra; ++t) {
    int region = mesh->region ? mesh->region[t] : 0;
    if (w->binary && t == 0) { // one run of all of them
      put(w, 4, TETRAHEDRON, "");
      put(w, 4, mesh->tetrahedra, "");
      put(w, 4, 2, "");
    }
    put(w, 4, (long long)t + 1, " ");
    if (!w->binary)
      mus_output_text(w->out, "4 2 ");
    put(w, 4, region, " ");
    put(w, 4, region > 0 ? region : 1, " ");
    put_corners(w, 4, mesh->corner + 4 * t);
  }
  mus_output_text(w->out, w->binary ? "\n$EndElements\n" : "$EndElements\n");
}

static void put_head(const writer *w, const int bytes[4], long long a, long long b, long long c, long long d) {
  const long long value[4] = {a, b, c, d};
  for (int k = 0; k < 4; ++k)
    put(w, bytes[k], value[k], k < 3 ? " " : "\n");
}

// One block of nodes, and one of tetrahedra for each run of the same region.
static void write_4(const writer *w, const mus_tetrahedra *mesh) {
  long long blocks = 0;
  for (int t = 0; t < mesh->tetrahedra; ++t)
    blocks += t == 0 || (mesh->region && mesh->region[t] != mesh->region[t - 1]);
  mus_output_text(w->out, "$Nodes\n");
  put_head(w, section_bytes, 1, mesh->vertices, 1, mesh->vertices);
  put_head(w, block_bytes, 3, mesh->region && blocks > 0 ? mesh->region[0] : 1, 0, mesh->vertices);
  for (int v = 0; v < mesh->vertices; ++v)
    put(w, 8, v + 1LL, "\n");
  for (size_t v = 0; v < (size_t)mesh->vertices; ++v)
    put_place(w, mesh->position + 3 * v);
  mus_output_text(w->out, w->binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  put_head(w, section_bytes, blocks, mesh->tetrahedra, 1, mesh->tetrahedra);
  for (int t = 0, end; t < mesh->tetrahedra; t = end) {
    for (end = t + 1; end < mesh->tetrahedra && (!mesh->region || mesh->region[end] == mesh->region[t]); ++end)
      ;
    put_head(w, block_bytes, 3, mesh->region ? mesh->region[t] : 0, TETRAHEDRON, end - t);
    for (int k = t; k < end; ++k) {
      put(w, 8, k + 1LL, " ");
      put_corners(w, 8, mesh->corner + 4 * (size_t)k);
    }
  }
  mus_output_text(w->out, w->binary ? "\n$EndElements\n" : "$EndElements\n");
}

void mus_gmsh_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary) {
  writer w = {out, binary};
  mus_output_text(out, version == 2 ? "$MeshFormat\n2.2 " : "$MeshFormat\n4.1 ");
  mus_output_text(out, binary ? "1 8\n" : "0 8\n");
  if (binary) {
    mus_output_whole_bytes(out, 4, 0, 1);
    mus_output_text(out, "\n");
  }
  mus_output_text(out, "$EndMeshFormat\n");
  if (version == 2)
    write_2(&w, mesh);
  else
    write_4(&w, mesh);
}
