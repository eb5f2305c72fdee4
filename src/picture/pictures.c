// Pictures and videos of results. See muslin/render.h.
//
// Before anything is drawn the frames are looked through, for where the camera must stand so that all of them fit, how
// low the ground must lie, and how far the heat map's scale must reach. So none of the three moves during a video.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "base/progress.h"
#include "base/timer.h"
#include "energy/heat.h"
#include "io/result_reader.h"
#include "muslin/render.h"
#include "par/par.h"
#include "picture/camera_path.h"
#include "picture/contact_colours.h"
#include "picture/looks.h"
#include "picture/studio.h"
#include "render/video.h"
#include "result/cloth_weld.h"

enum {
  GLANCES = 24,      // frames that are looked at where not all are needed
  TURN_PICTURES = 96 // around a single frame
};

typedef enum output_kind { STILL, SEQUENCE, VIDEO } output_kind;

typedef struct picture_job {
  const mus_render_options *options;
  const char *output;
  output_kind kind;
  mus_result result;
  mus_studio studio;
  int first, last;
  int pictures;                 // how many there will be
  mus_camera_path *path;        // NULL: the camera stands still
  double **position, **heat;    // a part each; heat: NULL without a heat map
  double *workspace;            // 3 numbers per vertex of the largest part or body
  double *picked;               // a number per vertex of the largest part
  double unit;                  // what the heat map's numbers are divided by
  mus_heat_plan *plan;          // a part each; those of cloths are made
  mus_contact_colours contacts; // where they are shown
} picture_job;

mus_render_options mus_default_render_options(void) {
  return (mus_render_options){.width = 960,
                              .height = 540,
                              .samples = 4,
                              .field_of_view = (double)mus_default_camera_wish().field,
                              .frame = -1,
                              .last = -1,
                              .every = 1,
                              .cookie = MUS_COOKIE};
}

// --- what is wanted --------------------------------------------------------------------------------------------------

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// The first of the signs that stand for a frame's number, in the file's name; NULL where there are none.
static const char *find_number(const char *path) {
  const char *slash = strrchr(path, '/');
  return strchr(slash ? slash : path, '#');
}

static mus_status find_kind(picture_job *job) {
  if (ends_with(job->output, ".mp4"))
    job->kind = VIDEO;
  else if (ends_with(job->output, ".png"))
    job->kind = find_number(job->output) ? SEQUENCE : STILL;
  else
    return mus_fail(MUS_BAD_INPUT,
                    "%s: unknown kind of file: give a name that ends in .png (a picture) or .mp4 (a video)",
                    job->output);
  return MUS_OK;
}

static mus_status find_frame(const picture_job *job, int wanted, int *frame) {
  int frames = job->result.frames;
  *frame = wanted < 0 ? frames + wanted : wanted;
  if (*frame >= 0 && *frame < frames)
    return MUS_OK;
  if (frames == 1)
    return mus_fail(MUS_BAD_INPUT, "%s: there is no frame %d: it has only frame 0", job->result.path, wanted);
  return mus_fail(MUS_BAD_INPUT, "%s: there is no frame %d: it has frames 0 to %d", job->result.path, wanted,
                  frames - 1);
}

static mus_status find_frames(picture_job *job) {
  const mus_render_options *options = job->options;
  int still = job->kind == STILL;
  mus_status status = find_frame(job, still ? options->frame : options->first, &job->first);
  if (!status)
    status = find_frame(job, still ? options->frame : options->last, &job->last);
  if (!status && job->first > job->last)
    status = mus_fail(MUS_BAD_INPUT, "frames %d to %d: the first comes after the last", job->first, job->last);
  if (!status && options->every < 1)
    status = mus_fail(MUS_BAD_INPUT, "every %d-th frame: give 1 or more", options->every);
  if (!status)
    job->pictures = (job->last - job->first) / options->every + 1;
  if (options->turntable && job->pictures == 1)
    job->pictures = TURN_PICTURES;
  return status;
}

static mus_status check_moves(const picture_job *job) {
  const mus_render_options *options = job->options;
  if (job->kind == STILL && (options->follow || options->turntable))
    return mus_fail(MUS_BAD_INPUT, "%s: a single picture has no moving camera: write an .mp4 or NAME_####.png",
                    job->output);
  if (options->follow && options->target_given)
    return mus_fail(MUS_BAD_INPUT, "a camera that follows the cloth has no fixed target: leave one of the two out");
  return MUS_OK;
}

static mus_status check_colour(int given, const double colour[3]) {
  for (int c = 0; c < 3; ++c)
    if (given && !(colour[c] >= 0 && colour[c] <= 1))
      return mus_fail(MUS_BAD_INPUT, "a colour of %g, %g, %g: give three numbers from 0 to 1", colour[0], colour[1],
                      colour[2]);
  return MUS_OK;
}

static mus_status check_options(const mus_render_options *options) {
  if (options->show && options->heat)
    return mus_fail(MUS_BAD_INPUT, "contacts and a heat map cannot be combined in one picture: choose one");
  if (!isfinite(options->range[0]) || !isfinite(options->range[1]) || options->range[0] > options->range[1])
    return mus_fail(MUS_BAD_INPUT, "a range from %g to %g: give two numbers, the smaller first", options->range[0],
                    options->range[1]);
  if (!(options->frames_per_second >= 0))
    return mus_fail(MUS_BAD_INPUT, "%g frames per second: give a number above 0", options->frames_per_second);
  for (int c = 0; c < 3; ++c) {
    if ((options->eye_given && !isfinite(options->eye[c])) || (options->target_given && !isfinite(options->target[c])))
      return mus_fail(MUS_BAD_INPUT, "the camera's eye or target is not finite");
  }
  mus_status status = check_colour(options->colour_given, options->colour);
  return status ? status : check_colour(options->body_colour_given, options->body_colour);
}

// --- what is shown ---------------------------------------------------------------------------------------------------

// About a twentieth of the cloth, as a round number of metres.
static float checker_size(const mus_mesh *mesh) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t i = 0; i < 6 * (size_t)mesh->triangles; ++i) {
    low[i % 2] = fmin(low[i % 2], mesh->material[i]);
    high[i % 2] = fmax(high[i % 2], mesh->material[i]);
  }
  double rough = fmax(fmax(high[0] - low[0], high[1] - low[1]) / 20, 1e-9), power = pow(10, floor(log10(rough)));
  double ratio = rough / power;
  return (float)(power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10));
}

// Solids have neither threads nor squares.
static void choose_look(const mus_render_options *options, const mus_mesh *mesh, mus_surface_look *look) {
  mus_float3 colour = {(float)options->colour[0], (float)options->colour[1], (float)options->colour[2]};
  if (options->colour_given)
    mus_look_recolour(look, colour);
  if (options->look == MUS_RENDER_LOOK_PLAIN)
    look->kind = MUS_LOOK_PLAIN;
  if (options->look == MUS_RENDER_LOOK_CHECKER && mesh->material) {
    mus_look_checker(look, checker_size(mesh));
    look->colour = options->colour_given ? colour : look->colour;
  }
}

// What the colours of contacts are told from.
static const mus_float3 pale = {0.80f, 0.81f, 0.82f};

static void prepare_contacts(picture_job *job, int k) {
  job->studio.mesh[k].colour = mus_contact_colours_of(&job->contacts, k);
  job->studio.mesh[k].look.sheen = 0;
  job->studio.mesh[k].look.translucency = 0;
}

static mus_status prepare_heat(picture_job *job, int k) {
  mus_arena *arena = &job->studio.arena;
  const mus_result_part *part = &job->result.parts[k];
  job->heat[k] = mus_arena_alloc(arena, (size_t)job->studio.mesh[k].vertices, sizeof(double));
  job->studio.mesh[k].heat = job->heat[k];
  job->studio.mesh[k].look.sheen = 0; // it would change the colours
  if (!job->heat[k])
    return mus_fail_memory();
  return part->is_solid ? MUS_OK : mus_heat_plan_create(arena, &part->mesh, &job->plan[k]);
}

// Seams that are closed in the first and in the last of all pictures are drawn as surfaces without edges: triangles
// name one vertex of those that are sewn together. Positions stay as they are.
static mus_status weld_cloth(picture_job *job, int k) {
  const mus_result_part *cloth = &job->result.parts[k];
  mus_render_mesh *shown = &job->studio.mesh[k];
  mus_arena *arena = &job->studio.arena;
  double *last = mus_arena_alloc(arena, 3 * (size_t)cloth->mesh.vertices, sizeof *last);
  const double *position[] = {job->position[k], last};
  mus_cloth_weld made;
  mus_status status = last ? mus_result_positions(&job->result, k, job->first, job->position[k]) : mus_fail_memory();
  if (!status)
    status = mus_result_positions(&job->result, k, job->last, last);
  if (!status)
    status = mus_cloth_weld_create(arena, cloth, 2, position, &made);
  if (status)
    return status;
  for (size_t i = 0; i < 3 * (size_t)made.weld.mesh.triangles; ++i)
    made.weld.mesh.triangle[i] = made.weld.kept[made.weld.mesh.triangle[i]];
  shown->triangles = made.weld.mesh.triangles;
  shown->triangle = made.weld.mesh.triangle;
  shown->material = made.weld.mesh.material;
  return MUS_OK;
}

static mus_status prepare_cloth(picture_job *job, int k) {
  const mus_mesh *mesh = &job->result.parts[k].mesh;
  mus_render_mesh *shown = &job->studio.mesh[k];
  shown->vertices = mesh->vertices;
  shown->triangles = mesh->triangles;
  shown->triangle = mesh->triangle;
  shown->material = mesh->material;
  shown->position = job->position[k];
  int as_simulated = job->options->wireframe || job->options->show || job->heat || job->result.parts[k].stitches == 0;
  return as_simulated ? MUS_OK : weld_cloth(job, k);
}

// Where contacts are shown, which vertices have the colours of, as it is.
static mus_status prepare_solid(picture_job *job, int k) {
  return job->options->show ? prepare_cloth(job, k) : mus_studio_add_solid(&job->studio, k, &job->result.parts[k].mesh);
}

static mus_status prepare_part(picture_job *job, const mus_matter *matter, int k) {
  const mus_result_part *part = &job->result.parts[k];
  mus_render_mesh *shown = &job->studio.mesh[k];
  job->position[k] = mus_arena_alloc(&job->studio.arena, 3 * (size_t)part->mesh.vertices, sizeof(double));
  if (!job->position[k])
    return mus_fail_memory();
  mus_studio_dress(&job->studio, k, matter);
  mus_studio_colour_part(&job->studio, k, &part->colour);
  shown->wireframe = job->options->wireframe;
  choose_look(job->options, &part->mesh, &shown->look);
  if (job->options->show)
    prepare_contacts(job, k);
  mus_status status = part->is_solid ? prepare_solid(job, k) : prepare_cloth(job, k);
  return !status && job->heat ? prepare_heat(job, k) : status;
}

// Room for what is read of any part or body, and for the numbers of any mesh that is shown.
static mus_status make_workspace(picture_job *job) {
  const mus_result *result = &job->result;
  size_t largest = 0;
  for (int k = 0; k < result->part_count + result->body_count; ++k) {
    int body = k - result->part_count;
    size_t vertices = (size_t)(body < 0 ? result->parts[k].mesh.vertices : result->bodies[body].mesh.vertices);
    size_t shown = body < 0 ? (size_t)job->studio.mesh[k].vertices : 0;
    largest = vertices > largest ? vertices : largest;
    largest = shown > largest ? shown : largest;
  }
  job->workspace = mus_arena_alloc(&job->studio.arena, 3 * largest, sizeof *job->workspace);
  job->picked = mus_arena_alloc(&job->studio.arena, largest, sizeof *job->picked);
  return job->workspace && job->picked ? MUS_OK : mus_fail_memory();
}

static mus_status prepare_parts(picture_job *job) {
  mus_arena *arena = &job->studio.arena;
  const mus_result *result = &job->result;
  size_t count = (size_t)result->part_count;
  mus_matter *matter = mus_arena_alloc(arena, count, sizeof *matter);
  job->position = mus_arena_alloc_zero(arena, count, sizeof *job->position);
  job->plan = mus_arena_alloc_zero(arena, count, sizeof *job->plan);
  double **heat = mus_arena_alloc_zero(arena, count, sizeof *heat);
  if (!matter || !job->position || !job->plan || !heat)
    return mus_fail_memory();
  job->heat = job->options->heat == MUS_RENDER_HEAT_NONE ? NULL : heat;
  for (int k = 0; k < result->part_count; ++k)
    matter[k] = (mus_matter){result->parts[k].is_solid, result->parts[k].look};
  mus_status status = MUS_OK;
  for (int k = 0; k < result->part_count && !status; ++k)
    status = prepare_part(job, matter, k);
  return status ? status : make_workspace(job);
}

static mus_status prepare_bodies(picture_job *job) {
  const mus_result *result = &job->result;
  const mus_render_options *options = job->options;
  mus_colour all = {options->body_colour_given, {0}};
  mus_status status = MUS_OK;
  memcpy(all.rgb, options->body_colour, sizeof all.rgb);
  for (int k = 0; k < result->body_count && !status; ++k) {
    const mus_result_body *body = &result->bodies[k];
    status = mus_studio_add_body(&job->studio, k, &body->mesh, body->cache != NULL);
    if (!status)
      mus_studio_style_body(&job->studio, k, all.given ? &all : &body->colour, body->hidden || options->hide_bodies);
    job->studio.mesh[result->part_count + k].wireframe = job->options->wireframe;
  }
  return status;
}

// What heat maps need beside positions.
static mus_status open_numbers(picture_job *job) {
  mus_render_heat heat = job->options->heat;
  if (heat == MUS_RENDER_HEAT_RESIDUAL)
    return mus_result_open_residuals(&job->result);
  int solids = 0;
  for (int k = 0; k < job->result.part_count; ++k)
    solids += job->result.parts[k].is_solid;
  if (heat == MUS_RENDER_HEAT_STRESS || heat == MUS_RENDER_HEAT_VOLUME || (heat == MUS_RENDER_HEAT_STRETCH && solids))
    return mus_result_open_stresses(&job->result);
  return MUS_OK;
}

static mus_status prepare(picture_job *job) {
  const mus_render_options *options = job->options;
  mus_render_quality quality = mus_default_render_quality();
  quality.width = options->width;
  quality.height = options->height;
  quality.antialias = options->samples;
  quality.light_samples = quality.sky_samples = 2 * options->samples;
  mus_status status = mus_studio_create(job->result.part_count, job->result.body_count, &quality, &job->studio);
  job->studio.up = job->result.up;
  if (!status && options->show)
    status = mus_contact_colours_create(&job->result, &job->contacts);
  if (!status)
    status = prepare_parts(job);
  if (!status)
    status = prepare_bodies(job);
  if (!status)
    status = open_numbers(job);
  static const char *const titles[] = {[MUS_RENDER_HEAT_STRETCH] = "stretch (%)",
                                       [MUS_RENDER_HEAT_BEND] = "curvature (1/m)",
                                       [MUS_RENDER_HEAT_RESIDUAL] = "residual (kg m/s)",
                                       [MUS_RENDER_HEAT_STRESS] = "von Mises",
                                       [MUS_RENDER_HEAT_VOLUME] = "volume change (%)"};
  job->studio.scene.heat.title = options->heat == MUS_RENDER_HEAT_NONE ? NULL : titles[options->heat];
  job->studio.scene.ground.shown = !options->no_ground;
  return status;
}

// --- a frame ---------------------------------------------------------------------------------------------------------

// Of a vector a vertex its length, or one of its components.
static void pick(int vertices, const double *vectors, int component, double *numbers) {
  for (size_t v = 0; v < (size_t)vertices; ++v)
    numbers[v] = vectors[3 * v + (size_t)component];
}

// Numbers of a part's vertices that are recorded beside their positions.
static mus_status load_recorded(picture_job *job, int frame, int k, double *numbers) {
  int vertices = job->result.parts[k].mesh.vertices;
  mus_render_heat heat = job->options->heat;
  mus_status status = heat == MUS_RENDER_HEAT_RESIDUAL ? mus_result_residuals(&job->result, k, frame, job->workspace)
                                                       : mus_result_stresses(&job->result, k, frame, job->workspace);
  if (status)
    return status;
  if (heat == MUS_RENDER_HEAT_RESIDUAL)
    mus_heat_length(vertices, job->workspace, numbers);
  else
    pick(vertices, job->workspace,
         heat == MUS_RENDER_HEAT_STRESS   ? MUS_STRESS_MISES
         : heat == MUS_RENDER_HEAT_VOLUME ? MUS_STRESS_VOLUME
                                          : MUS_STRESS_STRAIN,
         numbers);
  for (int v = 0; v < vertices; ++v)
    numbers[v] = heat == MUS_RENDER_HEAT_BEND ? (double)NAN : numbers[v] / job->unit; // solids have no folds
  return MUS_OK;
}

static mus_status load_heat(picture_job *job, int frame, int k) {
  mus_render_heat heat = job->options->heat;
  int is_solid = job->result.parts[k].is_solid;
  if (!is_solid && (heat == MUS_RENDER_HEAT_STRETCH || heat == MUS_RENDER_HEAT_BEND)) {
    (heat == MUS_RENDER_HEAT_STRETCH ? mus_heat_stretch : mus_heat_bend)(&job->plan[k], job->position[k], job->heat[k]);
    return MUS_OK;
  }
  mus_status status = load_recorded(job, frame, k, is_solid ? job->picked : job->heat[k]);
  if (!status && is_solid)
    mus_studio_spread(&job->studio, k, job->picked, job->heat[k]);
  return status;
}

static mus_status load_part(picture_job *job, int frame, int k) {
  const mus_result_part *part = &job->result.parts[k];
  mus_status status = mus_result_positions(&job->result, k, frame, job->position[k]);
  if (status)
    return status;
  mus_turn_up(job->result.up, MUS_UP_Y, (size_t)part->mesh.vertices, job->position[k]);
  if (part->is_solid && !job->options->show)
    mus_studio_place_solid(&job->studio, k, job->position[k]);
  return MUS_OK;
}

static mus_status load_frame(picture_job *job, int frame, int with_heat) {
  mus_status status = MUS_OK;
  for (int k = 0; k < job->result.part_count && !status; ++k) {
    status = load_part(job, frame, k);
    if (!status && with_heat && job->heat)
      status = load_heat(job, frame, k);
  }
  for (int k = 0; k < job->result.body_count && !status; ++k)
    if (job->result.bodies[k].cache) {
      status = mus_result_body_positions(&job->result, k, frame, job->workspace);
      if (!status)
        mus_studio_place_body(&job->studio, k, job->workspace);
    }
  return status;
}

// --- looking through -------------------------------------------------------------------------------------------------

// The box around what is shown in some frames from `first` to `last`, these two among them.
static mus_status glance(picture_job *job, int first, int last, mus_bounds *bounds) {
  mus_camera_wish wish = mus_default_camera_wish();
  mus_framing framing;
  mus_status status = mus_framing_begin(&wish, 1, &framing);
  int frames = last - first, glances = frames < GLANCES ? frames : GLANCES;
  for (int i = 0; i <= glances && !status; ++i) {
    status = load_frame(job, first + (glances > 0 ? (int)((long long)frames * i / glances) : 0), 0);
    if (!status)
      mus_studio_measure(&job->studio, &framing);
  }
  *bounds = framing.bounds;
  return status;
}

static void widen_range(picture_job *job, double range[2]) {
  for (int k = 0; k < job->result.part_count && job->heat; ++k) {
    double low, high;
    mus_heat_range(job->studio.mesh[k].vertices, job->heat[k], job->workspace, &low, &high);
    range[0] = fmin(range[0], low);
    range[1] = fmax(range[1], high);
  }
}

static mus_float3 single(const double *p) { return mus_v3((float)p[0], (float)p[1], (float)p[2]); }

// As pictures have it, with y up.
static mus_float3 upright(const picture_job *job, const double *p) {
  double turned[3] = {p[0], p[1], p[2]};
  mus_turn_up(job->result.up, MUS_UP_Y, 1, turned);
  return single(turned);
}

static mus_camera_wish choose_camera(const picture_job *job, const mus_bounds *bounds) {
  const mus_render_options *options = job->options;
  mus_camera_wish wish = mus_camera_wish_for(bounds);
  wish.field = (float)options->field_of_view;
  wish.legend = job->heat ? 0.12f : options->show ? 0.16f : 0;
  wish.has_eye = options->eye_given;
  wish.has_target = options->target_given;
  wish.eye = upright(job, options->eye);
  wish.target = upright(job, options->target);
  return wish;
}

// Stresses in a unit in which they have few digits.
static void choose_unit(picture_job *job, mus_heat_map *heat) {
  static const char *const titles[] = {"von Mises (Pa)", "von Mises (kPa)", "von Mises (MPa)"};
  int k = job->options->heat == MUS_RENDER_HEAT_STRESS ? (heat->high >= 1e4) + (heat->high >= 1e7) : 0;
  job->unit = k == 0 ? 1 : k == 1 ? 1e3 : 1e6;
  heat->low /= job->unit;
  heat->high /= job->unit;
  if (job->options->heat == MUS_RENDER_HEAT_STRESS)
    heat->title = titles[k];
}

// All frames that will be drawn: none may leave the picture or the scale.
static mus_status look_through(picture_job *job, mus_framing *framing) {
  int has_sign = job->options->heat == MUS_RENDER_HEAT_STRETCH || job->options->heat == MUS_RENDER_HEAT_VOLUME;
  double range[2] = {has_sign ? INFINITY : 0, -INFINITY};
  mus_status status = MUS_OK;
  for (int frame = job->first; frame <= job->last && !status; frame += job->options->every) {
    status = load_frame(job, frame, 1);
    if (status)
      break;
    mus_studio_measure(&job->studio, framing);
    widen_range(job, range);
  }
  mus_heat_map *heat = &job->studio.scene.heat;
  int given = job->options->range[0] < job->options->range[1];
  heat->low = given ? job->options->range[0] : range[0];
  heat->high = given ? job->options->range[1] : range[1];
  if (!isfinite(heat->low) || !isfinite(heat->high) || !(heat->low < heat->high))
    heat->high = (heat->low = isfinite(heat->low) ? heat->low : 0) + 1; // one value, or none, is everywhere
  choose_unit(job, heat);
  return status;
}

// A single picture shows the ground where the whole run has it, so that cloth hangs as high in each of its pictures;
// but no further below than the cloth is large, for what falls freely has no ground.
static mus_status lower_ground(picture_job *job, const mus_framing *framing) {
  mus_bounds all;
  mus_status status = glance(job, 0, job->result.frames - 1, &all);
  float *height = &job->studio.scene.ground.height, size = mus_bounds_radius(&framing->bounds);
  if (!status)
    *height = fmaxf(fminf(*height, all.low.y - 0.004f * size), *height - 2 * size);
  return status;
}

// Half a second's worth of the frames that are drawn.
static int smoothing_window(const picture_job *job) {
  int window = (int)lround(job->result.frame_rate / job->options->every / 4);
  return window > 1 ? window : 1;
}

static mus_status follow(picture_job *job) {
  mus_camera_wish wish = mus_default_camera_wish();
  mus_status status = MUS_OK;
  int every = job->options->every;
  for (int frame = job->first; frame <= job->last && !status && job->options->follow; frame += every) {
    mus_framing framing;
    status = mus_framing_begin(&wish, 1, &framing);
    if (!status)
      status = load_frame(job, frame, 0);
    if (status)
      break;
    mus_studio_measure(&job->studio, &framing);
    mus_camera_path_see(job->path, (frame - job->first) / every, &framing.bounds);
  }
  return status ? status : mus_camera_path_smooth(job->path, smoothing_window(job));
}

// Where a camera that moves is in each frame, so that everything fits in all of them.
static mus_status plan_path(picture_job *job, const mus_camera_wish *wish, const mus_bounds *all) {
  int every = job->options->every, frames = (job->last - job->first) / every + 1;
  job->path = mus_arena_alloc(&job->studio.arena, 1, sizeof *job->path);
  if (!job->path)
    return mus_fail_memory();
  mus_status status =
      mus_camera_path_create(&job->studio.arena, frames, job->options->follow, job->options->turntable, all, job->path);
  if (!status)
    status = follow(job);
  if (!status)
    status = mus_camera_path_begin(job->path, wish, (float)job->options->width / (float)job->options->height);
  for (int k = 0; k < frames && !status; ++k) {
    status = load_frame(job, job->first + k * every, 0);
    mus_camera_path_aim(job->path, k);
    for (int side = 0; side < job->path->sides && !status; ++side)
      mus_studio_measure(&job->studio, &job->path->framing[side]);
  }
  return status ? status : mus_camera_path_end(job->path);
}

static mus_status set_up(picture_job *job) {
  mus_bounds bounds;
  mus_framing framing;
  mus_status status = glance(job, job->first, job->last, &bounds);
  if (status)
    return status;
  mus_camera_wish wish = choose_camera(job, &bounds);
  status = mus_framing_begin(&wish, (float)job->options->width / (float)job->options->height, &framing);
  if (!status)
    status = look_through(job, &framing);
  if (!status)
    status = mus_scene_frame(&job->studio.scene, &framing);
  if (!status && job->kind == STILL && job->studio.scene.ground.shown)
    status = lower_ground(job, &framing);
  if (!status)
    mus_studio_lay_ground(&job->studio, &framing);
  if (!status && (job->options->follow || job->options->turntable))
    status = plan_path(job, &wish, &framing.bounds);
  return status;
}

// --- drawing ---------------------------------------------------------------------------------------------------------

static mus_status write_picture(picture_job *job, int number_given, mus_video *video) {
  const mus_picture *picture = &job->studio.picture;
  if (video)
    return mus_video_add(video, picture);
  if (job->kind == STILL)
    return mus_picture_write_png(picture, job->output);
  const char *number = find_number(job->output);
  int before = (int)(number - job->output), digits = (int)strspn(number, "#");
  size_t size = strlen(job->output) + 16;
  char *path = mus_alloc(size, 1);
  if (!path)
    return mus_fail_memory();
  snprintf(path, size, "%.*s%0*d%s", before, job->output, digits, number_given, number + digits);
  mus_status status = mus_picture_write_png(picture, path);
  mus_free(path);
  return status;
}

// Of a single frame there are several pictures where the camera goes around it.
static int frame_of(const picture_job *job, int picture) {
  return job->first == job->last ? job->first : job->first + picture * job->options->every;
}

static mus_status draw_frame(picture_job *job, int picture, mus_render_record *record) {
  const mus_render_options *options = job->options;
  int frame = frame_of(job, picture), total = job->pictures;
  mus_status status = load_frame(job, frame, 1);
  if (job->path)
    mus_camera_path_place(job->path, (frame - job->first) / options->every, (double)picture / total,
                          &job->studio.scene);
  if (!status && options->show)
    status = mus_contact_colours_find(&job->contacts, frame, options->colour_given ? single(options->colour) : pale);
  double start = mus_seconds();
  if (!status)
    status = mus_studio_draw(&job->studio);
  record->seconds_per_frame += (mus_seconds() - start) / total;
  if (!status && options->show)
    mus_contact_colours_explain(&job->contacts, &job->studio.picture);
  record->pairs += job->contacts.crossing + job->contacts.seams;
  return status;
}

static mus_status draw_frames(picture_job *job, mus_video *video, mus_render_record *record) {
  int total = job->pictures;
  FILE *stream = job->kind == STILL ? NULL : job->options->progress;
  mus_progress progress;
  if (stream)
    progress = mus_progress_start(stream, "drawing", 0, total);
  mus_status status = MUS_OK;
  for (int picture = 0; picture < total && !status; ++picture) {
    int frame = frame_of(job, picture), numbered = total > 1 && job->first == job->last;
    status = draw_frame(job, picture, record);
    if (!status)
      status = write_picture(job, numbered ? picture : frame, video);
    if (status)
      break;
    record->last = frame;
    ++record->frames;
    if (stream)
      mus_progress_update(&progress, record->frames, -1);
  }
  if (stream)
    mus_progress_end(&progress);
  return status;
}

// The video is opened before anything else is done: whether there is an ffmpeg should be said at once.
static mus_status draw(picture_job *job, mus_render_record *record) {
  const mus_render_options *options = job->options;
  double own = job->result.frame_rate / options->every;
  double rate = options->frames_per_second > 0 ? options->frames_per_second : own;
  mus_video *video = NULL;
  mus_status status = MUS_OK;
  record->began = 1;
  if (job->kind == VIDEO)
    status = mus_video_open(job->output, options->width, options->height, rate, &video);
  if (!status)
    status = set_up(job);
  if (!status)
    status = draw_frames(job, video, record);
  return video ? mus_video_close(video, status) : status;
}

static mus_status accept(picture_job *job, const char *result, const char *cache) {
  mus_status status =
      mus_check_initialised(job->options->cookie, "the options of the picture were", "mus_default_render_options");
  if (!status)
    status = check_options(job->options);
  if (!status)
    status = find_kind(job);
  if (!status)
    status = check_moves(job);
  if (!status)
    status = mus_result_open(result, cache, &job->result);
  if (!status)
    status = find_frames(job);
  return status ? status : prepare(job);
}

static void fill_record(const picture_job *job, mus_render_record *record) {
  const mus_render_scene *scene = &job->studio.scene;
  record->first = job->first;
  for (int k = 0; k < job->result.part_count; ++k)
    record->vertices += job->result.parts[k].mesh.vertices;
  record->range[0] = job->unit * scene->heat.low;
  record->range[1] = job->unit * scene->heat.high;
  record->eye[0] = (double)scene->camera.eye.x;
  record->eye[1] = (double)scene->camera.eye.y;
  record->eye[2] = (double)scene->camera.eye.z;
  mus_turn_up(MUS_UP_Y, job->result.up, 1, record->eye);
}

mus_status mus_render(const char *result, const char *cache, const char *output, const mus_render_options *options,
                      mus_render_record *record) {
  double start = mus_seconds();
  mus_render_record unread, *out = record ? record : &unread;
  picture_job job = {.options = options, .output = output, .unit = 1};
  int before = mus_par_set_threads(options->threads);
  *out = (mus_render_record){0};
  mus_status status = accept(&job, result, cache);
  if (!status)
    status = draw(&job, out);
  if (!status)
    fill_record(&job, out);
  out->seconds = mus_seconds() - start;
  mus_par_set_threads(before);
  mus_contact_colours_free(&job.contacts);
  mus_studio_free(&job.studio);
  mus_result_close(&job.result);
  return status;
}
