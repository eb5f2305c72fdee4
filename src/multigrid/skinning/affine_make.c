// What levels of affine handles are made of before there are numbers. See affine_state.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/small.h"
#include "multigrid/skinning/affine_state.h"
#include "multigrid/skinning/handles.h"
#include "sparse/colouring.h"

// Of what a handle's vertices extend in one direction, the part of the largest below which they count as flat, squared.
static const double flat = 1e-8;

// The functions of a handle: 1/sqrt(n), and for each axis that its vertices extend along, its unit vector times the way
// from the middle over `root`.
typedef struct frame {
  int count;
  double middle[3], axis[3][3];
  double root[3]; // 0: flat in that direction
} frame;

// --- frames ----------------------------------------------------------------------------------------------------------

// The main axes of the handles' vertices; owner: rows, the handle of each.
static void make_frames(int rows, const double *rest, const int *owner, int handles, frame *frames, double *moments) {
  memset(frames, 0, (size_t)handles * sizeof *frames);
  memset(moments, 0, 9 * (size_t)handles * sizeof *moments);
  for (int i = 0; i < rows; ++i) {
    frame *f = &frames[owner[i]];
    ++f->count;
    for (int c = 0; c < 3; ++c)
      f->middle[c] += rest[3 * (size_t)i + (size_t)c];
  }
  for (int h = 0; h < handles; ++h)
    for (int c = 0; c < 3; ++c)
      frames[h].middle[c] /= frames[h].count;
  for (int i = 0; i < rows; ++i) {
    const frame *f = &frames[owner[i]];
    double way[3], *sum = moments + 9 * (size_t)owner[i];
    for (int c = 0; c < 3; ++c)
      way[c] = rest[3 * (size_t)i + (size_t)c] - f->middle[c];
    for (int c = 0; c < 9; ++c)
      sum[c] += way[c / 3] * way[c % 3];
  }
  for (int h = 0; h < handles; ++h) {
    double value[3], vector[9], largest;
    mus_small_eigen(3, moments + 9 * (size_t)h, value, vector);
    largest = fmax(value[0], fmax(value[1], value[2]));
    for (int a = 0; a < 3; ++a) {
      frames[h].root[a] = value[a] > flat * largest && value[a] > 0 ? sqrt(value[a]) : 0;
      for (int c = 0; c < 3; ++c)
        frames[h].axis[a][c] = vector[3 * c + a];
    }
  }
}

static double along(const double *axis, const double *from, const double *to) {
  return axis[0] * (to[0] - from[0]) + axis[1] * (to[1] - from[1]) + axis[2] * (to[2] - from[2]);
}

// phi of a vertex.
static void functions_of_vertex(const frame *f, const double *x, double *phi) {
  phi[0] = 1 / sqrt(f->count);
  for (int a = 0; a < 3; ++a)
    phi[1 + a] = f->root[a] > 0 ? along(f->axis[a], f->middle, x) / f->root[a] : 0;
}

// The functions of a handle by those of one that belongs to it: transfer[4 a + m]. Exact but for what is flat.
static void functions_of_handle(const frame *f, const frame *part, double *transfer) {
  double size = sqrt(part->count);
  memset(transfer, 0, MUS_FUNCTIONS * MUS_FUNCTIONS * sizeof *transfer);
  transfer[0] = size / sqrt(f->count);
  for (int a = 0; a < 3; ++a) {
    double *row = transfer + MUS_FUNCTIONS * (1 + a);
    if (!(f->root[a] > 0))
      continue;
    row[0] = size * along(f->axis[a], f->middle, part->middle) / f->root[a];
    for (int m = 0; m < 3; ++m) {
      const double *e = part->axis[m], *g = f->axis[a];
      row[1 + m] = part->root[m] * (e[0] * g[0] + e[1] * g[1] + e[2] * g[2]) / f->root[a];
    }
  }
}

// --- patterns --------------------------------------------------------------------------------------------------------

// Colours the nodes of a pattern and notes where each goes: `place`.
static mus_status colour(mus_arena *arena, const mus_pattern *pattern, mus_affine_level *level, int *place,
                         int **node) {
  mus_colouring found;
  mus_status status = mus_colour(arena, pattern, 1, &found);
  if (status)
    return status;
  level->nodes = pattern->rows;
  level->colours = found.colours;
  level->start = found.start;
  for (int k = 0; k < pattern->rows; ++k)
    place[found.node[k]] = k;
  *node = found.node;
  return MUS_OK;
}

// The links of a level from a pattern in the order before, whose row k is row node[k] there; `source`, unless it is
// NULL, becomes the place of each entry in that pattern, those of the diagonal last.
static mus_status renumber(mus_arena *arena, const mus_pattern *from, const int *place, const int *node,
                           mus_affine_level *level, int *source) {
  int rows = from->rows, entries = 0;
  mus_pattern *to = &level->links;
  *to = (mus_pattern){.rows = rows, .columns = rows};
  to->row_start = mus_arena_alloc(arena, (size_t)rows + 1, sizeof *to->row_start);
  to->column = mus_arena_alloc(arena, (size_t)mus_pattern_blocks(from), sizeof *to->column);
  if (!to->row_start || !to->column)
    return mus_fail_memory();
  to->row_start[0] = 0;
  for (int r = 0; r < rows; ++r) {
    for (int k = from->row_start[node[r]]; k < from->row_start[node[r] + 1]; ++k) {
      int column = place[from->column[k]], at = entries;
      if (column == r)
        continue;
      for (; at > to->row_start[r] && to->column[at - 1] > column; --at) {
        to->column[at] = to->column[at - 1];
        if (source)
          source[at] = source[at - 1];
      }
      to->column[at] = column;
      if (source)
        source[at] = k;
      ++entries;
    }
    to->row_start[r + 1] = entries;
  }
  for (int r = 0; r < rows && source; ++r)
    source[entries + r] = mus_pattern_find(from, node[r], node[r]);
  return MUS_OK;
}

// The handles whose nodes share a link, without the diagonal; owner: nodes of the level.
static mus_status link_handles(mus_arena *arena, const mus_affine_level *fine, const int *owner, int handles,
                               mus_pattern *out) {
  const mus_pattern *p = &fine->links;
  size_t most = (size_t)mus_pattern_blocks(p);
  int *seen = mus_arena_alloc(arena, (size_t)handles, sizeof *seen);
  int *start = mus_arena_alloc_zero(arena, (size_t)handles + 1, sizeof *start);
  int *node = mus_arena_alloc(arena, (size_t)fine->nodes, sizeof *node);
  *out = (mus_pattern){.rows = handles, .columns = handles};
  out->row_start = mus_arena_alloc(arena, (size_t)handles + 1, sizeof *out->row_start);
  out->column = mus_arena_alloc(arena, most, sizeof *out->column);
  if (!seen || !start || !node || !out->row_start || !out->column)
    return mus_fail_memory();
  for (int i = 0; i < fine->nodes; ++i)
    ++start[owner[i] + 1];
  for (int h = 0; h < handles; ++h) {
    start[h + 1] += start[h];
    seen[h] = -1;
  }
  for (int i = 0; i < fine->nodes; ++i)
    node[start[owner[i]]++] = i; // start[h] is the end of h's nodes now
  int entries = 0, at = 0;
  for (int h = 0; h < handles; ++h) {
    out->row_start[h] = entries;
    for (seen[h] = h; at < start[h]; ++at)
      for (int k = p->row_start[node[at]]; k < p->row_start[node[at] + 1]; ++k) {
        int other = owner[p->column[k]];
        if (seen[other] != h) {
          seen[other] = h;
          out->column[entries++] = other;
        }
      }
  }
  out->row_start[handles] = entries;
  return MUS_OK;
}

// Who belongs to each handle.
static mus_status list_children(mus_arena *arena, mus_affine_level *fine, int handles) {
  fine->child_start = mus_arena_alloc_zero(arena, (size_t)handles + 2, sizeof *fine->child_start);
  fine->child = mus_arena_alloc(arena, (size_t)fine->nodes, sizeof *fine->child);
  if (!fine->child_start || !fine->child)
    return mus_fail_memory();
  int *next = fine->child_start + 1; // begins as the start of each, ends as its end
  for (int i = 0; i < fine->nodes; ++i)
    ++next[fine->owner[i] + 1];
  for (int h = 0; h < handles; ++h)
    next[h + 1] += next[h];
  for (int i = 0; i < fine->nodes; ++i)
    fine->child[next[fine->owner[i]]++] = i;
  return MUS_OK;
}

// --- levels ----------------------------------------------------------------------------------------------------------

// What is at hand while levels are made. Handles are named by their place in the order of sampling.
typedef struct making {
  mus_affine *a;
  mus_arena scratch;
  const double *rest;
  int stage[MUS_LEVELS_MAXIMUM];
  int *nearest[MUS_LEVELS_MAXIMUM]; // rows, for each stage; the coarsest first
  int *order;
  int *name;     // nodes of the level at hand: their names; on the finest, vertices
  frame *frames; // of its nodes, by name; NULL on the finest
} making;

static mus_status sample(making *m, const mus_solver_options *options) {
  int given[MUS_LEVELS_MAXIMUM], rows = m->a->pattern->rows;
  mus_status status = mus_handles_read(options->skinning.levels, given);
  if (status)
    return status;
  int levels = mus_handles_choose(given, options->multigrid.bottom, rows, m->stage);
  int all = (m->order = mus_arena_alloc(&m->scratch, (size_t)rows, sizeof *m->order)) != NULL;
  for (int s = 0; s < levels && all; ++s)
    all = (m->nearest[s] = mus_arena_alloc(&m->scratch, (size_t)rows, sizeof **m->nearest)) != NULL;
  m->a->levels = levels;
  return all ? mus_sample_furthest(m->a->pattern, m->rest, levels, m->stage, m->nearest, m->order) : mus_fail_memory();
}

static mus_status make_finest(making *m) {
  mus_affine *a = m->a;
  const mus_pattern *p = a->pattern;
  a->place = mus_arena_alloc(&a->arena, (size_t)p->rows, sizeof *a->place);
  a->source = mus_arena_alloc(&a->arena, (size_t)mus_pattern_blocks(p), sizeof *a->source);
  mus_status status =
      a->place && a->source ? colour(&a->arena, p, &a->level[0], a->place, &m->name) : mus_fail_memory();
  a->level[0].width = 1;
  return status ? status : renumber(&a->arena, p, a->place, m->name, &a->level[0], a->source);
}

static mus_status make_frames_of_level(making *m, const int *nearest, int handles, frame **out) {
  frame *frames = mus_arena_alloc(&m->scratch, (size_t)handles, sizeof *frames);
  double *moments = mus_arena_alloc(&m->scratch, 9 * (size_t)handles, sizeof *moments);
  if (!frames || !moments)
    return mus_fail_memory();
  make_frames(m->a->pattern->rows, m->rest, nearest, handles, frames, moments);
  *out = frames;
  return MUS_OK;
}

// Transfers of all nodes of a level to handles, whose names are owner[...].
static mus_status make_transfers(const making *m, mus_affine_level *fine, const int *owner, const frame *frames) {
  size_t each = (size_t)(MUS_FUNCTIONS * fine->width);
  fine->transfer = mus_arena_alloc(&m->a->arena, (size_t)fine->nodes * each, sizeof *fine->transfer);
  if (!fine->transfer)
    return mus_fail_memory();
  for (int i = 0; i < fine->nodes; ++i) {
    double *to = fine->transfer + (size_t)i * each;
    if (m->frames)
      functions_of_handle(&frames[owner[i]], &m->frames[m->name[i]], to);
    else
      functions_of_vertex(&frames[owner[i]], m->rest + 3 * (size_t)m->name[i], to);
  }
  return MUS_OK;
}

static mus_status note_live(const making *m, mus_affine_level *level, const frame *frames) {
  level->live = mus_arena_alloc(&m->a->arena, (size_t)(level->nodes * MUS_FUNCTIONS), 1);
  if (!level->live)
    return mus_fail_memory();
  for (int h = 0; h < level->nodes; ++h)
    for (int a = 0; a < MUS_FUNCTIONS; ++a)
      level->live[MUS_FUNCTIONS * h + a] = a == 0 || frames[m->name[h]].root[a - 1] > 0;
  return MUS_OK;
}

// The next coarser level of level k.
static mus_status make_coarser(making *m, int k) {
  mus_affine *a = m->a;
  mus_affine_level *fine = &a->level[k], *coarse = &a->level[k + 1];
  int s = a->levels - 1 - k, handles = m->stage[s], *node = NULL;
  frame *frames = NULL;
  mus_pattern links;
  int *place = mus_arena_alloc(&m->scratch, (size_t)handles, sizeof *place);
  fine->owner = mus_arena_alloc(&a->arena, (size_t)fine->nodes, sizeof *fine->owner);
  mus_status status =
      place && fine->owner ? make_frames_of_level(m, m->nearest[s], handles, &frames) : mus_fail_memory();
  for (int i = 0; i < fine->nodes && !status; ++i)
    fine->owner[i] = m->nearest[s][k == 0 ? m->name[i] : m->order[m->name[i]]];
  if (!status)
    status = make_transfers(m, fine, fine->owner, frames);
  if (!status)
    status = link_handles(&m->scratch, fine, fine->owner, handles, &links);
  if (!status)
    status = colour(&a->arena, &links, coarse, place, &node);
  coarse->width = MUS_FUNCTIONS;
  if (!status)
    status = renumber(&a->arena, &links, place, node, coarse, NULL);
  if (status)
    return status;
  for (int i = 0; i < fine->nodes; ++i)
    fine->owner[i] = place[fine->owner[i]];
  m->name = node;
  m->frames = frames;
  status = note_live(m, coarse, frames);
  return status ? status : list_children(&a->arena, fine, handles);
}

mus_status mus_affine_make_levels(mus_affine *a, const double *rest, const mus_solver_options *options) {
  making m = {.a = a, .rest = rest};
  mus_level_smoother smoother[MUS_LEVELS_MAXIMUM];
  mus_status status = mus_smoothers_read(&options->multigrid, MUS_LEVELS_MAXIMUM, smoother);
  if (!status)
    status = sample(&m, options);
  if (!status)
    status = make_finest(&m);
  for (int k = 0; k < a->levels && !status; ++k) {
    a->level[k].smoother = smoother[k].kind;
    a->level[k].options = smoother[k].options;
    status = make_coarser(&m, k);
  }
  mus_arena_clear(&m.scratch);
  return status;
}
