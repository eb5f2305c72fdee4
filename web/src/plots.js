// Small pictures of what the solver does.
import {aggregateColour} from './heat.js';

export const stageColours = {detect: '#7a9e7e', assemble: '#5b7f9d', 'set-up': '#c98f4e', filter: '#8d7aa8', solve: '#d65f5f',
                             respond: '#b8b35a', other: '#7d7d7d'};
const history = 120;

/** Seconds in words. */
export function span(seconds) {
  return seconds < 1 ? `${Number((1000 * seconds).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`;
}

function prepare(canvas) {
  const ratio = Math.min(window.devicePixelRatio, 2), width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const paper = canvas.getContext('2d');
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  paper.clearRect(0, 0, width, height);
  paper.font = '10px system-ui, sans-serif';
  return {paper, width, height};
}

/** The residual by iteration, on a scale of powers of ten. */
export function drawResiduals(canvas, {curve, stride, method}) {
  const {paper, width, height} = prepare(canvas);
  if (width === 0) return;
  if (curve.length < 2) {
    paper.fillStyle = '#a9a69f';
    paper.textAlign = 'left';
    paper.fillText(method === 'cholmod' ? 'solved directly: no iterations' : 'no iterations yet', 8, 16);
    return;
  }
  const logs = curve.map(x => Math.log10(Math.max(x, 1e-16)));
  const low = Math.floor(Math.min(...logs)), high = Math.max(0, Math.ceil(Math.max(...logs)));
  const left = 30, x = k => left + (width - left - 6) * k / (curve.length - 1);
  const y = log => 6 + (height - 22) * (high - log) / Math.max(1, high - low);
  paper.strokeStyle = '#33373e';
  paper.fillStyle = '#a9a69f';
  paper.textAlign = 'right';
  for (let k = low; k <= high; k += Math.ceil((high - low) / Math.max(1, Math.floor((height - 22) / 11))) || 1) {
    paper.beginPath();
    paper.moveTo(left, y(k));
    paper.lineTo(width - 6, y(k));
    paper.stroke();
    paper.fillText(`1e${k}`, left - 4, y(k) + 3);
  }
  paper.fillText(`${(curve.length - 1) * stride} iterations`, width - 6, height - 3);
  paper.strokeStyle = '#e0a458';
  paper.lineWidth = 1.6;
  paper.beginPath();
  logs.forEach((log, k) => (k ? paper.lineTo(x(k), y(log)) : paper.moveTo(x(k), y(log))));
  paper.stroke();
  paper.lineWidth = 1;
}

/** Time a step by stage, over the last frames: call add() with each, draw() when there is time. */
export function makeStagePlot(canvas) {
  const past = [];
  return {
    add(stages) {
      past.push(stages);
      if (past.length > history) past.shift();
    },
    clear() { past.length = 0; },
    draw() {
      const {paper, width, height} = prepare(canvas);
      if (width === 0 || past.length === 0) return;
      const sums = past.map(stages => Object.values(stages).reduce((a, b) => a + b, 0)), sorted = [...sums].sort((a, b) => a - b);
      const most = Math.max(1e-6, 1.15 * sorted[Math.floor(0.95 * (sorted.length - 1))]);
      past.forEach((stages, k) => {
        let base = height;
        for (const [name, colour] of Object.entries(stageColours)) {
          const part = height * stages[name] / most;
          paper.fillStyle = colour;
          paper.fillRect(width * k / history, base - part, Math.max(1, width / history - 0.5), part);
          base -= part;
        }
      });
      paper.fillStyle = '#e8e6e1';
      paper.textAlign = 'left';
      paper.fillText(span(most), 4, 11);
    },
  };
}

/** Lines over time, from 0 up: call add(time, {name: value}) with each frame, draw() when there is time. */
export function makeLines(canvas, colours, unit) {
  const past = [], seconds = 10;
  return {
    add(time, values) {
      if (past.length && time <= past[past.length - 1].time) {
        if (time === past[past.length - 1].time) return;
        past.length = 0; // it has begun again
      }
      past.push({time, values});
      while (past[0].time < time - seconds) past.shift();
    },
    clear() { past.length = 0; },
    draw() {
      const {paper, width, height} = prepare(canvas);
      if (width === 0 || past.length < 2) return;
      const names = Object.keys(colours), end = past[past.length - 1].time, begin = Math.max(past[0].time, end - seconds);
      const most = Math.max(1e-12, ...past.map(({values}) => Math.max(...names.map(name => values[name])))) * 1.1;
      for (const name of names) {
        paper.strokeStyle = colours[name];
        paper.lineWidth = 1.5;
        paper.beginPath();
        past.forEach(({time, values}, k) => {
          const x = width * (time - begin) / Math.max(1e-9, end - begin), y = height - 2 - (height - 4) * values[name] / most;
          if (k) paper.lineTo(x, y); else paper.moveTo(x, y);
        });
        paper.stroke();
      }
      paper.lineWidth = 1;
      paper.fillStyle = '#e8e6e1';
      paper.textAlign = 'left';
      paper.fillText(`${Number(most.toPrecision(2))} ${unit}`, 4, 11);
      paper.textAlign = 'right';
      paper.fillText(`${(end - begin).toFixed(1)} s`, width - 4, height - 4);
    },
  };
}

/** The cloth laid flat, once a level, each vertex in the colour of its aggregate. */
export function drawLevels(canvas, flat, levels) {
  const {paper, width, height} = prepare(canvas);
  if (width === 0 || levels.length === 0) return;
  let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let i = 0; i < flat.length; ++i) {
    low[i % 2] = Math.min(low[i % 2], flat[i]);
    high[i % 2] = Math.max(high[i % 2], flat[i]);
  }
  const gap = 4, cell = (width - gap * (levels.length + 1)) / levels.length;
  const scale = Math.min(cell / (high[0] - low[0] || 1), (height - 2 * gap) / (high[1] - low[1] || 1));
  const size = Math.max(1, 1.1 * scale * Math.sqrt((high[0] - low[0]) * (high[1] - low[1]) / (flat.length / 2)));
  levels.forEach((numbers, k) => {
    const left = gap + k * (cell + gap) + (cell - scale * (high[0] - low[0])) / 2;
    const top = (height - scale * (high[1] - low[1])) / 2;
    for (let i = 0; i < numbers.length; ++i) {
      paper.fillStyle = `rgb(${aggregateColour(numbers[i]).map(Math.round).join()})`;
      paper.fillRect(left + scale * (flat[2 * i] - low[0]) - size / 2, top + scale * (flat[2 * i + 1] - low[1]) - size / 2,
                     size, size);
    }
  });
}
