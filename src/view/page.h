// The page that web/ makes, as one HTML file in the program.
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <stddef.h>

const char *view_page(size_t *size);

#endif
