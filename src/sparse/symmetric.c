// Symmetric storage: where to cut, what to store, and the products over all chunks. See symmetric.h.
#include "sparse/symmetric.h"

#include "base/error.h"
#include "par/par.h"
#include "sparse/symmetric_fill.h"
#include "sparse/symmetric_kernels.h"

// --- the pattern -------------------------------------------------------------------------------------------------

// How far pairs lie apart, over all of them.
typedef struct reach {
  double mean;
  int largest;
} reach;

static reach reach_of(const mus_pattern *full) {
  reach found = {0, 0};
  double sum = 0, pairs = 0;
  for (int i = 0; i < full->rows; ++i)
    for (int k = full->row_start[i]; k < full->row_start[i + 1]; ++k) {
      int apart = full->column[k] - i;
      if (apart <= 0)
        continue;
      sum += apart;
      pairs += 1;
      found.largest = apart > found.largest ? apart : found.largest;
    }
  found.mean = pairs > 0 ? sum / pairs : 0;
  return found;
}

// A cut is crossed by as many pairs as there are in `mean` rows. Cuts are worth it as long as they double few of all
// pairs; but a large matrix gets some whatever they cost, for without them it would stay on one thread.
static int choose_chunks(int rows, double mean) {
  enum { LEAST_ROWS = 1024, LEAST_CHUNKS = 4 };
  const double doubled = 0.05;
  int chunks = 1;
  while (2 * chunks <= MUS_SYMMETRIC_CHUNKS && 2 * chunks * LEAST_ROWS <= rows &&
         (2 * chunks <= LEAST_CHUNKS || 2 * chunks * mean <= doubled * rows))
    chunks *= 2;
  return chunks;
}

// First rows, such that chunks have about as many blocks each.
static void cut(const mus_pattern *full, int chunks, int *first) {
  int row = 0;
  for (int c = 0; c <= chunks; ++c) {
    long long goal = (long long)mus_pattern_blocks(full) * c / chunks;
    while (row < full->rows && full->row_start[row] < goal)
      ++row;
    first[c] = c == chunks ? full->rows : row;
  }
}

// What becomes of a block of the full matrix.
typedef enum fate { OWN, PAIR, LEFT_OUT } fate;

static fate fate_of(const mus_symmetric_pattern *p, int chunk, int i, int j) {
  int apart = j > i ? j - i : i - j;
  if (apart == 0 || apart >= p->ring || j < p->chunk[chunk] || j >= p->chunk[chunk + 1])
    return OWN;
  return j > i ? PAIR : LEFT_OUT;
}

// Lays out row i from its row_start: the diagonal, its own blocks, pairs.
static void fill_where(const mus_symmetric_pattern *p, const mus_pattern *full, int chunk, int i) {
  int at = p->row_start[i], stride = mus_ring_stride(p->block);
  p->where[at++] = i;
  for (int k = full->row_start[i]; k < full->row_start[i + 1]; ++k)
    if (full->column[k] != i && fate_of(p, chunk, i, full->column[k]) == OWN)
      p->where[at++] = full->column[k];
  p->pair_start[i] = at;
  for (int k = full->row_start[i]; k < full->row_start[i + 1]; ++k)
    if (fate_of(p, chunk, i, full->column[k]) == PAIR)
      p->where[at++] = mus_pair_pack((full->column[k] - i) * p->block, (full->column[k] & (p->ring - 1)) * stride);
}

static int count_stored(const mus_symmetric_pattern *p, const mus_pattern *full, int chunk, int i) {
  int count = 0;
  for (int k = full->row_start[i]; k < full->row_start[i + 1]; ++k)
    count += fate_of(p, chunk, i, full->column[k]) != LEFT_OUT;
  return count;
}

// First rows of pieces, which have about as many blocks each.
static void cut_pieces(const mus_symmetric_pattern *p, int chunk) {
  int row = p->chunk[chunk], begin = p->row_start[row], end = p->row_start[p->chunk[chunk + 1]];
  for (int k = 0; k < MUS_SYMMETRIC_PIECES; ++k) {
    long long goal = begin + (long long)(end - begin) * k / MUS_SYMMETRIC_PIECES;
    while (row < p->chunk[chunk + 1] && p->row_start[row] < goal)
      ++row;
    p->piece[chunk * MUS_SYMMETRIC_PIECES + k] = p->lead[chunk * MUS_SYMMETRIC_PIECES + k] = row;
  }
}

// The last row that row i has a pair with, or i.
static int last_pair(const mus_symmetric_pattern *p, int i) {
  unsigned apart = 0;
  for (int k = p->pair_start[i]; k < p->row_start[i + 1]; ++k)
    apart = mus_pair_apart(p->where[k]) > apart ? mus_pair_apart(p->where[k]) : apart;
  return i + (int)apart / p->block;
}

// A lead begins with the first row of the chunk that has a pair in the piece or behind it.
static void find_leads(mus_symmetric_pattern *p) {
  double sum = 0;
  for (int chunk = 0; chunk < p->chunks; ++chunk) {
    int at = chunk * MUS_SYMMETRIC_PIECES, end = at + MUS_SYMMETRIC_PIECES, next = at;
    cut_pieces(p, chunk);
    for (int i = p->chunk[chunk]; i < p->chunk[chunk + 1]; ++i)
      for (int last = last_pair(p, i); next < end && p->piece[next] <= last; ++next)
        p->lead[next] = p->piece[next] < i ? p->piece[next] : i;
    for (int k = at; k < end; ++k)
      sum += p->piece[k] - p->lead[k];
  }
  p->lead_share = p->rows > 0 ? sum / MUS_SYMMETRIC_PIECES / p->rows : 0;
}

mus_status mus_symmetric_pattern_create(mus_arena *arena, const mus_pattern *full, int block,
                                        mus_symmetric_pattern *out) {
  mus_symmetric_pattern p = {.rows = full->rows, .block = block, .ring = 1};
  reach found = reach_of(full);
  p.chunks = choose_chunks(full->rows, found.mean);
  cut(full, p.chunks, p.chunk);
  while (p.ring <= found.largest && 2 * p.ring * mus_ring_stride(block) <= MUS_RING_NUMBERS)
    p.ring *= 2;
  p.row_start = mus_arena_alloc(arena, (size_t)full->rows + 1, sizeof *p.row_start);
  p.pair_start = mus_arena_alloc(arena, (size_t)full->rows, sizeof *p.pair_start);
  p.piece = mus_arena_alloc(arena, (size_t)p.chunks * MUS_SYMMETRIC_PIECES, sizeof *p.piece);
  p.lead = mus_arena_alloc(arena, (size_t)p.chunks * MUS_SYMMETRIC_PIECES, sizeof *p.lead);
  if (!p.row_start || !p.pair_start || !p.piece || !p.lead)
    return mus_fail_memory();
  p.row_start[0] = 0;
  for (int chunk = 0; chunk < p.chunks; ++chunk)
    for (int i = p.chunk[chunk]; i < p.chunk[chunk + 1]; ++i)
      p.row_start[i + 1] = p.row_start[i] + count_stored(&p, full, chunk, i);
  p.where = mus_arena_alloc(arena, (size_t)mus_symmetric_blocks(&p), sizeof *p.where);
  if (!p.where)
    return mus_fail_memory();
  for (int chunk = 0; chunk < p.chunks; ++chunk)
    for (int i = p.chunk[chunk]; i < p.chunk[chunk + 1]; ++i) {
      if (mus_pattern_find(full, i, i) < 0)
        return mus_fail(MUS_BAD_INPUT, "node %d has no diagonal block: every node needs one", mus_counted(i));
      fill_where(&p, full, chunk, i);
    }
  find_leads(&p);
  *out = p;
  return MUS_OK;
}

// --- values ------------------------------------------------------------------------------------------------------

static size_t values_of(const mus_symmetric_pattern *p) {
  return (size_t)mus_symmetric_blocks(p) * (size_t)(p->block * p->block);
}

mus_symmetric_shape mus_symmetric_shape_of(int block) {
  static const mus_symmetric_shape shape[MUS_BLOCK_MAXIMUM + 1] = {
      [1] = MUS_SYMMETRIC_1X1, [2] = MUS_SYMMETRIC_2X2, [3] = MUS_SYMMETRIC_3X3,   [4] = MUS_SYMMETRIC_4X4,
      [5] = MUS_SYMMETRIC_5X5, [6] = MUS_SYMMETRIC_6X6, [12] = MUS_SYMMETRIC_12X12};
  return shape[block];
}

// By bench_symmetric: products of smaller matrices, which lie in the cache, gain nothing.
enum { PAYS_ROWS = 2000 };
static const double pays_blocks = 0.8;

// By bench_kernels --blocks: with single numbers, what is done for each takes longer than to read the other of a pair,
// and other sizes have no kernels of their own.
static int pays_for(int block) { return block > 1 && mus_symmetric_shape_of(block) != MUS_SYMMETRIC_ANY; }

mus_status mus_symmetric_plan(mus_arena *arena, const mus_pattern *full, int block, mus_symmetric_pattern *out,
                              int *pays) {
  *pays = 0;
  if (full->rows < PAYS_ROWS || !pays_for(block))
    return MUS_OK;
  mus_status status = mus_symmetric_pattern_create(arena, full, block, out);
  if (!status)
    *pays = mus_symmetric_blocks(out) <= pays_blocks * mus_pattern_blocks(full);
  return status;
}

mus_status mus_symmetric_create(mus_arena *arena, const mus_symmetric_pattern *pattern, mus_symmetric *out) {
  *out = (mus_symmetric){pattern, mus_arena_alloc(arena, values_of(pattern), sizeof *out->value)};
  return out->value ? MUS_OK : mus_fail_memory();
}

mus_status mus_symmetric_create_f(mus_arena *arena, const mus_symmetric_pattern *pattern, mus_symmetric_f *out) {
  *out = (mus_symmetric_f){pattern, mus_arena_alloc(arena, values_of(pattern), sizeof *out->value)};
  return out->value ? MUS_OK : mus_fail_memory();
}

static inline void fill_row(int entries, const double *full, const mus_symmetric_runs *r, double *value) {
  for (int run = 0; run < 4; ++run)
    for (int e = 0; e < r->count[run] * entries; ++e)
      value[(size_t)r->to[run] * (size_t)entries + (size_t)e] =
          full[(size_t)r->from[run] * (size_t)entries + (size_t)e];
}

// Two blocks of 3x3, rows of one beside rows of the other.
static inline void fill_two(const double *from, float *to) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      to[6 * r + c] = (float)from[3 * r + c];
      to[6 * r + 3 + c] = (float)from[9 + 3 * r + c];
    }
}

static inline void fill_row_f(int entries, const double *full, const mus_symmetric_runs *r, float *value) {
  for (int run = 0; run < 4; ++run) {
    const double *from = full + (size_t)r->from[run] * (size_t)entries;
    float *to = value + (size_t)r->to[run] * (size_t)entries;
    int e = 0, count = r->count[run] * entries;
    for (; entries == 9 && run == 3 && e + 18 <= count; e += 18)
      fill_two(from + e, to + e);
    for (; e < count; ++e)
      to[e] = (float)from[e];
  }
}

// Either of the two may be NULL.
static void fill_rows(const mus_matrix *full, const mus_symmetric_pattern *p, int begin, int end, double *value,
                      float *value_f) {
  int entries = p->block * p->block;
#if MUSLIN_X86
  if (p->block == 3 && mus_instructions_current() != MUS_SCALAR) {
    mus_symmetric_fill_rows_avx2(p, full, begin, end, value, value_f);
    return;
  }
#endif
  for (int i = begin; i < end; ++i) {
    mus_symmetric_runs r = mus_symmetric_runs_of(p, full->pattern, i);
    if (value)
      fill_row(entries, full->value, &r, value);
    if (value_f)
      fill_row_f(entries, full->value, &r, value_f);
  }
}

// Both at once read the full matrix once.
static void fill(const mus_matrix *full, const mus_symmetric_pattern *p, double *value, float *value_f) {
  MUS_PARALLEL_FOR_IF(p->chunks > 1)
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    fill_rows(full, p, p->chunk[chunk], p->chunk[chunk + 1], value, value_f);
}

static void round_rows(const mus_symmetric_pattern *p, const double *from, int begin, int end, float *to) {
  int entries = p->block * p->block;
#if MUSLIN_X86
  if (p->block == 3 && mus_instructions_current() != MUS_SCALAR) {
    mus_symmetric_round_rows_avx2(p, from, begin, end, to);
    return;
  }
#endif
  for (int i = begin; i < end; ++i) {
    int start = p->row_start[i], pairs = p->pair_start[i];
    mus_symmetric_runs r = {
        {start, 0, 0, pairs}, {start, 0, 0, pairs}, {pairs - start, 0, 0, p->row_start[i + 1] - pairs}};
    fill_row_f(entries, from, &r, to);
  }
}

void mus_symmetric_round(const mus_symmetric *from, mus_symmetric_f *to) {
  const mus_symmetric_pattern *p = from->pattern;
  MUS_PARALLEL_FOR_IF(p->chunks > 1)
  for (int chunk = 0; chunk < p->chunks; ++chunk)
    round_rows(p, from->value, p->chunk[chunk], p->chunk[chunk + 1], to->value);
}

void mus_symmetric_fill(const mus_matrix *full, mus_symmetric *out) { fill(full, out->pattern, out->value, NULL); }

void mus_symmetric_fill_f(const mus_matrix *full, mus_symmetric_f *out) { fill(full, out->pattern, NULL, out->value); }

void mus_symmetric_fill_both(const mus_matrix *full, mus_symmetric *out, mus_symmetric_f *out_f) {
  fill(full, out->pattern, out->value, out_f->value);
}

// --- products ----------------------------------------------------------------------------------------------------

// AVX-512 has nothing to add: rows of three fill no longer vectors.
const mus_symmetric_kernels *mus_symmetric_kernels_current(void) {
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    return &mus_symmetric_avx2;
#endif
  return &mus_symmetric_scalar;
}

// Into how many pieces a chunk is best cut: what counts is the work of the thread that has most.
static int choose_pieces(const mus_symmetric_pattern *p) {
  int threads = mus_par_threads(), best = 1;
  double least = (p->chunks + threads - 1) / threads;
  for (int pieces = 2; pieces <= MUS_SYMMETRIC_PIECES && least > 1.0 / MUS_SYMMETRIC_PIECES; pieces *= 2) {
    double work = (p->chunks * pieces + threads - 1) / threads * (1.0 / pieces + p->lead_share);
    if (work < least) {
      least = work;
      best = pieces;
    }
  }
  return p->chunks > 1 ? best : 1;
}

// Rows of one of so many pieces of each chunk.
static mus_symmetric_rows rows_of(const mus_symmetric_pattern *p, int pieces, int number) {
  int step = MUS_SYMMETRIC_PIECES / pieces, at = number * step, chunk = number / pieces;
  int end = (number + 1) % pieces == 0 ? p->chunk[chunk + 1] : p->piece[at + step];
  return (mus_symmetric_rows){p->lead[at], p->piece[at], end};
}

#define TEMPLATE "sparse/symmetric_products_template.h"
#include "base/both_precisions.h"

double mus_symmetric_multiply_dot(const mus_symmetric *a, const double *x, double *y) {
  return run_chunks(&(mus_symmetric_task){.pattern = a->pattern, .value = a->value, .x = x, .b = x, .y = y},
                    MUS_SYMMETRIC_DOT);
}
