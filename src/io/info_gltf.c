// What there is to say about a glTF file. See info.h.
#include "io/gltf.h"
#include "io/info.h"
#include "mesh/measure.h"
#include "mesh/topology.h"

static mus_status print_surface(const mus_gltf *gltf, FILE *out) {
  const mus_mesh *mesh = mus_gltf_mesh(gltf);
  mus_gltf_about about = mus_gltf_describe(gltf);
  mus_box b = mus_mesh_box(mesh);
  mus_arena arena = {0};
  mus_topology topology;
  mus_info_line(out, "vertices", "%d, merged from the file's %d", mesh->vertices, about.vertices);
  mus_info_line(out, "triangles", "%d", mesh->triangles);
  mus_info_line(out, "box", "from (%g, %g, %g) to (%g, %g, %g) at rest", b.low[0], b.low[1], b.low[2], b.high[0],
                b.high[1], b.high[2]);
  mus_status status = mus_topology_create(&arena, mesh, &topology);
  if (!status && topology.boundary_edges + topology.branching_edges > 0)
    mus_info_line(out, "surface", "%d pieces; %d edges at the boundary, %d of three triangles or more",
                  topology.components, topology.boundary_edges, topology.branching_edges);
  else if (!status)
    mus_info_line(out, "surface", "%d pieces, closed", topology.components);
  mus_arena_clear(&arena);
  return status;
}

static void print_motion(const mus_gltf *gltf, FILE *out) {
  mus_gltf_about about = mus_gltf_describe(gltf);
  mus_info_line(out, "nodes", "%d, %d of them with meshes", about.nodes, about.parts);
  if (about.skins > 0)
    mus_info_line(out, "skins", "%d, with %d joints", about.skins, about.joints);
  if (about.targets > 0)
    mus_info_line(out, "morphing", "%d targets", about.targets);
  for (int k = 0; k < about.animations; ++k) {
    const char *name = mus_gltf_animation_name(gltf, k);
    mus_info_line(out, k == 0 ? "animations" : "", "%s%s%s, %g s", name[0] ? "\"" : "", name[0] ? name : "(no name)",
                  name[0] ? "\"" : "", mus_gltf_animation_length(gltf, k));
  }
  if (about.animations == 0)
    mus_info_line(out, "animations", "none");
}

mus_status mus_info_gltf(const char *path, FILE *out) {
  mus_gltf *gltf = NULL;
  mus_status status = mus_gltf_read(path, &gltf);
  if (status)
    return status;
  fprintf(out, "%s: a glTF model\n", path);
  status = print_surface(gltf, out);
  if (!status)
    print_motion(gltf, out);
  mus_gltf_free(gltf);
  return status;
}
