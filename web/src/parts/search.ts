// The search of the frame, as views follow it.
import { signal } from "@preact/signals";
import { param } from "../state.ts";

/** Enter in the search: one step on or back. */
export const nextMatch = signal({ step: 1, n: 0 });

/** A test of texts by a search: a regular expression between slashes, else a part, without regard to case. */
export function matcher(search: string): ((text: string) => boolean) | undefined {
  const wanted = search.trim();
  if (wanted === "") {
    return undefined;
  }
  if (wanted.length > 2 && wanted.startsWith("/") && wanted.endsWith("/")) {
    try {
      const pattern = new RegExp(wanted.slice(1, -1), "i");
      return (text) => pattern.test(text);
    } catch {
      // What is no regular expression is a part of a text.
    }
  }
  const part = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(part);
}

export const searched = (): ((text: string) => boolean) | undefined => matcher(param("q"));
