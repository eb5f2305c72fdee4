// Pairs of features whose meeting is known exactly, for the tests of continuous detection.
//
// All coordinates are whole numbers times a power of two, so they are exact as doubles. `constructed_case` makes pairs
// that meet at a known time, however degenerate. `decide_case` proves in 128-bit arithmetic whether a pair of small
// whole numbers meets: coplanarity is a cubic in time, and that the point lies inside are polynomials of degree 4; in
// Bernstein form over an interval of time their signs bound them, and halving the interval is exact.
#ifndef TESTS_COLLIDE_CCD_CASES_H
#define TESTS_COLLIDE_CCD_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/ccd.h"

typedef struct ccd_case {
  mus_pair_kind kind;
  double x0[4][3], x1[4][3];
  double size; // of the coordinates, roughly
  double time; // by when they meet
} ccd_case;

// A stream of random whole numbers.
typedef struct dice {
  uint64_t seed, count;
} dice;

static inline int roll(dice *d, int sides) {
  return (int)(mus_random_bits(d->seed, d->count++) >> 33) % sides; // 0 ... sides - 1
}
static inline int between(dice *d, int low, int high) { return low + roll(d, high - low + 1); }

static inline void roll_vector(dice *d, int range, int64_t to[3]) {
  for (int c = 0; c < 3; ++c)
    to[c] = between(d, -range, range);
}

// --- meetings by construction --------------------------------------------------------------------------------------

enum { PARTS = 16, TIMES = 1024 }; // weights are multiples of 1 / PARTS, times of 1 / TIMES

// Corners in units of 1 / PARTS, so that the meeting point is whole.
static inline void meet_face(dice *d, int range, int64_t y[4][3]) {
  int a = between(d, 0, PARTS), b = between(d, 0, PARTS - a);
  switch (roll(d, 6)) {
  case 0: // at an edge
    b = 0;
    break;
  case 1: // at a corner
    a = PARTS;
    b = 0;
    break;
  default:
    break;
  }
  for (int k = 1; k < 4; ++k)
    roll_vector(d, range, y[k]);
  switch (roll(d, 8)) {
  case 0: // no area
    for (int c = 0; c < 3; ++c)
      y[3][c] = 2 * y[2][c] - y[1][c];
    break;
  case 1: // no extent
    memcpy(y[2], y[1], sizeof y[2]);
    memcpy(y[3], y[1], sizeof y[3]);
    break;
  case 2: // nearly no area
    for (int c = 0; c < 3; ++c)
      y[3][c] = 5 * y[2][c] - 4 * y[1][c] + (c == 0);
    break;
  default:
    break;
  }
  for (int c = 0; c < 3; ++c) {
    y[0][c] = a * y[1][c] + b * y[2][c] + (PARTS - a - b) * y[3][c];
    for (int k = 1; k < 4; ++k)
      y[k][c] *= PARTS;
  }
}

static inline void meet_edges(dice *d, int range, int64_t y[4][3]) {
  int64_t along[3];
  int a = between(d, 0, PARTS), b = between(d, 0, PARTS);
  if (roll(d, 4) == 0) // at an end
    a = roll(d, 2) ? PARTS : 0;
  if (roll(d, 4) == 0)
    b = roll(d, 2) ? PARTS : 0;
  roll_vector(d, range, y[0]);
  roll_vector(d, range, y[1]);
  roll_vector(d, range, along);
  switch (roll(d, 8)) {
  case 0: // the second edge has no length
    memset(along, 0, sizeof along);
    break;
  case 1: // nor has the first
    memcpy(y[1], y[0], sizeof y[1]);
    break;
  case 2: // parallel, or nearly so
    for (int c = 0; c < 3; ++c)
      along[c] = 3 * (y[1][c] - y[0][c]) + (c == 0 ? roll(d, 2) : 0);
    break;
  default:
    break;
  }
  for (int c = 0; c < 3; ++c) {
    int64_t p = (PARTS - a) * y[0][c] + a * y[1][c];
    y[2][c] = p - b * along[c];
    y[3][c] = p + (PARTS - b) * along[c];
    y[0][c] *= PARTS;
    y[1][c] *= PARTS;
  }
}

// How the nodes move: all alike, two bodies, in a plane, about nothing, or each as it likes.
static inline void roll_motion(dice *d, int split, int range, int64_t v[4][3]) {
  int manner = roll(d, 6);
  for (int k = 0; k < 4; ++k) {
    roll_vector(d, range, v[k]);
    if (manner == 0 || (manner == 1 && k != 0 && k != split))
      memcpy(v[k], v[k < split || manner == 0 ? 0 : split], sizeof v[k]);
    if (manner == 2) // in a plane, which may be that of the features
      v[k][2] = 0;
    if (manner == 3 && roll(d, 2))
      memset(v[k], 0, sizeof v[k]);
  }
}

static inline void constructed_case(uint64_t seed, uint64_t number, ccd_case *out) {
  dice d = {seed, number * 256};
  int64_t y[4][3], v[4][3], offset[3];
  int range = 1 << between(&d, 1, 12), speed = 1 << between(&d, 0, 12), when = between(&d, 0, TIMES);
  out->kind = roll(&d, 2) ? MUS_VERTEX_FACE : MUS_EDGE_EDGE;
  if (roll(&d, 5) == 0) // flat
    range = 1;
  if (out->kind == MUS_VERTEX_FACE)
    meet_face(&d, range, y);
  else
    meet_edges(&d, range, y);
  roll_motion(&d, out->kind == MUS_VERTEX_FACE ? 1 : 2, speed, v);
  if (roll(&d, 6) == 0) // all in one plane
    for (int k = 0; k < 4; ++k)
      y[k][2] = v[k][2] = 0;
  roll_vector(&d, roll(&d, 3) == 0 ? 1 << 29 : 1, offset);
  double unit = ldexp(1, between(&d, -60, 20));
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) { // below 2^50: exact
      out->x0[k][c] = unit * (double)(offset[c] * 512 + y[k][c] - when * v[k][c]);
      out->x1[k][c] = unit * (double)(offset[c] * 512 + y[k][c] + (TIMES - when) * v[k][c]);
    }
  out->size = unit * PARTS * range;
  out->time = (double)when / TIMES;
}

// --- proofs --------------------------------------------------------------------------------------------------------

__extension__ typedef __int128 whole;

enum { DEGREE = 4, DEPTH = 22, PATIENCE = 500 }; // halvings in a row, and intervals in all

typedef struct polynomial {
  whole b[DEGREE + 1]; // Bernstein coefficients over an interval, times a positive factor
} polynomial;

// Vectors whose entries are polynomials in time, by powers.
typedef struct moving {
  int64_t power[3][DEGREE + 1];
} moving;

static inline moving moving_difference(int64_t x0[4][3], int64_t x1[4][3], int a, int b) {
  moving m = {{{0}}};
  for (int c = 0; c < 3; ++c) {
    m.power[c][0] = x0[a][c] - x0[b][c];
    m.power[c][1] = x1[a][c] - x1[b][c] - m.power[c][0];
  }
  return m;
}

static inline void add_product(const int64_t *a, const int64_t *b, int64_t sign, int64_t *to) {
  for (int i = 0; i <= DEGREE; ++i)
    for (int j = 0; i + j <= DEGREE; ++j)
      to[i + j] += sign * a[i] * b[j];
}

static inline moving moving_cross(const moving *a, const moving *b) {
  moving m = {{{0}}};
  for (int c = 0; c < 3; ++c) {
    add_product(a->power[(c + 1) % 3], b->power[(c + 2) % 3], 1, m.power[c]);
    add_product(a->power[(c + 2) % 3], b->power[(c + 1) % 3], -1, m.power[c]);
  }
  return m;
}

// 12 times the inner product: then its Bernstein coefficients of degree 4 are whole.
static inline polynomial moving_inner(const moving *a, const moving *b) {
  static const int scaled[DEGREE + 1][DEGREE + 1] = {// 12 C(i, k) / C(4, k)
                                                     {12, 0, 0, 0, 0},
                                                     {12, 3, 0, 0, 0},
                                                     {12, 6, 2, 0, 0},
                                                     {12, 9, 6, 3, 0},
                                                     {12, 12, 12, 12, 12}};
  int64_t sum[DEGREE + 1] = {0};
  polynomial p;
  for (int c = 0; c < 3; ++c)
    add_product(a->power[c], b->power[c], 1, sum);
  for (int i = 0; i <= DEGREE; ++i) {
    p.b[i] = 0;
    for (int k = 0; k <= i; ++k)
      p.b[i] += (whole)scaled[i][k] * sum[k];
  }
  return p;
}

static inline polynomial less(const polynomial *a, const polynomial *b) {
  polynomial p;
  for (int i = 0; i <= DEGREE; ++i)
    p.b[i] = a->b[i] - b->b[i];
  return p;
}

// De Casteljau's halving, times 2^DEGREE.
static inline void halve(const polynomial *p, polynomial half[2]) {
  whole row[DEGREE + 1];
  memcpy(row, p->b, sizeof row);
  for (int i = 0; i <= DEGREE; ++i) {
    half[0].b[i] = row[0] * ((whole)1 << (DEGREE - i));
    half[1].b[DEGREE - i] = row[DEGREE - i] * ((whole)1 << (DEGREE - i));
    for (int k = 0; k + 1 <= DEGREE - i; ++k)
      row[k] += row[k + 1];
  }
}

static inline int count_signs(const polynomial *p, int *negative, int *positive) {
  *negative = *positive = 0;
  for (int i = 0; i <= DEGREE; ++i) {
    *negative += p->b[i] < 0;
    *positive += p->b[i] > 0;
  }
  return *positive == DEGREE + 1 || *negative == DEGREE + 1;
}

// Where all of inside[0 ... sides - 1] are >= 0 and `area` is > 0, the features meet at a zero of `plane`.
typedef struct proof {
  polynomial plane, area, inside[4];
  int sides;
  int *patience;
} proof;

typedef enum verdict { APART, MEET, UNDECIDED } verdict;

static inline verdict decide(const proof *p, int depth, double begin, double length, double *by) {
  int negative, positive, within = 1;
  if (count_signs(&p->plane, &negative, &positive))
    return APART;
  for (int i = 0; i < p->sides; ++i) {
    count_signs(&p->inside[i], &negative, &positive);
    if (negative == DEGREE + 1)
      return APART;
    within &= negative == 0;
  }
  count_signs(&p->area, &negative, &positive);
  whole start = p->plane.b[0], end = p->plane.b[DEGREE];
  if (within && positive == DEGREE + 1 && ((start <= 0 && end >= 0) || (start >= 0 && end <= 0))) {
    *by = begin + length;
    return MEET;
  }
  if (depth == DEPTH || --*p->patience < 0)
    return UNDECIDED;
  polynomial half[6][2];
  proof part[2] = {*p, *p};
  halve(&p->plane, half[4]);
  halve(&p->area, half[5]);
  for (int i = 0; i < p->sides; ++i)
    halve(&p->inside[i], half[i]);
  for (int h = 0; h < 2; ++h) {
    part[h].plane = half[4][h];
    part[h].area = half[5][h];
    for (int i = 0; i < p->sides; ++i)
      part[h].inside[i] = half[i][h];
  }
  verdict first = decide(&part[0], depth + 1, begin, length / 2, by);
  if (first == MEET)
    return MEET;
  verdict second = decide(&part[1], depth + 1, begin + length / 2, length / 2, by);
  return second == MEET ? MEET : first == UNDECIDED ? UNDECIDED : second;
}

static inline proof face_proof(int64_t x0[4][3], int64_t x1[4][3]) {
  proof p = {.sides = 3};
  moving b = moving_difference(x0, x1, 2, 1), c = moving_difference(x0, x1, 3, 1);
  moving normal = moving_cross(&b, &c), height = moving_difference(x0, x1, 0, 1);
  p.plane = moving_inner(&normal, &height);
  p.area = moving_inner(&normal, &normal);
  for (int k = 0; k < 3; ++k) {
    moving side = moving_difference(x0, x1, 1 + (k + 1) % 3, 1 + k), to = moving_difference(x0, x1, 0, 1 + k);
    moving turned = moving_cross(&side, &to);
    p.inside[k] = moving_inner(&normal, &turned);
  }
  return p;
}

static inline proof edge_proof(int64_t x0[4][3], int64_t x1[4][3]) {
  proof p = {.sides = 4};
  moving a = moving_difference(x0, x1, 1, 0), b = moving_difference(x0, x1, 3, 2);
  moving r = moving_difference(x0, x1, 2, 0), normal = moving_cross(&a, &b);
  moving turned_a = moving_cross(&r, &a), turned_b = moving_cross(&r, &b);
  p.plane = moving_inner(&normal, &r);
  p.area = moving_inner(&normal, &normal);
  p.inside[0] = moving_inner(&turned_b, &normal);
  p.inside[1] = less(&p.area, &p.inside[0]);
  p.inside[2] = moving_inner(&turned_a, &normal);
  p.inside[3] = less(&p.area, &p.inside[2]);
  return p;
}

// A random pair of small whole numbers, and what is proved about it; `time` is by when they meet.
static inline verdict decided_case(uint64_t seed, uint64_t number, ccd_case *out) {
  dice d = {seed, number * 64};
  int64_t x0[4][3], x1[4][3];
  int range = between(&d, 1, 8);
  double unit = ldexp(1, between(&d, -30, 10));
  out->kind = roll(&d, 2) ? MUS_VERTEX_FACE : MUS_EDGE_EDGE;
  for (int k = 0; k < 4; ++k) {
    roll_vector(&d, range, x0[k]);
    roll_vector(&d, range, x1[k]);
    for (int c = 0; c < 3; ++c) {
      out->x0[k][c] = unit * (double)x0[k][c];
      out->x1[k][c] = unit * (double)x1[k][c];
    }
  }
  out->size = unit * range;
  proof p = out->kind == MUS_VERTEX_FACE ? face_proof(x0, x1) : edge_proof(x0, x1);
  int patience = PATIENCE;
  p.patience = &patience;
  return decide(&p, 0, 0, 1, &out->time);
}

// --- asking --------------------------------------------------------------------------------------------------------

static inline int case_impact(const ccd_case *c, double near, double *time) {
  return c->kind == MUS_VERTEX_FACE
             ? mus_vertex_face_impact((const double(*)[3])c->x0, (const double(*)[3])c->x1, near, time)
             : mus_edge_edge_impact((const double(*)[3])c->x0, (const double(*)[3])c->x1, near, time);
}

// How close a pair must not come, from nothing to more than its size.
static inline double roll_near(const ccd_case *c, uint64_t number) {
  static const double share[] = {0, 1e-15, 1e-9, 1e-4, 1e-2, 10};
  return share[number % 6] * c->size;
}

// What is found in the first `count` cases of each kind.
typedef struct ccd_counts {
  uint64_t meetings, missed, late; // pairs that meet; those not found; those found too late
  uint64_t decided_apart, undecided, apart_found;
} ccd_counts;

static inline void ask_meeting(const ccd_case *c, uint64_t number, ccd_counts *counts) {
  double time, near = roll_near(c, number), share_near = near;
  ++counts->meetings;
  if (!case_impact(c, near, &time))
    ++counts->missed;
  else if (!(time <= c->time))
    ++counts->late;
  if (!mus_pair_impact(c->kind, (const double(*)[3])c->x0, (const double(*)[3])c->x1, 0.5, &share_near, &time))
    ++counts->missed;
  else if (!(time <= c->time))
    ++counts->late;
}

static inline ccd_counts ask_cases(uint64_t seed, uint64_t constructed, uint64_t decided) {
  ccd_counts counts = {0};
  ccd_case c;
  for (uint64_t i = 0; i < constructed; ++i) {
    constructed_case(seed, i, &c);
    ask_meeting(&c, i, &counts);
  }
  for (uint64_t i = 0; i < decided; ++i) {
    double time;
    verdict v = decided_case(seed + 1, i, &c);
    if (v == MEET)
      ask_meeting(&c, i, &counts);
    counts.undecided += v == UNDECIDED;
    if (v == APART) { // by a rounding's distance at least, but for few
      ++counts.decided_apart;
      counts.apart_found += (uint64_t)case_impact(&c, 0, &time);
    }
  }
  return counts;
}

// Ends the test unless, of more than `meetings`, none was missed or late, and of more than `apart` that were proved
// apart less than one in `one_in` was found.
static inline void expect_all_found(const ccd_counts *c, uint64_t meetings, uint64_t apart, uint64_t one_in) {
  print_message("%llu meetings; %llu proved apart, %llu of these found; %llu undecided\n",
                (unsigned long long)c->meetings, (unsigned long long)c->decided_apart,
                (unsigned long long)c->apart_found, (unsigned long long)c->undecided);
  assert_true(c->meetings > meetings);
  assert_int_equal(c->missed, 0);
  assert_int_equal(c->late, 0);
  assert_true(c->decided_apart > apart);
  assert_true(c->apart_found < c->decided_apart / one_in);
}

#endif
