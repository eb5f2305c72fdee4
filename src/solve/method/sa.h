// The state of methods whose hierarchies are made by aggregation: of smoothed aggregation, and of skinning, whose
// groups are handles and whose near-null space is the affine motions. Private to them: sa.c runs them, sa_hierarchy.c
// sets the hierarchy up.
#ifndef MUS_SOLVE_METHOD_SA_H
#define MUS_SOLVE_METHOD_SA_H

#include "base/bytes.h"
#include "cuda/device.h"
#include "multigrid/aggregation/aggregation.h"
#include "multigrid/hierarchy.h"
#include "multigrid/skinning/handles.h"
#include "solve/coupled.h"
#include "solve/upkeep.h"

// How much of the hierarchy has to be redone before it may be used.
typedef enum mus_sa_stale { MUS_SA_FRESH, MUS_SA_STALE_NUMBERS, MUS_SA_STALE_ALL } mus_sa_stale;

// The hierarchy on a GPU. Aggregates and patterns are made on the host; all numbers are made there.
typedef struct mus_sa_device {
  const mus_stages *stages;
  mus_device *device;        // NULL: the CPU is used
  mus_device_solver *solver; // NULL: not made yet
  mus_device_facts facts;
  char failure[MUS_STAGES_TEXT]; // why MUS_DEVICE_AUTO uses none; "": nothing has failed
  int is_ahead;                  // the GPU's hierarchy has been renewed since the host's was
  int has_values;                // its matrix is the present one, as it is filtered
  int has_prolongators;          // that suit what is held now
  int has_spectrum, has_kernel, has_held, has_couplings, has_equalities; // as they are now
} mus_sa_device;

typedef struct mus_sa {
  const mus_solver_options *options;
  mus_system *system;
  mus_arena arena;
  mus_handles *handles; // of skinning; NULL: another
  int is_geometric;     // 1: levels are the system's nested ones, and there is no aggregation
  mus_aggregation *aggregation;
  mus_hierarchy *hierarchy;
  mus_sa_stale stale;
  int held_changed; // which directions are held, since the hierarchy was last set up
  mus_upkeep upkeep;
  int has_positions;                                  // when they were last looked at
  int has_looked, fills_space;                        // whether positions have been looked at, and are those of a solid
  double iteration_cost;                              // of the last solve, in products
  int is_hard;                                        // solves take many iterations
  int analysed_count, *analysed_node, *analysed_rank; // directions that were held when aggregates were made
  int has_released;                                   // some of those once came free: made without constraints since
  mus_coupled coupled;                                // around the hierarchy where there are couplings
  int rested;   // the numbers of prolongators are to be made anew, and of the rest, only what sa_memory.c lists counts
  int renewals; // of kept prolongators, by corrections; 0 where numbers are to be made anew
  mus_sa_device gpu;
  int deep_couplings; // they are taken into the coarse levels, and not smoothed over around the cycle
  int depth_change;   // of that, since the last solve: 1, 0 or -1
} mus_sa;

// Whether set-ups keep parts of the hierarchy as long as these pay.
static inline int mus_sa_is_kept(const mus_sa *sa) {
  return sa->options->setup == MUS_SETUP_COARSE || sa->options->setup == MUS_SETUP_AUTO;
}

// Settings of the hierarchy as it is now, or will be when it is made.
mus_sa_options mus_sa_settings(const mus_sa *sa);
mus_multigrid_options mus_sa_multigrid_settings(const mus_sa *sa);
// Whether the near-null space is the rigid motions.
int mus_sa_has_rotations(const mus_sa *sa);
// Makes the aggregation where there is none.
mus_status mus_sa_create_aggregation(mus_sa *sa);
// MUS_MOTIONS_AUTO: sees whether nodes fill space, as those of solids do, the first time that positions are known.
void mus_sa_look(mus_sa *sa);
// Whether a direction is free now that was held when aggregates were made: coarser levels may not see its node. More
// held directions do no harm, for prolongators are computed anew and leave them alone.
int mus_sa_releases(const mus_sa *sa);
// What has to be done so that the hierarchy may precondition the matrix as it is now, and doing it.
mus_upkeep_kind mus_sa_upkeep_due(const mus_sa *sa);
// The GPU that the options ask for: MUS_DEVICE_AUTO asks for none where there is none.
mus_status mus_sa_open_device(mus_sa *sa);
void mus_sa_close_device(mus_sa *sa);
// Its hierarchy is of other aggregates than the host's from now on.
void mus_sa_forget_device_solver(mus_sa *sa);
mus_status mus_sa_check_device(void);
mus_status mus_sa_fetch(void *self, const mus_device_system *system, const double *from, size_t count, double *to);
void mus_sa_device_changed(mus_sa *sa, unsigned what);
// What has to be done there for a solve to that tolerance, where `due` is what the host would do.
mus_upkeep_kind mus_sa_device_upkeep(const mus_sa *sa, mus_upkeep_kind due, double tolerance);
// What keeps a solve from running there; NULL: nothing.
const char *mus_sa_device_obstacle(const mus_sa *sa, const mus_run *run);
// Sets up there, or on the host what has to be, and iterates. With MUS_DEVICE_AUTO, a failure of the device's closes
// it, and has to be followed by a solve on the host.
mus_status mus_sa_device_run(mus_sa *sa, mus_upkeep_kind kind, mus_run *run, const mus_cg_options *limits);
// Equalities across nodes: whether there are few enough for a GPU, and what it has to know of them, also for each
// matrix.
int mus_sa_equalities_fit(const mus_sa *sa);
mus_status mus_sa_give_equalities(mus_sa *sa, mus_stage_failure *failure);
mus_status mus_sa_weigh_equalities(mus_sa *sa, mus_stage_failure *failure);
mus_status mus_sa_measure_device(void *self, int repeat, mus_device_speeds *speeds);
// See mus_method_kind.
mus_status mus_sa_remember(void *self, mus_list *bytes);
mus_status mus_sa_recall(void *self, mus_bytes *from);
mus_status mus_sa_set_up(mus_sa *sa, mus_upkeep_kind kind);

#endif
