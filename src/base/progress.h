// The progress of a run: on a terminal, a bar with the frame, iterations and time left; plain lines elsewhere.
//
//     mus_progress progress = mus_progress_start(stderr, "drooping", 0, 100);
//     mus_progress_update(&progress, frame, iterations);   after every step or frame; frames may be fractions
//     mus_progress_end(&progress);
//
// The time that is left is that of the frames to come at the median of the last frames' times, so that one slow frame
// does not alarm, and a run that slows down is noticed. Plain lines come at most once per second, and always for the
// first and the last frame.
#ifndef MUS_BASE_PROGRESS_H
#define MUS_BASE_PROGRESS_H

#include <stdio.h>

enum { MUS_PROGRESS_FRAMES = 15 }; // whose times are remembered

typedef struct mus_progress {
  FILE *stream;
  const char *title;
  int last;                            // the run ends when this frame is done
  int terminal;                        // 1: a bar; may be changed after the start
  int columns;                         // of the terminal; 0: ask it every time
  double (*clock)(void);               // seconds
  double frame_at;                     // s, when the last whole frame was done
  int frame;                           // the last whole frame
  int timed;                           // frames whose times are known, of which the last MUS_PROGRESS_FRAMES are in ...
  double seconds[MUS_PROGRESS_FRAMES]; // ... this ring
  int shown;                           // 1: something has been
  double shown_at;                     // s
  int on_line;                         // 1: the cursor stands behind a bar
} mus_progress;

// The run goes from having done frame `first` to having done `last`. A stream that is not a terminal, or one that
// cannot move its cursor (TERM=dumb), gets plain lines. The title must stay.
mus_progress mus_progress_start(FILE *stream, const char *title, int first, int last);
// `done` frames are done, with `iterations` for the last one; not shown if negative.
void mus_progress_update(mus_progress *progress, double done, int iterations);
// Seconds left with `done` frames done; negative if nothing is known yet.
double mus_progress_left(const mus_progress *progress, double done);
// Wipes the bar, so that something else can be written; the next update draws it again.
void mus_progress_clear(mus_progress *progress);
// Leaves the bar where it is and goes to the next line.
void mus_progress_end(mus_progress *progress);

#endif
