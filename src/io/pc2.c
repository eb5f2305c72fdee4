// PC2, the point cache of 3ds Max that Blender's Mesh Cache modifier reads too.
//
// Little-endian: "POINTCACHE2" and a zero, version 1, points, first frame (float), frames from one sample to the next
// (float), samples; then for each sample its points, three floats each. The number of samples is raised after each
// frame, so that the file is right at every moment but while a frame is on its way.
#include <math.h>

#include "base/error.h"
#include "io/cache_format.h"

enum { HEAD = 32, VERSION_AT = 12, POINTS_AT = 16, START_AT = 20, RATE_AT = 24, SAMPLES_AT = 28 };

static const char magic[12] = "POINTCACHE2";

static mus_status put_samples(mus_cache_writer *writer, int samples) {
  unsigned char bytes[4];
  mus_put_little(bytes, (uint32_t)samples);
  return mus_partial_patch(&writer->file, SAMPLES_AT, bytes, sizeof bytes);
}

static mus_status create(mus_cache_writer *writer) {
  unsigned char head[HEAD] = {0};
  memcpy(head, magic, sizeof magic);
  mus_put_little(head + VERSION_AT, 1);
  mus_put_little(head + POINTS_AT, (uint32_t)writer->definition.points);
  mus_put_little(head + START_AT, mus_float_bits((float)writer->definition.first_frame));
  mus_put_little(head + RATE_AT, mus_float_bits(1));
  mus_status status = mus_partial_create(&writer->file, &writer->arena, writer->path, "");
  if (status == MUS_OK)
    status = mus_partial_put(&writer->file, head, sizeof head);
  return status == MUS_OK ? mus_partial_commit(&writer->file) : status;
}

static mus_status check_head(const mus_cache_writer *writer, const unsigned char head[HEAD]) {
  double points = mus_get_little(head + POINTS_AT), start = mus_bits_float(mus_get_little(head + START_AT)),
         rate = mus_bits_float(mus_get_little(head + RATE_AT));
  if (memcmp(head, magic, sizeof magic) != 0 || mus_get_little(head + VERSION_AT) != 1)
    return mus_fail(MUS_BAD_INPUT, "%.200s: is not PC2, version 1: start again", writer->path);
  if (points != writer->definition.points)
    return mus_cache_fail_other(writer, "points:", points, writer->definition.points);
  if (start != writer->definition.first_frame)
    return mus_cache_fail_other(writer, "first frame:", start, writer->definition.first_frame);
  return rate == 1 ? MUS_OK : mus_cache_fail_other(writer, "frames per sample:", rate, 1);
}

// A frame counts if the head says so and its bytes are there: one alone may be on the disk after a loss of power.
static mus_status reopen(mus_cache_writer *writer) {
  unsigned char head[HEAD];
  uint64_t length = 0;
  mus_status status = mus_partial_reopen(&writer->file, &writer->arena, writer->path, "");
  if (status == MUS_OK)
    status = mus_partial_read(&writer->file, 0, head, sizeof head);
  if (status == MUS_OK)
    status = check_head(writer, head);
  if (status == MUS_OK)
    status = mus_partial_length(&writer->file, &length);
  if (status != MUS_OK)
    return status;
  uint64_t whole = (length - HEAD) / mus_cache_frame_bytes(writer->definition.points);
  uint64_t samples = mus_get_little(head + SAMPLES_AT), planned = (uint64_t)writer->definition.frames;
  whole = whole < samples ? whole : samples;
  writer->frames = (int)(whole < planned ? whole : planned);
  return MUS_OK;
}

static mus_status keep(mus_cache_writer *writer, int frames) {
  mus_status status = put_samples(writer, frames);
  return status == MUS_OK ? mus_partial_cut(&writer->file,
                                            HEAD + (uint64_t)frames * mus_cache_frame_bytes(writer->definition.points))
                          : status;
}

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  uint64_t before = writer->file.end;
  mus_status status = mus_cache_put_floats(writer, positions, mus_put_little);
  return status == MUS_OK ? mus_cache_commit_frame(writer, before, put_samples) : status;
}

static int recognise(const unsigned char first[32], const char *path) {
  (void)path;
  return memcmp(first, magic, sizeof magic) == 0;
}

static mus_status read_head(mus_cache_reader *reader) {
  if (reader->source.length < HEAD)
    return mus_source_fail(&reader->source, reader->source.length,
                           "the file ends in its header of 32 bytes: copy or write it again");
  unsigned char head[HEAD];
  mus_status status = mus_source_read(&reader->source, 0, head, sizeof head);
  if (status != MUS_OK)
    return status;
  uint32_t version = mus_get_little(head + VERSION_AT), points = mus_get_little(head + POINTS_AT),
           samples = mus_get_little(head + SAMPLES_AT);
  if (version != 1)
    return mus_source_fail(&reader->source, VERSION_AT, "version %u: only version 1 is supported", version);
  if (points < 1 || points > INT32_MAX)
    return mus_source_fail(&reader->source, POINTS_AT, "%u points: there must be 1 to %d", points, INT32_MAX);
  if (samples > INT32_MAX || (samples < 1 && !reader->growing))
    return mus_source_fail(&reader->source, SAMPLES_AT, "%u samples: there must be 1 to %d", samples, INT32_MAX);
  reader->info.points = (int)points;
  reader->info.start = mus_bits_float(mus_get_little(head + START_AT));
  reader->info.rate = mus_bits_float(mus_get_little(head + RATE_AT));
  if (!isfinite(reader->info.start) || !isfinite(reader->info.rate))
    return mus_source_fail(&reader->source, START_AT, "first frame %g, step %g: both must be finite",
                           reader->info.start, reader->info.rate);
  reader->head = HEAD;
  return mus_cache_count_frames(reader, (int)samples);
}

const mus_cache_format mus_cache_pc2 = {.name = "pc2",
                                        .extension = ".pc2",
                                        .create = create,
                                        .reopen = reopen,
                                        .keep = keep,
                                        .write = write_frame,
                                        .sync = mus_cache_sync_file,
                                        .finish = mus_cache_settle_file,
                                        .close = mus_cache_close_file,
                                        .recognise = recognise,
                                        .read_head = read_head,
                                        .get = mus_get_little};
