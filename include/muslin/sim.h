/// The simulator: from a scene to positions over time.
///
///     mus_sim *sim = NULL;
///     mus_sim_create(&scene, &sim);
///     for (int frame = 1; frame <= scene.frames; ++frame) {
///       mus_sim_frame(sim, NULL);
///       const double *x = mus_sim_positions(sim);
///     }
///     mus_sim_free(sim);
///
/// Results have the same bits for any number of threads.
#ifndef MUSLIN_SIM_H
#define MUSLIN_SIM_H

#include "muslin/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_sim mus_sim;

/// What one step did.
typedef struct mus_step_record {
  double time;                                     ///< s, at the step's end
  double time_step;                                ///< s
  int halvings;                                    ///< how often the step was halved before it succeeded
  int newton_iterations;                           ///< linear systems solved; 1 for the linearised integrators
  int iterations;                                  ///< of the linear solver, all Newton steps together
  int retries;                                     ///< linear solves that had to be done again by a stronger method
  double residual;                                 ///< true relative residual of the last linear solve
  double kinetic, stretch, shear, bend, potential; ///< J, at the step's end
  double momentum[3], angular_momentum[3];         ///< kg m/s, kg m^2/s about the origin
  double strain_maximum, strain_99;                ///< largest and 99th percentile, of |C_u| and |C_v|, or of springs
  int body_contacts;                               ///< vertices that a body held, and features that it repelled
  int cloth_contacts;                              ///< pairs of features of cloth that repelled each other
  int impacts;                                     ///< pairs that would have met, and were kept from it
  int zones;                                       ///< groups of these that had to be solved together
  int tangled;    ///< edges that went through a triangle at its beginning: the start or a body made them so
  int impossible; ///< pairs that bodies or pins brought together all the same
  double detect_seconds, respond_seconds; ///< looking for contacts; answering them
  double assemble_seconds, setup_seconds, prefilter_seconds, solve_seconds, other_seconds;
} mus_step_record;

/// Builds the model: meshes, constants, pins, matrix pattern. Scene errors name cloth and key. The scene must outlive
/// the simulator and stay as it is: the functions below change settings while it runs.
MUS_API mus_status mus_sim_create(const mus_scene *scene, mus_sim **sim);
MUS_API void mus_sim_free(mus_sim *sim);

/// As many steps as reach the next frame. `steps`, where given, receives their number; their records are then read by
/// mus_sim_step_record(sim, 0 ... steps - 1).
MUS_API mus_status mus_sim_frame(mus_sim *sim, int *steps);
MUS_API const mus_step_record *mus_sim_step_record(const mus_sim *sim, int index);

MUS_API double mus_sim_time(const mus_sim *sim);
MUS_API int mus_sim_frame_number(const mus_sim *sim);

/// One step of the scene's time step (halved where it must be, see mus_step_record); its records are read as above. A
/// frame that has been begun step by step is finished by mus_sim_frame().
MUS_API mus_status mus_sim_step(mus_sim *sim, int *steps);

/// All cloths one after the other, in the order of their files: vertices * 3 positions (m) and velocities (m/s),
/// triangles * 3 vertex numbers, triangles * 3 * 2 material coordinates. Valid while the simulator lives; positions
/// change with every step.
MUS_API int mus_sim_vertices(const mus_sim *sim);
MUS_API int mus_sim_triangles(const mus_sim *sim);
MUS_API const double *mus_sim_positions(const mus_sim *sim);
MUS_API const double *mus_sim_velocities(const mus_sim *sim);
MUS_API const int *mus_sim_triangle_list(const mus_sim *sim);
MUS_API const double *mus_sim_material(const mus_sim *sim);
/// First vertex and first triangle of a cloth; mus_sim_vertices() and mus_sim_triangles() for cloth_count.
MUS_API int mus_sim_first_vertex(const mus_sim *sim, int cloth);
MUS_API int mus_sim_first_triangle(const mus_sim *sim, int cloth);
/// What was mended or left out in a cloth's mesh file, in words; "" for nothing.
MUS_API const char *mus_sim_repairs(const mus_sim *sim, int cloth);

/// The linear system A d = b of the step that comes next, as it goes to the solver: d is the change of velocity, m/s.
/// With Newton's method, the first of the step. Nodes are in the order that is simulated, which may differ from that of
/// files.
typedef struct mus_sim_system {
  int rows; ///< vertices; blocks are 3 x 3
  const int *row_start, *column;
  const double *values;
  const double *right;      ///< rows * 3
  const double *positions;  ///< rows * 3, m, at the step's beginning
  const double *velocities; ///< rows * 3, m/s
  double time_step;         ///< s
  int constraint_count;
  const mus_constraint *constraints;
  int coupling_count; ///< of cloth with cloth: added to A
  const mus_coupling *couplings;
} mus_sim_system;

/// Assembles it, and changes nothing of the state. Valid until the next call with this simulator.
MUS_API mus_status mus_sim_next_system(mus_sim *sim, mus_sim_system *system);
/// What the last step left unsolved, kg m/s, zero in prescribed directions: b - A d of its linear system, with Newton's
/// method of its nonlinear equations. vertices * 3 numbers in the order of the files, valid until the next call.
MUS_API const double *mus_sim_residual(mus_sim *sim);

/// How often an edge goes through a triangle now, of cloth with cloth and with bodies, and the places of the first
/// `most` of these, m. 0 where the scene wants no contact. Signs are those of rounded numbers: mus_check() proves.
MUS_API mus_status mus_sim_crossings(mus_sim *sim, int most, double (*places)[3], int *count);

// --- while it runs -------------------------------------------------------------------------------------------------
//
// Between steps, on the thread that steps: pull at the cloth, and change what acts on it. docs/api.md shows a loop of
// one's own. None of this goes into checkpoints; mus_run() offers none of it.

/// A spring without length from a point of a cloth to a place in space, inside the implicit solve: stable at any
/// stiffness and step. It pulls with `stiffness` times the distance, at most with `limit`, and damps the point's speed.
typedef struct mus_attachment {
  int count;        ///< 1 to 3: of the vertices that make the point
  int vertex[3];    ///< corners of one triangle, as mus_sim_triangle_list() has them
  double weight[3]; ///< of their positions; they sum up to 1
  double target[3]; ///< m: where the point is drawn to
  double stiffness; ///< N/m; 0: so that the limit is reached 5 cm away
  double limit;     ///< N; 0: three times the weight of all cloths on earth
  double damping;   ///< s: damping over stiffness, a decay time; negative: none (0: 0.02)
} mus_attachment;

/// `handle` receives what the calls below know it by. What makes no sense is MUS_BAD_INPUT.
MUS_API mus_status mus_sim_attach(mus_sim *sim, const mus_attachment *attachment, int *handle);
/// Where the point is drawn to from now on.
MUS_API mus_status mus_sim_move_attachment(mus_sim *sim, int handle, const double target[3]);
/// Lets go. The cloth keeps its velocity.
MUS_API mus_status mus_sim_detach(mus_sim *sim, int handle);
/// How many there are.
MUS_API int mus_sim_attachments(const mus_sim *sim);

/// In place of what the scene says, from now on: m/s^2, and m/s. Gusts stay the scene's, as a part of this wind; a
/// scene without wind has none.
MUS_API mus_status mus_sim_set_gravity(mus_sim *sim, const double gravity[3]);
MUS_API mus_status mus_sim_set_wind(mus_sim *sim, const double wind[3]);
/// Another fabric for a cloth, mass included, with the scales and the density that the scene gives; seams stay as
/// strong as they were sewn. "silk" and so on: see mus_fabric_name().
MUS_API mus_status mus_sim_set_fabric(mus_sim *sim, int cloth, const char *name);
/// A factor on all stiffnesses of a cloth, beside the scene's own: 0.001 to 1000, and 1 at first.
MUS_API mus_status mus_sim_set_stiffness(mus_sim *sim, int cloth, double factor);
/// Another linear solver. On failure the one before goes on.
MUS_API mus_status mus_sim_set_solver(mus_sim *sim, const mus_solver_options *options);
/// What holds now.
MUS_API void mus_sim_gravity(const mus_sim *sim, double gravity[3]);
MUS_API void mus_sim_wind(const mus_sim *sim, double wind[3]);
MUS_API const char *mus_sim_fabric(const mus_sim *sim, int cloth);
MUS_API double mus_sim_stiffness(const mus_sim *sim, int cloth);
MUS_API const mus_solver_options *mus_sim_solver_options(const mus_sim *sim);

/// The fabrics one by one, cotton first; NULL past the last. docs/fabrics.md has their values.
MUS_API const char *mus_fabric_name(int index);

/// The last linear solve: its residuals one by one, levels, seconds. All zero before the first step; valid until the
/// next.
MUS_API const mus_solve_record *mus_sim_solve_record(const mus_sim *sim);
/// Into which node of a coarser level of the hierarchy each vertex goes, in the order of the files: level 1 is the
/// first below the finest. -1 for vertices that are left to the smoother. Returns how many nodes that level has; 0,
/// with nothing written, where there is no such level.
MUS_API int mus_sim_aggregates(const mus_sim *sim, int level, int *aggregate);

/// A number for each vertex.
typedef enum mus_field {
  MUS_FIELD_STRETCH,  ///< strain along warp or weft, the larger with its sign, %
  MUS_FIELD_BEND,     ///< curvature, 1/m
  MUS_FIELD_CONTACT,  ///< force of bodies and other cloth in the last step, N, without that which stops impacts
  MUS_FIELD_RESIDUAL, ///< length of mus_sim_residual(), kg m/s
  MUS_FIELDS
} mus_field;
/// "stretch", "bend", "contact", "residual"; NULL for a number that is none.
MUS_API const char *mus_field_name(mus_field field);
/// Of the present state: vertices numbers in the order of the files. NaN where the mesh gives none.
MUS_API mus_status mus_sim_field(mus_sim *sim, mus_field field, double *value);

/// The scene's bodies, all together: vertices, triangles, triangles * 3 vertex numbers, and whether any ever moves.
MUS_API int mus_sim_body_vertices(const mus_sim *sim);
MUS_API int mus_sim_body_triangles(const mus_sim *sim);
MUS_API const int *mus_sim_body_triangle_list(const mus_sim *sim);
MUS_API int mus_sim_bodies_move(const mus_sim *sim);
/// Where they are now, vertices * 3 numbers, m.
MUS_API mus_status mus_sim_body_positions(mus_sim *sim, double *position);

/// Bytes held, the solver included.
MUS_API size_t mus_sim_bytes(const mus_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
