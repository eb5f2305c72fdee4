// Minimisations on the host: vectors are those of c->state, c->work and the minimisation's workspace. See minimise.h.
#include <math.h>

#include "par/vector.h"
#include "step/minimise/conjugate.h"

static double energy_here(const mus_minimisation *m) {
  return mus_objective(m->c, m->s) + mus_minimise_terms_energy(m->terms, m->c->model, m->c->state->velocity);
}

static double obey(mus_minimisation *m) {
  const mus_step_context *c = m->c;
  mus_prescribed_go(&c->work->prescribed, c->state->velocity);
  mus_prescribe_rest(&c->work->prescribed);
  mus_seams_expand(&c->work->seams, c->state->velocity);
  mus_scheme_move(m->s, c->work->unknowns, c->work->predicted, c->state->velocity, c->state->position);
  return energy_here(m);
}

static void assemble(mus_minimisation *m, int with_matrix) {
  mus_objective_assemble(m->c, m->s, with_matrix);
  mus_minimise_terms_load(m->terms, m->c->model, m->c->state->velocity, with_matrix ? &m->c->linear->matrix : NULL,
                          m->c->work->right);
  mus_copy(m->c->work->unknowns, m->c->work->right, m->free);
  mus_prescribed_clear(&m->c->work->prescribed, m->free);
}

static mus_status solve(mus_minimisation *m) { return mus_minimise_solve(m, m->c->work->right); }

static double start(mus_minimisation *m) {
  size_t n = m->c->work->unknowns;
  mus_copy(n, m->c->state->velocity, m->iterate);
  return mus_dot(n, m->free, m->c->work->change);
}

static void place(mus_minimisation *m, double length) {
  const mus_step_context *c = m->c;
  size_t n = c->work->unknowns;
  mus_copy(n, m->iterate, c->state->velocity);
  mus_axpy(n, length, c->work->change, c->state->velocity);
  mus_scheme_move(m->s, n, c->work->predicted, c->state->velocity, c->state->position);
  mus_objective_guard(c, m->s, m->iterate);
}

static double energy(mus_minimisation *m, double length) {
  place(m, length);
  return energy_here(m);
}

static double slope(mus_minimisation *m) {
  m->assembled = 0;
  mus_minimise_assemble(m, 0);
  return mus_dot(m->c->work->unknowns, m->free, m->c->work->change);
}

// m: how far two velocities lead apart.
static double distance(const mus_minimisation *m, const double *one, const double *other) {
  size_t n = m->c->work->unknowns;
  double sum = 0, largest = 0;
  for (size_t i = 0; i < n; i += 3) {
    double way[3], square;
    mus_subtract3(one + i, other + i, way);
    square = mus_dot3(way, way);
    sum += square;
    largest = fmax(largest, square);
  }
  return mus_minimise_distance(m, sum, largest);
}

static void mark(mus_minimisation *m) { mus_copy(m->c->work->unknowns, m->c->state->velocity, m->last); }

static double moved(mus_minimisation *m) { return distance(m, m->c->state->velocity, m->last); }

static double way(mus_minimisation *m, double length) {
  mus_axpy(m->c->work->unknowns, length, m->c->work->change, m->iterate);
  return distance(m, m->c->state->velocity, m->iterate);
}

const mus_minimise_machine mus_minimise_host = {.obey = obey,
                                                .assemble = assemble,
                                                .solve = solve,
                                                .conjugate = mus_conjugate_apply,
                                                .start = start,
                                                .place = place,
                                                .energy = energy,
                                                .slope = slope,
                                                .mark = mark,
                                                .moved = moved,
                                                .way = way};
