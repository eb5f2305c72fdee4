// What the stages need of a machine: memory, copies, kernels in order, recorded sequences of them, a clock. A device
// with CUDA, or the host as its emulation.
//
// A failure is kept until it is asked for; what follows on it does nothing. So sequences of calls need no tests between
// them.
#ifndef MUS_CUDA_RUNTIME_H
#define MUS_CUDA_RUNTIME_H

#include <functional>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "cuda/cg_kernels.h"
#include "cuda/stages.h"

// Kernels recorded once and played many times; `loop` is played again as long as its condition is set.
struct mus_sequence {
  std::function<void()> play; // plainly
#ifdef __CUDACC__
  cudaGraphExec_t graph = nullptr;
#endif
};

class mus_runtime {
public:
  explicit mus_runtime(int plain_) : plain(plain_) {}
  mus_runtime(const mus_runtime &) = delete;
  ~mus_runtime();

  mus_status open();
  mus_status status() const { return failed; }
  void explain(mus_stage_failure *failure) const { snprintf(failure->text, sizeof failure->text, "%s", text); }
  size_t bytes() const { return taken; }

  template <class number> number *take(size_t count) { return (number *)take_bytes(count * sizeof(number)); }
  template <class number> number *take_copy(const std::vector<number> &from) {
    number *to = take<number>(from.size() > 0 ? from.size() : 1);
    put(from.data(), from.size(), to);
    return to;
  }
  // Copies in the order of kernels; get() waits for its own.
  template <class number> void put(const number *from, size_t count, number *to) {
    copy(from, count * sizeof(number), to);
  }
  template <class number> void get(const number *from, size_t count, number *to) {
    copy(from, count * sizeof(number), to);
    wait();
  }
  // Whether that is memory of the device's.
  static bool is_there(const void *memory);
  // Orders what follows after all that was submitted to a stream of CUDA's so far.
  void wait_for(void *other);
  // Host memory that is copied from or to again and again, which goes faster when the device may read it by itself. It
  // must stay until the runtime goes, or until PINNED others have been named.
  enum { PINNED = 3 };
  void pin(const void *memory, size_t bytes);
  void clear(void *to, size_t bytes);
  void wait();

  template <class kernel> void launch(const kernel &k, int blocks, int threads);
  void record(mus_sequence *out, const std::function<void()> &kernels);
  // `going` is what the condition was last set to, where the host can read it.
  void record_loop(mus_sequence *out, const std::function<void(const mus_condition &)> &before,
                   const std::function<void(const mus_condition &)> &body, const int *going);
  void play(const mus_sequence &sequence);
  void forget(mus_sequence *sequence);

  // Marks in the order of kernels, and the seconds between two of them once both have been reached.
  enum { MARKS = 8 };
  void mark(int which);
  double between(int from, int to);

private:
  void *take_bytes(size_t bytes);
  void copy(const void *from, size_t bytes, void *to);
  void fail(mus_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

  int plain;
  mus_status failed = MUS_OK;
  char text[MUS_STAGES_TEXT] = "";
  size_t taken = 0;
  std::vector<void *> memory;
#ifdef __CUDACC__
  const void *pinned[PINNED] = {};
  int next_pinned = 0;
  bool check(cudaError_t error, const char *what);
  void record_now(cudaGraph_t graph, const std::function<void()> &kernels);
  cudaStream_t stream = nullptr;
  struct mus_profile *profile = nullptr; // NULL: not asked for
  cudaEvent_t event[MARKS] = {};
#else
  bool works(); // unless that is the time to fail: see emulated.h
  double seconds[MARKS] = {};
#endif
};

#endif
