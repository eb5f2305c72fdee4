// Numbers for people, in tables and sentences, and for machines, in JSON.
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <jansson.h>
#include <stddef.h>

typedef struct short_text {
  char text[48];
} short_text;

// 1234567 as 1,234,567
short_text numbers_grouped(long long value);
// Seconds as "1.23 ms", "123 ms", "1.23 s".
short_text numbers_duration(double seconds);
short_text numbers_megabytes(size_t bytes);

// A number, or null: JSON has no NaN and no infinity.
json_t *numbers_json(double value);
// Writes the JSON value to a file and releases it; NULL stands for a value for which memory was short. Returns 0 or an
// exit status, after saying on stderr what went wrong.
int numbers_write_json(const char *program, const char *path, json_t *root);

#endif
