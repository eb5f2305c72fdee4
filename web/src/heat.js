// False colours: scales for fields, a colour for each aggregate.

export const units = {stretch: '%', bend: '1/m', contact: 'N', residual: 'kg m/s', stress: 'Pa', volume: '%'};

// Stops in sRGB, from 0 to 1. Signed fields get blue for less than nothing and red for more.
const rising = [[24, 26, 66], [38, 84, 124], [46, 144, 130], [142, 190, 92], [250, 222, 110]];
const signed = [[34, 74, 160], [132, 170, 214], [236, 233, 226], [224, 148, 106], [164, 38, 40]];

function hasSign(field) { return field === 'stretch' || field === 'volume'; }
function stopsOf(field) { return hasSign(field) ? signed : rising; }

/** The colour at a part, 0 to 1, as [r, g, b] from 0 to 255. */
export function colourAt(field, part) {
  const stops = stopsOf(field), place = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(place), stops.length - 2), rest = place - k;
  return stops[k].map((from, c) => from + rest * (stops[k + 1][c] - from));
}

// Less than this is rounding.
const least = {stretch: 0.01, bend: 0.1, contact: 1e-4, residual: 1e-12, stress: 1, volume: 0.01};

/** [low, high]: nearly all of the numbers are between them; around 0 for signed fields. */
export function rangeOf(field, values) {
  const step = Math.max(1, Math.floor(values.length / 2000)), some = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i])) some.push(values[i]);
  if (some.length === 0) return [hasSign(field) ? -least[field] : 0, least[field]];
  some.sort((a, b) => a - b);
  const low = some[Math.floor(0.005 * (some.length - 1))], high = some[Math.ceil(0.995 * (some.length - 1))];
  const most = Math.max(hasSign(field) ? Math.abs(low) : 0, Math.abs(high), least[field]);
  return [hasSign(field) ? -most : 0, most];
}

// Light is added up linearly; colours of pictures are not linear.
function linear(byte) { return Math.pow(byte / 255, 2.2); }

const tables = {};
function tableOf(field) {
  const key = hasSign(field) ? 'signed' : 'rising';
  if (!tables[key]) {
    tables[key] = new Float32Array(3 * 256);
    for (let k = 0; k < 256; ++k)
      colourAt(field, k / 255).forEach((byte, c) => { tables[key][3 * k + c] = linear(byte); });
  }
  return tables[key];
}

/** Linear colours of vertices, into `colours`; grey where there is no number. */
export function paintField(field, values, [low, high], colours) {
  const table = tableOf(field), scale = 255 / (high - low), none = linear(128);
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i])) {
      colours.fill(none, 3 * i, 3 * i + 3);
      continue;
    }
    const k = 3 * Math.min(255, Math.max(0, Math.round((values[i] - low) * scale)));
    colours[3 * i] = table[k]; colours[3 * i + 1] = table[k + 1]; colours[3 * i + 2] = table[k + 2];
  }
}

/** A colour for an aggregate, far from those of its neighbours, as [r, g, b] from 0 to 255; grey for none. */
export function aggregateColour(number) {
  if (number < 0) return [110, 110, 110];
  const hue = (number * 0.61803398875) % 1, value = 0.62 + 0.3 * ((number * 0.7548776662) % 1);
  return [0, 1 / 3, 2 / 3].map(shift => 255 * value * (0.62 + 0.38 * Math.cos(2 * Math.PI * (hue + shift))));
}

export function paintAggregates(numbers, colours) {
  for (let i = 0; i < numbers.length; ++i)
    aggregateColour(numbers[i]).forEach((byte, c) => { colours[3 * i + c] = linear(byte); });
}
