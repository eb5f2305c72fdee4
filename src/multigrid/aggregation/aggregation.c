// Smoothed aggregation as a coarsening. See aggregation.h for the parts.
//
//   K <- (I - omega D^-1 A) K       fits the near-null space to boundary conditions
//   K_i = Q_i R_i                   tentative prolongator and coarse kernel
//   P = (I - omega D^-1 A) P^       smoothed prolongator, omega = 4 / (3 rho(D^-1 A))
//
// A prolongator that is filtered is smoothed with A_F, in which weak connections are put on the diagonal instead, and
// with the block diagonal D_F of that: P = (I - 2/3 D_F^-1 A_F) P^. So each node's motion becomes a mean of its own
// aggregate's and of those of its strong neighbours, by how strongly these pull in which direction (as in AMGCL,
// Demidov 2019).
//
// Rows of P at special nodes are empty, not zero, so that they cause no fill in the Galerkin product.
#include "multigrid/aggregation/aggregation.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "multigrid/aggregation/aggregates.h"
#include "multigrid/aggregation/smooth_rows.h"
#include "multigrid/aggregation/strength.h"
#include "multigrid/aggregation/tentative.h"
#include "par/par.h"
#include "sparse/product.h"

// What is kept of a level between set-ups.
typedef struct sa_level {
  int nodes, block, special;
  mus_aggregates aggregates;
  mus_pattern single;    // nodes x 1: the pattern of the near-null space, one block a row
  mus_pattern tentative; // nodes x aggregates: one block a row, none at special nodes
  mus_pattern part;      // of A: what smooths the prolongator (no special nodes, strong connections only if filtered)
  int *part_source;      // a block of `part` -> its block of A
  double *kernel;        // block x count for each node, by rows
} sa_level;

// The grouping of a level that is remembered from another analysis.
typedef struct sa_grouping {
  int nodes, aggregates;
  int strong_count; // blocks of A that are strong; all count where prolongators are not filtered, and none is listed
  int *of;          // nodes: as in mus_aggregates
  int *strong;      // strong_count
} sa_grouping;

struct mus_aggregation {
  mus_sa_options options;
  mus_grouping grouping;     // without a function: by strength
  double smoothing_strength; // see mus_aggregation_smooth_along(); 0: that of the options
  int count;                 // near-null vectors
  mus_arena finest;          // holds the finest level's kernel
  mus_arena arena;           // holds the rest
  sa_level level[MUS_LEVELS_MAXIMUM];
  int levels;     // that were analysed
  int remembered; // levels of these that the next analysis is to have
  mus_arena memory;
  sa_grouping known[MUS_LEVELS_MAXIMUM];
};

mus_status mus_aggregation_create(const mus_sa_options *options, const mus_grouping *grouping, mus_aggregation **out) {
  mus_aggregation *self = mus_alloc_zero(1, sizeof *self);
  if (!self)
    return mus_fail_memory();
  self->options = *options;
  if (grouping) {
    self->grouping = *grouping;
    self->options.smooth_prolongator = self->options.kernel_sweeps = 0;
  }
  *out = self;
  return MUS_OK;
}

void mus_aggregation_smooth_along(mus_aggregation *self, double strength) { self->smoothing_strength = strength; }

void mus_aggregation_free(mus_aggregation *self) {
  if (!self)
    return;
  mus_arena_clear(&self->finest);
  mus_arena_clear(&self->arena);
  mus_arena_clear(&self->memory);
  mus_free(self);
}

size_t mus_aggregation_bytes(const mus_aggregation *self) {
  return sizeof *self + self->finest.bytes + self->arena.bytes + self->memory.bytes;
}

mus_status mus_aggregation_set_kernel(mus_aggregation *self, int rows, int block, int count, const double *vectors) {
  sa_level *finest = &self->level[0];
  size_t unknowns = (size_t)rows * (size_t)block;
  if (!finest->kernel || finest->nodes != rows || finest->block != block || self->count != count) {
    mus_arena_clear(&self->finest);
    finest->kernel = mus_arena_alloc(&self->finest, unknowns * (size_t)count, sizeof *finest->kernel);
    if (!finest->kernel)
      return mus_fail_memory();
    finest->nodes = rows;
    finest->block = block;
    self->count = count;
  }
  double *kernel = finest->kernel;
  MUS_PARALLEL_FOR_IF(unknowns > MUS_PAR_MINIMUM)
  for (size_t i = 0; i < unknowns; ++i)
    for (int c = 0; c < count; ++c)
      kernel[i * (size_t)count + (size_t)c] = vectors[(size_t)c * unknowns + i];
  return MUS_OK;
}

void mus_aggregation_drop_kernel(mus_aggregation *self) {
  mus_arena_clear(&self->finest);
  self->level[0].kernel = NULL;
}

const int *mus_aggregation_of(const mus_aggregation *self, int level, int *nodes, int *aggregates) {
  if (level < 0 || level >= MUS_LEVELS_MAXIMUM || self->level[level].aggregates.count == 0)
    return NULL;
  *nodes = self->level[level].nodes;
  *aggregates = self->level[level].aggregates.count;
  return self->level[level].aggregates.of;
}

mus_aggregation_parts mus_aggregation_look(const mus_aggregation *self, int level) {
  const sa_level *l = &self->level[level];
  return (mus_aggregation_parts){.aggregates = &l->aggregates,
                                 .part = self->options.smooth_prolongator ? &l->part : NULL,
                                 .part_source = l->part_source,
                                 .is_filtered = self->options.filter_prolongator};
}

// --- symbolic -------------------------------------------------------------------------------------------------------

// Patterns with one block a row: in column 0 for the kernel, in the aggregate's column for the tentative prolongator.
static mus_status one_block_rows(mus_arena *arena, sa_level *l) {
  int nodes = l->nodes;
  int *start = mus_arena_alloc(arena, (size_t)nodes + 1, sizeof *start);
  int *column = mus_arena_alloc_zero(arena, (size_t)nodes, sizeof *column);
  int *tentative_start = mus_arena_alloc(arena, (size_t)nodes + 1, sizeof *start);
  int *tentative_column = mus_arena_alloc(arena, (size_t)nodes, sizeof *column);
  if (!start || !column || !tentative_start || !tentative_column)
    return mus_fail_memory();
  int blocks = 0;
  for (int i = 0; i < nodes; ++i) {
    start[i] = i;
    tentative_start[i] = blocks;
    if (l->aggregates.of[i] >= 0)
      tentative_column[blocks++] = l->aggregates.of[i];
  }
  start[nodes] = nodes;
  tentative_start[nodes] = blocks;
  l->single = (mus_pattern){nodes, 1, start, column};
  l->tentative = (mus_pattern){nodes, l->aggregates.count, tentative_start, tentative_column};
  return MUS_OK;
}

// The part of A that smooths the prolongator, with the way back into A.
static mus_status smoothing_part(mus_arena *arena, const mus_pattern *a, const mus_strength *s, int filtered,
                                 sa_level *l) {
  int *start = mus_arena_alloc(arena, (size_t)a->rows + 1, sizeof *start), *column = NULL, *source = NULL;
  if (!start)
    return mus_fail_memory();
  for (int pass = 0; pass < 2; ++pass) { // counts, then lists
    int blocks = 0;
    for (int i = 0; i < a->rows; ++i) {
      start[i] = blocks;
      for (int k = a->row_start[i]; k < a->row_start[i + 1] && !s->special[i]; ++k)
        if (!s->special[a->column[k]] && (!filtered || s->strong[k] || a->column[k] == i)) {
          if (pass == 1) {
            column[blocks] = a->column[k];
            source[blocks] = k;
          }
          ++blocks;
        }
    }
    start[a->rows] = blocks;
    if (pass == 0) {
      column = mus_arena_alloc(arena, (size_t)blocks, sizeof *column);
      source = mus_arena_alloc(arena, (size_t)blocks, sizeof *source);
      if (!column || !source)
        return mus_fail_memory();
    }
  }
  l->part = (mus_pattern){a->rows, a->columns, start, column};
  l->part_source = source;
  return MUS_OK;
}

// Strength and aggregates as they were; only what is read after this is filled in.
static mus_status repeat_grouping(mus_aggregation *self, const mus_level_view *fine, mus_arena *scratch,
                                  mus_strength *s) {
  const sa_grouping *known = &self->known[fine->level];
  const mus_pattern *a = fine->a->pattern;
  int blocks = mus_pattern_blocks(a);
  int last = known->strong_count > 0 ? known->strong[known->strong_count - 1] : -1;
  if (fine->level >= self->remembered || known->nodes != a->rows || last >= blocks)
    return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver's hierarchy is of another matrix: start again");
  s->strong = mus_arena_alloc_zero(scratch, (size_t)blocks, 1);
  s->special = mus_arena_alloc(scratch, (size_t)a->rows, 1);
  if (!s->strong || !s->special)
    return mus_fail_memory();
  s->special_nodes = 0;
  for (int i = 0; i < a->rows; ++i)
    s->special_nodes += s->special[i] = known->of[i] < 0;
  for (int k = 0; k < known->strong_count; ++k)
    s->strong[known->strong[k]] = 1;
  return mus_aggregates_repeat(&self->arena, a->rows, known->aggregates, known->of,
                               &self->level[fine->level].aggregates);
}

static mus_status group(mus_aggregation *self, const mus_level_view *fine, mus_arena *scratch, mus_strength *s) {
  mus_aggregates *out = &self->level[fine->level].aggregates;
  if (self->remembered > 0)
    return repeat_grouping(self, fine, scratch, s);
  if (self->grouping.group)
    return self->grouping.group(self->grouping.self, fine, &self->arena, out);
  mus_status status = mus_strength_create(scratch, fine, self->options.strength, self->options.dominance, s);
  return status ? status
                : mus_aggregates_create(&self->arena, fine->a->pattern, s, fine->level == 0 ? self->options.reach : 1,
                                        out);
}

static mus_status analyse(void *state, const mus_level_view *fine, mus_arena *arena, mus_coarse_level *out) {
  mus_aggregation *self = state;
  sa_level *l = &self->level[fine->level];
  if (fine->level == 0) { // a new hierarchy begins: everything but the given kernel goes
    mus_arena_clear(&self->arena);
    memset(&self->level[1], 0, sizeof self->level - sizeof self->level[0]);
    l->aggregates = (mus_aggregates){0};
  }
  if (!l->kernel || l->nodes != fine->a->pattern->rows || l->block != fine->a->row_block)
    return mus_fail(MUS_BAD_INPUT, "smoothed aggregation has no near-null space for this matrix: set one first");

  mus_arena scratch = {0};
  mus_strength strength = {0};
  mus_status status = group(self, fine, &scratch, &strength);
  self->levels = fine->level + 1;
  if (!status) {
    l->special = strength.special_nodes;
    out->block = self->count;
    if (l->aggregates.count > 0) {
      status = one_block_rows(&self->arena, l);
      if (strength.value && self->smoothing_strength > 0)
        mus_strength_mark(fine->a->pattern, self->smoothing_strength, &strength);
      if (!status && self->options.smooth_prolongator)
        status = smoothing_part(&self->arena, fine->a->pattern, &strength, self->options.filter_prolongator, l);
      if (!status && self->options.smooth_prolongator)
        status = mus_product_pattern(arena, &l->part, &l->tentative, &out->prolongator);
      else if (!status)
        out->prolongator = l->tentative;
    }
  }
  mus_arena_clear(&scratch);
  if (!status && l->aggregates.count > 0 && fine->level + 1 < MUS_LEVELS_MAXIMUM) {
    sa_level *coarse = l + 1;
    coarse->nodes = l->aggregates.count;
    coarse->block = self->count;
    coarse->kernel = mus_arena_alloc(&self->arena, (size_t)coarse->nodes * (size_t)(coarse->block * self->count),
                                     sizeof *coarse->kernel);
    if (!coarse->kernel)
      status = mus_fail_memory();
  }
  return status;
}

// --- numeric --------------------------------------------------------------------------------------------------------

enum { ROWS_AT_ONCE = 64 };

static double damping(const mus_level_view *level) { return 4 / (3 * level->spectral_radius); }

// The kernel of the level after the relaxation sweeps: in `smooth`.
static mus_status smooth_kernel(const mus_aggregation *self, const sa_level *l, const mus_level_view *fine,
                                double *smooth, double *product) {
  size_t size = (size_t)(l->block * self->count);
  memcpy(smooth, l->kernel, (size_t)l->nodes * size * sizeof *smooth);
  double omega = damping(fine);
  for (int sweep = 0; sweep < self->options.kernel_sweeps; ++sweep) {
    mus_matrix k = {&l->single, l->block, self->count, smooth}, ak = {&l->single, l->block, self->count, product};
    mus_status status = mus_product(fine->a, &k, &ak);
    if (status)
      return status;
    MUS_PARALLEL_FOR_IF(l->nodes > MUS_PAR_MINIMUM)
    for (int i = 0; i < l->nodes; ++i) {
      double *change = product + (size_t)i * size, *to = smooth + (size_t)i * size;
      mus_scale_block(l->block, self->count, omega, fine->inverse_diagonal + (size_t)i * (size_t)(l->block * l->block),
                      change);
      for (size_t c = 0; c < size; ++c)
        to[c] += change[c];
    }
  }
  return MUS_OK;
}

// Six near-null vectors are worth vectors of four.
static mus_smooth_rows *smooth_rows_here(void) {
#if MUSLIN_X86
  if (mus_instructions_current() != MUS_SCALAR)
    return mus_smooth_rows_avx2;
#endif
  return mus_smooth_rows_scalar;
}

// P = P^ - omega D^-1 A P^, where P^'s blocks are q, packed to the rows that have one.
static mus_status smooth_prolongator(const mus_aggregation *self, const sa_level *l, const mus_level_view *fine,
                                     const double *kernel, const double *q, mus_matrix *p) {
  mus_matrix tentative = {&l->tentative, l->block, self->count, (double *)q};
  mus_status status = mus_product_part(fine->a, &l->part, l->part_source, &tentative, p);
  if (status)
    return status;
  mus_smooth_task task = {.fine = fine,
                          .part = &l->part,
                          .part_source = l->part_source,
                          .tentative = &l->tentative,
                          .aggregate = l->aggregates.of,
                          .count = self->count,
                          .is_filtered = self->options.filter_prolongator,
                          .omega = damping(fine),
                          .kernel = kernel,
                          .coarse_kernel = l[1].kernel,
                          .q = q,
                          .p = p};
  mus_smooth_rows *rows = smooth_rows_here();
  int runs = (l->nodes + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
  MUS_PARALLEL
  {
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int begin = run * ROWS_AT_ONCE, end = l->nodes - begin < ROWS_AT_ONCE ? l->nodes : begin + ROWS_AT_ONCE;
      rows(&task, begin, end);
    }
  }
  return MUS_OK;
}

static mus_status fill(void *state, const mus_level_view *fine, mus_matrix *p, unsigned char *live) {
  mus_aggregation *self = state;
  sa_level *l = &self->level[fine->level];
  size_t numbers = (size_t)l->nodes * (size_t)(l->block * self->count);
  mus_arena scratch = {0};
  double *kernel = mus_arena_alloc(&scratch, numbers, sizeof *kernel);
  double *q = mus_arena_alloc(&scratch, numbers, sizeof *q);
  mus_status status = kernel && q ? MUS_OK : mus_fail_memory();
  if (!status)
    status = smooth_kernel(self, l, fine, kernel, q);
  if (!status)
    status = mus_tentative_fill(&l->aggregates, l->nodes, l->block, self->count, kernel, q, l[1].kernel, live);
  if (!status) {
    size_t size = (size_t)(l->block * self->count);
    for (int i = 0; i < l->nodes; ++i) // special nodes have no block: close the gaps
      if (l->aggregates.of[i] >= 0 && l->tentative.row_start[i] != i)
        memcpy(q + (size_t)l->tentative.row_start[i] * size, q + (size_t)i * size, size * sizeof *q);
    if (self->options.smooth_prolongator)
      status = smooth_prolongator(self, l, fine, kernel, q, p);
    else
      memcpy(p->value, q, mus_matrix_values(p) * sizeof *q);
  }
  mus_arena_clear(&scratch);
  return status;
}

static int special_nodes(const void *state, int level) {
  const mus_aggregation *self = state;
  return self->level[level].special;
}

static void report(const void *state, int level, mus_level_report *report) {
  const mus_aggregates *a = &((const mus_aggregation *)state)->level[level].aggregates;
  int largest = 0;
  for (int g = 0; g < a->count; ++g)
    largest = a->start[g + 1] - a->start[g] > largest ? a->start[g + 1] - a->start[g] : largest;
  mus_level_note(report, "aggregates", a->count);
  mus_level_note(report, "largest_aggregate", largest);
}

const mus_coarsening mus_smoothed_aggregation = {.name = "smoothed aggregation",
                                                 .uses_radius = 1,
                                                 .analyse = analyse,
                                                 .fill = fill,
                                                 .special_nodes = special_nodes,
                                                 .report = report};

// No spectral radius is asked for where nothing is smoothed.
const mus_coarsening mus_plain_aggregation = {
    .name = "plain aggregation", .analyse = analyse, .fill = fill, .special_nodes = special_nodes, .report = report};

// --- memory ---------------------------------------------------------------------------------------------------------

// The blocks of A that smooth a filtered prolongator.
static mus_status remember_level(const mus_aggregation *self, const sa_level *l, mus_list *bytes) {
  int listed = self->options.smooth_prolongator && self->options.filter_prolongator && l->aggregates.count > 0;
  int head[3] = {l->nodes, l->aggregates.count, listed ? mus_pattern_blocks(&l->part) : 0};
  mus_status status = mus_bytes_put(bytes, head, sizeof head);
  if (!status)
    status = mus_bytes_put(bytes, l->aggregates.of, (size_t)l->nodes * sizeof(int));
  return status ? status : mus_bytes_put(bytes, l->part_source, (size_t)head[2] * sizeof(int));
}

mus_status mus_aggregation_remember(const mus_aggregation *self, mus_list *bytes) {
  mus_status status = mus_bytes_put(bytes, &self->levels, sizeof self->levels);
  for (int k = 0; k < self->levels && !status; ++k)
    status = remember_level(self, &self->level[k], bytes);
  return status;
}

static mus_status recall_level(mus_arena *arena, mus_bytes *from, sa_grouping *out) {
  int head[3];
  size_t most = from->left / sizeof(int);
  if (!mus_bytes_take(from, head, sizeof head) || head[0] < 1 || (size_t)head[0] > most || head[1] < 0 ||
      head[1] > head[0] || head[2] < 0 || (size_t)head[2] > most)
    return mus_fail(MUS_BAD_INPUT, "what is remembered of the solver's hierarchy is damaged: start again");
  *out = (sa_grouping){.nodes = head[0], .aggregates = head[1], .strong_count = head[2]};
  out->of = mus_arena_alloc(arena, (size_t)out->nodes, sizeof *out->of);
  out->strong = mus_arena_alloc(arena, (size_t)out->strong_count, sizeof *out->strong);
  if (!out->of || !out->strong)
    return mus_fail_memory();
  int good = mus_bytes_take(from, out->of, (size_t)out->nodes * sizeof(int)) &&
             mus_bytes_take(from, out->strong, (size_t)out->strong_count * sizeof(int));
  for (int i = 0; i < out->nodes && good; ++i)
    good = out->of[i] >= -1 && out->of[i] < out->aggregates;
  for (int k = 0; k < out->strong_count && good; ++k)
    good = out->strong[k] > (k > 0 ? out->strong[k - 1] : -1);
  return good ? MUS_OK
              : mus_fail(MUS_BAD_INPUT, "what is remembered of the solver's hierarchy is damaged: start again");
}

mus_status mus_aggregation_recall(mus_aggregation *self, mus_bytes *from) {
  mus_arena arena = {0};
  sa_grouping grouping[MUS_LEVELS_MAXIMUM];
  int levels = 0;
  mus_status status = MUS_OK;
  if (!mus_bytes_take(from, &levels, sizeof levels) || levels < 0 || levels > MUS_LEVELS_MAXIMUM)
    status = mus_fail(MUS_BAD_INPUT, "what is remembered of the solver's hierarchy is damaged: start again");
  for (int k = 0; k < levels && !status; ++k)
    status = recall_level(&arena, from, &grouping[k]);
  if (status) {
    mus_arena_clear(&arena);
    return status;
  }
  mus_arena_clear(&self->memory);
  self->memory = arena;
  self->remembered = levels;
  memcpy(self->known, grouping, (size_t)levels * sizeof *grouping);
  return MUS_OK;
}

void mus_aggregation_forget(mus_aggregation *self) {
  mus_arena_clear(&self->memory);
  self->remembered = 0;
}
