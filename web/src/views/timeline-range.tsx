// What there is in a chosen range of the timeline: states of threads, slices, samples, counters, logs, events. All of it the server finds.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { cellNumber, cellText, get, records, urlOf, type ApiError } from "../api.ts";
import { COUNTERS } from "../data.ts";
import { absoluteTime, amount, clean, count, duration, measured } from "../format.ts";
import { Choice, Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { Icicle } from "../parts/icicle.tsx";
import { namesOf, stacksOf, type FlameReply, type MethodsReply } from "../parts/stacks.ts";
import { searched } from "../parts/search.ts";
import { has } from "../parts/system.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { see, useSettled } from "../parts/timeview.ts";
import { absolute, clock, database, origin, param, relative, setParams, type Extent } from "../state.ts";
import { useLoad, type Loaded } from "../use.ts";
import { Spent, type ThreadNames } from "./timeline-details.tsx";

type Part = "states" | "slices" | "samples" | "counters" | "logs" | "events";

interface Props {
  readonly part: Extent;
  readonly src: string;
}

/** What a range is asked for: of the threads that are shown. */
const asked = ({ part, src }: Props): Record<string, string | number> => ({
  db: database.value?.name ?? "", src, thr: param("thr"), from: Math.round(part.from), to: Math.round(part.to) });

function Loading<T>({ of, what, children }: { of: Loaded<T>; what: string; children: (data: T) => ComponentChildren }): JSX.Element {
  const error: ApiError | undefined = of.error;
  return error !== undefined ? <Failure error={error} /> : of.data === undefined ? <Waiting what={what} /> : <>{children(of.data)}</>;
}

// --- slices -------------------------------------------------------------------------------------------------------------------

interface NameRow {
  readonly name: string;
  readonly kind: string;
  readonly count: number;
  readonly total: number;
  readonly self: number | null;
  readonly longest: number | null;
}

interface MethodRows {
  readonly method: readonly number[];
  readonly self: readonly (number | string)[];
  readonly total: readonly (number | string)[];
  readonly count: readonly number[];
  readonly methods: MethodsReply;
}

const nameColumns: readonly Column<NameRow>[] = [
  { id: "name", title: "Slice", wide: true, value: (r) => r.name },
  { id: "count", title: "Count", unit: "count", width: 56, number: true, value: (r) => r.count },
  { id: "self", title: "Self", unit: "ns", digits: 3, width: 84, value: (r) => r.self },
  { id: "total", title: "Total", unit: "ns", digits: 3, width: 84, value: (r) => r.total },
  { id: "longest", title: "Most", unit: "ns", digits: 2, width: 78, value: (r) => r.longest },
];

/** Slices that begin in the range, by what they are called. */
async function loadNames(props: Props, signal: AbortSignal): Promise<NameRow[]> {
  const what = "adding up slices";
  const [marks, calls] = await Promise.all([
    has("callstack") ? get<{ rows: readonly (readonly [string | null, boolean, number, number, number | null, number])[] }>("/api/slices/names", asked(props), { signal, what }) : { rows: [] },
    has("stack_slice") ? get<MethodRows>("/api/methods", { ...asked(props), kind: "slice", sort: "self", limit: 1000 }, { signal, what }) : undefined,
  ]);
  const names = calls === undefined ? undefined : namesOf(calls.methods);
  return [
    ...marks.rows.map(([name, async, n, total, self, longest]): NameRow => ({ name: clean(name, 300), kind: async ? "async" : "slice", count: n, total: Number(total), self: async ? null : Number(self), longest })),
    ...(calls?.method ?? []).map((method, i): NameRow => ({ name: names?.label[method] ?? "", kind: `call ${method}`, count: calls?.count[i] ?? 0, total: Number(calls?.total[i]), self: Number(calls?.self[i]), longest: null })),
  ];
}

function Slices(props: Props): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "self", down: true });
  const rows = useLoad(urlOf("slices", asked(props)), (signal) => loadNames(props, signal));
  return (
    <Loading of={rows} what="adding up slices">{(data) => (
      <Table label="Slices in the range" columns={nameColumns} rows={sorted(data, nameColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => `${r.kind} ${r.name}`}
        onRow={(r) => setParams({ q: r.name })} selected={param("q")} empty="No slice begins in it" />
    )}</Loading>
  );
}

// --- samples ------------------------------------------------------------------------------------------------------------------

function Samples(props: Props & { onFlame: () => void }): JSX.Element {
  const ask = { ...asked(props), kind: "sample" };
  const reply = useLoad(urlOf("/api/flame", ask), (signal) => get<FlameReply>("/api/flame", ask, { signal, what: "adding up stacks" }));
  const stacks = useMemo(() => (reply.data === undefined ? undefined : stacksOf(reply.data, namesOf(reply.data.methods), reply.data.unit)), [reply.data]);
  return (
    <Loading of={reply} what="adding up stacks">{(data) => (
      <>
        <p class="lead">{count(data.count)} samples, {amount(Number(data.total), data.unit)} <button type="button" class="link" onClick={props.onFlame}>open as a flame graph</button></p>
        {data.count > 0 && stacks !== undefined ? <div class="range-flame"><Icicle stacks={stacks} label="Stacks of the samples in the range" /></div> : <p class="none">No sample was taken in it</p>}
      </>
    )}</Loading>
  );
}

// --- counters -----------------------------------------------------------------------------------------------------------------

interface CounterLane {
  readonly table: string;
  readonly id: number;
  readonly name: string | null;
  readonly owner: string | null;
  readonly unit: string | null;
  readonly all: Readonly<Record<"n" | "least" | "greatest" | "mean" | "last", readonly (number | null)[]>>;
}

interface CounterRow {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly n: number;
  readonly least: number | null;
  readonly mean: number | null;
  readonly greatest: number | null;
}

const counterCell = (of: (r: CounterRow) => number | null) => (r: CounterRow): string => measured(of(r), r.unit);
const counterColumns: readonly Column<CounterRow>[] = [
  { id: "name", title: "Counter", wide: true, value: (r) => r.name },
  { id: "n", title: "Values", unit: "count", width: 70, number: true, value: (r) => r.n },
  { id: "least", title: "Least", width: 96, number: true, value: (r) => r.least, cell: counterCell((r) => r.least) },
  { id: "mean", title: "Mean", width: 96, number: true, value: (r) => r.mean, cell: counterCell((r) => r.mean) },
  { id: "greatest", title: "Greatest", width: 96, number: true, value: (r) => r.greatest, cell: counterCell((r) => r.greatest) },
];

function Counters(props: Props): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "name", down: false });
  const ask = { ...asked(props), thr: "", kind: "counter" };
  const lanes = useLoad(urlOf("/api/lanes", ask), (signal) => get<{ lanes: readonly CounterLane[] }>("/api/lanes", ask, { signal, what: "reading counters" }));
  return (
    <Loading of={lanes} what="reading counters">{(data) => {
      const rows = data.lanes.filter((one) => (one.all.n[0] ?? 0) > 0).map((one): CounterRow => ({
        id: `${one.table} ${one.id} ${one.owner ?? ""}`, name: clean(`${one.name ?? ""}${one.owner === null ? "" : ` (${one.owner})`}`, 100), unit: one.unit ?? "",
        n: one.all.n[0] ?? 0, least: one.all.least[0] ?? null, mean: one.all.mean[0] ?? null, greatest: one.all.greatest[0] ?? null,
      }));
      return <Table label="Counters in the range" columns={counterColumns} rows={sorted(rows, counterColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} empty="No value was recorded in it" />;
    }}</Loading>
  );
}

// --- logs ---------------------------------------------------------------------------------------------------------------------

interface LogRow {
  readonly id: number;
  readonly ts: number;
  readonly level: string;
  readonly tag: string;
  readonly text: string;
}

const logColumns: readonly Column<LogRow>[] = [
  { id: "ts", title: "At", width: 92, number: true, value: (r) => r.ts, cell: (r) => clock(r.ts) },
  { id: "level", title: "Level", width: 56, value: (r) => r.level },
  { id: "tag", title: "Tag", width: 90, value: (r) => r.tag },
  { id: "text", title: "Text", wide: true, value: (r) => r.text },
];

function Logs(props: Props): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "ts", down: false });
  const ask = { ...asked(props), src: "", thr: "", kind: "log", limit: 20000 };
  const reply = useLoad(urlOf("/api/rows", ask), (signal) => get<{ rows: readonly (readonly (number | string | null)[])[]; more: boolean }>("/api/rows", ask, { signal, what: "reading the log" }));
  return (
    <Loading of={reply} what="reading the log">{(data) => {
      const pass = searched();
      const rows = data.rows.map((row): LogRow => ({ id: Number(row[0]), ts: Number(row[1]), level: clean(cellText(row[2] ?? null), 20), tag: clean(cellText(row[3] ?? null), 60), text: clean(cellText(row[4] ?? null), 500) })).filter((row) => pass === undefined || pass(row.tag) || pass(row.text));
      return (
        <>
          {data.more && <p class="lead">Of the first {count(data.rows.length)}</p>}
          <Table label="Log lines in the range" columns={logColumns} rows={sorted(rows, logColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} empty={pass === undefined ? "Nothing was logged in it" : "No line fits the search"} />
        </>
      );
    }}</Loading>
  );
}

// --- events -------------------------------------------------------------------------------------------------------------------

interface EventRow extends LogRow {
  readonly name: string;
}

const eventColumns: readonly Column<EventRow>[] = [
  { id: "ts", title: "At", width: 92, number: true, value: (r) => r.ts, cell: (r) => clock(r.ts) },
  { id: "level", title: "Level", width: 80, value: (r) => r.level },
  { id: "domain", title: "Domain", width: 120, value: (r) => r.tag },
  { id: "name", title: "Event", width: 180, value: (r) => r.name },
  { id: "text", title: "Contents", wide: true, value: (r) => r.text },
];

/** Events of the system in [:from, :to) that fit the search, or all of them where there is none. */
export const EVENTS = `FROM hisys_all_event AS e LEFT JOIN data_dict AS n ON n.id = e.event_name_id LEFT JOIN data_dict AS d ON d.id = e.domain_id
WHERE e.ts >= :from AND e.ts < :to AND (:what = '' OR instr(lower(ifnull(n.data, '') || ' ' || ifnull(d.data, '') || ' ' || ifnull(e.contents, '')), lower(:what)) > 0)`;
const MOST_EVENTS = 20000;

function Events({ part }: Props): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "ts", down: false });
  const db = database.value?.name ?? "";
  const what = param("q").trim();
  const params = { from: absolute(Math.round(part.from)), to: absolute(Math.round(part.to)), what: what.startsWith("/") ? "" : what };
  const reply = useLoad(`${db} ${part.from} ${part.to} ${params.what}`, (signal) => records(`SELECT e.rowid AS id, e.ts, e.level, d.data AS domain, n.data AS name, e.contents ${EVENTS} ORDER BY e.ts, e.rowid`,
    { db, params, signal, limit: MOST_EVENTS, what: "reading events" }));
  return (
    <Loading of={reply} what="reading events">{(data) => {
      const text = (value: (typeof data)[number][string] | undefined, most: number): string => clean(cellText(value ?? null), most);
      const rows = data.map((row): EventRow => ({ id: cellNumber(row["id"]), ts: relative(cellText(row["ts"])), level: text(row["level"], 20), tag: text(row["domain"], 60), name: text(row["name"], 100), text: text(row["contents"], 500) }));
      return (
        <>
          {rows.length === MOST_EVENTS && <p class="lead">The first {count(rows.length)}</p>}
          <Table label="Events in the range" columns={eventColumns} rows={sorted(rows, eventColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} onRow={(r) => setParams({ moment: `event ${r.id}`, sel: undefined })} empty={params.what === "" ? "No event was recorded in it" : "No event fits the search"} />
        </>
      );
    }}</Loading>
  );
}

// --- all ----------------------------------------------------------------------------------------------------------------------

interface RangeProps extends Props {
  readonly names: ThreadNames;
  readonly onFlame: (part: Extent) => void;
}

export function RangeDrawer({ part, src, names, onFlame }: RangeProps): JSX.Element {
  const settled = useSettled(part, 200);
  const parts = ([["states", "States", has("thread_state")], ["slices", "Slices", has("callstack") || has("stack_slice")], ["samples", "Samples", has("stack_sample")],
    ["counters", "Counters", has("timeseries_value") || COUNTERS.some(has)], ["logs", "Log", has("log")], ["events", "Events", has("hisys_all_event")]] as const).filter(([, , there]) => there);
  const chosen = parts.find(([id]) => id === param("part"))?.[0] ?? parts[0]?.[0];
  const props = { part: settled, src };
  return (
    <div class="wide-drawer">
      <Drawer title="Selection" onClose={() => setParams({ sel: undefined })}>
        <Facts rows={[
          ["Duration", duration(part.to - part.from)], ["From", clock(part.from)], ["To", clock(part.to)],
          ["Begins", absoluteTime(origin.value + BigInt(Math.round(part.from)), null)],
        ]} />
        <div class="actions">
          <button type="button" class="main" onClick={() => see(part.from, part.to, false)}>Zoom in</button>
          {(has("stack_sample") || has("stack_slice")) && <button type="button" onClick={() => onFlame(part)}>Flame of the selection</button>}
        </div>
        {chosen !== undefined && <Choice<Part> label="What of it" value={chosen} options={parts.map(([id, title]) => [id, title] as const)} onChange={(id) => setParams({ part: id }, true)} />}
        <div class="range-part">
          {chosen === "states" ? <Spent part={settled} names={names} thr={param("thr")} />
          : chosen === "slices" ? <Slices {...props} />
          : chosen === "samples" ? <Samples {...props} onFlame={() => onFlame(part)} />
          : chosen === "counters" ? <Counters {...props} />
          : chosen === "logs" ? <Logs {...props} />
          : chosen === "events" ? <Events {...props} /> : null}
        </div>
      </Drawer>
    </div>
  );
}
