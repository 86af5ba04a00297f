// Stacks: the graph of one profile in the order of time, left heavy or upside down, one method with callers and callees, and methods as a table.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, urlOf, waiting } from "../api.ts";
import { loadThreads, threadLabel, type Axis, type Thread, type Threads } from "../data.ts";
import { amount, baseName, clean, count, duration, inUnit, percent, plural, signed, unitFor } from "../format.ts";
import { Choice, Drawer, Facts, Failure, Waiting } from "../parts/frame.tsx";
import { Icicle, labelOf } from "../parts/icicle.tsx";
import { RangeStrip } from "../parts/rangestrip.tsx";
import { matcher } from "../parts/search.ts";
import { countsBelow, namesOf, nodeAt, placeOf, REST, stacksOf, UNKNOWN, type FlameReply, type MethodsReply, type Stacks } from "../parts/stacks.ts";
import { choices, chosenJson, chosenSource, isChosen, sources, sourceTitle } from "../parts/sources.ts";
import { SourceChoice } from "../parts/sourcechoice.tsx";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { TimeOrder } from "./timeorder.tsx";
import { SaveMenu } from "./save.tsx";
import { Waits } from "./waits.tsx";
import { absolute, database, extent, go, numberParam, param, range, setParams } from "../state.ts";
import { useLoad } from "../use.ts";

type Mode = "time" | "left" | "sandwich" | "hot" | "waits";
export type Kind = "sample" | "slice";

export interface Chosen {
  readonly db: string;
  readonly kind: Kind;
  readonly src: string;
  readonly thr: string;
  readonly event: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Empty: the server chooses. */
  readonly weight: string;
}

/** What the server says of the weights of what is chosen, and which it takes by itself. */
interface Weights {
  readonly weight: string;
  readonly kind: Kind;
  readonly weights: readonly { readonly name: string; readonly unit: string }[];
}

/** What of the stacks is looked at, by the URL, as the server is asked for it; kind: of what the server chooses, where the URL does not say. */
function chosenOf(db: string, threads: Threads | undefined, mode: Mode, kind: Kind | undefined): Chosen {
  // Rows of the scheduler have no stacks.
  const all = (threads?.threads ?? []).flatMap((one) =>
    one.kind === "sched" || !isChosen(one.source) || (kind !== undefined && one.kind !== kind) ? [] : [{ ...one, kind: one.kind }]);
  const shown = kind ?? all[0]?.kind ?? "sample";
  const events = eventsOf(all, shown);
  const event = events.includes(param("event")) ? param("event") : mode === "time" && events.length > 1 ? events[0] ?? "" : "";
  return {
    db, kind: shown, src: param("src"), thr: param("thr"), event,
    from: range.value === undefined ? undefined : String(Math.round(range.value.from)),
    to: range.value === undefined ? undefined : String(Math.round(range.value.to)),
    weight: param("w").replace(/^value:/, ""),
  };
}

const kindOf = (given: string): Kind | undefined => (given === "slice" || given === "sample" ? given : undefined);

const eventsOf = (all: readonly Thread[], kind: Kind): string[] =>
  [...new Set(all.filter((one) => one.kind === kind && isChosen(one.source) && one.event !== null).map((one) => one.event ?? ""))];

const asked = (c: Chosen): Record<string, string | undefined> => ({
  db: c.db, kind: kindOf(param("kind")), src: c.src, thr: c.thr, event: c.event, from: c.from, to: c.to, weight: c.weight || undefined,
  demangle: param("raw") === "1" ? undefined : "1",
});

/** What is chosen of a source means nothing of another one. */
const NO_SELECTION = { thr: undefined, at: undefined, sel: undefined, root: undefined, m: undefined, event: undefined, w: undefined, from: undefined, to: undefined };

export function Flame(): JSX.Element {
  const db = database.value?.name ?? "";
  const src = param("src");
  const threads = useLoad(urlOf("", { db, src }), (signal) => loadThreads({ db, src, signal, px: 800 }));
  // All of them, of which one is chosen.
  const all = useLoad(db, async (signal) => new Set((await loadThreads({ db, signal, px: 0 })).threads.flatMap((one) => (one.kind === "sched" || one.source === null ? [] : [one.source]))));
  const mode = (param("view") || "left") as Mode;
  const given = kindOf(param("kind"));
  const params = { ...asked(chosenOf(db, threads.data, mode, given)), weight: undefined };
  const weights = useLoad(threads.data === undefined ? "" : urlOf("/api/weights", params), (signal) => get<Weights>("/api/weights", params, { signal, what: "adding up stacks" }));
  const error = threads.error ?? weights.error ?? all.error;
  if (error !== undefined) {
    return (
      <div class="flame">
        <div class="bar"><SourceChoice wanted={all.data ?? new Set()} onChange={(next) => setParams({ ...NO_SELECTION, src: next })} /></div>
        <Failure error={error} />
      </div>
    );
  }
  if (threads.data === undefined || weights.data === undefined || all.data === undefined) {
    return <Waiting what="reading threads" />;
  }
  const chosen = chosenOf(db, threads.data, mode, given ?? weights.data.kind);
  return (
    <div class="flame">
      <Controls chosen={chosen} threads={threads.data} weights={weights.data} mode={mode} withStacks={all.data} />
      <Strip chosen={chosen} threads={threads.data} />
      {mode === "time" ? <TimeOrder chosen={chosen} threads={threads.data.threads} />
        : mode === "sandwich" ? <Sandwich chosen={chosen} />
        : mode === "hot" ? <Hot chosen={chosen} />
        : mode === "waits" ? <Waits />
        : <Graph chosen={chosen} />}
    </div>
  );
}

function Strip({ chosen, threads }: { chosen: Chosen; threads: Threads }): JSX.Element | null {
  const axis: Axis | null = chosen.kind === "sample" ? threads.samples : threads.slices;
  const values = useMemo(() => {
    const wanted = new Set(chosen.thr.split(",").filter((t) => t !== ""));
    const sum: number[] = [];
    for (const one of threads.threads) {
      if (one.kind === chosen.kind && isChosen(one.source) && (wanted.size === 0 || wanted.has(String(one.itid)))) {
        one.spark.forEach((v, i) => {
          sum[i] = (sum[i] ?? 0) + v;
        });
      }
    }
    return sum;
  }, [threads, chosen.kind, chosen.src, chosen.thr]);
  return axis === null ? null : <RangeStrip axis={axis} values={values} label="Activity of the chosen threads" />;
}

function Controls({ chosen, threads, weights, mode, withStacks }: { chosen: Chosen; threads: Threads; weights: Weights; mode: Mode; withStacks: ReadonlySet<number> }): JSX.Element {
  const all = threads.threads.filter((one) => one.kind === chosen.kind && isChosen(one.source));
  const kinds = new Set(threads.threads.map((one) => one.kind));
  const events = eventsOf(threads.threads, chosen.kind);
  const weight = chosen.weight || weights.weight;
  const waits = mode === "waits" || threads.threads.some((one) => Object.keys(one.reasons).some((reason) => reason !== "other")) || (database.value?.tables["lock_wait"] ?? 0) > 0;
  const timed = (chosen.kind === "sample" ? threads.samples : threads.slices) !== null;
  const stacks = mode === "left" || mode === "sandwich" || mode === "hot";
  const names = weights.weights.map((one) => [one.name, titleOf(one.name, one.unit, chosen.kind)] as const);
  const choice = names.some(([id]) => id === weight) ? names : [...names, [weight, clean(weight, 40)] as const];
  return (
    <>
    <div class="bar tight">
      <Choice<Mode> label="Order" value={mode} onChange={(v) => setParams({ view: v === "left" ? undefined : v, at: undefined })}
        options={[["time", "Time order", timed ? undefined : "Nothing of this profile has a time"], ["left", "Left heavy"], ["sandwich", "Sandwich"], ["hot", "Hot methods"], ...(waits ? [["waits", "Waiting"] as const] : [])]} />
      {kinds.size > 1 && mode !== "waits" && (
        <select aria-label="What is counted" value={chosen.kind} onChange={(e) => setParams({ kind: e.currentTarget.value, w: undefined, at: undefined, root: undefined, event: undefined })}>
          <option value="sample">Samples</option>
          <option value="slice">Calls</option>
        </select>
      )}
      <SourceChoice wanted={withStacks} onChange={(src) => setParams({ ...NO_SELECTION, src })} />
      {events.length > 1 && mode !== "waits" && (
        <select aria-label="Event" value={chosen.event} onChange={(e) => setParams({ event: e.currentTarget.value, at: undefined })}>
          {mode !== "time" && <option value="">all events</option>}
          {events.map((one) => <option value={one} key={one}>{clean(one, 60)}</option>)}
        </select>
      )}
      {stacks && (
        <select aria-label="Weight" value={weight} onChange={(e) => setParams({ w: e.currentTarget.value })}>
          {choice.map(([id, title]) => <option value={id} key={id}>{title}</option>)}
        </select>
      )}
      {(all.length > 1 || chosen.thr !== "") && <ThreadMenu threads={all} chosen={chosen.thr} single={mode === "time"} />}
      {mode !== "waits" && (
        <label title="Names of C++ and Rust as they were recorded (_Z…, _R…)"><input type="checkbox" checked={param("raw") === "1"} onChange={(e) => setParams({ raw: e.currentTarget.checked ? "1" : undefined })} />raw names</label>
      )}
    </div>
    {mode === "left" && (
      <div class="bar tight filters">
        <Regex name="only" title="Only" hint="Only stacks with a frame like this" />
        <Regex name="ignore" title="Not" hint="Only stacks without a frame like this" />
        <Regex name="hide" title="Hide" hint="Frames like this are taken out of their stacks" />
        <label><input type="checkbox" checked={param("idle") === "1"} onChange={(e) => setParams({ idle: e.currentTarget.checked ? "1" : undefined, at: undefined })} />idle</label>
        <label><input type="checkbox" checked={param("inv") === "1"} disabled={isCompared()} onChange={(e) => setParams({ inv: e.currentTarget.checked ? "1" : undefined, at: undefined, root: undefined })} />inverted</label>
        <label><input type="checkbox" checked={param("table") === "1"} onChange={(e) => setParams({ table: e.currentTarget.checked ? "1" : undefined })} />as table</label>
        <CompareMenu withStacks={withStacks} />
        <SaveMenu chosen={chosen} weight={weight} />
      </div>
    )}
    </>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  cpu: "CPU time", wall: "Elapsed time", waiting: "Waiting", dur: "Time", calls_async: "Asynchronous calls",
};

/** What a weight is called in the list. */
function titleOf(name: string, unit: string, kind: Kind): string {
  const known = name === "samples" && unit === "count" ? (kind === "slice" ? "Calls" : "Samples") : unit === "ns" ? TITLES[name] : undefined;
  return known ?? `${clean(name, 40)}${unit === "" ? "" : `, ${clean(unit, 20)}`}`;
}

function Regex({ name, title, hint }: { name: string; title: string; hint: string }): JSX.Element {
  const [text, setText] = useState(param(name));
  const known = param(name);
  useEffect(() => setText(known), [known]);
  // The server is asked when typing has ended.
  useEffect(() => {
    if (text === param(name)) {
      return undefined;
    }
    waiting.value++;
    const timer = setTimeout(() => setParams({ [name]: text, at: undefined }, true), 250);
    return () => {
      waiting.value--;
      clearTimeout(timer);
    };
  }, [text, known]);
  return (
    <label title={`${hint}; /between slashes/ is a regular expression`}>{title} <input class="short" value={text} spellcheck={false} autocomplete="off" onInput={(e) => setText(e.currentTarget.value)} /></label>
  );
}

export function ThreadMenu({ threads, chosen, single }: { threads: readonly Thread[]; chosen: string; single?: boolean }): JSX.Element {
  const [find, setFind] = useState("");
  const set = new Set(chosen.split(",").filter((t) => t !== ""));
  const byThread = new Map<string, Thread>();
  for (const one of threads) {
    const key = String(one.itid);
    const known = byThread.get(key);
    byThread.set(key, known === undefined ? one : { ...known, count: known.count + one.count, busy: Math.max(known.busy, one.busy) });
  }
  const list = [...byThread.values()].filter((one) => one.itid !== null).sort((a, b) => b.busy - a.busy);
  const pass = matcher(find);
  const shown = list.filter((one) => pass === undefined || pass(`${one.name} ${one.process} ${one.tid ?? ""}`));
  const title = set.size === 0 ? "All threads" : set.size === 1 ? threadLabel(list.find((one) => set.has(String(one.itid))) ?? { name: "", itid: Number(chosen), tid: null, process: "" }) : `${set.size} threads`;
  if (single) {
    return (
      <select aria-label="Thread" value={chosen.split(",")[0] || String(list[0]?.itid ?? "")} onChange={(e) => setParams({ thr: e.currentTarget.value })}>
        {list.map((one) => <option value={String(one.itid)} key={one.key}>{threadLabel(one)}</option>)}
      </select>
    );
  }
  return (
    <details class="menu">
      <summary>{title}</summary>
      <div class="items">
        <input type="search" placeholder="Find a thread" aria-label="Find a thread" value={find} onInput={(e) => setFind(e.currentTarget.value)} />
        <button type="button" class="link" onClick={() => setParams({ thr: undefined })}>all threads</button>
        <div class="list" tabIndex={0} role="group" aria-label="Threads">
          {shown.slice(0, 500).map((one) => (
            <label key={one.key}>
              <input type="checkbox" checked={set.has(String(one.itid))} onChange={(e) => {
                const next = new Set(set);
                if (e.currentTarget.checked) {
                  next.add(String(one.itid));
                } else {
                  next.delete(String(one.itid));
                }
                setParams({ thr: [...next].slice(0, 256).join(",") });
              }} />
              <span title={threadLabel(one)}>{threadLabel(one)}</span><span class="unit">{count(one.count)}</span>
            </label>
          ))}
        </div>
      </div>
    </details>
  );
}

// --- left heavy ---------------------------------------------------------------------------------------------------------

function Graph({ chosen }: { chosen: Chosen }): JSX.Element {
  // The server filters and turns around, over all stacks and not only those that it sends.
  const filter = { only: param("only"), ignore: param("ignore"), hide: param("hide"), idle: param("idle") === "1" ? undefined : "without" };
  const [root, leaf] = param("root").split(",");
  const turned = param("inv") === "1" && !isCompared();
  const params = { ...asked(chosen), root: root || undefined, join: joins() ? "methods" : undefined, ...(turned ? { order: "callers", leaf } : {}), ...filter, ...(isCompared() ? { before_src: param("bsrc"), before_from: param("bfrom"), before_to: param("bto") } : {}) };
  const loaded = useLoad(urlOf("/api/flame", params), (signal) => get<FlameReply>("/api/flame", params, { signal, what: "adding up stacks" }));
  const stacks = useMemo(() => (loaded.data === undefined ? undefined : stacksOf(loaded.data, namesOf(loaded.data.methods), loaded.data.unit, loaded.data.before, param("norm") === "1" ? ratioOf(loaded.data) : 1)), [loaded.data, param("norm")]);
  // Percentages are of all that is chosen, whatever filters and zooms show of it.
  const all = Number(loaded.data?.all?.total ?? 0);
  const q = param("q");
  const search = useMemo(() => matcher(q), [q]);
  const at = param("at");
  const sel = param("sel");
  const focus = useMemo(() => (stacks === undefined ? 0 : nodeAt(stacks, sel)), [stacks, sel]);
  const select = (i: number): void => {
    if (stacks !== undefined && stacks.tree.frame[i] !== REST) {
      setParams({ sel: i > 0 ? placeOf(stacks, i) : undefined }, true);
    }
  };
  const zoom = useMemo(() => (stacks === undefined ? 0 : nodeAt(stacks, at)), [stacks, at]);
  if (loaded.error !== undefined) {
    return <>{root !== "" && <div class="trail"><AllStacks /></div>}<Failure error={loaded.error} /></>;
  }
  if (stacks === undefined) {
    return <Waiting what="adding up stacks" />;
  }
  const open = (i: number): void => {
    const frame = stacks.tree.frame[i] ?? -1;
    if (frame >= 0) {
      setParams({ view: "sandwich", m: String(stacks.names.id[frame]), at: undefined });
    }
  };
  const zoomed = (i: number): void => {
    if (stacks.tree.frame[i] === REST) {
      const parent = stacks.tree.parent[i] ?? 0;
      setParams({ root: parent === 0 ? undefined : placeOf(stacks, parent), at: undefined });
    } else {
      setParams({ at: i === 0 ? undefined : placeOf(stacks, i) });
    }
  };
  const empty = stacks.tree.width(0) === 0;
  return (
    <div class="with-drawer">
      <div class="stage">
        {loaded.data?.before !== undefined && <Compared stacks={stacks} all={all} before={Number(loaded.data.before.all)} />}
        <Trail stacks={stacks} zoom={zoom} all={all} of={titleOf(loaded.data?.weight ?? "", stacks.unit, chosen.kind)} lost={(sel !== "" && focus === 0) || (at !== "" && zoom === 0)} onZoom={zoomed} />
        {empty ? <p class="none big">No stacks in this range and with this filter</p>
          : param("table") === "1" ? <TreeTable stacks={stacks} calls={chosen.kind === "slice"} all={all} search={search} selected={focus} onSelect={select} />
          : <Icicle stacks={stacks} label={`Stacks, ${amount(stacks.tree.total[0], stacks.unit)}: arrow keys and a click choose a frame, Enter and a double click zoom, F shows callers and callees, I turns it around, Escape shows all`}
            search={search} zoom={zoom} whole={all} turned={turned} selected={focus} onZoom={zoomed} onFocus={select} onOpen={open}
            onKey={(key, i) => {
              if (key === "f" && i > 0) {
                open(i);
              } else if (key === "i") {
                setParams({ inv: param("inv") === "1" ? undefined : "1", at: undefined, root: undefined });
              } else {
                return false;
              }
              return true;
            }} />}
      </div>
      {focus > 0 && <FrameDrawer stacks={stacks} i={focus} chosen={chosen} whole={all} turned={turned} onClose={() => select(0)} onOpen={open} onZoom={zoomed} />}
    </div>
  );
}

/** Frames of a method are one, whatever its line, also those of several sources; of very many call paths of one source it would take long. */
const joins = (): boolean => (sources.value ?? []).length > 2 || (database.value?.tables["stack_node"] ?? 0) < 200000;

/** Whether the stacks are compared with those of another source or time. */
const isCompared = (): boolean => param("bsrc") !== "" || param("bfrom") !== "" || param("bto") !== "";

const NO_COMPARISON = { bsrc: undefined, bfrom: undefined, bto: undefined, norm: undefined };

/** Makes the older side as large as the newer one. */
const ratioOf = (reply: FlameReply): number => (Number(reply.before?.all) > 0 && Number(reply.all?.total) > 0 ? Number(reply.all?.total) / Number(reply.before?.all) : 1);

/** The two sides of a difference in words. */
function Compared({ stacks, all, before }: { stacks: Stacks; all: number; before: number }): JSX.Element {
  const older = Number(param("bsrc"));
  const source = param("bsrc") === "" ? "" : sourceTitle(Number.isNaN(older) ? null : older) || clean(param("bsrc"), 80);
  const time = param("bfrom") === "" && param("bto") === "" ? "" : `${duration(Number(param("bfrom")) || extent.value.from)} to ${duration(Number(param("bto")) || extent.value.to)}`;
  const change = all - before;
  return (
    <div class="trail compared">
      <b>{signed(change, amount(change, stacks.unit))}</b>
      <span>{amount(all, stacks.unit)}, before {amount(before, stacks.unit)} ({[source, time].filter((one) => one !== "").join(", ")})</span>
      <span class="grown">more</span><span class="shrunk">less</span>
      <label><input type="checkbox" checked={param("norm") === "1"} onChange={(e) => setParams({ norm: e.currentTarget.checked ? "1" : undefined })} />compare shares</label>
      <button type="button" class="link" onClick={() => setParams({ ...NO_COMPARISON, at: undefined, sel: undefined })}>stop comparing</button>
    </div>
  );
}

/** What the stacks are compared with: another source, or what is chosen now as the older side of what is chosen next. */
function CompareMenu({ withStacks }: { withStacks: ReadonlySet<number> }): JSX.Element {
  const others = choices(withStacks).filter((one) => one.id !== chosenSource.value?.id);
  const now = range.value;
  const menu = useRef<HTMLDetailsElement>(null);
  const choose = (change: Record<string, string | undefined>): void => {
    menu.current?.removeAttribute("open");
    setParams({ ...NO_COMPARISON, at: undefined, root: undefined, inv: undefined, ...change });
  };
  return (
    <details class="menu" ref={menu}>
      <summary>Compare</summary>
      <div class="items">
        {now === undefined ? <p class="lead">Choose a range of time above to compare it with another one.</p> : <>
          <button type="button" class="link" onClick={() => choose({ bfrom: String(Math.round(now.from)), bto: String(Math.round(now.to)), from: undefined, to: undefined })}>take this range as before, then choose another</button>
          <button type="button" class="link" onClick={() => choose({ bfrom: String(Math.round(Math.max(extent.value.from, 2 * now.from - now.to))), bto: String(Math.round(now.from)) })}>with the same time before it</button>
        </>}
        {others.map((one) => <button type="button" class="link" key={one.id} onClick={() => choose({ bsrc: String(one.id) })}>with {one.title}</button>)}
      </div>
    </details>
  );
}

/** Which threads and what time are chosen, in words. */
function chosenText(): string {
  const threads = param("thr").split(",").filter((t) => t !== "").length;
  return `${threads === 0 ? "" : `, ${plural(threads, "thread")}`}${range.value === undefined ? "" : `, ${duration(range.value.from - extent.value.from)} to ${duration(range.value.to - extent.value.from)}`}`;
}

const AllStacks = (): JSX.Element => <button type="button" class="link" onClick={() => setParams({ root: undefined, at: undefined })}>back to all stacks</button>;

interface TrailProps {
  readonly stacks: Stacks;
  readonly zoom: number;
  readonly all: number;
  /** What is counted. */
  readonly of: string;
  /** The chosen frame, or that of the zoom, is not in the graph. */
  readonly lost: boolean;
  readonly onZoom: (i: number) => void;
}

function Trail({ stacks, zoom, all, of, lost, onZoom }: TrailProps): JSX.Element {
  const path: number[] = [];
  for (let i = zoom; i > 0; i = stacks.tree.parent[i] ?? 0) {
    path.unshift(i);
  }
  const cut = path.length > 6 ? [...path.slice(0, 2), -1, ...path.slice(-3)] : path;
  const total = stacks.tree.total[0] ?? 0;
  return (
    <div class="trail">
      <b>{amount(total, stacks.unit)}</b>
      {total !== all && <span>{percent(total, all)} of all</span>}
      <span>percentages are of <b class="base">{amount(all, stacks.unit)}</b>, {of}{param("src") === "" ? "" : ` of ${chosenSource.value?.title ?? ""}`}{chosenText()}</span>
      <span>{count(stacks.tree.n - 1)} call paths</span>
      {stacks.cut && <span>small ones are joined; click a hatched box to see them</span>}
      {lost && <span>the chosen frame is not among these <button type="button" class="link" onClick={() => setParams({ sel: undefined, at: undefined }, true)}>forget it</button></span>}
      {param("root") !== "" && <AllStacks />}
      {path.length > 0 && <nav aria-label="Zoom">
        <button type="button" class="link" onClick={() => onZoom(0)}>all</button>
        {cut.map((i) => (i < 0 ? <span key="cut">› …</span> : <span key={i}>› <button type="button" class="link" onClick={() => onZoom(i)} title={labelOf(stacks, i)}>{labelOf(stacks, i)}</button></span>))}
      </nav>}
    </div>
  );
}

interface FrameDrawerProps {
  readonly stacks: Stacks;
  readonly i: number;
  readonly chosen: Chosen;
  readonly whole: number;
  /** Callers are below what they call. */
  readonly turned: boolean;
  readonly onClose: () => void;
  readonly onOpen: (i: number) => void;
  readonly onZoom: (i: number) => void;
}

function FrameDrawer({ stacks, i, chosen, whole, turned, onClose, onOpen, onZoom }: FrameDrawerProps): JSX.Element {
  const { tree, names } = stacks;
  const frame = tree.frame[i] ?? -1;
  const below = useMemo(() => countsBelow(stacks), [stacks]);
  const total = tree.total[i] ?? 0;
  const up = tree.parent[i] ?? 0;
  const children = [...tree.children.subarray(tree.first[i], tree.first[i + 1])].slice(0, 8);
  return (
    <Drawer title={labelOf(stacks, i)} onClose={onClose}>
      <Facts rows={[
        ...(frame >= 0 && names.where[frame] !== "" ? [["Where", <code>{names.where[frame]}</code>] as const] : []),
        ...(tree.before === null ? [] : [
          ["Before", amount((tree.before[i] ?? 0) * tree.scale, stacks.unit)] as const,
          ["Change", signed(total - (tree.before[i] ?? 0) * tree.scale, amount(total - (tree.before[i] ?? 0) * tree.scale, stacks.unit))] as const,
        ]),
        ["Total", `${amount(total, stacks.unit)}  (${percent(total, whole)})`],
        ["Self", `${amount(tree.self[i], stacks.unit)}  (${percent(tree.self[i] ?? 0, whole)})`],
        // Samples count for all frames above them, a call only for its own.
        chosen.kind === "slice" ? ["Calls", count(stacks.count[i])] : ["Samples", count(below[i])],
        [turned ? "Of callee" : "Of caller", percent(total, tree.total[up] ?? 0)],
        ["Depth", String(tree.depth[i])],
      ]} />
      {frame >= 0 && <div class="actions">
        <button type="button" onClick={() => onZoom(i)}>Zoom in</button>
        <button type="button" onClick={() => onOpen(i)}>Callers and callees</button>
        <button type="button" onClick={() => go("sql", { sql: sqlOf(chosen), run: "1", ...sqlParams(chosen) })}>SQL</button>
      </div>}
      {up > 0 && <section><h3>{turned ? "Calls" : "Called by"}</h3><p class="lead">{labelOf(stacks, up)}</p></section>}
      {children.length > 0 && <section>
        <h3>{turned ? "Called by" : "Calls"}</h3>
        <dl class="shares">
          {children.map((c) => <div key={c}><dt>{labelOf(stacks, c)}</dt><dd>{amount(tree.total[c], stacks.unit)}</dd><dd>{percent(tree.total[c] ?? 0, total)}</dd></div>)}
        </dl>
      </section>}
    </Drawer>
  );
}

/** The statement that gives what the graph shows. */
function sqlOf(chosen: Chosen): string {
  const source = chosen.src === "" ? "" : " AND source_id IN (SELECT value FROM json_each(:source))";
  const threads = chosen.thr === "" ? "" : ` AND itid IN (${chosen.thr.split(",").filter((t) => /^\d+$/.test(t)).join(", ")})`;
  if (chosen.kind === "slice") {
    return `SELECT node_id, count(*) AS count, sum(self_dur) AS ns FROM stack_slice\nWHERE ts >= :from AND ts < :to${source}${threads}\nGROUP BY node_id ORDER BY ns DESC`;
  }
  return `SELECT node_id, count(*) AS count, sum(min(ts + dur, :to) - max(ts, :from)) AS ns FROM stack_sample\nWHERE node_id IS NOT NULL AND dur >= 0 AND ts < :to AND ts + dur > :from${source}${threads}\nGROUP BY node_id ORDER BY ns DESC`;
}

function sqlParams(chosen: Chosen): Record<string, string> {
  const { from, to } = range.value ?? extent.value;
  return { "p.from": String(absolute(from)), "p.to": String(absolute(range.value === undefined ? to + 1 : to)), ...(chosen.src === "" ? {} : { "p.source": chosenJson() ?? "" }) };
}

// --- the tree as a table ------------------------------------------------------------------------------------------------

interface TreeRow {
  readonly i: number;
  readonly depth: number;
  readonly name: string;
  readonly where: string;
  readonly total: number;
  readonly self: number;
  readonly before: number;
  readonly count: number;
}

interface TreeTableProps {
  readonly stacks: Stacks;
  readonly calls: boolean;
  /** What shares are of. */
  readonly all: number;
  readonly search: ((text: string) => boolean) | undefined;
  readonly selected: number;
  readonly onSelect: (i: number) => void;
}

function TreeTable({ stacks, calls, all, search, selected, onSelect }: TreeTableProps): JSX.Element {
  const rows = useMemo(() => {
    const { tree, names } = stacks;
    const below = calls ? stacks.count : countsBelow(stacks);
    const list: TreeRow[] = [];
    const open = [0];
    while (open.length > 0) {
      const i = open.pop() ?? 0;
      const frame = tree.frame[i] ?? -1;
      list.push({ i, depth: tree.depth[i] ?? 0, name: labelOf(stacks, i), where: frame < 0 ? "" : names.where[frame] ?? "", total: tree.total[i] ?? 0, self: tree.self[i] ?? 0, before: (tree.before?.[i] ?? 0) * tree.scale, count: below[i] ?? 0 });
      for (let c = (tree.first[i + 1] ?? 0) - 1; c >= (tree.first[i] ?? 0); c--) {
        open.push(tree.children[c] ?? 0);
      }
    }
    return list;
  }, [stacks]);
  const unit = stacks.unit === "ns" || stacks.unit === "bytes" ? stacks.unit : "count";
  const columns: readonly Column<TreeRow>[] = [
    { id: "name", title: "Method", wide: true, value: (r) => r.name, cell: (r) => <span style={{ paddingLeft: `${Math.min(r.depth, 40) * 12}px` }}>{r.name}</span> },
    { id: "total", title: "Total", unit, digits: 3, width: 120, value: (r) => r.total },
    ...(stacks.tree.before === null ? [] : [
      { id: "before", title: "Before", unit, digits: 3, width: 120, value: (r: TreeRow) => r.before } as const,
      { id: "change", title: "Change", unit, digits: 3, width: 120, signed: true, value: (r: TreeRow) => r.total - r.before } as const,
    ]),
    { id: "share", title: "Share", width: 80, number: true, value: (r) => r.total, cell: (r) => percent(r.total, all) },
    { id: "self", title: "Self", unit, digits: 3, width: 120, value: (r) => r.self },
    { id: "count", title: calls ? "Calls" : "Samples", unit: "count", width: 100, value: (r) => r.count },
    { id: "where", title: "Where", width: 260, value: (r) => r.where, cell: (r) => <span class="unit" title={r.where}>{baseName(r.where)}</span> },
  ];
  const shown = search === undefined ? rows : rows.filter((r) => search(r.name) || search(r.where));
  return <Table label="Stacks as a table" columns={columns} rows={shown} keyOf={(r) => r.i} selected={selected > 0 ? selected : -1} onRow={(r) => onSelect(r.i)} />;
}

// --- methods ------------------------------------------------------------------------------------------------------------

export interface Method {
  readonly id: number;
  readonly name: string;
  readonly where: string;
  readonly self: number;
  readonly total: number;
  readonly count: number;
}

interface HotReply {
  readonly weight: string;
  readonly unit: string;
  /** What shares are of. */
  readonly all: { readonly total: number | string };
  readonly row_count: number;
  readonly method: readonly number[];
  readonly self: readonly (number | string)[];
  readonly total: readonly (number | string)[];
  readonly count: readonly number[];
  readonly methods: MethodsReply;
}

interface Hotlist {
  readonly weight: string;
  readonly whole: number;
  readonly unit: string;
  readonly all: number;
  readonly rows: readonly Method[];
}

function hotOf(reply: HotReply): Hotlist {
  const names = namesOf(reply.methods);
  return {
    weight: reply.weight,
    whole: Number(reply.all.total),
    unit: reply.unit,
    all: reply.row_count,
    rows: reply.method.map((m, i) => ({
      id: m < 0 ? -1 : names.id[m] ?? -1,
      name: m < 0 ? UNKNOWN : names.label[m] ?? "",
      where: m < 0 ? "" : names.where[m] ?? "",
      self: Number(reply.self[i]),
      total: Number(reply.total[i]),
      count: reply.count[i] ?? 0,
    })),
  };
}

function MethodTable({ chosen, selected, narrow }: { chosen: Chosen; selected?: number; narrow?: boolean }): JSX.Element {
  const [limit, setLimit] = useState(200);
  const by = param("sort") === "total" ? "total" : "self";
  const params = { ...asked(chosen), sort: by, limit };
  const loaded = useLoad(urlOf("/api/methods", params), (signal) => get<HotReply>("/api/methods", params, { signal, what: "adding up methods" }));
  const [own, setOwn] = useState<Sort | undefined>();
  const search = matcher(param("q"));
  const hot = useMemo(() => (loaded.data === undefined ? undefined : hotOf(loaded.data)), [loaded.data]);
  if (loaded.error !== undefined) {
    return <Failure error={loaded.error} />;
  }
  if (hot === undefined) {
    return <Waiting what="adding up methods" />;
  }
  const whole = hot.rows.reduce((most, row) => Math.max(most, row.total), 0);
  const unit = hot.unit === "ns" || hot.unit === "bytes" ? hot.unit : "count";
  const in_ = unitFor(whole, hot.unit);
  const columns: readonly Column<Method>[] = [
    { id: "self", title: "Self", unit, digits: 3, width: 110, value: (r) => r.self },
    ...(narrow ? [] : [{ id: "selfshare", title: "Share", width: 70, number: true, value: (r: Method) => r.self, cell: (r: Method) => percent(r.self, hot.whole) } as const]),
    { id: "total", title: "Total", unit, digits: 3, width: 110, value: (r) => r.total },
    ...(narrow ? [] : [{ id: "totalshare", title: "Of all", width: 70, number: true, value: (r: Method) => r.total, cell: (r: Method) => percent(r.total, hot.whole) } as const]),
    ...(narrow ? [] : [{ id: "count", title: chosen.kind === "slice" ? "Calls" : "Samples", unit: "count", width: 100, value: (r: Method) => r.count } as const]),
    { id: "name", title: "Method", wide: true, value: (r) => r.name, cell: (r) => <><span title={r.name}>{r.name}</span>{narrow && r.where !== "" && <span class="unit file">{baseName(r.where)}</span>}</> },
    ...(narrow ? [] : [{ id: "where", title: "Where", width: 360, value: (r: Method) => r.where, cell: (r: Method) => <span class="unit" title={r.where}>{r.where}</span> } as const]),
  ];
  const sort: Sort = own ?? { by, down: true };
  const rows = sorted(search === undefined ? hot.rows : hot.rows.filter((r) => search(r.name) || search(r.where)), columns, sort);
  return (
    <>
      <Table label={`Methods, ${inUnit(whole, in_)} ${in_[1]} in the largest`} columns={columns} rows={rows} sort={sort} keyOf={(r) => r.id} selected={selected}
        onSort={(next) => {
          if ((next.by === "self" || next.by === "total") && next.down) {
            setOwn(undefined);
            setParams({ sort: next.by === "self" ? undefined : next.by }, true);
          } else {
            setOwn(next);
          }
        }}
        onRow={(r) => r.id >= 0 && setParams({ view: "sandwich", m: String(r.id) })}
        onEnd={() => hot.rows.length < hot.all && limit < 10000 && setLimit(Math.min(10000, hot.rows.length * 3))} />
      <p class="count">{count(rows.length)} of {count(hot.all)} methods; percentages are of {amount(hot.whole, hot.unit)}, {titleOf(hot.weight, hot.unit, chosen.kind)}</p>
    </>
  );
}

function Hot({ chosen }: { chosen: Chosen }): JSX.Element {
  return <div class="stage column"><MethodTable chosen={chosen} /></div>;
}

// --- one method with its callers and callees ----------------------------------------------------------------------------

function Sandwich({ chosen }: { chosen: Chosen }): JSX.Element {
  const m = numberParam("m");
  return (
    <div class="sandwich">
      <div class="methods"><MethodTable chosen={chosen} narrow {...(m === undefined ? {} : { selected: m })} /></div>
      {m === undefined ? <p class="none big">Choose a method to see who calls it and what it calls</p> : <Around chosen={chosen} method={m} />}
    </div>
  );
}

function Around({ chosen, method }: { chosen: Chosen; method: number }): JSX.Element {
  const params = { ...asked(chosen), focus: method, limit: 20000 };
  const loaded = useLoad(urlOf("/api/flame", params), (signal) => get<FlameReply>("/api/flame", params, { signal, what: "adding up callers and callees" }));
  const both = useMemo(() => {
    const reply = loaded.data;
    if (reply?.callees === undefined || reply.callers === undefined) {
      return undefined;
    }
    const names = namesOf(reply.methods);
    return { all: Number(reply.all?.total ?? 0), callers: stacksOf(reply.callers, names, reply.unit), callees: stacksOf(reply.callees, names, reply.unit), name: names.label[reply.callees.method[0] ?? -1] ?? "" };
  }, [loaded.data]);
  const q = param("q");
  const search = useMemo(() => matcher(q), [q]);
  if (loaded.error !== undefined) {
    return <Failure error={loaded.error} />;
  }
  if (both === undefined) {
    return <Waiting what="adding up callers and callees" />;
  }
  const open = (stacks: Stacks) => (i: number): void => {
    const frame = stacks.tree.frame[i] ?? -1;
    if (frame >= 0) {
      setParams({ m: String(stacks.names.id[frame]) });
    }
  };
  const keys = (stacks: Stacks) => (key: string, i: number): boolean => {
    if (key === "f") {
      open(stacks)(i);
    }
    return key === "f";
  };
  return (
    <div class="around">
      <h2 title={both.name}><span class="unit">Callers of&nbsp;</span><span class="name">{both.name}</span><span class="unit">&nbsp; {amount(both.callees.tree.total[0], both.callees.unit)} in {chosen.kind === "slice" ? plural(both.callees.count[1] ?? 0, "call") : plural(both.callees.count[0] ?? 0, "sample")}, {percent(both.callees.tree.total[0] ?? 0, both.all)} of {amount(both.all, both.callees.unit)}</span></h2>
      <Icicle up hideRoot whole={both.all} stacks={both.callers} label={`Callers of ${both.name}`} search={search} onOpen={open(both.callers)} onKey={keys(both.callers)} />
      <h2><span class="unit">Callees</span></h2>
      <Icicle hideRoot whole={both.all} stacks={both.callees} label={`Callees of ${both.name}`} search={search} onOpen={open(both.callees)} onKey={keys(both.callees)} />
    </div>
  );
}
