// See device.h.
#include "cuda/device.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { PATH_SIZE = 4096 };
static const char *const file_name = "libmuslin-cuda.so";

// Two threads that look for it at once find the same, so it does not matter who keeps it.
static _Atomic(const mus_stages *) kept;

void mus_device_use(const mus_stages *stages) { atomic_store(&kept, stages); }

// The program's folder with a slash, or "".
static void find_folder(char *folder) {
  ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[1] = 0;
}

// The first that there is. What is wrong with one that is there, but cannot be used, stays in `trouble`.
static void *open_library(char *trouble, size_t size) {
  char folder[PATH_SIZE], path[PATH_SIZE + 64];
  const char *named = getenv("MUSLIN_CUDA_LIBRARY"), *const between[] = {"", "../lib/", NULL};
  void *library = NULL;
  snprintf(trouble, size, "%s was not found beside the program or among the system's libraries", file_name);
  if (named && *named) {
    library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      snprintf(trouble, size, "%s", dlerror());
    return library;
  }
  find_folder(folder);
  for (int k = 0; k < 3 && !library; ++k) {
    snprintf(path, sizeof path, "%s%s%s", between[k] ? folder : "", between[k] ? between[k] : "", file_name);
    int is_there = between[k] && access(path, R_OK) == 0;
    library = between[k] && !is_there ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library && is_there) {
      snprintf(trouble, size, "%s", dlerror());
      return NULL;
    }
  }
  return library;
}

// The library is opened anew for each table, and stays open once one was found: the system counts.
mus_status mus_device_symbol(const char *name, const void **symbol) {
  char trouble[1024];
  void *library = open_library(trouble, sizeof trouble);
  if (!library)
    return mus_fail(MUS_UNSUPPORTED,
                    "there is no CUDA part: %s; build muslin with -DMUSLIN_CUDA=ON, or use the device \"cpu\"",
                    trouble);
  *symbol = dlsym(library, name);
  if (*symbol)
    return MUS_OK;
  dlclose(library);
  return mus_fail(MUS_UNSUPPORTED,
                  "the CUDA part is of another version of muslin: it has no %s; build both from the same sources",
                  name);
}

mus_status mus_device_stages(const mus_stages **stages) {
  typedef const mus_stages *give(void);
  *stages = atomic_load(&kept);
  if (*stages)
    return MUS_OK;
  const void *found;
  give *symbol;
  mus_status status = mus_device_symbol(MUS_STAGES_SYMBOL, &found);
  if (status)
    return status;
  memcpy(&symbol, &found, sizeof symbol);
  *stages = symbol();
  atomic_store(&kept, *stages);
  return MUS_OK;
}
