// The hand: grabs the cloth under the pointer, pulls it along, lets go.
import {pick} from './surface.js';

/**
 * `say` sends a message; `may()` tells whether there is a simulation to pull at, `keeps()` whether what is let go stays as a
 * pin; clicked(vertex) for a click on the cloth, or clicked(-1) beside it.
 */
export function makeHand(stage, say, {may, keeps, clicked}) {
  const canvas = stage.canvas;
  let held = null; // {pointer, triangle, weight, target, latest: the pointer's last event}
  let last = 0, passing = false, pressed = null;

  function pointOf({triangle, weight}) {
    const point = [0, 0, 0];
    for (let k = 0; k < 3; ++k)
      for (let c = 0; c < 3; ++c)
        point[c] += weight[k] * stage.positions[3 * stage.triangles[3 * triangle + k] + c];
    return point;
  }

  // The cloth under the pointer, or a little beside it: edges are thin, and fingers are not.
  function under(event) {
    if (!stage.geometry) return null;
    const reach = event.pointerType === 'touch' ? 18 : 7;
    for (let k = -1; k < 8; ++k) {
      const away = k < 0 ? 0 : reach, angle = k * Math.PI / 4;
      const ray = stage.ray(event.clientX + away * Math.cos(angle), event.clientY + away * Math.sin(angle));
      const found = pick(ray.origin, ray.direction, stage.positions, stage.triangles);
      const body = found && pick(ray.origin, ray.direction, stage.bodies.attributes.position.array, stage.split.triangles);
      if (found && !(body && body.distance < found.distance)) return found;
    }
    return null;
  }

  function release(keep = false) {
    if (!held) return;
    held = null;
    canvas.classList.remove('holds');
    stage.controls.enabled = true;
    stage.showHand(null, null);
    say({do: keep ? 'keep' : 'release'});
  }

  // A press and its end in the same place is a click: on the cloth it picks the vertex that is nearest.
  window.addEventListener('pointerdown', event => {
    pressed = event.target === canvas && event.button === 0 ? {x: event.clientX, y: event.clientY} : null;
  }, {capture: true});
  window.addEventListener('pointerup', event => {
    if (!pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
    const found = under(event), nearest = found && found.weight.indexOf(Math.max(...found.weight));
    clicked(found ? stage.triangles[3 * found.triangle + nearest] : -1);
  }, {capture: true});

  // Before the camera's controls see it.
  canvas.addEventListener('pointerdown', event => {
    if (passing) return;
    if (held) { // a second finger: both are for the camera, which has not seen the first
      const {latest} = held;
      release();
      passing = true;
      canvas.dispatchEvent(new PointerEvent('pointerdown', latest));
      passing = false;
      return;
    }
    if (event.button !== 0 || event.shiftKey || !may()) return;
    const found = under(event);
    if (!found) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add('holds');
    canvas.focus({focusVisible: false}); // the pointer shows where it is
    stage.controls.enabled = false;
    held = {pointer: event.pointerId, triangle: found.triangle, weight: found.weight, latest: event};
    held.target = pointOf(held);
    held.from = held.target; // the plane that it is pulled along
    say({do: 'grab', triangle: held.triangle, weight: held.weight, target: held.target});
  }, {capture: true});

  canvas.addEventListener('pointermove', event => {
    if (!held) {
      if (event.buttons === 0 && event.pointerType === 'mouse' && performance.now() - last > 60) {
        last = performance.now();
        canvas.classList.toggle('over', may() && under(event) !== null);
      }
      return;
    }
    if (event.pointerId !== held.pointer) return;
    held.latest = event;
    held.moved = true;
    held.target = stage.across(held.from, stage.ray(event.clientX, event.clientY));
    if (performance.now() - last < 12) return; // the newest goes with the next frame
    last = performance.now();
    say({do: 'drag', target: held.target});
  });
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'])
    canvas.addEventListener(name, event => {
      if (held && event.pointerId === held.pointer) release(keeps() && held.moved);
    });

  return {
    release,
    holds: () => Boolean(held),
    /** After a frame: the newest target, and the thread from the cloth to it. */
    follow() {
      if (!held) return;
      if (performance.now() - last > 12) {
        last = performance.now();
        say({do: 'drag', target: held.target});
      }
      stage.showHand(pointOf(held), held.target);
    },
  };
}
