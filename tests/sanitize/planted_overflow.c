// A read past the end on purpose: the address sanitiser must report it, or its silence about the other tests means
// nothing. Past the padding too, which allocations may be read up to.
#include <stdio.h>

#include "base/memory.h"

int main(int count, char **arguments) {
  (void)arguments;
  char *memory = mus_alloc_zero(64, 1);
  if (!memory)
    return 0;
  printf("%d\n", memory[127 + count]);
  mus_free(memory);
  return 0;
}
