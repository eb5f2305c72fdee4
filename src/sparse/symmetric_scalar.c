// Symmetric kernels in plain C: the reference that the others are tested against, and the only ones on other
// processors.
#include <string.h>

#include "sparse/symmetric_kernels.h"

#define VECTOR(real, name)                                                                                             \
  typedef struct name(vector) {                                                                                        \
    real lane[3];                                                                                                      \
  }                                                                                                                    \
  name(vector);                                                                                                        \
  static inline name(vector) name(load)(const real *from) { return (name(vector)){{from[0], from[1], from[2]}}; }      \
  static inline name(vector) name(load_over)(const real *from) { return name(load)(from); }                            \
  static inline name(vector) name(load_four)(const real *from) { return name(load)(from); }                            \
  static inline void name(store)(real * to, name(vector) a) {                                                          \
    for (int k = 0; k < 3; ++k)                                                                                        \
      to[k] = a.lane[k];                                                                                               \
  }                                                                                                                    \
  static inline void name(store_four)(real * to, name(vector) a) { name(store)(to, a); }                               \
  static inline void name(fetch)(const real *from) { (void)from; }                                                     \
  static inline name(vector) name(all)(real a) { return (name(vector)){{a, a, a}}; }                                   \
  static inline name(vector) name(lane)(name(vector) a, int k) { return name(all)(a.lane[k]); }                        \
  static inline name(vector) name(add)(name(vector) a, name(vector) b) {                                               \
    return (name(vector)){{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1], a.lane[2] + b.lane[2]}};                      \
  }                                                                                                                    \
  static inline name(vector) name(subtract)(name(vector) a, name(vector) b) {                                          \
    return (name(vector)){{a.lane[0] - b.lane[0], a.lane[1] - b.lane[1], a.lane[2] - b.lane[2]}};                      \
  }                                                                                                                    \
  static inline name(vector) name(multiply_lanes)(name(vector) a, name(vector) b) {                                    \
    return (name(vector)){{a.lane[0] * b.lane[0], a.lane[1] * b.lane[1], a.lane[2] * b.lane[2]}};                      \
  }                                                                                                                    \
  static inline name(vector) name(add_product)(name(vector) a, name(vector) b, name(vector) c) {                       \
    return name(add)(name(multiply_lanes)(a, b), c);                                                                   \
  }                                                                                                                    \
  typedef name(vector) name(wide);                                                                                     \
  static inline name(wide) name(widen)(name(vector) a) { return a; }                                                   \
  static inline name(vector) name(low)(name(wide) a) { return a; }                                                     \
  static inline name(wide) name(wide_load)(const real *from) { return name(load)(from); }                              \
  static inline name(wide) name(wide_product)(name(wide) a, name(wide) b) { return name(multiply_lanes)(a, b); }       \
  static inline name(wide) name(wide_add_product)(name(wide) a, name(wide) b, name(wide) c) {                          \
    return name(add_product)(a, b, c);                                                                                 \
  }                                                                                                                    \
  static inline name(vector) name(fold)(name(vector) a, name(vector) b, name(vector) c) {                              \
    return (name(vector)){                                                                                             \
        {a.lane[0] + a.lane[1] + a.lane[2], b.lane[0] + b.lane[1] + b.lane[2], c.lane[0] + c.lane[1] + c.lane[2]}};    \
  }

#define DOUBLE(stem) stem##_d
#define SINGLE(stem) stem##_f
VECTOR(double, DOUBLE)
VECTOR(float, SINGLE)

static inline void add_two_f(const float *a, const float *x_i, const float *x_j, const float *x_l, wide_f *sum0,
                             wide_f *sum1, wide_f *sum2, float *y_j, float *y_l) {
  wide_f *sum[] = {sum0, sum1, sum2};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      const float left = a[6 * r + c], right = a[6 * r + 3 + c];
      sum[r]->lane[c] += left * x_j[c] + right * x_l[c];
      y_j[c] += left * x_i[r];
      y_l[c] += right * x_i[r];
    }
}

#include "sparse/symmetric_tables.h"

const mus_symmetric_kernels mus_symmetric_scalar = {table_d, table_f};
