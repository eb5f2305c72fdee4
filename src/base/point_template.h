// Vectors of three numbers as values, for the number type that the includer names:
//
//   REAL    float or double
//   POINT   the structure's name
//   NAME    a macro that makes a function's name of a word
//   ROOT    the square root
//
// All are undefined at the end. base/vector3.h has both instances.

typedef struct POINT {
  REAL x, y, z;
} POINT;

static inline POINT NAME(from)(const REAL *p) { return (POINT){p[0], p[1], p[2]}; }
static inline POINT NAME(add)(POINT a, POINT b) { return (POINT){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline POINT NAME(subtract)(POINT a, POINT b) { return (POINT){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline POINT NAME(scale)(REAL s, POINT a) { return (POINT){s * a.x, s * a.y, s * a.z}; }
// Entry by entry: a colour seen through another.
static inline POINT NAME(times)(POINT a, POINT b) { return (POINT){a.x * b.x, a.y * b.y, a.z * b.z}; }
// a + s b
static inline POINT NAME(plus)(POINT a, REAL s, POINT b) {
  return (POINT){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline REAL NAME(dot)(POINT a, POINT b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline POINT NAME(cross)(POINT a, POINT b) {
  return (POINT){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline REAL NAME(length)(POINT a) { return ROOT(NAME(dot)(a, a)); }
// The zero vector stays zero.
static inline POINT NAME(unit)(POINT a) {
  REAL length = NAME(length)(a);
  return length > 0 ? NAME(scale)(1 / length, a) : a;
}
// From a at t = 0 to b at t = 1
static inline POINT NAME(mix)(POINT a, POINT b, REAL t) { return NAME(plus)(a, t, NAME(subtract)(b, a)); }

#undef REAL
#undef POINT
#undef NAME
#undef ROOT
