// Words, numbers and bytes of a file. See scan.h.
//
// Decimal numbers whose digits fit 53 bits and whose power of ten is at most 22 are products or quotients of two exact
// doubles, hence correctly rounded (Clinger 1990); all others go to strtod, which is correctly rounded as well.
#include "base/scan.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { BUFFER = 1 << 17, NAME_SHOWN = 200, WORD_SHOWN = 40 };

// --- errors --------------------------------------------------------------------------------------------------------

// The end of a long path says more than its beginning, and leaves space for the text.
static const char *shown_name(const char *name) {
  size_t length = strlen(name);
  return length > NAME_SHOWN ? name + (length - NAME_SHOWN) : name;
}

static mus_status fail_with(const mus_scanner *s, long long line, mus_status status, const char *format,
                            va_list arguments) {
  char text[256];
  vsnprintf(text, sizeof text, format, arguments);
  return mus_fail(status, "%s:%lld: %s", s->name, line, text);
}

mus_status mus_scan_fail(const mus_scanner *s, mus_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_with(s, s->line, status, format, arguments);
  va_end(arguments);
  return status;
}

mus_status mus_scan_fail_at(const mus_scanner *s, long long line, mus_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_with(s, line, status, format, arguments);
  va_end(arguments);
  return status;
}

// --- source and buffer ---------------------------------------------------------------------------------------------

static mus_status open_any(mus_scanner *s, size_t capacity) {
  s->line = 1;
  s->capacity = capacity;
  s->buffer = mus_alloc(s->capacity + 1, 1);
  if (!s->buffer) {
    mus_scan_close(s);
    return mus_fail_memory();
  }
  s->cursor = s->end = s->buffer;
  *s->end = '\0';
  s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (s->plain == (locale_t)0) {
    mus_scan_close(s);
    return mus_fail_memory();
  }
  s->callers = uselocale(s->plain);
  return MUS_OK;
}

mus_status mus_scan_open_file(mus_scanner *s, const char *path) {
  *s = (mus_scanner){.name = shown_name(path)};
  errno = 0;
  s->file = gzopen(path, "rb");
  if (!s->file && errno == 0)
    return mus_fail_memory();
  if (!s->file)
    return mus_fail(MUS_IO_ERROR, "%s: cannot be opened (%s): check the path", s->name, strerror(errno));
  gzbuffer(s->file, BUFFER);
  return open_any(s, BUFFER);
}

mus_status mus_scan_open_text(mus_scanner *s, const char *name, const char *text, size_t length) {
  *s = (mus_scanner){.name = shown_name(name), .text = text, .left = length};
  size_t least = 2 * MUS_SCAN_WORD;
  return open_any(s, length < least ? least : length < BUFFER ? length : BUFFER);
}

void mus_scan_close(mus_scanner *s) {
  if (s->plain != (locale_t)0) {
    uselocale(s->callers);
    freelocale(s->plain);
  }
  if (s->file)
    gzclose(s->file);
  mus_free(s->buffer);
  *s = (mus_scanner){0};
}

mus_status mus_file_begin(const char *path, char begin[MUS_FILE_BEGIN]) {
  gzFile file = gzopen(path, "rb");
  int got = file ? gzread(file, begin, MUS_FILE_BEGIN - 1) : -1;
  if (file)
    gzclose(file);
  if (got < 0)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be read: check the name and the permissions", path);
  memset(begin + got, 0, (size_t)(MUS_FILE_BEGIN - got));
  return MUS_OK;
}

// No line: the buffer is ahead of the words.
static mus_status fail_file(const mus_scanner *s, int code) {
  if (code == Z_ERRNO)
    return mus_fail(MUS_IO_ERROR, "%s: reading failed (%s): check the file and its device", s->name, strerror(errno));
  if (code == Z_MEM_ERROR)
    return mus_fail_memory();
  const char *what = code == Z_BUF_ERROR ? "cut off" : "damaged";
  return mus_fail(MUS_BAD_INPUT, "%s: the compressed data is %s: copy the file again", s->name, what);
}

static mus_status read_file(mus_scanner *s, size_t space) {
  int got = gzread(s->file, s->end, (unsigned)space);
  int code = Z_OK;
  gzerror(s->file, &code);
  // Cut-off data gives what there was and sets Z_BUF_ERROR; the words before the cut are not to be trusted either.
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    return fail_file(s, code);
  s->at_end = (size_t)got < space;
  s->end += got;
  return MUS_OK;
}

static void read_text(mus_scanner *s, size_t space) {
  size_t got = s->left < space ? s->left : space;
  if (got > 0) { // the text may be NULL when there is none
    memcpy(s->end, s->text, got);
    s->text += got;
    s->end += got;
    s->left -= got;
  }
  s->at_end = s->left == 0;
}

// Moves what is left to the front and fills the rest of the buffer.
static mus_status fill(mus_scanner *s) {
  size_t kept = (size_t)(s->end - s->cursor);
  memmove(s->buffer, s->cursor, kept);
  s->cursor = s->buffer;
  s->end = s->buffer + kept;
  size_t space = s->capacity - kept;
  mus_status status = MUS_OK;
  if (s->file)
    status = read_file(s, space);
  else
    read_text(s, space);
  *s->end = '\0';
  return status;
}

// --- words ---------------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Bytes of a backslash and the end of line that it takes away, 0 where there is none. Like a word, it is looked for
// where the buffer holds MUS_SCAN_WORD bytes or all that is left.
static int continuation_at(const mus_scanner *s, const char *p) {
  if (!s->continued || *p != '\\')
    return 0;
  return p[1] == '\n' ? 2 : p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

// A zero byte ends a word only where the data ends: elsewhere it is text like any other, and wrong like any other.
static bool ends_word(const mus_scanner *s, const char *p) {
  return is_blank(*p) || *p == '\n' || (p == s->end && s->at_end) || continuation_at(s, p) > 0;
}

// Whether the word at the cursor is over at `p`. The length counts, lest it depend on the buffer what can be read.
static bool is_whole_word(const mus_scanner *s, const char *p) {
  return ends_word(s, p) && p - s->cursor <= MUS_SCAN_WORD;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// To the next word or the end of the line. Afterwards the buffer holds MUS_SCAN_WORD bytes or all that is left.
static mus_status skip_blanks(mus_scanner *s) {
  for (;;) {
    while (is_blank(*s->cursor))
      ++s->cursor;
    if (s->at_end || s->end - s->cursor >= MUS_SCAN_WORD) {
      int continuation = continuation_at(s, s->cursor);
      if (continuation == 0)
        return MUS_OK;
      s->cursor += continuation;
      ++s->line;
      continue;
    }
    mus_status status = fill(s);
    if (status != MUS_OK)
      return status;
  }
}

static bool at_comment(const mus_scanner *s) { return s->comment != '\0' && *s->cursor == s->comment; }

mus_status mus_scan_skip_line(mus_scanner *s) {
  for (;;) {
    const char *newline = memchr(s->cursor, '\n', (size_t)(s->end - s->cursor));
    s->cursor = newline ? newline : s->end;
    if (newline || s->at_end)
      return MUS_OK;
    mus_status status = fill(s);
    if (status != MUS_OK)
      return status;
  }
}

mus_status mus_scan_next(mus_scanner *s, bool *found) {
  for (;;) {
    mus_status status = skip_blanks(s);
    if (status == MUS_OK && at_comment(s))
      status = mus_scan_skip_line(s);
    if (status != MUS_OK)
      return status;
    *found = s->cursor < s->end;
    if (!*found || *s->cursor != '\n')
      return MUS_OK;
    ++s->cursor;
    ++s->line;
  }
}

mus_status mus_scan_more(mus_scanner *s, bool *more) {
  mus_status status = skip_blanks(s);
  *more = s->cursor < s->end && *s->cursor != '\n' && !at_comment(s);
  return status;
}

// The word at `p`, fit to be printed.
static const char *show_word(const mus_scanner *s, const char *p, char shown[WORD_SHOWN + 4]) {
  int length = 0;
  for (; length < WORD_SHOWN && !ends_word(s, p); ++p)
    shown[length++] = isprint((unsigned char)*p) ? *p : '?';
  strcpy(shown + length, ends_word(s, p) ? "" : "...");
  return shown;
}

mus_status mus_scan_word(mus_scanner *s, size_t size, char *word) {
  mus_status status = skip_blanks(s);
  if (status != MUS_OK)
    return status;
  size_t length = 0;
  for (; s->cursor < s->end && !ends_word(s, s->cursor); ++s->cursor)
    if (length + 1 < size)
      word[length++] = (char)(isprint((unsigned char)*s->cursor) ? *s->cursor : '?');
  word[length] = '\0';
  return MUS_OK;
}

mus_status mus_scan_lower_word(mus_scanner *s, size_t size, char *word) {
  mus_status status = mus_scan_word(s, size, word);
  if (status == MUS_OK)
    for (char *p = word; *p != '\0'; ++p)
      *p = (char)tolower((unsigned char)*p);
  return status;
}

// Where the word at the cursor ends, as far as the buffer knows.
static const char *word_end(const mus_scanner *s) {
  const char *p = s->cursor;
  while (p < s->end && !ends_word(s, p))
    ++p;
  return p;
}

mus_status mus_scan_peek(mus_scanner *s, const char **word, size_t *length) {
  mus_status status = skip_blanks(s);
  if (status != MUS_OK)
    return status;
  const char *p = word_end(s);
  if (!is_whole_word(s, p))
    return mus_scan_fail(s, MUS_BAD_INPUT, "a word has more than %d characters: shorten it", MUS_SCAN_WORD);
  *word = s->cursor;
  *length = (size_t)(p - s->cursor);
  return MUS_OK;
}

mus_status mus_scan_end_line(mus_scanner *s) {
  mus_status status = skip_blanks(s);
  if (status != MUS_OK || s->cursor == s->end || *s->cursor == '\n')
    return status;
  char shown[WORD_SHOWN + 4];
  return mus_scan_fail(s, MUS_BAD_INPUT, "'%s' is one value too many on this line: check it and the lines before",
                       show_word(s, s->cursor, shown));
}

// --- numbers -------------------------------------------------------------------------------------------------------

mus_status mus_scan_fail_word(const mus_scanner *s, const char *what, const char *kind) {
  char shown[WORD_SHOWN + 4];
  if (s->cursor == s->end && s->at_end)
    return mus_scan_fail(s, MUS_BAD_INPUT, "the file ends where %s should be: it is truncated", what);
  if (*s->cursor == '\n')
    return mus_scan_fail(s, MUS_BAD_INPUT, "the line ends where %s should be: complete the line", what);
  if (!is_whole_word(s, word_end(s)))
    return mus_scan_fail(s, MUS_BAD_INPUT, "more than %d characters for %s: shorten it", MUS_SCAN_WORD, what);
  return mus_scan_fail(s, MUS_BAD_INPUT, "'%s' is not %s for %s: correct it", show_word(s, s->cursor, shown), kind,
                       what);
}

mus_status mus_scan_integer(mus_scanner *s, const char *what, long long *value) {
  mus_status status = skip_blanks(s);
  if (status != MUS_OK)
    return status;
  const char *p = s->cursor;
  bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  const char *first = p;
  long long sum = 0;
  for (; is_digit(*p); ++p)
    sum = sum > (LLONG_MAX - 9) / 10 ? LLONG_MAX - 9 : sum * 10 + (*p - '0');
  if (p == first || !is_whole_word(s, p))
    return mus_scan_fail_word(s, what, "a whole number");
  if (sum == LLONG_MAX - 9) {
    char shown[WORD_SHOWN + 4];
    return mus_scan_fail(s, MUS_BAD_INPUT, "%s is too large for %s: the maximum is %d", show_word(s, s->cursor, shown),
                         what, INT_MAX);
  }
  *value = negative ? -sum : sum;
  s->cursor = p;
  return MUS_OK;
}

// A decimal number taken apart: (-1)^negative * digits * 10^exponent.
typedef struct decimal {
  bool negative;
  bool exact; // `digits` holds all of them
  uint64_t digits;
  int exponent;
} decimal;

static const char *scan_exponent(const char *p, int *exponent) {
  ++p;
  bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  if (!is_digit(*p))
    return NULL;
  int sum = 0;
  for (; is_digit(*p); ++p)
    sum = sum > 100000 ? sum : sum * 10 + (*p - '0');
  *exponent += negative ? -sum : sum;
  return p;
}

// [sign] digits [. digits] [e [sign] digits], with at least one digit before the e. Answers where it ends, or NULL.
static const char *scan_decimal(const char *p, decimal *number) {
  number->negative = *p == '-';
  p += *p == '-' || *p == '+';
  const char *first = p;
  uint64_t digits = 0;
  for (; is_digit(*p); ++p)
    digits = digits * 10 + (uint64_t)(*p - '0');
  int count = (int)(p - first);
  number->exponent = 0;
  if (*p == '.') {
    const char *fraction = ++p;
    for (; is_digit(*p); ++p)
      digits = digits * 10 + (uint64_t)(*p - '0');
    number->exponent = -(int)(p - fraction);
    count -= number->exponent;
  }
  number->digits = digits;
  number->exact = count <= 19; // ten to the 19th fits 64 bits
  if (count == 0)
    return NULL;
  return *p == 'e' || *p == 'E' ? scan_exponent(p, &number->exponent) : p;
}

static double to_double(const char *word, const decimal *number) {
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!number->exact || number->digits > (uint64_t)1 << 53 || number->exponent < -22 || number->exponent > 22)
    return strtod(word, NULL);
  double digits = (double)number->digits;
  double size = number->exponent < 0 ? digits / power[-number->exponent] : digits * power[number->exponent];
  return number->negative ? -size : size;
}

static bool begins_like(const char *p, const char *lower) {
  p += *p == '-' || *p == '+';
  for (; *lower && tolower((unsigned char)*p) == *lower; ++p)
    ++lower;
  return *lower == '\0';
}

mus_status mus_scan_real(mus_scanner *s, const char *what, double *value) {
  mus_status status = skip_blanks(s);
  if (status != MUS_OK)
    return status;
  decimal number;
  const char *p = scan_decimal(s->cursor, &number);
  if (!p && (begins_like(s->cursor, "nan") || begins_like(s->cursor, "inf")))
    return mus_scan_fail(s, MUS_BAD_INPUT, "%s is not a finite number: check the program that wrote it", what);
  if (!p || !is_whole_word(s, p))
    return mus_scan_fail_word(s, what, "a number");
  double result = to_double(s->cursor, &number);
  if (!isfinite(result))
    return mus_scan_fail_word(s, what, "within the range of a double");
  *value = result;
  s->cursor = p;
  return MUS_OK;
}

// --- bytes ---------------------------------------------------------------------------------------------------------

mus_status mus_scan_newline(mus_scanner *s) {
  mus_status status = mus_scan_end_line(s);
  if (status != MUS_OK)
    return status;
  if (s->cursor == s->end)
    return mus_scan_fail(s, MUS_BAD_INPUT, "the file ends here: it is truncated");
  ++s->cursor;
  ++s->line;
  return MUS_OK;
}

mus_status mus_scan_bytes(mus_scanner *s, size_t size, const char *what, const unsigned char **bytes) {
  while ((size_t)(s->end - s->cursor) < size && !s->at_end) {
    mus_status status = fill(s);
    if (status != MUS_OK)
      return status;
  }
  if ((size_t)(s->end - s->cursor) < size)
    return mus_fail(MUS_BAD_INPUT, "%s: the file ends where %s should be: it is truncated", s->name, what);
  *bytes = (const unsigned char *)s->cursor;
  s->cursor += size;
  return MUS_OK;
}
