// Folders of mesh files. See mesh_files.h.
#include "support/mesh_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/meshes.h"

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

mus_mesh_file mesh_files_read(mus_arena *arena, const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  mus_mesh_file file;
  if (mus_mesh_file_read(path, arena, &file) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return file;
}

mus_mesh_file mesh_files_parse(mus_arena *arena, const char *text) {
  mus_mesh_file file;
  if (mus_mesh_file_parse("text", text, strlen(text), arena, &file) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return file;
}

static long largest_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss; // KiB
}

void mesh_files_refuse(const char *folder, int count, const mesh_refusal *refusals) {
  long before = largest_memory();
  for (int k = 0; k < count; ++k) {
    char path[256], expected[512];
    snprintf(path, sizeof path, "%s/%s", folder, refusals[k].file);
    snprintf(expected, sizeof expected, "%s%s", path, refusals[k].text);
    mus_arena arena = {0};
    mus_mesh_file file = {.groups = -7};
    mus_status status = mus_mesh_file_read(path, &arena, &file);
    if (status != MUS_BAD_INPUT || strcmp(mus_last_error(), expected) != 0)
      fail_msg("%s gave %s: %s", path, mus_status_name(status), status == MUS_OK ? "" : mus_last_error());
    assert_int_equal(file.groups, -7);
    mus_arena_clear(&arena);
  }
  assert_true(largest_memory() - before < 64 * 1024);
}

static size_t load(const char *path, char *to, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(to, 1, size, file);
  assert_true(length < size);
  fclose(file);
  return length;
}

static void try_file(const char *folder, const char *name) {
  enum { SIZE = 1 << 16 };
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  mus_arena arena = {0};
  mus_mesh_file file;
  mus_status status = mus_mesh_file_read(path, &arena, &file);
  if (begins(name, "good_") && status != MUS_OK)
    fail_msg("%s", mus_last_error());
  if (begins(name, "bad_") && status != MUS_BAD_INPUT)
    fail_msg("%s was read", name);
  mus_arena_clear(&arena);
  char *text = malloc(SIZE);
  assert_non_null(text);
  size_t length = load(path, text, SIZE);
  for (size_t part = 0; part <= length; part += 1 + part / 256) {
    mus_mesh_file_parse(name, text, part, &arena, &file);
    mus_arena_clear(&arena);
  }
  free(text);
}

int mesh_files_try_all(const char *folder) {
  DIR *directory = opendir(folder);
  assert_non_null(directory);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.') {
      try_file(folder, entry->d_name);
      ++files;
    }
  closedir(directory);
  return files;
}

static char own_folder[] = "/tmp/muslin_mesh_files_XXXXXX";

int mesh_files_make_folder(void **state) {
  (void)state;
  return mkdtemp(own_folder) ? 0 : -1;
}

int mesh_files_remove_folder(void **state) {
  (void)state;
  return rmdir(own_folder);
}

const char *mesh_files_path(const char *name) {
  static char path[4][256];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", own_folder, name);
  return path[next];
}

int mesh_files_count(void) {
  DIR *directory = opendir(own_folder);
  assert_non_null(directory);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    files += entry->d_name[0] != '.';
  closedir(directory);
  return files;
}

static int same_groups(const mus_mesh_file *a, const mus_mesh_file *b) {
  for (int t = 0; t < a->mesh.triangles; ++t)
    if (strcmp(a->group[a->triangle_group[t]].name, b->group[b->triangle_group[t]].name) != 0)
      return 0;
  return a->groups == b->groups;
}

static int same_stitches(const mus_mesh_file *a, const mus_mesh_file *b) {
  if (a->stitches != b->stitches)
    return 0;
  for (int k = 0; k < a->stitches; ++k) {
    const mus_stitch *s = &a->stitch[k], *t = &b->stitch[k];
    if (s->a != t->a || s->b != t->b || s->c != t->c || memcmp(&s->ratio, &t->ratio, sizeof s->ratio) != 0)
      return 0;
  }
  return 1;
}

int mesh_files_same(const mus_mesh_file *a, const mus_mesh_file *b) {
  return meshes_same(&a->mesh, &b->mesh) && same_groups(a, b) && same_stitches(a, b);
}
