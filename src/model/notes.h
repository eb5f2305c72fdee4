// What a user should know of a scene that is sound but may not be what was meant: sizes that no garment has, and
// keys and values of a fabric or a solid that the model does not use.
#ifndef MUS_MODEL_NOTES_H
#define MUS_MODEL_NOTES_H

#include "model/model.h"

enum { MUS_NOTE_SIZE = 256 };

// Looks the finished model over and fills its notes.
mus_status mus_model_make_notes(mus_model *model);
// NULL past the last.
const char *mus_model_note(const mus_model *model, int index);

#endif
