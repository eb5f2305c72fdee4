// What pictures in SVG share: their frame, text and colours.
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

void svg_begin(FILE *file, int width, int height);
void svg_end(FILE *file);

// Text at a place, with attributes such as "font-weight=\"600\""; what is special in XML is escaped.
void svg_text(FILE *file, double x, double y, const char *attributes, const char *text);

// Eight colours, which come again after the last.
const char *svg_colour(int index);

#endif
