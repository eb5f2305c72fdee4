// See vtu.h.
#include "io/vtu.h"

#include <stdio.h>

enum { TRIANGLE = 5, TETRAHEDRON = 10, HEAD = 8 };

// What an array's numbers are in the file.
typedef struct number_type {
  const char *name;
  int bytes;
} number_type;

static const number_type real = {"Float64", 8}, single = {"Float32", 4}, whole = {"Int32", 4}, number = {"Int64", 8},
                         byte = {"UInt8", 1};

// --- the XML ---------------------------------------------------------------------------------------------------------

static void declare(mus_output *out, const char *name, const number_type *type, int components, long long count,
                    long long *offset) {
  char text[256];
  snprintf(text, sizeof text,
           "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%lld\"/>\n",
           type->name, name, components, *offset);
  mus_output_text(out, text);
  *offset += HEAD + type->bytes * components * count;
}

static const mus_grid_values *first_of(const mus_grid *grid, int of_cells, int components) {
  for (int k = 0; k < grid->value_count; ++k)
    if (grid->values[k].of_cells == of_cells && grid->values[k].components == components)
      return &grid->values[k];
  return NULL;
}

// The first scalar, vector and tensor are those that programs show first.
static void open_values(mus_output *out, const mus_grid *grid, int of_cells) {
  static const char *const roles[] = {[1] = "Scalars", [3] = "Vectors", [6] = "Tensors"};
  mus_output_text(out, of_cells ? "<CellData" : "<PointData");
  for (int components = 1; components <= 6; ++components) {
    const mus_grid_values *first = roles[components] ? first_of(grid, of_cells, components) : NULL;
    char text[128];
    if (first) {
      snprintf(text, sizeof text, " %s=\"%s\"", roles[components], first->name);
      mus_output_text(out, text);
    }
  }
  mus_output_text(out, ">\n");
}

static int has_values(const mus_grid *grid, int of_cells) {
  for (int k = 0; k < grid->value_count; ++k)
    if (grid->values[k].of_cells == of_cells)
      return 1;
  return 0;
}

static void declare_values(mus_output *out, const mus_grid *grid, int of_cells, long long *offset) {
  if (!has_values(grid, of_cells))
    return;
  open_values(out, grid, of_cells);
  for (int k = 0; k < grid->value_count; ++k) {
    const mus_grid_values *v = &grid->values[k];
    if (v->of_cells == of_cells)
      declare(out, v->name, v->whole ? &whole : &single, v->components, of_cells ? grid->cells : grid->points, offset);
  }
  mus_output_text(out, of_cells ? "</CellData>\n" : "</PointData>\n");
}

static void put_head(mus_output *out, const mus_grid *grid) {
  long long offset = 0;
  mus_output_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                       "<Piece NumberOfPoints=\"");
  mus_output_integer(out, grid->points);
  mus_output_text(out, "\" NumberOfCells=\"");
  mus_output_integer(out, grid->cells);
  mus_output_text(out, "\">\n<Points>\n");
  declare(out, "positions", &real, 3, grid->points, &offset);
  mus_output_text(out, "</Points>\n<Cells>\n");
  declare(out, "connectivity", &number, 1, (long long)grid->corners * grid->cells, &offset);
  declare(out, "offsets", &number, 1, grid->cells, &offset);
  declare(out, "types", &byte, 1, grid->cells, &offset);
  mus_output_text(out, "</Cells>\n");
  declare_values(out, grid, 0, &offset);
  declare_values(out, grid, 1, &offset);
  mus_output_text(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

// --- the numbers -----------------------------------------------------------------------------------------------------

static void put_cells(mus_output *out, const mus_grid *grid) {
  size_t cells = (size_t)grid->cells, corners = (size_t)grid->corners * cells;
  mus_output_whole_bytes(out, HEAD, 0, (long long)(8 * corners));
  for (size_t i = 0; i < corners; ++i)
    mus_output_whole_bytes(out, 8, 0, grid->corner[i]);
  mus_output_whole_bytes(out, HEAD, 0, (long long)(8 * cells));
  for (size_t c = 1; c <= cells; ++c)
    mus_output_whole_bytes(out, 8, 0, (long long)(c * (size_t)grid->corners));
  mus_output_whole_bytes(out, HEAD, 0, (long long)cells);
  for (size_t c = 0; c < cells; ++c)
    mus_output_whole_bytes(out, 1, 0, grid->corners == 3 ? TRIANGLE : TETRAHEDRON);
}

static void put_values(mus_output *out, const mus_grid *grid, int of_cells) {
  for (int k = 0; k < grid->value_count; ++k) {
    const mus_grid_values *v = &grid->values[k];
    if (v->of_cells != of_cells)
      continue;
    size_t numbers = (size_t)v->components * (size_t)(of_cells ? grid->cells : grid->points);
    mus_output_whole_bytes(out, HEAD, 0, (long long)(4 * numbers));
    for (size_t i = 0; i < numbers; ++i)
      if (v->whole)
        mus_output_whole_bytes(out, 4, 0, v->whole[i]);
      else
        mus_output_single_bytes(out, 0, (float)v->real[i]);
  }
}

void mus_vtu_put(mus_output *out, const mus_grid *grid) {
  size_t numbers = 3 * (size_t)grid->points;
  put_head(out, grid);
  mus_output_whole_bytes(out, HEAD, 0, (long long)(8 * numbers));
  for (size_t i = 0; i < numbers; ++i)
    mus_output_real_bytes(out, 0, grid->position[i]);
  put_cells(out, grid);
  put_values(out, grid, 0);
  put_values(out, grid, 1);
  mus_output_text(out, "\n</AppendedData>\n</VTKFile>\n");
}
