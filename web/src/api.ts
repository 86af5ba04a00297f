// What the server is asked for.
import { signal } from "@preact/signals";

export interface Database {
  readonly name: string;
  readonly etag: string;
  readonly bytes: number;
  readonly origin: string;
  readonly tables: Readonly<Record<string, number>>;
  readonly has: readonly string[];
  /** Rows of analyses that the database lacks, in a copy that the server makes. */
  readonly derived?: Derived;
}

export interface Derived {
  readonly state: "none" | "runs" | "done" | "failed";
  /** Bytes, while it runs. */
  readonly read?: number;
  /** Why it failed. */
  readonly message?: string;
}

export interface Info {
  readonly version: string;
  readonly databases: readonly Database[];
  readonly limits: Readonly<Record<string, number>>;
  /** Java VMs can be sampled. */
  readonly sampling?: boolean;
}

/** A number, text, NULL, bytes, or the beginning of a long text. */
export type Cell = number | string | null | { readonly base64: string } | { readonly text: string; readonly bytes: number };

export interface Rows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly row_count: number;
  readonly truncated: boolean;
  readonly elapsed_ms: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface QuestionParameter {
  readonly name: string;
  readonly text: string;
  readonly fallback: string | null;
  /** The question says nothing without it. */
  readonly required: boolean;
}

export interface Question {
  readonly name: string;
  readonly question: string;
  readonly topic: string;
  readonly fits: boolean;
  readonly parameters: readonly QuestionParameter[];
  readonly sql: string;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly offset?: number,
  ) {
    super(message);
  }
}

// --- what is running ------------------------------------------------------------------------------------------------

/** A request that the status line names when it takes longer than 300 ms. */
export interface Operation {
  readonly id: number;
  readonly what: string;
  readonly progress: number | undefined;
  readonly cancel: () => void;
}

export const operations = signal<readonly Operation[]>([]);
export const lastReply = signal("");
/** Requests that wait for dragging or typing to end. */
export const waiting = signal(0);
let nextOperation = 1;

function begin(what: string, cancel: () => void): Operation {
  const operation = { id: nextOperation++, what, progress: undefined, cancel };
  operations.value = [...operations.value, operation];
  return operation;
}

function report(id: number, change: Partial<Operation>): void {
  operations.value = operations.value.map((one) => (one.id === id ? { ...one, ...change } : one));
}

function end(id: number): void {
  operations.value = operations.value.filter((one) => one.id !== id);
}

// --- who is asked ---------------------------------------------------------------------------------------------------

/** Carries a request to who answers it. report: how far it is, from 0 to 1, where that is told before the answer comes. */
export type Transport = (url: string, init: RequestInit, report: (what: string, progress: number | undefined) => void) => Promise<Response>;

let transport: Transport = (url, init) => fetch(url, { ...init, credentials: "same-origin" });

/** Requests go to `other` instead of the server of the page. */
export function useTransport(other: Transport): void {
  transport = other;
}

/** What a page can do that has the databases itself. */
export interface Local {
  /** Lets the user choose recordings. */
  readonly open: () => void;
  /** The database as a file. */
  readonly save: (db: string) => void;
}

/** undefined: the databases are a server's. */
export const local = signal<Local | undefined>(undefined);

// --- requests -------------------------------------------------------------------------------------------------------

type Value = string | number | boolean | undefined | null;

export function urlOf(path: string, params: Readonly<Record<string, Value>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== "") {
      search.set(name, typeof value === "number" ? String(Math.round(value)) : String(value));
    }
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

const wait = (ms: number, stop: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(new DOMException("cancelled", "AbortError"));
    }, { once: true });
  });

async function failureOf(reply: Response): Promise<ApiError> {
  try {
    const { error } = (await reply.json()) as { error: { code: string; message: string; offset?: number } };
    return new ApiError(reply.status, error.code, error.message, error.offset);
  } catch {
    return new ApiError(reply.status, "http", `the server answers ${reply.status} ${reply.statusText}`);
  }
}

export interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly what?: string;
  /** Rows that have come so far. */
  readonly onRows?: ((n: number) => void) | undefined;
}

// Text as it comes; each line that ends is a row.
async function textOf(reply: Response, onRows: ((n: number) => void) | undefined): Promise<string> {
  if (onRows === undefined || reply.body === null) {
    return reply.text();
  }
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let lines = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    for (const byte of value) {
      lines += byte === 10 ? 1 : 0;
    }
    parts.push(decoder.decode(value, { stream: true }));
    onRows(lines);
  }
  parts.push(decoder.decode());
  return parts.join("");
}

async function request<T>(url: string, init: RequestInit, options: Options): Promise<T> {
  const stop = new AbortController();
  const outer = options.signal;
  if (outer?.aborted) {
    throw new DOMException("cancelled", "AbortError");
  }
  outer?.addEventListener("abort", () => stop.abort(), { once: true });
  const operation = begin(options.what ?? "reading", () => stop.abort());
  try {
    for (let waits = 0; ; waits++) {
      let reply: Response;
      try {
        reply = await transport(url, { ...init, signal: stop.signal }, (now, progress) => report(operation.id, { progress, what: now }));
      } catch (error) {
        if (stop.signal.aborted) {
          throw error;
        }
        throw new ApiError(0, "gone", "the server does not answer");
      }
      if (reply.status === 202) {
        const state = (await reply.json()) as { progress?: number; what?: string };
        report(operation.id, { progress: state.progress, what: state.what ?? operation.what });
        await wait(waits < 8 ? 20 : 250, stop.signal); // the server waits as well
        continue;
      }
      if (reply.status === 503) {
        report(operation.id, { what: "waiting for other queries" });
        await wait(1000, stop.signal);
        continue;
      }
      if (!reply.ok) {
        throw await failureOf(reply);
      }
      return JSON.parse(await textOf(reply, options.onRows)) as T;
    }
  } finally {
    end(operation.id);
  }
}

/** A reply of a view endpoint. While the server builds what it needs, it is asked again. */
export const get = <T>(path: string, params: Readonly<Record<string, Value>> = {}, options: Options = {}): Promise<T> =>
  request<T>(urlOf(path, params), {}, options);

/** What is open, without a word to the user; undefined when the server does not answer. brief: only names and etags. */
export async function look(brief: boolean): Promise<Info | undefined> {
  try {
    const reply = await transport(brief ? "/api/info?brief=1" : "/api/info", {}, () => undefined);
    return reply.ok ? ((await reply.json()) as Info) : undefined;
  } catch {
    return undefined;
  }
}

/** The same for what changes something: it is asked once. */
export const post = <T>(path: string, params: Readonly<Record<string, Value>> = {}, options: Options = {}): Promise<T> =>
  request<T>(urlOf(path, params), { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }, options);

/** A parameter of a statement; integers beyond 2^53 are bigints. */
export type Parameter = Cell | bigint;
export type Parameters = Readonly<Record<string, Parameter>>;

/** Parameters as JSON, with all digits of integers. */
export const parametersJson = (params: Parameters): string =>
  `{${Object.entries(params).map(([name, value]) => `${JSON.stringify(name)}:${typeof value === "bigint" ? String(value) : JSON.stringify(value)}`).join(",")}}`;

export interface QueryOptions extends Options {
  readonly db: string;
  readonly params?: Parameters;
  readonly limit?: number;
}

/** Rows of one statement. An error after the first row is thrown as well. */
export async function query(sql: string, options: QueryOptions): Promise<Rows> {
  const body = `{"db":${JSON.stringify(options.db)},"sql":${JSON.stringify(sql)},"params":${parametersJson(options.params ?? {})},"limit":${options.limit ?? 1000},"ints":"text"}`;
  const rows = await request<Rows>(
    "/api/query",
    { method: "POST", headers: { "Content-Type": "application/json" }, body },
    options,
  );
  if (rows.error !== null) {
    throw new ApiError(200, rows.error.code, rows.error.message);
  }
  return rows;
}

/** Rows as objects, which view code reads by name. */
export async function records(sql: string, options: QueryOptions): Promise<Record<string, Cell>[]> {
  return recordsOf(await query(sql, options));
}

export function recordsOf(rows: Pick<Rows, "columns" | "rows">): Record<string, Cell>[] {
  return rows.rows.map((row) => Object.fromEntries(rows.columns.map((name, i) => [name, row[i] ?? null])));
}

/** Rows of a shipped question. */
export async function ask(question: string, options: QueryOptions): Promise<Record<string, Cell>[]> {
  const params: Record<string, Value> = { db: options.db, question, limit: options.limit ?? 10000, ints: "text" };
  for (const [name, value] of Object.entries(options.params ?? {})) {
    params[`p.${name}`] = typeof value === "number" || typeof value === "string" ? value : typeof value === "bigint" ? String(value) : undefined;
  }
  const rows = await request<Rows>(urlOf("/api/query", params), {}, options);
  if (rows.error !== null) {
    throw new ApiError(200, rows.error.code, rows.error.message);
  }
  return recordsOf(rows);
}

export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

// --- cells ----------------------------------------------------------------------------------------------------------

/** A cell as text, as it is shown and copied. */
export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) {
    return "";
  }
  if (typeof cell === "object") {
    return "base64" in cell ? cell.base64 : cell.text;
  }
  return String(cell);
}

/** A cell as number; NULL and text are 0. */
export function cellNumber(cell: Cell | undefined): number {
  const value = typeof cell === "object" ? 0 : Number(cell ?? 0);
  return Number.isFinite(value) ? value : 0;
}
