// Numbers and texts as they are shown.

const SCALES = {
  ns: [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]],
  us: [[1, "µs"], [1e3, "ms"], [1e6, "s"]],
  "µs": [[1, "µs"], [1e3, "ms"], [1e6, "s"]],
  ms: [[1, "ms"], [1e3, "s"]],
  bytes: [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]],
} as const;

/** A factor and the name of what it makes. */
export type Unit = readonly [number, string];

/** The unit in which `value` has one to four digits before the point; unknown units are kept. */
export function unitFor(value: number, unit: string): Unit {
  const known: readonly Unit[] | undefined = SCALES[unit as keyof typeof SCALES];
  if (known === undefined) {
    return [1, unit === "count" || unit === "samples" ? "" : unit];
  }
  let found = known[0] as Unit;
  for (const one of known) {
    found = Math.abs(value) >= one[0] ? one : found;
  }
  return found;
}

const plain = new Map<number, Intl.NumberFormat>();

function digits(n: number): Intl.NumberFormat {
  let format = plain.get(n);
  if (format === undefined) {
    format = new Intl.NumberFormat("en", { minimumFractionDigits: n, maximumFractionDigits: n });
    plain.set(n, format);
  }
  return format;
}

/** A number in a unit, without its name: all of a column have the same digits after the point. */
export function inUnit(value: number, unit: Unit, most = 2): string {
  return digits(unit[0] === 1 ? 0 : most).format(value / unit[0]).replace(/^-/, "−");
}

/** A number with the unit that fits it: `12.35 ms`. */
export function amount(value: number | null | undefined, unit: string, most = 2): string {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return "–";
  }
  const in_ = unitFor(value, unit);
  const text = inUnit(value, in_, most);
  return in_[1] === "" ? text : `${text} ${in_[1]}`;
}

/** A measured value: a small one that is no whole number has three digits. */
export const measured = (value: number | null | undefined, unit: string): string =>
  value === null || value === undefined || Number.isInteger(value) || Math.abs(value) >= 1000 || unitFor(value, unit)[0] !== 1 ? amount(value, unit)
    : `${Number(value.toPrecision(3))} ${unitFor(value, unit)[1]}`.trim().replace(/^-/, "−");

export const duration = (ns: number | null | undefined): string => amount(ns, "ns");
export const bytes = (n: number | null | undefined): string => amount(n, "bytes");

/** A whole number with separators, in full digits: also beyond 2^53, as text. */
export function count(n: number | string | bigint | null | undefined): string {
  if (n === null || n === undefined) {
    return "–";
  }
  const text = String(n);
  return /^-?\d+$/.test(text) ? text.replace(/^-/, "−").replace(/\B(?=(\d{3})+(?!\d))/g, ",") : text;
}

/** `1 thread`, `2 threads`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

export const percent = (part: number, whole: number): string => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–");

/** With a sign that is seen: growth has a plus. */
export const signed = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

// What steers text, or is not seen, is shown as a dot.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/g;
// A pair of surrogates is one character; a lone one is none.
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/g; // eslint-disable-line no-control-regex

/** Recorded text for a line of the page: nothing in it moves other text, and it is at most `most` characters long. */
export function clean(text: string | null | undefined, most = 2000): string {
  if (text === null || text === undefined) {
    return "";
  }
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  UNSEEN.lastIndex = 0;
  return UNSEEN.test(cut) ? cut.replace(PAIRS, (found) => (found.length === 2 ? found : "·")) : cut;
}

/** The end of a path: `/a/b/c.js:3` is `c.js:3`. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** An absolute time: that of the world when its clock is one, else seconds. */
export function absoluteTime(ns: bigint, clock: string | null): string {
  if (clock !== "realtime" && clock !== null && clock !== "") {
    return `${digits(9).format(Number(ns) / 1e9)} s (${clock})`;
  }
  if (ns < 86400000000000n * 365n) {
    return `${digits(9).format(Number(ns) / 1e9)} s`;
  }
  const ms = ns / 1000000n;
  const rest = String(ns % 1000000n).padStart(6, "0");
  const text = new Date(Number(ms)).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 23)}${rest === "000000" ? "" : rest} UTC`;
}

/** Steps of an axis: 1, 2 or 5 times a power of ten, so that at most `most` fit into `span`. */
export function tickStep(span: number, most: number): number {
  if (!(span > 0) || most < 1) {
    return 1;
  }
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((n) => n * power >= rough * 0.999999) ?? 10;
  return step * power;
}

/** A time on an axis whose ticks are `step` apart: all of one axis have the same unit. */
export function tickText(ns: number, step: number, largest: number): string {
  const unit = unitFor(Math.max(step, largest), "ns");
  const behind = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit[0]) + 1e-9)));
  return `${digits(behind).format(ns / unit[0])} ${unit[1]}`;
}
