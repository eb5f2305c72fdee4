// What is shown: a running simulation, or a recording. One table of functions each; show.c knows nothing else of them.
//
// All calls come from one thread. Calls that fail leave their text in mus_last_error().
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/message.h"
#include "view/packet.h"

// What to open: one of the two.
typedef struct view_subject {
  const mus_scene *scene; // outlives the source
  const char *folder;     // of a result
} view_subject;

// Pages at once, at most; each is known by a number from 0 on, which others get after it has gone.
enum { VIEW_PAGES = 16 };

// Wants are bits: 1 << mus_field for each field, and this one for the aggregates of all levels.
enum { VIEW_WANT_LEVELS = 1 << MUS_FIELDS };

typedef struct view_source {
  mus_status (*open)(const view_subject *subject, void **self);
  void (*close)(void *self); // NULL is fine
  // What stays: names, triangles, what can be asked for. The head is the caller's; arrays point into the source.
  json_t *(*introduce)(void *self, view_arrays *arrays);
  // Does what a page asks for, but for what show.c does itself.
  mus_status (*act)(void *self, int page, const view_message *message);
  // That page has disconnected.
  void (*forget)(void *self, int page);
  // Advances by `seconds` of its own time, or waits that long. Recordings return 0 seconds at their end.
  mus_status (*step)(void *self, double *seconds);
  // The current frame.
  mus_status (*show)(void *self, unsigned wants, json_t *head, view_arrays *arrays);
} view_source;

extern const view_source view_live, view_playback;

#endif
