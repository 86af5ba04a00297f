// Rows of a query as lines, bars or points. The library comes when a chart is asked for.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { cellText, type Rows } from "../api.ts";
import { clean } from "../format.ts";
import { param, setParams, theme } from "../state.ts";
import { useSize } from "../use.ts";

export type ChartKind = "line" | "bar" | "scatter";

type Library = typeof import("uplot");
let library: Library | undefined;

/** What a chart is drawn with, once it is there. */
export async function chartLibrary(): Promise<Library> {
  library ??= (await import("uplot")).default;
  return library;
}

// Numbers of an axis: 3.2G, so that they fit beside it.
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const short = (v: number | null): string => (v === null ? "" : compact.format(v));

const SERIES = { light: ["#2464c8", "#b3541e", "#2b7a4b", "#7a3fa0", "#a01c4b", "#4a5a6a"], dark: ["#7aabff", "#f0a36b", "#7ccf9a", "#c89bea", "#f28cb1", "#b4c2d0"] };
export const COLOURS = SERIES.light.length;

interface ChartProps {
  readonly kind: ChartKind;
  readonly rows: Rows;
  /** Columns that are drawn across the rows in their order; without them the URL says, and can be changed. */
  readonly lines?: readonly number[];
  /** Numbers of the axis. */
  readonly text?: (value: number) => string;
}

export function Chart({ kind, rows, lines, text }: ChartProps): JSX.Element {
  const [place, size] = useSize<HTMLDivElement>();
  const [, ready] = useState(0);
  const numeric = rows.columns.map((_, k) => rows.rows.some((row) => typeof row[k] === "number" || rows.types[k] === "INTEGER" || rows.types[k] === "REAL"));
  const numbers = rows.columns.map((_, k) => k).filter((k) => numeric[k]);
  const x = lines !== undefined ? -1 : param("x") === "" ? (numbers.length > 1 ? numbers[0] ?? -1 : -1) : Number(param("x"));
  const chosen = lines !== undefined ? lines : param("y") === "" ? numbers.filter((k) => k !== x).slice(0, 1) : param("y").split(",").map(Number).filter((k) => numeric[k]);
  const key = `${kind} ${x} ${chosen.join()} ${theme.value} ${size.width} ${size.height}`;
  useEffect(() => {
    if (library === undefined) {
      void chartLibrary().then(() => ready((n) => n + 1));
      return undefined;
    }
    const host = place.current;
    if (host === null || size.width < 60 || chosen.length === 0) {
      return undefined;
    }
    const UPlot = library;
    const cell = (i: number, k: number): number | null => {
      const value = rows.rows[i]?.[k];
      const n = value === null || value === undefined || typeof value === "object" ? NaN : Number(value);
      return Number.isFinite(n) ? n : null;
    };
    const order = rows.rows.map((_, i) => i).filter((i) => x < 0 || cell(i, x) !== null);
    if (x >= 0) {
      order.sort((a, b) => (cell(a, x) ?? 0) - (cell(b, x) ?? 0));
    }
    const label = x >= 0 ? undefined : rows.columns.findIndex((_, k) => !numeric[k]);
    const style = getComputedStyle(document.documentElement);
    const axis = { stroke: style.getPropertyValue("--muted"), grid: { stroke: style.getPropertyValue("--line"), width: 1 }, ticks: { stroke: style.getPropertyValue("--line"), width: 1 }, size: 64 };
    const bars = UPlot.paths.bars;
    const plot = new UPlot(
      {
        width: size.width,
        height: Math.max(180, size.height - 40),
        scales: { x: { time: false } },
        ...(lines === undefined ? {} : { legend: { live: false }, padding: [null, 48, null, null] as [null, number, null, null] }),
        axes: [
          { ...axis, size: 42, ...(x >= 0 ? {} : { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e4, 1e5, 1e6] }), ...(label === undefined || label < 0 ? {} : { values: (_: unknown, at: number[]) => at.map((v) => clean(cellText(rows.rows[order[v] ?? -1]?.[label]), 18)) }) },
          { ...axis, size: text === undefined ? axis.size : 96, values: (_: unknown, at: number[]) => at.map((v) => (text === undefined ? short(v) : text(v))) },
        ],
        series: [
          { label: x >= 0 ? clean(rows.columns[x], 40) : "row" },
          ...chosen.map((k, n) => ({
            label: clean(rows.columns[k], 40),
            stroke: SERIES[theme.value][n % COLOURS] ?? "",
            width: kind === "scatter" ? 0 : 1.5,
            ...(kind === "bar" ? { fill: `${SERIES[theme.value][n % COLOURS]}66`, ...(bars === undefined ? {} : { paths: bars({ size: [0.7, 60] }) }), points: { show: false } } : {}),
            ...(kind === "scatter" ? { paths: () => null, points: { show: true, size: 5, fill: SERIES[theme.value][n % COLOURS] ?? "" } } : {}),
          })),
        ],
      },
      [order.map((i, at) => (x >= 0 ? cell(i, x) ?? 0 : at)), ...chosen.map((k) => order.map((i) => cell(i, k)))],
      host,
    );
    return () => plot.destroy();
  }, [key, rows, library]);
  return (
    <div class="chart">
      {lines === undefined && <div class="bar">
        <label>Across <select value={String(x)} onChange={(e) => setParams({ x: e.currentTarget.value })}>
          <option value="-1">rows in their order</option>
          {numbers.map((k) => <option value={String(k)} key={k}>{clean(rows.columns[k], 60)}</option>)}
        </select></label>
        <span class="checks">
          {numbers.filter((k) => k !== x).map((k) => <label key={k}><input type="checkbox" checked={chosen.includes(k)} onChange={(e) => {
            const next = e.currentTarget.checked ? [...chosen, k] : chosen.filter((one) => one !== k);
            setParams({ y: next.join(",") });
          }} /> {clean(rows.columns[k], 60)}</label>)}
        </span>
      </div>}
      {numbers.length === 0 ? <p class="none">These rows have no numbers to draw</p> : null}
      <div class="plot" ref={place} role="img" aria-label={`Chart of ${chosen.map((k) => clean(rows.columns[k], 40)).join(", ")}; the table has the same numbers`} />
    </div>
  );
}
