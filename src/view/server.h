// The server: one page and a WebSocket, on one port, for those who have the token.
//
// GET /?token=... returns the page, and nothing but GET and HEAD is answered. The same address as a WebSocket streams
// packets (packet.h) and takes messages (message.h). Requests without the right token, for a host name that is not the
// server's, or from a page of another origin are rejected; so are messages that are too long, malformed or too many,
// with the connection closed. Connections that have not shown the token are few and short-lived (visitors.h).
#ifndef VIEW_SERVER_H
#define VIEW_SERVER_H

#include <stdatomic.h>

#include "view/show.h"

enum { VIEW_TOKEN_BYTES = 33 }; // with its zero

typedef struct view_server_options {
  const char *host; // IPv4 address to listen on
  int port;         // 0: any free one
  // Names by which pages may call the server, besides the address at which they reach it, localhost, 127.0.0.1 and the
  // machine's own name; separated by commas, or NULL. The port may be any, since tunnels have their own.
  const char *names;
  const char *page; // HTML, which outlives the server
  size_t page_size;
  FILE *log; // rejections, and pages that come and go; NULL: silence
} view_server_options;

typedef struct view_server view_server;

// Listens. Connections are served only by view_server_run(). On failure `why` says what to do.
mus_status view_server_start(const view_server_options *options, char *why, size_t size, view_server **out);
int view_server_port(const view_server *server);
const char *view_server_token(const view_server *server); // 32 hexadecimal digits, new for every server

// For view_show_options::wake; the context is the server. From any thread.
void view_server_wake(void *server);
// Serves the show until `stop` is not 0; it is checked several times per second, and after signals.
void view_server_run(view_server *server, view_show *show, const atomic_int *stop);
void view_server_stop(view_server *server); // NULL is fine

#endif
