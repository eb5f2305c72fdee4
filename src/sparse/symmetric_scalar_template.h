// Vectors of three numbers of one precision for symmetric_template.h, as text for base/both_precisions.h: plain C.

typedef struct TYPE(vector) {
  REAL lane[3];
} TYPE(vector);
static inline TYPE(vector) NAME(load)(const REAL *from) { return (TYPE(vector)){{from[0], from[1], from[2]}}; }
static inline TYPE(vector) NAME(load_over)(const REAL *from) { return NAME(load)(from); }
static inline TYPE(vector) NAME(load_four)(const REAL *from) { return NAME(load)(from); }
static inline void NAME(store)(REAL *to, TYPE(vector) a) {
  for (int k = 0; k < 3; ++k)
    to[k] = a.lane[k];
}
static inline void NAME(store_four)(REAL *to, TYPE(vector) a) { NAME(store)(to, a); }
static inline void NAME(fetch)(const REAL *from) { (void)from; }
static inline void NAME(fetch_back)(const REAL *from) { (void)from; }
static inline TYPE(vector) NAME(all)(REAL a) { return (TYPE(vector)){{a, a, a}}; }
static inline TYPE(vector) NAME(lane)(TYPE(vector) a, int k) { return NAME(all)(a.lane[k]); }
static inline TYPE(vector) NAME(add)(TYPE(vector) a, TYPE(vector) b) {
  return (TYPE(vector)){{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1], a.lane[2] + b.lane[2]}};
}
static inline TYPE(vector) NAME(subtract)(TYPE(vector) a, TYPE(vector) b) {
  return (TYPE(vector)){{a.lane[0] - b.lane[0], a.lane[1] - b.lane[1], a.lane[2] - b.lane[2]}};
}
static inline TYPE(vector) NAME(multiply_lanes)(TYPE(vector) a, TYPE(vector) b) {
  return (TYPE(vector)){{a.lane[0] * b.lane[0], a.lane[1] * b.lane[1], a.lane[2] * b.lane[2]}};
}
static inline TYPE(vector) NAME(add_product)(TYPE(vector) a, TYPE(vector) b, TYPE(vector) c) {
  return NAME(add)(NAME(multiply_lanes)(a, b), c);
}
typedef TYPE(vector) TYPE(wide);
static inline TYPE(wide) NAME(widen)(TYPE(vector) a) { return a; }
static inline TYPE(vector) NAME(low)(TYPE(wide) a) { return a; }
static inline TYPE(wide) NAME(wide_load)(const REAL *from) { return NAME(load)(from); }
static inline TYPE(wide) NAME(wide_product)(TYPE(wide) a, TYPE(wide) b) { return NAME(multiply_lanes)(a, b); }
static inline TYPE(wide) NAME(wide_add_product)(TYPE(wide) a, TYPE(wide) b, TYPE(wide) c) {
  return NAME(add_product)(a, b, c);
}
static inline TYPE(vector) NAME(fold)(TYPE(vector) a, TYPE(vector) b, TYPE(vector) c) {
  return (TYPE(vector)){
      {a.lane[0] + a.lane[1] + a.lane[2], b.lane[0] + b.lane[1] + b.lane[2], c.lane[0] + c.lane[1] + c.lane[2]}};
}
