// Filtered matrices. See filtered.h.
#include "support/filtered.h"

#include <stdlib.h>
#include <string.h>

void filtered_matrix(const mus_filter *s, const mus_matrix *from, const int *place, double scale, mus_matrix *to) {
  mus_arena arena = {0};
  mus_transpose at;
  mus_filter_saved saved;
  if (from->value != to->value)
    memcpy(to->value, from->value, mus_matrix_values(from) * sizeof *to->value);
  if (mus_transpose_create(&arena, from->pattern, &at) || mus_filter_saved_create(&arena, s, from->pattern, &saved))
    abort();
  mus_filter_in_place(s, &at, place, scale, to, &saved);
  mus_arena_clear(&arena);
}
