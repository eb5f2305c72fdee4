// From the bytes of a glTF file to its JSON and the numbers of its accessors. See gltf_parts.h.
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/cache_format.h"
#include "io/gltf_parts.h"
#include "io/source.h"

// --- errors and values -----------------------------------------------------------------------------------------------

mus_status mus_gltf_wrong(const mus_gltf_file *file, const char *place, const char *format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mus_fail(MUS_BAD_INPUT, "%.200s: %s%s%s", file->name, place, place[0] ? ": " : "", text);
}

mus_status mus_gltf_list(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                         const json_t **list, int *count) {
  *list = json_object_get(object, key);
  *count = 0;
  if (!*list)
    return MUS_OK;
  if (!json_is_array(*list) || json_array_size(*list) > INT_MAX / 16)
    return mus_gltf_wrong(file, place, "\"%s\" must be a list", key);
  *count = (int)json_array_size(*list);
  return MUS_OK;
}

mus_status mus_gltf_element(const mus_gltf_file *file, const json_t *list, const char *key, int k,
                            char place[MUS_GLTF_PLACE], const json_t **element) {
  snprintf(place, MUS_GLTF_PLACE, "%s[%d]", key, k);
  *element = json_array_get(list, (size_t)k);
  return json_is_object(*element) ? MUS_OK : mus_gltf_wrong(file, place, "it must be an object in braces");
}

mus_status mus_gltf_whole(const mus_gltf_file *file, const char *place, const json_t *object, const char *key, int low,
                          int high, int *value) {
  const json_t *json = json_object_get(object, key);
  if (!json)
    return MUS_OK;
  double number = json_is_number(json) ? json_number_value(json) : NAN;
  if (!(number >= low && number <= high) || number != floor(number))
    return high < low
               ? mus_gltf_wrong(file, place, "\"%s\" refers to something, but there is nothing of that kind", key)
               : mus_gltf_wrong(file, place, "\"%s\" must be a whole number in %d...%d", key, low, high);
  *value = (int)number;
  return MUS_OK;
}

mus_status mus_gltf_needed(const mus_gltf_file *file, const char *place, const json_t *object, const char *key, int low,
                           int high, int *value) {
  return json_object_get(object, key) ? mus_gltf_whole(file, place, object, key, low, high, value)
                                      : mus_gltf_wrong(file, place, "\"%s\" is missing", key);
}

mus_status mus_gltf_reals(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                          int count, double *value, int *given) {
  const json_t *list = json_object_get(object, key);
  *given = list != NULL;
  if (!list)
    return MUS_OK;
  if (!json_is_array(list) || json_array_size(list) != (size_t)count)
    return mus_gltf_wrong(file, place, "\"%s\" must be a list of %d numbers", key, count);
  for (int k = 0; k < count; ++k) {
    const json_t *element = json_array_get(list, (size_t)k);
    if (!json_is_number(element) || !isfinite(json_number_value(element)))
      return mus_gltf_wrong(file, place, "\"%s\" must be a list of %d numbers", key, count);
    value[k] = json_number_value(element);
  }
  return MUS_OK;
}

mus_status mus_gltf_text(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                         const char **text) {
  const json_t *json = json_object_get(object, key);
  *text = json_string_value(json);
  return json && !*text ? mus_gltf_wrong(file, place, "\"%s\" must be a string", key) : MUS_OK;
}

// --- buffers ---------------------------------------------------------------------------------------------------------

static int digit_64(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *found = c ? strchr(digits, c) : NULL;
  return found ? (int)(found - digits) : -1;
}

// data:[<type>];base64,<digits>
static mus_status decode_data(mus_gltf_file *file, const char *place, const char *uri, mus_gltf_buffer *buffer) {
  const char *comma = strchr(uri, ',');
  static const char kind[] = ";base64";
  size_t head = comma ? (size_t)(comma - uri) : 0;
  if (head < sizeof kind - 1 || strncmp(comma - (sizeof kind - 1), kind, sizeof kind - 1) != 0)
    return mus_gltf_wrong(file, place, "its data: address is not in base64: export it in base64");
  const char *digit = comma + 1;
  size_t digits = strcspn(digit, "="), length = digits / 4 * 3 + (digits % 4 > 0 ? digits % 4 - 1 : 0);
  unsigned char *data = mus_arena_alloc(&file->scratch, length + 3, 1);
  if (!data)
    return mus_fail_memory();
  unsigned bits = 0;
  size_t made = 0;
  for (size_t k = 0; k < digits; ++k) {
    int value = digit_64(digit[k]);
    if (value < 0)
      return mus_gltf_wrong(file, place, "digit %zu of its base64 data is not base64: export the file again", k);
    bits = (bits << 6 | (unsigned)value) & 0xFFFFFF;
    if (k % 4 > 0 && made < length)
      data[made++] = (unsigned char)(bits >> (6 - 2 * (k % 4)));
  }
  *buffer = (mus_gltf_buffer){data, made};
  return MUS_OK;
}

// The path that a relative address names: %20 and the like become what they stand for.
static mus_status decode_path(mus_gltf_file *file, const char *place, const char *uri, char **path) {
  size_t folder = strlen(file->folder);
  char *to = mus_arena_alloc(&file->scratch, folder + strlen(uri) + 1, 1);
  if (!to)
    return mus_fail_memory();
  *path = to;
  memcpy(to, file->folder, folder);
  to += folder;
  for (; *uri; ++uri) {
    unsigned code;
    if (*uri == '%' && sscanf(uri + 1, "%2x", &code) == 1 && uri[1] && uri[2]) {
      if (code == 0)
        return mus_gltf_wrong(file, place, "its address contains a zero byte: rename the file");
      *to++ = (char)code;
      uri += 2;
    } else {
      *to++ = *uri;
    }
  }
  *to = 0;
  return MUS_OK;
}

static mus_status read_beside(mus_gltf_file *file, const char *place, const char *uri, size_t length,
                              mus_gltf_buffer *buffer) {
  char *path = NULL;
  if (!file->folder || uri[0] == '/' || strstr(uri, "://"))
    return mus_gltf_wrong(file, place, "its data is in \"%.100s\": only files relative to this one are read", uri);
  mus_status status = decode_path(file, place, uri, &path);
  if (status)
    return status;
  mus_source source = {0};
  status = mus_source_open(&source, path);
  if (status)
    return mus_fail_prefix(status, "%.200s: %s", file->name, place);
  unsigned char *data = NULL;
  if (source.length < length)
    status = mus_gltf_wrong(file, place, "\"%.100s\" has %llu of the %zu bytes that it should have", uri,
                            (unsigned long long)source.length, length);
  if (!status && !(data = mus_arena_alloc(&file->scratch, length, 1)))
    status = mus_fail_memory();
  if (!status)
    status = mus_source_read(&source, 0, data, length);
  mus_source_close(&source);
  *buffer = (mus_gltf_buffer){data, length};
  return status;
}

// `chunk` is the binary part of a .glb, which is the first buffer when that names nothing else.
static mus_status find_buffers(mus_gltf_file *file, const mus_gltf_buffer *chunk) {
  const json_t *list, *json;
  char place[MUS_GLTF_PLACE];
  mus_status status = mus_gltf_list(file, "", file->root, "buffers", &list, &file->buffers);
  if (status)
    return status;
  file->buffer = mus_arena_alloc_zero(&file->scratch, (size_t)file->buffers, sizeof *file->buffer);
  if (!file->buffer)
    return mus_fail_memory();
  for (int k = 0; k < file->buffers; ++k) {
    int length = 0;
    const char *uri;
    status = mus_gltf_element(file, list, "buffers", k, place, &json);
    if (!status)
      status = mus_gltf_needed(file, place, json, "byteLength", 1, INT_MAX, &length);
    if (!status)
      status = mus_gltf_text(file, place, json, "uri", &uri);
    if (status)
      return status;
    mus_gltf_buffer *buffer = &file->buffer[k];
    if (!uri && k == 0)
      *buffer = *chunk;
    else if (uri && strncmp(uri, "data:", 5) == 0)
      status = decode_data(file, place, uri, buffer);
    else if (uri)
      status = read_beside(file, place, uri, (size_t)length, buffer);
    if (status)
      return status;
    if (buffer->length < (size_t)length)
      return mus_gltf_wrong(file, place, "it has %zu of the %d bytes that it should have: the file is truncated",
                            buffer->length, length);
    buffer->length = (size_t)length;
  }
  return MUS_OK;
}

// --- containers ------------------------------------------------------------------------------------------------------

// A .glb: a head of 12 bytes, then chunks of length, kind and data, the JSON first.
static mus_status cut_binary(mus_gltf_file *file, const unsigned char *bytes, size_t length, mus_gltf_buffer *text,
                             mus_gltf_buffer *chunk) {
  if (length < 20 || mus_get_little(bytes + 4) != 2)
    return mus_gltf_wrong(file, "", "is not glTF 2.0: export it as that");
  if (mus_get_little(bytes + 8) > length)
    return mus_gltf_wrong(file, "", "has %zu of the %u bytes that it should have: the file is truncated", length,
                          (unsigned)mus_get_little(bytes + 8));
  for (size_t at = 12; length - at >= 8;) {
    size_t size = mus_get_little(bytes + at);
    uint32_t kind = mus_get_little(bytes + at + 4);
    if (size > length - at - 8)
      return mus_gltf_wrong(file, "", "its chunk at byte %zu is truncated", at);
    mus_gltf_buffer found = {bytes + at + 8, size};
    if (kind == 0x4E4F534A && !text->data)
      *text = found;
    else if (kind == 0x004E4942 && !chunk->data)
      *chunk = found;
    at += 8 + size;
  }
  return text->data ? MUS_OK : mus_gltf_wrong(file, "", "it contains no JSON: export it again");
}

// Extensions that say only what things look like; others may change where they are.
static int is_harmless(const char *extension) {
  static const char *const begin[] = {"KHR_materials_", "KHR_texture_",          "KHR_lights_",
                                      "KHR_xmp",        "KHR_mesh_quantization", "EXT_texture_",
                                      "MSFT_texture_",  "KHR_animation_pointer"};
  for (size_t k = 0; k < sizeof begin / sizeof *begin; ++k)
    if (strncmp(extension, begin[k], strlen(begin[k])) == 0)
      return 1;
  return 0;
}

static mus_status check_root(const mus_gltf_file *file) {
  if (!json_is_object(file->root))
    return mus_gltf_wrong(file, "", "is not glTF: it must be an object in braces");
  const char *version = NULL;
  const json_t *asset = json_object_get(file->root, "asset"), *list;
  mus_status status = mus_gltf_text(file, "asset", asset, "version", &version);
  if (status)
    return status;
  if (!version || strncmp(version, "2.", 2) != 0)
    return mus_gltf_wrong(file, "asset", "is not glTF 2.0: export it as that");
  int count;
  status = mus_gltf_list(file, "", file->root, "extensionsRequired", &list, &count);
  for (int k = 0; k < count && !status; ++k) {
    const char *name = json_string_value(json_array_get(list, (size_t)k));
    if (!name || !is_harmless(name))
      status = mus_gltf_wrong(file, "extensionsRequired", "\"%.60s\" is not supported: export the file without it",
                              name ? name : "?");
  }
  return status;
}

mus_status mus_gltf_open(mus_gltf_file *file, const unsigned char *bytes, size_t length) {
  mus_gltf_buffer text = {0}, chunk = {0};
  mus_status status = MUS_OK;
  if (length >= 4 && memcmp(bytes, "glTF", 4) == 0)
    status = cut_binary(file, bytes, length, &text, &chunk);
  else
    text = (mus_gltf_buffer){bytes, length};
  if (status)
    return status;
  json_error_t error;
  file->root = json_loadb((const char *)text.data, text.length, 0, &error);
  if (!file->root)
    return mus_fail(MUS_BAD_INPUT, "%.200s:%d: is not glTF: %s", file->name, error.line, error.text);
  status = check_root(file);
  return status ? status : find_buffers(file, &chunk);
}

void mus_gltf_close(mus_gltf_file *file) {
  json_decref(file->root);
  mus_arena_clear(&file->scratch);
}

// --- accessors -------------------------------------------------------------------------------------------------------

// Elements at even distances in a buffer.
typedef struct span {
  const unsigned char *data; // NULL: zeros
  size_t stride;
  int kind; // of the components
  int width, count, normalised;
} span;

static int kind_bytes(int kind) {
  return kind == 5120 || kind == 5121 ? 1 : kind == 5122 || kind == 5123 ? 2 : kind == 5125 || kind == 5126 ? 4 : 0;
}

static double component(const unsigned char *p, int kind, int normalised) {
  switch (kind) {
  case 5120: {
    double value = p[0] < 128 ? p[0] : p[0] - 256;
    return normalised ? fmax(value / 127, -1) : value;
  }
  case 5121:
    return normalised ? p[0] / 255.0 : p[0];
  case 5122: {
    int value = p[0] | p[1] << 8;
    value = value < 32768 ? value : value - 65536;
    return normalised ? fmax(value / 32767.0, -1) : value;
  }
  case 5123:
    return normalised ? (p[0] | p[1] << 8) / 65535.0 : p[0] | p[1] << 8;
  case 5125:
    return mus_get_little(p);
  default:
    return (double)mus_bits_float(mus_get_little(p));
  }
}

// Sets data and stride of a span from the bufferView that `object` names.
static mus_status locate(const mus_gltf_file *file, const char *place, const json_t *object, span *to) {
  const json_t *views, *view;
  char view_place[MUS_GLTF_PLACE];
  int count, index = 0, offset = 0, buffer = 0, start = 0, length = 0, stride = 0;
  mus_status status = mus_gltf_list(file, "", file->root, "bufferViews", &views, &count);
  if (!status)
    status = mus_gltf_needed(file, place, object, "bufferView", 0, count - 1, &index);
  if (!status)
    status = mus_gltf_whole(file, place, object, "byteOffset", 0, INT_MAX, &offset);
  if (!status)
    status = mus_gltf_element(file, views, "bufferViews", index, view_place, &view);
  if (!status)
    status = mus_gltf_needed(file, view_place, view, "buffer", 0, file->buffers - 1, &buffer);
  if (!status)
    status = mus_gltf_whole(file, view_place, view, "byteOffset", 0, INT_MAX, &start);
  if (!status)
    status = mus_gltf_needed(file, view_place, view, "byteLength", 1, INT_MAX, &length);
  if (!status)
    status = mus_gltf_whole(file, view_place, view, "byteStride", 1, 252, &stride);
  if (status)
    return status;
  if ((size_t)start + (size_t)length > file->buffer[buffer].length)
    return mus_gltf_wrong(file, view_place, "it ends beyond the %zu bytes of buffers[%d]", file->buffer[buffer].length,
                          buffer);
  size_t element = (size_t)kind_bytes(to->kind) * (size_t)to->width;
  to->stride = stride > 0 ? (size_t)stride : element;
  if ((size_t)offset + to->stride * (size_t)(to->count - 1) + element > (size_t)length)
    return mus_gltf_wrong(file, place, "its %d elements end beyond the %d bytes of %s", to->count, length, view_place);
  to->data = file->buffer[buffer].data + start + offset;
  return MUS_OK;
}

// Elements of a sparse accessor that differ from the others: {count, indices: {...}, values: {...}}.
static mus_status read_sparse(const mus_gltf_file *file, const char *place, const json_t *sparse, const span *base,
                              double *value) {
  span index = {.width = 1}, changed = *base;
  const json_t *indices = json_object_get(sparse, "indices"), *values = json_object_get(sparse, "values");
  mus_status status = mus_gltf_needed(file, place, sparse, "count", 1, base->count, &index.count);
  if (!status)
    status = mus_gltf_needed(file, place, indices, "componentType", 5121, 5125, &index.kind);
  if (!status && kind_bytes(index.kind) == 0)
    status = mus_gltf_wrong(file, place, "its indices are of an unknown kind");
  if (!status)
    status = locate(file, place, indices, &index);
  changed.count = index.count;
  if (!status)
    status = locate(file, place, values, &changed);
  size_t bytes = (size_t)kind_bytes(base->kind);
  for (int k = 0; k < index.count && !status; ++k) {
    double at = component(index.data + index.stride * (size_t)k, index.kind, 0);
    if (!(at >= 0 && at < base->count))
      return mus_gltf_wrong(file, place, "its sparse index %d is outside 0...%d", k, base->count - 1);
    for (size_t c = 0; c < (size_t)base->width; ++c)
      value[(size_t)at * (size_t)base->width + c] =
          component(changed.data + changed.stride * (size_t)k + c * bytes, base->kind, base->normalised);
  }
  return status;
}

static int width_of(const char *type) {
  static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};
  static const int widths[] = {1, 2, 3, 4, 16};
  for (int k = 0; k < 5 && type; ++k)
    if (strcmp(type, names[k]) == 0)
      return widths[k];
  return 0;
}

static mus_status find_accessor(const mus_gltf_file *file, int index, int width, char place[MUS_GLTF_PLACE],
                                const json_t **accessor, span *to) {
  const json_t *list;
  const char *type = NULL;
  int count;
  mus_status status = mus_gltf_list(file, "", file->root, "accessors", &list, &count);
  if (!status && index >= count)
    status = mus_gltf_wrong(file, "", "accessors[%d] is referred to, but there are %d accessors", index, count);
  if (!status)
    status = mus_gltf_element(file, list, "accessors", index, place, accessor);
  if (!status)
    status = mus_gltf_needed(file, place, *accessor, "componentType", 5120, 5126, &to->kind);
  if (!status)
    status = mus_gltf_needed(file, place, *accessor, "count", 1, MUS_MESH_MAXIMUM, &to->count);
  if (!status)
    status = mus_gltf_text(file, place, *accessor, "type", &type);
  if (status)
    return status;
  to->width = width_of(type);
  to->normalised = json_is_true(json_object_get(*accessor, "normalized"));
  if (to->width != width || kind_bytes(to->kind) == 0)
    return mus_gltf_wrong(file, place, "is \"%.20s\" of kind %d, where %d numbers per element are needed",
                          type ? type : "", to->kind, width);
  return MUS_OK;
}

mus_status mus_gltf_numbers(mus_gltf_file *file, int accessor, int width, int *count, double **value) {
  char place[MUS_GLTF_PLACE];
  const json_t *json = NULL;
  span from = {0};
  mus_status status = find_accessor(file, accessor, width, place, &json, &from);
  if (status)
    return status;
  if (*count >= 0 && from.count != *count)
    return mus_gltf_wrong(file, place, "it has %d elements, where %d are needed", from.count, *count);
  if (json_object_get(json, "bufferView"))
    status = locate(file, place, json, &from);
  else if (*count < 0) // nothing in the file bounds how many there are
    status = mus_gltf_wrong(file, place, "\"bufferView\" is missing: it has no data");
  if (status)
    return status;
  size_t total = (size_t)from.count * (size_t)width, bytes = (size_t)kind_bytes(from.kind);
  double *to = mus_arena_alloc_zero(&file->scratch, total, sizeof *to);
  if (!to)
    return mus_fail_memory();
  for (size_t i = 0; i < total && from.data; ++i)
    to[i] = component(from.data + from.stride * (i / (size_t)width) + bytes * (i % (size_t)width), from.kind,
                      from.normalised);
  const json_t *sparse = json_object_get(json, "sparse");
  if (sparse)
    status = read_sparse(file, place, sparse, &from, to);
  for (size_t i = 0; i < total && !status; ++i)
    if (!isfinite(to[i]))
      status = mus_gltf_wrong(file, place, "element %zu is not finite: export the file again", i / (size_t)width);
  *count = from.count;
  *value = to;
  return status;
}

mus_status mus_gltf_wholes(mus_gltf_file *file, int accessor, int width, int limit, int *count, int **value) {
  double *numbers = NULL;
  mus_status status = mus_gltf_numbers(file, accessor, width, count, &numbers);
  if (status)
    return status;
  size_t total = (size_t)*count * (size_t)width;
  int *to = mus_arena_alloc(&file->scratch, total, sizeof *to);
  if (!to)
    return mus_fail_memory();
  for (size_t i = 0; i < total; ++i) {
    if (!(numbers[i] >= 0 && numbers[i] < limit) || numbers[i] != floor(numbers[i])) {
      char place[MUS_GLTF_PLACE];
      snprintf(place, sizeof place, "accessors[%d]", accessor);
      return mus_gltf_wrong(file, place, "element %zu is %g: it must be a whole number in 0...%d", i / (size_t)width,
                            numbers[i], limit - 1);
    }
    to[i] = (int)numbers[i];
  }
  *value = to;
  return MUS_OK;
}
