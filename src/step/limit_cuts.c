// Strain limits as half-spaces of the response. See limit.h.
//
// Where impacts move vertices, threads beside them may get too long. Each that does gives a half-space that holds all
// positions in which it is within reach, so that impacts and limits are solved for together.
#include "base/error.h"
#include "contact/contact.h"
#include "step/limit.h"

// Of a triangle with a corner that has moved: a cut for each direction that is too long.
static bool cut_triangle(const mus_step_context *c, const mus_element_list *list, int t, size_t at, const double *x,
                         mus_list *cuts) {
  const mus_ties *ties = c->work->seams.count > 0 ? &c->work->seams.ties : NULL;
  const mus_limiter *l = *c->limiter;
  for (int d = 0; d < 2; ++d) {
    double reach = l->reach[at + (size_t)d], slack = list->limit[d] * MUS_LIMIT_SLACK / 2;
    mus_long_thread thread;
    if (!(list->limit[d] > 0) || !mus_limit_thread(list, t, d, reach + slack, x, &thread))
      continue;
    const double normal[3] = {-thread.normal[0], -thread.normal[1], -thread.normal[2]};
    if (!mus_cut_vertices(thread.vertex, thread.weight, normal, -reach, slack / 2, ties, cuts))
      return false;
  }
  return true;
}

static mus_status add(void *context, const double *x, const unsigned char *moved, mus_list *cuts) {
  mus_limit_cuts *limits = context;
  const mus_model *model = limits->c->model;
  if (!limits->is_ready) {
    mus_status status = mus_limit_prepare(limits->c, limits->s);
    if (status)
      return status;
    limits->is_ready = 1;
  }
  size_t at = 0;
  for (int k = 0; k < model->list_count; ++k) {
    const mus_element_list *list = &model->lists[k].elements;
    for (int t = 0; list->kind->limit && t < list->count; ++t, at += 2) {
      const int *corner = list->vertex + 3 * (size_t)t;
      const unsigned char *of = moved + list->first_vertex;
      if ((of[corner[0]] || of[corner[1]] || of[corner[2]]) && !cut_triangle(limits->c, list, t, at, x, cuts))
        return mus_fail_memory();
    }
  }
  return MUS_OK;
}

void mus_limit_cuts_begin(const mus_step_context *c, const mus_scheme *s, mus_limit_cuts *out) {
  *out = (mus_limit_cuts){.c = c, .s = s, .more = {.add = add, .context = out}};
}
