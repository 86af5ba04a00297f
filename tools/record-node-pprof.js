// Writes node-time.pprof and node-heap.pprof of itself into a folder, with the package @datadog/pprof:
//   mkdir app && cp record-node-pprof.js app && cd app && npm install @datadog/pprof && node record-node-pprof.js .
const pprof = require("@datadog/pprof");
const fs = require("fs");
const zlib = require("zlib");

const kept = [];

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function keep(n) {
  for (let i = 0; i < n; i++) kept.push(new Array(100).fill(i));
}

function work(ms) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    fib(18);
    keep(5);
    if (kept.length > 20000) kept.length = 0;
  }
}

pprof.heap.start(64 * 1024, 32);
pprof.time.start({ intervalMicros: 1000, durationMillis: 400, lineNumbers: true });
work(400);
for (const [name, profile] of [["node-time.pprof", pprof.time.stop()], ["node-heap.pprof", pprof.heap.profile()]]) {
  fs.writeFileSync(`${process.argv[2]}/${name}`, zlib.gzipSync(profile.encode(), { level: 9 }));
}
