// Writes the system of one implicit step of a cloth sheet as files that `muslin solve` reads: A.mtx, b.mtx, the current
// positions X.mtx and the held vertices fix.txt.
#include <stdio.h>

#include "cli/failure.h"
#include "cli/options.h"
#include "cli/system_save.h"
#include "sheet_system.h"

static const char *const program = "make_sheet";

typedef struct options {
  sheet_options sheet;
  int boundary;
  const char *folder;
} options;

static int run(const options *chosen) {
  sheet_system sheet;
  mus_status status = sheet_system_create(&chosen->sheet, &sheet);
  if (status)
    return failure_status(program, NULL, status);
  const mus_sim_system system = {.rows = sheet.rows,
                                 .row_start = sheet.pattern->row_start,
                                 .column = sheet.pattern->column,
                                 .values = sheet.a.value,
                                 .right = sheet.b,
                                 .positions = sheet.position,
                                 .time_step = sheet.options.time_step,
                                 .constraint_count = sheet.constraint_count,
                                 .constraints = sheet.constraint};
  int failed = system_save(program, chosen->folder, &system);
  if (!failed)
    printf("%s: A.mtx, b.mtx, X.mtx and fix.txt of a sheet with %d vertices, %d of them held\n", chosen->folder,
           sheet.rows, sheet.constraint_count);
  sheet_system_free(&sheet);
  return failed;
}

int main(int argc, char **argv) {
  options chosen = {.sheet = sheet_default_options(), .folder = "."};
  chosen.boundary = (int)chosen.sheet.boundary;
  int help = 0;
  static const char *const boundaries[] = {"free", "pinned", "drooping", NULL};
  const option list[] = {
      {.name = "output",
       .letter = 'o',
       .kind = OPTION_TEXT,
       .target = &chosen.folder,
       .value = "DIR",
       .help = "folder to write to (.)"},
      {.name = "side",
       .kind = OPTION_WHOLE,
       .target = &chosen.sheet.side,
       .value = "N",
       .minimum = 2,
       .maximum = 4096,
       .help = "vertices a side (61)"},
      {.name = "boundary",
       .kind = OPTION_CHOICE,
       .target = &chosen.boundary,
       .value = "WHICH",
       .choices = boundaries,
       .help = "free, pinned (all four sides) or drooping (two opposite ones) (drooping)"},
      {.name = "irregular",
       .kind = OPTION_FLAG,
       .target = &chosen.sheet.irregular,
       .help = "jitter the vertices and choose diagonals at random"},
      {.name = "time-step",
       .kind = OPTION_REAL,
       .target = &chosen.sheet.time_step,
       .value = "S",
       .help = "seconds (0.002)"},
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "print this text"}};
  option_table table = {program, list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(&table, &help, "make_sheet: writes the linear system of a cloth sheet for `muslin solve`.\n\n",
                     argc - 1, argv + 1, &ended))
    return ended;
  chosen.sheet.boundary = (sheet_boundary)chosen.boundary;
  return run(&chosen);
}
