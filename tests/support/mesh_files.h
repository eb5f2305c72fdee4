// Folders of mesh files that must be read (good_), refused (bad_) or just not crash (found_), and a folder to write to.
#ifndef TESTS_SUPPORT_MESH_FILES_H
#define TESTS_SUPPORT_MESH_FILES_H

#include "io/mesh_file.h"

// Reads folder/name; what goes wrong ends the test.
mus_mesh_file mesh_files_read(mus_arena *arena, const char *folder, const char *name);
// The same from text.
mus_mesh_file mesh_files_parse(mus_arena *arena, const char *text);

typedef struct mesh_refusal {
  const char *file;
  const char *text; // what the error says after the file's name
} mesh_refusal;
// Each of the files is refused as MUS_BAD_INPUT with its text, and without much memory.
void mesh_files_refuse(const char *folder, int count, const mesh_refusal *refusals);
// Every file of the folder keeps its name's promise, and every beginning of it gives a status. Answers how many.
int mesh_files_try_all(const char *folder);

// cmocka's set-up and tear-down for a folder of one's own; the latter fails when something was left in it.
int mesh_files_make_folder(void **state);
int mesh_files_remove_folder(void **state);
// The path of a file in it; one of four buffers, used in turn.
const char *mesh_files_path(const char *name);
int mesh_files_count(void);

// Whether the two hold the same: mesh, groups and stitches, bit for bit.
int mesh_files_same(const mus_mesh_file *a, const mus_mesh_file *b);

#endif
