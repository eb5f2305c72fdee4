// The table of built-in scenes. Private to scene/.
#ifndef MUS_SCENE_BUILTIN_H
#define MUS_SCENE_BUILTIN_H

typedef struct mus_builtin {
  const char *name, *about, *text; // the text is what a user would write
} mus_builtin;

// A mesh that is not ours to give, for the first solid of a scene: a file below the folder that MUSLIN_DATA names,
// taken where it is there, metres per unit of it, and how far the solid is moved besides, m.
typedef struct mus_builtin_file {
  const char *scene, *file;
  double scale, shift[3];
} mus_builtin_file;

// Those in which cloth meets hardly anything, those in which it does, those with solids, and those with lattices.
extern const mus_builtin mus_builtin_free[], mus_builtin_contact[], mus_builtin_solids[], mus_builtin_lattices[];
extern const int mus_builtin_free_count, mus_builtin_contact_count, mus_builtin_solids_count,
    mus_builtin_lattices_count;

#endif
