// An implicit step of a solid: what acts, a guess, and the solve. See solid.h.
//
// Guesses are: all stays, all goes on as fast as it does, all goes on as a rigid body would, and all moves as a rigid
// body that follows what is held. That with the least residual is taken.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "base/vector3.h"
#include "lattice/rotations.h"
#include "lattice/solid_state.h"
#include "par/par.h"

// Residuals so small, relative to forces, are 0.
#define NOTHING 1e-11
// Regions are moved in parts that turn by no more, rad.
#define MOST_TURN 0.8

static int is_unknown(const mus_lattice_solid *s, size_t cell, int axis) {
  return mus_lattice_is(s->lattice->domain, cell, (uint32_t)MUS_LATTICE_UNKNOWN << axis);
}

// --- rotations and rigid motions -------------------------------------------------------------------------------------

// exp of the rotation vector w, by rows (Rodrigues).
static void turn_by(const double w[3], double q[9]) {
  double angle = mus_length3(w), s = angle > 0 ? sin(angle) / angle : 1;
  double c = angle > 0 ? (1 - cos(angle)) / (angle * angle) : 0.5;
  const double cross[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int k = 0; k < 9; ++k)
    q[k] = (k % 4 == 0 ? cos(angle) : 0) + c * w[k / 3] * w[k % 3] + s * cross[k];
}

// The rotation vector of q, of length 0 to pi.
static void turn_of(const double q[9], double w[3]) {
  const double axis[3] = {q[7] - q[5], q[2] - q[6], q[3] - q[1]};
  double sine = mus_length3(axis) / 2, cosine = (q[0] + q[4] + q[8] - 1) / 2, angle = atan2(sine, cosine);
  if (sine > 1e-8) {
    mus_scale3(angle / (2 * sine), axis, w);
    return;
  }
  int k = q[0] > q[4] ? 0 : 1; // half a turn: 2 n n^T - 1; or next to nothing
  k = q[8] > q[4 * k] ? 2 : k;
  for (int a = 0; a < 3; ++a)
    w[a] = q[3 * a + k] + (a == k);
  double length = mus_length3(w);
  mus_scale3(cosine < 0 && length > 0 ? angle / length : 0, w, w);
}

// a = b c, or b c^T, by rows.
static void multiply(const double b[9], const double c[9], int is_transposed, double a[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      a[3 * i + j] = 0;
      for (int k = 0; k < 3; ++k)
        a[3 * i + j] += b[3 * i + k] * (is_transposed ? c[3 * j + k] : c[3 * k + j]);
    }
}

// x goes to Q (x - from) + to.
typedef struct rigid {
  double turn[9], from[3], to[3];
} rigid;

static void move_rigidly(const rigid *m, const double x[3], double out[3]) {
  for (int a = 0; a < 3; ++a)
    out[a] = m->to[a] + m->turn[3 * a] * (x[0] - m->from[0]) + m->turn[3 * a + 1] * (x[1] - m->from[1]) +
             m->turn[3 * a + 2] * (x[2] - m->from[2]);
}

// Where the middle of an interior cell is, and its velocity.
static void cell_motion(const mus_lattice_solid *s, size_t cell, double x[3], double v[3]) {
  const mus_lattice_domain *d = s->lattice->domain;
  mus_solid_face_place(s, cell, -1, x);
  for (int a = 0; a < 3; ++a) {
    size_t above = cell + d->stride[a];
    const uint32_t value = (uint32_t)(MUS_LATTICE_UNKNOWN | MUS_LATTICE_HELD) << a;
    int low = (d->flags[cell] & value) != 0, high = (d->flags[above] & value) != 0;
    x[a] += (s->start[a][cell] + s->start[a][above]) / 2; // beyond free boundaries too
    v[a] = low + high > 0 ? (low * s->velocity[a][cell] + high * s->velocity[a][above]) / (low + high) : 0;
  }
}

// As a rigid body with the momenta of the start would go on, and fall.
static void find_flight(const mus_lattice_solid *s, rigid *out) {
  const mus_turned_level *t = mus_solid_level(s);
  size_t solid = t->level.domain->solid;
  double speed[3] = {0}, spin[3] = {0}, inertia[9] = {0}, x[3], v[3], arm[3], moment[3];
  *out = (rigid){0};
  for (size_t k = 0; k < solid; ++k) {
    cell_motion(s, (size_t)t->cell[k], x, v);
    mus_add_scaled3(1 / (double)solid, x, out->from);
    mus_add_scaled3(1 / (double)solid, v, speed);
  }
  for (size_t k = 0; k < solid; ++k) {
    cell_motion(s, (size_t)t->cell[k], x, v);
    for (int a = 0; a < 3; ++a)
      arm[a] = x[a] - out->from[a];
    mus_cross3(arm, v, moment);
    mus_add_scaled3(1, moment, spin);
    for (int e = 0; e < 9; ++e)
      inertia[e] += (e % 4 == 0 ? mus_dot3(arm, arm) : 0) - arm[e / 3] * arm[e % 3];
  }
  double r0[3], r1[3], r2[3]; // columns of the inverse of a symmetric matrix, but for the determinant
  mus_cross3(inertia + 3, inertia + 6, r0);
  mus_cross3(inertia + 6, inertia, r1);
  mus_cross3(inertia, inertia + 3, r2);
  double determinant = mus_dot3(inertia, r0), w[3] = {0};
  for (int a = 0; a < 3 && determinant > 0; ++a)
    w[a] = s->seconds * (r0[a] * spin[0] + r1[a] * spin[1] + r2[a] * spin[2]) / determinant;
  turn_by(w, out->turn);
  for (int a = 0; a < 3; ++a)
    out->to[a] = out->from[a] + s->seconds * speed[a] + s->seconds * s->seconds * s->step->gravity[a];
}

// As what is held moves, at best.
static void find_lead(const mus_lattice_solid *s, const mus_lattice_map *to, rigid *out) {
  double x[3], from[3], next[3], sum[9] = {0};
  *out = (rigid){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int pass = 0; pass < 2; ++pass)
    for (int k = 0; k < s->held_count; ++k) {
      const mus_held_face *face = &s->held[k];
      mus_solid_face_place(s, (size_t)face->cell, face->axis, x);
      mus_map_apply(&s->map[face->region[0]], x, from);
      mus_map_apply(&to[face->region[0]], x, next);
      if (pass == 0) {
        mus_add_scaled3(1.0 / s->held_count, from, out->from);
        mus_add_scaled3(1.0 / s->held_count, next, out->to);
      } else {
        for (int e = 0; e < 9; ++e)
          sum[e] += (next[e / 3] - out->to[e / 3]) * (from[e % 3] - out->from[e % 3]);
      }
    }
  if (s->held_count > 0)
    mus_rotation_of(sum, out->turn);
}

// --- regions -------------------------------------------------------------------------------------------------------

// Moves in parts: of the way of a region from its map at the start to that at the end.
static void part_of_way(const mus_lattice_solid *s, int region, const mus_lattice_map *to, double part,
                        mus_lattice_map *out) {
  const mus_lattice_map *from = &s->map[region];
  double before[9], after[9], relative[9], w[3], turn[9], back[9], centre[3] = {0}, x[3], start[3], end[3];
  int count = 0;
  mus_rotation_of(from->linear, before);
  mus_rotation_of(to->linear, after);
  multiply(after, before, 1, relative);
  turn_of(relative, w);
  for (int e = 0; e < 9; ++e)
    back[e] = relative[3 * (e % 3) + e / 3];
  multiply(back, to->linear, 0, after);
  for (int e = 0; e < 9; ++e)
    before[e] = (1 - part) * from->linear[e] + part * after[e];
  mus_scale3(part, w, w);
  turn_by(w, turn);
  multiply(turn, before, 0, out->linear);
  for (int k = 0; k < s->held_count; ++k)
    if (s->held[k].region[0] == region) {
      mus_solid_face_place(s, (size_t)s->held[k].cell, s->held[k].axis, x);
      mus_add_scaled3(1, x, centre);
      ++count;
    }
  mus_scale3(count > 0 ? 1.0 / count : 0, centre, centre);
  mus_map_apply(from, centre, start);
  mus_map_apply(to, centre, end);
  for (int a = 0; a < 3; ++a)
    out->shift[a] = (1 - part) * start[a] + part * end[a] - mus_dot3(out->linear + 3 * a, centre);
}

// The largest turn of a region beside that which all of them make.
static double largest_turn(const mus_lattice_solid *s, const mus_lattice_map *to, const rigid *lead) {
  double largest = 0;
  for (int k = 0; k < s->regions; ++k) {
    double before[9], after[9], relative[9], w[3];
    mus_rotation_of(s->map[k].linear, before);
    mus_rotation_of(to[k].linear, after);
    multiply(after, before, 1, relative);
    multiply(relative, lead->turn, 1, after);
    turn_of(after, w);
    largest = fmax(largest, mus_length3(w));
  }
  return largest;
}

// --- guesses -------------------------------------------------------------------------------------------------------

// Rotations and pressures of the start.
static void restore_cells(mus_lattice_solid *s) {
  const double *from = s->saved;
  const mus_turned_level *t = mus_solid_level(s);
  for (int a = 0; a < 3; ++a)
    from += 2 * s->face_count[a];
  for (size_t k = 0; k < t->level.domain->solid; ++k, from += MUS_SOLID_CELL_SIZE) {
    t->level.x[3][t->cell[k]] = from[0];
    t->volume[t->cell[k]] = from[1];
    for (int e = 0; e < 9; ++e) {
      t->rotation[e][t->cell[k]] = from[2 + 2 * e];
      t->coupling[e][t->cell[k]] = from[3 + 2 * e];
    }
  }
}

static void guess_drift(mus_lattice_solid *s, double seconds) {
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      s->lattice->finest.x[a][n] = s->start[a][n] + seconds * s->velocity[a][n];
    }
}

// Displacements of cells by the motion, and the mean of those beside a face for it; rotations turn too.
static void guess_rigid(mus_lattice_solid *s, const rigid *motion) {
  const mus_turned_level *t = mus_solid_level(s);
  const mus_lattice_domain *d = t->level.domain;
  for (size_t k = 0; k < d->solid; ++k) {
    size_t cell = (size_t)t->cell[k];
    double x[3], v[3], next[3], r[9], c[9], turned[9], coupled[9];
    cell_motion(s, cell, x, v);
    move_rigidly(motion, x, next);
    mus_rotations_get(t, cell, r, c);
    multiply(motion->turn, r, 0, turned);
    multiply(motion->turn, c, 0, coupled);
    for (int a = 0; a < 3; ++a)
      s->extended[a][cell] = next[a] - x[a];
    for (int e = 0; e < 9; ++e) {
      t->rotation[e][cell] = turned[e];
      t->coupling[e][cell] = coupled[e];
    }
  }
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      if (is_unknown(s, n, a))
        s->lattice->finest.x[a][n] = s->start[a][n] + (s->extended[a][n] + s->extended[a][n - d->stride[a]]) / 2;
    }
}

enum { GUESS_STAY, GUESS_FLIGHT, GUESS_LEAD, GUESS_DRIFT, GUESSES };

static double try_guess(mus_lattice_solid *s, int guess, const mus_lattice_map *to, const rigid *lead) {
  rigid flight;
  restore_cells(s);
  guess_drift(s, guess == GUESS_DRIFT ? s->seconds : 0);
  if (guess == GUESS_FLIGHT) {
    find_flight(s, &flight);
    guess_rigid(s, &flight);
  } else if (guess == GUESS_LEAD) {
    guess_rigid(s, lead);
  }
  mus_solid_hold(s, to);
  mus_turned_renew(&s->lattice->corotational->solved);
  return mus_corotational_evaluate(s->lattice, 1);
}

static void choose_guess(mus_lattice_solid *s, const mus_lattice_map *to, const rigid *lead) {
  int best = GUESS_STAY;
  double least = (double)INFINITY;
  for (int guess = 0; guess < GUESSES; ++guess) {
    if (guess == GUESS_LEAD && s->held_count == 0)
      continue;
    double size = try_guess(s, guess, to, lead);
    if (size < least) {
      least = size;
      best = guess;
    }
  }
  try_guess(s, best, to, lead);
}

// --- the step ------------------------------------------------------------------------------------------------------

static mus_status check(const mus_lattice_solid *s, const mus_lattice_step *step) {
  double sum = step->gravity[0] + step->gravity[1] + step->gravity[2];
  for (size_t k = 0; k < 3 * (size_t)s->points && step->force; ++k)
    sum += step->force[k];
  for (int k = 0; k < s->regions && step->regions; ++k)
    for (int e = 0; e < 12; ++e)
      sum += e < 9 ? step->regions[k].linear[e] : step->regions[k].shift[e - 9];
  if (!(step->seconds > 0) || !isfinite(step->seconds) || !isfinite(sum))
    return mus_fail(MUS_BAD_INPUT, "lattice: a step of %g s, or what acts in it, is not finite or not positive",
                    step->seconds);
  return MUS_OK;
}

// Units, inertia and forces.
double mus_solid_begin(mus_lattice_solid *s, const mus_lattice_step *step) {
  mus_lattice *l = s->lattice;
  const mus_turned_level *t = mus_solid_level(s);
  double square = 0, h = step->seconds;
  s->step = step;
  s->seconds = h;
  s->contacts = 0;
  memset(s->contact, 0, (size_t)s->points * sizeof *s->contact);
  s->damped = 1 + s->settings.damping / h;
  l->shear = s->damped * s->settings.young / (2 + 2 * s->settings.poisson);
  for (int a = 0; a < 3; ++a)
    memset(l->force[a], 0, l->domain->cells * sizeof(double));
  mus_lattice_load(l);
  mus_turned_pull(t, 0);
  mus_turned_extend(t, l->spacing);
  for (int a = 0; a < 3; ++a)
    memcpy(s->start[a], t->level.x[a], l->domain->cells * sizeof(double));
  mus_solid_point_values(s, s->embedding, s->start, s->began);
  for (size_t k = 0; k < 3 * (size_t)s->points; ++k)
    s->began[k] += s->rest[k];
  if (s->step->force)
    mus_embedding_spread(s->embedding, s->step->force, s->spread);
  double unit = l->shear * l->spacing;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      double given = s->mass[a][n] * s->step->gravity[a] + (s->step->force ? s->spread[a][n] : 0);
      double push = s->mass[a][n] * s->velocity[a][n] / h;
      t->held[a][n] = s->mass[a][n] / (h * h * unit);
      if (!is_unknown(s, n, a))
        continue;
      l->force[a][n] = given + push + s->mass[a][n] / (h * h) * s->start[a][n];
      square += (given * given + push * push) / (unit * unit);
    }
  if (s->stress)
    mus_solid_begin_damping(s);
  return sqrt(square);
}

static mus_status solve(mus_lattice_solid *s, double loads, mus_lattice_step_record *record) {
  const mus_lattice_map *to = s->step->regions ? s->step->regions : s->map;
  mus_lattice *l = s->lattice;
  mus_lattice_record one;
  mus_status status = MUS_OK;
  rigid lead;
  find_lead(s, to, &lead);
  record->parts = 1 + (int)(largest_turn(s, to, &lead) / MOST_TURN);
  for (int part = 1; part <= record->parts && !status; ++part) {
    for (int k = 0; k < s->regions; ++k) {
      s->way[k] = to[k];
      if (part < record->parts)
        part_of_way(s, k, &to[k], (double)part / record->parts, &s->way[k]);
    }
    if (part == 1) {
      find_lead(s, s->way, &lead);
      choose_guess(s, s->way, &lead);
    } else {
      mus_solid_hold(s, s->way);
    }
    mus_corotational_goal goal = {.reference = hypot(loads, mus_corotational_stresses(l)),
                                  .tolerance = NOTHING,
                                  .error = s->settings.tolerance * (part < record->parts ? 10 : 1),
                                  .cycles = s->settings.cycles,
                                  .follows = s->step->regions != NULL};
    if (!isfinite(goal.reference))
      return mus_fail(MUS_BREAKDOWN, "lattice: forces of a step are not finite");
    status = mus_corotational_solve(l, &goal, &one, &record->error);
    record->cycles += one.cycles;
    record->residual = one.residuals[one.cycles];
  }
  return status;
}

static void commit(mus_lattice_solid *s) {
  const mus_turned_level *t = mus_solid_level(s);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < s->face_count[a]; ++k) {
      size_t n = (size_t)s->face[a][k];
      s->velocity[a][n] = (t->level.x[a][n] - s->start[a][n]) / s->seconds;
    }
  for (int k = 0; k < s->regions && s->step->regions; ++k)
    s->map[k] = s->step->regions[k];
  for (size_t p = 0; p < (size_t)s->points; ++p)
    memcpy(s->slip + 3 * p, s->contact[p].slip, sizeof s->contact[p].slip);
}

static void report(const mus_lattice_solid *s, mus_lattice_step_record *record) {
  const mus_turned_level *t = mus_solid_level(s);
  double volume = 0;
  record->contacts = s->contacts;
  for (size_t p = 0; p < (size_t)s->points; ++p) {
    if (!s->contact[p].is_active)
      continue;
    record->penetration = fmax(record->penetration, s->contact[p].depth);
    mus_add_scaled3(1, s->contact[p].force, record->contact_force);
  }
  for (size_t k = 0; k < t->level.domain->solid; ++k) {
    double determinant = mus_solid_cell_volume(s, (size_t)t->cell[k]);
    volume += determinant;
    record->inverted += !(determinant > 0);
  }
  record->volume = volume / (double)t->level.domain->solid;
}

mus_status mus_lattice_solid_step(mus_lattice_solid *s, const mus_lattice_step *step, mus_lattice_step_record *record) {
  double started = mus_seconds();
  *record = (mus_lattice_step_record){0};
  mus_status status = check(s, step);
  if (status)
    return status;
  mus_lattice_solid_save(s, s->saved);
  double loads = mus_solid_begin(s, step);
  status = isfinite(loads) ? solve(s, loads, record) : mus_fail(MUS_BREAKDOWN, "lattice: forces are not finite");
  if (status) {
    mus_lattice_solid_load(s, s->saved);
  } else {
    commit(s);
    report(s, record);
  }
  s->step = NULL;
  record->seconds = mus_seconds() - started;
  return status;
}
