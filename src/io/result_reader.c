// Results opened for reading. See result_reader.h.
#include "io/result_reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/result.h"
#include "io/scene.h"
#include "mesh/rest.h"

static char *copied(mus_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = mus_arena_alloc(arena, size, 1);
  if (copy)
    memcpy(copy, text, size);
  return copy;
}

// --- meshes and caches -----------------------------------------------------------------------------------------------

// Texture coordinates of a result are metres; those of other files may be anything.
static mus_status find_material(mus_arena *arena, int from_run, mus_result_part *cloth) {
  mus_rest_options options = mus_rest_default_options();
  if (from_run && cloth->mesh.material) {
    options.source = MUS_REST_TEXTURE;
    options.scale = 1;
  }
  mus_rest_record record;
  mus_status status = mus_rest_shape(arena, &cloth->mesh, &options, &record);
  if (status)
    return mus_fail_prefix(status, "%s", cloth->mesh_path);
  for (size_t i = 0; i < 6 * (size_t)cloth->mesh.triangles; ++i)
    if (!isfinite(cloth->mesh.material[i])) // of a triangle without area, which lies anywhere
      cloth->mesh.material[i] = 0;
  return MUS_OK;
}

static mus_status read_mesh(mus_arena *arena, int from_run, mus_result_part *part) {
  mus_mesh_file file;
  mus_status status = mus_mesh_file_read(part->mesh_path, arena, &file);
  if (status)
    return status;
  part->mesh = file.mesh;
  part->stitches = file.stitches;
  part->stitch = file.stitch;
  if (part->mesh.triangles < 1)
    return mus_fail(MUS_BAD_INPUT, "%s: it has no triangles: give a mesh with faces", part->mesh_path);
  return part->is_solid ? MUS_OK : find_material(arena, from_run, part);
}

static mus_status check_points(const char *path, const mus_cache_reader *reader, const char *mesh_path, int vertices) {
  int points = mus_cache_about(reader)->points;
  if (points == vertices)
    return MUS_OK;
  return mus_fail(MUS_BAD_INPUT, "%s has %d vertices, but %s has %d: they do not belong together", path, points,
                  mesh_path, vertices);
}

// Of a part or a body. On failure the reader is still to be freed.
static mus_status open_cache(mus_result *result, const char *path, const char *mesh_path, int vertices,
                             mus_cache_reader **cache) {
  mus_status status = mus_cache_open(path, cache);
  if (!status)
    status = check_points(path, *cache, mesh_path, vertices);
  if (status)
    return status;
  const mus_cache_info *about = mus_cache_about(*cache);
  if (about->frames < 1)
    return mus_fail(MUS_BAD_INPUT, "%s: no frame is finished yet: try again later", path);
  if (result->frames == 0 || about->frames < result->frames)
    result->frames = about->frames;
  return MUS_OK;
}

// --- a folder --------------------------------------------------------------------------------------------------------

// An unfinished cache goes before a finished one, which is then what an earlier run has left.
static mus_status find_cache(mus_result *result, mus_result_part *part) {
  static const char *const endings[] = {".pc2.partial", ".pc2", ".mdd.partial", ".mdd"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
    const char *path = mus_result_path(&result->arena, result->path, part->name, endings[k]);
    if (!path)
      return mus_fail_memory();
    if (mus_result_exists(path))
      return open_cache(result, path, part->mesh_path, part->mesh.vertices, &part->cache);
  }
  return mus_fail(MUS_BAD_INPUT, "%s: there is neither %s.pc2 nor %s.mdd: run the scene with one of these formats",
                  result->path, part->name, part->name);
}

static mus_status describe_cloth(mus_arena *arena, const mus_scene *scene, const mus_cloth *source,
                                 mus_result_part *part) {
  const char *look = mus_cloth_look(scene, source);
  part->fabric = source->fabric ? copied(arena, source->fabric) : NULL;
  part->look = look == source->fabric ? part->fabric : look;
  part->colour = source->colour;
  return source->fabric && !part->fabric ? mus_fail_memory() : MUS_OK;
}

static mus_status list_holders(mus_arena *arena, const mus_scene *scene, const mus_solid *source,
                               mus_result_part *part) {
  part->holder = mus_arena_alloc(arena, (size_t)source->pin_count, sizeof *part->holder);
  if (!part->holder)
    return mus_fail_memory();
  for (int p = 0; p < source->pin_count && source->method == MUS_SOLID_METHOD_LATTICE; ++p) {
    int body = source->pins[p].body ? mus_scene_body_named(scene, source->pins[p].body) : -1;
    if (body >= 0)
      part->holder[part->holders++] = body;
  }
  return MUS_OK;
}

static mus_status describe_solid(mus_arena *arena, const mus_solid *source, mus_result_part *part) {
  part->is_solid = 1;
  part->is_lattice = source->method == MUS_SOLID_METHOD_LATTICE;
  part->look = source->material ? copied(arena, source->material) : NULL;
  part->colour = source->colour;
  return source->material && !part->look ? mus_fail_memory() : MUS_OK;
}

static mus_status open_part(mus_result *result, const char *name, const mus_scene *scene, int k) {
  mus_arena *arena = &result->arena;
  mus_result_part *part = &result->parts[k];
  part->name = name;
  part->mesh_path = mus_result_path(arena, result->path, name, ".obj");
  if (!part->mesh_path)
    return mus_fail_memory();
  mus_status status = k < scene->cloth_count ? describe_cloth(arena, scene, &scene->cloths[k], part)
                                             : describe_solid(arena, &scene->solids[k - scene->cloth_count], part);
  if (!status && part->is_solid)
    status = list_holders(arena, scene, &scene->solids[k - scene->cloth_count], part);
  if (!status)
    status = read_mesh(arena, 1, part);
  return status ? status : find_cache(result, part);
}

static mus_status open_parts(mus_result *result, const mus_scene *scene) {
  char(*names)[MUS_RESULT_NAME];
  int count = scene->cloth_count + scene->solid_count;
  mus_status status = mus_result_names(&result->arena, scene, &names);
  if (status)
    return status;
  result->parts = mus_arena_alloc_zero(&result->arena, (size_t)count, sizeof *result->parts);
  if (!result->parts)
    return mus_fail_memory();
  for (; result->part_count < count && !status; ++result->part_count)
    status = open_part(result, names[result->part_count], scene, result->part_count);
  return status;
}

// --- seams -----------------------------------------------------------------------------------------------------------

// What lies within the meshes: a run may have left out vertices that no triangle uses.
static mus_status add_seam(mus_result *result, int from, int to, const mus_seam *seam) {
  int *kept = mus_arena_alloc(&result->arena, 2 * (size_t)seam->pair_count, sizeof *kept), count = 0;
  if (!kept)
    return mus_fail_memory();
  for (int k = 0; k < seam->pair_count; ++k) {
    const int *pair = seam->pairs[k];
    if (pair[0] >= 0 && pair[0] < result->parts[from].mesh.vertices && pair[1] >= 0 &&
        pair[1] < result->parts[to].mesh.vertices)
      memcpy(kept + 2 * (size_t)count++, pair, 2 * sizeof *pair);
  }
  result->seams[result->seam_count++] = (mus_result_seam){from, to, count, kept};
  return MUS_OK;
}

static int find_cloth(const mus_scene *scene, const char *name) {
  for (int k = 0; k < scene->cloth_count; ++k)
    if (name && scene->cloths[k].name && strcmp(scene->cloths[k].name, name) == 0)
      return k;
  return -1;
}

static mus_status open_seams(mus_result *result, const mus_scene *scene) {
  result->seams = mus_arena_alloc(&result->arena, (size_t)scene->seam_count, sizeof *result->seams);
  mus_status status = result->seams ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < scene->seam_count && !status; ++k) {
    const mus_seam *seam = &scene->seams[k];
    int from = find_cloth(scene, seam->from), to = find_cloth(scene, seam->to);
    if (from >= 0 && to >= 0)
      status = add_seam(result, from, to, seam);
  }
  return status;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static mus_status open_body(mus_result *result, const char *name, const mus_body *source) {
  const char *mesh = mus_result_path(&result->arena, result->path, name, ".obj");
  const char *whole = mus_result_path(&result->arena, result->path, name, ".pc2");
  const char *growing = mus_result_path(&result->arena, result->path, name, ".pc2.partial");
  if (!mesh || !whole || !growing)
    return mus_fail_memory();
  const char *cache = mus_result_exists(growing) ? growing : mus_result_exists(whole) ? whole : NULL;
  mus_status status = mus_result_add_body(result, mesh, cache);
  if (status)
    return status;
  mus_result_body *body = &result->bodies[result->body_count - 1];
  body->name = name;
  body->colour = source->colour;
  body->hidden = source->hidden;
  return MUS_OK;
}

static mus_status open_bodies(mus_result *result, const mus_scene *scene) {
  char(*names)[MUS_RESULT_NAME];
  mus_status status = mus_result_body_names(&result->arena, scene, &names);
  for (int k = 0; k < scene->body_count && !status; ++k)
    status = open_body(result, names[k], &scene->bodies[k]);
  return status;
}

static mus_status open_folder(mus_result *result) {
  const char *path = mus_result_path(&result->arena, result->path, MUS_RESULT_SCENE, "");
  mus_scene scene;
  if (!path)
    return mus_fail_memory();
  if (!mus_result_exists(path))
    return mus_fail(MUS_BAD_INPUT, "%s: it contains no %s: name a folder that muslin run has written", result->path,
                    MUS_RESULT_SCENE);
  mus_status status = mus_scene_load(path, &scene);
  if (status)
    return status;
  result->frame_rate = scene.frame_rate;
  result->up = scene.up;
  result->planned = scene.frames + 1;
  status = open_parts(result, &scene);
  if (!status)
    status = open_seams(result, &scene);
  if (!status)
    status = open_bodies(result, &scene);
  mus_scene_free(&scene);
  return status;
}

// --- a mesh ----------------------------------------------------------------------------------------------------------

static mus_status open_mesh(mus_result *result, const char *cache) {
  mus_result_part *cloth = mus_arena_alloc_zero(&result->arena, 1, sizeof *cloth);
  if (!cloth)
    return mus_fail_memory();
  result->parts = cloth;
  result->part_count = 1;
  cloth->name = cloth->mesh_path = result->path;
  mus_status status = read_mesh(&result->arena, 0, cloth);
  if (status)
    return status;
  if (cache)
    return open_cache(result, cache, cloth->mesh_path, cloth->mesh.vertices, &cloth->cache);
  result->frames = 1;
  return MUS_OK;
}

// --- either ----------------------------------------------------------------------------------------------------------

mus_status mus_result_open(const char *path, const char *cache, mus_result *out) {
  mus_result result = {.frame_rate = 24};
  struct stat about;
  mus_status status = MUS_OK;
  result.path = copied(&result.arena, path);
  if (!result.path)
    status = mus_fail_memory();
  else if (stat(path, &about) != 0)
    status = mus_fail(MUS_BAD_INPUT, "%s: there is no such result folder or mesh", path);
  else if (S_ISDIR(about.st_mode)) {
    result.is_folder = 1;
    status = cache
                 ? mus_fail(MUS_BAD_INPUT, "%s is a result folder, which has its own caches: do not give another", path)
                 : open_folder(&result);
  } else
    status = open_mesh(&result, cache);
  if (result.planned < result.frames)
    result.planned = result.frames;
  if (status)
    mus_result_close(&result);
  else
    *out = result;
  return status;
}

static mus_status refresh_cache(mus_cache_reader *cache, int *frames) {
  mus_status status = cache ? mus_cache_refresh(cache) : MUS_OK;
  if (cache && !status && mus_cache_about(cache)->frames < *frames)
    *frames = mus_cache_about(cache)->frames;
  return status;
}

// What is missing of these is told as such.
static mus_status refresh_numbers(const mus_result_part *part) {
  int ignored = INT_MAX;
  mus_status status = refresh_cache(part->residual, &ignored);
  return status ? status : refresh_cache(part->stress, &ignored);
}

mus_status mus_result_refresh(mus_result *result) {
  int frames = result->planned;
  mus_status status = MUS_OK;
  for (int k = 0; k < result->part_count && !status; ++k)
    status = refresh_cache(result->parts[k].cache, &frames);
  for (int k = 0; k < result->body_count && !status; ++k)
    status = refresh_cache(result->bodies[k].cache, &frames);
  for (int k = 0; k < result->part_count && !status; ++k)
    status = refresh_numbers(&result->parts[k]);
  if (!status && frames < result->frames)
    status = mus_fail(MUS_BAD_INPUT, "%s: frames have disappeared because the run was restarted: open it again",
                      result->path);
  if (!status)
    result->frames = frames;
  return status;
}

mus_status mus_result_add_body(mus_result *result, const char *mesh, const char *cache) {
  mus_result_body body = {0}, *all;
  mus_mesh_file file;
  int count = result->body_count, frames = result->frames;
  all = mus_arena_alloc(&result->arena, (size_t)count + 1, sizeof *all);
  body.name = body.mesh_path = copied(&result->arena, mesh);
  if (!all || !body.name)
    return mus_fail_memory();
  mus_status status = mus_mesh_file_read(mesh, &result->arena, &file);
  if (status)
    return status;
  body.mesh = file.mesh;
  if (cache)
    status = open_cache(result, cache, mesh, body.mesh.vertices, &body.cache);
  if (status) {
    mus_cache_reader_free(body.cache);
    result->frames = frames;
    return status;
  }
  if (count > 0)
    memcpy(all, result->bodies, (size_t)count * sizeof *all);
  all[count] = body;
  result->bodies = all;
  ++result->body_count;
  return MUS_OK;
}

void mus_result_close(mus_result *result) {
  for (int k = 0; k < result->body_count; ++k)
    mus_cache_reader_free(result->bodies[k].cache);
  for (int k = 0; k < result->part_count; ++k) {
    mus_cache_reader_free(result->parts[k].cache);
    mus_cache_reader_free(result->parts[k].residual);
    mus_cache_reader_free(result->parts[k].stress);
  }
  mus_arena_clear(&result->arena);
  *result = (mus_result){0};
}

mus_status mus_result_positions(const mus_result *result, int part, int frame, double *positions) {
  const mus_result_part *from = &result->parts[part];
  if (from->cache)
    return mus_cache_read(from->cache, frame, positions);
  memcpy(positions, from->mesh.position, 3 * (size_t)from->mesh.vertices * sizeof *positions);
  return MUS_OK;
}

mus_status mus_result_body_positions(const mus_result *result, int body, int frame, double *positions) {
  const mus_result_body *from = &result->bodies[body];
  if (from->cache)
    return mus_cache_read(from->cache, frame, positions);
  memcpy(positions, from->mesh.position, 3 * (size_t)from->mesh.vertices * sizeof *positions);
  return MUS_OK;
}

// Numbers of a part's vertices beside its positions, in NAMEWHAT.pc2; `hint` says how a run leaves them.
static mus_status open_numbers(mus_result *result, const mus_result_part *part, const char *what, const char *hint,
                               mus_cache_reader **out) {
  char whole[32], growing[32];
  snprintf(whole, sizeof whole, "%s.pc2", what);
  snprintf(growing, sizeof growing, "%s.pc2.partial", what);
  const char *path = mus_result_path(&result->arena, result->path, part->name, whole);
  const char *partial = mus_result_path(&result->arena, result->path, part->name, growing);
  if (!path || !partial)
    return mus_fail_memory();
  path = mus_result_exists(partial) ? partial : path;
  if (!mus_result_exists(path))
    return mus_fail(MUS_BAD_INPUT, "%s: %s", result->path, hint);
  mus_status status = mus_cache_open(path, out);
  return status ? status : check_points(path, *out, part->mesh_path, part->mesh.vertices);
}

mus_status mus_result_open_residuals(mus_result *result) {
  if (!result->is_folder)
    return mus_fail(MUS_BAD_INPUT, "%s: only result folders have residuals: name one", result->path);
  mus_status status = MUS_OK;
  for (int k = 0; k < result->part_count && !status; ++k)
    status = open_numbers(result, &result->parts[k], MUS_RESULT_RESIDUAL,
                          "it has no residuals: run the scene with --residual", &result->parts[k].residual);
  return status;
}

mus_status mus_result_open_stresses(mus_result *result) {
  mus_status status = MUS_OK;
  int solids = 0;
  for (int k = 0; k < result->part_count && !status; ++k) {
    mus_result_part *part = &result->parts[k];
    solids += part->is_solid;
    if (part->is_solid && !part->stress)
      status =
          open_numbers(result, part, MUS_RESULT_STRESS, "stresses are missing: run the scene again", &part->stress);
  }
  if (!status && solids == 0)
    return mus_fail(MUS_BAD_INPUT, "%s: only solids have stresses, and there are none", result->path);
  return status;
}

// A frame's numbers; NaN where there are none.
static mus_status read_numbers(const mus_result_part *part, mus_cache_reader *reader, int frame, double *numbers) {
  const mus_cache_info *about = reader ? mus_cache_about(reader) : NULL;
  int sample = about ? frame - (int)lround(about->start) : -1;
  if (about && sample >= 0 && sample < about->frames)
    return mus_cache_read(reader, sample, numbers);
  for (size_t i = 0; i < 3 * (size_t)part->mesh.vertices; ++i)
    numbers[i] = NAN;
  return MUS_OK;
}

mus_status mus_result_residuals(const mus_result *result, int part, int frame, double *residuals) {
  return read_numbers(&result->parts[part], result->parts[part].residual, frame, residuals);
}

mus_status mus_result_stresses(const mus_result *result, int part, int frame, double *stresses) {
  return read_numbers(&result->parts[part], result->parts[part].stress, frame, stresses);
}
