// browser.mjs PROGRAM SOURCE [URL]: the page of serve in Chromium, on the bundled recordings, on one that was cut off and on hostile texts. With URL,
// a server of its own is not started. TS_SHOTS=DIR keeps a picture of each view.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { millionFrames } from "./frames.mjs";
import { pathsOf } from "./paths.mjs";
import * as stacks from "./stacks.mjs";
import { check, equal, failures, program, serve, sql, unpacked, View } from "./run.mjs";
import { machine, machineRows } from "./machine.mjs";
import { systemSteps } from "./system.mjs";

const [path, source, given] = process.argv.slice(2);
const data = join(source, "test/data");

if (program("chromium", "chromium-browser", "google-chrome") === undefined || program("sqlite3") === undefined) {
  console.log("skipped: chromium or sqlite3 is missing");
  process.exit(0);
}

const scratch = process.env.TS_SCRATCH ?? mkdtempSync(join(tmpdir(), "page-"));
const db = (name) => join(scratch, `${name}.db`);
const convert = (name, input, ...more) => execFileSync(path, [input, "-e", db(name), "--quiet", "--force", ...more], { stdio: ["ignore", "ignore", "inherit"] });

// --- databases ----------------------------------------------------------------------------------------------------------

/** All texts of a database steer, break out of their place or are no text. */
function hostile(name, from) {
  copyFileSync(db(from), db(name));
  const statements = [];
  for (const { t, c } of sql(db(name), "SELECT m.name AS t, p.name AS c FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS p WHERE m.type = 'table' AND p.type = 'TEXT' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'schema%' AND m.name <> 'js_heap_info'")) {
    if (["kind", "clock", "unit", "severity", "code", "state", "status"].includes(c)) {
      continue;
    }
    statements.push(`UPDATE "${t}" SET "${c}" = CASE rowid % 4 WHEN 0 THEN '<img src=x onerror=alert(1)>' || "${c}" WHEN 1 THEN char(0x202e) || "${c}" || char(0, 7, 0x200f) WHEN 2 THEN CAST(x'eda080' AS TEXT) || "${c}" ELSE '"><script>alert(2)</script>' || "${c}" END WHERE "${c}" IS NOT NULL;`);
  }
  statements.push("UPDATE stack_method SET name = replace(hex(zeroblob(500000)), '0', 'M') WHERE id = 1;");
  execFileSync("sqlite3", [db(name)], { input: statements.join("\n") });
}

if (process.env.TS_SCRATCH === undefined || given === undefined) {
  convert("cloud", join(data, "recording-cloud.tar.gz"));
  convert("profile", join(data, "recording-cpuprofile.htrace.gz"));
  convert("heaps", join(data, "recording-snapshots.htrace.gz"), "--analyze=heap", "--index");
  convert("plain", join(data, "recording-snapshots.htrace.gz"));
  convert("kernel", join(data, "kernel.htrace.gz"));
  writeFileSync(join(scratch, "machine.ftrace"), machine());
  convert("machine", join(scratch, "machine.ftrace"));
  machineRows(db("machine"));
  convert("apart", join(data, "work.jfr.gz"), join(data, "work21.jfr.gz"), join(data, "kernel.ftrace"));
  convert("allocations", join(data, "recording-timeline.htrace.gz"));
  const whole = unpacked(join(data, "recording-cpuprofile.htrace.gz"));
  writeFileSync(join(scratch, "cut.htrace"), whole.subarray(0, Math.floor(whole.length * 0.93)));
  convert("cut", join(scratch, "cut.htrace"));
  hostile("hostile", "cloud");
  writeFileSync(join(scratch, "written.folded"), "main;_ZN1a1bEv;_RNvC6_123foo3bar 3\nmain;f 1\n");
  convert("written", join(scratch, "written.folded"));
  for (const [name, inputs] of stacks.RECORDINGS) {
    const [first, ...more] = stacks.inputsOf(data, inputs);
    convert(name, first, ...more);
  }
  if (process.env.TS_SCRATCH !== undefined) {
    console.log("databases made");
  }
}

const names = ["cloud", "profile", "heaps", "plain", "allocations", "cut", "hostile", "kernel", "machine", "apart", "written", ...stacks.RECORDINGS.map(([name]) => name)];
const server = given === undefined ? await serve(path, names.map(db), ["--analyze=none", ...(process.env.TS_WEB_DIR ? ["--web", process.env.TS_WEB_DIR] : [])]) : { url: given, stop: () => undefined };
const view = await View.open(server.url);
const shots = process.env.TS_SHOTS;
if (shots !== undefined) {
  mkdirSync(shots, { recursive: true });
}

// --- numbers as the page shows them ---------------------------------------------------------------------------------------

const grouped = (n, digits = 0) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);
const SCALE = { ns: [1, 1e3, 1e6, 1e9], bytes: [1, 1024, 1048576, 1073741824] };
const UNITS = { ns: ["ns", "µs", "ms", "s"], bytes: ["B", "KiB", "MiB", "GiB"] };
const unitOf = (kind, value) => Math.max(0, SCALE[kind].findLastIndex((s) => value >= s));
const amount = (value, kind) => {
  const u = unitOf(kind, value);
  return `${grouped(value / SCALE[kind][u], u === 0 ? 0 : 2)} ${UNITS[kind][u]}`;
};
/** A column of numbers in the unit of the largest. */
const inColumn = (values, kind, digits) => {
  const u = unitOf(kind, Math.max(...values));
  return values.map((v) => grouped(v / SCALE[kind][u], u === 0 ? 0 : digits));
};

const steps = [];
const step = (name, run) => steps.push([name, run]);

// --- frame and overview ---------------------------------------------------------------------------------------------------

step("overview", async () => {
  await view.go("#/overview?db=cloud.db", true);
  const [{ n: slices }] = sql(db("cloud"), "SELECT count(*) AS n FROM stack_slice");
  const tiles = await view.run(() => Object.fromEntries([...document.querySelectorAll(".tiles li")].map((li) => [li.querySelector("span").textContent, li.querySelector("b").textContent])));
  equal(tiles.slices, grouped(slices), "number of slices");
  equal(tiles.calls, grouped(sql(db("cloud"), "SELECT count(*) AS n FROM cloud_call")[0].n), "number of calls");
  equal(await view.text("#missing-title + p"), "Nothing was lost", "an undamaged recording");
  equal(await view.run(() => document.querySelector(".strip")), null, "no strip");
  const threads = sql(db("cloud"), "SELECT t.name AS thread, (SELECT count(*) FROM stack_slice AS s WHERE s.itid = t.itid) AS count, sum(c.cpu_dur) AS busy_dur FROM cloud_call AS c JOIN thread AS t ON t.itid = c.itid GROUP BY t.itid ORDER BY 3 DESC");
  const shown = await view.rows("Threads");
  equal(shown.map((r) => r.Name), threads.map((r) => r.thread), "threads");
  equal(shown.map((r) => r.Recorded), threads.map((r) => grouped(r.count)), "samples of threads");
  equal(shown.map((r) => r["CPU s"]), threads.map((r) => grouped(r.busy_dur / 1e9, 3)), "CPU times, in the unit of all times");
  // Views without data are there, with the reason.
  equal(await view.run(() => [...document.querySelectorAll("nav .off")].map((e) => [e.textContent, e.title])), [["Heap", "This database has no heap snapshots"]], "disabled views");
  await view.run(() => document.activeElement?.blur());
  await view.keys("g", "c");
  check((await view.fragment()).startsWith("#/calls"), "g c goes to Calls");
  await view.page.goBack();
  await view.settle();
  check((await view.fragment()).startsWith("#/overview"), "back");
  await view.page.keyboard.press("?");
  await view.page.waitForSelector("dialog[open]");
  await view.axe("help");
  await view.page.keyboard.press("Escape");
  await view.page.waitForFunction(() => document.querySelector("dialog[open]") === null);
});

step("data that is missing", async () => {
  await view.go("#/flame?db=cut.db");
  // One cut is an issue of the file, one of the recording in it, and numbers of all that it held: one loss.
  const lost = sql(db("cut"), `WITH RECURSIVE root(id, top) AS (SELECT id, id FROM source WHERE parent_id IS NULL UNION ALL SELECT s.id, r.top FROM source AS s JOIN root AS r ON s.parent_id = r.id)
    SELECT DISTINCT r.top, i.offset FROM import_issue AS i JOIN root AS r ON r.id = i.source_id WHERE i.severity IN ('error', 'data_loss')`);
  check(lost.length > 0, "the cut recording has lost something");
  equal(await view.text(".strip b"), `${lost.length === 1 ? "1 thing is" : `${lost.length} things are`} missing from this recording`, "strip");
  await view.press("What is missing");
  const all = sql(db("cut"), "SELECT sum(count) AS n FROM v_data_quality GROUP BY source_id, kind, what, severity, message");
  const rows = await view.rows("What is missing");
  equal(rows.length, all.length, "what is missing");
  equal(rows.map((r) => r.Count).sort(), all.map((r) => grouped(r.n)).sort(), "counts of what is missing");
});

// --- SQL ------------------------------------------------------------------------------------------------------------------

step("sql", async () => {
  await view.go("#/sql?db=cloud.db&question=cloud_slow_calls&p.limit=7&run=1", true);
  const expected = sql(db("cloud"), "SELECT id, ts, dur FROM v_cloud_call ORDER BY dur DESC, id LIMIT 7");
  const rows = await view.rows("Result");
  equal(rows.map((r) => [r.id, r.ts, r.dur]), expected.map((r) => [r.id, r.ts, r.dur].map(String)), "rows of a question by its link");
  check((await view.text(".figures")).startsWith("7 rows in "), "number of rows");
  // A statement by keyboard; integers keep their digits.
  await view.run(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus());
  await view.page.keyboard.down("Control");
  await view.page.keyboard.press("a");
  await view.page.keyboard.up("Control");
  await view.page.keyboard.type("SELECT 9223372036854775807 AS big, :x AS x, NULL AS none, x'00ff' AS bytes");
  await view.page.waitForSelector(".parameters input");
  await view.page.type(".parameters input", "1750000000040000001");
  await view.page.keyboard.press("Enter");
  await view.page.waitForFunction(() => document.querySelector(".figures")?.textContent.startsWith("1 row "));
  equal((await view.rows("Result"))[0], { big: "9223372036854775807", x: "1750000000040000001", none: "NULL", bytes: "2 B of binary data" }, "values of all types");
  const link = await view.fragment();
  await view.go(link, true);
  equal((await view.rows("Result"))?.[0]?.x, "1750000000040000001", "permalink");
  // Completion of a table's columns.
  await view.run(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus());
  await view.page.keyboard.down("Control");
  await view.page.keyboard.press("a");
  await view.page.keyboard.up("Control");
  await view.page.keyboard.type("SELECT * FROM cloud_ca");
  await view.page.waitForFunction(() => [...(document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-tooltip-autocomplete li") ?? [])].some((li) => li.textContent.startsWith("cloud_call")));
  await view.page.keyboard.press("Escape");
  await view.page.keyboard.press("Escape");
  await view.page.keyboard.press("Tab");
  check(await view.run(() => document.activeElement?.shadowRoot === null), "Escape and Tab leave the editor");
  await view.go("#/sql?db=cloud.db&sql=SELECT+id,+dur+FROM+cloud_call&run=1&as=bar", true);
  await view.page.waitForSelector(".plot canvas");
  await view.looks("chart", undefined, 3);
  // What is wrong is said, and is no error of the page.
  view.messages.length = 0;
  await view.go("#/sql?db=cloud.db&sql=DELETE+FROM+source&run=1", true);
  check(/refused/.test(await view.text(".failure")), "a statement that writes is refused");
  view.messages.length = 0;
});

step("sql, many rows", async () => {
  await view.go("#/sql?db=heaps.db&limit=100000&sql=SELECT+*+FROM+js_heap_nodes+LIMIT+100000&run=1", true);
  check((await view.text(".figures")).startsWith("100,000 rows"), "100,000 rows");
  check((await view.run(() => document.querySelectorAll("[aria-label=Result] tbody tr").length)) < 120, "only rows that are seen are made");
  const worst = await view.run(async () => {
    const table = document.querySelector("[aria-label=Result]");
    let most = 0;
    let before = performance.now();
    for (let i = 1; i <= 40; i++) {
      table.scrollTop = (table.scrollHeight * i) / 40;
      await new Promise((done) => requestAnimationFrame(done));
      most = Math.max(most, performance.now() - before);
      before = performance.now();
    }
    return most;
  });
  console.log(`longest frame while 100,000 rows scroll: ${worst.toFixed(0)} ms`);
  const last = sql(db("heaps"), "SELECT id FROM js_heap_nodes WHERE rowid = 100000")[0].id;
  await view.settle();
  equal((await view.rows("Result")).at(-1).id, String(last), "the last row");
});

// --- Flame ----------------------------------------------------------------------------------------------------------------

step("flame", async () => {
  await view.go("#/flame?db=profile.db&idle=1&w=dur", true);
  const [{ ns }] = sql(db("profile"), "SELECT sum(dur) AS ns FROM stack_sample WHERE node_id IS NOT NULL AND dur >= 0");
  equal(await view.text(".trail b"), amount(ns, "ns"), "time of all stacks");
  const [{ n: paths }] = sql(db("profile"), `WITH RECURSIVE up(id, parent_id) AS (SELECT DISTINCT n.id, n.parent_id FROM stack_sample AS s JOIN stack_node AS n ON n.id = s.node_id
    UNION SELECT n.id, n.parent_id FROM up JOIN stack_node AS n ON n.id = up.parent_id) SELECT count(*) AS n FROM up`);
  check((await view.text(".trail")).includes(`${paths} call paths`), `${paths} call paths: ${await view.text(".trail")}`);
  // A frame by keyboard: the widest child of the root, then zoom.
  await view.run(() => document.querySelector(".graph canvas").focus());
  await view.keys("ArrowDown", "ArrowDown", "Enter");
  const at = pathsOf(db("profile")).down.get(/[?&]at=([0-9a-f]{16})/.exec(await view.fragment())?.[1]);
  check(at !== undefined, `zoomed by keyboard: ${await view.fragment()}`);
  const name = sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ${at}`)[0]?.name;
  equal(await view.text(".drawer h2"), name, "the drawer shows the frame");
  await view.go(await view.fragment(), true);
  check((await view.text(".trail nav"))?.includes(name) ?? false, "a link restores the zoom");
  await view.run(() => document.querySelector(".graph canvas").focus());
  await view.keys("Escape");
  check(!(await view.fragment()).includes("at="), "Escape shows all");
  // A filter leaves out what SQL leaves out.
  await view.go("#/flame?db=profile.db");
  const [{ busy }] = sql(db("profile"), "SELECT sum(s.dur) AS busy FROM stack_sample AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id WHERE m.name <> '(idle)'");
  equal(await view.text(".trail b"), amount(busy, "ns"), "without idle");
  await view.go("#/flame?db=profile.db&table=1&idle=1&w=dur");
  const table = await view.rows("Stacks as a table");
  equal(table[0]["Total s"], grouped(ns / 1e9, 3), "the table's first row");
  // Upside down, methods stand at the top with their self times, of all call paths; a zoomed node is found again by its link.
  await view.go("#/flame?db=profile.db&table=1&inv=1");
  const tops = sql(db("profile"), "SELECT method, self FROM v_stack_hot_method WHERE value = 'dur' AND unit = 'ns' AND self > 0 ORDER BY self DESC, method LIMIT 5");
  const turned = await view.run(() => [...document.querySelectorAll("[aria-label='Stacks as a table'] tbody tr:not(.space)")].filter((tr) => tr.querySelector("span").style.paddingLeft === "12px").map((tr) => [tr.children[0].textContent, tr.children[1].textContent]));
  equal(turned.slice(0, 2).map((r) => r[1]), inColumn([busy, tops[0].self, tops[1].self], "ns", 3).slice(1), "self times upside down");
  equal(turned.slice(0, 2).map((r) => r[0]), tops.slice(0, 2).map((r) => r.method), "methods upside down");
  await view.go("#/flame?db=profile.db&idle=1&inv=1");
  await view.run(() => document.querySelector(".graph canvas").focus());
  await view.keys("ArrowDown", "ArrowDown", "Enter");
  const zoomed = await view.text(".trail nav");
  check(pathsOf(db("profile")).up.has(/[?&]at=([0-9a-f]{16})/.exec(await view.fragment())?.[1]), `zoomed upside down: ${await view.fragment()}`);
  await view.go(await view.fragment(), true);
  equal(await view.text(".trail nav"), zoomed, "a link restores the zoom upside down");
});

step("hot methods", async () => {
  await view.go("#/flame?db=profile.db&view=hot");
  const expected = sql(db("profile"), "SELECT method, self, total FROM v_stack_hot_method WHERE value = 'dur' AND unit = 'ns' ORDER BY self DESC, total DESC");
  const shown = await view.rows(await view.run(() => document.querySelector(".table").getAttribute("aria-label")));
  const numbers = shown.map((r) => ["Self", "Total"].map((title) => Object.entries(r).find(([name]) => name.startsWith(`${title} `))[1]));
  const cpu = sql(db("profile"), "SELECT sum(dur) AS ns FROM v_sample WHERE class = 'cpu'")[0].ns;
  equal(shown.map((r) => [r.Share, r["Of all"]]), expected.map((r) => [r.self, r.total].map((ns) => `${((100 * ns) / cpu).toFixed(1)} %`)), "shares of hot methods");
  check((await view.text("p.count")).endsWith(`percentages are of ${amount(cpu, "ns")}, CPU time`), "what they are of");
  equal(shown.map((r) => r.Method), expected.map((r) => r.method), "hot methods");
  equal(numbers.map((r) => r[0]), inColumn(expected.map((r) => r.self), "ns", 3), "self times of hot methods");
  equal(numbers.map((r) => r[1]), inColumn(expected.map((r) => r.total), "ns", 3), "total times of hot methods");
  await view.click(".stage.column tbody tr:nth-child(2)");
  check((await view.fragment()).includes("view=sandwich"), "a click shows callers and callees");
  check((await view.text(".around h2")).startsWith("Callers of"), "callers");
  // Of calls, a method's own are counted.
  const [lines] = sql(db("cloud"), `SELECT m.id AS id, count(*) AS n, sum(s.dur) AS ns FROM stack_slice AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id WHERE m.name = 'lines'`);
  await view.go(`#/flame?db=cloud.db&view=sandwich&m=${lines.id}`);
  check((await view.text(".around h2")).includes(`${amount(lines.ns, "ns")} in ${lines.n} calls, `), `calls of a method: ${await view.text(".around h2")}`);
});

step("time range", async () => {
  await view.go("#/flame?db=profile.db&idle=1&w=dur");
  const box = await view.run(() => {
    const r = document.querySelector(".range canvas").getBoundingClientRect();
    return [r.x, r.y, r.width, r.height];
  });
  await view.page.mouse.move(box[0] + box[2] * 0.25, box[1] + 20);
  await view.page.mouse.down();
  await view.page.mouse.move(box[0] + box[2] * 0.4, box[1] + 20, { steps: 4 });
  await view.page.mouse.move(box[0] + box[2] * 0.5, box[1] + 20, { steps: 4 });
  await view.page.mouse.up();
  await view.settle();
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(await view.fragment()) ?? [];
  check(from !== undefined, "dragging chooses a range");
  const [{ start_ts: origin }] = sql(db("profile"), "SELECT start_ts FROM trace_range");
  const a = BigInt(origin) + BigInt(from ?? 0);
  const b = BigInt(origin) + BigInt(to ?? 0);
  const [{ ns }] = sql(db("profile"), `SELECT sum(min(ts + dur, ${b}) - max(ts, ${a})) AS ns FROM stack_sample WHERE node_id IS NOT NULL AND dur >= 0 AND ts < ${b} AND ts + dur > ${a}`);
  equal(await view.text(".trail b"), amount(ns, "ns"), "time of the stacks in the range");
  await view.go("#/flame?db=profile.db&view=time&from=200000000&to=300000000");
  equal(await view.text(".trail b"), "100.00 ms", "time order shows the range");
});

// --- Timeline -------------------------------------------------------------------------------------------------------------

step("timeline", async () => {
  await view.go("#/timeline?db=cloud.db", true);
  const longest = sql(db("cloud"), "SELECT id, ts, dur, method, thread FROM v_stack_slice ORDER BY dur DESC, id LIMIT 1")[0];
  await view.run(() => document.querySelector(".lane.opened canvas").focus());
  await view.keys("ArrowRight");
  check((await view.fragment()).includes("slice="), "arrow keys choose a call");
  await view.go(`#/timeline?db=cloud.db&slice=${longest.id}`);
  equal(await view.text(".drawer h2"), longest.method, "the call of a link");
  check((await view.text(".drawer .facts")).includes(amount(longest.dur, "ns")), "its duration");
  await view.keys("0");
  await view.run(() => document.querySelector(".lane canvas").focus());
  await view.keys("w", "w", "d");
  check(/from=\d+&to=\d+/.test(await view.fragment()), "W and D zoom and move");
  await view.go("#/timeline?db=cloud.db&table=1&open=5");
  const rows = await view.rows("Threads and calls in the range");
  const { thread, dur } = longest;
  check(rows.some((r) => r.Thread === thread && r["Took s"] === grouped(dur / 1e9, 3)), "the table has the longest call");
});

step("a trace of the system", async () => {
  await view.go("#/overview?db=kernel.db", true);
  const tiles = await view.run(() => Object.fromEntries([...document.querySelectorAll(".tiles li")].map((li) => [li.querySelector("span").textContent, li.querySelector("b").textContent])));
  equal([tiles["times on CPUs"], tiles["slices of the system"]], sql(db("kernel"), "SELECT count(*) AS n FROM sched_slice UNION ALL SELECT count(*) FROM callstack").map((r) => grouped(r.n)), "what is in it");
  await view.go("#/timeline?db=kernel.db", true);
  const lanes = await view.run(() => [...document.querySelectorAll(".lane .name")].map((e) => e.textContent.replace("▾", "").replace("▸", "")));
  equal(lanes.filter((name) => /CPU \d$/.test(name)), ["CPU 0", "CPU 1", "Interrupts of CPU 0", "Interrupts of CPU 1"], "lanes of CPUs");
  const busiest = sql(db("kernel"), "SELECT t.name FROM sched_slice AS s JOIN thread AS t ON t.itid = s.itid WHERE t.ipid = (SELECT u.ipid FROM sched_slice AS r JOIN thread AS u ON u.itid = r.itid WHERE r.itid <> 0 GROUP BY u.ipid ORDER BY sum(r.dur) DESC LIMIT 1) GROUP BY s.itid ORDER BY sum(s.dur) DESC LIMIT 1")[0];
  equal((await view.text(".lane.inner .name button")).slice(1), busiest.name, "the busiest thread of the busiest process is the first");
  await view.run(() => document.activeElement?.blur());
  await view.keys("w", "d");
  check(/from=\d+&to=\d+/.test(await view.fragment()), "W and D without a click first");
  await view.keys("f");
  check(!/from=/.test(await view.fragment()), "F shows everything");
  // A search: how many slices, and from one to the next.
  const called = sql(db("kernel"), "SELECT id, dur FROM callstack WHERE name LIKE '%call 7%' AND cookie IS NULL ORDER BY ts, id");
  await view.go("#/timeline?db=kernel.db&q=call+7");
  check((await view.text(".hits")).startsWith(`${called.length} found`), `hits of a search: ${await view.text(".hits")}`);
  for (const one of called.slice(0, 2)) {
    await view.click(".hits button:last-child");
    equal(/slice=(\d+)/.exec(await view.fragment())[1], String(one.id), "the next of them");
  }
  await view.click(".hits button");
  equal(/slice=(\d+)/.exec(await view.fragment())[1], String(called[0].id), "the one before");
  await view.go("#/timeline?db=kernel.db");
  // Columns and rows have the same picture: as much of the lane is painted as the CPU was busy.
  const [{ part }] = sql(db("kernel"), "SELECT 1.0 * sum(dur) / (SELECT end_ts - start_ts FROM trace_range) AS part FROM sched_slice WHERE cpu = 0 AND itid <> 0");
  const painted = await view.run(() => {
    const canvas = [...document.querySelectorAll(".lane")].find((one) => one.querySelector(".name").textContent === "CPU 0").querySelector("canvas");
    const { width } = canvas;
    const data = canvas.getContext("2d").getImageData(0, Math.floor(canvas.height / 2), width, 1).data;
    let n = 0;
    for (let x = 0; x < width; x++) {
      n += data[4 * x + 3] > 0 ? 1 : 0;
    }
    return n / width;
  });
  check(Math.abs(painted - part) < 0.08, `CPU 0 was busy ${part.toFixed(3)}, painted is ${painted.toFixed(3)}`);
  // One time on a CPU: who, how long, and how long it had waited for it.
  const [ran] = sql(db("kernel"), "SELECT s.rowid AS id, s.dur, s.cpu, t.name, w.dur AS latency FROM sched_slice AS s JOIN thread AS t ON t.itid = s.itid JOIN thread_state AS w ON w.itid = s.itid AND w.state = 'R' AND w.ts + w.dur = s.ts ORDER BY s.dur DESC, s.rowid LIMIT 1");
  await view.go(`#/timeline?db=kernel.db&ran=${ran.id}`);
  equal(await view.text(".drawer h2"), ran.name, "who ran");
  const facts = await view.text(".drawer .facts");
  check(facts.includes(amount(ran.dur, "ns")) && facts.includes(`CPU ${ran.cpu}`) && facts.includes(amount(ran.latency, "ns")), `how long, where, and after which wait: ${facts}`);
  const [woken] = sql(db("kernel"), "SELECT s.rowid AS id, u.name AS waker FROM sched_slice AS s JOIN thread_state AS w ON w.itid = s.itid AND w.state = 'R' AND w.ts + w.dur = s.ts JOIN instant AS i ON i.ref = s.itid AND i.ts = w.ts AND i.name = 'sched_wakeup' JOIN thread AS u ON u.itid = i.wakeup_from WHERE u.itid <> s.itid ORDER BY s.rowid LIMIT 1");
  await view.go(`#/timeline?db=kernel.db&ran=${woken.id}`);
  check((await view.text(".drawer .facts")).includes(`Woken by${woken.waker}`), `who woke it: ${await view.text(".drawer .facts")}, ${woken.waker}`);
  // A slice, and what its time went into.
  const [mark] = sql(db("kernel"), "SELECT c.id, c.name, c.dur, s.self_dur FROM callstack AS c JOIN v_slice_self AS s ON s.id = c.id WHERE c.cookie IS NULL AND c.dur IS NOT NULL ORDER BY c.dur DESC LIMIT 1");
  await view.go(`#/timeline?db=kernel.db&slice=${mark.id}`);
  equal(await view.text(".drawer h2"), mark.name, "a slice");
  check((await view.text(".drawer .facts")).includes(amount(mark.dur, "ns")) && (await view.text(".drawer .facts")).includes(amount(mark.self_dur, "ns")), "its time and self time");
  // States of threads in a selection.
  await view.go("#/timeline?db=kernel.db&sel=500000,900000");
  const [{ origin }] = sql(db("kernel"), "SELECT start_ts AS origin FROM trace_range");
  const spent = sql(db("kernel"), `SELECT t.name AS thread, s.state, sum(min(s.ts + ifnull(s.dur, 1e18), ${origin} + 900000) - max(s.ts, ${origin} + 500000)) AS ns FROM thread_state AS s JOIN thread AS t ON t.itid = s.itid
    WHERE s.ts < ${origin} + 900000 AND s.ts + ifnull(s.dur, 1e18) > ${origin} + 500000 GROUP BY s.itid, s.state`);
  const shown = await view.rows("States of threads in the range");
  for (const [state, title] of [["Running", "Ran µs"], ["R", "Ready µs"], ["S", "Slept µs"], ["D", "Blocked µs"]]) {
    equal(Object.fromEntries(shown.map((r) => [r.Thread, r[title]])),
      Object.fromEntries(shown.map((r) => [r.Thread, grouped((spent.find((one) => one.thread === r.Thread && one.state === state)?.ns ?? 0) / 1e3, 3)])), `time in the state ${state}`);
  }
  equal(shown.length, new Set(spent.map((one) => one.thread)).size, "all threads of the selection");
  await view.go("#/timeline?db=kernel.db&from=500000&to=800000&table=1&open=1");
  const table = await view.rows("Threads and calls in the range");
  check(table.some((r) => r.Call?.startsWith("H:call")), "slices as a table");
});

systemSteps({ step, view, path: db("machine"), apartPath: db("apart"), kernelPath: db("kernel"), amount, inColumn, grouped });

// --- Heap -----------------------------------------------------------------------------------------------------------------

step("heap", async () => {
  await view.go("#/heap?db=heaps.db&file=2", true);
  const classes = sql(db("heaps"), "SELECT name, count, distance, shallow_size, retained_size FROM v_js_constructor WHERE file_id = 2 ORDER BY retained_size DESC, constructor_id LIMIT 10");
  let rows = await view.rows("Classes");
  equal(rows.slice(0, 10).map((r) => [r.Objects, r.Distance]), classes.map((r) => [grouped(r.count), String(r.distance)]), "objects and distances of classes");
  const retained = sql(db("heaps"), "SELECT max(retained_size) AS r FROM v_js_constructor WHERE file_id = 2")[0].r;
  equal(rows[0]["Retained size"], amount(retained, "bytes"), "retained size");
  // Open the first class, choose its first object.
  await view.click("[aria-label=Classes] tbody tr:first-child");
  rows = await view.rows("Classes");
  const id = /@(\d+)/.exec(rows[1].Class)?.[1];
  check(id !== undefined, "objects of a class");
  await view.run(() => document.querySelector("[aria-label=Classes] tbody tr:first-child").focus());
  await view.keys("ArrowDown", "Enter");
  const [{ node_index: index }] = sql(db("heaps"), `SELECT node_index FROM v_js_retained WHERE file_id = 2 AND node_id = ${id}`);
  check((await view.fragment()).includes(`node=${index}`), "an object by keyboard");
  // The path leads over references that are there, up to the root.
  const path = await view.run(() => [...document.querySelectorAll(".path li")].map((li) => /@(\d+)/.exec(li.textContent)[1]));
  equal(path[0], id, "the path begins at the object");
  equal(path.at(-1), String(sql(db("heaps"), "SELECT id FROM js_heap_nodes WHERE file_id = 2 AND node_index = 0")[0].id), "the path ends at the root");
  for (let i = 1; i < path.length; i++) {
    check(sql(db("heaps"), `SELECT count(*) AS n FROM js_heap_edges WHERE file_id = 2 AND from_node_id = ${path[i]} AND to_node_id = ${path[i - 1]}`)[0].n > 0, `a reference from ${path[i]} to ${path[i - 1]}`);
  }
  const retainers = sql(db("heaps"), `SELECT retainer_id FROM v_js_retainer WHERE file_id = 2 AND node_id = ${id} ORDER BY edge_index LIMIT 100`).map((r) => String(r.retainer_id));
  const shown = (await view.rows("retainers")).slice(1).map((r) => /@(\d+)/.exec(r.Object)?.[1]);
  equal(shown, retainers.slice(0, shown.length), "retainers");
  check(shown.length > 0, "there are retainers");
  await view.press("Dominated");
  const dominated = sql(db("heaps"), `SELECT count(*) AS n FROM v_js_retained WHERE file_id = 2 AND dominator = ${index}`)[0].n;
  equal((await view.rows("dominated")).length - 1 >= Math.min(20, dominated), true, `${dominated} dominated objects`);
});

step("heap, other parts", async () => {
  await view.go("#/heap?db=heaps.db&file=2&part=comparison&base=0", true);
  const [{ n }] = sql(db("heaps"), "SELECT count(*) AS n FROM js_heap_nodes WHERE file_id = 2 AND id NOT IN (SELECT id FROM js_heap_nodes WHERE file_id = 0) AND self_size > 0");
  const added = (await view.run(() => [...document.querySelectorAll("[aria-label=Comparison] tbody tr:not(.space)")].map((tr) => Number(tr.children[1].textContent.replace(/,/g, ""))))).reduce((a, b) => a + b, 0);
  check(added > 0 && added <= n, `new objects: ${added} of ${n}`);
  // Without the analysis classes are those of the histogram: what the shipped question says, of classes of which something changed.
  await view.go("#/heap?db=plain.db&file=2&part=comparison&base=1", true);
  const question = `\n${readFileSync(join(source, "share/sql/js_snapshot_diff.sql"), "utf8")}`.replaceAll(":file", "2").replaceAll(":previous", "1").replaceAll(":limit", "-1");
  const changed = sql(db("plain"), question).filter((r) => r.added > 0 || r.removed > 0 || r.size_delta !== 0);
  const column = (value, kind) => changed.map(value).map((n) => (kind === "count" ? grouped(n) : n < 0 ? `-${amount(-n, kind)}` : amount(n, kind))).map((text) => text.replace("-", "\u2212"));
  const plus = (texts, value) => texts.map((text, i) => (value(changed[i]) > 0 ? `+${text}` : text));
  const [delta, growth] = [(r) => r.added - r.removed, (r) => r.size_delta];
  const wanted = [changed.map((r) => r.class), column((r) => r.added, "count"), column((r) => r.removed, "count"), plus(column(delta, "count"), delta),
    column((r) => r.added_size, "bytes"), column((r) => r.removed_size, "bytes"), plus(column(growth, "bytes"), growth)];
  const compared = (await view.rows("Comparison")).map((r) => Object.values(r));
  equal(compared.slice(0, 12), changed.slice(0, 12).map((_, i) => wanted.map((texts) => texts[i])), "classes by the ids of their objects");
  check((await view.text("p.count")).includes(`in ${grouped(changed.length)} class`), `${changed.length} classes changed`);
  await view.go("#/heap?db=heaps.db&file=2&part=strings");
  const strings = sql(db("heaps"), "SELECT count, wasted_size FROM v_js_string_duplicates WHERE file_id = 2 ORDER BY wasted_size DESC LIMIT 5");
  equal((await view.rows("Equal strings")).slice(0, 5).map((r) => r.Wasted), strings.map((r) => amount(r.wasted_size, "bytes")), "equal strings");
  await view.go("#/heap?db=heaps.db&file=0&part=detached");
  const detached = sql(db("heaps"), "SELECT count(*) AS n FROM v_js_detached WHERE file_id = 0")[0].n;
  check((await view.text("p.count")).startsWith(`${detached} object`), `${detached} detached objects`);
  await view.go("#/heap?db=heaps.db&part=containment");
  equal((await view.rows("Objects from the root down")).length - 1, Math.min(100, sql(db("heaps"), "SELECT edge_count AS n FROM js_heap_nodes WHERE file_id = 0 AND node_index = 0")[0].n), "references of the root");
  await view.go("#/heap?db=allocations.db&part=allocations");
  await view.run(() => document.querySelector(".bars canvas").focus());
  await view.keys("ArrowRight", "Enter");
  const [, low, high] = /id0=(\d+)&id1=(\d+)/.exec(await view.fragment()) ?? [];
  const alive = sql(db("allocations"), `SELECT count(*) AS n FROM js_heap_nodes WHERE id > ${low} AND id <= ${high}`)[0].n;
  check((await view.text("p.count")).startsWith(`${grouped(Math.min(500, alive))} object`), `${alive} objects of a bar`);
});

// --- Calls ----------------------------------------------------------------------------------------------------------------

step("calls", async () => {
  await view.go("#/calls?db=cloud.db", true);
  const slow = sql(db("cloud"), "SELECT id, dur, cpu_dur FROM v_cloud_call ORDER BY dur DESC, id LIMIT 8");
  const rows = await view.rows("Calls");
  equal(rows.slice(0, 8).map((r) => [r.Call, r["Took s"]]), slow.map((r) => [String(r.id), grouped(r.dur / 1e9, 3)]), "slowest calls");
  const label = "document.querySelector('.scatter canvas').getAttribute('aria-label')";
  const [{ n: all }] = sql(db("cloud"), "SELECT count(*) AS n FROM cloud_call");
  check((await view.run(label)).startsWith(`${all} calls`), `${all} calls in the scatter`);
  await view.go("#/calls?db=cloud.db&src=1");
  check((await view.run(label)).startsWith(`${all} calls`), `${all} calls of the source in the scatter`);
  await view.go("#/calls?db=cloud.db");
  await view.click("[aria-label=Calls] tbody tr:first-child");
  const id = slow[0].id;
  const tree = sql(db("cloud"), `SELECT count(*) AS n FROM stack_slice AS s, cloud_call AS c WHERE c.id = ${id} AND s.itid = c.itid AND s.ts >= c.ts AND s.ts < c.ts + c.dur`)[0].n;
  equal((await view.rows("Steps of the call")).length, tree, "steps of a call");
  const params = sql(db("cloud"), `SELECT name, value FROM v_cloud_call_param WHERE call_id = ${id} ORDER BY name, ordinal`);
  const drawer = await view.text(".drawer");
  check(params.every((p) => drawer.includes(p.name) && drawer.includes(p.value)), "parameters of a call");
  await view.press("Show in timeline");
  check(/^#\/timeline.*from=\d+&to=\d+/.test(await view.fragment()), "show in timeline");
  await view.go("#/calls?db=cloud.db&by=method");
  const methods = sql(db("cloud"), "SELECT method, count(*) AS n, sum(dur) AS dur FROM v_cloud_call GROUP BY method ORDER BY dur DESC");
  equal((await view.rows("Calls by method")).map((r) => [r.Calls, r.Method]), methods.map((r) => [grouped(r.n), r.method]), "calls by method");
});

step("calls in the order of time", async () => {
  const [{ itid, ts, dur, method }] = sql(db("cloud"), "SELECT s.itid AS itid, s.ts - (SELECT start_ts FROM trace_range) AS ts, s.dur AS dur, m.name AS method FROM stack_slice AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id WHERE s.parent_id IS NULL ORDER BY s.dur DESC LIMIT 1");
  await view.go(`#/flame?db=cloud.db&kind=slice&view=time&thr=${itid}&from=${ts}&to=${ts + dur}`);
  await view.page.focus(".graph canvas");
  await view.keys("ArrowDown");
  check((await view.text(".drawer"))?.includes(method), `the longest call is the first frame: ${await view.text(".drawer")} instead of ${method}`);
  check((await view.text(".drawer"))?.includes(amount(dur, "ns").replace(" ", "\u00a0")) || (await view.text(".drawer"))?.includes(amount(dur, "ns")), `it took ${amount(dur, "ns")}: ${await view.text(".drawer")}`);
});

step("filters of stacks", async () => {
  const [{ name }] = sql(db("profile"), "SELECT m.name AS name FROM stack_sample AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id WHERE m.name NOT LIKE '(%' AND m.name <> '' GROUP BY m.name ORDER BY sum(s.dur) DESC LIMIT 1");
  const [{ inside, others }] = sql(db("profile"), `WITH RECURSIVE has(id) AS (SELECT n.id FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE m.name = '${name}'
    UNION SELECT n.id FROM stack_node AS n JOIN has ON n.parent_id = has.id)
    SELECT sum(CASE WHEN s.node_id IN has THEN s.dur END) AS inside, sum(CASE WHEN s.node_id NOT IN has AND m.name <> '(idle)' THEN s.dur END) AS others
    FROM stack_sample AS s JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id`);
  const label = () => view.run(() => document.querySelector(".graph canvas")?.getAttribute("aria-label") ?? "");
  const pattern = encodeURIComponent(`/^${name}$/`);
  await view.go(`#/flame?db=profile.db&only=${pattern}`);
  check((await label()).startsWith(`Stacks, ${amount(inside, "ns")}:`), `only ${name}: ${await label()} instead of ${amount(inside, "ns")}`);
  await view.go(`#/flame?db=profile.db&ignore=${pattern}`);
  check((await label()).startsWith(`Stacks, ${amount(others, "ns")}:`), `not ${name}: ${await label()} instead of ${amount(others, "ns")}`);
  await view.go("#/flame?db=profile.db");
  await view.page.type(".bar label:nth-of-type(1) input.short", `/^${name}$/`);
  await view.settle();
  check((await label()).startsWith(`Stacks, ${amount(inside, "ns")}:`) && (await view.fragment()).includes("only="), "the filter is asked for when typing has ended");
});

stacks.stackSteps({ step, view, db, grouped, amount, inColumn });

// --- the graph alone --------------------------------------------------------------------------------------------------------

step("names of C++ and Rust", async () => {
  const stored = sql(db("written"), "SELECT m.name, sum(v.value) AS self FROM stack_sample_value AS v JOIN stack_sample AS s ON s.id = v.sample_id JOIN stack_node AS n ON n.id = s.node_id JOIN stack_method AS m ON m.id = n.method_id GROUP BY 1 ORDER BY 2 DESC");
  equal(stored.map((r) => r.name), ["_RNvC6_123foo3bar", "f"], "names that are stored");
  await view.go("#/flame?db=written.db&view=hot", true);
  const shown = async () => (await view.rows(await view.run(() => document.querySelector(".table").getAttribute("aria-label")))).map((r) => r.Method).sort();
  equal(await shown(), ["123foo::bar", "a::b()", "f", "main"], "names as they are written");
  await view.axe("raw names");
  await view.run(() => [...document.querySelectorAll(".bar label")].find((l) => l.textContent === "raw names").querySelector("input").click());
  await view.settle();
  check((await view.fragment()).includes("raw=1"), "raw names are in the address");
  equal(await shown(), ["_RNvC6_123foo3bar", "_ZN1a1bEv", "f", "main"], "names as they are stored");
});

step("a million frames", async () => {
  await view.go("#/flame?db=profile.db");
  const [first, zoom] = await millionFrames(view, source);
  console.log(`1,000,000 frames: shown in ${first.toFixed(0)} ms, zoomed in ${zoom.toFixed(0)} ms`);
  check(first < 30000 && zoom < 5000, "a million frames are drawn in time"); // a busy machine may take a hundred times as long
});

// --- hostile texts --------------------------------------------------------------------------------------------------------

step("hostile texts", async () => {
  for (const fragment of ["overview", "flame?view=left", "flame?view=hot", "timeline", "calls?call=25", "calls?by=param", "sql?sql=SELECT+*+FROM+stack_method&run=1"]) {
    await view.go(`#/${fragment}${fragment.includes("?") ? "&" : "?"}db=hostile.db`);
    equal(await view.run(() => [document.querySelectorAll("img, script:not([src]), iframe").length, /\u202e/.test(document.body.textContent)]), [0, false], `nothing of ${fragment} became markup`);
    check((await view.run(() => Math.max(...[...document.querySelectorAll("td, h2, .name")].map((e) => e.textContent.length), 0))) < 5000, `long texts of ${fragment} are cut`);
  }
  await view.go("#/calls?db=hostile.db&by=method", true);
  check((await view.text("main")).includes("<img src=x onerror=alert(1)>") || (await view.text("main")).includes("<script>") || (await view.text("main")).includes("·"), "hostile names are shown as text");
});

// --- how it looks -----------------------------------------------------------------------------------------------------------

// Dark pages are as wide as light ones, and rules but that of contrast find the same at each width: all of it is looked at when there is time,
// or pictures are wanted.
const thorough = process.env.TS_SLOW === "1" || shots !== undefined;

const PICTURES = [
  ["overview", "#/overview?db=cloud.db"], ["missing", "#/overview?db=cut.db&show=missing"], ["flame", "#/flame?db=profile.db"], ["time", "#/flame?db=profile.db&view=time&from=200000000&to=400000000"],
  ["sandwich", "#/flame?db=cloud.db&view=sandwich&m=6"], ["hot", "#/flame?db=profile.db&view=hot"], ["timeline", "#/timeline?db=cloud.db&slice=171"], ["system", "#/timeline?db=kernel.db&sel=500000,900000"], ["frame", "#/timeline?db=machine.db&frame=4"], ["range", "#/timeline?db=machine.db&sel=20000000,60000000&part=samples"],
  ["heap", "#/heap?db=heaps.db&file=2&node=2"], ["comparison", "#/heap?db=heaps.db&file=2&part=comparison"], ["allocations", "#/heap?db=allocations.db&part=allocations"],
  ["calls", "#/calls?db=cloud.db&call=25"], ["pauses", "#/pauses?db=jfr.db"], ...stacks.PICTURES, ["sql", "#/sql?db=cloud.db&question=cloud_slow_calls&run=1"],
];

step("pictures and accessibility", async () => {
  await view.go("#/overview");
  for (const theme of ["light", "dark"]) {
    await view.theme(theme);
    for (const [name, fragment] of PICTURES) {
      for (const width of thorough ? [1600, 1000, 800] : theme === "light" ? [1600, 800] : [1600]) {
        await view.page.setViewport({ width, height: width === 1600 ? 900 : 700 });
        if (width === 1600) {
          await view.go(fragment);
        } else {
          await view.settle();
        }
        await view.looks(`${name}, ${theme}, ${width}`, shots === undefined ? undefined : join(shots, `${name}-${theme}-${width}.png`), 30);
        if (width === 1600 || thorough) {
          await view.axe(`${name}, ${theme}, ${width}`, theme === "dark" && !thorough ? ["color-contrast"] : undefined);
        }
      }
    }
  }
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
  if (process.env.TS_SCRATCH === undefined) {
    rmSync(scratch, { recursive: true, force: true });
  }
}
console.log(failures() === 0 ? "the page is as it has to be" : `${failures()} wrong`);
process.exit(failures() === 0 ? 0 : 1);
