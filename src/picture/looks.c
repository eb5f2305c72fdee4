// What fabrics, materials and bodies look like. See looks.h.
#include "picture/looks.h"

#include <string.h>

#include "render/colour.h"

typedef struct named_look {
  const char *name;
  mus_surface_look look;
} named_look;

// Sheens and roughnesses are chosen by eye; distances of threads are those of such fabrics, but twice as far for cotton
// and denim, whose threads would otherwise be lost in all but the closest pictures.
static const named_look fabrics[] = {
    {"cotton", // natural, unbleached
     {MUS_LOOK_WEAVE, {0.84f, 0.80f, 0.73f}, {0.90f, 0.875f, 0.82f}, 0, {0, 0, 0}, 0.0016f, 0.5f, 0.12f, 0.12f}},
    {"silk", // shot: the weft is brighter
     {MUS_LOOK_WEAVE, {0.60f, 0.07f, 0.10f}, {0.74f, 0.14f, 0.14f}, 0, {0, 0, 0}, 0.0004f, 0.25f, 0.55f, 0.20f}},
    {"wool", {MUS_LOOK_WEAVE, {0.13f, 0.30f, 0.30f}, {0.17f, 0.36f, 0.35f}, 0, {0, 0, 0}, 0.0012f, 0.7f, 0.16f, 0.02f}},
    {"denim", // indigo warp, undyed weft, which shows at the back
     {MUS_LOOK_WEAVE, {0.16f, 0.24f, 0.42f}, {0.34f, 0.42f, 0.56f}, 1, {0.55f, 0.60f, 0.68f}, 0.0016f, 0.6f, 0.10f, 0}},
    {"jersey",
     {MUS_LOOK_WEAVE, {0.60f, 0.61f, 0.64f}, {0.66f, 0.67f, 0.70f}, 0, {0, 0, 0}, 0.0008f, 0.6f, 0.20f, 0.06f}},
    {"leather", // smooth outside, rough inside
     {MUS_LOOK_PLAIN, {0.36f, 0.21f, 0.13f}, {0.36f, 0.21f, 0.13f}, 1, {0.50f, 0.38f, 0.28f}, 0.001f, 0.2f, 0.35f, 0}},
};

static const named_look materials[] = {
    {"rubber", {MUS_LOOK_PLAIN, {0.72f, 0.22f, 0.16f}, {0.72f, 0.22f, 0.16f}, 0, {0, 0, 0}, 1, 0.25f, 0.30f, 0}},
    {"gel", {MUS_LOOK_PLAIN, {0.20f, 0.58f, 0.55f}, {0.20f, 0.58f, 0.55f}, 0, {0, 0, 0}, 1, 0.10f, 0.60f, 0}},
    {"flesh", {MUS_LOOK_PLAIN, {0.84f, 0.58f, 0.48f}, {0.84f, 0.58f, 0.48f}, 0, {0, 0, 0}, 1, 0.35f, 0.20f, 0}},
    {"foam", {MUS_LOOK_PLAIN, {0.90f, 0.80f, 0.46f}, {0.90f, 0.80f, 0.46f}, 0, {0, 0, 0}, 1, 0.80f, 0.05f, 0}},
    {"wood", {MUS_LOOK_PLAIN, {0.56f, 0.37f, 0.20f}, {0.56f, 0.37f, 0.20f}, 0, {0, 0, 0}, 1, 0.50f, 0.08f, 0}},
};

static const mus_float3 palette[] = {{0.30f, 0.42f, 0.58f}, {0.72f, 0.38f, 0.24f}, {0.46f, 0.54f, 0.40f},
                                     {0.80f, 0.62f, 0.26f}, {0.48f, 0.28f, 0.44f}, {0.22f, 0.50f, 0.52f}};

// The first where there is none of that name.
static mus_surface_look find(size_t count, const named_look *looks, const char *name, int earlier) {
  mus_surface_look look = looks[0].look;
  for (size_t k = 0; name && k < count; ++k)
    if (strcmp(looks[k].name, name) == 0)
      look = looks[k].look;
  if (earlier > 0)
    mus_look_recolour(&look, palette[(size_t)(earlier - 1) % (sizeof palette / sizeof *palette)]);
  return look;
}

mus_surface_look mus_fabric_look(const char *fabric, int earlier) {
  return find(sizeof fabrics / sizeof *fabrics, fabrics, fabric, earlier);
}

mus_surface_look mus_solid_look(const char *material, int earlier) {
  return find(sizeof materials / sizeof *materials, materials, material, earlier);
}

void mus_look_recolour(mus_surface_look *look, mus_float3 colour) {
  look->colour = colour;
  look->other = mus_v3_mix(colour, mus_v3(1, 1, 1), 0.08f);
  look->back = mus_v3_mix(colour, mus_v3(1, 1, 1), 0.3f);
}

void mus_look_checker(mus_surface_look *look, float size) {
  mus_float3 linear = mus_linear_from_srgb(look->colour);
  float luminance = 0.2126f * linear.x + 0.7152f * linear.y + 0.0722f * linear.z;
  look->kind = MUS_LOOK_CHECKER;
  look->size = size;
  look->other = mus_v3(0.93f, 0.91f, 0.87f);
  look->has_back = 0;
  if (luminance > 0.3f)
    look->colour = mus_v3(0.71f, 0.16f, 0.15f);
}

mus_surface_look mus_body_look(void) {
  mus_float3 grey = {0.55f, 0.56f, 0.58f};
  return (mus_surface_look){.kind = MUS_LOOK_PLAIN, .colour = grey, .other = grey, .size = 1, .roughness = 0.4f};
}
