// See stop.h.
#include "base/stop.h"

#include <stddef.h>

#include "base/error.h"

static _Thread_local mus_stop_request *current;
static _Thread_local mus_stop_request of_thread; // what mus_set_stop() has set

static void set(mus_stop_request *request, int (*asked)(void *data), void *data) {
  request->asked = asked;
  request->data = data;
  atomic_init(&request->is_asked, 0);
  atomic_flag_clear(&request->busy);
}

void mus_set_stop(int (*asked)(void *data), void *data) {
  set(&of_thread, asked, data);
  of_thread.outer = NULL;
  current = asked ? &of_thread : NULL;
}

void mus_stop_begin(mus_stop_request *request, int (*asked)(void *data), void *data) {
  set(request, asked, data);
  request->outer = current;
  current = request;
}

void mus_stop_end(const mus_stop_request *request) { current = request->outer; }

mus_stop_request *mus_stop_current(void) { return current; }

// One thread at a time asks; the others take what has been answered so far.
static int ask(mus_stop_request *request) {
  if (!atomic_load(&request->is_asked) && request->asked && !atomic_flag_test_and_set(&request->busy)) {
    if (request->asked(request->data))
      atomic_store(&request->is_asked, 1);
    atomic_flag_clear(&request->busy);
  }
  return atomic_load(&request->is_asked);
}

int mus_stop_is_asked(mus_stop_request *request) {
  for (; request; request = request->outer)
    if (ask(request))
      return 1;
  return 0;
}

mus_status mus_stop_check(void) {
  return current && mus_stop_is_asked(current) ? mus_fail(MUS_STOPPED, "stopped on request") : MUS_OK;
}
