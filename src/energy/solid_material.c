// The materials of solids. See solid_material.h; docs/solids.md has the source of every value.
#include "energy/solid_material.h"

#include "energy/named.h"

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
  int number;
  mus_status status = mus_named_find("material", mus_solid_material_name, name, &number);
  if (!status)
    *out = mus_solid_material_at(number);
  return status;
}

mus_status mus_solid_material_check(const mus_solid_material *material, double poisson_maximum) {
  const mus_named_value values[] = {
      {"density", material->density, 0}, {"young", material->young, 0}, {"damping", material->damping, 1}};
  mus_status status = mus_named_check("material", material->name, sizeof values / sizeof values[0], values);
  if (status)
    return status;
  if (!(material->poisson > -1 && material->poisson < 0.5))
    return mus_fail(MUS_BAD_INPUT,
                    "material %s: poisson is %g; give a number greater than -1 and at most %.10g: beyond 0.5 or below "
                    "-1 no material is stable",
                    material->name, material->poisson, poisson_maximum);
  if (material->poisson > poisson_maximum)
    return mus_fail(MUS_BAD_INPUT,
                    "material %s: poisson is %g; give at most %g: nearly incompressible tetrahedra lock, and are too "
                    "stiff; on a lattice (\"method\": \"lattice\") they do not",
                    material->name, material->poisson, poisson_maximum);
  return MUS_OK;
}
