/// What a machine can do, so that times measured on it can be compared with those of another.
#ifndef MUSLIN_MACHINE_H
#define MUSLIN_MACHINE_H

#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_machine {
  char cpu[128];      ///< the processor's name; "unknown" if the system does not report it
  int threads;        ///< used
  double stream_gb_s; ///< memory bandwidth: the best of several passes a = b + s c, 24 bytes per entry (STREAM's triad)
} mus_machine;

/// Measures with this many threads (0: all cores); takes about a second and 400 MB.
MUS_API mus_status mus_machine_measure(int threads, mus_machine *machine);

/// y = A x in double precision, with A in block compressed rows as in muslin/solver.h: plain rows, every block stored.
/// This is the product that serves as a unit of time.
MUS_API void mus_machine_multiply(int threads, int rows, int block, const int *row_start, const int *column,
                                  const double *values, const double *x, double *y);

/// Threads wait for each other by spinning, which is ruinous on a machine that is busy with other things. This sets
/// environment variables so that they spin briefly and then sleep, unless the environment already specifies how threads
/// are to wait: for about a millisecond if the machine has four cores or more and most of them are idle now, otherwise
/// for a twentieth of that. Returns 1 if it has set them. They are read when a program starts, so a program that wants
/// this calls it first of all and, if it returns 1, executes itself again.
MUS_API int mus_machine_limit_spinning(void);

#ifdef __cplusplus
}
#endif
#endif
