// See chart.h.
#include "chart.h"

#include <math.h>
#include <string.h>

#include "cli/svg.h"

enum { LEFT = 74, RIGHT = 18, ABOVE = 34, BELOW = 52, HEAD = 66, LEGEND_LINE = 22, TICKS = 32 };

// --- axes ------------------------------------------------------------------------------------------------------------

// Numbers as they run along the axis: as they are, or their logarithms.
typedef struct scale {
  const chart_axis *axis;
  double low, high;
  int count;
  double tick[TICKS]; // in the same numbers
} scale;

static double along(const chart_axis *axis, double value) {
  if (!axis->logarithmic)
    return value;
  return value > 0 ? log10(value) : NAN;
}

static void widen(scale *s, double value) {
  double at = along(s->axis, value);
  if (!isfinite(at))
    return;
  s->low = fmin(s->low, at);
  s->high = fmax(s->high, at);
}

// 1, 2 or 5 times a power of ten, so that `range` has at most `most` of them.
static double round_step(double range, int most) {
  double power = pow(10, floor(log10(range / most)));
  for (;; power *= 10)
    for (int k = 0; k < 3; ++k) {
      double step = power * (k == 0 ? 1 : k == 1 ? 2 : 5);
      if (range / step <= most)
        return step;
    }
}

static void add_tick(scale *s, double at) {
  if (at >= s->low - 1e-9 && at <= s->high + 1e-9 && s->count < TICKS)
    s->tick[s->count++] = at;
}

// Decades; 1, 2 and 5 of each where there are few.
static void place_logarithmic(scale *s) {
  double margin = 0.04 * (s->high - s->low);
  s->low -= margin;
  s->high += margin;
  int fine = s->high - s->low < 2;
  for (int decade = (int)floor(s->low); decade <= (int)ceil(s->high); ++decade) {
    add_tick(s, decade);
    if (fine) {
      add_tick(s, decade + log10(2));
      add_tick(s, decade + log10(5));
    }
  }
}

static void place_linear(scale *s) {
  double step = round_step(s->high - s->low, 6);
  s->low = step * floor(s->low / step + 1e-9);
  s->high = step * ceil(s->high / step - 1e-9);
  for (double at = s->low; at <= s->high + 0.5 * step; at += step)
    add_tick(s, fabs(at) < 1e-9 * step ? 0 : at);
}

static scale scale_of(const chart *all, int vertical) {
  scale s = {.axis = vertical ? &all->y : &all->x, .low = INFINITY, .high = -INFINITY};
  widen(&s, s.axis->low);
  widen(&s, s.axis->high);
  for (int p = 0; p < all->count; ++p)
    for (int c = 0; c < all->panels[p].count; ++c) {
      const chart_series *series = &all->panels[p].series[c];
      for (int i = 0; i < series->count; ++i)
        widen(&s, vertical ? series->y[i] : series->x[i]);
    }
  if (!(s.high > s.low)) {
    double middle = isfinite(s.low) ? s.low : 0;
    s.low = middle - 0.5;
    s.high = middle + 0.5;
  }
  if (s.axis->logarithmic)
    place_logarithmic(&s);
  else
    place_linear(&s);
  return s;
}

static void print_tick(const scale *s, double at, char *text, size_t size) {
  double value = s->axis->logarithmic ? pow(10, at) : at;
  switch (s->axis->unit) {
  case CHART_COUNT:
    if (value >= 999999)
      snprintf(text, size, "%.4gM", value * 1e-6);
    else if (value >= 999)
      snprintf(text, size, "%.4gk", value * 1e-3);
    else
      snprintf(text, size, "%.4g", value);
    break;
  case CHART_SECONDS:
    if (value > 0 && value < 0.999e-3)
      snprintf(text, size, "%.4g \xC2\xB5s", value * 1e6);
    else if (value > 0 && value < 0.999)
      snprintf(text, size, "%.4g ms", value * 1e3);
    else
      snprintf(text, size, "%.4g s", value);
    break;
  case CHART_PERCENT:
    snprintf(text, size, "%.4g%%", value);
    break;
  default:
    snprintf(text, size, "%.4g", value);
  }
}

// --- a panel ---------------------------------------------------------------------------------------------------------

typedef struct place {
  const chart *all;
  const scale *x, *y;
  double left, top; // of the drawing, in pixels
} place;

static double pixel_x(const place *p, double value) {
  return p->left + p->all->width * (along(p->x->axis, value) - p->x->low) / (p->x->high - p->x->low);
}

static double pixel_y(const place *p, double value) {
  return p->top + p->all->height * (p->y->high - along(p->y->axis, value)) / (p->y->high - p->y->low);
}

static void draw_axes(const place *p, FILE *file) {
  char text[32];
  const scale *x = p->x, *y = p->y;
  int width = p->all->width, height = p->all->height;
  for (int k = 0; k < y->count; ++k) {
    double at = p->top + height * (y->high - y->tick[k]) / (y->high - y->low);
    fprintf(file, "<path d=\"M%.1f %.1fh%d\" stroke=\"#e4e4e4\"/>\n", p->left, at, width);
    print_tick(y, y->tick[k], text, sizeof text);
    svg_text(file, p->left - 7, at + 4, "text-anchor=\"end\" font-size=\"11\"", text);
  }
  for (int k = 0; k < x->count; ++k) {
    double at = p->left + width * (x->tick[k] - x->low) / (x->high - x->low);
    fprintf(file, "<path d=\"M%.1f %.1fv%d\" stroke=\"#f0f0f0\"/>\n", at, p->top, height);
    print_tick(x, x->tick[k], text, sizeof text);
    svg_text(file, at, p->top + height + 17, "text-anchor=\"middle\" font-size=\"11\"", text);
  }
  fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", p->left,
          p->top, width, height);
  svg_text(file, p->left + 0.5 * width, p->top + height + 36, "text-anchor=\"middle\" fill=\"#555\" font-size=\"12\"",
           x->axis->label);
  fprintf(file, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", p->left - 56, p->top + 0.5 * height);
  svg_text(file, 0, 0, "text-anchor=\"middle\" fill=\"#555\" font-size=\"12\"", y->axis->label);
  fputs("</g>\n", file);
}

static void draw_marker(const chart_series *s, double x, double y, FILE *file) {
  fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.4\"/>\n", x, y,
          s->open ? "#fff" : s->colour, s->colour);
}

static const char *dashes_of(const chart_series *s) { return s->dashed ? " stroke-dasharray=\"6 3\"" : ""; }

static int is_drawn(const place *p, const chart_series *s, int i) {
  return isfinite(along(p->x->axis, s->x[i])) && isfinite(along(p->y->axis, s->y[i]));
}

static void draw_series(const place *p, const chart_series *s, FILE *file) {
  int drawn = 0;
  for (int i = 0; i < s->count; ++i)
    if (is_drawn(p, s, i)) {
      if (!drawn)
        fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s d=\"",
                s->colour, dashes_of(s));
      fprintf(file, "%s%.1f %.1f", drawn++ ? "L" : "M", pixel_x(p, s->x[i]), pixel_y(p, s->y[i]));
    }
  if (drawn)
    fputs("\"/>\n", file);
  for (int i = 0; i < s->count && !s->plain; ++i)
    if (is_drawn(p, s, i))
      draw_marker(s, pixel_x(p, s->x[i]), pixel_y(p, s->y[i]), file);
}

// --- all of it -------------------------------------------------------------------------------------------------------

static int named_before(const chart *all, int panel, int series) {
  const char *name = all->panels[panel].series[series].name;
  for (int p = 0; p <= panel; ++p)
    for (int c = 0; c < (p < panel ? all->panels[p].count : series); ++c) {
      const char *other = all->panels[p].series[c].name;
      if (other && strcmp(other, name) == 0)
        return 1;
    }
  return 0;
}

static int legend_lines(const chart *all) {
  int lines = 0;
  for (int p = 0; p < all->count; ++p)
    for (int c = 0; c < all->panels[p].count; ++c)
      lines += all->panels[p].series[c].name && !named_before(all, p, c);
  for (int k = 0; k < 3 && all->notes[k]; ++k)
    ++lines;
  return lines;
}

static void draw_legend(const chart *all, double x, double y, FILE *file) {
  for (int p = 0; p < all->count; ++p)
    for (int c = 0; c < all->panels[p].count; ++c) {
      const chart_series *s = &all->panels[p].series[c];
      if (!s->name || named_before(all, p, c))
        continue;
      fprintf(file, "<path d=\"M%.1f %.1fh28\" stroke=\"%s\" stroke-width=\"2.2\"%s/>\n", x, y - 4, s->colour,
              dashes_of(s));
      if (!s->plain)
        draw_marker(s, x + 14, y - 4, file);
      svg_text(file, x + 38, y, "", s->name);
      y += LEGEND_LINE;
    }
  for (int k = 0; k < 3 && all->notes[k]; ++k, y += LEGEND_LINE)
    svg_text(file, x, y, "font-size=\"11\" fill=\"#555\"", all->notes[k]);
}

// The legend stands in the place of the panel after the last, or below all where every place is taken.
void chart_svg(const chart *all, FILE *file) {
  scale x = scale_of(all, 0), y = scale_of(all, 1);
  int cell_width = LEFT + all->width + RIGHT, cell_height = ABOVE + all->height + BELOW;
  int rows = (all->count + all->columns - 1) / all->columns, full = all->count % all->columns == 0;
  int legend = legend_lines(all) * LEGEND_LINE + 10;
  int last = full ? rows : rows - 1, at = full ? 0 : all->count % all->columns;
  int below = full ? legend : legend + ABOVE - cell_height;
  svg_begin(file, all->columns * cell_width + 10, HEAD + rows * cell_height + (below > 0 ? below : 0));
  svg_text(file, 18, 30, "font-size=\"18\" font-weight=\"600\"", all->title);
  svg_text(file, 18, 51, "fill=\"#555\" font-size=\"12\"", all->subtitle);
  for (int k = 0; k < all->count; ++k) {
    place p = {all, &x, &y, k % all->columns * cell_width + LEFT, HEAD + k / all->columns * cell_height + ABOVE};
    svg_text(file, p.left, p.top - 9, "font-weight=\"600\"", all->panels[k].title);
    draw_axes(&p, file);
    for (int c = all->panels[k].count - 1; c >= 0; --c) // the first one on top
      draw_series(&p, &all->panels[k].series[c], file);
  }
  draw_legend(all, at * cell_width + LEFT, HEAD + last * cell_height + (full ? 10 : ABOVE + 12), file);
  svg_end(file);
}
