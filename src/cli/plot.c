// Residual curves as SVG and as text. See plot.h.
#include "plot.h"

#include <math.h>
#include <string.h>

#include "svg.h"

// --- axes ---------------------------------------------------------------------------------------------------------

// Maps iterations and residuals to 0 ... 1.
typedef struct axes {
  int iterations; // at the right end
  int logarithmic;
  int top, bottom; // decades of the residual
} axes;

enum { DECADES_MAXIMUM = 24 };

// log10 of a relative residual, or NAN where there is nothing to show (an exact zero, a failed norm).
static double decade(const plot_curve *curve, int i) {
  double relative = curve->residual[i] / curve->reference;
  return relative > 0 && isfinite(relative) ? log10(relative) : NAN;
}

static axes axes_of(const residual_plot *plot) {
  double high = 0, low = 0, tolerance = log10(plot->tolerance);
  int most = 1, fewest = 0; // of those that iterate at all
  for (int c = 0; c < plot->count; ++c) {
    const plot_curve *curve = &plot->curves[c];
    int iterations = curve->count - 1;
    most = iterations > most ? iterations : most;
    if (iterations > 1 && (fewest == 0 || iterations < fewest))
      fewest = iterations;
    for (int i = 0; i < curve->count; ++i) {
      double d = decade(curve, i);
      high = d > high ? d : high;
      low = d < low ? d : low;
    }
  }
  if (tolerance < low && tolerance > low - 4) // one that is far below would only push the curves together
    low = tolerance;
  axes a = {.iterations = most, .logarithmic = most > 20 && most > 6 * fewest};
  a.top = (int)ceil(high - 0.01);
  a.bottom = (int)floor(low + 0.01);
  if (a.bottom >= a.top)
    a.bottom = a.top - 1;
  if (a.top - a.bottom > DECADES_MAXIMUM)
    a.bottom = a.top - DECADES_MAXIMUM;
  return a;
}

static double across(const axes *a, double iteration) {
  return a->logarithmic ? log1p(iteration) / log1p(a->iterations) : iteration / a->iterations;
}

// Downwards from the top.
static double down(const axes *a, double decade_of) {
  double part = (a->top - decade_of) / (a->top - a->bottom);
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static int is_shown(const axes *a, double decade_of) { return decade_of >= a->bottom && decade_of <= a->top; }

// 1, 2, 5, 10, 20, 50, ...
static int next_round(int value) {
  int power = 1;
  while (value >= 10 * power)
    power *= 10;
  int lead = value / power;
  return lead < 2 ? 2 * power : lead < 5 ? 5 * power : 10 * power;
}

// The tick after `tick` on the iteration axis, at least `apart` of the axis further; -1 after the last.
static int next_tick(const axes *a, int tick, double apart) {
  if (a->logarithmic) {
    int next = tick == 0 ? 1 : tick;
    while (across(a, next) - across(a, tick) < apart)
      next = next_round(next);
    return next <= a->iterations ? next : -1;
  }
  int step = 1;
  while (across(a, step) < apart)
    step = next_round(step);
  return tick + step <= a->iterations ? tick + step : -1;
}

// --- SVG ----------------------------------------------------------------------------------------------------------

enum { WIDTH = 860, HEIGHT = 480, LEFT = 84, TOP = 70, PLOT_WIDTH = 560, PLOT_HEIGHT = 340 };

static double svg_x(const axes *a, double iteration) { return LEFT + PLOT_WIDTH * across(a, iteration); }
static double svg_y(const axes *a, double decade_of) { return TOP + PLOT_HEIGHT * down(a, decade_of); }

static void svg_residual_axis(const axes *a, FILE *file) {
  int step = (a->top - a->bottom + 11) / 12;
  for (int d = a->top; d >= a->bottom; d -= step) {
    double y = svg_y(a, d);
    fprintf(file, "<path d=\"M%d %.1fh%d\" stroke=\"#e4e4e4\"/>\n", LEFT, y, PLOT_WIDTH);
    if (d == 0)
      svg_text(file, LEFT - 10, y + 4, "text-anchor=\"end\"", "1");
    else
      fprintf(file,
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"10\">%s%d</tspan></text>\n",
              LEFT - 10, y + 4, d < 0 ? "\xE2\x88\x92" : "", d < 0 ? -d : d);
  }
}

static void svg_iteration_axis(const axes *a, FILE *file) {
  for (int tick = 0; tick >= 0; tick = next_tick(a, tick, 0.07)) {
    double x = svg_x(a, tick);
    char label[16];
    snprintf(label, sizeof label, "%d", tick);
    fprintf(file, "<path d=\"M%.1f %dv%d\" stroke=\"#f0f0f0\"/>\n", x, TOP, PLOT_HEIGHT);
    svg_text(file, x, TOP + PLOT_HEIGHT + 20, "text-anchor=\"middle\"", label);
  }
}

static void svg_axes(const residual_plot *plot, const axes *a, FILE *file) {
  svg_residual_axis(a, file);
  svg_iteration_axis(a, file);
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP,
          PLOT_WIDTH, PLOT_HEIGHT);
  svg_text(file, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 46, "text-anchor=\"middle\"",
           a->logarithmic ? "iteration (logarithmic)" : "iteration");
  fprintf(file, "<text transform=\"translate(26 %.1f) rotate(-90)\" text-anchor=\"middle\">relative residual</text>\n",
          TOP + PLOT_HEIGHT / 2.0);
  if (is_shown(a, log10(plot->tolerance)))
    fprintf(file, "<path d=\"M%d %.1fh%d\" stroke=\"#666\" stroke-dasharray=\"5 4\"/>\n", LEFT,
            svg_y(a, log10(plot->tolerance)), PLOT_WIDTH);
}

// Points closer than a third of a pixel to the last one add bytes, but nothing to see.
static void svg_curve(const plot_curve *curve, const axes *a, const char *colour, FILE *file) {
  double last_x = -1e9, last_y = -1e9;
  int drawn = 0;
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"", colour);
  for (int i = 0; i < curve->count; ++i) {
    double d = decade(curve, i), x = svg_x(a, i), y = svg_y(a, d);
    if (isnan(d) || (i + 1 < curve->count && fabs(x - last_x) + fabs(y - last_y) < 0.33))
      continue;
    fprintf(file, "%s%.1f %.1f", drawn++ ? "L" : "M", x, y);
    last_x = x;
    last_y = y;
  }
  fputs(drawn ? "\"/>\n" : "M0 0\"/>\n", file);
  for (int i = 0; i < curve->count; ++i)
    if (!isnan(decade(curve, i)) && (curve->count <= 40 || i + 1 == curve->count))
      fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>\n", svg_x(a, i), svg_y(a, decade(curve, i)),
              i + 1 == curve->count ? "4" : "2.5", colour);
}

static void svg_legend(const plot_curve *curve, int place, const char *colour, FILE *file) {
  double x = LEFT + PLOT_WIDTH + 22, y = TOP + 12 + 42 * place;
  char attributes[64];
  fprintf(file, "<path d=\"M%.1f %.1fh22\" stroke=\"%s\" stroke-width=\"3\"/>\n", x, y - 4, colour);
  snprintf(attributes, sizeof attributes, "font-weight=\"600\" fill=\"%s\"", colour);
  svg_text(file, x + 30, y, attributes, curve->name);
  svg_text(file, x + 30, y + 16, "font-size=\"11\" fill=\"#555\"", curve->note);
}

void plot_svg(const residual_plot *plot, FILE *file) {
  axes a = axes_of(plot);
  svg_begin(file, WIDTH, HEIGHT);
  svg_text(file, LEFT, 32, "font-size=\"18\" font-weight=\"600\"", plot->title);
  svg_text(file, LEFT, 53, "fill=\"#555\"", plot->subtitle);
  svg_axes(plot, &a, file);
  for (int c = plot->count - 1; c >= 0; --c) // the first one on top
    svg_curve(&plot->curves[c], &a, svg_colour(c), file);
  for (int c = 0; c < plot->count; ++c)
    svg_legend(&plot->curves[c], c, svg_colour(c), file);
  svg_end(file);
}

// --- text ---------------------------------------------------------------------------------------------------------

enum { COLUMNS = 66, LINES_WANTED = 14, LINES_MAXIMUM = DECADES_MAXIMUM + 1 };
static const char marks[] = "*ox+#@%&";

typedef struct canvas {
  int lines_a_decade, lines;
  char cell[LINES_MAXIMUM][COLUMNS + 1];
} canvas;

static int line_of(const canvas *picture, const axes *a, double decade_of) {
  return (int)lround((picture->lines - 1) * down(a, decade_of));
}

static int column_of(const axes *a, int iteration) { return (int)lround((COLUMNS - 1) * across(a, iteration)); }

static void clear_canvas(canvas *picture, const axes *a, double tolerance) {
  int decades = a->top - a->bottom;
  picture->lines_a_decade = decades < LINES_WANTED ? LINES_WANTED / decades : 1;
  picture->lines = decades * picture->lines_a_decade + 1;
  int dotted = is_shown(a, log10(tolerance)) ? line_of(picture, a, log10(tolerance)) : -1;
  for (int line = 0; line < picture->lines; ++line) {
    memset(picture->cell[line], line == dotted ? '.' : ' ', COLUMNS);
    picture->cell[line][COLUMNS] = 0;
  }
}

static void draw_curve(const plot_curve *curve, const axes *a, char mark, canvas *picture) {
  for (int i = 0; i < curve->count; ++i) {
    double d = decade(curve, i);
    if (!isnan(d))
      picture->cell[line_of(picture, a, d)][column_of(a, i)] = mark;
  }
}

static void print_iteration_axis(const axes *a, FILE *file) {
  char labels[COLUMNS + 16];
  memset(labels, ' ', sizeof labels);
  int end = 0;
  for (int tick = 0; tick >= 0; tick = next_tick(a, tick, 0.12)) {
    char label[16];
    int length = snprintf(label, sizeof label, "%d", tick);
    memcpy(labels + column_of(a, tick), label, (size_t)length);
    end = column_of(a, tick) + length;
  }
  fprintf(file, "       +");
  for (int i = 0; i < COLUMNS; ++i)
    fputc('-', file);
  fprintf(file, "\n        %.*s  iterations\n", end, labels);
}

void plot_text(const residual_plot *plot, FILE *file) {
  axes a = axes_of(plot);
  canvas picture;
  clear_canvas(&picture, &a, plot->tolerance);
  for (int c = plot->count - 1; c >= 0; --c)
    draw_curve(&plot->curves[c], &a, marks[c % (int)strlen(marks)], &picture);
  fprintf(file, "relative residual:");
  for (int c = 0; c < plot->count; ++c)
    fprintf(file, "  %c %s", marks[c % (int)strlen(marks)], plot->curves[c].name);
  fputs(is_shown(&a, log10(plot->tolerance)) ? "  . tolerance\n" : "\n", file);
  for (int line = 0; line < picture.lines; ++line) {
    char label[16] = "";
    if (line % picture.lines_a_decade == 0)
      snprintf(label, sizeof label, "1e%+03d", a.top - line / picture.lines_a_decade);
    fprintf(file, "%6s |%s\n", label, picture.cell[line]);
  }
  print_iteration_axis(&a, file);
}
