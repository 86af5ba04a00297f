// budget.mjs PAGE: what the page loads is not larger than it may be, complete, and made of what is licensed.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = process.argv[2];
const { files } = JSON.parse(readFileSync(join(page, "manifest.json"), "utf8"));
const KB = 1000;
let wrong = 0;

function check(condition, text) {
  console.log(`${condition ? "ok   " : "WRONG"} ${text}`);
  wrong += condition ? 0 : 1;
}

const size = (list) => list.reduce((sum, one) => sum + (one.gz ?? one.length), 0);
const budget = (what, list, most) => check(list.length > 0 && size(list) <= most, `${what}: ${size(list)} of ${most} bytes, compressed`);
const scripts = files.filter((one) => one.name.endsWith(".js"));
const has = (name) => scripts.filter((one) => one.of.includes(name) && !one.first);

budget("scripts of the first load", scripts.filter((one) => one.first), 60 * KB);
budget("styles", files.filter((one) => one.name.endsWith(".css")), 12 * KB);
budget("the SQL view", has("@codemirror/view"), 140 * KB);
budget("charts", has("uplot"), 25 * KB);
for (const one of files) {
  const bytes = readFileSync(join(page, one.name));
  check(bytes.length === one.length && createHash("sha256").update(bytes).digest("hex") === one.sha256 && /^[A-Za-z0-9._/-]+$/.test(one.name), one.name);
}
const licences = readFileSync(join(page, "assets/licenses.txt"), "utf8");
for (const name of new Set(scripts.flatMap((one) => one.of))) {
  check(new RegExp(`^${name.replace(/[/]/g, "\\/")} [0-9.]+ \\((MIT|BSD|Apache-2\\.0)`, "m").test(licences), `licence of ${name}`);
}
const html = readFileSync(join(page, "index.html"), "utf8");
check(!/<script(?![^>]* src=)|<style|style=|https?:/.test(html), "nothing inline, no other origin in the page");
const text = scripts.map((one) => readFileSync(join(page, one.name), "utf8")).join("\n");
check(!/\beval\(|new Function\(/.test(text), "no eval");
process.exitCode = wrong > 0 ? 1 : 0;
