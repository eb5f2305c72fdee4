// See notes.h.
#include "model/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "energy/kinds.h"
#include "io/scene.h"

static mus_status note(mus_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));
static mus_status note(mus_model *model, const char *format, ...) {
  char *text = mus_list_add(&model->notes, MUS_NOTE_SIZE);
  if (!text)
    return mus_fail_memory();
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, MUS_NOTE_SIZE, format, arguments);
  va_end(arguments);
  return MUS_OK;
}

const char *mus_model_note(const mus_model *model, int index) {
  return index >= 0 && (size_t)index < model->notes.count
             ? (const char *)model->notes.items + (size_t)index * MUS_NOTE_SIZE
             : NULL;
}

// --- sizes -----------------------------------------------------------------------------------------------------------

typedef struct size_limits {
  double least, most; // m, of the longest side
} size_limits;

// Marquees and sails are cloth too, and so are handkerchiefs of dolls; bodies may be landscapes.
static const size_limits part_limits = {0.02, 15}, body_limits = {0.005, 50};

static void extent(int count, const double *position, double size[3]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) {
      low[c] = fmin(low[c], position[3 * (size_t)i + (size_t)c]);
      high[c] = fmax(high[c], position[3 * (size_t)i + (size_t)c]);
    }
  for (int c = 0; c < 3; ++c)
    size[c] = count > 0 ? high[c] - low[c] : 0;
}

// `file` is NULL for a generated shape.
static mus_status note_size(mus_model *model, const char *what, const double size[3], const size_limits *limits,
                            const char *file) {
  double longest = fmax(size[0], fmax(size[1], size[2]));
  if (longest >= limits->least && longest <= limits->most)
    return MUS_OK;
  const char *word = longest > limits->most ? "large" : "small";
  if (file)
    return note(model,
                "%s is %.3g x %.3g x %.3g m, implausibly %s: its shape's \"scale\" gives the metres per unit of "
                "the file, 0.01 for centimetres",
                what, size[0], size[1], size[2], word);
  return note(model, "%s is %.3g x %.3g x %.3g m, implausibly %s: lengths are in metres", what, size[0], size[1],
              size[2], word);
}

// "cloths[0] (shirt)", say.
static void name_part(const mus_model *model, int part, size_t size, char *text) {
  snprintf(text, size, "%s (%.60s)", mus_model_part_title(model, part).text, model->parts[part].name);
}

static mus_status note_part_size(mus_model *model, int part) {
  const mus_model_part *p = &model->parts[part];
  char what[120];
  double size[3];
  name_part(model, part, sizeof what, what);
  extent(p->shape.mesh.vertices, p->shape.mesh.position, size);
  return note_size(model, what, size, &part_limits, p->cloth ? p->cloth->shape.file : p->solid->shape.file);
}

static mus_status note_body_sizes(mus_model *model) {
  const mus_scene *scene = model->scene;
  if (scene->body_count == 0)
    return MUS_OK;
  double *position = mus_alloc(3 * (size_t)mus_bodies_vertices(model->bodies), sizeof *position);
  mus_status status = position ? mus_bodies_at(model->bodies, 0, position) : mus_fail_memory();
  for (int b = 0; b < scene->body_count && !status; ++b) {
    int first = mus_bodies_first_vertex(model->bodies, b);
    char what[120];
    double size[3];
    if (scene->bodies[b].shape.kind == MUS_BODY_SHAPE_PLANE || scene->bodies[b].shape.kind == MUS_BODY_SHAPE_FLOOR)
      continue; // a floor may well be large
    snprintf(what, sizeof what, "bodies[%d]%s%.60s%s", b, scene->bodies[b].name ? " (" : "",
             scene->bodies[b].name ? scene->bodies[b].name : "", scene->bodies[b].name ? ")" : "");
    extent(mus_bodies_first_vertex(model->bodies, b + 1) - first, position + 3 * (size_t)first, size);
    status = note_size(model, what, size, &body_limits, scene->bodies[b].shape.file);
  }
  mus_free(position);
  return status;
}

// --- models ----------------------------------------------------------------------------------------------------------

// Built-in fabrics are stand-ins with any model; values that a user has chosen are expected to act.
static mus_status note_fabric(mus_model *model, int cloth) {
  const mus_cloth *source = model->parts[cloth].cloth;
  const char *unused = mus_cloth_unused(source->model);
  if (!unused || !mus_scene_fabric_named(model->scene, source->fabric))
    return MUS_OK;
  return note(model, "cloths[%d] (%.60s): its model does not use the %s of the fabric \"%.60s\"; see docs/fabrics.md",
              cloth, model->parts[cloth].name, unused, source->fabric);
}

// A key of a cloth, or of its fabric, that its model has no use for.
static mus_status note_key(mus_model *model, int cloth, const char *key, const char *remedy) {
  const mus_cloth *source = model->parts[cloth].cloth;
  return note(model, "cloths[%d] (%.60s): \"%s\" has no effect with \"model\": \"%s\"; %s", cloth,
              model->parts[cloth].name, key, mus_cloth_model_name(source->model), remedy);
}

// The limits of built-in fabrics are not asked for, and go unnoticed.
static int asks_for_limit(const mus_scene *scene, const mus_cloth *cloth) {
  const mus_scene_fabric *own = mus_scene_fabric_named(scene, cloth->fabric);
  const double *limit = cloth->strain_limit_given ? cloth->strain_limit : own ? own->strain_limit : NULL;
  return limit && (limit[0] > 0 || limit[1] > 0);
}

static mus_status note_keys(mus_model *model, int cloth) {
  const mus_cloth *source = model->parts[cloth].cloth;
  mus_status status = MUS_OK;
  if (!mus_cloth_can_limit(source->model) && asks_for_limit(model->scene, source))
    status = note_key(model, cloth, "strain_limit",
                      "choose \"baraff-witkin\" for limits, or a larger \"stretch_scale\" for less stretch");
  if (!status && !mus_cloth_shears(source->model) && source->shear_scale != 1)
    status = note_key(model, cloth, "shear_scale", "choose \"baraff-witkin\" or \"choi-ko\", which resist shear");
  return status;
}

static mus_status note_solid(mus_model *model, int part) {
  const mus_solid *solid = model->parts[part].solid;
  char what[120];
  if (!(solid->poisson > -1) || mus_solid_uses_poisson(solid->model))
    return MUS_OK;
  name_part(model, part, sizeof what, what);
  return note(model, "%s: \"poisson\" has no effect with its model, whose ratio is about 1/4; choose \"neo-hookean\"",
              what);
}

mus_status mus_model_make_notes(mus_model *model) {
  mus_status status = MUS_OK;
  for (int k = 0; k < model->part_count && !status; ++k) {
    status = note_part_size(model, k);
    if (!status && model->parts[k].cloth)
      status = note_fabric(model, k);
    if (!status && model->parts[k].cloth)
      status = note_keys(model, k);
    if (!status && model->parts[k].solid)
      status = note_solid(model, k);
  }
  return status ? status : note_body_sizes(model);
}
