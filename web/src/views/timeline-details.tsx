// One thing of the timeline: a call, a slice, a time on a CPU, a state of a thread, a frame, a sample, a pause.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { cellNumber, cellText, records, type Cell } from "../api.ts";
import { absoluteTime, amount, baseName, clean, duration, percent } from "../format.ts";
import { Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { frameText, has, loadRan, loadSpent, loadState, type SpentRow } from "../parts/system.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { see, useSettled } from "../parts/timeview.ts";
import { absolute, clock, database, extent, relative, setParams, type Extent } from "../state.ts";
import { useLoad, type Loaded } from "../use.ts";

// --- what they have in common -----------------------------------------------------------------------------------------------

const processText = (name: string, pid: string): string => `${clean(name, 200)}${pid === "" || clean(name, 200).includes(pid) ? "" : ` (${pid})`}`;

/** Arguments as facts. A name that comes twice has its number. */
const argRows = (args: readonly (readonly [string, string])[]): (readonly [string, JSX.Element])[] =>
  args.map(([name, value], i) => [`${clean(name, 60)}${args.findIndex(([other]) => other === name) < i ? ` ${i + 1}` : ""}`, <code key={i}>{clean(value, 600)}</code>] as const);

const ARGS = `SELECT k.data AS name, CASE WHEN a.datatype = 1 THEN v.data ELSE a.value END AS value FROM args AS a
LEFT JOIN data_dict AS k ON k.id = a.key LEFT JOIN data_dict AS v ON v.id = a.value WHERE a.argset = :set ORDER BY a.id LIMIT 100`;

/** What was recorded beside an event. */
async function argsOf(db: string, set: Cell | undefined, signal: AbortSignal): Promise<(readonly [string, string])[]> {
  if (set === null || set === undefined || !has("args")) {
    return [];
  }
  return (await records(ARGS, { db, params: { set }, signal, what: "reading arguments" })).map((one) => [cellText(one["name"]), cellText(one["value"])] as const);
}

/** A drawer with tables. */
const Wide = (props: { title: string; onClose: () => void; children: ComponentChildren }): JSX.Element => <div class="wide-drawer"><Drawer {...props} /></div>;

/** The drawer while its rows come, when there are none, or an error. */
function Without({ title, close, one, none }: { title: string; close: () => void; one: Loaded<unknown>; none: string }): JSX.Element {
  return <Drawer title={title} onClose={close}>{one.error !== undefined ? <Failure error={one.error} /> : one.data === undefined ? <Waiting what="reading" /> : <p class="none">{none}</p>}</Drawer>;
}

const zoomTo = (from: number, dur: number): (() => void) => () => see(from - dur * 0.05 - 50, from + dur * 1.05 + 50, false);

// --- one call -------------------------------------------------------------------------------------------------------------

const SLICE = `SELECT v.*, t.name AS thread_name, p.name AS process, s.clock FROM v_stack_slice AS v LEFT JOIN thread AS t ON t.itid = v.itid LEFT JOIN process AS p ON p.ipid = t.ipid
LEFT JOIN source AS s ON s.id = v.source_id WHERE v.id = :id`;
const STACK = `WITH RECURSIVE up(step, id, parent_id, method_id, line) AS (
  SELECT 0, id, parent_id, method_id, line FROM stack_node WHERE id = :node
  UNION ALL SELECT up.step + 1, n.id, n.parent_id, n.method_id, n.line FROM up JOIN stack_node AS n ON n.id = up.parent_id WHERE up.step < 500)
SELECT up.step, ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '') || ifnull(nullif(m.name, ''), 'unknown function') AS method, m.file, ifnull(up.line, m.line) AS line
FROM up LEFT JOIN stack_method AS m ON m.id = up.method_id ORDER BY up.step`;
const TAGS = "SELECT name, value FROM v_cloud_tag WHERE slice_id = :id LIMIT 100";

export function SliceDrawer({ id, onFlame }: { id: number; onFlame: (part: Extent) => void }): JSX.Element {
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
        ["Began", clock(from)],
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
      <StackList stack={one.data?.stack ?? []} />
    </Drawer>
  );
}

/** Frames of a stack, the innermost first. */
function StackList({ stack }: { stack: readonly Readonly<Record<string, Cell>>[] }): JSX.Element {
  return (
    <section>
      <h3>Stack</h3>
      <ol class="stack">
        {stack.map((f, i) => <li key={i}>{clean(cellText(f["method"]), 300)} <span class="unit">{baseName(clean(cellText(f["file"]), 300))}{f["line"] === null || f["file"] === null ? "" : `:${cellText(f["line"])}`}</span></li>)}
      </ol>
    </section>
  );
}

// --- a time on a CPU ---------------------------------------------------------------------------------------------------------

export type ThreadNames = ReadonlyMap<number, string>;

export function RanDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id} ${names.size}`, (signal) => loadRan(db, id, names, signal));
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
        ["Ran", ran.dur === null ? "to the end" : duration(ran.dur)], ["On", `CPU ${ran.cpu}`], ["From", clock(from)], ["Priority", ran.priority], ["Then", ran.endState === "" ? "not known" : clean(ran.endState, 20)],
        ["Process", processText(ran.process, ran.pid)], ["Waited for the CPU", ran.latency === null ? "not seen" : duration(ran.latency)], ["Woken by", ran.waker === "" ? "not seen" : clean(ran.waker, 200)],
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={() => see(from - dur * 0.5 - 50, from + dur * 1.5 + 50, false)}>Zoom in</button>
        <button type="button" onClick={() => setParams({ thr: String(ran.itid), ran: undefined })}>Only this thread</button>
      </div>
    </Drawer>
  );
}

// --- a slice of the system ---------------------------------------------------------------------------------------------------

// Those right below it come after it. The view v_slice_self would add up all there are.
const MARK = `SELECT c.ts, c.dur, c.name, c.depth, c.cookie, c.argsetid, c.callid, t.name AS thread, t.tid, p.name AS process, p.pid,
CASE WHEN c.cookie IS NULL THEN max(c.dur - ifnull((SELECT sum(k.dur) FROM callstack AS k WHERE k.rowid > c.rowid AND k.parent_id = c.id AND k.cookie IS NULL), 0), 0) END AS self_dur
FROM callstack AS c LEFT JOIN thread AS t ON t.itid = c.callid LEFT JOIN process AS p ON p.ipid = t.ipid WHERE c.rowid = :id + 1`;

export function MarkDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, async (signal) => {
    const row = (await records(MARK, { db, params: { id }, signal, what: "reading the slice" }))[0];
    return row === undefined ? null : { row, args: await argsOf(db, row["argsetid"], signal) };
  });
  const close = (): void => setParams({ slice: undefined });
  if (one.data === undefined || one.data === null) {
    return <Without title="Slice" close={close} one={one} none="There is no slice with this number" />;
  }
  const { row, args } = one.data;
  const from = relative(cellText(row["ts"]));
  const dur = row["dur"] === null ? extent.value.to - from : cellNumber(row["dur"]);
  const peer = args.find(([name]) => name === "destination slice id")?.[1];
  return (
    <Wide title={clean(cellText(row["name"]), 300)} onClose={close}>
      <Facts rows={[
        ["Took", row["dur"] === null ? "to the end" : duration(dur)], ["Self", row["self_dur"] === null ? "not known" : duration(cellNumber(row["self_dur"]))], ["Began", clock(from)],
        ...(row["cookie"] === null ? [] : [["Asynchronous", cellText(row["cookie"])] as const]),
        ["Thread", clean(cellText(row["thread"]) || `thread ${cellText(row["tid"])}`, 200)], ["Process", processText(cellText(row["process"]), cellText(row["pid"]))],
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={zoomTo(from, dur)}>Zoom in</button>
        {peer !== undefined && /^\d+$/.test(peer) && <button type="button" onClick={() => setParams({ slice: peer })}>The other side of the call</button>}
      </div>
      {args.length > 0 && <section><h3>Arguments</h3><Facts rows={argRows(args)} /></section>}
      {has("thread_state") && row["cookie"] === null && row["callid"] !== null && <Spent part={{ from, to: from + dur }} names={names} thr={cellText(row["callid"])} />}
    </Wide>
  );
}

// --- a state of a thread -----------------------------------------------------------------------------------------------------

export function StateDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id} ${names.size}`, async (signal) => {
    const state = await loadState(db, id, names, signal);
    return state === undefined ? null : { state, args: await argsOf(db, state.argset, signal) };
  });
  const close = (): void => setParams({ state: undefined });
  if (one.data === undefined || one.data === null) {
    return <Without title="State of a thread" close={close} one={one} none="There is no state with this number" />;
  }
  const { state, args } = one.data;
  const from = relative(state.ts);
  const dur = state.dur ?? extent.value.to - from;
  const value = (name: RegExp): string | undefined => args.find(([key]) => name.test(key))?.[1];
  const caller = value(/caller|blocked/);
  return (
    <Drawer title={clean(state.thread, 200)} onClose={close}>
      <Facts rows={[
        ["State", `${state.kind} (${clean(state.state, 20)})`], ["For", state.dur === null ? "to the end" : duration(dur)], ["From", clock(from)],
        ...(state.cpu === "" ? [] : [["On", `CPU ${state.cpu}`] as const]), ...(state.priority === "" ? [] : [["Priority", state.priority] as const]),
        ...(state.kind === "blocked" ? [["Because of", `${value(/io_?wait/) === "1" ? "I/O" : "no I/O"}${caller === undefined ? "" : `, in ${clean(caller, 200)}`}`] as const] : []),
        ...(state.kind === "running" ? [] : [["Woken by", state.waker === "" ? "not seen" : clean(state.waker, 200)] as const, ["Waited for a CPU", state.latency === null ? "not seen" : duration(state.latency)] as const]),
        ["Process", processText(state.process, state.pid)], ...argRows(args),
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={zoomTo(from, dur)}>Zoom in</button>
        <button type="button" onClick={() => setParams({ thr: String(state.itid), state: undefined })}>Only this thread</button>
      </div>
    </Drawer>
  );
}

// --- a frame -----------------------------------------------------------------------------------------------------------------

const FRAME = `SELECT f.id, f.ts, f.dur, f.type, f.flag, f.vsync, f.itid, f.callstack_id, f.dst, t.name AS thread, p.name AS process, p.pid, e.ts + e.dur AS expected, g.dur AS gpu FROM frame_slice AS f
LEFT JOIN frame_slice AS e ON e.rowid = f.rowid + 1 AND e.type = 1 AND e.callstack_id = f.callstack_id
LEFT JOIN gpu_slice AS g ON g.frame_row = f.id LEFT JOIN thread AS t ON t.itid = f.itid LEFT JOIN process AS p ON p.ipid = f.ipid WHERE f.rowid = :id + 1 LIMIT 1`;
const PARTS = `SELECT 'frame' AS what, f.id, f.ts, f.dur, ifnull(p.name, '') AS name FROM frame_slice AS f LEFT JOIN process AS p ON p.ipid = f.ipid
WHERE (f.rowid = (SELECT dst + 1 FROM frame_slice WHERE rowid = :id + 1) OR f.dst = :id)
UNION ALL SELECT 'slice', id, ts, dur, name FROM callstack WHERE parent_id = :slice AND cookie IS NULL ORDER BY 3, 2 LIMIT 200`;

interface Part {
  readonly id: string;
  readonly what: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number | null;
}

const partColumns: readonly Column<Part>[] = [
  { id: "name", title: "Part", wide: true, value: (r) => r.name },
  { id: "ts", title: "After", unit: "ns", digits: 2, width: 84, value: (r) => r.ts },
  { id: "dur", title: "Took", unit: "ns", digits: 2, width: 84, value: (r) => r.dur },
];

export function FrameDrawer({ id, names }: { id: number; names: ThreadNames }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, async (signal) => {
    const row = (await records(FRAME, { db, params: { id }, signal, what: "reading the frame" }))[0];
    const parts = row === undefined ? [] : await records(PARTS, { db, params: { id, slice: row["callstack_id"] ?? null }, signal, what: "reading its parts" });
    return row === undefined ? null : { row, parts };
  });
  const close = (): void => setParams({ frame: undefined });
  if (one.data === undefined || one.data === null) {
    return <Without title="Frame" close={close} one={one} none="There is no frame with this number" />;
  }
  const { row, parts } = one.data;
  const from = relative(cellText(row["ts"]));
  const dur = row["dur"] === null ? extent.value.to - from : cellNumber(row["dur"]);
  const late = row["expected"] === null || row["dur"] === null ? null : from + dur - relative(cellText(row["expected"]));
  const rows = parts.map((part): Part => ({
    id: `${cellText(part["what"])} ${cellText(part["id"])}`, what: cellText(part["what"]), name: `${part["what"] === "frame" ? "frame of " : ""}${clean(cellText(part["name"]), 200)}`,
    ts: relative(cellText(part["ts"])) - from, dur: part["dur"] === null ? null : cellNumber(part["dur"]),
  }));
  return (
    <Wide title={`${cellText(row["type"]) === "1" ? "Expected frame" : "Frame"} of ${processText(cellText(row["process"]), cellText(row["pid"]))}`} onClose={close}>
      <Facts rows={[
        ["Was", cellText(row["type"]) === "1" ? "expected" : frameText(row["flag"] === null ? null : cellText(row["flag"]))], ["Took", row["dur"] === null ? "to the end" : duration(dur)],
        ...(late === null ? [] : [[late > 0 ? "Late by" : "Early by", duration(Math.abs(late))] as const]), ["Began", clock(from)],
        ["Vertical sync", cellText(row["vsync"]) || "not known"], ["Thread", clean(cellText(row["thread"]), 200)],
        ...(row["gpu"] === null ? [] : [["On the GPU", duration(cellNumber(row["gpu"]))] as const]),
      ]} />
      <div class="actions">
        <button type="button" class="main" onClick={zoomTo(from, dur)}>Zoom in</button>
        {row["callstack_id"] !== null && <button type="button" onClick={() => setParams({ frame: undefined, slice: cellText(row["callstack_id"]), open: cellText(row["itid"]) })}>Its slice</button>}
      </div>
      <section>
        <h3>Parts</h3>
        <Table label="Parts of the frame" columns={partColumns} rows={rows} keyOf={(r) => r.id} open empty="No part of it was recorded"
          onRow={(r) => setParams(r.what === "frame" ? { frame: r.id.slice(6) } : { frame: undefined, slice: r.id.slice(6) })} />
      </section>
      {has("thread_state") && row["itid"] !== null && <Spent part={{ from, to: from + dur }} names={names} thr={cellText(row["itid"])} />}
    </Wide>
  );
}

// --- a sample ----------------------------------------------------------------------------------------------------------------

const SAMPLE = `SELECT s.ts, s.dur, s.itid, s.event, s.node_id, t.name AS thread, p.name AS process, p.pid FROM stack_sample AS s LEFT JOIN thread AS t ON t.itid = s.itid
LEFT JOIN process AS p ON p.ipid = t.ipid WHERE s.id = :id`;
// The innermost slice that its thread was in; as v_slice_samples has it of all.
const WITHIN = "SELECT id, name FROM callstack WHERE callid = :itid AND cookie IS NULL AND ts <= :ts AND (dur IS NULL OR ts + dur > :ts) ORDER BY depth DESC, id DESC LIMIT 1";

export function SampleDrawer({ id }: { id: number }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${id}`, async (signal) => {
    const row = (await records(SAMPLE, { db, params: { id }, signal, what: "reading the sample" }))[0];
    if (row === undefined) {
      return null;
    }
    const ts = row["ts"] === null || row["ts"] === undefined ? null : BigInt(cellText(row["ts"]));
    const [stack, within] = await Promise.all([
      row["node_id"] === null ? [] : records(STACK, { db, params: { node: row["node_id"] ?? null }, signal, what: "reading the stack" }),
      has("callstack") && ts !== null ? records(WITHIN, { db, params: { itid: row["itid"] ?? null, ts }, signal, what: "looking for its slice" }) : [],
    ]);
    return { row, stack, within: within[0] };
  });
  const close = (): void => setParams({ sample: undefined });
  if (one.data === undefined || one.data === null) {
    return <Without title="Sample" close={close} one={one} none="There is no sample with this number" />;
  }
  const { row, stack, within } = one.data;
  return (
    <Drawer title={clean(cellText(stack[0]?.["method"]), 300) || "Sample without a stack"} onClose={close}>
      <Facts rows={[
        ["Sample of", clean(cellText(row["event"]), 100) || "not known"], ["Taken", row["ts"] === null ? "not known" : clock(relative(cellText(row["ts"])))],
        ...(row["dur"] === null ? [] : [["Stands for", duration(cellNumber(row["dur"]))] as const]),
        ["Thread", clean(cellText(row["thread"]), 200)], ["Process", processText(cellText(row["process"]), cellText(row["pid"]))],
        ...(within === undefined ? [] : [["In the slice", <button type="button" class="link" key="within" onClick={() => setParams({ sample: undefined, slice: cellText(within["id"]) })}>{clean(cellText(within["name"]), 200)}</button>] as const]),
      ]} />
      <StackList stack={stack} />
    </Drawer>
  );
}

// --- a log line, an event ----------------------------------------------------------------------------------------------------

// What is shown is named as the columns are; the first is the title, the second the time.
const MOMENTS: Readonly<Record<string, string>> = {
  log: "SELECT tag, ts, level, context AS text, pid, tid FROM log WHERE rowid = :id",
  event: `SELECT n.data AS name, e.ts, d.data AS domain, e.level, e.type, e.pid, e.tid, e.uid, e.contents FROM hisys_all_event AS e LEFT JOIN data_dict AS n ON n.id = e.event_name_id
LEFT JOIN data_dict AS d ON d.id = e.domain_id WHERE e.rowid = :id`,
  instant: `SELECT i.name, i.ts, t.name AS thread, t.tid, w.name AS "woken by", w.tid AS "its tid" FROM instant AS i LEFT JOIN thread AS t ON t.itid = i.ref
LEFT JOIN thread AS w ON w.itid = i.wakeup_from WHERE i.rowid = :id`,
};

/** of: kind and number, as "log 5". */
export function MomentDrawer({ of }: { of: string }): JSX.Element {
  const db = database.value?.name ?? "";
  const [kind, id] = of.split(" ");
  const statement = MOMENTS[kind ?? ""];
  const one = useLoad(`${db} ${of}`, async (signal) => (statement === undefined ? null : (await records(statement, { db, params: { id: Number(id) }, signal, what: "reading the line" }))[0] ?? null));
  const close = (): void => setParams({ moment: undefined });
  const row = one.data;
  if (row === undefined || row === null) {
    return <Without title="Mark" close={close} one={one} none="There is none with this number" />;
  }
  const columns = Object.entries(row);
  return (
    <Drawer title={clean(cellText(columns[0]?.[1]), 200) || "Mark"} onClose={close}>
      <Facts rows={[["At", clock(relative(cellText(columns[1]?.[1])))], ...columns.slice(2).filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, clean(cellText(value), 4000)] as const)]} />
    </Drawer>
  );
}

// --- a pause -----------------------------------------------------------------------------------------------------------------

const PAUSE = `SELECT v.*, t.name AS thread FROM v_pause AS v LEFT JOIN thread AS t ON t.itid = v.itid WHERE v.ts = :ts LIMIT 1`;

export function PauseDrawer({ at }: { at: number }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${at}`, async (signal) => (await records(PAUSE, { db, params: { ts: absolute(at) }, signal, what: "reading the pause" }))[0] ?? null);
  const close = (): void => setParams({ pause: undefined });
  const row = one.data;
  if (row === undefined || row === null) {
    return <Without title="Pause" close={close} one={one} none="There is no pause at this time" />;
  }
  const dur = cellNumber(row["dur"]);
  const memory = (name: string): string => (row[name] === null ? "not recorded" : amount(cellNumber(row[name]), "bytes"));
  return (
    <Drawer title={clean(cellText(row["name"]), 200) || cellText(row["kind"]).replace(/_/g, " ")} onClose={close}>
      <Facts rows={[
        ["Paused for", row["dur"] === null ? "not known" : duration(dur)], ["Because of", clean(cellText(row["cause"]), 200) || "not recorded"], ["Began", clock(at)], ["Kind", cellText(row["kind"]).replace(/_/g, " ")],
        ["Heap before", memory("bytes_before")], ["Heap after", memory("bytes_after")], ...(row["thread"] === null ? [] : [["Thread", clean(cellText(row["thread"]), 200)] as const]),
      ]} />
      <div class="actions"><button type="button" class="main" onClick={zoomTo(at, dur)}>Zoom in</button></div>
    </Drawer>
  );
}

// --- states in a range -------------------------------------------------------------------------------------------------------

const spentColumns: readonly Column<SpentRow>[] = [
  { id: "thread", title: "Thread", wide: true, value: (r) => r.thread },
  { id: "running", title: "Ran", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.running },
  { id: "runnable", title: "Ready", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.runnable },
  { id: "sleeping", title: "Slept", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.sleeping },
  { id: "blocked", title: "Blocked", unit: "ns", digits: 3, width: 90, value: (r) => r.ns.blocked },
  { id: "other", title: "Other", unit: "ns", digits: 3, width: 84, value: (r) => r.ns.other },
];

/** What threads did in a range; thr: only one. */
export function Spent({ part, names, thr = "" }: { part: Extent; names: ThreadNames; thr?: string }): JSX.Element {
  const db = database.value?.name ?? "";
  const [sort, setSort] = useState<Sort>({ by: "running", down: true });
  const key = useSettled(part, 200);
  const rows = useLoad(`${db} ${key.from} ${key.to} ${thr} ${names.size}`, (signal) => loadSpent(db, key, thr, names, signal));
  return (
    <section>
      <h3>States of threads</h3>
      {rows.error !== undefined ? <Failure error={rows.error} /> : <Table label="States of threads in the range" columns={spentColumns} rows={sorted(rows.data ?? [], spentColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.id} selected="" empty="No thread was seen" />}
    </section>
  );
}
