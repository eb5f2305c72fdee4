// `muslin view`. See view.h.
#include "view.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "muslin/muslin.h"
#include "options.h"
#include "preset.h"
#include "real_time.h"
#include "scene_argument.h"

#if MUSLIN_VIEW
#include "view/view.h"

static const char *const program = "muslin view";
// What runs in real time and looks right: a step a frame, s, and a residual of the linear solver.
static const double usual_step = 1.0 / 60, usual_tolerance = 1e-3;

typedef struct watch_options {
  const char *subject, *host, *names, *solver;
  int port, vertices, threads, preset, paused, live, open, help; // negative, or 0 vertices: as usual
  double time_step, tolerance;                                   // NaN: as usual
} watch_options;

// --- options ---------------------------------------------------------------------------------------------------------

enum { OPTIONS = 16, PORT_MOST = 65535, VERTICES_MOST = 100000000, THREADS_MOST = 1024 };

static int list_options(watch_options *o, option *list) {
  int n = 0;
  list[n++] = option_whole("vertices", &o->vertices, 4, VERTICES_MOST,
                           "approximate total, over all cloths that are not from files\n"
                           "(what runs in real time here)");
  list[n++] = option_real_within("time-step", &o->time_step, 1e-5, 0.1, "seconds, at most (1/60)");
  list[n - 1].value = "S";
  list[n++] =
      option_real_within("tolerance", &o->tolerance, 1e-14, 0.1, "of the linear solver (1e-3, enough for the eye)");
  list[n++] = option_text("solver", &o->solver, "NAME", "linear solver, see docs/solver.md");
  list[n++] = option_choice("preset", &o->preset, "P", preset_words, "solver settings: paper, fast or robust");
  list[n++] = option_whole("threads", &o->threads, 0, THREADS_MOST, "0: all cores");
  list[n++] =
      option_flag("live", &o->live, "simulate the scene of a result folder again instead of\nplaying the result");
  list[n++] = option_flag("paused", &o->paused, "wait until \"play\" is pressed on a page");
  list[n++] = option_flag("open", &o->open, "ask the desktop to open the address");
  list[n++] = option_text("host", &o->host, "ADDRESS",
                          "listen on this address of the machine, 0.0.0.0 for all:\n"
                          "others can then watch and join in (127.0.0.1)");
  list[n++] = option_text("name", &o->names, "NAME[,NAME]",
                          "further host names by which browsers may call it, besides\n"
                          "its address, localhost and the machine's own name");
  list[n++] = option_whole("port", &o->port, 0, PORT_MOST, "0: any free port (8765, or any free one if that is taken)");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf("muslin view SCENE|RESULT [options]\n\n"
         "Simulates a scene and shows it in the browser, where it can be turned, pulled at and changed, or plays a\n"
         "folder written by muslin run. SCENE is a scene file (docs/scene.md) or the name of a built-in scene (muslin\n"
         "examples). The printed address contains a token: requests without it are rejected. docs/view.md\n"
         "describes the page.\n\nOptions:\n");
  options_print(table, stdout);
}

static int parse_command(int argc, char **argv, watch_options *o) {
  option list[OPTIONS];
  option_table table = {program, list, list_options(o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, &o->subject, 1, &count);
  if (failed)
    return failed;
  if (o->help)
    print_help(&table);
  else if (count == 0)
    return failure_input(program, "nothing to view: name a scene file, a built-in scene (see muslin examples) or a "
                                  "result folder, or use --help");
  return 0;
}

// --- the scene -------------------------------------------------------------------------------------------------------

// Files that move bodies may count in frames of the scene; where there are none, a frame is a step of the usual length.
static void choose_rate(const watch_options *o, mus_scene *scene) {
  int from_files = 0;
  for (int k = 0; k < scene->body_count; ++k)
    from_files |= scene->bodies[k].shape.kind == MUS_BODY_SHAPE_FILE;
  scene->time_step = isnan(o->time_step) ? usual_step : o->time_step;
  scene->time_steps.count = 0;
  if (!from_files)
    scene->frame_rate = scene->time_step < usual_step ? 60 : 1 / scene->time_step;
}

// As many vertices as are asked for, or as run in real time here.
static int choose_size(const watch_options *o, mus_scene *scene) {
  scene_shape shape = {o->vertices, -1, -1};
  const char *name = scene->name ? scene->name : o->subject;
  if (shape.vertices == 0) {
    shape.vertices = real_time_vertices(program, scene);
    if (shape.vertices > 0)
      fprintf(stderr, "muslin view: %s: about %d vertices, to run in real time here; --vertices sets another number\n",
              name, shape.vertices);
  }
  return scene_argument_shape(program, name, &shape, scene);
}

static int change_scene(const watch_options *o, mus_scene *scene) {
  choose_rate(o, scene);
  if (o->preset >= 0)
    preset_fill((mus_preset)o->preset, &scene->solver);
  if (o->threads >= 0)
    scene->solver.threads = o->threads;
  scene->solver.tolerance = isnan(o->tolerance) ? usual_tolerance : o->tolerance;
  int failed = o->solver ? method_choose(program, o->solver, &scene->solver.method) : 0;
  if (failed)
    return failed;
  return choose_size(o, scene);
}

// --- watching --------------------------------------------------------------------------------------------------------

static atomic_int interrupted;

static void interrupt(int number) {
  (void)number;
  atomic_store(&interrupted, 1);
}

// The first of these ends it in good order, the second has its usual effect.
static void catch_interrupts(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// For pages, which choose another scene.
static mus_status load_builtin(void *data, const char *builtin, mus_scene *scene, char *why, size_t size) {
  mus_status status = mus_scene_builtin(builtin, scene);
  if (status || change_scene(data, scene) == 0)
    return status;
  mus_scene_free(scene);
  snprintf(why, size, "%s does not go with the options that muslin view was given", builtin);
  return MUS_BAD_INPUT;
}

static int watch(watch_options *o, const mus_scene *scene) {
  char why[600] = "";
  const view_options options = {.scene = scene,
                                .folder = scene ? NULL : o->subject,
                                .load = load_builtin,
                                .data = o,
                                .host = o->host,
                                .names = o->names,
                                .port = o->port,
                                .paused = o->paused,
                                .open = o->open,
                                .stop = &interrupted};
  catch_interrupts();
  mus_status status = view_run(&options, why, sizeof why);
  if (!status) {
    fprintf(stderr, "muslin view: ended\n");
    return CLI_DONE;
  }
  fprintf(stderr, "%s: %s\n", program, why[0] ? why : mus_status_name(status));
  return status == MUS_BAD_INPUT || (status == MUS_IO_ERROR && !scene) ? CLI_BAD_INPUT : CLI_FAILED;
}

// Options that only a simulation has.
static int check_playback(const watch_options *o) {
  if (o->vertices > 0 || !isnan(o->time_step) || !isnan(o->tolerance) || o->solver || o->preset >= 0 || o->threads >= 0)
    return failure_input(program, "%s is a result, which is played as it is: give --live to simulate its scene again",
                         o->subject);
  return 0;
}

int view_command(int argc, char **argv) {
  watch_options o = {.port = -1, .threads = -1, .preset = -1, .time_step = NAN, .tolerance = NAN};
  int failed = parse_command(argc, argv, &o), folder = 0;
  if (failed || o.help)
    return failed;
  mus_scene scene;
  failed = scene_argument_load(program, o.subject, &scene, &folder);
  if (failed)
    return failed;
  if (!folder && o.live)
    failed =
        failure_input(program, "--live is for result folders: %s is a scene, which is simulated anyway", o.subject);
  else if (folder && !o.live)
    failed = check_playback(&o);
  else
    failed = change_scene(&o, &scene);
  if (!failed)
    failed = watch(&o, folder && !o.live ? NULL : &scene);
  mus_scene_free(&scene);
  return failed;
}

#else

int view_command(int argc, char **argv) {
  (void)argc;
  if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
    printf("muslin view SCENE|RESULT [options]\n\nThis build has no viewer: install libwebsockets-dev and build "
           "again.\n");
    return CLI_DONE;
  }
  fprintf(stderr, "muslin view: this build has no viewer: install libwebsockets-dev and build again\n");
  return CLI_FAILED;
}
#endif
