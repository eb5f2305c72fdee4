// Repeats what Zhu, Sifakis, Teran and Brandt 2010 measure of elastic solids on lattices: figures 10, 11, 15, 16, 18,
// 22 and 23. Writes tables.md, a JSON file for each table and charts as SVG into a folder.
#include "seed_002.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "muslin/machine.h"
#include "par/par.h"

static const char *const program = "bench_seed_002";

const char *const chart_colours[10] = {"#0b6e4f", "#c8553d", "#2d5d9f", "#7b4ea3", "#8a8a2a",
                                       "#555555", "#1b9aaa", "#d4a017", "#b23a6f", "#3d3d3d"};

// --- tables and charts ----------------------------------------------------------------------------------------------

static void print_line(FILE *file, const char *line) {
  fprintf(file, "| ");
  for (; *line; ++line)
    if (*line == '|')
      fprintf(file, " | ");
    else
      fputc(*line, file);
  fprintf(file, " |\n");
}

void table_begin(study *s, figure_table *t, const char *name, const char *title, const char *about,
                 const char *columns) {
  *t = (figure_table){s, name, columns, json_array()};
  fprintf(s->tables, "\n## %s\n\n%s\n\n", title, about);
  print_line(s->tables, columns);
  fprintf(s->tables, "|---");
  for (; *columns; ++columns)
    if (*columns == '|')
      fprintf(s->tables, "|---");
  fprintf(s->tables, "|\n");
}

// The text up to the next '|' into `field`; returns what follows it.
static const char *next_field(const char *text, char field[TABLE_TEXT]) {
  size_t length = strcspn(text, "|");
  memcpy(field, text, length);
  field[length] = 0;
  return text[length] ? text + length + 1 : text + length;
}

void table_row(figure_table *t, const char *format, ...) {
  char line[TABLE_TEXT], name[TABLE_TEXT], field[TABLE_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_line(t->study->tables, line);
  fflush(t->study->tables);
  json_t *row = json_object();
  for (const char *names = t->columns, *fields = line; *names;) {
    char *end;
    names = next_field(names, name);
    fields = next_field(fields, field);
    double number = strtod(field, &end);
    json_object_set_new(row, name,
                        !*field                ? json_null()
                        : end > field && !*end ? json_real(number)
                                               : json_string(field));
  }
  json_array_append_new(t->rows, row);
}

mus_status table_end(figure_table *t) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.json", t->study->folder, t->name);
  int failed = json_dump_file(t->rows, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6) | JSON_PRESERVE_ORDER);
  json_decref(t->rows);
  fflush(t->study->tables);
  return failed ? mus_fail(MUS_IO_ERROR, "%s cannot be written", path) : MUS_OK;
}

mus_status draw_chart(const study *s, const char *name, chart *figure, const chart_series *series, int count) {
  char path[512];
  chart_panel panel = {"", count, series};
  snprintf(path, sizeof path, "%s/%s.svg", s->folder, name);
  FILE *file = fopen(path, "w");
  if (!file)
    return mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  figure->columns = figure->count = 1;
  figure->width = 520, figure->height = 360;
  figure->panels = &panel;
  chart_svg(figure, file);
  return fclose(file) ? mus_fail(MUS_IO_ERROR, "%s cannot be written", path) : MUS_OK;
}

double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// --- solids ---------------------------------------------------------------------------------------------------------

mus_status held_box(mus_arena *arena, int side, mus_cells *out) {
  *out = (mus_cells){.spacing = 1.0 / side};
  for (int a = 0; a < 3; ++a) {
    int margin = MUS_CELLS_MARGIN + (a == 0);
    out->count[a] = side + 2 * margin;
    out->low[a] = -margin * out->spacing;
  }
  out->kind = mus_arena_alloc(arena, mus_cells_total(out), 1);
  if (!out->kind)
    return mus_fail_memory();
  memset(out->kind, MUS_CELL_EXTERIOR, mus_cells_total(out));
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = -1; i <= side; ++i)
        out->kind[mus_cells_number(out, i + 1 + MUS_CELLS_MARGIN, j + MUS_CELLS_MARGIN, k + MUS_CELLS_MARGIN)] =
            i < 0 || i == side ? MUS_CELL_DIRICHLET : MUS_CELL_INTERIOR;
  return MUS_OK;
}

void move_end(mus_lattice *lattice, const mus_cells *cells) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  for (size_t n = 0; n < d->cells; ++n) {
    double y = cells->low[1] + cells->spacing * ((double)(n % d->stride[2] / d->stride[1]) + 0.5) - 0.5;
    double z = cells->low[2] + cells->spacing * ((double)(n / d->stride[2]) + 0.5) - 0.5;
    const double moved[3] = {0.1, 0.1 - 0.1 * z, 0.1 * y};
    for (int a = 0; a < 3 && (int)(n % d->stride[1]) > d->count[0] / 2; ++a)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_HELD << a))
        mus_lattice_displacement(lattice, a)[n] = moved[a];
  }
}

void randomise(mus_lattice *lattice, double size) {
  const mus_lattice_domain *d = mus_lattice_get_domain(lattice);
  for (int a = 0; a < 3; ++a)
    for (size_t n = 0; n < d->cells; ++n)
      if (mus_lattice_is(d, n, (uint32_t)MUS_LATTICE_UNKNOWN << a))
        mus_lattice_displacement(lattice, a)[n] = size * mus_random(9, 3 * n + (size_t)a);
}

// --- the program ----------------------------------------------------------------------------------------------------

static int run(study *s) {
  char path[512];
  mus_status (*const parts[])(study *) = {figure_10, figure_11, figure_15, figure_18, figure_22, figure_23};
  static const char *const names[] = {"figure-10", "figure-11", "figure-15", "figure-18", "figure-22", "figure-23"};
  snprintf(path, sizeof path, "%s/tables.md", s->folder);
  s->tables = fopen(path, "w");
  mus_status status = s->tables ? MUS_OK : mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  if (!status)
    fprintf(s->tables, "# Tables\n\nWritten by `script/bench seed-002%s`.\n", s->quick ? " --quick" : "");
  mus_par_set_threads(s->threads);
  for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; ++k) {
    if (s->parts && !strstr(s->parts, names[k]))
      continue;
    printf("%s\n", names[k]);
    fflush(stdout);
    status = parts[k](s);
  }
  if (s->tables && fclose(s->tables) && !status)
    status = mus_fail(MUS_IO_ERROR, "%s cannot be written", path);
  return status ? failure_status(program, NULL, status) : 0;
}

int main(int argc, char **argv) {
  if (mus_machine_limit_spinning())
    execv("/proc/self/exe", argv); // where this fails, all works, if slower on a busy machine
  study s = {.folder = "."};
  int help = 0, ended;
  option list[] = {
      option_text("output", &s.folder, "DIR", "folder to write to, which must exist (.)"),
      option_text("parts", &s.parts, "LIST", "some of figure-10,figure-11,figure-15,figure-18,figure-22,figure-23"),
      option_text("model", &s.model, "FILE",
                  "a closed surface that stands on its feet, for a weakly held solid (none)"),
      option_whole("threads", &s.threads, 0, 1024, "at most so many; 0: one for each core (0)"),
      option_flag("quick", &s.quick, "small sizes alone"),
      option_flag("help", &help, "print this text")};
  list[0].letter = 'o';
  list[5].letter = 'h';
  option_table table = {program, list, sizeof list / sizeof list[0]};
  if (!options_start(&table, &help, "bench_seed_002: the figures of Zhu, Sifakis, Teran and Brandt 2010.\n\n", argc - 1,
                     argv + 1, &ended))
    return ended;
  return run(&s);
}
