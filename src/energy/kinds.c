// The table of kinds. See kinds.h.
#include "energy/kinds.h"

const mus_element_kind *const mus_element_kinds[] = {&mus_membrane_kind,       &mus_hinge_kind,
                                                     &mus_edge_spring_kind,    &mus_cross_spring_kind,
                                                     &mus_tension_spring_kind, &mus_buckling_kind,
                                                     &mus_drag_kind,           &mus_stitch_kind,
                                                     &mus_edge_stitch_kind,    &mus_button_kind,
                                                     &mus_face_button_kind,    &mus_corotated_kind,
                                                     &mus_neo_hookean_kind,    &mus_venant_kirchhoff_kind,
                                                     &mus_solid_spring_kind,   NULL};

const mus_element_kind *const mus_joining_kinds[] = {&mus_stitch_kind, &mus_edge_stitch_kind, &mus_button_kind,
                                                     &mus_face_button_kind, NULL};

enum { KINDS_MAXIMUM = 4 };

typedef struct cloth_model {
  const mus_element_kind *kinds[KINDS_MAXIMUM];
  const char *unused; // of a fabric
  int shears;
} cloth_model;

static const cloth_model cloths[] = {
    [MUS_CLOTH_MODEL_BARAFF_WITKIN] = {{&mus_membrane_kind, &mus_hinge_kind}, NULL, 1},
    [MUS_CLOTH_MODEL_CHOI_KO] = {{&mus_drag_kind, &mus_tension_spring_kind, &mus_buckling_kind}, "damping of shear", 1},
    [MUS_CLOTH_MODEL_MASS_SPRING] = {{&mus_drag_kind, &mus_edge_spring_kind, &mus_cross_spring_kind},
                                     "shear, weft and bias",
                                     0},
};

static const cloth_model *model_at(mus_cloth_model model) {
  size_t number = (size_t)model; // a negative one is far beyond the last
  return number < sizeof cloths / sizeof *cloths ? &cloths[number] : NULL;
}

const mus_element_kind *const *mus_cloth_kinds(mus_cloth_model model) {
  const cloth_model *found = model_at(model);
  return found ? found->kinds : NULL;
}

const char *mus_cloth_unused(mus_cloth_model model) {
  const cloth_model *found = model_at(model);
  return found ? found->unused : NULL;
}

int mus_cloth_shears(mus_cloth_model model) {
  const cloth_model *found = model_at(model);
  return found && found->shears;
}

int mus_cloth_can_limit(mus_cloth_model model) {
  const mus_element_kind *const *kind = mus_cloth_kinds(model);
  while (kind && *kind && !(*kind)->limit)
    ++kind;
  return kind && *kind;
}

static const mus_element_kind *const solids[][2] = {
    [MUS_SOLID_MODEL_NEO_HOOKEAN] = {&mus_neo_hookean_kind},
    [MUS_SOLID_MODEL_COROTATED] = {&mus_corotated_kind},
    [MUS_SOLID_MODEL_VENANT_KIRCHHOFF] = {&mus_venant_kirchhoff_kind},
    [MUS_SOLID_MODEL_MASS_SPRING] = {&mus_solid_spring_kind},
};

const mus_element_kind *const *mus_solid_kinds(mus_solid_model model) {
  size_t number = (size_t)model;
  return number < sizeof solids / sizeof *solids ? solids[number] : NULL;
}

int mus_solid_uses_poisson(mus_solid_model model) {
  const mus_element_kind *const *kind = mus_solid_kinds(model);
  while (kind && *kind && !(*kind)->law)
    ++kind;
  return kind && *kind;
}
