// Table 1 of Wang et al. 2018, as far as it concerns hierarchies: vertices, triangles, levels, colours, and how fast
// they converge.
#include "seed_003.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/failure.h"
#include "cli/numbers.h"

// Their examples, or what comes nearest: a dress of sewn panels for dress and gown.
static const char *const examples[] = {"sphere", "funnel", "dressed", "curtain", "tablecloth"};

// Garments that others have made, below the folder that MUSLIN_DATA names.
static const struct {
  const char *name, *file;
  double scale; // m per unit
} garments[] = {{"dress of 14 panels, sewn (Li et al. 2021)", "garments/codim-ipc/dress_knife/stage.obj.gz", 1},
                {"dress without a pattern (Li et al. 2022)", "garments/diffcloth/dress-v7k-f14k.obj.gz", 0.04}};

enum { REFERENCE_ITERATIONS = 30, CYCLES = 20 };

// --- rows ------------------------------------------------------------------------------------------------------------

static double number_named(const mus_level_report *level, const char *name) {
  for (int k = 0; k < level->numbers; ++k)
    if (strcmp(level->number[k].name, name) == 0)
      return level->number[k].value;
  return NAN;
}

static void print_levels(const mus_sim *sim, FILE *file) {
  const mus_solve_record *record = mus_sim_solve_record(sim);
  double fewest = INFINITY, most = 0;
  fprintf(file, " %s | %s | %d |", numbers_grouped(mus_sim_vertices(sim)).text,
          numbers_grouped(mus_sim_triangles(sim)).text, record->levels);
  for (int k = 0; k < record->levels; ++k) {
    double colours = number_named(&record->level[k], "colours");
    fewest = fmin(fewest, colours);
    most = fmax(most, colours);
    fprintf(file, "%s%d", k > 0 ? " / " : " ", record->level[k].rows);
  }
  fprintf(file, " | %.0f to %.0f | %.2f | %d |", fewest, most, record->operator_complexity, record->iterations);
}

// Cycles of fmg on the next step until the energy error is 1%.
static mus_status print_cycles(mus_sim *sim, FILE *file) {
  mus_minimise_options options = {.method = "newton-sa", .time_step = 1.0 / 30, .iterations = REFERENCE_ITERATIONS};
  mus_minimise_entry entry[REFERENCE_ITERATIONS + 1];
  int count, cycles = 0;
  mus_status status = mus_sim_minimise(sim, &options, entry, &count);
  if (status)
    return status;
  double least = entry[count - 1].energy;
  options.method = "fmg";
  options.iterations = CYCLES;
  status = mus_sim_minimise(sim, &options, entry, &count);
  if (status)
    return status;
  least = fmin(least, entry[count - 1].energy);
  while (cycles < count && entry[cycles].energy - least > 0.01 * (entry[0].energy - least))
    ++cycles;
  if (cycles < count)
    fprintf(file, " %d |\n", cycles);
  else
    fprintf(file, " more than %d |\n", CYCLES);
  return MUS_OK;
}

// The hierarchy of the scene's first step.
static mus_status measure(const char *name, mus_scene *scene, FILE *file) {
  mus_sim *sim = NULL;
  scene->solver.method = MUS_METHOD_GEOMETRIC;
  strcpy(scene->solver.multigrid.smoother, "gs");
  mus_status status = mus_sim_create(scene, &sim);
  if (!status)
    status = mus_sim_step(sim, NULL);
  if (!status) {
    fprintf(file, "| %s |", name);
    print_levels(sim, file);
    status = print_cycles(sim, file);
  }
  mus_sim_free(sim);
  return status;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static mus_status measure_example(const char *example, int vertices, FILE *file) {
  mus_scene scene;
  char name[64];
  mus_status status = mus_scene_builtin(example, &scene);
  if (status)
    return status;
  snprintf(name, sizeof name, "`%s`", example);
  status = mus_scene_resize(&scene, vertices, MUS_TESSELLATION_IRREGULAR);
  if (!status)
    status = measure(name, &scene, file);
  mus_scene_free(&scene);
  return status;
}

// Falls freely, without contact: some of these meshes intersect themselves.
static mus_status measure_garment(int k, const char *folder, FILE *file) {
  mus_scene scene;
  char text[2000];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.01, \"contact\": false, \"cloths\": [{\"shape\": {\"kind\": \"file\", \"file\": "
           "\"%s/%s\", \"scale\": %g}, \"velocity\": [1, 0, 0], \"pins\": [{\"where\": {\"vertices\": [0, 1, 2]}}]}]}",
           folder, garments[k].file, garments[k].scale);
  mus_status status = mus_scene_parse(garments[k].file, text, &scene);
  if (status)
    return status;
  status = measure(garments[k].name, &scene, file);
  mus_scene_free(&scene);
  return status;
}

int report_levels(const char *program, int vertices, FILE *file) {
  const char *folder = getenv("MUSLIN_DATA");
  fprintf(
      file,
      "\n## Table 1: hierarchies\n\nIrregular meshes. Colours are those of Gauss-Seidel, over all levels but the "
      "coarsest, which is solved directly; complexity is the non-zeros of all levels over those of the finest. "
      "Iterations are those of the solver `geometric` in the scene's first step, cycles those of `fmg` to an energy "
      "error of 1%% in a step of 1/30 s.\n\n"
      "| example | vertices | triangles | levels | nodes | colours | complexity | iterations | cycles |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof examples / sizeof *examples; ++k) {
    mus_status status = measure_example(examples[k], vertices, file);
    if (status)
      return failure_status(program, examples[k], status);
  }
  for (int k = 0; folder && k < (int)(sizeof garments / sizeof *garments); ++k) {
    mus_status status = measure_garment(k, folder, file);
    if (status)
      return failure_status(program, garments[k].name, status);
  }
  if (!folder)
    fprintf(file, "\nGarments made by others were not measured: `MUSLIN_DATA` names no folder that has them.\n");
  return 0;
}
