// Parts and bodies for an introduction. See colours.h.
#include "view/colours.h"

#include <string.h>

#include "muslin/render.h"
#include "view/message.h"
#include "view/packet.h"

static json_t *list_of(const double colour[3]) { return json_pack("[fff]", colour[0], colour[1], colour[2]); }

static json_t *describe_solid(const mus_scene *scene, int solid, int first_vertex) {
  const mus_solid *s = &scene->solids[solid];
  double colour[3];
  mus_render_solid_colour(scene, solid, colour);
  return json_pack("{sososisosb}", "name", view_json_text(s->name ? s->name : "solid"), "material",
                   view_json_text(s->material ? s->material : "rubber"), "first", first_vertex, "colour",
                   list_of(colour), "own", 1);
}

static json_t *describe_cloth(const mus_scene *scene, int cloth, int first_vertex) {
  const mus_cloth *c = &scene->cloths[cloth];
  double colour[3];
  mus_render_cloth_colour(scene, cloth, colour);
  return json_pack("{sososisosb}", "name", view_json_text(c->name ? c->name : "cloth"), "fabric",
                   view_json_text(c->fabric ? c->fabric : "cotton"), "first", first_vertex, "colour", list_of(colour),
                   "own", c->colour.given);
}

json_t *view_describe_part(const mus_scene *scene, int part, int first_vertex) {
  return part < scene->cloth_count ? describe_cloth(scene, part, first_vertex)
                                   : describe_solid(scene, part - scene->cloth_count, first_vertex);
}

json_t *view_describe_body(const mus_scene *scene, int body, int first_vertex) {
  double colour[3];
  mus_render_body_colour(scene, body, colour);
  return json_pack("{sisosb}", "first", first_vertex, "colour", list_of(colour), "hidden", scene->bodies[body].hidden);
}

static json_t *describe_fabric(const char *name, const char *like) {
  double colour[3];
  mus_render_fabric_colour(like, colour);
  return json_pack("[oo]", view_json_text(name), list_of(colour));
}

json_t *view_describe_fabrics(const mus_scene *scene) {
  json_t *all = json_array();
  if (scene->cloth_count == 0)
    return all;
  for (int k = 0; k < scene->fabric_count; ++k)
    if (strlen(scene->fabrics[k].name) < VIEW_NAME_BYTES)
      json_array_append_new(all, describe_fabric(scene->fabrics[k].name, mus_fabric_name(scene->fabrics[k].like)));
  for (int k = 0; mus_fabric_name(k); ++k)
    json_array_append_new(all, describe_fabric(mus_fabric_name(k), mus_fabric_name(k)));
  return all;
}
