// Stacks in the order of time as the server gives them, bars by depth, as a tree that the graph draws.
import { Tree } from "../../icicle/icicle.js";
import { namesOf, REST, type MethodsReply, type Stacks } from "./stacks.ts";

export interface ChartReply {
  readonly from: number;
  readonly to: number;
  readonly px_ns: number;
  readonly depth_cut: boolean;
  readonly bars: { readonly depth: readonly number[]; readonly ts: readonly number[]; readonly dur: readonly number[]; readonly node: readonly (number | null)[]; readonly method: readonly number[] };
  readonly small: { readonly depth: readonly number[]; readonly ts: readonly number[]; readonly dur: readonly number[]; readonly n: readonly number[]; readonly ns: readonly number[] };
  readonly methods: MethodsReply;
}

/** Traced calls of one thread, the short ones added up by columns of px_ns. */
export interface ThreadSlices {
  readonly itid: number;
  readonly id: readonly number[];
  readonly ts: readonly number[];
  readonly dur: readonly number[];
  readonly depth: readonly (number | null)[];
  readonly node: readonly (number | null)[];
  readonly method: readonly number[];
  /** Of a trace of the system: places in the names of the reply. */
  readonly name?: readonly number[];
  readonly more: boolean;
  readonly small: { readonly x: readonly number[]; readonly depth: readonly (number | null)[]; readonly n: readonly number[]; readonly ns: readonly number[]; readonly more: boolean };
}

export interface SlicesReply {
  readonly px_ns: number;
  readonly threads: readonly ThreadSlices[];
  readonly names?: readonly string[];
  readonly methods: MethodsReply;
}

/** The calls of one thread as the bars of a chart. Calls whose depth is not known are left out. */
export function chartOfSlices(reply: SlicesReply, from: number, to: number): ChartReply {
  const one = reply.threads[0];
  const known = (depth: readonly (number | null)[] | undefined): number[] => (depth ?? []).map((d, i) => (d === null ? -1 : i)).filter((i) => i >= 0);
  const bars = known(one?.depth);
  const small = known(one?.small.depth);
  const take = <T>(values: readonly T[] | undefined, at: readonly number[]): T[] => at.map((i) => (values as readonly T[])[i] as T);
  const columns = take(one?.small.x, small).map((x) => Math.max(from, x * reply.px_ns));
  return {
    from, to, px_ns: reply.px_ns, depth_cut: one?.more === true || one?.small.more === true, methods: reply.methods,
    bars: { depth: take(one?.depth, bars).map(Number), ts: take(one?.ts, bars), dur: take(one?.dur, bars), node: take(one?.node, bars), method: take(one?.method, bars) },
    small: { depth: take(one?.small.depth, small).map(Number), ts: columns, dur: columns.map((ts) => Math.min(reply.px_ns, to - ts)), n: take(one?.small.n, small), ns: take(one?.small.ns, small) },
  };
}

interface Bar {
  readonly depth: number;
  readonly ts: number;
  readonly dur: number;
  readonly frame: number;
  readonly id: number;
  readonly left: number;
}

/** Each bar below the one that it is in; bars that are joined are nodes of their own. */
export function chartStacks(reply: ChartReply): Stacks {
  const bars: Bar[] = reply.bars.ts.map((ts, i) => ({ depth: reply.bars.depth[i] ?? 0, ts, dur: reply.bars.dur[i] ?? 0, frame: reply.bars.method[i] ?? -1, id: reply.bars.node[i] ?? -1, left: 0 }));
  reply.small.ts.forEach((ts, i) => bars.push({ depth: reply.small.depth[i] ?? 0, ts, dur: reply.small.dur[i] ?? 0, frame: REST, id: -1, left: reply.small.n[i] ?? 0 }));
  bars.sort((a, b) => a.depth - b.depth || a.ts - b.ts);
  const kept: Bar[] = [];
  const parent: number[] = [0];
  let above: number[] = []; // nodes of the depth before, in the order of time
  let row: number[] = [];
  let depth = 0;
  let at = 0;
  for (const bar of bars) {
    if (bar.depth !== depth) {
      above = bar.depth === depth + 1 ? row : [];
      row = [];
      depth = bar.depth;
      at = 0;
    }
    let up = 0;
    if (depth > 0) {
      const ends = (k: number): number => {
        const one = kept[(above[k] ?? 1) - 1];
        return one === undefined ? 0 : one.ts + one.dur;
      };
      while (at < above.length && ends(at) <= bar.ts) {
        at++;
      }
      const one = kept[(above[at] ?? 0) - 1];
      // What is added up in a column may begin in it with the frame that it is below.
      const begins = one === undefined ? Infinity : Math.max(one.ts, bar.ts);
      if (one === undefined || (begins > bar.ts && (bar.frame !== REST || begins >= bar.ts + bar.dur))) {
        continue; // nothing that it could be below
      }
      up = above[at] ?? 0;
      if (bar.frame === REST) {
        kept.push({ ...bar, ts: begins, dur: Math.min(bar.ts + bar.dur, one.ts + one.dur) - begins });
        parent.push(up);
        row.push(kept.length);
        continue;
      }
    }
    kept.push(bar);
    parent.push(up);
    row.push(kept.length);
  }
  const n = kept.length + 1;
  const whole = Math.max(1, reply.to - reply.from);
  const column = (value: (bar: Bar) => number, first: number): Float64Array => Float64Array.from({ length: n }, (_, i) => (i === 0 ? first : value(kept[i - 1] as Bar)));
  const total = column((b) => b.dur, whole);
  return {
    tree: new Tree({ parent: Int32Array.from(parent), frame: Int32Array.from({ length: n }, (_, i) => (i === 0 ? -1 : (kept[i - 1] as Bar).frame)), self: new Float64Array(n), total, start: column((b) => b.ts - reply.from, 0) }),
    names: namesOf(reply.methods),
    unit: "ns",
    id: column((b) => b.id, -1),
    path: [],
    count: new Float64Array(n),
    left: column((b) => b.left, 0),
    cut: reply.depth_cut,
  };
}
