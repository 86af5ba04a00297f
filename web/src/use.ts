// Loading for components.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, isCancelled, lastReply, type Derived, type Info } from "./api.ts";
import { count } from "./format.ts";
import { database, info } from "./state.ts";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
}

/**
 * What `load` gives for `key`. When the key changes, the request before is cancelled and its data stays until the new is there. An empty key loads
 * nothing.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { key: string }>({ key: "", data: undefined, error: undefined, loading: key !== "" });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === "") {
      setState({ key, data: undefined, error: undefined, loading: false });
      return undefined;
    }
    const stop = new AbortController();
    const began = performance.now();
    setState((before) => ({ ...before, loading: true }));
    latest.current(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) {
          lastReply.value = `${count(Math.round(performance.now() - began))} ms`;
          setState({ key, data, error: undefined, loading: false });
        }
      },
      (error: unknown) => {
        if (stop.signal.aborted) {
          return;
        }
        const known = error instanceof ApiError ? error : new ApiError(0, isCancelled(error) ? "cancelled" : "page", isCancelled(error) ? "cancelled" : String(error));
        setState({ key, data: undefined, error: known, loading: false });
      },
    );
    return () => stop.abort();
  }, [key]);
  return state.key === key || key === "" ? state : { data: state.data, error: undefined, loading: true };
}

const NOTHING: Derived = { state: "none" };

/** The analysis that the server makes of the database: looked at again until it is made. */
export function useDerived(): Derived {
  const name = database.value?.name ?? "";
  const known = database.value?.derived ?? NOTHING;
  const [now, setNow] = useState<{ name: string; derived: Derived }>({ name, derived: known });
  const derived = now.name === name && known.state === "runs" ? now.derived : known;
  useEffect(() => {
    if (derived.state !== "runs") {
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      get<Info>("/api/info", {}, { signal: stop.signal, what: "looking at the analysis" }).then((next) => {
        const one = next.databases.find((d) => d.name === name);
        if (one?.derived?.state === "runs") {
          setNow({ name, derived: one.derived });
        } else {
          info.value = next; // it has more rows now
        }
      }, () => setNow({ name, derived: { ...derived } }));
    }, 250);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [name, derived]);
  return derived;
}

/** The size of an element's content, as it changes. */
export function useSize<E extends Element>(): [{ current: E | null }, { readonly width: number; readonly height: number }] {
  const ref = useRef<E | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) {
      return undefined;
    }
    const observer = new ResizeObserver((entries) => {
      const box = entries[entries.length - 1]?.contentRect;
      if (box !== undefined) {
        setSize({ width: Math.floor(box.width), height: Math.floor(box.height) });
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
