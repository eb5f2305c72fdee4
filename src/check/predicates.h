// On which side does a point lie? Signs of determinants, never wrong.
//
// The determinant is computed in double precision with a bound on its rounding error; where the bound does not settle
// the sign, it is computed again without any rounding (Shewchuk 1997). The answer is therefore that of real arithmetic
// on the given numbers, as long as every coordinate is 0 or between MUS_EXACT_SMALLEST and MUS_EXACT_LARGEST in size.
#ifndef MUS_CHECK_PREDICATES_H
#define MUS_CHECK_PREDICATES_H

#define MUS_EXACT_SMALLEST 1e-60
#define MUS_EXACT_LARGEST 1e60

// Sign of (b - a) x (c - a) . (d - a): 1 when d lies in front of the triangle abc, which is counter-clockwise seen from
// there, -1 behind it, 0 in its plane (or when a, b and c lie on a line).
int mus_side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3]);

// Seen along the axis (0, 1, 2 for x, y, z), against its direction: 1 when c lies to the left of the line from a to b,
// -1 to its right, 0 on it.
int mus_side_of_line(int axis, const double a[3], const double b[3], const double c[3]);

#endif
