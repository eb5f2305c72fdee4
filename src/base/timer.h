// Wall-clock seconds from a steady clock; differences are what counts.
#ifndef MUS_BASE_TIMER_H
#define MUS_BASE_TIMER_H

double mus_seconds(void);

#endif
