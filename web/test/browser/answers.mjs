// answers.mjs PROGRAM SOURCE: heaps with the analysis that the server makes, pauses and the SQL view in Chromium, compared with sqlite3 on databases
// of their own. TS_SHOTS=DIR keeps a picture of each view, TS_ONLY=PATTERN runs some of the steps.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, failures, program, serve, sql, View } from "./run.mjs";

const [path, source] = process.argv.slice(2);
const data = join(source, "test/data");

if (program("chromium", "chromium-browser", "google-chrome") === undefined || program("sqlite3") === undefined) {
  console.log("skipped: chromium or sqlite3 is missing");
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "answers-"));
const db = (name) => join(scratch, `${name}.db`);
const convert = (name, input, ...more) => execFileSync(path, [join(data, input), "-e", db(name), "--quiet", "--force", ...more], { stdio: ["ignore", "ignore", "inherit"] });

convert("heaps", "recording-snapshots.htrace.gz"); // without the analysis: the server makes it
convert("analysed", "recording-snapshots.htrace.gz", "--analyze=heap");
convert("cloud", "recording-cloud.tar.gz");
convert("jfr", "work.jfr.gz");
// Collections of V8 as DevTools records them, one with its end apart, and phases of V8 itself in them.
const gc = (name, ts, dur, args) => ({ name, cat: "devtools.timeline,v8", ph: "X", pid: 1, tid: 2, ts, dur, args });
const V8 = [
  gc("MinorGC", 1000, 500, { type: "scavenge", usedHeapSizeBefore: 9000000, usedHeapSizeAfter: 4000000 }), gc("V8.GCScavenger", 1100, 300, {}),
  gc("MajorGC", 9000, 2500, { type: "atomic pause", usedHeapSizeBefore: 12000000, usedHeapSizeAfter: 3500000 }), gc("V8.GC_MC_MARK", 9100, 1000, {}),
  gc("MinorGC", 15000, 700, { usedHeapSizeBefore: 8000000, usedHeapSizeAfter: 5000000 }), gc("RunTask", 500, 20000, {}),
  ...[0, 4000, 12000, 18000].map((ts, i) => ({ name: "UpdateCounters", cat: "devtools.timeline", ph: "C", pid: 1, tid: 2, ts, args: { jsHeapSizeUsed: 4000000 + 1000000 * i } })),
];
writeFileSync(join(scratch, "v8.json"), JSON.stringify({ traceEvents: V8.sort((a, b) => a.ts - b.ts) }));
execFileSync(path, [join(scratch, "v8.json"), "-e", db("v8"), "--quiet"]);
const before = readFileSync(db("heaps"));
const page = process.env.TS_WEB_DIR ? ["--web", process.env.TS_WEB_DIR] : [];
const server = await serve(path, ["heaps", "cloud", "jfr", "v8"].map(db), [...page, "--cache", join(scratch, "cache")]);
const view = await View.open(server.url);
const shots = process.env.TS_SHOTS;
if (shots !== undefined) {
  mkdirSync(shots, { recursive: true });
}

// --- numbers as the page shows them ---------------------------------------------------------------------------------------

const grouped = (n, digits = 0) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);
const bytes = (n) => {
  const units = [["B", 1], ["KiB", 1024], ["MiB", 1048576]];
  const [unit, size] = units.findLast(([, s]) => Math.abs(n) >= s) ?? units[0];
  return `${grouped(n / size, size === 1 ? 0 : 2).replace("-", "\u2212")} ${unit}`;
};
const plus = (n, text) => (n > 0 ? `+${text}` : text);

const steps = [];
const step = (name, run) => steps.push([name, run]);

// --- heaps ----------------------------------------------------------------------------------------------------------------

step("heap, the analysis is made", async () => {
  await view.go("#/heap?db=heaps.db&file=2", true);
  await view.page.waitForFunction(() => document.querySelector("progress[aria-label^=Analysing]") === null && [...document.querySelectorAll("th")].some((th) => th.textContent.includes("Retained")), { timeout: 60000 });
  const expected = sql(db("analysed"), "SELECT name, count, shallow_size, retained_size FROM v_js_constructor WHERE file_id = 2 ORDER BY retained_size DESC, constructor_id LIMIT 15");
  const rows = await view.rows("Classes");
  equal(rows.slice(0, 15).map((r) => [r.Objects, r["Self size"], r["Retained size"]]), expected.map((r) => [grouped(r.count), bytes(r.shallow_size), bytes(r.retained_size)]), "retained sizes that the database does not have");
  check(readFileSync(db("heaps")).equals(before), "the database is as it was");
});

step("heap, while the analysis is made", async () => {
  // The process that makes it is stopped before it is done: the page shows what there is, and goes on when it does.
  execFileSync(path, [...Array(6).fill(join(data, "recording-snapshots.htrace.gz")), join(data, "recording-timeline.htrace.gz"), "-e", db("many"), "--quiet", "--force"], { stdio: ["ignore", "ignore", "inherit"] });
  const own = await serve(path, [db("many")], [...page, "--cache", join(scratch, "another"), "--quiet"]);
  const [maker] = readFileSync(`/proc/${own.pid}/task/${own.pid}/children`, "utf8").split(" ").map(Number);
  process.kill(maker, "SIGSTOP");
  const other = await View.open(own.url);
  try {
    await other.page.setViewport({ width: 1000, height: 900 });
    await other.page.goto(`${own.url}/#/heap?file=2`);
    await other.page.waitForSelector("[aria-label=Classes] tbody tr");
    check((await other.run(() => document.querySelector("progress[aria-label^=Analysing]") !== null)) && /retained sizes are being found out/.test(await other.text(".heap .bar")), "progress is shown");
    equal(Object.keys((await other.rows("Classes"))[0]).includes("Retained size"), false, "without retained sizes meanwhile");
    await other.axe("while the analysis is made");
    await other.page.screenshot({ path: join(shots ?? scratch, "making-light-1000.png") });
    process.kill(maker, "SIGCONT");
    await other.page.waitForFunction(() => [...document.querySelectorAll("th")].some((th) => th.textContent.includes("Retained")), { timeout: 60000 });
    const most = sql(db("analysed"), "SELECT max(retained_size) AS n FROM v_js_constructor WHERE file_id = 2")[0].n;
    await other.settle();
    equal((await other.rows("Classes"))[0]["Retained size"], bytes(most), "with retained sizes, without being loaded again");
    // Heaps of different runs are compared by their totals, because equal ids are no equal objects.
    await other.go("#/heap?part=comparison");
    equal(await other.run(() => [...document.querySelectorAll(".heap .bar select")].map((e) => e.value)), ["18", "17"], "the newest and the one before");
    await other.go("#/heap?part=comparison&file=3&base=2");
    check(/different runs/.test(await other.text("p.count")), `no objects of another run: ${await other.text("p.count")}`);
    equal(other.messages.splice(0), [], "complaints of the browser");
  } finally {
    process.kill(maker, "SIGCONT");
    await other.close();
    await own.stop();
  }
});

step("heap, shares of what is filtered", async () => {
  await view.go("#/heap?db=heaps.db&file=2&q=article");
  const found = sql(db("analysed"), "SELECT name, retained_size AS size FROM v_js_constructor WHERE file_id = 2 AND name LIKE '%article%' ORDER BY size DESC");
  const all = found.reduce((sum, r) => sum + r.size, 0);
  const rows = await view.rows("Classes");
  check(found.length > 1, "there are classes of that name");
  equal(rows.map((r) => r.Share), found.map((r) => `${((100 * r.size) / all).toFixed(1)} %`), "shares of the rows that are shown");
  await view.go("#/heap?db=heaps.db&file=2");
  const [{ whole, most }] = sql(db("analysed"), "SELECT (SELECT self_size FROM js_heap_files WHERE id = 2) AS whole, (SELECT max(retained_size) FROM v_js_constructor WHERE file_id = 2) AS most");
  equal((await view.rows("Classes"))[0].Share, `${((100 * most) / whole).toFixed(1)} %`, "the share of the heap without a filter");
  const small = sql(db("analysed"), "SELECT name, shallow_size AS size FROM v_js_constructor WHERE file_id = 2 AND shallow_size BETWEEN 1 AND 1023 AND name NOT LIKE '%/%' ORDER BY retained_size DESC LIMIT 1")[0];
  await view.go(`#/heap?db=heaps.db&file=2&q=${encodeURIComponent(`/^${small.name.replace(/[^\w ]/g, ".")}$/`)}`);
  equal((await view.rows("Classes"))[0]["Self size"], `${small.size} B`, "a small class in bytes");
});

step("heap, comparison", async () => {
  await view.go("#/heap?db=heaps.db&part=comparison", true);
  equal(await view.run(() => [...document.querySelectorAll(".heap .bar select")].map((e) => e.value)), ["2", "1"], "the newest heap is compared with the one before");
  const expected = sql(db("analysed"), "SELECT name, new_count, deleted_count, new_size, deleted_size, new_size - deleted_size AS growth, script_id, line, \"column\" FROM v_js_comparison WHERE file_id = 2 ORDER BY growth DESC, new_size DESC, deleted_size DESC, name LIMIT 12");
  const rows = await view.rows("Comparison");
  equal(rows.slice(0, 11).map((r) => [r.New, r.Gone, r["New size"], r["Gone size"], r.Growth]), expected.slice(0, 11).map((r) => [grouped(r.new_count), grouped(r.deleted_count), bytes(r.new_size), bytes(r.deleted_size), plus(r.growth, bytes(r.growth))]), "what came and went");
  // A class has its new objects: exactly those whose ids the heap before lacks, each with its way to the root.
  const wanted = sql(db("analysed"), `SELECT node_id AS id, retained_size AS size FROM v_js_retained WHERE file_id = 2 AND constructor = 'DetachedView' AND shallow_size > 0
    AND node_id NOT IN (SELECT id FROM js_heap_nodes WHERE file_id = 1) ORDER BY retained_size DESC, node_index`);
  await view.run(() => [...document.querySelectorAll("[aria-label=Comparison] tbody tr")].find((tr) => tr.textContent.includes("DetachedView")).click());
  await view.settle();
  await view.page.waitForFunction((n) => [...document.querySelectorAll("[aria-label=Comparison] .indent")].filter((e) => e.textContent.includes("←")).length >= n, { timeout: 20000 }, Math.min(20, wanted.length));
  const objects = (await view.rows("Comparison")).map((r) => r.Class).filter((text) => /^DetachedView @\d+ /.test(text));
  equal(objects.map((text) => Number(/@(\d+)/.exec(text)[1])), wanted.slice(0, objects.length).map((r) => r.id), "new objects of a class");
  check(objects.length > 5, `${objects.length} new objects are shown`);
  const root = sql(db("analysed"), "SELECT id FROM js_heap_nodes WHERE file_id = 2 AND node_index = 0")[0].id;
  for (const text of objects.slice(0, 4)) {
    const ids = [...text.matchAll(/@(\d+)/g)].map((m) => Number(m[1]));
    for (let i = 1; i < ids.length; i++) {
      check(sql(db("analysed"), `SELECT count(*) AS n FROM js_heap_edges WHERE file_id = 2 AND from_node_id = ${ids[i]} AND to_node_id = ${ids[i - 1]}`)[0].n > 0, `a reference from ${ids[i]} to ${ids[i - 1]}`);
    }
    equal(ids.at(-1), root, "the path ends at the root");
  }
  // With an older heap objects are compared by their ids.
  await view.go("#/heap?db=heaps.db&part=comparison&base=0&class=DetachedView");
  const key = await view.run(() => [...document.querySelectorAll("[aria-label=Comparison] tbody tr")].find((tr) => tr.textContent.includes("DetachedView"))?.click() ?? null);
  equal(key, null, "a class is opened");
  await view.settle();
  const [{ n }] = sql(db("analysed"), `SELECT count(*) AS n FROM v_js_retained WHERE file_id = 2 AND constructor = 'DetachedView' AND shallow_size > 0 AND node_id NOT IN (SELECT id FROM js_heap_nodes WHERE file_id = 0)`);
  check((await view.text("[aria-label=Comparison]")).includes(`30 of ${grouped(n)} new objects`), `${n} new objects since the first heap`);
});

step("heap, growth", async () => {
  await view.go("#/heap?db=heaps.db&part=growth", true);
  await view.page.waitForSelector(".growth canvas");
  const expected = sql(db("heaps"), `SELECT class, sum(iif(file_id = 0, self_size, 0)) AS a, sum(iif(file_id = 1, self_size, 0)) AS b, sum(iif(file_id = 2, self_size, 0)) AS c
    FROM v_js_class_histogram GROUP BY class HAVING NOT (a = b AND b = c) ORDER BY c - a DESC, class`);
  const rows = (await view.rows("Growth")).map((r) => Object.values(r).slice(0, 5));
  equal(rows.map((r) => [r[0].slice(1), ...r.slice(1)]), expected.map((r) => [r.class, bytes(r.a), bytes(r.b), bytes(r.c), plus(r.c - r.a, bytes(r.c - r.a))]), "sizes of classes in all heaps");
  const drawn = () => view.run(() => [...document.querySelectorAll(".growth .u-legend .u-label")].map((e) => e.textContent).filter((text) => text !== "row"));
  equal(await drawn(), expected.slice(0, 5).map((r) => r.class), "classes that grew most are drawn");
  await view.click("[aria-label=Growth] tbody tr:first-child");
  equal(await drawn(), expected.slice(1, 5).map((r) => r.class), "a class is taken out of the chart");
  await view.go(await view.fragment(), true);
  await view.page.waitForSelector(".growth canvas");
  equal(await drawn(), expected.slice(1, 5).map((r) => r.class), "the link has the same classes");
});

// --- pauses ---------------------------------------------------------------------------------------------------------------

const origin = (name) => BigInt(sql(db(name), "SELECT CAST(start_ts AS TEXT) AS start_ts FROM trace_range")[0].start_ts);
/** Where the chart of pauses has something of a colour, as parts of its width: what the green of collections, the red of pauses, the blue of memory are. */
const painted = (of) => view.run((wanted) => {
  const canvas = document.querySelector(".pause-chart canvas");
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const { width, height } = canvas;
  const { data } = pen.getImageData(0, 0, width, height);
  const columns = new Set();
  for (let x = 82; x < width - 10; x++) {
    for (let y = 18; y < height - 22; y++) {
      const [r, g, b] = [data[4 * (y * width + x)], data[4 * (y * width + x) + 1], data[4 * (y * width + x) + 2]];
      if ({ red: r > g + 60 && r > b + 60, green: g > r + 30 && g > b + 20, blue: b > r + 60 && b > g + 40 }[wanted] && data[4 * (y * width + x) + 3] > 40) {
        columns.add(x);
      }
    }
  }
  return columns.size / (width - 92);
}, of);

step("pauses of a Java VM", async () => {
  await view.go("#/pauses?db=jfr.db", true);
  const all = sql(db("jfr"), "SELECT CAST(ts AS TEXT) AS ts, dur, name, cause, bytes_before AS a, bytes_after AS b FROM v_pause WHERE ts IS NOT NULL ORDER BY dur DESC, ts");
  const ms = (n) => grouped(n / 1e6, 3);
  const rows = await view.rows("Pauses");
  equal(rows.slice(0, 15).map((r) => [r.At, r.Cause, r.Name, r["Took ms"], r.Before, r.After]),
    all.slice(0, 15).map((r) => [`${ms(Number(BigInt(r.ts) - origin("jfr")))} ms`, r.cause, r.name, ms(r.dur), r.a === null ? "" : bytes(r.a), r.b === null ? "" : bytes(r.b)]), "cause, name, before and after");
  const sum = all.reduce((n, r) => n + r.dur, 0);
  check((await view.text("p.count")).startsWith(`${all.length} pauses, ${grouped(sum / 1e6, 2)} ms together`), `their sum: ${await view.text("p.count")}`);
  // The bands of pauses are as wide together as they took, and used memory is drawn.
  const [first, last] = [Math.min(...all.map((r) => Number(BigInt(r.ts) - origin("jfr")))), Math.max(...all.map((r) => Number(BigInt(r.ts) - origin("jfr")) + r.dur))];
  const share = sum / ((last - first) * 1.08);
  const red = await painted("red");
  check(Math.abs(red - share) < 0.05, `pauses are ${share.toFixed(3)} of the time, ${red.toFixed(3)} of the chart`);
  check((await painted("blue")) > 0.3 && (await painted("green")) > 0.05, "memory before, after and between");
  equal(await view.run(() => document.querySelector(".bar select").selectedOptions[0].textContent), "jdk.GCHeapSummary.heapUsed", "used memory of the heap");
  // By cause, and one alone.
  await view.press("By cause");
  const causes = sql(db("jfr"), "SELECT cause, name, count(*) AS n, sum(dur) AS dur, max(dur) AS longest FROM v_pause GROUP BY 1, 2 ORDER BY dur DESC");
  equal((await view.rows("Pauses by cause")).map((r) => [r.Cause, r.Name, r.Pauses, r["Together ms"], r["Longest ms"]]), causes.map((r) => [r.cause, r.name, String(r.n), ms(r.dur), ms(r.longest)]), "by cause");
  await view.press("Each pause");
  await view.click("[aria-label=Pauses] tbody tr:nth-child(3)");
  const drawer = await view.text(".drawer");
  check(drawer.includes(all[2].cause) && drawer.includes(bytes(all[2].a)) && drawer.includes(bytes(all[2].a - all[2].b)), `one pause: ${drawer}`);
  await view.press("Around it");
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(await view.fragment());
  const [{ n }] = sql(db("jfr"), `SELECT count(*) AS n FROM v_pause WHERE ts < ${BigInt(to) + origin("jfr")} AND ts + dur >= ${BigInt(from) + origin("jfr")}`);
  check((await view.text("p.count")).startsWith(`${n} pauses`) && n === 7, `${n} pauses around it: ${await view.text("p.count")}`);
  await view.click(".drawer a.button");
  equal((await view.rows("Result")).map((r) => [r.ts, r.bytes_after]), [[String(all[2].ts), String(all[2].b)]], "the same by SQL");
});

step("pauses of other runtimes", async () => {
  await view.go("#/pauses?db=v8.db", true);
  equal((await view.rows("Pauses")).map((r) => [r.Cause, r.Name, r["Took ms"], r.Before, r.After, r.Freed]), [
    ["atomic pause", "MajorGC", "2.500", bytes(12000000), bytes(3500000), bytes(8500000)],
    ["not recorded", "MinorGC", "0.700", bytes(8000000), bytes(5000000), bytes(3000000)],
    ["scavenge", "MinorGC", "0.500", bytes(9000000), bytes(4000000), bytes(5000000)],
  ], "collections of V8, without their phases");
  check((await painted("blue")) > 0.3, "the counter of used memory");
  await view.go("#/pauses?db=cloud.db", true);
  const suspends = sql(db("cloud"), "SELECT dur FROM cloud_suspend ORDER BY dur DESC");
  equal((await view.rows("Pauses")).map((r) => [r.Name, r["Took ms"]]), suspends.map((r) => ["suspend", grouped(r.dur / 1e6, 3)]), "pauses of which only the time is known");
  await view.page.focus(".pause-chart canvas");
  await view.keys("ArrowRight", "ArrowRight");
  check((await view.fragment()).includes("pause=1"), "arrow keys choose a pause");
});

// --- SQL ------------------------------------------------------------------------------------------------------------------

const choose = async (name) => {
  await view.page.select(".questions", name);
  await view.settle();
};
const write = async (text) => {
  await view.run(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus());
  await view.page.keyboard.down("Control");
  await view.page.keyboard.press("a");
  await view.page.keyboard.up("Control");
  await view.page.keyboard.type(text);
  await view.page.keyboard.press("Escape");
};
const runIt = async () => {
  await view.page.keyboard.down("Control");
  await view.page.keyboard.press("Enter");
  await view.page.keyboard.up("Control");
  await view.settle();
};
const editor = () => view.run(() => [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line")].map((e) => e.textContent).join("\n"));
const back = async () => {
  await view.page.goBack();
  await view.settle();
};
const fields = () => view.run(() => Object.fromEntries([...document.querySelectorAll(".parameters label")].map((e) => [e.querySelector("code").textContent, e.querySelector("input").value])));

step("sql, a question is asked when it is chosen", async () => {
  await view.go("#/sql?db=cloud.db", true);
  await choose("cloud_slow_calls");
  equal(await fields(), { ":from": "", ":to": "", ":source": "", ":limit": "20" }, "defaults are filled in");
  const slow = sql(db("cloud"), "SELECT id, dur FROM v_cloud_call ORDER BY dur DESC, id LIMIT 20");
  equal((await view.rows("Result")).map((r) => [r.id, r.dur]), slow.map((r) => [String(r.id), String(r.dur)]), "rows of the question");
  // What is looked at is asked for.
  const [{ start_ts: origin }] = sql(db("cloud"), "SELECT start_ts FROM trace_range");
  const { ts } = sql(db("cloud"), "SELECT ts FROM v_cloud_call ORDER BY ts LIMIT 1 OFFSET 20")[0];
  await view.go(`#/sql?db=cloud.db&src=1&from=0&to=${BigInt(ts) - BigInt(origin)}`, true);
  await choose("cloud_slow_calls");
  equal(await fields(), { ":from": String(origin), ":to": String(ts), ":source": "1", ":limit": "20" }, "the chosen source and range");
  const some = sql(db("cloud"), `SELECT id FROM v_cloud_call WHERE ts < ${ts} ORDER BY dur DESC, id LIMIT 20`);
  equal((await view.rows("Result")).map((r) => r.id), some.map((r) => String(r.id)), "rows in the range");
  // Defaults may be said in the second line of what a parameter is.
  await view.go("#/sql?db=jfr.db", true);
  await choose("hot_methods");
  const hot = JSON.parse(execFileSync(path, [db("jfr"), "-q", "hot_methods", "--output=json", "--quiet"], { encoding: "utf8" }));
  equal((await view.rows("Result")).slice(0, 8).map((r) => [r.method, r.self]), hot.slice(0, 8).map((r) => [r.method, String(r.self)]), "a question whose parameters have all their defaults");
  // One without a default waits for it.
  await view.go("#/sql?db=heaps.db", true);
  await choose("js_dominators_of");
  check((await view.text("main")).includes("The question needs a value of :node"), "what a question needs");
  equal(await view.rows("Result"), null, "and it is not asked without");
  const [{ id }] = sql(db("analysed"), "SELECT node_id AS id FROM v_js_retained WHERE file_id = 0 AND node_index = 77");
  await view.page.type(".parameters label:nth-child(2) input", String(id));
  await view.keys("Enter");
  check((await view.rows("Result")).length > 1, "it is asked with it");
});

step("sql, Back and old rows", async () => {
  await view.go("#/sql?db=cloud.db", true);
  await write("SELECT 41 + 1 AS first");
  equal(await view.rows("Result"), null, "nothing is below a text that was not run");
  await runIt();
  equal(await view.rows("Result"), [{ first: "42" }], "the first statement");
  await write("SELECT 7 AS second");
  equal(await view.rows("Result"), null, "rows of the first one are not below the second");
  await runIt();
  equal(await view.rows("Result"), [{ second: "7" }], "the second statement");
  await write("SELECT unheard_of");
  await runIt();
  check(/no such column/.test(await view.text(".failure")), `an error: ${await view.text(".failure")} of ${await editor()}`);
  equal(await view.rows("Result"), null, "nothing below an error");
  view.messages.length = 0;
  await back();
  equal([await editor(), await view.rows("Result")], ["SELECT 7 AS second", [{ second: "7" }]], "Back has text and rows of the second");
  check((await view.run(() => document.querySelector(".failure"))) === null, "and no error");
  await back();
  equal([await editor(), await view.rows("Result")], ["SELECT 41 + 1 AS first", [{ first: "42" }]], "Back has text and rows of the first");
  await view.page.goForward();
  await view.settle();
  equal([await editor(), await view.rows("Result")], ["SELECT 7 AS second", [{ second: "7" }]], "forward again");
  // Another value of a parameter is another statement.
  await view.go("#/sql?db=cloud.db&sql=SELECT+:a+%2B+1+AS+b&p.a=1&run=1", true);
  equal(await view.rows("Result"), [{ b: "2" }], "with a parameter");
  await view.page.type(".parameters input", "0");
  await view.settle();
  equal(await view.rows("Result"), null, "rows of another value are gone");
  await view.keys("Enter");
  equal(await view.rows("Result"), [{ b: "11" }], "rows of the new value");
  await back();
  equal([await fields(), await view.rows("Result")], [{ ":a": "1" }, [{ b: "2" }]], "Back has the value before");
  // Another view in between.
  await view.press("Overview");
  await view.press("SQL");
  equal([await editor(), await view.rows("Result")], ["SELECT :a + 1 AS b", [{ b: "2" }]], "the statement is there after another view");
});

step("sql, everything is in the link", async () => {
  await view.go("#/sql?db=cloud.db&sql=SELECT+id,+dur,+ts+FROM+v_cloud_call&run=1&tables=1", true);
  await view.run(() => [...document.querySelectorAll("[aria-label=Result] th button")].find((e) => e.textContent.includes("dur")).click());
  await view.settle();
  await view.run(() => document.querySelector("details.hide summary").click());
  await view.run(() => [...document.querySelectorAll("details.hide label")].find((e) => e.textContent.trim() === "ts").querySelector("input").click());
  await view.settle();
  const expected = sql(db("cloud"), "SELECT id, dur FROM v_cloud_call ORDER BY dur DESC LIMIT 10");
  await view.go(await view.fragment(), true);
  const rows = await view.rows("Result");
  equal(rows.slice(0, 10).map((r) => [Object.keys(r).join(), r.dur]), expected.map((r) => ["id,dur", String(r.dur)]), "order and columns of a link");
  check(await view.run(() => document.querySelector("[aria-label=Tables]") !== null), "the list of tables of a link");
  const { length } = sql(db("cloud"), "SELECT id FROM v_cloud_call");
  const files = await view.run(async () => Promise.all([...document.querySelectorAll(".result a.button")].map(async (a) => [a.textContent, await (await fetch(a.href)).text()])));
  equal(files.map(([name]) => name), ["CSV", "JSON", "Markdown"], "files of the rows");
  const all = sql(db("cloud"), "SELECT id, dur, ts FROM v_cloud_call");
  equal(files[0][1].trim().split(/\r?\n/), ["id,dur,ts", ...all.map((r) => `${r.id},${r.dur},${r.ts}`)], "rows as CSV");
  equal(JSON.parse(files[1][1]).length ?? JSON.parse(files[1][1]).rows?.length, length, "rows as JSON");
  equal(files[2][1].trim().split("\n").slice(2), all.map((r) => `| ${r.id} | ${r.dur} | ${r.ts} |`), "rows as Markdown");
});

// --- sampling a Java VM -----------------------------------------------------------------------------------------------------

step("sampling a Java VM", async () => {
  equal(await view.run(() => [...document.querySelectorAll("footer button")].some((e) => e.textContent === "Sample a JVM")), false, "no button without tokens");
  if (program("java") === undefined) {
    console.log("sampling a Java VM: there is no java");
    return;
  }
  const java = spawn("java", ["-XX:TieredStopAtLevel=1", "-Xmx64m", join(source, "test/serve/Sampled.java")], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((done) => java.stdout.once("data", done));
  java.stdout.resume();
  const own = await serve(path, [db("cloud")], [...page, "--quiet"], true);
  const other = await View.open(own.url);
  try {
    await other.page.setViewport({ width: 1000, height: 900 });
    await other.page.goto(own.open);
    await other.settle();
    await other.looks("the page with the button, 1000", shots === undefined ? undefined : join(shots, "button-light-1000.png"), 30);
    await other.press("Sample a JVM");
    await other.page.waitForFunction((pid) => [...document.querySelectorAll(".sample option")].some((e) => e.textContent === `Sampled.java (${pid})`), {}, java.pid);
    for (const theme of ["dark", "light"]) {
      await other.theme(theme);
      await other.looks(`the dialog, ${theme}`, shots === undefined ? undefined : join(shots, `dialog-${theme}-1000.png`), 30);
      await other.axe(`the dialog, ${theme}`);
    }
    await other.page.select(".sample select", String(java.pid));
    await other.page.$eval(".sample input", (e) => {
      e.value = "3";
      e.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await other.press("Sample");
    await other.page.waitForSelector(".sample progress");
    await other.page.waitForFunction(() => location.hash.includes("db=sample-1.db") && document.querySelector("dialog") === null, { timeout: 60000 });
    await other.settle();
    check((await other.text("main")).includes("burner"), "the overview of what was sampled");
    await other.go("#/flame?db=sample-1.db&view=hot");
    check((await other.text("main")).includes("Sampled.hotMethod"), "its methods");
    equal(await other.run(() => document.querySelector(".strip")?.textContent ?? null), null, "nothing was replaced");
    equal(other.messages.splice(0), [], "complaints of the browser");
  } finally {
    await other.close();
    await own.stop();
    java.stdin.end("\n");
  }
});

// --- how it looks -----------------------------------------------------------------------------------------------------------

const PICTURES = [
  ["comparison", "#/heap?db=heaps.db&part=comparison&class=DetachedView"], ["growth", "#/heap?db=heaps.db&part=growth"], ["filtered", "#/heap?db=heaps.db&file=2&q=article"],
  ["pauses", "#/pauses?db=jfr.db&pause=3"], ["suspends", "#/pauses?db=cloud.db&by=cause"],
  ["question", "#/sql?db=cloud.db&question=cloud_slow_calls&p.limit=20&run=1"], ["needed", "#/sql?db=heaps.db&question=js_dominators_of&p.file=0"],
  ["bars", "#/sql?db=cloud.db&sql=SELECT+id,+dur+FROM+cloud_call&run=1&as=bar"],
];

step("pictures and accessibility", async () => {
  for (const theme of ["light", "dark"]) {
    await view.theme(theme);
    for (const [name, fragment] of PICTURES) {
      for (const width of [1600, 1000]) {
        await view.page.setViewport({ width, height: 900 });
        await view.go(fragment);
        await view.looks(`${name}, ${theme}, ${width}`, shots === undefined ? undefined : join(shots, `${name}-${theme}-${width}.png`), 30);
        await view.axe(`${name}, ${theme}, ${width}`, theme === "dark" ? ["color-contrast"] : undefined);
      }
    }
  }
  await view.theme("light");
  await view.page.setViewport({ width: 1600, height: 900 });
});

// --- run --------------------------------------------------------------------------------------------------------------------

const only = process.env.TS_ONLY;
try {
  await view.page.setViewport({ width: 1600, height: 900 });
  for (const [name, run] of steps) {
    if (only !== undefined && !new RegExp(only).test(name)) {
      continue;
    }
    const began = performance.now();
    try {
      await run();
    } catch (error) {
      check(false, `${name}: ${error.stack}`);
    }
    equal(view.messages.splice(0), [], `${name}: complaints of the browser`);
    console.log(`${name}: ${Math.round(performance.now() - began)} ms`);
  }
} finally {
  await view.close();
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failures() === 0 ? "the page is as it has to be" : `${failures()} wrong`);
process.exit(failures() === 0 ? 0 : 1);
