// A step's linear system as the files that `muslin solve` reads.
#ifndef CLI_SYSTEM_SAVE_H
#define CLI_SYSTEM_SAVE_H

#include "muslin/sim.h"

// Writes A.mtx, b.mtx, the positions X.mtx and the constraints fix.txt into a folder, which is created if missing.
// Returns 0 or an exit status, after saying on stderr what went wrong.
int system_save(const char *program, const char *folder, const mus_sim_system *system);

#endif
