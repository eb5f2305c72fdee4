// See numbers.h.
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "output.h"

short_text numbers_grouped(long long value) {
  char digits[32];
  short_text out;
  int length = snprintf(digits, sizeof digits, "%lld", value), at = 0;
  for (int i = 0; i < length; ++i) {
    if (i > 0 && (length - i) % 3 == 0)
      out.text[at++] = ',';
    out.text[at++] = digits[i];
  }
  out.text[at] = 0;
  return out;
}

short_text numbers_duration(double seconds) {
  short_text out;
  if (seconds < 0.9995)
    snprintf(out.text, sizeof out.text, "%.*f ms", seconds < 0.00995 ? 2 : seconds < 0.0995 ? 1 : 0, 1e3 * seconds);
  else
    snprintf(out.text, sizeof out.text, "%.*f s", seconds < 9.95 ? 2 : 1, seconds);
  return out;
}

short_text numbers_megabytes(size_t bytes) {
  short_text out;
  snprintf(out.text, sizeof out.text, "%.*f MB", bytes < 100000000 ? 1 : 0, (double)bytes * 1e-6);
  return out;
}

json_t *numbers_json(double value) { return isfinite(value) ? json_real(value) : json_null(); }

int numbers_write_json(const char *program, const char *path, json_t *root) {
  char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
  int failed = text ? output_write(program, path, text, strlen(text)) : failure_memory(program);
  free(text);
  json_decref(root);
  return failed;
}
