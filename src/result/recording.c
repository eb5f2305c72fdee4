// Recordings. See muslin/recording.h.
#include "muslin/recording.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "energy/heat.h"
#include "io/result_reader.h"

// Meshes one after the other.
typedef struct joined {
  int meshes, *first_vertex; // meshes + 1
  int vertices, triangles, *triangle;
} joined;

struct mus_recording {
  mus_arena arena;
  mus_result result;
  joined parts, bodies;
  mus_heat_plan *plan;     // parts; those of cloths are made
  double *position;        // vertices * 3: workspace
  int residuals, stresses; // 1: there are some
};

static const mus_mesh *mesh_of(const mus_recording *r, int bodies, int k) {
  return bodies ? &r->result.bodies[k].mesh : &r->result.parts[k].mesh;
}

static mus_status join(mus_recording *r, int bodies, joined *all) {
  long long vertices = 0, triangles = 0;
  all->meshes = bodies ? r->result.body_count : r->result.part_count;
  all->first_vertex = mus_arena_alloc(&r->arena, (size_t)all->meshes + 1, sizeof *all->first_vertex);
  if (!all->first_vertex)
    return mus_fail_memory();
  for (int k = 0; k <= all->meshes; ++k) {
    if (vertices > MUS_MESH_MAXIMUM || triangles > MUS_MESH_MAXIMUM)
      return mus_fail(MUS_BAD_INPUT, "more than %d vertices or triangles in all", (int)MUS_MESH_MAXIMUM);
    all->first_vertex[k] = (int)vertices;
    vertices += k < all->meshes ? mesh_of(r, bodies, k)->vertices : 0;
    triangles += k < all->meshes ? mesh_of(r, bodies, k)->triangles : 0;
  }
  all->vertices = (int)vertices;
  all->triangles = (int)triangles;
  int *to = all->triangle = mus_arena_alloc(&r->arena, 3 * (size_t)triangles, sizeof *all->triangle);
  if (!to)
    return mus_fail_memory();
  for (int k = 0; k < all->meshes; ++k)
    for (size_t i = 0; i < 3 * (size_t)mesh_of(r, bodies, k)->triangles; ++i)
      *to++ = all->first_vertex[k] + mesh_of(r, bodies, k)->triangle[i];
  return MUS_OK;
}

static mus_status prepare(mus_recording *r) {
  mus_status status = join(r, 0, &r->parts);
  if (!status)
    status = join(r, 1, &r->bodies);
  if (status)
    return status;
  r->plan = mus_arena_alloc_zero(&r->arena, (size_t)r->parts.meshes, sizeof *r->plan);
  r->position = mus_arena_alloc(&r->arena, 3 * (size_t)r->parts.vertices, sizeof *r->position);
  if (!r->plan || !r->position)
    return mus_fail_memory();
  for (int k = 0; k < r->parts.meshes && !status; ++k)
    if (!r->result.parts[k].is_solid)
      status = mus_heat_plan_create(&r->arena, &r->result.parts[k].mesh, &r->plan[k]);
  if (status)
    return status;
  status = mus_result_open_residuals(&r->result);
  r->residuals = status == MUS_OK; // most runs keep none
  if (status == MUS_OUT_OF_MEMORY)
    return status;
  status = mus_result_open_stresses(&r->result);
  r->stresses = status == MUS_OK;
  return status == MUS_OUT_OF_MEMORY ? status : MUS_OK;
}

mus_status mus_recording_open(const char *path, mus_recording **out) {
  mus_recording *r = mus_alloc_zero(1, sizeof *r);
  if (!r)
    return mus_fail_memory();
  mus_status status = mus_result_open(path, NULL, &r->result);
  if (status) {
    mus_free(r);
    return status;
  }
  status = prepare(r);
  if (status)
    mus_recording_close(r);
  else
    *out = r;
  return status;
}

void mus_recording_close(mus_recording *r) {
  if (!r)
    return;
  mus_result_close(&r->result);
  mus_arena_clear(&r->arena);
  mus_free(r);
}

int mus_recording_frames(const mus_recording *r) { return r->result.frames; }
int mus_recording_planned(const mus_recording *r) { return r->result.planned; }
mus_status mus_recording_refresh(mus_recording *r) { return mus_result_refresh(&r->result); }
mus_up mus_recording_up(const mus_recording *r) { return r->result.up; }

double mus_recording_rate(const mus_recording *r) { return r->result.frame_rate; }
int mus_recording_vertices(const mus_recording *r) { return r->parts.vertices; }
int mus_recording_triangles(const mus_recording *r) { return r->parts.triangles; }
const int *mus_recording_triangle_list(const mus_recording *r) { return r->parts.triangle; }
int mus_recording_parts(const mus_recording *r) { return r->parts.meshes; }
int mus_recording_first_vertex(const mus_recording *r, int part) { return r->parts.first_vertex[part]; }
const char *mus_recording_part_name(const mus_recording *r, int part) { return r->result.parts[part].name; }
int mus_recording_is_solid(const mus_recording *r, int part) { return r->result.parts[part].is_solid; }

int mus_recording_cloths(const mus_recording *r) {
  int count = 0;
  while (count < r->parts.meshes && !r->result.parts[count].is_solid)
    ++count;
  return count;
}

const char *mus_recording_cloth_name(const mus_recording *r, int cloth) { return r->result.parts[cloth].name; }

const char *mus_recording_cloth_fabric(const mus_recording *r, int cloth) {
  return r->result.parts[cloth].fabric ? r->result.parts[cloth].fabric : "cotton";
}

int mus_recording_bodies(const mus_recording *r) { return r->bodies.meshes; }
int mus_recording_first_body_vertex(const mus_recording *r, int body) { return r->bodies.first_vertex[body]; }
int mus_recording_body_vertices(const mus_recording *r) { return r->bodies.vertices; }
int mus_recording_body_triangles(const mus_recording *r) { return r->bodies.triangles; }
const int *mus_recording_body_triangle_list(const mus_recording *r) { return r->bodies.triangle; }

static mus_status check_frame(const mus_recording *r, int frame) {
  return frame >= 0 && frame < r->result.frames
             ? MUS_OK
             : mus_fail(MUS_BAD_INPUT, "frame %d is outside 0...%d", frame, r->result.frames - 1);
}

mus_status mus_recording_positions(mus_recording *r, int frame, double *position) {
  mus_status status = check_frame(r, frame);
  for (int k = 0; k < r->parts.meshes && !status; ++k)
    status = mus_result_positions(&r->result, k, frame, position + 3 * (size_t)r->parts.first_vertex[k]);
  return status;
}

mus_status mus_recording_body_positions(mus_recording *r, int frame, double *position) {
  mus_status status = check_frame(r, frame);
  for (int k = 0; k < r->bodies.meshes && !status; ++k)
    status = mus_result_body_positions(&r->result, k, frame, position + 3 * (size_t)r->bodies.first_vertex[k]);
  return status;
}

// Fields that a solid's stresses tell.
static int component_of(mus_field field) {
  return field == MUS_FIELD_STRESS   ? MUS_STRESS_MISES
         : field == MUS_FIELD_VOLUME ? MUS_STRESS_VOLUME
                                     : MUS_STRESS_STRAIN;
}

int mus_recording_has_field(const mus_recording *r, mus_field field) {
  switch (field) {
  case MUS_FIELD_STRETCH:
    return mus_recording_cloths(r) > 0 || r->stresses;
  case MUS_FIELD_BEND:
    return mus_recording_cloths(r) > 0;
  case MUS_FIELD_RESIDUAL:
    return r->residuals;
  case MUS_FIELD_STRESS:
  case MUS_FIELD_VOLUME:
    return r->stresses;
  default:
    return 0;
  }
}

// From what is recorded of the part: residuals, stresses, or positions.
static mus_status fill_field(mus_recording *r, mus_field field, int frame, int part, double *value) {
  const mus_result_part *of = &r->result.parts[part];
  double *numbers = r->position + 3 * (size_t)r->parts.first_vertex[part];
  size_t vertices = (size_t)of->mesh.vertices;
  mus_status status = MUS_OK;
  if (field == MUS_FIELD_RESIDUAL) {
    status = mus_result_residuals(&r->result, part, frame, numbers);
    if (!status)
      mus_heat_length(of->mesh.vertices, numbers, value);
  } else if (of->is_solid || field == MUS_FIELD_STRESS || field == MUS_FIELD_VOLUME) {
    status = mus_result_stresses(&r->result, part, frame, numbers);
    for (size_t v = 0; v < vertices && !status; ++v)
      value[v] = field == MUS_FIELD_BEND ? (double)NAN : numbers[3 * v + (size_t)component_of(field)];
  } else {
    status = mus_result_positions(&r->result, part, frame, numbers);
    if (!status)
      (field == MUS_FIELD_STRETCH ? mus_heat_stretch : mus_heat_bend)(&r->plan[part], numbers, value);
  }
  return status;
}

mus_status mus_recording_field(mus_recording *r, mus_field field, int frame, double *value) {
  if (!mus_recording_has_field(r, field))
    return mus_fail(MUS_UNSUPPORTED, "the recording has no %s: residuals are recorded by muslin run --residual",
                    mus_field_name(field) ? mus_field_name(field) : "such field");
  mus_status status = check_frame(r, frame);
  for (int k = 0; k < r->parts.meshes && !status; ++k)
    status = fill_field(r, field, frame, k, value + r->parts.first_vertex[k]);
  return status;
}
