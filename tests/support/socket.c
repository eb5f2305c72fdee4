// A browser's side of a connection. See socket.h.
#include "support/socket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int socket_connect(int port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct timeval patience = {.tv_sec = 60};
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int made = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(made >= 0);
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(made, (struct sockaddr *)&place, sizeof place) != 0)
    fail_msg("no connection to port %d", port);
  return made;
}

void socket_close(int socket) { close(socket); }

// A connection that the server has closed meanwhile takes nothing, which is no mistake of the test.
void socket_send(int socket, const void *bytes, size_t size) {
  for (const char *at = bytes; size > 0;) {
    ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) // the test was stopped for a while
      continue;
    if (sent <= 0)
      return;
    at += sent;
    size -= (size_t)sent;
  }
}

// All of it, or less where the connection ends.
static size_t receive(int socket, void *bytes, size_t size) {
  size_t got = 0;
  while (got < size) {
    ssize_t more = recv(socket, (char *)bytes + got, size - got, 0);
    if (more < 0 && errno == EINTR)
      continue;
    if (more <= 0)
      break;
    got += (size_t)more;
  }
  return got;
}

char *socket_ask(int port, const char *request) {
  enum { MOST = 1 << 22 };
  int socket = socket_connect(port);
  char *answer = malloc(MOST + 1);
  assert_non_null(answer);
  socket_send(socket, request, strlen(request));
  answer[receive(socket, answer, MOST)] = 0;
  socket_close(socket);
  return answer;
}

char *socket_get(int port, const char *path, const char *host) {
  char request[1024];
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host);
  return socket_ask(port, request);
}

int socket_watch(int port, const char *path, const char *host, const char *origin) {
  return socket_watch_as(port, path, host, origin, "muslin");
}

int socket_watch_as(int port, const char *path, const char *host, const char *origin, const char *protocol) {
  int socket = socket_connect(port);
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
                        "%s%s%s%s%s%s\r\n",
                        path, host, protocol ? "Sec-WebSocket-Protocol: " : "", protocol ? protocol : "",
                        protocol ? "\r\n" : "", origin ? "Origin: " : "", origin ? origin : "", origin ? "\r\n" : "");
  socket_send(socket, text, (size_t)length);
  size_t got = 0;
  while (got < sizeof text - 1 && receive(socket, text + got, 1) == 1) {
    text[++got] = 0;
    if (got >= 4 && strcmp(text + got - 4, "\r\n\r\n") == 0)
      break;
  }
  text[got] = 0;
  if (strncmp(text, "HTTP/1.1 101", 12) == 0)
    return socket;
  socket_close(socket);
  return -1;
}

void socket_say_bytes(int socket, int opcode, const void *bytes, size_t size) {
  static const unsigned char mask[4] = {0x12, 0x34, 0x56, 0x78};
  unsigned char *frame = malloc(size + 16);
  assert_non_null(frame);
  size_t at = 0;
  frame[at++] = (unsigned char)(0x80 | opcode);
  if (size < 126) {
    frame[at++] = (unsigned char)(0x80 | size);
  } else if (size < 65536) {
    frame[at++] = 0x80 | 126;
    frame[at++] = (unsigned char)(size >> 8);
    frame[at++] = (unsigned char)(size & 255);
  } else {
    frame[at++] = 0x80 | 127;
    for (int k = 7; k >= 0; --k)
      frame[at++] = (unsigned char)(size >> 8 * k & 255);
  }
  memcpy(frame + at, mask, 4);
  at += 4;
  for (size_t k = 0; k < size; ++k)
    frame[at + k] = (unsigned char)(((const unsigned char *)bytes)[k] ^ mask[k % 4]);
  socket_send(socket, frame, at + size);
  free(frame);
}

void socket_say(int socket, const char *text) { socket_say_bytes(socket, 1, text, strlen(text)); }

unsigned char *socket_hear(int socket, long *size) {
  *size = -1;
  unsigned char *message = NULL;
  size_t total = 0;
  for (;;) {
    unsigned char head[2], more[8];
    if (receive(socket, head, 2) != 2)
      break;
    size_t length = head[1] & 127, bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (receive(socket, more, bytes) != bytes)
      break;
    for (size_t k = 0, value = 0; k < bytes; ++k)
      length = value = value << 8 | more[k];
    message = realloc(message, total + length + 1);
    assert_non_null(message);
    if (receive(socket, message + total, length) != length)
      break;
    int opcode = head[0] & 15;
    if (opcode == 8) {
      *size = length >= 2 ? -(message[total] * 256 + message[total + 1]) : -1;
      break;
    }
    if (opcode == 9) { // ping
      socket_say_bytes(socket, 10, message + total, length);
      continue;
    }
    total += length;
    if (head[0] & 128) {
      message[total] = 0;
      *size = (long)total;
      return message;
    }
  }
  free(message);
  return NULL;
}
