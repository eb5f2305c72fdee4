// The show. See show.h.
//
// One lock guards what the two threads share: the queue of messages, what is asked for, the latest frame. The source
// and all below it belong to the show's thread.
#include "view/show.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "view/clock.h"

// What waits for each page: a message of each kind, and that it has gone.
enum { GONE = VIEW_ACTIONS, KINDS, TEXT = 512 };
// Seconds from one frame to the next, at least.
static const double frame_gap = 1.0 / 61;
// A show that falls behind the clock by more than this, s, does not catch up.
static const double patience = 0.1;

typedef struct queued {
  long order; // 0: nothing waits here
  view_message message;
} queued;

struct view_show {
  view_show_options options;
  const view_source *source;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // shared
  int ready;                        // 1: the source has been opened ...
  mus_status opened;                // ... or not
  char failure[TEXT];               // why
  int waits, asked, asked_for_more; // more: than the latest frame has
  atomic_int stop;                  // asked for in the middle of steps as well
  unsigned wants;
  queued queue[VIEW_PAGES][KINDS];
  long last_order;
  view_packet *introduction, *latest;
  unsigned edition; // from 1
  long steps;
  double seconds; // in them
  // the thread's own
  void *self;
  mus_scene *own;                  // that a page has chosen; NULL: the subject's
  int paused, steps_wanted, dirty; // dirty: something has changed since the last frame
  double speed;
  double clock_start, shown_start; // when both agreed, s
  double shown;                    // s, of the source's own time
  double pace;                     // seconds of its own a second, lately
  char error[TEXT], notice[TEXT];  // shown until a reset; shown once
  int notices;
  unsigned serial;
  double published; // when the latest frame was, s
};

static void keep_text(char *to, mus_status status) {
  const char *text = status == MUS_OUT_OF_MEMORY ? "out of memory: use fewer vertices" : mus_last_error();
  snprintf(to, TEXT, "%s", text);
}

// --- messages --------------------------------------------------------------------------------------------------------

static void restart_clock(view_show *show) {
  show->clock_start = view_now();
  show->shown_start = show->shown;
}

static view_packet *introduce(const view_show *show, const view_source *source, void *self) {
  view_arrays arrays = {0};
  json_t *head = source->introduce(self, &arrays), *scenes = json_array();
  if (!head)
    return NULL;
  json_object_set_new(head, "type", json_string("introduction"));
  for (int k = 0; source == &view_live && show->options.load && mus_scene_builtin_name(k, NULL); ++k)
    json_array_append_new(scenes, json_string(mus_scene_builtin_name(k, NULL)));
  json_object_set_new(head, "scenes", scenes);
  return view_packet_make(head, &arrays, 0, 0);
}

// Everything of the new scene is there before anything of the old one goes, so that a failure changes nothing.
static void show_other(view_show *show, mus_scene *scene, void *self, view_packet *introduction) {
  show->source->close(show->self);
  if (show->own)
    mus_scene_free(show->own);
  free(show->own);
  show->own = scene;
  show->self = self;
  show->source = &view_live;
  show->error[0] = 0;
  show->pace = 0;
  pthread_mutex_lock(&show->lock);
  view_packet_drop(show->introduction);
  view_packet_drop(show->latest);
  show->introduction = introduction;
  show->latest = NULL;
  ++show->edition;
  pthread_mutex_unlock(&show->lock);
}

static void choose_scene(view_show *show, int builtin) {
  char why[TEXT] = "";
  void *self = NULL;
  view_packet *introduction = NULL;
  mus_scene *scene = calloc(1, sizeof *scene);
  if (!scene || !show->options.load || show->source != &view_live) {
    free(scene);
    return;
  }
  mus_status status = show->options.load(show->options.data, mus_scene_builtin_name(builtin, NULL), scene, why, TEXT);
  int loaded = !status;
  if (!status)
    status = view_live.open(&(view_subject){.scene = scene}, &self);
  if (!status && !(introduction = introduce(show, &view_live, self)))
    status = MUS_OUT_OF_MEMORY;
  if (!status) {
    show_other(show, scene, self, introduction);
    return;
  }
  keep_text(show->notice, status);
  if (why[0])
    snprintf(show->notice, TEXT, "%s", why);
  ++show->notices;
  view_live.close(self);
  if (loaded)
    mus_scene_free(scene);
  free(scene);
}

static void act(view_show *show, int page, const view_message *m) {
  int begins = m->action == VIEW_RESET || m->action == VIEW_RESTORE || m->action == VIEW_SCENE;
  mus_status status = MUS_OK;
  show->dirty = 1;
  switch (m->action) {
  case VIEW_PAUSE:
    show->paused = 1;
    break;
  case VIEW_PLAY:
    show->paused = 0;
    status = show->source->act(show->self, page, m);
    break;
  case VIEW_STEP:
    show->paused = show->steps_wanted = 1;
    break;
  case VIEW_SPEED:
    show->speed = m->value;
    break;
  case VIEW_SCENE:
    choose_scene(show, m->number);
    break;
  default:
    status = show->source->act(show->self, page, m);
    if (!status && begins)
      show->error[0] = 0;
  }
  if (m->action == VIEW_PLAY || m->action == VIEW_SPEED || m->action == VIEW_SEEK || begins)
    restart_clock(show);
  if (status) {
    keep_text(show->notice, status);
    ++show->notices;
  }
}

// --- frames ----------------------------------------------------------------------------------------------------------

static view_packet *make_frame(view_show *show, unsigned wants) {
  view_arrays arrays = {0};
  json_t *head = json_pack("{sssisbsfsf}", "type", "frame", "serial", (int)(show->serial & 0x7fffffff), "paused",
                           show->paused, "speed", show->speed, "pace", show->pace);
  mus_status status = show->source->show(show->self, wants, head, &arrays);
  if (status && !show->error[0])
    keep_text(show->error, status);
  if (show->error[0])
    json_object_set_new(head, "error", view_json_text(show->error));
  if (show->notices)
    json_object_set_new(head, "notice", json_pack("[io]", show->notices, view_json_text(show->notice)));
  return view_packet_make(head, &arrays, show->serial, wants);
}

// With the lock held, which is given back meanwhile.
static void publish(view_show *show) {
  unsigned wants = show->wants;
  show->asked = show->asked_for_more = show->dirty = 0;
  show->published = view_now();
  ++show->serial;
  pthread_mutex_unlock(&show->lock);
  view_packet *made = make_frame(show, wants);
  pthread_mutex_lock(&show->lock);
  if (!made) // there may be memory for the next one
    return;
  view_packet_drop(show->latest);
  show->latest = made;
  pthread_mutex_unlock(&show->lock);
  show->options.wake(show->options.context);
  pthread_mutex_lock(&show->lock);
}

// --- steps -----------------------------------------------------------------------------------------------------------

static void step(view_show *show) {
  double begin = view_now(), seconds = 0;
  mus_status status = show->source->step(show->self, &seconds);
  double took = view_now() - begin;
  if (status == MUS_STOPPED)
    return;
  if (status) {
    keep_text(show->error, status);
    show->paused = 1;
  } else if (seconds == 0) { // a recording's end
    show->paused = 1;
  }
  show->shown += seconds;
  double pace = took > 0 ? seconds / took : 0;
  show->pace = show->pace > 0 ? 0.9 * show->pace + 0.1 * pace : pace;
  show->dirty = 1;
  pthread_mutex_lock(&show->lock);
  ++show->steps;
  show->seconds += took;
  pthread_mutex_unlock(&show->lock);
}

// Seconds until the next step is due.
static double until_due(view_show *show) {
  double ahead = (show->shown - show->shown_start) / show->speed - (view_now() - show->clock_start);
  if (ahead < -patience)
    restart_clock(show);
  return ahead;
}

static void wait_for(view_show *show, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  long nano = until.tv_nsec + (long)(1e9 * seconds);
  until.tv_sec += nano / 1000000000;
  until.tv_nsec = nano % 1000000000;
  pthread_cond_timedwait(&show->changed, &show->lock, &until);
}

static long order_of(const view_show *show, int k) { return show->queue[k / KINDS][k % KINDS].order; }

// The one that has waited longest, of all pages' places one after the other; -1 where none does.
static int first_waiting(const view_show *show) {
  int first = -1;
  for (int k = 0; k < VIEW_PAGES * KINDS; ++k)
    if (order_of(show, k) > 0 && (first < 0 || order_of(show, k) < order_of(show, first)))
      first = k;
  return first;
}

// What comes meanwhile waits for the next time: frames are to be made in between.
static void act_all(view_show *show) {
  long last = show->last_order;
  for (int k; !show->stop && (k = first_waiting(show)) >= 0;) {
    queued *q = &show->queue[k / KINDS][k % KINDS];
    if (q->order > last)
      break;
    view_message message = q->message;
    q->order = 0;
    pthread_mutex_unlock(&show->lock);
    if (k % KINDS == GONE)
      show->source->forget(show->self, k / KINDS);
    else
      act(show, k / KINDS, &message);
    pthread_mutex_lock(&show->lock);
  }
}

static void go_on(view_show *show) {
  static const double long_time = 0.25;
  pthread_mutex_lock(&show->lock);
  while (!show->stop) {
    act_all(show);
    int wanted = show->asked && (show->dirty || show->asked_for_more);
    double until_frame = wanted ? show->published + frame_gap - view_now() : long_time;
    if (until_frame <= 0) {
      publish(show);
      continue;
    }
    int runs = (!show->paused || show->steps_wanted) && !show->error[0] && !show->waits;
    double until_step = !runs ? long_time : show->steps_wanted ? 0 : until_due(show);
    if (until_step <= 0) {
      show->steps_wanted = 0;
      pthread_mutex_unlock(&show->lock);
      step(show);
      pthread_mutex_lock(&show->lock);
    } else if (first_waiting(show) < 0) {
      double wait = until_step < until_frame ? until_step : until_frame;
      wait_for(show, wait < long_time ? wait : long_time);
    }
  }
  pthread_mutex_unlock(&show->lock);
}

// --- life ------------------------------------------------------------------------------------------------------------

static int is_stopped(void *show) { return atomic_load(&((view_show *)show)->stop); }

static void *run(void *argument) {
  view_show *show = argument;
  mus_set_stop(is_stopped, show);
  mus_status status = show->source->open(&show->options.subject, &show->self);
  if (!status && !(show->introduction = introduce(show, show->source, show->self)))
    status = MUS_OUT_OF_MEMORY;
  pthread_mutex_lock(&show->lock);
  show->ready = 1;
  show->edition = 1;
  show->opened = status;
  if (status)
    keep_text(show->failure, status);
  show->dirty = 1;
  restart_clock(show);
  pthread_cond_broadcast(&show->changed);
  pthread_mutex_unlock(&show->lock);
  if (!status)
    go_on(show);
  show->source->close(show->self);
  if (show->own)
    mus_scene_free(show->own);
  free(show->own);
  return NULL;
}

static int start_thread(view_show *show) {
  sigset_t all, before;
  sigfillset(&all);
  if (show->options.signals)
    pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&show->thread, NULL, run, show);
  if (show->options.signals)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void free_show(view_show *show) {
  pthread_mutex_destroy(&show->lock);
  pthread_cond_destroy(&show->changed);
  view_packet_drop(show->introduction);
  view_packet_drop(show->latest);
  free(show);
}

mus_status view_show_start(const view_show_options *options, char *why, size_t size, view_show **out) {
  view_show *show = calloc(1, sizeof *show);
  if (!show)
    return MUS_OUT_OF_MEMORY;
  show->options = *options;
  show->source = options->subject.scene ? &view_live : &view_playback;
  show->paused = options->paused;
  show->waits = options->waits;
  show->speed = 1;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&show->lock, NULL);
  pthread_cond_init(&show->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (start_thread(show)) {
    free_show(show);
    return MUS_OUT_OF_MEMORY;
  }
  pthread_mutex_lock(&show->lock);
  while (!show->ready)
    pthread_cond_wait(&show->changed, &show->lock);
  mus_status status = show->opened;
  pthread_mutex_unlock(&show->lock);
  if (status) {
    pthread_join(show->thread, NULL);
    snprintf(why, size, "%s", show->failure);
    free_show(show);
  } else {
    *out = show;
  }
  return status;
}

void view_show_stop(view_show *show) {
  if (!show)
    return;
  pthread_mutex_lock(&show->lock);
  show->stop = 1;
  pthread_cond_broadcast(&show->changed);
  pthread_mutex_unlock(&show->lock);
  pthread_join(show->thread, NULL);
  free_show(show);
}

// --- from other threads ----------------------------------------------------------------------------------------------

view_packet *view_show_introduction(view_show *show, unsigned *edition) {
  pthread_mutex_lock(&show->lock);
  view_packet *introduction = view_packet_hold(show->introduction);
  *edition = show->edition;
  pthread_mutex_unlock(&show->lock);
  return introduction;
}

view_packet *view_show_latest(view_show *show, unsigned *edition) {
  pthread_mutex_lock(&show->lock);
  *edition = show->edition;
  view_packet *latest = show->latest ? view_packet_hold(show->latest) : NULL;
  pthread_mutex_unlock(&show->lock);
  return latest;
}

void view_show_ask(view_show *show, unsigned wants) {
  pthread_mutex_lock(&show->lock);
  show->asked = 1;
  if (wants & ~show->wants)
    show->asked_for_more = 1;
  show->wants = wants;
  pthread_cond_broadcast(&show->changed);
  pthread_mutex_unlock(&show->lock);
}

void view_show_begin(view_show *show) {
  pthread_mutex_lock(&show->lock);
  if (show->waits)
    pthread_cond_broadcast(&show->changed);
  show->waits = 0;
  pthread_mutex_unlock(&show->lock);
}

static void wait_in_queue(view_show *show, int page, int kind, const view_message *message) {
  pthread_mutex_lock(&show->lock);
  queued *q = &show->queue[page][kind];
  q->order = ++show->last_order;
  if (message)
    q->message = *message;
  pthread_cond_broadcast(&show->changed);
  pthread_mutex_unlock(&show->lock);
}

void view_show_act(view_show *show, int page, const view_message *message) {
  wait_in_queue(show, page, (int)message->action, message);
}

void view_show_forget(view_show *show, int page) { wait_in_queue(show, page, GONE, NULL); }

void view_show_count(view_show *show, long *steps, double *seconds) {
  pthread_mutex_lock(&show->lock);
  *steps = show->steps;
  *seconds = show->seconds;
  pthread_mutex_unlock(&show->lock);
}
