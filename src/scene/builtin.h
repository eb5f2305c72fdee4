// The table of built-in scenes. Private to scene/.
#ifndef MUS_SCENE_BUILTIN_H
#define MUS_SCENE_BUILTIN_H

typedef struct mus_builtin {
  const char *name, *about, *text; // the text is what a user would write
} mus_builtin;

// A mesh that is not ours to give, for the first solid of a scene: a file below the folder that MUSLIN_DATA names,
// taken where it is there, and metres per unit of it.
typedef struct mus_builtin_file {
  const char *scene, *file;
  double scale;
} mus_builtin_file;

// Those in which cloth meets hardly anything, those in which it does, and those with solids.
extern const mus_builtin mus_builtin_free[], mus_builtin_contact[], mus_builtin_solids[];
extern const int mus_builtin_free_count, mus_builtin_contact_count, mus_builtin_solids_count;

extern const mus_builtin_file mus_builtin_files[];
extern const int mus_builtin_files_count;

#endif
