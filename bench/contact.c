// Measures what contact takes of a step, and how that grows with the mesh: a result of one regular sheet is gone on
// from at some frame, as it is and with every edge cut into three, which changes neither its shape nor its place.
//
//   bench_contact RESULT FRAME [STEPS [TIME_STEP]]
//
// Shares are of wall time in one run, so that they bear a noisy machine; what is shown are medians of the steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result_reader.h"
#include "sim/access.h"

enum { STEPS_MAXIMUM = 1000 };

typedef struct state {
  mus_scene scene;
  const mus_mesh *mesh; // of the result
  double *position, *velocity;
} state;

static int failed(void) {
  fprintf(stderr, "bench_contact: %s\n", mus_last_error());
  return 1;
}

// Positions and velocities of the frame, the velocities from the frame before it.
static mus_status read_state(const mus_result *result, int frame, state *s) {
  size_t n = 3 * (size_t)result->parts[0].mesh.vertices;
  s->mesh = &result->parts[0].mesh;
  s->position = malloc(n * sizeof *s->position);
  s->velocity = malloc(n * sizeof *s->velocity);
  if (!s->position || !s->velocity)
    return MUS_OUT_OF_MEMORY;
  mus_status status = mus_result_positions(result, 0, frame - 1, s->velocity);
  if (!status)
    status = mus_result_positions(result, 0, frame, s->position);
  for (size_t i = 0; i < n && !status; ++i)
    s->velocity[i] = (s->position[i] - s->velocity[i]) * result->frame_rate;
  return status;
}

// Puts the vertices of a finer mesh of the same sheet where they lie on the triangles of the coarser one.
static void place(const state *s, const mus_mesh *fine, const double *from, double *to) {
  int side = (int)lround(sqrt(fine->vertices));
  double low[2] = {INFINITY, INFINITY}; // material coordinates of the first vertex
  for (size_t k = 0; k < 3 * (size_t)fine->triangles; ++k)
    for (int c = 0; c < 2; ++c)
      low[c] = fmin(low[c], fine->material[2 * k + (size_t)c]);
  double size = -2 * low[0], spacing = size / (side - 1);
  for (int t = 0; t < s->mesh->triangles; ++t) {
    const double *uv = s->mesh->material + 6 * (size_t)t;
    const int *corner = s->mesh->triangle + 3 * (size_t)t;
    double area = (uv[2] - uv[0]) * (uv[5] - uv[1]) - (uv[4] - uv[0]) * (uv[3] - uv[1]);
    int first[2], last[2];
    for (int c = 0; c < 2; ++c) {
      double least = fmin(uv[c], fmin(uv[2 + c], uv[4 + c])), most = fmax(uv[c], fmax(uv[2 + c], uv[4 + c]));
      first[c] = (int)lround((least - low[c]) / spacing);
      last[c] = (int)lround((most - low[c]) / spacing);
    }
    for (int j = first[1]; j <= last[1]; ++j)
      for (int i = first[0]; i <= last[0]; ++i) {
        double u = low[0] + i * spacing - uv[0], v = low[1] + j * spacing - uv[1];
        double b = (u * (uv[5] - uv[1]) - v * (uv[4] - uv[0])) / area;
        double c = (v * (uv[2] - uv[0]) - u * (uv[3] - uv[1])) / area;
        if (b < -1e-6 || c < -1e-6 || b + c > 1 + 1e-6)
          continue;
        for (int k = 0; k < 3; ++k)
          to[3 * ((size_t)j * (size_t)side + (size_t)i) + (size_t)k] =
              (1 - b - c) * from[3 * corner[0] + k] + b * from[3 * corner[1] + k] + c * from[3 * corner[2] + k];
      }
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(int count, double *x) {
  qsort(x, (size_t)count, sizeof *x, compare);
  return x[count / 2];
}

static mus_status measure(const state *s, int vertices, double time, int steps) {
  static double contact[STEPS_MAXIMUM], rest[STEPS_MAXIMUM], share[STEPS_MAXIMUM];
  mus_sim *sim = NULL;
  mus_scene scene = s->scene;
  mus_scene_resize(&scene, vertices, MUS_TESSELLATION_REGULAR);
  mus_status status = mus_sim_create(&scene, &sim);
  if (status)
    return status;
  const mus_mesh *mesh = &mus_sim_model(sim)->parts[0].shape.mesh;
  mus_state *now = mus_sim_state(sim);
  place(s, mesh, s->position, now->position);
  place(s, mesh, s->velocity, now->velocity);
  now->time = time;
  now->strain_before = 10; // it did not come from the start
  int count = 0;
  mus_step_record last = {0};
  for (int k = 0; k < steps && !status; ++k) {
    status = mus_sim_step(sim, NULL);
    const mus_step_record *r = mus_sim_step_record(sim, 0);
    if (status || k == 0) // the first makes everything
      continue;
    contact[count] = r->detect_seconds + r->respond_seconds;
    rest[count] = r->assemble_seconds + r->setup_seconds + r->prefilter_seconds + r->solve_seconds + r->other_seconds;
    share[count] = contact[count] / (contact[count] + rest[count]);
    last = *r;
    ++count;
  }
  if (!status)
    printf("%9d  %8d  %8d  %8d  %10d  %9.3f  %9.3f  %5.0f%%\n", mus_sim_vertices(sim), last.body_contacts,
           last.cloth_contacts, last.impacts, last.iterations, median(count, contact), median(count, rest),
           100 * median(count, share));
  mus_sim_free(sim);
  return status;
}

int main(int argc, char **argv) {
  int frame = argc > 2 ? atoi(argv[2]) : 0, steps = argc > 3 ? atoi(argv[3]) : 4;
  if (frame < 1 || steps < 2 || steps > STEPS_MAXIMUM) {
    fprintf(stderr, "bench_contact RESULT FRAME [STEPS [TIME_STEP]]: frames from 1, 2 to %d steps\n", STEPS_MAXIMUM);
    return 2;
  }
  mus_result result;
  state s = {0};
  char path[4096];
  snprintf(path, sizeof path, "%s/scene.json", argv[1]);
  if (mus_scene_load(path, &s.scene) != MUS_OK || mus_result_open(argv[1], NULL, &result) != MUS_OK)
    return failed();
  if (argc > 4)
    s.scene.time_step = atof(argv[4]);
  mus_status status = read_state(&result, frame, &s);
  int side = (int)lround(sqrt(result.parts[0].mesh.vertices));
  if (!status && (result.part_count != 1 || side * side != s.mesh->vertices))
    status = MUS_BAD_INPUT;
  printf(" vertices    bodies    cloths   impacts  iterations  contact s     rest s   share\n");
  for (int cut = 1; cut <= 3 && !status; cut += 2) {
    int fine = cut * (side - 1) + 1;
    status = measure(&s, fine * fine, frame / result.frame_rate, steps);
  }
  free(s.position);
  free(s.velocity);
  mus_result_close(&result);
  mus_scene_free(&s.scene);
  return status ? failed() : 0;
}
