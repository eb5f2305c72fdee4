// Random garments that start inside bodies, as users bring them: a size too small, or not quite in place.
//
// From a seed: a tube around a sphere, around the waist or around a leg of the mannequin, one of two skirts or the
// dress that `dressed` sews on the mannequin, or a T-shirt on a body with holes, eyes and hair; of cotton, silk or
// denim.
//
// Each has a way out, by construction. Tubes are at least 85% of the girth of what they go round, where that is widest;
// garments are 85 to 100% of the size that fits; and all are shifted by less than a third of the half-width of what
// they go round, so that they still do.
#ifndef TESTS_SUPPORT_GARMENTS_H
#define TESTS_SUPPORT_GARMENTS_H

#include <stddef.h>

typedef struct garments_scene {
  char text[1500];
  const char *kind;    // in words
  const char *file[2]; // what it needs from the optional data folder; NULL: nothing
} garments_scene;

// `dress`: the OBJ file that garments_sew_dress() wrote, whose name is in the scene where the seed says so.
garments_scene garments_make(unsigned seed, double time_step, const char *dress);

// Sews the dress on the mannequin, in a folder of its own, and returns the path of its welded mesh in `path`. What goes
// wrong ends the test.
void garments_sew_dress(const char *folder, char *path, size_t size);

#endif
