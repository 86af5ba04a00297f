// host.mjs: the module as the viewer's worker loads and calls it: one call of the factory, which gives the module itself; pieces in the
// request buffer; answers through functions in its table.
import { createRequire } from "node:module";
import { join } from "node:path";
import { readFileSync } from "node:fs";

export const REQUEST = 4 << 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const FUNCTIONS = readFileSync(new URL("../../src/wasm/functions.txt", import.meta.url), "utf8").trim().split("\n");

export class Host {
  constructor(folder) {
    const factory = createRequire(import.meta.url)(join(folder, "trace_streamer_builtin.js"));
    this.lines = [];
    this.ready = false;
    this.module = factory({
      locateFile: (s) => join(folder, s),
      print: (line) => this.lines.push(line),
      printErr: (line) => this.lines.push(line),
      onRuntimeInitialized: () => (this.ready = true),
      onAbort: () => this.lines.push("abort"),
    });
    if (typeof this.module.then === "function" || !this.ready) {
      throw new Error("the factory does not return a module that is ready");
    }
    this.pieces = [];
    this.reply = this.module.addFunction((p, n, finish) => this.pieces.push({ bytes: this.module.HEAPU8.slice(p, p + n), finish }), "viii");
    this.replyType = this.module.addFunction((p, n, type, finish) => this.pieces.push({ bytes: this.module.HEAPU8.slice(p, p + n), type, finish }), "viiii");
    this.level = 0;
    this.begin();
  }

  begin() {
    this.module._TraceStreamerSetLogLevel(this.level);
    this.request = this.module._Initialize(REQUEST, this.reply, this.replyType, this.reply);
  }

  // The last result of TraceStreamerParseDataEx, and that of ParseDataOver.
  parse(bytes, size = REQUEST, { over = true, finish = true } = {}) {
    let result = -1;
    for (let at = 0; at < bytes.length; at += size) {
      const part = bytes.subarray(at, Math.min(at + size, bytes.length));
      this.module.HEAPU8.set(part, this.request);
      result = this.module._TraceStreamerParseDataEx(part.length, finish && at + size >= bytes.length ? 1 : 0);
      if (result === -1) {
        break;
      }
    }
    return { result, over: over ? this.module._TraceStreamerParseDataOver() : undefined };
  }

  put(bytes) {
    this.module.HEAPU8.set(bytes, this.request);
    this.pieces = [];
    return bytes.length;
  }

  joined() {
    return Buffer.concat(this.pieces.map((p) => p.bytes));
  }

  exportDatabase() {
    this.pieces = [];
    const result = this.module._WasmExportDatabase(this.reply);
    return { result, pieces: this.pieces, bytes: this.joined() };
  }

  // { result, pieces, text }
  sql(text) {
    const result = this.module._TraceStreamerSqlQueryEx(this.put(encoder.encode(text)));
    return { result, pieces: this.pieces, text: decoder.decode(this.joined()) };
  }

  // What the viewer makes of it, when the JSON is right.
  rows(text) {
    const answer = this.sql(text).text;
    return JSON.parse(answer.substring(answer.indexOf("\n") + 1).replace(/[\t\r\n]/g, ""));
  }

  proto(type, text) {
    const sql = encoder.encode(text);
    const all = new Uint8Array(4 + sql.length);
    new DataView(all.buffer).setUint32(0, type, true);
    all.set(sql, 4);
    const result = this.module._TraceStreamerSqlQueryToProtoCallback(this.put(all));
    return { result, pieces: this.pieces };
  }

  reset() {
    return this.module._TraceStreamerReset();
  }
}
