// See processor.h.
#include "base/processor.h"

#include <stdio.h>
#include <string.h>

void mus_processor_name(size_t size, char *name) {
  static const char key[] = "model name";
  char line[256];
  snprintf(name, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    char *value = strchr(line, ':');
    if (strncmp(line, key, sizeof key - 1) == 0 && value) {
      value += 1 + strspn(value + 1, " \t");
      value[strcspn(value, "\n")] = 0;
      snprintf(name, size, "%s", value);
      break;
    }
  }
  if (file)
    fclose(file);
}
