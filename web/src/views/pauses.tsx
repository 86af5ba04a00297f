// Pauses of runtimes: why they were, what they freed, and the memory in use around them.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { cellNumber, cellText, get, records, type Cell } from "../api.ts";
import { amount, bytes, clean, count, duration, percent, plural, tickStep, tickText } from "../format.ts";
import { Choice, Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { graphColours } from "../parts/icicle.tsx";
import { chooseRange } from "../parts/rangestrip.tsx";
import { searched } from "../parts/search.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { absolute, database, go, linkTo, numberParam, param, range, relative, setParams, theme } from "../state.ts";
import { useLoad, useSize } from "../use.ts";

interface Pause {
  /** Its number in the order of time. */
  readonly i: number;
  readonly source: number | null;
  readonly kind: string;
  readonly name: string;
  readonly cause: string;
  readonly ts: number;
  /** ns; null: its beginning or its end was not seen. */
  readonly dur: number | null;
  readonly thread: string;
  readonly before: number | null;
  readonly after: number | null;
  /** A slice of a trace, which v_pause does not have. */
  readonly v8: boolean;
}

// Collections of V8 in traces are slices: those of DevTools with their heap, else the outermost of V8's own.
const OF_V8 = `WITH gc AS MATERIALIZED (SELECT slice_id, parent_id, source_id, name, name IN ('MinorGC', 'MajorGC') AS whole, ts, dur, itid,
  CASE WHEN json_valid(args) THEN args END AS args, CASE WHEN json_valid(end_args) THEN end_args END AS end_args
  FROM v_chrome_slice WHERE name IN ('MinorGC', 'MajorGC') OR name GLOB 'V8.GC*')`;
const FROM_V8 = `UNION ALL SELECT source_id, 'gc', name, coalesce(json_extract(args, '$.type'), json_extract(args, '$.gcReason')), ts, dur, itid,
  json_extract(args, '$.usedHeapSizeBefore'), coalesce(json_extract(args, '$.usedHeapSizeAfter'), json_extract(end_args, '$.usedHeapSizeAfter')), 1
FROM gc WHERE whole OR (NOT EXISTS (SELECT 1 FROM gc WHERE whole) AND (parent_id IS NULL OR parent_id NOT IN (SELECT slice_id FROM gc)))`;
const pausesSql = (v8: boolean): string => `${v8 ? OF_V8 : ""} SELECT p.*, t.name AS thread
FROM (SELECT source_id, kind, name, cause, ts, dur, itid, bytes_before, bytes_after, 0 AS v8 FROM v_pause ${v8 ? FROM_V8 : ""}) AS p
LEFT JOIN thread AS t ON t.itid = p.itid WHERE p.ts IS NOT NULL AND (:source IS NULL OR p.source_id = :source) ORDER BY p.ts, p.source_id, p.kind, p.name LIMIT 50000`;

const nullable = (cell: Cell | undefined): number | null => (cell === null || cell === undefined ? null : cellNumber(cell));

async function loadPauses(db: string, src: string, signal: AbortSignal): Promise<Pause[]> {
  const v8 = (database.value?.tables["chrome_slice"] ?? 0) > 0;
  const rows = await records(pausesSql(v8), { db, signal, limit: 50000, params: { source: src === "" ? null : Number(src) }, what: "reading pauses" });
  return rows.map((r, i) => ({
    i, source: nullable(r["source_id"]), kind: cellText(r["kind"]), name: cellText(r["name"]), cause: cellText(r["cause"]), ts: relative(cellText(r["ts"])), dur: nullable(r["dur"]),
    thread: cellText(r["thread"]), before: nullable(r["bytes_before"]), after: nullable(r["bytes_after"]), v8: r["v8"] === 1,
  }));
}

// --- memory ---------------------------------------------------------------------------------------------------------------

interface Memory {
  readonly key: string;
  readonly name: string;
  /** Begin of a column, least and greatest value in it. */
  readonly points: readonly (readonly [number, number, number])[];
}

interface SeriesReply {
  readonly px_ns: number;
  readonly series: readonly {
    readonly table: string;
    readonly id: number;
    readonly name: string | null;
    readonly owner: string | null;
    readonly unit: string | null;
    readonly rows: readonly (readonly [number, number | null, number | null, number | null])[];
  }[];
}

const USED = /heap.?(size)?.?used|used.?heap|used.?js.?heap/i;

/** Measured values that are memory: of a heap first, then whatever has bytes. */
async function loadMemory(db: string, src: string, from: number, to: number, px: number, signal: AbortSignal): Promise<Memory[]> {
  const reply = await get<SeriesReply>("/api/series", { db, src, from, to, px }, { signal, what: "reading memory" });
  const all = reply.series.filter((one) => one.unit === "bytes" || USED.test(one.name ?? "")).map((one): Memory => ({
    key: `${one.table} ${one.id} ${one.owner ?? ""}`, name: clean(one.owner === null ? one.name : `${one.name ?? ""} (${one.owner})`, 60),
    points: one.rows.flatMap(([at, least, most]) => (least === null || most === null ? [] : [[at * reply.px_ns, least, most] as const])),
  })).filter((one) => one.points.length > 0);
  return all.sort((a, b) => Number(USED.test(b.name)) - Number(USED.test(a.name)) || Number(/committed/i.test(a.name)) - Number(/committed/i.test(b.name)));
}

// --- the chart ------------------------------------------------------------------------------------------------------------

const TALL = 230;
const LEFT = 82;
const TOP = 18;
const BOTTOM = TALL - 22;

interface ChartProps {
  readonly pauses: readonly Pause[];
  readonly memory: Memory | undefined;
  readonly from: number;
  readonly to: number;
  readonly chosen: number | undefined;
}

/** Used memory over time with the pauses as bands: what was measured, and what each collection found and left. Without memory, how long they took. */
function PauseChart({ pauses, memory, from, to, chosen }: ChartProps): JSX.Element {
  const [place, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const span = Math.max(1, to - from);
  const wide = Math.max(1, size.width - LEFT - 10);
  const x = (t: number): number => LEFT + ((t - from) / span) * wide;
  const inside = pauses.filter((p) => p.ts <= to && p.ts + (p.dur ?? 0) >= from);
  const known = memory !== undefined || inside.some((p) => p.before !== null || p.after !== null);
  const most = known
    ? Math.max(1, ...(memory?.points ?? []).map((p) => p[2]), ...inside.map((p) => Math.max(p.before ?? 0, p.after ?? 0)))
    : inside.reduce((a, p) => Math.max(a, p.dur ?? 0), 1);
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || pen === null || pen === undefined || size.width < 120) {
      return;
    }
    const c = graphColours();
    const style = getComputedStyle(document.documentElement);
    const bad = style.getPropertyValue("--bad");
    const good = style.getPropertyValue("--good");
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(size.width * ratio);
    element.height = Math.round(TALL * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, TALL);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    const y = (v: number): number => BOTTOM - ((BOTTOM - TOP) * v) / (most * 1.05);
    for (let k = 0; k <= 4; k++) {
      const v = (most * k) / 4;
      pen.fillStyle = c.line;
      pen.fillRect(LEFT, Math.round(y(v)), wide, 1);
      pen.fillStyle = c.muted;
      pen.textAlign = "right";
      pen.fillText(known ? bytes(v) : duration(v), LEFT - 8, y(v));
    }
    pen.textAlign = "left";
    const step = tickStep(span, Math.max(2, wide / 110));
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(x(t)), TOP, 1, BOTTOM - TOP);
      pen.fillStyle = c.muted;
      if (x(t) + 60 < size.width) {
        pen.fillText(tickText(t, step, to), x(t) + 3, BOTTOM + 11);
      }
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, wide, TALL);
    pen.clip();
    for (const p of inside) {
      const w = Math.max(1.5, x(p.ts + (p.dur ?? 0)) - x(p.ts));
      pen.fillStyle = bad;
      pen.globalAlpha = p.i === chosen ? 0.75 : 0.28;
      const top = known ? TOP : y(p.dur ?? 0);
      pen.fillRect(x(p.ts), top, w, BOTTOM - top);
    }
    pen.globalAlpha = 1;
    if (memory !== undefined) {
      pen.strokeStyle = c.accent;
      pen.lineWidth = 1.5;
      pen.beginPath();
      for (const [i, [t, least, highest]] of memory.points.entries()) {
        pen[i === 0 ? "moveTo" : "lineTo"](x(t), y(highest));
        pen.lineTo(x(t), y(least));
      }
      pen.stroke();
    }
    for (const p of inside) {
      if (p.before !== null && p.after !== null) {
        pen.strokeStyle = good;
        pen.lineWidth = p.i === chosen ? 3 : 1.5;
        pen.beginPath();
        pen.moveTo(x(p.ts), y(p.before));
        pen.lineTo(x(p.ts + (p.dur ?? 0)), y(p.after));
        pen.stroke();
      }
      for (const [t, v] of [[p.ts, p.before], [p.ts + (p.dur ?? 0), p.after]] as const) {
        if (v !== null) {
          pen.fillStyle = p.i === chosen ? bad : good;
          pen.beginPath();
          pen.arc(x(t), y(v), p.i === chosen ? 4 : 2.5, 0, 7);
          pen.fill();
        }
      }
    }
    if (drag !== null) {
      pen.fillStyle = c.accent;
      pen.globalAlpha = 0.2;
      pen.fillRect(Math.min(x(drag.from), x(drag.to)), TOP, Math.abs(x(drag.to) - x(drag.from)), BOTTOM - TOP);
      pen.globalAlpha = 1;
    }
    pen.restore();
  });
  const timeAt = (e: PointerEvent): number => {
    const box = canvas.current?.getBoundingClientRect();
    return box === undefined ? from : from + (Math.max(0, Math.min(e.clientX - box.left - LEFT, wide)) / wide) * span;
  };
  const nearest = (t: number): Pause | undefined => inside.reduce<Pause | undefined>((best, p) => {
    const off = (one: Pause): number => Math.max(0, one.ts - t, t - one.ts - (one.dur ?? 0));
    return best === undefined || off(p) < off(best) ? p : best;
  }, undefined);
  return (
    <div class="pause-chart" ref={place}>
      <canvas ref={canvas} tabIndex={0} role="application" data-theme={theme.value}
        aria-label={`${known ? "Memory in use" : "Length of pauses"} from ${duration(from)} to ${duration(to)}, ${plural(inside.length, "pause")}. A click chooses a pause, arrow keys the next one, dragging a range of time, Escape shows everything; the table has the same numbers`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          setDrag({ from: timeAt(e), to: timeAt(e) });
        }}
        onPointerMove={(e) => drag !== null && setDrag({ from: drag.from, to: timeAt(e) })}
        onPointerUp={(e) => {
          if (drag === null) {
            return;
          }
          const t = timeAt(e);
          setDrag(null);
          if (Math.abs(x(t) - x(drag.from)) < 4) {
            setParams({ pause: String(nearest(t)?.i ?? "") });
          } else {
            chooseRange(drag.from, t, false);
          }
        }}
        onPointerCancel={() => setDrag(null)}
        onKeyDown={(e) => {
          const at = inside.findIndex((p) => p.i === chosen);
          const next = e.key === "ArrowRight" ? inside[Math.min(inside.length - 1, at + 1)] : e.key === "ArrowLeft" ? inside[Math.max(0, at - 1)] : undefined;
          if (next !== undefined) {
            setParams({ pause: String(next.i) }, true);
          } else if (e.key === "Escape" || e.key === "0") {
            setParams({ from: undefined, to: undefined });
          } else {
            return;
          }
          e.preventDefault();
        }} />
    </div>
  );
}

// --- the view -------------------------------------------------------------------------------------------------------------

interface Group {
  readonly cause: string;
  readonly name: string;
  readonly count: number;
  readonly dur: number;
  readonly longest: number;
  readonly freed: number | null;
}

const freedOf = (p: Pause): number | null => (p.before === null || p.after === null ? null : p.before - p.after);
const size = (n: number | null): string => (n === null ? "" : bytes(n));
const causeText = (p: Pick<Pause, "cause">): string => clean(p.cause, 120) || "not recorded";

function grouped(pauses: readonly Pause[]): Group[] {
  const groups = new Map<string, Group>();
  for (const p of pauses) {
    const key = `${p.cause}\n${p.name}`;
    const one = groups.get(key) ?? { cause: causeText(p), name: p.name || p.kind, count: 0, dur: 0, longest: 0, freed: null };
    const freed = freedOf(p);
    groups.set(key, { ...one, count: one.count + 1, dur: one.dur + (p.dur ?? 0), longest: Math.max(one.longest, p.dur ?? 0), freed: freed === null ? one.freed : (one.freed ?? 0) + freed });
  }
  return [...groups.values()].sort((a, b) => b.dur - a.dur);
}

const columnsOf = (memory: boolean): readonly Column<Pause>[] => [
  { id: "ts", title: "At", number: true, width: 110, value: (r) => r.ts, cell: (r) => amount(r.ts, "ns", 3) },
  { id: "cause", title: "Cause", wide: true, value: (r) => causeText(r) },
  { id: "name", title: "Name", width: 170, value: (r) => clean(r.name, 80) || r.kind },
  { id: "dur", title: "Took", unit: "ns", width: 110, digits: 3, value: (r) => r.dur },
  ...(!memory ? [] : [
  { id: "before", title: "Before", number: true, width: 110, value: (r: Pause) => r.before, cell: (r: Pause) => size(r.before) },
  { id: "after", title: "After", number: true, width: 110, value: (r: Pause) => r.after, cell: (r: Pause) => size(r.after) },
  { id: "freed", title: "Freed", number: true, width: 110, value: (r: Pause) => freedOf(r), cell: (r: Pause) => size(freedOf(r)) },
  ]),
];

const groupColumns: readonly Column<Group>[] = [
  { id: "cause", title: "Cause", wide: true, value: (r) => r.cause },
  { id: "name", title: "Name", width: 170, value: (r) => clean(r.name, 80) },
  { id: "count", title: "Pauses", unit: "count", width: 100, value: (r) => r.count },
  { id: "dur", title: "Together", unit: "ns", width: 120, digits: 3, value: (r) => r.dur },
  { id: "longest", title: "Longest", unit: "ns", width: 120, digits: 3, value: (r) => r.longest },
  { id: "freed", title: "Freed", number: true, width: 120, value: (r) => r.freed, cell: (r) => size(r.freed) },
];

export function Pauses(): JSX.Element {
  const db = database.value?.name ?? "";
  const src = param("src");
  const loaded = useLoad(`${db} ${src}`, (signal) => loadPauses(db, src, signal));
  const [sort, setSort] = useState<Sort>({ by: "dur", down: true });
  const pass = searched();
  const all = loaded.data ?? [];
  const first = all[0]?.ts ?? 0;
  const last = useMemo(() => all.reduce((end, p) => Math.max(end, p.ts + (p.dur ?? 0)), first), [loaded.data]);
  const margin = Math.max(1, 0.04 * (last - first));
  const seen = range.value ?? { from: first - margin, to: last + margin };
  const memory = useLoad(all.length === 0 ? "" : `${db} ${src} ${Math.round(seen.from)} ${Math.round(seen.to)}`, (signal) => loadMemory(db, src, seen.from, seen.to, 800, signal));
  if (loaded.error !== undefined) {
    return <Failure error={loaded.error} />;
  }
  if (loaded.data === undefined) {
    return <Waiting what="reading pauses" />;
  }
  if (all.length === 0) {
    return <p class="none big">No pause was recorded{src === "" ? "" : " of this source"}</p>;
  }
  const shown = all.filter((p) => (range.value === undefined || (p.ts < seen.to && p.ts + (p.dur ?? 0) >= seen.from)) && (pass === undefined || pass(p.cause) || pass(p.name) || pass(p.kind)));
  const chosen = all.find((p) => p.i === numberParam("pause"));
  const drawn = memory.data?.find((one) => one.key === param("mem")) ?? memory.data?.find((one) => USED.test(one.name));
  const together = shown.reduce((sum, p) => sum + (p.dur ?? 0), 0);
  const longest = shown.reduce((most, p) => Math.max(most, p.dur ?? 0), 0);
  const by = param("by") === "cause";
  const columns = columnsOf(all.some((p) => p.before !== null || p.after !== null));
  const time = range.value === undefined ? last - first : seen.to - seen.from;
  return (
    <div class="with-drawer">
      <div class="stage">
        <div class="bar">
          <Choice<"each" | "cause"> label="Rows" value={by ? "cause" : "each"} onChange={(v) => setParams({ by: v === "each" ? undefined : v })} options={[["each", "Each pause"], ["cause", "By cause"]]} />
          {(memory.data ?? []).length > 0 && (
            <label>Memory <select value={drawn?.key ?? ""} onChange={(e) => setParams({ mem: e.currentTarget.value }, true)}>
              {drawn === undefined && <option value="">of the pauses only</option>}
              {memory.data?.map((one) => <option value={one.key} key={one.key}>{one.name}</option>)}
            </select></label>
          )}
          <span class="gap" />
          {range.value !== undefined && <button type="button" class="link" onClick={() => setParams({ from: undefined, to: undefined })}>all times</button>}
        </div>
        {memory.error !== undefined && <Failure error={memory.error} />}
        <PauseChart pauses={all} memory={drawn} from={seen.from} to={seen.to} chosen={chosen?.i} />
        {by ? <Table label="Pauses by cause" columns={groupColumns} rows={grouped(shown)} keyOf={(r) => `${r.cause}\n${r.name}`} />
          : <Table label="Pauses" columns={columns} rows={sorted(shown, columns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.i} selected={chosen?.i} empty="No pause fits" onRow={(r) => setParams({ pause: String(r.i) })} />}
        <p class="count">{plural(shown.length, "pause")}, {duration(together)} together, {percent(together, time)} of {duration(time)}; the longest took {duration(longest)}</p>
      </div>
      {chosen !== undefined && <PauseDrawer pause={chosen} all={all} />}
    </div>
  );
}

const AROUND = 3;

function PauseDrawer({ pause, all }: { pause: Pause; all: readonly Pause[] }): JSX.Element {
  const freed = freedOf(pause);
  const before = all[pause.i - 1];
  const end = pause.ts + (pause.dur ?? 0);
  const from = all[Math.max(0, pause.i - AROUND)] as Pause;
  const to = all[Math.min(all.length - 1, pause.i + AROUND)] as Pause;
  const around = { from: String(Math.floor(from.ts - 1e6)), to: String(Math.ceil(Math.max(end, to.ts + (to.dur ?? 0)) + 1e6)) };
  return (
    <Drawer title={clean(pause.name, 120) || pause.kind} onClose={() => setParams({ pause: undefined })}>
      <Facts rows={[
        ["Cause", causeText(pause)], ["Kind", clean(pause.kind, 40)], ["At", amount(pause.ts, "ns", 3)],
        ["Took", pause.dur === null ? "its beginning or its end was not seen" : duration(pause.dur)],
        ["Heap before", pause.before === null ? "not recorded" : `${bytes(pause.before)}`], ["Heap after", pause.after === null ? "not recorded" : bytes(pause.after)],
        ...(freed === null ? [] : [["Freed", `${bytes(freed)}, ${percent(freed, pause.before ?? 0)}`] as const]),
        ...(pause.thread === "" ? [] : [["Thread", clean(pause.thread, 80)] as const]),
        ...(before === undefined ? [] : [["Since the pause before", duration(pause.ts - before.ts - (before.dur ?? 0))] as const]),
        ["Number", `${count(pause.i + 1)} of ${count(all.length)}`],
      ]} />
      <div class="actions">
        <button type="button" onClick={() => setParams(around)}>Around it</button>
        <button type="button" onClick={() => go("timeline", around)}>Show in timeline</button>
        {!pause.v8 && <a class="button" href={linkTo("sql", { question: "longest_pauses", "p.from": String(absolute(pause.ts)), "p.to": String(absolute(pause.ts) + 1n), run: "1" })}>SQL</a>}
      </div>
    </Drawer>
  );
}
