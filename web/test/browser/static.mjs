// static.mjs PROGRAM SOURCE PAGE: the page without a server (scripts/static-page.sh), on a plain web server in a folder of it. Recordings are opened in
// Chromium; what is shown is compared with sqlite3 on databases of the program, and the downloaded database byte for byte.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, failures, program, sql, View } from "./run.mjs";

const [path, source, made] = process.argv.slice(2);
if (program("chromium", "chromium-browser", "google-chrome") === undefined || program("sqlite3") === undefined || program("python3") === undefined) {
  console.log("skipped: chromium, sqlite3 or python3 is missing");
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "static-"));
const kept = join(scratch, "kept");
mkdirSync(join(scratch, "web", "some"), { recursive: true });
mkdirSync(kept);
cpSync(made, join(scratch, "web", "some", "folder"), { recursive: true });
const NAMES = ["recording-snapshots.htrace.gz", "recording-timeline.htrace.gz", "recording-cpuprofile.htrace.gz", "kernel.htrace.gz", "work.jfr.gz"];
const db = (name) => join(scratch, `${name}.db`);
for (const name of NAMES) {
  execFileSync(path, [join(source, "test/data", name), "-e", db(name), "--quiet", "--analyze=default,heap"], { stdio: ["ignore", "ignore", "inherit"] });
}

const server = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", join(scratch, "web")], { stdio: ["ignore", "pipe", "ignore"] });
process.on("exit", () => server.kill()); // also when a step fails
const port = await new Promise((done) => server.stdout.on("data", (text) => {
  const found = /port (\d+)/.exec(text);
  if (found !== null) {
    done(found[1]);
  }
}));
const url = `http://127.0.0.1:${port}/some/folder`;
const view = await View.open(url);
const devtools = await view.browser.target().createCDPSession();
await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: kept, eventsEnabled: true });

const grouped = (n) => new Intl.NumberFormat("en").format(n);
const one = (name, statement) => Object.values(sql(db(name), statement)[0])[0];
const tiles = () => view.run(() => Object.fromEntries([...document.querySelectorAll(".tiles li")].map((li) => [li.querySelector("span").textContent, li.querySelector("b").textContent])));

async function choose(...files) {
  const input = await view.page.waitForSelector(".opener input[type=file]");
  await input.uploadFile(...files);
}
const shows = (name) => view.page.waitForFunction((wanted) => document.title.startsWith(wanted) && document.querySelector(".tiles") !== null && document.querySelector("dialog[open]") === null, { timeout: 120000 }, name);

/** A file that the page has given to the browser. */
async function download(name) {
  const file = join(kept, name);
  for (let i = 0; i < 600 && !existsSync(file); i++) {
    await new Promise((done) => setTimeout(done, 50));
  }
  check(existsSync(file), `${name} is downloaded`);
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

// --- the first recording ------------------------------------------------------------------------------------------------

await view.page.goto(`${url}/`);
await view.page.waitForSelector(".opener .drop");
check((await view.run(() => document.querySelectorAll(".tiles").length)) === 0, "nothing is shown before there is a recording");
await choose(join(source, "test/data", NAMES[0]));
await shows(NAMES[0]);
await view.settle();
equal((await tiles())["heap objects"], grouped(one(NAMES[0], "SELECT count(*) FROM js_heap_nodes")), "number of heap objects");
equal((await tiles()).references, grouped(one(NAMES[0], "SELECT count(*) FROM js_heap_edges")), "number of references");
await view.press("Heap");
const classes = await view.rows("Classes");
check(classes !== null && classes.length > 5, "classes of the heap are listed");
await view.press("Download database");
const whole = await download(`${NAMES[0]}.db`);
const version = (file) => Object.values(sql(file, "SELECT value FROM meta WHERE name = 'tool_version'")[0])[0];
if (version(db(NAMES[0])) === version(join(kept, `${NAMES[0]}.db`))) {
  check(whole.equals(readFileSync(db(NAMES[0]))), "the downloaded database is that of the program");
} else { // built of different commits
  const dump = (file) => execFileSync("sqlite3", ["-readonly", file, ".dump"], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n").filter((line) => !/'tool_(version|publish_time)'/.test(line));
  equal(dump(join(kept, `${NAMES[0]}.db`)).length, dump(db(NAMES[0])).length, "lines of the downloaded database");
  check(dump(join(kept, `${NAMES[0]}.db`)).join() === dump(db(NAMES[0])).join(), "the downloaded database is that of the program, but for the version");
}

// --- more of them -------------------------------------------------------------------------------------------------------

for (const name of NAMES.slice(1)) {
  await view.press("Open…");
  await choose(join(source, "test/data", name));
  await shows(name);
  await view.settle();
}
equal(await view.run(() => [...document.querySelectorAll("select[aria-label=Database] option")].map((o) => o.value)), NAMES, "databases that are open");
const CONTENTS = [["work.jfr.gz", "samples", "stack_sample"], ["recording-cpuprofile.htrace.gz", "samples", "stack_sample"], ["kernel.htrace.gz", "times on CPUs", "sched_slice"], ["kernel.htrace.gz", "slices of the system", "callstack"],
  ["recording-timeline.htrace.gz", "heap objects", "js_heap_nodes"]];
for (const [name, title, table] of CONTENTS) {
  await view.go(`#/overview?db=${name}`);
  equal((await tiles())[title], grouped(one(name, `SELECT count(*) FROM ${table}`)), `${name}, ${title}`);
}
await view.go("#/timeline?db=kernel.htrace.gz");
await view.looks("the timeline", undefined, 30);
await view.go("#/flame?db=work.jfr.gz");
await view.looks("the flame graph", undefined, 30);
await view.go("#/sql?db=kernel.htrace.gz&run=1&sql=" + encodeURIComponent("SELECT count(*) AS n, sum(dur) AS d FROM sched_slice"));
await view.settle();
const shownRows = await view.rows("Result");
if (shownRows !== null) {
  equal(Object.values(shownRows[0]).map((text) => text.replace(/\D/g, "")).filter((text) => text !== ""), sql(db("kernel.htrace.gz"), "SELECT count(*) AS n, sum(dur) AS d FROM sched_slice").flatMap((r) => [String(r.n), String(r.d)]), "a statement");
}
await view.axe("the page with its databases");

// --- exports, a database, several files, what is no recording ---------------------------------------------------------

await view.go("#/flame?db=work.jfr.gz");
await view.run(() => [...document.querySelectorAll(".menu a")].find((a) => a.textContent.startsWith("folded")).click());
const folded = (await download("work.jfr.gz.folded")).toString();
check(folded.split("\n").length > 5 && / \d+\n/.test(folded), `stacks are exported: ${folded.slice(0, 200)}`);

await view.press("Open…");
await choose(db("kernel.htrace.gz"));
await shows("kernel.htrace.gz.db");
await view.settle();
equal((await tiles())["times on CPUs"], grouped(one("kernel.htrace.gz", "SELECT count(*) FROM sched_slice")), "a finished database");

await view.press("Open…");
await view.run(() => document.querySelector(".opener input[type=checkbox]").click());
await choose(...["go-cpu.pprof", "go-heap.pprof"].map((name) => join(source, "test/data", name)));
await shows("go-cpu.pprof");
await view.settle();
execFileSync(path, [...["go-cpu.pprof", "go-heap.pprof"].map((name) => join(source, "test/data", name)), "-e", db("both"), "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
equal((await tiles()).samples, grouped(one("both", "SELECT count(*) FROM stack_sample")), "two files as one database");

await view.press("Open…");
await view.run(() => document.querySelector(".opener input[type=checkbox]").click());
await choose(join(source, "README.md"));
await view.page.waitForSelector(".jobs .failed", { timeout: 60000 });
check(/README\.md/.test(await view.text(".jobs .failed .message")), `what is no recording is said: ${await view.text(".jobs .failed .message")}`);
equal((await view.run(() => [...document.querySelectorAll("select[aria-label=Database] option")].length)), NAMES.length + 2, "and is no database");

equal(view.messages.filter((text) => !view.expected.includes(text)), [], "the browser complains about nothing, and nothing else was asked");
await view.close();
server.kill();
rmSync(scratch, { recursive: true, force: true });
console.log(failures() === 0 ? "the page without a server is as it should be" : `${failures()} wrong`);
process.exitCode = failures() > 0 ? 1 : 0;
