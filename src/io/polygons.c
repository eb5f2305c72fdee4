// Faces gathered and turned into a mesh. See polygons.h.
#include "io/polygons.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/polygon.h"

// --- gathering -----------------------------------------------------------------------------------------------------

static mus_status check_count(const mus_polygons *p, const mus_list *list, const char *what) {
  if (list->count < MUS_MESH_MAXIMUM)
    return MUS_OK;
  return mus_scan_fail(p->scanner, MUS_BAD_INPUT, "there are more than %d %s: split the mesh", MUS_MESH_MAXIMUM, what);
}

static mus_status add_numbers(mus_polygons *p, mus_list *list, size_t width, const double *number, const char *what) {
  mus_status status = check_count(p, list, what);
  if (status != MUS_OK)
    return status;
  double *item = mus_list_add(list, width * sizeof *item);
  if (!item)
    return mus_fail_memory();
  memcpy(item, number, width * sizeof *item);
  return MUS_OK;
}

mus_status mus_polygons_add_position(mus_polygons *p, const double *xyz) {
  return add_numbers(p, &p->position, 3, xyz, "vertices");
}

mus_status mus_polygons_add_texture(mus_polygons *p, const double *uv) {
  return add_numbers(p, &p->texture, 2, uv, "texture coordinates");
}

mus_status mus_polygons_add_corner(mus_polygons *p, int vertex, int texture) {
  if (p->corner.count >= INT_MAX)
    return mus_scan_fail(p->scanner, MUS_BAD_INPUT, "there are more than %d corners: split the mesh", INT_MAX);
  mus_corner *corner = mus_list_add(&p->corner, sizeof *corner);
  if (!corner)
    return mus_fail_memory();
  *corner = (mus_corner){vertex, texture};
  return MUS_OK;
}

static mus_status add_group(mus_polygons *p, const char *name) {
  const mus_group *groups = p->group.items;
  if (p->group.count > 0 && strcmp(groups[p->group.count - 1].name, name) == 0)
    return MUS_OK;
  mus_group *group = mus_list_add(&p->group, sizeof *group);
  if (!group)
    return mus_fail_memory();
  memset(group, 0, sizeof *group);
  snprintf(group->name, sizeof group->name, "%s", name);
  return MUS_OK;
}

mus_status mus_polygons_add_face(mus_polygons *p, int corners, long long place, const char *name) {
  mus_status status = check_count(p, &p->face, "faces");
  if (status == MUS_OK)
    status = add_group(p, name);
  if (status != MUS_OK)
    return status;
  mus_face *face = mus_list_add(&p->face, sizeof *face);
  if (!face)
    return mus_fail_memory();
  *face = (mus_face){corners, (int)p->group.count - 1, place > INT_MAX ? INT_MAX : (int)place};
  return MUS_OK;
}

void mus_polygons_free(mus_polygons *p) {
  mus_free(p->position.items);
  mus_free(p->texture.items);
  mus_free(p->corner.items);
  mus_free(p->face.items);
  mus_free(p->group.items);
  *p = (mus_polygons){0};
}

// --- checking ------------------------------------------------------------------------------------------------------

static mus_status fail_face(const mus_polygons *p, const mus_face *face, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static mus_status fail_face(const mus_polygons *p, const mus_face *face, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (p->has_lines)
    return mus_scan_fail_at(p->scanner, face->place, MUS_BAD_INPUT, "%s", text);
  return mus_fail(MUS_BAD_INPUT, "%s: face %d: %s", p->scanner->name, face->place, text);
}

static mus_status check_index(const mus_polygons *p, const mus_face *face, const char *what, int index, size_t count) {
  if (index >= 0 && (size_t)index < count)
    return MUS_OK;
  return fail_face(p, face, "%s %lld is outside %d...%lld: correct the face", what, (long long)index + p->first,
                   p->first, (long long)count - 1 + p->first);
}

static mus_status check_face(const mus_polygons *p, const mus_face *face, const mus_corner *corner) {
  if (face->corners < 3)
    return fail_face(p, face, "a face of %d corners: it needs three or more", face->corners);
  for (int k = 0; k < face->corners; ++k) {
    mus_status status = check_index(p, face, "vertex", corner[k].vertex, p->position.count);
    if (status == MUS_OK && corner[k].texture >= 0)
      status = check_index(p, face, "texture coordinate", corner[k].texture, p->texture.count);
    if (status != MUS_OK)
      return status;
  }
  return MUS_OK;
}

// What all faces come to.
typedef struct totals {
  long long triangles;
  int largest;  // corners of a face
  int textured; // corners have texture coordinates, some or all
} totals;

static mus_status check_faces(const mus_polygons *p, totals *sum) {
  const mus_corner *corner = p->corner.items;
  const mus_face *face = p->face.items;
  for (size_t f = 0; f < p->face.count; corner += face[f++].corners) {
    mus_status status = check_face(p, &face[f], corner);
    if (status != MUS_OK)
      return status;
    sum->triangles += face[f].corners - 2;
    sum->largest = face[f].corners > sum->largest ? face[f].corners : sum->largest;
    for (int k = 0; k < face[f].corners; ++k)
      sum->textured |= corner[k].texture >= 0;
  }
  return MUS_OK;
}

// --- building ------------------------------------------------------------------------------------------------------

typedef struct scratch {
  double *point; // of the largest face
  int *cut;      // its triangles
} scratch;

static void fill_corner(const mus_polygons *p, const mus_corner *corner, size_t at, int textured, mus_mesh_file *out) {
  out->mesh.triangle[at] = corner->vertex;
  out->bare_corners += textured && corner->texture < 0;
  if (!out->mesh.material)
    return;
  const double none[2] = {0, 0}, *uv = none;
  if (corner->texture >= 0)
    uv = (const double *)p->texture.items + (size_t)corner->texture * 2;
  memcpy(out->mesh.material + at * 2, uv, 2 * sizeof *uv);
}

// Cuts a face into triangles, from number `next` on.
static mus_status fill_face(const mus_polygons *p, const mus_face *face, const mus_corner *corner, int textured,
                            const scratch *s, size_t next, mus_mesh_file *out) {
  for (int k = 0; k < face->corners; ++k)
    memcpy(s->point + 3 * (size_t)k, out->mesh.position + (size_t)corner[k].vertex * 3, 3 * sizeof *s->point);
  if (!mus_polygon_triangulate(face->corners, s->point, s->cut))
    return fail_face(p, face, "a face of %d corners that is not convex: cut it in the program that made it",
                     face->corners);
  for (size_t i = 0; i < ((size_t)face->corners - 2) * 3; ++i)
    fill_corner(p, &corner[s->cut[i]], next * 3 + i, textured, out);
  for (size_t t = 0; t < (size_t)face->corners - 2; ++t)
    out->triangle_group[next + t] = face->group;
  return MUS_OK;
}

static mus_status fill_faces(const mus_polygons *p, const totals *sum, const scratch *s, mus_mesh_file *out) {
  const mus_corner *corner = p->corner.items;
  const mus_face *face = p->face.items;
  size_t next = 0;
  for (size_t f = 0; f < p->face.count; corner += face[f++].corners) {
    mus_status status = fill_face(p, &face[f], corner, sum->textured, s, next, out);
    if (status != MUS_OK)
      return status;
    next += (size_t)face[f].corners - 2;
  }
  if (out->bare_corners > 0)
    out->mesh.material = NULL;
  return MUS_OK;
}

static mus_status allocate(const mus_polygons *p, const totals *sum, mus_arena *arena, mus_mesh_file *out) {
  mus_status status = mus_mesh_create(arena, (long long)p->position.count, sum->triangles, sum->textured, &out->mesh);
  if (status == MUS_BAD_INPUT)
    return mus_fail_prefix(status, "%s", p->scanner->name);
  if (status != MUS_OK)
    return status;
  out->groups = (int)p->group.count;
  out->group = mus_arena_alloc(arena, p->group.count, sizeof *out->group);
  out->triangle_group = mus_arena_alloc(arena, (size_t)sum->triangles, sizeof *out->triangle_group);
  if (!out->group || !out->triangle_group)
    return mus_fail_memory();
  memcpy(out->mesh.position, p->position.items, p->position.count * 3 * sizeof(double));
  memcpy(out->group, p->group.items, p->group.count * sizeof *out->group);
  return MUS_OK;
}

mus_status mus_polygons_build(const mus_polygons *p, mus_arena *arena, mus_mesh_file *out) {
  if (p->position.count == 0 || p->face.count == 0)
    return mus_fail(MUS_BAD_INPUT, "%s: there are no %s: check that this is a mesh, in OBJ or PLY format",
                    p->scanner->name, p->position.count == 0 ? "vertices" : "faces");
  totals sum = {0};
  mus_status status = check_faces(p, &sum);
  if (status == MUS_OK)
    status = allocate(p, &sum, arena, out);
  if (status != MUS_OK)
    return status;
  mus_arena local = {0};
  scratch s = {.point = mus_arena_alloc(&local, (size_t)sum.largest * 3, sizeof *s.point),
               .cut = mus_arena_alloc(&local, (size_t)sum.largest * 3, sizeof *s.cut)};
  status = s.point && s.cut ? fill_faces(p, &sum, &s, out) : mus_fail_memory();
  mus_arena_clear(&local);
  return status;
}
