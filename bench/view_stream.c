// What watching costs: steps per second of a simulation without a page, with one that reads everything, and with one
// that has stalled, in turn; and how much faster than real time a curtain is.
//
//   view_stream [VERTICES [ROUNDS [SECONDS]]]      40401 vertices, 5 rounds of 2 seconds each
//
// The page is a thread that reads frames over loopback and answers as a browser does. Steps of 0.1 ms without contact
// are so quick that more than 30 frames per second can be had of the large sheet.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "view/clock.h"
#include "view/server.h"

typedef struct theatre {
  mus_scene scene;
  view_server *server;
  view_show *show;
  pthread_t thread;
  atomic_int stop;
} theatre;

static void pause_for(double seconds) {
  struct timespec t = {.tv_sec = (time_t)seconds};
  t.tv_nsec = (long)(1e9 * (seconds - (double)t.tv_sec));
  nanosleep(&t, NULL);
}

static void demand(int good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "view_stream: %s\n", what);
  exit(1);
}

// --- the two sides --------------------------------------------------------------------------------------------------

static void *serve(void *argument) {
  theatre *t = argument;
  view_server_run(t->server, t->show, &t->stop);
  return NULL;
}

static void open_theatre(theatre *t) {
  char why[512] = "";
  static const char page[] = "none";
  const view_server_options serving = {.host = "127.0.0.1", .page = page, .page_size = 4};
  demand(view_server_start(&serving, why, sizeof why, &t->server) == MUS_OK, why);
  const view_show_options showing = {.subject = {&t->scene, NULL}, .wake = view_server_wake, .context = t->server};
  demand(view_show_start(&showing, why, sizeof why, &t->show) == MUS_OK, why);
  view_show_act(t->show, 0, &(view_message){.action = VIEW_SPEED, .value = 100}); // as fast as it can
  demand(pthread_create(&t->thread, NULL, serve, t) == 0, "no thread");
}

static void close_theatre(theatre *t) {
  atomic_store(&t->stop, 1);
  pthread_join(t->thread, NULL);
  view_show_stop(t->show);
  view_server_stop(t->server);
  mus_scene_free(&t->scene);
}

static int watch(const theatre *t) {
  int port = view_server_port(t->server), connection = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  demand(connection >= 0 && connect(connection, (struct sockaddr *)&place, sizeof place) == 0, "no connection");
  char text[1024];
  int length = snprintf(text, sizeof text,
                        "GET /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
                        "Sec-WebSocket-Protocol: muslin\r\nOrigin: http://127.0.0.1:%d\r\n\r\n",
                        view_server_token(t->server), port, port);
  demand(send(connection, text, (size_t)length, 0) == length, "nothing can be sent");
  for (size_t got = 0; got < 4 || strcmp(text + got - 4, "\r\n\r\n") != 0; text[++got] = 0)
    demand(got < sizeof text - 1 && recv(connection, text + got, 1, 0) == 1, "refused");
  return connection;
}

// A page that reads; frames that it got.
typedef struct reader {
  int connection;
  atomic_long frames;
  long long bytes;
} reader;

static int take(int connection, void *bytes, size_t size) {
  return recv(connection, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

static void *read_frames(void *argument) {
  reader *r = argument;
  static const unsigned char seen[] = "\x81\x8d\0\0\0\0{\"do\":\"seen\"}"; // a mask of zeros
  unsigned char head[10], *buffer = NULL;
  size_t most = 0;
  while (take(r->connection, head, 2)) {
    size_t length = head[1] & 127, more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (more && !take(r->connection, head + 2, more))
      break;
    for (size_t k = 0, value = 0; k < more; ++k)
      length = value = value << 8 | head[2 + k];
    if (length > most)
      buffer = realloc(buffer, most = length);
    if (!buffer || !take(r->connection, buffer, length) || send(r->connection, seen, 19, MSG_NOSIGNAL) != 19)
      break;
    r->bytes = (long long)length;
    atomic_fetch_add(&r->frames, 1);
  }
  free(buffer);
  return NULL;
}

// --- measurements ---------------------------------------------------------------------------------------------------

static double steps_a_second(const theatre *t, double seconds) {
  long before, after;
  double spent, begin = view_now();
  view_show_count(t->show, &before, &spent);
  pause_for(seconds);
  view_show_count(t->show, &after, &spent);
  return (double)(after - before) / (view_now() - begin);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, ascending);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static void measure_streaming(int vertices, int rounds, double seconds) {
  enum { MOST = 100 };
  theatre t = {0};
  double slower[2][MOST], rate[MOST], alone[MOST];
  demand(mus_scene_builtin("drooping", &t.scene) == MUS_OK, "no scene");
  mus_scene_resize(&t.scene, vertices, MUS_TESSELLATION_REGULAR);
  t.scene.contact = 0;
  t.scene.frame_rate = 10000;
  t.scene.time_step = 1e-4;
  t.scene.solver.method = MUS_METHOD_DIAG;
  t.scene.solver.tolerance = 0.1;
  open_theatre(&t);
  steps_a_second(&t, 1);
  long long bytes = 0;
  for (int k = 0; k < rounds; ++k) {
    view_show_act(t.show, 0, &(view_message){.action = VIEW_RESET}); // steps take longer as the sheet falls
    pause_for(0.2);
    alone[k] = steps_a_second(&t, seconds);
    reader r = {.connection = watch(&t)};
    pthread_t thread;
    demand(pthread_create(&thread, NULL, read_frames, &r) == 0, "no thread");
    pause_for(0.3);
    long frames = atomic_load(&r.frames);
    double begin = view_now(), watched = steps_a_second(&t, seconds);
    rate[k] = (double)(atomic_load(&r.frames) - frames) / (view_now() - begin);
    shutdown(r.connection, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(r.connection);
    bytes = r.bytes;
    int stalled = watch(&t);
    pause_for(0.3);
    double with_stalled = steps_a_second(&t, seconds);
    close(stalled);
    pause_for(0.1);
    double again = (alone[k] + steps_a_second(&t, seconds)) / 2; // before and after
    slower[0][k] = 100 * (again / watched - 1);
    slower[1][k] = 100 * (again / with_stalled - 1);
    printf("  %5.1f steps/s alone, %5.1f with a page at %4.1f frames/s, %5.1f with a stalled page\n", again, watched,
           rate[k], with_stalled);
    fflush(stdout);
  }
  printf("%d vertices: %.1f frames/s of %.0f kB; steps are %.1f %% slower with a page, %.1f %% with a stalled one "
         "(medians)\n",
         vertices, median(rate, rounds), (double)bytes / 1000, median(slower[0], rounds), median(slower[1], rounds));
  close_theatre(&t);
}

static void measure_curtain(void) {
  theatre t = {0};
  demand(mus_scene_builtin("curtain", &t.scene) == MUS_OK, "no scene");
  mus_scene_resize(&t.scene, 2601, MUS_TESSELLATION_REGULAR);
  t.scene.frame_rate = 60;
  t.scene.time_step = 1.0 / 60;
  t.scene.solver.tolerance = 1e-3; // as muslin view does
  open_theatre(&t);
  long steps = 0;
  double seconds = 0, shown[3], from = 0;
  for (int k = 0; k < 3; ++k) { // two seconds of its own time each
    long begin = steps;
    do {
      pause_for(0.01);
      view_show_count(t.show, &steps, &seconds);
    } while (steps < begin + 120);
    shown[k] = (double)(steps - begin) / 60 / (seconds - from);
    from = seconds;
  }
  printf(
      "curtain, 2601 vertices, steps of 1/60 s: %.2f, %.2f and %.2f times real time in the first, second and third two "
      "seconds\n",
      shown[0], shown[1], shown[2]);
  close_theatre(&t);
}

int main(int argc, char **argv) {
  int vertices = argc > 1 ? atoi(argv[1]) : 40401, rounds = argc > 2 ? atoi(argv[2]) : 5;
  double seconds = argc > 3 ? atof(argv[3]) : 2;
  demand(vertices >= 4 && rounds >= 1 && rounds <= 100 && seconds > 0, "[VERTICES [ROUNDS [SECONDS]]]");
  measure_curtain();
  measure_streaming(vertices, rounds, seconds);
  return 0;
}
