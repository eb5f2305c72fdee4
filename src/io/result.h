// Result folders: the names in them, for those who write and those who read them.
//
//     scene.json                      the scene, with every default
//     NAME.obj                        a cloth's mesh as it starts
//     NAME.pc2, .mdd, .usda; NAME/    its positions over time
//     NAME.pvd, NAME.frames/          the same, with velocities and fields, as a VTK series
//     BODY.obj, BODY.pc2              a body's mesh as it starts and, where it moves, its positions over time
//     report.json                     what every step did
//     checkpoint_000120.bin           to resume from
//
// NAME is that of mus_cloth_file_name() (muslin/run.h); BODY is made in the same way, and never clashes with a cloth's.
#ifndef MUS_IO_RESULT_H
#define MUS_IO_RESULT_H

#include "base/memory.h"
#include "muslin/run.h"

enum { MUS_RESULT_NAME = 72 }; // bytes of a cloth's or body's name in a folder, with its zero

#define MUS_RESULT_SCENE "scene.json"
#define MUS_RESULT_REPORT "report.json"

// "FOLDER/NAMEENDING" from the arena; NULL when memory is short.
char *mus_result_path(mus_arena *arena, const char *folder, const char *name, const char *ending);
// The names of all cloths, cloth_count * MUS_RESULT_NAME bytes.
mus_status mus_result_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]);
// The same of all bodies.
mus_status mus_result_body_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]);

// Makes the folder and those above it.
mus_status mus_result_make_folder(const char *folder);
int mus_result_exists(const char *path);

#endif
