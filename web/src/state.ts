// What the page shows, kept in the fragment of its URL: `#/flame?src=1&thr=3,5&from=0&to=9e9`. The fragment is never sent to the server.
import { batch, computed, signal } from "@preact/signals";
import type { Database, Info } from "./api.ts";
import { duration } from "./format.ts";

export type Params = Readonly<Record<string, string>>;

export interface Route {
  readonly view: string;
  readonly params: Params;
}

export const VIEWS = ["overview", "flame", "timeline", "pauses", "heap", "calls", "sql"] as const;

/** Parameters that a change of the view keeps: what is looked at, not how. */
const KEPT = ["db", "src", "thr", "from", "to"];

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text;
  }
};

const encode = (text: string): string =>
  encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd")).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%20/g, "+");

/** The state that a fragment stands for; what is unknown or missing is the overview. */
export function parseFragment(fragment: string): Route {
  const text = fragment.replace(/^#?\/?/, "");
  const mark = text.indexOf("?");
  const name = mark < 0 ? text : text.slice(0, mark);
  const params: Record<string, string> = {};
  if (mark >= 0) {
    for (const part of text.slice(mark + 1).split("&")) {
      const at = part.indexOf("=");
      if (at > 0) {
        params[decode(part.slice(0, at))] = decode(part.slice(at + 1));
      }
    }
  }
  return { view: (VIEWS as readonly string[]).includes(name) ? name : "overview", params };
}

/** The fragment of a state: equal states have equal fragments. */
export function fragmentOf(route: Route): string {
  const parts = Object.entries(route.params)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `#/${route.view}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}

/** The state after a change of view: what is looked at stays. */
export function routeTo(from: Route, view: string, params: Params = {}): Route {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = from.params[name];
    if (value !== undefined) {
      kept[name] = value;
    }
  }
  return { view, params: { ...kept, ...params } };
}

const hasPage = typeof location !== "undefined";

export const route = signal<Route>(parseFragment(hasPage ? location.hash : ""));

function show(next: Route, replace: boolean): void {
  const fragment = fragmentOf(next);
  if (fragment !== location.hash) {
    history[replace ? "replaceState" : "pushState"](null, "", fragment);
  }
  route.value = next;
}

/** Goes to a view. */
export function go(view: string, params: Params = {}): void {
  show(routeTo(route.value, view, params), false);
}

/** Changes parameters of the view; undefined and "" remove one. `replace` makes no step of the history, for dragging. */
export function setParams(change: Readonly<Record<string, string | undefined>>, replace = false): void {
  const params: Record<string, string> = { ...route.value.params };
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") {
      delete params[name];
    } else {
      params[name] = value;
    }
  }
  show({ view: route.value.view, params }, replace);
}

/** A link to a view with what is looked at kept. */
export const linkTo = (view: string, params: Params = {}): string => fragmentOf(routeTo(route.value, view, params));

if (hasPage) {
  addEventListener("popstate", () => {
    route.value = parseFragment(location.hash);
  });
}

/** A parameter of the URL as text. */
export const param = (name: string): string => route.value.params[name] ?? "";

/** A parameter of the URL as a number, undefined when it is missing or none. */
export function numberParam(name: string): number | undefined {
  const text = param(name);
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? undefined : value;
}

// --- what is open ---------------------------------------------------------------------------------------------------

export const info = signal<Info | null>(null);

/** The database that is looked at: that of the URL; the first, when it names none. */
export const database = computed<Database | null>(() => {
  const all = info.value?.databases ?? [];
  const name = route.value.params["db"] ?? "";
  return (name === "" ? all[0] : all.find((one) => one.name === name)) ?? null;
});

/** ns; times of the page are relative to it. */
export const origin = computed<bigint>(() => BigInt(database.value?.origin ?? "0"));

export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The whole recording, relative to the origin. */
export const whole = signal<Extent>({ from: 0, to: 0 });

/** What is looked at as long as no range is chosen: the recording, or what of it the chosen source is. */
export const extent = signal<Extent>({ from: 0, to: 0 });

/** Where the timeline counts from: the beginning of one source, when those of a database are far apart. */
export const zero = signal(0);

/** A moment of the timeline as text. */
export const clock = (t: number): string => duration(t - zero.value);

/** The chosen range, or undefined for everything. */
export const range = computed<Extent | undefined>(() => {
  const from = numberParam("from");
  const to = numberParam("to");
  if (from === undefined && to === undefined) {
    return undefined;
  }
  return { from: from ?? extent.value.from, to: to ?? extent.value.to };
});

/** An absolute time of the database, ns, as time of the page. */
export const relative = (ts: number | string | bigint): number => Number(BigInt(ts) - origin.value);

/** A time of the page as a parameter of SQL; it does not fit a number. */
export const absolute = (ns: number): bigint => BigInt(Math.round(ns)) + origin.value;

// --- dark and light -------------------------------------------------------------------------------------------------

const THEME = "trace_streamer.theme";
export type Theme = "dark" | "light";

const preferred = (): Theme => (typeof matchMedia !== "undefined" && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

function storedTheme(): Theme | undefined {
  try {
    const kept = localStorage.getItem(THEME);
    return kept === "dark" || kept === "light" ? kept : undefined;
  } catch {
    return undefined;
  }
}

export const theme = signal<Theme>(storedTheme() ?? preferred());

export function toggleTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(THEME, theme.value);
  } catch {
    // A browser that keeps nothing for the page changes it all the same.
  }
}

if (typeof matchMedia !== "undefined") {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    batch(() => {
      theme.value = storedTheme() ?? preferred();
    });
  });
}
