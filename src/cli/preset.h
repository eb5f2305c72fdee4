// Solvers and their presets on the command line.
#ifndef CLI_PRESET_H
#define CLI_PRESET_H

#include "muslin/muslin.h"

extern const char *const preset_words[]; // in the order of mus_preset; ends with NULL
extern const char *const device_words[]; // of mus_device_choice
extern const char *const stop_words[];   // of mus_stop

// The method of that name. Returns 0 or an exit status, after saying on stderr what is wrong: there is none, or not in
// this build.
int method_choose(const char *program, const char *word, mus_method *method);
// Fills in a preset where method, tolerance, stop, threads and device are to stay.
void preset_fill(mus_preset preset, mus_solver_options *options);

#endif
