// Vectors of three numbers in arrays, for the number type that the includer names:
//
//   REAL     the type, with + - *: double, or several numbers at once in a vector register
//   DECLARE  how the functions are declared: static inline, or more for device code
//
// Both are undefined at the end. base/vector3.h is the instance for double.

// c = a - b
DECLARE void mus_subtract3(const REAL *a, const REAL *b, REAL *c) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  c[2] = a[2] - b[2];
}

DECLARE REAL mus_dot3(const REAL *a, const REAL *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// c = a x b
DECLARE void mus_cross3(const REAL *a, const REAL *b, REAL *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// b = factor * a
DECLARE void mus_scale3(REAL factor, const REAL *a, REAL *b) {
  b[0] = factor * a[0];
  b[1] = factor * a[1];
  b[2] = factor * a[2];
}

// b += factor * a
DECLARE void mus_add_scaled3(REAL factor, const REAL *a, REAL *b) {
  b[0] += factor * a[0];
  b[1] += factor * a[1];
  b[2] += factor * a[2];
}

#undef REAL
#undef DECLARE
