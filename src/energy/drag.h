// Drag of the air on runs of triangles. Private to energy/.
#ifndef MUS_ENERGY_DRAG_H
#define MUS_ENERGY_DRAG_H

#include "energy/element_list.h"

// The air's velocity at the middle of a triangle.
void mus_wind_on(const mus_weather *weather, double time, const int *vertex, const double *position, double *wind);

// Drag on triangles first ... first + count - 1 of those given by `vertex`, 3 each, added to what gradient and block
// hold. evaluation->scale is a factor on it, and there is no energy.
void mus_drag_add(const int *vertex, int first, int count, const mus_evaluation *evaluation);

// The same as an evaluation of its own: what gradient and block hold before does not count, nor does the scale.
void mus_drag_evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation);

#endif
