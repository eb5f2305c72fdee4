// VTK's XML files of unstructured grids (.vtu), written only. See solid_file.h.
//
// The numbers stand behind the XML, as bytes with the least significant first, each array after its length in bytes.
#include <stdio.h>

#include "io/solid_parts.h"

enum { TETRAHEDRON = 10, HEAD = 8 };

typedef struct array {
  const char *before, *name, *type;
  int components;
  long long bytes;
} array;

static void put_array(mus_output *out, const array *a, long long *offset) {
  char text[256];
  snprintf(text, sizeof text,
           "%s<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%lld\"/>\n",
           a->before, a->type, a->name, a->components, *offset);
  mus_output_text(out, text);
  *offset += HEAD + a->bytes;
}

static void put_numbers(mus_output *out, const mus_tetrahedra *mesh, const array *a) {
  size_t tetrahedra = (size_t)mesh->tetrahedra;
  mus_output_whole_bytes(out, HEAD, 0, a[0].bytes);
  for (size_t i = 0; i < (size_t)mesh->vertices * 3; ++i)
    mus_output_real_bytes(out, 0, mesh->position[i]);
  mus_output_whole_bytes(out, HEAD, 0, a[1].bytes);
  for (size_t i = 0; i < tetrahedra * 4; ++i)
    mus_output_whole_bytes(out, 8, 0, mesh->corner[i]);
  mus_output_whole_bytes(out, HEAD, 0, a[2].bytes);
  for (size_t t = 0; t < tetrahedra; ++t)
    mus_output_whole_bytes(out, 8, 0, 4 * (long long)t + 4);
  mus_output_whole_bytes(out, HEAD, 0, a[3].bytes);
  for (size_t t = 0; t < tetrahedra; ++t)
    mus_output_whole_bytes(out, 1, 0, TETRAHEDRON);
  mus_output_whole_bytes(out, HEAD, 0, a[4].bytes);
  for (size_t t = 0; t < tetrahedra; ++t)
    mus_output_whole_bytes(out, 4, 0, mesh->region ? mesh->region[t] : 0);
}

void mus_vtu_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary) {
  (void)version;
  (void)binary;
  long long offset = 0, tetrahedra = mesh->tetrahedra;
  const array arrays[] = {{"<Points>\n", "positions", "Float64", 3, 24LL * mesh->vertices},
                          {"</Points>\n<Cells>\n", "connectivity", "Int64", 1, 32 * tetrahedra},
                          {"", "offsets", "Int64", 1, 8 * tetrahedra},
                          {"", "types", "UInt8", 1, tetrahedra},
                          {"</Cells>\n<CellData Scalars=\"region\">\n", "region", "Int32", 1, 4 * tetrahedra}};
  mus_output_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                       "<Piece NumberOfPoints=\"");
  mus_output_integer(out, mesh->vertices);
  mus_output_text(out, "\" NumberOfCells=\"");
  mus_output_integer(out, tetrahedra);
  mus_output_text(out, "\">\n");
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
    put_array(out, &arrays[k], &offset);
  mus_output_text(out, "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
  put_numbers(out, mesh, arrays);
  mus_output_text(out, "\n</AppendedData>\n</VTKFile>\n");
}
