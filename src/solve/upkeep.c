// When a hierarchy is set up how thoroughly. See upkeep.h.
#include "solve/upkeep.h"

#include <limits.h>
#include <math.h>

// Prices in products with the fine matrix, as measured on sheets of 10,201 and 40,401 vertices with six near-null
// vectors: 4, 15, 75 and 110. On an H200, with 120,409 and 1,002,001 vertices: 4, 22 and 33, where an iteration counts
// as many products as on a CPU; aggregates are the host's. Renewing coarse matrices, and numbers, saves the lesser
// set-up that would be done instead.
static const double prices[MUS_UPKEEP_MACHINES][MUS_UPKEEP_KINDS] = {
    [MUS_UPKEEP_CPU] = {0, 4, 11, 60, 250}, [MUS_UPKEEP_GPU] = {0, 4, 18, 11, 5000}};
static const double most_reluctant = 64;
// Times the price of coarse matrices.
static const double long_solve = 6;
// What is cheap is done for longer before less is tried again.
static const int first_ban[MUS_UPKEEP_KINDS] = {0, 8, 2, 2, 2};
enum { LONGEST_BAN = 256 };

static double price_now(const mus_upkeep *upkeep, int kind) {
  return prices[upkeep->machine][kind] * fmax(upkeep->of[kind].reluctance, 1);
}

mus_upkeep_kind mus_upkeep_due(const mus_upkeep *upkeep) {
  for (int k = MUS_UPKEEP_ALL; k > MUS_UPKEEP_NONE; --k) {
    double coming = fmax(2 * upkeep->of[k].excess - upkeep->of[k].old_excess, 0);
    if (upkeep->of[k].ban > 0 || upkeep->of[k].debt + coming > price_now(upkeep, k))
      return (mus_upkeep_kind)k;
  }
  return MUS_UPKEEP_NONE;
}

mus_upkeep_kind mus_upkeep_next(mus_upkeep_kind done) {
  return done < MUS_UPKEEP_COARSE ? MUS_UPKEEP_COARSE : (mus_upkeep_kind)(done + 1);
}

int mus_upkeep_patience(const mus_upkeep *upkeep, mus_upkeep_kind done, double iteration_cost) {
  mus_upkeep_kind next = mus_upkeep_next(done);
  if (!(iteration_cost > 0)) // there has been no solve yet
    return INT_MAX;
  return upkeep->of[next].iterations + 1 + (int)ceil(price_now(upkeep, (int)next) / iteration_cost);
}

static int at_most(int a, int b) { return a < b ? a : b; }

static void ban_less_than(mus_upkeep *upkeep, int kind) {
  int *next = &upkeep->of[kind].next_ban;
  *next = *next == 0 ? first_ban[kind] : at_most(2 * *next, LONGEST_BAN);
  upkeep->of[kind].ban = *next;
}

void mus_upkeep_end_patience(mus_upkeep *upkeep, mus_upkeep_kind done) {
  for (int k = (int)done + 1; k <= (int)mus_upkeep_next(done); ++k)
    ban_less_than(upkeep, k);
}

// Whether the set-up has taken away half of what the last solve before it had too much.
static void learn(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost) {
  double before = upkeep->of[done].excess, now = (iterations - upkeep->of[done].iterations) * iteration_cost;
  double *reluctance = &upkeep->of[done].reluctance;
  if (upkeep->of[done].iterations == 0 || before <= 0)
    return;
  *reluctance = fmax(now > before / 2 ? 2 * fmax(*reluctance, 1) : *reluctance / 2, 1);
  *reluctance = fmin(*reluctance, most_reluctant);
}

// A kind that was done, by itself or as part of a thorougher one. What is banned beside it waits for its turn.
static void begin_anew(mus_upkeep *upkeep, int kind, int by_itself, int iterations) {
  upkeep->of[kind].iterations = iterations;
  upkeep->of[kind].debt = upkeep->of[kind].excess = upkeep->of[kind].old_excess = 0;
  if (upkeep->of[kind].ban > 0 && by_itself)
    --upkeep->of[kind].ban;
}

// A kind that was not.
static void go_on(mus_upkeep *upkeep, int kind, int iterations, double iteration_cost) {
  double excess = (iterations - upkeep->of[kind].iterations) * iteration_cost, now = price_now(upkeep, kind);
  upkeep->of[kind].old_excess = upkeep->of[kind].excess;
  upkeep->of[kind].excess = excess;
  upkeep->of[kind].debt = fmax(upkeep->of[kind].debt + excess, 0);
  if (excess > now) // it would have been cheaper
    ban_less_than(upkeep, kind);
  else if (excess < now / 2)
    upkeep->of[kind].next_ban /= 2;
}

static void ban_at_least(mus_upkeep *upkeep, int kind, int solves) {
  if (upkeep->of[kind].ban < solves)
    upkeep->of[kind].ban = solves;
}

// Where solves are long, trying to do with less than renewed coarse matrices may cost far more than these do. And
// nothing is reused as it is that has not been seen to last at least with its finest level renewed.
static void be_careful(mus_upkeep *upkeep, mus_upkeep_kind done, double iteration_cost) {
  const double excess = upkeep->of[MUS_UPKEEP_COARSE].excess;
  const double price = prices[upkeep->machine][MUS_UPKEEP_COARSE];
  if (upkeep->of[MUS_UPKEEP_COARSE].iterations * iteration_cost > long_solve * price)
    ban_at_least(upkeep, MUS_UPKEEP_COARSE, 1);
  if (done > MUS_UPKEEP_FINEST || (done == MUS_UPKEEP_FINEST && excess > 0))
    ban_at_least(upkeep, MUS_UPKEEP_FINEST, 1);
}

void mus_upkeep_note(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost) {
  learn(upkeep, done, iterations, iteration_cost);
  for (int k = MUS_UPKEEP_FINEST; k < MUS_UPKEEP_KINDS; ++k)
    if (k <= (int)done)
      begin_anew(upkeep, k, k == (int)done, iterations);
    else if (k == (int)done + 1)
      go_on(upkeep, k, iterations, iteration_cost);
    else // what a lesser set-up would have mended is not its wear: the last that is known of that goes on
      upkeep->of[k].debt = fmax(upkeep->of[k].debt + upkeep->of[k].excess, 0);
  be_careful(upkeep, done, iteration_cost);
}
