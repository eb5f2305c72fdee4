/// The version of muslin: of the headers that a program was compiled with (macros), and of the library that it runs
/// with (mus_version).
///
/// Versions are major.minor.patch. Before 1.0 a minor version may change calls and the binary interface, and then
/// CHANGELOG.md says how; a patch does neither.
#ifndef MUSLIN_VERSION_H
#define MUSLIN_VERSION_H

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MUSLIN_VERSION_MAJOR 0
#define MUSLIN_VERSION_MINOR 2
#define MUSLIN_VERSION_PATCH 0
#define MUSLIN_VERSION_STRING "0.2.0"

/// The library's version, "major.minor.patch". It differs from MUSLIN_VERSION_STRING if the program runs with another
/// library than it was compiled for.
MUS_API const char *mus_version(void);

#ifdef __cplusplus
}
#endif
#endif
