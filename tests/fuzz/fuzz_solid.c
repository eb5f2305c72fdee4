// libFuzzer target for the readers of tetrahedra: any bytes give a status, and what is accepted can be checked,
// repaired, reordered and measured. A zero byte in text that begins with a digit divides TetGen's two files.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/solid_parts.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_order.h"

static void require(int condition) {
  if (!condition)
    abort();
}

static void work_on(mus_arena *arena, const mus_tetrahedra *mesh) {
  mus_solid_report report;
  mus_solid_repair record;
  mus_tetrahedra repaired, sorted;
  mus_solid_order order;
  mus_solid_surface surface;
  mus_tetrahedra_quality quality;
  require(mesh->vertices > 0 && mesh->tetrahedra > 0);
  for (size_t i = 0; i < (size_t)mesh->vertices * 3; ++i)
    require(isfinite(mesh->position[i]));
  for (size_t i = 0; i < (size_t)mesh->tetrahedra * 4; ++i)
    require(mesh->corner[i] >= 0 && mesh->corner[i] < mesh->vertices);
  require(mus_tetrahedra_check(mesh, &report) == MUS_OK);
  require(mus_tetrahedra_repair(arena, mesh, ~0u, &repaired, &record) == MUS_OK);
  require(mus_tetrahedra_check(&repaired, &report) == MUS_OK);
  require(report.count[MUS_SOLID_REPEATED] + report.count[MUS_SOLID_FLAT] + report.count[MUS_SOLID_INVERTED] == 0);
  require(report.count[MUS_SOLID_DUPLICATE] + report.count[MUS_SOLID_UNREFERENCED] + report.count[MUS_SOLID_PIECE] ==
          0);
  require(mus_solid_order_find(arena, &repaired, &order) == MUS_OK);
  require(mus_solid_order_apply(arena, &order, &repaired, &sorted) == MUS_OK);
  require(mus_tetrahedra_surface(arena, &sorted, &surface) == MUS_OK);
  mus_tetrahedra_measure(&sorted, &quality);
}

static mus_status read_tetgen(const char *text, size_t size, mus_arena *arena, mus_solid_file *file) {
  const char *zero = memchr(text, 0, size), *second = zero ? zero + 1 : text + size;
  mus_scanner nodes, elements;
  require(mus_scan_open_text(&nodes, "nodes", text, zero ? (size_t)(zero - text) : size) == MUS_OK);
  require(mus_scan_open_text(&elements, "elements", second, (size_t)(text + size - second)) == MUS_OK);
  mus_status status = mus_tetgen_scan(&nodes, &elements, arena, file);
  mus_scan_close(&elements);
  mus_scan_close(&nodes);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mus_arena arena = {0};
  mus_solid_file file;
  const char *text = (const char *)data;
  int is_tetgen = size > 0 && data[0] >= '0' && data[0] <= '9';
  mus_status status =
      is_tetgen ? read_tetgen(text, size, &arena, &file) : mus_solid_file_parse("fuzz", text, size, &arena, &file);
  if (status == MUS_OK)
    work_on(&arena, &file.mesh);
  mus_arena_clear(&arena);
  return 0;
}
