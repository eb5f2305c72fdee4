// Results searched for intersections. See muslin/check.h.
//
// Frame 0 is always searched: what does not intersect there is new wherever it does.
#include "muslin/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "base/progress.h"
#include "base/timer.h"
#include "io/result.h"
#include "par/par.h"
#include "result/checker.h"
#include "result/result_surface.h"

typedef struct check_job {
  mus_arena arena;
  const mus_check_options *options;
  mus_result result;
  mus_result_surface all;
  mus_list start;       // mus_intersection, of frame 0
  mus_check_pair *told; // options->places
} check_job;

mus_check_options mus_default_check_options(void) {
  return (mus_check_options){.last = -1, .places = 5, .cookie = MUS_COOKIE};
}

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

// --- pairs -----------------------------------------------------------------------------------------------------------

static int is_new(const check_job *job, const mus_intersection *pair) {
  return job->start.count == 0 ||
         !bsearch(pair, job->start.items, job->start.count, sizeof *pair, mus_intersection_order);
}

// What a triangle belongs to: 0 a cloth, 1 a solid, 2 a body.
static int matter_of(const check_job *job, int triangle) {
  int mesh = mus_result_surface_mesh(&job->all, triangle);
  return mesh >= job->result.part_count ? 2 : job->result.parts[mesh].is_solid;
}

// Parts come before bodies, and cloths before solids.
static mus_check_kind kind_of(const check_job *job, const mus_intersection *pair) {
  static const mus_check_kind kinds[2][3] = {{MUS_CHECK_CLOTH_CLOTH, MUS_CHECK_CLOTH_SOLID, MUS_CHECK_CLOTH_BODY},
                                             {MUS_CHECK_CLOTH_SOLID, MUS_CHECK_SOLID_SOLID, MUS_CHECK_SOLID_BODY}};
  return pair->at_seam ? MUS_CHECK_SEAM : kinds[matter_of(job, pair->first)][matter_of(job, pair->second)];
}

long long mus_check_pairs(const mus_check_counts *counts) {
  return counts->cloth_cloth + counts->cloth_body + counts->cloth_solid + counts->solid_solid + counts->solid_body;
}

static void count_pair(mus_check_kind kind, mus_check_counts *counts) {
  counts->cloth_cloth += kind == MUS_CHECK_CLOTH_CLOTH;
  counts->cloth_body += kind == MUS_CHECK_CLOTH_BODY;
  counts->cloth_solid += kind == MUS_CHECK_CLOTH_SOLID;
  counts->solid_solid += kind == MUS_CHECK_SOLID_SOLID;
  counts->solid_body += kind == MUS_CHECK_SOLID_BODY;
  counts->seam += kind == MUS_CHECK_SEAM;
}

// Whether penalties alone keep the two apart.
static int is_of_lattices(const check_job *job, const mus_intersection *pair) {
  int one = mus_result_surface_mesh(&job->all, pair->first), other = mus_result_surface_mesh(&job->all, pair->second);
  const mus_result *result = &job->result;
  return one < result->part_count && result->parts[one].is_lattice &&
         (other >= result->part_count || result->parts[other].is_lattice);
}

static mus_check_counts count_pairs(const check_job *job) {
  const mus_intersection *pairs = job->all.pairs.items;
  mus_check_counts counts = {0};
  for (size_t k = 0; k < job->all.pairs.count; ++k) {
    mus_check_kind kind = kind_of(job, &pairs[k]);
    count_pair(kind, &counts);
    counts.fresh += kind != MUS_CHECK_SEAM && is_new(job, &pairs[k]);
    counts.of_lattices += is_of_lattices(job, &pairs[k]);
  }
  return counts;
}

// --- telling ---------------------------------------------------------------------------------------------------------

static mus_check_pair describe(const check_job *job, const mus_intersection *pair) {
  mus_check_pair out = {.kind = kind_of(job, pair), .is_new = is_new(job, pair)};
  const int triangle[2] = {pair->first, pair->second};
  for (int side = 0; side < 2; ++side) {
    int mesh = mus_result_surface_mesh(&job->all, triangle[side]);
    out.name[side] = mus_result_surface_name(&job->all, mesh);
    out.triangle[side] = triangle[side] - job->all.first_triangle[mesh];
  }
  mus_intersection_place(&job->all.surface, job->all.x, pair, out.place);
  return out;
}

// Fills job->told; returns how many there are.
static int describe_frame(check_job *job) {
  const mus_intersection *pairs = job->all.pairs.items;
  int told = 0;
  for (int seams = 0; seams < 2; ++seams)
    for (size_t k = 0; k < job->all.pairs.count && told < job->options->places; ++k)
      if (pairs[k].at_seam == seams)
        job->told[told++] = describe(job, &pairs[k]);
  return told;
}

static void tell_frame(check_job *job, int frame, const mus_check_counts *counts) {
  if (!job->options->frame)
    return;
  int told = describe_frame(job);
  job->options->frame(job->options->data, frame, counts, told, job->told);
}

static void add_counts(mus_check_record *record, int frame, const mus_check_counts *counts, long long *most) {
  long long pairs = mus_check_pairs(counts);
  record->total.cloth_cloth += counts->cloth_cloth;
  record->total.cloth_body += counts->cloth_body;
  record->total.cloth_solid += counts->cloth_solid;
  record->total.solid_solid += counts->solid_solid;
  record->total.solid_body += counts->solid_body;
  record->total.seam += counts->seam;
  record->total.of_lattices += counts->of_lattices;
  record->total.fresh += counts->fresh;
  record->frames_with += pairs > 0;
  if (pairs > *most) {
    *most = pairs;
    record->worst = frame;
  }
}

// --- all frames ------------------------------------------------------------------------------------------------------

static mus_status search_start(check_job *job, mus_check_record *record) {
  mus_status status = mus_result_surface_search(&job->all, 0);
  if (status)
    return status;
  job->start = job->all.pairs;
  record->start = count_pairs(job);
  record->start.fresh = 0;
  job->all.pairs = (mus_list){0};
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
    status = mus_result_surface_search(&job->all, frame);
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
  return mus_fail(MUS_BAD_INPUT, "%s: there is no frame %d: it has %d, numbered from 0", result->path, wanted,
                  result->frames);
}

static mus_status accept(check_job *job, const char *result, const char *cache, mus_check_record *record) {
  const mus_check_options *options = job->options;
  mus_status status =
      mus_check_initialised(options->cookie, "the options of the check were", "mus_default_check_options");
  if (!status && options->places < 0)
    status = mus_fail(MUS_BAD_INPUT, "%d places to list: give 0 or more", options->places);
  if (!status)
    status = mus_result_open(result, cache, &job->result);
  for (int k = 0; k < options->body_count && !status; ++k)
    status = add_body(job, options->bodies[k]);
  if (!status)
    status = find_frame(&job->result, options->first, &record->first);
  if (!status)
    status = find_frame(&job->result, options->last, &record->last);
  if (!status && record->first > record->last)
    status = mus_fail(MUS_BAD_INPUT, "frames %d to %d: the first comes after the last", record->first, record->last);
  if (!status)
    status = mus_result_surface_create(&job->result, &job->all);
  if (!status && !(job->told = mus_arena_alloc(&job->arena, (size_t)options->places, sizeof *job->told)))
    status = mus_fail_memory();
  return status;
}

static void fill_record(const check_job *job, mus_check_record *record) {
  for (int k = 0; k < job->result.part_count; ++k)
    ++*(job->result.parts[k].is_solid ? &record->solids : &record->cloths);
  record->bodies = job->result.body_count;
  record->vertices = job->all.first_vertex[job->result.part_count];
  record->triangles = job->all.first_triangle[job->result.part_count];
  record->body_triangles = job->all.whole.triangles - record->triangles;
}

static void close_job(check_job *job) {
  mus_result_surface_free(&job->all);
  mus_free(job->start.items);
  mus_result_close(&job->result);
  mus_arena_clear(&job->arena);
}

mus_status mus_check(const char *result, const char *cache, const mus_check_options *options,
                     mus_check_record *record) {
  double start = mus_seconds();
  mus_check_record unread, *out = record ? record : &unread;
  check_job job = {.options = options};
  int before = mus_par_set_threads(options->threads);
  *out = (mus_check_record){.worst = -1};
  mus_status status = accept(&job, result, cache, out);
  if (!status) {
    out->began = 1;
    fill_record(&job, out);
    status = search(&job, out);
  }
  out->seconds = mus_seconds() - start;
  mus_par_set_threads(before);
  close_job(&job);
  return status;
}

// --- one frame at a time ---------------------------------------------------------------------------------------------

struct mus_checker {
  check_job job;
  mus_check_options options;
};

mus_status mus_checker_open(const char *folder, int places, int threads, mus_checker **out) {
  mus_check_record record = {0};
  mus_checker *checker = mus_alloc_zero(1, sizeof *checker);
  if (!checker)
    return mus_fail_memory();
  checker->options = mus_default_check_options();
  checker->options.places = places;
  checker->options.threads = threads;
  checker->job.options = &checker->options;
  int before = mus_par_set_threads(threads);
  mus_status status = accept(&checker->job, folder, NULL, &record);
  if (!status)
    status = search_start(&checker->job, &record);
  mus_par_set_threads(before);
  if (status)
    mus_checker_close(checker);
  else
    *out = checker;
  return status;
}

void mus_checker_close(mus_checker *checker) {
  if (!checker)
    return;
  close_job(&checker->job);
  mus_free(checker);
}

mus_status mus_checker_search(mus_checker *checker, int frame, mus_checked_frame *out) {
  check_job *job = &checker->job;
  int before = mus_par_set_threads(checker->options.threads);
  mus_status status = mus_result_refresh(&job->result);
  if (!status)
    status = mus_result_surface_search(&job->all, frame);
  mus_par_set_threads(before);
  if (!status)
    *out = (mus_checked_frame){.counts = count_pairs(job), .pair_count = describe_frame(job), .pairs = job->told};
  return status;
}
