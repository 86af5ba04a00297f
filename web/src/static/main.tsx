// The page without a server: recordings are dropped or chosen, converted in the browser, and shown by the page of `serve`.
import { signal } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { local, useTransport } from "../api.ts";
import { clean } from "../format.ts";
import { param, setParams, theme } from "../state.ts";
import { askWorkers, fileOf, openFiles } from "./databases.ts";

interface Job {
  readonly id: number;
  readonly name: string;
  readonly what: string;
  readonly progress: number | undefined;
  readonly state: "runs" | "failed" | "lost";
  readonly message: string;
  readonly cancel: () => void;
}

type Page = typeof import("../main.tsx");

const jobs = signal<readonly Job[]>([]);
/** The dialog is shown, over the page once there is one. */
const shown = signal(true);
const over = signal(false);
const together = signal(false);
let page: Promise<Page> | undefined;
let nextJob = 1;

const change = (id: number, by: Partial<Job>): void => {
  jobs.value = jobs.value.map((one) => (one.id === id ? { ...one, ...by } : one));
};
const remove = (id: number): void => {
  jobs.value = jobs.value.filter((one) => one.id !== id);
};

/** Shows what was opened: the page begins with the first. */
async function show(name: string): Promise<void> {
  if (page === undefined) {
    if (param("db") !== "" && param("db") !== name) {
      setParams({ db: undefined, src: undefined, thr: undefined, from: undefined, to: undefined }, true);
    }
    local.value = { open: () => (shown.value = true), save: (db) => void save(db) };
    page = import("../main.tsx");
    await page;
  } else {
    await (await page).openedLocally(name);
  }
}

function openOne(files: readonly File[]): void {
  const id = nextJob++;
  const opening = openFiles(files, false, (what, progress) => change(id, { what, progress }));
  jobs.value = [...jobs.value, { id, name: opening.name, what: "reading", progress: undefined, state: "runs", message: "", cancel: opening.cancel }];
  opening.done.then(
    async (lost) => {
      if (lost.length > 0) {
        change(id, { state: "lost", message: lost.join("\n") });
      } else {
        remove(id);
      }
      shown.value = jobs.value.length > 0;
      await show(opening.name);
    },
    (error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") {
        remove(id);
      } else {
        change(id, { state: "failed", message: error instanceof Error ? error.message : String(error) });
      }
    },
  );
}

function openAll(list: FileList | readonly File[] | null): void {
  const files = [...(list ?? [])];
  if (together.value && files.length > 0) {
    openOne(files);
  } else {
    files.forEach((file) => openOne([file]));
  }
}

function keep(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function save(db: string): Promise<void> {
  const blob = await fileOf(db);
  if (blob !== undefined) {
    keep(blob, db.endsWith(".db") ? db : `${db}.db`);
  }
}

/** Links to exports of the server are answered by the worker. */
async function saveExport(link: HTMLAnchorElement): Promise<void> {
  const reply = await askWorkers(link.getAttribute("href") ?? "", {}, () => undefined);
  const named = /filename="([^"]*)"/.exec(reply.headers.get("Content-Disposition") ?? "")?.[1];
  if (!reply.ok) {
    const { error } = (await reply.json()) as { error: { message: string } };
    jobs.value = [...jobs.value, { id: nextJob++, name: "export", what: "", progress: undefined, state: "failed", message: error.message, cancel: () => undefined }];
    shown.value = true;
    return;
  }
  keep(await reply.blob(), link.download !== "" ? link.download : named ?? "export");
}

// --- what is seen -------------------------------------------------------------------------------------------------------

function JobRow({ job }: { job: Job }): JSX.Element {
  return (
    <li class={job.state}>
      <b title={clean(job.name)}>{clean(job.name, 80)}</b>
      {job.state === "runs" ? <>
        {job.progress === undefined ? <progress aria-label="Working" /> : <progress value={job.progress} max={1} aria-label="Progress" />}
        <span class="what">{clean(job.what, 80)}</span>
        <button type="button" onClick={job.cancel}>Cancel</button>
      </> : <>
        <span class="message" role="alert">{job.state === "lost" ? "not all of it could be read: " : ""}{clean(job.message, 2000)}</span>
        <button type="button" onClick={() => remove(job.id)}>Dismiss</button>
      </>}
    </li>
  );
}

function Opener(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <section class={`opener${over.value ? " over" : ""}`} aria-label="Open recordings">
      <p class="drop">Drop recordings or databases here, or <button type="button" onClick={() => input.current?.click()}>choose files</button></p>
      <input ref={input} type="file" multiple hidden aria-label="Files" onChange={(e) => {
        openAll(e.currentTarget.files);
        e.currentTarget.value = "";
      }} />
      <label><input type="checkbox" checked={together.value} onChange={(e) => (together.value = e.currentTarget.checked)} /> several files become one database</label>
      {jobs.value.length > 0 && <ul class="jobs">{jobs.value.map((job) => <JobRow job={job} key={job.id} />)}</ul>}
      <p class="unit">They are read by this page in your browser, and sent nowhere.</p>
    </section>
  );
}

function Local(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const hasPage = local.value !== undefined;
  useEffect(() => {
    if (shown.value && hasPage) {
      dialog.current?.showModal();
    }
  }, [shown.value, hasPage]);
  if (!shown.value) {
    return null;
  }
  if (!hasPage) {
    return <Opener />;
  }
  return (
    <dialog ref={dialog} class="opening" aria-label="Open recordings" onClose={() => (shown.value = false)}>
      <Opener />
      <p class="end"><button type="button" onClick={() => dialog.current?.close()}>Close</button></p>
    </dialog>
  );
}

function begin(): void {
  useTransport(askWorkers);
  document.documentElement.dataset["theme"] = theme.value;
  render(<Local />, document.getElementById("local") as HTMLElement);
  addEventListener("dragover", (e) => {
    e.preventDefault();
    over.value = true;
  });
  addEventListener("dragleave", (e) => {
    over.value = e.relatedTarget !== null && over.value;
  });
  addEventListener("drop", (e) => {
    e.preventDefault();
    over.value = false;
    if ((e.dataTransfer?.files.length ?? 0) > 0) {
      shown.value = true;
      openAll(e.dataTransfer?.files ?? null);
    }
  });
  addEventListener("click", (e) => {
    const link = e.target instanceof Element ? e.target.closest<HTMLAnchorElement>('a[href^="/api/"]') : null;
    if (link !== null) {
      e.preventDefault();
      void saveExport(link);
    }
  });
}

begin();
