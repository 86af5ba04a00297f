// What is in the database, and what is missing from it.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, cellNumber, records, type Cell } from "../api.ts";
import { absoluteTime, amount, bytes, clean, count } from "../format.ts";
import { defects, Failure, text, Waiting, type Defect } from "../parts/frame.tsx";
import { searched } from "../parts/search.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { COUNTERS, loadThreads, threadName, type Thread } from "../data.ts";
import { database, go, linkTo, param, setParams } from "../state.ts";
import { useLoad } from "../use.ts";

const SOURCES = `SELECT s.id, s.parent_id, s.kind, s.path, s.name, s.format, s.clock, s.start_ts, s.end_ts - s.start_ts AS duration_ns, s.bytes, s.complete
FROM source AS s ORDER BY s.id LIMIT 1000`;
const FACTS = `SELECT 'meta' AS part, name, value FROM meta WHERE value <> '' UNION ALL
SELECT ifnull(s.path, s.id), p.key, p.value FROM source_property AS p JOIN source AS s ON s.id = p.source_id LIMIT 1000`;

type Row = Record<string, Cell>;

interface Content {
  readonly tables: readonly string[];
  readonly title: string;
  readonly view: string;
}

const CONTENTS: readonly Content[] = [
  { tables: ["stack_sample"], title: "samples", view: "flame" },
  { tables: ["stack_slice"], title: "slices", view: "timeline" },
  { tables: ["js_heap_nodes"], title: "heap objects", view: "heap" },
  { tables: ["js_heap_edges"], title: "references", view: "heap" },
  { tables: ["cloud_call"], title: "calls", view: "calls" },
  { tables: ["sched_slice"], title: "times on CPUs", view: "timeline" },
  { tables: ["callstack"], title: "slices of the system", view: "timeline" },
  { tables: ["timeseries_value", ...COUNTERS], title: "values of counters", view: "timeline" },
  { tables: ["log", "hisys_all_event"], title: "log lines and events", view: "timeline" },
  { tables: ["runtime_pause"], title: "pauses", view: "pauses" },
  { tables: ["thread"], title: "threads", view: "timeline" },
];

const sourceColumns: readonly Column<Row>[] = [
  { id: "kind", title: "Kind", width: 150, value: (r) => text(r["kind"]).replace(/_/g, " ") },
  { id: "name", title: "Name", wide: true, value: (r) => clean(text(r["name"]) || text(r["path"]), 300) },
  { id: "when", title: "Began", width: 210, value: (r) => (r["start_ts"] === null ? null : text(r["start_ts"])), cell: (r) => (r["start_ts"] === null ? "–" : absoluteTime(BigInt(text(r["start_ts"])), text(r["clock"]))) },
  { id: "duration", title: "Duration", unit: "ns", width: 110, digits: 3, value: (r) => (r["duration_ns"] === null ? null : cellNumber(r["duration_ns"])) },
  { id: "bytes", title: "Size", unit: "bytes", width: 110, value: (r) => (r["bytes"] === null ? null : cellNumber(r["bytes"])) },
  { id: "complete", title: "State", width: 100, value: (r) => (r["complete"] === 0 ? "incomplete" : r["complete"] === null ? "" : "complete"), cell: (r) => (r["complete"] === 0 ? <b class="bad">incomplete</b> : r["complete"] === null ? "" : "complete") },
];

const severities: Record<string, string> = { error: "error", data_loss: "data loss", warning: "warning", info: "note" };

const defectColumns: readonly Column<Defect>[] = [
  { id: "severity", title: "Severity", width: 100, value: (r) => r.severity, cell: (r) => <span class={`severity ${r.severity}`}>{severities[r.severity] ?? clean(r.severity, 40)}</span> },
  { id: "what", title: "What", width: 190, value: (r) => clean(r.what, 100).replace(/_/g, " ") },
  { id: "count", title: "Count", unit: "count", width: 90, value: (r) => r.count },
  { id: "message", title: "Message", wide: true, value: (r) => clean(r.message) },
  { id: "where", title: "Where", width: 180, value: (r) => clean(r.recording || r.path, 300) },
];

export function Overview(): JSX.Element {
  const name = database.value?.name ?? "";
  return (
    <div class="overview scroll" tabIndex={0} role="region" aria-label="Overview">
      <Contents />
      <Sources name={name} />
      <Missing />
      <Threads name={name} />
      <FactList name={name} />
    </div>
  );
}

function Contents(): JSX.Element {
  const db = database.value;
  const known = CONTENTS.map((one) => ({ ...one, rows: one.tables.reduce((sum, table) => sum + (db?.tables[table] ?? 0), 0) }));
  return (
    <section aria-labelledby="contents-title">
      <h2 id="contents-title">What is in it</h2>
      <ul class="tiles">
        {known.filter((one) => one.rows > 0).map((one) => (
          <li key={one.title}><a href={linkTo(one.view)}><b>{count(one.rows)}</b><span>{one.title}</span></a></li>
        ))}
        <li class="plain"><b>{bytes(db?.bytes)}</b><span>database</span></li>
      </ul>
    </section>
  );
}

function Sources({ name }: { name: string }): JSX.Element {
  const { data, error } = useLoad(name, (signal) => records(SOURCES, { db: name, signal, what: "reading sources" }));
  const [sort, setSort] = useState<Sort>({ by: "", down: false });
  const chosen = param("src");
  const pass = searched();
  const rows = (data ?? []).filter((r) => pass === undefined || pass(`${text(r["name"])} ${text(r["path"])} ${text(r["kind"])}`));
  return (
    <section aria-labelledby="sources-title">
      <h2 id="sources-title">Sources</h2>
      <p class="lead">A click shows only this source in all views{chosen === "" ? "." : <>; <button type="button" class="link" onClick={() => setParams({ src: undefined })}>show all</button>.</>}</p>
      {error !== undefined ? <Failure error={error} /> : data === undefined ? <Waiting what="reading sources" /> : (
        <Table open label="Sources" columns={sourceColumns} rows={sorted(rows, sourceColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => text(r["id"])} selected={chosen}
          onRow={(r) => setParams({ src: text(r["id"]) === chosen ? undefined : text(r["id"]) })} />
      )}
    </section>
  );
}

function Missing(): JSX.Element {
  const title = useRef<HTMLHeadingElement>(null);
  const show = param("show");
  useEffect(() => {
    if (show === "missing") {
      title.current?.scrollIntoView({ block: "start" });
    }
  }, [show]);
  const [sort, setSort] = useState<Sort>({ by: "", down: false });
  const rows = defects.value;
  return (
    <section aria-labelledby="missing-title">
      <h2 id="missing-title" ref={title}>What is missing</h2>
      {rows === undefined ? <Waiting what="reading what is missing" /> : rows instanceof ApiError ? <Failure error={rows} /> : rows.length === 0 ? <p class="good">Nothing was lost</p> : (
        <Table open label="What is missing" columns={defectColumns} rows={sorted(rows, defectColumns, sort)} sort={sort} onSort={setSort}
          keyOf={(r) => `${r.path}\n${r.recording}\n${r.what}\n${r.severity}\n${r.message}`} />
      )}
    </section>
  );
}

/** A line over the buckets of a thread. */
function Spark({ values }: { values: readonly number[] }): JSX.Element | null {
  if (values.length === 0) {
    return null;
  }
  const most = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  const w = 150;
  const h = 18;
  const step = w / Math.max(1, values.length);
  const path = values.map((v, i) => `${(i * step).toFixed(1)},${(h - (h - 1) * (v / most)).toFixed(1)}`).join(" L");
  return <svg class="spark" width={w} height={h} viewBox={`0 0 ${w} ${h}`} aria-hidden="true"><path d={`M0,${h} L${path} L${w},${h} Z`} /></svg>;
}

const threadColumns: readonly Column<Thread>[] = [
  { id: "name", title: "Name", wide: true, value: threadName },
  { id: "process", title: "Process", width: 160, value: (r) => clean(r.process, 100) },
  { id: "tid", title: "Thread id", width: 90, number: true, value: (r) => r.tid },
  { id: "samples", title: "Samples", unit: "count", width: 100, value: (r) => r.count },
  { id: "event", title: "Of", width: 90, value: (r) => (r.kind === "slice" ? "calls" : r.kind === "sched" ? "scheduling" : clean(r.event, 60)) },
  { id: "busy", title: "CPU", unit: "ns", digits: 3, width: 110, value: (r) => r.cpu },
  { id: "waiting", title: "Waited", unit: "ns", digits: 3, width: 110, value: (r) => r.waiting },
  { id: "spark", title: "Over time",  width: 170, value: () => null, cell: (r) => <Spark values={r.spark} /> },
];

function Threads({ name }: { name: string }): JSX.Element | null {
  const tables = database.value?.tables ?? {};
  const has = (tables["stack_sample"] ?? 0) + (tables["stack_slice"] ?? 0) + (tables["thread_state"] ?? 0) + (tables["sched_slice"] ?? 0) > 0;
  const src = param("src");
  const { data, error } = useLoad(has ? `${name} ${src}` : "", (signal) => loadThreads({ db: name, src, signal }));
  const [sort, setSort] = useState<Sort>({ by: "busy", down: true });
  if (!has) {
    return null;
  }
  const pass = searched();
  const rows = (data?.threads ?? []).filter((r) => pass === undefined || pass(`${r.name} ${r.process}`));
  return (
    <section aria-labelledby="threads-title">
      <h2 id="threads-title">Threads</h2>
      {error !== undefined ? <Failure error={error} /> : data === undefined ? <Waiting what="reading threads" /> : (
        <div class={rows.length > 20 ? "tall" : undefined}>
          <Table open={rows.length <= 20} label="Threads" columns={threadColumns} rows={sorted(rows, threadColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.key}
            onRow={(r) => r.kind !== "sched" && go("flame", { kind: r.kind, ...(r.itid === null ? {} : { thr: String(r.itid) }), ...(r.source === null ? {} : { src: String(r.source) }) })} />
        </div>
      )}
    </section>
  );
}

function FactList({ name }: { name: string }): JSX.Element {
  const { data } = useLoad(name, (signal) => records(FACTS, { db: name, signal, what: "reading facts" }));
  const columns: readonly Column<Row>[] = [
    { id: "part", title: "Of", width: 220, value: (r) => clean(text(r["part"]), 200) },
    { id: "name", title: "Name", width: 220, value: (r) => clean(text(r["name"]), 200) },
    { id: "value", title: "Value", wide: true, value: (r) => clean(text(r["value"]), 500) },
  ];
  return (
    <section>
      <details>
        <summary><h2>Facts</h2> <span class="unit">{data === undefined ? "" : amount(data.length, "")}</span></summary>
        <Table open label="Facts" columns={columns} rows={data ?? []} keyOf={(r) => `${text(r["part"])}\n${text(r["name"])}\n${text(r["value"])}`} />
      </details>
    </section>
  );
}

