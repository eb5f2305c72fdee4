// Pins of a scene as models have them: which vertices they hold, and how firmly.
//
// A weight w between 0 and 1 is a spring of the stiffness
//
//   k_i = M g / L w_i / (1 - w_i) m_i / sum of m,   g = 9.81 m/s^2,   L = 1 cm,
//
// with the cloth's mass M and the sum over all vertices of the pin. Where all weights are the same, cloth that hangs
// from this pin alone hangs L (1 - w) / w below it: 1 cm at 0.5, 1.1 mm at 0.9. That depends neither on the time step
// nor on how fine the mesh is, and goes to what is held exactly, w = 1, and to what is free, w = 0.
#ifndef MUS_MODEL_PINS_H
#define MUS_MODEL_PINS_H

#include "model/model.h"

// The pins of all cloths, whose meshes and masses are there. Errors name the cloth and the pin.
mus_status mus_model_make_pins(mus_model *model);
// Their stiffnesses, once more after masses have changed.
void mus_model_weigh_pins(mus_model *model);

#endif
