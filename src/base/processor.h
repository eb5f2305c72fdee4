// The processor's name, for reports and measurements.
#ifndef MUS_BASE_PROCESSOR_H
#define MUS_BASE_PROCESSOR_H

#include <stddef.h>

// As the system reports it, cut to `size`; "unknown" if it does not.
void mus_processor_name(size_t size, char *name);

#endif
