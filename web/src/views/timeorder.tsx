// The stacks of one thread as they followed each other.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { get, urlOf } from "../api.ts";
import type { Thread } from "../data.ts";
import { duration } from "../format.ts";
import { chartOfSlices, chartStacks, type ChartReply, type SlicesReply } from "../parts/chart-tree.ts";
import { Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { Icicle, labelOf } from "../parts/icicle.tsx";
import { chooseRange } from "../parts/rangestrip.tsx";
import { matcher } from "../parts/search.ts";
import type { Stacks } from "../parts/stacks.ts";
import { isChosen } from "../parts/sources.ts";
import { extent, param, range, setParams } from "../state.ts";
import { useLoad, useSize } from "../use.ts";
import type { Chosen } from "./flame.tsx";

interface Mark {
  readonly method: number;
  readonly depth: number;
  readonly start: number;
  readonly length: number;
}

/** The frame of the same function at the same depth whose time has most in common with that of the mark; 0: there is none. */
function markedIn(stacks: Stacks, from: number, mark: Mark): number {
  const { tree, names } = stacks;
  let best = 0;
  let most = 0;
  for (let i = 1; i < tree.n; i++) {
    if (tree.depth[i] === mark.depth && (names.id[tree.frame[i] ?? -1] ?? -1) === mark.method) {
      const start = from + (tree.start[i] ?? 0);
      const common = Math.min(start + (tree.total[i] ?? 0), mark.start + mark.length) - Math.max(start, mark.start);
      if (common > most) {
        most = common;
        best = i;
      }
    }
  }
  return best;
}

export function TimeOrder({ chosen, threads }: { chosen: Chosen; threads: readonly Thread[] }): JSX.Element {
  const [place, size] = useSize<HTMLDivElement>();
  const mine = threads.filter((one) => one.kind === chosen.kind && isChosen(one.source) && one.itid !== null).sort((a, b) => b.busy - a.busy);
  const thr = chosen.thr.split(",")[0] || (mine[0]?.itid === undefined || mine[0].itid === null ? "" : String(mine[0].itid));
  // Samples without a thread are those of one source.
  const alone = thr === "" ? threads.find((one) => one.kind === chosen.kind && isChosen(one.source))?.source : undefined;
  const { from, to } = range.value ?? extent.value;
  // A round number of columns, so that a change of the window's size by some pixels asks for nothing.
  const px = Math.min(4096, Math.max(200, Math.ceil(size.width / 200) * 200));
  const calls = chosen.kind === "slice";
  const what = calls ? "calls" : "samples";
  const span = { from: Math.round(from), to: Math.round(to) + (range.value === undefined ? 1 : 0), px };
  const params = calls ? { db: chosen.db, thr, ...span } : { db: chosen.db, src: alone === undefined || alone === null ? chosen.src : String(alone), thr, event: chosen.event, ...span, demangle: param("raw") === "1" ? undefined : "1" };
  const view = calls ? "/api/slices" : "/api/chart";
  const loaded = useLoad(size.width > 0 && (thr !== "" || !calls) ? urlOf(view, params) : "", async (signal): Promise<ChartReply> => {
    const options = { signal, what: `reading ${what} in their order` };
    return calls ? chartOfSlices(await get<SlicesReply>(view, params, options), span.from, span.to) : get<ChartReply>(view, params, options);
  });
  const stacks = useMemo(() => (loaded.data === undefined ? undefined : chartStacks(loaded.data)), [loaded.data]);
  const q = param("q");
  const search = useMemo(() => matcher(q), [q]);
  const reply = loaded.data;
  // A frame is what it runs and when: its number is another one in the next tree.
  const [mark, setMark] = useState<Mark | undefined>();
  const focus = useMemo(() => (stacks === undefined || reply === undefined || mark === undefined ? 0 : markedIn(stacks, reply.from, mark)), [stacks, reply, mark]);
  const setFocus = (i: number): void => setMark(stacks === undefined || reply === undefined || i <= 0 ? undefined : {
    method: stacks.names.id[stacks.tree.frame[i] ?? -1] ?? -1, depth: stacks.tree.depth[i] ?? 0, start: reply.from + (stacks.tree.start[i] ?? 0), length: stacks.tree.total[i] ?? 0,
  });
  const open = (i: number): void => {
    const frame = stacks?.tree.frame[i] ?? -1;
    if (stacks !== undefined && frame >= 0) {
      setParams({ view: "sandwich", m: String(stacks.names.id[frame]) });
    }
  };
  const zoomed = (i: number): void => {
    if (stacks === undefined || reply === undefined) {
      return;
    }
    if (i === 0) {
      setParams({ from: undefined, to: undefined });
    } else {
      const start = reply.from + (stacks.tree.start[i] ?? 0);
      chooseRange(start, start + (stacks.tree.total[i] ?? 0), false);
    }
  };
  return (
    <div class="with-drawer">
      <div class="stage" ref={place}>
        <div class="trail"><b>{duration(to - from)}</b><span>from {duration(from)}</span>{stacks?.cut && <span>{calls ? "there are more calls than are shown" : "the deepest frames are left out"}</span>}</div>
        {loaded.error !== undefined ? <Failure error={loaded.error} /> : stacks === undefined ? <Waiting what={`reading ${what} in their order`} />
          : stacks.tree.n === 1 ? <p class="none big">No {what} in this range</p>
          : <Icicle hideRoot stacks={stacks} label="Stacks in the order of time: arrow keys move, Enter zooms to the time of a frame, F shows callers and callees, Escape shows all"
            search={search} selected={focus} onZoom={zoomed} onFocus={setFocus} onOpen={open} onKey={(key, i) => {
              if (key === "f") {
                open(i);
              }
              return key === "f";
            }} />}
      </div>
      {stacks !== undefined && reply !== undefined && focus > 0 && focus < stacks.tree.n && (
        <Drawer title={labelOf(stacks, focus)} onClose={() => setFocus(-1)}>
          <Facts rows={[
            ...((stacks.tree.frame[focus] ?? -1) >= 0 && stacks.names.where[stacks.tree.frame[focus] ?? 0] !== "" ? [["Where", <code>{stacks.names.where[stacks.tree.frame[focus] ?? 0]}</code>] as const] : []),
            ["Took", duration(stacks.tree.total[focus])],
            ["Began", duration(reply.from + (stacks.tree.start[focus] ?? 0))],
            ["Depth", String((stacks.tree.depth[focus] ?? 1) - 1)],
          ]} />
          <div class="actions">
            <button type="button" onClick={() => zoomed(focus)}>Zoom in</button>
            <button type="button" onClick={() => open(focus)}>Callers and callees</button>
          </div>
        </Drawer>
      )}
    </div>
  );
}
