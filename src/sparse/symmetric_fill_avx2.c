// Filling symmetric storage of 3x3 blocks with AVX2. See symmetric_fill.h.
#if MUSLIN_X86
#include <immintrin.h>

#include "sparse/symmetric_fill.h"

enum { ENTRIES = 9 };

static inline void copy(int numbers, const double *from, double *to) {
  int k = 0;
  for (; k + 4 <= numbers; k += 4)
    _mm256_storeu_pd(to + k, _mm256_loadu_pd(from + k));
  for (; k < numbers; ++k)
    to[k] = from[k];
}

static inline __m128 four(const double *from) { return _mm256_cvtpd_ps(_mm256_loadu_pd(from)); }

static inline void round_numbers(int numbers, const double *from, float *to) {
  int k = 0;
  for (; k + 4 <= numbers; k += 4)
    _mm_storeu_ps(to + k, four(from + k));
  for (; k < numbers; ++k)
    to[k] = (float)from[k];
}

// Two blocks a and b become a0 a1 a2 b0  b1 b2 a3 a4  a5 b3 b4 b5  a6 a7 a8 b6  b7 b8.
static inline void round_two(const double *from, float *to) {
#define LANE(from, to) ((from) << 6 | (to) << 4) // for insert_ps
  const double *a = from, *b = from + ENTRIES;
  __m128 first_a = four(a), middle_a = four(a + 4), last_a = four(a + 5);
  __m128 first_b = four(b), middle_b = four(b + 2), last_b = four(b + 5);
  __m128 between = _mm_shuffle_ps(first_a, middle_a, _MM_SHUFFLE(0, 0, 3, 3)); // a3 a3 a4 a4
  __m128 shifted = _mm_permute_ps(last_a, _MM_SHUFFLE(0, 3, 2, 1));            // a6 a7 a8
  _mm_storeu_ps(to, _mm_insert_ps(first_a, first_b, LANE(0, 3)));
  _mm_storeu_ps(to + 4, _mm_shuffle_ps(first_b, between, _MM_SHUFFLE(2, 0, 2, 1)));
  _mm_storeu_ps(to + 8, _mm_insert_ps(middle_b, middle_a, LANE(1, 0)));
  _mm_storeu_ps(to + 12, _mm_insert_ps(shifted, last_b, LANE(1, 3)));
  _mm_storeh_pi((__m64 *)(void *)(to + 16), last_b);
#undef LANE
}

static inline void round_pairs(int count, const double *from, float *to) {
  int k = 0;
  for (; k + 2 <= count; k += 2)
    round_two(from + k * ENTRIES, to + k * ENTRIES);
  if (k < count)
    round_numbers(ENTRIES, from + k * ENTRIES, to + k * ENTRIES);
}

void mus_symmetric_fill_rows_avx2(const mus_symmetric_pattern *p, const mus_matrix *full, int begin, int end,
                                  double *value, float *value_f) {
  for (int i = begin; i < end; ++i) {
    mus_symmetric_runs r = mus_symmetric_runs_of(p, full->pattern, i);
    for (int run = 0; run < 4; ++run) {
      const double *from = full->value + (size_t)r.from[run] * ENTRIES;
      size_t to = (size_t)r.to[run] * ENTRIES;
      if (value)
        copy(r.count[run] * ENTRIES, from, value + to);
      if (value_f && run < 3)
        round_numbers(r.count[run] * ENTRIES, from, value_f + to);
      else if (value_f)
        round_pairs(r.count[run], from, value_f + to);
    }
  }
}

void mus_symmetric_round_rows_avx2(const mus_symmetric_pattern *p, const double *from, int begin, int end, float *to) {
  for (int i = begin; i < end; ++i) {
    int start = p->row_start[i], pairs = p->pair_start[i];
    size_t own = (size_t)start * ENTRIES, paired = (size_t)pairs * ENTRIES;
    round_numbers((pairs - start) * ENTRIES, from + own, to + own);
    round_pairs(p->row_start[i + 1] - pairs, from + paired, to + paired);
  }
}
#else
typedef int mus_symmetric_fill_avx2_not_built;
#endif
