// Figure 18: a fine surface that goes along with a coarse lattice, interpolated trilinearly and tricubically. Within a
// cell, both are smooth; across cells, trilinear interpolation has kinks, which show where light falls on them.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "lattice/embed.h"
#include "muslin/render.h"
#include "seed_002.h"

// A bar of 6 x 3 x 3 cells, one end of which is turned by 160 degrees around its axis, 40 at a time, and a rod in it.
enum { LENGTH = 6, ACROSS = 3, TURNS = 4, RINGS = 600, CORNERS = 300, POINTS = RINGS * CORNERS };
static const double spacing = 0.15, angle = 160 * 3.14159265358979323846 / 180, radius = 0.19;

static mus_status make_bar(mus_arena *arena, mus_cells *out) {
  *out = (mus_cells){.spacing = spacing};
  for (int a = 0; a < 3; ++a) {
    int side = a == 0 ? LENGTH + 2 : ACROSS;
    out->count[a] = side + 2 * MUS_CELLS_MARGIN;
    out->low[a] = a == 0 ? -(MUS_CELLS_MARGIN + 1) * spacing : -(MUS_CELLS_MARGIN + ACROSS / 2.0) * spacing;
  }
  out->kind = mus_arena_alloc_zero(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  for (int k = 0; k < ACROSS; ++k)
    for (int j = 0; j < ACROSS; ++j)
      for (int i = 0; i < LENGTH + 2; ++i)
        out->kind[mus_cells_number(out, i + MUS_CELLS_MARGIN, j + MUS_CELLS_MARGIN, k + MUS_CELLS_MARGIN)] =
            i == 0 || i == LENGTH + 1 ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
  return MUS_OK;
}

// Turns the upper end around axis 0, and moves it sideways.
static void turn_end(mus_lattice *lattice, const mus_cells *cells, double by) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  for (int a = 1; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n) {
      if (!mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a) || (int)(n % d->stride[1]) <= d->count[0] / 2)
        continue;
      double y = cells->low[1] + spacing * ((double)(n % d->stride[2] / d->stride[1]) + (a == 1 ? 0 : 0.5));
      double z = cells->low[2] + spacing * ((double)(n / d->stride[2]) + (a == 2 ? 0 : 0.5));
      mus_lattice_displacement(lattice, a)[n] = a == 1 ? cos(by) * y - sin(by) * z - y : sin(by) * y + cos(by) * z - z;
    }
}

// A rod along axis 0 with four flutes, closed at its ends.
static void make_rod(double *x) {
  for (int i = 0; i < RINGS; ++i)
    for (int k = 0; k < CORNERS; ++k) {
      double turn = 2 * 3.14159265358979323846 * k / CORNERS, along = 2 * i / (RINGS - 1.0) - 1;
      double r = radius * (1 + 0.1 * cos(4 * turn)) * sqrt(1 - pow(along, 12));
      double *at = x + 3 * (i * CORNERS + k);
      at[0] = LENGTH * spacing * i / (RINGS - 1.0);
      at[1] = r * cos(turn);
      at[2] = r * sin(turn);
    }
}

// Points moved, drawn as one mesh beside what was written before. `up`: m
static void write_rod(FILE *file, const double *x, const double *moved, double up, int first) {
  for (int p = 0; p < POINTS; ++p)
    fprintf(file, "v %.6f %.6f %.6f\n", x[3 * p] + moved[3 * p], x[3 * p + 1] + moved[3 * p + 1] + up,
            x[3 * p + 2] + moved[3 * p + 2]);
  for (int i = 0; i + 1 < RINGS; ++i)
    for (int k = 0; k < CORNERS; ++k) {
      int a = first + i * CORNERS + k, b = first + i * CORNERS + (k + 1) % CORNERS;
      fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, b + CORNERS, a, b + CORNERS, a + CORNERS);
    }
}

static mus_status write_both(mus_arena *arena, const mus_cells *cells, mus_lattice *lattice, const char *path) {
  double *x = mus_arena_alloc(arena, (size_t)3 * POINTS, sizeof *x),
         *moved = mus_arena_alloc(arena, (size_t)3 * POINTS, sizeof *moved);
  double *const u[3] = {mus_lattice_displacement(lattice, 0), mus_lattice_displacement(lattice, 1),
                        mus_lattice_displacement(lattice, 2)};
  FILE *file = x && moved ? fopen(path, "w") : NULL;
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  mus_status status = MUS_OK;
  make_rod(x);
  for (int order = 0; order < 2 && !status; ++order) {
    mus_embedding *e;
    status = mus_embedding_create(cells, order ? MUS_EMBED_CUBIC : MUS_EMBED_LINEAR, POINTS, x, &e);
    if (status)
      break;
    mus_embedding_extend(e, u);
    mus_embedding_displacements(e, (const double *const *)u, moved);
    write_rod(file, x, moved, order ? 0 : 3 * radius, 1 + order * POINTS);
    mus_embedding_free(e);
  }
  return fclose(file) && !status ? mus_fail(MUS_IO_ERROR, "%s cannot be written", path) : status;
}

mus_status figure_18(study *s) {
  char mesh[512], picture[512];
  mus_arena arena = {0};
  mus_cells cells;
  mus_lattice *lattice = NULL;
  mus_lattice_material material = {.young = 1e5, .poisson = 0.4};
  snprintf(mesh, sizeof mesh, "%s/figure-18.obj", s->folder);
  snprintf(picture, sizeof picture, "%s/figure-18.png", s->folder);
  mus_status status = make_bar(&arena, &cells);
  if (!status)
    status = mus_lattice_create(&cells, &material, NULL, &lattice);
  for (int k = 1; k <= TURNS && !status; ++k) {
    mus_lattice_record record;
    turn_end(lattice, &cells, angle * k / TURNS);
    status = mus_lattice_solve_corotational(lattice, 1e-5, 200, &record);
  }
  if (!status)
    status = write_both(&arena, &cells, lattice, mesh);
  mus_render_options options = mus_default_render_options();
  options.width = 900, options.height = 700;
  options.look = MUS_RENDER_LOOK_PLAIN;
  options.no_ground = 1;
  options.colour_given = 1;
  options.colour[0] = options.colour[1] = options.colour[2] = 0.8;
  if (!status)
    status = mus_render(mesh, NULL, picture, &options, NULL);
  remove(mesh);
  mus_lattice_free(lattice);
  mus_arena_clear(&arena);
  return status;
}
