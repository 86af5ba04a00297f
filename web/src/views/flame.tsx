import type { JSX } from "preact";

export function Flame(): JSX.Element {
  return <p class="none">coming</p>;
}
