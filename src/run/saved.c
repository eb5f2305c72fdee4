// See saved.h.
#include "run/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"

enum { VECTORS = MUS_SAVED_SECTIONS - 2 };
static const char *const vector_names[VECTORS] = {"positions", "velocities", "positions_before", "velocities_before"};
static const char numbers_name[] = "numbers", holds_name[] = "holds";

static void list_vectors(const mus_state *state, double *vectors[VECTORS]) {
  double *list[VECTORS] = {state->position, state->velocity, state->position_before, state->velocity_before};
  memcpy(vectors, list, sizeof list);
}

static size_t vector_bytes(const mus_sim *sim) { return 3 * (size_t)mus_sim_vertices(sim) * sizeof(double); }

// Of what holds vertices on bodies; none if there is no contact.
static size_t hold_bytes(const mus_contact_state *contact) { return (size_t)contact->vertices * sizeof *contact->hold; }

mus_status mus_saved_take(mus_sim *sim, mus_saved_numbers *numbers, mus_checkpoint_section *sections) {
  mus_status status = mus_sim_forget(sim);
  if (status)
    return status;
  const mus_state *state = mus_sim_state(sim);
  double *vectors[VECTORS];
  list_vectors(state, vectors);
  for (int k = 0; k < VECTORS; ++k)
    sections[k] = (mus_checkpoint_section){vector_names[k], vectors[k], vector_bytes(sim)};
  *numbers = (mus_saved_numbers){.time = state->time,
                                 .step_before = state->step_before,
                                 .strain_before = state->strain_before,
                                 .energy_before = state->energy_before,
                                 .frame = state->frame,
                                 .frame_step = state->frame_step,
                                 .halvings_before = state->halvings_before};
  sections[VECTORS] = (mus_checkpoint_section){numbers_name, numbers, sizeof *numbers};
  const void *holds = state->contact.hold ? (const void *)state->contact.hold : numbers;
  sections[VECTORS + 1] = (mus_checkpoint_section){holds_name, holds, hold_bytes(&state->contact)};
  return MUS_OK;
}

mus_status mus_saved_restore(const mus_checkpoint *checkpoint, mus_sim *sim) {
  mus_state *state = mus_sim_state(sim);
  double *vectors[VECTORS];
  const void *saved[VECTORS], *data = NULL, *holds = NULL;
  mus_saved_numbers numbers;
  list_vectors(state, vectors);
  mus_status status = mus_checkpoint_find(checkpoint, numbers_name, sizeof numbers, &data);
  for (int k = 0; k < VECTORS && !status; ++k)
    status = mus_checkpoint_find(checkpoint, vector_names[k], vector_bytes(sim), &saved[k]);
  if (!status)
    status = mus_checkpoint_find(checkpoint, holds_name, hold_bytes(&state->contact), &holds);
  if (!status)
    status = mus_sim_forget(sim);
  if (status)
    return status;
  for (int k = 0; k < VECTORS; ++k)
    memcpy(vectors[k], saved[k], vector_bytes(sim));
  if (state->contact.hold)
    memcpy(state->contact.hold, holds, hold_bytes(&state->contact));
  memcpy(&numbers, data, sizeof numbers);
  state->time = numbers.time;
  state->step_before = numbers.step_before;
  state->strain_before = numbers.strain_before;
  state->energy_before = numbers.energy_before;
  state->frame = (int)numbers.frame;
  state->frame_step = (int)numbers.frame_step;
  state->halvings_before = (int)numbers.halvings_before;
  mus_sim_show(sim);
  return MUS_OK;
}

// --- fingerprint -----------------------------------------------------------------------------------------------------

// Meshes count by what they hold, not by where they come from.
char *mus_saved_scene_text(const mus_scene *scene) {
  mus_scene copy = *scene;
  copy.name = NULL;
  copy.frames = 0;
  copy.solver.threads = 0;
  copy.time_step = 0; // the state is the same with any
  copy.time_steps = (mus_keys){0};
  copy.cloths = malloc(((size_t)scene->cloth_count + 1) * sizeof *copy.cloths);
  copy.bodies = malloc(((size_t)scene->body_count + 1) * sizeof *copy.bodies);
  for (int k = 0; k < scene->cloth_count && copy.cloths; ++k) {
    copy.cloths[k] = scene->cloths[k];
    copy.cloths[k].shape.file = copy.cloths[k].shape.start = NULL;
  }
  for (int k = 0; k < scene->body_count && copy.bodies; ++k) {
    copy.bodies[k] = scene->bodies[k];
    copy.bodies[k].shape.file = copy.bodies[k].shape.motion = NULL;
  }
  char *text = copy.cloths && copy.bodies ? mus_scene_text(&copy) : NULL;
  free(copy.cloths);
  free(copy.bodies);
  return text;
}

// Where bodies start, and their triangles.
static mus_status add_bodies(const mus_model *m, uint64_t *sum) {
  if (m->scene->body_count == 0)
    return MUS_OK;
  size_t numbers = 3 * (size_t)mus_bodies_vertices(m->bodies), corners = 3 * (size_t)mus_bodies_triangles(m->bodies);
  double *position = mus_alloc(numbers, sizeof *position);
  mus_status status = position ? mus_bodies_at(m->bodies, 0, position) : mus_fail_memory();
  if (!status) {
    *sum = mus_checksum(*sum, position, numbers * sizeof *position);
    *sum = mus_checksum(*sum, mus_bodies_triangle_list(m->bodies), corners * sizeof(int));
  }
  mus_free(position);
  return status;
}

mus_status mus_saved_fingerprint(const mus_sim *sim, uint64_t *sum) {
  const mus_model *m = mus_sim_model(sim);
  char *text = mus_saved_scene_text(m->scene);
  if (!text)
    return mus_fail_memory();
  *sum = mus_checksum(0, text, strlen(text));
  free(text);
  *sum = mus_checksum(*sum, m->start, 3 * (size_t)m->vertices * sizeof *m->start);
  *sum = mus_checksum(*sum, m->mass, (size_t)m->vertices * sizeof *m->mass);
  *sum = mus_checksum(*sum, m->triangle, 3 * (size_t)m->triangles * sizeof *m->triangle);
  *sum = mus_checksum(*sum, m->material, 6 * (size_t)m->triangles * sizeof *m->material);
  return add_bodies(m, sum);
}
