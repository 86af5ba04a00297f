import type { JSX } from "preact";
import type { Thread } from "../data.ts";
import type { Chosen } from "./flame.tsx";

export function TimeOrder(_: { chosen: Chosen; threads: readonly Thread[] }): JSX.Element {
  return <p class="none">coming</p>;
}
