// Presets of the solver. See preset.h.
#include "preset.h"

#include <stddef.h>

const char *const preset_words[] = {"paper", "fast", "robust", NULL};

void preset_fill(mus_preset preset, mus_solver_options *options) {
  mus_solver_options filled = mus_preset_solver_options(preset);
  filled.method = options->method;
  filled.tolerance = options->tolerance;
  filled.threads = options->threads;
  *options = filled;
}
