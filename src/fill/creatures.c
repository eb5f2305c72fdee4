// See creatures.h.
#include "fill/creatures.h"

#include <math.h>

static const double turn = 6.283185307179586477;

static void add_ball(mus_figure *f, mus_point at, double radius) {
  mus_figure_add_capsule(f, at, (mus_point){at.x, at.y + 0.01 * radius, at.z}, radius, radius);
}

// --- octopus -------------------------------------------------------------------------------------------------------

enum { ARMS = 8, ARM_JOINTS = 8 };

// Outwards and down, along the ground, and up again in a curl to one side.
static void make_arm(int arm, mus_joint joint[ARM_JOINTS]) {
  static const double out[] = {0.05, 0.13, 0.23, 0.34, 0.44, 0.51, 0.53, 0.49};
  static const double up[] = {0.19, 0.15, 0.075, 0.045, 0.04, 0.065, 0.12, 0.15};
  static const double across[] = {0, 0, 0.01, -0.03, -0.03, 0.02, 0.06, 0.09};
  static const double radius[] = {0.062, 0.056, 0.048, 0.04, 0.033, 0.027, 0.022, 0.017};
  double angle = turn * (arm + 0.5) / ARMS, side = arm % 2 ? 1 : -1, reach = arm % 4 == 1 || arm % 4 == 2 ? 1 : 0.88;
  for (int k = 0; k < ARM_JOINTS; ++k) {
    double r = reach * out[k], a = side * across[k];
    joint[k].place = (mus_point){r * sin(angle) + a * cos(angle), up[k], r * cos(angle) - a * sin(angle)};
    joint[k].radius = radius[k];
  }
}

void mus_figure_make_octopus(mus_figure *figure) {
  static const mus_joint mantle[] = {{{0, 0.19, 0.01}, 0.095},
                                     {{0, 0.28, -0.01}, 0.1},
                                     {{0, 0.38, -0.055}, 0.125},
                                     {{0, 0.47, -0.11}, 0.115},
                                     {{0, 0.54, -0.16}, 0.07}};
  mus_joint arm[ARMS][ARM_JOINTS];
  figure->blend = 0.01;
  mus_figure_add_curve(figure, 5, mantle, 2);
  for (int k = 0; k < ARMS; ++k) {
    make_arm(k, arm[k]);
    mus_figure_add_curve(figure, ARM_JOINTS, arm[k], 4);
  }
  for (int k = 0; k < ARMS; ++k) {
    const mus_joint *a = arm[k], *b = arm[(k + 1) % ARMS];
    mus_point dip = mus_point_scale(
        0.5, mus_point_add(mus_curve_at(ARM_JOINTS, a, 1.6).place, mus_curve_at(ARM_JOINTS, b, 1.6).place));
    mus_figure_add_triangle(figure, (mus_point){0, 0.17, 0}, mus_curve_at(ARM_JOINTS, a, 2.4).place, dip, 0.014);
    mus_figure_add_triangle(figure, (mus_point){0, 0.17, 0}, mus_curve_at(ARM_JOINTS, b, 2.4).place, dip, 0.014);
  }
  for (int side = -1; side <= 1; side += 2) {
    add_ball(figure, (mus_point){side * 0.09, 0.285, 0.06}, 0.039);
    mus_figure_add_capsule(figure, (mus_point){side * 0.07, 0.315, 0.035}, (mus_point){side * 0.1, 0.315, 0.06}, 0.026,
                           0.02);
  }
}

// --- dragon --------------------------------------------------------------------------------------------------------

static const mus_joint spine[] = {
    {{0.2, 0.06, -0.93}, 0.012},   {{0.14, 0.045, -0.8}, 0.02},  {{0.01, 0.065, -0.65}, 0.03},
    {{-0.06, 0.13, -0.48}, 0.043}, {{-0.02, 0.24, -0.3}, 0.068}, {{0, 0.3, -0.14}, 0.09},
    {{0, 0.32, 0.02}, 0.1},        {{0, 0.35, 0.15}, 0.092},     {{0, 0.44, 0.25}, 0.064},
    {{0, 0.56, 0.29}, 0.048},      {{0, 0.67, 0.29}, 0.043},     {{0, 0.745, 0.36}, 0.046}};
enum { SPINE = sizeof spine / sizeof *spine };

static mus_point mirror(double side, double x, double y, double z) { return (mus_point){side * x, y, z}; }

static void add_paw(mus_figure *f, double side, double x, double z) {
  for (int toe = -1; toe <= 1; ++toe)
    mus_figure_add_capsule(f, mirror(side, x + 0.012 * toe, 0.028, z), mirror(side, x + 0.034 * toe, 0.016, z + 0.065),
                           0.026, 0.014);
}

static void add_legs(mus_figure *f, double side) {
  const mus_joint front[] = {{mirror(side, 0.06, 0.33, 0.15), 0.062},
                             {mirror(side, 0.115, 0.2, 0.11), 0.042},
                             {mirror(side, 0.115, 0.09, 0.17), 0.03},
                             {mirror(side, 0.115, 0.035, 0.18), 0.03}};
  const mus_joint hind[] = {{mirror(side, 0.055, 0.27, -0.2), 0.08},
                            {mirror(side, 0.125, 0.18, -0.12), 0.055},
                            {mirror(side, 0.125, 0.09, -0.22), 0.033},
                            {mirror(side, 0.125, 0.035, -0.2), 0.032}};
  mus_figure_add_curve(f, 4, front, 3);
  mus_figure_add_curve(f, 4, hind, 3);
  add_paw(f, side, 0.115, 0.19);
  add_paw(f, side, 0.125, -0.19);
}

// An arm, three fingers, and skin between them that is drawn in between the tips.
static void add_wing(mus_figure *f, double side) {
  static const double thick = 0.012;
  mus_point shoulder = mirror(side, 0.045, 0.42, 0.08), elbow = mirror(side, 0.2, 0.6, 0),
            wrist = mirror(side, 0.33, 0.72, 0.1);
  const mus_point tip[] = {mirror(side, 0.66, 0.84, -0.04), mirror(side, 0.62, 0.6, -0.26),
                           mirror(side, 0.42, 0.44, -0.38), mirror(side, 0.03, 0.36, -0.2)};
  mus_figure_add_capsule(f, shoulder, elbow, 0.036, 0.026);
  mus_figure_add_capsule(f, elbow, wrist, 0.026, 0.023);
  mus_figure_add_capsule(f, wrist, mirror(side, 0.34, 0.77, 0.14), 0.018, 0.01); // a claw
  for (int k = 0; k < 3; ++k) {
    mus_point root = k < 2 ? wrist : elbow;
    mus_point bow = mus_point_mix(root, tip[k], 0.5);
    bow.y += 0.03;
    const mus_joint finger[] = {{root, 0.022}, {bow, 0.017}, {tip[k], 0.01}};
    mus_figure_add_curve(f, 3, finger, 3);
    mus_point valley = mus_point_mix(mus_point_mix(tip[k], tip[k + 1], 0.5), k == 0 ? wrist : elbow, 0.28);
    mus_figure_add_triangle(f, root, bow, valley, thick);
    mus_figure_add_triangle(f, bow, tip[k], valley, thick);
    mus_point next = k < 1 ? wrist : k < 2 ? elbow : shoulder;
    mus_point next_bow = mus_point_mix(next, tip[k + 1], 0.5);
    next_bow.y += k < 2 ? 0.03 : 0;
    mus_figure_add_triangle(f, next, next_bow, valley, thick);
    mus_figure_add_triangle(f, next_bow, tip[k + 1], valley, thick);
    if (k > 0)
      mus_figure_add_triangle(f, root, next, valley, thick);
  }
  mus_figure_add_triangle(f, wrist, elbow, mus_point_mix(mus_point_mix(tip[1], tip[2], 0.5), elbow, 0.28), thick);
}

static void add_head(mus_figure *f) {
  mus_figure_add_capsule(f, (mus_point){0, 0.755, 0.38}, (mus_point){0, 0.735, 0.53}, 0.056, 0.03);
  mus_figure_add_capsule(f, (mus_point){0, 0.712, 0.39}, (mus_point){0, 0.672, 0.5}, 0.032, 0.019);
  for (int side = -1; side <= 1; side += 2) {
    const mus_joint horn[] = {{mirror(side, 0.032, 0.795, 0.365), 0.021},
                              {mirror(side, 0.055, 0.84, 0.29), 0.016},
                              {mirror(side, 0.065, 0.895, 0.245), 0.009}};
    mus_figure_add_curve(f, 3, horn, 3);
    mus_figure_add_capsule(f, mirror(side, 0.036, 0.795, 0.4), mirror(side, 0.02, 0.762, 0.5), 0.019, 0.012); // brow
    add_ball(f, mirror(side, 0.045, 0.772, 0.43), 0.017);
    add_ball(f, mirror(side, 0.016, 0.757, 0.55), 0.013);
    mus_figure_add_triangle(f, mirror(side, 0.045, 0.755, 0.36), mirror(side, 0.05, 0.715, 0.37),
                            mirror(side, 0.1, 0.75, 0.28), 0.01); // ear
  }
}

static void add_crest(mus_figure *f) {
  for (double s = 1.5; s < SPINE - 1.2; s += 0.5) {
    mus_joint at = mus_curve_at(SPINE, spine, s), before = mus_curve_at(SPINE, spine, s - 0.3);
    mus_joint after = mus_curve_at(SPINE, spine, s + 0.3);
    mus_point along = mus_point_unit(mus_point_subtract(after.place, before.place));
    mus_point up = {0, 1, 0};
    up = mus_point_unit(mus_point_plus(up, -mus_point_dot(up, along), along));
    mus_point foot = mus_point_plus(at.place, 0.9 * at.radius, up);
    mus_point tip = mus_point_plus(mus_point_plus(foot, 0.022 + 0.3 * at.radius, up), -0.02, along);
    mus_figure_add_triangle(f, mus_point_plus(foot, 0.018, along), mus_point_plus(foot, -0.018, along), tip, 0.009);
  }
}

void mus_figure_make_dragon(mus_figure *figure) {
  figure->blend = 0.007;
  mus_figure_add_curve(figure, SPINE, spine, 3);
  mus_figure_add_triangle(figure, (mus_point){0.19, 0.055, -0.91}, (mus_point){0.15, 0.06, -1.0},
                          (mus_point){0.26, 0.06, -0.98}, 0.013);
  mus_figure_add_triangle(figure, (mus_point){0.24, 0.06, -1.07}, (mus_point){0.15, 0.06, -1.0},
                          (mus_point){0.26, 0.06, -0.98}, 0.013);
  add_head(figure);
  add_crest(figure);
  for (int side = -1; side <= 1; side += 2) {
    add_legs(figure, side);
    add_wing(figure, side);
  }
}
