// Result folders: the names in them, for those who write and those who read them.
//
//     scene.json                      the scene, with every default
//     NAME.obj                        a cloth's mesh, or the surface of a solid, as it starts
//     NAME.pc2, .mdd, .usda; NAME/    its positions over time
//     NAME.pvd, NAME.frames/          the same, with velocities and fields, as a VTK series
//     NAME.stress.pc2                 of a solid's surface: von Mises stress, volume change and strain over time
//     BODY.obj, BODY.pc2              a body's mesh as it starts and, where it moves, its positions over time
//     report.json                     what every step did
//     checkpoint_000120.bin           to resume from
//
// NAME is that of mus_part_file_name() (muslin/run.h); BODY is made in the same way, and never clashes with a part's.
#ifndef MUS_IO_RESULT_H
#define MUS_IO_RESULT_H

#include "base/memory.h"
#include "muslin/run.h"

enum { MUS_RESULT_NAME = 72 }; // bytes of a part's or body's name in a folder, with its zero

#define MUS_RESULT_SCENE "scene.json"
#define MUS_RESULT_REPORT "report.json"
#define MUS_RESULT_RESIDUAL ".residual" // between a part's name and ".pc2"
#define MUS_RESULT_STRESS ".stress"     // the same

// "FOLDER/NAMEENDING" from the arena; NULL when memory is short.
char *mus_result_path(mus_arena *arena, const char *folder, const char *name, const char *ending);
// The names of all parts, cloths and then solids, MUS_RESULT_NAME bytes each.
mus_status mus_result_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]);
// The same of all bodies.
mus_status mus_result_body_names(mus_arena *arena, const mus_scene *scene, char (**names)[MUS_RESULT_NAME]);

// Makes the folder and those above it.
mus_status mus_result_make_folder(const char *folder);
int mus_result_exists(const char *path);

#endif
