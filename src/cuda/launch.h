// Kernels that run on a device and, for tests, on any machine: the same source over a loop of blocks and threads.
//
// A kernel is a struct of its arguments with
//   enum { THREADS, PHASES, SHARED };                          // at most so many in a block; bytes that they share
//   MUS_HD void run(int phase, mus_place at, void *shared) const;
// All threads of a block have done a phase before any of them begins the next: what a thread has to remember between
// phases it keeps in the shared memory. Blocks know nothing of each other. That is all of CUDA's model that is used, so
// that the loop below is all there is to emulate.
#ifndef MUS_CUDA_LAUNCH_H
#define MUS_CUDA_LAUNCH_H

#include <stddef.h>

#ifdef __CUDACC__
#define MUS_HD __host__ __device__ __forceinline__
#define MUS_UNROLL _Pragma("unroll")
#else
#define MUS_HD inline
#define MUS_UNROLL
#endif

struct mus_place {
  int block, thread, threads;
};

#ifdef __CUDACC__

template <class kernel>
__global__ void __launch_bounds__(kernel::THREADS) mus_run_kernel(const __grid_constant__ kernel k) {
  __shared__ __align__(16) unsigned char shared[kernel::SHARED > 0 ? kernel::SHARED : 1];
  mus_place at = {(int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x};
#pragma unroll(kernel::PHASES <= 8 ? kernel::PHASES : 1)
  for (int phase = 0; phase < kernel::PHASES; ++phase) {
    if (phase > 0)
      __syncthreads();
    k.run(phase, at, shared);
  }
}

#else

#include <string.h>

template <class kernel> void mus_run_kernel(const kernel &k, int blocks, int threads) {
  alignas(16) static thread_local unsigned char shared[kernel::SHARED > 0 ? kernel::SHARED : 1];
  for (int block = 0; block < blocks; ++block) {
    memset(shared, 0xff, sizeof shared); // NaN: nothing is there that a thread of this block has not put there
    for (int phase = 0; phase < kernel::PHASES; ++phase)
      for (int thread = 0; thread < threads; ++thread)
        k.run(phase, mus_place{block, thread, threads}, shared);
  }
}

#endif

#endif
