// Table 1 of Wang et al. 2018, as far as it concerns hierarchies: vertices, triangles, levels and colours.
#include "seed_003.h"

#include <math.h>
#include <string.h>

#include "cli/failure.h"
#include "cli/numbers.h"

// Their examples, or what comes nearest: a dress of sewn panels for dress and gown.
static const char *const examples[] = {"sphere", "funnel", "dressed", "curtain", "tablecloth"};

static double number_named(const mus_level_report *level, const char *name) {
  for (int k = 0; k < level->numbers; ++k)
    if (strcmp(level->number[k].name, name) == 0)
      return level->number[k].value;
  return NAN;
}

static void print_row(const char *example, const mus_sim *sim, FILE *file) {
  const mus_solve_record *record = mus_sim_solve_record(sim);
  double fewest = INFINITY, most = 0;
  fprintf(file, "| `%s` | %s | %s | %d |", example, numbers_grouped(mus_sim_vertices(sim)).text,
          numbers_grouped(mus_sim_triangles(sim)).text, record->levels);
  for (int k = 0; k < record->levels; ++k) {
    double colours = number_named(&record->level[k], "colours");
    fewest = fmin(fewest, colours);
    most = fmax(most, colours);
    fprintf(file, "%s%d", k > 0 ? " / " : " ", record->level[k].rows);
  }
  fprintf(file, " | %.0f to %.0f | %.2f |\n", fewest, most, record->operator_complexity);
}

// The hierarchy of the scene's first step.
static mus_status measure(const char *example, int vertices, FILE *file) {
  mus_scene scene;
  mus_sim *sim = NULL;
  mus_status status = mus_scene_builtin(example, &scene);
  if (status)
    return status;
  status = mus_scene_resize(&scene, vertices, MUS_TESSELLATION_IRREGULAR);
  scene.solver.method = MUS_METHOD_GEOMETRIC;
  strcpy(scene.solver.multigrid.smoother, "gs");
  if (!status)
    status = mus_sim_create(&scene, &sim);
  if (!status)
    status = mus_sim_step(sim, NULL);
  if (!status)
    print_row(example, sim, file);
  mus_sim_free(sim);
  mus_scene_free(&scene);
  return status;
}

int report_levels(const char *program, int vertices, FILE *file) {
  fprintf(
      file,
      "\n## Table 1: hierarchies\n\nIrregular meshes. Colours are those of Gauss-Seidel, over all levels but the "
      "coarsest, which is solved directly; complexity is the non-zeros of all levels over those of the finest.\n\n"
      "| example | vertices | triangles | levels | nodes | colours | complexity |\n|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof examples / sizeof *examples; ++k) {
    mus_status status = measure(examples[k], vertices, file);
    if (status)
      return failure_status(program, examples[k], status);
  }
  return 0;
}
