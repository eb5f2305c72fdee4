/// What a call into muslin can return, and the text that goes with it.
///
/// Every function that can fail returns a mus_status. MUS_OK is zero. After anything else, mus_last_error() returns one
/// sentence that says what went wrong, where, and what to do about it. The text belongs to the calling thread and stays
/// valid until that thread's next failing call.
#ifndef MUSLIN_STATUS_H
#define MUSLIN_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MUS_API __attribute__((visibility("default")))
#else
#define MUS_API
#endif

typedef enum mus_status {
  MUS_OK = 0,
  MUS_BAD_INPUT,     ///< the caller's data is wrong: sizes, indices, NaN, a malformed file
  MUS_OUT_OF_MEMORY, ///< an allocation failed; nothing was changed
  MUS_IO_ERROR,      ///< a file could not be opened, read or written
  MUS_UNSUPPORTED,   ///< something that this build does not include
  MUS_BREAKDOWN,     ///< the matrix or the preconditioner turned out not to be positive definite
  MUS_NOT_CONVERGED, ///< the iteration limit was reached before the tolerance; the best iterate is returned
  MUS_STOPPED,       ///< mus_set_stop() or a `stop` of the call's options asked for it
  MUS_DEVICE_FAILED  ///< the device failed; what the host holds is as it was
} mus_status;

/// The status in lower case, e.g. "bad input". Never NULL.
MUS_API const char *mus_status_name(mus_status status);

/// The calling thread's last error text; "" if there was none. Never NULL.
MUS_API const char *mus_last_error(void);

/// Lets the calling thread's long calls be stopped: while one of them runs, `asked` is called several times per second
/// or much more often; once it returns non-zero, the call returns MUS_STOPPED, normally within a second. Simulators go
/// back to the beginning of the step, linear solves leave no solution. Stepping again makes the same step; it may
/// differ in the last digits, as solvers remember what they have begun. `asked` should be quick and leave alone what
/// the call works on. It may be called from threads that muslin works with, though never from two at once. NULL:
/// nothing stops them (the default). mus_run() has a `stop` of its own as well.
///
///     static volatile sig_atomic_t interrupted; // set by a signal handler
///     static int is_interrupted(void *data) { return interrupted; }
///     mus_set_stop(is_interrupted, NULL);
///     if (mus_sim_frame(sim, NULL) == MUS_STOPPED) ...
MUS_API void mus_set_stop(int (*asked)(void *data), void *data);

#ifdef __cplusplus
}
#endif
#endif
