// Seconds of kernels by name, for MUSLIN_CUDA_PLAIN=1 MUSLIN_CUDA_PROFILE=1: where profilers cannot run.
#ifndef MUS_CUDA_PROFILE_H
#define MUS_CUDA_PROFILE_H

#include <algorithm>
#include <map>
#include <stdio.h>
#include <string>
#include <typeinfo>
#include <vector>

struct mus_profile {
  struct span {
    const char *name;
    cudaEvent_t from, to;
  };
  std::vector<span> spans;

  void begin(const char *name, cudaStream_t stream) {
    span s = {name, nullptr, nullptr};
    cudaEventCreate(&s.from);
    cudaEventCreate(&s.to);
    cudaEventRecord(s.from, stream);
    spans.push_back(s);
  }

  void end(cudaStream_t stream) { cudaEventRecord(spans.back().to, stream); }

  // Prints a line for each kernel: how often, the median and the sum.
  ~mus_profile() {
    std::map<std::string, std::vector<float>> taken;
    for (const span &s : spans) {
      float milliseconds = 0;
      cudaEventElapsedTime(&milliseconds, s.from, s.to);
      taken[s.name].push_back(milliseconds);
      cudaEventDestroy(s.from);
      cudaEventDestroy(s.to);
    }
    for (auto &kernel : taken) {
      std::vector<float> &t = kernel.second;
      float sum = 0;
      std::sort(t.begin(), t.end());
      for (float one : t)
        sum += one;
      fprintf(stderr, "kernel %7zu times  median %9.1f us  greatest %9.1f us  sum %9.2f ms  %s\n", t.size(),
              1e3 * (double)t[t.size() / 2], 1e3 * (double)t.back(), (double)sum, kernel.first.c_str());
    }
  }
};

#endif
