// What there is to say about a mesh file. See info.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/info.h"
#include "io/mesh_file.h"
#include "mesh/check.h"
#include "mesh/measure.h"
#include "mesh/rest.h"
#include "mesh/topology.h"

// What `muslin run` does about a defect, or what to do before.
static const char *const remedies[MUS_DEFECTS] = {
    [MUS_DEFECT_INDEX] = "write the file again",
    [MUS_DEFECT_POSITION] = "write the file again",
    [MUS_DEFECT_MATERIAL] = "write the file again",
    [MUS_DEFECT_REPEATED] = "a run leaves them out",
    [MUS_DEFECT_DEGENERATE] = "a run leaves them out",
    [MUS_DEFECT_DEGENERATE_MATERIAL] = "a run that takes the rest shape from the material leaves them out",
    [MUS_DEFECT_FLIPPED] = "a run mirrors them in the material",
    [MUS_DEFECT_DUPLICATE] = "a run leaves them out",
    [MUS_DEFECT_BRANCHING_EDGE] = "a run rejects this: split the mesh there, since cloth has two sides",
    [MUS_DEFECT_BRANCHING_VERTEX] = "a run takes them as they are: the parts are joined at a point",
    [MUS_DEFECT_TURNED] = "a run flips triangles until their fronts agree",
    [MUS_DEFECT_UNREFERENCED] = "a run leaves them out",
    [MUS_DEFECT_COINCIDENT] = "a run keeps them separate: weld what belongs together"};

static double edge_length(const mus_mesh *mesh, const int *edge) {
  const double *a = mesh->position + 3 * (size_t)edge[0], *b = mesh->position + 3 * (size_t)edge[1];
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void print_edges(const mus_mesh *mesh, const mus_topology *t, FILE *out) {
  double shortest = INFINITY, longest = 0, sum = 0;
  for (int e = 0; e < t->edges; ++e) {
    double length = edge_length(mesh, t->edge + 2 * (size_t)e);
    shortest = fmin(shortest, length);
    longest = fmax(longest, length);
    sum += length;
  }
  mus_info_line(out, "edges", "%d, %d of them at the boundary", t->edges, t->boundary_edges);
  if (t->edges > 0)
    mus_info_line(out, "lengths", "%.6g to %.6g, %.6g on average", shortest, longest, sum / t->edges);
  mus_info_line(out, "pieces", "%d, with %d boundary loops", t->components, t->loops);
}

static void print_texture(const mus_mesh_file *file, FILE *out) {
  const double *uv = file->mesh.material;
  if (!uv && file->bare_corners > 0)
    mus_info_line(out, "texture", "%d corners of triangles have no texture coordinates, so the others are ignored",
                  file->bare_corners);
  else if (!uv)
    mus_info_line(out, "texture", "no texture coordinates");
  if (!uv)
    return;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t i = 0; i < 6 * (size_t)file->mesh.triangles; ++i) {
    low[i % 2] = fmin(low[i % 2], uv[i]);
    high[i % 2] = fmax(high[i % 2], uv[i]);
  }
  mus_info_line(out, "texture", "from (%g, %g) to (%g, %g)", low[0], low[1], high[0], high[1]);
}

// The rest shape that positions give and, where there are texture coordinates, the one that they would give.
static mus_status print_rest(mus_arena *arena, const mus_mesh_file *file, FILE *out) {
  mus_rest_options options = mus_rest_default_options();
  mus_rest_record record;
  mus_mesh copy = file->mesh;
  copy.material = NULL;
  options.source = MUS_REST_POSITIONS;
  mus_status status = mus_rest_shape(arena, &copy, &options, &record);
  if (status)
    return status;
  mus_info_line(out, "rest shape", "by positions: %s",
                record.source == MUS_REST_FLAT ? "flat" : "not flat, and at rest as it is");
  if (!file->mesh.material)
    return MUS_OK;
  options.source = MUS_REST_TEXTURE;
  status = mus_mesh_copy(arena, &file->mesh, &copy);
  if (!status)
    status = mus_rest_shape(arena, &copy, &options, &record);
  if (!status)
    mus_info_line(out, "",
                  "by texture coordinates: \"material_scale\": %.6g gives the same area; edges are then"
                  " %.3g to %.3g times as long as at rest",
                  record.scale, record.shortest, record.longest);
  return status;
}

static void print_groups(const mus_mesh_file *file, FILE *out) {
  enum { SHOWN = 12 };
  if (file->groups > 1 || (file->groups == 1 && file->group[0].name[0])) {
    fprintf(out, "  %-12s %d:", "groups", file->groups);
    for (int k = 0; k < file->groups && k < SHOWN; ++k)
      fprintf(out, "%s %s", k > 0 ? "," : "", file->group[k].name[0] ? file->group[k].name : "(no name)");
    fprintf(out, "%s\n", file->groups > SHOWN ? ", ..." : "");
  }
  if (file->stitches > 0)
    mus_info_line(out, "stitches", "%d; a run sews them", file->stitches);
  if (file->skipped > 0)
    mus_info_line(out, "not read", "%d lines or properties, the first \"%s\"", file->skipped, file->first_skipped);
}

static mus_status print_defects(const mus_mesh *mesh, FILE *out) {
  mus_mesh_report report;
  mus_status status = mus_mesh_check(mesh, &report);
  int kinds = 0;
  for (int k = 0; k < MUS_DEFECTS && !status; ++k) {
    char text[200];
    mus_defect_text(&report, (mus_defect)k, sizeof text, text);
    if (text[0])
      mus_info_line(out, kinds++ == 0 ? "defects" : "", "%s: %s", text, remedies[k]);
  }
  if (!status && kinds == 0)
    mus_info_line(out, "defects", "none");
  return status;
}

static mus_status print_mesh(const char *path, mus_arena *arena, const mus_mesh_file *file, FILE *out) {
  const mus_mesh *mesh = &file->mesh;
  mus_box b = mus_mesh_box(mesh);
  fprintf(out, "%s: a mesh\n", path);
  mus_info_line(out, "vertices", "%d", mesh->vertices);
  mus_info_line(out, "triangles", "%d", mesh->triangles);
  mus_info_line(out, "box", "from (%g, %g, %g) to (%g, %g, %g)", b.low[0], b.low[1], b.low[2], b.high[0], b.high[1],
                b.high[2]);
  mus_info_line(out, "area", "%.6g", mus_total_space_area(mesh));
  mus_topology topology;
  mus_status status = mus_topology_create(arena, mesh, &topology);
  if (!status)
    print_edges(mesh, &topology, out);
  else if (status != MUS_BAD_INPUT) // vertices twice in a triangle are among the defects
    return status;
  print_texture(file, out);
  status = print_rest(arena, file, out);
  if (status == MUS_OUT_OF_MEMORY)
    return status;
  print_groups(file, out);
  return print_defects(mesh, out);
}

mus_status mus_info_mesh(const char *path, FILE *out) {
  mus_arena arena = {0};
  mus_mesh_file file;
  mus_status status = mus_mesh_file_read(path, &arena, &file);
  if (!status)
    status = print_mesh(path, &arena, &file, out);
  mus_arena_clear(&arena);
  return status;
}
