// What there is to say about a result folder and its report. See info.h.
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/info.h"
#include "io/result.h"

// --- reports ---------------------------------------------------------------------------------------------------------

static mus_status read_text(const char *path, char **text, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be opened: check the name and the permissions", path);
  size_t room = 1 << 16;
  *length = 0;
  *text = malloc(room + 8);
  while (*text) {
    *length += fread(*text + *length, 1, room - *length, file);
    if (*length < room)
      break;
    char *larger = realloc(*text, 2 * room + 8);
    if (!larger)
      free(*text);
    *text = larger;
    room *= 2;
  }
  int failed = ferror(file);
  fclose(file);
  if (*text && failed) {
    free(*text);
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be read", path);
  }
  return *text ? MUS_OK : mus_fail_memory();
}

// A record that is on its way while this is read is left: all whole lines are there, and the list is closed.
static mus_status read_report(const char *path, json_t **report) {
  char *text = NULL;
  size_t length = 0;
  json_error_t error;
  mus_status status = read_text(path, &text, &length);
  if (status)
    return status;
  *report = json_loadb(text, length, 0, &error);
  if (!*report) {
    while (length > 0 && text[length - 1] != '\n')
      --length;
    memcpy(text + length, "]}", 3);
    *report = json_loadb(text, length + 2, 0, &error);
  }
  free(text);
  if (!json_is_object(*report) || !json_is_array(json_object_get(*report, "steps"))) {
    json_decref(*report);
    return mus_fail(MUS_BAD_INPUT, "%.200s: is not the report of a run", path);
  }
  return MUS_OK;
}

static double number_in(const json_t *object, const char *group, const char *name) {
  const json_t *inner = group ? json_object_get(object, group) : object;
  const json_t *value = json_object_get(inner, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

typedef struct totals {
  double iterations, most_iterations, newton, retries, halved, residual, strain;
  double seconds[5];
} totals;

static const char *const stages[5] = {"assemble", "setup", "prefilter", "solve", "other"};

static totals add_up(const json_t *steps) {
  totals t = {0};
  size_t k;
  json_t *step;
  json_array_foreach((json_t *)steps, k, step) {
    double iterations = number_in(step, NULL, "iterations");
    t.iterations += iterations;
    t.most_iterations = fmax(t.most_iterations, iterations);
    t.newton += number_in(step, NULL, "newton_iterations");
    t.retries += number_in(step, NULL, "retries");
    t.halved += number_in(step, NULL, "halvings") > 0;
    t.residual = fmax(t.residual, number_in(step, NULL, "residual"));
    t.strain = fmax(t.strain, number_in(step, "strain", "maximum"));
    for (int s = 0; s < 5; ++s)
      t.seconds[s] += number_in(step, "seconds", stages[s]);
  }
  return t;
}

static void print_steps(const json_t *steps, FILE *out) {
  size_t count = json_array_size(steps);
  if (count == 0) {
    mus_info_line(out, "steps", "none yet");
    return;
  }
  totals t = add_up(steps);
  const json_t *last = json_array_get(steps, count - 1);
  mus_info_line(out, "steps", "%zu, %g of them halved, %g solves retried", count, t.halved, t.retries);
  mus_info_line(out, "iterations", "%.1f a step, at most %g", t.iterations / (double)count, t.most_iterations);
  if (t.newton > (double)count)
    mus_info_line(out, "newton", "%.1f linear systems a step", t.newton / (double)count);
  mus_info_line(out, "residual", "%.2g at most", t.residual);
  mus_info_line(out, "strain", "%.3g at most; %.3g at the end, 99%% of the cloth below %.3g", t.strain,
                number_in(last, "strain", "maximum"), number_in(last, "strain", "percentile_99"));
  mus_info_line(out, "energies", "at the end, in J: kinetic %.4g, stretch %.4g, shear %.4g, bend %.4g, potential %.4g",
                number_in(last, "energies", "kinetic"), number_in(last, "energies", "stretch"),
                number_in(last, "energies", "shear"), number_in(last, "energies", "bend"),
                number_in(last, "energies", "potential"));
  mus_info_line(out, "seconds", "assembly %.3g, set-up %.3g, prefilter %.3g, solution %.3g, other %.3g", t.seconds[0],
                t.seconds[1], t.seconds[2], t.seconds[3], t.seconds[4]);
}

static void print_report(const json_t *report, FILE *out) {
  const char *scene = json_string_value(json_object_get(report, "scene"));
  const char *solver = json_string_value(json_object_get(report, "solver"));
  const char *cpu = json_string_value(json_object_get(json_object_get(report, "machine"), "cpu"));
  mus_info_line(out, "scene", "%s: %g vertices, %g triangles", scene ? scene : "?", number_in(report, NULL, "vertices"),
                number_in(report, NULL, "triangles"));
  mus_info_line(out, "solver", "%s to %g, on %g threads of %s", solver ? solver : "?",
                number_in(report, NULL, "tolerance"), number_in(report, "machine", "threads"), cpu ? cpu : "?");
  print_steps(json_object_get(report, "steps"), out);
}

mus_status mus_info_report(const char *path, FILE *out) {
  json_t *report = NULL;
  mus_status status = read_report(path, &report);
  if (status)
    return status;
  fprintf(out, "%s: the report of a run, %s\n", path,
          json_is_true(json_object_get(report, "complete")) ? "complete" : "not complete");
  print_report(report, out);
  json_decref(report);
  return MUS_OK;
}

// --- folders ---------------------------------------------------------------------------------------------------------

// Of a cloth: its caches, finished or growing.
static mus_status print_cloth(mus_arena *arena, const char *folder, const char *name, FILE *out) {
  const mus_cache_format *format;
  fprintf(out, "  %-12s %s.obj", "cloth", name);
  for (int k = 0; (format = mus_cache_format_at(k)); ++k) {
    const char *extension = mus_cache_format_extension(format), *shown = extension[0] ? extension : "/";
    char growing[32];
    snprintf(growing, sizeof growing, "%s.partial", extension);
    char *path = mus_result_path(arena, folder, name, extension);
    char *partial = extension[0] ? mus_result_path(arena, folder, name, growing) : path;
    if (!path || !partial)
      return mus_fail_memory();
    if (mus_result_exists(partial) && partial != path)
      fprintf(out, ", %s%s", name, growing);
    else if (mus_result_exists(path))
      fprintf(out, ", %s%s", name, shown);
  }
  fputc('\n', out);
  return MUS_OK;
}

// The last frame that the report has the whole of: all of the frame's steps are there when the next one's first is, or
// when the run is complete.
static int frames_done(const json_t *report, int planned) {
  const json_t *steps = json_object_get(report, "steps");
  size_t count = json_array_size(steps);
  double end = count > 0 ? number_in(json_array_get(steps, count - 1), NULL, "time") : 0;
  double frame = floor(end * number_in(report, NULL, "frame_rate") + 1e-6);
  return frame > 0 ? (int)fmin(frame, planned) : 0;
}

static mus_status print_folder(mus_arena *arena, const char *folder, const mus_scene *scene, const json_t *report,
                               FILE *out) {
  int complete = json_is_true(json_object_get(report, "complete"));
  char(*names)[MUS_RESULT_NAME] = NULL;
  mus_status status = mus_result_names(arena, scene, &names);
  if (status)
    return status;
  fprintf(out, "%s: a result folder\n", folder);
  if (complete)
    mus_info_line(out, "frames", "%d, complete", scene->frames);
  else
    mus_info_line(out, "frames", "%d of %d are done; unless it is still running, go on with: muslin run %s --resume",
                  frames_done(report, scene->frames), scene->frames, folder);
  for (int k = 0; k < scene->cloth_count && !status; ++k)
    status = print_cloth(arena, folder, names[k], out);
  mus_checkpoint checkpoint;
  if (!status && mus_checkpoint_newest(folder, INT_MAX, arena, &checkpoint) == MUS_OK)
    mus_info_line(out, "checkpoint", "of frame %d", checkpoint.frame);
  if (!status)
    print_report(report, out);
  return status;
}

mus_status mus_info_result(const char *folder, FILE *out) {
  mus_arena arena = {0};
  mus_scene scene;
  json_t *report = NULL;
  char *scene_path = mus_result_path(&arena, folder, MUS_RESULT_SCENE, "");
  char *path = mus_result_path(&arena, folder, MUS_RESULT_REPORT, "");
  char *growing = mus_result_path(&arena, folder, MUS_RESULT_REPORT, ".partial");
  mus_status status = scene_path && path && growing ? MUS_OK : mus_fail_memory();
  if (!status && (!mus_result_exists(scene_path) || (!mus_result_exists(path) && !mus_result_exists(growing))))
    status = mus_fail(MUS_BAD_INPUT,
                      "%.200s: is a folder that no run has written: " MUS_RESULT_SCENE " or " MUS_RESULT_REPORT
                      " is missing",
                      folder);
  if (!status)
    status = read_report(mus_result_exists(growing) ? growing : path, &report);
  if (!status) {
    status = mus_scene_load(scene_path, &scene);
    if (!status) {
      status = print_folder(&arena, folder, &scene, report, out);
      mus_scene_free(&scene);
    }
    json_decref(report);
  }
  mus_arena_clear(&arena);
  return status;
}
