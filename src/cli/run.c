// `muslin run`. See run.h.
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "failure.h"
#include "muslin/run.h"
#include "options.h"
#include "preset.h"
#include "scene_argument.h"
#include "shell_word.h"
#include "weld.h"

static const char *const program = "muslin run";

typedef struct run_options {
  mus_run_options run;
  const char *scene, *folder, *solver;
  int frames, vertices, tessellation, integrator, threads, preset, device; // negative, or 0 vertices: as the scene says
  double time_step, accuracy;                                              // negative: as the scene says
  int weld;                                                                // 1: copies with welded seams at the end
  int help;
} run_options;

// --- options ---------------------------------------------------------------------------------------------------------

static const char *const tessellations[] = {"regular", "irregular", NULL}; // in the order of mus_tessellation
static const char *integrators[MUS_INTEGRATORS + 1];                       // in the order of mus_integrator
enum { OPTIONS = 19, FRAMES_MOST = 9999999, VERTICES_MOST = 100000000, THREADS_MOST = 1024 };

// Fills in their names, and returns all of them as a text.
static const char *list_integrators(void) {
  static char text[160];
  size_t used = 0;
  for (int k = 0; k < MUS_INTEGRATORS && used < sizeof text; ++k) {
    const char *between = k == 0 ? "" : k + 1 < MUS_INTEGRATORS ? ", " : " or ";
    integrators[k] = mus_integrator_name((mus_integrator)k);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", between, integrators[k]);
  }
  return text;
}

static int list_options(run_options *o, option *list) {
  int n = 0;
  list[n++] = option_text("output", &o->folder, "DIR", "result folder (out/NAME)");
  list[n - 1].letter = 'o';
  list[n++] = option_whole("frames", &o->frames, 0, FRAMES_MOST, "number of frames to simulate");
  list[n++] = option_flag("resume", &o->run.resume, "resume from the last checkpoint in the folder");
  list[n++] = option_whole("vertices", &o->vertices, 4, VERTICES_MOST,
                           "approximate total, over all cloths that are not from files");
  list[n++] = option_choice("tessellation", &o->tessellation, "T", tessellations, "regular or irregular");
  list[n++] = option_real_within("time-step", &o->time_step, 1e-9, 1e3,
                                 "seconds, at most; a frame is a whole number of equal steps");
  list[n - 1].value = "S";
  list[n++] = option_choice("integrator", &o->integrator, "I", integrators, list_integrators());
  list[n++] = option_real_within("accuracy", &o->accuracy, 1e-9, 1e3,
                                 "mm: how far from their exact end steps may leave positions; by the integrator\n"
                                 "minimise, a step per frame unless a time step is given");
  list[n - 1].value = "MM";
  list[n++] = option_text("solver", &o->solver, "NAME", "linear solver, see docs/solver.md");
  list[n++] = option_choice("preset", &o->preset, "P", preset_words, "solver settings: paper, fast or robust");
  list[n++] = option_choice("device", &o->device, "D", device_words,
                            "where steps run: cpu, cuda (a GPU), or auto: there if they can (cpu)");
  list[n++] =
      option_whole("threads", &o->threads, 0, THREADS_MOST, "0: all cores; results are the same for any number");
  list[n++] =
      option_text("format", &o->run.formats, "LIST", "caches: pc2, mdd, obj, usda, vtu, separated by commas (pc2)");
  list[n++] =
      option_whole("checkpoint", &o->run.checkpoint, 0, FRAMES_MOST, "frames between checkpoints; 0: none (10)");
  list[n++] = option_flag("preview", &o->run.preview, "keep DIR/preview.png up to date, and make DIR/preview.mp4");
  list[n++] = option_flag("weld", &o->weld, "at the end, also write copies with closed seams welded (muslin weld)");
  list[n++] = option_flag("residual", &o->run.residual, "also write each frame's last residual, as NAME.residual.pc2");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf("muslin run SCENE [options]\n\n"
         "Simulates a scene into a folder: caches, meshes, report.json, checkpoints (docs/caches.md).\n"
         "SCENE is a scene file (docs/scene.md), the name of a built-in scene (muslin examples), or a result folder,\n"
         "whose scene is then run again into the same folder or, with --resume, resumed.\n\nOptions:\n");
  options_print(table, stdout);
  printf(
      "\nOptions override the scene. Ctrl-C stops, normally within a second, and keeps all finished frames;\n"
      "a second Ctrl-C stops at once. In either case, and even after kill -9, --resume continues, and the results are\n"
      "bit-identical to those of an uninterrupted run.\n"
      "\nExit status: 0 if everything was done; 1 if the run failed, was stopped, or ends with more intersections "
      "than it\n"
      "began with; 2 for bad input.\n");
}

static int parse_command(int argc, char **argv, run_options *o) {
  option list[OPTIONS];
  option_table table = {program, list, list_options(o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, &o->scene, 1, &count);
  if (failed)
    return failed;
  if (o->help)
    print_help(&table);
  else if (o->weld && o->run.formats && !strstr(o->run.formats, "pc2") && !strstr(o->run.formats, "mdd"))
    return failure_input(program, "--weld reads the run's pc2 or mdd caches: add one of these to --format");
  else if (count == 0)
    return failure_input(program,
                         "no scene given: name a scene file or a built-in scene (see muslin examples), or use --help");
  return 0;
}

// --- the scene -------------------------------------------------------------------------------------------------------

// Steps that are minimised may be as long as frames, and are unless the scene has a time step of its own.
static void lengthen_steps(mus_scene *scene) {
  mus_scene usual = mus_default_scene();
  if (scene->time_steps.count == 0 && scene->time_step == usual.time_step)
    scene->time_step = 1 / scene->frame_rate;
  mus_scene_free(&usual);
}

static int change_integrator(const run_options *o, mus_scene *scene) {
  if (o->accuracy >= 0 && o->integrator >= 0 && o->integrator != MUS_INTEGRATOR_MINIMISE)
    return failure_input(program, "--accuracy is for the integrator minimise: leave out --integrator %s",
                         integrators[o->integrator]);
  mus_integrator before = scene->integrator;
  if (o->integrator >= 0)
    scene->integrator = (mus_integrator)o->integrator;
  if (o->accuracy >= 0) {
    scene->integrator = MUS_INTEGRATOR_MINIMISE;
    scene->accuracy = o->accuracy;
  }
  if (scene->integrator == MUS_INTEGRATOR_MINIMISE && before != MUS_INTEGRATOR_MINIMISE)
    lengthen_steps(scene);
  return 0;
}

static int change_scene(const run_options *o, mus_scene *scene) {
  int failed = change_integrator(o, scene);
  if (failed)
    return failed;
  if (o->frames >= 0)
    scene->frames = o->frames;
  if (o->preset >= 0)
    preset_fill((mus_preset)o->preset, &scene->solver);
  if (o->threads >= 0)
    scene->solver.threads = o->threads;
  if (o->device >= 0)
    scene->solver.device = (mus_device_choice)o->device;
  if (o->time_step >= 0) {
    scene->time_step = o->time_step;
    scene->time_steps.count = 0;
  }
  failed = o->solver ? method_choose(program, o->solver, &scene->solver.method) : 0;
  if (failed)
    return failed;
  const scene_shape shape = {o->vertices, o->tessellation, -1};
  return scene_argument_shape(program, o->scene, &shape, scene);
}

// "out/NAME", without what shells and file systems take apart; from malloc, NULL when memory is short.
static char *default_folder(const mus_scene *scene) {
  static const char above[] = "out/";
  const char *name = scene->name && scene->name[0] && scene->name[0] != '.' ? scene->name : "scene";
  char *folder = malloc(sizeof above + strlen(name));
  if (!folder)
    return NULL;
  strcpy(folder, above);
  strcat(folder, name);
  for (char *at = folder + sizeof above - 1; *at; ++at)
    if (*at == '/' || !shell_is_plain(*at))
      *at = '_';
  return folder;
}

// --- running ---------------------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
  static const char words[] = "\nstopping; press Ctrl-C again to stop at once\n";
  (void)number;
  interrupted = 1;
  ssize_t wrote = write(STDERR_FILENO, words, sizeof words - 1);
  (void)wrote;
}

static int is_interrupted(void *data) {
  (void)data;
  return interrupted;
}

// The first of these ends the run in good order, the second has its usual effect.
static void catch_interrupts(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// Where a run that has ended early can be resumed from.
static void report_how_to_resume(const char *word, const mus_run_record *s) {
  const char *plural = s->frames == 1 ? " is" : "s are";
  if (s->saved < 0)
    fprintf(stderr, "%d frame%s done, but there is no checkpoint; start again with: muslin run %s\n", s->frames, plural,
            word);
  else if (s->saved < s->frames)
    fprintf(stderr, "%d frame%s done; resume after frame %d with: muslin run %s --resume\n", s->frames, plural,
            s->saved, word);
  else
    fprintf(stderr, "%d frame%s done; resume with: muslin run %s --resume\n", s->frames, plural, word);
}

// What the simulator held, and what the whole process took.
static void tell_memory(const mus_run_record *s) {
  struct rusage used;
  printf("  %.0f bytes per vertex", (double)s->bytes / (s->vertices > 0 ? s->vertices : 1));
  if (getrusage(RUSAGE_SELF, &used) == 0)
    printf("; peak memory of the process: %.0f MiB", (double)used.ru_maxrss / 1024); // Linux counts KiB
  printf("\n");
}

// Where the time went, in the words of the report; what is below a thousandth is left out.
static void tell_part(const char *name, double seconds, double whole) {
  if (seconds >= 0.001 * whole)
    printf(" %s %.*f%%", name, seconds < 0.0995 * whole ? 1 : 0, 100 * seconds / whole);
}

static void tell_times(const mus_run_record *s) {
  const mus_run_seconds *spent = &s->spent;
  double rejected = 0;
  printf("  time:");
  for (int k = 0; k < MUS_STAGES; ++k) {
    rejected += spent->rejected[k];
    tell_part(mus_stage_name((mus_stage)k), spent->step[k], s->seconds);
  }
  tell_part("rejected", rejected, s->seconds);
  tell_part("build", spent->build, s->seconds);
  tell_part("settle", spent->settle, s->seconds);
  tell_part("write", spent->write, s->seconds);
  tell_part("check", spent->check, s->seconds);
  tell_part("checkpoint", spent->checkpoint, s->seconds);
  tell_part("preview", spent->preview, s->seconds);
  tell_part("rest", spent->rest, s->seconds);
  printf("\n");
}

static void tell_device(const mus_run_record *s) {
  const mus_sim_device *d = &s->device;
  if (*d->failure && !*d->name)
    printf("  no GPU was used: %s\n", d->failure);
  if (!*d->name)
    return;
  printf("  %s: %.0f MB there; ", d->name, 1e-6 * (double)d->bytes);
  if (d->obstacle)
    printf("it only solved: %s do not run there\n", d->obstacle);
  else
    printf("%lld whole steps\n", d->steps);
  if (*d->failure)
    printf("  the rest ran on the CPU: %s\n", d->failure);
}

// What intersects in the last frame, and did in the first.
static void tell_tangles(const mus_run_record *s) {
  if (s->end_pairs == 0 && s->start_pairs > 0)
    printf("  %lld pairs of triangles intersected at the start, none does at the end\n", s->start_pairs);
  if (s->end_pairs <= 0)
    return;
  printf("  %lld pairs of triangles intersect at the end, %lld did at the start:\n", s->end_pairs, s->start_pairs);
  for (int k = 0; k < s->tangle_count && k < MUS_RUN_TANGLES; ++k) {
    const mus_run_tangle *t = &s->tangle[k];
    printf("    %s and %s %s: %lld around (%.3g, %.3g, %.3g), within %.2g m, since frame %d\n", t->cloth,
           t->is_body    ? "the body"
           : t->is_solid ? "the solid"
                         : "the cloth",
           t->other, t->pairs, t->place[0], t->place[1], t->place[2], t->size, t->since);
  }
  if (s->tangle_count > MUS_RUN_TANGLES)
    printf("    and in %d more places\n", s->tangle_count - MUS_RUN_TANGLES);
}

static void tell(const char *folder, const char *word, const mus_scene *scene, const mus_run_record *s) {
  if (s->complete) {
    printf("%s: all %d frames are already complete\n", folder, s->frames);
    return;
  }
  printf("%s: %d frames of %d vertices, %lld steps", folder, s->frames, s->vertices, s->steps);
  if (s->halved > 0)
    printf(" (%lld halved after %lld rejected)", s->halved, s->rejected);
  if (s->retries > 0)
    printf(" (%lld solves retried)", s->retries);
  if (s->steps > 0)
    printf(", %.1f iterations per step", (double)s->iterations / (double)s->steps);
  printf(", %.1f s\n", s->seconds);
  if (scene->integrator == MUS_INTEGRATOR_MINIMISE) {
    char minimiser[MUS_MINIMISER_TEXT];
    mus_scene_minimiser(scene, minimiser);
    printf("  steps minimised to %g mm by %s\n", scene->accuracy, minimiser);
  }
  tell_times(s);
  tell_device(s);
  if (s->tangled > 0)
    printf("  %s tangled in %lld steps\n", scene->solid_count > 0 ? "something was" : "cloth was", s->tangled);
  if (s->overstretched > 0)
    printf(
        "  pins, bodies or contact stretched cloth beyond its strain limit in %lld steps, to %.3g times the limit, at "
        "(%.3g, %.3g, %.3g) in frame %d\n",
        s->overstretched, s->strain_reached, s->strain_place[0], s->strain_place[1], s->strain_place[2],
        s->strain_frame);
  else if (s->strain_reached > 0)
    printf("  strain reached %.3g of its limit\n", s->strain_reached);
  if (s->inverted > 0)
    printf("  tetrahedra were inside out at the end of %lld steps: smaller ones, or stiffer solids, would help\n",
           s->inverted);
  if (s->unfinished > 0)
    printf("  %lld steps ended before they reached their accuracy: smaller ones, or a larger accuracy, would help\n",
           s->unfinished);
  tell_tangles(s);
  if (s->impossible > 0)
    printf("  bodies or pins left no way out %lld times: muslin check %s shows where %s passes through something\n",
           s->impossible, word, scene->solid_count > 0 ? "something" : "cloth");
  if (s->stitches > 0)
    printf("  seams: %d of %d stitches open; closed ones gape by %.2g mm at most\n", s->open_stitches, s->stitches,
           1e3 * s->seam_gap);
  tell_memory(s);
  char name[128];
  for (int k = 0; k < scene->cloth_count + scene->solid_count; ++k)
    if (mus_part_file_name(scene, k, sizeof name, name) == MUS_OK)
      printf("  %s/%s.obj and its cache\n", folder, name);
  printf("  %s/report.json\nLook at it with: muslin render %s -o %s.png\n", folder, word, word);
}

// `word` is the folder as one types it.
static int run_scene(const run_options *o, const mus_scene *scene, const char *folder, const char *word) {
  mus_run_options options = o->run;
  mus_run_record record;
  options.folder = folder;
  options.progress = stderr;
  options.stop = is_interrupted;
  catch_interrupts();
  mus_status status = mus_run(scene, &options, &record);
  if (status) {
    int failed = failure_status(program, record.began ? NULL : o->scene, status);
    if (record.began)
      report_how_to_resume(word, &record);
    return record.began ? CLI_FAILED : failed;
  }
  if (record.stopped) {
    if (record.began)
      report_how_to_resume(word, &record);
    else
      fprintf(stderr, "stopped before anything was written\n");
    return CLI_FAILED;
  }
  tell(folder, word, scene, &record);
  if (record.end_pairs <= record.start_pairs || scene->allow_tangled)
    return o->weld ? weld_folder(program, folder, o->run.formats) : 0;
  fprintf(
      stderr,
      "%s: the run ends with more intersections than it began with, %lld against %lld: look at them with muslin check "
      "%s,\nor accept them by \"allow_tangled\": true in the scene. The results are complete.\n",
      program, record.end_pairs, record.start_pairs, word);
  return CLI_FAILED;
}

static int run_named(const run_options *o, const mus_scene *scene, const char *folder) {
  char *word = shell_word(folder);
  int failed = word ? run_scene(o, scene, folder, word) : failure_memory(program);
  free(word);
  return failed;
}

int run_command(int argc, char **argv) {
  run_options o = {.run = mus_default_run_options(),
                   .frames = -1,
                   .tessellation = -1,
                   .integrator = -1,
                   .preset = -1,
                   .device = -1,
                   .threads = -1,
                   .time_step = -1,
                   .accuracy = -1};
  mus_scene scene;
  int is_folder = 0, failed = parse_command(argc, argv, &o);
  if (failed || o.help)
    return failed;
  failed = scene_argument_load(program, o.scene, &scene, &is_folder);
  if (failed)
    return failed;
  failed = change_scene(&o, &scene);
  const char *given = o.folder ? o.folder : is_folder ? o.scene : NULL;
  char *made = given || failed ? NULL : default_folder(&scene);
  if (!failed && !given && !made)
    failed = failure_memory(program);
  if (!failed)
    failed = run_named(&o, &scene, given ? given : made);
  free(made);
  mus_scene_free(&scene);
  return failed;
}
