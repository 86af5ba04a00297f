// Replies of the server as the views want them: the one place that knows their shapes.
import { clean } from "./format.ts";
import { get, query, cellText, type Cell, type Question, type QuestionParameter } from "./api.ts";

interface Wanted {
  readonly db: string;
  readonly signal?: AbortSignal | undefined;
}

// --- threads ----------------------------------------------------------------------------------------------------------

/** One row of the server's list: a thread's samples of one event, or its calls. */
export interface Thread {
  readonly key: string;
  readonly itid: number | null;
  readonly source: number | null;
  readonly tid: number | null;
  readonly ipid: number | null;
  readonly pid: number | null;
  readonly name: string;
  readonly process: string;
  readonly kind: "sample" | "slice" | "sched";
  readonly event: string | null;
  readonly count: number;
  /** ns on a CPU; null: not known. */
  readonly cpu: number | null;
  readonly waiting: number | null;
  /** ns by what it waited for. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly paused: number | null;
  /** ns of its time of which nothing is known. */
  readonly unknown: number | null;
  readonly estimated: boolean;
  /** The same to sort by: 0 when it is not known. */
  readonly busy: number;
  readonly first: number;
  readonly last: number;
  readonly spark: readonly number[];
}

/** Tables of what OpenHarmony measures: of no thread. */
export const COUNTERS = ["measure", "sys_mem_measure", "process_measure", "xpower_measure", "cpu_usage", "diskio", "network", "live_process"];

/** Where the columns of spark lines are. */
export interface Axis {
  readonly from: number;
  readonly step: number;
}

export interface Threads {
  readonly threads: readonly Thread[];
  readonly samples: Axis | null;
  readonly slices: Axis | null;
  /** Values that samples have besides their time. */
  readonly values: readonly { readonly source: number; readonly name: string; readonly unit: string }[];
  readonly total: number;
}

interface ThreadsReply {
  readonly samples: Axis | null;
  readonly slices: Axis | null;
  readonly threads: readonly Readonly<Record<string, unknown>>[];
  readonly values: readonly Readonly<Record<string, unknown>>[];
  readonly row_count: number;
}

const numberOr = <T>(value: unknown, other: T): number | T => (typeof value === "number" ? value : typeof value === "string" && value !== "" ? Number(value) : other);
const textOf = (value: unknown): string => (value === null || value === undefined ? "" : typeof value === "object" && "text" in value ? String(value.text) : String(value));

export async function loadThreads(wanted: Wanted & { readonly src?: string; readonly px?: number }): Promise<Threads> {
  const reply = await get<ThreadsReply>("/api/threads", { db: wanted.db, src: wanted.src, px: wanted.px ?? 120, limit: 10000 }, { signal: wanted.signal, what: "reading threads" });
  return {
    samples: reply.samples,
    slices: reply.slices,
    total: reply.row_count,
    values: reply.values.map((one) => ({ source: numberOr(one["source_id"], 0), name: textOf(one["name"]), unit: textOf(one["unit"]) })),
    threads: reply.threads.map((one, i) => ({
      key: String(i),
      itid: numberOr(one["itid"], null),
      source: numberOr(one["source_id"], null),
      tid: numberOr(one["tid"], null),
      ipid: numberOr(one["ipid"], null),
      pid: numberOr(one["pid"], null),
      name: textOf(one["thread"]),
      process: textOf(one["process"]),
      kind: one["kind"] === "slice" || one["kind"] === "sched" ? one["kind"] : "sample",
      event: one["event"] === null || one["event"] === undefined ? null : textOf(one["event"]),
      count: numberOr(one["count"], 0),
      cpu: numberOr(one["busy_dur"], null),
      waiting: numberOr(one["wait_dur"], null),
      reasons: Object.fromEntries(Object.entries((one["waiting"] ?? {}) as Readonly<Record<string, unknown>>).map(([reason, ns]) => [reason, numberOr(ns, 0)])),
      paused: numberOr(one["paused"], null),
      unknown: numberOr(one["unknown"], null),
      estimated: one["estimated"] === true,
      busy: numberOr(one["busy_dur"], 0),
      first: numberOr(one["first"], 0),
      last: numberOr(one["last"], 0),
      spark: ((one["spark"] ?? []) as (number | string)[]).map(Number),
    })),
  };
}

/** A thread with all that was recorded of it. */
export interface WholeThread extends Thread {
  /** Its samples of each event, and its calls. */
  readonly parts: readonly Thread[];
}

/** Rows of the server's list by threads: what a thread did is the same in each of its rows. */
export function wholeThreads(rows: readonly Thread[]): WholeThread[] {
  const byThread = new Map<string, Thread[]>();
  for (const one of rows) {
    const key = one.itid === null ? `of ${one.source}` : String(one.itid);
    const mine = byThread.get(key);
    if (mine === undefined) {
      byThread.set(key, [one]);
    } else {
      mine.push(one);
    }
  }
  return [...byThread].map(([key, parts]) => {
    const first = parts[0] as Thread;
    // Lines of samples and of calls have axes of their own.
    const drawn = parts.filter((one) => one.kind === (parts.some((p) => p.kind === "sample" && p.spark.some((v) => v > 0)) ? "sample" : "slice"));
    return {
      ...first, key, parts,
      count: parts.reduce((sum, one) => sum + one.count, 0),
      spark: (drawn[0]?.spark ?? []).map((_, i) => drawn.reduce((sum, one) => sum + (one.spark[i] ?? 0), 0)),
    };
  });
}

/** What a thread is called in lists. */
export const threadName = (one: Pick<Thread, "name" | "itid" | "tid">): string => clean(one.name, 200) || (one.itid === null ? "(no thread)" : `thread ${one.tid ?? one.itid}`);

/** The same where equal names have to be told apart. */
export const threadLabel = (one: Pick<Thread, "name" | "itid" | "tid" | "process">): string =>
  `${threadName(one)}${one.name === "" || one.tid === null ? "" : ` (${one.tid})`}${one.process === "" ? "" : ` · ${clean(one.process.split(" ")[0]?.split("/").pop(), 40)}`}`;

// --- the schema ---------------------------------------------------------------------------------------------------------

export interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly description: string;
}

export interface SchemaTable {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly SchemaColumn[];
}

export interface Schema {
  readonly tables: readonly SchemaTable[];
}

const DOCUMENTED = "SELECT table_name, column_name, type, unit, description FROM schema_doc ORDER BY rowid";
const TABLES = `SELECT m.name, p.name, p.type, '', '' FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS p
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'`;

/** Tables and columns with what they mean; without schema_doc only their names. */
export async function loadSchema(wanted: Wanted): Promise<Schema> {
  const options = { ...wanted, limit: 20000, what: "reading the schema" };
  const rows = await query(DOCUMENTED, options).catch(() => query(TABLES, options));
  const tables = new Map<string, { name: string; description: string; columns: SchemaColumn[] }>();
  for (const [table, column, type, unit, description] of rows.rows) {
    const name = cellText(table);
    let one = tables.get(name);
    if (one === undefined) {
      one = { name, description: "", columns: [] };
      tables.set(name, one);
    }
    if (cellText(column) === "") {
      one.description = cellText(description);
    } else {
      one.columns.push({ name: cellText(column), type: cellText(type), unit: cellText(unit), description: cellText(description) });
    }
  }
  return { tables: [...tables.values()] };
}

// --- questions ------------------------------------------------------------------------------------------------------------

export async function loadQuestions(wanted: Wanted): Promise<Question[]> {
  const reply = await get<{ questions: readonly Readonly<Record<string, unknown>>[] }>("/api/questions", { db: wanted.db }, { signal: wanted.signal, what: "reading the questions" });
  return reply.questions.map((one) => ({
    name: textOf(one["name"]),
    question: textOf(one["question"]),
    topic: textOf(one["topic"]),
    fits: one["fits"] !== false,
    sql: textOf(one["sql"]),
    parameters: ((one["parameters"] ?? []) as Readonly<Record<string, unknown>>[]).map((p): QuestionParameter => {
      const text = textOf(p["text"] ?? p["description"]);
      const fallback = p["fallback"] ?? /\(default:? ([^)]*)\)/.exec(text)?.[1] ?? null;
      return { name: textOf(p["name"]), text, fallback: fallback === null ? null : textOf(fallback), required: p["required"] === true };
    }),
  }));
}

export type { Cell };
