// A made trace of a system with all that the timeline shows: two processes of one name, frames of which one is late, calls between processes, reasons
// of waits, asynchronous slices; and rows beside it as a profiler and the log have them. All times are ns since the beginning.
import { execFileSync } from "node:child_process";

const BASE = 2_000_000_000n;
const MS = 1_000_000;
const TGID = { 100: 100, 101: 100, 102: 100, 200: 200, 201: 200, 300: 300 };
const NAME = { 0: "swapper", 100: "shop", 101: "worker", 102: "worker", 200: "shop", 201: "Binder:200_1", 300: "render_service" };

/** The text of the trace. */
export function machine() {
  const lines = [];
  const running = [0, 0];
  const at = (ms, cpu, tid, event) => {
    const ts = BASE + BigInt(Math.round(ms * MS));
    const time = `${ts / 1_000_000_000n}.${String(ts % 1_000_000_000n).padStart(9, "0")}`;
    const tgid = tid === 0 ? "-----" : String(TGID[tid]).padStart(5);
    lines.push([ts, `${NAME[tid].padStart(16)}-${String(tid).padEnd(5)} (${tgid}) [00${cpu}] d..2 ${time}: ${event}\n`]);
  };
  const run = (ms, cpu, tid, state) => {
    const out = running[cpu];
    at(ms, cpu, out, `sched_switch: prev_comm=${NAME[out]} prev_pid=${out} prev_prio=120 prev_state=${out === 0 ? "R" : state} ==> next_comm=${NAME[tid]} next_pid=${tid} next_prio=${tid === 300 ? 97 : 120}`);
    running[cpu] = tid;
  };
  const wake = (ms, cpu, by, tid) => at(ms, cpu, by, `sched_wakeup: comm=${NAME[tid]} pid=${tid} prio=120 target_cpu=000`);
  const mark = (ms, cpu, tid, text) => at(ms, cpu, tid, `tracing_mark_write: ${text}`);
  const vsync = (ms, ends, id) => `H:ReceiveVsync dataCount:24bytes now:${BASE + BigInt(Math.round(ms * MS))} expectedEnd:${BASE + BigInt(Math.round(ends * MS))} vsyncId:${id}`;
  // Three frames: the second one waits for a disk, and is late.
  for (const [k, begin, long] of [[1, 10, 6], [2, 30, 30], [3, 70, 6]]) {
    run(begin, 0, 100, "S");
    mark(begin + 0.1, 0, 100, `B|100|${vsync(begin, begin + 16, k)}`);
    mark(begin + 0.2, 0, 100, "B|100|H:OnVsyncEvent now:1");
    mark(begin + 0.3, 0, 100, "B|100|H:layout");
    if (long > 20) {
      run(begin + 5, 0, 0, "D");
      at(begin + 20, 0, 0, "sched_blocked_reason: pid=100 iowait=1 caller=do_page_fault+0x1c/0x20");
      wake(begin + 20, 0, 0, 100);
      run(begin + 21, 0, 100, "S");
    }
    mark(begin + long - 1, 0, 100, "E|100");
    mark(begin + long - 0.9, 0, 100, `B|100|H:MarshRSTransactionData transactionFlag:[100,${k}]`);
    mark(begin + long - 0.8, 0, 100, "E|100");
    mark(begin + long - 0.6, 0, 100, "E|100");
    mark(begin + long - 0.5, 0, 100, "E|100");
    wake(begin + long - 0.4, 0, 100, 101);
    run(begin + long, 0, 0, "S");
    const shown = begin + long + 2;
    wake(shown - 0.5, 1, running[1], 300);
    run(shown, 1, 300, "S");
    mark(shown + 0.1, 1, 300, `B|300|${vsync(shown, shown + 16, k)}`);
    mark(shown + 0.2, 1, 300, `B|300|H:RSMainThread::ProcessCommandUni [100,${k}]`);
    mark(shown + 0.6, 1, 300, "E|300");
    mark(shown + 0.7, 1, 300, "B|300|H:RSMainThread::DoComposition");
    mark(shown + 2.9, 1, 300, `S|300|H:M: Frame queued|${k}`);
    mark(shown + 3, 1, 300, "E|300");
    mark(shown + 3.1, 1, 300, "E|300");
    mark(shown + 3.5, 1, 300, `F|300|H:M: Frame queued|${k}`);
    run(shown + 4, 1, 0, "S");
    run(shown + 4.5, 1, 101, "S");
    mark(shown + 4.6, 1, 101, `S|100|H:download ${k}|${k}`);
    mark(shown + 4.7, 1, 101, `B|100|H:decode ${k}`);
    mark(shown + 6, 1, 101, "E|100");
    mark(shown + 9, 1, 101, `F|100|H:download ${k}|${k}`);
    run(shown + 10, 1, 0, "S");
  }
  // A call from one process to the other, and its reply.
  run(90, 0, 102, "S");
  at(90.5, 0, 102, "binder_transaction: transaction=7 dest_node=5 dest_proc=200 dest_thread=201 reply=0 flags=0x10 code=0x1");
  wake(90.6, 0, 102, 201);
  run(91, 0, 0, "S");
  run(92, 1, 201, "S");
  at(92.1, 1, 201, "binder_transaction_received: transaction=7");
  at(95, 1, 201, "binder_transaction: transaction=8 dest_node=0 dest_proc=100 dest_thread=102 reply=1 flags=0x0 code=0x0");
  wake(95.1, 1, 201, 102);
  run(96, 1, 0, "S");
  run(97, 0, 102, "S");
  at(97.1, 0, 102, "binder_transaction_received: transaction=8");
  run(98, 0, 200, "S");
  run(99, 0, 0, "S");
  return `# tracer: nop\n${lines.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)).map((one) => one[1]).join("")}`;
}

/** Rows of a profiler (a sample each ms in which a thread of process 100 ran), of the log and of a counter, in a database of it. */
export function machineRows(path) {
  execFileSync("sqlite3", [path], { input: `
INSERT INTO stack_method(id, name) VALUES (1, 'main'), (2, 'layout'), (3, 'measure'), (4, 'decode');
INSERT INTO stack_node(id, parent_id, method_id) VALUES (1, NULL, 1), (2, 1, 2), (3, 2, 3), (4, 1, 4);
WITH RECURSIVE k(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n < 110)
INSERT INTO stack_sample(source_id, itid, ts, dur, node_id, event)
SELECT 1, s.itid, r.start_ts + k.n * ${MS}, ${MS}, CASE WHEN t.tid <> 100 THEN 4 WHEN k.n % 3 = 0 THEN 3 ELSE 2 END, 'cpu-clock' FROM trace_range AS r, k
JOIN thread_state AS s ON s.state = 'Running' AND s.ts <= r.start_ts + k.n * ${MS} AND s.ts + s.dur > r.start_ts + k.n * ${MS} JOIN thread AS t ON t.itid = s.itid AND t.tid IN (100, 101) ORDER BY 3, 2;
INSERT INTO log(seq, ts, level, tag, context, pid, tid, origints) SELECT 1, start_ts + 31000000, 'I', 'Shop', 'opening page', 100, 100, start_ts FROM trace_range;
INSERT INTO log(seq, ts, level, tag, context, pid, tid, origints) SELECT 2, start_ts + 55000000, 'E', 'Shop', 'page came late', 100, 100, start_ts FROM trace_range;
INSERT INTO data_dict(id, data) VALUES (90001, 'AAFWK'), (90002, 'PAGE_LOAD'), (90003, 'APP_INPUT_BLOCK');
INSERT INTO hisys_all_event(id, domain_id, event_name_id, ts, level, contents) SELECT n, 90001, 90002 + n % 2, start_ts + (5 + 20 * n) * 1000000, CASE n % 2 WHEN 1 THEN 'CRITICAL' ELSE 'MINOR' END, '{"TRY":' || n || '}' FROM trace_range, (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4);
INSERT INTO measure_filter(id, type, name, source_arg_set_id) VALUES (900, 'cpu_measure_filter', 'cpu_frequency', 0);
INSERT INTO measure(type, ts, dur, value, filter_id) SELECT 'measure', start_ts + n * 20000000, 20000000, 1000 + 100 * n, 900 FROM trace_range, (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 4);
` });
}
