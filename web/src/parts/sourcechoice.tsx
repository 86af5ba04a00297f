// Which source is looked at, as a list.
import type { JSX } from "preact";
import { clean } from "../format.ts";
import { choices, chosenSource } from "./sources.ts";
import { param, setParams } from "../state.ts";

interface Props {
  /** Those that have something of what the view shows. */
  readonly wanted: ReadonlySet<number>;
  readonly onChange?: (src: string | undefined) => void;
}

/** All sources, or one with what was found in it; nothing where there is only one. */
export function SourceChoice({ wanted, onChange }: Props): JSX.Element | null {
  const list = choices(wanted);
  const src = param("src");
  const chosen = chosenSource.value;
  if (list.length < 2 && src === "") {
    return null;
  }
  const other = src !== "" && !list.some((one) => one.id === chosen?.id);
  return (
    <select aria-label="Source" value={chosen === undefined ? src : String(chosen.id)} onChange={(e) => (onChange ?? ((next) => setParams({ src: next })))(e.currentTarget.value || undefined)}>
      <option value="">{list.length > 1 ? `all ${list.filter((one) => wanted.has(one.id)).length} sources` : "all sources"}</option>
      {other && <option value={chosen === undefined ? src : String(chosen.id)}>{chosen?.title ?? clean(src, 60)}</option>}
      {list.map((one) => <option value={String(one.id)} key={one.id}>{one.title}</option>)}
    </select>
  );
}
