// See body_shapes.h.
#include "model/body_shapes.h"

#include "base/error.h"
#include "mesh/body_surfaces.h"

static const double funnel_wall = 0.02, floor_side = 100; // m

// `size` is along x, y and z with y up.
typedef mus_status make_solid(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out);

static mus_status make_plane(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)shape;
  return mus_body_plane(arena, size[0], size[2], out);
}

static mus_status make_floor(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)shape;
  (void)size;
  return mus_body_plane(arena, floor_side, floor_side, out);
}

static mus_status make_sphere(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)size;
  return mus_body_capsule(arena, shape->radius, 0, shape->facet, out);
}

static mus_status make_capsule(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)size;
  return mus_body_capsule(arena, shape->radius, shape->length, shape->facet, out);
}

// These have no surface without a length.
static mus_status check_length(const mus_body_shape *shape) {
  return shape->length > 0 ? MUS_OK : mus_fail(MUS_BAD_INPUT, "its \"length\" is 0: give it one");
}

static mus_status make_cylinder(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)size;
  mus_status status = check_length(shape);
  return status ? status : mus_body_cylinder(arena, shape->radius, shape->length, shape->facet, out);
}

static mus_status make_cone(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)size;
  mus_status status = check_length(shape);
  return status ? status : mus_body_cone(arena, shape->radius, shape->length, shape->facet, out);
}

static mus_status make_torus(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)size;
  return mus_body_torus(arena, shape->radius, shape->tube, shape->facet, out);
}

static mus_status make_box(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  (void)shape;
  return mus_body_box(arena, size, out);
}

static mus_status make_rounded(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  return mus_body_rounded_box(arena, size, shape->radius, shape->facet, out);
}

static mus_status make_hollow(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  return mus_body_box_with_hole(arena, size, shape->radius, shape->facet, out);
}

static mus_status make_funnel(mus_arena *arena, const mus_body_shape *shape, const double size[3], mus_mesh *out) {
  return mus_body_funnel(arena, shape->radius, 0.5 * size[0], size[1], funnel_wall, shape->facet, out);
}

static make_solid *const solids[] = {
    [MUS_BODY_SHAPE_PLANE] = make_plane,         [MUS_BODY_SHAPE_FLOOR] = make_floor,
    [MUS_BODY_SHAPE_SPHERE] = make_sphere,       [MUS_BODY_SHAPE_CAPSULE] = make_capsule,
    [MUS_BODY_SHAPE_CYLINDER] = make_cylinder,   [MUS_BODY_SHAPE_CONE] = make_cone,
    [MUS_BODY_SHAPE_TORUS] = make_torus,         [MUS_BODY_SHAPE_BOX] = make_box,
    [MUS_BODY_SHAPE_ROUNDED_BOX] = make_rounded, [MUS_BODY_SHAPE_BOX_WITH_HOLE] = make_hollow,
    [MUS_BODY_SHAPE_FUNNEL] = make_funnel};

mus_status mus_body_shape_make(mus_arena *arena, const mus_body_shape *shape, mus_up up, mus_mesh *out) {
  size_t kind = (size_t)shape->kind; // a negative one is far beyond the last
  int z_up = up == MUS_UP_Z;
  const double size[3] = {shape->size[0], shape->size[z_up ? 2 : 1], shape->size[z_up ? 1 : 2]};
  if (kind >= sizeof solids / sizeof *solids || !solids[kind])
    return mus_fail(MUS_BAD_INPUT, "kind %d is none of a body's", (int)shape->kind);
  return solids[kind](arena, shape, size, out);
}
