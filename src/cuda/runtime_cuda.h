// The runtime on a device with CUDA. See runtime.h.
#ifndef MUS_CUDA_RUNTIME_CUDA_H
#define MUS_CUDA_RUNTIME_CUDA_H

#include <stdarg.h>

#include "cuda/profile.h"
#include "cuda/runtime.h"

inline void mus_runtime::fail(mus_status status, const char *format, ...) {
  va_list list;
  if (failed)
    return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  failed = status;
}

inline bool mus_runtime::check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return !failed;
  cudaGetLastError(); // so that it is not found again
  fail(MUS_DEVICE_FAILED, "%s: CUDA says \"%s\"; the work on the host is not lost: try --device cpu", what,
       cudaGetErrorString(error));
  return false;
}

inline mus_status mus_runtime::open() {
  const char *asked = getenv("MUSLIN_CUDA_PROFILE");
  if (plain && asked && *asked && *asked != '0')
    profile = new (std::nothrow) mus_profile;
  if (check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "opening a stream on the device"))
    for (int k = 0; k < MARKS; ++k)
      check(cudaEventCreate(&event[k]), "making a clock on the device");
  return failed;
}

inline bool mus_runtime::is_there(const void *memory) {
  cudaPointerAttributes facts;
  if (cudaPointerGetAttributes(&facts, memory) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return facts.type == cudaMemoryTypeDevice || facts.type == cudaMemoryTypeManaged;
}

inline void mus_runtime::wait_for(void *other) {
  if (!failed && check(cudaEventRecord(event[MARKS - 1], (cudaStream_t)other), "waiting for a stream"))
    check(cudaStreamWaitEvent(stream, event[MARKS - 1], 0), "waiting for a stream");
}

// Where it cannot be, copies are slower and nothing else: errors do not count.
inline void mus_runtime::pin(const void *host, size_t bytes) {
  cudaPointerAttributes facts;
  for (const void *p : pinned)
    if (p == host)
      return;
  if (failed || cudaPointerGetAttributes(&facts, host) != cudaSuccess || facts.type != cudaMemoryTypeUnregistered) {
    cudaGetLastError();
    return;
  }
  const void *&place = pinned[next_pinned];
  next_pinned = (next_pinned + 1) % PINNED;
  if (place)
    cudaHostUnregister((void *)place);
  place = cudaHostRegister((void *)host, bytes, cudaHostRegisterDefault) == cudaSuccess ? host : NULL;
  cudaGetLastError();
}

inline mus_runtime::~mus_runtime() {
  if (stream)
    cudaStreamSynchronize(stream);
  delete profile;
  for (const void *p : pinned)
    if (p)
      cudaHostUnregister((void *)p);
  for (void *m : memory)
    cudaFree(m);
  for (cudaEvent_t e : event)
    if (e)
      cudaEventDestroy(e);
  if (stream)
    cudaStreamDestroy(stream);
  cudaGetLastError();
}

inline void *mus_runtime::take_bytes(size_t bytes) {
  void *m = NULL;
  if (failed)
    return NULL;
  cudaError_t error = cudaMalloc(&m, bytes);
  if (error == cudaErrorMemoryAllocation) {
    size_t free_bytes = 0, all = 0;
    cudaGetLastError();
    cudaMemGetInfo(&free_bytes, &all);
    fail(MUS_OUT_OF_MEMORY,
         "the device is out of memory: %.1f MB more were asked for where %.1f of %.1f MB are free; use a smaller mesh, "
         "a larger device or --device cpu",
         1e-6 * (double)bytes, 1e-6 * (double)free_bytes, 1e-6 * (double)all);
    return NULL;
  }
  if (!check(error, "taking memory on the device"))
    return NULL;
  memory.push_back(m);
  taken += bytes;
  return m;
}

inline void mus_runtime::copy(const void *from, size_t bytes, void *to) {
  if (!failed && bytes > 0)
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying to or from the device");
}

inline void mus_runtime::clear(void *to, size_t bytes) {
  if (!failed)
    check(cudaMemsetAsync(to, 0, bytes, stream), "clearing memory on the device");
}

inline void mus_runtime::wait() {
  if (!failed)
    check(cudaStreamSynchronize(stream), "running on the device");
}

template <class kernel> void mus_runtime::launch(const kernel &k, int blocks, int threads) {
  if (failed || blocks < 1)
    return;
  if (profile)
    profile->begin(typeid(kernel).name(), stream);
  mus_run_kernel<kernel><<<(unsigned)blocks, (unsigned)threads, 0, stream>>>(k);
  check(cudaGetLastError(), "starting a kernel on the device");
  if (profile)
    profile->end(stream);
}

inline void mus_runtime::record_now(cudaGraph_t graph, const std::function<void()> &kernels) {
  cudaGraph_t same = NULL;
  if (!check(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal),
             "recording a graph"))
    return;
  kernels();
  check(cudaStreamEndCapture(stream, &same), "recording a graph");
}

inline void mus_runtime::record(mus_sequence *out, const std::function<void()> &kernels) {
  cudaGraph_t graph = NULL;
  out->play = kernels;
  if (plain || !check(cudaGraphCreate(&graph, 0), "recording a graph"))
    return;
  record_now(graph, kernels);
  if (!failed)
    check(cudaGraphInstantiate(&out->graph, graph, 0), "making a graph");
  cudaGraphDestroy(graph);
}

// The loop's graph: `before`, then a node that plays `body` while the condition is set, which both of them do.
inline void mus_runtime::record_loop(mus_sequence *out, const std::function<void(const mus_condition &)> &before,
                                     const std::function<void(const mus_condition &)> &body, const int *going) {
  out->play = [=] {
    int now = 0;
    before(mus_condition{});
    for (get(going, 1, &now); now && !failed; get(going, 1, &now))
      body(mus_condition{});
  };
  cudaGraph_t graph = NULL;
  cudaGraphConditionalHandle handle;
  if (plain || !check(cudaGraphCreate(&graph, 0), "recording a graph") ||
      !check(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), "making a condition"))
    return;
  mus_condition condition = {handle, 1};
  record_now(graph, [&] { before(condition); });
  size_t count = 0;
  check(cudaGraphGetNodes(graph, NULL, &count), "recording a graph");
  std::vector<cudaGraphNode_t> node(count + 1);
  check(cudaGraphGetNodes(graph, node.data(), &count), "recording a graph");
  cudaGraphNodeParams loop = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t added;
#if CUDART_VERSION >= 13000
  cudaError_t error = failed ? cudaSuccess : cudaGraphAddNode(&added, graph, node.data(), NULL, count, &loop);
#else
  cudaError_t error = failed ? cudaSuccess : cudaGraphAddNode(&added, graph, node.data(), count, &loop);
#endif
  if (!failed && check(error, "making a loop on the device")) {
    record_now(loop.conditional.phGraph_out[0], [&] { body(condition); });
    if (!failed)
      check(cudaGraphInstantiate(&out->graph, graph, 0), "making a graph");
  }
  cudaGraphDestroy(graph);
}

inline void mus_runtime::play(const mus_sequence &sequence) {
  if (failed)
    return;
  if (sequence.graph)
    check(cudaGraphLaunch(sequence.graph, stream), "starting a graph on the device");
  else
    sequence.play();
}

inline void mus_runtime::forget(mus_sequence *sequence) {
  if (sequence->graph)
    cudaGraphExecDestroy(sequence->graph);
  sequence->graph = NULL;
}

inline void mus_runtime::mark(int which) {
  if (!failed)
    check(cudaEventRecord(event[which], stream), "reading the device's clock");
}

inline double mus_runtime::between(int from, int to) {
  float milliseconds = 0;
  if (!failed)
    check(cudaEventElapsedTime(&milliseconds, event[from], event[to]), "reading the device's clock");
  return 1e-3 * (double)milliseconds;
}

#endif
