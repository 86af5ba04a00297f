// Sources, threads, waits and stacks of the page, on recordings of several kinds: numbers by sqlite3, never by the server. browser.mjs runs these steps.
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { pathsOf } from "./paths.mjs";
import { check, equal, sql } from "./run.mjs";

/** The databases that the steps need: name, inputs. */
export const RECORDINGS = [
  ["jfr", ["work.jfr.gz"]], ["two", ["work.jfr.gz", "work21.jfr.gz"]], ["trace", ["Trace-page.json.gz"]], ["heap", ["go-heap.pprof"]],
];

export function stackSteps({ step, view, db, grouped, amount, inColumn }) {
  const titles = (label) => view.run((name) => [...document.querySelectorAll(`[role=region][aria-label="${name}"] th`)].map((th) => th.textContent.replace(/[▾▴]/g, "").trim()), label);
  const options = (label) => view.run((name) => [...document.querySelectorAll(`select[aria-label="${name}"] option`)].map((o) => o.textContent), label);

  step("threads, by what they did", async () => {
    await view.go("#/overview?db=jfr.db", true);
    const rows = await view.rows("Threads");
    // One row a thread, and nothing is added up twice.
    equal(rows.map((r) => `${r.Name} ${r.tid}`).length, new Set(rows.map((r) => `${r.Name} ${r.tid}`)).size, "one row a thread");
    const cpu = sql(db("jfr"), `SELECT t.name, t.tid, sum(v.value) AS ns FROM stack_sample AS s JOIN stack_sample_value AS v ON v.sample_id = s.id JOIN stack_value_type AS y ON y.id = v.value_type_id AND y.name = 'cpu'
      JOIN thread AS t ON t.itid = s.itid WHERE s.event = 'cpu' GROUP BY t.itid ORDER BY ns DESC`);
    const texts = inColumn(cpu.map((r) => r.ns), "ns", 3);
    equal(rows.slice(0, cpu.length).map((r) => r["CPU ms"]), texts, "sorted by CPU");
    equal(rows.slice(0, cpu.length).map((r) => `${r.Name} ${r.tid} ${r["CPU ms"]}`).sort(), cpu.map((r, i) => `${r.name} ${r.tid} ${texts[i]}`).sort(), "CPU of threads");
    check(rows.slice(cpu.length).every((r) => r["CPU ms"] === "–"), "no CPU time where none is known");
    for (const [event, title] of [["sleep", "Sleep ms"], ["park", "Park ms"], ["lock", "Lock ms"], ["wait", "Wait ms"]]) {
      const expected = new Map(sql(db("jfr"), `SELECT t.tid, sum(s.dur) AS ns FROM stack_sample AS s JOIN thread AS t ON t.itid = s.itid WHERE s.event = '${event}' GROUP BY t.itid`).map((r) => [String(r.tid), r.ns]));
      for (const row of rows.filter((r) => r.Name !== "(no thread)" && r["Waiting ms"] !== "–")) {
        equal(row[title], grouped((expected.get(row.tid) ?? 0) / 1e6, 3), `${title} of ${row.Name}`);
      }
      check(expected.size > 0, `there are waits: ${event}`);
    }
    check(rows.every((r) => r["Unknown ms"] !== undefined), "what is not known has a column");
    // A profile without times has neither.
    await view.go("#/overview?db=heap.db", true);
    equal(await titles("Threads"), ["Name", "Recorded", "Of"], "columns of a profile without times");
    await view.go("#/flame?db=heap.db");
    const [{ bytes }] = sql(db("heap"), "SELECT sum(v.value) AS bytes FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id WHERE t.name = 'inuse_space'");
    equal(await view.text(".trail b"), amount(bytes, "bytes"), "a profile of memory opens with memory");
    equal(await view.run(() => [document.querySelector(".range"), document.querySelector("[data-value=time]").title]), [null, "Nothing of this profile has a time"], "no axis of a time that is not there");
  });

  step("waits, by reason and monitor", async () => {
    await view.go("#/flame?db=jfr.db&view=waits", true);
    const expected = sql(db("jfr"), `SELECT w.kind, w.class, t.name AS owner, count(*) AS n, sum(w.dur) AS dur, max(w.dur) AS longest FROM lock_wait AS w LEFT JOIN thread AS t ON t.itid = w.owner_itid GROUP BY w.kind, w.class, w.owner_itid
      UNION ALL SELECT CASE WHEN event = 'sleep' THEN 'sleep' ELSE 'io' END, NULL, NULL, count(*), sum(dur), max(dur) FROM stack_sample WHERE event IN ('sleep', 'file_write', 'socket_read', 'socket_write') GROUP BY 1 ORDER BY dur DESC`);
    const rows = await view.rows("Waiting by reason");
    equal(rows.length, expected.length, "rows by reason, monitor and holder");
    const total = inColumn(expected.map((r) => r.dur), "ns", 3);
    const longest = inColumn(expected.map((r) => r.longest), "ns", 3);
    const unit = Object.keys(rows[0]).find((t) => t.startsWith("Total"));
    equal(rows.map((r) => [r.Waits, r["Waited for"], r["Held or notified by"], r[unit], r[unit.replace("Total", "Longest")]]),
      expected.map((r, i) => [grouped(r.n), r.class ?? "", r.owner ?? "", total[i], longest[i]]), "waits");
    equal(await view.text(".trail b"), amount(expected.reduce((sum, r) => sum + r.dur, 0), "ns"), "all waiting");
    // One row of them: its waits alone, and their stacks.
    const lock = expected.findIndex((r) => r.kind === "contended");
    await view.click(`[aria-label="Waiting by reason"] tbody tr:nth-child(${lock + 1})`);
    const single = await view.rows("Longest waits");
    equal(single.length, expected[lock].n, "single waits for a monitor");
    check(single.every((r) => r.Reason === "lock" && r["Waited for"] === expected[lock].class && r["Held or notified by"] === expected[lock].owner), "all for that monitor");
    await view.press("Stacks that waited");
    const [{ ns }] = sql(db("jfr"), "SELECT sum(dur) AS ns FROM stack_sample WHERE event = 'lock'");
    equal(await view.text(".trail b"), amount(ns, "ns"), "stacks that waited for locks");
  });

  step("sources", async () => {
    await view.go("#/overview?db=two.db", true);
    const rows = await view.rows("Sources");
    equal(rows.map((r) => [r.Source, r.File]), [["work.jfr.gz", "work.jfr.gz"], ["recording", "work.jfr.gz"], ["work21.jfr.gz", "work21.jfr.gz"], ["recording", "work21.jfr.gz"]], "sources with their files");
    const cpu = (source) => sql(db("two"), `SELECT sum(v.value) AS ns FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id WHERE t.name = 'cpu' AND t.source_id IN (${source})`)[0].ns;
    await view.go("#/flame?db=two.db", true);
    equal(await view.text(".trail b"), amount(cpu("2, 4"), "ns"), "all sources until one is chosen");
    equal(await options("Source"), ["all 2 sources", "work.jfr.gz › recording", "work21.jfr.gz › recording"], "sources to choose");
    // A file is what was found in it; so are its threads and its time.
    await view.go("#/overview?db=two.db", true);
    await view.click("[aria-label=Sources] tbody tr:nth-child(3)");
    check((await view.fragment()).includes("src=3"), "a click chooses a source");
    const threads = sql(db("two"), "SELECT count(DISTINCT ifnull(itid, -1)) AS n FROM stack_sample WHERE source_id = 4")[0].n;
    equal((await view.rows("Threads")).length, threads, "threads of the file");
    await view.press("Flame");
    equal(await view.text(".trail b"), amount(cpu("4"), "ns"), "stacks of the file");
    check((await view.text(".trail")).includes("of work21.jfr.gz"), `what percentages are of: ${await view.text(".trail")}`);
    // The statement of a frame is about the same source.
    await view.go("#/flame?db=two.db&src=3&sel=1&w=dur");
    await view.run(() => document.querySelector(".graph canvas").focus());
    await view.keys("ArrowDown", "ArrowDown");
    await view.click(".drawer .actions button:last-child");
    const nodes = sql(db("two"), "SELECT count(DISTINCT node_id) AS n FROM stack_sample WHERE source_id = 4 AND node_id IS NOT NULL AND dur >= 0")[0].n;
    check((await view.text(".figures"))?.startsWith(`${nodes} rows`), `rows of the statement: ${nodes}, ${await view.fragment()} ${await view.text(".console")}`);
    await view.go("#/flame?db=two.db&src=work.jfr.gz");
    equal(await view.text(".trail b"), amount(cpu("2"), "ns"), "a source by its path");
    await view.go("#/flame?db=trace.db&src=3", true);
    const profile = sql(db("trace"), "SELECT sum(s.dur) AS ns FROM v_sample AS s WHERE s.source_id = 3 AND s.class = 'cpu'")[0].ns;
    equal(await view.text(".trail b"), amount(profile, "ns"), "one of several profiles in a trace");
    check((await options("Source")).includes("Trace-page.json.gz › TraceProfile1"), "profiles by their names");
    // Heaps: of the file all, of a snapshot that one, of another source none.
    await view.go("#/heap?db=heaps.db&src=1", true);
    equal((await options("Snapshot")).length, sql(db("heaps"), "SELECT count(*) AS n FROM js_heap_files")[0].n, "heaps of the file");
    const snapshots = sql(db("heaps"), "SELECT id, name FROM source WHERE kind = 'snapshot' ORDER BY id");
    await view.go(`#/heap?db=heaps.db&src=${snapshots[1].id}`, true);
    const only = await options("Snapshot");
    check(only.length === 1 && only[0].startsWith(`${snapshots[1].name}`), `heaps of one source: ${only}`);
    // One that is not there is said, and is no other one.
    view.messages.length = 0;
    await view.go("#/flame?db=two.db&src=77", true);
    check((await view.text(".failure"))?.includes('there is no source "77"'), `an unknown source: ${await view.text("main")}`);
    await view.go("#/overview?db=two.db&src=77");
    check((await view.text("#sources-title + p")).includes("There is no source 77"), "an unknown source in the overview");
    view.messages.length = 0;
  });

  step("choosing frames", async () => {
    await view.go("#/flame?db=profile.db", true);
    const boxes = () => view.run(() => {
      const r = document.querySelector(".graph canvas").getBoundingClientRect();
      return [r.x, r.y, r.width];
    });
    const [x, y, width] = await boxes();
    const ROW = 19;
    // A click chooses and does not zoom; the frame is a child of a root.
    await view.page.mouse.click(x + 5, y + 2.5 * ROW);
    await view.settle();
    const { down } = pathsOf(db("profile"));
    const link = /[?&]sel=([0-9a-f]{16})/.exec(await view.fragment())?.[1];
    const sel = down.get(link);
    check(sel !== undefined && !(await view.fragment()).includes("at="), `a click chooses: ${await view.fragment()}`);
    const [{ name, depth }] = sql(db("profile"), `SELECT m.name, n.depth FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ${sel}`);
    equal([await view.text(".drawer h2"), depth], [name, 1], "what was clicked");
    const [{ all, total }] = sql(db("profile"), `WITH RECURSIVE below(id) AS (SELECT ${sel} UNION SELECT n.id FROM stack_node AS n JOIN below ON n.parent_id = below.id)
      SELECT sum(dur) AS all_, sum(CASE WHEN node_id IN below THEN dur END) AS total FROM v_sample WHERE class = 'cpu'`).map((r) => ({ all: r.all_, total: r.total }));
    const share = `${amount(total, "ns")}  (${((100 * total) / all).toFixed(1)} %)`;
    check((await view.text(".drawer .facts")).includes(share), `its share: ${await view.text(".drawer .facts")} instead of ${share}`);
    equal(await view.text(".trail .base"), amount(all, "ns"), "what percentages are of");
    // The same frame when other stacks are shown: by time, by a filter.
    await view.page.type(".filters input", "/./");
    await view.settle();
    equal(await view.text(".drawer h2"), name, "the frame stays chosen with a filter");
    check((await view.text(".drawer .facts")).includes(share), "and so does the base of its share");
    await view.go(`#/flame?db=profile.db&sel=${link}&from=0&to=300000000`);
    check([name, undefined].includes(await view.text(".drawer h2") ?? undefined), "in a range it is the same frame or none");
    // A range in which it did not run: kept, and said.
    const [{ gap }] = sql(db("profile"), `WITH RECURSIVE below(id) AS (SELECT ${sel} UNION SELECT n.id FROM stack_node AS n JOIN below ON n.parent_id = below.id)
      SELECT s.ts - (SELECT start_ts FROM trace_range) AS gap FROM v_sample AS s WHERE s.class = 'cpu' AND s.node_id NOT IN below AND s.dur > 0 ORDER BY s.dur DESC LIMIT 1`);
    await view.go(`#/flame?db=profile.db&sel=${link}&from=${gap}&to=${gap + 1000}`);
    check((await view.text(".trail")).includes("not among these") && (await view.text(".drawer")) === null, `a frame that did not run: ${await view.text(".trail")}`);
    // A double click zooms to what was clicked, although the drawer makes the graph narrower.
    await view.go("#/flame?db=profile.db", true);
    await view.page.mouse.click(x + width - 20, y + 1.5 * ROW, { count: 2 });
    await view.settle();
    const at = /[?&]at=([0-9a-f]{16})/.exec(await view.fragment())?.[1];
    check(at !== undefined && (await view.fragment()).includes(`sel=${at}`), `a double click zooms: ${await view.fragment()}`);
    // Keys that come faster than the page draws are not undone by what it draws.
    for (let round = 0; round < 5; round++) {
      await view.go("#/flame?db=profile.db", true);
      await view.run(() => {
        const canvas = document.querySelector(".graph canvas");
        canvas.focus();
        for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) {
          canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        }
      });
      await view.settle();
      const deep = down.get(/[?&]sel=([0-9a-f]{16})/.exec(await view.fragment())?.[1]);
      equal(sql(db("profile"), `SELECT depth FROM stack_node WHERE id = ${deep}`)[0]?.depth, 3, "four steps down");
      equal(await view.text(".drawer h2"), sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ${deep}`)[0]?.name, "the frame four steps down");
    }
    // The tip leaves with its frame.
    await view.page.mouse.move(x + 30, y + 1.5 * ROW);
    await view.page.waitForSelector(".tip");
    await view.keys("Escape");
    await view.go("#/flame?db=profile.db&idle=1");
    equal(await view.run(() => document.querySelectorAll(".tip").length), 0, "no tip of a frame that is gone");
  });

  step("links of call paths", async () => {
    // The deepest path that both databases have, in which it has other ids of nodes.
    const [jfr, two] = [pathsOf(db("jfr")).down, pathsOf(db("two")).down];
    const named = `WITH RECURSIVE weighed(id) AS (SELECT node_id FROM v_sample WHERE class = 'cpu' UNION SELECT n.parent_id FROM stack_node AS n JOIN weighed ON n.id = weighed.id)
      SELECT n.id, n.depth, m.name FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id IN weighed`;
    const nodes = new Map(sql(db("jfr"), named).map((r) => [r.id, r]));
    const [link, id] = [...jfr].filter(([path, node]) => two.has(path) && nodes.has(node)).sort((a, b) => nodes.get(b[1]).depth - nodes.get(a[1]).depth || a[1] - b[1])[0];
    for (const name of ["jfr", "two"]) {
      await view.go(`#/flame?db=${name}.db&sel=${link}&at=${link}`, true);
      check((await view.text(".drawer h2"))?.endsWith(nodes.get(id).name), `${link} in ${name}.db is ${await view.text(".drawer h2")}, not ${nodes.get(id).name}`);
      check((await view.text(".trail nav"))?.endsWith(nodes.get(id).name), `the zoom in ${name}.db: ${await view.text(".trail nav")}`);
      await view.go(`#/flame?db=${name}.db&root=${link}`);
      check((await view.text(".trail")).includes("back to all stacks"), "only what lies below a call path");
    }
    // As links were before: ids of nodes.
    await view.go(`#/flame?db=jfr.db&sel=${id}&at=${id}`, true);
    check((await view.text(".drawer h2"))?.endsWith(nodes.get(id).name), "a link of before");
    // One that is not there is said.
    for (const name of ["sel", "at"]) {
      await view.go(`#/flame?db=jfr.db&${name}=0123456789abcdef`, true);
      check((await view.text(".trail")).includes("not among these") && (await view.fragment()).includes(name), `an unknown path: ${await view.text(".trail")}`);
    }
    await view.go("#/flame?db=jfr.db&root=0123456789abcdef", true);
    check((await view.text(".failure"))?.includes("no call path has the id 0123456789abcdef"), `an unknown root: ${await view.text("main")}`);
    view.messages.length = 0;
    await view.press("back to all stacks");
    check(!(await view.fragment()).includes("root="), "a way back");
  });

  step("callers below what they call", async () => {
    await view.go("#/flame?db=profile.db&inv=1", true);
    await view.run(() => document.querySelector(".graph canvas").focus());
    await view.keys("ArrowDown", "ArrowDown");
    const [caller, leaf] = pathsOf(db("profile")).up.get(/[?&]sel=([0-9a-f]{16})/.exec(await view.fragment())?.[1]) ?? [];
    const name = (id) => sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ${id}`)[0].name;
    equal(await view.text(".drawer h2"), name(caller), "the caller of the heaviest function");
    const parts = await view.run(() => [...document.querySelectorAll(".drawer section")].map((s) => [s.querySelector("h3").textContent, s.textContent]));
    check(parts[0]?.[0] === "Calls" && parts[0][1].includes(name(leaf)), `what it calls: ${JSON.stringify(parts)} ${name(leaf)}`);
    const above = sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_node AS p ON p.id = n.parent_id JOIN stack_method AS m ON m.id = p.method_id WHERE n.id = ${caller}`)[0];
    check(above === undefined || (parts[1]?.[0] === "Called by" && parts[1][1].includes(above.name)), `who calls it: ${JSON.stringify(parts)}`);
    check((await view.text(".drawer .facts")).includes("Of callee"), "a share of the callee");
  });

  /** What each path of functions weighs by itself, as "outermost;...;innermost": samples of class cpu, or their values, by sqlite3. */
  const byPath = (name, where, ns) => new Map(sql(db(name), `WITH RECURSIVE named(id, path) AS (
      SELECT n.id, m.label FROM stack_node AS n JOIN labels AS m ON m.id = n.method_id WHERE n.parent_id IS NULL
      UNION ALL SELECT n.id, p.path || ';' || m.label FROM named AS p JOIN stack_node AS n ON n.parent_id = p.id JOIN labels AS m ON m.id = n.method_id),
    labels AS (SELECT id, ifnull(nullif(package, '') || '.', '') || ifnull(nullif(class, '') || '.', '') || ifnull(nullif(name, ''), '(anonymous)') AS label FROM stack_method)
    SELECT p.path, sum(${ns}) AS ns FROM v_sample AS s JOIN named AS p ON p.id = s.node_id WHERE s.class = 'cpu' AND ${where} GROUP BY p.path HAVING ns > 0`).map((r) => [r.path, r.ns]));
  const cpuValue = "(SELECT sum(v.value) FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id WHERE v.sample_id = s.id AND t.name = 'cpu')";

  /** The table of the tree: totals by path. */
  const tableByPath = async () => {
    const rows = await view.run(() => {
      const table = document.querySelector("[aria-label='Stacks as a table'] table");
      const titles = [...table.querySelectorAll("th")].map((th) => th.textContent.trim());
      return [...table.querySelectorAll("tbody tr:not(.space)")].map((tr) => ({ depth: Math.round(parseInt(tr.querySelector("span").style.paddingLeft, 10) / 12), cells: Object.fromEntries([...tr.children].map((td, i) => [titles[i], td.textContent])) }));
    });
    const path = [];
    return rows.slice(1).map(({ depth, cells }) => {
      path.length = depth - 1;
      path.push(cells.Method);
      return [path.join(";"), cells];
    });
  };
  const below = (sums, path) => [...sums].reduce((sum, [other, ns]) => sum + (other === path || other.startsWith(`${path};`) ? ns : 0), 0);

  step("a difference of two sources", async () => {
    await view.go("#/flame?db=two.db&src=3&bsrc=1&table=1", true);
    const after = byPath("two", "s.source_id = 4", cpuValue);
    const before = byPath("two", "s.source_id = 2", cpuValue);
    const [a, b] = [after, before].map((sums) => [...sums.values()].reduce((x, y) => x + y, 0));
    check(a > 0 && b > 0, "both have CPU time");
    equal(await view.text(".compared b"), amount(a - b, "ns").replace("-", "\u2212").replace(/^\u2212?[\d.,]+ ns$/, `\u2212${amount(b - a, "ns")}`), "the change of all");
    check((await view.text(".compared")).includes(`${amount(a, "ns")}, before ${amount(b, "ns")} (work.jfr.gz)`), `both sides: ${await view.text(".compared")}`);
    const rows = await tableByPath();
    check(rows.length > 30, `rows of the difference: ${rows.length}`);
    for (const [path, cells] of rows) {
      const [now, was] = [below(after, path), below(before, path)];
      equal([cells["Total ms"], cells["Before ms"], cells["Change ms"].replace("\u2212", "-")], [grouped(now / 1e6, 3), grouped(was / 1e6, 3), `${now > was ? "+" : ""}${grouped((now - was) / 1e6, 3)}`], `difference at ${path.slice(-60)}`);
    }
    // The file of it has both, the older one first.
    const folded = await view.run(async () => (await fetch([...document.querySelectorAll(".filters details.menu a")].find((a) => a.textContent.startsWith("folded stacks")).href)).text());
    const lines = folded.trim().split("\n").map((line) => /^(.*) (\d+) (\d+)$/.exec(line));
    equal(lines.map((l) => [l?.[1], Number(l?.[2]), Number(l?.[3])]).sort(), [...new Set([...before.keys(), ...after.keys()])].map((path) => [path, before.get(path) ?? 0, after.get(path) ?? 0]).sort(), "both sides as folded stacks");
    // As large as the newer side: shares are compared.
    await view.go("#/flame?db=two.db&src=3&bsrc=1&table=1&norm=1");
    equal((await tableByPath())[0][1]["Before ms"], grouped((below(before, rows[0][0]) * a) / b / 1e6, 3), "shares of the older side");
    await view.press("stop comparing");
    check(!(await view.fragment()).includes("bsrc"), "no comparison any more");
  });

  step("a difference of two ranges", async () => {
    const [{ origin }] = sql(db("profile"), "SELECT start_ts AS origin FROM trace_range");
    const part = (from, to) => `max(0, min(s.ts + s.dur, ${origin} + ${to}) - max(s.ts, ${origin} + ${from}))`;
    await view.go("#/flame?db=profile.db&from=700000000&to=1200000000", true);
    await view.click(".filters details.menu summary");
    await view.press("with the same time before it");
    check((await view.fragment()).includes("bfrom=200000000&bto=700000000"), `the same time before it: ${await view.fragment()}`);
    await view.go(`${await view.fragment()}&table=1`);
    const after = byPath("profile", "s.dur >= 0", part(700000000, 1200000000));
    const before = byPath("profile", "s.dur >= 0", part(200000000, 700000000));
    for (const [path, cells] of (await tableByPath()).slice(0, 25)) {
      equal([cells["Total ms"], cells["Before ms"]], [below(after, path), below(before, path)].map((ns) => grouped(ns / 1e6, 3)), `ranges at ${path.slice(-60)}`);
    }
    await view.go((await view.fragment()).replace("&table=1", ""));
    await view.looks("a difference", undefined, 30);
  });

  step("stacks as files", async () => {
    const get = async (title) => Buffer.from(await view.run(async (text) => {
      const link = [...document.querySelectorAll(".filters details.menu a")].find((a) => a.textContent === text);
      return [...new Uint8Array(await (await fetch(link.href)).arrayBuffer())];
    }, title));
    const filters = [["", () => true, (p) => p], ["&only=%2F%5Efib%2F", (p) => p.split(";").some((f) => f.startsWith("fib")), (p) => p], ["&ignore=tick", (p) => !/tick/i.test(p), (p) => p],
      ["&hide=%2F%5E(tick%7ClistOnTimeout)$%2F", () => true, (p) => p.split(";").filter((f) => f !== "tick" && f !== "listOnTimeout").join(";")]];
    for (const [filter, passes, renamed] of filters) {
      await view.go(`#/flame?db=profile.db&from=100000000&to=900000000${filter}`, true);
      const [{ origin }] = sql(db("profile"), "SELECT start_ts AS origin FROM trace_range");
      const expected = new Map();
      for (const [path, ns] of byPath("profile", "s.dur >= 0", `max(0, min(s.ts + s.dur, ${origin} + 900000000) - max(s.ts, ${origin} + 100000000))`)) {
        if (passes(path) && renamed(path) !== "") {
          expected.set(renamed(path), (expected.get(renamed(path)) ?? 0) + ns);
        }
      }
      const total = [...expected.values()].reduce((x, y) => x + y, 0);
      equal(await view.text(".trail:not(.compared) b"), amount(total, "ns"), `what is shown with ${filter}`);
      const folded = new Map((await get("folded stacks")).toString().trim().split("\n").map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
      equal([...folded].sort(), [...expected].sort(), `folded stacks with ${filter}`);
      const scope = JSON.parse((await get("speedscope")).toString());
      equal(scope.profiles.flatMap((p) => p.weights).reduce((x, y) => x + y, 0), total, `speedscope with ${filter}`);
      equal(pprofSum(gunzipSync(await get("pprof"))), total, `pprof with ${filter}`);
    }
    // Pictures: every frame that is wide enough, and no markup made of its name.
    const saved = async (title) => view.run(async (text) => {
      let blob;
      const made = URL.createObjectURL;
      URL.createObjectURL = (one) => {
        blob = one;
        return "#";
      };
      const click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = () => undefined;
      [...document.querySelectorAll(".filters details.menu button")].find((b) => b.textContent === text).click();
      for (let i = 0; i < 100 && blob === undefined; i++) {
        await new Promise((done) => setTimeout(done, 20));
      }
      URL.createObjectURL = made;
      HTMLAnchorElement.prototype.click = click;
      if (blob.type === "image/png") {
        const image = await createImageBitmap(blob);
        return { type: blob.type, width: image.width, height: image.height };
      }
      const root = new DOMParser().parseFromString(await blob.text(), "image/svg+xml");
      return { type: blob.type, titles: [...root.querySelectorAll("title")].map((t) => t.textContent), names: [...new Set([...root.querySelectorAll("*")].map((e) => e.localName))].sort(), error: root.querySelector("parsererror") !== null };
    }, title);
    await view.go("#/flame?db=profile.db", true);
    const svg = await saved("picture, SVG");
    const wide = sql(db("profile"), `WITH RECURSIVE cpu AS (SELECT node_id, sum(dur) AS ns FROM v_sample WHERE class = 'cpu' GROUP BY node_id), up(id, leaf) AS (SELECT node_id, node_id FROM cpu UNION ALL SELECT n.parent_id, up.leaf FROM up JOIN stack_node AS n ON n.id = up.id WHERE n.parent_id IS NOT NULL)
      SELECT m.name AS name, sum(c.ns) AS ns FROM up JOIN cpu AS c ON c.node_id = up.leaf JOIN stack_node AS n ON n.id = up.id JOIN stack_method AS m ON m.id = n.method_id GROUP BY up.id HAVING ns > 3000000`);
    equal(svg.error, false, "the picture is SVG");
    for (const { name } of wide) {
      check(svg.titles.includes(name) || name === "", `the picture has ${name}`);
    }
    const png = await saved("picture, PNG");
    check(png.width > 1000 && png.height > 400, `a picture as PNG: ${JSON.stringify(png)}`);
    await view.go("#/flame?db=hostile.db&kind=slice", true);
    equal((await saved("picture, SVG")).names, ["g", "rect", "svg", "text", "title"], "hostile names are texts of the picture");
  });

  step("what the time of calls was", async () => {
    await view.go("#/calls?db=cloud.db", true);
    const calls = sql(db("cloud"), `SELECT c.id, c.dur, c.cpu_dur, c.wait_dur, c.suspend_dur, t.title FROM v_cloud_call AS c LEFT JOIN v_cloud_call_title AS t ON t.call_id = c.id ORDER BY c.dur DESC, c.id LIMIT 20`);
    const rows = await view.rows("Calls");
    equal(rows.slice(0, 20).map((r) => [r.Call, r.What]), calls.map((c) => [String(c.id), c.title]), "titles of calls");
    const rest = (c) => c.dur - c.cpu_dur - c.wait_dur - c.suspend_dur;
    equal(rows.slice(0, 20).map((r) => r["Rest s"]), inColumn(calls.map(rest), "ns", 3), "the rest of calls");
    const bars = await view.run(() => [...document.querySelectorAll("[aria-label=Calls] .parts")].slice(0, 20).map((bar) => Object.fromEntries([...bar.children].map((part) => [part.className, part.getBoundingClientRect().width / bar.getBoundingClientRect().width]))));
    for (const [i, call] of calls.entries()) {
      for (const [part, ns] of [["p-cpu", call.cpu_dur], ["p-paused", call.suspend_dur], ["p-waiting", call.wait_dur], ["p-rest", rest(call)]]) {
        check(Math.abs((bars[i][part] ?? 0) - ns / call.dur) < 0.03, `bar of call ${call.id}: ${part} is ${bars[i][part]} instead of ${ns / call.dur}`);
      }
    }
    // One call: its parts, and the own time of its steps, which is all of it.
    await view.click("[aria-label=Calls] tbody tr:first-child");
    equal(await view.text(".drawer h2"), calls[0].title, "the title of the call");
    const shares = await view.run(() => [...document.querySelectorAll(".spent dl")].map((dl) => [...dl.querySelectorAll("div")].map((div) => [...div.children].map((e) => e.textContent))));
    equal(shares[0].map((r) => r[1]), [calls[0].cpu_dur, calls[0].suspend_dur, calls[0].wait_dur, rest(calls[0])].map((ns) => amount(ns, "ns")), "its parts");
    const steps = sql(db("cloud"), `SELECT s.method, count(*) AS n, sum(s.self_dur) AS self FROM v_stack_slice AS s, cloud_call AS c WHERE c.id = ${calls[0].id} AND s.itid = c.itid AND s.ts >= c.ts AND s.ts < c.ts + c.dur GROUP BY s.method HAVING self > 0 ORDER BY self DESC`);
    equal(shares[1].map((r) => r[1]), steps.slice(0, 10).map((s) => amount(s.self, "ns")), "own time of its steps");
    check(shares[1][0][0].startsWith(steps[0].method.split(".").slice(-2).join(".")), `the step with most time: ${shares[1][0][0]}`);
    // The search finds titles.
    await view.go("#/calls?db=cloud.db&q=stock-report");
    equal((await view.rows("Calls")).length, sql(db("cloud"), "SELECT count(*) AS n FROM v_cloud_call_title WHERE title LIKE '%stock-report%'")[0].n, "calls by their titles");
  });

  step("databases that are not there", async () => {
    await view.go("#/flame?db=nothing.db", true);
    check((await view.text("main"))?.includes("There is no database nothing.db"), `an unknown database: ${await view.text("main")}`);
    await view.press("jfr.db");
    check((await view.fragment()).includes("db=jfr.db") && (await view.text(".trail b")) !== null, "another one can be chosen");
    // Replaced and removed files are noticed by what is open.
    // The page looks every 1.5 s; what it costs to answer and to draw depends on the machine, how often it looks does not: the first
    // look that begins after the change shows it, and one may have begun before.
    const patience = { timeout: 15_000 };
    const strip = async (words) => {
      let looks = 0;
      const count = (request) => { looks += request.url().includes("/api/info") ? 1 : 0; };
      view.page.on("request", count);
      const shown = await view.page.waitForFunction((text) => document.querySelector(".strip.changed")?.textContent.includes(text), patience, words).then(() => true, () => false);
      view.page.off("request", count);
      check(looks <= 3, `${looks} looks at the databases until "${words}"`);
      return shown;
    };
    const [mine, kept] = [db("trace"), `${db("trace")}.kept`];
    await view.go("#/overview?db=trace.db", true);
    renameSync(mine, kept);
    check(await strip("trace.db is not there any more"), "a database that is gone is noticed");
    check((await view.run(() => [...document.querySelectorAll(".strip.changed button")].map((b) => b.textContent))).includes("jfr.db"), "others are offered");
    renameSync(kept, mine);
    check(await view.page.waitForFunction(() => document.querySelector(".strip.changed") === null, patience).then(() => true, () => false), "it is there again");
    copyFileSync(mine, kept);
    renameSync(kept, mine);
    check(await strip("The database was replaced"), "a database that was replaced is noticed");
    await view.axe("a database that was replaced");
    await view.press("Show the new one");
    await view.page.waitForFunction(() => document.querySelector(".strip.changed") === null && document.querySelector(".tiles") !== null);
    await view.settle();
    renameSync(mine, kept);
    check(await strip("not there any more"), "gone again");
    await view.press("two.db");
    check((await view.fragment()).includes("db=two.db") && !(await view.run(() => document.querySelector(".strip.changed") !== null)), "the other one is shown");
    renameSync(kept, mine);
    view.messages.length = 0; // requests of what was gone
  });

  step("threads of one name", async () => {
    await view.go("#/flame?db=trace.db&kind=slice", true);
    await view.click("details.menu summary");
    const labels = await view.run(() => [...document.querySelectorAll(".menu .list label span:first-of-type")].map((s) => s.textContent));
    const threads = sql(db("trace"), "SELECT DISTINCT t.itid, t.tid, t.name FROM stack_slice AS s JOIN thread AS t ON t.itid = s.itid");
    equal(labels.length, threads.length, "threads to choose");
    check(new Set(threads.map((t) => t.name)).size < threads.length, "some have one name");
    equal(new Set(labels).size, labels.length, "none is called as another one");
    check(threads.every((t) => labels.some((label) => label.includes(String(t.tid)))), "they have their ids");
  });

  step("nothing wraps at 1000 pixels", async () => {
    await view.page.setViewport({ width: 1000, height: 900 });
    for (const fragment of ["#/flame?db=trace.db", "#/flame?db=two.db&src=3", "#/flame?db=jfr.db&view=waits", "#/flame?db=jfr.db&view=time", "#/flame?db=two.db&src=3&bsrc=1", "#/calls?db=cloud.db", "#/heap?db=heaps.db&part=comparison", "#/sql?db=jfr.db&question=hot_methods&run=1", "#/overview?db=jfr.db"]) {
      await view.go(fragment, true);
      const tops = await view.run(() => [...document.querySelectorAll(".bar.tight, .top")].map((bar) => new Set([...bar.children].map((one) => {
        const box = one.getBoundingClientRect();
        return Math.round((box.top + box.height / 2) / 6);
      })).size));
      check(tops.every((n) => n <= 2) && tops.length > 0, `rows of controls of ${fragment}: ${tops}`);
      const heights = await view.run(() => [...document.querySelectorAll(".top, .heap > .bar")].map((bar) => bar.getBoundingClientRect().height));
      check(heights.every((one) => one < 55) && heights.length > 0, `${fragment}: bars are one row high, not ${heights}`);
      const out = await view.run(() => [...document.querySelectorAll(".bar.tight > *, .top > *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)));
      equal(out, [], `controls of ${fragment} are within the window`);
      await view.looks(`${fragment} at 1000`, undefined, 30);
      await view.axe(`${fragment} at 1000`);
    }
    await view.page.setViewport({ width: 1600, height: 900 });
  });
}

/** The sum of the default kind of value of a profile of pprof (message Profile of profile.proto). */
function pprofSum(bytes) {
  const varint = (from) => {
    let value = 0n;
    let shift = 0n;
    for (;; shift += 7n) {
      const byte = BigInt(from.bytes[from.at++]);
      value |= (byte & 127n) << shift;
      if (byte < 128n) {
        return Number(value);
      }
    }
  };
  const fields = (one) => {
    const list = [];
    for (const from = { bytes: one, at: 0 }; from.at < one.length;) {
      const key = varint(from);
      if ((key & 7) === 0) {
        list.push([key >> 3, varint(from)]);
      } else {
        const n = varint(from);
        list.push([key >> 3, one.subarray(from.at, from.at + n)]);
        from.at += n;
      }
    }
    return list;
  };
  const values = fields(bytes).filter(([field]) => field === 2).map(([, sample]) => fields(sample).find(([field]) => field === 2)[1]);
  return values.reduce((sum, packed) => sum + varint({ bytes: packed, at: 0 }), 0);
}

/** Pictures of what is here. */
export const PICTURES = [
  ["overview of jfr", "#/overview?db=jfr.db"], ["sources", "#/overview?db=two.db&src=3"], ["waits", "#/flame?db=jfr.db&view=waits"], ["chosen", "#/flame?db=trace.db&sel=3"], ["inverted", "#/flame?db=profile.db&inv=1"], ["difference", "#/flame?db=two.db&src=3&bsrc=1&sel=1"],
];

export const inputsOf = (data, inputs) => inputs.map((name) => join(data, name));
