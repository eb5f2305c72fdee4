// Progress bars and lines. See progress.h.
#define _DEFAULT_SOURCE // TIOCGWINSZ
#include "base/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/timer.h"

static const double redraw_seconds = 0.1, line_seconds = 1;

mus_progress mus_progress_start(FILE *stream, const char *title, int first, int last) {
  const char *kind = getenv("TERM");
  int terminal = isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
  return (mus_progress){.stream = stream,
                        .title = title,
                        .last = last,
                        .terminal = terminal,
                        .clock = mus_seconds,
                        .frame_at = mus_seconds(),
                        .frame = first};
}

// --- time ----------------------------------------------------------------------------------------------------------

// Where several frames were done at once, each gets its part of the time.
static void note_frames(mus_progress *p, int frame, double now) {
  int count = frame - p->frame;
  if (count < 1)
    return;
  for (int i = 0; i < count && i < MUS_PROGRESS_FRAMES; ++i)
    p->seconds[p->timed++ % MUS_PROGRESS_FRAMES] = (now - p->frame_at) / count;
  p->frame = frame;
  p->frame_at = now;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Of the last frames' seconds; negative when none is known.
static double median(const mus_progress *p) {
  double sorted[MUS_PROGRESS_FRAMES];
  int count = p->timed < MUS_PROGRESS_FRAMES ? p->timed : MUS_PROGRESS_FRAMES;
  if (count == 0)
    return -1;
  memcpy(sorted, p->seconds, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double mus_progress_left(const mus_progress *progress, double done) {
  double each = median(progress), left = progress->last - done;
  return each < 0 ? -1 : each * (left > 0 ? left : 0);
}

// "42 s", "3:07" (minutes) or "2:03:07" (hours); "?" for what is not known.
static void write_duration(char *text, size_t size, double seconds) {
  if (!(seconds >= 0 && seconds < 3.6e8)) {
    snprintf(text, size, "?");
    return;
  }
  long whole = lround(seconds);
  if (whole < 60)
    snprintf(text, size, "%ld s", whole);
  else if (whole < 3600)
    snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
  else
    snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

// --- showing -------------------------------------------------------------------------------------------------------

static int columns_of(const mus_progress *p) {
  struct winsize window;
  if (p->columns > 0)
    return p->columns;
  return ioctl(fileno(p->stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

// "[=======>      ] "; nothing where it does not fit.
static void write_bar(char *text, int cells, double part) {
  text[0] = 0;
  if (cells < 8)
    return;
  int inside = cells - 3, full = (int)(part * inside);
  text[0] = '[';
  for (int i = 0; i < inside; ++i)
    text[1 + i] = i < full ? '=' : i == full ? '>' : ' ';
  memcpy(text + 1 + inside, "] ", 3);
}

// "12 iterations, "; nothing where there are none to tell of.
static void write_iterations(char *text, size_t size, int iterations) {
  text[0] = 0;
  if (iterations >= 0)
    snprintf(text, size, "%d iterations, ", iterations);
}

static void draw(mus_progress *p, double done, int iterations) {
  enum { BAR = 50 };
  char left[32], spent[32], before[160], after[160], bar[BAR + 2], line[400];
  double part = p->last > 0 ? done / p->last : 1;
  part = part < 0 ? 0 : part > 1 ? 1 : part;
  write_duration(left, sizeof left, mus_progress_left(p, done));
  snprintf(before, sizeof before, "%.60s frame %d/%d ", p->title, p->frame, p->last);
  write_iterations(spent, sizeof spent, iterations);
  snprintf(after, sizeof after, "%3d%%, %s%s left", (int)(100 * part), spent, left);
  int columns = columns_of(p), space = columns - 1 - (int)strlen(before) - (int)strlen(after);
  write_bar(bar, space < BAR ? space : BAR, part);
  snprintf(line, sizeof line, "%s%s%s", before, bar, after);
  // A line that is longer than the terminal would wrap, and could not be drawn over.
  fprintf(p->stream, "\r%.*s\033[K", columns > 1 ? columns - 1 : 1, line);
  fflush(p->stream);
  p->on_line = 1;
}

static void print_line(mus_progress *p, double done, int iterations) {
  char left[32], spent[32];
  write_duration(left, sizeof left, mus_progress_left(p, done));
  write_iterations(spent, sizeof spent, iterations);
  fprintf(p->stream, "%s: frame %d of %d, %s%s left\n", p->title, p->frame, p->last, spent, left);
  fflush(p->stream);
}

// The first frame and the last are always shown, the others when they are due. A plain line tells of a new frame.
static int is_due(const mus_progress *p, double now, int new_frame) {
  if (!p->terminal && !new_frame)
    return 0;
  if (!p->shown || (new_frame && p->frame >= p->last))
    return 1;
  return now - p->shown_at >= (p->terminal ? redraw_seconds : line_seconds);
}

void mus_progress_update(mus_progress *progress, double done, int iterations) {
  double now = progress->clock();
  int before = progress->frame;
  note_frames(progress, (int)floor(done), now);
  if (!is_due(progress, now, progress->frame > before))
    return;
  progress->shown = 1;
  progress->shown_at = now;
  if (progress->terminal)
    draw(progress, done, iterations);
  else
    print_line(progress, done, iterations);
}

void mus_progress_clear(mus_progress *progress) {
  if (!progress->on_line)
    return;
  fputs("\r\033[K", progress->stream);
  fflush(progress->stream);
  progress->on_line = 0;
  progress->shown = 0;
}

void mus_progress_end(mus_progress *progress) {
  if (!progress->on_line)
    return;
  fputc('\n', progress->stream);
  fflush(progress->stream);
  progress->on_line = 0;
}
