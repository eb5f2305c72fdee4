// See part_shape.h.
#include "model/part_shape.h"

#include <math.h>

#include "base/error.h"

static const double degree = 0.017453292519943295;

mus_up mus_file_up_of(mus_file_up up, mus_up otherwise) {
  return up == MUS_FILE_UP_AUTO ? otherwise : up == MUS_FILE_UP_Z ? MUS_UP_Z : MUS_UP_Y;
}

void mus_part_place(const double rotate[3], const double translate[3], mus_mesh *mesh) {
  for (int axis = 0; axis < 3; ++axis) {
    double c = cos(rotate[axis] * degree), s = sin(rotate[axis] * degree);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int i = 0; i < mesh->vertices && rotate[axis] != 0; ++i) {
      double *x = mesh->position + 3 * (size_t)i, first = x[a], second = x[b];
      x[a] = c * first - s * second;
      x[b] = s * first + c * second;
    }
  }
  for (int i = 0; i < mesh->vertices; ++i)
    for (int c = 0; c < 3; ++c)
      mesh->position[3 * (size_t)i + (size_t)c] += translate[c];
}

int mus_part_seen(const mus_part_shape *shape, int vertex) {
  return shape->order ? shape->order->vertex[vertex] : vertex;
}

int mus_part_simulated(const mus_part_shape *shape, int seen) {
  return shape->order ? shape->order->new_vertex[seen] : seen;
}

mus_status mus_part_vertex(const mus_part_shape *shape, int number, int *vertex) {
  int low = 0, high = shape->mesh.vertices; // the first that is not below the number, in what is seen
  while (shape->kept && low < high) {
    int middle = low + (high - low) / 2;
    if (shape->kept[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  int seen = shape->kept ? low : number;
  if (seen >= shape->mesh.vertices)
    return mus_fail(MUS_BAD_INPUT, "vertex %d is outside 0...%d", number,
                    shape->kept ? shape->kept[shape->mesh.vertices - 1] : shape->mesh.vertices - 1);
  if (shape->kept && shape->kept[seen] != number)
    return mus_fail(MUS_BAD_INPUT, "vertex %d belongs to no %s and was left out", number,
                    shape->tetrahedra > 0 ? "tetrahedron" : "triangle");
  *vertex = shape->order ? shape->order->new_vertex[seen] : seen;
  return MUS_OK;
}
