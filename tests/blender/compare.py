# Runs inside Blender: loads what `muslin run` has written, by the clicks that docs/caches.md names, and compares.
#
#   blender -b --factory-startup --python-exit-code 1 --python compare.py -- FOLDER
import os
import sys

import bpy

TOLERANCE = 1e-6  # m

folder = sys.argv[sys.argv.index("--") + 1]


def read_positions(frame):
    """The expected positions, from the OBJ sequence, which has all their digits."""
    with open(os.path.join(folder, "flag", f"frame_{frame:04}.obj"), encoding="ascii") as lines:
        return [tuple(map(float, line.split()[1:])) for line in lines if line.startswith("v ")]


def import_mesh():
    """File > Import > Wavefront (.obj), with the settings that the dialog comes with."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    path = os.path.join(folder, "flag.obj")
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=path)
    else:  # Blender before 3.3, whose importer sorts vertices by material unless told otherwise
        bpy.ops.import_scene.obj(filepath=path, split_mode="OFF")
    return bpy.context.selected_objects[0]


def add_cache(cloth, name):
    """Modifiers > Add > Deform > Mesh Cache: format and file are all there is to set."""
    modifier = cloth.modifiers.new("Mesh Cache", "MESH_CACHE")
    modifier.cache_format = "PC2" if name.endswith(".pc2") else "MDD"
    modifier.filepath = os.path.join(folder, name)


def largest_error(cloth, expected):
    """Between the vertices that Blender shows, in the world (Z up), and what was simulated (Y up)."""
    evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    vertices = evaluated.data.vertices
    if len(vertices) != len(expected):
        sys.exit(f"{len(vertices)} vertices instead of {len(expected)}")
    error = 0.0
    for vertex, (x, y, z) in zip(vertices, expected):
        place = evaluated.matrix_world @ vertex.co
        error = max(error, abs(place[0] - x), abs(place[1] + z), abs(place[2] - y))
        error = max(error, *(abs(a - b) for a, b in zip(vertex.co, (x, y, z))))
    return error


failed = False
for name in ("flag.pc2", "flag.mdd"):
    cloth = import_mesh()
    add_cache(cloth, name)
    for frame in (0, 3, 6):
        expected = read_positions(frame)
        bpy.context.scene.frame_set(frame)
        error = largest_error(cloth, expected)
        failed = failed or not error <= TOLERANCE
        print(f"{name}: frame {frame}: {len(expected)} vertices, largest error {error:.2e} m")
print("Blender", bpy.app.version_string, "FAILED" if failed else "agrees")
sys.exit(1 if failed else 0)
