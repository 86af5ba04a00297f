// The module: the library and the answers for the page (src/wasm/library), and how texts get into it.
import type { FileSystem } from "./files.ts";

export interface Module {
  readonly FS: FileSystem;
  /** Another one whenever its memory has grown. */
  readonly HEAPU8: Uint8Array;
  UTF8ToString(p: number): string;
  _malloc(n: number): number;
  _free(p: number): void;
  _module_open(code: number, flags: number, maxMemory: number, maxInflate: number, texts: number, database: number): number;
  _module_tell(session: number): void;
  _tst_add_path(session: number, path: number): number;
  _tst_finish(session: number): number;
  _tst_message(session: number): number;
  _tst_failure(session: number, i: number): number;
  _tst_path(session: number): number;
  _page_open(share: number, temporary: number, maxMemory: number): number;
  _page_add(page: number, path: number, name: number): number;
  _page_ask(answer: number, page: number, method: number, target: number, body: number, bodyLength: number): void;
}

export interface Options {
  readonly locateFile: (name: string) => string;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
  readonly progress: (what: string, done: number, total: number) => void;
}

/** The bytes with a zero byte after them, in memory that the caller frees. */
export function put(module: Module, bytes: Uint8Array): number {
  const p = module._malloc(bytes.length + 1);
  if (p === 0) {
    throw new Error("there is no memory left");
  }
  module.HEAPU8.set(bytes, p);
  module.HEAPU8[p + bytes.length] = 0;
  return p;
}

export const putText = (module: Module, text: string): number => put(module, new TextEncoder().encode(text));

export const word = (module: Module, p: number): number => new DataView(module.HEAPU8.buffer).getUint32(p, true);

/** Names and values as one text. */
export const putList = (module: Module, texts: Readonly<Record<string, string>>): number =>
  putText(module, `${Object.entries(texts).map(([name, value]) => `${name}\0${value}\0`).join("")}\0`);
