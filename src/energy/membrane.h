// What reports want of a triangle that stretches and shears. Its kind is in kinds.h.
#ifndef MUS_ENERGY_MEMBRANE_H
#define MUS_ENERGY_MEMBRANE_H

#include "energy/element_list.h"

typedef struct mus_membrane_measure {
  double stretch, shear; // J
  double strain[2];      // |w_u| - 1 and |w_v| - 1
} mus_membrane_measure;

// `list` is of mus_membrane_kind.
mus_membrane_measure mus_membrane_measured(const mus_element_list *list, int triangle, const double *position,
                                           double scale);

// Up to which |w_u|^2 + |w_v|^2 + |w_u . w_v| the weights of Projective Dynamics are a bound of shear's second
// derivative.
#define MUS_SHEAR_BOUND 2.5

#endif
