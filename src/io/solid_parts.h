// What the readers of tetrahedra share, and the table of formats. Private to io/solid_*.c.
#ifndef MUS_IO_SOLID_PARTS_H
#define MUS_IO_SOLID_PARTS_H

#include <stdint.h>

#include "base/list.h"
#include "base/output.h"
#include "base/scan.h"
#include "io/solid_file.h"

// --- numbers, as text or as bytes ----------------------------------------------------------------------------------

typedef struct mus_numbers {
  mus_scanner *s;
  int binary; // 0: words, on any line
  int big;    // most significant byte first
} mus_numbers;

// `bytes`: of a binary one, 4 or 8; `what` names it in errors.
mus_status mus_numbers_whole(const mus_numbers *n, int bytes, const char *what, long long *value);
mus_status mus_numbers_real(const mus_numbers *n, int bytes, const char *what, double *value);
// The next word on any line; "" at the end of the file.
mus_status mus_numbers_word(const mus_numbers *n, size_t size, char *word);

// --- nodes and tetrahedra as they come -----------------------------------------------------------------------------

typedef struct mus_solid_build {
  mus_scanner *s;
  mus_list node;        // mus_solid_node
  mus_list tetrahedron; // mus_solid_element
  int others, curved;
} mus_solid_build;

typedef struct mus_solid_node {
  long long tag; // what elements call it
  double place[3];
} mus_solid_node;

typedef struct mus_solid_element {
  long long tag[4];
  long long line; // 0 in binary files
  int region;
} mus_solid_element;

mus_status mus_solid_add_node(mus_solid_build *build, long long tag, const double place[3]);
// The line is the scanner's, unless the file is binary.
mus_status mus_solid_add(mus_solid_build *build, const long long tag[4], long long region, int binary);
// A count that a file declares: not negative, and not beyond what any mesh has.
mus_status mus_solid_check_count(const mus_scanner *s, const char *what, long long count);
mus_status mus_solid_build_end(mus_solid_build *build, mus_arena *arena, mus_solid_file *out);
void mus_solid_build_free(mus_solid_build *build);

// --- formats -------------------------------------------------------------------------------------------------------

// From the beginning of a file, with its first bytes peeked at but not taken.
mus_status mus_gmsh_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out);
mus_status mus_medit_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out);
mus_status mus_vtk_scan(mus_scanner *s, mus_arena *arena, mus_solid_file *out);
mus_status mus_tetgen_read(const char *path, mus_arena *arena, mus_solid_file *out);
// From memory; tests and fuzzing.
mus_status mus_tetgen_scan(mus_scanner *nodes, mus_scanner *elements, mus_arena *arena, mus_solid_file *out);

void mus_gmsh_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary); // 2 or 4
void mus_medit_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary);
void mus_vtk_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary);
void mus_vtu_write(mus_output *out, const mus_tetrahedra *mesh, int version, int binary);
mus_status mus_tetgen_write(const char *path, const mus_tetrahedra *mesh);

// Numbers as text, with a blank before each.
void mus_output_place(mus_output *out, const double place[3]);
void mus_output_corners(mus_output *out, const int corner[4], int first);

#endif
