// Numbers, nodes and tetrahedra of files as they come. See solid_parts.h.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/solid_parts.h"

// --- numbers -------------------------------------------------------------------------------------------------------

static mus_status take_bytes(const mus_numbers *n, int bytes, const char *what, uint64_t *bits) {
  const unsigned char *from;
  mus_status status = mus_scan_bytes(n->s, (size_t)bytes, what, &from);
  *bits = 0;
  for (int k = 0; k < bytes && !status; ++k)
    *bits = *bits << 8 | from[n->big ? k : bytes - 1 - k];
  return status;
}

// To the next word on any line; where the file ends, the number that is asked for then says so.
static mus_status go_to_word(const mus_numbers *n) {
  bool found;
  return mus_scan_next(n->s, &found);
}

mus_status mus_numbers_whole(const mus_numbers *n, int bytes, const char *what, long long *value) {
  if (!n->binary) {
    mus_status status = go_to_word(n);
    return status ? status : mus_scan_integer(n->s, what, value);
  }
  uint64_t bits = 0;
  mus_status status = take_bytes(n, bytes, what, &bits);
  *value = bytes == 4 ? (long long)(int32_t)(uint32_t)bits : (long long)(int64_t)bits;
  return status;
}

mus_status mus_numbers_real(const mus_numbers *n, int bytes, const char *what, double *value) {
  if (!n->binary) {
    mus_status status = go_to_word(n);
    return status ? status : mus_scan_real(n->s, what, value);
  }
  uint64_t bits = 0;
  mus_status status = take_bytes(n, bytes, what, &bits);
  if (bytes == 4) {
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    *value = single;
  } else
    memcpy(value, &bits, sizeof *value);
  if (!status && !isfinite(*value))
    return mus_fail(MUS_BAD_INPUT, "%s: %s is not a finite number: check the program that wrote it", n->s->name, what);
  return status;
}

mus_status mus_numbers_word(const mus_numbers *n, size_t size, char *word) {
  mus_status status = go_to_word(n);
  return status ? status : mus_scan_word(n->s, size, word);
}

// --- nodes and tetrahedra ------------------------------------------------------------------------------------------

mus_status mus_solid_add_node(mus_solid_build *build, long long tag, const double place[3]) {
  mus_solid_node *node = mus_list_add(&build->node, sizeof *node);
  if (!node)
    return mus_fail_memory();
  node->tag = tag;
  memcpy(node->place, place, sizeof node->place);
  return MUS_OK;
}

mus_status mus_solid_add(mus_solid_build *build, const long long tag[4], long long region, int binary) {
  mus_solid_element *element = mus_list_add(&build->tetrahedron, sizeof *element);
  if (!element)
    return mus_fail_memory();
  memcpy(element->tag, tag, sizeof element->tag);
  element->line = binary ? 0 : build->s->line;
  element->region = region < INT_MIN ? INT_MIN : region > INT_MAX ? INT_MAX : (int)region;
  return MUS_OK;
}

mus_status mus_solid_check_count(const mus_scanner *s, const char *what, long long count) {
  if (count >= 0 && count <= MUS_TETRAHEDRA_MAXIMUM)
    return MUS_OK;
  return mus_scan_fail(s, MUS_BAD_INPUT, "%lld %s: a mesh has 0 to %d of them", count, what, MUS_TETRAHEDRA_MAXIMUM);
}

void mus_solid_build_free(mus_solid_build *build) {
  mus_free(build->node.items);
  mus_free(build->tetrahedron.items);
}

// Nodes by their tags, for files that number them as they like.
typedef struct tagged {
  long long tag;
  int node;
} tagged;

static int compare_tags(const void *first, const void *second) {
  const tagged *a = first, *b = second;
  if (a->tag != b->tag)
    return a->tag < b->tag ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static mus_status sort_tags(mus_solid_build *build, mus_arena *scratch, tagged **out) {
  const mus_solid_node *node = build->node.items;
  size_t count = build->node.count;
  tagged *sorted = mus_arena_alloc(scratch, count, sizeof *sorted);
  int ascending = 1;
  if (!sorted)
    return mus_fail_memory();
  for (size_t i = 0; i < count; ++i) {
    sorted[i] = (tagged){node[i].tag, (int)i};
    ascending &= i == 0 || node[i - 1].tag < node[i].tag;
  }
  if (!ascending)
    qsort(sorted, count, sizeof *sorted, compare_tags);
  for (size_t i = 1; i < count && !ascending; ++i)
    if (sorted[i - 1].tag == sorted[i].tag)
      return mus_fail(MUS_BAD_INPUT, "%s: node %lld is there twice: number nodes differently", build->s->name,
                      sorted[i].tag);
  *out = sorted;
  return MUS_OK;
}

static int find_tag(const tagged *sorted, size_t count, long long tag) {
  size_t low = 0, high = count;
  // Most files number nodes one after another: the first guess is right then.
  if (count > 0 && tag >= sorted[0].tag && (uint64_t)tag - (uint64_t)sorted[0].tag < count &&
      sorted[(uint64_t)tag - (uint64_t)sorted[0].tag].tag == tag)
    return sorted[(uint64_t)tag - (uint64_t)sorted[0].tag].node;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (sorted[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low].tag == tag ? sorted[low].node : -1;
}

static mus_status fail_corner(const mus_solid_build *build, size_t number, long long tag) {
  const mus_solid_element *element = (const mus_solid_element *)build->tetrahedron.items + number;
  if (element->line > 0)
    return mus_scan_fail_at(build->s, element->line, MUS_BAD_INPUT, "node %lld is not there: correct the tetrahedron",
                            tag);
  return mus_fail(MUS_BAD_INPUT, "%s: tetrahedron %zu has node %lld, which is not there: correct it", build->s->name,
                  number, tag);
}

static mus_status take_tetrahedra(mus_solid_build *build, const tagged *sorted, mus_tetrahedra *mesh) {
  const mus_solid_element *element = build->tetrahedron.items;
  int any = 0;
  for (size_t t = 0; t < build->tetrahedron.count; ++t) {
    for (size_t k = 0; k < 4; ++k) {
      int node = find_tag(sorted, build->node.count, element[t].tag[k]);
      if (node < 0)
        return fail_corner(build, t, element[t].tag[k]);
      mesh->corner[4 * t + k] = node;
    }
    mesh->region[t] = element[t].region;
    any |= element[t].region != 0;
  }
  mesh->region = any ? mesh->region : NULL;
  return MUS_OK;
}

// Volumes of what is farther away than this would overflow.
static const double farthest = 1e50;

static mus_status take_nodes(const mus_solid_build *build, double *position) {
  const mus_solid_node *node = build->node.items;
  for (size_t i = 0; i < build->node.count; ++i)
    for (size_t k = 0; k < 3; ++k) {
      if (!(fabs(node[i].place[k]) <= farthest))
        return mus_fail(MUS_BAD_INPUT, "%s: %c of node %lld is %g: the farthest is %g; check the program that wrote it",
                        build->s->name, "xyz"[k], node[i].tag, node[i].place[k], farthest);
      position[3 * i + k] = node[i].place[k];
    }
  return MUS_OK;
}

mus_status mus_solid_build_end(mus_solid_build *build, mus_arena *arena, mus_solid_file *out) {
  mus_arena scratch = {0};
  mus_solid_file file = {.others = build->others, .curved = build->curved};
  tagged *sorted = NULL;
  if (build->tetrahedron.count == 0)
    return mus_fail(MUS_BAD_INPUT,
                    "%s: there are no tetrahedra%s: check that this is a mesh of a solid, not of a surface",
                    build->s->name, build->others > 0 ? ", only other elements" : "");
  mus_status status = sort_tags(build, &scratch, &sorted);
  if (!status)
    status =
        mus_tetrahedra_create(arena, (long long)build->node.count, (long long)build->tetrahedron.count, 1, &file.mesh);
  if (!status)
    status = take_nodes(build, file.mesh.position);
  if (!status)
    status = take_tetrahedra(build, sorted, &file.mesh);
  mus_arena_clear(&scratch);
  if (!status)
    *out = file;
  return status;
}

// --- writing -------------------------------------------------------------------------------------------------------

void mus_output_place(mus_output *out, const double place[3]) {
  for (int k = 0; k < 3; ++k) {
    mus_output_text(out, " ");
    mus_output_real(out, place[k]);
  }
}

void mus_output_corners(mus_output *out, const int corner[4], int first) {
  for (int k = 0; k < 4; ++k) {
    mus_output_text(out, " ");
    mus_output_integer(out, corner[k] + first);
  }
}
