// The materials of solids. See solid_material.h; docs/solids.md has the source of every value.
#include "energy/solid_material.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mus_solid_material materials[] = {
    {.name = "rubber",
     .about = "vulcanised natural rubber without fillers",
     .density = 950,
     .young = 1.2e6,
     .poisson = 0.45,
     .damping = 1e-3},
    {.name = "gel",
     .about = "gelatine, one part in ten of water",
     .density = 1030,
     .young = 1.5e4,
     .poisson = 0.45,
     .damping = 5e-3},
    {.name = "flesh", .about = "muscle at rest", .density = 1060, .young = 2.0e4, .poisson = 0.45, .damping = 2e-2},
    {.name = "foam",
     .about = "open-cell polyurethane, as in cushions",
     .density = 40,
     .young = 5.0e4,
     .poisson = 0.33,
     .damping = 1e-2},
    {.name = "wood",
     .about = "spruce, with the stiffness along its grain in all directions",
     .density = 450,
     .young = 1.0e10,
     .poisson = 0.4,
     .damping = 1e-5},
};

enum { MATERIALS = sizeof materials / sizeof materials[0] };

const mus_solid_material *mus_solid_material_at(int index) {
  return index >= 0 && index < MATERIALS ? &materials[index] : NULL;
}

const char *mus_solid_material_name(int index) {
  const mus_solid_material *material = mus_solid_material_at(index);
  return material ? material->name : NULL;
}

mus_status mus_solid_material_find(const char *name, const mus_solid_material **out) {
  char names[256] = "";
  size_t length = 0;
  for (int k = 0; k < MATERIALS; ++k) {
    if (strcmp(name, materials[k].name) == 0) {
      *out = &materials[k];
      return MUS_OK;
    }
    int written = snprintf(names + length, sizeof names - length, "%s%s", k == 0 ? "" : ", ", materials[k].name);
    length += (size_t)written < sizeof names - length ? (size_t)written : 0;
  }
  return mus_fail(MUS_BAD_INPUT, "there is no material named \"%s\"; there are %s", name, names);
}

mus_status mus_solid_material_check(const mus_solid_material *material) {
  const struct {
    const char *name;
    double value;
    int may_be_zero;
  } values[] = {{"density", material->density, 0}, {"young", material->young, 0}, {"damping", material->damping, 1}};
  for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
    if (!isfinite(values[k].value) || values[k].value < 0 || (values[k].value <= 0 && !values[k].may_be_zero))
      return mus_fail(MUS_BAD_INPUT, "material %s: %s is %g; give a %s number", material->name, values[k].name,
                      values[k].value, values[k].may_be_zero ? "finite, not negative" : "finite, positive");
  }
  if (!(material->poisson > -1 && material->poisson < 0.5))
    return mus_fail(MUS_BAD_INPUT,
                    "material %s: poisson is %g; give a number greater than -1 and at most %g: beyond 0.5 or below -1 "
                    "no material is stable",
                    material->name, material->poisson, MUS_POISSON_MAXIMUM);
  if (material->poisson > MUS_POISSON_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT,
                    "material %s: poisson is %g; give at most %g: nearly incompressible tetrahedra lock, and are too "
                    "stiff",
                    material->name, material->poisson, MUS_POISSON_MAXIMUM);
  return MUS_OK;
}
