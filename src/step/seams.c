// See seams.h.
#include "step/seams.h"

#include <string.h>

#include "base/error.h"

// A stitch is closed when its ends are this near each other, m, and
// move apart no faster than this, m/s: what contact leaves.
static const double closed_gap = 1e-6, closed_speed = 1e-3;
// Sweeps over stitches that are brought together end when no gap (m) or relative velocity (m/s) is larger.
static const double swept = 1e-11;
enum { SWEEPS = 200 };

// --- life ------------------------------------------------------------------------------------------------------------

mus_status mus_seams_create(mus_arena *arena, const mus_model *model, mus_seams *out) {
  *out = (mus_seams){.count = model->stitches};
  if (out->count == 0)
    return MUS_OK;
  mus_status status = mus_model_ties(model, arena, &out->ties);
  out->closed = mus_arena_alloc_zero(arena, (size_t)out->count, 1);
  out->mass = mus_arena_alloc_zero(arena, (size_t)model->vertices, sizeof *out->mass);
  return status || (out->closed && out->mass) ? status : mus_fail_memory();
}

void mus_seams_free(mus_seams *seams) { mus_free(seams->rows.items); }

size_t mus_seams_bytes(const mus_seams *seams) { return seams->rows.capacity * sizeof(mus_tie_row); }

// --- what is closed --------------------------------------------------------------------------------------------------

// Between the ends, of positions or of velocities.
static double gap_of(const mus_model_stitch *stitch, const double *value) {
  double gap[3];
  mus_tie_gap(&stitch->tie, value, gap);
  return mus_length3(gap);
}

static int is_due(const mus_model_stitch *stitch, double time) {
  return time >= stitch->close || stitch->length * (1 - time / stitch->close) <= MUS_STITCH_DUE;
}

void mus_seams_find(const mus_model *model, const mus_scheme *s, const int *pinned, mus_state *state, double *predicted,
                    mus_seams *seams) {
  if (seams->count == 0)
    return;
  for (int k = 0; k < seams->count; ++k) {
    seams->closed[k] = is_due(&model->stitch[k], s->time) && gap_of(&model->stitch[k], state->position) <= closed_gap &&
                       gap_of(&model->stitch[k], state->velocity) <= closed_speed;
  }
  mus_ties_make(&seams->ties, seams->closed, pinned);
  mus_ties_follow(&seams->ties, predicted);
  mus_ties_follow(&seams->ties, state->velocity);
}

// --- the linear system -----------------------------------------------------------------------------------------------

// Adds factor times the block at `from` to that of (i, j). What has no block there is zero.
static void add_block(mus_matrix *matrix, int from, double factor, int i, int j) {
  int to = mus_pattern_find(matrix->pattern, i, j);
  const double *source = mus_matrix_at(matrix, from);
  for (int e = 0; e < 9 && to >= 0; ++e)
    mus_matrix_at(matrix, to)[e] += factor * source[e];
}

// Rows of followers go to the rows of what they follow; then columns likewise.
static void reduce_matrix(const mus_ties *ties, const double *mass, mus_matrix *matrix) {
  const mus_pattern *pattern = matrix->pattern;
  for (int columns = 0; columns < 2; ++columns)
    for (int k = 0; k < ties->count; ++k) {
      int v = ties->vertex[k];
      for (int e = pattern->row_start[v]; e < pattern->row_start[v + 1]; ++e) {
        int other = pattern->column[e], from = columns ? mus_pattern_find(pattern, other, v) : e;
        for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
          add_block(matrix, from, ties->weight[n], columns ? other : ties->node[n], columns ? ties->node[n] : other);
        memset(mus_matrix_at(matrix, from), 0, 9 * sizeof(double));
      }
    }
  for (int k = 0; k < ties->count; ++k)
    for (int c = 0; c < 3; ++c)
      mus_matrix_block(matrix, ties->vertex[k], ties->vertex[k])[4 * c] = mass[ties->vertex[k]];
}

void mus_seams_reduce(const mus_seams *seams, const mus_model *model, mus_matrix *matrix, double *right) {
  if (seams->count == 0)
    return;
  if (matrix)
    reduce_matrix(&seams->ties, model->mass, matrix);
  mus_ties_lead(&seams->ties, right);
}

void mus_seams_expand(const mus_seams *seams, double *change) {
  if (seams->count > 0)
    mus_ties_follow(&seams->ties, change);
}

void mus_seams_clear(const mus_seams *seams, double *value) {
  for (int k = 0; k < seams->ties.count; ++k)
    mus_zero(3, value + 3 * (size_t)seams->ties.vertex[k]);
}

// --- closing ---------------------------------------------------------------------------------------------------------

// kg: of what gives way when a tie is brought to hold; 0 where nothing can.
static double row_mass(const mus_seams *seams, const int *pinned, const mus_tie_row *row) {
  double inverse = 0;
  for (int n = 0; n < row->count; ++n)
    if (pinned[row->node[n]] < 0)
      inverse += row->weight[n] * row->weight[n] / seams->mass[row->node[n]];
  return inverse > 0 ? 1 / inverse : 0;
}

// What is due, near and not kept by following.
static mus_status list_rows(const mus_model *model, double time, const int *pinned, const mus_state *state,
                            mus_seams *seams) {
  seams->rows.count = 0;
  for (int k = 0; k < seams->count; ++k) {
    const mus_model_stitch *stitch = &model->stitch[k];
    if ((seams->closed[k] && !seams->ties.refused[k]) || !is_due(stitch, time) ||
        gap_of(stitch, state->position) > stitch->reach)
      continue;
    if (seams->rows.count == 0)
      mus_ties_share_mass(&seams->ties, model->mass, seams->mass);
    mus_tie_row made = mus_ties_row(&seams->ties, &stitch->tie);
    if (!(row_mass(seams, pinned, &made) > 0))
      continue;
    mus_tie_row *item = mus_list_add(&seams->rows, sizeof *item);
    if (!item)
      return mus_fail_memory();
    *item = made;
  }
  return MUS_OK;
}

// One sweep over all rows. Returns the square of the largest gap that it found.
static double sweep(const mus_seams *seams, const int *pinned, double *value) {
  const mus_tie_row *row = seams->rows.items;
  double largest = 0;
  for (size_t k = 0; k < seams->rows.count; ++k) {
    double gap[3] = {0, 0, 0}, mass = row_mass(seams, pinned, &row[k]);
    for (int n = 0; n < row[k].count; ++n)
      mus_add_scaled3(row[k].weight[n], value + 3 * (size_t)row[k].node[n], gap);
    for (int n = 0; n < row[k].count; ++n)
      if (pinned[row[k].node[n]] < 0)
        mus_add_scaled3(-mass * row[k].weight[n] / seams->mass[row[k].node[n]], gap,
                        value + 3 * (size_t)row[k].node[n]);
    largest = fmax(largest, mus_dot3(gap, gap));
  }
  return largest;
}

mus_status mus_seams_close(const mus_model *model, const mus_scheme *s, const int *pinned, mus_state *state,
                           mus_seams *seams) {
  if (seams->count == 0)
    return MUS_OK;
  mus_status status = list_rows(model, s->time, pinned, state, seams);
  double *value[] = {state->position, state->velocity};
  for (int k = 0; k < 2 && !status; ++k) {
    for (int n = 0; n < SWEEPS && seams->rows.count > 0; ++n)
      if (sweep(seams, pinned, value[k]) < swept * swept)
        break;
    mus_ties_follow(&seams->ties, value[k]);
  }
  return status;
}

// --- what is left ----------------------------------------------------------------------------------------------------

void mus_seams_settle(const mus_model *model, mus_state *state, const mus_seams *seams, mus_step_record *record) {
  if (seams->count == 0)
    return;
  mus_ties_follow(&seams->ties, state->position);
  mus_ties_follow(&seams->ties, state->velocity);
  for (int k = 0; k < seams->count; ++k) {
    if (!is_due(&model->stitch[k], record->time))
      continue;
    double gap = gap_of(&model->stitch[k], state->position);
    record->open_stitches += gap > MUS_SEAM_GAP;
    if (seams->closed[k])
      record->seam_gap = fmax(record->seam_gap, gap);
  }
}
