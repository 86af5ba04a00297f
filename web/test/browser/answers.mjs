// answers.mjs PROGRAM SOURCE: heaps with the analysis that the server makes, pauses and the SQL view in Chromium, compared with sqlite3 on databases
// of their own. TS_SHOTS=DIR keeps a picture of each view, TS_ONLY=PATTERN runs some of the steps.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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
const before = readFileSync(db("heaps"));
const page = process.env.TS_WEB_DIR ? ["--web", process.env.TS_WEB_DIR] : [];
const server = await serve(path, ["heaps", "cloud"].map(db), [...page, "--cache", join(scratch, "cache")]);
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

// --- how it looks -----------------------------------------------------------------------------------------------------------

const PICTURES = [
  ["comparison", "#/heap?db=heaps.db&part=comparison&class=DetachedView"], ["growth", "#/heap?db=heaps.db&part=growth"], ["filtered", "#/heap?db=heaps.db&file=2&q=article"],
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
