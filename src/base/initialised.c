// Structures that were never initialised. See initialised.h.
#include "base/initialised.h"

#include "base/error.h"

mus_status mus_check_initialised(unsigned cookie, const char *what, const char *function) {
  if (cookie == MUS_COOKIE)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "%s not initialised: start from %s()", what, function);
}
