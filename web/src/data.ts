// Replies of the server as the views want them: the one place that knows their shapes.
import { get, query, cellText, type Cell, type Question, type QuestionParameter } from "./api.ts";

interface Wanted {
  readonly db: string;
  readonly signal?: AbortSignal | undefined;
}

// --- threads ----------------------------------------------------------------------------------------------------------

export interface Thread {
  readonly key: string;
  readonly itid: number | null;
  readonly source: number | null;
  readonly tid: number | null;
  readonly name: string;
  readonly process: string;
  readonly count: number;
  readonly busy: number;
  readonly spark: readonly number[];
}

interface ThreadReply {
  readonly threads: readonly Readonly<Record<string, unknown>>[];
}

const numberOr = <T>(value: unknown, other: T): number | T => (typeof value === "number" ? value : typeof value === "string" && value !== "" ? Number(value) : other);
const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

export async function loadThreads(wanted: Wanted & { readonly src?: string }): Promise<Thread[]> {
  const reply = await get<ThreadReply>("/api/threads", { db: wanted.db, src: wanted.src }, { signal: wanted.signal, what: "reading threads" });
  return reply.threads.map((one, i) => ({
    key: `${i}`,
    itid: numberOr(one["itid"], null),
    source: numberOr(one["source_id"] ?? one["src"], null),
    tid: numberOr(one["tid"], null),
    name: textOf(one["name"] ?? one["thread"]),
    process: textOf(one["process"]),
    count: numberOr(one["count"], 0),
    busy: numberOr(one["busy_ns"] ?? one["busy"], 0),
    spark: (one["spark"] ?? one["busy_buckets"] ?? []) as number[],
  }));
}

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
      const fallback = p["default"] ?? /\(default:? ([^)]*)\)/.exec(text)?.[1] ?? null;
      return { name: textOf(p["name"]), text, fallback: fallback === null ? null : textOf(fallback) };
    }),
  }));
}

export type { Cell };
