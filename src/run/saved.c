// See saved.h.
#include "run/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"

enum { VECTORS = MUS_SAVED_SECTIONS - 5 };
static const char *const vector_names[VECTORS] = {"positions", "velocities", "positions_before", "velocities_before"};
static const char numbers_name[] = "numbers", holds_name[] = "holds", memory_name[] = "solver", bonds_name[] = "bonds",
                  lattices_name[] = "lattices";

static void list_vectors(const mus_state *state, double *vectors[VECTORS]) {
  double *list[VECTORS] = {state->position, state->velocity, state->position_before, state->velocity_before};
  memcpy(vectors, list, sizeof list);
}

static size_t vector_bytes(int vertices) { return 3 * (size_t)vertices * sizeof(double); }

// Of what holds vertices on bodies; none if there is no contact.
static size_t hold_bytes(const mus_contact_state *contact) { return (size_t)contact->vertices * sizeof *contact->hold; }

static size_t bond_bytes(const mus_state *state) { return (size_t)state->bond_count * sizeof *state->bonds; }

static size_t lattice_bytes(const mus_state *state) { return state->lattice_count * sizeof *state->lattice; }

// --- keeping ---------------------------------------------------------------------------------------------------------

static mus_status make_state(const mus_state *like, int vertices, mus_saved *saved) {
  mus_state made;
  mus_status status = mus_state_create(&saved->arena, vertices, like->bond_count, like->lattice_count, &made);
  if (!status && like->contact.hold)
    status = mus_contact_state_create(&saved->arena, like->contact.vertices, &made.contact);
  if (status)
    return status;
  saved->state = made;
  saved->vertices = vertices;
  return MUS_OK;
}

static mus_saved_numbers numbers_of(const mus_state *state) {
  return (mus_saved_numbers){.time = state->time,
                             .step_before = state->step_before,
                             .strain_before = state->strain_before,
                             .energy_before = state->energy_before,
                             .frame = state->frame,
                             .frame_step = state->frame_step,
                             .halvings_before = state->halvings_before,
                             .inverted_before = state->inverted_before,
                             .tangled = state->contact.tangled,
                             .search = state->contact.search};
}

mus_status mus_saved_take(mus_sim *sim, mus_saved *saved) {
  const mus_state *state = mus_sim_state(sim);
  const void *memory = NULL;
  size_t size = 0;
  mus_status status = saved->state.position ? MUS_OK : make_state(state, mus_sim_vertices(sim), saved);
  if (!status)
    status = mus_sim_remember(sim, &memory, &size);
  saved->spare.count = 0;
  if (!status)
    status = mus_bytes_put(&saved->spare, memory, size);
  if (status)
    return status;
  mus_list filled = saved->spare;
  saved->spare = saved->memory;
  saved->memory = filled;
  mus_state_copy(state, saved->vertices, &saved->state);
  saved->numbers = numbers_of(state);
  return MUS_OK;
}

void mus_saved_free(mus_saved *saved) {
  mus_arena_clear(&saved->arena);
  mus_free(saved->memory.items);
  mus_free(saved->spare.items);
  *saved = (mus_saved){0};
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

void mus_saved_list(const mus_saved *saved, mus_checkpoint_section *sections) {
  const mus_contact_state *contact = &saved->state.contact;
  double *vectors[VECTORS];
  list_vectors(&saved->state, vectors);
  for (int k = 0; k < VECTORS; ++k)
    sections[k] = (mus_checkpoint_section){vector_names[k], vectors[k], vector_bytes(saved->vertices)};
  const void *nothing = &saved->numbers, *holds = contact->hold ? (const void *)contact->hold : nothing;
  const void *memory = saved->memory.count > 0 ? saved->memory.items : nothing;
  sections[VECTORS] = (mus_checkpoint_section){numbers_name, &saved->numbers, sizeof saved->numbers};
  sections[VECTORS + 1] = (mus_checkpoint_section){holds_name, holds, hold_bytes(contact)};
  sections[VECTORS + 2] = (mus_checkpoint_section){memory_name, memory, saved->memory.count};
  sections[VECTORS + 3] = (mus_checkpoint_section){bonds_name, saved->state.bonds, bond_bytes(&saved->state)};
  sections[VECTORS + 4] = (mus_checkpoint_section){lattices_name, saved->state.lattice, lattice_bytes(&saved->state)};
}

// However many bytes it has.
static mus_status find_memory(const mus_checkpoint *checkpoint, const void **data, size_t *bytes) {
  *bytes = 0;
  for (int k = 0; k < checkpoint->count; ++k)
    if (strcmp(checkpoint->sections[k].name, memory_name) == 0)
      *bytes = checkpoint->sections[k].bytes;
  return mus_checkpoint_find(checkpoint, memory_name, *bytes, data);
}

static void put_numbers(const mus_saved_numbers *numbers, mus_state *state) {
  state->time = numbers->time;
  state->step_before = numbers->step_before;
  state->strain_before = numbers->strain_before;
  state->energy_before = numbers->energy_before;
  state->frame = (int)numbers->frame;
  state->frame_step = (int)numbers->frame_step;
  state->halvings_before = (int)numbers->halvings_before;
  state->inverted_before = (int)numbers->inverted_before;
  state->contact.tangled = (int)numbers->tangled;
  state->contact.search = (int)numbers->search;
}

mus_status mus_saved_restore(const mus_checkpoint *checkpoint, mus_sim *sim) {
  mus_state *state = mus_sim_state(sim);
  size_t bytes = vector_bytes(mus_sim_vertices(sim)), memory_bytes = 0;
  double *vectors[VECTORS];
  const void *saved[VECTORS], *data = NULL, *holds = NULL, *memory = NULL, *bonds = NULL, *lattices = NULL;
  mus_saved_numbers numbers;
  list_vectors(state, vectors);
  mus_status status = mus_checkpoint_find(checkpoint, numbers_name, sizeof numbers, &data);
  for (int k = 0; k < VECTORS && !status; ++k)
    status = mus_checkpoint_find(checkpoint, vector_names[k], bytes, &saved[k]);
  if (!status)
    status = mus_checkpoint_find(checkpoint, holds_name, hold_bytes(&state->contact), &holds);
  if (!status)
    status = mus_checkpoint_find(checkpoint, bonds_name, bond_bytes(state), &bonds);
  if (!status)
    status = mus_checkpoint_find(checkpoint, lattices_name, lattice_bytes(state), &lattices);
  if (!status)
    status = find_memory(checkpoint, &memory, &memory_bytes);
  if (!status)
    status = mus_sim_recall(sim, saved[0], memory_bytes, memory);
  if (status)
    return status;
  for (int k = 0; k < VECTORS; ++k)
    memcpy(vectors[k], saved[k], bytes);
  if (state->contact.hold)
    memcpy(state->contact.hold, holds, hold_bytes(&state->contact));
  if (state->bond_count > 0)
    memcpy(state->bonds, bonds, bond_bytes(state));
  if (state->lattice_count > 0)
    memcpy(state->lattice, lattices, lattice_bytes(state));
  memcpy(&numbers, data, sizeof numbers);
  put_numbers(&numbers, state);
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
  copy.solids = malloc(((size_t)scene->solid_count + 1) * sizeof *copy.solids);
  copy.bodies = malloc(((size_t)scene->body_count + 1) * sizeof *copy.bodies);
  for (int k = 0; k < scene->cloth_count && copy.cloths; ++k) {
    copy.cloths[k] = scene->cloths[k];
    copy.cloths[k].shape.file = copy.cloths[k].shape.start = NULL;
  }
  for (int k = 0; k < scene->solid_count && copy.solids; ++k) {
    copy.solids[k] = scene->solids[k];
    copy.solids[k].shape.file = NULL;
  }
  for (int k = 0; k < scene->body_count && copy.bodies; ++k) {
    copy.bodies[k] = scene->bodies[k];
    copy.bodies[k].shape.file = copy.bodies[k].shape.motion = NULL;
  }
  char *text = copy.cloths && copy.solids && copy.bodies ? mus_scene_text(&copy) : NULL;
  free(copy.cloths);
  free(copy.solids);
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
  if (m->tetrahedra > 0)
    *sum = mus_checksum(*sum, m->tetrahedron, 4 * (size_t)m->tetrahedra * sizeof *m->tetrahedron);
  return add_bodies(m, sum);
}
