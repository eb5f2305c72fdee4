// One step of Vanka's smoother (band.c) for a vector of cells, or for one; as text for band_template.h, which says what
// VECTOR, CHANGES and TAKE are: the type, the function's name and what reads a vector.

// What the cells' faces, lower and upper along axis 0 first, and pressures change by. Cells are those from `cell` on,
// or at places that are told.
LANE_INLINE void CHANGES(const TYPE(mus_lattice_level) *l, const TYPE(box_stencil) *box, size_t cell, const int *place,
                         VECTOR change[7]) {
  const size_t *stride = l->domain->stride;
  const REAL *p = l->x[3] + cell;
  VECTOR middle = TAKE(p, place), right = TAKE(l->b[3] + cell, place) - box->own * middle;
  VECTOR line[3][4];    // u_a along a: one before the lower face, that, the upper one and one behind
  VECTOR side[3][2][4]; // beside the lower and the upper face: below and above, along the next axis and the
                        // one after that
  VECTOR normal[3][3], shear[3][4];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const ptrdiff_t s = (ptrdiff_t)stride[a], t = (ptrdiff_t)stride[(a + 1) % 3], v = (ptrdiff_t)stride[(a + 2) % 3];
    const REAL *u = l->x[a] + cell;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      line[a][k] = TAKE(u + (k - 1) * s, place);
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      side[a][k][0] = TAKE(u + k * s - t, place);
      side[a][k][1] = TAKE(u + k * s + t, place);
      side[a][k][2] = TAKE(u + k * s - v, place);
      side[a][k][3] = TAKE(u + k * s + v, place);
    }
    normal[a][0] = box->normal[a][0] * (2 * (line[a][1] - line[a][0]) - TAKE(p - s, place));
    normal[a][1] = box->normal[a][1] * (2 * (line[a][2] - line[a][1]) - middle);
    normal[a][2] = box->normal[a][2] * (2 * (line[a][3] - line[a][2]) - TAKE(p + s, place));
  }
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const int i = k & 1, j = k >> 1; // along b and along c
      VECTOR one = j ? side[b][i][1] - line[b][1 + i] : line[b][1 + i] - side[b][i][0];
      VECTOR other = i ? side[c][j][3] - line[c][1 + j] : line[c][1 + j] - side[c][j][2];
      shear[a][k] = box->shear[a][k] * (one + other);
    }
  }
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const REAL *f = l->b[a] + cell;
    // on edges along b, axis a is the later one, along c the earlier
    change[2 * a] = TAKE(f, place) - ((normal[a][1] - normal[a][0]) + (shear[b][1] - shear[b][0]) +
                                      (shear[c][2] - shear[c][0]) - l->inertia * line[a][1]);
    change[2 * a + 1] = TAKE(f + stride[a], place) - ((normal[a][2] - normal[a][1]) + (shear[b][3] - shear[b][2]) +
                                                      (shear[c][3] - shear[c][1]) - l->inertia * line[a][2]);
    right -= box->normal[a][1] * ((line[a][2] - line[a][1]) +
                                  (change[2 * a + 1] * box->inverse[2 * a + 1] - change[2 * a] * box->inverse[2 * a]));
  }
  change[6] = right / box->divisor;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    VECTOR push = box->normal[a][1] * change[6];
    change[2 * a] = (change[2 * a] + push) * box->inverse[2 * a];
    change[2 * a + 1] = (change[2 * a + 1] - push) * box->inverse[2 * a + 1];
  }
}

#undef VECTOR
#undef CHANGES
#undef TAKE
