// How fast this machine reads memory, for measurements that are compared with it; and medians of what was measured.
#ifndef BENCH_READING_H
#define BENCH_READING_H

enum { READ_BYTES = 512 << 20, REPEATS_MAXIMUM = 1001 };

// The sum of an array of READ_BYTES, by all threads.
double reading_sum(const double *array);

// Of scale * above[i] / below[i] in ascending order, the one that `part` of them lie below; `below` may be NULL. At
// most REPEATS_MAXIMUM.
double reading_quantile(double part, int count, double scale, const double *above, const double *below);
double reading_median(int count, double scale, const double *above, const double *below);

#endif
