// The linear systems of a step: their matrix, the solver that the settings name, and a stronger one for systems at
// which that fails.
#ifndef MUS_STEP_LINEAR_H
#define MUS_STEP_LINEAR_H

#include "step/settings.h"
#include "step/workspace.h"

typedef struct mus_linear {
  mus_solver *solver;
  mus_solver *strong;     // made when it is first needed
  const mus_solver *last; // which of them ran last; `solver` before the first run
  mus_matrix matrix;      // of the model's pattern; its values lie in `solver`, mapped except while that solves or is
                          // prepared
  int prepared;           // 1: by mus_linear_prepare(), and the matrix may be read only
  int is_told;            // 1: the solver knows what is held in minimisations on a GPU (search.h)
} mus_linear;

// A new solver, without a memory of earlier steps, in place of the one before; none before is fine. The matrix keeps
// its values. On failure nothing is changed.
mus_status mus_linear_renew(mus_linear *linear, const mus_model *model, const mus_solver_options *options);
void mus_linear_free(mus_linear *linear);
// A new solver with what another remembers (mus_solver_remember) at the same positions, vertices * 3, in place of the
// one before. On failure nothing is changed.
mus_status mus_linear_recall(mus_linear *linear, const mus_model *model, const mus_solver_options *options,
                             const double *position, size_t size, const void *bytes);
size_t mus_linear_bytes(const mus_linear *linear);

// What a system has besides its matrix.
typedef struct mus_linear_system {
  const double *right, *position; // vertices * 3
  const mus_prescribed *prescribed;
  const mus_list *couplings; // mus_coupling, beyond the matrix's pattern; NULL if there are none
  const mus_seams *seams;    // to which matrix and right-hand side are reduced
} mus_linear_system;

// For minimisers that take search directions from a hierarchy (muslin/solver.h): sets the solver up for a system, whose
// right-hand side is not read. From then on, the matrix may be read only, and the second function gives what one level
// makes of a right-hand side, until the third lets the matrix be written again.
mus_status mus_linear_prepare(mus_linear *linear, const mus_linear_system *system, mus_step_record *record);
mus_status mus_linear_correct(mus_linear *linear, const mus_linear_system *system, int level, mus_correction kind,
                              double *change, mus_step_record *record);
void mus_linear_open(mus_linear *linear);

// Solves for `change`, and adds to the record what that took.
mus_status mus_linear_run(mus_linear *linear, const mus_linear_system *system, double *change, mus_step_record *record);
// The same; where it fails, it is done again by Cholesky's method, if that is built in and affordable, and counted.
mus_status mus_linear_solve(mus_linear *linear, const mus_linear_system *system, const mus_settings *settings,
                            double *change, mus_step_record *record);

#endif
