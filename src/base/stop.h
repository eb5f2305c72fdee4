// Requests to stop, the private side of mus_set_stop() in muslin/status.h.
//
// Work that may take long asks now and then whether it is still wanted:
//
//     mus_status status = mus_stop_check();
//
// and ends like any call that fails, with MUS_STOPPED. Asking costs next to nothing and changes nothing, so that loops
// which take milliseconds per round ask in each. Requests belong to a thread; those that work for it in a parallel
// region are handed its request:
//
//     mus_stop_request *stop = mus_stop_current();   before the region
//     if (mus_stop_is_asked(stop)) ...               inside, where only loops can be left; then mus_stop_check() after
//     it
#ifndef MUS_BASE_STOP_H
#define MUS_BASE_STOP_H

#include <stdatomic.h>

#include "muslin/status.h"

typedef struct mus_stop_request {
  int (*asked)(void *data); // NULL: never
  void *data;
  struct mus_stop_request *outer; // which counts as well; NULL if there is none
  atomic_int is_asked;            // 1 from the first yes on
  atomic_flag busy;               // someone is asking
} mus_stop_request;

// Makes `request` the calling thread's, inside the one that it has, until the end. Every begin has its end.
void mus_stop_begin(mus_stop_request *request, int (*asked)(void *data), void *data);
void mus_stop_end(const mus_stop_request *request);

// The calling thread's; NULL if it has none.
mus_stop_request *mus_stop_current(void);
// From any thread. NULL is fine: 0.
int mus_stop_is_asked(mus_stop_request *request);
// MUS_STOPPED, with its text, if the calling thread is to stop.
mus_status mus_stop_check(void);

#endif
