// tutorial.mjs PROGRAM SOURCE: what docs/tutorial.md says is seen in the page is there, and is what trace_streamer -q answers.
//
// A comment of the tutorial is <!-- page ADDRESS | SUBJECT | NUMBER UNIT | ... -->: at the address of the page there is a row with the subject and
// each of the numbers, in any unit that the page may choose (without a subject, the numbers are somewhere); and a command of the same section prints
// them. Numbers without a unit are as they are.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { check, failures, program, serve, View } from "./run.mjs";

const [path, source] = process.argv.slice(2);
if (program("chromium", "chromium-browser", "google-chrome") === undefined) {
  console.log("skipped: chromium is missing");
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "tutorial-"));
mkdirSync(join(scratch, "bin"));
symlinkSync(path, join(scratch, "bin", "trace_streamer"));
symlinkSync(join(source, "test"), join(scratch, "test"));
const run = (command) => execFileSync("bash", ["-c", command], { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, PATH: `${join(scratch, "bin")}${delimiter}${process.env.PATH}` } });

// --- what the tutorial says ---------------------------------------------------------------------------------------------

const text = readFileSync(join(source, "docs/tutorial.md"), "utf8");
const commands = (part) => [...part.matchAll(/^\$ (trace_streamer .*)$/gm)].map((m) => m[1]);
const sections = text.split(/^##+ /m).map((part) => ({
  title: part.slice(0, part.indexOf("\n")),
  pages: [...part.matchAll(/<!-- page (.*?) -->\n`(.*)`/g)].map((m) => {
    const [address, subject, ...numbers] = m[1].split("|").map((word) => word.trim());
    check(address === m[2], `${m[2]} is the address of its comment`);
    return { address, subject, numbers };
  }),
  questions: commands(part).filter((command) => / -q /.test(command) && !command.endsWith("\\")),
})).filter((section) => section.pages.length > 0);

const FACTORS = { ns: [1, 1e3, 1e6, 1e9], bytes: [1, 1024, 1048576, 1073741824] };
const NAMED = { ms: [1e6, "ns"], ns: [1, "ns"], bytes: [1, "bytes"] };

/** A number in the unit of the rows, and as the page may write it. */
function forms(number) {
  const [value, unit] = number.split(" ");
  if (unit === undefined) {
    return { raw: [value], shown: [value] };
  }
  const [factor, kind] = NAMED[unit];
  const amount = Number(value) * factor;
  const shown = FACTORS[kind].flatMap((scale) => [0, 1, 2, 3, 6].map((digits) => [amount / scale, digits]))
    .filter(([n, digits]) => n >= 0.1 && Math.abs(n - Number(n.toFixed(digits))) <= n * 0.0005)
    .map(([n, digits]) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n));
  return { raw: [value, String(amount)], shown: [...new Set(shown)] };
}

/** Whether one of the texts is there, not as a part of another number. */
function has(where, texts) {
  return texts.some((one) => new RegExp(`(?<![\\d.,])${one.replace(/[.$+]/g, "\\$&")}(?![\\d]|[.,]\\d)`).test(where));
}

// --- the databases and the page -----------------------------------------------------------------------------------------

const names = [...new Set(sections.flatMap((section) => section.pages.map((page) => page.address.match(/db=([a-z.]+)/)[1])))];
for (const name of names) {
  const made = commands(text).find((command) => command.includes(`-e ${name}`));
  check(made !== undefined, `the tutorial makes ${name}`);
  run(`${made.replace(/ --quiet/, "")} --quiet`);
}
const server = await serve(path, names.map((name) => join(scratch, name)), process.env.TS_WEB_DIR ? ["--web", process.env.TS_WEB_DIR] : []);
const view = await View.open(server.url);
await view.page.setViewport({ width: 1600, height: 1000 });

/** The texts of the rows with the subject; of the whole page without one. */
const places = (subject) => view.run((wanted) => {
  if (wanted === "") {
    return [document.querySelector("main").innerText];
  }
  const holds = (one) => one.textContent.includes(wanted) && one.tagName !== "OPTION";
  const leaves = [...document.querySelectorAll("main *")].filter((one) => holds(one) && ![...one.children].some(holds));
  return leaves.map((one) => (one.closest("tr, li, [role=row]") ?? one.parentElement).innerText);
}, subject);

let numbers = 0;
for (const { title, pages, questions } of sections) {
  const answers = questions.map(run).join("\n");
  for (const { address, subject, numbers: wanted } of pages) {
    await view.go(address, true);
    const found = await places(subject);
    check(wanted.length > 0 && found.length > 0, `${title}: ${subject} is at ${address}`);
    const each = wanted.map(forms);
    check(found.some((place) => each.every(({ shown }) => has(place, shown))), `${title}: ${wanted.join(", ")} of ${subject} at ${address}, which has ${JSON.stringify(found.slice(-2)).slice(0, 400)}`);
    for (const { raw } of each) {
      numbers++;
      check(has(answers, raw), `${title}: ${raw[0]} is printed by one of ${questions.join("; ")}`);
    }
  }
}
check(sections.length >= 8 && numbers >= 14, `${sections.length} investigations with ${numbers} numbers`);
check(view.messages.length === 0, `messages of the page: ${view.messages.join("; ").slice(0, 600)}`);
await view.close();
await server.stop();
rmSync(scratch, { recursive: true, force: true });
console.log(`${sections.length} investigations, ${numbers} numbers in the page and in SQL`);
process.exit(failures() > 0 ? 1 : 0);
