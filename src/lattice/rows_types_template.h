// Inner loops in one precision, as text for base/both_precisions.h. See rows.h.

// Each works on `count` neighbouring faces or cells of a row along axis 0, from the one at `n`. Of a colour are those
// at even distances from n where `odd` is 0, and at odd ones where it is 1.
typedef struct TYPE(mus_lattice_loops) {
  // delta = factor * (b - L x) on faces perpendicular to a, of a colour: u_a += delta, p += div of that
  void (*sweep_faces)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count, int odd, REAL factor);
  // delta = factor * (b - L x) in cells of a colour: p += own * delta, u -= grad delta
  void (*sweep_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, REAL factor, REAL own,
                      REAL *delta);
  // p += -2 times the neighbours' part of the Laplacian of delta, in cells of a colour. `below` and `above`: delta in
  // the planes before and behind
  void (*gather)(const TYPE(mus_lattice_level) *l, size_t n, int count, int odd, const REAL *below, const REAL *delta,
                 const REAL *above);
  // r = b - L x
  void (*face_residuals)(const TYPE(mus_lattice_level) *l, int a, size_t n, int count);
  void (*cell_residuals)(const TYPE(mus_lattice_level) *l, size_t n, int count);
  // p = factor * (b - div u)
  void (*settle_cells)(const TYPE(mus_lattice_level) *l, size_t n, int count, REAL factor);
  // to += what coarse faces are at `count` fine ones, the first of which lies at `odd`, 0 or 1, in its parent. The
  // coarse ones are those of four rows, from the first one's parent on, by their weights. `along`: faces are
  // perpendicular to axis 0
  void (*prolong_faces)(const REAL *const from[4], const REAL weight[4], int along, int odd, int count, REAL *to);
  // the same for pressures, which have half their parent's
  void (*prolong_cells)(const REAL *from, int odd, int count, REAL *to);
  // the cells of a block of a list, from the last to the first if `backward`: band.c
  void (*relax_block)(const TYPE(mus_lattice_level) *l, const mus_lattice_list *list, int block, int backward);
} TYPE(mus_lattice_loops);
