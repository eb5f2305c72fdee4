// Welded copies of results. See muslin/weld.h.
#include "muslin/weld.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/cache.h"
#include "io/result.h"
#include "io/result_reader.h"
#include "result/cloth_weld.h"

enum { FORMATS = 8 };

typedef struct job {
  mus_arena arena; // of one cloth
  mus_result result;
  const mus_cache_format *format[FORMATS];
  int formats;
  mus_weld_record *record;
} job;

// One cloth.
typedef struct welded_cloth {
  const mus_result_part *source;
  mus_weld weld;
  double *share;        // vertices before: its part of the vertex that it becomes
  double *before, *now; // positions
  const char *name;     // of its files
  mus_cache_writer *writer[FORMATS];
} welded_cloth;

static mus_status parse_formats(job *j, const char *formats) {
  for (const char *rest = formats; rest;) {
    char name[32];
    size_t length = strcspn(rest, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), rest);
    if (j->formats == FORMATS)
      return mus_fail(MUS_BAD_INPUT, "more than %d cache formats: give each once", (int)FORMATS);
    mus_status status = mus_cache_format_from_name(name, &j->format[j->formats]);
    if (status)
      return status;
    for (int k = 0; k < j->formats; ++k)
      if (j->format[k] == j->format[j->formats])
        return mus_fail(MUS_BAD_INPUT, "the cache format \"%s\" is given twice: give it once", name);
    ++j->formats;
    rest = rest[length] ? rest + length + 1 : NULL;
  }
  return MUS_OK;
}

// --- a cloth ---------------------------------------------------------------------------------------------------------

// By stitches that are closed where `before` is.
static mus_status weld_closed(job *j, welded_cloth *w) {
  mus_cloth_weld made;
  const double *position = w->before;
  mus_status status = mus_cloth_weld_create(&j->arena, w->source, 1, &position, &made);
  w->weld = made.weld;
  j->record->stitches += made.stitches;
  j->record->welded += made.closed;
  return status;
}

static mus_status share_vertices(job *j, welded_cloth *w) {
  int before = w->source->mesh.vertices, now = w->weld.mesh.vertices;
  w->share = mus_arena_alloc(&j->arena, (size_t)before, sizeof *w->share);
  w->now = mus_arena_alloc_zero(&j->arena, 3 * (size_t)now, sizeof *w->now);
  if (!w->share || !w->now)
    return mus_fail_memory();
  for (int i = 0; i < before; ++i)
    w->now[w->weld.vertex[i]] += 1;
  for (int i = 0; i < before; ++i)
    w->share[i] = 1 / w->now[w->weld.vertex[i]];
  return MUS_OK;
}

// Vertices that are in one place to the last bit stay there.
static mus_status place(const job *j, const welded_cloth *w, int cloth, int frame) {
  mus_status status = mus_result_positions(&j->result, cloth, frame, w->before);
  if (status)
    return status;
  mus_weld_values(&w->weld, 3, w->before, w->now);
  for (int i = 0; i < w->source->mesh.vertices; ++i) {
    size_t first = 3 * (size_t)w->weld.kept[w->weld.vertex[i]], to = 3 * (size_t)w->weld.vertex[i];
    for (size_t c = 0; c < 3; ++c)
      w->now[to + c] += w->share[i] * (w->before[3 * (size_t)i + c] - w->before[first + c]);
  }
  return MUS_OK;
}

static mus_status open_writers(job *j, welded_cloth *w) {
  mus_cache_definition definition = {.points = w->weld.mesh.vertices,
                                     .frames = j->result.frames,
                                     .frames_per_second = j->result.frame_rate,
                                     .mesh = &w->weld.mesh};
  mus_status status = MUS_OK;
  for (int k = 0; k < j->formats && !status; ++k) {
    const char *path = mus_result_path(&j->arena, j->result.path, w->name, mus_cache_format_extension(j->format[k]));
    status = path ? mus_cache_create(path, j->format[k], &definition, &w->writer[k]) : mus_fail_memory();
  }
  return status;
}

static mus_status write_frames(job *j, welded_cloth *w, int cloth) {
  mus_status status = MUS_OK;
  for (int frame = 0; frame < j->result.frames && !status; ++frame) {
    status = place(j, w, cloth, frame);
    for (int k = 0; k < j->formats && !status; ++k)
      status = mus_cache_write(w->writer[k], w->now);
  }
  for (int k = 0; k < j->formats && !status; ++k)
    status = mus_cache_finish(w->writer[k]);
  return status;
}

static mus_status write_mesh(job *j, welded_cloth *w, int cloth) {
  const char *path = mus_result_path(&j->arena, j->result.path, w->name, ".obj");
  mus_mesh_file file = {.mesh = w->weld.mesh};
  mus_status status = path ? place(j, w, cloth, 0) : mus_fail_memory();
  file.mesh.position = w->now;
  return status ? status : mus_mesh_file_write(path, &file);
}

static mus_status weld_cloth(job *j, int cloth) {
  welded_cloth w = {.source = &j->result.parts[cloth]};
  size_t size = strlen(w.source->name) + sizeof ".welded";
  char *name = mus_arena_alloc(&j->arena, size, 1);
  w.before = mus_arena_alloc(&j->arena, 3 * (size_t)w.source->mesh.vertices, sizeof *w.before);
  if (!name || !w.before)
    return mus_fail_memory();
  snprintf(name, size, "%s.welded", w.source->name);
  w.name = name;
  mus_status status = mus_result_positions(&j->result, cloth, j->result.frames - 1, w.before);
  if (!status)
    status = weld_closed(j, &w);
  if (!status)
    status = share_vertices(j, &w);
  if (!status)
    status = write_mesh(j, &w, cloth);
  if (!status)
    status = open_writers(j, &w);
  if (!status)
    status = write_frames(j, &w, cloth);
  for (int k = 0; k < j->formats; ++k)
    mus_cache_close(w.writer[k]);
  j->record->vertices_before += w.source->mesh.vertices;
  j->record->vertices += w.weld.mesh.vertices;
  j->record->triangles_before += w.source->mesh.triangles;
  j->record->triangles += w.weld.mesh.triangles;
  return status;
}

mus_status mus_weld_result(const char *folder, const char *formats, mus_weld_record *record) {
  mus_weld_record unread;
  job j = {.record = record ? record : &unread};
  *j.record = (mus_weld_record){0};
  mus_status status = parse_formats(&j, formats ? formats : "pc2");
  if (!status)
    status = mus_result_open(folder, NULL, &j.result);
  if (status)
    return status;
  if (!j.result.is_folder)
    status = mus_fail(MUS_BAD_INPUT, "%s: is no result folder: name one that a run has written", folder);
  j.record->frames = j.result.frames;
  for (int k = 0; k < j.result.part_count && !status; ++k) {
    if (j.result.parts[k].is_solid)
      continue; // it has no seams
    ++j.record->cloths;
    status = weld_cloth(&j, k);
    mus_arena_clear(&j.arena);
  }
  mus_result_close(&j.result);
  return status;
}
