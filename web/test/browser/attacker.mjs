// attacker.mjs PROGRAM SOURCE: pages of other origins, in a browser that holds the cookie of the server, try to read from it, to make it do something,
// to frame it and to open a WebSocket: another port of this machine (the same site), a foreign name, and a foreign name that points to the server.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, failures, program, View } from "./run.mjs";

const [path, source] = process.argv.slice(2);
if (program("chromium", "chromium-browser", "google-chrome") === undefined) {
  console.log("skipped: chromium is missing");
  process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), "attacker-"));
const db = join(scratch, "a.db");
execFileSync(path, [join(source, "test/data/recording-cloud.tar.gz"), "-e", db, "--quiet"]);

/** A server with its token, or one that is for every user of the machine. */
async function serve(...more) {
  const child = spawn(path, ["serve", db, "--port", "0", "--json", ...more, ...(process.env.TS_WEB_DIR ? ["--web", process.env.TS_WEB_DIR] : [])], { stdio: ["ignore", "pipe", "inherit"] });
  const { url, port } = await new Promise((done) => child.stdout.once("data", (data) => done(JSON.parse(data))));
  return { url, port, origin: new URL(url).origin, stop: () => new Promise((done) => {
    child.on("exit", done);
    child.kill("SIGTERM");
  }) };
}

/** What a page of an attacker tries; what it got out of each. Runs in the page. */
async function attack(target, ws) {
  const got = {};
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const sql = "/api/query?sql=SELECT+4711";
  const attempt = async (name, run) => {
    try {
      got[name] = String(await Promise.race([run(), wait(1500).then(() => "nothing")]));
    } catch (error) {
      got[name] = `refused (${error.name})`;
    }
  };
  const loaded = (element, where) => new Promise((done) => {
    element.onload = () => done("loaded");
    element.onerror = () => done("error");
    where.append(element);
  });
  for (const mode of ["cors", "no-cors"]) {
    for (const credentials of ["include", "omit"]) {
      await attempt(`fetch ${mode} ${credentials}`, async () => (await fetch(target + sql, { mode, credentials })).text());
    }
  }
  await attempt("post as json", async () => (await fetch(`${target}/api/query`, { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: "{\"sql\":\"SELECT 4711\"}" })).text());
  await attempt("post as text", async () => (await fetch(`${target}/api/query`, { method: "POST", mode: "no-cors", credentials: "include", headers: { "Content-Type": "text/plain" }, body: "{\"sql\":\"SELECT 4711\"}" })).text());
  await attempt("request", () => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.withCredentials = true;
    request.onload = () => done(request.responseText);
    request.onerror = () => done("error");
    request.open("GET", target + sql);
    request.send();
  }));
  await attempt("image", () => loaded(Object.assign(new Image(), { src: target + sql }), document.body));
  await attempt("script", () => loaded(Object.assign(document.createElement("script"), { src: target + sql }), document.body));
  await attempt("style", () => loaded(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${target}/api/export?format=csv&sql=SELECT+4711` }), document.head));
  await attempt("beacon", async () => {
    navigator.sendBeacon(`${target}/api/query`, new Blob(["{\"sql\":\"SELECT 4711\"}"], { type: "text/plain" }));
    await wait(50);
    return "sent";
  });
  await attempt("socket", () => new Promise((done) => {
    const socket = new WebSocket(ws, "flare-profiler");
    socket.onopen = () => socket.send("{\"cmd\":\"list_sessions\"}");
    socket.onmessage = (e) => done(e.data);
    socket.onerror = () => done("error");
  }));
  await attempt("socket without its protocol", () => new Promise((done) => {
    const socket = new WebSocket(ws);
    socket.onopen = () => done("open");
    socket.onerror = () => done("error");
  }));
  for (const [name, address] of [["frame", "/"], ["frame of an answer", sql]]) {
    await attempt(name, async () => {
      const frame = Object.assign(document.createElement("iframe"), { src: target + address });
      await loaded(frame, document.body);
      return frame.contentDocument?.body?.textContent ?? "not to be read";
    });
  }
  await attempt("form", async () => {
    const frame = Object.assign(document.createElement("iframe"), { name: "answer" });
    const form = Object.assign(document.createElement("form"), { action: `${target}/api/query`, method: "POST", enctype: "text/plain", target: "answer" });
    form.append(Object.assign(document.createElement("input"), { name: "{\"sql\":\"SELECT 4711\",\"x\":\"", value: "\"}" }));
    document.body.append(frame, form);
    form.submit();
    await wait(150);
    return frame.contentDocument?.body?.textContent ?? "not to be read";
  });
  await attempt("window", async () => {
    const other = window.open(`${target}/`);
    await wait(200);
    return other === null || other.closed ? "closed" : other.document.body.textContent;
  });
  return got;
}

const evil = createServer((_, reply) => reply.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>evil</title><body>"));
await new Promise((done) => evil.listen(0, "127.0.0.1", done));
const evilPort = evil.address().port;

const ORIGINS = {
  "another port": (server) => [`http://127.0.0.1:${evilPort}/`, server.origin],
  "another port, by name": (server) => [`http://localhost:${evilPort}/`, server.origin],
  "another site": (server) => [`http://evil.example:${evilPort}/`, server.origin],
  "a name that points here": (server) => [`http://evil.example:${evilPort}/`, `http://evil.example:${server.port}`],
};

async function try_all(server, what, origins) {
  // A browser of today refuses some of it by itself: these checks of its own are off, so that the server's are seen.
  const view = await View.open(server.origin, ["--host-resolver-rules=MAP evil.example 127.0.0.1", "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessChecks"]);
  const answers = [];
  view.browser.on("targetcreated", async (t) => (await t.page())?.on("response", (r) => answers.push([r.url(), r.status()])));
  view.page.on("response", (r) => answers.push([r.url(), r.status()]));
  try {
    await view.page.goto(server.url);
    await view.settle();
    const own = await view.run(async () => (await fetch("/api/query?sql=SELECT+4711")).text());
    check(own.includes("4711"), `${what}: the page itself is answered`);
    for (const name of process.env.TS_SLOW === "1" ? Object.keys(ORIGINS) : origins) {
      const [page, target] = ORIGINS[name](server);
      await view.page.goto(page);
      answers.length = 0;
      const got = await view.run(`(${attack})(${JSON.stringify(target)}, ${JSON.stringify(`${target.replace("http", "ws")}/`)})`);
      for (const [attempt, text] of Object.entries(got)) {
        check(!/4711|sample_sessions|trace_streamer|^open$|^loaded$/.test(text), `${what}, ${name}: ${attempt} got ${text.slice(0, 200)}`);
      }
      equal(Object.keys(got).length, 17, `${what}, ${name}: everything was tried`);
      const framed = view.page.frames().filter((f) => f !== view.page.mainFrame() && f.url().startsWith("http"));
      for (const frame of framed) {
        const text = await frame.evaluate(() => document.body?.textContent ?? "").catch(() => "");
        check(!/4711|trace_streamer|loading/.test(text), `${what}, ${name}: ${frame.url()} is framed: ${text.slice(0, 100)}`);
      }
      // The start page may be opened from elsewhere, in a window; it stays apart from who opened it.
      const taken = answers.filter(([url, status]) => url.includes(`:${server.port}`) && status < 400 && new URL(url).pathname.startsWith("/api/"));
      // A window that the attempt before had opened may still load the page by its own name.
      const opened = target === server.origin ? [] : taken.filter(([url]) => url.startsWith(`${target}/`));
      check(opened.length === 0, `${what}, ${name}: answered ${JSON.stringify(opened).slice(0, 300)}`);
      const refused = answers.filter(([url, status]) => url.includes("SELECT+4711") && ![401, 403, 421].includes(status));
      equal(refused, [], `${what}, ${name}: statements that were run`);
      for (const one of await view.browser.pages()) {
        if (one !== view.page) {
          await one.close();
        }
      }
    }
  } finally {
    await view.close();
    await server.stop();
  }
}

try {
  await try_all(await serve(), "with a token", ["another port", "a name that points here"]);
  await try_all(await serve("--no-token"), "without a token", ["another site"]);
} finally {
  evil.close();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failures() === 0 ? "nothing came through" : `${failures()} wrong`);
process.exit(failures() === 0 ? 0 : 1);
