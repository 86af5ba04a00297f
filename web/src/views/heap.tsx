import type { JSX } from "preact";

export function Heap(): JSX.Element {
  return <p class="none">coming</p>;
}
