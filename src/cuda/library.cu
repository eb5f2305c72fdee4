// libmuslin-cuda.so: the stages on a device with CUDA, behind one symbol. See stages.h.
#include <string.h>

#include "cuda/runtime_cuda.h"
#include "cuda/table.h"

// Loops of graphs came with this version of the driver.
enum { DRIVER_LEAST = 12040 };

static mus_status refuse_driver(mus_stage_failure *failure, int driver) {
  char text[MUS_STAGES_TEXT];
  snprintf(text, sizeof text,
           "the NVIDIA driver is too old: it is for CUDA %d.%d where %d.%d is the least; install a newer driver",
           driver / 1000, driver % 1000 / 10, DRIVER_LEAST / 1000, DRIVER_LEAST % 1000 / 10);
  return mus_refuse(failure, MUS_UNSUPPORTED, text);
}

static mus_status open_device(mus_device **out, mus_stage_failure *failure) {
  int driver = 0, count = 0;
  cudaDeviceProp facts;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return mus_refuse(failure, MUS_UNSUPPORTED,
                      "no NVIDIA driver was found (libcuda.so.1): install the driver of the device");
  if (driver < DRIVER_LEAST)
    return refuse_driver(failure, driver);
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return refuse_driver(failure, driver);
  if (error != cudaSuccess || count == 0) {
    char text[MUS_STAGES_TEXT];
    snprintf(text, sizeof text, "no device with CUDA was found: \"%s\"; nvidia-smi lists those that the driver knows",
             cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
    return mus_refuse(failure, MUS_UNSUPPORTED, text);
  }
  error = cudaGetDeviceProperties(&facts, 0);
  if (error == cudaSuccess && facts.major < 8)
    return mus_refuse(failure, MUS_UNSUPPORTED, "the device is too old: compute capability 8.0 is the least");
  if (error == cudaSuccess)
    error = cudaSetDevice(0);
  if (error == cudaSuccess)
    error = cudaFree(NULL); // makes its context
  if (error != cudaSuccess) {
    char text[MUS_STAGES_TEXT];
    snprintf(text, sizeof text, "the device cannot be opened: \"%s\"; another process may hold it",
             cudaGetErrorString(error));
    return mus_refuse(failure, MUS_DEVICE_FAILED, text);
  }
  mus_device *device = new (std::nothrow) mus_device{};
  if (!device)
    return mus_no_memory(failure);
  snprintf(device->facts.name, sizeof device->facts.name, "%.63s", facts.name);
  device->facts.memory = facts.totalGlobalMem;
  device->facts.major = facts.major;
  device->facts.minor = facts.minor;
  device->facts.processors = facts.multiProcessorCount;
  *out = device;
  return MUS_OK;
}

static void close_device(mus_device *device) { delete device; }

static void describe_device(const mus_device *device, mus_device_facts *facts) { *facts = device->facts; }

extern "C" __attribute__((visibility("default"))) const mus_stages *mus_cuda_stages_7(void) {
  static const mus_stages table = MUS_STAGES_TABLE(open_device, close_device, describe_device);
  return &table;
}
