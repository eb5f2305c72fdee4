// What the fuzz targets of mesh readers have in common: reads the bytes, then checks, repairs, reorders and shapes what
// came of them.
#ifndef TESTS_FUZZ_FUZZ_MESH_H
#define TESTS_FUZZ_FUZZ_MESH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/scan.h"
#include "io/mesh_file.h"
#include "mesh/check.h"
#include "mesh/reorder.h"
#include "mesh/repair.h"
#include "mesh/rest.h"

static void require(int condition) {
  if (!condition)
    abort();
}

static void require_sound_file(const mus_mesh_file *file) {
  const mus_mesh *mesh = &file->mesh;
  require(mesh->vertices > 0 && mesh->triangles > 0);
  require(mus_mesh_file_check("fuzz", file) == MUS_OK);
  for (int t = 0; t < mesh->triangles; ++t)
    require(file->triangle_group[t] >= 0 && file->triangle_group[t] < file->groups);
  for (int k = 0; k < file->stitches; ++k) {
    const mus_stitch *s = &file->stitch[k];
    require(s->a >= 0 && s->b >= 0 && s->c >= 0);
    require(s->a < mesh->vertices && s->b < mesh->vertices && s->c < mesh->vertices);
  }
}

static void work_on(mus_arena *arena, mus_mesh *mesh) {
  const unsigned what = MUS_REPAIR_USUAL | MUS_REPAIR(MUS_DEFECT_FLIPPED) | MUS_REPAIR(MUS_DEFECT_COINCIDENT);
  mus_rest_options options = mus_rest_default_options();
  mus_rest_record rest;
  mus_repair_record record;
  mus_mesh repaired, sorted;
  mus_mesh_report report;
  mus_topology topology;
  mus_order order;
  require(mus_rest_shape(arena, mesh, &options, &rest) == MUS_OK);
  if (mus_mesh_repair(arena, mesh, what, &repaired, &record) != MUS_OK)
    return; // numbers so large that their products are infinite
  require(mus_mesh_check(&repaired, &report) == MUS_OK);
  require(report.count[MUS_DEFECT_REPEATED] + report.count[MUS_DEFECT_DEGENERATE] == 0);
  require(report.count[MUS_DEFECT_DUPLICATE] + report.count[MUS_DEFECT_UNREFERENCED] == 0);
  require(mus_topology_create(arena, &repaired, &topology) == MUS_OK);
  require(mus_order_find(arena, &repaired, &topology, &order) == MUS_OK);
  require(mus_order_apply(arena, &order, &repaired, &sorted) == MUS_OK);
}

static int fuzz_mesh(const uint8_t *data, size_t size,
                     mus_status (*scan)(mus_scanner *, mus_arena *, mus_mesh_file *)) {
  mus_arena arena = {0};
  mus_mesh_file file;
  mus_scanner scanner;
  require(mus_scan_open_text(&scanner, "fuzz", (const char *)data, size) == MUS_OK);
  if (scan(&scanner, &arena, &file) == MUS_OK) {
    require_sound_file(&file);
    work_on(&arena, &file.mesh);
  }
  mus_scan_close(&scanner);
  mus_arena_clear(&arena);
  return 0;
}

#endif
