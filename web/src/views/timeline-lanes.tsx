// Lanes of the timeline: what each draws, what the pointer finds in it, and the arrows between them.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clean, count, duration, measured, percent, tickStep, tickText } from "../format.ts";
import type { SlicesReply, ThreadSlices } from "../parts/chart-tree.ts";
import type { Person } from "../parts/groups.ts";
import { graphColours } from "../parts/icicle.tsx";
import type { Link, LinkEnd } from "../parts/links.ts";
import type { Names } from "../parts/stacks.ts";
import { colourOfName, describeSystem, drawSystem, drawUse, laneKey, rowAt, stateColour, systemRowAt, type System, type SystemLane, type SystemRow } from "../parts/system.ts";
import { marks, pan, see, zoom } from "../parts/timeview.ts";
import { clock, extent, param, setParams, theme, zero, type Extent } from "../state.ts";

export const LANE = 28; // of a thread that is closed
export const ROW = 17;
export const DEEPEST = 60; // rows of calls that are drawn

export interface TimelineReply {
  readonly from?: number;
  readonly step?: number;
  readonly columns: number;
  readonly threads: readonly { readonly kind: "sample" | "slice"; readonly source_id: number | null; readonly itid: number | null; readonly busy: readonly number[]; readonly waiting: readonly number[]; readonly starts: readonly number[] }[];
}

export interface SeriesReply {
  readonly px_ns: number;
  readonly series: readonly {
    readonly table: string;
    readonly id: number;
    readonly itid: number | null;
    readonly ipid: number | null;
    readonly name: string | null;
    readonly owner: string | null;
    readonly unit: string | null;
    /** The value that holds at the beginning. */
    readonly before: number | null;
    readonly rows: readonly (readonly [number, number | null, number | null, number | null])[];
  }[];
}

/** Numbers are those of a table; of processes one column has several. */
export const seriesKey = (one: SeriesReply["series"][number]): string => `series ${one.table} ${one.id} ${one.owner ?? ""}`;
export const seriesName = (one: SeriesReply["series"][number]): string => clean(one.itid === null && one.owner !== null ? `${one.name ?? ""} (${one.owner})` : one.name, 60);

export interface Pause {
  readonly ts: number;
  readonly dur: number;
  readonly kind: string;
}

/** What a lane draws. */
export interface Lane {
  readonly key: string;
  readonly kind: "group" | "thread" | "series" | "pauses" | "system" | "samples" | "async" | "note";
  readonly name: string;
  readonly detail: string;
  readonly thread?: Person | undefined;
  readonly system?: SystemLane | undefined;
  readonly of?: System | undefined;
  /** Samples; asynchronous slices with their lines. */
  readonly rows?: readonly SystemRow[] | undefined;
  readonly lines?: readonly (readonly [SystemRow, number])[];
  /** Of a group: how busy it was, as a part of `most` CPUs in columns. */
  readonly use?: { readonly from: number; readonly step: number; readonly busy: readonly number[]; readonly most: number } | undefined;
  readonly top: number;
  readonly height: number;
  readonly open: boolean;
  /** There is something to open. */
  readonly more: boolean;
  /** It is in a group. */
  readonly inner: boolean;
}


/** What a drawer shows: one of them at a time. */
export const PICKS = ["frame", "ran", "state", "sample", "pause", "moment", "slice"] as const;
const pick = (name: (typeof PICKS)[number], id: string): void => setParams({ ...Object.fromEntries(PICKS.map((other) => [other, undefined])), [name]: id });
const unpick = (): void => setParams({ ...Object.fromEntries(PICKS.map((other) => [other, undefined])), sel: undefined });

interface ArrowsProps {
  readonly links: readonly Link[];
  readonly spot: (end: LinkEnd) => Lane | undefined;
  readonly view: Extent;
  readonly width: number;
  readonly names: number;
  readonly top: number;
  readonly height: number;
}

/** Lines from one lane to another, over those that are seen. */
export function Arrows({ links, spot, view, width, names, top, height }: ArrowsProps): JSX.Element | null {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current === null ? null : sized(canvas.current, width, height);
    if (pen === null) {
      return;
    }
    const c = graphColours();
    const span = Math.max(1, view.to - view.from);
    const middle = (lane: Lane): number => lane.top - top + (lane.kind === "thread" ? LANE : lane.height) / 2;
    pen.strokeStyle = c.accent;
    pen.fillStyle = c.accent;
    pen.lineWidth = 1.5;
    for (const link of links) {
      const [from, to] = [spot(link.from), spot(link.to)];
      if (from === undefined || to === undefined || (from === to && link.from.t === link.to.t)) {
        continue;
      }
      const [x, y, u, v] = [((link.from.t - view.from) / span) * width, middle(from), ((link.to.t - view.from) / span) * width, middle(to)];
      const bend = Math.max(12, Math.abs(u - x) / 2);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.bezierCurveTo(x + bend, y, u - bend, v, u, v);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(u, v);
      pen.lineTo(u - 7, v - 4);
      pen.lineTo(u - 7, v + 4);
      pen.fill();
    }
  });
  return links.length === 0 ? null : <canvas class="arrows" ref={canvas} data-links={links.length} style={{ left: `${names}px`, top: `${top}px` }} aria-hidden="true" />;
}


export interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly columns: TimelineReply | undefined;
  readonly slices: SlicesReply | undefined;
  readonly methods: Names | undefined;
  readonly samples: Names | undefined;
  readonly pauses: readonly Pause[];
  readonly series: SeriesReply | undefined;
  readonly threadNames: ReadonlyMap<number, string>;
  readonly chosen: { readonly slice: number | undefined; readonly ran: number | undefined; readonly state: number | undefined; readonly frame: number | undefined };
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

export function AxisBox({ view, width, names, selected }: { view: Extent; width: number; names: number; selected: Extent | undefined }): JSX.Element {
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
    const from = zero.value;
    for (let t = Math.ceil((view.from - from) / step) * step + from; t <= view.to; t += step) {
      const x = ((t - view.from) / span) * width;
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(x), 14, 1, 12);
      pen.fillStyle = c.muted;
      pen.fillText(tickText(t - from, step, view.to - from), Math.min(x + 4, width - 44), 13);
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

export function Overlay({ view, width, names, height, selected }: { view: Extent; width: number; names: number; height: number; selected: Extent | undefined }): JSX.Element {
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
  readonly columns: { readonly busy: readonly number[]; readonly waiting: readonly number[]; readonly starts: readonly number[]; readonly sample: boolean } | undefined;
  readonly slices: ThreadSlices | undefined;
  readonly onToggle: () => void;
  readonly onPoint: (t: number | undefined) => void;
}

export function LaneBox({ lane, names, drawn, columns, slices, onToggle, onPoint }: LaneProps): JSX.Element {
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
    const strip = { width, px, top: 4, height: (lane.kind === "system" || lane.kind === "group" ? lane.height : LANE) - 9, end: extent.value.to };
    if (lane.kind === "group") {
      if (lane.use !== undefined) {
        pen.globalAlpha = lane.open ? 0.35 : 0.8;
        drawUse(pen, lane.use.from, lane.use.step, lane.use.busy, strip, lane.use.most);
        pen.globalAlpha = 1;
      }
    } else if (lane.kind === "system" && lane.system !== undefined && lane.of !== undefined) {
      drawSystem(pen, lane.of, lane.system, strip, drawn.threadNames);
      outline(pen, lane, drawn, strip);
    } else if (lane.kind === "thread") {
      if (lane.system !== undefined && lane.of !== undefined) {
        drawSystem(pen, lane.of, lane.system, strip, drawn.threadNames);
        outline(pen, lane, drawn, strip);
      } else {
        drawBusy(pen, drawn, columns, px, c.accent);
      }
      if (lane.open && slices !== undefined) {
        drawSlices(pen, drawn, slices, px);
      }
    } else if (lane.kind === "samples") {
      drawSamples(pen, drawn, lane, columns, px);
    } else if (lane.kind === "async") {
      drawAsync(pen, drawn, lane, px);
    } else if (lane.kind === "pauses") {
      pen.fillStyle = c.dark ? "#ff9a8f" : "#b3261e";
      for (const one of drawn.pauses) {
        pen.fillRect(px(one.ts), 5, Math.max(1.5, px(one.ts + one.dur) - px(one.ts)), LANE - 11);
      }
    } else if (lane.kind === "series") {
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
  const asyncAt = (x: number, y: number): SystemRow | undefined => rowAt((lane.lines ?? []).filter(([, line]) => line === Math.floor((y - 4) / ROW)).map(([row]) => row), timeAt(x), span / width, extent.value.to);
  const describe = (x: number, y: number): readonly string[] => {
    const t = timeAt(x);
    const i = sliceAt(x, y);
    if (i >= 0 && slices !== undefined) {
      return [sliceName(drawn, slices, i), duration(slices.dur[i]), `at ${clock(slices.ts[i] ?? 0)}`];
    }
    if (lane.kind === "group" || lane.kind === "note") {
      const k = lane.use === undefined ? -1 : Math.floor((t - lane.use.from) / lane.use.step);
      const busy = lane.use?.busy[k];
      return [lane.name, ...(busy === undefined ? [] : [`${(busy / (lane.use?.step ?? 1)).toFixed(2)} CPUs busy`]), `at ${clock(t)}`];
    }
    if (lane.kind === "samples" || lane.kind === "async") {
      const row = lane.kind === "samples" ? rowAt(lane.rows ?? [], t, span / width, extent.value.to) : asyncAt(x, y);
      const name = row === undefined ? "" : lane.kind === "samples" ? drawn.samples?.label[Number(row.at(-1))] ?? "no stack" : clean(String(row[4] ?? ""), 300);
      return row === undefined ? [`${count(columns?.starts[Math.floor((t - (drawn.columns?.from ?? 0)) / (drawn.columns?.step ?? 1))])} samples`, `at ${clock(t)}`].slice(lane.kind === "samples" && lane.rows === undefined ? 0 : 1)
        : [name, `${lane.kind === "samples" ? clean(String(row[4] ?? ""), 60) : row[2] === null ? "to the end" : duration(Number(row[2]))}`, `at ${clock(Number(row[1]))}`];
    }
    if (lane.system !== undefined && lane.of !== undefined) {
      return describeSystem(lane.of, lane.system, t, span / width, extent.value.to, drawn.threadNames);
    }
    if (lane.kind === "pauses") {
      const one = drawn.pauses.find((p) => t >= p.ts - span / width && t <= p.ts + p.dur + span / width);
      return one === undefined ? [clock(t)] : [`${one.kind.replace(/_/g, " ")}, ${duration(one.dur)}`, `at ${clock(one.ts)}`];
    }
    if (lane.kind === "series") {
      const s = drawn.series?.series.find((one) => seriesKey(one) === lane.key);
      const column = drawn.series === undefined ? 0 : Math.floor(t / drawn.series.px_ns);
      const row = s?.rows.findLast((r) => r[0] <= column) ?? (s?.before === null || s?.before === undefined ? undefined : [0, s.before, s.before, s.before] as const);
      return row === undefined ? [clock(t)] : [measured(row[3], s?.unit ?? ""), `least ${measured(row[1], s?.unit ?? "")}, most ${measured(row[2], s?.unit ?? "")}`, `at ${clock(t)}`];
    }
    const d = drawn.columns;
    const k = d?.from === undefined || d.step === undefined ? -1 : Math.floor((t - d.from) / d.step);
    const busy = columns?.busy[k];
    return busy === undefined ? [clock(t)] : [`${percent(busy, d?.step ?? 1)} busy`, ...((columns?.waiting[k] ?? 0) > 0 ? [`${percent(columns?.waiting[k] ?? 0, d?.step ?? 1)} waiting`] : []), `${count(columns?.starts[k])} ${columns?.sample ? "samples" : "calls begin"}`, `at ${clock(t)}`];
  };
  /** Opens what is there. */
  const click = (x: number, y: number): void => {
    const t = timeAt(x);
    const i = sliceAt(x, y);
    const row = lane.kind === "samples" ? rowAt(lane.rows ?? [], t, span / width, extent.value.to) : lane.kind === "async" ? asyncAt(x, y)
      : lane.system !== undefined && lane.of !== undefined && (lane.kind !== "thread" || y < LANE) ? systemRowAt(lane.of, lane.system, t, span / width, extent.value.to) : undefined;
    const pause = lane.kind === "pauses" ? drawn.pauses.find((p) => t >= p.ts - span / width && t <= p.ts + p.dur + span / width) : undefined;
    if (i >= 0 && slices !== undefined) {
      pick("slice", String(slices.id[i]));
    } else if (pause !== undefined) {
      pick("pause", String(pause.ts));
    } else if (row === undefined) {
      unpick();
    } else if (lane.kind === "samples") {
      pick("sample", String(row[0]));
    } else if (lane.kind === "async") {
      pick("slice", String(Number(row[0]) - 1));
    } else if (lane.system?.kind === "frame") {
      pick("frame", String(Number(row[0]) - 1));
    } else if (lane.system?.kind === "state") {
      pick("state", String(row[0]));
    } else if (lane.system?.kind === "cpu" && Number(row[4]) !== 0) {
      pick("ran", String(row[0]));
    } else if (lane.system?.kind === "log" || lane.system?.kind === "event" || lane.system?.kind === "instant") {
      pick("moment", `${lane.system.kind} ${row[0]}`);
    } else {
      unpick();
    }
  };
  const onKey = (e: KeyboardEvent): void => {
    if (slices === undefined || !lane.open || !/^Arrow|^Enter$/.test(e.key)) {
      if (e.key === "Enter") {
        onToggle();
        e.preventDefault();
      }
      return;
    }
    const now = drawn.chosen.slice === undefined ? -1 : slices.id.indexOf(drawn.chosen.slice);
    const next = neighbour(slices, now, e.key);
    if (next >= 0) {
      setParams({ slice: String(slices.id[next]) }, true);
    }
    e.preventDefault();
  };
  const busyAll = columns?.busy.reduce((a, b) => a + b, 0) ?? 0;
  return (
    <div class={`lane ${lane.open ? "opened" : ""} ${lane.kind === "group" ? "grouping" : lane.inner ? "inner" : ""}`} style={{ top: `${lane.top}px`, height: `${lane.height}px` }}>
      <div class="name" style={{ width: `${names}px` }}>
        {lane.more ? (
          <button type="button" class="quiet" aria-expanded={lane.open} onClick={onToggle} title={`${lane.name} ${lane.detail}`}><span class="twist" aria-hidden="true">{lane.open ? "▾" : "▸"}</span>{lane.name}{lane.detail !== "" && <span class="unit"> {lane.detail}</span>}</button>
        ) : <><span title={`${lane.name} ${lane.detail}`} class={lane.kind}>{lane.name}</span>{lane.detail !== "" && <span class="unit"> {lane.detail}</span>}</>}
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
          onPoint(timeAt(x));
          if (drag.current !== null && (drag.current.moved || Math.abs(x - drag.current.x) > 4)) {
            drag.current.moved = true;
            const [a, b] = [timeAt(drag.current.x), timeAt(x)];
            setParams({ sel: `${Math.round(Math.min(a, b))},${Math.round(Math.max(a, b))}`, ...Object.fromEntries(PICKS.map((name) => [name, undefined])) }, true);
            setTip(null);
          } else {
            setTip({ x: e.clientX, y: e.clientY, text: describe(x, y) });
          }
        }}
        onPointerLeave={() => {
          setTip(null);
          onPoint(undefined);
        }}
        onPointerUp={(e) => {
          const moved = drag.current?.moved ?? false;
          drag.current = null;
          if (!moved) {
            const [x, y] = local(e);
            click(x, y);
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
export const sliceName = (drawn: Pick<Drawn, "slices" | "methods">, slices: ThreadSlices, i: number): string =>
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
    const waited = Math.min(1 - part, (columns.waiting[k] ?? 0) / d.step);
    if (waited > 0) {
      pen.globalAlpha = 1;
      pen.fillStyle = stateColour("sleeping");
      pen.fillRect(x, LANE - 5 - tall * (part + waited), w, tall * waited);
      pen.fillStyle = colour;
    }
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

/** A frame around what is chosen in a lane. */
function outline(pen: CanvasRenderingContext2D, lane: Lane, drawn: Drawn, strip: { readonly top: number; readonly height: number; readonly px: Draw; readonly width: number; readonly end: number }): void {
  const kind = lane.system?.kind;
  const id = kind === "cpu" ? drawn.chosen.ran : kind === "state" ? drawn.chosen.state : kind === "frame" && drawn.chosen.frame !== undefined ? drawn.chosen.frame + 1 : undefined;
  const row = id === undefined || lane.system === undefined ? undefined : lane.of?.rows.get(laneKey(lane.system))?.find((one) => one[0] === id);
  if (row === undefined) {
    return;
  }
  const x = Math.max(0, strip.px(Number(row[1])));
  const end = Math.min(strip.width, strip.px(row[2] === null ? strip.end : Number(row[1]) + Number(row[2])));
  pen.strokeStyle = graphColours().text;
  pen.lineWidth = 2;
  pen.strokeRect(x, strip.top - 1, Math.max(3, end - x), strip.height + 2);
}

/** Samples by the function that they were in; where there are too many, how many. */
function drawSamples(pen: CanvasRenderingContext2D, drawn: Drawn, lane: Lane, columns: LaneProps["columns"], px: Draw): void {
  const c = graphColours();
  const d = drawn.columns;
  if (lane.rows === undefined) {
    const most = (columns?.starts ?? []).reduce((a, b) => Math.max(a, b), 1);
    pen.fillStyle = c.accent;
    (columns?.starts ?? []).forEach((n, k) => {
      const x = Math.round(px((d?.from ?? 0) + k * (d?.step ?? 1)));
      const w = Math.max(1, Math.round(px((d?.from ?? 0) + (k + 1) * (d?.step ?? 1))) - x);
      const tall = ((lane.height - 6) * n) / most;
      pen.fillRect(x, lane.height - 3 - tall, w, tall);
    });
    return;
  }
  for (const row of lane.rows) {
    const x = px(Number(row[1]));
    const name = drawn.samples?.label[Number(row.at(-1))];
    pen.fillStyle = name === undefined ? c.plain : colourOfName(name);
    pen.fillRect(Math.round(x), 3, Math.max(2, Math.min(px(Number(row[1]) + Number(row[2] ?? 0)) - x - 1, 40)), lane.height - 7);
  }
}

function drawAsync(pen: CanvasRenderingContext2D, drawn: Drawn, lane: Lane, px: Draw): void {
  for (const [row, line] of lane.lines ?? []) {
    const x = Math.max(0, px(Number(row[1])));
    const w = Math.max(1, Math.min(drawn.width, px(row[2] === null ? extent.value.to : Number(row[1]) + Number(row[2]))) - x);
    const name = clean(String(row[4] ?? ""), 200);
    const y = 4 + line * ROW;
    pen.fillStyle = colourOfName(name);
    pen.fillRect(x, y, w > 3 ? w - 1 : w, ROW - 1);
    if (Number(row[0]) - 1 === drawn.chosen.slice) {
      pen.strokeStyle = graphColours().accent;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(1, w - 3), ROW - 3);
    }
    if (w > 40) {
      pen.save();
      pen.beginPath();
      pen.rect(x, y, w - 4, ROW);
      pen.clip();
      pen.fillStyle = graphColours().onBox;
      pen.fillText(name, x + 4, y + ROW / 2);
      pen.restore();
    }
  }
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
    if (slices.id[i] === drawn.chosen.slice) {
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
  const most = series.rows.reduce((a, r) => Math.max(a, r[2] ?? 0), Math.max(0, series.before ?? 0)) || 1;
  const least = series.rows.reduce((a, r) => Math.min(a, r[1] ?? 0), Math.min(0, series.before ?? 0));
  const base = lane.height - 4;
  const tall = lane.height - 9;
  const y = (v: number | null): number => base - (((v ?? 0) - least) / (most - least)) * tall;
  pen.fillStyle = colour;
  // A value holds until the next one, also that of before the range; the last one to the end of the recording.
  const first = series.rows[0]?.[0] ?? Math.ceil(drawn.to / step);
  const held = series.before === null ? [] : [[Math.floor(drawn.from / step), series.before, series.before, series.before] as const].filter(([x]) => x < first);
  const rows = [...held, ...series.rows];
  for (const [k, [x, low, high, mid]] of rows.entries()) {
    const left = px(x * step);
    const after = rows[k + 1];
    const w = Math.max(1, (after === undefined ? px(Math.min(drawn.to, extent.value.to)) : px(after[0] * step)) - left);
    pen.globalAlpha = 0.22;
    pen.fillRect(left, y(mid), w, base - y(mid));
    pen.globalAlpha = 0.85;
    pen.fillRect(left, y(high), w > 3 ? w : 1.5, Math.max(1.5, y(low) - y(high)));
  }
  pen.globalAlpha = 1;
  pen.fillStyle = graphColours().muted;
  pen.fillText(measured(most, series.unit ?? ""), 4, 8);
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
