// The databases of a page without a server: each has a worker with a module of its own, so that recordings are converted side by side, and one that
// needs too much memory takes nothing else with it. What the page asks goes to the worker of its database; what no worker has begun can be cancelled.
import type { Info, Transport } from "../api.ts";
import type { Order, Said } from "./worker.ts";

/** The name of the worker's script; put in when the page is made. */
declare const WORKER: string;

type Ask = Extract<Order, { do: "ask" }>;
type Answer = Extract<Said, { said: "answer" }>;
type Report = (what: string, progress: number | undefined) => void;

interface Waiting {
  readonly order: Order;
  readonly report: Report;
  readonly done: (said: Said) => void;
  readonly failed: (error: Error) => void;
  readonly signal: AbortSignal | undefined;
}

const cancelled = (): DOMException => new DOMException("cancelled", "AbortError");

/** A worker, which is told one thing at a time. */
class Teller {
  private readonly worker: Worker;
  private readonly queue: Waiting[] = [];
  private running: Waiting | undefined;
  private gone: Error | undefined;

  constructor(url: string) {
    this.worker = new Worker(url);
    this.worker.onmessage = (event: MessageEvent<Said>) => this.hear(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(event.message || "the module has failed"));
    };
  }

  tell(order: Order, report: Report, signal?: AbortSignal): Promise<Said> {
    return new Promise((done, failed) => {
      if (this.gone !== undefined || signal?.aborted === true) {
        failed(this.gone ?? cancelled());
        return;
      }
      // What runs goes on without the one who asked: the worker hears nothing before it is done.
      signal?.addEventListener("abort", () => failed(cancelled()), { once: true });
      this.queue.push({ order, report, done, failed, signal });
      this.next();
    });
  }

  end(error: Error): void {
    this.gone = error;
    this.worker.terminate();
    for (const one of [...(this.running === undefined ? [] : [this.running]), ...this.queue.splice(0)]) {
      one.failed(error);
    }
    this.running = undefined;
  }

  private next(): void {
    while (this.running === undefined && this.queue.length > 0) {
      const one = this.queue.shift() as Waiting;
      if (one.signal?.aborted !== true) {
        this.running = one;
        this.worker.postMessage(one.order);
      }
    }
  }

  private hear(said: Said): void {
    const one = this.running;
    if (said.said === "progress") {
      one?.report(said.what, said.progress);
      return;
    }
    this.running = undefined;
    if (said.said === "failed") {
      one?.failed(new Error(said.message));
    } else {
      one?.done(said);
    }
    this.next();
  }
}

interface Opened {
  readonly name: string;
  readonly teller: Teller;
}

const base = new URL(".", import.meta.url);
const opened: Opened[] = [];
const taken = new Set<string>();

function freeName(wanted: string): string {
  let name = wanted;
  for (let i = 2; taken.has(name); i++) {
    name = `${wanted}~${i}`;
  }
  taken.add(name);
  return name;
}

export interface Opening {
  readonly name: string;
  /** Why files of it could not be read, when others could. */
  readonly done: Promise<readonly string[]>;
  readonly cancel: () => void;
}

/** Makes one database of the files; it is among the databases when `done` is. */
export function openFiles(files: readonly File[], index: boolean, report: Report): Opening {
  const name = freeName(files[0]?.name ?? "recording");
  const teller = new Teller(new URL(WORKER, base).href);
  const order: Order = { do: "open", files, name, module: new URL("../module", base).href, index };
  const done = teller.tell(order, report).then(
    (said) => {
      opened.push({ name, teller });
      return said.said === "opened" ? said.lost : [];
    },
    (error: unknown) => {
      taken.delete(name);
      teller.end(error as Error);
      throw error;
    },
  );
  return { name, done, cancel: () => teller.end(cancelled()) };
}

/** The database as a file. */
export async function fileOf(name: string): Promise<Blob | undefined> {
  const one = opened.find((o) => o.name === name);
  const said = await one?.teller.tell({ do: "save" }, () => undefined);
  return said?.said === "saved" ? said.blob : undefined;
}

// --- requests -----------------------------------------------------------------------------------------------------------

const json = (status: number, value: unknown): Response => new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });

const failure = (status: number, code: string, message: string): Response => json(status, { error: { code, message } });

function wanted(url: URL, init: RequestInit): string {
  if (init.method !== "POST") {
    return url.searchParams.get("db") ?? "";
  }
  const { db } = JSON.parse(String(init.body)) as { db?: string };
  return db ?? "";
}

async function answerOf(one: Opened, url: string, init: RequestInit, report: Report): Promise<Answer> {
  const order: Ask = { do: "ask", method: init.method ?? "GET", target: url, body: typeof init.body === "string" ? init.body : "" };
  return (await one.teller.tell(order, report, init.signal ?? undefined)) as Answer;
}

/** All databases, as a server that has them says it. */
async function infoOf(url: string, init: RequestInit, report: Report): Promise<Response> {
  const texts = await Promise.all(opened.map(async (one): Promise<Info> => {
    try {
      return JSON.parse(new TextDecoder().decode((await answerOf(one, url, init, report)).bytes)) as Info;
    } catch (error) {
      if (init.signal?.aborted === true) {
        throw error;
      }
      return { version: "", databases: [{ name: one.name, etag: "", bytes: 0, origin: "0", tables: {}, has: [] }], limits: {} };
    }
  }));
  const known = texts.find((one) => one.version !== "") ?? texts[0];
  return json(200, { ...known, databases: texts.flatMap((one) => one.databases) });
}

/** Asks the workers instead of a server. */
export const askWorkers: Transport = async (url, init, report) => {
  const parsed = new URL(url, base);
  if (parsed.pathname === "/api/info") {
    return infoOf(url, init, report);
  }
  const name = wanted(parsed, init);
  const one = name === "" ? opened[0] : opened.find((o) => o.name === name);
  if (one === undefined) {
    return failure(404, "not_found", "there is no such database");
  }
  try {
    const { status, type, bytes, file } = await answerOf(one, url, init, report);
    return new Response(bytes, { status, headers: { "Content-Type": type, ...(file === "" ? {} : { "Content-Disposition": `attachment; filename="${file}"` }) } });
  } catch (error) {
    if (init.signal?.aborted === true) {
      throw error;
    }
    return failure(500, "module", error instanceof Error ? error.message : String(error));
  }
};
