// All meshes of a result as one surface. See result_surface.h.
#include "result/result_surface.h"

#include <math.h>

#include "base/error.h"
#include "check/predicates.h"

// --- joining ---------------------------------------------------------------------------------------------------------

static int is_body(const mus_result_surface *all, int mesh) { return mesh >= all->result->cloth_count; }

static const mus_mesh *mesh_of(const mus_result_surface *all, int mesh) {
  const mus_result *result = all->result;
  return is_body(all, mesh) ? &result->bodies[mesh - result->cloth_count].mesh : &result->cloths[mesh].mesh;
}

static mus_status count_all(mus_result_surface *all) {
  long long vertices = 0, triangles = 0;
  all->meshes = all->result->cloth_count + all->result->body_count;
  all->first_vertex = mus_arena_alloc(&all->arena, (size_t)all->meshes + 1, sizeof *all->first_vertex);
  all->first_triangle = mus_arena_alloc(&all->arena, (size_t)all->meshes + 1, sizeof *all->first_triangle);
  if (!all->first_vertex || !all->first_triangle)
    return mus_fail_memory();
  for (int k = 0; k <= all->meshes; ++k) {
    if (vertices > MUS_MESH_MAXIMUM || triangles > MUS_MESH_MAXIMUM)
      return mus_fail(MUS_BAD_INPUT, "more than %d vertices or triangles in all: check fewer meshes at once",
                      (int)MUS_MESH_MAXIMUM);
    all->first_vertex[k] = (int)vertices;
    all->first_triangle[k] = (int)triangles;
    vertices += k < all->meshes ? mesh_of(all, k)->vertices : 0;
    triangles += k < all->meshes ? mesh_of(all, k)->triangles : 0;
  }
  return MUS_OK;
}

static mus_status join_triangles(mus_result_surface *all) {
  mus_check_surface *surface = &all->surface;
  surface->vertices = all->first_vertex[all->meshes];
  surface->triangles = all->first_triangle[all->meshes];
  surface->cloth_triangles = all->first_triangle[all->result->cloth_count];
  int *triangle = mus_arena_alloc(&all->arena, 3 * (size_t)surface->triangles, sizeof *triangle);
  if (!triangle)
    return mus_fail_memory();
  surface->triangle = triangle;
  for (int k = 0; k < all->meshes; ++k) {
    const mus_mesh *mesh = mesh_of(all, k);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i)
      *triangle++ = all->first_vertex[k] + mesh->triangle[i];
  }
  return MUS_OK;
}

static mus_sewn *sew_cloth(const mus_result_surface *all, int cloth, mus_sewn *to) {
  const mus_result_cloth *from = &all->result->cloths[cloth];
  int first = all->first_vertex[cloth];
  for (int k = 0; k < from->stitches; ++k) {
    mus_stitch s = from->stitch[k];
    int partly = s.b != s.c && s.ratio != 0 && s.ratio != 1;
    if (s.ratio != 1)
      *to++ = (mus_sewn){first + s.a, first + s.b, partly};
    if (s.ratio != 0)
      *to++ = (mus_sewn){first + s.a, first + s.c, partly};
  }
  return to;
}

static mus_status join_seams(mus_result_surface *all) {
  const mus_result *result = all->result;
  size_t most = 0;
  for (int k = 0; k < result->cloth_count; ++k)
    most += 2 * (size_t)result->cloths[k].stitches;
  for (int k = 0; k < result->seam_count; ++k)
    most += (size_t)result->seams[k].pairs;
  mus_sewn *sewn = mus_arena_alloc(&all->arena, most, sizeof *sewn), *end = sewn;
  if (!sewn)
    return mus_fail_memory();
  for (int k = 0; k < result->cloth_count; ++k)
    end = sew_cloth(all, k, end);
  for (int k = 0; k < result->seam_count; ++k) {
    const mus_result_seam *seam = &result->seams[k];
    for (int i = 0; i < seam->pairs; ++i)
      *end++ = (mus_sewn){all->first_vertex[seam->from] + seam->pair[2 * i],
                          all->first_vertex[seam->to] + seam->pair[2 * i + 1], 0};
  }
  all->surface.sewn = sewn;
  all->surface.sewn_count = (int)(end - sewn);
  return MUS_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

// The finder keeps a pointer to the surface, so this is done where the surface stays.
static mus_status build(mus_result_surface *all) {
  mus_status status = count_all(all);
  if (!status)
    status = join_triangles(all);
  if (!status)
    status = join_seams(all);
  if (!status && !(all->x = mus_arena_alloc(&all->arena, 3 * (size_t)all->surface.vertices, sizeof *all->x)))
    status = mus_fail_memory();
  return status ? status : mus_intersections_create(&all->surface, &all->finder);
}

mus_status mus_result_surface_create(const mus_result *result, mus_result_surface *out) {
  *out = (mus_result_surface){.result = result};
  mus_status status = build(out);
  if (status)
    mus_result_surface_free(out);
  return status;
}

void mus_result_surface_free(mus_result_surface *all) {
  mus_intersections_free(all->finder);
  mus_free(all->pairs.items);
  mus_arena_clear(&all->arena);
  *all = (mus_result_surface){0};
}

// --- a frame ---------------------------------------------------------------------------------------------------------

// Within what is computed exactly. Caches, whose numbers are single precision, have none but zeros and larger ones.
static mus_status limit_positions(mus_result_surface *all) {
  for (size_t i = 0; i < 3 * (size_t)all->surface.vertices; ++i) {
    if (fabs(all->x[i]) > MUS_EXACT_LARGEST)
      return mus_fail(MUS_BAD_INPUT, "a vertex has the coordinate %g: keep coordinates below %g", all->x[i],
                      MUS_EXACT_LARGEST);
    if (fabs(all->x[i]) < MUS_EXACT_SMALLEST)
      all->x[i] = 0;
  }
  return MUS_OK;
}

mus_status mus_result_surface_search(mus_result_surface *all, int frame) {
  mus_status status = MUS_OK;
  for (int k = 0; k < all->meshes && !status; ++k) {
    double *x = all->x + 3 * (size_t)all->first_vertex[k];
    status = is_body(all, k) ? mus_result_body_positions(all->result, k - all->result->cloth_count, frame, x)
                             : mus_result_positions(all->result, k, frame, x);
  }
  if (!status)
    status = limit_positions(all);
  return status ? status : mus_intersections_find(all->finder, all->x, &all->pairs);
}

int mus_result_surface_mesh(const mus_result_surface *all, int triangle) {
  int mesh = 0;
  while (all->first_triangle[mesh + 1] <= triangle)
    ++mesh;
  return mesh;
}

const char *mus_result_surface_name(const mus_result_surface *all, int mesh) {
  const mus_result *result = all->result;
  return is_body(all, mesh) ? result->bodies[mesh - result->cloth_count].name : result->cloths[mesh].name;
}
