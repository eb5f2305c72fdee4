// Cloths and bodies for an introduction. See colours.h.
#include "view/colours.h"

#include "muslin/render.h"
#include "view/packet.h"

static json_t *list_of(const double colour[3]) { return json_pack("[fff]", colour[0], colour[1], colour[2]); }

json_t *view_describe_cloth(const mus_scene *scene, int cloth, int first_vertex) {
  const mus_cloth *c = &scene->cloths[cloth];
  double colour[3];
  mus_render_cloth_colour(scene, cloth, colour);
  return json_pack("{sososisosb}", "name", view_json_text(c->name ? c->name : "cloth"), "fabric",
                   view_json_text(c->fabric ? c->fabric : "cotton"), "first", first_vertex, "colour", list_of(colour),
                   "own", c->colour.given);
}

json_t *view_describe_body(const mus_scene *scene, int body, int first_vertex) {
  double colour[3];
  mus_render_body_colour(scene, body, colour);
  return json_pack("{sisosb}", "first", first_vertex, "colour", list_of(colour), "hidden", scene->bodies[body].hidden);
}

json_t *view_describe_fabrics(void) {
  json_t *all = json_object();
  for (int k = 0; mus_fabric_name(k); ++k) {
    double colour[3];
    mus_render_fabric_colour(mus_fabric_name(k), colour);
    json_object_set_new(all, mus_fabric_name(k), list_of(colour));
  }
  return all;
}
