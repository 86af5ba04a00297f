// The worker of one database: converts the recordings that it is given, and answers the requests of the page about what came of them.
import { userFiles } from "./files.ts";
import { put, putList, putText, word, type Module, type Options } from "./module.ts";

/** What the page says to a worker; it says nothing more before there is an answer. */
export type Order =
  | { readonly do: "open"; readonly files: readonly File[]; readonly name: string; readonly module: string; readonly index: boolean }
  | { readonly do: "ask"; readonly method: string; readonly target: string; readonly body: string }
  | { readonly do: "save" };

/** What it says to the page. */
export type Said =
  | { readonly said: "progress"; readonly what: string; readonly progress: number | undefined }
  | { readonly said: "opened"; readonly lost: readonly string[] }
  | { readonly said: "answer"; readonly status: number; readonly type: string; readonly file: string; readonly bytes: ArrayBuffer }
  | { readonly said: "saved"; readonly blob: Blob }
  | { readonly said: "failed"; readonly message: string };

const scope = globalThis as unknown as {
  postMessage(said: Said, transfer?: readonly ArrayBuffer[]): void;
  onmessage: (event: MessageEvent<Order>) => void;
  importScripts(url: string): void;
  trace_streamer_module(options: Options): Promise<Module>;
};

const ANSWER = 16 + 120; // module_answer
const REPORT_MS = 100;
const PIECE = 4 << 20;
const DATABASE = "SQLite format 3\0";
const INDEX = 1; // TST_INDEX
const KEEP_GOING = 1 << 5; // TST_KEEP_GOING

let module: Module;
let page = 0;
let answer = 0;
let path = "";
let given: File | undefined; // a database as it was chosen
let reported = 0;
const errors: string[] = [];

function progress(what: string, done: number, total: number): void {
  const now = performance.now();
  if (now - reported > REPORT_MS) {
    reported = now;
    scope.postMessage({ said: "progress", what, progress: total > 0 ? Math.min(1, done / total) : undefined });
  }
}

/** Names of files, no two the same. */
function named(files: readonly File[]): Map<string, File> {
  const all = new Map<string, File>();
  for (const file of files) {
    const clean = file.name.replace(/[/\\\0]/g, "_") || "recording";
    let name = clean;
    for (let i = 2; all.has(name); i++) {
      name = `${i}-${clean}`;
    }
    all.set(name, file);
  }
  return all;
}

async function begin(url: string, files: ReadonlyMap<string, File>): Promise<void> {
  scope.importScripts(`${url}/trace_streamer.js`);
  const reply = await fetch(`${url}/questions.json`);
  const questions = (await reply.json()) as Record<string, string>;
  module = await scope.trace_streamer_module({ locateFile: (name) => `${url}/${name}`, print: () => undefined, printErr: (line) => errors.push(line), progress });
  module.FS.mkdir("/share");
  module.FS.mkdir("/share/sql");
  for (const [name, text] of Object.entries(questions)) {
    module.FS.writeFile(`/share/sql/${name}.sql`, text);
  }
  module.FS.mkdir("/in");
  module.FS.mount(userFiles(module.FS, files), {}, "/in");
}

/** Converts the files into one database, whose path it gives. */
function convert(names: Iterable<string>, index: boolean): { path: string; lost: string[] } {
  const code = module._malloc(4);
  const session = module._module_open(code, KEEP_GOING | (index ? INDEX : 0), 0, 0, putList(module, { analyze: "default,heap", temp_dir: "/chunks", share_dir: "/share" }), 0);
  let failed = word(module, code);
  if (failed === 0) {
    module._module_tell(session);
  }
  for (const name of names) {
    failed = failed !== 0 ? failed : module._tst_add_path(session, putText(module, `/in/${name}`));
  }
  failed = failed !== 0 ? failed : module._tst_finish(session);
  const lost: string[] = [];
  for (let i = 0, p = 0; (p = module._tst_failure(session, i)) !== 0; i++) {
    lost.push(module.UTF8ToString(p).replaceAll("/in/", ""));
  }
  if (failed !== 0) {
    throw new Error(lost.join("\n") || module.UTF8ToString(module._tst_message(session)).replaceAll("/in/", "") || "the recording cannot be read");
  }
  return { path: module.UTF8ToString(module._tst_path(session)), lost };
}

async function open(order: Extract<Order, { do: "open" }>): Promise<void> {
  const files = named(order.files);
  await begin(order.module, files);
  const [first] = files;
  let lost: readonly string[] = [];
  if (first !== undefined && files.size === 1 && (await first[1].slice(0, DATABASE.length).text()) === DATABASE) {
    path = `/in/${first[0]}`;
    given = first[1];
  } else {
    ({ path, lost } = convert(files.keys(), order.index));
  }
  answer = module._malloc(ANSWER);
  page = module._page_open(putText(module, "/share"), putText(module, "/chunks"), 0);
  const why = page === 0 ? 0 : module._page_add(page, putText(module, path), putText(module, order.name));
  if (page === 0 || why !== 0) {
    throw new Error(why === 0 ? "there is no memory left" : module.UTF8ToString(why));
  }
  scope.postMessage({ said: "opened", lost });
}

function ask(order: Extract<Order, { do: "ask" }>): void {
  const body = new TextEncoder().encode(order.body);
  const texts = [putText(module, order.method), putText(module, order.target), put(module, body)] as const;
  module._page_ask(answer, page, ...texts, body.length);
  texts.forEach((p) => module._free(p));
  const [status, at, n, type] = [0, 4, 8, 12].map((offset) => word(module, answer + offset)) as [number, number, number, number];
  const bytes = module.HEAPU8.slice(at, at + n).buffer as ArrayBuffer;
  scope.postMessage({ said: "answer", status, type: type === 0 ? "" : module.UTF8ToString(type), file: module.UTF8ToString(answer + 16), bytes }, [bytes]);
}

function save(): void {
  const parts: BlobPart[] = [];
  if (given === undefined) {
    const stream = module.FS.open(path, "r");
    for (let at = 0, n = 1; n > 0; at += n) {
      const piece = new Uint8Array(PIECE);
      n = module.FS.read(stream, piece, 0, PIECE, at);
      parts.push(new Blob([piece.subarray(0, n)])); // which the browser may keep elsewhere than in memory
    }
    module.FS.close(stream);
  }
  scope.postMessage({ said: "saved", blob: given ?? new Blob(parts, { type: "application/vnd.sqlite3" }) });
}

scope.onmessage = ({ data }) => {
  Promise.resolve()
    .then(() => (data.do === "open" ? open(data) : data.do === "ask" ? ask(data) : save()))
    .catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      scope.postMessage({ said: "failed", message: [text, ...errors.slice(-3)].join("\n") });
    });
};
