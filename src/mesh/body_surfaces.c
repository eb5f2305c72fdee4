// Planes, boxes and surfaces of revolution. See body_surfaces.h.
//
// A chord of a circle of radius r that spans the angle 2 a lies r (1 - cos a) below it at most. Round surfaces are
// rings of vertices around y, zipped together from the lowest to the highest on the outside, and back again inside
// where the profile is closed.
#include "mesh/body_surfaces.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double PI = 3.141592653589793;
static const double COARSEST = 0.05; // facets never lie farther off than this part of the radius
static const double STRETCH = 3;     // rows are at most so much higher than wide
enum { ROWS_MAXIMUM = 4096, FLAT_MAXIMUM = 24, TRIANGLES_MAXIMUM = 1 << 25 };

// --- flat ------------------------------------------------------------------------------------------------------------

mus_status mus_body_plane(mus_arena *arena, double width, double depth, mus_mesh *out) {
  static const int triangles[6] = {0, 1, 2, 0, 2, 3};
  mus_status status = mus_mesh_create(arena, 4, 2, 0, out);
  if (status)
    return status;
  memcpy(out->triangle, triangles, sizeof triangles);
  for (int v = 0; v < 4; ++v) {
    double *x = out->position + 3 * v;
    x[0] = (v < 2 ? -0.5 : 0.5) * width;
    x[1] = 0;
    x[2] = (v == 0 || v == 3 ? -0.5 : 0.5) * depth;
  }
  return MUS_OK;
}

// Vertex v lies at the high end along axis c when bit c of v is set.
mus_status mus_body_box(mus_arena *arena, const double size[3], mus_mesh *out) {
  mus_status status = mus_mesh_create(arena, 8, 12, 0, out);
  if (status)
    return status;
  for (int i = 0; i < 24; ++i)
    out->position[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * size[i % 3];
  int *triangle = out->triangle;
  for (int axis = 0; axis < 3; ++axis)
    for (int high = 0; high < 2; ++high, triangle += 6) {
      // The next two axes turn counter-clockwise around this one, seen from its high end.
      int a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3, corner = high << axis;
      int first = corner | (high ? a : b), last = corner | (high ? b : a);
      int face[6] = {corner, first, corner | a | b, corner, corner | a | b, last};
      memcpy(triangle, face, sizeof face);
    }
  return MUS_OK;
}

// --- rings -----------------------------------------------------------------------------------------------------------

// A circle around y of `count` vertices, counter-clockwise seen from above; 1 vertex is a pole.
typedef struct solid_ring {
  double radius, height;
  int count;
} solid_ring;

// Half the angle, radians, that a chord may span.
static double half_step(double radius, double facet) { return acos(1 - fmin(facet / radius, COARSEST)); }

static int facets_around(double radius, double facet) { return (int)ceil(PI / half_step(radius, facet)); }

// Rows for a length of surface whose vertices are `edge` apart.
static int rows_along(double length, double edge) {
  return (int)fmin(fmax(ceil(length / (STRETCH * edge)), 1), ROWS_MAXIMUM);
}

static int *add_triangle(int *triangle, int a, int b, int c) {
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
  return triangle + 3;
}

// The band between two rings of p and q vertices that begin with vertices a and b: of the two next vertices the one
// that comes first around the axis makes the next triangle; of two that come together, the coarser ring's, which makes
// the shorter diagonal.
static int *zip(int a, int p, int b, int q, int *triangle) {
  for (int i = 0, j = 0; i < p || j < q;) {
    long long ahead = (long long)(j + 1) * p - (long long)(i + 1) * q; // of the other ring
    int along_first = j == q || (i < p && (ahead > 0 || (ahead == 0 && p <= q)));
    if (along_first) {
      if (p > 1)
        triangle = add_triangle(triangle, a + i, a + (i + 1) % p, b + j % q);
      ++i;
    } else {
      if (q > 1)
        triangle = add_triangle(triangle, a + i % p, b + (j + 1) % q, b + j);
      ++j;
    }
  }
  return triangle;
}

static int band_triangles(const solid_ring *a, const solid_ring *b) {
  return (a->count > 1 ? a->count : 0) + (b->count > 1 ? b->count : 0);
}

static void place_ring(const solid_ring *r, double *position) {
  for (int k = 0; k < r->count; ++k, position += 3) {
    double angle = 2 * PI * k / r->count;
    position[0] = r->radius * cos(angle);
    position[1] = r->height;
    position[2] = -r->radius * sin(angle);
  }
}

// The surface through the rings; a closed one goes on from the last to the first.
static mus_status turn(mus_arena *arena, int rings, const solid_ring *ring, int closed, mus_mesh *out) {
  long long vertices = 0, triangles = 0;
  for (int k = 0; k < rings; ++k) {
    vertices += ring[k].count;
    if (k + 1 < rings || closed)
      triangles += band_triangles(&ring[k], &ring[(k + 1) % rings]);
  }
  if (triangles > TRIANGLES_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "its surface would have %lld triangles: raise \"facet\"", triangles);
  mus_status status = mus_mesh_create(arena, vertices, triangles, 0, out);
  if (status)
    return status;
  int first = 0, *triangle = out->triangle;
  for (int k = 0; k < rings; ++k) {
    place_ring(&ring[k], out->position + 3 * (size_t)first);
    int next = first + ring[k].count;
    if (k + 1 < rings)
      triangle = zip(first, ring[k].count, next, ring[k + 1].count, triangle);
    else if (closed)
      zip(first, ring[k].count, 0, ring[0].count, triangle);
    first = next;
  }
  return MUS_OK;
}

// --- capsules --------------------------------------------------------------------------------------------------------

mus_status mus_body_capsule(mus_arena *arena, double radius, double length, double facet, mus_mesh *out) {
  // The edges of the widest facets are about a quarter circle / steps = 1.57 radius / steps long, and their
  // circumcircles reach edge / sqrt(3) = 0.91 radius / steps far where they are equilateral. They are not quite.
  int steps = (int)ceil(1.13 / half_step(radius, facet));
  steps = steps < 2 ? 2 : steps;
  int rows = length > 0 ? rows_along(length, 2 * PI * radius / (6 * (double)steps)) : 0;
  int rings = 2 * steps + 1 + rows;
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)rings, sizeof *ring);
  mus_status status = ring ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < rings && !status; ++k) {
    int below = k < steps ? k : steps, above = rings - 1 - k < steps ? rings - 1 - k : steps;
    int from_pole = below < above ? below : above; // `steps` on the cylinder
    double angle = 0.5 * PI * from_pole / steps, sign = below < above ? -1 : 1;
    double row = rows > 0 ? (double)(k - steps) / rows : 0;
    ring[k].count = from_pole > 0 ? 6 * from_pole : 1;
    ring[k].radius = from_pole < steps ? radius * sin(angle) : radius;
    ring[k].height =
        from_pole < steps ? sign * (0.5 * length + radius * cos(angle)) : length * (fmin(fmax(row, 0), 1) - 0.5);
  }
  if (!status)
    status = turn(arena, rings, ring, 0, out);
  mus_arena_clear(&scratch);
  return status;
}

// --- boxes with holes ------------------------------------------------------------------------------------------------

// The box's outline in the x-z plane, counter-clockwise seen from above, by rays from the middle at angles that are
// even between its corners: `count` of them along each of the sides x = width / 2, z = -depth / 2 and their opposites.
static void outline(double width, double depth, const int count[2], double *point) {
  double corner = atan2(depth, width);
  for (int side = 0; side < 4; ++side) {
    double reach = 0.5 * (side % 2 == 0 ? width : depth), across = 0.5 * (side % 2 == 0 ? depth : width);
    double half = side % 2 == 0 ? corner : 0.5 * PI - corner, sign = side < 2 ? 1 : -1;
    for (int k = 0; k < count[side % 2]; ++k, point += 2) {
      double along = k == 0 ? -across : reach * tan(half * (2.0 * k / count[side % 2] - 1));
      point[side % 2] = side % 2 == 0 ? sign * reach : -sign * reach;
      point[1 - side % 2] = -sign * along;
    }
  }
}

// Rings go up the outer wall, inwards over the top, down through the hole and outwards again below. The radius along
// each ray grows by the same factor from one ring of the top to the next, so that triangles are as wide as long.
typedef struct hole_plan {
  int around, outer, over, inner; // vertices a ring; rows of the walls and of the top
} hole_plan;

static hole_plan plan_hole(const double size[3], double radius, double facet, int count[2]) {
  double step = 2 * half_step(radius, facet), corner = atan2(size[2], size[0]);
  count[0] = (int)ceil(2 * corner / step);
  count[1] = (int)ceil((PI - 2 * corner) / step);
  hole_plan plan = {.around = 2 * (count[0] + count[1])};
  double edge = 2 * PI / plan.around, reach = 0.5 * hypot(size[0], size[2]);
  plan.inner = rows_along(size[1], edge * radius);
  plan.outer = rows_along(size[1], edge * reach);
  plan.over = rows_along(log(reach / radius), edge);
  return plan;
}

static solid_ring hole_ring(const hole_plan *plan, int k, double height) {
  // `radius` is how far out it lies, from 0 at the hole to 1 at the outer wall.
  int top = plan->outer, hole = top + plan->over, below = hole + plan->inner;
  solid_ring r = {.count = plan->around};
  r.radius = k <= top ? 1 : k <= hole ? 1 - (double)(k - top) / plan->over : fmax((double)(k - below) / plan->over, 0);
  r.height = k <= top    ? (double)k / plan->outer - 0.5
             : k <= hole ? 0.5
                         : 0.5 - fmin((double)(k - hole) / plan->inner, 1);
  r.height *= height;
  return r;
}

mus_status mus_body_box_with_hole(mus_arena *arena, const double size[3], double radius, double facet, mus_mesh *out) {
  if (!(2 * radius < fmin(size[0], size[2])))
    return mus_fail(MUS_BAD_INPUT, "a hole of radius %g m leaves no wall in a box of %g m x %g m: make it narrower",
                    radius, size[0], size[2]);
  int count[2];
  hole_plan plan = plan_hole(size, radius, facet, count);
  int rings = plan.outer + plan.inner + 2 * plan.over;
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)rings, sizeof *ring);
  double *point = mus_arena_alloc(&scratch, 2 * (size_t)plan.around, sizeof *point);
  mus_status status = ring && point ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < rings && !status; ++k)
    ring[k] = hole_ring(&plan, k, size[1]);
  if (!status)
    status = turn(arena, rings, ring, 1, out);
  if (!status)
    outline(size[0], size[2], count, point);
  for (int i = 0; !status && i < out->vertices; ++i) {
    const double *p = point + 2 * (size_t)(i % plan.around);
    double outward = ring[i / plan.around].radius, inner = radius / hypot(p[0], p[1]);
    double part = outward < 1 ? pow(inner, 1 - outward) : 1;
    out->position[3 * (size_t)i] = part * p[0];
    out->position[3 * (size_t)i + 2] = part * p[1];
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- funnels ---------------------------------------------------------------------------------------------------------

// Rings at even distances on a line of the profile, both ends included.
static solid_ring *add_line(solid_ring *next, const double from[2], const double to[2], int rows, double facet) {
  for (int k = 0; k <= rows; ++k, ++next) {
    double part = (double)k / rows;
    next->radius = from[0] + part * (to[0] - from[0]);
    next->height = from[1] + part * (to[1] - from[1]);
    next->count = facets_around(next->radius, facet);
  }
  return next;
}

// Rings on half a circle of the profile, counter-clockwise, its ends left out.
static solid_ring *add_lip(solid_ring *next, const double from[2], const double to[2], int steps, double facet) {
  double middle[2] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])};
  double arm[2] = {from[0] - middle[0], from[1] - middle[1]};
  for (int k = 1; k < steps; ++k, ++next) {
    double c = cos(PI * k / steps), s = sin(PI * k / steps);
    next->radius = middle[0] + c * arm[0] - s * arm[1];
    next->height = middle[1] + s * arm[0] + c * arm[1];
    next->count = facets_around(next->radius, facet);
  }
  return next;
}

mus_status mus_body_funnel(mus_arena *arena, double low, double high, double height, double wall, double facet,
                           mus_mesh *out) {
  facet *= 0.5; // both curvatures of a lip add up
  double thick = fmin(wall, 2 * fmin(low, high)), slant = hypot(high - low, height);
  double out_of_wall[2] = {thick * height / slant, -thick * (high - low) / slant};
  double bottom[2] = {low, -0.5 * height}, top[2] = {high, 0.5 * height};
  double outer_bottom[2] = {bottom[0] + out_of_wall[0], bottom[1] + out_of_wall[1]};
  double outer_top[2] = {top[0] + out_of_wall[0], top[1] + out_of_wall[1]};
  double wide = fmax(low, high);
  int rows = rows_along(slant, 2 * PI * wide / facets_around(wide, facet));
  int steps = facets_around(0.5 * thick, facet) / 2 + 1;
  int rings = 2 * (rows + 1) + 2 * (steps - 1);
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)rings, sizeof *ring);
  mus_status status = ring ? MUS_OK : mus_fail_memory();
  if (!status) {
    solid_ring *next = add_line(ring, outer_bottom, outer_top, rows, facet);
    next = add_lip(next, outer_top, top, steps, facet);
    next = add_line(next, top, bottom, rows, facet);
    add_lip(next, bottom, outer_bottom, steps, facet);
    status = turn(arena, rings, ring, 1, out);
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- cylinders and cones ---------------------------------------------------------------------------------------------

// Rings of a flat end, from its middle outwards or back, the outermost left out.
static solid_ring *add_end(solid_ring *next, double radius, double height, int steps, int inwards) {
  for (int k = 0; k < steps; ++k, ++next) {
    int from_middle = inwards ? steps - 1 - k : k;
    next->radius = radius * from_middle / steps;
    next->height = height;
    next->count = from_middle > 0 ? 6 * from_middle : 1;
  }
  return next;
}

mus_status mus_body_cylinder(mus_arena *arena, double radius, double length, double facet, mus_mesh *out) {
  int steps = (int)ceil(PI / (6 * half_step(radius, facet)));
  int rows = rows_along(length, 2 * PI * radius / (6 * (double)steps)), rings = 2 * steps + rows + 1;
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)rings, sizeof *ring);
  mus_status status = ring ? MUS_OK : mus_fail_memory();
  if (!status) {
    solid_ring *next = add_end(ring, radius, -0.5 * length, steps, 0);
    for (int k = 0; k <= rows; ++k)
      *next++ = (solid_ring){radius, length * ((double)k / rows - 0.5), 6 * steps};
    add_end(next, radius, 0.5 * length, steps, 1);
    status = turn(arena, rings, ring, 0, out);
  }
  mus_arena_clear(&scratch);
  return status;
}

// Rings of a cone's side from its foot up, with rows that become lower as facets become narrower. Returns how many;
// `ring` may be NULL. The last is the tip.
static int cone_side(double radius, double length, double facet, solid_ring *ring) {
  double slant = hypot(radius, length), at = radius;
  int count = 0;
  while (at > 0 && count < ROWS_MAXIMUM) {
    int around = facets_around(at, facet);
    double down = 0.5 * STRETCH * (2 * PI * at / around) * radius / slant; // of the radius, in a row
    if (ring)
      ring[count] = (solid_ring){at, length * (0.5 - at / radius), around};
    ++count;
    at = at > 1.5 * down && at > 1e-3 * radius ? at - down : 0;
  }
  if (ring)
    ring[count] = (solid_ring){0, 0.5 * length, 1};
  return count + 1;
}

mus_status mus_body_cone(mus_arena *arena, double radius, double length, double facet, mus_mesh *out) {
  facet *= 0.5; // rings of different numbers of vertices are zipped together
  int steps = (int)ceil(PI / (6 * half_step(radius, facet))), side = cone_side(radius, length, facet, NULL);
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)(steps + side), sizeof *ring);
  mus_status status = ring ? MUS_OK : mus_fail_memory();
  if (!status) {
    solid_ring *next = add_end(ring, radius, -0.5 * length, steps, 0);
    cone_side(radius, length, facet, next);
    status = turn(arena, steps + side, ring, 0, out);
  }
  mus_arena_clear(&scratch);
  return status;
}

// --- tori ------------------------------------------------------------------------------------------------------------

mus_status mus_body_torus(mus_arena *arena, double radius, double tube, double facet, mus_mesh *out) {
  if (!(tube < radius))
    return mus_fail(MUS_BAD_INPUT,
                    "a tube of radius %g m leaves no hole in a ring of radius %g m: make \"tube\" thinner", tube,
                    radius);
  facet *= 0.5; // both curvatures add up
  int rings = facets_around(tube, facet);
  // Rows of different lengths would make needles where the ring is narrow.
  int across = (int)ceil(2 * PI * radius / (STRETCH * 2 * PI * tube / rings));
  mus_arena scratch = {0};
  solid_ring *ring = mus_arena_alloc(&scratch, (size_t)rings, sizeof *ring);
  mus_status status = ring ? MUS_OK : mus_fail_memory();
  for (int k = 0; k < rings && !status; ++k) {
    double angle = 2 * PI * k / rings - 0.5 * PI, at = radius + tube * cos(angle);
    int around = facets_around(at, facet);
    ring[k] = (solid_ring){at, tube * sin(angle), around > across ? around : across};
  }
  if (!status)
    status = turn(arena, rings, ring, 1, out);
  mus_arena_clear(&scratch);
  return status;
}

// --- rounded boxes ---------------------------------------------------------------------------------------------------

// A box is the sum of a smaller one and a ball. Its vertices lie on a lattice around it, with as many planes along each
// axis as its round edges and its flat sides need: `corner` steps for a quarter of each round, then those of the side.
typedef struct rounded_plan {
  double half[3]; // m, of the box inside
  double radius;
  int corner, flat[3], planes[3];
} rounded_plan;

// The place on the inner box, and the direction outwards before it has unit length, of the i-th plane along an axis.
static double rounded_part(const rounded_plan *p, int axis, int i, double *inside) {
  int low = p->corner, high = p->corner + p->flat[axis];
  *inside = i <= low    ? -p->half[axis]
            : i >= high ? p->half[axis]
                        : p->half[axis] * (2.0 * (i - low) / p->flat[axis] - 1);
  double part = i < low ? (double)(i - low) / p->corner : i > high ? (double)(i - high) / p->corner : 0;
  return tan(0.25 * PI * part);
}

static void place_rounded(const rounded_plan *p, const int at[3], double *position) {
  double inside[3], outward[3], square = 0;
  for (int c = 0; c < 3; ++c) {
    outward[c] = rounded_part(p, c, at[c], &inside[c]);
    square += outward[c] * outward[c];
  }
  for (int c = 0; c < 3; ++c)
    position[c] = inside[c] + p->radius * outward[c] / sqrt(square);
}

// Numbers the lattice's outer vertices: those of the planes at the ends of the first axis, and rings between them.
static int rounded_number(const rounded_plan *p, const int at[3]) {
  int n = p->planes[0], m = p->planes[1], l = p->planes[2], ring = 2 * (m + l);
  int face = (m + 1) * (l + 1);
  if (at[0] == 0 || at[0] == n)
    return (at[0] == 0 ? 0 : face) + at[1] * (l + 1) + at[2];
  int around = at[2] == 0 ? at[1] : at[1] == m ? m + at[2] : at[2] == l ? m + l + (m - at[1]) : 2 * m + l + (l - at[2]);
  return 2 * face + (at[0] - 1) * ring + around;
}

// The quads of the side at the high or low end of an axis.
static int *add_side(const rounded_plan *p, int axis, int high, int *triangle) {
  int a = (axis + 1) % 3, b = (axis + 2) % 3, at[3];
  at[axis] = high ? p->planes[axis] : 0;
  for (int i = 0; i < p->planes[a]; ++i)
    for (int j = 0; j < p->planes[b]; ++j) {
      int corner[4];
      for (int k = 0; k < 4; ++k) { // counter-clockwise seen from the high end
        at[a] = i + (k == 1 || k == 2);
        at[b] = j + (k >= 2);
        corner[high ? k : 3 - k] = rounded_number(p, at);
      }
      // The diagonal that points to the corner of the box keeps triangles there alike.
      int turned = (2 * i < p->planes[a]) != (2 * j < p->planes[b]);
      triangle = add_triangle(triangle, corner[0 + turned], corner[1 + turned], corner[2 + turned]);
      triangle = add_triangle(triangle, corner[0 + turned], corner[2 + turned], corner[(3 + turned) % 4]);
    }
  return triangle;
}

static mus_status plan_rounded(const double size[3], double radius, double facet, rounded_plan *p) {
  *p = (rounded_plan){.radius = radius, .corner = (int)ceil(0.25 * PI / half_step(radius, facet))};
  for (int c = 0; c < 3; ++c) {
    p->half[c] = 0.5 * size[c] - radius;
    if (!(p->half[c] > 0))
      return mus_fail(MUS_BAD_INPUT,
                      "edges of radius %g m leave nothing flat of a box of %g m x %g m x %g m: make "
                      "\"radius\" smaller",
                      radius, size[0], size[1], size[2]);
    // Rows beside the round edges are so long that they are no needles yet, unless that would take too many.
    p->flat[c] = rows_along(2 * p->half[c], STRETCH * 0.25 * PI * radius / p->corner);
    p->flat[c] = p->flat[c] < FLAT_MAXIMUM ? p->flat[c] : FLAT_MAXIMUM;
    p->planes[c] = 2 * p->corner + p->flat[c];
  }
  return MUS_OK;
}

mus_status mus_body_rounded_box(mus_arena *arena, const double size[3], double radius, double facet, mus_mesh *out) {
  rounded_plan p;
  mus_status status = plan_rounded(size, radius, facet, &p);
  if (status)
    return status;
  long long n = p.planes[0], m = p.planes[1], l = p.planes[2], triangles = 4 * (n * m + m * l + l * n);
  if (triangles > TRIANGLES_MAXIMUM)
    return mus_fail(MUS_BAD_INPUT, "its surface would have %lld triangles: raise \"facet\"", triangles);
  status = mus_mesh_create(arena, 2 + triangles / 2, triangles, 0, out);
  if (status)
    return status;
  int at[3], *triangle = out->triangle;
  for (at[0] = 0; at[0] <= n; ++at[0])
    for (at[1] = 0; at[1] <= m; ++at[1])
      for (at[2] = 0; at[2] <= l; ++at[2])
        if (at[0] == 0 || at[0] == n || at[1] == 0 || at[1] == m || at[2] == 0 || at[2] == l)
          place_rounded(&p, at, out->position + 3 * (size_t)rounded_number(&p, at));
  for (int side = 0; side < 6; ++side)
    triangle = add_side(&p, side / 2, side % 2, triangle);
  return MUS_OK;
}
