// libFuzzer target for scenes: any text gives a status, and what is accepted is in range and comes back the same when
// it is written and read again.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/initialised.h"
#include "muslin/scene.h"

static void require(int condition) {
  if (!condition)
    abort();
}

// Any numbers that are in range, and some names: the real ones would bring the whole solver with them.
mus_solver_options mus_preset_solver_options(mus_preset preset) {
  return (mus_solver_options){
      .preset = preset,
      .tolerance = 1e-5,
      .iterations = 1,
      .sa = {.reach = 1},
      .multigrid = {.smoother_order = 1, .smoother_range = 2, .lanczos_steps = 1, .levels = 1, .bottom = 1},
      .cookie = MUS_COOKIE};
}

const char *mus_preset_name(mus_preset preset) {
  static const char *const names[] = {"paper", "fast", "robust"};
  return (unsigned)preset < 3 ? names[preset] : NULL;
}

const char *mus_method_name(mus_method method) {
  static const char *const names[] = {"sa", "diag", "auto"};
  return (unsigned)method < 3 ? names[method] : NULL;
}

static void check_keys(const mus_keys *keys, int width) {
  require(keys->count >= 0 && (keys->count == 0 || keys->width == width));
  for (int k = 0; k < keys->count; ++k) {
    require(isfinite(keys->time[k]) && (k == 0 || keys->time[k] > keys->time[k - 1]));
    for (int c = 0; c < width; ++c)
      require(isfinite(keys->value[k * width + c]));
  }
}

static void check_pin(const mus_pin *pin) {
  check_keys(&pin->offset, 3);
  for (int k = 0; k < pin->where.vertex_count; ++k)
    require(pin->where.vertices[k] >= 0);
  for (int c = 0; c < 6 && pin->where.box_given; ++c)
    require(isfinite(pin->where.box[c / 3][c % 3]));
  require(isfinite(pin->frequency) && isfinite(pin->phase) && pin->from >= 0 && pin->to >= 0);
}

static void check_solid(const mus_solid *solid) {
  require((solid->shape.kind == MUS_SOLID_SHAPE_FILE) == (solid->shape.file != NULL));
  require(solid->shape.vertices > 0 && solid->shape.edge >= 0 && solid->shape.scale > 0 && solid->shape.radius > 0);
  for (int c = 0; c < 3; ++c)
    require(solid->shape.size[c] > 0 && isfinite(solid->rotate[c]) && isfinite(solid->translate[c]));
  require(solid->density >= 0 && solid->young >= 0 && solid->poisson >= -1 && solid->poisson <= 0.5);
  require(isfinite(solid->density) && isfinite(solid->young) && isfinite(solid->damping));
  check_keys(&solid->stiffness, 1);
  for (int p = 0; p < solid->pin_count; ++p)
    check_pin(&solid->pins[p]);
}

static void check_scene(const mus_scene *scene) {
  require(scene->cloth_count + scene->solid_count > 0 && scene->frames >= 0);
  require(scene->frame_rate > 0 && scene->time_step > 0 && scene->frame_rate * scene->time_step * 1e6 >= 1);
  check_keys(&scene->gravity, 3);
  check_keys(&scene->wind, 3);
  for (int k = 0; k < scene->cloth_count; ++k) {
    const mus_cloth *cloth = &scene->cloths[k];
    require((cloth->shape.kind == MUS_CLOTH_SHAPE_FILE) == (cloth->shape.file != NULL));
    require(cloth->shape.vertices >= 4 && cloth->shape.size[0] > 0 && cloth->shape.size[1] > 0);
    require(cloth->density >= 0 && isfinite(cloth->density));
    check_keys(&cloth->stiffness, 1);
    for (int p = 0; p < cloth->pin_count; ++p)
      check_pin(&cloth->pins[p]);
  }
  for (int k = 0; k < scene->solid_count; ++k)
    check_solid(&scene->solids[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  require(text != NULL);
  memcpy(text, data, size);
  text[size] = 0;
  mus_scene scene, again;
  if (mus_scene_parse("fuzz", text, &scene) == MUS_OK) {
    check_scene(&scene);
    char *first = mus_scene_text(&scene);
    require(first && mus_scene_parse("again", first, &again) == MUS_OK);
    char *second = mus_scene_text(&again);
    require(second && strcmp(first, second) == 0);
    free(first);
    free(second);
    mus_scene_free(&again);
    mus_scene_free(&scene);
  } else {
    require(mus_last_error()[0] != 0);
  }
  free(text);
  return 0;
}
