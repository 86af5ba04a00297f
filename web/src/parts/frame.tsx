// Pieces that all views share: the strip of what is missing, the drawer, messages, a choice of buttons.
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ApiError, Cell } from "../api.ts";
import { clean, count, plural } from "../format.ts";
import { losses, type Defect } from "./losses.ts";
import { rootOf } from "./sources.ts";

/** What is missing; undefined while it is not known, and an error when it could not be read. */
export const defects = signal<readonly Defect[] | ApiError | undefined>(undefined);

const known = (): readonly Defect[] => (Array.isArray(defects.value) ? (defects.value as readonly Defect[]) : []);

export const QUALITY = `SELECT severity, what, sum(count) AS count, path, recording, message, kind, source_id, min(offset) AS offset FROM v_data_quality GROUP BY source_id, kind, what, severity, message
ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'data_loss' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END, kind DESC, count DESC LIMIT 500`;

export function Strip({ href }: { href: string }): JSX.Element | null {
  const lost = losses(known(), rootOf);
  if (lost.length === 0) {
    return null;
  }
  const first = lost[0];
  const times = first === undefined || first.count < 2 ? "" : `, ${count(first.count)} times`;
  return (
    <div class="strip" role="status">
      <span class="mark" aria-hidden="true">!</span>
      <b>{lost.length === 1 ? "1 thing is" : `${count(lost.length)} things are`} missing from this recording</b>
      <span class="first">{clean(first?.message, 160)}{times}</span>
      <a href={href}>What is missing</a>
    </div>
  );
}

interface DrawerProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Drawer({ title, onClose, children }: DrawerProps): JSX.Element {
  return (
    <aside class="drawer" aria-label="Details">
      <header>
        <h2 title={title}>{title}</h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close details">×</button>
      </header>
      <div class="body" tabIndex={0} role="region" aria-label="Details of the selection">{children}</div>
    </aside>
  );
}

/** Names and values, the values aligned. */
export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ChoiceProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [V, string, (string | undefined)?])[];
  readonly onChange: (value: V) => void;
}

/** Buttons of which one is pressed. An option with a reason is disabled by it. */
export function Choice<V extends string>({ label, value, options, onChange }: ChoiceProps<V>): JSX.Element {
  const group = useRef<HTMLDivElement>(null);
  return (
    <div class="segments" role="group" aria-label={label} ref={group}>
      {options.map(([id, title, reason]) => (
        <button type="button" key={id} aria-pressed={id === value} disabled={reason !== undefined} title={reason} onClick={() => onChange(id)} data-value={id}>
          {title}
        </button>
      ))}
    </div>
  );
}

export function Failure({ error }: { error: ApiError }): JSX.Element {
  return (
    <p class="failure" role="alert">
      <b>{error.code === "cancelled" ? "Cancelled" : "This did not work"}</b> {error.code === "cancelled" ? "" : clean(error.message)}
    </p>
  );
}

export function Waiting({ what }: { what: string }): JSX.Element {
  return <p class="waiting" role="status">{what}</p>;
}

export const text = (cell: Cell | undefined): string => (typeof cell === "object" && cell !== null ? ("text" in cell ? cell.text : "") : String(cell ?? ""));

export const rowsText = (n: number): string => plural(n, "row");
