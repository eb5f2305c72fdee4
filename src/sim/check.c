// Results searched for intersections. See muslin/check.h.
//
// All cloths and then all bodies become one surface, whose pairs of triangles check/intersections.h finds frame by
// frame. Frame 0 is always searched: what does not intersect there is new wherever it does.
#include "muslin/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/timer.h"
#include "check/intersections.h"
#include "check/predicates.h"
#include "io/result.h"
#include "io/result_reader.h"
#include "par/par.h"

typedef struct check_job {
  mus_arena arena;
  const mus_check_options *options;
  mus_result result;
  mus_check_surface surface;
  mus_intersections *finder;
  int meshes;                         // cloths, then bodies
  int *first_vertex, *first_triangle; // meshes + 1
  double *x;                          // vertices * 3, of the frame
  mus_list start, pairs;              // mus_intersection: of frame 0, of the frame
  mus_check_pair *told;               // options->places
} check_job;

mus_check_options mus_default_check_options(void) { return (mus_check_options){.last = -1, .places = 5}; }

// --- bodies by name --------------------------------------------------------------------------------------------------

// "MESH" or "MESH:CACHE"; a file that is there goes by its whole name.
static mus_status add_body(check_job *job, const char *text) {
  const char *colon = mus_result_exists(text) ? NULL : strrchr(text, ':');
  if (!colon)
    return mus_result_add_body(&job->result, text, NULL);
  size_t length = (size_t)(colon - text);
  char *mesh = mus_arena_alloc(&job->arena, length + 1, 1);
  if (!mesh)
    return mus_fail_memory();
  memcpy(mesh, text, length);
  mesh[length] = 0;
  return mus_result_add_body(&job->result, mesh, colon + 1);
}

// --- one surface of all ----------------------------------------------------------------------------------------------

static int is_body(const check_job *job, int mesh) { return mesh >= job->result.cloth_count; }

static const mus_mesh *mesh_of(const check_job *job, int mesh) {
  return is_body(job, mesh) ? &job->result.bodies[mesh - job->result.cloth_count].mesh : &job->result.cloths[mesh].mesh;
}

static mus_status count_all(check_job *job) {
  long long vertices = 0, triangles = 0;
  job->meshes = job->result.cloth_count + job->result.body_count;
  job->first_vertex = mus_arena_alloc(&job->arena, (size_t)job->meshes + 1, sizeof *job->first_vertex);
  job->first_triangle = mus_arena_alloc(&job->arena, (size_t)job->meshes + 1, sizeof *job->first_triangle);
  if (!job->first_vertex || !job->first_triangle)
    return mus_fail_memory();
  for (int k = 0; k <= job->meshes; ++k) {
    if (vertices > MUS_MESH_MAXIMUM || triangles > MUS_MESH_MAXIMUM)
      return mus_fail(MUS_BAD_INPUT, "more than %d vertices or triangles in all: check fewer meshes at once",
                      (int)MUS_MESH_MAXIMUM);
    job->first_vertex[k] = (int)vertices;
    job->first_triangle[k] = (int)triangles;
    vertices += k < job->meshes ? mesh_of(job, k)->vertices : 0;
    triangles += k < job->meshes ? mesh_of(job, k)->triangles : 0;
  }
  return MUS_OK;
}

static mus_status join_triangles(check_job *job) {
  mus_check_surface *surface = &job->surface;
  surface->vertices = job->first_vertex[job->meshes];
  surface->triangles = job->first_triangle[job->meshes];
  surface->cloth_triangles = job->first_triangle[job->result.cloth_count];
  int *triangle = mus_arena_alloc(&job->arena, 3 * (size_t)surface->triangles, sizeof *triangle);
  if (!triangle)
    return mus_fail_memory();
  surface->triangle = triangle;
  for (int k = 0; k < job->meshes; ++k) {
    const mus_mesh *mesh = mesh_of(job, k);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i)
      *triangle++ = job->first_vertex[k] + mesh->triangle[i];
  }
  return MUS_OK;
}

static mus_sewn *sew_cloth(const check_job *job, int cloth, mus_sewn *to) {
  const mus_result_cloth *from = &job->result.cloths[cloth];
  int first = job->first_vertex[cloth];
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

static mus_status join_seams(check_job *job) {
  const mus_result *result = &job->result;
  size_t most = 0;
  for (int k = 0; k < result->cloth_count; ++k)
    most += 2 * (size_t)result->cloths[k].stitches;
  for (int k = 0; k < result->seam_count; ++k)
    most += (size_t)result->seams[k].pairs;
  mus_sewn *sewn = mus_arena_alloc(&job->arena, most, sizeof *sewn), *end = sewn;
  if (!sewn)
    return mus_fail_memory();
  for (int k = 0; k < result->cloth_count; ++k)
    end = sew_cloth(job, k, end);
  for (int k = 0; k < result->seam_count; ++k) {
    const mus_result_seam *seam = &result->seams[k];
    for (int i = 0; i < seam->pairs; ++i)
      *end++ = (mus_sewn){job->first_vertex[seam->from] + seam->pair[2 * i],
                          job->first_vertex[seam->to] + seam->pair[2 * i + 1], 0};
  }
  job->surface.sewn = sewn;
  job->surface.sewn_count = (int)(end - sewn);
  return MUS_OK;
}

static mus_status prepare(check_job *job) {
  mus_status status = count_all(job);
  if (!status)
    status = join_triangles(job);
  if (!status)
    status = join_seams(job);
  if (status)
    return status;
  job->x = mus_arena_alloc(&job->arena, 3 * (size_t)job->surface.vertices, sizeof *job->x);
  job->told = mus_arena_alloc(&job->arena, (size_t)job->options->places, sizeof *job->told);
  if (!job->x || !job->told)
    return mus_fail_memory();
  return mus_intersections_create(&job->surface, &job->finder);
}

// --- a frame ---------------------------------------------------------------------------------------------------------

// Within what is computed exactly. Caches, whose numbers are single precision, have none but zeros and larger ones.
static mus_status limit_positions(check_job *job) {
  for (size_t i = 0; i < 3 * (size_t)job->surface.vertices; ++i) {
    if (fabs(job->x[i]) > MUS_EXACT_LARGEST)
      return mus_fail(MUS_BAD_INPUT, "a vertex is at %g: give coordinates below %g", job->x[i], MUS_EXACT_LARGEST);
    if (fabs(job->x[i]) < MUS_EXACT_SMALLEST)
      job->x[i] = 0;
  }
  return MUS_OK;
}

static mus_status search_frame(check_job *job, int frame) {
  mus_status status = MUS_OK;
  for (int k = 0; k < job->meshes && !status; ++k) {
    double *x = job->x + 3 * (size_t)job->first_vertex[k];
    status = is_body(job, k) ? mus_result_body_positions(&job->result, k - job->result.cloth_count, frame, x)
                             : mus_result_positions(&job->result, k, frame, x);
  }
  if (!status)
    status = limit_positions(job);
  return status ? status : mus_intersections_find(job->finder, job->x, &job->pairs);
}

static int is_new(const check_job *job, const mus_intersection *pair) {
  return job->start.count == 0 ||
         !bsearch(pair, job->start.items, job->start.count, sizeof *pair, mus_intersection_order);
}

static mus_check_kind kind_of(const check_job *job, const mus_intersection *pair) {
  return pair->at_seam                                  ? MUS_CHECK_SEAM
         : pair->second >= job->surface.cloth_triangles ? MUS_CHECK_CLOTH_BODY
                                                        : MUS_CHECK_CLOTH_CLOTH;
}

static mus_check_counts count_pairs(const check_job *job) {
  const mus_intersection *pairs = job->pairs.items;
  mus_check_counts counts = {0};
  for (size_t k = 0; k < job->pairs.count; ++k) {
    mus_check_kind kind = kind_of(job, &pairs[k]);
    counts.cloth_cloth += kind == MUS_CHECK_CLOTH_CLOTH;
    counts.cloth_body += kind == MUS_CHECK_CLOTH_BODY;
    counts.seam += kind == MUS_CHECK_SEAM;
    counts.fresh += kind != MUS_CHECK_SEAM && is_new(job, &pairs[k]);
  }
  return counts;
}

// --- telling ---------------------------------------------------------------------------------------------------------

static mus_check_pair describe(const check_job *job, const mus_intersection *pair) {
  mus_check_pair out = {.kind = kind_of(job, pair), .is_new = is_new(job, pair)};
  const int triangle[2] = {pair->first, pair->second};
  for (int side = 0; side < 2; ++side) {
    int mesh = 0;
    while (job->first_triangle[mesh + 1] <= triangle[side])
      ++mesh;
    out.name[side] =
        is_body(job, mesh) ? job->result.bodies[mesh - job->result.cloth_count].name : job->result.cloths[mesh].name;
    out.triangle[side] = triangle[side] - job->first_triangle[mesh];
  }
  mus_intersection_place(&job->surface, job->x, pair, out.place);
  return out;
}

static void tell_frame(check_job *job, int frame, const mus_check_counts *counts) {
  const mus_intersection *pairs = job->pairs.items;
  int told = 0;
  if (!job->options->frame)
    return;
  for (int seams = 0; seams < 2; ++seams)
    for (size_t k = 0; k < job->pairs.count && told < job->options->places; ++k)
      if (pairs[k].at_seam == seams)
        job->told[told++] = describe(job, &pairs[k]);
  job->options->frame(job->options->data, frame, counts, told, job->told);
}

static void add_counts(mus_check_record *record, int frame, const mus_check_counts *counts, long long *most) {
  long long pairs = counts->cloth_cloth + counts->cloth_body;
  record->total.cloth_cloth += counts->cloth_cloth;
  record->total.cloth_body += counts->cloth_body;
  record->total.seam += counts->seam;
  record->total.fresh += counts->fresh;
  record->frames_with += pairs > 0;
  if (pairs > *most) {
    *most = pairs;
    record->worst = frame;
  }
}

// --- all frames ------------------------------------------------------------------------------------------------------

static mus_status search_start(check_job *job, mus_check_record *record) {
  mus_status status = search_frame(job, 0);
  if (status)
    return status;
  job->start = job->pairs;
  record->start = count_pairs(job);
  record->start.fresh = 0;
  job->pairs = (mus_list){0};
  return MUS_OK;
}

static mus_status search(check_job *job, mus_check_record *record) {
  FILE *stream = job->options->progress;
  mus_progress progress;
  long long most = 0;
  int total = record->last - record->first + 1;
  mus_status status = search_start(job, record);
  if (stream)
    progress = mus_progress_start(stream, "checking", 0, total);
  for (int frame = record->first; frame <= record->last && !status; ++frame) {
    status = search_frame(job, frame);
    if (status)
      break;
    mus_check_counts counts = count_pairs(job);
    add_counts(record, frame, &counts, &most);
    if (stream)
      mus_progress_clear(&progress);
    tell_frame(job, frame, &counts);
    if (stream)
      mus_progress_update(&progress, frame - record->first + 1, -1);
  }
  if (stream)
    mus_progress_end(&progress);
  return status;
}

static mus_status find_frame(const mus_result *result, int wanted, int *frame) {
  *frame = wanted < 0 ? result->frames + wanted : wanted;
  if (*frame >= 0 && *frame < result->frames)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "%s: there is no frame %d: it has %d, from 0 on", result->path, wanted,
                  result->frames);
}

static mus_status accept(check_job *job, const char *result, const char *cache, mus_check_record *record) {
  const mus_check_options *options = job->options;
  if (options->places < 0)
    return mus_fail(MUS_BAD_INPUT, "%d places to tell: give 0 or more", options->places);
  mus_status status = mus_result_open(result, cache, &job->result);
  for (int k = 0; k < options->body_count && !status; ++k)
    status = add_body(job, options->bodies[k]);
  if (!status)
    status = find_frame(&job->result, options->first, &record->first);
  if (!status)
    status = find_frame(&job->result, options->last, &record->last);
  if (!status && record->first > record->last)
    status = mus_fail(MUS_BAD_INPUT, "frames %d to %d: the first comes after the last", record->first, record->last);
  return status ? status : prepare(job);
}

static void fill_record(const check_job *job, mus_check_record *record) {
  record->cloths = job->result.cloth_count;
  record->bodies = job->result.body_count;
  record->vertices = job->first_vertex[job->result.cloth_count];
  record->triangles = job->surface.cloth_triangles;
  record->body_triangles = job->surface.triangles - job->surface.cloth_triangles;
}

mus_status mus_check(const char *result, const char *cache, const mus_check_options *options,
                     mus_check_record *record) {
  double start = mus_seconds();
  check_job job = {.options = options};
  int before = mus_par_set_threads(options->threads);
  *record = (mus_check_record){.worst = -1};
  mus_status status = accept(&job, result, cache, record);
  if (!status) {
    record->began = 1;
    fill_record(&job, record);
    status = search(&job, record);
  }
  record->seconds = mus_seconds() - start;
  mus_par_set_threads(before);
  mus_intersections_free(job.finder);
  mus_free(job.start.items);
  mus_free(job.pairs.items);
  mus_result_close(&job.result);
  mus_arena_clear(&job.arena);
  return status;
}
