// The page: frames from the server onto the stage, wishes of the user to the server.
import {connect} from './connection.js';
import {element, write} from './document.js';
import {makeHand} from './hand.js';
import {colourAt, paintAggregates, paintField, rangeOf, units} from './heat.js';
import {makePanel} from './panel.js';
import {drawLevels, drawResiduals, makeStagePlot, span, stageColours} from './plots.js';
import {Stage} from './stage.js';

const stage = makeStage();
const stagePlot = makeStagePlot(element('stages'));
let mode = '', name = '', flat = null, levels = [], range = null, shown = 'fabric', latest = null, notices = 0;
let painted = 0, solver = '';
let unseen = 0, frames = 0, time = 0, rate = 0, lastFrame = 0, lastPlot = 0, lost = '', dark = '', asked = false;

const line = connect(hear, text => {
  lost = text;
  tell();
});
const hand = makeHand(stage, line.say, () => mode === 'live' && !lost);
const panel = makePanel({say: line.say, changed});

function makeStage() {
  try {
    return new Stage(element('stage'));
  } catch (error) {
    element('banner').textContent = `This browser cannot draw the scene: it needs WebGL 2 (${error.message}).`;
    element('banner').hidden = false;
    throw error;
  }
}

// --- words -----------------------------------------------------------------------------------------------------------

function tell() {
  const {error, frames: there, planned} = latest?.head ?? {};
  const unfinished = there < planned ? `This run has ${there - 1} of ${planned - 1} frames. New ones are shown as they appear; ` +
    `if it has stopped (a full disk, for example), resume with: muslin run ${name} --resume` : '';
  const stopped = error && (mode === 'live' ? `The simulation has stopped: ${error}. Reset restarts with these settings, ` +
    '"As the scene says" without them.' : error);
  const text = lost || dark || stopped || unfinished;
  element('banner').classList.toggle('calm', text === unfinished);
  write(element('banner'), text);
  element('banner').hidden = !text;
}

function notice(text) {
  element('notice').textContent = text;
  element('notice').hidden = false;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { element('notice').hidden = true; }, 5000);
}

function describe({head}) {
  const words = [`${stage.positions.length / 3} vertices`, `${head.time.toFixed(2)} s`];
  if (head.frames) words.push(`frame ${head.frame} of ${head.frames - 1}`);
  if (head.settings && head.pace > 0) words.push(`can run at ${Number(head.pace.toPrecision(2))} × real time`);
  words.push(head.paused ? 'paused' : `${rate.toFixed(rate < 9.5 ? 1 : 0)} fps`);
  write(element('status'), words.join(' · '));
  if (!head.solve) return;
  element('solve').textContent = head.solve.method;
  element('took').textContent = span(Object.values(head.stages).reduce((a, b) => a + b, 0));
  element('sizes').textContent = head.solve.levels.length > 1
    ? `${head.solve.levels.map(([rows]) => rows).join(' → ')} nodes` : head.time > 0 ? `${head.solve.method} has no levels` : '';
}

element('key').replaceChildren(...Object.entries(stageColours).map(([name, colour]) => {
  const item = document.createElement('span'), dot = document.createElement('i');
  dot.style.background = colour;
  item.append(dot, name);
  return item;
}));

// --- colours ---------------------------------------------------------------------------------------------------------

function legend(field) {
  element('legend').hidden = !field;
  if (!field) return;
  const paper = element('scale').getContext('2d');
  for (let x = 0; x < 160; ++x) {
    paper.fillStyle = `rgb(${colourAt(field, x / 159).map(Math.round).join()})`;
    paper.fillRect(x, 0, 1, 10);
  }
  const words = x => (x === 0 || Math.abs(x) >= 1e-3 ? `${Number(x.toPrecision(2))}` : x.toExponential(1));
  element('low').textContent = words(range[0]);
  element('high').textContent = words(range[1]);
  element('unit').textContent = `${field}, ${units[field]}`;
}

// The scale follows at once where the numbers outgrow it, and within seconds where they shrink.
function paint({arrays, head}) {
  const values = arrays[shown], time = performance.now();
  if (!values || shown.startsWith('level')) return;
  const now = rangeOf(shown, values), keep = 0.5 ** ((time - painted) / 500);
  if (head.settings?.solver !== solver) range = null; // residuals are of another kind
  solver = head.settings?.solver;
  painted = time;
  range = range ? range.map((x, k) => (Math.abs(now[k]) > Math.abs(x) ? now[k] : keep * x + (1 - keep) * now[k])) : now;
  paintField(shown, values, range, stage.colours);
  stage.painted();
  legend(shown);
}

function choose(name) {
  shown = name;
  range = null;
  line.say({do: 'show', value: units[name] ? name : 'nothing'});
  if (name.startsWith('level')) {
    paintAggregates(levels[Number(name.slice(5)) - 1], stage.colours);
    stage.painted();
  } else if (name === 'fabric') {
    stage.paintFabric();
  }
  if (!units[name]) legend(null);
}

// Cloths that lie on top of each other in the material, side by side.
function spread(places, cloths) {
  let right = -Infinity;
  cloths.forEach(({first}, k) => {
    const end = k + 1 < cloths.length ? cloths[k + 1].first : places.length / 2;
    let low = Infinity, high = -Infinity;
    for (let i = first; i < end; ++i) {
      low = Math.min(low, places[2 * i]);
      high = Math.max(high, places[2 * i]);
    }
    const shift = right === -Infinity ? 0 : right + 0.1 * (high - low) - low;
    for (let i = first; i < end; ++i) places[2 * i] += shift;
    right = high + shift;
  });
}

function keepLevels(arrays) {
  levels = [];
  while (arrays[`level${levels.length + 1}`]) levels.push(arrays[`level${levels.length + 1}`].slice());
  panel.setLevels(levels.length);
  drawLevels(element('levels'), flat, levels);
  if (shown.startsWith('level')) choose(levels[Number(shown.slice(5)) - 1] ? shown : 'fabric');
  element('colour').value = shown;
}

// --- from the server -------------------------------------------------------------------------------------------------

function hear(packet) {
  if (packet.head.type === 'introduction') {
    hand.release();
    mode = packet.head.mode;
    name = packet.head.name;
    flat = packet.arrays.flat;
    if (flat) spread(flat, packet.head.cloths);
    stage.introduce(packet);
    changed('wireframe');
    panel.introduce(packet.head);
    stagePlot.clear();
    asked = false;
    unseen = 0;
    choose(shown.startsWith('level') ? 'fabric' : shown);
    element('colour').value = shown;
    return;
  }
  if (packet.arrays.level1) keepLevels(packet.arrays); // they come once, and this frame may never be drawn
  latest = packet;
  latest.fresh = true;
  ++unseen;
}

// A frame goes onto the stage when the browser is about to draw; of several only the last.
function take(packet) {
  const {head, arrays} = packet, now = performance.now();
  if (head.time < time) { // it has begun again
    hand.release();
    stage.begun = mode === 'live';
  }
  time = head.time;
  packet.fresh = false;
  ++frames;
  if (lastFrame) rate = rate ? 0.9 * rate + 100 / Math.max(1, now - lastFrame) : 1000 / Math.max(1, now - lastFrame);
  lastFrame = now;
  if (arrays.bodies) stage.setBodies(arrays.bodies);
  stage.setPositions(arrays.positions);
  paint(packet);
  hand.follow();
  panel.follow(head);
  if (head.settings && stage.wear(head.settings.fabric) && shown === 'fabric') stage.paintFabric();
  tell();
  if (head.notice && head.notice[0] !== notices) {
    notices = head.notice[0];
    notice(head.notice[1]);
  }
  if (head.stages && !head.paused) stagePlot.add(head.stages);
  const hierarchy = head.solve?.levels.length > 1;
  if (!asked && hierarchy) { // as soon as there is one
    asked = true;
    line.say({do: 'levels'});
  } else if (!hierarchy && levels.length > 0 && head.solve?.method) { // another solver has none
    asked = false;
    keepLevels({});
  }
  if (now - lastPlot > 100 || head.paused) {
    lastPlot = now;
    describe(packet);
    if (head.solve) drawResiduals(element('residuals'), head.solve);
    stagePlot.draw();
  }
}

function everyFrame() {
  requestAnimationFrame(everyFrame);
  const fresh = latest?.fresh && stage.geometry;
  if (fresh) take(latest);
  stage.draw();
  if (fresh) for (; unseen > 0; --unseen) line.say({do: 'seen'});
}

// --- from the user ---------------------------------------------------------------------------------------------------

function savePicture() {
  stage.dirty = true;
  stage.draw();
  stage.canvas.toBlob(blob => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `muslin-${latest ? latest.head.time.toFixed(2) : 0}s.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

function changed(what) {
  const turns = {left: [-0.1, 0], right: [0.1, 0], up: [0, 0.1], down: [0, -0.1]};
  if (what === 'colour') choose(element('colour').value);
  else if (what === 'wireframe') stage.materials?.forEach(m => { m.wireframe = element('wireframe').checked; });
  else if (what === 'shadow') stage.sun.castShadow = element('shadow').checked;
  else if (what === 'ground') stage.ground.visible = element('ground').checked;
  else if (what === 'home' && stage.box) stage.home();
  else if (what === 'picture') savePicture();
  else if (what === 'nearer' || what === 'farther') stage.zoom(what === 'nearer' ? 0.9 : 1 / 0.9);
  else if (turns[what]) stage.turn(...turns[what]);
  stage.dirty = true;
}

new ResizeObserver(() => stage.resize()).observe(stage.canvas);
new ResizeObserver(([{target}]) => {
  document.documentElement.style.setProperty('--foot', `${target.offsetHeight}px`);
}).observe(document.querySelector('footer'));
new ResizeObserver(() => flat && drawLevels(element('levels'), flat, levels)).observe(element('levels'));
stage.resize();
window.addEventListener('blur', () => hand.release());
for (const [event, text] of [['webglcontextlost', 'The browser has lost its graphics context. If it does not recover, reload the page.'],
                             ['webglcontextrestored', '']])
  stage.canvas.addEventListener(event, happened => {
    happened.preventDefault();
    dark = text;
    stage.dirty = true;
    tell();
  });
everyFrame();

// For those who drive the page from outside: tests, consoles.
window.muslinView = {
  frames: () => frames,
  head: () => latest?.head,
  position: vertex => [...stage.positions.slice(3 * vertex, 3 * vertex + 3)],
  place: vertex => stage.place(stage.positions.slice(3 * vertex, 3 * vertex + 3)),
};
