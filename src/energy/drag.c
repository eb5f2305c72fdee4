// Drag of the air on triangles. See drag.h.
#include "energy/drag.h"

#include <string.h>

#include "energy/gather.h"
#include "energy/kinds.h"

void mus_wind_on(const mus_weather *weather, double time, const int *vertex, const double *position, double *wind) {
  double middle[3];
  for (int m = 0; m < 3; ++m)
    middle[m] = (position[3 * (size_t)vertex[0] + (size_t)m] + position[3 * (size_t)vertex[1] + (size_t)m] +
                 position[3 * (size_t)vertex[2] + (size_t)m]) /
                3;
  mus_wind_at(weather->wind, weather->gusts, middle, time, wind);
}

void mus_drag_add(const int *vertex, int first, int count, const mus_evaluation *evaluation) {
  const mus_evaluation e = *evaluation; // a copy that no store can change
  mus_air air = e.weather->air;
  air.density *= e.scale;
  int stepping = e.blend.per_second > 0;
  for (int k = 0; k < count; ++k) {
    mus_gathered p;
    double wind[3];
    mus_gather(3, vertex + 3 * (size_t)(first + k), k, &e, &p);
    mus_wind_on(e.weather, e.time, vertex + 3 * (size_t)(first + k), stepping ? e.before : e.position, wind);
    double potential = mus_drag_element(&air, &e.blend, wind, p.x, p.velocity, p.gradient, p.block);
    if (e.energy && stepping)
      e.energy[k] += potential;
  }
}

static mus_status create(mus_arena *arena, const mus_element_source *source, mus_element_list *out) {
  out->vertex = source->mesh->triangle;
  return mus_element_list_allocate(arena, source->air ? source->mesh->triangles : 0, out);
}

void mus_drag_evaluate(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation) {
  mus_evaluation e = *evaluation;
  if (e.energy)
    memset(e.energy, 0, (size_t)count * sizeof *e.energy);
  if (e.gradient)
    memset(e.gradient, 0, (size_t)count * 9 * sizeof *e.gradient);
  if (e.block)
    memset(e.block, 0, (size_t)count * 54 * sizeof *e.block);
  e.scale = 1;
  if (e.weather)
    mus_drag_add(list->vertex, first, count, &e);
}

const mus_element_kind mus_drag_kind = {
    .name = "drag", .arity = 3, .create = create, .evaluate = mus_drag_evaluate, .lump = mus_drag_evaluate};
