// Messages from pages: what is meant is understood, all else is refused with a reason.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/message.h"

static view_message good(const char *text) {
  view_message message = {.action = VIEW_ACTIONS};
  char why[VIEW_REASON_BYTES] = "";
  if (!view_message_parse(text, strlen(text), &message, why))
    fail_msg("%s: %s", text, why);
  return message;
}

static void what_is_meant_is_understood(void **state) {
  (void)state;
  const char *const bare[] = {"pause", "play", "step", "reset", "restore", "release", "keep", "free", "levels", "seen"};
  for (int k = 0; k < 10; ++k) {
    char text[64] = "{\"do\": \"";
    strcat(strcat(text, bare[k]), "\"}");
    assert_int_equal(good(text).action, VIEW_PAUSE + k);
  }
  assert_true(good("{\"do\":\"speed\",\"value\":0.5}").value == 0.5);
  assert_true(good("{\"value\":2,\"do\":\"stiffness\"}").value == 2);
  assert_int_equal(good("{\"do\":\"seek\",\"frame\":12}").number, 12);
  view_message m = good("{\"do\":\"gravity\",\"value\":[0,-9.81,1e0]}");
  assert_true(m.action == VIEW_GRAVITY && m.vector[1] == -9.81 && m.vector[2] == 1);
  assert_int_equal(good("{\"do\":\"wind\",\"value\":[1,2,3]}").action, VIEW_WIND);
  assert_int_equal(good("{\"do\":\"solver\",\"value\":\"diag\"}").number, MUS_METHOD_DIAG);
  assert_string_equal(good("{\"do\":\"fabric\",\"value\":\"denim\"}").name, "denim");
  assert_string_equal(good("{\"do\":\"fabric\",\"value\":\"my \u00e9toffe\"}").name, "my \u00e9toffe");
  assert_true(good("{\"do\":\"loop\",\"value\":1}").value == 1);
  assert_string_equal(mus_scene_builtin_name(good("{\"do\":\"scene\",\"value\":\"flag\"}").number, NULL), "flag");
  assert_int_equal(good("{\"do\":\"show\",\"value\":\"bend\"}").number, MUS_FIELD_BEND);
  assert_int_equal(good("{\"do\":\"show\",\"value\":\"nothing\"}").number, MUS_FIELDS);
  m = good("{\"do\":\"grab\",\"triangle\":7,\"weight\":[0.25,0.25,0.5],\"target\":[1,2,3]}");
  assert_true(m.action == VIEW_GRAB && m.number == 7 && m.weight[2] == 0.5 && m.vector[0] == 1);
  assert_true(good("{\"do\":\"drag\",\"target\":[1,2,3]}").vector[2] == 3);
}

static void all_else_is_refused(void **state) {
  (void)state;
  const char *const bad[] = {"",
                             "pause",
                             "[]",
                             "1",
                             "{}",
                             "{\"do\":1}",
                             "{\"do\":\"fly\"}",
                             "{\"do\":\"pause\",\"value\":1}",
                             "{\"do\":\"pause\",\"do\":\"play\"}",
                             "{\"do\":\"pause\"}{\"do\":\"play\"}",
                             "{\"do\":\"speed\"}",
                             "{\"do\":\"speed\",\"value\":\"1\"}",
                             "{\"do\":\"speed\",\"value\":0}",
                             "{\"do\":\"speed\",\"value\":-1}",
                             "{\"do\":\"speed\",\"value\":1e999}",
                             "{\"do\":\"speed\",\"value\":NaN}",
                             "{\"do\":\"seek\",\"frame\":-1}",
                             "{\"do\":\"seek\",\"frame\":1.5}",
                             "{\"do\":\"seek\",\"frame\":99999999999}",
                             "{\"do\":\"gravity\",\"value\":[0,1]}",
                             "{\"do\":\"gravity\",\"value\":[0,1,2,3]}",
                             "{\"do\":\"gravity\",\"value\":[0,1e9,0]}",
                             "{\"do\":\"gravity\",\"value\":{\"0\":1}}",
                             "{\"do\":\"wind\",\"value\":[null,0,0]}",
                             "{\"do\":\"solver\",\"value\":\"best\"}",
                             "{\"do\":\"solver\",\"value\":\"nothing\"}",
                             "{\"do\":\"fabric\",\"value\":\"\"}",
                             "{\"do\":\"fabric\",\"value\":\"steel\\u0000\"}",
                             "{\"do\":\"fabric\",\"value\":0}",
                             "{\"do\":\"loop\",\"value\":2}",
                             "{\"do\":\"scene\",\"value\":\"../secret.json\"}",
                             "{\"do\":\"scene\"}",
                             "{\"do\":\"keep\",\"value\":1}",
                             "{\"do\":\"show\",\"value\":\"sa\"}",
                             "{\"do\":\"show\"}",
                             "{\"do\":\"grab\",\"triangle\":7,\"weight\":[1,1,1],\"target\":[1,2,3]}",
                             "{\"do\":\"grab\",\"triangle\":7,\"weight\":[2,-1,0],\"target\":[1,2,3]}",
                             "{\"do\":\"grab\",\"weight\":[1,0,0],\"target\":[1,2,3]}",
                             "{\"do\":\"drag\",\"target\":[1,2,3e30]}",
                             "{\"do\":\"drag\",\"target\":[1,2,3],\"page\":2}"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    view_message message = {.action = VIEW_ACTIONS};
    char why[VIEW_REASON_BYTES] = "";
    if (view_message_parse(bad[k], strlen(bad[k]), &message, why))
      fail_msg("%s is taken for a message", bad[k]);
    assert_true(why[0] != 0);
    assert_int_equal(message.action, VIEW_ACTIONS); // nothing was written
  }
  char why[VIEW_REASON_BYTES], *deep = malloc(VIEW_MESSAGE_BYTES + 1);
  view_message message;
  assert_non_null(deep);
  memset(deep, '[', VIEW_MESSAGE_BYTES + 1);
  assert_false(view_message_parse(deep, VIEW_MESSAGE_BYTES, &message, why));
  assert_false(view_message_parse(deep, VIEW_MESSAGE_BYTES + 1, &message, why));
  assert_string_equal(why, "it is too long");
  memset(deep, 'x', 200);
  static const char begin[] = "{\"do\":\"fabric\",\"value\":\"";
  memcpy(deep, begin, strlen(begin));
  memcpy(deep + 198, "\"}", 2);
  assert_false(view_message_parse(deep, 200, &message, why));
  assert_string_equal(why, "the word is too long");
  assert_false(view_message_parse("{\"do\":\"pause\"}\0", 15, &message, why));
  free(deep);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_meant_is_understood),
                                     cmocka_unit_test(all_else_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
