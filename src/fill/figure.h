// Figures: smooth unions of capsules and of thick triangles, from which creatures are made.
//
// The surface is where -k log(sum exp(-d_i / k)) is zero, over the distances d_i of all parts: parts flow together
// where they meet, over a way of a few k.
#ifndef MUS_FILL_FIGURE_H
#define MUS_FILL_FIGURE_H

#include "base/list.h"
#include "fill/stuffing.h"
#include "mesh/capsule.h"

typedef struct mus_figure {
  double blend;      // k, in metres
  mus_list capsule;  // mus_capsule
  mus_list triangle; // mus_thick_triangle
  mus_list ready[2]; // the same two, as thick as mus_figure_shape() was asked for
  int is_short;      // 1: memory was short
} mus_figure;

typedef struct mus_thick_triangle {
  double corner[3][3];
  double radius;
  double middle[3], reach; // a ball that holds it
} mus_thick_triangle;

void mus_figure_free(mus_figure *figure);

void mus_figure_add_capsule(mus_figure *figure, mus_point from, mus_point to, double from_radius, double to_radius);
void mus_figure_add_triangle(mus_figure *figure, mus_point a, mus_point b, mus_point c, double radius);

// Points along a smooth curve (Catmull and Rom 1974) through `count` joints, each with a radius.
typedef struct mus_joint {
  mus_point place;
  double radius;
} mus_joint;
// At s from 0 to count - 1.
mus_joint mus_curve_at(int count, const mus_joint *joint, double s);
// Capsules along it, `pieces` between each two joints.
void mus_figure_add_curve(mus_figure *figure, int count, const mus_joint *joint, int pieces);

// With no part thinner than a radius of `thinnest`, so that coarse lattices do not miss any. The figure must stay, and
// the last shape asked for is valid. MUS_OUT_OF_MEMORY if something could not be added.
mus_status mus_figure_shape(mus_figure *figure, double thinnest, mus_shape *out);

#endif
