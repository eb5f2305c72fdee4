// Buttons, sliders and keys. What a slider shows follows the server, unless a hand is on it.
import {element, write} from './document.js';

// A slider's number as the server has it, and in words.
const sliders = {
  gravity: {words: x => `${x.toFixed(1)} m/s²`},
  wind: {words: x => `${x.toFixed(1)} m/s`},
  direction: {words: x => `${x.toFixed(0)}° ${['right', 'front', 'left', 'back'][Math.round(x / 90) % 4]}`},
  stiffness: {words: x => `× ${(10 ** x).toPrecision(2)}`},
  speed: {words: x => `× ${(10 ** x).toPrecision(2)}`},
};

export function makePanel({say, changed}) {
  const touched = {};
  const number = name => Number(element(name).value);
  const label = name => write(element(name).parentElement.querySelector('output'), sliders[name].words(number(name)));
  // Whether nobody has moved it for so long, ms.
  const rests = (name, time = 1000) => performance.now() - (touched[name] ?? -1e9) > time;

  function send(name) {
    const angle = number('direction') * Math.PI / 180;
    if (name === 'gravity') say({do: 'gravity', value: [0, -number('gravity'), 0]});
    else if (name === 'stiffness') say({do: 'stiffness', value: 10 ** number('stiffness')});
    else if (name === 'speed') say({do: 'speed', value: 10 ** number('speed')});
    else say({do: 'wind', value: [number('wind') * Math.cos(angle), 0, number('wind') * Math.sin(angle)]});
  }

  for (const name of Object.keys(sliders)) {
    element(name).addEventListener('input', () => {
      touched[name] = performance.now();
      label(name);
      send(name);
    });
    label(name);
  }

  // A slider to a number of the server's, where nobody has just moved it.
  function put(name, value) {
    if (!Number.isFinite(value) || !rests(name)) return;
    element(name).value = value;
    label(name);
  }

  for (const name of ['solver', 'fabric', 'scene'])
    element(name).addEventListener('change', () => {
      touched[name] = performance.now();
      say({do: name, value: element(name).value});
    });
  // Playing waits while the thumb is held.
  let held = false;
  element('timeline').addEventListener('pointerdown', () => {
    held = element('play').dataset.paused !== '1';
    if (held) say({do: 'pause'});
  });
  for (const name of ['pointerup', 'pointercancel'])
    element('timeline').addEventListener(name, () => {
      if (held) say({do: 'play'});
      held = false;
    });
  element('timeline').addEventListener('input', () => {
    touched.timeline = performance.now();
    say({do: 'seek', frame: number('timeline')});
  });
  const go = frame => say({do: 'seek', frame: Math.max(0, Math.min(frame, Number(element('timeline').max)))});
  element('loop').addEventListener('change', () => {
    touched.loop = performance.now();
    say({do: 'loop', value: element('loop').checked ? 1 : 0});
  });
  for (const name of ['colour', 'wireframe', 'shadow', 'ground', 'fixed', 'low', 'high'])
    element(name).addEventListener('change', () => changed(name));
  const actions = {
    play: () => say({do: element('play').dataset.paused === '1' ? 'play' : 'pause'}),
    step: () => say({do: 'step'}),
    back() {
      if (element('timeline').hidden) return;
      say({do: 'pause'});
      touched.timeline = performance.now();
      element('timeline').value = number('timeline') - 1;
      go(number('timeline'));
    },
    free: () => say({do: 'free'}),
    keys: () => element('help').showModal(),
    reset: () => say({do: 'reset'}),
    restore: () => say({do: 'restore'}),
    home: () => changed('home'),
    picture: () => changed('picture'),
    refresh: () => say({do: 'levels'}),
    fold() {
      const folded = document.body.classList.toggle('folded');
      element('fold').setAttribute('aria-expanded', String(!folded));
      changed('folded');
    },
  };
  for (const [name, action] of Object.entries(actions)) element(name).addEventListener('click', action);

  function toggle(name) {
    element(name).checked = !element(name).checked;
    changed(name);
  }
  function nextColour() {
    const choice = element('colour');
    choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
    changed('colour');
  }
  const keys = {
    ' ': actions.play, '.': actions.step, r: actions.reset, c: actions.home, s: actions.picture, p: actions.fold,
    w: () => toggle('wireframe'), g: () => toggle('ground'), h: nextColour, f: () => toggle('fixed'),
    k: () => toggle('keep'), u: actions.free, ',': actions.back, '?': actions.keys,
    l: () => element('timeline').hidden || element('loop').click(),
    ArrowLeft: () => changed('left'), ArrowRight: () => changed('right'), ArrowUp: () => changed('up'),
    ArrowDown: () => changed('down'), '+': () => changed('nearer'), '-': () => changed('farther'),
  };
  // What elements do with keys themselves when they have the focus.
  const ownKeys = {SELECT: () => true, BUTTON: key => key === ' ', SUMMARY: key => key === ' ',
                   INPUT: (key, {type}) => (type === 'number' ? true : type === 'checkbox' ? key === ' ' : key.startsWith('Arrow'))};
  window.addEventListener('keydown', event => {
    const move = /^Arrow|^[+-]$/.test(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || element('help').open || ownKeys[event.target.tagName]?.(event.key, event.target)) return;
    event.preventDefault();
    if (!event.repeat || move) keys[event.key]();
  });

  function fill(choice, words) {
    const before = choice.value;
    choice.replaceChildren(...words.map(([value, text]) => new Option(text, value)));
    if (words.some(([value]) => value === before)) choice.value = before;
  }

  if (window.matchMedia('(max-width: 640px), (max-height: 480px)').matches) actions.fold();

  let levels = 0;
  return {
    introduce(head) {
      document.title = `${head.name} – muslin`;
      element('name').textContent = head.name;
      document.body.classList.toggle('recorded', head.mode === 'recording');
      element('timeline').hidden = head.mode !== 'recording';
      this.fields = head.fields;
      this.plain = head.parts.some(part => part.fabric !== undefined) ? 'fabric' : 'material';
      levels = -1;
      this.setLevels(0);
      fill(element('solver'), (head.solvers ?? []).map(name => [name, name]));
      fill(element('fabric'), (head.fabrics ?? []).map(([name]) => [name, name]));
      element('fabric').parentElement.hidden = (head.fabrics ?? []).length === 0;
      const scenes = head.scenes ?? [], known = scenes.includes(head.name);
      element('choice').hidden = scenes.length === 0;
      fill(element('scene'), [...(known ? [] : [['', head.name]]), ...scenes.map(name => [name, name])]);
      element('scene').value = known ? head.name : '';
    },
    setLevels(count) {
      if (count === levels) return;
      levels = count;
      const words = [['fabric', this.plain], ...this.fields.map(name => [name, name])];
      for (let k = 1; k <= count; ++k) words.push([`level${k}`, `aggregates of level ${k}`]);
      fill(element('colour'), words);
    },
    follow(head) {
      element('play').textContent = head.paused ? 'Play' : 'Pause';
      element('play').dataset.paused = head.paused ? '1' : '0';
      put('speed', Math.log10(head.speed));
      if (head.frames && rests('timeline', 300)) {
        element('timeline').max = head.frames - 1;
        element('timeline').value = head.frame;
      }
      if (rests('loop')) element('loop').checked = Boolean(head.loop);
      element('free').hidden = !head.pins?.length;
      const settings = head.settings;
      if (!settings) return;
      const [x, , z] = settings.wind;
      put('gravity', -settings.gravity[1]);
      if (rests('wind') && rests('direction')) {
        put('wind', Math.hypot(x, z));
        if (Math.hypot(x, z) > 0.01) put('direction', (Math.atan2(z, x) * 180 / Math.PI + 360) % 360);
      }
      put('stiffness', Math.log10(settings.stiffness));
      for (const name of ['solver', 'fabric'])
        if (rests(name)) element(name).value = settings[name];
    },
  };
}
