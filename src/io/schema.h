// JSON objects and C structures, joined by tables: one table a structure says which keys there are, what they may hold
// and where they go. Reading is strict: an unknown key, a wrong kind, a value out of range is an error that names file,
// line, key and remedy. Writing gives back every key, so that a file can be shown with all its defaults.
#ifndef MUS_IO_SCHEMA_H
#define MUS_IO_SCHEMA_H

#include <jansson.h>
#include <stddef.h>

#include "muslin/status.h"

typedef enum mus_schema_kind {
  MUS_SCHEMA_WHOLE,   // int, minimum ... maximum
  MUS_SCHEMA_NUMBER,  // double, minimum ... maximum
  MUS_SCHEMA_NUMBERS, // `width` doubles in an array
  MUS_SCHEMA_TRUTH,   // int: true or false
  MUS_SCHEMA_CHOICE,  // int (an enum): the place of the word in `choices`, or the number for which `word` gives it
  MUS_SCHEMA_COLOUR,  // mus_colour: "#rrggbb", or three numbers from 0 to 1; null is none
  MUS_SCHEMA_TEXT,    // char *, from malloc; null is NULL
  MUS_SCHEMA_LETTERS, // char[width], ending with 0: a short text in place
  MUS_SCHEMA_KEYS,    // mus_keys of `width`: a value, or a list of {"time": t, "value": v}; null is none
  MUS_SCHEMA_WHOLES, // an array of int[width] from malloc, with the number of these at count_offset; JSON has them in a
                     // row
  MUS_SCHEMA_SERIES, // an array of double from malloc, with the number of these at count_offset
  MUS_SCHEMA_OBJECT, // a structure inside, described by `inner`
  MUS_SCHEMA_LIST    // an array of structures from malloc (pointer at offset, int count at count_offset), each `inner`
} mus_schema_kind;

typedef struct mus_schema_field {
  const char *key;
  mus_schema_kind kind;
  size_t offset;
  int width;
  double minimum, maximum;
  const char *const *choices; // ends with NULL
  const char *(*word)(int k); // in place of `choices`, for lists kept elsewhere; NULL past the last
  size_t count_offset;        // also: an int that becomes 1 when the key of a MUS_SCHEMA_NUMBERS is given
  int has_count;
  int repeats; // 1: a single number stands for all of a MUS_SCHEMA_NUMBERS
  const struct mus_schema *inner;
  // Of a choice that fills in others: called when the key is given, before the other keys are read.
  void (*chosen)(void *object);
} mus_schema_field;

typedef struct mus_schema {
  const char *what; // "a cloth": for error texts
  size_t size;      // of the structure
  const mus_schema_field *fields;
  int count;
  void (*set_defaults)(void *object); // for the elements of lists
} mus_schema;

// Reads a whole file into `object`, which holds the defaults. On failure what has been allocated belongs to `object`
// all the same, for the caller to free.
mus_status mus_schema_read(const char *path, const mus_schema *schema, void *object);
// The same from a text; `name` stands for the path in error texts.
mus_status mus_schema_parse(const char *name, const char *text, const mus_schema *schema, void *object);
// The object as JSON with every key; NULL when memory is short. The caller owns the reference.
json_t *mus_schema_write(const mus_schema *schema, const void *object);

#endif
