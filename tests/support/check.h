// Assertions that say what mus_last_error() says.
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <string.h>

#include "muslin/status.h"

#define assert_ok(call)                                                                                                \
  do {                                                                                                                 \
    if ((call) != MUS_OK)                                                                                              \
      fail_msg("%s: %s", #call, mus_last_error());                                                                     \
  } while (0)

// The call fails with that status, and its error text has `why` in it.
#define assert_fails(call, status, why)                                                                                \
  do {                                                                                                                 \
    assert_int_equal(call, status);                                                                                    \
    if (!strstr(mus_last_error(), why))                                                                                \
      fail_msg("\"%s\" does not say \"%s\"", mus_last_error(), why);                                                   \
  } while (0)

#endif
