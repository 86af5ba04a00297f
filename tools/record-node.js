#!/usr/bin/env node
'use strict';
/*
 * Records heap snapshots, an allocation timeline and a CPU profile of a small demo program, through
 * the inspector of the Node.js that runs it. The messages are written as they come, one a line:
 *
 *     <CLOCK_REALTIME in ns> <message>
 *
 * which is what `mkhtrace --messages` reads. The demo runs in the main thread; the recorder sits in
 * a worker with a heap of its own, so that it is not part of what it records.
 *
 * Plain Node.js 18 or 20, no packages.
 */
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

const usage = `usage: record-node.js [option]...
Records a demo program in this process and writes, into the output directory,
  snapshots.messages    heap snapshots, each ended by {"id":1,"result":{}}
  timeline.messages     an allocation timeline: {"id":1,"result":{}} ... {"id":2,"result":{}}
  cpuprofile.messages   a CPU profile: {"id":3,"result":{}} twice, then the profile
  clocks                the clocks at the start, as mkhtrace --clocks takes them
  pid                   the process id

  --out DIR             output directory, default .
  --snapshots N         number of heap snapshots, default 3; 0 leaves them out
  --interval MS         between two snapshots, default 1000
  --timeline MS         length of the timeline, default 1500; 0 leaves it out
  --profile MS          length of the CPU profile, default 1500; 0 leaves it out
  --sampling US         sampling interval of the CPU profile, default 1000
  --slept NS            CLOCK_BOOTTIME - CLOCK_MONOTONIC to be written, default 12345678901
                        (a machine that never slept has 0, which would test nothing)
  --help                print this
`;

function parseOptions(argv) {
  const options = { out: '.', snapshots: 3, interval: 1000, timeline: 1500, profile: 1500,
                    sampling: 1000, slept: '12345678901' };
  for (let i = 0; i < argv.length; i++) {
    const name = argv[i].replace(/^--/, '');
    if (name === 'help') {
      process.stdout.write(usage);
      process.exit(0);
    }
    if (!argv[i].startsWith('--') || !(name in options) || i + 1 === argv.length) {
      process.stderr.write(`record-node.js: bad option ${argv[i]}\n${usage}`);
      process.exit(2);
    }
    const value = argv[++i];
    options[name] = typeof options[name] === 'number' ? Number(value) : value;
  }
  return options;
}

// ---------------------------------------------------------------------------------------------
// The recorder (worker thread)

class Recorder {
  constructor(session, fs, clocks, dir) {
    this.session = session;
    this.fs = fs;
    this.clocks = clocks;
    this.dir = dir;
    this.fd = -1;
    session.on('inspectorNotification', (message) => this.write(JSON.stringify(message)));
  }

  realtime() {
    return this.clocks.real + (process.hrtime.bigint() - this.clocks.mono);
  }

  open(name) {
    this.fd = this.fs.openSync(`${this.dir}/${name}`, 'w');
  }

  close() {
    this.fs.closeSync(this.fd);
    this.fd = -1;
  }

  write(text) {
    if (this.fd >= 0)
      this.fs.writeSync(this.fd, `${this.realtime()} ${text}\n`);
  }

  // Calls a method; its response is written with the id that an ArkTS device uses, if any.
  async call(id, method, params) {
    const result = await new Promise((resolve, reject) => {
      this.session.post(method, params, (error, value) => error ? reject(error) : resolve(value));
    });
    if (id !== null)
      this.write(`{"id":${id},"result":${JSON.stringify(result)}}`);
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// Both clocks at one moment; Date.now() has whole milliseconds, so wait for one to begin.
function readClocks(slept) {
  const before = Date.now();
  while (Date.now() === before);
  const mono = process.hrtime.bigint();
  return { mono, real: BigInt(Date.now()) * 1000000n, boot: mono + BigInt(slept) };
}

async function recordSnapshots(r, options) {
  r.open('snapshots.messages');
  for (let i = 0; i < options.snapshots; i++) {
    if (i > 0)
      await sleep(options.interval);
    await r.call(1, 'HeapProfiler.takeHeapSnapshot', { reportProgress: true });
  }
  r.close();
}

async function recordTimeline(r, options) {
  r.open('timeline.messages');
  await r.call(1, 'HeapProfiler.startTrackingHeapObjects', { trackAllocations: true });
  await sleep(options.timeline);
  await r.call(2, 'HeapProfiler.stopTrackingHeapObjects', { reportProgress: true });
  r.close();
}

async function recordProfile(r, options) {
  r.open('cpuprofile.messages');
  await r.call(null, 'Profiler.enable');
  await r.call(3, 'Profiler.setSamplingInterval', { interval: options.sampling });
  await r.call(3, 'Profiler.start');
  await sleep(options.profile);
  await r.call(3, 'Profiler.stop');
  await r.call(null, 'Profiler.disable');
  r.close();
}

async function record(options) {
  const fs = require('fs');
  const { Session } = require('inspector');
  const session = new Session();
  const clocks = readClocks(options.slept);
  const keepAlive = setInterval(() => {}, 1000);

  session.connectToMainThread();
  const r = new Recorder(session, fs, clocks, options.out);
  fs.writeFileSync(`${options.out}/clocks`,
                   `boot=${clocks.boot},real=${clocks.real},realcoarse=${clocks.real - 1250000n},` +
                   `mono=${clocks.mono},monocoarse=${clocks.mono - 1250000n},monoraw=${clocks.mono}\n`);
  fs.writeFileSync(`${options.out}/pid`, `${process.pid}\n`);
  await sleep(300); // let the demo warm up
  if (options.snapshots > 0)
    await recordSnapshots(r, options);
  if (options.timeline > 0)
    await recordTimeline(r, options);
  if (options.profile > 0)
    await recordProfile(r, options);
  session.disconnect();
  await mainThreadAnswers();
  clearInterval(keepAlive);
}

// disconnect() only asks the main thread to close its end of the session. That happens later, and
// then the main thread tells this one: if its environment is being torn down at that moment,
// Node.js aborts (exit code 134, no message). So this thread stays until the main thread has run
// again: requests of sessions come before other work there.
function mainThreadAnswers() {
  return new Promise((resolve) => {
    parentPort.once('message', resolve);
    parentPort.postMessage('disconnected');
  });
}

// ---------------------------------------------------------------------------------------------
// The demo (main thread)

function runDemo(options) {
  const tick = require('./demo.js')();
  const timer = setInterval(tick, 12);
  const worker = new Worker(__filename, { workerData: options });
  let failed = null;

  worker.on('message', () => setImmediate(() => setImmediate(() => worker.postMessage('closed'))));
  worker.on('error', (error) => { failed = error; });
  worker.on('exit', () => {
    clearInterval(timer);
    if (failed !== null) {
      process.stderr.write(`record-node.js: ${failed.stack}\n`);
      process.exitCode = 1;
    }
  });
}

if (isMainThread)
  runDemo(parseOptions(process.argv.slice(2)));
else
  record(workerData).catch((error) => { setImmediate(() => { throw error; }); });
