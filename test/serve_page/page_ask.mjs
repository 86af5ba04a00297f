#!/usr/bin/env node
// page_ask.mjs MODULE SHARE DATABASE...: page_ask.c by the module in the folder MODULE: the same requests, the same answers.
import { createRequire } from "node:module";
import { readFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, share, ...databases] = process.argv.slice(2);
const made = { exports: {} };
new Function("module", "exports", "require", "__dirname", "__filename", readFileSync(join(folder, "trace_streamer.js"), "utf8"))(made, made.exports, createRequire(import.meta.url), folder, join(folder, "trace_streamer.js"));
const module = await made.exports({ wasmBinary: readFileSync(join(folder, "trace_streamer.wasm")) });
const { FS } = module;
FS.mkdir("/host");
FS.mount(FS.filesystems.NODEFS, { root: "/" }, "/host");

const put = (bytes) => {
  const p = module._malloc(bytes.length + 1);
  module.HEAPU8.set(bytes, p);
  module.HEAPU8[p + bytes.length] = 0;
  return p;
};
const text = (t) => put(Buffer.from(t));
const page = module._page_open(text(`/host${resolve(share)}`), text("/chunks"), 0);
for (const path of databases) {
  const why = module._page_add(page, text(`/host${resolve(path)}`), text(path));
  if (why !== 0) {
    throw new Error(module.UTF8ToString(why));
  }
}
const answer = module._malloc(136);
const write = (bytes) => {
  for (let at = 0; at < bytes.length;) {
    at += writeSync(1, bytes, at);
  }
};
for await (const line of createInterface({ input: process.stdin })) {
  const [method, target, body] = line.split("\t");
  const bytes = Buffer.from(body);
  const texts = [text(method), text(target), put(bytes)];
  module._page_ask(answer, page, ...texts, bytes.length);
  texts.forEach((p) => module._free(p));
  const view = new DataView(module.HEAPU8.buffer);
  const [status, at, n, type] = [0, 4, 8, 12].map((offset) => view.getUint32(answer + offset, true));
  write(Buffer.from(`${status}\t${module.UTF8ToString(type)}\t${module.UTF8ToString(answer + 16)}\t${n}\n`));
  write(Buffer.from(module.HEAPU8.slice(at, at + n)));
}
