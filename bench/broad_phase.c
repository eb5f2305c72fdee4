// Measures collision detection on a pleated sheet: boxes fitted to its motion and all pairs of triangles whose boxes
// meet, by the tree of src/collide and by Embree's rtcCollide() on the same boxes with refitting; then the detector's
// own answers, which add the features' tests.
//
// The machine may be shared and noisy, so all measurements are taken in turn, many times over; what is shown are
// medians.
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/timer.h"
#include "cli/options.h"
#include "collide/detector.h"
#include "collide/tree.h"
#include "mesh/mesh.h"
#include "par/par.h"

#ifdef MUSLIN_EMBREE
#if MUSLIN_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#endif

static const double edge = 0.005;      // m
static const double pleat = 0.1;       // m, from fold to fold
static const double layer = 0.0015;    // m, from layer to layer
static const double thickness = 0.001; // m
static const double speed = 0.002;     // m a step, at most
static const double separation = 0.25; // of the gap

enum { REPEATS_MAXIMUM = 1001 };

typedef enum measure { FIT, WALK, EMBREE_FIT, EMBREE_WALK, IMPACTS, FEW_IMPACTS, NEAR, CROSSINGS, MEASURES } measure;
static const char *const names[MEASURES] = {"fit boxes", "find pairs",       "fit boxes, Embree", "find pairs, Embree",
                                            "impacts",   "impacts of 1/100", "near (1.25 gaps)",  "crossings"};

typedef struct options {
  int side, threads, repeats;
} options;

typedef struct workload {
  mus_arena arena;
  mus_surface surface;
  double *x0, *x1;
  unsigned char *few;
  mus_detector *detector;
  mus_box *vertex_box;
  mus_tree tree;
  mus_tree_task *task;
  atomic_llong pairs;
  long long found[MEASURES];
#ifdef MUSLIN_EMBREE
  RTCDevice device;
  RTCScene scene;
  RTCGeometry geometry;
#endif
} workload;

static int fails(mus_status status) {
  if (status)
    fprintf(stderr, "bench_broad_phase: %s\n", mus_last_error());
  return status != MUS_OK;
}

// --- the sheet -----------------------------------------------------------------------------------------------------

// Turned out of the axes, along which boxes would be too good.
static void turn(double *x) {
  for (int axis = 0; axis < 3; ++axis) {
    double *a = x + (axis + 1) % 3, *b = x + (axis + 2) % 3, angle = 0.5, turned = cos(angle) * *a - sin(angle) * *b;
    *b = sin(angle) * *a + cos(angle) * *b;
    *a = turned;
  }
}

// To and fro along x, a layer higher each time, with small waves.
static void place_sheet(workload *w, int side) {
  for (int v = 0; v < side * side; ++v) {
    double along = edge * (v % side), across = edge * (v / side), part = fmod(along / pleat, 2);
    double *x0 = w->x0 + 3 * (size_t)v, *x1 = w->x1 + 3 * (size_t)v;
    x0[0] = pleat * (part < 1 ? part : 2 - part);
    x0[1] = layer * along / pleat + 0.0003 * sin(60 * x0[0]) * sin(40 * across);
    x0[2] = across;
    for (int c = 0; c < 3; ++c)
      x1[c] = x0[c] + speed * (sin(5 * across + c) + 0.1 * mus_random(1, 3 * (uint64_t)v + (uint64_t)c)) / 1.1;
    turn(x0);
    turn(x1);
    w->few[v] = v / side % 100 == 0;
  }
}

static mus_status create_sheet(workload *w, int side) {
  int vertices = side * side, triangles = 2 * (side - 1) * (side - 1), *corner, *body;
  double *radius;
  if (!(corner = mus_arena_alloc(&w->arena, (size_t)triangles * 3, sizeof *corner)) ||
      !(body = mus_arena_alloc(&w->arena, (size_t)vertices, sizeof *body)) ||
      !(radius = mus_arena_alloc(&w->arena, (size_t)vertices, sizeof *radius)) ||
      !(w->x0 = mus_arena_alloc(&w->arena, (size_t)vertices * 3, sizeof *w->x0)) ||
      !(w->x1 = mus_arena_alloc(&w->arena, (size_t)vertices * 3, sizeof *w->x1)) ||
      !(w->few = mus_arena_alloc(&w->arena, (size_t)vertices, 1)))
    return MUS_OUT_OF_MEMORY;
  for (int v = 0; v < vertices; ++v) {
    body[v] = -1;
    radius[v] = thickness / 2;
  }
  for (int t = 0; t < triangles; ++t) {
    int square = t / 2, v = square / (side - 1) * side + square % (side - 1);
    const int lower[3] = {v, v + 1, v + side}, upper[3] = {v + side + 1, v + side, v + 1};
    memcpy(corner + 3 * (size_t)t, t % 2 ? upper : lower, sizeof lower);
  }
  mus_surface_parts parts = {.vertices = vertices,
                             .triangles = triangles,
                             .cloth_vertices = vertices,
                             .cloth_triangles = triangles,
                             .triangle = corner,
                             .body = body,
                             .radius = radius};
  place_sheet(w, side);
  return mus_surface_create(&w->arena, &parts, &w->surface);
}

// --- the tree ------------------------------------------------------------------------------------------------------

static void fit_vertices(workload *w) {
  float reach = (float)(separation * thickness / 2);
  MUS_PARALLEL_FOR
  for (int v = 0; v < w->surface.vertices; ++v)
    for (int i = 0; i < 2; ++i) {
      w->vertex_box[v].low[i][3] = w->vertex_box[v].high[i][3] = 0;
      for (int c = 0; c < 3; ++c) {
        float x = (float)(i ? w->x1 : w->x0)[3 * (size_t)v + (size_t)c];
        w->vertex_box[v].low[i][c] = x - reach;
        w->vertex_box[v].high[i][c] = x + reach;
      }
    }
}

static void count_pair(void *context, const mus_tree_task *task, int place_a, int place_b) {
  (void)task, (void)place_a, (void)place_b;
  ++*(long long *)context;
}

static void walk_tree(workload *w) {
  int tasks = mus_tree_tasks(&w->tree, &w->tree, w->task);
  atomic_store(&w->pairs, 0);
  MUS_PARALLEL
  {
    long long mine = 0;
    MUS_SHARE_RUNS
    for (int i = 0; i < tasks; ++i)
      mus_tree_walk(&w->task[i], count_pair, &mine);
    atomic_fetch_add(&w->pairs, mine);
  }
  w->found[WALK] = atomic_load(&w->pairs);
}

static mus_status create_tree(workload *w) {
  w->vertex_box = mus_arena_alloc(&w->arena, (size_t)w->surface.vertices, sizeof *w->vertex_box);
  w->task = mus_arena_alloc(&w->arena, MUS_TREE_TASKS, sizeof *w->task);
  if (!w->vertex_box || !w->task)
    return MUS_OUT_OF_MEMORY;
  return mus_tree_create(&w->arena, 0, w->surface.triangles, mus_tree_levels(w->surface.triangles), w->surface.triangle,
                         w->x0, &w->tree);
}

// --- Embree --------------------------------------------------------------------------------------------------------

#ifdef MUSLIN_EMBREE

static void triangle_bounds(const struct RTCBoundsFunctionArguments *arguments) {
  const workload *w = arguments->geometryUserPtr;
  const int *v = w->surface.triangle + 3 * (size_t)arguments->primID;
  mus_box box = mus_box_around(&w->vertex_box[v[0]], &w->vertex_box[v[1]]);
  box = mus_box_around(&box, &w->vertex_box[v[2]]);
  *arguments->bounds_o = (struct RTCBounds){.lower_x = mus_lesser(box.low[0][0], box.low[1][0]),
                                            .lower_y = mus_lesser(box.low[0][1], box.low[1][1]),
                                            .lower_z = mus_lesser(box.low[0][2], box.low[1][2]),
                                            .upper_x = mus_greater(box.high[0][0], box.high[1][0]),
                                            .upper_y = mus_greater(box.high[0][1], box.high[1][1]),
                                            .upper_z = mus_greater(box.high[0][2], box.high[1][2])};
}

// Embree reports each pair from both sides, and each triangle with itself.
static void count_collisions(void *user, struct RTCCollision *collision, unsigned count) {
  workload *w = user;
  long long mine = 0;
  for (unsigned i = 0; i < count; ++i)
    mine += collision[i].primID0 < collision[i].primID1;
  atomic_fetch_add(&w->pairs, mine);
}

static void create_embree(workload *w, int threads) {
  char text[32];
  snprintf(text, sizeof text, "threads=%d", threads);
  w->device = rtcNewDevice(text);
  w->scene = rtcNewScene(w->device);
  w->geometry = rtcNewGeometry(w->device, RTC_GEOMETRY_TYPE_USER);
  rtcSetSceneFlags(w->scene, RTC_SCENE_FLAG_DYNAMIC);
  rtcSetSceneBuildQuality(w->scene, RTC_BUILD_QUALITY_REFIT);
  rtcSetGeometryBuildQuality(w->geometry, RTC_BUILD_QUALITY_REFIT);
  rtcSetGeometryUserPrimitiveCount(w->geometry, (unsigned)w->surface.triangles);
  rtcSetGeometryUserData(w->geometry, w);
  rtcSetGeometryBoundsFunction(w->geometry, triangle_bounds, NULL);
  rtcCommitGeometry(w->geometry);
  rtcAttachGeometry(w->scene, w->geometry);
  rtcCommitScene(w->scene);
}

static void fit_embree(workload *w) {
  rtcUpdateGeometryBuffer(w->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(w->geometry);
  rtcCommitScene(w->scene);
}

static void walk_embree(workload *w) {
  atomic_store(&w->pairs, 0);
  rtcCollide(w->scene, w->scene, count_collisions, w);
  w->found[EMBREE_WALK] = atomic_load(&w->pairs);
}

static void free_embree(workload *w) {
  rtcReleaseGeometry(w->geometry);
  rtcReleaseScene(w->scene);
  rtcReleaseDevice(w->device);
}

#else

static void create_embree(workload *w, int threads) { (void)w, (void)threads; }
static void fit_embree(workload *w) { (void)w; }
static void walk_embree(workload *w) { (void)w; }
static void free_embree(workload *w) { (void)w; }

#endif

// --- measuring -----------------------------------------------------------------------------------------------------

static mus_status run_measure(workload *w, measure which, mus_list *list) {
  mus_status status = MUS_OK;
  switch (which) {
  case FIT:
    fit_vertices(w);
    mus_tree_fit(&w->tree, w->surface.triangle, w->vertex_box, NULL, NULL);
    return MUS_OK;
  case WALK:
    walk_tree(w);
    return MUS_OK;
  case EMBREE_FIT:
    fit_vertices(w);
    fit_embree(w);
    return MUS_OK;
  case EMBREE_WALK:
    walk_embree(w);
    return MUS_OK;
  case IMPACTS:
    status = mus_detector_impacts(w->detector, w->x0, w->x1, separation, NULL, list);
    break;
  case FEW_IMPACTS:
    status = mus_detector_impacts(w->detector, w->x0, w->x1, separation, w->few, list);
    break;
  case NEAR:
    status = mus_detector_near(w->detector, w->x0, 1.25, list);
    break;
  default:
    status = mus_detector_crossings(w->detector, w->x0, list);
    break;
  }
  w->found[which] = (long long)list->count;
  return status;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *of, int count) {
  qsort(of, (size_t)count, sizeof *of, ascending);
  return of[count / 2];
}

// Wall-clock time, and the processors' time of all threads together, which other programs disturb less.
static mus_status measure_all(workload *w, int repeats) {
  static double seconds[MEASURES][REPEATS_MAXIMUM], busy[MEASURES][REPEATS_MAXIMUM];
  mus_list contacts = {0}, crossings = {0};
  mus_status status = MUS_OK;
  for (int i = 0; i < repeats && !status; ++i)
    for (int which = 0; which < MEASURES && !status; ++which) {
      double start = mus_seconds();
      clock_t busy_start = clock();
      status = run_measure(w, (measure)which, which == CROSSINGS ? &crossings : &contacts);
      seconds[which][i] = mus_seconds() - start;
      busy[which][i] = (double)(clock() - busy_start) / CLOCKS_PER_SEC;
    }
  printf("  %-20s %10s %14s %10s\n", "", "wall ms", "processors ms", "found");
  for (int which = 0; which < MEASURES && !status; ++which)
    printf("  %-20s %10.2f %14.2f %10lld\n", names[which], 1e3 * median(seconds[which], repeats),
           1e3 * median(busy[which], repeats), w->found[which]);
  mus_free(contacts.items);
  mus_free(crossings.items);
  return status;
}

static int run(const options *chosen) {
  workload w = {0};
  mus_status status = create_sheet(&w, chosen->side);
  if (!status)
    status = create_tree(&w);
  if (!status) {
    double start = mus_seconds();
    status = mus_detector_create(&w.surface, w.x0, &w.detector);
    printf("%d vertices, %d threads; the detector is made in %.0f ms and takes %.1f MB\n", w.surface.vertices,
           mus_par_threads(), 1e3 * (mus_seconds() - start),
           status ? 0 : 1e-6 * (double)mus_detector_bytes(w.detector));
  }
  if (!status) {
    fit_vertices(&w);
    create_embree(&w, mus_par_threads());
    status = measure_all(&w, chosen->repeats);
    free_embree(&w);
  }
  mus_detector_free(w.detector);
  mus_arena_clear(&w.arena);
  return fails(status);
}

int main(int argc, char **argv) {
  options chosen = {.side = 201, .repeats = 11};
  int help = 0;
  const option list[] = {
      option_whole("side", &chosen.side, 2, 4096, "vertices a side of the sheet (201)"),
      option_whole("threads", &chosen.threads, 0, 4096, "0: all cores (0)"),
      option_whole("repeats", &chosen.repeats, 1, REPEATS_MAXIMUM, "turns to take the median of (11)"),
      option_flag("help", &help, "print this text")};
  option_table table = {"bench_broad_phase", list, sizeof list / sizeof list[0]};
  int ended;
  if (!options_start(&table, &help,
                     "bench_broad_phase: measures collision detection on a pleated sheet, against Embree.\n\n",
                     argc - 1, argv + 1, &ended))
    return ended;
  mus_par_set_threads(chosen.threads);
  return run(&chosen);
}
