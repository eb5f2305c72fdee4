// Cloth-like systems of any size. See sheet_system.h.
#include "sheet_system.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/vector3.h"
#include "par/vector.h"

enum { TRIANGLES, HINGES, VERTICES, KINDS };
enum { SIDE_MAXIMUM = 4096 };

static const double gravity[3] = {0, -9.81, 0}; // m/s^2

sheet_options sheet_default_options(void) {
  return (sheet_options){.side = 61,
                         .size = 1,
                         .density = 0.17,
                         .stretch = 5000,
                         .shear = 750,
                         .bend = 5e-5,
                         .time_step = 0.002,
                         .wave = 0.05,
                         .boundary = SHEET_DROOPING,
                         .seed = 1};
}

static mus_status check_options(const sheet_options *options) {
  if (options->side < 2 || options->side > SIDE_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "a sheet of %d vertices a side: give 2 to %d", options->side, SIDE_MAXIMUM);
  const struct {
    const char *name;
    double value;
    int may_be_zero;
  } positive[] = {{"size", options->size, 0},
                  {"density", options->density, 0},
                  {"time step", options->time_step, 0},
                  {"stretch stiffness", options->stretch, 1},
                  {"shear stiffness", options->shear, 1},
                  {"bend stiffness", options->bend, 1},
                  {"damping", options->damping, 1}};
  for (size_t i = 0; i < sizeof positive / sizeof positive[0]; ++i)
    if (!isfinite(positive[i].value) || positive[i].value < 0 || (positive[i].value == 0 && !positive[i].may_be_zero))
      return mus_fail(MUS_BAD_INPUT, "a sheet with %s %g: give a %s number", positive[i].name, positive[i].value,
                      positive[i].may_be_zero ? "non-negative" : "positive");
  if (!isfinite(options->wave))
    return mus_fail(MUS_BAD_INPUT, "a sheet with wave amplitude %g: give a finite number", options->wave);
  if (options->boundary < SHEET_FREE || options->boundary > SHEET_DROOPING)
    return mus_fail(MUS_BAD_INPUT, "a sheet with boundary %d: give one of the named ones", (int)options->boundary);
  return MUS_OK;
}

// --- elements -----------------------------------------------------------------------------------------------------

static double triangle_area(const double *a, const double *b, const double *c) {
  double ab[3], ac[3], normal[3];
  mus_subtract3(b, a, ab);
  mus_subtract3(c, a, ac);
  mus_cross3(ab, ac, normal);
  return 0.5 * sqrt(mus_dot3(normal, normal));
}

// Cotangent of the angle at `corner`, towards a and b.
static double cotangent(const double *corner, const double *a, const double *b) {
  double to_a[3], to_b[3];
  mus_subtract3(a, corner, to_a);
  mus_subtract3(b, corner, to_b);
  return mus_dot3(to_a, to_b) / (2 * triangle_area(corner, a, b));
}

enum { CONDITIONS = 3 }; // stretch along u, stretch along v, shear

// The state of one triangle: conditions, their derivatives by the nine coordinates, and stiffness times rest area.
typedef struct membrane_state {
  double condition[CONDITIONS];
  double slope[CONDITIONS][9];
  double stiffness[CONDITIONS];
} membrane_state;

// Rest gradients of the three hat functions along u (= x) and v (= z), and the rest area.
static double hat_gradients(const double *const rest[3], double gradient[2][3]) {
  double u1 = rest[1][0] - rest[0][0], v1 = rest[1][2] - rest[0][2];
  double u2 = rest[2][0] - rest[0][0], v2 = rest[2][2] - rest[0][2];
  double determinant = u1 * v2 - u2 * v1;
  gradient[0][1] = v2 / determinant;
  gradient[0][2] = -v1 / determinant;
  gradient[1][1] = -u2 / determinant;
  gradient[1][2] = u1 / determinant;
  for (int k = 0; k < 2; ++k)
    gradient[k][0] = -gradient[k][1] - gradient[k][2];
  return 0.5 * fabs(determinant);
}

static membrane_state membrane_at(const sheet_system *s, int triangle, const double *position) {
  const int *node = s->tuples[TRIANGLES].index + (size_t)triangle * 3;
  const double *rest[3];
  for (int i = 0; i < 3; ++i)
    rest[i] = s->rest + (size_t)node[i] * 3;
  double gradient[2][3], w[2][3] = {{0}}, length[2];
  double area = hat_gradients(rest, gradient);
  membrane_state state;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c)
        w[k][c] += gradient[k][i] * position[(size_t)node[i] * 3 + (size_t)c];
    length[k] = sqrt(mus_dot3(w[k], w[k]));
    state.condition[k] = length[k] - 1;
    state.stiffness[k] = area * s->options.stretch;
  }
  state.condition[2] = mus_dot3(w[0], w[1]);
  state.stiffness[2] = area * s->options.shear;
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 2; ++k)
        state.slope[k][3 * i + c] = length[k] > 0 ? gradient[k][i] * w[k][c] / length[k] : 0;
      state.slope[2][3 * i + c] = gradient[0][i] * w[1][c] + gradient[1][i] * w[0][c];
    }
  return state;
}

// A hinge: the edge from node 0 to node 1 with nodes 2 and 3 opposite. Energy: stiffness/2 |sum_i weight_i x_i|^2.
typedef struct hinge_state {
  double weight[4];
  double stiffness;
  double bend[3]; // sum_i weight_i x_i
} hinge_state;

static hinge_state hinge_at(const sheet_system *s, int hinge, const double *position) {
  const int *node = s->tuples[HINGES].index + (size_t)hinge * 4;
  const double *r[4];
  for (int i = 0; i < 4; ++i)
    r[i] = s->rest + (size_t)node[i] * 3;
  double start[2], end[2], area = 0; // cotangents at the edge's two ends, in both triangles
  for (int k = 0; k < 2; ++k) {
    start[k] = cotangent(r[0], r[1], r[2 + k]);
    end[k] = cotangent(r[1], r[0], r[2 + k]);
    area += triangle_area(r[0], r[1], r[2 + k]);
  }
  hinge_state state = {.weight = {end[0] + end[1], start[0] + start[1], -start[0] - end[0], -start[1] - end[1]},
                       .stiffness = 3 * s->options.bend / area};
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c)
      state.bend[c] += state.weight[i] * position[(size_t)node[i] * 3 + (size_t)c];
  return state;
}

// --- topology -----------------------------------------------------------------------------------------------------

// Cell (column, row) of the grid, with its corners and the way its diagonal runs.
typedef struct grid_cell {
  int corner[2][2]; // [row][column]
  int falling;      // 0: diagonal from corner[0][0] to corner[1][1]; 1: from corner[0][1] to corner[1][0]
} grid_cell;

static grid_cell cell_at(const sheet_options *options, int column, int row) {
  grid_cell cell = {.falling = 0};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      cell.corner[r][c] = (row + r) * options->side + column + c;
  if (options->irregular)
    cell.falling = (int)(mus_random_bits(options->seed + 0x5EEDu, (uint64_t)cell.corner[0][0]) & 1);
  return cell;
}

static void place_triangles(const sheet_options *options, int *index) {
  for (int row = 0; row + 1 < options->side; ++row)
    for (int column = 0; column + 1 < options->side; ++column) {
      grid_cell cell = cell_at(options, column, row);
      int a = cell.corner[0][0], b = cell.corner[0][1], c = cell.corner[1][1], d = cell.corner[1][0];
      int rising[6] = {a, b, c, a, c, d}, falling[6] = {a, b, d, b, c, d};
      memcpy(index, cell.falling ? falling : rising, sizeof rising);
      index += 6;
    }
}

static int *place_hinge(int *index, int start, int end, int left, int right) {
  index[0] = start;
  index[1] = end;
  index[2] = left;
  index[3] = right;
  return index + 4;
}

static void place_hinges(const sheet_options *options, int *index) {
  for (int row = 0; row + 1 < options->side; ++row)
    for (int column = 0; column + 1 < options->side; ++column) {
      grid_cell cell = cell_at(options, column, row);
      int a = cell.corner[0][0], b = cell.corner[0][1], c = cell.corner[1][1], d = cell.corner[1][0];
      index = cell.falling ? place_hinge(index, b, d, c, a) : place_hinge(index, a, c, d, b);
      if (row > 0) { // the edge to the cell before this row
        grid_cell other = cell_at(options, column, row - 1);
        index = place_hinge(index, a, b, cell.falling ? d : c, other.corner[0][other.falling]);
      }
      if (column > 0) { // the edge to the cell before this column
        grid_cell other = cell_at(options, column - 1, row);
        index = place_hinge(index, d, a, cell.falling ? b : c, other.corner[other.falling][0]);
      }
    }
}

static mus_status create_topology(sheet_system *s) {
  int cells = (s->options.side - 1) * (s->options.side - 1);
  int hinges = s->options.bend > 0 ? 3 * cells - 2 * (s->options.side - 1) : 0;
  int *triangle = mus_arena_alloc(&s->arena, (size_t)cells * 6, sizeof *triangle);
  int *hinge = mus_arena_alloc(&s->arena, (size_t)hinges * 4, sizeof *hinge);
  int *vertex = mus_arena_alloc(&s->arena, (size_t)s->rows, sizeof *vertex);
  s->pattern = mus_arena_alloc(&s->arena, 1, sizeof *s->pattern);
  if (!triangle || !hinge || !vertex || !s->pattern)
    return mus_fail_memory();
  place_triangles(&s->options, triangle);
  if (hinges > 0)
    place_hinges(&s->options, hinge);
  for (int i = 0; i < s->rows; ++i)
    vertex[i] = i;
  s->tuples[TRIANGLES] = (mus_tuples){3, 2 * cells, triangle, 0, 0};
  s->tuples[HINGES] = (mus_tuples){4, hinges, hinge, 0, 0};
  s->tuples[VERTICES] = (mus_tuples){1, s->rows, vertex, 0, 0};
  mus_status status = mus_pattern_from_tuples(&s->arena, s->rows, KINDS, s->tuples, s->pattern);
  if (!status)
    status = mus_scatter_create(&s->arena, s->pattern, s->block, KINDS, s->tuples, &s->scatter);
  if (!status)
    status = mus_matrix_create(&s->arena, s->pattern, s->block, s->block, &s->a);
  return status;
}

// --- state --------------------------------------------------------------------------------------------------------

static void place_vertices(sheet_system *s) {
  const sheet_options *o = &s->options;
  const double spacing = o->size / (o->side - 1);
  const double jitter = 0.2 * spacing; // no triangle turns over, whichever way its diagonal runs
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < s->rows; ++i) {
    int column = i % o->side, row = i / o->side;
    double u = column * spacing, v = row * spacing;
    if (o->irregular && column > 0 && row > 0 && column + 1 < o->side && row + 1 < o->side) {
      u += jitter * mus_random(o->seed, 2 * (uint64_t)i);
      v += jitter * mus_random(o->seed, 2 * (uint64_t)i + 1);
    }
    double *rest = s->rest + (size_t)i * 3, *position = s->position + (size_t)i * 3;
    rest[0] = position[0] = u;
    rest[1] = 0;
    rest[2] = position[2] = v;
    position[1] = o->wave * sin(2 * pi * u / o->size) * cos(pi * v / o->size);
  }
}

static void lump_masses(sheet_system *s) {
  memset(s->mass, 0, (size_t)s->rows * sizeof *s->mass);
  for (int t = 0; t < s->tuples[TRIANGLES].count; ++t) {
    const int *node = s->tuples[TRIANGLES].index + (size_t)t * 3;
    double area =
        triangle_area(s->rest + (size_t)node[0] * 3, s->rest + (size_t)node[1] * 3, s->rest + (size_t)node[2] * 3);
    for (int i = 0; i < 3; ++i)
      s->mass[node[i]] += s->options.density * area / 3;
  }
}

static int is_held(const sheet_options *o, int vertex) {
  int column = vertex % o->side, row = vertex / o->side, last = o->side - 1;
  if (o->boundary == SHEET_DROOPING)
    return column == 0 || column == last;
  return o->boundary == SHEET_PINNED && (column == 0 || column == last || row == 0 || row == last);
}

static void hold_boundary(sheet_system *s) {
  for (int i = 0; i < s->rows; ++i)
    if (is_held(&s->options, i)) {
      mus_constraint *held = &s->constraint[s->constraint_count++];
      *held = (mus_constraint){.node = i, .count = 3};
      for (int k = 0; k < 3; ++k)
        held->direction[k][k] = 1;
    }
}

static mus_status create_state(sheet_system *s) {
  size_t rows = (size_t)s->rows;
  s->rest = mus_arena_alloc(&s->arena, rows * 3, sizeof *s->rest);
  s->position = mus_arena_alloc(&s->arena, rows * 3, sizeof *s->position);
  s->mass = mus_arena_alloc(&s->arena, rows, sizeof *s->mass);
  s->b = mus_arena_alloc(&s->arena, rows * 3, sizeof *s->b);
  s->constraint = mus_arena_alloc(&s->arena, (size_t)s->options.side * 4, sizeof *s->constraint);
  if (!s->rest || !s->position || !s->mass || !s->b || !s->constraint)
    return mus_fail_memory();
  place_vertices(s);
  lump_masses(s);
  hold_boundary(s);
  return MUS_OK;
}

// --- energy, force, matrix ----------------------------------------------------------------------------------------

mus_status sheet_energy(const sheet_system *s, const double *position, double *energy) {
  double sum = 0;
  for (int t = 0; t < s->tuples[TRIANGLES].count; ++t) {
    membrane_state state = membrane_at(s, t, position);
    for (int k = 0; k < CONDITIONS; ++k)
      sum += 0.5 * state.stiffness[k] * state.condition[k] * state.condition[k];
  }
  for (int e = 0; e < s->tuples[HINGES].count; ++e) {
    hinge_state state = hinge_at(s, e, position);
    sum += 0.5 * state.stiffness * mus_dot3(state.bend, state.bend);
  }
  *energy = sum;
  return MUS_OK;
}

static void membrane_force(const membrane_state *state, double *force) {
  for (int i = 0; i < 9; ++i) {
    force[i] = 0;
    for (int k = 0; k < CONDITIONS; ++k)
      force[i] -= state->stiffness[k] * state->condition[k] * state->slope[k][i];
  }
}

// Upper blocks of factor * sum_k stiffness_k slope_k slope_k^T, with the products bracketed so that rounding keeps them
// symmetric.
static void membrane_blocks(const membrane_state *state, double factor, double *block) {
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          double sum = 0;
          for (int k = 0; k < CONDITIONS; ++k)
            sum += state->stiffness[k] * (state->slope[k][3 * i + r] * state->slope[k][3 * j + c]);
          *block++ = factor * sum;
        }
}

static void scaled_identity(double scale, double *block) {
  for (int i = 0; i < 9; ++i)
    block[i] = i % 4 == 0 ? scale : 0;
}

static void hinge_blocks(const hinge_state *state, double factor, double *block) {
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, block += 9)
      scaled_identity(factor * state->stiffness * state->weight[i] * state->weight[j], block);
}

// Where elements are evaluated: forces of the sheet and blocks of A, in the positions given.
typedef struct evaluation {
  const sheet_system *sheet;
  const double *position;
  double factor; // of K in A
} evaluation;

static void evaluate(const void *context, int list, int first, int count, double *force, double *block) {
  const evaluation *at = context;
  const sheet_system *s = at->sheet;
  for (int e = first; e < first + count; ++e) {
    if (list == TRIANGLES) {
      membrane_state state = membrane_at(s, e, at->position);
      membrane_force(&state, force);
      if (block)
        membrane_blocks(&state, at->factor, block);
    } else if (list == HINGES) {
      hinge_state state = hinge_at(s, e, at->position);
      for (int i = 0; i < 12; ++i)
        force[i] = -state.stiffness * state.weight[i / 3] * state.bend[i % 3];
      if (block)
        hinge_blocks(&state, at->factor, block);
    } else {
      memset(force, 0, 3 * sizeof *force);
      if (block)
        scaled_identity(s->mass[e], block);
    }
    force += 3 * s->tuples[list].arity;
    block = block ? block + 9 * mus_tuple_blocks(s->tuples[list].arity) : NULL;
  }
}

mus_status sheet_force(const sheet_system *s, const double *position, double *force) {
  mus_scatter_run(s->scatter, evaluate, &(evaluation){s, position, 0}, NULL, force);
  return MUS_OK;
}

mus_status sheet_system_assemble(sheet_system *s) {
  double factor = s->options.time_step * (s->options.damping + s->options.time_step);
  mus_scatter_run(s->scatter, evaluate, &(evaluation){s, s->position, factor}, &s->a, s->b);
  for (int i = 0; i < s->rows * 3; ++i)
    s->b[i] = s->options.time_step * (s->b[i] + s->mass[i / 3] * gravity[i % 3]);
  return MUS_OK;
}

mus_status sheet_system_create(const sheet_options *options, sheet_system *out) {
  *out = (sheet_system){0};
  mus_status status = check_options(options);
  if (status)
    return status;
  sheet_system s = {.options = *options, .rows = options->side * options->side, .block = 3};
  status = create_topology(&s);
  if (!status)
    status = create_state(&s);
  if (!status)
    status = sheet_system_assemble(&s);
  if (status) {
    mus_arena_clear(&s.arena);
    return status;
  }
  *out = s;
  return MUS_OK;
}

void sheet_system_free(sheet_system *system) {
  if (!system)
    return;
  mus_arena_clear(&system->arena);
  *system = (sheet_system){0};
}

mus_status sheet_random_vectors(sheet_system *system, int count, double **vector[], float **vector_f[]) {
  size_t n = (size_t)system->rows * (size_t)system->block;
  for (int k = 0; k < count; ++k) {
    *vector[k] = mus_arena_alloc(&system->arena, n, sizeof(double));
    *vector_f[k] = mus_arena_alloc(&system->arena, n, sizeof(float));
    if (!*vector[k] || !*vector_f[k])
      return mus_fail_memory();
    mus_fill_random(n, (unsigned)k, *vector[k]);
    mus_to_float(n, 1, *vector[k], *vector_f[k]);
  }
  return MUS_OK;
}
