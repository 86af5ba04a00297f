#!/usr/bin/env node
// The program trace_streamer as WebAssembly: arguments, files, messages and exit codes are those of the program.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, parse, resolve } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const make = createRequire(import.meta.url)("./module/trace_streamer_program.cjs");

// The module knows "/" only: "C:\x" is "/x" as long as it is on the drive of the folder that the program runs in.
function portable(path) {
  const { root } = parse(path);
  if (root === "" || root === "/") {
    return path.replaceAll("\\", "/");
  }
  if (root.toLowerCase() !== parse(process.cwd()).root.toLowerCase()) {
    process.stderr.write(`trace_streamer: ${path} is on another drive: change to it first\n`);
    process.exit(2);
  }
  return `/${resolve(path).slice(root.length).replaceAll("\\", "/")}`;
}
const looksLikePath = (text) => /^(--[a-z-]+=)?[A-Za-z]:[\\/]/.test(text) || (text.includes("\\") && !/\s/.test(text));
const argument = (text) => {
  const [, option, value] = /^(--[a-z-]+=)?(.*)$/s.exec(text);
  return (option ?? "") + portable(value);
};

const given = process.argv.slice(2);
const argv = process.platform === "win32" ? given.map((text) => (looksLikePath(text) ? argument(text) : text)) : given;
const share = process.platform === "win32" ? portable(join(here, "share")) : join(here, "share");

const module = await make({
  wasmBinary: readFileSync(join(here, "module/trace_streamer_program.wasm")),
  thisProgram: "trace_streamer",
  preRun: [(m) => Object.assign(m.ENV, process.env, { TRACE_STREAMER_SHARE: share })],
  quit: (status) => {
    process.exitCode = status;
  },
});
for (const fd of [0, 1, 2]) { // emscripten takes all of them for terminals
  module.FS.streams[fd].tty = isatty(fd);
}
process.exitCode = module.callMain(argv) ?? process.exitCode;
