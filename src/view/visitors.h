// Connections that have not shown the token yet: how many there may be, and for how long.
//
// Anyone who can reach the port can connect, so connections are strangers until a request with the token arrives. There
// is a fixed number of places for them. Where all are taken, the stranger who came first has to leave for the new one,
// so that holding connections open keeps nobody else out; and whoever has asked for nothing by its time limit leaves
// too. Those who are admitted keep their place until they leave. The list knows connections only as pointers.
#ifndef VIEW_VISITORS_H
#define VIEW_VISITORS_H

enum { VIEW_VISITORS = 64 };

typedef struct view_visitor {
  void *connection; // NULL: the place is free
  double since;     // s: when it came, or was last admitted
  int admitted;
} view_visitor;

typedef struct view_visitors {
  view_visitor place[VIEW_VISITORS];
} view_visitors;

// Takes a new connection in at a time, s. Returns the connection that must be closed for it: that of the first stranger
// where all places are taken, the new one itself where everyone there is admitted, NULL otherwise.
void *view_visitors_enter(view_visitors *list, void *connection, double time);
// What it asked for had the token: it is a stranger no longer, or, by 0, has got all it asked for and is one again,
// from `time` on.
void view_visitors_admit(view_visitors *list, const void *connection, int admitted, double time);
void view_visitors_leave(view_visitors *list, const void *connection);
// A stranger who came more than `limit` seconds before `time` and has to leave, and is off the list; NULL: none (more).
void *view_visitors_overdue(view_visitors *list, double time, double limit);

#endif
