// What the chosen thing of the timeline has to do with others: the arrows from one to the other.
import { cellNumber, cellText, records } from "../api.ts";
import { has, loadRan, loadState } from "./system.ts";
import { relative } from "../state.ts";

/** A moment of a lane; the first of the lanes that is shown. */
export interface LinkEnd {
  readonly lanes: readonly string[];
  /** Of whose group it is, when none of them is shown. */
  readonly itid: number | undefined;
  readonly t: number;
}

export interface Link {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
}

export interface Chosen {
  readonly slice: number | undefined;
  readonly ran: number | undefined;
  readonly state: number | undefined;
  readonly frame: number | undefined;
}

const ofThread = (itid: number, t: number, ...more: readonly string[]): LinkEnd => ({ lanes: [...more, String(itid)], itid, t });

const FRAMES = `WITH one AS (SELECT id, ts, dur, ipid, itid, type, dst FROM frame_slice WHERE rowid = :id + 1)
SELECT 'self' AS what, id, ts, dur, ipid, itid, type FROM one UNION ALL SELECT 'dst', f.id, f.ts, f.dur, f.ipid, f.itid, f.type FROM one JOIN frame_slice AS f ON f.rowid = one.dst + 1
UNION ALL SELECT 'src', f.id, f.ts, f.dur, f.ipid, f.itid, f.type FROM frame_slice AS f WHERE f.dst = :id LIMIT 100`;

async function frameLinks(db: string, id: number, signal: AbortSignal): Promise<Link[]> {
  const rows = await records(FRAMES, { db, params: { id }, signal, what: "looking for its frames" });
  const self = rows.find((one) => one["what"] === "self");
  if (self === undefined) {
    return [];
  }
  const begin = (one: typeof self): number => relative(cellText(one["ts"]));
  const end = (one: typeof self): number => begin(one) + cellNumber(one["dur"]);
  const at = (one: typeof self, t: number): LinkEnd => ofThread(cellNumber(one["itid"]), t, `frame ${cellText(one["ipid"])} ${cellText(one["type"])}`);
  return [
    { from: at(self, begin(self)), to: ofThread(cellNumber(self["itid"]), begin(self)) },
    ...rows.filter((one) => one["what"] === "dst").map((one): Link => ({ from: at(self, end(self)), to: at(one, begin(one)) })),
    ...rows.filter((one) => one["what"] === "src").map((one): Link => ({ from: at(one, end(one)), to: at(self, begin(self)) })),
  ];
}

// Both sides of a call between processes name each other.
const SIDES = `SELECT 'self' AS what, c.ts, c.dur, c.callid, c.name FROM callstack AS c WHERE c.rowid = :id + 1
UNION ALL SELECT 'other', o.ts, o.dur, o.callid, o.name FROM callstack AS c JOIN args AS a ON a.argset = c.argsetid JOIN data_dict AS k ON k.id = a.key AND k.data = 'destination slice id'
JOIN callstack AS o ON o.rowid = a.value + 1 WHERE c.rowid = :id + 1 LIMIT 10`;

async function sliceLinks(db: string, id: number, signal: AbortSignal): Promise<Link[]> {
  const rows = await records(SIDES, { db, params: { id }, signal, what: "looking for the other side" });
  const self = rows.find((one) => one["what"] === "self");
  const other = rows.find((one) => one["what"] === "other");
  if (self === undefined || other === undefined) {
    return [];
  }
  const replies = cellText(self["name"]).includes("reply");
  const [call, reply] = replies ? [other, self] : [self, other];
  const begin = (one: typeof self): number => relative(cellText(one["ts"]));
  const of = (one: typeof self, t: number): LinkEnd => ofThread(cellNumber(one["callid"]), t);
  return [
    { from: of(call, begin(call)), to: of(reply, begin(reply)) },
    // An asynchronous call has no reply.
    ...(reply["dur"] === null || call["dur"] === null || cellText(call["name"]).includes("async") ? [] : [{ from: of(reply, begin(reply) + cellNumber(reply["dur"])), to: of(call, begin(call) + cellNumber(call["dur"])) }]),
  ];
}

export async function loadLinks(db: string, chosen: Chosen, signal: AbortSignal): Promise<readonly Link[]> {
  const none = new Map<number, string>();
  if (chosen.frame !== undefined) {
    return frameLinks(db, chosen.frame, signal);
  }
  if (chosen.ran !== undefined) {
    const ran = await loadRan(db, chosen.ran, none, signal);
    const ts = ran === undefined ? 0 : relative(ran.ts);
    return ran?.wakerItid === undefined || ran.latency === null ? []
      : [{ from: ofThread(ran.wakerItid, ts - ran.latency), to: ofThread(ran.itid, ts - ran.latency) }, { from: ofThread(ran.itid, ts - ran.latency), to: ofThread(ran.itid, ts, `cpu ${ran.cpu}`) }];
  }
  if (chosen.state !== undefined) {
    const state = await loadState(db, chosen.state, none, signal);
    return state?.wakerItid === undefined || state.ready === undefined ? [] : [{ from: ofThread(state.wakerItid, state.ready), to: ofThread(state.itid, state.ready) }];
  }
  return chosen.slice !== undefined && has("callstack") && has("args") ? sliceLinks(db, chosen.slice, signal) : [];
}
