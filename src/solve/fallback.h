// What takes over where a solve stagnates: a hierarchy with more to it, then a direct solve where one fits.
//
// The method that was asked for has as many iterations as would pay for what comes after it, and some to spare. By how
// far it has come then, the cheaper one is chosen: the settings of the preset robust, from the iterate that was
// reached, or a factor. Systems of a simulation are alike, so that solves to come begin with what was needed: a few of
// them, and twice as many every time that this turns out to be needed again.
//
// Costs are counted in products with the matrix, as everywhere (upkeep.h), so that all of it is the same on every
// machine and for any number of threads.
#ifndef MUS_SOLVE_FALLBACK_H
#define MUS_SOLVE_FALLBACK_H

#include "solve/method.h"

typedef struct mus_fallback {
  const mus_solver_options *options; // of the solver
  mus_system *system;                // NULL: nothing takes over
  mus_solver_options robust_options;
  mus_linear_method robust, direct; // made when they are first needed
  int begin;                        // what solves begin with while ban > 0: a mus_fall_back
  int ban, next_ban;
  int count; // solves in which something has taken over
} mus_fallback;

// For a solver's method on a system, both of which it does not own. Does nothing for methods, or options, that do
// without.
void mus_fallback_begin(mus_fallback *f, const mus_solver_options *options, const mus_method_kind *kind,
                        mus_system *system);
void mus_fallback_end(mus_fallback *f);
void mus_fallback_changed(mus_fallback *f, unsigned what);
size_t mus_fallback_bytes(const mus_fallback *f);
// mus_linear_method_solve() with what may take over.
mus_status mus_fallback_solve(mus_fallback *f, mus_linear_method *own, mus_run *run, const mus_cg_options *limits);
// Of whichever ran last, by the record.
void mus_fallback_report(const mus_fallback *f, const mus_linear_method *own, mus_solve_record *record);
mus_status mus_fallback_remember(mus_fallback *f, mus_list *bytes);
mus_status mus_fallback_recall(mus_fallback *f, mus_bytes *from);

#endif
