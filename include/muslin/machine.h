/// What a machine can do, so that times measured on it can be compared with those of another.
#ifndef MUSLIN_MACHINE_H
#define MUSLIN_MACHINE_H

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_machine {
  char cpu[128];      ///< the processor's name, "unknown" where the system does not tell
  int threads;        ///< used
  double stream_gb_s; ///< memory bandwidth: the best of several passes a = b + s c, 24 bytes an entry (STREAM's triad)
} mus_machine;

/// Measures on so many threads (0: all cores); takes about a second and 400 MB.
MUS_API mus_status mus_machine_measure(int threads, mus_machine *machine);

/// y = A x in double precision, A in block compressed rows as in muslin/solver.h. The product that times are given in
/// units of: plain rows, every block stored.
MUS_API void mus_machine_multiply(int threads, int rows, int block, const int *row_start, const int *column,
                                  const double *values, const double *x, double *y);

/// Threads that wait for each other spin, which is ruinous on a machine that is busy with other things too. This sets
/// environment variables so that they spin briefly and then sleep, unless these say already how threads are to wait.
/// Returns 1 if it has set them. They are read when a program starts, so a program that wants this calls it first of
/// all and, where the answer is 1, executes itself anew.
MUS_API int mus_machine_limit_spinning(void);

#ifdef __cplusplus
}
#endif
#endif
