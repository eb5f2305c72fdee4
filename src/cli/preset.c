// Solvers and their presets. See preset.h.
#include "preset.h"

#include <stddef.h>

#include "failure.h"

const char *const preset_words[] = {"paper", "fast", "robust", NULL};
const char *const device_words[] = {"cpu", "cuda", "auto", NULL};
const char *const stop_words[] = {"initial", "rhs", "euclidean", "energy", NULL};

int method_choose(const char *program, const char *word, mus_method *method) {
  mus_status status = mus_method_from_name(word, method);
  if (status)
    return failure_status(program, "--solver", status);
  return mus_method_available(*method)
             ? 0
             : failure_input(program, "--solver: this build has no %s; see docs/solver.md for how to build with it",
                             word);
}

void preset_fill(mus_preset preset, mus_solver_options *options) {
  mus_solver_options filled = mus_preset_solver_options(preset);
  filled.method = options->method;
  filled.tolerance = options->tolerance;
  filled.stop = options->stop;
  filled.threads = options->threads;
  filled.device = options->device;
  *options = filled;
}
