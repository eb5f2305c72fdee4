// What there is to say about a file of tetrahedra. See info.h.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/info.h"
#include "io/solid_file.h"
#include "mesh/measure.h"
#include "mesh/tetrahedra_check.h"

static const char *const remedies[MUS_SOLID_DEFECTS] = {
    [MUS_SOLID_INDEX] = "write the file again",
    [MUS_SOLID_POSITION] = "write the file again",
    [MUS_SOLID_REPEATED] = "leave them out",
    [MUS_SOLID_FLAT] = "leave them out",
    [MUS_SOLID_INVERTED] = "exchange two of their corners",
    [MUS_SOLID_DUPLICATE] = "leave them out",
    [MUS_SOLID_BRANCHING_FACE] = "leave out what overlaps there",
    [MUS_SOLID_FOLDED] = "mesh the shape again, since they overlap",
    [MUS_SOLID_BRANCHING_EDGE] = "cut the parts apart there, or join them",
    [MUS_SOLID_BRANCHING_VERTEX] = "cut the parts apart there, or join them",
    [MUS_SOLID_UNREFERENCED] = "leave them out",
    [MUS_SOLID_COINCIDENT] = "weld what belongs together",
    [MUS_SOLID_PIECE] = "they move on their own"};

static void print_defects(const mus_solid_report *report, FILE *out) {
  int kinds = 0;
  for (int k = 0; k < MUS_SOLID_DEFECTS; ++k) {
    char text[256];
    mus_solid_defect_text(report, (mus_solid_defect)k, sizeof text, text);
    if (text[0])
      mus_info_line(out, kinds++ == 0 ? "defects" : "", "%s: %s", text, remedies[k]);
  }
  if (kinds == 0)
    mus_info_line(out, "defects", "none");
}

// A line for each class that is not empty, with a bar; the longest has 40 signs.
static void print_histogram(FILE *out, const char *name, int bins, const int *bin, double width, const char *unit) {
  static const char bar[] = "########################################";
  int most = 1, lines = 0;
  for (int k = 0; k < bins; ++k)
    most = bin[k] > most ? bin[k] : most;
  for (int k = 0; k < bins; ++k)
    if (bin[k] > 0) {
      int length = (int)ceil(40.0 * bin[k] / most);
      mus_info_line(out, lines++ == 0 ? name : "", "%4g to %4g%s %9d %.*s", k * width, (k + 1) * width, unit, bin[k],
                    length, bar);
    }
}

static void print_quality(const mus_tetrahedra *mesh, FILE *out) {
  mus_tetrahedra_quality q;
  mus_tetrahedra_measure(mesh, &q);
  mus_info_line(out, "volume", "%.6g; the smallest tetrahedron has %.6g", q.volume, q.least_volume);
  mus_info_line(out, "edges", "%.6g to %.6g, %.6g on average", q.shortest, q.longest, q.mean_edge);
  mus_info_line(out, "angles", "%.2f to %.2f degrees between faces", q.least_angle, q.largest_angle);
  print_histogram(out, "", MUS_ANGLE_BINS, q.angle_bin, 5, " degrees");
  mus_info_line(out, "quality", "%.4f at least, %.4f on average; 1 is a regular tetrahedron", q.least, q.mean);
  print_histogram(out, "", MUS_QUALITY_BINS, q.bin, 1.0 / MUS_QUALITY_BINS, "");
}

static int compare_numbers(const void *first, const void *second) {
  int a = *(const int *)first, b = *(const int *)second;
  return (a > b) - (a < b);
}

// How many tetrahedra each region has.
static mus_status print_regions(mus_arena *arena, const mus_tetrahedra *mesh, FILE *out) {
  enum { SHOWN = 12 };
  if (!mesh->region)
    return MUS_OK;
  int *sorted = mus_arena_alloc(arena, (size_t)mesh->tetrahedra, sizeof *sorted), regions = 0;
  if (!sorted)
    return mus_fail_memory();
  for (int t = 0; t < mesh->tetrahedra; ++t)
    sorted[t] = mesh->region[t];
  qsort(sorted, (size_t)mesh->tetrahedra, sizeof *sorted, compare_numbers);
  fprintf(out, "  %-12s", "regions");
  for (int t = 0, end; t < mesh->tetrahedra; t = end, ++regions) {
    for (end = t + 1; end < mesh->tetrahedra && sorted[end] == sorted[t]; ++end)
      ;
    if (regions < SHOWN)
      fprintf(out, "%s %d with %d", regions > 0 ? "," : "", sorted[t], end - t);
  }
  fprintf(out, "%s\n", regions > SHOWN ? ", ..." : "");
  return MUS_OK;
}

static mus_status print_solid(const char *path, mus_arena *arena, const mus_solid_file *file, FILE *out) {
  const mus_tetrahedra *mesh = &file->mesh;
  mus_mesh points = {.vertices = mesh->vertices, .position = mesh->position};
  mus_box b = mus_mesh_box(&points);
  mus_solid_report report;
  mus_solid_surface surface;
  mus_status status = mus_tetrahedra_check(mesh, &report);
  if (status)
    return status;
  fprintf(out, "%s: a solid (%s)\n", path, file->format);
  mus_info_line(out, "vertices", "%d", mesh->vertices);
  mus_info_line(out, "tetrahedra", "%d", mesh->tetrahedra);
  mus_info_line(out, "box", "from (%g, %g, %g) to (%g, %g, %g)", b.low[0], b.low[1], b.low[2], b.high[0], b.high[1],
                b.high[2]);
  if (report.count[MUS_SOLID_REPEATED] == 0) {
    status = mus_tetrahedra_surface(arena, mesh, &surface);
    if (status)
      return status;
    mus_info_line(out, "surface", "%d vertices, %d triangles, area %.6g", surface.mesh.vertices, surface.mesh.triangles,
                  mus_total_space_area(&surface.mesh));
  }
  mus_info_line(out, "pieces", "%d", report.pieces);
  print_quality(mesh, out);
  status = print_regions(arena, mesh, out);
  if (file->curved > 0)
    mus_info_line(out, "curved", "%d tetrahedra of ten nodes count as those of their corners", file->curved);
  if (file->others > 0)
    mus_info_line(out, "not read", "%d elements of other kinds", file->others);
  print_defects(&report, out);
  return status;
}

mus_status mus_info_solid(const char *path, FILE *out) {
  mus_arena arena = {0};
  mus_solid_file file;
  mus_status status = mus_solid_file_read(path, &arena, &file);
  if (!status)
    status = print_solid(path, &arena, &file, out);
  mus_arena_clear(&arena);
  return status;
}
