// What a smoother sees of a level and what it does there, in one precision; as text for base/both_precisions.h.

// The equations of a level: (a + beyond) x = b.
typedef struct TYPE(mus_level_system) {
  TYPE(mus_matrix) a;                   // no values where `symmetric` has them and the smoother does not read rows
  const TYPE(mus_beyond) *beyond;       // what is added to a beyond its pattern; NULL: nothing
  const TYPE(mus_symmetric) *symmetric; // a once more, for products; NULL: none
  const int *diagonal;                  // place of each row's diagonal block in a
  const REAL *inverse_diagonal;         // of D, the block diagonal of a and beyond together
  TYPE(mus_clusters) *clusters;         // of nodes that are smoothed as one, with G in the place of D; NULL: none
  const unsigned char *active;          // for each row, whether it is smoothed; NULL: all are
  double radius;                        // an upper bound of the spectral radius of D^-1 (a + beyond); 0: not asked for
} TYPE(mus_level_system);

static inline TYPE(mus_block_operator) NAME(mus_level_operator)(const TYPE(mus_level_system) *level) {
  return (TYPE(mus_block_operator)){.a = &level->a,
                                    .beyond = level->beyond,
                                    .symmetric = level->symmetric,
                                    .active = level->active,
                                    .clusters = level->clusters};
}

typedef struct TYPE(mus_smoother_calls) {
  // Allocates a level's state from `arena`, with whatever follows from the pattern alone: a colouring, for instance.
  // *state stays NULL for smoothers without state.
  mus_status (*create)(const mus_multigrid_options *options, const TYPE(mus_level_system) *level, mus_arena *arena,
                       void **state);
  // All numbers are new. May be NULL.
  mus_status (*set_up)(void *state, const TYPE(mus_level_system) *level);
  // The numbers have changed a little, the prolongators not at all; the radius has been followed, not computed. May be
  // NULL, or the same as set_up.
  mus_status (*renew)(void *state, const TYPE(mus_level_system) *level);
  // One sweep from x = 0, which is not read. `other` is scratch of the same size. The two may trade places, so the
  // caller's pointers are updated.
  void (*pre)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other);
  // One sweep from the x that is given.
  void (*post)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x, REAL **other);
  // Adds the smoother's numbers to the level's report, by mus_level_note(). May be NULL.
  void (*report)(const void *state, mus_level_report *report);
  // As pre, with the residual b - A x in *other afterwards, which costs no pass of its own: passes() counts it as the
  // residual's. NULL: the cycle computes it.
  void (*pre_with_residual)(const void *state, const TYPE(mus_level_system) *level, const REAL *b, REAL **x,
                            REAL **other);
} TYPE(mus_smoother_calls);
