// How threads wait for each other. See muslin/machine.h.
//
// Two frames of `drooping` with 10,201 vertices took 8 s with sleeping threads, 14 s with a thousand turns of spinning
// before, 50 s with ten thousand and more than 100 s by gcc's default, on two cores with a load of eight; on the same
// cores with nothing else to do, three frames took 5.3, 4.6, 4.3 and 4.4 s. More cores gain more: on 16 of them, 60
// frames of `dressed` with 40,000 vertices took 58 s with a thousand turns, 46 s with twenty thousand and 46 s without
// end.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "muslin/machine.h"

// Whether there are several cores, and most have nothing to do right now. Threads that run are counted over the whole
// machine; an average over a minute would still tell of what has just ended.
static int has_idle_cores(void) {
  enum { SEVERAL = 4 };
  int running = 0;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  FILE *file = fopen("/proc/loadavg", "r");
  int known = file && fscanf(file, "%*f %*f %*f %d/", &running) == 1;
  if (file)
    fclose(file);
  return known && cores >= SEVERAL && running <= 1 + cores / 4; // this one runs too
}

int mus_machine_limit_spinning(void) {
  static const char *const settings[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
  for (int k = 0; k < 3; ++k)
    if (getenv(settings[k]))
      return 0;
  // gcc's library counts turns, clang's milliseconds.
  int idle = has_idle_cores();
  return setenv("GOMP_SPINCOUNT", idle ? "20000" : "1000", 1) == 0 && setenv("KMP_BLOCKTIME", idle ? "1" : "0", 1) == 0;
}
