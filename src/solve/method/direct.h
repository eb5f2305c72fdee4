// What a direct solve will cost, for those that choose it.
#ifndef MUS_SOLVE_METHOD_DIRECT_H
#define MUS_SOLVE_METHOD_DIRECT_H

#include "solve/method.h"

// In products with the matrix, as mus_method_cost.
typedef struct mus_direct_price {
  double analysis; // once for a pattern
  double factor;   // for every matrix
  double solution; // for every right-hand side
  double size;     // numbers of the factor, in units of the matrix's
} mus_direct_price;

// The method's own state must be that of mus_method_cholmod. Analyses the pattern where that has not been done, which
// is kept for the solve. Systems of more than MUS_DIRECT_MOST unknowns are not analysed: MUS_UNSUPPORTED.
enum { MUS_DIRECT_MOST = 300000 };
mus_status mus_direct_price_of(void *self, mus_direct_price *out);
// What the analysis costs, and a factor with a solution at the least, which is known before.
extern const double mus_direct_analysis, mus_direct_least;

#endif
