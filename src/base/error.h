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

// Texts count nodes and the like as the caller does, who may begin with 1: mus_counted(i) is what they say of index i.
// Returns what was set before for the calling thread, which is 0 at first.
int mus_count_from(int first);
int mus_counted(int index);

// MUS_BAD_INPUT if `given` is NULL: "mus_solver_solve(): x is NULL".
mus_status mus_fail_if_null(const void *given, const char *function, const char *name);
#define MUS_NEED(argument) mus_fail_if_null(argument, __func__, #argument)

// The one text for a failed allocation.
mus_status mus_fail_memory(void);

#endif
