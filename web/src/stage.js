// What is seen: cloth, bodies, ground, light, camera.
import {
  BackSide, BufferAttribute, BufferGeometry, Color, DirectionalLight, DynamicDrawUsage, Fog, FrontSide,
  HemisphereLight, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, PCFShadowMap, PerspectiveCamera,
  PlaneGeometry, SRGBColorSpace, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {boxOf, computeNormals, edgesOf, splitAtCreases} from './surface.js';

const backdrop = 0x2c3036;
export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({canvas, antialias: true});
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.scene.background = new Color(backdrop);
    this.scene.fog = new Fog(backdrop, 6, 24);
    this.camera = new PerspectiveCamera(32, 1, 0.01, 200);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.sun = new DirectionalLight(0xfff4e4, 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.01;
    this.scene.add(this.sun, this.sun.target, new HemisphereLight(0xdfe8f3, 0x6b645c, 1.25));
    this.ground = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({color: 0x6a6e74, roughness: 0.95}));
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.receiveShadow = true;
    this.scene.add(this.ground);
    this.makeHand();
    this.meshes = [];
    this.dirty = true;
  }

  // A ball where the hand is, and a thread from there to the cloth.
  makeHand() {
    this.ball = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({color: 0xe0a458, depthTest: false, transparent: true}));
    this.thread = new Line(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3)),
                           new LineBasicMaterial({color: 0xe0a458, depthTest: false, transparent: true})); // seen through cloth
    this.thread.frustumCulled = false;
    this.ball.renderOrder = this.thread.renderOrder = 1;
    this.ball.visible = this.thread.visible = false;
    this.scene.add(this.ball, this.thread);
    this.pins = [];
    this.probe = new Mesh(this.ball.geometry, new MeshBasicMaterial({color: 0xffffff, depthTest: false, transparent: true}));
    this.probe.renderOrder = 1;
    this.probe.visible = false;
    this.scene.add(this.probe);
  }

  // Balls where grabs were kept.
  showPins(points) {
    while (this.pins.length > points.length) this.scene.remove(this.pins.pop());
    while (this.pins.length < points.length) {
      const pin = this.ball.clone();
      pin.visible = true;
      this.pins.push(pin);
      this.scene.add(pin);
    }
    this.pins.forEach((pin, k) => this.mark(pin, points[k]));
  }

  mark(ball, point) {
    ball.position.set(...point);
    ball.scale.setScalar(0.005 * this.camera.position.distanceTo(ball.position));
    this.dirty = true;
  }

  showHand(point, target) {
    this.ball.visible = this.thread.visible = Boolean(target);
    this.dirty = true;
    if (!target) return;
    this.ball.position.set(...target);
    this.ball.scale.setScalar(0.006 * this.camera.position.distanceTo(this.ball.position));
    this.thread.geometry.attributes.position.array.set([...point, ...target]);
    this.thread.geometry.attributes.position.needsUpdate = true;
  }

  surface(positions, triangles) {
    const geometry = new BufferGeometry();
    for (const name of ['position', 'normal', 'color'])
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(positions), 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    return geometry;
  }

  // From a server's introduction: everything anew, but for the view, where it is what was seen before.
  introduce({head, arrays}) {
    const key = `${head.mode} ${head.name} ${head.vertices}`;
    this.framed = this.framed && key === this.key;
    this.key = key;
    this.bodyBox = null;
    for (const mesh of this.meshes) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.triangles = arrays.triangles;
    this.parts = head.parts;
    this.fabrics = new Map(head.fabrics ?? []);
    this.geometry = this.surface(3 * head.vertices, arrays.triangles);
    this.materials = [FrontSide, BackSide].map(side => new MeshStandardMaterial({
      side, vertexColors: true, roughness: 0.85, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
    this.materials[1].color.set(0.82, 0.84, 0.9); // a little cooler from behind
    this.meshes = this.materials.map(material => new Mesh(this.geometry, material));
    this.meshes[0].castShadow = true;
    this.materials[0].shadowSide = 2; // both
    this.wires = this.makeWires(arrays.triangles);
    this.bodyParts = head.bodyParts;
    this.split = splitAtCreases(arrays.bodies, this.shownTriangles(arrays.bodyTriangles));
    this.bodies = this.surface(3 * this.split.from.length, this.split.triangles);
    this.paintBodies();
    this.meshes.push(new Mesh(this.bodies, new MeshStandardMaterial({vertexColors: true, roughness: 0.7})), this.wires);
    for (const mesh of this.meshes) {
      mesh.receiveShadow = mesh !== this.wires;
      mesh.frustumCulled = false;
      this.scene.add(mesh);
    }
    this.meshes[2].castShadow = true;
    this.setBodies(arrays.bodies);
    this.paintFabric();
  }

  // Edges over the surface; made when they are first wanted, for they take time.
  makeWires(triangles) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.geometry.attributes.position);
    const wires = new LineSegments(geometry, new LineBasicMaterial({color: 0x14161a, transparent: true, opacity: 0.55}));
    wires.visible = false;
    wires.build = () => { geometry.index ?? geometry.setIndex(new BufferAttribute(edgesOf(triangles), 1)); };
    return wires;
  }

  showWires(shown) {
    if (!this.wires) return;
    if (shown) this.wires.build();
    this.wires.visible = shown;
  }

  partOf(vertex) { return this.bodyParts.findLast(({first}) => first <= vertex); }

  // Bodies that the scene hides are left out.
  shownTriangles(triangles) {
    if (!this.bodyParts.some(({hidden}) => hidden)) return triangles;
    return triangles.filter((_, k) => !this.partOf(triangles[k - k % 3]).hidden);
  }

  paintBodies() {
    const colour = new Color(), colours = this.bodies.attributes.color.array;
    this.split.from.forEach((vertex, i) => {
      colour.setRGB(...this.partOf(vertex).colour, SRGBColorSpace).toArray(colours, 3 * i);
    });
  }

  setBodies(positions) {
    if (this.split.from.length === 0) return;
    const {position, normal} = this.bodies.attributes, {from, triangles} = this.split;
    for (let i = 0; i < from.length; ++i)
      for (let c = 0; c < 3; ++c) position.array[3 * i + c] = positions[3 * from[i] + c];
    computeNormals(position.array, triangles, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
    this.bodyBox = boxOf(position.array);
    this.dirty = true;
  }

  setPositions(positions) {
    const {position, normal} = this.geometry.attributes;
    position.array.set(positions);
    computeNormals(positions, this.triangles, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
    this.box = boxOf(positions);
    if (!this.framed) this.home();
    this.follow();
    if (this.split.from.length === 0 && this.box.low[1] < this.ground.position.y) this.ground.position.y = this.box.low[1] - 0.002;
    this.dirty = true;
  }

  // The camera goes along where the cloth is about to leave the picture by itself, and looks again where it has begun
  // anew elsewhere.
  follow() {
    const centre = new Vector3(...this.box.low.map((x, c) => (x + this.box.high[c]) / 2)), before = this.centre ?? centre;
    const seen = point => {
      const at = point.clone().project(this.camera);
      return Math.abs(at.x) < 0.6 && Math.abs(at.y) < 0.6 && at.z < 1;
    };
    this.camera.updateMatrixWorld();
    if (!seen(centre) && this.begun) {
      this.home();
    } else if (!seen(centre) && seen(before)) {
      const way = centre.clone().sub(before);
      for (const thing of [this.camera, this.sun, this.sun.target]) thing.position.add(way);
      this.controls.target.add(way);
    }
    this.centre = centre;
    this.begun = false;
  }

  get positions() { return this.geometry.attributes.position.array; }
  get colours() { return this.geometry.attributes.color.array; }

  painted() {
    this.geometry.attributes.color.needsUpdate = true;
    this.dirty = true;
  }

  /** The fabrics that cloths are of now: true where one was of another, and has no colour of its own. */
  wear(fabrics) {
    let changed = false;
    this.parts.forEach((part, k) => {
      const before = part.fabric, fabric = fabrics[k];
      part.fabric = fabric;
      if (before === fabric || part.own || !this.fabrics.has(fabric)) return;
      part.colour = this.fabrics.get(fabric);
      changed = true;
    });
    return changed;
  }

  paintFabric() {
    const colour = new Color(), colours = this.colours;
    this.parts.forEach((part, k) => {
      colour.setRGB(...part.colour, SRGBColorSpace);
      const end = k + 1 < this.parts.length ? this.parts[k + 1].first : colours.length / 3;
      for (let i = part.first; i < end; ++i) colour.toArray(colours, 3 * i);
    });
    this.painted();
  }

  // A box with what is near it of bodies: a mannequin's head, but no floor's ends.
  withBodies(box) {
    const low = [...box.low], high = [...box.high], bodies = this.bodies.attributes.position.array;
    const reach = 0.4 * Math.hypot(...low.map((x, c) => high[c] - x));
    for (let i = 0; i < bodies.length; i += 3)
      if (low.every((_, c) => bodies[i + c] > box.low[c] - reach && bodies[i + c] < box.high[c] + reach))
        for (let c = 0; c < 3; ++c) {
          low[c] = Math.min(low[c], bodies[i + c]);
          high[c] = Math.max(high[c], bodies[i + c]);
        }
    return {low, high};
  }

  // The camera so far away that the cloth fits, whatever the window's shape; light and ground around it.
  home() {
    const {low, high} = this.withBodies(this.box), centre = low.map((x, c) => (x + high[c]) / 2);
    const radius = Math.max(0.1, Math.hypot(...low.map((x, c) => high[c] - x)) / 2);
    centre[1] -= high[1] - low[1] < 0.3 * radius ? 0.35 * radius : 0; // a sheet that lies flat is going to hang
    const fit = radius / Math.sin((this.camera.fov / 2) * Math.PI / 180) / Math.min(1, this.camera.aspect);
    this.controls.target.set(...centre);
    this.camera.position.set(centre[0] + 0.42 * fit, centre[1] + 0.3 * fit, centre[2] + 0.86 * fit);
    this.camera.near = fit / 200;
    this.camera.far = 40 * fit;
    this.camera.updateProjectionMatrix();
    this.scene.fog.near = 1.6 * fit;
    this.scene.fog.far = 5 * fit;
    this.ground.scale.setScalar(14 * fit);
    this.sun.position.set(centre[0] + 1.2 * radius, centre[1] + 3 * radius, centre[2] + 1.6 * radius);
    this.sun.target.position.set(...centre);
    Object.assign(this.sun.shadow.camera, {left: -2 * radius, right: 2 * radius, top: 2 * radius, bottom: -2 * radius,
                                           near: 0.1 * radius, far: 8 * radius});
    this.sun.shadow.camera.updateProjectionMatrix();
    this.ground.position.y = this.bodyBox ? Math.min(low[1], this.bodyBox.low[1]) - 0.002
                                          : Math.min(low[1], centre[1] - 0.9 * radius) - 0.002;
    this.framed = true;
    this.dirty = true;
  }

  turn(across, up) { // radians
    const offset = this.camera.position.clone().sub(this.controls.target);
    const side = new Vector3(0, 1, 0).cross(offset).normalize();
    const tilt = Math.acos(Math.min(1, Math.max(-1, offset.y / offset.length())));
    offset.applyAxisAngle(side, -Math.min(up, tilt - 0.05));
    offset.applyAxisAngle(new Vector3(0, 1, 0), across);
    this.camera.position.copy(this.controls.target).add(offset);
    this.dirty = true;
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.dirty = true;
  }

  resize() {
    const {clientWidth, clientHeight} = this.canvas;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    const before = Math.min(1, this.camera.aspect);
    this.camera.aspect = clientWidth / Math.max(1, clientHeight);
    this.camera.updateProjectionMatrix();
    if (this.framed) this.zoom(before / Math.min(1, this.camera.aspect)); // what was seen from side to side still is
    this.dirty = true;
  }

  draw() {
    this.controls.update();
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** The ray behind a place of the window: {origin: [3], direction: [3]}. */
  ray(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const to = new Vector3(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height, 0.5);
    const direction = to.unproject(this.camera).sub(this.camera.position).normalize();
    return {origin: this.camera.position.toArray(), direction: direction.toArray()};
  }

  /** Where a point of space is in the window. */
  place(point) {
    const box = this.canvas.getBoundingClientRect(), at = new Vector3(...point).project(this.camera);
    return {x: box.left + (at.x + 1) / 2 * box.width, y: box.top + (1 - at.y) / 2 * box.height};
  }

  /** Where a ray meets the plane through `point` that faces the camera. */
  across(point, {origin, direction}) {
    const facing = this.camera.getWorldDirection(new Vector3());
    const along = new Vector3(...direction).dot(facing);
    const way = new Vector3(...point).sub(new Vector3(...origin)).dot(facing) / Math.max(1e-6, along);
    return origin.map((x, c) => x + way * direction[c]);
  }
}
