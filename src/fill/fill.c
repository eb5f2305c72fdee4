// Solids from surfaces and built-in shapes. See fill.h and muslin/fill.h.
#include "fill/fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/timer.h"
#include "base/vector3.h"
#include "fill/creatures.h"
#include "fill/filled_surface.h"
#include "io/gltf.h"
#include "io/mesh_file.h"
#include "io/solid_file.h"
#include "mesh/mannequin.h"
#include "mesh/measure.h"
#include "mesh/tetrahedra_check.h"
#include "mesh/tetrahedra_generate.h"
#include "mesh/tetrahedra_order.h"

mus_fill_options mus_default_fill_options(void) { return (mus_fill_options){.vertices = 10000, .scale = 1}; }

typedef struct job job;
struct job {
  mus_arena arena;
  mus_fill_options options;
  mus_fill_record *record;
  mus_figure figure;           // of a creature
  mus_mesh mesh;               // of a surface
  mus_filled_surface *surface; // the same
  // What is to be stuffed, for a lattice of that spacing.
  mus_status (*shape)(job *j, double spacing, mus_shape *out);
  mus_tetrahedra solid;
};

// --- how fine ------------------------------------------------------------------------------------------------------

enum { TRIALS = 12 };

static mus_status stuff(job *j, double spacing) {
  mus_shape shape;
  mus_status status = j->shape(j, spacing, &shape);
  j->record->edge = spacing;
  return status ? status : mus_stuff(&j->arena, &shape, spacing, &j->solid);
}

// At the edge length that is asked for; else finer and finer, by a factor of 2 at most, until the number of vertices is
// as asked for, or as near as it gets. `longest` is about the longest side of the shape.
static mus_status stuff_shape(job *j, double longest) {
  if (j->options.edge > 0)
    return stuff(j, j->options.edge);
  double spacing = longest / 10, wanted = j->options.vertices;
  for (int trial = 0;; ++trial) {
    mus_arena_mark mark = mus_arena_here(&j->arena);
    mus_status status = stuff(j, spacing);
    double found = j->solid.vertices;
    if (status || trial == TRIALS || fabs(found - wanted) <= 0.02 * wanted)
      return status;
    mus_arena_rewind(&j->arena, mark);
    spacing *= found > 0 ? fmax(0.5, cbrt(found / wanted)) : 0.5;
  }
}

// --- built-in shapes -----------------------------------------------------------------------------------------------

// As thick as it takes to fill its wings, webs and tips.
static mus_status shape_of_figure(job *j, double spacing, mus_shape *out) {
  return mus_figure_shape(&j->figure, 0.7 * spacing, out);
}

static mus_status make_octopus(job *j) {
  mus_figure_make_octopus(&j->figure);
  j->shape = shape_of_figure;
  return stuff_shape(j, 1.2);
}

static mus_status make_dragon(job *j) {
  mus_figure_make_dragon(&j->figure);
  j->shape = shape_of_figure;
  return stuff_shape(j, 1.7);
}

static double ball_distance(const void *data, const double p[3]) {
  (void)data;
  return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.5;
}

static mus_status shape_of_ball(job *j, double spacing, mus_shape *out) {
  (void)j;
  (void)spacing;
  *out = (mus_shape){.distance = ball_distance, .low = {-0.5, -0.5, -0.5}, .high = {0.5, 0.5, 0.5}, .slope = 1};
  return MUS_OK;
}

static mus_status make_ball(job *j) {
  j->shape = shape_of_ball;
  return stuff_shape(j, 1);
}

static mus_status make_cells(job *j, const double size[3]) {
  int cells[3];
  mus_status status = j->options.edge > 0 ? mus_solid_box_cells(size, j->options.edge, cells)
                                          : mus_solid_box_cells_for(size, j->options.vertices, cells);
  if (!status)
    status = mus_solid_box_of_cells(&j->arena, size, cells, &j->solid);
  for (int k = 0; k < 3 && !status; ++k)
    j->record->edge = fmax(j->record->edge, size[k] / cells[k]);
  return status;
}

static mus_status make_box(job *j) { return make_cells(j, (const double[]){1, 1, 1}); }

static mus_status make_beam(job *j) { return make_cells(j, (const double[]){1, 0.2, 0.2}); }

// --- surfaces ------------------------------------------------------------------------------------------------------

mus_status mus_fill_read_surface(mus_arena *arena, const char *path, mus_mesh *out) {
  if (mus_gltf_is_path(path)) {
    mus_gltf *gltf = NULL;
    mus_status status = mus_gltf_read(path, &gltf);
    if (!status)
      status = mus_mesh_copy(arena, mus_gltf_mesh(gltf), out);
    mus_gltf_free(gltf);
    return status;
  }
  mus_mesh_file file;
  mus_status status = mus_mesh_file_read(path, arena, &file);
  if (!status)
    *out = file.mesh;
  return status;
}

static mus_status shape_of_surface(job *j, double spacing, mus_shape *out) {
  *out = mus_filled_surface_shape(j->surface, spacing);
  return MUS_OK;
}

static mus_status fill_surface(job *j) {
  mus_status status = mus_filled_surface_create(&j->mesh, MUS_FILL_TEXT, j->record->repairs, &j->surface);
  if (status)
    return status;
  mus_box box = mus_filled_surface_box(j->surface);
  j->shape = shape_of_surface;
  return stuff_shape(j, mus_box_diagonal(&box));
}

static mus_status make_mannequin(job *j) {
  mus_mannequin *mannequin;
  mus_status status = mus_mannequin_create(&j->arena, 1.75, 0, NULL, NULL, &mannequin);
  if (status)
    return status;
  j->mesh = *mus_mannequin_mesh(mannequin);
  return fill_surface(j);
}

static const struct {
  const char *name, *about;
  mus_status (*make)(job *j);
} shapes[] = {{"box", "a cube with sides of 1 m", make_box},
              {"beam", "1 m long, 0.2 m high and deep", make_beam},
              {"ball", "1 m across", make_ball},
              {"octopus", "1.2 m across, with curling arms", make_octopus},
              {"dragon", "1.7 m long, with wings", make_dragon},
              {"mannequin", "a standing figure of 1.75 m", make_mannequin}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

const char *mus_fill_shape_name(int number) { return number >= 0 && number < SHAPES ? shapes[number].name : NULL; }
const char *mus_fill_shape_about(int number) { return number >= 0 && number < SHAPES ? shapes[number].about : NULL; }

static mus_status make_builtin(job *j, const char *name) {
  for (int k = 0; k < SHAPES; ++k)
    if (strcmp(name, shapes[k].name) == 0)
      return shapes[k].make(j);
  return mus_fail(MUS_IO_ERROR,
                  "%.200s: there is neither such a file nor a built-in shape of that name (box, beam, ball, octopus, "
                  "dragon, mannequin)",
                  name);
}

static mus_status make_from_file(job *j, const char *path) {
  mus_status status = mus_fill_read_surface(&j->arena, path, &j->mesh);
  if (status)
    return status;
  status = fill_surface(j);
  return status == MUS_BAD_INPUT ? mus_fail_prefix(status, "%.200s", path) : status;
}

// --- afterwards ----------------------------------------------------------------------------------------------------

static const double crumb = 1e-3; // of the largest piece's volume

// Vertices that were doubled draw back from each other by a hundredth of the way to their neighbours, lest the parts
// touch for ever.
static mus_status draw_back(job *j, const mus_solid_repair *record) {
  size_t vertices = (size_t)j->solid.vertices, first = vertices - (size_t)record->split;
  double *sum = mus_arena_alloc_zero(&j->arena, 4 * vertices, sizeof *sum);
  unsigned char *doubled = mus_arena_alloc_zero(&j->arena, vertices, 1);
  if (!sum || !doubled)
    return mus_fail_memory();
  for (size_t v = first; v < vertices; ++v)
    doubled[v] = doubled[record->vertex_source[v]] = 1;
  for (size_t i = 0; i < 4 * (size_t)j->solid.tetrahedra; ++i)
    for (size_t k = i - i % 4; k < i - i % 4 + 4 && doubled[j->solid.corner[i]]; ++k) {
      double *to = sum + 4 * (size_t)j->solid.corner[i];
      mus_add_scaled3(1, j->solid.position + 3 * (size_t)j->solid.corner[k], to);
      to[3] += 1;
    }
  for (size_t v = 0; v < vertices; ++v)
    for (size_t c = 0; c < 3 && doubled[v]; ++c)
      j->solid.position[3 * v + c] += 0.01 * (sum[4 * v + c] / sum[4 * v + 3] - j->solid.position[3 * v + c]);
  return MUS_OK;
}

static mus_status tidy(job *j) {
  mus_solid_repair record;
  mus_status status =
      mus_tetrahedra_repair(&j->arena, &j->solid, MUS_SOLID_REPAIR(MUS_SOLID_BRANCHING_VERTEX), &j->solid, &record);
  j->record->touching = status ? 0 : record.split;
  if (!status && record.split > 0)
    status = draw_back(j, &record);
  if (!status)
    status =
        mus_tetrahedra_drop_pieces(&j->arena, &j->solid, j->options.largest ? INFINITY : crumb, &j->solid, &record);
  j->record->crumbs = status ? 0 : record.dropped[MUS_SOLID_PIECE];
  mus_solid_order order;
  if (!status)
    status = mus_solid_order_find(&j->arena, &j->solid, &order);
  return status ? status : mus_solid_order_apply(&j->arena, &order, &j->solid, &j->solid);
}

static mus_status compare(job *j, const mus_mesh *skin) {
  mus_filled_surface *filling = NULL;
  mus_status status = mus_filled_surface_deviation(j->surface, skin, &j->record->deviation, &j->record->closed);
  if (!status)
    status = mus_filled_surface_create(skin, 0, NULL, &filling);
  if (!status)
    status = mus_filled_surface_loss(j->surface, filling, &j->record->loss);
  mus_filled_surface_free(filling);
  return status;
}

static mus_status check_sound(job *j) {
  mus_solid_report report;
  mus_status status = mus_tetrahedra_check(&j->solid, &report);
  j->record->pieces = report.pieces;
  return status ? status : mus_tetrahedra_require_sound(&report);
}

static void scale(job *j, int vertices, double *position) {
  for (size_t i = 0; i < 3 * (size_t)vertices; ++i)
    position[i] *= j->options.scale;
}

// What a record tells, of the solid as it will be scaled.
static mus_status measure(job *j, mus_solid_surface *skin) {
  mus_tetrahedra_quality quality;
  mus_status status = mus_tetrahedra_surface(&j->arena, &j->solid, skin);
  if (!status && j->surface)
    status = compare(j, &skin->mesh);
  if (status)
    return status;
  scale(j, j->solid.vertices, j->solid.position);
  scale(j, skin->mesh.vertices, skin->mesh.position);
  mus_tetrahedra_measure(&j->solid, &quality);
  mus_fill_record *r = j->record;
  r->vertices = j->solid.vertices;
  r->tetrahedra = j->solid.tetrahedra;
  r->surface_vertices = skin->mesh.vertices;
  r->surface_triangles = skin->mesh.triangles;
  r->volume = quality.volume;
  r->least_angle = quality.least_angle;
  r->largest_angle = quality.largest_angle;
  r->mean_quality = quality.mean;
  r->edge *= j->options.scale;
  r->deviation *= j->surface ? j->options.scale : 1;
  r->loss *= j->surface ? j->options.scale : 1;
  r->closed *= j->options.scale;
  return MUS_OK;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static int is_surface_path(const char *path) {
  return ends_with(path, ".obj") || ends_with(path, ".ply") || ends_with(path, ".obj.gz") || ends_with(path, ".ply.gz");
}

static mus_status check_fineness(const mus_fill_options *options) {
  if (!(options->edge >= 0) || isinf(options->edge))
    return mus_fail(MUS_BAD_INPUT, "edges of %g m: give a positive length", options->edge);
  if (!(options->scale > 0) || isinf(options->scale))
    return mus_fail(MUS_BAD_INPUT, "a scale of %g: give a positive number", options->scale);
  if (options->edge == 0 && (options->vertices < 9 || options->vertices > MUS_TETRAHEDRA_MAXIMUM))
    return mus_fail(MUS_BAD_INPUT, "%d vertices: give 9 to %d, or the length of edges", options->vertices,
                    MUS_TETRAHEDRA_MAXIMUM);
  return MUS_OK;
}

static mus_status check_options(const char *path, const mus_fill_options *options) {
  mus_status status = check_fineness(options);
  if (status)
    return status;
  if (is_surface_path(path) && !options->format)
    return MUS_OK;
  return mus_solid_file_check_name(path, options->format);
}

static mus_status write_out(const job *j, const char *path, const mus_mesh *skin) {
  mus_mesh_file file = {.mesh = *skin};
  if (is_surface_path(path))
    return mus_mesh_file_write(path, &file);
  return mus_solid_file_write(path, j->options.format, &j->solid);
}

// The solid before it is scaled.
static mus_status fill(job *j, const char *shape, int is_file) {
  *j->record = (mus_fill_record){.deviation = -1, .loss = -1};
  j->options.edge /= j->options.scale;
  mus_status status = is_file ? make_from_file(j, shape) : make_builtin(j, shape);
  if (!status && j->solid.tetrahedra == 0)
    status = mus_fail(MUS_BAD_INPUT,
                      "%.200s: no tetrahedron with edges of %g m fits inside: choose shorter ones, or close the "
                      "surface if it has large holes",
                      shape, j->record->edge * j->options.scale);
  if (!status)
    status = tidy(j);
  return status ? status : check_sound(j);
}

static void free_job(job *j) {
  mus_filled_surface_free(j->surface);
  mus_figure_free(&j->figure);
  mus_arena_clear(&j->arena);
}

mus_status mus_fill_shape(mus_arena *arena, const char *shape, int is_file, const mus_fill_options *options,
                          size_t size, char *repairs, mus_tetrahedra *out) {
  mus_fill_record record;
  job j = {.options = *options, .record = &record};
  mus_status status = check_fineness(options);
  if (!status)
    status = fill(&j, shape, is_file);
  if (!status)
    status = mus_tetrahedra_copy(arena, &j.solid, out);
  if (!status) {
    scale(&j, out->vertices, out->position);
    snprintf(repairs, size, "%s", record.repairs);
  }
  free_job(&j);
  return status;
}

mus_status mus_fill_solid(const char *shape, const char *path, const mus_fill_options *options,
                          mus_fill_record *record) {
  mus_fill_record unread;
  job j = {.options = options ? *options : mus_default_fill_options(), .record = record ? record : &unread};
  mus_solid_surface skin;
  struct stat about;
  double begin = mus_seconds();
  mus_status status = check_options(path, &j.options);
  if (!status) // a file of that name comes first
    status = fill(&j, shape, stat(shape, &about) == 0);
  if (!status)
    status = measure(&j, &skin);
  if (!status)
    status = write_out(&j, path, &skin.mesh);
  j.record->seconds = mus_seconds() - begin;
  free_job(&j);
  return status;
}
