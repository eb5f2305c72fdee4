// See run_output.h.
#define _DEFAULT_SOURCE   // flock
#define _XOPEN_SOURCE 700 // realpath
#include "sim/run_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

// --- plan ------------------------------------------------------------------------------------------------------------

// The mesh of a cloth, whose triangles count its own vertices.
static mus_status plan_mesh(mus_run_output *out, int cloth) {
  const mus_sim *sim = out->sim;
  mus_mesh *mesh = &out->meshes[cloth];
  int first = mus_sim_first_vertex(sim, cloth), face = mus_sim_first_triangle(sim, cloth);
  mesh->vertices = mus_sim_first_vertex(sim, cloth + 1) - first;
  mesh->triangles = mus_sim_first_triangle(sim, cloth + 1) - face;
  size_t corners = 3 * (size_t)mesh->triangles;
  mesh->triangle = mus_arena_alloc(&out->arena, corners, sizeof *mesh->triangle);
  if (!mesh->triangle)
    return mus_fail_memory();
  for (size_t i = 0; i < corners; ++i)
    mesh->triangle[i] = mus_sim_triangle_list(sim)[3 * (size_t)face + i] - first;
  // Neither is written to through the mesh.
  mesh->material = (double *)mus_sim_material(sim) + 6 * (size_t)face;
  mesh->position = (double *)mus_sim_positions(sim) + 3 * (size_t)first;
  return MUS_OK;
}

static mus_status plan_cache(mus_run_output *out, int cloth, const mus_cache_format *format, int residual) {
  mus_run_cache *cache = &out->caches[out->cache_count];
  char ending[32];
  snprintf(ending, sizeof ending, "%s%s", residual ? ".residual" : "", mus_cache_format_extension(format));
  *cache = (mus_run_cache){.cloth = cloth, .residual = residual, .format = format};
  cache->path = mus_result_path(&out->arena, out->folder, out->names[cloth], ending);
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
        return mus_fail(MUS_BAD_INPUT, "the cache format \"%s\" is named twice: name it once", name);
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

static mus_status plan_caches(mus_run_output *out, const char *formats, int residual) {
  const mus_cache_format *list[FORMATS] = {NULL};
  int count = 0;
  mus_status status = parse_formats(formats, list, &count);
  if (status)
    return status;
  size_t most = (size_t)out->scene->cloth_count * (size_t)(count + 1);
  if (!(out->caches = mus_arena_alloc_zero(&out->arena, most, sizeof *out->caches)))
    return mus_fail_memory();
  for (int cloth = 0; cloth < out->scene->cloth_count; ++cloth) {
    for (int k = 0; k < count && !status; ++k)
      status = plan_cache(out, cloth, list[k], 0);
    if (residual && !status)
      status = plan_cache(out, cloth, mus_cache_format_at(0), 1);
  }
  out->zeros =
      residual ? mus_arena_alloc_zero(&out->arena, 3 * (size_t)mus_sim_vertices(out->sim), sizeof(double)) : NULL;
  return residual && !out->zeros ? mus_fail_memory() : status;
}

mus_status mus_run_output_plan(mus_run_output *out, mus_sim *sim, const mus_scene *scene, const char *folder,
                               const char *formats, int residual) {
  out->sim = sim;
  out->scene = scene;
  out->folder = folder;
  out->report_path = mus_result_path(&out->arena, folder, MUS_RESULT_REPORT, "");
  out->meshes = mus_arena_alloc_zero(&out->arena, (size_t)scene->cloth_count, sizeof *out->meshes);
  if (!out->report_path || !out->meshes)
    return mus_fail_memory();
  mus_status status = mus_result_names(&out->arena, scene, &out->names);
  for (int k = 0; k < scene->cloth_count && !status; ++k)
    status = plan_mesh(out, k);
  return status ? status : plan_caches(out, formats, residual);
}

// --- the folder ------------------------------------------------------------------------------------------------------

// The lock dies with its process, so a killed run leaves none behind.
static mus_status lock_folder(mus_run_output *out) {
  out->folder_descriptor = open(out->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (out->folder_descriptor < 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be opened (%s): check the folder and its rights", out->folder,
                    strerror(errno));
  out->folder_open = 1;
  if (flock(out->folder_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return mus_fail(MUS_IO_ERROR, "%.200s: another run is writing there: wait for it or give another folder",
                    out->folder);
  return MUS_OK; // some network file systems have no locks: that is no reason to write nothing
}

static int is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// A scene.json without a report is somebody's own, and so is the mesh that a cloth is read from.
static mus_status check_overwriting(const mus_run_output *out, mus_arena *scratch) {
  char *scene = mus_result_path(scratch, out->folder, MUS_RESULT_SCENE, "");
  char *growing = mus_result_path(scratch, out->folder, MUS_RESULT_REPORT, ".partial");
  if (!scene || !growing)
    return mus_fail_memory();
  if (mus_result_exists(scene) && !mus_result_exists(out->report_path) && !mus_result_exists(growing))
    return mus_fail(MUS_BAD_INPUT, "%.200s: would be overwritten, and no run has written it: give another folder",
                    scene);
  for (int k = 0; k < out->scene->cloth_count; ++k) {
    const char *file = out->scene->cloths[k].shape.file;
    char *mesh = mus_result_path(scratch, out->folder, out->names[k], ".obj");
    if (!mesh)
      return mus_fail_memory();
    if (file && is_same_file(file, mesh))
      return mus_fail(MUS_BAD_INPUT, "%.200s: a cloth is read from it and would be written to it: give another folder",
                      mesh);
  }
  return MUS_OK;
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
    for (int k = 0; k < out->scene->cloth_count; ++k)
      left |= is_left_of(item->d_name, out->names[k], ".obj");
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

// Meshes by their full paths: the scene's own folder is another one.
static mus_status absolute_files(mus_arena *arena, mus_scene *scene) {
  mus_cloth *cloths = mus_arena_alloc(arena, (size_t)scene->cloth_count, sizeof *cloths);
  if (!cloths)
    return mus_fail_memory();
  memcpy(cloths, scene->cloths, (size_t)scene->cloth_count * sizeof *cloths);
  scene->cloths = cloths;
  for (int k = 0; k < scene->cloth_count; ++k) {
    char *real = cloths[k].shape.file ? realpath(cloths[k].shape.file, NULL) : NULL;
    if (!real)
      continue;
    char *copy = mus_arena_alloc(arena, strlen(real) + 1, 1);
    if (copy)
      cloths[k].shape.file = memcpy(copy, real, strlen(real) + 1);
    free(real);
    if (!copy)
      return mus_fail_memory();
  }
  return MUS_OK;
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

static mus_status write_meshes(mus_run_output *out) {
  mus_status status = MUS_OK;
  for (int k = 0; k < out->scene->cloth_count && !status; ++k) {
    char *path = mus_result_path(&out->arena, out->folder, out->names[k], ".obj");
    mus_mesh_file file = {.mesh = out->meshes[k]};
    status = path ? mus_mesh_file_write(path, &file) : mus_fail_memory();
  }
  return status;
}

// --- begin -----------------------------------------------------------------------------------------------------------

// The frames of an OBJ sequence, the last first, so that a kill on the way leaves no gap.
static mus_status forget_sequence(const char *folder, const char *name, mus_arena *scratch) {
  char *path = mus_result_path(scratch, folder, name, "/frame_0000000000.obj");
  if (!path)
    return mus_fail_memory();
  char *behind = path + strlen(path) - strlen("0000000000.obj");
  int count = 0;
  while (sprintf(behind, "%04d.obj", count) > 0 && mus_result_exists(path))
    ++count;
  while (count-- > 0) {
    sprintf(behind, "%04d.obj", count);
    unlink(path);
  }
  behind[-(int)strlen("/frame_")] = 0;
  rmdir(path);
  return MUS_OK;
}

// What an earlier run has left of a cloth, in any format, would not fit the new one's mesh.
static mus_status forget_cloth(const char *folder, const char *name, mus_arena *scratch) {
  static const char *const endings[] = {".obj", ".residual.pc2", ".residual.pc2.partial"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
    char *path = mus_result_path(scratch, folder, name, endings[k]);
    if (!path)
      return mus_fail_memory();
    unlink(path);
  }
  const mus_cache_format *format;
  for (int k = 0; (format = mus_cache_format_at(k)); ++k) {
    char ending[32];
    snprintf(ending, sizeof ending, "%s.partial", mus_cache_format_extension(format));
    char *path = mus_result_path(scratch, folder, name, mus_cache_format_extension(format));
    char *growing = mus_result_path(scratch, folder, name, ending);
    if (!path || !growing)
      return mus_fail_memory();
    unlink(path);
    unlink(growing);
  }
  return forget_sequence(folder, name, scratch);
}

static mus_status forget_scene(const char *folder, const mus_scene *scene, mus_arena *scratch) {
  char(*names)[MUS_RESULT_NAME] = NULL;
  mus_status status = mus_result_names(scratch, scene, &names);
  for (int k = 0; k < scene->cloth_count && !status; ++k)
    status = forget_cloth(folder, names[k], scratch);
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
                                  {.name = "vertices", .number = mus_sim_vertices(out->sim)},
                                  {.name = "triangles", .number = mus_sim_triangles(out->sim)},
                                  {.name = "solver", .text = mus_method_name(scene->solver.method)},
                                  {.name = "tolerance", .number = scene->solver.tolerance},
                                  {.name = "time_step", .number = scene->time_step},
                                  {.name = "frame_rate", .number = scene->frame_rate},
                                  {.name = "machine.cpu", .text = cpu},
                                  {.name = "machine.threads", .number = threads}};
  return mus_report_create(out->report_path, sizeof head / sizeof *head, head, &out->report);
}

static mus_cache_definition define_cache(const mus_run_output *out, int cloth) {
  return (mus_cache_definition){.points = out->meshes[cloth].vertices,
                                .frames = out->scene->frames + 1,
                                .frames_per_second = out->scene->frame_rate,
                                .mesh = &out->meshes[cloth]};
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
  for (int k = 0; k < out->cache_count && !status; ++k) {
    mus_run_cache *cache = &out->caches[k];
    mus_cache_definition definition = define_cache(out, cache->cloth);
    status = mus_cache_create(cache->path, cache->format, &definition, &cache->writer);
  }
  return status ? status : mus_run_output_frame(out);
}

// --- go on -----------------------------------------------------------------------------------------------------------

mus_status mus_run_output_reopen(mus_run_output *out) {
  mus_status status = mus_report_resume(out->report_path, &out->report);
  for (int k = 0; k < out->cache_count && !status; ++k) {
    mus_run_cache *cache = &out->caches[k];
    mus_cache_definition definition = define_cache(out, cache->cloth);
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

mus_status mus_run_output_step(mus_run_output *out, int frame, long long step, const mus_step_record *r) {
  const mus_report_item items[] = {{.name = "step", .number = (double)step},
                                   {.name = "frame", .number = frame},
                                   {.name = "time", .number = r->time},
                                   {.name = "time_step", .number = r->time_step},
                                   {.name = "halvings", .number = r->halvings},
                                   {.name = "newton_iterations", .number = r->newton_iterations},
                                   {.name = "iterations", .number = r->iterations},
                                   {.name = "retries", .number = r->retries},
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
                                   {.name = "seconds.assemble", .number = r->assemble_seconds},
                                   {.name = "seconds.setup", .number = r->setup_seconds},
                                   {.name = "seconds.prefilter", .number = r->prefilter_seconds},
                                   {.name = "seconds.solve", .number = r->solve_seconds},
                                   {.name = "seconds.other", .number = r->other_seconds}};
  return mus_report_step(out->report, sizeof items / sizeof *items, items);
}

mus_status mus_run_output_frame(mus_run_output *out) {
  const double *positions = mus_sim_positions(out->sim), *residual = NULL;
  mus_status status = MUS_OK;
  for (int k = 0; k < out->cache_count && !status; ++k) {
    mus_run_cache *cache = &out->caches[k];
    if (cache->residual && !residual)
      residual = mus_sim_frame_number(out->sim) > 0 ? mus_sim_residual(out->sim) : out->zeros;
    const double *from = cache->residual ? residual : positions;
    status = mus_cache_write(cache->writer, from + 3 * (size_t)mus_sim_first_vertex(out->sim, cache->cloth));
  }
  return status;
}

mus_status mus_run_output_sync(mus_run_output *out) {
  mus_status status = mus_report_sync(out->report);
  for (int k = 0; k < out->cache_count && !status; ++k)
    status = mus_cache_sync(out->caches[k].writer);
  return status;
}

mus_status mus_run_output_finish(mus_run_output *out, const mus_run_summary *summary) {
  const mus_run_summary *s = summary;
  const mus_report_item items[] = {{.name = "frames", .number = s->frames},
                                   {.name = "steps", .number = (double)s->steps},
                                   {.name = "halved_steps", .number = (double)s->halved},
                                   {.name = "retries", .number = (double)s->retries},
                                   {.name = "iterations", .number = (double)s->iterations},
                                   {.name = "bytes", .number = (double)s->bytes},
                                   {.name = "seconds", .number = s->seconds}};
  mus_status status = MUS_OK;
  for (int k = 0; k < out->cache_count && !status; ++k)
    status = mus_cache_finish(out->caches[k].writer);
  return status ? status : mus_report_finish(out->report, sizeof items / sizeof *items, items);
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
