// Warned about, and no more than that: warnings are errors in muslin's own sources alone.
#include <muslin/muslin.h>

#if defined(_OPENMP) || defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE == 200809L && !defined(_DEFAULT_SOURCE)
#error "compiled with muslin's own flags"
#endif

static int never_called(void) { return MUSLIN_VERSION_MAJOR; }
