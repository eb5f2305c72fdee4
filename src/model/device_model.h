// A model as the stages of a step on a device take it (cuda/step_stages.h).
#ifndef MUS_MODEL_DEVICE_MODEL_H
#define MUS_MODEL_DEVICE_MODEL_H

#include "cuda/step_stages.h"
#include "model/model.h"

// What of the model a device knows nothing of, in words that fit before "do not run on a GPU"; NULL: nothing.
const char *mus_model_obstacle(const mus_model *model);
// The same of its elements alone.
const char *mus_model_element_obstacle(const mus_model *model);
// `list` has room for all lists; both look at the model's arrays.
mus_status mus_model_describe(const mus_model *model, mus_stage_list *list, mus_stage_model *out);

#endif
