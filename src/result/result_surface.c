// All meshes of a result as one surface. See result_surface.h.
#include "result/result_surface.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "check/predicates.h"

// --- joining ---------------------------------------------------------------------------------------------------------

static int is_body(const mus_result_surface *all, int mesh) { return mesh >= all->result->part_count; }

static const mus_mesh *mesh_of(const mus_result_surface *all, int mesh) {
  const mus_result *result = all->result;
  return is_body(all, mesh) ? &result->bodies[mesh - result->part_count].mesh : &result->parts[mesh].mesh;
}

static mus_status count_all(mus_result_surface *all) {
  long long vertices = 0, triangles = 0;
  all->meshes = all->result->part_count + all->result->body_count;
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
  mus_mesh *whole = &all->whole;
  whole->vertices = all->first_vertex[all->meshes];
  whole->triangles = all->first_triangle[all->meshes];
  int *triangle = whole->triangle = mus_arena_alloc(&all->arena, 3 * (size_t)whole->triangles, sizeof *triangle);
  if (!triangle)
    return mus_fail_memory();
  for (int k = 0; k < all->meshes; ++k) {
    const mus_mesh *mesh = mesh_of(all, k);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i)
      *triangle++ = all->first_vertex[k] + mesh->triangle[i];
  }
  all->surface = (mus_check_surface){.vertices = whole->vertices,
                                     .triangles = whole->triangles,
                                     .cloth_triangles = all->first_triangle[all->result->part_count],
                                     .triangle = whole->triangle};
  return MUS_OK;
}

static void tie(mus_result_surface *all, int a, int b, int c, double ratio) {
  if (ratio == 0 || ratio == 1 || b == c)
    b = c = ratio == 1 ? c : b;
  if (a != b && a != c)
    all->tie[all->tie_count++] = (mus_tie){a, b, c, b == c ? 0 : ratio};
}

static void tie_cloth(mus_result_surface *all, int cloth) {
  const mus_result_part *from = &all->result->parts[cloth];
  int first = all->first_vertex[cloth];
  for (int k = 0; k < from->stitches; ++k) {
    mus_stitch s = from->stitch[k];
    tie(all, first + s.a, first + s.b, first + s.c, s.ratio);
  }
}

// For the finder, which tells pairs at seams apart.
static mus_status list_sewn(mus_result_surface *all) {
  mus_sewn *sewn = mus_arena_alloc(&all->arena, 2 * (size_t)all->tie_count, sizeof *sewn);
  if (!sewn)
    return mus_fail_memory();
  all->surface.sewn = sewn;
  for (int k = 0; k < all->tie_count; ++k) {
    const mus_tie *t = &all->tie[k];
    sewn[all->surface.sewn_count++] = (mus_sewn){t->a, t->b, t->b != t->c};
    if (t->b != t->c)
      sewn[all->surface.sewn_count++] = (mus_sewn){t->a, t->c, 1};
  }
  return MUS_OK;
}

static mus_status join_seams(mus_result_surface *all) {
  const mus_result *result = all->result;
  size_t most = 0;
  for (int k = 0; k < result->part_count; ++k)
    most += (size_t)result->parts[k].stitches;
  for (int k = 0; k < result->seam_count; ++k)
    most += (size_t)result->seams[k].pairs;
  all->tie = mus_arena_alloc(&all->arena, most, sizeof *all->tie);
  all->closed = mus_arena_alloc_zero(&all->arena, most, 1);
  all->welded = mus_arena_alloc_zero(&all->arena, most, 1);
  if (!all->tie || !all->closed || !all->welded)
    return mus_fail_memory();
  for (int k = 0; k < result->part_count; ++k)
    tie_cloth(all, k);
  for (int k = 0; k < result->seam_count; ++k) {
    const mus_result_seam *seam = &result->seams[k];
    for (int i = 0; i < seam->pairs; ++i) {
      int to = all->first_vertex[seam->to] + seam->pair[2 * i + 1];
      tie(all, all->first_vertex[seam->from] + seam->pair[2 * i], to, to, 0);
    }
  }
  return list_sewn(all);
}

// --- welding ---------------------------------------------------------------------------------------------------------

// Ends of a stitch that are no farther apart than this part of their coordinates, or of a metre, are one: what single
// precision, in which caches are, leaves of a closed seam. What is in one place to the last bit is checked exactly.
static const double closed_part = 1e-6;

// Returns 1 where other seams are closed than those that are welded.
static int find_closed(mus_result_surface *all) {
  for (int k = 0; k < all->tie_count; ++k) {
    const double *x = all->x + 3 * (size_t)all->tie[k].a;
    double gap[3], size = fmax(fmax(fabs(x[0]), fabs(x[1])), fmax(fabs(x[2]), 1));
    mus_tie_gap(&all->tie[k], all->x, gap);
    all->closed[k] = mus_length3(gap) <= closed_part * size;
  }
  return all->tie_count > 0 && memcmp(all->closed, all->welded, (size_t)all->tie_count) != 0;
}

// Corners keep the numbers of vertices before, so that positions are taken as they are.
static mus_status weld_closed(mus_result_surface *all) {
  mus_weld weld;
  mus_intersections_free(all->finder);
  all->finder = NULL;
  mus_arena_clear(&all->weld);
  mus_status status = mus_weld_create(&all->weld, &all->whole, all->tie_count, all->tie, all->closed, 0, &weld);
  if (status)
    return status;
  memcpy(all->welded, all->closed, (size_t)all->tie_count);
  for (size_t i = 0; i < 3 * (size_t)weld.mesh.triangles; ++i)
    weld.mesh.triangle[i] = weld.kept[weld.mesh.triangle[i]];
  mus_check_surface *surface = &all->surface;
  surface->triangles = weld.mesh.triangles;
  surface->triangle = weld.mesh.triangle;
  surface->source = weld.source;
  surface->whole = all->whole.triangle;
  surface->cloth_triangles = 0;
  while (surface->cloth_triangles < surface->triangles &&
         weld.source[surface->cloth_triangles] < all->first_triangle[all->result->part_count])
    ++surface->cloth_triangles;
  return mus_intersections_create(surface, &all->finder);
}

// --- life ------------------------------------------------------------------------------------------------------------

// The finder keeps a pointer to the surface, so this is done where the surface stays.
static mus_status build(mus_result_surface *all) {
  mus_status status = count_all(all);
  if (!status)
    status = join_triangles(all);
  if (!status)
    status = join_seams(all);
  if (!status && !(all->x = mus_arena_alloc(&all->arena, 3 * (size_t)all->whole.vertices, sizeof *all->x)))
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
  mus_arena_clear(&all->weld);
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

// Whether a solid on a lattice is held by the body: the one is around the other, and both may well have one surface.
static int is_held(const mus_result_surface *all, const mus_intersection *pair) {
  int one = mus_result_surface_mesh(all, pair->first), other = mus_result_surface_mesh(all, pair->second);
  if (is_body(all, one) || !is_body(all, other))
    return 0;
  const mus_result_part *part = &all->result->parts[one];
  for (int k = 0; k < part->holders; ++k)
    if (part->holder[k] == other - all->result->part_count)
      return 1;
  return 0;
}

static void leave_out_held(mus_result_surface *all) {
  mus_intersection *pair = all->pairs.items;
  size_t kept = 0;
  for (size_t k = 0; k < all->pairs.count; ++k)
    if (!is_held(all, &pair[k]))
      pair[kept++] = pair[k];
  all->pairs.count = kept;
}

mus_status mus_result_surface_search(mus_result_surface *all, int frame) {
  mus_status status = MUS_OK;
  for (int k = 0; k < all->meshes && !status; ++k) {
    double *x = all->x + 3 * (size_t)all->first_vertex[k];
    status = is_body(all, k) ? mus_result_body_positions(all->result, k - all->result->part_count, frame, x)
                             : mus_result_positions(all->result, k, frame, x);
  }
  if (!status)
    status = limit_positions(all);
  if (!status && find_closed(all))
    status = weld_closed(all);
  if (!status)
    status = mus_intersections_find(all->finder, all->x, &all->pairs);
  if (!status)
    leave_out_held(all);
  return status;
}

int mus_result_surface_mesh(const mus_result_surface *all, int triangle) {
  int mesh = 0;
  while (all->first_triangle[mesh + 1] <= triangle)
    ++mesh;
  return mesh;
}

const char *mus_result_surface_name(const mus_result_surface *all, int mesh) {
  const mus_result *result = all->result;
  return is_body(all, mesh) ? result->bodies[mesh - result->part_count].name : result->parts[mesh].name;
}
