// The sources of a database by the names that people know, and which of them are chosen.
import { computed, signal } from "@preact/signals";
import { cellNumber, cellText, records, type Cell } from "../api.ts";
import { clean } from "../format.ts";
import { extent, param, relative, whole } from "../state.ts";

export interface Source {
  readonly id: number;
  readonly parent: number | null;
  readonly kind: string;
  /** The file that it is or that it is in. */
  readonly path: string;
  readonly name: string;
  /** Path and name, so that no two are called the same. */
  readonly title: string;
  readonly depth: number;
  /** ns on its clock, or null. */
  readonly start: bigint | null;
  readonly end: bigint | null;
}

/** Those of the database that is open, those in a file after it; undefined: not read yet. */
export const sources = signal<readonly Source[] | undefined>(undefined);
const known = (): readonly Source[] => sources.value ?? [];

const SOURCES = "SELECT id, parent_id, kind, path, name, start_ts, end_ts FROM source ORDER BY id LIMIT 10000";

type Row = Record<string, Cell>;
const label = (cell: Cell | undefined): string => (cell === null || cell === undefined ? "" : clean(cellText(cell), 300));
const time = (cell: Cell | undefined): bigint | null => (cell === null || cell === undefined || typeof cell === "object" ? null : BigInt(cell));

/** Rows of `source` as a list in which what was found in a file follows it. */
export function sourcesOf(rows: readonly Row[]): Source[] {
  const below = new Map<number, Row[]>();
  const ids = new Set(rows.map((row) => cellNumber(row["id"])));
  for (const row of rows) {
    const parent = row["parent_id"] === null || !ids.has(cellNumber(row["parent_id"])) ? 0 : cellNumber(row["parent_id"]);
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const list: Source[] = [];
  const used = new Set<string>();
  // Nothing recurses: what is still to be listed, the next one last.
  const open: { row: Row; above: Source | null }[] = (below.get(0) ?? []).map((row) => ({ row, above: null })).reverse();
  while (open.length > 0) {
    const { row, above } = open.pop() as { row: Row; above: Source | null };
    const id = cellNumber(row["id"]);
    const kind = label(row["kind"]).replace(/_/g, " ");
    const path = label(row["path"]) || (above?.path ?? "");
    const name = label(row["name"]);
    const part = above === null ? name : name || kind;
    let title = path === "" ? part || kind : part === "" || path.endsWith(part) ? path : `${path} › ${part}`;
    title = used.has(title) ? `${title} (#${id})` : title;
    used.add(title);
    const one = { id, parent: above?.id ?? null, kind, path, name, title, depth: (above?.depth ?? -1) + 1, start: time(row["start_ts"]), end: time(row["end_ts"]) };
    list.push(one);
    open.push(...(below.get(id) ?? []).map((next) => ({ row: next, above: one })).reverse());
    below.delete(id); // one that is its own ancestor ends here
  }
  return list;
}

/** Reads them; a database of another program may have none. */
export async function loadSources(db: string): Promise<Source[]> {
  return sourcesOf(await records(SOURCES, { db, limit: 10000, what: "reading sources" }).catch(() => []));
}

/** The source and all that was found in it. */
export function withBelow(all: readonly Source[], id: number): Set<number> {
  const set = new Set([id]);
  for (const one of all) {
    if (one.parent !== null && set.has(one.parent)) {
      set.add(one.id);
    }
  }
  return set;
}

/** The one that the URL names, by its number, path or name. */
export const chosenSource = computed<Source | undefined>(() => {
  const src = param("src");
  return src === "" ? undefined : known().find((one) => String(one.id) === src) ?? known().find((one) => one.path === src || one.name === src);
});

const chosenIds = computed<Set<number> | undefined>(() => {
  const one = chosenSource.value;
  return param("src") === "" ? undefined : one === undefined ? new Set() : withBelow(known(), one.id);
});

/** Whether something of a source is chosen: all, or what the URL names and what was found in it. */
export const isChosen = (source: number | null): boolean => chosenIds.value === undefined || (source !== null && chosenIds.value.has(source));

/** Their numbers as JSON, for statements that read it with json_each; null: all. */
export const chosenJson = (): string | null => (chosenIds.value === undefined ? null : JSON.stringify([...chosenIds.value]));

export const sourceTitle = (id: number | null): string => known().find((one) => one.id === id)?.title ?? (id === null ? "" : `source ${id}`);

/** The input that a source was found in. */
export function rootOf(id: number): number {
  const all = known();
  let at = all.find((one) => one.id === id);
  for (let steps = 0; at !== undefined && at.parent !== null && steps < all.length; steps++) {
    const { parent } = at;
    at = all.find((one) => one.id === parent);
  }
  return at?.id ?? id;
}

/** Choosing one of a list: those that have something, by `wanted`, and files that hold several of these. */
export function choices(wanted: ReadonlySet<number>): Source[] {
  const all = known();
  return all.filter((one) => {
    const inside = [...withBelow(all, one.id)].filter((id) => wanted.has(id)).length;
    return wanted.has(one.id) ? true : inside > 1 && inside < wanted.size;
  });
}

/** Sets what is looked at to what of the recording the chosen source is, as far as it says and the recording has it. */
export function lookAtChosen(): void {
  const ids = chosenIds.value;
  let [from, to] = [Infinity, -Infinity];
  for (const one of known()) {
    if (ids?.has(one.id) && one.start !== null && one.end !== null && one.end > one.start) {
      from = Math.min(from, relative(one.start));
      to = Math.max(to, relative(one.end));
    }
  }
  const all = whole.value;
  const inside = { from: Math.max(all.from, from), to: Math.min(all.to, to) };
  // A source whose clock is another one than that of its rows says nothing about them.
  extent.value = inside.from < inside.to ? inside : all;
}
