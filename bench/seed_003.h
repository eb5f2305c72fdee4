// The tables and figures of Wang et al. 2018. seed_003.c draws what has been measured; seed_003_levels.c looks at
// hierarchies.
#ifndef BENCH_SEED_003_H
#define BENCH_SEED_003_H

#include <stdio.h>

#include "muslin/muslin.h"

// Table 1 for cloths of so many vertices. Returns 0 or an exit status, after saying on stderr what went wrong.
int report_levels(const char *program, int vertices, FILE *file);

#endif
