// The SQL console: shipped questions, an editor, parameters as inputs, rows as a table or a chart.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, cellText, isCancelled, query, urlOf, type Cell, type Parameter, type Question, type Rows } from "../api.ts";
import { bytes, clean, count } from "../format.ts";
import { Choice, Failure, rowsText } from "../parts/frame.tsx";
import { makeEditor, type Editor } from "../parts/editor.ts";
import { loadQuestions, loadSchema, type Schema } from "../data.ts";
import { searched } from "../parts/search.ts";
import { Table, sorted, type Column, type Sort } from "../parts/table.tsx";
import { Chart, type ChartKind } from "../parts/chart.tsx";
import { parametersOf, valueOf, asDelimited, asJson, asMarkdown } from "../parts/sqltext.ts";
import { database, fragmentOf, param, route, setParams, theme } from "../state.ts";
import { useLoad } from "../use.ts";

interface Result {
  readonly rows: Rows;
  readonly ms: number;
  readonly sql: string;
}

// What was run last stays when another view is looked at in between.
const results = signal<Readonly<Record<string, Result>>>({});

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
  const [text, setText] = useState(() => param("sql") || (param("question") === "" ? FIRST : ""));
  // What the editor is given; what it gives back is never given to it again, because more may have been typed since.
  const [given, setGiven] = useState({ n: 0, text });
  const give = (next: string): void => {
    setText(next);
    setGiven((now) => ({ n: now.n + 1, text: next }));
  };
  const [running, setRunning] = useState<AbortController | null>(null);
  const [got, setGot] = useState(0);
  const [error, setError] = useState<ApiError | undefined>();
  const result = results.value[db];
  const [side, setSide] = useState(false);
  const limit = Number(param("limit")) || 1000;

  // A link to a question shows its text.
  const linked = param("question");
  useEffect(() => {
    if (chosen !== undefined && param("sql") === "") {
      give(chosen.sql);
    }
  }, [chosen?.name]);

  const names = useMemo(() => parametersOf(text), [text]);
  const run = (): void => {
    running?.abort();
    const stop = new AbortController();
    const began = performance.now();
    const params: Record<string, Parameter> = {};
    for (const name of names) {
      params[name] = valueOf(param(`p.${name}`));
    }
    setRunning(stop);
    setGot(0);
    setError(undefined);
    const same = chosen !== undefined && chosen.sql === text;
    setParams(same ? { sql: undefined, run: "1" } : { sql: text, question: undefined, run: "1" });
    query(text, { db, params, limit, signal: stop.signal, what: "running the query", onRows: setGot })
      .then((rows) => {
        results.value = { ...results.value, [db]: { rows, ms: performance.now() - began, sql: text } };
      })
      .catch((problem: unknown) => {
        if (!isCancelled(problem) || stop.signal.reason !== "replaced") {
          setError(problem instanceof ApiError ? problem : new ApiError(0, isCancelled(problem) ? "cancelled" : "page", isCancelled(problem) ? "" : String(problem)));
        }
      })
      .finally(() => setRunning((now) => (now === stop ? null : now)));
  };
  // A link runs what it holds, once.
  const ran = useRef(false);
  useEffect(() => {
    const wanted = param("run") === "1" || linked !== "";
    if (!ran.current && wanted && text !== "" && result?.sql !== text) {
      ran.current = true;
      run();
    }
  }, [text]);

  return (
    <div class="sql">
      <div class={side ? "console with-side" : "console"}>
        <div class="bar">
          <QuestionMenu questions={questions.data ?? []} value={linked} onChoose={(one) => {
            give(one.sql);
            ran.current = true;
            const cleared = Object.fromEntries(Object.keys(route.value.params).filter((p) => p.startsWith("p.")).map((p) => [p, undefined]));
            setParams({ ...cleared, question: one.name, sql: undefined, run: undefined });
          }} />
          <button type="button" aria-pressed={side} onClick={() => setSide(!side)}>Tables</button>
          <span class="gap" />
          <label>Limit <input type="number" class="short" min="1" max="1000000" value={limit} onChange={(e) => setParams({ limit: e.currentTarget.value === "1000" ? undefined : e.currentTarget.value }, true)} /></label>
          {running === null ? <button type="button" class="main" onClick={run} title="Ctrl+Enter">Run</button> : <button type="button" onClick={() => running.abort()}>Cancel</button>}
        </div>
        {chosen !== undefined && <p class="lead">{clean(chosen.question.replace(/\n/g, " "), 600)}</p>}
        <EditorBox given={given} schema={schema.data} onText={setText} onRun={run} error={error} />
        {names.length > 0 && (
          <div class="parameters">
            {names.map((name) => {
              const known = chosen?.parameters.find((one) => one.name === name);
              return (
                <label key={name} title={known?.text}>
                  <code>:{name}</code>
                  <input value={param(`p.${name}`)} placeholder={known?.fallback ?? "NULL"} spellcheck={false} autocomplete="off"
                    onInput={(e) => setParams({ [`p.${name}`]: e.currentTarget.value }, true)}
                    onKeyDown={(e) => e.key === "Enter" && run()} />
                  {known !== undefined && <span class="lead">{clean(known.text, 90)}</span>}
                </label>
              );
            })}
          </div>
        )}
        {error !== undefined && <Failure error={error} />}
        {running !== null && <p class="waiting" role="status">running{got > 0 ? `, ${rowsText(Math.max(0, got - 1))} so far` : ""}</p>}
        {result !== undefined && <ResultBox result={result} db={db} limit={limit} names={names} />}
      </div>
      {side && <SchemaSide schema={schema.data} onPick={(name) => give(`SELECT * FROM ${name}`)} />}
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

function ResultBox({ result, db, limit, names }: { result: Result; db: string; limit: number; names: readonly string[] }): JSX.Element {
  const { rows } = result;
  const [sort, setSort] = useState<Sort>({ by: "", down: false });
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [note, setNote] = useState("");
  const as = (param("as") || "table") as "table" | ChartKind;
  useEffect(() => {
    setSort({ by: "", down: false });
    setHidden(new Set());
  }, [rows]);
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
  const ordered = useMemo(() => sorted(list, columns, sort), [list, columns, sort]);
  const copy = (what: string, make: (columns: readonly string[], cells: readonly (readonly Cell[])[]) => string): void => {
    const kept = rows.columns.map((_, k) => k).filter((k) => !hidden.has(k));
    const textOf = make(kept.map((k) => rows.columns[k] ?? ""), ordered.map((r) => kept.map((k) => r.cells[k] ?? null)));
    navigator.clipboard.writeText(textOf).then(() => setNote(`${rowsText(ordered.length)} copied as ${what}`), () => setNote("the browser did not let the page copy"));
  };
  const exported = (format: string): string => {
    const params: Record<string, string> = { db, sql: result.sql, format };
    for (const name of names) {
      params[`p.${name}`] = param(`p.${name}`);
    }
    return urlOf("/api/export", params);
  };
  return (
    <>
      <div class="bar result">
        <span class="figures" role="status">
          {rowsText(rows.row_count)} in {(result.ms / 1000).toFixed(2)} s{rows.truncated ? <b class="bad"> limit of {count(limit)} reached</b> : null}
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
              navigator.clipboard.writeText(`${location.origin}/${fragmentOf(route.value)}`).then(() => setNote("link copied"), () => setNote("the browser did not let the page copy"));
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
