// Error texts: the private side of muslin/status.h.
//
// A function that fails reports it once, where it knows most: `return mus_fail(MUS_BAD_INPUT, "row %d ...", row);`. A
// caller that knows more (the file's name, say) puts it in front with mus_fail_prefix().
#ifndef MUS_BASE_ERROR_H
#define MUS_BASE_ERROR_H

#include "muslin/status.h"

// Sets the calling thread's error text and returns `status`.
mus_status mus_fail(mus_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "prefix: " before the current error text and returns `status`.
mus_status mus_fail_prefix(mus_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The one text for a failed allocation.
mus_status mus_fail_memory(void);

#endif
