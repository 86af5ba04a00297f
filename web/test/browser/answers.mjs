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

// --- how it looks -----------------------------------------------------------------------------------------------------------

const PICTURES = [
  ["comparison", "#/heap?db=heaps.db&part=comparison&class=DetachedView"], ["growth", "#/heap?db=heaps.db&part=growth"], ["filtered", "#/heap?db=heaps.db&file=2&q=article"],
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
