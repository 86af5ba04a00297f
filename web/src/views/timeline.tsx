// The system and its threads over time: who ran on each CPU, what state threads were in, how busy they were, their calls, measured values, pauses, logs and marks.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { cellNumber, cellText, get, records, urlOf } from "../api.ts";
import { COUNTERS, loadThreads, threadName, type Thread, type Threads } from "../data.ts";
import { baseName, clean, count, duration, percent, plural } from "../format.ts";
import type { SlicesReply } from "../parts/chart-tree.ts";
import { Failure } from "../parts/frame.tsx";
import { joined, lined, namesOfThreads, processesOf, tidText, type Person, type Process } from "../parts/groups.ts";
import { loadLinks, type LinkEnd } from "../parts/links.ts";
import { nextMatch, searched } from "../parts/search.ts";
import { chosenJson, isChosen } from "../parts/sources.ts";
import { namesOf, type Names } from "../parts/stacks.ts";
import { has, laneKey, LEGEND, loadSystem, loadThreadRows, stateColour, SYSTEM, systemUrl, type System, type SystemKind, type SystemLane, type SystemRow } from "../parts/system.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { marks, pan, see, seen, selection, useSettled, zoom } from "../parts/timeview.ts";
import { absolute, clock, database, extent, go, numberParam, param, range, relative, setParams, zero, type Extent } from "../state.ts";
import { useLoad, useSize } from "../use.ts";
import { FrameDrawer, MarkDrawer, MomentDrawer, PauseDrawer, RanDrawer, SampleDrawer, SliceDrawer, StateDrawer } from "./timeline-details.tsx";
import { Arrows, AxisBox, DEEPEST, LANE, LaneBox, Overlay, PICKS, ROW, seriesKey, seriesName, sliceName, type Drawn, type Lane, type Pause, type SeriesReply, type TimelineReply } from "./timeline-lanes.tsx";
import { EVENTS, RangeDrawer } from "./timeline-range.tsx";

const NAMES = 210; // width of the names of lanes
const NARROW = 130;
const MOST = 256; // threads that the server answers for at once
const HALF = 128;
const FEW = 40; // threads that are shown without choosing a process first

const PAUSES = "SELECT ts, dur, kind FROM v_pause WHERE ts < :to AND ts + ifnull(dur, 0) > :from AND (:source IS NULL OR source_id = :source) ORDER BY ts LIMIT 20000";

const OWNERS = "SELECT DISTINCT itid FROM timeseries WHERE :source IS NULL OR source_id = :source LIMIT 100000";

const orders: Record<string, (a: Person, b: Person) => number> = {
  busy: (a, b) => b.busy - a.busy,
  name: (a, b) => threadName(a).localeCompare(threadName(b), "en"),
  first: (a, b) => a.first - b.first,
};

// --- sources that are far apart ---------------------------------------------------------------------------------------------

interface Source {
  readonly id: number;
  readonly name: string;
  readonly clock: string;
  readonly from: number;
  readonly to: number;
  /** What the kernel recorded is of it: lanes of CPUs and states name no source. */
  readonly system: boolean;
}

// Those that no other was found in, with the file that they are in.
const SOURCES = `SELECT s.id, s.name, coalesce(s.path, p.path) AS path, s.clock, s.start_ts, s.end_ts FROM source AS s LEFT JOIN source AS p ON p.id = s.parent_id
WHERE NOT EXISTS (SELECT 1 FROM source AS c WHERE c.parent_id = s.id) ORDER BY s.id LIMIT 1000`;
const APART = 20; // how much longer all of it may be than the sources are

/** Sources with times of their own; of what the kernel recorded, times are those of its rows. */
async function loadSources(db: string, signal: AbortSignal): Promise<Source[]> {
  const rows = await records(SOURCES, { db, signal, limit: 1000, what: "reading sources" });
  const table = ["sched_slice", "thread_state", "callstack"].find(has);
  const kernel = rows.length < 2 || table === undefined || !rows.some((r) => r["end_ts"] === null) ? undefined
    : (await records(`SELECT min(ts) AS start_ts, max(ts + ifnull(dur, 0)) AS end_ts FROM ${table}`, { db, signal, what: "reading sources" }))[0];
  return rows.flatMap((r): Source[] => {
    const system = r["end_ts"] === null && kernel !== undefined;
    const of = system ? kernel : r;
    const [from, to] = [of?.["start_ts"], of?.["end_ts"]];
    const [name, file] = [clean(cellText(r["name"]), 80), baseName(clean(cellText(r["path"]), 80))];
    return from === null || to === null || from === undefined || to === undefined ? []
      : [{ id: cellNumber(r["id"]), name: [file, name].filter((text) => text !== "").join(" ") || `source ${cellText(r["id"])}`, clock: cellText(r["clock"]), from: relative(cellText(from)), to: relative(cellText(to)), system }];
  }).filter((one) => one.to > one.from);
}

/** One axis for all of them would show nothing: their clocks differ, or days are between them. */
function apart(sources: readonly Source[]): boolean {
  const whole = Math.max(...sources.map((one) => one.to)) - Math.min(...sources.map((one) => one.from));
  const clocks = new Set(sources.map((one) => one.clock).filter((name) => name !== ""));
  return sources.length > 1 && (clocks.size > 1 || whole > APART * sources.reduce((sum, one) => sum + one.to - one.from, 0));
}

export function Timeline(): JSX.Element {
  const db = database.value?.name ?? "";
  const sources = useLoad(db, (signal) => loadSources(db, signal).catch(() => []));
  const all = sources.data ?? [];
  const each = apart(all);
  const own = each ? all.find((one) => isChosen(one.id)) : undefined;
  const whole = useRef<Extent>({ from: 0, to: 0 });
  // The time that is shown is that of the source, from its own beginning, as long as this view is open.
  useLayoutEffect(() => {
    if (own !== undefined && (extent.value.from !== own.from || extent.value.to !== own.to)) {
      whole.current = extent.value;
      extent.value = { from: own.from, to: own.to };
      zero.value = own.from;
    }
  }, [own?.id, extent.value]);
  useEffect(() => () => {
    if (zero.value !== 0) {
      zero.value = 0;
      extent.value = whole.current;
    }
  }, []);
  if (each && own === undefined) {
    return <p class="none big">The chosen source has no times</p>;
  }
  const settled = sources.data !== undefined && (own === undefined || extent.value.from === own.from);
  return settled ? <Board src={own === undefined ? param("src") : String(own.id)} apart={own === undefined ? [] : all} system={own?.system !== false} /> : <p class="waiting" role="status">reading sources</p>;
}

// --- all --------------------------------------------------------------------------------------------------------------------

const CPU: readonly SystemKind[] = ["cpu"];
const IRQ: readonly SystemKind[] = ["irq"];
const NONE: readonly Thread[] = [];

/** apart: the sources of which one is shown at a time; system: what the kernel recorded is part of what is shown. */
function Board({ src, apart: sources, system: kernel }: { src: string; apart: readonly Source[]; system: boolean }): JSX.Element {
  const db = database.value?.name ?? "";
  const thr = param("thr");
  const wanted = (source: number | null): boolean => (sources.length > 0 ? String(source) === src : isChosen(source));
  const pass = searched();
  const sort = param("sort") || "busy";
  const view = seen();
  const [place, size] = useSize<HTMLDivElement>();
  const names = size.width > 0 && size.width < 700 ? NARROW : NAMES;
  const width = Math.max(50, size.width - names - 14);
  const timed = range.value !== undefined || extent.value.to > extent.value.from;
  const asked = useSettled({ from: view.from, to: view.to, px: Math.min(4000, Math.max(100, width)) }, 90, timed && size.width > 0);
  const times = { db, from: asked.from, to: asked.to, px: asked.px };
  // What is seen first is asked for first: CPUs, then threads, then the rest.
  const placed = size.width > 0 || param("table") === "1";
  const kinds = !placed || !kernel ? [] : SYSTEM.filter(([, table]) => has(table)).map(([kind]) => kind);
  const laterKinds = kinds.filter((kind) => kind !== "cpu" && kind !== "irq");
  const cpuKey = kinds.includes("cpu") ? systemUrl(CPU, times, "") : "";
  const system = useLoad(cpuKey, (signal) => loadSystem(CPU, times, "", signal));
  const interrupts = useLoad(kinds.includes("irq") ? systemUrl(IRQ, times, "") : "", (signal) => loadSystem(IRQ, times, "", signal));
  const begun = placed && (cpuKey === "" || system.data !== undefined || system.error !== undefined);
  const loaded = useLoad(begun ? db : "", (signal) => loadThreads({ db, signal, px: 1 }));
  const threads: Pick<Threads, "threads"> = loaded.data ?? { threads: NONE };
  const ready = loaded.data !== undefined;
  const list = useMemo(() => {
    const only = new Set(thr.split(",").filter((t) => t !== ""));
    const chosen = joined(threads.threads, wanted).filter((one) => only.size === 0 || only.has(String(one.itid))).sort(orders[sort] ?? orders["busy"]);
    const found = pass === undefined ? chosen : chosen.filter((one) => pass(`${one.name} ${one.process}`));
    // A search for calls and slices finds what threads are not called.
    return found.length > 0 || !(has("callstack") || has("stack_slice")) ? found : chosen;
  }, [loaded.data, src, chosenJson(), thr, param("q"), sort]);
  // Groups: which are open is decided by their number, and what the user changed is kept apart from it.
  const processes = useMemo(() => processesOf(list, sort), [list, sort]);
  const grouped = processes.length > 1 || (kernel && (has("thread_state") || has("callstack")));
  const changed = new Set(param("fold").split(",").filter((key) => key !== ""));
  const opens = (key: string, usual: boolean): boolean => usual !== changed.has(key);
  const unfolded = (one: Process): boolean => !grouped || opens(one.key, list.length <= FEW || one === processes[0] || thr !== "" || pass !== undefined);
  const shown = processes.filter(unfolded).flatMap((one) => one.threads);
  // Until the user chooses, the busiest threads with calls are open.
  const marked = kernel && has("callstack") && !has("stack_slice");
  const hasCalls = (one: Person): boolean => one.itid !== null && (one.calls || marked);
  const given = route_has("open") ? param("open").split(",") : shown.filter(hasCalls).slice(0, 4).map((one) => one.key);
  const open = new Set(given.filter((k) => k !== "" && k !== "none"));
  const opened = shown.filter((one) => open.has(one.key) && one.itid !== null).slice(0, 16);
  const openIds = opened.filter(hasCalls).map((one) => Number(one.itid));
  const sampledIds = opened.filter((one) => one.samples).map((one) => Number(one.itid)).join(",");
  // Of many threads only those around the window are asked for.
  const [block, setBlock] = useState(0);
  const near = shown.slice(block * HALF, block * HALF + MOST).filter((one) => one.itid !== null).map((one) => one.itid).join(",");
  const around = list.length <= MOST ? {} : { thr: near };
  const stacked = has("stack_sample") || has("stack_slice");
  const columns = useLoad(ready && stacked ? urlOf("/api/timeline", { ...times, src, ...around }) : "", (signal) => get<TimelineReply>("/api/timeline", { ...times, src, ...around }, { signal, what: "reading the timeline" }));
  const states = useLoad(kernel && has("thread_state") && near !== "" ? systemUrl(["state"], times, near) : "", (signal) => loadSystem(["state"], times, near, signal));
  const slices = useLoad(openIds.length === 0 ? "" : urlOf("/api/slices", { ...times, thr: openIds.join(",") }), (signal) => get<SlicesReply>("/api/slices", { ...times, thr: openIds.join(",") }, { signal, what: "reading calls" }));
  const samples = useLoad(sampledIds === "" ? "" : urlOf("/api/rows", { ...times, kind: "sample", thr: sampledIds }), (signal) => loadThreadRows("sample", times, sampledIds, signal));
  // The rest after the states of what is seen.
  const second = ready && (!kernel || !has("thread_state") || near === "" || states.data !== undefined || states.error !== undefined);
  const rest = useLoad(second && laterKinds.length > 0 ? systemUrl(laterKinds, times, "") : "", (signal) => loadSystem(laterKinds, times, "", signal));
  const async_ = useLoad(second && marked ? urlOf("/api/rows", { ...times, kind: "async" }) : "", (signal) => loadThreadRows("async", times, "", signal));
  const hasSeries = has("timeseries_value");
  const hasCounters = COUNTERS.some(has);
  const owners = useLoad(hasSeries ? `${db} ${src}` : "", async (signal) => {
    const rows = await records(OWNERS, { db, signal, limit: 100000, what: "reading counters", params: { source: src === "" ? null : Number(src) } });
    return new Set(rows.map((r) => (r["itid"] === null ? "none" : cellText(r["itid"]))));
  });
  // Those of open threads, and of no thread: a recording may have one for each of thousands of threads.
  const measured = shown.filter((one) => open.has(one.key) && owners.data?.has(String(one.itid))).map((one) => Number(one.itid)).slice(0, 16);
  const free = hasCounters || owners.data?.has("none") === true;
  // Those of no thread: which there are, and their values where a group of them is open.
  const known = useLoad(second && free ? urlOf("/api/series/known", { db, src }) : "", (signal) => get<SeriesReply>("/api/series", { db, src, px: 1, from: Math.round(extent.value.from), to: Math.round(extent.value.to) + 1 }, { signal, what: "reading counters" }));
  const cpuNames = new Set((system.data?.lanes ?? []).filter((one) => one.kind === "cpu").map((one) => `CPU ${one.cpu}`));
  const freeSeries = known.data?.series.filter((one) => one.itid === null) ?? [];
  const ofCpus = freeSeries.filter((one) => cpuNames.has(one.owner ?? ""));
  // Those of a process are in its group.
  const ofProcess = (ipid: number | null): typeof freeSeries => (grouped && ipid !== null ? freeSeries.filter((one) => one.ipid === ipid) : []);
  const inProcess = new Set(processes.flatMap((one) => ofProcess(one.ipid)));
  const others = freeSeries.filter((one) => !cpuNames.has(one.owner ?? "") && !inProcess.has(one));
  // Those of few CPUs are beside them, of many in a group of their own.
  const beside = cpuNames.size <= 4;
  const seesCpus = ofCpus.length > 0 && (beside ? opens("g cpu", true) : opens("g cpu counters", false));
  const seesOthers = others.length > 0 && (!grouped || opens("g counters", others.length <= 16));
  const countersOf = (one: Process): string => `g counters ${one.key}`;
  const seesProcess = processes.some((one) => unfolded(one) && ofProcess(one.ipid).length > 0 && opens(countersOf(one), false));
  const seesFree = seesCpus || seesOthers || seesProcess;
  const series = useLoad(second && (measured.length > 0 || seesFree) ? `${urlOf("/api/series", { ...times, src })} ${measured.join()} ${seesFree}` : "", async (signal) => {
    const replies = await Promise.all([...measured.map((itid) => ({ thr: itid })), ...(seesFree ? [{}] : [])].map((more) => get<SeriesReply>("/api/series", { ...times, src, ...more }, { signal, what: "reading counters" })));
    const seen_ = new Set<string>();
    return { px_ns: replies[0]?.px_ns ?? 1, series: replies.flatMap((one) => one.series).filter((one) => !seen_.has(seriesKey(one)) && seen_.add(seriesKey(one))) };
  });
  const hasPauses = has("runtime_pause") || has("cloud_suspend");
  const pauses = useLoad(hasPauses ? `${db} ${src} ${asked.from} ${asked.to}` : "", async (signal) => (await records(PAUSES, { db, signal, limit: 20000, what: "reading pauses", params: { from: absolute(asked.from), to: absolute(asked.to + 1), source: src === "" ? null : Number(src) } }))
    .map((r): Pause => ({ ts: relative(cellText(r["ts"])), dur: cellNumber(r["dur"]), kind: cellText(r["kind"]) })));
  const chosen = { slice: numberParam("slice"), ran: numberParam("ran"), state: numberParam("state"), frame: numberParam("frame") };
  const linked = { ...chosen, slice: marked ? chosen.slice : undefined };
  const links = useLoad(Object.values(linked).some((one) => one !== undefined) ? `${db} ${JSON.stringify(linked)}` : "", (signal) => loadLinks(db, linked, signal));
  const stateOf = useMemo(() => new Map((states.data?.lanes ?? []).map((lane) => [lane.itid, lane])), [states.data]);
  const threadNames = useMemo(() => namesOfThreads(threads.threads), [loaded.data]);
  const methods = useMemo(() => (slices.data === undefined ? undefined : namesOf(slices.data.methods)), [slices.data]);
  const bySlices = useMemo(() => new Map((slices.data?.threads ?? []).map((one) => [String(one.itid), one])), [slices.data]);
  const byColumns = useMemo(() => {
    const known = new Map<string, { busy: number[]; waiting: number[]; starts: number[]; sample: boolean }>();
    for (const one of columns.data?.threads ?? []) {
      const key = one.itid === null ? `source ${one.source_id}` : String(one.itid);
      const before = known.get(key);
      if (before === undefined) {
        known.set(key, { busy: [...one.busy], waiting: [...one.waiting], starts: [...one.starts], sample: one.kind === "sample" });
      } else {
        one.busy.forEach((v, i) => {
          before.busy[i] = Math.max(before.busy[i] ?? 0, v);
          before.waiting[i] = Math.max(before.waiting[i] ?? 0, one.waiting[i] ?? 0);
          before.starts[i] = (before.starts[i] ?? 0) + (one.starts[i] ?? 0);
        });
      }
    }
    return known;
  }, [columns.data]);
  // Asynchronous slices of a process, one above the other where they overlap.
  const asyncOf = useMemo(() => {
    const of = new Map<string, SystemRow[]>();
    const process = new Map(list.map((one) => [Number(one.itid), one.ipid === null ? "p-" : `p${one.ipid}`]));
    for (const row of [...(async_.data?.rows?.values() ?? [])].flat()) {
      const key = process.get(Number(row[3])) ?? "";
      of.set(key, [...(of.get(key) ?? []), row]);
    }
    return new Map([...of].map(([key, rows]) => [key, lined(rows, extent.value.to)] as const));
  }, [async_.data, list]);

  // --- lanes and their places ---
  const lanes: Lane[] = [];
  let top = 0;
  const add = (lane: Partial<Lane> & Pick<Lane, "key" | "kind" | "name">): void => {
    const whole: Lane = { detail: "", height: LANE, open: false, more: false, inner: false, ...lane, top };
    lanes.push(whole);
    top += whole.height;
  };
  const group = (key: string, name: string, detail: string, isOpen: boolean, use?: Lane["use"]): boolean => {
    add({ key, kind: "group", name, detail, height: LANE - 2, open: isOpen, more: true, use });
    return isOpen;
  };
  const addSystem = (one: SystemLane, of: System | undefined, name: string): void => add({ key: laneKey(one), kind: "system", name, system: one, of, height: LANE - 4, inner: true });
  const addSeries = (one: SeriesReply["series"][number], inner: boolean): void => add({ key: seriesKey(one), kind: "series", name: seriesName(one), detail: clean(one.unit, 20), height: LANE + 14, inner });
  const systemLanes = (data: System | undefined, ...of: SystemKind[]): SystemLane[] => (data?.lanes ?? []).filter((one) => of.includes(one.kind)).sort((x, y) => of.indexOf(x.kind) - of.indexOf(y.kind) || (x.cpu ?? 0) - (y.cpu ?? 0));
  const cpus = systemLanes(system.data, "cpu");
  const all = series.data?.series ?? [];
  const busyCpus = system.data === undefined ? [] : (cpus[0]?.columns["busy"] ?? []).map((_, k) => cpus.reduce((sum, one) => sum + (one.columns["busy"]?.[k] ?? 0), 0));
  if (cpus.length > 0 && group("g cpu", "CPUs", count(cpus.length), opens("g cpu", true), { from: cpus[0]?.from ?? 0, step: cpus[0]?.step ?? 1, busy: busyCpus, most: cpus.length })) {
    for (const one of cpus) {
      addSystem(one, system.data, `CPU ${one.cpu}`);
      ofCpus.filter((counter) => beside && counter.owner === `CPU ${one.cpu}`).forEach((counter) => addSeries(counter, true));
    }
  }
  if (!beside && ofCpus.length > 0 && group("g cpu counters", "Counters of CPUs", count(ofCpus.length), seesCpus)) {
    ofCpus.forEach((counter) => addSeries(counter, true));
  }
  const irqs = systemLanes(interrupts.data, "irq");
  const busyIrqs = (irqs[0]?.columns["busy"] ?? []).map((_, k) => irqs.reduce((sum, one) => sum + (one.columns["busy"]?.[k] ?? 0), 0));
  if (irqs.length > 0 && group("g irq", "Interrupts", count(irqs.length), opens("g irq", irqs.length <= 4), { from: irqs[0]?.from ?? 0, step: irqs[0]?.step ?? 1, busy: busyIrqs, most: irqs.length })) {
    irqs.forEach((one) => addSystem(one, interrupts.data, `Interrupts of CPU ${one.cpu}`));
  }
  const moments = systemLanes(rest.data, "log", "event", "instant");
  if (moments.length > 0 && group("g marks", "Log and marks", count(moments.length), opens("g marks", moments.length <= 8))) {
    moments.forEach((one) => addSystem(one, rest.data, `${one.kind === "log" ? "Log" : one.kind === "event" ? "Events" : ""} ${clean(one.name ?? "", 60)}`.trim()));
  }
  if (hasPauses && (sources.length === 0 || (pauses.data?.length ?? 0) > 0)) {
    add({ key: "pauses", kind: "pauses", name: "Pauses" });
  }
  if (async_.data !== undefined && async_.data.rows === undefined) {
    add({ key: "async", kind: "note", name: "Asynchronous", detail: "too many: zoom in" });
  }
  const addThread = (one: Person): void => {
    const wide = open.has(one.key);
    const got = bySlices.get(one.key);
    const rows = got === undefined ? 0 : Math.min(DEEPEST, 1 + [...got.depth, ...got.small.depth].reduce<number>((most, d) => Math.max(most, d ?? 0), -1));
    const calls = wide && hasCalls(one) && (rows > 0 || one.calls);
    add({ key: one.key, kind: "thread", name: threadName(one), detail: tidText(one), thread: one, system: stateOf.get(one.itid), of: states.data,
      height: calls ? LANE + Math.max(1, rows) * ROW + 6 : LANE, open: wide, more: hasCalls(one) || one.samples || owners.data?.has(String(one.itid)) === true, inner: grouped });
    if (wide && one.itid !== null) {
      if (one.samples) {
        add({ key: `samples ${one.itid}`, kind: "samples", name: "Samples", thread: one, rows: samples.data?.rows?.get(`sample ${one.itid}`), height: LANE - 8, inner: true });
      }
      all.filter((s) => s.itid === one.itid).forEach((s) => addSeries(s, true));
    }
  };
  for (const one of processes) {
    if (grouped) {
      const lane = rest.data?.lanes.find((l) => l.kind === "process" && l.ipid === one.ipid);
      const sampled = one.threads.map((thread) => byColumns.get(thread.key)?.busy).filter((busy) => busy !== undefined);
      const busy = lane?.columns["busy"] ?? (sampled[0] ?? []).map((_, k) => sampled.reduce((sum, each) => sum + (each?.[k] ?? 0), 0));
      const axis = lane ?? columns.data;
      const step = axis?.step ?? 1;
      const most = Math.max(1, Math.ceil(busy.reduce((a, b) => Math.max(a, b), 0) / step - 0.01));
      if (!group(one.key, one.name, one.detail, unfolded(one), axis?.from === undefined ? undefined : { from: axis.from, step, busy, most })) {
        continue;
      }
    }
    for (const expected of [true, false]) {
      const frames = rest.data?.lanes.find((l) => l.kind === "frame" && l.ipid === one.ipid && l.expected === expected);
      if (frames !== undefined) {
        addSystem(frames, rest.data, expected ? "Expected frames" : "Frames");
      }
    }
    const [rows, lines] = asyncOf.get(one.key) ?? [[], 0];
    if (lines > 0) {
      add({ key: `async ${one.key}`, kind: "async", name: "Asynchronous", lines: rows, height: Math.min(lines, DEEPEST) * ROW + 8, inner: true });
    }
    one.threads.forEach(addThread);
    const own = ofProcess(one.ipid);
    if (own.length > 0 && group(countersOf(one), `Counters of ${one.name}`, count(own.length), opens(countersOf(one), false))) {
      own.forEach((counter) => addSeries(counter, true));
    }
  }
  if (begun && !ready && loaded.error === undefined) {
    add({ key: "note", kind: "note", name: "reading threads" });
  }
  if (others.length > 0 && (!grouped || group("g counters", "Counters", count(others.length), seesOthers))) {
    others.forEach((one) => addSeries(one, grouped));
  }

  const scroll = useRef<HTMLDivElement>(null);
  const look = (): void => {
    const element = scroll.current;
    if (element !== null) {
      setWindow({ top: element.scrollTop, height: element.clientHeight });
      const first = lanes.find((lane) => lane.kind === "thread" && lane.top + lane.height > element.scrollTop);
      const at = shown.findIndex((one) => one.key === first?.key);
      setBlock(Math.max(0, Math.floor((at - HALF / 4) / HALF)));
    }
  };
  const [window_, setWindow] = useState({ top: 0, height: 800 });
  const selected = selection();
  const pointer = useRef<number | undefined>(undefined); // the moment that the pointer is at
  const toggle = (lane: Lane): void => {
    if (lane.kind === "group") {
      const next = new Set(changed);
      if (!next.delete(lane.key)) {
        next.add(lane.key);
      }
      setParams({ fold: [...next].join(",") });
      return;
    }
    const next = new Set(open);
    if (!next.delete(lane.key)) {
      next.add(lane.key);
    }
    setParams({ open: next.size === 0 ? "none" : [...next].join(",") });
  };
  const picked = PICKS.find((name) => param(name) !== "");
  const onKey = (e: KeyboardEvent): void => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName)) {
      return;
    }
    const keys: Record<string, () => void> = {
      w: () => zoom(0.7, pointer.current), s: () => zoom(1 / 0.7, pointer.current), a: () => pan(-0.2), d: () => pan(0.2), 0: () => see(extent.value.from, extent.value.to),
      f: () => (selected === undefined ? see(extent.value.from, extent.value.to) : see(selected.from, selected.to)),
      Escape: () => setParams(picked !== undefined ? { [picked]: undefined } : { sel: undefined }),
      m: () => {
        const at = selected !== undefined ? [selected.from, selected.to] : pointer.current !== undefined ? [pointer.current] : [];
        setParams({ marks: [...new Set([...marks(), ...at].map(Math.round))].join(",") });
      },
    };
    const act = keys[e.key];
    if (act !== undefined) {
      act();
      e.preventDefault();
    }
  };
  // Keys work without a click first; after those of the whole page.
  const keys_ = useRef(onKey);
  keys_.current = onKey;
  useEffect(() => {
    const listen = (e: KeyboardEvent): void => keys_.current(e);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const drawn: Drawn = { from: view.from, to: view.to, width, columns: columns.data, slices: slices.data, methods, samples: samples.data?.methods, pauses: pauses.data ?? [], series: series.data, threadNames, chosen };
  const flameOf = (part: Extent): void => go("flame", { from: String(Math.round(part.from)), to: String(Math.round(part.to)), view: "left" });
  const failed = loaded.error ?? columns.error ?? slices.error ?? series.error ?? pauses.error ?? system.error ?? interrupts.error ?? states.error ?? rest.error ?? samples.error ?? async_.error ?? links.error ?? known.error;
  // Where an arrow begins or ends: its lane, else the header of its process.
  const spot = (end: LinkEnd): Lane | undefined => {
    const process = processes.find((one) => one.threads.some((thread) => thread.itid === end.itid));
    return [...end.lanes, process?.key ?? ""].map((key) => lanes.find((lane) => lane.key === key)).find((lane) => lane !== undefined);
  };
  return (
    <div class="with-drawer">
      <div class="stage">
        <div class="bar">
          {sources.length > 0 && (
            <label>Source <select value={src} onChange={(e) => setParams({ src: e.currentTarget.value, thr: undefined, from: undefined, to: undefined, sel: undefined, marks: undefined, open: undefined, fold: undefined })}>
              {sources.map((one) => <option value={String(one.id)} key={one.id}>{one.name}</option>)}
            </select></label>
          )}
          <label>Sort <select value={sort} onChange={(e) => setParams({ sort: e.currentTarget.value === "busy" ? undefined : e.currentTarget.value })}>
            <option value="busy">busiest</option><option value="name">name</option><option value="first">first</option>
          </select></label>
          <div class="segments" role="group" aria-label="Time">
            <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in" title="Zoom in (W)">+</button>
            <button type="button" onClick={() => zoom(2)} aria-label="Zoom out" title="Zoom out (S)">−</button>
            <button type="button" onClick={() => pan(-0.3)} aria-label="Earlier" title="Earlier (A)">←</button>
            <button type="button" onClick={() => pan(0.3)} aria-label="Later" title="Later (D)">→</button>
            <button type="button" onClick={() => see(extent.value.from, extent.value.to, false)} title="Everything (0); F: the selection">All</button>
          </div>
          <span class="lead">{duration(view.to - view.from)} from {clock(view.from)}</span>
          {(thr !== "" || param("marks") !== "") && <span class="lead">{thr !== "" && <>{count(list.length)} of {count(joined(threads.threads, wanted).length)} threads <button type="button" class="link" onClick={() => setParams({ thr: undefined })}>all threads</button></>} {param("marks") !== "" && <button type="button" class="link" onClick={() => setParams({ marks: undefined })}>remove marks</button>}</span>}
          {param("q") !== "" && (has("callstack") || has("stack_slice") || has("log")) && <Hits onlyThread={thr} threads={pass === undefined ? 0 : joined(threads.threads, wanted).filter((one) => pass(`${one.name} ${one.process}`)).length} />}
          {kernel && has("thread_state") && <span class="legend">{LEGEND.map(([what, text]) => <span key={what}><i style={{ background: stateColour(what) }} />{text}</span>)}</span>}
          <span class="gap" />
          <label><input type="checkbox" checked={param("table") === "1"} onChange={(e) => setParams({ table: e.currentTarget.checked ? "1" : undefined })} />as table</label>
        </div>
        {failed !== undefined && <Failure error={failed} />}
        {param("table") === "1" ? <SliceTable list={list} slices={slices.data} methods={methods} columns={columns.data} /> : (
          <div class="board" ref={place}>
            <AxisBox view={view} width={width} names={names} selected={selected} />
            <div class="lanes" ref={scroll} tabIndex={0} role="region" aria-label="Threads over time" onScroll={look}>
              <div class="tall-lanes" style={{ height: `${top}px` }}>
                {lanes.filter((lane) => lane.top + lane.height > window_.top - 100 && lane.top < window_.top + Math.max(window_.height, 1200) + 100).map((lane) => (
                  <LaneBox key={lane.key} lane={lane} names={names} drawn={drawn} columns={byColumns.get(lane.thread?.key ?? "")} slices={bySlices.get(lane.key)} onToggle={() => toggle(lane)} onPoint={(t) => (pointer.current = t)} />
                ))}
                <Overlay view={view} width={width} names={names} height={Math.max(top, window_.height)} selected={selected} />
                <Arrows links={links.data ?? []} spot={spot} view={view} width={width} names={names} top={window_.top} height={Math.min(Math.max(window_.height, 100), 4000)} />
              </div>
              {ready && lanes.length === 0 && <p class="none">No thread fits the search</p>}
            </div>
          </div>
        )}
      </div>
      {chosen.frame !== undefined ? <FrameDrawer id={chosen.frame} names={threadNames} />
        : chosen.ran !== undefined ? <RanDrawer id={chosen.ran} names={threadNames} />
        : chosen.state !== undefined ? <StateDrawer id={chosen.state} names={threadNames} />
        : numberParam("sample") !== undefined ? <SampleDrawer id={numberParam("sample") ?? 0} />
        : param("moment") !== "" ? <MomentDrawer of={param("moment")} />
        : numberParam("pause") !== undefined ? <PauseDrawer at={numberParam("pause") ?? 0} />
        : chosen.slice !== undefined ? marked ? <MarkDrawer id={chosen.slice} names={threadNames} /> : <SliceDrawer id={chosen.slice} onFlame={flameOf} />
        : selected !== undefined && <RangeDrawer part={selected} src={src} names={threadNames} onFlame={flameOf} />}
    </div>
  );
}

interface FindReply {
  readonly count: number;
  readonly dur: number | string;
  readonly next: Hit | null;
  readonly before: Hit | null;
}

interface Hit {
  readonly id: number;
  readonly itid: number | null;
  readonly ts: number;
  readonly dur: number | null;
}

const LOGGED = "FROM log WHERE ts >= :from AND ts < :to AND (instr(lower(context), lower(:what)) > 0 OR instr(lower(tag), lower(:what)) > 0)";

/** Calls and slices that fit the search: how many, their share of the time that is seen, the next and the one before. */
function Hits({ onlyThread, threads }: { onlyThread: string; threads: number }): JSX.Element {
  const db = database.value?.name ?? "";
  const view = seen();
  const what = param("q");
  const ask = { db, src: param("src"), thr: onlyThread, what };
  const asked = useSettled({ from: Math.round(view.from), to: Math.round(view.to) + 1, what }, 200);
  const hits = useLoad(urlOf("/api/find", { ...ask, ...asked }), (signal) => get<FindReply>("/api/find", { ...ask, ...asked }, { signal, what: "searching" }));
  // Those that a part of their text fits are counted, and shown as a table of what is seen.
  const lines = useLoad(what.trim() !== "" && !what.startsWith("/") ? `${db} ${JSON.stringify(asked)}` : "", (signal) => {
    const params = { what: what.trim(), from: absolute(asked.from), to: absolute(asked.to) };
    const found = async (from: string): Promise<number> => cellNumber((await records(`SELECT count(*) AS n ${from}`, { db, params, signal, what: "searching lines" }))[0]?.["n"]);
    return Promise.all([has("log") ? found(LOGGED) : 0, has("hisys_all_event") ? found(EVENTS) : 0]);
  });
  const [logs, events] = lines.data ?? [0, 0];
  const show = (part: string): void => setParams({ sel: `${Math.round(view.from)},${Math.round(view.to)}`, part });
  const step = nextMatch.value;
  const last = useRef(step.n);
  const move = (back: boolean): void => {
    const id = numberParam("slice");
    void (async () => {
      const at = id === undefined ? {} : { at: numberParam("hit") ?? view.from, id };
      const reply = await get<FindReply>("/api/find", { ...ask, ...at }, { what: "searching" });
      const hit = (back ? reply.before : reply.next) ?? null;
      if (hit !== null) {
        const pad = Math.max((hit.dur ?? 0) * 2, (view.to - view.from) / 10);
        if (hit.ts < view.from || hit.ts + (hit.dur ?? 0) > view.to) {
          see(hit.ts - pad, hit.ts + (hit.dur ?? 0) + pad);
        }
        const open = param("open") === "none" ? [] : param("open").split(",").filter((key) => key !== "");
        setParams({ slice: String(hit.id), hit: String(hit.ts), open: hit.itid === null || open.includes(String(hit.itid)) ? param("open") : [...open, hit.itid].join(",") }, true);
      }
    })().catch(() => undefined);
  };
  useEffect(() => {
    if (last.current !== step.n) {
      last.current = step.n;
      move(step.step < 0);
    }
  }, [step]);
  const data = hits.data;
  return (
    <span class="lead hits">
      {data === undefined ? "searching" : `${count(data.count)} found, ${duration(Number(data.dur))}, ${percent(Number(data.dur), view.to - view.from)} of the time`}{" "}
      <button type="button" class="link" onClick={() => move(true)} title="Shift+Enter in the search">before</button>{" "}
      <button type="button" class="link" onClick={() => move(false)} title="Enter in the search">next</button>
      {threads > 0 && `, ${plural(threads, "thread")}`}
      {logs > 0 && <>, <button type="button" class="link" onClick={() => show("logs")}>{plural(logs, "log line")}</button></>}
      {events > 0 && <>, <button type="button" class="link" onClick={() => show("events")}>{plural(events, "event")}</button></>}
    </span>
  );
}

const route_has = (name: string): boolean => param(name) !== "";

// --- as a table -----------------------------------------------------------------------------------------------------------

interface SliceRow {
  readonly id: string;
  readonly slice: number | undefined;
  readonly thread: string;
  readonly name: string;
  readonly ts: number | null;
  readonly dur: number;
  readonly depth: number | null;
}

const sliceColumns: readonly Column<SliceRow>[] = [
  { id: "ts", title: "Began", unit: "ns", digits: 6, width: 130, value: (r) => r.ts },
  { id: "dur", title: "Took", unit: "ns", digits: 3, width: 110, value: (r) => r.dur },
  { id: "depth", title: "Depth", number: true, width: 70, value: (r) => r.depth },
  { id: "name", title: "Call", wide: true, value: (r) => r.name },
  { id: "thread", title: "Thread", width: 220, value: (r) => r.thread },
];

function SliceTable({ list, slices, methods, columns }: { list: readonly Thread[]; slices: SlicesReply | undefined; methods: Names | undefined; columns: TimelineReply | undefined }): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "ts", down: false });
  const rows = useMemo(() => {
    const name = new Map(list.map((one) => [one.key, threadName(one)]));
    const all: SliceRow[] = [];
    for (const one of columns?.threads ?? []) {
      const key = one.itid === null ? `source ${one.source_id}` : String(one.itid);
      if (name.has(key)) {
        all.push({ id: `${one.kind} ${key}`, slice: undefined, thread: name.get(key) ?? "", name: `(busy, ${one.kind === "sample" ? "by samples" : "by calls"})`, ts: null, dur: one.busy.reduce((a, b) => a + b, 0), depth: null });
      }
    }
    for (const one of slices?.threads ?? []) {
      one.id.forEach((id, i) => all.push({ id: String(id), slice: id, thread: name.get(String(one.itid)) ?? "", name: sliceName({ slices, methods }, one, i), ts: one.ts[i] ?? 0, dur: one.dur[i] ?? 0, depth: one.depth[i] ?? null }));
    }
    return all;
  }, [list, slices, methods, columns]);
  return <Table label="Threads and calls in the range" columns={sliceColumns} rows={sorted(rows, sliceColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id}
    onRow={(r) => r.slice !== undefined && setParams({ slice: String(r.slice) })} selected={param("slice") || "-"} empty="Nothing in this range" />;
}
