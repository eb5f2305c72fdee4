// Affine maps of space, x -> A x + t: three rows of four numbers, the last of which is the translation's.
#ifndef MUS_BASE_AFFINE_H
#define MUS_BASE_AFFINE_H

typedef struct mus_affine {
  double m[12];
} mus_affine;

static const mus_affine mus_affine_identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// First b, then a.
static inline mus_affine mus_affine_join(const mus_affine *a, const mus_affine *b) {
  mus_affine out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c)
      out.m[4 * r + c] = a->m[4 * r] * b->m[c] + a->m[4 * r + 1] * b->m[4 + c] + a->m[4 * r + 2] * b->m[8 + c] +
                         (c == 3 ? a->m[4 * r + 3] : 0);
  return out;
}

static inline void mus_affine_apply(const mus_affine *map, const double x[3], double out[3]) {
  double y[3];
  for (int r = 0; r < 3; ++r)
    y[r] = map->m[4 * r] * x[0] + map->m[4 * r + 1] * x[1] + map->m[4 * r + 2] * x[2] + map->m[4 * r + 3];
  for (int r = 0; r < 3; ++r)
    out[r] = y[r];
}

// Not finite where the map has no inverse.
static inline mus_affine mus_affine_inverse(const mus_affine *map) {
  const double *a = map->m;
  mus_affine out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      int i = (c + 1) % 3, j = (c + 2) % 3, k = (r + 1) % 3, l = (r + 2) % 3;
      out.m[4 * r + c] = a[4 * i + k] * a[4 * j + l] - a[4 * i + l] * a[4 * j + k];
    }
  double determinant = a[0] * out.m[0] + a[1] * out.m[4] + a[2] * out.m[8];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      out.m[4 * r + c] /= determinant;
    out.m[4 * r + 3] = -(out.m[4 * r] * a[3] + out.m[4 * r + 1] * a[7] + out.m[4 * r + 2] * a[11]);
  }
  return out;
}

#endif
