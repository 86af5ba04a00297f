// What threads waited for: by reason, monitor and the thread that held it, and the single waits.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { cellNumber, cellText, parametersJson, records, type Cell, type Parameter } from "../api.ts";
import { amount, clean, percent, plural } from "../format.ts";
import { Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { searched } from "../parts/search.ts";
import { chosenJson } from "../parts/sources.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { absolute, database, extent, go, param, range, relative, setParams } from "../state.ts";
import { useLoad } from "../use.ts";

type Row = Record<string, Cell>;

// A monitor is known of what lock_wait has; what the same source has as samples of these reasons is the same once more.
const WAITS = `WITH wait AS (
  SELECT source_id, itid, CASE kind WHEN 'contended' THEN 'lock' ELSE kind END AS reason, class, object_id, owner_itid, ts, dur, node_id FROM lock_wait
  UNION ALL SELECT s.source_id, s.itid, s.reason, NULL, NULL, NULL, s.ts, s.dur, s.node_id FROM v_sample AS s
  WHERE s.class = 'waiting' AND s.dur IS NOT NULL AND NOT (s.reason IN ('lock', 'wait', 'park') AND s.source_id IN (SELECT source_id FROM lock_wait))
), chosen AS (
  SELECT * FROM wait WHERE (:source IS NULL OR source_id IN (SELECT value FROM json_each(:source))) AND (:thread IS NULL OR itid IN (SELECT value FROM json_each(:thread)))
    AND (:from IS NULL OR ts >= :from) AND (:to IS NULL OR ts < :to)
)`;
const BY_REASON = `${WAITS}
SELECT c.reason, substr(c.class, 1, 500) AS class, c.owner_itid, substr(t.name, 1, 200) AS owner, t.tid AS owner_tid, count(*) AS n, count(DISTINCT c.itid) AS threads, count(DISTINCT nullif(c.object_id, 0)) AS objects,
  sum(c.dur) AS dur, max(c.dur) AS longest
FROM chosen AS c LEFT JOIN thread AS t ON t.rowid = c.owner_itid + 1 GROUP BY c.reason, c.class, c.owner_itid ORDER BY sum(c.dur) DESC, c.reason, c.class LIMIT 1000`;
const SINGLE = `${WAITS}
SELECT c.reason, substr(c.class, 1, 500) AS class, c.object_id, c.owner_itid, substr(o.name, 1, 200) AS owner, c.itid, substr(t.name, 1, 200) AS thread, t.tid, c.ts, c.dur, m.id AS method_id,
  substr(ifnull(nullif(m.class, '') || '.', '') || m.name, 1, 500) AS method, n.line
FROM chosen AS c LEFT JOIN thread AS t ON t.rowid = c.itid + 1 LEFT JOIN thread AS o ON o.rowid = c.owner_itid + 1 LEFT JOIN stack_node AS n ON n.id = c.node_id LEFT JOIN stack_method AS m ON m.id = n.method_id
WHERE (:reason IS NULL OR (c.reason = :reason AND c.class IS :class AND c.owner_itid IS :owner)) ORDER BY c.dur DESC, c.ts LIMIT 1000`;

const text = (row: Row, name: string): string => (row[name] === null || row[name] === undefined ? "" : clean(cellText(row[name]), 500));
const number = (row: Row, name: string): number | null => (row[name] === null || row[name] === undefined ? null : cellNumber(row[name]));
const holder = (row: Row): string => text(row, "owner") || (row["owner_itid"] === null ? "" : `thread ${cellText(row["owner_itid"])}`);

const TITLES: Readonly<Record<string, string>> = { lock: "lock: another thread held the monitor", wait: "wait: to be notified", park: "park", sleep: "sleep", io: "I/O", idle: "idle: nothing to do" };
const title = (reason: string): string => TITLES[reason] ?? (reason === "" ? "not known" : reason);

const keyOf = (row: Row): string => [row["reason"], row["class"], row["owner_itid"]].map((cell) => (cell === null || cell === undefined ? "" : cellText(cell))).join("\n");

const columns = (all: number): readonly Column<Row>[] => [
  { id: "reason", title: "Reason", width: 250, value: (r) => title(text(r, "reason")) },
  { id: "class", title: "Waited for", wide: true, value: (r) => text(r, "class"), cell: (r) => <span title={text(r, "class")}>{text(r, "class")}</span> },
  { id: "owner", title: "Held or notified by", width: 150, value: holder },
  { id: "n", title: "Waits", unit: "count", width: 80, value: (r) => number(r, "n") },
  { id: "threads", title: "Threads", unit: "count", width: 80, value: (r) => number(r, "threads") },
  { id: "objects", title: "Monitors", unit: "count", width: 80, value: (r) => (cellNumber(r["objects"]) > 0 ? number(r, "objects") : null) },
  { id: "dur", title: "Total", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "dur") },
  { id: "share", title: "Share", width: 80, number: true, value: (r) => number(r, "dur"), cell: (r) => percent(cellNumber(r["dur"]), all) },
  { id: "longest", title: "Longest", unit: "ns", digits: 3, width: 110, value: (r) => number(r, "longest") },
];

const began = (r: Row): number | null => (r["ts"] === null || r["ts"] === undefined ? null : relative(cellText(r["ts"])));
const place = (r: Row): string => `${text(r, "method")}${r["line"] === null ? "" : `:${cellText(r["line"])}`}`;

const single: readonly Column<Row>[] = [
  { id: "at", title: "Began", unit: "ns", digits: 3, width: 100, value: began },
  { id: "dur", title: "Took", unit: "ns", digits: 3, width: 100, value: (r) => number(r, "dur") },
  { id: "thread", title: "Thread", width: 150, value: (r) => text(r, "thread") },
  { id: "tid", title: "tid", width: 70, number: true, value: (r) => number(r, "tid"), cell: (r) => text(r, "tid") },
  { id: "reason", title: "Reason", width: 80, value: (r) => text(r, "reason") },
  { id: "class", title: "Waited for", width: 260, value: (r) => text(r, "class") },
  { id: "owner", title: "Held or notified by", width: 130, value: holder },
  { id: "where", title: "Where", wide: true, value: place, cell: (r) => <span title={place(r)}>{place(r)}</span> },
];

function bounds(thr: string): Record<string, Parameter> {
  const ids = thr.split(",").filter((t) => /^\d+$/.test(t)).map(Number);
  const chosen = range.value;
  return {
    source: chosenJson(), thread: ids.length === 0 ? null : JSON.stringify(ids),
    from: chosen === undefined ? null : absolute(chosen.from), to: chosen === undefined ? null : absolute(chosen.to),
  };
}

export function Waits(): JSX.Element {
  const db = database.value?.name ?? "";
  const params = bounds(param("thr"));
  const by = useLoad(`${db} ${parametersJson(params)}`, (signal) => records(BY_REASON, { db, params, signal, what: "adding up waits" }));
  const wait = param("wait");
  const row = by.data?.find((one) => keyOf(one) === wait);
  const of = row === undefined ? { reason: null, class: null, owner: null } : { reason: row["reason"] ?? null, class: row["class"] ?? null, owner: row["owner_itid"] === null ? null : cellNumber(row["owner_itid"]) };
  const list = useLoad(by.data === undefined ? "" : `${db} ${parametersJson({ ...params, ...of })}`, (signal) => records(SINGLE, { db, params: { ...params, ...of }, signal, what: "finding the longest waits" }));
  const [sort, setSort] = useState<Sort>({ by: "dur", down: true });
  const [order, setOrder] = useState<Sort>({ by: "dur", down: true });
  const error = by.error ?? list.error;
  if (error !== undefined) {
    return <Failure error={error} />;
  }
  if (by.data === undefined) {
    return <Waiting what="adding up waits" />;
  }
  const all = by.data.reduce((sum, r) => sum + cellNumber(r["dur"]), 0);
  const pass = searched();
  const shown = columns(all);
  const rows = by.data.filter((r) => pass === undefined || pass(`${title(text(r, "reason"))} ${text(r, "class")} ${holder(r)}`));
  const singles = (list.data ?? []).filter((r) => pass === undefined || pass(`${text(r, "thread")} ${text(r, "reason")} ${text(r, "class")} ${holder(r)} ${place(r)}`));
  return (
    <div class="with-drawer">
      <div class="stage">
        <div class="trail"><b>{amount(all, "ns")}</b><span>of {plural(by.data.reduce((sum, r) => sum + cellNumber(r["n"]), 0), "wait")}; waits that overlap count each, shares are of this sum</span></div>
        {by.data.length === 0 ? <p class="none big">Nothing is known of waiting here</p> : <>
          <Table open label="Waiting by reason" columns={shown} rows={sorted(rows, shown, sort)} sort={sort} onSort={setSort} keyOf={keyOf} selected={wait} onRow={(r) => setParams({ wait: keyOf(r) === wait ? undefined : keyOf(r) })} />
          <div class="bar"><h2>Longest waits</h2>{row !== undefined && <span class="lead">{title(text(row, "reason"))} {text(row, "class")} <button type="button" class="link" onClick={() => setParams({ wait: undefined })}>all waits</button></span>}</div>
          <Table label="Longest waits" columns={single} rows={sorted(singles, single, order)} sort={order} onSort={setOrder} keyOf={(r) => `${cellText(r["itid"])} ${cellText(r["ts"])} ${cellText(r["reason"])} ${cellText(r["dur"])}`}
            onRow={(r) => {
              const at = began(r);
              const took = number(r, "dur") ?? 0;
              if (at !== null) {
                go("timeline", { from: String(Math.max(extent.value.from, Math.round(at - took / 4))), to: String(Math.min(extent.value.to, Math.round(at + took * 1.25) + 1)), ...(r["itid"] === null ? {} : { thr: cellText(r["itid"]) }) });
              }
            }} />
        </>}
      </div>
      {row !== undefined && <Drawer title={title(text(row, "reason"))} onClose={() => setParams({ wait: undefined })}>
        <Facts rows={[
          ...(text(row, "class") === "" ? [] : [["Waited for", <code key="class">{text(row, "class")}</code>] as const]),
          ...(holder(row) === "" ? [] : [["Held or notified by", holder(row)] as const]),
          ["Waits", plural(cellNumber(row["n"]), "wait")],
          ["Threads", String(cellNumber(row["threads"]))],
          ["Total", `${amount(number(row, "dur"), "ns")}  (${percent(cellNumber(row["dur"]), all)})`],
          ["Longest", amount(number(row, "longest"), "ns")],
        ]} />
        <div class="actions"><button type="button" onClick={() => setParams({ view: undefined, w: `waiting:${text(row, "reason")}`, event: undefined, at: undefined, sel: undefined })}>Stacks that waited</button></div>
      </Drawer>}
    </div>
  );
}
