// See json_text.h.
#include "io/json_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct writer {
  FILE *file;
  int spread; // over several lines
} writer;

static void write_value(const writer *w, const json_t *value, int depth);

// "-0" would be read as a whole number, which has no sign.
static void write_real(const writer *w, double value) {
  char text[40] = "-0.0";
  if (value == 0 && signbit(value)) {
    fputs(text, w->file);
    return;
  }
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  fputs(text, w->file);
}

// jansson knows what must be escaped.
static void write_text(const writer *w, const json_t *value) {
  char *text = json_dumps(value, JSON_ENCODE_ANY);
  if (text)
    fputs(text, w->file);
  free(text);
}

static void new_line(const writer *w, int depth) {
  if (w->spread)
    fprintf(w->file, "\n%*s", 2 * depth, "");
}

// Lists of plain values stay on their line.
static int is_spread(const json_t *list) {
  size_t k;
  json_t *value;
  json_array_foreach((json_t *)list, k, value) if (json_is_object(value) || json_is_array(value)) return 1;
  return 0;
}

static void write_list(const writer *w, const json_t *list, int depth) {
  int spread = is_spread(list);
  size_t k;
  json_t *value;
  fputc('[', w->file);
  json_array_foreach((json_t *)list, k, value) {
    if (k > 0)
      fputs(spread && w->spread ? "," : ", ", w->file);
    if (spread)
      new_line(w, depth + 1);
    write_value(w, value, depth + 1);
  }
  if (spread)
    new_line(w, depth);
  fputc(']', w->file);
}

static void write_object(const writer *w, const json_t *object, int depth) {
  const char *key, *comma = "";
  json_t *value;
  fputc('{', w->file);
  json_object_foreach((json_t *)object, key, value) {
    fputs(comma, w->file);
    new_line(w, depth + 1);
    fprintf(w->file, "\"%s\": ", key); // keys are the program's own words
    write_value(w, value, depth + 1);
    comma = w->spread ? "," : ", ";
  }
  new_line(w, depth);
  fputc('}', w->file);
}

static void write_value(const writer *w, const json_t *value, int depth) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    write_object(w, value, depth);
    return;
  case JSON_ARRAY:
    write_list(w, value, depth);
    return;
  case JSON_STRING:
    write_text(w, value);
    return;
  case JSON_INTEGER:
    fprintf(w->file, "%lld", (long long)json_integer_value(value));
    return;
  case JSON_REAL:
    write_real(w, json_real_value(value));
    return;
  case JSON_TRUE:
  case JSON_FALSE:
    fputs(json_is_true(value) ? "true" : "false", w->file);
    return;
  case JSON_NULL:
    fputs("null", w->file);
    return;
  }
}

static char *make_text(const json_t *json, int spread) {
  char *text = NULL;
  size_t size = 0;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // whose decimal sign is a point
  writer w = {plain ? open_memstream(&text, &size) : NULL, spread};
  int failed = !w.file;
  if (w.file) {
    locale_t callers = uselocale(plain);
    write_value(&w, json, 0);
    if (spread)
      fputc('\n', w.file);
    uselocale(callers);
    failed = ferror(w.file) != 0;
    failed |= fclose(w.file) != 0;
  }
  if (plain)
    freelocale(plain);
  if (failed) {
    free(text);
    text = NULL;
  }
  return text;
}

char *mus_json_line(const json_t *json) { return make_text(json, 0); }
char *mus_json_lines(const json_t *json) { return make_text(json, 1); }

json_t *mus_json_string(const char *text) {
  json_t *made = json_string(text);
  size_t length = strlen(text);
  char *plain = made ? NULL : mus_alloc(length + 1, 1);
  if (!plain)
    return made;
  for (size_t i = 0; i <= length; ++i)
    plain[i] = (signed char)text[i] < 0 ? '?' : text[i];
  made = json_string(plain);
  mus_free(plain);
  return made;
}
