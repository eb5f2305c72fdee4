// Products with blocks of every size in units of what their bytes take at the machine's read bandwidth.
#ifndef BENCH_BLOCK_SIZES_H
#define BENCH_BLOCK_SIZES_H

// `sizes` is a list like "1,2,12", or "all": 1 to 6 and 12. Returns an exit status, after saying what was wrong with
// it.
int block_sizes_report(const char *sizes, int repeats);

#endif
