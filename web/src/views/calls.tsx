// Calls of a service: when they began and how long they took, the slowest, by method, by parameter; and one call in all its parts.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, cellNumber, cellText, get, parametersJson, records, type Cell, type Parameter } from "../api.ts";
import { absoluteTime, amount, baseName, clean, count, duration, percent, plural, tickStep, tickText } from "../format.ts";
import { Choice, Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { graphColours } from "../parts/icicle.tsx";
import { chooseRange } from "../parts/rangestrip.tsx";
import { searched } from "../parts/search.ts";
import { chosenJson } from "../parts/sources.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { absolute, database, extent, go, numberParam, param, range, relative, setParams, theme } from "../state.ts";
import { useLoad, useSize } from "../use.ts";

type Row = Record<string, Cell>;
type By = "slow" | "method" | "param";

const text = (row: Row, name: string): string => clean(cellText(row[name]), 1000);
const number = (row: Row, name: string): number | null => (row[name] === null || row[name] === undefined ? null : cellNumber(row[name]));

const SCATTER = `WITH m AS (SELECT min(ts) AS a, max(ts) - min(ts) + 1 AS w FROM cloud_call)
SELECT (c.ts - m.a) * 1000 / m.w AS x, CASE WHEN c.dur < 1 THEN 0 ELSE CAST(10 * log10(c.dur) AS INTEGER) END AS y, count(*) AS n, max(c.id) AS any_id
FROM cloud_call AS c, m WHERE c.ts >= :from AND c.ts < :to AND (:source IS NULL OR c.source_id IN (SELECT value FROM json_each(:source))) GROUP BY 1, 2`;
const SPAN = "SELECT min(ts) AS a, max(ts) - min(ts) + 1 AS w FROM cloud_call";
const SLOW = `SELECT id, ts, dur, suspend_dur, cpu_dur, wait_dur, substr(thread_name, 1, 500) AS thread_name, substr(method, 1, 500) AS method FROM v_cloud_call
WHERE ts >= :from AND ts < :to AND dur >= :least AND dur < :most AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) ORDER BY dur DESC, id LIMIT :limit`;
const METHODS = `SELECT substr(method, 1, 500) AS method, count(*) AS n, sum(dur) AS dur, max(dur) AS longest, sum(cpu_dur) AS cpu_dur, sum(suspend_dur) AS suspend_dur FROM v_cloud_call
WHERE ts >= :from AND ts < :to AND dur >= :least AND dur < :most AND (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) GROUP BY v_cloud_call.method ORDER BY dur DESC LIMIT 1000`;
const NAMES = "SELECT name, count(*) AS n FROM v_cloud_call_param GROUP BY name ORDER BY n DESC, name LIMIT 500";
const VALUES = `SELECT substr(p.value, 1, 2000) AS value, count(*) AS n, sum(c.dur) AS dur, max(c.dur) AS longest FROM v_cloud_call_param AS p JOIN cloud_call AS c ON c.id = p.call_id
WHERE p.name = :name AND (:source IS NULL OR c.source_id IN (SELECT value FROM json_each(:source))) GROUP BY p.value ORDER BY dur DESC LIMIT 1000`;
const TITLES = "SELECT call_id, substr(title, 1, 500) AS title FROM v_cloud_call_title WHERE call_id IN (SELECT value FROM json_each(:calls))";
// A thread's invocations from one root to the next are those of the call, as in the question cloud_call_tree.
const SELF = `WITH root AS (SELECT s.id, s.itid FROM cloud_call AS c JOIN stack_slice AS s ON s.id = c.root_slice_id WHERE c.id = :call),
next AS (SELECT ifnull(min(s.id), 9223372036854775807) AS id FROM root AS r JOIN stack_slice AS s ON s.id > r.id AND s.itid = r.itid AND s.parent_id IS NULL)
SELECT substr(s.method, 1, 500) AS method, s.file, count(*) AS n, sum(s.self_dur) AS self FROM root AS r CROSS JOIN next AS n CROSS JOIN v_stack_slice AS s ON s.id >= r.id AND s.id < n.id AND s.itid = r.itid
GROUP BY s.method, s.file ORDER BY self DESC, s.method LIMIT 30`;
const LOG_MOST = 130; // 10 * log10 of ns: 10^13 ns are almost three hours

/** What is chosen in the scatter, and by the source. */
function bounds(): Record<string, Parameter> {
  const chosen = range.value ?? { from: extent.value.from, to: extent.value.to + 1 };
  return {
    from: absolute(chosen.from), to: absolute(chosen.to), least: numberParam("least") ?? 0, most: numberParam("most") ?? 9223372036854775807n,
    source: chosenJson(),
  };
}

export function Calls(): JSX.Element {
  const call = numberParam("call");
  const by = (param("by") || "slow") as By;
  return (
    <div class="with-drawer calls">
      <div class="stage">
        <Scatter />
        <div class="bar">
          <Choice<By> label="List" value={by} onChange={(v) => setParams({ by: v === "slow" ? undefined : v })} options={[["slow", "Slowest"], ["method", "By method"], ["param", "By parameter"]]} />
          {(range.value !== undefined || param("least") !== "" || param("most") !== "") && (
            <span class="lead">
              {range.value === undefined ? "" : `${duration(range.value.to - range.value.from)} from ${duration(range.value.from)}`}
              {param("least") === "" ? "" : `, took ${duration(numberParam("least"))} to ${duration(numberParam("most"))}`}{" "}
              <button type="button" class="link" onClick={() => setParams({ from: undefined, to: undefined, least: undefined, most: undefined })}>all calls</button>
            </span>
          )}
        </div>
        {by === "slow" ? <Slowest selected={call} /> : by === "method" ? <ByMethod /> : <ByParam selected={call} />}
      </div>
      {call !== undefined && <CallDrawer id={call} key={call} />}
    </div>
  );
}

// --- scatter --------------------------------------------------------------------------------------------------------------

interface Point {
  readonly x: number;
  readonly y: number;
  readonly n: number;
  readonly id: number;
}

interface Cells {
  readonly begin: number;
  readonly width: number;
  readonly points: readonly Point[];
}

interface ScatterReply {
  readonly from: number;
  readonly span: number;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  readonly n: readonly number[];
  readonly any_id: readonly number[];
}

const NO_POINTS: readonly Point[] = [];

/** Calls by 1000 columns of time and ten rows for each power of ten of their duration; of one source by SQL. */
async function loadCells(db: string, src: string, signal: AbortSignal): Promise<Cells> {
  if (src === "") {
    const reply = await get<ScatterReply>("/api/calls/scatter", { db }, { signal, what: "counting calls" });
    return { begin: reply.from, width: Math.max(1, reply.span), points: reply.x.map((x, i) => ({ x, y: reply.y[i] ?? 0, n: reply.n[i] ?? 0, id: reply.any_id[i] ?? 0 })) };
  }
  const [span, cells] = await Promise.all([
    records(SPAN, { db, signal, what: "reading calls" }),
    records(SCATTER, { db, signal, limit: 100000, what: "counting calls", params: { from: absolute(extent.value.from), to: 9223372036854775807n, source: chosenJson() } }),
  ]);
  const first = span[0];
  return {
    begin: first === undefined || first["a"] === null ? 0 : relative(cellText(first["a"])),
    width: first === undefined ? 1 : Math.max(1, cellNumber(first["w"])),
    points: cells.map((r) => ({ x: cellNumber(r["x"]), y: cellNumber(r["y"]), n: cellNumber(r["n"]), id: cellNumber(r["any_id"]) })),
  };
}

const TALL = 190;
const LEFT = 64;

function Scatter(): JSX.Element {
  const db = database.value?.name ?? "";
  const [place, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  const src = param("src");
  const cells = useLoad(`${db} ${src}`, (signal) => loadCells(db, src, signal));
  const begin = cells.data?.begin ?? 0;
  const width = cells.data?.width ?? 1;
  const points = cells.data?.points ?? NO_POINTS;
  const low = points.reduce((a, p) => Math.min(a, p.y), LOG_MOST);
  const high = points.reduce((a, p) => Math.max(a, p.y + 1), 0);
  const bottom = Math.floor(Math.min(low, high - 10) / 10) * 10;
  const top = Math.max(bottom + 10, Math.ceil(high / 10) * 10);
  const w = Math.max(10, size.width - LEFT);
  const h = TALL - 24;
  const px = (ns: number): number => LEFT + ((ns - begin) / width) * w;
  const py = (log: number): number => 4 + h - ((log - bottom) / (top - bottom)) * h;
  const chosen = range.value;
  const least = numberParam("least");
  const most = numberParam("most");
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || pen === null || pen === undefined || size.width < 50) {
      return;
    }
    const c = graphColours();
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(size.width * ratio);
    element.height = Math.round(TALL * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, TALL);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    for (let y = bottom; y <= top; y += 10) {
      pen.fillStyle = c.line;
      pen.fillRect(LEFT, Math.round(py(y)), w, 1);
      pen.fillStyle = c.muted;
      pen.textAlign = "right";
      pen.fillText(amount(10 ** (y / 10), "ns", 0), LEFT - 6, Math.max(8, py(y)));
    }
    pen.textAlign = "left";
    const step = tickStep(width, Math.max(2, w / 110));
    for (let t = Math.ceil(begin / step) * step; t <= begin + width; t += step) {
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(px(t)), 4, 1, h);
      pen.fillStyle = c.muted;
      const label = tickText(t, step, begin + width);
      if (px(t) + 3 + pen.measureText(label).width <= size.width) {
        pen.fillText(label, px(t) + 3, TALL - 9);
      }
    }
    const many = points.reduce((a, p) => Math.max(a, p.n), 1);
    const cell = Math.max(5, w / 1000);
    const high_ = Math.max(5, h / (top - bottom));
    for (const p of points) {
      const x = LEFT + (p.x / 1000) * w;
      const y = py(p.y + 1);
      const t = begin + ((p.x + 0.5) / 1000) * width;
      const inside = (chosen === undefined || (t >= chosen.from && t <= chosen.to)) && (least === undefined || 10 ** ((p.y + 1) / 10) > least) && (most === undefined || 10 ** (p.y / 10) < most);
      pen.globalAlpha = inside ? 0.55 + 0.45 * (Math.log(p.n + 1) / Math.log(many + 1)) : 0.12;
      pen.fillStyle = c.accent;
      pen.fillRect(x, y, cell, high_);
    }
    pen.globalAlpha = 1;
    if (drag !== null) {
      pen.strokeStyle = c.accent;
      pen.strokeRect(Math.min(drag.x0, drag.x1) + 0.5, Math.min(drag.y0, drag.y1) + 0.5, Math.abs(drag.x1 - drag.x0), Math.abs(drag.y1 - drag.y0));
    }
  }, [size.width, points, drag, chosen?.from, chosen?.to, least, most, theme.value, begin, width]);
  const at = (e: PointerEvent): [number, number] => {
    const box = canvas.current?.getBoundingClientRect();
    return box === undefined ? [0, 0] : [Math.max(LEFT, Math.min(e.clientX - box.left, size.width)), Math.max(0, Math.min(e.clientY - box.top, TALL))];
  };
  const choose = (x0: number, y0: number, x1: number, y1: number): void => {
    if (Math.abs(x1 - x0) < 4 && Math.abs(y1 - y0) < 4) {
      const near = points.map((p) => ({ p, d: Math.hypot(LEFT + (p.x / 1000) * w - x0, py(p.y + 0.5) - y0) })).sort((a, b) => a.d - b.d)[0];
      if (near !== undefined && near.d < 12) {
        setParams({ call: String(near.p.id) });
      }
      return;
    }
    const time = (x: number): number => begin + ((x - LEFT) / w) * width;
    const log = (y: number): number => bottom + ((4 + h - y) / h) * (top - bottom);
    setParams({
      least: String(Math.floor(10 ** (log(Math.max(y0, y1)) / 10))), most: String(Math.ceil(10 ** (log(Math.min(y0, y1)) / 10))),
      from: String(Math.round(time(Math.min(x0, x1)))), to: String(Math.round(time(Math.max(x0, x1)))),
    });
  };
  const onKey = (e: KeyboardEvent): void => {
    const now = chosen ?? { from: begin, to: begin + width };
    const step = (now.to - now.from) / 10;
    const moves: Record<string, readonly [number, number]> = {
      ArrowLeft: [now.from - step, now.to - step], ArrowRight: [now.from + step, now.to + step],
      w: [now.from + 2 * step, now.to - 2 * step], s: [now.from - 4 * step, now.to + 4 * step], Escape: [0, 0],
    };
    const next = moves[e.key];
    if (next !== undefined) {
      if (e.key === "Escape") {
        setParams({ from: undefined, to: undefined, least: undefined, most: undefined }, true);
      } else {
        chooseRange(next[0], next[1], true);
      }
      e.preventDefault();
    }
  };
  if (cells.error !== undefined) {
    return <Failure error={cells.error} />;
  }
  return (
    <div class="scatter" ref={place}>
      <canvas ref={canvas} tabIndex={0} role="application"
        aria-label={`${plural(points.reduce((sum, p) => sum + p.n, 0), "call")} by beginning and duration. Drag chooses calls; W and S change the range, arrow keys move it, Escape shows all; the list below has the same calls`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          const [x, y] = at(e);
          setDrag({ x0: x, y0: y, x1: x, y1: y });
        }}
        onPointerMove={(e) => {
          if (drag !== null) {
            const [x, y] = at(e);
            setDrag({ ...drag, x1: x, y1: y });
          }
        }}
        onPointerUp={() => {
          if (drag !== null) {
            setDrag(null);
            choose(drag.x0, drag.y0, drag.x1, drag.y1);
          }
        }}
        onPointerCancel={() => setDrag(null)}
        onKeyDown={onKey} />
      {cells.data === undefined && <Waiting what="counting calls" />}
    </div>
  );
}

// --- lists ----------------------------------------------------------------------------------------------------------------

/** What a call's time went into; `rest` is what is none of the others. */
interface Parts {
  readonly dur: number;
  readonly cpu: number;
  readonly paused: number;
  readonly waiting: number;
  readonly rest: number;
}

function partsOf(r: Row): Parts {
  const dur = number(r, "dur") ?? 0;
  const cpu = number(r, "cpu_dur") ?? 0;
  const paused = number(r, "suspend_dur") ?? number(r, "paused") ?? 0;
  const waiting = number(r, "wait_dur") ?? 0;
  return { dur, cpu, paused, waiting, rest: Math.max(0, dur - cpu - paused - waiting) };
}

const PARTS: readonly (readonly ["cpu" | "paused" | "waiting" | "rest", string])[] = [["cpu", "CPU"], ["paused", "paused"], ["waiting", "waiting"], ["rest", "rest"]];
const partsText = (p: Parts): string => PARTS.filter(([part]) => p[part] > 0).map(([part, title]) => `${title} ${duration(p[part])}`).join(", ");

/** Its time as a bar of its parts; `most`: as wide as a call of that length would be all of it. */
function PartsBar({ parts, most }: { parts: Parts; most: number }): JSX.Element {
  const whole = Math.max(parts.dur, parts.cpu + parts.paused + parts.waiting);
  return (
    <span class="parts" role="img" aria-label={partsText(parts)} title={partsText(parts)}>
      {PARTS.map(([part]) => parts[part] > 0 && <span key={part} class={`p-${part}`} style={{ width: `${(100 * parts[part]) / Math.max(1, whole, most)}%` }} />)}
    </span>
  );
}

const began = (r: Row): number | null => (r["ts"] === null || r["ts"] === undefined ? null : relative(cellText(r["ts"])));

const callColumns: readonly Column<Row>[] = [
  { id: "id", title: "Call", width: 70, number: true, value: (r) => number(r, "id") },
  { id: "began", title: "Began", unit: "ns", digits: 3, width: 100, value: began },
  { id: "dur", title: "Took", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "dur") },
  { id: "suspend", title: "Paused", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "suspend_dur") },
  { id: "cpu", title: "CPU", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "cpu_dur") },
  { id: "wait", title: "Waiting", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "wait_dur") },
  { id: "rest", title: "Rest", unit: "ns", digits: 3, width: 100, value: (r) => partsOf(r).rest },
  { id: "parts", title: "Of it", width: 130, value: (r) => number(r, "dur"), cell: (r) => <PartsBar parts={partsOf(r)} most={0} /> },
  { id: "thread", title: "Thread", width: 160, value: (r) => text(r, "thread_name") },
];

function Slowest({ selected }: { selected: number | undefined }): JSX.Element {
  const db = database.value?.name ?? "";
  const [limit, setLimit] = useState(200);
  const params = { ...bounds(), limit };
  const loaded = useLoad(`${db} ${parametersJson(params)}`, (signal) => records(SLOW, { db, params, signal, limit: 20000, what: "finding the slowest calls" }));
  // Calls are there before what they were about is read: that is in the parameters of all calls.
  const ids = JSON.stringify((loaded.data ?? []).map((r) => number(r, "id")));
  const titles = useLoad(loaded.data === undefined || loaded.data.length === 0 ? "" : `${db} ${ids}`, async (signal) =>
    new Map((await records(TITLES, { db, params: { calls: ids }, signal, limit: 20000, what: "reading titles" })).map((r) => [number(r, "call_id") ?? -1, text(r, "title")])));
  const [sort, setSort] = useState<Sort>({ by: "dur", down: true });
  const pass = searched();
  if (loaded.error !== undefined) {
    return <Failure error={loaded.error} />;
  }
  if (loaded.data === undefined) {
    return <Waiting what="finding the slowest calls" />;
  }
  const titleOf = (r: Row): string => titles.data?.get(number(r, "id") ?? -1) ?? "";
  const columns: readonly Column<Row>[] = [
    ...callColumns.slice(0, 1),
    { id: "title", title: "What", wide: true, value: (r) => titleOf(r) || text(r, "method"), cell: (r) => <span class="what" title={`${titleOf(r)}\n${text(r, "method")}`}>{titleOf(r) || text(r, "method")}</span> },
    ...callColumns.slice(1),
    { id: "method", title: "Method", width: 240, value: (r) => text(r, "method"), cell: (r) => <span class="what" title={text(r, "method")}>{text(r, "method").split(".").slice(-2).join(".")}</span> },
  ];
  const rows = loaded.data.filter((r) => pass === undefined || pass(`${titleOf(r)} ${text(r, "method")} ${text(r, "thread_name")}`));
  return <Table label="Calls" columns={columns} rows={sorted(rows, columns, sort)} sort={sort} onSort={setSort} keyOf={(r) => number(r, "id") ?? 0} selected={selected ?? -1}
    onRow={(r) => setParams({ call: String(number(r, "id")) })} onEnd={() => loaded.data !== undefined && loaded.data.length === limit && limit < 20000 && setLimit(Math.min(20000, limit * 4))} empty="No calls here" />;
}

const methodColumns: readonly Column<Row>[] = [
  { id: "n", title: "Calls", unit: "count", width: 90, value: (r) => number(r, "n") },
  { id: "dur", title: "Total", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "dur") },
  { id: "avg", title: "Mean", unit: "ns", digits: 3, width: 110, value: (r) => (number(r, "dur") ?? 0) / Math.max(1, number(r, "n") ?? 1) },
  { id: "longest", title: "Longest", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "longest") },
  { id: "cpu", title: "CPU", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "cpu_dur") },
  { id: "suspend", title: "Paused", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "suspend_dur") },
  { id: "method", title: "Method", wide: true, value: (r) => text(r, "method") },
];

function ByMethod(): JSX.Element {
  const db = database.value?.name ?? "";
  const { from, to, least, most, source } = bounds();
  const params: Record<string, Parameter> = { from: from ?? null, to: to ?? null, least: least ?? null, most: most ?? null, source: source ?? null };
  const loaded = useLoad(`${db} ${parametersJson(params)}`, (signal) => records(METHODS, { db, params, signal, what: "adding up calls" }));
  const [sort, setSort] = useState<Sort>({ by: "dur", down: true });
  const pass = searched();
  if (loaded.error !== undefined) {
    return <Failure error={loaded.error} />;
  }
  if (loaded.data === undefined) {
    return <Waiting what="adding up calls" />;
  }
  const rows = loaded.data.filter((r) => pass === undefined || pass(text(r, "method")));
  return <Table label="Calls by method" columns={methodColumns} rows={sorted(rows, methodColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => text(r, "method")}
    onRow={(r) => setParams({ by: undefined, q: text(r, "method") })} />;
}

const valueColumns: readonly Column<Row>[] = [
  { id: "n", title: "Calls", unit: "count", width: 90, value: (r) => number(r, "n") },
  { id: "dur", title: "Total", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "dur") },
  { id: "longest", title: "Longest", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "longest") },
  { id: "value", title: "Value", wide: true, value: (r) => text(r, "value") },
];

const paramColumns: readonly Column<Row>[] = [
  { id: "id", title: "Call", width: 70, number: true, value: (r) => number(r, "call_id") },
  { id: "began", title: "Began", unit: "ns", digits: 3, width: 100, value: began },
  { id: "dur", title: "Took", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "dur") },
  { id: "value", title: "Value", width: 220, value: (r) => text(r, "value") },
  { id: "method", title: "Method", wide: true, value: (r) => text(r, "method") },
];

function ByParam({ selected }: { selected: number | undefined }): JSX.Element {
  const db = database.value?.name ?? "";
  const names = useLoad(db, (signal) => records(NAMES, { db, signal, what: "reading parameters" }));
  const name = param("name") || (names.data?.[0] === undefined ? "" : cellText(names.data[0]["name"]));
  const value = param("value");
  const [sort, setSort] = useState<Sort>({ by: "dur", down: true });
  const values = useLoad(name === "" ? "" : `${db} ${name} ${chosenJson()}`, (signal) => records(VALUES, { db, params: { name, source: chosenJson() }, signal, what: "adding up calls" }));
  const calls = useLoad(name === "" || value === "" ? "" : `${db} ${name} ${value}`, (signal) => ask("cloud_calls_by_param", { db, params: { name, value, limit: 1000 }, signal, what: "finding calls" }));
  const failed = names.error ?? values.error ?? calls.error;
  if (failed !== undefined) {
    return <Failure error={failed} />;
  }
  return (
    <>
      <div class="bar">
        <select aria-label="Parameter" value={name} onChange={(e) => setParams({ name: e.currentTarget.value, value: undefined })}>
          {(names.data ?? []).map((r) => <option value={cellText(r["name"])} key={cellText(r["name"])}>{clean(cellText(r["name"]), 60)} ({count(number(r, "n"))})</option>)}
        </select>
        {value !== "" && <span class="lead">{clean(value, 120)} <button type="button" class="link" onClick={() => setParams({ value: undefined })}>all values</button></span>}
      </div>
      {value === "" ? <Table label="Values" columns={valueColumns} rows={sorted(values.data ?? [], valueColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => cellText(r["value"])} onRow={(r) => setParams({ name, value: cellText(r["value"]) })} />
        : <Table label="Calls with the value" columns={paramColumns} rows={sorted(calls.data ?? [], paramColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => number(r, "call_id") ?? 0} selected={selected ?? -1} onRow={(r) => setParams({ call: String(number(r, "call_id")) })} />}
    </>
  );
}

// --- one call -------------------------------------------------------------------------------------------------------------

const ONE = `SELECT c.*, v.method, v.suspend_dur AS paused, s.clock, t.name AS thread FROM cloud_call AS c LEFT JOIN v_cloud_call AS v ON v.id = c.id
LEFT JOIN source AS s ON s.id = c.source_id LEFT JOIN thread AS t ON t.itid = c.itid WHERE c.id = :call`;
const STEPS = 2000;

function CallDrawer({ id }: { id: number }): JSX.Element {
  const db = database.value?.name ?? "";
  const params = { call: id };
  const [steps, setSteps] = useState(STEPS);
  const one = useLoad(`${db} ${id}`, (signal) => records(ONE, { db, params, signal, what: "reading the call" }));
  const tree = useLoad(`${db} ${id} ${steps}`, (signal) => ask("cloud_call_tree", { db, params: { ...params, limit: steps }, signal, what: "reading the call's tree" }));
  const more = useLoad(`${db} ${id}`, async (signal) => {
    const [given, statements, pauses] = await Promise.all([
      ask("cloud_call_params", { db, params, signal, what: "reading parameters" }),
      ask("cloud_call_statements", { db, params, signal, what: "reading statements" }),
      ask("cloud_call_pauses", { db, params, signal, what: "reading pauses" }),
    ]);
    return { given, statements, pauses };
  });
  const self = useLoad(`${db} ${id}`, (signal) => records(SELF, { db, params, signal, what: "adding up its steps" }));
  const named = useLoad(`${db} ${id}`, (signal) => records(TITLES, { db, params: { calls: `[${id}]` }, signal, what: "reading its title" }));
  const row = one.data?.[0];
  const about = named.data?.[0] === undefined ? "" : text(named.data[0], "title");
  const close = (): void => setParams({ call: undefined });
  if (one.error !== undefined) {
    return <Drawer title={`Call ${id}`} onClose={close}><Failure error={one.error} /></Drawer>;
  }
  if (one.data !== undefined && row === undefined) {
    return <Drawer title={`Call ${id}`} onClose={close}><p class="none">There is no call with this number</p></Drawer>;
  }
  const from = row === undefined ? 0 : began(row) ?? 0;
  const took = row === undefined ? 0 : number(row, "dur") ?? 0;
  return (
    <div class="wide-drawer">
      <Drawer title={row === undefined ? `Call ${id}` : about || text(row, "method") || `Call ${id}`} onClose={close}>
        {row !== undefined && <>
          <Facts rows={[
            ["Call", String(id)],
            ...(about === "" ? [] : [["Method", <code key="method">{text(row, "method")}</code>] as const]),
            ["Began", `${duration(from)}  ·  ${absoluteTime(BigInt(cellText(row["ts"])), cellText(row["clock"]) || null)}`],
            ["Took", duration(number(row, "dur"))],
            ["In a queue", duration(number(row, "queue_wait_dur"))],
            ["Thread", text(row, "thread_name")],
            ["Memory", amount(number(row, "memory"), "bytes")],
            ["Files", `${amount(number(row, "file_read"), "bytes")} read, ${amount(number(row, "file_written"), "bytes")} written`],
            ["Network", `${amount(number(row, "net_read"), "bytes")} read, ${amount(number(row, "net_written"), "bytes")} written`],
          ]} />
          <Spent parts={partsOf(row)} steps={self.data} />
          <div class="actions">
            <button type="button" onClick={() => go("timeline", { from: String(Math.max(0, Math.round(from - took / 10))), to: String(Math.round(from + took * 1.1) + 1), ...(row["itid"] === null ? {} : { thr: cellText(row["itid"]) }) })}>Show in timeline</button>
            <button type="button" onClick={() => go("sql", { question: "cloud_call_tree", "p.call": String(id), run: "1" })}>SQL</button>
          </div>
        </>}
        {more.data !== undefined && more.data.given.length > 0 && <section><h3>Parameters</h3><Facts rows={more.data.given.map((r) => [text(r, "name"), <code key={text(r, "name")}>{text(r, "value")}</code>] as const)} /></section>}
        {more.data !== undefined && more.data.statements.length > 0 && <section>
          <h3>Statements</h3>
          {more.data.statements.map((r) => <div class="statement" key={cellText(r["value"])}><code>{clean(cellText(r["value"]), 600)}</code><span class="unit">{plural(number(r, "count") ?? 0, "time")}, {duration(number(r, "dur"))}, longest {duration(number(r, "longest"))}</span></div>)}
        </section>}
        {more.data !== undefined && more.data.pauses.length > 0 && <section>
          <h3>Pauses that hit it</h3>
          <Table open label="Pauses" columns={pauseColumns} rows={more.data.pauses} keyOf={(r) => cellText(r["ts"])} />
        </section>}
        <section>
          <h3>Steps</h3>
          {tree.error !== undefined ? <Failure error={tree.error} /> : tree.data === undefined ? <Waiting what="reading the call's tree" /> : tree.data.length === 0 ? <p class="lead">Its steps were not recorded</p> : <>
            <Table open label="Steps of the call" columns={stepColumns} rows={tree.data} keyOf={(r) => `${cellText(r["at"])} ${cellText(r["depth"])} ${cellText(r["method"])} ${cellText(r["dur"])}`} />
            {tree.data.length >= steps && <button type="button" class="link" onClick={() => setSteps(steps + STEPS)}>more steps</button>}
          </>}
        </section>
      </Drawer>
    </div>
  );
}

/** Its time by what it went into, and what the rest was by the own time of its steps. */
function Spent({ parts, steps }: { parts: Parts; steps: readonly Row[] | undefined }): JSX.Element {
  const all = (steps ?? []).reduce((sum, r) => sum + (number(r, "self") ?? 0), 0);
  return (
    <section class="spent">
      <PartsBar parts={parts} most={0} />
      <dl class="shares">
        {PARTS.map(([part, title]) => <div key={part}><dt><span class={`key p-${part}`} />{title === "CPU" ? "on a CPU" : title === "waiting" ? "waiting for locks" : title}</dt><dd>{duration(parts[part])}</dd><dd>{percent(parts[part], parts.dur)}</dd></div>)}
      </dl>
      {steps !== undefined && steps.length > 0 && <>
        <h3>Own time of its steps</h3>
        {parts.rest > 0 && <p class="lead">The rest, {duration(parts.rest)}, is neither CPU time, a pause nor a wait for a lock: mostly a database, a file or another service. It is in these steps, whose own time has the other parts, too.</p>}
        <dl class="shares">
          {steps.filter((r) => (number(r, "self") ?? 0) > 0).slice(0, 10).map((r) => <div key={`${text(r, "method")} ${text(r, "file")}`}><dt title={`${text(r, "method")} ${text(r, "file")}`}>{text(r, "method").split(".").slice(-2).join(".")} <span class="unit">{plural(number(r, "n") ?? 0, "time")}</span></dt><dd>{duration(number(r, "self"))}</dd><dd>{percent(number(r, "self") ?? 0, all)}</dd></div>)}
        </dl>
      </>}
    </section>
  );
}

const pauseColumns: readonly Column<Row>[] = [
  { id: "at", title: "At", unit: "ns", digits: 3, value: began },
  { id: "dur", title: "Took", unit: "ns", digits: 3, value: (r) => number(r, "dur") },
  { id: "hit", title: "In the call", unit: "ns", digits: 3, value: (r) => number(r, "hit") },
];

const stepColumns: readonly Column<Row>[] = [
  { id: "at", title: "At", unit: "ns", digits: 2, width: 70, value: (r) => number(r, "at") },
  { id: "dur", title: "Took", unit: "ns", digits: 2, width: 70, value: (r) => number(r, "dur") },
  { id: "self", title: "Self", unit: "ns", digits: 2, width: 70, value: (r) => number(r, "self_dur") },
  { id: "method", title: "Method", wide: true, value: (r) => text(r, "method"), cell: (r) => <span style={{ paddingLeft: `${Math.min(30, number(r, "depth") ?? 0) * 10}px` }} title={`${text(r, "method")} ${text(r, "file")}`}>{text(r, "method").split(".").slice(-2).join(".")} <span class="unit">{baseName(text(r, "file"))}</span></span> },
];
