// The program: picks the command, and makes sure that what was printed arrived.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "check.h"
#include "examples.h"
#include "failure.h"
#include "fill.h"
#include "info.h"
#include "muslin/muslin.h"
#include "options.h"
#include "render.h"
#include "run.h"
#include "solve.h"
#include "view.h"
#include "weld.h"

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} command;

static const command commands[] = {
    {"run", run_command, "simulate a scene into a folder"},
    {"view", view_command, "watch a simulation or a result in the browser, and pull at the cloth"},
    {"examples", examples_command, "list the built-in scenes"},
    {"check", check_command, "search a result for intersections"},
    {"render", render_command, "draw pictures and videos of a result"},
    {"info", info_command, "describe a mesh, solid, scene, cache, matrix or result folder"},
    {"fill", fill_command, "fill a closed surface or a built-in shape with tetrahedra"},
    {"weld", weld_command, "copy a result with closed seams welded"},
    {"solve", solve_command, "run the linear solver on a Matrix Market system"},
    {"bench", bench_command, "compare solvers"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *file) {
  fprintf(file, "muslin: multigrid solvers for cloth and elastic solids\n\n"
                "  muslin COMMAND ...        run a command\n"
                "  muslin help COMMAND       list its options\n"
                "  muslin --version          print the version\n\n"
                "Commands:\n");
  for (int i = 0; i < COMMANDS; ++i)
    fprintf(file, "  %-24s  %s\n", commands[i].name, commands[i].help);
}

static const command *find_command(const char *name) {
  const char *names[COMMANDS + 1] = {NULL};
  for (int i = 0; i < COMMANDS; ++i) {
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
    names[i] = commands[i].name;
  }
  const char *nearest = options_nearest(name, names);
  fprintf(stderr, "muslin: there is no command '%s'%s%s%s\nTry muslin --help\n", name, nearest ? "; did you mean " : "",
          nearest ? nearest : "", nearest ? "?" : "");
  return NULL;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_BAD_INPUT;
  }
  int wants_help = strcmp(argv[1], "help") == 0;
  if (strcmp(argv[1], "--version") == 0) {
    printf("muslin %s\n", mus_version());
    return CLI_DONE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (wants_help && argc == 2)) {
    print_help(stdout);
    return CLI_DONE;
  }
  const command *chosen = find_command(argv[wants_help ? 2 : 1]);
  if (!chosen)
    return CLI_BAD_INPUT;
  char help[] = "--help";
  return wants_help ? chosen->run(1, (char *[]){help}) : chosen->run(argc - 2, argv + 2);
}

// Where a standard stream is closed, the next file that is opened would take its place, and what is printed would go
// into a cache. Something that can only be used the other way round stands in, so that printing still fails.
static void keep_stream_places(void) {
  for (int place = STDIN_FILENO; place <= STDERR_FILENO; ++place)
    if (fcntl(place, F_GETFD) == -1)
      open("/dev/null", place == STDIN_FILENO ? O_WRONLY : O_RDONLY); // takes the lowest place that is free
}

int main(int argc, char **argv) {
  keep_stream_places();
  if (mus_machine_limit_spinning())
    execv("/proc/self/exe", argv); // where this fails, all works, if slower on a busy machine
  signal(SIGXFSZ, SIG_IGN);        // a file that may not grow is then an ordinary failure to write
  int status = dispatch(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "muslin: cannot write to the standard output\n");
    return status ? status : CLI_FAILED;
  }
  return status;
}
