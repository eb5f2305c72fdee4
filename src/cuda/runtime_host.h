// The runtime's emulation on the host: memory is memory, kernels run where they are launched. See runtime.h.
#ifndef MUS_CUDA_RUNTIME_HOST_H
#define MUS_CUDA_RUNTIME_HOST_H

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "cuda/runtime.h"

inline mus_runtime::~mus_runtime() {
  for (void *m : memory)
    free(m);
}

inline mus_status mus_runtime::open() { return MUS_OK; }

inline void mus_runtime::fail(mus_status status, const char *format, ...) {
  va_list list;
  if (failed)
    return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  failed = status;
}

// What was never written shows: NaN.
inline void *mus_runtime::take_bytes(size_t bytes) {
  void *m = failed ? NULL : malloc(bytes);
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
  if (!failed && bytes > 0)
    memcpy(to, from, bytes);
}

inline void mus_runtime::clear(void *to, size_t bytes) {
  if (!failed)
    memset(to, 0, bytes);
}

inline void mus_runtime::wait() {}

inline bool mus_runtime::is_there(const void *) { return false; }

inline void mus_runtime::wait_for(void *) {}

inline void mus_runtime::pin(const void *, size_t) {}

template <class kernel> void mus_runtime::launch(const kernel &k, int blocks, int threads) {
  if (threads > kernel::THREADS)
    fail(MUS_DEVICE_FAILED, "a kernel for %d threads was started with %d", (int)kernel::THREADS, threads);
  if (!failed && blocks > 0)
    mus_run_kernel(k, blocks, threads);
}

inline void mus_runtime::record(mus_sequence *out, const std::function<void()> &kernels) { out->play = kernels; }

inline void mus_runtime::record_loop(mus_sequence *out, const std::function<void(const mus_condition &)> &before,
                                     const std::function<void(const mus_condition &)> &body, const int *going) {
  out->play = [=] {
    before(mus_condition{});
    while (*going)
      body(mus_condition{});
  };
}

inline void mus_runtime::play(const mus_sequence &sequence) {
  if (!failed)
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
