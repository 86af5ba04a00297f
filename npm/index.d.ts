/** What the options of the command line of the same names do. */
export interface Options {
  /** The name of what is given as bytes; some formats are known by it. */
  name?: string;
  /** NAME or NAME:OPTIONS; without it the content says it. */
  format?: string;
  analyze?: string;
  /** FROM,UNTIL */
  timeRange?: string;
  /** A folder with programs, libraries and debug files. */
  symbols?: string;
  syscalls?: string;
  jfrEvents?: string;
  viewer?: string;
  index?: boolean;
  withTimes?: boolean;
  noMeta?: boolean;
  compat?: boolean;
  strict?: boolean;
  /** Inputs that cannot be opened are among the failures, instead of an error. */
  keepGoing?: boolean;
  /** Bytes; 0: no limit. */
  maxMemory?: number;
  maxInflate?: number;
  /** Where the database is until it is saved; without it a folder of its own below os.tmpdir(). */
  tempDir?: string;
  onProgress?: (what: string, done: number, total: number | undefined) => void;
}

/** INTEGER beyond 2^53 is a bigint, BLOB a Uint8Array. */
export type Value = null | number | bigint | string | Uint8Array;
export type Row = Record<string, Value>;
export type Params = Record<string, string | number | bigint>;

/** Rows as they are found. Leaving the loop, or `return`, ends the statement. */
export interface Rows extends IterableIterator<Row> {
  readonly columns: readonly string[];
}

/** `code` is the exit code of the command line: 1 input, 2 usage, 4 output, 5 format, 6 limit, 7 memory. */
export class TraceStreamerError extends Error {
  readonly code: number;
}

export class Recording {
  /** Why inputs could not be imported. */
  readonly failures: readonly string[];
  /** Issues that lost data (table import_issue). */
  readonly losses: number;
  /** Rows of SQL, which only reads; the values of :NAME are in params. */
  query(sql: string, params?: Params): Rows;
  /** Rows of a shipped question. */
  ask(question: string, params?: Params): Rows;
  /** The database as a file. It replaces a database of trace_streamer only, unless it is forced. */
  save(path: string, options?: { force?: boolean }): void;
  /** Removes what is temporary. */
  close(): void;
}

export type Input = string | readonly string[] | URL | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Converts recordings, given by paths, as bytes, or piece by piece; or opens a finished database, by its path. */
export function open(input: Input, options?: Options): Promise<Recording>;

/** The version of trace_streamer. */
export function version(): Promise<string>;
