// Memory as a stream of bytes: what one run puts down, another takes up, on the same machine.
//
//     mus_list bytes = {0};                                     // of unsigned char
//     mus_bytes_put(&bytes, &count, sizeof count);
//     ...
//     mus_bytes from = {bytes.items, bytes.count};
//     if (!mus_bytes_take(&from, &count, sizeof count)) ...     // there is no more
#ifndef MUS_BASE_BYTES_H
#define MUS_BASE_BYTES_H

#include "base/list.h"
#include "muslin/status.h"

typedef struct mus_bytes {
  const void *data;
  size_t left;
} mus_bytes;

// Behind what is there.
mus_status mus_bytes_put(mus_list *bytes, const void *data, size_t size);
// False, with nothing taken, where fewer are left.
bool mus_bytes_take(mus_bytes *from, void *data, size_t size);

#endif
