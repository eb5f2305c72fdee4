// See muslin/info.h: which kind a file is of, and what there is to say about the small ones.
#include "io/info.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scan.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/gltf.h"
#include "io/result.h"
#include "io/solid_file.h"
#include "mesh/measure.h"
#include "muslin/matrix_market.h"
#include "muslin/scene.h"

void mus_info_line(FILE *out, const char *name, const char *format, ...) {
  fprintf(out, "  %-12s ", name);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static mus_status print_scene(mus_status loaded, mus_scene *scene, FILE *out) {
  if (loaded)
    return loaded;
  char *text = mus_scene_text(scene);
  if (text)
    fputs(text, out);
  free(text);
  mus_scene_free(scene);
  return text ? MUS_OK : mus_fail_memory();
}

static mus_status info_scene(const char *path, FILE *out) {
  mus_scene scene;
  return print_scene(mus_scene_load(path, &scene), &scene, out);
}

// --- caches ----------------------------------------------------------------------------------------------------------

static mus_status print_box(mus_cache_reader *reader, int frame, double *positions, const char *name, FILE *out) {
  mus_status status = mus_cache_read(reader, frame, positions);
  if (status)
    return status;
  mus_mesh points = {.vertices = mus_cache_about(reader)->points, .position = positions};
  mus_box b = mus_mesh_box(&points);
  mus_info_line(out, name, "from (%g, %g, %g) to (%g, %g, %g)", b.low[0], b.low[1], b.low[2], b.high[0], b.high[1],
                b.high[2]);
  return MUS_OK;
}

// The least and the largest of each of the three numbers of a solid's vertices, see io/result.h.
static mus_status print_stresses(mus_cache_reader *reader, int frame, double *numbers, const char *name, FILE *out) {
  mus_status status = mus_cache_read(reader, frame, numbers);
  if (status)
    return status;
  mus_mesh points = {.vertices = mus_cache_about(reader)->points, .position = numbers};
  mus_box b = mus_mesh_box(&points);
  mus_info_line(out, name, "von Mises stress %.4g to %.4g Pa, volume %.4g to %.4g %%, strain %.4g to %.4g %%", b.low[0],
                b.high[0], b.low[1], b.high[1], b.low[2], b.high[2]);
  return MUS_OK;
}

static mus_status print_cache(const char *path, mus_cache_reader *reader, FILE *out) {
  const mus_cache_info *about = mus_cache_about(reader);
  int last = about->frames - 1;
  fprintf(out, "%s: a %s cache\n", path, mus_cache_format_name(about->format));
  mus_info_line(out, "points", "%d", about->points);
  mus_info_line(out, "samples", "%d", about->frames);
  if (about->time && last >= 0)
    mus_info_line(out, "time", "%g to %g s", about->time[0], about->time[last]);
  else if (last >= 0)
    mus_info_line(out, "frames", "%g to %g", about->start, about->start + about->rate * last);
  if (last < 0)
    return MUS_OK;
  double *positions = mus_alloc(3 * (size_t)about->points, sizeof *positions);
  int stresses = strstr(path, MUS_RESULT_STRESS ".pc2") != NULL;
  mus_status status = positions ? MUS_OK : mus_fail_memory();
  for (int frame = 0; frame <= last && !status; frame += last > 0 ? last : 1)
    status = stresses ? print_stresses(reader, frame, positions, frame ? "last" : "first", out)
                      : print_box(reader, frame, positions, frame ? "last box" : "first box", out);
  mus_free(positions);
  return status;
}

static mus_status info_cache(const char *path, FILE *out) {
  mus_cache_reader *reader = NULL;
  mus_status status = mus_cache_open(path, &reader);
  if (!status)
    status = print_cache(path, reader, out);
  mus_cache_reader_free(reader);
  return status;
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

static mus_status info_checkpoint(const char *path, FILE *out) {
  mus_arena arena = {0};
  mus_checkpoint checkpoint;
  mus_status status = mus_checkpoint_read(path, &arena, &checkpoint);
  if (!status) {
    fprintf(out, "%s: a checkpoint, intact\n", path);
    mus_info_line(out, "frame", "%d", checkpoint.frame);
    for (int k = 0; k < checkpoint.count; ++k)
      mus_info_line(out, k == 0 ? "sections" : "", "%s, %zu bytes", checkpoint.sections[k].name,
                    checkpoint.sections[k].bytes);
  }
  mus_arena_clear(&arena);
  return status;
}

// --- matrices --------------------------------------------------------------------------------------------------------

static double entry_at(const mus_matrix_market *m, int row, int column) {
  int low = m->row_start[row], high = m->row_start[row + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (m->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->row_start[row + 1] && m->column[low] == column ? m->value[low] : 0;
}

// The largest |a_ij - a_ji|, over the largest |a_ij|.
static double asymmetry(const mus_matrix_market *m) {
  double difference = 0, largest = 0;
  for (int i = 0; i < m->rows; ++i)
    for (int k = m->row_start[i]; k < m->row_start[i + 1]; ++k) {
      difference = fmax(difference, fabs(m->value[k] - entry_at(m, m->column[k], i)));
      largest = fmax(largest, fabs(m->value[k]));
    }
  return largest > 0 ? difference / largest : 0;
}

// The largest block size that pads the matrix by a tenth at most.
static int guess_block(const mus_matrix_market *m) {
  for (int block = 12; block > 1; --block) {
    mus_matrix_market_blocks blocks;
    if (m->rows % block != 0 || mus_matrix_market_to_blocks(m, block, &blocks) != MUS_OK)
      continue;
    double stored = (double)blocks.row_start[blocks.rows] * block * block;
    mus_matrix_market_blocks_free(&blocks);
    if (stored <= 1.1 * (double)m->row_start[m->rows])
      return block;
  }
  return 1;
}

static mus_status info_matrix(const char *path, FILE *out) {
  mus_matrix_market m;
  mus_status status = mus_matrix_market_read(path, &m);
  if (status)
    return status;
  fprintf(out, "%s: a %s matrix\n", path, m.dense ? "dense" : "sparse");
  mus_info_line(out, "size", "%d x %d", m.rows, m.columns);
  if (!m.dense) {
    mus_info_line(out, "non-zeros", "%d, %.1f per row", m.row_start[m.rows], (double)m.row_start[m.rows] / m.rows);
    if (m.rows == m.columns) {
      double apart = asymmetry(&m);
      if (apart == 0)
        mus_info_line(out, "symmetric", "yes");
      else
        mus_info_line(out, "symmetric", "no: entries differ from their mirror images by up to %.2g of the largest",
                      apart);
      mus_info_line(out, "block size", "%d, judging by where the entries are", guess_block(&m));
    }
  }
  mus_matrix_market_free(&m);
  return MUS_OK;
}

// --- which kind ------------------------------------------------------------------------------------------------------

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

typedef mus_status (*info_part)(const char *path, FILE *out);

static info_part choose(const char *path, const char *first) {
  if (strncmp(first, "MUSLINCP", 8) == 0)
    return info_checkpoint;
  if (strncmp(first, "POINTCACHE2", 11) == 0 || ends_with(path, ".mdd") || ends_with(path, ".mdd.partial"))
    return info_cache;
  if (strncmp(first, "%%MatrixMarket", 14) == 0 || ends_with(path, ".mtx") || ends_with(path, ".mtx.gz"))
    return info_matrix;
  if (strncmp(first, "ply", 3) == 0 || ends_with(path, ".obj") || ends_with(path, ".obj.gz") ||
      ends_with(path, ".ply") || ends_with(path, ".ply.gz"))
    return mus_info_mesh;
  if (mus_solid_file_is(path, first))
    return mus_info_solid;
  if (strncmp(first, "glTF", 4) == 0 || mus_gltf_is_path(path))
    return mus_info_gltf;
  if (strncmp(first, "{\"muslin\": ", 11) == 0)
    return mus_info_report;
  if (first[strspn(first, " \t\r\n")] == '{' || ends_with(path, ".json"))
    return info_scene;
  return NULL;
}

mus_status mus_info(const char *path, FILE *out) {
  struct stat about;
  mus_scene scene;
  if (stat(path, &about) != 0) {
    if (mus_scene_builtin(path, &scene) == MUS_OK)
      return print_scene(MUS_OK, &scene, out);
    return mus_fail(MUS_IO_ERROR, "%.200s: there is neither such a file nor a built-in scene of that name", path);
  }
  if (S_ISDIR(about.st_mode))
    return mus_info_result(path, out);
  if (!S_ISREG(about.st_mode))
    return mus_fail(MUS_BAD_INPUT, "%.200s: is not a plain file or a folder", path);
  char first[MUS_FILE_BEGIN];
  mus_status status = mus_file_begin(path, first);
  if (status)
    return status;
  info_part part = choose(path, first);
  return part ? part(path, out)
              : mus_fail(MUS_BAD_INPUT,
                         "%.200s: is of an unknown kind: give a mesh (OBJ, PLY, glTF), a solid (Gmsh, Medit, VTK, "
                         "TetGen), a scene (JSON), a cache (PC2, MDD), a matrix (Matrix Market), a checkpoint or a "
                         "result folder",
                         path);
}
