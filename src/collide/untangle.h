// Ways out of intersections: where surfaces go through each other, which nodes to push, where to and how far.
//
// Cloth in a solid body: vertices that lie inside (winding.h) go out, or to the middle where parts of bodies hold them
// (escape.h).
//
// Cloth in cloth, cloth that a body pierces between its vertices, and cloth in bodies that are mere sheets: by contours
// (contours.h). Where a contour cuts a strand in two, the smaller side has gone astray (sides.h) and is sent back: the
// ends on that side of the edges that go through return through their triangles. The front of a body that is a mere
// sheet is where cloth belongs: ends behind it return. A contour that cuts neither strand in two is made shorter
// (Volino and Magnenat-Thalmann 2006), all of it in one direction.
//
// What is pushed depends on the positions alone, so a run that is resumed goes on as it would have. Pushes do not
// depend on the number of threads. Without crossings, and with no vertex inside, there are none.
#ifndef MUS_COLLIDE_UNTANGLE_H
#define MUS_COLLIDE_UNTANGLE_H

#include "collide/detector.h"
#include "collide/winding.h"

typedef struct mus_untangler mus_untangler;

// The surface must outlive it. `x`: typical positions; they say which bodies are solid.
mus_status mus_untangler_create(const mus_surface *surface, const double *x, mus_untangler **out);
void mus_untangler_free(mus_untangler *untangler); // NULL is fine
size_t mus_untangler_bytes(const mus_untangler *untangler);

// What it knows about the insides of bodies; may be fitted to other positions between calls.
mus_winding *mus_untangler_winding(const mus_untangler *untangler);

typedef struct mus_untangle_record {
  int inside;   // cloth vertices inside bodies
  int pinched;  // those of them that overlapping parts hold
  int contours; // in all
  int returned; // those with a side that is sent back
  int shrunk;   // those that are made shorter
} mus_untangle_record;

// Pushes are contacts (contact.h) with `distance` <= 0: minus how far the two features still have to go from each other
// along `normal`, m, the gap at which they rest included. It is a way to go from here on, not a signed distance of the
// closest points. Only nodes of cloth matter; nodes of bodies keep their place.
//
// Vertices that are inside are looked for from the crossings with bodies onwards, so cloth that lies in a body with no
// crossing at all is not found. `all`: among all cloth vertices; for the first step of a run, and on until none is
// inside.
//
// `released`, where given, becomes what mus_detector_release() must be told so that all this can happen, together with
// mus_untangler_loose(): the crossings that are not with solid bodies.
mus_status mus_untangle_pushes(mus_untangler *untangler, const double *x, const mus_list *crossings, int all,
                               mus_list *pushes, mus_list *released, mus_untangle_record *record);
// What the last call found in solid bodies; lives as long as the untangler, until the next call.
const mus_loose *mus_untangler_loose(const mus_untangler *untangler);

#endif
