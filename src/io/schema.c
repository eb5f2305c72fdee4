// Table-driven JSON. See schema.h.
//
// jansson keeps no places, so an error finds its line by walking the text again along the path of keys and indices that
// led to it.
#include "io/schema.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/json_text.h"
#include "muslin/scene.h"

enum { DEPTH = 16, FILE_MAXIMUM = 64 << 20 };

// One step into the document: a key of an object, or an index of an array (key NULL).
typedef struct step {
  const char *key;
  size_t index;
} step;

typedef struct reader {
  const char *path; // of the file
  const char *text;
  step way[DEPTH];
  int depth;
} reader;

// --- places ----------------------------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at))
    ++at;
  return at;
}

static const char *skip_string(const char *at) { // at the opening quote; the text has been parsed, so it is well formed
  for (++at; *at && *at != '"'; ++at)
    if (*at == '\\' && at[1])
      ++at;
  return *at ? at + 1 : at;
}

static const char *skip_value(const char *at) {
  int depth = 0;
  for (at = skip_blanks(at); *at; ++at) {
    if (*at == '"') {
      at = skip_string(at) - 1;
    } else if (*at == '{' || *at == '[') {
      ++depth;
    } else if (*at == '}' || *at == ']') {
      if (depth == 0)
        return at;
      if (--depth == 0)
        return at + 1;
      continue;
    } else if (depth == 0 && (*at == ',' || isspace((unsigned char)*at))) {
      return at;
    }
    if (depth == 0 && *at == '"')
      return at + 1;
  }
  return at;
}

// Where a step leads from the value at `at`: to the key of an object's member, or to an array's element.
static const char *follow(const char *at, const step *s, int last) {
  at = skip_blanks(at);
  size_t index = 0;
  for (at = skip_blanks(at + 1); *at && *at != '}' && *at != ']'; ++index) {
    const char *member = at;
    int found = !s->key && index == s->index;
    if (s->key && *at == '"') {
      size_t length = strlen(s->key);
      found = strncmp(at + 1, s->key, length) == 0 && at[1 + length] == '"';
      at = skip_blanks(skip_string(at));
      at = skip_blanks(*at == ':' ? at + 1 : at);
    }
    if (found)
      return last ? member : at;
    at = skip_blanks(skip_value(at));
    if (*at == ',')
      at = skip_blanks(at + 1);
  }
  return at;
}

static int line_of(const reader *r) {
  const char *at = r->text;
  for (int k = 0; k < r->depth; ++k)
    at = follow(at, &r->way[k], k + 1 == r->depth);
  int line = 1;
  for (const char *c = r->text; c < at; ++c)
    line += *c == '\n';
  return line;
}

static void enter(reader *r, const char *key, size_t index) {
  if (r->depth < DEPTH)
    r->way[r->depth] = (step){key, index};
  ++r->depth;
}

static void leave(reader *r) { --r->depth; }

// "file:line: cloths[0].pins[2].frequency" and then what is wrong.
static mus_status wrong(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static mus_status wrong(const reader *r, const char *format, ...) {
  char name[256] = "", text[640];
  size_t used = 0;
  for (int k = 0; k < r->depth && k < DEPTH && used + 1 < sizeof name; ++k) {
    const step *s = &r->way[k];
    int wrote = s->key ? snprintf(name + used, sizeof name - used, "%s%s", k > 0 ? "." : "", s->key)
                       : snprintf(name + used, sizeof name - used, "[%zu]", s->index);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mus_fail(MUS_BAD_INPUT, "%s:%d: %s%s%s", r->path, line_of(r), name, used > 0 ? " " : "", text);
}

// --- values ----------------------------------------------------------------------------------------------------------

static mus_status read_number(const reader *r, const json_t *value, double minimum, double maximum, double *to) {
  if (!json_is_number(value))
    return wrong(r, "must be a number");
  double number = json_number_value(value);
  if (!isfinite(number) || number < minimum || number > maximum)
    return wrong(r, "is %g: it must be in %g...%g", number, minimum, maximum);
  *to = number;
  return MUS_OK;
}

static mus_status read_numbers(reader *r, const json_t *value, int width, double minimum, double maximum, double *to) {
  if (width == 1 && json_is_number(value))
    return read_number(r, value, minimum, maximum, to);
  if (!json_is_array(value) || json_array_size(value) != (size_t)width)
    return wrong(r, "must be a list of %d numbers", width);
  for (size_t k = 0; k < (size_t)width; ++k) {
    enter(r, NULL, k);
    mus_status status = read_number(r, json_array_get(value, k), minimum, maximum, &to[k]);
    if (status)
      return status;
    leave(r);
  }
  return MUS_OK;
}

// One number in the place of all.
static mus_status repeat_number(reader *r, const json_t *value, const mus_schema_field *field, double *to) {
  mus_status status = read_number(r, value, field->minimum, field->maximum, to);
  for (int k = 1; k < field->width && !status; ++k)
    to[k] = to[0];
  return status;
}

// NULL if out of range.
static const char *choice_word(const mus_schema_field *field, int k) {
  int last = 0;
  if (k < 0)
    return NULL;
  if (field->word)
    return field->word(k);
  while (last < k && field->choices[last])
    ++last;
  return field->choices[last];
}

static mus_status read_choice(const reader *r, const json_t *value, const mus_schema_field *field, int *to) {
  char list[192] = "";
  size_t used = 0;
  const char *word;
  for (int k = 0; (word = choice_word(field, k)); ++k) {
    if (json_is_string(value) && strcmp(json_string_value(value), word) == 0) {
      *to = k;
      return MUS_OK;
    }
    int wrote = snprintf(list + used, sizeof list - used, "%s\"%s\"", k > 0 ? ", " : "", word);
    used += wrote > 0 && used + (size_t)wrote < sizeof list ? (size_t)wrote : 0;
  }
  return wrong(r, "must be one of %s", list);
}

static mus_status read_colour(reader *r, const json_t *value, mus_colour *to) {
  mus_colour colour = {.given = !json_is_null(value)};
  mus_status status = MUS_OK;
  const char *text = json_string_value(value);
  if (text && (*text != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6))
    return wrong(r, "is no colour: give \"#rrggbb\", two hexadecimal digits each, such as \"#b03020\"");
  for (int c = 0; text && c < 3; ++c)
    colour.rgb[c] = (double)(strtoul(text + 1, NULL, 16) >> (16 - 8 * c) & 255) / 255;
  if (json_is_array(value))
    status = read_numbers(r, value, 3, 0, 1, colour.rgb);
  else if (!text && colour.given)
    return wrong(r, "must be a colour: \"#rrggbb\", or red, green and blue from 0 to 1 in a list");
  *to = colour;
  return status;
}

static mus_status read_text(const reader *r, const json_t *value, char **to) {
  if (!json_is_string(value) && !json_is_null(value))
    return wrong(r, "must be a string in quotes");
  char *copy = json_is_null(value) ? NULL : strdup(json_string_value(value));
  if (!json_is_null(value) && !copy)
    return mus_fail_memory();
  free(*to);
  *to = copy;
  return MUS_OK;
}

static mus_status read_letters(const reader *r, const json_t *value, int width, char *to) {
  if (!json_is_string(value) || json_string_length(value) >= (size_t)width)
    return wrong(r, "must be a string in quotes of at most %d letters", width - 1);
  strcpy(to, json_string_value(value));
  return MUS_OK;
}

static mus_status read_key(reader *r, const json_t *key, int width, double minimum, double maximum, mus_keys *keys,
                           int index) {
  if (!json_is_object(key))
    return wrong(r, "must be {\"time\": seconds, \"value\": ...}");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)key, name, value) {
    enter(r, name, 0);
    mus_status status = MUS_OK;
    if (strcmp(name, "time") == 0)
      status = read_number(r, value, -1e9, 1e9, &keys->time[index]);
    else if (strcmp(name, "value") == 0)
      status = read_numbers(r, value, width, minimum, maximum, keys->value + (size_t)index * (size_t)width);
    else
      status = wrong(r, "is not a key of a keyframe, which has \"time\" and \"value\"");
    if (status)
      return status;
    leave(r);
  }
  if (!json_object_get(key, "time") || !json_object_get(key, "value"))
    return wrong(r, "must have both \"time\" and \"value\"");
  if (index > 0 && keys->time[index] <= keys->time[index - 1])
    return wrong(r, "is at %g s, not after the previous keyframe", keys->time[index]);
  return MUS_OK;
}

static mus_status read_keys(reader *r, const json_t *value, int width, double minimum, double maximum, mus_keys *to) {
  int listed = json_is_array(value) && json_array_size(value) > 0 && json_is_object(json_array_get(value, 0));
  size_t count = json_is_null(value) ? 0 : listed ? json_array_size(value) : 1;
  free(to->time);
  free(to->value);
  *to = (mus_keys){.width = width};
  if (count == 0)
    return MUS_OK;
  to->time = calloc(count, sizeof *to->time);
  to->value = calloc(count * (size_t)width, sizeof *to->value);
  if (!to->time || !to->value)
    return mus_fail_memory();
  to->count = (int)count;
  if (!listed)
    return read_numbers(r, value, width, minimum, maximum, to->value);
  for (size_t k = 0; k < count; ++k) {
    enter(r, NULL, k);
    mus_status status = read_key(r, json_array_get(value, k), width, minimum, maximum, to, (int)k);
    if (status)
      return status;
    leave(r);
  }
  return MUS_OK;
}

static mus_status read_wholes(reader *r, const json_t *value, const mus_schema_field *field, int **to, int *count) {
  if (!json_is_array(value))
    return wrong(r, "must be a list of whole numbers");
  size_t size = json_array_size(value);
  if (size % (size_t)field->width != 0)
    return wrong(r, "has %zu numbers: give a multiple of %d", size, field->width);
  int *list = calloc(size + 1, sizeof *list);
  if (!list)
    return mus_fail_memory();
  free(*to);
  *to = list;
  *count = (int)size / field->width;
  for (size_t k = 0; k < size; ++k) {
    const json_t *element = json_array_get(value, k);
    enter(r, NULL, k);
    if (!json_is_integer(element))
      return wrong(r, "must be a whole number");
    json_int_t number = json_integer_value(element);
    if ((double)number < field->minimum || (double)number > field->maximum)
      return wrong(r, "is %lld: it must be in %g...%g", (long long)number, field->minimum, field->maximum);
    list[k] = (int)number;
    leave(r);
  }
  return MUS_OK;
}

static mus_status read_series(reader *r, const json_t *value, const mus_schema_field *field, double **to, int *count) {
  if (!json_is_array(value))
    return wrong(r, "must be a list of numbers");
  size_t size = json_array_size(value);
  double *list = calloc(size + 1, sizeof *list);
  if (!list)
    return mus_fail_memory();
  free(*to);
  *to = list;
  *count = (int)size;
  for (size_t k = 0; k < size; ++k) {
    enter(r, NULL, k);
    mus_status status = read_number(r, json_array_get(value, k), field->minimum, field->maximum, &list[k]);
    if (status)
      return status;
    leave(r);
  }
  return MUS_OK;
}

static mus_status read_object(reader *r, const json_t *value, const mus_schema *schema, void *object);

static mus_status read_list(reader *r, const json_t *value, const mus_schema *inner, void **to, int *count) {
  if (!json_is_array(value))
    return wrong(r, "must be a list");
  size_t size = json_array_size(value);
  char *list = calloc(size + 1, inner->size);
  if (!list)
    return mus_fail_memory();
  *to = list; // grows into the structure element by element, so that a failure leaves it whole
  for (size_t k = 0; k < size; ++k) {
    void *element = list + k * inner->size;
    if (inner->set_defaults)
      inner->set_defaults(element);
    *count = (int)k + 1;
    enter(r, NULL, k);
    mus_status status = read_object(r, json_array_get(value, k), inner, element);
    if (status)
      return status;
    leave(r);
  }
  return MUS_OK;
}

static mus_status read_field(reader *r, const json_t *value, const mus_schema_field *field, char *object) {
  void *to = object + field->offset;
  int *count = field->has_count ? (int *)(void *)(object + field->count_offset) : NULL;
  switch (field->kind) {
  case MUS_SCHEMA_WHOLE:
    if (!json_is_integer(value))
      return wrong(r, "must be a whole number");
    if ((double)json_integer_value(value) < field->minimum || (double)json_integer_value(value) > field->maximum)
      return wrong(r, "is %lld: it must be in %g...%g", (long long)json_integer_value(value), field->minimum,
                   field->maximum);
    *(int *)to = (int)json_integer_value(value);
    return MUS_OK;
  case MUS_SCHEMA_NUMBER:
    return read_number(r, value, field->minimum, field->maximum, to);
  case MUS_SCHEMA_NUMBERS:
    if (count)
      *count = 1;
    if (field->repeats && json_is_number(value))
      return repeat_number(r, value, field, to);
    return read_numbers(r, value, field->width, field->minimum, field->maximum, to);
  case MUS_SCHEMA_TRUTH:
    if (!json_is_boolean(value))
      return wrong(r, "must be true or false");
    *(int *)to = json_is_true(value);
    return MUS_OK;
  case MUS_SCHEMA_CHOICE:
    return read_choice(r, value, field, to);
  case MUS_SCHEMA_COLOUR:
    return read_colour(r, value, to);
  case MUS_SCHEMA_TEXT:
    return read_text(r, value, to);
  case MUS_SCHEMA_LETTERS:
    return read_letters(r, value, field->width, to);
  case MUS_SCHEMA_KEYS:
    return read_keys(r, value, field->width, field->minimum, field->maximum, to);
  case MUS_SCHEMA_WHOLES:
    return read_wholes(r, value, field, to, count);
  case MUS_SCHEMA_SERIES:
    return read_series(r, value, field, to, count);
  case MUS_SCHEMA_OBJECT:
    return read_object(r, value, field->inner, to);
  case MUS_SCHEMA_LIST:
    return read_list(r, value, field->inner, to, count);
  }
  return wrong(r, "has no kind");
}

static mus_status unknown_key(const reader *r, const mus_schema *schema) {
  char list[480] = "";
  for (int k = 0; k < schema->count; ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", schema->fields[k].key);
  }
  return wrong(r, "is not a key of %s, which has %s", schema->what, list);
}

// Those that fill in others, or the rest.
static mus_status read_members(reader *r, const json_t *value, const mus_schema *schema, int filling, void *object) {
  const char *key;
  json_t *member;
  json_object_foreach((json_t *)value, key, member) {
    enter(r, key, 0);
    const mus_schema_field *field = schema->fields, *end = field + schema->count;
    while (field < end && strcmp(field->key, key) != 0)
      ++field;
    if (field == end)
      return unknown_key(r, schema);
    if ((field->chosen != NULL) == filling) {
      mus_status status = read_field(r, member, field, object);
      if (status)
        return status;
      if (filling)
        field->chosen(object);
    }
    leave(r);
  }
  return MUS_OK;
}

static mus_status read_object(reader *r, const json_t *value, const mus_schema *schema, void *object) {
  if (!json_is_object(value))
    return wrong(r, "must be an object: %s in braces", schema->what);
  if (r->depth >= DEPTH - 2)
    return wrong(r, "is nested too deeply");
  mus_status status = read_members(r, value, schema, 1, object);
  return status ? status : read_members(r, value, schema, 0, object);
}

// --- files -----------------------------------------------------------------------------------------------------------

static mus_status read_text_file(const char *path, char **text) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%s: cannot be opened: check the name and the permissions", path);
  size_t size = 0, capacity = 4096;
  char *buffer = malloc(capacity);
  while (buffer) {
    size += fread(buffer + size, 1, capacity - 1 - size, file);
    if (size < capacity - 1 || capacity > FILE_MAXIMUM)
      break;
    char *larger = realloc(buffer, capacity *= 2);
    if (!larger)
      free(buffer);
    buffer = larger;
  }
  int failed = ferror(file);
  fclose(file);
  if (!buffer)
    return mus_fail_memory();
  if (failed || capacity > FILE_MAXIMUM || memchr(buffer, 0, size)) {
    free(buffer);
    return failed ? mus_fail(MUS_IO_ERROR, "%s: cannot be read", path)
                  : mus_fail(MUS_BAD_INPUT, "%s: is not a JSON text of less than 64 MiB", path);
  }
  buffer[size] = 0;
  *text = buffer;
  return MUS_OK;
}

mus_status mus_schema_parse(const char *name, const char *text, const mus_schema *schema, void *object) {
  static const char mark[] = "\xEF\xBB\xBF"; // some editors begin a text in UTF-8 with it
  json_error_t error;
  if (strncmp(text, mark, strlen(mark)) == 0)
    text += strlen(mark);
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  reader r = {.path = name, .text = text};
  mus_status status =
      root ? read_object(&r, root, schema, object) : mus_fail(MUS_BAD_INPUT, "%s:%d: %s", name, error.line, error.text);
  json_decref(root);
  return status;
}

mus_status mus_schema_read(const char *path, const mus_schema *schema, void *object) {
  char *text = NULL;
  mus_status status = read_text_file(path, &text);
  if (!status)
    status = mus_schema_parse(path, text, schema, object);
  free(text);
  return status;
}

// --- writing ---------------------------------------------------------------------------------------------------------

// These give NULL where memory is short. jansson frees what it cannot add, and fails to add NULL.

static json_t *give_up(json_t *json) {
  json_decref(json);
  return NULL;
}

static json_t *write_numbers(int count, const double *from) {
  json_t *list = json_array();
  for (int k = 0; k < count; ++k)
    if (json_array_append_new(list, json_real(from[k])) != 0)
      return give_up(list);
  return list;
}

static json_t *write_keys(const mus_keys *keys, int width) {
  json_t *list = keys->count > 1 ? json_array() : json_null();
  for (int k = 0; k < keys->count; ++k) {
    const double *at = keys->value + (size_t)k * (size_t)width;
    json_t *value = width == 1 ? json_real(at[0]) : write_numbers(width, at);
    if (keys->count == 1)
      return value; // the same at all times
    json_t *key = json_object();
    int failed = json_object_set_new(key, "time", json_real(keys->time[k])) != 0;
    failed |= json_object_set_new(key, "value", value) != 0;
    if (json_array_append_new(list, failed ? give_up(key) : key) != 0)
      return give_up(list);
  }
  return list;
}

// As digits where these are exact.
static json_t *write_colour(const mus_colour *colour) {
  unsigned byte[3];
  int exact = 1;
  for (int c = 0; c < 3; ++c) {
    byte[c] = (unsigned)lround(fmin(fmax(colour->rgb[c], 0), 1) * 255);
    exact &= (double)byte[c] / 255 == colour->rgb[c];
  }
  if (!colour->given)
    return json_null();
  return exact ? json_sprintf("#%02x%02x%02x", byte[0], byte[1], byte[2]) : write_numbers(3, colour->rgb);
}

static json_t *write_wholes(const int *wholes, size_t count) {
  json_t *list = json_array();
  for (size_t k = 0; k < count; ++k)
    if (json_array_append_new(list, json_integer(wholes[k])) != 0)
      return give_up(list);
  return list;
}

static json_t *write_list(const mus_schema *inner, const char *elements, int count) {
  json_t *list = json_array();
  for (int k = 0; k < count; ++k)
    if (json_array_append_new(list, mus_schema_write(inner, elements + (size_t)k * inner->size)) != 0)
      return give_up(list);
  return list;
}

static json_t *write_field(const mus_schema_field *field, const char *object) {
  const void *from = object + field->offset;
  int count = field->has_count ? *(const int *)(const void *)(object + field->count_offset) : 0;
  switch (field->kind) {
  case MUS_SCHEMA_WHOLE:
    return json_integer(*(const int *)from);
  case MUS_SCHEMA_NUMBER:
    return json_real(*(const double *)from);
  case MUS_SCHEMA_NUMBERS:
    return write_numbers(field->width, from);
  case MUS_SCHEMA_TRUTH:
    return json_boolean(*(const int *)from);
  case MUS_SCHEMA_CHOICE:
    return json_string(choice_word(field, *(const int *)from));
  case MUS_SCHEMA_COLOUR:
    return write_colour(from);
  case MUS_SCHEMA_TEXT:
    return *(char *const *)from ? mus_json_string(*(char *const *)from) : json_null();
  case MUS_SCHEMA_LETTERS:
    return mus_json_string(from);
  case MUS_SCHEMA_KEYS:
    return write_keys(from, field->width);
  case MUS_SCHEMA_WHOLES:
    return write_wholes(*(const int *const *)from, (size_t)count * (size_t)field->width);
  case MUS_SCHEMA_SERIES:
    return write_numbers(count, *(const double *const *)from);
  case MUS_SCHEMA_LIST:
    return write_list(field->inner, *(const char *const *)from, count);
  case MUS_SCHEMA_OBJECT:
    return mus_schema_write(field->inner, from);
  }
  return NULL;
}

json_t *mus_schema_write(const mus_schema *schema, const void *object) {
  json_t *result = json_object();
  for (int k = 0; k < schema->count; ++k) {
    const mus_schema_field *field = &schema->fields[k];
    // A selection's parts that were not given stay out: writing their zeros would select something.
    if (field->kind == MUS_SCHEMA_NUMBERS && field->has_count &&
        !*(const int *)(const void *)((const char *)object + field->count_offset))
      continue;
    if (json_object_set_new(result, field->key, write_field(field, object)) != 0)
      return give_up(result);
  }
  return result;
}
