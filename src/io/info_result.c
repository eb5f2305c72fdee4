// What there is to say about a result folder and its report. See info.h.
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/info.h"
#include "io/result.h"
#include "muslin/sim.h"

// --- reports ---------------------------------------------------------------------------------------------------------

// What a report says, added up while it is read line by line: a run may have many steps.
typedef struct report_totals {
  json_t *head, *last; // the last step; NULL before the first
  json_t *end;         // NULL until the run has ended
  double steps, iterations, most_iterations, newton, retries, halved, residual, strain, reached, overstretched,
      limit_rounds, inverted, seam_gap;
  double rejected, write, seconds[MUS_STAGES], rejected_seconds[MUS_STAGES];
} report_totals;

static void free_totals(report_totals *t) {
  json_decref(t->head);
  json_decref(t->last);
  json_decref(t->end);
}

static int is_complete(const report_totals *t) { return json_is_true(json_object_get(t->end, "complete")); }

static double number_in(const json_t *object, const char *group, const char *name) {
  const json_t *inner = group ? json_object_get(object, group) : object;
  const json_t *value = json_object_get(inner, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static void add_step(report_totals *t, json_t *step) {
  double iterations = number_in(step, NULL, "iterations");
  ++t->steps;
  t->iterations += iterations;
  t->most_iterations = fmax(t->most_iterations, iterations);
  t->newton += number_in(step, NULL, "newton_iterations");
  t->retries += number_in(step, NULL, "retries");
  t->halved += number_in(step, NULL, "halvings") > 0;
  t->residual = fmax(t->residual, number_in(step, NULL, "residual"));
  t->strain = fmax(t->strain, number_in(step, "strain", "maximum"));
  t->reached = fmax(t->reached, number_in(step, "strain", "reached"));
  t->overstretched += number_in(step, "strain", "overstretched") > 0;
  t->limit_rounds += number_in(step, "strain", "limit_rounds");
  t->inverted += number_in(step, "strain", "inverted") > 0;
  t->seam_gap = fmax(t->seam_gap, number_in(step, "seams", "gap"));
  t->rejected += number_in(step, NULL, "rejected_attempts");
  t->write += number_in(step, "seconds", "write");
  for (int s = 0; s < MUS_STAGES; ++s) {
    t->seconds[s] += number_in(step, "seconds", mus_stage_name((mus_stage)s));
    t->rejected_seconds[s] += number_in(step, "rejected_seconds", mus_stage_name((mus_stage)s));
  }
  json_decref(t->last);
  t->last = step;
}

// The head lacks what closes it; a record follows the comma of the line before; the end begins with a bracket. What is
// cut short, because the run was killed or is writing it now, is left. 0 where there is no more to read.
static int add_line(report_totals *t, char *line, size_t length) {
  static const char marker[] = "\"steps\": [\n", closed[] = "\"steps\": []}", after_records[] = "], ";
  json_error_t error;
  if (!t->head) {
    if (length < sizeof marker || strcmp(line + length - (sizeof marker - 1), marker) != 0)
      return 0;
    line[length - (sizeof marker - 1)] = 0;
    char *whole = malloc(length + sizeof closed);
    if (whole) {
      strcpy(whole, line);
      strcat(whole, closed);
      t->head = json_loads(whole, 0, &error);
    }
    free(whole);
    return t->head != NULL;
  }
  if (strncmp(line, after_records, sizeof after_records - 1) == 0) {
    char *rest = line + sizeof after_records - 2;
    rest[0] = '{';
    t->end = json_loads(rest, 0, &error);
    return 0;
  }
  json_t *step = line[length - 1] == '\n' ? json_loads(line + (line[0] == ','), 0, &error) : NULL;
  if (step)
    add_step(t, step);
  return step != NULL;
}

static mus_status read_report(const char *path, report_totals *t) {
  *t = (report_totals){0};
  FILE *file = fopen(path, "r");
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be opened: check the name and the permissions", path);
  char *line = NULL;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, file)) > 0 && add_line(t, line, (size_t)length);)
    ;
  free(line);
  fclose(file);
  return json_is_object(t->head) ? MUS_OK : mus_fail(MUS_BAD_INPUT, "%.200s: is not the report of a run", path);
}

// Times as a list with shares of the whole, without those that would show as nothing.
typedef struct time_list {
  char text[400];
  size_t used;
  double whole; // s
} time_list;

static void list_time(time_list *list, const char *name, double seconds) {
  if (!(seconds >= 0.0005) || list->used >= sizeof list->text)
    return;
  double share = list->whole > 0 ? 100 * seconds / list->whole : 0;
  list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s %.3g (%.*f%%)",
                                 list->used > 0 ? ", " : "", name, seconds, share < 9.95 ? 1 : 0, share);
}

static void print_stages(const char *name, const double seconds[MUS_STAGES], double whole, FILE *out) {
  time_list list = {.whole = whole};
  for (int k = 0; k < MUS_STAGES; ++k)
    list_time(&list, mus_stage_name((mus_stage)k), seconds[k]);
  if (list.used > 0)
    mus_info_line(out, name, "%s", list.text);
}

static double sum_of(const double seconds[MUS_STAGES]) {
  double sum = 0;
  for (int k = 0; k < MUS_STAGES; ++k)
    sum += seconds[k];
  return sum;
}

// Parts that only the end of a run tells are 0 before.
static void print_times(const report_totals *t, FILE *out) {
  static const char *const ends[] = {"check", "checkpoint", "preview", "rest"};
  const json_t *summary = json_object_get(t->end, "summary");
  double steps = sum_of(t->seconds), rejected = sum_of(t->rejected_seconds);
  double total = number_in(summary, "seconds", "total"), write = number_in(summary, "seconds", "write");
  time_list list = {.whole = total > 0 ? total : steps + rejected + t->write};
  list_time(&list, "build", number_in(summary, "seconds", "build"));
  list_time(&list, "settle", number_in(summary, "seconds", "settle"));
  list_time(&list, "steps", steps);
  list_time(&list, "rejected attempts", rejected);
  list_time(&list, "write", write > 0 ? write : t->write);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k)
    list_time(&list, ends[k], number_in(summary, "seconds", ends[k]));
  mus_info_line(out, "seconds", "%.4g: %s", list.whole, list.text);
  print_stages("  steps", t->seconds, list.whole, out);
  if (t->rejected > 0) {
    print_stages("  rejected", t->rejected_seconds, list.whole, out);
    mus_info_line(out, "", "in %.0f attempt%s", t->rejected, t->rejected == 1 ? "" : "s");
  }
}

static void print_steps(const report_totals *t, FILE *out) {
  if (!t->last) {
    mus_info_line(out, "steps", "none yet");
    return;
  }
  mus_info_line(out, "steps", "%.0f, %.0f of them halved, %.0f solves retried", t->steps, t->halved, t->retries);
  mus_info_line(out, "iterations", "%.1f per step, at most %.0f", t->iterations / t->steps, t->most_iterations);
  if (t->newton > t->steps)
    mus_info_line(out, "newton", "%.1f linear systems per step", t->newton / t->steps);
  mus_info_line(out, "residual", "%.2g at most", t->residual);
  mus_info_line(out, "strain", "%.3g at most; %.3g at the end, 99%% of the cloth below %.3g", t->strain,
                number_in(t->last, "strain", "maximum"), number_in(t->last, "strain", "percentile_99"));
  if (t->reached > 0)
    mus_info_line(out, "strain limit",
                  "%.3g of it reached, beyond it in %.0f steps; %.2g systems per step solved for it", t->reached,
                  t->overstretched, t->limit_rounds / t->steps);
  if (t->inverted > 0)
    mus_info_line(out, "inside out", "some tetrahedra, at the end of %.0f steps", t->inverted);
  if (number_in(t->head, NULL, "stitches") > 0)
    mus_info_line(out, "seams", "%.0f of %.0f stitches open at the end; closed ones gape by %.2g mm at most",
                  number_in(t->last, "seams", "open"), number_in(t->head, NULL, "stitches"), 1e3 * t->seam_gap);
  mus_info_line(out, "energies", "at the end, in J: kinetic %.4g, stretch %.4g, shear %.4g, bend %.4g, potential %.4g",
                number_in(t->last, "energies", "kinetic"), number_in(t->last, "energies", "stretch"),
                number_in(t->last, "energies", "shear"), number_in(t->last, "energies", "bend"),
                number_in(t->last, "energies", "potential"));
  print_times(t, out);
}

static void print_report(const report_totals *t, FILE *out) {
  const char *scene = json_string_value(json_object_get(t->head, "scene"));
  const char *solver = json_string_value(json_object_get(t->head, "solver"));
  const char *cpu = json_string_value(json_object_get(json_object_get(t->head, "machine"), "cpu"));
  double tetrahedra = number_in(t->head, NULL, "tetrahedra");
  char solids[48] = "";
  if (tetrahedra > 0)
    snprintf(solids, sizeof solids, ", %.0f tetrahedra", tetrahedra);
  mus_info_line(out, "scene", "%s: %.0f vertices, %.0f triangles%s", scene ? scene : "?",
                number_in(t->head, NULL, "vertices"), number_in(t->head, NULL, "triangles"), solids);
  mus_info_line(out, "solver", "%s to %g, on %.0f threads of %s", solver ? solver : "?",
                number_in(t->head, NULL, "tolerance"), number_in(t->head, "machine", "threads"), cpu ? cpu : "?");
  print_steps(t, out);
}

mus_status mus_info_report(const char *path, FILE *out) {
  report_totals totals;
  mus_status status = read_report(path, &totals);
  if (!status) {
    fprintf(out, "%s: the report of a run, %s\n", path, is_complete(&totals) ? "complete" : "not complete");
    print_report(&totals, out);
  }
  free_totals(&totals);
  return status;
}

// --- folders ---------------------------------------------------------------------------------------------------------

// Of a cloth or solid: its caches, finished or growing.
static mus_status print_part(mus_arena *arena, const char *folder, const char *what, const char *name, FILE *out) {
  const mus_cache_format *format;
  fprintf(out, "  %-12s %s.obj", what, name);
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

// Frames whose steps are all in the report.
static int frames_done(const report_totals *t, int planned) {
  double end = t->last ? number_in(t->last, NULL, "time") : 0;
  double frame = floor(end * number_in(t->head, NULL, "frame_rate") + 1e-6);
  return frame > 0 ? (int)fmin(frame, planned) : 0;
}

static mus_status print_folder(mus_arena *arena, const char *folder, const mus_scene *scene, const report_totals *t,
                               FILE *out) {
  char(*names)[MUS_RESULT_NAME] = NULL;
  mus_status status = mus_result_names(arena, scene, &names);
  if (status)
    return status;
  const char *quote = strchr(folder, ' ') ? "'" : "";
  fprintf(out, "%s: a result folder\n", folder);
  if (is_complete(t))
    mus_info_line(out, "frames", "%d, complete", scene->frames);
  else
    mus_info_line(out, "frames",
                  "%d of %d are done; unless it is still running, resume with: muslin run %s%s%s --resume",
                  frames_done(t, scene->frames), scene->frames, quote, folder, quote);
  for (int k = 0; k < scene->cloth_count + scene->solid_count && !status; ++k)
    status = print_part(arena, folder, k < scene->cloth_count ? "cloth" : "solid", names[k], out);
  mus_checkpoint checkpoint;
  if (!status && mus_checkpoint_newest(folder, INT_MAX, arena, &checkpoint) == MUS_OK)
    mus_info_line(out, "checkpoint", "of frame %d", checkpoint.frame);
  if (!status)
    print_report(t, out);
  return status;
}

static mus_status info_folder(mus_arena *arena, const char *folder, FILE *out) {
  char *scene_path = mus_result_path(arena, folder, MUS_RESULT_SCENE, "");
  char *path = mus_result_path(arena, folder, MUS_RESULT_REPORT, "");
  char *growing = mus_result_path(arena, folder, MUS_RESULT_REPORT, ".partial");
  if (!scene_path || !path || !growing)
    return mus_fail_memory();
  int grows = mus_result_exists(growing);
  if (!mus_result_exists(scene_path) || (!grows && !mus_result_exists(path)))
    return mus_fail(
        MUS_BAD_INPUT,
        "%.200s: is not a folder written by a run: " MUS_RESULT_SCENE " or " MUS_RESULT_REPORT " is missing", folder);
  mus_scene scene;
  mus_status status = mus_scene_load(scene_path, &scene);
  if (status)
    return status;
  report_totals totals;
  status = read_report(grows ? growing : path, &totals);
  if (!status)
    status = print_folder(arena, folder, &scene, &totals, out);
  free_totals(&totals);
  mus_scene_free(&scene);
  return status;
}

mus_status mus_info_result(const char *folder, FILE *out) {
  mus_arena arena = {0};
  mus_status status = info_folder(&arena, folder, out);
  mus_arena_clear(&arena);
  return status;
}
