#include "lattice/corotational.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lattice/rotations.h"
#include "par/par.h"
#include "par/vector.h"

static size_t vector_size(const mus_lattice *lattice) { return 4 * mus_lattice_field(lattice->domain); }

static void list_unknowns(mus_corotational *c) {
  const mus_lattice_domain *d = c->level[c->levels - 1].level.domain;
  int count = 0;
  for (size_t cell = 0; cell < d->cells; ++cell)
    for (int a = 0; a < 3; ++a)
      if (mus_lattice_is(d, cell, (uint32_t)MUS_LATTICE_UNKNOWN << a)) {
        c->cell[count] = (int)cell;
        c->axis[count++] = (unsigned char)a;
      }
}

static mus_status make_bottom(mus_arena *arena, const mus_lattice_domain *coarsest, mus_corotational *c) {
  size_t n = coarsest->unknowns;
  c->unknowns = (int)n;
  c->cell = mus_arena_alloc(arena, n, sizeof *c->cell);
  c->axis = mus_arena_alloc(arena, n, sizeof *c->axis);
  c->right = mus_arena_alloc(arena, n, sizeof *c->right);
  c->factor = mus_arena_alloc(arena, n * n, sizeof *c->factor);
  if (!c->cell || !c->axis || !c->right || !c->factor)
    return mus_fail_memory();
  list_unknowns(c);
  return MUS_OK;
}

static mus_status make_solved(mus_lattice *lattice, mus_corotational *c) {
  size_t cells = lattice->domain->cells;
  c->solved = c->level[0];
  c->solved.level = lattice->finest;
  for (int a = 0; a < 3; ++a) {
    c->solved.held[a] = mus_arena_alloc(&lattice->arena, cells, sizeof(double));
    if (!c->solved.held[a])
      return mus_fail_memory();
    memcpy(c->solved.held[a], c->level[0].held[a], cells * sizeof(double));
  }
  double *pull = mus_arena_alloc_zero(&lattice->arena, 15 * cells, sizeof *pull);
  if (!pull)
    return mus_fail_memory();
  for (size_t e = 0; e < 15; ++e)
    *(e < 9 ? &c->solved.pull[e] : &c->solved.pulled[e - 9]) = pull + e * cells;
  return MUS_OK;
}

static mus_status make_levels(mus_lattice *lattice, mus_corotational *c) {
  const mus_lattice_domain *d = lattice->domain;
  double inertia = lattice->finest.inertia;
  mus_status status = MUS_OK;
  c->level = mus_arena_alloc_zero(&lattice->arena, (size_t)lattice->levels, sizeof *c->level);
  if (!c->level)
    return mus_fail_memory();
  c->levels = lattice->levels;
  c->visits = lattice->options.visits;
  for (int k = 0; k < c->levels && !status; ++k, inertia *= 4) {
    status = mus_turned_create(&lattice->arena, d, lattice->finest.compressibility, inertia, &c->level[k]);
    if (!status && k == c->levels - 1)
      status = make_bottom(&lattice->arena, d, c);
    d = d->coarse;
  }
  return status ? status : make_solved(lattice, c);
}

mus_status mus_corotational_create(mus_lattice *lattice) {
  if (lattice->corotational)
    return MUS_OK;
  mus_corotational *c = mus_arena_alloc_zero(&lattice->arena, 1, sizeof *c);
  mus_status status = c ? make_levels(lattice, c) : mus_fail_memory();
  for (int k = 0; k <= MUS_COROTATIONAL_SECANTS && !status; ++k) {
    double *x = mus_arena_alloc_zero(&lattice->arena, vector_size(lattice), sizeof *x);
    double *r = mus_arena_alloc_zero(&lattice->arena, vector_size(lattice), sizeof *r);
    if (!x || !r)
      return mus_fail_memory();
    if (k < MUS_COROTATIONAL_SECANTS)
      c->secant[k] = (mus_corotational_secant){x, r, 0};
    else
      c->start = x, c->residual = r;
  }
  if (!status) {
    c->change = mus_arena_alloc_zero(&lattice->arena, vector_size(lattice), sizeof *c->change);
    status = c->change ? MUS_OK : mus_fail_memory();
  }
  lattice->corotational = status ? NULL : c;
  if (!status && (status = mus_turned_open_device(lattice)))
    lattice->corotational = NULL;
  return status;
}

double mus_corotational_evaluate(mus_lattice *lattice, int is_frozen) {
  mus_turned_level *solved = &lattice->corotational->solved;
  mus_lattice_load(lattice);
  if (!is_frozen)
    mus_rotations_renew(solved, lattice->spacing);
  mus_rotations_load(solved, lattice->spacing);
  if (lattice->corotational->act)
    lattice->corotational->act(lattice->corotational->context);
  mus_turned_residual(solved, 0);
  if (lattice->weight != 1)
    mus_scale(mus_lattice_field(lattice->domain), lattice->weight, solved->level.r[3]);
  return sqrt(mus_dot(vector_size(lattice), solved->level.r[0], solved->level.r[0]));
}

// p of an interior cell, so that its equation holds, and Z; at free boundaries they depend on each other.
static void settle_cell(const mus_corotational *c, const mus_turned_level *t, size_t cell) {
  int passes = c->turns && mus_turned_has_given(t, cell) ? 4 : 1;
  for (int pass = 0; pass < passes; ++pass) {
    t->level.x[3][cell] += (t->level.b[3][cell] - mus_turned_cell_row(t, cell)) / t->diagonal[cell];
    mus_turned_pull_cell(t, c->turns, cell);
  }
}

static void clear(const mus_lattice_level *l, double *const field[4]) {
  for (int f = 0; f < 4; ++f)
    memset(field[f], 0, l->domain->cells * sizeof(double));
}

// Whether faces are so near to each other, along all axes, that the equation of one can have the other, by pressures or
// without.
static int are_near(const mus_lattice_domain *d, int one, int other) {
  for (int a = 3, x = one, y = other; a-- > 0; x %= (int)d->stride[a], y %= (int)d->stride[a])
    if (abs(x / (int)d->stride[a] - y / (int)d->stride[a]) > 2)
      return 0;
  return 1;
}

// Pressures around a displacement, and rows of the system without them.
static void make_column(mus_corotational *c, const mus_turned_level *t, int k) {
  const mus_lattice_domain *d = t->level.domain;
  size_t cell = (size_t)c->cell[k], n = (size_t)c->unknowns;
  t->level.x[c->axis[k]][cell] = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int s = -1; s <= 1; ++s)
      for (int u = -1; u <= 1; ++u)
        for (int v = -1; v <= 1; ++v) {
          size_t near = cell + (size_t)s * d->stride[0] + (size_t)u * d->stride[1] + (size_t)v * d->stride[2];
          if (!mus_lattice_is(d, near, MUS_LATTICE_SOLID))
            continue;
          if (pass == 0)
            settle_cell(c, t, near);
          else
            t->level.x[3][near] = 0;
          if (pass == 1)
            mus_turned_pull_cell(t, 0, near);
        }
    for (int row = k; row < c->unknowns && pass == 0; ++row)
      c->factor[(size_t)row * n + (size_t)k] =
          are_near(d, c->cell[k], c->cell[row]) ? -mus_turned_face_row(t, c->axis[row], (size_t)c->cell[row]) : 0;
  }
  t->level.x[c->axis[k]][cell] = 0;
}

static void factorise_bottom(mus_corotational *c) {
  const mus_turned_level *t = &c->level[c->levels - 1];
  clear(&t->level, t->level.x);
  clear(&t->level, t->level.b);
  mus_turned_let_go(t);
  for (int k = 0; k < c->unknowns; ++k)
    make_column(c, t, k);
  mus_lattice_factorise(c->unknowns, c->factor);
}

// As residuals are: in the coarse equation of a face, that of displacements which are all 1.
static void coarsen_held(mus_corotational *c) {
  for (int k = 1; k < c->levels; ++k) {
    mus_lattice_level from = c->level[k - 1].level, to = c->level[k].level;
    for (int a = 0; a < 3; ++a) {
      from.r[a] = c->level[k - 1].held[a];
      to.b[a] = c->level[k].held[a];
    }
    mus_lattice_restrict(&from, &to);
  }
}

void mus_corotational_coarsen(mus_corotational *c, int is_renewed, int turns) {
  c->turns = turns;
  if (c->stiffen) {
    c->stiffen(c->context);
    coarsen_held(c);
    for (int k = 0; k < c->levels; ++k)
      mus_turned_invert(&c->level[k]);
  }
  for (int k = 1; k < c->levels && is_renewed; ++k)
    mus_rotations_restrict(&c->level[k - 1], &c->level[k]);
  if ((c->stiffen || is_renewed) && !mus_turned_renew_on_device(c))
    factorise_bottom(c);
}

static void settle_cells(const mus_corotational *c, const mus_turned_level *t) {
  for (size_t k = 0; k < t->level.domain->solid; ++k)
    settle_cell(c, t, (size_t)t->cell[k]);
}

static void solve_bottom(mus_corotational *c) {
  const mus_turned_level *t = &c->level[c->levels - 1];
  clear(&t->level, t->level.x);
  mus_turned_let_go(t);
  settle_cells(c, t);
  for (int k = 0; k < c->unknowns; ++k) {
    size_t cell = (size_t)c->cell[k];
    c->right[k] = mus_turned_face_row(t, c->axis[k], cell) - t->level.b[c->axis[k]][cell];
  }
  mus_lattice_substitute(c->unknowns, c->factor, c->right);
  for (int k = 0; k < c->unknowns; ++k)
    t->level.x[c->axis[k]][c->cell[k]] = c->right[k];
  settle_cells(c, t);
}

static void run_from(mus_corotational *c, int k) {
  const mus_turned_level *fine = &c->level[k], *coarse = fine + 1;
  if (k == c->levels - 1) {
    solve_bottom(c);
    return;
  }
  mus_turned_sweep(fine, c->turns, 0);
  mus_turned_residual(fine, c->turns);
  mus_lattice_restrict(&fine->level, &coarse->level);
  mus_turned_let_go(coarse);
  for (int visit = 0; visit < (k + 2 < c->levels ? c->visits : 1); ++visit)
    run_from(c, k + 1);
  mus_turned_extend(coarse, 0);
  mus_lattice_prolong(&coarse->level, &fine->level);
  mus_turned_pull(fine, c->turns);
  mus_turned_sweep(fine, c->turns, 1);
}

void mus_corotational_cycle(mus_corotational *c) {
  if (c->gpu.turned) {
    if (mus_turned_cycle_on_device(c))
      return;
    factorise_bottom(c); // the device has failed
  }
  clear(&c->level[0].level, c->level[0].level.x);
  mus_turned_let_go(&c->level[0]);
  run_from(c, 0);
}
