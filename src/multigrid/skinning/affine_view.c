// See affine.h.
#include "multigrid/skinning/affine_state.h"

void mus_affine_look(const mus_affine *levels, int level, mus_affine_view *out) {
  const mus_affine_level *l = &levels->level[level];
  const mus_affine_blocks *b = &levels->blocks[level];
  *out = (mus_affine_view){.nodes = l->nodes,
                           .width = l->width,
                           .links = &l->links,
                           .colours = l->colours,
                           .colour_start = l->start,
                           .owner = l->owner,
                           .child_start = l->child_start,
                           .child = l->child,
                           .transfer = l->transfer,
                           .value = l->value,
                           .diagonal = l->diagonal,
                           .block_count = b->count,
                           .block_node = b->node,
                           .block = b->value};
  if (!l->smoother)
    return;
  out->sweeps = l->smoother->pass ? 0 : l->options.smoother_order;
  while (!out->sweeps && out->passes < MUS_AFFINE_PASSES &&
         l->smoother->pass(&l->options, l->radius, out->passes, &out->alpha[out->passes], &out->beta[out->passes]))
    ++out->passes;
}

const int *mus_affine_places(const mus_affine *levels) { return levels->place; }

const int *mus_affine_sources(const mus_affine *levels) { return levels->source; }
