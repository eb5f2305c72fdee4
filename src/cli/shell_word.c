// See shell_word.h.
#include "shell_word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int shell_is_plain(char character) {
  unsigned char c = (unsigned char)character;
  return c >= 0x80 || isalnum(c) || (c && strchr("-_./+,:@%", c));
}

char *shell_word(const char *text) {
  static const char quote[] = "'\\''";
  size_t length = strlen(text), plain = 0;
  char *word = malloc(4 * length + 3), *to = word; // each character may be a quote
  while (text[plain] && shell_is_plain(text[plain]))
    ++plain;
  if (!word)
    return NULL;
  if (plain == length && length > 0) {
    strcpy(word, text);
    return word;
  }
  *to++ = '\'';
  for (; *text; ++text)
    if (*text == '\'') {
      memcpy(to, quote, sizeof quote - 1);
      to += sizeof quote - 1;
    } else {
      *to++ = *text;
    }
  *to++ = '\'';
  *to = 0;
  return word;
}
