// Where the cloths of a result intersect something, as colours of their vertices, and the key to these. Private to
// picture/.
#ifndef MUS_PICTURE_CONTACT_COLOURS_H
#define MUS_PICTURE_CONTACT_COLOURS_H

#include "render/picture.h"
#include "result/result_surface.h"

typedef struct mus_contact_colours {
  mus_result_surface all;
  float *colour;             // 3 numbers for each vertex of all cloths, sRGB
  long long crossing, seams; // pairs of triangles in the frame that was found last
} mus_contact_colours;

// The result must outlive it. On failure there is nothing to free.
mus_status mus_contact_colours_create(const mus_result *result, mus_contact_colours *out);
void mus_contact_colours_free(mus_contact_colours *colours); // one that is all zero is fine
// The corners of cloth triangles that intersect something are red, those that do so at seams orange, all others
// `plain`.
mus_status mus_contact_colours_find(mus_contact_colours *colours, int frame, mus_float3 plain);
const float *mus_contact_colours_of(const mus_contact_colours *colours, int cloth);
// Writes the key into a picture of that frame.
void mus_contact_colours_explain(const mus_contact_colours *colours, mus_picture *picture);

#endif
