// Writes the system of one implicit step of an elastic solid as files that `muslin solve` reads: A.mtx, b.mtx, the
// current positions X.mtx and the held vertices fix.txt.
#include <stdio.h>

#include "cli/failure.h"
#include "cli/options.h"
#include "cli/system_save.h"
#include "solid_system.h"

static const char *const program = "make_solid";

typedef struct options {
  solid_options solid;
  int law, vertices;
  const char *shape, *mesh, *folder;
} options;

static int run(const options *chosen) {
  solid_system s;
  mus_status status = chosen->mesh ? solid_system_of_file(&chosen->solid, chosen->mesh, &s)
                                   : solid_system_of_shape(&chosen->solid, chosen->shape, chosen->vertices, &s);
  if (status)
    return failure_status(program, NULL, status);
  const mus_sim_system system = {.rows = s.mesh.vertices,
                                 .row_start = s.pattern->row_start,
                                 .column = s.pattern->column,
                                 .values = s.a.value,
                                 .right = s.b,
                                 .positions = s.position,
                                 .time_step = s.options.time_step,
                                 .constraint_count = s.constraint_count,
                                 .constraints = s.constraint};
  int failed = system_save(program, chosen->folder, &system);
  if (!failed)
    printf("%s: A.mtx, b.mtx, X.mtx and fix.txt of a solid with %d vertices, %d of them held; mu h^2 / (rho L^2) = "
           "%.3g\n",
           chosen->folder, s.mesh.vertices, s.constraint_count, solid_system_hardness(&s));
  solid_system_free(&s);
  return failed;
}

int main(int argc, char **argv) {
  options chosen = {.solid = solid_default_options(), .vertices = 5000, .shape = "octopus", .folder = "."};
  int help = 0;
  static const char *const laws[] = {"neo-hookean", "corotated", "venant-kirchhoff", "projective", NULL};
  const option list[] = {
      {.name = "output",
       .letter = 'o',
       .kind = OPTION_TEXT,
       .target = &chosen.folder,
       .value = "DIR",
       .help = "folder to write to (.)"},
      {.name = "shape",
       .kind = OPTION_TEXT,
       .target = &chosen.shape,
       .value = "NAME",
       .help = "a shape of `muslin fill`, or a surface (octopus)"},
      {.name = "vertices",
       .kind = OPTION_WHOLE,
       .target = &chosen.vertices,
       .value = "N",
       .minimum = 4,
       .maximum = 10000000,
       .help = "about so many (5000)"},
      {.name = "mesh",
       .kind = OPTION_TEXT,
       .target = &chosen.mesh,
       .value = "FILE",
       .help = "tetrahedra, instead of a shape"},
      {.name = "law",
       .kind = OPTION_CHOICE,
       .target = &chosen.law,
       .value = "LAW",
       .choices = laws,
       .help = "neo-hookean, corotated, venant-kirchhoff or projective (neo-hookean)"},
      {.name = "young",
       .kind = OPTION_REAL,
       .target = &chosen.solid.young,
       .value = "PA",
       .help = "Young's modulus (1e6)"},
      {.name = "poisson",
       .kind = OPTION_REAL,
       .target = &chosen.solid.poisson,
       .value = "NU",
       .help = "Poisson's ratio (0.45)"},
      {.name = "density", .kind = OPTION_REAL, .target = &chosen.solid.density, .value = "KG/M3", .help = "(1000)"},
      {.name = "time-step",
       .kind = OPTION_REAL,
       .target = &chosen.solid.time_step,
       .value = "S",
       .help = "seconds (1/30)"},
      {.name = "held",
       .kind = OPTION_REAL,
       .target = &chosen.solid.held,
       .value = "PART",
       .help = "what is held, from the top down, in parts of the height; 0: nothing (0.03)"},
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "print this text"}};
  option_table table = {program, list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(&table, &help, "make_solid: writes the linear system of an elastic solid for `muslin solve`.\n\n",
                     argc - 1, argv + 1, &ended))
    return ended;
  chosen.solid.law = (solid_law)chosen.law;
  return run(&chosen);
}
