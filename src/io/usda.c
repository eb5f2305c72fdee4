// USDA: a layer of Universal Scene Description as text, with the mesh once and its points as time samples.
//
// The samples come last, one line a frame, and the two brackets that close the file follow whatever was committed
// (partial.h): the file is valid USD at every moment but while a frame is on its way. endTimeCode stands in a field of
// fixed width and is raised after each frame. Numbers have the nine digits that tell all floats apart.
#include <stdarg.h>
#include <stdio.h>

#include "base/checksum.h"
#include "base/error.h"
#include "io/cache_format.h"

static const char tail[] = "    }\n}\n", samples_line[] = "    point3f[] points.timeSamples = {",
                  end_key[] = "    endTimeCode = ";
enum { HEAD = 1024, END_WIDTH = 8 };

// --- the head ------------------------------------------------------------------------------------------------------

static uint64_t mesh_checksum(const mus_mesh *mesh) {
  uint64_t sum = mus_checksum(0, &mesh->vertices, sizeof mesh->vertices);
  sum = mus_checksum(sum, mesh->triangle, 3 * (size_t)mesh->triangles * sizeof *mesh->triangle);
  return mesh->material ? mus_checksum(sum, mesh->material, 6 * (size_t)mesh->triangles * sizeof *mesh->material) : sum;
}

// Everything before the mesh. It names the mesh by its checksum, so that a resume need not compare all of it.
static void write_head(const mus_cache_writer *writer, char head[HEAD]) {
  const mus_cache_definition *d = &writer->definition;
  locale_t callers = uselocale(writer->plain);
  snprintf(head, HEAD,
           "#usda 1.0\n"
           "(\n"
           "    doc = \"muslin: mesh %016llx\"\n"
           "    defaultPrim = \"cloth\"\n"
           "    metersPerUnit = 1\n"
           "    upAxis = \"%s\"\n"
           "    timeCodesPerSecond = %.15g\n"
           "    framesPerSecond = %.15g\n"
           "    startTimeCode = %d\n"
           "%s%-*d\n"
           ")\n\n"
           "def Mesh \"cloth\"\n"
           "{\n"
           "    uniform bool doubleSided = 1\n"
           "    uniform token subdivisionScheme = \"none\"\n",
           (unsigned long long)mesh_checksum(d->mesh), d->up == MUS_UP_Z ? "Z" : "Y", d->frames_per_second,
           d->frames_per_second, d->first_frame, end_key, END_WIDTH, d->first_frame);
  uselocale(callers);
}

static size_t end_field(const char *head) { return (size_t)(strstr(head, end_key) - head) + sizeof end_key - 1; }

// The number of the last frame; that of the first where there is none.
static mus_status put_end(mus_cache_writer *writer, int frames) {
  char number[16];
  int last = writer->definition.first_frame + (frames > 0 ? frames - 1 : 0);
  snprintf(number, sizeof number, "%-*d", END_WIDTH, last);
  return mus_partial_patch(&writer->file, writer->last_frame, number, END_WIDTH);
}

// --- text ----------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static mus_status put(mus_cache_writer *writer, const char *format, ...) {
  char text[HEAD];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mus_partial_put(&writer->file, text, (size_t)length);
}

static mus_status put_faces(mus_cache_writer *writer) {
  const mus_mesh *mesh = writer->definition.mesh;
  mus_status status = put(writer, "    int[] faceVertexCounts = [");
  for (int t = 0; t < mesh->triangles && status == MUS_OK; ++t)
    status = put(writer, t > 0 ? ", 3" : "3");
  if (status == MUS_OK)
    status = put(writer, "]\n    int[] faceVertexIndices = [");
  for (int t = 0; t < mesh->triangles && status == MUS_OK; ++t) {
    const int *corner = mesh->triangle + 3 * (size_t)t;
    status = put(writer, "%s%d, %d, %d", t > 0 ? ", " : "", corner[0], corner[1], corner[2]);
  }
  return status == MUS_OK ? put(writer, "]\n") : status;
}

static mus_status put_material(mus_cache_writer *writer) {
  const mus_mesh *mesh = writer->definition.mesh;
  mus_status status = put(writer, "    texCoord2f[] primvars:st = [");
  for (size_t c = 0; c < 3 * (size_t)mesh->triangles && status == MUS_OK; ++c)
    status = put(writer, "%s(%.9g, %.9g)", c > 0 ? ", " : "", mesh->material[2 * c], mesh->material[2 * c + 1]);
  return status == MUS_OK ? put(writer, "] (\n        interpolation = \"faceVarying\"\n    )\n") : status;
}

static mus_status put_sample(mus_cache_writer *writer, const double *positions) {
  mus_status status = put(writer, "        %d: [", writer->definition.first_frame + writer->frames);
  for (size_t i = 0; i < (size_t)writer->definition.points && status == MUS_OK; ++i)
    status = put(writer, "%s(%.9g, %.9g, %.9g)", i > 0 ? ", " : "", (double)(float)positions[3 * i],
                 (double)(float)positions[3 * i + 1], (double)(float)positions[3 * i + 2]);
  return status == MUS_OK ? put(writer, "],\n") : status;
}

// --- writing -------------------------------------------------------------------------------------------------------

static mus_status make_locale(mus_cache_writer *writer) {
  writer->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return writer->plain == (locale_t)0 ? mus_fail_memory() : MUS_OK;
}

static mus_status put_mesh(mus_cache_writer *writer) {
  char head[HEAD];
  write_head(writer, head);
  writer->last_frame = end_field(head);
  mus_status status = put(writer, "%s", head);
  if (status == MUS_OK)
    status = put_faces(writer);
  if (status == MUS_OK && writer->definition.mesh->material)
    status = put_material(writer);
  return status == MUS_OK ? put(writer, "%s\n", samples_line) : status;
}

static mus_status create(mus_cache_writer *writer) {
  mus_status status = make_locale(writer);
  // No tail yet: without the mesh it would close nothing.
  if (status == MUS_OK)
    status = mus_partial_create(&writer->file, &writer->arena, writer->path, "");
  if (status != MUS_OK)
    return status;
  locale_t callers = uselocale(writer->plain);
  status = put_mesh(writer);
  uselocale(callers);
  writer->file.tail = tail;
  if (status == MUS_OK)
    status = mus_partial_commit(&writer->file);
  writer->samples = writer->file.end;
  return status;
}

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  uint64_t before = writer->file.end;
  locale_t callers = uselocale(writer->plain);
  mus_status status = put_sample(writer, positions);
  uselocale(callers);
  return status == MUS_OK ? mus_cache_commit_frame(writer, before, put_end) : status;
}

static void close_writer(mus_cache_writer *writer) {
  if (writer->plain != (locale_t)0)
    freelocale(writer->plain);
  mus_partial_close(&writer->file);
}

// --- going on ------------------------------------------------------------------------------------------------------

// Whether the line from `begin` to `end` is `text` in its first bytes and `last` in its last.
static mus_status line_is(const mus_partial *file, uint64_t begin, uint64_t end, const char *text, const char *last,
                          int *is) {
  char there[64];
  size_t head = strlen(text), foot = strlen(last);
  *is = end - begin >= head + foot;
  mus_status status = *is ? mus_partial_read(file, begin, there, head) : MUS_OK;
  *is = *is && status == MUS_OK && memcmp(there, text, head) == 0;
  if (*is)
    status = mus_partial_read(file, end - foot, there, foot);
  *is = *is && status == MUS_OK && memcmp(there, last, foot) == 0;
  return status;
}

// Counts the whole frames, `most` of them, and tells where the last ends. A line is whole with its newline only.
static mus_status find_frames(const mus_cache_writer *writer, int most, int *frames, uint64_t *end) {
  uint64_t length = 0;
  mus_status status = mus_partial_length(&writer->file, &length);
  *end = writer->samples;
  for (*frames = 0; *frames < most && status == MUS_OK; ++*frames) {
    char begin[32];
    uint64_t newline = 0;
    int is = 0;
    snprintf(begin, sizeof begin, "        %d: [(", writer->definition.first_frame + *frames);
    status = mus_partial_line_end(&writer->file, *end, &newline);
    if (status == MUS_OK && newline < length)
      status = line_is(&writer->file, *end, newline, begin, ")],", &is);
    if (!is)
      break;
    *end = newline + 1;
  }
  return status;
}

static mus_status check_head(mus_cache_writer *writer, size_t *length) {
  char head[HEAD], there[HEAD];
  write_head(writer, head);
  *length = strlen(head);
  size_t field = writer->last_frame = end_field(head);
  mus_status status = mus_partial_read(&writer->file, 0, there, *length);
  if (status != MUS_OK)
    return status;
  memcpy(there + field, head + field, END_WIDTH);
  if (memcmp(there, head, *length) != 0)
    return mus_fail(MUS_BAD_INPUT, "%.200s: cannot be resumed: it holds another mesh or other frames: start again",
                    writer->path);
  return MUS_OK;
}

// The first frame stands in the line after `samples_line`, a few long lines after the head.
static mus_status find_samples(mus_cache_writer *writer) {
  enum { LINES = 8 };
  size_t head = 0;
  uint64_t length = 0, end = 0;
  mus_status status = check_head(writer, &head);
  if (status == MUS_OK)
    status = mus_partial_length(&writer->file, &length);
  uint64_t begin = head;
  for (int line = 0; line < LINES && status == MUS_OK; ++line) {
    int is = 0;
    status = mus_partial_line_end(&writer->file, begin, &end);
    if (status == MUS_OK)
      status = line_is(&writer->file, begin, end, samples_line, "", &is);
    begin = end + 1;
    if (is && end < length) {
      writer->samples = begin;
      return MUS_OK;
    }
  }
  return status != MUS_OK ? status
                          : mus_fail(MUS_BAD_INPUT, "%.200s: ends before its first frame: start again", writer->path);
}

static mus_status reopen(mus_cache_writer *writer) {
  uint64_t end;
  mus_status status = make_locale(writer);
  if (status == MUS_OK)
    status = mus_partial_reopen(&writer->file, &writer->arena, writer->path, tail);
  if (status == MUS_OK)
    status = find_samples(writer);
  return status == MUS_OK ? find_frames(writer, writer->definition.frames, &writer->frames, &end) : status;
}

static mus_status keep(mus_cache_writer *writer, int frames) {
  int found;
  uint64_t end;
  mus_status status = find_frames(writer, frames, &found, &end);
  if (status == MUS_OK)
    status = put_end(writer, frames);
  return status == MUS_OK ? mus_partial_cut(&writer->file, end) : status;
}

const mus_cache_format mus_cache_usda = {.name = "usda",
                                         .extension = ".usda",
                                         .needs_mesh = 1,
                                         .create = create,
                                         .reopen = reopen,
                                         .keep = keep,
                                         .write = write_frame,
                                         .sync = mus_cache_sync_file,
                                         .finish = mus_cache_settle_file,
                                         .close = close_writer};
