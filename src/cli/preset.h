// Presets of the solver on the command line.
#ifndef CLI_PRESET_H
#define CLI_PRESET_H

#include "muslin/muslin.h"

extern const char *const preset_words[]; // in the order of mus_preset; ends with NULL

// Fills in a preset where method, tolerance and threads are to stay.
void preset_fill(mus_preset preset, mus_solver_options *options);

#endif
