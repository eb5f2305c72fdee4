// The show: a source that runs in a thread of its own, in real time, whoever is watching.
//
// Frames are made when they are asked for, and only then: view_show_ask() says that a page is ready for another, the
// next frame becomes the latest, and `wake` is called. A page that reads slowly asks less often, and one that has
// stalled never; neither ever keeps the source waiting.
#ifndef VIEW_SHOW_H
#define VIEW_SHOW_H

#include "view/source.h"

typedef struct view_show view_show;

typedef struct view_show_options {
  view_subject subject;
  // For pages that choose another built-in scene, which load() makes; NULL: they cannot. From the show's thread. What
  // is wrong goes to `why`.
  mus_status (*load)(void *data, const char *builtin, mus_scene *scene, char *why, size_t size);
  void *data;
  int paused;                  // 1: until a page says "play"
  int waits;                   // 1: until view_show_begin()
  int signals;                 // 1: signals are for other threads
  void (*wake)(void *context); // from the show's thread: there is a new frame
  void *context;
} view_show_options;

// Opens the source and starts the thread. On failure `why` says what is wrong. The subject outlives the show.
mus_status view_show_start(const view_show_options *options, char *why, size_t size, view_show **out);
void view_show_stop(view_show *show); // in the middle of a step, if need be; NULL is fine

// What stays, for each page to begin with, and again whenever the edition has changed: there is another scene then, of
// which the frames are. The caller drops it.
view_packet *view_show_introduction(view_show *show, unsigned *edition);
// The latest frame, or NULL before the first of its edition. The caller drops it.
view_packet *view_show_latest(view_show *show, unsigned *edition);
// A page is ready for a frame, and this is what all pages together want in it (see source.h).
void view_show_ask(view_show *show, unsigned wants);

// Somebody is watching: a page has drawn a frame.
void view_show_begin(view_show *show);

// From a page. Of messages of one kind that wait, only a page's last counts: no page can fill the queue.
void view_show_act(view_show *show, int page, const view_message *message);
// That page has disconnected.
void view_show_forget(view_show *show, int page);

// For measurements: steps so far, and seconds that were spent in them.
void view_show_count(view_show *show, long *steps, double *seconds);

#endif
