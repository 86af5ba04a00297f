// Heaps: what the Heap view asks for, and how.
import { ask, cellNumber, cellText, get, records, recordsOf, type Cell } from "./api.ts";

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
  /** The heap that the analysis has compared it with: their ids mean the same objects. */
  readonly compared: number | null;
  readonly samples: number;
  readonly traces: number;
}

const FILES = `SELECT f.id, f.file_name, f.start_time, f.self_size, d.node_count, d.source_id, d.complete, a.file_id IS NOT NULL AS analysed,
  ifnull(a.base_file_id, (SELECT max(o.id) FROM js_heap_files AS o WHERE o.id < f.id)) AS base, a.base_file_id AS compared,
  (SELECT count(*) FROM js_heap_sample AS s WHERE s.file_id = f.id) AS samples,
  EXISTS (SELECT 1 FROM js_heap_trace_node AS t WHERE t.file_id = f.id) AS traces
FROM js_heap_files AS f LEFT JOIN js_heap_file_detail AS d ON d.file_id = f.id LEFT JOIN js_heap_analysis AS a ON a.file_id = f.id
WHERE ifnull(d.node_count, 0) > 0 ORDER BY f.id LIMIT 1000`;

const nullable = (cell: Cell | undefined): number | null => (cell === null || cell === undefined ? null : cellNumber(cell));

export async function heapFiles(wanted: Wanted): Promise<HeapFile[]> {
  return (await records(FILES, { ...wanted, what: "reading heaps" })).map((r) => ({
    id: cellNumber(r["id"]), name: cellText(r["file_name"]), nodes: cellNumber(r["node_count"]), selfSize: cellNumber(r["self_size"]), start: cellText(r["start_time"]),
    source: nullable(r["source_id"]), complete: r["complete"] !== 0, analysed: r["analysed"] === 1, base: nullable(r["base"]), compared: nullable(r["compared"]), samples: cellNumber(r["samples"]), traces: cellNumber(r["traces"]),
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

const CONSTRUCTORS = `SELECT constructor_id, name, script_id, line, "column", count, distance, shallow_size, retained_size FROM v_js_constructor WHERE file_id = :file
ORDER BY retained_size DESC, constructor_id LIMIT 10000`;
const COUNTED = "SELECT constructor_count AS n FROM js_heap_analysis WHERE file_id = :file";

export interface Classes {
  readonly rows: readonly HeapClass[];
  /** Also those that are not here. */
  readonly all: number;
}

/** What views of heaps answer: names of columns, rows, and how many there are. */
interface Listing {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly row_count: number;
  /** Of changes by ids: equal ids mean the same object. */
  readonly comparable?: boolean;
}

const listed = (reply: Listing): Record<string, Cell>[] => recordsOf({ columns: reply.columns, rows: reply.rows });

/** The largest classes, at most 10,000; `filter` is a part of their names. */
export async function heapClasses(wanted: Wanted, file: HeapFile, filter: string): Promise<Classes> {
  if (file.analysed) {
    const options = { ...wanted, params: { file: file.id }, limit: 10000, what: "reading classes" };
    const [rows, counted] = await Promise.all([records(CONSTRUCTORS, options), records(COUNTED, options)]);
    return {
      all: cellNumber(counted[0]?.["n"]),
      rows: rows.map((r) => ({
        key: cellText(r["constructor_id"]), name: cellText(r["name"]),
        place: r["line"] === null || r["script_id"] === null ? "" : `script ${cellText(r["script_id"])}:${cellText(r["line"])}:${cellText(r["column"])}`,
        count: cellNumber(r["count"]), size: cellNumber(r["shallow_size"]), retained: nullable(r["retained_size"]), distance: nullable(r["distance"]),
      })),
    };
  }
  const reply = await get<Listing>("/api/heap/classes", { db: wanted.db, file: file.id, limit: 10000, filter }, { signal: wanted.signal, what: "reading classes" });
  return {
    all: reply.row_count,
    rows: listed(reply).map((r) => ({ key: cellText(r["id"]), name: cellText(r["class"]), place: "", count: cellNumber(r["count"]), size: cellNumber(r["self_size"]), retained: null, distance: null })),
  };
}

/** An object, or a reference to or from one. */
export interface HeapNode {
  /** Its place in the file. */
  readonly index: number;
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
  index: cellNumber(r["node_index"]), id: cellNumber(r["node_id"] ?? r["id"]), name: cellText(r["name"]), type: cellText(r["type"]), size: cellNumber(r["self_size"]),
  retained: nullable(r["retained_size"]), distance: nullable(r["distance"]), edge: cellText(r["edge_name"]), edgeType: cellText(r["edge_type"]), detached: r["detachedness"] === 2,
});

// A node's text, from the strings of its file.
const NAME = `(SELECT s.string FROM js_heap_string AS s WHERE s.rowid = d.first_string_rowid + n.name AND n.name BETWEEN 0 AND d.string_count - 1 AND s.file_index = n.name)`;
const TYPE = `(SELECT t.str_value FROM js_heap_info AS t WHERE t.rowid = d.first_info_rowid + n.type AND n.type BETWEEN 0 AND d.node_type_count - 1)`;
const OBJECTS = `WITH best AS (SELECT r.rowid - a.first_retained_rowid AS at, r.retained_size AS size FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE a.file_id = :file AND r.constructor_id = :class ORDER BY r.retained_size DESC, r.rowid LIMIT :limit)
SELECT b.at AS node_index, r.node_id, ${NAME} AS name, ${TYPE} AS type, r.shallow_size AS self_size, r.retained_size, r.distance, r.detachedness FROM best AS b
CROSS JOIN js_heap_analysis AS a ON a.file_id = :file CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at ORDER BY b.size DESC, b.at`;

async function listing(wanted: Wanted, path: string, params: Readonly<Record<string, number>>, what: string): Promise<Record<string, Cell>[]> {
  return listed(await get<Listing>(`/api/heap/${path}`, { db: wanted.db, ...params }, { signal: wanted.signal, what }));
}

/** The largest objects of a class. */
export async function heapObjects(wanted: Wanted, file: HeapFile, one: HeapClass, limit: number): Promise<HeapNode[]> {
  if (file.analysed) {
    return (await records(OBJECTS, { ...wanted, limit, what: "reading objects", params: { file: file.id, class: Number(one.key), limit } })).map(nodeOf);
  }
  return (await listing(wanted, "objects", { file: file.id, class: Number(one.key), limit: Math.min(limit, 10000) }, "reading objects")).map(nodeOf);
}

/** One object, by its place in the file; the root is the first. */
export async function heapNode(wanted: Wanted, file: HeapFile, index: number): Promise<HeapNode | undefined> {
  const reply = await get<{ columns: readonly string[]; row: readonly Cell[]; detachedness: Cell; analysis?: Readonly<Record<string, Cell>> }>(
    "/api/heap/node", { db: wanted.db, file: file.id, node: index }, { signal: wanted.signal, what: "reading the object" });
  const [row] = recordsOf({ columns: reply.columns, rows: [reply.row] });
  return row === undefined ? undefined : nodeOf({ ...row, node_index: index, detachedness: reply.detachedness ?? null, retained_size: reply.analysis?.["retained_size"] ?? null, distance: reply.analysis?.["distance"] ?? null });
}

export const PAGE = 100;

export async function heapEdges(wanted: Wanted, file: HeapFile, node: number, offset: number): Promise<HeapNode[]> {
  return (await listing(wanted, "edges", { file: file.id, node, offset, limit: PAGE }, "reading references")).map((r) => nodeOf({
    node_index: r["to_node_index"] ?? null, node_id: r["to_node_id"] ?? null, name: r["to_name"] ?? null, type: r["to_type"] ?? null, self_size: r["to_self_size"] ?? null,
    edge_name: r["name"] ?? null, edge_type: r["type"] ?? null,
  }));
}

export async function heapRetainers(wanted: Wanted, file: HeapFile, node: number, offset: number): Promise<HeapNode[]> {
  return (await listing(wanted, "retainers", { file: file.id, node, offset, limit: PAGE }, "reading retainers")).map((r) => nodeOf({
    node_index: r["retainer_index"] ?? null, node_id: r["retainer_id"] ?? null, name: r["retainer_name"] ?? null, type: r["retainer_type"] ?? null, self_size: r["retainer_self_size"] ?? null,
    edge_name: r["edge_name"] ?? null, edge_type: r["edge_type"] ?? null,
  }));
}

/** From the object to the root: each with the reference by which the next one holds it. Empty when there is no k-th path. */
export async function heapPath(wanted: Wanted, file: HeapFile, node: number, k: number): Promise<HeapNode[]> {
  return (await listing(wanted, "path", { file: file.id, node, k }, "finding the path to the root")).map(nodeOf).reverse();
}

/** What the object dominates, largest first. */
export async function heapDominated(wanted: Wanted, file: HeapFile, node: number, offset: number): Promise<HeapNode[]> {
  return (await listing(wanted, "dominated", { file: file.id, node, offset, limit: PAGE }, "reading what it dominates")).map(nodeOf);
}

export interface Change {
  readonly name: string;
  readonly added: number | null;
  readonly removed: number | null;
  readonly delta: number;
  readonly addedSize: number | null;
  readonly removedSize: number | null;
  readonly sizeDelta: number;
  /** Where the class is defined, of analysed heaps; tells classes of one name apart. */
  readonly place: Place | null;
}

export interface Place {
  readonly script: number | null;
  readonly line: number | null;
  readonly column: number | null;
}

/** What tells a class from the others of a comparison. */
export const changeKey = (one: Pick<Change, "name" | "place">): string => (one.place === null ? one.name : `${one.name}\n${one.place.script ?? ""}:${one.place.line ?? ""}:${one.place.column ?? ""}`);

/** All rows of heap/diff, largest growth first; by ids that do not mean the same objects: undefined. */
async function differences(wanted: Wanted, file: number, base: number, by: "totals" | "ids", what: string): Promise<Record<string, Cell>[] | undefined> {
  const rows: Record<string, Cell>[] = [];
  for (;;) {
    const reply = await get<Listing>("/api/heap/diff", { db: wanted.db, file, base, by, offset: rows.length, limit: 10000 }, { signal: wanted.signal, what });
    if (reply.comparable === false) {
      return undefined;
    }
    rows.push(...listed(reply));
    if (reply.rows.length === 0 || rows.length >= reply.row_count) {
      return rows;
    }
  }
}

/** By totals of classes: fast. Classes that only stayed as they are fall away. */
export async function heapTotals(wanted: Wanted, file: HeapFile, base: number): Promise<Change[]> {
  return (await differences(wanted, file.id, base, "totals", "comparing classes") ?? []).filter((r) => r["count_delta"] !== 0 || r["self_size_delta"] !== 0).map((r) => ({
    name: cellText(r["class"]), added: null, removed: null, delta: cellNumber(r["count_delta"]), addedSize: null, removedSize: null, sizeDelta: cellNumber(r["self_size_delta"]), place: null,
  }));
}

/** By ids of objects: classes of which objects came, went or grew; null when ids do not mean the same objects. */
export async function heapComparison(wanted: Wanted, file: HeapFile, base: number, analysed: boolean): Promise<Change[] | null> {
  // Whether ids mean the same objects is for the server to say, unless the analysis has found it already.
  if (analysed && file.compared !== base) {
    const reply = await get<Listing>("/api/heap/diff", { db: wanted.db, file: file.id, base, by: "ids", limit: 1 }, { signal: wanted.signal, what: "comparing objects" });
    if (reply.comparable === false) {
      return null;
    }
  }
  const rows = analysed
    ? await ask("js_comparison", { ...wanted, params: { file: file.id, base, limit: 100000 }, limit: 100000, what: "comparing objects" })
    : await differences(wanted, file.id, base, "ids", "comparing objects");
  return rows === undefined ? null : rows.map((r) => ({
    name: cellText(r[analysed ? "name" : "class"]), added: cellNumber(r["new_count"]), removed: cellNumber(r["deleted_count"]), delta: cellNumber(r["count_delta"]),
    addedSize: cellNumber(r["new_size"]), removedSize: cellNumber(r["deleted_size"]), sizeDelta: cellNumber(r["size_delta"]),
    place: analysed ? { script: nullable(r["script_id"]), line: nullable(r["line"]), column: nullable(r["column"]) } : null,
  }));
}

// Objects of a class that the heap before does not have: what the analysis has matched, or, with another heap, by their ids.
const NEW_OBJECTS = `WITH best AS (SELECT r.rowid - a.first_retained_rowid AS at, r.retained_size AS size FROM js_heap_analysis AS a CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
  CROSS JOIN js_heap_retained AS r ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + d.node_count - 1
  WHERE a.file_id = :file AND r.shallow_size > 0 AND r.constructor_id IN (SELECT c.id FROM js_heap_constructor AS c
      WHERE c.file_id = :file AND c.name = :name AND c.script_id IS :script AND c.line IS :line AND c."column" IS :column)
    AND CASE WHEN a.base_file_id = :base THEN r.previous IS NULL ELSE r.node_id NOT IN (SELECT o.node_id FROM js_heap_analysis AS b
      CROSS JOIN js_heap_file_detail AS e ON e.file_id = b.file_id CROSS JOIN js_heap_retained AS o
      ON o.rowid BETWEEN b.first_retained_rowid AND b.first_retained_rowid + e.node_count - 1 WHERE b.file_id = :base AND o.node_id IS NOT NULL) END
  ORDER BY r.retained_size DESC, r.rowid LIMIT :limit)
SELECT b.at AS node_index, r.node_id, ${NAME} AS name, ${TYPE} AS type, r.shallow_size AS self_size, r.retained_size, r.distance, r.detachedness FROM best AS b
CROSS JOIN js_heap_analysis AS a ON a.file_id = :file CROSS JOIN js_heap_file_detail AS d ON d.file_id = a.file_id
CROSS JOIN js_heap_retained AS r ON r.rowid = a.first_retained_rowid + b.at CROSS JOIN js_heap_nodes AS n ON n.rowid = d.first_node_rowid + b.at ORDER BY b.size DESC, b.at`;

/** The new objects of a class, those that retain most first; of analysed heaps. */
export async function heapNewObjects(wanted: Wanted, file: HeapFile, base: number, one: Change, limit: number): Promise<HeapNode[]> {
  const place = one.place ?? { script: null, line: null, column: null };
  return (await records(NEW_OBJECTS, { ...wanted, limit, what: "finding new objects", params: { file: file.id, base, name: one.name, ...place, limit } })).map(nodeOf);
}

/** A class in each of several heaps. */
export interface Growth {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly counts: readonly number[];
}

const GROWTH = `SELECT h.file_id, h.class, sum(h.count) AS count, sum(h.self_size) AS size FROM v_js_class_histogram AS h
WHERE h.file_id IN (SELECT value FROM json_each(:files)) GROUP BY h.class, h.file_id ORDER BY h.class LIMIT 200000`;

/** Classes of which the size is not the same in all of the heaps, those that grew most from the first to the last one first. */
export async function heapGrowth(wanted: Wanted, files: readonly HeapFile[]): Promise<Growth[]> {
  const at = new Map(files.map((one, i) => [one.id, i]));
  const classes = new Map<string, { name: string; sizes: number[]; counts: number[] }>();
  for (const r of await records(GROWTH, { ...wanted, limit: 200000, params: { files: JSON.stringify(files.map((one) => one.id)) }, what: "reading the classes of all heaps" })) {
    const name = cellText(r["class"]);
    const one = classes.get(name) ?? { name, sizes: files.map(() => 0), counts: files.map(() => 0) };
    const i = at.get(cellNumber(r["file_id"])) ?? 0;
    one.sizes[i] = cellNumber(r["size"]);
    one.counts[i] = cellNumber(r["count"]);
    classes.set(name, one);
  }
  const grew = (one: Growth): number => (one.sizes[one.sizes.length - 1] ?? 0) - (one.sizes[0] ?? 0);
  return [...classes.values()].filter((one) => one.sizes.some((size) => size !== one.sizes[0])).sort((a, b) => grew(b) - grew(a) || a.name.localeCompare(b.name, "en"));
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

const DETACHED = "SELECT node_index, node_id, name, type, self_size, detachedness FROM v_js_detached WHERE file_id = :file ORDER BY self_size DESC LIMIT 1000";

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

export async function heapBars(wanted: Wanted, file: HeapFile): Promise<Bar[]> {
  return (await listing(wanted, "allocations", { file: file.id }, "reading allocations")).map((r) => ({
    us: cellNumber(r["timestamp_us"]), low: cellNumber(r["id_from"]), high: cellNumber(r["id_to"]), count: cellNumber(r["live_count"]), size: cellNumber(r["live_size"]),
  }));
}

/** The largest objects with ids above `low`, up to `high`. */
export async function heapAllocated(wanted: Wanted, file: HeapFile, low: number, high: number): Promise<HeapNode[]> {
  return (await listing(wanted, "objects", { file: file.id, id_from: low, id_to: high, limit: 500 }, "finding objects")).map(nodeOf);
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
