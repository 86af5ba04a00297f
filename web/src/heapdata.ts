// Heaps: what the Heap view asks for, and how.
import { ask, cellNumber, cellText, records, type Cell } from "./api.ts";

interface Wanted {
  readonly db: string;
  readonly signal?: AbortSignal | undefined;
}

export interface HeapFile {
  readonly id: number;
  readonly name: string;
  readonly nodes: number;
  readonly selfSize: number;
  readonly start: string;
  readonly source: number | null;
  readonly complete: boolean;
  /** Retained sizes, distances and dominators are there (--analyze=heap). */
  readonly analysed: boolean;
  readonly base: number | null;
  readonly samples: number;
  readonly traces: number;
}

const FILES = `SELECT f.id, f.file_name, f.start_time, f.self_size, d.node_count, d.source_id, d.complete, a.file_id IS NOT NULL AS analysed,
  ifnull(a.base_file_id, (SELECT max(o.id) FROM js_heap_files AS o WHERE o.id < f.id)) AS base,
  (SELECT count(*) FROM js_heap_sample AS s WHERE s.file_id = f.id) AS samples,
  EXISTS (SELECT 1 FROM js_heap_trace_node AS t WHERE t.file_id = f.id) AS traces
FROM js_heap_files AS f LEFT JOIN js_heap_file_detail AS d ON d.file_id = f.id LEFT JOIN js_heap_analysis AS a ON a.file_id = f.id
WHERE ifnull(d.node_count, 0) > 0 ORDER BY f.id LIMIT 1000`;

const nullable = (cell: Cell | undefined): number | null => (cell === null || cell === undefined ? null : cellNumber(cell));

export async function heapFiles(wanted: Wanted): Promise<HeapFile[]> {
  return (await records(FILES, { ...wanted, what: "reading heaps" })).map((r) => ({
    id: cellNumber(r["id"]), name: cellText(r["file_name"]), nodes: cellNumber(r["node_count"]), selfSize: cellNumber(r["self_size"]), start: cellText(r["start_time"]),
    source: nullable(r["source_id"]), complete: r["complete"] !== 0, analysed: r["analysed"] === 1, base: nullable(r["base"]), samples: cellNumber(r["samples"]), traces: cellNumber(r["traces"]),
  }));
}

/** A class of a heap: its objects together. */
export interface HeapClass {
  readonly key: string;
  readonly name: string;
  readonly place: string;
  readonly count: number;
  readonly size: number;
  readonly retained: number | null;
  readonly distance: number | null;
}

const HISTOGRAM = "SELECT class, count, self_size FROM v_js_class_histogram WHERE file_id = :file ORDER BY self_size DESC, class LIMIT 200000";
const CONSTRUCTORS = `SELECT constructor_id, name, script_id, line, "column", count, distance, shallow_size, retained_size FROM v_js_constructor WHERE file_id = :file
ORDER BY retained_size DESC, constructor_id LIMIT 200000`;

export async function heapClasses(wanted: Wanted, file: HeapFile): Promise<HeapClass[]> {
  const options = { ...wanted, params: { file: file.id }, limit: 200000, what: "reading classes" };
  if (file.analysed) {
    return (await records(CONSTRUCTORS, options)).map((r) => ({
      key: cellText(r["constructor_id"]), name: cellText(r["name"]),
      place: r["line"] === null || r["script_id"] === null ? "" : `script ${cellText(r["script_id"])}:${cellText(r["line"])}:${cellText(r["column"])}`,
      count: cellNumber(r["count"]), size: cellNumber(r["shallow_size"]), retained: nullable(r["retained_size"]), distance: nullable(r["distance"]),
    }));
  }
  return (await records(HISTOGRAM, options)).map((r) => ({
    key: cellText(r["class"]), name: cellText(r["class"]), place: "", count: cellNumber(r["count"]), size: cellNumber(r["self_size"]), retained: null, distance: null,
  }));
}

/** An object, or a reference to or from one. */
export interface HeapNode {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly retained: number | null;
  readonly distance: number | null;
  /** Of a reference. */
  readonly edge: string;
  readonly edgeType: string;
  readonly detached: boolean;
}

const nodeOf = (r: Readonly<Record<string, Cell>>): HeapNode => ({
  id: cellNumber(r["node_id"]), name: cellText(r["name"]), type: cellText(r["type"]), size: cellNumber(r["self_size"]), retained: nullable(r["retained_size"]), distance: nullable(r["distance"]),
  edge: cellText(r["edge_name"]), edgeType: cellText(r["edge_type"]), detached: r["detachedness"] === 2,
});

// A node's text, from the strings of its file.
const NAME = `(SELECT s.string FROM js_heap_string AS s WHERE s.rowid = d.first_string_rowid + n.name AND n.name BETWEEN 0 AND d.string_count - 1 AND s.file_index = n.name)`;
const TYPE = `(SELECT t.str_value FROM js_heap_info AS t WHERE t.rowid = d.first_info_rowid + n.type AND n.type BETWEEN 0 AND d.node_type_count - 1)`;
const FILE = "js_heap_file_detail AS d CROSS JOIN js_heap_nodes AS n ON n.rowid BETWEEN d.first_node_rowid AND d.first_node_rowid + d.node_count - 1";
const CLASS = `CASE ${TYPE.replace(/\bn\./g, "g.")} WHEN 'object' THEN ${NAME.replace(/\bn\./g, "g.")} WHEN 'native' THEN ${NAME.replace(/\bn\./g, "g.")}
  WHEN 'code' THEN '(compiled code)' WHEN 'hidden' THEN '(system)' ELSE '(' || ${TYPE.replace(/\bn\./g, "g.")} || ')' END`;
const KEYS = `SELECT g.type AS type, g.name AS name, ${TYPE.replace(/\bn\./g, "g.")} IN ('object', 'native') AS named FROM js_heap_file_detail AS d
CROSS JOIN js_heap_class AS g ON g.rowid BETWEEN d.first_class_rowid AND d.first_class_rowid + d.class_count - 1 WHERE d.file_id = :file AND ${CLASS} IS :class`;
const OBJECTS = `SELECT n.id AS node_id, ${NAME} AS name, ${TYPE} AS type, n.self_size, n.detachedness FROM ${FILE}
WHERE d.file_id = :file AND n.type = :type AND (:name IS NULL OR n.name = :name) ORDER BY n.self_size DESC, n.node_index LIMIT :limit`;
const OBJECTS_ANALYSED = `WITH best AS (SELECT r.rowid - a.first_retained_rowid AS at, r.retained_size AS size FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE a.file_id = :file AND r.constructor_id = :class ORDER BY r.retained_size DESC, r.rowid LIMIT :limit)
SELECT r.node_id, ${NAME} AS name, ${TYPE} AS type, r.shallow_size AS self_size, r.retained_size, r.distance, r.detachedness FROM best AS b CROSS JOIN js_heap_analysis AS a ON a.file_id = :file
CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at
CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at ORDER BY b.size DESC, b.at`;

/** The largest objects of a class. */
export async function heapObjects(wanted: Wanted, file: HeapFile, one: HeapClass, limit: number): Promise<HeapNode[]> {
  const options = { ...wanted, limit, what: "reading objects" };
  if (file.analysed) {
    return (await records(OBJECTS_ANALYSED, { ...options, params: { file: file.id, class: Number(one.key), limit } })).map(nodeOf);
  }
  const keys = await records(KEYS, { ...options, params: { file: file.id, class: one.key }, limit: 1000 });
  const parts = await Promise.all(keys.map((key) => records(OBJECTS, { ...options, params: { file: file.id, type: key["type"] ?? null, name: key["named"] === 1 ? key["name"] ?? null : null, limit } })));
  return parts.flat().map(nodeOf).sort((a, b) => b.size - a.size).slice(0, limit);
}

const ROOT = `SELECT n.id AS node_id, ${NAME} AS name, ${TYPE} AS type, n.self_size, n.detachedness FROM ${FILE} WHERE d.file_id = :file AND n.node_index = 0 LIMIT 1`;
const NODE = `SELECT n.id AS node_id, ${NAME} AS name, ${TYPE} AS type, n.self_size, n.detachedness, n.edge_count FROM ${FILE} WHERE d.file_id = :file AND n.id = :node LIMIT 1`;

export async function heapRoot(wanted: Wanted, file: HeapFile): Promise<HeapNode | undefined> {
  return (await records(ROOT, { ...wanted, params: { file: file.id }, what: "reading the root" })).map(nodeOf)[0];
}

export async function heapNode(wanted: Wanted, file: HeapFile, id: number): Promise<HeapNode | undefined> {
  return (await records(NODE, { ...wanted, params: { file: file.id, node: id }, what: "reading the object" })).map(nodeOf)[0];
}

const EDGES = `SELECT to_node_id AS node_id, to_name AS name, to_type AS type, to_self_size AS self_size, name AS edge_name, type_name AS edge_type FROM
(SELECT e.*, e.type AS type_name FROM v_js_edge AS e WHERE e.file_id = :file AND e.from_node_id = :node ORDER BY e.edge_index) LIMIT :limit OFFSET :offset`;
const RETAINERS = `SELECT retainer_id AS node_id, retainer_name AS name, retainer_type AS type, retainer_self_size AS self_size, edge_name, edge_type FROM v_js_retainer
WHERE file_id = :file AND node_id = :node ORDER BY edge_index LIMIT :limit OFFSET :offset`;

export const PAGE = 100;

export async function heapEdges(wanted: Wanted, file: HeapFile, node: number, offset: number): Promise<HeapNode[]> {
  return (await records(EDGES, { ...wanted, params: { file: file.id, node, limit: PAGE, offset }, what: "reading references" })).map(nodeOf);
}

export async function heapRetainers(wanted: Wanted, file: HeapFile, node: number, offset: number): Promise<HeapNode[]> {
  return (await records(RETAINERS, { ...wanted, params: { file: file.id, node, limit: PAGE, offset }, what: "reading retainers" })).map(nodeOf);
}

/** From the object to the root: each with the reference by which the next one holds it. */
export async function heapPath(wanted: Wanted, file: HeapFile, node: number, _k: number): Promise<HeapNode[]> {
  if (!file.analysed) {
    return [];
  }
  return (await ask("js_path_to_root", { ...wanted, params: { file: file.id, node }, what: "finding the path to the root" })).map((r) => ({
    ...nodeOf({ ...r, self_size: 0 }), edge: cellText(r["edge_name"]), edgeType: cellText(r["edge_type"]),
  }));
}

/** What the object dominates, largest first. */
export async function heapDominated(wanted: Wanted, file: HeapFile, node: number): Promise<HeapNode[]> {
  return (await ask("js_dominated", { ...wanted, params: { file: file.id, node, limit: 200 }, what: "reading what it dominates" })).map((r) => nodeOf({ ...r, self_size: r["shallow_size"] ?? 0 }));
}

export interface Change {
  readonly name: string;
  readonly added: number | null;
  readonly removed: number | null;
  readonly delta: number;
  readonly addedSize: number | null;
  readonly removedSize: number | null;
  readonly sizeDelta: number;
}

const TOTALS = `SELECT class, count_delta, self_size_delta FROM v_js_snapshot_diff WHERE file_id = :file AND previous_file_id = :base
ORDER BY self_size_delta DESC, class LIMIT 200000`;

/** By totals of classes: fast, only for the snapshot before. Empty for another pair. */
export async function heapTotals(wanted: Wanted, file: HeapFile, base: number): Promise<Change[]> {
  return (await records(TOTALS, { ...wanted, params: { file: file.id, base }, limit: 200000, what: "comparing classes" })).map((r) => ({
    name: cellText(r["class"]), added: null, removed: null, delta: cellNumber(r["count_delta"]), addedSize: null, removedSize: null, sizeDelta: cellNumber(r["self_size_delta"]),
  }));
}

/** By ids of objects. */
export async function heapComparison(wanted: Wanted, file: HeapFile, base: number, analysed: boolean): Promise<Change[]> {
  if (analysed) {
    return (await ask("js_comparison", { ...wanted, params: { file: file.id, base, limit: 100000 }, limit: 100000, what: "comparing objects" })).map((r) => ({
      name: cellText(r["name"]), added: cellNumber(r["new_count"]), removed: cellNumber(r["deleted_count"]), delta: cellNumber(r["count_delta"]),
      addedSize: cellNumber(r["new_size"]), removedSize: cellNumber(r["deleted_size"]), sizeDelta: cellNumber(r["size_delta"]),
    }));
  }
  return (await ask("js_snapshot_diff", { ...wanted, params: { file: file.id, previous: base, limit: 100000 }, limit: 100000, what: "comparing objects" })).map((r) => ({
    name: cellText(r["class"]), added: cellNumber(r["added"]), removed: cellNumber(r["removed"]), delta: cellNumber(r["added"]) - cellNumber(r["removed"]),
    addedSize: cellNumber(r["added_size"]), removedSize: cellNumber(r["removed_size"]), sizeDelta: cellNumber(r["size_delta"]),
  }));
}

export interface SameText {
  readonly text: string;
  readonly count: number;
  readonly size: number;
  readonly wasted: number;
}

const STRINGS = `SELECT count, self_size, wasted_size, substr(string, 1, 200) AS string FROM v_js_string_duplicates WHERE file_id = :file
ORDER BY wasted_size DESC LIMIT 1000`;

export async function heapStrings(wanted: Wanted, file: HeapFile): Promise<SameText[]> {
  return (await records(STRINGS, { ...wanted, params: { file: file.id }, what: "finding equal strings" })).map((r) => ({
    text: cellText(r["string"]), count: cellNumber(r["count"]), size: cellNumber(r["self_size"]), wasted: cellNumber(r["wasted_size"]),
  }));
}

const DETACHED = "SELECT node_id, name, type, self_size, detachedness FROM v_js_detached WHERE file_id = :file ORDER BY self_size DESC LIMIT 1000";

export async function heapDetached(wanted: Wanted, file: HeapFile): Promise<HeapNode[]> {
  return (await records(DETACHED, { ...wanted, params: { file: file.id }, what: "finding detached objects" })).map(nodeOf);
}

/** Objects that were allocated up to a time, since the bar before, and are alive. */
export interface Bar {
  readonly us: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly size: number;
}

const BARS = `WITH w AS (SELECT timestamp_us, last_assigned_id AS hi, lag(last_assigned_id, 1, 0) OVER (ORDER BY rowid) AS lo FROM js_heap_sample WHERE file_id = :file)
SELECT w.timestamp_us, w.lo, w.hi, count(n.id) AS live_count, ifnull(sum(n.self_size), 0) AS live_size FROM w LEFT JOIN js_heap_nodes AS n ON n.file_id = :file AND n.id > w.lo AND n.id <= w.hi
GROUP BY w.timestamp_us ORDER BY 1`;

export async function heapBars(wanted: Wanted, file: HeapFile): Promise<Bar[]> {
  return (await records(BARS, { ...wanted, params: { file: file.id }, limit: 5000, what: "reading allocations" })).map((r) => ({
    us: cellNumber(r["timestamp_us"]), low: cellNumber(r["lo"]), high: cellNumber(r["hi"]), count: cellNumber(r["live_count"]), size: cellNumber(r["live_size"]),
  }));
}

const ALLOCATED = `SELECT n.id AS node_id, ${NAME} AS name, ${TYPE} AS type, n.self_size, n.detachedness FROM ${FILE}
WHERE d.file_id = :file AND n.id > :low AND n.id <= :high ORDER BY n.self_size DESC, n.node_index LIMIT 500`;

export async function heapAllocated(wanted: Wanted, file: HeapFile, low: number, high: number): Promise<HeapNode[]> {
  return (await records(ALLOCATED, { ...wanted, params: { file: file.id, low, high }, what: "finding objects" })).map(nodeOf);
}

export interface AllocationStack {
  readonly stack: string;
  readonly liveCount: number;
  readonly liveSize: number;
  readonly count: number;
  readonly size: number;
}

export async function heapStacks(wanted: Wanted, file: HeapFile): Promise<AllocationStack[]> {
  return (await ask("js_allocation_stacks", { ...wanted, params: { file: file.id, limit: 500 }, what: "reading stacks of allocations" })).map((r) => ({
    stack: cellText(r["stack"]), liveCount: cellNumber(r["live_count"]), liveSize: cellNumber(r["live_size"]), count: cellNumber(r["count"]), size: cellNumber(r["size"]),
  }));
}
