// Tables: sorted by their headers, moved in by arrow keys, and with only the rows made that are seen.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { inUnit, unitFor } from "../format.ts";

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  /** Of numbers: one unit for all rows, chosen by the largest value, in the header. */
  readonly unit?: "ns" | "bytes" | "count" | "us";
  /** The unit is that of this number, where several columns are to have one. */
  readonly most?: number;
  readonly value: (row: R) => number | string | null;
  readonly cell?: (row: R) => ComponentChildren;
  /** Digits after the point. */
  readonly digits?: number;
  readonly signed?: boolean;
  readonly width?: number;
  /** Takes what other columns leave. */
  readonly wide?: boolean;
  readonly code?: boolean;
  /** Its cells are aligned right. */
  readonly number?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly down: boolean;
}

interface Props<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly keyOf: (row: R) => string | number;
  readonly selected?: string | number | undefined;
  readonly onRow?: ((row: R) => void) | undefined;
  readonly onEnd?: () => void;
  /** Grows with its rows instead of scrolling. */
  readonly open?: boolean;
  readonly empty?: string;
}

export const ROW = 26;
const MORE = 12; // rows above and below what is seen

const compare = (a: number | string | null, b: number | string | null): number => {
  if (a === null || b === null) {
    return a === b ? 0 : a === null ? -1 : 1;
  }
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
};

/** Rows in the order of a column; equal ones keep theirs. */
export function sorted<R>(rows: readonly R[], columns: readonly Column<R>[], sort: Sort | undefined): readonly R[] {
  const column = columns.find((one) => one.id === sort?.by);
  if (column === undefined || sort === undefined) {
    return rows;
  }
  const sign = sort.down ? -1 : 1;
  return rows.map((row, i) => ({ row, i, value: column.value(row) }))
    .sort((a, b) => sign * compare(a.value, b.value) || a.i - b.i)
    .map((one) => one.row);
}

export function Table<R>(props: Props<R>): JSX.Element {
  const { columns, rows, open } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const [focus, setFocus] = useState(0);
  const wanted = useRef(-1);
  const units = useMemo(
    () => columns.map((c) => (c.unit === undefined ? undefined : unitFor(c.most ?? rows.reduce((most, row) => Math.max(most, Math.abs(Number(c.value(row) ?? 0))), 0), c.unit))),
    [columns, rows],
  );
  useEffect(() => {
    const element = scroll.current;
    if (element === null || open) {
      return undefined;
    }
    const look = (): void => setSeen({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [open]);
  const first = open ? 0 : Math.max(0, Math.floor(seen.top / ROW) - MORE);
  const end = open ? rows.length : Math.min(rows.length, Math.ceil((seen.top + seen.height) / ROW) + MORE);
  useEffect(() => {
    if (wanted.current >= 0) {
      scroll.current?.querySelector<HTMLElement>(`tr[data-row="${wanted.current}"]`)?.focus({ preventScroll: true });
      wanted.current = -1;
    }
  });
  const onScroll = (): void => {
    const element = scroll.current;
    if (element !== null && !open) {
      setSeen({ top: element.scrollTop, height: element.clientHeight });
      if (element.scrollTop + element.clientHeight > element.scrollHeight - 10 * ROW) {
        props.onEnd?.();
      }
    }
  };
  const moveTo = (row: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, row));
    const element = scroll.current;
    wanted.current = next;
    setFocus(next);
    if (element !== null && !open) {
      const top = next * ROW;
      if (top < element.scrollTop) {
        element.scrollTop = top;
      } else if (top + 2 * ROW > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + 3 * ROW - element.clientHeight;
      }
    }
  };
  const onKey = (e: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(seen.height / ROW) - 2);
    const steps: Record<string, number> = { ArrowDown: focus + 1, ArrowUp: focus - 1, PageDown: focus + page, PageUp: focus - page, Home: 0, End: rows.length - 1 };
    const row = rows[focus];
    if (e.key in steps) {
      moveTo(steps[e.key] ?? 0);
    } else if ((e.key === "Enter" || e.key === " ") && row !== undefined && e.target instanceof HTMLTableRowElement) {
      props.onRow?.(row);
    } else {
      return;
    }
    e.preventDefault();
  };
  const pick = (row: R, i: number): void => {
    setFocus(i);
    props.onRow?.(row);
  };
  const shown = rows.slice(first, end);
  return (
    <div class={open ? "table open" : "table"} ref={scroll} onScroll={onScroll} tabIndex={open ? undefined : 0} role="region" aria-label={props.label}>
      <table aria-rowcount={open ? undefined : rows.length + 1}>
        <thead>
          <tr>
            {columns.map((c, k) => (
              <Header column={c} unit={units[k]?.[1]} sort={props.sort} onSort={props.onSort} key={c.id} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={props.onRow === undefined ? undefined : onKey}>
          {first > 0 && <tr class="space" aria-hidden="true"><td colSpan={columns.length} style={{ height: `${first * ROW}px` }} /></tr>}
          {shown.map((row, k) => {
            const i = first + k;
            const key = props.keyOf(row);
            return (
              <tr
                key={key}
                data-row={i}
                aria-rowindex={open ? undefined : i + 2}
                tabIndex={props.onRow === undefined ? undefined : i === Math.min(focus, rows.length - 1) ? 0 : -1}
                aria-selected={props.selected === undefined ? undefined : key === props.selected}
                class={props.onRow === undefined ? undefined : key === props.selected ? "pick chosen" : "pick"}
                onClick={props.onRow === undefined ? undefined : () => pick(row, i)}
              >
                {columns.map((c, j) => <Value column={c} row={row} unit={units[j]} key={c.id} />)}
              </tr>
            );
          })}
          {end < rows.length && <tr class="space" aria-hidden="true"><td colSpan={columns.length} style={{ height: `${(rows.length - end) * ROW}px` }} /></tr>}
        </tbody>
      </table>
      {rows.length === 0 && <p class="none">{props.empty ?? "No rows"}</p>}
    </div>
  );
}

interface HeaderProps<R> {
  readonly column: Column<R>;
  readonly unit: string | undefined;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function Header<R>({ column, unit, sort, onSort }: HeaderProps<R>): JSX.Element {
  const mine = sort?.by === column.id;
  const title = <>{column.title}{unit !== undefined && unit !== "" && <span class="unit"> {unit}</span>}</>;
  const number = column.unit !== undefined || column.number === true;
  const arrow = mine ? (sort?.down ? "▾ " : "▴ ") : "";
  return (
    <th
      scope="col"
      class={`${number ? "number" : ""} ${column.wide ? "wide" : ""}`}
      style={column.width === undefined ? undefined : { width: `${column.width}px` }}
      aria-sort={onSort === undefined ? undefined : mine ? (sort?.down ? "descending" : "ascending") : "none"}
    >
      {onSort === undefined ? <span>{title}</span> : (
        <button type="button" onClick={() => onSort({ by: column.id, down: mine ? !sort?.down : number })}>
          {number && <span class="arrow" aria-hidden="true">{arrow}</span>}
          {title}
          {!number && <span class="arrow" aria-hidden="true">{arrow}</span>}
        </button>
      )}
    </th>
  );
}

function Value<R>({ column, row, unit }: { column: Column<R>; row: R; unit: readonly [number, string] | undefined }): JSX.Element {
  if (column.cell !== undefined) {
    return <td class={`${column.unit === undefined && !column.number ? "" : "number"} ${column.code ? "code" : ""}`}>{column.cell(row)}</td>;
  }
  const value = column.value(row);
  if (unit !== undefined) {
    const n = Number(value);
    const text = value === null ? "–" : `${column.signed && n > 0 ? "+" : ""}${inUnit(n, unit, column.digits ?? 2)}`;
    return <td class="number" title={value === null || unit[0] === 1 ? undefined : `${String(value)} ${column.unit === "ns" ? "ns" : "bytes"}`}>{text}</td>;
  }
  const text = value === null ? "" : String(value);
  return <td class={column.code ? "code" : undefined} title={text.length > 24 ? text : undefined}>{text}</td>;
}
