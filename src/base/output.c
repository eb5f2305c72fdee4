// Files that are written beside and renamed. See output.h.
#define _XOPEN_SOURCE 700 // realpath
#include "base/output.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { BUFFER = 1 << 17, NUMBER = 32 }; // no number is longer than NUMBER

// --- the file ------------------------------------------------------------------------------------------------------

static mus_status fail_writing(const mus_output *out) {
  const char *why = errno ? strerror(errno) : "compression failed";
  return mus_fail(MUS_IO_ERROR, "%.200s: cannot be written (%s): check the folder, its permissions and the free space",
                  out->path, why);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static char *join(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  char *joined = mus_alloc(n + m + 1, 1);
  if (joined) {
    memcpy(joined, a, n);
    memcpy(joined + n, b, m + 1);
  }
  return joined;
}

// Renaming over a device (/dev/null) or a symbolic link (/dev/stdout) would destroy it.
static mus_status choose_target(mus_output *out) {
  char *real = realpath(out->path, NULL);
  out->target = join(real ? real : out->path, "");
  free(real);
  if (!out->target)
    return mus_fail_memory();
  struct stat about;
  if (stat(out->target, &about) == 0 && !S_ISREG(about.st_mode))
    return MUS_OK;
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".tmp%ld", (long)getpid());
  out->beside = join(out->target, suffix);
  return out->beside ? MUS_OK : mus_fail_memory();
}

static mus_status open_file(mus_output *out) {
  mus_status status = choose_target(out);
  if (status != MUS_OK)
    return status;
  out->buffer = mus_alloc(BUFFER, 1);
  out->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!out->buffer || out->plain == (locale_t)0)
    return mus_fail_memory();
  out->callers = uselocale(out->plain);
  errno = 0;
  out->file = gzopen(out->beside ? out->beside : out->target, ends_with(out->path, ".gz") ? "wb6" : "wbT");
  if (!out->file)
    return errno ? fail_writing(out) : mus_fail_memory();
  gzbuffer(out->file, BUFFER);
  return MUS_OK;
}

mus_status mus_output_open(mus_output *out, const char *path) {
  *out = (mus_output){.path = path};
  out->status = open_file(out);
  return out->status;
}

static void flush(mus_output *out) {
  errno = 0;
  if (out->status == MUS_OK && out->used > 0 && gzwrite(out->file, out->buffer, (unsigned)out->used) != (int)out->used)
    out->status = fail_writing(out);
  out->used = 0;
}

mus_status mus_output_close(mus_output *out, mus_status status) {
  flush(out);
  if (status == MUS_OK)
    status = out->status;
  errno = 0;
  if (out->file && gzclose(out->file) != Z_OK && status == MUS_OK)
    status = fail_writing(out);
  if (status == MUS_OK && out->beside && rename(out->beside, out->target) != 0)
    status = fail_writing(out);
  if (status != MUS_OK && out->file && out->beside)
    unlink(out->beside);
  if (out->plain != (locale_t)0) {
    if (out->callers != (locale_t)0)
      uselocale(out->callers);
    freelocale(out->plain);
  }
  mus_free(out->buffer);
  mus_free(out->beside);
  mus_free(out->target);
  *out = (mus_output){0};
  return status;
}

// --- what is written -----------------------------------------------------------------------------------------------

// Room for a number at the end of the buffer, or NULL when nothing is written any more.
static char *number_space(mus_output *out) {
  if (out->status == MUS_OK && out->used + NUMBER > BUFFER)
    flush(out);
  return out->status == MUS_OK ? out->buffer + out->used : NULL;
}

void mus_output_bytes(mus_output *out, const void *bytes, size_t size) {
  const char *from = bytes;
  while (size > 0 && out->status == MUS_OK) {
    size_t part = BUFFER - out->used < size ? BUFFER - out->used : size;
    memcpy(out->buffer + out->used, from, part);
    out->used += part;
    from += part;
    size -= part;
    if (out->used == BUFFER)
      flush(out);
  }
}

void mus_output_text(mus_output *out, const char *text) { mus_output_bytes(out, text, strlen(text)); }

static char *put_integer(char *p, uint64_t value) {
  char digits[NUMBER];
  int n = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

void mus_output_integer(mus_output *out, long long value) {
  char *p = number_space(out);
  if (!p)
    return;
  if (value < 0)
    *p++ = '-';
  out->used = (size_t)(put_integer(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value) - out->buffer);
}

// What %.15g would write, for 0 and for numbers of up to 15 digits from 0.0001 on, as most of those in files are, and
// twenty times as fast; NULL for all others. If value is the double nearest to digits / 10^places, with both exact,
// then those digits are its shortest text (Clinger 1990).
static char *put_short_decimal(char *p, double value) {
  static const double scale[] = {1e3, 1e6, 1e9, 1e12, 1e15};
  double size = fabs(value);
  if (size != 0 && !(size >= 1e-4 && size < 1e11))
    return NULL;
  for (size_t k = 0; k < sizeof scale / sizeof *scale && size * scale[k] < 1e15; ++k) {
    uint64_t digits = (uint64_t)(size * scale[k] + 0.5);
    if ((double)digits / scale[k] != size)
      continue;
    uint64_t power = (uint64_t)scale[k], fraction = digits % power;
    if (signbit(value))
      *p++ = '-';
    p = put_integer(p, digits / power);
    if (fraction > 0)
      *p++ = '.';
    for (; fraction > 0; fraction %= power) {
      power /= 10;
      *p++ = (char)('0' + fraction / power);
    }
    return p;
  }
  return NULL;
}

void mus_output_real(mus_output *out, double value) {
  char *p = number_space(out), *end = p ? put_short_decimal(p, value) : NULL;
  if (end) {
    out->used = (size_t)(end - out->buffer);
    return;
  }
  int length = 0;
  for (int digits = 15; p && digits <= 17; ++digits) {
    length = snprintf(p, NUMBER, "%.*g", digits, value);
    if (strtod(p, NULL) == value)
      break;
  }
  out->used += (size_t)length;
}

void mus_output_whole_bytes(mus_output *out, int bytes, int big, long long value) {
  unsigned char b[8];
  for (int k = 0; k < bytes; ++k)
    b[big ? bytes - 1 - k : k] = (unsigned char)((uint64_t)value >> (8 * k));
  mus_output_bytes(out, b, (size_t)bytes);
}

void mus_output_real_bytes(mus_output *out, int big, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  mus_output_whole_bytes(out, 8, big, (long long)bits);
}

void mus_output_single_bytes(mus_output *out, int big, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  mus_output_whole_bytes(out, 4, big, bits);
}
