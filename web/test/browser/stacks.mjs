// Sources, threads, waits and stacks of the page, on recordings of several kinds: numbers by sqlite3, never by the server. browser.mjs runs these steps.
import { join } from "node:path";
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
    await view.go("#/flame?db=two.db&src=work.jfr.gz");
    equal(await view.text(".trail b"), amount(cpu("2"), "ns"), "a source by its path");
    await view.go("#/flame?db=trace.db&src=3", true);
    const profile = sql(db("trace"), "SELECT sum(s.dur) AS ns FROM v_sample AS s WHERE s.source_id = 3 AND s.class = 'cpu'")[0].ns;
    equal(await view.text(".trail b"), amount(profile, "ns"), "one of several profiles in a trace");
    check((await options("Source")).includes("Trace-page.json.gz › TraceProfile1"), "profiles by their names");
    // One that is not there is said, and is no other one.
    view.messages.length = 0;
    await view.go("#/flame?db=two.db&src=77", true);
    check((await view.text(".failure"))?.includes('no source is "77"'), `an unknown source: ${await view.text("main")}`);
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
    const sel = /[?&]sel=(\d+)/.exec(await view.fragment())?.[1];
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
    await view.go(`#/flame?db=profile.db&sel=${sel}&from=0&to=300000000`);
    check([name, undefined].includes(await view.text(".drawer h2") ?? undefined), "in a range it is the same frame or none");
    // A range in which it did not run: kept, and said.
    const [{ gap }] = sql(db("profile"), `WITH RECURSIVE below(id) AS (SELECT ${sel} UNION SELECT n.id FROM stack_node AS n JOIN below ON n.parent_id = below.id)
      SELECT s.ts - (SELECT start_ts FROM trace_range) AS gap FROM v_sample AS s WHERE s.class = 'cpu' AND s.node_id NOT IN below AND s.dur > 0 ORDER BY s.dur DESC LIMIT 1`);
    await view.go(`#/flame?db=profile.db&sel=${sel}&from=${gap}&to=${gap + 1000}`);
    check((await view.text(".trail")).includes("not among these") && (await view.text(".drawer")) === null, `a frame that did not run: ${await view.text(".trail")}`);
    // A double click zooms to what was clicked, although the drawer makes the graph narrower.
    await view.go("#/flame?db=profile.db", true);
    await view.page.mouse.click(x + width - 20, y + 1.5 * ROW, { count: 2 });
    await view.settle();
    const at = /[?&]at=(\d+)/.exec(await view.fragment())?.[1];
    check(at !== undefined && (await view.fragment()).includes(`sel=${at}`), `a double click zooms: ${await view.fragment()}`);
    // The tip leaves with its frame.
    await view.page.mouse.move(x + 30, y + 1.5 * ROW);
    await view.page.waitForSelector(".tip");
    await view.keys("Escape");
    await view.go("#/flame?db=profile.db&idle=1");
    equal(await view.run(() => document.querySelectorAll(".tip").length), 0, "no tip of a frame that is gone");
  });

  step("callers below what they call", async () => {
    await view.go("#/flame?db=profile.db&inv=1", true);
    await view.run(() => document.querySelector(".graph canvas").focus());
    await view.keys("ArrowDown", "ArrowDown");
    const [, caller, leaf] = /[?&]sel=(\d+),(\d+)/.exec(await view.fragment()) ?? [];
    const name = (id) => sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ${id}`)[0].name;
    equal(await view.text(".drawer h2"), name(caller), "the caller of the heaviest function");
    const parts = await view.run(() => [...document.querySelectorAll(".drawer section")].map((s) => [s.querySelector("h3").textContent, s.textContent]));
    check(parts[0]?.[0] === "Calls" && parts[0][1].includes(name(leaf)), `what it calls: ${JSON.stringify(parts)} ${name(leaf)}`);
    const above = sql(db("profile"), `SELECT m.name FROM stack_node AS n JOIN stack_node AS p ON p.id = n.parent_id JOIN stack_method AS m ON m.id = p.method_id WHERE n.id = ${caller}`)[0];
    check(above === undefined || (parts[1]?.[0] === "Called by" && parts[1][1].includes(above.name)), `who calls it: ${JSON.stringify(parts)}`);
    check((await view.text(".drawer .facts")).includes("Of callee"), "a share of the callee");
  });

  step("nothing wraps at 1000 pixels", async () => {
    await view.page.setViewport({ width: 1000, height: 900 });
    for (const fragment of ["#/flame?db=trace.db", "#/flame?db=two.db&src=3", "#/flame?db=jfr.db&view=waits", "#/flame?db=jfr.db&view=time"]) {
      await view.go(fragment, true);
      const tops = await view.run(() => [...document.querySelectorAll(".bar.tight, .top")].map((bar) => new Set([...bar.children].map((one) => {
        const box = one.getBoundingClientRect();
        return Math.round((box.top + box.height / 2) / 6);
      })).size));
      check(tops.every((n) => n <= 2) && tops.length > 1, `rows of controls of ${fragment}: ${tops}`);
      const out = await view.run(() => [...document.querySelectorAll(".bar.tight > *, .top > *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)));
      equal(out, [], `controls of ${fragment} are within the window`);
    }
    await view.page.setViewport({ width: 1600, height: 900 });
  });
}

/** Pictures of what is here. */
export const PICTURES = [
  ["overview of jfr", "#/overview?db=jfr.db"], ["sources", "#/overview?db=two.db&src=3"], ["waits", "#/flame?db=jfr.db&view=waits"], ["chosen", "#/flame?db=trace.db&sel=3"], ["inverted", "#/flame?db=profile.db&inv=1"],
];

export const inputsOf = (data, inputs) => inputs.map((name) => join(data, name));
