// Options and descriptions that the caller fills in must start from their mus_default_...(): members that come with a
// later version then have sensible values, and memory that was never set is rejected instead of being trusted. Each
// such structure ends with a `cookie` that only these functions set.
#ifndef MUS_BASE_INITIALISED_H
#define MUS_BASE_INITIALISED_H

#include "muslin/status.h"

enum { MUS_COOKIE = 0x6d75736c };

// MUS_BAD_INPUT if the cookie is wrong: `what` was not initialised ("the options of the solver"), and `function` (a
// name without parentheses) is to be called first.
mus_status mus_check_initialised(unsigned cookie, const char *what, const char *function);

#endif
