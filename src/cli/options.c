// Strict parsing of command-line options. See options.h.
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAXIMUM = 63, USAGE_ERROR = 2 };

option option_flag(const char *name, int *target, const char *help) {
  return (option){.name = name, .kind = OPTION_FLAG, .target = target, .help = help};
}

option option_whole(const char *name, int *target, int minimum, int maximum, const char *help) {
  return (option){.name = name,
                  .kind = OPTION_WHOLE,
                  .target = target,
                  .value = "N",
                  .help = help,
                  .minimum = minimum,
                  .maximum = maximum};
}

option option_real(const char *name, double *target, const char *help) {
  return (option){.name = name, .kind = OPTION_REAL, .target = target, .value = "X", .help = help};
}

option option_real_within(const char *name, double *target, double lowest, double highest, const char *help) {
  option made = option_real(name, target, help);
  made.lowest = lowest;
  made.highest = highest;
  return made;
}

option option_text(const char *name, const char **target, const char *value, const char *help) {
  return (option){.name = name, .kind = OPTION_TEXT, .target = target, .value = value, .help = help};
}

option option_texts(const char *name, option_list *target, const char *value, const char *help) {
  return (option){.name = name, .kind = OPTION_TEXTS, .target = target, .value = value, .help = help};
}

option option_choice(const char *name, int *target, const char *value, const char *const *choices, const char *help) {
  return (option){
      .name = name, .kind = OPTION_CHOICE, .target = target, .value = value, .choices = choices, .help = help};
}

static int smallest(int a, int b, int c) {
  int ab = a < b ? a : b;
  return ab < c ? ab : c;
}

// Insertions, deletions and replacements that turn one word into the other (Levenshtein 1966).
static int edit_distance(const char *a, const char *b) {
  size_t length = strlen(b);
  int row[WORD_MAXIMUM + 1];
  if (length > WORD_MAXIMUM || strlen(a) > WORD_MAXIMUM)
    return INT_MAX;
  for (size_t j = 0; j <= length; ++j)
    row[j] = (int)j;
  for (size_t i = 0; a[i]; ++i) {
    int diagonal = row[0];
    row[0] = (int)i + 1;
    for (size_t j = 0; j < length; ++j) {
      int above = row[j + 1];
      row[j + 1] = smallest(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
      diagonal = above;
    }
  }
  return row[length];
}

const char *options_nearest(const char *word, const char *const *candidates) {
  const char *nearest = NULL;
  int best = INT_MAX;
  for (; *candidates; ++candidates) {
    int distance = edit_distance(word, *candidates);
    if (*word && strncmp(*candidates, word, strlen(word)) == 0)
      distance = 1; // an abbreviation
    if (distance < best) {
      best = distance;
      nearest = *candidates;
    }
  }
  size_t length = strlen(word);
  int close = length < 4 ? 1 : length < 9 ? 2 : 3; // two letters swapped count as two edits
  return best <= close ? nearest : NULL;
}

static int unknown_option(const option_table *table, const char *dashes, const char *name, size_t length) {
  char word[WORD_MAXIMUM + 1];
  snprintf(word, sizeof word, "%.*s", (int)(length < WORD_MAXIMUM ? length : WORD_MAXIMUM), name);
  fprintf(stderr, "%s: unknown option %s%s", table->program, dashes, word);
  const char **names = calloc((size_t)table->count + 1, sizeof *names);
  if (names) {
    for (int i = 0; i < table->count; ++i)
      names[i] = table->options[i].name;
    const char *nearest = options_nearest(word, names);
    if (nearest)
      fprintf(stderr, "; did you mean --%s?", nearest);
    free(names);
  }
  fprintf(stderr, "\nTry %s --help\n", table->program);
  return USAGE_ERROR;
}

static int parse_whole(const option_table *table, const option *o, const char *text) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end) {
    fprintf(stderr, "%s: --%s: '%s' is not a whole number\n", table->program, o->name, text);
    return USAGE_ERROR;
  }
  if (errno || value < o->minimum || value > o->maximum) {
    fprintf(stderr, "%s: --%s: %s is out of range; give %d to %d\n", table->program, o->name, text, o->minimum,
            o->maximum);
    return USAGE_ERROR;
  }
  *(int *)o->target = (int)value;
  return 0;
}

static int parse_real(const option_table *table, const option *o, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value)) {
    fprintf(stderr, "%s: --%s: '%s' is not a finite number\n", table->program, o->name, text);
    return USAGE_ERROR;
  }
  if (o->highest != o->lowest && !(value >= o->lowest && value <= o->highest)) {
    fprintf(stderr, "%s: --%s: %s is out of range; give %g to %g\n", table->program, o->name, text, o->lowest,
            o->highest);
    return USAGE_ERROR;
  }
  *(double *)o->target = value;
  return 0;
}

static int parse_choice(const option_table *table, const option *o, const char *text) {
  for (int i = 0; o->choices[i]; ++i)
    if (strcmp(text, o->choices[i]) == 0) {
      *(int *)o->target = i;
      return 0;
    }
  fprintf(stderr, "%s: --%s: '%s' is not one of", table->program, o->name, text);
  for (int i = 0; o->choices[i]; ++i)
    fprintf(stderr, "%s %s", i ? "," : "", o->choices[i]);
  fprintf(stderr, "\n");
  return USAGE_ERROR;
}

static int append(const option_table *table, const option *o, const char *text) {
  option_list *list = o->target;
  if (list->count == OPTION_LIST) {
    fprintf(stderr, "%s: --%s can be given at most %d times\n", table->program, o->name, OPTION_LIST);
    return USAGE_ERROR;
  }
  list->text[list->count++] = text;
  return 0;
}

static int store(const option_table *table, const option *o, const char *text) {
  switch (o->kind) {
  case OPTION_FLAG:
  case OPTION_CLEAR:
    *(int *)o->target = o->kind == OPTION_FLAG;
    return 0;
  case OPTION_WHOLE:
    return parse_whole(table, o, text);
  case OPTION_REAL:
    return parse_real(table, o, text);
  case OPTION_CHOICE:
    return parse_choice(table, o, text);
  case OPTION_TEXTS:
    return append(table, o, text);
  case OPTION_TEXT:
    break;
  }
  *(const char **)o->target = text;
  return 0;
}

static int takes_value(const option *o) { return o->kind != OPTION_FLAG && o->kind != OPTION_CLEAR; }

static const option *find_long(const option_table *table, const char *name, size_t length) {
  for (int i = 0; i < table->count; ++i)
    if (strlen(table->options[i].name) == length && memcmp(table->options[i].name, name, length) == 0)
      return &table->options[i];
  return NULL;
}

static const option *find_short(const option_table *table, char letter) {
  for (int i = 0; i < table->count; ++i)
    if (letter && table->options[i].letter == letter)
      return &table->options[i];
  return NULL;
}

// Takes the option at argv[*at] and, where it has one, its value; moves *at to the last word used.
static int parse_option(const option_table *table, int argc, char **argv, int *at) {
  const char *word = argv[*at], *value = NULL;
  const option *o;
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    o = find_long(table, word + 2, length);
    if (!o)
      return unknown_option(table, "--", word + 2, length);
    if (word[2 + length] == '=')
      value = word + 2 + length + 1;
  } else {
    o = find_short(table, word[1]);
    if (!o)
      return unknown_option(table, "-", word + 1, strlen(word + 1));
    if (word[2])
      value = word + 2;
  }
  if (!takes_value(o) && value) {
    fprintf(stderr, "%s: --%s takes no value\n", table->program, o->name);
    return USAGE_ERROR;
  }
  if (takes_value(o) && !value) {
    if (*at + 1 >= argc) {
      fprintf(stderr, "%s: --%s needs a value (%s)\n", table->program, o->name, o->value);
      return USAGE_ERROR;
    }
    value = argv[++*at];
  }
  return store(table, o, value);
}

int option_copy(const char *program, const char *name, const char *text, size_t size, char *to) {
  if (text && strlen(text) >= size) {
    fprintf(stderr, "%s: --%s: more than %zu letters\n", program, name, size - 1);
    return 2;
  }
  if (text)
    strcpy(to, text);
  return 0;
}

int options_parse(const option_table *table, int argc, char **argv, const char **plain, int maximum, int *plain_count) {
  int only_plain = 0;
  *plain_count = 0;
  for (int i = 0; i < argc; ++i) {
    if (!only_plain && strcmp(argv[i], "--") == 0) {
      only_plain = 1;
    } else if (!only_plain && argv[i][0] == '-' && argv[i][1]) {
      int failed = parse_option(table, argc, argv, &i);
      if (failed)
        return failed;
    } else if (*plain_count < maximum) {
      plain[(*plain_count)++] = argv[i];
    } else {
      fprintf(stderr, "%s: unexpected argument '%s'\nTry %s --help\n", table->program, argv[i], table->program);
      return USAGE_ERROR;
    }
  }
  return 0;
}

void options_print(const option_table *table, FILE *file) {
  for (int i = 0; i < table->count; ++i) {
    const option *o = &table->options[i];
    char head[80], letter[8] = "";
    if (o->letter)
      snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "%s--%s%s%s", letter, o->name, takes_value(o) ? " " : "",
             takes_value(o) ? o->value : "");
    fprintf(file, "  %-26s ", head);
    if (strlen(head) > 26)
      fprintf(file, "\n%29s", "");
    for (const char *line = o->help; *line;) {
      size_t length = strcspn(line, "\n");
      fprintf(file, "%.*s\n", (int)length, line);
      line += length + (line[length] == '\n');
      if (*line)
        fprintf(file, "%29s", "");
    }
  }
}

int options_start(const option_table *table, const int *help, const char *about, int argc, char **argv, int *status) {
  int plain = 0;
  *status = options_parse(table, argc, argv, NULL, 0, &plain);
  if (*status)
    return 0;
  if (*help) {
    printf("%s", about);
    options_print(table, stdout);
  }
  return !*help;
}
