// One solver of a measurement, as `--solvers` names it: NAME[:PRESET][:filtered][:DEVICE], for example sa, sa:fast,
// sa:paper:filtered, diag:filtered, sa:cuda. Without a preset it has the scene's settings.
#ifndef CLI_BENCH_VARIANT_H
#define CLI_BENCH_VARIANT_H

#include "muslin/muslin.h"

typedef struct bench_variant {
  char name[40]; // as it was given
  mus_method method;
  int preset;                       // a mus_preset; negative: as the scene says
  int filtered;                     // constraints are filtered out of vectors, not out of the matrix
  char smoother[MUS_SMOOTHER_TEXT]; // "": the preset's or the scene's
  int device;                       // a mus_device_choice; negative: not said
  int stationary;                   // cycles without conjugate gradients
} bench_variant;

// Returns 0, or an exit status after saying on stderr what is wrong with the word.
int bench_variant_parse(const char *program, const char *word, bench_variant *variant);

// The settings of the preset, or the scene's: tolerance and threads are the scene's either way.
mus_solver_options bench_variant_options(const bench_variant *variant, const mus_solver_options *scene);

#endif
