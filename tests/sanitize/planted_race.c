// A race on purpose: the thread sanitiser must report it, or its silence about the other tests means nothing.
#include <stdio.h>

#include "par/par.h"

int main(void) {
  int sum = 0;
  mus_par_set_threads(2);
  MUS_PARALLEL_FOR
  for (int i = 0; i < 1000; ++i)
    sum += i;
  printf("%d\n", sum);
  return 0;
}
