// Rounds of detection and response. See response.h.
//
// Every pair that met is remembered with all the cuts that it has given (cuts.h), and each round solves for all of them
// (zones.h): what one round puts right, the next does not undo. A pair that is met in the last stage goes one step
// further each time: planes; then its vertices stay where they were, or, where bodies and pins do not let them, it is
// given up. So there is an end, at the latest when nothing moves that can stand still.
#include "collide/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/timer.h"
#include "base/vector3.h"
#include "collide/ccd.h"
#include "collide/zones.h"
#include "par/vector.h"

mus_response_options mus_default_response_options(void) {
  return (mus_response_options){.separation = 0.25,
                                .impulse_rounds = 6,
                                .asked_rounds = 6,
                                .zone_rounds = 8,
                                .plane_rounds = 40,
                                .relaxations = 1e8};
}

typedef enum stage { IMPULSES, ZONES, PLANES, STOPS, STANDSTILL } stage;

static const mus_zone_effort efforts[] = {[IMPULSES] = {.sweeps = 100, .relaxations = 1000000, .friction = 1},
                                          [ZONES] = {.sweeps = 2000, .relaxations = 4000000},
                                          [PLANES] = {.sweeps = 2000, .relaxations = 4000000},
                                          [STOPS] = {.sweeps = 200, .relaxations = 400000},
                                          [STANDSTILL] = {.sweeps = 2000, .relaxations = 4000000}};

// Cuts that a vertex gets in a round before planes, those of the earliest impacts: later ones may be about a motion
// that these change.
enum { EARLIEST = 2 };

// From this round on, bodies are asked whether they leave room; most steps need no more rounds.
enum { FIRST_DOUBT = 2 };
// Room that cloth needs, in distances below which its pairs meet: two, and some; more where impulses were not enough.
static const double thick = 2.5, thicker = 5;

typedef struct meeting {
  double time;
  int rank; // among the round's impacts
  int pair;
} meeting;

typedef struct response {
  mus_detector *detector;
  const mus_surface *surface;
  const mus_response_options *options;
  const double *x0;
  double *x1;
  mus_response_record *record;
  mus_arena arena;
  mus_zones zones;
  mus_list impacts;        // mus_contact, of this round
  mus_list pairs;          // mus_pair, as they were met
  mus_list sorted, merged; // int: their numbers in the order of contacts, and scratch
  mus_list met;            // meeting, of this round
  mus_list cuts;           // mus_cut
  unsigned char *uses;     // vertices: cuts that they got in this round, EARLIEST for more
  mus_loose caught;        // features of cloth that bodies have closed on
  stage stage;
  int round;
  int fitted;            // 1: the solids are, to x1
  int given_up, stopped; // in this round: pairs, vertices
  size_t asked;          // cuts that others asked for after the last round
  int has_asked;         // 1: and whether they have in any
  int let_go;            // 1: features have been since pairs were last looked through
} response;

static mus_status detect(response *r, const unsigned char *moved) {
  double start = mus_seconds();
  mus_status status = mus_detector_impacts(r->detector, r->x0, r->x1, r->options->separation, moved, &r->impacts);
  r->record->detect_seconds += mus_seconds() - start;
  ++r->record->rounds;
  return status;
}

// --- the pairs that met --------------------------------------------------------------------------------------------

static int compare_pairs(const mus_contact *a, const mus_contact *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  return (a->second > b->second) - (a->second < b->second);
}

static int compare_meetings(const void *a, const void *b) {
  const meeting *p = a, *q = b;
  return p->time != q->time ? (p->time < q->time ? -1 : 1) : (p->rank > q->rank) - (p->rank < q->rank);
}

// Takes up the impacts, which are sorted as `sorted` is: known pairs get their latest contact, others are added.
static mus_status note_meetings(response *r) {
  const mus_contact *impact = mus_contacts(&r->impacts);
  size_t impacts = r->impacts.count, known = r->sorted.count, k = 0;
  r->met.count = r->merged.count = 0;
  if (!mus_list_reserve(&r->met, impacts, sizeof(meeting)) ||
      !mus_list_reserve(&r->merged, known + impacts, sizeof(int)) ||
      !mus_list_reserve(&r->pairs, impacts, sizeof(mus_pair)))
    return mus_fail_memory();
  const int *sorted = r->sorted.items;
  int *merged = r->merged.items;
  mus_pair *pair = r->pairs.items;
  meeting *met = r->met.items;
  for (size_t i = 0; i < impacts; ++i) {
    int order = 1;
    while (k < known && (order = compare_pairs(&pair[sorted[k]].contact, &impact[i])) < 0)
      merged[r->merged.count++] = sorted[k++];
    int number = order == 0 ? sorted[k++] : (int)r->pairs.count++;
    if (order == 0)
      pair[number].contact = impact[i];
    else
      pair[number] = mus_pair_met(r->surface, &impact[i], r->options->separation, r->x0);
    merged[r->merged.count++] = number;
    met[r->met.count++] = (meeting){impact[i].time, (int)i, number};
  }
  while (k < known)
    merged[r->merged.count++] = sorted[k++];
  mus_list swapped = r->sorted;
  r->sorted = r->merged;
  r->merged = swapped;
  qsort(met, r->met.count, sizeof *met, compare_meetings);
  return MUS_OK;
}

// --- what is done about them ---------------------------------------------------------------------------------------

static double friction_of(const response *r, const mus_contact *contact) {
  for (int k = 0; k < 4; ++k) {
    int body = r->surface->body[contact->node[k]];
    if (body >= 0)
      return r->options->body_friction ? r->options->body_friction[body] : 0;
  }
  return r->options->friction;
}

// Whether a node can give way, and whether one moves that cannot.
typedef struct freedom {
  int free, driven;
} freedom;

static freedom freedom_of(const response *r, const mus_contact *contact) {
  freedom f = {0, 0};
  for (int k = 0; k < 4; ++k) {
    int v = contact->node[k];
    if (r->zones.inverse[v] > 0)
      f.free = 1;
    else
      f.driven |= memcmp(r->x0 + 3 * v, r->x1 + 3 * v, 3 * sizeof(double)) != 0;
  }
  return f;
}

static int follows(const response *r, int v) {
  return v < r->surface->cloth_vertices && mus_is_follower(r->options->ties, v);
}

static void stop_vertex(response *r, int v) {
  if (!(r->zones.inverse[v] > 0))
    return;
  if (follows(r, v)) {
    const mus_ties *ties = r->options->ties;
    for (int n = ties->start[ties->place[v]]; n < ties->start[ties->place[v] + 1]; ++n)
      stop_vertex(r, ties->node[n]);
  }
  r->zones.inverse[v] = 0;
  memcpy(r->x1 + 3 * v, r->x0 + 3 * v, 3 * sizeof(double));
  r->zones.moved[v] = 1;
  ++r->stopped;
}

static void give_up(response *r, mus_pair *pair) {
  r->given_up += pair->stage != MUS_PAIR_GIVEN_UP;
  pair->stage = MUS_PAIR_GIVEN_UP;
}

// Whether the pair's first feature, or else its second, is of cloth, and the other of a body.
static int is_cloth_on_body(const response *r, const mus_contact *contact, int first) {
  int cloth = r->surface->cloth_vertices;
  return first ? contact->node[0] < cloth && contact->node[3] >= cloth
               : contact->node[0] >= cloth && contact->node[3] < cloth;
}

// The mark of the pair's feature of cloth; NULL where it is not one of cloth and one of a body.
static unsigned char *caught_mark(const response *r, const mus_contact *contact) {
  int first = is_cloth_on_body(r, contact, 1);
  if (!first && !is_cloth_on_body(r, contact, 0))
    return NULL;
  if (contact->kind == MUS_EDGE_EDGE)
    return r->caught.edge + (first ? contact->first : contact->second);
  return first ? r->caught.vertex + contact->first : r->caught.triangle + contact->second;
}

// What bodies have closed on is let go: the feature, and all that it is part of.
static void let_go(response *r, const mus_pair *pair) {
  const mus_contact *contact = &pair->contact;
  unsigned char *mark = caught_mark(r, contact);
  if (!mark)
    return;
  *mark = 1;
  r->let_go = 1;
  if (contact->kind == MUS_EDGE_EDGE)
    mus_loosen_edge(r->surface, (int)(mark - r->caught.edge), &r->caught);
  else if (is_cloth_on_body(r, contact, 1))
    mus_loosen_vertex(r->surface, contact->first, &r->caught);
}

// Whether the bodies' ends leave no room for the pair's feature of cloth: the place of its other side is inside.
static int is_closed(response *r, mus_pair *pair) {
  const mus_contact *contact = &pair->contact;
  mus_winding *solids = r->options->solids;
  double room = (r->stage > IMPULSES ? thicker : thick) * pair->near;
  if (pair->closed || pair->room >= room)
    return pair->closed;
  pair->room = room;
  if (!solids || !caught_mark(r, contact))
    return 0;
  if (!r->fitted)
    mus_winding_fit(solids, r->x1);
  r->fitted = 1;
  int first = is_cloth_on_body(r, contact, 1), cloth = r->surface->cloth_vertices;
  double place[3] = {0}, way = first ? room : -room;
  for (int k = 0; k < 4; ++k)
    if (contact->node[k] >= cloth)
      mus_add_scaled3(fabs(contact->weight[k]), r->x1 + 3 * contact->node[k], place);
  mus_add_scaled3(way, contact->normal, place);
  pair->closed = mus_winding_is_inside(solids, place);
  return pair->closed;
}

// Adds cuts, or else changes the pair's stage. False when memory is short.
static bool treat(response *r, int number) {
  mus_pair *pair = &mus_pairs(&r->pairs)[number];
  freedom f = freedom_of(r, &pair->contact);
  const unsigned char *caught = caught_mark(r, &pair->contact);
  if (pair->stage == MUS_PAIR_GIVEN_UP || !f.free || !(pair->apart > 0) || (f.driven && caught && *caught)) {
    give_up(r, pair);
    return true;
  }
  if (f.driven && r->round >= FIRST_DOUBT && is_closed(r, pair)) {
    give_up(r, pair);
    let_go(r, pair);
    return true;
  }
  if (r->stage < PLANES)
    return mus_cut_impact(pair, number, r->stage == IMPULSES ? friction_of(r, &pair->contact) : 0, r->options->ties,
                          r->x0, &r->cuts);
  if (pair->stage == MUS_PAIR_IMPACTS && (r->stage != STOPS || f.driven)) {
    pair->stage = MUS_PAIR_PLANES;
    ++r->record->planes;
    return mus_cut_planes(pair, number, r->options->ties, r->x0, &r->cuts);
  }
  if (f.driven)
    give_up(r, pair);
  else
    for (int k = 0; k < 4; ++k)
      stop_vertex(r, pair->contact.node[k]);
  return true;
}

// Whether all vertices that could do something about it have enough to do already.
static int can_wait(const response *r, const mus_contact *contact) {
  int free = 0, busy = 1;
  for (int k = 0; k < 4; ++k) {
    int v = contact->node[k];
    free |= r->zones.inverse[v] > 0;
    busy &= !(r->zones.inverse[v] > 0) || r->uses[v] >= EARLIEST;
  }
  return r->stage < PLANES && free && busy;
}

static mus_status treat_all(response *r) {
  const meeting *met = r->met.items;
  memset(r->zones.moved, 0, (size_t)r->surface->vertices);
  memset(r->uses, 0, (size_t)r->surface->vertices);
  for (size_t i = 0; i < r->met.count; ++i) {
    const mus_contact *contact = &mus_pairs(&r->pairs)[met[i].pair].contact;
    for (int k = 0; k < 4; ++k) // to be looked at again, changed or not
      r->zones.moved[contact->node[k]] = 1;
    if (can_wait(r, contact))
      continue;
    if (!treat(r, met[i].pair))
      return mus_fail_memory();
    for (int k = 0; k < 4; ++k)
      if (r->uses[contact->node[k]] < EARLIEST)
        ++r->uses[contact->node[k]];
  }
  return MUS_OK;
}

// All pairs of features that have been let go, whether they met in this round or not.
static void give_up_caught(response *r) {
  mus_pair *pair = mus_pairs(&r->pairs);
  for (size_t i = 0; i < r->pairs.count && r->let_go; ++i) {
    const unsigned char *caught = caught_mark(r, &pair[i].contact);
    if (caught && *caught && freedom_of(r, &pair[i].contact).driven)
      give_up(r, &pair[i]);
  }
  r->let_go = 0;
}

// Cuts of pairs that were given up go, and so do impacts' where there are planes now; those with vertices that have
// been stopped are solved again.
static void renew_cuts(response *r) {
  const mus_pair *pair = mus_pairs(&r->pairs);
  mus_cut *cut = mus_cuts(&r->cuts);
  give_up_caught(r);
  for (size_t i = 0; i < r->cuts.count; ++i) {
    if (cut[i].equal) { // planes are kept in any case, ties only before
      cut[i].gone = cut[i].fresh = r->stage >= PLANES;
      continue;
    }
    if (cut[i].pair < 0)
      continue;
    mus_pair_stage now = pair[cut[i].pair].stage;
    cut[i].anew = now == MUS_PAIR_GIVEN_UP || (now == MUS_PAIR_PLANES && !cut[i].plane);
    if (now == MUS_PAIR_GIVEN_UP || (now == MUS_PAIR_PLANES && !cut[i].plane))
      cut[i].gone = cut[i].fresh = 1;
    for (int k = 0; k < cut[i].nodes && r->stopped > 0; ++k) {
      int v = cut[i].node[k];
      if (!(r->zones.inverse[v] > 0) && r->zones.moved[v])
        cut[i].fresh = 1;
    }
  }
}

// Vertices that follow others go where these have gone, and stay where all of them do.
static void follow(response *r) {
  const mus_ties *ties = r->options->ties;
  for (int k = 0; ties && k < ties->count; ++k) {
    double *x = r->x1 + 3 * ties->vertex[k], sum[3] = {0, 0, 0}, inverse = 0;
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n) {
      mus_add_scaled3(ties->weight[n], r->x1 + 3 * ties->node[n], sum);
      inverse += r->zones.inverse[ties->node[n]];
    }
    if (!(inverse > 0))
      r->zones.inverse[ties->vertex[k]] = 0;
    if (memcmp(x, sum, sizeof sum) != 0)
      r->zones.moved[ties->vertex[k]] = 1;
    memcpy(x, sum, sizeof sum);
  }
}

// Pairs whose cuts contradict each other go one step further: to planes, which ask for less, or are given up.
static mus_status give_in(response *r) {
  mus_cut *cut = mus_cuts(&r->cuts);
  size_t count = r->cuts.count;
  for (size_t i = 0; i < count; ++i, cut = mus_cuts(&r->cuts)) {
    mus_pair *pair = cut[i].vain ? &mus_pairs(&r->pairs)[cut[i].pair] : NULL;
    if (!pair)
      continue;
    cut[i].vain = 0;
    if (cut[i].plane) {
      give_up(r, pair);
      let_go(r, pair);
    } else if (pair->stage == MUS_PAIR_IMPACTS) {
      pair->stage = MUS_PAIR_PLANES;
      ++r->record->planes;
      if (!mus_cut_planes(pair, cut[i].pair, r->options->ties, r->x0, &r->cuts))
        return mus_fail_memory();
    }
  }
  renew_cuts(r);
  return MUS_OK;
}

// Ends, since every contradiction takes pairs further.
static mus_status solve(response *r) {
  mus_status status = mus_zones_solve(&r->zones, &r->cuts, efforts[r->stage]);
  while (status == MUS_OK && r->zones.vain > 0) {
    status = give_in(r);
    if (status == MUS_OK)
      status = mus_zones_solve(&r->zones, &r->cuts, efforts[r->stage]);
  }
  return status;
}

// One round: all impacts of the last detection. `news` tells whether anything was done.
static mus_status respond_once(response *r, int *news) {
  mus_status status = note_meetings(r);
  if (status != MUS_OK)
    return status;
  r->given_up = r->stopped = 0;
  size_t cuts = r->cuts.count - r->asked;
  if ((status = treat_all(r)) != MUS_OK)
    return status;
  if (r->stage == STANDSTILL)
    for (int v = 0; v < r->surface->cloth_vertices; ++v)
      stop_vertex(r, v);
  *news = r->cuts.count > cuts || r->given_up > 0 || r->stopped > 0;
  if (r->stage >= PLANES || r->given_up > 0)
    renew_cuts(r);
  r->record->stopped += r->stopped;
  if (*news)
    status = solve(r);
  if (*news && status == MUS_OK)
    follow(r);
  return status;
}

// What has taken too long is not solved any further.
static stage stage_of(const response *r, int round) {
  const mus_response_options *o = r->options;
  int impulses = o->impulse_rounds + (r->has_asked ? o->asked_rounds : 0), zones = impulses + o->zone_rounds;
  int planes = zones + o->plane_rounds;
  if (r->zones.relaxations > o->relaxations && round < planes)
    return STOPS;
  if (round < impulses)
    return IMPULSES;
  if (round < zones)
    return ZONES;
  return round < planes ? PLANES : STANDSTILL;
}

// What others ask for where this round has moved vertices.
static mus_status ask(response *r, int round) {
  const mus_more_cuts *more = r->options->more;
  size_t before = r->cuts.count;
  int is_last = stage_of(r, round + 1) != IMPULSES;
  mus_status status = more && !is_last ? more->add(more->context, r->x1, r->zones.moved, &r->cuts) : MUS_OK;
  r->asked = r->cuts.count - before;
  r->has_asked |= r->asked > 0;
  return status;
}

// What is followed bears the masses of its followers, which are free while any of it is.
static void weigh_down(response *r) {
  const mus_ties *ties = r->options->ties;
  double *inverse = r->zones.inverse;
  for (int k = 0; ties && k < ties->count; ++k)
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      if (inverse[ties->node[n]] > 0)
        inverse[ties->node[n]] = 1 / (1 / inverse[ties->node[n]] + ties->weight[n] * r->options->mass[ties->vertex[k]]);
  for (int k = 0; ties && k < ties->count; ++k) {
    inverse[ties->vertex[k]] = 0;
    for (int n = ties->start[k]; n < ties->start[k + 1]; ++n)
      inverse[ties->vertex[k]] = fmax(inverse[ties->vertex[k]], inverse[ties->node[n]]);
  }
}

static mus_status begin(response *r) {
  size_t vertices = (size_t)r->surface->vertices;
  double *proposed = mus_arena_alloc(&r->arena, 3 * vertices, sizeof *proposed);
  r->zones.moved = mus_arena_alloc(&r->arena, vertices, sizeof *r->zones.moved);
  r->uses = mus_arena_alloc(&r->arena, vertices, sizeof *r->uses);
  r->caught.vertex = mus_arena_alloc_zero(&r->arena, (size_t)r->surface->cloth_vertices, 1);
  r->caught.edge = mus_arena_alloc_zero(&r->arena, (size_t)r->surface->cloth_edges, 1);
  r->caught.triangle = mus_arena_alloc_zero(&r->arena, (size_t)r->surface->cloth_triangles, 1);
  if (!proposed || !r->zones.moved || !r->uses || !r->caught.vertex || !r->caught.edge || !r->caught.triangle)
    return mus_fail_memory();
  mus_copy(3 * vertices, r->x1, proposed);
  r->zones.x0 = r->x0;
  r->zones.x1 = r->x1;
  r->zones.proposed = proposed;
  mus_status status = mus_zones_begin(&r->arena, r->surface, r->options->mass, r->options->held, &r->zones);
  if (status != MUS_OK)
    return status;
  weigh_down(r);
  const mus_tie_row *row = r->options->joined ? r->options->joined->items : NULL;
  for (size_t k = 0; row && k < r->options->joined->count; ++k)
    if (!mus_cut_tie(&row[k], &r->cuts))
      return mus_fail_memory();
  return MUS_OK;
}

// What others ask for counts while impulses are looked for. Then all cuts go but ties and planes: where they have led
// is what is proposed from there on.
static void propose_what_was_reached(response *r) {
  mus_cut *cut = mus_cuts(&r->cuts);
  size_t kept = 0;
  mus_copy(3 * (size_t)r->surface->vertices, r->x1, r->zones.proposed);
  for (size_t i = 0; i < r->cuts.count; ++i) {
    if (!cut[i].equal && !cut[i].plane)
      continue;
    cut[kept] = cut[i];
    cut[kept++].push = 0;
  }
  r->cuts.count = kept;
}

static mus_status respond(response *r) {
  mus_status status = begin(r);
  int news = 1;
  for (int round = 0; status == MUS_OK && news && (r->impacts.count > 0 || r->asked > 0); ++round) {
    stage next = stage_of(r, round);
    if (next > IMPULSES && r->stage == IMPULSES && r->has_asked)
      propose_what_was_reached(r);
    r->round = round;
    r->stage = next;
    status = mus_stop_check();
    if (status == MUS_OK)
      status = respond_once(r, &news);
    if (status == MUS_OK && news)
      status = detect(r, r->zones.moved);
    if (status == MUS_OK && news)
      status = ask(r, round);
  }
  return status;
}

// --- what could not be done ----------------------------------------------------------------------------------------

static int still_meets(const response *r, const mus_pair *pair) {
  double start[4][3], end[4][3], near = pair->safe, time;
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      start[k][c] = r->x0[3 * pair->contact.node[k] + c];
      end[k][c] = r->x1[3 * pair->contact.node[k] + c];
    }
  return mus_pair_impact(pair->contact.kind, (const double(*)[3])start, (const double(*)[3])end, MUS_IMPACT_SHARE,
                         &near, &time);
}

static mus_status list_impossible(response *r, mus_list *impossible) {
  const int *sorted = r->sorted.items;
  for (size_t i = 0; i < r->sorted.count; ++i) {
    mus_pair *pair = &mus_pairs(&r->pairs)[sorted[i]];
    if (pair->stage != MUS_PAIR_GIVEN_UP || !still_meets(r, pair))
      continue;
    ++r->record->impossible;
    r->record->closed += is_closed(r, pair);
    mus_contact *contact = impossible ? mus_list_add(impossible, sizeof *contact) : NULL;
    if (impossible && !contact)
      return mus_fail_memory();
    if (contact)
      *contact = pair->contact;
  }
  return MUS_OK;
}

static void end(response *r) {
  mus_zones_end(&r->zones);
  mus_free(r->impacts.items);
  mus_free(r->pairs.items);
  mus_free(r->sorted.items);
  mus_free(r->merged.items);
  mus_free(r->met.items);
  mus_free(r->cuts.items);
  mus_arena_clear(&r->arena);
}

mus_status mus_respond(mus_detector *detector, const mus_surface *surface, const mus_response_options *options,
                       const double *x0, double *x1, mus_list *impossible, mus_response_record *record) {
  response r = {.detector = detector, .surface = surface, .options = options, .x0 = x0, .x1 = x1, .record = record};
  double start = mus_seconds();
  *record = (mus_response_record){0};
  if (impossible)
    impossible->count = 0;
  mus_status status = detect(&r, NULL);
  record->impacts = (int)r.impacts.count;
  if (status == MUS_OK && r.impacts.count > 0)
    status = respond(&r);
  if (status == MUS_OK)
    status = list_impossible(&r, impossible);
  record->zones = r.zones.solved;
  record->sweeps = r.zones.sweeps;
  record->cuts = (int)r.cuts.count;
  record->respond_seconds = mus_seconds() - start - record->detect_seconds;
  end(&r);
  return status;
}
