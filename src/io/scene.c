// Scenes: defaults and the tables that join them to JSON. See muslin/scene.h and docs/scene.md.
#include "io/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "base/up.h"
#include "io/json_text.h"
#include "io/schema.h"

// --- defaults and life -----------------------------------------------------------------------------------------------

static const double forever = 1e9; // s

mus_scene mus_default_scene(void) {
  return (mus_scene){.frames = 100,
                     .frame_rate = 24,
                     .time_step = 0.002,
                     .adaptive = 1,
                     .integrator = MUS_INTEGRATOR_EULER,
                     .newton_iterations = 50,
                     .settle = 400,
                     .newton_tolerance = 1e-6,
                     .accuracy = 3,
                     .projective_iterations = 10,
                     .projective_cycles = 1,
                     .projective_memory = 5,
                     .projective_tolerance = 1e-4,
                     .air_density = 1.2,
                     .contact = 1,
                     .solver = mus_preset_solver_options(MUS_PRESET_FAST),
                     .cookie = MUS_COOKIE};
}

mus_cloth mus_default_cloth(void) {
  return (mus_cloth){.shape = {.kind = MUS_CLOTH_SHAPE_SHEET, .vertices = 10201, .size = {1, 1}, .seed = 1, .scale = 1},
                     .model = MUS_CLOTH_MODEL_BARAFF_WITKIN,
                     .stretch_scale = 1,
                     .shear_scale = 1,
                     .bend_scale = 1,
                     .damping_scale = 1,
                     .friction = -1,
                     .close = 1,
                     .cookie = MUS_COOKIE};
}

mus_solid mus_default_solid(void) {
  return (mus_solid){
      .lattice = {.cells = 32},
      .shape = {.kind = MUS_SOLID_SHAPE_BOX, .vertices = 5000, .size = {1, 1, 1}, .radius = 0.5, .scale = 1},
      .poisson = -1,
      .damping = -1,
      .thickness = MUS_SOLID_THICKNESS,
      .friction = MUS_SOLID_FRICTION,
      .cookie = MUS_COOKIE};
}

mus_pin mus_default_pin(void) { return (mus_pin){.weight = 1, .to = forever, .cookie = MUS_COOKIE}; }

mus_body mus_default_body(void) {
  return (mus_body){
      .shape =
          {.size = {1, 1, 1}, .radius = 0.25, .length = 0.5, .tube = 0.05, .facet = 0.0002, .scale = 1, .height = 1.75},
      .friction = 0.3,
      .thickness = 0.0005,
      .cookie = MUS_COOKIE};
}

mus_seam mus_default_seam(void) { return (mus_seam){.close = 1, .cookie = MUS_COOKIE}; }

mus_button mus_default_button(void) {
  return (mus_button){.weight = {1.0 / 3, 1.0 / 3, 1.0 / 3}, .stiffness = 1000, .damping = 0.002, .cookie = MUS_COOKIE};
}

static void free_keys(mus_keys *keys) {
  free(keys->time);
  free(keys->value);
}

static void free_pins(int count, mus_pin *pins) {
  for (int p = 0; p < count; ++p) {
    free(pins[p].where.vertices);
    free(pins[p].weights);
    free(pins[p].body);
    free_keys(&pins[p].offset);
    free_keys(&pins[p].turn);
  }
  free(pins);
}

static void free_solid(mus_solid *solid) {
  free_pins(solid->pin_count, solid->pins);
  free(solid->name);
  free(solid->material);
  free(solid->shape.file);
  free(solid->shape.body);
  free_keys(&solid->stiffness);
}

void mus_scene_free(mus_scene *scene) {
  for (int k = 0; k < scene->solid_count; ++k)
    free_solid(&scene->solids[k]);
  free(scene->solids);
  for (int c = 0; c < scene->cloth_count; ++c) {
    mus_cloth *cloth = &scene->cloths[c];
    free_pins(cloth->pin_count, cloth->pins);
    free(cloth->name);
    free(cloth->fabric);
    free(cloth->shape.file);
    free(cloth->shape.start);
    free(cloth->shape.around);
    free(cloth->stitches);
    free_keys(&cloth->stiffness);
  }
  for (int k = 0; k < scene->fabric_count; ++k)
    free(scene->fabrics[k].name);
  free(scene->fabrics);
  for (int b = 0; b < scene->body_count; ++b) {
    mus_body *body = &scene->bodies[b];
    free(body->name);
    free(body->shape.file);
    free(body->shape.motion);
    free(body->shape.animation);
    free_keys(&body->shape.speed);
    free_keys(&body->rotate);
    free_keys(&body->translate);
  }
  for (int k = 0; k < scene->seam_count; ++k) {
    free(scene->seams[k].from);
    free(scene->seams[k].to);
    free(scene->seams[k].pairs);
  }
  free(scene->bodies);
  for (int k = 0; k < scene->button_count; ++k) {
    free(scene->buttons[k].from);
    free(scene->buttons[k].to);
    free(scene->buttons[k].at);
  }
  free(scene->buttons);
  free(scene->seams);
  free(scene->cloths);
  free(scene->name);
  free_keys(&scene->time_steps);
  free_keys(&scene->gravity);
  free_keys(&scene->wind);
  *scene = (mus_scene){0};
}

static mus_status check_part_initialised(const char *list, int number, unsigned cookie, const char *maker, int pins,
                                         const mus_pin *pin) {
  char what[80];
  snprintf(what, sizeof what, "%s[%d] was", list, number);
  mus_status status = mus_check_initialised(cookie, what, maker);
  for (int p = 0; !status && p < pins; ++p) {
    snprintf(what, sizeof what, "%s[%d].pins[%d] was", list, number, p);
    status = mus_check_initialised(pin[p].cookie, what, "mus_default_pin");
  }
  return status;
}

static mus_status check_parts_initialised(const mus_scene *scene) {
  mus_status status = MUS_OK;
  for (int k = 0; !status && k < scene->cloth_count; ++k) {
    const mus_cloth *cloth = &scene->cloths[k];
    status = check_part_initialised("cloths", k, cloth->cookie, "mus_default_cloth", cloth->pin_count, cloth->pins);
  }
  for (int k = 0; !status && k < scene->solid_count; ++k) {
    const mus_solid *solid = &scene->solids[k];
    status = check_part_initialised("solids", k, solid->cookie, "mus_default_solid", solid->pin_count, solid->pins);
  }
  return status;
}

mus_status mus_scene_check_initialised(const mus_scene *scene) {
  char what[80];
  mus_status status = mus_check_initialised(scene->cookie, "the scene was", "mus_default_scene");
  if (!status)
    status =
        mus_check_initialised(scene->solver.cookie, "the scene's solver options were", "mus_default_solver_options");
  for (int k = 0; !status && k < scene->fabric_count; ++k) {
    snprintf(what, sizeof what, "fabrics[%d] was", k);
    status = mus_check_initialised(scene->fabrics[k].cookie, what, "mus_default_fabric");
  }
  if (!status)
    status = check_parts_initialised(scene);
  for (int b = 0; !status && b < scene->body_count; ++b) {
    snprintf(what, sizeof what, "bodies[%d] was", b);
    status = mus_check_initialised(scene->bodies[b].cookie, what, "mus_default_body");
  }
  for (int k = 0; !status && k < scene->seam_count; ++k) {
    snprintf(what, sizeof what, "seams[%d] was", k);
    status = mus_check_initialised(scene->seams[k].cookie, what, "mus_default_seam");
  }
  for (int k = 0; !status && k < scene->button_count; ++k) {
    snprintf(what, sizeof what, "buttons[%d] was", k);
    status = mus_check_initialised(scene->buttons[k].cookie, what, "mus_default_button");
  }
  return status;
}

static void fabric_defaults(void *fabric) { *(mus_scene_fabric *)fabric = mus_default_fabric(0); }
static void cloth_defaults(void *cloth) { *(mus_cloth *)cloth = mus_default_cloth(); }
static void solid_defaults(void *solid) { *(mus_solid *)solid = mus_default_solid(); }
static void pin_defaults(void *pin) { *(mus_pin *)pin = mus_default_pin(); }
static void body_defaults(void *body) { *(mus_body *)body = mus_default_body(); }
static void seam_defaults(void *seam) { *(mus_seam *)seam = mus_default_seam(); }
static void button_defaults(void *button) { *(mus_button *)button = mus_default_button(); }

// --- tables ----------------------------------------------------------------------------------------------------------

#define AT(type, member) .offset = offsetof(type, member)
#define GIVEN_BY(type, member) .count_offset = offsetof(type, member), .has_count = 1
#define FROM_TO(low, high) .minimum = (low), .maximum = (high)
#define SCHEMA(name, words, type, table, defaults)                                                                     \
  static const mus_schema name = {words, sizeof(type), table, sizeof table / sizeof *table, defaults}

static const char *const shape_words[] = {"sheet", "L", "disc", "strip", "file", "tube", "garment", NULL};
static const char *const body_words[] = {"plane", "sphere",   "box",  "capsule", "box-with-hole", "funnel", "mannequin",
                                         "file",  "cylinder", "cone", "torus",   "rounded-box",   "floor",  NULL};
static const char *const solid_words[] = {"box", "ball", "octopus", "dragon", "mannequin", "file", "body", NULL};
static const char *const solid_method_words[] = {"tetrahedra", "lattice", NULL};
static const char *const interpolation_words[] = {"cubic", "linear", NULL};
static const char *const solid_model_words[] = {"neo-hookean", "co-rotated", "venant-kirchhoff", "mass-spring", NULL};
static const char *const up_words[] = {"y", "z", NULL};
static const char *const file_up_words[] = {"auto", "y", "z", NULL};
static const char *const tessellation_words[] = {"regular", "irregular", NULL};
static const char *const model_words[] = {"baraff-witkin", "choi-ko", "mass-spring", NULL};
static const char *const contact_words[] = {"all", "bodies", NULL};
static const char *const integrator_words[MUS_INTEGRATORS + 1] = {"euler", "bdf2", "newton", "projective", "minimise"};
static const char *const precision_words[] = {"double", "single", NULL};
static const char *const setup_words[] = {"numeric", "full", "reuse", "coarse", "auto", NULL};
static const char *const motions_words[] = {"translations", "rigid", "auto", NULL};
static const char *const cycle_words[] = {"v", "w", NULL};

// Those whose list is the solver's.
static const char *method_word(int k) { return mus_method_name((mus_method)k); }
static const char *preset_word(int k) { return mus_preset_name((mus_preset)k); }
static const char *stop_word(int k) { return mus_stop_name((mus_stop)k); }

static const mus_schema_field shape_fields[] = {
    {"kind", MUS_SCHEMA_CHOICE, AT(mus_cloth_shape, kind), .choices = shape_words},
    {"vertices", MUS_SCHEMA_WHOLE, AT(mus_cloth_shape, vertices), FROM_TO(4, 1e8)},
    {"tessellation", MUS_SCHEMA_CHOICE, AT(mus_cloth_shape, tessellation), .choices = tessellation_words},
    {"size", MUS_SCHEMA_NUMBERS, AT(mus_cloth_shape, size), .width = 2, FROM_TO(1e-4, 1e4)},
    {"seed", MUS_SCHEMA_WHOLE, AT(mus_cloth_shape, seed), FROM_TO(0, INT_MAX)},
    {"file", MUS_SCHEMA_TEXT, AT(mus_cloth_shape, file)},
    {"scale", MUS_SCHEMA_NUMBER, AT(mus_cloth_shape, scale), FROM_TO(1e-6, 1e6)},
    {"material_scale", MUS_SCHEMA_NUMBER, AT(mus_cloth_shape, material_scale), FROM_TO(0, 1e6)},
    {"up", MUS_SCHEMA_CHOICE, AT(mus_cloth_shape, up), .choices = file_up_words},
    {"edge", MUS_SCHEMA_NUMBER, AT(mus_cloth_shape, edge), FROM_TO(0, 1e4)},
    {"start", MUS_SCHEMA_TEXT, AT(mus_cloth_shape, start)},
    {"start_up", MUS_SCHEMA_CHOICE, AT(mus_cloth_shape, start_up), .choices = file_up_words},
    {"around", MUS_SCHEMA_TEXT, AT(mus_cloth_shape, around)}};
SCHEMA(shape_schema, "a shape", mus_cloth_shape, shape_fields, NULL);

static const mus_schema_field selection_fields[] = {
    {"vertices", MUS_SCHEMA_WHOLES, AT(mus_selection, vertices), GIVEN_BY(mus_selection, vertex_count), .width = 1,
     FROM_TO(0, INT_MAX)},
    {"box", MUS_SCHEMA_NUMBERS, AT(mus_selection, box), GIVEN_BY(mus_selection, box_given), .width = 6,
     FROM_TO(-1e9, 1e9)},
    {"sphere", MUS_SCHEMA_NUMBERS, AT(mus_selection, sphere), GIVEN_BY(mus_selection, sphere_given), .width = 4,
     FROM_TO(-1e9, 1e9)},
    {"boundary", MUS_SCHEMA_TRUTH, AT(mus_selection, boundary)},
    {"material", MUS_SCHEMA_NUMBERS, AT(mus_selection, material), GIVEN_BY(mus_selection, material_given), .width = 4,
     FROM_TO(-1e9, 1e9)},
    {"inside", MUS_SCHEMA_TRUTH, AT(mus_selection, inside)},
    {"touching", MUS_SCHEMA_TRUTH, AT(mus_selection, touching)},
    {"bones", MUS_SCHEMA_NUMBER, AT(mus_selection, bones), FROM_TO(0, 1e4)}};
SCHEMA(selection_schema, "a selection of vertices", mus_selection, selection_fields, NULL);

static const mus_schema_field pin_fields[] = {
    {"where", MUS_SCHEMA_OBJECT, AT(mus_pin, where), .inner = &selection_schema},
    {"body", MUS_SCHEMA_TEXT, AT(mus_pin, body)},
    {"weight", MUS_SCHEMA_NUMBER, AT(mus_pin, weight), FROM_TO(0, 1)},
    {"weights", MUS_SCHEMA_SERIES, AT(mus_pin, weights), GIVEN_BY(mus_pin, weight_count), FROM_TO(0, 1)},
    {"stiffness", MUS_SCHEMA_NUMBER, AT(mus_pin, stiffness), FROM_TO(0, 1e9)},
    {"damping", MUS_SCHEMA_NUMBER, AT(mus_pin, damping), FROM_TO(0, 1e3)},
    {"offset", MUS_SCHEMA_KEYS, AT(mus_pin, offset), .width = 3, FROM_TO(-1e6, 1e6)},
    {"amplitude", MUS_SCHEMA_NUMBERS, AT(mus_pin, amplitude), .width = 3, FROM_TO(-1e6, 1e6)},
    {"frequency", MUS_SCHEMA_NUMBER, AT(mus_pin, frequency), FROM_TO(0, 1e6)},
    {"phase", MUS_SCHEMA_NUMBER, AT(mus_pin, phase), FROM_TO(-1e3, 1e3)},
    {"turn", MUS_SCHEMA_KEYS, AT(mus_pin, turn), .width = 3, FROM_TO(-1e6, 1e6)},
    {"pivot", MUS_SCHEMA_NUMBERS, AT(mus_pin, pivot), .width = 3, FROM_TO(-1e6, 1e6)},
    {"from", MUS_SCHEMA_NUMBER, AT(mus_pin, from), FROM_TO(0, 1e9)},
    {"to", MUS_SCHEMA_NUMBER, AT(mus_pin, to), FROM_TO(0, 1e9)}};
SCHEMA(pin_schema, "a pin", mus_pin, pin_fields, pin_defaults);

static const char *fabric_word(int k) { return mus_fabric_name(k); }

// The name is read after this.
static void fill_fabric(void *fabric) {
  mus_scene_fabric *own = fabric;
  *own = mus_default_fabric(own->like);
}

static const mus_schema_field fabric_fields[] = {
    {"name", MUS_SCHEMA_TEXT, AT(mus_scene_fabric, name)},
    {"like", MUS_SCHEMA_CHOICE, AT(mus_scene_fabric, like), .word = fabric_word, .chosen = fill_fabric},
    {"density", MUS_SCHEMA_NUMBER, AT(mus_scene_fabric, density), FROM_TO(1e-6, 1e4)},
    {"stretch", MUS_SCHEMA_NUMBERS, AT(mus_scene_fabric, stretch), .width = 2, FROM_TO(1e-6, 1e9)},
    {"shear", MUS_SCHEMA_NUMBER, AT(mus_scene_fabric, shear), FROM_TO(0, 1e9)},
    {"bend", MUS_SCHEMA_NUMBERS, AT(mus_scene_fabric, bend), .width = 3, FROM_TO(0, 1e6)},
    {"damping", MUS_SCHEMA_NUMBERS, AT(mus_scene_fabric, damping), .width = 3, FROM_TO(0, 1e3)},
    {"thickness", MUS_SCHEMA_NUMBER, AT(mus_scene_fabric, thickness), FROM_TO(1e-5, 0.1)},
    {"friction", MUS_SCHEMA_NUMBER, AT(mus_scene_fabric, friction), FROM_TO(0, 10)},
    {"strain_limit", MUS_SCHEMA_NUMBERS, AT(mus_scene_fabric, strain_limit), .width = 2, .repeats = 1, FROM_TO(0, 10)}};
SCHEMA(fabric_schema, "a fabric", mus_scene_fabric, fabric_fields, fabric_defaults);

static const mus_schema_field cloth_fields[] = {
    {"name", MUS_SCHEMA_TEXT, AT(mus_cloth, name)},
    {"shape", MUS_SCHEMA_OBJECT, AT(mus_cloth, shape), .inner = &shape_schema},
    {"rotate", MUS_SCHEMA_NUMBERS, AT(mus_cloth, rotate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"translate", MUS_SCHEMA_NUMBERS, AT(mus_cloth, translate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"velocity", MUS_SCHEMA_NUMBERS, AT(mus_cloth, velocity), .width = 3, FROM_TO(-1e4, 1e4)},
    {"model", MUS_SCHEMA_CHOICE, AT(mus_cloth, model), .choices = model_words},
    {"fabric", MUS_SCHEMA_TEXT, AT(mus_cloth, fabric)},
    {"density", MUS_SCHEMA_NUMBER, AT(mus_cloth, density), FROM_TO(0, 1e4)},
    {"stretch_scale", MUS_SCHEMA_NUMBER, AT(mus_cloth, stretch_scale), FROM_TO(1e-6, 1e6)},
    {"shear_scale", MUS_SCHEMA_NUMBER, AT(mus_cloth, shear_scale), FROM_TO(0, 1e6)},
    {"bend_scale", MUS_SCHEMA_NUMBER, AT(mus_cloth, bend_scale), FROM_TO(0, 1e6)},
    {"damping_scale", MUS_SCHEMA_NUMBER, AT(mus_cloth, damping_scale), FROM_TO(0, 1e6)},
    {"strain_limit", MUS_SCHEMA_NUMBERS, AT(mus_cloth, strain_limit), GIVEN_BY(mus_cloth, strain_limit_given),
     .width = 2, .repeats = 1, FROM_TO(0, 10)},
    {"stiffness", MUS_SCHEMA_KEYS, AT(mus_cloth, stiffness), .width = 1, FROM_TO(0, 1e6)},
    {"thickness", MUS_SCHEMA_NUMBER, AT(mus_cloth, thickness), FROM_TO(1e-5, 0.1)},
    {"friction", MUS_SCHEMA_NUMBER, AT(mus_cloth, friction), FROM_TO(0, 10)},
    {"stitches", MUS_SCHEMA_WHOLES, AT(mus_cloth, stitches), GIVEN_BY(mus_cloth, stitch_count), .width = 2,
     FROM_TO(0, INT_MAX)},
    {"close", MUS_SCHEMA_NUMBER, AT(mus_cloth, close), FROM_TO(0, 1e9)},
    {"colour", MUS_SCHEMA_COLOUR, AT(mus_cloth, colour)},
    {"pins", MUS_SCHEMA_LIST, AT(mus_cloth, pins), GIVEN_BY(mus_cloth, pin_count), .inner = &pin_schema}};
SCHEMA(cloth_schema, "a cloth", mus_cloth, cloth_fields, cloth_defaults);

static const mus_schema_field solid_shape_fields[] = {
    {"kind", MUS_SCHEMA_CHOICE, AT(mus_solid_shape, kind), .choices = solid_words},
    {"vertices", MUS_SCHEMA_WHOLE, AT(mus_solid_shape, vertices), FROM_TO(9, 1e8)},
    {"edge", MUS_SCHEMA_NUMBER, AT(mus_solid_shape, edge), FROM_TO(0, 1e4)},
    {"size", MUS_SCHEMA_NUMBERS, AT(mus_solid_shape, size), .width = 3, FROM_TO(1e-6, 1e4)},
    {"radius", MUS_SCHEMA_NUMBER, AT(mus_solid_shape, radius), FROM_TO(1e-6, 1e4)},
    {"file", MUS_SCHEMA_TEXT, AT(mus_solid_shape, file)},
    {"scale", MUS_SCHEMA_NUMBER, AT(mus_solid_shape, scale), FROM_TO(1e-6, 1e6)},
    {"up", MUS_SCHEMA_CHOICE, AT(mus_solid_shape, up), .choices = file_up_words},
    {"body", MUS_SCHEMA_TEXT, AT(mus_solid_shape, body)}};
SCHEMA(solid_shape_schema, "the shape of a solid", mus_solid_shape, solid_shape_fields, NULL);

static const mus_schema_field solid_lattice_fields[] = {
    {"cells", MUS_SCHEMA_WHOLE, AT(mus_solid_lattice, cells), FROM_TO(2, 4096)},
    {"cell", MUS_SCHEMA_NUMBER, AT(mus_solid_lattice, cell), FROM_TO(0, 1e4)},
    {"padding", MUS_SCHEMA_WHOLE, AT(mus_solid_lattice, padding), FROM_TO(0, 16)},
    {"interpolation", MUS_SCHEMA_CHOICE, AT(mus_solid_lattice, interpolation), .choices = interpolation_words}};
SCHEMA(solid_lattice_schema, "the lattice of a solid", mus_solid_lattice, solid_lattice_fields, NULL);

// -1 stands for what is not given.
static const mus_schema_field solid_fields[] = {
    {"name", MUS_SCHEMA_TEXT, AT(mus_solid, name)},
    {"method", MUS_SCHEMA_CHOICE, AT(mus_solid, method), .choices = solid_method_words},
    {"lattice", MUS_SCHEMA_OBJECT, AT(mus_solid, lattice), .inner = &solid_lattice_schema},
    {"shape", MUS_SCHEMA_OBJECT, AT(mus_solid, shape), .inner = &solid_shape_schema},
    {"rotate", MUS_SCHEMA_NUMBERS, AT(mus_solid, rotate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"translate", MUS_SCHEMA_NUMBERS, AT(mus_solid, translate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"velocity", MUS_SCHEMA_NUMBERS, AT(mus_solid, velocity), .width = 3, FROM_TO(-1e4, 1e4)},
    {"model", MUS_SCHEMA_CHOICE, AT(mus_solid, model), .choices = solid_model_words},
    {"material", MUS_SCHEMA_TEXT, AT(mus_solid, material)},
    {"density", MUS_SCHEMA_NUMBER, AT(mus_solid, density), FROM_TO(0, 1e6)},
    {"young", MUS_SCHEMA_NUMBER, AT(mus_solid, young), FROM_TO(0, 1e13)},
    {"poisson", MUS_SCHEMA_NUMBER, AT(mus_solid, poisson), FROM_TO(-1, 0.5)},
    {"damping", MUS_SCHEMA_NUMBER, AT(mus_solid, damping), FROM_TO(-1, 1e3)},
    {"stiffness", MUS_SCHEMA_KEYS, AT(mus_solid, stiffness), .width = 1, FROM_TO(0, 1e6)},
    {"thickness", MUS_SCHEMA_NUMBER, AT(mus_solid, thickness), FROM_TO(1e-5, 0.1)},
    {"friction", MUS_SCHEMA_NUMBER, AT(mus_solid, friction), FROM_TO(0, 10)},
    {"colour", MUS_SCHEMA_COLOUR, AT(mus_solid, colour)},
    {"pins", MUS_SCHEMA_LIST, AT(mus_solid, pins), GIVEN_BY(mus_solid, pin_count), .inner = &pin_schema}};
SCHEMA(solid_schema, "a solid", mus_solid, solid_fields, solid_defaults);

static const mus_schema_field body_shape_fields[] = {
    {"kind", MUS_SCHEMA_CHOICE, AT(mus_body_shape, kind), .choices = body_words},
    {"size", MUS_SCHEMA_NUMBERS, AT(mus_body_shape, size), .width = 3, FROM_TO(1e-6, 1e4)},
    {"radius", MUS_SCHEMA_NUMBER, AT(mus_body_shape, radius), FROM_TO(1e-6, 1e4)},
    {"length", MUS_SCHEMA_NUMBER, AT(mus_body_shape, length), FROM_TO(0, 1e4)},
    {"tube", MUS_SCHEMA_NUMBER, AT(mus_body_shape, tube), FROM_TO(1e-6, 1e4)},
    {"facet", MUS_SCHEMA_NUMBER, AT(mus_body_shape, facet), FROM_TO(1e-7, 1)},
    {"file", MUS_SCHEMA_TEXT, AT(mus_body_shape, file)},
    {"scale", MUS_SCHEMA_NUMBER, AT(mus_body_shape, scale), FROM_TO(1e-9, 1e9)},
    {"up", MUS_SCHEMA_CHOICE, AT(mus_body_shape, up), .choices = file_up_words},
    {"motion", MUS_SCHEMA_TEXT, AT(mus_body_shape, motion)},
    {"rate", MUS_SCHEMA_NUMBER, AT(mus_body_shape, rate), FROM_TO(0, 1e6)},
    {"animation", MUS_SCHEMA_TEXT, AT(mus_body_shape, animation)},
    {"height", MUS_SCHEMA_NUMBER, AT(mus_body_shape, height), FROM_TO(0.1, 100)},
    {"speed", MUS_SCHEMA_KEYS, AT(mus_body_shape, speed), .width = 1, FROM_TO(0, 20)}};
SCHEMA(body_shape_schema, "the shape of a body", mus_body_shape, body_shape_fields, NULL);

static const mus_schema_field body_fields[] = {
    {"name", MUS_SCHEMA_TEXT, AT(mus_body, name)},
    {"shape", MUS_SCHEMA_OBJECT, AT(mus_body, shape), .inner = &body_shape_schema},
    {"rotate", MUS_SCHEMA_KEYS, AT(mus_body, rotate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"translate", MUS_SCHEMA_KEYS, AT(mus_body, translate), .width = 3, FROM_TO(-1e6, 1e6)},
    {"friction", MUS_SCHEMA_NUMBER, AT(mus_body, friction), FROM_TO(0, 10)},
    {"thickness", MUS_SCHEMA_NUMBER, AT(mus_body, thickness), FROM_TO(1e-6, 0.1)},
    {"colour", MUS_SCHEMA_COLOUR, AT(mus_body, colour)},
    {"hidden", MUS_SCHEMA_TRUTH, AT(mus_body, hidden)}};
SCHEMA(body_schema, "a body", mus_body, body_fields, body_defaults);

static const mus_schema_field seam_fields[] = {
    {"from", MUS_SCHEMA_TEXT, AT(mus_seam, from)},
    {"to", MUS_SCHEMA_TEXT, AT(mus_seam, to)},
    {"pairs", MUS_SCHEMA_WHOLES, AT(mus_seam, pairs), GIVEN_BY(mus_seam, pair_count), .width = 2, FROM_TO(0, INT_MAX)},
    {"close", MUS_SCHEMA_NUMBER, AT(mus_seam, close), FROM_TO(0, 1e9)}};
SCHEMA(seam_schema, "a seam", mus_seam, seam_fields, seam_defaults);

static const mus_schema_field button_fields[] = {
    {"from", MUS_SCHEMA_TEXT, AT(mus_button, from)},
    {"vertex", MUS_SCHEMA_WHOLE, AT(mus_button, vertex), FROM_TO(0, INT_MAX)},
    {"to", MUS_SCHEMA_TEXT, AT(mus_button, to)},
    {"at", MUS_SCHEMA_WHOLES, AT(mus_button, at), GIVEN_BY(mus_button, at_count), .width = 1, FROM_TO(0, INT_MAX)},
    {"weights", MUS_SCHEMA_NUMBERS, AT(mus_button, weight), .width = 3, FROM_TO(0, 1)},
    {"rest", MUS_SCHEMA_NUMBER, AT(mus_button, rest), FROM_TO(0, 1e3)},
    {"stiffness", MUS_SCHEMA_NUMBER, AT(mus_button, stiffness), FROM_TO(1e-6, 1e9)},
    {"damping", MUS_SCHEMA_NUMBER, AT(mus_button, damping), FROM_TO(0, 1e3)}};
SCHEMA(button_schema, "a button", mus_button, button_fields, button_defaults);

// One object of the scene sets both the aggregation and the hierarchy that is made of it.
static const mus_schema_field aggregation_fields[] = {
    {"strength", MUS_SCHEMA_NUMBER, AT(mus_solver_options, sa.strength), FROM_TO(0, 0.999)},
    {"dominance", MUS_SCHEMA_NUMBER, AT(mus_solver_options, sa.dominance), FROM_TO(0, 1)},
    {"motions", MUS_SCHEMA_CHOICE, AT(mus_solver_options, sa.motions), .choices = motions_words},
    {"reach", MUS_SCHEMA_WHOLE, AT(mus_solver_options, sa.reach), FROM_TO(1, 2)},
    {"kernel_sweeps", MUS_SCHEMA_WHOLE, AT(mus_solver_options, sa.kernel_sweeps), FROM_TO(0, 100)},
    {"smooth_prolongator", MUS_SCHEMA_TRUTH, AT(mus_solver_options, sa.smooth_prolongator)},
    {"filter_prolongator", MUS_SCHEMA_TRUTH, AT(mus_solver_options, sa.filter_prolongator)},
    {"cycle", MUS_SCHEMA_CHOICE, AT(mus_solver_options, multigrid.cycle), .choices = cycle_words},
    {"smoother", MUS_SCHEMA_LETTERS, AT(mus_solver_options, multigrid.smoother), .width = MUS_SMOOTHER_TEXT},
    {"smoother_order", MUS_SCHEMA_WHOLE, AT(mus_solver_options, multigrid.smoother_order), FROM_TO(1, 16)},
    {"smoother_range", MUS_SCHEMA_NUMBER, AT(mus_solver_options, multigrid.smoother_range), FROM_TO(1.01, 1000)},
    {"adaptive_smoothing", MUS_SCHEMA_NUMBER, AT(mus_solver_options, multigrid.adaptive_smoothing), FROM_TO(0, 10)},
    {"lanczos_steps", MUS_SCHEMA_WHOLE, AT(mus_solver_options, multigrid.lanczos_steps), FROM_TO(1, 64)},
    {"levels", MUS_SCHEMA_WHOLE, AT(mus_solver_options, multigrid.levels), FROM_TO(1, MUS_LEVELS_MAXIMUM)},
    {"bottom", MUS_SCHEMA_WHOLE, AT(mus_solver_options, multigrid.bottom), FROM_TO(1, 20000)}};
SCHEMA(aggregation_schema, "the settings of smoothed aggregation", mus_solver_options, aggregation_fields, NULL);

static const mus_schema_field skinning_fields[] = {
    {"levels", MUS_SCHEMA_LETTERS, AT(mus_skinning_options, levels), .width = MUS_LEVELS_TEXT}};
SCHEMA(skinning_schema, "the settings of skinning", mus_skinning_options, skinning_fields, NULL);

static void fill_preset(void *solver) {
  mus_solver_options *options = solver;
  *options = mus_preset_solver_options(options->preset);
}

static const mus_schema_field solver_fields[] = {
    {"preset", MUS_SCHEMA_CHOICE, AT(mus_solver_options, preset), .word = preset_word, .chosen = fill_preset},
    {"method", MUS_SCHEMA_CHOICE, AT(mus_solver_options, method), .word = method_word},
    {"tolerance", MUS_SCHEMA_NUMBER, AT(mus_solver_options, tolerance), FROM_TO(1e-16, 1)},
    {"iterations", MUS_SCHEMA_WHOLE, AT(mus_solver_options, iterations), FROM_TO(1, 1e6)},
    {"stop", MUS_SCHEMA_CHOICE, AT(mus_solver_options, stop), .word = stop_word},
    {"precision", MUS_SCHEMA_CHOICE, AT(mus_solver_options, precision), .choices = precision_words},
    {"setup", MUS_SCHEMA_CHOICE, AT(mus_solver_options, setup), .choices = setup_words},
    {"threads", MUS_SCHEMA_WHOLE, AT(mus_solver_options, threads), FROM_TO(0, 1024)},
    {"stationary", MUS_SCHEMA_TRUTH, AT(mus_solver_options, stationary)},
    {"fall_back", MUS_SCHEMA_TRUTH, AT(mus_solver_options, fall_back)},
    {"recycle", MUS_SCHEMA_WHOLE, AT(mus_solver_options, recycle), FROM_TO(0, 7)},
    {"sa", MUS_SCHEMA_OBJECT, .offset = 0, .inner = &aggregation_schema},
    {"skinning", MUS_SCHEMA_OBJECT, AT(mus_solver_options, skinning), .inner = &skinning_schema}};
SCHEMA(solver_schema, "the solver", mus_solver_options, solver_fields, NULL);

static const mus_schema_field scene_fields[] = {
    {"name", MUS_SCHEMA_TEXT, AT(mus_scene, name)},
    {"frames", MUS_SCHEMA_WHOLE, AT(mus_scene, frames), FROM_TO(0, 9999999)},
    {"frame_rate", MUS_SCHEMA_NUMBER, AT(mus_scene, frame_rate), FROM_TO(1e-3, 1e6)},
    {"time_step", MUS_SCHEMA_KEYS, AT(mus_scene, time_steps), .width = 1, FROM_TO(1e-9, 1e3)},
    {"adaptive", MUS_SCHEMA_TRUTH, AT(mus_scene, adaptive)},
    {"integrator", MUS_SCHEMA_CHOICE, AT(mus_scene, integrator), .choices = integrator_words},
    {"settle", MUS_SCHEMA_WHOLE, AT(mus_scene, settle), FROM_TO(0, 100000)},
    {"newton_iterations", MUS_SCHEMA_WHOLE, AT(mus_scene, newton_iterations), FROM_TO(1, 1000)},
    {"newton_tolerance", MUS_SCHEMA_NUMBER, AT(mus_scene, newton_tolerance), FROM_TO(1e-15, 1)},
    {"accuracy", MUS_SCHEMA_NUMBER, AT(mus_scene, accuracy), FROM_TO(1e-9, 1000)},
    {"minimiser", MUS_SCHEMA_LETTERS, AT(mus_scene, minimiser), .width = MUS_MINIMISER_TEXT},
    {"projective_iterations", MUS_SCHEMA_WHOLE, AT(mus_scene, projective_iterations), FROM_TO(1, 100000)},
    {"projective_cycles", MUS_SCHEMA_WHOLE, AT(mus_scene, projective_cycles), FROM_TO(1, 100)},
    {"projective_memory", MUS_SCHEMA_WHOLE, AT(mus_scene, projective_memory), FROM_TO(0, 20)},
    {"projective_tolerance", MUS_SCHEMA_NUMBER, AT(mus_scene, projective_tolerance), FROM_TO(0, 1)},
    {"up", MUS_SCHEMA_CHOICE, AT(mus_scene, up), .choices = up_words},
    {"gravity", MUS_SCHEMA_KEYS, AT(mus_scene, gravity), .width = 3, FROM_TO(-1e4, 1e4)},
    {"wind", MUS_SCHEMA_KEYS, AT(mus_scene, wind), .width = 3, FROM_TO(-1e3, 1e3)},
    {"gust", MUS_SCHEMA_NUMBER, AT(mus_scene, gust), FROM_TO(0, 1)},
    {"air_density", MUS_SCHEMA_NUMBER, AT(mus_scene, air_density), FROM_TO(0, 1e3)},
    {"solver", MUS_SCHEMA_OBJECT, AT(mus_scene, solver), .inner = &solver_schema},
    {"fabrics", MUS_SCHEMA_LIST, AT(mus_scene, fabrics), GIVEN_BY(mus_scene, fabric_count), .inner = &fabric_schema},
    {"cloths", MUS_SCHEMA_LIST, AT(mus_scene, cloths), GIVEN_BY(mus_scene, cloth_count), .inner = &cloth_schema},
    {"solids", MUS_SCHEMA_LIST, AT(mus_scene, solids), GIVEN_BY(mus_scene, solid_count), .inner = &solid_schema},
    {"contact", MUS_SCHEMA_TRUTH, AT(mus_scene, contact)},
    {"contact_with", MUS_SCHEMA_CHOICE, AT(mus_scene, contact_with), .choices = contact_words},
    {"allow_tangled", MUS_SCHEMA_TRUTH, AT(mus_scene, allow_tangled)},
    {"bodies", MUS_SCHEMA_LIST, AT(mus_scene, bodies), GIVEN_BY(mus_scene, body_count), .inner = &body_schema},
    {"seams", MUS_SCHEMA_LIST, AT(mus_scene, seams), GIVEN_BY(mus_scene, seam_count), .inner = &seam_schema},
    {"buttons", MUS_SCHEMA_LIST, AT(mus_scene, buttons), GIVEN_BY(mus_scene, button_count), .inner = &button_schema}};
SCHEMA(scene_schema, "a scene", mus_scene, scene_fields, NULL);

int mus_scene_body_named(const mus_scene *scene, const char *name) {
  for (int body = 0; body < scene->body_count; ++body)
    if (scene->bodies[body].name && strcmp(scene->bodies[body].name, name) == 0)
      return body;
  return -1;
}

const char *mus_cloth_model_name(mus_cloth_model model) {
  size_t number = (size_t)model, models = sizeof model_words / sizeof *model_words - 1;
  return number < models ? model_words[number] : NULL;
}

const char *mus_solid_shape_name(mus_solid_shape_kind kind) {
  size_t number = (size_t)kind, kinds = sizeof solid_words / sizeof *solid_words - 1;
  return number < kinds ? solid_words[number] : NULL;
}

const char *mus_integrator_name(mus_integrator integrator) {
  return (int)integrator >= 0 && integrator < MUS_INTEGRATORS ? integrator_words[integrator] : NULL;
}

// --- reading ---------------------------------------------------------------------------------------------------------

static const char automatic[] = "auto"; // in files, for no minimiser in particular

static const double steps_a_frame = 1e6; // at most

static mus_status check_body(const char *name, const mus_scene *scene, int b) {
  const mus_body *body = &scene->bodies[b];
  if ((body->shape.kind == MUS_BODY_SHAPE_FILE) != (body->shape.file != NULL))
    return mus_fail(MUS_BAD_INPUT, "%s: bodies[%d].shape: \"kind\": \"file\" and \"file\" go together", name, b);
  if (body->shape.kind != MUS_BODY_SHAPE_FILE && (body->shape.motion || body->shape.animation))
    return mus_fail(MUS_BAD_INPUT, "%s: bodies[%d].shape: \"%s\" needs a \"file\" to move", name, b,
                    body->shape.motion ? "motion" : "animation");
  for (int other = 0; other < b && body->name; ++other)
    if (scene->bodies[other].name && strcmp(scene->bodies[other].name, body->name) == 0)
      return mus_fail(MUS_BAD_INPUT, "%s: bodies[%d] and bodies[%d] are both named \"%s\": names must differ", name,
                      other, b, body->name);
  return MUS_OK;
}

// Whether some of its vertices are held by springs.
static int gives_way(const mus_pin *pin) {
  int soft = pin->stiffness > 0 || pin->weight < 1;
  for (int k = 0; k < pin->weight_count; ++k)
    soft |= pin->weights[k] < 1;
  return soft;
}

static mus_status check_weights(const mus_pin *pin) {
  if (pin->weight_count > 0 && pin->weight_count != pin->where.vertex_count)
    return mus_fail(MUS_BAD_INPUT, "%d \"weights\" for %d \"vertices\": give one for each", pin->weight_count,
                    pin->where.vertex_count);
  if (!(pin->weight >= 0 && pin->weight <= 1))
    return mus_fail(MUS_BAD_INPUT, "weight is %g: it must be in 0...1", pin->weight);
  for (int k = 0; k < pin->weight_count; ++k)
    if (!(pin->weights[k] >= 0 && pin->weights[k] <= 1))
      return mus_fail(MUS_BAD_INPUT, "weights[%d] is %g: it must be in 0...1", k, pin->weights[k]);
  if (pin->stiffness > 0 && (pin->weight_count > 0 || pin->weight < 1))
    return mus_fail(MUS_BAD_INPUT, "\"stiffness\" and weights both say how firmly it holds: give one of them");
  return MUS_OK;
}

mus_status mus_pin_check(const mus_pin *pin) {
  int moves = pin->offset.count > 0 || pin->turn.count > 0;
  for (int k = 0; k < 3; ++k)
    moves |= pin->amplitude[k] != 0;
  if (pin->from > pin->to)
    return mus_fail(MUS_BAD_INPUT, "\"from\" is after \"to\": it would never hold");
  if (pin->body && moves)
    return mus_fail(MUS_BAD_INPUT, "\"body\" moves the pin: leave out \"offset\", \"turn\" and \"amplitude\"");
  mus_status status = check_weights(pin);
  if (!status && pin->damping > 0 && !gives_way(pin))
    status =
        mus_fail(MUS_BAD_INPUT, "\"damping\" is that of a spring: give its \"stiffness\", or a \"weight\" below 1");
  return status;
}

// `where` is "FILE: cloths[0]" or the like.
static mus_status check_pins(const char *where, int count, const mus_pin *pin) {
  for (int p = 0; p < count; ++p) {
    mus_status status = mus_pin_check(&pin[p]);
    if (status)
      return mus_fail_prefix(status, "%s.pins[%d]", where, p);
  }
  return MUS_OK;
}

static mus_status check_cloth(const char *where, const mus_cloth *cloth) {
  if ((cloth->shape.kind == MUS_CLOTH_SHAPE_FILE) != (cloth->shape.file != NULL))
    return mus_fail(MUS_BAD_INPUT, "%s.shape: \"kind\": \"file\" and \"file\" go together", where);
  if (cloth->shape.edge > 0 && cloth->shape.kind != MUS_CLOTH_SHAPE_FILE)
    return mus_fail(MUS_BAD_INPUT, "%s.shape: \"edge\" refines the mesh of a file: give other shapes more \"vertices\"",
                    where);
  return check_pins(where, cloth->pin_count, cloth->pins);
}

static mus_status check_solid(const char *where, const mus_solid *solid) {
  if ((solid->shape.kind == MUS_SOLID_SHAPE_FILE) != (solid->shape.file != NULL))
    return mus_fail(MUS_BAD_INPUT, "%s.shape: \"kind\": \"file\" and \"file\" go together", where);
  for (int p = 0; p < solid->pin_count; ++p)
    if (solid->pins[p].where.material_given)
      return mus_fail(MUS_BAD_INPUT,
                      "%s.pins[%d].where: \"material\" is for cloth: give \"box\", \"sphere\" or \"vertices\"", where,
                      p);
  return check_pins(where, solid->pin_count, solid->pins);
}

// Checks what no single key can.
static mus_status check(const char *name, const mus_scene *scene) {
  if (scene->cloth_count + scene->solid_count == 0)
    return mus_fail(MUS_BAD_INPUT, "%s: the scene has no cloths and no solids: give at least one", name);
  double shortest = scene->time_step;
  for (int k = 0; k < scene->time_steps.count; ++k)
    shortest = fmin(shortest, scene->time_steps.value[k]);
  if (scene->frame_rate * shortest * steps_a_frame < 1)
    return mus_fail(MUS_BAD_INPUT, "%s: a frame would take more than %g steps: raise \"time_step\" or \"frame_rate\"",
                    name, steps_a_frame);
  mus_status status = MUS_OK;
  char where[300];
  for (int c = 0; c < scene->cloth_count && !status; ++c) {
    snprintf(where, sizeof where, "%.200s: cloths[%d]", name, c);
    status = check_cloth(where, &scene->cloths[c]);
  }
  for (int k = 0; k < scene->solid_count && !status; ++k) {
    snprintf(where, sizeof where, "%.200s: solids[%d]", name, k);
    status = check_solid(where, &scene->solids[k]);
  }
  if (status)
    return status;
  status = mus_scene_check_fabrics(scene);
  if (status)
    return mus_fail_prefix(status, "%s", name);
  for (int b = 0; b < scene->body_count && !status; ++b)
    status = check_body(name, scene, b);
  return status;
}

// A time step that is the same at all times needs no keys; with keys, it is what it begins with. Without any, steps
// that are minimised are whole frames.
static void settle_time_step(mus_scene *read) {
  mus_keys *keys = &read->time_steps;
  if (keys->count == 0 && read->integrator == MUS_INTEGRATOR_MINIMISE)
    read->time_step = 1 / read->frame_rate;
  if (keys->count > 0)
    read->time_step = keys->value[0];
  if (keys->count == 1) {
    free_keys(keys);
    *keys = (mus_keys){0};
  }
}

static mus_status finish(const char *name, mus_status status, mus_scene *read, mus_scene *scene) {
  if (!status)
    settle_time_step(read);
  if (strcmp(read->minimiser, automatic) == 0)
    read->minimiser[0] = 0;
  if (!status)
    status = check(name, read);
  if (status)
    mus_scene_free(read);
  else
    *scene = *read;
  return status;
}

// A file's name relative to the working directory instead of to a folder.
static mus_status find_file(const char *path, size_t folder, char **file) {
  if (!*file || **file == '/' || folder == 0)
    return MUS_OK;
  char *joined = malloc(folder + strlen(*file) + 1);
  if (!joined)
    return mus_fail_memory();
  memcpy(joined, path, folder);
  strcpy(joined + folder, *file);
  free(*file);
  *file = joined;
  return MUS_OK;
}

// Files are named relative to the scene file.
static mus_status find_files(const char *path, mus_scene *scene) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  mus_status status = MUS_OK;
  for (int c = 0; c < scene->cloth_count && !status; ++c) {
    mus_cloth_shape *shape = &scene->cloths[c].shape;
    status = find_file(path, folder, &shape->file);
    if (!status)
      status = find_file(path, folder, &shape->start);
  }
  for (int k = 0; k < scene->solid_count && !status; ++k)
    status = find_file(path, folder, &scene->solids[k].shape.file);
  for (int b = 0; b < scene->body_count && !status; ++b) {
    mus_body_shape *shape = &scene->bodies[b].shape;
    status = find_file(path, folder, &shape->file);
    if (!status)
      status = find_file(path, folder, &shape->motion);
  }
  return status;
}

mus_status mus_scene_load(const char *path, mus_scene *scene) {
  mus_scene read = mus_default_scene();
  mus_status status = mus_schema_read(path, &scene_schema, &read);
  if (!status)
    status = find_files(path, &read);
  return finish(path, status, &read, scene);
}

mus_status mus_scene_parse(const char *name, const char *text, mus_scene *scene) {
  mus_scene read = mus_default_scene();
  return finish(name, mus_schema_parse(name, text, &scene_schema, &read), &read, scene);
}

// --- writing ---------------------------------------------------------------------------------------------------------

// What stands for "not given" is written as what it means.
static void spell_out(const mus_scene *scene, mus_cloth *cloths, mus_solid *solids) {
  static char cotton[] = "cotton", rubber[] = "rubber";
  for (int c = 0; c < scene->cloth_count; ++c) {
    cloths[c] = scene->cloths[c];
    if (!cloths[c].fabric)
      cloths[c].fabric = cotton;
    cloths[c].thickness = mus_cloth_thickness(scene, &scene->cloths[c]);
    cloths[c].friction = mus_cloth_friction(scene, &scene->cloths[c]);
  }
  for (int k = 0; k < scene->solid_count; ++k) {
    solids[k] = scene->solids[k];
    if (!solids[k].material)
      solids[k].material = rubber;
  }
}

char *mus_scene_text(const mus_scene *scene) {
  double time_step[1] = {scene->time_step};
  static double zero[1];
  double earth[3] = {0, -9.81, 0};
  if (mus_scene_check_initialised(scene) != MUS_OK)
    return NULL;
  mus_scene copy = *scene;
  copy.cloths = malloc(((size_t)scene->cloth_count + 1) * sizeof *copy.cloths);
  copy.solids = malloc(((size_t)scene->solid_count + 1) * sizeof *copy.solids);
  json_t *json = NULL;
  if (copy.cloths && copy.solids) {
    spell_out(scene, copy.cloths, copy.solids);
    if (copy.time_steps.count == 0)
      copy.time_steps = (mus_keys){1, 1, zero, time_step};
    if (!copy.minimiser[0])
      strcpy(copy.minimiser, automatic);
    mus_turn_up(MUS_UP_Y, scene->up, 1, earth);
    if (copy.gravity.count == 0)
      copy.gravity = (mus_keys){1, 3, zero, earth};
    json = mus_schema_write(&scene_schema, &copy);
  }
  char *text = json ? mus_json_lines(json) : NULL;
  json_decref(json);
  free(copy.cloths);
  free(copy.solids);
  if (!text)
    mus_fail_memory();
  return text;
}

// The vertices of what is generated; files have what they have.
static double generated(const mus_scene *scene) {
  double total = 0;
  for (int c = 0; c < scene->cloth_count; ++c)
    total += scene->cloths[c].shape.kind == MUS_CLOTH_SHAPE_FILE ? 0 : scene->cloths[c].shape.vertices;
  for (int k = 0; k < scene->solid_count; ++k)
    total += scene->solids[k].shape.kind == MUS_SOLID_SHAPE_FILE ? 0 : scene->solids[k].shape.vertices;
  return total;
}

mus_status mus_scene_resize(mus_scene *scene, int vertices, mus_tessellation tessellation) {
  mus_status status = mus_scene_check_initialised(scene);
  if (status)
    return status;
  double total = generated(scene);
  for (int c = 0; c < scene->cloth_count; ++c) {
    mus_cloth_shape *shape = &scene->cloths[c].shape;
    if (vertices > 0 && total > 0 && shape->kind != MUS_CLOTH_SHAPE_FILE)
      shape->vertices = (int)fmax(4, floor(vertices * (shape->vertices / total) + 0.5));
    shape->tessellation = tessellation;
  }
  for (int k = 0; k < scene->solid_count; ++k) {
    mus_solid_shape *shape = &scene->solids[k].shape;
    if (vertices > 0 && total > 0 && shape->kind != MUS_SOLID_SHAPE_FILE) {
      shape->vertices = (int)fmax(9, floor(vertices * (shape->vertices / total) + 0.5));
      shape->edge = 0;
    }
  }
  return MUS_OK;
}
