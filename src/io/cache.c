// Caches: what their formats have in common. See cache.h and cache_format.h.
#include "io/cache.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/cache_format.h"

// --- the formats ---------------------------------------------------------------------------------------------------

static const mus_cache_format *const formats[] = {&mus_cache_pc2, &mus_cache_mdd, &mus_cache_obj, &mus_cache_usda,
                                                  &mus_cache_vtu};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const mus_cache_format *mus_cache_format_at(int index) { return index >= 0 && index < FORMATS ? formats[index] : NULL; }

const char *mus_cache_format_name(const mus_cache_format *format) { return format->name; }
const char *mus_cache_format_extension(const mus_cache_format *format) { return format->extension; }
const char *mus_cache_format_folder(const mus_cache_format *format) { return format->folder; }
const char *mus_cache_format_frame(const mus_cache_format *format) { return format->frame; }
int mus_cache_format_takes_grid(const mus_cache_format *format) { return format->takes_grid; }

mus_status mus_cache_format_from_name(const char *name, const mus_cache_format **format) {
  char names[80] = "";
  for (size_t i = 0; i < FORMATS; ++i) {
    if (strcmp(name, formats[i]->name) == 0) {
      *format = formats[i];
      return MUS_OK;
    }
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", formats[i]->name);
  }
  return mus_fail(MUS_BAD_INPUT, "there is no cache format \"%.40s\": choose one of %s", name, names);
}

// --- making writers ------------------------------------------------------------------------------------------------

// Numbers of frames stay whole in single precision, which PC2 holds them in.
enum { FRAMES_MAXIMUM = 10000000, FIRST_MAXIMUM = 1000000 };

static mus_status check_definition(const mus_cache_format *format, const mus_cache_definition *d) {
  if (d->points < 1)
    return mus_fail(MUS_BAD_INPUT, "a cache of %d points: there must be at least one", d->points);
  if (d->frames < 1 || d->frames > FRAMES_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "a cache of %d frames: plan 1 to %d", d->frames, FRAMES_MAXIMUM);
  if (d->first_frame < 0 || d->first_frame > FIRST_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "a cache that begins with frame %d: begin with 0 to %d", d->first_frame,
                    FIRST_MAXIMUM);
  if (!isfinite(d->frames_per_second) || d->frames_per_second <= 0)
    return mus_fail(MUS_BAD_INPUT, "a cache of %g frames per second: give a positive number", d->frames_per_second);
  if (format->needs_mesh && !d->mesh && !(format->takes_grid && d->grid))
    return mus_fail(MUS_BAD_INPUT, "a %s cache without a mesh: give the triangles", format->name);
  if (d->mesh && d->mesh->vertices != d->points)
    return mus_fail(MUS_BAD_INPUT, "a cache of %d points for a mesh of %d vertices: give one point per vertex",
                    d->points, d->mesh->vertices);
  if (format->takes_grid && d->grid && d->grid->points != d->points)
    return mus_fail(MUS_BAD_INPUT, "a cache of %d points for a grid of %d: give the same number", d->points,
                    d->grid->points);
  return MUS_OK;
}

static mus_status make_writer(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                              mus_cache_writer **writer) {
  mus_status status = check_definition(format, definition);
  if (status != MUS_OK)
    return mus_fail_prefix(status, "%.200s", path);
  mus_cache_writer *w = mus_alloc_zero(1, sizeof *w);
  if (!w)
    return mus_fail_memory();
  *w = (mus_cache_writer){.format = format, .definition = *definition};
  w->path = mus_arena_alloc(&w->arena, strlen(path) + 1, 1);
  if (!w->path) {
    mus_free(w);
    return mus_fail_memory();
  }
  memcpy(w->path, path, strlen(path) + 1);
  *writer = w;
  return MUS_OK;
}

static mus_status open_writer(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                              mus_status (*how)(mus_cache_writer *writer), mus_cache_writer **writer) {
  mus_cache_writer *w = NULL;
  mus_status status = make_writer(path, format, definition, &w);
  if (status != MUS_OK)
    return status;
  status = how(w);
  if (status != MUS_OK) {
    if (how == format->create)
      mus_partial_abandon(&w->file);
    mus_cache_close(w);
    return status;
  }
  *writer = w;
  return MUS_OK;
}

mus_status mus_cache_create(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                            mus_cache_writer **writer) {
  return open_writer(path, format, definition, format->create, writer);
}

mus_status mus_cache_resume(const char *path, const mus_cache_format *format, const mus_cache_definition *definition,
                            mus_cache_writer **writer) {
  mus_status status = open_writer(path, format, definition, format->reopen, writer);
  if (status == MUS_OK)
    (*writer)->unchosen = 1;
  return status;
}

void mus_cache_close(mus_cache_writer *writer) {
  if (!writer)
    return;
  writer->format->close(writer);
  mus_arena_clear(&writer->arena);
  mus_free(writer);
}

// --- writing -------------------------------------------------------------------------------------------------------

int mus_cache_frames(const mus_cache_writer *writer) { return writer->frames; }

mus_status mus_cache_keep(mus_cache_writer *writer, int frames) {
  if (frames < 0 || frames > writer->frames)
    return mus_fail(MUS_BAD_INPUT,
                    "%.200s: holds %d complete frames, not %d: resume from an earlier one or start again", writer->path,
                    writer->frames, frames);
  mus_status status = writer->format->keep(writer, frames);
  if (status == MUS_OK) {
    writer->frames = frames;
    writer->unchosen = 0;
  }
  return status;
}

// Floats are checked here rather than where they are made, so that a frame is refused before any of it is written.
static mus_status check_positions(const mus_cache_writer *writer, const double *positions) {
  size_t count = 3 * (size_t)writer->definition.points;
  for (size_t i = 0; i < count; ++i)
    if (!(fabs(positions[i]) <= FLT_MAX))
      return mus_fail(MUS_BAD_INPUT, "%.200s: point %zu of frame %d is at %g: find out why it left the scene",
                      writer->path, i / 3, writer->definition.first_frame + writer->frames, positions[i]);
  return MUS_OK;
}

mus_status mus_cache_write(mus_cache_writer *writer, const double *positions) {
  if (writer->unchosen)
    return mus_fail(MUS_BAD_INPUT, "%.200s: continues an earlier run: state which frames to keep", writer->path);
  if (writer->frames >= writer->definition.frames)
    return mus_fail(MUS_BAD_INPUT, "%.200s: was planned for %d frames: plan more", writer->path,
                    writer->definition.frames);
  mus_status status = check_positions(writer, positions);
  if (status == MUS_OK)
    status = writer->format->write(writer, positions);
  writer->frames += status == MUS_OK;
  return status;
}

mus_status mus_cache_sync(mus_cache_writer *writer) { return writer->format->sync(writer); }

mus_status mus_cache_finish(mus_cache_writer *writer) {
  if (writer->frames < 1)
    return mus_fail(MUS_BAD_INPUT, "%.200s: has no frames: write one before finishing it", writer->path);
  mus_status status = writer->unchosen ? mus_cache_keep(writer, writer->frames) : MUS_OK;
  return status == MUS_OK ? writer->format->finish(writer) : status;
}

mus_status mus_cache_sync_file(mus_cache_writer *writer) { return mus_partial_sync(&writer->file); }
mus_status mus_cache_settle_file(mus_cache_writer *writer) { return mus_partial_settle(&writer->file); }
void mus_cache_close_file(mus_cache_writer *writer) { mus_partial_close(&writer->file); }

mus_status mus_cache_commit_frame(mus_cache_writer *writer, uint64_t before,
                                  mus_status (*tell_count)(mus_cache_writer *writer, int frames)) {
  mus_status status = mus_partial_commit(&writer->file);
  if (status != MUS_OK)
    return status;
  status = tell_count(writer, writer->frames + 1);
  if (status != MUS_OK)
    mus_partial_cut(&writer->file, before);
  return status;
}

mus_status mus_cache_put_floats(mus_cache_writer *writer, const double *positions,
                                void (*put)(unsigned char *p, uint32_t bits)) {
  enum { PIECE = 1 << 12 };
  unsigned char piece[4 * PIECE];
  size_t count = 3 * (size_t)writer->definition.points;
  for (size_t start = 0; start < count; start += PIECE) {
    size_t part = count - start < PIECE ? count - start : PIECE;
    for (size_t i = 0; i < part; ++i)
      put(piece + 4 * i, mus_float_bits((float)positions[start + i]));
    mus_status status = mus_partial_put(&writer->file, piece, 4 * part);
    if (status != MUS_OK)
      return status;
  }
  return MUS_OK;
}

mus_status mus_cache_fail_other(const mus_cache_writer *writer, const char *what, double there, double wanted) {
  return mus_fail(MUS_BAD_INPUT, "%.200s: cannot be resumed: %s %.9g where the scene has %.9g: start again",
                  writer->path, what, there, wanted);
}

// --- reading -------------------------------------------------------------------------------------------------------

mus_status mus_cache_count_frames(mus_cache_reader *reader, int frames) {
  uint64_t bytes = mus_cache_frame_bytes(reader->info.points), there = reader->source.length - reader->head;
  uint64_t whole = there / bytes;
  if (reader->growing) {
    reader->info.frames = whole < (uint64_t)frames ? (int)whole : frames;
    return MUS_OK;
  }
  if (whole < (uint64_t)frames)
    return mus_source_fail(&reader->source, reader->source.length,
                           "the file ends in frame %llu of %d with %d points: copy or write it again",
                           (unsigned long long)whole, frames, reader->info.points);
  if (whole > (uint64_t)frames || there % bytes != 0)
    return mus_source_fail(&reader->source, reader->head + (uint64_t)frames * bytes,
                           "something follows the %d frames of %d points: copy or write it again", frames,
                           reader->info.points);
  reader->info.frames = frames;
  return MUS_OK;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static mus_status read_head(mus_cache_reader *reader) {
  unsigned char first[32] = {0};
  size_t bytes = reader->source.length < sizeof first ? (size_t)reader->source.length : sizeof first;
  mus_status status = mus_source_read(&reader->source, 0, first, bytes);
  if (status != MUS_OK)
    return status;
  for (size_t i = 0; i < FORMATS; ++i)
    if (formats[i]->recognise && formats[i]->recognise(first, reader->source.path)) {
      reader->info.format = formats[i];
      return formats[i]->read_head(reader);
    }
  return mus_source_fail(&reader->source, 0,
                         "neither PC2 by its first bytes nor MDD by its name: give a file of either kind");
}

mus_status mus_cache_open(const char *path, mus_cache_reader **reader) {
  mus_cache_reader *r = mus_alloc_zero(1, sizeof *r);
  if (!r)
    return mus_fail_memory();
  r->path = mus_arena_alloc(&r->arena, strlen(path) + 1, 1);
  mus_status status = r->path ? MUS_OK : mus_fail_memory();
  if (status == MUS_OK) {
    memcpy(r->path, path, strlen(path) + 1);
    r->opened = mus_arena_here(&r->arena);
    r->growing = ends_with(path, ".partial");
    status = mus_source_open(&r->source, r->path);
  }
  if (status == MUS_OK)
    status = read_head(r);
  if (status != MUS_OK) {
    mus_cache_reader_free(r);
    return status;
  }
  *reader = r;
  return MUS_OK;
}

mus_status mus_cache_refresh(mus_cache_reader *reader) {
  if (!reader->growing)
    return MUS_OK;
  mus_arena_rewind(&reader->arena, reader->opened);
  mus_status status = mus_source_measure(&reader->source);
  if (!status)
    status = read_head(reader);
  if (status)
    reader->info.frames = 0;
  return status;
}

const mus_cache_info *mus_cache_about(const mus_cache_reader *reader) { return &reader->info; }

mus_status mus_cache_read(mus_cache_reader *reader, int frame, double *positions) {
  if (frame < 0 || frame >= reader->info.frames)
    return mus_fail(MUS_BAD_INPUT, "%.200s: frame %d is outside 0...%d", reader->source.path, frame,
                    reader->info.frames - 1);
  enum { PIECE = 1 << 14 };
  unsigned char piece[4 * PIECE];
  size_t count = 3 * (size_t)reader->info.points;
  uint64_t offset = reader->head + (uint64_t)frame * mus_cache_frame_bytes(reader->info.points);
  for (size_t start = 0; start < count; start += PIECE) {
    size_t part = count - start < PIECE ? count - start : PIECE;
    mus_status status = mus_source_read(&reader->source, offset + 4 * start, piece, 4 * part);
    if (status != MUS_OK)
      return status;
    for (size_t i = 0; i < part; ++i) {
      positions[start + i] = mus_bits_float(reader->info.format->get(piece + 4 * i));
      if (!isfinite(positions[start + i]))
        return mus_source_fail(&reader->source, offset + 4 * (start + i),
                               "point %zu of frame %d is not finite: write the file again", (start + i) / 3, frame);
    }
  }
  return MUS_OK;
}

void mus_cache_reader_free(mus_cache_reader *reader) {
  if (!reader)
    return;
  mus_source_close(&reader->source);
  mus_arena_clear(&reader->arena);
  mus_free(reader);
}
