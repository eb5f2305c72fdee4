// Messages from pages: JSON texts, parsed strictly, since anyone who finds the address may send anything.
//
//   {"do": "pause"}  "play"  "step"  "reset"  "restore"  "release"  "keep"  "free"  "levels"  "seen"
//   {"do": "speed", "value": 0.5}                  {"do": "seek", "frame": 12}
//   {"do": "gravity", "value": [0, -9.81, 0]}      {"do": "wind", "value": [3, 0, 0]}
//   {"do": "stiffness", "value": 2}                {"do": "solver", "value": "diag"}
//   {"do": "fabric", "value": "silk"}              {"do": "scene", "value": "flag"}
//   {"do": "loop", "value": 1}                     or 0
//   {"do": "show", "value": "stretch"}             or "bend", "contact", "residual", "nothing"
//   {"do": "grab", "triangle": 7, "weight": [0.2, 0.3, 0.5], "target": [0, 1, 0]}
//   {"do": "drag", "target": [0, 1.1, 0]}
#ifndef VIEW_MESSAGE_H
#define VIEW_MESSAGE_H

#include <stddef.h>

#include "muslin/sim.h"

typedef enum view_action {
  VIEW_PAUSE,
  VIEW_PLAY,
  VIEW_STEP,
  VIEW_RESET,   // from the start, with what pages have set
  VIEW_RESTORE, // from the start, with what the scene says
  VIEW_RELEASE,
  VIEW_KEEP,   // what the page holds stays where it is, as a pin
  VIEW_FREE,   // all these pins let go
  VIEW_LEVELS, // asks for the hierarchy's aggregates, once
  VIEW_SEEN,   // a frame has been drawn
  VIEW_SPEED,
  VIEW_LOOP,
  VIEW_SEEK,
  VIEW_GRAVITY,
  VIEW_WIND,
  VIEW_STIFFNESS,
  VIEW_SOLVER,
  VIEW_FABRIC,
  VIEW_SCENE, // another one, built in
  VIEW_SHOW,
  VIEW_GRAB,
  VIEW_DRAG,
  VIEW_ACTIONS
} view_action;

// Of a name, with its end; messages that are longer are rejected unread.
enum { VIEW_NAME_BYTES = 128, VIEW_MESSAGE_BYTES = 1024, VIEW_REASON_BYTES = 160 };

typedef struct view_message {
  view_action action;
  int number;       // frame, triangle, mus_method, scene, or mus_field (MUS_FIELDS: nothing)
  double value;     // speed, stiffness, loop
  double vector[3]; // gravity, wind, target
  double weight[3];
  char name[VIEW_NAME_BYTES]; // fabric: perhaps none that there is
} view_message;

// 1 if it is a message; everything in `out` is then in range: finite, weights from 0 to 1 that sum to 1, non-negative
// numbers. 0 otherwise, and `why` says what is wrong, in printable characters.
int view_message_parse(const char *text, size_t size, view_message *out, char why[VIEW_REASON_BYTES]);

#endif
