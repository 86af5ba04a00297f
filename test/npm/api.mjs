// api.mjs PROGRAM DATA README: the API of the installed package, compared with the program; in the folder that it is installed in.
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, data, readme] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), "package.json"));
const { open, version, TraceStreamerError } = await import(pathToFileURL(require.resolve("trace-streamer")).href);
let wrong = 0;
const check = (condition, text) => {
  if (!condition) {
    wrong++;
    console.log(`WRONG: ${text}`);
  }
};
const text = (value) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? [...v] : v));
const equal = (got, expected, what) => check(text(got) === text(expected), `${what}: ${text(got)} instead of ${text(expected)}`);
const rows = (input, question, ...more) => execFileSync(program, [input, "-q", question, "--output", "jsonl", "--quiet", ...more], { encoding: "utf8" }).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
const thrown = async (call) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};
const nothingLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith("trace-streamer-"));

check(/^\d+\.\d+\.\d+/.test(await version()), "version");
const file = (name) => join(data, name);

// The same database by a path, as bytes, and by a stream of pieces.
execFileSync(program, [file("recording-timeline.htrace.gz"), "-e", "native.db", "--quiet", "-nm"]);
for (const [what, input] of [["path", file("recording-timeline.htrace.gz")], ["bytes", readFileSync(file("recording-timeline.htrace.gz"))], ["stream", createReadStream(file("recording-timeline.htrace.gz"), { highWaterMark: 97 })]]) {
  const told = [];
  const one = await open(input, { name: "recording-timeline.htrace.gz", noMeta: true, onProgress: (...all) => told.push(all) });
  one.save(`${what}.db`, { force: true });
  check(readFileSync(`${what}.db`).equals(readFileSync("native.db")), `the database of ${what} is that of the program`);
  equal(one.losses, 0, "losses");
  one.close();
}

const jfr = await open(file("work.jfr.gz"));
equal([...jfr.query("SELECT id, kind, name FROM source ORDER BY id")], rows(file("work.jfr.gz"), "SELECT id, kind, name FROM source ORDER BY id"), "rows");
equal([...jfr.ask("hot_methods", { limit: 5 })], rows(file("work.jfr.gz"), "hot_methods", "--param", "limit=5"), "a question");
equal([...jfr.query("SELECT 9007199254740993 AS a, -1 AS b, 1.5 AS c, NULL AS d, x'0102' AS e, 'ü' || char(0) || 'x' AS f")], [{ a: 9007199254740993n, b: -1, c: 1.5, d: null, e: new Uint8Array([1, 2]), f: "ü\0x" }], "values");
equal(jfr.query("SELECT 1 AS a, 2 AS b").columns, ["a", "b"], "columns");
equal([...jfr.query("SELECT :a + 1 AS x, :b AS y", { a: 41, b: "z" })], [{ x: 42, y: "z" }], "parameters");
let n = 0;
for (const row of jfr.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i, 'text' AS t FROM n")) {
  n += row.i;
}
equal(n, 20000100000, "many rows");
for (const row of jfr.query("SELECT 1 AS a UNION ALL SELECT 2")) {
  equal(row, { a: 1 }, "a loop that is left");
  break;
}
const bad = await thrown(() => [...jfr.query("SELEC 1")]);
check(bad instanceof TraceStreamerError && bad.code === 2 && /syntax error/.test(bad.message), `wrong SQL: ${bad}`);
check((await thrown(() => jfr.query("DELETE FROM source").next()))?.code === 2, "nothing is changed");
jfr.save("kept.db");
writeFileSync("other.txt", "not a database");
check((await thrown(() => jfr.save("other.txt")))?.code === 4, "another file is not replaced");
jfr.close();
check((await thrown(() => jfr.query("SELECT 1")))?.code === 2, "a closed recording");

const kept = await open("kept.db");
equal([...kept.query("SELECT count(*) AS n FROM stack_sample")], rows("kept.db", "SELECT count(*) AS n FROM stack_sample"), "a finished database");
kept.close();

const missing = await thrown(() => open("no/such.htrace"));
check(missing?.code === 1 && missing.message.includes("no/such.htrace") && !missing.message.includes("/host/"), `no such file: ${missing?.message}`);
check((await thrown(() => open(readme)))?.code === 5, "no recording");
check((await thrown(() => open(file("go-cpu.pprof"), { nothing: 1 })))?.code === 2, "an unknown option");
const two = await open([file("go-cpu.pprof"), file("go-heap.pprof")]);
equal([...two.query("SELECT count(*) AS n FROM source WHERE kind = 'input'")], [{ n: 2 }], "two recordings");
const other = await open(file("kernel.ftrace"));
equal([[...two.query("SELECT 1 AS a")], [...other.query("SELECT 2 AS a")]], [[{ a: 1 }], [{ a: 2 }]], "two at once");
two.close();
other.close();

// The example of README.md, as it is, with a recording of that name.
const example = /```js\n([^`]*)```/.exec(readFileSync(readme, "utf8"))[1];
writeFileSync("app.htrace", execFileSync("gzip", ["-dc", file("recording-cpuprofile.htrace.gz")]));
writeFileSync("example.mjs", example);
execFileSync(process.execPath, ["example.mjs"], { stdio: ["ignore", "ignore", "inherit"] });
check(existsSync("app.db"), "the example of README.md");
equal(nothingLeft(), [], "temporary files");
process.exitCode = wrong > 0 ? 1 : 0;
