// See fill.h.
#include "fill.h"

#include <limits.h>
#include <stdio.h>

#include "failure.h"
#include "muslin/fill.h"
#include "options.h"

static const char *const name = "muslin fill";

static void print_help(const option_table *table) {
  printf("muslin fill SHAPE -o FILE [options]\n\n"
         "Fills a closed surface (OBJ, PLY, glTF) or a built-in shape with tetrahedra, and writes them to FILE, which\n"
         "ends in .msh (Gmsh), .mesh (Medit), .vtk, .vtu or .node (TetGen), or in .obj or .ply for the surface alone.\n"
         "Surfaces may have holes and overlap themselves. See docs/solids.md.\n\nBuilt-in shapes:\n");
  for (int k = 0; mus_fill_shape_name(k); ++k)
    printf("  %-12s %s\n", mus_fill_shape_name(k), mus_fill_shape_about(k));
  printf("\nOptions:\n");
  options_print(table, stdout);
  printf("\nExit status: 0 if the file was written; 1 if that failed; 2 for bad input.\n");
}

static void print_record(const char *shape, const char *path, const mus_fill_record *r) {
  if (r->repairs[0])
    printf("%s: repaired: %s\n", shape, r->repairs);
  printf("%s: %d tetrahedra, %d vertices, %d triangles at the surface, edge %.4g m, %.2f s\n", path, r->tetrahedra,
         r->vertices, r->surface_triangles, r->edge, r->seconds);
  printf("  volume       %.6g m^3 in %d piece%s\n", r->volume, r->pieces, r->pieces == 1 ? "" : "s");
  printf("  angles       %.2f to %.2f degrees between faces, mean quality %.3f\n", r->least_angle, r->largest_angle,
         r->mean_quality);
  if (r->deviation >= 0)
    printf("  surface      within %.3g m (%.2f edges) of the surface given, of which nothing is farther than %.3g m\n"
           "               (%.2f edges) away\n",
           r->deviation, r->deviation / r->edge, r->loss, r->loss / r->edge);
  if (r->closed > 0)
    printf("  holes        are closed by surface that is up to %.3g m from the surface given\n", r->closed);
  if (r->loss > r->edge)
    printf("  note         thin parts are lost at this edge length: choose a shorter one to keep them\n");
  if (r->touching > 0)
    printf("  note         %d vertices were doubled where parts touched at a point or an edge only\n", r->touching);
  if (r->crumbs > 0)
    printf("  note         %d tetrahedra in small pieces were left out\n", r->crumbs);
}

int fill_command(int argc, char **argv) {
  mus_fill_options options = mus_default_fill_options();
  const char *shape = NULL, *path = NULL;
  int help = 0, count = 0;
  enum { OPTIONS = 7 };
  option list[OPTIONS];
  list[0] = option_text("output", &path, "FILE", "what to write");
  list[0].letter = 'o';
  list[1] = option_real("edge", &options.edge, "length of edges inside, in metres (as --vertices has it)");
  list[2] = option_whole("vertices", &options.vertices, 9, INT_MAX, "about so many vertices, without --edge (10000)");
  list[3] = option_real("scale", &options.scale, "multiplies coordinates: 0.01 for a surface in centimetres (1)");
  list[4] = option_flag("largest", &options.largest, "keep only the largest piece");
  list[5] = option_text(
      "format", &options.format, "NAME",
      "msh, msh-text, msh2, msh2-text, mesh, vtk, vtk-text, vtu or tetgen\n(as FILE ends; msh is version 4.1)");
  list[6] = option_flag("help", &help, "print this text");
  list[6].letter = 'h';
  option_table table = {name, list, OPTIONS};
  int failed = options_parse(&table, argc, argv, &shape, 1, &count);
  if (failed)
    return failed;
  if (help) {
    print_help(&table);
    return CLI_DONE;
  }
  if (count == 0)
    return failure_input(name, "no shape given: name a mesh file or a built-in shape, or use --help");
  if (!path)
    return failure_input(name, "no file to write given: add -o FILE, such as -o %s", "solid.msh");
  mus_fill_record record;
  mus_status status = mus_fill_solid(shape, path, &options, &record);
  if (status)
    return failure_status(name, NULL, status);
  print_record(shape, path, &record);
  return CLI_DONE;
}
