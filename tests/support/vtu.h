// What a .vtu file says and holds, read as far as tests need it: every array's type, size and bytes.
#ifndef SUPPORT_VTU_H
#define SUPPORT_VTU_H

#include <stddef.h>

#include "support/files.h"

typedef struct vtu_array {
  char type[16], name[64];
  int components;
  int of; // 'p': of points, 'c': of cells, 'P': positions, 'C': cells
  size_t bytes;
  const unsigned char *data;
} vtu_array;

enum { VTU_ARRAYS = 32 };
typedef struct vtu_file {
  files_bytes bytes;
  int points, cells, arrays;
  vtu_array array[VTU_ARRAYS];
} vtu_file;

// The test fails where the file is not as VTK's format is: arrays that overlap, that leave gaps, or whose lengths are
// not those of their numbers.
vtu_file vtu_read(const char *path);
void vtu_free(vtu_file *file);
// The test fails if there is none of that name.
const vtu_array *vtu_find(const vtu_file *file, const char *name);
// A number of an array, whatever its type.
double vtu_number(const vtu_array *array, size_t index);

#endif
