// The order in which nonlinear full multigrid takes search directions from the levels of a hierarchy (Wang, Wu,
// Fratarcangeli, Tang and Wang 2018, section 4.2): V-cycles that begin at the coarsest level first and one level finer
// each time, with r made anew on the finest level after each. In the last and largest of them, that is done on the way
// down and up as well, above an intermediate level (figure 7). Private to step/minimise/.
#ifndef MUS_STEP_MINIMISE_FULL_CYCLE_H
#define MUS_STEP_MINIMISE_FULL_CYCLE_H

#include "step/minimise/minimise.h"

// Takes one direction from a level, and goes along it.
typedef mus_status mus_level_search(mus_minimisation *m, void *own, int level, mus_correction kind);

// The V-cycles from the coarsest level, levels - 1, to the second finest, 1.
mus_status mus_full_cycle_rise(mus_minimisation *m, int levels, mus_level_search *search, void *own);
// The largest one: smoothing alone above the level `middle`, with r made anew each time.
mus_status mus_full_cycle_largest(mus_minimisation *m, int middle, mus_level_search *search, void *own);

#endif
