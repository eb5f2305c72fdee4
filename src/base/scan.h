// Words, numbers and bytes of a file, plain or gzip-compressed, through a buffer of fixed size.
//
// The readers of Matrix Market, OBJ and PLY are built on this. Lines and comments may be of any length, a single word
// may not: what the buffer holds ahead is always one whole word. Every failure is reported as "name:line: what, and
// what to do".
#ifndef MUS_BASE_SCAN_H
#define MUS_BASE_SCAN_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "muslin/status.h"

enum { MUS_SCAN_WORD = 4096 }; // longest word that is read

typedef struct mus_scanner {
  const char *name;      // of the file, for error texts; the end of it when it is long
  long long line;        // from 1
  char comment;          // what begins a comment; 0, as it is after opening: there are none
  bool continued;        // a backslash at the end of a line joins it with the next; false after opening
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

// The first bytes of a file, unpacked where it is compressed, with a zero behind them: to tell what it is.
enum { MUS_FILE_BEGIN = 513 };
mus_status mus_file_begin(const char *path, char begin[MUS_FILE_BEGIN]);

// "name:line: text" with the current line. The second form names another line.
mus_status mus_scan_fail(const mus_scanner *s, mus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
mus_status mus_scan_fail_at(const mus_scanner *s, long long line, mus_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "'word' is not `kind` for `what`" about the next word, or that the line, the file or the word's length ends it.
mus_status mus_scan_fail_word(const mus_scanner *s, const char *what, const char *kind);

// Goes to the next word, over ends of lines, blank lines and comments. `found` is false at the end.
mus_status mus_scan_next(mus_scanner *s, bool *found);
// Whether another word comes before the end of the line or a comment.
mus_status mus_scan_more(mus_scanner *s, bool *more);
// Leaves the rest of the line, whatever it is.
mus_status mus_scan_skip_line(mus_scanner *s);

// The current line's next word, with '?' for what cannot be printed, cut to `size`; "" at its end.
mus_status mus_scan_word(mus_scanner *s, size_t size, char *word);
// The same in lower case.
mus_status mus_scan_lower_word(mus_scanner *s, size_t size, char *word);
// The current line's next word where it lies: valid until the next call, and `length` is 0 at the end of the line. What
// follows it is readable too and not part of a number. take() moves past it.
mus_status mus_scan_peek(mus_scanner *s, const char **word, size_t *length);
static inline void mus_scan_take(mus_scanner *s, size_t length) { s->cursor += length; }

// The current line's next word as a number; `what` names it in error texts ("row"). Anything else is MUS_BAD_INPUT.
mus_status mus_scan_integer(mus_scanner *s, const char *what, long long *value);
// Correctly rounded and finite.
mus_status mus_scan_real(mus_scanner *s, const char *what, double *value);
// MUS_BAD_INPUT when the current line holds another word.
mus_status mus_scan_end_line(mus_scanner *s);

// Over the end of the line, which must come next, to the first byte after it.
mus_status mus_scan_newline(mus_scanner *s);
// The next `size` bytes, at most MUS_SCAN_WORD, where they lie: valid until the next call. MUS_BAD_INPUT, with `what`
// in its text, when the file ends before.
mus_status mus_scan_bytes(mus_scanner *s, size_t size, const char *what, const unsigned char **bytes);

#endif
