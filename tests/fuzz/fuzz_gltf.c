// libFuzzer target for glTF: any bytes give a status, and what is accepted has a sound surface that moves by finite
// numbers or says that it cannot.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/gltf.h"

static void require(int condition) {
  if (!condition)
    abort();
}

static void move(mus_gltf *gltf) {
  int vertices = mus_gltf_mesh(gltf)->vertices, animations = mus_gltf_describe(gltf).animations, animation;
  double *position = malloc(3 * (size_t)vertices * sizeof *position);
  require(position != NULL);
  require(mus_gltf_find_animation(gltf, NULL, &animation) == MUS_OK && animation == (animations > 0 ? 0 : -1));
  for (int a = -1; a < animations && a < 4; ++a) {
    double length = a < 0 ? 1 : mus_gltf_animation_length(gltf, a);
    require(length >= 0);
    for (int k = -1; k < 6; ++k)
      if (mus_gltf_at(gltf, a, k * length / 4, position) == MUS_OK)
        for (size_t i = 0; i < 3 * (size_t)vertices; ++i)
          require(isfinite(position[i]));
  }
  free(position);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mus_gltf *gltf = NULL;
  if (mus_gltf_parse("fuzz", data, size, &gltf) != MUS_OK)
    return 0;
  const mus_mesh *mesh = mus_gltf_mesh(gltf);
  require(mesh->vertices > 0 && mesh->triangles > 0);
  for (int t = 0; t < mesh->triangles; ++t) {
    const int *corner = mesh->triangle + 3 * (size_t)t;
    for (int k = 0; k < 3; ++k)
      require(corner[k] >= 0 && corner[k] < mesh->vertices && corner[k] != corner[(k + 1) % 3]);
  }
  move(gltf);
  mus_gltf_free(gltf);
  return 0;
}
