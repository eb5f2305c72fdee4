// When a hierarchy is set up how thoroughly. See upkeep.h.
#include "solve/upkeep.h"

#include <limits.h>
#include <math.h>

// Prices in products with the fine matrix, as measured on a sheet of 40,401 vertices with three near-null
// vectors and on two threads.
static const double price[MUS_UPKEEP_KINDS] = {0, 10, 60, 250};
static const double most_reluctant = 64;
// What is cheap is done for longer before less is tried again.
static const int first_ban[MUS_UPKEEP_KINDS] = {0, 8, 2, 2};
enum { LONGEST_BAN = 256 };

static double price_now(const mus_upkeep *upkeep, int kind) {
  return price[kind] * fmax(upkeep->of[kind].reluctance, 1);
}

mus_upkeep_kind mus_upkeep_due(const mus_upkeep *upkeep) {
  for (int k = MUS_UPKEEP_ALL; k > MUS_UPKEEP_NONE; --k) {
    double coming = fmax(2 * upkeep->of[k].excess - upkeep->of[k].old_excess, 0);
    if (upkeep->of[k].ban > 0 || upkeep->of[k].debt + coming > price_now(upkeep, k))
      return (mus_upkeep_kind)k;
  }
  return MUS_UPKEEP_NONE;
}

int mus_upkeep_patience(const mus_upkeep *upkeep, mus_upkeep_kind done, double iteration_cost) {
  int next = (int)done + 1;
  if (!(iteration_cost > 0)) // there has been no solve yet
    return INT_MAX;
  return upkeep->of[next].iterations + 1 + (int)ceil(price_now(upkeep, next) / iteration_cost);
}

static int at_most(int a, int b) { return a < b ? a : b; }

static void ban_less_than(mus_upkeep *upkeep, int kind) {
  int *next = &upkeep->of[kind].next_ban;
  *next = *next == 0 ? first_ban[kind] : at_most(2 * *next, LONGEST_BAN);
  upkeep->of[kind].ban = *next;
}

void mus_upkeep_end_patience(mus_upkeep *upkeep, mus_upkeep_kind done) { ban_less_than(upkeep, (int)done + 1); }

// Whether the set-up has taken away half of what the last solve before it had too much.
static void learn(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost) {
  double before = upkeep->of[done].excess, now = (iterations - upkeep->of[done].iterations) * iteration_cost;
  double *reluctance = &upkeep->of[done].reluctance;
  if (upkeep->of[done].iterations == 0 || before <= 0)
    return;
  *reluctance = fmax(now > before / 2 ? 2 * fmax(*reluctance, 1) : *reluctance / 2, 1);
  *reluctance = fmin(*reluctance, most_reluctant);
}

// A kind that was done.
static void begin_anew(mus_upkeep *upkeep, int kind, int iterations) {
  upkeep->of[kind].iterations = iterations;
  upkeep->of[kind].debt = upkeep->of[kind].excess = upkeep->of[kind].old_excess = 0;
  if (upkeep->of[kind].ban > 0)
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

void mus_upkeep_note(mus_upkeep *upkeep, mus_upkeep_kind done, int iterations, double iteration_cost) {
  learn(upkeep, done, iterations, iteration_cost);
  for (int k = MUS_UPKEEP_COARSE; k < MUS_UPKEEP_KINDS; ++k)
    if (k <= (int)done)
      begin_anew(upkeep, k, iterations);
    else if (k == (int)done + 1)
      go_on(upkeep, k, iterations, iteration_cost);
    else // what a lesser set-up would have mended is not its wear: the last that is known of that goes on
      upkeep->of[k].debt = fmax(upkeep->of[k].debt + upkeep->of[k].excess, 0);
}
