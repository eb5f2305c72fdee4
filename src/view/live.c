// A simulation that goes on, as a source. See source.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "muslin/muslin.h"
#include "view/colours.h"
#include "view/source.h"

enum { LEVELS = 8, CURVE = 200, PINS = 64 };

typedef struct live {
  const mus_scene *scene;
  mus_sim *sim;
  int hand[VIEW_PAGES];           // the attachment that each page holds; 0: none
  double held[VIEW_PAGES][3];     // where to, m
  int pins, pin[PINS];            // attachments that were kept
  double pinned[PINS][3];         // where to
  double *field[MUS_FIELDS];      // vertices; made when first wanted
  int *level[LEVELS];             // the same
  double *body;                   // body vertices * 3
  double *flat;                   // vertices * 2: material coordinates
  mus_step_record done;           // all parts of the last step together
  view_message set[VIEW_ACTIONS]; // what pages have set; it stays at a reset
  int is_set[VIEW_ACTIONS];
} live;

// Pages have y up.
static json_t *list_of(mus_up up, const double vector[3]) {
  return up == MUS_UP_Z ? json_pack("[fff]", vector[0], vector[2], 0 - vector[1])
                        : json_pack("[fff]", vector[0], vector[1], vector[2]);
}

// --- life ------------------------------------------------------------------------------------------------------------

static void close_live(void *self) {
  live *l = self;
  if (!l)
    return;
  mus_sim_free(l->sim);
  for (int k = 0; k < MUS_FIELDS; ++k)
    free(l->field[k]);
  for (int k = 0; k < LEVELS; ++k)
    free(l->level[k]);
  free(l->body);
  free(l->flat);
  free(l);
}

// A simulator whose cloth is free of intersections, as far as settling gets it there.
static mus_status create_settled(const mus_scene *scene, mus_sim **out) {
  mus_settling settling;
  mus_sim *sim = NULL;
  mus_status status = mus_sim_create(scene, &sim);
  if (!status)
    status = mus_sim_settle(sim, &settling);
  if (status)
    mus_sim_free(sim);
  else
    *out = sim;
  return status;
}

// What may not be as it was meant, and what was mended, for who has started the program.
static void warn(const live *l) {
  for (int k = 0; mus_sim_note(l->sim, k); ++k)
    fprintf(stderr, "warning: %s\n", mus_sim_note(l->sim, k));
  for (int k = 0; k < mus_sim_parts(l->sim); ++k)
    if (mus_sim_repairs(l->sim, k)[0])
      fprintf(stderr, "%s: %s\n", mus_sim_part_name(l->sim, k) ? mus_sim_part_name(l->sim, k) : "a part",
              mus_sim_repairs(l->sim, k));
}

static mus_status open_live(const view_subject *subject, void **out) {
  live *l = calloc(1, sizeof *l);
  if (!l)
    return MUS_OUT_OF_MEMORY;
  l->scene = subject->scene;
  mus_status status = create_settled(l->scene, &l->sim);
  if (!status) {
    l->body = calloc(3 * (size_t)mus_sim_body_vertices(l->sim) + 1, sizeof *l->body);
    l->flat = calloc(2 * (size_t)mus_sim_vertices(l->sim), sizeof *l->flat);
    status = l->body && l->flat ? mus_sim_body_positions(l->sim, l->body) : MUS_OUT_OF_MEMORY;
  }
  if (status) {
    close_live(l);
    return status;
  }
  warn(l);
  *out = l;
  return MUS_OK;
}

// --- what stays ------------------------------------------------------------------------------------------------------

static json_t *name_parts(const live *l) {
  json_t *list = json_array();
  for (int k = 0; k < mus_sim_parts(l->sim); ++k)
    json_array_append_new(list, view_describe_part(l->scene, k, mus_sim_first_vertex(l->sim, k)));
  return list;
}

static json_t *name_bodies(const live *l) {
  json_t *list = json_array();
  for (int k = 0; k < l->scene->body_count; ++k)
    json_array_append_new(list, view_describe_body(l->scene, k, mus_sim_first_body_vertex(l->sim, k)));
  return list;
}

static json_t *name_solvers(void) {
  json_t *list = json_array();
  for (int k = 0; k < MUS_METHODS; ++k)
    if (mus_method_available((mus_method)k))
      json_array_append_new(list, json_string(mus_method_name((mus_method)k)));
  return list;
}

// Fields that something in the scene has.
static int has_field(const mus_scene *scene, mus_field field) {
  switch (field) {
  case MUS_FIELD_BEND:
    return scene->cloth_count > 0;
  case MUS_FIELD_STRESS:
  case MUS_FIELD_VOLUME:
    return scene->solid_count > 0;
  default:
    return 1;
  }
}

// Where vertices are in a drawing of the hierarchy: those of cloths in the material (at a seam the last counts), those
// of solids as they are seen from the front.
static void lay_flat(const live *l) {
  const int *corner = mus_sim_triangle_list(l->sim);
  int cloths = l->scene->cloth_count, up = l->scene->up == MUS_UP_Z ? 2 : 1;
  for (size_t k = 0; k < 3 * (size_t)mus_sim_first_triangle(l->sim, cloths); ++k)
    memcpy(l->flat + 2 * (size_t)corner[k], mus_sim_material(l->sim) + 2 * k, 2 * sizeof *l->flat);
  for (int v = mus_sim_first_vertex(l->sim, cloths); v < mus_sim_vertices(l->sim); ++v) {
    l->flat[2 * v] = mus_sim_positions(l->sim)[3 * v];
    l->flat[2 * v + 1] = mus_sim_positions(l->sim)[3 * v + up];
  }
}

static json_t *introduce(void *self, view_arrays *arrays) {
  live *l = self;
  size_t triangles = (size_t)mus_sim_triangles(l->sim);
  const int *corner = mus_sim_triangle_list(l->sim);
  lay_flat(l);
  view_arrays_ints(arrays, "triangles", VIEW_U32, 3 * triangles, corner);
  view_arrays_doubles(arrays, "flat", 2 * (size_t)mus_sim_vertices(l->sim), l->flat);
  view_arrays_ints(arrays, "bodyTriangles", VIEW_U32, 3 * (size_t)mus_sim_body_triangles(l->sim),
                   mus_sim_body_triangle_list(l->sim));
  view_arrays_points(arrays, "bodies", l->scene->up, (size_t)mus_sim_body_vertices(l->sim), l->body);
  json_t *fields = json_array();
  for (int k = 0; k < MUS_FIELDS; ++k)
    if (has_field(l->scene, (mus_field)k))
      json_array_append_new(fields, json_string(mus_field_name((mus_field)k)));
  return json_pack("{sssosisososososo}", "mode", "live", "name",
                   view_json_text(l->scene->name ? l->scene->name : "scene"), "vertices", mus_sim_vertices(l->sim),
                   "parts", name_parts(l), "bodyParts", name_bodies(l), "fabrics", view_describe_fabrics(l->scene),
                   "solvers", name_solvers(), "fields", fields);
}

// --- what pages ask for ----------------------------------------------------------------------------------------------

static void forget(void *self, int page) {
  live *l = self;
  if (l->hand[page])
    mus_sim_detach(l->sim, l->hand[page]);
  l->hand[page] = 0;
}

// A triangle that is not there is no reason to complain: its page may not have seen the latest.
static mus_status grab(live *l, int page, const view_message *m) {
  forget(l, page);
  if (m->number >= mus_sim_triangles(l->sim))
    return MUS_OK;
  mus_attachment pull = {.count = 3};
  memcpy(pull.vertex, mus_sim_triangle_list(l->sim) + 3 * (size_t)m->number, sizeof pull.vertex);
  memcpy(pull.weight, m->weight, sizeof pull.weight);
  memcpy(pull.target, m->vector, sizeof pull.target);
  memcpy(l->held[page], m->vector, sizeof l->held[page]);
  return mus_sim_attach(l->sim, &pull, &l->hand[page]);
}

// What the page holds stays. Where there are too many, it lets go instead.
static mus_status keep(live *l, int page) {
  if (l->hand[page] && l->pins < PINS) {
    memcpy(l->pinned[l->pins], l->held[page], sizeof l->held[page]);
    l->pin[l->pins++] = l->hand[page];
    l->hand[page] = 0;
  }
  forget(l, page);
  return MUS_OK;
}

static mus_status let_go(live *l) {
  mus_status status = MUS_OK;
  while (l->pins > 0 && !status)
    status = mus_sim_detach(l->sim, l->pin[--l->pins]);
  return status;
}

static mus_status drag(live *l, int page, const view_message *m) {
  memcpy(l->held[page], m->vector, sizeof l->held[page]);
  return l->hand[page] ? mus_sim_move_attachment(l->sim, l->hand[page], m->vector) : MUS_OK;
}

static mus_status choose_solver(live *l, mus_method method) {
  mus_solver_options options = *mus_sim_solver_options(l->sim);
  options.method = method;
  return mus_sim_set_solver(l->sim, &options);
}

static mus_status apply(live *l, const view_message *m) {
  mus_status status = MUS_OK;
  switch (m->action) {
  case VIEW_GRAVITY:
    return mus_sim_set_gravity(l->sim, m->vector);
  case VIEW_WIND:
    return mus_sim_set_wind(l->sim, m->vector);
  case VIEW_SOLVER:
    return choose_solver(l, (mus_method)m->number);
  case VIEW_STIFFNESS:
    for (int part = 0; part < mus_sim_parts(l->sim) && !status; ++part)
      status = mus_sim_set_stiffness(l->sim, part, m->value);
    return status;
  default:
    for (int cloth = 0; cloth < l->scene->cloth_count && !status; ++cloth)
      status = mus_sim_set_fabric(l->sim, cloth, m->name);
    return status;
  }
}

// A fabric that is not there is no reason to complain either.
static int is_known(const live *l, const char *fabric) {
  for (int k = 0; k < l->scene->fabric_count; ++k)
    if (strcmp(l->scene->fabrics[k].name, fabric) == 0)
      return 1;
  int k = 0;
  while (mus_fabric_name(k) && strcmp(mus_fabric_name(k), fabric) != 0)
    ++k;
  return mus_fabric_name(k) != NULL;
}

static mus_status set(live *l, const view_message *m) {
  if (m->action == VIEW_FABRIC && !is_known(l, m->name))
    return MUS_OK;
  mus_status status = apply(l, m);
  if (!status) {
    l->set[m->action] = *m;
    l->is_set[m->action] = 1;
  }
  return status;
}

// A fresh simulation; the one before goes on where there is none to be had.
static mus_status begin_again(live *l) {
  mus_sim *before = l->sim;
  mus_status status = create_settled(l->scene, &l->sim);
  for (int k = 0; k < VIEW_ACTIONS && !status; ++k)
    status = l->is_set[k] ? apply(l, &l->set[k]) : MUS_OK;
  if (status) {
    if (l->sim != before)
      mus_sim_free(l->sim);
    l->sim = before;
    return status;
  }
  mus_sim_free(before);
  memset(l->hand, 0, sizeof l->hand);
  l->pins = 0;
  l->done = (mus_step_record){0};
  return MUS_OK;
}

static mus_status act(void *self, int page, const view_message *from_page) {
  live *l = self;
  view_message turned = *from_page, *m = &turned;
  if (l->scene->up == MUS_UP_Z) {
    m->vector[1] = 0 - from_page->vector[2];
    m->vector[2] = from_page->vector[1];
  }
  switch (m->action) {
  case VIEW_RESTORE:
    memset(l->is_set, 0, sizeof l->is_set);
    return begin_again(l);
  case VIEW_RESET:
    return begin_again(l);
  case VIEW_GRAVITY:
  case VIEW_WIND:
  case VIEW_STIFFNESS:
  case VIEW_SOLVER:
  case VIEW_FABRIC:
    return set(l, m);
  case VIEW_GRAB:
    return grab(l, page, m);
  case VIEW_DRAG:
    return drag(l, page, m);
  case VIEW_KEEP:
    return keep(l, page);
  case VIEW_FREE:
    return let_go(l);
  case VIEW_RELEASE:
    forget(l, page);
    return MUS_OK;
  default: // of a recording, or done by show.c
    return MUS_OK;
  }
}

// --- steps -----------------------------------------------------------------------------------------------------------

static void add_seconds(const mus_step_record *from, mus_step_record *to) {
  to->detect_seconds += from->detect_seconds;
  to->respond_seconds += from->respond_seconds;
  to->assemble_seconds += from->assemble_seconds;
  to->setup_seconds += from->setup_seconds;
  to->prefilter_seconds += from->prefilter_seconds;
  to->solve_seconds += from->solve_seconds;
  to->other_seconds += from->other_seconds;
  to->iterations += from->iterations;
}

static mus_status step(void *self, double *seconds) {
  live *l = self;
  double before = mus_sim_time(l->sim);
  int parts = 0;
  mus_status status = mus_sim_step(l->sim, &parts);
  for (int k = 0; k < parts; ++k) {
    mus_step_record all = *mus_sim_step_record(l->sim, k);
    if (k > 0)
      add_seconds(&l->done, &all);
    l->done = all;
  }
  *seconds = mus_sim_time(l->sim) - before;
  return status;
}

// --- a frame ---------------------------------------------------------------------------------------------------------

// The fabric of a part, as it is now; none for solids.
static json_t *name_fabric(const live *l, int part) {
  return part < l->scene->cloth_count ? view_json_text(mus_sim_fabric(l->sim, part)) : json_null();
}

static json_t *name_fabrics(const live *l) {
  json_t *list = json_array();
  for (int k = 0; k < mus_sim_parts(l->sim); ++k)
    json_array_append_new(list, name_fabric(l, k));
  return list;
}

static json_t *describe_settings(const live *l) {
  double gravity[3], wind[3];
  mus_sim_gravity(l->sim, gravity);
  mus_sim_wind(l->sim, wind);
  return json_pack("{sososfsososs}", "gravity", list_of(l->scene->up, gravity), "wind", list_of(l->scene->up, wind),
                   "stiffness", mus_sim_stiffness(l->sim, 0), "fabric", name_fabric(l, 0), "worn", name_fabrics(l),
                   "solver", mus_method_name(mus_sim_solver_options(l->sim)->method));
}

// Residuals as fractions of the first; every n-th if there are many.
static json_t *describe_solve(const mus_solve_record *r) {
  json_t *curve = json_array(), *levels = json_array();
  int stride = r->iterations / CURVE + 1;
  for (int k = 0; k <= r->iterations && r->residuals && r->residuals[0] > 0; k += stride) {
    double part = r->residuals[k] / r->residuals[0];
    json_array_append_new(curve, json_real(isfinite(part) ? part : 0));
  }
  for (int k = 0; k < r->levels; ++k)
    json_array_append_new(levels, json_pack("[iI]", r->level[k].rows, (json_int_t)r->level[k].nonzeros));
  return json_pack("{sssisisfsoso}", "method", mus_method_name(r->method), "iterations", r->iterations, "stride",
                   stride, "residual", isfinite(r->true_residual) ? r->true_residual : 0.0, "curve", curve, "levels",
                   levels);
}

static json_t *describe_step(const mus_step_record *r) {
  return json_pack("{sfsfsfsfsfsfsf}", "detect", r->detect_seconds, "assemble", r->assemble_seconds, "set-up",
                   r->setup_seconds, "filter", r->prefilter_seconds, "solve", r->solve_seconds, "respond",
                   r->respond_seconds, "other", r->other_seconds);
}

static double finite(double number) { return isfinite(number) ? number : 0; }

static json_t *describe_state(const mus_step_record *r) {
  return json_pack("{sisisisisfsfsfsf}", "halvings", r->halvings, "bodyContacts", r->body_contacts, "clothContacts",
                   r->cloth_contacts, "impacts", r->impacts, "kinetic", finite(r->kinetic), "elastic",
                   finite(r->stretch + r->shear + r->bend), "strain", finite(r->strain_maximum), "strain99",
                   finite(r->strain_99));
}

static json_t *describe_pins(const live *l) {
  json_t *list = json_array();
  for (int k = 0; k < l->pins; ++k)
    json_array_append_new(list, list_of(l->scene->up, l->pinned[k]));
  return list;
}

static mus_status add_fields(live *l, unsigned wants, view_arrays *arrays) {
  size_t vertices = (size_t)mus_sim_vertices(l->sim);
  for (int k = 0; k < MUS_FIELDS; ++k) {
    if (!(wants & 1u << k) || !has_field(l->scene, (mus_field)k))
      continue;
    if (!l->field[k] && !(l->field[k] = calloc(vertices, sizeof(double))))
      return MUS_OUT_OF_MEMORY;
    mus_status status = mus_sim_field(l->sim, (mus_field)k, l->field[k]);
    if (status)
      return status;
    view_arrays_field(arrays, mus_field_name((mus_field)k), vertices, l->field[k]);
  }
  return MUS_OK;
}

static mus_status add_levels(live *l, view_arrays *arrays) {
  static const char *const names[LEVELS] = {"level1", "level2", "level3", "level4",
                                            "level5", "level6", "level7", "level8"};
  size_t vertices = (size_t)mus_sim_vertices(l->sim);
  for (int k = 0; k < LEVELS; ++k) {
    if (!l->level[k] && !(l->level[k] = calloc(vertices, sizeof(int))))
      return MUS_OUT_OF_MEMORY;
    if (mus_sim_aggregates(l->sim, k + 1, l->level[k]) == 0)
      return MUS_OK;
    view_arrays_ints(arrays, names[k], VIEW_I32, vertices, l->level[k]);
  }
  return MUS_OK;
}

static mus_status show(void *self, unsigned wants, json_t *head, view_arrays *arrays) {
  live *l = self;
  json_object_set_new(head, "time", json_real(mus_sim_time(l->sim)));
  json_object_set_new(head, "settings", describe_settings(l));
  json_object_set_new(head, "solve", describe_solve(mus_sim_solve_record(l->sim)));
  json_object_set_new(head, "stages", describe_step(&l->done));
  json_object_set_new(head, "state", describe_state(&l->done));
  json_object_set_new(head, "pins", describe_pins(l));
  view_arrays_points(arrays, "positions", l->scene->up, (size_t)mus_sim_vertices(l->sim), mus_sim_positions(l->sim));
  mus_status status = MUS_OK;
  if (mus_sim_bodies_move(l->sim)) {
    status = mus_sim_body_positions(l->sim, l->body);
    view_arrays_points(arrays, "bodies", l->scene->up, (size_t)mus_sim_body_vertices(l->sim), l->body);
  }
  if (!status)
    status = add_fields(l, wants, arrays);
  if (!status && wants & VIEW_WANT_LEVELS)
    status = add_levels(l, arrays);
  return status;
}

const view_source view_live = {open_live, close_live, introduce, act, forget, step, show};
