// How threads wait for each other. See muslin/machine.h.
//
// Two frames of `drooping` with 10,201 vertices took 8 s with sleeping threads, 14 s with a thousand turns of spinning
// before, 50 s with ten thousand and more than 100 s by gcc's default, on two cores with a load of eight; on the same
// cores with nothing else to do, three frames took 5.3, 4.6, 4.3 and 4.4 s.
#include <stdlib.h>

#include "muslin/machine.h"

int mus_machine_limit_spinning(void) {
  static const char *const settings[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
  for (int k = 0; k < 3; ++k)
    if (getenv(settings[k]))
      return 0;
  // gcc's library counts turns, clang's milliseconds.
  return setenv("GOMP_SPINCOUNT", "1000", 1) == 0 && setenv("KMP_BLOCKTIME", "0", 1) == 0;
}
