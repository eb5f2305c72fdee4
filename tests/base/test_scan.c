// The scanner: comments, continued lines, words in place and bytes. Numbers and buffer ends are held by the Matrix
// Market tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

static mus_scanner open_text(const char *text) {
  mus_scanner s;
  assert_int_equal(mus_scan_open_text(&s, "text", text, strlen(text)), MUS_OK);
  return s;
}

static void assert_word(mus_scanner *s, const char *expected) {
  const char *word;
  size_t length;
  assert_int_equal(mus_scan_peek(s, &word, &length), MUS_OK);
  assert_int_equal(length, strlen(expected));
  assert_memory_equal(word, expected, length);
  mus_scan_take(s, length);
}

static bool has_more(mus_scanner *s) {
  bool more;
  assert_int_equal(mus_scan_more(s, &more), MUS_OK);
  return more;
}

static bool has_next(mus_scanner *s) {
  bool found;
  assert_int_equal(mus_scan_next(s, &found), MUS_OK);
  return found;
}

static void comments_and_lines(void **state) {
  (void)state;
  mus_scanner s = open_text("# first\n\n  one two # rest\n#\r\nthree\r\n% four");
  s.comment = '#';
  assert_true(has_next(&s));
  assert_int_equal(s.line, 3);
  assert_word(&s, "one");
  assert_true(has_more(&s));
  assert_word(&s, "two");
  assert_false(has_more(&s));
  assert_true(has_next(&s));
  assert_int_equal(s.line, 5);
  assert_word(&s, "three");
  assert_false(has_more(&s));
  assert_word(&s, "");
  assert_true(has_next(&s));
  assert_word(&s, "%");
  assert_int_equal(mus_scan_skip_line(&s), MUS_OK);
  assert_false(has_more(&s));
  assert_false(has_next(&s));
  mus_scan_close(&s);
}

static void continued_lines(void **state) {
  (void)state;
  const char *text = "a \\\n b\\\r\nc\\d \\ \ne\\";
  mus_scanner s = open_text(text);
  s.continued = true;
  assert_word(&s, "a");
  assert_word(&s, "b");
  assert_word(&s, "c\\d");
  assert_int_equal(s.line, 3);
  assert_word(&s, "\\");
  assert_false(has_more(&s));
  assert_true(has_next(&s));
  assert_int_equal(s.line, 4);
  assert_word(&s, "e\\");
  assert_false(has_next(&s));
  mus_scan_close(&s);
  s = open_text(text);
  assert_word(&s, "a");
  assert_word(&s, "\\");
  assert_false(has_more(&s));
  mus_scan_close(&s);
}

static void words_keep_or_lose_their_case(void **state) {
  (void)state;
  mus_scanner s = open_text("Panel_A Panel_A \x01\xff long");
  char word[8];
  assert_int_equal(mus_scan_word(&s, sizeof word, word), MUS_OK);
  assert_string_equal(word, "Panel_A");
  assert_int_equal(mus_scan_lower_word(&s, sizeof word, word), MUS_OK);
  assert_string_equal(word, "panel_a");
  assert_int_equal(mus_scan_word(&s, sizeof word, word), MUS_OK);
  assert_string_equal(word, "??");
  assert_int_equal(mus_scan_word(&s, 3, word), MUS_OK);
  assert_string_equal(word, "lo");
  mus_scan_close(&s);
}

static void words_too_long_are_refused(void **state) {
  (void)state;
  static char text[2 * MUS_SCAN_WORD];
  const char *word;
  size_t length;
  for (int extra = 0; extra < 2; ++extra) {
    memset(text, 'w', sizeof text);
    strcpy(text + MUS_SCAN_WORD + extra, " next");
    mus_scanner s = open_text(text);
    assert_int_equal(mus_scan_peek(&s, &word, &length), extra ? MUS_BAD_INPUT : MUS_OK);
    if (extra)
      assert_string_equal(mus_last_error(), "text:1: a word has more than 4096 characters: shorten it");
    mus_scan_close(&s);
  }
}

// Bytes after a line of text, over the end of the buffer, up to the end of the data.
static void bytes_after_a_line(void **state) {
  (void)state;
  enum { HEAD = 6, SIZE = 400000 };
  unsigned char *text = malloc(SIZE);
  assert_non_null(text);
  memcpy(text, "head\r\n", HEAD);
  for (size_t k = HEAD; k < SIZE; ++k)
    text[k] = (unsigned char)(k * 7 % 251);
  mus_scanner s;
  assert_int_equal(mus_scan_open_text(&s, "bytes", (char *)text, SIZE), MUS_OK);
  assert_word(&s, "head");
  assert_int_equal(mus_scan_newline(&s), MUS_OK);
  const unsigned char *bytes;
  size_t at = HEAD;
  for (size_t size = 1; at + size <= SIZE; at += size, size = 1 + size * 3 % MUS_SCAN_WORD) {
    assert_int_equal(mus_scan_bytes(&s, size, "them", &bytes), MUS_OK);
    assert_memory_equal(bytes, text + at, size);
  }
  assert_int_equal(mus_scan_bytes(&s, MUS_SCAN_WORD, "more", &bytes), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "bytes: the file ends where more should be: it is truncated");
  mus_scan_close(&s);
  free(text);
}

static void a_line_must_end_where_bytes_begin(void **state) {
  (void)state;
  mus_scanner s = open_text("head more\n");
  assert_word(&s, "head");
  assert_int_equal(mus_scan_newline(&s), MUS_BAD_INPUT);
  mus_scan_close(&s);
  s = open_text("head");
  assert_word(&s, "head");
  assert_int_equal(mus_scan_newline(&s), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "text:1: the file ends here: it is truncated");
  mus_scan_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comments_and_lines),
      cmocka_unit_test(continued_lines),
      cmocka_unit_test(words_keep_or_lose_their_case),
      cmocka_unit_test(words_too_long_are_refused),
      cmocka_unit_test(bytes_after_a_line),
      cmocka_unit_test(a_line_must_end_where_bytes_begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
