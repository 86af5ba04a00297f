// browser.mjs MODULE PROGRAM DATA PACKAGES: the module in a worker of Chromium, as the viewer has it. PACKAGES: those of the page of serve
// (puppeteer-core). Prints what fails; ends with 1 then.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const [folder, program, data, packages] = process.argv.slice(2).map((path) => resolve(path));
const puppeteer = createRequire(join(packages, "x.js"))("puppeteer-core");
const NAMES = ["recording-snapshots.htrace", "recording-timeline.htrace", "recording-cpuprofile.htrace", "kernel.htrace", "work.jfr"];
const scratch = mkdtempSync(join(tmpdir(), "ts-wasm-"));
let failures = 0;

const server = createServer((request, response) => {
  const name = basename(new URL(request.url, "http://x").pathname);
  const types = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
  let body = Buffer.from("<!doctype html><title>module</title>");
  if (name === "worker.js") {
    body = readFileSync(fileURLToPath(new URL("worker.js", import.meta.url)));
  } else if (name.startsWith("trace_streamer_builtin.")) {
    body = readFileSync(join(folder, name));
  } else if (NAMES.includes(name)) {
    body = gunzipSync(readFileSync(join(data, `${name}.gz`)));
  }
  response.writeHead(200, { "content-type": types[name.split(".").at(-1)] ?? "text/html" });
  response.end(body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });
try {
  const page = await browser.newPage();
  await page.goto(`${origin}/index.html`);
  for (const name of NAMES) {
    const out = join(scratch, "native.db");
    const run = spawnSync(program, ["-", "-e", out, "--quiet"], { input: gunzipSync(readFileSync(join(data, `${name}.gz`))) });
    const expected = createHash("sha256").update(readFileSync(out)).digest("hex");
    const got = await page.evaluate(
      (file) =>
        new Promise((done, fail) => {
          const worker = new Worker("worker.js");
          worker.onerror = (e) => fail(new Error(e.message));
          worker.onmessage = (e) => {
            worker.terminate();
            done(e.data);
          };
          worker.postMessage({ file, rows: "SELECT count(*) AS n FROM sqlite_schema", protos: { type: 206, sql: "SELECT 1, 2, 3, 4" } });
        }),
      name,
    );
    const rows = JSON.parse(got.text.substring(got.text.indexOf("\n") + 1));
    const good = run.status === 0 && got.result === 0 && got.over === 0 && got.hash === expected && rows.values[0][0] > 20 && got.message.join() === "10,11,130,2,8,8,1,16,2,24,3,32,4";
    if (!good) {
      failures++;
      console.error(`FAILED: ${name}: ${JSON.stringify({ ...got, text: got.text.slice(0, 80) })}, expected ${expected}`);
    } else {
      console.log(`${name}: ${got.size} bytes, as the program's`);
    }
  }
} finally {
  await browser.close();
  server.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
