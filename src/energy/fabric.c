// The fabrics. See fabric.h; docs/fabrics.md has the source of every value.
#include "energy/fabric.h"

#include "base/error.h"
#include "base/initialised.h"
#include "energy/bend.h"
#include "energy/named.h"

// KES-F's units: a shear stiffness of 1 gf/(cm degree) is 56.19 N/m, a bending stiffness of 1 gf cm^2/cm 9.807e-5 N m.
static const mus_fabric fabrics[] = {
    {.name = "cotton",
     .about = "plain weave, the default",
     .density = 0.17,
     .thickness = 0.4e-3,
     .stretch = {5000, 5000},
     .shear = 750,
     .bend = {1.0e-5, 1.0e-5, 1.0e-5},
     .stretch_damping = 2e-3,
     .shear_damping = 2e-3,
     .bend_damping = 1e-2,
     .friction = 0.5,
     .strain_limit = {0.2, 0.2}},
    {.name = "silk",
     .about = "crepe de chine, 16 momme",
     .density = 0.07,
     .thickness = 0.2e-3,
     .stretch = {9000, 5000},
     .shear = 17,
     .bend = {2.0e-6, 1.3e-6, 1.4e-6},
     .stretch_damping = 1e-3,
     .shear_damping = 2e-3,
     .bend_damping = 5e-3,
     .friction = 0.3,
     .strain_limit = {0.11, 0.2}},
    {.name = "wool",
     .about = "worsted suiting",
     .density = 0.264,
     .thickness = 0.75e-3,
     .stretch = {9000, 7300},
     .shear = 54,
     .bend = {1.46e-5, 1.20e-5, 1.1e-5},
     .stretch_damping = 3e-3,
     .shear_damping = 5e-3,
     .bend_damping = 2e-2,
     .friction = 0.4,
     .strain_limit = {0.11, 0.13}},
    {.name = "denim",
     .about = "11 oz twill",
     .density = 0.324,
     .thickness = 0.8e-3,
     .stretch = {9000, 6000},
     .shear = 120,
     .bend = {9.7e-5, 6.4e-5, 7.3e-5},
     .stretch_damping = 3e-3,
     .shear_damping = 5e-3,
     .bend_damping = 2e-2,
     .friction = 0.6,
     .strain_limit = {0.11, 0.16}},
    {.name = "jersey",
     .about = "interlock T-shirt knit, wales along the warp",
     .density = 0.187,
     .thickness = 0.7e-3,
     .stretch = {350, 125},
     .shear = 40,
     .bend = {3.5e-6, 5.8e-6, 6.2e-6},
     .stretch_damping = 1e-2,
     .shear_damping = 1e-2,
     .bend_damping = 2e-2,
     .friction = 0.5},
    {.name = "leather",
     .about = "sheep nappa for garments",
     .density = 0.5,
     .thickness = 0.8e-3,
     .stretch = {6000, 5000},
     .shear = 2000,
     .bend = {2.0e-5, 2.0e-5, 2.0e-5},
     .stretch_damping = 1e-2,
     .shear_damping = 1e-2,
     .bend_damping = 3e-2,
     .friction = 0.6},
};

enum { FABRICS = sizeof fabrics / sizeof fabrics[0] };

const mus_fabric *mus_fabric_at(int index) { return index >= 0 && index < FABRICS ? &fabrics[index] : NULL; }

const char *mus_fabric_name(int index) {
  const mus_fabric *fabric = mus_fabric_at(index);
  return fabric ? fabric->name : NULL;
}

mus_status mus_fabric_find(const char *name, const mus_fabric **out) {
  int number;
  mus_status status = mus_named_find("fabric", mus_fabric_name, name, &number);
  if (!status)
    *out = mus_fabric_at(number);
  return status;
}

mus_fabric mus_fabric_own(const mus_scene_fabric *own) {
  return (mus_fabric){.name = own->name ? own->name : "without a name",
                      .about = "the scene's own",
                      .density = own->density,
                      .thickness = own->thickness,
                      .stretch = {own->stretch[0], own->stretch[1]},
                      .shear = own->shear,
                      .bend = {own->bend[0], own->bend[1], own->bend[2]},
                      .stretch_damping = own->damping[0],
                      .shear_damping = own->damping[1],
                      .bend_damping = own->damping[2],
                      .friction = own->friction,
                      .strain_limit = {own->strain_limit[0], own->strain_limit[1]}};
}

mus_scene_fabric mus_default_fabric(int like) {
  int known = like >= 0 && like < FABRICS ? like : 0;
  const mus_fabric *f = &fabrics[known];
  return (mus_scene_fabric){.like = known,
                            .density = f->density,
                            .stretch = {f->stretch[0], f->stretch[1]},
                            .shear = f->shear,
                            .bend = {f->bend[0], f->bend[1], f->bend[2]},
                            .damping = {f->stretch_damping, f->shear_damping, f->bend_damping},
                            .thickness = MUS_CLOTH_THICKNESS,
                            .friction = MUS_CLOTH_FRICTION,
                            .cookie = MUS_COOKIE};
}

// Bending along every direction is at least 0: warp c^4 + x c^2 s^2 + weft s^4 >= 0 where x >= -2 sqrt(warp weft).
static int bends_everywhere(const double *bend) {
  return 4 * bend[2] - bend[0] - bend[1] >= -2 * sqrt(bend[0] * bend[1]);
}

mus_status mus_fabric_check(const mus_fabric *fabric) {
  const mus_named_value values[] = {{"density", fabric->density, 0},
                                    {"thickness", fabric->thickness, 1},
                                    {"stretch along the warp", fabric->stretch[0], 1},
                                    {"stretch along the weft", fabric->stretch[1], 1},
                                    {"shear", fabric->shear, 1},
                                    {"bend along the warp", fabric->bend[0], 1},
                                    {"bend along the weft", fabric->bend[1], 1},
                                    {"bend along the bias", fabric->bend[2], 1},
                                    {"stretch damping", fabric->stretch_damping, 1},
                                    {"shear damping", fabric->shear_damping, 1},
                                    {"bend damping", fabric->bend_damping, 1},
                                    {"friction", fabric->friction, 1},
                                    {"strain limit along the warp", fabric->strain_limit[0], 1},
                                    {"strain limit along the weft", fabric->strain_limit[1], 1}};
  mus_status status = mus_named_check("fabric", fabric->name, sizeof values / sizeof values[0], values);
  if (status)
    return status;
  if (!bends_everywhere(fabric->bend))
    return mus_fail(MUS_BAD_INPUT, "fabric %s: bend along the bias is %g, too soft beside %g and %g along the threads",
                    fabric->name, fabric->bend[2], fabric->bend[0], fabric->bend[1]);
  return MUS_OK;
}

mus_membrane_material mus_fabric_membrane(const mus_fabric *fabric) {
  mus_membrane_material material = {
      .stretch = {fabric->stretch[0], fabric->stretch[1]},
      .shear = fabric->shear,
      .stretch_damping = {fabric->stretch[0] * fabric->stretch_damping, fabric->stretch[1] * fabric->stretch_damping},
      .shear_damping = fabric->shear * fabric->shear_damping};
  return material;
}

// What a share of the strip's strain adds to its compliance; nothing where it has no share, whatever the stiffness.
static double compliance(double share, double stiffness) { return share > 0 ? share / stiffness : 0; }

double mus_fabric_strip(const mus_fabric *fabric, double cosine, double sine) {
  double c = cosine * cosine, s = sine * sine;
  return 1 / (compliance(c * c, fabric->stretch[0]) + compliance(s * s, fabric->stretch[1]) +
              compliance(c * s, fabric->shear));
}
