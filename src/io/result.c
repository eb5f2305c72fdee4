// Names in result folders. See result.h.
#include "io/result.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/scene.h"

char *mus_result_path(mus_arena *arena, const char *folder, const char *name, const char *ending) {
  size_t size = strlen(folder) + 1 + strlen(name) + strlen(ending) + 1;
  char *path = mus_arena_alloc(arena, size, 1);
  if (path)
    snprintf(path, size, "%s/%s%s", folder, name, ending);
  return path;
}

// --- names -----------------------------------------------------------------------------------------------------------

enum { PLAIN = 60 }; // bytes before "-2"

// Names must do for every file system, so only what none gives a meaning to is kept.
static void make_plain(const char *name, const char *otherwise, char plain[PLAIN + 1]) {
  int n = 0;
  for (; name && name[n] && n < PLAIN; ++n) {
    unsigned char c = (unsigned char)name[n];
    int kept = c < 128 && (isalnum(c) || c == '_' || (c == '-' && n > 0)); // a dash in front would look like an option
    plain[n] = (char)(kept ? c : '_');
  }
  plain[n] = 0;
  if (n == 0)
    snprintf(plain, PLAIN + 1, "%s", otherwise);
}

// Some file systems do not tell capital letters from small ones.
static int is_taken(int count, char names[][MUS_RESULT_NAME], const char *name) {
  for (int k = 0; k < count; ++k)
    if (strcasecmp(names[k], name) == 0)
      return 1;
  return 0;
}

static int count_parts(const mus_scene *scene) { return scene->cloth_count + scene->solid_count; }

// Of part or body `k`, the parts first, and what it is called where it has none.
static const char *name_of(const mus_scene *scene, int k, const char **otherwise) {
  int solid = k - scene->cloth_count, body = solid - scene->solid_count;
  *otherwise = solid < 0 ? "cloth" : body < 0 ? "solid" : "body";
  return solid < 0 ? scene->cloths[k].name : body < 0 ? scene->solids[solid].name : scene->bodies[body].name;
}

// Cloths first, solids and bodies behind them, so that these change no cloth's name.
static mus_status name_all(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]) {
  int count = count_parts(scene) + scene->body_count;
  char(*list)[MUS_RESULT_NAME] = mus_arena_alloc(arena, (size_t)count, sizeof *list);
  if (!list)
    return mus_fail_memory();
  for (int k = 0; k < count; ++k) {
    char plain[PLAIN + 1];
    const char *otherwise, *name = name_of(scene, k, &otherwise);
    make_plain(name, otherwise, plain);
    snprintf(list[k], sizeof list[k], "%s", plain);
    for (int n = 2; is_taken(k, list, list[k]); ++n)
      snprintf(list[k], sizeof list[k], "%s-%d", plain, n);
  }
  *names = list;
  return MUS_OK;
}

mus_status mus_result_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]) {
  return name_all(arena, scene, names);
}

mus_status mus_result_body_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]) {
  mus_status status = name_all(arena, scene, names);
  if (!status)
    *names += count_parts(scene);
  return status;
}

// Of the first `count` parts.
static mus_status file_name(const mus_scene *scene, const char *what, int number, int count, size_t size, char *name) {
  mus_arena scratch = {0};
  char(*names)[MUS_RESULT_NAME] = NULL;
  mus_status status = mus_result_names(&scratch, scene, &names);
  if (!status && (number < 0 || number >= count))
    status = mus_fail(MUS_BAD_INPUT, "%s %d is outside 0...%d", what, number, count - 1);
  if (!status)
    snprintf(name, size, "%s", names[number]);
  mus_arena_clear(&scratch);
  return status;
}

mus_status mus_part_file_name(const mus_scene *scene, int part, size_t size, char *name) {
  mus_status status = mus_scene_check_initialised(scene);
  return status ? status : file_name(scene, "part", part, count_parts(scene), size, name);
}

mus_status mus_cloth_file_name(const mus_scene *scene, int cloth, size_t size, char *name) {
  mus_status status = mus_scene_check_initialised(scene);
  return status ? status : file_name(scene, "cloth", cloth, scene->cloth_count, size, name);
}

// --- folders ---------------------------------------------------------------------------------------------------------

static mus_status make_one(const char *path, const char *folder) {
  struct stat about;
  if (mkdir(path, 0777) == 0)
    return MUS_OK;
  int why = errno;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    return MUS_OK;
  return mus_fail(MUS_IO_ERROR, "%.200s: the folder cannot be created (%s): check the name and the permissions", folder,
                  strerror(why));
}

mus_status mus_result_make_folder(const char *folder) {
  mus_arena scratch = {0};
  char *path = mus_result_path(&scratch, folder, "", ""); // with a slash behind it, so that the last one is made too
  mus_status status = path ? MUS_OK : mus_fail_memory();
  for (char *slash = path ? strchr(path + 1, '/') : NULL; slash && !status; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    status = make_one(path, folder);
    *slash = '/';
  }
  mus_arena_clear(&scratch);
  return status;
}

int mus_result_exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}
