// Residual curves, as an SVG picture and as text for the terminal.
//
// Residuals are relative to what the solver compared them with, on a logarithmic axis; iterations are on a linear axis,
// or on a logarithmic one, log(1 + i), when the solvers' counts differ by much.
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdio.h>

typedef struct plot_curve {
  const char *name;
  const char *note; // a few words for the legend
  int count;
  const double *residual; // count norms, from the initial guess on
  double reference;       // what they are relative to
} plot_curve;

typedef struct residual_plot {
  const char *title, *subtitle;
  double tolerance;
  int count;
  const plot_curve *curves;
} residual_plot;

void plot_svg(const residual_plot *plot, FILE *file);
void plot_text(const residual_plot *plot, FILE *file);

#endif
