// See muslin/version.h.
#include "muslin/version.h"

const char *mus_version(void) { return MUSLIN_VERSION_STRING; }
