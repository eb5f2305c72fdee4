// The table of kinds. See kinds.h.
#include "energy/kinds.h"

const mus_element_kind *const mus_element_kinds[] = {
    &mus_membrane_kind, &mus_hinge_kind, &mus_edge_spring_kind, &mus_cross_spring_kind, &mus_tension_spring_kind,
    &mus_buckling_kind, &mus_drag_kind,  &mus_stitch_kind,      &mus_edge_stitch_kind,  NULL};

const mus_element_kind *const mus_joining_kinds[] = {&mus_stitch_kind, &mus_edge_stitch_kind, NULL};

enum { KINDS_MAXIMUM = 4 };

static const mus_element_kind *const cloths[][KINDS_MAXIMUM] = {
    [MUS_CLOTH_MODEL_BARAFF_WITKIN] = {&mus_membrane_kind, &mus_hinge_kind},
    [MUS_CLOTH_MODEL_CHOI_KO] = {&mus_drag_kind, &mus_tension_spring_kind, &mus_buckling_kind},
    [MUS_CLOTH_MODEL_MASS_SPRING] = {&mus_drag_kind, &mus_edge_spring_kind, &mus_cross_spring_kind},
};

const mus_element_kind *const *mus_cloth_kinds(mus_cloth_model model) {
  size_t number = (size_t)model; // a negative one is far beyond the last
  return number < sizeof cloths / sizeof *cloths ? cloths[number] : NULL;
}
