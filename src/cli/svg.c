// See svg.h.
#include "svg.h"

// Told apart by colour-blind readers too (Okabe and Ito 2008).
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#8c6d31"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

const char *svg_colour(int index) { return colours[index % COLOURS]; }

void svg_begin(FILE *file, int width, int height) {
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
          "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
          width, height, width, height, width, height);
}

void svg_end(FILE *file) { fputs("</svg>\n", file); }

static void print_escaped(const char *text, FILE *file) {
  for (; *text; ++text)
    switch (*text) {
    case '<':
      fputs("&lt;", file);
      break;
    case '&':
      fputs("&amp;", file);
      break;
    default:
      fputc((unsigned char)*text < 32 ? ' ' : *text, file);
    }
}

void svg_text(FILE *file, double x, double y, const char *attributes, const char *text) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  print_escaped(text, file);
  fputs("</text>\n", file);
}
