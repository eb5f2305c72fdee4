// What renewing needs to know of a level beside what the cycle does, in one precision; as text for
// base/both_precisions.h.

typedef struct TYPE(mus_renewal) {
  const mus_galerkin *plan;
  const int *diagonal; // places of the level's diagonal blocks
  REAL *probe;         // follows the upper end of the spectrum of D^-1 A; NULL where no smoother asks for it
  double growth;       // of the probe when `radius` was computed
  double radius;
  // the finest level's P as it was made, where constraints have changed it: rows, and their blocks
  int held, *held_row, *held_start;
  REAL *made;
  size_t rows_capacity, blocks_capacity;
} TYPE(mus_renewal);
