// The SQL console: shipped questions, an editor, parameters as inputs, rows as a table or a chart.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, cellText, isCancelled, query, urlOf, type Cell, type Parameter, type Question, type QuestionParameter, type Rows } from "../api.ts";
import { bytes, clean, count } from "../format.ts";
import { Choice, Failure, rowsText } from "../parts/frame.tsx";
import { makeEditor, type Editor } from "../parts/editor.ts";
import { loadQuestions, loadSchema, type Schema } from "../data.ts";
import { searched } from "../parts/search.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { Chart, type ChartKind } from "../parts/chart.tsx";
import { parametersOf, valueOf, asDelimited, asJson, asMarkdown } from "../parts/sqltext.ts";
import { absolute, database, fragmentOf, param, range, route, setParams, theme } from "../state.ts";
import { useLoad } from "../use.ts";

interface Result {
  readonly rows: Rows | undefined;
  readonly error: ApiError | undefined;
  readonly ms: number;
}

/** What a statement is run with: equal ones have equal rows. */
interface Order {
  readonly key: string;
  readonly db: string;
  readonly sql: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly limit: number;
}

interface Running {
  readonly key: string;
  readonly stop: AbortController;
  readonly rows: number;
}

// Rows and errors by what was run, the newest last: Back finds them again, and they are never shown beside something else.
const results = signal<ReadonlyMap<string, Result>>(new Map());
const running = signal<Running | null>(null);
const KEPT = 8;
const KEPT_ROWS = 500000;

function keep(key: string, result: Result): void {
  const next = new Map(results.value);
  next.delete(key);
  next.set(key, result);
  let rows = [...next.values()].reduce((sum, one) => sum + (one.rows?.rows.length ?? 0), 0);
  for (const [old, one] of next) {
    if (old !== key && (next.size > KEPT || rows > KEPT_ROWS)) {
      next.delete(old);
      rows -= one.rows?.rows.length ?? 0;
    }
  }
  results.value = next;
}

function start(order: Order): void {
  running.value?.stop.abort("replaced");
  const stop = new AbortController();
  const began = performance.now();
  const params: Record<string, Parameter> = Object.fromEntries(order.names.map((name) => [name, valueOf(order.values[name] ?? "")]));
  running.value = { key: order.key, stop, rows: 0 };
  const mine = (): boolean => running.value?.stop === stop;
  query(order.sql, { db: order.db, params, limit: order.limit, signal: stop.signal, what: "running the query", onRows: (rows) => {
    if (mine()) {
      running.value = { key: order.key, stop, rows };
    }
  } })
    .then((rows) => keep(order.key, { rows, error: undefined, ms: performance.now() - began }))
    .catch((problem: unknown) => {
      if (!isCancelled(problem) || stop.signal.reason !== "replaced") {
        const error = problem instanceof ApiError ? problem : new ApiError(0, isCancelled(problem) ? "cancelled" : "page", isCancelled(problem) ? "" : String(problem));
        keep(order.key, { rows: undefined, error, ms: performance.now() - began });
      }
    })
    .finally(() => {
      if (mine()) {
        running.value = null;
      }
    });
}

/** What the URL says is to be run; undefined while the question's text is not there. */
function orderOf(question: Question | undefined): Order | undefined {
  const sql = param("sql") || question?.sql || (param("question") === "" ? FIRST : undefined);
  if (sql === undefined) {
    return undefined;
  }
  const names = parametersOf(sql);
  const values = Object.fromEntries(names.map((name) => [name, param(`p.${name}`)]));
  const limit = Number(param("limit")) || 1000;
  const db = database.value?.name ?? "";
  return { db, sql, names, values, limit, key: JSON.stringify([db, database.value?.etag, sql, values, limit]) };
}

/** What a parameter has without being given: `(default 20)`, as opposed to the words of `(default: all)`. */
function defaultOf(one: QuestionParameter): string | undefined {
  return /\(default ([^\s:,;)]+)/.exec(one.text)?.[1];
}

/** Parameters without which the question that is asked says nothing. */
function neededBy(order: Order | undefined, question: Question | undefined): readonly string[] {
  return question === undefined || order?.sql !== question.sql ? [] : question.parameters.filter((one) => one.required && param(`p.${one.name}`) === "").map((one) => one.name);
}

/** Parameters of a question: what is looked at, else their defaults. */
function filled(question: Question): Record<string, string | undefined> {
  const now = range.value;
  const looked: Readonly<Record<string, string | undefined>> = {
    source: param("src") || undefined, thread: /^\d+$/.test(param("thr")) ? param("thr") : undefined,
    from: now === undefined ? undefined : String(absolute(now.from)), to: now === undefined ? undefined : String(absolute(now.to)),
  };
  const cleared = Object.fromEntries(Object.keys(route.value.params).filter((p) => p.startsWith("p.")).map((p) => [p, undefined]));
  return { ...cleared, ...Object.fromEntries(question.parameters.map((one) => {
    const value = looked[one.name] ?? defaultOf(one);
    return [`p.${one.name}`, value === undefined || /^\d+(\.\d+)?$/.test(value) ? value : `'${value}'`];
  })) };
}

// What was asked of each database stays when another view is looked at in between.
const last = new Map<string, Readonly<Record<string, string>>>();
const ASKED = /^(sql|question|run|limit|as|x|y|sort|hide|tables|p\..*)$/;

/** Of the table and the chart: another statement begins without them. */
const UNSHOWN = { as: undefined, x: undefined, y: undefined, sort: undefined, hide: undefined };

interface Indexed {
  readonly i: number;
  readonly cells: readonly Cell[];
}

const FIRST = "SELECT * FROM source";

function shown(cell: Cell | undefined): JSX.Element | string {
  if (cell === null || cell === undefined) {
    return <span class="null">NULL</span>;
  }
  if (typeof cell === "object") {
    return "base64" in cell ? <span class="null">{bytes(Math.floor((cell.base64.replace(/=+$/, "").length * 3) / 4))} of binary data</span> : `${clean(cell.text, 400)} (${bytes(cell.bytes)})`;
  }
  return typeof cell === "number" ? String(cell) : clean(cell, 400);
}

const isNumber = (rows: Rows, k: number): boolean => rows.rows.length > 0 && rows.rows.slice(0, 200).every((row) => row[k] === null || typeof row[k] === "number" || (rows.types[k] === "INTEGER" && typeof row[k] === "string"));

export function Sql(): JSX.Element {
  const db = database.value?.name ?? "";
  const schema = useLoad(db, (stop) => loadSchema({ db, signal: stop }));
  const questions = useLoad(db, (stop) => loadQuestions({ db, signal: stop }));
  const chosen = questions.data?.find((one) => one.name === param("question"));
  const order = orderOf(chosen);
  const text = order?.sql ?? "";
  // What the editor has; the URL has it too, a moment later. Only what comes from elsewhere is given to the editor.
  const typed = useRef(text);
  const [given, setGiven] = useState({ n: 0, text });
  if (typed.current !== text) {
    typed.current = text;
    setGiven({ n: given.n + 1, text });
  }
  useEffect(() => {
    const before = last.get(db);
    if (param("sql") === "" && param("question") === "" && before !== undefined) {
      setParams(before, true);
    }
  }, []);
  useEffect(() => {
    const asked = Object.fromEntries(Object.entries(route.value.params).filter(([name]) => ASKED.test(name)));
    if (route.value.view === "sql" && (asked["sql"] ?? asked["question"]) !== undefined) {
      last.set(db, asked);
    }
  }, [route.value]);
  const side = param("tables") === "1";
  const wanted = param("run") === "1";
  const result = order === undefined ? undefined : results.value.get(order.key);
  const now = running.value !== null && running.value.key === order?.key ? running.value : null;
  const needed = neededBy(order, chosen);

  // The first change after a run is a step of the history, so that Back finds what was run.
  const change = (next: Readonly<Record<string, string | undefined>>): void => setParams({ ...next, run: undefined }, !wanted);
  const onText = (next: string): void => {
    const kept = next || " "; // the URL has no empty ones
    if (kept !== typed.current) {
      typed.current = kept;
      change({ sql: kept, question: undefined });
    }
  };
  const run = (): void => {
    const latest = orderOf(chosen); // what was typed since this was drawn, too
    if (latest !== undefined && neededBy(latest, chosen).length === 0) {
      setParams({ run: "1" }, true);
      start(latest);
    }
  };
  // A link runs what it holds, and so does Back when the rows are not kept any more.
  useEffect(() => {
    if (order !== undefined && wanted && needed.length === 0 && result === undefined && running.value?.key !== order.key) {
      start(order);
    }
  }, [order?.key, wanted, needed.length]);
  useEffect(() => {
    if (order !== undefined && running.value !== null && running.value.key !== order.key) {
      running.value.stop.abort("replaced");
      running.value = null;
    }
  }, [order?.key]);

  return (
    <div class="sql">
      <div class={side ? "console with-side" : "console"}>
        <div class="bar">
          <QuestionMenu questions={questions.data ?? []} value={param("question")} onChoose={(one) => setParams({ ...UNSHOWN, ...filled(one), question: one.name, sql: undefined, run: "1" })} />
          <button type="button" aria-pressed={side} onClick={() => setParams({ tables: side ? undefined : "1" }, true)}>Tables</button>
          <span class="gap" />
          <label>Limit <input type="number" class="short" min="1" max="1000000" value={order?.limit ?? 1000} onChange={(e) => change({ limit: e.currentTarget.value === "1000" ? undefined : e.currentTarget.value })} /></label>
          {now === null ? <button type="button" class="main" onClick={run} disabled={needed.length > 0} title="Ctrl+Enter">Run</button> : <button type="button" onClick={() => now.stop.abort()}>Cancel</button>}
        </div>
        {chosen !== undefined && <p class="lead">{clean(chosen.question.replace(/\n/g, " "), 600)}</p>}
        <EditorBox given={given} schema={schema.data} onText={onText} onRun={run} error={result?.error} />
        {order !== undefined && order.names.length > 0 && (
          <div class="parameters">
            {order.names.map((name) => {
              const known = chosen?.parameters.find((one) => one.name === name);
              return (
                <label key={name} title={known?.text}>
                  <code>:{name}</code>
                  <input value={param(`p.${name}`)} placeholder={known?.fallback ?? "NULL"} spellcheck={false} autocomplete="off"
                    onInput={(e) => change({ [`p.${name}`]: e.currentTarget.value })}
                    onKeyDown={(e) => e.key === "Enter" && run()} />
                  {known !== undefined && <span class="lead">{clean(known.text, 90)}</span>}
                </label>
              );
            })}
          </div>
        )}
        {needed.length > 0 && <p class="lead" role="status">The question needs a value of {needed.map((name) => `:${name}`).join(" and ")}</p>}
        {result?.error !== undefined && <Failure error={result.error} />}
        {now !== null && <p class="waiting" role="status">running{now.rows > 0 ? `, ${rowsText(Math.max(0, now.rows - 1))} so far` : ""}</p>}
        {order !== undefined && result?.rows !== undefined && <ResultBox rows={result.rows} ms={result.ms} order={order} key={order.key} />}
        {result === undefined && now === null && needed.length === 0 && <p class="none">Ctrl+Enter runs the statement</p>}
      </div>
      {side && <SchemaSide schema={schema.data} onPick={(name) => setParams({ ...UNSHOWN, sql: `SELECT * FROM ${name}`, question: undefined, run: undefined })} />}
    </div>
  );
}

function QuestionMenu({ questions, value, onChoose }: { questions: readonly Question[]; value: string; onChoose: (one: Question) => void }): JSX.Element {
  const topics = [...new Set(questions.map((one) => one.topic))];
  return (
    <select aria-label="Questions" class="questions" value={value} onChange={(e) => {
      const one = questions.find((q) => q.name === e.currentTarget.value);
      if (one !== undefined) {
        onChoose(one);
      }
    }}>
      <option value="">Questions…</option>
      {topics.map((topic) => (
        <optgroup label={clean(topic, 60)} key={topic}>
          {questions.filter((one) => one.topic === topic).map((one) => (
            <option value={one.name} key={one.name} disabled={!one.fits} title={one.fits ? undefined : "This database has no rows for it"}>{clean(one.question.split("\n", 1)[0], 90)}</option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

interface EditorProps {
  readonly given: { readonly n: number; readonly text: string };
  readonly schema: Schema | undefined;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  readonly error: ApiError | undefined;
}

function EditorBox({ given, schema, onText, onRun, error }: EditorProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const latest = useRef({ onText, onRun });
  latest.current = { onText, onRun };
  useEffect(() => {
    const host = place.current;
    if (host === null) {
      return undefined;
    }
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    editor.current = makeEditor(root, given.text, { onText: (t) => latest.current.onText(t), onRun: () => latest.current.onRun() });
    return () => editor.current?.destroy();
  }, []);
  useEffect(() => editor.current?.setText(given.text), [given.n]);
  useEffect(() => editor.current?.setSchema(schema), [schema]);
  useEffect(() => editor.current?.setTheme(theme.value), [theme.value]);
  useEffect(() => editor.current?.setError(error?.offset), [error]);
  return <div class="editor" ref={place} />;
}

function SchemaSide({ schema, onPick }: { schema: Schema | undefined; onPick: (table: string) => void }): JSX.Element {
  const pass = searched();
  const tables = database.value?.tables ?? {};
  const list = (schema?.tables ?? []).filter((one) => pass === undefined || pass(one.name) || one.columns.some((c) => pass(c.name)));
  const order = [...list].sort((a, b) => Number((tables[b.name] ?? 0) > 0) - Number((tables[a.name] ?? 0) > 0));
  return (
    <aside class="drawer" aria-label="Tables">
      <header><h2>Tables</h2></header>
      <div class="body" tabIndex={0} role="region" aria-label="List of tables">
        {order.map((one) => (
          <details key={one.name}>
            <summary><code>{one.name}</code><span class="unit">{tables[one.name] === undefined ? "" : count(tables[one.name])}</span></summary>
            <p class="lead">{clean(one.description, 600)}</p>
            <button type="button" class="link" onClick={() => onPick(one.name)}>Show rows</button>
            <dl class="columns">
              {one.columns.map((c) => <div key={c.name}><dt><code>{c.name}</code> <span class="unit">{[c.type, c.unit].filter((t) => t !== "").join(", ")}</span></dt><dd>{clean(c.description, 400)}</dd></div>)}
            </dl>
          </details>
        ))}
      </div>
    </aside>
  );
}

function ResultBox({ rows, ms, order }: { rows: Rows; ms: number; order: Order }): JSX.Element {
  const { db, limit, names } = order;
  // Where the table is sorted by: a column's number, with "-" before it when the largest come first.
  const sort: Sort = { by: param("sort").replace("-", ""), down: param("sort").startsWith("-") };
  const setSort = (next: Sort): void => setParams({ sort: `${next.down ? "-" : ""}${next.by}` }, true);
  const hide = param("hide");
  const hidden = useMemo<ReadonlySet<number>>(() => new Set(hide === "" ? [] : hide.split(",").map(Number)), [hide]);
  const setHidden = (next: ReadonlySet<number>): void => setParams({ hide: [...next].join(",") }, true);
  const [note, setNote] = useState("");
  const as = (param("as") || "table") as "table" | ChartKind;
  const numbers = useMemo(() => rows.columns.map((_, k) => isNumber(rows, k)), [rows]);
  const columns = useMemo<readonly Column<Indexed>[]>(
    () => rows.columns.map((name, k) => ({
      id: String(k),
      title: clean(name, 80) || " ",
      value: (r: Indexed) => {
        const cell = r.cells[k];
        return cell === null || cell === undefined ? null : numbers[k] ? Number(cell) : cellText(cell);
      },
      number: numbers[k] ?? false,
      cell: (r: Indexed) => (numbers[k] ? shown(r.cells[k]) : <span title={cellText(r.cells[k]).length > 60 ? clean(cellText(r.cells[k])) : undefined}>{shown(r.cells[k])}</span>),
    })).filter((_, k) => !hidden.has(k)),
    [rows, numbers, hidden],
  );
  const pass = searched();
  const list = useMemo(() => rows.rows.map((cells, i): Indexed => ({ i, cells })).filter((r) => pass === undefined || r.cells.some((c) => pass(cellText(c)))), [rows, param("q")]);
  const ordered = useMemo(() => sorted(list, columns, sort), [list, columns, param("sort")]);
  const copy = (what: string, make: (columns: readonly string[], cells: readonly (readonly Cell[])[]) => string): void => {
    const kept = rows.columns.map((_, k) => k).filter((k) => !hidden.has(k));
    const textOf = make(kept.map((k) => rows.columns[k] ?? ""), ordered.map((r) => kept.map((k) => r.cells[k] ?? null)));
    navigator.clipboard.writeText(textOf).then(() => setNote(`${rowsText(ordered.length)} copied as ${what}`), () => setNote("the browser did not let the page copy"));
  };
  const exported = (format: string): string => {
    const params: Record<string, string> = { db, sql: order.sql, format };
    for (const name of names) {
      params[`p.${name}`] = order.values[name] ?? "";
    }
    return urlOf("/api/export", params);
  };
  return (
    <>
      <div class="bar result">
        <span class="figures" role="status">
          {rowsText(rows.row_count)} in {(ms / 1000).toFixed(2)} s{rows.truncated ? <b class="bad"> limit of {count(limit)} reached</b> : null}
        </span>
        <Choice label="Show as" value={as} onChange={(v) => setParams({ as: v === "table" ? undefined : v })} options={[["table", "Table"], ["line", "Line"], ["bar", "Bar"], ["scatter", "Scatter"]]} />
        <span class="gap" />
        {hidden.size > 0 && <button type="button" class="link" onClick={() => setHidden(new Set())}>show {hidden.size} hidden</button>}
        <select aria-label="Copy" value="" onChange={(e) => {
          const ways: Record<string, () => void> = {
            TSV: () => copy("TSV", (c, r) => asDelimited(c, r, "\t")),
            CSV: () => copy("CSV", (c, r) => asDelimited(c, r, ",")),
            JSON: () => copy("JSON", asJson),
            Markdown: () => copy("Markdown", asMarkdown),
            link: () => {
              navigator.clipboard.writeText(`${location.origin}${location.pathname}${fragmentOf(route.value)}`).then(() => setNote("link copied"), () => setNote("the browser did not let the page copy"));
            },
          };
          ways[e.currentTarget.value]?.();
          e.currentTarget.value = "";
        }}>
          <option value="">Copy…</option>
          <option value="TSV">as TSV</option>
          <option value="CSV">as CSV</option>
          <option value="JSON">as JSON</option>
          <option value="Markdown">as Markdown</option>
          <option value="link">link to this query</option>
        </select>
        <a class="button" href={exported("csv")} download>CSV</a>
        <a class="button" href={exported("json")} download>JSON</a>
        <a class="button" href={exported("md")} download>Markdown</a>
        <span class="note" role="status">{note}</span>
      </div>
      {as === "table" ? (
        <Table label="Result" columns={columns} rows={ordered} sort={sort} onSort={setSort} keyOf={(r) => r.i} empty="No rows" />
      ) : <Chart kind={as} rows={rows} />}
      {as === "table" && rows.columns.length > 1 && (
        <details class="hide"><summary>Columns</summary>
          {rows.columns.map((name, k) => <label key={k}><input type="checkbox" checked={!hidden.has(k)} onChange={() => {
            const next = new Set(hidden);
            if (!next.delete(k)) {
              next.add(k);
            }
            setHidden(next);
          }} /> {clean(name, 60)}</label>)}
        </details>
      )}
    </>
  );
}
