// The runtime's emulation on the host: memory is memory, kernels run where they are launched. See runtime.h.
#ifndef MUS_CUDA_RUNTIME_HOST_H
#define MUS_CUDA_RUNTIME_HOST_H

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "cuda/runtime.h"

// What is to go wrong, for tests: see emulated.h.
struct mus_planned_failure {
  mus_status status = MUS_OK;
  long long after = 0, seen = 0; // operations
  bool is_due(bool takes_memory) {
    if (status == MUS_OK || takes_memory != (status == MUS_OUT_OF_MEMORY))
      return false;
    return ++seen > after;
  }
};
inline mus_planned_failure mus_planned;

inline mus_runtime::~mus_runtime() {
  for (void *m : memory)
    free(m);
}

inline void mus_runtime::fail(mus_status status, const char *format, ...) {
  va_list list;
  if (failed)
    return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  failed = status;
}

inline bool mus_runtime::works() {
  if (!failed && mus_planned.is_due(false))
    fail(MUS_DEVICE_FAILED, "running on the device: it is lost; the work on the host is not: try --device cpu");
  return !failed;
}

inline mus_status mus_runtime::open() {
  works();
  return failed;
}

// What was never written shows: NaN.
inline void *mus_runtime::take_bytes(size_t bytes) {
  void *m = works() && !mus_planned.is_due(true) ? malloc(bytes) : NULL;
  if (!m) {
    fail(MUS_OUT_OF_MEMORY, "the device is out of memory: %zu bytes more were asked for", bytes);
    return NULL;
  }
  memset(m, 0xff, bytes);
  memory.push_back(m);
  taken += bytes;
  return m;
}

inline void mus_runtime::copy(const void *from, size_t bytes, void *to) {
  if (works() && bytes > 0)
    memcpy(to, from, bytes);
}

inline void mus_runtime::clear(void *to, size_t bytes) {
  if (works())
    memset(to, 0, bytes);
}

inline void mus_runtime::wait() { works(); }

inline bool mus_runtime::is_there(const void *) { return false; }

inline void mus_runtime::wait_for(void *) {}

inline void mus_runtime::pin(const void *, size_t) {}

template <class kernel> void mus_runtime::launch(const kernel &k, int blocks, int threads) {
  if (threads > kernel::THREADS)
    fail(MUS_DEVICE_FAILED, "a kernel for %d threads was started with %d", (int)kernel::THREADS, threads);
  if (works() && blocks > 0)
    mus_run_kernel(k, blocks, threads);
}

inline void mus_runtime::record(mus_sequence *out, const std::function<void()> &kernels) { out->play = kernels; }

inline void mus_runtime::record_loop(mus_sequence *out, const std::function<void(const mus_condition &)> &before,
                                     const std::function<void(const mus_condition &)> &body, const int *going) {
  out->play = [=] {
    before(mus_condition{});
    while (!failed && *going)
      body(mus_condition{});
  };
}

inline void mus_runtime::play(const mus_sequence &sequence) {
  if (works())
    sequence.play();
}

inline void mus_runtime::forget(mus_sequence *) {}

inline void mus_runtime::mark(int which) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  seconds[which] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

inline double mus_runtime::between(int from, int to) { return seconds[to] - seconds[from]; }

#endif
