// Triangles, edges and hinges as they lie flat in the material. See flank.h.
#include "energy/flank.h"

#include "base/error.h"
#include "energy/bend.h"

// MUS_BAD_INPUT where the triangle has no area.
static mus_status flank_of(const mus_mesh *mesh, int side, mus_flank *out) {
  const double *uv = mesh->material + 6 * (size_t)(side / 3);
  const double *apex = uv + 2 * (side % 3), *from = uv + 2 * ((side + 1) % 3), *to = uv + 2 * ((side + 2) % 3);
  mus_membrane_rest rest;
  if (!mus_membrane_rest_make(uv, &rest))
    return mus_fail(MUS_BAD_INPUT, "triangle %d has no area in the material; repair the mesh's rest shape", side / 3);
  double u = to[0] - from[0], v = to[1] - from[1];
  out->length = sqrt(u * u + v * v);
  out->cosine = u / out->length;
  out->sine = v / out->length;
  out->turn = u * (apex[1] - from[1]) - v * (apex[0] - from[0]) > 0 ? 1 : -1;
  out->area = rest.area;
  out->height = 2 * rest.area / out->length;
  out->foot = (apex[0] - from[0]) * out->cosine + (apex[1] - from[1]) * out->sine;
  double beyond = out->length - out->foot, square = out->height * out->height;
  out->apex = (square - out->foot * beyond) / sqrt((square + out->foot * out->foot) * (square + beyond * beyond));
  return MUS_OK;
}

mus_status mus_flanks_of_hinge(const mus_mesh *mesh, const mus_topology *topology, int hinge, mus_flank *out) {
  const int *side = topology->edge_side + topology->edge_side_start[topology->hinge_edge[hinge]];
  const int *node = topology->hinge + 4 * (size_t)hinge;
  for (int k = 0; k < 2; ++k) {
    int own = mus_side_apex(mesh, side[0]) == node[2 + k] ? side[0] : side[1];
    mus_status status = flank_of(mesh, own, &out[k]);
    if (status)
      return status;
    if (mus_side_from(mesh, own) != node[0]) {
      out[k].foot = out[k].length - out[k].foot;
      out[k].cosine = -out[k].cosine;
      out[k].sine = -out[k].sine;
      out[k].turn = -out[k].turn;
    }
  }
  return MUS_OK;
}

double mus_flank_bend(const mus_fabric *fabric, const mus_flank *f) {
  return mus_bend_stiffness(fabric->bend[0], fabric->bend[1], fabric->bend[2], f->sine, f->cosine);
}

mus_status mus_strand_along_edge(const mus_mesh *mesh, const mus_topology *topology, int edge, const mus_fabric *fabric,
                                 mus_strand *out) {
  int sides = mus_edge_sides(topology, edge);
  double length = 0, stiffness = 0;
  for (int k = 0; k < sides; ++k) {
    mus_flank f;
    mus_status status = flank_of(mesh, topology->edge_side[topology->edge_side_start[edge] + k], &f);
    if (status)
      return status;
    length += f.length / sides;
    stiffness += mus_fabric_strip(fabric, f.cosine, f.sine) * f.area / (f.length * f.length);
  }
  *out = (mus_strand){.length = length, .stiffness = stiffness};
  return MUS_OK;
}

// Across a hinge laid flat, from c to d. What the line's direction is in the material, each of the two panels says.
mus_status mus_strand_across_hinge(const mus_mesh *mesh, const mus_topology *topology, int hinge,
                                   const mus_fabric *fabric, mus_strand *out) {
  mus_flank f[2];
  mus_status status = mus_flanks_of_hinge(mesh, topology, hinge, f);
  if (status)
    return status;
  double along = f[1].foot - f[0].foot, across = f[0].height + f[1].height;
  double square = along * along + across * across, length = sqrt(square);
  *out = (mus_strand){.length = length};
  for (int k = 0; k < 2; ++k) {
    double left = (k == 0 ? -across : across) * f[k].turn; // away from c, towards d
    double cosine = (along * f[k].cosine - left * f[k].sine) / length;
    double sine = (along * f[k].sine + left * f[k].cosine) / length;
    out->stiffness += mus_fabric_strip(fabric, cosine, sine) * f[k].area / square;
    out->beam += mus_flank_bend(fabric, &f[k]) * f[k].length / 3;
  }
  return MUS_OK;
}
