// When to redo what of a hierarchy: reuse it, renew its finest level, renew its coarse matrices too, redo
// its numbers, or redo everything.
//
// Each kind of set-up is bought once and wears off: iterations grow as the matrix moves away from the one that it was
// made for. For each kind, `debt` adds up what iterations beyond those right after the last such set-up have cost. The
// thoroughest kind is due whose debt, with what the coming solve is expected to add to it, is above its price. Like
// renting skis until the rent has reached their price, this costs at most twice what knowing the future would.
//
// Iterations also change for reasons that no set-up mends: contacts, faster motion. So a set-up that has not brought
// them down is not soon tried again; `reluctance` multiplies its price, doubles when one was in vain and halves when
// one was worth it.
//
// A hierarchy may also turn out to be worn out in the middle of a solve. Patience ends where the iterations beyond
// those expected have cost as much as the next thorougher set-up that is worth a new start, which then is done, and for
// a while from the start: `ban` solves, twice as many every time that this happens.
//
// What is cheap to redo and seldom lasts is tried with care: less than coarse matrices only where solves are short, and
// nothing at all only where renewing the finest level has just been enough.
//
// Costs are counted in products with the fine matrix, not in seconds: the same calls then decide the same on every
// machine, every run and any number of threads.
#ifndef MUS_SOLVE_UPKEEP_H
#define MUS_SOLVE_UPKEEP_H

// From the cheapest to the thoroughest; each includes those before it.
typedef enum mus_upkeep_kind {
  MUS_UPKEEP_NONE,
  MUS_UPKEEP_FINEST,  // mus_hierarchy_renew_finest
  MUS_UPKEEP_COARSE,  // mus_hierarchy_renew
  MUS_UPKEEP_NUMBERS, // mus_hierarchy_refresh
  MUS_UPKEEP_ALL,     // mus_hierarchy_analyse
  MUS_UPKEEP_KINDS
} mus_upkeep_kind;

// What set-ups cost beside iterations.
typedef enum mus_upkeep_machine { MUS_UPKEEP_CPU, MUS_UPKEEP_GPU, MUS_UPKEEP_MACHINES } mus_upkeep_machine;

typedef struct mus_upkeep {
  mus_upkeep_machine machine;
  struct {
    int iterations;            // of the first solve after such a set-up
    double debt;               // products, since then
    double excess, old_excess; // products, of the last solve and the one before it
    double reluctance;         // 1 or more; 0 before the first
    int ban, next_ban;         // solves for which less than this is not tried; how many the next time
  } of[MUS_UPKEEP_KINDS];
} mus_upkeep;

mus_upkeep_kind mus_upkeep_due(const mus_upkeep *upkeep);
// What follows after a set-up of that kind, which is not the thoroughest, once patience has ended.
mus_upkeep_kind mus_upkeep_next(mus_upkeep_kind done);
// So many iterations are worth waiting for after a set-up of that kind, which is not the thoroughest.
int mus_upkeep_patience(const mus_upkeep *upkeep, mus_upkeep_kind done, double iteration_cost);
// That patience has ended.
void mus_upkeep_end_patience(mus_upkeep *upkeep, mus_upkeep_kind done);
// After a solve that patience sufficed for: what was done before it, its iterations, and what one of them costs in
// products.
void mus_upkeep_note(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost);

#endif
