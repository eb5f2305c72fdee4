// Bending across seams: sewn edges bend as the fabric does. Private to model/.
//
// With all seams welded (mesh/weld.h), there are hinges where two panels meet. Their elements are made as those of a
// cloth are, from a mesh and a topology with these hinges alone, and act once the seams are closed.
#ifndef MUS_MODEL_SEAM_HINGES_H
#define MUS_MODEL_SEAM_HINGES_H

#include "base/list.h"
#include "model/model.h"

// Hinges that act from a time on, as a source of elements.
typedef struct mus_seam_hinges {
  int cloth;    // the first of the two that meet
  double since; // s
  mus_element_source source;
} mus_seam_hinges;

// Adds sources to a list of mus_seam_hinges; what they point to comes from the model's arena. Stitches must have been
// made.
mus_status mus_seam_hinges_find(mus_model *model, mus_list *found);

#endif
