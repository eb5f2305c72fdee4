// Ways to find the minimum of a step's energy (step/objective.h), as a table. A new one is a file with its
// mus_minimiser_kind and a line in minimise.c.
//
// A minimiser is asked for one iteration after the other (a correction, a cycle: whatever its natural unit is). None
// may raise the energy: corrections go through mus_minimise_go(), which shortens them until they lower it. Between two
// iterations contact is looked at again, which may change the energy that is minimised.
#ifndef MUS_STEP_MINIMISE_MINIMISE_H
#define MUS_STEP_MINIMISE_MINIMISE_H

#include "step/minimise/terms.h"
#include "step/objective.h"

struct mus_conjugate;
struct mus_minimisation;

// Where the iterate and all vectors lie, and what is done with them there: on the host, or on a GPU (step/search.h).
// Minimisers that use nothing else, as Newton's method does, run on either. What fails on a GPU is kept: `status`
// (NULL: nothing can) tells, and numbers mean nothing from then on.
typedef struct mus_minimise_machine {
  // Has the iterate do what is prescribed, from then on exactly. J: its energy.
  double (*obey)(struct mus_minimisation *m);
  // r, in all directions and in those that are free, and its matrix where wanted.
  void (*assemble)(struct mus_minimisation *m, int with_matrix);
  // The change that solves the system which was assembled last, as far as the solver gets.
  mus_status (*solve)(struct mus_minimisation *m);
  // See conjugate.h.
  void (*conjugate)(struct mus_minimisation *m, struct mus_conjugate *conjugate, int anew, double slope);
  // A search along the change begins at the iterate. Returns r . change.
  double (*start)(struct mus_minimisation *m);
  // The iterate becomes the point at so much of the change; the same, and its energy; r there, and r . change.
  void (*place)(struct mus_minimisation *m, double length);
  double (*energy)(struct mus_minimisation *m, double length);
  double (*slope)(struct mus_minimisation *m);
  // An iteration begins; as a distance below, how far the iterate has come since, and how far so much of the change
  // leads, after which no more is done with it.
  void (*mark)(struct mus_minimisation *m);
  double (*moved)(struct mus_minimisation *m);
  double (*way)(struct mus_minimisation *m, double length);
  mus_status (*status)(const struct mus_minimisation *m);
  // In place of the solver's hierarchy: the functions below. NULL: the solver's counts.
  mus_status (*prepare)(struct mus_minimisation *m);
  mus_status (*correct)(struct mus_minimisation *m, int level, mus_correction kind);
  int (*levels)(const struct mus_minimisation *m);
} mus_minimise_machine;

extern const mus_minimise_machine mus_minimise_host; // host.c

// The minimum of one step, while it is looked for.
typedef struct mus_minimisation {
  const mus_minimise_machine *machine;
  void *there;               // its own; what follows of vectors is the host's alone
  const mus_step_context *c; // c->linear is the minimiser's to use
  const mus_scheme *s;
  mus_step_record *record;
  // Of the energy, besides the step's; NULL: none.
  const mus_minimise_terms *terms;
  double energy;   // J, at the iterate, which is in c->state
  double products; // work so far, in products with the matrix
  int iteration;   // which this is, from 0 at the start of the step
  int changed;     // 1: the energy is another one than in the iteration before
  int assembled;   // 1: `free` is that of the iterate
  double *free;    // unknowns: r in all directions that are free
  double *iterate; // unknowns: workspace of mus_minimise_go()
  double *last;    // unknowns: velocities before the iteration
  double cut;      // the least part of a correction's first length that this iteration has gone
  double spread;   // how often the accuracy a single vertex may be off; 1: the farthest counts
  double moved;    // m: how far the last iteration moved vertices: the root mean square, or the farthest over `spread`;
                   // had it gone all the way, or could it have gone at all
  double barred;   // m: likewise, how far corrections of this iteration would have gone that led to nothing lower
  double off;      // m: how far the iterate was from what the last look at contact asked for
  double factor;   // of the last iteration: `moved` over that of the one before
  double drop[4];  // J: by how much the last iterations have lowered the energy, the latest first
  int by_energy;   // 1: the error is estimated by these as well
} mus_minimisation;

enum { MUS_MINIMISER_VARIANTS = 3 };

// What follows the kind's name in the name of a method, as in "newton-sa" or "fmg-geometric:matrix-step".
typedef struct mus_minimiser_words {
  const char *solver;                          // after the dash; "" if there is none
  const char *variant[MUS_MINIMISER_VARIANTS]; // after colons; NULL if there is none
} mus_minimiser_words;

typedef struct mus_minimiser_kind {
  const char *name;
  const char *const *names;    // with each of its solvers, the usual first: name-solver; NULL at the end
  const char *const *variants; // what may follow after colons, likewise; NULL: nothing
  // Sets what its linear systems need besides the scene's options; NULL: nothing. MUS_UNSUPPORTED if the model cannot
  // be minimised in this way.
  mus_status (*configure)(const mus_model *model, const mus_minimiser_words *words, mus_solver_options *solver);
  // Workspace; all NULL if it needs none. What is in it may matter to speed, not to where the minimum is.
  mus_status (*create)(const mus_model *model, const mus_minimiser_words *words, void **own);
  void (*free)(void *own);
  size_t (*bytes)(const void *own);
  // One iteration. MUS_NOT_CONVERGED where no lower point is found.
  mus_status (*iterate)(mus_minimisation *m, void *own);
} mus_minimiser_kind;

extern const mus_minimiser_kind mus_minimiser_newton; // newton.c
extern const mus_minimiser_kind mus_minimiser_fmg;    // fmg.c
extern const mus_minimiser_kind mus_minimiser_fas;    // fas.c
extern const mus_minimiser_kind mus_minimiser_ncg;    // ncg.c
extern const mus_minimiser_kind mus_minimiser_gs;     // gs_chebyshev.c
extern const mus_minimiser_kind mus_minimiser_pd;     // pd.c

typedef struct mus_minimiser {
  const mus_minimiser_kind *kind;
  mus_minimiser_words words;
  void *own;
} mus_minimiser;

// 1 if this is among the variants.
int mus_minimiser_has(const mus_minimiser_words *words, const char *variant);
// 1 if the smoother is a preset's, so that a minimiser may take one of its own.
int mus_minimiser_may_choose_smoother(const mus_solver_options *solver);

// Reads a name, without making anything. MUS_BAD_INPUT lists what there is.
mus_status mus_minimiser_read(const char *name, mus_minimiser *out);
// Reads what a scene asks for. Without a name that is Newton's method with the scene's solver, which the names above
// need not list.
mus_status mus_minimiser_of(const mus_scene *scene, mus_minimiser *out);
// Of a scene's options, `solver` becomes those of the minimiser's linear systems.
mus_status mus_minimiser_configure(const mus_model *model, const mus_minimiser *minimiser, mus_solver_options *solver);
// Makes its workspace.
mus_status mus_minimiser_create(const mus_model *model, mus_minimiser *minimiser);
void mus_minimiser_free(mus_minimiser *minimiser); // all zero is fine
size_t mus_minimiser_bytes(const mus_minimiser *minimiser);

// --- for minimisers --------------------------------------------------------------------------------------------------

// r and, where wanted, its matrix at the iterate: `free`, work->right and linear->matrix. r alone is kept from before
// where that is still right.
void mus_minimise_assemble(mus_minimisation *m, int with_matrix);

// By c->linear, each with its work counted: what its solver makes of a right-hand side with the matrix that was
// assembled last, in work->change, whether or not it gets to its tolerance ...
mus_status mus_minimise_solve(mus_minimisation *m, const double *right);
// ... r and its matrix at the iterate, with the solver prepared for corrections ...
mus_status mus_minimise_prepare(mus_minimisation *m);
// ... how many levels it has ...
int mus_minimise_levels(const mus_minimisation *m);
// ... and what a level makes of a right-hand side (on another machine always r) with that matrix, in work->change.
mus_status mus_minimise_correct(mus_minimisation *m, const double *right, int level, mus_correction kind);

// m: the root mean square of vertices, or a part of the farthest's way, for velocities that differ by this sum of
// squares over all vertices, and by this square at most.
double mus_minimise_distance(const mus_minimisation *m, double sum, double largest);

// Goes from the iterate along work->change: `length` of it, or less until the energy is lower, or more or less where
// the parabola through what is known says so and `search` is 1. `length` becomes the part that was gone, `best` (unless
// it is NULL) the lowest point of that parabola. MUS_NOT_CONVERGED, with the iterate as before, if no lower point is
// found.
mus_status mus_minimise_go(mus_minimisation *m, int search, double *length, double *best);

// --- for integrators -------------------------------------------------------------------------------------------------

typedef struct mus_minimise_workspace {
  double *free, *iterate, *last; // unknowns each
} mus_minimise_workspace;
mus_status mus_minimise_workspace_create(mus_arena *arena, size_t unknowns, mus_minimise_workspace *out);

// From what c->work and c->state hold after contacts are found: has velocities do what is prescribed, and begins.
mus_status mus_minimise_begin(const mus_step_context *c, const mus_scheme *s, const mus_minimise_workspace *work,
                              mus_step_record *record, mus_minimisation *out);
// The same on another machine; `work` is the host's and NULL for others.
mus_status mus_minimise_begin_on(const mus_minimise_machine *machine, void *there, const mus_step_context *c,
                                 const mus_scheme *s, const mus_minimise_workspace *work, mus_step_record *record,
                                 mus_minimisation *out);
// One iteration.
mus_status mus_minimise_iterate(mus_minimisation *m, mus_minimiser *minimiser);
// Looks at contact again (contact/contact.h) between iterations; at the minimum, where `converged` is 1, it is also
// seen what has to be let go. m->changed becomes 1 where that makes another energy, and m->off tells by how much.
mus_status mus_minimise_look(mus_minimisation *m, int converged);
// m: an estimate of how far the iterate is from the minimum, by how far the last iterations moved, and how fast that
// falls; INFINITY before there are any. With `by_energy` it is also, as a root mean square by mass, the distance at
// which inertia alone would cost the energy that iterations have yet to gain, judged by what the last ones have gained.
double mus_minimise_error(const mus_minimisation *m);
// On the host: leaves the step as integrators do (step/integrator.h).
void mus_minimise_end(mus_minimisation *m);

#endif
