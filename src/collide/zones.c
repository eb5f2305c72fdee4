// Zones by union-find, Gauss-Seidel sweeps, and the way back. See zones.h.
#include "collide/zones.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector3.h"
#include "mesh/groups.h"
#include "mesh/sort.h"
#include "par/par.h"

enum { FEWEST_SWEEPS = 20 };
// Sweeps from one look for contradictions to the next.
enum { SWEEPS_PER_LOOK = 20 };
// R, in ways that vertices of the zone go in the step.
static const double far = 10;
// Cuts count as part of a contradiction from this part of the largest push in it.
static const double small_part = 0.03;

mus_status mus_zones_begin(mus_arena *arena, const mus_surface *surface, const double *mass, const unsigned char *held,
                           mus_zones *zones) {
  size_t count = (size_t)surface->vertices;
  zones->inverse = mus_arena_alloc_zero(arena, count, sizeof *zones->inverse);
  zones->before = mus_arena_alloc(arena, 3 * count, sizeof *zones->before);
  zones->pull = mus_arena_alloc(arena, 3 * count, sizeof *zones->pull);
  zones->parent = mus_arena_alloc(arena, count, sizeof *zones->parent);
  zones->number = mus_arena_alloc(arena, count, sizeof *zones->number);
  if (!zones->inverse || !zones->before || !zones->pull || !zones->parent || !zones->number)
    return mus_fail_memory();
  for (int v = 0; v < surface->cloth_vertices; ++v)
    zones->inverse[v] = (held && held[v]) || !(mass[v] > 0) ? 0 : 1 / mass[v];
  return MUS_OK;
}

void mus_zones_end(mus_zones *zones) {
  mus_free(zones->zone.items);
  mus_free(zones->order.items);
  mus_free(zones->start.items);
}

// --- which cuts belong together ------------------------------------------------------------------------------------

// The first node that gives way; -1 where none does.
static int free_node(const mus_zones *zones, const mus_cut *cut) {
  for (int k = 0; k < cut->nodes; ++k)
    if (zones->inverse[cut->node[k]] > 0)
      return cut->node[k];
  return -1;
}

static void join_nodes(mus_zones *zones, int count, const mus_cut *cut) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < cut[i].nodes; ++k) {
      zones->parent[cut[i].node[k]] = cut[i].node[k];
      zones->number[cut[i].node[k]] = -1;
    }
  for (int i = 0; i < count; ++i) {
    int first = free_node(zones, &cut[i]);
    for (int k = 0; k < cut[i].nodes; ++k)
      if (zones->inverse[cut[i].node[k]] > 0)
        mus_group_join(zones->parent, first, cut[i].node[k]);
  }
}

// The zone of each cut, in the order of their first cuts; those that nothing can be done about are alone.
static int number_zones(mus_zones *zones, int count, const mus_cut *cut) {
  int *zone = zones->zone.items, found = 0;
  for (int i = 0; i < count; ++i) {
    int first = free_node(zones, &cut[i]);
    if (first < 0) {
      zone[i] = found++;
      continue;
    }
    int *number = &zones->number[mus_group_first(zones->parent, first)];
    if (*number < 0)
      *number = found++;
    zone[i] = *number;
  }
  return found;
}

static bool reserve(mus_list *list, size_t count) { return mus_list_reserve(list, count, sizeof(int)); }

// Cuts in the order of their zones, and where each zone begins.
static mus_status find_zones(mus_zones *zones, const mus_list *cuts, int *found) {
  int count = (int)cuts->count;
  if (!reserve(&zones->zone, cuts->count) || !reserve(&zones->order, cuts->count) ||
      !reserve(&zones->start, cuts->count + 2))
    return mus_fail_memory();
  join_nodes(zones, count, mus_cuts(cuts));
  *found = number_zones(zones, count, mus_cuts(cuts));
  int *start = zones->start.items; // sorting moves each start to its zone's end
  mus_sort_by_key(count, *found, zones->zone.items, NULL, start + 1, zones->order.items);
  start[0] = 0;
  return MUS_OK;
}

// --- one zone ------------------------------------------------------------------------------------------------------

typedef struct impact_zone {
  const mus_zones *all;
  mus_cut *cut;
  const int *order;
  int count;
  double carried[3]; // m, by which the place to go back to lies beside x0
  double reach;      // m: R; 0 where nothing moves that does not give way
} impact_zone;

// Moves the cut's nodes by weight / mass along `push`. Those that do not give way are not touched: they belong to many
// zones, which are solved at the same time.
static void apply(const mus_zones *z, const mus_cut *cut, const double push[3]) {
  for (int k = 0; k < cut->nodes; ++k) {
    double inverse = z->inverse[cut->node[k]], factor = cut->weight[k] * inverse;
    for (int c = 0; c < 3 && inverse > 0; ++c)
      z->x1[3 * cut->node[k] + c] += factor * push[c];
  }
}

// From what was proposed, with the pushes that were found before; with none of them where a pair was given up, since it
// may have driven the others up without end.
static void begin_zone(impact_zone *zone) {
  const mus_zones *z = zone->all;
  int again = 0;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    double sum = 0;
    again |= cut->anew;
    for (int k = 0; k < cut->nodes; ++k) {
      int v = cut->node[k];
      sum += cut->weight[k] * cut->weight[k] * z->inverse[v];
      if (z->inverse[v] > 0)
        memcpy(z->before + 3 * v, z->x1 + 3 * v, 3 * sizeof(double));
    }
    cut->mass = sum > 0 ? 1 / sum : 0;
  }
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->fresh = cut->vain = 0;
    if (again || cut->gone)
      cut->push = cut->drag[0] = cut->drag[1] = cut->drag[2] = 0;
    for (int k = 0; k < cut->nodes; ++k)
      if (z->inverse[cut->node[k]] > 0)
        memcpy(z->x1 + 3 * cut->node[k], z->proposed + 3 * cut->node[k], 3 * sizeof(double));
  }
  for (int i = 0; i < zone->count; ++i) {
    const mus_cut *cut = &zone->cut[zone->order[i]];
    double push[3];
    for (int c = 0; c < 3; ++c)
      push[c] = cut->push * cut->normal[c] + cut->drag[c];
    apply(z, cut, push);
  }
}

// Takes away what the two sides slide along each other in the step, as far as friction can.
static void rub(const mus_zones *z, mus_cut *cut) {
  double slip[3] = {0}, wanted[3], change[3];
  for (int k = 0; k < cut->nodes; ++k)
    for (int c = 0; c < 3; ++c)
      slip[c] += cut->weight[k] * (z->x1[3 * cut->node[k] + c] - z->x0[3 * cut->node[k] + c]);
  double along = mus_dot3(slip, cut->normal);
  for (int c = 0; c < 3; ++c)
    wanted[c] = cut->drag[c] - cut->mass * (slip[c] - along * cut->normal[c]);
  double size = mus_length3(wanted), limit = cut->friction * cut->push;
  double factor = size > limit ? limit / size : 1;
  for (int c = 0; c < 3; ++c) {
    change[c] = factor * wanted[c] - cut->drag[c];
    cut->drag[c] = factor * wanted[c];
  }
  apply(z, cut, change);
}

// Returns 1 when the cut was not satisfied.
static int relax(const mus_zones *z, mus_cut *cut, int friction) {
  double missing = cut->target - mus_cut_value(cut, z->x1), change[3];
  double push = cut->push + cut->mass * missing;
  push = push > 0 || cut->equal ? push : 0;
  double more = push - cut->push;
  if (more != 0) {
    cut->push = push;
    for (int c = 0; c < 3; ++c)
      change[c] = more * cut->normal[c];
    apply(z, cut, change);
  }
  if (friction && cut->friction > 0 && (cut->push > 0 || more != 0))
    rub(z, cut);
  return (cut->equal ? fabs(missing) : missing) > cut->accuracy;
}

// What the sweep before this one changed is carried on, more the better sweeps converge: the non-linear conjugate
// gradients of Silcowitz-Hansen et al. 2010, whose gradient is what a sweep changes.
static void carry_on(impact_zone *zone, double *before) {
  double square = 0;
  for (int i = 0; i < zone->count; ++i) {
    const mus_cut *cut = &zone->cut[zone->order[i]];
    double change = cut->push - cut->last;
    square += cut->mass > 0 ? change * change / cut->mass : 0;
  }
  double part = *before > 0 && square < *before ? square / *before : 0;
  *before = square;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    double change[3], more = part * cut->course;
    cut->course = more + (cut->push - cut->last);
    cut->push += more;
    for (int c = 0; c < 3; ++c)
      change[c] = more * cut->normal[c];
    if (more != 0)
      apply(zone->all, cut, change);
  }
}

static int sweep_once(impact_zone *zone, int friction) {
  int missing = 0;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->last = cut->push;
    if (!cut->gone && cut->mass > 0)
      missing |= relax(zone->all, cut, friction);
  }
  return missing;
}

// --- contradictions --------------------------------------------------------------------------------------------------

// The place of a node that it may go back to; that of one that does not give way is where it ends.
static void safe_place(const impact_zone *zone, int node, double place[3]) {
  const mus_zones *z = zone->all;
  for (int c = 0; c < 3; ++c)
    place[c] = z->inverse[node] > 0 ? z->x0[3 * node + c] + zone->carried[c] : z->x1[3 * node + c];
}

static double safe_value(const impact_zone *zone, const mus_cut *cut) {
  double place[3], apart[3] = {0, 0, 0};
  for (int k = 0; k < cut->nodes; ++k) {
    safe_place(zone, cut->node[k], place);
    mus_add_scaled3(cut->weight[k], place, apart);
  }
  return mus_dot3(cut->normal, apart);
}

static int is_driven(const mus_zones *z, const mus_cut *cut) {
  for (int k = 0; k < cut->nodes; ++k) {
    size_t at = 3 * (size_t)cut->node[k];
    if (!(z->inverse[cut->node[k]] > 0) && memcmp(z->x0 + at, z->x1 + at, 3 * sizeof(double)) != 0)
      return 1;
  }
  return 0;
}

static void find_reach(impact_zone *zone) {
  const mus_zones *z = zone->all;
  double farthest = 0;
  int driven = 0;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->mark = cut->push;
    driven |= is_driven(z, cut);
    for (int k = 0; k < cut->nodes; ++k) {
      size_t at = 3 * (size_t)cut->node[k];
      double way[3];
      mus_subtract3((z->inverse[cut->node[k]] > 0 ? z->proposed : z->x1) + at, z->x0 + at, way);
      farthest = fmax(farthest, mus_length3(way));
    }
  }
  zone->reach = driven ? far * farthest : 0;
}

// What a cut's push has grown by since the last look: d. Only pairs count; what else is asked for can be missed.
static double growth(const mus_cut *cut) {
  return cut->pair < 0 || cut->gone || !(cut->mass > 0) ? 0 : fmax(cut->push - cut->mark, 0);
}

// J^T d, and how much of d . (target - J x0) it leaves below what is needed: above 0 is a proof.
static double contradiction(const impact_zone *zone) {
  const mus_zones *z = zone->all;
  double sum = 0;
  for (int pass = 0; pass < 3; ++pass)
    for (int i = 0; i < zone->count; ++i) {
      const mus_cut *cut = &zone->cut[zone->order[i]];
      double d = growth(cut);
      if (pass == 1)
        sum += d * (cut->least - safe_value(zone, cut));
      for (int k = 0; k < cut->nodes; ++k) {
        double *pull = z->pull + 3 * (size_t)cut->node[k];
        if (!(z->inverse[cut->node[k]] > 0))
          continue;
        if (pass == 1)
          mus_add_scaled3(d * cut->weight[k], cut->normal, pull);
        if (pass == 2)
          sum -= zone->reach * mus_length3(pull);
        if (pass != 1) // nodes are in several cuts, but count once
          memset(pull, 0, 3 * sizeof *pull);
      }
    }
  return sum;
}

// Looks whether the cuts contradict each other, and marks those of bodies and pins that do.
static int is_in_vain(impact_zone *zone) {
  int found = contradiction(zone) > 0;
  double largest = 0;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->vain = found && growth(cut) > 0 && is_driven(zone->all, cut);
    largest = cut->vain ? fmax(largest, growth(cut)) : largest;
  }
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->vain = cut->vain && growth(cut) >= small_part * largest;
    cut->mark = cut->push;
  }
  return largest > 0;
}

// Returns the number of sweeps. `vain` becomes 1 where cuts contradict each other.
static int sweep(impact_zone *zone, mus_zone_effort effort, int *vain) {
  double square = 0;
  int most = effort.relaxations / zone->count < effort.sweeps ? effort.relaxations / zone->count : effort.sweeps;
  most = most > FEWEST_SWEEPS ? most : FEWEST_SWEEPS;
  for (int i = 0; i < zone->count; ++i)
    zone->cut[zone->order[i]].course = 0;
  for (int round = 1; round < most; ++round) {
    if (!sweep_once(zone, effort.friction) || mus_stop_is_asked(zone->all->stop))
      return round;
    if (zone->reach > 0 && round % SWEEPS_PER_LOOK == 0 && (*vain = is_in_vain(zone)))
      return round;
    carry_on(zone, &square);
  }
  sweep_once(zone, effort.friction);
  return most;
}

// --- the way back --------------------------------------------------------------------------------------------------

static int is_plane(const mus_cut *cut) { return cut->plane && !cut->gone && cut->mass > 0; }

static int unsafe_planes(const impact_zone *zone) {
  int count = 0;
  for (int i = 0; i < zone->count; ++i) {
    const mus_cut *cut = &zone->cut[zone->order[i]];
    count += is_plane(cut) && !(safe_value(zone, cut) >= cut->least);
  }
  return count;
}

// Where bodies or pins move, the zone may be better off moving with them: by the mean of what they do.
static void choose_safe_place(impact_zone *zone) {
  const mus_zones *z = zone->all;
  double mean[3] = {0};
  int count = 0;
  for (int i = 0; i < zone->count; ++i) {
    const mus_cut *cut = &zone->cut[zone->order[i]];
    for (int k = 0; k < cut->nodes && is_plane(cut); ++k)
      if (!(z->inverse[cut->node[k]] > 0)) {
        ++count;
        for (int c = 0; c < 3; ++c)
          mean[c] += z->x1[3 * cut->node[k] + c] - z->x0[3 * cut->node[k] + c];
      }
  }
  int still = unsafe_planes(zone);
  if (still == 0)
    return;
  for (int c = 0; c < 3; ++c)
    zone->carried[c] = mean[c] / count;
  if (unsafe_planes(zone) >= still)
    memset(zone->carried, 0, sizeof zone->carried);
}

static void take_back(const impact_zone *zone, int node, double part) {
  const mus_zones *z = zone->all;
  double place[3], *x = z->x1 + 3 * node;
  safe_place(zone, node, place);
  for (int c = 0; c < 3; ++c)
    x[c] = place[c] + part * (x[c] - place[c]);
}

static void take_all_back(const impact_zone *zone, double part) {
  const mus_zones *z = zone->all;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < zone->count; ++i) {
      const mus_cut *cut = &zone->cut[zone->order[i]];
      for (int k = 0; k < cut->nodes; ++k) {
        int v = cut->node[k];
        if (!(z->inverse[v] > 0))
          continue;
        if (pass == 1 && z->number[v] == 0) // nodes are in several cuts, but go back once
          take_back(zone, v, part);
        z->number[v] = pass;
      }
    }
}

// How much of the way from the safe places is left when the plane is to hold: 1 where it does or never would.
static double part_left(const impact_zone *zone, const mus_cut *cut) {
  if (!is_plane(cut))
    return 1;
  double value = mus_cut_value(cut, zone->all->x1);
  if (value >= cut->least)
    return 1;
  double safe = safe_value(zone, cut);
  return safe >= cut->least ? 0.999 * (safe - cut->least) / (safe - value) : 1;
}

// Makes all planes hold that hold at the safe places. The few that are far from it take their own nodes back. The rest
// of the way, the whole zone goes by the same part: that is the same motion, ended earlier, and so brings no new pairs
// together.
// Returns 1 when anything went back.
static int go_back(impact_zone *zone) {
  int taken = 0;
  for (int round = 0; round < 8; ++round)
    for (int i = 0; i < zone->count; ++i) {
      const mus_cut *cut = &zone->cut[zone->order[i]];
      double part = part_left(zone, cut);
      taken |= part < 0.9;
      for (int k = 0; k < cut->nodes && part < 0.9; ++k)
        if (zone->all->inverse[cut->node[k]] > 0)
          take_back(zone, cut->node[k], part);
    }
  double least = 1;
  for (int i = 0; i < zone->count; ++i) {
    double part = part_left(zone, &zone->cut[zone->order[i]]);
    least = part < least ? part : least;
  }
  if (least < 1)
    take_all_back(zone, least);
  return taken || least < 1;
}

// What was reached becomes what is proposed: solving from the old proposal again would lead as far away again.
static void propose_again(impact_zone *zone) {
  const mus_zones *z = zone->all;
  for (int i = 0; i < zone->count; ++i) {
    mus_cut *cut = &zone->cut[zone->order[i]];
    cut->push = cut->drag[0] = cut->drag[1] = cut->drag[2] = 0;
    for (int k = 0; k < cut->nodes; ++k)
      if (z->inverse[cut->node[k]] > 0)
        memcpy(z->proposed + 3 * cut->node[k], z->x1 + 3 * cut->node[k], 3 * sizeof(double));
  }
}

static int solve_zone(impact_zone *zone, mus_zone_effort effort) {
  const mus_zones *z = zone->all;
  begin_zone(zone);
  find_reach(zone);
  int vain = 0, sweeps = sweep(zone, effort, &vain);
  if (!vain) {
    choose_safe_place(zone);
    if (go_back(zone))
      propose_again(zone);
  }
  for (int i = 0; i < zone->count; ++i) {
    const mus_cut *cut = &zone->cut[zone->order[i]];
    for (int k = 0; k < cut->nodes; ++k) {
      int v = cut->node[k];
      if (z->inverse[v] > 0 && memcmp(z->x1 + 3 * v, z->before + 3 * v, 3 * sizeof(double)) != 0)
        z->moved[v] = 1;
    }
  }
  return sweeps;
}

// --- all zones -----------------------------------------------------------------------------------------------------

static int has_news(const mus_cut *cut, const int *order, int count) {
  for (int i = 0; i < count; ++i)
    if (cut[order[i]].fresh)
      return 1;
  return 0;
}

static void drop_gone(mus_list *cuts) {
  size_t kept = 0;
  mus_cut *cut = mus_cuts(cuts);
  for (size_t i = 0; i < cuts->count; ++i)
    if (!cut[i].gone)
      cut[kept++] = cut[i];
  cuts->count = kept;
}

// The k-th zone, if there is something new in it. Returns the number of sweeps.
static int solve_number(const mus_zones *zones, mus_cut *cut, mus_zone_effort effort, int k) {
  const int *start = zones->start.items, *order = (const int *)zones->order.items + start[k];
  int count = start[k + 1] - start[k];
  if (!has_news(cut, order, count) || mus_stop_is_asked(zones->stop))
    return 0;
  impact_zone one = {.all = zones, .cut = cut, .order = order, .count = count};
  return solve_zone(&one, effort);
}

mus_status mus_zones_solve(mus_zones *zones, mus_list *cuts, mus_zone_effort effort) {
  int found;
  mus_status status = find_zones(zones, cuts, &found);
  if (status != MUS_OK)
    return status;
  zones->stop = mus_stop_current();
  mus_cut *cut = mus_cuts(cuts);
  int *sweeps = zones->zone.items; // which are no longer needed
  if (cuts->count < MUS_PAR_MINIMUM) {
    for (int k = 0; k < found; ++k)
      sweeps[k] = solve_number(zones, cut, effort, k);
  } else {
    MUS_PARALLEL
    {
      MUS_SHARE_RUNS
      for (int k = 0; k < found; ++k)
        sweeps[k] = solve_number(zones, cut, effort, k);
    }
  }
  const int *start = zones->start.items;
  for (int k = 0; k < found; ++k) {
    zones->relaxations += (double)sweeps[k] * (start[k + 1] - start[k]);
    zones->solved += sweeps[k] > 0;
    zones->sweeps = sweeps[k] > zones->sweeps ? sweeps[k] : zones->sweeps;
  }
  drop_gone(cuts);
  zones->vain = 0;
  for (size_t i = 0; i < cuts->count; ++i)
    zones->vain += cut[i].vain;
  return mus_stop_check();
}
