// Every allocation of a call fails in turn.
#ifndef SUPPORT_SWEEP_H
#define SUPPORT_SWEEP_H

#include "base/memory.h"
#include "muslin/status.h"

// Runs `call` with its first allocation failing, then its second, and so on until it succeeds. It must answer
// MUS_OUT_OF_MEMORY until then; what it took from the arena is given back after each time. Returns how often it ran.
int sweep_allocations(mus_arena *arena, mus_status (*call)(mus_arena *arena, void *data), void *data);

#endif
