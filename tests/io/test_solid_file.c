// Files of tetrahedra: each format as others write it, every fault that is named, truncation anywhere, and what is
// written comes back bit for bit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/solid_parts.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_generate.h"
#include "support/check.h"
#include "support/files.h"
#include "support/sweep.h"

// Two tetrahedra on both sides of a triangle, in regions 7 and 3.
static const double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.25, 0.25, -1.5};
static const int corners[] = {0, 1, 2, 3, 0, 2, 1, 4}, regions[] = {7, 3};

static mus_status parse(mus_arena *arena, const char *text, mus_solid_file *file) {
  return mus_solid_file_parse("f", text, strlen(text), arena, file);
}

static void assert_pair(const mus_solid_file *file, int with_regions) {
  assert_int_equal(file->mesh.vertices, 5);
  assert_int_equal(file->mesh.tetrahedra, 2);
  assert_memory_equal(file->mesh.position, places, sizeof places);
  assert_memory_equal(file->mesh.corner, corners, sizeof corners);
  if (with_regions)
    assert_memory_equal(file->mesh.region, regions, sizeof regions);
  else
    assert_null(file->mesh.region);
}

// --- what others write ---------------------------------------------------------------------------------------------

static const struct {
  const char *text, *format;
  int regions, others, curved;
} good[] = {
    {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a $ sign\"\n$EndPhysicalNames\n$Nodes\n5\n"
     "10 0 0 0\n2 1 0 0\n30 0 1 0\n4 0 0 1\n5 .25 0.25 -1.5\n$EndNodes\n$Elements\n4\n1 15 2 0 1 10\n2 4 2 7 1 10 2 30 "
     "4\n"
     "3 2 2 0 1 10 2 30\n9 4 3 3 1 0 10 30 2 5\n$EndElements\n",
     "Gmsh 2.2, text", 1, 2, 0},
    {"$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\n0 0 0 1\n7 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 1 "
     "5\n"
     "2 1 1 2\n1\n2\n0 0 0 .5 .5\n1 0 0 .5 .5\n3 7 0 3\n3\n4\n5\n0 1 0\n0 0 1\n.25 .25 -1.5\n$EndNodes\n"
     "$Elements\n3 3 1 3\n2 1 2 1\n1 1 2 3\n3 7 4 1\n2 1 2 3 4\n3 3 4 1\n3 1 3 2 5\n$EndElements\n",
     "Gmsh 4.1, text", 1, 1, 0},
    {"MeshVersionFormatted 1\nDimension\n3\n# a comment\nVertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n.25 .25 -1.5 "
     "1\n"
     "Corners\n1\n1\nTriangles\n1\n1 2 3 0\nTetrahedra\n2\n1 2 3 4 7\n1 3 2 5 3\nEnd\n",
     "Medit, text", 1, 1, 0},
    {"# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
     ".25 .25 -1.5\nCELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 0 2 1 4\nCELL_TYPES 3\n10\n5\n10\nCELL_DATA 3\n"
     "SCALARS region int 1\nLOOKUP_TABLE default\n7 0 3\n",
     "legacy VTK, text", 1, 1, 0},
    {"# vtk DataFile Version 5.1\na title\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"
     ".25 .25 -1.5\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 2 1 4\nCELL_TYPES 2\n"
     "10 10\nPOINT_DATA 5\nwhatever\n",
     "legacy VTK, text", 0, 0, 0},
};
enum { GOOD = sizeof good / sizeof *good };

static void each_format_is_read(void **state) {
  (void)state;
  for (int k = 0; k < GOOD; ++k) {
    mus_arena arena = {0};
    mus_solid_file file;
    assert_ok(parse(&arena, good[k].text, &file));
    assert_string_equal(file.format, good[k].format);
    assert_pair(&file, good[k].regions);
    assert_int_equal(file.others, good[k].others);
    assert_int_equal(file.curved, good[k].curved);
    mus_arena_clear(&arena);
  }
}

static void tetgen_has_two_files(void **state) {
  static const char nodes[] =
      "# made by hand\n5 3 1 0\n1 0 0 0 9\n2 1 0 0 9\n3 0 1 0 9\n\n4 0 0 1 9\n5 .25 .25 -1.5 9\n";
  static const char elements[] = "2 10 1\n1 1 2 3 4 1 1 1 1 1 1 7.0\n2 1 3 2 5 1 1 1 1 1 1 3\n# the end\n";
  mus_arena arena = {0};
  mus_solid_file file;
  files_write(files_path(*state, "a.node"), nodes, sizeof nodes - 1);
  assert_fails(mus_solid_file_read(files_path(*state, "a.node"), &arena, &file), MUS_IO_ERROR,
               "a.ele: cannot be opened");
  files_write(files_path(*state, "a.ele"), elements, sizeof elements - 1);
  for (int k = 0; k < 2; ++k) {
    assert_ok(mus_solid_file_read(files_path(*state, k ? "a.ele" : "a.node"), &arena, &file));
    assert_pair(&file, 1);
    assert_int_equal(file.curved, 2);
  }
  mus_arena_clear(&arena);
}

// A binary file of the other byte order, which only old machines write.
static void put(char **to, int bytes, uint64_t value) {
  for (int k = bytes - 1; k >= 0; --k)
    *(*to)++ = (char)(value >> (8 * k));
}

static void gmsh_of_either_byte_order(void **state) {
  (void)state;
  char bytes[1000], *to = bytes + sprintf(bytes, "$MeshFormat\n2.2 1 8\n");
  put(&to, 4, 1);
  to += sprintf(to, "\n$EndMeshFormat\n$Nodes\n5\n");
  for (int v = 0; v < 5; ++v) {
    put(&to, 4, (uint64_t)v + 1);
    for (int k = 0; k < 3; ++k) {
      uint64_t bits;
      memcpy(&bits, &places[3 * v + k], sizeof bits);
      put(&to, 8, bits);
    }
  }
  to += sprintf(to, "\n$EndNodes\n$Elements\n2\n");
  for (int t = 0; t < 2; ++t) {
    put(&to, 4, 4);
    put(&to, 4, 1);
    put(&to, 4, 1);
    put(&to, 4, (uint64_t)t + 1);
    put(&to, 4, (uint64_t)regions[t]);
    for (int k = 0; k < 4; ++k)
      put(&to, 4, (uint64_t)corners[4 * t + k] + 1);
  }
  to += sprintf(to, "\n$EndElements\n");
  mus_arena arena = {0};
  mus_solid_file file;
  assert_ok(mus_solid_file_parse("f", bytes, (size_t)(to - bytes), &arena, &file));
  assert_pair(&file, 1);
  assert_string_equal(file.format, "Gmsh 2.2, binary");
  mus_arena_clear(&arena);
}

// --- what is rejected ----------------------------------------------------------------------------------------------

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define MEDIT "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"

static const struct {
  const char *text, *error;
} bad[] = {
    {"", "f:1: this is no file of tetrahedra: give Gmsh"},
    {"v 0 0 0\n", "f:1: this is no file of tetrahedra"},
    {"$MeshFormat\n3.0 0 8\n", "f:2: version 3 is not read: save the mesh as version 2.2 or 4.1"},
    {"$MeshFormat\n2.2 0 4\n", "f:2: type 0 with numbers of 4 bytes is not read"},
    {"$MeshFormat\n2.2 0 8\n$Nodes\n", "f:3: '$Nodes' stands where $EndMeshFormat should be"},
    {MSH, "f: there is no section $Nodes: the file is truncated"},
    {MSH NODES, "f: there are no tetrahedra: check that this is a mesh of a solid"},
    {MSH "$Nodes\n-3\n", "f:5: -3 nodes: a mesh has 0 to 268435456 of them"},
    {MSH "$Nodes\n4000000000\n", "f:5: 4000000000 nodes: a mesh has"},
    {MSH "$Nodes\n99999999\n1 0 0 0\n", "f:7: the file ends where a node's number should be: it is truncated"},
    {MSH "$Nodes\n1\n1 0 zero 0\n", "f:6: 'zero' is not a number for y: correct it"},
    {MSH "$Nodes\n1\n1 0 nan 0\n", "f:6: y is not a finite number"},
    {MSH "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 1\n$EndElements\n",
     "f: node 1 is there twice"},
    {MSH "$Nodes\n1\n7 0 -1e60 0\n$EndNodes\n$Elements\n1\n1 4 0 7 7 7 7\n$EndElements\n",
     "f: y of node 7 is -1e+60: the farthest is 1e+50"},
    {MSH NODES "$Elements\n1\n1 4 2 0 0 1 2 3 5\n$EndElements\n", "f:13: node 5 is not there: correct the tetrahedron"},
    {MSH NODES "$Elements\n1\n1 99 2 0 0 1\n", "f:13: 99 is not a type of element that is known"},
    {MSH NODES "$Elements\n1\n1 4 -1 1 2 3 4\n", "f:13: -1 tags of an element"},
    {MSH NODES "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", "f: there are no tetrahedra, only other elements"},
    {MSH NODES NODES, "f:11: '$Nodes' stands where a new section should begin"},
    {MSH "banana\n", "f:4: 'banana' stands where a new section should begin"},
    {MSH "$Comment\nand no end\n", "section Comment has no end: the file is truncated"},
    {MSH4 "$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "f:8: 2 nodes are declared, but there are 1"},
    {MSH4 "$Nodes\n1 1 1 1\n5 1 0 1\n", "f:6: nodes of an entity of dimension 5: it is 0 to 3"},
    {MEDIT, "f: there are no tetrahedra"},
    {"MeshVersionFormatted 2\nDimension 2\n", "f:2: a mesh of dimension 2 has no tetrahedra"},
    {MEDIT "Tetrahedra 1\n0 1 2 3 0\nEnd\n", "f:9: node 0 is not there: correct the tetrahedron"},
    {MEDIT "Tetrahedra 1\n1 2 3 4 0 7\nEnd\n", "f:9: '7' stands where a keyword should be: check the count before"},
    {MEDIT "Tetrahedra 2\n1 2 3 4 0\n", "the file ends where a vertex of a tetrahedron should be: it is truncated"},
    {"# vtk DataFile Version x\nt\n", "f:1: 'x' is not a version that is read"},
    {"# vtk DataFile Version 2.0\nt\nBANANA\n", "f:3: 'BANANA' stands where ASCII or BINARY should be"},
    {"# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\n", "f:4: 'POLYDATA' is not a dataset of tetrahedra"},
    {VTK "POINTS 4 char\n", "f:5: points of type 'char': give float or double"},
    {VTK POINTS, "f: there are no cells with types"},
    {VTK POINTS "CELLS 1 5\n5 0 1 2 3\n", "f:8: cell 0 has 5 points, which is more than there are left"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", "f:9: 2 types for 1 cells: give one for each"},
    {VTK POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "f: cell 0 is a tetrahedron of 3 points: correct it"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "f: tetrahedron 0 has node 4, which is not there"},
    {"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
     "CELLS 2 4\nOFFSETS vtktypeint64\n0 9\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
     "offset 1 is 9, which is not between that before and 4"},
};

static void faults_are_named(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    mus_arena arena = {0};
    mus_solid_file file;
    assert_fails(parse(&arena, bad[k].text, &file), MUS_BAD_INPUT, bad[k].error);
    assert_true(arena.bytes < 1 << 20);
    mus_arena_clear(&arena);
  }
}

static void faults_of_tetgen_are_named(void **state) {
  static const struct {
    const char *nodes, *elements, *error;
  } cases[] = {
      {"4 2 0 0\n", "1 4 0\n", "a.node:1: nodes with 2 coordinates: give three"},
      {"1 3\n5 0 0 0\n", "1 4 0\n", "a.node:2: the number of a node begins at 5: let it begin at 0 or 1"},
      {"2 3\n0 0 0 0\n2 0 0 0\n", "1 4 0\n", "a.node:3: the number of a node is 2 where 1 should be"},
      {"1 3\n0 0 0\n", "1 4 0\n", "a.node:2: the line ends where z should be"},
      {"1 3\n0 0 0 0\n", "1 5 0\n", "a.ele:1: tetrahedra of 5 nodes: give 4 or 10"},
      {"1 3\n0 0 0 0\n", "1 4 0\n0 0 0 0 1\n", "a.ele:2: node 1 is not there: correct the tetrahedron"},
      {"1 3\n0 0 0 0\n", "1 4 1\n0 0 0 0 0\n", "a.ele:2: the line ends where the attribute of a tetrahedron should be"},
      {"1 3\n0 0 0 0\n", "0 4 0\n", "a.ele: there are no tetrahedra"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    mus_arena arena = {0};
    mus_solid_file file;
    files_write(files_path(*state, "a.node"), cases[k].nodes, strlen(cases[k].nodes));
    files_write(files_path(*state, "a.ele"), cases[k].elements, strlen(cases[k].elements));
    assert_fails(mus_solid_file_read(files_path(*state, "a.ele"), &arena, &file), MUS_BAD_INPUT, cases[k].error);
    mus_arena_clear(&arena);
  }
}

// --- what is written -----------------------------------------------------------------------------------------------

static mus_tetrahedra odd_box(mus_arena *arena, int with_regions) {
  mus_tetrahedra box, mesh;
  assert_ok(mus_solid_box_of_cells(arena, (const double[]){1.0 / 3, 1e-7, 1e9}, (const int[]){2, 1, 1}, &box));
  assert_ok(mus_tetrahedra_create(arena, box.vertices, box.tetrahedra, with_regions, &mesh));
  memcpy(mesh.position, box.position, (size_t)box.vertices * 3 * sizeof(double));
  memcpy(mesh.corner, box.corner, (size_t)box.tetrahedra * 4 * sizeof(int));
  for (int t = 0; t < box.tetrahedra && with_regions; ++t)
    mesh.region[t] = 1 + t / 5;
  return mesh;
}

static void all_formats_come_back(void **state) {
  for (int k = 0; mus_solid_format_name(k); ++k)
    for (int n = 0; n < 4; ++n) {
      mus_arena arena = {0};
      mus_tetrahedra mesh = odd_box(&arena, n % 2);
      mus_solid_file file;
      const char *format = mus_solid_format_name(k);
      if (strcmp(format, "vtu") == 0) { // not read
        mus_arena_clear(&arena);
        continue;
      }
      const char *end = format[0] == 't' ? ".ele" : format[0] == 'v' ? ".vtk" : format[1] == 's' ? ".msh" : ".mesh";
      char name[32];
      snprintf(name, sizeof name, "a%s%s", end, n < 2 ? "" : ".gz");
      const char *path = files_path(*state, name);
      assert_ok(mus_solid_file_write(path, format, &mesh));
      assert_ok(mus_solid_file_read(path, &arena, &file));
      assert_int_equal(file.mesh.vertices, mesh.vertices);
      assert_int_equal(file.mesh.tetrahedra, mesh.tetrahedra);
      assert_memory_equal(file.mesh.position, mesh.position, (size_t)mesh.vertices * 3 * sizeof(double));
      assert_memory_equal(file.mesh.corner, mesh.corner, (size_t)mesh.tetrahedra * 4 * sizeof(int));
      assert_int_equal(file.mesh.region != NULL, n % 2);
      if (n % 2)
        assert_memory_equal(file.mesh.region, mesh.region, (size_t)mesh.tetrahedra * sizeof(int));
      mus_arena_clear(&arena);
    }
}

// Each array stands where the XML says, after its length.
static void vtu_has_its_numbers_where_it_says(void **state) {
  mus_arena arena = {0};
  mus_tetrahedra mesh = odd_box(&arena, 1);
  const char *path = files_path(*state, "a.vtu");
  assert_ok(mus_solid_file_write(path, NULL, &mesh));
  files_bytes bytes = files_read(path);
  const char *text = (const char *)bytes.data, *data = strstr(text, "encoding=\"raw\">\n_");
  assert_non_null(data);
  data += strlen("encoding=\"raw\">\n_");
  static const char *const names[] = {"positions", "connectivity", "offsets", "types", "region"};
  size_t sizes[] = {24 * (size_t)mesh.vertices, 32 * (size_t)mesh.tetrahedra, 8 * (size_t)mesh.tetrahedra,
                    (size_t)mesh.tetrahedra, 4 * (size_t)mesh.tetrahedra};
  const char *end = data;
  for (int k = 0; k < 5; ++k) {
    const char *array = strstr(text, names[k]), *offset = strstr(array, "offset=\"");
    const char *at = data + atoll(offset + strlen("offset=\""));
    uint64_t length;
    assert_ptr_equal(at, end);
    memcpy(&length, at, sizeof length);
    assert_int_equal(length, sizes[k]);
    end = at + sizeof length + sizes[k];
    int64_t first[4];
    memcpy(first, at + 8, sizeof first);
    if (k == 0)
      assert_memory_equal(at + 8, mesh.position, sizes[k]);
    for (int c = 0; k == 1 && c < 4; ++c)
      assert_int_equal(first[c], mesh.corner[c]);
    assert_true(k != 2 || (first[0] == 4 && first[3] == 16));
    assert_true(k != 3 || at[8] == 10);
    if (k == 4)
      assert_memory_equal(at + 8, mesh.region, sizes[k]);
  }
  assert_string_equal(end, "\n</AppendedData>\n</VTKFile>\n");
  free(bytes.data);
  mus_arena_clear(&arena);
}

// Every beginning of every file, and every file with a byte changed, gives a status.
static void damaged_files_are_survived(void **state) {
  int accepted = 0;
  for (int k = 0; mus_solid_format_name(k); ++k) {
    const char *format = mus_solid_format_name(k);
    if (format[0] == 't' || strcmp(format, "vtu") == 0)
      continue;
    mus_arena arena = {0};
    mus_tetrahedra mesh = odd_box(&arena, 1);
    mesh.tetrahedra = 6;
    const char *path = files_path(*state, format[0] == 'v' ? "a.vtk" : format[1] == 's' ? "a.msh" : "a.mesh");
    assert_ok(mus_solid_file_write(path, format, &mesh));
    files_bytes bytes = files_read(path);
    for (size_t i = 0; i < 2 * bytes.size; ++i) {
      mus_solid_file file;
      mus_arena own = {0};
      size_t length = i < bytes.size ? i : bytes.size, at = i % bytes.size;
      unsigned char before = bytes.data[at];
      if (length == bytes.size)
        bytes.data[at] = (unsigned char)(before ^ 1u << (i * 7 % 8));
      mus_status status = mus_solid_file_parse("f", (const char *)bytes.data, length, &own, &file);
      bytes.data[at] = before;
      assert_true(status == MUS_OK || status == MUS_BAD_INPUT);
      if (status == MUS_OK) {
        mus_solid_report report;
        assert_ok(mus_tetrahedra_check(&file.mesh, &report));
        ++accepted;
      }
      mus_arena_clear(&own);
    }
    free(bytes.data);
    mus_arena_clear(&arena);
  }
  assert_true(accepted > 100);
}

static void names_decide_what_is_written(void **state) {
  mus_arena arena = {0};
  mus_tetrahedra mesh = odd_box(&arena, 0);
  assert_fails(mus_solid_file_write("a.stl", NULL, &mesh), MUS_BAD_INPUT,
               "a.stl: the name says no format of tetrahedra");
  assert_fails(mus_solid_file_write("a.vtk", "msh", &mesh), MUS_BAD_INPUT, "files of the format \"msh\" end in .msh");
  assert_fails(mus_solid_file_write("a.vtk", "stl", &mesh), MUS_BAD_INPUT,
               "\"stl\" is not a format: give msh, msh-text");
  mesh.corner[5] = mesh.vertices;
  const char *path = files_path(*state, "bad.msh");
  assert_fails(mus_solid_file_write(path, NULL, &mesh), MUS_BAD_INPUT, "tetrahedron 1 has vertex");
  mesh.corner[5] = 0;
  mesh.position[3] = NAN;
  assert_fails(mus_solid_file_write(path, NULL, &mesh), MUS_BAD_INPUT, "vertex 1 of the mesh is not finite");
  assert_false(files_exists(path));
  mus_arena_clear(&arena);
}

static mus_status parse_good(mus_arena *arena, void *data) {
  mus_solid_file file;
  return parse(arena, good[*(const int *)data].text, &file);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  for (int k = 0; k < GOOD; ++k) {
    mus_arena arena = {0};
    assert_true(sweep_allocations(&arena, parse_good, &k) > 3);
    mus_arena_clear(&arena);
  }
}

// What the fuzz target starts from: a box of one cell in every format.
static void files_of_the_corpus_agree(void **state) {
  (void)state;
  static const char *const names[] = {"good_mesh.mesh",     "good_msh.msh", "good_msh-text.msh", "good_msh2.msh",
                                      "good_msh2-text.msh", "good_vtk.vtk", "good_vtk-text.vtk"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    mus_arena arena = {0};
    mus_solid_file file;
    char path[64];
    snprintf(path, sizeof path, "tests/data/solid/%s", names[k]);
    assert_ok(mus_solid_file_read(path, &arena, &file));
    assert_int_equal(file.mesh.vertices, 9);
    assert_int_equal(file.mesh.tetrahedra, 12);
    assert_true(fabs(mus_tetrahedra_volume(&file.mesh) - 1) < 1e-15);
    mus_arena_clear(&arena);
  }
}

static void a_real_file_is_sound(void **state) {
  (void)state;
  static const char path[] = "../shared/data/models/armadillo_4k.node";
  if (access(path, R_OK) != 0)
    skip();
  mus_arena arena = {0};
  mus_solid_file file;
  mus_solid_report report;
  assert_ok(mus_solid_file_read(path, &arena, &file));
  assert_int_equal(file.mesh.vertices, 1180);
  assert_int_equal(file.mesh.tetrahedra, 3717);
  assert_ok(mus_tetrahedra_check(&file.mesh, &report));
  assert_ok(mus_tetrahedra_require_sound(&report));
  assert_int_equal(report.pieces, 1);
  mus_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_format_is_read),
      cmocka_unit_test_setup_teardown(tetgen_has_two_files, files_setup, files_teardown),
      cmocka_unit_test(gmsh_of_either_byte_order),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test_setup_teardown(faults_of_tetgen_are_named, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(all_formats_come_back, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(vtu_has_its_numbers_where_it_says, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(damaged_files_are_survived, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(names_decide_what_is_written, files_setup, files_teardown),
      cmocka_unit_test(failing_allocations_leak_nothing),
      cmocka_unit_test(files_of_the_corpus_agree),
      cmocka_unit_test(a_real_file_is_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
