// Parallel loops. OpenMP is named only in this folder.
//
//   MUS_PARALLEL_FOR
//   for (int i = 0; i < n; ++i)
//     y[i] = f(x[i]);
//
// Iterations are dealt out in contiguous runs of equal length, so a loop whose body writes only what belongs to `i`
// gives the same bits for any number of threads. Sums over a loop go through par/vector.h, which fixes their order.
#ifndef MUS_PAR_PAR_H
#define MUS_PAR_PAR_H

// Threads that the calling thread's parallel loops use (default: what OpenMP would use, normally all cores).
int mus_par_threads(void);
// 0 restores the default. Takes effect for the calling thread only. Returns the number set before, 0 for the default.
int mus_par_set_threads(int threads);
// Inside a parallel region: which of its threads this is, from 0.
int mus_par_index(void);

// Between the two, parallel regions that the calling thread enters, other libraries' too, stay on that one thread.
// pause() returns what resume() needs.
int mus_par_pause(void);
void mus_par_resume(int before);

// Between the two, other libraries' parallel regions have as many threads as the calling thread's own.
int mus_par_lend(void);
void mus_par_take_back(int before);

// Loops shorter than this run on one thread: waking the others costs more than it saves.
enum { MUS_PAR_MINIMUM = 512 };

#define MUS_PAR_PRAGMA(text) _Pragma(#text)
#define MUS_PARALLEL_FOR MUS_PAR_PRAGMA(omp parallel for schedule(static) num_threads(mus_par_threads()))
// The same, on one thread unless `condition` holds.
#define MUS_PARALLEL_FOR_IF(condition)                                                                                 \
  MUS_PAR_PRAGMA(omp parallel for schedule(static) num_threads(mus_par_threads()) if (condition))
// A region in which each thread has locals of its own (mus_par_index() tells them apart) ...
#define MUS_PARALLEL MUS_PAR_PRAGMA(omp parallel num_threads(mus_par_threads()))
// ... and inside it, a loop that its threads share, handing out short runs as they are asked for.
#define MUS_SHARE_FOR MUS_PAR_PRAGMA(omp for schedule(dynamic, 64))
// ... or one run at a time, for loops whose iterations are long.
#define MUS_SHARE_RUNS MUS_PAR_PRAGMA(omp for schedule(dynamic, 1))
// Inside a region: the statement that follows is run by one thread at a time. For results that do not depend on order.
#define MUS_ONE_AT_A_TIME MUS_PAR_PRAGMA(omp critical)

#endif
