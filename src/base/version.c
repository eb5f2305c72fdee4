// The library's version, from the build. See muslin/muslin.h.
#include "muslin/muslin.h"

const char *mus_version(void) { return MUSLIN_VERSION; }
