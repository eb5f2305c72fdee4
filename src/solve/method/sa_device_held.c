// Equalities across nodes, E x = t, on a GPU, which projects and smooths as the CPU does (solve/coupled.h,
// cuda/across_kernels.h). The host inverts E E^T once, and E D^-1 E^T for each matrix: dense, group by group of rows
// that hang together. See sa.h.
#include "base/error.h"
#include "par/vector.h"
#include "solve/method/sa.h"

// Numbers of the inverses, at most: a GPU reads them in each of eight smoothing passes, and 4e6 take it about as long
// as a matrix of 25,000 nodes does.
static const double numbers_most = 4e6;

static size_t numbers_of(const mus_equalities *e) {
  size_t numbers = 0;
  for (int g = 0; g < e->groups; ++g)
    numbers += (size_t)(e->group[g + 1] - e->group[g]) * (size_t)(e->group[g + 1] - e->group[g]);
  return numbers;
}

int mus_sa_equalities_fit(const mus_sa *sa) {
  const mus_equalities *e = sa->system->filter.across;
  return !e || (double)numbers_of(e) <= numbers_most;
}

// The groups' inverses one after the other.
static void invert_groups(const mus_equalities *e, int is_weighted, double *out) {
  for (int g = 0; g < e->groups; ++g) {
    size_t size = (size_t)(e->group[g + 1] - e->group[g]);
    mus_equalities_invert(e, is_weighted, g, out);
    out += size * size;
  }
}

static mus_status no_memory(mus_stage_failure *failure) {
  snprintf(failure->text, sizeof failure->text, "out of memory on the host");
  return MUS_OUT_OF_MEMORY;
}

// Rows as stages take them.
typedef struct rows_given {
  mus_arena arena;
  int *count, *node, *first, *size;
  unsigned *place;
  double *direction, *inverse, *offset;
} rows_given;

static int allocate(rows_given *r, const mus_system *system, const mus_equalities *e) {
  size_t rows = (size_t)e->count;
  r->count = mus_arena_alloc(&r->arena, rows, sizeof *r->count);
  r->node = mus_arena_alloc_zero(&r->arena, MUS_TERM_NODES * rows, sizeof *r->node);
  r->first = mus_arena_alloc(&r->arena, rows, sizeof *r->first);
  r->size = mus_arena_alloc(&r->arena, rows, sizeof *r->size);
  r->place = mus_arena_alloc(&r->arena, rows, sizeof *r->place);
  r->direction = mus_arena_alloc_zero(&r->arena, 3 * MUS_TERM_NODES * rows, sizeof *r->direction);
  r->inverse = mus_arena_alloc(&r->arena, numbers_of(e), sizeof *r->inverse);
  r->offset = mus_arena_alloc_zero(&r->arena, mus_system_unknowns(system), sizeof *r->offset);
  return r->count && r->node && r->first && r->size && r->place && r->direction && r->inverse && r->offset;
}

static void fill(rows_given *r, const mus_equalities *e) {
  size_t place = 0;
  for (int g = 0; g < e->groups; ++g)
    for (int i = e->group[g]; i < e->group[g + 1]; ++i) {
      r->first[i] = e->group[g];
      r->size[i] = e->group[g + 1] - e->group[g];
      r->place[i] = (unsigned)place;
      r->count[i] = e->row[i].count;
      place += (size_t)r->size[i];
      for (int k = 0; k < e->row[i].count; ++k) {
        r->node[MUS_TERM_NODES * i + k] = e->row[i].node[k];
        for (int c = 0; c < 3; ++c)
          r->direction[3 * (MUS_TERM_NODES * i + k) + c] = e->row[i].direction[k][c];
      }
    }
  invert_groups(e, 0, r->inverse);
  mus_equalities_impose(e, r->offset);
}

_Static_assert((int)MUS_STAGE_ROW_NODES == (int)MUS_TERM_NODES, "rows have as many nodes there");

mus_status mus_sa_give_equalities(mus_sa *sa, mus_stage_failure *failure) {
  const mus_equalities *e = sa->system->filter.across;
  mus_stage_equalities given = {0};
  rows_given r = {0};
  mus_status status = !e || allocate(&r, sa->system, e) ? MUS_OK : no_memory(failure);
  if (e && !status) {
    fill(&r, e);
    given = (mus_stage_equalities){.rows = e->count,
                                   .count = r.count,
                                   .node = r.node,
                                   .direction = r.direction,
                                   .passes = e->passes,
                                   .first = r.first,
                                   .size = r.size,
                                   .place = r.place,
                                   .numbers = numbers_of(e),
                                   .inverse = r.inverse,
                                   .touched = e->touched,
                                   .touched_node = e->node,
                                   .start = e->incident_start,
                                   .incident = e->incident,
                                   .offset = r.offset};
  }
  if (!status)
    status = sa->gpu.stages->set_equalities(sa->gpu.solver, &given, failure);
  mus_arena_clear(&r.arena);
  return status;
}

// E D^-1 E^T with D of A + C as it is filtered.
static mus_status weigh(mus_system *system, const mus_equalities *e, double *inverse_diagonal) {
  mus_system_put(system, MUS_FORM_FILTERED);
  mus_system_filter_couplings(system);
  mus_block_operator now = mus_system_now(system);
  mus_status status = mus_block_operator_inverse_diagonal(&now, system->diagonal, inverse_diagonal);
  mus_system_put(system, MUS_FORM_GIVEN);
  return status ? status : mus_equalities_weigh(e, inverse_diagonal);
}

mus_status mus_sa_weigh_equalities(mus_sa *sa, mus_stage_failure *failure) {
  const mus_equalities *e = sa->system->filter.across;
  mus_arena arena = {0};
  if (!e)
    return MUS_OK;
  double *diagonal = mus_arena_alloc(&arena, 3 * mus_system_unknowns(sa->system), sizeof *diagonal);
  double *inverse = mus_arena_alloc(&arena, numbers_of(e), sizeof *inverse);
  mus_status status = diagonal && inverse ? MUS_OK : no_memory(failure);
  if (!status && (status = weigh(sa->system, e, diagonal)))
    snprintf(failure->text, sizeof failure->text, "%s", mus_last_error());
  if (!status) {
    invert_groups(e, 1, inverse);
    status = sa->gpu.stages->weigh_equalities(sa->gpu.solver, inverse, failure);
  }
  mus_arena_clear(&arena);
  return status;
}
