// See run_output.h.
#define _DEFAULT_SOURCE   // flock
#define _XOPEN_SOURCE 700 // realpath
#include "run/run_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "base/processor.h"
#include "io/checkpoint.h"
#include "io/mesh_file.h"
#include "par/par.h"
#include "sim/access.h"

// --- plan ------------------------------------------------------------------------------------------------------------

// The mesh of each body, whose triangles count its own vertices.
static mus_status plan_bodies(mus_run_output *out) {
  int count = out->scene->body_count;
  if (count == 0)
    return MUS_OK;
  out->bodies = mus_sim_model(out->sim)->bodies;
  mus_status status = mus_result_body_names(&out->arena, out->scene, &out->body_names);
  if (status)
    return status;
  size_t numbers = 3 * (size_t)mus_bodies_vertices(out->bodies);
  size_t corners = 3 * (size_t)mus_bodies_triangles(out->bodies);
  int *triangle = mus_arena_alloc(&out->arena, corners, sizeof *triangle);
  out->body_meshes = mus_arena_alloc_zero(&out->arena, (size_t)count, sizeof *out->body_meshes);
  out->body_position = mus_arena_alloc(&out->arena, numbers, sizeof *out->body_position);
  if (!triangle || !out->body_meshes || !out->body_position)
    return mus_fail_memory();
  for (int k = 0; k < count; ++k) {
    int first = mus_bodies_first_vertex(out->bodies, k), face = mus_bodies_first_triangle(out->bodies, k);
    mus_mesh *mesh = &out->body_meshes[k];
    mesh->vertices = mus_bodies_first_vertex(out->bodies, k + 1) - first;
    mesh->triangles = mus_bodies_first_triangle(out->bodies, k + 1) - face;
    mesh->position = out->body_position + 3 * (size_t)first;
    mesh->triangle = triangle + 3 * (size_t)face;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangles; ++i)
      mesh->triangle[i] = mus_bodies_triangle_list(out->bodies)[3 * (size_t)face + i] - first;
  }
  return MUS_OK;
}

static mus_status plan_cache(mus_run_output *out, mus_run_content content, int which, const mus_cache_format *format) {
  mus_run_cache *cache = &out->caches[out->cache_count];
  const char *name = content == MUS_RUN_BODY ? out->body_names[which] : out->names[which];
  const char *what = content == MUS_RUN_RESIDUAL ? MUS_RESULT_RESIDUAL
                     : content == MUS_RUN_STRESS ? MUS_RESULT_STRESS
                                                 : "";
  char ending[32];
  snprintf(ending, sizeof ending, "%s%s", what, mus_cache_format_extension(format));
  *cache = (mus_run_cache){.content = content, .which = which, .format = format};
  cache->path = mus_result_path(&out->arena, out->folder, name, ending);
  ++out->cache_count;
  return cache->path ? MUS_OK : mus_fail_memory();
}

enum { FORMATS = 8 };

static mus_status parse_formats(const char *formats, const mus_cache_format *list[FORMATS], int *count) {
  for (const char *rest = formats; rest;) {
    char name[32];
    size_t length = strcspn(rest, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), rest);
    const mus_cache_format *format = NULL;
    mus_status status = mus_cache_format_from_name(name, &format);
    if (status)
      return status;
    for (int k = 0; k < *count; ++k)
      if (list[k] == format)
        return mus_fail(MUS_BAD_INPUT, "the cache format \"%s\" is given twice: give it once", name);
    list[(*count)++] = format;
    rest = rest[length] ? rest + length + 1 : NULL;
  }
  return MUS_OK;
}

mus_status mus_run_output_check_formats(const char *formats) {
  const mus_cache_format *list[FORMATS] = {NULL};
  int count = 0;
  return parse_formats(formats, list, &count);
}

// Positions in all formats, and what goes with them.
static mus_status plan_part(mus_run_output *out, int part, int count, const mus_cache_format *const *list,
                            int residual) {
  mus_status status = MUS_OK;
  for (int k = 0; k < count && !status; ++k)
    status = plan_cache(out, MUS_RUN_POSITIONS, part, list[k]);
  if (residual && !status)
    status = plan_cache(out, MUS_RUN_RESIDUAL, part, mus_cache_format_at(0));
  if (out->parts[part].is_solid && !status)
    status = plan_cache(out, MUS_RUN_STRESS, part, mus_cache_format_at(0));
  return status;
}

// Memory for what caches hold beside positions.
static mus_status plan_numbers(mus_run_output *out, int count, const mus_cache_format *const *list, int residual) {
  size_t vertices = (size_t)mus_sim_vertices(out->sim);
  mus_status status = MUS_OK;
  for (int k = 0; k < count && !status; ++k)
    if (mus_cache_format_takes_grid(list[k]))
      status = mus_run_grids_create(&out->arena, out->sim, out->parts, &out->grids);
  if (residual && !status && !(out->zeros = mus_arena_alloc_zero(&out->arena, 3 * vertices, sizeof(double))))
    status = mus_fail_memory();
  for (int c = 0; c < 3 && out->scene->solid_count > 0 && !status; ++c)
    if (!(out->stress[c] = mus_arena_alloc_zero(&out->arena, vertices, sizeof(double))))
      status = mus_fail_memory();
  return status;
}

static mus_status plan_caches(mus_run_output *out, const char *formats, int residual) {
  const mus_cache_format *list[FORMATS] = {NULL};
  int count = 0;
  mus_status status = parse_formats(formats, list, &count);
  if (!status)
    status = plan_numbers(out, count, list, residual);
  if (status)
    return status;
  size_t most = (size_t)out->part_count * (size_t)(count + 2) + (size_t)out->scene->body_count;
  if (!(out->caches = mus_arena_alloc_zero(&out->arena, most, sizeof *out->caches)))
    return mus_fail_memory();
  for (int part = 0; part < out->part_count && !status; ++part)
    status = plan_part(out, part, count, list, residual);
  for (int body = 0; body < out->scene->body_count && !status; ++body)
    if (mus_bodies_moves(out->bodies, body))
      status = plan_cache(out, MUS_RUN_BODY, body, mus_cache_format_at(0));
  return status;
}

mus_status mus_run_output_plan(mus_run_output *out, mus_sim *sim, const mus_scene *scene, const char *folder,
                               const char *formats, int residual) {
  out->sim = sim;
  out->scene = scene;
  out->folder = folder;
  out->part_count = mus_sim_parts(sim);
  out->report_path = mus_result_path(&out->arena, folder, MUS_RESULT_REPORT, "");
  if (!out->report_path)
    return mus_fail_memory();
  mus_status status = mus_result_names(&out->arena, scene, &out->names);
  if (!status)
    status = mus_run_parts_create(&out->arena, sim, &out->parts);
  if (!status)
    status = plan_bodies(out);
  return status ? status : plan_caches(out, formats, residual);
}

// --- the folder ------------------------------------------------------------------------------------------------------

// The lock dies with its process, so a killed run leaves none behind.
static mus_status lock_folder(mus_run_output *out) {
  out->folder_descriptor = open(out->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (out->folder_descriptor < 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be opened (%s): check the folder and its permissions", out->folder,
                    strerror(errno));
  out->folder_open = 1;
  if (flock(out->folder_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return mus_fail(MUS_IO_ERROR, "%.200s: another run is writing to it: wait for it or give another folder",
                    out->folder);
  return MUS_OK; // some network file systems have no locks: that is no reason to write nothing
}

static int is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static mus_status check_file(const mus_run_output *out, mus_arena *scratch, const char *what, const char *file,
                             const char *name, const char *ending) {
  char *path = mus_result_path(scratch, out->folder, name, ending);
  if (!path)
    return mus_fail_memory();
  if (is_same_file(file, path))
    return mus_fail(MUS_BAD_INPUT, "%.200s: a %s is read from it, and the run would overwrite it: give another folder",
                    path, what);
  return MUS_OK;
}

// A file that a part or body is read from, if not NULL, against those that will be written for them.
static mus_status check_input(const mus_run_output *out, mus_arena *scratch, const char *what, const char *file) {
  mus_status status = MUS_OK;
  for (int k = 0; k < out->part_count && file && !status; ++k)
    status = check_file(out, scratch, what, file, out->names[k], ".obj");
  for (int k = 0; k < out->scene->body_count && file && !status; ++k) {
    status = check_file(out, scratch, what, file, out->body_names[k], ".obj");
    if (!status)
      status = check_file(out, scratch, what, file, out->body_names[k], ".pc2");
  }
  return status;
}

// A scene.json without a report is somebody's own, and so are the files that parts and bodies are read from.
static mus_status check_overwriting(const mus_run_output *out, mus_arena *scratch) {
  char *scene = mus_result_path(scratch, out->folder, MUS_RESULT_SCENE, "");
  char *growing = mus_result_path(scratch, out->folder, MUS_RESULT_REPORT, ".partial");
  if (!scene || !growing)
    return mus_fail_memory();
  if (mus_result_exists(scene) && !mus_result_exists(out->report_path) && !mus_result_exists(growing))
    return mus_fail(MUS_BAD_INPUT, "%.200s: would be overwritten, but was not written by a run: give another folder",
                    scene);
  mus_status status = MUS_OK;
  for (int k = 0; k < out->scene->cloth_count && !status; ++k)
    status = check_input(out, scratch, "cloth", out->scene->cloths[k].shape.file);
  for (int k = 0; k < out->scene->solid_count && !status; ++k)
    status = check_input(out, scratch, "solid", out->scene->solids[k].shape.file);
  for (int k = 0; k < out->scene->body_count && !status; ++k) {
    status = check_input(out, scratch, "body", out->scene->bodies[k].shape.file);
    if (!status)
      status = check_input(out, scratch, "body", out->scene->bodies[k].shape.motion);
  }
  return status;
}

// Whether a name is FILE.tmp and the number of a process, as a kill leaves what base/output.h was writing.
static int is_left_of(const char *name, const char *file, const char *ending) {
  size_t n = strlen(file), m = strlen(ending);
  static const char mark[] = ".tmp";
  if (strncmp(name, file, n) != 0 || strncmp(name + n, ending, m) != 0 || strncmp(name + n + m, mark, 4) != 0)
    return 0;
  const char *number = name + n + m + sizeof mark - 1;
  return *number && !number[strspn(number, "0123456789")];
}

static void remove_unfinished(const mus_run_output *out) {
  DIR *folder = opendir(out->folder);
  for (struct dirent *item; folder && (item = readdir(folder));) {
    int left = is_left_of(item->d_name, MUS_RESULT_SCENE, "");
    for (int k = 0; k < out->part_count; ++k)
      left |= is_left_of(item->d_name, out->names[k], ".obj");
    for (int k = 0; k < out->scene->body_count; ++k)
      left |= is_left_of(item->d_name, out->body_names[k], ".obj");
    if (left)
      unlinkat(dirfd(folder), item->d_name, 0);
  }
  if (folder)
    closedir(folder);
}

mus_status mus_run_output_open(mus_run_output *out) {
  mus_arena scratch = {0};
  mus_status status = check_overwriting(out, &scratch);
  mus_arena_clear(&scratch);
  if (!status)
    status = mus_result_make_folder(out->folder);
  if (!status)
    status = lock_folder(out);
  if (!status)
    remove_unfinished(out);
  return status;
}

// --- scene and meshes ------------------------------------------------------------------------------------------------

// A file by its full path, NULL and those that are not there as they are. Of a sequence, which is no file by its name,
// the folder is looked up.
static mus_status absolute_file(mus_arena *arena, char **file) {
  if (!*file)
    return MUS_OK;
  const char *slash = strrchr(*file, '/'), *name = slash ? slash + 1 : *file;
  size_t length = slash ? (size_t)(slash - *file) + 1 : 0;
  char *folder = mus_arena_alloc(arena, length + 2, 1);
  if (!folder)
    return mus_fail_memory();
  memcpy(folder, length > 0 ? *file : ".", length > 0 ? length : 1);
  folder[length > 0 ? length : 1] = 0;
  char *real = realpath(*file, NULL), *above = real ? NULL : realpath(folder, NULL);
  char *full = NULL;
  if (real)
    full = mus_arena_alloc(arena, strlen(real) + 1, 1);
  if (full)
    strcpy(full, real);
  if (above)
    full = mus_result_path(arena, above, name, "");
  mus_status status = (real || above) && !full ? mus_fail_memory() : MUS_OK;
  free(real);
  free(above);
  *file = full ? full : *file;
  return status;
}

// Meshes by their full paths: the scene's own folder is another one.
static mus_status absolute_files(mus_arena *arena, mus_scene *scene) {
  size_t cloth_count = (size_t)scene->cloth_count, body_count = (size_t)scene->body_count;
  size_t solid_count = (size_t)scene->solid_count;
  mus_cloth *cloths = mus_arena_alloc(arena, cloth_count, sizeof *cloths);
  mus_solid *solids = mus_arena_alloc(arena, solid_count, sizeof *solids);
  mus_body *bodies = mus_arena_alloc(arena, body_count, sizeof *bodies);
  if (!cloths || !solids || !bodies)
    return mus_fail_memory();
  if (cloth_count > 0)
    scene->cloths = memcpy(cloths, scene->cloths, cloth_count * sizeof *cloths);
  if (solid_count > 0)
    scene->solids = memcpy(solids, scene->solids, solid_count * sizeof *solids);
  if (body_count > 0)
    scene->bodies = memcpy(bodies, scene->bodies, body_count * sizeof *bodies);
  mus_status status = MUS_OK;
  for (size_t k = 0; k < cloth_count && !status; ++k) {
    status = absolute_file(arena, &cloths[k].shape.file);
    if (!status)
      status = absolute_file(arena, &cloths[k].shape.start);
  }
  for (size_t k = 0; k < solid_count && !status; ++k)
    status = absolute_file(arena, &solids[k].shape.file);
  for (size_t k = 0; k < body_count && !status; ++k) {
    status = absolute_file(arena, &bodies[k].shape.file);
    if (!status)
      status = absolute_file(arena, &bodies[k].shape.motion);
  }
  return status;
}

static mus_status write_scene(const mus_run_output *out) {
  mus_arena scratch = {0};
  mus_scene scene = *out->scene;
  mus_output file;
  char *path = mus_result_path(&scratch, out->folder, MUS_RESULT_SCENE, "");
  mus_status status = path ? absolute_files(&scratch, &scene) : mus_fail_memory();
  char *text = status ? NULL : mus_scene_text(&scene);
  if (!status && !text)
    status = mus_fail_memory();
  if (!status) {
    status = mus_output_open(&file, path);
    mus_output_text(&file, text);
    status = mus_output_close(&file, status);
  }
  free(text);
  mus_arena_clear(&scratch);
  return status;
}

// A cloth's stitches by the numbers that users see.
static mus_status copy_stitches(mus_arena *arena, const mus_part_shape *shape, mus_mesh_file *file) {
  mus_stitch *copy = mus_arena_alloc(arena, (size_t)shape->stitches, sizeof *copy);
  if (!copy)
    return mus_fail_memory();
  const int *seen = shape->order ? shape->order->vertex : NULL;
  for (int k = 0; k < shape->stitches; ++k) {
    copy[k] = shape->stitch[k];
    copy[k].a = seen ? seen[copy[k].a] : copy[k].a;
    copy[k].b = seen ? seen[copy[k].b] : copy[k].b;
    copy[k].c = seen ? seen[copy[k].c] : copy[k].c;
  }
  file->stitches = shape->stitches;
  file->stitch = copy;
  return MUS_OK;
}

static mus_status write_meshes(mus_run_output *out) {
  mus_arena scratch = {0};
  mus_status status = MUS_OK;
  for (int k = 0; k < out->part_count && !status; ++k) {
    char *path = mus_result_path(&scratch, out->folder, out->names[k], ".obj");
    mus_mesh_file file = {.mesh = out->parts[k].mesh};
    file.mesh.position = (double *)mus_run_part_numbers(&out->parts[k], mus_sim_positions(out->sim)); // not written to
    status = path ? copy_stitches(&scratch, &mus_sim_model(out->sim)->parts[k].shape, &file) : mus_fail_memory();
    if (!status)
      status = mus_mesh_file_write(path, &file);
  }
  mus_arena_clear(&scratch);
  return status;
}

// Where they are at the start, in single precision as everywhere.
static mus_status write_bodies(mus_run_output *out) {
  if (!out->bodies)
    return MUS_OK;
  mus_arena scratch = {0};
  mus_status status = mus_bodies_at(out->bodies, mus_sim_time(out->sim), out->body_position);
  for (size_t i = 0; i < 3 * (size_t)mus_bodies_vertices(out->bodies) && !status; ++i)
    out->body_position[i] = (double)(float)out->body_position[i];
  for (int k = 0; k < out->scene->body_count && !status; ++k) {
    char *path = mus_result_path(&scratch, out->folder, out->body_names[k], ".obj");
    mus_mesh_file file = {.mesh = out->body_meshes[k]};
    status = path ? mus_mesh_file_write(path, &file) : mus_fail_memory();
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- begin -----------------------------------------------------------------------------------------------------------

// The frames of a sequence, the last first, so that a kill on the way leaves no gap.
static mus_status forget_sequence(const char *folder, const char *name, const mus_cache_format *format,
                                  mus_arena *scratch) {
  static const char longest[] = "frame_0000000000.vtu";
  char *path = mus_result_path(scratch, folder, name, mus_cache_format_folder(format));
  char *frame = path ? mus_result_path(scratch, path, longest, "") : NULL;
  if (!frame)
    return mus_fail_memory();
  char *behind = frame + strlen(path) + 1;
  int count = 0;
  while (snprintf(behind, sizeof longest, "frame_%04d%s", count, mus_cache_format_frame(format)) > 0 &&
         mus_result_exists(frame))
    ++count;
  while (count-- > 0) {
    snprintf(behind, sizeof longest, "frame_%04d%s", count, mus_cache_format_frame(format));
    unlink(frame);
  }
  rmdir(path);
  return MUS_OK;
}

// What an earlier run has left of a part or body, in any format, would not fit the new one's mesh.
static mus_status forget_mesh(const char *folder, const char *name, mus_arena *scratch) {
  static const char *const endings[] = {".obj", MUS_RESULT_RESIDUAL ".pc2", MUS_RESULT_RESIDUAL ".pc2.partial",
                                        MUS_RESULT_STRESS ".pc2", MUS_RESULT_STRESS ".pc2.partial"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
    char *path = mus_result_path(scratch, folder, name, endings[k]);
    if (!path)
      return mus_fail_memory();
    unlink(path);
  }
  const mus_cache_format *format;
  mus_status status = MUS_OK;
  for (int k = 0; (format = mus_cache_format_at(k)) && !status; ++k) {
    char ending[32];
    snprintf(ending, sizeof ending, "%s.partial", mus_cache_format_extension(format));
    char *path = mus_result_path(scratch, folder, name, mus_cache_format_extension(format));
    char *growing = mus_result_path(scratch, folder, name, ending);
    if (!path || !growing)
      return mus_fail_memory();
    unlink(path);
    unlink(growing);
    if (mus_cache_format_folder(format))
      status = forget_sequence(folder, name, format, scratch);
  }
  return status;
}

static mus_status forget_scene(const char *folder, const mus_scene *scene, mus_arena *scratch) {
  char(*names)[MUS_RESULT_NAME] = NULL;
  mus_status status = mus_result_names(scratch, scene, &names);
  for (int k = 0; k < scene->cloth_count + scene->solid_count && !status; ++k) {
    char welded[MUS_RESULT_NAME + sizeof ".welded"];
    snprintf(welded, sizeof welded, "%s.welded", names[k]);
    status = forget_mesh(folder, names[k], scratch);
    if (!status)
      status = forget_mesh(folder, welded, scratch);
  }
  if (!status)
    status = mus_result_body_names(scratch, scene, &names);
  for (int k = 0; k < scene->body_count && !status; ++k)
    status = forget_mesh(folder, names[k], scratch);
  return status;
}

static mus_status forget_results(const mus_run_output *out) {
  mus_arena scratch = {0};
  mus_scene before;
  char *path = mus_result_path(&scratch, out->folder, MUS_RESULT_SCENE, "");
  mus_status status = path ? MUS_OK : mus_fail_memory();
  if (!status && mus_scene_load(path, &before) == MUS_OK) {
    status = forget_scene(out->folder, &before, &scratch);
    mus_scene_free(&before);
  }
  if (!status)
    status = forget_scene(out->folder, out->scene, &scratch);
  unlink(out->report_path);
  mus_arena_clear(&scratch);
  return status;
}

static mus_status begin_report(mus_run_output *out) {
  const mus_scene *scene = out->scene;
  char cpu[128];
  mus_processor_name(sizeof cpu, cpu);
  int before = mus_par_set_threads(scene->solver.threads), threads = mus_par_threads();
  mus_par_set_threads(before);
  const mus_report_item head[] = {{.name = "scene", .text = scene->name ? scene->name : "scene"},
                                  {.name = "cloths", .number = scene->cloth_count},
                                  {.name = "solids", .number = scene->solid_count},
                                  {.name = "vertices", .number = mus_sim_vertices(out->sim)},
                                  {.name = "triangles", .number = mus_sim_triangles(out->sim)},
                                  {.name = "tetrahedra", .number = mus_sim_tetrahedra(out->sim)},
                                  {.name = "stitches", .number = mus_sim_model(out->sim)->stitches},
                                  {.name = "solver", .text = mus_method_name(scene->solver.method)},
                                  {.name = "tolerance", .number = scene->solver.tolerance},
                                  {.name = "time_step", .number = scene->time_step},
                                  {.name = "frame_rate", .number = scene->frame_rate},
                                  {.name = "machine.cpu", .text = cpu},
                                  {.name = "machine.threads", .number = threads},
                                  {.name = "solids", .number = scene->solid_count},
                                  {.name = "tetrahedra", .number = mus_sim_tetrahedra(out->sim)}};
  int count = (int)(sizeof head / sizeof *head) - (scene->solid_count > 0 ? 0 : 2); // the last two tell of solids
  return mus_report_create(out->report_path, count, head, &out->report);
}

static mus_cache_definition define_cache(const mus_run_output *out, const mus_run_cache *cache) {
  const mus_mesh *mesh =
      cache->content == MUS_RUN_BODY ? &out->body_meshes[cache->which] : &out->parts[cache->which].mesh;
  int gridded = cache->content == MUS_RUN_POSITIONS && mus_cache_format_takes_grid(cache->format);
  const mus_grid *grid = gridded ? &out->grids.grid[cache->which] : NULL;
  return (mus_cache_definition){.points = grid ? grid->points : mesh->vertices,
                                .frames = out->scene->frames + 1,
                                .frames_per_second = out->scene->frame_rate,
                                .up = out->scene->up,
                                .mesh = grid ? NULL : mesh,
                                .grid = grid};
}

mus_status mus_run_output_begin(mus_run_output *out) {
  // In this order, so that a kill at any moment leaves no checkpoint whose cache is gone, and a folder that is known as
  // a run's by its report.
  mus_status status = mus_checkpoint_forget(out->folder, -1);
  if (!status)
    status = begin_report(out);
  if (!status)
    status = forget_results(out);
  if (!status)
    status = write_scene(out);
  if (!status)
    status = write_meshes(out);
  if (!status)
    status = write_bodies(out);
  for (int k = 0; k < out->cache_count && !status; ++k) {
    mus_run_cache *cache = &out->caches[k];
    mus_cache_definition definition = define_cache(out, cache);
    status = mus_cache_create(cache->path, cache->format, &definition, &cache->writer);
  }
  return status ? status : mus_run_output_frame(out);
}

// --- go on -----------------------------------------------------------------------------------------------------------

mus_status mus_run_output_reopen(mus_run_output *out) {
  mus_status status = mus_report_resume(out->report_path, &out->report);
  for (int k = 0; k < out->cache_count && !status; ++k) {
    mus_run_cache *cache = &out->caches[k];
    mus_cache_definition definition = define_cache(out, cache);
    status = mus_cache_resume(cache->path, cache->format, &definition, &cache->writer);
  }
  return status;
}

int mus_run_output_is_complete(const mus_run_output *out, int frames) {
  int complete = mus_result_exists(out->report_path);
  for (int k = 0; k < out->cache_count; ++k)
    complete =
        complete && mus_result_exists(out->caches[k].path) && mus_cache_frames(out->caches[k].writer) == frames + 1;
  return complete;
}

mus_status mus_run_output_keep(mus_run_output *out, int frames, int steps) {
  mus_status status = write_scene(out); // for the number of frames
  if (!status)
    status = mus_report_keep(out->report, steps);
  for (int k = 0; k < out->cache_count && !status; ++k)
    status = mus_cache_keep(out->caches[k].writer, frames + 1);
  return status;
}

// --- write -----------------------------------------------------------------------------------------------------------

// Items whose names are made of two, mostly for seconds.
enum { TIMED = 2 * MUS_STAGES + 8 };
typedef struct timed_items {
  int count;
  mus_report_item items[TIMED];
  char names[TIMED][40];
} timed_items;

static void add_time(timed_items *list, const char *group, const char *name, double seconds) {
  int k = list->count++;
  snprintf(list->names[k], sizeof list->names[k], "%s.%s", group, name);
  list->items[k] = (mus_report_item){.name = list->names[k], .number = seconds};
}

static void add_stages(timed_items *list, const char *group, const double seconds[MUS_STAGES]) {
  for (int k = 0; k < MUS_STAGES; ++k)
    add_time(list, group, mus_stage_name((mus_stage)k), seconds[k]);
}

mus_status mus_run_output_step(mus_run_output *out, int frame, long long step, const mus_step_record *r,
                               const mus_run_frame *ended) {
  timed_items seconds = {0};
  double stage[MUS_STAGES];
  const mus_report_item items[] = {{.name = "step", .number = (double)step},
                                   {.name = "frame", .number = frame},
                                   {.name = "time", .number = r->time},
                                   {.name = "time_step", .number = r->time_step},
                                   {.name = "halvings", .number = r->halvings},
                                   {.name = "newton_iterations", .number = r->newton_iterations},
                                   {.name = "iterations", .number = r->iterations},
                                   {.name = "retries", .number = r->retries},
                                   {.name = "unfinished", .number = r->unfinished},
                                   {.name = "residual", .number = r->residual},
                                   {.name = "energies.kinetic", .number = r->kinetic},
                                   {.name = "energies.stretch", .number = r->stretch},
                                   {.name = "energies.shear", .number = r->shear},
                                   {.name = "energies.bend", .number = r->bend},
                                   {.name = "energies.potential", .number = r->potential},
                                   {.name = "momentum.x", .number = r->momentum[0]},
                                   {.name = "momentum.y", .number = r->momentum[1]},
                                   {.name = "momentum.z", .number = r->momentum[2]},
                                   {.name = "angular_momentum.x", .number = r->angular_momentum[0]},
                                   {.name = "angular_momentum.y", .number = r->angular_momentum[1]},
                                   {.name = "angular_momentum.z", .number = r->angular_momentum[2]},
                                   {.name = "strain.maximum", .number = r->strain_maximum},
                                   {.name = "strain.percentile_99", .number = r->strain_99},
                                   {.name = "strain.reached", .number = r->strain_reached},
                                   {.name = "strain.overstretched", .number = r->overstretched},
                                   {.name = "strain.inverted", .number = r->inverted},
                                   {.name = "strain.limit_rounds", .number = r->limit_rounds},
                                   {.name = "contacts.body", .number = r->body_contacts},
                                   {.name = "contacts.cloth", .number = r->cloth_contacts},
                                   {.name = "contacts.impacts", .number = r->impacts},
                                   {.name = "contacts.zones", .number = r->zones},
                                   {.name = "contacts.tangled", .number = r->tangled},
                                   {.name = "contacts.impossible", .number = r->impossible},
                                   {.name = "seams.gap", .number = r->seam_gap},
                                   {.name = "seams.open", .number = r->open_stitches},
                                   {.name = "lattices.cycles", .number = r->lattice_cycles},
                                   {.name = "lattices.contacts", .number = r->lattice_contacts},
                                   {.name = "lattices.inverted", .number = r->lattice_inverted},
                                   {.name = "lattices.residual", .number = r->lattice_residual},
                                   {.name = "lattices.volume", .number = r->lattice_volume},
                                   {.name = "rejected_attempts", .number = r->rejected}};
  mus_report_item all[sizeof items / sizeof *items + TIMED];
  mus_step_seconds(r, stage);
  add_stages(&seconds, "seconds", stage);
  add_time(&seconds, "seconds", "write", ended ? ended->write : 0);
  add_stages(&seconds, "rejected_seconds", r->rejected_seconds);
  if (ended && ended->pairs >= 0)
    add_time(&seconds, "contacts", "intersecting_pairs", (double)ended->pairs);
  memcpy(all, items, sizeof items);
  memcpy(all + sizeof items / sizeof *items, seconds.items, (size_t)seconds.count * sizeof *all);
  return mus_report_step(out->report, (int)(sizeof items / sizeof *items) + seconds.count, all);
}

// What caches have in common, computed when the first of them asks for it.
typedef struct frame_numbers {
  int placed, stressed; // bodies' positions, and stresses of solids, are those of this frame
  const double *residual;
} frame_numbers;

static mus_status find_stress(mus_run_output *out, int part, frame_numbers *frame, const double **numbers) {
  mus_status status = frame->stressed ? MUS_OK : mus_sim_stresses(out->sim, out->stress);
  frame->stressed = 1;
  if (!status)
    *numbers = mus_run_part_join(&out->parts[part], out->stress);
  return status;
}

// The numbers that a cache gets.
static mus_status find_numbers(mus_run_output *out, const mus_run_cache *cache, frame_numbers *frame,
                               const double **numbers) {
  mus_status status = MUS_OK;
  if (cache->content == MUS_RUN_BODY) {
    if (!frame->placed)
      status = mus_bodies_at(out->bodies, mus_sim_time(out->sim), out->body_position);
    frame->placed = 1;
    *numbers = out->body_meshes[cache->which].position;
    return status;
  }
  if (cache->content == MUS_RUN_STRESS)
    return find_stress(out, cache->which, frame, numbers);
  if (cache->content == MUS_RUN_RESIDUAL && !frame->residual)
    frame->residual = mus_sim_frame_number(out->sim) > 0 ? mus_sim_residual(out->sim) : out->zeros;
  const double *all = cache->content == MUS_RUN_RESIDUAL ? frame->residual : mus_sim_positions(out->sim);
  *numbers = mus_cache_format_takes_grid(cache->format) ? all + 3 * (size_t)out->parts[cache->which].first
                                                        : mus_run_part_numbers(&out->parts[cache->which], all);
  return MUS_OK;
}

mus_status mus_run_output_frame(mus_run_output *out) {
  const double *numbers = NULL;
  frame_numbers frame = {0};
  mus_status status = out->grids.grid ? mus_run_grids_update(&out->grids) : MUS_OK;
  for (int k = 0; k < out->cache_count && !status; ++k) {
    status = find_numbers(out, &out->caches[k], &frame, &numbers);
    if (!status)
      status = mus_cache_write(out->caches[k].writer, numbers);
  }
  return status;
}

mus_status mus_run_output_sync(mus_run_output *out) {
  mus_status status = mus_report_sync(out->report);
  for (int k = 0; k < out->cache_count && !status; ++k)
    status = mus_cache_sync(out->caches[k].writer);
  return status;
}

mus_status mus_run_output_finish_caches(mus_run_output *out) {
  mus_status status = MUS_OK;
  for (int k = 0; k < out->cache_count && !status; ++k)
    status = mus_cache_finish(out->caches[k].writer);
  return status;
}

// null where they were not counted.
static double counted(long long pairs) { return pairs >= 0 ? (double)pairs : NAN; }

mus_status mus_run_output_finish(mus_run_output *out, const mus_run_record *s, const char *tangled) {
  timed_items seconds = {0};
  const mus_sim_device *device = &s->device;
  const char *failure = *device->failure ? device->failure : NULL;
  const mus_report_item items[] = {{.name = "frames", .number = s->frames},
                                   {.name = "steps", .number = (double)s->steps},
                                   {.name = "halved_steps", .number = (double)s->halved},
                                   {.name = "retries", .number = (double)s->retries},
                                   {.name = "settle_steps", .number = (double)s->settled},
                                   {.name = "tangled_steps", .number = (double)s->tangled},
                                   {.name = "impossible", .number = (double)s->impossible},
                                   {.name = "overstretched_steps", .number = (double)s->overstretched},
                                   {.name = "inverted_steps", .number = (double)s->inverted},
                                   {.name = "unfinished_steps", .number = (double)s->unfinished},
                                   {.name = "strain_reached", .number = s->strain_reached},
                                   {.name = "strain_place.x", .number = s->strain_place[0]},
                                   {.name = "strain_place.y", .number = s->strain_place[1]},
                                   {.name = "strain_place.z", .number = s->strain_place[2]},
                                   {.name = "strain_frame", .number = s->strain_frame},
                                   {.name = "seams.open", .number = s->open_stitches},
                                   {.name = "seams.gap", .number = s->seam_gap},
                                   {.name = "iterations", .number = (double)s->iterations},
                                   {.name = "bytes", .number = (double)s->bytes},
                                   {.name = "device.name", .text = *device->name ? device->name : "cpu"},
                                   {.name = "device.bytes", .number = (double)device->bytes},
                                   {.name = "device.steps", .number = (double)device->steps},
                                   {.name = "device.obstacle", .text = device->obstacle, .number = NAN},
                                   {.name = "device.failure", .text = failure, .number = NAN},
                                   {.name = "device.upload", .number = device->upload_seconds},
                                   {.name = "device.assemble", .number = device->assemble_seconds},
                                   {.name = "device.move", .number = device->move_seconds},
                                   {.name = "device.download", .number = device->download_seconds},
                                   {.name = "intersecting_pairs.start", .number = counted(s->start_pairs)},
                                   {.name = "intersecting_pairs.end", .number = counted(s->end_pairs)},
                                   {.name = "tangled", .json = tangled},
                                   {.name = "rejected_attempts", .number = (double)s->rejected}};
  mus_report_item all[sizeof items / sizeof *items + TIMED];
  add_time(&seconds, "seconds", "total", s->seconds);
  add_time(&seconds, "seconds", "build", s->spent.build);
  add_time(&seconds, "seconds", "settle", s->spent.settle);
  add_stages(&seconds, "seconds", s->spent.step);
  add_time(&seconds, "seconds", "write", s->spent.write);
  add_time(&seconds, "seconds", "check", s->spent.check);
  add_time(&seconds, "seconds", "checkpoint", s->spent.checkpoint);
  add_time(&seconds, "seconds", "preview", s->spent.preview);
  add_time(&seconds, "seconds", "rest", s->spent.rest);
  add_stages(&seconds, "rejected_seconds", s->spent.rejected);
  memcpy(all, items, sizeof items);
  memcpy(all + sizeof items / sizeof *items, seconds.items, (size_t)seconds.count * sizeof *all);
  return mus_report_finish(out->report, (int)(sizeof items / sizeof *items) + seconds.count, all);
}

void mus_run_output_close(mus_run_output *out) {
  for (int k = 0; k < out->cache_count; ++k)
    mus_cache_close(out->caches[k].writer);
  mus_report_close(out->report);
  if (out->folder_open)
    close(out->folder_descriptor);
  mus_arena_clear(&out->arena);
  *out = (mus_run_output){0};
}
