"""A tablecloth draped by Blender's cloth, at its own settings but for quality steps and stiffness.

    blender -b --factory-startup --python bench/budget_blender.py -- FOLDER FRAMES SIDE

The cloth has SIDE x SIDE vertices, is 1.3 m wide and falls onto a table as in muslin's scene "tablecloth". Writes drapes after
FRAMES frames as FOLDER/blender-STIFFNESS-QUALITY.obj, Y up, vertices in rows; those that are there are not made again.
Stiffness is a factor on Blender's own for tension, compression and shear (15, 15 and 5), quality its number of steps per
frame, which is 5 unless one changes it.
"""

import os
import sys

import bpy

FACTORS = (1, 10, 100, 1000)
QUALITIES = (5, 10, 20, 80)
SIZE, START, TOP = 1.3, 0.78, (0.8, 0.8, 0.04)


def grid(side):
    """A flat square of side x side vertices with alternating diagonals, as muslin's regular sheets have."""
    step = SIZE / (side - 1)
    vertices = [(i * step - SIZE / 2, j * step - SIZE / 2, START) for j in range(side) for i in range(side)]
    faces = []
    for j in range(side - 1):
        for i in range(side - 1):
            a = j * side + i
            b, c, d = a + 1, a + side + 1, a + side
            faces += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    mesh = bpy.data.meshes.new("cloth")
    mesh.from_pydata(vertices, [], faces)
    cloth = bpy.data.objects.new("cloth", mesh)
    bpy.context.collection.objects.link(cloth)
    return cloth


def table():
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.7))
    top = bpy.context.object
    top.scale = TOP
    top.modifiers.new("collision", "COLLISION")


def write(path, cloth):
    """As OBJ with Y up: (x, y, z) of Blender is (x, z, -y)."""
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    with open(path, "w", encoding="ascii") as file:
        for vertex in mesh.vertices:
            x, y, z = vertex.co
            file.write(f"v {x:.9g} {z:.9g} {-y:.9g}\n")
        for face in mesh.polygons:
            file.write("f " + " ".join(str(v + 1) for v in face.vertices) + "\n")


def drape(path, frames, side, factor, quality):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.frame_set(1)
    cloth = grid(side)
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames
    settings = modifier.settings
    settings.quality = quality
    # The three have an upper bound each; it is said where one is met.
    for name in ("tension_stiffness", "compression_stiffness", "shear_stiffness"):
        wanted = factor * getattr(settings, name)
        setattr(settings, name, wanted)
        if getattr(settings, name) < 0.999 * wanted:
            print(f"{name} is {getattr(settings, name):g} instead of {wanted:g}")
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    write(path, cloth)
    bpy.data.objects.remove(cloth)


def main(folder, frames, side):
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.context.scene.render.fps = 24
    table()
    for factor in FACTORS:
        for quality in QUALITIES:
            path = f"{folder}/blender-{factor}-{quality}.obj"
            if not os.path.exists(path):
                drape(path, int(frames), int(side), factor, quality)
                print(path, flush=True)


main(*sys.argv[sys.argv.index("--") + 1 :])
