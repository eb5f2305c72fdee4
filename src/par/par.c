// How many threads, and which one is asking. See par.h.
#include "par/par.h"

#include <omp.h>

static _Thread_local int chosen = 0;

int mus_par_threads(void) { return chosen > 0 ? chosen : omp_get_max_threads(); }

int mus_par_set_threads(int threads) {
  int before = chosen;
  chosen = threads > 0 ? threads : 0;
  return before;
}

int mus_par_index(void) { return omp_get_thread_num(); }

int mus_par_pause(void) {
  int before = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  return before;
}

void mus_par_resume(int before) { omp_set_max_active_levels(before); }

int mus_par_lend(void) {
  int before = omp_get_max_threads();
  omp_set_num_threads(mus_par_threads());
  return before;
}

void mus_par_take_back(int before) { omp_set_num_threads(before); }
