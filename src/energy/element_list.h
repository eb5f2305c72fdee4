// Kinds of elements as a table, and lists of elements of a kind.
//
// A kind is a constant record: how many vertices an element has, how a list is made from what a scene offers, how a run
// of elements is evaluated, and what of it goes into records. Models hold lists and loop over them; they know no kind
// by name. kinds.h lists the kinds; docs/developing.md says how to add one.
//
// Evaluation allocates nothing and stays on the calling thread; runs may be evaluated on several threads at once.
#ifndef MUS_ENERGY_ELEMENT_LIST_H
#define MUS_ENERGY_ELEMENT_LIST_H

#include "energy/element.h"
#include "energy/external.h"
#include "energy/fabric.h"
#include "energy/solid_law.h"
#include "mesh/topology.h"

typedef struct mus_element_kind mus_element_kind;

// The elements of a kind: their vertices, and constants that are made once.
typedef struct mus_element_list {
  const mus_element_kind *kind;
  int count;
  int first_vertex;  // from which `vertex` counts, in the numbering of all vertices
  const int *vertex; // count * arity
  void *rest;        // count * kind->rest_bytes: constants of each element
  void *shape;       // count * kind->shape_bytes: likewise, those that no fabric changes and only `weigh` reads
  void *material;    // kind->material_bytes: constants that all of them share
  double limit[2];   // largest strain in each of the kind's directions; 0: none
} mus_element_list;

// A stitch to be made: from vertex a to the point (1 - ratio) b + ratio c of an edge, where b may be c.
typedef struct mus_sewing {
  int a, b, c;
  double ratio;
  double close;     // s, until the thread is drawn in
  double stiffness; // N/m
  double damping;   // N s/m
  double limit;     // m, beyond which it pulls no harder
} mus_sewing;

// A button to be made: from node 0 to the point of the others, of which there are 1 or 3, with these weights.
typedef struct mus_buttoning {
  int count; // nodes: 2 or 4
  int node[4];
  double weight[3];
  double rest;      // m
  double stiffness; // N/m
  double damping;   // N s/m
} mus_buttoning;

// A solid to be made of tetrahedra.
typedef struct mus_solid_source {
  int count;
  const int *corner;  // count * 4; positive volumes at rest
  const double *rest; // positions at rest, m; NULL: those of the mesh
  double mu, lambda;  // Lame's constants, Pa
  double damping;     // s, see energy/tetrahedron.h
} mus_solid_source;

// What elements may be made from; NULL or 0 for what is absent. A kind reads what it needs, and its list may point into
// the arrays of the mesh and the topology.
typedef struct mus_element_source {
  const mus_mesh *mesh; // positions as they start; triangles and material coordinates of a cloth
  const mus_topology *topology;
  const mus_fabric *fabric; // has passed mus_fabric_check()
  int first_vertex;         // of the mesh, in the numbering of all vertices
  int shaped;               // 1: bending is at rest as the positions are; 0: flat, as the material is
  int air;                  // 1: there is air around
  int sewings;
  const mus_sewing *sewing;
  int buttonings;
  const mus_buttoning *buttoning;
  const mus_solid_source *solid;
} mus_element_source;

// The air around a cloth.
typedef struct mus_weather {
  mus_air air;
  double wind[3];         // m/s, the mean at this time
  const mus_gusts *gusts; // NULL: none
} mus_weather;

// What an evaluation reads and writes. What it writes starts at the beginning of the arrays with the run's first
// element.
typedef struct mus_evaluation {
  const double *position;     // vertices * 3 from the list's first vertex on, m
  const double *velocity;     // likewise, m/s; NULL: at rest
  const double *before;       // likewise, m: X, read in place of velocities where blend.per_second > 0
  double time;                // s
  mus_blend blend;            // see element.h
  double scale;               // a factor on all stiffnesses and dampings of the list
  const mus_weather *weather; // for kinds that feel drag, which `scale` leaves as it is; NULL: none
  double *energy;             // count, J; NULL: not wanted
  double *gradient;           // count * arity * 3, N; NULL: not wanted
  double *block;              // count * arity * (arity + 1) / 2 blocks, by rows; NULL: not wanted
  double *rank_one;           // see below; NULL: not wanted
} mus_evaluation;

// What element functions take for `v`.
static inline const double *mus_evaluation_motion(const mus_evaluation *e) {
  return e->blend.per_second > 0 ? e->before : e->velocity;
}

// By so much of a limit a strain may be beyond it.
#define MUS_LIMIT_SLACK 0.02

// Strain limits, energy/strain_limit.h. What is written starts with the run's first element.
typedef struct mus_limiting {
  const double *position; // as in mus_evaluation
  const double *reach;    // count * 2: how long threads may get, 1 at rest; INFINITY: as long as they like
  double softness;        // of strain: from how far off they feel that
  double stiffness;       // N/m, of what pulls them back
  double *length;         // count * 2: how long they are; NULL: not wanted, as with all of these
  double *gradient;       // count * arity * 3
  double *block;          // as in mus_evaluation
} mus_limiting;

// What records call an energy.
typedef enum mus_energy_name {
  MUS_ENERGY_NONE, // in no record
  MUS_ENERGY_STRETCH,
  MUS_ENERGY_SHEAR,
  MUS_ENERGY_BEND,
  MUS_ENERGY_NAMES
} mus_energy_name;

typedef struct mus_element_sums {
  double energy[MUS_ENERGY_NAMES]; // J
  double strain;                   // the largest, without its sign
  double reached;                  // the largest strain over its limit; 0 where there is none
  double place[3];                 // m: the middle of the element that has it
  int beyond;                      // elements beyond a limit by more than MUS_LIMIT_SLACK of it
} mus_element_sums;

struct mus_element_kind {
  const char *name;
  int arity;             // vertices of an element, at most MUS_ARITY_MAXIMUM
  size_t rest_bytes;     // per element, of mus_element_list.rest; may be 0
  size_t shape_bytes;    // per element, of mus_element_list.shape; may be 0
  size_t material_bytes; // of mus_element_list.material; may be 0
  // 1: the matrix of an element is r r^T unless the blend is exact, and the kind can write r alone: count * arity * 3
  // numbers in `rank_one`, in place of `block`.
  int rank_one;
  int bends;          // 1: there is an element for each hinge of the topology, which it keeps from bending
  int driven;         // 1: energies change with time even if nothing moves
  int ties;           // 1: an element ties its first vertex to the others, which contact must not keep apart
  int strains;        // 1: each element has a strain
  mus_solid_law *law; // of tetrahedra; NULL for other kinds
  // What records call its energy; a kind with several energies, or with strains, has `measure` as well.
  mus_energy_name energy;

  // Fills what mus_element_list_create() leaves: count, vertex and, by mus_element_list_allocate(), rest and material.
  // There may be no elements.
  mus_status (*create)(mus_arena *arena, const mus_element_source *source, mus_element_list *out);
  // Elements first ... first + count - 1.
  void (*evaluate)(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation);
  // The same elements: their energies, times `scale`, are added to `to`, strains written to strain[0 ... count - 1],
  // without their sign, and the largest kept in `to`; `strain` is NULL for kinds without. NULL: the energy is what
  // `evaluate` says.
  void (*measure)(const mus_element_list *list, int first, int count, const double *position, double scale,
                  double *strain, mus_element_sums *to);
  // The same elements: what their strain limits ask for. NULL for kinds whose strain cannot be limited.
  void (*limit)(const mus_element_list *list, int first, int count, const mus_limiting *limiting);
  // Projective Dynamics (Bouaziz and others 2014). An energy that measures how far S x is from a set, E = w/2 |S x -
  // p|^2 with p its nearest point there, lies below the same with p as it is at any one state: it has the constant
  // matrix w S^T S, which the coordinates share, and a local step that finds p; w S^T (p - S x) is minus the gradient,
  // so that `evaluate` is the local step. Other energies have a matrix of that kind that is near their second
  // derivative while strains are small, as quasi-Newton methods need it (Liu, Bouaziz and Kavan 2017). Writes the
  // weights w S^T S for the same elements, times `scale` and as the blend has K and D: count * arity * (arity + 1) / 2
  // numbers, the upper triangle by rows. NULL: there is no such matrix.
  void (*weigh)(const mus_element_list *list, int first, int count, const mus_blend *blend, double scale,
                double *weight);
  // 1: what `weigh` writes is never below the second derivative of E, in any state, so that no step with it can raise
  // E. 0: it may be, and steps must be checked.
  int bounded;
  // As `evaluate`, for that part of the elements that has no energy, but forces that follow velocities. Projective
  // Dynamics takes the sums of the rows of its blocks, as they are when a step begins, for their matrix. NULL: there is
  // none.
  void (*lump)(const mus_element_list *list, int first, int count, const mus_evaluation *evaluation);
};

enum { MUS_ARITY_MAXIMUM = 4 };

// Memory comes from the arena. MUS_BAD_INPUT says what of the source makes no sense.
mus_status mus_element_list_create(const mus_element_kind *kind, mus_arena *arena, const mus_element_source *source,
                                   mus_element_list *out);
// For `create`: a number of elements, and memory for their constants.
mus_status mus_element_list_allocate(mus_arena *arena, int count, mus_element_list *list);
// Takes over the constants of a list of the same elements that was made with another fabric.
void mus_element_list_take(const mus_element_list *from, mus_element_list *to);

// Measures by the kind's own function or, if it has none, by evaluation.
void mus_element_list_measure(const mus_element_list *list, int first, int count, const double *position, double scale,
                              double *strain, mus_element_sums *to);
// The sum of the elements' energies by evaluation, J.
double mus_element_list_energy(const mus_element_list *list, int first, int count, const double *position,
                               double scale);

#endif
