// Creatures: figures to drop, squeeze and hang cloth on. Both stand on y = 0 and face +z.
#ifndef MUS_FILL_CREATURES_H
#define MUS_FILL_CREATURES_H

#include "fill/figure.h"

// Eight arms that curl at their tips, with webs between them, under a mantle with two eyes. About 1.2 m wide.
void mus_figure_make_octopus(mus_figure *figure);
// Four legs, two wings, a long neck, horns, a crest and a tail. About 1.6 m long.
void mus_figure_make_dragon(mus_figure *figure);

#endif
