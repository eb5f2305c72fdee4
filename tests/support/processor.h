// Processor time of this process, for tests that compare costs: a busy machine does not count.
#ifndef TESTS_SUPPORT_PROCESSOR_H
#define TESTS_SUPPORT_PROCESSOR_H

#include <time.h>

static inline double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

#endif
