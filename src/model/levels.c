// See levels.h.
#include "model/levels.h"

#include <string.h>

#include "base/error.h"
#include "mesh/groups.h"

// Coarsening ends at so many vertices in all, or where a level would have more than this part of the one above.
enum { BOTTOM = 250, FEWER = 4 };
static const double hardly = 0.6;

// All cloths as one mesh, in the numbering of the simulation.
static mus_status join_cloths(const mus_model *model, mus_arena *arena, mus_mesh *out) {
  mus_status status = mus_mesh_create(arena, model->vertices, model->triangles, 1, out);
  if (status)
    return status;
  for (int k = 0; k < model->part_count; ++k) {
    const mus_model_part *part = &model->parts[k];
    size_t first = 3 * (size_t)part->first_triangle, corners = 3 * (size_t)part->shape.mesh.triangles;
    for (size_t i = 0; i < corners; ++i)
      out->triangle[first + i] = part->shape.mesh.triangle[i] + part->first_vertex;
    memcpy(out->material + 2 * first, part->shape.mesh.material, 2 * corners * sizeof(double));
  }
  memcpy(out->position, model->start, 3 * (size_t)model->vertices * sizeof(double));
  return MUS_OK;
}

// Stitches as pairs of vertices. One to a point of an edge counts as one to the nearer end, if nothing else is sewn to
// either.
static int *find_pairs(const mus_model *model, mus_arena *arena, int *count) {
  int *pair = mus_arena_alloc(arena, 2 * (size_t)model->stitches, sizeof *pair);
  unsigned char *sewn = mus_arena_alloc_zero(arena, (size_t)model->vertices, 1);
  *count = 0;
  for (int inexact = 0; inexact < 2 && pair && sewn; ++inexact)
    for (int k = 0; k < model->stitches; ++k) {
      const mus_tie *tie = &model->stitch[k].tie;
      int end = tie->ratio < 0.5 ? tie->b : tie->c;
      if ((tie->b != tie->c) != inexact || (inexact && (sewn[tie->a] || sewn[end])))
        continue;
      sewn[tie->a] = sewn[end] = 1;
      pair[2 * *count] = tie->a;
      pair[2 * (*count)++ + 1] = end;
    }
  return sewn ? pair : NULL;
}

static int is_kept(const mus_coarser *level, int vertex) { return level->kept[level->carrier[3 * vertex]] == vertex; }

// The pairs of a coarser level, in place.
static int coarsen_pairs(const mus_coarser *level, int pairs, int *pair) {
  int count = 0;
  for (int k = 0; k < pairs; ++k) {
    int a = pair[2 * k], b = pair[2 * k + 1];
    if (!is_kept(level, a) || !is_kept(level, b))
      continue;
    pair[2 * count] = level->carrier[3 * a];
    pair[2 * count++ + 1] = level->carrier[3 * b];
  }
  return count;
}

mus_status mus_model_coarse_meshes(const mus_model *model, mus_arena *arena, int *count, mus_coarser *level) {
  for (int k = 0; k < model->part_count; ++k)
    if (!model->parts[k].cloth)
      return mus_fail(MUS_UNSUPPORTED,
                      "the solver \"geometric\" is for cloth, and the scene has solids: choose \"sa\" or \"skinning\"");
  mus_mesh mesh;
  int pairs, *pair = find_pairs(model, arena, &pairs);
  mus_status status = pair ? join_cloths(model, arena, &mesh) : mus_fail_memory();
  for (*count = 0; !status && mesh.vertices > BOTTOM && *count < MUS_LEVELS_MAXIMUM - 1; ++*count) {
    mus_coarser made;
    status = mus_mesh_coarsen(arena, &mesh, mesh.vertices / FEWER, pairs, pair, &made);
    if (status || made.mesh.vertices > hardly * mesh.vertices)
      break;
    level[*count] = made;
    pairs = coarsen_pairs(&made, pairs, pair);
    mesh = made.mesh;
  }
  return status;
}

// A joint for all vertices that are sewn together; numbers follow after those of the coarser mesh. `nodes` are those
// of a mesh, then joints of the level above.
static mus_status add_joints(mus_arena *arena, int nodes, int vertices, const mus_coarser *made, int pairs,
                             const int *pair, mus_interpolation *out) {
  int *carrier = mus_arena_alloc_zero(arena, 3 * (size_t)nodes, sizeof *carrier);
  double *weight = mus_arena_alloc_zero(arena, 3 * (size_t)nodes, sizeof *weight);
  int *joint = mus_arena_alloc(arena, (size_t)nodes, sizeof *joint);
  int *group = mus_arena_alloc(arena, (size_t)nodes, sizeof *group), coarse = made->mesh.vertices;
  if (!carrier || !weight || !joint || !group)
    return mus_fail_memory();
  memcpy(carrier, made->carrier, 3 * (size_t)vertices * sizeof *carrier);
  memcpy(weight, made->weight, 3 * (size_t)vertices * sizeof *weight);
  for (int i = 0; i < nodes; ++i) {
    group[i] = i;
    joint[i] = -1;
  }
  for (int k = 0; k < pairs; ++k)
    mus_group_join(group, pair[2 * k], pair[2 * k + 1]);
  for (int k = 0; k < 2 * pairs; ++k) {
    int first = mus_group_first(group, pair[k]);
    if (joint[first] < 0)
      joint[first] = coarse++;
    joint[pair[k]] = joint[first];
  }
  *out = (mus_interpolation){nodes, coarse, carrier, weight, joint};
  return MUS_OK;
}

mus_status mus_model_levels(const mus_model *model, mus_arena *arena, int *count, mus_interpolation *level) {
  mus_coarser made[MUS_LEVELS_MAXIMUM];
  mus_status status = mus_model_coarse_meshes(model, arena, count, made);
  int nodes = model->vertices, vertices = nodes, pairs, *pair = find_pairs(model, arena, &pairs);
  if (!status && !pair)
    status = mus_fail_memory();
  for (int l = 0; l < *count && !status; nodes = level[l++].coarse) {
    status = add_joints(arena, nodes, vertices, &made[l], pairs, pair, &level[l]);
    pairs = coarsen_pairs(&made[l], pairs, pair);
    vertices = made[l].mesh.vertices;
  }
  return status;
}
