// Where cloths intersect something, as colours. See contact_colours.h.
#include "picture/contact_colours.h"

#include <stdio.h>

#include "base/error.h"
#include "render/legend.h"

static const mus_float3 red = {0.86f, 0.07f, 0.07f}, orange = {0.97f, 0.62f, 0.10f};

mus_status mus_contact_colours_create(const mus_result *result, mus_contact_colours *out) {
  *out = (mus_contact_colours){0};
  mus_status status = mus_result_surface_create(result, &out->all);
  if (status)
    return status;
  size_t vertices = (size_t)out->all.first_vertex[result->part_count];
  out->colour = mus_arena_alloc_zero(&out->all.arena, 3 * vertices, sizeof *out->colour);
  if (out->colour)
    return MUS_OK;
  mus_contact_colours_free(out);
  return mus_fail_memory();
}

void mus_contact_colours_free(mus_contact_colours *colours) {
  mus_result_surface_free(&colours->all);
  *colours = (mus_contact_colours){0};
}

static void paint_vertex(mus_contact_colours *colours, int vertex, mus_float3 colour) {
  float *to = colours->colour + 3 * (size_t)vertex;
  to[0] = colour.x;
  to[1] = colour.y;
  to[2] = colour.z;
}

// Bodies have triangles of any size, and are left as they are.
static void paint_triangle(mus_contact_colours *colours, int triangle, mus_float3 colour) {
  const mus_result_surface *all = &colours->all;
  for (int k = 0; k < 3 && triangle < all->first_triangle[all->result->part_count]; ++k)
    paint_vertex(colours, all->whole.triangle[3 * (size_t)triangle + (size_t)k], colour);
}

mus_status mus_contact_colours_find(mus_contact_colours *colours, int frame, mus_float3 plain) {
  mus_result_surface *all = &colours->all;
  mus_status status = mus_result_surface_search(all, frame);
  if (status)
    return status;
  const mus_intersection *pair = all->pairs.items;
  colours->crossing = colours->seams = 0;
  for (int v = 0; v < all->first_vertex[all->result->part_count]; ++v)
    paint_vertex(colours, v, plain);
  for (int seams = 1; seams >= 0; --seams) // red goes over orange
    for (size_t k = 0; k < all->pairs.count; ++k)
      if (pair[k].at_seam == seams) {
        paint_triangle(colours, pair[k].first, seams ? orange : red);
        paint_triangle(colours, pair[k].second, seams ? orange : red);
        ++*(seams ? &colours->seams : &colours->crossing);
      }
  return MUS_OK;
}

const float *mus_contact_colours_of(const mus_contact_colours *colours, int cloth) {
  return colours->colour + 3 * (size_t)colours->all.first_vertex[cloth];
}

void mus_contact_colours_explain(const mus_contact_colours *colours, mus_picture *picture) {
  char crossing[64], seams[64];
  snprintf(crossing, sizeof crossing, "%lld intersecting", colours->crossing);
  snprintf(seams, sizeof seams, "%lld at seams", colours->seams);
  const mus_key_line lines[] = {{red, crossing}, {orange, seams}};
  mus_key_draw(picture, "pairs of triangles", colours->seams > 0 ? 2 : 1, lines);
}
