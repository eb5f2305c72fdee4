// How many vertices of a scene run in real time on this machine: found by trying a few steps.
#ifndef CLI_REAL_TIME_H
#define CLI_REAL_TIME_H

#include "muslin/scene.h"

// An estimate: steps of the scene with about a thousand vertices are timed, for a second or so, and taken to grow as
// vertices^1.15; half of the time is left to the browser, and to contacts that are still to come. Between that
// thousand, so that pins find vertices to hold, and what the scene says. 0 where there is nothing to choose: every
// cloth is from a file, or the scene cannot be tried. The scene's generated cloths are left with some other number of
// vertices, in the same proportions.
int real_time_vertices(const char *program, mus_scene *scene);

#endif
