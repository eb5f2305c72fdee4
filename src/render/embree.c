// Rays against triangles by Embree. See embree.h.
#include "render/embree.h"

#include "base/error.h"

#ifdef MUSLIN_EMBREE

#include <string.h>

#include "base/memory.h"

#if MUSLIN_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

struct mus_tracer {
  RTCDevice device;
  RTCScene scene;
  RTCGeometry *geometry;
  int meshes;
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *mus_tracer_version(void) {
  return "Embree " TEXT(RTC_VERSION_MAJOR) "." TEXT(RTC_VERSION_MINOR) "." TEXT(RTC_VERSION_PATCH);
}

// Embree keeps the first error since the last time that it was asked.
static mus_status status_of(RTCDevice device, const char *doing) {
  switch (rtcGetDeviceError(device)) {
  case RTC_ERROR_NONE:
    return MUS_OK;
  case RTC_ERROR_OUT_OF_MEMORY:
    return mus_fail_memory();
  case RTC_ERROR_UNSUPPORTED_CPU:
    return mus_fail(MUS_UNSUPPORTED, "pictures need a processor that Embree supports (SSE2 or better)");
  default:
    return mus_fail(MUS_BREAKDOWN, "Embree failed while %s", doing);
  }
}

static mus_status add_mesh(mus_tracer *tracer, int index, const mus_tracer_mesh *mesh) {
  RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  if (!geometry)
    return status_of(tracer->device, "adding a mesh");
  tracer->geometry[index] = geometry;
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->position, 0,
                             3 * sizeof(float), (size_t)mesh->vertices);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangle, 0, 3 * sizeof(int),
                             (size_t)mesh->triangles);
  rtcAttachGeometryByID(tracer->scene, geometry, (unsigned)index);
  return status_of(tracer->device, "adding a mesh");
}

mus_status mus_tracer_create(int meshes, const mus_tracer_mesh *mesh, mus_tracer **out) {
  *out = NULL;
  mus_tracer *tracer = mus_alloc_zero(1, sizeof *tracer);
  if (!tracer)
    return mus_fail_memory();
  tracer->meshes = meshes;
  tracer->geometry = mus_alloc_zero((size_t)meshes, sizeof(RTCGeometry));
  if (!tracer->geometry) {
    mus_tracer_free(tracer);
    return mus_fail_memory();
  }
  // One thread: the threads of Embree's own would not heed mus_par_set_threads().
  tracer->device = rtcNewDevice("threads=1");
  mus_status status = status_of(tracer->device, "starting");
  if (!status) {
    tracer->scene = rtcNewScene(tracer->device);
    status = status_of(tracer->device, "creating a scene");
  }
  if (!status)
    rtcSetSceneFlags(tracer->scene, RTC_SCENE_FLAG_ROBUST);
  for (int i = 0; i < meshes && !status; ++i)
    status = add_mesh(tracer, i, &mesh[i]);
  if (status) {
    mus_tracer_free(tracer);
    return status;
  }
  *out = tracer;
  return MUS_OK;
}

mus_status mus_tracer_commit(mus_tracer *tracer) {
  for (int i = 0; i < tracer->meshes; ++i) {
    rtcUpdateGeometryBuffer(tracer->geometry[i], RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(tracer->geometry[i]);
  }
  rtcCommitScene(tracer->scene);
  return status_of(tracer->device, "building the tree");
}

void mus_tracer_free(mus_tracer *tracer) {
  if (!tracer)
    return;
  for (int i = 0; i < tracer->meshes && tracer->geometry; ++i)
    if (tracer->geometry[i])
      rtcReleaseGeometry(tracer->geometry[i]);
  if (tracer->scene)
    rtcReleaseScene(tracer->scene);
  if (tracer->device)
    rtcReleaseDevice(tracer->device);
  mus_free(tracer->geometry);
  mus_free(tracer);
}

// Both structures hold the rays by entries in this order.
_Static_assert(sizeof(((struct RTCRay8 *)0)->org_x) == sizeof(((mus_rays *)0)->origin_x), "packets of the same size");

static void fill_rays(const mus_rays *from, struct RTCRay8 *to) {
  memcpy(to->org_x, from->origin_x, sizeof to->org_x);
  memcpy(to->org_y, from->origin_y, sizeof to->org_y);
  memcpy(to->org_z, from->origin_z, sizeof to->org_z);
  memcpy(to->dir_x, from->direction_x, sizeof to->dir_x);
  memcpy(to->dir_y, from->direction_y, sizeof to->dir_y);
  memcpy(to->dir_z, from->direction_z, sizeof to->dir_z);
  memcpy(to->tnear, from->near, sizeof to->tnear);
  memcpy(to->tfar, from->far, sizeof to->tfar);
  for (int i = 0; i < MUS_RAYS; ++i) {
    to->time[i] = 0;
    to->mask[i] = ~0u;
    to->id[i] = (unsigned)i;
    to->flags[i] = 0;
  }
}

// The version-dependent half of a query: how it is told that rays are coherent, and in which order it takes arguments.
#if MUSLIN_EMBREE >= 4
static void intersect(RTCScene scene, int coherent, const int *active, struct RTCRayHit8 *rays) {
  struct RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcIntersect8(active, scene, rays, &arguments);
}

static void occlude(RTCScene scene, int coherent, const int *active, struct RTCRay8 *rays) {
  struct RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcOccluded8(active, scene, rays, &arguments);
}
#else
static struct RTCIntersectContext context_for(int coherent) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  return context;
}

static void intersect(RTCScene scene, int coherent, const int *active, struct RTCRayHit8 *rays) {
  struct RTCIntersectContext context = context_for(coherent);
  rtcIntersect8(active, scene, &context, rays);
}

static void occlude(RTCScene scene, int coherent, const int *active, struct RTCRay8 *rays) {
  struct RTCIntersectContext context = context_for(coherent);
  rtcOccluded8(active, scene, &context, rays);
}
#endif

void mus_tracer_closest(const mus_tracer *tracer, int coherent, const mus_rays *rays, mus_hits *hits) {
  struct RTCRayHit8 packet;
  fill_rays(rays, &packet.ray);
  for (int i = 0; i < MUS_RAYS; ++i) {
    packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
    packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  intersect(tracer->scene, coherent, rays->active, &packet);
  for (int i = 0; i < MUS_RAYS; ++i) {
    int hit = rays->active[i] && packet.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
    hits->mesh[i] = hit ? (int)packet.hit.geomID[i] : -1;
    hits->triangle[i] = hit ? (int)packet.hit.primID[i] : -1;
    hits->distance[i] = hit ? packet.ray.tfar[i] : rays->far[i];
    hits->u[i] = hit ? packet.hit.u[i] : 0;
    hits->v[i] = hit ? packet.hit.v[i] : 0;
  }
}

unsigned mus_tracer_occluded(const mus_tracer *tracer, int coherent, const mus_rays *rays) {
  struct RTCRay8 packet;
  fill_rays(rays, &packet);
  occlude(tracer->scene, coherent, rays->active, &packet);
  unsigned mask = 0;
  for (int i = 0; i < MUS_RAYS; ++i)
    if (rays->active[i] && packet.tfar[i] < 0) // Embree's mark of a ray that met something: -infinity
      mask |= 1u << i;
  return mask;
}

#else

static mus_status unsupported(void) {
  return mus_fail(MUS_UNSUPPORTED, "this build draws no pictures: install Embree (libembree-dev) and build again");
}

mus_status mus_tracer_create(int meshes, const mus_tracer_mesh *mesh, mus_tracer **out) {
  (void)meshes, (void)mesh;
  *out = 0;
  return unsupported();
}

mus_status mus_tracer_commit(mus_tracer *tracer) {
  (void)tracer;
  return unsupported();
}

void mus_tracer_free(mus_tracer *tracer) { (void)tracer; }

void mus_tracer_closest(const mus_tracer *tracer, int coherent, const mus_rays *rays, mus_hits *hits) {
  (void)tracer, (void)coherent, (void)rays;
  for (int i = 0; i < MUS_RAYS; ++i)
    hits->mesh[i] = -1;
}

unsigned mus_tracer_occluded(const mus_tracer *tracer, int coherent, const mus_rays *rays) {
  (void)tracer, (void)coherent, (void)rays;
  return 0;
}

const char *mus_tracer_version(void) { return ""; }

#endif
