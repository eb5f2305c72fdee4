/// Freed memory that is kept for reuse: blocks of 32 KiB to 256 MiB that solvers and simulators have freed, up to 256
/// MiB in all, because memory that is fresh from the system costs more than what is computed in it. A program that has
/// finished with muslin, or is about to need the memory for something else, gives it back to the system.
#ifndef MUSLIN_MEMORY_H
#define MUSLIN_MEMORY_H

#include <stddef.h>

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that are kept now.
MUS_API size_t mus_memory_kept(void);
/// Frees them. Any thread may call this at any time.
MUS_API void mus_memory_release(void);

#ifdef __cplusplus
}
#endif
#endif
