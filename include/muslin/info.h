/// Human-readable descriptions of files and folders.
#ifndef MUSLIN_INFO_H
#define MUSLIN_INFO_H

#include <stdio.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes to `out` a description of a mesh (OBJ, PLY, glTF), a scene (JSON; every key with its value, as JSON), a cache
/// (PC2, MDD), a matrix (Matrix Market), a checkpoint, a report or a result folder; files may be gzip-compressed if
/// their readers support that. MUS_BAD_INPUT, with the list of kinds, for anything else.
MUS_API mus_status mus_info(const char *path, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
