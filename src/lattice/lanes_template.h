// Vectors in one precision, as text for base/both_precisions.h. See rows_table.h.

typedef REAL TYPE(lane_vector) __attribute__((vector_size(WIDTH), aligned(sizeof(REAL)), may_alias));
#if SINGLE
typedef int32_t TYPE(lane_truth) __attribute__((vector_size(WIDTH))); // all bits, or none
#else
typedef int64_t TYPE(lane_truth) __attribute__((vector_size(WIDTH)));
#endif

// The numbers from `from` on, or those at places that are told.
LANE_INLINE TYPE(lane_vector) NAME(take)(const REAL *from, const int *place) {
  if (!place)
    return *(const TYPE(lane_vector) *)from;
#if WIDTH == 64 && SINGLE
  return (TYPE(lane_vector))_mm512_i32gather_ps(_mm512_loadu_si512(place), from, sizeof *from);
#elif WIDTH == 64
  return (TYPE(lane_vector))_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)place), from, sizeof *from);
#elif WIDTH == 32 && SINGLE
  return (TYPE(lane_vector))_mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i *)place), sizeof *from);
#elif WIDTH == 32
  return (TYPE(lane_vector))_mm256_i32gather_pd(from, _mm_loadu_si128((const __m128i *)place), sizeof *from);
#else
  TYPE(lane_vector) value;
  for (int k = 0; k < LANES; ++k)
    value[k] = from[place[k]];
  return value;
#endif
}

// Writes as many lanes as are left.
LANE_INLINE void NAME(put)(REAL *to, TYPE(lane_vector) value, int left) {
  if (left >= LANES) {
    *(TYPE(lane_vector) *)to = value;
    return;
  }
#if WIDTH == 64 && SINGLE
  _mm512_mask_storeu_ps(to, (__mmask16)((1u << left) - 1), (__m512)value);
#elif WIDTH == 64
  _mm512_mask_storeu_pd(to, (__mmask8)((1u << left) - 1), (__m512d)value);
#else
  for (int k = 0; k < LANES; ++k)
    if (k < left)
      to[k] = value[k];
#endif
}
