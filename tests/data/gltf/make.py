#!/usr/bin/env python3
"""Writes the good_... files of this folder, and beside each what its vertices are at some times, computed here.

The computation shares nothing with the program: matrices of 4 x 4, rotations between two by the angle of the one in
terms of the other, cubics by de Casteljau's rule.
"""
import base64, json, math, struct

KINDS = {5120: 'b', 5121: 'B', 5122: 'h', 5123: 'H', 5125: 'I', 5126: 'f'}
LARGEST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


class File:
    """A glTF file in the making: `add` puts numbers into the buffer and returns the accessor's number."""

    def __init__(self):
        self.data = bytearray()
        self.json = {'asset': {'version': '2.0'}, 'bufferViews': [], 'accessors': [], 'nodes': [], 'meshes': [],
                     'scenes': [{'nodes': [0]}], 'scene': 0}

    def view(self, data, **more):
        while len(self.data) % 4:
            self.data.append(0)
        self.json['bufferViews'].append(dict(buffer=0, byteOffset=len(self.data), byteLength=len(data), **more))
        self.data += data
        return len(self.json['bufferViews']) - 1

    def add(self, kind, shape, rows, normalized=False, gap=0):
        rows = [r if isinstance(r, (list, tuple)) else [r] for r in rows]
        data = b''.join(struct.pack('<%d%s' % (WIDTHS[shape], KINDS[kind]), *r) + b'\xAA' * gap for r in rows)
        stride = {'byteStride': len(data) // len(rows)} if gap else {}
        accessor = dict(bufferView=self.view(data, **stride), componentType=kind, count=len(rows), type=shape)
        if normalized:
            accessor['normalized'] = True
        self.json['accessors'].append(accessor)
        return len(self.json['accessors']) - 1

    def write_text(self, path, uri=None):
        self.json['buffers'] = [{'byteLength': len(self.data),
                                 'uri': uri or 'data:application/octet-stream;base64,' +
                                 base64.b64encode(self.data).decode()}]
        open(path, 'w').write(json.dumps(self.json, indent=1) + '\n')

    def write_binary(self, path):
        self.json['buffers'] = [{'byteLength': len(self.data)}]
        text = json.dumps(self.json, separators=(',', ':')).encode()
        text += b' ' * (-len(text) % 4)
        data = bytes(self.data) + b'\0' * (-len(self.data) % 4)
        chunks = struct.pack('<II', len(text), 0x4E4F534A) + text + struct.pack('<II', len(data), 0x004E4942) + data
        open(path, 'wb').write(b'glTF' + struct.pack('<II', 2, 12 + len(chunks)) + chunks)


def single(x):  # as the file keeps it
    return struct.unpack('<f', struct.pack('<f', x))[0]


# --- matrices, quaternions, curves -----------------------------------------------------------------------------------

def multiply(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def inverse(m):  # Gauss and Jordan
    rows = [list(m[r]) + [float(r == c) for c in range(4)] for r in range(4)]
    for c in range(4):
        pivot = max(range(c, 4), key=lambda r: abs(rows[r][c]))
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for r in range(4):
            if r != c:
                rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c])]
    return [r[4:] for r in rows]


def turn(q, v):  # q v q*
    def product(a, b):
        ax, ay, az, aw = a
        bx, by, bz, bw = b
        return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)
    return product(product(q, (*v, 0)), (-q[0], -q[1], -q[2], q[3]))[:3]


def matrix(t=(0, 0, 0), q=(0, 0, 0, 1), s=(1, 1, 1)):
    n = math.sqrt(sum(x * x for x in q))
    q = [x / n for x in q]
    columns = [turn(q, [s[c] if r == c else 0 for r in range(3)]) for c in range(3)]
    return [[columns[c][r] for c in range(3)] + [t[r]] for r in range(3)] + [[0, 0, 0, 1]]


def between_turns(a, b, part):  # a (a* b)^part
    if sum(x * y for x, y in zip(a, b)) < 0:
        b = [-x for x in b]
    ax, ay, az, aw = -a[0], -a[1], -a[2], a[3]
    bx, by, bz, bw = b
    r = (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
         aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)
    length = math.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    angle = math.atan2(length, r[3]) * part
    f = math.sin(angle) / length if length else 0
    bx, by, bz, bw = r[0] * f, r[1] * f, r[2] * f, math.cos(angle)
    ax, ay, az, aw = a
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def track_at(track, time):
    times, values, how = track['times'], track['values'], track['how']
    if how == 'CUBICSPLINE':
        before, points, after = values[0::3], values[1::3], values[2::3]
    else:
        points = values
    if time <= times[0]:
        return points[0]
    if time >= times[-1]:
        return points[-1]
    k = max(i for i in range(len(times)) if times[i] <= time)
    step = times[k + 1] - times[k]
    part = (time - times[k]) / step
    if how == 'STEP':
        return points[k]
    if how == 'CUBICSPLINE':
        curve = [points[k], [p + step / 3 * m for p, m in zip(points[k], after[k])],
                 [p - step / 3 * m for p, m in zip(points[k + 1], before[k + 1])], points[k + 1]]
        while len(curve) > 1:
            curve = [[(1 - part) * x + part * y for x, y in zip(a, b)] for a, b in zip(curve, curve[1:])]
        return curve[0]
    if track['path'] == 'rotation':
        return between_turns(points[k], points[k + 1], part)
    return [x + part * (y - x) for x, y in zip(points[k], points[k + 1])]


def add_track(file, animation, node, path, how, times, values):
    """Into the file's last animation; returns what track_at() needs, in single precision as the file has it."""
    if not file.json.get('animations') or file.json['animations'][-1]['name'] != animation:
        file.json.setdefault('animations', []).append({'name': animation, 'channels': [], 'samplers': []})
    a = file.json['animations'][-1]
    flat = path == 'weights'
    shape = 'SCALAR' if flat else 'VEC4' if path == 'rotation' else 'VEC3'
    rows = [x for v in values for x in v] if flat else values
    a['samplers'].append({'input': file.add(5126, 'SCALAR', times), 'output': file.add(5126, shape, rows),
                          'interpolation': how})
    a['channels'].append({'sampler': len(a['samplers']) - 1, 'target': {'node': node, 'path': path}})
    return dict(node=node, path=path, how=how, times=[single(t) for t in times],
                values=[[single(x) for x in v] for v in values])


def world(file, moved):
    """Matrices of all nodes; `moved` maps (node, path) to values of the moment."""
    nodes = file.json['nodes']
    parent = {c: n for n, node in enumerate(nodes) for c in node.get('children', [])}
    def of(n):
        node = nodes[n]
        if 'matrix' in node:
            own = [[node['matrix'][4 * c + r] for c in range(4)] for r in range(4)]
        else:
            own = matrix(*[moved.get((n, path), node.get(path, rest)) for path, rest in
                           (('translation', (0, 0, 0)), ('rotation', (0, 0, 0, 1)), ('scale', (1, 1, 1)))])
        return multiply(of(parent[n]), own) if n in parent else own
    return [of(n) for n in range(len(nodes))]


def apply(m, x):
    return [sum(m[r][c] * x[c] for c in range(3)) + m[r][3] for r in range(3)]


def write_expected(path, positions_at, times):
    with open(path, 'w') as out:
        for time in times:
            positions = positions_at(time)
            out.write('%d %.17g\n' % (len(positions), time))
            for p in positions:
                out.write('%.17g %.17g %.17g\n' % tuple(p))


def unique(rows):
    return list(dict.fromkeys(rows))


# --- a beam on three bones ---------------------------------------------------------------------------------------------

def beam():
    file = File()
    s = math.sqrt(0.5)
    file.json['nodes'] = [
        {'name': 'root', 'children': [1, 4], 'translation': [1, 2, 3], 'rotation': [0, s, 0, s], 'scale': [2, 2, 2]},
        {'name': 'hip', 'children': [2], 'translation': [0, 0, 0.5]},
        {'name': 'knee', 'children': [3], 'translation': [0, 1, 0], 'rotation': [0.1, 0.2, 0.3, 0.9]},
        {'name': 'foot', 'translation': [0, 1, 0]},
        {'name': 'beam', 'mesh': 0, 'skin': 0, 'translation': [100, 100, 100]}]  # of no account: it has a skin
    rest = world(file, {})
    binding = [inverse(rest[n]) for n in (1, 2, 3)]
    columns = [[m[r][c] for c in range(4) for r in range(4)] for m in binding]
    # Five squares up the beam, in the bones' world; the first corner of each twice, as texture seams have it.
    corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1)]
    positions = [[single(1 + x), single(2 + y), single(3 + z)] for y in (0, 1, 2, 3, 4) for x, z in corners]
    level = [i // 5 for i in range(25)]
    # Bytes that sum to 255; the fourth square has an influence in the second set.
    shares = [(255, 0, 0, 0), (155, 100, 0, 0), (55, 150, 50, 0), (0, 100, 100, 0), (0, 5, 250, 0)]
    second = [0, 0, 0, 55, 0]
    triangles = []
    for ring in range(4):
        for k in range(4):
            a, b, c, d = 5 * ring + k, 5 * ring + k + 1, 5 * ring + 6 + k, 5 * ring + 5 + k
            triangles += [a, c, b, a, d, c]
    triangles += [0, 1, 2, 0, 2, 3, 20, 22, 21, 20, 23, 22]
    attributes = {'POSITION': file.add(5126, 'VEC3', positions, gap=4),
                  'JOINTS_0': file.add(5121, 'VEC4', [(0, 1, 2, 0)] * 25),
                  'WEIGHTS_0': file.add(5121, 'VEC4', [shares[k] for k in level], normalized=True),
                  'JOINTS_1': file.add(5123, 'VEC4', [(0, 2, 2, 2)] * 25),
                  'WEIGHTS_1': file.add(5126, 'VEC4', [(second[k] / 255, 0, 0, 0) for k in level])}
    file.json['meshes'] = [{'primitives': [{'attributes': attributes, 'indices': file.add(5123, 'SCALAR', triangles)}]}]
    file.json['skins'] = [{'joints': [1, 2, 3], 'inverseBindMatrices': file.add(5126, 'MAT4', columns)}]
    inverses = [[[single(x) for x in r] for r in m] for m in binding]
    tracks = [add_track(file, 'bend', 2, 'rotation', 'LINEAR', [0.5, 1, 2],
                        [(0, 0, 0, 1), (0, 0, s, s), (0, -s, 0, -s)]),  # the shorter way is by the other sign
              add_track(file, 'bend', 1, 'translation', 'CUBICSPLINE', [0.5, 1.25, 2.5],
                        [(0, 0, 0), (0, 0, 0.5), (1, 0, 0), (0, 1, 0), (1, 0, 0.5), (0, 0, 2), (0, 0, -1),
                         (0, 0, 0.5), (0, 0, 0)]),
              add_track(file, 'bend', 3, 'scale', 'STEP', [0.75, 1.5], [(1, 1, 1), (2, 1, 0.5)])]
    add_track(file, 'still', 3, 'scale', 'LINEAR', [1], [(1, 2, 1)])
    vertices = unique([(tuple(positions[i]), level[i]) for i in range(25)])

    def positions_at(time):
        at = 0.5 + math.fmod(time, 2)  # the first key is at 0.5 s, the last at 2.5 s
        moved = {(t['node'], t['path']): track_at(t, at) for t in tracks} if time >= 0 else {}
        nodes = world(file, moved)
        bones = [multiply(nodes[n], inverses[k]) for k, n in enumerate((1, 2, 3))]
        out = []
        for x, k in vertices:
            weights = [shares[k][0] + second[k], shares[k][1], shares[k][2]]
            places = [apply(b, x) for b in bones]
            out.append([sum(w * p[c] for w, p in zip(weights, places)) / 255 for c in range(3)])
        return out
    file.write_text('good_beam.gltf')
    file.write_binary('good_beam.glb')
    write_expected('good_beam.expected', positions_at, [-1, 0, 0.1, 0.25, 0.5, 0.75, 1, 1.3, 1.5, 1.9, 2, 3.3, 2001.5])


# --- parts without bones -------------------------------------------------------------------------------------------------

def parts():
    file = File()
    file.json['nodes'] = [
        {'children': [1, 2], 'matrix': [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 5, 6, 7, 1]},
        {'mesh': 0, 'scale': [-1, 2, 1], 'children': [3]},  # mirrored: triangles turn over
        {'mesh': 1, 'translation': [0, 1, 0], 'weights': [0.5, 0]},
        {'translation': [0, 0, 1], 'mesh': 2},
        {'mesh': 0}]  # in no scene
    square = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    strip = {'attributes': {'POSITION': file.add(5126, 'VEC3', square)}, 'mode': 5,
             'indices': file.add(5121, 'SCALAR', [0, 1, 2, 3])}
    # A second primitive that shares an edge with the first, as another material's has it.
    more = [(1, 0, 0), (2, 0, 0), (1, 1, 0)]
    lines = {'attributes': {'POSITION': 0}, 'mode': 1}
    plain = {'attributes': {'POSITION': file.add(5126, 'VEC3', more)}}
    file.json['meshes'] = [{'primitives': [strip, lines, plain]}]
    # Morph targets: a fan whose middle rises by a sparse accessor, and a target in 16-bit integers.
    fan = [(0, 0, 0), (1, 0, 0), (0, 0, -1), (-1, 0, 0), (0, 0, 1), (1, 0, 0)]
    rise = file.add(5126, 'VEC3', [(0, 0, 0)] * 6)
    file.json['accessors'][rise] = {
        'componentType': 5126, 'count': 6, 'type': 'VEC3',
        'sparse': {'count': 1, 'indices': {'bufferView': file.view(struct.pack('<H', 0)), 'componentType': 5123},
                   'values': {'bufferView': file.view(struct.pack('<3f', 0, 2, 0))}}}
    spread = file.add(5122, 'VEC3', [(32767 * x, y, 32767 * z) for x, y, z in fan], normalized=True, gap=2)
    base = file.add(5126, 'VEC3', fan)
    file.json['meshes'].append({'primitives': [{'attributes': {'POSITION': base}, 'mode': 6,
                                                'targets': [{'POSITION': rise}, {'POSITION': spread}]}],
                                'weights': [9, 9]})
    small = [(-128, 0, 0), (127, 0, 0), (0, 64, 0)]
    file.json['meshes'].append({'primitives': [{'attributes': {'POSITION': file.add(5120, 'VEC3', small, gap=1)},
                                                'indices': file.add(5125, 'SCALAR', [2, 0, 1])}]})
    tracks = [add_track(file, 'move', 1, 'rotation', 'CUBICSPLINE', [0, 1],
                        [(0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 1), (0, 0, 0, 0)]),
              add_track(file, 'move', 2, 'weights', 'LINEAR', [0, 1, 2], [(0, 1), (1, 0), (0.25, 0.5)]),
              add_track(file, 'move', 3, 'translation', 'LINEAR', [0, 4], [(0, 0, 1), (0, 8, 1)])]
    first = unique([tuple(map(float, p)) for p in square + more])
    middle = unique([(tuple(map(float, p)), (0.0, 2.0, 0.0) if i == 0 else (0.0, 0.0, 0.0), tuple(map(float, p)))
                     for i, p in enumerate(fan)])

    def positions_at(time):
        at = math.fmod(time, 4)
        moved = {(t['node'], t['path']): track_at(t, at) for t in tracks} if time >= 0 else {}
        nodes = world(file, moved)
        weights = moved.get((2, 'weights'), [0.5, 0])
        out = [apply(nodes[1], p) for p in first]
        out += [apply(nodes[2], [p[c] + weights[0] * a[c] + weights[1] * b[c] for c in range(3)]) for p, a, b in middle]
        return out + [apply(nodes[3], p) for p in small]
    file.write_text('good_parts.gltf', 'parts%20of%20good.bin')
    open('parts of good.bin', 'wb').write(file.data)
    write_expected('good_parts.expected', positions_at, [-1, 0, 0.3, 0.5, 1, 1.5, 2, 3.9, 4, 5.25])


beam()
parts()
