// module.mjs MODULE PROGRAM DATA PACKAGES: the folder of the module, the native program of the same version, the recordings of the tests, and
// the folder of protobufjs. Everything that the module does, as the viewer's worker asks it. Prints what fails; ends with 1 then.
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { FUNCTIONS, Host, REQUEST } from "./host.mjs";

const [folder, program, data, packages] = process.argv.slice(2).map((path) => resolve(path));
const only = process.env.TS_WASM_ONLY;
const protobuf = createRequire(join(packages, "x.js"))("protobufjs");
const scratch = mkdtempSync(join(tmpdir(), "ts-wasm-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
let failures = 0;
let checks = 0;
function check(good, what) {
  checks++;
  if (!good) {
    failures++;
    console.error(`FAILED: ${what}`);
  }
}
function part(name, run) {
  if (only !== undefined && only !== name) {
    return;
  }
  const began = Date.now();
  const before = checks;
  run();
  check(checks > before, `${name} checks something`);
  console.log(`${name}: ${checks - before} checks, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

// What the program makes of the bytes when they come through a pipe, which is what the module has: no name and no size. undefined: nothing.
function native(bytes) {
  const out = join(scratch, "native.db");
  rmSync(out, { force: true });
  const run = spawnSync(program, ["-", "-e", out], { input: bytes, maxBuffer: 1 << 30 });
  return run.status === 0 ? readFileSync(out) : undefined;
}

const recordings = [];
for (const name of readdirSync(data, { recursive: true }).sort()) {
  const path = join(data, name);
  if (statSync(path).isFile() && !/\.(md|summary|sql|txt\.md)$/.test(name)) {
    recordings.push({ name, bytes: readFileSync(path) });
    if (name.endsWith(".gz") && !name.endsWith(".tar.gz")) {
      recordings.push({ name: name.slice(0, -3), bytes: gunzipSync(readFileSync(path)) });
    }
  }
}

part("functions", () => {
  const host = new Host(folder);
  for (const name of FUNCTIONS) {
    check(typeof host.module["_" + name] === "function", `${name} is there`);
  }
  check(host.module.HEAPU8 instanceof Uint8Array && host.request !== 0, "there is a request buffer");
});

part("databases", () => {
  let imported = 0;
  for (const { name, bytes } of recordings) {
    const expected = native(bytes);
    for (const size of bytes.length <= 20000 ? [1, 97, REQUEST] : bytes.length <= 1000000 ? [97, REQUEST] : [REQUEST]) {
      const host = new Host(folder);
      const { result, over } = host.parse(bytes, size);
      const got = result === 0 ? host.exportDatabase() : undefined;
      check((result === 0) === (expected !== undefined), `${name} by ${size}: ${result}, the program ${expected === undefined ? "fails" : "converts it"}: ${host.lines.at(-1)}`);
      check(result === over, `${name} by ${size}: ParseDataOver gives ${over}, not ${result}`);
      if (got !== undefined && expected !== undefined) {
        imported++;
        check(got.bytes.equals(expected), `${name} by ${size}: the database is that of the program (${got.bytes.length}, ${expected.length} bytes)`);
        check(got.pieces.at(-1).finish === 1 && got.pieces.at(-1).bytes.length === 0 && got.pieces.slice(0, -1).every((p) => p.finish === 0), `${name}: the export ends once`);
      } else {
        check(host.lines.length > 0, `${name}: it is said why nothing could be read`);
      }
    }
  }
  check(imported >= 20, `only ${imported} databases were compared`);
});

const small = gunzipSync(readFileSync(join(data, "recording-cpuprofile.htrace.gz")));
function opened() {
  const host = new Host(folder);
  check(host.parse(small).result === 0, "recording-cpuprofile is converted");
  return host;
}

part("json", () => {
  const host = opened();
  const database = join(scratch, "json.db");
  writeFileSync(database, host.exportDatabase().bytes);
  const texts = ["a", '"', "\\", "\\\\n", "\u0000x", "\u0001\u001f", "\r\n\t", "\u007f", "é", "漢字", "\ud83d\ude00", "</script>", "\u2028", "\ufffd", ""];
  for (const text of texts) {
    const hex = Buffer.from(text, "utf8").toString("hex");
    const got = host.rows(`SELECT CAST(x'${hex}' AS TEXT) AS "${text.replace(/[\u0000"]/g, "")}"`);
    check(got.values[0][0] === text, `the text ${JSON.stringify(text)} comes as ${JSON.stringify(got.values[0][0])}`);
  }
  check(host.rows("SELECT CAST(x'ff41c3' AS TEXT)").values[0][0] === "\ufffdA\ufffd", "bytes that are no UTF-8 are U+FFFD");
  const values = host.rows("SELECT 1, -9223372036854775808, 9007199254740993, 1.5, 0.1 + 0.2, 1e999, -1e999, NULL, x'4142', ''");
  check(JSON.stringify(values.values[0].slice(3, 5)) === "[1.5,0.3]" && values.values[0][5] === Infinity && values.values[0][7] === null && values.values[0][8] === "AB" && values.values[0][9] === "", "kinds of values");
  check(host.sql("SELECT 9007199254740993").text.includes("[[9007199254740993]]"), "integers are whole");
  check(host.sql("SELECT 1 AS a WHERE 0").text === 'ok\r\n{"columns":["a"],"values":[]}\r\n', "no rows");
  for (const bad of ["SELECT", "SELECT nothing", "DELETE FROM meta", "CREATE TABLE t(x)", "ATTACH 'x' AS y"]) {
    const got = host.sql(bad);
    check(got.result === -1 && got.text === "false\r\n" && got.pieces.at(-1).finish === 1, `${JSON.stringify(bad)} is refused: ${got.result} ${got.text.slice(0, 40)}`);
  }
  check(host.sql("").text === "ok\r\n" && host.sql("SELECT 1; ").text.startsWith("ok\r\n{"), "SQL that asks nothing");
  // Pieces: at most 4 MiB, whole characters, the last one alone is the last.
  const large = host.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000) SELECT i, '漢字é😀' || i FROM n");
  check(large.result === 0 && large.pieces.length > 2, `${large.pieces.length} pieces`);
  check(large.pieces.every((p, i) => p.bytes.length <= REQUEST && p.finish === (i === large.pieces.length - 1 ? 1 : 0)), "pieces end as they must");
  const strict = new TextDecoder("utf-8", { fatal: true });
  check(large.pieces.every((p) => strict.decode(p.bytes) !== undefined), "pieces end between characters");
  check(JSON.parse(large.text.slice(4)).values[399999][1] === "漢字é😀400000", "the last row is right");
  // The rows of all tables, as the program says them.
  let tables = 0;
  for (const [name] of host.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'").values) {
    const sql = `SELECT * FROM "${name}" LIMIT 200`;
    const expected = spawnSync(program, [database, "-q", sql, "--output=json"], { encoding: "utf8", maxBuffer: 1 << 28 });
    const got = host.rows(sql);
    if (expected.status === 0) {
      const rows = JSON.parse(expected.stdout);
      const list = Array.isArray(rows) ? rows.map((r) => (Array.isArray(r) ? r : Object.values(r))) : rows.rows;
      const same = list.length === got.values.length && list.every((r, i) => r.every((v, k) => v === got.values[i][k] || Math.abs(Number(v) - Number(got.values[i][k])) <= 1e-12 * Math.abs(Number(v))));
      check(same, `${name}: the rows are those of the program`);
      tables += same ? 1 : 0;
    }
  }
  check(tables >= 50, `only ${tables} tables were compared`);
  check(host.module._TraceStreamerSqlOperateEx(host.put(Buffer.from("SELECT 1"))) === 0, "SQL without an answer");
  check(host.module._TraceStreamerSqlOperateEx(host.put(Buffer.from("DROP TABLE meta"))) === -1, "the database is not changed");
  check(host.module._TraceStreamerSqlMetricsQuery(host.put(Buffer.from("nothing"))) === -1 && host.pieces.length === 0, "an unknown metric");
});

// What the viewer asks (test/viewer/statements.sql), of recordings of each kind: the rows are those of the program.
part("viewer", () => {
  const text = readFileSync(new URL("../viewer/statements.sql", import.meta.url), "utf8");
  const statements = text
    .split(/^-- statement: /m)
    .slice(1)
    .map((one) => ({
      name: one.slice(0, one.indexOf(".")),
      sql: one
        .slice(one.indexOf("\n") + 1)
        .replace(/^--.*$/gm, "")
        .replace(/:file\b/g, "0")
        .replace(/:argset\b/g, "1")
        .trim()
        .replace(/;$/, ""),
    }));
  check(statements.length >= 30, `only ${statements.length} statements`);
  let rows = 0;
  for (const name of ["recording-snapshots.htrace.gz", "recording-timeline.htrace.gz", "recording-cpuprofile.htrace.gz", "kernel.htrace.gz", "work.jfr.gz"]) {
    const host = new Host(folder);
    check(host.parse(readFileSync(join(data, name))).result === 0, name);
    const database = join(scratch, "viewer.db");
    writeFileSync(database, host.exportDatabase().bytes);
    for (const one of statements) {
      const expected = spawnSync(program, [database, "-q", one.sql, "--output=jsonl"], { encoding: "utf8", maxBuffer: 1 << 30 });
      const got = host.rows(one.sql);
      const lines = expected.stdout.split("\n").filter((line) => line !== "");
      const same =
        lines.length === got.values.length &&
        lines.every((line, i) => {
          const values = Object.values(JSON.parse(line));
          return values.every((v, k) => v === got.values[i][k] || Math.abs(Number(v) - Number(got.values[i][k])) <= 1e-12 * Math.abs(Number(v)));
        });
      check(expected.status === 0 && same, `${name}, ${one.name}: ${got.values.length} rows, ${lines.length} of the program ${expected.stderr.slice(0, 200)}`);
      rows += lines.length;
    }
    host.reset();
  }
  check(rows > 10000, `only ${rows} rows`);
});

part("proto", () => {
  const schema = readFileSync(new URL("SphBaseData.proto", import.meta.url), "utf8");
  const root = protobuf.parse(schema, { keepCase: true }).root;
  const Batch = root.lookupType("BatchSphData");
  const Data = root.lookupType("SphData");
  const types = new Map();
  for (const [, message, list] of schema.matchAll(/^message (\w+) \{ \/\/ types ([\d, ]+)$/gm)) {
    for (const type of list.split(",")) {
      types.set(Number(type), message);
    }
  }
  check(types.size === 64, `${types.size} types`);
  const host = opened();
  const rows = [];
  for (const number of ["0", "1", "-1", "127", "128", "2147483647", "-2147483648", "1753000000000000000", "-9223372036854775808", "NULL"]) {
    rows.push({ number, text: number === "NULL" ? "NULL" : `'text ${number} é'` });
  }
  for (const [type, message] of types) {
    const fields = root.lookupType(message).fieldsArray;
    const member = Data.fieldsArray.find((f) => f.type === message).name;
    const sql = rows.map((r) => "SELECT " + fields.map((f) => (f.type === "string" ? r.text : r.number)).join(", ")).join(" UNION ALL ");
    const got = host.proto(type, sql);
    check(got.result === 0 && got.pieces.length === 1 && got.pieces[0].type === type && got.pieces[0].finish === 1, `type ${type}: one message`);
    const decoded = Batch.toObject(Batch.decode(got.pieces[0].bytes), { longs: String, defaults: true });
    check(decoded.values.length === rows.length, `type ${type}: ${decoded.values.length} rows`);
    decoded.values.forEach((value, i) => {
      const object = value[member];
      for (const field of fields) {
        const { number, text } = rows[i];
        const expected = field.type === "string" ? (text === "NULL" ? "" : text.slice(1, -1)) : number === "NULL" ? "-1" : field.type === "int32" ? String(Number(BigInt.asIntN(32, BigInt(number)))) : number;
        check(object !== undefined && String(object[field.name]) === expected, `type ${type}, ${field.name}: ${object?.[field.name]} instead of ${expected}`);
      }
    });
  }
  const none = host.proto(204, "SELECT 1 WHERE 0");
  check(none.result === 0 && none.pieces.length === 1 && none.pieces[0].bytes.length === 0, "no rows: an empty message");
  const few = Batch.toObject(Batch.decode(host.proto(204, "SELECT 7").pieces[0].bytes), { longs: String });
  check(few.values[0].hiperf_call_stack_data.callchain_id === "7" && few.values[0].hiperf_call_stack_data.name === "-1", "columns that are missing");
  for (const type of [21, 255, 300, 65536]) {
    const got = host.proto(type, "SELECT 1");
    check(got.result === 1 && got.pieces.length === 0, `type ${type} is unknown: ${got.result}`);
  }
  const failed = host.proto(204, "SELECT");
  check(failed.result === -1 && failed.pieces.length === 0, "SQL that is wrong");
});

part("other functions", () => {
  const host = opened();
  const m = host.module;
  const text = Buffer.from('{"config": {"Nothing": 1}}' + " ".repeat(2000));
  const config = m._InitializeParseConfig(1024);
  m.HEAPU8.set(text, config);
  check(m._TraceStreamerParserConfigEx(text.length) === 0, "a configuration");
  check(m._TraceStreamerInitThirdPartyConfig(host.put(Buffer.from("1;a;2;b;"))) === 0, "plugins of other modules");
  check(m._TraceStreamerSetThirdPartyDataDealer(host.reply, REQUEST) !== 0, "and their buffer");
  check(m._UpdateTraceTime(host.put(Buffer.alloc(8))) === 0 && m._TraceStreamerCancel() === 0, "times, and to stop what does not run");
  check(host.rows("SELECT 1").values[0][0] === 1, "which stops nothing that comes later");
  const said = [];
  const elf = m.addFunction((p, n) => said.push(Buffer.from(m.HEAPU8.slice(p, p + n)).toString()), "viii");
  m.HEAPU8.set(Buffer.from("a/lib.so"), m._InitFileName(elf, 8));
  m._TraceStreamerDownloadELFEx(20, 8, host.put(Buffer.alloc(10)), 1);
  check(said.length === 0, "half of a file with symbols");
  m._TraceStreamerDownloadELFEx(20, 8, host.put(Buffer.alloc(10)), 1);
  check(said.join("|") === "file send over\r\n|failed\r\n", `files with symbols: ${said}`);
  const split = m._InitializeSplitFile(host.replyType, REQUEST);
  m.HEAPU8.fill(1, split, split + REQUEST);
  check(m._TraceStreamerSplitFileEx(10) === -1 && m._TraceStreamerReciveFileEx(10, 1) === -1 && m._TraceStreamerGetLongTraceTimeSnapEx(1024) === -1 && m._TraceStreamerLongTraceSplitFileEx(10, 1, 0) === -1, "parts of recordings");
  check(m._TraceStreamerParseDataEx(host.put(small.subarray(0, 100)), 1) === -1, "a second recording");
  // A query that is stopped out of its own answer.
  let stopped = 0;
  const stop = m.addFunction(() => { stopped++; m._TraceStreamerCancel(); }, "viii");
  m._Initialize(REQUEST, stop, host.replyType, stop);
  host.request = m._Initialize(REQUEST, stop, host.replyType, stop);
  check(m._TraceStreamerSqlQueryEx(host.put(Buffer.from("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'so many letters that pieces fill' FROM n"))) === -1 && stopped >= 1, "an endless query is stopped");
});

part("again", () => {
  const host = new Host(folder);
  let after = 0;
  for (let i = 0; i < 50; i++) {
    check(host.parse(small).result === 0, `time ${i}`);
    host.rows("SELECT count(*) FROM sqlite_schema");
    check(host.exportDatabase().bytes.length > 100000, `export ${i}`);
    check(host.reset() === 0, "reset");
    host.begin();
    after = i === 4 ? host.module.HEAPU8.length : after;
  }
  check(host.module.HEAPU8.length === after, `memory grows: ${after}, ${host.module.HEAPU8.length} after 50`);
  check(host.module.FS.readdir("/chunks").length === 2, "files are left");
});

part("damage", () => {
  const names = ["recording-cpuprofile.htrace", "work.jfr", "kernel.htrace", "go-cpu.pprof"];
  for (const name of names) {
    const bytes = recordings.find((r) => r.name === name).bytes;
    for (const at of [1, 100, 1024, 1100, bytes.length >> 2, bytes.length >> 1, bytes.length - 1]) {
      const host = new Host(folder);
      const cut = bytes.subarray(0, at);
      const { result } = host.parse(cut);
      check((result === 0) === (native(cut) !== undefined), `${name}, ${at} bytes: ${result}: ${host.lines.at(-1)}`);
    }
    let seed = 1;
    const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
    for (let i = 0; i < 20; i++) {
      const wrong = Buffer.from(bytes);
      for (let k = 0; k < 30; k++) {
        wrong[random() % wrong.length] = random() & 255;
      }
      const host = new Host(folder);
      const { result } = host.parse(wrong);
      const expected = native(wrong);
      check((result === 0) === (expected !== undefined), `${name}, change ${i}: ${result}`);
      if (result === 0 && expected !== undefined) {
        check(host.exportDatabase().bytes.equals(expected), `${name}, change ${i}: the database is that of the program`);
      }
    }
  }
  const noise = Buffer.alloc(100000);
  noise.forEach((_, i) => (noise[i] = Math.imul(i, 2654435761) >>> 13));
  const host = new Host(folder);
  check(host.parse(noise).result === -1 && host.lines.length > 0, "noise");
  const open = new Host(folder);
  check(open.parse(small, REQUEST, { finish: false }).over === 0, "an end without the last piece");
});

console.log(failures === 0 ? `${checks} checks` : `${failures} of ${checks} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
