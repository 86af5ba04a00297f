// Heaps: classes and their objects, what came and went, references from the root down and from an object up, equal strings, detached objects,
// allocations over time.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { amount, bytes, clean, count, percent, plural, signed, tickStep, tickText } from "../format.ts";
import * as heap from "../heapdata.ts";
import type { AllocationStack, Bar, Change, Growth, HeapClass, HeapFile, HeapNode, SameText } from "../heapdata.ts";
import type { Derived, Rows } from "../api.ts";
import { Chart, COLOURS } from "../parts/chart.tsx";
import { Choice, Failure, Waiting } from "../parts/frame.tsx";
import { graphColours } from "../parts/icicle.tsx";
import { searched } from "../parts/search.ts";
import { isChosen } from "../parts/sources.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { database, numberParam, param, setParams, theme } from "../state.ts";
import { useDerived, useLoad, useSize, type Loaded } from "../use.ts";

type Part = "summary" | "comparison" | "growth" | "containment" | "strings" | "detached" | "allocations";

export function Heap(): JSX.Element {
  const db = database.value?.name ?? "";
  const derived = useDerived();
  const files = useLoad(`${db} ${derived.state}`, (signal) => heap.heapFiles({ db, signal }));
  if (files.error !== undefined) {
    return <Failure error={files.error} />;
  }
  if (files.data === undefined) {
    return <Waiting what="reading heaps" />;
  }
  const list = files.data.filter((one) => isChosen(one.source));
  const part = (param("part") || "summary") as Part;
  // What is compared without being chosen is the newest heap.
  const file = list.find((one) => String(one.id) === param("file")) ?? (part === "comparison" ? list[list.length - 1] : list[0]);
  if (file === undefined) {
    return <p class="none big">{files.data.length === 0 ? "No heap has objects" : "No heap is of the chosen source"}</p>;
  }
  const others = files.data.filter((one) => one.id !== file.id);
  const base = others.find((one) => String(one.id) === param("base")) ?? list[list.indexOf(file) - 1] ?? others.find((one) => one.id === file.base) ?? others[0];
  const shown = `${file.id} ${file.analysed}`;
  const node = numberParam("node");
  const fileName = (one: HeapFile): string => `${clean(one.name, 60) || `heap ${one.id}`}, ${bytes(one.selfSize)}`;
  return (
    <div class="heap">
      <div class="bar">
        <select aria-label="Snapshot" value={String(file.id)} onChange={(e) => setParams({ file: e.currentTarget.value, node: undefined })}>
          {list.map((one) => <option value={String(one.id)} key={one.id}>{fileName(one)}</option>)}
        </select>
        <Choice<Part> label="Part" value={part} onChange={(v) => setParams({ part: v === "summary" ? undefined : v, id0: undefined, id1: undefined, class: undefined })} options={[
          ["summary", "Summary"],
          ["comparison", "Comparison", others.length > 0 ? undefined : "There is only one snapshot"],
          ["growth", "Growth", list.length > 1 ? undefined : "There is only one snapshot"],
          ["containment", "Containment"], ["strings", "Strings"], ["detached", "Detached"],
          ["allocations", "Allocations", file.samples > 0 || file.traces > 0 ? undefined : "This snapshot has no times or stacks of allocations"],
        ]} />
        {part === "comparison" && base !== undefined && (
          <label>compared with <select value={String(base.id)} onChange={(e) => setParams({ base: e.currentTarget.value })}>
            {others.map((one) => <option value={String(one.id)} key={one.id}>{fileName(one)}</option>)}
          </select></label>
        )}
        <span class="lead">{plural(file.nodes, "object")}{file.complete ? "" : <b class="bad"> incomplete</b>}{file.analysed ? "" : "  ·  sizes are self sizes"}</span>
        {!file.analysed && <Making derived={derived} />}
      </div>
      <div class="halves">
        <div class="upper">
          {part === "comparison" && base !== undefined ? <Comparison file={file} base={base} key={`${shown} ${base.id}`} />
            : part === "growth" ? <GrowthPart files={list} key={db} />
            : part === "containment" ? <Containment file={file} key={shown} />
            : part === "strings" ? <Strings file={file} key={file.id} />
            : part === "detached" ? <Detached file={file} key={file.id} />
            : part === "allocations" ? <Allocations file={file} key={file.id} />
            : <Summary file={file} key={shown} />}
        </div>
        {node !== undefined && <NodePane file={file} id={node} key={`${shown} ${node}`} />}
      </div>
    </div>
  );
}

/** What the server does about sizes that the database lacks. */
function Making({ derived }: { derived: Derived }): JSX.Element | null {
  if (derived.state === "runs") {
    return (
      <span class="running" role="status">
        <progress aria-label="Analysing the heap" />
        <span>retained sizes are being found out{(derived.read ?? 0) > 0 ? `, ${bytes(derived.read)} read` : ""}</span>
      </span>
    );
  }
  return <span class="lead">{derived.state === "failed" ? <b class="bad">{clean(derived.message, 300)}</b> : "--analyze=heap adds retained sizes"}</span>;
}

const showNode = (node: HeapNode): void => setParams({ node: String(node.index) });

function Answer<T>({ loaded, what, children }: { loaded: Loaded<T>; what: string; children: (data: T) => ComponentChildren }): JSX.Element {
  return <>{loaded.error !== undefined ? <Failure error={loaded.error} /> : loaded.data === undefined ? <Waiting what={what} /> : children(loaded.data)}</>;
}

const distanceText = (d: number | null): string => (d === null ? "–" : d >= 100000000 ? "system" : String(d));

/** The name of an object with what tells it from others. */
function NodeName({ node }: { node: HeapNode }): JSX.Element {
  const quote = node.type === "string" || node.type === "concatenated string" || node.type === "sliced string";
  return (
    <>
      {node.edge !== "" && <><span class={`edge ${node.edgeType}`}>{node.edgeType === "element" || node.edgeType === "hidden" ? `[${clean(node.edge, 60)}]` : clean(node.edge, 120)}</span><span class="unit"> : </span></>}
      <span class={quote ? "quoted" : undefined}>{quote ? `"${clean(node.name, 160)}"` : clean(node.name, 160) || `(${node.type})`}</span>
      <span class="unit"> @{node.id}</span>{node.detached && <span class="bad"> detached</span>}
    </>
  );
}

// --- summary ------------------------------------------------------------------------------------------------------------

interface SummaryRow {
  readonly key: string;
  readonly one: HeapClass | undefined;
  readonly node: HeapNode | undefined;
  readonly more: boolean;
}

function Summary({ file }: { file: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const [big, setBig] = useState(false);
  const asked = big && !file.analysed ? param("q") : "";
  const classes = useLoad(`${db} ${file.id} ${asked}`, (signal) => heap.heapClasses({ db, signal }, file, asked));
  useEffect(() => setBig((before) => before || (classes.data !== undefined && classes.data.all > classes.data.rows.length)), [classes.data]);
  const [sort, setSort] = useState<Sort>({ by: file.analysed ? "retained" : "size", down: true });
  const open = param("class");
  const [limit, setLimit] = useState(heap.PAGE);
  const chosen = classes.data?.rows.find((one) => one.key === open);
  const objects = useLoad(chosen === undefined ? "" : `${db} ${file.id} ${open} ${limit}`, (signal) => heap.heapObjects({ db, signal }, file, chosen as HeapClass, limit));
  useEffect(() => setLimit(heap.PAGE), [open]);
  const pass = searched();
  const filtered = (classes.data?.rows ?? []).filter((one) => pass === undefined || pass(one.name));
  const part = (one: Pick<HeapClass, "size" | "retained"> | undefined): number => (file.analysed ? one?.retained : one?.size) ?? 0;
  const whole = (pass === undefined ? file.selfSize : filtered.reduce((sum, one) => sum + part(one), 0)) || 1;
  const columns: readonly Column<SummaryRow>[] = [
    { id: "name", title: "Class", wide: true, value: (r) => r.one?.name ?? "", cell: (r) => (r.one !== undefined
      ? <><span class="twist" aria-hidden="true">{r.one.key === open ? "▾" : "▸"}</span>{clean(r.one.name, 300)}<span class="unit"> {r.one.place}</span></>
      : r.more ? <span class="indent link">{`${count(limit)} of ${count(chosen?.count)} shown, more`}</span>
      : r.node === undefined ? <span class="indent unit">reading objects</span> : <span class="indent"><NodeName node={r.node} /></span>) },
    { id: "count", title: "Objects", unit: "count", width: 110, value: (r) => r.one?.count ?? null, cell: (r) => (r.one === undefined ? "" : count(r.one.count)) },
    ...(file.analysed ? [{ id: "distance", title: "Distance", width: 90, number: true, value: (r: SummaryRow) => r.one?.distance ?? null, cell: (r: SummaryRow) => distanceText(r.one?.distance ?? r.node?.distance ?? null) }] : []),
    sizes("size", "Self size", (r) => r.one?.size ?? r.node?.size ?? null),
    ...(file.analysed ? [sizes<SummaryRow>("retained", "Retained size", (r) => r.one?.retained ?? r.node?.retained ?? null)] : []),
    { id: "share", title: "Share", width: 170, value: (r) => part(r.one), cell: (r) => (r.one === undefined && r.node === undefined ? "" : <Share part={part(r.one ?? r.node)} whole={whole} />) },
  ];
  const classRows = useMemo(() => filtered.map((one): SummaryRow => ({ key: one.key, one, node: undefined, more: false })), [classes.data, param("q")]);
  const ordered = useMemo(() => sorted(classRows, columns, sort), [classRows, sort]);
  const rows = useMemo(() => {
    const at = ordered.findIndex((r) => r.key === open);
    if (open === "" || at < 0) {
      return ordered;
    }
    const found = objects.data ?? [];
    const inside: SummaryRow[] = found.map((node) => ({ key: `node ${node.index}`, one: undefined, node, more: false }));
    if (objects.data === undefined) {
      inside.push({ key: "wait", one: undefined, node: undefined, more: false });
    } else if (chosen !== undefined && found.length < chosen.count && found.length >= limit) {
      inside.push({ key: "more", one: undefined, node: undefined, more: true });
    }
    return [...ordered.slice(0, at + 1), ...inside, ...ordered.slice(at + 1)];
  }, [ordered, open, objects.data, limit]);
  const selected = numberParam("node");
  if (objects.error !== undefined) {
    return <Failure error={objects.error} />;
  }
  return (
    <Answer loaded={classes} what="reading classes">{(all) => <>
      <Table label="Classes" columns={columns} rows={rows} sort={sort} onSort={setSort} keyOf={(r) => r.key} selected={selected === undefined ? open : `node ${selected}`}
        onRow={(r) => (r.one !== undefined ? setParams({ class: r.one.key === open ? undefined : r.one.key }) : r.more ? setLimit(limit * 4) : r.node !== undefined && showNode(r.node))} />
      <p class="count">{plural(classRows.length, "class", "classes")} of {count(all.all)}, {bytes(file.selfSize)}{all.all > all.rows.length ? ", the largest" : ""}
        {`; shares are of ${pass === undefined ? "the heap" : file.analysed ? "what these classes retain together" : "these classes"}, ${bytes(whole)}`}</p>
    </>}</Answer>
  );
}

/** Sizes, each in the unit that fits it: those of small objects are not lost beside large ones. */
const sizes = <R,>(id: string, title: string, value: (row: R) => number | null, plus = false): Column<R> => ({
  id, title, number: true, width: 130, value,
  cell: (r) => {
    const n = value(r);
    return n === null ? "" : <span title={`${count(n)} bytes`}>{plus ? signed(n, bytes(n)) : bytes(n)}</span>;
  },
});

function Share({ part, whole }: { part: number; whole: number }): JSX.Element {
  return (
    <span class="share">
      <span class="track" aria-hidden="true"><span class="fill" style={{ width: `${Math.max(0, Math.min(100, (100 * part) / whole))}%` }} /></span>
      <span>{percent(part, whole)}</span>
    </span>
  );
}

// --- comparison -----------------------------------------------------------------------------------------------------------

interface ChangeRow {
  readonly key: string;
  readonly one: Change | undefined;
  readonly node: HeapNode | undefined;
  /** What stands in the place of objects. */
  readonly note: string;
}

const changeColumns = (exact: boolean, open: string, paths: ReadonlyMap<number, readonly HeapNode[]>): readonly Column<ChangeRow>[] => [
  { id: "name", title: "Class", wide: true, value: (r) => r.one?.name ?? "", cell: (r) => (r.one !== undefined
    ? <>{(r.one.added ?? 0) > 0 && r.one.place !== null && <span class="twist" aria-hidden="true">{r.key === open ? "▾" : "▸"}</span>}{clean(r.one.name, 300)}{r.one.place !== null && r.one.place.line !== null && <span class="unit"> script {r.one.place.script}:{r.one.place.line}:{r.one.place.column}</span>}</>
    : r.node === undefined ? <span class="indent unit">{r.note}</span> : <span class="indent"><NodeName node={r.node} /><HeldBy steps={paths.get(r.node.index)} /></span>) },
  ...(exact ? [
    { id: "added", title: "New", unit: "count" as const, width: 100, value: (r: ChangeRow) => r.one?.added ?? null, cell: (r: ChangeRow) => (r.one === undefined ? "" : count(r.one.added)) },
    { id: "removed", title: "Gone", unit: "count" as const, width: 100, value: (r: ChangeRow) => r.one?.removed ?? null, cell: (r: ChangeRow) => (r.one === undefined ? "" : count(r.one.removed)) },
  ] : []),
  { id: "delta", title: "Difference", number: true, width: 110, value: (r) => r.one?.delta ?? null, cell: (r) => (r.one === undefined ? "" : signed(r.one.delta, count(r.one.delta))) },
  ...(exact ? [
    sizes<ChangeRow>("addedSize", "New size", (r) => r.one?.addedSize ?? r.node?.size ?? null),
    sizes<ChangeRow>("removedSize", "Gone size", (r) => r.one?.removedSize ?? null),
  ] : []),
  sizes<ChangeRow>("sizeDelta", "Growth", (r) => r.one?.sizeDelta ?? null, true),
];

/** What keeps an object: from it to the root. */
function HeldBy({ steps }: { steps: readonly HeapNode[] | undefined }): JSX.Element | null {
  if (steps === undefined) {
    return null;
  }
  const names = steps.slice(1).map((step, i) => `${clean(steps[i]?.edge, 60)} in ${clean(step.name, 60) || `(${step.type})`} @${step.id}`);
  const text = names.length === 0 ? " held by weak references only" : ` ← ${names.join(" ← ")}`;
  return <span class="unit" title={text}>{text}</span>;
}

const NEW_SHOWN = 30;

/** The new objects of the class that is open, and how each is held, one after the other as they are found. */
function useNewObjects(file: HeapFile, base: HeapFile, one: Change | undefined): { objects: Loaded<HeapNode[]>; paths: ReadonlyMap<number, readonly HeapNode[]> } {
  const db = database.value?.name ?? "";
  const key = one === undefined ? "" : `${db} ${file.id} ${base.id} ${heap.changeKey(one)}`;
  const objects = useLoad(key, (signal) => heap.heapNewObjects({ db, signal }, file, base.id, one as Change, NEW_SHOWN));
  const [paths, setPaths] = useState<ReadonlyMap<number, readonly HeapNode[]>>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    setPaths(new Map());
    void (async () => {
      for (const node of key === "" ? [] : objects.data ?? []) {
        const steps = await heap.heapPath({ db, signal: stop.signal }, file, node.index, 0);
        setPaths((now) => new Map(now).set(node.index, steps));
      }
    })().catch(() => undefined); // the object itself says why when it is chosen
    return () => stop.abort();
  }, [objects.data]);
  return { objects, paths };
}

function Comparison({ file, base }: { file: HeapFile; base: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const totals = useLoad(`${db} ${file.id} ${base.id}`, (signal) => heap.heapTotals({ db, signal }, file, base.id));
  const ids = useLoad(`${db} ${file.id} ${base.id} ids`, (signal) => heap.heapComparison({ db, signal }, file, base.id, file.analysed && base.analysed));
  const [sort, setSort] = useState<Sort>({ by: "sizeDelta", down: true });
  const exact = ids.data !== undefined && ids.data !== null;
  const how = exact ? "objects compared by their ids" : ids.data === null ? "by totals: the snapshots are of different runs, equal ids are no equal objects" : "by totals; objects are being compared";
  const pass = searched();
  const open = param("class");
  const changes = (ids.data ?? totals.data ?? []).filter((one) => pass === undefined || pass(one.name));
  const chosen = exact ? changes.find((one) => one.place !== null && heap.changeKey(one) === open) : undefined;
  const { objects, paths } = useNewObjects(file, base, chosen);
  const columns = useMemo(() => changeColumns(exact, open, paths), [exact, open, paths]);
  const growth = changes.reduce((sum, one) => sum + one.sizeDelta, 0);
  const rows = sorted(changes.map((one): ChangeRow => ({ key: heap.changeKey(one), one, node: undefined, note: "" })), columns, sort).flatMap((row): ChangeRow[] => {
    if (chosen === undefined || row.one !== chosen) {
      return [row];
    }
    const found = objects.data ?? [];
    const note = objects.data === undefined ? "finding new objects" : found.length < (chosen.added ?? 0) ? `${count(found.length)} of ${count(chosen.added)} new objects, those that retain most` : "";
    return [row, ...found.map((node): ChangeRow => ({ key: `node ${node.index}`, one: undefined, node, note: "" })), ...(note === "" ? [] : [{ key: "note", one: undefined, node: undefined, note }])];
  });
  if (ids.error !== undefined && totals.data === undefined) {
    return <Failure error={ids.error} />;
  }
  const node = numberParam("node");
  return (
    <>
      {objects.error !== undefined && <Failure error={objects.error} />}
      {!exact && totals.data === undefined ? <Waiting what="comparing" /> : (
        <Table label="Comparison" columns={columns} rows={rows} sort={sort} onSort={setSort} keyOf={(r) => r.key} empty="Nothing came or went" selected={node === undefined ? open : `node ${node}`}
          onRow={(r) => (r.node !== undefined ? setParams({ file: String(file.id), node: String(r.node.index) })
            : r.one === undefined ? undefined
            : r.one.place === null ? setParams({ part: undefined, q: r.one.name })
            : setParams({ class: r.key === open ? undefined : r.key }))} />
      )}
      <p class="count">{growth > 0 ? "+" : ""}{amount(growth, "bytes")} in {plural(changes.length, "class", "classes")}, {how}</p>
    </>
  );
}

// --- growth ---------------------------------------------------------------------------------------------------------------

const GROWTH_SHOWN = 500;
const heapTitle = (one: HeapFile): string => clean(one.name, 40) || `heap ${one.id}`;

/** Sizes of classes in all heaps: a chart of those that are chosen, at first of those that grew most, and a table of all. */
function GrowthPart({ files }: { files: readonly HeapFile[] }): JSX.Element {
  const db = database.value?.name ?? "";
  const loaded = useLoad(`${db} ${files.map((one) => one.id).join()}`, (signal) => heap.heapGrowth({ db, signal }, files));
  const [sort, setSort] = useState<Sort>({ by: "growth", down: true });
  const pass = searched();
  const all = (loaded.data ?? []).filter((one) => pass === undefined || pass(one.name));
  const asked = param("lines") === "" ? undefined : param("lines").split("\n");
  const drawn = asked === undefined ? all.slice(0, COLOURS - 1) : (loaded.data ?? []).filter((one) => asked.includes(one.name));
  const names = drawn.map((one) => one.name).join("\n");
  const chart = useMemo((): Rows => ({
    columns: ["heap", ...drawn.map((one) => one.name)], types: ["TEXT", ...drawn.map(() => "INTEGER")],
    rows: files.map((file, i) => [heapTitle(file), ...drawn.map((one) => (one.sizes[i] ?? 0) - (one.sizes[0] ?? 0))]), row_count: files.length, truncated: false, elapsed_ms: 0, error: null,
  }), [loaded.data, names]);
  const grew = (one: Growth): number => (one.sizes[one.sizes.length - 1] ?? 0) - (one.sizes[0] ?? 0);
  const columns: readonly Column<Growth>[] = [
    { id: "name", title: "Class", wide: true, value: (r) => r.name, cell: (r) => <><span class="twist" aria-hidden="true">{drawn.includes(r) ? "●" : "○"}</span>{clean(r.name, 300)}</> },
    ...files.map((file, i) => sizes<Growth>(`f${i}`, heapTitle(file), (r) => r.sizes[i] ?? null)),
    sizes("growth", "Growth", grew, true),
    { id: "objects", title: "Objects", number: true, width: 110, value: (r) => (r.counts[r.counts.length - 1] ?? 0) - (r.counts[0] ?? 0), cell: (r) => {
      const n = (r.counts[r.counts.length - 1] ?? 0) - (r.counts[0] ?? 0);
      return signed(n, count(n));
    } },
  ];
  return <Answer loaded={loaded} what="reading the classes of all heaps">{() => <>
    <div class="growth">{drawn.length === 0 ? <p class="none">No class is chosen</p> : <Chart kind="line" rows={chart} lines={drawn.map((_, i) => i + 1)} text={(n) => signed(n, bytes(n))} />}</div>
    <Table label="Growth" columns={columns} rows={sorted(all, columns, sort).slice(0, GROWTH_SHOWN)} sort={sort} onSort={setSort} keyOf={(r) => r.name} empty="All classes are as large in all heaps"
      onRow={(r) => setParams({ lines: (drawn.includes(r) ? drawn.filter((one) => one !== r) : [...drawn, r]).map((one) => one.name).join("\n") || undefined }, true)} />
    <p class="count">{plural(all.length, "class", "classes")} of which the size changed{all.length > GROWTH_SHOWN ? `, ${GROWTH_SHOWN} are shown` : ""}; self sizes, the chart is the growth since {heapTitle(files[0] as HeapFile)}</p>
  </>}</Answer>;
}

// --- trees of references --------------------------------------------------------------------------------------------------

interface TreeRow {
  readonly key: string;
  readonly depth: number;
  readonly node: HeapNode | undefined;
  /** Children from here on are not loaded. */
  readonly next: number;
  readonly parent: string;
}

interface Branch {
  readonly nodes: readonly HeapNode[];
  readonly whole: boolean;
}

type Load = (node: HeapNode, offset: number) => Promise<readonly HeapNode[]>;

/** Objects below objects, loaded when they are opened. */
function ObjectTree({ label, file, roots, load, openFirst }: { label: string; file: HeapFile; roots: readonly HeapNode[]; load: Load; openFirst?: boolean }): JSX.Element {
  const [branches, setBranches] = useState<ReadonlyMap<string, Branch>>(new Map());
  const [failed, setFailed] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const open = (key: string, node: HeapNode, offset: number): void => {
    load(node, offset).then(
      (nodes) => setBranches((now) => {
        const before = offset === 0 ? [] : now.get(key)?.nodes ?? [];
        return new Map(now).set(key, { nodes: [...before, ...nodes], whole: nodes.length < heap.PAGE });
      }),
      (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)),
    );
  };
  const close = (key: string): void => setBranches((now) => {
    const next = new Map(now);
    next.delete(key);
    return next;
  });
  useEffect(() => {
    const first = roots[0];
    setBranches(new Map());
    if (openFirst && first !== undefined) {
      open("0", first, 0);
    }
  }, [roots]);
  const rows: TreeRow[] = [];
  const pending: TreeRow[] = roots.map((node, i) => ({ key: String(i), depth: 0, node, next: -1, parent: "" })).reverse();
  while (pending.length > 0) {
    const row = pending.pop() as TreeRow;
    rows.push(row);
    const branch = row.node === undefined ? undefined : branches.get(row.key);
    if (branch !== undefined) {
      if (!branch.whole) {
        pending.push({ key: `${row.key}.more`, depth: row.depth + 1, node: undefined, next: branch.nodes.length, parent: row.key });
      }
      for (let i = branch.nodes.length - 1; i >= 0; i--) {
        pending.push({ key: `${row.key}.${i}`, depth: row.depth + 1, node: branch.nodes[i], next: -1, parent: row.key });
      }
    }
  }
  const find = (key: string): HeapNode | undefined => rows.find((r) => r.key === key)?.node;
  const toggle = (row: TreeRow): void => {
    if (row.node === undefined) {
      const parent = find(row.parent);
      if (parent !== undefined) {
        open(row.parent, parent, row.next);
      }
    } else if (branches.has(row.key)) {
      close(row.key);
    } else {
      open(row.key, row.node, 0);
    }
  };
  const every: readonly Column<TreeRow>[] = [
    { id: "name", title: "Object", wide: true, value: (r) => r.node?.name ?? "", cell: (r) => (
      <span style={{ paddingLeft: `${Math.min(r.depth, 40) * 14}px` }}>
        {r.node === undefined ? <button type="button" class="link" onClick={(e) => {
          e.stopPropagation();
          toggle(r);
        }}>more</button> : <>
          <button type="button" class="twist" aria-expanded={branches.has(r.key)} aria-label={`Open ${clean(r.node.name, 60)}`} tabIndex={-1} onClick={(e) => {
            e.stopPropagation();
            toggle(r);
          }}>{branches.has(r.key) ? "▾" : "▸"}</button>
          <NodeName node={r.node} />
        </>}
      </span>
    ) },
    { id: "type", title: "Type", width: 110, value: (r) => r.node?.type ?? "" },
    { id: "size", title: "Self size", number: true, width: 110, value: (r) => r.node?.size ?? null, cell: (r) => (r.node === undefined ? "" : bytes(r.node.size)) },
    ...(file.analysed ? [{ id: "retained", title: "Retained", width: 120, number: true, value: (r: TreeRow) => r.node?.retained ?? null, cell: (r: TreeRow) => (r.node?.retained === null || r.node === undefined ? "" : bytes(r.node.retained)) }] : []),
  ];
  const columns = every.filter((c) => c.id !== "retained" || rows.some((r) => r.node !== undefined && r.node.retained !== null));
  return (
    <div class="objects" ref={place} onKeyDown={(e) => {
      const at = e.target instanceof HTMLTableRowElement ? Number(e.target.dataset["row"]) : -1;
      const row = rows[at];
      if (row !== undefined && ((e.key === "ArrowRight" && !branches.has(row.key)) || (e.key === "ArrowLeft" && branches.has(row.key)))) {
        toggle(row);
        e.preventDefault();
      }
    }}>
      {failed !== "" && <p class="failure" role="alert">{clean(failed)}</p>}
      <Table label={label} columns={columns} rows={rows} keyOf={(r) => r.key} onRow={(r) => (r.node === undefined ? toggle(r) : showNode(r.node))} />
    </div>
  );
}

function Containment({ file }: { file: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const root = useLoad(`${db} ${file.id}`, (signal) => heap.heapNode({ db, signal }, file, 0));
  const roots = useMemo(() => (root.data === undefined ? [] : [root.data]), [root.data]);
  return <Answer loaded={root} what="reading the root">{() => <ObjectTree label="Objects from the root down" file={file} roots={roots} load={(node, offset) => heap.heapEdges({ db }, file, node.index, offset)} openFirst />}</Answer>;
}

// --- the chosen object ------------------------------------------------------------------------------------------------------

type Side = "retainers" | "references" | "dominated";

function NodePane({ file, id }: { file: HeapFile; id: number }): JSX.Element {
  const db = database.value?.name ?? "";
  const one = useLoad(`${db} ${file.id} ${id}`, (signal) => heap.heapNode({ db, signal }, file, id));
  const [k, setK] = useState(0);
  const path = useLoad(`${db} ${file.id} ${id} ${k}`, (signal) => heap.heapPath({ db, signal }, file, id, k));
  const side = (param("side") || "retainers") as Side;
  const roots = useMemo(() => (one.data === undefined ? [] : [one.data]), [one.data]);
  const load: Load = (node, offset) => (side === "retainers" ? heap.heapRetainers({ db }, file, node.index, offset)
    : side === "references" ? heap.heapEdges({ db }, file, node.index, offset)
    : heap.heapDominated({ db }, file, node.index, offset));
  return (
    <section class="node" aria-label="The chosen object">
      <header class="bar">
        <h2>{one.data === undefined ? "Object" : <NodeName node={one.data} />}</h2>
        {one.data !== undefined && <span class="lead">{one.data.type}, {bytes(one.data.size)}{one.data.retained === null ? "" : `, retains ${bytes(one.data.retained)}`}{one.data.distance === null ? "" : `, distance ${distanceText(one.data.distance)}`}</span>}
        <Choice<Side> label="Around the object" value={side} onChange={(v) => setParams({ side: v === "retainers" ? undefined : v })} options={[
          ["retainers", "Retainers"], ["references", "References"],
          ["dominated", "Dominated", file.analysed ? undefined : "Dominators need --analyze=heap"],
        ]} />
        <span class="gap" />
        <button type="button" class="quiet" onClick={() => setParams({ node: undefined })} aria-label="Close the object">×</button>
      </header>
      <div class="columns2">
        <div class="path">
          <h3>Path to the root</h3>
          <Answer loaded={path} what="finding the path">{(steps) => (steps.length === 0 ? <p class="lead">{k === 0 ? "No path without weak references" : <>No more paths <button type="button" class="link" onClick={() => setK(0)}>first path</button></>}</p> : <>
            <ol tabIndex={0} aria-label="Path to the root">
              {steps.map((step, i) => <li key={i}><button type="button" class="link" onClick={() => showNode(step)}>{clean(step.name, 90) || `(${step.type})`}</button><span class="unit"> @{step.id}{i < steps.length - 1 && <> held by <b>{clean(step.edge, 80)}</b> in</>}</span></li>)}
            </ol>
            <button type="button" class="link" onClick={() => setK(k + 1)}>next path</button>
          </>)}</Answer>
        </div>
        <Answer loaded={one} what="reading the object">{(node) => (node === undefined ? <p class="none">There is no object with this number in the snapshot</p>
          : <ObjectTree key={side} label={side} file={file} roots={roots} load={load} openFirst />)}</Answer>
      </div>
    </section>
  );
}

// --- strings, detached, allocations -----------------------------------------------------------------------------------------

const stringColumns: readonly Column<SameText>[] = [
  sizes("wasted", "Wasted", (r) => r.wasted),
  { id: "count", title: "Copies", unit: "count", width: 90, value: (r) => r.count },
  sizes("size", "Size of all", (r) => r.size),
  { id: "text", title: "String", wide: true, code: true, value: (r) => r.text, cell: (r) => <span title={clean(r.text, 1000)}>{clean(r.text, 200)}</span> },
];

function Strings({ file }: { file: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const loaded = useLoad(`${db} ${file.id}`, (signal) => heap.heapStrings({ db, signal }, file));
  const [sort, setSort] = useState<Sort>({ by: "wasted", down: true });
  const pass = searched();
  return <Answer loaded={loaded} what="finding equal strings">{(all) => <>
    <Table label="Equal strings" columns={stringColumns} rows={sorted(all.filter((r) => pass === undefined || pass(r.text)), stringColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => r.text} empty="No string is there twice" />
    <p class="count">{bytes(all.reduce((sum, r) => sum + r.wasted, 0))} in {plural(all.length, "string")} that {all.length === 1 ? "is" : "are"} there more than once</p>
  </>}</Answer>;
}

const nodeColumns: readonly Column<HeapNode>[] = [
  { id: "name", title: "Object", wide: true, value: (r) => r.name, cell: (r) => <NodeName node={r} /> },
  { id: "type", title: "Type", width: 140, value: (r) => r.type },
  sizes("size", "Self size", (r) => r.size),
];

function Nodes({ label, rows, empty }: { label: string; rows: readonly HeapNode[]; empty: string }): JSX.Element {
  const [sort, setSort] = useState<Sort>({ by: "size", down: true });
  const pass = searched();
  return <Table label={label} columns={nodeColumns} rows={sorted(rows.filter((r) => pass === undefined || pass(r.name)), nodeColumns, sort)} sort={sort} onSort={setSort}
    keyOf={(r) => r.index} selected={numberParam("node") ?? -1} onRow={showNode} empty={empty} />;
}

function Detached({ file }: { file: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const loaded = useLoad(`${db} ${file.id}`, (signal) => heap.heapDetached({ db, signal }, file));
  return <Answer loaded={loaded} what="finding detached objects">{(all) => <>
    <Nodes label="Detached objects" rows={all} empty="Nothing is detached" />
    <p class="count">{plural(all.length, "object")} cut off from the document, {bytes(all.reduce((sum, r) => sum + r.size, 0))}</p>
  </>}</Answer>;
}

const stackColumns: readonly Column<AllocationStack>[] = [
  sizes("liveSize", "Alive", (r) => r.liveSize),
  { id: "liveCount", title: "Objects", unit: "count", width: 90, value: (r) => r.liveCount },
  sizes("size", "Ever", (r) => r.size),
  { id: "count", title: "Objects", unit: "count", width: 90, value: (r) => r.count },
  { id: "stack", title: "Stack", wide: true, value: (r) => r.stack, cell: (r) => <span title={clean(r.stack, 3000)}>{clean(r.stack, 600).split(";").reverse().join(" ← ")}</span> },
];

function Allocations({ file }: { file: HeapFile }): JSX.Element {
  const db = database.value?.name ?? "";
  const bars = useLoad(file.samples === 0 ? "" : `${db} ${file.id}`, (signal) => heap.heapBars({ db, signal }, file));
  const low = numberParam("id0");
  const high = numberParam("id1");
  const some = low !== undefined && high !== undefined;
  const stacks = useLoad(some || file.traces === 0 ? "" : `${db} ${file.id}`, (signal) => heap.heapStacks({ db, signal }, file));
  const objects = useLoad(some ? `${db} ${file.id} ${low} ${high}` : "", (signal) => heap.heapAllocated({ db, signal }, file, low ?? 0, high ?? 0));
  const [sort, setSort] = useState<Sort>({ by: "liveSize", down: true });
  const pass = searched();
  return (
    <>
      {bars.error !== undefined && <Failure error={bars.error} />}
      {bars.data !== undefined && <Bars bars={bars.data} low={low} high={high} />}
      {some ? <Answer loaded={objects} what="finding objects">{(all) => <>
        <Nodes label="Objects allocated then" rows={all} empty="Nothing that was allocated then is alive" />
        <p class="count">{plural(all.length, "object")} of the chosen time{all.length >= 500 ? ", the largest" : ""} <button type="button" class="link" onClick={() => setParams({ id0: undefined, id1: undefined })}>all times</button></p>
      </>}</Answer>
        : file.traces === 0 ? <p class="none">Drag over the bars to see what was allocated then; stacks of allocations were not recorded</p>
        : <Answer loaded={stacks} what="reading stacks">{(all) => <Table label="Stacks of allocations" columns={stackColumns} rows={sorted(all.filter((r) => pass === undefined || pass(r.stack)), stackColumns, sort)} sort={sort} onSort={setSort} keyOf={(r) => `${r.stack} ${r.size} ${r.liveSize}`} empty="No stacks of allocations" />}</Answer>}
    </>
  );
}

const TALL = 130;

/** What was allocated when, of what is alive: bars by time. Dragging chooses objects by their numbers, which rise with time. */
function Bars({ bars, low, high }: { bars: readonly Bar[]; low: number | undefined; high: number | undefined }): JSX.Element {
  const [place, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const [at, setAt] = useState(0);
  const end = bars[bars.length - 1]?.us ?? 1;
  // What was there before the recording began is often more than all that came: its bar is cut off.
  const later = bars.slice(1).reduce((a, b) => Math.max(a, b.size), 0);
  const most = later > 0 && (bars[0]?.size ?? 0) > 4 * later ? 1.25 * later : bars.reduce((a, b) => Math.max(a, b.size), 1);
  const x = (us: number): number => (us / Math.max(1, end)) * size.width;
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || pen === null || pen === undefined || size.width < 20) {
      return;
    }
    const c = graphColours();
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(size.width * ratio);
    element.height = Math.round(TALL * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, TALL);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "top";
    const step = tickStep(end * 1000, Math.max(2, size.width / 110));
    for (let t = 0; t <= end * 1000; t += step) {
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(x(t / 1000)), 0, 1, TALL);
      pen.fillStyle = c.muted;
      pen.fillText(tickText(t, step, end * 1000), x(t / 1000) + 4, 1);
    }
    let before = 0;
    bars.forEach((bar) => {
      const left = x(before);
      const w = Math.max(3, x(bar.us) - left - 1);
      const h = (TALL - 20) * Math.min(1, bar.size / most);
      const inside = drag === null ? low === undefined || high === undefined || (bar.low >= low && bar.high <= high) : bar.us >= Math.min(drag.from, drag.to) && before <= Math.max(drag.from, drag.to);
      pen.fillStyle = c.accent;
      pen.globalAlpha = inside ? 0.8 : 0.25;
      pen.fillRect(left, TALL - 1 - h, w, h);
      pen.globalAlpha = 1;
      if (bar.size > most) {
        pen.fillStyle = c.bg;
        pen.fillRect(left - 1, TALL - 1 - h * 0.8, w + 2, 3);
      }
      before = bar.us;
    });
    pen.fillStyle = c.line;
    pen.fillRect(0, TALL - 1, size.width, 1);
  }, [bars, size.width, theme.value, drag, low, high]);
  const choose = (from: number, to: number): void => {
    let before = 0;
    let first: Bar | undefined;
    let last: Bar | undefined;
    for (const bar of bars) {
      if (bar.us >= from && before <= to) {
        first ??= bar;
        last = bar;
      }
      before = bar.us;
    }
    if (first !== undefined && last !== undefined) {
      setParams({ id0: String(first.low), id1: String(last.high) });
    }
  };
  const timeAt = (e: PointerEvent): number => {
    const box = canvas.current?.getBoundingClientRect();
    return box === undefined ? 0 : ((e.clientX - box.left) / Math.max(1, box.width)) * end;
  };
  const bar = bars[at];
  return (
    <div class="bars" ref={place}>
      <canvas ref={canvas} tabIndex={0} role="application"
        aria-label={`What was allocated when, of what is alive: ${plural(bars.length, "bar")}. Drag chooses a time; arrow keys and Enter choose a bar, Escape all. ${bar === undefined ? "" : `Bar ${at + 1}: ${count(bar.count)} objects, ${bytes(bar.size)}`}`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          setDrag({ from: timeAt(e), to: timeAt(e) });
        }}
        onPointerMove={(e) => drag !== null && setDrag({ from: drag.from, to: timeAt(e) })}
        onPointerUp={(e) => {
          if (drag !== null) {
            setDrag(null);
            choose(Math.min(drag.from, timeAt(e)), Math.max(drag.from, timeAt(e)));
          }
        }}
        onPointerCancel={() => setDrag(null)}
        onKeyDown={(e) => {
          if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
            const next = Math.max(0, Math.min(bars.length - 1, at + (e.key === "ArrowRight" ? 1 : -1)));
            setAt(next);
            e.preventDefault();
          } else if (e.key === "Enter" && bar !== undefined) {
            setParams({ id0: String(bar.low), id1: String(bar.high) });
          } else if (e.key === "Escape") {
            setParams({ id0: undefined, id1: undefined });
          }
        }} />
    </div>
  );
}
