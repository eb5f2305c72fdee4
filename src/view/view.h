// Watching: a show and a server for it, until someone stops it.
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdatomic.h>

#include "muslin/scene.h"

typedef struct view_options {
  const mus_scene *scene; // what is simulated, or ...
  const char *folder;     // ... the result folder that is played
  // Makes a built-in scene that a page has chosen, as view_show_options::load; NULL: pages cannot choose.
  mus_status (*load)(void *data, const char *builtin, mus_scene *scene, char *why, size_t size);
  void *data;
  const char *host;       // address to listen on; NULL: 127.0.0.1, which only this machine reaches
  const char *names;      // further names that it may be called by, separated by commas; NULL: none
  int port;               // 0: any free one; negative: 8765, or any free one if that is taken
  int paused;             // 1: until a page says "play"
  int open;               // 1: ask the desktop to open the address
  const atomic_int *stop; // not 0: end. To be set by signals
} view_options;

// Prints the address and serves until *stop; pages that come and go, and rejections, are logged to stderr. Blocks
// signals in threads of its own. On failure `why` says what to do.
mus_status view_run(const view_options *options, char *why, size_t size);

#endif
