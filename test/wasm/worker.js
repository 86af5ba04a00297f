// worker.js: the viewer's worker in short: importScripts, the function that gives the module itself, pieces, answers. In: { file, rows, protos }.
importScripts("trace_streamer_builtin.js");

onmessage = async (event) => {
  const REQUEST = 4 << 20;
  const encoder = new TextEncoder();
  const lines = [];
  let module;
  await new Promise((resolve, reject) => {
    module = trace_streamer_builtin_wasm({
      locateFile: (s) => s,
      print: (line) => lines.push(line),
      printErr: (line) => lines.push(line),
      onRuntimeInitialized: () => resolve(),
      onAbort: () => reject(new Error("abort")),
    });
  });
  let pieces = [];
  const take = (p, n) => pieces.push(module.HEAPU8.slice(p, p + n));
  const all = () => new Blob(pieces.splice(0)).arrayBuffer();
  const reply = module.addFunction((p, n) => take(p, n), "viii");
  const replyType = module.addFunction((p, n) => take(p, n), "viiii");
  module._TraceStreamerSetLogLevel(0);
  const request = module._Initialize(REQUEST, reply, replyType, reply);
  const bytes = new Uint8Array(await (await fetch(event.data.file)).arrayBuffer());
  let result = -1;
  for (let at = 0; at < bytes.length && (at === 0 || result === 0); at += REQUEST) {
    const part = bytes.subarray(at, at + REQUEST);
    module.HEAPU8.set(part, request);
    result = module._TraceStreamerParseDataEx(part.length, at + REQUEST >= bytes.length ? 1 : 0);
  }
  const over = module._TraceStreamerParseDataOver();
  const sql = encoder.encode(event.data.rows);
  module.HEAPU8.set(sql, request);
  module._TraceStreamerSqlQueryEx(sql.length);
  const text = new TextDecoder().decode(await all());
  const typed = encoder.encode("\0\0\0\0" + event.data.protos.sql);
  typed[0] = event.data.protos.type;
  module.HEAPU8.set(typed, request);
  module._TraceStreamerSqlQueryToProtoCallback(typed.length);
  const message = [...new Uint8Array(await all())];
  module._WasmExportDatabase(module.addFunction((p, n) => take(p, n), "viii"));
  const database = await all();
  const hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", database))].map((b) => b.toString(16).padStart(2, "0")).join("");
  postMessage({ result, over, text, message, size: database.byteLength, hash, lines });
};
