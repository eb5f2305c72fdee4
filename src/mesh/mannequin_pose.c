// See mannequin_pose.h.
//
// Over a stride a foot stands on the ground for the part `duty` and swings for the rest. Standing, it goes backwards
// under the figure as fast as the figure goes forwards, and rolls: it strikes with the heel, lies flat, and leaves over
// the ball. Swinging, it comes forward on a cubic with the same speeds at its ends. Thigh and shin follow by the law of
// cosines. Angles and times are what people show on average, rounded.
#include "mesh/mannequin_pose.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double degree = 3.14159265358979323846 / 180;

const double mus_mannequin_cadence[2] = {0.75, 0.25};

// Joints from their parents' at no turn, m.
static const double hip_height = 0.925, ankle_height = 0.085;
static const double thigh_length = 0.42, shin_length = 0.42, upper_arm_length = 0.285, lower_arm_length = 0.25;
static const double hip_width = 0.09, foot_width = 0.125;
static const mus_point spine_joint = {0, 0.10, 0}, chest_joint = {0, 0.16, 0}, neck_joint = {0, 0.265, -0.01};
static const mus_point head_joint = {0, 0.065, 0.01}, shoulder_joint = {0.168, 0.215, -0.005};
static const mus_point heel = {0, -0.085, -0.05}, ball = {0, -0.085, 0.125}; // on the ground, from the ankle
static const mus_point toes_joint = {0, -0.06, 0.125};

// How the figure goes at a speed: parts of walking and running, and what follows from them.
typedef struct gait {
  double moving, running;          // 0 to 1
  double duty, step;               // part of a stride that a foot stands; how far the figure goes in it, m
  double strike, leave;            // degrees: how far the toes are up, and the heel is
  double lift, drop, bounce, lean; // m, m, m, degrees
  double arm_out, arm_swing, elbow, elbow_swing; // degrees
} gait;

static double mix(double a, double b, double share) { return a + share * (b - a); }

// From 0 at `low` to 1 at `high`, smooth at both.
static double ease(double low, double high, double value) {
  double s = (value - low) / (high - low);
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  return s * s * (3 - 2 * s);
}

static gait gait_at(double speed) {
  gait g = {.moving = ease(0, 0.9, speed), .running = ease(1.7, 2.7, speed)};
  g.duty = mix(0.62, 0.36, g.running);
  g.step = speed * g.duty / (mus_mannequin_cadence[0] + mus_mannequin_cadence[1] * speed);
  g.strike = g.moving * mix(18, 6, g.running);
  g.leave = g.moving * mix(42, 50, g.running);
  g.lift = g.moving * mix(0.05, 0.24, g.running);
  g.drop = g.moving * mix(0.03, 0.065, g.running);
  g.bounce = g.moving * mix(0.018, -0.035, g.running);
  g.lean = g.moving * mix(2, 10, g.running);
  g.arm_out = mix(38, mix(19, 24, g.running), g.moving);
  g.arm_swing = g.moving * mix(20, 32, g.running);
  g.elbow = mix(8, mix(22, 82, g.running), g.moving);
  g.elbow_swing = g.moving * mix(8, 14, g.running);
  return g;
}

// --- legs ------------------------------------------------------------------------------------------------------------

// Where a flat foot's ankle would be along z and how far the foot is turned up at its toes, degrees.
typedef struct step {
  double along, pitch, lift;
} step;

static step step_at(const gait *g, double phase) {
  const double back = -0.04; // the middle of a step lies behind the hips
  double at = phase - floor(phase);
  if (at < g->duty) {
    double s = at / g->duty;
    return (step){back + g->step * (0.5 - s), g->strike * (1 - ease(0, 0.2, s)) - g->leave * ease(0.55, 1, s), 0};
  }
  double s = (at - g->duty) / (1 - g->duty), slope = -g->step * (1 - g->duty) / g->duty;
  double there = s * s * (3 - 2 * s), leaving = s * (1 - s) * (1 - s), coming = s * s * (s - 1);
  double bump = sin(PI * s);
  return (step){back + g->step * (there - 0.5) + slope * (leaving + coming),
                g->strike * ease(0.4, 1, s) - g->leave * (1 - ease(0, 0.75, s)), g->lift * bump * bump};
}

// A foot turned at the ankle by `pitch` touches the ground with its heel or its ball, where that would be if it lay
// flat.
static mus_point roll(double along, double aside, double pitch) {
  mus_turn turn = mus_turn_x(-pitch * degree);
  mus_point contact = pitch > 0 ? heel : ball, turned = mus_turn_apply(&turn, contact);
  mus_point flat = {aside, ankle_height, along};
  return mus_point_add(flat, mus_point_subtract(contact, turned));
}

// Turns a bone that points along its -y towards `direction`, with its own x as near to `side` as can be.
static mus_turn point_along(mus_point direction, mus_point side) {
  mus_turn t;
  t.y = mus_point_scale(-1, mus_point_unit(direction));
  t.z = mus_point_unit(mus_point_cross(side, t.y));
  t.x = mus_point_cross(t.y, t.z);
  return t;
}

// A leg that is asked for more than its length comes near that, ever more slowly.
static double reachable(double distance) {
  const double whole = thigh_length + shin_length, free = 0.985 * whole, rest = whole - free;
  return distance < free ? distance : free + 0.95 * rest * (1 - exp((free - distance) / (0.95 * rest)));
}

// Thigh and shin from the hip to the ankle, with the knee to the front.
static void bend_leg(mus_point hip, mus_point ankle, mus_point side, int foot, mus_bone_place *place) {
  mus_point way = mus_point_subtract(ankle, hip), towards = mus_point_unit(way);
  double length = reachable(mus_point_length(way));
  ankle = mus_point_add(hip, mus_point_scale(length, towards));
  double cosine =
      (thigh_length * thigh_length + length * length - shin_length * shin_length) / (2 * thigh_length * length);
  double sine = sqrt(fmax(0, 1 - cosine * cosine));
  mus_point front = mus_point_unit(mus_point_cross(towards, side)); // of the leg, where knees are
  mus_point knee = mus_point_add(
      hip, mus_point_add(mus_point_scale(thigh_length * cosine, towards), mus_point_scale(thigh_length * sine, front)));
  place[MUS_BONE_THIGH + foot] = (mus_bone_place){hip, point_along(mus_point_subtract(knee, hip), side)};
  place[MUS_BONE_SHIN + foot] = (mus_bone_place){knee, point_along(mus_point_subtract(ankle, knee), side)};
  place[MUS_BONE_FOOT + foot].joint = ankle;
}

static mus_point along_bone(const mus_bone_place *bone, mus_point offset) {
  return mus_point_add(bone->joint, mus_turn_apply(&bone->turn, offset));
}

static void place_leg(const gait *g, double distance, double phase, int foot, mus_bone_place *place) {
  double sign = foot == 0 ? 1 : -1;
  step s = step_at(g, phase + 0.5 * foot);
  mus_point hip = along_bone(&place[MUS_BONE_PELVIS], (mus_point){sign * hip_width, 0, 0});
  mus_point ankle = roll(s.along + distance, sign * mix(foot_width, 0.095, g->moving), s.pitch);
  ankle.y += s.lift;
  mus_turn out = mus_turn_y(sign * 6 * degree);
  bend_leg(hip, ankle, out.x, foot, place);
  mus_bone_place *sole = &place[MUS_BONE_FOOT + foot], *toes = &place[MUS_BONE_TOES + foot];
  sole->turn = mus_turn_join(out, mus_turn_x(-s.pitch * degree));
  toes->joint = along_bone(sole, toes_joint);
  // Toes stay on the ground while the heel is up, and straighten out in the air.
  double flat = fmin(s.pitch, 0) * (1 - ease(0, 0.05, s.lift));
  toes->turn = mus_turn_join(sole->turn, mus_turn_x(flat * degree));
}

// --- the rest --------------------------------------------------------------------------------------------------------

static void place_trunk(const gait *g, double distance, double phase, mus_bone_place *place) {
  double left = cos(2 * PI * phase);                          // 1 when the left foot strikes
  double middle = cos(4 * PI * (phase - 0.5 * g->duty));      // 1 in the middle of each step
  double over = sin(2 * PI * (phase - 0.5 * g->duty + 0.25)); // 1 when all weight is on the left foot
  double twist = -g->moving * 7 * degree * left, sway = g->moving * 0.018 * over;
  mus_bone_place *pelvis = &place[MUS_BONE_PELVIS], *spine = &place[MUS_BONE_SPINE], *chest = &place[MUS_BONE_CHEST];
  mus_bone_place *neck = &place[MUS_BONE_NECK], *head = &place[MUS_BONE_HEAD];
  mus_turn lean = mus_turn_x(0.5 * g->lean * degree);
  pelvis->joint = (mus_point){sway, hip_height - g->drop + g->bounce * middle, distance};
  pelvis->turn = mus_turn_join(mus_turn_y(twist), mus_turn_join(mus_turn_z(g->moving * 3 * degree * over), lean));
  spine->joint = along_bone(pelvis, spine_joint);
  spine->turn = mus_turn_join(mus_turn_y(-0.3 * twist), mus_turn_x(0.8 * g->lean * degree));
  chest->joint = along_bone(spine, chest_joint);
  chest->turn = mus_turn_join(mus_turn_y(-1.1 * twist), mus_turn_x(g->lean * degree));
  neck->joint = along_bone(chest, neck_joint);
  neck->turn = mus_turn_join(mus_turn_y(-0.5 * twist), mus_turn_x(0.7 * g->lean * degree));
  head->joint = along_bone(neck, head_joint);
  head->turn = mus_turn_x(0.2 * g->lean * degree);
}

static void place_arm(const gait *g, double phase, int hand, mus_bone_place *place) {
  double sign = hand == 0 ? 1 : -1;
  double forward = -sign * cos(2 * PI * phase); // with the other leg
  const mus_bone_place *chest = &place[MUS_BONE_CHEST];
  mus_bone_place *upper = &place[MUS_BONE_UPPER_ARM + hand], *lower = &place[MUS_BONE_LOWER_ARM + hand];
  mus_bone_place *palm = &place[MUS_BONE_HAND + hand];
  double swing = g->arm_swing * forward - 6 * g->running; // runners' elbows stay behind
  upper->joint = along_bone(chest, (mus_point){sign * shoulder_joint.x, shoulder_joint.y, shoulder_joint.z});
  upper->turn =
      mus_turn_join(chest->turn, mus_turn_join(mus_turn_x(-swing * degree), mus_turn_z(sign * g->arm_out * degree)));
  lower->joint = along_bone(upper, (mus_point){0, -upper_arm_length, 0});
  lower->turn = mus_turn_join(upper->turn, mus_turn_x(-(g->elbow + g->elbow_swing * forward) * degree));
  palm->joint = along_bone(lower, (mus_point){0, -lower_arm_length, 0});
  palm->turn = lower->turn;
}

void mus_mannequin_pose(double speed, double distance, double phase, mus_bone_place place[MUS_BONES]) {
  gait g = gait_at(speed);
  place_trunk(&g, distance, phase, place);
  for (int side = 0; side < 2; ++side) {
    place_leg(&g, distance, phase, side, place);
    place_arm(&g, phase, side, place);
  }
}
