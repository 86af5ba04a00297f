// What the browser test is made of: databases, a server, one browser, and checks.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { gunzipSync, inflateSync } from "node:zlib";
import puppeteer from "puppeteer-core";

const require = createRequire(import.meta.url);
export const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let wrong = 0;
export const failures = () => wrong;

export function check(condition, text) {
  if (!condition) {
    wrong++;
    console.log(`WRONG: ${text}`);
  }
}

export function equal(got, expected, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
  check(a === b, `${what}: ${String(a).slice(0, 400)} instead of ${String(b).slice(0, 400)}`);
}

/** A program of the path, or undefined. */
export function program(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      if (existsSync(join(folder, name))) {
        return join(folder, name);
      }
    }
  }
  return undefined;
}

/** Rows of a statement, by the sqlite3 shell. */
export function sql(db, statement) {
  const text = execFileSync("sqlite3", ["-readonly", "-json", db, statement], { encoding: "utf8", maxBuffer: 1 << 28 });
  return text.trim() === "" ? [] : JSON.parse(text);
}

/** Freed memory that the sanitizer keeps from reuse would count against the server's --max-memory. */
const sanitizer = ["quarantine_size_mb=4:thread_local_quarantine_size_kb=64", process.env.ASAN_OPTIONS].filter(Boolean).join(":");

/** Starts the server on a free port; gives its URL, with `open` the one that has the token. */
export async function serve(path, databases, more, token = false) {
  const child = spawn(path, ["serve", ...databases, "--port", "0", "--json", ...(token ? [] : ["--no-token"]), ...more], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ASAN_OPTIONS: sanitizer, XDG_CACHE_HOME: join(dirname(databases[0]), "cache") } });
  const url = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) {
        done(JSON.parse(text).url);
      }
    });
    child.on("exit", (code) => fail(new Error(`serve ended with ${code}`)));
  });
  return { url: url.replace(/\/(\?.*)?$/, ""), open: url, pid: child.pid, stop: () => new Promise((done) => {
    child.removeAllListeners("exit");
    child.on("exit", done);
    child.kill("SIGTERM");
  }) };
}

/** One page of a browser, with everything that it complains about in `messages`. */
export class View {
  static async open(url, more = []) {
    const browser = await puppeteer.launch({
      executablePath: program("chromium", "chromium-browser", "google-chrome"),
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--force-device-scale-factor=1", "--hide-scrollbars", ...more],
    });
    const page = await browser.newPage();
    const view = new View();
    Object.assign(view, { browser, page, url, messages: [], expected: [] });
    page.on("console", (m) => /willReadFrequently/.test(m.text()) || view.messages.push(`console: ${m.text()}`));
    page.on("pageerror", (e) => view.messages.push(`error: ${e.stack ?? e}`));
    page.on("dialog", (d) => {
      view.messages.push(`dialog: ${d.message()}`);
      void d.dismiss();
    });
    page.on("request", (r) => {
      const at = r.url();
      if (!at.startsWith(`${url}/`) && !at.startsWith("data:") && at !== "about:blank") {
        view.messages.push(`request to ${at}`);
      }
    });
    page.on("response", (r) => r.status() >= 400 && view.messages.push(`${r.status()} ${r.url()}`));
    await page.evaluateOnNewDocument(() => {
      document.addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample} ${e.sourceFile}:${e.lineNumber}:${e.columnNumber}`));
    });
    return view;
  }

  /** A view by its address: as a link, with everything loaded anew when asked for. */
  async go(fragment, anew = false) {
    const now = this.page.url();
    if (anew && now.startsWith(this.url)) {
      await this.page.goto("about:blank");
    }
    await this.page.goto(`${this.url}/${fragment}`);
    await this.settle();
  }

  /** Until nothing is asked for any more and everything is drawn. */
  async settle() {

    await this.page.waitForFunction(() => {
      const idle = document.querySelector("main") !== null && !document.documentElement.hasAttribute("data-busy") && document.querySelector(".waiting") === null;
      window.calm = idle ? (window.calm ?? 0) + 1 : 0;
      if (window.calm > 5) {
        window.calm = 0;
        return true;
      }
      return false;
    }, { polling: "raf", timeout: 20000 });
  }

  run(script, ...values) {
    return this.page.evaluate(script, ...values);
  }

  text(selector) {
    return this.run((s) => document.querySelector(s)?.textContent ?? null, selector);
  }

  /** Cells of the rows that are there, by the columns' titles. */
  rows(label) {
    return this.run((name) => {
      const table = document.querySelector(`[role=region][aria-label="${name}"] table`);
      if (table === null) {
        return null;
      }
      const titles = [...table.querySelectorAll("th")].map((th) => th.textContent.replace(/[▾▴]/g, "").trim());
      return [...table.querySelectorAll("tbody tr:not(.space)")].map((tr) => Object.fromEntries([...tr.children].map((td, i) => [titles[i], td.textContent])));
    }, label);
  }

  async click(selector) {
    const found = await this.page.$(selector);
    check(found !== null, `there is ${selector} at ${this.page.url()}`);
    await found?.click();
    await this.settle();
  }

  /** Presses the button, link or tab with a text. */
  async press(text) {
    const done = await this.run((wanted) => {
      const found = [...document.querySelectorAll("button, a")].find((one) => one.textContent.trim() === wanted);
      found?.click();
      return found !== undefined;
    }, text);
    check(done, `there is a button ${text} at ${this.page.url()}`);
    await this.settle();
  }

  async keys(...names) {
    for (const name of names) {
      await this.page.keyboard.press(name);
    }
    await this.settle();
  }

  fragment() {
    return this.run(() => location.hash);
  }

  async theme(name) {
    await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: name }]);
    await this.settle();
  }

  /** No violation of WCAG; with `rules` only of these. */
  async axe(what, rules) {
    if (!(await this.run(() => "axe" in window))) {
      await this.run(AXE);
    }
    const found = await this.run(async (only) => {
      const runOnly = only === null ? { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } : { type: "rule", values: only };
      const result = await axe.run(document, { runOnly, resultTypes: ["violations"], elementRef: false });
      return result.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.any.map((a) => a.message).join("; ")}`).join(" | ")}`);
    }, rules ?? null);
    equal(found, [], `axe, ${what}`);
  }

  /** Nothing wider than the window, canvases drawn, the picture not blank. */
  async looks(what, path, minimum) {
    const found = await this.run(() => {
      const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.closest(".table, .top nav, svg, .editor, .hidden, details:not([open])") === null && getComputedStyle(e).position !== "absolute");
      const dull = [...document.querySelectorAll("canvas")].filter((canvas) => {
        if (canvas.width < 100 || canvas.height < 40 || canvas.closest(".lane, .axis") !== null) {
          return false;
        }
        const small = document.createElement("canvas");
        [small.width, small.height] = [400, 200];
        const pen = small.getContext("2d", { willReadFrequently: true });
        pen.imageSmoothingEnabled = false;
        pen.drawImage(canvas, 0, 0, 400, 200);
        const { data } = pen.getImageData(0, 0, 400, 200);
        const colours = new Set();
        for (let i = 0; i < data.length && colours.size < 5; i += 4) {
          colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2] + data[i + 3] * 16777216);
        }
        return colours.size < 4;
      });
      return { wide: wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)), dull: dull.map((c) => c.getAttribute("aria-label")), scrolls: document.documentElement.scrollWidth > innerWidth };
    });
    equal(found, { wide: [], dull: [], scrolls: false }, `${what} fits and is drawn`);
    const { width, height } = this.page.viewport();
    const picture = await this.page.screenshot(path === undefined ? { clip: { x: 0, y: 0, width, height, scale: 0.25 }, captureBeyondViewport: false, optimizeForSpeed: true } : { path });
    check(coloursOf(picture) > minimum, `${what} is not blank`);
  }

  async close() {
    await this.browser.close();
  }
}

/** How many different bytes rows of a PNG have: a blank page has hardly any. */
function coloursOf(png) {
  const parts = [];
  for (let at = 8; at + 8 <= png.length;) {
    const length = png[at] * 16777216 + png[at + 1] * 65536 + png[at + 2] * 256 + png[at + 3];
    if (String.fromCharCode(...png.slice(at + 4, at + 8)) === "IDAT") {
      parts.push(png.slice(at + 8, at + 8 + length));
    }
    at += 12 + length;
  }
  return new Set(inflateSync(Buffer.concat(parts))).size;
}

export const unpacked = (path) => gunzipSync(readFileSync(path));
