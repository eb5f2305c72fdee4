// A server with a show, for tests to watch over loopback: who serves, and packets taken apart.
#ifndef TESTS_VIEW_THEATRE_H
#define TESTS_VIEW_THEATRE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "muslin/run.h"
#include "support/check.h"
#include "support/socket.h"
#include "view/server.h"

// A server with a show, in threads of their own.
typedef struct theatre {
  mus_scene scene;
  view_server *server;
  view_show *show;
  pthread_t thread;
  atomic_int stop;
  char page[64], path[64], host[32], origin[64]; // as pages have them
  int port;
  FILE *log;
} theatre;

static inline void *serve(void *argument) {
  theatre *t = argument;
  view_server_run(t->server, t->show, &t->stop);
  return NULL;
}

// A built-in scene that a page has chosen; only "stack" cannot be had.
static inline mus_status load_small(void *data, const char *builtin, mus_scene *scene, char *why, size_t size) {
  (void)data;
  if (strcmp(builtin, "stack") == 0) {
    snprintf(why, size, "no stack today");
    return MUS_BAD_INPUT;
  }
  assert_ok(mus_scene_builtin(builtin, scene));
  scene->frame_rate = 60;
  scene->time_step = 1.0 / 60;
  return mus_scene_resize(scene, 121, MUS_TESSELLATION_REGULAR);
}

// How it begins.
enum { AT_ONCE, PAUSED, WATCHED };

static inline theatre *open_theatre(const char *text, const char *folder, int begins) {
  theatre *t = calloc(1, sizeof *t);
  assert_non_null(t);
  char why[512] = "";
  if (text && *text == '{')
    assert_ok(mus_scene_parse("test", text, &t->scene));
  else if (text)
    assert_ok(mus_scene_builtin(text, &t->scene));
  if (text)
    mus_scene_resize(&t->scene, 441, MUS_TESSELLATION_REGULAR);
  if (text && *text != '{') {
    t->scene.frame_rate = 60;
    t->scene.time_step = 1.0 / 60;
  }
  t->log = tmpfile();
  strcpy(t->page, "<!doctype html><title>page</title>");
  const view_server_options serving = {
      .host = "127.0.0.1", .page = t->page, .page_size = strlen(t->page), .log = t->log};
  if (view_server_start(&serving, why, sizeof why, &t->server))
    fail_msg("%s", why);
  const view_show_options showing = {.subject = {text ? &t->scene : NULL, folder},
                                     .load = load_small,
                                     .data = t,
                                     .paused = begins == PAUSED,
                                     .waits = begins == WATCHED,
                                     .wake = view_server_wake,
                                     .context = t->server};
  if (view_show_start(&showing, why, sizeof why, &t->show))
    fail_msg("%s", why);
  t->port = view_server_port(t->server);
  snprintf(t->path, sizeof t->path, "/?token=%s", view_server_token(t->server));
  snprintf(t->host, sizeof t->host, "127.0.0.1:%d", t->port);
  snprintf(t->origin, sizeof t->origin, "http://127.0.0.1:%d", t->port);
  assert_int_equal(pthread_create(&t->thread, NULL, serve, t), 0);
  return t;
}

static inline void close_theatre(theatre *t) {
  atomic_store(&t->stop, 1);
  pthread_join(t->thread, NULL);
  view_show_stop(t->show);
  view_server_stop(t->server);
  mus_scene_free(&t->scene);
  fclose(t->log);
  free(t);
}

static inline int watch(const theatre *t) {
  int socket = socket_watch(t->port, t->path, t->host, t->origin);
  assert_true(socket >= 0);
  return socket;
}

// A packet taken apart.
typedef struct packet {
  json_t *head;
  unsigned char *bytes;
  size_t arrays; // where they begin
} packet;

static inline void drop(packet *p) {
  json_decref(p->head);
  free(p->bytes);
}

static inline packet hear(int socket) {
  long size;
  packet p = {.bytes = socket_hear(socket, &size)};
  if (!p.bytes)
    fail_msg("the server has closed the connection: %ld", size);
  size_t length = p.bytes[0] + 256u * p.bytes[1] + 65536u * p.bytes[2];
  assert_true(length % 4 == 0 && 4 + length <= (size_t)size);
  p.head = json_loadb((char *)p.bytes + 4, length, 0, NULL);
  assert_non_null(p.head);
  p.arrays = 4 + length;
  size_t total = p.arrays, k;
  const json_t *item;
  json_array_foreach(json_object_get(p.head, "arrays"), k, item) total +=
      4 * (size_t)json_integer_value(json_array_get(item, 2));
  assert_int_equal(total, size);
  if (strcmp(json_string_value(json_object_get(p.head, "type")), "frame") == 0)
    socket_say(socket, "{\"do\":\"seen\"}");
  return p;
}

static inline float *array(const packet *p, const char *name, size_t *size) {
  size_t at = p->arrays, k;
  const json_t *item;
  json_array_foreach(json_object_get(p->head, "arrays"), k, item) {
    *size = (size_t)json_integer_value(json_array_get(item, 2));
    if (strcmp(json_string_value(json_array_get(item, 0)), name) == 0)
      return (float *)(void *)(p->bytes + at);
    at += 4 * *size;
  }
  return NULL;
}

static inline double number(const packet *p, const char *key) {
  return json_number_value(json_object_get(p->head, key));
}

// The first packet, and what a page says next.
static inline packet introduction(int socket) {
  packet p = hear(socket);
  assert_string_equal(json_string_value(json_object_get(p.head, "type")), "introduction");
  return p;
}

// Hears frames until one has what is asked for, within seconds.
static inline packet hear_until(int socket, int (*holds)(const packet *p)) {
  for (int k = 0; k < 600; ++k) {
    packet p = hear(socket);
    if (holds(&p))
      return p;
    drop(&p);
  }
  fail_msg("it never comes");
  return (packet){0};
}

// So many more steps are done, or the test fails.
static inline void goes_on(const theatre *t) {
  long before, after;
  double spent;
  int looks = 0;
  view_show_count(t->show, &before, &spent);
  do {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    view_show_count(t->show, &after, &spent);
    assert_true(++looks < 6000); // not by the clock: the test may be stopped for a while
  } while (after < before + 3);
}

// Read beside the stream, whose place is the server's: it may write meanwhile.
static inline void logged(const theatre *t, const char *text) {
  char log[65536];
  ssize_t size = pread(fileno(t->log), log, sizeof log - 1, 0);
  assert_true(size >= 0);
  log[size] = '\0';
  if (!strstr(log, text))
    fail_msg("\"%s\" is not in the log:\n%s", text, log);
}

#endif
