// What a trace of the system says over time: who ran on each CPU, interrupts, the state of each thread, logs and marks.
import { tintOf } from "../../icicle/icicle.js";
import { cellNumber, cellText, get, records, urlOf, type Cell } from "../api.ts";
import { clean, count, duration, percent } from "../format.ts";
import { namesOf, type MethodsReply, type Names } from "./stacks.ts";
import { clock, database, relative, type Extent } from "../state.ts";
import { graphColours } from "./icicle.tsx";

export type SystemKind = "cpu" | "irq" | "state" | "log" | "event" | "instant" | "process" | "frame";
/** Rows without a lane in columns. */
type RowKind = SystemKind | "async" | "sample";

/** Kinds of lanes with their tables, in the order in which they are shown. */
export const SYSTEM: readonly (readonly [SystemKind, string])[] = [
  ["cpu", "sched_slice"], ["irq", "irq"], ["log", "log"], ["event", "hisys_all_event"], ["instant", "instant"], ["process", "sched_slice"], ["frame", "frame_slice"]];

/** One lane: a sum in each column, and how much there is in all. */
export interface SystemLane {
  readonly kind: SystemKind;
  readonly itid: number | null;
  readonly ipid?: number | null;
  readonly expected?: boolean;
  readonly cpu?: number;
  readonly name?: string | null;
  readonly rows: number;
  /** Where its columns begin, and how wide they are. */
  readonly from: number;
  readonly step: number;
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

/** Rows one by one: [id, ts, dur, ...], or [id, ts, ...] of what has no length. */
export type SystemRow = readonly (number | string | null)[];

export interface System {
  readonly lanes: readonly SystemLane[];
  /** By kind and lane; without a lane where there are too many to show them one by one. */
  readonly rows: ReadonlyMap<string, readonly SystemRow[]>;
}

interface LanesReply {
  readonly from: number;
  readonly step: number;
  readonly lanes: readonly SystemLane[];
}

interface RowsReply {
  readonly rows: readonly SystemRow[];
  readonly more: boolean;
  /** Of samples: what their last column is a number of. */
  readonly methods?: MethodsReply;
}

/** The columns of a row by which it belongs to a lane. */
const LANE_OF: Readonly<Record<RowKind, readonly number[]>> = {
  cpu: [3], irq: [3], state: [3], log: [2], event: [2], instant: [2], process: [], frame: [3, 4], async: [3], sample: [3] };

export const laneKey = (lane: SystemLane): string =>
  `${lane.kind} ${lane.kind === "state" ? lane.itid : lane.kind === "process" ? lane.ipid : lane.kind === "frame" ? `${lane.ipid} ${lane.expected ? 1 : 0}` : lane.cpu ?? lane.name ?? ""}`;

export const has = (table: string): boolean => (database.value?.tables[table] ?? 0) > 0;

interface Asked {
  readonly db: string;
  readonly from: number;
  readonly to: number;
  readonly px: number;
}

/** What the lanes of some kinds are asked for; states are those of threads. */
export const systemUrl = (kinds: readonly SystemKind[], asked: Asked, thr: string): string => urlOf(`/api/lanes/${kinds.join()}`, { ...asked, thr });

/** Rows by their lanes; undefined: there are too many. */
function byLane(kind: RowKind, reply: RowsReply): ReadonlyMap<string, readonly SystemRow[]> | undefined {
  const rows = new Map<string, SystemRow[]>();
  for (const row of reply.rows) {
    const key = [kind, ...LANE_OF[kind].map((column) => row[column] ?? "")].join(" ");
    const list = rows.get(key);
    if (list === undefined) {
      rows.set(key, [row]);
    } else {
      list.push(row);
    }
  }
  return reply.more ? undefined : rows;
}

/** Samples or asynchronous slices of threads, where they are few enough to be shown one by one; by "sample 5", "async 5". */
export interface ThreadRows {
  readonly rows: ReadonlyMap<string, readonly SystemRow[]> | undefined;
  readonly methods: Names | undefined;
}

export async function loadThreadRows(kind: "sample" | "async", asked: Asked, thr: string, signal: AbortSignal): Promise<ThreadRows> {
  const reply = await get<RowsReply>("/api/rows", { db: asked.db, kind, from: asked.from, to: asked.to, thr }, { signal, what: kind === "sample" ? "reading samples" : "reading asynchronous slices" });
  return { rows: byLane(kind, reply), methods: reply.methods === undefined ? undefined : namesOf(reply.methods) };
}

const MOST = 4000; // rows of a kind that the server gives at once

/** The lanes of these kinds in columns, and their rows where these are few enough. */
export async function loadSystem(kinds: readonly SystemKind[], asked: Asked, thr: string, signal: AbortSignal): Promise<System> {
  const what = "reading the lanes of the system";
  const more = (kind: SystemKind): { thr?: string } => (kind === "state" ? { thr } : {});
  const replies = await Promise.all(kinds.map((kind) => get<LanesReply>("/api/lanes", { ...asked, px: kind === "process" ? asked.px / 4 : asked.px, kind, ...more(kind) }, { signal, what })));
  // Rows only where they are few: those that begin in the range are known.
  const begin = (i: number): number => (replies[i]?.lanes ?? []).reduce((sum, lane) => sum + (lane.columns["n"] ?? []).reduce((a, b) => a + b, 0), 0);
  const near = await Promise.all(kinds.filter((kind, i) => kind !== "process" && begin(i) <= MOST)
    .map(async (kind) => byLane(kind, await get<RowsReply>("/api/rows", { db: asked.db, from: asked.from, to: asked.to, kind, ...more(kind) }, { signal, what }))));
  const rows = new Map(near.flatMap((one) => [...(one ?? [])]));
  return { lanes: replies.flatMap((one) => one.lanes.map((lane) => ({ ...lane, from: one.from, step: one.step }))), rows };
}

/** The idle thread, which is in no list, is itid 0. */
export const nameOf = (itid: number, names: ReadonlyMap<number, string>): string => names.get(itid) ?? (itid === 0 ? "swapper" : `thread ${itid}`);

// --- states -----------------------------------------------------------------------------------------------------------------

const GROUPS = ["running", "runnable", "sleeping", "blocked", "other"] as const;
type Group = (typeof GROUPS)[number];

/** Of a row of a state: the last column, which the server gives. */
const groupOf = (row: SystemRow): Group => String(row.at(-1)) as Group;

const STATE_COLOURS: Readonly<Record<"dark" | "light", Readonly<Record<Group, string>>>> = {
  light: { running: "#2f9e44", runnable: "#f0b429", sleeping: "#d5dae1", blocked: "#d9480f", other: "#9775c7" },
  dark: { running: "#3aa655", runnable: "#c99417", sleeping: "#3a414c", blocked: "#d1602f", other: "#8365b0" },
};

export const stateColour = (group: string): string => {
  const all = STATE_COLOURS[graphColours().dark ? "dark" : "light"];
  return all[group as Group] ?? all.other;
};

export const LEGEND: readonly (readonly [string, string])[] = [["running", "running"], ["runnable", "waiting for a CPU"], ["sleeping", "sleeping"], ["blocked", "blocked (I/O)"], ["other", "other"]];

// --- drawing ----------------------------------------------------------------------------------------------------------------

export interface Place {
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly px: (t: number) => number;
  /** The end of what has no end. */
  readonly end: number;
}

/** The colour of all that is called so. */
export const colourOfName = (name: string): string => {
  const c = graphColours();
  return c.boxes[tintOf(name, name)] ?? c.plain;
};

/** end: of what has no end; undefined: it is but a moment then. */
const lengthOf = (row: SystemRow, end: number | undefined): number => (row[2] === null || row[2] === undefined ? Math.max(0, (end ?? Number(row[1])) - Number(row[1])) : Number(row[2]));

function label(pen: CanvasRenderingContext2D, text: string, x: number, w: number, place: Place): void {
  if (w > 40) {
    pen.save();
    pen.beginPath();
    pen.rect(x, place.top, w - 4, place.height);
    pen.clip();
    pen.fillStyle = graphColours().onBox;
    pen.fillText(text, x + 4, place.top + place.height / 2);
    pen.restore();
  }
}

/** Rows as boxes, coloured and named by what they are. */
function drawBoxes(pen: CanvasRenderingContext2D, rows: readonly SystemRow[], place: Place, look: (row: SystemRow) => readonly [string, string] | undefined, lasts = true): void {
  for (const row of rows) {
    const x = Math.max(0, place.px(Number(row[1])));
    const end = Math.min(place.width, place.px(Number(row[1]) + lengthOf(row, lasts ? place.end : undefined)));
    const shown = look(row);
    if (shown === undefined || end < 0 || x > place.width) {
      continue;
    }
    const w = Math.max(1, end - x);
    pen.fillStyle = shown[0];
    pen.fillRect(x, place.top, w > 3 ? w - 1 : w, place.height);
    label(pen, shown[1], x, w, place);
  }
}

/** What part of each column is of each kind of time, one on the other. */
function drawParts(pen: CanvasRenderingContext2D, lane: SystemLane, place: Place, parts: readonly (readonly [string, string])[]): void {
  const n = lane.columns["n"]?.length ?? 0;
  for (let k = 0; k < n; k++) {
    const x = Math.round(place.px(lane.from + k * lane.step));
    const w = Math.max(1, Math.round(place.px(lane.from + (k + 1) * lane.step)) - x);
    if (x + w < 0 || x > place.width) {
      continue;
    }
    let base = place.top + place.height;
    for (const [name, colour] of parts) {
      const tall = place.height * Math.min(1, (lane.columns[name]?.[k] ?? 0) / lane.step);
      if (tall > 0) {
        pen.fillStyle = colour;
        pen.fillRect(x, base - Math.max(tall, 0.7), w, Math.max(tall, 0.7));
        base -= tall;
      }
    }
  }
}

/** Moments as marks, or how many there are in each column. */
function drawMarks(pen: CanvasRenderingContext2D, lane: SystemLane, rows: readonly SystemRow[] | undefined, place: Place, colour: string): void {
  pen.fillStyle = colour;
  if (rows !== undefined) {
    for (const row of rows) {
      pen.fillRect(Math.round(place.px(Number(row[1]))), place.top + 2, 2, place.height - 4);
    }
    return;
  }
  const most = (lane.columns["n"] ?? []).reduce((a, b) => Math.max(a, b), 1);
  (lane.columns["n"] ?? []).forEach((n, k) => {
    if (n > 0) {
      pen.globalAlpha = 0.35 + (0.65 * n) / most;
      pen.fillRect(Math.round(place.px(lane.from + k * lane.step)), place.top + 2, Math.max(1.5, place.px(lane.from + (k + 1) * lane.step) - place.px(lane.from + k * lane.step)), place.height - 4);
    }
  });
  pen.globalAlpha = 1;
}

const FRAMES = ["in_time", "late", "nothing", "late_shown", "not_known"] as const;
/** What became of a frame, by frame_slice.flag. */
export const frameText = (flag: number | string | null | undefined): string => ["in time", "late", "nothing to show", "late, by the render service"][Number(flag ?? 9)] ?? "not known";

const frameColour = (what: string, expected: boolean): string =>
  expected ? stateColour("sleeping") : what === "late" ? stateColour("blocked") : what === "late_shown" ? stateColour("runnable") : what === "in_time" ? stateColour("running") : stateColour("other");

/** The time of a process on CPUs; most: how many CPUs the height is. */
export function drawUse(pen: CanvasRenderingContext2D, from: number, step: number, busy: readonly number[], place: Place, most: number): void {
  pen.fillStyle = graphColours().accent;
  busy.forEach((ns, k) => {
    const x = Math.round(place.px(from + k * step));
    const w = Math.max(1, Math.round(place.px(from + (k + 1) * step)) - x);
    const tall = place.height * Math.min(1, ns / step / most);
    if (tall > 0 && x + w >= 0 && x <= place.width) {
      pen.fillRect(x, place.top + place.height - Math.max(tall, 0.7), w, Math.max(tall, 0.7));
    }
  });
}

/** names: of threads, by itid. */
export function drawSystem(pen: CanvasRenderingContext2D, system: System, lane: SystemLane, place: Place, names: ReadonlyMap<number, string>): void {
  const c = graphColours();
  const rows = system.rows.get(laneKey(lane));
  if (lane.kind === "cpu") {
    if (rows === undefined) {
      drawParts(pen, lane, place, [["busy", c.accent]]);
      return;
    }
    drawBoxes(pen, rows, place, (row) => {
      const name = nameOf(Number(row[4]), names);
      return Number(row[4]) === 0 ? undefined : [colourOfName(name), name];
    });
  } else if (lane.kind === "irq") {
    if (rows === undefined) {
      drawParts(pen, lane, place, [["busy", stateColour("other")]]);
      return;
    }
    drawBoxes(pen, rows, place, (row) => [colourOfName(String(row[5] ?? "")), clean(String(row[5] ?? ""), 60)], false);
  } else if (lane.kind === "state") {
    if (rows === undefined) {
      drawParts(pen, lane, place, GROUPS.map((group) => [group, stateColour(group)] as const));
      return;
    }
    drawBoxes(pen, rows, place, (row) => [stateColour(groupOf(row)), ""]);
  } else if (lane.kind === "frame") {
    if (rows === undefined) {
      drawParts(pen, lane, place, FRAMES.map((what) => [what, frameColour(what, lane.expected === true)] as const));
      return;
    }
    drawBoxes(pen, rows, place, (row) => [frameColour(FRAMES[Number(row[5] ?? 4)] ?? "not_known", row[4] === 1), row[6] === null ? "" : `${row[6]}`], false);
  } else if (lane.kind === "process") {
    const busy = lane.columns["busy"] ?? [];
    drawUse(pen, lane.from, lane.step, busy, place, Math.max(1, Math.ceil(busy.reduce((a, b) => Math.max(a, b), 0) / lane.step - 0.01)));
  } else {
    const bad = lane.name === "E" || lane.name === "F" || lane.name === "CRITICAL";
    drawMarks(pen, lane, rows, place, bad ? stateColour("blocked") : c.accent);
  }
}

/** The row of the lane at a moment, or within a pixel of it. */
export function systemRowAt(system: System, lane: SystemLane, t: number, slack: number, end: number): SystemRow | undefined {
  const moment = lane.kind === "log" || lane.kind === "event" || lane.kind === "instant";
  return rowAt(system.rows.get(laneKey(lane)) ?? [], t, slack, lane.kind === "irq" || lane.kind === "frame" ? undefined : end, moment);
}

/** The last row around a moment; moment: its rows have no length. */
export function rowAt(rows: readonly SystemRow[], t: number, slack: number, end: number | undefined, moment = false): SystemRow | undefined {
  return rows.findLast((row) => {
    const ts = Number(row[1]);
    return moment ? Math.abs(t - ts) <= 2 * slack : t >= ts - slack && t <= ts + Math.max(lengthOf(row, end), slack);
  });
}

/** What the pointer is on, in lines. */
export function describeSystem(system: System, lane: SystemLane, t: number, slack: number, end: number, names: ReadonlyMap<number, string>): readonly string[] {
  const row = systemRowAt(system, lane, t, slack, end);
  const at = `at ${clock(t)}`;
  if (row === undefined) {
    const k = Math.floor((t - lane.from) / lane.step);
    const of = (name: string): number => lane.columns[name]?.[k] ?? 0;
    if (lane.kind === "state") {
      return [...GROUPS.filter((group) => of(group) > 0).map((group) => `${percent(of(group), lane.step)} ${group}`), at];
    }
    if (lane.kind === "frame") {
      return [`${count(of("n"))} frames begin`, ...(lane.expected === true || of("late") + of("late_shown") === 0 ? [] : ["some are late"]), at];
    }
    if (lane.kind === "process") {
      return [`${(of("busy") / lane.step).toFixed(2)} CPUs busy`, at];
    }
    return lane.kind === "cpu" || lane.kind === "irq" ? [`${percent(of("busy"), lane.step)} busy`, at] : [`${count(of("n"))} marks`, at];
  }
  const begins = `at ${clock(Number(row[1]))}`;
  const lasts = row[2] !== null ? duration(Number(row[2])) : lane.kind === "irq" || lane.kind === "frame" ? "its end was not seen" : "to the end";
  switch (lane.kind) {
    case "cpu":
      return [Number(row[4]) === 0 ? "idle" : nameOf(Number(row[4]), names), lasts, `priority ${row[5]}${row[6] === null || row[6] === undefined ? "" : `, then ${row[6]}`}`, begins];
    case "irq":
      return [clean(String(row[5] ?? ""), 200), `${row[4]}, ${lasts}`, begins];
    case "state":
      return [`${groupOf(row)} (${row[4]})`, row[5] === null ? lasts : `${lasts} on CPU ${row[5]}`, begins];
    case "log":
      return [`${row[2]} ${clean(String(row[3] ?? ""), 60)}`, clean(String(row[4] ?? ""), 300), begins];
    case "frame":
      return [row[4] === 1 ? "expected" : frameText(row[5]), `${lasts}${row[6] === null ? "" : `, vsync ${row[6]}`}`, begins];
    case "instant":
      return [clean(String(row[2]), 60), `${nameOf(Number(row[3]), names)}${row[4] === null ? "" : `, by ${nameOf(Number(row[4]), names)}`}`, begins];
    default:
      return [clean(String(row[2] ?? ""), 60), begins];
  }
}

// --- one time on a CPU ------------------------------------------------------------------------------------------------------

const RAN = `SELECT s.ts, s.dur, s.cpu, s.itid, s.priority, s.end_state, t.name AS thread, t.tid, p.name AS process, p.pid
FROM sched_slice AS s LEFT JOIN thread AS t ON t.itid = s.itid LEFT JOIN process AS p ON p.ipid = t.ipid WHERE s.rowid = :id`;
const WAKING = 1e6; // ns before a thread is ready in which its wake-up is looked for

export interface Ran {
  readonly ts: string;
  readonly dur: number | null;
  readonly cpu: number;
  readonly itid: number;
  readonly priority: string;
  readonly endState: string;
  readonly thread: string;
  readonly process: string;
  readonly pid: string;
  /** ns between ready to run and running; null: it was not seen. */
  readonly latency: number | null;
  readonly waker: string;
  readonly wakerItid: number | undefined;
}

/** Who woke a thread that was ready at a moment. */
async function wakerOf(db: string, itid: number, ready: number, signal: AbortSignal): Promise<number | undefined> {
  const marks = await get<RowsReply>("/api/rows", { db, kind: "instant", from: ready - WAKING, to: ready + 1, limit: 20000 }, { signal, what: "looking for its wake-up" });
  const woken = (marks.more ? [] : marks.rows).filter((one) => Number(one[3]) === itid && one[4] !== null).at(-1);
  return woken === undefined ? undefined : Number(woken[4]);
}

/** Who ran, how long it had waited for the CPU, and who woke it. */
export async function loadRan(db: string, id: number, names: ReadonlyMap<number, string>, signal: AbortSignal): Promise<Ran | undefined> {
  const what = "reading who ran";
  const row = (await records(RAN, { db, params: { id }, signal, what }))[0];
  if (row === undefined) {
    return undefined;
  }
  const itid = cellNumber(row["itid"]);
  const ts = relative(cellText(row["ts"]));
  const states = await get<RowsReply>("/api/rows", { db, kind: "state", thr: String(itid), from: ts - 1, to: ts }, { signal, what });
  const waited = states.rows.find((one) => Number(one[1]) + Number(one[2] ?? 0) === ts && groupOf(one) === "runnable");
  const ready = waited === undefined ? undefined : Number(waited[1]);
  const waker = ready === undefined ? undefined : await wakerOf(db, itid, ready, signal);
  return {
    ts: cellText(row["ts"]), dur: row["dur"] === null ? null : cellNumber(row["dur"]), cpu: cellNumber(row["cpu"]), itid,
    priority: cellText(row["priority"]), endState: cellText(row["end_state"]), thread: cellText(row["thread"]) || `thread ${cellText(row["tid"])}`, process: cellText(row["process"]), pid: cellText(row["pid"]),
    latency: ready === undefined ? null : ts - ready, waker: waker === undefined ? "" : nameOf(waker, names), wakerItid: waker,
  };
}

// --- one state of a thread ----------------------------------------------------------------------------------------------------

const STATE = `SELECT s.ts, s.dur, s.cpu, s.itid, s.state, s.arg_setid, t.name AS thread, t.tid, p.name AS process, p.pid
FROM thread_state AS s LEFT JOIN thread AS t ON t.itid = s.itid LEFT JOIN process AS p ON p.ipid = t.ipid WHERE s.rowid = :id`;

export interface State {
  readonly ts: string;
  readonly dur: number | null;
  readonly cpu: string;
  readonly itid: number;
  readonly state: string;
  readonly kind: Group;
  readonly argset: Cell;
  readonly thread: string;
  readonly process: string;
  readonly pid: string;
  readonly priority: string;
  readonly waker: string;
  readonly wakerItid: number | undefined;
  /** When it was ready to run, relative; undefined: it ran, or that was not seen. */
  readonly ready: number | undefined;
  /** ns that it was ready before it ran. */
  readonly latency: number | null;
}

/** A state, who ended the wait that it is, and how long the thread then waited for a CPU. */
export async function loadState(db: string, id: number, names: ReadonlyMap<number, string>, signal: AbortSignal): Promise<State | undefined> {
  const what = "reading the state";
  const row = (await records(STATE, { db, params: { id }, signal, what }))[0];
  if (row === undefined) {
    return undefined;
  }
  const itid = cellNumber(row["itid"]);
  const ts = relative(cellText(row["ts"]));
  const end = row["dur"] === null ? undefined : ts + cellNumber(row["dur"]);
  const [states, ran] = await Promise.all([
    get<RowsReply>("/api/rows", { db, kind: "state", thr: String(itid), from: ts, to: (end ?? ts) + 1 }, { signal, what }),
    get<RowsReply>("/api/rows", { db, kind: "cpu", from: ts, to: ts + 1 }, { signal, what }),
  ]);
  const own = states.rows.find((one) => Number(one[0]) === id);
  const kind = own === undefined ? "other" : groupOf(own);
  const ready = kind === "runnable" ? own : kind === "running" ? undefined : states.rows.find((one) => Number(one[1]) === end && groupOf(one) === "runnable");
  const waker = ready === undefined ? undefined : await wakerOf(db, itid, Number(ready[1]), signal);
  return {
    ts: cellText(row["ts"]), dur: row["dur"] === null ? null : cellNumber(row["dur"]), cpu: cellText(row["cpu"]), itid, state: cellText(row["state"]), kind, argset: row["arg_setid"] ?? null,
    thread: cellText(row["thread"]) || `thread ${cellText(row["tid"])}`, process: cellText(row["process"]), pid: cellText(row["pid"]),
    priority: kind === "running" ? String(ran.rows.find((one) => Number(one[4]) === itid && Number(one[1]) === ts)?.[5] ?? "") : "",
    waker: waker === undefined ? "" : nameOf(waker, names), wakerItid: waker, ready: ready === undefined ? undefined : Number(ready[1]),
    latency: ready === undefined || ready[2] === null ? null : Number(ready[2]),
  };
}

// --- states in a range --------------------------------------------------------------------------------------------------------

export interface SpentRow {
  readonly id: string;
  readonly thread: string;
  readonly ns: Readonly<Record<Group, number>>;
}

/** Of each thread the time in each kind of state within a range, as the server sums it. */
export async function loadSpent(db: string, part: Extent, thr: string, names: ReadonlyMap<number, string>, signal: AbortSignal): Promise<SpentRow[]> {
  const reply = await get<{ readonly lanes: readonly { readonly itid: number; readonly all: Readonly<Record<string, readonly number[]>> }[] }>(
    "/api/lanes", { db, kind: "state", thr, from: Math.round(part.from), to: Math.round(part.to) }, { signal, what: "reading states" });
  const rows = reply.lanes.map((lane) => ({
    id: String(lane.itid), thread: nameOf(lane.itid, names),
    ns: Object.fromEntries(GROUPS.map((group) => [group, lane.all[group]?.[0] ?? 0])) as Record<Group, number>,
  }));
  return rows.filter((row) => GROUPS.some((group) => row.ns[group] > 0));
}
