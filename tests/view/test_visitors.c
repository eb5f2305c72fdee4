// Strangers at the door: the list that keeps them few and short, and a server under those who abort, dally, crowd, call
// it by other names, or ask for what it does not do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "support/socket.h"
#include "view/server.h"
#include "view/visitors.h"

// --- the list -------------------------------------------------------------------------------------------------------

static void the_first_stranger_leaves_for_a_new_one(void **state) {
  (void)state;
  view_visitors list = {0};
  char connection[VIEW_VISITORS + 2];
  for (int k = 0; k < VIEW_VISITORS; ++k)
    assert_null(view_visitors_enter(&list, &connection[k], k));
  view_visitors_admit(&list, &connection[0], 1, 100);
  assert_ptr_equal(view_visitors_enter(&list, &connection[VIEW_VISITORS], 200), &connection[1]);
  view_visitors_leave(&list, &connection[5]);
  assert_null(view_visitors_enter(&list, &connection[5], 201));
  view_visitors_admit(&list, &connection[0], 0, 300); // it has its page, and is a stranger again, the last one
  assert_ptr_equal(view_visitors_enter(&list, &connection[1], 301), &connection[2]);
  for (int k = 0; k <= VIEW_VISITORS; ++k)
    view_visitors_admit(&list, &connection[k], 1, 400);
  assert_ptr_equal(view_visitors_enter(&list, &connection[VIEW_VISITORS + 1], 401), &connection[VIEW_VISITORS + 1]);
}

static void strangers_have_a_time_limit(void **state) {
  (void)state;
  view_visitors list = {0};
  char connection[3];
  for (int k = 0; k < 3; ++k)
    view_visitors_enter(&list, &connection[k], k);
  view_visitors_admit(&list, &connection[1], 1, 1);
  assert_null(view_visitors_overdue(&list, 3, 3));
  assert_ptr_equal(view_visitors_overdue(&list, 9, 3), &connection[0]);
  assert_ptr_equal(view_visitors_overdue(&list, 9, 3), &connection[2]);
  assert_null(view_visitors_overdue(&list, 9, 3));
  view_visitors_leave(&list, NULL);
}

// --- the server -----------------------------------------------------------------------------------------------------

enum { PAGE_BYTES = 8 << 20 }; // more than sockets hold, so that writing it is interrupted

typedef struct door {
  view_server *server;
  pthread_t thread;
  atomic_int stop;
  char *page, path[64], host[32];
  int port;
} door;

static void *serve(void *argument) {
  door *d = argument;
  view_server_run(d->server, NULL, &d->stop);
  return NULL;
}

static door *open_door(const char *address, const char *names) {
  door *d = calloc(1, sizeof *d);
  char why[512] = "";
  assert_non_null(d);
  d->page = malloc(PAGE_BYTES);
  assert_non_null(d->page);
  memset(d->page, 'x', PAGE_BYTES);
  const view_server_options options = {.host = address, .names = names, .page = d->page, .page_size = PAGE_BYTES};
  if (view_server_start(&options, why, sizeof why, &d->server))
    fail_msg("%s", why);
  d->port = view_server_port(d->server);
  snprintf(d->path, sizeof d->path, "/?token=%s", view_server_token(d->server));
  snprintf(d->host, sizeof d->host, "127.0.0.1:%d", d->port);
  assert_int_equal(pthread_create(&d->thread, NULL, serve, d), 0);
  return d;
}

static void close_door(door *d) {
  atomic_store(&d->stop, 1);
  pthread_join(d->thread, NULL);
  view_server_stop(d->server);
  free(d->page);
  free(d);
}

// The first bytes of the answer, with a zero behind them.
static void ask(int socket, const char *method, const char *path, const char *host, char *answer, size_t size) {
  char request[512];
  size_t got = 0;
  ssize_t more;
  snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", method, path, host);
  socket_send(socket, request, strlen(request));
  while (got < size - 1 && (more = recv(socket, answer + got, size - 1 - got, 0)) > 0)
    got += (size_t)more;
  answer[got] = 0;
}

static void answers(const door *d, const char *method, const char *host, const char *expected) {
  char answer[64];
  int socket = socket_connect(d->port);
  ask(socket, method, d->path, host, answer, sizeof answer);
  if (!strstr(answer, expected))
    fail_msg("%s for %s: \"%s\" is not in %s", method, host, expected, answer);
  socket_close(socket);
}

static double processor_seconds(pthread_t thread) {
  clockid_t clock;
  struct timespec time;
  assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
  assert_int_equal(clock_gettime(clock, &time), 0);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Processor time, so that others on the machine make no difference: a server that polls without rest takes most of a
// core.
static void aborted_loads_leave_it_at_rest(void **state) {
  (void)state;
  door *d = open_door("127.0.0.1", NULL);
  for (int k = 0; k < 20; ++k) {
    char answer[101];
    int socket = socket_connect(d->port);
    ask(socket, "GET", d->path, d->host, answer, sizeof answer);
    assert_non_null(strstr(answer, "200 OK"));
    if (k % 2) // with what is unread, or with a reset at once
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    socket_close(socket);
  }
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); // what is on its way
  double before = processor_seconds(d->thread);
  nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  double spent = processor_seconds(d->thread) - before;
  if (spent > 0.1)
    fail_msg("%.2f s of processor time in a second in which nobody asks for anything", spent);
  close_door(d);
}

// More connections than the server takes in all, which say nothing: whoever has the token is answered in spite of them.
static void a_crowd_keeps_nobody_out(void **state) {
  (void)state;
  enum { CROWD = 400 };
  int *crowd = calloc(CROWD, sizeof *crowd);
  assert_non_null(crowd);
  door *d = open_door("127.0.0.1", NULL);
  for (int k = 0; k < CROWD; ++k) {
    crowd[k] = socket_connect(d->port);
    if (k % 2) // half a request
      socket_send(crowd[k], "GET / HTTP/1.1\r\nHost", 20);
  }
  answers(d, "GET", d->host, "200 OK");
  char byte;
  for (int k = 0; k < CROWD; ++k) {
    assert_true(recv(crowd[k], &byte, 1, 0) <= 0); // all are hung up within the time limit
    socket_close(crowd[k]);
  }
  free(crowd);
  close_door(d);
}

// A byte now and then is not enough to stay.
static void dallying_is_cut_off(void **state) {
  (void)state;
  static const char request[] = "GET / HTTP/1.1\r\nX-Slow: ";
  door *d = open_door("127.0.0.1", NULL);
  int socket = socket_connect(d->port), looks = 0;
  socket_send(socket, request, strlen(request));
  char byte;
  while (recv(socket, &byte, 1, MSG_DONTWAIT) < 0 && looks < 1200) {
    if (send(socket, "x", 1, MSG_NOSIGNAL) < 0)
      break;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    ++looks;
  }
  assert_true(looks < 1200); // a minute; 3 s where the machine is free
  socket_close(socket);
  close_door(d);
}

static void only_its_own_names_are_answered(void **state) {
  (void)state;
  door *d = open_door("0.0.0.0", "looms.example,weaver");
  answers(d, "GET", d->host, "200 OK");
  answers(d, "GET", "localhost", "200 OK");
  answers(d, "GET", "looms.example:1234", "200 OK");
  answers(d, "GET", "Weaver", "200 OK");
  answers(d, "GET", "evil.example", "403");
  answers(d, "GET", "looms", "403");
  answers(d, "GET", "looms.example,weaver", "403");
  answers(d, "GET", "0.0.0.0", "403");
  answers(d, "GET", "127.0.0.2", "403"); // not the address that it was reached at
  answers(d, "GET", "localhost:80;x", "403");
  answers(d, "GET", "", "403");
  close_door(d);
}

static void other_methods_are_not_allowed(void **state) {
  (void)state;
  static const char *const others[] = {"POST", "PUT", "OPTIONS", "DELETE", "PATCH"};
  door *d = open_door("127.0.0.1", NULL);
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
    char answer[400];
    int socket = socket_connect(d->port);
    ask(socket, others[k], d->path, d->host, answer, sizeof answer);
    if (!strstr(answer, "405") || !strstr(answer, "allow: GET, HEAD") || strstr(answer, "xxxx"))
      fail_msg("%s: %s", others[k], answer);
    socket_close(socket);
  }
  answers(d, "HEAD", d->host, "200 OK");
  close_door(d);
}

static void the_page_may_talk_to_its_server_only(void **state) {
  (void)state;
  char answer[1000], expected[80];
  door *d = open_door("127.0.0.1", NULL);
  int socket = socket_connect(d->port);
  ask(socket, "GET", d->path, "localhost:77", answer, sizeof answer);
  snprintf(expected, sizeof expected, "connect-src 'self' ws://localhost:77;");
  assert_non_null(strstr(answer, expected));
  socket_close(socket);
  close_door(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_stranger_leaves_for_a_new_one),
      cmocka_unit_test(strangers_have_a_time_limit),
      cmocka_unit_test(aborted_loads_leave_it_at_rest),
      cmocka_unit_test(a_crowd_keeps_nobody_out),
      cmocka_unit_test(dallying_is_cut_off),
      cmocka_unit_test(only_its_own_names_are_answered),
      cmocka_unit_test(other_methods_are_not_allowed),
      cmocka_unit_test(the_page_may_talk_to_its_server_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
