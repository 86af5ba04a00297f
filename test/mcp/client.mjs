// client.mjs PROGRAM DATA PACKAGES: the protocol's own client (@modelcontextprotocol/sdk) starts the server, which checks every answer by
// the protocol's schema, lists the tools and uses each of them on a recording.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, data, packages] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(createRequire(join(packages, "x.js")).resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const failed = (why) => {
  console.error(`client.mjs: ${why}`);
  process.exit(1);
};
const check = (holds, why) => holds || failed(why);

const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", join(data, "go-cpu.pprof")], stderr: "inherit" }));
check(client.getServerVersion().name === "trace_streamer", "name of the server");
check(client.getServerCapabilities().tools !== undefined, "it has no tools");
check(client.getInstructions().includes("overview"), "instructions");
await client.ping();

const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
const expected = "open recordings close overview questions ask sql flame heap_path diff issues schema".split(" ");
check(names.join() === expected.join(), `tools are ${names}`);
for (const tool of tools) {
  check(tool.description.length > 20, `description of ${tool.name}`);
  for (const name of tool.inputSchema.required) {
    check(name in tool.inputSchema.properties, `${tool.name} requires ${name}, which it does not describe`);
  }
}

let calls = 0;
const call = async (name, args = {}, fails = false, options = undefined) => {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const text = result.content[0].text;
  check(result.content.length === 1 && result.content[0].type === "text", `content of ${name}`);
  check(Boolean(result.isError) === fails, `${name} ${JSON.stringify(args)}: ${text}`);
  check(Buffer.byteLength(text) <= 8192, `${name} answers ${Buffer.byteLength(text)} bytes`);
  calls++;
  return text;
};

check((await call("overview")).includes("go-cpu.pprof"), "overview");
check((await call("flame")).startsWith("weight cpu in ns, "), "flame");
check((await call("ask", { question: "hot_methods", params: { limit: 3 } })).trim().split("\n").length > 4, "ask");
const progress = [];
await call("open", { path: join(data, "recording-snapshots.htrace.gz"), analyze: "heap" }, false, { onprogress: (p) => progress.push(p) });
const node = (await call("ask", { recording: "2", question: "js_largest_retained", params: { limit: 1 } })).trim().split("\n").pop().split("\t");
const columns = (await call("sql", { recording: "2", sql: "SELECT id FROM js_heap_nodes WHERE file_id = 0 LIMIT 1 OFFSET 1000" })).trim().split("\n");
check((await call("heap_path", { recording: "2", node: columns.pop() })).includes("\n0\t"), "heap_path");
check(node.length > 3, "js_largest_retained");
check((await call("diff", { before: "2", after: "2", by: "class", params: { before: "Snapshot0", after: "Snapshot2" } })).includes("Date"), "diff");
await call("issues", { recording: "2" });
check((await call("schema", { recording: "2", table: "js_heap_nodes" })).includes("self_size"), "schema");
await call("questions", { recording: "2" });
await call("recordings");
check((await call("sql", { recording: "1", sql: "SELECT :a + 1 AS b", params: { a: 41 } })).trim().endsWith("\n42"), "parameters");

// What cannot be done says what to do.
check((await call("sql", { sql: "SELECT 1" }, true)).includes("several recordings"), "no recording named");
check((await call("ask", { recording: "1", question: "hot_method" }, true)).includes('"hot_methods"'), "the nearest question");
check((await call("sql", { recording: "1", sql: "DELETE FROM source" }, true)).includes("cannot change"), "it only reads");
check((await call("open", { path: "/none/such" }, true)).includes("/none/such"), "no file");
check((await call("flame", { recording: "1", thread: "none" }, true)).includes("none"), "no thread");
try {
  await client.callTool({ name: "none", arguments: {} });
  failed("a tool that is not there");
} catch (error) {
  check(error.code === -32602, `code ${error.code}`);
}

// A request that is given up; the next one is answered.
const abort = new AbortController();
const endless = client.callTool({ name: "sql", arguments: { recording: "1", sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n" } }, undefined, { signal: abort.signal });
setTimeout(() => abort.abort("enough"), 1500);
try {
  await endless;
  failed("it was not given up");
} catch (error) {
  check(String(error).includes("enough"), String(error));
}
check((await call("sql", { recording: "1", sql: "SELECT 7 AS seven" })).includes("\n7"), "after one that was given up");
check((await call("close", { recording: "2" })).includes("go-cpu.pprof"), "close");
await client.close();
console.log(`${tools.length} tools, ${calls} calls, ${progress.length} messages of progress`);
