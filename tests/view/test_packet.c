// Packets: what is put in comes out, in a form that pages can look at without copying.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/packet.h"

static void heads_and_arrays_come_out(void **state) {
  (void)state;
  const double doubles[] = {1, -0.5, NAN, INFINITY, 1e300};
  const int ints[] = {0, -1, 2147483647};
  for (int pad = 0; pad < 4; ++pad) { // heads of any length
    view_arrays arrays = {0};
    view_arrays_doubles(&arrays, "x", 5, doubles);
    view_arrays_ints(&arrays, "i", VIEW_I32, 3, ints);
    char word[8] = "";
    memset(word, 'a', (size_t)pad);
    view_packet *packet = view_packet_make(json_pack("{ss}", "word", word), &arrays, 7, 5);
    assert_non_null(packet);
    assert_int_equal(view_packet_serial(packet), 7);
    assert_int_equal(view_packet_marks(packet), 5);
    size_t size;
    unsigned char *bytes = view_packet_bytes(packet, &size);
    memset(bytes - VIEW_PACKET_ROOM, 0xff, VIEW_PACKET_ROOM); // is the socket's
    size_t length = bytes[0] + 256u * bytes[1];
    assert_true(length % 4 == 0 && size == 4 + length + 4 * 8);
    json_t *head = json_loadb((char *)bytes + 4, length, 0, NULL);
    assert_non_null(head);
    assert_string_equal(json_string_value(json_object_get(head, "word")), word);
    json_t *second = json_array_get(json_object_get(head, "arrays"), 1);
    assert_string_equal(json_string_value(json_array_get(second, 0)), "i");
    assert_string_equal(json_string_value(json_array_get(second, 1)), "i32");
    assert_int_equal(json_integer_value(json_array_get(second, 2)), 3);
    float x[5];
    int i[3];
    memcpy(x, bytes + 4 + length, sizeof x);
    memcpy(i, bytes + 4 + length + sizeof x, sizeof i);
    assert_true(x[0] == 1 && x[1] == -0.5f && x[2] == 0 && x[3] == 0 && x[4] == 0);
    assert_memory_equal(i, ints, sizeof i);
    json_decref(head);
    view_packet *same = view_packet_hold(packet);
    view_packet_drop(packet);
    assert_ptr_equal(view_packet_bytes(same, &size), bytes); // still there
    view_packet_drop(same);
    view_packet_drop(NULL);
  }
}

// Pages have y up, whatever the scene has.
static void points_are_turned_upright(void **state) {
  (void)state;
  const double points[] = {1, 2, 3, 4, -5, 6};
  for (int z_up = 0; z_up < 2; ++z_up) {
    const float expected[2][6] = {{1, 2, 3, 4, -5, 6}, {1, 3, -2, 4, 6, 5}};
    view_arrays arrays = {0};
    view_arrays_points(&arrays, "p", z_up ? MUS_UP_Z : MUS_UP_Y, 2, points);
    view_packet *packet = view_packet_make(json_object(), &arrays, 1, 0);
    size_t size;
    unsigned char *bytes = view_packet_bytes(packet, &size);
    assert_memory_equal(bytes + size - sizeof expected[0], expected[z_up], sizeof expected[0]);
    view_packet_drop(packet);
  }
}

static void more_arrays_than_fit_are_left_out(void **state) {
  (void)state;
  view_arrays arrays = {0};
  for (int k = 0; k < 2 * VIEW_PACKET_ARRAYS; ++k)
    view_arrays_ints(&arrays, "i", VIEW_U32, 0, &k);
  assert_int_equal(arrays.count, VIEW_PACKET_ARRAYS);
}

static void texts_of_any_kind_become_json(void **state) {
  (void)state;
  static const char *const texts[][2] = {{"plain", "plain"}, {"caf\303\251", "caf\303\251"}, {"caf\351 1", "caf? 1"}};
  for (int k = 0; k < 3; ++k) {
    json_t *made = view_json_text(texts[k][0]);
    assert_string_equal(json_string_value(made), texts[k][1]);
    json_decref(made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_of_any_kind_become_json), cmocka_unit_test(heads_and_arrays_come_out),
      cmocka_unit_test(points_are_turned_upright), cmocka_unit_test(more_arrays_than_fit_are_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
