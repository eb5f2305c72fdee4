// Cloths, solids and bodies before the camera: what pictures of results and previews of runs have in common.
//
//   mus_studio_create(parts, bodies, &quality, &studio);
//   for each cloth: fill in studio.mesh[k] but for positions, by mus_studio_dress() and by hand
//   for each solid: mus_studio_dress(), mus_studio_add_solid()
//   for each body: mus_studio_add_body()
//   look through frames: positions as below; mus_studio_measure(&studio, &framing)
//   mus_scene_frame(&studio.scene, &framing), mus_studio_lay_ground(&studio, &framing)
//   for each frame: point studio.mesh[k].position of cloths to positions; mus_studio_place_solid();
//                   mus_studio_place_body() where it moves; mus_studio_draw(&studio);  then use studio.picture
//   mus_studio_free(&studio);
#ifndef MUS_PICTURE_STUDIO_H
#define MUS_PICTURE_STUDIO_H

#include "base/memory.h"
#include "base/up.h"
#include "picture/creases.h"
#include "render/renderer.h"

// What a part is made of: a fabric or a material.
typedef struct mus_matter {
  int is_solid;
  const char *name; // NULL if that is unknown
} mus_matter;

// The surface of a solid.
typedef struct mus_studio_solid {
  mus_creased shape;
  double *position; // 3 numbers for each of the shape's vertices
} mus_studio_solid;

typedef struct mus_studio_body {
  mus_creased shape;
  double *position; // the same
  int moves, hidden;
} mus_studio_body;

typedef struct mus_studio {
  mus_arena arena;
  mus_render_quality quality;
  int parts, bodies;
  mus_up up;               // of the positions that bodies are given; parts' have y up, as pictures do
  mus_studio_solid *solid; // parts; all zero for cloths
  mus_studio_body *body;
  float lowest;                 // m: of all bodies in all frames that were measured
  const mus_studio_body *floor; // drawn as the ground; NULL: none is
  mus_render_scene scene;       // its meshes are ...
  mus_render_mesh *mesh;        // ... these, parts and then bodies
  mus_renderer *renderer;       // made with the first picture, and used for all
  mus_picture picture;          // the last one
} mus_studio;

mus_status mus_studio_create(int parts, int bodies, const mus_render_quality *quality, mus_studio *out);
// Gives a part the look of what it is made of. Earlier parts decide if that look is taken.
void mus_studio_dress(mus_studio *studio, int part, const mus_matter *matter);
// In a colour of the scene's own, if that is given.
void mus_studio_colour_part(mus_studio *studio, int part, const mus_colour *colour);
// A surface as it starts, with creases where its edges are sharp. The mesh is looked at now only.
mus_status mus_studio_add_solid(mus_studio *studio, int part, const mus_mesh *mesh);
// Positions of the mesh's vertices, with y up.
void mus_studio_place_solid(mus_studio *studio, int part, const double *position);
// Numbers of the mesh's vertices, one each, to those of studio.mesh[part].
void mus_studio_spread(const mus_studio *studio, int part, const double *number, double *spread);
// The mesh is looked at now only. `moves`: whether its positions ever change.
mus_status mus_studio_add_body(mus_studio *studio, int body, const mus_mesh *mesh, int moves);
// As the scene wants it: a hidden body is neither drawn nor framed, nor can it be the floor.
void mus_studio_style_body(mus_studio *studio, int body, const mus_colour *colour, int hidden);
// Positions of the mesh's vertices.
void mus_studio_place_body(mus_studio *studio, int body, const double *position);
mus_status mus_studio_draw(mus_studio *studio);
void mus_studio_free(mus_studio *studio);

// Adds all parts as they are now, and bodies as far as they are near: a floor of a hundred metres is not what a
// picture of the cloth on it is about.
void mus_studio_measure(mus_studio *studio, mus_framing *framing);
// After every mus_scene_frame(): a body that is a floor is drawn as the ground, which would otherwise flicker through
// it; or else the ground lies below all bodies. Which is the floor is decided before the first picture.
void mus_studio_lay_ground(mus_studio *studio, const mus_framing *framing);

#endif
