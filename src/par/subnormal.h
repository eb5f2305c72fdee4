// Subnormal numbers are flushed to zero between the two calls, by all threads of the calling thread's parallel loops:
// many processors take a hundred times as long for them. They are not rare in a cycle in single precision: a sheet that
// begins flat has forces across its plane that are nothing but rounding, and what these do fades out further.
//
// Where processors have no such switch (MXCSR of x86), nothing changes.
#ifndef MUS_PAR_SUBNORMAL_H
#define MUS_PAR_SUBNORMAL_H

// Returns what restore() needs. Loops in between must run with as many threads as are set now. Both calls come from the
// same thread, and do not nest.
unsigned mus_subnormal_flush(void);
// All threads round again as they did before.
void mus_subnormal_restore(unsigned before);

#endif
