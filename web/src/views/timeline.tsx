// The system and its threads over time: who ran on each CPU, what state threads were in, how busy they were, their calls, measured values, pauses, logs and marks.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { cellNumber, cellText, get, records, urlOf, waiting } from "../api.ts";
import { COUNTERS, loadThreads, threadName, type Thread, type Threads } from "../data.ts";
import { absoluteTime, amount, baseName, clean, count, duration, percent, tickStep, tickText } from "../format.ts";
import type { SlicesReply, ThreadSlices } from "../parts/chart-tree.ts";
import { Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { graphColours } from "../parts/icicle.tsx";
import { nextMatch, searched } from "../parts/search.ts";
import { namesOf, type Names } from "../parts/stacks.ts";
import { colourOfName, describeSystem, drawSystem, has, laneKey, LEGEND, loadRan, loadSpent, loadSystem, stateColour, systemKinds, systemRowAt, systemUrl, type SpentRow, type System, type SystemLane } from "../parts/system.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { absolute, database, extent, go, numberParam, origin, param, range, relative, setParams, theme, type Extent } from "../state.ts";
import { useLoad, useSize } from "../use.ts";

const LANE = 28; // of a thread that is closed
const ROW = 17;
const DEEPEST = 60; // rows of calls that are drawn
const NAMES = 210; // width of the names of lanes
const NARROW = 130;
const MOST = 256; // threads that the server answers for at once
const HALF = 128;

interface TimelineReply {
  readonly from?: number;
  readonly step?: number;
  readonly columns: number;
  readonly threads: readonly { readonly kind: "sample" | "slice"; readonly source_id: number | null; readonly itid: number | null; readonly busy: readonly number[]; readonly starts: readonly number[] }[];
}

interface SeriesReply {
  readonly px_ns: number;
  readonly series: readonly {
    readonly table: string;
    readonly id: number;
    readonly itid: number | null;
    readonly name: string | null;
    readonly owner: string | null;
    readonly unit: string | null;
    readonly rows: readonly (readonly [number, number | null, number | null, number | null])[];
  }[];
}

/** Numbers are those of a table; of processes one column has several. */
const seriesKey = (one: SeriesReply["series"][number]): string => `series ${one.table} ${one.id} ${one.owner ?? ""}`;
const seriesName = (one: SeriesReply["series"][number]): string => clean(one.itid === null && one.owner !== null ? `${one.name ?? ""} (${one.owner})` : one.name, 60);

interface Pause {
  readonly ts: number;
  readonly dur: number;
  readonly kind: string;
}

/** What a lane draws. */
interface Lane {
  readonly key: string;
  readonly kind: "thread" | "series" | "pauses" | "system";
  readonly name: string;
  readonly detail: string;
  readonly thread: Thread | undefined;
  readonly system?: SystemLane | undefined;
  readonly top: number;
  readonly height: number;
  readonly open: boolean;
  /** There is something to open. */
  readonly more: boolean;
}

const PAUSES = "SELECT ts, dur, kind FROM v_pause WHERE ts < :to AND ts + ifnull(dur, 0) > :from AND (:source IS NULL OR source_id = :source) ORDER BY ts LIMIT 20000";

const OWNERS = "SELECT DISTINCT itid FROM timeseries WHERE :source IS NULL OR source_id = :source LIMIT 100000";

/** The range that is seen. */
const seen = (): Extent => range.value ?? (extent.value.to > extent.value.from ? extent.value : { from: 0, to: 1 });

function see(from: number, to: number, replace = true): void {
  const { from: a, to: b } = extent.value;
  const span = Math.min(Math.max(to - from, 100), b - a);
  const low = Math.max(a, Math.min(from, b - span));
  setParams(span >= b - a ? { from: undefined, to: undefined } : { from: String(Math.round(low)), to: String(Math.round(low + span)) }, replace);
}

function zoom(factor: number, at?: number): void {
  const { from, to } = seen();
  const middle = at ?? (from + to) / 2;
  see(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

function pan(part: number): void {
  const { from, to } = seen();
  const step = (to - from) * part;
  see(from + step, to + step);
}

function selection(): Extent | undefined {
  const [from, to] = param("sel").split(",").map(Number);
  return from === undefined || to === undefined || !(to > from) ? undefined : { from, to };
}

const marks = (): number[] => param("marks").split(",").filter((t) => t !== "").map(Number).filter(Number.isFinite);

/** The value of before until nothing has changed for a moment, so that dragging does not ask at each step. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useLayoutEffect(() => {
    if (JSON.stringify(settled) === key) {
      return undefined;
    }
    waiting.value++;
    let over = false;
    const end = (): void => {
      if (!over) {
        over = true;
        waiting.value--;
      }
    };
    const timer = setTimeout(() => {
      setSettled(value);
      setTimeout(end, 20);
    }, ms);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [key]);
  return settled;
}

/** One row of the list for all that is known of a thread. */
function joined(threads: readonly Thread[], src: string): Thread[] {
  const known = new Map<string, Thread>();
  for (const one of threads) {
    if (src === "" || String(one.source) === src) {
      const key = one.itid === null ? `source ${one.source}` : String(one.itid);
      const before = known.get(key);
      known.set(key, before === undefined ? { ...one, key } : { ...before, count: before.count + one.count, busy: Math.max(before.busy, one.busy), first: Math.min(before.first, one.first), kind: one.kind === "slice" ? "slice" : before.kind });
    }
  }
  return [...known.values()];
}

const orders: Record<string, (a: Thread, b: Thread) => number> = {
  busy: (a, b) => b.busy - a.busy,
  name: (a, b) => threadName(a).localeCompare(threadName(b), "en"),
  first: (a, b) => a.first - b.first,
};

export function Timeline(): JSX.Element {
  const db = database.value?.name ?? "";
  const threads = useLoad(db, (signal) => loadThreads({ db, signal, px: 1 }));
  if (threads.error !== undefined) {
    return <Failure error={threads.error} />;
  }
  return threads.data === undefined ? <Waiting what="reading threads" /> : <Board threads={threads.data} />;
}

function Board({ threads }: { threads: Threads }): JSX.Element {
  const db = database.value?.name ?? "";
  const src = param("src");
  const thr = param("thr");
  const pass = searched();
  const sort = param("sort") || "busy";
  const list = useMemo(() => {
    const only = new Set(thr.split(",").filter((t) => t !== ""));
    const chosen = joined(threads.threads, src).filter((one) => only.size === 0 || only.has(String(one.itid))).sort(orders[sort] ?? orders["busy"]);
    const found = pass === undefined ? chosen : chosen.filter((one) => pass(`${one.name} ${one.process}`));
    // A search for calls and slices finds what threads are not called.
    return found.length > 0 || !(has("callstack") || has("stack_slice")) ? found : chosen;
  }, [threads, src, thr, param("q"), sort]);
  // Until the user chooses, the busiest threads with calls are open.
  const marked = has("callstack") && !has("stack_slice");
  const hasCalls = (one: Thread): boolean => one.itid !== null && (one.kind === "slice" || (one.kind === "sched" && marked));
  const given = route_has("open") ? param("open").split(",") : list.filter(hasCalls).slice(0, 4).map((one) => one.key);
  const open = new Set(given.filter((k) => k !== "" && k !== "none"));
  const view = seen();
  const [place, size] = useSize<HTMLDivElement>();
  const names = size.width > 0 && size.width < 700 ? NARROW : NAMES;
  const width = Math.max(50, size.width - names - 14);
  const asked = useSettled({ from: view.from, to: view.to, px: Math.min(4000, Math.max(100, width)) }, 90);
  const openIds = list.filter((one) => open.has(one.key) && hasCalls(one)).map((one) => Number(one.itid)).slice(0, 16);
  const times = { db, from: asked.from, to: asked.to, px: asked.px };
  // Of many threads only those around the window are asked for.
  const [block, setBlock] = useState(0);
  const around = list.length <= MOST ? {} : { thr: list.slice(block * HALF, block * HALF + MOST).filter((one) => one.itid !== null).map((one) => one.itid).join(",") };
  const columns = useLoad(urlOf("/api/timeline", { ...times, src, ...around }), (signal) => get<TimelineReply>("/api/timeline", { ...times, src, ...around }, { signal, what: "reading the timeline" }));
  const slices = useLoad(openIds.length === 0 ? "" : urlOf("/api/slices", { ...times, thr: openIds.join(",") }), (signal) => get<SlicesReply>("/api/slices", { ...times, thr: openIds.join(",") }, { signal, what: "reading calls" }));
  const hasSeries = (database.value?.tables["timeseries_value"] ?? 0) > 0;
  const hasCounters = COUNTERS.some((table) => (database.value?.tables[table] ?? 0) > 0);
  const owners = useLoad(hasSeries ? `${db} ${src}` : "", async (signal) => {
    const rows = await records(OWNERS, { db, signal, limit: 100000, what: "reading counters", params: { source: src === "" ? null : Number(src) } });
    return new Set(rows.map((r) => (r["itid"] === null ? "none" : cellText(r["itid"]))));
  });
  // Those of open threads, and of no thread: a recording may have one for each of thousands of threads.
  const measured = list.filter((one) => open.has(one.key) && owners.data?.has(String(one.itid))).map((one) => Number(one.itid)).slice(0, 16);
  const free = hasCounters || owners.data?.has("none") === true;
  const series = useLoad(measured.length > 0 || free ? `${urlOf("/api/series", { ...times, src })} ${measured.join()} ${free}` : "", async (signal) => {
    const replies = await Promise.all([...measured.map((itid) => ({ thr: itid })), ...(free ? [{}] : [])].map((more) => get<SeriesReply>("/api/series", { ...times, src, ...more }, { signal, what: "reading counters" })));
    const seen_ = new Set<string>();
    return { px_ns: replies[0]?.px_ns ?? 1, series: replies.flatMap((one) => one.series).filter((one) => !seen_.has(seriesKey(one)) && seen_.add(seriesKey(one))) };
  });
  const hasPauses = (database.value?.tables["runtime_pause"] ?? 0) + (database.value?.tables["cloud_suspend"] ?? 0) > 0;
  const pauses = useLoad(hasPauses ? `${db} ${src} ${asked.from} ${asked.to}` : "", async (signal) => (await records(PAUSES, { db, signal, limit: 20000, what: "reading pauses", params: { from: absolute(asked.from), to: absolute(asked.to + 1), source: src === "" ? null : Number(src) } }))
    .map((r): Pause => ({ ts: relative(cellText(r["ts"])), dur: cellNumber(r["dur"]), kind: cellText(r["kind"]) })));
  const kinds = systemKinds();
  const shownThreads = list.slice(block * HALF, block * HALF + MOST).filter((one) => one.itid !== null).map((one) => one.itid).join(",");
  const system = useLoad(kinds.length > 0 ? systemUrl(kinds, times, "") : "", (signal) => loadSystem(kinds, times, "", signal));
  const states = useLoad(has("thread_state") && shownThreads !== "" ? systemUrl(["state"], times, shownThreads) : "", (signal) => loadSystem(["state"], times, shownThreads, signal));
  const stateOf = useMemo(() => new Map((states.data?.lanes ?? []).map((lane) => [lane.itid, lane])), [states.data]);
  const threadNames = useMemo(() => new Map(threads.threads.filter((one) => one.itid !== null).map((one) => [one.itid ?? -1, threadName(one)])), [threads]);
  const methods = useMemo(() => (slices.data === undefined ? undefined : namesOf(slices.data.methods)), [slices.data]);
  const bySlices = useMemo(() => new Map((slices.data?.threads ?? []).map((one) => [String(one.itid), one])), [slices.data]);
  const byColumns = useMemo(() => {
    const known = new Map<string, { busy: number[]; starts: number[]; sample: boolean }>();
    for (const one of columns.data?.threads ?? []) {
      const key = one.itid === null ? `source ${one.source_id}` : String(one.itid);
      const before = known.get(key);
      if (before === undefined) {
        known.set(key, { busy: [...one.busy], starts: [...one.starts], sample: one.kind === "sample" });
      } else {
        one.busy.forEach((v, i) => {
          before.busy[i] = Math.max(before.busy[i] ?? 0, v);
          before.starts[i] = (before.starts[i] ?? 0) + (one.starts[i] ?? 0);
        });
      }
    }
    return known;
  }, [columns.data]);

  // --- lanes and their places ---
  const lanes: Lane[] = [];
  let top = 0;
  const add = (lane: Omit<Lane, "top">): void => {
    lanes.push({ ...lane, top });
    top += lane.height;
  };
  for (const one of [...(system.data?.lanes ?? [])].sort((x, y) => (x.kind === y.kind ? (x.cpu ?? 0) - (y.cpu ?? 0) : 0))) {
    const name = one.cpu !== undefined ? `${one.kind === "cpu" ? "CPU" : "Interrupts of CPU"} ${one.cpu}` : `${one.kind === "log" ? "Log" : one.kind === "event" ? "Events" : ""} ${clean(one.name ?? "", 60)}`.trim();
    add({ key: laneKey(one), kind: "system", name, detail: "", thread: undefined, system: one, height: LANE - 4, open: false, more: false });
  }
  if (hasPauses) {
    add({ key: "pauses", kind: "pauses", name: "Pauses", detail: "", thread: undefined, height: LANE, open: false, more: false });
  }
  const seriesOf = (itid: number | null): SeriesReply["series"] => (series.data?.series ?? []).filter((one) => one.itid === itid);
  for (const one of list) {
    const wide = open.has(one.key);
    const got = bySlices.get(one.key);
    const rows = got === undefined ? 0 : Math.min(DEEPEST, 1 + [...got.depth, ...got.small.depth].reduce<number>((most, d) => Math.max(most, d ?? 0), -1));
    add({ key: one.key, kind: "thread", name: threadName(one), detail: clean(one.process, 60), thread: one, system: stateOf.get(one.itid), height: wide && hasCalls(one) ? LANE + Math.max(1, rows) * ROW + 6 : LANE, open: wide, more: hasCalls(one) || owners.data?.has(String(one.itid)) === true });
    if (wide && one.itid !== null) {
      for (const s of seriesOf(one.itid)) {
        add({ key: seriesKey(s), kind: "series", name: seriesName(s), detail: clean(s.unit, 20), thread: undefined, height: LANE + 14, open: false, more: false });
      }
    }
  }
  for (const s of seriesOf(null)) {
    add({ key: seriesKey(s), kind: "series", name: seriesName(s), detail: clean(s.unit, 20), thread: undefined, height: LANE + 14, open: false, more: false });
  }

  const scroll = useRef<HTMLDivElement>(null);
  const look = (): void => {
    const element = scroll.current;
    if (element !== null) {
      setWindow({ top: element.scrollTop, height: element.clientHeight });
      const first = lanes.find((lane) => lane.kind === "thread" && lane.top + lane.height > element.scrollTop);
      const at = list.findIndex((one) => one.key === first?.key);
      setBlock(Math.max(0, Math.floor((at - HALF / 4) / HALF)));
    }
  };
  const [window_, setWindow] = useState({ top: 0, height: 800 });
  const selected = selection();
  const slice = numberParam("slice");
  const ran = numberParam("ran");
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) {
      next.add(key);
    }
    setParams({ open: next.size === 0 ? "none" : [...next].join(",") });
  };
  const onKey = (e: KeyboardEvent): void => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName)) {
      return;
    }
    const keys: Record<string, () => void> = {
      w: () => zoom(0.7), s: () => zoom(1 / 0.7), a: () => pan(-0.2), d: () => pan(0.2), 0: () => see(extent.value.from, extent.value.to),
      f: () => (selected === undefined ? see(extent.value.from, extent.value.to) : see(selected.from, selected.to)),
      Escape: () => setParams(ran !== undefined ? { ran: undefined } : slice !== undefined ? { slice: undefined } : { sel: undefined }),
      m: () => {
        const at = selected === undefined ? [] : [selected.from, selected.to];
        setParams({ marks: at.length === 0 ? undefined : [...new Set([...marks(), ...at])].map(Math.round).join(",") });
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
  const drawn: Drawn = { from: view.from, to: view.to, width, columns: columns.data, slices: slices.data, methods, pauses: pauses.data ?? [], series: series.data, system: system.data, states: states.data, threadNames, selected, slice };
  const flameOf = (part: Extent): void => go("flame", { from: String(Math.round(part.from)), to: String(Math.round(part.to)), view: "left" });
  const failed = columns.error ?? slices.error ?? series.error ?? pauses.error ?? system.error ?? states.error;
  return (
    <div class="with-drawer">
      <div class="stage">
        <div class="bar">
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
          <span class="lead">{duration(view.to - view.from)} from {duration(view.from)}</span>
          {(thr !== "" || param("marks") !== "") && <span class="lead">{thr !== "" && <>{count(list.length)} of {count(joined(threads.threads, src).length)} threads <button type="button" class="link" onClick={() => setParams({ thr: undefined })}>all threads</button></>} {param("marks") !== "" && <button type="button" class="link" onClick={() => setParams({ marks: undefined })}>remove marks</button>}</span>}
          {param("q") !== "" && (has("callstack") || has("stack_slice")) && <Hits onlyThread={thr} />}
          {has("thread_state") && <span class="legend">{LEGEND.map(([group, text]) => <span key={group}><i style={{ background: stateColour(group) }} />{text}</span>)}</span>}
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
                  <LaneBox key={lane.key} lane={lane} names={names} drawn={drawn} columns={byColumns.get(lane.key)} slices={bySlices.get(lane.key)} onToggle={() => toggle(lane.key)} />
                ))}
                <Overlay view={view} width={width} names={names} height={Math.max(top, window_.height)} selected={selected} />
              </div>
              {lanes.length === 0 && <p class="none">No thread fits the search</p>}
            </div>
          </div>
        )}
      </div>
      {ran !== undefined ? <RanDrawer id={ran} names={threadNames} />
        : slice !== undefined ? marked ? <MarkDrawer id={slice} names={threadNames} /> : <SliceDrawer id={slice} onFlame={flameOf} />
        : selected !== undefined && <Drawer title="Selection" onClose={() => setParams({ sel: undefined })}>
          <Facts rows={[
            ["Duration", duration(selected.to - selected.from)], ["From", duration(selected.from)], ["To", duration(selected.to)],
            ["Begins", absoluteTime(origin.value + BigInt(Math.round(selected.from)), null)],
          ]} />
          <div class="actions">
            <button type="button" class="main" onClick={() => see(selected.from, selected.to, false)}>Zoom in</button>
            {(has("stack_sample") || has("stack_slice")) && <button type="button" onClick={() => flameOf(selected)}>Flame of the selection</button>}
          </div>
          {has("thread_state") && <Spent part={selected} names={threadNames} />}
        </Drawer>}
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

/** Calls and slices that fit the search: how many, their share of the time that is seen, the next and the one before. */
function Hits({ onlyThread }: { onlyThread: string }): JSX.Element {
  const db = database.value?.name ?? "";
  const view = seen();
  const what = param("q");
  const ask = { db, src: param("src"), thr: onlyThread, what };
  const asked = useSettled({ from: Math.round(view.from), to: Math.round(view.to) + 1, what }, 200);
  const hits = useLoad(urlOf("/api/find", { ...ask, ...asked }), (signal) => get<FindReply>("/api/find", { ...ask, ...asked }, { signal, what: "searching" }));
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
    </span>
  );
}

const route_has = (name: string): boolean => param(name) !== "";

interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly columns: TimelineReply | undefined;
  readonly slices: SlicesReply | undefined;
  readonly methods: Names | undefined;
  readonly pauses: readonly Pause[];
  readonly series: SeriesReply | undefined;
  readonly system: System | undefined;
  readonly states: System | undefined;
  readonly threadNames: ReadonlyMap<number, string>;
  readonly selected: Extent | undefined;
  readonly slice: number | undefined;
}

function sized(element: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const pen = element.getContext("2d");
  element.width = Math.round(width * ratio);
  element.height = Math.round(height * ratio);
  element.style.width = `${width}px`;
  element.style.height = `${height}px`;
  pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

function AxisBox({ view, width, names, selected }: { view: Extent; width: number; names: number; selected: Extent | undefined }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current === null ? null : sized(canvas.current, width, 26);
    if (pen === null) {
      return;
    }
    const c = graphColours();
    const span = Math.max(1, view.to - view.from);
    const step = tickStep(span, Math.max(2, width / 120));
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = ((t - view.from) / span) * width;
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(x), 14, 1, 12);
      pen.fillStyle = c.muted;
      pen.fillText(tickText(t, step, view.to), Math.min(x + 4, width - 44), 13);
    }
    for (const t of marks()) {
      const x = ((t - view.from) / span) * width;
      pen.fillStyle = c.accent;
      pen.beginPath();
      pen.moveTo(x - 5, 0);
      pen.lineTo(x + 5, 0);
      pen.lineTo(x, 8);
      pen.fill();
    }
  }, [view.from, view.to, width, theme.value, param("marks")]);
  return (
    <div class="axis" style={{ paddingLeft: `${names}px` }}>
      <canvas ref={canvas} aria-hidden="true" />
      {selected !== undefined && <span class="hidden">{duration(selected.to - selected.from)} are selected</span>}
    </div>
  );
}

function Overlay({ view, width, names, height, selected }: { view: Extent; width: number; names: number; height: number; selected: Extent | undefined }): JSX.Element {
  const span = Math.max(1, view.to - view.from);
  const x = (t: number): number => names + Math.max(0, Math.min(width, ((t - view.from) / span) * width));
  return (
    <>
      {selected !== undefined && x(selected.to) > x(selected.from) && <div class="selected" style={{ left: `${x(selected.from)}px`, width: `${Math.max(1, x(selected.to) - x(selected.from))}px`, height: `${height}px` }}><span>{duration(selected.to - selected.from)}</span></div>}
      {marks().filter((t) => t >= view.from && t <= view.to).map((t) => <div class="marked" key={t} style={{ left: `${x(t)}px`, height: `${height}px` }} />)}
    </>
  );
}

interface LaneProps {
  readonly lane: Lane;
  readonly names: number;
  readonly drawn: Drawn;
  readonly columns: { readonly busy: readonly number[]; readonly starts: readonly number[]; readonly sample: boolean } | undefined;
  readonly slices: ThreadSlices | undefined;
  readonly onToggle: () => void;
}

function LaneBox({ lane, names, drawn, columns, slices, onToggle }: LaneProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [tip, setTip] = useState<{ x: number; y: number; text: readonly string[] } | null>(null);
  const drag = useRef<{ x: number; moved: boolean } | null>(null);
  const { from, to, width } = drawn;
  const span = Math.max(1, to - from);
  const px = (t: number): number => ((t - from) / span) * width;
  useEffect(() => {
    const pen = canvas.current === null ? null : sized(canvas.current, width, lane.height - 1);
    if (pen === null) {
      return;
    }
    const c = graphColours();
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    const strip = { width, px, top: 4, height: (lane.kind === "system" ? lane.height : LANE) - 9, end: extent.value.to };
    if (lane.kind === "system" && lane.system !== undefined && drawn.system !== undefined) {
      drawSystem(pen, drawn.system, lane.system, strip, drawn.threadNames);
    } else if (lane.kind === "thread" && lane.system !== undefined && drawn.states !== undefined) {
      drawSystem(pen, drawn.states, lane.system, strip, drawn.threadNames);
      if (lane.open && slices !== undefined) {
        drawSlices(pen, drawn, slices, px);
      }
    } else if (lane.kind === "thread") {
      drawBusy(pen, drawn, columns, px, c.accent);
      if (lane.open && slices !== undefined) {
        drawSlices(pen, drawn, slices, px);
      }
    } else if (lane.kind === "pauses") {
      pen.fillStyle = c.dark ? "#ff9a8f" : "#b3261e";
      for (const one of drawn.pauses) {
        pen.fillRect(px(one.ts), 5, Math.max(1.5, px(one.ts + one.dur) - px(one.ts)), LANE - 11);
      }
    } else {
      drawSeries(pen, drawn, lane, px, c.accent);
    }
  });
  const timeAt = (x: number): number => from + (Math.max(0, Math.min(x, width)) / width) * span;
  const local = (e: MouseEvent): [number, number] => {
    const box = canvas.current?.getBoundingClientRect();
    return box === undefined ? [0, 0] : [e.clientX - box.left, e.clientY - box.top];
  };
  const sliceAt = (x: number, y: number): number => {
    if (!lane.open || slices === undefined || y < LANE) {
      return -1;
    }
    const depth = Math.floor((y - LANE) / ROW);
    const t = timeAt(x);
    const slack = (2 * span) / width;
    let best = -1;
    for (let i = 0; i < slices.id.length; i++) {
      if (slices.depth[i] === depth && t >= (slices.ts[i] ?? 0) - slack / 4 && t <= (slices.ts[i] ?? 0) + Math.max(slices.dur[i] ?? 0, slack / 4)) {
        best = i;
      }
    }
    return best;
  };
  const describe = (x: number, y: number): readonly string[] => {
    const t = timeAt(x);
    const i = sliceAt(x, y);
    if (i >= 0 && slices !== undefined) {
      return [sliceName(drawn, slices, i), duration(slices.dur[i]), `at ${duration(slices.ts[i])}`];
    }
    const lanes = lane.kind === "system" ? drawn.system : drawn.states;
    if (lane.system !== undefined && lanes !== undefined) {
      return describeSystem(lanes, lane.system, t, span / width, extent.value.to, drawn.threadNames);
    }
    if (lane.kind === "pauses") {
      const one = drawn.pauses.find((p) => t >= p.ts - span / width && t <= p.ts + p.dur + span / width);
      return one === undefined ? [duration(t)] : [`${one.kind.replace(/_/g, " ")}, ${duration(one.dur)}`, `at ${duration(one.ts)}`];
    }
    if (lane.kind === "series") {
      const s = drawn.series?.series.find((one) => seriesKey(one) === lane.key);
      const column = drawn.series === undefined ? 0 : Math.floor(t / drawn.series.px_ns);
      const row = s?.rows.find((r) => r[0] >= column);
      return row === undefined ? [duration(t)] : [`${amount(row[3], s?.unit ?? "")}`, `least ${amount(row[1], s?.unit ?? "")}, most ${amount(row[2], s?.unit ?? "")}`, `at ${duration(t)}`];
    }
    const d = drawn.columns;
    const k = d?.from === undefined || d.step === undefined ? -1 : Math.floor((t - d.from) / d.step);
    const busy = columns?.busy[k];
    return busy === undefined ? [duration(t)] : [`${percent(busy, d?.step ?? 1)} busy`, `${count(columns?.starts[k])} ${columns?.sample ? "samples" : "calls begin"}`, `at ${duration(t)}`];
  };
  const onKey = (e: KeyboardEvent): void => {
    if (slices === undefined || !lane.open || !/^Arrow|^Enter$/.test(e.key)) {
      if (e.key === "Enter") {
        onToggle();
        e.preventDefault();
      }
      return;
    }
    const now = drawn.slice === undefined ? -1 : slices.id.indexOf(drawn.slice);
    const next = neighbour(slices, now, e.key);
    if (next >= 0) {
      setParams({ slice: String(slices.id[next]) }, true);
    }
    e.preventDefault();
  };
  const busyAll = columns?.busy.reduce((a, b) => a + b, 0) ?? 0;
  return (
    <div class={`lane ${lane.open ? "opened" : ""}`} style={{ top: `${lane.top}px`, height: `${lane.height}px` }}>
      <div class="name" style={{ width: `${names}px` }}>
        {lane.more ? (
          <button type="button" class="quiet" aria-expanded={lane.open} onClick={onToggle} title={`${lane.name} ${lane.detail}`}><span class="twist" aria-hidden="true">{lane.open ? "▾" : "▸"}</span>{lane.name}</button>
        ) : <span title={`${lane.name} ${lane.detail}`} class={lane.kind}>{lane.name}</span>}
        {lane.kind === "series" && <span class="unit"> {lane.detail}</span>}
      </div>
      <canvas ref={canvas} tabIndex={0} role="application"
        aria-label={`${lane.name}${lane.kind === "thread" ? `, busy ${duration(busyAll)}. ${lane.open ? "Arrow keys go from call to call" : "Enter opens it"}` : ""}; W S A D move in time`}
        onPointerDown={(e) => {
          if (e.button === 0) {
            e.currentTarget.setPointerCapture(e.pointerId);
            drag.current = { x: local(e)[0], moved: false };
          }
        }}
        onPointerMove={(e) => {
          const [x, y] = local(e);
          if (drag.current !== null && (drag.current.moved || Math.abs(x - drag.current.x) > 4)) {
            drag.current.moved = true;
            const [a, b] = [timeAt(drag.current.x), timeAt(x)];
            setParams({ sel: `${Math.round(Math.min(a, b))},${Math.round(Math.max(a, b))}`, slice: undefined }, true);
            setTip(null);
          } else {
            setTip({ x: e.clientX, y: e.clientY, text: describe(x, y) });
          }
        }}
        onPointerLeave={() => setTip(null)}
        onPointerUp={(e) => {
          const moved = drag.current?.moved ?? false;
          drag.current = null;
          if (!moved) {
            const [x, y] = local(e);
            const i = sliceAt(x, y);
            const row = lane.system?.kind === "cpu" && drawn.system !== undefined ? systemRowAt(drawn.system, lane.system, timeAt(x), span / width, extent.value.to) : undefined;
            setParams(row !== undefined && Number(row[4]) !== 0 ? { ran: String(row[0]), slice: undefined }
              : { ran: undefined, ...(i >= 0 && slices !== undefined ? { slice: String(slices.id[i]) } : { slice: undefined, sel: undefined }) });
          }
        }}
        onDblClick={(e) => {
          const i = sliceAt(...local(e));
          if (i >= 0 && slices !== undefined) {
            const pad = (slices.dur[i] ?? 0) * 0.05 + 50;
            see((slices.ts[i] ?? 0) - pad, (slices.ts[i] ?? 0) + (slices.dur[i] ?? 0) + pad, false);
          }
        }}
        onWheel={(e) => {
          if (e.ctrlKey) {
            zoom(e.deltaY > 0 ? 1.25 : 0.8, timeAt(local(e)[0]));
            e.preventDefault();
          } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
            pan((e.deltaX + (e.shiftKey ? e.deltaY : 0)) / 1000);
            e.preventDefault();
          }
        }}
        onKeyDown={onKey} />
      {tip !== null && <div class="tip" style={{ left: `${Math.max(8, Math.min(tip.x + 14, innerWidth - 300))}px`, top: `${Math.min(tip.y + 18, innerHeight - 90)}px` }}>
        {tip.text.map((line, i) => <div key={i} class={i === 0 ? "name" : "file"}>{line}</div>)}
      </div>}
    </div>
  );
}

type Draw = (t: number) => number;

/** What a call, or a slice of a trace of the system, is called. */
const sliceName = (drawn: Pick<Drawn, "slices" | "methods">, slices: ThreadSlices, i: number): string =>
  slices.name !== undefined ? clean(drawn.slices?.names?.[slices.name[i] ?? -1] ?? "", 300) : drawn.methods?.label[slices.method[i] ?? -1] ?? "(call)";

function drawBusy(pen: CanvasRenderingContext2D, drawn: Drawn, columns: LaneProps["columns"], px: Draw, colour: string): void {
  const d = drawn.columns;
  if (columns === undefined || d?.from === undefined || d.step === undefined) {
    return;
  }
  const tall = LANE - 9;
  pen.fillStyle = colour;
  for (let k = 0; k < columns.busy.length; k++) {
    // Whole pixels: where columns overlap, they would be darker.
    const x = Math.round(px(d.from + k * d.step));
    const w = Math.max(1, Math.round(px(d.from + (k + 1) * d.step)) - x);
    if (x + w < 0 || x > drawn.width) {
      continue;
    }
    const part = Math.min(1, (columns.busy[k] ?? 0) / d.step);
    if (part > 0) {
      pen.globalAlpha = 0.3 + 0.5 * part;
      pen.fillRect(x, LANE - 5 - Math.max(1, tall * part), w, Math.max(1, tall * part));
    }
    if ((columns.starts[k] ?? 0) > 0) {
      pen.globalAlpha = 0.55;
      pen.fillRect(x, LANE - 4, Math.max(1, Math.min(2, w)), 3);
    }
  }
  pen.globalAlpha = 1;
}

function drawSlices(pen: CanvasRenderingContext2D, drawn: Drawn, slices: ThreadSlices, px: Draw): void {
  const c = graphColours();
  const step = drawn.slices?.px_ns ?? 1;
  pen.fillStyle = c.hatch;
  slices.small.x.forEach((x, k) => {
    const depth = slices.small.depth[k];
    if (depth !== null && depth !== undefined && depth < DEEPEST) {
      pen.fillRect(px(x * step), LANE + depth * ROW, Math.max(1, px((x + 1) * step) - px(x * step)), ROW - 1);
    }
  });
  for (let i = 0; i < slices.id.length; i++) {
    const depth = slices.depth[i];
    const x = px(slices.ts[i] ?? 0);
    const end = px((slices.ts[i] ?? 0) + (slices.dur[i] ?? 0));
    if (depth === null || depth === undefined || depth >= DEEPEST || end < 0 || x > drawn.width) {
      continue;
    }
    const method = slices.method[i] ?? -1;
    const left = Math.max(0, x);
    const w = Math.max(1, Math.min(end, drawn.width) - left);
    const y = LANE + depth * ROW;
    const mark = slices.name?.[i];
    pen.fillStyle = mark !== undefined && mark >= 0 ? colourOfName(drawn.slices?.names?.[mark] ?? "") : c.boxes[drawn.methods?.tint[method] ?? -1] ?? c.plain;
    pen.fillRect(left, y, w > 3 ? w - 1 : w, ROW - 1);
    if (slices.id[i] === drawn.slice) {
      pen.strokeStyle = c.accent;
      pen.lineWidth = 2;
      pen.strokeRect(left + 1, y + 1, Math.max(1, w - 3), ROW - 3);
    }
    if (w > 40) {
      pen.save();
      pen.beginPath();
      pen.rect(left, y, w - 4, ROW);
      pen.clip();
      pen.fillStyle = c.onBox;
      const name = sliceName(drawn, slices, i);
      pen.fillText(w > 260 || mark !== undefined ? name : name.split(".").slice(-2).join("."), left + 4, y + ROW / 2);
      pen.restore();
    }
  }
}

function drawSeries(pen: CanvasRenderingContext2D, drawn: Drawn, lane: Lane, px: Draw, colour: string): void {
  const series = drawn.series?.series.find((one) => seriesKey(one) === lane.key);
  if (series === undefined || drawn.series === undefined) {
    return;
  }
  const step = drawn.series.px_ns;
  const most = series.rows.reduce((a, r) => Math.max(a, r[2] ?? 0), 0) || 1;
  const least = Math.min(0, series.rows.reduce((a, r) => Math.min(a, r[1] ?? 0), 0));
  const base = lane.height - 4;
  const tall = lane.height - 9;
  const y = (v: number | null): number => base - (((v ?? 0) - least) / (most - least)) * tall;
  pen.fillStyle = colour;
  for (const [k, [x, low, high, mid]] of series.rows.entries()) {
    const left = px(x * step);
    // A value holds until the next one.
    const after = series.rows[k + 1];
    const w = Math.max(1, (after === undefined ? left + 2 : px(after[0] * step)) - left);
    pen.globalAlpha = 0.22;
    pen.fillRect(left, y(mid), w, base - y(mid));
    pen.globalAlpha = 0.85;
    pen.fillRect(left, y(high), w > 3 ? w : 1.5, Math.max(1.5, y(low) - y(high)));
  }
  pen.globalAlpha = 1;
  pen.fillStyle = graphColours().muted;
  pen.fillText(amount(most, series.unit === "%" ? "%" : series.unit ?? ""), 4, 8);
}

// The call beside one, above it or below it.
function neighbour(slices: ThreadSlices, now: number, key: string): number {
  if (now < 0) {
    return slices.id.length > 0 ? 0 : -1;
  }
  const depth = slices.depth[now] ?? 0;
  const ts = slices.ts[now] ?? 0;
  const wanted = key === "ArrowDown" ? depth + 1 : key === "ArrowUp" ? depth - 1 : depth;
  let best = -1;
  for (let i = 0; i < slices.id.length; i++) {
    const at = slices.ts[i] ?? 0;
    if (slices.depth[i] !== wanted || i === now) {
      continue;
    }
    const good = key === "ArrowRight" ? at > ts : key === "ArrowLeft" ? at < ts : key === "ArrowDown" ? at >= ts : at <= ts;
    const better = best < 0 || (key === "ArrowRight" || key === "ArrowDown" ? at < (slices.ts[best] ?? 0) : at > (slices.ts[best] ?? 0));
    if (good && better) {
      best = i;
    }
  }
  return best;
}

// --- one call -------------------------------------------------------------------------------------------------------------

const SLICE = `SELECT v.*, t.name AS thread_name, p.name AS process, s.clock FROM v_stack_slice AS v LEFT JOIN thread AS t ON t.itid = v.itid LEFT JOIN process AS p ON p.ipid = t.ipid
LEFT JOIN source AS s ON s.id = v.source_id WHERE v.id = :id`;
const STACK = `WITH RECURSIVE up(step, id, parent_id, method_id, line) AS (
  SELECT 0, id, parent_id, method_id, line FROM stack_node WHERE id = :node
  UNION ALL SELECT up.step + 1, n.id, n.parent_id, n.method_id, n.line FROM up JOIN stack_node AS n ON n.id = up.parent_id WHERE up.step < 500)
SELECT up.step, ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '') || ifnull(nullif(m.name, ''), '(anonymous)') AS method, m.file, ifnull(up.line, m.line) AS line
FROM up LEFT JOIN stack_method AS m ON m.id = up.method_id ORDER BY up.step`;
const TAGS = "SELECT name, value FROM v_cloud_tag WHERE slice_id = :id LIMIT 100";

function SliceDrawer({ id, onFlame }: { id: number; onFlame: (part: Extent) => void }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, async (signal) => {
    const row = (await records(SLICE, { db, params: { id }, signal, what: "reading the call" }))[0];
    const [stack, tags] = await Promise.all([
      row === undefined || row["node_id"] === null ? [] : records(STACK, { db, params: { node: row["node_id"] ?? null }, signal, what: "reading the stack" }),
      (database.value?.tables["cloud_tag"] ?? 0) > 0 ? records(TAGS, { db, params: { id }, signal, what: "reading tags" }) : [],
    ]);
    return { row, stack, tags };
  });
  const close = (): void => setParams({ slice: undefined });
  const row = one.data?.row;
  if (one.error !== undefined || row === undefined) {
    return <Drawer title="Call" onClose={close}>{one.error !== undefined ? <Failure error={one.error} /> : one.data === undefined ? <Waiting what="reading the call" /> : <p class="none">There is no call with this number</p>}</Drawer>;
  }
  const from = relative(cellText(row["ts"]));
  const dur = cellNumber(row["dur"]);
  const selfDur = cellNumber(row["self_dur"]);
  return (
    <Drawer title={clean(cellText(row["method"]), 300) || "(call)"} onClose={close}>
      <Facts rows={[
        ["Took", duration(dur)],
        ["Self", `${duration(selfDur)}  (${percent(selfDur, dur)})`],
        ["Began", duration(from)],
        ["Absolute", absoluteTime(BigInt(cellText(row["ts"])), cellText(row["clock"]) || null)],
        ["Thread", clean(cellText(row["thread_name"]), 200)],
        ["Process", clean(cellText(row["process"]), 200)],
        ["Where", <code>{clean(cellText(row["file"]), 300)}{row["line"] === null ? "" : `:${cellText(row["line"])}`}</code>],
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={() => see(from - dur * 0.05 - 50, from + dur * 1.05 + 50, false)}>Zoom in</button>
        <button type="button" onClick={() => onFlame({ from, to: from + dur + 1 })}>Flame of its time</button>
      </div>
      {(one.data?.tags.length ?? 0) > 0 && <section><h3>Tags</h3><Facts rows={(one.data?.tags ?? []).map((t, i) => [`${clean(cellText(t["name"]), 60)}${i > 0 ? "\u00a0" : ""}`, <code key={i}>{clean(cellText(t["value"]), 600)}</code>] as const)} /></section>}
      <section>
        <h3>Stack</h3>
        <ol class="stack">
          {(one.data?.stack ?? []).map((f, i) => <li key={i}>{clean(cellText(f["method"]), 300)} <span class="unit">{baseName(clean(cellText(f["file"]), 300))}{f["line"] === null || f["file"] === null ? "" : `:${cellText(f["line"])}`}</span></li>)}
        </ol>
      </section>
    </Drawer>
  );
}

// --- a trace of the system --------------------------------------------------------------------------------------------------

type ThreadNames = ReadonlyMap<number, string>;

function RanDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, (signal) => loadRan(db, id, names, signal));
  const ran = one.data;
  const close = (): void => setParams({ ran: undefined });
  if (ran === undefined) {
    return <Drawer title="On a CPU" onClose={close}>{one.error !== undefined ? <Failure error={one.error} /> : <Waiting what="reading who ran" />}</Drawer>;
  }
  const from = relative(ran.ts);
  const dur = ran.dur ?? extent.value.to - from;
  return (
    <Drawer title={clean(ran.thread, 200)} onClose={close}>
      <Facts rows={[
        ["Ran", ran.dur === null ? "to the end" : duration(ran.dur)], ["On", `CPU ${ran.cpu}`], ["From", duration(from)], ["Priority", ran.priority], ["Then", ran.endState === "" ? "not known" : clean(ran.endState, 20)],
        ["Process", clean(ran.process, 200)], ["Waited for the CPU", ran.latency === null ? "not seen" : duration(ran.latency)], ["Woken by", ran.waker === "" ? "not seen" : clean(ran.waker, 200)],
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={() => see(from - dur * 0.5 - 50, from + dur * 1.5 + 50, false)}>Zoom in</button>
        <button type="button" onClick={() => setParams({ thr: String(ran.itid), ran: undefined })}>Only this thread</button>
      </div>
    </Drawer>
  );
}

const MARK = `SELECT c.ts, c.dur, c.name, c.depth, c.cookie, t.name AS thread, t.tid, p.name AS process, s.self_dur FROM callstack AS c LEFT JOIN thread AS t ON t.itid = c.callid
LEFT JOIN process AS p ON p.ipid = t.ipid LEFT JOIN v_slice_self AS s ON s.id = c.id WHERE c.rowid = :id + 1`;

function MarkDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, async (signal) => (await records(MARK, { db, params: { id }, signal, what: "reading the slice" }))[0] ?? null);
  const row = one.data;
  const close = (): void => setParams({ slice: undefined });
  if (row === undefined || row === null) {
    return <Drawer title="Slice" onClose={close}>{one.error !== undefined ? <Failure error={one.error} /> : row === null ? <p class="none">There is no slice with this number</p> : <Waiting what="reading the slice" />}</Drawer>;
  }
  const from = relative(cellText(row["ts"]));
  const dur = row["dur"] === null ? extent.value.to - from : cellNumber(row["dur"]);
  return (
    <Drawer title={clean(cellText(row["name"]), 300)} onClose={close}>
      <Facts rows={[
        ["Took", row["dur"] === null ? "to the end" : duration(dur)], ["Self", row["self_dur"] === null ? "not known" : duration(cellNumber(row["self_dur"]))], ["Began", duration(from)],
        ["Thread", clean(cellText(row["thread"]) || `thread ${cellText(row["tid"])}`, 200)], ["Process", clean(cellText(row["process"]), 200)],
      ]} />
      <div class="actions"><button type="button" class="main" onClick={() => see(from - dur * 0.05 - 50, from + dur * 1.05 + 50, false)}>Zoom in</button></div>
      {has("thread_state") && <Spent part={{ from, to: from + dur }} names={names} />}
    </Drawer>
  );
}

const spentColumns: readonly Column<SpentRow>[] = [
  { id: "thread", title: "Thread", wide: true, value: (r) => r.thread },
  { id: "running", title: "Ran", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.running },
  { id: "runnable", title: "Ready", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.runnable },
  { id: "sleeping", title: "Slept", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.sleeping },
  { id: "blocked", title: "Blocked", unit: "ns", digits: 3, width: 90, value: (r) => r.ns.blocked },
  { id: "other", title: "Other", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.other },
];

/** What threads did in a range. */
function Spent({ part, names }: { part: Extent; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const [sort, setSort] = useState<Sort>({ by: "running", down: true });
  const key = useSettled(part, 200);
  const rows = useLoad(`${db} ${key.from} ${key.to}`, (signal) => loadSpent(db, key, names, signal));
  return (
    <section>
      <h3>States of threads</h3>
      {rows.error !== undefined ? <Failure error={rows.error} /> : <Table label="States of threads in the range" columns={spentColumns} rows={sorted(rows.data ?? [], spentColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} selected="" empty="No thread was seen" />}
    </section>
  );
}

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
