// See device_model.h.
#include "model/device_model.h"

#include "base/error.h"
#include "energy/kinds.h"

typedef struct known_kind {
  const mus_element_kind *kind;
  mus_stage_element element;
} known_kind;

static const known_kind known[] = {{&mus_membrane_kind, MUS_STAGE_MEMBRANE},
                                   {&mus_hinge_kind, MUS_STAGE_HINGE},
                                   {&mus_edge_spring_kind, MUS_STAGE_SPRING},
                                   {&mus_cross_spring_kind, MUS_STAGE_SPRING},
                                   {&mus_solid_spring_kind, MUS_STAGE_SPRING},
                                   {&mus_tension_spring_kind, MUS_STAGE_TENSION_SPRING},
                                   {&mus_buckling_kind, MUS_STAGE_BUCKLING},
                                   {&mus_drag_kind, MUS_STAGE_DRAG},
                                   {&mus_corotated_kind, MUS_STAGE_COROTATED},
                                   {&mus_neo_hookean_kind, MUS_STAGE_NEO_HOOKEAN},
                                   {&mus_venant_kirchhoff_kind, MUS_STAGE_VENANT_KIRCHHOFF}};

static const known_kind *find_kind(const mus_element_kind *kind) {
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    if (known[k].kind == kind)
      return &known[k];
  return NULL;
}

const char *mus_model_element_obstacle(const mus_model *model) {
  for (int l = 0; l < model->list_count; ++l) {
    const mus_element_list *list = &model->lists[l].elements;
    if (!find_kind(list->kind))
      return "stitches and buttons";
    if (list->kind == &mus_solid_spring_kind)
      return "mass-spring solids"; // of which nobody knows there which tetrahedra are inside out
  }
  return NULL;
}

const char *mus_model_obstacle(const mus_model *model) {
  const char *found = mus_model_element_obstacle(model);
  if (found)
    return found;
  for (int p = 0; p < model->pin_count; ++p)
    for (int k = 0; k < model->pins[p].count; ++k)
      if (model->pins[p].stiffness[k] > 0)
        return "soft pins";
  return NULL;
}

mus_status mus_model_describe(const mus_model *model, mus_stage_list *list, mus_stage_model *out) {
  for (int l = 0; l < model->list_count; ++l) {
    const mus_element_list *from = &model->lists[l].elements;
    const known_kind *kind = find_kind(from->kind);
    if (!kind)
      return mus_fail(MUS_UNSUPPORTED, "elements of the kind \"%s\" do not run on a GPU", from->kind->name);
    list[l] = (mus_stage_list){.element = kind->element,
                               .arity = from->kind->arity,
                               .count = from->count,
                               .first_vertex = from->first_vertex,
                               .vertex = from->vertex,
                               .rest = from->rest,
                               .material = from->material,
                               .bends = from->kind->energy == MUS_ENERGY_BEND,
                               .strains = from->kind->strains,
                               .limit = {from->limit[0], from->limit[1]}};
  }
  const mus_pattern *p = &model->pattern;
  *out = (mus_stage_model){.pattern = {p->rows, p->columns, p->row_start, p->column},
                           .mass = model->mass,
                           .counted = model->counted,
                           .lists = model->list_count,
                           .list = list,
                           .gusts = model->gusts.waves > 0 ? &model->gusts : NULL};
  return MUS_OK;
}
