// Nodes, skins, meshes and animations of a glTF file. See gltf.h; gltf_data.c has the bytes, gltf_pose.c the motion.
#include "io/gltf.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/list.h"
#include "io/gltf_parts.h"
#include "io/source.h"

// So that a small file, which names the same data again and again, does not fill the memory.
enum { VERTICES_MAXIMUM = 1 << 24, NUMBERS_MAXIMUM = 1 << 26, WEIGHTS_MAXIMUM = 4096, SETS_MAXIMUM = 16 };

// --- nodes -----------------------------------------------------------------------------------------------------------

static mus_status read_stand(const mus_gltf_file *file, const char *place, const json_t *json, mus_gltf_node *node) {
  double matrix[16];
  int given;
  node->stand = (mus_gltf_stand){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
  mus_status status = mus_gltf_reals(file, place, json, "translation", 3, node->stand.translation, &given);
  if (!status)
    status = mus_gltf_reals(file, place, json, "rotation", 4, node->stand.rotation, &given);
  if (!status)
    status = mus_gltf_reals(file, place, json, "scale", 3, node->stand.scale, &given);
  if (!status)
    status = mus_gltf_reals(file, place, json, "matrix", 16, matrix, &node->mapped);
  for (int i = 0; i < 12 && !status && node->mapped; ++i)
    node->map.m[i] = matrix[i % 4 * 4 + i / 4]; // columns first in the file
  return status;
}

static mus_status read_children(const mus_gltf_file *file, const char *place, const json_t *json, mus_gltf *gltf,
                                int parent) {
  const json_t *list;
  int count;
  mus_status status = mus_gltf_list(file, place, json, "children", &list, &count);
  for (int k = 0; k < count && !status; ++k) {
    const json_t *child = json_array_get(list, (size_t)k);
    json_int_t number = json_is_integer(child) ? json_integer_value(child) : -1;
    if (number < 0 || number >= gltf->nodes || number == parent)
      status = mus_gltf_wrong(file, place, "children[%d] is not one of the other %d nodes", k, gltf->nodes - 1);
    else if (gltf->node[number].parent >= 0)
      status = mus_gltf_wrong(file, place, "its child %d is also a child of node %d: a node has one parent",
                              (int)number, gltf->node[number].parent);
    else
      gltf->node[number].parent = parent;
  }
  return status;
}

// Parents before children. What no root leads to goes round in a circle.
static mus_status order_nodes(const mus_gltf_file *file, mus_gltf *gltf) {
  int *first = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes + 1, sizeof *first); // child
  int *next = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes + 1, sizeof *next);   // child of the same parent
  gltf->order = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes, sizeof *gltf->order);
  if (!first || !next || !gltf->order)
    return mus_fail_memory();
  int ordered = 0;
  for (int n = 0; n < gltf->nodes; ++n)
    first[n] = next[n] = -1;
  for (int n = gltf->nodes - 1; n >= 0; --n) {
    int parent = gltf->node[n].parent;
    if (parent >= 0) {
      next[n] = first[parent];
      first[parent] = n;
    }
  }
  for (int n = 0; n < gltf->nodes; ++n)
    if (gltf->node[n].parent < 0)
      gltf->order[ordered++] = n;
  for (int k = 0; k < ordered; ++k)
    for (int child = first[gltf->order[k]]; child >= 0; child = next[child])
      gltf->order[ordered++] = child;
  return ordered == gltf->nodes ? MUS_OK : mus_gltf_wrong(file, "nodes", "some are their own ancestors");
}

// Marks what the file's scene shows: everything, where it has none.
static mus_status mark_shown(const mus_gltf_file *file, mus_gltf *gltf) {
  const json_t *list, *scene, *roots;
  char place[MUS_GLTF_PLACE];
  int scenes, number = 0, count = 0;
  mus_status status = mus_gltf_list(file, "", file->root, "scenes", &list, &scenes);
  if (!status && scenes > 0)
    status = mus_gltf_whole(file, "", file->root, "scene", 0, scenes - 1, &number);
  if (!status && scenes > 0)
    status = mus_gltf_element(file, list, "scenes", number, place, &scene);
  if (!status && scenes > 0)
    status = mus_gltf_list(file, place, scene, "nodes", &roots, &count);
  for (int k = 0; k < count && !status; ++k) {
    const json_t *root = json_array_get(roots, (size_t)k);
    json_int_t n = json_is_integer(root) ? json_integer_value(root) : -1;
    if (n < 0 || n >= gltf->nodes)
      status = mus_gltf_wrong(file, place, "nodes[%d] is not one of the %d nodes", k, gltf->nodes);
    else
      gltf->node[n].shown = 1;
  }
  for (int k = 0; k < gltf->nodes && !status; ++k) {
    mus_gltf_node *node = &gltf->node[gltf->order[k]];
    node->shown |= scenes == 0 || (node->parent >= 0 && gltf->node[node->parent].shown);
  }
  return status;
}

static mus_status read_nodes(const mus_gltf_file *file, mus_gltf *gltf) {
  const json_t *list, *json;
  char place[MUS_GLTF_PLACE];
  mus_status status = mus_gltf_list(file, "", file->root, "nodes", &list, &gltf->nodes);
  if (status)
    return status;
  gltf->node = mus_arena_alloc_zero(&gltf->arena, (size_t)gltf->nodes, sizeof *gltf->node);
  gltf->stand = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes, sizeof *gltf->stand);
  gltf->map = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes, sizeof *gltf->map);
  if (!gltf->node || !gltf->stand || !gltf->map)
    return mus_fail_memory();
  for (int n = 0; n < gltf->nodes; ++n)
    gltf->node[n].parent = -1;
  for (int n = 0; n < gltf->nodes && !status; ++n) {
    status = mus_gltf_element(file, list, "nodes", n, place, &json);
    if (!status)
      status = read_stand(file, place, json, &gltf->node[n]);
    if (!status)
      status = read_children(file, place, json, gltf, n);
  }
  if (!status)
    status = order_nodes(file, gltf);
  return status ? status : mark_shown(file, gltf);
}

// --- skins -----------------------------------------------------------------------------------------------------------

static mus_status read_skin(mus_gltf_file *file, const char *place, const json_t *json, mus_gltf *gltf,
                            mus_gltf_skin *skin) {
  const json_t *list;
  double *matrix = NULL;
  int accessor = -1;
  mus_status status = mus_gltf_list(file, place, json, "joints", &list, &skin->joints);
  if (!status)
    status = mus_gltf_whole(file, place, json, "inverseBindMatrices", 0, INT_MAX, &accessor);
  if (!status && accessor >= 0)
    status = mus_gltf_numbers(file, accessor, 16, &skin->joints, &matrix);
  if (status)
    return status;
  skin->joint = mus_arena_alloc(&gltf->arena, (size_t)skin->joints, sizeof *skin->joint);
  skin->inverse = mus_arena_alloc(&gltf->arena, (size_t)skin->joints, sizeof *skin->inverse);
  if (!skin->joint || !skin->inverse)
    return mus_fail_memory();
  for (int j = 0; j < skin->joints; ++j) {
    const json_t *joint = json_array_get(list, (size_t)j);
    json_int_t node = json_is_integer(joint) ? json_integer_value(joint) : -1;
    if (node < 0 || node >= gltf->nodes)
      return mus_gltf_wrong(file, place, "joints[%d] is not one of the %d nodes", j, gltf->nodes);
    skin->joint[j] = (int)node;
    for (int i = 0; i < 12; ++i)
      skin->inverse[j].m[i] = matrix ? matrix[16 * (size_t)j + (size_t)(i % 4 * 4 + i / 4)] : i % 5 == 0;
  }
  return MUS_OK;
}

// The joints of all skins, each once, in the order of their nodes.
static mus_status list_bones(mus_gltf *gltf) {
  unsigned char *is_joint = mus_arena_alloc_zero(&gltf->arena, (size_t)gltf->nodes, 1);
  gltf->joint = mus_arena_alloc(&gltf->arena, (size_t)gltf->nodes, sizeof *gltf->joint);
  if (!is_joint || !gltf->joint)
    return mus_fail_memory();
  for (int s = 0; s < gltf->skins; ++s)
    for (int j = 0; j < gltf->skin[s].joints; ++j)
      is_joint[gltf->skin[s].joint[j]] = 1;
  for (int n = 0; n < gltf->nodes; ++n)
    if (is_joint[n])
      gltf->joint[gltf->bones++] = n;
  return MUS_OK;
}

static mus_status read_skins(mus_gltf_file *file, mus_gltf *gltf) {
  const json_t *list, *json;
  char place[MUS_GLTF_PLACE];
  int most = 0;
  mus_status status = mus_gltf_list(file, "", file->root, "skins", &list, &gltf->skins);
  if (status)
    return status;
  gltf->skin = mus_arena_alloc_zero(&gltf->arena, (size_t)gltf->skins, sizeof *gltf->skin);
  if (!gltf->skin)
    return mus_fail_memory();
  for (int s = 0; s < gltf->skins && !status; ++s) {
    status = mus_gltf_element(file, list, "skins", s, place, &json);
    if (!status)
      status = read_skin(file, place, json, gltf, &gltf->skin[s]);
    most = gltf->skin[s].joints > most ? gltf->skin[s].joints : most;
  }
  gltf->bone = mus_arena_alloc(&gltf->arena, (size_t)most, sizeof *gltf->bone);
  return status || gltf->bone ? status : mus_fail_memory();
}

// --- meshes ----------------------------------------------------------------------------------------------------------

// What is gathered while the parts are read.
typedef struct gathering {
  mus_gltf_file *file;
  mus_gltf *gltf;
  mus_list parts;     // mus_gltf_part
  mus_list triangles; // int, three a triangle, of the mesh's vertices
  mus_list rows;      // double, of the part that is being read
  mus_list corners;   // int, three a triangle, of its rows
} gathering;

// Sets of joints and weights, four each.
static int influence_sets(const json_t *attributes) {
  int sets = 0;
  char key[24];
  do
    snprintf(key, sizeof key, "JOINTS_%d", sets);
  while (json_object_get(attributes, key) && ++sets < SETS_MAXIMUM);
  return sets;
}

// Joints and shares of `count` vertices into their rows. Shares are made to sum to 1.
static mus_status read_influences(gathering *g, const char *place, const json_t *attributes, const mus_gltf_part *part,
                                  int count, double *row) {
  mus_gltf_file *file = g->file;
  int sets = influence_sets(attributes);
  if (sets == 0)
    return mus_gltf_wrong(file, place, "its node has a skin, but it has no JOINTS_0: export it with weights");
  for (int set = 0; set < sets; ++set) {
    char key[2][24];
    int accessor[2], *joint = NULL;
    double *weight = NULL;
    snprintf(key[0], sizeof key[0], "JOINTS_%d", set);
    snprintf(key[1], sizeof key[1], "WEIGHTS_%d", set);
    mus_status status = mus_gltf_needed(file, place, attributes, key[0], 0, INT_MAX, &accessor[0]);
    if (!status)
      status = mus_gltf_needed(file, place, attributes, key[1], 0, INT_MAX, &accessor[1]);
    if (!status)
      status = mus_gltf_wholes(file, accessor[0], 4, g->gltf->skin[part->skin].joints, &count, &joint);
    if (!status)
      status = mus_gltf_numbers(file, accessor[1], 4, &count, &weight);
    if (status)
      return status;
    for (size_t i = 0; i < 4 * (size_t)count; ++i) {
      double *to = row + i / 4 * (size_t)part->width + 3 + 8 * (size_t)set + 2 * (i % 4);
      to[0] = weight[i] != 0 ? joint[i] : 0; // so that unused ones do not keep vertices apart
      to[1] = weight[i];
    }
  }
  for (int v = 0; v < count; ++v) {
    double *influence = row + (size_t)v * (size_t)part->width + 3, sum = 0;
    for (int k = 0; k < part->influences; ++k)
      sum += influence[2 * k + 1];
    if (!(sum > 0))
      return mus_gltf_wrong(file, place, "the weights of vertex %d sum to %g: no joint moves it", v, sum);
    for (int k = 0; k < part->influences; ++k)
      influence[2 * k + 1] /= sum;
  }
  return MUS_OK;
}

static mus_status read_targets(gathering *g, const char *place, const json_t *primitive, const mus_gltf_part *part,
                               int count, double *row) {
  const json_t *list;
  int targets;
  mus_status status = mus_gltf_list(g->file, place, primitive, "targets", &list, &targets);
  if (!status && targets != part->targets)
    status = mus_gltf_wrong(g->file, place, "it has %d morph targets, the mesh's first primitive has %d", targets,
                            part->targets);
  for (int t = 0; t < targets && !status; ++t) {
    int accessor = -1;
    double *way = NULL;
    status = mus_gltf_whole(g->file, place, json_array_get(list, (size_t)t), "POSITION", 0, INT_MAX, &accessor);
    if (!status && accessor >= 0)
      status = mus_gltf_numbers(g->file, accessor, 3, &count, &way);
    for (size_t i = 0; i < 3 * (size_t)count && !status && way; ++i)
      row[i / 3 * (size_t)part->width + 3 + 2 * (size_t)part->influences + 3 * (size_t)t + i % 3] = way[i];
  }
  return status;
}

// Triangles, or strips or fans of them (mode 4, 5, 6).
static mus_status add_corners(gathering *g, int mode, int count, const int *index, int first) {
  int triangles = mode == 4 ? count / 3 : count - 2;
  if (triangles <= 0)
    return MUS_OK;
  if (!mus_list_reserve(&g->corners, 3 * (size_t)triangles, sizeof(int)))
    return mus_fail_memory();
  int *to = (int *)g->corners.items + g->corners.count;
  for (int t = 0; t < triangles; ++t, to += 3) {
    int a = mode == 4 ? 3 * t : mode == 5 ? t : 0, b = mode == 4 ? 3 * t + 1 : t + 1, c = b + 1;
    int turned = mode == 5 && t % 2 == 1; // every second triangle of a strip runs the other way
    const int corner[3] = {a, turned ? c : b, turned ? b : c};
    for (int k = 0; k < 3; ++k)
      to[k] = first + (index ? index[corner[k]] : corner[k]);
  }
  g->corners.count += 3 * (size_t)triangles;
  return MUS_OK;
}

// Room for so many rows of zeros at the end.
static mus_status add_rows(gathering *g, const char *place, const mus_gltf_part *part, int count, double **row) {
  size_t more = (size_t)count * (size_t)part->width;
  g->gltf->raw_vertices += count;
  g->gltf->numbers += more;
  if (g->gltf->raw_vertices > VERTICES_MAXIMUM || g->gltf->numbers > NUMBERS_MAXIMUM)
    return mus_gltf_wrong(g->file, place, "the file has more than %d vertices, or too much data per vertex: split it",
                          VERTICES_MAXIMUM);
  if (!mus_list_reserve(&g->rows, more, sizeof(double)))
    return mus_fail_memory();
  *row = (double *)g->rows.items + g->rows.count;
  memset(*row, 0, more * sizeof **row);
  g->rows.count += more;
  return MUS_OK;
}

static mus_status read_primitive(gathering *g, const char *place, const json_t *primitive, const mus_gltf_part *part) {
  mus_gltf_file *file = g->file;
  const json_t *attributes = json_object_get(primitive, "attributes");
  int mode = 4, accessor = 0, indices = -1, count = -1, corners = -1, *index = NULL;
  int first = (int)(g->rows.count / (size_t)part->width);
  double *place_of = NULL, *row = NULL;
  mus_arena_mark mark = mus_arena_here(&file->scratch);
  mus_status status = mus_gltf_whole(file, place, primitive, "mode", 0, 6, &mode);
  if (!status && mode < 4)
    return MUS_OK; // points and lines have no surface
  if (!status)
    status = mus_gltf_needed(file, place, attributes, "POSITION", 0, INT_MAX, &accessor);
  if (!status)
    status = mus_gltf_numbers(file, accessor, 3, &count, &place_of);
  if (!status)
    status = mus_gltf_whole(file, place, primitive, "indices", 0, INT_MAX, &indices);
  if (!status && indices >= 0)
    status = mus_gltf_wholes(file, indices, 1, count, &corners, &index);
  if (!status)
    status = add_rows(g, place, part, count, &row);
  for (size_t i = 0; i < 3 * (size_t)count && !status; ++i)
    row[i / 3 * (size_t)part->width + i % 3] = place_of[i];
  if (!status && part->skin >= 0)
    status = read_influences(g, place, attributes, part, count, row);
  if (!status)
    status = read_targets(g, place, primitive, part, count, row);
  if (!status)
    status = add_corners(g, mode, index ? corners : count, index, first);
  mus_arena_rewind(&file->scratch, mark);
  return status;
}

// For every row the number of the first that equals it, counted over those that are first; their rows move up.
static mus_status merge_rows(mus_arena *scratch, const mus_gltf_part *part, int count, double *row, int *number,
                             int *kept) {
  size_t width = (size_t)part->width, slots = 16;
  while (slots < 2 * (size_t)count)
    slots *= 2;
  int *slot = mus_arena_alloc_zero(scratch, slots, sizeof *slot); // 1 + the number of a kept row; 0: empty
  if (!slot)
    return mus_fail_memory();
  *kept = 0;
  for (int v = 0; v < count; ++v) {
    double *from = row + (size_t)v * width;
    for (size_t k = 0; k < width; ++k)
      from[k] += 0.0; // -0 becomes 0, which equals it
    size_t at = (size_t)mus_checksum(0, from, width * sizeof *from) & (slots - 1);
    while (slot[at] > 0 && memcmp(row + (size_t)(slot[at] - 1) * width, from, width * sizeof *from) != 0)
      at = (at + 1) & (slots - 1);
    if (slot[at] == 0) {
      slot[at] = ++*kept;
      memmove(row + (size_t)(*kept - 1) * width, from, width * sizeof *from);
    }
    number[v] = slot[at] - 1;
  }
  return MUS_OK;
}

static int is_mirrored(const mus_affine *map) {
  const double *m = map->m;
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
             m[2] * (m[4] * m[9] - m[5] * m[8]) <
         0;
}

// Merges the rows, and adds the part and those of its triangles that still have three vertices.
static mus_status finish_part(gathering *g, mus_gltf_part *part, int first) {
  mus_gltf *gltf = g->gltf;
  int count = (int)(g->rows.count / (size_t)part->width);
  mus_arena_mark mark = mus_arena_here(&g->file->scratch);
  int *number = mus_arena_alloc(&g->file->scratch, (size_t)count, sizeof *number);
  mus_status status = number ? MUS_OK : mus_fail_memory();
  if (!status)
    status = merge_rows(&g->file->scratch, part, count, g->rows.items, number, &part->vertices);
  part->first = first;
  size_t numbers = (size_t)part->vertices * (size_t)part->width;
  mus_gltf_part *added = status ? NULL : mus_list_add(&g->parts, sizeof *added);
  part->row = status ? NULL : mus_arena_alloc(&gltf->arena, numbers, sizeof *part->row);
  if (!status && (!added || !part->row || !mus_list_reserve(&g->triangles, g->corners.count, sizeof(int))))
    status = mus_fail_memory();
  int mirrored = part->skin < 0 && is_mirrored(&gltf->map[part->node]);
  const int *corner = g->corners.items;
  for (size_t i = 0; i < g->corners.count && !status; i += 3) {
    int a = number[corner[i]], b = number[corner[i + 1]], c = number[corner[i + 2]];
    int *to = (int *)g->triangles.items + g->triangles.count;
    if (a == b || b == c || c == a)
      continue;
    to[0] = first + a;
    to[1] = first + (mirrored ? c : b);
    to[2] = first + (mirrored ? b : c);
    g->triangles.count += 3;
  }
  if (!status) {
    if (numbers > 0)
      memcpy(part->row, g->rows.items, numbers * sizeof *part->row);
    *added = *part;
  }
  mus_arena_rewind(&g->file->scratch, mark);
  return status;
}

// The mesh of a node.
static mus_status read_part(gathering *g, int mesh, const json_t *meshes, mus_gltf_part *part, int first) {
  const json_t *json, *primitives, *targets;
  char name[MUS_GLTF_PLACE], place[MUS_GLTF_PLACE + 32];
  int count = 0, sets = 0;
  mus_status status = mus_gltf_element(g->file, meshes, "meshes", mesh, name, &json);
  if (!status)
    status = mus_gltf_list(g->file, name, json, "primitives", &primitives, &count);
  if (!status)
    status = mus_gltf_list(g->file, name, json_array_get(primitives, 0), "targets", &targets, &part->targets);
  for (int k = 0; k < count && !status && part->skin >= 0; ++k) {
    int own = influence_sets(json_object_get(json_array_get(primitives, (size_t)k), "attributes"));
    sets = own > sets ? own : sets;
  }
  if (!status && part->targets > WEIGHTS_MAXIMUM)
    status = mus_gltf_wrong(g->file, name, "it has more than %d morph targets", WEIGHTS_MAXIMUM);
  part->influences = 4 * sets;
  part->width = 3 + 2 * part->influences + 3 * part->targets;
  g->rows.count = g->corners.count = 0;
  for (int k = 0; k < count && !status; ++k) {
    snprintf(place, sizeof place, "%s.primitives[%d]", name, k);
    status = read_primitive(g, place, json_array_get(primitives, (size_t)k), part);
  }
  return status ? status : finish_part(g, part, first);
}

// Weights that a node's mesh has while no animation says otherwise: the node's, else the mesh's, else none.
static mus_status read_weights(gathering *g, const char *place, const json_t *json, const json_t *mesh, int targets,
                               double *weight) {
  int given = 0;
  mus_status status = mus_gltf_reals(g->file, place, json, "weights", targets, weight, &given);
  return status || given ? status : mus_gltf_reals(g->file, place, mesh, "weights", targets, weight, &given);
}

static mus_status count_weights(gathering *g, const json_t *nodes, const json_t *meshes, mus_list *weights) {
  mus_gltf *gltf = g->gltf;
  const mus_gltf_part *part = g->parts.items;
  mus_status status = MUS_OK;
  for (size_t p = 0; p < g->parts.count && !status; ++p) {
    mus_gltf_node *node = &gltf->node[part[p].node];
    const json_t *json = json_array_get(nodes, (size_t)part[p].node);
    const json_t *mesh = json_array_get(meshes, (size_t)json_number_value(json_object_get(json, "mesh")));
    char place[MUS_GLTF_PLACE];
    snprintf(place, sizeof place, "nodes[%d]", part[p].node);
    node->first_weight = (int)weights->count;
    node->weights = part[p].targets;
    if (node->weights == 0)
      continue;
    if (!mus_list_reserve(weights, (size_t)node->weights, sizeof(double)))
      return mus_fail_memory();
    double *weight = (double *)weights->items + weights->count;
    memset(weight, 0, (size_t)node->weights * sizeof *weight);
    status = read_weights(g, place, json, mesh, node->weights, weight);
    weights->count += (size_t)node->weights;
  }
  return status;
}

// Arrays of the lists' sizes, once they are known.
static mus_status keep(gathering *g, const mus_list *weights) {
  mus_gltf *gltf = g->gltf;
  gltf->parts = (int)g->parts.count;
  gltf->weights = (int)weights->count;
  gltf->part = mus_arena_alloc(&gltf->arena, g->parts.count, sizeof *gltf->part);
  gltf->rest_weight = mus_arena_alloc(&gltf->arena, weights->count, sizeof *gltf->rest_weight);
  gltf->weight = mus_arena_alloc(&gltf->arena, weights->count, sizeof *gltf->weight);
  if (!gltf->part || !gltf->rest_weight || !gltf->weight)
    return mus_fail_memory();
  if (g->triangles.count == 0)
    return mus_gltf_wrong(g->file, "", "its scene shows no triangles");
  const mus_gltf_part *last = (const mus_gltf_part *)g->parts.items + g->parts.count - 1;
  memcpy(gltf->part, g->parts.items, g->parts.count * sizeof *gltf->part);
  if (weights->count > 0)
    memcpy(gltf->rest_weight, weights->items, weights->count * sizeof *gltf->rest_weight);
  mus_status status =
      mus_mesh_create(&gltf->arena, last->first + last->vertices, (long long)g->triangles.count / 3, 0, &gltf->mesh);
  if (!status)
    memcpy(gltf->mesh.triangle, g->triangles.items, g->triangles.count * sizeof(int));
  return status;
}

static mus_status gather(gathering *g) {
  mus_gltf *gltf = g->gltf;
  const json_t *nodes, *meshes;
  int count, mesh_count, first = 0;
  mus_list weights = {0};
  mus_status status = mus_gltf_list(g->file, "", g->file->root, "nodes", &nodes, &count);
  if (!status)
    status = mus_gltf_list(g->file, "", g->file->root, "meshes", &meshes, &mesh_count);
  for (int n = 0; n < count && !status; ++n) {
    char place[MUS_GLTF_PLACE];
    int mesh = -1;
    mus_gltf_part part = {.node = n, .skin = -1};
    snprintf(place, sizeof place, "nodes[%d]", n);
    status = mus_gltf_whole(g->file, place, json_array_get(nodes, (size_t)n), "mesh", 0, mesh_count - 1, &mesh);
    if (status || mesh < 0 || !gltf->node[n].shown)
      continue;
    status = mus_gltf_whole(g->file, place, json_array_get(nodes, (size_t)n), "skin", 0, gltf->skins - 1, &part.skin);
    if (!status)
      status = read_part(g, mesh, meshes, &part, first);
    first += part.vertices;
  }
  if (!status)
    status = count_weights(g, nodes, meshes, &weights);
  if (!status)
    status = keep(g, &weights);
  mus_free(weights.items);
  return status;
}

static mus_status read_meshes(mus_gltf_file *file, mus_gltf *gltf) {
  gathering g = {.file = file, .gltf = gltf};
  mus_gltf_pose(gltf, -1, 0); // where nodes stand tells which are mirrored
  mus_status status = gather(&g);
  mus_free(g.parts.items);
  mus_free(g.triangles.items);
  mus_free(g.rows.items);
  mus_free(g.corners.items);
  return status;
}

// --- animations ------------------------------------------------------------------------------------------------------

static int word_of(const char *word, const char *const *words) {
  for (int k = 0; words[k]; ++k)
    if (word && strcmp(word, words[k]) == 0)
      return k;
  return -1;
}

// Keys and values from the file's scratch into the model's memory.
static mus_status keep_keys(const mus_gltf_file *file, const char *place, mus_gltf *gltf, mus_gltf_track *track,
                            const double *time, const double *value) {
  size_t numbers = (size_t)track->keys * (size_t)track->width * (track->between == MUS_GLTF_CUBIC ? 3 : 1);
  gltf->numbers += numbers + (size_t)track->keys;
  if (gltf->numbers > NUMBERS_MAXIMUM)
    return mus_gltf_wrong(file, place, "the file's animations have more than %d numbers: split it", NUMBERS_MAXIMUM);
  track->time = mus_arena_alloc(&gltf->arena, (size_t)track->keys, sizeof *track->time);
  track->value = mus_arena_alloc(&gltf->arena, numbers, sizeof *track->value);
  if (!track->time || !track->value)
    return mus_fail_memory();
  memcpy(track->time, time, (size_t)track->keys * sizeof *time);
  memcpy(track->value, value, numbers * sizeof *value);
  return MUS_OK;
}

static mus_status read_sampler(mus_gltf_file *file, const char *place, const json_t *sampler, mus_gltf *gltf,
                               mus_gltf_track *track) {
  static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE", NULL};
  const char *word;
  int input = 0, output = 0;
  double *time = NULL, *value = NULL;
  track->keys = -1;
  mus_status status = mus_gltf_needed(file, place, sampler, "input", 0, INT_MAX, &input);
  if (!status)
    status = mus_gltf_needed(file, place, sampler, "output", 0, INT_MAX, &output);
  if (!status)
    status = mus_gltf_text(file, place, sampler, "interpolation", &word);
  if (status)
    return status;
  int between = word ? word_of(word, words) : MUS_GLTF_LINEAR;
  if (between < 0)
    return mus_gltf_wrong(file, place, "\"interpolation\" must be LINEAR, STEP or CUBICSPLINE");
  track->between = (mus_gltf_between)between;
  status = mus_gltf_numbers(file, input, 1, &track->keys, &time);
  for (int k = 1; k < track->keys && !status; ++k)
    if (!(time[k] > time[k - 1]))
      status = mus_gltf_wrong(file, place, "its key %d is not after the previous one", k);
  // Weights of several targets stand one after the other as single numbers.
  int alone = track->path == MUS_GLTF_WEIGHTS ? track->width : 1;
  long long count = (long long)track->keys * (between == MUS_GLTF_CUBIC ? 3 : 1) * alone;
  int elements = count > MUS_MESH_MAXIMUM ? MUS_MESH_MAXIMUM : (int)count;
  if (!status)
    status = mus_gltf_numbers(file, output, track->width / alone, &elements, &value);
  return status ? status : keep_keys(file, place, gltf, track, time, value);
}

// A channel becomes a track; one that moves nothing known has width 0.
static mus_status read_channel(mus_gltf_file *file, const char *place, const json_t *channel, const json_t *samplers,
                               int sampler_count, mus_gltf *gltf, mus_gltf_track *track) {
  static const char *const words[] = {"translation", "rotation", "scale", "weights", NULL};
  const json_t *target = json_object_get(channel, "target"), *sampler;
  const char *word;
  char inner[MUS_GLTF_PLACE + 64];
  int number = 0;
  track->node = -1;
  mus_status status = mus_gltf_whole(file, place, target, "node", 0, gltf->nodes - 1, &track->node);
  if (!status)
    status = mus_gltf_text(file, place, target, "path", &word);
  if (!status)
    status = mus_gltf_needed(file, place, channel, "sampler", 0, sampler_count - 1, &number);
  if (status)
    return status;
  int path = word_of(word, words);
  if (track->node < 0 || path < 0)
    return MUS_OK;
  const mus_gltf_node *node = &gltf->node[track->node];
  if (node->mapped && path != MUS_GLTF_WEIGHTS)
    return mus_gltf_wrong(file, place,
                          "it moves node %d, which is placed by a matrix: export it with translation, "
                          "rotation and scale",
                          track->node);
  track->path = (mus_gltf_path)path;
  track->width = path == MUS_GLTF_WEIGHTS ? node->weights : path == MUS_GLTF_ROTATION ? 4 : 3;
  if (track->width == 0)
    return MUS_OK;
  sampler = json_array_get(samplers, (size_t)number);
  snprintf(inner, sizeof inner, "%s's sampler %d", place, number);
  return read_sampler(file, inner, sampler, gltf, track);
}

static mus_status read_animation(mus_gltf_file *file, const char *place, const json_t *json, mus_gltf *gltf,
                                 mus_gltf_animation *animation) {
  const json_t *channels, *samplers;
  const char *name;
  int count, sampler_count = 0;
  mus_status status = mus_gltf_list(file, place, json, "channels", &channels, &count);
  if (!status)
    status = mus_gltf_list(file, place, json, "samplers", &samplers, &sampler_count);
  if (!status)
    status = mus_gltf_text(file, place, json, "name", &name);
  if (status)
    return status;
  size_t length = name ? strlen(name) : 0;
  animation->name = mus_arena_alloc_zero(&gltf->arena, length + 1, 1);
  animation->track = mus_arena_alloc_zero(&gltf->arena, (size_t)count, sizeof *animation->track);
  if (!animation->name || !animation->track)
    return mus_fail_memory();
  if (name)
    memcpy(animation->name, name, length);
  double start = INFINITY, end = -INFINITY;
  for (int k = 0; k < count && !status; ++k) {
    char inner[MUS_GLTF_PLACE + 32];
    mus_gltf_track track = {0};
    mus_arena_mark mark = mus_arena_here(&file->scratch);
    snprintf(inner, sizeof inner, "%s.channels[%d]", place, k);
    status = read_channel(file, inner, json_array_get(channels, (size_t)k), samplers, sampler_count, gltf, &track);
    mus_arena_rewind(&file->scratch, mark);
    if (status || track.width == 0)
      continue;
    start = fmin(start, track.time[0]);
    end = fmax(end, track.time[track.keys - 1]);
    animation->track[animation->tracks++] = track;
  }
  if (animation->tracks > 0) {
    animation->start = start;
    animation->end = end;
  }
  return status;
}

static mus_status read_animations(mus_gltf_file *file, mus_gltf *gltf) {
  const json_t *list, *json;
  char place[MUS_GLTF_PLACE];
  mus_status status = mus_gltf_list(file, "", file->root, "animations", &list, &gltf->animations);
  if (status)
    return status;
  gltf->animation = mus_arena_alloc_zero(&gltf->arena, (size_t)gltf->animations, sizeof *gltf->animation);
  if (!gltf->animation)
    return mus_fail_memory();
  for (int k = 0; k < gltf->animations && !status; ++k) {
    status = mus_gltf_element(file, list, "animations", k, place, &json);
    if (!status)
      status = read_animation(file, place, json, gltf, &gltf->animation[k]);
  }
  return status;
}

// --- files -----------------------------------------------------------------------------------------------------------

static mus_status read_all(mus_gltf_file *file, const void *bytes, size_t length, mus_gltf *gltf) {
  gltf->file = mus_arena_alloc_zero(&gltf->arena, strlen(file->name) + 1, 1);
  if (!gltf->file)
    return mus_fail_memory();
  memcpy(gltf->file, file->name, strlen(file->name));
  mus_status status = mus_gltf_open(file, bytes, length);
  if (!status)
    status = read_nodes(file, gltf);
  if (!status)
    status = read_skins(file, gltf);
  if (!status)
    status = list_bones(gltf);
  if (!status)
    status = read_meshes(file, gltf);
  if (!status)
    status = read_animations(file, gltf);
  return status ? status : mus_gltf_at(gltf, -1, 0, gltf->mesh.position);
}

static mus_status create(const char *name, const char *folder, const void *bytes, size_t length, mus_gltf **out) {
  mus_gltf_file file = {.name = name, .folder = folder};
  mus_gltf *gltf = mus_alloc_zero(1, sizeof *gltf);
  mus_status status = gltf ? read_all(&file, bytes, length, gltf) : mus_fail_memory();
  mus_gltf_close(&file);
  if (status)
    mus_gltf_free(gltf);
  else
    *out = gltf;
  return status;
}

mus_status mus_gltf_parse(const char *name, const void *bytes, size_t length, mus_gltf **out) {
  return create(name, NULL, bytes, length, out);
}

mus_status mus_gltf_read(const char *path, mus_gltf **out) {
  mus_source source;
  mus_status status = mus_source_open(&source, path);
  if (status)
    return status;
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *bytes = source.length < SIZE_MAX / 2 ? mus_alloc((size_t)source.length + 1, 1) : NULL;
  char *beside = mus_alloc_zero(folder + 1, 1);
  if (!bytes || !beside)
    status = mus_fail_memory();
  else
    memcpy(beside, path, folder);
  if (!status)
    status = mus_source_read(&source, 0, bytes, (size_t)source.length);
  mus_source_close(&source);
  if (!status)
    status = create(path, beside, bytes, (size_t)source.length, out);
  mus_free(bytes);
  mus_free(beside);
  return status;
}

void mus_gltf_free(mus_gltf *gltf) {
  if (!gltf)
    return;
  mus_arena_clear(&gltf->arena);
  mus_free(gltf);
}

int mus_gltf_is_path(const char *path) {
  size_t length = strlen(path);
  return (length > 4 && strcmp(path + length - 4, ".glb") == 0) ||
         (length > 5 && strcmp(path + length - 5, ".gltf") == 0);
}

size_t mus_gltf_bytes(const mus_gltf *gltf) { return sizeof *gltf + gltf->arena.bytes; }
const mus_mesh *mus_gltf_mesh(const mus_gltf *gltf) { return &gltf->mesh; }

mus_gltf_about mus_gltf_describe(const mus_gltf *gltf) {
  mus_gltf_about about = {.nodes = gltf->nodes,
                          .parts = gltf->parts,
                          .skins = gltf->skins,
                          .vertices = gltf->raw_vertices,
                          .targets = gltf->weights,
                          .animations = gltf->animations};
  for (int s = 0; s < gltf->skins; ++s)
    about.joints += gltf->skin[s].joints;
  return about;
}

const char *mus_gltf_animation_name(const mus_gltf *gltf, int animation) { return gltf->animation[animation].name; }

double mus_gltf_animation_length(const mus_gltf *gltf, int animation) {
  return gltf->animation[animation].end - gltf->animation[animation].start;
}

mus_status mus_gltf_find_animation(const mus_gltf *gltf, const char *name, int *animation) {
  char list[200] = "";
  size_t used = 0;
  *animation = gltf->animations > 0 ? 0 : -1;
  if (!name)
    return MUS_OK;
  for (int k = 0; k < gltf->animations; ++k) {
    if (strcmp(gltf->animation[k].name, name) == 0) {
      *animation = k;
      return MUS_OK;
    }
    int wrote = snprintf(list + used, sizeof list - used, "%s\"%s\"", k > 0 ? ", " : "", gltf->animation[k].name);
    used += wrote > 0 && used + (size_t)wrote < sizeof list ? (size_t)wrote : 0;
  }
  return mus_fail(MUS_BAD_INPUT, "%.200s: there is no animation \"%.60s\"%s%s", gltf->file, name,
                  gltf->animations > 0 ? "; it has " : "; it has none", list);
}
