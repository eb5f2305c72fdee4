// Runs: the loop over frames, checkpoints, and going on from them. See muslin/run.h.
#include "muslin/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/timer.h"
#include "io/checkpoint.h"
#include "run/preview.h"
#include "run/run_output.h"
#include "run/saved.h"
#include "run/tangles.h"

static const char default_formats[] = "pc2";
enum { DEFAULT_CHECKPOINT = 10 };

mus_run_options mus_default_run_options(void) { return (mus_run_options){.checkpoint = -1, .cookie = MUS_COOKIE}; }

// What a checkpoint holds besides the simulator's state. Results depend on none of it but the fingerprint.
typedef struct run_state {
  uint64_t fingerprint;
  int64_t interval, residual;
  int64_t settled, steps, halved, retries, iterations, tangled, impossible, rejected, bytes;
  int64_t overstretched, inverted, unfinished;
  double strain_reached, strain_place[3];
  int64_t strain_frame;
  int64_t open_stitches;
  double seam_gap; // m
  mus_run_seconds spent;
  char formats[MUS_RUN_FORMATS];
} run_state;

static const char run_section[] = "run", tangled_section[] = "tangled";

typedef struct run {
  const mus_scene *scene;
  const mus_run_options *options;
  mus_arena arena; // of the checkpoint that is resumed
  mus_checkpoint checkpoint;
  run_state state;
  int frame;            // done
  mus_saved kept;       // the simulator's state at the end of that frame ...
  run_state kept_state; // ... and the run's
  int saved;            // frame of the newest checkpoint; -1: there is none
  mus_sim *sim;
  mus_run_output output;
  mus_preview *preview; // NULL where none is wanted
  mus_tangles tangles;
  int suspect;            // 1: a step of the present frame says that something is tangled
  mus_list tangled_since; // mus_tangled_since: of the checkpoint, until tangles has them, and of the kept frame
  mus_run_record *record;
  int told_device; // 1: why the device is not used has been said
  double mark;     // s: all time before it has been counted
} run;

static void say(const run *r, const char *text, const char *more) {
  if (r->options->progress)
    fprintf(r->options->progress, "%s: %s%s\n", r->options->folder, text, more);
}

// --- where time goes -------------------------------------------------------------------------------------------------

// The time since the last call.
static double lap(run *r) {
  double now = mus_seconds(), passed = now - r->mark;
  r->mark = now;
  return passed;
}

static void count_rejected(run *r, const mus_step_record *record) {
  r->state.rejected += record->rejected;
  for (int k = 0; k < MUS_STAGES; ++k)
    r->state.spent.rejected[k] += record->rejected_seconds[k];
}

// What all steps have taken so far, rejected attempts included.
static double spent_in_steps(const mus_run_seconds *spent) {
  double sum = 0;
  for (int k = 0; k < MUS_STAGES; ++k)
    sum += spent->step[k] + spent->rejected[k];
  return sum;
}

static double spent_in_all(const mus_run_seconds *spent) {
  return spent_in_steps(spent) + spent->build + spent->settle + spent->write + spent->check + spent->checkpoint +
         spent->preview + spent->rest;
}

// --- what to do ------------------------------------------------------------------------------------------------------

static mus_status check_options(const mus_run_options *o) {
  mus_status status = mus_check_initialised(o->cookie, "the options of the run were", "mus_default_run_options");
  if (status)
    return status;
  if (!o->folder || !o->folder[0])
    return mus_fail(MUS_BAD_INPUT, "a run needs a folder for its results: name one");
  if (o->formats && strlen(o->formats) >= MUS_RUN_FORMATS)
    return mus_fail(MUS_BAD_INPUT, "a list of %zu bytes is too long for cache formats: name each once",
                    strlen(o->formats));
  return mus_run_output_check_formats(o->formats ? o->formats : default_formats);
}

static void set_new(run *r) {
  const mus_run_options *o = r->options;
  r->state.interval = o->checkpoint < 0 ? DEFAULT_CHECKPOINT : o->checkpoint;
  r->state.residual = o->residual != 0;
  strcpy(r->state.formats, o->formats ? o->formats : default_formats); // its length has been checked
}

static mus_status refuse(const run *r, const char *what) {
  return mus_fail(MUS_BAD_INPUT, "%.200s: cannot resume: %s", r->options->folder, what);
}

// The first line in which two texts differ, without blanks and the comma behind it.
static void first_difference(const char *a, const char *b, int size, char *line_a, char *line_b) {
  size_t n = 0, m = 0;
  do {
    a += n + (n > 0);
    b += m + (m > 0);
    n = strcspn(a, "\n");
    m = strcspn(b, "\n");
  } while (n == m && n > 0 && memcmp(a, b, n) == 0);
  a += strspn(a, " ");
  b += strspn(b, " ");
  snprintf(line_a, (size_t)size, "%.*s", (int)strcspn(a, ",\n"), a);
  snprintf(line_b, (size_t)size, "%.*s", (int)strcspn(b, ",\n"), b);
}

// Why the scenes' sums differ, as far as the folder tells.
static mus_status refuse_other_scene(const run *r) {
  enum { LINE_SIZE = 64 };
  char there[LINE_SIZE] = "", here[LINE_SIZE] = "", text[280];
  mus_arena scratch = {0};
  mus_scene before;
  char *path = mus_result_path(&scratch, r->options->folder, MUS_RESULT_SCENE, "");
  if (path && mus_scene_load(path, &before) == MUS_OK) {
    char *a = mus_saved_scene_text(&before), *b = mus_saved_scene_text(r->scene);
    if (a && b)
      first_difference(a, b, LINE_SIZE, there, here);
    free(a);
    free(b);
    mus_scene_free(&before);
  }
  mus_arena_clear(&scratch);
  snprintf(text, sizeof text,
           "it holds a run of another scene (%s there, %s here): start again without --resume, or give another folder",
           there[0] ? there : "other meshes", here[0] ? here : "other ones");
  return refuse(r, text);
}

// Whether the checkpoint is of this scene, and what was asked for is what it has.
static mus_status check_agreement(run *r, const run_state *before) {
  const mus_run_options *o = r->options;
  char text[200];
  if (before->fingerprint != r->state.fingerprint)
    return refuse_other_scene(r);
  if (r->checkpoint.frame > r->scene->frames) {
    snprintf(text, sizeof text,
             "frame %d is already done: ask for more than %d frames, or start again without --resume",
             r->checkpoint.frame, r->scene->frames);
    return refuse(r, text);
  }
  if (o->formats && strcmp(o->formats, before->formats) != 0) {
    snprintf(text, sizeof text, "it has the cache formats %s, not %s: keep them, or start again without --resume",
             before->formats, o->formats);
    return refuse(r, text);
  }
  if (o->residual && !before->residual)
    return refuse(r, "it has no residuals: start again without --resume");
  return MUS_OK;
}

// Finds the checkpoint to go on from and takes over what it says; `found` is 0 where there is none.
static mus_status find_checkpoint(run *r, int *found) {
  const void *data = NULL;
  run_state before;
  *found = 0;
  mus_status status = MUS_IO_ERROR;
  if (mus_result_exists(r->options->folder))
    status = mus_checkpoint_newest(r->options->folder, INT_MAX, &r->arena, &r->checkpoint);
  if (status == MUS_IO_ERROR) {
    say(r, "no checkpoint to resume from: starting again", "");
    return MUS_OK;
  }
  if (!status)
    status = mus_checkpoint_find(&r->checkpoint, run_section, sizeof before, &data);
  if (status)
    return status;
  memcpy(&before, data, sizeof before);
  before.formats[MUS_RUN_FORMATS - 1] = 0;
  status = check_agreement(r, &before);
  if (!status) {
    r->state = before;
    if (r->options->checkpoint >= 0)
      r->state.interval = r->options->checkpoint;
    *found = 1;
  }
  return status;
}

// --- begin or go on --------------------------------------------------------------------------------------------------

// Opens what has been written, to be searched, and tells where cloth goes through something before the first step. That
// is no reason not to run: it is drawn apart, unless it is at places where seams sew cloth through itself.
static mus_status find_tangles(run *r, int resumes) {
  if (!r->scene->contact || r->scene->contact_with != MUS_CONTACT_ALL)
    return MUS_OK;
  mus_status status = mus_tangles_open(r->options->folder, r->sim, r->scene->solver.threads, &r->tangles);
  FILE *file = r->options->progress;
  r->record->start_pairs = r->tangles.start;
  if (status || resumes || r->tangles.start <= 0 || !file)
    return status;
  int crossings = 0;
  status = mus_sim_crossings(r->sim, 0, NULL, &crossings);
  if (status)
    return status;
  mus_run_tangle region[3];
  int count = mus_tangles_regions(&r->tangles, 3, region);
  fprintf(file, "%s: %lld pairs of triangles intersect at the start; %s:\n", r->options->folder, r->tangles.start,
          crossings > 0 ? "the run pulls them apart" : "both sides are sewn, and the run leaves them as they are");
  for (int k = 0; k < count && k < 3; ++k)
    fprintf(file, "  %s and %s: %lld around (%.3g, %.3g, %.3g)\n", region[k].cloth, region[k].other, region[k].pairs,
            region[k].place[0], region[k].place[1], region[k].place[2]);
  if (count > 3)
    fprintf(file, "  and in %d more places: muslin check lists them all\n", count - 3);
  return MUS_OK;
}

// Puts a list of mus_tangled_since in place of another.
static mus_status copy_since(const void *items, size_t count, mus_list *to) {
  to->count = 0;
  if (!mus_list_reserve(to, count, sizeof(mus_tangled_since)))
    return mus_fail_memory();
  if (count > 0)
    memcpy(to->items, items, count * sizeof(mus_tangled_since));
  to->count = count;
  return MUS_OK;
}

// Since when things are tangled, as the checkpoint has it.
static mus_status recall_tangles(run *r) {
  size_t bytes = 0;
  const void *items = NULL;
  for (int k = 0; k < r->checkpoint.count; ++k)
    if (strcmp(r->checkpoint.sections[k].name, tangled_section) == 0)
      bytes = r->checkpoint.sections[k].bytes;
  mus_status status = mus_checkpoint_find(&r->checkpoint, tangled_section, bytes, &items);
  size_t count = bytes / sizeof(mus_tangled_since);
  if (!status)
    status = copy_since(items, count, &r->tangles.since);
  if (!status && r->tangles.checker)
    r->tangles.last = count > 0 ? (long long)count : 0; // the next search tells how many there are
  return status;
}

// A time step in words.
static void step_text(const mus_scene *scene, size_t size, char *text) {
  const mus_keys *keys = &scene->time_steps;
  if (keys->count > 0)
    snprintf(text, size, "%g to %g s by keys", keys->value[0], keys->value[keys->count - 1]);
  else
    snprintf(text, size, "%g s", scene->time_step);
}

// Another time step than that of the scene in the folder is no hindrance, but the results are then those of neither.
static void say_time_step(const run *r) {
  char before[64] = "", now[64], text[200];
  mus_arena scratch = {0};
  mus_scene there;
  char *path = mus_result_path(&scratch, r->options->folder, MUS_RESULT_SCENE, "");
  if (path && mus_scene_load(path, &there) == MUS_OK) {
    step_text(&there, sizeof before, before);
    mus_scene_free(&there);
  }
  mus_arena_clear(&scratch);
  step_text(r->scene, sizeof now, now);
  if (!before[0] || strcmp(before, now) == 0)
    return;
  snprintf(text, sizeof text, "resuming from frame %d with a time step of %s; it was %s", r->frame, now, before);
  say(r, text, "");
}

static mus_status go_on(run *r) {
  mus_status status = mus_run_output_reopen(&r->output);
  if (status)
    return status;
  if (mus_run_output_is_complete(&r->output, r->scene->frames)) {
    r->record->complete = 1;
    r->frame = r->scene->frames;
    return MUS_OK;
  }
  r->record->from = r->frame = r->saved = r->checkpoint.frame;
  say_time_step(r);
  status = mus_saved_restore(&r->checkpoint, r->sim);
  if (!status)
    status = mus_run_output_keep(&r->output, r->frame, (int)r->state.steps);
  if (!status)
    status = mus_checkpoint_forget(r->options->folder, r->frame);
  mus_checkpoint_prune(r->options->folder, r->frame); // a kill may have come before this
  if (!status)
    status = find_tangles(r, 1);
  if (!status)
    status = recall_tangles(r);
  mus_arena_clear(&r->arena);
  return status;
}

static mus_status prepare(run *r, int *resumes) {
  mus_status status = check_options(r->options);
  if (!status)
    status = mus_sim_create(r->scene, &r->sim);
  if (!status)
    status = mus_saved_fingerprint(r->sim, &r->state.fingerprint);
  if (!status && r->options->resume)
    status = find_checkpoint(r, resumes);
  if (!status && !*resumes)
    set_new(r);
  if (!status)
    status =
        mus_run_output_plan(&r->output, r->sim, r->scene, r->options->folder, r->state.formats, (int)r->state.residual);
  return status ? status : mus_run_output_open(&r->output);
}

// --- frames ----------------------------------------------------------------------------------------------------------

// Keeps the state at the end of a frame, which a run that is stopped later goes back to.
static mus_status keep(run *r) {
  r->state.spent.rest += lap(r);
  int64_t bytes = (int64_t)mus_sim_bytes(r->sim);
  r->state.bytes = bytes > r->state.bytes ? bytes : r->state.bytes;
  mus_status status = copy_since(r->tangles.since.items, r->tangles.since.count, &r->tangled_since);
  if (!status)
    status = mus_saved_take(r->sim, &r->kept);
  r->state.spent.checkpoint += lap(r);
  if (!status)
    r->kept_state = r->state;
  return status;
}

// Writes what is kept, unless it is there already or the user wants none.
static mus_status save(run *r) {
  mus_checkpoint_section sections[MUS_SAVED_SECTIONS + 2];
  const mus_list *since = &r->tangled_since;
  int frame = (int)r->kept.numbers.frame;
  if (r->state.interval == 0 || !r->kept.state.position || frame <= r->saved)
    return MUS_OK;
  r->state.spent.rest += lap(r);
  mus_status status = mus_run_output_sync(&r->output);
  if (status)
    return status;
  mus_saved_list(&r->kept, sections);
  sections[MUS_SAVED_SECTIONS] = (mus_checkpoint_section){run_section, &r->kept_state, sizeof r->kept_state};
  sections[MUS_SAVED_SECTIONS + 1] =
      (mus_checkpoint_section){tangled_section, since->count > 0 ? since->items : (const void *)&r->kept_state,
                               since->count * sizeof(mus_tangled_since)};
  mus_checkpoint checkpoint = {.frame = frame, .count = MUS_SAVED_SECTIONS + 2, .sections = sections};
  status = mus_checkpoint_save(r->options->folder, &checkpoint);
  if (!status)
    r->saved = frame;
  r->state.spent.checkpoint += lap(r);
  return status;
}

static void count_step(run *r, const mus_step_record *record) {
  double seconds[MUS_STAGES];
  mus_step_seconds(record, seconds);
  for (int k = 0; k < MUS_STAGES; ++k)
    r->state.spent.step[k] += seconds[k];
  count_rejected(r, record);
  ++r->state.steps;
  r->state.halved += record->halvings > 0;
  r->state.retries += record->retries;
  r->state.iterations += record->iterations;
  r->state.tangled += record->tangled > 0;
  r->state.impossible += record->impossible;
  r->state.overstretched += record->overstretched > 0;
  r->state.inverted += record->inverted > 0;
  r->state.unfinished += record->unfinished;
  if (record->strain_reached > r->state.strain_reached) {
    r->state.strain_reached = record->strain_reached;
    r->state.strain_frame = r->frame + 1;
    memcpy(r->state.strain_place, record->strain_place, sizeof record->strain_place);
  }
  r->state.open_stitches = record->open_stitches;
  r->state.seam_gap = fmax(r->state.seam_gap, record->seam_gap);
  r->suspect |= record->tangled > 0 || record->impossible > 0;
}

// Writes a frame and, where there may be any, counts what intersects in it.
static mus_status write_frame(run *r, mus_run_frame *frame) {
  int number = r->frame + 1, suspect = r->suspect || r->tangles.last > 0;
  double begin = mus_seconds();
  mus_status status = mus_run_output_frame(&r->output);
  frame->write = mus_seconds() - begin;
  frame->pairs = -1;
  r->suspect = 0;
  if (status || (!suspect && number < r->scene->frames))
    return status;
  r->state.spent.write += lap(r);
  status = mus_tangles_search(&r->tangles, number);
  r->state.spent.check += lap(r);
  if (suspect) // not for being the last: the run may be extended
    frame->pairs = r->tangles.last;
  return status;
}

// Writes what a step did, which is several where it was halved, and the frame that it ends.
static mus_status write_steps(run *r, int count) {
  int ends = mus_sim_frame_number(r->sim) > r->frame;
  mus_status status = MUS_OK;
  for (int k = 0; k < count && !status; ++k) {
    const mus_step_record *record = mus_sim_step_record(r->sim, k);
    mus_run_frame frame, *ended = ends && k + 1 == count ? &frame : NULL;
    count_step(r, record);
    if (ended)
      status = write_frame(r, ended);
    if (!status)
      status = mus_run_output_step(&r->output, r->frame + 1, r->state.steps, record, ended);
  }
  return status;
}

static mus_status run_step(run *r, int *iterations) {
  int count = 0;
  r->state.spent.rest += lap(r);
  double before = spent_in_steps(&r->state.spent);
  mus_status status = mus_sim_step(r->sim, &count);
  double passed = lap(r);
  if (status)
    count_rejected(r, mus_sim_rejected(r->sim));
  else
    status = write_steps(r, count);
  r->state.spent.write += lap(r);
  r->state.spent.rest += passed - (spent_in_steps(&r->state.spent) - before);
  if (count > 0)
    *iterations = mus_sim_step_record(r->sim, count - 1)->iterations;
  return status;
}

// A preview that fails is reported, and does no harm.
static void show(run *r, mus_progress *progress) {
  if (!r->preview)
    return;
  r->state.spent.rest += lap(r);
  mus_status status = mus_preview_draw(r->preview, r->sim);
  r->state.spent.preview += lap(r);
  if (status == MUS_OK)
    return;
  if (progress)
    mus_progress_clear(progress);
  say(r, "preview: ", mus_last_error());
}

// Once, at the start or in the step in which it fails.
static void say_device(run *r, mus_progress *progress) {
  mus_sim_device device = mus_sim_device_used(r->sim);
  if (r->told_device || !*device.failure)
    return;
  r->told_device = 1;
  if (progress)
    mus_progress_clear(progress);
  say(r, "warning: the run goes on on the CPU: ", device.failure);
}

// Ends with the frame, or where the run is told to stop.
static mus_status run_frame(run *r, mus_progress *progress) {
  double from = mus_sim_time(r->sim);
  int iterations = 0;
  mus_status status = MUS_OK;
  while (!status && mus_sim_frame_number(r->sim) == r->frame && !r->record->stopped) {
    status = run_step(r, &iterations);
    say_device(r, progress);
    if (status == MUS_STOPPED) {
      r->record->stopped = 1;
      return MUS_OK;
    }
    double part = (mus_sim_time(r->sim) - from) * r->scene->frame_rate;
    if (progress && mus_sim_frame_number(r->sim) == r->frame)
      mus_progress_update(progress, r->frame + (part < 0.999 ? part : 0.999), iterations);
  }
  if (status || mus_sim_frame_number(r->sim) == r->frame)
    return status;
  ++r->frame;
  status = keep(r);
  if (!status && r->state.interval > 0 && r->frame % r->state.interval == 0)
    status = save(r);
  if (status)
    return status;
  show(r, progress);
  if (progress)
    mus_progress_update(progress, r->frame, iterations);
  return MUS_OK;
}

static mus_status run_frames(run *r) {
  mus_status status = MUS_OK;
  FILE *stream = r->options->progress;
  mus_progress progress = {0};
  if (stream)
    progress = mus_progress_start(stream, r->scene->name ? r->scene->name : "scene", r->frame, r->scene->frames);
  show(r, stream ? &progress : NULL);
  while (r->frame < r->scene->frames && !status && !r->record->stopped)
    status = run_frame(r, stream ? &progress : NULL);
  if (stream)
    mus_progress_end(&progress);
  return status;
}

// --- life ------------------------------------------------------------------------------------------------------------

static void summarise(run *r) {
  mus_run_record *s = r->record;
  s->frames = r->frame;
  s->vertices = r->sim ? mus_sim_vertices(r->sim) : 0;
  s->checkpoint = (int)r->state.interval;
  s->saved = r->saved;
  s->steps = r->state.steps;
  s->halved = r->state.halved;
  s->retries = r->state.retries;
  s->iterations = r->state.iterations;
  s->settled = r->state.settled;
  s->tangled = r->state.tangled;
  s->impossible = r->state.impossible;
  s->overstretched = r->state.overstretched;
  s->inverted = r->state.inverted;
  s->unfinished = r->state.unfinished;
  s->strain_reached = r->state.strain_reached;
  s->strain_frame = (int)r->state.strain_frame;
  memcpy(s->strain_place, r->state.strain_place, sizeof s->strain_place);
  s->rejected = r->state.rejected;
  s->stitches = r->sim ? mus_sim_model(r->sim)->stitches : 0;
  s->open_stitches = (int)r->state.open_stitches;
  s->seam_gap = r->state.seam_gap;
  r->state.spent.rest += lap(r);
  s->spent = r->state.spent;
  s->seconds = spent_in_all(&s->spent);
  size_t now = r->sim ? mus_sim_bytes(r->sim) : 0, before = (size_t)r->state.bytes;
  s->bytes = now > before ? now : before;
  if (r->sim)
    s->device = mus_sim_device_used(r->sim);
}

static void say_repairs(const run *r) {
  for (int k = 0; mus_sim_note(r->sim, k) && r->options->progress; ++k)
    fprintf(r->options->progress, "warning: %s\n", mus_sim_note(r->sim, k));
  for (int k = 0; k < mus_sim_parts(r->sim) && r->options->progress; ++k)
    if (mus_sim_repairs(r->sim, k)[0])
      fprintf(r->options->progress, "%s: %s\n", r->output.names[k], mus_sim_repairs(r->sim, k));
}

// Draws what starts tangled apart, before the first frame is written.
static mus_status settle(run *r) {
  mus_settling settling;
  mus_status status = mus_sim_settle(r->sim, &settling);
  r->state.settled = settling.steps;
  if ((settling.steps > 0 || settling.gave_up) && r->options->progress)
    fprintf(r->options->progress,
            "%s: %d edges pierce triangles at the start; drawn apart in %d steps before time begins, %.3g s%s\n",
            r->options->folder, settling.crossings, settling.steps, settling.seconds,
            settling.tangled ? "; some of it is still tangled, and the run goes on with that" : "");
  if (!status && settling.gave_up)
    say(r, "settling ended early, because a step broke down: ", mus_last_error());
  return status;
}

// However the run ends, its last frame is there to resume from, and why it has failed is not lost over what fails then.
static mus_status end_frames(run *r, mus_status status) {
  char text[1024];
  snprintf(text, sizeof text, "%s", mus_last_error());
  mus_status saved = save(r);
  if (saved && !status) {
    status = saved;
    snprintf(text, sizeof text, "%s", mus_last_error());
  }
  r->state.spent.rest += lap(r);
  if (mus_preview_close(r->preview) != MUS_OK)
    say(r, "preview: ", mus_last_error());
  r->state.spent.preview += lap(r);
  return status ? mus_fail(status, "%s", text) : MUS_OK;
}

// The start is a checkpoint too, so that there is always one to go on from.
static mus_status begin(run *r) {
  mus_preview_forget(r->options->folder);
  mus_status status = mus_run_output_begin(&r->output);
  r->state.spent.write += lap(r);
  if (!status)
    status = find_tangles(r, 0);
  r->state.spent.check += lap(r);
  if (!status)
    status = keep(r);
  return status ? status : save(r);
}

// What still intersects in the last frame.
static void tell_end(run *r) {
  r->record->end_pairs = r->tangles.last;
  r->record->tangle_count = mus_tangles_regions(&r->tangles, MUS_RUN_TANGLES, r->record->tangle);
}

static mus_status run_all(run *r) {
  int resumes = 0;
  mus_status status = prepare(r, &resumes);
  if (status)
    return status;
  r->record->began = 1;
  say_repairs(r);
  say_device(r, NULL);
  status = resumes ? go_on(r) : MUS_OK;
  r->state.spent.build += lap(r);
  if (!status && !resumes)
    status = settle(r);
  r->state.spent.settle += lap(r);
  if (!status && !resumes)
    status = begin(r);
  if (status || r->record->complete)
    return status;
  if (r->options->preview && mus_preview_create(r->sim, r->scene, r->options->folder, &r->preview) != MUS_OK)
    say(r, "preview: ", mus_last_error());
  status = end_frames(r, run_frames(r));
  if (status || r->record->stopped)
    return status;
  tell_end(r);
  r->state.spent.rest += lap(r);
  status = mus_run_output_finish_caches(&r->output);
  r->state.spent.write += lap(r);
  summarise(r);
  char *tangled = mus_tangles_json(&r->tangles);
  if (!status)
    status = tangled ? mus_run_output_finish(&r->output, r->record, tangled) : mus_fail_memory();
  mus_free(tangled);
  return status;
}

mus_status mus_run(const mus_scene *scene, const mus_run_options *options, mus_run_record *record) {
  mus_run_record unread, *out = record ? record : &unread;
  run r = {.scene = scene, .options = options, .record = out, .saved = -1, .mark = mus_seconds()};
  mus_stop_request stop;
  *out = (mus_run_record){.start_pairs = -1, .end_pairs = -1};
  r.tangles.start = r.tangles.last = -1;
  mus_stop_begin(&stop, options->stop, options->data);
  mus_status status = run_all(&r);
  mus_stop_end(&stop);
  if (status == MUS_STOPPED) {
    out->stopped = 1;
    status = MUS_OK;
  }
  summarise(&r);
  mus_run_output_close(&r.output);
  mus_saved_free(&r.kept);
  mus_tangles_close(&r.tangles);
  mus_free(r.tangled_since.items);
  mus_arena_clear(&r.arena);
  mus_sim_free(r.sim);
  return status;
}
