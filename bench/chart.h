// Charts for figures: panels with the same axes side by side, and one legend, as SVG.
#ifndef BENCH_CHART_H
#define BENCH_CHART_H

#include <stdio.h>

// How numbers along an axis are written.
typedef enum chart_unit {
  CHART_NUMBER,  // 0.25
  CHART_COUNT,   // 25k
  CHART_SECONDS, // 25 ms
  CHART_PERCENT  // 25%, of numbers like 25
} chart_unit;

typedef struct chart_axis {
  const char *label;
  chart_unit unit;
  int logarithmic;  // then numbers that are not positive are not drawn
  double low, high; // what must be seen at least; the axis grows with the data
} chart_axis;

typedef struct chart_series {
  const char *name; // in the legend, once for all panels; NULL for none
  const char *colour;
  int dashed, open, plain; // open: with markers that are not filled; plain: without
  int count;
  const double *x, *y; // what is not finite is passed over
} chart_series;

typedef struct chart_panel {
  const char *title;
  int count;
  const chart_series *series;
} chart_panel;

typedef struct chart {
  const char *title, *subtitle;
  const char *notes[3]; // below the legend's names; NULL for none
  chart_axis x, y;
  int columns, count, width, height; // columns of panels, panels; of a panel's drawing, in pixels
  const chart_panel *panels;
} chart;

void chart_svg(const chart *all, FILE *file);

#endif
