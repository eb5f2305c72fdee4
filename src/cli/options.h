// Command-line options: one table per command, parsed strictly, with errors that name the option and the remedy.
//
// Understands --name VALUE, --name=VALUE, a one-letter form where the table gives one, and -- before arguments that
// start with a dash. Options and plain arguments may be mixed.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

typedef enum option_kind {
  OPTION_FLAG,  // int: becomes 1
  OPTION_CLEAR, // int: becomes 0
  OPTION_WHOLE, // int, within minimum ... maximum
  OPTION_REAL,  // double, finite, within lowest ... highest unless both are 0
  OPTION_TEXT,  // const char *: points into argv
  OPTION_TEXTS, // option_list: may be given several times
  OPTION_CHOICE // int: the place of the value in `choices`
} option_kind;

enum { OPTION_LIST = 64 };
typedef struct option_list {
  int count;
  const char *text[OPTION_LIST]; // point into argv
} option_list;

typedef struct option {
  const char *name; // without the dashes
  char letter;      // short form, or 0
  option_kind kind;
  void *target;
  const char *value;          // what the value is called in the help, e.g. "FILE"
  const char *help;           // may hold line breaks
  int minimum, maximum;       // OPTION_WHOLE
  double lowest, highest;     // OPTION_REAL
  const char *const *choices; // OPTION_CHOICE: ends with NULL
} option;

// Options of each kind; what else one has is set afterwards.
option option_flag(const char *name, int *target, const char *help);
option option_whole(const char *name, int *target, int minimum, int maximum, const char *help);
option option_real(const char *name, double *target, const char *help);
option option_real_within(const char *name, double *target, double lowest, double highest, const char *help);
option option_text(const char *name, const char **target, const char *value, const char *help);
option option_texts(const char *name, option_list *target, const char *value, const char *help);
option option_choice(const char *name, int *target, const char *value, const char *const *choices, const char *help);

// Copies the text of an option, unless it is NULL: not given. Returns 0, or an exit status after saying on stderr that
// it is too long for `size` letters with the 0 at their end.
int option_copy(const char *program, const char *name, const char *text, size_t size, char *to);

typedef struct option_table {
  const char *program; // starts every error text, e.g. "muslin solve"
  const option *options;
  int count;
} option_table;

// Fills the targets and collects at most `maximum` plain arguments. Returns 0, or 2 after saying on stderr what is
// wrong.
int options_parse(const option_table *table, int argc, char **argv, const char **plain, int maximum, int *plain_count);

// The same for a program without plain arguments whose table has a flag for help: where that is given, prints `about`
// and the options. Returns 1 where the program goes on; else *status is what it ends with.
int options_start(const option_table *table, const int *help, const char *about, int argc, char **argv, int *status);

// A line or more for each option.
void options_print(const option_table *table, FILE *file);

// The candidate (of a list that ends with NULL) closest to `word`, or NULL when none is close.
const char *options_nearest(const char *word, const char *const *candidates);

#endif
