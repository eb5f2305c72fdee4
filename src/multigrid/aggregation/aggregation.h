// Smoothed aggregation (Tamstorf, Jones and McCormick 2015, sections 5 and 6) as a coarsening for
// multigrid/hierarchy.h.
//
// A level is made coarser in the steps of the paper's algorithm 3, one file each:
//   strength.c    which nodes are strongly connected, which are special
//   aggregates.c  the two passes that group nodes
//   tentative.c   local QR of the near-null space: tentative prolongator and coarse kernel
//   aggregation.c joins them: smooths the kernel, then the prolongator
#ifndef MUS_MULTIGRID_AGGREGATION_H
#define MUS_MULTIGRID_AGGREGATION_H

#include "base/bytes.h"
#include "multigrid/aggregation/aggregates.h"
#include "multigrid/hierarchy.h"

typedef struct mus_aggregation mus_aggregation;

// The second is for aggregations whose groups are given.
extern const mus_coarsening mus_smoothed_aggregation, mus_plain_aggregation;

// Another way of grouping nodes than by the strength of their connections (multigrid/skinning, for instance). `self` is
// its own state. It is asked from the finest level on, level by level.
typedef struct mus_grouping {
  void *self;
  // Aggregates of all the level's nodes; none where it can't be made coarser.
  mus_status (*group)(void *self, const mus_level_view *fine, mus_arena *arena, mus_aggregates *out);
} mus_grouping;

// Without a grouping (NULL) the one of the paper. It is copied; its state must outlive the aggregation. Prolongators of
// groups that are given are not smoothed, nor is the kernel, whatever the options say.
mus_status mus_aggregation_create(const mus_sa_options *options, const mus_grouping *grouping, mus_aggregation **out);
// Filtered prolongators are smoothed along all connections above this strength, while those above the strength of the
// options make aggregates, from the next analysis on.
void mus_aggregation_smooth_along(mus_aggregation *aggregation, double strength);
void mus_aggregation_free(mus_aggregation *aggregation); // NULL is fine
size_t mus_aggregation_bytes(const mus_aggregation *aggregation);

// The near-null space of the finest level: `count` vectors of rows * block numbers, one after the other; copied.
// Vectors that constraints forbid are to be filtered by the caller beforehand.
mus_status mus_aggregation_set_kernel(mus_aggregation *aggregation, int rows, int block, int count,
                                      const double *vectors);
// Gives back what that takes. Before the next set-up of prolongators it has to be set again.
void mus_aggregation_drop_kernel(mus_aggregation *aggregation);

// How nodes are grouped on all levels, as bytes, and an aggregation whose next analysis groups them so again:
// prolongators then have the same patterns. MUS_BAD_INPUT, with nothing changed, for bytes that are not of an
// aggregation.
mus_status mus_aggregation_remember(const mus_aggregation *aggregation, mus_list *bytes);
mus_status mus_aggregation_recall(mus_aggregation *aggregation, mus_bytes *from);
// Nodes are grouped by their matrices again, from the next analysis on.
void mus_aggregation_forget(mus_aggregation *aggregation);

// How the prolongator of a level is made from the near-null space, for those who make it elsewhere. Valid until the
// next analysis.
typedef struct mus_aggregation_parts {
  const mus_aggregates *aggregates;
  const mus_pattern *part; // of A: what smooths the prolongator; NULL: nothing does
  const int *part_source;  // a block of `part` -> its block of A
  int is_filtered;         // what `part` leaves out between aggregates moves with the node's own
} mus_aggregation_parts;
mus_aggregation_parts mus_aggregation_look(const mus_aggregation *aggregation, int level);

// For tests and reports: the aggregate of each node of a level, -1 for special nodes. NULL past the last level.
const int *mus_aggregation_of(const mus_aggregation *aggregation, int level, int *nodes, int *aggregates);

#endif
