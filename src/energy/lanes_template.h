// Runs of elements, MUS_LANES at once; see lanes_run.h. Included once by each lanes_<n>.c, which defines
//   MUS_LANES   how many
//   TABLE       the name of its functions' table
#include "energy/lanes_run.h"

// The elements of a vector, of which the last `MUS_LANES - valid` are the last one again.
typedef struct group {
  const mus_lanes_task *task;
  int first, valid;
} group;

static inline size_t element_of(const group *g, int lane) {
  return (size_t)(g->first + (lane < g->valid ? lane : g->valid - 1));
}

// Positions or velocities of the elements' nodes.
static inline void load_nodes(const group *g, int arity, const double *of, mus_real *to) {
  for (int c = 0; c < arity; ++c) {
    const double *from[MUS_LANES];
    for (int l = 0; l < MUS_LANES; ++l)
      from[l] = of + 3 * (size_t)g->task->vertex[element_of(g, l) * (size_t)arity + (size_t)c];
    mus_lanes_three(from, to + 3 * c);
  }
}

// Three of the `stride` numbers that each element has.
static inline void load_three(const group *g, const double *of, size_t stride, mus_real *to) {
  const double *from[MUS_LANES];
  for (int l = 0; l < MUS_LANES; ++l)
    from[l] = of + element_of(g, l) * stride;
  mus_lanes_three(from, to);
}

// n numbers each.
static inline void put(const group *g, const mus_real *from, int n, double *to) {
  to += (size_t)g->first * (size_t)n;
  if (g->valid == MUS_LANES) {
    mus_lanes_store(from, n, to);
    return;
  }
  for (int l = 0; l < g->valid; ++l)
    for (int k = 0; k < n; ++k)
      to[l * n + k] = from[k][l];
}

static inline void put_energy(const group *g, mus_real energy, double *to) {
  for (int l = 0; l < g->valid; ++l)
    to[g->first + l] = energy[l];
}

// --- triangles -------------------------------------------------------------------------------------------------------

static inline mus_real add_drag(const group *g, const mus_real *x, const mus_real *v, mus_real *gradient,
                                mus_real *block) {
  const mus_lanes_task *t = g->task;
  mus_real wind[3];
  for (int m = 0; m < 3; ++m)
    wind[m] = mus_all(t->wind[m]);
  if (t->gusts)
    load_three(g, t->wind, 3, wind);
  return mus_drag_element(t->air, &t->blend, wind, x, v, gradient, block);
}

static inline void some_membranes(const group *g) {
  const mus_lanes_task *t = g->task;
  mus_real x[9], v[9], low[3], high[3], gradient[9], block[54];
  mus_real *wanted_gradient = t->gradient ? gradient : NULL, *wanted_block = t->block ? block : NULL;
  load_nodes(g, 3, t->position, x);
  mus_zero(9, v);
  if (t->velocity)
    load_nodes(g, 3, t->velocity, v);
  load_three(g, t->rest, 5, low);
  load_three(g, t->rest + 2, 5, high);
  mus_membrane_rest rest = {{low[0], low[1]}, {low[2], high[1]}, high[2]};
  mus_real energy =
      mus_membrane_element(&rest, &t->material, &t->blend, x, t->velocity ? v : NULL, wanted_gradient, wanted_block);
  if (t->air) {
    mus_real potential = add_drag(g, x, v, wanted_gradient, wanted_block);
    energy = t->blend.per_second > 0 ? energy + potential : energy;
  }
  if (t->energy)
    put_energy(g, energy, t->energy);
  if (t->gradient)
    put(g, gradient, 9, t->gradient);
  if (t->block)
    put(g, block, 54, t->block);
}

// --- hinges ----------------------------------------------------------------------------------------------------------

static inline void some_hinges(const group *g) {
  const mus_lanes_task *t = g->task;
  mus_real x[12], v[12], rests[3], gradient[12], rank_one[12];
  load_nodes(g, 4, t->position, x);
  if (t->velocity)
    load_nodes(g, 4, t->velocity, v);
  load_three(g, t->rest, 3, rests);
  mus_hinge_rest rest = {t->scale * rests[0], t->scale * rests[1], rests[2]};
  mus_hinge_state state;
  mus_hinge_state_make(x, &state);
  mus_real energy = mus_hinge_forces(&rest, &t->blend, &state, t->velocity ? v : NULL, t->gradient ? gradient : NULL,
                                     t->rank_one ? rank_one : NULL);
  if (t->energy)
    put_energy(g, energy, t->energy);
  if (t->gradient)
    put(g, gradient, 12, t->gradient);
  if (t->rank_one)
    put(g, rank_one, 12, t->rank_one);
}

// --- tetrahedra ------------------------------------------------------------------------------------------------------

// `light`: co-rotated, and neither blocks nor drift are wanted.
static inline void some_tetrahedra(mus_solid_law *law, int light, const group *g) {
  const mus_lanes_task *t = g->task;
  enum { NUMBERS = 13 }; // of mus_tetrahedron_rest; the gradient of vertex 0 is minus the sum of the others
  mus_real x[12], v[12], last[3], s[3], gradient[12], block[90];
  mus_tetrahedron_rest rest;
  load_nodes(g, 4, t->position, x);
  if (t->velocity)
    load_nodes(g, 4, t->velocity, v);
  for (int a = 1; a < 4; ++a)
    load_three(g, t->rest + 3 * a, NUMBERS, rest.gradient + 3 * a);
  load_three(g, t->rest + 10, NUMBERS, last);
  rest.volume = last[2];
  const mus_real *moving = t->velocity ? v : NULL;
  mus_real *wanted = t->gradient ? gradient : NULL;
  mus_real energy =
      light ? mus_corotated_element(&rest, &t->solid, t->blend.per_second, x, moving, wanted, t->stretch ? s : NULL)
            : mus_tetrahedron_element(law, &rest, &t->solid, &t->blend, x, moving, wanted, t->block ? block : NULL, s);
  if (t->energy)
    put_energy(g, energy, t->energy);
  for (int l = 0; l < g->valid && t->stretch; ++l) {
    t->stretch[2 * (g->first + l)] = s[0][l];
    t->stretch[2 * (g->first + l) + 1] = s[2][l];
  }
  if (t->gradient)
    put(g, gradient, 12, t->gradient);
  if (t->block)
    put(g, block, 90, t->block);
}

// --- runs ------------------------------------------------------------------------------------------------------------

static void membranes(const mus_lanes_task *task) {
  int first = 0;
  for (; first + MUS_LANES <= task->count; first += MUS_LANES)
    some_membranes(&(group){task, first, MUS_LANES});
  if (first < task->count)
    some_membranes(&(group){task, first, task->count - first});
}

static void hinges(const mus_lanes_task *task) {
  int first = 0;
  for (; first + MUS_LANES <= task->count; first += MUS_LANES)
    some_hinges(&(group){task, first, MUS_LANES});
  if (first < task->count)
    some_hinges(&(group){task, first, task->count - first});
}

static inline void tetrahedra(mus_solid_law *law, int light, const mus_lanes_task *task) {
  int first = 0;
  for (; first + MUS_LANES <= task->count; first += MUS_LANES)
    some_tetrahedra(law, light, &(group){task, first, MUS_LANES});
  if (first < task->count)
    some_tetrahedra(law, light, &(group){task, first, task->count - first});
}

static void corotated(const mus_lanes_task *task) {
  if (!task->block && (!task->velocity || task->blend.drift == 0 || task->blend.per_second > 0))
    tetrahedra(mus_corotated_law, 1, task);
  else
    tetrahedra(mus_corotated_law, 0, task);
}
static void neo_hookean(const mus_lanes_task *task) { tetrahedra(mus_neo_hookean_law, 0, task); }
static void venant_kirchhoff(const mus_lanes_task *task) { tetrahedra(mus_venant_kirchhoff_law, 0, task); }

const mus_lanes TABLE = {membranes, hinges, corotated, neo_hookean, venant_kirchhoff};
