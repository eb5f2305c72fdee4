// Watching. See view.h.
#include "view/view.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "view/page.h"
#include "view/server.h"

extern char **environ;

enum { USUAL_PORT = 8765, ADDRESS_BYTES = 320 };

static mus_status listen_somewhere(view_server_options *options, int port, char *why, size_t size, view_server **out) {
  char ignored[2];
  options->port = port >= 0 ? port : USUAL_PORT;
  mus_status status = view_server_start(options, why, size, out);
  if (status != MUS_IO_ERROR || port >= 0)
    return status;
  options->port = 0; // `why` stays that of the usual one
  return view_server_start(options, ignored, sizeof ignored, out);
}

// Where there is no desktop, the address stands on the terminal all the same. The opener is not waited for: it may be
// the browser, which waits for the server.
static void open_address(char *address) {
  char program[] = "xdg-open";
  char *arguments[] = {program, address, NULL};
  pid_t child;
  int desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
  if (!desktop || posix_spawnp(&child, program, NULL, NULL, arguments, environ) != 0)
    fprintf(stderr, "muslin view: there is no desktop here, or no xdg-open: open the address yourself\n");
}

// An address that nobody reads is no use.
static mus_status tell(const view_server_options *serving, const view_server *server, int open, char *why,
                       size_t size) {
  char address[ADDRESS_BYTES];
  const char *name = strcmp(serving->host, "0.0.0.0") == 0 ? "127.0.0.1" : serving->host;
  snprintf(address, sizeof address, "http://%s:%d/?token=%s", name, view_server_port(server),
           view_server_token(server));
  if (printf("%s\nOpen this address in a browser; press Ctrl-C to stop.\n", address) < 0 || fflush(stdout) != 0) {
    snprintf(why, size, "cannot print the address to standard output: %s", strerror(errno));
    return MUS_IO_ERROR;
  }
  if (strcmp(serving->host, "127.0.0.1") != 0)
    fprintf(stderr, "muslin view: anyone who has this address and can reach this machine can watch and join in\n");
  if (open)
    open_address(address);
  return MUS_OK;
}

mus_status view_run(const view_options *options, char *why, size_t size) {
  const char *host = options->host && strcasecmp(options->host, "localhost") != 0 ? options->host : "127.0.0.1";
  view_server_options serving = {.host = host, .names = options->names, .log = stderr};
  serving.page = view_page(&serving.page_size);
  view_server *server = NULL;
  view_show *show = NULL;
  mus_status status = listen_somewhere(&serving, options->port, why, size, &server);
  if (status)
    return status;
  const view_show_options showing = {.subject = {options->scene, options->folder},
                                     .load = options->load,
                                     .data = options->data,
                                     .paused = options->paused,
                                     .waits = 1,
                                     .signals = 1,
                                     .wake = view_server_wake,
                                     .context = server};
  status = view_show_start(&showing, why, size, &show);
  if (!status)
    status = tell(&serving, server, options->open, why, size);
  if (!status)
    view_server_run(server, show, options->stop);
  view_show_stop(show);
  view_server_stop(server);
  return status;
}
