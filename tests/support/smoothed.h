// Hierarchies of smoothed aggregation with a smoother on trial, and what every cycle must be.
//
// What goes wrong ends the test.
#ifndef TESTS_SUPPORT_SMOOTHED_H
#define TESTS_SUPPORT_SMOOTHED_H

#include "multigrid/aggregation/aggregation.h"
#include "support/problem.h"

typedef struct smoothed {
  mus_aggregation *aggregation;
  mus_hierarchy *hierarchy;
} smoothed;

// V-cycles of several levels that can be renewed. The smoother is the one that is given or, where that is NULL, what
// `text` names as mus_multigrid_options.smoother does.
smoothed smoothed_create(const problem *p, const mus_smoother *smoother, const char *text, mus_precision precision);
void smoothed_free(smoothed *s);

// r . M s = s . M r and r . M r > 0 for random vectors, to the cycle's rounding in that precision.
void expect_symmetric_and_definite(mus_hierarchy *h, int n, mus_precision precision);

#endif
