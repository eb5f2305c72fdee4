// See mannequin_skin.h.
//
// Surface nets: every cell of a grid that the surface crosses gets one vertex, the mean of where it crosses the cell's
// edges; every edge of the grid that the surface crosses gets a quad of the four cells around it.
#include "mesh/mannequin_skin.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "mesh/capsule.h"
#include "mesh/topology.h"

// A cone with round ends, in its bone's frame. What the left side has, the right one has too, mirrored.
typedef struct capsule {
  mus_bone bone;
  mus_point from, to;
  double from_radius, to_radius;
} capsule;

static const capsule body[] = {{MUS_BONE_PELVIS, {0, 0.02, 0.012}, {0, 0.1, 0.008}, 0.078, 0.07},
                               {MUS_BONE_SPINE, {0, 0, 0.008}, {0, 0.16, 0.01}, 0.07, 0.078},
                               {MUS_BONE_CHEST, {0, 0, 0.01}, {0, 0.15, 0.012}, 0.078, 0.08},
                               {MUS_BONE_CHEST, {-0.115, 0.198, -0.012}, {0.115, 0.198, -0.012}, 0.052, 0.052},
                               {MUS_BONE_NECK, {0, -0.04, -0.012}, {0, 0.07, 0.006}, 0.052, 0.047},
                               {MUS_BONE_HEAD, {0, 0.12, -0.012}, {0, 0.122, 0.006}, 0.088, 0.085},
                               {MUS_BONE_HEAD, {0, 0.025, 0.034}, {0, 0.09, 0.034}, 0.044, 0.062}};
static const capsule half[] = {{MUS_BONE_PELVIS, {0.07, -0.03, -0.022}, {0.068, 0.03, -0.004}, 0.088, 0.082},
                               {MUS_BONE_PELVIS, {0.068, 0.03, -0.004}, {0.052, 0.1, 0}, 0.08, 0.068},
                               {MUS_BONE_SPINE, {0.052, 0, 0}, {0.05, 0.06, 0}, 0.068, 0.067},
                               {MUS_BONE_SPINE, {0.05, 0.06, 0}, {0.058, 0.16, 0}, 0.067, 0.074},
                               {MUS_BONE_CHEST, {0.058, 0, 0}, {0.075, 0.12, 0.004}, 0.074, 0.085},
                               {MUS_BONE_CHEST, {0.075, 0.12, 0.004}, {0.09, 0.18, -0.004}, 0.085, 0.07},
                               {MUS_BONE_CHEST, {0.02, 0.25, -0.022}, {0.135, 0.208, -0.014}, 0.038, 0.042},
                               {MUS_BONE_UPPER_ARM, {0, 0, 0}, {0, -0.285, 0}, 0.05, 0.035},
                               {MUS_BONE_LOWER_ARM, {0, 0, 0}, {0, -0.08, 0}, 0.035, 0.038},
                               {MUS_BONE_LOWER_ARM, {0, -0.08, 0}, {0, -0.25, 0}, 0.038, 0.024},
                               {MUS_BONE_HAND, {0, 0, 0.004}, {0, -0.08, 0.018}, 0.021, 0.02},
                               {MUS_BONE_HAND, {0, 0, -0.004}, {0, -0.08, -0.018}, 0.021, 0.02},
                               {MUS_BONE_HAND, {0, -0.08, 0.016}, {-0.006, -0.17, 0.012}, 0.019, 0.015},
                               {MUS_BONE_HAND, {0, -0.08, -0.016}, {-0.006, -0.165, -0.014}, 0.019, 0.015},
                               {MUS_BONE_HAND, {0, -0.03, 0.018}, {-0.008, -0.095, 0.05}, 0.02, 0.019},
                               {MUS_BONE_THIGH, {0.002, -0.02, 0}, {0, -0.2, 0.004}, 0.08, 0.068},
                               {MUS_BONE_THIGH, {0, -0.2, 0.004}, {0, -0.42, 0}, 0.068, 0.044},
                               {MUS_BONE_SHIN, {0, 0, 0}, {0, -0.12, -0.012}, 0.044, 0.05},
                               {MUS_BONE_SHIN, {0, -0.12, -0.012}, {0, -0.42, 0}, 0.05, 0.03},
                               {MUS_BONE_FOOT, {0, -0.05, -0.028}, {0, -0.058, 0.1}, 0.032, 0.024},
                               {MUS_BONE_FOOT, {0, 0, 0}, {0, -0.055, 0.09}, 0.032, 0.024},
                               {MUS_BONE_FOOT, {-0.02, -0.06, 0.1}, {0.02, -0.06, 0.1}, 0.021, 0.021},
                               {MUS_BONE_TOES, {-0.018, 0, -0.01}, {-0.014, 0, 0.05}, 0.022, 0.02},
                               {MUS_BONE_TOES, {0.018, 0, -0.01}, {0.014, 0, 0.045}, 0.022, 0.02}};
enum {
  BODY = sizeof body / sizeof *body,
  HALF = sizeof half / sizeof *half,
  CAPSULES = BODY + 2 * HALF,
  RELAXATIONS = 3, // of the surface
  SMOOTHINGS = 24  // of the bones' shares
};

static const double blend = 0.009; // m: k of the smooth union

// A capsule in space, and its bone.
typedef struct placed {
  mus_bone bone;
  mus_capsule capsule;
} placed;

typedef struct figure {
  placed capsule[CAPSULES];
} figure;

// As the left side has it, or mirrored.
static capsule on_side(const capsule *left, int right) {
  capsule c = *left;
  if (right) {
    c.from.x = -c.from.x, c.to.x = -c.to.x;
    c.bone = c.bone >= MUS_BONE_UPPER_ARM ? (mus_bone)((int)c.bone + 1) : c.bone;
  }
  return c;
}

static void list_capsules(capsule all[CAPSULES]) {
  int count = 0;
  for (int k = 0; k < BODY; ++k)
    all[count++] = body[k];
  for (int k = 0; k < HALF; ++k)
    for (int right = 0; right < 2; ++right)
      all[count++] = on_side(&half[k], right);
}

static placed place_capsule(const mus_bone_place *place, const capsule *c) {
  mus_point a = mus_point_add(place[c->bone].joint, mus_turn_apply(&place[c->bone].turn, c->from));
  mus_point b = mus_point_add(place[c->bone].joint, mus_turn_apply(&place[c->bone].turn, c->to));
  return (placed){c->bone, mus_capsule_between(a, b, c->from_radius, c->to_radius)};
}

static void place_figure(const mus_bone_place *place, figure *f) {
  capsule all[CAPSULES];
  list_capsules(all);
  for (int k = 0; k < CAPSULES; ++k)
    f->capsule[k] = place_capsule(place, &all[k]);
}

int mus_skin_axes(void) { return CAPSULES; }

void mus_skin_list_axes(mus_bone_axis *axes) {
  capsule all[CAPSULES];
  list_capsules(all);
  for (int k = 0; k < CAPSULES; ++k)
    axes[k] = (mus_bone_axis){
        (int)all[k].bone, {all[k].from.x, all[k].from.y, all[k].from.z}, {all[k].to.x, all[k].to.y, all[k].to.z}};
}

// The smooth union; `nearest` receives the capsule that is nearest where it is not NULL.
static double distance(const figure *f, mus_point p, int *nearest) {
  double d[CAPSULES], least = INFINITY, sum = 0;
  for (int k = 0; k < CAPSULES; ++k) {
    d[k] = mus_capsule_distance(&f->capsule[k].capsule, p);
    if (d[k] < least) {
      least = d[k];
      if (nearest)
        *nearest = k;
    }
  }
  for (int k = 0; k < CAPSULES; ++k)
    if (d[k] < least + 12 * blend)
      sum += exp((least - d[k]) / blend);
  return least - blend * log(sum);
}

// --- surface nets ----------------------------------------------------------------------------------------------------

typedef struct grid {
  int count[3]; // points along each axis
  double low[3], cell;
  double *value; // at points
  int *vertex;   // of the cell that begins at a point, -1 for none
} grid;

static size_t point_at(const grid *g, int i, int j, int k) {
  return ((size_t)k * (size_t)g->count[1] + (size_t)j) * (size_t)g->count[0] + (size_t)i;
}

// A multiple of the cell below all capsules, so that left and right are cut alike.
static void span(const figure *f, double cell, grid *g) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < 2 * CAPSULES; ++k) {
    const mus_capsule *c = &f->capsule[k / 2].capsule;
    mus_point p = k % 2 == 0 ? c->from : mus_point_add(c->from, c->along);
    const double x[3] = {p.x, p.y, p.z}, margin = fmax(c->from_radius, c->to_radius) + 3 * blend;
    for (int a = 0; a < 3; ++a) {
      low[a] = fmin(low[a], x[a] - margin);
      high[a] = fmax(high[a], x[a] + margin);
    }
  }
  g->cell = cell;
  for (int a = 0; a < 3; ++a) {
    int first = (int)floor(low[a] / cell), last = (int)ceil(high[a] / cell);
    g->low[a] = cell * first;
    g->count[a] = last - first + 1;
  }
}

static mus_point corner(const grid *g, int i, int j, int k) {
  return (mus_point){g->low[0] + g->cell * i, g->low[1] + g->cell * j, g->low[2] + g->cell * k};
}

// Points far from the surface need no value of their own, only its sign.
static void sample(const figure *f, grid *g) {
  for (int k = 0; k < g->count[2]; ++k)
    for (int j = 0; j < g->count[1]; ++j)
      for (int i = 0; i < g->count[0];) {
        double d = distance(f, corner(g, i, j, k), NULL);
        // Distances change hardly more than the way does: so far along, the surface is at least a cell away.
        int same = (int)(0.9 * fabs(d) / g->cell);
        for (int n = 0; n < (same < 1 ? 1 : same) && i < g->count[0]; ++n, ++i)
          g->value[point_at(g, i, j, k)] = d;
      }
}

// Whether the corners of a cell that `mask` names hang together along its edges.
static int hang_together(unsigned mask) {
  unsigned reached = mask & (~mask + 1), before = 0; // the first
  while (reached != before) {
    before = reached;
    for (unsigned c = 0; c < 8; ++c)
      if (reached >> c & 1)
        reached |= mask & (1u << (c ^ 1) | 1u << (c ^ 2) | 1u << (c ^ 4));
  }
  return reached == mask;
}

// Of a cell that two sheets of the surface cross, the corner outside that is nearest to it; else none, -1.
static int ambiguous_corner(const grid *g, int i, int j, int k, size_t at[8]) {
  unsigned inside = 0;
  int nearest = -1;
  for (int c = 0; c < 8; ++c) {
    at[c] = point_at(g, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
    inside |= (g->value[at[c]] < 0 ? 1u : 0u) << c;
    if (g->value[at[c]] >= 0 && (nearest < 0 || g->value[at[c]] < g->value[at[nearest]]))
      nearest = c;
  }
  return hang_together(inside) && hang_together(~inside & 255) ? -1 : nearest;
}

// One vertex a cell has no room for two sheets: cells that have two are filled up until they have one.
static void fill_up(grid *g) {
  size_t at[8];
  for (int changed = 1; changed;) {
    changed = 0;
    for (int k = 0; k + 1 < g->count[2]; ++k)
      for (int j = 0; j + 1 < g->count[1]; ++j)
        for (int i = 0; i + 1 < g->count[0]; ++i) {
          int c = ambiguous_corner(g, i, j, k, at);
          if (c >= 0) {
            g->value[at[c]] = -0.1 * g->cell;
            changed = 1;
          }
        }
  }
}

// Where the surface crosses the edges of a cell, on the average; 0 when it does not.
static int crossing(const grid *g, int i, int j, int k, mus_point *mean) {
  static const int edge[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                  {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  double value[8];
  mus_point at[8], sum = {0, 0, 0};
  int count = 0;
  for (int c = 0; c < 8; ++c) {
    value[c] = g->value[point_at(g, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
    at[c] = corner(g, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
  }
  for (int e = 0; e < 12; ++e) {
    double a = value[edge[e][0]], b = value[edge[e][1]];
    if ((a < 0) == (b < 0))
      continue;
    mus_point way = mus_point_subtract(at[edge[e][1]], at[edge[e][0]]);
    sum = mus_point_add(sum, mus_point_add(at[edge[e][0]], mus_point_scale(a / (a - b), way)));
    ++count;
  }
  *mean = mus_point_scale(count > 0 ? 1.0 / count : 0, sum);
  return count;
}

static int count_vertices(grid *g) {
  int vertices = 0;
  mus_point mean;
  for (int k = 0; k + 1 < g->count[2]; ++k)
    for (int j = 0; j + 1 < g->count[1]; ++j)
      for (int i = 0; i + 1 < g->count[0]; ++i)
        g->vertex[point_at(g, i, j, k)] = crossing(g, i, j, k, &mean) > 0 ? vertices++ : -1;
  return vertices;
}

static void place_vertices(const grid *g, mus_mesh *mesh) {
  for (int k = 0; k + 1 < g->count[2]; ++k)
    for (int j = 0; j + 1 < g->count[1]; ++j)
      for (int i = 0; i + 1 < g->count[0]; ++i) {
        int v = g->vertex[point_at(g, i, j, k)];
        if (v < 0)
          continue;
        mus_point p;
        crossing(g, i, j, k, &p);
        memcpy(mesh->position + 3 * (size_t)v, (double[]){p.x, p.y, p.z}, 3 * sizeof(double));
      }
}

// The four cells around the edge from a point along an axis, counter-clockwise seen from its end. 0 when the surface
// does not cross it.
static int quad_at(const grid *g, const int at[3], int axis, int quad[4]) {
  int a = (axis + 1) % 3, b = (axis + 2) % 3, end[3] = {at[0], at[1], at[2]};
  ++end[axis];
  if (end[axis] >= g->count[axis] || at[a] == 0 || at[b] == 0)
    return 0;
  double from = g->value[point_at(g, at[0], at[1], at[2])], to = g->value[point_at(g, end[0], end[1], end[2])];
  if ((from < 0) == (to < 0))
    return 0;
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}}; // steps back along a and b
  for (int c = 0; c < 4; ++c) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[a] -= around[c][0];
    cell[b] -= around[c][1];
    quad[from < 0 ? c : 3 - c] = g->vertex[point_at(g, cell[0], cell[1], cell[2])];
  }
  return 1;
}

static double apart(const mus_mesh *mesh, int a, int b) {
  const double *p = mesh->position + 3 * (size_t)a, *q = mesh->position + 3 * (size_t)b;
  return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
}

// Two triangles a quad, cut along its shorter diagonal, where there is a mesh to put them in; returns their number.
static int fill_quads(const grid *g, mus_mesh *mesh) {
  int triangles = 0, quad[4];
  for (int k = 0; k < g->count[2]; ++k)
    for (int j = 0; j < g->count[1]; ++j)
      for (int i = 0; i < g->count[0]; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          if (!quad_at(g, (int[]){i, j, k}, axis, quad))
            continue;
          if (mesh) {
            int t = apart(mesh, quad[0], quad[2]) <= apart(mesh, quad[1], quad[3]) ? 0 : 1;
            const int two[] = {quad[t], quad[t + 1], quad[t + 2], quad[t], quad[t + 2], quad[(t + 3) % 4]};
            memcpy(mesh->triangle + 3 * (size_t)triangles, two, sizeof two);
          }
          triangles += 2;
        }
  return triangles;
}

static mus_status cut_surface(mus_arena *arena, mus_arena *scratch, const figure *f, double cell, mus_mesh *mesh) {
  grid g;
  span(f, cell, &g);
  size_t points = (size_t)g.count[0] * (size_t)g.count[1] * (size_t)g.count[2];
  g.value = mus_arena_alloc(scratch, points, sizeof *g.value);
  g.vertex = mus_arena_alloc(scratch, points, sizeof *g.vertex);
  if (!g.value || !g.vertex)
    return mus_fail_memory();
  sample(f, &g);
  fill_up(&g);
  int vertices = count_vertices(&g);
  mus_status status = mus_mesh_create(arena, vertices, fill_quads(&g, NULL), 0, mesh);
  if (status)
    return status;
  place_vertices(&g, mesh);
  fill_quads(&g, mesh);
  return MUS_OK;
}

// Draws vertices to the middle of their neighbours, which spreads the slivers that cells with hardly any surface get.
static void relax(const mus_topology *t, int vertices, mus_point *sum, int *count, double *position) {
  for (int v = 0; v < vertices; ++v)
    sum[v] = (mus_point){0, 0, 0}, count[v] = 0;
  for (int e = 0; e < t->edges; ++e)
    for (int end = 0; end < 2; ++end) {
      int to = t->edge[2 * (size_t)e + (size_t)end];
      const double *x = position + 3 * (size_t)t->edge[2 * (size_t)e + 1 - (size_t)end];
      sum[to] = mus_point_add(sum[to], (mus_point){x[0], x[1], x[2]});
      ++count[to];
    }
  for (int v = 0; v < vertices; ++v) {
    double *x = position + 3 * (size_t)v;
    mus_point mean = mus_point_scale(1.0 / count[v], sum[v]);
    x[0] = 0.5 * (x[0] + mean.x);
    x[1] = 0.5 * (x[1] + mean.y);
    x[2] = 0.5 * (x[2] + mean.z);
  }
}

static mus_status smooth(mus_arena *scratch, const mus_topology *t, mus_mesh *mesh) {
  mus_point *sum = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *sum);
  int *count = mus_arena_alloc(scratch, (size_t)mesh->vertices, sizeof *count);
  if (!sum || !count)
    return mus_fail_memory();
  for (int round = 0; round < RELAXATIONS; ++round)
    relax(t, mesh->vertices, sum, count, mesh->position);
  return MUS_OK;
}

// --- bones -----------------------------------------------------------------------------------------------------------

// Each vertex begins with the nearest capsule's bone, then takes on what its neighbours have.
static void spread_shares(const mus_mesh *mesh, const mus_topology *t, double *share, double *other) {
  for (int round = 0; round < SMOOTHINGS; ++round) {
    memset(other, 0, (size_t)mesh->vertices * MUS_BONES * sizeof *other);
    for (int e = 0; e < t->edges; ++e)
      for (int end = 0; end < 2; ++end) {
        double *to = other + (size_t)t->edge[2 * e + end] * MUS_BONES;
        const double *from = share + (size_t)t->edge[2 * e + 1 - end] * MUS_BONES;
        for (int b = 0; b < MUS_BONES; ++b)
          to[b] += from[b];
      }
    for (size_t v = 0; v < (size_t)mesh->vertices; ++v) {
      double sum = 0;
      for (size_t b = 0; b < MUS_BONES; ++b)
        sum += other[v * MUS_BONES + b];
      for (size_t b = 0; b < MUS_BONES; ++b)
        share[v * MUS_BONES + b] = 0.5 * share[v * MUS_BONES + b] + 0.5 * other[v * MUS_BONES + b] / sum;
    }
  }
}

// The largest shares, as parts of their sum.
static void keep_largest(double *all, unsigned char *bone, double *share) {
  double sum = 0;
  for (int k = 0; k < MUS_SKIN_BONES; ++k) {
    int best = 0;
    for (int b = 1; b < MUS_BONES; ++b)
      best = all[b] > all[best] ? b : best;
    bone[k] = (unsigned char)best;
    share[k] = all[best];
    sum += all[best];
    all[best] = 0;
  }
  for (int k = 0; k < MUS_SKIN_BONES; ++k)
    share[k] /= sum;
}

static mus_status carry(mus_arena *arena, mus_arena *scratch, const figure *f, const mus_topology *topology,
                        mus_skin *skin) {
  size_t vertices = (size_t)skin->mesh.vertices;
  skin->bone = mus_arena_alloc(arena, vertices * MUS_SKIN_BONES, sizeof *skin->bone);
  skin->share = mus_arena_alloc(arena, vertices * MUS_SKIN_BONES, sizeof *skin->share);
  double *share = mus_arena_alloc_zero(scratch, vertices * MUS_BONES, sizeof *share);
  double *other = mus_arena_alloc(scratch, vertices * MUS_BONES, sizeof *other);
  if (!skin->bone || !skin->share || !share || !other)
    return mus_fail_memory();
  for (size_t v = 0; v < vertices; ++v) {
    const double *p = skin->mesh.position + 3 * v;
    int nearest = 0;
    distance(f, (mus_point){p[0], p[1], p[2]}, &nearest);
    share[v * MUS_BONES + (size_t)f->capsule[nearest].bone] = 1;
  }
  spread_shares(&skin->mesh, topology, share, other);
  for (size_t v = 0; v < vertices; ++v)
    keep_largest(share + v * MUS_BONES, skin->bone + v * MUS_SKIN_BONES, skin->share + v * MUS_SKIN_BONES);
  return MUS_OK;
}

mus_status mus_skin_create(mus_arena *arena, const mus_bone_place place[MUS_BONES], double cell, mus_skin *out) {
  figure f;
  place_figure(place, &f);
  mus_arena scratch = {0};
  mus_skin skin;
  mus_status status = cut_surface(arena, &scratch, &f, cell, &skin.mesh);
  mus_topology topology;
  if (!status)
    status = mus_topology_create(&scratch, &skin.mesh, &topology);
  if (!status)
    status = smooth(&scratch, &topology, &skin.mesh);
  if (!status)
    status = carry(arena, &scratch, &f, &topology, &skin);
  mus_arena_clear(&scratch);
  if (!status)
    *out = skin;
  return status;
}
