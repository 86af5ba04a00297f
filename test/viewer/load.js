// What the web viewer does with the answers to its statements before it draws anything, in our own words: `load(answers)` fails where the
// viewer stops or hangs for ever, and says how much it would draw.
function load(answers) {
  const need = (truth, text) => {
    if (!truth) throw new Error(text);
  };

  // The time range, and the marks of its ruler: 20 or so, with the smallest distance of the list that gives so many. Without one the
  // distance stays 50 ns, and the loop that draws the marks does not come to an end.
  const { start_ts, end_ts } = answers["trace range"][0];
  const total = end_ts - start_ts;
  let distance = 0;
  for (let power = 1; power <= 1e12 && distance === 0; power *= 10) {
    distance = [5, 10, 20].map((n) => n * power).find((n) => n > total / 20 && n <= 5e12) ?? 0;
  }
  let marks = 0;
  for (let at = 0; at < total; at += distance || 50) {
    need(++marks < 1000, `the ruler has no end: ${total} ns`);
  }

  const dictionary = new Map(answers.dictionary.map((row) => [row.id, row.data]));

  // Sampled stacks: what was called to record them decides the name of the folder, else the processes do.
  const command = answers["command of samples"];
  const words = command.length > 0 ? command[0].report_value.split(" ") : ["-a"];
  const groups = Map.groupBy(answers["threads of samples"], (row) => row.pid);
  if (answers["list of samples"].length > 0 && !words.includes("-a")) {
    for (const [, threads] of groups) {
      need(threads.find((row) => row.tid === row.pid).processName.length >= 0, "");
    }
  }
  for (const row of answers["stacks of samples"]) {
    need(dictionary.get(row.name).length >= 0, "");
  }

  // Processes, and the call stacks of their threads.
  const drawn = new Set(answers["processes with data"].map((row) => row.pid));
  const received = answers["events that were received"].length > 0;
  let boxes = 0;
  for (const row of answers["calls of threads"]) {
    if (received && drawn.has(row.pid)) {
      need(row.funName.length >= 0 && Number.isInteger(row.colorIndex), `a call without colour: ${row.id}`);
      boxes++;
    }
  }

  // Priorities: the name of the argument is looked up where threads are scheduled.
  if (answers["there is scheduling"].length > 0) {
    need(answers["name of an argument"][0].id >= 0, "");
  }

  // ArkTS: heap files once for each configuration.
  if (answers["there are heaps"].length + answers["there are CPU profiles"].length > 0) {
    need(answers["configuration of ArkTS"][0].pid >= 0, "");
  }
  return { marks, boxes, samples: answers["list of samples"].length, files: answers["heap files"].length, profile: answers["samples of CPU profiles"].length };
}
