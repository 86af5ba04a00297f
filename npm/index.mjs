// Recordings as databases, in Node: the library (include/tracestreamer.h) as WebAssembly. Each recording has a module of its own.
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, parse, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const make = createRequire(import.meta.url)("./module/trace_streamer.cjs");

const [OK, ROW] = [0, 100];
const FLAGS = { index: 1, withTimes: 2, noMeta: 4, compat: 8, strict: 16, keepGoing: 32 };
const TEXTS = { format: "format", analyze: "analyze", timeRange: "time_range", symbols: "symbols", syscalls: "syscalls", jfrEvents: "jfr_events", viewer: "viewer" };
const PATHS = new Set(["symbols"]);
const OTHERS = new Set(["name", "maxMemory", "maxInflate", "tempDir", "onProgress"]);
const PIECE = 4 << 20;
const DATABASE = Buffer.from("SQLite format 3\0");

export class TraceStreamerError extends Error {
  constructor(message, code) {
    super(message);
    this.name = "TraceStreamerError";
    this.code = code;
  }
}

let compiled;

async function load(onProgress) {
  compiled ??= WebAssembly.compile(readFileSync(join(here, "module/trace_streamer.wasm")));
  const code = await compiled;
  return make({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(code, imports).then((instance) => done(instance));
      return {};
    },
    print: () => undefined,
    printErr: () => undefined,
    progress: onProgress && ((what, done, total) => onProgress(what, done, total > 0 ? total : undefined)),
  });
}

/** The module's memory and file system, and texts in it. */
class Host {
  constructor(module) {
    this.module = module;
    this.roots = new Map(); // of the machine: each drive where there are drives
    module.FS.mkdir("/host");
  }

  /** The path by which the module has a file of the machine. */
  path(path) {
    const whole = resolve(path);
    const { root } = parse(whole);
    let place = this.roots.get(root);
    if (place === undefined) {
      place = `/host/${this.roots.size}`;
      const { FS } = this.module;
      FS.mkdir(place);
      FS.mount(FS.filesystems.NODEFS, { root }, place);
      this.roots.set(root, place);
    }
    return `${place}/${whole.slice(root.length).split(sep).join("/")}`;
  }

  /** A message with the paths as they were given. */
  shown(message) {
    let text = message;
    for (const [root, place] of this.roots) {
      text = text.replaceAll(`${place}/`, root);
    }
    return text;
  }

  put(bytes) {
    const p = this.module._malloc(bytes.length + 1);
    if (p === 0) {
      throw new TraceStreamerError("out of memory", 7);
    }
    this.module.HEAPU8.set(bytes, p);
    this.module.HEAPU8[p + bytes.length] = 0;
    return p;
  }

  /** Calls with texts, which are freed after it. */
  with(texts, call) {
    const places = texts.map((text) => (text === null ? 0 : this.put(Buffer.from(text))));
    try {
      return call(...places);
    } finally {
      places.forEach((p) => this.module._free(p));
    }
  }

  word(p) {
    return new DataView(this.module.HEAPU8.buffer).getUint32(p, true);
  }

  text(p) {
    return p === 0 ? "" : this.module.UTF8ToString(p);
  }
}

const listOf = (texts) => `${Object.entries(texts).map(([name, value]) => `${name}\0${value}\0`).join("")}\0`;

/** Rows of one statement, decoded in batches. */
class Rows {
  #recording;
  #rows;
  #batch = null;
  #at = 0;
  #left = 0;
  #more = true;

  constructor(recording, rows) {
    const { module } = recording.host;
    this.#recording = recording;
    this.#rows = rows;
    this.columns = Array.from({ length: module._tst_rows_columns(rows) }, (_, i) => recording.host.text(module._tst_rows_name(rows, i)));
  }

  [Symbol.iterator]() {
    return this;
  }

  next() {
    while (this.#left === 0 && this.#more) {
      this.#fill();
    }
    if (this.#left === 0) {
      this.return();
      return { done: true, value: undefined };
    }
    this.#left--;
    const row = {};
    for (const name of this.columns) {
      row[name] = this.#cell();
    }
    return { done: false, value: row };
  }

  return(value) {
    this.#more = false;
    this.#left = 0;
    if (this.#rows !== 0) {
      this.#recording.free(this);
      this.#recording.host.module._tst_rows_free(this.#rows);
      this.#rows = 0;
    }
    return { done: true, value };
  }

  #fill() {
    const { host } = this.#recording;
    const { module } = host;
    const out = module._malloc(12);
    const p = module._module_rows(out, out + 4, out + 8, this.#rows);
    const [code, size, count] = [0, 4, 8].map((at) => host.word(out + at));
    this.#batch = Buffer.from(module.HEAPU8.slice(p, p + size).buffer);
    module._free(p);
    module._free(out);
    this.#at = 0;
    this.#left = count;
    this.#more = code === ROW;
    if (code !== ROW && code !== OK) {
      const error = this.#recording.error(code);
      this.return();
      throw error;
    }
  }

  #cell() {
    const b = this.#batch;
    const type = b[this.#at++];
    let at = this.#at;
    if (type === 0) {
      return null;
    }
    if (type === 1 || type === 2) {
      this.#at += 8;
      if (type === 2) {
        return b.readDoubleLE(at);
      }
      const value = b.readBigInt64LE(at);
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
    }
    const n = b.readUInt32LE(at);
    at += 4;
    this.#at = at + n;
    return type === 3 ? b.toString("utf8", at, at + n) : new Uint8Array(b.subarray(at, at + n));
  }
}

export class Recording {
  #session = 0;
  #temp;
  #open = new Set();
  failures = [];
  losses = 0;

  constructor(host, temp) {
    this.host = host;
    this.#temp = temp;
    Object.defineProperty(this, "host", { enumerable: false });
  }

  /** Not for callers: open does it. */
  begin(options, database) {
    const { host } = this;
    const { module } = host;
    const texts = { temp_dir: host.path(this.#temp), share_dir: host.path(join(here, "share")) };
    let flags = 0;
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) {
        continue;
      }
      if (name in FLAGS) {
        flags |= value ? FLAGS[name] : 0;
      } else if (name in TEXTS) {
        texts[TEXTS[name]] = PATHS.has(name) ? host.path(value) : String(value);
      } else if (!OTHERS.has(name)) {
        throw new TraceStreamerError(`there is no option "${name}"`, 2);
      }
    }
    const code = module._malloc(4);
    this.#session = host.with([listOf(texts), database === undefined ? null : host.path(database)], (list, path) =>
      module._module_open(code, flags, options.maxMemory ?? 0, options.maxInflate ?? 0, list, path));
    const failed = host.word(code);
    module._free(code);
    this.check(failed);
    if (options.onProgress !== undefined) {
      module._module_tell(this.#session);
    }
  }

  async convert(input, options) {
    const { host } = this;
    const { module } = host;
    if (typeof input === "string" || Array.isArray(input)) {
      for (const path of [input].flat()) {
        this.check(host.with([host.path(path)], (p) => module._tst_add_path(this.#session, p)));
      }
    } else {
      this.check(host.with([options.name ?? "-"], (p) => module._tst_name(this.#session, p)));
      for await (const piece of input instanceof Uint8Array ? [input] : input) {
        this.#feed(piece);
      }
      this.check(module._tst_feed(this.#session, 0, 0, 1), true);
    }
    const failed = module._tst_finish(this.#session);
    for (let i = 0, p = 0; (p = module._tst_failure(this.#session, i)) !== 0; i++) {
      this.failures.push(host.shown(host.text(p)));
    }
    this.check(failed);
    this.losses = module._module_losses(this.#session);
  }

  #feed(bytes) {
    const { host } = this;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      const p = host.put(piece);
      const code = host.module._tst_feed(this.#session, p, piece.length, 0);
      host.module._free(p);
      this.check(code);
    }
  }

  error(code) {
    const text = this.#session === 0 ? "" : this.host.text(this.host.module._tst_message(this.#session));
    return new TraceStreamerError(this.host.shown(text) || this.failures.join("\n") || "it failed", code);
  }

  check(code) {
    if (code !== OK) {
      throw this.error(code);
    }
  }

  free(rows) {
    this.#open.delete(rows);
  }

  #rows(text, params, isQuestion) {
    const { host } = this;
    if (this.#session === 0) {
      throw new TraceStreamerError("the recording was closed", 2);
    }
    const code = host.module._malloc(4);
    const rows = host.with([text, listOf(params)], (t, list) => host.module._module_query(code, this.#session, t, list, isQuestion));
    const failed = host.word(code);
    host.module._free(code);
    this.check(failed);
    const made = new Rows(this, rows);
    this.#open.add(made);
    return made;
  }

  query(sql, params = {}) {
    return this.#rows(sql, params, 0);
  }

  ask(question, params = {}) {
    return this.#rows(question, params, 1);
  }

  save(path, { force = false } = {}) {
    this.check(this.host.with([this.host.path(path)], (p) => this.host.module._tst_save(this.#session, p, force ? 1 : 0)));
  }

  close() {
    if (this.#session !== 0) {
      [...this.#open].forEach((rows) => rows.return());
      this.host.module._tst_close(this.#session);
      this.#session = 0;
    }
    rmSync(this.#temp, { recursive: true, force: true });
  }

  [Symbol.dispose ?? Symbol("dispose")]() {
    this.close();
  }
}

function isDatabase(path) {
  const head = Buffer.alloc(DATABASE.length);
  let file;
  try {
    file = openSync(path, "r");
    return readSync(file, head, 0, head.length, 0) === head.length && head.equals(DATABASE);
  } catch {
    return false; // the library says what is wrong with it
  } finally {
    if (file !== undefined) {
      closeSync(file);
    }
  }
}

export async function open(input, options = {}) {
  const given = input instanceof URL ? fileURLToPath(input) : input;
  const host = new Host(await load(options.onProgress));
  const recording = new Recording(host, mkdtempSync(join(realpathSync(options.tempDir ?? tmpdir()), "trace-streamer-")));
  try {
    if (typeof given === "string" && isDatabase(given)) {
      recording.begin(options, given);
    } else {
      recording.begin(options);
      await recording.convert(given, options);
    }
  } catch (error) {
    recording.close();
    throw error;
  }
  return recording;
}

export async function version() {
  const module = await load();
  return module.UTF8ToString(module._tst_version());
}
