// A matrix filtered, as prefiltered methods get it, while the one that was given stays.
#ifndef TESTS_SUPPORT_FILTERED_H
#define TESTS_SUPPORT_FILTERED_H

#include "constrain/filter.h"

// to <- S from S + scale (I - S). The two share a pattern and may share values. What goes wrong ends the test.
void filtered_matrix(const mus_filter *s, const mus_matrix *from, const int *place, double scale, mus_matrix *to);

#endif
