// Cloth vertices inside solid bodies, and their ways out.
//
// A vertex inside goes to the nearest point of the surface that is not buried in another part and, unless that is far
// away, faces as the cloth around does that is outside: what is nearest may be the other side of a limb. Two
// exceptions:
//
// Where two parts of bodies overlap and hold a vertex between them, either would push it into the other. It goes to the
// middle of the overlap and rests there, so that it comes free when the parts do.
//
// Where a region of cloth is impaled rather than dipped in, the nearest points lie sideways: all around it the cloth
// outside stands in the way, and it would only be stretched. Such a region goes where less of the body is beyond the
// cloth: towards the tip, along the limb, as far as that is. Where the cloth does not cut the body in two, it goes
// along its normal, the shorter way.
#ifndef MUS_COLLIDE_ESCAPE_H
#define MUS_COLLIDE_ESCAPE_H

#include "collide/contours.h"
#include "collide/sides.h"
#include "collide/winding.h"

typedef struct mus_escape {
  int vertex;
  int found;                // 0: it has no way out
  int pinched;              // 1: between parts that overlap
  int turned;               // 1: to another place than the nearest, since the cloth around is there
  mus_surface_point target; // of the body
  double direction[3];      // unit
  double depth;             // m, to go
  double normal[3];         // of the cloth
} mus_escape;

// Working memory, and the answer to the latest question.
typedef struct mus_escapes {
  const mus_surface *surface;
  mus_winding *winding;
  int count;
  mus_escape *escape;
  unsigned char *inside; // cloth vertices, where asked for
  unsigned char *asked;  // cloth vertices
  int *candidate;        // those asked for, `candidates` of them
  int candidates;
  int *place; // cloth vertices: those inside, among the escapes
} mus_escapes;

mus_status mus_escapes_create(mus_arena *arena, const mus_surface *surface, mus_winding *winding, mus_escapes *out);

// What to look at: positions, crossings and their contours.
typedef struct mus_tangle {
  const double *x;
  const mus_crossing *crossing;
  int crossings;
  mus_contours contours;
} mus_tangle;

// The winding is fitted to x. From the crossings on, or among all cloth vertices. Escapes come from the arena. They are
// forgotten by mus_escapes_forget(), which must be called before the next question.
mus_status mus_escapes_find(mus_escapes *escapes, mus_arena *arena, const mus_tangle *tangle, mus_sides *sides,
                            int all);
void mus_escapes_forget(mus_escapes *escapes);

static inline int mus_is_inside(const mus_escapes *escapes, int vertex) {
  return vertex < escapes->surface->cloth_vertices && escapes->asked[vertex] && escapes->inside[vertex];
}

// That of a vertex of the crossing's edge or triangle which is inside; NULL where there is none.
const mus_escape *mus_escape_beside(const mus_escapes *escapes, const mus_crossing *crossing);

#endif
