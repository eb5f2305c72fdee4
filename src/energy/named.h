// Tables of named things, fabrics and materials: finding one, and checking its values. Private to energy/.
#ifndef MUS_ENERGY_NAMED_H
#define MUS_ENERGY_NAMED_H

#include <stddef.h>

#include "muslin/status.h"

// The number for which name_of() gives that name; it gives NULL past the last. MUS_BAD_INPUT with the list of names
// where there is none. `what` is the word for one: "fabric".
mus_status mus_named_find(const char *what, const char *(*name_of)(int), const char *name, int *number);

typedef struct mus_named_value {
  const char *name;
  double value;
  int may_be_zero;
} mus_named_value;

// MUS_BAD_INPUT names the first that is not finite, negative, or zero where it must not be.
mus_status mus_named_check(const char *what, const char *name, size_t count, const mus_named_value *values);

#endif
