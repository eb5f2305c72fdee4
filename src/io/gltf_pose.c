// Where a glTF file's nodes and vertices are at a time. See gltf_parts.h.
//
// A vertex of a skin is at sum_k w_k G_k B_k (p + sum_t a_t d_t): G_k where joint k is, B_k the inverse of where it was
// when the skin was bound, d_t and a_t the morph targets and their weights. Without a skin it is at G (p + ...) with
// the node's own G.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf_parts.h"

// --- maps ------------------------------------------------------------------------------------------------------------

// Scale, then rotation, then translation. A quaternion of another length than 1 counts as if it had that.
static mus_affine map_of(const mus_gltf_stand *stand) {
  double q[4], length = 0;
  for (int k = 0; k < 4; ++k)
    length += stand->rotation[k] * stand->rotation[k];
  for (int k = 0; k < 4; ++k)
    q[k] = length > 0 ? stand->rotation[k] / sqrt(length) : k == 3;
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  mus_affine map;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      map.m[4 * r + c] = turn[3 * r + c] * stand->scale[c];
    map.m[4 * r + 3] = stand->translation[r];
  }
  return map;
}

// --- tracks ----------------------------------------------------------------------------------------------------------

// Between two quaternions along the shorter arc.
static void turn_between(const double *from, const double *to, double part, double *out) {
  double cosine = 0;
  for (int k = 0; k < 4; ++k)
    cosine += from[k] * to[k];
  double sign = cosine < 0 ? -1 : 1, angle = acos(fmin(fabs(cosine), 1)), sine = sin(angle);
  // Where they nearly agree, the straight line is the arc.
  double a = sine > 1e-6 ? sin((1 - part) * angle) / sine : 1 - part;
  double b = sine > 1e-6 ? sin(part * angle) / sine : part;
  for (int k = 0; k < 4; ++k)
    out[k] = a * from[k] + sign * b * to[k];
}

// Hermite's cubic: values with the tangents before and after them, which are per second.
static void cubic_between(const mus_gltf_track *track, int key, double part, double seconds, double *out) {
  size_t width = (size_t)track->width;
  const double *from = track->value + 3 * width * (size_t)key, *to = from + 3 * width;
  double p = part, p2 = p * p, p3 = p2 * p;
  for (size_t k = 0; k < width; ++k)
    out[k] = (2 * p3 - 3 * p2 + 1) * from[width + k] + seconds * (p3 - 2 * p2 + p) * from[2 * width + k] +
             (3 * p2 - 2 * p3) * to[width + k] + seconds * (p3 - p2) * to[k];
}

// The track's value at a time; the first or the last where that is outside.
static void track_at(const mus_gltf_track *track, double time, double *out) {
  size_t width = (size_t)track->width, pitch = track->between == MUS_GLTF_CUBIC ? 3 * width : width;
  const double *value = track->value + (pitch - width) / 2; // behind the tangent
  int low = 0, high = track->keys - 1;                      // the last key that is not after the time, or the first
  while (low < high) {
    int middle = high - (high - low) / 2;
    if (track->time[middle] <= time)
      low = middle;
    else
      high = middle - 1;
  }
  const double *from = value + pitch * (size_t)low, *to = from + pitch;
  if (low + 1 == track->keys || time <= track->time[low] || track->between == MUS_GLTF_STEP) {
    memcpy(out, from, width * sizeof *out);
    return;
  }
  double seconds = track->time[low + 1] - track->time[low], part = (time - track->time[low]) / seconds;
  if (track->between == MUS_GLTF_CUBIC)
    cubic_between(track, low, part, seconds, out);
  else if (track->path == MUS_GLTF_ROTATION)
    turn_between(from, to, part, out);
  else
    for (size_t k = 0; k < width; ++k)
      out[k] = from[k] + part * (to[k] - from[k]);
}

static double *target_of(mus_gltf *gltf, const mus_gltf_track *track) {
  mus_gltf_stand *stand = &gltf->stand[track->node];
  switch (track->path) {
  case MUS_GLTF_TRANSLATION:
    return stand->translation;
  case MUS_GLTF_ROTATION:
    return stand->rotation;
  case MUS_GLTF_SCALE:
    return stand->scale;
  default:
    return gltf->weight + gltf->node[track->node].first_weight;
  }
}

// --- nodes and vertices ----------------------------------------------------------------------------------------------

void mus_gltf_pose(mus_gltf *gltf, int animation, double time) {
  for (int n = 0; n < gltf->nodes; ++n)
    gltf->stand[n] = gltf->node[n].stand;
  for (int k = 0; k < gltf->weights; ++k)
    gltf->weight[k] = gltf->rest_weight[k];
  if (animation >= 0) {
    const mus_gltf_animation *a = &gltf->animation[animation];
    double length = a->end - a->start, at = length > 0 && time > 0 ? fmod(time, length) : 0;
    for (int k = 0; k < a->tracks; ++k)
      track_at(&a->track[k], a->start + at, target_of(gltf, &a->track[k]));
  }
  for (int k = 0; k < gltf->nodes; ++k) {
    const mus_gltf_node *node = &gltf->node[gltf->order[k]];
    mus_affine own = node->mapped ? node->map : map_of(&gltf->stand[gltf->order[k]]);
    gltf->map[gltf->order[k]] = node->parent >= 0 ? mus_affine_join(&gltf->map[node->parent], &own) : own;
  }
}

static void apply(const mus_affine *map, double share, const double x[3], double *out) {
  for (int r = 0; r < 3; ++r)
    out[r] += share * (map->m[4 * r] * x[0] + map->m[4 * r + 1] * x[1] + map->m[4 * r + 2] * x[2] + map->m[4 * r + 3]);
}

static void part_at(mus_gltf *gltf, const mus_gltf_part *part, double *position) {
  const mus_gltf_skin *skin = part->skin >= 0 ? &gltf->skin[part->skin] : NULL;
  const double *weight = gltf->weight + gltf->node[part->node].first_weight;
  for (int j = 0; skin && j < skin->joints; ++j)
    gltf->bone[j] = mus_affine_join(&gltf->map[skin->joint[j]], &skin->inverse[j]);
  for (int v = 0; v < part->vertices; ++v) {
    const double *row = part->row + (size_t)v * (size_t)part->width, *influence = row + 3;
    const double *way = influence + 2 * part->influences;
    double x[3] = {row[0], row[1], row[2]}, *out = position + 3 * (size_t)(part->first + v);
    for (int t = 0; t < part->targets; ++t)
      for (int c = 0; c < 3; ++c)
        x[c] += weight[t] * way[3 * t + c];
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < part->influences; ++k)
      if (influence[2 * k + 1] != 0)
        apply(&gltf->bone[(int)influence[2 * k]], influence[2 * k + 1], x, out);
    if (!skin)
      apply(&gltf->map[part->node], 1, x, out);
  }
}

mus_status mus_gltf_at(mus_gltf *gltf, int animation, double time, double *position) {
  mus_gltf_pose(gltf, animation, time);
  for (int p = 0; p < gltf->parts; ++p)
    part_at(gltf, &gltf->part[p], position);
  for (size_t i = 0; i < 3 * (size_t)gltf->mesh.vertices; ++i)
    if (!isfinite(position[i]))
      return mus_fail(MUS_BAD_INPUT, "%.200s: vertices are not finite at %g s: its transforms grow too large",
                      gltf->file, time);
  return MUS_OK;
}

// --- bones -----------------------------------------------------------------------------------------------------------

int mus_gltf_bones(const mus_gltf *gltf) { return gltf->bones; }

void mus_gltf_bones_at(mus_gltf *gltf, int animation, double time, mus_affine *frame) {
  mus_gltf_pose(gltf, animation, time);
  for (int b = 0; b < gltf->bones; ++b)
    frame[b] = gltf->map[gltf->joint[b]];
}

// The bone that a bone hangs on, with any nodes between; -1 for none.
static int bone_above(const mus_gltf *gltf, int bone) {
  for (int node = gltf->node[gltf->joint[bone]].parent; node >= 0; node = gltf->node[node].parent)
    for (int b = 0; b < gltf->bones; ++b)
      if (gltf->joint[b] == node)
        return b;
  return -1;
}

mus_status mus_gltf_axes(mus_gltf *gltf, mus_arena *arena, int *count, mus_bone_axis **axes) {
  mus_bone_axis *list = mus_arena_alloc_zero(arena, 2 * (size_t)gltf->bones, sizeof *list);
  unsigned char *is_above = mus_arena_alloc_zero(arena, (size_t)gltf->bones, 1);
  if (!list || !is_above)
    return mus_fail_memory();
  mus_gltf_pose(gltf, -1, 0);
  *count = 0;
  for (int b = 0; b < gltf->bones; ++b) {
    int above = bone_above(gltf, b);
    if (above < 0)
      continue;
    const mus_affine *own = &gltf->map[gltf->joint[b]];
    mus_affine back = mus_affine_inverse(&gltf->map[gltf->joint[above]]);
    mus_bone_axis *axis = &list[(*count)++];
    axis->bone = above;
    is_above[above] = 1;
    mus_affine_apply(&back, (const double[3]){own->m[3], own->m[7], own->m[11]}, axis->to);
  }
  for (int b = 0; b < gltf->bones; ++b)
    if (!is_above[b])
      list[(*count)++].bone = b;
  *axes = list;
  return MUS_OK;
}
