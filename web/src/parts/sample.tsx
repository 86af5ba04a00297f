// Sampling a Java VM of this machine: which one, how long; what comes is opened.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post, type Info } from "../api.ts";
import { clean, duration } from "../format.ts";
import { go, info } from "../state.ts";
import { Failure } from "./frame.tsx";

interface Sampling {
  readonly number: number;
  readonly pid: number;
  readonly name: string;
  readonly seconds: number;
  readonly state: "asked" | "runs" | "done" | "failed";
  readonly elapsed_ms: number;
  readonly db?: string;
  readonly message?: string;
}

interface Jvms {
  readonly jvms: readonly { readonly pid: number; readonly name: string }[];
  readonly samplings: readonly Sampling[];
}

const LOOK_MS = 500;
export const sampleOpen = signal(false);

/** Another sampling goes on: the dialog shows it when it is opened again. */
const isRunning = (one: Sampling): boolean => one.state === "asked" || one.state === "runs";

export function SampleDialog(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [now, setNow] = useState<Jvms | undefined>();
  const [error, setError] = useState<ApiError | undefined>();
  const [pid, setPid] = useState("");
  const [seconds, setSeconds] = useState("30");
  // The one that is looked at: that which was begun here, or which runs.
  const [number, setNumber] = useState<number | undefined>();
  const known = (problem: unknown): void => setError(problem instanceof ApiError ? problem : new ApiError(0, "page", String(problem)));
  const look = async (stop?: AbortSignal): Promise<void> => {
    const next = await get<Jvms>("/api/jvms", {}, { signal: stop, what: "looking for Java VMs" });
    setNow(next);
    setNumber((before) => before ?? next.samplings.find(isRunning)?.number);
  };
  const one = now?.samplings.find((s) => s.number === number);
  useEffect(() => {
    dialog.current?.showModal();
    look().catch(known);
  }, []);
  useEffect(() => {
    if (one === undefined || !isRunning(one)) {
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => look(stop.signal).catch((problem: unknown) => !stop.signal.aborted && known(problem)), LOOK_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [now]);
  const opened = useRef(false);
  useEffect(() => {
    if (one?.state === "done" && one.db !== undefined && !opened.current) {
      opened.current = true;
      const { db } = one;
      get<Info>("/api/info", {}, { what: "opening" }).then((next) => {
        info.value = next;
        dialog.current?.close();
        go("overview", { db, src: "", thr: "", from: "", to: "" });
      }, known);
    }
  }, [one?.state]);
  const jvms = now?.jvms ?? [];
  const chosen = pid || String(jvms[0]?.pid ?? "");
  const begin = (): void => {
    setError(undefined);
    opened.current = false;
    post<{ number: number }>("/api/sample", { pid: chosen, seconds }, { what: "beginning to sample" }).then(async (got) => {
      setNumber(got.number);
      await look();
    }).catch(known);
  };
  const whole = one === undefined ? 1 : one.seconds * 1000;
  return (
    <dialog ref={dialog} class="help sample" onClose={() => (sampleOpen.value = false)} aria-labelledby="sample-title">
      <div class="inner">
        <header>
          <h2 id="sample-title">Sample a Java VM</h2>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()} aria-label="Close">×</button>
        </header>
        <p>Thread dumps and CPU times are taken from outside. Nothing is loaded into the Java VM; it stops for a moment with each dump.</p>
        {error !== undefined && <Failure error={error} />}
        {one !== undefined && isRunning(one) ? (
          <div class="bar" role="status">
            <progress value={Math.min(one.elapsed_ms, whole)} max={whole} aria-label="Time that was sampled" />
            <span>{clean(one.name, 60)} ({one.pid}), {duration(one.elapsed_ms * 1e6)} of {one.seconds} s</span>
            <button type="button" onClick={() => post("/api/sample", { stop: one.number }, { what: "stopping" }).catch(known)}>It is enough</button>
          </div>
        ) : (
          <form class="bar" onSubmit={(e) => {
            e.preventDefault();
            begin();
          }}>
            <label>Java VM <select value={chosen} onChange={(e) => setPid(e.currentTarget.value)} disabled={jvms.length === 0}>
              {jvms.length === 0 && <option value="">{now === undefined ? "looking" : "none of this user runs"}</option>}
              {jvms.map((jvm) => <option value={String(jvm.pid)} key={jvm.pid}>{clean(jvm.name, 60)} ({jvm.pid})</option>)}
            </select></label>
            <label>Seconds <input type="number" class="short" min="1" max="3600" value={seconds} onInput={(e) => setSeconds(e.currentTarget.value)} /></label>
            <button type="submit" class="main" disabled={jvms.length === 0}>Sample</button>
            <button type="button" onClick={() => look().catch(known)}>Look again</button>
          </form>
        )}
        {one?.state === "failed" && <p class="failure" role="alert"><b>{clean(one.name, 60)} ({one.pid}) was not sampled</b> {clean(one.message, 300)}</p>}
      </div>
    </dialog>
  );
}
