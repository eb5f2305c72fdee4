// The show behind the server: pins that pages keep, and other scenes that they choose.
#include "view/theatre.h"

#include "par/par.h"

static int has_moved(const packet *p) { return number(p, "time") > 0; }
static int has_notice(const packet *p) { return json_object_get(p->head, "notice") != NULL; }
static int has_pin(const packet *p) { return json_array_size(json_object_get(p->head, "pins")) == 1; }
static int has_no_pin(const packet *p) { return json_array_size(json_object_get(p->head, "pins")) == 0; }

// What is kept stays when its page goes, until all pins are removed.
static void a_grab_is_kept_as_a_pin(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int socket = watch(t), other = watch(t);
  packet p = introduction(other);
  drop(&p);
  p = introduction(socket);
  drop(&p);
  socket_say(socket, "{\"do\":\"keep\"}"); // nothing is held yet
  socket_say(socket, "{\"do\":\"grab\",\"triangle\":790,\"weight\":[1,0,0],\"target\":[0.4,0.3,0.4]}");
  p = hear_until(socket, has_moved);
  drop(&p);
  socket_say(socket, "{\"do\":\"keep\"}");
  p = hear_until(other, has_pin);
  double place = json_number_value(json_array_get(json_array_get(json_object_get(p.head, "pins"), 0), 1));
  assert_true(place == 0.3);
  drop(&p);
  socket_close(socket);
  goes_on(t);
  p = hear(other);
  assert_true(has_pin(&p));
  drop(&p);
  socket_say(other, "{\"do\":\"free\"}");
  p = hear_until(other, has_no_pin);
  drop(&p);
  socket_close(other);
  close_theatre(t);
}

// --- other scenes ---------------------------------------------------------------------------------------------------

static int is_introduction(const packet *p) {
  return strcmp(json_string_value(json_object_get(p->head, "type")), "introduction") == 0;
}

// Every page is introduced to the scene that one of them has chosen, and its frames are of that scene.
static void pages_choose_another_scene(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int socket = watch(t), other = watch(t), both[2] = {socket, other};
  size_t size;
  for (int k = 0; k < 2; ++k) {
    packet p = introduction(both[k]);
    assert_true(json_array_size(json_object_get(p.head, "scenes")) > 10);
    drop(&p);
  }
  socket_say(socket, "{\"do\":\"scene\",\"value\":\"stack\"}");
  packet p = hear_until(socket, has_notice);
  assert_non_null(strstr(json_string_value(json_array_get(json_object_get(p.head, "notice"), 1)), "no stack today"));
  drop(&p);
  socket_say(other, "{\"do\":\"scene\",\"value\":\"pinned\"}");
  for (int k = 0; k < 2; ++k) {
    p = hear_until(both[k], is_introduction);
    assert_string_equal(json_string_value(json_object_get(p.head, "name")), "pinned");
    assert_int_equal(number(&p, "vertices"), 121);
    drop(&p);
    p = hear_until(both[k], has_moved);
    assert_non_null(array(&p, "positions", &size));
    assert_int_equal(size, 3 * 121);
    drop(&p);
  }
  socket_close(socket);
  socket_close(other);
  close_theatre(t);
}

int main(void) {
  // OpenMP's first thread is to be this one, which lives on: clang's asks it about critical sections of all others.
  MUS_PARALLEL_FOR
  for (int k = 0; k < 2; ++k)
    (void)k;
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_grab_is_kept_as_a_pin),
                                     cmocka_unit_test(pages_choose_another_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
