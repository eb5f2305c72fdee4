// A browser's side of HTTP and WebSocket, as far as tests need it, over loopback. What goes wrong ends the test.
#ifndef TESTS_SUPPORT_SOCKET_H
#define TESTS_SUPPORT_SOCKET_H

#include <stddef.h>

// A connection to a port of this machine.
int socket_connect(int port);
void socket_close(int socket);
void socket_send(int socket, const void *bytes, size_t size);

// The whole answer to a request, or to GET `path` with that host name; free() it.
char *socket_ask(int port, const char *request);
char *socket_get(int port, const char *path, const char *host);

// Asks for a WebSocket; returns the connection, or -1 where the server refuses. NULL: no such header.
int socket_watch(int port, const char *path, const char *host, const char *origin);
int socket_watch_as(int port, const char *path, const char *host, const char *origin, const char *protocol);
void socket_say(int socket, const char *text); // one message
void socket_say_bytes(int socket, int opcode, const void *bytes, size_t size);

// The next message, with a zero behind it; free() it. Its size is negative, minus the status, where the server closes
// the connection (-1 where it does so without a word), and NULL is returned.
unsigned char *socket_hear(int socket, long *size);

#endif
