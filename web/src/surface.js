// Triangles as plain arrays: normals, rays, boxes. Nothing here knows how they are drawn.

/** Normals of vertices, weighted by the triangles' areas, into `normals`. */
export function computeNormals(positions, triangles, normals) {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    normals[a] += x; normals[a + 1] += y; normals[a + 2] += z;
    normals[b] += x; normals[b + 1] += y; normals[b + 2] += z;
    normals[c] += x; normals[c + 1] += y; normals[c + 2] += z;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    normals[i] /= length; normals[i + 1] /= length; normals[i + 2] /= length;
  }
}

/**
 * Vertices for shading, of a body with edges: where triangles meet at more than 40 degrees, each side gets its own.
 * {from: the vertex that each is at, triangles: in these}.
 */
export function splitAtCreases(positions, triangles) {
  const flat = new Float32Array(triangles.length), around = new Map(), from = [], split = new Uint32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const normal = new Float32Array(9), corners = new Float32Array(9);
    for (let k = 0; k < 9; ++k) corners[k] = positions[3 * triangles[t + Math.floor(k / 3)] + k % 3];
    computeNormals(corners, [0, 1, 2], normal);
    flat.set(normal.subarray(0, 3), t);
  }
  for (let k = 0; k < triangles.length; ++k) {
    const t = k - k % 3, vertex = triangles[k], sides = around.get(vertex) ?? [];
    // A side is a vertex for shading with the normal of the triangle that made it.
    let side = sides.find(s => s.normal[0] * flat[t] + s.normal[1] * flat[t + 1] + s.normal[2] * flat[t + 2] > 0.77);
    if (!side) {
      side = {normal: flat.slice(t, t + 3), number: from.length};
      from.push(vertex);
      around.set(vertex, [...sides, side]);
    }
    split[k] = side.number;
  }
  return {from, triangles: split};
}

/** Each edge once, as pairs of vertices. */
export function edgesOf(triangles) {
  const seen = new Set(), edges = [];
  for (let k = 0; k < triangles.length; ++k) {
    const a = triangles[k], b = triangles[k - k % 3 + (k + 1) % 3], key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
    if (seen.has(key)) continue;
    seen.add(key);
    edges.push(a, b);
  }
  return new Uint32Array(edges);
}

/** The nearest triangle that a ray meets: {triangle, weight: [3], distance}, or null. Both are arrays of three. */
export function pick(origin, direction, positions, triangles) {
  let best = null;
  const [ox, oy, oz] = origin, [dx, dy, dz] = direction;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
    const ux = positions[b] - ax, uy = positions[b + 1] - ay, uz = positions[b + 2] - az;
    const vx = positions[c] - ax, vy = positions[c + 1] - ay, vz = positions[c + 2] - az;
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const volume = ux * px + uy * py + uz * pz;
    if (volume === 0) continue;
    const wx = ox - ax, wy = oy - ay, wz = oz - az;
    const second = (wx * px + wy * py + wz * pz) / volume;
    if (second < 0 || second > 1) continue;
    const qx = wy * uz - wz * uy, qy = wz * ux - wx * uz, qz = wx * uy - wy * ux;
    const third = (dx * qx + dy * qy + dz * qz) / volume;
    if (third < 0 || second + third > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / volume;
    if (distance > 0 && (!best || distance < best.distance))
      best = {triangle: t / 3, weight: [Math.max(0, 1 - second - third), second, third], distance};
  }
  return best;
}

/** {low: [3], high: [3]} of positions. */
export function boxOf(positions) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], positions[i]);
    high[i % 3] = Math.max(high[i % 3], positions[i]);
  }
  return {low, high};
}
