/// Scenes: what to simulate. A scene is plain data; it comes from a JSON file (docs/scene.md), from the list of
/// built-in scenes, or is filled in by hand. SI units throughout: metres, kilograms, seconds; Y is up unless the scene
/// says otherwise.
#ifndef MUSLIN_SCENE_H
#define MUSLIN_SCENE_H

#include "muslin/solver.h"
#include "muslin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers that change over time: `count` keys at ascending times with `width` numbers each, linear between the keys
/// and constant outside. One key is a constant; no keys mean "not given".
typedef struct mus_keys {
  int count, width;
  double *time;  ///< count, s
  double *value; ///< count * width
} mus_keys;

/// Which way is up in a scene: in all its coordinates, and in all files that a run of it writes. Generated shapes that
/// are described with y up stand upright in either; with z up they are turned about x, so that what faced z faces -y.
typedef enum mus_up { MUS_UP_Y, MUS_UP_Z } mus_up;
/// The same for a file that is read, which is turned upright if that is not the scene's.
typedef enum mus_file_up {
  MUS_FILE_UP_AUTO, ///< y for glTF, which is defined so; otherwise the scene's
  MUS_FILE_UP_Y,
  MUS_FILE_UP_Z
} mus_file_up;

/// Where a cloth's mesh comes from.
typedef enum mus_cloth_shape_kind {
  MUS_CLOTH_SHAPE_SHEET,
  MUS_CLOTH_SHAPE_L,
  MUS_CLOTH_SHAPE_DISC,
  MUS_CLOTH_SHAPE_STRIP,
  MUS_CLOTH_SHAPE_FILE,
  MUS_CLOTH_SHAPE_TUBE,   ///< size[0] is its circumference, size[1] its length; its axis is x
  MUS_CLOTH_SHAPE_GARMENT ///< panels around the body `around`, with seams
} mus_cloth_shape_kind;
typedef enum mus_tessellation { MUS_TESSELLATION_REGULAR, MUS_TESSELLATION_IRREGULAR } mus_tessellation;

typedef struct mus_cloth_shape {
  mus_cloth_shape_kind kind;
  int vertices;                  ///< approximate; sheets use the nearest square number (10201)
  mus_tessellation tessellation; ///< MUS_TESSELLATION_REGULAR
  double size[2];                ///< m: width along x and depth along z; a disc's diameter is size[0] (1, 1)
  unsigned seed;                 ///< for an irregular tessellation (1)
  char *file;                    ///< OBJ or PLY, for MUS_CLOTH_SHAPE_FILE; relative to the scene file
  double scale;                  ///< metres per unit of the file's positions (1)
  double material_scale;         ///< metres per unit of the file's texture coordinates; 0: rest shape from positions
  mus_file_up up;                ///< of the file (MUS_FILE_UP_AUTO)
  double edge;                   ///< m: edges of the file's mesh that are longer in the material are halved; 0: none
  char *start;                   ///< a second mesh whose first vertices give the initial positions; NULL: as in `file`
  mus_file_up start_up;          ///< of that mesh; MUS_FILE_UP_AUTO: as `up`
  char *around;                  ///< name of the body that a garment is cut for
} mus_cloth_shape;

/// A colour in pictures and in the viewer, as in a colour picker (sRGB).
typedef struct mus_colour {
  int given;     ///< 0: a usual one is chosen
  double rgb[3]; ///< red, green, blue, 0 to 1
} mus_colour;

/// How a cloth resists deformation.
typedef enum mus_cloth_model {
  MUS_CLOTH_MODEL_BARAFF_WITKIN,
  MUS_CLOTH_MODEL_CHOI_KO,
  MUS_CLOTH_MODEL_MASS_SPRING
} mus_cloth_model;

/// What cloths in contact have unless they, or the scene's own fabrics, say otherwise: m, and Coulomb's coefficient.
#define MUS_CLOTH_THICKNESS 0.001
#define MUS_CLOTH_FRICTION 0.3

/// The built-in fabrics, cotton first; NULL if out of range. docs/fabrics.md has their values.
MUS_API const char *mus_fabric_name(int index);

/// The materials of solids, rubber first; NULL if out of range. docs/solids.md has their values.
MUS_API const char *mus_solid_material_name(int index);

/// How a solid resists deformation. docs/solids.md says what each is for.
typedef enum mus_solid_model {
  MUS_SOLID_MODEL_NEO_HOOKEAN, ///< stable Neo-Hookean (Smith, De Goes and Kim 2018): resists being turned inside out
  MUS_SOLID_MODEL_COROTATED,   ///< co-rotated linear
  MUS_SOLID_MODEL_VENANT_KIRCHHOFF, ///< St. Venant and Kirchhoff's: weakens under compression
  MUS_SOLID_MODEL_MASS_SPRING ///< springs along the edges of tetrahedra; Poisson's ratio is about 1/4, whatever is
                              ///< given
} mus_solid_model;

/// A fabric of the scene's own, in SI units. Warp runs along u, weft along v of the material coordinates, bias at 45
/// degrees to both. docs/fabrics.md says which model uses which value.
typedef struct mus_scene_fabric {
  char *name;             ///< what cloths call it; not that of a built-in fabric
  int like;               ///< the built-in fabric that the other values are taken from; a number of mus_fabric_name()
  double density;         ///< kg/m^2
  double stretch[2];      ///< N/m, force per width and strain: warp, weft
  double shear;           ///< N/m, force per width and radian
  double bend[3];         ///< N m, moment per width and curvature: bending along warp, weft, bias
  double damping[3];      ///< s, damping over stiffness, a decay time: of stretch, shear, bend
  double thickness;       ///< m: that of cloths which give none (0.001)
  double friction;        ///< of cloth on cloth: that of cloths which give none (0.3)
  double strain_limit[2]; ///< largest strain along warp and weft; 0: none (0, 0)
  unsigned cookie;        ///< set by mus_default_fabric()
} mus_scene_fabric;

/// The vertices that a pin holds: all those selected by any of the parts.
typedef struct mus_selection {
  int vertex_count;
  int *vertices; ///< numbers, from 0
  int box_given;
  double box[2][3]; ///< lowest and highest corner, m, at the start
  int sphere_given;
  double sphere[4]; ///< centre and radius, m, at the start
  int boundary;     ///< 1: every vertex on the mesh's boundary
  int material_given;
  double material[2][2]; ///< lowest and highest (u, v), m
  // Of a solid on a lattice, by the pin's body where it starts:
  int inside;   ///< 1: all that the body encloses or passes through
  int touching; ///< 1: all that its surface passes through
  double bones; ///< m: all within this distance of its bones, each of which carries what is near it; 0: none
} mus_selection;

/// Vertices whose motion is prescribed: offset(t) plus a sinusoid, relative to their initial positions; or that of a
/// body, to which they are bound where they are when the pin begins.
typedef struct mus_pin {
  mus_selection where;
  char *body;          ///< name of the body that carries them along; NULL: none
  double weight;       ///< how firmly, from 0, free, to 1, exactly; docs/scene.md says what lies between (1)
  int weight_count;    ///< 0, or where.vertex_count
  double *weights;     ///< of each of where.vertices, in place of `weight`
  double stiffness;    ///< N/m: a spring from each vertex to where the pin has it; 0: held as the weights say (0)
  double damping;      ///< s: of springs, damping over stiffness, a decay time (0)
  mus_keys offset;     ///< width 3, m; none: held in place
  double amplitude[3]; ///< m: adds amplitude * sin(2 pi frequency t + phase) - its value at t = 0
  double frequency;    ///< Hz
  double phase;        ///< radians
  mus_keys turn;   ///< width 3: degrees about x, then y, then z, around `pivot`, before the offset; none: no rotation
  double pivot[3]; ///< m
  double from, to; ///< s: held only during this time (0, 1e9)
  unsigned cookie; ///< set by mus_default_pin()
} mus_pin;

typedef struct mus_cloth {
  char *name;
  mus_cloth_shape shape;
  double rotate[3];      ///< degrees about x, then y, then z
  double translate[3];   ///< m, after the rotation
  double velocity[3];    ///< m/s at the start
  mus_cloth_model model; ///< MUS_CLOTH_MODEL_BARAFF_WITKIN
  char *fabric;          ///< a name of the scene's `fabrics` or of a built-in one ("cotton")
  double density;        ///< kg/m^2; 0: the fabric's
  double stretch_scale, shear_scale, bend_scale, damping_scale; ///< factors applied to the fabric's values (1)
  int strain_limit_given;
  double strain_limit[2]; ///< largest strain along warp and weft; 0: none; not given: the fabric's
  mus_keys stiffness;     ///< width 1: a factor applied to all stiffnesses over time; none: 1
  double thickness; ///< m: the distance at which layers rest, at a vertex at most half of its shortest edge; 0: that
                    ///< of the scene's own fabric, 0.001 with a built-in one
  double friction;  ///< of cloth on cloth: Coulomb's coefficient; several cloths use the mean of theirs; negative:
                    ///< that of the scene's own fabric, 0.3 with a built-in one
  int stitch_count;
  int (*stitches)[2]; ///< pairs of vertices to be sewn together, in addition to those of the file
  double close;       ///< s within which stitches close (1)
  mus_colour colour;  ///< none: that of its fabric
  int pin_count;
  mus_pin *pins;
  unsigned cookie; ///< set by mus_default_cloth()
} mus_cloth;

/// Where a solid's tetrahedra come from. Creatures stand on y = 0 and face z.
typedef enum mus_solid_shape_kind {
  MUS_SOLID_SHAPE_BOX,       ///< around the origin, `size`
  MUS_SOLID_SHAPE_BALL,      ///< around the origin, of `radius`
  MUS_SOLID_SHAPE_OCTOPUS,   ///< 1.2 m across
  MUS_SOLID_SHAPE_DRAGON,    ///< 1.7 m long
  MUS_SOLID_SHAPE_MANNEQUIN, ///< 1.75 m tall
  MUS_SOLID_SHAPE_FILE,      ///< tetrahedra, or a closed surface that is filled with them
  MUS_SOLID_SHAPE_BODY       ///< the surface of `body` where that starts, for a solid on a lattice
} mus_solid_shape_kind;

typedef struct mus_solid_shape {
  mus_solid_shape_kind kind;
  int vertices;   ///< about so many, where there is no `edge`; a file of tetrahedra has what it has (5000)
  double edge;    ///< m, of edges inside; 0: as `vertices` has it (0)
  double size[3]; ///< m, of a box along x, y and z (1, 1, 1)
  double radius;  ///< m, of a ball (0.5)
  char *file;     ///< Gmsh, Medit, VTK or TetGen; OBJ, PLY or glTF for a surface. Relative to the scene file
  double scale;   ///< metres per unit of the file's positions; also makes creatures larger or smaller (1)
  mus_file_up up; ///< of the file (MUS_FILE_UP_AUTO)
  char *body;     ///< name of the body whose surface it has, for MUS_SOLID_SHAPE_BODY
} mus_solid_shape;

/// What a solid is made of.
typedef enum mus_solid_method {
  MUS_SOLID_METHOD_TETRAHEDRA,
  MUS_SOLID_METHOD_LATTICE ///< cubic cells, with the surface carried along; for any Poisson's ratio below 1/2
} mus_solid_method;

/// How the surface of a solid on a lattice follows its cells.
typedef enum mus_solid_interpolation {
  MUS_SOLID_INTERPOLATION_CUBIC, ///< smooth across cells, normals included
  MUS_SOLID_INTERPOLATION_LINEAR
} mus_solid_interpolation;

/// The cells of a solid on a lattice. docs/lattice.md is the manual.
typedef struct mus_solid_lattice {
  int cells;                             ///< along the longest side of its surface, unless `cell` is given (32)
  double cell;                           ///< m: the side of a cell; 0: as `cells` has it (0)
  int padding;                           ///< layers of cells that are added around the surface (0)
  mus_solid_interpolation interpolation; ///< MUS_SOLID_INTERPOLATION_CUBIC
} mus_solid_lattice;

/// What solids have in contact unless they say otherwise: m, and Coulomb's coefficient.
#define MUS_SOLID_THICKNESS 0.001
#define MUS_SOLID_FRICTION 0.3

/// An elastic solid. docs/solids.md is the manual.
typedef struct mus_solid {
  char *name;
  mus_solid_method method;   ///< MUS_SOLID_METHOD_TETRAHEDRA
  mus_solid_lattice lattice; ///< for MUS_SOLID_METHOD_LATTICE
  mus_solid_shape shape;
  double rotate[3];      ///< degrees about x, then y, then z
  double translate[3];   ///< m, after the rotation
  double velocity[3];    ///< m/s at the start
  mus_solid_model model; ///< of tetrahedra (MUS_SOLID_MODEL_NEO_HOOKEAN)
  char *material;        ///< a name of mus_solid_material_name() ("rubber")
  double density;        ///< kg/m^3; 0: the material's
  double young;          ///< Young's modulus, Pa; 0: the material's
  double poisson; ///< Poisson's ratio, greater than -1 and at most 0.495, on a lattice below 0.5; -1: the material's
  double damping; ///< s: damping over stiffness, a decay time; negative: the material's
  mus_keys stiffness; ///< width 1: a factor applied to all stiffnesses over time; none: 1
  double thickness;   ///< m: the distance at which its surface and others rest, at a vertex at most half of its
                      ///< shortest edge (0.001)
  double friction;    ///< on cloth and other solids: Coulomb's coefficient; several parts use the mean of theirs (0.3)
  mus_colour colour;  ///< none: a usual one
  int pin_count;
  mus_pin *pins;   ///< of any of its vertices, inner ones too; of cells on a lattice
  unsigned cookie; ///< set by mus_default_solid()
} mus_solid;

/// Where a body's surface comes from. Round shapes are cut into facets; cloth touches the facets.
typedef enum mus_body_shape_kind {
  MUS_BODY_SHAPE_PLANE,         ///< y = 0, front upwards, size[0] along x and size[2] along z
  MUS_BODY_SHAPE_SPHERE,        ///< around the origin
  MUS_BODY_SHAPE_BOX,           ///< around the origin
  MUS_BODY_SHAPE_CAPSULE,       ///< along y around the origin, `length` between the centres of its two hemispheres
  MUS_BODY_SHAPE_BOX_WITH_HOLE, ///< a box with a round hole of `radius` along y
  MUS_BODY_SHAPE_FUNNEL, ///< a thick-walled cone around y, from `radius` at its lower end to size[0] / 2 at its upper
  MUS_BODY_SHAPE_MANNEQUIN, ///< a figure of capsules that walks and runs
  MUS_BODY_SHAPE_FILE,
  MUS_BODY_SHAPE_CYLINDER,    ///< along y around the origin, `length` long
  MUS_BODY_SHAPE_CONE,        ///< its foot, of `radius`, at y = -length / 2, its tip at length / 2
  MUS_BODY_SHAPE_TORUS,       ///< a ring around y: a tube of radius `tube` around a circle of `radius`
  MUS_BODY_SHAPE_ROUNDED_BOX, ///< a box with edges of `radius`
  MUS_BODY_SHAPE_FLOOR        ///< a plane of 100 m x 100 m
} mus_body_shape_kind;

typedef struct mus_body_shape {
  mus_body_shape_kind kind;
  double size[3];  ///< m (1, 1, 1)
  double radius;   ///< m (0.25)
  double length;   ///< m (0.5)
  double tube;     ///< m (0.05)
  double facet;    ///< m: largest distance between a round surface and its facets (0.0002)
  char *file;      ///< OBJ, PLY, glTF 2.0 (.gltf, .glb), or a sequence of OBJ with #### in its name
  double scale;    ///< metres per unit of the file's positions (1)
  mus_file_up up;  ///< of the file, and of `motion` (MUS_FILE_UP_AUTO)
  char *motion;    ///< a PC2 or MDD that moves the file's mesh
  double rate;     ///< Hz: frame rate of a sequence or PC2; 0: the scene's
  char *animation; ///< name of a glTF animation; NULL: the first
  double height;   ///< m: for a mannequin (1.75)
  mus_keys speed;  ///< width 1, m/s: for a mannequin; none: it walks, then runs
} mus_body_shape;

/// What keeps cloth apart. docs/contact.md is the manual.
typedef enum mus_contact_with {
  MUS_CONTACT_ALL,   ///< cloth with cloth and with bodies: nothing passes through anything
  MUS_CONTACT_BODIES ///< vertices with bodies only, by terms of the linear solve, which GPUs have too; for bodies
                     ///< that are rigid
} mus_contact_with;

/// What cloth touches and cannot move.
typedef struct mus_body {
  char *name;
  mus_body_shape shape;
  mus_keys rotate;    ///< width 3: degrees about x, then y, then z
  mus_keys translate; ///< width 3: m, after the rotation
  double friction;    ///< Coulomb's coefficient of cloth on it (0.3)
  double thickness;   ///< m: cloth rests at this distance plus half its own thickness (0.0005)
  mus_colour colour;  ///< none: grey
  int hidden;         ///< 1: it touches cloth as ever, but is not shown (0)
  unsigned cookie;    ///< set by mus_default_body()
} mus_body;

/// Vertices of two cloths to be sewn together. Stitches within one cloth belong to that cloth.
typedef struct mus_seam {
  char *from, *to; ///< names of the cloths
  int pair_count;
  int (*pairs)[2]; ///< a vertex of `from` and one of `to`
  double close;    ///< s within which it closes (1)
  unsigned cookie; ///< set by mus_default_seam()
} mus_seam;

/// A spring between two points of cloths or solids: a button, a cord. Both are pulled with the same force.
typedef struct mus_button {
  char *from, *to;  ///< names of the parts, which may be the same
  int vertex;       ///< of `from`
  int at_count;     ///< 1 or 3
  int *at;          ///< a vertex of `to`, or the three corners of one of its triangles
  double weight[3]; ///< of these corners, which sum to 1: the point (1/3, 1/3, 1/3)
  double rest;      ///< m: its length without force (0)
  double stiffness; ///< N/m (1000)
  double damping;   ///< s: damping over stiffness, a decay time (0.002)
  unsigned cookie;  ///< set by mus_default_button()
} mus_button;

typedef enum mus_integrator {
  MUS_INTEGRATOR_EULER,  ///< implicit Euler with one linearisation per step (Baraff and Witkin 1998)
  MUS_INTEGRATOR_BDF2,   ///< second-order backward differences, one linearisation (Choi and Ko 2002)
  MUS_INTEGRATOR_NEWTON, ///< implicit Euler, Newton with line search to convergence
  /// implicit Euler, Projective Dynamics (Bouaziz and others 2014), for cloth, springs and co-rotated solids
  MUS_INTEGRATOR_PROJECTIVE,
  /// implicit Euler as the minimum of the step's energy, to mus_scene.accuracy; see docs/minimise.md
  MUS_INTEGRATOR_MINIMISE,
  MUS_INTEGRATORS
} mus_integrator;
/// "euler", "bdf2", "newton", "projective", "minimise": as scene files name it. NULL if out of range.
MUS_API const char *mus_integrator_name(mus_integrator integrator);

enum { MUS_MINIMISER_TEXT = 64 };

typedef struct mus_scene {
  char *name;
  int frames;                ///< 100
  double frame_rate;         ///< Hz (24)
  double time_step;          ///< s, at most; every frame is a whole number of equal steps (0.002)
  mus_keys time_steps;       ///< width 1, s: in place of it, for each frame by its value where the frame begins; none
  int adaptive;              ///< 1: halve steps that fail, jump in strain or gain energy from nowhere (1)
  mus_integrator integrator; ///< MUS_INTEGRATOR_EULER
  int settle;                ///< steps before time begins for cloth that starts tangled, at most; 0: none (400)
  int newton_iterations;     ///< at most, for MUS_INTEGRATOR_NEWTON (50)
  double newton_tolerance;   ///< m/s: stop when velocities are accurate to this (1e-6)
  /// mm, for MUS_INTEGRATOR_MINIMISE: how far from the exact end of a step its positions may be, as a root mean square;
  /// a single vertex thirty times as far (3)
  double accuracy;
  /// for MUS_INTEGRATOR_MINIMISE: the name of a minimiser, see mus_minimiser_name(); "": what was measured to be
  /// fastest, with the scene's solver ("")
  char minimiser[MUS_MINIMISER_TEXT];
  mus_up up;          ///< MUS_UP_Y
  mus_keys gravity;   ///< width 3, m/s^2; none: 9.81 downwards
  mus_keys wind;      ///< width 3, m/s; none: still air
  double gust;        ///< fraction of the wind that varies in time and space (0)
  double air_density; ///< kg/m^3, for drag and wind (1.2)
  mus_solver_options solver;
  int projective_iterations;   ///< at most, for MUS_INTEGRATOR_PROJECTIVE (10)
  int projective_cycles;       ///< of multigrid in each of these (1)
  int projective_memory;       ///< corrections whose secants speed up the next, 0 to 20; 0: plain (5)
  double projective_tolerance; ///< m/s: stop when an iteration changes no velocity by more (1e-4)
  int fabric_count;
  mus_scene_fabric *fabrics; ///< for cloths to name, besides the built-in ones
  int cloth_count;
  mus_cloth *cloths;
  int solid_count;
  mus_solid *solids;
  int contact;                   ///< 1: cloth passes through nothing (1); 0: through everything
  mus_contact_with contact_with; ///< what contact is with (MUS_CONTACT_ALL)
  int allow_tangled; ///< 1: a run that ends with more intersections than it began with counts as a success (0)
  int body_count;
  mus_body *bodies;
  int seam_count;
  mus_seam *seams;
  int button_count;
  mus_button *buttons;
  unsigned cookie; ///< set by mus_default_scene()
} mus_scene;

/// A scene with every default and nothing in it. Scenes, fabrics, cloths, solids, pins, bodies and seams that are
/// filled in by hand must start from these: they set a cookie, and calls that take a scene reject one without it, or
/// with parts without it. mus_scene_free() frees what a scene owns; scenes filled in by hand must take their memory
/// from malloc.
MUS_API mus_scene mus_default_scene(void);
MUS_API mus_cloth mus_default_cloth(void);
MUS_API mus_solid mus_default_solid(void);
/// As a built-in fabric, by its number in mus_fabric_name(): 0 is cotton. It has no name yet.
MUS_API mus_scene_fabric mus_default_fabric(int like);
MUS_API mus_pin mus_default_pin(void);
MUS_API mus_body mus_default_body(void);
MUS_API mus_seam mus_default_seam(void);
MUS_API mus_button mus_default_button(void);
MUS_API void mus_scene_free(mus_scene *scene);

/// Reads a scene file. Strict: an unknown key, or a value of the wrong kind or out of range, is an error that names the
/// file, line, key and remedy. `scene` is written only with MUS_OK.
MUS_API mus_status mus_scene_load(const char *path, mus_scene *scene);
/// The same from a string; `name` stands for the path in error texts.
MUS_API mus_status mus_scene_parse(const char *name, const char *text, mus_scene *scene);

/// The scene as JSON text with every key, including defaults; from malloc. NULL on failure; see
/// mus_last_error().
MUS_API char *mus_scene_text(const mus_scene *scene);

/// The built-in scenes, in a fixed order; NULL if out of range. `about` receives a one-line description.
MUS_API const char *mus_scene_builtin_name(int index, const char **about);
/// MUS_BAD_INPUT, with the list of names, if there is none of that name.
MUS_API mus_status mus_scene_builtin(const char *name, mus_scene *scene);
/// Gives the generated parts approximately this many vertices in total (0: as they are), shared as before, and cloths
/// this tessellation.
MUS_API mus_status mus_scene_resize(mus_scene *scene, int vertices, mus_tessellation tessellation);

#ifdef __cplusplus
}
#endif
#endif
