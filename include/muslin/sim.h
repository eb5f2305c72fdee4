/// The simulator: from a scene to positions over time.
///
///     mus_sim *sim = NULL;
///     mus_sim_create(&scene, &sim);
///     for (int frame = 1; frame <= scene.frames; ++frame) {
///       mus_sim_frame(sim, NULL);
///       const double *x = mus_sim_positions(sim);
///     }
///     mus_sim_free(sim);
/// Results are bit-identical for any number of threads.
#ifndef MUSLIN_SIM_H
#define MUSLIN_SIM_H

#include "muslin/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_sim mus_sim;

/// The parts that a step's time is told in.
typedef enum mus_stage {
  MUS_STAGE_DETECT,    ///< detecting contacts
  MUS_STAGE_RESPOND,   ///< responding to them
  MUS_STAGE_ASSEMBLE,  ///< forces and matrices
  MUS_STAGE_SETUP,     ///< of the linear solver
  MUS_STAGE_PREFILTER, ///< of the linear systems
  MUS_STAGE_SOLVE,     ///< the linear systems
  MUS_STAGE_LIMIT,     ///< bringing cloth back within its strain limits
  MUS_STAGE_LATTICE,   ///< solids on lattices
  MUS_STAGE_OTHER,     ///< everything else in the step
  MUS_STAGES
} mus_stage;
/// "detect", "respond" and so on; NULL if out of range.
MUS_API const char *mus_stage_name(mus_stage stage);

/// What one step did.
typedef struct mus_step_record {
  double time;                                     ///< s, at the step's end
  double time_step;                                ///< s
  int halvings;                                    ///< how often the step was halved before it succeeded
  int newton_iterations;                           ///< linear systems solved; 1 for the linearised integrators
  int iterations;                                  ///< of the linear solver, over all Newton steps
  int retries;                                     ///< linear solves that had to be repeated by a stronger method
  double residual;                                 ///< true relative residual of the last linear solve
  double kinetic, stretch, shear, bend, potential; ///< J, at the step's end
  double momentum[3], angular_momentum[3];         ///< kg m/s, kg m^2/s about the origin
  double strain_maximum, strain_99;                ///< largest and 99th percentile, of |C_u| and |C_v|, or of springs
  double strain_reached;                           ///< the largest strain over its limit; 0 where nothing is limited
  double strain_place[3];                          ///< m: the middle of the triangle that has it; 0 likewise
  int overstretched;                               ///< triangles beyond a strain limit by more than 2% of it
  int unfinished;                                  ///< 1: iterations ended before the accuracy was reached
  int inverted;                                    ///< tetrahedra that are inside out at its end
  int limit_rounds;                                ///< rounds that brought cloth back within its limits
  int body_contacts;                               ///< vertices that a body held, and features that it repelled
  int cloth_contacts;                              ///< pairs of features of cloth that repelled each other
  int impacts;                                     ///< contact pairs that would have met and were stopped
  int zones;                                       ///< groups of these that had to be solved together
  int tangled;             ///< edges that pierced a triangle when it began, because of the start or a body
  int impossible;          ///< contact pairs that bodies or pins forced together
  int lattice_cycles;      ///< of multigrid, for solids on lattices, all together
  int lattice_contacts;    ///< points of their surfaces that touched a body
  int lattice_inverted;    ///< cells of theirs that are inside out at its end
  double lattice_residual; ///< of their equations at the end, relative, the largest
  double lattice_volume;   ///< of solids on lattices over that at rest, the farthest from 1; 0 where there is none
  double lattice_seconds;  ///< solving solids on lattices
  double limit_seconds;    ///< bringing cloth back within its strain limits
  double seam_gap;         ///< m: between the ends of stitches that were closed when it began, the largest at its end
  int open_stitches;       ///< stitches with drawn-in threads whose ends are more than 0.1 mm apart
  double detect_seconds, respond_seconds; ///< detecting contacts; responding to them
  double assemble_seconds, setup_seconds, prefilter_seconds, solve_seconds, other_seconds;
  int on_device;                       ///< 1: all of it ran on a GPU
  int rejected;                        ///< attempts at longer steps that were rejected just before this one
  double rejected_seconds[MUS_STAGES]; ///< what these took, which is in none of the seconds above
} mus_step_record;

/// The seconds of a step as a list, without those of rejected attempts.
MUS_API void mus_step_seconds(const mus_step_record *record, double seconds[MUS_STAGES]);

/// Builds the model: meshes, constants, pins, matrix pattern. Errors in the scene name the cloth and the key. The scene
/// must outlive the simulator and stay as it is: the functions below change settings while it runs.
MUS_API mus_status mus_sim_create(const mus_scene *scene, mus_sim **sim);
MUS_API void mus_sim_free(mus_sim *sim);

typedef struct mus_settling {
  int crossings; ///< edges that pierced a triangle when it began
  int steps;     ///< that were taken
  int tangled;   ///< 1: something still is tangled
  int gave_up;   ///< 1: a step broke down, and it ended with what there was; why is in mus_last_error()
  double seconds;
} mus_settling;

/// Draws cloth that starts tangled apart before time begins: steps without weight, friction or speed while bodies and
/// pins stand still, until nothing is tangled, or as many as the scene's `settle` allows. Does nothing to cloth that is
/// free. mus_run() begins with this.
MUS_API mus_status mus_sim_settle(mus_sim *sim, mus_settling *settling);

/// Steps to the next frame. `steps`, if given, receives the number of steps; their records are then
/// mus_sim_step_record(sim, 0 ... steps - 1). If a step fails, or is stopped (mus_set_stop(), MUS_STOPPED), the state
/// is that of its beginning.
MUS_API mus_status mus_sim_frame(mus_sim *sim, int *steps);
MUS_API const mus_step_record *mus_sim_step_record(const mus_sim *sim, int index);

MUS_API double mus_sim_time(const mus_sim *sim);
MUS_API int mus_sim_frame_number(const mus_sim *sim);

/// How the energy of a step falls while it is minimised, see docs/minimise.md.
typedef struct mus_minimise_entry {
  /// J: |x - (x0 + h v0)|^2_M / 2 h^2 + E(x), with what damping, drag and contact cost over the step; gravity counts
  /// from x0 on
  double energy;
  double products; ///< work so far, in products of the step's matrix with a vector
  double seconds;  ///< so far, without what all methods share: finding contacts
} mus_minimise_entry;

typedef struct mus_minimise_options {
  const char *method; ///< a name by mus_minimiser_name(), or with another solver or variant, see docs/minimise.md
  double time_step;   ///< s; 0: the scene's
  int iterations;     ///< at most
  double stop;        ///< end when an iteration lowers the energy by less than this part of what all have; 0: never
  double seconds;     ///< end after this time; 0: never
  int cold;           ///< 0: once untimed before, so that what solvers keep from step to step is there
  int repeat;         ///< times that it is measured; entries are those of the run that takes the median time. 0: once
} mus_minimise_options;

/// The methods with their usual solvers: "newton-sa", "fmg-geometric" and so on; NULL beyond the last.
MUS_API const char *mus_minimiser_name(int index);
/// MUS_BAD_INPUT, with the list of names, if there is no method of that name; MUS_UNSUPPORTED if this build does not
/// have its solver.
MUS_API mus_status mus_minimiser_check(const char *name);
/// The name of the method that minimises the steps of a scene whose integrator is MUS_INTEGRATOR_MINIMISE.
MUS_API void mus_scene_minimiser(const mus_scene *scene, char name[MUS_MINIMISER_TEXT]);

/// Minimises the next step by a method, and goes back to where it began: for comparing methods. Contacts are those at
/// the beginning. `entries` has room for options->iterations + 1, the first of which is the start; `count` becomes how
/// many were written. "newton-sa" and "fmg:plain" run on the GPU where the simulator's steps do
/// (mus_sim_device_used()).
MUS_API mus_status mus_sim_minimise(mus_sim *sim, const mus_minimise_options *options, mus_minimise_entry *entries,
                                    int *count);

/// One step of the scene's time step (halved if necessary, see mus_step_record); its records are read as above.
/// mus_sim_frame() finishes a frame that was begun step by step.
MUS_API mus_status mus_sim_step(mus_sim *sim, int *steps);

/// Everything that deforms, part after part: the scene's cloths in their order, then its solids, each in the order of
/// its file. vertices * 3 positions (m) and velocities (m/s); triangles * 3 vertex numbers, all of a cloth and the
/// surface of a solid; triangles * 3 * 2 material coordinates, zero on solids. Vertices of a solid include those
/// inside, except on a lattice, where they are those of its surface. Valid as long as the simulator exists; positions
/// change with every step.
MUS_API int mus_sim_vertices(const mus_sim *sim);
MUS_API int mus_sim_triangles(const mus_sim *sim);
MUS_API const double *mus_sim_positions(const mus_sim *sim);
MUS_API const double *mus_sim_velocities(const mus_sim *sim);
MUS_API const int *mus_sim_triangle_list(const mus_sim *sim);
MUS_API const double *mus_sim_material(const mus_sim *sim);
/// The tetrahedra of all solids: tetrahedra * 4 vertex numbers.
MUS_API int mus_sim_tetrahedra(const mus_sim *sim);
MUS_API const int *mus_sim_tetrahedron_list(const mus_sim *sim);
/// The number of parts, cloth_count + solid_count, and their names; NULL out of range.
MUS_API int mus_sim_parts(const mus_sim *sim);
MUS_API const char *mus_sim_part_name(const mus_sim *sim, int part);
/// First vertex, triangle and tetrahedron of a part; the number of all past the last part.
MUS_API int mus_sim_first_vertex(const mus_sim *sim, int part);
MUS_API int mus_sim_first_triangle(const mus_sim *sim, int part);
MUS_API int mus_sim_first_tetrahedron(const mus_sim *sim, int part);
/// What was repaired or left out in a part's mesh file, in words; "" if nothing was.
MUS_API const char *mus_sim_repairs(const mus_sim *sim, int part);
/// What may not be as it was meant, a sentence each: implausible sizes of cloths and bodies, values of the scene's own
/// fabrics that a cloth's model does not use. NULL past the last.
MUS_API const char *mus_sim_note(const mus_sim *sim, int index);

/// The linear system A d = b of the next step, as it goes to the solver: d is the change of velocity, m/s. With
/// Newton's method, it is the first system of the step. Nodes are in the order of the simulation, which may differ from
/// that of the files. Vertices that closed seams tie to others are no unknowns: their rows have nothing but a mass on
/// the diagonal, and what acts on them is in the rows of those.
typedef struct mus_sim_system {
  int rows; ///< vertices; blocks are 3 x 3
  const int *row_start, *column;
  const double *values;
  const double *right;      ///< rows * 3
  const double *positions;  ///< rows * 3, m, at the start of the step
  const double *velocities; ///< rows * 3, m/s
  double time_step;         ///< s
  int constraint_count;
  const mus_constraint *constraints;
  int coupling_count; ///< of cloth with cloth: added to A
  const mus_coupling *couplings;
} mus_sim_system;

/// Assembles it without changing the state. Valid until the next call with this simulator.
MUS_API mus_status mus_sim_next_system(mus_sim *sim, mus_sim_system *system);
/// Nested levels of these nodes, for mus_solver_set_levels(): the cloths' meshes, coarsened in their material. Made
/// when first asked for, and valid as long as the simulator. MUS_UNSUPPORTED for a scene with solids.
MUS_API mus_status mus_sim_levels(mus_sim *sim, int *count, const mus_interpolation **levels);
/// The residual of the last step, kg m/s, zero in prescribed directions and at vertices that closed seams tie to
/// others: b - A d of its linear system or, with Newton's method, of its nonlinear equations. vertices * 3 numbers in
/// the order of the files, valid until the next call.
MUS_API const double *mus_sim_residual(mus_sim *sim);

/// The number of edges that pierce a triangle now, cloth with cloth and with bodies, and the positions of the first
/// `most` of them, m. 0 if the scene has no contact. Found in rounded arithmetic; mus_check() is exact.
MUS_API mus_status mus_sim_crossings(mus_sim *sim, int most, double (*places)[3], int *count);

// --- while it runs -------------------------------------------------------------------------------------------------
//
// Between steps, on the thread that steps: pull at the cloth, and change what acts on it. docs/api.md shows such a
// loop. None of this goes into checkpoints, and mus_run() offers none of it.

/// A zero-length spring from a point of a cloth to a target in space, inside the implicit solve: stable at any
/// stiffness and step. It pulls with `stiffness` times the distance, at most with `limit`, and damps the point's
/// velocity.
typedef struct mus_attachment {
  int count;        ///< 1 to 3 vertices that define the point
  int vertex[3];    ///< corners of one triangle, numbered as in mus_sim_triangle_list()
  double weight[3]; ///< of their positions; they sum to 1
  double target[3]; ///< m: where the point is pulled to
  double stiffness; ///< N/m; 0: so that the limit is reached 5 cm away
  double limit;     ///< N; 0: three times the weight of all cloths on earth
  double damping;   ///< s: damping divided by stiffness, a decay time; negative: none (0: 0.02)
} mus_attachment;

/// `handle` identifies the attachment in the calls below. Invalid input is MUS_BAD_INPUT.
MUS_API mus_status mus_sim_attach(mus_sim *sim, const mus_attachment *attachment, int *handle);
/// Where the point is pulled to from now on.
MUS_API mus_status mus_sim_move_attachment(mus_sim *sim, int handle, const double target[3]);
/// Lets go. The cloth keeps its velocity.
MUS_API mus_status mus_sim_detach(mus_sim *sim, int handle);
/// The number of attachments.
MUS_API int mus_sim_attachments(const mus_sim *sim);

/// Other positions and velocities, vertices * 3 numbers each in the order of mus_sim_positions(); NULL: as they are.
/// Time goes on; what solver and contact remember of earlier steps is dropped. MUS_UNSUPPORTED for solids on lattices.
MUS_API mus_status mus_sim_set_state(mus_sim *sim, const double *positions, const double *velocities);
/// Override the scene from now on: m/s^2, and m/s. Gusts stay the scene's, as a fraction of this wind; a scene without
/// wind has none.
MUS_API mus_status mus_sim_set_gravity(mus_sim *sim, const double gravity[3]);
MUS_API mus_status mus_sim_set_wind(mus_sim *sim, const double wind[3]);
/// Another fabric for a cloth, including its mass, with the scales and the density that the scene gives; seams stay as
/// strong as they were sewn. "silk" and so on, see mus_fabric_name(), or one of the scene's own. Contact keeps the
/// thickness and the friction that the cloth began with.
MUS_API mus_status mus_sim_set_fabric(mus_sim *sim, int cloth, const char *name);
/// A factor applied to all stiffnesses of a part, in addition to the scene's: 0.001 to 1000, initially 1.
MUS_API mus_status mus_sim_set_stiffness(mus_sim *sim, int part, double factor);
/// Another linear solver. On failure the previous one stays in use.
MUS_API mus_status mus_sim_set_solver(mus_sim *sim, const mus_solver_options *options);
/// The current settings.
MUS_API void mus_sim_gravity(const mus_sim *sim, double gravity[3]);
MUS_API void mus_sim_wind(const mus_sim *sim, double wind[3]);
MUS_API const char *mus_sim_fabric(const mus_sim *sim, int cloth); ///< NULL for a solid
MUS_API double mus_sim_stiffness(const mus_sim *sim, int part);
MUS_API const mus_solver_options *mus_sim_solver_options(const mus_sim *sim);

/// The last linear solve: the residual at each iteration, levels, seconds. All zero before the first step; valid until
/// the next.
MUS_API const mus_solve_record *mus_sim_solve_record(const mus_sim *sim);

/// Where the steps of a simulation run whose solver's options name a GPU (docs/cuda.md).
typedef struct mus_sim_device {
  char name[64];        ///< of the GPU; "": none is used
  size_t bytes;         ///< memory that steps and solver hold there
  long long steps;      ///< whole steps that ran there so far
  const char *obstacle; ///< what keeps whole steps from running there, so that it solves only; NULL: nothing
  double upload_seconds, assemble_seconds, move_seconds, download_seconds; ///< of the last whole step there
  char failure[512]; ///< why MUS_DEVICE_AUTO has gone over to the CPU, or never left it: what is missing of a GPU, or
                     ///< how it failed; "": it did not
} mus_sim_device;
MUS_API mus_sim_device mus_sim_device_used(const mus_sim *sim);
/// For each vertex, in the order of the files, the node of a coarser level of the hierarchy that it belongs to: level 1
/// is the first below the finest. -1 for vertices that are left to the smoother. Returns the number of nodes of that
/// level; 0, with nothing written, if there is no such level.
MUS_API int mus_sim_aggregates(const mus_sim *sim, int level, int *aggregate);

/// One number per vertex.
typedef enum mus_field {
  MUS_FIELD_STRETCH,  ///< strain along warp or weft, the larger with its sign, %; of solids the principal strain
                      ///< that is farthest from 0
  MUS_FIELD_BEND,     ///< curvature, 1/m
  MUS_FIELD_CONTACT,  ///< force of bodies and other parts in the last step, N, except for what stops impacts
  MUS_FIELD_RESIDUAL, ///< length of mus_sim_residual(), kg m/s
  MUS_FIELD_STRESS,   ///< von Mises stress of solids, Pa
  MUS_FIELD_VOLUME,   ///< change of volume of solids, %
  MUS_FIELDS
} mus_field;
/// "stretch", "bend", "contact", "residual", "stress", "volume"; NULL if out of range.
MUS_API const char *mus_field_name(mus_field field);
/// For the current state: vertices numbers in the order of the files. NaN where undefined.
MUS_API mus_status mus_sim_field(mus_sim *sim, mus_field field, double *value);

/// The scene's bodies, all together: vertices, triangles, triangles * 3 vertex numbers, and whether any ever moves.
MUS_API int mus_sim_body_vertices(const mus_sim *sim);
MUS_API int mus_sim_first_body_vertex(const mus_sim *sim, int body); ///< mus_sim_body_vertices() for body_count
MUS_API int mus_sim_body_triangles(const mus_sim *sim);
MUS_API const int *mus_sim_body_triangle_list(const mus_sim *sim);
MUS_API int mus_sim_bodies_move(const mus_sim *sim);
/// Where they are now, vertices * 3 numbers, m.
MUS_API mus_status mus_sim_body_positions(mus_sim *sim, double *position);

/// Bytes held, including the solver.
MUS_API size_t mus_sim_bytes(const mus_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
