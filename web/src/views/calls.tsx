import type { JSX } from "preact";

export function Calls(): JSX.Element {
  return <p class="none">coming</p>;
}
