// Attachments. See attach.h.
#include "step/attach.h"

#include <math.h>

// Whether a spring pulls something that is no part of the linear system.
static int is_elsewhere(const mus_attachments *attachments, size_t n) {
  return mus_attached_springs(attachments)[n].part >= 0;
}

static void weigh(const mus_attachment *spring, const double *value, double *sum) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int k = 0; k < spring->count; ++k)
    mus_add_scaled3(spring->weight[k], value + 3 * (size_t)spring->vertex[k], sum);
}

// From the point to where it is drawn, m: no farther than the limit asks.
static void way_to_target(const mus_attachment *spring, const double *position, double *way) {
  double point[3];
  weigh(spring, position, point);
  mus_subtract3(spring->target, point, way);
  double most = spring->limit / spring->stiffness, length = sqrt(mus_dot3(way, way));
  if (length > most)
    mus_scale3(most / length, way, way);
}

double mus_attachments_energy(const mus_attachments *attachments, const double *position) {
  double sum = 0;
  for (size_t n = 0; n < attachments->springs.count; ++n) {
    if (is_elsewhere(attachments, n))
      continue;
    const mus_attachment *s = &mus_attached_springs(attachments)[n].spring;
    double point[3], way[3], most = s->limit / s->stiffness;
    weigh(s, position, point);
    mus_subtract3(s->target, point, way);
    double length = sqrt(mus_dot3(way, way));
    sum += length > most ? s->limit * (length - most / 2) : s->stiffness / 2 * length * length;
  }
  return sum;
}

double mus_attachments_potential(const mus_attachments *attachments, const mus_instant *at) {
  double damped = 0;
  for (size_t n = 0; n < attachments->springs.count; ++n) {
    if (is_elsewhere(attachments, n))
      continue;
    const mus_attachment *s = &mus_attached_springs(attachments)[n].spring;
    double speed[3];
    weigh(s, at->velocity, speed);
    damped += at->length * s->stiffness * s->damping / 2 * mus_dot3(speed, speed);
  }
  return mus_attachments_energy(attachments, at->position) + damped;
}

mus_status mus_attachments_lump(const mus_attachments *attachments, double length, mus_shared_blocks *to) {
  mus_status status = MUS_OK;
  for (size_t n = 0; n < attachments->springs.count && !status; ++n) {
    if (is_elsewhere(attachments, n))
      continue;
    const mus_attachment *s = &mus_attached_springs(attachments)[n].spring;
    double k = length * s->stiffness * (s->damping + length), block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    status = mus_shared_blocks_lump(to, s->count, s->vertex, s->weight, block);
  }
  return status;
}

void mus_attachments_load(const mus_attachments *attachments, const mus_instant *at, mus_matrix *matrix,
                          double *right) {
  double h = at->length;
  for (size_t n = 0; n < attachments->springs.count; ++n) {
    if (is_elsewhere(attachments, n))
      continue;
    const mus_attachment *s = &mus_attached_springs(attachments)[n].spring;
    double impulse[3], speed[3], damping = s->stiffness * s->damping;
    way_to_target(s, at->position, impulse);
    weigh(s, at->velocity, speed);
    mus_scale3(h * s->stiffness, impulse, impulse);
    mus_add_scaled3(-h * (damping + at->drift * s->stiffness), speed, impulse);
    for (int i = 0; i < s->count; ++i) {
      mus_add_scaled3(s->weight[i], impulse, right + 3 * (size_t)s->vertex[i]);
      for (int j = 0; j < s->count && matrix; ++j) {
        double *block = mus_matrix_block(matrix, s->vertex[i], s->vertex[j]);
        for (int c = 0; c < 3; ++c)
          block[4 * c] += s->weight[i] * s->weight[j] * h * (damping + h * s->stiffness);
      }
    }
  }
}

// With velocity v' = v + h F / m at the end of the step, F = k (d - h v') - c v'.
void mus_attachment_pull(const mus_attachment *spring, double h, double mass, const double *position,
                         const double *velocity, double force[3]) {
  double k = spring->stiffness, c = k * spring->damping, speed[3];
  way_to_target(spring, position, force);
  weigh(spring, velocity, speed);
  mus_scale3(k, force, force);
  mus_add_scaled3(-(c + h * k), speed, force);
  mus_scale3(1 / (1 + h * (c + h * k) / mass), force, force);
}
