// The timeline of a system, on the trace of machine.mjs: its numbers against those of SQL.
import { check, equal, sql } from "./run.mjs";

/** step: adds one; path, apartPath: of the database, of one with sources that are far apart, and of the bundled trace; amount, inColumn: numbers as the page writes them. */
export function systemSteps({ step, view, path, apartPath, kernelPath, amount, inColumn, grouped }) {
  const ask = (statement) => sql(path, statement);
  const at = (params) => `#/timeline?db=machine.db${params}`;
  const [{ origin }] = ask("SELECT start_ts AS origin FROM trace_range");
  const facts = () => view.run(() => Object.fromEntries([...document.querySelectorAll(".drawer .facts > div")].map((one) => [one.querySelector("dt").textContent, one.querySelector("dd").textContent])));
  const names = () => view.run(() => [...document.querySelectorAll(".lane .name")].map((one) => one.textContent.replace(/[▾▸]/, "").trim()));
  const links = () => view.run(() => Number(document.querySelector("canvas.arrows")?.dataset.links ?? 0));
  /** Whether a canvas of a lane, or of the arrows, has anything on it. */
  const painted = (selector) => view.run((s) => {
    const canvas = document.querySelector(s);
    const data = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return data.some((value, i) => i % 4 === 3 && value > 0);
  }, selector);

  step("processes of a system", async () => {
    await view.go(at(""), true);
    const ran = ask("SELECT p.ipid, p.name, p.pid FROM sched_slice AS s JOIN thread AS t ON t.itid = s.itid JOIN process AS p ON p.ipid = t.ipid WHERE s.itid <> 0 GROUP BY p.ipid ORDER BY sum(s.dur) DESC");
    const groups = () => view.run(() => [...document.querySelectorAll(".lane.grouping .name")].map((one) => one.textContent.replace(/[▾▸]/, "").trim()));
    equal((await groups()).filter((name) => ran.some((one) => name === `${one.name} ${one.pid}`)), ran.map((one) => `${one.name} ${one.pid}`), "processes by their time, those of one name with their number");
    equal((await names()).filter((name) => name.startsWith("worker")).sort(), ["worker 101", "worker 102"], "threads of one name with their number");
    const of = (one) => ask(`SELECT t.tid FROM thread AS t WHERE t.ipid = ${one.ipid}`).length;
    const before = await names();
    await view.run((text) => [...document.querySelectorAll(".lane.grouping button")].find((one) => one.textContent.includes(text)).click(), `${ran[0].name} ${ran[0].pid}`);
    await view.settle();
    const folded = await names();
    check(folded.length <= before.length - of(ran[0]), `a folded process has no threads: ${folded}`);
    check((await view.fragment()).includes(`fold=p${ran[0].ipid}`), `what is folded is in the address: ${await view.fragment()}`);
    await view.go(await view.fragment(), true);
    equal(await names(), folded, "and stays so");
    check(await painted(".lane.grouping canvas"), "a folded group shows what was in it");
    // The summary of a process is the time of its threads.
    const lanes = await view.run(async () => (await (await fetch("/api/lanes?db=machine.db&kind=process&px=7")).json()).lanes.map((one) => [one.ipid, one.columns.busy.reduce((a, b) => a + b, 0)]));
    equal(lanes.sort((a, b) => a[0] - b[0]), ask("SELECT t.ipid, sum(s.dur) AS ns FROM sched_slice AS s JOIN thread AS t ON t.itid = s.itid WHERE s.itid <> 0 GROUP BY t.ipid ORDER BY t.ipid").map((one) => [one.ipid, one.ns]), "time of processes");
  });

  step("frames of a system", async () => {
    const [late] = ask("SELECT f.id, f.dur, f.ts - r.start_ts AS ts, j.late_by, f.callstack_id AS slice, f.dst FROM frame_slice AS f JOIN v_frame_jank AS j ON j.frame_id = f.id, trace_range AS r WHERE f.flag = 1");
    await view.go(at(`&frame=${late.id}`), true);
    const shown = await facts();
    equal([shown["Was"], shown["Took"], shown["Late by"], shown["Began"]], ["late", amount(late.dur, "ns"), amount(late.late_by, "ns"), amount(late.ts, "ns")], "a late frame");
    const parts = ask(`SELECT name FROM callstack WHERE parent_id = ${late.slice} UNION ALL SELECT 'frame of ' || p.name FROM frame_slice AS f JOIN process AS p ON p.ipid = f.ipid WHERE f.id = ${late.dst}`);
    equal((await view.rows("Parts of the frame")).map((one) => one.Part).sort(), parts.map((one) => one.name).sort(), "its parts");
    equal((await view.rows("States of threads in the range")).map((one) => one.Thread), ["shop 100"], "what its thread did");
    equal(await links(), 2, "arrows to its thread and to the frame that shows it");
    check(await painted("canvas.arrows"), "which are drawn");
    const lanes = await names();
    equal([lanes.filter((name) => name === "Frames").length, lanes.filter((name) => name === "Expected frames").length], Array(2).fill(ask("SELECT count(DISTINCT ipid) AS n FROM frame_slice")[0].n), "lanes of frames");
    // By a click on it.
    await view.go(at(""));
    const box = await view.run((ts) => {
      const canvas = [...document.querySelectorAll(".lane")].find((one) => one.querySelector(".name").textContent === "Frames").querySelector("canvas");
      const r = canvas.getBoundingClientRect();
      return { left: r.left, top: r.top + r.height / 2, width: r.width };
    });
    const [{ whole }] = ask("SELECT end_ts - start_ts AS whole FROM trace_range");
    await view.page.mouse.click(box.left + ((late.ts + late.dur / 2) / whole) * box.width, box.top);
    await view.settle();
    equal(/frame=(\d+)/.exec(await view.fragment())?.[1], String(late.id), "a click opens it");
  });

  step("waits and wake-ups of a system", async () => {
    const [state] = ask("SELECT s.rowid AS id, s.dur, s.state, n.dur AS latency, w.name AS waker FROM thread_state AS s JOIN thread_state AS n ON n.itid = s.itid AND n.ts = s.ts + s.dur AND n.state = 'R' JOIN instant AS i ON i.ref = s.itid AND i.ts = n.ts JOIN thread AS w ON w.itid = i.wakeup_from WHERE s.state = 'D-IO'");
    await view.go(at(`&state=${state.id}`), true);
    const shown = await facts();
    equal([shown["State"], shown["For"], shown["Because of"], shown["Woken by"], shown["Waited for a CPU"]],
      ["blocked (D-IO)", amount(state.dur, "ns"), "I/O, in do_page_fault+0x1c/0x20", "swapper", amount(state.latency, "ns")], "why a thread was blocked, and what ended it");
    const [ran] = ask("SELECT s.rowid AS id, s.priority FROM thread_state AS s0 JOIN sched_slice AS s ON s.itid = s0.itid AND s.ts = s0.ts WHERE s0.state = 'Running' AND s.priority = 97 LIMIT 1");
    const [running] = ask(`SELECT t.rowid AS id FROM thread_state AS t JOIN sched_slice AS s ON s.itid = t.itid AND s.ts = t.ts WHERE s.rowid = ${ran.id}`);
    await view.go(at(`&state=${running.id}`));
    equal((await facts())["Priority"], "97", "priority of a time on a CPU");
    await view.go(at(`&ran=${ran.id}`));
    equal(await links(), 2, "from who woke it to it, and to when it ran");
    // Both sides of a call between processes.
    const [call] = ask("SELECT c.id, c.argsetid FROM callstack AS c WHERE c.name = 'binder transaction'");
    await view.go(at(`&slice=${call.id}`));
    const values = await facts();
    for (const { k, v } of ask(`SELECT keyName AS k, strValue AS v FROM args_view WHERE argset = ${call.argsetid}`)) {
      equal(values[k], String(v), `argument ${k}`);
    }
    equal(await links(), 2, "a call and its reply");
    await view.press("The other side of the call");
    equal(await view.text(".drawer h2"), "binder reply", "the other side");
  });

  step("samples under slices", async () => {
    const [thread] = ask("SELECT itid FROM thread WHERE tid = 100");
    const samples = ask(`SELECT id, ts - ${origin} AS ts FROM stack_sample WHERE itid = ${thread.itid} ORDER BY ts`);
    const got = await view.run(async (itid) => (await (await fetch(`/api/rows?db=machine.db&kind=sample&thr=${itid}&from=0&to=1000000000`)).json()).rows.map((one) => [one[0], one[1]]), thread.itid);
    equal(got, samples.map((one) => [one.id, one.ts]), "samples of a thread");
    const [within] = ask("SELECT sample_id AS id, name FROM v_slice_samples WHERE itid = 1 AND name = 'H:layout' LIMIT 1");
    await view.go(at(`&sample=${within.id}`), true);
    equal((await facts())["In the slice"], within.name, "the slice of a sample");
    const stack = ask(`WITH RECURSIVE up(step, id, parent_id, method_id) AS (SELECT 0, n.id, n.parent_id, n.method_id FROM stack_node AS n JOIN stack_sample AS s ON s.node_id = n.id WHERE s.id = ${within.id}
      UNION ALL SELECT step + 1, n.id, n.parent_id, n.method_id FROM up JOIN stack_node AS n ON n.id = up.parent_id) SELECT m.name FROM up JOIN stack_method AS m ON m.id = up.method_id ORDER BY step`);
    equal(await view.run(() => [...document.querySelectorAll(".drawer .stack li")].map((one) => one.textContent.trim())), stack.map((one) => one.name), "its stack");
    check((await names()).includes("Samples"), "they have a lane under their thread");
  });

  step("what is in a range", async () => {
    const [from, to] = [20_000_000, 60_000_000];
    const part = (name) => view.go(at(`&sel=${from},${to}&part=${name}`), name === "slices");
    await part("slices");
    const slices = ask(`SELECT c.name, count(*) AS n, sum(c.dur) AS total, sum(CASE WHEN c.cookie IS NULL THEN max(c.dur - ifnull((SELECT sum(b.dur) FROM callstack AS b WHERE b.parent_id = c.id AND b.cookie IS NULL), 0), 0) END) AS self, max(c.dur) AS longest
      FROM callstack AS c WHERE c.ts >= ${origin} + ${from} AND c.ts < ${origin} + ${to} GROUP BY c.name, c.cookie IS NULL`);
    let rows = await view.rows("Slices in the range");
    equal(rows.map((one) => [one.Slice, one.Count]).sort(), slices.map((one) => [one.name, String(one.n)]).sort(), "slices by name");
    const selfs = inColumn(slices.map((one) => one.self ?? 0), "ns", 3);
    const selfTitle = Object.keys(rows[0]).find((title) => title.startsWith("Self"));
    for (const [i, one] of slices.entries()) {
      equal(rows.find((row) => row.Slice === one.name)?.[selfTitle], one.self === null ? "–" : selfs[i], `time of ${one.name} in itself`);
    }
    await part("samples");
    const [sampled] = ask(`SELECT count(*) AS n, sum(dur) AS ns FROM stack_sample WHERE ts >= ${origin} + ${from} AND ts < ${origin} + ${to}`);
    check((await view.text(".drawer .body")).includes(`${grouped(sampled.n)} samples, ${amount(sampled.ns, "ns")}`), `samples of the range: ${sampled.n}`);
    check(await painted(".range-flame canvas"), "as a graph");
    await part("counters");
    rows = await view.rows("Counters in the range");
    const [values] = ask(`SELECT count(*) AS n, min(value) AS least, avg(value) AS mean, max(value) AS greatest FROM measure WHERE filter_id = 900 AND ts >= ${origin} + ${from} AND ts < ${origin} + ${to}`);
    const counter = rows.find((one) => one.Counter === "cpu_frequency (CPU 0)");
    equal([counter.Values, counter.Least, counter.Mean, counter.Greatest], [String(values.n), values.least, values.mean, values.greatest].map((v) => grouped(Number(v))), "a counter");
    await part("logs");
    equal((await view.rows("Log lines in the range")).map((one) => [one.Level, one.Text]), ask(`SELECT level, context FROM log WHERE ts >= ${origin} + ${from} AND ts < ${origin} + ${to} ORDER BY ts`).map((one) => [one.level, one.context]), "log lines");
    await part("events");
    equal((await view.rows("Events in the range")).map((one) => [one.Level, one.Domain, one.Event, one.Contents]), ask(`SELECT e.level, 'AAFWK' AS domain, n.data AS name, e.contents FROM hisys_all_event AS e JOIN data_dict AS n ON n.id = e.event_name_id
      WHERE e.ts BETWEEN ${origin} + ${from} AND ${origin} + ${to} - 1 ORDER BY e.ts`).map((one) => [one.level, one.domain, one.name, one.contents]), "events");
    // A counter has the value of before the window.
    const got = await view.run(async () => (await (await fetch("/api/series?db=machine.db&from=45000000&to=55000000&px=100")).json()).series.find((one) => one.id === 900));
    equal([got.before, got.rows], [ask(`SELECT value FROM measure WHERE filter_id = 900 AND ts < ${origin} + 45000000 ORDER BY ts DESC LIMIT 1`)[0].value, []], "the value before a window");
    await view.go(at("&from=45000000&to=55000000"));
    const lane = await view.run(() => [...document.querySelectorAll(".lane")].find((one) => one.querySelector(".name").textContent.startsWith("cpu_frequency")) !== undefined);
    check(lane, "a counter without a value in the window is shown");
  });

  step("a search in a system", async () => {
    await view.go(at("&q=page"), true);
    const [{ n }] = ask("SELECT count(*) AS n FROM log WHERE context LIKE '%page%' OR tag LIKE '%page%'");
    check((await view.text(".hits")).includes(`${n} log lines`), `log lines that fit: ${await view.text(".hits")}`);
    await view.press(`${n} log lines`);
    equal((await view.rows("Log lines in the range")).length, n, "are shown");
    await view.go(at("&q=input_block"), true);
    check((await view.text(".hits")).includes("2 events"), `events that fit: ${await view.text(".hits")}`);
    await view.press("2 events");
    equal((await view.rows("Events in the range")).map((one) => [one.Event, one.Contents]), [["APP_INPUT_BLOCK", '{"TRY":1}'], ["APP_INPUT_BLOCK", '{"TRY":3}']], "are shown");
    await view.go(at("&q=worker"), true);
    check((await view.text(".hits")).includes(`${ask("SELECT count(*) AS n FROM thread WHERE name LIKE '%worker%'")[0].n} threads`), `threads that fit: ${await view.text(".hits")}`);
    // Slices, and their share of the time that is seen.
    const [{ count, share }] = ask("SELECT count(*) AS count, 100.0 * sum(dur) / (SELECT end_ts - start_ts FROM trace_range) AS share FROM callstack WHERE name LIKE '%H:layout%' AND cookie IS NULL");
    await view.go(at("&q=H:layout"));
    check((await view.text(".hits")).startsWith(`${count} found`) && (await view.text(".hits")).includes(`${share.toFixed(1)} %`), `slices and their share: ${await view.text(".hits")}, ${share}`);
  });

  step("sources that are days apart", async () => {
    const [jfr, later, kernel] = ["work.jfr.gz", "work21.jfr.gz", "kernel.ftrace"];
    await view.go("#/timeline?db=apart.db", true);
    const options = () => view.run(() => [...document.querySelectorAll(".bar select option")].map((one) => [one.textContent, one.value]).slice(0, 3));
    equal((await options()).map(([name]) => name), [jfr, later, kernel], "a choice of sources");
    const shown = async () => [await view.text(".bar .lead"), (await names()).filter((name) => name.startsWith("CPU ")).length];
    const length = (id) => sql(apartPath, `SELECT end_ts - start_ts AS ns FROM source WHERE id = ${id}`)[0].ns;
    const [[, first], [, second], [, third]] = await options();
    equal(await shown(), [`${amount(length(first), "ns")} from 0 ns`, 0], "the first is shown from its own beginning");
    await view.go(`#/timeline?db=apart.db&src=${second}`);
    equal(await shown(), [`${amount(length(second), "ns")} from 0 ns`, 0], "and the second");
    equal((await names()).filter((name) => name.startsWith("worker-")).length, sql(apartPath, `SELECT count(DISTINCT s.itid) AS n FROM stack_sample AS s JOIN thread AS t ON t.itid = s.itid WHERE s.source_id = ${second} AND t.name LIKE 'worker-%'`)[0].n, "its threads");
    await view.go(`#/timeline?db=apart.db&src=${third}`);
    const [{ ns, cpus }] = sql(apartPath, "SELECT max(ts + ifnull(dur, 0)) - min(ts) AS ns, count(DISTINCT cpu) AS cpus FROM sched_slice");
    equal(await shown(), [`${amount(ns, "ns")} from 0 ns`, cpus], "and a trace of the kernel, whose clock is another");
  });

  step("a log line in the timeline", async () => {
    const [line] = ask("SELECT rowid AS id, ts - (SELECT start_ts FROM trace_range) AS at, tag, level, context FROM log WHERE level = 'E'");
    await view.go(at(""), true);
    const [{ whole }] = ask("SELECT end_ts - start_ts AS whole FROM trace_range");
    const box = await view.run(() => {
      const r = [...document.querySelectorAll(".lane")].find((one) => one.querySelector(".name").textContent === "Log E").querySelector("canvas").getBoundingClientRect();
      return { left: r.left, top: r.top + r.height / 2, width: r.width };
    });
    await view.page.mouse.click(box.left + (line.at / whole) * box.width, box.top);
    await view.settle();
    const shown = await facts();
    equal([await view.text(".drawer h2"), shown["At"], shown["Level"], shown["Text"]], [line.tag, amount(line.at, "ns"), line.level, line.context], "a click opens it");
  });

  step("pauses in the timeline", async () => {
    const [pause] = sql(apartPath, "SELECT v.ts - (SELECT start_ts FROM trace_range) AS at, v.dur, v.name, v.cause, v.bytes_before AS before FROM v_pause AS v WHERE v.source_id = 2 AND v.cause <> '' AND v.bytes_before IS NOT NULL ORDER BY v.dur DESC LIMIT 1");
    await view.go(`#/timeline?db=apart.db&pause=${pause.at}`, true);
    const shown = await facts();
    equal([await view.text(".drawer h2"), shown["Paused for"], shown["Because of"], shown["Heap before"]], [pause.name, amount(pause.dur, "ns"), pause.cause, amount(pause.before, "bytes")], "a pause and its cause");
  });

  step("counters of a process", async () => {
    await view.go("#/timeline?db=kernel.db", true);
    const [one] = sql(kernelPath, "SELECT f.ipid, p.name, count(*) AS n FROM process_measure_filter AS f JOIN process AS p ON p.ipid = f.ipid GROUP BY f.ipid ORDER BY f.ipid LIMIT 1");
    check((await names()).includes(`Counters of ${one.name} ${one.n}`), `a group of counters in their process: ${await names()}`);
    await view.run((text) => [...document.querySelectorAll(".lane.grouping button")].find((button) => button.textContent.includes(text)).click(), `Counters of ${one.name}`);
    await view.settle();
    const opened = await names();
    const at = opened.indexOf(`Counters of ${one.name} ${one.n}`);
    equal(opened.slice(at + 1, at + 1 + one.n).map((name) => name.replace(/ \(.*/, "")).sort(), sql(kernelPath, `SELECT name FROM process_measure_filter WHERE ipid = ${one.ipid} ORDER BY name`).map((row) => row.name), "its counters");
  });

  step("keys of a system", async () => {
    await view.go(at(""), true);
    await view.run(() => document.activeElement?.blur());
    const box = await view.run(() => {
      const r = document.querySelector(".lane canvas").getBoundingClientRect();
      return [r.left + r.width / 4, r.top + 10, r.left];
    });
    const [{ whole }] = ask("SELECT end_ts - start_ts AS whole FROM trace_range");
    await view.page.mouse.move(box[0], box[1]);
    await view.keys("m");
    const marked = Number(/marks=(\d+)/.exec(await view.fragment())?.[1]);
    check(Math.abs(marked / whole - 0.25) < 0.01, `M marks where the pointer is: ${marked} of ${whole}`);
    await view.keys("w");
    const [from, to] = /from=(\d+)&to=(\d+)/.exec(await view.fragment()).slice(1).map(Number);
    check(to - from < 0.71 * whole && Math.abs((marked - from) / (to - from) - 0.25) < 0.01, "W zooms to where the pointer is");
    await view.keys("f");
    check(!/from=/.test(await view.fragment()), "F shows everything");
  });
}
