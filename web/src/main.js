// The page: frames from the server onto the stage, wishes of the user to the server.
import {connect} from './connection.js';
import {element, write} from './document.js';
import {makeHand} from './hand.js';
import {colourAt, paintAggregates, paintField, rangeOf, units} from './heat.js';
import {makePanel} from './panel.js';
import {drawLevels, drawResiduals, makeLines, makeStagePlot, span, stageColours} from './plots.js';
import {Stage} from './stage.js';

const stage = makeStage();
const stagePlot = makeStagePlot(element('stages'));
const energies = makeLines(element('energies'), {kinetic: '#e0a458', elastic: '#5b9bd5'}, 'J');
const strains = makeLines(element('strains'), {strain: '#d65f5f', strain99: '#7a9e7e'}, '%');
let mode = '', name = '', flat = null, levels = [], range = null, shown = 'fabric', latest = null, notices = 0;
let painted = 0, solver = '', probed = -1, pulled = false;
let unseen = 0, frames = 0, time = 0, rate = 0, lastFrame = 0, lastPlot = 0, lost = '', dark = '', asked = false;

const line = connect(hear, text => {
  lost = text;
  tell();
});
const hand = makeHand(stage, line.say, {
  may: () => mode === 'live' && !lost,
  keeps: () => element('keep').checked,
  clicked: vertex => {
    probed = vertex;
    probe();
  },
});
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
  const number = x => Number(x.toPrecision(2));
  element('energy').textContent = `${number(head.state.kinetic)} + ${number(head.state.elastic)} J`;
  element('strain').textContent = `${number(100 * head.state.strain)} %`;
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
  ['low', 'high'].forEach((end, k) => {
    element(end).readOnly = !element('fixed').checked;
    if (document.activeElement !== element(end) || element(end).readOnly) element(end).value = Number(range[k].toPrecision(3));
  });
  element('unit').textContent = `${field}, ${units[field]}`;
}

// What is known of the vertex that was clicked, beside it.
function probe() {
  const there = probed >= 0 && stage.geometry && 3 * probed < stage.positions.length;
  element('probe').hidden = !there;
  stage.probe.visible = there;
  stage.dirty = true;
  if (!there) return;
  const point = [...stage.positions.slice(3 * probed, 3 * probed + 3)], {x, y} = stage.place(point);
  const words = [`vertex ${probed}`, point.map(c => c.toFixed(3)).join(', ') + ' m'];
  const value = latest?.arrays[shown]?.[probed];
  if (units[shown] && Number.isFinite(value)) words.push(`${shown} ${Number(value.toPrecision(3))} ${units[shown]}`);
  else if (shown.startsWith('level')) words.push(`aggregate ${levels[Number(shown.slice(5)) - 1]?.[probed]}`);
  stage.mark(stage.probe, point);
  write(element('probe'), words.join('\n'));
  const box = element('probe').getBoundingClientRect(), side = stage.canvas.getBoundingClientRect();
  element('probe').style.left = `${Math.min(Math.max(4, x + 12), side.right - box.width - 4)}px`;
  element('probe').style.top = `${Math.min(Math.max(4, y - box.height - 8), side.bottom - box.height - 4)}px`;
}

// The scale follows at once where the numbers outgrow it, and within seconds where they shrink.
function paint({arrays, head}) {
  const values = arrays[shown], time = performance.now();
  if (!values || shown.startsWith('level')) return;
  const now = rangeOf(shown, values), keep = 0.5 ** ((time - painted) / 500);
  if (head.settings?.solver !== solver) range = null; // residuals are of another kind
  solver = head.settings?.solver;
  painted = time;
  if (!range || !element('fixed').checked) range = range ? range.map((x, k) => (Math.abs(now[k]) > Math.abs(x) ? now[k] : keep * x + (1 - keep) * now[k])) : now;
  paintField(shown, values, range, stage.colours);
  stage.painted();
  legend(shown);
}

// Ends of the scale that the user has typed, where they are numbers in order.
function takeRange() {
  const ends = ['low', 'high'].map(end => Number(element(end).value));
  if (element('fixed').checked && range && ends.every(Number.isFinite) && ends[0] < ends[1]) range = ends;
  if (latest && range) paint(latest);
}

function choose(name) {
  if (shown !== name) element('fixed').checked = false;
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

// Parts that lie on top of each other in the drawing, side by side.
function spread(places, parts) {
  let right = -Infinity;
  parts.forEach(({first}, k) => {
    const end = k + 1 < parts.length ? parts[k + 1].first : places.length / 2;
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
    for (; unseen > 0; --unseen) line.say({do: 'seen'}); // frames of another scene
    latest = null;
    time = 0;
    probed = -1;
    element('hint').hidden = packet.head.mode !== 'live' || pulled;
    energies.clear();
    strains.clear();
    mode = packet.head.mode;
    name = packet.head.name;
    flat = packet.arrays.flat;
    if (flat) spread(flat, packet.head.parts);
    stage.introduce(packet);
    probe();
    changed('wireframe');
    panel.introduce(packet.head);
    stagePlot.clear();
    asked = false;
    levels = [];
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
  stage.showPins(head.pins ?? []);
  if (hand.holds() && !pulled) {
    pulled = true;
    element('hint').hidden = true;
  }
  if (head.state && head.time > 0) {
    energies.add(head.time, head.state);
    strains.add(head.time, {strain: 100 * head.state.strain, strain99: 100 * head.state.strain99});
  }
  if (head.settings && stage.wear(head.settings.worn) && shown === 'fabric') stage.paintFabric();
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
    energies.draw();
    strains.draw();
  }
}

function everyFrame() {
  requestAnimationFrame(everyFrame);
  const fresh = latest?.fresh && stage.geometry;
  if (fresh) take(latest);
  if (stage.draw() && probed >= 0) probe();
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
  else if (what === 'wireframe') stage.showWires(element('wireframe').checked);
  else if (what === 'fixed' || what === 'low' || what === 'high') takeRange();
  else if (what === 'folded') makeRoom();
  else if (what === 'shadow') stage.sun.castShadow = element('shadow').checked;
  else if (what === 'ground') stage.ground.visible = element('ground').checked;
  else if (what === 'home' && stage.box) stage.home();
  else if (what === 'picture') savePicture();
  else if (what === 'nearer' || what === 'farther') stage.zoom(what === 'nearer' ? 0.9 : 1 / 0.9);
  else if (turns[what]) stage.turn(...turns[what]);
  stage.dirty = true;
}

// The stage takes what the settings leave, which are beside it, or below it in narrow windows.
function makeRoom() {
  const box = element('panel').getBoundingClientRect(), narrow = window.matchMedia('(max-width: 640px)').matches;
  const style = document.documentElement.style;
  style.setProperty('--side', `${narrow || !box.width ? 0 : box.width + 14}px`);
  style.setProperty('--below', `${narrow && box.width ? box.height + 10 : 0}px`);
}
new ResizeObserver(makeRoom).observe(element('panel'));
new ResizeObserver(makeRoom).observe(document.body);
makeRoom();
new ResizeObserver(() => {
  stage.resize();
  stage.draw(); // at once: what was drawn is gone
}).observe(stage.canvas);
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
