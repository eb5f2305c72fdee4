// MDD, the point cache of LightWave that Blender, Houdini and others read.
//
// Big-endian: frames, points, a time in seconds for each frame (float), then for each frame its points, three floats
// each. The times stand before the points, so the file is laid out for the planned number of frames from the beginning,
// with all their times, and only its length tells how many are there. When a run ends with another number than planned,
// the frames are copied to a file that is laid out for it.
#include <math.h>
#include <strings.h>

#include "base/error.h"
#include "io/cache_format.h"

static uint64_t head_bytes(int frames) { return 8 + 4 * (uint64_t)frames; }

static mus_status put_word(mus_partial *file, uint32_t word) {
  unsigned char bytes[4];
  mus_put_big(bytes, word);
  return mus_partial_put(file, bytes, sizeof bytes);
}

static mus_status put_head(const mus_cache_writer *writer, mus_partial *file, int frames) {
  mus_status status = put_word(file, (uint32_t)frames);
  if (status == MUS_OK)
    status = put_word(file, (uint32_t)writer->definition.points);
  for (int k = 0; k < frames && status == MUS_OK; ++k) {
    double seconds = (writer->definition.first_frame + k) / writer->definition.frames_per_second;
    status = put_word(file, mus_float_bits((float)seconds));
  }
  return status == MUS_OK ? mus_partial_commit(file) : status;
}

static mus_status create(mus_cache_writer *writer) {
  mus_status status = mus_partial_create(&writer->file, &writer->arena, writer->path, "");
  writer->laid_out = writer->definition.frames;
  return status == MUS_OK ? put_head(writer, &writer->file, writer->laid_out) : status;
}

// Of the times the first two say enough: where they begin, and how they go on.
static mus_status check_times(const mus_cache_writer *writer, uint32_t frames) {
  for (uint32_t k = 0; k < 2 && k < frames; ++k) {
    unsigned char bytes[4];
    mus_status status = mus_partial_read(&writer->file, 8 + 4 * k, bytes, sizeof bytes);
    if (status != MUS_OK)
      return status;
    float there = mus_bits_float(mus_get_big(bytes));
    float wanted = (float)((writer->definition.first_frame + (int)k) / writer->definition.frames_per_second);
    if (there != wanted)
      return mus_cache_fail_other(writer, "seconds at a frame:", there, wanted);
  }
  return MUS_OK;
}

static mus_status reopen(mus_cache_writer *writer) {
  unsigned char head[8];
  uint64_t length = 0;
  mus_status status = mus_partial_reopen(&writer->file, &writer->arena, writer->path, "");
  if (status == MUS_OK)
    status = mus_partial_read(&writer->file, 0, head, sizeof head);
  if (status != MUS_OK)
    return status;
  uint32_t frames = mus_get_big(head), points = mus_get_big(head + 4);
  if (points != (uint32_t)writer->definition.points)
    return mus_cache_fail_other(writer, "points:", points, writer->definition.points);
  if (frames < 1 || frames > INT32_MAX)
    return mus_fail(MUS_BAD_INPUT, "%.200s: is laid out for %u frames: start again", writer->path, frames);
  status = check_times(writer, frames);
  if (status == MUS_OK)
    status = mus_partial_length(&writer->file, &length);
  if (status != MUS_OK)
    return status;
  writer->laid_out = (int)frames;
  uint64_t planned = (uint64_t)writer->definition.frames, begin = head_bytes(writer->laid_out), whole = 0;
  if (length > begin)
    whole = (length - begin) / mus_cache_frame_bytes(writer->definition.points);
  whole = whole < frames ? whole : frames;
  writer->frames = (int)(whole < planned ? whole : planned);
  return MUS_OK;
}

static mus_status copy(const mus_partial *from, uint64_t offset, uint64_t bytes, mus_partial *to) {
  enum { PIECE = 1 << 16 };
  char piece[PIECE];
  while (bytes > 0) {
    size_t part = bytes < PIECE ? (size_t)bytes : PIECE;
    mus_status status = mus_partial_read(from, offset, piece, part);
    if (status == MUS_OK)
      status = mus_partial_put(to, piece, part);
    if (status != MUS_OK)
      return status;
    offset += part;
    bytes -= part;
  }
  return mus_partial_commit(to);
}

// Puts a file that is laid out for `laid_out` frames, with the first `frames` copied, in the place of the one that
// grows. It grows beside that one until it is whole, so a kill on the way loses nothing.
static mus_status lay_out(mus_cache_writer *writer, int frames, int laid_out) {
  mus_partial *old = &writer->file, fresh;
  mus_status status = mus_partial_create(&fresh, &writer->arena, old->beside, "");
  if (status != MUS_OK)
    return status;
  status = put_head(writer, &fresh, laid_out);
  if (status == MUS_OK)
    status = copy(old, head_bytes(writer->laid_out),
                  (uint64_t)frames * mus_cache_frame_bytes(writer->definition.points), &fresh);
  if (status == MUS_OK)
    status = mus_partial_settle(&fresh);
  if (status != MUS_OK) {
    mus_partial_abandon(&fresh);
    return status;
  }
  mus_partial_close(old);
  fresh.beside = old->beside;
  fresh.path = old->path;
  fresh.settled = 0;
  *old = fresh;
  writer->laid_out = laid_out;
  return MUS_OK;
}

static mus_status keep(mus_cache_writer *writer, int frames) {
  if (writer->laid_out != writer->definition.frames)
    return lay_out(writer, frames, writer->definition.frames);
  return mus_partial_cut(&writer->file, head_bytes(writer->laid_out) +
                                            (uint64_t)frames * mus_cache_frame_bytes(writer->definition.points));
}

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  mus_status status = mus_cache_put_floats(writer, positions, mus_put_big);
  return status == MUS_OK ? mus_partial_commit(&writer->file) : status;
}

static mus_status finish(mus_cache_writer *writer) {
  mus_status status = writer->frames < writer->laid_out ? lay_out(writer, writer->frames, writer->frames) : MUS_OK;
  return status == MUS_OK ? mus_partial_settle(&writer->file) : status;
}

static int recognise(const unsigned char first[32], const char *path) {
  (void)first; // MDD says nowhere that it is MDD
  const char *dot = strstr(path, ".partial") ? strstr(path, ".partial") : path + strlen(path);
  return dot - path >= 4 && strncasecmp(dot - 4, ".mdd", 4) == 0;
}

static mus_status read_times(mus_cache_reader *reader, int frames) {
  float *time = mus_arena_alloc(&reader->arena, (size_t)frames, sizeof *time);
  if (!time)
    return mus_fail_memory();
  mus_status status = mus_source_read(&reader->source, 8, time, (size_t)frames * sizeof *time);
  for (int k = 0; k < frames && status == MUS_OK; ++k) {
    unsigned char bytes[4];
    memcpy(bytes, &time[k], sizeof bytes);
    time[k] = mus_bits_float(mus_get_big(bytes));
    if (!isfinite(time[k]))
      status = mus_source_fail(&reader->source, 8 + 4 * (uint64_t)k,
                               "the time of frame %d is not finite: write the file again", k);
  }
  reader->info.time = time;
  return status;
}

static mus_status read_head(mus_cache_reader *reader) {
  unsigned char head[8];
  if (reader->source.length < sizeof head)
    return mus_source_fail(&reader->source, reader->source.length,
                           "the file ends in its header: copy or write it again");
  mus_status status = mus_source_read(&reader->source, 0, head, sizeof head);
  if (status != MUS_OK)
    return status;
  uint32_t frames = mus_get_big(head), points = mus_get_big(head + 4);
  if (frames < 1 || frames > INT32_MAX)
    return mus_source_fail(&reader->source, 0, "%u frames: there must be 1 to %d", frames, INT32_MAX);
  if (points < 1 || points > INT32_MAX)
    return mus_source_fail(&reader->source, 4, "%u points: there must be 1 to %d", points, INT32_MAX);
  reader->info.points = (int)points;
  reader->head = head_bytes((int)frames);
  if (reader->source.length < reader->head)
    return mus_source_fail(&reader->source, reader->source.length,
                           "the file ends in the times of its %u frames: copy or write it "
                           "again",
                           frames);
  status = mus_cache_count_frames(reader, (int)frames);
  return status == MUS_OK ? read_times(reader, (int)frames) : status;
}

const mus_cache_format mus_cache_mdd = {.name = "mdd",
                                        .extension = ".mdd",
                                        .create = create,
                                        .reopen = reopen,
                                        .keep = keep,
                                        .write = write_frame,
                                        .sync = mus_cache_sync_file,
                                        .finish = finish,
                                        .close = mus_cache_close_file,
                                        .recognise = recognise,
                                        .read_head = read_head,
                                        .get = mus_get_big};
