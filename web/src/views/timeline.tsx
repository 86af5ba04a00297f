import type { JSX } from "preact";

export function Timeline(): JSX.Element {
  return <p class="none">coming</p>;
}
