// build.mjs OUT [--static]: makes the page in OUT: index.html, assets/ with names that carry a hash of what is in them, each also as .gz and .br where
// that is smaller, manifest.json, and the licences of what is shipped. Equal sources give equal bytes. --static: the page without a server, in any
// folder of any web server, without compressed copies; scripts/static-page.sh puts the module beside it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, transformSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const isStatic = process.argv.includes("--static");
const out = process.argv.slice(2).find((one) => one !== "--static") ?? join(here, "dist");
const assets = join(out, "assets");
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8" };

rmSync(out, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });

const common = {
  absWorkingDir: here,
  outdir: assets,
  bundle: true,
  target: "es2022",
  minify: true,
  metafile: true,
  preserveSymlinks: true, // names in the bundles do not depend on where packages are
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
};
const start = isStatic ? "src/static/main.tsx" : "src/main.tsx";
// A worker's script cannot import the chunks of the page, and loads the module by importScripts.
const worker = isStatic ? await build({ ...common, entryPoints: { worker: "src/static/worker.ts" }, format: "iife" }) : { metafile: { inputs: {}, outputs: {} } };
const workerName = Object.keys(worker.metafile.outputs).map((name) => basename(name))[0] ?? "";
const result = await build({
  ...common,
  entryPoints: { page: start, style: "src/style/page.css", ...(isStatic ? { static: "src/style/static.css" } : {}) },
  splitting: true,
  format: "esm",
  ...(isStatic ? { define: { WORKER: JSON.stringify(workerName) } } : {}),
});

// --- licences of the packages of which something is in the bundles -----------------------------------------------------

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found !== null) {
    packages.add(found[1]);
  }
}
const licences = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).sort().find((one) => /^licen[cs]e/i.test(one));
  return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(assets, "licenses.txt"), licences.join(`\n${"-".repeat(78)}\n\n`));

// What comes with the first load: the entry and what it imports at once.
const first = new Set();
const outputs = result.metafile.outputs;
const visit = (file) => {
  if (!first.has(basename(file))) {
    first.add(basename(file));
    for (const one of outputs[file]?.imports ?? []) {
      if (one.kind === "import-statement") {
        visit(one.path);
      }
    }
  }
};
const entry = Object.keys(outputs).find((name) => outputs[name].entryPoint === start);
visit(entry);

// --- the page ----------------------------------------------------------------------------------------------------------

const made = readdirSync(assets);
const named = (start, end) => made.find((name) => name.startsWith(start) && name.endsWith(end));
// Chunks that the entry imports at once are asked for together with it.
const names = [named("page-", ".js"), ...[...first].filter((name) => name.endsWith(".js") && name !== named("page-", ".js")).sort()];
let html = readFileSync(join(here, isStatic ? "src/static/index.html" : "src/index.html"), "utf8").replace("${STYLE}", named("style-", ".css"));
if (isStatic) {
  html = html.replace("${STATIC_STYLE}", named("static-", ".css")).replace("${START}", named("page-", ".js"));
} else {
  const script = transformSync(readFileSync(join(here, "src/start.js"), "utf8").replace("NAMES", JSON.stringify(names)), { minify: true, target: "es2022" }).code;
  const name = `start-${createHash("sha256").update(script).digest("hex").slice(0, 8).toUpperCase()}.js`;
  writeFileSync(join(assets, name), script);
  first.add(name);
  html = html.replace("${START}", name);
}
writeFileSync(join(out, "index.html"), html);

// --- compressed copies and the list of files ---------------------------------------------------------------------------

function* files() {
  yield "index.html";
  for (const name of readdirSync(assets).sort()) {
    yield `assets/${name}`;
  }
}

const list = [];
for (const name of [...files()]) {
  const bytes = readFileSync(join(out, name));
  const hash = createHash("sha256").update(bytes).digest("hex");
  const entry = { name, type: TYPES[name.slice(name.lastIndexOf("."))], length: bytes.length, sha256: hash };
  const gz = gzipSync(bytes, { level: 9 });
  gz[9] = 255; // which system it was made on says nothing
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  if (gz.length < bytes.length && !isStatic) {
    writeFileSync(join(out, `${name}.gz`), gz);
    entry.gz = gz.length;
  }
  if (br.length < bytes.length && !isStatic) {
    writeFileSync(join(out, `${name}.br`), br);
    entry.br = br.length;
  }
  list.push(entry);
}
for (const one of list) {
  const output = Object.keys(outputs).find((name) => basename(name) === basename(one.name));
  one.first = one.name === "index.html" || one.name.endsWith(".css") || first.has(basename(one.name));
  one.of = [...new Set(Object.keys(outputs[output]?.inputs ?? {}).map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter((p) => p !== undefined))].sort();
}
writeFileSync(join(out, "manifest.json"), `${JSON.stringify({ files: list }, null, 1)}\n`);
if (!existsSync(join(out, "index.html"))) {
  throw new Error("no page was made");
}
