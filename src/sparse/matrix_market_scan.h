// Words and numbers of a text file, plain or gzip-compressed, through a buffer of fixed size.
//
// The Matrix Market reader stands on this. Lines and comments may be of any length, a single word may not: what the
// buffer holds ahead is always one whole word. Every failure is told as "name:line: what, and what to do".
#ifndef MUS_SPARSE_MATRIX_MARKET_SCAN_H
#define MUS_SPARSE_MATRIX_MARKET_SCAN_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "muslin/status.h"

enum { MUS_SCAN_WORD = 4096 }; // longest word that is read

typedef struct mus_scanner {
  const char *name;      // of the file, for error texts; the end of it when it is long
  long long line;        // from 1
  struct gzFile_s *file; // the source, or ...
  const char *text;      // ... the rest of a source in memory
  size_t left;           // bytes of `text`
  char *buffer;
  size_t capacity;         // of the buffer, less one byte for the zero that always stands at `end`
  const char *cursor;      // what is not read yet begins here ...
  char *end;               // ... and ends here
  bool at_end;             // nothing comes after `end`
  locale_t plain, callers; // the C locale, whose decimal sign is a point, and the one that the thread had before
} mus_scanner;

// Open and close on one thread, which uses the C locale in between. A failed open needs no close.
mus_status mus_scan_open_file(mus_scanner *s, const char *path);
mus_status mus_scan_open_text(mus_scanner *s, const char *name, const char *text, size_t length);
void mus_scan_close(mus_scanner *s);

// "name:line: text" with the current line. The second form names another line.
mus_status mus_scan_fail(const mus_scanner *s, mus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
mus_status mus_scan_fail_at(const mus_scanner *s, long long line, mus_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Goes to the next word, over ends of lines, blank lines and lines that begin with %. `found` is false at the end.
mus_status mus_scan_next(mus_scanner *s, bool *found);

// The current line's next word in lower case, with '?' for what cannot be printed, cut to `size`; "" at its end.
mus_status mus_scan_word(mus_scanner *s, size_t size, char *word);
// The current line's next word as a number; `what` names it in error texts ("row"). Anything else is MUS_BAD_INPUT.
mus_status mus_scan_integer(mus_scanner *s, const char *what, long long *value);
// Correctly rounded and finite.
mus_status mus_scan_real(mus_scanner *s, const char *what, double *value);
// MUS_BAD_INPUT when the current line holds another word.
mus_status mus_scan_end_line(mus_scanner *s);

#endif
