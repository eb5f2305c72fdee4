// Repeats what Zhu, Sifakis, Teran and Brandt 2010 measure, each figure in a file of its own: seed_002_*.c.
#ifndef BENCH_SEED_002_H
#define BENCH_SEED_002_H

#include <jansson.h>
#include <stdio.h>

#include "chart.h"
#include "lattice/lattice.h"

enum { TABLE_TEXT = 512 };

typedef struct study {
  const char *folder, *parts, *model; // to write to; which figures, NULL for all; the surface of a weakly held solid
  int quick, threads;
  FILE *tables;
} study;

// Each writes its tables, and draws its charts.
mus_status figure_10(study *s); // rates of convergence
mus_status figure_11(study *s); // residuals against time
mus_status figure_15(study *s); // errors under refinement
mus_status figure_18(study *s); // a picture of both interpolations
mus_status figure_22(study *s); // times of single parts of a cycle
mus_status figure_23(study *s); // times over sizes and threads, memory

// --- tables and charts ----------------------------------------------------------------------------------------------

// A table, written to tables.md row by row, and to NAME.json at the end.
typedef struct figure_table {
  study *study;
  const char *name, *columns;
  json_t *rows;
} figure_table;

// Names of columns, and texts of a row, are separated by '|'. What reads as a number becomes one in the JSON.
void table_begin(study *s, figure_table *t, const char *name, const char *title, const char *about,
                 const char *columns);
void table_row(figure_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
mus_status table_end(figure_table *t);

mus_status draw_chart(const study *s, const char *name, chart *figure, const chart_series *series, int count);
extern const char *const chart_colours[10];

// Processor time so far, for measurements on one thread: it does not count what others do on the machine.
double processor_seconds(void);

// --- solids ---------------------------------------------------------------------------------------------------------

// side^3 interior cells in the unit cube, and a layer of Dirichlet cells beyond both ends along axis 0.
mus_status held_box(mus_arena *arena, int side, mus_cells *out);
// Moves the held end along axis 0 that is farther: stretched, sheared and twisted by a tenth. Others stay.
void move_end(mus_lattice *lattice, const mus_cells *cells);
// Unknown displacements become random numbers of that size.
void randomise(mus_lattice *lattice, double size);

#endif
