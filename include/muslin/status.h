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
  MUS_NOT_CONVERGED  ///< the iteration limit was reached before the tolerance; the best iterate is returned
} mus_status;

/// The status in lower case, e.g. "bad input". Never NULL.
MUS_API const char *mus_status_name(mus_status status);

/// The calling thread's last error text; "" if there was none. Never NULL.
MUS_API const char *mus_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
