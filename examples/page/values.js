// Positions of sliders, and the values that they stand for. Texts that people write are read in C alone.

const prefixes = [[1e-9, 'n'], [1e-6, 'u'], [1e-3, 'm'], [1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G']];

const known = new WeakMap();

/** Rounds to so many significant digits. */
function round(value, digits) {
  return Number(value.toPrecision(digits));
}

/** The values of a slider, in base units and in order, each once, so that every key press moves on: whole numbers, or those of
 *  two or three digits; the limits and the default are among them. */
function stopsOf(control) {
  if (!known.has(control)) {
    const { minimum, maximum, logarithmic, value, kind } = control, all = [minimum, maximum, value];
    if (logarithmic) {
      const last = Math.round(20 * Math.log10(maximum / minimum));
      for (let i = 1; i < last; i += 1) all.push(round(minimum * (maximum / minimum) ** (i / last), kind === 'whole' ? 15 : 2));
    } else {
      const step = kind === 'whole' ? 1 : 10 ** Math.floor(Math.log10((maximum - minimum) / 50));
      for (let i = 1; minimum + i * step < maximum; i += 1) all.push(round(minimum + i * step, 3));
    }
    const stops = all.map((each) => (kind === 'whole' ? Math.round(each) : each)).filter((each) => each >= minimum && each <= maximum);
    known.set(control, [...new Set(stops)].sort((one, other) => one - other));
  }
  return known.get(control);
}

/** The last position of the slider of a control; the first is 0. */
export function positions(control) {
  return stopsOf(control).length - 1;
}

/** The value at a position. */
export function valueAt(control, position) {
  return stopsOf(control)[position];
}

/** The position that is nearest to a value. */
export function positionOf(control, value) {
  const stops = stopsOf(control), scale = control.logarithmic ? Math.log : (each) => each;
  let at = 0;
  for (let i = 1; i < stops.length; i += 1)
    if (Math.abs(scale(stops[i]) - scale(value)) < Math.abs(scale(stops[at]) - scale(value))) at = i;
  return at;
}

/** A value as a text that C reads: "12.5 MB/s". */
export function textOf(control, value) {
  if (control.kind === 'whole' || control.unit === '1' || value === 0)
    return `${value}${value === 0 && control.unit && control.kind === 'quantity' && control.unit !== '1' ? ` ${control.unit}` : ''}`;
  let i = 3;
  if (control.unit !== 's') while (i < 6 && value >= prefixes[i + 1][0]) i += 1;
  else while (i > 0 && value < prefixes[i][0]) i -= 1;
  return `${round(value / prefixes[i][0], 4)} ${prefixes[i][1]}${control.unit}`;
}
