// See named.h.
#include "energy/named.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

mus_status mus_named_find(const char *what, const char *(*name_of)(int), const char *name, int *number) {
  char names[256] = "";
  size_t length = 0;
  const char *known;
  for (int k = 0; (known = name_of(k)); ++k) {
    if (strcmp(name, known) == 0) {
      *number = k;
      return MUS_OK;
    }
    int written = snprintf(names + length, sizeof names - length, "%s%s", k == 0 ? "" : ", ", known);
    length += (size_t)written < sizeof names - length ? (size_t)written : 0;
  }
  return mus_fail(MUS_BAD_INPUT, "there is no %s named \"%s\"; there are %s", what, name, names);
}

mus_status mus_named_check(const char *what, const char *name, size_t count, const mus_named_value *values) {
  for (size_t k = 0; k < count; ++k) {
    const mus_named_value *v = &values[k];
    if (!isfinite(v->value) || v->value < 0 || (v->value <= 0 && !v->may_be_zero))
      return mus_fail(MUS_BAD_INPUT, "%s %s: %s is %g; give a %s number", what, name, v->name, v->value,
                      v->may_be_zero ? "finite, not negative" : "finite, positive");
  }
  return MUS_OK;
}
