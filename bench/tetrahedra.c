// Measures how long elements of solids take, in nanoseconds per tetrahedron on one thread: energies, forces, and forces
// with matrices and damping, for every model, of a box that is deformed a little and of one in which many tetrahedra
// are inside out.
//
// The machine may be shared and noisy, so processor time is what counts, everything is taken in turn, many times over,
// and medians are printed.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/random.h"
#include "energy/kinds.h"
#include "energy/solid_law.h"
#include "mesh/tetrahedra_generate.h"

enum { CELLS = 12, REPEATS = 41, RUN = 256, MODELS = MUS_SOLID_MODEL_MASS_SPRING + 1, TASKS = 3, STATES = 2 };

typedef struct workload {
  mus_tetrahedra mesh;
  mus_element_list list[MODELS];
  double *position[STATES], *velocity;
  double energy[RUN], gradient[RUN * 12], block[RUN * 90];
} workload;

static mus_status create(mus_arena *arena, workload *w) {
  mus_status status =
      mus_solid_box_of_cells(arena, (const double[]){1, 1, 1}, (const int[]){CELLS, CELLS, CELLS}, &w->mesh);
  if (status)
    return status;
  const mus_tetrahedra *m = &w->mesh;
  size_t n = 3 * (size_t)m->vertices;
  mus_lame lame = mus_lame_of(1e5, 0.4);
  mus_solid_source solid = {.count = m->tetrahedra,
                            .corner = m->corner,
                            .rest = m->position,
                            .mu = lame.mu,
                            .lambda = lame.lambda,
                            .damping = 0.01};
  mus_element_source source = {.solid = &solid};
  for (int model = 0; model < MODELS && !status; ++model)
    status = mus_element_list_create(mus_solid_kinds((mus_solid_model)model)[0], arena, &source, &w->list[model]);
  w->velocity = mus_arena_alloc(arena, n, sizeof *w->velocity);
  for (int state = 0; state < STATES; ++state) {
    double far = (state == 0 ? 0.05 : 0.6) / CELLS;
    w->position[state] = mus_arena_alloc(arena, n, sizeof(double));
    if (!w->position[state] || !w->velocity)
      return mus_fail_memory();
    for (size_t k = 0; k < n; ++k) {
      w->position[state][k] = m->position[k] + far * mus_random(1, k);
      w->velocity[k] = mus_random(2, k);
    }
  }
  return status;
}

// Task 0 wants energies, 1 forces with damping, 2 matrices as well, as a step of 2 ms does.
static double seconds(workload *w, int model, int state, int task) {
  const mus_element_list *list = &w->list[model];
  mus_evaluation e = {.position = w->position[state],
                      .velocity = task > 0 ? w->velocity : NULL,
                      .blend = {4e-6, 2e-3, 2e-3, 0, 0},
                      .scale = 1,
                      .energy = task == 0 ? w->energy : NULL,
                      .gradient = task > 0 ? w->gradient : NULL,
                      .block = task == 2 ? w->block : NULL};
  clock_t start = clock();
  for (int first = 0; first < list->count; first += RUN)
    list->kind->evaluate(list, first, list->count - first < RUN ? list->count - first : RUN, &e);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static double taken[MODELS][STATES][TASKS][REPEATS];
  static workload w;
  mus_arena arena = {0};
  mus_status status = create(&arena, &w);
  if (status) {
    fprintf(stderr, "%s\n", mus_last_error());
    return (int)status;
  }
  for (int repeat = 0; repeat < REPEATS; ++repeat)
    for (int model = 0; model < MODELS; ++model)
      for (int state = 0; state < STATES; ++state)
        for (int task = 0; task < TASKS; ++task)
          taken[model][state][task][repeat] = seconds(&w, model, state, task);
  printf("%d tetrahedra; ns per tetrahedron\n%-36s %-22s %s\n%-36s %8s %6s %6s %8s %6s %6s\n", w.mesh.tetrahedra, "",
         "  little deformed", "   many inside out", "", "energy", "force", "matrix", "energy", "force", "matrix");
  for (int model = 0; model < MODELS; ++model) {
    printf("%-36s", w.list[model].kind->name);
    for (int state = 0; state < STATES; ++state)
      for (int task = 0; task < TASKS; ++task) {
        double *sorted = taken[model][state][task];
        qsort(sorted, REPEATS, sizeof *sorted, compare);
        printf(task == 0 ? " %8.0f" : " %6.0f", 1e9 * sorted[REPEATS / 2] / w.mesh.tetrahedra);
      }
    printf("\n");
  }
  mus_arena_clear(&arena);
  return 0;
}
