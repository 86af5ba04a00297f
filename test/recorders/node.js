'use strict';
/*
 * node.js KIND OUT: records tools/demo.js in the Node.js that runs it, in one way, into OUT (a file; options of Node.js that write
 * files themselves are given by the caller). Node.js 14 and later.
 */
const fs = require('fs');
const v8 = require('v8');
const { Session } = require('inspector');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const demo = require('../../tools/demo.js');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function work(ms) {
  const tick = demo();
  for (const end = Date.now() + ms; Date.now() < end; await sleep(1))
    tick();
  return tick; // and with it what it holds
}

function save(stream, out) {
  return new Promise((resolve, reject) => {
    stream.pipe(fs.createWriteStream(out)).on('finish', resolve).on('error', reject);
  });
}

class Inspector {
  constructor() {
    this.session = new Session();
    this.session.connect();
  }
  call(method, params) {
    return new Promise((resolve, reject) => {
      this.session.post(method, params, (error, value) => error ? reject(error) : resolve(value));
    });
  }
  /** What a call gives in chunks. */
  async heap(out, method, params) {
    const fd = fs.openSync(out, 'w');
    const chunk = (m) => fs.writeSync(fd, m.params.chunk);
    this.session.on('HeapProfiler.addHeapSnapshotChunk', chunk);
    await this.call(method, params);
    this.session.removeListener('HeapProfiler.addHeapSnapshotChunk', chunk);
    fs.closeSync(fd);
  }
}

async function timeline(out, track, snapshotOnly) {
  const inspector = new Inspector();
  await inspector.call('HeapProfiler.startTrackingHeapObjects', { trackAllocations: track });
  const kept = await work(400);
  if (snapshotOnly)
    await inspector.heap(out, 'HeapProfiler.takeHeapSnapshot', {});
  else
    await inspector.heap(out, 'HeapProfiler.stopTrackingHeapObjects', {});
  inspector.session.disconnect();
  kept();
}

async function cpu(out, interval, ms) {
  const inspector = new Inspector();
  await inspector.call('Profiler.enable');
  await inspector.call('Profiler.setSamplingInterval', { interval });
  await inspector.call('Profiler.start');
  await work(ms);
  fs.writeFileSync(out, JSON.stringify((await inspector.call('Profiler.stop')).profile));
}

async function sampling(out, params) {
  const inspector = new Inspector();
  await inspector.call('HeapProfiler.startSampling', params);
  const kept = await work(400);
  fs.writeFileSync(out, JSON.stringify((await inspector.call('HeapProfiler.stopSampling')).profile));
  kept();
}

async function fromWorker(out, inside) {
  const worker = new Worker(__filename, { workerData: inside ? out : null });
  await new Promise((resolve) => worker.once('message', resolve));
  if (!inside)
    await save(await worker.getHeapSnapshot(), out);
  await worker.terminate();
}

/** Fills the heap with few objects until Node.js has written its snapshot; it may end it before this does. */
function fill() {
  const kept = [];
  for (;;)
    kept.push(new Array(1 << 14).fill(kept.length + 0.5));
}

/** Something for every category of trace events. */
async function everything() {
  const { promisify } = require('util');
  const { performance } = require('perf_hooks');
  performance.mark('begin');
  console.time('label');
  console.count('counted');
  await Promise.all([promisify(fs.readFile)(__filename), promisify(require('zlib').gzip)('text'.repeat(1000)),
                     promisify(require('dns').lookup)('localhost').catch(() => 0)]);
  fs.mkdtempSync('trace-');
  const server = require('http').createServer((request, response) => response.end('found')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await new Promise((resolve) => require('http').get({ host: '127.0.0.1', port: server.address().port, agent: false },
                                                     (r) => r.resume().on('end', resolve)));
  server.close();
  await work(150);
  require('vm').runInNewContext('[1, 2, 3].map((x) => x * 2)');
  performance.mark('end');
  performance.measure('all', 'begin', 'end');
  console.timeLog('label', 'text "quoted"');
  console.timeEnd('label');
}

async function tracing(out) {
  const inspector = new Inspector();
  const { categories } = await inspector.call('NodeTracing.getCategories');
  const events = [];
  const done = new Promise((resolve) => inspector.session.on('NodeTracing.tracingComplete', resolve));
  inspector.session.on('NodeTracing.dataCollected', (m) => events.push(...m.params.value));
  await inspector.call('NodeTracing.start', { traceConfig: { includedCategories: categories } });
  await everything();
  await inspector.call('NodeTracing.stop');
  await done;
  fs.writeFileSync(out, JSON.stringify({ traceEvents: events }));
}

const kinds = {
  'work': () => work(400),
  'wait': () => work(60000),
  'write': async (out) => v8.writeHeapSnapshot(out, void await work(100)),
  'write-internals': async (out) => v8.writeHeapSnapshot(out, { exposeInternals: true }),
  'write-numbers': async (out) => v8.writeHeapSnapshot(out, { exposeNumericValues: true }),
  'write-all': async (out) => v8.writeHeapSnapshot(out, { exposeInternals: true, exposeNumericValues: true }),
  'stream': (out) => save(v8.getHeapSnapshot(), out),
  'worker': (out) => fromWorker(out, false),
  'in-worker': (out) => fromWorker(out, true),
  'inspector': (out) => new Inspector().heap(out, 'HeapProfiler.takeHeapSnapshot', {}),
  'inspector-all': (out) => new Inspector().heap(out, 'HeapProfiler.takeHeapSnapshot',
                                                 { exposeInternals: true, captureNumericValue: true, treatGlobalObjectsAsRoots: false }),
  'timeline': (out) => timeline(out, false, false),
  'timeline-allocations': (out) => timeline(out, true, false),
  'while-tracking': (out) => timeline(out, false, true),
  'while-tracking-allocations': (out) => timeline(out, true, true),
  'signal': async () => { await work(50); process.kill(process.pid, 'SIGUSR2'); await sleep(1000); },
  'fill': fill,
  'sampling': (out) => sampling(out, { samplingInterval: 4096 }),
  'sampling-collected': (out) => sampling(out, { samplingInterval: 32768, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }),
  'cpu-100': (out) => cpu(out, 100, 400),
  'cpu-1000': (out) => cpu(out, 1000, 600),
  'cpu-10000': (out) => cpu(out, 10000, 600),
  'everything': everything,
  'tracing': tracing,
};

async function main(kind, out) {
  await kinds[kind](out);
  process.exitCode = 0;
}

if (isMainThread) {
  main(process.argv[2], process.argv[3]).catch((error) => { process.stderr.write(`${error.stack}\n`); process.exitCode = 1; });
} else {
  work(100).then((kept) => {
    if (workerData !== null)
      v8.writeHeapSnapshot(workerData);
    parentPort.postMessage('ready');
    parentPort.once('message', kept);
  });
}
