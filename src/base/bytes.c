// See bytes.h.
#include "base/bytes.h"

#include <string.h>

#include "base/error.h"

mus_status mus_bytes_put(mus_list *bytes, const void *data, size_t size) {
  if (!mus_list_reserve(bytes, size, 1))
    return mus_fail_memory();
  if (size > 0)
    memcpy((unsigned char *)bytes->items + bytes->count, data, size);
  bytes->count += size;
  return MUS_OK;
}

bool mus_bytes_take(mus_bytes *from, void *data, size_t size) {
  if (size > from->left)
    return false;
  if (size > 0)
    memcpy(data, from->data, size);
  from->data = (const unsigned char *)from->data + size;
  from->left -= size;
  return true;
}
