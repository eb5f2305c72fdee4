// See mannequin.h.
#include "mesh/mannequin.h"

#include <string.h>

#include "base/error.h"
#include "mesh/mannequin_skin.h"

static const double skin_cell = 0.0158; // m, for a figure of 1.75 m: 18,000 triangles

struct mus_mannequin {
  mus_skin skin; // of the standing figure in its own size
  mus_mesh mesh; // of the wanted height, at time 0
  mus_bone_place rest[MUS_BONES];
  double scale, floor; // from the skeleton's size to the wanted one; where its soles are, m
  int keys;
  double *time, *speed; // s, m/s in the skeleton's size
  double *gone;         // at each key: m in the skeleton's size
};

// How far the figure has gone, and how fast it is.
static double travel(const mus_mannequin *m, double time, double *speed) {
  int after = 0;
  while (after < m->keys && m->time[after] <= time)
    ++after;
  if (after == 0) {
    *speed = m->speed[0];
    return m->speed[0] * time;
  }
  const int k = after - 1;
  double since = time - m->time[k];
  double slope = after < m->keys ? (m->speed[after] - m->speed[k]) / (m->time[after] - m->time[k]) : 0;
  *speed = m->speed[k] + slope * since;
  return m->gone[k] + since * (m->speed[k] + 0.5 * slope * since);
}

static mus_status take_keys(mus_arena *arena, int keys, const double *time, const double *speed, mus_mannequin *m) {
  static const double usual_time[] = {0.9, 1.7, 2.7, 3.5}, usual_speed[] = {0, 1.25, 1.25, 2.9};
  if (keys == 0) {
    keys = sizeof usual_time / sizeof *usual_time;
    time = usual_time, speed = usual_speed;
  }
  m->keys = keys;
  m->time = mus_arena_alloc(arena, (size_t)keys, sizeof *m->time);
  m->speed = mus_arena_alloc(arena, (size_t)keys, sizeof *m->speed);
  m->gone = mus_arena_alloc(arena, (size_t)keys, sizeof *m->gone);
  if (!m->time || !m->speed || !m->gone)
    return mus_fail_memory();
  for (int k = 0; k < keys; ++k) {
    if (!(speed[k] >= 0 && isfinite(speed[k])))
      return mus_fail(MUS_BAD_INPUT, "a mannequin cannot move at %g m/s: it only moves forwards", speed[k]);
    m->time[k] = time[k];
    m->speed[k] = speed[k] / m->scale;
    m->gone[k] = k == 0 ? m->speed[0] * time[0]
                        : m->gone[k - 1] + 0.5 * (time[k] - time[k - 1]) * (m->speed[k] + m->speed[k - 1]);
  }
  return MUS_OK;
}

// From the skeleton's size to the wanted one, with the soles on the ground.
static void fit(double height, mus_mannequin *m) {
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < m->skin.mesh.vertices; ++v) {
    low = fmin(low, m->skin.mesh.position[3 * (size_t)v + 1]);
    high = fmax(high, m->skin.mesh.position[3 * (size_t)v + 1]);
  }
  m->floor = low;
  m->scale = height / (high - low);
}

mus_status mus_mannequin_create(mus_arena *arena, double height, int keys, const double *time, const double *speed,
                                mus_mannequin **out) {
  if (!(height > 0 && isfinite(height)))
    return mus_fail(MUS_BAD_INPUT, "a mannequin cannot be %g m tall: give a positive height", height);
  mus_mannequin *m = mus_arena_alloc(arena, 1, sizeof *m);
  if (!m)
    return mus_fail_memory();
  mus_mannequin_pose(0, 0, 0, m->rest);
  mus_status status = mus_skin_create(arena, m->rest, skin_cell, &m->skin);
  if (status)
    return status;
  fit(height, m);
  status = take_keys(arena, keys, time, speed, m);
  if (!status)
    status = mus_mesh_copy(arena, &m->skin.mesh, &m->mesh);
  if (status)
    return status;
  mus_mannequin_at(m, 0, m->mesh.position);
  *out = m;
  return MUS_OK;
}

const mus_mesh *mus_mannequin_mesh(const mus_mannequin *m) { return &m->mesh; }

// What carries a point from where it is at rest to where a bone has it.
typedef struct carrier {
  mus_turn turn;
  mus_point shift;
} carrier;

// In the skeleton's size.
static void pose_at(const mus_mannequin *m, double time, mus_bone_place place[MUS_BONES]) {
  double speed, distance = travel(m, time, &speed);
  mus_mannequin_pose(speed, distance, mus_mannequin_cadence[0] * time + mus_mannequin_cadence[1] * distance, place);
}

void mus_mannequin_at(const mus_mannequin *m, double time, double *position) {
  mus_bone_place place[MUS_BONES];
  carrier bone[MUS_BONES];
  pose_at(m, time, place);
  for (int b = 0; b < MUS_BONES; ++b) {
    bone[b].turn = mus_turn_join(place[b].turn, mus_turn_back(m->rest[b].turn));
    bone[b].shift = mus_point_subtract(place[b].joint, mus_turn_apply(&bone[b].turn, m->rest[b].joint));
  }
  for (size_t v = 0; v < (size_t)m->skin.mesh.vertices; ++v) {
    const double *x = m->skin.mesh.position + 3 * v;
    mus_point at = {x[0], x[1], x[2]}, sum = {0, 0, 0};
    for (size_t k = v * MUS_SKIN_BONES; k < (v + 1) * MUS_SKIN_BONES; ++k) {
      const carrier *c = &bone[m->skin.bone[k]];
      mus_point carried = mus_point_add(mus_turn_apply(&c->turn, at), c->shift);
      sum = mus_point_add(sum, mus_point_scale(m->skin.share[k], carried));
    }
    position[3 * v] = m->scale * sum.x;
    position[3 * v + 1] = m->scale * (sum.y - m->floor);
    position[3 * v + 2] = m->scale * sum.z;
  }
}

// --- bones -----------------------------------------------------------------------------------------------------------

int mus_mannequin_bones(void) { return MUS_BONES; }

void mus_mannequin_bones_at(const mus_mannequin *m, double time, mus_affine *frame) {
  mus_bone_place place[MUS_BONES];
  pose_at(m, time, place);
  for (int b = 0; b < MUS_BONES; ++b) {
    const mus_turn *t = &place[b].turn;
    mus_point at = mus_point_scale(m->scale, place[b].joint);
    frame[b] = (mus_affine){{t->x.x, t->y.x, t->z.x, at.x, t->x.y, t->y.y, t->z.y, at.y - m->scale * m->floor, t->x.z,
                             t->y.z, t->z.z, at.z}};
  }
}

mus_status mus_mannequin_axes(const mus_mannequin *m, mus_arena *arena, int *count, mus_bone_axis **axes) {
  *count = mus_skin_axes();
  *axes = mus_arena_alloc(arena, (size_t)*count, sizeof **axes);
  if (!*axes)
    return mus_fail_memory();
  mus_skin_list_axes(*axes);
  for (int k = 0; k < *count; ++k)
    for (int c = 0; c < 3; ++c) {
      (*axes)[k].from[c] *= m->scale;
      (*axes)[k].to[c] *= m->scale;
    }
  return MUS_OK;
}
