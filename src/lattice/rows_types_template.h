// Inner loops in one precision, as text for base/both_precisions.h. See rows.h.

// Each works on `count` neighbouring faces or cells of a row along axis 0, from the one at `n`. Of a colour are those
// at even distances from n where `odd` is 0, and at odd ones where it is 1.
typedef struct TYPE(mus_lattice_loops) {
  // delta = factor * (b - L x) on faces perpendicular to a, of a colour; 0 on the others
  void (*face_deltas)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, int odd, REAL factor, REAL *delta);
  // u_a += delta, p += div of that
  void (*move_faces)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, const REAL *delta);
  // delta of the level = factor * (b - L x) in cells of a colour, and p += own * delta
  void (*cell_deltas)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, REAL factor, REAL own);
  // u -= grad delta, of cells of a colour
  void (*move_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd);
  // p += -2 times the neighbours' part of the Laplacian of delta, in cells of a colour
  void (*gather)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd);
  // r = b - L x
  void (*face_residuals)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count);
  void (*cell_residuals)(const TYPE(mus_lattice_level) *l, size_t n, int count);
} TYPE(mus_lattice_loops);
