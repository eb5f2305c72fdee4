// Sweeps by colours in one precision, as text for base/both_precisions.h. See sweep.h.

typedef struct TYPE(mus_sweep) {
  const mus_sweep_plan *plan;
  int block;
  REAL *lower, *upper, *inverse;
  REAL *right, *sums; // b, and L x or U x, in the order of the plan
} TYPE(mus_sweep);

// Allocates all of it.
mus_status NAME(mus_sweep_create)(mus_arena *arena, const mus_sweep_plan *plan, int block, TYPE(mus_sweep) *out);
// `inverse_diagonal` has a block for each node of `a`: of its diagonal, whatever is added to it.
void NAME(mus_sweep_fill)(const TYPE(mus_matrix) *a, const REAL *inverse_diagonal, TYPE(mus_sweep) *sweep);

// Before the first way forward for this b. x counts as zero where it is NULL. `active` tells for each node whether it
// is relaxed, now and in what follows; NULL: all are.
void NAME(mus_sweep_start)(const TYPE(mus_sweep) *sweep, const REAL *b, const REAL *x, const unsigned char *active);
// Half a sweep each, in turn, with nothing in between but the caller's relaxing of nodes that have no colour.
void NAME(mus_sweep_forward)(const TYPE(mus_sweep) *sweep, REAL *x, const unsigned char *active);
void NAME(mus_sweep_backward)(const TYPE(mus_sweep) *sweep, REAL *x, const unsigned char *active);
