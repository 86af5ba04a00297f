import { batch, effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, cellNumber, get, lastReply, local, look, operations, query, records, waiting, type Info } from "./api.ts";
import { clean, count } from "./format.ts";
import { defects, Failure, QUALITY, Strip, text } from "./parts/frame.tsx";
import { Help } from "./parts/help.tsx";
import { loadSources, lookAtChosen, sources } from "./parts/sources.ts";
import { SampleDialog, sampleOpen } from "./parts/sample.tsx";
import { database, info, linkTo, param, relative, route, setParams, theme, toggleTheme, go, whole } from "./state.ts";
import { Overview } from "./views/overview.tsx";
import { nextMatch } from "./parts/search.ts";
import { COUNTERS } from "./data.ts";

interface Tab {
  readonly view: string;
  readonly title: string;
  readonly key: string;
  readonly tables: readonly string[];
  readonly what: string;
}

const TABS: readonly Tab[] = [
  { view: "overview", title: "Overview", key: "o", tables: [], what: "" },
  { view: "flame", title: "Flame", key: "f", tables: ["stack_sample", "stack_slice"], what: "stacks (samples or slices)" },
  { view: "timeline", title: "Timeline", key: "t", tables: ["stack_sample", "stack_slice", "timeseries_value", "runtime_pause", "sched_slice", "thread_state", "callstack", "irq", "instant", "log", "hisys_all_event", ...COUNTERS], what: "samples, slices, states, counters, logs or pauses" },
  { view: "pauses", title: "Pauses", key: "p", tables: ["runtime_pause", "cloud_suspend", "chrome_slice"], what: "pauses" },
  { view: "heap", title: "Heap", key: "h", tables: ["js_heap_files", "js_heap_nodes"], what: "heap snapshots" },
  { view: "calls", title: "Calls", key: "c", tables: ["cloud_call"], what: "calls" },
  { view: "sql", title: "SQL", key: "s", tables: [], what: "" },
];

const failure = signal<ApiError | null>(null);
const helpOpen = signal(false);
/** What became of the database that is looked at. */
const changed = signal<"" | "replaced" | "gone" | "silent">("");

/** Why a view has nothing to show, or undefined. */
function missing(tab: Tab): string | undefined {
  const tables = database.value?.tables ?? {};
  return tab.tables.length === 0 || tab.tables.some((name) => (tables[name] ?? 0) > 0) ? undefined : `This database has no ${tab.what}`;
}

type View = () => JSX.Element;
const views: Record<string, View> = { overview: Overview };
// Views that few users open are loaded when they are opened.
const later: Record<string, () => Promise<View>> = {
  flame: async () => (await import("./views/flame.tsx")).Flame,
  timeline: async () => (await import("./views/timeline.tsx")).Timeline,
  pauses: async () => (await import("./views/pauses.tsx")).Pauses,
  heap: async () => (await import("./views/heap.tsx")).Heap,
  calls: async () => (await import("./views/calls.tsx")).Calls,
  sql: async () => (await import("./views/sql.tsx")).Sql,
};

function Current(): JSX.Element {
  const name = route.value.view;
  const [, loaded] = useState(0);
  const View = views[name];
  useEffect(() => {
    const load = later[name];
    if (views[name] === undefined && load !== undefined) {
      load().then(
        (view) => {
          views[name] = view;
          loaded((n) => n + 1);
        },
        (error: unknown) => {
          failure.value = new ApiError(0, "page", `a part of the page did not come: ${String(error)}`);
        },
      );
    }
  }, [name]);
  const tab = TABS.find((one) => one.view === name);
  const reason = tab === undefined ? undefined : missing(tab);
  if (reason !== undefined) {
    return <p class="none big">{reason}. <a href={linkTo("overview")}>What it has</a></p>;
  }
  // Views ask whether something is of the chosen source.
  const ready = param("src") === "" || sources.value !== undefined;
  return View === undefined || !ready ? <p class="waiting">loading</p> : <View key={`${name} ${database.value?.name ?? ""}`} />;
}

function Search(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const onKey = (e: KeyboardEvent): void => {
    if (e.key === "Enter") {
      nextMatch.value = { step: e.shiftKey ? -1 : 1, n: nextMatch.value.n + 1 };
    } else if (e.key === "Escape") {
      setParams({ q: undefined }, true);
      input.current?.blur();
      e.stopPropagation();
    }
  };
  return (
    <input
      id="search"
      type="search"
      ref={input}
      placeholder="Search  /"
      aria-label="Search in this view"
      autocomplete="off"
      spellcheck={false}
      value={param("q")}
      onInput={(e) => setParams({ q: e.currentTarget.value }, true)}
      onKeyDown={onKey}
    />
  );
}

function Header(): JSX.Element {
  const names = info.value?.databases ?? [];
  return (
    <header class="top">
      <a class="brand" href={linkTo("overview")}>trace_streamer</a>
      {names.length > 1 || (database.value === null && names.length > 0) ? (
        <select aria-label="Database" value={database.value?.name ?? param("db")} onChange={(e) => choose(e.currentTarget.value)}>
          {database.value === null && <option value={param("db")}>{clean(param("db"), 60)}</option>}
          {names.map((one) => <option value={one.name} key={one.name} disabled={one.etag === ""}>{clean(one.name)}{one.etag === "" ? " (not there)" : ""}</option>)}
        </select>
      ) : <span class="database" title={clean(database.value?.name)}>{clean(database.value?.name)}</span>}
      <nav aria-label="Views">
        {TABS.map((tab) => {
          const reason = missing(tab);
          return reason === undefined ? (
            <a key={tab.view} href={linkTo(tab.view)} aria-current={route.value.view === tab.view ? "page" : undefined} onClick={(e) => {
              if (!e.ctrlKey && !e.metaKey && !e.shiftKey) {
                e.preventDefault();
                go(tab.view);
              }
            }}>{tab.title}</a>
          ) : <span key={tab.view} class="off" role="link" aria-disabled="true" title={reason} tabIndex={0}>{tab.title}</span>;
        })}
      </nav>
      <Search />
      {local.value !== undefined && <button type="button" onClick={local.value.open}>Open…</button>}
      {local.value !== undefined && database.value !== null && <button type="button" onClick={() => local.value?.save(database.value?.name ?? "")}>Download database</button>}
      <button type="button" class="quiet" onClick={() => (helpOpen.value = true)} aria-label="Help: keys and links" title="Help (?)">?</button>
    </header>
  );
}

function Status(): JSX.Element {
  const running = operations.value;
  const first = running[0];
  return (
    <footer class="status">
      <div class="left" aria-live="polite">
        {first === undefined ? <span class="last">{lastReply.value}</span> : (
          <span class="running" key={first.id}>
            {first.progress === undefined ? <progress aria-label="Working" /> : <progress value={first.progress} max={1} aria-label="Progress" />}
            <span>{clean(first.what)}{first.progress === undefined ? "" : ` ${Math.round(100 * first.progress)} %`}</span>
            <button type="button" onClick={() => running.forEach((one) => one.cancel())}>Cancel</button>
          </span>
        )}
      </div>
      <span id="status-note" class="note" />
      {info.value?.sampling === true && <button type="button" class="quiet" onClick={() => (sampleOpen.value = true)} title="Record a program that runs on this machine">Sample a JVM</button>}
      <span>{info.value === null ? "" : clean(info.value.version)}</span>
      <button type="button" class="quiet" onClick={toggleTheme}>{theme.value === "dark" ? "Light" : "Dark"}</button>
    </footer>
  );
}

/** Links to the databases that can be looked at. */
function Others({ but }: { but: string }): JSX.Element {
  const others = (info.value?.databases ?? []).filter((one) => one.name !== but && one.etag !== "");
  return <>{others.map((one) => <button type="button" key={one.name} onClick={() => choose(one.name)}>{clean(one.name, 60)}</button>)}</>;
}

/** Another database: nothing of what was chosen in the one before means anything in it. */
function choose(db: string): void {
  go(route.value.view, { db, src: "", thr: "", from: "", to: "" });
}

function Changed(): JSX.Element | null {
  const name = database.value?.name ?? "";
  return changed.value === "" ? null : (
    <div class="strip changed" role="status">
      <span class="mark" aria-hidden="true">!</span>
      {changed.value === "silent" ? <b>The server does not answer</b> : changed.value === "replaced" ? <>
        <b>The database was replaced</b>
        <button type="button" onClick={() => location.reload()}>Show the new one</button>
      </> : <>
        <b>The database {clean(name, 60)} is not there any more</b>
        <Others but={name} />
      </>}
    </div>
  );
}

/** The URL names a database that the server has not. */
function NoDatabase(): JSX.Element {
  return (
    <div class="none big">
      <p role="alert">There is no database {clean(param("db"), 100)}. These are open:</p>
      <p class="choices"><Others but="" /></p>
    </div>
  );
}

function App(): JSX.Element {
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  }, [theme.value]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => {
        e.preventDefault();
        document.getElementById("main")?.focus();
      }}>Skip to the view</a>
      <Header />
      <Changed />
      <Strip href={linkTo("overview", { show: "missing" })} />
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{TABS.find((one) => one.view === route.value.view)?.title}</h1>
        {failure.value !== null ? <Failure error={failure.value} /> : info.value === null ? <p class="waiting">loading</p> : database.value === null ? <NoDatabase /> : <Current />}
      </main>
      <Status />
      {sampleOpen.value && <SampleDialog />}
      {helpOpen.value && <Help onClose={() => (helpOpen.value = false)} />}
    </>
  );
}

// --- keys of the whole page -------------------------------------------------------------------------------------------

let gAt = -1e9;

function onKey(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.classList.contains("editor")) {
    return;
  }
  const tab = performance.now() - gAt < 1500 ? TABS.find((one) => one.key === e.key) : undefined;
  if (tab !== undefined) {
    gAt = -1e9;
    if (missing(tab) === undefined) {
      go(tab.view);
    }
  } else if (e.key === "g") {
    gAt = performance.now();
  } else if (e.key === "/") {
    document.getElementById("search")?.focus();
  } else if (e.key === "?") {
    helpOpen.value = true;
  } else {
    return;
  }
  e.preventDefault();
}

// --- begin --------------------------------------------------------------------------------------------------------------

async function openDatabase(name: string): Promise<void> {
  const [range, quality, named] = await Promise.all([
    query("SELECT start_ts, end_ts FROM trace_range LIMIT 1", { db: name, what: "opening" }),
    records(QUALITY, { db: name, what: "reading what is missing" }).catch((error: unknown) => (error instanceof ApiError ? error : new ApiError(0, "page", String(error)))),
    loadSources(name),
  ]);
  const row = range.rows[0];
  const from = row?.[0];
  const to = row?.[1];
  const known = from !== undefined && from !== null && to !== undefined && to !== null && typeof from !== "object" && typeof to !== "object";
  batch(() => {
    whole.value = known ? { from: relative(from), to: relative(to) } : { from: 0, to: 0 };
    sources.value = named;
  });
  defects.value = quality instanceof ApiError ? quality : quality.map((one) => ({
    severity: text(one["severity"]),
    what: text(one["what"]),
    count: cellNumber(one["count"]),
    path: text(one["path"]),
    recording: text(one["recording"]),
    message: text(one["message"]),
    kind: text(one["kind"]),
    source: one["source_id"] === null || one["source_id"] === undefined ? null : cellNumber(one["source_id"]),
    offset: text(one["offset"]),
  }));
}

/** The databases are looked at again: one was opened, which is shown then. */
export async function openedLocally(name: string): Promise<void> {
  info.value = await get<Info>("/api/info", {}, { what: "opening" });
  go("overview", { db: name, src: "", thr: "", from: "", to: "" });
}

/** How often it is looked whether the databases are still those. */
const LOOK_MS = 1500;
let looking = false;
let seenLast = "";

// A database that another run replaced has another identity; one that is gone has none.
async function lookAgain(): Promise<void> {
  const before = database.value;
  if (document.visibilityState !== "visible" || info.value === null || looking) {
    return;
  }
  looking = true;
  const now = await look(true);
  const seen = now === undefined ? "" : JSON.stringify(now.databases);
  const anew = now !== undefined && seenLast !== "" && seen !== seenLast ? await look(false) : undefined;
  looking = false;
  if (database.value !== before) {
    return;
  }
  if (now === undefined) {
    changed.value = "silent";
    return;
  }
  seenLast = seen;
  const mine = before === null ? undefined : now.databases.find((one) => one.name === before.name);
  changed.value = before === null ? "" : mine === undefined || mine.etag === "" ? "gone" : mine.etag !== before.etag && before.etag !== "" ? "replaced" : "";
  if (anew !== undefined) { // what is looked at stays as it was read; the others are what they are now
    info.value = { ...anew, databases: anew.databases.map((one) => (one.name === before?.name ? before : one)) };
  }
}

function show(): void {
  const place = document.getElementById("app") as HTMLElement;
  place.replaceChildren(); // what is shown before the script runs
  render(<App />, place);
}

async function begin(): Promise<void> {
  // Comes while the server is asked; a failure is said when the view is shown.
  void later[route.value.view]?.().catch(() => undefined);
  effect(() => {
    document.documentElement.toggleAttribute("data-busy", operations.value.length > 0 || waiting.value > 0);
  });
  effect(lookAtChosen);
  document.documentElement.dataset["theme"] = theme.value;
  addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", () => void lookAgain());
  setInterval(() => void lookAgain(), LOOK_MS);
  try {
    const got = await get<Info>("/api/info", {}, { what: "opening" });
    info.value = got;
    show();
    let open = "";
    database.subscribe((db) => {
      if (db !== null && db.name !== open) {
        open = db.name;
        changed.value = "";
        defects.value = undefined;
        sources.value = undefined;
        document.title = `${clean(db.name, 80)} – trace_streamer`;
        openDatabase(db.name).catch((error: unknown) => {
          failure.value = error instanceof ApiError ? error : new ApiError(0, "page", String(error));
        });
      }
    });
    if (got.databases.length === 0) {
      failure.value = new ApiError(0, "page", "the server has no database");
    }
  } catch (error) {
    failure.value = error instanceof ApiError ? error : new ApiError(0, "page", String(error));
    show();
  }
  lastReply.value = count(Math.round(performance.now())) + " ms";
}

void begin();
