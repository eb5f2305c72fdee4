// The kinds of elements that there are, and what cloths and solids are made of.
#ifndef MUS_ENERGY_KINDS_H
#define MUS_ENERGY_KINDS_H

#include "energy/element_list.h"
#include "muslin/scene.h"

extern const mus_element_kind mus_membrane_kind, // stretch and shear of every triangle, and drag on it
    mus_hinge_kind,                              // bending at every hinge
    mus_edge_spring_kind,                        // mass-spring cloth: along every edge, all alike
    mus_cross_spring_kind,     // mass-spring cloth: between the two corners opposite to an inner edge, all alike
    mus_tension_spring_kind,   // Choi and Ko's type 1, along every edge: slack under compression
    mus_buckling_kind,         // Choi and Ko's type 2, across every hinge
    mus_drag_kind,             // drag on every triangle, where there is air
    mus_stitch_kind,           // between vertices
    mus_edge_stitch_kind,      // from a vertex to a point of an edge
    mus_button_kind,           // a spring between vertices
    mus_face_button_kind,      // from a vertex to a point of a triangle
    mus_corotated_kind,        // tetrahedra of solids: co-rotated linear,
    mus_neo_hookean_kind,      // stable Neo-Hookean,
    mus_venant_kirchhoff_kind, // St. Venant and Kirchhoff's;
    mus_solid_spring_kind;     // mass-spring solids: along every edge of the tetrahedra

// All of them, up to NULL.
extern const mus_element_kind *const mus_element_kinds[];

// What a cloth of that model is made of, up to NULL, in the order in which forces are added up. NULL if there is no
// such model.
const mus_element_kind *const *mus_cloth_kinds(mus_cloth_model model);
// Which values of a fabric have no effect on it, in words; NULL for none.
const char *mus_cloth_unused(mus_cloth_model model);
// Whether it resists shear by a stiffness of its own, and whether its strain can be limited.
int mus_cloth_shears(mus_cloth_model model);
int mus_cloth_can_limit(mus_cloth_model model);
// What a solid of that model is made of, in the same way.
const mus_element_kind *const *mus_solid_kinds(mus_solid_model model);
// Whether it has the material's Poisson's ratio; springs have their own.
int mus_solid_uses_poisson(mus_solid_model model);
// What holds cloths together, up to NULL.
extern const mus_element_kind *const mus_joining_kinds[];

#endif
