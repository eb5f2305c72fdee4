#include "support/vtu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bytes_of(const char *type) {
  if (strcmp(type, "Float64") == 0 || strcmp(type, "Int64") == 0)
    return 8;
  if (strcmp(type, "Float32") == 0 || strcmp(type, "Int32") == 0)
    return 4;
  assert_string_equal(type, "UInt8");
  return 1;
}

// The value of an attribute of the tag that begins here.
static void attribute(const char *tag, const char *name, size_t size, char *value) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s=\"", name);
  const char *at = strstr(tag, wanted), *end = strchr(tag, '>');
  assert_true(at && end && at < end);
  at += strlen(wanted);
  size_t length = strcspn(at, "\"");
  assert_true(length < size);
  memcpy(value, at, length);
  value[length] = 0;
}

static long long number_in(const char *tag, const char *name) {
  char text[32], *end;
  attribute(tag, name, sizeof text, text);
  long long value = strtoll(text, &end, 10);
  assert_true(text[0] && !*end);
  return value;
}

// The section that a tag stands in, by the last one that was opened before it.
static int section_of(const char *text, const char *tag) {
  static const char *const names[] = {"<Points", "<Cells", "<PointData", "<CellData"};
  static const char letters[] = "PCpc";
  const char *last = text;
  int of = 0;
  for (int k = 0; k < 4; ++k) {
    const char *at = strstr(text, names[k]);
    if (at && at < tag && at > last) {
      last = at;
      of = letters[k];
    }
  }
  return of;
}

// What stands between one pair of tags, and no more of them.
static const char *only(const char *text, const char *tag) {
  const char *at = strstr(text, tag);
  assert_non_null(at);
  assert_null(strstr(at + 1, tag));
  return at;
}

static void read_array(vtu_file *file, const char *text, const char *tag, const unsigned char *data) {
  vtu_array *a = &file->array[file->arrays++];
  char format[16];
  assert_true(file->arrays <= VTU_ARRAYS);
  attribute(tag, "type", sizeof a->type, a->type);
  attribute(tag, "Name", sizeof a->name, a->name);
  attribute(tag, "format", sizeof format, format);
  assert_string_equal(format, "appended");
  a->components = (int)number_in(tag, "NumberOfComponents");
  a->of = section_of(text, tag);
  const unsigned char *at = data + number_in(tag, "offset");
  uint64_t length;
  memcpy(&length, at, sizeof length);
  a->data = at + sizeof length;
  a->bytes = (size_t)length;
}

static void check_arrays(const vtu_file *file, const unsigned char *data) {
  const unsigned char *end = data;
  for (int k = 0; k < file->arrays; ++k) {
    const vtu_array *a = &file->array[k];
    size_t count = (size_t)(a->of == 'p' || a->of == 'P' ? file->points : file->cells);
    assert_ptr_equal(a->data - 8, end);
    end = a->data + a->bytes;
    assert_true(a->of != 0);
    if (strcmp(a->name, "connectivity") != 0)
      assert_int_equal(a->bytes, count * (size_t)a->components * (size_t)bytes_of(a->type));
  }
  assert_string_equal((const char *)end, "\n</AppendedData>\n</VTKFile>\n");
}

vtu_file vtu_read(const char *path) {
  static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
  vtu_file file = {.bytes = files_read(path)};
  char *text = (char *)file.bytes.data;
  char *appended = strstr(text, mark);
  assert_non_null(appended);
  const unsigned char *data = (const unsigned char *)appended + sizeof mark - 1;
  *appended = 0; // the XML ends here
  char kind[32];
  attribute(only(text, "<VTKFile"), "type", sizeof kind, kind);
  assert_string_equal(kind, "UnstructuredGrid");
  attribute(only(text, "<VTKFile"), "byte_order", sizeof kind, kind);
  assert_string_equal(kind, "LittleEndian");
  attribute(only(text, "<VTKFile"), "header_type", sizeof kind, kind);
  assert_string_equal(kind, "UInt64");
  const char *piece = only(text, "<Piece");
  file.points = (int)number_in(piece, "NumberOfPoints");
  file.cells = (int)number_in(piece, "NumberOfCells");
  for (const char *tag = text; (tag = strstr(tag, "<DataArray ")); ++tag)
    read_array(&file, text, tag, data);
  only(text, "</Piece>\n</UnstructuredGrid>\n");
  check_arrays(&file, data);
  return file;
}

void vtu_free(vtu_file *file) { free(file->bytes.data); }

const vtu_array *vtu_find(const vtu_file *file, const char *name) {
  for (int k = 0; k < file->arrays; ++k)
    if (strcmp(file->array[k].name, name) == 0)
      return &file->array[k];
  fail_msg("there is no array \"%s\"", name);
  return NULL;
}

double vtu_number(const vtu_array *array, size_t index) {
  double real;
  float single;
  int64_t whole;
  int32_t small;
  size_t size = (size_t)bytes_of(array->type);
  const unsigned char *at = array->data + size * index;
  assert_true(size * index + size <= array->bytes);
  if (size == 1)
    return *at;
  if (strcmp(array->type, "Float64") == 0)
    return memcpy(&real, at, size), real;
  if (strcmp(array->type, "Float32") == 0)
    return memcpy(&single, at, size), (double)single;
  if (size == 8)
    return memcpy(&whole, at, size), (double)whole;
  return memcpy(&small, at, size), (double)small;
}
