// The server. See server.h.
#include "view/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "view/clock.h"
#include "view/visitors.h"

_Static_assert(VIEW_PACKET_ROOM >= LWS_PRE, "lws_write() needs LWS_PRE bytes before what it writes");

// Messages a second that a page may send, and how many at once; a hand that draws sends 150. Lines a second in the log.
static const double message_rate = 400, message_burst = 800, log_rate = 5, log_burst = 40;
// How long, s, a connection may take to show the token, and stay without another request after an answer.
static const double stranger_seconds = 3;
enum {
  CHUNK = 32768,   // of the page, at once
  PIECE = 1 << 20, // of a packet, at once: without it lws asks the kernel to take 1 KiB each time
  NAME_BYTES = 256,
  CONNECTIONS = 256,
  IN_FLIGHT = 3 // frames that were sent and not drawn yet, at most
};

// So many at once, and so many a second.
typedef struct bucket {
  double level, time;
} bucket;

// A page; lws keeps it beside the connection.
typedef struct page {
  int number;           // from 1, for the log; 0: one too many
  int place;            // 0 ... VIEW_PAGES - 1
  unsigned edition;     // that was introduced; 0: none
  int idle;             // it has the latest frame, and is ready for the next
  long sent, drawn;     // frames
  unsigned wants, seen; // as in source.h; the serial of the last frame sent
  bucket messages;
  char text[VIEW_MESSAGE_BYTES];
  size_t length;
} page;

// A request for the page.
typedef struct request {
  size_t sent;
} request;

struct view_server {
  view_server_options options;
  char token[VIEW_TOKEN_BYTES];
  struct lws_context *context;
  view_show *show;
  int last_number, ending;
  struct lws *connection[VIEW_PAGES]; // NULL: free
  bucket log;
  long unlogged;
  view_visitors visitors;
  char machine[NAME_BYTES]; // its name
  lws_sorted_usec_list_t heartbeat;
};

static int take_from(bucket *b, double rate, double burst) {
  double time = view_now();
  b->level = b->time == 0 ? burst : b->level + rate * (time - b->time);
  b->time = time;
  if (b->level > burst)
    b->level = burst;
  if (b->level < 1)
    return 0;
  b->level -= 1;
  return 1;
}

// A line, unless there are too many.
__attribute__((format(printf, 2, 3))) static void say(view_server *server, const char *format, ...) {
  if (!server->options.log)
    return;
  struct pollfd place = {.fd = fileno(server->options.log), .events = POLLOUT};
  int stalled = place.fd >= 0 && poll(&place, 1, 0) == 0; // a terminal that is stopped, a full pipe: not waited for
  if (stalled || !take_from(&server->log, log_rate, log_burst)) {
    ++server->unlogged;
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  fprintf(server->options.log, "muslin view: ");
  vfprintf(server->options.log, format, arguments);
  if (server->unlogged > 0)
    fprintf(server->options.log, " (and %ld more lines, too many to log)", server->unlogged);
  fprintf(server->options.log, "\n");
  fflush(server->options.log);
  va_end(arguments);
  server->unlogged = 0;
}

// --- who may --------------------------------------------------------------------------------------------------------

// In a time that tells nothing about where they differ.
static int same_token(const char *a, const char *b) {
  unsigned difference = strlen(a) != strlen(b);
  for (size_t k = 0; a[k] && b[k]; ++k)
    difference |= (unsigned)(a[k] ^ b[k]);
  return difference == 0;
}

static int has_token(const view_server *server, struct lws *wsi) {
  char given[2 * VIEW_TOKEN_BYTES] = "";
  const char *value = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
  return value && same_token(value, server->token);
}

static int header(struct lws *wsi, enum lws_token_indexes which, char value[NAME_BYTES]) {
  value[0] = 0;
  return lws_hdr_copy(wsi, value, NAME_BYTES, which) > 0;
}

// Whether a list of names, separated by commas, has this one.
static int has_name(const char *names, const char *name, size_t length) {
  for (const char *at = names; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
    if (length > 0 && strcspn(at, ",") == length && strncasecmp(at, name, length) == 0)
      return 1;
  return 0;
}

// The address of this machine that the connection was made to.
static void own_address(struct lws *wsi, char address[INET_ADDRSTRLEN]) {
  struct sockaddr_in place = {0};
  socklen_t size = sizeof place;
  address[0] = 0;
  if (getsockname(lws_get_socket_fd(wsi), (struct sockaddr *)&place, &size) == 0 && place.sin_family == AF_INET)
    inet_ntop(AF_INET, &place.sin_addr, address, INET_ADDRSTRLEN);
}

// Browsers can be tricked into calling this address by names of other sites, whose pages could then talk to the server;
// those names are not answered. The port may be that of a tunnel.
static int is_own_name(const view_server *server, struct lws *wsi, const char *host) {
  char address[INET_ADDRSTRLEN];
  own_address(wsi, address);
  const char *const names[] = {address, "localhost,127.0.0.1", server->machine, server->options.names};
  size_t length = strcspn(host, ":");
  const char *port = host + length;
  if (*port == ':' && strspn(port + 1, "0123456789") != strlen(port + 1))
    return 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (has_name(names[k], host, length))
      return 1;
  return 0;
}

// Why a request is refused; NULL where it is not.
static const char *refusal(const view_server *server, struct lws *wsi, int socket) {
  char host[NAME_BYTES], origin[NAME_BYTES], own[NAME_BYTES + 8];
  if (!header(wsi, WSI_TOKEN_HOST, host) || !is_own_name(server, wsi, host))
    return "the host name is not the server's; --name adds one";
  if (!has_token(server, wsi))
    return "the token is wrong";
  snprintf(own, sizeof own, "http://%s", host);
  if (socket && (!header(wsi, WSI_TOKEN_ORIGIN, origin) || strcmp(origin, own) != 0))
    return "the origin is foreign";
  return NULL;
}

// --- the page -------------------------------------------------------------------------------------------------------

// The page, or what is wrong, is written; then the connection may ask again, or ends. Negative: it is to be closed.
static int complete(view_server *server, struct lws *wsi) {
  view_visitors_admit(&server->visitors, wsi, 0, view_now());
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int answer_text(view_server *server, struct lws *wsi, unsigned status, const char *text) {
  static const char methods[] = "GET, HEAD";
  unsigned char buffer[LWS_PRE + 1024], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
  size_t length = strlen(text);
  if (lws_add_http_common_headers(wsi, status, "text/plain; charset=utf-8", length, &at, end) ||
      (status == HTTP_STATUS_METHOD_NOT_ALLOWED &&
       lws_add_http_header_by_name(wsi, (const unsigned char *)"allow:", (const unsigned char *)methods,
                                   (int)strlen(methods), &at, end)) ||
      lws_finalize_write_http_header(wsi, start, &at, end))
    return -1;
  memcpy(start, text, length);
  if (lws_write(wsi, start, length, LWS_WRITE_HTTP_FINAL) < (int)length)
    return -1;
  // What follows a request of another kind is not read.
  return status == HTTP_STATUS_METHOD_NOT_ALLOWED ? -1 : complete(server, wsi);
}

// The page may run its own script and talk to the server it came from, and nothing else.
static void write_policy(char *policy, size_t size, const char *host) {
  snprintf(policy, size,
           "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
           "connect-src 'self' ws://%s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           host);
}

static int begin_page(view_server *server, struct lws *wsi, request *r) {
  char host[NAME_BYTES], policy[512 + NAME_BYTES];
  header(wsi, WSI_TOKEN_HOST, host);
  write_policy(policy, sizeof policy, host);
  const char *const headers[][2] = {{"content-security-policy:", policy},
                                    {"referrer-policy:", "no-referrer"},
                                    {"cache-control:", "no-store"},
                                    {"x-content-type-options:", "nosniff"}};
  unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
  r->sent = 0;
  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", server->options.page_size, &at, end))
    return -1;
  for (size_t k = 0; k < sizeof headers / sizeof *headers; ++k)
    if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[k][0], (const unsigned char *)headers[k][1],
                                    (int)strlen(headers[k][1]), &at, end))
      return -1;
  if (lws_finalize_write_http_header(wsi, start, &at, end))
    return -1;
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0) // that was all
    return complete(server, wsi);
  view_visitors_admit(&server->visitors, wsi, 1, view_now());
  lws_callback_on_writable(wsi);
  return 0;
}

// Negative where the other side has gone: lws keeps a connection open after 1, and would then be woken without end.
static int continue_page(view_server *server, struct lws *wsi, request *r) {
  unsigned char buffer[LWS_PRE + CHUNK];
  size_t left = server->options.page_size - r->sent, size = left < CHUNK ? left : CHUNK;
  memcpy(buffer + LWS_PRE, server->options.page + r->sent, size);
  r->sent += size;
  int last = r->sent == server->options.page_size;
  if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
    return -1;
  if (last)
    return complete(server, wsi);
  lws_callback_on_writable(wsi);
  return 0;
}

static int answer_request(view_server *server, struct lws *wsi, request *r, const char *path) {
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0 && lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) <= 0)
    return answer_text(server, wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "The page can only be read: GET or HEAD.\n");
  const char *why = refusal(server, wsi, 0);
  if (strcmp(path, "/") != 0)
    return answer_text(server, wsi, HTTP_STATUS_NOT_FOUND,
                       "There is only one page here: open the address that muslin view printed.\n");
  if (!why)
    return begin_page(server, wsi, r);
  say(server, "request rejected: %s", why);
  return answer_text(
      server, wsi, HTTP_STATUS_FORBIDDEN,
      "Rejected: open the address exactly as muslin view printed it, with its token. A host name of your "
      "own is allowed by muslin view --name NAME.\n");
}

// --- strangers ------------------------------------------------------------------------------------------------------

static int take_in(view_server *server, struct lws *wsi) {
  void *leaves = view_visitors_enter(&server->visitors, wsi, view_now());
  if (leaves && leaves != wsi)
    lws_set_timeout(leaves, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
  return leaves == wsi;
}

static void send_away_the_overdue(view_server *server) {
  void *leaves;
  while ((leaves = view_visitors_overdue(&server->visitors, view_now(), stranger_seconds)) != NULL)
    lws_set_timeout(leaves, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static int serve_page(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  struct lws_context *context = lws_get_context(wsi);
  view_server *server = context ? lws_context_user(context) : NULL;
  switch (reason) {
  case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
    return take_in(server, wsi);
  case LWS_CALLBACK_WSI_DESTROY: // of any kind
    if (server)
      view_visitors_leave(&server->visitors, wsi);
    return 0;
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: // HTTP/2 would stay open without a token
    return strcasecmp(in, "websocket") == 0 ? 0 : -1;
  case LWS_CALLBACK_HTTP:
    return answer_request(server, wsi, user, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return continue_page(server, wsi, user);
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: // those that name no protocol come here
    say(server, "page rejected: it does not speak muslin's protocol");
    return 1;
  default:
    return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

// --- pages that watch -----------------------------------------------------------------------------------------------

static page *page_of(struct lws *wsi) { return lws_wsi_user(wsi); }

// What all of them want together.
static unsigned wants(const view_server *server) {
  unsigned all = 0;
  for (int k = 0; k < VIEW_PAGES; ++k)
    all |= server->connection[k] ? page_of(server->connection[k])->wants : 0;
  return all;
}

static int send_packet(struct lws *wsi, view_packet *packet) {
  size_t size;
  unsigned char *bytes = view_packet_bytes(packet, &size);
  int wrote = lws_write(wsi, bytes, size, LWS_WRITE_BINARY); // keeps what the socket does not take yet
  view_packet_drop(packet);
  return wrote < (int)size;
}

static int turn_away(view_server *server, struct lws *wsi) {
  static unsigned char why[] = "too many pages are watching already";
  say(server, "page rejected: %d are watching already", VIEW_PAGES);
  lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, why, sizeof why - 1);
  return -1;
}

// The socket has taken all that came before: the introduction, then always the latest frame.
static int continue_watching(view_server *server, struct lws *wsi, page *p) {
  if (p->number == 0)
    return turn_away(server, wsi);
  unsigned edition;
  view_packet *latest = view_show_latest(server->show, &edition);
  if (p->edition != edition) {
    view_packet_drop(latest);
    p->seen = 0;
    p->idle = 0;
    lws_callback_on_writable(wsi);
    return send_packet(wsi, view_show_introduction(server->show, &p->edition));
  }
  if (p->sent - p->drawn >= IN_FLIGHT) { // browsers take in what they cannot draw
    view_packet_drop(latest);
    p->idle = 0;
    return 0;
  }
  if (!latest || view_packet_serial(latest) == p->seen) {
    view_packet_drop(latest);
    p->idle = 1;
    view_show_ask(server->show, wants(server));
    return 0;
  }
  p->seen = view_packet_serial(latest);
  p->wants &= ~(view_packet_marks(latest) & VIEW_WANT_LEVELS); // asked for once
  p->idle = 0;
  ++p->sent;
  lws_callback_on_writable(wsi);
  return send_packet(wsi, latest);
}

static void wake_pages(view_server *server) {
  for (int k = 0; k < VIEW_PAGES; ++k)
    if (server->connection[k] && page_of(server->connection[k])->idle)
      lws_callback_on_writable(server->connection[k]);
}

// One too many is told so when it can be written to.
static void begin_watching(view_server *server, struct lws *wsi, page *p) {
  int place = 0;
  view_visitors_leave(&server->visitors, wsi);
  while (place < VIEW_PAGES && server->connection[place])
    ++place;
  *p = (page){.place = place};
  lws_callback_on_writable(wsi);
  if (place == VIEW_PAGES)
    return;
  p->number = ++server->last_number;
  server->connection[place] = wsi;
  say(server, "page %d connected", p->number);
}

static void end_watching(view_server *server, const page *p) {
  if (!p || p->number == 0)
    return;
  server->connection[p->place] = NULL;
  if (!server->ending)
    say(server, "page %d disconnected", p->number);
  if (server->show)
    view_show_forget(server->show, p->place);
}

static int close_page(view_server *server, struct lws *wsi, const page *p, enum lws_close_status status,
                      const char *why) {
  say(server, "page %d closed: %s", p->number, why);
  lws_close_reason(wsi, status, (unsigned char *)(uintptr_t)why, strlen(why));
  return -1;
}

static int take_message(view_server *server, struct lws *wsi, page *p) {
  view_message message;
  char why[VIEW_REASON_BYTES], text[VIEW_REASON_BYTES + 32];
  if (!view_message_parse(p->text, p->length, &message, why)) {
    snprintf(text, sizeof text, "malformed message: %.80s", why);
    return close_page(server, wsi, p, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, text);
  }
  if (message.action == VIEW_SEEN) {
    p->drawn += p->drawn < p->sent;
    view_show_begin(server->show);
    lws_callback_on_writable(wsi);
    return 0;
  }
  if (message.action == VIEW_SHOW || message.action == VIEW_LEVELS) {
    unsigned levels = p->wants & VIEW_WANT_LEVELS;
    if (message.action == VIEW_LEVELS)
      p->wants |= VIEW_WANT_LEVELS;
    else
      p->wants = levels | (message.number < MUS_FIELDS ? 1u << message.number : 0);
    if (p->idle)
      view_show_ask(server->show, wants(server));
    return 0;
  }
  view_show_act(server->show, p->place, &message);
  return 0;
}

static int receive(view_server *server, struct lws *wsi, page *p, const void *in, size_t length) {
  if (p->number == 0)
    return 0;
  if (lws_is_first_fragment(wsi))
    p->length = 0;
  if (lws_frame_is_binary(wsi))
    return close_page(server, wsi, p, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "malformed message: binary");
  if (length > sizeof p->text - p->length || lws_remaining_packet_payload(wsi) > sizeof p->text)
    return close_page(server, wsi, p, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "oversized message");
  memcpy(p->text + p->length, in, length);
  p->length += length;
  if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0)
    return 0;
  if (!take_from(&p->messages, message_rate, message_burst))
    return close_page(server, wsi, p, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages per second");
  return take_message(server, wsi, p);
}

static int watch(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  struct lws_context *context = lws_get_context(wsi);
  view_server *server = context ? lws_context_user(context) : NULL;
  const char *why;
  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    why = refusal(server, wsi, 1);
    if (why)
      say(server, "page rejected: %s", why);
    return why != NULL;
  case LWS_CALLBACK_ESTABLISHED:
    begin_watching(server, wsi, user);
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return server->show ? continue_watching(server, wsi, user) : 0;
  case LWS_CALLBACK_RECEIVE:
    return server->show ? receive(server, wsi, user, in, length) : 0;
  case LWS_CALLBACK_CLOSED:
    end_watching(server, user);
    return 0;
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    if (server)
      wake_pages(server);
    return 0;
  default:
    return 0;
  }
}

// --- life -----------------------------------------------------------------------------------------------------------

static const struct lws_protocols protocols[] = {
    {"http", serve_page, sizeof(request), 0, 0, NULL, 0},
    {"muslin", watch, sizeof(page), VIEW_MESSAGE_BYTES, 0, NULL, PIECE},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

// Pages that are silent for so long, s, are asked whether they are there, and dropped where they do not answer.
static const lws_retry_bo_t patience = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 60};

static int make_token(char token[VIEW_TOKEN_BYTES]) {
  unsigned char bytes[(VIEW_TOKEN_BYTES - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return 0;
  for (size_t k = 0; k < sizeof bytes; ++k)
    snprintf(token + 2 * k, 3, "%02x", bytes[k]);
  return 1;
}

// Why this address cannot be listened on; NULL where it can. lws would say nothing of it, or listen on all addresses
// where it does not understand one.
static const char *obstacle(const char *host, int port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (inet_pton(AF_INET, host, &place.sin_addr) != 1)
    return "--host takes an IPv4 address of this machine, such as 127.0.0.1, or 0.0.0.0 for all";
  int trial = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  if (trial >= 0)
    setsockopt(trial, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); // as lws does
  int bad = trial < 0 || bind(trial, (struct sockaddr *)&place, sizeof place) != 0 || listen(trial, 1) != 0;
  int reason = errno;
  if (trial >= 0)
    close(trial);
  if (!bad)
    return NULL;
  return reason == EADDRINUSE      ? "another program is using that port: give another --port, or 0 for any free one"
         : reason == EADDRNOTAVAIL ? "this machine has no such address: give one that it has as --host"
         : reason == EACCES        ? "that port is reserved: give a --port of 1024 or above, or 0 for any free one"
                                   : "the system provides no socket: close other programs, or try again";
}

mus_status view_server_start(const view_server_options *options, char *why, size_t size, view_server **out) {
  const char *reason = obstacle(options->host, options->port);
  if (reason) {
    snprintf(why, size, "cannot listen on %s, port %d: %s", options->host, options->port, reason);
    return MUS_IO_ERROR;
  }
  view_server *server = calloc(1, sizeof *server);
  if (!server || !make_token(server->token)) {
    snprintf(why, size, "out of memory, or no random numbers for the token");
    free(server);
    return MUS_OUT_OF_MEMORY;
  }
  server->options = *options;
  if (gethostname(server->machine, sizeof server->machine - 1) != 0)
    server->machine[0] = 0;
  lws_set_log_level(0, NULL);
  struct lws_context_creation_info info = {.port = options->port,
                                           .iface = options->host,
                                           .protocols = protocols,
                                           .gid = -1,
                                           .uid = -1,
                                           .user = server,
                                           .retry_and_idle_policy = &patience,
                                           .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                      LWS_SERVER_OPTION_DISABLE_IPV6,
                                           .fd_limit_per_thread = CONNECTIONS,
                                           .keepalive_timeout = 10,
                                           .timeout_secs = 10};
  server->context = lws_create_context(&info);
  if (!server->context) {
    snprintf(why, size, "cannot listen on %s, port %d: try again, or give another --port", options->host,
             options->port);
    free(server);
    return MUS_IO_ERROR;
  }
  *out = server;
  return MUS_OK;
}

int view_server_port(const view_server *server) {
  return lws_get_vhost_listen_port(lws_get_vhost_by_name(server->context, "default"));
}

const char *view_server_token(const view_server *server) { return server->token; }

void view_server_wake(void *server) { lws_cancel_service(((view_server *)server)->context); }

// Keeps lws_service() from sleeping through a signal that came just before it.
static void beat(lws_sorted_usec_list_t *timer) {
  view_server *server = lws_container_of(timer, view_server, heartbeat);
  send_away_the_overdue(server);
  lws_sul_schedule(server->context, 0, timer, beat, 200 * LWS_US_PER_MS);
}

void view_server_run(view_server *server, view_show *show, const atomic_int *stop) {
  server->show = show;
  lws_sul_schedule(server->context, 0, &server->heartbeat, beat, 200 * LWS_US_PER_MS);
  while (!atomic_load(stop) && lws_service(server->context, 0) >= 0)
    ;
  lws_sul_schedule(server->context, 0, &server->heartbeat, beat, LWS_SET_TIMER_USEC_CANCEL);
  server->show = NULL;
}

void view_server_stop(view_server *server) {
  if (!server)
    return;
  server->ending = 1;
  lws_context_destroy(server->context);
  free(server);
}
