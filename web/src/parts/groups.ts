// Threads of the timeline by their processes.
import type { Thread } from "../data.ts";
import { threadName } from "../data.ts";
import { clean } from "../format.ts";
import type { SystemRow } from "./system.ts";

/** All that is known of a thread: one row of the timeline. */
export interface Person extends Thread {
  /** It has traced calls, samples. */
  readonly calls: boolean;
  readonly samples: boolean;
}

/** One row of the list for all that is known of a thread, of the sources that are wanted. */
export function joined(threads: readonly Thread[], wanted: (source: number | null) => boolean): Person[] {
  const known = new Map<string, Person>();
  for (const one of threads) {
    if (wanted(one.source)) {
      const key = one.itid === null ? `source ${one.source}` : String(one.itid);
      const before = known.get(key);
      const calls = one.kind === "slice" || before?.calls === true;
      const samples = one.kind === "sample" || before?.samples === true;
      known.set(key, before === undefined ? { ...one, key, calls, samples }
        : { ...before, calls, samples, count: before.count + one.count, busy: Math.max(before.busy, one.busy), first: Math.min(before.first, one.first), kind: one.kind === "slice" ? "slice" : before.kind });
    }
  }
  return [...known.values()];
}

export interface Process {
  readonly key: string;
  readonly ipid: number | null;
  readonly name: string;
  /** Its number, when it is not part of the name. */
  readonly detail: string;
  readonly threads: readonly Person[];
}

/** The processes of a list that is sorted, in its order; by the time of their threads when that is what it is sorted by. */
export function processesOf(list: readonly Person[], sort: string): readonly Process[] {
  const all = new Map<string, Person[]>();
  for (const one of list) {
    const key = one.ipid === null ? "p-" : `p${one.ipid}`;
    const threads = all.get(key);
    if (threads === undefined) {
      all.set(key, [one]);
    } else {
      threads.push(one);
    }
  }
  const busy = (one: Process): number => one.threads.reduce((sum, thread) => sum + thread.busy, 0);
  const processes = [...all].map(([key, threads]): Process => {
    const first = threads[0];
    const name = clean(first?.process, 60);
    const pid = first?.pid === null || first?.pid === undefined ? "" : String(first.pid);
    return { key, ipid: first?.ipid ?? null, name: key === "p-" ? "No process" : name || `process ${pid}`, detail: pid === "" || name.includes(pid) || name === "" ? "" : pid, threads };
  });
  return sort === "busy" ? processes.sort((a, b) => busy(b) - busy(a)) : sort === "name" ? processes.sort((a, b) => a.name.localeCompare(b.name, "en")) : processes;
}

/** The number of a thread beside its name, when it is not part of it. */
export const tidText = (one: Person): string => (one.tid === null || threadName(one).includes(String(one.tid)) ? "" : String(one.tid));

/** Names of threads by itid: equal ones have their number. */
export function namesOfThreads(threads: readonly Thread[]): ReadonlyMap<number, string> {
  const times = new Map<string, Set<number>>();
  for (const one of threads) {
    times.set(threadName(one), (times.get(threadName(one)) ?? new Set()).add(one.itid ?? -1));
  }
  return new Map(threads.filter((one) => one.itid !== null).map((one) => {
    const name = threadName(one);
    return [one.itid ?? -1, (times.get(name)?.size ?? 0) > 1 && one.tid !== null ? `${name} ${one.tid}` : name];
  }));
}

/** Slices that overlap, each in the first line that is free, and the number of lines. */
export function lined(rows: readonly SystemRow[], end: number): readonly [readonly (readonly [SystemRow, number])[], number] {
  const free: number[] = [];
  const placed = [...rows].sort((a, b) => Number(a[1]) - Number(b[1])).map((row) => {
    const ts = Number(row[1]);
    const found = free.findIndex((until) => until <= ts);
    const line = found < 0 ? free.length : found;
    free[line] = row[2] === null ? end : ts + Number(row[2]);
    return [row, line] as const;
  });
  return [placed, free.length];
}
