// The server and the show behind it, over loopback: who is let in, what is sent, what is refused, and that nothing of
// this keeps the simulation waiting.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "muslin/run.h"
#include "par/par.h"
#include "support/check.h"
#include "support/files.h"
#include "support/socket.h"
#include "view/theatre.h"

// --- who is let in ---------------------------------------------------------------------------------------------------

static void get(const theatre *t, const char *path, const char *host, const char *answer) {
  char *text = socket_get(t->port, path, host);
  if (!strstr(text, answer))
    fail_msg("GET %s for %s: \"%s\" is not in %.200s", path, host, answer, text);
  free(text);
}

static void only_those_with_the_token_are_let_in(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  char wrong[64], other[64];
  strcpy(wrong, t->path);
  wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == '0' ? '1' : '0';
  snprintf(other, sizeof other, "localhost:%d", t->port);
  get(t, t->path, t->host, "<title>page</title>");
  get(t, t->path, other, "200 OK");
  get(t, t->path, "LocalHost:9000", "200 OK"); // through a tunnel
  get(t, t->path, "localhost.evil.example", "403");
  get(t, t->path, "[::1]:80", "403");
  get(t, wrong, t->host, "403");
  get(t, "/", t->host, "403");
  get(t, "/?token=", t->host, "403");
  get(t, t->path, "evil.example", "403");
  get(t, "/secret", t->host, "404");
  char request[512], *answer;
  snprintf(request, sizeof request, "HEAD %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", t->path, t->host);
  answer = socket_ask(t->port, request);
  assert_true(strstr(answer, "200 OK") && !strstr(answer, "<title>"));
  free(answer);
  answer = socket_ask(t->port, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                               "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
  assert_null(strstr(answer, "101")); // and it is hung up
  free(answer);
  logged(t, "request rejected: the token is wrong");
  logged(t, "the host name is not the server's");
  assert_int_equal(socket_watch(t->port, wrong, t->host, t->origin), -1);
  assert_int_equal(socket_watch(t->port, t->path, t->host, "http://evil.example"), -1);
  assert_int_equal(socket_watch(t->port, t->path, t->host, "https://127.0.0.1"), -1);
  assert_int_equal(socket_watch(t->port, t->path, t->host, NULL), -1);
  assert_int_equal(socket_watch(t->port, t->path, "evil.example", "http://evil.example"), -1);
  logged(t, "page rejected: the origin is foreign");
  assert_int_equal(socket_watch_as(t->port, t->path, t->host, t->origin, NULL), -1);
  assert_int_equal(socket_watch_as(t->port, t->path, t->host, t->origin, "http"), -1);
  assert_int_equal(socket_watch_as(t->port, t->path, t->host, t->origin, "chat"), -1);
  logged(t, "page rejected: it does not speak muslin's protocol");
  goes_on(t);
  int socket = watch(t);
  packet p = introduction(socket);
  drop(&p);
  socket_close(socket);
  close_theatre(t);
}

static void at_most_so_many_watch(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, PAUSED);
  int sockets[VIEW_PAGES + 1];
  long size;
  for (int k = 0; k < VIEW_PAGES; ++k) {
    sockets[k] = watch(t);
    packet p = introduction(sockets[k]);
    drop(&p);
  }
  sockets[VIEW_PAGES] = watch(t); // taken, told, and closed
  assert_null(socket_hear(sockets[VIEW_PAGES], &size));
  assert_int_equal(size, -1008);
  logged(t, "are watching already");
  socket_close(sockets[3]); // makes room
  do {
    sockets[3] = watch(t);
    unsigned char *heard = socket_hear(sockets[3], &size);
    free(heard);
    if (size < 0)
      socket_close(sockets[3]);
  } while (size < 0);
  for (int k = 0; k <= VIEW_PAGES; ++k)
    socket_close(sockets[k]);
  close_theatre(t);
}

// --- what is sent ---------------------------------------------------------------------------------------------------

static int has_stretch(const packet *p) {
  size_t size;
  return array(p, "stretch", &size) != NULL;
}
static int has_levels(const packet *p) {
  size_t size;
  return array(p, "level1", &size) != NULL;
}
static int is_paused(const packet *p) { return json_is_true(json_object_get(p->head, "paused")); }
static int has_moved(const packet *p) { return number(p, "time") > 0; }
static int is_running(const packet *p) { return !is_paused(p); }
static int is_light(const packet *p) {
  json_t *gravity = json_object_get(json_object_get(p->head, "settings"), "gravity");
  return json_number_value(json_array_get(gravity, 1)) == -1.5;
}
static int is_heavy(const packet *p) { return !is_light(p); }
static int is_of_silk(const packet *p) {
  const char *fabric = json_string_value(json_object_get(json_object_get(p->head, "settings"), "fabric"));
  return fabric && strcmp(fabric, "silk") == 0;
}
static int is_of_its_own(const packet *p) {
  const json_t *worn = json_object_get(json_object_get(p->head, "settings"), "worn");
  const char *fabric = json_string_value(json_array_get(worn, 1));
  return fabric && strcmp(fabric, "canvas") == 0;
}
static int uses_diag(const packet *p) {
  const char *method = json_string_value(json_object_get(json_object_get(p->head, "solve"), "method"));
  return method && strcmp(method, "diag") == 0;
}
static int is_at_start(const packet *p) { return number(p, "time") == 0; }
static int has_notice(const packet *p) { return json_object_get(p->head, "notice") != NULL; }

static void frames_follow_the_introduction(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int socket = watch(t);
  size_t size;
  packet p = introduction(socket);
  assert_int_equal(number(&p, "vertices"), 441);
  assert_non_null(array(&p, "triangles", &size));
  assert_int_equal(size, 3 * 800);
  drop(&p);
  double before = -1;
  float lowest = 1;
  for (int k = 0; k < 20; ++k) {
    p = hear(socket);
    assert_true(number(&p, "time") >= before);
    before = number(&p, "time");
    const float *x = array(&p, "positions", &size);
    assert_int_equal(size, 3 * 441);
    for (int i = 0; i < 441; ++i)
      lowest = fminf(lowest, x[3 * i + 1]);
    drop(&p);
  }
  assert_true(before > 0 && lowest < 0);
  socket_say(socket, "{\"do\":\"show\",\"value\":\"stretch\"}");
  p = hear_until(socket, has_stretch);
  drop(&p);
  socket_say(socket, "{\"do\":\"levels\"}");
  p = hear_until(socket, has_levels);
  assert_true(json_array_size(json_object_get(json_object_get(p.head, "solve"), "levels")) >= 2);
  assert_true(json_array_size(json_object_get(json_object_get(p.head, "solve"), "curve")) >= 2);
  drop(&p);
  p = hear(socket); // they come once
  p = (drop(&p), hear(socket));
  assert_false(has_levels(&p));
  drop(&p);
  socket_close(socket);
  close_theatre(t);
}

static void pages_lead(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, PAUSED);
  int socket = watch(t), other = watch(t);
  packet p = introduction(socket);
  drop(&p);
  p = hear_until(socket, is_paused);
  assert_true(number(&p, "time") == 0);
  drop(&p);
  socket_say(socket, "{\"do\":\"step\"}");
  p = hear_until(socket, has_moved);
  double step = number(&p, "time");
  assert_true(step > 0 && is_paused(&p));
  drop(&p);
  socket_say(socket, "{\"do\":\"show\",\"value\":\"bend\"}"); // comes though nothing moves
  p = hear(socket);
  assert_true(number(&p, "time") == step);
  drop(&p);
  socket_say(socket, "{\"do\":\"gravity\",\"value\":[0,-1.5,0]}");
  p = hear_until(socket, is_light);
  drop(&p);
  socket_say(socket, "{\"do\":\"solver\",\"value\":\"diag\"}");
  socket_say(socket, "{\"do\":\"play\"}");
  p = hear_until(socket, is_running);
  drop(&p);
  p = hear_until(socket, uses_diag);
  drop(&p);
  if (!mus_method_available(MUS_METHOD_GAMG)) {
    socket_say(socket, "{\"do\":\"solver\",\"value\":\"gamg\"}");
    p = hear_until(socket, has_notice);
    drop(&p);
  }
  p = introduction(other);
  drop(&p);
  p = hear_until(other, is_running); // the second page sees the same
  assert_true(is_light(&p));
  drop(&p);
  socket_say(other, "{\"do\":\"pause\"}");
  socket_say(other, "{\"do\":\"reset\"}");
  p = hear_until(socket, is_at_start);
  assert_true(is_light(&p)); // what was set stays
  drop(&p);
  socket_say(other, "{\"do\":\"fabric\",\"value\":\"silk\"}");
  p = hear_until(socket, is_of_silk);
  drop(&p);
  socket_say(other, "{\"do\":\"restore\"}"); // until the scene's own is wanted
  p = hear_until(socket, is_heavy);
  assert_true(is_at_start(&p) && !is_of_silk(&p));
  drop(&p);
  socket_close(socket);
  socket_close(other);
  close_theatre(t);
}

// Nothing is missed while the page is opened.
static void it_begins_when_somebody_looks(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, WATCHED);
  int socket = watch(t);
  long steps, size;
  double spent;
  free(socket_hear(socket, &size)); // the introduction
  free(socket_hear(socket, &size)); // a frame, not drawn yet
  assert_true(size > 0);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  view_show_count(t->show, &steps, &spent);
  assert_int_equal(steps, 0);
  socket_say(socket, "{\"do\":\"seen\"}");
  goes_on(t);
  socket_close(socket);
  goes_on(t);
  close_theatre(t);
}

// One page's haste is not the other's harm: of what waits, the last of each kind counts.
static void no_page_keeps_another_out(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int hasty = watch(t), socket = watch(t);
  packet p = introduction(socket);
  drop(&p);
  for (int k = 0; k < 300; ++k)
    socket_say(hasty, "{\"do\":\"reset\"}");
  socket_say(socket, "{\"do\":\"gravity\",\"value\":[0,-1.5,0]}");
  p = hear_until(socket, is_light);
  drop(&p);
  goes_on(t);
  socket_close(socket);
  socket_close(hasty);
  close_theatre(t);
}

// --- grabbing -------------------------------------------------------------------------------------------------------

static double height(const packet *p, int vertex) {
  size_t size;
  const float *x = array(p, "positions", &size);
  return (double)x[3 * vertex + 1];
}

static void a_hand_lifts_and_lets_go(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int socket = watch(t), other = watch(t);
  packet p = introduction(socket);
  size_t size = 0;
  const uint32_t *corner = (const uint32_t *)(const void *)array(&p, "triangles", &size);
  int triangle = -1, vertex = 440; // the corner across from the pins
  int slot = 0;
  for (int k = 0; k < (int)size && triangle < 0; ++k)
    if (corner[k] == 440) {
      triangle = k / 3;
      slot = k % 3;
    }
  assert_true(triangle >= 0);
  drop(&p);
  p = introduction(other);
  drop(&p);
  char text[256];
  snprintf(text, sizeof text, "{\"do\":\"grab\",\"triangle\":%d,\"weight\":[%d,%d,%d],\"target\":[0.4,0.1,0.4]}",
           triangle, slot == 0, slot == 1, slot == 2);
  socket_say(socket, text);
  socket_say(socket, "{\"do\":\"drag\",\"target\":[0.4,0.2,0.4]}");
  double reached = -1;
  for (int k = 0; k < 900 && fabs(reached - 0.2) > 0.02; ++k) {
    p = hear(other);
    reached = height(&p, vertex);
    drop(&p);
  }
  assert_true(fabs(reached - 0.2) < 0.02);
  socket_close(socket); // a browser that dies lets go
  for (int k = 0; k < 900 && reached > -0.1; ++k) {
    p = hear(other);
    reached = height(&p, vertex);
    drop(&p);
  }
  assert_true(reached <= -0.1);
  socket_close(other);
  close_theatre(t);
}

// --- solids ---------------------------------------------------------------------------------------------------------

static int has_stress(const packet *p) {
  size_t size;
  return array(p, "stress", &size) != NULL;
}

// They are told and shown beside cloths, their fields can be chosen, and they can be pulled at.
static void solids_are_shown_and_pulled(void **state) {
  (void)state;
  theatre *t = open_theatre("{\"time_step\": 0.01, \"gravity\": [0, 0, 0], \"cloths\": [{\"shape\": {\"vertices\": 25},"
                            "\"translate\": [0, 3, 0]}], \"solids\": [{\"name\": \"cube\", \"material\": \"gel\","
                            "\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2], \"vertices\": 40}}]}",
                            NULL, AT_ONCE);
  int socket = watch(t);
  packet p = introduction(socket);
  const json_t *parts = json_object_get(p.head, "parts"), *cube = json_array_get(parts, 1);
  assert_int_equal(json_array_size(parts), 2);
  assert_string_equal(json_string_value(json_object_get(cube, "name")), "cube");
  assert_string_equal(json_string_value(json_object_get(cube, "material")), "gel");
  int first = (int)json_integer_value(json_object_get(cube, "first"));
  assert_true(first > 0);
  assert_int_equal(json_array_size(json_object_get(p.head, "fields")), MUS_FIELDS);
  size_t size = 0;
  const uint32_t *corner = (const uint32_t *)(const void *)array(&p, "triangles", &size);
  int triangle = (int)(size / 3) - 1, vertex = (int)corner[3 * (size_t)triangle];
  assert_true(vertex >= first);
  drop(&p);
  socket_say(socket, "{\"do\":\"show\",\"value\":\"stress\"}");
  char text[256];
  snprintf(text, sizeof text, "{\"do\":\"grab\",\"triangle\":%d,\"weight\":[1,0,0],\"target\":[0,0.5,0]}", triangle);
  socket_say(socket, text);
  double reached = -1, most = 0;
  for (int k = 0; k < 900 && (fabs(reached - 0.5) > 0.05 || most == 0); ++k) {
    p = hear_until(socket, has_stress);
    const float *stress = array(&p, "stress", &size);
    assert_true(isnan(stress[first - 1]) && !isnan(stress[first])); // a cloth has none
    for (size_t i = (size_t)first; i < size; ++i)
      most = fmax(most, (double)stress[i]);
    reached = height(&p, vertex);
    drop(&p);
  }
  assert_true(fabs(reached - 0.5) < 0.05 && most > 1);
  socket_close(socket);
  close_theatre(t);
}

// --- what is refused ------------------------------------------------------------------------------------------------

static int closes(int socket) {
  for (;;) {
    long size;
    unsigned char *message = socket_hear(socket, &size);
    if (!message)
      return (int)-size;
    free(message);
  }
}

// With that status, or without a word: what is still on its way may cut the last one off. The log has the reason.
static void assert_closed(int socket, int status) {
  int found = closes(socket);
  assert_true(found == status || found == 1);
}

static void bad_messages_end_the_connection(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  char *large = calloc(1, 2000000);
  assert_non_null(large);
  memset(large, ' ', 1999999);

  int socket = watch(t);
  socket_say(socket, "{\"do\":\"explode\"}");
  assert_closed(socket, 1003);
  socket_close(socket);
  logged(t, "malformed message");

  socket = watch(t);
  socket_say_bytes(socket, 2, "\0\1\2", 3);
  assert_closed(socket, 1003);
  socket_close(socket);

  socket = watch(t);
  socket_say_bytes(socket, 1, large, 1500);
  assert_closed(socket, 1009);
  socket_close(socket);
  logged(t, "oversized message");

  socket = watch(t); // the server need not listen to the end
  socket_say_bytes(socket, 1, large, 1999999);
  assert_closed(socket, 1009);
  socket_close(socket);

  socket = watch(t);
  socket_send(socket, "no frame at all, and not masked either, but some bytes of nonsense", 60);
  closes(socket);
  socket_close(socket);

  socket = watch(t);
  for (int k = 0; k < 20000; ++k)
    socket_say(socket, "{\"do\":\"drag\",\"target\":[0,0,0]}");
  assert_closed(socket, 1008);
  socket_close(socket);
  logged(t, "too many messages per second");

  goes_on(t);
  socket = watch(t);
  packet p = introduction(socket);
  drop(&p);
  p = hear(socket);
  drop(&p);
  socket_close(socket);
  free(large);
  close_theatre(t);
}

// Pages that do not read, or do not draw, keep no other waiting, nor the simulation.
static void a_stalled_page_costs_nothing(void **state) {
  (void)state;
  theatre *t = open_theatre("drooping", NULL, AT_ONCE);
  int stalled = watch(t), slow = watch(t), socket = watch(t);
  packet p = introduction(socket);
  long size;
  for (int k = 0; k < 4; ++k) { // the introduction and three frames
    free(socket_hear(slow, &size));
    assert_true(size > 0);
  }
  drop(&p);
  for (int k = 0; k < 200; ++k) {
    p = hear(socket);
    drop(&p);
  }
  goes_on(t);
  unsigned char next = 0; // no fourth, 0x82, before one is drawn; the server may ask whether the page is there
  recv(slow, &next, 1, MSG_DONTWAIT | MSG_PEEK);
  assert_true(next != 0x82);
  socket_say(slow, "{\"do\":\"seen\"}");
  free(socket_hear(slow, &size));
  assert_true(size > 0);
  socket_close(stalled);
  socket_close(slow);
  socket_close(socket);
  close_theatre(t);
}

// --- what goes wrong ------------------------------------------------------------------------------------------------

static int has_error(const packet *p) { return json_object_get(p->head, "error") != NULL; }

static void a_scene_that_explodes_says_so(void **state) {
  (void)state;
  theatre *t =
      open_theatre("{\"time_step\": 0.01, \"cloths\": [{\"shape\": {\"vertices\": 49}, \"pins\": ["
                   "{\"where\": {\"box\": [-1, -1, -1, -0.4, 1, 1]}},"
                   "{\"where\": {\"box\": [0.4, -1, -1, 1, 1, 1]}, \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]},"
                   "{\"time\": 0.1, \"value\": [0, 0, 0]}, {\"time\": 0.1001, \"value\": [90, 0, 0]}]}]}]}",
                   NULL, AT_ONCE);
  int socket = watch(t);
  packet p = introduction(socket);
  drop(&p);
  p = hear_until(socket, has_error);
  assert_non_null(strstr(json_string_value(json_object_get(p.head, "error")), "take a smaller time_step"));
  assert_true(is_paused(&p));
  drop(&p);
  socket_say(socket, "{\"do\":\"reset\"}");
  p = hear_until(socket, is_at_start);
  assert_false(has_error(&p));
  drop(&p);
  socket_close(socket);
  close_theatre(t);
}

// The scene's own fabrics can be chosen beside the built-in ones, for all cloths; what there is not is passed over.
static void own_fabrics_can_be_chosen(void **state) {
  (void)state;
  theatre *t = open_theatre("{\"fabrics\": [{\"name\": \"canvas\", \"like\": \"denim\"}],"
                            " \"cloths\": [{\"fabric\": \"canvas\"}, {\"translate\": [0, 1, 0]}]}",
                            NULL, PAUSED);
  int socket = watch(t);
  packet p = introduction(socket);
  const json_t *fabrics = json_object_get(p.head, "fabrics"), *first = json_array_get(fabrics, 0);
  int count = 0;
  while (mus_fabric_name(count))
    ++count;
  assert_int_equal(json_array_size(fabrics), 1 + count);
  assert_string_equal(json_string_value(json_array_get(first, 0)), "canvas");
  const json_t *denim = json_array_get(fabrics, 4);
  assert_string_equal(json_string_value(json_array_get(denim, 0)), "denim");
  assert_true(json_equal(json_array_get(first, 1), json_array_get(denim, 1))); // the colour
  drop(&p);
  p = hear(socket);
  assert_false(is_of_its_own(&p)); // the second
  drop(&p);
  socket_say(socket, "{\"do\":\"fabric\",\"value\":\"steel\"}");
  socket_say(socket, "{\"do\":\"fabric\",\"value\":\"canvas\"}");
  p = hear_until(socket, is_of_its_own);
  assert_false(has_notice(&p));
  drop(&p);
  socket_close(socket);
  close_theatre(t);
}

static void what_cannot_start_is_refused(void **state) {
  (void)state;
  mus_scene scene;
  assert_ok(mus_scene_parse("test", "{\"cloths\": [{\"pins\": [{\"where\": {\"sphere\": [9, 9, 9, 1]}}]}]}", &scene));
  char why[512] = "";
  view_show *show = NULL;
  assert_int_equal(view_show_start(&(view_show_options){.subject = {.scene = &scene}}, why, sizeof why, &show),
                   MUS_BAD_INPUT);
  assert_non_null(strstr(why, "holds no vertex"));
  assert_null(show);
  mus_scene_free(&scene);
  view_server *server = NULL;
  assert_int_equal(view_server_start(&(view_server_options){.host = "203.0.113.7"}, why, sizeof why, &server),
                   MUS_IO_ERROR);
  assert_non_null(strstr(why, "cannot listen on 203.0.113.7"));
}

// --- recordings -----------------------------------------------------------------------------------------------------

static int is_frame_2(const packet *p) { return number(p, "frame") == 2; }
static int is_last(const packet *p) { return number(p, "frame") == 5; }

static void recordings_play(void **state) {
  mus_scene scene;
  assert_ok(mus_scene_parse(
      "test", "{\"frames\": 5, \"time_step\": 0.01, \"cloths\": [{\"shape\": {\"vertices\": 49}}]}", &scene));
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = files_path(*state, "out");
  assert_ok(mus_run(&scene, &options, &record));
  mus_scene_free(&scene);
  char folder[512];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "out"));
  theatre *t = open_theatre(NULL, folder, PAUSED);
  int socket = watch(t);
  packet p = introduction(socket);
  assert_string_equal(json_string_value(json_object_get(p.head, "mode")), "recording");
  drop(&p);
  p = hear(socket);
  assert_true(number(&p, "frame") == 0 && number(&p, "frames") == 6);
  drop(&p);
  socket_say(socket, "{\"do\":\"seek\",\"frame\":2}");
  p = hear_until(socket, is_frame_2);
  double there = height(&p, 0);
  drop(&p);
  socket_say(socket, "{\"do\":\"show\",\"value\":\"stretch\"}");
  p = hear_until(socket, has_stretch);
  drop(&p);
  socket_say(socket, "{\"do\":\"gravity\",\"value\":[0,0,0]}"); // passed over
  socket_say(socket, "{\"do\":\"play\"}");
  p = hear_until(socket, is_last);
  assert_true(height(&p, 0) < there);
  drop(&p);
  p = hear_until(socket, is_paused); // at its end
  drop(&p);
  socket_say(socket, "{\"do\":\"loop\",\"value\":1}");
  socket_say(socket, "{\"do\":\"play\"}");
  for (int round = 0; round < 2; ++round) {
    p = hear_until(socket, is_frame_2);
    assert_true(json_is_true(json_object_get(p.head, "loop")) && is_running(&p));
    drop(&p);
    p = hear_until(socket, is_last);
    assert_true(is_running(&p));
    drop(&p);
  }
  socket_say(socket, "{\"do\":\"seek\",\"frame\":2000000}");
  p = hear_until(socket, is_last);
  drop(&p);
  socket_close(socket);
  close_theatre(t);
}

static int stop_early(void *folder) { return files_exists(files_path(folder, "checkpoint_000002.bin")); }

static int is_frame_5(const packet *p) { return number(p, "frame") == 5; }

static void a_run_that_goes_on_is_followed(void **state) {
  mus_scene scene;
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  char folder[512];
  snprintf(folder, sizeof folder, "%s", files_path(*state, "out"));
  assert_ok(mus_scene_builtin("drooping", &scene));
  mus_scene_resize(&scene, 49, MUS_TESSELLATION_REGULAR);
  scene.frames = 5;
  scene.time_step = 1.0 / 24;
  options.folder = folder;
  options.stop = stop_early;
  options.data = folder;
  options.checkpoint = 1;
  mus_run(&scene, &options, &record);
  assert_int_equal(record.stopped, 1);
  theatre *t = open_theatre(NULL, folder, AT_ONCE);
  int socket = watch(t);
  packet p = introduction(socket);
  drop(&p);
  p = hear(socket);
  assert_true(number(&p, "frames") < 6 && number(&p, "planned") == 6);
  drop(&p);
  options.stop = NULL;
  options.resume = 1;
  assert_ok(mus_run(&scene, &options, &record));
  p = hear_until(socket, is_frame_5);
  drop(&p);
  p = hear_until(socket, is_paused); // there is nothing more to wait for
  drop(&p);
  mus_scene_free(&scene);
  socket_close(socket);
  close_theatre(t);
}

int main(void) {
  // OpenMP's first thread is to be this one, which lives on: clang's asks it about critical sections of all others.
  MUS_PARALLEL_FOR
  for (int k = 0; k < 2; ++k)
    (void)k;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_those_with_the_token_are_let_in),
      cmocka_unit_test(at_most_so_many_watch),
      cmocka_unit_test(frames_follow_the_introduction),
      cmocka_unit_test(pages_lead),
      cmocka_unit_test(no_page_keeps_another_out),
      cmocka_unit_test(it_begins_when_somebody_looks),
      cmocka_unit_test(a_hand_lifts_and_lets_go),
      cmocka_unit_test(bad_messages_end_the_connection),
      cmocka_unit_test(a_stalled_page_costs_nothing),
      cmocka_unit_test(a_scene_that_explodes_says_so),
      cmocka_unit_test(own_fabrics_can_be_chosen),
      cmocka_unit_test(solids_are_shown_and_pulled),
      cmocka_unit_test(what_cannot_start_is_refused),
      cmocka_unit_test_setup_teardown(recordings_play, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(a_run_that_goes_on_is_followed, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
