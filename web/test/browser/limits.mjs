// limits.mjs PROGRAM PAGE DIR: how long the views of serve take on large databases, which scripts/bench-serve.sh has made in DIR. Prints a
// row for each limit: what, measured, limit. Medians of five; the first time of a view is that of a server of its own.
import { readFileSync, readdirSync } from "node:fs";
import { get as plainGet } from "node:http";
import { connect } from "node:net";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { frameTimes, median, millionFrames, UNLIMITED } from "./frames.mjs";
import { serve, View } from "./run.mjs";

const [path, page, dir] = process.argv.slice(2);
const RUNS = Number(process.env.TS_RUNS ?? 5);
const source = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const db = (name) => join(dir, `${name}.db`);
// Of the server and its processes, whose common pages are counted once.
const processes = (pid) => [pid, ...readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).flatMap(processes))];
const rss = (pid) => processes(pid).reduce((sum, one) => sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, "utf8"))[1]) / 1024, 0);
let failed = 0;

function row(what, value, limit, unit = "ms") {
  const good = value <= limit;
  failed += good ? 0 : 1;
  console.log(`${good ? "PASS" : "FAIL"}  ${what.padEnd(64)} ${value.toFixed(value < 10 ? 1 : 0).padStart(8)} ${unit} (at most ${limit})`);
}

/** A view's reply, however often it has to be asked for; ms until it, and until the first answer of any kind. */
async function ask(url, name, query) {
  const begun = performance.now();
  let first;
  for (;;) {
    const reply = await fetch(`${url}/api/${name}?${new URLSearchParams(query)}`);
    const body = await reply.text();
    first ??= performance.now() - begun;
    if (reply.status !== 202) {
      if (reply.status !== 200) {
        throw new Error(`${name}: ${reply.status} ${body.slice(0, 200)}`);
      }
      return { ms: performance.now() - begun, first, reply: JSON.parse(body) };
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Runs with a server for each run; gives the median of each figure that `run` returns. */
async function figures(name, run, more = []) {
  const all = [];
  for (let i = 0; i < RUNS; i++) {
    const begun = performance.now();
    const server = await serve(path, [db(name)], ["--web", page, ...more]);
    const ready = performance.now() - begun;
    try {
      all.push({ ready, rss: rss(server.pid), ...(await run(server)) });
    } finally {
      await server.stop();
    }
  }
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))]));
}

const shares = (threads) => {
  const from = Math.min(...threads.map((t) => Number(t.first)));
  const to = Math.max(...threads.map((t) => Number(t.last)));
  return (share) => ({ from: Math.floor(from + (to - from) * 0.2), to: Math.floor(from + (to - from) * (0.2 + share)) });
};

async function stacks(name) {
  return figures(name, async ({ url, pid }) => {
    const before = rss(pid);
    const whole = await ask(url, "flame", {});
    const again = await ask(url, "flame", { weight: "samples" });
    const { reply } = await ask(url, "threads", {});
    const part = shares(reply.threads);
    const [one] = reply.threads.filter((t) => t.kind === "sample");
    const thread = await ask(url, "flame", one.itid === null ? { src: one.source_id } : { thr: one.itid });
    const turned = await ask(url, "flame", { order: "callers" });
    const small = await ask(url, "flame", part(0.01));
    const large = await ask(url, "flame", part(0.6));
    return { whole: whole.ms, progress: whole.first, again: Math.max(again.ms, thread.ms), turned: turned.ms, small: small.ms, large: large.ms, memory: rss(pid) - before };
  });
}

async function shown(name, fragment, selector) {
  return figures(name, async ({ url }) => {
    const view = await View.open(url);
    try {
      const begun = performance.now();
      await view.page.goto(`${url}/${fragment}`);
      await view.page.waitForSelector(selector, { timeout: 60000 });
      await view.settle();
      return { all: performance.now() - begun };
    } finally {
      await view.close();
    }
  });
}

/** The overview: its first paint, everything but what has to read all samples, and that too. */
const overviewShown = (name) =>
  figures(name, async ({ url }) => {
    const view = await View.open(url);
    try {
      const begun = performance.now();
      await view.page.goto(`${url}/#/overview`);
      await view.page.waitForFunction(() => {
        const open = [...document.querySelectorAll(".overview .waiting")];
        return document.querySelector("[aria-label=Sources] tbody tr") !== null && open.every((one) => one.closest("[aria-labelledby=threads-title]") !== null);
      }, { polling: "raf", timeout: 60000 });
      const complete = performance.now() - begun;
      const paint = await view.run(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
      await view.settle();
      return { complete, paint, threads: performance.now() - begun };
    } finally {
      await view.close();
    }
  });

/** Frames while a graph of 50,000 bars is zoomed and scrolled. */
const graphFrames = (name) =>
  figures(name, async ({ url }) => {
    const view = await View.open(url, UNLIMITED);
    try {
      await view.page.setViewport({ width: 1400, height: 900 });
      await view.go("#/flame");
      await view.page.focus(".graph canvas");
      const zoom = await frameTimes(view, (i) => {
        const key = i % 12 === 11 ? "Escape" : i % 2 === 0 ? "ArrowDown" : "Enter";
        document.querySelector(".graph canvas").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      }, 240);
      await view.keys("Escape");
      const pan = await frameTimes(view, (i) => {
        document.querySelector(".graph").scrollTop = 7 * (i % 120 < 60 ? i % 60 : 60 - (i % 60));
      }, 240);
      return { middle: median([...zoom[1], ...pan[1]]), worst: Math.max(...zoom[0], ...pan[0]) };
    } finally {
      await view.close();
    }
  });

const million = () =>
  figures("prof1m", async ({ url }) => {
    const view = await View.open(url);
    try {
      await view.go("#/flame");
      const [first, zoom] = await millionFrames(view, source);
      return { first, zoom };
    } finally {
      await view.close();
    }
  });

/** ms from the button until rows are shown, and the frames while 100,000 are scrolled. */
const sqlRows = (name) =>
  figures(name, async ({ url }) => {
    const view = await View.open(url, UNLIMITED);
    const statement = "sql?sql=SELECT+*+FROM+stack_sample";
    try {
      await view.page.setViewport({ width: 1400, height: 900 });
      await view.go(`#/${statement}`);
      const first = await view.run(async () => {
        const begun = performance.now();
        [...document.querySelectorAll("button")].find((one) => one.textContent === "Run").click();
        while (document.querySelector("[role=region][aria-label=Result] tbody tr") === null) {
          await new Promise((done) => requestAnimationFrame(done));
        }
        return (await new Promise((done) => requestAnimationFrame(done))) - begun;
      });
      await view.go(`#/${statement}&limit=100000&run=1`, true);
      const [frames] = await frameTimes(view, (i) => {
        document.querySelector("[role=region][aria-label=Result]").scrollTop = i % 3 === 2 ? (i * 7919 * 28) % 2700000 : i * 40;
      }, 240);
      return { first, middle: median(frames), worst: Math.max(...frames) };
    } finally {
      await view.close();
    }
  });

console.log(`load average ${loadavg().map((n) => n.toFixed(1)).join(" ")}; medians of ${RUNS}`);
const one = await stacks("prof1m");
const ten = await stacks("prof10m");
row("1: serve is ready, 493 MB", ten.ready, 100);
row("1: memory then", ten.rss, 20, "MiB");
const overview = await overviewShown("prof10m");
row("2: first contentful paint, 10 M samples", overview.paint, 300);
row("2: overview complete but for the threads", overview.complete, 1000);
row("2: with the threads, which need all samples to be read", overview.threads, 6000);
row("3: flame graph by the API, 1 M samples, first time", one.whole, 1000);
row("3: flame graph shown, 1 M samples, first time", (await shown("prof1m", "#/flame", ".graph canvas")).all, 1000);
row("4: progress, 10 M samples", ten.progress, 300);
row("4: flame graph, 10 M samples, first time", ten.whole, 6000);
row("4: another weight, another thread", ten.again, 300);
row("4: all call paths upside down", ten.turned, 300);
row("5: a range of 1 %", ten.small, 400);
row("5: a range of 60 %", ten.large, 1500);
const bars = await graphFrames("prof10m");
row("6: zoom and scroll 50,000 bars, work of the median frame", bars.middle, 16);
row("6: from one frame to the next at worst", bars.worst, 50);
const alone = await million();
row("7: graph of 1 M frames from memory", alone.first, 200);
row("7: zoom in it, median", alone.zoom, 30);
const result = await sqlRows("prof1m");
row("16: 1000 rows in the SQL view", result.first, 150);
row("16: scrolling 100,000 rows, worst frame", result.worst, 50);
row("17: memory of 10 M samples above the start", ten.memory, 64, "MiB");

/** ms of a statement or question by POST; `rows`: so many it has to give. */
async function sql(url, statement, rows) {
  const begun = performance.now();
  const answer = await fetch(`${url}/api/query`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(statement) });
  const reply = await answer.json();
  if (rows !== undefined && reply.row_count !== rows) {
    throw new Error(`${JSON.stringify(statement)}: ${reply.row_count} rows`);
  }
  return { ms: performance.now() - begun, rows: reply.rows };
}

const calls = await figures("calls", async ({ url }) => {
  const first = await ask(url, "timeline", { px: 1600 });
  const { reply } = await ask(url, "threads", { kind: "slice" }).catch(() => ask(url, "threads", {}));
  const part = shares(reply.threads.filter((t) => t.kind === "slice"));
  const zoom = await ask(url, "slices", { thr: reply.threads.find((t) => t.kind === "slice").itid, px: 1600, ...part(0.01) });
  const slowest = await sql(url, { question: "cloud_slow_calls", params: { limit: 20 } }, 20);
  const all = await sql(url, { question: "slow_calls", params: { limit: 20 } }, 20);
  return { first: first.ms, zoom: zoom.ms, slowest: slowest.ms, all: all.ms };
});
const tree = await figures("tree", async ({ url }) => {
  const largest = await sql(url, { sql: "SELECT id FROM cloud_call ORDER BY calls DESC LIMIT 1" }, 1);
  return { ms: (await sql(url, { question: "cloud_call_tree", params: { call: largest.rows[0][0], limit: 2000 } }, 2000)).ms };
});
row("9: timeline of 3 M slices, first", calls.first, 1500);
row("9: a hundredth of it", calls.zoom, 300);
row("13: the 20 slowest of 300 k calls, as the Calls view asks", calls.slowest, 300);
row("13: the same with traced calls of all sources (slow_calls)", calls.all, 300);
row("13: one call's tree, 2000 rows", tree.ms, 300);

const heap = await figures("snap200", async ({ url, pid }) => {
  const before = rss(pid);
  const classes = await ask(url, "heap/classes", { file: 0, limit: 100 });
  const sorted = await ask(url, "heap/classes", { file: 0, limit: 100, sort: "count" });
  const next = await ask(url, "heap/classes", { file: 0, limit: 100, offset: 5000 });
  const retainers = await ask(url, "heap/retainers", { file: 0, node: 900000 });
  const later = await ask(url, "heap/retainers", { file: 0, node: 500000 });
  const way = await ask(url, "heap/path", { file: 0, node: 700000 });
  return { classes: classes.ms, sorted: Math.max(sorted.ms, next.ms), retainers: retainers.ms, progress: retainers.first, later: Math.max(later.ms, way.ms), memory: rss(pid) - before };
});
const real = await figures("node", async ({ url }) => ({ classes: (await ask(url, "heap/classes", { file: 0, limit: 100 })).ms }));
row("10: classes of a snapshot that Node.js wrote", real.classes, 300);
row("10: classes of 1.86 M nodes, 144 k classes", heap.classes, 2000);
row("10: another page, sorted otherwise", heap.sorted, 100);
row("11: retainers, first time", heap.retainers, 6000);
row("11: progress, or all of it", heap.progress, 300);
row("11: retainers and path later", heap.later, 100);
row("17: memory of the heap above the start", heap.memory, 130, "MiB");
const both = await figures("snap2", async ({ url }) => ({
  totals: (await ask(url, "heap/diff", { file: 1, base: 0 })).ms, ids: (await ask(url, "heap/diff", { file: 1, base: 0, by: "ids" })).ms,
}));
row("12: two snapshots of 0.93 M nodes by totals", both.totals, 1200);
row("12: what came and went between them (no limit of its own)", both.ids, 6000);

const rows = await figures("prof1m", async ({ url, pid }) => {
  const before = rss(pid);
  const begun = performance.now();
  const reply = await fetch(`${url}/api/query?${new URLSearchParams({ sql: "SELECT * FROM stack_sample LIMIT 1000000", limit: 1000000 })}`);
  let first;
  let bytes = 0;
  for await (const piece of reply.body) {
    first ??= performance.now() - begun;
    bytes += piece.length;
  }
  return { first, all: performance.now() - begun, memory: rss(pid) - before, bytes };
});
row("14: first byte of 1 M rows", rows.first, 50);
row("14: all of them (300 k rows a second)", rows.all, 3333);
row("14: memory above the start", rows.memory, 4, "MiB");

// --- a trace of the system: 10 M rows of the scheduler, 5 M slices --------------------------------------------------------

/** Until who ran on the first CPU is drawn. */
const drawn = (view) =>
  view.page.waitForFunction(() => [...document.querySelectorAll(".lane")].some((lane) => {
    const canvas = lane.querySelector("canvas");
    return lane.querySelector(".name").textContent === "CPU 0" && canvas.getContext("2d").getImageData(0, 8, canvas.width, 8).data.some((value) => value > 0);
  }), { polling: "raf", timeout: 60000 });

const system = await figures("system", async ({ url, pid }) => {
  const view = await View.open(url);
  try {
    await view.page.setViewport({ width: 1600, height: 900 });
    await new Promise((done) => setTimeout(done, 3000)); // a browser that has just begun still loads parts of its own
    const begun = performance.now();
    await view.page.goto(`${url}/#/timeline`);
    await drawn(view);
    const first = performance.now() - begun;
    await view.settle();
    const all = performance.now() - begun;
    const [{ from, to }] = [await view.run(async () => (await (await fetch("/api/lanes?kind=cpu&px=1")).json()).lanes.reduce((span, lane) => ({ from: Math.min(span.from, lane.first), to: Math.max(span.to, lane.last) }), { from: Infinity, to: -Infinity }))];
    // What a step of a zoom asks for, one after the other, at places where nothing is known yet.
    const steps = [];
    for (const share of [0.7, 0.5, 0.35, 0.1, 0.01, 0.001]) {
      const span = { px: 1376, from: Math.round(from + (to - from) * 0.31), to: Math.round(from + (to - from) * (0.31 + 0.69 * share)) };
      const thr = Array.from({ length: 8 }, (_, i) => i + 1).join();
      const replies = [["lanes", { kind: "cpu", ...span }], ["lanes", { kind: "irq", ...span }], ["lanes", { kind: "state", thr, ...span }], ["slices", { thr: "1,2,3,4", ...span }], ["lanes", { kind: "process", ...span, px: 344 }], ["lanes", { kind: "instant", ...span }]];
      let ms = 0;
      for (const [name, query] of replies) {
        ms += (await ask(url, name, query)).ms;
      }
      steps.push(ms);
    }
    return { first, all, zoom: median(steps), worst: Math.max(...steps), memory: rss(pid) };
  } finally {
    await view.close();
  }
});
row("27: timeline of 10 M scheduling rows, 5 M slices: who ran on CPUs", system.first, 1000);
row("27: with all threads, states and slices of those that are seen", system.all, 6000);
row("27: a step of a zoom, median", system.zoom, 100);
row("27: memory of the server then", system.memory, 256, "MiB");

// --- clients that leave, are slow, or many ------------------------------------------------------------------------------

const ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT";
const query = (url, statement) => `${url}/api/query?${new URLSearchParams({ sql: statement, limit: 1000000 })}`;

/** ms of a request on a connection of its own. */
const once = (url, statement) =>
  new Promise((done, fail) => {
    const begun = performance.now();
    plainGet(query(url, statement), { agent: false }, (reply) => {
      reply.resume();
      reply.on("end", () => (reply.statusCode === 200 ? done(performance.now() - begun) : fail(new Error(`${reply.statusCode}`))));
    }).on("error", fail);
  });

// With one place for queries the next one waits until the one before has ended.
const left = await figures("prof1m", async ({ url }) => {
  const leaves = new AbortController();
  const gone = fetch(query(url, `${ENDLESS} count(*) FROM c`), { signal: leaves.signal }).catch(() => undefined);
  await new Promise((done) => setTimeout(done, 300));
  leaves.abort();
  const ms = await once(url, "SELECT 1");
  await gone;
  return { ms };
}, ["--threads", "1"]);
row("15: a query whose client leaves has ended", left.ms, 200);

const beside = await figures("prof1m", async ({ url, pid }) => {
  const before = rss(pid);
  const { port } = new URL(url);
  const open = (text) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause(); // nothing is read
    if (text !== "") {
      socket.write(text);
    }
    return socket;
  };
  const head = (target) => `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const one = async (sockets) => {
    await new Promise((done) => setTimeout(done, 300));
    const ms = Math.max(await once(url, "SELECT 1"), await once(url, "SELECT 2"));
    sockets.forEach((socket) => socket.destroy());
    return ms;
  };
  const times = (n, make) => Array.from({ length: n }, make);
  const header = await one(times(20, () => open("GET /api/info HTTP/1.1\r\nHost: 127")));
  const target = query("", `${ENDLESS} hex(zeroblob(1000)) FROM c`);
  const reader = await one([open(head(target))]);
  const many = await one(times(200, () => open("")));
  return { header, reader, many, memory: rss(pid) - before };
}, ["--threads", "2"]);
row("21: a request beside 20 half headers", beside.header, 300);
row("21: beside a client that reads nothing", beside.reader, 300);
row("21: beside 200 connections", beside.many, 300);
console.log(`load average ${loadavg().map((n) => n.toFixed(1)).join(" ")} at the end`);
process.exit(failed > 0 ? 1 : 0);
