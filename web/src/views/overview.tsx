// What is in the database, and what is missing from it.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, cellNumber, records, type Cell } from "../api.ts";
import { absoluteTime, amount, baseName, bytes, clean, count } from "../format.ts";
import { defects, Failure, text, Waiting } from "../parts/frame.tsx";
import type { Defect } from "../parts/losses.ts";
import { searched } from "../parts/search.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { COUNTERS, loadThreads, threadName, wholeThreads, type WholeThread } from "../data.ts";
import { chosenSource, sources, sourceTitle, type Source } from "../parts/sources.ts";
import { database, go, linkTo, param, setParams } from "../state.ts";
import { useLoad } from "../use.ts";

const SOURCES = `SELECT s.id, s.format, s.clock, s.start_ts, s.end_ts - s.start_ts AS duration_ns, s.bytes, s.complete FROM source AS s ORDER BY s.id LIMIT 1000`;
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

/** A source with what only its list shows. */
interface SourceRow extends Source {
  readonly row: Row;
}

const sourceColumns: readonly Column<SourceRow>[] = [
  { id: "name", title: "Source", wide: true, value: (r) => r.title, cell: (r) => <span title={r.title} style={{ paddingLeft: `${Math.min(10, r.depth) * 16}px` }}>{r.depth === 0 ? r.title : r.name || r.kind}</span> },
  { id: "file", title: "File", width: 220, value: (r) => r.path, cell: (r) => <span class="unit" title={r.path}>{baseName(r.path)}</span> },
  { id: "kind", title: "Kind", width: 130, value: (r) => r.kind },
  { id: "format", title: "Format", width: 110, value: (r) => clean(text(r.row["format"]), 60) },
  { id: "when", title: "Began", width: 210, value: (r) => (r.start === null ? null : String(r.start)), cell: (r) => (r.start === null ? "–" : absoluteTime(r.start, text(r.row["clock"]))) },
  { id: "duration", title: "Duration", unit: "ns", width: 110, digits: 3, value: (r) => (cellNumber(r.row["duration_ns"]) > 0 ? cellNumber(r.row["duration_ns"]) : null) },
  { id: "bytes", title: "Size", unit: "bytes", width: 110, value: (r) => (cellNumber(r.row["bytes"]) > 0 ? cellNumber(r.row["bytes"]) : null) },
  { id: "complete", title: "State", width: 100, value: (r) => stateOf(r.row), cell: (r) => (r.row["complete"] === 0 ? <b class="bad">incomplete</b> : stateOf(r.row)) },
];

const stateOf = (row: Row): string => (row["complete"] === 0 ? "incomplete" : row["complete"] === null || row["complete"] === undefined ? "" : "complete");

const severities: Record<string, string> = { error: "error", data_loss: "data loss", warning: "warning", info: "note" };

const defectColumns: readonly Column<Defect>[] = [
  { id: "severity", title: "Severity", width: 100, value: (r) => r.severity, cell: (r) => (r.kind === "count" ? <span class="severity">amount</span> : <span class={`severity ${r.severity}`}>{severities[r.severity] ?? clean(r.severity, 40)}</span>) },
  { id: "what", title: "What", width: 190, value: (r) => clean(r.what, 100).replace(/_/g, " ") },
  { id: "count", title: "Count", unit: "count", width: 90, value: (r) => r.count },
  { id: "message", title: "Message", wide: true, value: (r) => clean(r.message) },
  { id: "where", title: "Where", width: 180, value: (r) => (r.source === null ? clean(r.recording || r.path, 300) : sourceTitle(r.source)) },
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
  const chosen = chosenSource.value;
  const pass = searched();
  const more = new Map((data ?? []).map((row) => [cellNumber(row["id"]), row]));
  const rows = (sources.value ?? []).filter((r) => pass === undefined || pass(`${r.title} ${r.kind}`)).map((r): SourceRow => ({ ...r, row: more.get(r.id) ?? {} }));
  return (
    <section aria-labelledby="sources-title">
      <h2 id="sources-title">Sources</h2>
      <p class="lead">{param("src") === "" ? "A click shows only this source, with what was found in it, in all views." : <>
        {chosen === undefined ? <b class="bad">There is no source {clean(param("src"), 100)}</b> : <>All views show only <b>{chosen.title}</b></>}; <button type="button" class="link" onClick={() => setParams({ src: undefined, from: undefined, to: undefined })}>show all</button>.</>}</p>
      {error !== undefined ? <Failure error={error} /> : data === undefined || sources.value === undefined ? <Waiting what="reading sources" /> : (
        <Table open label="Sources" columns={sourceColumns} rows={sorted(rows, sourceColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} selected={chosen?.id ?? -1}
          onRow={(r) => setParams({ src: r.id === chosen?.id ? undefined : String(r.id), thr: undefined, from: undefined, to: undefined })} />
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
          keyOf={(r) => `${r.kind}\n${r.path}\n${r.recording}\n${r.what}\n${r.severity}\n${r.message}`} />
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

const REASONS: readonly (readonly [string, string, string])[] = [
  ["runnable", "Runnable", "waited for a processor"], ["sleep", "Sleep", "slept"], ["blocked", "Blocked", "waited in the kernel, without interruption"], ["io", "I/O", "waited for files or the network"],
  ["lock", "Lock", "waited for a monitor or lock that another thread held"], ["wait", "Wait", "waited to be notified"], ["park", "Park", "was parked"], ["idle", "Idle", "had nothing to do"],
  ["other", "Other waits", "waited; for what is not known"],
];

const kindsOf = (r: WholeThread): string => [...new Set(r.parts.map((one) => (one.kind === "slice" ? "calls" : one.kind === "sched" ? "scheduling" : clean(one.event ?? "", 40) || "samples")))].join(", ");

/** Columns of what is known of some thread. */
function threadColumns(rows: readonly WholeThread[]): Column<WholeThread>[] {
  const has = (value: (r: WholeThread) => number | null): boolean => rows.some((r) => value(r) !== null);
  const reasons = REASONS.filter(([reason]) => rows.some((r) => (r.reasons[reason] ?? 0) > 0));
  // One unit for all, so that they can be compared.
  const most = rows.reduce((a, r) => Math.max(a, r.cpu ?? 0, r.waiting ?? 0), 0);
  const time = (id: string, title: string, value: (r: WholeThread) => number | null): Column<WholeThread> => ({ id, title, unit: "ns", most, digits: 3, width: 100, value });
  return [
    { id: "name", title: "Name", wide: true, value: threadName, cell: (r) => <span title={threadName(r)}>{threadName(r)}</span> },
    ...(rows.some((r) => r.process !== "") ? [{ id: "process", title: "Process", width: 140, value: (r: WholeThread) => clean(r.process, 100), cell: (r: WholeThread) => <span class="short" title={clean(r.process)}>{clean(baseName(r.process.split(" ")[0] ?? ""), 60)}</span> }] : []),
    ...(has((r) => r.pid) ? [{ id: "pid", title: "pid", width: 70, number: true, value: (r: WholeThread) => r.pid, cell: (r: WholeThread) => r.pid ?? "" }] : []),
    ...(has((r) => r.tid) ? [{ id: "tid", title: "tid", width: 70, number: true, value: (r: WholeThread) => r.tid, cell: (r: WholeThread) => r.tid ?? "" }] : []),
    ...(has((r) => r.cpu) ? [{ ...time("cpu", "CPU", (r) => r.cpu) }] : []),
    ...(rows.some((r) => (r.waiting ?? 0) > 0) ? [time("waiting", "Waiting", (r) => r.waiting)] : []),
    ...(reasons.length === 1 && reasons[0]?.[0] === "other" ? [] : reasons).map(([reason, title]) => time(reason, title, (r) => r.reasons[reason] ?? (r.waiting === null ? null : 0))),
    ...(rows.some((r) => (r.paused ?? 0) > 0) ? [time("paused", "Paused", (r) => r.paused)] : []),
    ...(has((r) => r.unknown) ? [time("unknown", "Unknown", (r) => r.unknown)] : []),
    { id: "samples", title: "Recorded", unit: "count", width: 90, value: (r) => (r.count > 0 ? r.count : null) },
    { id: "event", title: "Of", width: 150, value: kindsOf },
    ...(rows.some((r) => r.spark.some((v) => v > 0)) ? [{ id: "spark", title: "Over time", width: 170, value: () => null, cell: (r: WholeThread) => <Spark values={r.spark} /> }] : []),
  ];
}

function Threads({ name }: { name: string }): JSX.Element | null {
  const tables = database.value?.tables ?? {};
  const has = (tables["stack_sample"] ?? 0) + (tables["stack_slice"] ?? 0) + (tables["thread_state"] ?? 0) + (tables["sched_slice"] ?? 0) > 0;
  const src = param("src");
  const { data, error } = useLoad(has ? `${name} ${src}` : "", (signal) => loadThreads({ db: name, src, signal }));
  const [sort, setSort] = useState<Sort>({ by: "cpu", down: true });
  const all = useMemo(() => wholeThreads(data?.threads ?? []), [data]);
  const columns = useMemo(() => threadColumns(all), [all]);
  if (!has) {
    return null;
  }
  const pass = searched();
  const rows = all.filter((r) => pass === undefined || pass(`${r.name} ${r.process} ${r.tid ?? ""} ${r.pid ?? ""}`));
  const open = (r: WholeThread): void => {
    const kind = r.parts.find((one) => one.kind === "sample" || one.kind === "slice")?.kind;
    const what = { ...(r.itid === null ? {} : { thr: String(r.itid) }), ...(src === "" && r.source !== null ? { src: String(r.source) } : {}) };
    go(kind === undefined ? "timeline" : "flame", what);
  };
  return (
    <section aria-labelledby="threads-title">
      <h2 id="threads-title">Threads</h2>
      {all.some((r) => r.cpu !== null || (r.waiting ?? 0) > 0) && <p class="lead">CPU is time on a processor{all.some((r) => r.estimated) ? ", of samples: an estimate" : ""}. What is neither CPU, waiting nor a pause of the runtime is unknown.</p>}
      {error !== undefined ? <Failure error={error} /> : data === undefined ? <Waiting what="reading threads" /> : (
        <div class={rows.length > 20 ? "tall" : undefined}>
          <Table open={rows.length <= 20} label="Threads" columns={columns} rows={sorted(rows, columns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.key} onRow={open} />
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

